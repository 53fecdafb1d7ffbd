r"""Algorithms on the same test items: mean differences of all pairs, and how sure they are.

``values`` holds a score per item and algorithm, (items, K): floats with NaN where one is missing,
or 0/1 as ``uint8`` with `ABSENT` there. Items of a data set are contiguous. The question is about
these data sets and other items: per data set the (weighted) mean difference over the items that
both have, over data sets the average of these, each data set the same (``by="datasets"``) or as
much as its items (``by="items"``).

Items may come in clusters, such as the questions on one passage, which are then what was drawn:
`paired_means` has the formula. Data sets on which a pair shares fewer than two clusters do not
count for it.

All pairs come from products of matrices: with U the cluster sums of :math:`w_i (x_i - \bar x)` of
each algorithm, the sum of squares of a pair comes from three entries of :math:`U^T U`. Where these
cancel, the pair is worked out by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, nctdtr, ndtr, stdtr, stdtrit

from palio.stats.outcome import Outcome
from palio.stats.ranks import TIE_TOLERANCE
from palio.types import FloatArray, IntArray

Bytes: TypeAlias = NDArray[np.uint8]
By: TypeAlias = Literal["datasets", "items"]

ABSENT = 255
"""In an array of bytes, where a score is missing."""

# So many numbers are worked on together.
CELLS = 1 << 20
# Sums of whole numbers are exact in single precision up to 2²⁴, many more than this many items.
_ROWS = 2048
# Below this share of what it is the rest of, a difference of sums has lost too many digits.
_CANCELLED = 1e-4


@dataclass(frozen=True, eq=False)
class Items:
    """Scores on items, which data set and cluster each is of, and its weight in its data set."""

    values: FloatArray | Bytes
    dataset_of: IntArray
    cluster_of: IntArray | None = None
    weights: FloatArray | None = None

    def __post_init__(self) -> None:
        n = len(self.values)
        if self.values.ndim != 2 or not n:
            raise ValueError(f"values must be (items, algorithms); got shape {self.values.shape}.")
        for name in ("dataset_of", "cluster_of", "weights"):
            each = getattr(self, name)
            if each is not None and each.shape != (n,):
                raise ValueError(f"{name} must have one entry per item; got shape {each.shape}.")
        if (np.diff(self.dataset_of) < 0).any():
            raise ValueError("dataset_of must not decrease: items of a data set are contiguous.")
        if self.weights is not None and not (self.weights > 0).all():
            raise ValueError("weights must be positive.")

    def each_dataset(self) -> Iterator[Items]:
        """Give the items of one data set after the other."""
        ends = np.flatnonzero(np.diff(self.dataset_of)) + 1
        for part in np.split(np.arange(len(self.values)), ends):
            yield self.at(slice(int(part[0]), int(part[-1]) + 1))

    def at(self, rows: IntArray | slice) -> Items:
        """Return some of the items."""
        return Items(
            self.values[rows],
            self.dataset_of[rows],
            None if self.cluster_of is None else self.cluster_of[rows],
            None if self.weights is None else self.weights[rows],
        )

    @property
    def floats(self) -> FloatArray:
        """The scores as floats, NaN where one is missing."""
        return self.columns(slice(None))

    def columns(self, which: IntArray | slice) -> FloatArray:
        """Return the scores of some algorithms as floats, NaN where one is missing."""
        values = self.values[:, which]
        if values.dtype != np.uint8:
            return np.asarray(values, dtype=np.float64)
        return np.where(values == ABSENT, np.nan, values.astype(np.float64))

    @property
    def lacking(self) -> IntArray:
        """On how many items each algorithm has no score."""
        absent = self.values == ABSENT if self.values.dtype == np.uint8 else np.isnan(self.values)
        return np.asarray(absent.sum(axis=0))

    @property
    def weight(self) -> FloatArray:
        """The weights, 1 unless there are any."""
        return np.ones(len(self.values)) if self.weights is None else self.weights

    @property
    def counted(self) -> bool:
        """Whether the scores are 0/1 and nothing tells items apart, so that counts tell all."""
        plain = self.cluster_of is None and self.weights is None
        return plain and self.values.dtype == np.uint8


# --- averages over data sets ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Averages:
    """Averages over data sets, of pairs or of algorithms, one number of each.

    ``items`` and ``clusters`` are how many they rest on, on ``datasets`` of the data sets; with
    none of these an average is NaN.
    """

    estimate: FloatArray
    variance: FloatArray
    df: FloatArray
    items: IntArray
    clusters: IntArray
    datasets: IntArray

    def at(self, where: IntArray) -> Averages:
        """Return some of them."""
        return Averages(*(getattr(self, each.name)[where] for each in fields(self)))

    def put(self, where: IntArray, some: Averages) -> Averages:
        """Return them with others in some places."""
        whole = {each.name: getattr(self, each.name).copy() for each in fields(self)}
        for name, values in whole.items():
            values[where] = getattr(some, name)
        return Averages(**whole)

    @property
    def standard_error(self) -> FloatArray:
        """The root of the variance."""
        return np.sqrt(self.variance)

    def interval(self, confidence: float | FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the ends of Student's interval; the estimate alone where nothing varies."""
        half = stdtrit(self.df, (1.0 + confidence) / 2.0) * self.standard_error
        return self.estimate - half, self.estimate + half

    def t_test(self) -> Outcome:
        """Test whether each is zero, two-sided, by t.

        Where nothing varies p is 1 if the estimate is zero, else that of the signs,
        :math:`2 / 2^G` for G clusters on one data set; over several, whose means may differ,
        `sign_flips` tells it.
        """
        flat = self.variance == 0.0
        t = self.estimate / np.where(flat, 1.0, self.standard_error)
        nothing = self.estimate == 0.0
        agreeing = np.where(nothing, 1.0, 2.0 * 0.5 ** self.clusters.astype(np.float64))
        p = np.where(flat, agreeing, 2.0 * stdtr(self.df, -np.abs(t)))
        return Outcome(
            statistic=np.where(flat & ~nothing, np.copysign(np.inf, t), t),
            p_value=p,
            degenerate=flat,
            n=self.items,
            null="t",
        )


def t_power(ratio: float, df: float, alpha: float) -> float:
    r"""Return the chance that a two-sided t test rejects on the side of the truth.

    ``ratio`` is the true difference over its standard error.

    Notes
    -----
    With T of the noncentral t distribution, and the quantile of the central one:

    .. math::

        P(T > t_{1 - \alpha/2})

    Examples
    --------
    >>> round(t_power(2.8, 1e6, 0.05), 3)
    0.8
    """
    critical = float(stdtrit(df, 1.0 - alpha / 2.0))
    found = 1.0 - float(nctdtr(df, ratio, critical))
    # Far out the distribution is not computed, and as good as normal.
    return found if np.isfinite(found) else float(ndtr(ratio - critical))


class Moments(NamedTuple):
    """What one data set says: means, their variances, and on how much they rest."""

    mean: FloatArray
    variance: FloatArray
    df: FloatArray
    clusters: IntArray
    items: IntArray
    weight: FloatArray

    @classmethod
    def none(cls, size: int) -> Moments:
        """Return moments to be put in."""
        clusters, items = np.zeros((2, size), dtype=np.intp)
        return cls(np.zeros(size), np.zeros(size), np.ones(size), clusters, items, np.zeros(size))

    def at(self, where: IntArray) -> Moments:
        """Return some of them."""
        return Moments(
            self.mean[where],
            self.variance[where],
            self.df[where],
            self.clusters[where],
            self.items[where],
            self.weight[where],
        )

    def put(self, where: IntArray | slice, part: Moments) -> None:
        """Put some of them in."""
        for whole, some in zip(self, part, strict=True):
            whole[where] = some


@dataclass(eq=False)
class Sums:
    """Sums over data sets, from which averages are made."""

    size: int
    by: By
    weight: FloatArray = field(init=False)
    mean: FloatArray = field(init=False)
    variance: FloatArray = field(init=False)
    squares: FloatArray = field(init=False)
    items: IntArray = field(init=False)
    clusters: IntArray = field(init=False)
    datasets: IntArray = field(init=False)

    def __post_init__(self) -> None:
        for name in ("weight", "mean", "variance", "squares"):
            setattr(self, name, np.zeros(self.size))
        for name in ("items", "clusters", "datasets"):
            setattr(self, name, np.zeros(self.size, dtype=np.intp))

    def add(self, *parts: Moments) -> None:
        """Add a data set: the moments of pairs, or those of both sides where they are unpaired."""
        counts = np.logical_and.reduce([part.clusters >= 2 for part in parts])
        weight = np.minimum.reduce([part.weight for part in parts])
        weight = np.where(counts, 1.0 if self.by == "datasets" else weight, 0.0)
        signs = (1.0, -1.0)
        self.weight += weight
        self.datasets += counts
        for part, sign in zip(parts, signs, strict=False):
            variance = weight**2 * np.where(counts, part.variance, 0.0)
            self.mean += sign * weight * np.where(counts, part.mean, 0.0)
            self.variance += variance
            self.squares += variance**2 / part.df
            self.items += np.where(counts, part.items, 0)
            self.clusters += np.where(counts, part.clusters, 0)

    def averages(self) -> Averages:
        """Return what the sums come to; degrees of freedom by Satterthwaite."""
        none = self.weight == 0.0
        weight = np.where(none, np.nan, self.weight)
        varies = self.squares > 0.0
        df = np.where(
            varies,
            self.variance**2 / np.where(varies, self.squares, 1.0),
            np.maximum(self.clusters - self.datasets, 1),
        )
        return Averages(
            self.mean / weight,
            self.variance / weight**2,
            df,
            self.items,
            self.clusters,
            self.datasets,
        )


def paired_means(
    items: Items, first: IntArray, second: IntArray, *, by: By = "datasets"
) -> Averages:
    r"""Estimate the mean difference of each pair of columns, on the items that both have.

    By how much would the first be ahead on other items of these data sets? Assumes that items, or
    whole clusters of items, were drawn independently, and so many that their mean is nearly
    normal. Items in clusters that are taken for independent look surer than they are. What other
    data sets would say is not asked.

    Parameters
    ----------
    items
        The scores, with clusters and weights where there are any.
    first, second
        The columns of each pair.
    by
        Over data sets, each counts the same (``datasets``: the difference averaged over data sets)
        or as much as the items that the two share there (``items``: the difference per item).

    Notes
    -----
    On a data set, with differences :math:`d_i`, weights :math:`w_i` that add up to one, and
    clusters g whose weights add up to :math:`c_g`, the variance is the bias-reduced one (CR2):

    .. math::

        \bar d = \sum_i w_i d_i, \qquad
        V = \sum_g \frac{1}{1 - c_g} \left(\sum_{i \in g} w_i (d_i - \bar d)\right)^2

    It is unbiased where items are independent and their variance is inverse to their weight.
    There V varies as :math:`\chi^2` with Bell and McCaffrey's degrees of freedom,

    .. math::

        \frac{1}{\nu} = \sum_g c_g^2 + \left(\sum_g q_g\right)^2 - \sum_g q_g^2, \qquad
        q_g = \frac{c_g^2}{1 - c_g},

    G − 1 for G clusters of one size, and about 1 where one cluster has nearly all items. Without
    clusters each item is one, and without weights V is the variance of the differences divided by
    their number. Over data sets D of weights :math:`u_D` that add up to one, the mean, its
    variance and Satterthwaite's degrees of freedom are

    .. math::

        \bar d = \sum_D u_D \bar d_D, \qquad V = \sum_D u_D^2 V_D, \qquad
        \nu = \frac{V^2}{\sum_D (u_D^2 V_D)^2 / \nu_D}, \qquad
        t = \frac{\bar d}{\sqrt{V}} \sim t_\nu

    References
    ----------
    Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with
    multi-stage samples. Survey Methodology 28; Imbens and Kolesár (2016), Robust standard errors in
    small samples. Review of Economics and Statistics 98; Miller (2024), Adding error bars to evals.
    arXiv:2411.00640; Satterthwaite (1946), An approximate distribution of estimates of variance
    components. Biometrics Bulletin 2.

    Examples
    --------
    Differences 1, 0, 1, 0: their mean is ½, their variance ⅓, and V a quarter of it. In clusters of
    two, 1 and 0 each, the clusters agree, and V is 0.

    >>> x = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    >>> one, pair = np.zeros(4, dtype=np.intp), (np.array([0]), np.array([1]))
    >>> found = paired_means(Items(x, one), *pair)
    >>> found.estimate.tolist(), round(float(found.variance[0]), 6), found.df.tolist()
    ([0.5], 0.083333, [3.0])
    >>> paired_means(Items(x, one, np.array([0, 0, 1, 1])), *pair).variance.tolist()
    [0.0]
    """
    sums = Sums(first.size, by)
    for one in items.each_dataset():
        sums.add(pairs_on(one, first, second))
    return sums.averages()


def unpaired_means(
    items: Items, first: IntArray, second: IntArray, *, by: By = "datasets"
) -> Averages:
    """Return the difference of means of each pair of columns, each on the items that it has.

    As if the two had met different items: the variances add up (Welch 1947), so that what is hard
    for both makes the difference less sure.
    """
    sums = Sums(first.size, by)
    for one in items.each_dataset():
        each = _columns_on(one)
        sums.add(each.at(first), each.at(second))
    return sums.averages()


def on_each(
    items: Items, first: IntArray, second: IntArray, *, unpaired: bool = False
) -> list[Averages]:
    """Return the same of each data set by itself; NaN where a pair shares fewer than two clusters.

    >>> x = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> of = Items(x, np.array([0, 0, 1, 1]))
    >>> [each.estimate.tolist() for each in on_each(of, np.array([0]), np.array([1]))]
    [[0.5], [0.0]]
    """
    way = unpaired_means if unpaired else paired_means
    return [way(one, first, second) for one in items.each_dataset()]


def chance_of_parting(items: Items, first: IntArray, second: IntArray) -> FloatArray:
    r"""Return how likely chance parts the units of two columns as they are.

    Of unpaired columns without spread in each data set, whose units are shuffled within these.

    .. math::

        p = \frac{2}{\prod_D \binom{G_a + G_b}{G_a}}

    >>> x = np.array([[1.0, np.nan]] * 3 + [[np.nan, 0.0]] * 3)
    >>> items = Items(x, np.zeros(6, dtype=np.intp))
    >>> round(float(chance_of_parting(items, np.array([0]), np.array([1]))[0]), 12)
    0.1
    """
    ways = np.zeros(first.size)
    for one in items.each_dataset():
        clusters = _columns_on(one).clusters
        a, b = clusters[first], clusters[second]
        both = (a >= 2) & (b >= 2)
        ways += np.where(both, gammaln(a + b + 1) - gammaln(a + 1) - gammaln(b + 1), 0.0)
    return np.minimum(1.0, 2.0 * np.exp(-ways))


def column_means(items: Items, *, by: By = "datasets") -> Averages:
    """Return the mean score of each algorithm, on the items that it has."""
    sums = Sums(items.values.shape[1], by)
    for one in items.each_dataset():
        sums.add(_columns_on(one))
    return sums.averages()


# --- one data set ---------------------------------------------------------------------------------


def _columns_on(items: Items) -> Moments:
    """Return the moments of the columns themselves: their differences from nothing."""
    return _directly(items, items.floats, np.arange(items.values.shape[1]), None)


def pairs_on(items: Items, first: IntArray, second: IntArray) -> Moments:
    """Return the moments of the differences of pairs, by products of matrices where these do."""
    if items.counted:
        return _from_counts(*discordant(items.values, first, second))
    x = items.floats
    whole = np.asarray(~np.isnan(x).any(axis=0))
    gaps = items.cluster_of is None and items.weights is None and not whole.all()
    quick = gaps | (whole[first] & whole[second])
    some = np.flatnonzero(quick)
    if gaps:
        part, scale = _of_incomplete(x, first[some], second[some])
    else:
        part, scale = _of_complete(items, x, first[some], second[some])
    found = Moments.none(first.size)
    found.put(some, part)
    noise = (TIE_TOLERANCE * _sizes(x, first[some], second[some])) ** 2
    # Nothing is nothing; the rounding of nothing is not.
    near = (part.variance > 0.0) & (part.variance <= noise)
    lost = (part.variance < _CANCELLED * scale) | near
    again = np.concatenate([np.flatnonzero(~quick), some[lost]])
    found.put(again, _directly(items, x, first[again], second[again]))
    return found


def discordant(
    values: Bytes | FloatArray, first: IntArray, second: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Count the items that only the first of each pair gets right, only the second, and all.

    Of 0/1 scores, 1 is right; items that either lacks do not count.

    >>> x = np.array([[1, 0], [1, 0], [0, 1], [1, 1], [1, 255]], dtype=np.uint8)
    >>> [counts.tolist() for counts in discordant(x, np.array([0]), np.array([1]))]
    [[2.0], [1.0], [4.0]]
    """
    k = values.shape[1]
    gaps = bool((values == ABSENT).any())
    only, shared = np.zeros((k, k)), np.full((k, k), float(len(values)))
    if gaps:
        shared[:] = 0.0
    for start in range(0, len(values), _ROWS):
        part = values[start : start + _ROWS]
        right, wrong = ((part == each).astype(np.float32) for each in (1, 0))
        only += right.T @ wrong
        if gaps:
            there = right + wrong
            shared += there.T @ there
    return only[first, second], only[second, first], shared[first, second]


def _from_counts(only_a: FloatArray, only_b: FloatArray, n: FloatArray) -> Moments:
    """Return the moments of differences 1, -1 and 0 from how often each is there."""
    some = np.maximum(n, 1.0)
    # Whole numbers, so that nothing cancels: n Σ (d - d̄)² = n Σ d² - (Σ d)².
    squares = n * (only_a + only_b) - (only_a - only_b) ** 2
    variance = squares / (some**2 * np.maximum(n - 1.0, 1.0))
    counts = n.astype(np.intp)
    return Moments((only_a - only_b) / some, variance, np.maximum(n - 1.0, 1.0), counts, counts, n)


def _of_complete(
    items: Items, x: FloatArray, first: IntArray, second: IntArray
) -> tuple[Moments, FloatArray]:
    """Return the moments of pairs that have every item, and the sums that may cancel in these."""
    total = items.weight.sum()
    w = (items.weight / total)[:, np.newaxis]
    mean = (w * x).sum(axis=0)
    u = cluster_sums(w * (x - mean), items.cluster_of)
    clusters = len(u)
    shares = cluster_sums(w, items.cluster_of)
    u /= np.sqrt(_rests(shares))
    products = u.T @ u
    own = np.diagonal(products)
    scale = own[first] + own[second]
    size = np.abs(x).max(axis=0)
    moments = Moments(
        _cleaned(mean[first] - mean[second], np.maximum(size[first], size[second])),
        np.maximum(scale - 2.0 * products[first, second], 0.0),
        np.full(first.size, bell_mccaffrey(shares)[0]),
        np.full(first.size, clusters),
        np.full(first.size, len(x)),
        np.full(first.size, total),
    )
    return moments, scale


def _of_incomplete(x: FloatArray, first: IntArray, second: IntArray) -> tuple[Moments, FloatArray]:
    """Return the same of pairs on the items that both have, by masks' products.

    Without clusters and weights: Σ (d - d̄)² over these is Σ d² - n d̄², where each sum is of
    products of scores and masks.
    """
    there = ~np.isnan(x)
    t = there.astype(np.float64)
    # What is taken from all scores of an item changes no difference, and leaves smaller numbers.
    centre = np.where(there, x, 0.0).sum(axis=1) / np.maximum(t.sum(axis=1), 1.0)
    z = np.where(there, x - centre[:, np.newaxis], 0.0)
    n = (t.T @ t)[first, second]
    some = np.maximum(n, 1.0)
    sums = z.T @ t
    mean = (sums[first, second] - sums[second, first]) / some
    own = (z**2).T @ t
    scale = own[first, second] + own[second, first]
    squares = scale - 2.0 * (z.T @ z)[first, second] - n * mean**2
    factor = 1.0 / (np.maximum(n - 1.0, 1.0) * some)
    size = np.where(there, np.abs(x), 0.0).max(axis=0)
    counts = n.astype(np.intp)
    moments = Moments(
        _cleaned(mean, np.maximum(size[first], size[second])),
        factor * np.maximum(squares, 0.0),
        np.maximum(n - 1.0, 1.0),
        counts,
        counts,
        n,
    )
    return moments, factor * scale


def _cleaned(mean: FloatArray, size: FloatArray) -> FloatArray:
    """Return means, exactly 0 where they are the rounding of scores of such a size."""
    return np.where(np.abs(mean) <= TIE_TOLERANCE * size, 0.0, mean)


def _directly(items: Items, x: FloatArray, first: IntArray, second: IntArray | None) -> Moments:
    """Return the moments of pairs, or of columns, item by item: the formula as it stands."""
    found = Moments.none(first.size)
    step = max(1, CELLS // len(x))
    for start in range(0, first.size, step):
        part = slice(start, start + step)
        d = x[:, first[part]] if second is None else x[:, first[part]] - x[:, second[part]]
        size = _sizes(x, first[part], None if second is None else second[part])
        found.put(part, _moments(items, d, TIE_TOLERANCE * size))
    return found


def _sizes(x: FloatArray, first: IntArray, second: IntArray | None) -> FloatArray:
    """Return the largest score of each pair of columns, its sign aside."""
    size = np.fmax.reduce(np.abs(x), axis=0, initial=0.0)
    return np.asarray(size[first] if second is None else np.maximum(size[first], size[second]))


def _moments(items: Items, d: FloatArray, noise: FloatArray) -> Moments:
    """Return the moments of differences (items, pairs), of which some are missing."""
    there = ~np.isnan(d)
    w = np.where(there, items.weight[:, np.newaxis], 0.0)
    total = w.sum(axis=0)
    some = np.where(total > 0.0, total, 1.0)
    d = np.where(there, d, 0.0)
    mean = (w * d).sum(axis=0) / some
    apart = np.where(there, d - mean, 0.0)
    u = cluster_sums(w * apart, items.cluster_of)
    weights = cluster_sums(w, items.cluster_of)
    # Clusters agree where none is further from the mean than rounding takes its items together.
    agree = (np.abs(u) <= noise * weights).all(axis=0)
    shares = weights / some
    squares = np.where(agree, 0.0, ((u / some) ** 2 / _rests(shares)).sum(axis=0))
    return Moments(
        np.where(np.abs(mean) <= noise, 0.0, mean),
        squares,
        bell_mccaffrey(shares),
        (shares > 0.0).sum(axis=0),
        there.sum(axis=0),
        total,
    )


def bell_mccaffrey(shares: FloatArray) -> FloatArray:
    """Return the degrees of freedom of the variance of means, whose clusters have these shares.

    (clusters, means): each column adds up to one; `paired_means` has the formula.

    >>> halves, giant = [0.25] * 4, [0.97, 0.01, 0.01, 0.01]
    >>> bell_mccaffrey(np.array([halves, giant]).T).round(2).tolist()
    [3.0, 1.04]
    """
    squared = shares**2
    q = squared / _rests(shares)
    inverse = squared.sum(axis=0) + q.sum(axis=0) ** 2 - (q**2).sum(axis=0)
    return np.asarray(1.0 / np.where(inverse > 0.0, inverse, 1.0))


def _rests(shares: FloatArray) -> FloatArray:
    """Return 1 − shares, or 1 where one cluster has everything and there is no variance."""
    rests = 1.0 - shares
    return np.where(rests > 0.0, rests, 1.0)


def cluster_sums(rows: FloatArray, cluster_of: IntArray | None) -> FloatArray:
    """Add up the rows of each cluster."""
    if cluster_of is None:
        return rows
    order = np.argsort(cluster_of, kind="stable")
    codes = cluster_of[order]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1])
    return np.add.reduceat(rows[order], starts, axis=0)


def repeats_share(
    items: Items,
    counts: IntArray,
    squares: FloatArray,
    first: IntArray,
    second: IntArray,
    *,
    by: By = "datasets",
) -> FloatArray:
    """Return the share of the variance of each mean difference that more repeats would remove.

    Scores of an item are means over its repeats, which vary as well: a variance of s²/r for r
    repeats, of both algorithms, that infinitely many repeats would take away. What is left comes
    from the items.

    Parameters
    ----------
    items, first, second, by
        As for `paired_means`; the scores are means over repeats.
    counts, squares
        (items, K): how many repeats, and the sum of their squared deviations from their mean. With
        one repeat, what the algorithm's other items have on average stands for it.

    References
    ----------
    Miller (2024), Adding error bars to evals. arXiv:2411.00640, section 3.
    """
    noise = _noise(counts, squares)
    removable, all_of_it = Sums(first.size, by), Sums(first.size, by)
    start = 0
    for one in items.each_dataset():
        found = pairs_on(one, first, second)
        rows = slice(start, start + len(one.values))
        start = rows.stop
        there = ~np.isnan(one.floats)
        own = (one.weight[:, np.newaxis] ** 2 * np.where(there, noise[rows], 0.0)).T
        both = own @ there.astype(np.float64)
        part = both[first, second] + both[second, first]
        some = np.where(found.weight > 0.0, found.weight, 1.0)
        removable.add(found._replace(variance=part / some**2))
        all_of_it.add(found)
    variance = all_of_it.averages().variance
    varies = variance > 0.0
    share = removable.averages().variance / np.where(varies, variance, 1.0)
    return np.where(varies, np.minimum(share, 1.0), np.nan)


def _noise(counts: IntArray, squares: FloatArray) -> FloatArray:
    """Return the variance of each mean over repeats; NaN where an algorithm has no repeats."""
    df = np.maximum(counts - 1, 0)
    free = df.sum(axis=0)
    pooled = np.where(free > 0, squares.sum(axis=0) / np.maximum(free, 1), np.nan)
    within = np.where(df > 0, squares / np.maximum(df, 1), pooled)
    return np.asarray(within / np.maximum(counts, 1))
