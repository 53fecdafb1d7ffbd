"""The scores of a comparison as an array, and the ranks they give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palio.stats.ranks import average_ranks

__all__ = ["complete_scores", "rank_shares"]

FloatArray = NDArray[np.float64]


def complete_scores(comparison: Mapping[str, Any], names: list[str]) -> FloatArray:
    """Return a row for each name and a column for each data set on which all have a score.

    Examples
    --------
    >>> complete_scores({"scores": {"a": [1.0, 2.0], "b": [None, 3.0]}}, ["b", "a"]).tolist()
    [[3.0], [2.0]]
    """
    rows = [
        [np.nan if value is None else value for value in comparison["scores"][name]]
        for name in names
    ]
    scores = np.array(rows, dtype=np.float64)
    return np.asarray(scores[:, np.isfinite(scores).all(axis=0)])


def rank_shares(scores: FloatArray, *, higher_is_better: bool) -> FloatArray:
    """Count how often each algorithm takes each rank; a tie is spread over the ranks it covers.

    Parameters
    ----------
    scores : array of shape (algorithms, data sets)
        Finite numbers.
    higher_is_better : bool
        Whether rank 1 is the highest score.

    Returns
    -------
    array of shape (algorithms, ranks)
        Every row and every column sums to the number of data sets.

    Examples
    --------
    >>> rank_shares(np.array([[0.9, 0.8], [0.7, 0.8], [0.5, 0.1]]), higher_is_better=True).tolist()
    [[1.5, 0.5, 0.0], [0.5, 1.5, 0.0], [0.0, 0.0, 2.0]]
    """
    ranks = average_ranks(-scores if higher_is_better else scores, axis=0)
    # Two ties of one data set never share a mid-rank, so equal mid-ranks are one tie.
    size = np.stack([(ranks == row).sum(axis=0) for row in ranks])
    first, last = ranks - (size - 1) / 2, ranks + (size - 1) / 2
    places = range(1, len(scores) + 1)
    taken = [((first <= place) & (place <= last)) / size for place in places]
    return np.stack([share.sum(axis=1) for share in taken], axis=1)
