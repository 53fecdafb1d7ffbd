"""Cost against score: who is beaten in both, and who is left."""

from __future__ import annotations

import numpy as np

from palio.stats.ranks import paired_difference
from palio.types import BoolArray, FloatArray

__all__ = ["dominance", "pareto_front"]


def dominance(goodness: FloatArray, cost: FloatArray) -> BoolArray:
    """Say who leaves whom behind: ``dominance[i, j]`` where i is no worse, no costlier, not equal.

    Values that differ by rounding alone are equal.

    Parameters
    ----------
    goodness, cost : array (K,)
        Higher goodness and lower cost are better.

    Returns
    -------
    array (K, K) of bool

    Examples
    --------
    >>> dominance(np.array([0.9, 0.8, 0.8]), np.array([2.0, 1.0, 3.0])).astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    better = paired_difference(goodness[:, np.newaxis], goodness[np.newaxis, :])
    cheaper = paired_difference(cost[np.newaxis, :], cost[:, np.newaxis])
    found: BoolArray = (better >= 0) & (cheaper >= 0) & ((better > 0) | (cheaper > 0))
    return found


def pareto_front(goodness: FloatArray, cost: FloatArray) -> BoolArray:
    """Say who is on the front: nobody is both no worse and no costlier, and better in one.

    It is about the means alone; no test is involved.

    Parameters
    ----------
    goodness, cost : array (K,)
        Higher goodness and lower cost are better.

    Returns
    -------
    array (K,) of bool

    Examples
    --------
    >>> pareto_front(np.array([0.9, 0.8, 0.8]), np.array([2.0, 1.0, 3.0]))
    array([ True,  True, False])
    """
    return np.asarray(~dominance(goodness, cost).any(axis=0))
