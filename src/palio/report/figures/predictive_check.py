"""Whether the model would expect such scores: discrepancies of replicates and of what was observed.

As in wainer2016 figure 4, after Gelman, Meng and Stern (1996): a point for each draw, and the share
of points above the diagonal is the posterior predictive p-value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from palio.numbers import probability
from palio.report.figures import style
from palio.report.figures.axis import (
    Axis,
    AxisPage,
    draw_axis,
    draw_rules,
    limits_around,
    tick_texts,
    tick_values,
)
from palio.report.figures.kinds import present
from palio.report.figures.pairs import where_from

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.bayes.answer import Discrepancy, PosteriorAnswer

# Inches.
SIDE, GAP, TICK = 3.2, 0.06, 0.05


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
    figure, axes = page.canvas()
    draw_axis(axes, page.axis, top=page.top, bottom=page.bottom, page=page.width)
    _draw_upright(axes, page, check.name)
    ends = np.array(page.axis.limits)
    line: dict[str, Any] = {"color": style.INK, "lw": 1.0, "zorder": 3, "gid": "diagonal"}
    style.draw_line(axes, page.axis.at(ends), page.y(ends), **line)
    above = replicated > observed
    look: dict[str, Any] = {"s": 6.0, "alpha": 0.5, "linewidths": 0, "zorder": 2, "gid": "points"}
    colours = np.where(above, style.BLUE, style.VERMILLION)
    axes.scatter(page.axis.at(observed), page.y(replicated), c=colours.tolist(), **look)
    place: dict[str, Any] = {"ha": "left", "va": "top", "gid": "p-value"}
    text = f"p = {probability(check.p_value)}"
    style.write(axes, page.axis.ends[0], -style.MARGIN, text, size=style.TITLE, bold=True, **place)
    return page.captioned(figure)


@dataclass(frozen=True)
class Page(AxisPage):
    """A square below the p-value."""

    gap: ClassVar[float] = 0.16

    @property
    def top(self) -> float:
        """The top of the square, below the p-value."""
        return -style.MARGIN - style.text_height(style.TITLE) - GAP

    @property
    def bottom(self) -> float:
        """The height of the axis below the square."""
        return self.top - SIDE

    def y(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the heights of values; both axes have the same limits."""
        return self.bottom + self.axis.at(values) - self.axis.ends[0]


def _lay_out(
    check: Discrepancy,
    observed: NDArray[np.float64],
    replicated: NDArray[np.float64],
    caption: str,
) -> Page:
    limits = limits_around([observed, replicated], 0.04, least=1.0)
    ticks = tick_texts(tick_values(*limits))
    left = style.MARGIN + style.text_height(style.SMALL) + GAP + TICK + GAP
    left += style.widest(ticks, size=style.SMALL)
    axis = Axis(limits, (left, left + SIDE), f"{check.name}, observed")
    return Page(caption, left + SIDE - style.MARGIN, axis)


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
    draw_rules(axes, [[(left - TICK, y), (right, y)] for y in ys], gid="upright-ticks")
    for y, text in zip(ys, tick_texts(ticks), strict=True):
        gid = f"upright-tick-label:{text}"
        style.write_small(axes, left - TICK - GAP / 2, y, text, ha="right", gid=gid)
    label = f"{name}, replicated"
    turned: dict[str, Any] = {"va": "center", "rotation": 90, "gid": "upright-label"}
    style.write_small(axes, style.MARGIN, page.top - SIDE / 2, label, **turned)
