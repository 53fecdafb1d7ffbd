"""Mean ranks as a list: a row for each algorithm, a column for each group.

It holds what the line cannot: many algorithms, many groups, and mean ranks so close that a bar
could not be seen to leave one of them out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palio.report.figures import style
from palio.report.figures.mean_ranks import (
    DOT,
    RankAxis,
    Ranks,
    draw_broken_bar,
    draw_critical_difference_to_scale,
    draw_rank_axis,
    levels,
    verdict_mark,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches.
TALLEST = 8.6
ROW, LOWEST_ROW = 0.19, 0.14
GAP, BLOCK_GAP = 0.1, 0.14
AXIS, SHORTEST_AXIS, SHORT = 3.0, 1.2, 0.6
LONG, NAMES = 2.2, 1.3
PITCH, NARROWEST_PITCH = 0.13, 0.06

# With more columns of groups than this, or that on a phone, none is drawn.
MOST_COLUMNS, FEW_COLUMNS = 60, 14


@dataclass(frozen=True)
class Page(style.Page):
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


def lay_out_list(shown: Ranks, caption: str) -> Page:
    """Return the page of a list."""
    columns = columns_of(shown)
    count = max(columns, default=-1) + 1
    row = max(LOWEST_ROW, min(ROW, TALLEST / len(shown.names)))
    size, names = _names(shown, row)
    written = shown.names
    if style.is_narrow():
        size, written = _folded(shown)
        row = max(row, style.text_extent(max(written, key=_lines), size=size).height + 0.02)
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
    return Page(
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


def _lines(text: str) -> int:
    return text.count("\n")


def draw_list(page: Page) -> Figure:
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


def _draw_guides(axes: Axes, page: Page) -> None:
    """Lead the eye from a name to its dots."""
    ends = page.ranks_right + GAP / 2, page.width - style.MARGIN
    rows = [[(x, page.y(i)) for x in ends] for i in range(len(page.shown.names))]
    style.draw_lines(axes, rows, gid="guides", colors=style.FAINT, linewidths=0.5, zorder=0)


def _draw_row(axes: Axes, page: Page, i: int) -> None:
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


def _draw_breaks(axes: Axes, page: Page) -> None:
    """Rule off the parts that no data set joins."""
    ends = style.MARGIN, page.width - style.MARGIN
    rules = [[(x, page.y(i) + page.row / 2) for x in ends] for i in page.shown.breaks]
    if rules:
        style.draw_lines(axes, rules, gid="breaks", colors=style.INK, linewidths=1.0, zorder=5)


def _draw_group(axes: Axes, page: Page, group: tuple[int, ...], x: float) -> None:
    def at(i: int) -> tuple[float, float]:
        return x, page.y(i)

    draw_broken_bar(axes, group, at, page.shown.named(group), dot=min(DOT, 43 * page.pitch))
