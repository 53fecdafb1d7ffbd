"""Exact null distributions of small tables: Friedman's, Conover's, and Cochran's on few rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, permutations
from math import comb, lgamma, log, prod

import numpy as np
from numpy.typing import ArrayLike

from palio.stats.omnibus import FriedmanOutcome, checked_ranks, friedman_from_ranks
from palio.stats.outcome import Outcome, finite_array
from palio.stats.posthoc import conover
from palio.stats.ranks import average_ranks
from palio.types import FloatArray, IntArray

_MOST_DATASETS = {2: 200, 3: 100, 4: 30, 5: 15, 6: 6, 7: 3}
"""By the number of algorithms: where the distribution takes a second or two, ties included."""

MOST_ORDERS = 1_000_000
"""Up to so many orders, all of them are counted where a test has only an approximation."""

_CHUNK = 1 << 18

Pattern = tuple[int, ...]
"""A data set's ranks in ascending order, doubled to be whole."""


def friedman_exact_possible(n: int, k: int) -> bool:
    """Return whether `friedman_exact` takes n data sets and k algorithms.

    Examples
    --------
    >>> friedman_exact_possible(15, 4), friedman_exact_possible(38, 8)
    (True, False)
    """
    return 1 <= n <= _MOST_DATASETS.get(k, 0)


def friedman_exact(values: ArrayLike) -> FriedmanOutcome:
    """Test by Friedman's ranks with the exact distribution instead of χ².

    The question of `friedman`, for so few data sets that χ² cannot be trusted. The p-value is the
    share of all :math:`(k!)^n` orders, or of all distinct ones where a data set has ties, whose
    statistic is at least the observed one.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (..., n, k), small enough for
        `friedman_exact_possible`.

    References
    ----------
    Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the analysis
    of variance. JASA 32, whose tables V and VI are this distribution.

    Examples
    --------
    Three data sets agree on the order of three algorithms: 6 of :math:`6^3` orders do.

    >>> outcome = friedman_exact([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.2, 0.3, 0.9]])
    >>> round(float(outcome.statistic), 12), round(float(outcome.p_value) * 216, 9)
    (6.0, 6.0)
    """
    array = finite_array(values, name="values", least=(1, 2))
    return friedman_exact_from_ranks(average_ranks(array))


def friedman_exact_from_ranks(ranks: ArrayLike) -> FriedmanOutcome:
    """Test by Friedman's ranks with the exact distribution, given the ranks of each data set.

    Parameters
    ----------
    ranks
        Shape (..., n, k); every data set's ranks add up to :math:`k (k + 1) / 2`.

    Examples
    --------
    One data set is tied throughout, so one is left: its two orders are equally extreme.

    >>> float(friedman_exact_from_ranks([[1.5, 1.5], [1.0, 2.0]]).p_value)
    1.0
    """
    array = checked_ranks(ranks)
    n, k = array.shape[-2:]
    if not friedman_exact_possible(n, k):
        limits = ", ".join(f"{most} for k = {some}" for some, most in _MOST_DATASETS.items())
        raise ValueError(
            f"n must be at most {limits} for the exact distribution of Friedman's statistic; "
            f"got n = {n} and k = {k}. Use friedman or iman_davenport."
        )
    outcome = friedman_from_ranks(array)
    doubled = np.rint(2.0 * array).astype(np.intp).reshape(-1, n, k)
    p_value = np.array([_p_value(table) for table in doubled])
    return FriedmanOutcome(
        statistic=outcome.statistic,
        p_value=p_value.reshape(outcome.statistic.shape),
        degenerate=outcome.degenerate,
        n=outcome.n,
        null="exact",
        statistic_uncorrected=outcome.statistic_uncorrected,
        mean_ranks=outcome.mean_ranks,
    )


def _p_value(doubled: IntArray) -> float:
    patterns = sorted(tuple(row) for row in np.sort(doubled, axis=-1).tolist())
    # Given the ties, the statistic rises with the sum of squares, and that is a whole number.
    squares, survival = _distribution(tuple(patterns))
    return float(survival[np.searchsorted(squares, np.square(doubled.sum(axis=0)).sum())])


@lru_cache(maxsize=256)
def _distribution(patterns: tuple[Pattern, ...]) -> tuple[IntArray, FloatArray]:
    """Return what the sum of squares Q of (doubled) rank sums can be, and P(Q >= q) of each."""
    sums, probability = np.array(patterns[:1], dtype=np.intp), np.ones(1)
    for pattern in patterns[1:-1]:
        sums, probability = _one_more(sums, probability, _orders(pattern))
    # The last data set needs no new vectors: |s + o|² = |s|² + 2 s·o + |o|².
    orders = _orders(patterns[-1]) if len(patterns) > 1 else np.zeros_like(sums)
    ways = np.zeros(int(np.square(np.sort(np.array(patterns)).sum(axis=0)).sum()) + 1)
    for part in _parts(len(sums), len(orders)):
        squares = np.square(sums[part]).sum(axis=-1)[:, None] + 2 * sums[part] @ orders.T
        squares += np.square(orders[0]).sum()
        share = np.repeat(probability[part] / len(orders), len(orders))
        ways += np.bincount(squares.reshape(-1), weights=share, minlength=ways.size)
    squares = np.flatnonzero(ways)
    return squares, np.minimum(np.cumsum(ways[squares][::-1])[::-1], 1.0)


def _one_more(
    sums: IntArray, probability: FloatArray, orders: IntArray
) -> tuple[IntArray, FloatArray]:
    """Add a data set's ranks, in any of its orders, to the sorted vectors of rank sums."""
    k = orders.shape[-1]
    digits = (int(sums.max()) + int(orders.max()) + 1) ** np.arange(k, dtype=np.intp)
    codes, weights = [], []
    for part in _parts(len(sums), len(orders)):
        reached = np.sort((sums[part, None, :] + orders).reshape(-1, k), axis=-1)
        share = np.repeat(probability[part] / len(orders), len(orders))
        code, weight = _merged(reached @ digits, share)
        codes.append(code)
        weights.append(weight)
    code, weight = _merged(np.concatenate(codes), np.concatenate(weights))
    return code[:, None] // digits % digits[1], weight


def _parts(count: int, each: int) -> Iterator[slice]:
    """Cut ``count`` states into slices that make at most some hundred thousand new ones."""
    step = max(1, _CHUNK // each)
    return (slice(start, start + step) for start in range(0, count, step))


def _merged(codes: IntArray, weights: FloatArray) -> tuple[IntArray, FloatArray]:
    distinct, which = np.unique(codes, return_inverse=True)
    return distinct, np.asarray(np.bincount(which.reshape(-1), weights=weights), dtype=np.float64)


def few_orders(n: int, k: int) -> bool:
    """Return whether `conover_exact` takes n data sets and k algorithms: at most `MOST_ORDERS`.

    Examples
    --------
    >>> few_orders(7, 3), few_orders(8, 3), few_orders(2, 7)
    (True, False, False)
    """
    return n * lgamma(k + 1) <= log(MOST_ORDERS)


def conover_exact(ranks: ArrayLike) -> Outcome:
    """Test all pairs by Conover's t after Friedman's test, with its exact distribution.

    The question of `conover`, for so few data sets that its t cannot be trusted. The p-value is the
    share of all :math:`(k!)^n` orders, or of all distinct ones where a data set has ties, in which
    two algorithms have a statistic of at least the observed size.

    Parameters
    ----------
    ranks
        Shape (..., n, k), small enough for `few_orders`.

    Returns
    -------
    Outcome
        Statistics and two-sided p-values, shape (..., k, k).

    References
    ----------
    Conover (1999), Practical nonparametric statistics, section 5.8, the comparisons after the
    Friedman test.

    Examples
    --------
    Two data sets agree on the order of three algorithms: 6 of :math:`6^2` orders do.

    >>> round(float(conover_exact([[1, 2, 3], [1, 2, 3]]).p_value[0, 2]) * 36, 9)
    6.0
    """
    outcome = conover(ranks)
    array = checked_ranks(ranks, datasets=2)
    n, k = array.shape[-2:]
    if not few_orders(n, k):
        raise ValueError(
            f"(k!)ⁿ must be at most {MOST_ORDERS} for the exact distribution of Conover's t; "
            f"got n = {n} and k = {k}. Use conover."
        )
    doubled = np.rint(2.0 * array).astype(np.intp).reshape(-1, n, k)
    p_value = np.array([_conover_p_values(table) for table in doubled])
    return replace(
        outcome,
        p_value=p_value.reshape(outcome.statistic.shape),
        degenerate=outcome.degenerate & (outcome.statistic == 0.0),
        null="exact",
        df=(),
    )


def _conover_p_values(doubled: IntArray) -> FloatArray:
    """Return the p-values of all pairs (k, k) of one table."""
    patterns = sorted(tuple(row) for row in np.sort(doubled, axis=-1).tolist())
    difference, rest, share = _conover_distribution(tuple(patterns))
    sums = doubled.sum(axis=0)
    own = np.abs(sums[:, None] - sums)[..., None]
    left = len(doubled) * np.square(doubled).sum() - np.square(sums).sum()
    # t² is difference² / rest but for a factor: whole numbers, compared crosswise. All agree where
    # rest is 0: then t is infinite, however large the difference, but for none.
    reached = (difference**2 * left >= own**2 * rest) & ((difference > 0) | (own == 0))
    return np.where(own[..., 0] == 0, 1.0, np.minimum(reached @ share, 1.0))


@lru_cache(maxsize=256)
def _conover_distribution(patterns: tuple[Pattern, ...]) -> tuple[IntArray, IntArray, FloatArray]:
    """Return what |Rᵢ - Rⱼ| and n Σr² - ΣR² of (doubled) ranks can be, and how probable each is."""
    sums, probability = np.array(patterns[:1], dtype=np.intp), np.ones(1)
    for pattern in patterns[1:]:
        sums, probability = _one_more(sums, probability, _orders(pattern))
    # Any two algorithms may have the sums at any two places.
    first, second = np.triu_indices(sums.shape[-1], 1)
    squares = len(patterns) * np.square(np.array(patterns)).sum()
    difference = np.abs(sums[:, second] - sums[:, first])
    rest = np.broadcast_to((squares - np.square(sums).sum(axis=-1))[:, None], difference.shape)
    share = np.broadcast_to(probability[:, None] / first.size, difference.shape)
    return difference.reshape(-1), rest.reshape(-1), share.reshape(-1)


@lru_cache(maxsize=64)
def _orders(pattern: Pattern) -> IntArray:
    """Return the distinct orders of a data set's ranks."""
    return np.array(sorted(set(permutations(pattern))), dtype=np.intp)


def between_sf(least: int, rows: tuple[int, ...], k: int) -> float:
    """Return P(K Σ Cⱼ² - T² >= least) of the column sums C, given the row sums.

    If the algorithms are alike, each instance's correct answers fall to any of them with equal
    probability, whatever their number. Q is this sum over what the row sums alone decide.

    Parameters
    ----------
    least
        What was observed.
    rows
        How many algorithms are right on each instance. Unanimous ones change nothing.
    k
        The number of algorithms.

    Examples
    --------
    Three instances that one of two gets right: all three by the same one, 2 of 8 ways.

    >>> between_sf(9, (1, 1, 1), 2)
    0.25
    """
    divided = tuple(sorted(row for row in rows if 0 < row < k))
    counts = _ways(divided, k)
    # Whole numbers to the end: all ways together are the product of the binomial coefficients.
    reached = sum(ways for value, ways in counts.items() if value >= least)
    return reached / prod(comb(k, row) for row in divided)


@lru_cache(maxsize=256)
def _ways(rows: tuple[int, ...], k: int) -> Counter[int]:
    """Return in how many ways each value of K Σ Cⱼ² - T² comes about."""
    # Which column has which sum does not matter, so sums are kept sorted.
    states = Counter({(0,) * k: 1})
    for row in rows:
        following: Counter[tuple[int, ...]] = Counter()
        for sums, ways in states.items():
            for chosen in combinations(range(k), row):
                raised = list(sums)
                for j in chosen:
                    raised[j] += 1
                following[tuple(sorted(raised))] += ways
        states = following
    counts: Counter[int] = Counter()
    for sums, ways in states.items():
        counts[k * sum(s * s for s in sums) - sum(sums) ** 2] += ways
    return counts
