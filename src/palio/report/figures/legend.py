"""A legend below curves: a piece of each line, and its name, in columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palio.report.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAMPLE, GAP, BETWEEN, ROW = 0.34, 0.06, 0.2, 0.185


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
            place: dict[str, Any] = {"va": "center_baseline", "gid": f"name:{name}"}
            style.write(axes, x + SAMPLE + GAP, y, self.texts[name], **place)
