"""Cost against score: the front of those that nobody beats in both, and the others behind it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from palio.numbers import weighed
from palio.report.figures import style
from palio.report.figures.axis import (
    BLOCK_GAP,
    GAP,
    TICK,
    draw_rules,
    limits_around,
    tick_texts,
    tick_values,
)
from palio.report.figures.kinds import present

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.measures import Measure
    from palio.ordering.tradeoff import Front, FrontPoint
    from palio.report.analysis import Report

Place = tuple[float, float]

# Inches.
WIDTH, HEIGHT, LOW = 5.9, 3.5, 3.0
RADIUS, NEAR = 0.045, 0.075

# Costs that differ by more than this stand on a logarithmic axis.
LOGARITHMIC = 20.0


def draw_pareto(result: Report) -> Figure:
    """Draw mean cost against mean score, and the front.

    Parameters
    ----------
    result : Report
        With a front.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``front`` (the line), ``point:svr``, ``name:svr``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> figure = draw(report, "pareto")
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "name:svr"]
    ['svr']
    """
    front = present(result.front)
    points = front.by_cost
    plane = _Plane.of(points)
    left = style.widest((text for _, text in plane.y_ticks), size=style.SMALL)
    start = style.MARGIN + left + GAP + TICK
    width = min(WIDTH, style.page_width() - style.MARGIN - start)
    height = LOW if style.is_narrow() else HEIGHT
    cost = _cost_label(front, plane, start + width - style.MARGIN)
    plot = _Plot(plane, start, style.text_height(style.SMALL) + 2 * GAP, width, height, cost)
    higher_is_better = front.measure.goodness_sign > 0
    stairs = _stairs(points, plot, higher_is_better=higher_is_better)
    labels = _labels(points, plot, stairs)
    inner = plot.right - style.MARGIN
    # By the means alone some of the front may lie behind the line.
    heights = {y for _, y in stairs}
    behind = any(point.on_front and plot.at(point)[1] not in heights for point in points)
    page = Page(_caption(front, len(points) - len(labels), behind=behind), inner, plot)
    figure, axes = page.canvas()
    _draw_frame(axes, plot, front)
    _draw_points(axes, plot, points, stairs)
    for point, (x, y) in labels:
        name = style.clean(point.algorithm)
        look: dict[str, Any] = {"color": style.INK, "bold": True} if point.on_front else {}
        style.write_small(axes, x, y, name, gid=f"name:{name}", ha="left", **look)
    return page.captioned(figure)


@dataclass(frozen=True)
class _Plane:
    """The limits of costs and scores, and the ticks; costs are logarithms where they spread."""

    logarithmic: bool
    costs: tuple[float, float]
    scores: tuple[float, float]

    @classmethod
    def of(cls, points: Sequence[FrontPoint]) -> _Plane:
        costs = [point.cost for point in points]
        spread = min(costs) > 0 and max(costs) / min(costs) > LOGARITHMIC
        shown = [math.log10(cost) for cost in costs] if spread else costs
        scores = [point.score for point in points]
        return cls(spread, limits_around(shown, 0.06), limits_around(scores, 0.06))

    @property
    def x_ticks(self) -> list[tuple[float, str]]:
        """Where ticks of the costs stand, and what is written there."""
        low, high = self.costs
        if not self.logarithmic:
            ticks = tick_values(low, high, most=4 if style.is_narrow() else 7)
            return list(zip(ticks, tick_texts(ticks), strict=True))
        exponents = range(math.floor(low), math.ceil(high) + 1)
        factors = (1, 2, 5) if high - low < (1.2 if style.is_narrow() else 2.5) else (1,)
        values = [factor * 10.0**e for e in exponents for factor in factors]
        return [(math.log10(v), f"{v:g}") for v in values if low <= math.log10(v) <= high]

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        """Where ticks of the scores stand, and what is written there."""
        ticks = tick_values(*self.scores, most=6)
        return list(zip(ticks, tick_texts(ticks), strict=True))


@dataclass(frozen=True)
class _Plot:
    """Where the plane lies on the page, in inches; heights are negative, from the top down."""

    plane: _Plane
    left: float
    head: float
    width: float
    height: float
    # What the costs are, in words.
    cost: str

    @property
    def bottom(self) -> float:
        """The height of the axis of costs."""
        return -style.MARGIN - self.head - self.height

    @property
    def right(self) -> float:
        """The right end of the axis of costs."""
        return self.left + self.width

    @property
    def top(self) -> float:
        """The top of the plane."""
        return self.bottom + self.height

    def x(self, cost: float) -> float:
        """Return where a cost, or its logarithm, stands."""
        low, high = self.plane.costs
        return self.left + (cost - low) / (high - low) * self.width

    def y(self, score: float) -> float:
        """Return where a score stands."""
        low, high = self.plane.scores
        return self.bottom + (score - low) / (high - low) * self.height

    def at(self, point: FrontPoint) -> Place:
        """Return where an algorithm stands."""
        cost = math.log10(point.cost) if self.plane.logarithmic else point.cost
        return self.x(cost), self.y(point.score)


@dataclass(frozen=True)
class Page(style.Page):
    """The plane, and the label of the costs below it."""

    plot: _Plot

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        cost = style.text_extent(self.plot.cost, size=style.SMALL).height
        label = TICK + GAP / 2 + style.text_height(style.SMALL) + cost + GAP
        return self.plot.bottom - label - BLOCK_GAP


def _draw_frame(axes: Axes, plot: _Plot, front: Front) -> None:
    top, right = plot.top, plot.right
    below: dict[str, Any] = {"ha": "center", "va": "top"}
    lines = []
    for value, text in plot.plane.x_ticks:
        x = plot.x(value)
        lines.append([(x, top), (x, plot.bottom - TICK)])
        y = plot.bottom - TICK - GAP / 2
        style.write_small(axes, x, y, text, gid=f"tick-label:{text}", **below)
    for value, text in plot.plane.y_ticks:
        y = plot.y(value)
        lines.append([(plot.left - TICK, y), (right, y)])
        x = plot.left - TICK - GAP / 2
        style.write_small(axes, x, y, text, ha="right", gid=f"tick-label:{text}")
    draw_rules(axes, lines, gid="ticks")
    score = _score_label(front.measure)
    style.write_small(axes, style.MARGIN, -style.MARGIN, score, gid="score-label", va="top")
    y = plot.bottom - TICK - GAP - style.text_height(style.SMALL)
    half = style.text_extent(plot.cost, size=style.SMALL).width / 2
    middle = min((plot.left + right) / 2, right - half)
    style.write_small(axes, middle, y, plot.cost, gid="cost-label", **below)


def _score_label(measure: Measure) -> str:
    """Say what the scores are; on a ratio scale they have no unit in common."""
    if measure.scale != "ratio":
        return f"mean {style.clean(measure.name)} ({measure.direction})"
    what = style.clean(measure.size_name)
    return f"geometric mean of {what} over each data set's median ({measure.size_direction})"


def _cost_label(front: Front, plane: _Plane, width: float) -> str:
    """Say what the costs are, in lines no wider than a width."""
    scale = ", logarithmic" if plane.logarithmic else ""
    said = f"{style.clean(weighed(front.cost))}, {front.unit}{scale} (lower is better)"
    return "\n".join(style.wrap(said, width))


def _stairs(points: Sequence[FrontPoint], plot: _Plot, *, higher_is_better: bool) -> list[Place]:
    """Return the line behind which lies what costs as much or more, and is no better.

    Pairs are judged where both have scores: with holes a mean on the front may be no better than
    that of a cheaper one, and the line passes above it.
    """
    best = max if higher_is_better else min
    places = [plot.at(point) for point in points if point.on_front]
    line = [(places[0][0], plot.bottom if higher_is_better else plot.top), places[0]]
    for x, y in places[1:]:
        line += [(x, line[-1][1]), (x, best(line[-1][1], y))]
    return [*line, (plot.right, line[-1][1])]


def _draw_points(
    axes: Axes, plot: _Plot, points: Sequence[FrontPoint], stairs: Sequence[Place]
) -> None:
    xs, ys = zip(*stairs, strict=True)
    look: dict[str, Any] = {"color": style.BLUE, "lw": 1.2, "alpha": 0.55, "zorder": 1}
    style.draw_line(axes, xs, ys, gid="front", **look)
    for point in points:
        x, y = plot.at(point)
        colour = style.BLUE if point.on_front else style.PAPER
        edge = style.BLUE if point.on_front else style.MUTED
        axes.scatter(
            [x],
            [y],
            s=(2 * RADIUS * 72) ** 2,
            c=colour,
            edgecolors=edge,
            linewidths=0.9,
            zorder=2,
            gid=f"point:{style.clean(point.algorithm)}",
        )


# --- names beside the points ---------------------------------------------------------------------

Box = tuple[float, float, float, float]


def _labels(
    points: Sequence[FrontPoint], plot: _Plot, stairs: Sequence[Place]
) -> list[tuple[FrontPoint, Place]]:
    """Place the names where they touch nothing, those of the front first; some may not fit."""
    taken: list[Box] = [
        (x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in map(plot.at, points)
    ]
    # Nor do names stand on the line.
    taken += [
        (min(x1, x2), min(y1, y2) - 0.01, max(x1, x2) + 0.01, max(y1, y2))
        for (x1, y1), (x2, y2) in pairwise(stairs)
    ]
    placed = []
    for point in sorted(points, key=lambda each: not each.on_front):
        name = style.clean(point.algorithm)
        size = style.text_extent(name, size=style.SMALL, bold=point.on_front)
        # The front is what the figure is about: its names may stand further off.
        gaps = (NEAR, 2.5 * NEAR, 4 * NEAR) if point.on_front else (NEAR,)
        for box in (box for gap in gaps for box in _around(plot.at(point), size, gap)):
            inside = plot.left < box[0] and box[2] < plot.right
            inside = inside and plot.bottom < box[1] and box[3] < plot.top
            if inside and not any(_touch(box, other) for other in taken):
                taken.append(box)
                placed.append((point, (box[0], (box[1] + box[3]) / 2)))
                break
    return placed


def _around(at: Place, size: style.Extent, gap: float) -> Iterator[Box]:
    """Yield the places around a point, the best first."""
    x, y = at
    half = size.height / 2
    for left, middle in (
        (x + gap, y),
        (x - gap - size.width, y),
        (x - size.width / 2, y + gap + half),
        (x - size.width / 2, y - gap - half),
        (x + gap, y + gap + half / 2),
        (x + gap, y - gap - half / 2),
        (x - gap - size.width, y + gap + half / 2),
        (x - gap - size.width, y - gap - half / 2),
    ):
        yield left, middle - half, left + size.width, middle + half


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _caption(front: Front, unnamed: int, *, behind: bool) -> str:
    left_out = f" {unnamed} names have no room; the order has them all." if unnamed else ""
    filled = " Filled points there are not, where both have scores." if behind else ""
    return (
        f"Filled points, in bold: the {len(front.members)} of {len(front.points)} algorithms that "
        "no other one beats in both, each pair on the data sets that both have. What lies behind "
        f"the line is costlier and no better than one of them.{filled} Means alone, no test."
        f"{left_out}"
    )
