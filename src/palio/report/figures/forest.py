"""Effects or differences with their intervals.

Of a posterior the effects of all algorithms, and who is practically as good as the best; of a
comparison the differences of pairs on each data set (`difference_forest`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from palio.errors import ParameterError
from palio.numbers import limit, probability
from palio.report.figures import style
from palio.report.figures.axis import (
    Axis,
    Rows,
    RowsPage,
    direction_label,
    draw_axis,
    draw_intervals,
    limits_around,
)
from palio.report.figures.difference_forest import draw_differences
from palio.report.figures.kinds import comparison_of
from palio.report.figures.pairs import where_from

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.bayes.answer import PosteriorAnswer
    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering

SHADE = "#E9EBEE"

# Inches.
PAGE, NARROWEST_AXIS = 7.0, 2.4
GAP, COLUMN_GAP = 0.06, 0.14
TALL_ROW, LOW_ROW, ROWS = 0.26, 0.15, 7.5

COLUMNS = {"p_best": "P(best)", "p_as_good": "P(as good)"}


def draw_forest(
    result: PosteriorAnswer | Comparison | Ordering, *, algorithms: Sequence[str] | None = None
) -> Figure:
    """Draw effects, or differences on each data set, with their intervals.

    Parameters
    ----------
    result : PosteriorAnswer, Comparison or Ordering
        Of a joint model, the mean and the interval of each algorithm's effect, best first. Of a
        comparison, one algorithm minus another on each data set and over all: the control, the
        one in focus or else the first, minus the three best of the others.
    algorithms : sequence of str, optional
        Of a comparison: one, and those that it is compared with.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``region``, ``intervals``, ``means``, ``name:svr``,
        ``p_best:svr``, ``p_as_good:svr``; of a comparison those of `draw_differences`.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"])
    >>> figure = draw(palio.bayes.anova(table, rope=1.0), "forest")
    >>> texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    >>> texts["p_best:svr"], texts["p_as_good:c45"]
    ('1', '<0.001')
    >>> figure = draw(palio.compare(table), "forest")
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "title:0"]
    ['svr − c45', '+5.19 [+3.35, +7.80]']
    """
    if result.kind == "posterior":
        if algorithms is not None:
            raise ParameterError("algorithms", "the effects of a posterior are of all of them")
        return _draw_effects(cast("PosteriorAnswer", result))
    return draw_differences(comparison_of(cast("Comparison | Ordering", result)), algorithms)


def _draw_effects(result: PosteriorAnswer) -> Figure:
    page = _lay_out(result)
    figure, axes = page.canvas()
    _draw_region(axes, page, result.scale.rope)
    rows, effects = page.rows, page.effects
    draw_axis(axes, page.axis, top=rows.top, bottom=rows.bottom, page=page.axis.ends[1])
    shown, colours = [(each.mean, *each.hdi) for each in effects], [each.colour for each in effects]
    draw_intervals(axes, page.axis, rows, shown, colours, ("intervals", "means"))
    _write_rows(axes, page)
    for i, each in enumerate(effects):
        ends = style.MARGIN, page.width - style.MARGIN
        style.mark(figure, (*ends, rows.y(i + 1), rows.y(i)), each.name)
    return page.captioned(figure)


@dataclass(frozen=True)
class Row:
    """An algorithm: its effect, whether it may be the best, and its probabilities in words."""

    name: str
    mean: float
    hdi: tuple[float, float]
    in_set: bool
    texts: Mapping[str, str]

    @property
    def colour(self) -> str:
        """Blue if it is in the set that holds the best."""
        return style.BLUE if self.in_set else style.MUTED


@dataclass(frozen=True)
class Page(RowsPage):
    """A row for each algorithm."""

    effects: tuple[Row, ...]


def _lay_out(result: PosteriorAnswer) -> Page:
    effects, scale = _effects(result), result.scale
    top = -style.MARGIN - style.text_height(style.SMALL) - GAP  # below the headings of the columns
    rows = Rows.fitting(len(effects), top, LOW_ROW, TALL_ROW, ROWS)
    names = style.widest((each.name for each in effects), size=rows.size, bold=True) + GAP
    columns = sum(map(_column_width, COLUMNS))
    # Strengths are effects on nothing; other effects are on the measure.
    own = scale.name != result.measure.name
    label = direction_label(scale, before="" if own else "effect on ")
    axis = max(NARROWEST_AXIS, style.text_extent(label, size=style.SMALL).width)
    inner = max(PAGE - 2 * style.MARGIN, names + axis + columns)
    ends = (style.MARGIN + names, style.MARGIN + inner - columns)
    return Page(
        text=_caption(result),
        inner=inner,
        axis=Axis(_limits(effects, scale.rope), ends, label),
        effects=effects,
        rows=rows,
    )


def _effects(result: PosteriorAnswer) -> tuple[Row, ...]:
    effects = {row.algorithm: row for row in result.effects}
    best = {row.algorithm: row for row in result.best}
    return tuple(
        Row(
            name=style.clean(name),
            mean=effects[name].mean,
            hdi=effects[name].hdi,
            in_set=best[name].in_set,
            texts={key: probability(getattr(best[name], key)) for key in COLUMNS},
        )
        for name in result.order
    )


def _column_width(key: str) -> float:
    return COLUMN_GAP + style.widest((COLUMNS[key], ">0.999"), size=style.SMALL)


def _limits(effects: tuple[Row, ...], rope: float) -> tuple[float, float]:
    """Return ends that hold every interval and the region around the best."""
    best = effects[0].mean
    held = [best - rope, best + rope, *(end for row in effects for end in (*row.hdi, row.mean))]
    return limits_around(held, 0.03)


def _caption(result: PosteriorAnswer) -> str:
    best = style.clean(result.order[0])
    rope, mass = result.scale.rope, 100 * result.mass
    shaded = f"Shaded: within ±{limit(rope)} of {best}, which has the best mean. " if rope else ""
    return (
        f"{where_from(result)}: means of the effects and their {mass:g}\u00a0% highest-density "
        f"intervals. {shaded}"
        "P(as good): practically as good as the best, whichever that is. Blue and bold: "
        "the smallest set that holds the best with 95\u00a0%."
    )


def _draw_region(axes: Axes, page: Page, rope: float) -> None:
    left, right = (page.axis.place(page.effects[0].mean + side * rope) for side in (-1, 1))
    shade = style.box(left, right, page.rows.bottom, page.rows.top)
    style.draw_shapes(axes, [shade], facecolors=SHADE, lw=0, zorder=-1, gid="region")


def _write_rows(axes: Axes, page: Page) -> None:
    rows, (left, right) = page.rows, page.axis.ends
    look: dict[str, Any] = {"size": rows.size, "ha": "right"}
    for y, row in zip(rows.middles, page.effects, strict=True):
        style.write(axes, left - GAP, y, row.name, bold=row.in_set, gid=f"name:{row.name}", **look)
    look["size"] = min(style.SMALL, rows.size)
    for key, heading in COLUMNS.items():
        right += _column_width(key)
        place: dict[str, Any] = {"ha": "right", "va": "bottom", "gid": f"heading:{key}"}
        style.write_small(axes, right, rows.top + GAP, heading, **place)
        for y, row in zip(rows.middles, page.effects, strict=True):
            style.write(axes, right, y, row.texts[key], gid=f"{key}:{row.name}", **look)
