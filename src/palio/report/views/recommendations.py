"""Recommendations: what to try first, how trying went, and whether nearness helps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from palio.numbers import correlation, limit, number, probability
from palio.report.blocks import Block, Column, Items, Paragraph, Table, Title
from palio.report.views.common import notes

if TYPE_CHECKING:
    from palio.recommending.evaluation import RecommendationEvaluation
    from palio.recommending.result import Recommendation, Suggestion, Trial, Trials

# A person reads so many names; the rest are counted, and in the JSON.
_NEIGHBOURS_SHOWN = 10


def recommendation(result: Recommendation) -> list[Block]:
    """Lay out what to try, in order, with what to expect."""
    within, on = result.within, "" if result.new is None else f" on {result.new}"
    return [
        Title(f"Try {within[0]} first{on}" if within else "Nothing fits into the budget"),
        Paragraph(f"{result.ranking} over {_datasets(result)}; {result.measure}"),
        _suggestions(result),
        *_costs_paragraph(result),
        _neighbours(result),
        notes(result),
    ]


def _datasets(result: Recommendation) -> str:
    n, known = len(result.relevant), result.n_known
    if n == known:
        return "one data set" if n == 1 else f"all {n} data sets"
    return f"the {n} nearest of {known} data sets" if n > 1 else f"the nearest of {known} data sets"


def _suggestions(result: Recommendation) -> Table:
    rows, costed = result.suggestions, bool(result.costs)
    mixed = result.measure.is_mixed
    budgeted, sure = result.budget is not None, rows[0].p_first is not None
    columns = [
        *Column.numbers("place"),
        *Column.texts("algorithm"),
        *(() if mixed else Column.numbers("score", "middle 80 %")),
        *(Column.numbers("P(first)") if sure else ()),
        *(Column.numbers("cost", "in all") if costed else ()),
        *(Column.texts("fits") if budgeted else ()),
    ]
    cells = [
        (
            str(row.place),
            row.algorithm,
            *([] if mixed else [number(row.score), f"{number(row.low)} … {number(row.high)}"]),
            *([] if row.p_first is None else [probability(row.p_first)]),
            *([number(row.cost), _spent(row)] if costed else []),
            *([("yes" if row.fits else "no")] if budgeted else []),
        )
        for row in rows
    ]
    return Table(tuple(columns), tuple(cells))


def _spent(row: Suggestion) -> str:
    return number(None if row.fits is False else row.spent)


def _costs_paragraph(result: Recommendation) -> list[Block]:
    if not result.costs:
        return []
    said = f"cost: {' + '.join(result.costs)} of {result.folds} folds"
    if result.budget is not None:
        said += (
            f"; {len(result.within)} of {len(result.order)} fit into a budget of "
            f"{limit(result.budget)}"
        )
    return [Paragraph(said)]


def _neighbours(result: Recommendation) -> Items:
    """List the nearest data sets; nothing where all were taken as they are."""
    near = [row for row in result.relevant if row.distance is not None]
    shown = [f"{row.dataset} {number(row.distance)}" for row in near[:_NEIGHBOURS_SHOWN]]
    if len(near) > _NEIGHBOURS_SHOWN:
        shown.append(f"and {len(near) - _NEIGHBOURS_SHOWN} more")
    return Items.dashed("Nearest data sets", [", ".join(shown)] if shown else [])


_IN_WORDS = {"ok": "tried", "left": "not tried", "not made": "cannot be made"}


def trials(result: Trials) -> list[Block]:
    """Lay out what was tried, what was found, and why it stopped."""
    best = result.best_trial
    title = (
        f"nothing could be tried on {result.dataset}"
        if best is None
        else f"{best.algorithm} is the best of {len(result.tried)} tried on {result.dataset}: "
        f"{result.scoring} {number(best.score)}"
    )
    budget = "" if result.budget is None else f" of {limit(result.budget)}"
    return [
        Title(title),
        Paragraph(f"{limit(result.spent)} s{budget} spent. Stopped: {result.stopped}."),
        _trials_table(result.trials),
        Items.dashed(
            "Why not", (f"{row.algorithm}: {row.why}" for row in result.trials if row.why)
        ),
        Paragraph(f"the results are in {result.store}"),
        Items.dashed("Notes", (*result.recommendation.notes, *result.notes), quiet=True),
    ]


def _trials_table(rows: Sequence[Trial]) -> Table:
    return Table(
        (
            *Column.numbers("place"),
            *Column.texts("algorithm"),
            *Column.numbers("score expected", "found", "cost expected", "seconds"),
            *Column.words(""),
        ),
        tuple(
            (
                str(place),
                row.algorithm,
                number(row.expected_score),
                number(row.score),
                number(row.expected_cost),
                number(row.seconds),
                _IN_WORDS.get(row.ending) or row.ending,
            )
            for place, row in enumerate(rows, start=1)
        ),
    )


def recommendation_evaluation(result: RecommendationEvaluation) -> list[Block]:
    """Lay out whether the nearest data sets foretell better than all."""
    helpful = result.helpful
    return [
        Title(
            "To rank on the nearest data sets does not clearly help"
            if helpful == "all"
            else f"To rank on the {helpful} nearest data sets helps"
        ),
        Paragraph(
            f"{result.n_datasets} data sets, each left out in turn and its "
            f"{len(result.algorithms)} algorithms ranked by {result.ranking} on others; "
            f"{result.measure}"
        ),
        Table(
            (
                *Column.texts("ranked on"),
                *Column.numbers("correlation", "± all", "se", "at random"),
                *Column.numbers("lost by the first", "at random"),
            ),
            tuple(
                (
                    "all others" if row.relevant == "all" else f"{row.relevant} nearest",
                    correlation(row.correlation),
                    correlation(row.difference),
                    correlation(row.difference_se),
                    correlation(row.random_correlation),
                    number(row.regret),
                    number(row.random_regret),
                )
                for row in result.choices
            ),
        ),
        Paragraph(
            "correlation: Spearman's, mean over data sets; ± all: against ranking on all others, "
            "with its standard error; lost: against the best, in "
            f"{result.measure.name}; at random: as many others, whichever"
        ),
        notes(result),
    ]
