"""Pairs of a comparison as rows against columns: who is better, by how much, wins, p-values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palio.numbers import p_bound, record, signed_alike, signed_short, unled
from palio.report.figures import style
from palio.report.figures.extent import Extent, extent_of, sorted_by, standing_texts
from palio.report.figures.grid import draw_grid
from palio.report.figures.grid_layout import Grid, Side, Wording
from palio.report.figures.kinds import comparison_of
from palio.report.figures.scales import (
    Scale,
    p_scale,
    significance_class,
    significance_scale,
    two_sided,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palio.comparison.pairs import ComparedPair
    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering


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
    extent: Extent
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[int, int], Versus]

    @classmethod
    def of(cls, comparison: Comparison) -> Matrix:
        """Lay the pairs of a comparison out by row and column, the best algorithm first."""
        control, extent = comparison.control, extent_of(comparison)
        names = extent.names
        rows = tuple(name for name in names if name != control)
        columns = tuple(names) if control is None else (control,)
        row_at, column_at = ({name: i for i, name in enumerate(names)} for names in (rows, columns))
        cells = {}
        for pair in comparison.pairs_among(names):
            for row, column, turned in ((pair.a, pair.b, False), (pair.b, pair.a, True)):
                if row in row_at and column in column_at:
                    cells[row_at[row], column_at[column]] = Versus(pair, turned)
        return cls(comparison, extent, rows, columns, cells)

    def wording(self, of: Callable[[Versus], str], says: str = "") -> Wording:
        """Return a text for each cell, empty where there is no pair, and what is said of them."""
        at, tall, wide = self.cells, len(self.rows), len(self.columns)
        rows = ([of(at[i, j]) if (i, j) in at else "" for j in range(wide)] for i in range(tall))
        return Wording(tuple(map(tuple, rows)), says)

    def draw(
        self,
        of: Callable[[Versus], float],
        *wordings: Wording,
        scale: Scale,
        caption: str,
        unwritten: str = "",
        marks: bool = True,
    ) -> Figure:
        """Draw a number for each cell, with texts from the richest to the shortest.

        With ``marks`` what differs significantly is bold or marked.
        """
        values = np.full((len(self.rows), len(self.columns)), np.nan)
        marked = np.zeros_like(values, dtype=np.bool_)
        for place, cell in self.cells.items():
            values[place], marked[place] = of(cell), marks and cell.pair.significant
        figure, _, _ = draw_grid(
            Grid(
                rows=tuple(map(style.clean, self.rows)),
                columns=tuple(map(style.clean, self.columns)),
                values=values,
                scale=scale,
                wordings=wordings,
                marked=marked,
                caption=self.extent.caption(caption, self._not_met()),
                side=Side(*standing_texts(self.comparison, self.rows)),
                unwritten=unwritten,
                pairs=True,
                breaks=self.extent.breaks if self.comparison.control is None else (),
            )
        )
        return figure

    def _not_met(self) -> str:
        """Say what an empty cell is, if there is one off the diagonal."""
        columns = len(self.columns) - (self.comparison.control is None)
        met = len(self.cells) == len(self.rows) * columns
        return "" if met else "Empty: the two share no data set."


def verdict(comparison: Comparison) -> str:
    """Say what a mark means: the test, the correction, the level and the data sets."""
    on = {
        "datasets": style.count_datasets(comparison.n_datasets),
        "folds": f"{len(comparison.compared.values)} folds of {style.clean(comparison.dataset)}",
        "items": f"items of {style.count_datasets(comparison.n_datasets)}",
    }[comparison.over]
    return (
        f"significant ({comparison.method}, {comparison.correction}, "
        f"α\u00a0=\u00a0{comparison.alpha:g}; {on})"
    )


def draw_comparison_matrix(result: Comparison | Ordering) -> Figure:
    """Draw who is significantly better, with the mean difference, wins and adjusted p-value.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``name:svr``, ``side:svr``, ``cell:svr|c45``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.compare(table), "comparison-matrix")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:c45|svr"].splitlines()
    ['−6.04', '5/0/33', 'p <0.001']
    """
    comparison = comparison_of(result)
    matrix = Matrix.of(comparison)
    # The colours say who is better: nothing is left to mark.
    return matrix.draw(
        lambda cell: cell.sign * significance_class(cell.pair.p_adjusted, comparison.alpha),
        *_wordings(matrix),
        scale=significance_scale(
            "adjusted p-value; blue: the row is significantly better, orange: the column",
            comparison.alpha,
        ),
        caption=(
            f"Coloured where the difference is {verdict(comparison)}; algorithms sorted by "
            f"{sorted_by(comparison)}."
        ),
        unwritten="Who is better than whom; so many cells have no room for numbers.",
        marks=False,
    )


def _wordings(matrix: Matrix) -> tuple[Wording, ...]:
    """Return difference, wins and p-value, as long as there is room and then in short."""
    written = _written(matrix)
    # Where the measure differs by data set there is no mean difference to show.
    first = 1 if matrix.comparison.measure.is_ordinal else 0

    def full(cell: Versus) -> list[str]:
        return [written.get(cell.difference, ""), record(*cell.record), f"p {_p(cell)}"][first:]

    def shorter(cell: Versus) -> list[str]:
        return [signed_short(cell.difference), record(*cell.record), unled(_p(cell))][first:]

    def short(cell: Versus) -> list[str]:
        return [signed_short(cell.difference), str(cell.record[0]), unled(_p(cell))][first:]

    measure = style.clean(matrix.comparison.measure.name)
    difference = "" if first else f"the mean difference in {measure}, row minus column, "
    whole = f"In each cell {difference}the wins/ties/losses of the row, and the adjusted p-value."
    wins = (
        f"In each cell {difference}the wins of the row (its losses are the wins in the mirrored "
        "cell), and the adjusted p-value."
    )
    # Against a control alone there is room for a line, but not for three.
    line = [matrix.wording(lambda cell: "   ".join(full(cell)), whole)]
    return (
        *(line if len(matrix.columns) == 1 else []),
        matrix.wording(lambda cell: "\n".join(full(cell)), whole),
        matrix.wording(lambda cell: "\n".join(shorter(cell)), whole),
        matrix.wording(lambda cell: "\n".join(short(cell)), wins),
    )


def _p(cell: Versus) -> str:
    return p_bound(cell.pair.p_adjusted)


def _written(matrix: Matrix) -> dict[float, str]:
    """Write every difference with the same number of decimals."""
    differences = sorted({cell.difference for cell in matrix.cells.values()})
    return dict(zip(differences, signed_alike(differences), strict=True))


def draw_p_values(result: Comparison | Ordering) -> Figure:
    """Draw the adjusted p-value of each pair, best algorithm first.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``marks``, ``alpha``, ``name:svr``, ``cell:svr|c45``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.compare(table), "p-values")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:c45|svr"], texts["alpha-label"]
    ('<0.001', 'α = 0.05')
    """
    comparison = comparison_of(result)
    matrix = Matrix.of(comparison)
    return matrix.draw(
        lambda cell: cell.pair.p_adjusted,
        matrix.wording(lambda cell: p_bound(cell.pair.p_adjusted)),
        scale=p_scale("adjusted p-value", comparison.alpha),
        caption=(
            f"Adjusted p-values, algorithms sorted by {sorted_by(comparison)}. "
            f"Bold or marked: {verdict(comparison)}."
        ),
    )


LABELS = ((0.0, "loses all"), (0.25, "1/4"), (0.5, "half"), (0.75, "3/4"), (1.0, "wins all"))


def draw_win_matrix(result: Comparison | Ordering) -> Figure:
    """Draw on how many data sets each algorithm beats each other.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``cells``, ``marks``, ``name:svr``, ``cell:svr|c45``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.compare(table), "win-matrix")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["cell:svr|c45"], texts["cell:c45|svr"]
    ('33/0/5', '5/0/33')
    """
    comparison = comparison_of(result)
    matrix = Matrix.of(comparison)
    return matrix.draw(
        lambda cell: cell.share_won,
        matrix.wording(lambda cell: record(*cell.record)),
        matrix.wording(lambda cell: str(cell.record[0])),
        scale=two_sided(
            "share of data sets on which the row wins, ties half", LABELS, low=0, high=1
        ),
        caption=(
            "Wins/ties/losses of the row against the column, or its wins alone where there "
            f"is less room; algorithms sorted by {sorted_by(comparison)}. Bold or marked: the "
            "pair's "
            f"difference is {verdict(comparison)}."
        ),
    )
