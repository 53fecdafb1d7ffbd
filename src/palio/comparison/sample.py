"""What is compared: scores, the pairs to be tested, and how far these are apart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palio.measures import Measure
from palio.scores import ScoreTable
from palio.scores.scale import Goodness
from palio.stats import effects
from palio.stats.additive import adjusted_mean_ranks
from palio.stats.ranks import average_ranks, ranks_of_present
from palio.types import BoolArray, FloatArray, IntArray

_SLAB = 1 << 19

CONFIDENCE = 0.95
"""Of intervals that are not those of a verdict."""

# So many pairs are looked at together where one of them is asked about; who has asked about so
# many blocks asks about all, as JSON does.
_BLOCK, _BLOCKS = 16, 64


def shared(values: FloatArray, first: IntArray, second: IntArray) -> IntArray:
    """Count the rows on which both columns of each pair have a value."""
    there = (~np.isnan(values)).astype(np.float64)
    return np.asarray((there.T @ there)[first, second], dtype=np.intp)


def largest_part(present: BoolArray, least: int) -> tuple[IntArray, IntArray]:
    """Return data sets and algorithms without a gap, as many cells as one gets by coverage.

    Algorithms come in by how many scores they have; of the parts on the way, that with the most
    cells is taken, on ``least`` data sets or more.

    >>> present = np.array([[True, True, False], [True, True, True], [True, True, False]])
    >>> [part.tolist() for part in largest_part(present, 2)]
    [[0, 1, 2], [0, 1]]
    """
    order = np.argsort(-present.sum(axis=0), kind="stable")
    together = np.cumprod(present[:, order], axis=1).sum(axis=0)
    cells = np.where(together >= least, together * np.arange(1, order.size + 1), 0)
    cells[0] = 0  # one alone is not compared
    columns = np.sort(order[: int(cells.argmax()) + 1])
    return np.flatnonzero(present[:, columns].all(axis=1)), columns


def pair_matrix(
    values: NDArray[Any],
    first: IntArray,
    second: IntArray,
    k: int,
    *,
    mirrored: NDArray[Any] | None = None,
    others: int = 0,
) -> NDArray[Any]:
    """Return what is said of pairs of k columns as a matrix (k, k), ``others`` elsewhere.

    It is symmetric, unless something else is said of a pair ``mirrored``.

    >>> pair_matrix(np.array([1, 2]), np.array([0, 1]), np.array([1, 2]), 3).tolist()
    [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
    """
    found = np.full((k, k), others, dtype=values.dtype)
    found[first, second] = values
    found[second, first] = values if mirrored is None else mirrored
    return found


def which_met(first: IntArray, second: IntArray, k: int) -> BoolArray | None:
    """Return which of all pairs of k columns these are; nothing if they are all.

    >>> which_met(np.array([0, 1]), np.array([1, 2]), 3).tolist()
    [True, False, True]
    """
    if first.size == k * (k - 1) // 2:
        return None
    compared = pair_matrix(np.ones(first.size, dtype=np.bool_), first, second, k)
    return np.asarray(compared[np.triu_indices(k, 1)])


def which_unbeaten(
    sides: ArrayLike, first: IntArray, second: IntArray, ranks: FloatArray
) -> list[int]:
    """Return the columns that no other significantly beats, the best rank first.

    Sides are the first's of each pair.

    >>> which_unbeaten([1, 0], np.array([0, 1]), np.array([1, 2]), np.array([2.0, 3.0, 1.0]))
    [2, 0]
    """
    side = np.asarray(sides)
    beaten = np.concatenate([second[side > 0], first[side < 0]])
    order = np.argsort(ranks, kind="stable")
    return order[~np.isin(order, beaten)].tolist()  # type: ignore[no-any-return]


def slabs(
    values: FloatArray, first: IntArray, second: IntArray
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Give which pairs of columns, and their values (pairs, rows) on the rows that both have.

    A slab at a time: all at once would hold pairs × rows several times over. Pairs that share
    equally many rows come together, whichever rows these are, in no order; those that share none
    do not come.
    """
    columns = np.ascontiguousarray(values.T)
    there = ~np.isnan(columns)
    step = max(1, _SLAB // columns.shape[1])
    if there.all():
        for start in range(0, first.size, step):
            pairs = np.arange(start, min(start + step, first.size))
            yield pairs, columns[first[pairs]], columns[second[pairs]]
        return
    n = shared(values, first, second)
    by_n = np.argsort(n, kind="stable")
    for size in np.unique(n[n > 0]).tolist():
        low, high = np.searchsorted(n[by_n], [size, size + 1])
        for start in range(int(low), int(high), step):
            pairs = by_n[start : min(start + step, int(high))]
            i, j = first[pairs], second[pairs]
            rows = np.nonzero(there[i] & there[j])[1].reshape(pairs.size, size)
            yield pairs, columns[i[:, None], rows], columns[j[:, None], rows]


class Estimand(NamedTuple):
    """What a test of pairs is about, and the estimate of it with an interval."""

    title: str
    run: Callable[..., effects.Interval]


PSEUDO_MEDIAN = Estimand("median difference, by Hodges and Lehmann", effects.hodges_lehmann)
MEDIAN = Estimand("median difference", effects.median_difference)
MEAN = Estimand("mean difference", effects.mean_difference)


class Matching(NamedTuple):
    """What makes the interval of a pair match its verdict: the estimand, level and side of each.

    Without an estimand there is none that matches: then it is that of the mean, unadjusted.
    """

    estimand: Estimand | None
    levels: FloatArray
    sides: IntArray

    def at(self, places: IntArray) -> Matching:
        """Return those of some pairs."""
        return Matching(self.estimand, self.levels[places], self.sides[places])


class RankSizes(NamedTuple):
    """The sizes of a difference that stand on ranks; 0 (or ½) where nobody leads."""

    median_difference: float
    rank_biserial: float
    cliffs_delta: float
    vargha_delaney: float


class Record(NamedTuple):
    """On how many both have a score, and on how many of these a wins, ties and loses."""

    n: int
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, eq=False)
class PairEffects(ABC):
    """How far the pairs of a comparison are apart, each kind worked out when first asked for.

    The lists have an entry for each pair. Intervals are at the level at which the pair was decided,
    as ``matching`` has it. ``ratios``: differences are of logarithms.
    """

    first: IntArray
    second: IntArray
    matching: Matching
    ratios: bool

    @property
    @abstractmethod
    def means(self) -> list[tuple[float, float]]:
        """The mean difference of each pair, and its standard error."""

    @property
    @abstractmethod
    def intervals(self) -> list[tuple[float, float, float]]:
        """What is estimated of each pair, and the ends of its interval."""

    @property
    @abstractmethod
    def records(self) -> list[Record]:
        """Who is better how often in each pair."""

    @property
    @abstractmethod
    def sizes(self) -> list[RankSizes]:
        """What stands on ranks, of each pair."""

    @abstractmethod
    def some(self, places: IntArray) -> tuple[PairEffects, IntArray]:
        """Return the effects of some of the pairs, and the columns of the scores that they need."""

    @property
    def is_matched(self) -> bool:
        """Whether each interval is at the level at which its pair was decided."""
        return self.matching.estimand is not None

    @property
    def interval_of(self) -> str:
        """What the intervals are of, in words."""
        own = self.matching.estimand
        return f"{MEAN.title}, unadjusted" if own is None else f"{own.title}, {_AT_LEVEL}"

    def around(self, place: int) -> tuple[PairEffects, int]:
        """Return the effects of a pair and some beside it, which are likely to be asked for next.

        Of very many pairs a reader asks for few.
        """
        if self.first.size <= _BLOCK or len(self._blocks) >= _BLOCKS:
            return self, place
        block, within = divmod(place, _BLOCK)
        if block not in self._blocks:
            places = np.arange(block * _BLOCK, min((block + 1) * _BLOCK, self.first.size))
            self._blocks[block] = self.some(places)[0]
        return self._blocks[block], within

    @cached_property
    def _blocks(self) -> dict[int, PairEffects]:
        return {}


_AT_LEVEL = "at the level of the verdict"


@dataclass(frozen=True, eq=False)
class Effects(PairEffects):
    """The effects of all pairs over data sets, or on folds.

    Ranks and medians are dear, mean differences and wins are not: who asks for these alone does not
    wait for the others. Effects are of ``goodness``, and means of it ``for_means``, which lacks
    what has no size; ``sign`` turns differences of these to those of the scores. Rows that are not
    ``independent`` give a mean difference, but no t interval; ``ordinal`` ones have nobody but
    winners.
    """

    goodness: FloatArray
    for_means: FloatArray
    sign: int
    independent: bool = True
    ordinal: bool = False

    @cached_property
    def means(self) -> list[tuple[float, float]]:
        """The mean difference of each pair, and its standard error."""
        found = np.full((self.first.size, 2), np.nan)
        some = slabs(self.sign * self.for_means, self.first, self.second)
        for part, a, b in () if self.ordinal else some:
            found[part, 0] = effects.mean_difference(a, b).estimate
            if self.independent and a.shape[1] > 1:
                found[part, 1] = (a - b).std(axis=1, ddof=1) / np.sqrt(a.shape[1])
        return [(mean, error) for mean, error in found.tolist()]

    @cached_property
    def intervals(self) -> list[tuple[float, float, float]]:
        """What is estimated of each pair, and the ends of its interval."""
        found = np.full((self.first.size, 3), np.nan)
        estimand = self.matching.estimand or MEAN
        values = self.for_means if estimand is MEAN else self.goodness
        some = slabs(values, self.first, self.second)
        for part, a, b in some if self.independent and not self.ordinal else ():
            confidence = 1.0 - self.matching.levels[part] if self.is_matched else CONFIDENCE
            each = estimand.run(a, b, confidence=confidence)
            found[part] = np.stack([each.estimate, each.low, each.high], axis=1)
        if self.is_matched:
            _agree(found, self.matching.sides)
        if self.sign < 0:
            found = -found[:, [0, 2, 1]]
        return [(estimate, low, high) for estimate, low, high in found.tolist()]

    def some(self, places: IntArray) -> tuple[Effects, IntArray]:
        """Return the effects of some of the pairs, and the columns of the scores that they need."""
        pairs = np.stack([self.first[places], self.second[places]])
        columns, at = np.unique(pairs, return_inverse=True)
        first, second = at.reshape(2, -1)
        few = replace(
            self,
            goodness=self.goodness[:, columns],
            for_means=self.for_means[:, columns],
            first=first,
            second=second,
            matching=self.matching.at(places),
        )
        return few, columns

    @cached_property
    def sizes(self) -> list[RankSizes]:
        """What stands on ranks, of each pair."""
        found = np.full((self.first.size, 4), np.nan)
        some = slabs(self.goodness, self.first, self.second)
        for part, a, b in () if self.ordinal else some:
            delta = effects.cliffs_delta(a, b)
            each = (
                self.sign * effects.median_difference(a, b).estimate,
                effects.rank_biserial(a, b),
                delta,
                (delta + 1) / 2,  # Vargha and Delaney's A says the same
            )
            found[part] = np.stack(each, axis=1)
        return [RankSizes(*each) for each in found.tolist()]

    @cached_property
    def records(self) -> list[Record]:
        """Who is better how often in each pair."""
        counts = np.zeros((self.first.size, 4), dtype=np.intp)
        for part, a, b in slabs(self.goodness, self.first, self.second):
            record = effects.win_tie_loss(a, b)
            n = np.full(len(a), a.shape[1])
            counts[part] = np.stack([n, record.wins, record.ties, record.losses], axis=1)
        return [Record(*each) for each in counts.tolist()]


def _agree(found: FloatArray, sides: IntArray) -> None:
    """Have intervals (estimate, low, high) exclude 0 exactly where a verdict has a side.

    Tests drop zeros and average ties, which shifts do not: at 0 itself the verdict decides, and an
    interval that ends there is open or closed accordingly.
    """
    low, high, least = found[:, 1], found[:, 2], np.finfo(np.float64).tiny
    np.copyto(low, least, where=(sides > 0) & (low <= 0))
    np.copyto(high, -least, where=(sides < 0) & (high >= 0))
    np.copyto(low, 0.0, where=(sides == 0) & (low > 0))
    np.copyto(high, 0.0, where=(sides == 0) & (high < 0))


@dataclass(frozen=True, eq=False)
class Scores:
    """What is compared: one score per data set (row) and algorithm (column).

    Where ``folds_of`` names a data set the rows are its folds. ``failed`` marks the scores that are
    missing because something failed, ``imputed`` those that a rule made up, and ``splits`` says how
    many each is the mean of, where that is known. ``table`` is where they are from, with the folds
    or items that they are means of; ``scaled`` the scores on the scale of their measure.
    """

    values: FloatArray
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    measure: Measure
    folds_of: str | None = None
    failed: BoolArray | None = None
    imputed: BoolArray | None = None
    splits: IntArray | None = None
    table: ScoreTable | None = field(default=None, repr=False)
    scaled: Goodness = None  # type: ignore[assignment]  # the values themselves unless given

    def __post_init__(self) -> None:
        if self.scaled is None:
            none = np.zeros(self.values.shape, dtype=np.bool_)
            object.__setattr__(self, "scaled", Goodness(self.measure.turned(self.values), none))

    @property
    def goodness(self) -> FloatArray:
        """The scores on the scale of their measure, turned so that higher is better."""
        return self.scaled.values

    @property
    def is_empty(self) -> bool:
        """Whether there is no score at all."""
        return bool(np.isnan(self.values).all())

    @cached_property
    def places(self) -> tuple[FloatArray, IntArray]:
        """The place of each score on its data set, 1 the best, and among how many it is."""
        return ranks_of_present(-self.goodness)

    @cached_property
    def boxes(self) -> FloatArray:
        """Box plots (5, algorithms): whisker, quartile, median, quartile, whisker.

        A whisker ends at the last score that is no further than 1.5 boxes from the box.
        """
        quarter, median, three = np.quantile(self.values, [0.25, 0.5, 0.75], axis=0)
        reach = 1.5 * (three - quarter)
        inside = (self.values >= quarter - reach) & (self.values <= three + reach)
        low = np.where(inside, self.values, np.inf).min(axis=0)
        high = np.where(inside, self.values, -np.inf).max(axis=0)
        # Quartiles lie between scores: a whisker never ends inside its box.
        ends = np.minimum(low, quarter), np.maximum(high, three)
        return np.array([ends[0], quarter, median, three, ends[1]])

    def effects(self, first: IntArray, second: IntArray, matching: Matching) -> PairEffects:
        """Return the effects of pairs of columns; nothing is computed yet."""
        return Effects(
            first,
            second,
            matching,
            self.measure.scale == "ratio",
            self.goodness,
            self.scaled.for_means,
            self.measure.goodness_sign,
            independent=self.folds_of is None,
            ordinal=self.measure.is_ordinal,
        )


@dataclass(frozen=True, eq=False)
class Sample:
    """One value per data set and algorithm (higher is better), and the pairs to be tested.

    Values may be missing (NaN); a test on ranks never sees such rows. Each pair shares a row.
    """

    values: FloatArray
    first: IntArray
    second: IntArray

    floored: BoolArray | None = None

    @property
    def for_means(self) -> FloatArray:
        """The values that enter means: not those at the floor of a ratio scale."""
        return self.values if self.floored is None else np.where(self.floored, np.nan, self.values)

    @cached_property
    def ranks(self) -> FloatArray:
        """The ranks on each data set, 1 the best; of complete rows, as tests on ranks need them."""
        return average_ranks(-self.values)

    @cached_property
    def mean_ranks(self) -> FloatArray:
        """The mean ranks, allowing for whom each has met; NaN for one that has met no other."""
        return adjusted_mean_ranks(*ranks_of_present(-self.values))
