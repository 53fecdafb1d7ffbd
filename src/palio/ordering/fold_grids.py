"""The folds of a table's data sets, those of one design together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from palio.scores import Design, ScoreTable
from palio.types import FloatArray

__all__ = ["FoldGrid", "fold_grids"]


@dataclass(frozen=True, eq=False)
class FoldGrid:
    """Data sets of one design: their rows in the table, and scores (n, K, repeats, folds)."""

    design: Design
    rows: list[int]
    goodness: FloatArray


def fold_grids(table: ScoreTable) -> Iterator[FoldGrid]:
    """Yield the scores of each design, higher is better; unpaired folds are refused.

    Examples
    --------
    >>> table = ScoreTable.from_arrays(
    ...     [[[[0.1, 0.3]], [[0.2, 0.2]]]], datasets=["iris"], algorithms=["a", "b"],
    ...     measure="error",
    ... )
    >>> [(str(grid.design), grid.goodness.shape) for grid in fold_grids(table)]
    [('2-fold cv', (1, 2, 1, 2))]
    """
    by_design: dict[Design, list[int]] = defaultdict(list)
    for row, dataset in enumerate(table.datasets):
        by_design[table.design(dataset)].append(row)
    sign = 1 if table.measure.higher_is_better else -1
    for design, rows in by_design.items():
        scores = np.stack([table.fold_scores(table.datasets[row]) for row in rows])
        yield FoldGrid(design, rows, sign * scores)
