"""A grid of coloured cells with names on two sides: what several figures have in common.

Cells have one artist, their marks another, and texts are written only where they fit: from the
richest wording that fits the page to none at all, so that fifty algorithms are still a picture.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palio.report.figures import style
from palio.report.figures.scales import (
    Scale,
    draw_legend,
    legend_height,
    legend_width,
    readable_on,
)
from palio.report.figures.states import Box, State, draw_key, draw_state, key_height, key_width
from palio.report.figures.tiles import draw_mesh, draw_tiles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Words = tuple[tuple[str, ...], ...]

# Inches. A page of 20 algorithms with long names prints on A4 without shrinking.
PAGE_WIDTH, WIDEST_PAGE, PAGE_HEIGHT = 7.0, 7.4, 8.4
NARROWEST = 3.4
GAP, SIDE_GAP, BLOCK_GAP = 0.06, 0.1, 0.16
PAD_X, TIGHT_X, PAD_Y = 0.05, 0.02, 0.03
LONGEST_HEADING = 1.6
COMFORTABLE, WIDEST, LARGEST_BARE, SMALLEST = 0.66, 1.1, 0.3, 0.14
CORNER, INSET = 0.05, 0.014

# Of many rows and columns: as low as a name is high, as narrow as a colour can be seen.
LOWEST, NARROW = 0.1, 0.032

# In what letters texts are tried, with what beside them, on which page.
SETTINGS = (
    (style.SMALL, PAD_X, PAGE_WIDTH),
    (style.TINY, PAD_X, PAGE_WIDTH),
    (style.TINY, TIGHT_X, WIDEST_PAGE),
)

# With more cells than this none is written on, whatever the page.
MOST_WRITTEN = 600

# Points: the rules between cells, and the diameter of a dot.
RULE, DOT = 0.8, 2.6


class Wording(NamedTuple):
    """The texts of the cells, and what the caption then says of them."""

    cells: Words
    says: str = ""


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


def draw_grid(grid: Grid) -> tuple[Figure, Axes, Page]:
    """Draw a grid, its legend and its caption.

    Parameters
    ----------
    grid : Grid
        What is to be drawn.

    Returns
    -------
    figure, axes, page
        The artists have ids: ``cells``, ``marks``, ``name:svr``, ``column:svr``, ``side:svr``,
        ``cell:svr|c45``; columns that are no algorithms ``heading:iris``. The page knows where each
        cell is, for whoever draws on top.
    """
    page = _lay_out(grid)
    figure, axes = page.canvas()
    _draw_cells(axes, page)
    _mark_areas(figure, page)
    _draw_marks(axes, page)
    _draw_states(axes, page)
    _draw_breaks(axes, page)
    _write_cells(axes, page)
    _write_rows(axes, page)
    _write_columns(axes, page)
    legend_left = max(style.MARGIN, min(page.left, page.width - style.MARGIN - _legend_width(grid)))
    draw_legend(axes, grid.scale.legend, legend_left, page.legend_top)
    look: dict[str, Any] = {"fills": grid.scale.colours, "written": page.fit.wording is not None}
    draw_key(axes, grid.signs, legend_left, page.key_top, **look)
    return page.captioned(figure), axes, page


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

    @property
    def names_width(self) -> float:
        """The width of the names and the numbers beside them, gaps included."""
        return self.names.width + _side_width(self.side) + GAP


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


def _lay_out(grid: Grid) -> Page:
    fit = _fit(grid)
    block = fit.names_width + len(grid.columns) * fit.width
    inner = max(NARROWEST, block, _legend_width(grid))
    columns, turned = _headings(grid, fit.width)
    says = fit.wording.says if fit.wording else grid.unwritten
    return Page(
        text=f"{says} {grid.caption} {_unnamed(columns) if grid.narrow else ''}".strip(),
        inner=inner,
        grid=grid,
        fit=fit,
        columns=columns,
        turned=turned,
        left=style.MARGIN + (inner - block) / 2,
    )


def _legend_width(grid: Grid) -> float:
    return max(legend_width(grid.scale.legend), key_width(grid.signs))


def _unnamed(columns: Labels) -> str:
    """Say how many of the columns have a name, if not all have."""
    named = sum(map(bool, columns.texts))
    return "" if named == len(columns.texts) else f"{named} of {len(columns.texts)} are named."


def _side_width(side: Side | None) -> float:
    if side is None:
        return 0.0
    return SIDE_GAP + style.widest((*side.texts, *side.heading.split("\n")), size=style.SMALL)


def _headings(grid: Grid, width: float) -> tuple[Labels, bool]:
    """Return the names above the columns, and whether they are turned; long ones are folded."""
    if grid.columns_title:
        return Labels(grid.columns, style.SMALL), False
    whole = Labels(grid.columns, style.largest_within(0.9 * width))
    if whole.width <= width - GAP:
        return whole, False
    if grid.narrow and width < style.text_height(style.TINY):
        return _thinned(grid.columns, width), True
    if whole.width > LONGEST_HEADING:
        for size in (style.SMALL, style.TINY):
            folded = _folded(grid.columns, LONGEST_HEADING, size)
            if folded.height <= width:
                return folded, True
    return whole, True


def _thinned(names: Sequence[str], width: float) -> Labels:
    """Return the names of every second column, or third …, so that they do not touch."""
    step = math.ceil(style.text_height(style.TINY) / width)
    return Labels(tuple(n if i % step == 0 else "" for i, n in enumerate(names)), style.TINY)


def _folded(names: Sequence[str], width: float, size: float) -> Labels:
    return Labels(tuple("\n".join(style.fold(name, width, size=size)) for name in names), size)


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
    for wording, side, (size, pad, page) in product(wordings, sides, SETTINGS):
        width, height = _needed(wording.cells, size, bold=bool(grid.marked.any()))
        room = page - 2 * style.MARGIN - wide * (width + 2 * pad) - _side_width(side) - GAP
        names = _beside(grid, room, height)
        if names is not None and tall * height <= PAGE_HEIGHT:
            fit = Fit(width + 2 * pad, height, names, side, wording, size)
            return _comfortable(grid, fit, page)
    if grid.narrow:
        return _bare(grid)
    names_width = style.widest(grid.rows) + _side_width(grid.side) + GAP
    room = (PAGE_WIDTH - 2 * style.MARGIN - names_width) / max(wide, 1)
    cell = max(SMALLEST, min(room, LARGEST_BARE, PAGE_HEIGHT / tall))
    return Fit(cell, cell, Labels(grid.rows, style.largest_within(0.9 * cell)), grid.side)


def _bare(grid: Grid) -> Fit:
    """Return cells without texts, no lower than their names."""
    height = max(LOWEST, min(LARGEST_BARE, PAGE_HEIGHT / len(grid.rows)))
    fit = Fit(0.0, height, Labels(grid.rows, style.largest_within(0.95 * height)), grid.side)
    room = (PAGE_WIDTH - 2 * style.MARGIN - fit.names_width) / max(len(grid.columns), 1)
    return replace(fit, width=max(NARROW, min(room, LARGEST_BARE)))


def _beside(grid: Grid, room: float, height: float) -> Labels | None:
    """Return names, whole or folded, that fit beside cells of a height."""
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


# Drawing.


def _draw_cells(axes: Axes, page: Page) -> None:
    grid = page.grid
    if grid.narrow and grid.values.size > MOST_WRITTEN:
        _draw_by_colour(axes, page)
        return
    xs = [page.x(i) for i in range(len(grid.columns) + 1)]
    ys = [page.y(i) for i in range(len(grid.rows) + 1)]
    draw_mesh(
        axes,
        xs,
        ys,
        array=np.ma.masked_invalid(grid.values),
        cmap=grid.scale.colours,
        norm=grid.scale.norm,
        edgecolors=style.PAPER,
        linewidth=RULE if page.fit.wording else RULE / 2,
        # So many shapes would take longer to write, and to show, than all the rest.
        rasterized=grid.values.size > MOST_WRITTEN,
        gid="cells",
    )


def _mark_areas(figure: Figure, page: Page) -> None:
    """Let each cell stand for its pair, or of many cells each column and each row for its own."""
    grid = page.grid
    (left, right), (top, bottom) = (
        (at(0), at(len(names))) for at, names in ((page.x, grid.columns), (page.y, grid.rows))
    )
    if grid.pairs and grid.values.size <= MOST_WRITTEN:
        for (i, row), (j, column) in product(enumerate(grid.rows), enumerate(grid.columns)):
            style.mark(figure, page.box(i, j), *dict.fromkeys((row, column)))
        return
    for j, column in enumerate(grid.columns if grid.pairs else ()):
        style.mark(figure, (page.x(j), page.x(j + 1), bottom, top), column)
    for i, row in enumerate(grid.rows):
        style.mark(figure, (left, right, page.y(i + 1), page.y(i)), row)


def _draw_by_colour(axes: Axes, page: Page) -> None:
    """Draw all cells of a colour as one artist, which a page writes as one shape."""
    values = page.grid.values
    rgba = page.grid.scale.rgba(values)
    for value in np.unique(values[~np.isnan(values)]):
        places = np.argwhere(values == value).tolist()
        shapes = [style.box(*page.box(row, column)) for row, column in places]
        colour = rgba[tuple(places[0])]
        line = 0.0 if page.fit.width < 0.08 else RULE / 2
        look: dict[str, Any] = {"edgecolors": style.PAPER, "lw": line, "rasterized": True}
        draw_tiles(axes, shapes, facecolors=[colour], gid=f"cells:{value:g}", **look)
    ends = page.x(0), page.x(len(page.grid.columns))
    rules = [[(x, page.y(row)) for x in ends] for row in range(1, len(page.grid.rows))]
    style.draw_lines(axes, rules, colors=style.PAPER, linewidths=RULE / 2, zorder=2, gid="rows")


def _draw_states(axes: Axes, page: Page) -> None:
    """Put a sign on the cells without a score of their own."""
    grid = page.grid
    rgba = grid.scale.rgba(grid.values)
    for state in grid.signs:
        by_colour: dict[str, list[Box]] = defaultdict(list)
        for row, column in np.argwhere(grid.states[state]).tolist():
            # Half a cell in the colour of paper is seen on any other.
            by_colour[_sign_colour(page, rgba[row, column])].append(page.box(row, column))
        for colour, boxes in by_colour.items():
            written = page.fit.wording is not None
            draw_state(axes, state, boxes, colour=colour, written=written)


def _sign_colour(page: Page, fill: NDArray[np.float64]) -> str:
    return style.PAPER if page.fit.wording is None else readable_on(fill)


def _draw_breaks(axes: Axes, page: Page) -> None:
    """Rule off the rows that nothing joins to those above."""
    ends = page.left, page.x(len(page.grid.columns))
    rules = [[(x, page.y(row)) for x in ends] for row in page.grid.breaks]
    if rules:
        style.draw_lines(axes, rules, colors=style.INK, linewidths=1.0, zorder=5, gid="breaks")


def _marked(page: Page) -> Iterator[tuple[int, int]]:
    yield from zip(*map(np.ndarray.tolist, np.nonzero(page.grid.marked)), strict=True)


def _draw_marks(axes: Axes, page: Page) -> None:
    """Mark the corner of a cell with a text, or the middle of one without."""
    rgba = page.grid.scale.rgba(page.grid.values)
    by_colour: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for place in _marked(page):
        by_colour[readable_on(rgba[place])].append(place)
    draw = _draw_corners if page.fit.wording else _draw_dots
    for colour, places in by_colour.items():
        draw(axes, page, places, color=colour, lw=0, zorder=3, gid=f"marks:{colour}")


def _draw_corners(axes: Axes, page: Page, places: list[tuple[int, int]], **look: Any) -> None:
    corners = [
        [(x, y), (x - CORNER, y), (x, y - CORNER)]
        for x, y in ((page.x(j + 1) - INSET, page.y(i) - INSET) for i, j in places)
    ]
    draw_tiles(axes, corners, **look)


def _draw_dots(axes: Axes, page: Page, places: list[tuple[int, int]], **look: Any) -> None:
    """Draw dots of one colour, which are written far quicker than a collection of them."""
    xs, ys = [page.x(j + 0.5) for _, j in places], [page.y(i + 0.5) for i, _ in places]
    style.draw_line(axes, xs, ys, marker="o", markersize=DOT, markeredgewidth=0, **look)


def _write_cells(axes: Axes, page: Page) -> None:
    grid, wording = page.grid, page.fit.wording
    if wording is None:
        return
    words = wording.cells
    rgba = grid.scale.rgba(grid.values)
    for i, row in enumerate(grid.rows):
        for j, column in enumerate(grid.columns):
            if words[i][j]:
                style.write(
                    axes,
                    page.x(j + 0.5),
                    page.y(i + 0.5),
                    words[i][j],
                    size=page.fit.size,
                    bold=bool(grid.marked[i, j]),
                    color=readable_on(rgba[i, j]),
                    gid=f"cell:{row}|{column}",
                    ha="center",
                    va="center",
                    linespacing=1.15,
                )


def _write_rows(axes: Axes, page: Page) -> None:
    names, side = page.fit.names, page.fit.side
    right = page.cells_left - GAP
    place: dict[str, Any] = {"ha": "right", "va": "center_baseline"}
    for i, (name, text) in enumerate(zip(page.grid.rows, names.texts, strict=True)):
        y = page.y(i + 0.5)
        x = right - _side_width(side)
        # The baseline of several lines would be that of the first.
        lines: dict[str, Any] = {**place, "va": "center"} if "\n" in text else place
        style.write(axes, x, y, text, size=names.size, gid=f"name:{name}", **lines)
        if side is not None:
            style.write(
                axes,
                right,
                y,
                side.texts[i],
                size=min(style.SMALL, names.size),
                color=style.MUTED,
                gid=f"side:{name}",
                **place,
            )
    if side is not None:
        place = {"ha": "right", "va": "bottom", "gid": "side-heading", "linespacing": 1.1}
        y = page.cells_top + GAP
        style.write(axes, right, y, side.heading, size=style.SMALL, color=style.MUTED, **place)


def _write_columns(axes: Axes, page: Page) -> None:
    y = page.cells_top + GAP
    for j, (name, text) in enumerate(zip(page.grid.columns, page.columns.texts, strict=True)):
        if not text:
            continue
        style.write(
            axes,
            page.x(j + 0.5),
            y,
            text,
            size=page.columns.size,
            gid=f"{'column' if page.grid.pairs else 'heading'}:{name}",
            rotation=90 if page.turned else 0,
            ha="center",
            va="bottom",
        )
    if page.grid.columns_title:
        middle = page.x(len(page.grid.columns) / 2)
        above = y + GAP + style.text_height(page.columns.size)
        place: dict[str, Any] = {"ha": "center", "va": "bottom", "gid": "columns-title"}
        text = page.grid.columns_title
        style.write(axes, middle, above, text, size=style.SMALL, color=style.MUTED, **place)
