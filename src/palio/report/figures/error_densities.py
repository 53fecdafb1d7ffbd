"""How the scores of folds are distributed, an algorithm in each row.

As in Yıldız and Alpaydın (2006), Figures 3 and 4, but for the rows: there all curves share one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D

from palio.report.figures import style
from palio.report.figures.axis import Axis, axis_height, direction_label, draw_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.studies.yildiz2006_figures import Density, ErrorDensities

SHADE = "#D6E8F4"

# Inches.
PAGE, NARROWEST_AXIS = 5.6, 2.4
GAP, BLOCK_GAP, ROW, STRIP = 0.07, 0.14, 0.5, 0.12


def draw_error_densities(result: ErrorDensities) -> Figure:
    """Draw a density of each algorithm's scores, all to one scale, over their mean and spread.

    Parameters
    ----------
    result : ErrorDensities
        Of one algorithm or several.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``name:c45``, ``curve:c45``, ``spread:c45``, ``mean:c45``.

    Examples
    --------
    >>> from palio.measures import Measure
    >>> from palio.studies.yildiz2006_figures import Density, ErrorDensities
    >>> error = Measure("error rate in %", higher_is_better=False)
    >>> curve = Density("c45", 6.0, 2.0, [0, 6, 12], [0, 0.2, 0])
    >>> figure = draw_error_densities(ErrorDensities("iris", error, 1000, (curve,)))
    >>> sorted(line.get_gid() for line in figure.axes[0].lines if line.get_gid())
    ['mean:c45', 'outline:c45', 'spread:c45']
    """
    page = _lay_out(result)
    figure, axes = style.canvas(page.width, page.height)
    draw_axis(axes, page.axis, top=-style.MARGIN, bottom=page.bottom, page=page.width)
    highest = max(max(row.density) for row in page.rows)
    for i, row in enumerate(page.rows):
        _draw_row(axes, page.axis, row, base=page.base(i), unit=0.94 * (ROW - STRIP) / highest)
    style.paragraph(axes, style.MARGIN, page.caption_top, page.caption, gid="caption")
    return figure


@dataclass(frozen=True)
class Page:
    """The measures of the figure in inches; heights are negative, from the top down."""

    rows: Sequence[Density]
    axis: Axis
    caption: list[str]
    width: float

    def base(self, row: int) -> float:
        """Return the height on which a curve stands, above the strip of its mean."""
        return -style.MARGIN - (row + 1) * ROW + STRIP

    @property
    def bottom(self) -> float:
        """The height of the axis."""
        return -style.MARGIN - len(self.rows) * ROW

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.bottom - axis_height() - BLOCK_GAP

    @property
    def height(self) -> float:
        """The height of the page."""
        return style.paragraph_height(self.caption) + style.MARGIN - self.caption_top


def _lay_out(result: ErrorDensities) -> Page:
    rows = result.algorithms
    names = max(style.text_extent(style.clean(row.name)).width for row in rows) + GAP
    label = direction_label(result.measure)
    needed = max(NARROWEST_AXIS, style.text_extent(label, size=style.SMALL).width)
    inner = max(PAGE - 2 * style.MARGIN, names + needed)
    ends = (style.MARGIN + names, style.MARGIN + inner)
    return Page(
        rows=rows,
        axis=Axis(_limits(rows), ends, label),
        caption=style.wrap(_caption(result), inner, size=style.SMALL),
        width=inner + 2 * style.MARGIN,
    )


def _limits(rows: Sequence[Density]) -> tuple[float, float]:
    """Return the ends of the axis, a little beyond the curves."""
    low, high = min(min(row.x) for row in rows), max(max(row.x) for row in rows)
    room = 0.02 * (high - low) or 0.5
    return low - room, high + room


def _caption(result: ErrorDensities) -> str:
    return (
        f"{style.clean(result.dataset)}, {result.n_folds} folds: density of the "
        f"{style.clean(result.measure.name)}. All curves have the same area. Dots and bars: "
        "the mean, and one standard deviation to both sides."
    )


def _draw_row(axes: Axes, axis: Axis, row: Density, *, base: float, unit: float) -> None:
    name = style.clean(row.name)
    left, right = axis.ends
    place: dict[str, Any] = {"ha": "right", "va": "bottom", "gid": f"name:{name}"}
    style.write(axes, left - GAP, base, name, **place)
    xs = axis.at(row.x).tolist()
    ys = [base + unit * height for height in row.density]
    area = [(xs[0], base), *zip(xs, ys, strict=True), (xs[-1], base)]
    look: dict[str, Any] = {"facecolors": SHADE, "lw": 0, "zorder": 1}
    axes.add_collection(PolyCollection([area], gid=f"curve:{name}", **look), autolim=False)
    axes.add_line(Line2D((left, right), (base, base), color=style.FAINT, lw=0.7, zorder=2))
    line: dict[str, Any] = {"color": style.BLUE, "lw": 1.1, "zorder": 3}
    axes.add_line(Line2D(xs, ys, gid=f"outline:{name}", **line))
    y = base - STRIP / 2
    spread = [axis.place(row.mean + side * row.sd) for side in (-1, 1)]
    ink: dict[str, Any] = {"color": style.INK, "zorder": 4}
    bar: dict[str, Any] = {"lw": 1.6, "solid_capstyle": "butt", "gid": f"spread:{name}"}
    axes.add_line(Line2D(spread, (y, y), **bar, **ink))
    dot: dict[str, Any] = {"marker": "o", "markersize": 3.6, "gid": f"mean:{name}"}
    axes.add_line(Line2D((axis.place(row.mean),), (y,), **dot, **ink))
