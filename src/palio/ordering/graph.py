"""The graph of MultiTest: edges where a test overrode the prior, and the sort that follows.

Everything is batched over leading axes. Nodes are numbered in prior order, 0 the most preferred.
"""

from __future__ import annotations

import numpy as np

from palio.types import BoolArray, IntArray

__all__ = ["edge_matrix", "inverse_permutation", "topological_order"]


def edge_matrix(overridden: BoolArray, k: int) -> BoolArray:
    """Turn verdicts on the pairs i < j into a matrix whose [i, j] says "j overrides i".

    >>> edge_matrix(np.array([False, True, False]), 3).astype(int)
    array([[0, 0, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """
    edges = np.zeros((*overridden.shape[:-1], k, k), dtype=np.bool_)
    first, second = np.triu_indices(k, 1)
    edges[..., first, second] = overridden
    return edges


def topological_order(edges: BoolArray) -> tuple[IntArray, BoolArray]:
    """Sort as yildiz2006 Fig. 1 does: repeatedly take the first node with no outgoing edge.

    Returns the nodes in the order taken, and for each step which nodes were candidates:
    arrays of shape (..., k) and (..., k, k). The edges must lead from earlier to later nodes, so
    that there always is a candidate.

    >>> edges = np.zeros((4, 4), dtype=bool)  # yildiz2006 Fig. 2, counted from 0
    >>> edges[[0, 0, 0, 1], [1, 2, 3, 2]] = True
    >>> topological_order(edges)[0] + 1
    array([3, 2, 4, 1])
    """
    k = edges.shape[-1]
    outgoing = edges.sum(axis=-1)
    alive = np.ones(edges.shape[:-1], dtype=np.bool_)
    taken = np.empty(edges.shape[:-1], dtype=np.intp)
    candidates = np.empty(edges.shape, dtype=np.bool_)
    for step in range(k):
        free = alive & (outgoing == 0)
        candidates[..., step, :] = free
        node = np.argmax(free, axis=-1)[..., np.newaxis]
        taken[..., step] = node[..., 0]
        np.put_along_axis(alive, node, False, axis=-1)
        outgoing -= np.take_along_axis(edges, node[..., np.newaxis], axis=-1)[..., 0]
    return taken, candidates


def inverse_permutation(permutation: IntArray) -> IntArray:
    """Return where each element went: ``inverse[permutation[i]] = i``, along the last axis.

    >>> inverse_permutation(np.array([2, 0, 1]))
    array([1, 2, 0])
    """
    inverse = np.empty_like(permutation)
    places = np.broadcast_to(np.arange(permutation.shape[-1]), permutation.shape)
    np.put_along_axis(inverse, permutation, places, axis=-1)
    return inverse
