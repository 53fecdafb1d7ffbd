"""The verdict, and the order: the leaderboard, and the details of each algorithm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palio.claims import Missing, MostProbable, PairByModel, Unfinished
from palio.numbers import differences, margin, p_value, share, span
from palio.ordering.methods import rule_of
from palio.report.blocks import Column, Table
from palio.report.elements import Html, breakable, joined, table_html, tag
from palio.report.facts import row_facts
from palio.report.sections.parts import (
    LONG_ITEM,
    Draft,
    blocks_html,
    facts_html,
    links,
    paragraph,
    scrolled,
    unfolding,
)
from palio.report.tiles import Tile, tiles
from palio.report.views.boards import BoardColumn, about_parts
from palio.report.views.common import IMPUTED, capital, mean_said
from palio.report.views.orderings import ordering_table
from palio.report.views.reports import focus_said, marked, order_columns, order_title, steps_of
from palio.words import count, some_of

if TYPE_CHECKING:
    from palio.comparison.board import BoardRow
    from palio.comparison.results import Comparison
    from palio.ordering.result import OrderRow
    from palio.report.analysis import Report
    from palio.types import FloatArray


# Of those that are as good as the best, so many letters are in view.
LETTERS_LEVEL = 90

# So many costs are buttons; more are a list to choose from.
MOST_OFFERS = 4

# With more algorithms than this the details name the others, but give no numbers of the pairs.
MOST_WITH_PAIRS = 20


def verdict(draft: Draft, *, offers: bool = False) -> Html:
    """Say the answer at a glance, and below it what else there is to know.

    ``offers`` are the costs to choose from, where a page can act on it; paper cannot, and has in
    one line what was asked.
    """
    kinds = (MostProbable, PairByModel, Missing, Unfinished)
    lines = [
        tag("li", tag("span", each.text, class_="claim"), data_about=each.kind)
        for each in draft.report.claims
        if isinstance(each, kinds)
    ]
    notices = [tag("ul", *lines, class_="notices")] if lines else []
    made = (tile(draft, each, offers=offers) for each in tiles(draft.report))
    asked = [_asked(draft.report)] if offers else []
    return joined([*asked, tag("div", *made, class_="tiles"), *notices])


def _asked(report: Report) -> Html:
    """Say in one line what was asked, for paper, which shows no controls."""
    found, weights = report.ordering.judged, report.question.weights
    parts = [
        f"Asked: who is best by {report.table.measure}",
        "" if found is None else str(found.procedure),
        f"cost: {', '.join(weights)}" if weights else "no cost",
    ]
    return paragraph(f"{'; '.join(filter(None, parts))}.", class_="asked")


def tile(draft: Draft, said: Tile, *, offers: bool = False) -> Html:
    """Show one of the three answers: large, with a sentence, and with how it was found behind."""
    kind = "answer open" if said.is_open else "answer"
    level = [_names(draft, said.level)] if said.level else []
    offered = [_offered(said.offers, choose=offers)] if said.offers else []
    kinds = ["claim", *[None] * len(said.how)]  # the first is the verdict's own sentence
    told = [paragraph(each, class_=kind_) for each, kind_ in zip(said.how, kinds, strict=False)]
    how = tag("details", tag("summary", "How"), *told, class_="how")
    return tag(
        "section",
        tag("h3", said.title, id=f"tile-{said.about}"),
        tag("p", said.answer, class_=kind, **_mark(draft, said.algorithm)),
        *level,
        *([paragraph(said.text)] if said.text else []),
        *offered,
        *([how] if said.how else []),
        class_="tile",
        data_about=said.about,
        aria_labelledby=f"tile-{said.about}",
    )


def _names(draft: Draft, names: Sequence[str]) -> Html:
    """Name those that are as good, each a mark; of many as many as three lines hold."""
    ends = itertools.accumulate(len(name) + 4 for name in names)
    few = max(1, sum(end <= LETTERS_LEVEL for end in ends))
    shown = [tag("span", name, class_="name", **_mark(draft, name)) for name in names[:few]]
    more = [f"and {len(names) - few} more"] if len(names) > few else []
    return paragraph("May be as good: ", joined([*shown, *more], " "), class_="level")


def _mark(draft: Draft, name: str | None) -> dict[str, object]:
    return {} if name is None else {"data_a": draft.numbers[name]}


def _offered(costs: Sequence[str], *, choose: bool) -> Html:
    """Offer costs to choose from, or name them where a page cannot act on it."""
    if not choose:
        return paragraph(f"The table has {some_of(costs)}.")
    if len(costs) > MOST_OFFERS:
        options = (tag("option", cost, value=cost) for cost in costs)
        first = tag("option", "cost …", value="")
        return tag("select", first, *options, class_="offer", aria_label="Cost to weigh")
    buttons = (
        tag("button", breakable(cost), type="button", class_="offer small", data_cost=cost)
        for cost in costs
    )
    return paragraph(*buttons, class_="offers")


def order(draft: Draft) -> Html:
    """Show the order, and beside it why an algorithm stands where it does."""
    report = draft.report
    rows = report.order.rows
    first = report.question.focus or rows[0].algorithm
    details = [detail(draft, row, first=row.algorithm == first) for row in rows]
    panel = tag("div", *details, class_="panel", role="region", aria_label="Details", tabindex="0")
    return joined(
        [
            blocks_html(focus_said(report)),
            tag("div", tag("div", leaderboard(draft, _to_detail(draft))), panel, class_="order"),
        ]
    )


def leaderboard(draft: Draft, link: Link) -> Html:
    """Show the boards, and what their columns mean; ``link`` leads to an algorithm's details."""
    report = draft.report
    made = board(draft, link) if report.boards else _table(draft, link)
    about = [paragraph(each, class_="quiet") for each in _about(report)]
    return joined([made, *about, *_meaning(report)])


def _to_detail(draft: Draft) -> Link:
    return lambda name: tag(
        "a", breakable(name), href=f"#{draft.anchors[name]}", title=draft.full.get(name)
    )


def _about(report: Report) -> list[str]:
    """Say how many rows are left out, and what no data set joins."""
    k = len(report.boards[0]) if report.boards else 0
    shown = report.question.top or k
    left = [f"The first {shown} of {k} algorithms, as was asked."] if shown < k else []
    return [*left, *about_parts(report.boards)]


def _table(draft: Draft, link: Link) -> Html:
    """Show an order without a comparison: there is nothing to draw beside it."""
    table = ordering_table(draft.report.ordering, order_title(draft.report))

    def cell(_row: int, column: int, text: str) -> object:
        return text if column != 1 else link(text)

    def row(number_: int) -> dict[str, str]:
        return {"data_a": str(draft.numbers[table.rows[number_][1]])}

    made = table_html(table, cell=cell, row=row)
    return scrolled(made, table.title, kind="scroll places")


def _meaning(report: Report) -> list[Html]:
    """Say what the columns and the reasons are about."""
    said = [rule_of(report.ordering), *steps_of(report)]
    said += [
        f"{capital(each.name)}: {each.about}."
        for each in columns_of(report)
        if each.name not in ("place", "algorithm")
    ]
    if marked(report):
        said.append(IMPUTED)
    if report.order.cost is None and report.table.cost_names and not report.question.prior:
        named = some_of(report.table.cost_names)
        said.append(f"No cost was named to weigh; the table has {named}.")
    if report.order.method == "multi2test":
        said.append(
            "Better placed is about the places that MultiTest gives on each data set: there the "
            f"{report.ordering.wording.preferred} is ahead wherever no test says otherwise."
        )
    return [
        tag(
            "details",
            tag("summary", "What the columns say"),
            paragraph(" ".join(said)),
            class_="how",
        )
    ]


# --- the details of an algorithm -----------------------------------------------------------------


def detail(draft: Draft, row: OrderRow, *, first: bool = False) -> Html:
    """Say of one algorithm why it stands where it does, and beside whom."""
    name = row.algorithm
    anchor = draft.anchors[name]
    return tag(
        "article",
        tag("h3", f"{row.place}. {name}", id=f"{anchor}-title", title=draft.full.get(name)),
        facts_html(row_facts(draft.report, row).items()),
        tag("h4", "Why it stands here"),
        unfolding(row.reason) if len(row.reason) > LONG_ITEM else paragraph(row.reason),
        *_named(draft, row),
        *_pairs(draft.report, name),
        id=anchor,
        class_="detail first" if first else "detail",
        aria_labelledby=f"{anchor}-title",
    )


def _named(draft: Draft, row: OrderRow) -> list[Html]:
    """Name whom it beats and who beats it: by the score, and in the graph of the order."""
    measure = draft.report.table.measure.name
    preferred, other, *_ = draft.report.ordering.wording
    place = draft.places
    lists = (
        (f"Significantly better by {measure} than", row.beats),
        (f"Significantly worse by {measure} than", row.beaten_by),
        (f"No difference by {measure} found from", row.level_with),
        (f"In the order it overrides the {preferred}", row.overrides),
        (f"In the order it waits for the {other}", row.waits_for),
    )
    return [
        part
        for heading, names in lists
        if names
        for part in (tag("h4", heading), *links(draft, sorted(names, key=place.__getitem__)))
    ]


def _pairs(report: Report, name: str) -> list[Html]:
    comparison = report.comparison
    if comparison is None or len(comparison.algorithms) > MOST_WITH_PAIRS:
        return []
    pairs = [pair for pair in comparison.pairs_of(name) if not math.isnan(pair.difference)]
    ratios, measure = comparison.measure.scale == "ratio", report.table.measure.size_name
    own = (pair.difference if pair.a == name else -pair.difference for pair in pairs)
    columns = {
        "other": [pair.b if pair.a == name else pair.a for pair in pairs],
        f"{'ratio' if ratios else 'difference'} of {measure}": differences(own, ratios=ratios),
        "adjusted p": [p_value(pair.p_adjusted) for pair in pairs],
    }
    table = Table.of(columns, "other", title=f"{name} against the others")
    return [tag("details", tag("summary", "Against the others"), blocks_html([table]))]


# Pixels of what is drawn in a cell.
_WIDE, _NARROW, _HIGH = 96, 64, 14

# Bars of a small plot of ranks; more ranks than this share bars.
_BARS = 12

# From so many rows on a page can be searched.
SEARCHED = 8

Link = Callable[[str], Html]

# Drawn once, before the boards, and used in every row.
_PIN = Html('<svg width="12" height="16" aria-hidden="true"><use href="#pin"/></svg>')
_PIN_DRAWN = Html(
    '<svg class="unseen" aria-hidden="true"><path id="pin" '
    'd="M3 1H9V2L8 3V7L10.5 9.5V10.5H6.7V15H5.3V10.5H1.5V9.5L4 7V3L3 2Z"/></svg>'
)


def board(draft: Draft, link: Link) -> Html:
    """Lay out a board for each part that no data set joins; ``link`` leads to a row's details."""
    report = draft.report
    parts = [part[: report.question.top] for part in report.boards if len(part) > 1]
    columns = columns_of(report)
    rows = max(map(len, parts), default=0)
    titles = ["Leaderboard"] if len(parts) < 2 else [f"Board {i + 1}" for i in range(len(parts))]
    made = [
        scrolled(
            _board_table(draft, part, columns, link, title),
            f"{title} as a table",
            kind="scroll places",
        )
        for title, part in zip(titles, parts, strict=False)
    ]
    return joined([_PIN_DRAWN, *([_search()] if rows >= SEARCHED else []), *made])


def _search() -> Html:
    """Return the field that filters rows; the script shows it."""
    field = tag(
        "input", type="search", class_="find-row", placeholder="Find an algorithm",
        aria_label="Find an algorithm in the table",
    )  # fmt: skip
    found = tag("span", role="status", class_="found quiet")
    return tag("p", field, found, class_="finder scripted")


def _board_table(
    draft: Draft,
    rows: Sequence[BoardRow],
    columns: Sequence[BoardColumn[BoardRow]],
    link: Link,
    title: str,
) -> Html:
    head = [
        tag("th", tag("span", "pin", class_="unseen"), class_="pin-cell scripted", scope="col"),
        *(_heading(column) for column in columns),
    ]
    body = [_row(draft, row, columns, link) for row in rows]
    return tag(
        "table",
        tag("caption", title, class_="unseen"),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
        class_="board",
    )


def _heading(each: BoardColumn[BoardRow]) -> Html:
    name, about = breakable(each.name), capital(each.about)
    button = tag("button", name, type="button", class_="sort", title=about)
    return tag("th", button, scope="col", class_=_kinds(each))


def _row(draft: Draft, row: BoardRow, columns: Sequence[BoardColumn[BoardRow]], link: Link) -> Html:
    name = row.algorithm
    pin = tag(
        "button", _PIN, type="button", class_="pin", aria_pressed="false", aria_label=f"Pin {name}",
        data_key=f"pin {name}",
    )  # fmt: skip
    cells = [
        tag("th", link(name), scope="row", data_v=name)
        if each.name == "algorithm"
        else _cell(each, row)
        for each in columns
    ]
    best = name == draft.report.leader
    return tag(
        "tr", tag("td", pin, class_="pin-cell scripted"), *cells,
        data_a=draft.numbers[name], class_="best" if best else None,
    )  # fmt: skip


def _cell(each: BoardColumn[BoardRow], row: BoardRow) -> Html:
    value = each.value(row)
    if isinstance(value, tuple):  # the last of the ranks left open
        value = value[1]
    if isinstance(value, float) and not math.isfinite(value):
        value = None
    return tag("td", each.cell(row), class_=_kinds(each), data_v=value)


def _kinds(each: BoardColumn[BoardRow]) -> str | None:
    """Return the classes of a column's cells."""
    kinds = ["number"] * each.column.numeric + ["drawn"] * each.is_drawn
    return " ".join(kinds) or None


def columns_of(report: Report) -> list[BoardColumn[BoardRow]]:
    """Return the columns of the order and what is drawn in them; none without a comparison."""
    found = report.comparison
    if found is None or not report.boards:
        return []
    told = [each for each in order_columns(report) if any(map(each.value, found.board))]
    for i, each in enumerate(told):
        if (drawn := _drawn(report, found).get(each.name)) is not None:
            told[i] = each._replace(cell=drawn, is_drawn=True)
    at = len(told) - (told[-1].name in ("missing", "imputed"))  # what is missing comes last
    return [*told[:at], *_places(found), *told[at:]]


def _has_intervals(found: Comparison) -> bool:
    return any(math.isfinite(row.interval[0]) for row in found.board)


def _drawn(report: Report, found: Comparison) -> dict[str, Callable[[BoardRow], Html]]:
    """Return the cells in which more than the text stands: open ranks, intervals of means."""
    across = _Scale(1, max(2, *map(len, report.boards)), _NARROW)

    def ranks(row: BoardRow) -> Html:
        if row.ranks is None:
            return Html("")
        return joined([_interval(across, *row.ranks, math.nan, kind="span"), span(*row.ranks)])

    if found.measure.is_ordinal or not _has_intervals(found):
        return {"ranks": ranks}
    ends = [end for row in found.board for end in (*row.interval, row.mean_score)]
    finite = list(filter(math.isfinite, ends))
    scale = _Scale(min(finite), max(finite), _WIDE)

    def mean(row: BoardRow) -> Html:
        said = mean_said(row.mean_score, imputed=row.algorithm in found.imputed)
        plus = tag("span", f" ± {margin(row.interval)}", class_="quiet")
        return joined([_interval(scale, *row.interval, row.mean_score), said, plus])

    return {"ranks": ranks, f"mean {found.mean_of}": mean}


def _places(found: Comparison) -> list[BoardColumn[BoardRow]]:
    """Return a small plot of how often each takes each rank, where all are on some data sets."""
    n = len(found.complete.datasets) if found.over == "datasets" else 0
    if n < 2:
        return []
    counts = dict(zip(found.complete.algorithms, found.rank_counts, strict=True))
    highest = max(float(_bars(each).max()) for each in counts.values())

    def firsts(row: BoardRow) -> float:
        return float(counts[row.algorithm][0])

    def cell(row: BoardRow) -> Html:
        said = f"first on {share(firsts(row))} of {count(n, 'data set')}"
        return _plot(_bars(counts[row.algorithm]), highest, said)

    about = "how often it takes each rank over the data sets, rank 1 on the left"
    return [BoardColumn(Column("ranks taken"), cell, about, firsts, is_drawn=True)]


# --- what is drawn in a cell ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float
    width: int

    def x(self, value: float) -> str:
        """Return where a value stands; dots have room at both ends."""
        reach = self.high - self.low or 1.0
        share = min(max((value - self.low) / reach, 0.0), 1.0)
        return f"{4 + share * (self.width - 8):.1f}".removesuffix(".0")


def _interval(
    scale: _Scale, low: float, high: float, middle: float, *, kind: str = "interval"
) -> Html:
    """Draw an interval and a dot; where there is none, room for it."""
    y = _HIGH // 2
    there = math.isfinite(low) and math.isfinite(high)
    drawn = [
        *([tag("path", d=f"M{scale.x(low)} {y}H{scale.x(high)}")] if there else []),
        *([tag("circle", cx=scale.x(middle), cy=y, r=3)] if math.isfinite(middle) else []),
    ]
    return _drawing(scale.width, kind, *drawn)


def _plot(values: FloatArray, highest: float, said: str) -> Html:
    """Draw bars side by side."""
    wide = _NARROW / len(values)
    steps = [
        f"M{i * wide:.1f} {_HIGH}v{-value / highest * (_HIGH - 1):.1f}h{wide - 1:.1f}V{_HIGH}z"
        for i, value in enumerate(values.tolist())
        if value
    ]
    return _drawing(_NARROW, "plot", tag("path", d="".join(steps)), label=said)


def _drawing(width: int, kind: str, *children: Html, label: str | None = None) -> Html:
    said = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return tag(
        "svg", *children, class_=kind, width=width, height=_HIGH,
        viewBox=f"0 0 {width} {_HIGH}", **said,
    )  # fmt: skip


def _bars(counts: FloatArray) -> FloatArray:
    """Put ranks together where there are more than bars."""
    if counts.size <= _BARS:
        return counts
    return np.array([part.sum() for part in np.array_split(counts, _BARS)])
