"""What aggregates say: one number per algorithm, with intervals, and who is likely better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from palio.comparison.aggregates.normalising import Scaled, between_ends
from palio.comparison.board import pairs_that_matter
from palio.measures import Measure
from palio.registry import unknown_name
from palio.results import Result, Topped
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
from palio.words import count, listed

Over: TypeAlias = Literal["datasets", "runs"]

TITLES = {
    "iqm": "interquartile mean",
    "median": "median",
    "mean": "mean",
    "gap": "optimality gap",
}
"""What the aggregates are called, by their names in a row."""

_THRESHOLDS = 101
# A factor of the best beyond which a performance profile is not drawn.
_FARTHEST = 1e4


class Estimate(NamedTuple):
    """A number, and the ends of its interval."""

    value: float
    low: float
    high: float


class Aggregate(NamedTuple):
    """The aggregates of one algorithm.

    ``behind`` is by how much its interquartile mean is worse than that of the first; where the
    interval holds 0 (1 for ratios) the two are not told apart.
    """

    algorithm: str
    iqm: Estimate
    median: Estimate
    mean: Estimate
    gap: Estimate | None
    behind: Estimate | None


class Improvement(NamedTuple):
    """The probability that a is better than b on a data set at random, with its interval."""

    a: str
    b: str
    probability: float
    low: float
    high: float


class Profile(NamedTuple):
    """A performance profile: the share at each threshold, with the ends of its interval."""

    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Profiles:
    """Performance profiles: at each threshold the share of data sets that reach it.

    Of ``scores`` it is the share above the threshold (below, where lower is better); of ``ratios``
    the share on which the algorithm needs no more than that factor of the best.
    """

    of: Literal["scores", "ratios"]
    thresholds: tuple[float, ...]
    curves: Mapping[str, Profile]


class PlaceSwap(NamedTuple):
    """Two neighbours by an aggregate who change places without any one of some algorithms."""

    aggregate: str
    first: str
    second: str
    without: tuple[str, ...]


@dataclass(frozen=True, repr=False, eq=False)
class Aggregates(Topped, Result):
    """Interquartile mean, median, mean and optimality gap of each algorithm, with intervals.

    It is what :func:`palio.aggregate` returns.

    Attributes
    ----------
    algorithms, datasets, measure
        What was aggregated: the algorithms, over the data sets that all of them have.
    over
        What is drawn anew for the intervals: ``datasets`` or ``runs``.
    target
        For the optimality gap, if there is one.
    level, n_resamples, seed
        The confidence of the intervals, how many times was drawn, and from which seed.
    scaled, sample, ratios
        The scores on one scale, the resamples of them, and what performance profiles are of where
        scores were not normalised.
    among
        How many algorithms and data sets the table has, of which these are those without a gap.
    failed
        On how many of the data sets left out one of the algorithms failed.
    shown
        How many rows a text shows.
    notes
        The conventions that were used.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> found = palio.aggregate(table, normalise="min-max", n_resamples=200)
    >>> found.order[:3]
    ('svr', 'svl', 'mlp')
    >>> [round(end, 2) for end in found.of("svr").iqm]
    [0.95, 0.9, 0.98]
    >>> found.to_frame()[["algorithm", "iqm", "mean"]].round(2).head(2)
      algorithm   iqm  mean
    0       svr  0.95  0.88
    1       svl  0.86  0.76
    """

    kind = "aggregates"
    parts = (
        "algorithms", "measure", "n_datasets", "n_runs", "among", "failed", "over", "normalised",
        "unit", "target", "level", "n_resamples", "seed", "sentences", "order", "aggregates",
        "pairs", "profiles", "swaps", "notes",
    )  # fmt: skip

    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    measure: Measure
    over: Over
    target: float | None
    level: float
    n_resamples: int
    seed: int
    scaled: Scaled
    sample: Resamples
    ratios: FloatArray | None
    among: tuple[int, int]
    failed: int
    notes: tuple[str, ...] = ()
    shown: int | None = None

    @property
    def n_datasets(self) -> int:
        """The number of data sets that the aggregates are over."""
        return len(self.datasets)

    @property
    def n_runs(self) -> tuple[int, int]:
        """How many runs an algorithm has on a data set: the fewest and the most."""
        return int(self.sample.sizes.min()), int(self.sample.sizes.max())

    @property
    def normalised(self) -> str:
        """By what the scores were brought to one scale."""
        return self.scaled.said

    @property
    def unit(self) -> str:
        """What the numbers are."""
        return self.scaled.unit

    @property
    def higher_is_better(self) -> bool:
        """Whether higher numbers are better, as shown."""
        return not self.scaled.turned

    @cached_property
    def draws(self) -> Aggregated:
        """The aggregates of the table, and of every resample: (K, 1 + B)."""
        return self.sample.aggregated(self._target)

    @cached_property
    def gap_tells(self) -> bool:
        """Whether the gap says more than the mean: some score is beyond the target."""
        runs = self.sample.runs
        return self.target is not None and bool((runs > self._target + TIE_TOLERANCE).any())

    @property
    def _target(self) -> float:
        return float("nan") if self.target is None else self.scaled.hidden(self.target)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The algorithms by interquartile mean, best first; equal ones by name."""
        found = dict(zip(self.algorithms, self.draws.iqm[:, 0].round(12).tolist(), strict=True))
        return tuple(sorted(found, key=lambda name: (-found[name], name)))

    @cached_property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """One row per algorithm, best first."""
        draws, place = self.draws, {name: i for i, name in enumerate(self.algorithms)}
        first = place[self.order[0]]
        iqm, median, mean = (self._estimates(each) for each in draws[:3])
        gap, behind = (
            self.scaled.shown_between(self._ends(each)).T.tolist()
            for each in (draws.gap, draws.iqm[first] - draws.iqm)
        )
        return tuple(
            Aggregate(
                name,
                iqm[i],
                median[i],
                mean[i],
                None if self.target is None else Estimate(*gap[i]),
                None if i == first else Estimate(*behind[i]),
            )
            for name, i in ((name, place[name]) for name in self.order)
        )

    def _ends(self, found: FloatArray) -> FloatArray:
        """Return the estimates, those of the table, and the ends of their intervals: (3, …)."""
        tail = (1 - self.level) / 2
        low, high = np.quantile(found[..., 1:], [tail, 1 - tail], axis=-1)
        return np.stack([found[..., 0], low, high])

    def _estimates(self, found: FloatArray) -> list[Estimate]:
        value, *ends = self.scaled.shown(self._ends(found)) + 0.0  # no minus zero
        low, high = np.sort(ends, axis=0)  # turned scores have them the other way round
        return [Estimate(*each) for each in np.stack([value, low, high], axis=1).tolist()]

    @cached_property
    def open(self) -> tuple[str, ...]:
        """Those whose interquartile mean is not told from that of the first."""
        none = 1.0 if self.scaled.ratios else 0.0
        return tuple(
            row.algorithm
            for row in self.aggregates
            if row.behind is not None and row.behind.low <= none <= row.behind.high
        )

    @cached_property
    def pairs(self) -> tuple[Improvement, ...]:
        """Who is likely better than whom, the better by interquartile mean first.

        All pairs of few algorithms; of more than 30 the neighbours and those of the first ten.
        """
        places = np.array([self.algorithms.index(name) for name in self.order])
        first, second = np.triu_indices(len(places), 1)
        matter = pairs_that_matter(first, second, len(places))
        first, second = first[matter], second[matter]
        found = self._ends(self.sample.improvements(places[first], places[second])).T.tolist()
        return tuple(
            Improvement(self.order[i], self.order[j], *each)
            for i, j, each in zip(first.tolist(), second.tolist(), found, strict=True)
        )

    @cached_property
    def profiles(self) -> Profiles:
        """The performance profile of each algorithm, best first."""
        sample, ratios = self.sample, self.ratios
        if ratios is None:
            values = sample.runs[~np.isnan(sample.runs)]
            low, high = np.quantile(values, [0.01, 0.99])
            beyond = 0.5 * max(abs(high), 1e-9) if high - low <= TIE_TOLERANCE * abs(high) else 0.0
            grid = np.linspace(low - beyond, high + beyond, _THRESHOLDS)
            thresholds = self.scaled.shown(grid)
        else:
            farthest = float(ratios[np.isfinite(ratios)].max())
            farthest = 2.0 if farthest <= 1.0 + TIE_TOLERANCE else min(_FARTHEST, farthest)
            thresholds = np.geomspace(1.0, farthest, _THRESHOLDS)
            # Above, and not at, is what the shares count: a ratio at a threshold is within it.
            grid = -np.nextafter(thresholds * (1 + 1e-12), np.inf)
            sample = Resamples(-ratios[..., np.newaxis], True, sample.draws, sample.seed)
        curves = {}
        for name in self.order:
            shares = self._ends(sample.exceeding(self.algorithms.index(name), grid))
            curves[name] = Profile(*map(tuple, shares.tolist()))
        of: Literal["scores", "ratios"] = "scores" if ratios is None else "ratios"
        return Profiles(of, tuple(thresholds.tolist()), curves)

    @cached_property
    def swaps(self) -> tuple[PlaceSwap, ...] | None:
        """The neighbours who change places in another pool; nothing where none can.

        Each algorithm is left out in turn and the others are scaled anew: only those that are the
        best or the worst somewhere can make a difference.
        """
        if self.scaled.said != "min-max":
            return None
        runs, names = self.sample.runs, self.algorithms
        means = np.nanmean(runs, axis=-1)
        neighbours = {key: _neighbours(each) for key, each in self._goodness(runs).items()}
        without: dict[tuple[str, int, int], list[str]] = {}
        for one in np.union1d(means.argmin(axis=1), means.argmax(axis=1)).tolist():
            others = np.delete(means, one, axis=1)
            if others.shape[1] < 2:
                continue
            ends = others.min(axis=1), others.max(axis=1)
            anew, kept = between_ends(np.delete(runs, one, axis=1), *ends)
            found = self._goodness(anew) if kept.any() else {}
            for key, values in found.items():
                then = np.insert(values, one, np.nan)
                for i, j in neighbours[key]:
                    if then[j] > then[i] + TIE_TOLERANCE:
                        without.setdefault((key, i, j), []).append(names[one])
        return tuple(
            PlaceSwap(key, names[i], names[j], tuple(those))
            for (key, i, j), those in without.items()
        )

    def _goodness(self, runs: FloatArray) -> dict[str, FloatArray]:
        """Return the aggregates of all algorithms, higher is better; for the gap, what is there.

        All at once, as this is asked of many pools.
        """
        means = np.nanmean(runs, axis=-1)
        if runs.shape[-1] == 1:
            iqm = interquartile_mean(means, axis=0)
        else:
            pooled = (each[~np.isnan(each)] for each in runs.swapaxes(0, 1))
            iqm = np.array([interquartile_mean(each) for each in pooled])
        found = {"iqm": iqm, "median": np.median(means, axis=0), "mean": means.mean(axis=0)}
        if self.gap_tells:
            found["gap"] = np.nanmean(np.minimum(runs, self._target), axis=-1).mean(axis=0)
        return found

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The best, and what would be drawn anew."""
        best = self.aggregates[0]
        word = "highest" if self.higher_is_better else "lowest"
        low, high = (f"{end:.4g}" for end in best.iqm[1:])
        apart = (
            f"From it {listed(self.open)} {'is' if len(self.open) == 1 else 'are'} not told apart"
            if self.open
            else "The intervals tell all others from it"
        )
        of_datasets = self.over == "datasets"
        anew = "other data sets like these" if of_datasets else "these data sets, other runs"
        failures = (
            f"On {count(self.failed, 'data set')} left out one of them failed, which does not "
            "count against it here: missing=par10 of run times, or worst, would.",
        )
        return (
            f"{best.algorithm} has the {word} interquartile mean, {best.iqm.value:.4g} ({low} to "
            f"{high}), {self.unit}.",
            f"{apart} ({self.level:.0%} intervals one by one; {anew}).".replace("%", " %"),
            *(failures if self.failed else ()),
        )

    def of(self, algorithm: str) -> Aggregate:
        """Return the aggregates of an algorithm."""
        found = {row.algorithm: row for row in self.aggregates}
        if algorithm not in found:
            raise unknown_name("algorithm", algorithm, found)
        return found[algorithm]

    def __repr__(self) -> str:
        best = self.aggregates[0]
        return (
            f"<Aggregates: {len(self.algorithms)} algorithms on {self.n_datasets} data sets, "
            f"{self.normalised}; {best.algorithm} first, IQM {best.iqm.value:.4g}>"
        )

    def _frame(self) -> Any:
        """Give one row per algorithm, best first."""
        rows = []
        for row in self.aggregates:
            found: dict[str, object] = {"algorithm": row.algorithm}
            for name, each in zip(row._fields[1:], row[1:], strict=True):
                value, low, high = each if isinstance(each, Estimate) else (np.nan,) * 3
                found |= {name: value, f"{name}_low": low, f"{name}_high": high}
            rows.append(found)
        return rows


def _neighbours(values: FloatArray) -> list[tuple[int, int]]:
    """Return those next to each other, best first, who do not tie."""
    order = np.argsort(-values, kind="stable").tolist()
    return [(i, j) for i, j in pairwise(order) if values[i] > values[j] + TIE_TOLERANCE]


# --- the resamples behind aggregates --------------------------------------------------------------


# Pairs are asked together until their outcomes hold so many numbers.
_TOGETHER = 8_000_000


@dataclass(frozen=True, eq=False)
class Resamples:
    """Runs on one scale, higher is better, (S, K, R) with NaN where there are fewer.

    ``of_datasets`` says that data sets are drawn, each with its one value; else runs within them.
    What is asked is answered of the table itself first, and then of each resample.
    """

    runs: FloatArray
    of_datasets: bool
    draws: int
    seed: int

    @cached_property
    def sizes(self) -> IntArray:
        """How many runs each algorithm has on each data set: (S, K)."""
        return np.asarray((~np.isnan(self.runs)).sum(axis=-1))

    def values(self, algorithm: int) -> FloatArray:
        """Return the runs of an algorithm, data set by data set."""
        own = self.runs[:, algorithm]
        return own[~np.isnan(own)]

    @cached_property
    def _counts(self) -> dict[int, Counts]:
        return {}

    def counts(self, algorithm: int) -> Counts:
        """Return how often each value of an algorithm is in the table, once, and each resample.

        Of data sets all algorithms have the same draws: what is easy is easy for all. Runs are of
        each algorithm by itself, from a stream of its own, so that the pairs see the same draws.
        """
        key = 0 if self.of_datasets else algorithm
        if key not in self._counts:
            if self.of_datasets:
                rng = np.random.default_rng(self.seed)
                drawn = draw_units(len(self.runs), self.draws, rng)
            else:
                rng = np.random.default_rng([self.seed, algorithm])
                drawn = draw_within(self.sizes[:, algorithm], self.draws, rng)
            self._counts[key] = np.insert(drawn, 0, 1.0, axis=1)
        return self._counts[key]

    def aggregated(self, target: float) -> Aggregated:
        """Return the aggregates of all algorithms: (K, 1 + draws)."""
        found = [
            aggregated(self.values(j), self.sizes[:, j], self.counts(j), target)
            for j in range(self.runs.shape[1])
        ]
        return Aggregated(*(np.stack(each) for each in zip(*found, strict=True)))

    def improvements(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return the probability that one is better than another: (pairs, 1 + draws)."""
        if self.of_datasets:
            values, counts = self.runs[..., 0], self.counts(0)
            step = max(1, _TOGETHER // len(values))
            return np.concatenate(
                [
                    improvement_over_datasets(values[:, a], values[:, b], counts)
                    for start in range(0, first.size, step)
                    for a, b in [(first[start : start + step], second[start : start + step])]
                ]
            )
        return np.array(
            [
                improvement(
                    self.values(a),
                    self.values(b),
                    (self.sizes[:, a], self.sizes[:, b]),
                    (self.counts(a), self.counts(b)),
                )
                for a, b in zip(first.tolist(), second.tolist(), strict=True)
            ]
        )

    def exceeding(self, algorithm: int, thresholds: FloatArray) -> FloatArray:
        """Return the share above each threshold: (thresholds, 1 + draws)."""
        values, sizes = self.values(algorithm), self.sizes[:, algorithm]
        return exceeding(values, sizes, self.counts(algorithm), thresholds)
