"""Recommendations for a new data set, what came of trying them, and whether nearness helps."""

from __future__ import annotations

from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.numbers import correlation, limit, number, probability
from palio.report.views.common import Summary, measure_in_words, notes

__all__ = ["recommendation", "recommendation_evaluation", "trials"]

# A person reads so many names; the rest are counted, and in the JSON.
_NEIGHBOURS_SHOWN = 10


def recommendation(summary: Summary) -> list[Block]:
    """Lay out what to try, in order, with what to expect."""
    within, on = summary["within"], "" if summary["new"] is None else f" on {summary['new']}"
    return [
        Title(f"Try {within[0]} first{on}" if within else "Nothing fits into the budget"),
        Paragraph(f"{summary['ranking']} over {_datasets(summary)}; {measure_in_words(summary)}"),
        _suggestions(summary),
        *_costs_paragraph(summary),
        _neighbours(summary),
        notes(summary),
    ]


def _datasets(summary: Summary) -> str:
    n, known = len(summary["relevant"]), summary["n_known"]
    if n == known:
        return "one data set" if n == 1 else f"all {n} data sets"
    return f"the {n} nearest of {known} data sets" if n > 1 else f"the nearest of {known} data sets"


def _suggestions(summary: Summary) -> Table:
    rows, costed = summary["suggestions"], bool(summary["costs"])
    budgeted, sure = summary["budget"] is not None, rows[0]["p_first"] is not None
    columns = [
        Column("place", numeric=True),
        Column("algorithm"),
        Column("score", numeric=True),
        Column("middle 80 %", numeric=True),
        *([Column("P(first)", numeric=True)] if sure else []),
        *([Column("cost", numeric=True), Column("in all", numeric=True)] if costed else []),
        *([Column("fits")] if budgeted else []),
    ]
    cells = [
        (
            str(row["place"]),
            row["algorithm"],
            number(row["score"]),
            f"{number(row['low'])} … {number(row['high'])}",
            *([probability(row["p_first"])] if sure else []),
            *([number(row["cost"]), _spent(row)] if costed else []),
            *([("yes" if row["fits"] else "no")] if budgeted else []),
        )
        for row in rows
    ]
    return Table(tuple(columns), tuple(cells))


def _spent(row: Summary) -> str:
    return number(None if row["fits"] is False else row["spent"])


def _costs_paragraph(summary: Summary) -> list[Block]:
    if not summary["costs"]:
        return []
    said = f"cost: {' + '.join(summary['costs'])} of {summary['folds']} folds"
    if summary["budget"] is not None:
        said += (
            f"; {len(summary['within'])} of {len(summary['order'])} fit into a budget of "
            f"{limit(summary['budget'])}"
        )
    return [Paragraph(said)]


def _neighbours(summary: Summary) -> Items:
    """List the nearest data sets; nothing where all were taken as they are."""
    near = [row for row in summary["relevant"] if row["distance"] is not None]
    shown = [f"{row['dataset']} {number(row['distance'])}" for row in near[:_NEIGHBOURS_SHOWN]]
    if len(near) > _NEIGHBOURS_SHOWN:
        shown.append(f"and {len(near) - _NEIGHBOURS_SHOWN} more")
    return Items("Nearest data sets", (("-", ", ".join(shown)),) if shown else ())


_IN_WORDS = {"ok": "tried", "left": "not tried", "not made": "cannot be made"}


def trials(summary: Summary) -> list[Block]:
    """Lay out what was tried, what was found, and why it stopped."""
    rows = summary["trials"]
    tried = [row for row in rows if row["score"] is not None]
    best = next((row for row in tried if row["algorithm"] == summary["best"]), None)
    title = (
        f"nothing could be tried on {summary['dataset']}"
        if best is None
        else f"{best['algorithm']} is the best of {len(tried)} tried on {summary['dataset']}: "
        f"{summary['scoring']} {number(best['score'])}"
    )
    budget = "" if summary["budget"] is None else f" of {limit(summary['budget'])}"
    return [
        Title(title),
        Paragraph(f"{limit(summary['spent'])} s{budget} spent. Stopped: {summary['stopped']}."),
        _trials_table(rows),
        Items(
            "Why not",
            tuple(("-", f"{row['algorithm']}: {row['why']}") for row in rows if row["why"]),
        ),
        Paragraph(f"the results are in {summary['store']}"),
        notes({"notes": [*summary["recommendation"]["notes"], *summary["notes"]]}),
    ]


def _trials_table(rows: list[Summary]) -> Table:
    return Table(
        (
            Column("place", numeric=True),
            Column("algorithm"),
            Column("score expected", numeric=True),
            Column("found", numeric=True),
            Column("cost expected", numeric=True),
            Column("seconds", numeric=True),
            Column(""),
        ),
        tuple(
            (
                str(place),
                row["algorithm"],
                number(row["expected_score"]),
                number(row["score"]),
                number(row["expected_cost"]),
                number(row["seconds"]),
                _IN_WORDS.get(row["ending"]) or row["ending"],
            )
            for place, row in enumerate(rows, start=1)
        ),
    )


def recommendation_evaluation(summary: Summary) -> list[Block]:
    """Lay out whether the nearest data sets foretell better than all."""
    helpful = summary["helpful"]
    return [
        Title(
            "To rank on the nearest data sets does not clearly help"
            if helpful == "all"
            else f"To rank on the {helpful} nearest data sets helps"
        ),
        Paragraph(
            f"{summary['n_datasets']} data sets, each left out in turn and its "
            f"{len(summary['algorithms'])} algorithms ranked by {summary['ranking']} on others; "
            f"{measure_in_words(summary)}"
        ),
        Table(
            (
                Column("ranked on"),
                Column("correlation", numeric=True),
                Column("± all", numeric=True),
                Column("se", numeric=True),
                Column("at random", numeric=True),
                Column("lost by the first", numeric=True),
                Column("at random", numeric=True),
            ),
            tuple(
                (
                    "all others" if row["relevant"] == "all" else f"{row['relevant']} nearest",
                    correlation(row["correlation"]),
                    correlation(row["difference"]),
                    correlation(row["difference_se"]),
                    correlation(row["random_correlation"]),
                    number(row["regret"]),
                    number(row["random_regret"]),
                )
                for row in summary["choices"]
            ),
        ),
        Paragraph(
            "correlation: Spearman's, mean over data sets; ± all: against ranking on all others, "
            "with its standard error; lost: against the best, in "
            f"{summary['measure']['name']}; at random: as many others, whichever"
        ),
        notes(summary),
    ]
