"""A comparison as a leaderboard: one row per algorithm, which steps are real, and one in focus."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from scipy.special import ndtri

from palio.measures import cost_named
from palio.registry import unknown_name
from palio.stats.effects import mean_difference

if TYPE_CHECKING:
    from palio.comparison.pairs import ComparedPair
    from palio.comparison.results import Comparison
    from palio.scores import ScoreTable
    from palio.types import BoolArray, FloatArray, IntArray


class BoardRow(NamedTuple):
    """An algorithm on the board; places and ranks are among those that data sets join it to."""

    place: Annotated[
        int,
        "By mean rank; equals share the first of their places, and those that cannot be compared "
        "with the leader have the last ones.",
    ]
    algorithm: str
    mean_rank: Annotated[float, "Allowing for whom it has met, where scores are missing."]
    ranks: Annotated[tuple[int, int] | None, "The ranks that the pairs leave open."]
    mean_score: Annotated[
        float, "On a ratio scale as a ratio to the leader's; null on an order scale."
    ]
    interval: Annotated[
        tuple[float, float], "Of the mean score, over data sets, at 1 − α; null on one."
    ]
    group: Annotated[str, "Those of a part without a common letter differ; empty if not told."]
    beats: Annotated[int, "How many it is significantly better than."]
    beaten_by: Annotated[int, "How many are significantly better."]
    missing: Annotated[int, "On how many data sets it has no score of its own."]
    costs: Annotated[
        Mapping[str, float], "The geometric mean of each cost that was named, in its own unit."
    ]


class BoardCost(NamedTuple):
    """A cost that was named, to be shown beside the scores."""

    name: str
    unit: Annotated[str, "As the name tells it; empty where it does not."]
    means: Annotated[
        Mapping[str, float], "Geometric, allowing for missing data sets; null without a cost."
    ]


def board_costs(table: ScoreTable, named: str | Iterable[str] | None) -> tuple[BoardCost, ...]:
    """Return what the algorithms of a table typically cost, by the costs that were named."""
    names = () if named is None else (named,) if isinstance(named, str) else tuple(named)
    means = table.mean_costs() if names else {}
    for name in names:
        if name not in means:
            table.cost_matrix(name)  # which says what there is instead
    return tuple(BoardCost(name, cost_named(name).unit, means[name]) for name in names)


def mean_intervals(
    names: Sequence[str], values: FloatArray, confidence: float | None
) -> dict[str, tuple[float, float]]:
    """Return Student's interval of the mean of each column; none with gaps, or where not asked.

    Where scores are missing the means allow for that, and have no interval of their own.

    >>> low, high = mean_intervals(["a"], np.array([[1.0], [3.0]]), 0.95)["a"]
    >>> round(low, 2), round(high, 2)
    (-10.71, 14.71)
    """
    if confidence is None or np.isnan(values).any():
        return dict.fromkeys(names, (math.nan, math.nan))
    found = mean_difference(values.T, np.zeros_like(values.T), confidence=confidence)
    ends = zip(found.low.tolist(), found.high.tolist(), strict=True)
    return dict(zip(names, ends, strict=True))


class Focus(NamedTuple):
    """One algorithm against the rest."""

    row: BoardRow
    better: Annotated[tuple[str, ...], "Those significantly better, best first."]
    same: Annotated[tuple[str, ...], "Those it cannot be told from, best first."]
    worse: Annotated[tuple[str, ...], "Those significantly worse, best first."]
    above: Annotated[str | None, "The next one up the board, if the two were compared."]
    shared: Annotated[int | None, "On how many data sets."]
    needed: Annotated[
        int | None,
        "About how many data sets would tell it from the next one up, if all went on as it did.",
    ]


def board_of(comparison: Comparison) -> tuple[BoardRow, ...]:
    """Return the algorithms, best first.

    >>> import palio
    >>> first = board_of(palio.compare(palio.load_study("ulas2008")))[0]
    >>> first.place, first.algorithm, first.ranks, first.beats
    (1, 'svr', (1, 2), 6)
    """
    scores, means = comparison.compared, comparison.mean_scores
    # Folds share what they were trained on: they are no sample to draw an interval from.
    drawn = comparison.dataset is None and scores.measure.scale == "difference"
    confidence = 1 - comparison.alpha if drawn else None
    intervals = mean_intervals(scores.algorithms, scores.values, confidence)
    missing = {} if comparison.missing is None else comparison.missing.lacking
    letters = comparison.letters if comparison.groups and comparison.least_p is None else {}
    rows: list[BoardRow] = []
    for part in comparison.components:
        sets = ranks_within(part, comparison.rank_sets, len(comparison.algorithms))
        for name, place in shared_places(part, comparison.mean_ranks):
            standing = comparison.standings[name]
            rows.append(
                BoardRow(
                    place,
                    name,
                    comparison.mean_ranks[name],
                    sets.get(name),
                    means[name],
                    intervals[name],
                    letters.get(name, ""),
                    len(standing.beats),
                    len(standing.beaten_by),
                    missing.get(name, 0),
                    {cost.name: cost.means[name] for cost in comparison.costs},
                )
            )
    return tuple(rows)


def shared_places(part: Sequence[str], levels: Mapping[str, float]) -> Iterable[tuple[str, int]]:
    """Count from the first; those on one level share the first of their places.

    >>> list(shared_places("abcd", {"a": 1.5, "b": 2.0, "c": 2.0, "d": 4.0}))
    [('a', 1), ('b', 2), ('c', 2), ('d', 4)]
    """
    before, place = math.nan, 0
    for number, name in enumerate(part, start=1):
        if not math.isclose(before, levels[name], rel_tol=1e-12):
            place = number
        before = levels[name]
        yield name, place


def ranks_within(
    part: Sequence[str], sets: Mapping[str, tuple[int, int]] | None, k: int
) -> dict[str, tuple[int, int]]:
    """Return the ranks left open among the algorithms of a part of k.

    No pair of two parts differs, so that those of other parts are all counted behind.

    >>> ranks_within(["a", "b"], {"a": (1, 4), "b": (2, 5), "c": (1, 5)}, 5)
    {'a': (1, 1), 'b': (2, 2)}
    """
    if sets is None:
        return {}
    others = k - len(part)
    return {name: (sets[name][0], max(sets[name][0], sets[name][1] - others)) for name in part}


def focus_on(comparison: Comparison, name: str, order: Sequence[str] | None = None) -> Focus:
    """Say where one algorithm stands, who is the same, and what telling it apart would take.

    ``order`` is another list of the algorithms, best first, in which the next one up is looked for.
    """
    rows = {row.algorithm: row for row in comparison.board}
    if name not in rows:
        raise unknown_name("focus", name, comparison.algorithms)
    standing, order = comparison.standings[name], order or comparison.by_standing
    better, same, worse = map(frozenset, (standing.beaten_by, standing.level_with, standing.beats))
    place = order.index(name)
    above = None
    if place:
        above = comparison.pair_if_compared(name, order[place - 1])
    return Focus(
        rows[name],
        tuple(other for other in order if other in better),
        tuple(other for other in order if other in same),
        tuple(other for other in order if other in worse),
        None if above is None else order[place - 1],
        None if above is None else above.n,
        None if above is None else _needed(above, comparison),
    )


def _needed(pair: ComparedPair, comparison: Comparison) -> int | None:
    """Scale the number of data sets: z grows with its root, and must reach the strictest level.

    That is α shared by all pairs, as Holm's first step has it. Nothing where it is reached, or
    where the two are level, so that no number would do.
    """
    if pair.significant or pair.better is None or pair.p_value >= 1.0:
        return None
    now, wanted = (-ndtri(p / 2) for p in (pair.p_value, comparison.alpha / comparison.n_pairs))
    return math.ceil(pair.n * (wanted / now) ** 2)


MANY = 30
"""With more algorithms than this, only the pairs that matter are told one by one."""

TOP = 10
"""Of so many at the top every pair matters."""


def pairs_that_matter(
    first: IntArray, second: IntArray, k: int, *, focus: int | None = None
) -> BoolArray:
    """Say which pairs of k algorithms, given by their places from 0, are worth a sentence.

    All of a few; of many the neighbours, those among the first, and those of the one in focus.

    >>> first, second = np.triu_indices(40, 1)
    >>> int(pairs_that_matter(first, second, 40).sum())  # 39 neighbours, 45 pairs of ten
    75
    """
    if k <= MANY:
        return np.ones(first.size, dtype=np.bool_)
    matter = (np.abs(first - second) == 1) | (np.maximum(first, second) < TOP)
    if focus is not None:
        matter |= (first == focus) | (second == focus)
    return np.asarray(matter)
