"""After an omnibus test: the pairs of algorithms that differ.

All pairs at once, as (..., k, k) matrices. The row of a control is the test against it. The
p-values are those of single pairs, to be adjusted for their number, save for `nemenyi`, which does
so itself. ``statistic[i, j]`` is positive where i has the higher ranks.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr

from palio.stats.omnibus import (
    aligned_ranks,
    checked_ranks,
    least_share,
    quade_scores,
    residual_squares,
)
from palio.stats.outcome import Outcome, check_level, finite_array
from palio.stats.studentized import studentized_range_isf, studentized_range_sf_many
from palio.types import FloatArray

_EXACT_SUPPORT = 20_000
"""The largest n(k - 1) for which `mean_ranks_exact` convolves: a quarter of a second."""


def nemenyi(mean_ranks: ArrayLike, n: int) -> FloatArray:
    r"""Return the p-values of all pairs by Nemenyi's test (ulas2008, section 2.2).

    Do two of k algorithms have different expected ranks? All pairs at once: the probability of
    any false difference is at most α if all are equal. Mean ranks depend on the pool of
    algorithms, and so does the verdict on a pair.

    Parameters
    ----------
    mean_ranks
        Shape (..., k).
    n
        The number of data sets behind them.

    Returns
    -------
    FloatArray
        Shape (..., k, k), symmetric, 1 on the diagonal.

    Notes
    -----
    With the mean ranks :math:`R_i` of k algorithms on n data sets, and Q the studentized range of k
    with infinite degrees of freedom:

    .. math::

        p = P\left(Q \ge \frac{\sqrt{2}\, \left|R_i - R_j\right|}{\sqrt{k (k + 1) / (6 n)}}\right)

    References
    ----------
    Nemenyi (1963), Distribution-free multiple comparisons. Princeton University; Demšar (2006),
    Statistical comparisons of classifiers over multiple data sets. JMLR 7.

    Examples
    --------
    A distance of one critical difference has p = α.

    >>> cd = critical_difference(3, 20, alpha=0.05)
    >>> round(float(nemenyi([2 - cd / 2, 2.0, 2 + cd / 2], 20)[0, 2]), 6)
    0.05
    """
    ranks = finite_array(mean_ranks, name="mean_ranks", least=(2,))
    k = ranks.shape[-1]
    first, second = np.triu_indices(k, 1)
    distance = np.abs(ranks[..., first] - ranks[..., second])
    upper = studentized_range_sf_many(distance / _standard_error(k, n), k)
    p_value = np.ones((*ranks.shape, k))
    p_value[..., first, second] = upper
    p_value[..., second, first] = upper
    return p_value


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    r"""Return the distance of mean ranks that Nemenyi's test needs at level ``alpha``.

    Notes
    -----
    With :math:`q_\alpha` the upper quantile of the studentized range of k (tables list it divided
    by :math:`\sqrt{2}`):

    .. math::

        \mathrm{CD} = \frac{q_\alpha}{\sqrt{2}} \sqrt{\frac{k (k + 1)}{6 n}}

    Examples
    --------
    Eight algorithms on 38 data sets, as in ulas2008.

    >>> round(critical_difference(8, 38), 3)
    1.703
    """
    check_level(alpha)
    return studentized_range_isf(float(alpha), int(k)) * _standard_error(k, n)


def bonferroni_dunn_critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    r"""Return the distance of mean ranks from a control's that Bonferroni and Dunn's test needs.

    Which of k - 1 algorithms differ from the control? Below Nemenyi's distance, as there are fewer
    comparisons.

    Notes
    -----
    With z the upper quantile of the normal distribution:

    .. math::

        \mathrm{CD} = z_{\alpha / (2 (k - 1))} \sqrt{\frac{k (k + 1)}{6 n}}

    References
    ----------
    Dunn (1961), Multiple comparisons among means. JASA 56; Demšar (2006), JMLR 7, section 3.2.2.

    Examples
    --------
    Four algorithms on 14 data sets, as in Demšar (2006).

    >>> round(bonferroni_dunn_critical_difference(4, 14), 3)
    1.168
    """
    check_level(alpha)
    if k < 2:
        raise ValueError(f"k must be 2 or more, the control and another; got {k!r}.")
    return float(-ndtri(alpha / (2.0 * (k - 1)))) * _standard_error(k, n) * float(np.sqrt(2.0))


def _standard_error(k: int, n: int) -> float:
    """Return the standard error of a mean rank; that of a difference is √2 times as large."""
    if n < 1:
        raise ValueError(f"n must be 1 or more data sets; got {n!r}.")
    return float(np.sqrt(k * (k + 1) / (12.0 * n)))


def mean_ranks_z(mean_ranks: ArrayLike, n: int) -> Outcome:
    r"""Test all pairs by the mean-ranks test (benavoli2016, eq. 4).

    Do two algorithms have the same expected rank? Valid for n above ten. The variance is that of
    all k algorithms being equal, and the ranks are made among all of them, so the verdict on a
    pair depends on the pool; benavoli2016 advises against it. Dunn's procedure (brazdil2000,
    section 4) is this statistic with the p-values adjusted by Bonferroni.

    Parameters
    ----------
    mean_ranks
        Shape (..., k).
    n
        The number of data sets behind them.

    Returns
    -------
    Outcome
        Statistics and two-sided p-values, shape (..., k, k).

    Notes
    -----
    With the mean ranks :math:`R_i` of k algorithms on n data sets:

    .. math::

        z = \frac{R_i - R_j}{\sqrt{k (k + 1) / (6 n)}} \sim N(0, 1)

    References
    ----------
    Benavoli, Corani and Mangili (2016), Should we really use post-hoc tests based on mean-ranks?
    JMLR 17.

    Examples
    --------
    Two algorithms at distance 1.5 of five, on 20 data sets: benavoli2016, section 4.1.

    >>> outcome = mean_ranks_z([2.0, 3.5, 1.5, 3.5, 4.5], 20)
    >>> round(float(outcome.statistic[1, 0]), 4), round(float(outcome.p_value[0, 1]), 4)
    (3.0, 0.0027)
    """
    ranks = finite_array(mean_ranks, name="mean_ranks", least=(2,))
    error = _standard_error(ranks.shape[-1], n) * np.sqrt(2.0)
    return _normal(_differences(ranks), np.full(ranks.shape[:-1], error), n)


def mean_ranks_exact_possible(n: int, k: int) -> bool:
    """Return whether `mean_ranks_exact` takes n data sets and k algorithms.

    Examples
    --------
    >>> mean_ranks_exact_possible(115, 14), mean_ranks_exact_possible(1000, 200)
    (True, False)
    """
    return n * (k - 1) <= _EXACT_SUPPORT


def mean_ranks_exact(mean_ranks: ArrayLike, n: int) -> Outcome:
    r"""Test all pairs by the mean-ranks test with its exact distribution.

    The question of `mean_ranks_z`, for any n: benavoli2016 refers eq. 4 to all :math:`(k!)^n`
    rankings being equally likely.

    Parameters
    ----------
    mean_ranks
        Shape (..., k), from ranks without ties: n times each must be whole. Ties in the data make
        it an approximation even where their halves add up to whole numbers.
    n
        The number of data sets behind them; n(k - 1) at most 20 000, where the normal is as good.

    Returns
    -------
    Outcome
        Differences of rank sums and two-sided p-values, shape (..., k, k).

    Notes
    -----
    The difference of two rank sums is then a sum of n independent ones, each with the distribution

    .. math::

        P(d) = \frac{k - \left|d\right|}{k (k - 1)}, \qquad 1 \le \left|d\right| \le k - 1

    Examples
    --------
    Two data sets, three algorithms, ranks 1 2 3 twice: a distance of 2 has probability 1/3 in
    each, and in half of the cases both go the same way.

    >>> outcome = mean_ranks_exact([1.0, 2.0, 3.0], 2)
    >>> float(outcome.statistic[2, 0]), round(float(outcome.p_value[2, 0]) * 18, 9)
    (4.0, 1.0)
    """
    ranks = finite_array(mean_ranks, name="mean_ranks", least=(2,))
    k = ranks.shape[-1]
    _standard_error(k, n)  # refuses n < 1
    if not mean_ranks_exact_possible(n, k):
        raise ValueError(
            f"n(k - 1) must be at most {_EXACT_SUPPORT} for the exact distribution; got n = {n} "
            f"and k = {k}. Use mean_ranks_z."
        )
    sums = n * ranks
    whole = np.rint(sums)
    if (np.abs(sums - whole) > 1e-6).any():
        raise ValueError(
            "mean_ranks must come from ranks without ties, n times each a whole number; "
            f"got {ranks!r} for n = {n}. Use mean_ranks_z."
        )
    difference = _differences(whole)
    distance = np.abs(difference).astype(np.intp)
    if distance.max(initial=0) > n * (k - 1):
        raise ValueError(f"mean_ranks must lie between 1 and k = {k}; got {ranks!r}.")
    return Outcome(
        statistic=difference,
        p_value=_rank_sum_distance_sf(n, k)[distance],
        degenerate=np.asarray(False),
        n=np.asarray(n),
        null="exact",
    )


@lru_cache(maxsize=32)
def _rank_sum_distance_sf(n: int, k: int) -> FloatArray:
    """Return P(|D| >= d), d = 0 … n(k - 1), D the difference of two rank sums."""
    one = (k - np.abs(np.arange(1.0 - k, k))) / (k * (k - 1.0))
    one[k - 1] = 0.0  # no two algorithms share a rank
    power, left = np.ones(1), n
    while left:  # by squaring; only additions of positive terms, so tiny tails keep their digits
        if left & 1:
            power = np.convolve(power, one)
        left >>= 1
        one = np.convolve(one, one) if left else one
    upper = np.cumsum(power[::-1])[: n * (k - 1) + 1][::-1]
    survival = np.minimum(1.0, 2.0 * upper)
    survival[0] = 1.0
    survival.flags.writeable = False
    return survival


def conover(ranks: ArrayLike) -> Outcome:
    r"""Test all pairs by Conover's t after Friedman's test.

    Do two algorithms have the same expected rank? The spread is estimated from the ranks, where
    `mean_ranks_z` supposes that of equal algorithms, so it finds more. Ties are taken care of.
    Depends on the pool of algorithms all the same.

    Parameters
    ----------
    ranks
        Shape (..., n, k), both at least 2; every data set's ranks add up to :math:`k (k + 1) / 2`.

    Returns
    -------
    Outcome
        Statistics and two-sided p-values, shape (..., k, k).

    Notes
    -----
    With the ranks :math:`r_{dj}` on data set d, and rank sums :math:`R_j`:

    .. math::

        t = \frac{R_i - R_j}
        {\sqrt{\dfrac{2 \left(n \sum_{d,j} r_{dj}^2 - \sum_j R_j^2\right)}{(n - 1)(k - 1)}}}
        \sim t_{(n-1)(k-1)}

    If all data sets agree, t is infinite and :math:`p = (1/k!)^{n-1}`, ties apart: the chance that
    they do. Nor is p ever below what the orders within data sets can give, as the tail of t would
    be; `conover_exact` counts them.

    References
    ----------
    Conover (1999), Practical nonparametric statistics, section 5.8, the comparisons after the
    Friedman test.

    Examples
    --------
    Ranks 1 2 3 twice and 2 1 3, so rank sums 4, 5 and 9. What is left over is
    :math:`3 \cdot 42 - 122 = 4`, and :math:`t = 5 / \sqrt{2 \cdot 4 / 4}`.

    >>> outcome = conover([[1, 2, 3], [1, 2, 3], [2, 1, 3]])
    >>> round(float(outcome.statistic[2, 0]), 4), outcome.df
    (3.5355, (4.0,))
    """
    array = checked_ranks(ranks, datasets=2)
    return _student(array - (array.shape[-1] + 1) / 2.0)


def quade_posthoc(values: ArrayLike) -> Outcome:
    r"""Test all pairs by Conover's t after Quade's test.

    Do two algorithms differ, data sets counting by the rank of their range? Valid where `quade`
    is: the ranges of different data sets can be compared in size.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (..., n, k), both at least 2.

    Returns
    -------
    Outcome
        Statistics and two-sided p-values, shape (..., k, k).

    Notes
    -----
    With A and B as in `quade`, and :math:`S_i` the sum of an algorithm's S over data sets:

    .. math::

        t = \frac{S_i - S_j}{\sqrt{\dfrac{2 n (A - B)}{(n - 1)(k - 1)}}} \sim t_{(n-1)(k-1)}

    References
    ----------
    Conover (1999), Practical nonparametric statistics, section 5.8, the comparisons after the
    Quade test.

    Examples
    --------
    For two algorithms S is ∓0.5, ∓1 and ∓1.5: sums ∓3, :math:`A - B = 1`, and
    :math:`t = -6 / \sqrt{6 \cdot 1 / 2}`.

    >>> outcome = quade_posthoc([[1.0, 2.0], [1.0, 3.0], [1.0, 4.0]])
    >>> round(float(outcome.statistic[0, 1]), 4), outcome.df
    (-3.4641, (2.0,))
    """
    return _student(quade_scores(finite_array(values, name="values", least=(2, 2))))


def aligned_posthoc(values: ArrayLike) -> Outcome:
    r"""Test all pairs by their mean aligned ranks.

    Do two algorithms differ, sizes compared across data sets as in `friedman_aligned`? Valid
    where differences on different data sets can be compared in size.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (..., n, k).

    Notes
    -----
    With the aligned ranks :math:`r_{dj}` on data set d, their mean :math:`\bar r_d` there, and the
    mean :math:`\hat R_j` of an algorithm's:

    .. math::

        z = \frac{\hat R_i - \hat R_j}
        {\sqrt{\dfrac{2 \sum_{d,j} (r_{dj} - \bar r_d)^2}{n^2 (k - 1)}}} \sim N(0, 1)

    This is the variance under Hodges and Lehmann's null, in which every data set puts its aligned
    ranks in random order.

    The short form :math:`\sqrt{k (nk + 1) / 6}` of the standard error treats the nk ranks as drawn
    at random from all. Those of one data set repel each other, as they have one mean, so it is too
    small by :math:`\sqrt{(k - 1) / k}` and rejects too often.

    References
    ----------
    Hodges and Lehmann (1962), Rank methods for combination of independent experiments in analysis
    of variance. Annals of Mathematical Statistics 33; García, Fernández, Luengo and Herrera
    (2010), Advanced nonparametric tests for multiple comparisons in the design of experiments in
    computational intelligence and data mining. Information Sciences 180.

    Examples
    --------
    For two algorithms the square of z is the statistic of `friedman_aligned`.

    >>> outcome = aligned_posthoc([[1.0, 3.0], [5.0, 9.0], [7.0, 1.0]])
    >>> round(float(outcome.statistic[0, 1]) ** 2, 6)
    0.028571
    """
    array = finite_array(values, name="values", least=(1, 2))
    n, k = array.shape[-2:]
    ranks = aligned_ranks(array)
    within = np.square(ranks - ranks.mean(axis=-1, keepdims=True)).sum(axis=(-2, -1))
    error = np.sqrt(2.0 * within / (n * n * (k - 1.0)))
    return _normal(_differences(ranks.mean(axis=-2)), error, n)


def _differences(values: FloatArray) -> FloatArray:
    return np.asarray(values[..., :, None] - values[..., None, :])


def _normal(difference: FloatArray, error: FloatArray, n: int) -> Outcome:
    """Refer difference / error to the normal; without error nothing differs, and p = 1."""
    degenerate = np.broadcast_to((error == 0.0)[..., None, None], difference.shape)
    z = difference / np.where(degenerate, 1.0, error[..., None, None])
    return Outcome(
        statistic=z,
        p_value=2.0 * ndtr(-np.abs(z)),
        degenerate=degenerate,
        n=np.asarray(n),
        null="normal",
    )


def _student(scores: FloatArray) -> Outcome:
    """Refer differences of column sums to t, held against what the columns leave over."""
    n, k = scores.shape[-2:]
    df = (n - 1.0) * (k - 1.0)
    error = np.sqrt(2.0 * n * residual_squares(scores) / df)[..., None, None]
    difference = _differences(scores.sum(axis=-2))
    degenerate = np.broadcast_to(error == 0.0, difference.shape)
    t = difference / np.where(degenerate, 1.0, error)
    # All data sets agree: what differs at all differs without spread.
    t = np.where(degenerate & (difference != 0.0), np.copysign(np.inf, difference), t)
    tail, least = 2.0 * stdtr(df, -np.abs(t)), _least_shares(scores, np.abs(t))
    return Outcome(
        statistic=t,
        p_value=np.maximum(tail, least),
        degenerate=degenerate | (tail < least),
        n=np.asarray(n),
        null="t",
        df=(df,),
    )


def _least_shares(scores: FloatArray, size: FloatArray) -> FloatArray:
    """Return the least p-value of each pair that the orders within data sets can give.

    Of the orders that `least_share` counts, those in which the columns of the pair hold a pair with
    a statistic of its size or more.
    """
    k = scores.shape[-1]
    first, second = np.triu_indices(k, 1)
    all_pairs = np.sort(size[..., first, second], axis=-1)
    flat, own = all_pairs.reshape(-1, first.size), size.reshape(-1, k * k)
    # Equal but for rounding is equal.
    below = [np.searchsorted(row, (1 - 1e-9) * at) for row, at in zip(flat, own, strict=True)]
    share = 1.0 - np.reshape(below, size.shape) / first.size
    return np.asarray(least_share(scores)[..., None, None] * share)
