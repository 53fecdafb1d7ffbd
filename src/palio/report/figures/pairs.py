"""Pairs as figures show them: a comparison's as rows against columns, a posterior's by outcome.

Three things can be true of a pair of a posterior. Blue is for the first algorithm, grey for
practically equal, vermillion for the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palio.numbers import probability
from palio.report.figures import style
from palio.report.figures.extent import Extent, extent_of, standing_texts
from palio.report.figures.grid import draw_grid
from palio.report.figures.grid_layout import Grid, Side, Wording

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.bayes.answer import Detail, PosteriorAnswer
    from palio.comparison.pairs import ComparedPair
    from palio.comparison.results import Comparison
    from palio.report.figures.scales import Scale


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

    def wording(self, of: Callable[[Versus], str], says: str = "") -> Wording:
        """Return a text for each cell, empty where there is no pair, and what is said of them."""
        cells = tuple(
            tuple(
                of(self.cells[i, j]) if (i, j) in self.cells else "" for j in range(self.shape[1])
            )
            for i in range(self.shape[0])
        )
        return Wording(cells, says)

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
        rows, columns = self.names
        figure, _, _ = draw_grid(
            Grid(
                rows=rows,
                columns=columns,
                values=self.values(of),
                scale=scale,
                wordings=wordings,
                marked=self.marked if marks else np.zeros(self.shape, dtype=np.bool_),
                caption=self.extent.caption(caption, self._not_met()),
                side=Side(*standing_texts(self.comparison, self.rows)),
                unwritten=unwritten,
                pairs=True,
                breaks=self.breaks,
            )
        )
        return figure

    def _not_met(self) -> str:
        """Say what an empty cell is, if there is one off the diagonal."""
        pairs = len(self.rows) * len(self.columns) - (self.comparison.control is None) * len(
            self.rows
        )
        return "" if len(self.cells) == pairs else "Empty: the two share no data set."

    @property
    def breaks(self) -> tuple[int, ...]:
        """The rows before which another part begins; against a control there is one part."""
        return self.extent.breaks if self.comparison.control is None else ()


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


# --- the outcomes of a posterior ------------------------------------------------------------------

COLOURS = (style.BLUE, "#8A9098", style.VERMILLION)
# Light enough for dark texts.
TINTS = ("#8FC3E4", "#E6E8EB", "#F4B184")

# Inches.
SWATCH, GAP = 0.09, 0.05


@dataclass(frozen=True)
class Outcome:
    """A region: its id (a, equal or b), its name in words, its probability and its colour."""

    key: str
    words: str
    probability: str
    colour: str


def outcomes(detail: Detail) -> tuple[Outcome, Outcome, Outcome]:
    """Return the outcomes of a pair: the first better, practically equal, the second better."""
    a, b = style.clean(detail.a), style.clean(detail.b)
    return (
        Outcome("a", f"{a} better", probability(detail.p_a_better), COLOURS[0]),
        Outcome("equal", "practically equal", probability(detail.p_rope), COLOURS[1]),
        Outcome("b", f"{b} better", probability(detail.p_b_better), COLOURS[2]),
    )


def label_width(outcome: Outcome) -> float:
    """Return the width of what `write_label` writes, in inches."""
    share = style.text_extent(outcome.probability, size=style.TITLE, bold=True).width
    words = style.text_extent(outcome.words, size=_size(outcome)).width
    return SWATCH + GAP + share + GAP + words


def _size(outcome: Outcome) -> float:
    """Return the size of the words: long names are smaller where there is little room."""
    room = style.column_width() - SWATCH - 2 * GAP - style.text_extent("<0.999", bold=True).width
    sizes = (style.SMALL, style.TINY) if style.is_narrow() else (style.SMALL,)
    fit = (size for size in sizes if style.text_extent(outcome.words, size=size).width <= room)
    return next(fit, sizes[-1])


def label_height() -> float:
    """Return the height of what `write_label` writes, in inches."""
    return style.text_height(style.TITLE)


def write_label(axes: Axes, outcome: Outcome, left: float, middle: float) -> None:
    """Write a swatch, the probability in bold, and the outcome in words on one line."""
    swatch = style.box(left, left + SWATCH, middle - SWATCH / 2, middle + SWATCH / 2)
    gid = f"swatch:{outcome.key}"
    style.draw_shapes(axes, [swatch], facecolors=outcome.colour, lw=0, gid=gid)
    x = left + SWATCH + GAP
    place: dict[str, Any] = {"va": "center_baseline", "ha": "left"}
    share, words = outcome.probability, outcome.words
    gid = f"probability:{outcome.key}"
    style.write(axes, x, middle, share, size=style.TITLE, bold=True, gid=gid, **place)
    x += style.text_extent(share, size=style.TITLE, bold=True).width + GAP
    gid = f"outcome:{outcome.key}"
    look: dict[str, Any] = {"size": _size(outcome), "color": style.MUTED, **place}
    style.write(axes, x, middle, words, gid=gid, **look)


def where_from(result: PosteriorAnswer) -> str:
    """Say which model saw which scores."""
    measure = style.clean(result.measure.name)
    return f"{result.title} by {measure} on {style.count_datasets(result.n_datasets)}"
