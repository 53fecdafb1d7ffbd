"""Recommendations: what to try first, how trying went, and whether nearness helps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from palio.numbers import correlation, limit, number, part, probability
from palio.report.blocks import Block, Items, Paragraph, Table, Title

if TYPE_CHECKING:
    from palio.recommending.counting import Share
    from palio.recommending.evaluated import Reached, RecommendationEvaluation
    from palio.recommending.result import Recommendation, Suggestion, Trial, Trials

# A person reads so many names; the rest are counted, and in the JSON.
_NEIGHBOURS_SHOWN = 10
_FIRSTS_SHOWN = 2
_ALONE_SHOWN = 20


def recommendation(result: Recommendation) -> list[Block]:
    """Lay out what to try, in order, with what to expect."""
    within, on = result.within, "" if result.new is None else f" on {result.new}"
    return [
        Title(f"Try {within[0]} first{on}"),
        *_experience(result),
        Paragraph(f"{result.ranking} over {_datasets(result)}; {result.measure}"),
        _suggestions(result),
        *_costs_paragraph(result),
        _neighbours(result),
        _other_notes(result),
    ]


def _experience(result: Recommendation | RecommendationEvaluation) -> list[Block]:
    """Say whose results these are, where no table was given."""
    return [] if result.experience is None else [Paragraph(result.experience)]


def _other_notes(
    result: Recommendation | RecommendationEvaluation, more: Sequence[str] = ()
) -> Items:
    """List the notes, but for the first where it stands above."""
    own = result.notes if result.experience is None else result.notes[1:]
    return Items.dashed("Notes", (*own, *more), quiet=True)


def _datasets(result: Recommendation) -> str:
    n, known = len(result.relevant), result.n_known
    if n == known:
        return "one data set" if n == 1 else f"all {n} data sets"
    return f"the {n} nearest of {known} data sets" if n > 1 else f"the nearest of {known} data sets"


def _suggestions(result: Recommendation) -> Table:
    cells: dict[str, Callable[[Suggestion], str]] = {
        "place": lambda row: str(row.place),
        "algorithm": lambda row: row.algorithm,
    }
    if not result.measure.is_ordinal:
        cells["score"] = lambda row: number(row.score)
        cells["middle 80 %"] = lambda row: f"{number(row.low)} … {number(row.high)}"
    if result.suggestions[0].p_first is not None:
        cells["P(first)"] = lambda row: probability(row.p_first or 0.0)
    if result.costs:
        cells["cost"] = lambda row: number(row.cost)
        # What does not fit is not tried, and costs nothing.
        cells["in all"] = lambda row: number(None if row.fits is False else row.spent)
    if result.budget is not None:
        cells["fits"] = lambda row: "yes" if row.fits else "no"
    return Table.of_rows(result.suggestions, cells, "algorithm", "fits")


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
        f"{result.scoring} {number(best.score)}{best.why and f', {best.why}'}"
    )
    budget = "" if result.budget is None else f" of {limit(result.budget)}"
    return [
        Title(title),
        *_experience(result.recommendation),
        Paragraph(f"{limit(result.spent)} s{budget} spent. Stopped: {result.stopped}."),
        _trials_table(result.trials),
        Items.dashed(
            "Why not",
            (
                f"{row.algorithm}: {row.why}"
                for row in result.trials
                if row.score is None and row.why
            ),
        ),
        Paragraph(f"the results are in {result.store}"),
        _other_notes(result.recommendation, result.notes),
    ]


def _trials_table(rows: Sequence[Trial]) -> Table:
    return Table.of_rows(
        rows,
        {
            "place": lambda row: str(rows.index(row) + 1),
            "algorithm": lambda row: row.algorithm,
            "score expected": lambda row: number(row.expected_score),
            "found": lambda row: number(row.score),
            "cost expected": lambda row: number(row.expected_cost),
            "seconds": lambda row: number(row.seconds),
            "": lambda row: _IN_WORDS.get(row.ending) or row.ending,
        },
        "algorithm",
        words=[""],
    )


def recommendation_evaluation(result: RecommendationEvaluation) -> list[Block]:
    """Lay out how often what is named first is good enough, and whether nearness helps."""
    helpful = result.helpful
    return [
        Title(
            "To rank on the nearest data sets does not clearly help"
            if helpful == "all"
            else f"To rank on the {helpful} nearest data sets helps"
        ),
        *_experience(result),
        Paragraph(
            f"{result.n_datasets} data sets, each left out in turn and its "
            f"{len(result.algorithms)} algorithms ranked by {result.ranking} on others; "
            f"{result.measure}"
        ),
        _foretold(result),
        Paragraph(
            "correlation: Spearman's, mean over data sets; ± all: against ranking on all others, "
            "with its standard error; lost: against the best, in "
            f"{result.lost_in}; at random: as many others, whichever"
        ),
        Paragraph(_good_enough(result)),
        _reached(result),
        *_budget_paragraph(result),
        _other_notes(result),
    ]


def _foretold(result: RecommendationEvaluation) -> Table:
    return Table.of_rows(
        result.choices,
        {
            "ranked on": lambda row: _ranked_on(row.relevant),
            "correlation": lambda row: correlation(row.correlation),
            "± all": lambda row: correlation(row.difference),
            "se": lambda row: correlation(row.difference_se),
            "at random": lambda row: correlation(row.random_correlation),
            "lost by the first": lambda row: number(row.regret),
            "lost at random": lambda row: number(row.random_regret),
        },
        "ranked on",
    )


def _ranked_on(relevant: int | str) -> str:
    return "all others" if relevant == "all" else f"{relevant} nearest"


def _good_enough(result: RecommendationEvaluation) -> str:
    """Say how often the first is good enough, and whether one algorithm for all is as good."""
    everything, alone = result.reached[0], result.alone[0]
    first, n = next(iter(everything.firsts.items()))
    near = f"within {limit(result.within)} of the best" if result.within else "the best"
    said = f"Ranked on all others, the first is {near} on {_part(everything.reach.first)}"
    if everything.reach.three is not None:
        said += f", one of the first three on {_part(everything.reach.three)}"
    same = "every time" if n == result.n_datasets else f"{n} times"
    return (
        f"{said} of {result.n_datasets} data sets. The first is {first} {same}. To take one "
        f"algorithm for all does best with {alone.algorithm}: {_part(alone.reach.first)}."
    )


def _reached(result: RecommendationEvaluation) -> Table:
    """Lay out who is good enough how often, choices first, then one algorithm for all."""
    rows = [(_ranked_on(row.relevant), row.reach, _firsts(row)) for row in result.reached]
    rows += [(f"{row.algorithm} for all", row.reach, "") for row in result.alone[:_ALONE_SHOWN]]
    columns = {
        "choice": [name for name, _, _ in rows],
        "first": [_part(reach.first) for _, reach, _ in rows],
        "best of three": [_part(reach.three) for _, reach, _ in rows],
        "first that fits": [_part(reach.fitting) for _, reach, _ in rows],
        "over budget": [_of(reach.over) for _, reach, _ in rows],
        "first is": [who for _, _, who in rows],
    }
    if result.budget is None:
        del columns["first that fits"], columns["over budget"]
    return Table.of(columns, "choice", words=["first is"])


def _part(share: Share | None) -> str:
    return "–" if share is None else part(share.count, share.n)


def _of(share: Share | None) -> str:
    return "–" if share is None or not share.n else f"{share.count} of {share.n}"


def _firsts(row: Reached) -> str:
    """Name those who come first most often."""
    shown = [f"{name} {n}" for name, n in row.firsts.items()]
    more = len(shown) - _FIRSTS_SHOWN
    return ", ".join(shown[:_FIRSTS_SHOWN]) + (f", {more} more" if more > 0 else "")


def _budget_paragraph(result: RecommendationEvaluation) -> list[Block]:
    if result.budget is None:
        return []
    return [
        Paragraph(
            f"first that fits: whose {' + '.join(result.costs)} of {result.folds} folds is "
            f"expected within {limit(result.budget)}; over budget: of the data sets where one "
            "does, those where it costs more"
        )
    ]
