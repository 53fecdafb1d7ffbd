"""How the scores of folds are distributed, an algorithm in each row.

As in Yıldız and Alpaydın (2006), Figures 3 and 4, but for the rows: there all curves share one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palio.report.figures import style
from palio.report.figures.axis import (
    Axis,
    AxisPage,
    direction_label,
    draw_axis,
    limits_around,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.studies.yildiz2006_figures import Density, ErrorDensities

SHADE = "#D6E8F4"

# Inches.
PAGE, NARROWEST_AXIS = 5.6, 2.4
GAP, ROW, STRIP = 0.07, 0.5, 0.12


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
    figure, axes = page.canvas()
    draw_axis(axes, page.axis, top=-style.MARGIN, bottom=page.bottom, page=page.width)
    highest = max(max(row.density) for row in page.rows)
    for i, row in enumerate(page.rows):
        _draw_row(axes, page.axis, row, base=page.base(i), unit=0.94 * (ROW - STRIP) / highest)
    return page.captioned(figure)


@dataclass(frozen=True)
class Page(AxisPage):
    """A row for each algorithm."""

    rows: Sequence[Density]

    def base(self, row: int) -> float:
        """Return the height on which a curve stands, above the strip of its mean."""
        return -style.MARGIN - (row + 1) * ROW + STRIP

    @property
    def bottom(self) -> float:
        """The height of the axis."""
        return -style.MARGIN - len(self.rows) * ROW


def _lay_out(result: ErrorDensities) -> Page:
    rows = result.algorithms
    names = style.widest(style.clean(row.name) for row in rows) + GAP
    label = direction_label(result.measure)
    needed = max(NARROWEST_AXIS, style.text_extent(label, size=style.SMALL).width)
    inner = max(PAGE - 2 * style.MARGIN, names + needed)
    ends = (style.MARGIN + names, style.MARGIN + inner)
    return Page(
        text=_caption(result),
        inner=inner,
        axis=Axis(limits_around([x for row in rows for x in row.x], 0.02), ends, label),
        rows=rows,
    )


def _caption(result: ErrorDensities) -> str:
    return (
        f"{style.clean(result.dataset)}, {result.n_folds} folds: density of the "
        f"{style.clean(result.measure.name)}. All curves have the same area. Dots and bars: "
        "the mean, and one standard deviation to both sides."
    )


def _draw_row(axes: Axes, axis: Axis, row: Density, *, base: float, unit: float) -> None:
    name = style.clean(row.name)
    left, right = axis.ends
    style.write(axes, left - GAP, base, name, ha="right", va="bottom", gid=f"name:{name}")
    xs = axis.at(row.x).tolist()
    ys = [base + unit * height for height in row.density]
    area = [(xs[0], base), *zip(xs, ys, strict=True), (xs[-1], base)]
    style.draw_shapes(axes, [area], gid=f"curve:{name}", facecolors=SHADE, lw=0, zorder=1)
    style.draw_line(axes, (left, right), (base, base), color=style.FAINT, lw=0.7, zorder=2)
    style.draw_line(axes, xs, ys, gid=f"outline:{name}", color=style.BLUE, lw=1.1, zorder=3)
    y = base - STRIP / 2
    spread = [axis.place(row.mean + side * row.sd) for side in (-1, 1)]
    ink: dict[str, Any] = {"color": style.INK, "zorder": 4}
    bar: dict[str, Any] = {"lw": 1.6, "solid_capstyle": "butt", "gid": f"spread:{name}"}
    style.draw_line(axes, spread, (y, y), **bar, **ink)
    dot: dict[str, Any] = {"marker": "o", "markersize": 3.6, "gid": f"mean:{name}"}
    style.draw_line(axes, (axis.place(row.mean),), (y,), **dot, **ink)
