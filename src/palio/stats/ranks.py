"""Ranks and ties: the one place that decides when two numbers are the same.

Scores such as 0.1 + 0.2 and 0.3 differ in their last bits only. Values closer than
``TIE_TOLERANCE``, relative to the larger of the two, are the same value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from palio.stats.outcome import finite_array
from palio.types import FloatArray, IntArray

TIE_TOLERANCE = 1e-12
"""Relative distance below which two values are a tie."""


def rounding_noise(*arrays: FloatArray, axis: int | tuple[int, ...]) -> FloatArray:
    """Return what counts as zero among sums and differences of these scores.

    A difference inherits the rounding error of the scores it came from, however small it is
    itself, so the threshold is relative to the largest score, not to the difference.

    Examples
    --------
    >>> float(rounding_noise(np.array([50.0, -100.0]), axis=-1))
    1e-10
    """
    largest = np.maximum.reduce([np.abs(array).max(axis=axis) for array in arrays])
    return np.asarray(TIE_TOLERANCE * largest, dtype=np.float64)


def paired_difference(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return ``a - b``, exactly 0 where the two are tied.

    Examples
    --------
    >>> paired_difference([0.1 + 0.2, 0.5], [0.3, 0.25]).tolist()
    [0.0, 0.25]
    """
    first, second = finite_array(a, name="a"), finite_array(b, name="b")
    difference = np.asarray(first - second)
    noise = TIE_TOLERANCE * np.maximum(np.abs(first), np.abs(second))
    return np.where(np.abs(difference) <= noise, 0.0, difference)


def average_ranks(
    values: ArrayLike, *, axis: int = -1, magnitude: ArrayLike | None = None
) -> FloatArray:
    """Rank along an axis: 1 for the smallest, ties share the mean of their ranks.

    Parameters
    ----------
    values
        Finite numbers.
    axis
        The axis to rank along.
    magnitude
        What closeness is relative to, one per value; the values' own size unless given. For
        differences, give the size of the scores they came from: their rounding error is relative
        to those.

    Notes
    -----
    Neighbours in sorted order that are tied are merged, so a chain of near values is one tie.

    Examples
    --------
    >>> average_ranks([0.3, 0.7, 0.1 + 0.2, 0.1]).tolist()
    [2.5, 4.0, 2.5, 1.0]
    """
    array = np.moveaxis(finite_array(values, name="values", least=(0,)), axis, -1)
    size = np.abs(array)
    if magnitude is not None:
        given = finite_array(magnitude, name="magnitude", least=(0,))
        size = np.moveaxis(np.abs(given), axis, -1)
    return np.moveaxis(_mid_ranks(array, size), -1, axis)


def ranks_of_present(values: ArrayLike) -> tuple[FloatArray, IntArray]:
    """Rank what is there of each row, and count it: NaN has no rank.

    Examples
    --------
    >>> ranks, of = ranks_of_present([[0.5, np.nan, 0.4]])
    >>> ranks.tolist(), of.tolist()
    ([[2.0, nan, 1.0]], [2])
    """
    array = np.asarray(values, dtype=np.float64)
    there = ~np.isnan(array)
    ranks = np.where(there, _mid_ranks(array, np.abs(array)), np.nan)
    return ranks, np.count_nonzero(there, axis=-1)


def _mid_ranks(array: FloatArray, size: FloatArray) -> FloatArray:
    """Rank along the last axis; NaN ties with nothing, and comes after all the others."""
    length = array.shape[-1]
    order = np.argsort(array, axis=-1, kind="stable")
    ordered = np.take_along_axis(array, order, axis=-1)
    size = np.take_along_axis(np.broadcast_to(size, array.shape), order, axis=-1)

    tied = np.diff(ordered, axis=-1) <= TIE_TOLERANCE * np.maximum(size[..., :-1], size[..., 1:])
    edge = np.ones((*array.shape[:-1], min(length, 1)), dtype=np.bool_)
    position = np.arange(length)
    # Each run of ties goes from the last place where one began to the next place where one ends.
    first = np.where(np.concatenate([edge, ~tied], axis=-1), position, 0)
    last = np.where(np.concatenate([~tied, edge], axis=-1), position, length)
    first = np.maximum.accumulate(first, axis=-1)
    last = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]

    ranks = np.empty(array.shape, dtype=np.float64)
    np.put_along_axis(ranks, order, (first + last) / 2.0 + 1.0, axis=-1)
    return ranks


def place_counts(ranks: FloatArray) -> FloatArray:
    """Count how often each of K takes each place: ranks (n, K) to counts (K, K).

    A tie counts evenly for the places it covers, so rows and columns add up to n.

    Examples
    --------
    >>> place_counts(np.array([[1.0, 2.0, 3.0], [1.5, 1.5, 3.0]]))
    array([[1.5, 0.5, 0. ],
           [0.5, 1.5, 0. ],
           [0. , 0. , 2. ]])
    """
    # Two ties of one row never share a mid-rank, so equal mid-ranks are one tie.
    size = np.zeros(ranks.shape)
    for column in ranks.T:
        size += ranks == column[:, np.newaxis]
    reach = (size - 1) / 2
    places = range(1, ranks.shape[1] + 1)
    counts = [((np.abs(ranks - place) <= reach) / size).sum(axis=0) for place in places]
    return np.stack(counts, axis=1)
