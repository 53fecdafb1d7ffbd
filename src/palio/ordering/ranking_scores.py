"""What the ranking methods compute, on arrays: (data sets, algorithms) in, one score each out.

``weights`` (n, S) says how often each of S data sets counts: a row of ones for the whole table, a
zero for the data set left out, counts for a bootstrap. So one call ranks any number of subsets.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from palio.types import BoolArray, FloatArray, IntArray


def weighted_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean over data sets: (S, K) values and (n, S) weights to (n, K).

    >>> weighted_mean(np.array([[1.0, 4.0], [3.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 2.0]]))
    array([[2., 2.],
           [3., 0.]])
    """
    found: FloatArray = weights @ values / weights.sum(axis=-1, keepdims=True)
    return found


def of_drawn(estimate: Callable[[IntArray], FloatArray], weights: FloatArray) -> FloatArray:
    """Return what is estimated (K,) from each choice of data sets: (n, S) weights to (n, K).

    ``estimate`` is given the data sets, each as often as it counts. One that has met nobody, whose
    estimate is NaN, is put in the middle.

    >>> values = np.array([[1.0, 3.0, np.nan], [1.0, 2.0, np.nan]])
    >>> of_drawn(lambda rows: values[rows].mean(axis=0), np.array([[1.0, 2.0]]))
    array([[1.        , 2.33333333, 1.66666667]])
    """
    places = np.arange(weights.shape[1])
    found = np.array([estimate(np.repeat(places, row)) for row in weights.astype(np.intp)])
    there = ~np.isnan(found)
    sums = np.where(there, found, 0.0).sum(axis=1, keepdims=True)
    middle = sums / np.maximum(there.sum(axis=1, keepdims=True), 1)
    return np.where(there, found, middle)


def weighted_median(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the median over data sets; between two data sets it is their mean.

    >>> ranks = np.array([[1.0], [2.0], [4.0]])
    >>> weighted_median(ranks, np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 3.0]]))
    array([[2. ],
           [1.5],
           [4. ]])
    """
    half = weights.sum(axis=-1, keepdims=True) / 2
    found = np.empty((len(weights), values.shape[1]))
    for j, column in enumerate(values.T):
        order = np.argsort(column, kind="stable")
        passed = np.cumsum(weights[:, order], axis=-1)
        ordered = column[order]
        lower = ordered[np.argmax(passed >= half, axis=-1)]
        upper = ordered[np.argmax(passed > half, axis=-1)]
        found[:, j] = (lower + upper) / 2
    return found


def success_rate_ratios(success: FloatArray) -> FloatArray:
    r"""Return each algorithm's mean ratio to the others on each data set (brazdil2000 §2.2).

    Of success rates (S, m), all positive. The paper takes the mean over data sets first and over
    opponents then; as both are means, and every pair has all data sets, the order of the two does
    not matter.

    Notes
    -----
    .. math::

        \mathrm{SRR}_j = \frac{1}{m - 1} \sum_{k \ne j} \frac{\mathrm{SR}_j}{\mathrm{SR}_k}

    Examples
    --------
    On australian, timbl errs on 19.13 % and discrim on 14.06 %.

    >>> success_rate_ratios(1 - np.array([[0.1913, 0.1406]])).round(3)
    array([[0.941, 1.063]])
    """
    m = success.shape[-1]
    # Σ_k SR_j / SR_k includes k = j, whose ratio is 1.
    found: FloatArray = (success * (1 / success).sum(axis=-1, keepdims=True) - 1) / (m - 1)
    return found


def adjusted_ratios(
    success: FloatArray, time: FloatArray, acc_d: float, weights: FloatArray
) -> FloatArray:
    """Return the mean adjusted ratio of ratios: accuracy and time together, (…, data sets) weights.

    The formula is that of `palio.ordering.ratio_rankers.adjusted_ratios_of`. Every denominator must
    be positive.

    References
    ----------
    P. B. Brazdil, C. Soares and J. P. da Costa (2003), Ranking learning algorithms: using IBL and
    meta-learning on accuracy and time results, Machine Learning 50.

    Examples
    --------
    Equally good, ten times as slow, a tenth of success for it: 1 / 1.1 and 1 / 0.9.

    >>> slow = np.array([[10.0, 1.0]])
    >>> adjusted_ratios(np.array([[0.8, 0.8]]), slow, 0.1, np.array([[1.0]])).round(4)
    array([[0.9091, 1.1111]])
    """
    m = success.shape[-1]
    rate, log = np.log(success), np.log10(time)
    total: FloatArray = np.full((*weights.shape[:-1], m), -1.0)  # of itself one time as good
    for k in range(m):
        opponent = slice(k, k + 1)
        ratio = rate - rate[:, opponent] - np.log1p(acc_d * (log - log[:, opponent]))
        total += np.exp(weighted_mean(ratio, weights))
    found: FloatArray = total / (m - 1)
    return found


def win_shares(first_wins: BoolArray, second_wins: BoolArray, k: int) -> FloatArray:
    """Return the share of its k − 1 opponents that each algorithm beats: (S, K).

    The verdicts (S, k(k − 1)/2) are on the pairs i < j in the order of ``np.triu_indices``.
    Losses are not subtracted (brazdil2000 §2.3, pw).

    >>> win_shares(np.array([[True, False, False]]), np.array([[False, False, True]]), 3)
    array([[0.5, 0. , 0.5]])
    """
    first, second = np.triu_indices(k, 1)
    found: FloatArray = (first_wins @ _one_hot(first, k) + second_wins @ _one_hot(second, k)) / (
        k - 1
    )
    return found


def _one_hot(which: IntArray, k: int) -> FloatArray:
    return np.asarray(which[:, np.newaxis] == np.arange(k), dtype=np.float64)


def copeland_scores(ranks: FloatArray, weights: FloatArray) -> FloatArray:
    """Return opponents beaten on most data sets minus those lost to: (S, K) ranks to (n, K).

    A missing rank (NaN) neither wins nor loses.

    >>> ranks = np.array([[1.0, 2.0, 3.0], [2.5, 1.0, 2.5], [1.0, 3.0, 2.0]])
    >>> copeland_scores(ranks, np.ones((1, 3)))
    array([[ 2.,  0., -2.]])
    """
    scores = np.empty((len(weights), ranks.shape[1]))
    for i, own in enumerate(ranks.T[..., np.newaxis]):
        lead = np.subtract(own < ranks, own > ranks, dtype=np.float64)
        scores[:, i] = np.sign(weights @ lead).sum(axis=-1)
    return scores
