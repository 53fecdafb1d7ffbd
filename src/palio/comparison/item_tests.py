"""Tests of pairs of algorithms over items, a score on each, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from typing import Annotated, Literal, NamedTuple

import numpy as np

from palio.comparison.fold_tests import FOLD_TESTS, Allowed, PairwiseTest
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.sample import Matching
from palio.errors import DesignError, Option, ParameterError
from palio.registry import Registry, unknown_method
from palio.stats.item_tests import (
    FLIPS_EXACT_LIMIT,
    flip_intervals,
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
from palio.types import BoolArray, FloatArray, IntArray, Options
from palio.words import joined

MIN_CLUSTERS = 3
"""Pairs that share fewer clusters are not tested."""
# Where one of few clusters has nearly all items, t rejects up to 11 % at the level 5 %; from this
# many degrees of freedom on, at most 7 % (simulated, tests/calibration).
_MIN_DF = 1.2
_MIN_FLIPS = 9999
# More flips of all pairs together take longer than a person waits: about ten seconds.
_MAX_FLIPS = 1_000_000_000
# Intervals of 0/1 scores near 1 cover as little as 0.7 with 10 items, 0.92 with 30.
_FEW_ITEMS = 30


class Flips(NamedTuple):
    """Which pairs are tested by sign flips, by how many where not all are counted, and the seed."""

    pairs: BoolArray
    n: int = _MIN_FLIPS
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Drawn:
    """Items, the pairs to be told apart on them, and the mean differences of these.

    ``by`` says what counts the same: data sets, or items. ``alone`` marks pairs without common
    items, whose means were taken apart. ``flips`` says which pairs are tested by sign flips; the
    others are by t, or by exact tests of 0/1 scores.
    """

    items: Items
    first: IntArray
    second: IntArray
    by: By
    means: Averages
    alone: BoolArray
    flips: Flips
    exact: bool = False

    @classmethod
    def of(
        cls, items: Items, first: IntArray, second: IntArray, by: By, *, unpaired: bool
    ) -> Drawn:
        """Work the mean differences out; pairs that share too little are left out.

        Pairs without common items are too, unless ``unpaired`` allows them.
        """
        means = paired_means(items, first, second, by=by)
        never = np.flatnonzero(means.datasets == 0)
        if unpaired and never.size:
            apart = unpaired_means(items, first[never], second[never], by=by)
            means = means.put(never, apart)
        least = 1 if items.cluster_of is None else MIN_CLUSTERS
        there = np.flatnonzero((means.datasets > 0) & (means.clusters >= least))
        alone = np.zeros(first.size, dtype=np.bool_)
        alone[never] = True
        none = Flips(np.zeros(there.size, dtype=np.bool_))
        return cls(items, first[there], second[there], by, means.at(there), alone[there], none)

    def some(self, places: IntArray) -> Drawn:
        """Return some of the pairs."""
        return replace(
            self,
            first=self.first[places],
            second=self.second[places],
            means=self.means.at(places),
            alone=self.alone[places],
            flips=self.flips._replace(pairs=self.flips.pairs[places]),
        )

    def interval(self, matching: Matching) -> tuple[FloatArray, FloatArray]:
        """Return the ends of intervals of the differences, each by the test of its pair.

        It is without zero just where the pair differs. NaN where the test cannot reject at its
        level, whatever the difference.
        """
        levels = matching.levels
        low, high = self.means.interval(1.0 - levels)
        if self.exact:
            exact = mcnemar_interval(self.items, self.first, self.second, 1.0 - levels)
            low, high = (
                np.where(self.alone, *each) for each in zip((low, high), exact, strict=True)
            )
        flips = np.flatnonzero(self.flips.pairs & ~self.alone)
        low[flips], high[flips] = flip_intervals(
            self.items,
            self.first[flips],
            self.second[flips],
            levels[flips],
            by=self.by,
            n_resamples=self.flips.n,
            seed=self.flips.seed,
        )
        kept = matching.sides == 0
        # Where nothing varies the t interval is a point, whatever its p-value says of chance.
        open_ended = np.isinf(low) | np.isinf(high) | (kept & (self.means.variance == 0.0))
        open_ended &= self.means.estimate != 0.0
        # The verdict decides where rounding does not tell the end of an interval from zero.
        low, high = (
            np.where(kept, np.minimum(low, 0.0), low),
            np.where(kept, np.maximum(high, 0.0), high),
        )
        return np.where(open_ended, np.nan, low), np.where(open_ended, np.nan, high)

    def flips_for(self, p_needed: float, options: Options, *, always: bool) -> Flips:
        """Return which pairs sign flips can tell apart, and how many flips that takes.

        ``always``: all are asked for, whatever they can tell.
        """
        seed = options.get("seed", 0)
        # The least p of a pair is by all flips of its clusters, of which two sides are extreme.
        attainable = 2.0 * 0.5**self.means.clusters <= p_needed
        if always:
            return Flips(np.ones_like(self.alone), options.get("n_resamples", _MIN_FLIPS), seed)
        n = max(_MIN_FLIPS, int(np.ceil(1.0 / p_needed)))
        few = self.means.clusters <= FLIPS_EXACT_LIMIT
        enough = few | (n * self.first.size <= _MAX_FLIPS)
        return Flips(attainable & enough & ~self.alone, n, seed)

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
class ItemTest(PairwiseTest):
    """An entry of the registry.

    The page of a test is the docstring of ``run``, or of what it ``wraps``. ``averages`` are the
    ways in which it can average over data sets, the usual one first. ``binary`` tests are for 0/1
    scores, and ``alone`` for items that come one by one: not in clusters, all of one weight; those
    for ``clusters`` need some. ``flips`` says which pairs are tested by sign flips: those with
    ``enough`` clusters for the level that a verdict needs. ``about`` says how it was done.
    """

    run: Callable[[Drawn, Options], Outcome]
    averages: tuple[By, ...] = field(kw_only=True)
    about: Callable[[Drawn, Outcome], tuple[str, ...]] = lambda _drawn, _outcome: ()
    binary: bool = False
    alone: bool = False
    clusters: bool = False
    flips: Literal["never", "enough", "always"] = "never"

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
        clusters = ["items in clusters"] if self.clusters else []
        return " and ".join(binary + alone + clusters)

    @property
    def takes(self) -> Mapping[str, Allowed]:
        """All the options that may be given."""
        return {**self.options, "average": self.averages}

    def title_of(self, drawn: Drawn) -> str:
        """Return the title of the test that the pairs were tested by."""
        if self.flips != "enough" or (drawn.flips.pairs.any() and not drawn.flips.pairs.all()):
            return self.title
        return "sign-flip test of clusters" if drawn.flips.pairs.all() else "t test of clusters"

    def check(self, items: Items) -> None:
        """Refuse items that the test is not for."""
        t, flips = (Option("test", name) for name in ("item-t", "sign-flips"))
        clustered = items.cluster_of is not None
        if self.binary and items.values.dtype != np.uint8:
            rule = "needs scores that are 0 or 1, one per item"
            what, other = "these are graded, or means over repeats", f"{t}"
        elif self.clusters and not clustered:
            rule, what, other = "is for items in clusters", "these have none", f"{t} or {flips}"
        elif self.alone and (clustered or items.weights is not None):
            rule, other = "takes each item for a draw of its own", f"{t} or {flips}"
            what = "these come in clusters" if clustered else "these have weights"
        else:
            return
        raise DesignError("test", f"'{self.name}' {rule}", what, f"give {other}")

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
def _item_t(drawn: Drawn, _options: Options) -> Outcome:
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
    several = int(drawn.means.datasets.max()) > 1
    if drawn.clusters is None:
        freedom = "Satterthwaite's" if several else "n − 1"
        said = f"t of the mean difference, its variance from items, {freedom} degrees of freedom"
        fewest = int((drawn.means.items / drawn.means.datasets).min())
        few = (
            f"warning: with {fewest} items (of a data set) intervals may cover too little where "
            "scores are near their end, as 0.95 of 1; 'mcnemar' and 'sign-flips' hold their level"
        )
        return (said, few) if fewest < _FEW_ITEMS else (said,)
    freedom = "Bell and McCaffrey's degrees of freedom"
    freedom += ", over data sets by Satterthwaite" if several else ""
    return (f"t of the mean difference, bias-reduced variance of clusters (CR2), {freedom}",)


@wraps(sign_flips)
def _sign_flips(drawn: Drawn, _options: Options) -> Outcome:
    flips = drawn.flips
    return sign_flips(
        drawn.items, drawn.first, drawn.second, by=drawn.by, n_resamples=flips.n, seed=flips.seed
    )


def _about_flips(drawn: Drawn, outcome: Outcome) -> tuple[str, ...]:
    what = "items" if drawn.clusters is None else "whole clusters"
    how = f"all of them up to {FLIPS_EXACT_LIMIT}"
    if outcome.null != "exact":
        how += f", {drawn.flips.n} random ones of more"
    return (f"sign flips of {what}, {how}; standard errors are by t",)


def cluster_flips(drawn: Drawn, options: Options) -> Outcome:
    r"""Test by flipping the signs of clusters, or by t where there are too few of these.

    The test over items in clusters unless another is asked for. A pair is tested by `sign_flips`
    if the least adjusted p-value that these can give is at most α/5, so that clear differences are
    found: with two algorithms at the level 0.05 from eight clusters on. Otherwise it is tested by
    `paired_means`, with the bias-reduced variance and Bell and McCaffrey's degrees of freedom, and
    labelled "few clusters". Pairs with fewer than three clusters are not tested.

    Notes
    -----
    Of m pairs, corrected by Holm, a pair with G clusters is tested by sign flips if

    .. math::

        m\, \frac{2}{2^G} \le \frac{\alpha}{5}

    Beyond 20 clusters as many random flips are drawn as that needs, 5 m/α, at least 9999; with more
    pairs than these can be drawn for in some seconds, about 3000, t is used.

    Simulated with 5 to 40 clusters of log-normal sizes, or one with half of the items, flips reject
    4 to 5 % and t 4 to 6 % at the level 5 % where the two are alike; t by the usual cluster-robust
    variance with G − 1 degrees of freedom rejects 8 to 30 %.

    References
    ----------
    Canay, Romano and Shaikh (2017), Randomization tests under an approximate symmetry assumption.
    Econometrica 85; Bell and McCaffrey (2002), Bias reduction in standard errors for linear
    regression with multi-stage samples. Survey Methodology 28.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [1.0, 0.5], [1.0, 0.0], [0.5, 0.25]])
    >>> items = Items(x, np.zeros(4, dtype=np.intp), np.array([0, 0, 1, 2]))
    >>> drawn = Drawn.of(items, np.array([0]), np.array([1]), "datasets", unpaired=False)
    >>> drawn.flips_for(0.01, {}, always=False).pairs.tolist()  # three clusters are few
    [False]
    >>> round(float(cluster_flips(drawn, {}).p_value[0]), 3)
    0.061
    """
    by_t = _item_t(drawn, options)
    where = np.flatnonzero(drawn.flips.pairs)
    if not where.size:
        return by_t
    flipped = _sign_flips(drawn.some(where), options)
    statistic, p = by_t.statistic.copy(), by_t.p_value.copy()
    statistic[where], p[where] = flipped.statistic, flipped.p_value
    return replace(by_t, statistic=statistic, p_value=p, null=flipped.null)


def _about_clusters(drawn: Drawn, outcome: Outcome) -> tuple[str, ...]:
    flipped, n = int(drawn.flips.pairs.sum()), drawn.first.size
    said = _about_flips(drawn, outcome) if flipped else ()
    if flipped == n:
        return said
    (by_t,) = _about_t(drawn, outcome)
    return (*said, f"{f'{n - flipped} of {n} pairs by ' if flipped else ''}{by_t}")


class TooFewForFlips(NamedTuple):
    """Pairs that share too few clusters for sign flips, and are tested by t."""

    n_pairs: int
    n_clusters: Annotated[int, "The fewest that such a pair shares."]
    effective: Annotated[
        float, "Clusters of one size that would be as good as the fewest of these."
    ]
    level_held: Annotated[
        bool, "False where one cluster has nearly all items: t rejects too often."
    ]


def few_clusters(drawn: Drawn, p_needed: float) -> TooFewForFlips | None:
    """Return what pairs with few clusters rest on; None where there are none."""
    by_t = ~(drawn.flips.pairs | drawn.alone)
    few = np.flatnonzero(by_t & (2.0 * 0.5**drawn.means.clusters > p_needed))
    if drawn.items.cluster_of is None or not few.size:
        return None
    means = drawn.means.at(few)
    as_good = float((means.df + means.datasets).min())
    held = bool((means.df >= _MIN_DF).all())
    return TooFewForFlips(few.size, int(means.clusters.min()), as_good, held)


@wraps(mcnemar_pairs)
def _mcnemar(drawn: Drawn, _options: Options) -> Outcome:
    return mcnemar_pairs(drawn.items, drawn.first, drawn.second)


def _about_counts(_drawn: Drawn, _outcome: Outcome) -> tuple[str, ...]:
    return (
        "exact binomial distribution; intervals are exact too, given how many items part the two "
        "(Clopper and Pearson 1934), standard errors are by t",
    )


_FLIPS: Mapping[str, Allowed] = {"n_resamples": int, "seed": int}
_by_flips = partial(ItemTest, options=_FLIPS, about=_about_flips, flips="always")

ITEM_TESTS: Registry[ItemTest] = Registry.of(
    "test",
    ItemTest(
        "item-t",
        "t test of the mean difference over items",
        "Bell and McCaffrey 2002; Miller 2024",
        _item_t,
        averages=("datasets", "items"),
        about=_about_t,
        aliases=("cluster-t", "clustered-t", "cluster-robust-t"),
    ),
    ItemTest(
        "cluster-flips",
        "sign-flip test of clusters, or t with few",
        "Canay, Romano and Shaikh 2017; Bell and McCaffrey 2002",
        cluster_flips,
        averages=("datasets", "items"),
        about=_about_clusters,
        clusters=True,
        flips="enough",
    ),
    _by_flips(
        "sign-flips",
        "sign-flip test of the mean difference over items",
        "Canay, Romano and Shaikh 2017",
        _sign_flips,
        averages=("datasets", "items"),
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
    _by_flips(
        "permutation",
        "paired permutation test of the difference per item",
        "Fisher 1935",
        _sign_flips,
        averages=("items",),
        aliases=("permutation-test", "randomization", "randomisation"),
    ),
)


def usual_item_test(*, clustered: bool) -> str:
    """Return the test over items, unless another is asked for."""
    return "cluster-flips" if clustered else "item-t"


def item_test_named(name: str) -> ItemTest:
    """Look a test over items up; one over data sets or on folds is told where it belongs."""
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
