"""The line of Demšar (2006): mean ranks on an axis, names on both sides, bars over groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from palio.report.figures import style
from palio.report.figures.mean_ranks import (
    RankAxis,
    Ranks,
    draw_broken_bar,
    draw_critical_difference_to_scale,
    draw_rank_axis,
    levels,
    stroke,
    unbroken,
    verdict_mark,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches.
BAR_PITCH, BAR_OVERHANG, BAR_CLEAR, BAR_BLOCK = 0.1, 0.05, 0.1, 0.13
ROW = 0.19
ELBOW, LABEL_GAP, RANK_GAP, DOT_INSET = 0.16, 0.06, 0.1, 0.03
NARROWEST = 3.4

# Nearer to each other, a member and a stranger cannot be told apart; and more levels of bars
# than this are a wall.
APART, MOST_LEVELS = 0.05, 8

# Points.
BAR_WEIGHT, DOT, LEADER_WEIGHT = 3.2, 4.4, 0.7


@dataclass(frozen=True)
class Bar:
    """A group of algorithms: its places, its ends in inches, its level below the axis."""

    group: tuple[int, ...]
    left: float
    right: float
    level: int


@dataclass(frozen=True)
class Page(style.Page):
    """From the top down: the critical difference, the axis, the bars and the names."""

    shown: Ranks
    axis: RankAxis

    @cached_property
    def bars(self) -> tuple[Bar, ...]:
        """The bars of the groups."""
        return _bars(self)

    @cached_property
    def rows_top(self) -> float:
        """The height of the first name."""
        depth = max((bar.level + 1 for bar in self.bars), default=0) * BAR_PITCH
        return self.axis.y - BAR_BLOCK - depth - ROW / 2

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.rows_top - ROW * _half(self.shown) - 0.02

    @property
    def legible(self) -> bool:
        """Whether it is not too wide, and each bar can be seen to join its members alone."""
        return (
            self.width <= style.page_width() + 0.01
            and all(bar.level < MOST_LEVELS for bar in self.bars)
            and all(self._clear(bar.group) for bar in self.bars)
        )

    def _clear(self, group: tuple[int, ...]) -> bool:
        x = [self.axis.x(rank) for rank in self.shown.ranks]
        others = set(range(len(x))) - set(group)
        # Neighbours in the order are the nearest: of each member the next stranger on its sides.
        borders = [(i, j) for i in group for j in (i - 1, i + 1) if j in others]
        return all(abs(x[i] - x[j]) >= APART for i, j in borders)

    def on_left(self, i: int) -> bool:
        """Whether the better half, to which a name belongs, is written on the left."""
        return i < _half(self.shown)

    def row_y(self, i: int) -> float:
        """Return the height of a name: the outermost ranks on top, so that no leaders cross."""
        row = i if self.on_left(i) else len(self.shown.names) - 1 - i
        return self.rows_top - row * ROW

    def bar_y(self, bar: Bar) -> float:
        """Return the height of a bar."""
        return self.axis.y - BAR_BLOCK - bar.level * BAR_PITCH


def _half(shown: Ranks) -> int:
    return (len(shown.names) + 1) // 2


# Layout.


def lay_out_line(shown: Ranks, caption: str) -> Page:
    """Return the page of a line; it may not be legible."""
    n = len(shown.names)
    left = _column_width(shown, 0, _half(shown))
    right = _column_width(shown, _half(shown), n)
    room = style.column_width() - left - right
    axis_width = max(2.0, min(0.5 * (n - 1), room), 0.12 * n)
    inner = max(min(NARROWEST, style.column_width()), left + axis_width + right)
    # What is left of the narrowest page lengthens the axis.
    ends = (style.MARGIN + left, style.MARGIN + inner - right)
    axis = RankAxis(shown.limits, ends)
    axis = axis.below(-style.MARGIN, critical_difference=shown.critical_difference)
    return Page(caption, inner, shown, axis)


def _column_width(shown: Ranks, first: int, stop: int) -> float:
    """Return the width that names, their mean ranks and the ends of their leaders take."""
    bold = bool(shown.verdicts)
    names = style.widest(shown.names[first:stop], bold=bold)
    return names + RANK_GAP + _ranks_width(shown.texts[first:stop]) + LABEL_GAP + ELBOW


def _ranks_width(texts: Sequence[str]) -> float:
    return style.widest(texts, size=style.SMALL)


def _bars(page: Page) -> tuple[Bar, ...]:
    """Place the bars, each a little longer than its group but clear of its neighbours' leaders."""
    x = [-math.inf, *(page.axis.x(rank) for rank in page.shown.ranks), math.inf]
    ends = []
    for group in page.shown.groups:
        first, last = group[0] + 1, group[-1] + 1
        left = x[first] - min(BAR_OVERHANG, (x[first] - x[first - 1]) / 3)
        ends.append((left, x[last] + min(BAR_OVERHANG, (x[last + 1] - x[last]) / 3)))
    return tuple(
        Bar(group, left, right, level)
        for group, (left, right), level in zip(
            page.shown.groups, ends, levels(ends, BAR_CLEAR), strict=True
        )
    )


# Drawing.


def draw_line(page: Page) -> Figure:
    """Draw a page."""
    figure, axes = page.canvas()
    draw_rank_axis(axes, page.axis)
    draw_critical_difference_to_scale(
        axes, page.axis, page.shown.critical_difference, page=page.width
    )
    for i in range(len(page.shown.names)):
        _draw_leader(axes, page, i)
        _draw_verdict(axes, page, i)
    for bar in page.bars:
        _draw_bar(axes, page, bar)
    return page.captioned(figure)


def _draw_leader(axes: Axes, page: Page, i: int) -> None:
    """Draw the line from a mean rank to its name, and the name."""
    shown, half = page.shown, _half(page.shown)
    name, rank = shown.names[i], shown.ranks[i]
    x, y = page.axis.x(rank), page.row_y(i)
    side = -1 if page.on_left(i) else 1
    end = page.axis.ends[0 if side < 0 else 1] + side * ELBOW
    points = [(x, page.axis.y), (x, y), (end, y)]
    stroke(axes, points, f"leader:{name}", lw=LEADER_WEIGHT, color=style.MUTED)
    ha = "right" if side < 0 else "left"
    at = end + side * LABEL_GAP
    style.write_small(axes, at, y, shown.texts[i], ha=ha, gid=f"rank:{name}")
    ranks = shown.texts[:half] if side < 0 else shown.texts[half:]
    at += side * (RANK_GAP + _ranks_width(ranks))
    bold = bool(shown.verdicts) and shown.verdicts[i] == "control"
    style.write(axes, at, y, name, bold=bold, ha=ha, gid=f"name:{name}")


def _draw_verdict(axes: Axes, page: Page, i: int) -> None:
    """Put a mark at the end of a leader."""
    if not page.shown.verdicts:
        return
    verdict = page.shown.verdicts[i]
    side = -1 if page.on_left(i) else 1
    end = page.axis.ends[0 if side < 0 else 1] + side * (ELBOW - DOT_INSET)
    gid = f"{verdict}:{page.shown.names[i]}"
    style.draw_line(axes, [end], [page.row_y(i)], gid=gid, **verdict_mark(verdict))


def _draw_bar(axes: Axes, page: Page, bar: Bar) -> None:
    y, gid = page.bar_y(bar), page.shown.named(bar.group)
    if unbroken(bar.group):
        ends = [(bar.left, y), (bar.right, y)]
        stroke(axes, ends, gid, lw=BAR_WEIGHT, color=style.BLUE, zorder=3)
        return
    ranks = page.shown.ranks

    def at(i: int) -> tuple[float, float]:
        return page.axis.x(ranks[i]), y

    draw_broken_bar(axes, bar.group, at, gid, dot=DOT)
