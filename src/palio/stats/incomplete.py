"""Many algorithms over many data sets where not every one has been tried on every one.

Values have shape (n, k), NaN where there is none. Rank 1 is the smallest value: negate scores of
which higher is better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import chdtrc

from palio.stats.outcome import Outcome
from palio.stats.ranks import ranks_of_present
from palio.types import BoolArray, FloatArray, IntArray

_BLOCK = 1 << 22
"""Random values held at a time."""


# With a smaller share of the scores there, a table is sparse.
_FILLED = 0.5


def is_sparse(values: FloatArray) -> bool:
    """Whether so many scores (S, K) are missing that mean ranks are of different fields.

    >>> half = np.array([[0.9, np.nan], [0.8, np.nan]])
    >>> is_sparse(half), is_sparse(np.vstack([half, [np.nan, np.nan]]))
    (False, True)
    """
    return float((~np.isnan(values)).mean()) < _FILLED


def components(there: BoolArray) -> IntArray:
    """Return for each of k algorithms to which part it belongs, (n, k) saying who was tried where.

    Two are in one part if a chain of data sets joins them, each shared by neighbours in the chain.

    Examples
    --------
    >>> components(np.array([[True, True, False], [False, True, False]])).tolist()
    [0, 0, 1]
    """
    n, k = there.shape
    row, column = np.nonzero(there)
    # Algorithms and data sets are the nodes: an edge for each score, never one for each pair.
    graph = csr_array((np.ones(row.size), (column, k + row)), shape=(n + k, n + k))
    return np.unique(connected_components(graph, directed=False)[1][:k], return_inverse=True)[1]


def skillings_mack(values: ArrayLike, *, n_resamples: int | None = None, seed: int = 0) -> Outcome:
    r"""Test by Skillings and Mack's ranks: Friedman's test where scores are missing.

    Do k algorithms have the same expected rank, each data set ranking those it has? Valid where
    scores are missing for reasons that have nothing to do with how good they would have been.
    Without gaps it is `friedman`, corrected for ties.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (n, k); NaN where there is none. Rank 1 is the
        smallest.
    n_resamples
        Instead of by χ², p is found by so many random orders within the data sets.
    seed
        Of these orders.

    Notes
    -----
    On data set i, :math:`m_i` of the k have a value, with mid-ranks :math:`r_{ij}` and their
    variance :math:`s_i^2`. Over the data sets that j has,

    .. math::

        A_j = \sum_i \sqrt{\frac{12}{m_i + 1}} \left(r_{ij} - \frac{m_i + 1}{2}\right), \qquad
        T = A^T \Sigma^{-} A \sim \chi^2_{k-c}

    Orders within the data sets being equally likely, two algorithms have, over the data sets that
    both have, the covariance

    .. math::

        \Sigma_{jl} = -\sum_i \frac{12\, s_i^2}{(m_i + 1)(m_i - 1)}

    which without ties is minus their number, and its rows add up to zero; c is the number of
    parts that no data set joins. A data set with one value, or where all are tied, says nothing.

    References
    ----------
    Skillings and Mack (1981), On the use of a Friedman-type statistic in balanced and unbalanced
    block designs. Technometrics 23(2).

    Examples
    --------
    Three data sets, of which the last lacks the third algorithm:

    >>> outcome = skillings_mack([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.2, 0.3, np.nan]])
    >>> round(float(outcome.statistic), 4), outcome.df
    (4.866, (2.0,))
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] < 2 or np.isinf(array).any():
        raise ValueError(f"values must be finite or NaN, of shape (n, k); got {array.shape}.")
    weighted, variance = _weighted_ranks(array)
    n, k = weighted.shape
    there = ~np.isnan(weighted)
    parts = components(there)
    df = float(k - 1 - parts.max())
    if df == 0.0:
        return Outcome(
            statistic=np.zeros(()),
            p_value=np.ones(()),
            degenerate=np.asarray(True),
            n=np.asarray(n),
            null="chi2",
            df=(0.0,),
        )
    form = _Form(_covariance(there, variance), parts)
    weighted = np.where(there, weighted, 0.0)
    statistic = form(weighted.sum(axis=0))
    p_value = (
        chdtrc(df, statistic)
        if n_resamples is None
        else _share_as_large(form, weighted, there, statistic, n_resamples, seed)
    )
    return Outcome(
        statistic=statistic,
        p_value=np.asarray(p_value),
        degenerate=np.asarray(False),
        n=np.asarray(n),
        null="chi2" if n_resamples is None else "permutation",
        df=(df,),
    )


def _weighted_ranks(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return √(12/(m + 1)) (r − (m + 1)/2) of the rows that say something, and their variance.

    The variance is that of one value of the row over all orders, less a covariance: without ties m.
    """
    ranks, of = ranks_of_present(values)
    centred = ranks - (of[:, None] + 1.0) / 2.0
    squares = np.nansum(np.square(centred), axis=1)
    says = squares > 0.0  # not one value alone, nor all tied
    of = of[says]
    weighted = np.sqrt(12.0 / (of + 1.0))[:, None] * centred[says]
    return weighted, 12.0 / (of + 1.0) * squares[says] / (of - 1.0)


def _covariance(there: BoolArray, variance: FloatArray) -> FloatArray:
    """Return Σ: of two minus the sum over shared data sets, the rows adding up to zero."""
    of = np.count_nonzero(there, axis=1)
    shared = there.astype(np.float64)
    covariance = -(shared.T * (variance / of)) @ shared
    np.fill_diagonal(covariance, 0.0)
    np.fill_diagonal(covariance, -covariance.sum(axis=1))
    return np.asarray(covariance)


class _Form:
    """The quadratic form aᵀΣ⁻a, one algorithm of each part left out: the rest fixes it."""

    def __init__(self, covariance: FloatArray, parts: IntArray) -> None:
        self.kept = np.setdiff1d(np.arange(parts.size), np.unique(parts, return_index=True)[1])
        self.factor = cho_factor(covariance[np.ix_(self.kept, self.kept)])

    def __call__(self, sums: FloatArray) -> FloatArray:
        """Return T for sums of shape (..., k)."""
        a = sums[..., self.kept]
        solved = cho_solve(self.factor, a.reshape(-1, self.kept.size).T).T.reshape(a.shape)
        return np.asarray((a * solved).sum(axis=-1))


def _share_as_large(
    form: _Form,
    weighted: FloatArray,
    there: BoolArray,
    statistic: FloatArray,
    n_resamples: int,
    seed: int,
) -> float:
    """Return the share of random orders within rows, this one counted, with a T no smaller."""
    generator = np.random.default_rng(seed)
    # What is there first, then the gaps, which random keys leave last too.
    packed = np.take_along_axis(weighted, np.argsort(~there, axis=1, kind="stable"), axis=1)
    reached, step = 1, max(1, _BLOCK // weighted.size)
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        keys = np.where(there, generator.random((size, *there.shape)), 2.0)
        drawn = np.empty_like(keys)
        np.put_along_axis(
            drawn, np.argsort(keys, axis=-1), np.broadcast_to(packed, keys.shape), axis=-1
        )
        # Sums of the same ranks in another order may differ in the last bits.
        reached += int(np.count_nonzero(form(drawn.sum(axis=1)) >= statistic * (1.0 - 1e-12)))
    return reached / (n_resamples + 1)
