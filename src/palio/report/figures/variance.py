"""What scores vary by, and what the standard error of a difference would be with more of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.numbers import hundredths
from palio.report.figures import style
from palio.report.figures.axis import (
    GAP,
    TICK,
    Axis,
    Rows,
    RowsPage,
    draw_axis,
    tick_texts,
    tick_values,
)
from palio.report.figures.plots import draw_frame, placed
from palio.words import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.comparison.variance import Component, Variance

# Inches.
PAGE, TALL, BLOCK_GAP = 5.6, 2.4, 0.16


def draw_standard_errors(result: Variance) -> Figure:
    """Draw the standard error against how many times as many scores there would be.

    Parameters
    ----------
    result : Variance
        With its curves.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``curve:data sets``, ``name:data sets``, ``half``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> figure = draw(palio.variance(palio.load_study("ulas2008")), "standard-errors")
    >>> sorted(text.get_text() for text in figure.axes[0].texts if "name" in text.get_gid())
    ['data sets', 'splits']
    """
    page = _lay_out(result)
    figure, axes = page.canvas()
    _draw_frame(axes, page)
    _draw_curves(axes, page, result)
    return page.captioned(figure)


@dataclass(frozen=True)
class Page(style.Page):
    """A frame with the names of the curves to its right, where these end."""

    left: float
    right: float
    most: float
    top_value: float
    label: str

    @property
    def bottom(self) -> float:
        """The height of the lower edge of the frame."""
        return -style.MARGIN - TALL

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.tick_top - 2 * (style.text_height(style.SMALL) + GAP) - BLOCK_GAP

    @property
    def tick_top(self) -> float:
        """The top of the numbers below the frame, below the lowest of those beside it."""
        return self.bottom - TICK - style.text_height(style.SMALL) / 2

    def across(self, multiples: Any) -> np.ndarray:
        """Return where multiples stand, each doubling as far as the last."""
        share = np.log2(multiples) / math.log2(self.most)
        return np.asarray(self.left + (self.right - self.left) * share)

    def down(self, values: Any) -> np.ndarray:
        """Return where standard errors stand."""
        return np.asarray(self.bottom + TALL * np.asarray(values) / self.top_value)


def _lay_out(result: Variance) -> Page:
    highest = 1.04 * max(max(curve.standard_errors) for curve in result.curves) or 1.0
    ticks = style.widest(tick_texts(tick_values(0.0, highest, most=6)), size=style.SMALL)
    left = style.MARGIN + style.text_height(style.SMALL) + GAP + ticks + TICK
    names = style.widest(style.clean(curve.what) for curve in result.curves)
    return Page(
        text=_caption(result),
        inner=PAGE - 2 * style.MARGIN,
        left=left,
        right=PAGE - style.MARGIN - names - GAP,
        most=result.curves[0].multiples[-1],
        top_value=highest,
        label=f"standard error, {style.clean(result.unit_of_scores)}",
    )


def _caption(result: Variance) -> str:
    inner = ((result.numbers.units, result.unit), (result.numbers.replicates, result.replicate))
    now = [style.count_datasets(result.numbers.datasets)]
    now += [f"{_mean_count(number, what)} each" for number, what in inner if what is not None]
    drawn = "other data sets like these" if result.over == "datasets" else "these data sets"
    return (
        f"The standard error of a difference of two algorithms on {drawn}, if there were more "
        f"of one thing and as many of the others: now {', '.join(now)}. "
        "Dotted: half of what it is now."
    )


def _mean_count(number: float, what: str) -> str:
    """Write how many there are, on average where that differs.

    >>> _mean_count(1.0, "seed"), _mean_count(55.35, "item")
    ('1 seed', 'about 55 items')
    """
    whole = round(number)
    return count(whole, what) if whole == number else f"about {count(whole, what)}"


def _draw_frame(axes: Axes, page: Page) -> None:
    frame = page.left, page.right, page.bottom, -style.MARGIN
    multiples = [2**i for i in range(int(math.log2(page.most)) + 1)]
    values = tick_values(0.0, page.top_value, most=6)
    xs = placed(page.across(multiples), [f"×{m}" for m in multiples])
    ys, labels = placed(page.down(values), tick_texts(values)), ("scores, now being ×1", page.label)
    draw_frame(axes, frame, xs, ys, labels, drop=page.bottom - page.tick_top)


def _draw_curves(axes: Axes, page: Page, result: Variance) -> None:
    """Draw each curve, and its name where it ends, with room between names."""
    half = result.curves[0].standard_errors[0] / 2
    dotted: dict[str, Any] = {"color": style.MUTED, "linestyle": ":", "lw": 0.8, "gid": "half"}
    style.draw_line(axes, (page.left, page.right), page.down([half, half]), **dotted)
    lowest = page.bottom - style.text_height(style.BODY)
    by_end = sorted(enumerate(result.curves), key=lambda each: each[1].standard_errors[-1])
    for i, curve in by_end:
        # One that lies under another shows between its dashes.
        look = {**style.line_look(i), "linestyle": style.DASHES[i % len(style.DASHES)]}
        xs, ys = page.across(curve.multiples), page.down(curve.standard_errors)
        style.draw_line(axes, xs, ys, lw=1.4, gid=f"curve:{curve.what}", **look)
        lowest = max(float(ys[-1]), lowest + style.text_height(style.BODY))
        at, gid = page.right + GAP, f"name:{curve.what}"
        style.write(axes, at, lowest, style.clean(curve.what), color=look["color"], gid=gid)


# Light enough for a line upon it.
FILL = "#8FBEDC"

# Inches; a bar is so much of its row.
SHARES_PAGE, ROW, NAME_GAP, COLUMN_GAP, BAR, CAP = 6.0, 0.26, 0.08, 0.12, 0.62, 0.04


def draw_variance_shares(result: Variance) -> Figure:
    """Draw the share of each component as a bar, with its interval.

    Parameters
    ----------
    result : Variance
        With its components.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``bars``, ``intervals``, ``name:split``, ``share:split``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> figure = draw(palio.variance(palio.load_study("ulas2008")), "variance-shares")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["share:data set"]
    '81 %'
    """
    page = _lay_out_shares(result)
    figure, axes = page.canvas()
    draw_axis(axes, page.axis, top=page.rows.top, bottom=page.bottom, page=page.width)
    _draw_bars(axes, page)
    return page.captioned(figure)


@dataclass(frozen=True)
class SharesPage(RowsPage):
    """A row for each component."""

    parts: tuple[Component, ...]


def _lay_out_shares(result: Variance) -> SharesPage:
    names = style.widest(style.clean(part.name) for part in result.components) + NAME_GAP
    shares = style.widest(["100 %"], size=style.SMALL) + COLUMN_GAP
    inner = SHARES_PAGE - 2 * style.MARGIN
    ends = (style.MARGIN + names, style.MARGIN + inner - shares)
    highest = max(part.share_interval[1] for part in result.components)
    label = f"per cent of the variance of a single {style.clean(result.unit_of_scores)}"
    axis = Axis((0.0, 100 * min(1.0, 1.04 * highest) or 100.0), ends, label)
    rows = Rows(len(result.components), -style.MARGIN, ROW)
    return SharesPage(_about_shares(result), inner, axis, rows, result.components)


def _about_shares(result: Variance) -> str:
    zero = [part.name for part in result.components if part.at_zero]
    none = f" Shown as 0, for the estimate is not above it: {', '.join(zero)}." if zero else ""
    return (
        f"What {style.clean(result.unit_of_scores)} varies by, on "
        f"{style.count_datasets(result.n_datasets)}, by {result.method}; lines are "
        f"{100 * (1 - result.alpha):g} % intervals. {style.clean(result.model)}.{none}"
    )


def _draw_bars(axes: Axes, page: SharesPage) -> None:
    left, bars, lines = page.axis.ends[0], [], []
    half = BAR * ROW / 2
    for middle, part in zip(page.rows.middles, page.parts, strict=True):
        right = page.axis.place(100 * part.share)
        bars.append(style.box(left, right, middle - half, middle + half))
        low, high = (page.axis.place(100 * limit) for limit in part.share_interval)
        lines += [
            [(low, middle), (high, middle)],
            *([(x, middle - CAP), (x, middle + CAP)] for x in (low, high)),
        ]
        name, text = style.clean(part.name), f"{hundredths(part.share)} %"
        style.write(axes, left - NAME_GAP, middle, name, ha="right", gid=f"name:{part.name}")
        look: dict[str, Any] = {"size": style.SMALL, "ha": "right", "gid": f"share:{part.name}"}
        style.write(axes, style.MARGIN + page.inner, middle, text, **look)
    style.draw_shapes(axes, bars, facecolors=FILL, linewidths=0, gid="bars")
    style.draw_lines(axes, lines, colors=style.INK, linewidths=1.0, gid="intervals")
