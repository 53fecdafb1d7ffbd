"""C4.5's splits, compiled: growing a tree, and sending rows down it.

Columns are sorted once; a split divides the sorted rows of every column in order, so that no node
sorts again. Gains come from a table of n log₂ n, as counts are all that entropies need. The
functions that are called from outside are compiled when this module is imported, so that no fit
pays for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from palio.algorithms._classifier import Floats, Indices
from palio.extras import needing

with needing("learners", "estimator", "C4.5 needs numba"):
    from numba import njit  # type: ignore[import-untyped]

Function = TypeVar("Function", bound=Callable[..., Any])

_EPSILON = 1e-10  # what is closer is equal: the rest is rounding
_GAIN, _INFORMATION, _PLACE = 0, 1, 2  # what is known of a test
_FEATURE, _FIRST, _CHILDREN, _LARGEST = 0, 1, 2, 3  # links of a node


def _compiled(*signature: str) -> Callable[[Function], Function]:
    def compile_it(function: Function) -> Function:
        made: Function = njit(*signature, cache=True)(function)
        return made

    return compile_it


# --- the tests of a node: n × gain, n × information of the split, and where it divides ---------


@_compiled()
def _try_thresholds(
    column: Floats,
    order: Indices,
    y: Indices,
    totals: Indices,
    plogp: Floats,
    least: int,
    sides: Indices,
    found: Floats,
) -> None:
    """Find the threshold of greatest gain that leaves ``least`` rows on either side.

    The place is the number of rows up to the threshold.
    """
    n = len(order)
    found[_GAIN] = -1.0
    if column[order[0]] == column[order[n - 1]]:
        return
    left, right = sides[0], sides[1]
    below = above = 0.0
    for k in range(len(totals)):
        left[k] = 0
        right[k] = totals[k]
        above += plogp[totals[k]]
    whole = plogp[n] - above
    best, place = -1.0, 0
    value = column[order[0]]
    for i in range(n - least):
        k = y[order[i]]
        below += plogp[left[k] + 1] - plogp[left[k]]
        above += plogp[right[k] - 1] - plogp[right[k]]
        left[k] += 1
        right[k] -= 1
        following = column[order[i + 1]]
        if following != value:
            value = following
            gain = whole + below + above - plogp[i + 1] - plogp[n - i - 1]
            if i + 1 >= least and gain > best + _EPSILON:
                best, place = gain, i + 1
    if place > 0:
        found[_GAIN] = max(best, 0.0)
        found[_INFORMATION] = plogp[n] - plogp[place] - plogp[n - place]
        found[_PLACE] = place


@_compiled()
def _try_values(
    column: Floats,
    rows: Indices,
    y: Indices,
    totals: Indices,
    plogp: Floats,
    least: int,
    table: Indices,
    found: Floats,
) -> None:
    """Weigh a branch for each value, of which two must have ``least`` rows."""
    n_levels, n_classes = table.shape
    for level in range(n_levels):
        for k in range(n_classes):
            table[level, k] = 0
    for row in rows:
        table[int(column[row]), y[row]] += 1
    gain = information = plogp[len(rows)]
    for k in range(n_classes):
        gain -= plogp[totals[k]]
    large = 0
    for level in range(n_levels):
        size = 0
        for k in range(n_classes):
            size += table[level, k]
            gain += plogp[table[level, k]]
        gain -= plogp[size]
        information -= plogp[size]
        if size >= least:
            large += 1
    found[_GAIN] = max(gain, 0.0) if large >= 2 else -1.0
    found[_INFORMATION] = information


@_compiled()
def _best(tests: Floats) -> int:
    """Return the test of greatest gain ratio among those of at least mean gain; −1 if none is."""
    possible, mean = 0, 0.0
    for f in range(len(tests)):
        if tests[f, _GAIN] >= 0:
            possible += 1
            mean += tests[f, _GAIN]
    chosen, best = -1, -1.0
    for f in range(len(tests)):
        gain = tests[f, _GAIN]
        if gain >= 0 and gain * possible >= mean * (1 - _EPSILON):
            ratio = gain / tests[f, _INFORMATION]
            if ratio > best + _EPSILON:
                chosen, best = f, ratio
    return chosen


# --- dividing rows --------------------------------------------------------------------------------


@_compiled()
def _halve(column: Floats, order: Indices, place: int, branch: Indices, starts: Indices) -> float:
    """Send the rows up to a place to branch 0, the others to 1; return the value half-way."""
    for i in range(len(order)):
        branch[order[i]] = 0 if i < place else 1
    starts[0] = 0
    starts[1] = place
    starts[2] = len(order)
    low, high = column[order[place - 1]], column[order[place]]
    middle: float = low / 2 + high / 2
    # Between neighbours among floats there is nothing.
    return middle if low <= middle < high else float(low)


@_compiled()
def _fan_out(
    column: Floats, n_levels: int, rows: Indices, branch: Indices, starts: Indices
) -> None:
    """Send each row to the branch of its value."""
    for b in range(n_levels + 1):
        starts[b] = 0
    for row in rows:
        level = int(column[row])
        branch[row] = level
        starts[level + 1] += 1
    for b in range(n_levels):
        starts[b + 1] += starts[b]


@_compiled()
def _divide(
    order: Indices, branch: Indices, starts: Indices, following: Indices, room: Indices
) -> None:
    """Put the rows of each branch together, in the order they have."""
    for b in range(len(starts)):
        following[b] = starts[b]
    for i in range(len(order)):
        b = branch[order[i]]
        room[following[b]] = order[i]
        following[b] += 1
    for i in range(len(order)):
        order[i] = room[i]


@_compiled()
def _longer_links(old: Indices, size: int) -> Indices:
    new = np.zeros((size, old.shape[1]), np.int64)
    new[: len(old)] = old
    return new


@_compiled()
def _longer_numbers(old: Floats, size: int) -> Floats:
    new = np.zeros((size, old.shape[1]), np.float64)
    new[: len(old)] = old
    return new


# --- the tree -------------------------------------------------------------------------------------


@_compiled(
    "Tuple((i8[:,::1], f8[:,::1], i8[:,::1]))(f8[:,::1], i8[::1], i8[:,::1], i8[::1], i8, i8, i8)"
)
def grow(
    columns: Floats,
    levels: Indices,
    orders: Indices,
    y: Indices,
    n_classes: int,
    min_rows: int,
    max_depth: int,
) -> tuple[Indices, Floats, Indices]:
    """Grow a tree by gain ratio until nothing can be divided.

    Parameters
    ----------
    columns : array of shape (columns, rows)
        Numbers, or for nominal columns the numbers of their levels.
    levels : array of shape (columns,)
        How many levels; 0 for numeric columns.
    orders : array of shape (columns + 1, rows)
        The rows sorted by each numeric column, and last in any order. Used up.
    y : array of shape (rows,)
        Class numbers.
    n_classes, min_rows, max_depth : int
        Classes, the rows that two branches need at least, and how deep the tree may be.

    Returns
    -------
    array of shape (nodes, 4)
        The column, or −1 for leaves, the first child, how many, and the child with most rows.
    array of shape (nodes, 3)
        Threshold (half-way), gain in bits, and gain ratio.
    array of shape (nodes, classes)
        The rows of each class; a leaf without any has those of its parent.
    """
    n_columns, n = columns.shape
    widest = max(2, levels.max())
    plogp = np.zeros(n + 1)
    for i in range(2, n + 1):
        plogp[i] = i * np.log2(i)
    links, numbers = np.zeros((64, 4), np.int64), np.zeros((64, 3))
    counts = np.zeros((64, n_classes), np.int64)
    tests, table = np.zeros((n_columns, 3)), np.zeros((widest, n_classes), np.int64)
    branch, room = np.zeros(n, np.int64), np.zeros(n, np.int64)
    starts, following = np.zeros(widest + 1, np.int64), np.zeros(widest + 1, np.int64)
    waiting = np.zeros((n + widest, 4), np.int64)  # node, start, stop, depth
    waiting[0, 2] = n
    for i in range(n):
        counts[0, y[i]] += 1
    n_nodes = n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node, start, stop, depth = waiting[n_waiting]
        size = stop - start
        totals = counts[node]
        links[node, _FEATURE] = -1
        if totals.max() == size or size < 2 * min_rows or depth >= max_depth:
            continue
        rows = orders[n_columns, start:stop]
        # Either side of a threshold has a tenth of the mean class, within bounds.
        least = max(min_rows, min(25, int(np.ceil(0.1 * size / n_classes))))
        for f in range(n_columns):
            if levels[f] == 0:
                order = orders[f, start:stop]
                _try_thresholds(columns[f], order, y, totals, plogp, least, table, tests[f])
            else:
                values = table[: levels[f]]
                _try_values(columns[f], rows, y, totals, plogp, min_rows, values, tests[f])
        chosen = _best(tests)
        if chosen < 0:
            continue
        numbers[node, 1] = tests[chosen, _GAIN] / size
        numbers[node, 2] = tests[chosen, _GAIN] / tests[chosen, _INFORMATION]
        n_children = max(2, levels[chosen])
        if levels[chosen] == 0:
            order, place = orders[chosen, start:stop], int(tests[chosen, _PLACE])
            numbers[node, 0] = _halve(columns[chosen], order, place, branch, starts)
        else:
            _fan_out(columns[chosen], n_children, rows, branch, starts)
        if n_nodes + n_children > len(links):
            longer = 2 * (n_nodes + n_children)
            links, counts = _longer_links(links, longer), _longer_links(counts, longer)
            numbers = _longer_numbers(numbers, longer)
        links[node, _FEATURE] = chosen
        links[node, _FIRST] = n_nodes
        links[node, _CHILDREN] = n_children
        for row in rows:
            counts[n_nodes + branch[row], y[row]] += 1
        most = 0
        for b in range(n_children):
            if starts[b + 1] == starts[b]:
                links[n_nodes + b, _FEATURE] = -1
                counts[n_nodes + b] = counts[node]
                continue
            waiting[n_waiting, 0] = n_nodes + b
            waiting[n_waiting, 1] = start + starts[b]
            waiting[n_waiting, 2] = start + starts[b + 1]
            waiting[n_waiting, 3] = depth + 1
            n_waiting += 1
            if starts[b + 1] - starts[b] > most:
                most = starts[b + 1] - starts[b]
                links[node, _LARGEST] = n_nodes + b
        n_nodes += n_children
        for f in range(n_columns + 1):
            if f == n_columns or levels[f] == 0:
                _divide(orders[f, start:stop], branch, starts[: n_children + 1], following, room)
    return links[:n_nodes].copy(), numbers[:n_nodes].copy(), counts[:n_nodes].copy()


@_compiled()
def _child(
    columns: Floats, levels: Indices, links: Indices, thresholds: Floats, node: int, row: int
) -> int:
    """Return the node below; a value that was never seen goes where most rows went."""
    feature, first = links[node, _FEATURE], links[node, _FIRST]
    value = columns[feature, row]
    if levels[feature] == 0:
        return int(first if value <= thresholds[node] else first + 1)
    return int(first + int(value) if value >= 0 else links[node, _LARGEST])


@_compiled("i8[::1](f8[:,::1], i8[::1], i8[:,::1], f8[::1])")
def last_nodes(columns: Floats, levels: Indices, links: Indices, thresholds: Floats) -> Indices:
    """Return the leaf that each row ends in."""
    found = np.zeros(columns.shape[1], np.int64)
    for row in range(columns.shape[1]):
        node = 0
        while links[node, _FEATURE] >= 0:
            node = _child(columns, levels, links, thresholds, node, row)
        found[row] = node
    return found


@_compiled("i8[:,::1](f8[:,::1], i8[::1], i8[:,::1], f8[::1], i8[::1], i8)")
def arrivals(
    columns: Floats,
    levels: Indices,
    links: Indices,
    thresholds: Floats,
    y: Indices,
    n_classes: int,
) -> Indices:
    """Count the rows of each class that come through each node."""
    found = np.zeros((len(links), n_classes), np.int64)
    for row in range(columns.shape[1]):
        node = 0
        found[node, y[row]] += 1
        while links[node, _FEATURE] >= 0:
            node = _child(columns, levels, links, thresholds, node, row)
            found[node, y[row]] += 1
    return found
