"""Whether the verdict on a pair depends on which other algorithms are in the pool.

That of a mean-ranks test does (benavoli2016). A rank within a pool is one plus the number of its
members that are better (ties count half), so the mean ranks of every sub-pool follow from the
k × k matrix of pairwise losses, and no sub-pool has to be ranked anew.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from palio.stats.ranks import TIE_TOLERANCE
from palio.types import FloatArray, IntArray

__all__ = ["EXHAUSTIVE_LIMIT", "PoolCount", "loss_matrix", "pool_counts"]

EXHAUSTIVE_LIMIT = 12
"""Up to so many algorithms every sub-pool is looked at."""

_SAMPLED = 1000
_AT_ONCE = 1 << 21  # pairs × subsets


@dataclass(frozen=True)
class PoolCount:
    """In how many sub-pools with so many other algorithms a pair is called different."""

    parts: ClassVar[tuple[str, ...]] = ("a", "b", "others", "significant", "subsets")

    a: str
    b: str
    others: int
    significant: int
    subsets: int
    exhaustive: bool
    example: tuple[str, ...] | None = None
    counterexample: tuple[str, ...] | None = None

    @property
    def depends(self) -> bool:
        """Whether the verdict depends on which others there are."""
        return 0 < self.significant < self.subsets


def loss_matrix(goodness: FloatArray) -> FloatArray:
    """Return the share of data sets on which j is better than i; ties count half.

    >>> loss_matrix(np.array([[3.0, 1.0], [2.0, 2.0]])).tolist()
    [[0.5, 0.25], [0.75, 0.5]]
    """
    n, k = goodness.shape
    losses = np.empty((k, k))
    for i in range(k):
        difference = goodness - goodness[:, [i]]
        noise = TIE_TOLERANCE * np.maximum(np.abs(goodness), np.abs(goodness[:, [i]]))
        better = (difference > noise).sum(axis=0)
        level = (np.abs(difference) <= noise).sum(axis=0)
        losses[i] = (better + level / 2) / n
    return losses


def pool_counts(
    goodness: FloatArray, names: Sequence[str], *, alpha: float, seed: int = 0
) -> list[PoolCount]:
    """Count for every pair and size of sub-pool how often the mean-ranks test finds a difference.

    Two-sided with Bonferroni over the m(m − 1)/2 pairs of the sub-pool (benavoli2016 eq. 4).
    """
    n, k = goodness.shape
    pairs = _Pairs.of(loss_matrix(goodness), names)
    rng = np.random.default_rng(seed)
    by_size = [
        pairs.counts(_subsets(k - 2, size, rng), critical_gap(size + 2, n, alpha))
        for size in range(k - 1)
    ]
    return [count for of_pair in zip(*by_size, strict=True) for count in of_pair]


@dataclass(frozen=True, eq=False)
class _Pairs:
    """All pairs, and by how much the others hold them apart; one row for each pair.

    ``gap`` is that of a's mean rank and b's when the two are alone, and ``widening`` what each of
    the ``others`` adds to it.
    """

    names: Sequence[str]
    pairs: list[tuple[int, int]]
    others: IntArray
    gap: FloatArray
    widening: FloatArray

    @classmethod
    def of(cls, losses: FloatArray, names: Sequence[str]) -> _Pairs:
        k = len(names)
        pairs = list(itertools.combinations(range(k), 2))
        a, b = np.array(pairs).T
        others = np.array([np.delete(np.arange(k), pair) for pair in pairs])
        widening = losses[a[:, np.newaxis], others] - losses[b[:, np.newaxis], others]
        return cls(names, pairs, others, losses[a, b] - losses[b, a], widening)

    def counts(self, subsets: IntArray, critical: float) -> list[PoolCount]:
        """Count for each pair with how many of these subsets it is called different."""
        total = self.others.shape[1]
        members = np.zeros((total, len(subsets)))
        members[subsets, np.arange(len(subsets))[:, np.newaxis]] = 1
        found = []
        step = max(1, _AT_ONCE // len(subsets))
        for start in range(0, len(self.pairs), step):
            some = slice(start, start + step)
            gaps = self.gap[some, np.newaxis] + self.widening[some] @ members
            significant = np.abs(gaps) >= critical * (1 - 1e-12)
            firsts = zip(significant.argmax(axis=1), significant.argmin(axis=1), strict=True)
            found += [
                self._count(start + i, subsets, int(significant[i].sum()), first, first_not)
                for i, (first, first_not) in enumerate(firsts)
            ]
        return found

    def _count(
        self, row: int, subsets: IntArray, significant: int, first: int, first_not: int
    ) -> PoolCount:
        """Write down one pair; an example is the first subset of which it is one."""
        a, b = self.pairs[row]
        n_subsets, size = subsets.shape
        others = self.others[row]

        def named(subset: IntArray) -> tuple[str, ...]:
            return tuple(self.names[i] for i in others[subset].tolist())

        return PoolCount(
            self.names[a],
            self.names[b],
            size,
            significant,
            n_subsets,
            exhaustive=n_subsets == math.comb(len(others), size),
            example=named(subsets[first]) if significant else None,
            counterexample=named(subsets[first_not]) if significant < n_subsets else None,
        )


def critical_gap(m: int, n: int, alpha: float) -> float:
    """Return the difference of mean ranks from which on two of m algorithms differ (eq. 4)."""
    upper = -ndtri(alpha / (m * (m - 1)))
    return float(upper * math.sqrt(m * (m + 1) / (6 * n)))


def _subsets(total: int, size: int, rng: np.random.Generator) -> IntArray:
    """Return all subsets of a size, or a sample of them where there are too many algorithms."""
    count = math.comb(total, size)
    if total + 2 <= EXHAUSTIVE_LIMIT or count <= _SAMPLED:
        return np.array(list(itertools.combinations(range(total), size)), dtype=np.intp).reshape(
            count, size
        )
    drawn = np.argsort(rng.random((_SAMPLED, total)), axis=-1)[:, :size]
    return np.unique(np.sort(drawn, axis=-1), axis=0)
