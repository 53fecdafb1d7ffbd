"""On what share of the data sets each algorithm reaches each score, or factor of the best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.registry import unknown_name
from palio.report.figures import style
from palio.report.figures.axis import GAP, TICK, tick_texts, tick_values
from palio.report.figures.plots import Legend, draw_frame, placed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.comparison.aggregates.result import Aggregates, Profile

# Inches.
WIDE, TALL, BLOCK_GAP = 5.4, 2.6, 0.2

# More curves than these are not told apart; of more the best are drawn.
MOST = 8

# More bands than these are mud; among more curves that of the first is enough.
BANDS = 3

# Points.
THINNEST = 1.2


def draw_performance_profile(result: Aggregates, algorithms: Sequence[str] | None = None) -> Figure:
    """Draw the performance profiles of the best algorithms, or of those named.

    Parameters
    ----------
    result : Aggregates
        Its profiles are of scores, or of ratios to the best where these are what is compared.
    algorithms : sequence of str, optional
        Whose; the first eight unless given.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``curve:svr``, ``band:svr``, ``name:svr``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.aggregate(table), "performance-profile")
    >>> sorted({line.get_gid() for line in figure.axes[0].lines})
    ['curve:c45', 'curve:svr', 'sample:c45', 'sample:svr']
    """
    page = _lay_out(result, algorithms)
    figure, axes = page.canvas()
    _draw_frame(axes, page)
    _draw_curves(axes, page)
    page.legend.draw(axes, page.legend_top)
    return page.captioned(figure)


@dataclass(frozen=True, eq=False)
class Page(style.Page):
    """One plot, and a legend below it."""

    thresholds: np.ndarray
    curves: Mapping[str, Profile]
    looks: Mapping[str, Mapping[str, Any]]
    label: str
    y_label: str
    logarithmic: bool

    @property
    def left(self) -> float:
        """Where the frame begins, right of the label and the ticks."""
        ticks = style.widest(_shares()[1], size=style.SMALL)
        return style.MARGIN + style.text_height(style.SMALL) + GAP + ticks + TICK

    @property
    def right(self) -> float:
        """Where it ends; half of the last tick's text stands beyond."""
        return style.MARGIN + self.inner - GAP - 0.1

    @property
    def legend(self) -> Legend:
        """The lines by name."""
        return Legend(self.looks, {name: style.clean(name) for name in self.looks}, self.inner)

    @property
    def legend_top(self) -> float:
        """The height at which the legend begins."""
        axis = TICK + 1.5 * GAP + 2 * style.text_height(style.SMALL) + GAP
        return -style.MARGIN - TALL - axis - BLOCK_GAP / 2

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.legend_top - self.legend.height - BLOCK_GAP / 2

    def across(self, values: Any) -> np.ndarray:
        """Return where thresholds stand."""
        scale = np.log10 if self.logarithmic else np.asarray
        low, high = scale(self.thresholds[0]), scale(self.thresholds[-1])
        share = (scale(values) - low) / (float(high - low) or 1.0)
        return np.asarray(self.left + (self.right - self.left) * share, dtype=np.float64)

    def down(self, shares: Any) -> np.ndarray:
        """Return where shares stand."""
        return -style.MARGIN - TALL * (1 - np.asarray(shares, dtype=np.float64))

    @property
    def ticks(self) -> tuple[list[float], list[str]]:
        """Round thresholds, and their texts."""
        low, high = sorted((float(self.thresholds[0]), float(self.thresholds[-1])))
        if not self.logarithmic or high < 10 * low:
            found = tick_values(low, high)
            return found, tick_texts(found)
        powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        steps = (1, 2, 5) if len(powers) < 3 else (1,)
        found = [s * 10.0**p for p in powers for s in steps if low <= s * 10.0**p <= high]
        return found, [f"{tick:g}" for tick in found]


def _lay_out(result: Aggregates, algorithms: Sequence[str] | None) -> Page:
    profiles = result.profiles
    for name in algorithms or ():
        if name not in profiles.curves:
            raise unknown_name("algorithm", name, profiles.curves)
    drawn = list(algorithms or list(profiles.curves)[:MOST])
    ratios = profiles.of == "ratios"
    what = style.clean(result.measure.name if ratios else result.unit)
    share = "share of data sets" if result.n_runs[1] == 1 or ratios else "share of runs"
    side = "above" if result.higher_is_better else "below"
    return Page(
        text=_caption(result, len(drawn)),
        inner=WIDE - 2 * style.MARGIN,
        thresholds=np.array(profiles.thresholds),
        curves={name: profiles.curves[name] for name in drawn},
        looks={
            name: {**style.line_look(i), "lw": THINNEST + 0.1 * min(i, 9)}
            for i, name in enumerate(drawn)
        },
        label=f"{what}, as a multiple of the best" if ratios else what,
        y_label=f"{share} within" if ratios else f"{share} {side}",
        logarithmic=ratios or result.scaled.ratios,
    )


def _caption(result: Aggregates, drawn: int) -> str:
    k = len(result.algorithms)
    which = f" The first {drawn} of {k} algorithms by interquartile mean." if drawn < k else ""
    where = f"{style.count_datasets(result.n_datasets)}, {result.normalised}"
    anew = "data sets" if result.over == "datasets" or result.ratios is not None else "runs"
    if result.ratios is not None:
        where = f"{style.count_datasets(len(result.ratios))} on which somebody succeeded"
    bands = "Bands" if drawn <= BANDS else "Band of the first"
    level = f"{100 * result.level:g}\u00a0%"
    return (
        f"Performance profiles on {where}: the higher curve is better. "
        f"{bands}: {level} bootstrap intervals at each threshold, {anew} drawn anew.{which}"
    )


def _shares() -> tuple[list[float], list[str]]:
    ticks = [0.0, 0.25, 0.5, 0.75, 1.0]
    return ticks, tick_texts(ticks)


def _draw_frame(axes: Axes, page: Page) -> None:
    frame = page.left, page.right, -style.MARGIN - TALL, -style.MARGIN
    ticks, texts = page.ticks
    shares, share_texts = _shares()
    xs, ys = placed(page.across(ticks), texts), placed(page.down(shares), share_texts)
    draw_frame(axes, frame, xs, ys, (page.label, page.y_label), drop=TICK + GAP / 2)


def _draw_curves(axes: Axes, page: Page) -> None:
    """Draw the best last and thinnest, so that curves under others show on both sides."""
    xs = page.across(page.thresholds)
    for i, (name, look) in reversed(list(enumerate(page.looks.items()))):
        curve = page.curves[name]
        if i == 0 or len(page.looks) <= BANDS:
            band = [*zip(xs, page.down(curve.low), strict=True)]
            band += reversed([*zip(xs, page.down(curve.high), strict=True)])
            shade: dict[str, Any] = {"facecolors": look["color"], "alpha": 0.13, "lw": 0}
            style.draw_shapes(axes, [band], gid=f"band:{name}", zorder=1, **shade)
        more: dict[str, Any] = {"zorder": 3 + len(page.looks) - i, "gid": f"curve:{name}"}
        style.draw_line(axes, xs, page.down(curve.share), **more, **look)
