"""Whole reports, and tables of scores."""

from __future__ import annotations

from collections.abc import Callable

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import number, rank
from palio.report.views.common import Summary, measure_in_words, notes

__all__ = ["not_done", "order_table", "report", "score_table"]

_METHODS = {
    "multi2test": "Multi²Test",
    "multitest": "MultiTest",
    "mean-ranks": "mean ranks",
    "mean-scores": "mean scores",
}


def report(summary: Summary) -> list[Block]:
    """Lay a report out: the answer, the order, and what it rests on."""
    verdict = summary["verdict"]
    said = (f"{each['claim']} [{each['certainty']}]" for each in verdict["statements"])
    return [
        Title(verdict["headline"]),
        Items("Verdict", tuple(("-", sentence) for sentence in said)),
        order_table(summary),
        Items("Chosen", tuple(("-", choice) for choice in summary["choices"])),
        not_done(summary),
        Items("References", tuple(("-", each["full"]) for each in summary["references"])),
        notes(summary),
    ]


def order_table(summary: Summary) -> Table:
    """Lay the order out; a column is a heading and what it says of an algorithm."""
    order, measure = summary["order"], summary["table"]["measure"]["name"]
    rows = order["rows"]
    columns: list[tuple[str, Callable[[Summary], str]]] = [
        (f"mean {measure}", lambda row: number(row["mean_score"]))
    ]
    if summary["comparison"] is not None:
        columns.insert(0, ("mean rank", lambda row: rank(row["mean_rank"])))
    if order["cost"] is not None:
        columns.append(("cost", lambda row: number(row["cost"])))
    if summary["comparison"] is not None:
        columns.append(("better than", lambda row: str(len(row["beats"]))))
        columns.append(("worse than", lambda row: str(len(row["beaten_by"]))))
    return Table(
        (
            Column("place", numeric=True),
            Column("algorithm"),
            *(Column(heading, numeric=True) for heading, _ in columns),
        ),
        tuple(
            (str(row["place"]), row["algorithm"], *(cell(row) for _, cell in columns))
            for row in rows
        ),
        title=f"The order, by {_METHODS[order['method']]}",
    )


def not_done(summary: Summary) -> Items:
    """List what the report does without."""
    return Items(
        "Not done", tuple(("-", f"{each['part']}: {each['why']}") for each in summary["not_done"])
    )


def score_table(summary: Summary) -> list[Block]:
    """Lay out what a table of scores holds."""
    costs = summary["costs"]
    return [
        Title(summary["size"]),
        Paragraph(f"{summary['design']}; {measure_in_words(summary)}"),
        Table(
            (
                Column("algorithm"),
                Column(f"mean {summary['measure']['name']}", numeric=True),
                *(Column(f"mean {name}", numeric=True) for name in costs),
                Column("missing", numeric=True),
            ),
            tuple(
                (
                    row["algorithm"],
                    number(row["mean_score"]),
                    *(number(row["costs"][name]) for name in costs),
                    str(row["missing"]),
                )
                for row in summary["algorithms"]
            ),
        ),
        Items("Data sets", (("-", ", ".join(summary["datasets"])),)),
        notes(summary),
    ]
