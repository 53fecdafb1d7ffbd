"""The critical-difference figure: mean ranks, and between whom no difference was found.

The line of Demšar (2006), as long as it can be read; else a list. Both show every group of a
comparison and nothing else: pairwise tests may give groups with a stranger among them in mean-rank
order, and a bar is dotted where it passes one. Against a control there are no groups: a full dot
marks an algorithm that differs from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from palio.comparison.pair_tests import PAIR_TESTS
from palio.numbers import rank as as_rank
from palio.numbers import weighed
from palio.report.figures import style
from palio.report.figures.extent import extent_of
from palio.report.figures.kinds import comparison_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering
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


# Inches.
BAR_PITCH, BAR_OVERHANG, BAR_CLEAR, BAR_BLOCK = 0.1, 0.05, 0.1, 0.13
ROW = 0.19
ELBOW, LABEL_GAP, RANK_GAP, DOT_INSET = 0.16, 0.06, 0.1, 0.03
NARROWEST = 3.4

# Nearer to each other, a member and a stranger cannot be told apart; and more levels of bars
# than this are a wall.
APART, MOST_LEVELS = 0.05, 8

# Points.
BAR_WEIGHT, LINE_DOT, LEADER_WEIGHT = 3.2, 4.4, 0.7


@dataclass(frozen=True)
class Bar:
    """A group of algorithms: its places, its ends in inches, its level below the axis."""

    group: tuple[int, ...]
    left: float
    right: float
    level: int


@dataclass(frozen=True)
class LinePage(style.Page):
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


def lay_out_line(shown: Ranks, caption: str) -> LinePage:
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
    return LinePage(caption, inner, shown, axis)


def _column_width(shown: Ranks, first: int, stop: int) -> float:
    """Return the width that names, their mean ranks and the ends of their leaders take."""
    bold = bool(shown.verdicts)
    names = style.widest(shown.names[first:stop], bold=bold)
    return names + RANK_GAP + _ranks_width(shown.texts[first:stop]) + LABEL_GAP + ELBOW


def _ranks_width(texts: Sequence[str]) -> float:
    return style.widest(texts, size=style.SMALL)


def _bars(page: LinePage) -> tuple[Bar, ...]:
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


def draw_line(page: LinePage) -> Figure:
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


def _draw_leader(axes: Axes, page: LinePage, i: int) -> None:
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


def _draw_verdict(axes: Axes, page: LinePage, i: int) -> None:
    """Put a mark at the end of a leader."""
    if not page.shown.verdicts:
        return
    verdict = page.shown.verdicts[i]
    side = -1 if page.on_left(i) else 1
    end = page.axis.ends[0 if side < 0 else 1] + side * (ELBOW - DOT_INSET)
    gid = f"{verdict}:{page.shown.names[i]}"
    style.draw_line(axes, [end], [page.row_y(i)], gid=gid, **verdict_mark(verdict))


def _draw_bar(axes: Axes, page: LinePage, bar: Bar) -> None:
    y, gid = page.bar_y(bar), page.shown.named(bar.group)
    if unbroken(bar.group):
        ends = [(bar.left, y), (bar.right, y)]
        stroke(axes, ends, gid, lw=BAR_WEIGHT, color=style.BLUE, zorder=3)
        return
    ranks = page.shown.ranks

    def at(i: int) -> tuple[float, float]:
        return page.axis.x(ranks[i]), y

    draw_broken_bar(axes, bar.group, at, gid, dot=LINE_DOT)


# Inches.
TALLEST = 8.6
HIGHEST_ROW, LOWEST_ROW = 0.19, 0.14
GAP, BLOCK_GAP = 0.1, 0.14
AXIS, SHORTEST_AXIS, SHORT = 3.0, 1.2, 0.6
LONG, NAMES = 2.2, 1.3
PITCH, NARROWEST_PITCH = 0.13, 0.06

# With more columns of groups than this, or that on a phone, none is drawn.
MOST_COLUMNS, FEW_COLUMNS = 60, 14


@dataclass(frozen=True)
class ListPage(style.Page):
    """From the top down: the critical difference, the axis and the rows."""

    shown: Ranks
    # The names, folded where there is little room.
    written: tuple[str, ...]
    axis: RankAxis
    columns: tuple[int, ...]
    row: float
    pitch: float
    size: float
    names_right: float
    ranks_right: float

    @property
    def rows_top(self) -> float:
        """The upper edge of the rows."""
        return self.axis.y - GAP / 2

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.rows_top - len(self.shown.names) * self.row - GAP

    def y(self, i: int) -> float:
        """Return the height of a row's middle."""
        return self.rows_top - (i + 0.5) * self.row

    def x(self, column: int) -> float:
        """Return the middle of a column of groups."""
        return self.axis.ends[1] + BLOCK_GAP + (column + 0.5) * self.pitch


def columns_of(shown: Ranks) -> tuple[int, ...]:
    """Return the column of each group; a row stays free between two groups of one column."""
    return tuple(levels(((group[0], group[-1]) for group in shown.groups), 2))


def drawable(shown: Ranks) -> bool:
    """Whether the groups are few enough to be drawn."""
    most = FEW_COLUMNS if style.is_narrow() else MOST_COLUMNS
    return max(columns_of(shown), default=0) < most


def lay_out_list(shown: Ranks, caption: str) -> ListPage:
    """Return the page of a list."""
    columns = columns_of(shown)
    count = max(columns, default=-1) + 1
    row = max(LOWEST_ROW, min(HIGHEST_ROW, TALLEST / len(shown.names)))
    size, names = _names(shown, row)
    written = shown.names
    if style.is_narrow():
        size, written = _folded(shown)
        row = max(
            row,
            style.text_extent(max(written, key=lambda text: text.count("\n")), size=size).height
            + 0.02,
        )
        names = style.widest(written, size=size, bold=bool(shown.verdicts))
    names_right = style.MARGIN + names
    ranks_right = names_right + GAP + style.widest(shown.texts, size=style.SMALL)
    # Half a number of the axis may stand out on its left.
    left = ranks_right + 2 * GAP
    room = style.page_width() - style.MARGIN - left - BLOCK_GAP
    shortest = SHORT if style.is_narrow() else SHORTEST_AXIS
    pitch = max(NARROWEST_PITCH, min(PITCH, (room - shortest) / max(count, 1)))
    right = left + max(shortest, min(AXIS, room - count * pitch))
    axis = RankAxis(shown.limits, (left, right))
    return ListPage(
        text=caption,
        inner=right + BLOCK_GAP + count * pitch - style.MARGIN,
        shown=shown,
        written=written,
        axis=axis.below(-style.MARGIN, critical_difference=shown.critical_difference),
        columns=columns,
        row=row,
        pitch=pitch,
        size=size,
        names_right=names_right,
        ranks_right=ranks_right,
    )


def _names(shown: Ranks, row: float) -> tuple[float, float]:
    """Return the font size of the names, smaller where they are long, and their width."""
    for size in (style.BODY, style.SMALL, style.TINY):
        width = style.widest(shown.names, size=size, bold=bool(shown.verdicts))
        if style.text_height(size) <= 0.9 * row and (size < style.BODY or width <= LONG):
            break
    return size, width


def _folded(shown: Ranks) -> tuple[float, tuple[str, ...]]:
    """Return the size and the names of a list on a phone."""
    size = style.SMALL
    names = (style.fold(name, NAMES, size=size, anywhere=True) for name in shown.names)
    return size, tuple(map("\n".join, names))


def draw_list(page: ListPage) -> Figure:
    """Draw a page."""
    figure, axes = page.canvas()
    draw_rank_axis(axes, page.axis)
    draw_critical_difference_to_scale(
        axes, page.axis, page.shown.critical_difference, page=page.width
    )
    _draw_guides(axes, page)
    _draw_breaks(axes, page)
    for i, name in enumerate(page.shown.names):
        _draw_row(axes, page, i)
        middle, half = page.y(i), page.row / 2
        ends = style.MARGIN, page.width - style.MARGIN
        style.mark(figure, (*ends, middle - half, middle + half), name)
    for group, column in zip(page.shown.groups, page.columns, strict=True):
        _draw_group(axes, page, group, page.x(column))
    return page.captioned(figure)


def _draw_guides(axes: Axes, page: ListPage) -> None:
    """Lead the eye from a name to its dots."""
    ends = page.ranks_right + GAP / 2, page.width - style.MARGIN
    rows = [[(x, page.y(i)) for x in ends] for i in range(len(page.shown.names))]
    style.draw_lines(axes, rows, gid="guides", colors=style.FAINT, linewidths=0.5, zorder=0)


def _draw_row(axes: Axes, page: ListPage, i: int) -> None:
    """Write the name and its mean rank, and put a mark where that stands on the axis."""
    shown = page.shown
    name, y = shown.names[i], page.y(i)
    verdict = shown.verdicts[i] if shown.verdicts else "at"
    look: dict[str, Any] = {"size": page.size, "bold": verdict == "control", "gid": f"name:{name}"}
    style.write(axes, page.names_right, y, page.written[i], ha="right", **look)
    look = {"size": min(page.size, style.SMALL), "gid": f"rank:{name}"}
    style.write_small(axes, page.ranks_right, y, shown.texts[i], ha="right", **look)
    if math.isnan(shown.ranks[i]):
        return
    mark = verdict_mark(verdict)
    if verdict == "at":
        mark.update(color=style.INK, markeredgecolor=style.INK, markersize=0.8 * DOT)
    gid = f"{verdict}:{name}"
    style.draw_line(axes, [page.axis.x(shown.ranks[i])], [y], gid=gid, **mark)


def _draw_breaks(axes: Axes, page: ListPage) -> None:
    """Rule off the parts that no data set joins."""
    ends = style.MARGIN, page.width - style.MARGIN
    rules = [[(x, page.y(i) + page.row / 2) for x in ends] for i in page.shown.breaks]
    if rules:
        style.draw_lines(axes, rules, gid="breaks", colors=style.INK, linewidths=1.0, zorder=5)


def _draw_group(axes: Axes, page: ListPage, group: tuple[int, ...], x: float) -> None:
    def at(i: int) -> tuple[float, float]:
        return x, page.y(i)

    draw_broken_bar(axes, group, at, page.shown.named(group), dot=min(DOT, 43 * page.pitch))


def draw_critical_difference(result: Comparison | Ordering) -> Figure:
    """Draw the mean ranks of a comparison, or of the comparison inside an ordering.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``name:svr``, ``rank:svr``, ``bar:svr|svl``; ``leader:svr`` in a
        line, ``at:svr`` in a list; against a control ``differs:svr``, ``same:svl`` and
        ``control:c45``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008")
    >>> found = palio.compare(table, test="mean-ranks", correction="nemenyi")
    >>> figure = draw(found, "critical-difference")
    >>> [line.get_gid() for line in figure.axes[0].lines if line.get_gid().startswith("bar")]
    ['bar:svr|svl', 'bar:svl|mlp', 'bar:mlp|lnp|sv2|5nn|c45|mdt']
    """
    comparison = comparison_of(result)
    extent = extent_of(comparison)
    shown = Ranks.of(comparison, extent)
    said = [_of_ranks(comparison)]
    if result.kind == "ordering" and (ordering := cast("Ordering", result)).mean_places:
        by = f"{ordering.test} and {weighed(ordering.cost or {})}".removesuffix(" and ")
        said.append(f"The ranks are places in MultiTest's order on each data set, by {by}.")
    if shown.verdicts:
        control = shown.names[shown.verdicts.index("control")]
        said.append(f"A full dot marks what differs significantly from the control, {control}.")
    elif not drawable(shown) or not comparison.groups:
        shown = replace(shown, groups=())
        said.append("There are too many groups to draw. The comparison matrix shows every pair.")
    elif not shown.groups:
        said.append("Every two differ significantly.")
    bars = [_of_bars(shown)] if shown.groups else []
    # On a line, what stands between the ranks of another part would seem to be ordered with them.
    if len(comparison.components) == 1:
        line = lay_out_line(shown, extent.caption(*said, *bars))
        if line.legible:
            return draw_line(line)
    dots = [_DOTS] if shown.groups else []
    return draw_list(lay_out_list(shown, extent.caption(*said, *dots)))


def _of_ranks(comparison: Comparison) -> str:
    """Say what the numbers are."""
    n, whole = comparison.n_complete, comparison.n_datasets
    if n == whole or PAIR_TESTS[comparison.method].on_ranks:
        return f"Mean ranks over {style.some_datasets(n, whole)}; 1 is best."
    return (
        f"Mean ranks over {style.count_datasets(whole)}, adjusted for those that each lacks; 1 is "
        "best."
    )


_DOTS = "No significant difference was found between algorithms on the dots of one bar."


def _of_bars(shown: Ranks) -> str:
    """Say what the bars of a line mean."""
    if all(map(unbroken, shown.groups)):
        return "A bar joins algorithms between which no significant difference was found."
    return (
        "A bar joins algorithms between which no significant difference was found; one with dots "
        "joins only those on its dots."
    )
