"""Sets of ranks that hold for all at once: from pairs that differ, or from joint draws.

The rank of an algorithm is 1 + the number truly better, pair by pair, so that equals share the
first of their places.
"""

from __future__ import annotations

import numpy as np

from palio.types import BoolArray, FloatArray, IntArray


def rank_sets(better: BoolArray) -> IntArray:
    r"""Return the first and the last rank that decisions on pairs leave open to each of k.

    Where does each algorithm stand, and how sure is that? Valid where the decisions on all pairs
    are right at once, sides included, with confidence 1 - α: then so are all the sets.

    Parameters
    ----------
    better : array (…, k, k)
        Whether the algorithm of the row was found better than that of the column.

    Returns
    -------
    array (…, k, 2)

    Notes
    -----
    As in the paper, with :math:`N^-` the number found better than an algorithm and :math:`N^+` the
    number found worse:

    .. math::

        \left[1 + N^-,\ k - N^+\right]

    The paper's rank is 1 + the number truly better, so that equals share the first of their places.
    If no decision is wrong, :math:`N^-` is at most the number truly better and :math:`N^+` at most
    the number truly worse; so the set holds not only that rank but every place that equals could
    have among themselves, up to k - the number truly worse.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries. Review of Economic Studies 91.

    Examples
    --------
    The first of three was found better than the last, and nothing else was found:

    >>> rank_sets(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    k = better.shape[-1]
    return np.stack([1 + better.sum(axis=-2), k - better.sum(axis=-1)], axis=-1)


def drawn_ranks(values: FloatArray, margin: float = 0.0) -> IntArray:
    """Return the rank of each of k in every draw: 1 + the number better by more than a margin.

    Parameters
    ----------
    values : array (draws, k)
        More is better.
    margin : float
        Those that are ahead by no more than this count as equal, and share the first of their
        ranks.

    Examples
    --------
    >>> drawn_ranks(np.array([[0.9, 0.8, 0.3]])).tolist()
    [[1, 2, 3]]
    >>> drawn_ranks(np.array([[0.9, 0.8, 0.3]]), margin=0.2).tolist()
    [[1, 1, 3]]
    """
    ranks = np.ones(values.shape, dtype=np.intp)
    for other in values.T:  # one by one: all at once would hold draws × k × k
        ranks += other[:, np.newaxis] - values > margin
    return ranks


def joint_rank_sets(ranks: IntArray, mass: float) -> IntArray:
    """Return an interval of ranks for each of k that all hold at once with probability ``mass``.

    Parameters
    ----------
    ranks : array (draws, k)
        Joint draws of the ranks, 1 to k.
    mass : float
        How probable it is at least that all intervals hold.

    Returns
    -------
    array (k, 2)

    Notes
    -----
    The intervals start from all ranks. Of all their ends, the one that the fewest draws hang on is
    taken away, of equals that of the widest interval, as long as every rank lies in its interval in
    a share ``mass`` of the draws.

    Examples
    --------
    In 19 of 20 draws the first is before the second:

    >>> ranks = np.array([[1, 2]] * 19 + [[2, 1]])
    >>> joint_rank_sets(ranks, 0.95).tolist(), joint_rank_sets(ranks, 0.99).tolist()
    ([[1, 1], [2, 2]], [[1, 2], [1, 2]])
    """
    n, k = ranks.shape
    low, high = np.ones(k, dtype=np.intp), np.full(k, k, dtype=np.intp)
    held, counts = np.ones(n, dtype=np.bool_), _counted(ranks)
    everyone = np.arange(k)
    # A share such as 0.95 of 20 must not fail by rounding.
    spare = n - int(np.ceil(mass * n * (1 - 1e-12)))
    while True:
        losses = np.stack([counts[everyone, low], counts[everyone, high]])
        losses[:, low == high] = n + 1  # nothing may become empty
        least = losses.min()
        if least > spare:
            return np.stack([low, high], axis=1)
        if not least:  # no draw hangs on these, so that all may go at once
            low += losses[0] == 0
            high -= losses[1] == 0
            continue
        side, which = np.nonzero(losses == least)
        widest = int(np.argmax((high - low)[which]))
        end, one = side[widest], which[widest]
        gone = held & (ranks[:, one] == (high if end else low)[one])
        held &= ~gone
        spare -= int(least)
        counts -= _counted(ranks[gone])
        low[one] += 1 - end
        high[one] -= end


def _counted(ranks: IntArray) -> IntArray:
    """Count the draws in which each of k (row) has each rank (column, the first is for none)."""
    k = ranks.shape[1]
    places = ranks + (k + 1) * np.arange(k)
    return np.bincount(places.ravel(), minlength=k * (k + 1)).reshape(k, k + 1)
