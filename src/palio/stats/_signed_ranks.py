"""The signed ranks of many rows of paired differences at once.

Differences are sorted, not argsorted: the bits of their sizes sort like integers, and the sign
rides along in the lowest bit. Ranks follow from the positions, and only rows with ties or zeros
need more.

Zeros and ties are those of `ranks`: a difference is zero if the two scores are tied, and two
differences are tied if they are closer than 1e-12 of the largest score behind either.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from palio.stats.ranks import TIE_TOLERANCE
from palio.types import BoolArray, FloatArray, IntArray


class Rows(NamedTuple):
    """Paired scores, one pair a row.

    ``largest`` is no less than any score of the row, and ``smallest`` no more than the larger
    score of any data set: between these two lies what a tie is relative to.
    """

    first: FloatArray
    second: FloatArray
    largest: FloatArray
    smallest: FloatArray


class Signed(NamedTuple):
    """The signed ranks of some rows, zeros ranked first.

    ``positive`` is the rank sum of positive differences and ``wins`` their number, ``zeros`` the
    number of zero differences, ``cubes`` Σ(t³ - t) over the ties of others. If they are kept,
    ``tied`` lists the rows that have zeros or ties, and ``ranks`` the ranks of those, ascending,
    0 for a zero difference.
    """

    positive: FloatArray
    wins: FloatArray
    zeros: FloatArray
    cubes: FloatArray
    tied: IntArray
    ranks: FloatArray


def signed_ranks(rows: Rows, *, keep_ranks: bool) -> Signed:
    """Rank the sizes of the differences of each row, and add up those of the positive.

    Examples
    --------
    Differences -1, 2, 2: ranks 1, 2.5, 2.5.

    >>> a, b = np.array([[1.0, 4.0, 5.0]]), np.array([[2.0, 2.0, 3.0]])
    >>> signed = signed_ranks(Rows(a, b, np.array([5.0]), np.array([2.0])), keep_ranks=True)
    >>> signed.positive.tolist(), signed.cubes.tolist(), signed.ranks.tolist()
    ([5.0], [6.0], [[1.0, 2.5, 2.5]])
    """
    difference = rows.first - rows.second
    count, n = difference.shape
    keys = difference.view(np.uint64)
    keys = (keys << np.uint64(1)) | (keys >> np.uint64(63))
    keys.sort(axis=-1)
    negative = (keys & np.uint64(1)).astype(np.float64)
    keys >>= np.uint64(1)
    size = keys.view(np.float64)
    gap = size[:, 1:] - size[:, :-1]

    signed = Signed(
        positive=n * (n + 1) / 2.0 - negative @ np.arange(1.0, n + 1.0),
        wins=np.full(count, float(n)),  # read only where there are zeros
        zeros=np.zeros(count),
        cubes=np.zeros(count),
        tied=np.zeros(0, dtype=np.intp),
        ranks=np.zeros((0, n)),
    )
    reach = TIE_TOLERANCE * rows.largest
    near = np.flatnonzero((gap.min(axis=-1, initial=np.inf) <= reach) | (size[:, 0] <= reach))
    if not near.size:
        return signed
    if not keep_ranks and 2 * near.size > count:  # it takes longer to pick them than to do all
        near = np.arange(count)
    if near.size < count:
        rows = Rows(*(field[near] for field in rows))
        size, gap, negative = size[near], gap[near], negative[near]
    ties = _ties(rows, size, gap, negative)
    return (_with_ranks if keep_ranks else _with_sums)(signed, near, *ties)


def _ties(
    rows: Rows, size: FloatArray, gap: FloatArray, negative: FloatArray
) -> tuple[BoolArray, IntArray, FloatArray]:
    """Return, for rows in ascending order of size, which neighbours tie, how many are zero, signs.

    Where closeness relative to the smallest possible score and to the largest agree, that is the
    answer. The rest is sorted anew, each difference with the scores behind it.
    """
    n = size.shape[-1]
    sure, reach = TIE_TOLERANCE * rows.smallest[:, None], TIE_TOLERANCE * rows.largest[:, None]
    tied = gap <= reach
    # The larger score behind a difference is at least half of it.
    doubtful = tied & (gap > np.maximum(size[:, :-1] * (TIE_TOLERANCE / 2.0), sure))
    zero = size <= sure
    zeros = np.count_nonzero(zero, axis=-1)
    some = np.flatnonzero(zeros)
    if some.size:  # they tie with each other and with nothing else
        tied[some] = np.where(zero[some, :-1], zero[some, 1:], tied[some])
        doubtful[some] &= ~zero[some, :-1]
    least = size[np.arange(len(size)), np.minimum(zeros, n - 1)]  # of those that are not zero
    again = np.flatnonzero(doubtful.any(axis=-1) | ((zeros < n) & (least <= reach[:, 0])))
    if again.size:
        first, second = rows.first[again], rows.second[again]
        difference = first - second
        score = np.maximum(np.abs(first), np.abs(second))
        nothing = np.abs(difference) <= TIE_TOLERANCE * score
        score[nothing] = 0.0  # a zero merges with zeros only
        size = np.where(nothing, 0.0, np.abs(difference))
        order = np.argsort(size, axis=-1)
        size, score, sign = (
            np.take_along_axis(array, order, axis=-1) for array in (size, score, difference < 0.0)
        )
        larger = np.maximum(score[:, :-1], score[:, 1:])
        tied[again] = size[:, 1:] - size[:, :-1] <= TIE_TOLERANCE * larger
        zeros[again] = np.count_nonzero(nothing, axis=-1)
        negative[again] = sign
    return tied, zeros, negative


def _with_sums(
    signed: Signed, near: IntArray, tied: BoolArray, zeros: IntArray, negative: FloatArray
) -> Signed:
    """Return the signed ranks, with the sums of the rows ``near`` put right for zeros and ties."""
    n = negative.shape[1]
    place = np.arange(1.0, n + 1.0)
    positive = n * (n + 1) / 2.0 - negative @ place
    with_zeros = np.flatnonzero(zeros)
    if with_zeros.size:
        among = np.arange(n) < zeros[with_zeros, None]
        tied[with_zeros] &= ~among[:, 1:]
        ahead = (1.0 - negative[with_zeros]) * among  # in their places, but nobody's wins
        positive[with_zeros] -= ahead @ place
        wins = n - negative[with_zeros].sum(axis=-1) - ahead.sum(axis=-1)
        signed.wins[near[with_zeros]] = wins
    signed.zeros[near] = zeros
    if tied.any():
        moved, signed.cubes[near] = _of_ties(tied, negative)
        positive += moved
    signed.positive[near] = positive
    return signed


def _of_ties(tied: BoolArray, negative: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return of each row what its ties add to the positive sum, and Σ(t³ - t).

    A tie's negative differences give up their places, and lose the mean of the tie's instead.
    """
    count, n = negative.shape
    flat = np.flatnonzero(tied)
    row, left = np.divmod(flat, n - 1)
    begins = np.ones(row.size, dtype=np.bool_)
    begins[1:] = (row[1:] != row[:-1]) | (left[1:] != left[:-1] + 1)
    start = np.flatnonzero(begins)
    length = np.diff(start, append=row.size) + 1
    of_run, last = row[start], left[start] + length - 1
    signs = negative.reshape(-1)
    sign, sign_last = signs[flat + row], signs[of_run * n + last]  # a row has one place more
    lost = np.add.reduceat(sign, start) + sign_last
    places = np.add.reduceat(sign * (left + 1), start) + sign_last * (last + 1)
    rank = left[start] + (length + 1) / 2.0
    cubes = length * (length * length - 1.0)
    moved, total = np.zeros((2, count))
    np.add.at(moved, of_run, places - rank * lost)
    np.add.at(total, of_run, cubes)
    return moved, total


def _with_ranks(
    signed: Signed, near: IntArray, tied: BoolArray, zeros: IntArray, negative: FloatArray
) -> Signed:
    """Return the signed ranks, with those of the rows ``near`` done over by runs of ties."""
    count, n = negative.shape
    begins = np.ones((count, n), dtype=np.bool_)
    np.logical_not(tied, out=begins[:, 1:])
    start = np.flatnonzero(begins)
    length = np.diff(start, append=count * n)
    runs = np.count_nonzero(begins, axis=-1)
    first_run = np.cumsum(runs) - runs
    rank = start - np.repeat(np.arange(count) * n, runs) + (length + 1) / 2.0
    wins = length - np.add.reduceat(negative.reshape(-1), start)
    cubes = length * (length * length - 1.0)
    zero_run = first_run[zeros > 0]  # they are the smallest
    wins[zero_run] = cubes[zero_run] = 0.0

    def total(of_run: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(of_run, first_run), dtype=np.float64)

    signed.positive[near] = total(rank * wins)
    signed.wins[near] = total(wins)
    signed.zeros[near] = zeros
    signed.cubes[near] = total(cubes)
    rank[zero_run] = 0.0
    ranks = np.repeat(rank, length).reshape(count, n)
    return signed._replace(tied=near, ranks=ranks)
