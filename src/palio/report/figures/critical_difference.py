"""The critical-difference line of Demšar (2006): mean ranks, and who does not differ from whom.

A thick bar joins a group that does not differ. Pairwise tests may give groups with a stranger
among them in mean-rank order; a bar would claim the stranger too, so these are written out below.
Against a control there are no groups: a full dot marks an algorithm that differs from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from palio.report.figures import style
from palio.report.figures.kinds import comparison_of
from palio.report.numbers import rank as _shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering

# Inches.
TICK, TICK_GAP = 0.06, 0.03
CAP, CD_GAP = 0.04, 0.09
BAR_PITCH, BAR_OVERHANG, BAR_CLEAR, BAR_BLOCK = 0.1, 0.05, 0.1, 0.13
ROW = 0.19
ELBOW, LABEL_GAP, RANK_GAP, DOT_INSET = 0.16, 0.06, 0.1, 0.03
NARROWEST, PAGE = 3.4, 7.0

# Groups, and their letters, written out under the figure; all of them are in the summary.
MOST_SCATTERED, MOST_LETTERS = 8, 600

# Points.
BAR_WEIGHT, LEADER_WEIGHT, AXIS_WEIGHT, DOT = 3.2, 0.7, 1.0, 4.2


def draw_critical_difference(result: Comparison | Ordering) -> Figure:
    """Draw the mean ranks of a comparison, or of the comparison inside an ordering.

    Parameters
    ----------
    result : Comparison or Ordering
        An ordering is drawn by the comparison that it holds.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``leader:svr``, ``name:svr``, ``rank:svr``, ``bar:svr|svl``; against
        a control ``differs:svr``, ``same:svl`` and ``control:c45``.

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
    line = _read(comparison)
    page = _lay_out(line, _caption(comparison, line))
    figure, axes = style.canvas(page.width, page.height)
    _draw_axis(axes, page)
    _draw_critical_difference(axes, page)
    for i in range(len(line.names)):
        _draw_leader(axes, page, i)
        _draw_verdict(axes, page, i)
    _draw_bars(axes, page)
    style.paragraph(axes, style.MARGIN, page.caption_top, page.caption, gid="caption")
    return figure


@dataclass(frozen=True)
class Line:
    """What is drawn: names best first with their mean ranks, groups as runs of places."""

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    critical_difference: float | None
    runs: tuple[tuple[int, int], ...]
    scattered: tuple[tuple[str, ...], ...]
    # Against a control: what each is, ``control``, ``differs`` or ``same``; else nothing.
    verdicts: tuple[str, ...] = ()


def _read(comparison: Comparison) -> Line:
    ranks, order = comparison.mean_ranks, comparison.by_mean_rank
    runs: list[tuple[int, int]] = []
    scattered: list[tuple[str, ...]] = []
    for group in comparison.groups if comparison.control is None else ():
        places = sorted(order.index(name) for name in group)
        if len(places) < 2:
            continue
        if _covers_no_stranger(places, [ranks[name] for name in order]):
            runs.append((places[0], places[-1]))
        else:
            scattered.append(tuple(style.clean(order[i]) for i in places))
    return Line(
        tuple(style.clean(name) for name in order),
        tuple(ranks[name] for name in order),
        comparison.critical_difference,
        tuple(sorted(runs)),
        tuple(scattered),
        _verdicts(comparison),
    )


def _verdicts(comparison: Comparison) -> tuple[str, ...]:
    """Say of each algorithm whether it differs from the control."""
    control, differ = comparison.control, comparison.differing
    if control is None:
        return ()
    return tuple(
        "control" if name == control else "differs" if name in differ else "same"
        for name in comparison.by_mean_rank
    )


def _covers_no_stranger(places: list[int], ranks: list[float]) -> bool:
    """Whether a bar over these places lies over no other; a tie with its end would be under it."""
    first, last = ranks[places[0]], ranks[places[-1]]
    slack = 1e-9 * max(1.0, abs(last))
    covered = [i for i, rank in enumerate(ranks) if first - slack <= rank <= last + slack]
    return covered == places


def _caption(comparison: Comparison, line: Line) -> str:
    text = f"Mean ranks over {style.count_datasets(comparison.n_datasets)}; 1 is best."
    if line.runs:
        text += " A bar joins algorithms that do not differ significantly."
    if line.verdicts:
        control = line.names[line.verdicts.index("control")]
        text += f" A full dot marks what differs significantly from the control, {control}."
    return text + _scattered(line.scattered)


def _scattered(groups: tuple[tuple[str, ...], ...]) -> str:
    """Write out groups that no bar can join, as many as a caption holds."""
    if not groups:
        return ""
    sets: list[str] = []
    for group in groups[:MOST_SCATTERED]:
        sets.append(", ".join(group))
        if sum(map(len, sets)) > MOST_LETTERS:
            sets.pop()
            break
    if not sets:
        return f" Not drawn: {len(groups)} groups that do not differ, but are not neighbours."
    more = len(groups) - len(sets)
    rest = f"; and {more} more." if more else "."
    return f" Not different, but not neighbours: {'; '.join(sets)}{rest}"


@dataclass(frozen=True)
class Page:
    """The measures of the figure in inches; heights are negative, from the top down."""

    line: Line
    width: float
    height: float
    axis: tuple[float, float]
    axis_y: float
    cd_y: float
    rows_top: float
    bars: tuple[Bar, ...]
    caption: list[str]
    caption_top: float

    @property
    def lowest(self) -> int:
        """The rank at the left end of the axis."""
        return min(1, math.floor(self.line.ranks[0]))

    @property
    def highest(self) -> int:
        """The rank at the right end of the axis."""
        return max(len(self.line.ranks), math.ceil(self.line.ranks[-1]), self.lowest + 1)

    def x(self, rank: float) -> float:
        """Return where a mean rank stands on the axis."""
        share = (rank - self.lowest) / (self.highest - self.lowest)
        return self.axis[0] + share * (self.axis[1] - self.axis[0])

    def on_left(self, i: int) -> bool:
        """Whether the better half, to which a name belongs, is written on the left."""
        return i < _half(self.line)

    def row_y(self, i: int) -> float:
        """Return the height of a name: the outermost ranks on top, so that no leaders cross."""
        row = i if self.on_left(i) else len(self.line.names) - 1 - i
        return self.rows_top - row * ROW


@dataclass(frozen=True)
class Bar:
    """A group that does not differ: its places, its ends in inches, its level below the axis."""

    run: tuple[int, int]
    left: float
    right: float
    level: int


def _half(line: Line) -> int:
    return (len(line.names) + 1) // 2


def _lay_out(line: Line, caption: str) -> Page:
    n = len(line.names)
    left = _column_width(line, 0, _half(line))
    right = _column_width(line, _half(line), n)
    room = PAGE - 2 * style.MARGIN - left - right
    axis_width = max(2.0, min(0.5 * (n - 1), room), 0.12 * n)
    inner = max(NARROWEST, left + axis_width + right)
    start = style.MARGIN + left
    page = Page(
        line=line,
        width=inner + 2 * style.MARGIN,
        height=0.0,
        # What is left of the narrowest page lengthens the axis.
        axis=(start, style.MARGIN + inner - right),
        axis_y=0.0,
        cd_y=0.0,
        rows_top=0.0,
        bars=(),
        caption=style.wrap(caption, inner, size=style.SMALL),
        caption_top=0.0,
    )
    return _from_the_top(replace(page, bars=_bars(page)))


def _column_width(line: Line, first: int, stop: int) -> float:
    """Return the width that names, their mean ranks and the ends of their leaders take."""
    bold = bool(line.verdicts)
    names = [style.text_extent(name, bold=bold).width for name in line.names[first:stop]]
    ranks = [style.text_extent(_shown(r), size=style.SMALL).width for r in line.ranks[first:stop]]
    return max(names, default=0.0) + RANK_GAP + max(ranks, default=0.0) + LABEL_GAP + ELBOW


def _from_the_top(page: Page) -> Page:
    """Stack the critical difference, the axis, the bars, the names and the caption."""
    small = style.text_height(style.SMALL)
    y = -style.MARGIN
    cd_y = y
    if page.line.critical_difference is not None:
        cd_y = y - small - TICK_GAP - CAP
        y = cd_y - CAP - CD_GAP
    axis_y = y - small - TICK_GAP - TICK
    depth = max((bar.level + 1 for bar in page.bars), default=0) * BAR_PITCH
    rows_top = axis_y - BAR_BLOCK - depth - ROW / 2
    caption_top = rows_top - ROW * _half(page.line) - 0.02
    bottom = caption_top - style.paragraph_height(page.caption) - style.MARGIN
    return replace(
        page,
        height=-bottom,
        axis_y=axis_y,
        cd_y=cd_y,
        rows_top=rows_top,
        caption_top=caption_top,
    )


def _bars(page: Page) -> tuple[Bar, ...]:
    """Place the bars, each a little longer than its group but clear of its neighbours' leaders."""
    ends = []
    x = [page.x(rank) for rank in page.line.ranks]
    for first, last in page.line.runs:
        before = x[first] - x[first - 1] if first > 0 else math.inf
        after = x[last + 1] - x[last] if last + 1 < len(x) else math.inf
        left = x[first] - min(BAR_OVERHANG, before / 3)
        ends.append((left, x[last] + min(BAR_OVERHANG, after / 3)))
    levels = _levels(ends, BAR_CLEAR)
    return tuple(
        Bar(run, left, right, level)
        for run, (left, right), level in zip(page.line.runs, ends, levels, strict=True)
    )


def _levels(spans: list[tuple[float, float]], apart: float) -> list[int]:
    """Give each span, sorted by its left end, the first level where it touches no other.

    >>> _levels([(0, 2), (1, 3), (2.5, 4)], 0.1)
    [0, 1, 0]
    """
    ends: list[float] = []
    levels = []
    for left, right in spans:
        free = [i for i, end in enumerate(ends) if end + apart <= left]
        level = free[0] if free else len(ends)
        ends[level : level + 1] = [right]
        levels.append(level)
    return levels


def _stroke(axes: Axes, points: list[tuple[float, float]], gid: str, **look: Any) -> None:
    xs, ys = zip(*points, strict=True)
    look = {"color": style.INK, "solid_capstyle": "butt", "solid_joinstyle": "miter", **look}
    axes.add_line(Line2D(xs, ys, gid=gid, **look))


def _draw_axis(axes: Axes, page: Page) -> None:
    y = page.axis_y
    ends = [(page.x(page.lowest), y), (page.x(page.highest), y)]
    _stroke(axes, ends, "axis", lw=AXIS_WEIGHT, solid_capstyle="projecting")
    unit = page.x(page.lowest + 1) - page.x(page.lowest)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if step * unit >= 0.28)
    for rank in range(page.lowest, page.highest + 1):
        # 1, 3, 5 … but 1, 5, 10 …
        major = rank == 1 or (rank + (step == 2)) % step == 0
        if not major and unit < 0.06:
            continue
        x, length = page.x(rank), TICK if major else TICK / 2
        _stroke(axes, [(x, y), (x, y + length)], f"tick:{rank}", lw=AXIS_WEIGHT * 0.8)
        if major and (rank == 1 or (rank - 1) * unit >= 0.28):
            place: dict[str, Any] = {"ha": "center", "va": "bottom", "gid": f"tick-label:{rank}"}
            style.write(axes, x, y + TICK + TICK_GAP, str(rank), size=style.SMALL, **place)


def _draw_critical_difference(axes: Axes, page: Page) -> None:
    cd = page.line.critical_difference
    if cd is None:
        return
    text = f"CD = {cd:.3f}"
    start, end = page.axis[0], page.x(page.lowest + cd)
    if end > page.axis[1]:
        end = page.axis[1]
        text += ", longer than the axis"
    y = page.cd_y
    outline = [(start, y + CAP), (start, y - CAP), (start, y), (end, y), (end, y + CAP)]
    _stroke(axes, [*outline, (end, y - CAP)], "critical-difference", lw=AXIS_WEIGHT * 1.3)
    half = style.text_extent(text, size=style.SMALL).width / 2
    x = min(max((start + end) / 2, style.MARGIN + half), page.width - style.MARGIN - half)
    place: dict[str, Any] = {"ha": "center", "va": "bottom", "gid": "critical-difference-label"}
    style.write(axes, x, y + CAP + TICK_GAP, text, size=style.SMALL, **place)


def _draw_leader(axes: Axes, page: Page, i: int) -> None:
    """Draw the line from a mean rank to its name, and the name."""
    name, rank = page.line.names[i], page.line.ranks[i]
    x, y = page.x(rank), page.row_y(i)
    side = -1 if page.on_left(i) else 1
    end = page.axis[0 if side < 0 else 1] + side * ELBOW
    points = [(x, page.axis_y), (x, y), (end, y)]
    _stroke(axes, points, f"leader:{name}", lw=LEADER_WEIGHT, color=style.MUTED)
    place: dict[str, Any] = {"ha": "right" if side < 0 else "left", "va": "center_baseline"}
    shown = _shown(rank)
    at = end + side * LABEL_GAP
    style.write(
        axes, at, y, shown, size=style.SMALL, color=style.MUTED, gid=f"rank:{name}", **place
    )
    ranks = page.line.ranks[: _half(page.line)] if side < 0 else page.line.ranks[_half(page.line) :]
    widest = max(style.text_extent(_shown(r), size=style.SMALL).width for r in ranks)
    bold = bool(page.line.verdicts) and page.line.verdicts[i] == "control"
    at += side * (widest + RANK_GAP)
    style.write(axes, at, y, name, bold=bold, gid=f"name:{name}", **place)


def _draw_verdict(axes: Axes, page: Page, i: int) -> None:
    """Put a dot at the end of a leader: full if the algorithm differs from the control."""
    if not page.line.verdicts:
        return
    verdict = page.line.verdicts[i]
    gid = f"{verdict}:{page.line.names[i]}"
    look: dict[str, Any] = {"marker": "o", "markersize": DOT, "zorder": 4, "ls": "none"}
    look["color"] = look["markeredgecolor"] = style.VERMILLION
    if verdict == "same":
        look["color"], look["markeredgecolor"] = style.PAPER, style.MUTED
    elif verdict == "control":
        look.update(marker="D", color=style.BLUE, markeredgecolor=style.BLUE)
    side = -1 if page.on_left(i) else 1
    end = page.axis[0 if side < 0 else 1] + side * (ELBOW - DOT_INSET)
    axes.add_line(Line2D([end], [page.row_y(i)], gid=gid, **look))


def _draw_bars(axes: Axes, page: Page) -> None:
    for bar in page.bars:
        y = page.axis_y - BAR_BLOCK - bar.level * BAR_PITCH
        gid = "bar:" + "|".join(page.line.names[bar.run[0] : bar.run[1] + 1])
        ends = [(bar.left, y), (bar.right, y)]
        _stroke(axes, ends, gid, lw=BAR_WEIGHT, color=style.BLUE, zorder=3)
