"""Votes of nearest-neighbour classifiers on few features, compiled."""

from __future__ import annotations

from typing import Any

import numba  # type: ignore[import-untyped]
import numpy as np

from palio.algorithms._classifier import Floats, Indices

_TIE = 1.0 + 1e-12  # squares of equal distances are this far apart at most, by rounding
_SAMPLE, _SPREAD = 64, 8  # of its places, two standard deviations at most to either side


def _kth_smallest(values: Floats, k: int) -> float:
    """Return the k-th smallest value, k from 0, by Hoare's selection; changes the order."""
    low, high = 0, values.size - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    found: float = values[k]
    return found


_compiled_kth_smallest: Any = numba.njit("float64(float64[::1], intp)", cache=True)(_kth_smallest)


def _kth_by_samples(values: Floats, k: int, scratch: Floats) -> float:
    """Return the k-th smallest of many values, k from 0, and leave them in their order.

    A sample tells between which two values it is most likely to be found, and those between
    them are looked through in the same way (Floyd & Rivest 1975). ``scratch`` is as long.
    """
    scratch[:] = values
    sample = np.empty(_SAMPLE)
    n, wanted = values.size, k
    while n >= 4 * _SAMPLE:
        for j in range(_SAMPLE):
            sample[j] = scratch[j * (n // _SAMPLE)]
        place = wanted * _SAMPLE // n
        first, last = -np.inf, np.inf
        if place + _SPREAD < _SAMPLE:
            last = _compiled_kth_smallest(sample, place + _SPREAD)
        if place >= _SPREAD:
            first = _compiled_kth_smallest(sample, place - _SPREAD)
        below = between = 0
        for value in scratch[:n]:  # without a branch, which could not be foretold
            scratch[between] = value
            below += value < first
            between += (value >= first) & (value <= last)
        if not below <= wanted < below + between:  # a sample that misleads, which is rare
            scratch[:] = values
            return float(_compiled_kth_smallest(scratch, k))
        if first == last:  # as many ties make it
            return float(first)
        if between == n:
            break
        n, wanted = between, wanted - below
    return float(_compiled_kth_smallest(scratch[:n], wanted))


_compiled_kth_by_samples: Any = numba.njit("float64(float64[::1], intp, float64[::1])", cache=True)(
    _kth_by_samples
)


def _member_votes(
    columns: Floats,
    starts: Indices,
    rows: Floats,
    subsets: Indices,
    n_neighbors: int,
) -> Indices:
    """Return the class that each member votes for, for each row: (members, rows).

    ``columns`` are the training instances, feature by feature, so that the distances of a row to
    all of them are added up together; and class by class, so that those of a class are counted
    together: class i has the instances from ``starts[i]`` to ``starts[i + 1]``.
    """
    n_instances = columns.shape[1]
    votes = np.empty((len(subsets), len(rows)), dtype=np.intp)
    squares = np.empty(n_instances)
    scratch = np.empty(n_instances)
    for member in range(len(subsets)):
        for row in range(len(rows)):
            squares[:] = 0.0
            for feature in subsets[member]:
                value = rows[row, feature]
                for instance in range(n_instances):
                    apart = columns[feature, instance] - value
                    squares[instance] += apart * apart
            farthest = _TIE * _compiled_kth_by_samples(squares, n_neighbors - 1, scratch)
            most = -1
            for code in range(len(starts) - 1):
                count = 0
                for instance in range(starts[code], starts[code + 1]):
                    count += squares[instance] <= farthest
                if count > most:
                    most, votes[member, row] = count, code
    return votes


# With the types told, compiling is done with this module's import and not with the first call.
# Arrays may be read-only: models are, that several processes share.
_FLOATS = numba.types.Array(numba.float64, 2, "C", readonly=True)
_TABLE = numba.types.Array(numba.intp, 2, "C", readonly=True)
_LIST = numba.types.Array(numba.intp, 1, "C", readonly=True)
member_votes: Any = numba.njit(
    numba.intp[:, ::1](_FLOATS, _LIST, _FLOATS, _TABLE, numba.intp), cache=True
)(_member_votes)
