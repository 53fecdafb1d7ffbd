"""A ranking as a leaderboard: one row per algorithm, whatever the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, NamedTuple

from palio.comparison.board import mean_intervals, missing_counts, shared_places

if TYPE_CHECKING:
    from palio.ordering.rankings import Ranking

# Of the mean scores, and of the scores of methods that have intervals.
_CONFIDENCE = 0.95


class RankingRow(NamedTuple):
    """An algorithm on the board of a ranking; places and ranks are within its part."""

    place: Annotated[int, "By the method; equals share the first of their places."]
    algorithm: str
    score: Annotated[float, "The method's own."]
    score_interval: Annotated[tuple[float, float] | None, "At 95 %, where the method has one."]
    ranks: Annotated[tuple[int, int] | None, "The ranks that are left open."]
    mean_score: Annotated[float, "Null where the measure differs by data set."]
    interval: Annotated[tuple[float, float], "Of the mean score, over data sets, at 95 %."]
    group: Annotated[str, "No difference was found between those that share a letter, if told."]
    beats: Annotated[int | None, "How many it is significantly better than; null without a test."]
    beaten_by: Annotated[int | None, "How many are significantly better."]
    missing: Annotated[int, "On how many data sets it has no score of its own."]
    costs: Annotated[Mapping[str, float], "The mean of each cost that was named, in its own unit."]


def _means(ranking: Ranking) -> Mapping[str, float]:
    """Return the mean scores; on a ratio scale as ratios to the leader's, as a comparison does."""
    means = ranking.table.mean_scores()
    if ranking.measure.scale != "ratio":
        return means
    leads = means[ranking.leader or ranking.order[0]]
    return {name: mean / leads for name, mean in means.items()}


def ranking_board(ranking: Ranking) -> tuple[RankingRow, ...]:
    """Return the algorithms, best first, part after part.

    >>> import palio
    >>> first = ranking_board(palio.rank(palio.load_study("ulas2008")))[0]
    >>> first.place, first.algorithm, first.ranks, first.beats, first.group
    (1, 'svr', (1, 2), 6, 'a')
    """
    table, judged = ranking.table, ranking.judged
    values, means = table.means(), _means(ranking)
    sized = _CONFIDENCE if table.measure.scale == "difference" else None
    columns = zip(
        table.algorithms,
        mean_intervals(values, sized),
        missing_counts(values, table.imputed_cells()),
        strict=True,
    )
    known = {name: (interval, missing) for name, interval, missing in columns}
    of_pairs = {} if judged is None else {row.algorithm: row for row in judged.board}
    sets, intervals = ranking.rank_sets or {}, ranking.intervals or {}
    rows = []
    for part in ranking.components:
        for name, place in shared_places(part, ranking.ranks):
            interval, missing = known[name]
            own = sets.get(name)
            # The first rank left open has all that are better before it, the last all others.
            told = own is not None and len(part) > 1
            rows.append(
                RankingRow(
                    place,
                    name,
                    ranking.scores[name],
                    intervals.get(name),
                    own,
                    means[name],
                    interval,
                    of_pairs[name].group if name in of_pairs else "",
                    len(part) - own[1] if own is not None and told else None,
                    own[0] - 1 if own is not None and told else None,
                    missing,
                    {cost.name: cost.means[name] for cost in ranking.costs},
                )
            )
    return tuple(rows)
