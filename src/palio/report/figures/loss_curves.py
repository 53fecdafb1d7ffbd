"""What is lost by trying algorithms in the order that a ranking method recommends.

On the left by the number of algorithms tried; on the right, where a cost is known, by what trying
them has cost so far.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.numbers import correlation
from palio.report.figures import style
from palio.report.figures.axis import GAP, TICK, tick_texts, tick_values
from palio.report.figures.plots import Legend, draw_frame, placed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.ordering.evaluation import RankingEvaluation

# Inches; one plot is wider than each of two.
PAGE, ALONE, TALL, BLOCK_GAP = 7.0, 4.4, 2.2, 0.2

# With more algorithms than this the curve has no dots.
MOST_DOTS = 20

# Points.
THINNEST = 1.2


def draw_loss_curves(result: RankingEvaluation) -> Figure:
    """Draw what is lost against the best, for each ranking method.

    Parameters
    ----------
    result : RankingEvaluation
        With a curve by cost if it has one.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``curve:copeland``, ``spent:copeland`` (by cost), ``name:copeland``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.evaluate_rankings(table, ["average-ranks"]), "loss-curves")
    >>> sorted({line.get_gid() for line in figure.axes[0].lines})
    ['curve:average-ranks', 'sample:average-ranks']
    """
    page = _lay_out(result)
    figure, axes = page.canvas()
    for plot in page.plots:
        _draw_frame(axes, plot)
        _draw_curves(axes, plot, page.looks)
    page.legend.draw(axes, page.legend_top)
    return page.captioned(figure)


@dataclass(frozen=True, eq=False)
class Plot:
    """Curves over one axis, in a frame whose left edge stands at ``left`` below the margin."""

    gid: str
    left: float
    width: float
    x: np.ndarray
    curves: Mapping[str, Sequence[float]]
    label: str
    y_label: str
    logarithmic: bool = False

    @property
    def top(self) -> float:
        """The highest loss that there is room for."""
        return 1.04 * max(max(curve) for curve in self.curves.values()) or 1.0

    def across(self, values: Any) -> np.ndarray:
        """Return where values of the horizontal axis stand."""
        scale = np.log10 if self.logarithmic else np.asarray
        low, high = scale(self.x[0]), scale(self.x[-1])
        span = float(high - low) or 1.0
        return np.asarray(self.left + self.width * (scale(values) - low) / span, dtype=np.float64)

    def down(self, values: Any) -> np.ndarray:
        """Return where losses stand."""
        return -style.MARGIN - TALL * (1 - np.asarray(values, dtype=np.float64) / self.top)


@dataclass(frozen=True, eq=False)
class Page(style.Page):
    """One plot or two side by side, and a legend below them."""

    plots: tuple[Plot, ...]
    looks: Mapping[str, Mapping[str, Any]]
    texts: Mapping[str, str]

    @property
    def width(self) -> float:
        """The width of the page; half of the last tick's text stands beyond the frame."""
        return super().width + GAP

    @property
    def legend(self) -> Legend:
        """The lines by name."""
        return Legend(self.looks, self.texts, self.width - 2 * style.MARGIN)

    @property
    def legend_top(self) -> float:
        """The height at which the legend begins."""
        axis = TICK + GAP + 2 * style.text_height(style.SMALL) + GAP
        return -style.MARGIN - TALL - axis - BLOCK_GAP / 2

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.legend_top - self.legend.height - BLOCK_GAP / 2


def _lay_out(result: RankingEvaluation) -> Page:
    names = [row.method for row in result.methods]
    lost = f"{style.clean(result.measure.name)} lost"
    if result.lost_in != result.measure.name:
        lost = "share lost"
    spent = result.cost_curves
    tried: dict[str, Any] = {
        "gid": "curve",
        "x": np.arange(1.0, len(result.algorithms) + 1),
        "curves": {name: result.loss_curves[name].loss for name in names},
        "label": "algorithms tried",
        "y_label": lost,
    }
    plots = [tried]
    if spent:
        plots.append(
            {
                "gid": "spent",
                "x": np.array(spent.spent),
                "curves": spent.loss,
                "label": f"{style.clean(spent.cost)} spent",
                "y_label": lost,
                "logarithmic": True,
            }
        )
    share = (PAGE - 2 * style.MARGIN - (len(plots) - 1) * BLOCK_GAP) / len(plots)
    placed, at = [], style.MARGIN
    for plot in plots:
        bare = Plot(left=0.0, width=0.0, **plot)
        left = at + _axis_width(bare)
        width = min(ALONE, share - _axis_width(bare))
        placed.append(replace(bare, left=left, width=width))
        at = left + width + BLOCK_GAP
    return Page(
        text=_caption(result, bool(spent)),
        inner=at - BLOCK_GAP - style.MARGIN,
        plots=tuple(placed),
        looks={
            name: {**style.line_look(i), "lw": THINNEST + 0.15 * min(i, 9)}
            for i, name in enumerate(names)
        },
        texts={
            row.method: f"{row.method}, {correlation(row.correlation)}" for row in result.methods
        },
    )


def _axis_width(plot: Plot) -> float:
    """Return the width of the label and the ticks on the left."""
    ticks = style.widest(_loss_ticks(plot)[1], size=style.SMALL)
    return style.text_height(style.SMALL) + GAP + ticks + TICK


def _caption(result: RankingEvaluation, spent: bool) -> str:
    by_cost = (
        " Costs add up, one algorithm after another; until the first has finished, the loss is "
        "that of the worst."
        if spent
        else ""
    )
    return (
        f"What is lost against the best algorithm in {style.clean(result.lost_in)}, on "
        f"a data set that was left out, mean over {style.count_datasets(result.n_datasets)}. "
        f"Methods are sorted by their average correlation, the number beside the name.{by_cost}"
    )


def _loss_ticks(plot: Plot) -> tuple[list[float], list[str]]:
    ticks = tick_values(0.0, plot.top, most=6)
    return ticks, tick_texts(ticks)


def _across_ticks(plot: Plot) -> tuple[list[float], list[str]]:
    """Return round numbers: whole counts, or powers of ten where the axis is logarithmic."""
    low, high = float(plot.x[0]), float(plot.x[-1])
    if not plot.logarithmic:
        ticks = [tick for tick in tick_values(low, high) if tick == round(tick)]
        ticks = [low, *(tick for tick in ticks if tick - low > 0.06 * (high - low))]
        return ticks, tick_texts(ticks)
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    every = 1 + len(powers) // 8
    ticks = [10.0**power for power in powers][::every]
    return ticks, [f"{tick:g}" for tick in ticks]


def _draw_frame(axes: Axes, plot: Plot) -> None:
    frame = plot.left, plot.left + plot.width, -style.MARGIN - TALL, -style.MARGIN
    ticks, texts = _across_ticks(plot)
    losses, loss_texts = _loss_ticks(plot)
    draw_frame(
        axes,
        frame,
        placed(plot.across(ticks), texts),
        placed(plot.down(losses), loss_texts),
        (plot.label, plot.y_label),
        y_label_at=plot.left - _axis_width(plot),
        gid=f"{plot.gid}-",
    )


def _draw_curves(axes: Axes, plot: Plot, looks: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw the best last and thinnest, so that curves under others show on both sides."""
    xs = plot.across(plot.x)
    for i, (name, look) in reversed(list(enumerate(looks.items()))):
        more: dict[str, Any] = {"drawstyle": "steps-post"} if plot.logarithmic else {}
        if not plot.logarithmic and plot.x.size <= MOST_DOTS:
            more = {"marker": "o", "markersize": 2 + look["lw"]}
        more |= {"zorder": 3 + len(looks) - i, "gid": f"{plot.gid}:{name}"}
        style.draw_line(axes, xs, plot.down(plot.curves[name]), **more, **look)
