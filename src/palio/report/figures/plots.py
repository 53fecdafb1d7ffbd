"""What plots of curves share: a frame with a grid, and a legend below it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palio.report.figures import style
from palio.report.figures.axis import GAP, TICK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches.
SAMPLE, BETWEEN, ROW = 0.34, 0.2, 0.185

Ticks = Sequence[tuple[float, str]]
"""Where ticks stand on the page, in inches, and what is written there."""


def placed(places: NDArray[np.float64], texts: Sequence[str]) -> list[tuple[float, str]]:
    """Return ticks by their places and texts."""
    return list(zip(places.tolist(), texts, strict=True))


def draw_frame(
    axes: Axes,
    frame: style.Box,
    xs: Ticks,
    ys: Ticks,
    labels: tuple[str, str],
    *,
    y_label_at: float = style.MARGIN,
    drop: float = TICK,
    gid: str = "",
) -> None:
    """Draw a grid in a frame, the texts of its ticks, and the labels below and beside it.

    ``drop`` is how far below the frame the texts begin.
    """
    left, right, bottom, top = frame
    lines = [[(x, top), (x, bottom)] for x, _ in xs] + [[(left, y), (right, y)] for y, _ in ys]
    style.draw_lines(axes, lines, gid=f"{gid}grid", colors="#E6E8EB", linewidths=0.6, zorder=0)
    below: dict[str, Any] = {"ha": "center", "va": "top"}
    for x, text in xs:
        style.write_small(axes, x, bottom - drop, text, gid=f"{gid}x:{text}", **below)
    for y, text in ys:
        style.write_small(axes, left - TICK, y, text, ha="right", gid=f"{gid}y:{text}")
    y = bottom - drop - style.text_height(style.SMALL) - GAP
    style.write_small(axes, (left + right) / 2, y, labels[0], gid=f"{gid}x-label", **below)
    turned: dict[str, Any] = {"va": "center", "rotation": 90, "gid": f"{gid}y-label"}
    style.write_small(axes, y_label_at, (bottom + top) / 2, labels[1], **turned)


@dataclass(frozen=True, eq=False)
class Legend:
    """The looks of lines and their texts, by name, in as many columns as the width has room for."""

    looks: Mapping[str, Mapping[str, Any]]
    texts: Mapping[str, str]
    width: float

    @property
    def entry_width(self) -> float:
        """The width of an entry, with the gap to the next."""
        return SAMPLE + GAP + style.widest(self.texts.values()) + BETWEEN

    @property
    def columns(self) -> int:
        """How many entries stand side by side."""
        return max(1, int(self.width // self.entry_width))

    @property
    def height(self) -> float:
        """How high it is."""
        return ROW * math.ceil(len(self.looks) / self.columns)

    def draw(self, axes: Axes, top: float) -> None:
        """Draw it from a height downwards."""
        for i, (name, look) in enumerate(self.looks.items()):
            row, column = divmod(i, self.columns)
            x, y = style.MARGIN + column * self.entry_width, top - ROW * (row + 0.5)
            style.draw_line(axes, (x, x + SAMPLE), (y, y), gid=f"sample:{name}", **look)
            style.write(axes, x + SAMPLE + GAP, y, self.texts[name], gid=f"name:{name}")
