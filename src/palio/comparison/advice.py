"""What it would take to make the standard error of a difference smaller."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from palio.numbers import number, share
from palio.stats.allocation import Rates
from palio.words import count, joined

if TYPE_CHECKING:
    from palio.comparison.variance import Variance

# The standard error is drawn for up to so many times as many scores.
_MOST = 16
# Of further data sets with fewer units each so many numbers of units are tried.
_TRIED = 40


class Numbers(NamedTuple):
    """How many there are: units of a data set, replicates of a unit (means where they differ)."""

    datasets: int
    units: float
    replicates: float


class Way(NamedTuple):
    """One way to make the standard error as small as asked.

    Parameters
    ----------
    what : str
        What there would be more of.
    now, needed : float and int
        How many there are and would be; for further data sets, how many these are. None where no
        number is enough.
    limit : float
        The standard error that no number goes below.
    scores : int, optional
        How many scores that adds.
    cost : float, optional
        What these cost, by the cost that was named.
    """

    what: str
    now: float
    needed: int | None
    limit: float
    scores: int | None
    cost: float | None


class Curve(NamedTuple):
    """The standard error with more of something.

    ``multiples`` are the numbers of scores, now being 1.
    """

    what: str
    multiples: tuple[float, ...]
    standard_errors: tuple[float, ...]


class Prices(NamedTuple):
    """What a further score costs, and a further data set besides its scores."""

    score: float
    dataset: float


class Plan(NamedTuple):
    """What could be more: names, numbers now, how many algorithms, and whether data sets could."""

    rates: Rates
    now: Numbers
    algorithms: int
    unit: str | None
    replicate: str | None
    anew: bool

    @property
    def variance(self) -> float:
        """The variance of a difference now."""
        return float(self.rates.variance(*self.now))

    @property
    def scores(self) -> float:
        """How many scores there are, if none is missing."""
        return self.now.datasets * self.now.units * self.now.replicates * self.algorithms


def ways(plan: Plan, share: float, prices: Prices | None) -> tuple[Way, ...]:
    """Return the ways to make the standard error a share of what it is."""
    rates, (s, u, r) = plan.rates, plan.now
    target = plan.variance * share**2
    found = []
    if plan.anew:
        found.append(_way(plan, prices, "data sets", s, s / share**2, 0.0))
        # A data set may be split once; one of a single item is no data set.
        if u * r > 1 and plan.unit in (None, "split"):
            found.append(_further(plan, target, prices))
    if plan.unit is not None:
        limit = math.sqrt(rates.variance(s))
        needed = rates.units_for(target, s, r)
        found.append(_way(plan, prices, f"{plan.unit}s per data set", u, needed, limit))
    if plan.replicate is not None:
        per = f"{plan.unit}" if plan.unit else "data set"
        limit = math.sqrt(rates.variance(s, u, math.inf))
        needed = rates.replicates_for(target, s, u)
        found.append(_way(plan, prices, f"{plan.replicate}s per {per}", r, needed, limit))
    return tuple(found)


def _way(
    plan: Plan, prices: Prices | None, what: str, now: float, needed: float | None, limit: float
) -> Way:
    if needed is None or needed > 1e9:
        return Way(what, now, None, limit, None, None)
    whole = max(math.ceil(now), math.ceil(needed - 1e-9))
    added = plan.scores * (whole / now - 1)
    datasets = whole - now if what == "data sets" else 0.0
    return Way(what, now, whole, limit, math.ceil(added - 1e-6), _price(prices, added, datasets))


def _price(prices: Prices | None, scores: float, datasets: float) -> float | None:
    return None if prices is None else scores * prices.score + datasets * prices.dataset


def _further(plan: Plan, target: float, prices: Prices | None) -> Way:
    """Return the cheapest further data sets, each with as many units and replicates or fewer."""
    _, u, r = plan.now
    paid = prices or Prices(1.0, 0.0)
    found = []
    for units in _numbers_to(u):
        for replicates in _numbers_to(r):
            further = plan.rates.further_for(target, plan.now, units, replicates)
            scores = further * units * replicates * plan.algorithms
            spent = scores * paid.score + further * paid.dataset
            found.append((spent, further, units, replicates, scores))
    _, further, units, replicates, scores = min(found)
    what = _each(plan, units, replicates)
    return Way(what, 0, further, 0.0, scores, _price(prices, scores, further))


def _each(plan: Plan, units: int, replicates: int) -> str:
    inside = [count(units, plan.unit)] if plan.unit else []
    inside += [count(replicates, plan.replicate)] if plan.replicate else []
    return f"further data sets with {' of '.join(inside)} each"


def _numbers_to(most: float) -> list[int]:
    whole = max(1, math.floor(most))
    return sorted({round(each) for each in np.geomspace(1, whole, _TRIED).tolist()})


def curves(plan: Plan) -> tuple[Curve, ...]:
    """Return the standard error with more and more of each, by the scores that takes."""
    more = np.geomspace(1, _MOST, 33)
    s, u, r = plan.now
    grown = {}
    if plan.anew:
        grown["data sets"] = plan.rates.variance(s * more, u, r)
    if plan.unit is not None:
        grown[f"{plan.unit}s"] = plan.rates.variance(s, u * more, r)
    if plan.replicate is not None:
        grown[f"{plan.replicate}s"] = plan.rates.variance(s, u, r * more)
    times = tuple(more.tolist())
    return tuple(Curve(what, times, tuple(np.sqrt(each).tolist())) for what, each in grown.items())


def cheapest(found: tuple[Way, ...]) -> Way | None:
    """Return the way that costs least, or adds the fewest scores where no cost is known."""
    possible = [way for way in found if way.needed is not None]
    return min(
        possible,
        key=lambda way: way.cost if way.cost is not None else way.scores or 0,
        default=None,
    )


def advised(result: Variance) -> tuple[str, ...]:
    """Say what the standard error is, what of, and how it would become half as large."""
    found = result.standard_error
    if found is None:
        return ()
    low, high = map(number, found.interval)
    others = result.over == "datasets"
    inside = f"{_these(result)}, other {result.on_these and _inside(result)} drawn"
    drawn = "Other data sets like these" if others else inside[0].upper() + inside[1:]
    said = [
        f"{drawn}: a difference of two algorithms in {result.unit_of_scores} has a standard error "
        f"of {number(found.value)} ({low} to {high})."
    ]
    if others and result.on_these:
        said.append(f"With {inside}, it is {number(result.on_these.value)}.")
    if not others and result.over_datasets:
        said.append(f"With other data sets like these it is {number(result.over_datasets.value)}.")
    return (*said, *_halving(result))


def _these(result: Variance) -> str:
    return "these data sets" if result.n_datasets > 1 else "this data set"


def _inside(result: Variance) -> str:
    return joined([curve.what for curve in result.curves if curve.what != "data sets"])


def _halving(result: Variance) -> list[str]:
    """Say what would halve it, what cannot, and what is cheapest."""
    enough = [
        f"{way.needed} {way.what} instead of {share(way.now)}"
        if way.now
        else f"{way.needed} {way.what}"
        for way in result.ways
        if way.needed is not None
    ]
    said = [f"Half as large it would be with {joined(enough, 'or')}."] if enough else []
    said += [
        f"More {way.what} cannot halve it: it stays above {number(way.limit)}."
        for way in result.ways
        if way.needed is None
    ]
    best = result.cheapest
    if best is not None and len(enough) > 1:
        price = f", {result.cost} {number(best.cost)}" if result.cost else ""
        said.append(f"The cheapest: {best.needed} {best.what}, {best.scores} more scores{price}.")
    return said
