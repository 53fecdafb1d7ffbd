"""Whole reports, and tables of scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from palio.numbers import number, rank, span
from palio.ordering.methods import ORDERINGS
from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.views.common import notes

if TYPE_CHECKING:
    from palio.ordering.places import OrderRow
    from palio.report.analysis import Report
    from palio.scores.summary import TableSummary


def report(result: Report) -> list[Block]:
    """Lay a report out: the answer, the order, and what it rests on."""
    verdict = result.verdict
    said = (
        f"{each.claim} [{each.certainty}]" if each.certainty else each.claim
        for each in verdict.statements
    )
    return [
        Title(verdict.headline),
        Items("Verdict", tuple(("-", sentence) for sentence in said)),
        order_table(result),
        Items("Chosen", tuple(("-", choice) for choice in result.choices)),
        not_done(result),
        Items("References", tuple(("-", each.full) for each in result.references)),
        notes(result),
    ]


def order_table(result: Report) -> Table:
    """Lay the order out; a column is a heading and what it says of an algorithm."""
    order, measure = result.order, result.table.measure.name
    rows = order.rows
    columns: list[tuple[str, Callable[[OrderRow], str]]] = [
        (f"mean {measure}", lambda row: number(row.mean_score))
    ]
    if result.table.n_datasets > 1:
        columns.insert(0, ("mean rank", lambda row: rank(row.mean_rank)))
    if result.ordering.rank_sets is not None:
        columns.insert(0, ("ranks", lambda row: span(*(row.ranks or (0, 0)))))
    if order.cost is not None:
        columns.append(("cost", lambda row: number(row.cost)))
    if result.comparison is not None:
        columns.append(("better than", lambda row: str(len(row.beats or ()))))
        columns.append(("worse than", lambda row: str(len(row.beaten_by or ()))))
    return Table(
        (
            Column("place", numeric=True),
            Column("algorithm"),
            *(Column(heading, numeric=True) for heading, _ in columns),
        ),
        tuple((str(row.place), row.algorithm, *(cell(row) for _, cell in columns)) for row in rows),
        title=f"The order, by {ORDERINGS[order.method].title}",
    )


def not_done(result: Report) -> Items:
    """List what the report does without."""
    return Items("Not done", tuple(("-", f"{each.part}: {each.why}") for each in result.not_done))


def score_table(result: TableSummary) -> list[Block]:
    """Lay out what a table of scores holds."""
    costs = result.costs
    return [
        Title(result.size),
        Paragraph(f"{result.design}; {result.measure}"),
        Table(
            (
                Column("algorithm"),
                Column(f"mean {result.measure.name}", numeric=True),
                *(Column(f"mean {name}", numeric=True) for name in costs),
                Column("missing", numeric=True),
            ),
            tuple(
                (
                    row.algorithm,
                    number(row.mean_score),
                    *(number(row.costs[name]) for name in costs),
                    str(row.missing),
                )
                for row in result.algorithms
            ),
        ),
        Items("Data sets", (("-", ", ".join(result.datasets)),)),
        notes(result),
    ]
