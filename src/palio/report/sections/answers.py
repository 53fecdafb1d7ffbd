"""The verdict, and the order with the details of each algorithm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from palio.claims import Missing, MostProbable, PairByModel, Unfinished
from palio.numbers import differences, p_value
from palio.ordering.methods import rule_of
from palio.report.blocks import Table
from palio.report.elements import Html, breakable, joined, table_html, tag
from palio.report.facts import row_facts
from palio.report.sections.board import Link, board, columns_of
from palio.report.sections.parts import (
    LONG_ITEM,
    MOST_WITH_ALL_NAMES,
    Draft,
    blocks_html,
    facts_html,
    links,
    paragraph,
    scrolled,
)
from palio.report.tiles import Tile, tiles
from palio.report.views.boards import about_parts
from palio.report.views.common import IMPUTED, capital
from palio.report.views.orderings import ordering_table
from palio.report.views.reports import focus_said, marked, order_title, steps_of
from palio.words import some_of

if TYPE_CHECKING:
    from palio.ordering.result import OrderRow
    from palio.report.analysis import Report

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
        f"{capital(each.column.name)}: {each.about}."
        for each in columns_of(report)
        if each.column.name not in ("place", "algorithm")
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
        paragraph(_in_short(draft, row.reason)),
        *_named(draft, row),
        *_pairs(draft.report, name),
        id=anchor,
        class_="detail first" if first else "detail",
        aria_labelledby=f"{anchor}-title",
    )


def _in_short(draft: Draft, reason: str) -> str:
    """Cut a reason that names very many: whom it is about is named and counted below it."""
    if len(draft.anchors) <= MOST_WITH_ALL_NAMES or len(reason) <= LONG_ITEM:
        return reason
    return f"{reason[: reason.rfind(', ', 0, LONG_ITEM)]} …"


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
    ratios, measure = comparison.measure.scale == "ratio", report.table.measure.name
    own = (pair.difference if pair.a == name else -pair.difference for pair in pairs)
    columns = {
        "other": [pair.b if pair.a == name else pair.a for pair in pairs],
        f"{'ratio' if ratios else 'difference'} of {measure}": differences(own, ratios=ratios),
        "adjusted p": [p_value(pair.p_adjusted) for pair in pairs],
    }
    table = Table.of(columns, "other", title=f"{name} against the others")
    return [tag("details", tag("summary", "Against the others"), blocks_html([table]))]
