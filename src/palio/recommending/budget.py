"""What a trial will cost: budgets, and costs on data sets seen before carried over to a new one."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from palio.errors import require
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.scores.design import Design
from palio.stats.additive import adjusted_means
from palio.types import BoolArray, FloatArray, IntArray

_UNITS = {
    **dict.fromkeys(("", "s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
}

# The times a trial takes, as `palio run` measures them; else the first known name there is.
_MEASURED = ("fit_time", "predict_time")
_USUAL = ("train_time", "training_time", "time", "run_time", "runtime", "wall_time", "cpu_time")

# To see how costs grow there must be so many data sets, and the largest so many times the least.
_LEAST_DATASETS, _LEAST_RATIO = 5, 4.0
_STEEPEST = 3.0
# The part of a budget that the first trial may be expected to take.
_CHEAP = 0.05


def read_budget(budget: str | float) -> float:
    """Return a budget in seconds.

    Examples
    --------
    >>> read_budget("60s"), read_budget("5min"), read_budget("1.5 h"), read_budget(90)
    (60.0, 300.0, 5400.0, 90.0)
    >>> read_budget("soon")
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: budget: it is written 60s, 5min or 2h, or is a number of seconds,
    and 'soon' was given.
    """
    number = r"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
    found = re.fullmatch(rf"\s*({number})\s*([a-z]*)\s*", str(budget).lower())
    seconds = float(found[1]) * _UNITS.get(found[2], math.nan) if found else math.nan
    rule = "it is written 60s, 5min or 2h, or is a number of seconds"
    require(0 < seconds < math.inf, "budget", rule, budget)
    return seconds


def chosen_costs(table: ScoreTable, cost: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the costs that a trial adds up: those named, or else the times the table has."""
    if cost is not None:
        names = (cost,) if isinstance(cost, str) else tuple(dict.fromkeys(cost))
        for name in names:
            if name not in table.cost_names:
                raise unknown_name("cost", name, table.cost_names)
        return names
    measured = tuple(name for name in _MEASURED if name in table.cost_names)
    usual = tuple(name for name in _USUAL if name in table.cost_names)
    return measured or usual[:1]


def total_costs(table: ScoreTable, names: Sequence[str]) -> FloatArray | None:
    """Return what a fold costs, by data set and algorithm (S, K); nothing without names.

    What was not measured is filled in, so that costs are compared over the same data sets.
    """
    if not names:
        return None
    return fill_costs(np.sum([table.cost_matrix(name) for name in names], axis=0))


def fill_costs(costs: FloatArray) -> FloatArray:
    """Fill in what is missing (NaN) by the additive model of log cost.

    Otherwise one that was measured on small data sets alone would seem cheap.

    >>> fill_costs(np.array([[1.0, 2.0], [100.0, np.nan]])).round(6).tolist()
    [[1.0, 2.0], [100.0, 200.0]]
    """
    gone = np.isnan(costs)
    if not gone.any():
        return costs
    logs = np.log(np.where(costs > 0, costs, np.nan))
    by_algorithm = adjusted_means(logs)
    rest = logs - by_algorithm
    there = ~np.isnan(rest)
    sums = np.where(there, rest, 0.0).sum(axis=1, keepdims=True)
    by_dataset = sums / np.maximum(there.sum(axis=1, keepdims=True), 1)
    return np.where(gone, np.exp(by_algorithm + by_dataset), costs)


def training_share(design: Design) -> float:
    """Return the part of a data set that a fold is trained on: (k − 1)/k of k folds, else all.

    >>> training_share(Design.of_grid(5, 2)), training_share(Design.of_grid(1, 1))
    (0.5, 1.0)
    """
    return (design.folds - 1) / design.folds if design.folds > 1 else 1.0


def growth(costs: FloatArray, rows: FloatArray) -> float:
    """Return the power b of the rows with which a cost grows; 0 where none is to be seen.

    b is the median of the slopes between any two data sets, in logarithms (Theil and Sen). It is
    used where it lies in (0, 3] and foretells the costs (S,) better than their median does, each
    data set left out in turn; of fewer than five data sets, or of sizes within a factor of four,
    nothing is to be seen.

    Examples
    --------
    >>> rows = np.array([100.0, 200.0, 400.0, 800.0, 1600.0])
    >>> round(growth(3e-6 * rows**2, rows), 6), growth(np.array([1.0, 3, 2, 3, 1]), rows)
    (2.0, 0.0)
    """
    if len(rows) < _LEAST_DATASETS or (costs <= 0).any() or rows.max() < _LEAST_RATIO * rows.min():
        return 0.0
    x, y = np.log(rows), np.log(costs)
    first, second = np.triu_indices(len(x), 1)
    apart = x[second] - x[first] != 0
    first, second = first[apart], second[apart]
    slopes = (y[second] - y[first]) / (x[second] - x[first])
    slope = float(np.median(slopes))
    if not 0 < slope <= _STEEPEST:
        return 0.0
    b = medians_without_each(slopes, first, second, len(x))[:, np.newaxis]
    scaled = np.abs(y - np.median(_others(y + b * (x[:, np.newaxis] - x)), axis=1)).sum()
    plain = np.abs(y - np.median(_others(np.tile(y, (len(y), 1))), axis=1)).sum()
    return slope if scaled < plain else 0.0


def _others(square: FloatArray) -> FloatArray:
    """Return the rows of (n, n) without their own column: (n, n − 1)."""
    n = len(square)
    return square[~np.eye(n, dtype=np.bool_)].reshape(n, n - 1)


def medians_without_each(
    slopes: FloatArray, first: IntArray, second: IntArray, n: int
) -> FloatArray:
    """Return the median of slopes between two of n without those of each; 0 where none is left.

    They are sorted once: the t-th of those left is as many places further on as are taken away
    before it.

    >>> first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> medians_without_each(np.array([1.0, 5.0, 3.0]), first, second, 3)
    array([3., 5., 1.])
    """
    order = np.argsort(slopes)
    who = np.concatenate([first[order], second[order]])
    place = np.tile(np.arange(len(slopes)), 2)
    grouped = np.lexsort((place, who))
    who, place = who[grouped], place[grouped]
    gone = np.bincount(who, minlength=n)
    left = len(slopes) - gone
    kept_before = place - (np.arange(len(place)) - (np.cumsum(gone) - gone)[who])

    def at(t: IntArray) -> FloatArray:
        skipped = np.bincount(who, weights=kept_before <= t[who], minlength=n).astype(np.intp)
        found: FloatArray = slopes[order][np.minimum(t + skipped, len(slopes) - 1)]
        return found

    middle = (at((left - 1) // 2) + at(left // 2)) / 2
    return np.where(left > 0, middle, 0.0)


@dataclass
class BudgetClock:
    """The seconds of a budget: those of the clock since it was made, and what was spent before."""

    budget: float | None
    read: float = 0.0
    begun: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float | None:
        """How many are left; ``None`` without a budget."""
        if self.budget is None:
            return None
        return self.budget - self.read - (time.monotonic() - self.begun)


def starter(costs: FloatArray, budget: float | None) -> int | None:
    """Return which trial comes first with a budget, so that there is a result whatever happens.

    The first that takes a twentieth of the budget at most, as ``costs`` are in the order to try
    them; without such a one the cheapest.

    >>> starter(np.array([30.0, 4.0, 2.0]), 100.0), starter(np.array([30.0, 50.0, 20.0]), 100.0)
    (1, 2)
    """
    if budget is None or not len(costs):
        return None
    known = np.where(np.isnan(costs), np.inf, costs)
    cheap = known <= _CHEAP * budget
    return int(np.argmax(cheap) if cheap.any() else np.argmin(known))


def within_budget(costs: FloatArray, budget: float | None) -> tuple[BoolArray, FloatArray]:
    """Return which trials fit, taken in order, and what is spent after each.

    The `starter` fits in any case and is paid first. One that is dearer than what is left is passed
    over, and the next is looked at.

    Examples
    --------
    >>> within_budget(np.array([3.0, 5.0, 2.0]), budget=6.0)
    (array([ True, False,  True]), array([5., 5., 5.]))
    """
    fits = np.ones(len(costs), dtype=np.bool_)
    spent = np.zeros(len(costs))
    first = starter(costs, budget)
    total = 0.0 if first is None else float(costs[first])
    for i, cost in enumerate(costs.tolist()):
        if i != first:
            fits[i] = budget is None or total + cost <= budget
            total += cost if fits[i] else 0.0
        spent[i] = total
    return fits, spent
