"""The resamples behind aggregates: drawn once, asked by every part of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from palio.stats.aggregates import (
    Aggregated,
    Counts,
    aggregated,
    draw_units,
    draw_within,
    exceeding,
    improvement,
    improvement_over_datasets,
    interquartile_mean,
)
from palio.stats.ranks import TIE_TOLERANCE
from palio.types import FloatArray, IntArray

# Pairs are asked together until their outcomes hold so many numbers.
_TOGETHER = 8_000_000


class Draws(NamedTuple):
    """The aggregates of all algorithms: of the table itself (K,), and in the resamples (K, B)."""

    whole: Aggregated
    drawn: Aggregated


@dataclass(frozen=True, eq=False)
class Sample:
    """Runs on one scale, higher is better, (S, K, R) with NaN where there are fewer.

    ``of_datasets`` says that data sets are drawn, each with its one value; else runs within them.
    """

    runs: FloatArray
    of_datasets: bool
    draws: int
    seed: int
    _own: dict[int, Counts] = field(default_factory=dict, init=False)

    @cached_property
    def sizes(self) -> IntArray:
        """How many runs each algorithm has on each data set: (S, K)."""
        return np.asarray((~np.isnan(self.runs)).sum(axis=-1))

    def values(self, algorithm: int) -> FloatArray:
        """Return the runs of an algorithm, data set by data set."""
        own = self.runs[:, algorithm]
        return own[~np.isnan(own)]

    @cached_property
    def _shared(self) -> Counts:
        return draw_units(len(self.runs), self.draws, np.random.default_rng(self.seed))

    def counts(self, algorithm: int) -> Counts:
        """Return how often each value of an algorithm is in each resample.

        Of data sets all algorithms have the same draws: what is easy is easy for all. Runs are of
        each algorithm by itself, from a stream of its own, so that the pairs see the same draws.
        """
        if self.of_datasets:
            return self._shared
        if algorithm not in self._own:
            rng = np.random.default_rng([self.seed, algorithm])
            self._own[algorithm] = draw_within(self.sizes[:, algorithm], self.draws, rng)
        return self._own[algorithm]

    def drawn(self, target: float) -> Draws:
        """Return the aggregates of all algorithms, in the table and in the resamples."""
        whole, drawn = [], []
        for j in range(self.runs.shape[1]):
            values, sizes = self.values(j), self.sizes[:, j]
            once = np.ones((values.size, 1), dtype=np.float32)
            whole.append([each[0] for each in aggregated(values, sizes, once, target)])
            drawn.append(aggregated(values, sizes, self.counts(j), target))
        return Draws(
            Aggregated(*np.array(whole).T),
            Aggregated(*(np.stack(each) for each in zip(*drawn, strict=True))),
        )

    def improvements(self, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the probability that one is better than another: (pairs,) and (pairs, draws)."""
        if self.of_datasets:
            return self._won(first, second)
        whole, drawn = [], []
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            values, sizes = (self.values(a), self.values(b)), (self.sizes[:, a], self.sizes[:, b])
            once = (_once(values[0]), _once(values[1]))
            whole.append(improvement(*values, sizes, once)[0])
            drawn.append(improvement(*values, sizes, (self.counts(a), self.counts(b))))
        return np.array(whole), np.array(drawn)

    def _won(self, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        values = self.runs[..., 0]
        once, step = _once(values[:, 0]), max(1, _TOGETHER // len(values))
        pieces = [
            (
                improvement_over_datasets(values[:, a], values[:, b], once)[:, 0],
                improvement_over_datasets(values[:, a], values[:, b], self._shared),
            )
            for start in range(0, first.size, step)
            for a, b in [(first[start : start + step], second[start : start + step])]
        ]
        whole, drawn = (np.concatenate(each) for each in zip(*pieces, strict=True))
        return whole, drawn

    def profile(self, algorithm: int, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the share above each threshold: (T,), and in each resample (T, draws)."""
        values, sizes = self.values(algorithm), self.sizes[:, algorithm]
        return (
            exceeding(values, sizes, _once(values), thresholds)[:, 0],
            exceeding(values, sizes, self.counts(algorithm), thresholds),
        )


def _once(values: FloatArray) -> Counts:
    return np.ones((values.size, 1), dtype=np.float32)


class _Swap(NamedTuple):
    aggregate: str
    first: int
    second: int
    without: list[int]


def pool_places(sample: Sample, target: float) -> Iterator[_Swap]:
    """Find the neighbours by an aggregate of min-max scores who change places in another pool.

    Each algorithm is left out in turn and the others are scaled anew: only those that are the best
    or the worst somewhere can make a difference.
    """
    whole = _of_all(sample.runs, target)
    places = {name: _neighbours(values) for name, values in whole._asdict().items()}
    means = np.nanmean(sample.runs, axis=-1)
    ends = np.concatenate([means.argmin(axis=1), means.argmax(axis=1)])
    without: dict[tuple[str, int, int], list[int]] = {}
    for one in np.unique(ends).tolist():
        others = np.delete(np.arange(means.shape[1]), one)
        if others.size < 2:
            continue
        anew = _scaled_anew(sample.runs[:, others], means[:, others])
        if not len(anew):
            continue
        found = _of_all(anew, target)
        for name, (upper, lower) in places.items():
            values = np.insert(getattr(found, name), one, np.nan)
            for i, j in zip(upper.tolist(), lower.tolist(), strict=True):
                if values[j] > values[i] + TIE_TOLERANCE:
                    without.setdefault((name, i, j), []).append(one)
    for (name, i, j), those in without.items():
        yield _Swap(name, i, j, those)


def _of_all(runs: FloatArray, target: float) -> Aggregated:
    """Return the aggregates of all algorithms, gap turned so that higher is better."""
    means = np.nanmean(runs, axis=-1)
    short = np.nanmean(np.minimum(runs, target), axis=-1)
    pooled = (
        interquartile_mean(means, axis=0)
        if runs.shape[-1] == 1
        else np.array([interquartile_mean(each[~np.isnan(each)]) for each in runs.swapaxes(0, 1)])
    )
    return Aggregated(pooled, np.median(means, axis=0), means.mean(axis=0), short.mean(axis=0))


def _neighbours(values: FloatArray) -> tuple[IntArray, IntArray]:
    """Return those next to each other, best first, who do not tie."""
    order = np.argsort(-values, kind="stable")
    apart = values[order[:-1]] > values[order[1:]] + TIE_TOLERANCE
    return order[:-1][apart], order[1:][apart]


def _scaled_anew(runs: FloatArray, means: FloatArray) -> FloatArray:
    """Scale to 0 … 1 among those who are left; without data sets on which they are all the same."""
    low, high = means.min(axis=1), means.max(axis=1)
    kept = high - low > TIE_TOLERANCE * np.maximum(np.abs(low), np.abs(high))
    span = (high - low)[kept, np.newaxis, np.newaxis]
    return np.asarray((runs[kept] - low[kept, np.newaxis, np.newaxis]) / span)
