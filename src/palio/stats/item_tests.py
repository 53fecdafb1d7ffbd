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
    items: Items, first: IntArray, second: IntArray, level: float
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
    adds to it would be as likely with the other sign: nothing about its distribution, so that it
    holds its level with few clusters, where t may not; with fewer than six it can say nothing at
    the level 0.05. Without clusters each item is one.

    Notes
    -----
    With :math:`D_g` what cluster g adds to the mean difference, and random signs
    :math:`s_g = \pm 1`:

    .. math::

        p = P\left(\left|\sum_g s_g D_g\right| \ge \left|\sum_g D_g\right|\right)

    All flips up to 20 clusters, else R random ones, the same for all pairs, of which e are as
    extreme: :math:`p = (e + 1) / (R + 1)`.

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
    flipped = _Flipped.of(items, by)
    statistic, p = np.zeros(first.size), np.ones(first.size)
    exact = flipped.clusters <= FLIPS_EXACT_LIMIT
    signs = None if exact else _signs(flipped.clusters, n_resamples, seed)
    for part in _slabs(first.size, max(len(items.values), n_resamples) // 4):
        totals = flipped.totals(first[part], second[part])
        statistic[part] = totals.sum(axis=1)
        if signs is None:
            p[part] = permutation_test(totals, np.zeros_like(totals)).p_value
            continue
        sums = flipped.sums(totals, first[part], second[part], signs)
        noise = TIE_TOLERANCE if sums.dtype == np.float64 else np.finfo(np.float32).eps
        reached = np.abs(statistic[part]) - noise * np.abs(totals).sum(axis=1)
        extreme = (np.abs(sums) >= reached[:, np.newaxis]).sum(axis=1)
        p[part] = (extreme + 1.0) / (n_resamples + 1.0)
    return Outcome(
        statistic=statistic,
        p_value=p,
        degenerate=statistic == 0.0,
        n=np.full(first.size, flipped.clusters),
        null="exact" if exact else "random flips",
    )


def _signs(clusters: int, n_resamples: int, seed: int) -> NDArray[np.int8]:
    """Draw signs, (clusters, flips)."""
    drawn = np.random.default_rng(seed).integers(0, 2, (clusters, n_resamples), dtype=np.int8)
    return np.asarray(2 * drawn - 1, dtype=np.int8)


def _slabs(size: int, cells_each: int) -> Iterator[slice]:
    step = max(1, CELLS // max(cells_each, 1))
    for start in range(0, size, step):
        yield slice(start, start + step)


@dataclass(eq=False)
class _Flipped:
    """What clusters add to the mean difference of pairs, and the sums of these with other signs.

    Without gaps these are differences of what they add to the algorithms' own means (``alone``),
    so that the flips of K algorithms tell those of all their pairs.
    """

    items: Items
    by: By
    clusters: int
    alone: FloatArray | None
    _own: FloatArray | None = None

    @classmethod
    def of(cls, items: Items, by: By) -> _Flipped:
        x = items.floats
        if np.isnan(x).any():
            clusters = sum(_n_clusters(one) for one in items.each_dataset())
            return cls(items, by, clusters, None)
        # What is taken from all scores of an item changes no difference.
        centred = replace(items, values=x - x.mean(axis=1, keepdims=True))
        alone = _added(centred, lambda values: values, by)
        return cls(items, by, alone.shape[1], alone)

    def totals(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return what each cluster adds to the mean differences, (pairs, clusters)."""
        if self.alone is not None:
            return np.asarray(self.alone[first] - self.alone[second])
        return _added(self.items, lambda values: values[:, first] - values[:, second], self.by)

    def sums(
        self, totals: FloatArray, first: IntArray, second: IntArray, signs: NDArray[np.int8]
    ) -> FloatArray | NDArray[np.float32]:
        """Return the mean differences with these signs, (pairs, flips)."""
        if self.alone is None:
            # Single precision halves the time, and rounds less than flips differ.
            return totals.astype(np.float32) @ signs.astype(np.float32)
        if self._own is None:
            self._own = np.concatenate(
                [
                    self.alone @ signs[:, part].astype(np.float64)
                    for part in _slabs(signs.shape[1], signs.shape[0])
                ],
                axis=1,
            )
        return np.asarray(self._own[first] - self._own[second])


def _n_clusters(items: Items) -> int:
    return len(items.values) if items.cluster_of is None else np.unique(items.cluster_of).size


def _added(items: Items, of: Callable[[FloatArray], FloatArray], by: By) -> FloatArray:
    """Return what each cluster adds to averages over data sets, (columns, clusters).

    ``of`` makes columns of the scores of a data set; a column does not count where it has fewer
    than two clusters.
    """
    parts, weights = [], []
    for one in items.each_dataset():
        d = of(one.floats)
        there = ~np.isnan(d)
        w = np.where(there, one.weight[:, np.newaxis], 0.0)
        sums = cluster_sums(w * np.where(there, d, 0.0), one.cluster_of)
        met = cluster_sums(there.astype(np.float64), one.cluster_of) > 0.0
        total = np.where(met.sum(axis=0) >= 2, w.sum(axis=0), 0.0)
        counts = total > 0.0
        weight = np.where(counts, 1.0, 0.0) if by == "datasets" else total
        parts.append(np.where(counts, weight * sums / np.where(counts, total, 1.0), 0.0))
        weights.append(weight)
    weight = np.sum(weights, axis=0)
    return np.asarray(np.concatenate(parts).T / np.where(weight > 0.0, weight, 1.0)[:, np.newaxis])
