"""ROC curves of all algorithms, and the convex hull over them.

The hull is a broad band under the curves: where a curve runs on it, the algorithm is optimal for
some class distribution and costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palio.report.figures import style
from palio.report.figures.axis import GAP, TICK
from palio.report.figures.kinds import present
from palio.report.figures.plots import ROW, SAMPLE, draw_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.comparison.prediction_tests import PredictionComparison, RocAnalysis

Point = tuple[float, float]

HULL = "#B9BEC6"

# Inches.
SIDE, BLOCK_GAP = 3.5, 0.18

TICKS = ("0", "0.2", "0.4", "0.6", "0.8", "1")


def draw_roc_hull(result: PredictionComparison) -> Figure:
    """Draw ROC curves, their convex hull and the areas under them.

    Parameters
    ----------
    result : PredictionComparison
        By ``roc-hull``.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``hull``, ``diagonal``, ``curve:svr``, ``name:svr``, ``auc:svr``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> predictions = palio.Predictions.from_arrays(
    ...     [0, 1, 0], {"svr": [0, 1, 1], "c45": [0, 1, 0]}, classes=[0, 1],
    ...     probabilities={"svr": [[0.8, 0.2], [0.4, 0.6], [0.3, 0.7]]},
    ... )
    >>> figure = draw(palio.compare_predictions(predictions, test="roc-hull"), "roc-hull")
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "auc:svr"]
    ['0.500']
    """
    page = _lay_out(present(result.roc))
    figure, axes = page.canvas()
    _draw_frame(axes, page)
    _draw_curves(axes, page)
    _draw_legend(axes, page)
    return page.captioned(figure)


@dataclass(frozen=True)
class Entry:
    """A line of the legend, and what it stands for."""

    name: str
    auc: float
    points: tuple[Point, ...]
    look: Mapping[str, Any]
    on_hull: bool


@dataclass(frozen=True)
class Page(style.Page):
    """A square, and the legend to the right of it."""

    entries: tuple[Entry, ...]
    hull: tuple[Point, ...]
    hull_auc: float
    left: float
    name_width: float

    @property
    def legend_left(self) -> float:
        """Where the legend begins."""
        return self.left + SIDE + BLOCK_GAP

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        axis = TICK + GAP + 2 * style.text_height(style.SMALL) + GAP
        legend = ROW * (len(self.entries) + 3)
        return -style.MARGIN - max(SIDE + axis, legend) - BLOCK_GAP

    def at(self, point: Point) -> Point:
        """Return where rates stand on the page."""
        return self.left + SIDE * point[0], -style.MARGIN - SIDE * (1.0 - point[1])

    def row(self, i: float) -> float:
        """Return the middle of a row of the legend."""
        return -style.MARGIN - ROW * (i + 0.5)


def _lay_out(roc: RocAnalysis) -> Page:
    entries = _entries(roc)
    names = [style.text_extent(entry.name, bold=entry.on_hull).width for entry in entries]
    left = style.MARGIN + style.text_height(style.SMALL) + GAP
    left += style.widest(TICKS, size=style.SMALL) + TICK + GAP
    name_width = max(*names, style.text_extent("convex hull").width)
    right = left + SIDE + BLOCK_GAP + SAMPLE + GAP + name_width + 2 * GAP
    right += style.text_extent("0.000").width
    return Page(
        text=_caption(roc),
        inner=right - style.MARGIN,
        entries=entries,
        hull=tuple((corner.false_positive_rate, corner.true_positive_rate) for corner in roc.hull),
        hull_auc=roc.hull_auc,
        left=left,
        name_width=name_width,
    )


def _entries(roc: RocAnalysis) -> tuple[Entry, ...]:
    """Return the curves, the largest area first; colours go by this order."""
    curves = [(name, roc.curves[name]) for name in roc.by_area]
    return tuple(
        Entry(
            name=style.clean(name),
            auc=line.auc,
            points=tuple(zip(line.false_positive_rate, line.true_positive_rate, strict=True)),
            look=style.line_look(i),
            on_hull=name in roc.on_hull,
        )
        for i, (name, line) in enumerate(curves)
    )


def _caption(roc: RocAnalysis) -> str:
    positives, negatives = roc.positives, roc.negatives
    return (
        f"ROC curves over {positives + negatives} test instances, {positives} of the positive "
        f"class “{style.clean(roc.positive)}”. Bold: on the convex hull, optimal for some class "
        "distribution and costs. AUC: the area under the curve."
    )


def _draw_frame(axes: Axes, page: Page) -> None:
    """Draw the square, its ticks and labels, and the diagonal."""
    (left, bottom), (right, top) = page.at((0.0, 0.0)), page.at((1.0, 1.0))
    xs = [(page.at((float(tick), 0.0))[0], tick) for tick in TICKS]
    ys = [(page.at((0.0, float(tick)))[1], tick) for tick in TICKS]
    labels = "false positive rate", "true positive rate"
    draw_frame(axes, (left, right, bottom, top), xs, ys, labels)
    _add_line(axes, page, ((0.0, 0.0), (1.0, 1.0)), "diagonal", zorder=1, **_DIAGONAL)


_DIAGONAL: dict[str, Any] = {"color": style.MUTED, "lw": 0.8, "linestyle": (0, (2, 2))}
_BAND: dict[str, Any] = {"color": HULL, "lw": 5.0, "solid_capstyle": "butt"}


def _draw_curves(axes: Axes, page: Page) -> None:
    _add_line(axes, page, page.hull, "hull", zorder=2, **_BAND)
    for i, entry in enumerate(reversed(page.entries)):
        # An algorithm without probabilities is a point; its lines alone would not tell.
        marker: dict[str, Any] = {}
        if len(entry.points) == 3:
            marker = {"marker": "o", "markersize": 4.5, "markevery": [1]}
        gid = f"curve:{entry.name}"
        _add_line(axes, page, entry.points, gid, zorder=3 + i, lw=1.4, **marker, **entry.look)


def _add_line(axes: Axes, page: Page, points: Sequence[Point], gid: str, **look: Any) -> None:
    xs, ys = zip(*map(page.at, points), strict=True)
    style.draw_line(axes, xs, ys, gid=gid, **look)


def _draw_legend(axes: Axes, page: Page) -> None:
    right = page.legend_left + SAMPLE + GAP + page.name_width + 2 * GAP
    right += style.text_extent("0.000").width
    style.write_small(axes, right, page.row(0), "AUC", ha="right", gid="auc-label")
    rows: list[tuple[str, str, bool, dict[str, Any]]] = [
        (entry.name, f"{entry.auc:.3f}", entry.on_hull, {"lw": 1.4, **entry.look})
        for entry in page.entries
    ]
    rows.append(("convex hull", f"{page.hull_auc:.3f}", False, _BAND))
    rows.append(("chance", "0.500", False, _DIAGONAL))
    for i, (name, auc, bold, look) in enumerate(rows):
        y = page.row(i + 1)
        ends = (page.legend_left, page.legend_left + SAMPLE)
        style.draw_line(axes, ends, (y, y), gid=f"sample:{name}", **look)
        x = page.legend_left + SAMPLE + GAP
        style.write(axes, x, y, name, bold=bold, gid=f"name:{name}")
        style.write(axes, right, y, auc, ha="right", gid=f"auc:{name}")
