"""The pairs of a comparison as rows against columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from palio.numbers import rank
from palio.report.figures import style
from palio.report.figures.grid import Side, Words

if TYPE_CHECKING:
    from palio.comparison.results import ComparedPair, Comparison


@dataclass(frozen=True)
class Versus:
    """A pair as the row sees it, which may be its second: differences and wins are the row's."""

    pair: ComparedPair
    turned: bool

    @property
    def difference(self) -> float:
        """The mean difference, row minus column."""
        return -self.pair.difference if self.turned else self.pair.difference

    @property
    def record(self) -> tuple[int, int, int]:
        """The wins, ties and losses of the row."""
        won, tied, lost = self.pair.wins, self.pair.ties, self.pair.losses
        return (lost, tied, won) if self.turned else (won, tied, lost)

    @property
    def sign(self) -> int:
        """1 where the row is significantly better, -1 where the column is, else 0."""
        if self.pair.winner is None:
            return 0
        return -1 if (self.pair.winner == self.pair.a) is self.turned else 1

    @property
    def share_won(self) -> float:
        """The share of data sets on which the row wins, ties half."""
        return 1 - self.pair.share_won if self.turned else self.pair.share_won


@dataclass(frozen=True)
class Matrix:
    """Rows against columns, a cell for each pair that was compared.

    With a control there is one column: the control.
    """

    comparison: Comparison
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[int, int], Versus]

    @classmethod
    def of(cls, comparison: Comparison, names: Sequence[str]) -> Matrix:
        """Lay the pairs of a comparison out by row and column, in an order of the algorithms."""
        control = comparison.control
        rows = tuple(name for name in names if name != control)
        columns = tuple(names) if control is None else (control,)
        row_at, column_at = ({name: i for i, name in enumerate(names)} for names in (rows, columns))
        cells = {}
        for pair in comparison.pairs:
            for row, column, turned in ((pair.a, pair.b, False), (pair.b, pair.a, True)):
                if row in row_at and column in column_at:
                    cells[row_at[row], column_at[column]] = Versus(pair, turned)
        return cls(comparison, rows, columns, cells)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.columns)

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The rows and the columns as they are written."""
        rows, columns = (tuple(map(style.clean, names)) for names in (self.rows, self.columns))
        return rows, columns

    @property
    def marked(self) -> NDArray[np.bool_]:
        """Where the pair differs significantly."""
        marked = np.zeros(self.shape, dtype=np.bool_)
        for place, cell in self.cells.items():
            marked[place] = cell.pair.significant
        return marked

    def values(self, of: Callable[[Versus], float]) -> NDArray[np.float64]:
        """Return a number for each cell, NaN where there is no pair."""
        values = np.full(self.shape, np.nan)
        for place, cell in self.cells.items():
            values[place] = of(cell)
        return values

    def words(self, of: Callable[[Versus], str]) -> Words:
        """Return a text for each cell, empty where there is no pair."""
        return tuple(
            tuple(
                of(self.cells[i, j]) if (i, j) in self.cells else "" for j in range(self.shape[1])
            )
            for i in range(self.shape[0])
        )

    def mean_ranks(self) -> Side:
        """Return the mean ranks of the rows."""
        ranks = self.comparison.mean_ranks
        return Side("mean\nrank", tuple(rank(ranks[name]) for name in self.rows))


def verdict(comparison: Comparison) -> str:
    """Say what a mark means: the test, the correction, the level and the data sets."""
    on = (
        style.count_datasets(comparison.n_datasets)
        if comparison.dataset is None
        else f"{len(comparison.compared.values)} folds of {style.clean(comparison.dataset)}"
    )
    return (
        f"significant ({comparison.method}, {comparison.correction}, "
        f"α\u00a0=\u00a0{comparison.alpha:g}; {on})"
    )
