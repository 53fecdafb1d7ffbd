"""How well a recommended ranking foretells a data set: rank correlations, and what is lost by it.

Rank 1 is best and ties share the mean rank; everything is batched over leading axes.
"""

from __future__ import annotations

import numpy as np

from palio.types import BoolArray, FloatArray


def spearman(recommended: FloatArray, ideal: FloatArray) -> FloatArray:
    r"""Return Spearman's correlation of two rankings (brazdil2000 §3).

    With ties this is the paper's figure, and not quite the correlation of the mid-ranks.

    Notes
    -----
    Of the rankings R and Q of n algorithms:

    .. math::

        r_S = 1 - \frac{6 \sum_i (R_i - Q_i)^2}{n^3 - n}

    Examples
    --------
    Table 2 of brazdil2000, fold 1 of glass: the sum of squares is 17.5.

    >>> recommended = np.array([4.5, 1, 6, 3, 4.5, 2])
    >>> float(spearman(recommended, np.array([1.5, 3, 5, 4, 6, 1.5])))
    0.5
    """
    n = recommended.shape[-1]
    found: FloatArray = 1 - 6 * np.square(recommended - ideal).sum(axis=-1) / (n**3 - n)
    return found


def weighted_spearman(recommended: FloatArray, ideal: FloatArray) -> FloatArray:
    r"""Return Pinto da Costa and Soares' correlation: a mistake among the first counts more.

    Notes
    -----
    Of the rankings R and Q of n algorithms, from −1 to 1 without ties:

    .. math::

        r_w = 1 - \frac{6 \sum_i (R_i - Q_i)^2 (2n + 2 - R_i - Q_i)}{n^4 + n^3 - n^2 - n}

    References
    ----------
    J. Pinto da Costa and C. Soares (2005), A weighted rank measure of correlation, Australian and
    New Zealand Journal of Statistics 47.

    Examples
    --------
    To swap the first two is worse than to swap the last two.

    >>> ideal = np.array([1.0, 2.0, 3.0])
    >>> weighted_spearman(np.array([[2.0, 1.0, 3.0], [1.0, 3.0, 2.0]]), ideal)
    array([0.375, 0.625])
    """
    n = recommended.shape[-1]
    weight = 2 * n + 2 - recommended - ideal
    distance = (np.square(recommended - ideal) * weight).sum(axis=-1)
    found: FloatArray = 1 - 6 * distance / (n**4 + n**3 - n**2 - n)
    return found


def expected_losses(ranks: FloatArray, goodness: FloatArray) -> FloatArray:
    """Return what is lost against the best after trying the first 1, 2, … n of a ranking.

    Tied algorithms are tried in random order: the loss is the mean over all their orders, exactly.

    Parameters
    ----------
    ranks : array (..., n)
        The recommended ranking.
    goodness : array (..., n)
        The scores on the data set in question, higher is better.

    Examples
    --------
    The first two are tied, one of them the best: half the time it is tried first.

    >>> expected_losses(np.array([1.5, 1.5, 3.0]), np.array([0.9, 0.7, 0.8]))
    array([0.1, 0. , 0. ])
    """
    n = ranks.shape[-1]
    goodness = np.broadcast_to(goodness, ranks.shape)
    best_first = np.argsort(-goodness, axis=-1, kind="stable")
    ranks = np.take_along_axis(ranks, best_first, axis=-1)
    # What is lost if the i best are all missed, less what if only the i − 1 best are.
    steps = -np.diff(np.take_along_axis(goodness, best_first, axis=-1), axis=-1)
    in_order = np.sort(ranks, axis=-1)
    losses = np.empty(ranks.shape)
    for tried in range(1, n + 1):
        last = in_order[..., tried - 1 : tried]
        missed = _chance_to_miss(ranks < last, ranks == last, tried)
        losses[..., tried - 1] = (missed[..., :-1] * steps).sum(axis=-1)
    return losses


def _chance_to_miss(before: BoolArray, tied: BoolArray, tried: int) -> FloatArray:
    r"""Return the probability that none of the i best, i = 1 … n, is among those tried.

    ``before`` have been tried for sure; of the ``tied`` ones, as many as are left, at random. Of
    g of these with c among the i best, j are tried, so all c are missed with probability
    :math:`\binom{g - c}{j} / \binom{g}{j}`.
    """
    n = before.shape[-1]
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    g = tied.sum(axis=-1, keepdims=True)
    j = tried - before.sum(axis=-1, keepdims=True)
    rest = g - np.cumsum(tied, axis=-1)
    chance = np.exp(
        log_factorial[rest]
        - log_factorial[np.maximum(rest - j, 0)]
        + log_factorial[g - j]
        - log_factorial[g]
    )
    possible = (rest >= j) & ~np.logical_or.accumulate(before, axis=-1)
    return np.where(possible, chance, 0.0)


def losses_within(
    ranks: FloatArray, goodness: FloatArray, costs: FloatArray, budgets: FloatArray
) -> FloatArray:
    """Return what is lost against the best when the ranking is tried until a budget is spent.

    Costs add up, one algorithm after another; of tied ones the cheapest is tried first. Until the
    first has finished there is nothing, which is held to be as bad as the worst.

    Parameters
    ----------
    ranks, goodness, costs : arrays (..., n)
        The recommended ranking, and the scores (higher is better) and costs on the data set.
    budgets : array (T,)
        What may be spent.

    Returns
    -------
    array (..., T)

    Examples
    --------
    >>> losses_within(
    ...     np.array([1.0, 2.0]), np.array([0.7, 0.9]), np.array([1.0, 5.0]),
    ...     np.array([0.5, 1.0, 5.9, 6.0]),
    ... ).round(3)
    array([0.2, 0.2, 0.2, 0. ])
    """
    costs, goodness = np.broadcast_to(costs, ranks.shape), np.broadcast_to(goodness, ranks.shape)
    order = np.lexsort(np.stack([costs, ranks]), axis=-1)
    spent = np.cumsum(np.take_along_axis(costs, order, axis=-1), axis=-1)
    reached = np.maximum.accumulate(np.take_along_axis(goodness, order, axis=-1), axis=-1)
    worst, best = goodness.min(axis=-1, keepdims=True), goodness.max(axis=-1, keepdims=True)
    reached = np.concatenate([worst, reached], axis=-1)
    losses = np.empty((*ranks.shape[:-1], budgets.size))
    for i, budget in enumerate(budgets.tolist()):
        finished = (spent <= budget).sum(axis=-1, keepdims=True)
        losses[..., i] = (best - np.take_along_axis(reached, finished, axis=-1))[..., 0]
    return losses
