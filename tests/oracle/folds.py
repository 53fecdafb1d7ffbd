"""Scores on folds, and how their differences are correlated."""

import numpy as np

from palio.types import FloatArray


def correlation_root(n: int, rho: float) -> FloatArray:
    """Return the lower Cholesky factor of n correlations, all ``rho``.

    >>> root = correlation_root(3, 0.5)
    >>> (root @ root.T).round(3)
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 0.5],
           [0.5, 0.5, 1. ]])
    """
    return np.asarray(np.linalg.cholesky(rho + (1 - rho) * np.eye(n)), dtype=float)
