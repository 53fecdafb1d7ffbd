"""Whole reports, and tables of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palio.numbers import number
from palio.ordering.methods import ORDERINGS
from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.views.common import notes
from palio.report.views.orderings import ordering_table

if TYPE_CHECKING:
    from palio.report.analysis import Report
    from palio.scores.summary import TableSummary


def report(result: Report) -> list[Block]:
    """Lay a report out: the answer, the order, and what it rests on."""
    best, *others = result.verdict.statements
    said = (f"{each.claim} [{each.certainty}]" if each.certainty else each.claim for each in others)
    return [
        Title(best.claim.removesuffix(".")),
        *map(Paragraph, said),
        order_table(result),
        Items("Chosen", tuple(("-", choice) for choice in result.choices)),
        not_done(result),
        Items("References", tuple(("-", each.full) for each in result.references)),
        notes(result),
    ]


def order_table(result: Report) -> Table:
    """Lay the order out."""
    method = ORDERINGS[result.ordering.method].title
    return ordering_table(result.ordering, f"The order, by {method}")


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
