"""How much of the variance of a score each source has, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palio.numbers import hundredths
from palio.report.figures import style
from palio.report.figures.axis import Axis, AxisPage, draw_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.comparison.variance import Component, Variance

# Light enough for a line upon it.
FILL = "#8FBEDC"

# Inches; a bar is so much of its row.
PAGE, ROW, GAP, COLUMN_GAP, BAR, CAP = 6.0, 0.26, 0.08, 0.12, 0.62, 0.04


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
    page = _lay_out(result)
    figure, axes = page.canvas()
    draw_axis(axes, page.axis, top=page.top, bottom=page.bottom, page=page.width)
    _draw_bars(axes, page)
    return page.captioned(figure)


@dataclass(frozen=True)
class Page(AxisPage):
    """A row for each component."""

    rows: tuple[Component, ...]

    @property
    def top(self) -> float:
        """The top of the rows."""
        return -style.MARGIN

    @property
    def bottom(self) -> float:
        """The height of the axis below the rows."""
        return self.y(len(self.rows))

    def y(self, row: float) -> float:
        """Return the upper edge of a row; halves are centres."""
        return self.top - row * ROW


def _lay_out(result: Variance) -> Page:
    names = style.widest(style.clean(part.name) for part in result.components) + GAP
    shares = style.widest(["100 %"], size=style.SMALL) + COLUMN_GAP
    inner = PAGE - 2 * style.MARGIN
    ends = (style.MARGIN + names, style.MARGIN + inner - shares)
    highest = max(part.share_interval[1] for part in result.components)
    label = f"per cent of the variance of a single {style.clean(result.unit_of_scores)}"
    axis = Axis((0.0, 100 * min(1.0, 1.04 * highest) or 100.0), ends, label)
    return Page(text=_caption(result), inner=inner, axis=axis, rows=result.components)


def _caption(result: Variance) -> str:
    zero = [part.name for part in result.components if part.at_zero]
    none = f" Shown as 0, for the estimate is not above it: {', '.join(zero)}." if zero else ""
    return (
        f"What {style.clean(result.unit_of_scores)} varies by, on "
        f"{style.count_datasets(result.n_datasets)}, by {result.method}; lines are "
        f"{100 * (1 - result.alpha):g} % intervals. {style.clean(result.model)}.{none}"
    )


def _draw_bars(axes: Axes, page: Page) -> None:
    left, bars, lines = page.axis.ends[0], [], []
    for i, part in enumerate(page.rows):
        middle, half = page.y(i + 0.5), BAR * ROW / 2
        right = page.axis.place(100 * part.share)
        bars.append(style.box(left, right, middle - half, middle + half))
        low, high = (page.axis.place(100 * limit) for limit in part.share_interval)
        lines += [
            [(low, middle), (high, middle)],
            *([(x, middle - CAP), (x, middle + CAP)] for x in (low, high)),
        ]
        name, text = style.clean(part.name), f"{hundredths(part.share)} %"
        style.write(axes, left - GAP, middle, name, ha="right", gid=f"name:{part.name}")
        look: dict[str, Any] = {"size": style.SMALL, "ha": "right", "gid": f"share:{part.name}"}
        style.write(axes, style.MARGIN + page.inner, middle, text, **look)
    style.draw_shapes(axes, bars, facecolors=FILL, linewidths=0, gid="bars")
    style.draw_lines(axes, lines, colors=style.INK, linewidths=1.0, gid="intervals")
