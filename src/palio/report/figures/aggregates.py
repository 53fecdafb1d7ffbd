"""Aggregates of each algorithm with their intervals: a panel for each aggregate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.comparison.aggregates.result import TITLES
from palio.report.figures import style
from palio.report.figures.axis import (
    Axis,
    Rows,
    axis_height,
    draw_axis,
    draw_intervals,
    limits_around,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.comparison.aggregates.result import Aggregate, Aggregates, Estimate

# Inches.
PANEL, BETWEEN, GAP, BLOCK_GAP = 1.55, 0.22, 0.06, 0.14
TALL_ROW, LOW_ROW, ROWS = 0.26, 0.15, 7.5

# A panel has room for so many steps between ticks.
TICKS = 3

# A page has room for so many rows; of more algorithms the first are drawn.
MOST = 60


def draw_aggregates(result: Aggregates) -> Figure:
    """Draw each aggregate and its interval, the best interquartile mean first.

    Parameters
    ----------
    result : Aggregates
        The optimality gap is drawn where it says more than the mean.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``intervals:iqm``, ``values:iqm``, ``title:iqm``, ``name:svr``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.aggregate(table, normalise="baseline=c45"), "aggregates")
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "title:iqm"]
    ['interquartile mean']
    """
    page = _lay_out(result)
    figure, axes = page.canvas()
    x = page.panels[0].axis.ends[0] - GAP
    for y, each in zip(page.rows.middles, page.shown, strict=True):
        name = style.clean(each.algorithm)
        look: dict[str, Any] = {"size": page.rows.size, "bold": each.algorithm in page.first}
        style.write(axes, x, y, name, ha="right", gid=f"name:{name}", **look)
    for panel in page.panels:
        _draw_panel(axes, page, panel)
    return page.captioned(figure)


@dataclass(frozen=True)
class Panel:
    """One aggregate: what it is called, and where its values stand."""

    key: str
    axis: Axis


@dataclass(frozen=True)
class Page(style.Page):
    """A row for each algorithm, a panel for each aggregate."""

    shown: tuple[Aggregate, ...]
    panels: tuple[Panel, ...]
    first: frozenset[str]
    rows: Rows

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.rows.bottom - axis_height(self.panels[0].axis) - BLOCK_GAP

    @property
    def width(self) -> float:
        """The width of the page; half of the last tick's text stands beyond the frame."""
        return super().width + BLOCK_GAP


def _lay_out(result: Aggregates) -> Page:
    shown = result.aggregates[:MOST]
    top = -style.MARGIN - style.text_height(style.SMALL) - GAP  # below the titles of the panels
    rows = Rows.fitting(len(shown), top, LOW_ROW, TALL_ROW, ROWS)
    names = style.widest((style.clean(each.algorithm) for each in shown), size=rows.size, bold=True)
    keys = [key for key in TITLES if key != "gap" or result.gap_tells]
    left, panels = style.MARGIN + names + GAP, []
    for key in keys:
        ends = (left, left + PANEL)
        # Ends that differ by a rounding error are the same.
        held = np.array([_of(each, key) for each in shown]).round(12)
        panels.append(Panel(key, Axis(limits_around(held, 0.05), ends, _label(result, key))))
        left += PANEL + BETWEEN
    return Page(
        text=_caption(result, len(shown)),
        inner=left - BETWEEN - style.MARGIN,
        shown=shown,
        panels=tuple(panels),
        first=frozenset({result.order[0], *result.open}),
        rows=rows,
    )


def _of(row: Aggregate, key: str) -> Estimate:
    found: Estimate = getattr(row, key)
    return found


def _label(result: Aggregates, key: str) -> str:
    return "higher is better →" if result.higher_is_better and key != "gap" else "← lower is better"


def _caption(result: Aggregates, drawn: int) -> str:
    k = len(result.algorithms)
    which = f" The first {drawn} of {k} algorithms." if drawn < k else ""
    drawn_anew = "data sets" if result.over == "datasets" else "runs within data sets"
    gap = f" Optimality gap: what is missing to {result.target:g}." if result.gap_tells else ""
    return (
        f"Aggregates over {style.count_datasets(result.n_datasets)} of "
        f"{style.clean(result.unit)}, {result.normalised}, with {100 * result.level:g}\u00a0% "
        f"bootstrap intervals, {drawn_anew} drawn anew. Blue and bold: the first, and who is not "
        f"told from it by the interquartile mean.{gap}{which}"
    )


def _draw_panel(axes: Axes, page: Page, panel: Panel) -> None:
    axis, rows, key = panel.axis, page.rows, panel.key
    draw_axis(axes, axis, top=rows.top, bottom=rows.bottom, page=page.width, most=TICKS)
    place: dict[str, Any] = {"ha": "center", "va": "bottom", "gid": f"title:{key}"}
    x, y = sum(axis.ends) / 2, rows.top + GAP / 2
    style.write(axes, x, y, TITLES[key], size=style.SMALL, **place)
    colours = [style.BLUE if row.algorithm in page.first else style.MUTED for row in page.shown]
    found = [_of(row, key) for row in page.shown]
    draw_intervals(axes, axis, rows, found, colours, (f"intervals:{key}", f"values:{key}"))
