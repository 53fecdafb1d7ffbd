"""The graph of MultiTest: edges from the worse to the better, and the sort that follows.

Nodes are numbered in prior order, 0 the most preferred. Arrays are batched over leading axes;
`sort_steps` sorts one graph with names on, and keeps what happened at each step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from palio.types import BoolArray, IntArray
from palio.words import some_of


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
    arrays of shape (..., k) and (..., k, k). Where edges form a circle a step has no candidate.

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


class Wording(NamedTuple):
    """How a preference is spoken of: one before another in it, the other, the first of several.

    ``better`` is what the edges say of the one over the other.
    """

    preferred: str
    other: str
    first: str
    better: str = "significantly better"


BY_COST = Wording("cheaper", "costlier", "the cheapest left")
# Where a model that allows for who was run where contradicts some data sets that two share.
BY_MODEL = Wording("overall cheaper", "overall costlier", "the overall cheapest left")
BY_HAND = Wording("preferred", "less preferred", "the most preferred left")
BY_RANK = Wording("better ranked", "worse ranked", "the best mean rank left")


MAX_BLOCKERS = 3
"""A reason names this many algorithms; the rest are counted."""


@dataclass(frozen=True)
class Step:
    """One step of the sort: who could be taken, who was, and which preferred ones had to wait.

    ``waiting`` names, for each preferred algorithm passed over, those left that are significantly
    better than it. ``circle`` names those left that are significantly better than the one taken:
    there are any only where all that could be taken beat one another in a circle.
    """

    parts: ClassVar[tuple[str, ...]] = ("place", "taken", "candidates", "reason")

    place: int
    taken: str
    candidates: tuple[str, ...]
    waiting: Mapping[str, tuple[str, ...]]
    circle: tuple[str, ...] = ()
    wording: Wording = BY_COST
    last: bool = False

    @property
    def reason(self) -> str:
        """Say why ``taken`` was taken."""
        preferred, _, first, better = self.wording
        if self.circle:
            return (
                f"{first}, in a circle with {some_of(self.circle, MAX_BLOCKERS)}, {better} than it"
            )
        if self.last:
            return "the last one left"
        beats = "significantly beats" if better == "significantly better" else f"is {better} than"
        chosen = f"{first.removesuffix(' left')} of those that nobody left {beats}"
        passed = list(self.waiting)
        if not passed:
            return chosen
        ahead = list(dict.fromkeys(name for names in self.waiting.values() for name in names))
        blockers = [name for name in ahead if name not in self.waiting] or ahead
        are, is_ = ("is" if len(names) == 1 else "are" for names in (passed, blockers))
        return (
            f"{chosen}; {some_of(passed, MAX_BLOCKERS)} {are} {preferred}, but "
            f"{some_of(blockers, MAX_BLOCKERS)} {is_} {better}"
        )


def sort_steps(
    prior: Sequence[str], edges: Iterable[tuple[str, str]], *, wording: Wording = BY_COST
) -> tuple[Step, ...]:
    """Sort a graph of edges from the worse to the better, and keep what happened at each step.

    Edges may form circles: then of the circles (and single nodes) that nobody outside still
    beats, the first in prior order is taken.

    >>> [step.taken for step in sort_steps("abc", [("a", "c")])]
    ['b', 'c', 'a']
    >>> [step.taken for step in sort_steps("abc", [("a", "b"), ("b", "c"), ("c", "a")])]
    ['a', 'c', 'b']
    """
    number = {name: i for i, name in enumerate(prior)}
    beaten = np.zeros((len(prior), len(prior)), dtype=np.bool_)
    for worse, better in edges:
        beaten[number[worse], number[better]] = True
    taken, candidates = topological_order(beaten)
    if not candidates.any(axis=-1).all():
        taken, candidates = _order_with_circles(beaten)
    left = np.ones(len(prior), dtype=np.bool_)

    def better_than(node: int) -> tuple[str, ...]:
        return tuple(prior[j] for j in np.flatnonzero(beaten[node] & left).tolist())

    steps = []
    for place, node in enumerate(taken.tolist(), start=1):
        free = np.flatnonzero(candidates[place - 1]).tolist()
        steps.append(
            Step(
                place=place,
                taken=prior[node],
                candidates=tuple(prior[i] for i in free),
                waiting={prior[i]: better_than(i) for i in np.flatnonzero(left[:node]).tolist()},
                circle=better_than(node),
                wording=wording,
                last=place == len(prior),
            )
        )
        left[node] = False
    return tuple(steps)


def _order_with_circles(edges: BoolArray) -> tuple[IntArray, BoolArray]:
    """Sort as `topological_order` does, where circles of edges are taken for one node each."""
    from scipy.sparse.csgraph import connected_components

    k = len(edges)
    taken, candidates = np.empty(k, dtype=np.intp), np.zeros((k, k), dtype=np.bool_)
    left = np.arange(k)
    for step in range(k):
        graph = edges[np.ix_(left, left)]
        _, circle = connected_components(graph.astype(np.int8), directed=True, connection="strong")
        leaves = (graph & (circle[:, np.newaxis] != circle)).any(axis=1)
        free = ~np.isin(circle, circle[leaves])
        candidates[step, left[free]] = True
        node = left[np.argmax(free)]
        taken[step] = node
        left = left[left != node]
    return taken, candidates
