"""A grid of coloured cells with names on two sides: what several figures have in common.

Cells have one artist, their marks another, and texts are written only where they fit: from the
richest wording that fits the page to none at all, so that fifty algorithms are still a picture.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Words = tuple[tuple[str, ...], ...]

# Inches. A page of 20 algorithms with long names prints on A4 without shrinking.
PAGE_WIDTH, PAGE_HEIGHT = 7.0, 8.4
NARROWEST = 3.4
GAP, SIDE_GAP, BLOCK_GAP = 0.06, 0.1, 0.16
PAD_X, PAD_Y = 0.05, 0.04
COMFORTABLE, WIDEST, LARGEST_BARE, SMALLEST = 0.66, 1.1, 0.3, 0.14
CORNER, INSET = 0.05, 0.014

# With more cells than this none is written on, whatever the page.
MOST_WRITTEN = 600

# Points: the rules between cells, and the diameter of a dot.
RULE, DOT = 0.8, 2.6


@dataclass(frozen=True)
class Side:
    """A column of numbers between the names and the cells."""

    heading: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """What is drawn: cells by row and column, NaN where there is nothing to say.

    ``wordings`` are the texts of the cells, the richest first; ``marked`` cells are written in
    bold and have a mark in the corner, or a dot if there is no text.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: NDArray[np.float64]
    scale: Scale
    wordings: tuple[Words, ...]
    marked: NDArray[np.bool_]
    caption: str
    side: Side | None = None
    # What a column is, where it is not an algorithm; its names are then short and never turned.
    columns_title: str = ""


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
        ``cell:svr|c45``. The page knows where each cell is, for whoever draws on top.
    """
    page = _lay_out(grid)
    figure, axes = page.canvas()
    _draw_cells(axes, page)
    _draw_marks(axes, page)
    _write_cells(axes, page)
    _write_rows(axes, page)
    _write_columns(axes, page)
    legend_left = max(
        style.MARGIN, min(page.left, page.width - style.MARGIN - legend_width(grid.scale.legend))
    )
    draw_legend(axes, grid.scale.legend, legend_left, page.legend_top)
    return page.captioned(figure), axes, page


@dataclass(frozen=True)
class Fit:
    """The size of a cell in inches, and what is written in it, if anything."""

    width: float
    height: float
    words: Words | None = None
    size: float = style.SMALL


@dataclass(frozen=True)
class Page(style.Page):
    """The cells, names to their left and above them, and the legend below."""

    grid: Grid
    fit: Fit
    name_size: float
    column_size: float
    turned: bool
    left: float
    cells_left: float

    @cached_property
    def cells_top(self) -> float:
        """The upper edge of the cells."""
        return -style.MARGIN - _head_height(self)

    @property
    def legend_top(self) -> float:
        """The height at which the legend begins."""
        return self.y(len(self.grid.rows)) - BLOCK_GAP

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.legend_top - legend_height(self.grid.scale.legend) - BLOCK_GAP

    def x(self, column: float) -> float:
        """Return the left edge of a column; halves are centres."""
        return self.cells_left + column * self.fit.width

    def y(self, row: float) -> float:
        """Return the upper edge of a row; halves are centres."""
        return self.cells_top - row * self.fit.height


# Layout.


def _lay_out(grid: Grid) -> Page:
    fit = _fit(grid, PAGE_WIDTH - 2 * style.MARGIN - _names_width(grid, style.BODY))
    name_size = style.largest_within(0.9 * fit.height)
    names = _names_width(grid, name_size)
    block = names + len(grid.columns) * fit.width
    inner = max(NARROWEST, block, legend_width(grid.scale.legend))
    left = style.MARGIN + (inner - block) / 2
    column_size = style.SMALL if grid.columns_title else style.largest_within(0.9 * fit.width)
    too_wide = style.widest(grid.columns, size=column_size) > fit.width - GAP
    return Page(
        text=grid.caption,
        inner=inner,
        grid=grid,
        fit=fit,
        name_size=name_size,
        column_size=column_size,
        turned=too_wide and not grid.columns_title,
        left=left,
        cells_left=left + names,
    )


def _names_width(grid: Grid, size: float) -> float:
    """Return the width of the names and the numbers beside them, gaps included."""
    return style.widest(grid.rows, size=size) + _side_width(grid) + GAP


def _side_width(grid: Grid) -> float:
    if grid.side is None:
        return 0.0
    texts = (*grid.side.texts, *grid.side.heading.split("\n"))
    return SIDE_GAP + style.widest(texts, size=style.SMALL)


def _head_height(page: Page) -> float:
    """Return the height of what stands above the cells."""
    grid, size = page.grid, page.column_size
    names = style.widest(grid.columns, size=size) if page.turned else style.text_height(size)
    if grid.columns_title:
        names += GAP + style.text_height(style.SMALL)
    side = style.text_extent(grid.side.heading, size=style.SMALL).height if grid.side else 0.0
    return max(names, side) + GAP


def _fit(grid: Grid, room: float) -> Fit:
    """Return the richest wording that fits, in small letters or in tiny ones, or bare cells."""
    tall, wide = len(grid.rows), len(grid.columns)
    even = room / max(wide, 1)
    named = style.widest(grid.columns) + 2 * GAP
    # Wider than their texts need, if the names above then need not be turned.
    comfortable = max(COMFORTABLE, named if named <= WIDEST or wide <= 2 else 0.0)
    for words in grid.wordings if tall * wide <= MOST_WRITTEN else ():
        for size in (style.SMALL, style.TINY):
            width, height = _needed(words, size)
            if wide * width <= room and tall * height <= PAGE_HEIGHT:
                height = max(height, min(0.24, PAGE_HEIGHT / tall))
                return Fit(max(width, min(even, comfortable)), height, words, size)
    side = max(SMALLEST, min(even, LARGEST_BARE, PAGE_HEIGHT / tall))
    return Fit(side, side)


def _needed(words: Words, size: float) -> tuple[float, float]:
    """Return the size of a cell that holds any of the texts."""
    # All digits are equally wide: a few shapes stand for hundreds of texts.
    shapes = {re.sub(r"\d", "0", text) for row in words for text in row if text}
    extents = [style.text_extent(shape, size=size, bold=True) for shape in shapes]
    width = max((extent.width for extent in extents), default=0.0)
    return width + 2 * PAD_X, max((extent.height for extent in extents), default=0.0) + 2 * PAD_Y


# Drawing.


def _draw_cells(axes: Axes, page: Page) -> None:
    grid = page.grid
    xs = [page.x(i) for i in range(len(grid.columns) + 1)]
    ys = [page.y(i) for i in range(len(grid.rows) + 1)]
    axes.pcolormesh(
        np.array(xs),
        np.array(ys),
        np.ma.masked_invalid(grid.values),
        cmap=grid.scale.colours,
        norm=grid.scale.norm,
        edgecolors=style.PAPER,
        linewidth=RULE if page.fit.words else RULE / 2,
        # So many shapes would take longer to write, and to show, than all the rest.
        rasterized=grid.values.size > MOST_WRITTEN,
        gid="cells",
    )


def _marked(page: Page) -> Iterator[tuple[int, int]]:
    yield from zip(*map(np.ndarray.tolist, np.nonzero(page.grid.marked)), strict=True)


def _draw_marks(axes: Axes, page: Page) -> None:
    """Mark the corner of a cell with a text, or the middle of one without."""
    rgba = page.grid.scale.rgba(page.grid.values)
    by_colour: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for place in _marked(page):
        by_colour[readable_on(rgba[place])].append(place)
    draw = _draw_corners if page.fit.words else _draw_dots
    for colour, places in by_colour.items():
        draw(axes, page, places, color=colour, lw=0, zorder=3, gid=f"marks:{colour}")


def _draw_corners(axes: Axes, page: Page, places: list[tuple[int, int]], **look: Any) -> None:
    corners = [
        [(x, y), (x - CORNER, y), (x, y - CORNER)]
        for x, y in ((page.x(j + 1) - INSET, page.y(i) - INSET) for i, j in places)
    ]
    style.draw_shapes(axes, corners, **look)


def _draw_dots(axes: Axes, page: Page, places: list[tuple[int, int]], **look: Any) -> None:
    """Draw dots of one colour, which are written far quicker than a collection of them."""
    xs, ys = [page.x(j + 0.5) for _, j in places], [page.y(i + 0.5) for i, _ in places]
    style.draw_line(axes, xs, ys, marker="o", markersize=DOT, markeredgewidth=0, **look)


def _write_cells(axes: Axes, page: Page) -> None:
    grid, words = page.grid, page.fit.words
    if words is None:
        return
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
    side = page.grid.side
    right = page.cells_left - GAP
    place: dict[str, Any] = {"ha": "right", "va": "center_baseline"}
    for i, name in enumerate(page.grid.rows):
        y = page.y(i + 0.5)
        x = right - _side_width(page.grid)
        style.write(axes, x, y, name, size=page.name_size, gid=f"name:{name}", **place)
        if side is not None:
            style.write(
                axes,
                right,
                y,
                side.texts[i],
                size=min(style.SMALL, page.name_size),
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
    for j, name in enumerate(page.grid.columns):
        if not name:
            continue
        style.write(
            axes,
            page.x(j + 0.5),
            y,
            name,
            size=page.column_size,
            gid=f"column:{name}",
            rotation=90 if page.turned else 0,
            ha="center",
            va="bottom",
        )
    if page.grid.columns_title:
        middle = page.x(len(page.grid.columns) / 2)
        above = y + GAP + style.text_height(page.column_size)
        place: dict[str, Any] = {"ha": "center", "va": "bottom", "gid": "columns-title"}
        text = page.grid.columns_title
        style.write(axes, middle, above, text, size=style.SMALL, color=style.MUTED, **place)
