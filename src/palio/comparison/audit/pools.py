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

import numpy as np
from scipy.special import ndtri

from palio.stats._types import BoolArray, FloatArray, IntArray
from palio.stats.ranks import TIE_TOLERANCE

__all__ = ["EXHAUSTIVE_LIMIT", "PoolCount", "loss_matrix", "pool_counts"]

EXHAUSTIVE_LIMIT = 12
"""Up to so many algorithms every sub-pool is looked at."""

_SAMPLED = 1000


@dataclass(frozen=True)
class PoolCount:
    """In how many sub-pools with so many other algorithms a pair is called different."""

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
    losses = loss_matrix(goodness)
    rng = np.random.default_rng(seed)
    subsets = {size: _subsets(k - 2, size, rng) for size in range(k - 1)}
    return [
        _count(losses, n, names, (a, b), subsets[size], size, alpha)
        for a, b in itertools.combinations(range(k), 2)
        for size in range(k - 1)
    ]


def _count(
    losses: FloatArray,
    n: int,
    names: Sequence[str],
    pair: tuple[int, int],
    subsets: IntArray,
    size: int,
    alpha: float,
) -> PoolCount:
    a, b = pair
    others = np.delete(np.arange(len(names)), [a, b])
    # How much each further algorithm widens the gap between a's mean rank and b's.
    widening = losses[a, others] - losses[b, others]
    gap = losses[a, b] - losses[b, a] + widening[subsets].sum(axis=-1)
    significant = np.abs(gap) >= critical_gap(size + 2, n, alpha) * (1 - 1e-12)
    return PoolCount(
        names[a],
        names[b],
        size,
        int(significant.sum()),
        len(subsets),
        exhaustive=len(subsets) == math.comb(len(others), size),
        example=_named(subsets, significant, others, names),
        counterexample=_named(subsets, ~significant, others, names),
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


def _named(
    subsets: IntArray, chosen: BoolArray, others: IntArray, names: Sequence[str]
) -> tuple[str, ...] | None:
    hits = np.flatnonzero(chosen)
    if hits.size == 0:
        return None
    return tuple(names[others[i]] for i in subsets[hits[0]].tolist())
