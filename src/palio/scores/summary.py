"""What a table holds, in short, for whoever looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from palio.measures import Measure
from palio.results import Result
from palio.words import count

if TYPE_CHECKING:
    import pandas as pd

    from palio.scores.table import ScoreTable


class AlgorithmSummary(NamedTuple):
    """An algorithm of a table: its means over the data sets; NaN where it has no value at all."""

    algorithm: str
    mean_score: float
    costs: Mapping[str, float]
    missing: int


class Gaps(NamedTuple):
    """How many cells lack a score, and what was chosen to be done about it."""

    choice: str
    cells: int
    of: int


@dataclass(frozen=True)
class TableSummary(Result):
    """The size of a table, its design, and the means of each algorithm."""

    kind = "score-table"
    parts = ("size", "design", "measure", "costs", "datasets", "algorithms", "notes")

    size: str
    design: str
    measure: Measure
    costs: tuple[str, ...]
    datasets: tuple[str, ...]
    algorithms: tuple[AlgorithmSummary, ...]
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm."""
        import pandas as pd

        rows = [{**row._asdict(), **row.costs} for row in self.algorithms]
        return pd.DataFrame(rows).drop(columns="costs")


def size_of(table: ScoreTable) -> str:
    """Say how many data sets and algorithms there are."""
    return f"{count(table.n_datasets, 'data set')} × {count(table.n_algorithms, 'algorithm')}"


def summary_of(table: ScoreTable) -> TableSummary:
    """Return the size, the design and the means of each algorithm."""
    scores, costs = table.mean_scores(), table.mean_costs()
    missing = np.isnan(table.means()).sum(axis=0).tolist()
    return TableSummary(
        size=size_of(table),
        design=str(table.design()),
        measure=table.measure,
        costs=tuple(costs),
        datasets=table.datasets,
        algorithms=tuple(
            AlgorithmSummary(
                name, scores[name], {cost: means[name] for cost, means in costs.items()}, gaps
            )
            for name, gaps in zip(table.algorithms, missing, strict=True)
        ),
        notes=table.notes,
    )
