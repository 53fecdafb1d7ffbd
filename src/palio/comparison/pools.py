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

from palio.errors import MissingCellsError, ParameterError
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.stats.posthoc import critical_difference
from palio.stats.ranks import TIE_TOLERANCE
from palio.types import FloatArray, IntArray

EXHAUSTIVE_LIMIT = 12
"""Up to so many algorithms every sub-pool is looked at."""

_SAMPLED = 1000
_AT_ONCE = 1 << 21  # pairs × subsets
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

    def different(self, pool: Iterable[int]) -> set[IndexPair]:
        """Return the pairs of a pool that differ, the lower index first."""
        members = np.array(sorted(pool))
        ranks = self.losses[np.ix_(members, members)].sum(axis=1)
        limit = critical_difference(len(members), self.n_datasets, self.alpha)
        first, second = np.nonzero(
            np.triu(np.abs(ranks[:, np.newaxis] - ranks) >= limit * _ROUNDING, 1)
        )
        return set(zip(members[first].tolist(), members[second].tolist(), strict=True))

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
        found = f"By mean ranks {len(self.different)} of {pairs} pairs differ in this pool. "
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
    names = table.algorithms
    judge = _judge(table, alpha)
    inside = [_place(names, name) for name in (names if pool is None else pool)]
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


def _judge(table: ScoreTable, alpha: float) -> Pools:
    goodness = table.goodness()
    complete = goodness[~np.isnan(goodness).any(axis=1)]
    if len(complete) < 2:
        raise MissingCellsError(
            "missing",
            "mean ranks need two data sets with a score of every algorithm",
            "there is one" if len(complete) == 1 else "there is none",
        )
    return Pools(loss_matrix(complete), len(complete), alpha)


def _place(names: Sequence[str], name: str) -> int:
    if name not in names:
        raise unknown_name("algorithm", name, names)
    return list(names).index(name)


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
    goodness: FloatArray,
    names: Sequence[str],
    *,
    alpha: float,
    critical: Critical = critical_difference,
    seed: int = 0,
) -> list[PoolCount]:
    """Count for every pair and size of sub-pool how often mean ranks call it different."""
    n, k = goodness.shape
    pairs = _Pairs.of(loss_matrix(goodness), names)
    rng = np.random.default_rng(seed)
    by_size = [
        pairs.counts(_subsets(k - 2, size, rng), critical(size + 2, n, alpha))
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
            significant = np.abs(gaps) >= critical * _ROUNDING
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


def bonferroni_difference(m: int, n: int, alpha: float) -> float:
    """Return the difference of mean ranks that eq. 4 of benavoli2016 asks of two of m algorithms.

    Two-sided with Bonferroni over the m (m − 1) / 2 pairs.
    """
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
