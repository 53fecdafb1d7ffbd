"""How large is the difference? Effect sizes, and intervals, of two algorithms over data sets.

``a`` and ``b`` hold one value per data set, (..., n), mostly the mean over its folds; a positive
effect says that ``a`` is the higher. Ties are those of `palio.stats.ranks`.

::

    in the measure's unit     mean_difference, hodges_lehmann, median_difference
    in data sets              win_tie_loss
    without unit, paired      rank_biserial
    without unit, unpaired    cliffs_delta, vargha_delaney

An interval holds its confidence or is infinite: where n is too small for any finite interval (one
data set always is), it is (-∞, ∞).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, ndtri, stdtrit

from palio.stats.across import EXACT_LIMIT
from palio.stats.outcome import check_level, finite_array, paired_arrays
from palio.stats.ranks import average_ranks, paired_difference, rounding_noise
from palio.types import FloatArray, IntArray

_CELLS = 1 << 22


@dataclass(frozen=True, eq=False, kw_only=True)
class Interval:
    """An estimate and the interval around it, for every pair of the batch at once.

    Attributes
    ----------
    estimate, low, high
        One number per pair; 0-d arrays where the input held one pair.
    confidence
        The probability with which such intervals hold the true value, at least; one for all, or
        one for each.
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float | FloatArray

    def __post_init__(self) -> None:
        for field in ("estimate", "low", "high"):
            value = np.asarray(getattr(self, field), dtype=np.float64)
            object.__setattr__(self, field, value)


@dataclass(frozen=True, eq=False, kw_only=True)
class WinTieLoss:
    """On how many data sets the first is higher, tied, lower."""

    wins: IntArray
    ties: IntArray
    losses: IntArray


def mean_difference(
    a: ArrayLike, b: ArrayLike, *, confidence: float | FloatArray = 0.95
) -> Interval:
    r"""Estimate the mean of a - b, with Student's interval.

    By how much is ``a`` higher on average? The interval takes the differences as normal; the mean
    takes them as commensurable, and one wild data set can move it anywhere.

    Parameters
    ----------
    a, b
        Paired values, shape (..., n).
    confidence
        Of the interval. If the differences do not vary, it is the estimate alone.

    Notes
    -----
    With the n differences, their mean :math:`\bar d` and their standard deviation S, at confidence
    :math:`1 - \alpha`:

    .. math::

        \bar d \pm t_{n-1,\, 1 - \alpha/2}\, \frac{S}{\sqrt{n}}

    References
    ----------
    Student (1908), The probable error of a mean. Biometrika 6.

    Examples
    --------
    Differences 1, 2, 3: mean 2, S = 1, :math:`2 \pm 4.303 / \sqrt{3}`.

    >>> interval = mean_difference([5.0, 7.0, 9.0], [4.0, 5.0, 6.0])
    >>> float(interval.estimate), round(float(interval.low), 3), round(float(interval.high), 3)
    (2.0, -0.484, 4.484)
    """
    difference, noise = _differences(a, b, confidence)
    n = difference.shape[-1]
    mean = _clean(difference.mean(axis=-1), noise)
    if n == 1:
        return _interval(mean, -np.inf, np.inf, confidence)
    spread = difference.std(axis=-1, ddof=1)
    half = stdtrit(n - 1, (1.0 + confidence) / 2.0) * spread / np.sqrt(n)
    half = np.where(spread <= noise, 0.0, half)
    return _interval(mean, mean - half, mean + half, confidence)


def hodges_lehmann(
    a: ArrayLike, b: ArrayLike, *, confidence: float | FloatArray = 0.95
) -> Interval:
    r"""Estimate the pseudo-median of a - b, with the interval of the signed-rank test.

    By how much is ``a`` typically higher? It is the shift that Wilcoxon's test would take back:
    robust, and almost as efficient as the mean on normal differences. The interval takes the
    differences as symmetric.

    Parameters
    ----------
    a, b
        Paired values, shape (..., n).
    confidence
        Of the interval, at least: it ends at Walsh averages, so it is mostly a little more.

    Notes
    -----
    The estimate is the median of the Walsh averages of the differences :math:`d_i`:

    .. math::

        \mathrm{median}_{i \le j}\, \frac{d_i + d_j}{2}

    The interval holds the shifts that the test does not reject: from the c-th smallest Walsh
    average to the c-th largest, c the largest whole number with

    .. math::

        P(W^+ \le c - 1) \le \frac{1 - \mathrm{confidence}}{2}

    for n differences without zeros or ties; with them it is wider than need be. Exact up to
    `across.EXACT_LIMIT` data sets, above by the normal with continuity correction.

    References
    ----------
    Hodges and Lehmann (1963), Estimates of location based on rank tests. Annals of Mathematical
    Statistics 34; Hollander and Wolfe (1999), Nonparametric Statistical Methods, section 3.3.

    Examples
    --------
    Walsh averages of 1, 2, 6: 1, 1.5, 2, 3.5, 4, 6. All signs are negative with chance 1/8, so the
    interval at 75 % is the whole range.

    >>> interval = hodges_lehmann([1.0, 2.0, 6.0], [0.0, 0.0, 0.0], confidence=0.75)
    >>> float(interval.estimate), float(interval.low), float(interval.high)
    (2.75, 1.0, 6.0)
    """
    difference, noise = _differences(a, b, confidence)
    n = difference.shape[-1]
    count = n * (n + 1) // 2
    rows = difference.reshape(-1, n)
    tails = np.broadcast_to((1.0 - np.asarray(confidence)) / 2.0, noise.shape).reshape(-1)
    cuts = _signed_rank_cuts(n, tails)
    ends = np.empty((3, len(rows)))
    # The averages of a thousand data sets are half a million: a few pairs at a time.
    step = max(_CELLS // count, 1)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        ends[:, part] = _middle_and_ends(_walsh_averages(rows[part]), cuts[part])
    estimate, low, high = (_clean(x.reshape(noise.shape), noise) for x in ends)
    return _interval(estimate, low, high, confidence)


def median_difference(
    a: ArrayLike, b: ArrayLike, *, confidence: float | FloatArray = 0.95
) -> Interval:
    r"""Estimate the median of a - b, with the interval of the sign test.

    What difference do half of the data sets exceed? Assumes nothing but independent data sets;
    wider than `hodges_lehmann`, which assumes symmetry.

    Parameters
    ----------
    a, b
        Paired values, shape (..., n).
    confidence
        Of the interval, at least: it ends at differences, so it is mostly a little more.

    Notes
    -----
    From the c-th smallest difference to the c-th largest, c the largest whole number with

    .. math::

        P(X \le c - 1) \le \frac{1 - \mathrm{confidence}}{2}, \qquad
        X \sim \mathrm{Binomial}\left(n, \tfrac{1}{2}\right)

    exact for every n.

    References
    ----------
    Hollander and Wolfe (1999), Nonparametric Statistical Methods, section 3.6.

    Examples
    --------
    Of six coins none shows heads with chance 1/64: the whole range at 95 %.

    >>> interval = median_difference([1, 2, 3, 4, 5, 16], [0, 0, 0, 0, 0, 0])
    >>> float(interval.estimate), float(interval.low), float(interval.high)
    (3.5, 1.0, 16.0)
    """
    difference, noise = _differences(a, b, confidence)
    n = difference.shape[-1]
    heads = np.arange(n)
    tails = np.broadcast_to((1.0 - np.asarray(confidence)) / 2.0, noise.shape).reshape(-1)
    cuts = np.searchsorted(betainc(n - heads, heads + 1.0, 0.5), tails, "right")
    ends = _middle_and_ends(difference.reshape(-1, n), cuts)
    estimate, low, high = (_clean(x.reshape(noise.shape), noise) for x in ends)
    return _interval(estimate, low, high, confidence)


def win_tie_loss(a: ArrayLike, b: ArrayLike) -> WinTieLoss:
    """Count the data sets where ``a`` is higher, tied and lower.

    Examples
    --------
    >>> counts = win_tie_loss([0.1 + 0.2, 0.9, 0.8], [0.3, 0.7, 0.6])
    >>> int(counts.wins), int(counts.ties), int(counts.losses)
    (2, 1, 0)
    """
    sign = np.sign(paired_difference(*paired_arrays(a, b, least=(1,))))
    wins, ties, losses = (
        np.asarray(np.count_nonzero(sign == side, axis=-1), dtype=np.intp) for side in (1, 0, -1)
    )
    return WinTieLoss(wins=wins, ties=ties, losses=losses)


def rank_biserial(a: ArrayLike, b: ArrayLike) -> FloatArray:
    r"""Return the matched-pairs rank-biserial correlation.

    How one-sided are the differences? The effect size of Wilcoxon's test: from -1 (``b`` always
    higher) to 1. Zero differences are dropped; 0 if all are zero.

    Parameters
    ----------
    a, b
        Paired values, shape (..., n).

    Notes
    -----
    With the sums of the ranks of :math:`|a - b|` where ``a`` is higher, and where ``b`` is:

    .. math::

        r = \frac{W^+ - W^-}{W^+ + W^-}

    References
    ----------
    Kerby (2014), The simple difference formula. Comprehensive Psychology 3.

    Examples
    --------
    Ranks 1, 2, 3, the first negative: 4 of 6.

    >>> round(float(rank_biserial([1, 4, 6], [2, 2, 3])), 4)
    0.6667
    """
    first, second = paired_arrays(a, b, least=(1,))
    difference = paired_difference(first, second)
    zero = difference == 0.0
    size = np.where(zero, 0.0, np.maximum(np.abs(first), np.abs(second)))
    # Zeros come first: without them every other rank falls by their number.
    ranks = average_ranks(np.abs(difference), magnitude=size) - zero.sum(axis=-1, keepdims=True)
    ranks = np.where(zero, 0.0, ranks)
    total = ranks.sum(axis=-1)
    signed = (np.sign(difference) * ranks).sum(axis=-1)
    return np.asarray(signed / np.where(total == 0.0, 1.0, total))


def cliffs_delta(a: ArrayLike, b: ArrayLike) -> FloatArray:
    r"""Return Cliff's delta: how much oftener a is higher than lower, of a value of each.

    How far do the two groups of values lie apart? From -1 to 1, 0 where they overlap evenly. The
    values are taken as two independent groups: that they come from the same data sets is ignored,
    so the spread between data sets hides a difference that `rank_biserial` sees.

    Parameters
    ----------
    a, b
        Values, shapes (..., n) and (..., m).

    Notes
    -----
    Over all pairs of a value of each:

    .. math::

        \delta = P(a > b) - P(a < b)

    References
    ----------
    Cliff (1993), Dominance statistics: ordinal analyses to answer ordinal questions. Psychological
    Bulletin 114.

    Examples
    --------
    Of six pairs, four have a higher, one is tied, one lower.

    >>> float(cliffs_delta([1, 3, 5], [1, 2]))
    0.5
    """
    return np.asarray(2.0 * _dominance(a, b) - 1.0)


def vargha_delaney(a: ArrayLike, b: ArrayLike) -> FloatArray:
    r"""Return Vargha and Delaney's A: how often a is higher, ties half, of a value of each.

    With what probability is a value of ``a`` higher than one of ``b``? The same as `cliffs_delta`
    on a scale from 0 to 1, ½ where neither is higher.

    Parameters
    ----------
    a, b
        Values, shapes (..., n) and (..., m).

    Notes
    -----
    Over all pairs of a value of each, with δ of `cliffs_delta`:

    .. math::

        A = P(a > b) + \tfrac{1}{2} P(a = b) = \frac{\delta + 1}{2}

    References
    ----------
    Vargha and Delaney (2000), A critique and improvement of the CL common language effect size
    statistics of McGraw and Wong. Journal of Educational and Behavioral Statistics 25.

    Examples
    --------
    >>> float(vargha_delaney([1, 3, 5], [1, 2]))
    0.75
    """
    return np.asarray(_dominance(a, b))


def _dominance(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return U / (n m): the share of pairs with ``a`` higher, ties half, from the joint ranks."""
    first, second = finite_array(a, name="a", least=(1,)), finite_array(b, name="b", least=(1,))
    lead = np.broadcast_shapes(first.shape[:-1], second.shape[:-1])
    n, m = first.shape[-1], second.shape[-1]
    both = np.concatenate(
        [np.broadcast_to(first, (*lead, n)), np.broadcast_to(second, (*lead, m))], axis=-1
    )
    rank_sum = average_ranks(both)[..., :n].sum(axis=-1)
    return np.asarray((rank_sum - n * (n + 1) / 2.0) / (n * m))


def _differences(
    a: ArrayLike, b: ArrayLike, confidence: float | FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the differences, and what counts as zero among sums of them."""
    for level in np.unique(confidence).tolist():
        check_level(level, name="confidence")
    first, second = paired_arrays(a, b, least=(1,))
    return paired_difference(first, second), rounding_noise(first, second, axis=-1)


def _clean(x: FloatArray, noise: FloatArray) -> FloatArray:
    """Make a number within the rounding noise 0, so that whether 0 is inside has one answer."""
    return np.where(np.abs(x) <= noise, 0.0, x)


def _interval(
    estimate: FloatArray,
    low: FloatArray | float,
    high: FloatArray | float,
    confidence: float | FloatArray,
) -> Interval:
    shape = np.shape(estimate)
    return Interval(
        estimate=estimate,
        low=np.broadcast_to(low, shape).copy(),
        high=np.broadcast_to(high, shape).copy(),
        confidence=confidence,
    )


def _middle_and_ends(values: FloatArray, cuts: IntArray) -> FloatArray:
    """Return of each row the median, and the cut-th smallest and largest; cut 0: infinite ends."""
    n, rows = values.shape[-1], np.arange(len(values))
    ordered = np.sort(values, axis=-1)
    middle = (ordered[:, (n - 1) // 2] + ordered[:, n // 2]) / 2.0
    low = np.where(cuts > 0, ordered[rows, np.maximum(cuts - 1, 0)], -np.inf)
    high = np.where(cuts > 0, ordered[rows, np.minimum(n - cuts, n - 1)], np.inf)
    return np.stack([middle, low, high])


def _walsh_averages(rows: FloatArray) -> FloatArray:
    n = rows.shape[-1]
    averages = np.empty((len(rows), n * (n + 1) // 2))
    filled = 0
    for apart in range(n):
        np.add(rows[:, apart:], rows[:, : n - apart], out=averages[:, filled : filled + n - apart])
        filled += n - apart
    averages /= 2.0
    return averages


def _signed_rank_cuts(n: int, tails: FloatArray) -> IntArray:
    """Return the largest c with P(W ≤ c - 1) ≤ tail, W the sum of signed ranks 1 … n."""
    if n <= EXACT_LIMIT:
        found = np.searchsorted(_signed_rank_chances(n), tails, "right")
    else:
        middle, spread = n * (n + 1) / 4.0, np.sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
        found = np.maximum(np.floor(middle + 0.5 + ndtri(tails) * spread), 0)
    return np.asarray(found, dtype=np.intp)


@lru_cache(maxsize=64)
def _signed_rank_chances(n: int) -> FloatArray:
    """Return P(W ≤ w) for each whole w from 0 on."""
    chances = np.zeros(n * (n + 1) // 2 + 1)
    chances[0] = 1.0
    for rank in range(1, n + 1):
        chances[rank:] += chances[:-rank].copy()
        chances /= 2.0
    return np.asarray(np.cumsum(chances))
