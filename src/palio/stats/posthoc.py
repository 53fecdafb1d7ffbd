"""After Friedman's test: the pairs of algorithms that differ in mean rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from palio.stats._checks import check_level, finite_array
from palio.stats._types import FloatArray
from palio.stats.studentized import studentized_range_isf, studentized_range_sf

__all__ = ["critical_difference", "nemenyi"]


def nemenyi(mean_ranks: ArrayLike, n: int) -> FloatArray:
    """Return the p-values of all pairs by Nemenyi's test (ulas2008, section 2.2).

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
    upper = studentized_range_sf(distance / _standard_error(k, n), k)
    p_value = np.ones((*ranks.shape, k))
    p_value[..., first, second] = upper
    p_value[..., second, first] = upper
    return p_value


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Return the distance of mean ranks that Nemenyi's test needs at level ``alpha``.

    Examples
    --------
    Eight algorithms on 38 data sets, as in ulas2008.

    >>> round(critical_difference(8, 38), 3)
    1.703
    """
    check_level(alpha)
    return studentized_range_isf(float(alpha), int(k)) * _standard_error(k, n)


def _standard_error(k: int, n: int) -> float:
    """Return √(k(k + 1)/(12 n)): tables list q/√2, and √(k(k + 1)/(6 n)) goes with those."""
    if n < 1:
        raise ValueError(f"n must be 1 or more data sets; got {n!r}.")
    return float(np.sqrt(k * (k + 1) / (12.0 * n)))
