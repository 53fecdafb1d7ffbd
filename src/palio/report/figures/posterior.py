"""One pair of a posterior: its difference as a histogram, its three probabilities in a triangle.

The region of practical equivalence is shaded, as in Kruschke (2013). The triangle is that of
Benavoli, Corani, Demšar and Zaffalon (2017): a corner is certainty, and the lines part the draws
by their most probable outcome.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palio.numbers import limit, region, signed_alike
from palio.report.figures import style
from palio.report.figures.axis import Axis, AxisPage, draw_axis, limits_around
from palio.report.figures.kinds import present
from palio.report.figures.pairs import (
    Outcome,
    label_height,
    label_width,
    outcomes,
    where_from,
    write_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.bayes.answer import Detail, Histogram, PosteriorAnswer, Scale

SHADE = "#E9EBEE"

# Inches.
PAGE, PLOT, STRIP = 5.6, 2.1, 0.2
GAP, LABEL_GAP = 0.07, 0.2


def draw_posterior(result: PosteriorAnswer) -> Figure:
    """Draw the draws of one pair's difference as a histogram in three colours.

    Parameters
    ----------
    result : PosteriorAnswer
        Whose ``detail`` has a difference.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``region``, ``area:a``, ``area:equal``, ``area:b``, ``hdi``,
        ``mean``, ``probability:a``, ``outcome:a`` and so on.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.bayes.anova(table, rope=1.0), "posterior")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["probability:a"], texts["outcome:a"]
    ('>0.999', 'svr better')
    """
    page = _lay_out(result)
    figure, axes = page.canvas()
    _draw_region(axes, page)
    _draw_areas(axes, page)
    _draw_interval(axes, page)
    draw_axis(axes, page.axis, top=page.plot_top, bottom=page.bottom, page=page.width)
    pair = {"a": page.detail.a, "b": page.detail.b}
    style.mark(figure, (*page.axis.ends, page.bottom, page.plot_top), *pair.values())
    for outcome, left, middle in page.labels():
        write_label(axes, outcome, left, middle)
        box = left, left + label_width(outcome), middle - GAP, middle + GAP
        if outcome.key in pair:
            style.mark(figure, box, pair[outcome.key])
    return page.captioned(figure)


@dataclass(frozen=True)
class Page(AxisPage):
    """Labels, bars, and below them the strip of the interval."""

    detail: Detail
    difference: Histogram
    rope: float
    # The outcomes from left to right: who is better on the left depends on the measure.
    sides: tuple[Outcome, ...]

    @property
    def in_a_row(self) -> bool:
        """Whether the three labels fit side by side."""
        wide = sum(label_width(outcome) + LABEL_GAP for outcome in self.sides) - LABEL_GAP
        return wide <= self.inner

    @property
    def plot_top(self) -> float:
        """The top of the shaded region."""
        rows = 1 if self.in_a_row else len(self.sides)
        return -style.MARGIN - rows * (label_height() + GAP)

    @property
    def base(self) -> float:
        """The height on which the bars stand."""
        return self.plot_top - PLOT

    @property
    def bottom(self) -> float:
        """The height of the axis, below the strip of the interval."""
        return self.base - STRIP

    def bounds(self) -> tuple[float, float, float, float]:
        """Return the places of the ends of the axis and of the region, from left to right."""
        left, right = self.axis.ends
        return left, self.axis.place(-self.rope), self.axis.place(self.rope), right

    def labels(self) -> Iterator[tuple[Outcome, float, float]]:
        """Yield each label with its left end and its height: over its region where they fit."""
        first = -style.MARGIN - label_height() / 2
        if not self.in_a_row:
            for i, outcome in enumerate(self.sides):
                yield outcome, style.MARGIN, first - i * (label_height() + GAP)
            return
        bounds, widths = self.bounds(), [label_width(outcome) for outcome in self.sides]
        wanted = [(bounds[i] + bounds[i + 1] - width) / 2 for i, width in enumerate(widths)]
        for outcome, left in zip(self.sides, _apart(wanted, widths, self.width), strict=True):
            yield outcome, left, first


def _apart(wanted: Sequence[float], widths: Sequence[float], page: float) -> list[float]:
    """Move labels as little as needed so that none touches another or leaves the page.

    >>> _apart([0.0, 0.5, 3.0], [1.0, 1.0, 1.0], 6.0)
    [0.12, 1.32, 3.0]
    """
    lefts: list[float] = []
    free = style.MARGIN
    for left, width in zip(wanted, widths, strict=True):
        lefts.append(max(left, free))
        free = lefts[-1] + width + LABEL_GAP
    end = page - style.MARGIN
    for i in reversed(range(len(lefts))):
        lefts[i] = min(lefts[i], end - widths[i])
        end = lefts[i] - LABEL_GAP
    return lefts


def _lay_out(result: PosteriorAnswer) -> Page:
    detail, scale = present(result.detail), result.scale
    difference = present(detail.difference)
    named = outcomes(detail)
    sides = named[::-1] if scale.higher_is_better else named
    label = _label(detail, scale)
    inner = min(PAGE, style.page_width()) - 2 * style.MARGIN
    if not style.is_narrow():
        wide = (label_width(outcome) for outcome in sides)
        inner = max(inner, *wide, style.text_extent(label, size=style.SMALL).width)
    return Page(
        text=_caption(result, detail, difference),
        inner=inner,
        axis=Axis(
            _limits(detail, difference, scale.rope), (style.MARGIN, style.MARGIN + inner), label
        ),
        detail=detail,
        difference=difference,
        rope=scale.rope,
        sides=sides,
    )


def _label(detail: Detail, scale: Scale) -> str:
    a, b = style.clean(detail.a), style.clean(detail.b)
    return f"{a} − {b}: difference in {style.clean(scale.name)}"


def _limits(detail: Detail, difference: Histogram, rope: float) -> tuple[float, float]:
    """Return ends that hold the bars, the interval and the region."""
    edges = difference.edges
    return limits_around((edges[0], edges[-1], *detail.hdi, -rope, rope), 0.05)


def _caption(result: PosteriorAnswer, detail: Detail, difference: Histogram) -> str:
    rope = result.scale.rope
    mean, low, high = signed_alike([detail.mean, *detail.hdi])
    said = [
        f"{where_from(result)}: {difference.n} draws of the difference.",
        f"Shaded: practically equal, within ±{limit(rope)}."
        if rope
        else "No difference is called practically none: the region is 0 alone.",
        f"Dot and bar: the mean {mean} and the {100 * result.mass:g}\u00a0% highest-density "
        f"interval {low}\u00a0…\u00a0{high}.",
    ]
    if detail.points is not None:
        said.append(
            "The probabilities say in which share of the draws each outcome is the most probable "
            "of the three; they are not areas of the histogram."
        )
    if difference.beyond:
        said.append(f"Beyond the bars: {difference.beyond} of the draws.")
    return " ".join(said)


def _draw_region(axes: Axes, page: Page) -> None:
    _, left, right, _ = page.bounds()
    top, bottom = page.plot_top, page.base
    if page.rope:
        shade = style.box(left, right, bottom, top)
        style.draw_shapes(axes, [shade], facecolors=SHADE, lw=0, zorder=-1, gid="region")
    zero = page.axis.place(0.0)
    look: dict[str, Any] = {"color": style.MUTED, "lw": 0.8, "zorder": 3, "linestyle": (0, (2, 2))}
    style.draw_line(axes, (zero, zero), (top, bottom), gid="zero", **look)


def _draw_areas(axes: Axes, page: Page) -> None:
    """Draw the bars; one that an edge of the region cuts has two colours."""
    bounds = page.bounds()
    edges = page.axis.at(page.difference.edges).tolist()
    counts = page.difference.counts
    unit = 0.94 * PLOT / max(max(counts), 1)
    for i, outcome in enumerate(page.sides):
        boxes = []
        for left, right, count in zip(edges, edges[1:], counts, strict=False):
            left, right = max(left, bounds[i]), min(right, bounds[i + 1])
            if count and left < right:
                boxes.append(style.box(left, right, page.base, page.base + unit * count))
        if not boxes:
            continue
        # Edges in the colour of the faces: otherwise hairlines of paper show between the bars.
        look: dict[str, Any] = {"facecolors": outcome.colour, "edgecolors": outcome.colour}
        style.draw_shapes(axes, boxes, lw=0.4, zorder=1, gid=f"area:{outcome.key}", **look)
    base = (page.base, page.base)
    style.draw_line(axes, page.axis.ends, base, color=style.INK, lw=0.8, zorder=2)


def _draw_interval(axes: Axes, page: Page) -> None:
    y = page.base - STRIP / 2
    low, high = (page.axis.place(end) for end in page.detail.hdi)
    look: dict[str, Any] = {"color": style.INK, "zorder": 4}
    bar: dict[str, Any] = {"lw": 2.4, "solid_capstyle": "butt", "gid": "hdi"}
    style.draw_line(axes, (low, high), (y, y), **bar, **look)
    dot: dict[str, Any] = {"marker": "o", "markersize": 5.5, "gid": "mean"}
    style.draw_line(axes, (page.axis.place(page.detail.mean),), (y,), **dot, **look)


PALE = ("#E7F1F8", "#F0F1F3", "#FBEADF")

# Inches; the triangle is equilateral.
SIDE, CORNER_GAP, BLOCK_GAP, CORNERS_APART = 3.4, 0.08, 0.16, 0.25
TALL = SIDE * math.sqrt(0.75)


def draw_simplex(result: PosteriorAnswer) -> Figure:
    """Draw how probable the three outcomes of a pair are, a point for each draw.

    Parameters
    ----------
    result : PosteriorAnswer
        Whose ``detail`` has points.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``regions``, ``borders``, ``points``, ``probability:a``,
        ``outcome:a`` and so on.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.bayes.sign(table, rope=1.0), "simplex")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["probability:a"], texts["outcome:equal"]
    ('0.996', 'practically equal')
    """
    detail = present(result.detail)
    points = np.asarray(present(detail.points), dtype=np.float64)
    page = _lay_out_triangle(detail, _about_triangle(result, len(points)))
    figure, axes = page.canvas()
    _draw_triangle(axes, page)
    _draw_points(axes, page, points)
    _write_corners(axes, page)
    return page.captioned(figure)


@dataclass(frozen=True)
class TrianglePage(style.Page):
    """A triangle, and a label at each of its corners."""

    corners: tuple[Outcome, Outcome, Outcome]

    @property
    def top(self) -> float:
        """The height of the upper corner."""
        return -style.MARGIN - label_height() - CORNER_GAP

    @property
    def stacked(self) -> bool:
        """Whether the labels of the lower corners need a line each."""
        a, _, b = self.corners
        return label_width(a) + CORNERS_APART + label_width(b) > self.inner

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        lines = 2 if self.stacked else 1
        return self.top - TALL - lines * (CORNER_GAP + label_height()) - BLOCK_GAP

    def at(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where probabilities (…, 3) stand: a to the left, b to the right, equal above."""
        left = (self.width - SIDE) / 2
        low = self.top - TALL
        corners = np.array(
            [(left, low), (left + SIDE / 2, self.top), (left + SIDE, low)], dtype=np.float64
        )
        # Not by BLAS, for three numbers.
        return np.asarray((shares[..., :, None] * corners).sum(axis=-2))


def _lay_out_triangle(detail: Detail, caption: str) -> TrianglePage:
    corners = outcomes(detail)
    inner = max(SIDE, *(label_width(corner) for corner in corners))
    both = label_width(corners[0]) + CORNERS_APART + label_width(corners[2])
    # A little wider, if the labels of the lower corners then share a line.
    inner = max(inner, both) if both <= 1.5 * SIDE else inner
    return TrianglePage(caption, inner, corners)


def _about_triangle(result: PosteriorAnswer, drawn: int) -> str:
    draws = result.diagnostics.n_draws
    some = f"{drawn} of {draws}" if drawn < draws else str(drawn)
    return (
        f"{where_from(result)}: {some} draws of how probable each outcome is, "
        f"{region(result.rope, ratios=result.scale.ratios)}. A corner is certainty; the lines part "
        "the draws by their most probable outcome, and the probabilities are the shares of all "
        "draws."
    )


def _draw_triangle(axes: Axes, page: TrianglePage) -> None:
    corners = np.eye(3)
    centre = np.full(3, 1 / 3)
    middles = (1 - corners) / 2  # of the side across from each corner
    kites = [
        page.at(np.array([corners[i], middles[j], centre, middles[k]]))
        for i, j, k in ((0, 1, 2), (1, 0, 2), (2, 0, 1))
    ]
    style.draw_shapes(axes, kites, facecolors=PALE, lw=0, zorder=0, gid="regions")
    borders = [page.at(np.array([centre, middle])) for middle in middles]
    line: dict[str, Any] = {"colors": style.MUTED, "linewidths": 0.8, "zorder": 1}
    style.draw_lines(axes, borders, gid="borders", **line)
    line = {"facecolors": "none", "edgecolors": style.INK, "lw": 0.9, "zorder": 2}
    style.draw_shapes(axes, [page.at(corners)], gid="triangle", **line)


def _draw_points(axes: Axes, page: TrianglePage, points: NDArray[np.float64]) -> None:
    places = page.at(points)
    colours = [page.corners[most].colour for most in points.argmax(axis=1).tolist()]
    look: dict[str, Any] = {"s": 5.0, "alpha": 0.6, "linewidths": 0, "zorder": 3, "gid": "points"}
    axes.scatter(places[:, 0], places[:, 1], c=colours, **look)


def _write_corners(axes: Axes, page: TrianglePage) -> None:
    a, equal, b = page.corners
    above = -style.MARGIN - label_height() / 2
    below = page.top - TALL - CORNER_GAP - label_height() / 2
    write_label(axes, equal, (page.width - label_width(equal)) / 2, above)
    write_label(axes, a, style.MARGIN, below)
    if page.stacked:
        below -= CORNER_GAP + label_height()
    write_label(axes, b, page.width - style.MARGIN - label_width(b), below)
