"""Means that leave out what is not there: the one way in which Palio averages a score or a cost."""

from __future__ import annotations

import numpy as np

from palio.types import FloatArray


def column_means(values: FloatArray) -> FloatArray:
    """Return the mean of each column over the rows that have it; NaN where none has.

    >>> column_means(np.array([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan]])).tolist()
    [2.0, 5.0, nan]
    """
    present = ~np.isnan(values)
    sums = np.where(present, values, 0.0).sum(axis=0)
    means: FloatArray = np.where(
        present.any(axis=0), sums / np.maximum(present.sum(axis=0), 1), np.nan
    )
    return means
