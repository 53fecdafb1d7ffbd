"""From numbers to colours, for the figures that are grids of cells, and the legends that say how.

Blue is the better side and vermillion the worse: apart for colour-blind readers. Where a colour
follows a number, a cell's mark says whether the difference is significant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import (
    BoundaryNorm,
    Colormap,
    LinearSegmentedColormap,
    ListedColormap,
    to_hex,
    to_rgb,
)
from matplotlib.colors import Normalize as Norm
from numpy.typing import NDArray

from palio.report.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What is beyond the last bound counts as no evidence. Three blues lie below the usual 0.05.
P_BOUNDS = (0.001, 0.01, 0.05, 0.1)
P_COLOURS = ("#004B78", "#2F86C0", "#A3CBE5", "#F5DFB4", "#EEEFF1")

# Where there is nothing to say there is no cell.
NOTHING = (1.0, 1.0, 1.0, 0.0)

# So many shades are told apart; more would only make files larger.
SHADES = 16


@dataclass(frozen=True)
class Legend:
    """A strip of colours: what it is of, texts under it, and what points at it from above.

    Places are shares of the strip's length.
    """

    title: str
    colours: tuple[str | tuple[float, ...], ...]
    labels: tuple[tuple[float, str], ...]
    pointer: tuple[float, str] | None = None


@dataclass(frozen=True)
class Scale:
    """How values become colours, and the legend that says so."""

    colours: Colormap
    norm: Norm
    legend: Legend

    def rgba(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the colour of each value."""
        return np.asarray(self.colours(self.norm(values)), dtype=np.float64)


def _shades(*colours: str, n: int = SHADES) -> tuple[str, ...]:
    between = LinearSegmentedColormap.from_list("palio", list(colours))
    return tuple(to_hex(between(i / (n - 1))) for i in range(n))


# From vermillion by white to blue; from white at zero to blue; and from the worst to the best,
# where no colour is paper's. On each of the last two black or white text has a contrast of 4.5.
SIDES = _shades(style.VERMILLION, "#F2B48C", "#FAFAFA", "#92C3E2", style.BLUE, n=SHADES + 1)
COUNTS = _shades("#FAFAFA", "#92C3E2", "#0065A0", "#00395C")
PLACES = _shades("#F7E3C0", "#BBDAEE", "#5FA8D6", "#0065A0", "#00395C")


@cache
def _colours(shades: tuple[str, ...]) -> Colormap:
    return ListedColormap(list(shades)).with_extremes(bad=NOTHING)


def two_sided(
    title: str, labels: tuple[tuple[float, str], ...], *, low: float, high: float
) -> Scale:
    """Return a scale from vermillion by white to blue."""
    return Scale(_colours(SIDES), Norm(low, high), Legend(title, SIDES, labels))


def sequential(title: str, labels: tuple[tuple[float, str], ...], *, high: float) -> Scale:
    """Return a scale from white at zero to blue."""
    return Scale(_colours(COUNTS), Norm(0, high), Legend(title, COUNTS, labels))


def worst_to_best(
    title: str, labels: tuple[tuple[float, str], ...], *, low: float = 0.0, high: float = 1.0
) -> Scale:
    """Return a scale that gets darker from the worst to the best; no colour of it is paper's."""
    return Scale(_colours(PLACES), Norm(low, high, clip=True), Legend(title, PLACES, labels))


def p_scale(title: str, alpha: float) -> Scale:
    """Return the classes of p-values, with a pointer to where ``alpha`` cuts them.

    Examples
    --------
    >>> scale = p_scale("adjusted p", 0.05)
    >>> [text for _, text in scale.legend.labels]
    ['< .001', '< .01', '< .05', '< .1', '≥ .1']
    >>> scale.legend.pointer
    (0.6, 'α = 0.05')
    """
    n = len(P_COLOURS)
    texts = [*(f"< {_bare(bound)}" for bound in P_BOUNDS), "≥ .1"]
    labels = tuple(((i + 0.5) / n, text) for i, text in enumerate(texts))
    pointer = (_place_among_classes(alpha), f"α = {alpha:g}")
    colours = ListedColormap(list(P_COLOURS)).with_extremes(bad=NOTHING)
    return Scale(
        colours, BoundaryNorm([0, *P_BOUNDS, 1.01], n), Legend(title, P_COLOURS, labels, pointer)
    )


WINS, LOSSES = ("#0B5C94", "#5FA8D6", "#BBDAEE"), ("#B84A00", "#EE9A63", "#FBD5BB")
NEITHER = "#F0F1F3"


def significance_scale(title: str, alpha: float) -> Scale:
    """Return the classes of significance: of the row in blue, of the column in vermillion.

    A class is as far from zero as `significance_class` says, on the side of the better one.

    Examples
    --------
    >>> [text for _, text in significance_scale("p", 0.01).legend.labels]
    ['< .001', '≤ .01', 'n.s.', '≤ .01', '< .001']
    """
    bounds = significance_bounds(alpha)
    n = len(bounds)
    texts = [*(f"< {_bare(b)}" for b in bounds[:-1]), f"≤ {_bare(alpha)}"]
    shades = range(3 - n, 3)
    colours = (*(LOSSES[i] for i in shades), NEITHER, *(WINS[i] for i in reversed(shades)))
    labels = ((i + 0.5, text) for i, text in enumerate([*texts, "n.s.", *reversed(texts)]))
    return Scale(
        ListedColormap(list(colours)).with_extremes(bad=NOTHING),
        BoundaryNorm([i - n - 0.5 for i in range(2 * n + 2)], 2 * n + 1),
        Legend(title, colours, tuple((at / (2 * n + 1), text) for at, text in labels)),
    )


def significance_bounds(alpha: float) -> tuple[float, ...]:
    """Return the bounds of the classes, the level last.

    >>> significance_bounds(0.05), significance_bounds(0.01)
    ((0.001, 0.01, 0.05), (0.001, 0.01))
    """
    return (*(bound for bound in P_BOUNDS[:2] if bound < alpha), alpha)


def significance_class(p: float, alpha: float) -> int:
    """Return the class of a significant p-value: 1 next to the level, more for less.

    >>> [significance_class(p, 0.05) for p in (0.05, 0.01, 0.002, 0.0001)]
    [1, 1, 2, 3]
    """
    return 1 + sum(p < bound for bound in significance_bounds(alpha)[:-1])


def _bare(bound: float) -> str:
    return f"{bound:g}".removeprefix("0")


def _place_among_classes(p: float) -> float:
    """Return where a p-value stands on the strip; within a class by its logarithm.

    >>> _place_among_classes(0.01), round(_place_among_classes(0.03), 3)
    (0.4, 0.537)
    """
    bounds = (0.0001, *P_BOUNDS, 1.0)
    place = float(np.interp(math.log(max(p, bounds[0])), np.log(bounds), range(len(bounds))))
    return place / len(P_COLOURS)


def readable_on(colour: NDArray[np.float64]) -> str:
    """Return the colour of a text on a background: white on what is dark.

    >>> readable_on(np.array([0.0, 0.3, 0.5, 1.0])), readable_on(np.array([1.0, 1.0, 1.0, 1.0]))
    ('#FFFFFF', '#1A1A1A')
    """
    # At 0.2 black and white text have about the same contrast.
    return style.PAPER if luminance(colour[:3]) < 0.2 else style.INK


def luminance(rgb: Sequence[float] | NDArray[np.float64]) -> float:
    """Return the relative luminance of a colour, as WCAG 2 defines it."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in map(float, rgb)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21.

    >>> contrast("#000000", "#FFFFFF")
    21.0
    """
    low, high = sorted(luminance(to_rgb(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


# --- the legend -----------------------------------------------------------------------------------

# Inches.
WIDTH, HEIGHT, POINTER, GAP = 2.9, 0.11, 0.05, 0.06


def _title(legend: Legend) -> str:
    return "\n".join(style.wrap(legend.title, style.column_width()))


def legend_width(legend: Legend) -> float:
    """Return the width of a legend in inches."""
    return max(WIDTH, style.text_extent(_title(legend), size=style.SMALL).width)


def legend_height(legend: Legend) -> float:
    """Return the height of a legend in inches."""
    line = style.text_height(style.SMALL)
    pointer = POINTER + GAP + line if legend.pointer else 0.0
    title = style.text_extent(_title(legend), size=style.SMALL).height
    return title + GAP + pointer + HEIGHT + GAP / 2 + line


def draw_legend(axes: Axes, legend: Legend, left: float, top: float) -> None:
    """Draw the title, the pointer if there is one, the strip and the texts under it."""
    line = style.text_height(style.SMALL)
    title = _title(legend)
    style.write_small(axes, left, top, title, gid="legend-title", va="top")
    y = top - style.text_extent(title, size=style.SMALL).height - GAP
    if legend.pointer:
        share, text = legend.pointer
        x = left + share * WIDTH
        y -= line
        style.write_small(axes, x, y, text, gid="alpha-label", ha="center", va="bottom")
        ends = (y - GAP / 2, y - GAP - POINTER - HEIGHT)
        style.draw_line(axes, (x, x), ends, color=style.INK, lw=1.2, zorder=4, gid="alpha")
        y -= GAP + POINTER
    _draw_strip(axes, legend, left, y)
    for x, text in _that_fit(legend.labels):
        place: dict[str, Any] = {"gid": f"legend:{text}", "ha": "center", "va": "top"}
        style.write_small(axes, left + x, y - HEIGHT - GAP / 2, text, **place)


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
    shapes = [
        # To the end, under the next: otherwise hairlines of paper show between the steps.
        style.box(x, left + WIDTH, top - HEIGHT, top)
        for x in (left + i * step for i in range(len(legend.colours)))
    ]
    style.draw_shapes(axes, shapes, lw=0, facecolors=legend.colours, gid="legend")
