"""The graph of MultiTest: edges where a test overrode the prior, and the sort that follows.

Nodes are numbered in prior order, 0 the most preferred. Arrays are batched over leading axes;
`sort_steps` sorts one graph with names on, and keeps what happened at each step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from palio.types import BoolArray, IntArray
from palio.words import joined


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


@dataclass(frozen=True)
class Step:
    """One step of the sort: who could be taken, who was, and which cheaper ones had to wait.

    ``waiting`` names, for each cheaper algorithm passed over, the costlier ones left that are
    significantly better than it.
    """

    parts: ClassVar[tuple[str, ...]] = ("place", "taken", "candidates", "reason")

    place: int
    taken: str
    candidates: tuple[str, ...]
    waiting: Mapping[str, tuple[str, ...]]

    @property
    def reason(self) -> str:
        """Say why ``taken`` was taken."""
        beaten = [name for name, better in self.waiting.items() if self.taken in better]
        passed = [name for name in self.waiting if name not in beaten]
        reasons = []
        if beaten:
            reasons.append(f"significantly better than the cheaper {joined(beaten)}")
        if passed:
            blockers = dict.fromkeys(b for name in passed for b in self.waiting[name])
            verb = "waits" if len(passed) == 1 else "wait"
            reasons.append(
                f"the cheaper {joined(passed)} {verb} for the significantly better "
                f"{joined(list(blockers))}"
            )
        if not reasons and len(self.candidates) > 1:
            reasons.append("the cheapest left, and no costlier one is significantly better")
        return "; ".join(reasons) or "the last one left"


def sort_steps(prior: Sequence[str], edges: BoolArray) -> tuple[Step, ...]:
    """Sort the graph whose nodes are in prior order, and keep what happened at each step.

    >>> import numpy as np
    >>> edges = np.zeros((3, 3), dtype=bool)
    >>> edges[0, 2] = True
    >>> [step.taken for step in sort_steps(["a", "b", "c"], edges)]
    ['b', 'c', 'a']
    """
    taken, candidates = topological_order(edges)
    left = list(range(len(prior)))
    steps = []
    for place, node in enumerate(taken.tolist(), start=1):
        free = candidates[place - 1]
        steps.append(
            Step(
                place=place,
                taken=prior[node],
                candidates=tuple(prior[i] for i in left if free[i]),
                waiting={
                    prior[i]: tuple(prior[j] for j in left if edges[i, j]) for i in left if i < node
                },
            )
        )
        left.remove(node)
    return tuple(steps)
