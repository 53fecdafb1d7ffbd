"""The pairs of a comparison as rows against columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palio.report.figures import style
from palio.report.figures.grid import Side, Words
from palio.report.figures.needs import comparison_of
from palio.report.numbers import rank

__all__ = ["Matrix", "Versus", "by_mean_rank", "read_matrix", "verdict"]

Summary = Mapping[str, Any]


@dataclass(frozen=True)
class Versus:
    """A pair as the row sees it: differences and wins are the row's."""

    p_adjusted: float
    significant: bool
    difference: float
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class Matrix:
    """Rows against columns, a cell for each pair that was compared.

    With a control there is one column: the control.
    """

    comparison: Summary
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[int, int], Versus]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.columns)

    @property
    def row_names(self) -> tuple[str, ...]:
        """The rows as they are written."""
        return tuple(style.clean(name) for name in self.rows)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns as they are written."""
        return tuple(style.clean(name) for name in self.columns)

    @property
    def marked(self) -> NDArray[np.bool_]:
        """Where the pair differs significantly."""
        marked = np.zeros(self.shape, dtype=np.bool_)
        for place, cell in self.cells.items():
            marked[place] = cell.significant
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
        ranks = self.comparison["mean_ranks"]
        return Side("mean\nrank", tuple(rank(ranks[name]) for name in self.rows))


def by_mean_rank(comparison: Summary) -> list[str]:
    """Return the algorithms best first.

    Examples
    --------
    >>> by_mean_rank({"mean_ranks": {"b": 2.5, "a": 1.5, "c": 2.0}})
    ['a', 'c', 'b']
    """
    ranks = comparison["mean_ranks"]
    return sorted(ranks, key=lambda name: (ranks[name], str(name)))


def read_matrix(summary: Summary, order: Callable[[Summary], list[str]] = by_mean_rank) -> Matrix:
    """Lay the pairs of a comparison out by row and column, best first.

    Examples
    --------
    >>> pair = {"a": "x", "b": "y", "p_adjusted": 0.01, "significant": True,
    ...         "difference": 2.0, "wins": 3, "ties": 1, "losses": 0}
    >>> matrix = read_matrix({"kind": "comparison", "mean_ranks": {"y": 1.8, "x": 1.2},
    ...                       "pairs": [pair]})
    >>> matrix.rows, matrix.cells[1, 0].difference, matrix.cells[1, 0].losses
    (('x', 'y'), -2.0, 3)
    """
    comparison = comparison_of(summary) or {}
    names = order(comparison)
    control = comparison.get("control")
    rows = [name for name in names if name != control]
    columns = names if control is None else [control]
    row_at, column_at = ({name: i for i, name in enumerate(names)} for names in (rows, columns))
    cells = {}
    for pair in comparison["pairs"]:
        for row, column, turned in ((pair["a"], pair["b"], False), (pair["b"], pair["a"], True)):
            if row in row_at and column in column_at:
                cells[row_at[row], column_at[column]] = _versus(pair, turned)
    return Matrix(comparison, tuple(rows), tuple(columns), cells)


def _versus(pair: Summary, turned: bool) -> Versus:
    won, lost = pair.get("wins") or 0, pair.get("losses") or 0
    difference = _number(pair.get("difference"))
    return Versus(
        p_adjusted=_number(pair["p_adjusted"]),
        significant=bool(pair["significant"]),
        difference=-difference if turned else difference,
        wins=lost if turned else won,
        ties=pair.get("ties") or 0,
        losses=won if turned else lost,
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def verdict(comparison: Summary) -> str:
    """Say what a mark means: the test, the correction, the level and the data sets.

    Examples
    --------
    >>> verdict({"method": "wilcoxon", "correction": "holm", "alpha": 0.05, "n_datasets": 38})
    'significant (wilcoxon, holm, α\u00a0=\u00a00.05; 38 data sets)'
    """
    how = [str(comparison[key]) for key in ("method", "correction") if comparison.get(key)]
    if comparison.get("alpha") is not None:
        how.append(f"α\u00a0=\u00a0{comparison['alpha']:g}")
    said = ", ".join(how)
    n = comparison.get("n_datasets")
    if n:
        said += f"; {style.count_datasets(n)}" if said else style.count_datasets(n)
    return f"significant ({said})" if said else "significant"
