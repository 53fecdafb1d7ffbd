"""How an order is read off the graph, step by step, with names on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from palio.ordering.graph import topological_order
from palio.types import BoolArray
from palio.words import joined

__all__ = ["Step", "sort_steps"]


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
