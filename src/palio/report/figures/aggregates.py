"""Aggregates of each algorithm with their intervals: a panel for each aggregate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.comparison.aggregates.result import TITLES
from palio.report.figures import style
from palio.report.figures.axis import Axis, axis_height, draw_axis, limits_around

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
    for i, row in enumerate(page.rows):
        name = style.clean(row.algorithm)
        x, y = page.panels[0].axis.ends[0] - GAP, page.y(i + 0.5)
        look: dict[str, Any] = {"size": page.size, "bold": row.algorithm in page.first}
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

    rows: tuple[Aggregate, ...]
    panels: tuple[Panel, ...]
    first: frozenset[str]
    row: float
    size: float

    @property
    def top(self) -> float:
        """The top of the rows, below the titles of the panels."""
        return -style.MARGIN - style.text_height(style.SMALL) - GAP

    def y(self, row: float) -> float:
        """Return the upper edge of a row; halves are centres."""
        return self.top - row * self.row

    @property
    def bottom(self) -> float:
        """The height of the axes below the rows."""
        return self.y(len(self.rows))

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.bottom - axis_height(self.panels[0].axis) - BLOCK_GAP

    @property
    def width(self) -> float:
        """The width of the page; half of the last tick's text stands beyond the frame."""
        return super().width + BLOCK_GAP


def _lay_out(result: Aggregates) -> Page:
    rows = result.aggregates[:MOST]
    row = max(LOW_ROW, min(TALL_ROW, ROWS / len(rows)))
    size = style.largest_within(row)
    names = style.widest((style.clean(each.algorithm) for each in rows), size=size, bold=True)
    keys = [key for key in TITLES if key != "gap" or result.gap_tells]
    left, panels = style.MARGIN + names + GAP, []
    for key in keys:
        ends = (left, left + PANEL)
        # Ends that differ by a rounding error are the same.
        held = np.array([_of(each, key) for each in rows]).round(12)
        panels.append(Panel(key, Axis(limits_around(held, 0.05), ends, _label(result, key))))
        left += PANEL + BETWEEN
    return Page(
        text=_caption(result, len(rows)),
        inner=left - BETWEEN - style.MARGIN,
        rows=rows,
        panels=tuple(panels),
        first=frozenset({result.order[0], *result.open}),
        row=row,
        size=size,
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
    axis = panel.axis
    draw_axis(axes, axis, top=page.top, bottom=page.bottom, page=page.width, most=TICKS)
    place: dict[str, Any] = {"ha": "center", "va": "bottom", "gid": f"title:{panel.key}"}
    x, y = sum(axis.ends) / 2, page.top + GAP / 2
    style.write(axes, x, y, TITLES[panel.key], size=style.SMALL, **place)
    found = [_of(row, panel.key) for row in page.rows]
    colours = [style.BLUE if row.algorithm in page.first else style.MUTED for row in page.rows]
    ys = [page.y(i + 0.5) for i in range(len(found))]
    lines = [
        [(axis.place(each.low), y), (axis.place(each.high), y)]
        for each, y in zip(found, ys, strict=True)
    ]
    thick = 2.2 if page.row >= 0.2 else 1.6
    look: dict[str, Any] = {"colors": colours, "linewidths": thick, "capstyle": "butt", "zorder": 2}
    style.draw_lines(axes, lines, gid=f"intervals:{panel.key}", **look)
    xs = [axis.place(each.value) for each in found]
    dot: dict[str, Any] = {"s": (2.6 * thick) ** 2, "linewidths": 0, "zorder": 3}
    axes.scatter(xs, ys, c=colours, gid=f"values:{panel.key}", **dot)
