"""Whether the model would expect such scores: discrepancies of replicates and of what was observed.

As in wainer2016 figure 4, after Gelman, Meng and Stern (1996): a point for each draw, and the share
of points above the diagonal is the posterior predictive p-value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from palio.numbers import probability
from palio.report.figures import style
from palio.report.figures.axis import Axis, axis_height, draw_axis, tick_texts, tick_values
from palio.report.figures.kinds import present
from palio.report.figures.outcomes import where_from

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.bayes.answer import Discrepancy, PosteriorAnswer

# Inches.
SIDE, GAP, TICK, BLOCK_GAP = 3.2, 0.06, 0.05, 0.16


def draw_predictive_check(result: PosteriorAnswer) -> Figure:
    """Draw how far replicates are from the model, against how far what was observed is.

    Parameters
    ----------
    result : PosteriorAnswer
        Whose ``checks`` have a discrepancy.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``points``, ``diagonal``, ``p-value``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.bayes.anova(table, rope=1.0), "predictive-check")
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "p-value"]
    ['p = 0.468']
    """
    check = present(result.checks.discrepancy)
    observed = np.asarray(check.observed, dtype=np.float64)
    replicated = np.asarray(check.replicated, dtype=np.float64)
    page = _lay_out(check, observed, replicated, _caption(result, check))
    figure, axes = style.canvas(page.width, page.height)
    bottom = page.top - SIDE
    draw_axis(axes, page.axis, top=page.top, bottom=bottom, page=page.width)
    _draw_upright(axes, page, check.name)
    ends = np.array(page.axis.limits)
    line: dict[str, Any] = {"color": style.INK, "lw": 1.0, "zorder": 3, "gid": "diagonal"}
    axes.add_line(Line2D(page.axis.at(ends), page.y(ends), **line))
    above = replicated > observed
    look: dict[str, Any] = {"s": 6.0, "alpha": 0.5, "linewidths": 0, "zorder": 2, "gid": "points"}
    colours = np.where(above, style.BLUE, style.VERMILLION)
    axes.scatter(page.axis.at(observed), page.y(replicated), c=colours.tolist(), **look)
    place: dict[str, Any] = {"ha": "left", "va": "top", "gid": "p-value"}
    text = f"p = {probability(check.p_value)}"
    style.write(axes, page.axis.ends[0], -style.MARGIN, text, size=style.TITLE, bold=True, **place)
    style.paragraph(axes, style.MARGIN, page.caption_top, page.caption, gid="caption")
    return figure


@dataclass(frozen=True)
class Page:
    """The measures of the figure in inches; heights are negative, from the top down."""

    axis: Axis
    caption: list[str]
    width: float

    @property
    def top(self) -> float:
        """The top of the square, below the p-value."""
        return -style.MARGIN - style.text_height(style.TITLE) - GAP

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.top - SIDE - axis_height() - BLOCK_GAP

    @property
    def height(self) -> float:
        """The height of the page."""
        return style.paragraph_height(self.caption) + style.MARGIN - self.caption_top

    def y(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the heights of values; both axes have the same limits."""
        return self.top - SIDE + self.axis.at(values) - self.axis.ends[0]


def _lay_out(
    check: Discrepancy,
    observed: NDArray[np.float64],
    replicated: NDArray[np.float64],
    caption: str,
) -> Page:
    low = float(min(observed.min(), replicated.min()))
    high = float(max(observed.max(), replicated.max()))
    room = 0.04 * (high - low) or 0.5 * max(abs(high), 1.0)
    limits = (low - room, high + room)
    ticks = tick_texts(tick_values(*limits))
    left = style.MARGIN + style.text_height(style.SMALL) + GAP + TICK + GAP
    left += max(style.text_extent(text, size=style.SMALL).width for text in ticks)
    width = left + SIDE + style.MARGIN
    axis = Axis(limits, (left, left + SIDE), f"{check.name}, observed")
    return Page(axis, style.wrap(caption, width - 2 * style.MARGIN, size=style.SMALL), width)


def _caption(result: PosteriorAnswer, check: Discrepancy) -> str:
    return (
        f"{where_from(result)}: how far what was observed, and what the model replicates, are "
        f"from the model, for {len(check.observed)} draws. p: the share of draws whose "
        "replicates are at least as far off, blue above the line; near 0 or 1 the model does not "
        "fit."
    )


def _draw_upright(axes: Axes, page: Page, name: str) -> None:
    """Draw the ticks of the upright axis, their texts and the label."""
    ticks = tick_values(*page.axis.limits)
    left, right = page.axis.ends
    ys = page.y(np.array(ticks)).tolist()
    look: dict[str, Any] = {"colors": style.FAINT, "linewidths": 0.6, "zorder": 0}
    lines = [[(left - TICK, y), (right, y)] for y in ys]
    axes.add_collection(LineCollection(lines, gid="upright-ticks", **look), autolim=False)
    small: dict[str, Any] = {"size": style.SMALL, "color": style.MUTED}
    place: dict[str, Any] = {"ha": "right", "va": "center_baseline"}
    for y, text in zip(ys, tick_texts(ticks), strict=True):
        x = left - TICK - GAP / 2
        style.write(axes, x, y, text, gid=f"upright-tick-label:{text}", **place, **small)
    label = f"{name}, replicated"
    turned: dict[str, Any] = {"ha": "left", "va": "center", "rotation": 90}
    middle = page.top - SIDE / 2
    style.write(axes, style.MARGIN, middle, label, gid="upright-label", **turned, **small)
