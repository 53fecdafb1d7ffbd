"""The strip of colours under a grid, and what its places mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D

from palio.report.figures import style
from palio.report.figures.scales import Legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_legend", "legend_height", "legend_width"]

# Inches.
WIDTH, HEIGHT, POINTER, GAP = 2.9, 0.11, 0.05, 0.06

LOOK: dict[str, Any] = {"size": style.SMALL, "color": style.MUTED}


def legend_width(legend: Legend) -> float:
    """Return the width of a legend in inches."""
    return max(WIDTH, style.text_extent(legend.title, size=style.SMALL).width)


def legend_height(legend: Legend) -> float:
    """Return the height of a legend in inches."""
    line = style.text_height(style.SMALL)
    pointer = POINTER + GAP + line if legend.pointer else 0.0
    return line + GAP + pointer + HEIGHT + GAP / 2 + line


def draw_legend(axes: Axes, legend: Legend, left: float, top: float) -> None:
    """Draw the title, the pointer if there is one, the strip and the texts under it."""
    line = style.text_height(style.SMALL)
    style.write(axes, left, top, legend.title, gid="legend-title", va="top", **LOOK)
    y = top - line - GAP
    if legend.pointer:
        share, text = legend.pointer
        x = left + share * WIDTH
        y -= line
        style.write(axes, x, y, text, gid="alpha-label", ha="center", va="bottom", **LOOK)
        ends = (y - GAP / 2, y - GAP - POINTER - HEIGHT)
        axes.add_line(Line2D((x, x), ends, color=style.INK, lw=1.2, zorder=4, gid="alpha"))
        y -= GAP + POINTER
    _draw_strip(axes, legend, left, y)
    for x, text in _that_fit(legend.labels):
        place: dict[str, Any] = {"gid": f"legend:{text}", "ha": "center", "va": "top"}
        style.write(axes, left + x, y - HEIGHT - GAP / 2, text, **place, **LOOK)


def _that_fit(labels: tuple[tuple[float, str], ...]) -> list[tuple[float, str]]:
    """Return the labels that do not touch, with their centres: the ends first, then the middle.

    >>> [text for _, text in _that_fit(((0.0, "none"), (0.02, "few"), (1.0, "all")))]
    ['none', 'all']
    """
    taken: list[tuple[float, float]] = []
    placed = []
    for share, text in sorted(labels, key=lambda label: (0 < label[0] < 1, abs(label[0] - 0.5))):
        width = style.text_extent(text, size=style.SMALL).width
        # The first and the last keep within the strip.
        x = min(max(share * WIDTH, width / 2), WIDTH - width / 2)
        left, right = x - width / 2 - GAP / 2, x + width / 2 + GAP / 2
        if all(right <= other_left or other_right <= left for other_left, other_right in taken):
            taken.append((left, right))
            placed.append((x, text))
    return sorted(placed)


def _draw_strip(axes: Axes, legend: Legend, left: float, top: float) -> None:
    step = WIDTH / len(legend.colours)
    bottom = top - HEIGHT
    shapes = [
        [(x, top), (x + step, top), (x + step, bottom), (x, bottom)]
        for x in (left + i * step for i in range(len(legend.colours)))
    ]
    # Edges in the colour of the faces: otherwise hairlines of paper show between the steps.
    colours: dict[str, Any] = {"facecolors": legend.colours, "edgecolors": legend.colours}
    axes.add_collection(PolyCollection(shapes, lw=0.3, gid="legend", **colours), autolim=False)
