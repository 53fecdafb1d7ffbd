"""The cells of grids are written by colour, in few strokes, and painted as they always were."""

import io
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from palio.report.figures.grid import draw_mesh, draw_tiles

VALUES = np.ma.masked_invalid([[0.0, 1.0, 0.0], [1.0, np.nan, 1.0]])
SVG = "{http://www.w3.org/2000/svg}"
LOOK: dict[str, Any] = {"cmap": "viridis", "edgecolors": "white", "linewidth": 0.5, "gid": "cells"}
SQUARES = [[(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)] for x in range(30) for y in range(15)]


def axes(width: float, height: float) -> Axes:
    found = Figure(figsize=(3, 2)).add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    found.set_axis_off()
    return found


def written(drawn: Axes) -> list[str]:
    """Return the paths of the cells as SVG."""
    buffer = io.BytesIO()
    assert isinstance(drawn.figure, Figure)
    drawn.figure.savefig(buffer, format="svg")
    root = ET.fromstring(buffer.getvalue())
    (cells,) = [each for each in root.iter(f"{SVG}g") if each.get("id") == "cells"]
    return [path.attrib["d"] for path in cells.iter(f"{SVG}path")]


def painted(drawn: Axes) -> bytes:
    buffer = io.BytesIO()
    assert isinstance(drawn.figure, Figure)
    drawn.figure.savefig(buffer, format="raw", dpi=100)
    return buffer.getvalue()


def test_a_mesh_is_a_path_for_each_colour_and_none_for_what_is_missing() -> None:
    drawn = axes(3, 2)
    draw_mesh(drawn, [0, 1, 2, 3], [0, 1, 2], array=VALUES, **LOOK)
    assert sorted(path.count("M") for path in written(drawn)) == [2, 3]  # of two colours


def test_a_mesh_is_painted_as_matplotlib_does() -> None:
    ours, theirs = axes(3, 2), axes(3, 2)
    draw_mesh(ours, [0, 1, 2, 3], [0, 1, 2], array=VALUES, **LOOK)
    theirs.pcolormesh([0, 1, 2, 3], [0, 1, 2], VALUES, **LOOK)
    assert painted(ours) == painted(theirs)


def test_tiles_are_few_strokes_and_painted_as_one_by_one() -> None:
    look: dict[str, Any] = {"facecolors": "tab:blue", "lw": 0, "gid": "cells"}
    ours, theirs = axes(30, 15), axes(30, 15)
    draw_tiles(ours, SQUARES, **look)
    theirs.add_collection(PolyCollection(SQUARES, **look), autolim=False)
    assert [path.count("M") for path in written(ours)] == [200, 200, 50]
    assert painted(ours) == painted(theirs)
