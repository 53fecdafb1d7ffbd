"""A grid of coloured cells with names on two sides: what several figures have in common.

Cells have one artist, their marks another, and texts are written only where they fit
(`grid_layout`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from matplotlib.artist import allow_rasterization
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from palio.report.figures import style
from palio.report.figures.grid_layout import (
    GAP,
    MOST_WRITTEN,
    Grid,
    Page,
    lay_out,
    legends_width,
    side_width,
)
from palio.report.figures.scales import draw_legend, readable_on
from palio.report.figures.states import Box, draw_key, draw_state

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.collections import Collection
    from matplotlib.figure import Figure

# Inches.
CORNER, INSET = 0.05, 0.014

# Points: the rules between cells, and the diameter of a dot.
RULE, DOT = 0.8, 2.6


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
    page = lay_out(grid)
    figure, axes = page.canvas()
    _draw_cells(axes, page)
    _mark_areas(figure, page)
    _draw_marks(axes, page)
    _draw_states(axes, page)
    _draw_breaks(axes, page)
    _write_cells(axes, page)
    _write_rows(axes, page)
    _write_columns(axes, page)
    legend_left = max(style.MARGIN, min(page.left, page.width - style.MARGIN - legends_width(grid)))
    draw_legend(axes, grid.scale.legend, legend_left, page.legend_top)
    look: dict[str, Any] = {"fills": grid.scale.colours, "written": page.fit.wording is not None}
    draw_key(axes, grid.signs, legend_left, page.key_top, **look)
    return page.captioned(figure), axes, page


def _draw_cells(axes: Axes, page: Page) -> None:
    grid = page.grid
    if grid.narrow and grid.values.size > MOST_WRITTEN:
        _draw_by_colour(axes, page)
        return
    many = grid.values.size > MOST_WRITTEN
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
        # Rules are drawn below: cells of one colour may then be written as one.
        linewidth=0.0 if many else RULE if page.fit.wording else RULE / 2,
        # So many shapes would take longer to write, and to show, than all the rest.
        rasterized=many,
        gid="cells",
    )
    if many:
        _draw_rules(axes, page)


def _draw_rules(axes: Axes, page: Page) -> None:
    """Rule rows and columns off from each other."""
    grid = page.grid
    xs, ys = (page.x(0), page.x(len(grid.columns))), (page.y(0), page.y(len(grid.rows)))
    rules = [[(x, page.y(i)) for x in xs] for i in range(1, len(grid.rows))]
    rules += [[(page.x(i), y) for y in ys] for i in range(1, len(grid.columns))]
    look: dict[str, Any] = {"colors": style.PAPER, "linewidths": RULE / 2, "zorder": 1}
    style.draw_lines(axes, rules, gid="rules", **look)


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
    look: dict[str, Any] = {"ha": "center", "va": "center", "linespacing": 1.15}
    look["size"] = page.fit.size
    for (i, row), (j, column) in product(enumerate(grid.rows), enumerate(grid.columns)):
        if words[i][j]:
            look |= {"color": readable_on(rgba[i, j]), "bold": bool(grid.marked[i, j])}
            at = page.x(j + 0.5), page.y(i + 0.5)
            style.write(axes, *at, words[i][j], gid=f"cell:{row}|{column}", **look)


def _write_rows(axes: Axes, page: Page) -> None:
    names, side = page.fit.names, page.fit.side
    right = page.cells_left - GAP
    for i, (name, text) in enumerate(zip(page.grid.rows, names.texts, strict=True)):
        x, y = right - side_width(side), page.y(i + 0.5)
        style.write(axes, x, y, text, size=names.size, ha="right", gid=f"name:{name}")
        if side is not None:
            look: dict[str, Any] = {"size": min(style.SMALL, names.size), "gid": f"side:{name}"}
            style.write_small(axes, right, y, side.texts[i], ha="right", **look)
    if side is not None:
        look = {"va": "bottom", "gid": "side-heading", "linespacing": 1.1}
        style.write_small(axes, right, page.cells_top + GAP, side.heading, ha="right", **look)


def _write_columns(axes: Axes, page: Page) -> None:
    y, role = page.cells_top + GAP, "column" if page.grid.pairs else "heading"
    place: dict[str, Any] = {"ha": "center", "va": "bottom"}
    look: dict[str, Any] = {"size": page.columns.size, "rotation": 90 if page.turned else 0}
    for j, (name, text) in enumerate(zip(page.grid.columns, page.columns.texts, strict=True)):
        if text:
            style.write(axes, page.x(j + 0.5), y, text, gid=f"{role}:{name}", **place, **look)
    if page.grid.columns_title:
        middle = page.x(len(page.grid.columns) / 2)
        above = y + GAP + style.text_height(page.columns.size)
        text = page.grid.columns_title
        style.write_small(axes, middle, above, text, gid="columns-title", **place)


_Draw = TypeVar("_Draw", bound=Callable[..., None])
_rasterizable = cast("Callable[[_Draw], _Draw]", allow_rasterization)

# Agg puts rectangles on its pixels where a path has at most 1024 points.
_IN_A_STROKE = 200


def draw_tiles(axes: Axes, shapes: Sequence[Any], **look: Any) -> None:
    """Draw filled shapes of one look, none over another, as one artist."""
    axes.add_collection(_Tiles(shapes, **look), autolim=False)


def draw_mesh(axes: Axes, xs: Sequence[float], ys: Sequence[float], **look: Any) -> None:
    """Draw a grid of cells, which begin and end at ``xs`` and ``ys``, as one artist."""
    mesh = _Mesh(np.stack(np.meshgrid(xs, ys), axis=-1), antialiased=False, **look)
    axes.add_collection(mesh, autolim=False)


class _Tiles(PolyCollection):
    """Shapes of one look that do not overlap."""

    @_rasterizable
    def draw(self, renderer: RendererBase) -> None:
        """Draw them."""
        renderer.open_group("tiles", self.get_gid())
        _stroke(self, self.get_paths(), np.asarray(self.get_facecolor())[0], renderer)
        renderer.close_group("tiles")


class _Mesh(QuadMesh):
    """A mesh that is written by colour, where it is written and not painted."""

    @_rasterizable
    def draw(self, renderer: RendererBase) -> None:
        """Draw it."""
        if self.get_rasterized() or isinstance(renderer, RendererAgg):
            super().draw(renderer)
            return
        self.update_scalarmappable()
        colours, places = np.unique(np.asarray(self.get_facecolor()), axis=0, return_inverse=True)
        renderer.open_group("mesh", self.get_gid())
        if np.ravel(self.get_linewidth())[0] == 0:
            paths, places = _runs(np.asarray(self.get_coordinates()), places.ravel())
        else:
            paths = np.array([*self.get_paths(), None])[:-1]  # of objects, however many
        for i, colour in enumerate(colours):
            if colour[3] > 0:  # what is masked has none
                _stroke(self, paths[places.ravel() == i], colour, renderer)
        renderer.close_group("mesh")


def _runs(corners: Any, places: Any) -> tuple[Any, Any]:
    """Return cells that stand beside others of their colour as one, and the colours of these."""
    rows, columns = corners.shape[0] - 1, corners.shape[1] - 1
    grid = places.reshape(rows, columns)
    begins = np.concatenate([np.ones((rows, 1), bool), grid[:, 1:] != grid[:, :-1]], axis=1)
    found = []
    for row in range(rows):
        starts = np.flatnonzero(begins[row]).tolist()
        for start, end in zip(starts, [*starts[1:], columns], strict=True):
            ends = (row, start), (row, end), (row + 1, end), (row + 1, start), (row, start)
            found.append(Path(np.array([corners[end] for end in ends]), closed=True))
    return np.array([*found, None])[:-1], grid[begins]


def _stroke(of: Collection, paths: Sequence[Path], colour: Any, renderer: RendererBase) -> None:
    edges = np.asarray(of.get_edgecolor())
    look: dict[str, Any] = {
        "facecolor": colour,
        "edgecolor": edges[0] if len(edges) else "none",
        "linewidth": np.ravel(of.get_linewidth())[0],
        "transform": of.get_transform(),
    }
    for start in range(0, len(paths), _IN_A_STROKE):
        some = paths[start : start + _IN_A_STROKE]
        stroke = PathPatch(Path.make_compound_path(*some), **look)
        stroke.set_clip_box(of.get_clip_box())
        stroke.set_clip_path(of.get_clip_path())
        stroke.draw(renderer)
