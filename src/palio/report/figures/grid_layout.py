"""Where everything of a grid stands: cells, what is written in them, and the names around them.

Texts are written only where they fit: from the richest wording that fits the page to none at all,
so that fifty algorithms are still a picture.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palio.report.figures import style
from palio.report.figures.scales import Scale, legend_height, legend_width
from palio.report.figures.states import Box, State, key_height, key_width

Words = tuple[tuple[str, ...], ...]

# Inches. A page of 20 algorithms with long names prints on A4 without shrinking: it may be a little
# wider than others.
WIDER, PAGE_HEIGHT = 0.4, 8.4
NARROWEST = 3.4
GAP, SIDE_GAP, BLOCK_GAP = 0.06, 0.1, 0.16
PAD_X, TIGHT_X, PAD_Y = 0.05, 0.02, 0.03
LONGEST_HEADING = 1.6
COMFORTABLE, WIDEST, LARGEST_BARE, SMALLEST = 0.66, 1.1, 0.3, 0.14

# Of many rows and columns: as low as a name is high, as narrow as a colour can be seen.
LOWEST, NARROW = 0.1, 0.032

# In what letters texts are tried, with what beside them, on a page how much wider.
SETTINGS = (
    (style.SMALL, PAD_X, 0.0),
    (style.TINY, PAD_X, 0.0),
    (style.TINY, TIGHT_X, WIDER),
)

# On a phone: the room that names have at least, where texts are written, and without texts; and
# cells so wide that there is room for numbers beside the names.
LEAST_NAMES, NAMES, ROOMY, SHORT_HEADING = 0.8, 1.3, 0.09, 1.1

# With more rows than this names are tiny on a phone.
MANY_ROWS = 20

# With more cells than this none is written on, whatever the page.
MOST_WRITTEN = 600


class Wording(NamedTuple):
    """The texts of the cells, and what the caption then says of them."""

    cells: Words
    says: str = ""

    @classmethod
    def of(
        cls, values: NDArray[np.float64], write: Callable[[float], str], says: str = ""
    ) -> Wording:
        """Return a text for each value, none where it is NaN."""
        rows = (
            ["" if math.isnan(value) else write(value) for value in row] for row in values.tolist()
        )
        return cls(tuple(map(tuple, rows)), says)


@dataclass(frozen=True)
class Side:
    """A column of numbers between the names and the cells."""

    heading: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """What is drawn: cells by row and column, NaN where there is nothing to say.

    ``wordings`` are the texts of the cells, the richest first, ``unwritten`` is what the caption
    says where none has room; ``marked`` cells are written in bold and have a mark in the corner,
    or a dot if there is no text.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: NDArray[np.float64]
    scale: Scale
    wordings: tuple[Wording, ...]
    marked: NDArray[np.bool_]
    caption: str
    side: Side | None = None
    unwritten: str = ""
    # Whether the columns are algorithms, too.
    pairs: bool = False
    # What is written above columns whose names are short and never turned.
    columns_title: str = ""
    # Whether columns may be narrow, so that only some of them are named.
    narrow: bool = False
    # Which cells have no score of their own, and why.
    states: Mapping[State, NDArray[np.bool_]] = field(default_factory=dict)
    # The rows before which a rule is drawn.
    breaks: tuple[int, ...] = ()

    @property
    def signs(self) -> tuple[State, ...]:
        """The states that there are."""
        return tuple(state for state, cells in self.states.items() if cells.any())


@dataclass(frozen=True)
class Labels:
    """Names as they are written, in one size, some on several lines."""

    texts: tuple[str, ...]
    size: float

    @property
    def width(self) -> float:
        """The width of the widest, in inches."""
        return style.widest(self.texts, size=self.size)

    @property
    def height(self) -> float:
        """The height of the highest, in inches."""
        lines = 1 + max((text.count("\n") for text in self.texts), default=0)
        return style.text_extent("\n".join(["lp"] * lines), size=self.size).height


@dataclass(frozen=True)
class Fit:
    """The size of a cell in inches, what is written in it, if anything, and beside it."""

    width: float
    height: float
    names: Labels
    side: Side | None
    wording: Wording | None = None
    size: float = style.SMALL
    # Whether columns have the numbers of the rows instead of names.
    numbered: bool = False

    @property
    def names_width(self) -> float:
        """The width of the names and the numbers beside them, gaps included."""
        return self.names.width + side_width(self.side) + GAP


@dataclass(frozen=True)
class Page(style.Page):
    """The cells, names to their left and above them, and the legend below."""

    grid: Grid
    fit: Fit
    columns: Labels
    turned: bool
    left: float

    @cached_property
    def cells_left(self) -> float:
        """The left edge of the cells."""
        return self.left + self.fit.names_width

    @cached_property
    def cells_top(self) -> float:
        """The upper edge of the cells."""
        return -style.MARGIN - _head_height(self)

    @property
    def legend_top(self) -> float:
        """The height at which the legend begins."""
        return self.y(len(self.grid.rows)) - BLOCK_GAP

    @property
    def key_top(self) -> float:
        """The height at which the key to the states begins."""
        return self.legend_top - legend_height(self.grid.scale.legend) - GAP

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        signs = self.grid.signs
        return self.key_top - key_height(signs) - BLOCK_GAP + (0 if signs else GAP)

    def box(self, row: int, column: int) -> Box:
        """Return the edges of a cell: left, right, bottom and top."""
        return self.x(column), self.x(column + 1), self.y(row + 1), self.y(row)

    def x(self, column: float) -> float:
        """Return the left edge of a column; halves are centres."""
        return self.cells_left + column * self.fit.width

    def y(self, row: float) -> float:
        """Return the upper edge of a row; halves are centres."""
        return self.cells_top - row * self.fit.height


# Layout.


def lay_out(grid: Grid) -> Page:
    """Return the page of a grid."""
    fit = _fit(grid)
    block = fit.names_width + len(grid.columns) * fit.width
    inner = max(min(NARROWEST, style.column_width()), block, legends_width(grid))
    columns, turned = _headings(grid, fit)
    says = fit.wording.says if fit.wording else grid.unwritten
    numbered = "Columns have the numbers of the rows." if fit.numbered else ""
    unnamed = _unnamed(columns) if grid.narrow else ""
    return Page(
        text=" ".join(filter(None, (says, grid.caption, numbered, unnamed))),
        inner=inner,
        grid=grid,
        fit=fit,
        columns=columns,
        turned=turned,
        left=style.MARGIN + (inner - block) / 2,
    )


def legends_width(grid: Grid) -> float:
    """Return the width of what stands below the cells, in inches."""
    return max(legend_width(grid.scale.legend), key_width(grid.signs))


def _unnamed(columns: Labels) -> str:
    """Say how many of the columns have a name, if not all have."""
    named = sum(map(bool, columns.texts))
    return "" if named == len(columns.texts) else f"{named} of {len(columns.texts)} are named."


def side_width(side: Side | None) -> float:
    """Return the width of the numbers beside the names, in inches."""
    if side is None:
        return 0.0
    return SIDE_GAP + style.widest((*side.texts, *side.heading.split("\n")), size=style.SMALL)


def _headings(grid: Grid, fit: Fit) -> tuple[Labels, bool]:
    """Return the names above the columns, and whether they are turned; long ones are folded."""
    width = fit.width
    if fit.numbered:
        return _counted(tuple(str(i + 1) for i in range(len(grid.columns))), width), False
    if grid.columns_title:
        return (
            Labels(grid.columns, style.SMALL) if style.is_paper() else _counted(grid.columns, width)
        ), False
    longest = SHORT_HEADING if style.is_narrow() else LONGEST_HEADING
    whole = Labels(grid.columns, style.largest_within(0.9 * width))
    if whole.width <= width - GAP:
        return whole, False
    if grid.narrow and width < style.text_height(style.TINY):
        return _thinned(grid.columns, width), True
    if whole.width > longest:
        for size in (style.SMALL, style.TINY):
            folded = _folded(grid.columns, longest, size)
            if folded.height <= width:
                return folded, True
    return whole, True


def _thinned(names: Sequence[str], width: float) -> Labels:
    """Return the names of every second column, or third …, so that they do not touch."""
    step = math.ceil(style.text_height(style.TINY) / width)
    return Labels(tuple(n if i % step == 0 else "" for i, n in enumerate(names)), style.TINY)


def _counted(numbers: Sequence[str], width: float) -> Labels:
    """Return every second number, or fifth …, so that they do not touch; the first is there."""
    size = style.SMALL if style.widest(numbers, size=style.SMALL) < width else style.TINY
    wide = style.widest(numbers, size=size) + 0.02
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if wide <= step * width or step == 100)
    texts = (n if i == 0 or (i + 1) % step == 0 else "" for i, n in enumerate(numbers))
    return Labels(tuple(texts), size)


def _folded(names: Sequence[str], width: float, size: float, *, anywhere: bool = False) -> Labels:
    folded = (style.fold(name, width, size=size, anywhere=anywhere) for name in names)
    return Labels(tuple(map("\n".join, folded)), size)


def _head_height(page: Page) -> float:
    """Return the height of what stands above the cells."""
    names = page.columns.width if page.turned else page.columns.height
    if page.grid.columns_title:
        names += GAP + style.text_height(style.SMALL)
    side = page.fit.side
    numbers = style.text_extent(side.heading, size=style.SMALL).height if side else 0.0
    return max(names, numbers) + GAP


def _fit(grid: Grid) -> Fit:
    """Return the richest wording that fits, in small letters or in tiny ones, or bare cells.

    Rather than a wording, the numbers beside the names are left out.
    """
    tall, wide = len(grid.rows), len(grid.columns)
    sides = dict.fromkeys((grid.side, None))
    wordings = grid.wordings if tall * wide <= MOST_WRITTEN else ()
    for wording, side, (size, pad, wider) in product(wordings, sides, SETTINGS):
        page = style.page_width() + (wider if style.is_paper() else 0.0)
        width, height = _needed(wording.cells, size, bold=bool(grid.marked.any()))
        room = page - 2 * style.MARGIN - wide * (width + 2 * pad) - side_width(side) - GAP
        names = _beside(grid, room, height)
        if names is not None and tall * height <= PAGE_HEIGHT:
            fit = Fit(width + 2 * pad, height, names, side, wording, size)
            return _comfortable(grid, fit, page)
    if style.is_narrow():
        return _with_little_room(grid)
    if grid.narrow:
        return _bare(grid)
    names_width = style.widest(grid.rows) + side_width(grid.side) + GAP
    room = (style.column_width() - names_width) / max(wide, 1)
    cell = max(SMALLEST, min(room, LARGEST_BARE, PAGE_HEIGHT / tall))
    if cell > room and not style.is_paper():
        return _with_little_room(grid)
    return Fit(cell, cell, Labels(grid.rows, style.largest_within(0.9 * cell)), grid.side)


def _bare(grid: Grid) -> Fit:
    """Return cells without texts, no lower than their names."""
    height = max(LOWEST, min(LARGEST_BARE, PAGE_HEIGHT / len(grid.rows)))
    fit = Fit(0.0, height, Labels(grid.rows, style.largest_within(0.95 * height)), grid.side)
    room = (style.column_width() - fit.names_width) / max(len(grid.columns), 1)
    return replace(fit, width=max(NARROW, min(room, LARGEST_BARE)))


def _with_little_room(grid: Grid) -> Fit:
    """Return cells without texts beside folded names, numbered where columns are the same."""
    tall, wide = len(grid.rows), max(len(grid.columns), 1)
    rows = tuple(f"{i + 1}\u00a0{name}" if grid.pairs else name for i, name in enumerate(grid.rows))
    size = style.SMALL if tall <= MANY_ROWS else style.TINY
    names = _folded(rows, NAMES, size, anywhere=True)
    height = max(LOWEST, min(LARGEST_BARE, PAGE_HEIGHT / tall), names.height + GAP / 3)
    found = (Fit(0.0, height, names, side, numbered=grid.pairs) for side in (grid.side, None))
    sided, alone = (
        replace(fit, width=min((style.column_width() - fit.names_width) / wide, LARGEST_BARE))
        for fit in found
    )
    return sided if sided.width >= ROOMY else alone


def _beside(grid: Grid, room: float, height: float) -> Labels | None:
    """Return names, whole or folded, that fit beside cells of a height."""
    if style.is_narrow() and room < LEAST_NAMES:
        return None
    highest = PAGE_HEIGHT / len(grid.rows)
    whole = Labels(grid.rows, style.largest_within(0.9 * max(height, min(0.24, highest))))
    if whole.width <= room:
        return whole
    for size in (style.BODY, style.SMALL, style.TINY):
        folded = _folded(grid.rows, room, size)
        if folded.width <= room and folded.height + GAP / 2 <= highest:
            return folded
    return None


def _comfortable(grid: Grid, fit: Fit, page: float) -> Fit:
    """Give cells more than their texts need where there is room: the names above want it, too."""
    tall, wide = len(grid.rows), len(grid.columns)
    even = (page - 2 * style.MARGIN - fit.names_width) / max(wide, 1)
    named = style.widest(grid.columns) + 2 * GAP
    comfortable = max(COMFORTABLE, named if named <= WIDEST or wide <= 2 else 0.0)
    return replace(
        fit,
        width=max(fit.width, min(even, comfortable)),
        height=max(fit.height, min(0.24, PAGE_HEIGHT / tall), fit.names.height + GAP / 2),
    )


def _needed(words: Words, size: float, *, bold: bool) -> tuple[float, float]:
    """Return the size of a cell that holds any of the texts, without its sides."""
    # All digits are equally wide: a few shapes stand for hundreds of texts.
    shapes = {re.sub(r"\d", "0", text) for row in words for text in row if text}
    extents = [style.text_extent(shape, size=size, bold=bold) for shape in shapes]
    width = max((extent.width for extent in extents), default=0.0)
    return width, max((extent.height for extent in extents), default=0.0) + 2 * PAD_Y
