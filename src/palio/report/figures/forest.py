"""Effects or differences with their intervals.

Of a posterior the effects of all algorithms, and who is practically as good as the best; of a
comparison the differences of pairs on each data set.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from palio.comparison.forest import Forest, ForestRow
from palio.comparison.sample import CONFIDENCE
from palio.errors import ParameterError
from palio.numbers import limit, probability, ratio, signed_alike
from palio.report.figures import style
from palio.report.figures.axis import (
    Axis,
    Rows,
    RowsPage,
    axis_height,
    direction_label,
    draw_axis,
    draw_intervals,
    limits_around,
)
from palio.report.figures.kinds import comparison_of
from palio.report.figures.pairs import where_from
from palio.words import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.bayes.answer import PosteriorAnswer
    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering

# Inches.
NARROWEST, WIDEST, NAMES = 1.4, 3.2, 1.2
BETWEEN, GAP, BLOCK_GAP, COLUMN_GAP = 0.4, 0.06, 0.14, 0.24
TALL_ROW, LOW_ROW, ROWS = 0.22, 0.115, 6.9

# A page has room for so many data sets; and one is compared with so many others.
MOST_ROWS = 60
MOST_PAIRS = 3

# Inches of a page for each pair.
EACH = 2.3

# An interval that is longer than all differences together says no more if it is drawn whole.
BEYOND = 1.0

# So many steps between ticks, by the number of panels.
TICKS = {1: 6, 2: 4, 3: 3}

COLOURS = {1: style.BLUE, 0: style.MUTED, -1: style.VERMILLION}


def draw_differences(comparison: Comparison, algorithms: Sequence[str] | None = None) -> Figure:
    """Draw the differences of one algorithm to others, on each data set and over all.

    Its artists have ids: ``differences:0``, ``intervals:0``, ``overall:0``, ``title:0`` for each
    pair, ``dataset:iris`` and, of one pair, ``value:iris``.
    """
    one, others, said = _chosen(comparison, algorithms)
    forests = tuple(comparison.forest(one, other) for other in others)
    page = _lay_out(comparison, forests, said)
    figure, axes = page.canvas()
    for i, panel in enumerate(page.panels):
        _draw_panel(axes, page, panel, i)
        box = (*panel.axis.ends, page.bottom, -style.MARGIN)
        style.mark(figure, box, panel.forest.a, panel.forest.b)
    _write_names(axes, page)
    if page.values:
        _write_values(axes, page)
    return page.captioned(figure)


def _chosen(comparison: Comparison, algorithms: Sequence[str] | None) -> tuple[str, list[str], str]:
    """Return whom is compared with whom, and what is said of those that are left out."""
    if algorithms is not None:
        if len(algorithms) < 2:
            raise ParameterError("algorithms", "one and those that it is compared with")
        return algorithms[0], list(algorithms[1:]), ""
    order = comparison.by_standing
    focus = comparison.focus.row.algorithm if comparison.focus is not None else None
    one = comparison.control or focus or order[0]
    met = [name for name in order if comparison.place_of(one, name) is not None]
    if not met:  # nobody met the first: any pair will do
        one, *met = (comparison.pairs[0].a, comparison.pairs[0].b)
    some = met[: min(MOST_PAIRS, int(style.page_width() / EACH))]
    role = "the control" if one == comparison.control else "" if one == focus else "the first"
    if len(met) <= len(some):
        return one, some, ""
    with_role = f"{style.clean(one)} ({role})" if role else style.clean(one)
    best = "the best" if len(some) == 1 else f"the best {len(some)}"
    return one, some, f"Shown: {with_role} against {best} of {len(met)} others."


@dataclass(frozen=True)
class Panel:
    """A pair: its rows in the order of the page, None where it lacks a data set."""

    forest: Forest
    rows: tuple[ForestRow | None, ...]
    axis: Axis


@dataclass(frozen=True)
class Page(style.Page):
    """A row for each data set and one for all, a panel for each pair."""

    names: tuple[str, ...]
    # The names, folded where there is little room.
    written: tuple[str, ...]
    panels: tuple[Panel, ...]
    titles: tuple[tuple[str, ...], ...]
    values: tuple[str, ...]
    higher_is_better: bool
    rows: Rows

    @property
    def rule(self) -> float:
        """The height of the rule between the data sets and all of them."""
        return self.rows.bottom - GAP / 2

    @property
    def last(self) -> float:
        """The height of the row of all data sets."""
        return self.rule - GAP / 2 - TALL_ROW / 2

    @property
    def bottom(self) -> float:
        """The height of the axes."""
        return self.last - TALL_ROW / 2

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.bottom - axis_height(self.panels[0].axis) - BLOCK_GAP


ALL = "all"


def _lay_out(comparison: Comparison, forests: tuple[Forest, ...], said: str) -> Page:
    names, left_out = _shown(forests)
    row = max(LOW_ROW, min(TALL_ROW, ROWS / len(names)))
    size = style.largest_within(row)
    texts, phone = tuple(map(style.clean, names)), style.is_narrow()
    if phone:
        size = min(size, style.SMALL)
        folded = (style.fold(name, NAMES, size=size, anywhere=True) for name in texts)
        texts = tuple(map("\n".join, folded))
        tallest = max(texts, key=lambda name: name.count("\n"))
        row = max(row, style.text_extent(tallest, size=size).height + GAP / 2)
    label = style.widest(texts, size=size)
    label = max(label, style.text_extent(ALL, size=style.SMALL, bold=True).width) + GAP
    ratios = _is_ratio(comparison)
    values = _values(forests[0], names, ratios) if len(forests) == 1 and not phone else ()
    column = COLUMN_GAP + style.widest(values, size=min(size, style.SMALL)) if values else 0.0
    n = len(forests)
    room = (style.column_width() - label - column - (n - 1) * BETWEEN) / n
    written = style.widest((_over_all(forest, ratios) for forest in forests), size=style.SMALL)
    wide = max(min(max(room, NARROWEST), WIDEST), written - BETWEEN / 2)
    limits, x = _limits(forests, names), style.MARGIN + label
    panels = []
    for forest in forests:
        by_name = {each.dataset: each for each in forest.rows}
        axis = Axis(limits, (x, x + wide), _label(comparison), ratios)
        panels.append(Panel(forest, tuple(by_name.get(name) for name in names), axis))
        x += wide + BETWEEN
    titles = tuple(_title(forest, wide, ratios) for forest in forests)
    lines = max(map(len, titles))
    top = -style.MARGIN - lines * style.LEADING * style.text_height(style.SMALL) - GAP
    return Page(
        text=_caption(comparison, forests, said, left_out),
        inner=x - BETWEEN + column - style.MARGIN,
        names=tuple(map(style.clean, names)),
        written=texts,
        panels=tuple(panels),
        titles=titles,
        values=values,
        higher_is_better=_is_upward(comparison),
        rows=Rows(len(names), top, row, size),
    )


def _shown(forests: tuple[Forest, ...]) -> tuple[list[str], str]:
    """Return the data sets, the first pair's largest difference first; of many some of them."""
    first: dict[str, float] = {}
    for forest in forests:
        for row in forest.rows:
            first.setdefault(row.dataset, row.difference)
    own = {row.dataset for row in forests[0].rows}
    names = sorted(first, key=lambda name: (name not in own, -first[name]))
    if len(names) <= MOST_ROWS:
        return names, ""
    some = np.linspace(0, len(names) - 1, MOST_ROWS).round().astype(int).tolist()
    return [names[i] for i in some], (
        f"{MOST_ROWS} of {len(names)} data sets are shown, evenly spaced in this order."
    )


def _limits(forests: tuple[Forest, ...], names: list[str]) -> tuple[float, float]:
    """Return ends that hold zero, each difference, and intervals unless these are very long."""
    shown = set(names)
    rows = [row for forest in forests for row in forest.rows if row.dataset in shown]
    points = [0.0, *(row.difference for row in rows)]
    points += [end for forest in forests for end in forest.overall.interval]
    known = [each for each in points if math.isfinite(each)]
    low, high = min(known), max(known)
    reach = BEYOND * (high - low)
    ends = [end for row in rows for end in row.interval if math.isfinite(end)]
    held = [*known, *(min(max(end, low - reach), high + reach) for end in ends)]
    # Differences that are all zero have nothing between them.
    return limits_around(held, 0.04, least=1.0)


def _is_ratio(comparison: Comparison) -> bool:
    """Whether differences are of logarithms, and so are shown as ratios."""
    return comparison.tested.effects.ratios


def _is_upward(comparison: Comparison) -> bool:
    """Whether what is further to the right is better."""
    measure = comparison.measure
    return measure.goodness_sign > 0 if _is_ratio(comparison) else measure.higher_is_better


def _label(comparison: Comparison) -> str:
    measure = comparison.measure
    if not _is_ratio(comparison):
        return style.clean(f"difference in {measure.name}")
    what = f"1 − {measure.name}" if measure.is_explained_share else measure.name
    return style.clean(f"ratio of {what}, logarithmic")


def _title(forest: Forest, width: float, ratios: bool) -> tuple[str, ...]:
    """Write what is taken from what, or divided by what, and what that is over all."""
    pair = f"{style.clean(forest.a)} {'/' if ratios else '−'} {style.clean(forest.b)}"
    anywhere = not style.is_paper()
    names = style.fold(pair, width, size=style.SMALL, bold=True, anywhere=anywhere)
    return (*names, _over_all(forest, ratios))


def _over_all(forest: Forest, ratios: bool) -> str:
    row = forest.overall
    return _bracketed(*_written([row.difference, *row.interval], ratios))


def _written(values: Iterable[float], ratios: bool) -> list[str]:
    """Write differences alike; those of logarithms as ratios."""
    if not ratios:
        return signed_alike(values)
    return ["–" if math.isnan(value) else ratio(value) for value in values]


def _bracketed(value: str, low: str, high: str) -> str:
    return value if low == "–" else f"{value} [{low}, {high}]"


def _values(forest: Forest, names: list[str], ratios: bool) -> tuple[str, ...]:
    """Write each difference with its interval, all with the same decimals."""
    rows = {row.dataset: row for row in forest.rows}
    flat = _written(
        (value for name in names for value in (rows[name].difference, *rows[name].interval)), ratios
    )
    threes = zip(flat[::3], flat[1::3], flat[2::3], strict=True)
    return tuple(_bracketed(*three) for three in threes)


def _caption(comparison: Comparison, forests: tuple[Forest, ...], said: str, left: str) -> str:
    one, percent = style.clean(forests[0].a), f"{100 * forests[0].confidence:g}\u00a0%"
    ratios = _is_ratio(comparison)
    better = "right" if _is_upward(comparison) else "left"
    order = "." if len(forests) == 1 else f" to {style.clean(forests[0].b)}."
    what = f"How many times as much {one} has" if ratios else f"What {one} has more"
    parts = (
        f"{what}: to the {better} of {'1' if ratios else 'zero'} it is better.",
        _single_said(forests, percent),
        _overall_said(comparison, forests),
        f"Blue: {one} is better, orange: worse, by the interval or, for the diamond, by the test "
        f"({comparison.procedure}); grey: not told apart.",
        f"Data sets are sorted by the {'ratio' if ratios else 'difference'}{order}",
        said,
        left,
    )
    return " ".join(filter(None, parts))


def _overall_said(comparison: Comparison, forests: tuple[Forest, ...]) -> str:
    """Say what the diamond is, as the test estimates it, and the level of its interval."""
    pair = forests[0].pair
    what, _, level = pair.interval_of.rpartition(", ")
    if _is_ratio(comparison):
        what = what.replace("difference", "ratio").replace("mean ratio", "geometric mean ratio")
    rests_on = _rests_on(comparison, forests)
    if math.isnan(pair.interval[0]):
        return f"Diamond: the {what}, over {rests_on}."
    percent = f"{100 * CONFIDENCE:g}\u00a0%"
    interval = f"unadjusted {percent} interval" if level == "unadjusted" else f"interval {level}"
    return f"Diamond: the {what}, over {rests_on}, with its {interval}."


def _single_said(forests: tuple[Forest, ...], percent: str) -> str:
    how = {"items": "items", "folds": "folds (corrected t)"}
    within = next((each.within for each in forests if each.within is not None), None)
    if within is None:
        return "Single data sets have no interval."
    return f"{percent} intervals on a data set are over its {how[within]}, each by itself."


def _rests_on(comparison: Comparison, forests: tuple[Forest, ...]) -> str:
    """Say what the estimate is over, and what it generalises to."""
    sizes = sorted({len(forest.rows) for forest in forests})
    n = count(sizes[-1], "data set")
    n = n if len(sizes) == 1 else f"{sizes[0]} to {n}"
    if comparison.over == "datasets":
        return f"{n}, for others like these"
    of = f"the items of {n}" if forests[0].by == "items" else n
    return f"{of}, for other items"


def _draw_panel(axes: Axes, page: Page, panel: Panel, i: int) -> None:
    axis = panel.axis
    draw_axis(
        axes,
        axis,
        top=page.rows.top,
        bottom=page.bottom,
        page=page.width,
        most=TICKS[min(len(page.panels), max(TICKS))],
    )
    zero = axis.place(0.0)
    style.draw_lines(
        axes, [[(zero, page.rows.top), (zero, page.bottom)]],
        colors=style.MUTED, linewidths=0.9, zorder=1, gid=f"zero:{i}",
    )  # fmt: skip
    middle = sum(axis.ends) / 2
    for line, text in enumerate(page.titles[i]):
        last = line == len(page.titles[i]) - 1
        below = len(page.titles[i]) - 1 - line
        y = page.rows.top + GAP + below * style.LEADING * style.text_height(style.SMALL)
        look: dict[str, Any] = {"ha": "center", "va": "bottom", "bold": not last}
        style.write(axes, middle, y, text, size=style.SMALL, gid=f"title:{i}", **look)
    _draw_rows(axes, page, panel, i)
    _draw_overall(axes, page, panel, i)


def _draw_rows(axes: Axes, page: Page, panel: Panel, i: int) -> None:
    turn = 1 if page.higher_is_better else -1
    there = [(page.rows.y(at + 0.5), row) for at, row in enumerate(panel.rows) if row is not None]
    spread = [(y, row) for y, row in there if math.isfinite(row.interval[0])]
    axis, thick = panel.axis, 1.6 if page.rows.height >= 0.16 else 1.1
    lines = [[(axis.place(end), y) for end in row.interval] for y, row in spread]
    colours = [COLOURS[turn * row.side] for _, row in spread]
    look: dict[str, Any] = {"linewidths": thick, "capstyle": "butt", "zorder": 2}
    if lines:
        style.draw_lines(axes, lines, colors=colours, gid=f"intervals:{i}", **look)
    _draw_beyond(axes, axis, spread, colours, 0.3 * min(page.rows.height, TALL_ROW), i)
    dot: dict[str, Any] = {"s": (2.4 * thick) ** 2, "linewidths": 0, "zorder": 3}
    xs = [axis.place(row.difference) for _, row in there]
    ys, marks = [y for y, _ in there], [COLOURS[turn * row.side] for _, row in there]
    axes.scatter(xs, ys, c=marks, gid=f"differences:{i}", **dot)


def _draw_beyond(
    axes: Axes,
    axis: Axis,
    spread: list[tuple[float, ForestRow]],
    colours: list[str],
    half: float,
    i: int,
) -> None:
    """Draw a head where an interval goes on beyond the axis."""
    heads, filled = [], []
    for (y, row), colour in zip(spread, colours, strict=True):
        for side, end in zip((-1, 1), row.interval, strict=True):
            limit, x = axis.limits[(side + 1) // 2], axis.ends[(side + 1) // 2]
            if side * end > side * limit:
                heads.append(
                    [(x, y), (x - side * 2 * half, y + half), (x - side * 2 * half, y - half)]
                )
                filled.append(colour)
    if heads:
        style.draw_shapes(axes, heads, facecolors=filled, lw=0, zorder=3, gid=f"beyond:{i}")


def _draw_overall(axes: Axes, page: Page, panel: Panel, i: int) -> None:
    axis, row, y = panel.axis, panel.forest.overall, page.last
    low, high = row.interval
    x = axis.place(row.difference)
    left, right = (axis.place(end) if math.isfinite(end) else x for end in (low, high))
    half = 0.36 * TALL_ROW
    # A difference without an interval is a small diamond of its own width.
    left, right = min(left, x - half / 3), max(right, x + half / 3)
    shape = [(left, y), (x, y + half), (right, y), (x, y - half)]
    colour = COLOURS[panel.forest.sign]
    style.draw_shapes(axes, [shape], facecolors=colour, lw=0, zorder=3, gid=f"overall:{i}")
    style.draw_lines(
        axes, [[(axis.ends[0], page.rule), (axis.ends[1], page.rule)]],
        colors=style.FAINT, linewidths=0.8, zorder=1, gid=f"rule:{i}",
    )  # fmt: skip


def _write_names(axes: Axes, page: Page) -> None:
    x = page.panels[0].axis.ends[0] - GAP
    for at, (name, text) in enumerate(zip(page.names, page.written, strict=True)):
        y, gid = page.rows.y(at + 0.5), f"dataset:{name}"
        style.write(axes, x, y, text, size=page.rows.size, ha="right", gid=gid)
    style.write(axes, x, page.last, ALL, size=style.SMALL, bold=True, ha="right", gid="all")


def _write_values(axes: Axes, page: Page) -> None:
    x, size = page.width - style.MARGIN, min(page.rows.size, style.SMALL)
    for at, (name, text) in enumerate(zip(page.names, page.values, strict=True)):
        gid = f"value:{name}"
        style.write_small(axes, x, page.rows.y(at + 0.5), text, size=size, ha="right", gid=gid)


SHADE = "#E9EBEE"

# Inches.
EFFECTS_PAGE, NARROWEST_AXIS = 7.0, 2.4
EFFECTS_GAP = 0.14
EFFECTS_TALL_ROW, EFFECTS_LOW_ROW, EFFECTS_ROWS = 0.26, 0.15, 7.5

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
    page = _lay_out_effects(result)
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
class EffectsPage(RowsPage):
    """A row for each algorithm."""

    effects: tuple[Row, ...]


def _lay_out_effects(result: PosteriorAnswer) -> EffectsPage:
    effects, scale = _effects(result), result.scale
    top = -style.MARGIN - style.text_height(style.SMALL) - GAP  # below the headings of the columns
    rows = Rows.fitting(len(effects), top, EFFECTS_LOW_ROW, EFFECTS_TALL_ROW, EFFECTS_ROWS)
    names = style.widest((each.name for each in effects), size=rows.size, bold=True) + GAP
    columns = sum(map(_column_width, COLUMNS))
    # Strengths are effects on nothing; other effects are on the measure.
    own = scale.name != result.measure.name
    label = direction_label(scale, before="" if own else "effect on ")
    axis = max(NARROWEST_AXIS, style.text_extent(label, size=style.SMALL).width)
    inner = max(EFFECTS_PAGE - 2 * style.MARGIN, names + axis + columns)
    ends = (style.MARGIN + names, style.MARGIN + inner - columns)
    return EffectsPage(
        text=_about_effects(result),
        inner=inner,
        axis=Axis(_limits_of_effects(effects, scale.rope), ends, label),
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
    return EFFECTS_GAP + style.widest((COLUMNS[key], ">0.999"), size=style.SMALL)


def _limits_of_effects(effects: tuple[Row, ...], rope: float) -> tuple[float, float]:
    """Return ends that hold every interval and the region around the best."""
    best = effects[0].mean
    held = [best - rope, best + rope, *(end for row in effects for end in (*row.hdi, row.mean))]
    return limits_around(held, 0.03)


def _about_effects(result: PosteriorAnswer) -> str:
    best = style.clean(result.order[0])
    rope, mass = result.scale.rope, 100 * result.mass
    shaded = f"Shaded: within ±{limit(rope)} of {best}, which has the best mean. " if rope else ""
    return (
        f"{where_from(result)}: means of the effects and their {mass:g}\u00a0% highest-density "
        f"intervals. {shaded}"
        "P(as good): practically as good as the best, whichever that is. Blue and bold: "
        "the smallest set that holds the best with 95\u00a0%."
    )


def _draw_region(axes: Axes, page: EffectsPage, rope: float) -> None:
    left, right = (page.axis.place(page.effects[0].mean + side * rope) for side in (-1, 1))
    shade = style.box(left, right, page.rows.bottom, page.rows.top)
    style.draw_shapes(axes, [shade], facecolors=SHADE, lw=0, zorder=-1, gid="region")


def _write_rows(axes: Axes, page: EffectsPage) -> None:
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
