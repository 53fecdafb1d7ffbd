"""Box plots of the scores on the data sets, an algorithm in each row.

With few data sets every score is a dot as well: a box of ten numbers hides too much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.report.figures import style
from palio.report.figures.axis import (
    Axis,
    Rows,
    RowsPage,
    direction_label,
    draw_axis,
    limits_around,
)
from palio.report.figures.extent import extent_of, sorted_by
from palio.report.figures.kinds import comparison_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering
    from palio.types import BoolArray, FloatArray


# Dots for every score up to this many data sets; beyond, only for those outside the whiskers.
MOST_DOTS = 60

# Inches.
PAGE, NARROWEST, NARROWEST_AXIS = 7.0, 3.4, 2.4
GAP, INSET = 0.06, 0.08
TALL_ROW, LOW_ROW, ROWS = 0.3, 0.15, 6.4

# Shares of a row's height.
BOX, SPREAD = 0.62, 0.4


def draw_scores(result: Comparison | Ordering) -> Figure:
    """Draw the distribution of each algorithm's scores over the data sets.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``boxes``, ``medians``, ``whiskers``, ``dots``, a shape for each
        algorithm, best first, and ``name:svr``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.compare(table), "scores")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["axis-label"]
    'accuracy, higher is better →'
    """
    page = _lay_out(comparison_of(result))
    figure, axes = page.canvas()
    draw_axis(axes, page.axis, top=page.rows.top, bottom=page.bottom, page=page.width)
    _draw_boxes(axes, page)
    _draw_dots(axes, page)
    x, size = page.axis.ends[0] - GAP, page.rows.size
    for y, name in zip(page.rows.middles, page.names, strict=True):
        style.write(axes, x, y, name, size=size, ha="right", gid=f"name:{name}")
    return page.captioned(figure)


@dataclass(frozen=True)
class Page(RowsPage):
    """A row for each algorithm."""

    names: tuple[str, ...]
    scores: FloatArray
    made_up: BoolArray
    boxes: FloatArray


def _lay_out(comparison: Comparison) -> Page:
    extent, complete = extent_of(comparison), comparison.complete
    at = [complete.algorithms.index(name) for name in extent.names]
    names = tuple(map(style.clean, extent.names))
    scores = complete.values.T[at]
    made_up = np.zeros(scores.shape, dtype=np.bool_)
    if complete.imputed is not None:
        made_up = complete.imputed.T[at]
    rows = Rows.fitting(len(names), -style.MARGIN, LOW_ROW, TALL_ROW, ROWS)
    left = style.widest(names, size=rows.size) + GAP
    label = direction_label(comparison.measure)
    inner = max(PAGE - 2 * style.MARGIN, left + NARROWEST_AXIS)
    inner = max(inner, left + style.text_extent(label, size=style.SMALL).width + 2 * INSET)
    return Page(
        text=extent.caption(_caption(comparison, scores.shape[1], made_up=bool(made_up.any()))),
        inner=inner,
        axis=Axis(limits_around(scores, 0.025), (style.MARGIN + left, style.MARGIN + inner), label),
        names=names,
        scores=scores,
        made_up=made_up,
        boxes=complete.boxes[:, at],
        rows=rows,
    )


def _caption(comparison: Comparison, n: int, *, made_up: bool) -> str:
    of = style.some_datasets(n, comparison.n_datasets)
    shown = "Dots are data sets." if n <= MOST_DOTS else "Dots are data sets beyond the whiskers."
    if made_up:
        shown += " Rings are imputed scores."
    return (
        f"Scores over {of}, algorithms sorted by {sorted_by(comparison)}. Boxes hold the middle "
        "half, with the median; whiskers reach the last score within 1.5 times the length of the "
        "box. " + shown
    )


def _draw_boxes(axes: Axes, page: Page) -> None:
    boxes, medians, whiskers = [], [], []
    for i in range(len(page.names)):
        top, middle, bottom = (page.rows.y(i + 0.5 + side * BOX / 2) for side in (-1, 0, 1))
        w1, q1, q2, q3, w2 = page.axis.at(page.boxes[:, i]).tolist()
        boxes.append(style.box(q1, q3, bottom, top))
        medians.append([(q2, top), (q2, bottom)])
        whiskers += [[(w1, middle), (q1, middle)], [(q3, middle), (w2, middle)]]
    line = {"colors": style.BLUE, "capstyle": "butt"}
    style.draw_lines(axes, whiskers, linewidths=0.9, zorder=1, gid="whiskers", **line)
    face: dict[str, Any] = {"facecolors": "#D6E8F4", "edgecolors": style.BLUE, "lw": 0.8}
    style.draw_shapes(axes, boxes, zorder=2, gid="boxes", **face)
    style.draw_lines(axes, medians, linewidths=2.0, zorder=4, gid="medians", **line)


def _draw_dots(axes: Axes, page: Page) -> None:
    scores = page.scores
    n = scores.shape[1]
    shown = np.ones(scores.shape, dtype=np.bool_)
    if n > MOST_DOTS:
        shown = (scores < page.boxes[0][:, None]) | (scores > page.boxes[-1][:, None])
    _draw_some(axes, page, shown & ~page.made_up, filled=True)
    _draw_some(axes, page, shown & page.made_up, filled=False)


def _draw_some(axes: Axes, page: Page, shown: BoolArray, *, filled: bool) -> None:
    rows, columns = np.nonzero(shown)
    if not len(rows):
        return
    # Golden steps spread neighbours evenly, and a data set has the same height in every row.
    shift = ((columns * 0.6180339887) % 1 - 0.5) * SPREAD
    ys = page.rows.top - (rows + 0.5 + shift) * page.rows.height
    size = 2.4 if len(page.names) <= 24 else 1.8
    look: dict[str, Any] = {"c": style.INK, "alpha": 0.55, "linewidths": 0, "gid": "dots"}
    if not filled:
        look = {"facecolors": "none", "edgecolors": style.VERMILLION, "linewidths": 0.7}
        look["gid"], size = "imputed", size + 1
    axes.scatter(page.axis.at(page.scores[rows, columns]), ys, s=size**2, zorder=3, **look)
