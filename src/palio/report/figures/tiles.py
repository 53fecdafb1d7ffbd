"""The cells of grids, all of one colour in a few strokes: many times as quick as one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from matplotlib.artist import allow_rasterization
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.patches import PathPatch
from matplotlib.path import Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.collections import Collection

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
