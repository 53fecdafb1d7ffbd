"""Tests of pairs on items that take nothing from a normal distribution.

The statistic and p-value of each pair of columns, as `palio.stats.items` has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from palio.stats.items import CELLS, By, Items, cluster_sums, discordant
from palio.stats.outcome import Outcome
from palio.stats.paired import permutation_test
from palio.stats.predictions import mcnemar_counts
from palio.stats.ranks import TIE_TOLERANCE
from palio.types import FloatArray, IntArray

FLIPS_EXACT_LIMIT = 20
"""Up to this many clusters, `sign_flips` counts all of them."""


def mcnemar_pairs(items: Items, first: IntArray, second: IntArray) -> Outcome:
    r"""Test whether each of two algorithms is as often alone right as the other, exactly.

    Of 0/1 scores, over the items of all data sets together: what is estimated is the difference
    per item. Items that both get right, or both wrong, say nothing; of the others each falls to
    either side like a fair coin, if the two are alike. Clusters would make it reject too often.

    Notes
    -----
    With :math:`n_{10}` items that only the first gets right, and :math:`n_{01}` that only the
    second does:

    .. math::

        p = \min\left(1, 2 P(X \ge \max(n_{10}, n_{01}))\right), \qquad
        X \sim \mathrm{Binomial}\left(n_{10} + n_{01}, \tfrac{1}{2}\right)

    All counts come from one product of matrices, and one more where scores are missing.

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions or
    percentages. Psychometrika 12.

    Examples
    --------
    >>> x = np.array([[1, 0]] * 5 + [[1, 1], [0, 0]], dtype=np.uint8)
    >>> one = np.zeros(7, dtype=np.intp)
    >>> float(mcnemar_pairs(Items(x, one), np.array([0]), np.array([1])).p_value[0])
    0.0625
    """
    only_a, only_b, _ = discordant(items.values, first, second)
    return mcnemar_counts(only_a, only_b, exact=True)


def mcnemar_interval(
    items: Items, first: IntArray, second: IntArray, level: float | FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Return exact intervals of the difference per item, given how many items part the two.

    The interval is without 0 just where the p-value of `mcnemar_pairs` is below 1 − ``level``.

    Notes
    -----
    With θ the chance that an item which only one of the two gets right is the first's, and its
    exact interval (Clopper and Pearson 1934), the difference on n items is

    .. math::

        (2 \theta - 1)\, \frac{n_{10} + n_{01}}{n}

    Examples
    --------
    >>> x = np.array([[1, 0]] * 5 + [[1, 1]] * 5, dtype=np.uint8)
    >>> of = Items(x, np.zeros(10, dtype=np.intp))
    >>> low, high = mcnemar_interval(of, np.array([0]), np.array([1]), 0.95)
    >>> low.round(4), high
    (array([-0.0218]), array([0.5]))
    """
    only_a, only_b, n = discordant(items.values, first, second)
    tail = (1.0 - level) / 2.0
    # The incomplete beta function has no inverse where nothing, or all, falls to the first.
    low = np.where(only_a > 0, betaincinv(np.maximum(only_a, 1), only_b + 1, tail), 0.0)
    high = np.where(only_b > 0, betaincinv(only_a + 1, np.maximum(only_b, 1), 1.0 - tail), 1.0)
    share = (only_a + only_b) / np.maximum(n, 1.0)
    return (2.0 * low - 1.0) * share, (2.0 * high - 1.0) * share


def sign_flips(
    items: Items,
    first: IntArray,
    second: IntArray,
    *,
    by: By = "datasets",
    n_resamples: int = 9999,
    seed: int = 0,
) -> Outcome:
    r"""Test the mean difference by flipping the signs of whole clusters.

    Is the mean difference larger than chance signs would make it? Assumes that what a cluster
    adds to it would be as likely with the other sign: nothing about its distribution or its size,
    so that it holds its level with few clusters, and with one that has most of the items. The
    least p-value of G clusters is :math:`2 / 2^G`. Without clusters each item is one.

    Notes
    -----
    With :math:`D_g` what cluster g adds to the mean difference, and random signs
    :math:`s_g = \pm 1`:

    .. math::

        p = P\left(\left|\sum_g s_g D_g\right| \ge \left|\sum_g D_g\right|\right)

    All flips of pairs with up to 20 clusters, else R random ones, the same for all pairs, of which
    e are as extreme: :math:`p = (e + 1) / (R + 1)`. `flip_intervals` has the differences that the
    test does not reject.

    References
    ----------
    Canay, Romano and Shaikh (2017), Randomization tests under an approximate symmetry assumption.
    Econometrica 85; Fisher (1935), The design of experiments, section 21.

    Examples
    --------
    Three clusters that all favour the first: one of eight flips on each side.

    >>> x = np.array([[1.0, 0.0], [1.0, 0.5], [1.0, 0.0], [0.5, 0.25]])
    >>> items = Items(x, np.zeros(4, dtype=np.intp), np.array([0, 0, 1, 2]))
    >>> float(sign_flips(items, np.array([0]), np.array([1])).p_value[0])
    0.25
    """
    added = _Added.of(items, by)
    statistic, p = np.zeros(first.size), np.ones(first.size)
    reached, exact = np.zeros(first.size), np.zeros(first.size, dtype=np.bool_)
    for part in _slabs(first.size, added.clusters + len(items.values)):
        totals, shares = added.to(first[part], second[part])
        statistic[part] = totals.sum(axis=1)
        reached[part] = np.abs(statistic[part]) - added.noise * np.abs(totals).sum(axis=1)
        exact[part] = (shares > 0.0).sum(axis=1) <= FLIPS_EXACT_LIMIT
        few = np.flatnonzero(exact[part])
        some, _ = _largest(totals[few], shares[few])
        p[part][few] = permutation_test(some, np.zeros_like(some)).p_value
    rest = np.flatnonzero(~exact)
    if rest.size:
        extreme = added.count_extreme(first[rest], second[rest], reached[rest], n_resamples, seed)
        p[rest] = (extreme + 1.0) / (n_resamples + 1.0)
    return Outcome(
        statistic=statistic,
        p_value=p,
        degenerate=statistic == 0.0,
        n=np.full(first.size, added.clusters),
        null="random flips" if rest.size else "exact",
    )


def flip_intervals(
    items: Items,
    first: IntArray,
    second: IntArray,
    levels: FloatArray,
    *,
    by: By = "datasets",
    n_resamples: int = 9999,
    seed: int = 0,
) -> tuple[FloatArray, FloatArray]:
    r"""Return the mean differences that `sign_flips` does not reject at a level for each pair.

    The interval is without 0 just where the p-value is at most the level; it is unbounded where no
    p-value can be.

    Notes
    -----
    Let :math:`c_g` be the share of cluster g, and A the clusters whose sign stays. A flip is as
    extreme as what was seen, were the true difference θ, if

    .. math::

        \left(\sum_{g \in A} D_g - \theta c_g\right)
        \left(\sum_{g \notin A} D_g - \theta c_g\right) \le 0:

    if θ lies between the mean differences of A and of the rest. Each flip is such an interval
    around :math:`\bar d`, and p(θ) the share that holds θ. So the ends are order statistics of
    the lower and of the upper means: exact, without a search.

    Examples
    --------
    Four clusters: the means of one and of the three others part the most.

    >>> x = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]])
    >>> items, pair = Items(x, np.zeros(4, dtype=np.intp)), (np.array([0]), np.array([1]))
    >>> [end.tolist() for end in flip_intervals(items, *pair, np.array([0.125]))]
    [[1.0], [4.0]]
    """
    added = _Added.of(items, by)
    low, high = np.full(first.size, -np.inf), np.full(first.size, np.inf)
    for part in _slabs(first.size, added.clusters + len(items.values)):
        totals, shares = added.to(first[part], second[part])
        exact = (shares > 0.0).sum(axis=1) <= FLIPS_EXACT_LIMIT
        for where, n in ((np.flatnonzero(exact), None), (np.flatnonzero(~exact), n_resamples)):
            some = totals[where], shares[where]
            of = part.start + where
            low[of], high[of] = _ends(*(some if n else _largest(*some)), levels[of], n, seed)
    return low, high


def _ends(
    totals: FloatArray,
    shares: FloatArray,
    levels: FloatArray,
    n_resamples: int | None,
    seed: int,
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest differences that flips do not reject, (pairs,) each."""
    low, high = np.zeros((2, levels.size))
    if not levels.size:
        return low, high
    flips = list(_signs(totals.shape[1], n_resamples, seed))
    size = sum(signs.shape[1] for signs in flips)
    ranks = np.minimum(levels * size * (1.0 + TIE_TOLERANCE), size - 1).astype(np.intp).tolist()
    share = _flipped(shares[:1], flips)
    for part in _slabs(levels.size, size // 8):
        sums, total = _flipped(totals[part], flips), totals[part].sum(axis=1, keepdims=True)
        if (shares[part] != shares[:1]).any():
            share = _flipped(shares[part], flips)
        # What leaves nothing on one side is no flip, and rejects no difference.
        none = np.broadcast_to(np.abs(share) >= 1.0 - TIE_TOLERANCE, sums.shape)
        kept = np.where(np.abs(share) >= 1.0 - TIE_TOLERANCE, 0.0, share)
        # The means of clusters whose sign stays, and of the rest.
        stay, rest = (total + sums) / (1.0 + kept), (total - sums) / (1.0 - kept)
        lower, upper = np.minimum(stay, rest), -np.maximum(stay, rest)
        lower[none] = upper[none] = -np.inf
        for row, at in enumerate(range(part.start, part.stop)):
            rank = ranks[at]
            low[at] = np.partition(lower[row], rank)[rank]
            high[at] = -np.partition(upper[row], rank)[rank]
    # A mean that is zero but for rounding is a tie with zero.
    noise = (
        TIE_TOLERANCE * np.abs(totals).sum(axis=1) / shares.min(axis=1, where=shares > 0, initial=1)
    )
    return np.where(np.abs(low) <= noise, 0.0, low), np.where(np.abs(high) <= noise, 0.0, high)


def _flipped(rows: FloatArray, flips: list[NDArray[np.int8]]) -> FloatArray:
    return np.concatenate([rows @ signs.astype(np.float64) for signs in flips], axis=1)


def _largest(totals: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the clusters that pairs have, as many as the pair with most, the largest first."""
    width = int((shares > 0.0).sum(axis=1).max(initial=1))
    order = np.argsort(-shares, axis=1, kind="stable")[:, :width]
    return np.take_along_axis(totals, order, axis=1), np.take_along_axis(shares, order, axis=1)


def _signs(clusters: int, n_resamples: int | None, seed: int) -> Iterator[NDArray[np.int8]]:
    """Give signs in parts, (clusters, flips), the first of all +1.

    Without a number of resamples all flips, of which two that mirror each other are one.
    """
    step = max(1, CELLS // clusters)
    if n_resamples is None:
        for start in range(0, 2 ** (clusters - 1), step):
            flips = np.arange(start, min(start + step, 2 ** (clusters - 1)))
            bits = flips >> np.arange(clusters)[:, np.newaxis] & 1
            yield np.asarray(1 - 2 * bits, dtype=np.int8)
        return
    yield np.ones((clusters, 1), dtype=np.int8)
    rng = np.random.default_rng(seed)
    for start in range(0, n_resamples, step):
        drawn = rng.integers(0, 2, (clusters, min(step, n_resamples - start)), dtype=np.int8)
        yield np.asarray(2 * drawn - 1, dtype=np.int8)


def _slabs(size: int, cells_each: int) -> Iterator[slice]:
    step = max(1, CELLS // max(cells_each, 1))
    for start in range(0, size, step):
        yield slice(start, min(start + step, size))


@dataclass(frozen=True, eq=False)
class _Added:
    """What clusters add to the mean differences of pairs, and the share of each cluster in them.

    Without gaps these are differences of what they add to the algorithms' own means (``alone``),
    so that the flips of K algorithms tell those of all their pairs.
    """

    items: Items
    by: By
    clusters: int
    alone: FloatArray | None
    shares: FloatArray | None

    @classmethod
    def of(cls, items: Items, by: By) -> _Added:
        x = items.floats
        if np.isnan(x).any():
            clusters = sum(_n_clusters(one) for one in items.each_dataset())
            return cls(items, by, clusters, None, None)
        # What is taken from all scores of an item changes no difference.
        centred = replace(items, values=x - x.mean(axis=1, keepdims=True))
        alone, shares = _added(centred, lambda values: values, by)
        return cls(items, by, alone.shape[1], alone, shares[:1])

    def to(self, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return what each cluster adds to the mean differences, and its share: both (P, G)."""
        if self.alone is not None and self.shares is not None:
            totals = np.asarray(self.alone[first] - self.alone[second])
            return totals, np.broadcast_to(self.shares, totals.shape)
        return _added(self.items, lambda values: values[:, first] - values[:, second], self.by)

    @property
    def noise(self) -> float:
        """Below this share of the sum of sizes, sums of flips differ by rounding only."""
        single = float(np.finfo(np.float32).eps)
        return TIE_TOLERANCE if self.alone is not None else single

    def count_extreme(
        self, first: IntArray, second: IntArray, reached: FloatArray, n_resamples: int, seed: int
    ) -> FloatArray:
        """Count the random flips that come at least as far from zero as ``reached``."""
        extreme = np.zeros(first.size)
        flips = list(_signs(self.clusters, n_resamples, seed))[1:]  # the first is what was seen
        if self.alone is None:
            for part in _slabs(first.size, CELLS // self.clusters + len(self.items.values)):
                # Single precision halves the time, and rounds less than flips differ.
                totals = self.to(first[part], second[part])[0].astype(np.float32)
                limit = reached[part, np.newaxis].astype(np.float32)
                for signs in flips:
                    far = np.abs(totals @ signs.astype(np.float32)) >= limit
                    extreme[part] += np.count_nonzero(far, axis=1)
            return extreme
        for signs in flips:
            own = self.alone @ signs.astype(np.float64)
            for part in _slabs(first.size, signs.shape[1]):
                sums = own[first[part]]
                sums -= own[second[part]]
                far = np.abs(sums, out=sums) >= reached[part, np.newaxis]
                extreme[part] += np.count_nonzero(far, axis=1)
        return extreme


def _n_clusters(items: Items) -> int:
    return len(items.values) if items.cluster_of is None else np.unique(items.cluster_of).size


def _added(
    items: Items, of: Callable[[FloatArray], FloatArray], by: By
) -> tuple[FloatArray, FloatArray]:
    """Return what each cluster adds to averages over data sets, and its share: (columns, clusters).

    ``of`` makes columns of the scores of a data set; a column does not count where it has fewer
    than two clusters.
    """
    parts, shares, weights = [], [], []
    for one in items.each_dataset():
        d = of(one.floats)
        there = ~np.isnan(d)
        w = np.where(there, one.weight[:, np.newaxis], 0.0)
        sums = cluster_sums(w * np.where(there, d, 0.0), one.cluster_of)
        own = cluster_sums(w, one.cluster_of)
        total = np.where((own > 0.0).sum(axis=0) >= 2, w.sum(axis=0), 0.0)
        counts = total > 0.0
        weight = np.where(counts, 1.0, 0.0) if by == "datasets" else total
        each = weight / np.where(counts, total, 1.0)
        parts.append(each * sums)
        shares.append(each * own)
        weights.append(weight)
    total = np.sum(weights, axis=0)
    scale = np.where(total > 0.0, total, 1.0)
    return (np.concatenate(parts) / scale).T, (np.concatenate(shares) / scale).T
