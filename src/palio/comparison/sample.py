"""What is compared: scores, the pairs to be tested, and how far these are apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from palio.measures import Measure
from palio.stats import effects
from palio.stats.ranks import average_ranks
from palio.types import FloatArray, IntArray

_SLAB = 1 << 19


def slabs(
    values: FloatArray, first: IntArray, second: IntArray, *, keep_gaps: bool = False
) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Give which pairs of columns, and their values (pairs, rows), a slab at a time.

    All at once would hold pairs × rows several times over. Where values are missing a slab is one
    pair, on the rows that both have; ``keep_gaps`` is for those who do not mind them.
    """
    columns = np.ascontiguousarray(values.T)
    gaps = not keep_gaps and bool(np.isnan(columns).any())
    size = 1 if gaps else max(1, _SLAB // columns.shape[1])
    for start in range(0, first.size, size):
        part = slice(start, start + size)
        a, b = columns[first[part]], columns[second[part]]
        if gaps:
            both = ~np.isnan(a + b)[0]
            a, b = a[:, both], b[:, both]
        yield part, a, b


def slabs_alike(
    values: FloatArray, first: IntArray, second: IntArray
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Give which pairs of columns, and their values, those with the same gaps together.

    In no order; for tests, which take many pairs at once as quickly as one.
    """
    columns = np.ascontiguousarray(values.T)
    there = ~np.isnan(columns)
    size = max(1, _SLAB // columns.shape[1])
    for start in range(0, first.size, size):
        pairs = np.arange(start, min(start + size, first.size))
        both = there[first[pairs]] & there[second[pairs]]
        _, which, group = np.unique(
            np.packbits(both, axis=1), axis=0, return_index=True, return_inverse=True
        )
        for place, example in enumerate(which.tolist()):
            alike, rows = pairs[group.ravel() == place], both[example]
            yield alike, columns[first[alike]][:, rows], columns[second[alike]][:, rows]


@dataclass(frozen=True, slots=True)
class Effect:
    """The size of a difference between a and b, over the data sets where both have a score.

    ``difference`` is the mean of a − b in the score's own unit, with a t interval;
    ``wins``, ``ties`` and ``losses`` are a's. The rest are 0 (or ½) where nobody leads.
    """

    n: int
    wins: int
    ties: int
    losses: int
    difference: float
    interval: tuple[float, float]
    median_difference: float
    rank_biserial: float
    cliffs_delta: float
    vargha_delaney: float


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of all pairs of a comparison, each kind computed when first asked for.

    Ranks and medians are dear, mean differences are not: who asks for these alone does not wait
    for the others. Wins and ranks follow the direction; the difference keeps the score's sign. Rows
    that are not ``independent`` give a mean difference, but no t interval; those of different
    measures (``mixed``) have nobody but winners.
    """

    scores: FloatArray
    first: IntArray
    second: IntArray
    higher_is_better: bool
    independent: bool = True
    mixed: bool = False

    @cached_property
    def differences(self) -> list[tuple[float, float, float]]:
        """The mean difference of each pair, and the ends of its interval."""
        if self.mixed:
            return [(np.nan, np.nan, np.nan)] * self.first.size
        found: list[tuple[float, float, float]] = []
        for _, a, b in slabs(self.scores, self.first, self.second):
            mean = effects.mean_difference(a, b)
            unknown = np.full_like(mean.estimate, np.nan)
            ends = (
                (mean.estimate, mean.low, mean.high)
                if self.independent
                else (mean.estimate, unknown, unknown)
            )
            found += zip(*(end.tolist() for end in ends), strict=True)
        return found

    @cached_property
    def rows(self) -> tuple[Effect, ...]:
        """All effects of each pair."""
        parts = slabs(self.scores, self.first, self.second)
        others = (row for _, a, b in parts for row in self._without_means(a, b))
        return tuple(
            Effect(n, wins, ties, losses, mean, (low, high), *sizes)
            for (mean, low, high), ((n, wins, ties, losses), sizes) in zip(
                self.differences, others, strict=True
            )
        )

    def _without_means(self, a: FloatArray, b: FloatArray) -> Iterator[tuple[Any, Any]]:
        """Give of each pair n, wins, ties and losses, and the sizes that stand on ranks."""
        sign = 1 if self.higher_is_better else -1
        good_a, good_b = sign * a, sign * b
        record = effects.win_tie_loss(good_a, good_b)
        delta = effects.cliffs_delta(good_a, good_b)
        counts = np.full(len(a), a.shape[1]), record.wins, record.ties, record.losses
        if self.mixed:
            none = np.full((len(a), 4), np.nan).tolist()
            return zip(np.stack(counts, axis=1).tolist(), none, strict=True)
        sizes = (
            effects.median_difference(a, b).estimate,
            effects.rank_biserial(good_a, good_b),
            delta,
            (delta + 1) / 2,  # Vargha and Delaney's A says the same
        )
        return zip(np.stack(counts, axis=1).tolist(), np.stack(sizes, axis=1).tolist(), strict=True)


@dataclass(frozen=True, eq=False)
class Scores:
    """What is compared: one score per data set (row) and algorithm (column).

    Where ``folds_of`` names a data set the rows are its folds.
    """

    values: FloatArray
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    measure: Measure
    folds_of: str | None = None

    @cached_property
    def goodness(self) -> FloatArray:
        """The scores, turned so that higher is better."""
        return self.measure.turned(self.values)

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

    def effects(self, first: IntArray, second: IntArray) -> Effects:
        """Return the effects of pairs of columns; nothing is computed yet."""
        return Effects(
            self.values,
            first,
            second,
            self.measure.higher_is_better,
            independent=self.folds_of is None,
            mixed=self.measure.is_mixed,
        )


@dataclass(frozen=True, eq=False)
class Sample:
    """One value per data set and algorithm (higher is better), and the pairs to be tested.

    Values may be missing (NaN); a test on ranks never sees such rows.
    """

    values: FloatArray
    first: IntArray
    second: IntArray

    @cached_property
    def ranks(self) -> FloatArray:
        """The ranks on each data set, 1 the best; made once, for whoever asks."""
        return average_ranks(-self.values)

    @property
    def mean_ranks(self) -> FloatArray:
        """The ranks averaged over the data sets."""
        return np.asarray(self.ranks.mean(axis=0))
