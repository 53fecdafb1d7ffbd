"""From numbers to colours, for the figures that are grids of cells, and the legends that say how.

Blue is the better side and vermillion the worse: apart for colour-blind readers, and a cell's mark,
not its hue, says whether a difference is significant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from matplotlib.colors import BoundaryNorm, Colormap, LinearSegmentedColormap, ListedColormap
from matplotlib.colors import Normalize as Norm
from numpy.typing import NDArray

from palio.report.figures import style

__all__ = ["Legend", "Scale", "p_scale", "readable_on", "sequential", "two_sided"]

# What is beyond the last bound counts as no evidence. Three blues lie below the usual 0.05.
P_BOUNDS = (0.001, 0.01, 0.05, 0.1)
P_COLOURS = ("#004B78", "#2F86C0", "#A3CBE5", "#F5DFB4", "#EEEFF1")

# A strip this fine looks continuous in print.
STEPS = 48


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


@cache
def _between(*colours: str) -> Colormap:
    return LinearSegmentedColormap.from_list("palio", list(colours)).with_extremes(bad=style.PAPER)


def _strip(colours: Colormap) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, colours(i / (STEPS - 1)))) for i in range(STEPS))


def two_sided(
    title: str, labels: tuple[tuple[float, str], ...], *, low: float, high: float
) -> Scale:
    """Return a scale from vermillion by white to blue."""
    colours = _between(style.VERMILLION, "#F2B48C", "#FAFAFA", "#92C3E2", style.BLUE)
    return Scale(colours, Norm(low, high), Legend(title, _strip(colours), labels))


def sequential(title: str, labels: tuple[tuple[float, str], ...], *, high: float) -> Scale:
    """Return a scale from white at zero to blue."""
    colours = _between("#FAFAFA", "#92C3E2", style.BLUE, "#00395C")
    return Scale(colours, Norm(0, high), Legend(title, _strip(colours), labels))


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
    texts = [*(f"< {f'{bound:g}'.removeprefix('0')}" for bound in P_BOUNDS), "≥ .1"]
    labels = tuple(((i + 0.5) / n, text) for i, text in enumerate(texts))
    pointer = (_place_among_classes(alpha), f"α = {alpha:g}")
    colours = ListedColormap(list(P_COLOURS)).with_extremes(bad=style.PAPER)
    return Scale(
        colours, BoundaryNorm([0, *P_BOUNDS, 1.01], n), Legend(title, P_COLOURS, labels, pointer)
    )


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
    linear = np.where(
        colour[:3] <= 0.04045, colour[:3] / 12.92, ((colour[:3] + 0.055) / 1.055) ** 2.4
    )
    # Relative luminance; at 0.2 black and white text have about the same contrast.
    dark = float(linear @ [0.2126, 0.7152, 0.0722]) < 0.2
    return style.PAPER if dark else style.INK
