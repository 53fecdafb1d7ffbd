"""The verdict, and the order with the details of each algorithm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from palio.comparison.verdict import some_of
from palio.measures import cost_named
from palio.numbers import cost, limit, p_value, rank, signed_alike, span
from palio.ordering.methods import rule_of
from palio.report.blocks import Column, Table
from palio.report.elements import Html, breakable, joined, table_html, tag
from palio.report.sections.parts import Draft, blocks_html, links, paragraph, scrolled
from palio.report.views.boards import about_parts
from palio.report.views.common import IMPUTED, mean_said
from palio.report.views.reports import focus_said, marked, order_tables, steps_of

if TYPE_CHECKING:
    from palio.ordering.places import OrderRow
    from palio.report.analysis import Report

# So many rows of the order are in view at once, as the style sheet has it.
ROWS_IN_VIEW = 20

# With more algorithms than this the details name the others, but give no numbers of the pairs.
MOST_WITH_PAIRS = 20


def verdict(draft: Draft) -> Html:
    """Say the answer, sentence by sentence, each with what it rests on."""
    return tag(
        "ol",
        *(
            tag(
                "li",
                paragraph(each.claim, class_="claim"),
                *([paragraph(each.certainty, class_="certainty")] if each.certainty else []),
            )
            for each in draft.report.verdict.statements
        ),
        class_="statements",
    )


def order(draft: Draft) -> Html:
    """Show the order, and beside it why an algorithm stands where it does."""
    report = draft.report
    rows = report.order.rows
    first = report.question.focus or rows[0].algorithm
    details = [_detail(draft, row, first=row.algorithm == first) for row in rows]
    panel = tag("div", *details, class_="panel", role="region", aria_label="Details")
    tables = order_tables(report)
    made = [*(_table(draft, table) for table in tables), *map(paragraph, _about(report, tables))]
    return joined(
        [
            blocks_html(focus_said(report)),
            paragraph("Choose an algorithm to see why it stands where it does.", _more(tables)),
            tag("div", tag("div", *made, *_meaning(report)), panel, class_="order"),
        ]
    )


def _more(tables: Sequence[Table]) -> str:
    """Say that the table goes on where it is cut by its frame."""
    rows = len(tables[0].rows)
    return f" The table scrolls: it has {rows} rows." if rows > ROWS_IN_VIEW else ""


def _about(report: Report, tables: Sequence[Table]) -> list[str]:
    """Say how many rows are left out, which steps are real, and what no data set joins."""
    shown, k = len(tables[0].rows), len(report.boards[0]) if report.boards else 0
    left = [f"The first {shown} of {k} algorithms, as --top says."] if shown < k else []
    return [*left, *steps_of(report), *about_parts(report.boards)]


def _table(draft: Draft, table: Table) -> Html:

    def cell(_row: int, column: int, text: str) -> object:
        if column != 1:
            return text
        link = f"#{draft.anchors[text]}"
        return tag("a", breakable(text), href=link, title=draft.full.get(text))

    made = table_html(table, numeric={"class": "number"}, caption=table.title, cell=cell)
    return scrolled(made, table.title, kind="scroll places")


def _meaning(report: Report) -> list[Html]:
    """Say what the columns and the reasons are about."""
    said = [rule_of(report.ordering)]
    if report.ordering.rank_sets is not None:
        said.append(
            f"Ranks: those by {report.table.measure.name} that the significant pairs leave open, "
            "all at once."
        )
    if any(column.name == "±" for table in order_tables(report) for column in table.columns):
        level = limit(100 * (1 - report.question.alpha))
        over = "items" if _over_items(report) else "data sets"
        said.append(f"±: to the ends of the {level} % interval of the mean, over {over}.")
    if marked(report):
        said.append(IMPUTED)
    if report.order.cost is not None:
        unit = report.front.unit if report.front else "as the order counts it"
        said.append(f"Cost: {', '.join(report.order.cost)}, {unit}.")
    elif report.table.cost_names and not report.question.prior:
        named = some_of(report.table.cost_names)
        said.append(f"No cost was named to weigh (--cost); the table has {named}.")
    if report.order.method == "multi2test":
        said.append(
            "Better placed is about the places that MultiTest gives on each data set: there the "
            f"{report.ordering.wording.preferred} is ahead wherever no test says otherwise."
        )
    return [paragraph(" ".join(said), class_="muted")]


def _over_items(report: Report) -> bool:
    return report.comparison is not None and report.comparison.over == "items"


# --- the details of an algorithm -----------------------------------------------------------------


def _detail(draft: Draft, row: OrderRow, *, first: bool) -> Html:
    name = row.algorithm
    anchor = draft.anchors[name]
    return tag(
        "article",
        tag("h3", f"{row.place}. {name}", id=f"{anchor}-title", title=draft.full.get(name)),
        _facts(draft.report, row),
        tag("h4", "Why it stands here"),
        paragraph(row.reason),
        *_named(draft, row),
        *_pairs(draft.report, name),
        id=anchor,
        class_="detail first" if first else "detail",
        aria_labelledby=f"{anchor}-title",
    )


def _facts(report: Report, row: OrderRow) -> Html:
    measure = report.table.measure
    mean = mean_said(row.mean_score, imputed=row.algorithm in report.table.with_imputed)
    facts = [] if measure.is_mixed else [(f"mean {measure.name}", mean)]
    if report.table.n_datasets > 1 and not _over_items(report):
        facts.insert(0, ("mean rank", rank(row.mean_rank)))
    if row.ranks is not None:
        facts.insert(0, ("ranks left open", span(*row.ranks)))
    if row.cost is not None:
        facts.append(("cost", cost(row.cost)))
    facts += [
        (f"mean {name}", cost(value, cost_named(name).unit)) for name, value in row.costs.items()
    ]
    facts.append(("place by preference", str(row.prior_place)))
    if row.on_front is not None:
        facts.append(("on the front", "yes" if row.on_front else "no"))
    said = [
        part for term, value in facts for part in (tag("dt", breakable(term)), tag("dd", value))
    ]
    return tag("dl", *said, class_="facts")


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
    if comparison is None:
        return []
    if len(comparison.algorithms) > MOST_WITH_PAIRS:
        return [paragraph("Numbers of its pairs: palio report --json.", class_="muted")]
    others = {
        other: pair
        for other, pair in comparison.against(name).items()
        if not math.isnan(pair.difference)
    }
    gaps = signed_alike(pair.difference for pair in others.values())
    heading = f"difference in {report.table.measure.name}"
    table = Table(
        (Column("other"), Column(heading, True), Column("adjusted p", True)),
        tuple(
            (other, gap, p_value(pair.p_adjusted))
            for (other, pair), gap in zip(others.items(), gaps, strict=True)
        ),
    )
    made = table_html(table, numeric={"class": "number"}, caption=f"{name} against the others")
    shown = scrolled(made, f"{name} against the others")
    return [tag("details", tag("summary", "Against the others"), shown)]
