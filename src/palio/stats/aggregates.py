"""One number from scores on many data sets: robust aggregates, and what they vary by.

Everywhere higher is better. The scores of an algorithm are one array, data set by data set;
``sizes`` says how many runs each data set has. A resample is a column of ``counts``: how often each
score is in it. So the estimate itself is the resample in which each is once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palio.stats.outcome import finite_array
from palio.stats.ranks import TIE_TOLERANCE
from palio.types import FloatArray, IntArray

QUARTER = 0.25
"""What the interquartile mean leaves out at either end."""

Counts = NDArray[np.float32]
"""How often each score is in each resample: (scores, resamples)."""

# Columns are worked on together until they hold so many numbers.
_TOGETHER = 4_000_000


class Aggregated(NamedTuple):
    """The aggregates of one algorithm, one of each per resample."""

    iqm: FloatArray
    median: FloatArray
    mean: FloatArray
    gap: FloatArray


def interquartile_mean(values: ArrayLike, *, axis: int = -1) -> FloatArray:
    r"""Return the mean of the middle half.

    What is typical, where a few data sets are extreme? It is less moved by outliers than the mean,
    and uses more of the scores than the median. Valid for scores on one scale.

    Notes
    -----
    With the n scores sorted and g left out at either end, whole scores only:

    .. math::

        \mathrm{IQM} = \frac{1}{n - 2g} \sum_{i=g+1}^{n-g} x_{(i)}, \qquad
        g = \left\lfloor \frac{n}{4} \right\rfloor

    References
    ----------
    R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville and M. G. Bellemare (2021), Deep
    reinforcement learning at the edge of the statistical precipice, NeurIPS 34.

    Examples
    --------
    >>> interquartile_mean([0.1, 0.5, 0.7, 90.0]).item()
    0.6
    """
    array = finite_array(values, name="values")
    n = array.shape[axis]
    cut = int(QUARTER * n)
    array = np.partition(array, sorted({cut, n - cut - 1}), axis=axis)
    return np.asarray(np.take(array, np.arange(cut, n - cut), axis=axis).mean(axis=axis))


def optimality_gap(values: ArrayLike, target: float, *, axis: int = -1) -> FloatArray:
    r"""Return by how much scores fall short of a target, on average; what is beyond adds nothing.

    Notes
    -----
    With γ the target, and n scores:

    .. math::

        \mathrm{gap} = \gamma - \frac{1}{n} \sum_{i=1}^{n} \min(x_i, \gamma)

    References
    ----------
    R. Agarwal and others (2021), Deep reinforcement learning at the edge of the statistical
    precipice, NeurIPS 34.

    Examples
    --------
    >>> optimality_gap([0.5, 1.5], 1.0).item()
    0.25
    """
    array = finite_array(values, name="values")
    return np.asarray(target - np.minimum(array, target).mean(axis=axis))


def draw_units(n: int, draws: int, rng: np.random.Generator) -> Counts:
    """Draw n units anew, with replacement: how often each is drawn, (n, draws)."""
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=draws)
    return np.ascontiguousarray(drawn.T, dtype=np.float32)


def draw_within(sizes: IntArray, draws: int, rng: np.random.Generator) -> Counts:
    """Draw the runs of each data set anew, as many as it has: how often each is drawn.

    Examples
    --------
    >>> counts = draw_within(np.array([2, 3]), 100, np.random.default_rng(0))
    >>> counts[:2].sum(axis=0).tolist() == [2] * 100, counts[2:].sum(axis=0).tolist() == [3] * 100
    (True, True)
    """
    n, starts = int(sizes.sum()), np.cumsum(sizes) - sizes
    start, size = np.repeat(starts, sizes), np.repeat(sizes, sizes)
    picked = start[:, np.newaxis] + np.floor(rng.random((n, draws)) * size[:, np.newaxis])
    flat = picked.astype(np.intp) * draws + np.arange(draws)
    counts = np.bincount(flat.reshape(-1), minlength=n * draws)
    return counts.reshape(n, draws).astype(np.float32)


def aggregated(values: FloatArray, sizes: IntArray, counts: Counts, target: float) -> Aggregated:
    """Return the aggregates of one algorithm in each resample.

    The interquartile mean is over all runs of all data sets, the median and the mean are of the
    data sets' means, so that each data set counts once.

    Parameters
    ----------
    values
        Shape (N,): the runs of the first data set, then those of the second, ….
    sizes
        How many runs each data set has. Resamples keep them, or each data set has one.
    counts
        Shape (N, draws).
    target
        For the optimality gap; NaN if there is none.

    Examples
    --------
    >>> values, sizes = np.array([0.0, 0.2, 0.4, 0.6, 1.0, 1.0]), np.array([2, 2, 2])
    >>> once = np.ones((6, 1), dtype=np.float32)
    >>> [round(float(each[0]), 3) for each in aggregated(values, sizes, once, target=0.5)]
    [0.55, 0.5, 0.533, 0.15]
    """
    step = max(1, _TOGETHER // values.size)
    pieces = [
        _aggregated(values, sizes, counts[:, start : start + step], target)
        for start in range(0, counts.shape[1], step)
    ]
    found = Aggregated(*(np.concatenate(each) for each in zip(*pieces, strict=True)))
    # What is left of sums of scores of this size where these cancel is no aggregate.
    # Half of the scores may lie anywhere without a word in the first two.
    size, middle = float(np.abs(values).max()), float(np.median(np.abs(values)))
    sizes_of = (middle, middle, size, max(size, abs(target)))
    return Aggregated(
        *(
            np.where(np.abs(each) <= TIE_TOLERANCE * scale, 0.0, each)
            for each, scale in zip(found, sizes_of, strict=True)
        )
    )


def _aggregated(values: FloatArray, sizes: IntArray, counts: Counts, target: float) -> Aggregated:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(counts[order], axis=0)  # whole numbers, which these floats hold
    iqm = _trimmed(values[order], reached)
    shortfall = target - np.minimum(values, target)
    if sizes.size == values.size:
        median = _middle(values[order], reached)
        return Aggregated(
            iqm, median, values @ counts / values.size, shortfall @ counts / values.size
        )
    by_dataset = _task_means(values, sizes, counts)
    return Aggregated(
        iqm,
        np.median(by_dataset, axis=0),
        by_dataset.mean(axis=0),
        _task_means(shortfall, sizes, counts).mean(axis=0),
    )


def _trimmed(values: FloatArray, reached: Counts) -> FloatArray:
    """Return the trimmed mean of sorted values that ``reached`` so many up to each of them."""
    n = values.size
    cut = int(QUARTER * n)
    kept = np.clip(reached, cut, n - cut)
    kept[1:] -= kept[:-1].copy()
    kept[0] -= cut
    return np.asarray(values @ kept / (n - 2 * cut), dtype=np.float64)


def _middle(values: FloatArray, reached: Counts) -> FloatArray:
    """Return the median of sorted values that ``reached`` so many up to each of them."""
    n = values.size
    lower, upper = (values[(reached <= k).sum(axis=0)] for k in ((n - 1) // 2, n // 2))
    return np.asarray((lower + upper) / 2)


def _task_means(values: FloatArray, sizes: IntArray, counts: Counts) -> FloatArray:
    starts = np.cumsum(sizes) - sizes
    sums = np.add.reduceat(values[:, np.newaxis] * counts, starts, axis=0)
    return np.asarray(sums / sizes[:, np.newaxis])


def outcomes(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return 1 where a is better than b, 1/2 where they tie, else 0; they broadcast."""
    noise = TIE_TOLERANCE * np.maximum(np.abs(a), np.abs(b))
    difference = a - b
    return np.where(np.abs(difference) <= noise, 0.5, (difference > 0).astype(np.float64))


def improvement(
    a: FloatArray,
    b: FloatArray,
    sizes: tuple[IntArray, IntArray],
    counts: tuple[Counts, Counts],
) -> FloatArray:
    r"""Return the probability that a run of a is better than one of b, in each resample of runs.

    The average over the data sets: how probable is it that one is better than the other on one of
    them, drawn at random? Says nothing of by how much. A tie is half an improvement.

    Parameters
    ----------
    a, b
        The scores of both on the same data sets.
    sizes, counts
        Of both: how many runs each data set has, and how often each score is in each resample.

    Notes
    -----
    With S data sets, and Mann and Whitney's U of the n runs of ``a`` and the m of ``b`` on each:

    .. math::

        P(a > b) = \frac{1}{S} \sum_{s=1}^{S} \frac{U_s}{n_s m_s}

    References
    ----------
    R. Agarwal and others (2021), Deep reinforcement learning at the edge of the statistical
    precipice, NeurIPS 34.

    Examples
    --------
    >>> once, two = np.ones((4, 1), dtype=np.float32), np.array([2, 2])
    >>> a, b = np.array([0.3, 0.5, 0.7, 0.8]), np.array([0.1, 0.4, 0.8, 0.9])
    >>> improvement(a, b, (two, two), (once, once)).item()
    0.4375
    """
    stratum = np.repeat(np.arange(sizes[1].size), sizes[1])
    order = np.lexsort((b, stratum))
    below, upto = _places_among(a, b[order], sizes)
    # How many of b are drawn before each place; those of earlier data sets are always as many.
    reached = np.zeros((b.size + 1, counts[1].shape[1]), dtype=np.float32)
    np.cumsum(counts[1][order], axis=0, out=reached[1:])
    won = reached[below]
    tied = np.flatnonzero(upto > below)
    won[tied] = (won[tied] + reached[upto[tied]]) / 2
    starts = np.repeat(np.cumsum(sizes[1]) - sizes[1], sizes[0])
    won -= starts[:, np.newaxis].astype(np.float32)
    won *= counts[0]
    weights = np.repeat(1 / (sizes[0] * sizes[1] * sizes[0].size), sizes[0])
    return np.asarray(weights @ won, dtype=np.float64)


def _places_among(
    a: FloatArray, b: FloatArray, sizes: tuple[IntArray, IntArray]
) -> tuple[IntArray, IntArray]:
    """Return how many of b, sorted within each data set, are below each of a; and not above."""
    noise = TIE_TOLERANCE * np.abs(a)
    below, upto = np.empty(a.size, dtype=np.intp), np.empty(a.size, dtype=np.intp)
    ends = [np.cumsum(each) for each in sizes]
    for n, m, end, other in zip(*sizes, *ends, strict=True):
        own, others = slice(end - n, end), b[other - m : other]
        below[own] = other - m + np.searchsorted(others, a[own] - noise[own], "left")
        upto[own] = other - m + np.searchsorted(others, a[own] + noise[own], "right")
    return below, upto


def improvement_over_datasets(a: FloatArray, b: FloatArray, counts: Counts) -> FloatArray:
    """Return the same with one score per data set, in each resample of these: the share won.

    ``a`` and ``b`` have shape (S,) or (S, pairs).

    Examples
    --------
    >>> once = np.ones((3, 1), dtype=np.float32)
    >>> improvement_over_datasets(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 1.0]), once)
    array([0.83333333])
    """
    return np.asarray(outcomes(a, b).T @ counts / len(a), dtype=np.float64)


def exceeding(
    values: FloatArray, sizes: IntArray, counts: Counts, thresholds: FloatArray
) -> FloatArray:
    """Return the share of runs above each threshold, in each resample: (thresholds, draws).

    The performance profile of scores: the higher curve is better at that threshold. Each data set
    counts once.

    References
    ----------
    R. Agarwal and others (2021), Deep reinforcement learning at the edge of the statistical
    precipice, NeurIPS 34, section 4.2.

    Examples
    --------
    >>> once = np.ones((3, 1), dtype=np.float32)
    >>> exceeding(np.array([0.2, 0.5, 0.9]), np.ones(3, int), once, np.array([0.0, 0.5]))[:, 0]
    array([1.        , 0.33333333])
    """
    weights = np.repeat(1 / (sizes * sizes.size), sizes)
    above = (values > thresholds[:, np.newaxis]) * weights
    return np.asarray(above @ counts)


def ratios_to_best(costs: ArrayLike) -> FloatArray:
    r"""Return costs divided by the lowest on their data set: (S, K); infinite where there is none.

    Dolan and Moré's performance profile is the share of data sets on which this is no more than a
    factor. A data set on which nobody has a cost stays infinite for all.

    Notes
    -----
    Of algorithm a on data set d, with the profile at a factor τ:

    .. math::

        r_{da} = \frac{c_{da}}{\min_b c_{db}}, \qquad
        \rho_a(\tau) = \frac{1}{S} \#\{d : r_{da} \le \tau\}

    References
    ----------
    E. D. Dolan and J. J. Moré (2002), Benchmarking optimization software with performance
    profiles, Mathematical Programming 91.

    Examples
    --------
    >>> ratios_to_best([[1.0, 2.0], [3.0, np.nan]]).tolist()
    [[1.0, 2.0], [1.0, inf]]
    """
    filled = np.where(np.isnan(costs), np.inf, np.asarray(costs, dtype=np.float64))
    best = filled.min(axis=-1, keepdims=True)
    known = np.isfinite(filled) & (best > 0)
    ratios = np.divide(filled, best, out=np.full_like(filled, np.inf), where=known)
    least = np.isfinite(filled) & (filled <= best * (1 + TIE_TOLERANCE))
    return np.where(least, 1.0, ratios)
