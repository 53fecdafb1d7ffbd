"""Votes of nearest-neighbour classifiers on few features, compiled."""

from __future__ import annotations

from typing import Any

import numba  # type: ignore[import-untyped]
import numpy as np

from palio.algorithms._classifier import Floats, Indices

_TIE = 1.0 + 1e-12  # squares of equal distances are this far apart at most, by rounding


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


def _member_votes(
    columns: Floats,
    codes: Indices,
    n_classes: int,
    rows: Floats,
    subsets: Indices,
    n_neighbors: int,
) -> Indices:
    """Return the class that each member votes for, for each row: (members, rows).

    ``columns`` are the training instances, feature by feature, so that the distances of a row to
    all of them are added up together.
    """
    n_instances = columns.shape[1]
    votes = np.empty((len(subsets), len(rows)), dtype=np.intp)
    squares = np.empty(n_instances)
    counts = np.empty(n_classes, dtype=np.intp)
    for member in range(len(subsets)):
        for row in range(len(rows)):
            squares[:] = 0.0
            for feature in subsets[member]:
                value = rows[row, feature]
                for instance in range(n_instances):
                    apart = columns[feature, instance] - value
                    squares[instance] += apart * apart
            farthest = _TIE * _compiled_kth_smallest(squares.copy(), n_neighbors - 1)
            counts[:] = 0
            for instance in range(n_instances):
                if squares[instance] <= farthest:
                    counts[codes[instance]] += 1
            votes[member, row] = counts.argmax()
    return votes


# With the types told, compiling is done with this module's import and not with the first call.
# Arrays may be read-only: models are, that several processes share.
_FLOATS = numba.types.Array(numba.float64, 2, "C", readonly=True)
_TABLE = numba.types.Array(numba.intp, 2, "C", readonly=True)
_LIST = numba.types.Array(numba.intp, 1, "C", readonly=True)
member_votes: Any = numba.njit(
    numba.intp[:, ::1](_FLOATS, _LIST, numba.intp, _FLOATS, _TABLE, numba.intp), cache=True
)(_member_votes)
