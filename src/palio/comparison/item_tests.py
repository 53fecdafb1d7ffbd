"""Tests of pairs of algorithms over items, a score on each, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import numpy as np

from palio.comparison.pair_tests import PAIR_TESTS, Options, checked_options
from palio.errors import DesignError, Option, ParameterError
from palio.registry import Registry, unknown_method
from palio.stats.item_tests import (
    FLIPS_EXACT_LIMIT,
    mcnemar_interval,
    mcnemar_pairs,
    sign_flips,
)
from palio.stats.items import (
    Averages,
    By,
    Items,
    chance_of_parting,
    paired_means,
    unpaired_means,
)
from palio.stats.outcome import Outcome
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import joined

# By simulation (tests/calibration): the level 0.05 is up to 0.08 with 20 clusters of very unequal
# sizes, which are as good as nine equal ones; 0.06 with thirty.
_FEW_CLUSTERS = 30
# And intervals of 0/1 scores near 1 cover as little as 0.7 with 10 items, 0.92 with 30.
_FEW_ITEMS = 30


@dataclass(frozen=True, eq=False)
class Drawn:
    """Items, the pairs to be told apart on them, and the mean differences of these.

    ``by`` says what counts the same: data sets, or items. ``alone`` marks pairs without common
    items, whose means were taken apart. Intervals are by t, but of ``exact`` tests their own.
    """

    items: Items
    first: IntArray
    second: IntArray
    by: By
    means: Averages
    alone: BoolArray
    exact: bool = False

    @classmethod
    def of(
        cls, items: Items, first: IntArray, second: IntArray, by: By, *, unpaired: bool
    ) -> Drawn:
        """Work the mean differences out; pairs that share no items are left out, unless allowed."""
        means = paired_means(items, first, second, by=by)
        never = np.flatnonzero(means.datasets == 0)
        if unpaired and never.size:
            apart = unpaired_means(items, first[never], second[never], by=by)
            means = means.put(never, apart)
        there = np.flatnonzero(means.datasets > 0)
        alone = np.zeros(first.size, dtype=np.bool_)
        alone[never] = True
        return cls(items, first[there], second[there], by, means.at(there), alone[there])

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the ends of the intervals of the differences."""
        low, high = self.means.interval(level)
        if not self.exact:
            return low, high
        exact = mcnemar_interval(self.items, self.first, self.second, level)
        return np.where(self.alone, low, exact[0]), np.where(self.alone, high, exact[1])

    def apart(self, first: IntArray, second: IntArray) -> int:
        """Return how many more of the pairs could be compared by their means taken apart."""
        k = self.items.values.shape[1]
        left = ~np.isin(first * k + second, self.first * k + self.second)
        if not left.any():
            return 0
        means = unpaired_means(self.items, first[left], second[left], by=self.by)
        return int((means.datasets > 0).sum())

    @property
    def clusters(self) -> int | None:
        """The fewest clusters that a pair rests on, where items come in clusters."""
        return None if self.items.cluster_of is None else int(self.means.clusters.min())


@dataclass(frozen=True)
class ItemTest:
    """An entry of the registry.

    The page of a test is the docstring of ``run``, or of what it ``wraps``. ``averages`` are the
    ways in which it can average over data sets, the usual one first. ``binary`` tests are for 0/1
    scores, and ``alone`` for items that come one by one: not in clusters, all of one weight.
    ``about`` says how it was done.
    """

    name: str
    title: str
    reference: str
    run: Callable[[Drawn, Options], Outcome]
    averages: tuple[By, ...] = field(kw_only=True)
    options: Mapping[str, tuple[str, ...] | type] = field(default_factory=dict)
    about: Callable[[Drawn, Outcome], tuple[str, ...]] = lambda _drawn, _outcome: ()
    binary: bool = False
    alone: bool = False
    bayesian: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What it estimates."""
        ways = {
            "datasets": "averaged over data sets that count the same",
            "items": "per item, all data sets together",
        }
        how = joined([ways[by] for by in self.averages], "or")
        return (f"Estimates the mean difference {how}",)

    @property
    def needs(self) -> str:
        """What scores it needs."""
        binary = ["scores that are 0 or 1"] if self.binary else []
        alone = ["items without clusters and weights"] if self.alone else []
        return " and ".join(binary + alone)

    def checked(self, options: Options) -> dict[str, Any]:
        """Refuse options that the test does not take, or values that they do not."""
        takes = {**self.options, "average": self.averages}
        return checked_options(self.name, takes, options)

    def by(self, options: Options) -> By:
        """Return how it averages over data sets."""
        asked: By = options.get("average", self.averages[0])
        return asked

    def check(self, items: Items) -> None:
        """Refuse items that the test is not for."""
        if self.binary and items.values.dtype != np.uint8:
            raise DesignError(
                "test",
                f"'{self.name}' needs scores that are 0 or 1, one per item",
                "these are graded, or means over repeats",
                f"give {Option('test', 'clustered-t')}",
            )
        if self.alone and (items.cluster_of is not None or items.weights is not None):
            raise DesignError(
                "test",
                f"'{self.name}' takes each item for a draw of its own",
                "these come in clusters" if items.cluster_of is not None else "these have weights",
                f"give {Option('test', 'clustered-t')} or {Option('test', 'sign-flips')}",
            )

    def tested(self, drawn: Drawn, options: Options) -> tuple[Outcome, tuple[str, ...]]:
        """Test the pairs; those without common items by their t, as nothing of theirs is paired."""
        outcome = self.run(drawn, options)
        notes = self.about(drawn, outcome)
        if drawn.alone.any():
            welch = _unpaired(drawn)
            outcome = replace(
                outcome,
                statistic=np.where(drawn.alone, welch.statistic, outcome.statistic),
                p_value=np.where(drawn.alone, welch.p_value, outcome.p_value),
            )
        return outcome, notes


def _unpaired(drawn: Drawn) -> Outcome:
    """Test differences of means; without any spread, by how likely chance parts them so."""
    found = drawn.means.t_test()
    flat = np.flatnonzero(found.degenerate & (found.p_value < 1.0))
    p = found.p_value.copy()
    p[flat] = chance_of_parting(drawn.items, drawn.first[flat], drawn.second[flat])
    return replace(found, p_value=p)


@wraps(paired_means)
def _clustered_t(drawn: Drawn, _options: Options) -> Outcome:
    found = drawn.means.t_test()
    several = drawn.means.datasets > 1
    flat = np.flatnonzero(found.degenerate & several & (found.p_value < 1.0) & ~drawn.alone)
    if not flat.size:
        return found
    # Data sets without spread may contradict one another, or say nothing: their signs tell.
    p = found.p_value.copy()
    p[flat] = sign_flips(drawn.items, drawn.first[flat], drawn.second[flat], by=drawn.by).p_value
    return replace(found, p_value=p)


def _about_t(drawn: Drawn, _outcome: Outcome) -> tuple[str, ...]:
    freedom = (
        "Satterthwaite's degrees of freedom"
        if int(drawn.means.datasets.max()) > 1
        else f"{'G' if drawn.clusters is not None else 'n'} − 1 degrees of freedom"
    )
    if drawn.clusters is None:
        said = f"t of the mean difference, its variance from items, {freedom}"
        return (said, *_few_items(drawn))
    said = f"t of the mean difference, its variance from clusters, G/(G − 1) Σ(…)², {freedom}"
    equal = drawn.items.effective_clusters
    if equal >= _FEW_CLUSTERS:
        return (said,)
    few = f"{drawn.clusters} clusters, as good as {equal:.0f} of one size, are few for t"
    return (said, f"warning: {few}, which may reject too often; 'sign-flips' holds its level")


def _few_items(drawn: Drawn) -> tuple[str, ...]:
    fewest = int((drawn.means.items / drawn.means.datasets).min())
    if fewest >= _FEW_ITEMS:
        return ()
    return (
        f"warning: with {fewest} items (of a data set) intervals may cover too little where scores "
        "are near their end, as 0.95 of 1; 'mcnemar' and 'sign-flips' hold their level",
    )


@wraps(sign_flips)
def _sign_flips(drawn: Drawn, options: Options) -> Outcome:
    return sign_flips(
        drawn.items,
        drawn.first,
        drawn.second,
        by=drawn.by,
        n_resamples=options.get("n_resamples", 9999),
        seed=options.get("seed", 0),
    )


def _about_flips(drawn: Drawn, outcome: Outcome) -> tuple[str, ...]:
    what = "items" if drawn.clusters is None else "whole clusters"
    how = f"all of them up to {FLIPS_EXACT_LIMIT}" if outcome.null == "exact" else "random ones"
    return (f"sign flips of {what}, {how}; standard errors and intervals are by t",)


@wraps(mcnemar_pairs)
def _mcnemar(drawn: Drawn, _options: Options) -> Outcome:
    return mcnemar_pairs(drawn.items, drawn.first, drawn.second)


def _about_counts(_drawn: Drawn, _outcome: Outcome) -> tuple[str, ...]:
    return (
        "exact binomial distribution; intervals are exact too, given how many items part the two "
        "(Clopper and Pearson 1934), standard errors are by t",
    )


_FLIPS: Mapping[str, tuple[str, ...] | type] = {"n_resamples": int, "seed": int}

ITEM_TESTS: Registry[ItemTest] = Registry.of(
    "test",
    ItemTest(
        "clustered-t",
        "t test of the mean difference over items",
        "Liang and Zeger 1986; Miller 2024",
        _clustered_t,
        averages=("datasets", "items"),
        about=_about_t,
        aliases=("item-t", "cluster-robust-t"),
    ),
    ItemTest(
        "sign-flips",
        "sign-flip test of the mean difference over items",
        "Canay, Romano and Shaikh 2017",
        _sign_flips,
        averages=("datasets", "items"),
        options=_FLIPS,
        about=_about_flips,
        aliases=("wild-cluster",),
    ),
    ItemTest(
        "mcnemar",
        "McNemar's exact test",
        "McNemar 1947",
        _mcnemar,
        averages=("items",),
        about=_about_counts,
        binary=True,
        alone=True,
        aliases=("mcnemar-test",),
    ),
    ItemTest(
        "permutation",
        "paired permutation test of the difference per item",
        "Fisher 1935",
        _sign_flips,
        averages=("items",),
        options=_FLIPS,
        about=_about_flips,
        aliases=("permutation-test", "randomization", "randomisation"),
    ),
)

USUAL_ITEM_TEST = "clustered-t"
"""Over items, unless another is asked for."""


def item_test_named(name: str) -> ItemTest:
    """Look a test over items up; one over data sets or on folds is told where it belongs."""
    from palio.comparison.fold_tests import FOLD_TESTS

    if name in ITEM_TESTS:
        return ITEM_TESTS[name]
    if name not in PAIR_TESTS and name not in FOLD_TESTS:
        raise unknown_method("test", name, ITEM_TESTS, PAIR_TESTS, FOLD_TESTS)
    where = "over data sets" if name in PAIR_TESTS else "on the folds of one data set"
    raise ParameterError(
        "test",
        f"'{name}' compares {where}",
        "this is over items",
        f"use one of {joined(list(ITEM_TESTS), 'or')}, or give {Option('over', 'datasets')}",
    )
