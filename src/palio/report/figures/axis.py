"""A horizontal axis under rows or bars: where values stand, its ticks and what it is called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from palio.numbers import minus
from palio.report.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches.
TICK, GAP, BLOCK_GAP = 0.05, 0.06, 0.14


@dataclass(frozen=True)
class Axis:
    """Values between ``limits`` stand between the places ``ends``, in inches.

    On an axis of ``ratios`` values are logarithms, and the ticks are called by the ratios.
    """

    limits: tuple[float, float]
    ends: tuple[float, float]
    label: str
    ratios: bool = False

    def at(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return where values stand."""
        (low, high), (left, right) = self.limits, self.ends
        return left + (np.asarray(values, dtype=np.float64) - low) / (high - low) * (right - left)

    def place(self, value: float) -> float:
        """Return where one value stands, the nearer end if it is beyond."""
        return float(np.clip(self.at(value), *self.ends))

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Return where the ticks stand, as values, and what is written there."""
        if not self.ratios:
            ticks = tick_values(*self.limits, most=most)
            return list(zip(ticks, tick_texts(ticks), strict=True))
        ratios = ratio_ticks(*self.limits, most=most)
        return [(math.log(each), f"{each:g}") for each in ratios]


def limits_around(values: ArrayLike, room: float, *, least: float = 1e-9) -> tuple[float, float]:
    """Return limits a share of their distance beyond values, and apart if these are all the same.

    >>> limits_around([0.0, 10.0], 0.05), limits_around([2.0, 2.0], 0.05)
    ((-0.5, 10.5), (1.0, 3.0))
    """
    low, high = float(np.min(values)), float(np.max(values))
    beyond = room * (high - low) or 0.5 * max(abs(high), least)
    return low - beyond, high + beyond


@dataclass(frozen=True)
class AxisPage(style.Page):
    """A page on which rows or bars stand on an axis, and the caption stands below it."""

    axis: Axis

    # Inches between the axis and the caption.
    gap: ClassVar[float] = BLOCK_GAP

    @property
    def bottom(self) -> float:
        """The height of the axis."""
        raise NotImplementedError

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.bottom - axis_height(self.axis) - self.gap


@dataclass(frozen=True)
class Rows:
    """Rows of one height below each other, and the size of what is written in them."""

    n: int
    top: float
    height: float
    size: float = style.BODY

    @classmethod
    def fitting(cls, n: int, top: float, low: float, high: float, room: float) -> Rows:
        """Return n rows, as high as the room allows between two limits."""
        height = max(low, min(high, room / n))
        return cls(n, top, height, style.largest_within(height))

    @property
    def bottom(self) -> float:
        """The lower edge of the last row."""
        return self.y(self.n)

    def y(self, row: float) -> float:
        """Return the upper edge of a row; halves are centres."""
        return self.top - row * self.height

    @property
    def middles(self) -> list[float]:
        """The heights of their centres."""
        return [self.y(i + 0.5) for i in range(self.n)]


@dataclass(frozen=True)
class RowsPage(AxisPage):
    """A page with rows above its axis."""

    rows: Rows

    @property
    def bottom(self) -> float:
        """The height of the axis below the rows."""
        return self.rows.bottom


def draw_intervals(
    axes: Axes,
    axis: Axis,
    rows: Rows,
    shown: Sequence[tuple[float, float, float]],
    colours: list[str],
    gids: tuple[str, str],
) -> None:
    """Draw an interval and a dot in each row: of each the value, the low and the high end."""
    lines = [
        [(axis.place(end), y) for end in ends]
        for (_, *ends), y in zip(shown, rows.middles, strict=True)
    ]
    thick = 2.2 if rows.height >= 0.2 else 1.6
    look: dict[str, Any] = {"colors": colours, "linewidths": thick, "capstyle": "butt", "zorder": 2}
    style.draw_lines(axes, lines, gid=gids[0], **look)
    xs = [axis.place(value) for value, *_ in shown]
    dot: dict[str, Any] = {"s": (2.6 * thick) ** 2, "linewidths": 0, "zorder": 3, "gid": gids[1]}
    axes.scatter(xs, rows.middles, c=colours, **dot)


class _Directed(Protocol):
    """What an axis shows: a measure, or a scale of effects."""

    @property
    def name(self) -> str: ...
    @property
    def higher_is_better(self) -> bool: ...


def direction_label(shown: _Directed, *, before: str = "") -> str:
    """Name an axis, with an arrow to where better scores are.

    >>> from palio.measures import Measure
    >>> direction_label(Measure("error", higher_is_better=False))
    '← error, lower is better'
    """
    name = style.clean(before + shown.name)
    if shown.higher_is_better:
        return f"{name}, higher is better →"
    return f"← {name}, lower is better"


def axis_height(axis: Axis) -> float:
    """Return the height of the ticks, their texts and the label, in inches."""
    label = style.text_extent(_label(axis), size=style.SMALL).height
    return TICK + GAP / 2 + style.text_height(style.SMALL) + GAP + label


def _label(axis: Axis) -> str:
    """Return the label, in lines where it is wider than the page."""
    lines = style.fold(axis.label, style.column_width(), size=style.SMALL, anywhere=True)
    return "\n".join(lines)


def draw_axis(
    axes: Axes, axis: Axis, *, top: float, bottom: float, page: float, most: int = 7
) -> None:
    """Draw ticks as lines from ``top``, their texts, and the label; ``page`` is its width."""
    ticks = axis.ticks(most)
    xs = axis.at([value for value, _ in ticks])
    draw_rules(axes, [[(x, top), (x, bottom - TICK)] for x in xs], gid="ticks")
    y = bottom - TICK - GAP / 2
    for x, (_, text) in zip(xs, ticks, strict=True):
        half = style.text_extent(text, size=style.SMALL).width / 2
        x = min(float(x), page - half - 0.02)
        style.write_small(axes, x, y, text, ha="center", va="top", gid=f"tick-label:{text}")
    y -= style.text_height(style.SMALL) + GAP
    label = _label(axis)
    half = style.text_extent(label, size=style.SMALL).width / 2
    middle = max(half + style.MARGIN, min(sum(axis.ends) / 2, page - half - 0.02))
    style.write_small(axes, middle, y, label, ha="center", va="top", gid="axis-label")


def draw_rules(axes: Axes, lines: Sequence[Any], *, gid: str) -> None:
    """Draw the lines of ticks, behind everything else."""
    style.draw_lines(axes, lines, colors=style.FAINT, linewidths=0.6, zorder=0, gid=gid)


def tick_values(low: float, high: float, *, most: int = 7) -> list[float]:
    """Return round numbers between two limits.

    >>> tick_values(-0.5, 1.0, most=3)
    [-0.5, 0.0, 0.5, 1.0]
    """
    found = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    near_zero = 1e-9 * (high - low)
    return [float(t) if abs(t) > near_zero else 0.0 for t in found if low <= t <= high]


def ratio_ticks(low: float, high: float, *, most: int = 7) -> list[float]:
    """Return round ratios whose logarithms lie between two limits, 1 among them if it does.

    >>> ratio_ticks(-0.8, 0.4, most=4), ratio_ticks(-5.0, 5.0, most=4)
    ([0.5, 1.0], [0.01, 0.1, 1.0, 10.0, 100.0])
    """
    if high - low < math.log(5):
        return tick_values(math.exp(low), math.exp(high), most=most)
    for factors in ((1, 2, 5), (1,)):
        tens = range(math.floor(low / math.log(10)), math.ceil(high / math.log(10)) + 1)
        found = [float(f"{factor}e{ten}") for ten in tens for factor in factors]
        shown = [each for each in found if low <= math.log(each) <= high]
        if len(shown) <= most + 1:
            return shown
    step = math.ceil(len(shown) / most)
    return [each for each in shown if round(math.log10(each)) % step == 0]


def tick_texts(ticks: Sequence[float]) -> list[str]:
    """Write the ticks with as many decimals as they have, all alike, and no offset.

    >>> tick_texts([-0.5, 0.0, 0.5]), tick_texts([0.0, 0.025, 0.05]), tick_texts([0.0, 2e6])
    (['−0.5', '0.0', '0.5'], ['0.000', '0.025', '0.050'], ['0', '2e+06'])
    """
    largest = max(map(abs, ticks), default=0.0)
    if largest and not 1e-4 <= largest < 1e6:
        return [minus(f"{tick:.3g}") for tick in ticks]
    least = 1e-6 * min(np.diff(ticks), default=1.0)
    decimals = 0
    while any(abs(tick - round(tick, decimals)) > least for tick in ticks):
        decimals += 1
    return [minus(f"{tick:.{decimals}f}") for tick in ticks]
