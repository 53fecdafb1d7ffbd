"""Which mean-ranks verdicts hang on the pool: on which other algorithms are compared.

Two algorithms of a pool differ where their mean ranks are Nemenyi's critical difference apart:
that is what the field means by the mean-ranks post-hoc test, and what `palio.compare` calls
"mean-ranks" with "nemenyi". benavoli2016 argues with Bonferroni's normal quantile instead, and
says that the argument holds whatever the correction; its Table 1 is counted with that one.

A rank within a pool is one plus the number of its members that are better (ties count half), so
the mean ranks of every pool follow from the k × k matrix of pairwise losses, and no pool has to
be ranked anew.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from palio.claims import pairs_differ
from palio.errors import MissingCellsError, ParameterError
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.stats.posthoc import critical_difference
from palio.stats.ranks import average_ranks
from palio.types import BoolArray, FloatArray, IntArray

EXHAUSTIVE_LIMIT = 12
"""Up to so many algorithms every sub-pool is looked at."""

_SAMPLED = 1000  # sub-pools of each size, of a pair about a quarter of those at the least
_LEAST_SAMPLED = 120
_ALL_SIZES = 30  # up to so many algorithms sub-pools of every size are looked at
_WORK = 1_500_000_000  # pairs × sub-pools of what is sampled: some seconds
_ROWS = 48  # of a matrix of pairs at a time, so that they stay in the cache
_ROUNDING = 1 - 1e-12

Critical = Callable[[int, int, float], float]
"""From algorithms, data sets and α to the difference of mean ranks from which on two differ."""

IndexPair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Pools:
    """The verdicts of the mean-ranks test in any pool of algorithms.

    Examples
    --------
    a is always the best; c comes between a and b, and widens the gap of their mean ranks.

    >>> goodness = np.tile([3.0, 1.0, 2.0], (6, 1))
    >>> pools = Pools(loss_matrix(goodness), n_datasets=6, alpha=0.05)
    >>> pools.different([0, 1]), pools.different([0, 1, 2])
    ({(0, 1)}, {(0, 1)})
    >>> pools.different([0, 2]), pools.different([2, 0, 1])
    ({(0, 2)}, {(0, 1)})
    """

    losses: FloatArray
    n_datasets: int
    alpha: float

    def matrix(self, pool: IntArray) -> BoolArray:
        """Return which pairs (k, k) differ in a pool; none outside of it."""
        ranks = np.full(len(self.losses), np.nan)  # a comparison with NaN finds nothing
        ranks[pool] = self.losses[np.ix_(pool, pool)].sum(axis=1)
        limit = critical_difference(len(pool), self.n_datasets, self.alpha)
        return np.asarray(np.abs(ranks[:, np.newaxis] - ranks) >= limit * _ROUNDING)

    def different(self, pool: Iterable[int]) -> set[IndexPair]:
        """Return the pairs of a pool that differ, the lower index first."""
        found = np.argwhere(np.triu(self.matrix(np.array(sorted(pool))), 1))
        return {(first, second) for first, second in found.tolist()}

    def flips(self, pool: Sequence[int], one: int) -> dict[IndexPair, bool]:
        """Return the pairs whose verdict changes with one algorithm less, or one more.

        The value is whether they differ then. None change where less than two are left.
        """
        other = [each for each in pool if each != one] if one in pool else [*pool, one]
        if len(other) < 2:
            return {}
        now, then = self.different(pool), self.different(other)
        return {pair: pair in then for pair in sorted(now ^ then) if one not in pair}


@dataclass(frozen=True)
class PoolStep:
    """One algorithm less in a pool (``inside``), or one more, and the verdicts that it changes.

    A flip is the pair, and whether the two differ then.
    """

    algorithm: str
    inside: bool
    flips: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True)
class PoolVerdict:
    """Who differs by mean ranks in a pool, and what one algorithm more or less changes."""

    parts: ClassVar[tuple[str, ...]] = ("pool", "different", "steps", "sentence", "note")

    pool: tuple[str, ...]
    different: tuple[tuple[str, str], ...]
    steps: tuple[PoolStep, ...]
    alpha: float
    n_datasets: int

    @property
    def sentence(self) -> str:
        """How many pairs differ, and how many of these verdicts hang on one algorithm."""
        pairs = math.comb(len(self.pool), 2)
        flipping = {(a, b) for step in self.steps for a, b, _ in step.flips}
        found = f"By mean ranks {pairs_differ(len(self.different), pairs)} in this pool. "
        if not flipping:
            return found + "None of these verdicts changes with one algorithm more or less."
        some = "1 of them changes" if len(flipping) == 1 else f"{len(flipping)} of them change"
        return found + f"{some} with one algorithm more or less, though no score of the pair does:"

    @property
    def note(self) -> str:
        """By which test, and what does not depend on the pool."""
        return (
            f"Mean ranks with Nemenyi's critical difference, α = {self.alpha:g}, "
            f"{self.n_datasets} data sets. A test of each pair by itself does not depend on the "
            "pool (Benavoli, Corani and Mangili 2016)."
        )


def pool_verdict(
    table: ScoreTable, pool: Sequence[str] | None = None, *, alpha: float = 0.05
) -> PoolVerdict:
    """Say who differs by mean ranks in a pool of the table's algorithms, and what would change it.

    Valid on the data sets with a score of every algorithm of the table, in the pool or not, so
    that no verdict changes because of other data sets.

    Examples
    --------
    benavoli2016, example 3: hnb and nb differ or not, as others come and go.

    >>> import palio
    >>> found = pool_verdict(palio.load_study("benavoli2016"), ["j48", "hnb", "nb", "aode"])
    >>> ("hnb", "nb") in found.different
    True
    """
    names, goodness = table.algorithms, table.goodness()
    complete = goodness[~np.isnan(goodness).any(axis=1)]
    if len(complete) < 2:
        raise MissingCellsError(
            "missing",
            "mean ranks need two data sets with a score of every algorithm",
            "there is one" if len(complete) == 1 else "there is none",
        )
    judge = Pools(loss_matrix(complete), len(complete), alpha)
    for name in pool or ():
        if name not in names:
            raise unknown_name("algorithm", name, names)
    inside = [names.index(name) for name in (names if pool is None else pool)]
    if len(inside) < 2:
        raise ParameterError("algorithms", "two or more are needed", "there is one")
    steps = [
        PoolStep(
            name, one in inside, tuple((names[a], names[b], now) for (a, b), now in flips.items())
        )
        for one, name in enumerate(names)
        if (flips := judge.flips(inside, one))
    ]
    return PoolVerdict(
        tuple(names[i] for i in inside),
        tuple((names[a], names[b]) for a, b in sorted(judge.different(inside))),
        tuple(sorted(steps, key=lambda step: -len(step.flips))),
        alpha,
        judge.n_datasets,
    )


@dataclass(frozen=True)
class PoolCount:
    """In how many sub-pools with so many other algorithms a pair is called different.

    Where not all sub-pools of that size were looked at, ``error`` is the Monte-Carlo error of the
    share: one standard deviation, as seen from a uniform prior, so that it is never 0.
    """

    parts: ClassVar[tuple[str, ...]] = ("a", "b", "others", "significant", "subsets", "error")

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

    @property
    def error(self) -> float:
        """The standard error of the share that is significant; 0 where all were looked at."""
        if self.exhaustive:
            return 0.0
        yes, n = self.significant + 1, self.subsets + 2
        return math.sqrt(yes * (n - yes) / (n * n * (n + 1)))


def loss_matrix(goodness: FloatArray) -> FloatArray:
    """Return the share of data sets on which j is better than i; ties count half.

    >>> loss_matrix(np.array([[3.0, 1.0], [2.0, 2.0]])).tolist()
    [[0.5, 0.25], [0.75, 0.5]]
    """
    n, k = goodness.shape
    ranks = np.asarray(2 * average_ranks(-goodness, axis=1), dtype=np.int32)  # halves are whole
    worse = np.zeros((k, k), dtype=np.int32)
    for row in ranks:
        worse += row[:, np.newaxis] > row
        worse += row[:, np.newaxis] >= row
    return np.asarray(worse / (2 * n))


def pool_shares(
    goodness: FloatArray, *, alpha: float, critical: Critical = critical_difference, seed: int = 0
) -> PoolShares:
    """Ask of all pairs, by sub-pools of growing size, how often mean ranks call them different.

    All sub-pools up to `EXHAUSTIVE_LIMIT` algorithms, and of any size that has few; else a sample
    of them, of some sizes.
    """
    n, k = goodness.shape
    rng = np.random.default_rng(seed)
    losses = loss_matrix(goodness)
    sizes = _sizes(k)
    draws = min(_SAMPLED, max(_LEAST_SAMPLED, _WORK // (len(sizes) * k * k)))
    by_size = [_Looked.at(losses, size, draws, critical(size + 2, n, alpha), rng) for size in sizes]
    return PoolShares(losses, tuple(by_size))


def _sizes(k: int) -> list[int]:
    """Return with how many others pairs are looked at; alone and in the whole pool always."""
    if k <= _ALL_SIZES:
        return list(range(k - 1))
    quarters = [(k - 2) * i // 4 for i in (1, 2, 3)]
    return sorted({0, 1, 2, 4, 8, *quarters, k - 3, k - 2})


@dataclass(frozen=True, eq=False)
class _Looked:
    """All pairs in sub-pools (rows) of one size, and how many of these call them different.

    Where sub-pools are ``whole`` a pair is in them, otherwise it comes to them. So neither small
    nor large ones have to be drawn again for each pair. ``n`` says in how many each pair is.
    """

    others: int
    subsets: IntArray
    whole: bool
    exhaustive: bool
    critical: float
    n: IntArray
    significant: IntArray

    @classmethod
    def at(
        cls, losses: FloatArray, others: int, draws: int, critical: float, rng: np.random.Generator
    ) -> _Looked:
        """Look at all sub-pools with so many others, or at a sample where there are too many."""
        k = len(losses)
        whole = others > (k - 2) // 2
        size = others + 2 * whole
        exhaustive = k <= EXHAUSTIVE_LIMIT or math.comb(k - 2, others) <= draws
        if exhaustive:
            every = np.array(list(itertools.combinations(range(k), size)), dtype=np.intp)
            subsets = every.reshape(math.comb(k, size), size)
        else:
            subsets = np.sort(np.argsort(rng.random((draws, k)), axis=-1)[:, :size], axis=-1)
        inside = np.zeros((len(subsets), k))
        inside[np.arange(len(inside))[:, np.newaxis], subsets] = 1
        there = inside if whole else 1 - inside
        ranks = np.where(there, inside @ losses.T, np.nan)  # a comparison with NaN finds nothing
        alone = np.zeros_like(losses) if whole else losses - losses.T
        hits = _upper_hits(ranks, alone, critical * _ROUNDING)
        n = (there.T @ there).astype(np.intp)
        return cls(others, subsets, whole, exhaustive, critical, n, hits + hits.T)

    def count(self, losses: FloatArray, names: Sequence[str], a: int, b: int) -> PoolCount:
        """Write down one pair; an example is the first sub-pool of which it is one."""
        significant, n = int(self.significant[a, b]), int(self.n[a, b])
        of_pair = ((self.subsets == a) | (self.subsets == b)).sum(axis=1) == 2 * self.whole
        pools = self.subsets[of_pair]
        gaps = losses[a, pools].sum(axis=1) - losses[b, pools].sum(axis=1)
        if not self.whole:
            gaps += losses[a, b] - losses[b, a]
        hits = np.abs(gaps) >= self.critical * _ROUNDING

        def first(wanted: bool) -> tuple[str, ...]:
            pool = pools[int(np.argmax(hits == wanted))]
            return tuple(names[i] for i in pool.tolist() if i not in (a, b))

        return PoolCount(
            names[a],
            names[b],
            self.others,
            significant,
            n,
            exhaustive=self.exhaustive,
            example=first(True) if significant else None,
            counterexample=first(False) if significant < n else None,
        )


def _upper_hits(ranks: FloatArray, alone: FloatArray, critical: float) -> IntArray:
    """Count the rows of ranks (pools, k) where |rankᵢ - rankⱼ + aloneᵢⱼ| is critical, i < j."""
    k = len(alone)
    hits = np.zeros((k, k), dtype=np.intp)
    for start in range(0, k, _ROWS):
        rows, columns = slice(start, start + _ROWS), slice(start, None)
        gap, own, found = np.empty_like(alone[rows, columns]), alone[rows, columns], hits[rows]
        for pool in ranks:
            np.subtract(pool[rows, np.newaxis], pool[columns], out=gap)
            gap += own
            found[:, columns] += np.abs(gap, out=gap) >= critical
    return np.triu(hits, 1)


@dataclass(frozen=True, eq=False)
class PoolShares:
    """All pairs in sub-pools of growing size."""

    losses: FloatArray
    by_size: tuple[_Looked, ...]

    @property
    def fragile(self) -> BoolArray:
        """Which pairs (k, k) some sub-pools call different and others do not."""
        significant = sum(each.significant for each in self.by_size)
        looked = sum(each.n for each in self.by_size)
        return np.asarray((significant > 0) & (significant < looked))

    def counts(
        self, names: Sequence[str], pairs: tuple[IntArray, IntArray] | None = None
    ) -> list[PoolCount]:
        """Write pairs down by size: all unless given."""
        return [
            each.count(self.losses, names, a, b)
            for a, b in np.transpose(pairs or np.triu_indices(len(names), 1)).tolist()
            for each in self.by_size
        ]


def bonferroni_difference(m: int, n: int, alpha: float) -> float:
    """Return the difference of mean ranks that eq. 4 of benavoli2016 asks of two of m algorithms.

    Two-sided with Bonferroni over the m (m − 1) / 2 pairs.
    """
    upper = -ndtri(alpha / (m * (m - 1)))
    return float(upper * math.sqrt(m * (m + 1) / (6 * n)))
