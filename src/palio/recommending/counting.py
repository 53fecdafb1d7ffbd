"""On how many data sets a choice comes within a margin of the best: arrays in, counts out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from palio.recommending.costing import FoldCosts
from palio.stats.ranks import paired_difference
from palio.types import BoolArray, FloatArray, IntArray

NOBODY = -1
"""In the place of a column: none that is expected to fit into the budget."""


@dataclass(frozen=True)
class Share:
    """How many of how many data sets."""

    parts: ClassVar[tuple[str, ...]] = ("count", "n", "share")

    count: int
    n: int

    @property
    def share(self) -> float | None:
        """The part of them; there is none of nothing."""
        return self.count / self.n if self.n else None

    @classmethod
    def of(cls, found: BoolArray) -> Share:
        """Count what is true."""
        return cls(int(np.sum(found)), int(np.size(found)))


@dataclass(frozen=True)
class Reach:
    """How often a way to choose comes within the margin of the best of the data set left out.

    Parameters
    ----------
    first, three
        The first that it names; the best of the first three. One algorithm for all has no three.
    fitting
        The first whose trial is expected to fit into the budget; where nothing is, there is none
        within the margin.
    over
        Of the data sets where one is, those where it costs more than the budget in truth.
    """

    first: Share
    three: Share | None = None
    fitting: Share | None = None
    over: Share | None = None


def within_margin(goodness: FloatArray, margin: float) -> BoolArray:
    """Return who is at most so much worse than the best of the data set: (S, K).

    >>> within_margin(np.array([[0.93, 0.92, 0.9], [0.5, 0.5, 0.4]]), 0.01).tolist()
    [[True, True, False], [True, True, False]]
    """
    best = goodness.max(axis=1, keepdims=True)
    # 0.93 − 0.92 is a little more than 0.01 in floating point.
    return np.asarray(paired_difference(best - margin, goodness) <= 0)


def in_order(ranks: FloatArray, costs: FloatArray | None, names: Sequence[str]) -> IntArray:
    """Return the columns in the order to try them, (S, K): by rank, then cost, then name.

    >>> in_order(np.array([[1.5, 1.5, 3.0]]), np.array([[2.0, 1.0, 1.0]]), "abc").tolist()
    [[1, 0, 2]]
    """
    alphabetic = np.broadcast_to(np.argsort(np.argsort(names)), ranks.shape)
    price = np.zeros_like(ranks) if costs is None else costs
    return np.lexsort(np.stack([alphabetic, price, ranks]), axis=-1)


def first_fitting(order: IntArray, costs: FloatArray, budget: float) -> IntArray:
    """Return for each data set the first whose cost is in the budget, `NOBODY` if none is.

    >>> costs = np.array([[5.0, 1.0], [5.0, 4.0]])
    >>> first_fitting(np.array([[0, 1], [0, 1]]), costs, budget=2).tolist()
    [1, -1]
    """
    fits = np.take_along_axis(costs <= budget, order, axis=1)
    firsts = np.take_along_axis(order, fits.argmax(axis=1)[:, np.newaxis], axis=1)[:, 0]
    return np.where(fits.any(axis=1), firsts, NOBODY)


def left_out_costs(
    costs: FoldCosts, chosen: Sequence[FloatArray], folds: int, rows: FloatArray
) -> list[FloatArray]:
    """Return what a trial on each data set is expected to cost by others: (S, K) for each choice.

    A choice (S, S) says which others count for each data set; ``rows`` (S,) are those of the data
    sets, of which a fold is trained on a part.
    """
    found = [np.empty(costs.total.shape) for _ in chosen]
    for i, trained in enumerate(_trained(folds, rows).tolist()):
        others = costs.without[i]  # how costs grow is asked of all others, relevant or not
        for weights, by_choice in zip(chosen, found, strict=True):
            relevant = np.flatnonzero(np.delete(weights[i], i)).tolist()
            by_choice[i] = folds * others.expected(relevant, trained)[0]
    return found


def own_costs(costs: FoldCosts, folds: int, rows: FloatArray) -> FloatArray:
    """Return what a trial on each data set costs by what was measured there, (S, K).

    The folds of a trial may be larger than those measured, so that this is carried over, too.
    """
    trained = _trained(folds, rows).tolist()
    return folds * np.stack([costs.expected([i], n)[0] for i, n in enumerate(trained)])


def _trained(folds: int, rows: FloatArray) -> FloatArray:
    return (folds - 1) / folds * rows


def reach(
    near: BoolArray,
    order: IntArray,
    *,
    expected: FloatArray | None = None,
    own: FloatArray | None = None,
    budget: float | None = None,
) -> Reach:
    """Count how often those who come first in an order (S, K′) are near the best (S, K).

    ``expected`` and ``own`` are the costs of a trial by the others and by itself, for a budget.
    """
    hits = np.take_along_axis(near, order, axis=1)
    first = Share.of(hits[:, 0])
    three = Share.of(np.asarray(hits[:, :3].any(axis=1))) if order.shape[1] > 1 else None
    if budget is None or expected is None or own is None:
        return Reach(first, three)
    chosen = first_fitting(order, expected, budget)
    there = chosen != NOBODY
    each = np.arange(len(order))[there], chosen[there]
    fitting = np.zeros(len(order), dtype=np.bool_)
    fitting[there] = near[each]
    return Reach(first, three, Share.of(fitting), Share.of(np.asarray(own[each] > budget)))


@dataclass(frozen=True, eq=False)
class Ways:
    """Ways to choose what to try, and what they are held against; counted when first asked.

    Parameters
    ----------
    algorithms, goodness
        Names (K,), and the scores on the data sets (S, K), higher is better.
    ranks, chosen
        For each choice of others, all of them first: the ranking on these of each data set left
        out, (S, K), and which they are, (S, S).
    margin, ratio
        By how much one may be worse than the best, and whether that is a share of it.
    costs, rows, folds, budget
        What folds cost, the rows of the data sets (S,), the folds of a trial, and what it may cost.
    """

    algorithms: tuple[str, ...]
    goodness: FloatArray
    ranks: tuple[FloatArray, ...]
    chosen: tuple[FloatArray, ...]
    margin: float
    ratio: bool
    costs: FoldCosts | None
    rows: FloatArray
    folds: int
    budget: float | None

    @cached_property
    def _expected(self) -> list[FloatArray] | None:
        """The costs to expect, where they decide: for a budget, and between tied algorithms."""
        tied = any((np.diff(np.sort(ranks, axis=1), axis=1) == 0).any() for ranks in self.ranks)
        if self.costs is None or (self.budget is None and not tied):
            return None
        return left_out_costs(self.costs, self.chosen, self.folds, self.rows)

    @cached_property
    def _orders(self) -> list[IntArray]:
        expected = self._expected
        costs = [None] * len(self.ranks) if expected is None else expected
        return [
            in_order(ranks, price, self.algorithms)
            for ranks, price in zip(self.ranks, costs, strict=True)
        ]

    def _reach(self, order: IntArray, choice: int) -> Reach:
        margin = float(np.log1p(self.margin)) if self.ratio else self.margin
        near = within_margin(self.goodness, margin)
        if self.budget is None or self.costs is None or self._expected is None:
            return reach(near, order)
        return reach(
            near, order, expected=self._expected[choice], own=self._own, budget=self.budget
        )

    @cached_property
    def _own(self) -> FloatArray | None:
        return None if self.costs is None else own_costs(self.costs, self.folds, self.rows)

    @cached_property
    def by_choice(self) -> tuple[Reach, ...]:
        """How far each choice of others reaches."""
        return tuple(self._reach(order, i) for i, order in enumerate(self._orders))

    @cached_property
    def firsts(self) -> tuple[dict[str, int], ...]:
        """Who comes first by each choice, and on how many data sets, the most frequent first."""
        found = (Counter(self.algorithms[k] for k in order[:, 0]) for order in self._orders)
        return tuple(dict(counter.most_common()) for counter in found)

    @cached_property
    def alone(self) -> dict[str, Reach]:
        """How far each algorithm reaches that is taken for all data sets."""
        n = len(self.goodness)
        return {name: self._reach(np.full((n, 1), k), 0) for k, name in enumerate(self.algorithms)}
