"""Cost against score: what one algorithm costs and scores against another, and the front of all.

A statement about two algorithms uses only the data sets that both have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np

from palio.claims import SAME_COST, OnFront, Value
from palio.measures import Measure, cost_named, is_time
from palio.numbers import weighed
from palio.ordering.prior import typical_costs_by, weighted_log_costs
from palio.stats.additive import paired_mean_differences
from palio.stats.ranks import TIE_TOLERANCE

if TYPE_CHECKING:
    from palio.comparison.results import Comparison
    from palio.ordering.result import Ordering
    from palio.scores import ScoreTable
    from palio.types import BoolArray, FloatArray


@dataclass(frozen=True)
class Trade:
    """What one algorithm costs and scores against another, on the data sets that both have.

    ``ratio`` is the other's cost over its own, the geometric mean of the ratios where both were
    measured, ``ratios`` the least and the largest, and ``totals`` the sums of both there, its own
    first; the score as `palio.claims.Value` has it.
    """

    ratio: float | None = None
    ratios: tuple[float, float] | None = None
    totals: tuple[float, float] | None = None
    n_costs: int = 0
    n_shared: int = 0
    score_difference: float | None = None
    score_ratio: float | None = None


def trade(table: ScoreTable, weights: Mapping[str, float] | None, a: str, b: str) -> Trade:
    """Set an algorithm against another, by cost and by score.

    >>> import palio
    >>> found = trade(palio.load_study("ulas2008"), {"train_time": 1.0}, "svl", "svr")
    >>> round(found.ratio, 2), found.n_shared, round(found.score_difference, 2)
    (1.06, 38, -1.93)
    """
    columns = [table.algorithms.index(name) for name in (a, b)]
    scaled, measure = table.scaled(), table.measure
    n_shared = int((~np.isnan(scaled.values[:, columns])).all(axis=1).sum())
    gains = _differences(scaled.for_means[:, columns])
    gain = float(gains.mean()) if gains.size and not measure.is_ordinal else None
    found = Trade(n_shared=n_shared, score_difference=gain)
    if gain is not None and measure.scale == "ratio":
        ratio = math.exp(measure.goodness_sign * gain)
        found = Trade(n_shared=n_shared, score_ratio=ratio)
    if not weights:
        return found
    logs = -_differences(weighted_log_costs(table, weights)[:, columns])
    if not logs.size:
        return found
    mean, low, high = np.exp([logs.mean(), logs.min(), logs.max()]).tolist()
    totals = _totals(table, next(iter(weights)), columns) if len(weights) == 1 else None
    return replace(found, ratio=mean, ratios=(low, high), totals=totals, n_costs=logs.size)


def _totals(table: ScoreTable, cost: str, columns: Sequence[int]) -> tuple[float, float]:
    """Add up the costs of two algorithms where both were measured."""
    both = table.cost_matrix(cost)[:, columns]
    own, others = both[~np.isnan(both).any(axis=1)].sum(axis=0).tolist()
    return own, others


def _differences(two: FloatArray) -> FloatArray:
    found = two[:, 0] - two[:, 1]
    return np.asarray(found[~np.isnan(found)])


def value_claim(ordering: Ordering, leader: str | None) -> Value | None:
    """Claim what the first of the order saves against the leader, and what it gives up.

    Nothing where no cost and no prior order was given: then nobody asked for value.
    """
    if ordering.preferred_by == "mean-rank":
        return None
    by = "the given order of preference" if ordering.cost is None else weighed(ordering.cost)
    first = ordering.first
    found = Trade() if leader is None else trade(ordering.table, ordering.cost, first, leader)
    judged = ordering.judged
    if ordering.tolerance is not None and (first, leader) in ordering.edges:  # in a circle
        return None
    return Value(
        algorithm=first,
        against=leader,
        cost=by,
        **asdict(found),
        measure=ordering.measure.size_name,
        on_one_dataset=ordering.dataset is not None,
        is_time=all(map(is_time, ordering.cost or ("",))),
        beaten_by=None if judged is None else judged.standings[first].beaten_by,
        why_first=_why_first(ordering),
        unclear=_unclear(ordering, first, leader) if found.n_shared else "",
    )


def _why_first(ordering: Ordering) -> str:
    if ordering.tolerance is not None:
        taken = ordering.steps[0].wording.first.removesuffix(" left")
        return f"{taken} of those that nobody is better than by more than {ordering.tolerance}"
    if len(ordering.unbeaten) > 1:
        return f"{ordering.wording.first.removesuffix(' left')} of those that nobody beats"
    return "nobody else is unbeaten"


def _unclear(ordering: Ordering, first: str, leader: str | None) -> str:
    """Say where whether the first is as good as the leader cannot be told."""
    judged = ordering.judged
    if ordering.tolerance is not None:
        if (leader, first) in ordering.edges:
            return f"better by more than {ordering.tolerance}"
        return f"within tolerance ({ordering.tolerance})"
    if judged is not None and judged.least_p is not None:
        return "but so few data sets cannot tell whether it is as good"
    if judged is not None and first in judged.not_comparable:
        return "too few to tell them apart"
    return ""


# --- the front ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FrontPoint:
    """An algorithm by typical cost and mean score."""

    algorithm: str
    cost: float
    score: float
    on_front: bool
    dominated_by: Annotated[tuple[str, ...], "As good, as cheap, and better in one of the two."]


@dataclass(frozen=True)
class Front:
    """Cost against score. Who dominates whom is judged on the data sets that both have."""

    cost: Mapping[str, float]
    unit: Annotated[str, "What the costs are counted in, in words."]
    measure: Measure
    points: tuple[FrontPoint, ...]

    @property
    def by_cost(self) -> tuple[FrontPoint, ...]:
        """The points, the cheapest first."""
        return tuple(sorted(self.points, key=lambda point: point.cost))

    @property
    def members(self) -> tuple[str, ...]:
        """Those on the front, the cheapest first."""
        return tuple(point.algorithm for point in self.by_cost if point.on_front)

    @property
    def claim(self) -> OnFront:
        """Who is on the front, as a claim."""
        n_others = len(self.points) - len(self.members)
        return OnFront(self.members, n_others, weighed(self.cost), self.measure.name)


def front_of(table: ScoreTable, weights: Mapping[str, float] | None) -> Front | None:
    """Return the front of a table's algorithms; none where a cost or a mean score is missing.

    Parameters
    ----------
    table : ScoreTable
        Its scores are weighed against what the algorithms cost.
    weights : mapping of str to float, optional
        The costs, with their weights.

    Examples
    --------
    >>> from palio.scores import ScoreTable
    >>> table = ScoreTable.from_arrays(
    ...     [[0.9, 0.8, 0.7]], datasets=["iris"], algorithms=["svm", "tree", "knn"],
    ...     measure="accuracy", costs={"time": [[2.0, 1.0, 3.0]]},
    ... )
    >>> front = front_of(table, {"time": 1.0})
    >>> front.members, front.points[2].dominated_by
    (('tree', 'svm'), ('svm', 'tree'))
    """
    if not weights or table.measure.is_ordinal:
        return None
    names, scores = table.algorithms, table.mean_scores()
    costs = typical_costs_by(table, weights)
    if not all(math.isfinite(each) for each in (*costs.values(), *scores.values())):
        return None
    behind = dominance(table.scaled().for_means, weighted_log_costs(table, weights))
    unit = cost_named(next(iter(weights))).unit if len(weights) == 1 else ""
    return Front(
        cost=dict(weights),
        unit=f"geometric mean{f', {unit}' if unit else ''}",
        measure=table.measure,
        points=tuple(
            FrontPoint(
                name,
                costs[name],
                scores[name],
                not behind[:, j].any(),
                tuple(names[i] for i in np.flatnonzero(behind[:, j]).tolist()),
            )
            for j, name in enumerate(names)
        ),
    )


def dominance(goodness: FloatArray, log_costs: FloatArray) -> BoolArray:
    """Say who leaves whom behind: ``dominance[i, j]`` where i is no worse, no costlier, not equal.

    On the rows that both have. Scores that differ by rounding alone are equal, and costs within a
    hundredth.

    Parameters
    ----------
    goodness, log_costs : array (S, K)
        Higher goodness and lower cost are better; NaN where there is none.

    Returns
    -------
    array (K, K) of bool

    Examples
    --------
    >>> dominance(np.array([[0.9, 0.8, 0.8]]), np.log([[2.0, 1.0, 3.0]])).astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    better, cheaper = paired_mean_differences(goodness), -paired_mean_differences(log_costs)
    noise = TIE_TOLERANCE * np.nanmax(np.abs(goodness), initial=1.0)
    better = np.where(np.abs(better) <= noise, 0.0, better)
    cheaper = np.where(np.abs(cheaper) <= math.log1p(SAME_COST), 0.0, cheaper)
    with np.errstate(invalid="ignore"):  # two that share nothing are not compared
        found = (better >= 0) & (cheaper >= 0) & ((better > 0) | (cheaper > 0))
    return np.asarray(found)


@dataclass(frozen=True)
class Price:
    """Whom to take where so much may be spent: nobody as cheap has a better mean score."""

    algorithm: str
    cost: Annotated[float, "As the front counts it: a single cost in its own unit."]
    score: float
    cheaper: Annotated[
        float | None,
        "How many times the leader costs, on the data sets that both have; 1 of the leader itself.",
    ]
    worse: Annotated[
        bool | None, "Whether the leader is significantly better; none if they were not compared."
    ]


def prices_of(
    table: ScoreTable, front: Front, leader: str, comparison: Comparison | None
) -> tuple[Price, ...]:
    """Return the steps of a front, the cheapest first, each against the leader.

    >>> import palio
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> found = prices_of(report.table, report.front, "svr", report.comparison)
    >>> [(price.algorithm, round(price.cheaper, 1), price.worse) for price in found]
    [('5nn', 196.2, True), ('lnp', 17.9, True), ('mlp', 4.5, True), ('svl', 1.1, False),
     ('svr', 1.0, False)]
    """
    return tuple(
        Price(
            point.algorithm,
            point.cost,
            point.score,
            trade(table, front.cost, point.algorithm, leader).ratio,
            _worse(comparison, point.algorithm, leader),
        )
        for point in front.by_cost
        if point.on_front
    )


def _worse(comparison: Comparison | None, name: str, leader: str) -> bool | None:
    if name == leader:
        return False
    pair = None if comparison is None else comparison.pair_if_compared(name, leader)
    return None if pair is None else pair.winner == leader
