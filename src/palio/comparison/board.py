"""A comparison as a leaderboard: one row per algorithm, which steps are real, and one in focus."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from scipy.special import ndtri

from palio.comparison.standing import Strength
from palio.registry import unknown_name
from palio.stats.effects import mean_difference

if TYPE_CHECKING:
    from palio.comparison.results import ComparedPair, Comparison
    from palio.types import BoolArray, FloatArray, IntArray


class BoardRow(NamedTuple):
    """An algorithm on the board."""

    place: Annotated[int, "By mean rank or strength; equals share the first of their places."]
    algorithm: str
    mean_rank: float
    strength: Annotated[Strength | None, "In the place of the mean rank, where few have met."]
    ranks: Annotated[tuple[int, int] | None, "The ranks that the pairs leave open."]
    mean_score: float
    interval: Annotated[tuple[float, float], "Of the mean score, over data sets, at 1 − α."]
    group: Annotated[str, "Those that share a letter do not differ; empty if not told."]
    beats: Annotated[int, "How many it is significantly better than."]
    beaten_by: Annotated[int, "How many are significantly better."]
    missing: Annotated[int, "On how many data sets it has no score."]


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
    values = comparison.compared.values
    columns = {name: values[:, i] for i, name in enumerate(comparison.algorithms)}
    letters = comparison.letters if comparison.groups and comparison.least_p is None else {}
    sets = comparison.rank_sets or {}
    rows: list[BoardRow] = []
    strengths, before = comparison.strengths, math.nan
    for number, name in enumerate(comparison.by_standing, start=1):
        mean_rank, standing = comparison.mean_ranks[name], comparison.standings[name]
        strength = None if strengths is None else strengths[name]
        level = mean_rank if strength is None else strength.strength
        tied = bool(rows) and math.isclose(before, level, rel_tol=1e-12)
        before = level
        there = columns[name][~np.isnan(columns[name])]
        rows.append(
            BoardRow(
                rows[-1].place if tied else number,
                name,
                mean_rank,
                strength,
                sets.get(name),
                comparison.mean_scores[name],
                _interval(there, 1 - comparison.alpha),
                letters.get(name, ""),
                len(standing.beats),
                len(standing.beaten_by),
                len(values) - there.size,
            )
        )
    return tuple(rows)


def _interval(scores: FloatArray, confidence: float) -> tuple[float, float]:
    """Return Student's interval of a mean."""
    if not scores.size:
        return math.nan, math.nan
    found = mean_difference(scores, np.zeros_like(scores), confidence=confidence)
    return float(found.low), float(found.high)


def neighbours_of(comparison: Comparison) -> tuple[ComparedPair, ...]:
    """Return the pairs that stand next to each other on the board and were compared."""
    steps = itertools.pairwise(comparison.by_standing)
    found = (comparison.pair_if_compared(*step) for step in steps)
    return tuple(pair for pair in found if pair is not None)


def focus_on(comparison: Comparison, name: str) -> Focus:
    """Say where one algorithm stands, who is the same, and what telling it apart would take."""
    rows = {row.algorithm: row for row in comparison.board}
    if name not in rows:
        raise unknown_name("focus", name, comparison.algorithms)
    standing, order = comparison.standings[name], comparison.by_standing
    place = order.index(name)
    above = None
    if place:
        above = comparison.pair_if_compared(name, order[place - 1])
    return Focus(
        rows[name],
        tuple(other for other in order if other in standing.beaten_by),
        tuple(other for other in order if other in standing.level_with),
        tuple(other for other in order if other in standing.beats),
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
    now, wanted = (-ndtri(p / 2) for p in (pair.p_value, comparison.alpha / len(comparison.pairs)))
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
