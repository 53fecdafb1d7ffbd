"""What the critical-difference figures share: mean ranks, groups, the axis, and bars with gaps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from palio.numbers import rank as as_rank
from palio.report.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from palio.comparison.results import Comparison
    from palio.report.figures.extent import Extent

Point = tuple[float, float]

# Inches.
TICK, TICK_GAP = 0.06, 0.03
CAP, CD_GAP = 0.04, 0.09
TICKS_APART, MINOR_APART = 0.28, 0.06

# Points.
AXIS_WEIGHT, GAP_WEIGHT, DOT = 1.0, 1.0, 4.2


@dataclass(frozen=True)
class Ranks:
    """What is drawn: names best first with their mean ranks, groups as places in that order.

    ``breaks`` are the places before which a part begins that no data set joins to those before.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    critical_difference: float | None
    groups: tuple[tuple[int, ...], ...]
    # Against a control: what each is, ``control``, ``differs`` or ``same``; else nothing.
    verdicts: tuple[str, ...] = ()
    breaks: tuple[int, ...] = ()

    @classmethod
    def of(cls, comparison: Comparison, extent: Extent) -> Ranks:
        """Read a comparison; who is in no group with another has none here."""
        order = extent.names
        place = {name: i for i, name in enumerate(order)}
        groups = comparison.groups if comparison.control is None else ()
        return cls(
            tuple(style.clean(name) for name in order),
            tuple(comparison.mean_ranks[name] for name in order),
            comparison.critical_difference,
            _placed(groups, place),
            _verdicts(comparison, order),
            extent.breaks,
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """The mean ranks as they are written."""
        return tuple(map(as_rank, self.ranks))

    @property
    def limits(self) -> tuple[int, int]:
        """The ranks at the ends of an axis, the better on its left."""
        known = [value for value in self.ranks if not math.isnan(value)]
        lowest = min(1, math.floor(min(known)))
        return lowest, max(len(self.ranks), math.ceil(max(known)), lowest + 1)

    def named(self, group: Iterable[int]) -> str:
        """Return the id of a group's bar."""
        return "bar:" + "|".join(self.names[i] for i in group)


def _placed(
    groups: Iterable[Iterable[str]], place: Mapping[str, int]
) -> tuple[tuple[int, ...], ...]:
    """Return the groups as places, without those that are not shown."""
    shown = {tuple(sorted(place[name] for name in group if name in place)) for group in groups}
    return tuple(sorted(group for group in shown if len(group) > 1))


def _verdicts(comparison: Comparison, order: Sequence[str]) -> tuple[str, ...]:
    """Say of each algorithm whether it differs from the control."""
    control, differ = comparison.control, comparison.differing
    if control is None:
        return ()
    return tuple(
        "control" if name == control else "differs" if name in differ else "same" for name in order
    )


def unbroken(group: Sequence[int]) -> bool:
    """Whether the members are neighbours, so that a bar over them covers nobody else.

    >>> unbroken((2, 3, 4)), unbroken((2, 4))
    (True, False)
    """
    return group[-1] - group[0] == len(group) - 1


def levels(spans: Iterable[tuple[float, float]], apart: float) -> list[int]:
    """Give each span, sorted by its start, the first level where it touches no other.

    >>> levels([(0, 2), (1, 3), (2.5, 4)], 0.1)
    [0, 1, 0]
    """
    ends: list[float] = []
    found = []
    for start, end in spans:
        free = [i for i, other in enumerate(ends) if other + apart <= start]
        level = free[0] if free else len(ends)
        ends[level : level + 1] = [end]
        found.append(level)
    return found


# Drawing.


def stroke(axes: Axes, points: Sequence[Point], gid: str, **look: Any) -> None:
    """Draw a line in ink through points."""
    xs, ys = zip(*points, strict=True)
    look = {"color": style.INK, "solid_capstyle": "butt", "solid_joinstyle": "miter", **look}
    style.draw_line(axes, xs, ys, gid=gid, **look)


def draw_broken_bar(
    axes: Axes, group: Sequence[int], at: Callable[[int], Point], gid: str, *, dot: float
) -> None:
    """Draw a dot, so many points wide, for each member, and a bar that is dotted over others."""
    look: dict[str, Any] = {"color": style.BLUE, "zorder": 3}
    xs, ys = zip(*(at(i) for i in group), strict=True)
    dots: dict[str, Any] = {"marker": "o", "markersize": dot, "markeredgewidth": 0, **look}
    style.draw_line(axes, xs, ys, gid=gid, ls=(0, (1, 1.6)), lw=GAP_WEIGHT, **dots)
    pieces = [[at(a), at(b)] for a, b in pairwise(group) if b - a == 1]
    if pieces:
        style.draw_lines(axes, pieces, gid=f"pieces-of-{gid}", linewidths=dot / 2, **look)


def verdict_mark(verdict: str) -> dict[str, Any]:
    """Return the look of a mark: full if the algorithm differs from the control."""
    look: dict[str, Any] = {"marker": "o", "markersize": DOT, "zorder": 4, "ls": "none"}
    look["color"] = look["markeredgecolor"] = style.VERMILLION
    if verdict == "same":
        look["color"], look["markeredgecolor"] = style.PAPER, style.MUTED
    elif verdict == "control":
        look.update(marker="D", color=style.BLUE, markeredgecolor=style.BLUE)
    return look


# The axis.


@dataclass(frozen=True)
class RankAxis:
    """Mean ranks between ``limits`` stand between the places ``ends``, at height ``y``, in inches.

    Above it, at ``cd_y``, stands the critical difference, if there is one.
    """

    limits: tuple[int, int]
    ends: tuple[float, float]
    y: float = 0.0
    cd_y: float = 0.0

    def x(self, rank: float) -> float:
        """Return where a mean rank stands."""
        (lowest, highest), (left, right) = self.limits, self.ends
        return left + (rank - lowest) / (highest - lowest) * (right - left)

    def below(self, top: float, *, critical_difference: float | None) -> RankAxis:
        """Return the axis with what stands above it below a height."""
        small = style.text_height(style.SMALL)
        cd_y = top
        if critical_difference is not None:
            cd_y = top - small - TICK_GAP - CAP
            top = cd_y - CAP - CD_GAP
        return RankAxis(self.limits, self.ends, top - small - TICK_GAP - TICK, cd_y)


def draw_rank_axis(axes: Axes, axis: RankAxis) -> None:
    """Draw the axis, with ticks and numbers above it."""
    y, (lowest, highest) = axis.y, axis.limits
    ends = [(axis.x(lowest), y), (axis.x(highest), y)]
    stroke(axes, ends, "axis", lw=AXIS_WEIGHT, solid_capstyle="projecting")
    unit = axis.x(lowest + 1) - axis.x(lowest)
    steps = (1, 2, 5, 10, 20, 50, 100, 1000, 10_000)
    step = next(step for step in steps if step * unit >= TICKS_APART)
    for rank in range(lowest, highest + 1):
        # 1, 3, 5 … but 1, 5, 10 …
        major = rank == 1 or (rank + (step == 2)) % step == 0
        if not major and unit < MINOR_APART:
            continue
        x, length = axis.x(rank), TICK if major else TICK / 2
        stroke(axes, [(x, y), (x, y + length)], f"tick:{rank}", lw=AXIS_WEIGHT * 0.8)
        if major and (rank == 1 or (rank - 1) * unit >= TICKS_APART):
            place: dict[str, Any] = {"ha": "center", "va": "bottom", "gid": f"tick-label:{rank}"}
            style.write(axes, x, y + TICK + TICK_GAP, str(rank), size=style.SMALL, **place)


def draw_critical_difference_to_scale(
    axes: Axes, axis: RankAxis, difference: float | None, *, page: float
) -> None:
    """Draw the critical difference above the axis; ``page`` is the width of the page."""
    if difference is None:
        return
    text = f"CD = {difference:.3f}"
    start, end = axis.ends[0], axis.x(axis.limits[0] + difference)
    if end > axis.ends[1]:
        end = axis.ends[1]
        text += ", longer than the axis"
    y = axis.cd_y
    outline = [(start, y + CAP), (start, y - CAP), (start, y), (end, y), (end, y + CAP)]
    stroke(axes, [*outline, (end, y - CAP)], "critical-difference", lw=AXIS_WEIGHT * 1.3)
    half = style.text_extent(text, size=style.SMALL).width / 2
    x = min(max((start + end) / 2, style.MARGIN + half), page - style.MARGIN - half)
    place: dict[str, Any] = {"ha": "center", "va": "bottom", "gid": "critical-difference-label"}
    style.write(axes, x, y + CAP + TICK_GAP, text, size=style.SMALL, **place)
