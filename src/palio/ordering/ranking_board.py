"""A ranking as a leaderboard: one row per algorithm, whatever the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from palio.comparison.board import shared_places
from palio.scores.scale import scores_of
from palio.stats.additive import adjusted_means
from palio.stats.effects import mean_difference

if TYPE_CHECKING:
    from palio.ordering.rankings import Ranking
    from palio.scores import ScoreTable

# Of the mean scores, and of the scores of methods that have intervals.
_CONFIDENCE = 0.95


class RankingRow(NamedTuple):
    """An algorithm on the board of a ranking; places and ranks are within its part."""

    place: Annotated[int, "By the method; equals share the first of their places."]
    algorithm: str
    score: Annotated[float, "The method's own."]
    score_interval: Annotated[tuple[float, float] | None, "At 95 %, where the method has one."]
    ranks: Annotated[tuple[int, int] | None, "The ranks that are left open."]
    mean_score: Annotated[float, "As the table's mean_scores; null on an order scale."]
    interval: Annotated[tuple[float, float], "Of the mean score, over its data sets, at 95 %."]
    group: Annotated[str, "Those that share a letter do not differ; empty if not told."]
    beats: Annotated[int | None, "How many it is significantly better than; null without a test."]
    beaten_by: Annotated[int | None, "How many are significantly better."]
    missing: Annotated[int, "On how many data sets it has no score of its own."]
    costs: Annotated[Mapping[str, float], "The mean of each cost that was named, in its own unit."]


def ranking_board(ranking: Ranking) -> tuple[RankingRow, ...]:
    """Return the algorithms, best first, part after part.

    >>> import palio
    >>> first = ranking_board(palio.rank(palio.load_study("ulas2008")))[0]
    >>> first.place, first.algorithm, first.ranks, first.beats, first.group
    (1, 'svr', (1, 2), 6, 'a')
    """
    table, judged = ranking.table, ranking.judged
    means, intervals_of_means = table.mean_scores(), _intervals(table)
    gone = (np.isnan(table.means()) | table.imputed_cells()).sum(axis=0)
    missing = dict(zip(table.algorithms, gone.tolist(), strict=True))
    of_pairs = {} if judged is None else {row.algorithm: row for row in judged.board}
    sets, intervals = ranking.rank_sets or {}, ranking.intervals or {}
    rows = []
    for part in ranking.components:
        for name, place in shared_places(part, ranking.ranks):
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
                    intervals_of_means[name],
                    of_pairs[name].group if name in of_pairs else "",
                    len(part) - own[1] if own is not None and told else None,
                    own[0] - 1 if own is not None and told else None,
                    missing[name],
                    {cost.name: cost.means[name] for cost in ranking.costs},
                )
            )
    return tuple(rows)


def _intervals(table: ScoreTable) -> dict[str, tuple[float, float]]:
    """Return Student's intervals of the mean scores, made on the scale of the measure.

    Where an algorithm lacks data sets, the interval is moved as its mean is.
    """
    values = table.scaled().for_means
    found = {}
    for name, column, centre in zip(
        table.algorithms, values.T, adjusted_means(values).tolist(), strict=True
    ):
        there = column[~np.isnan(column)]
        ends = (np.nan, np.nan)
        if there.size and not table.measure.is_ordinal:
            own = mean_difference(there, np.zeros_like(there), confidence=_CONFIDENCE)
            moved = centre - float(own.estimate)
            ends = float(own.low) + moved, float(own.high) + moved
        low, high = np.sort(scores_of(np.array(ends), table.measure)).tolist()
        found[name] = low, high
    return found
