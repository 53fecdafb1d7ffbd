"""What aggregates say: one number per algorithm, with intervals, and who is likely better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from palio.comparison.aggregates.normalising import Scaled
from palio.comparison.aggregates.sample import Draws, Sample, pool_places
from palio.comparison.board import pairs_that_matter
from palio.measures import Measure
from palio.registry import unknown_name
from palio.results import Result, Topped
from palio.stats.ranks import TIE_TOLERANCE
from palio.types import FloatArray
from palio.words import count, listed

if TYPE_CHECKING:
    import pandas as pd

Over: TypeAlias = Literal["datasets", "runs"]

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


class Curve(NamedTuple):
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
    curves: Mapping[str, Curve]


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
    sample: Sample
    ratios: FloatArray | None
    among: tuple[int, int]
    failed: int
    notes: tuple[str, ...] = ()
    shown: int | None = field(default=None)

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
    def draws(self) -> Draws:
        """The aggregates in every resample."""
        return self.sample.drawn(self._target)

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
        found = dict(zip(self.algorithms, self.draws.whole.iqm.round(12).tolist(), strict=True))
        return tuple(sorted(found, key=lambda name: (-found[name], name)))

    @cached_property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """One row per algorithm, best first."""
        draws, scaled = self.draws, self.scaled
        first = self.algorithms.index(self.order[0])
        named = {
            name: self._estimates(getattr(draws.whole, name), getattr(draws.drawn, name))
            for name in ("iqm", "median", "mean")
        }
        gaps = scaled.shown_between(self._ends(draws.whole.gap, draws.drawn.gap))
        behind = self._ends(
            draws.whole.iqm[first] - draws.whole.iqm, draws.drawn.iqm[first] - draws.drawn.iqm
        )
        told = scaled.shown_between(behind)
        place = {name: i for i, name in enumerate(self.algorithms)}
        return tuple(
            Aggregate(
                name,
                named["iqm"][i],
                named["median"][i],
                named["mean"][i],
                None if self.target is None else Estimate(*gaps[:, i].tolist()),
                None if i == first else Estimate(*told[:, i].tolist()),
            )
            for name, i in ((name, place[name]) for name in self.order)
        )

    def _ends(self, whole: FloatArray, drawn: FloatArray) -> FloatArray:
        """Return the estimates and the ends of their intervals: (3, K)."""
        tail = (1 - self.level) / 2
        low, high = np.quantile(drawn, [tail, 1 - tail], axis=-1)
        return np.stack([whole, low, high])

    def _estimates(self, whole: FloatArray, drawn: FloatArray) -> list[Estimate]:
        value, *ends = self.scaled.shown(self._ends(whole, drawn)) + 0.0  # no minus zero
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
        whole, drawn = self.sample.improvements(places[first], places[second])
        found = self._ends(whole, drawn).T.tolist()
        return tuple(
            Improvement(self.order[i], self.order[j], *each)
            for i, j, each in zip(first.tolist(), second.tolist(), found, strict=True)
        )

    @cached_property
    def profiles(self) -> Profiles:
        """The performance profile of each algorithm, best first."""
        return _profiles(self)

    @cached_property
    def swaps(self) -> tuple[PlaceSwap, ...] | None:
        """The neighbours who change places in another pool; nothing where none can."""
        if self.scaled.said != "min-max":
            return None
        found = pool_places(self.sample, self._target)
        return tuple(
            PlaceSwap(
                aggregate,
                self.algorithms[first],
                self.algorithms[second],
                tuple(self.algorithms[i] for i in without),
            )
            for aggregate, first, second, without in found
            if aggregate != "gap" or self.gap_tells
        )

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The best, and what would be drawn anew."""
        return _sentences(self)

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

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm, best first."""
        import pandas as pd

        rows = []
        for row in self.aggregates:
            found: dict[str, object] = {"algorithm": row.algorithm}
            for name, each in zip(row._fields[1:], row[1:], strict=True):
                value, low, high = each if isinstance(each, Estimate) else (np.nan,) * 3
                found |= {name: value, f"{name}_low": low, f"{name}_high": high}
            rows.append(found)
        return pd.DataFrame(rows)


def _profiles(found: Aggregates) -> Profiles:
    sample, ratios = found.sample, found.ratios
    if ratios is None:
        values = sample.runs[~np.isnan(sample.runs)]
        low, high = np.quantile(values, [0.01, 0.99])
        beyond = 0.5 * max(abs(high), 1e-9) if high - low <= TIE_TOLERANCE * abs(high) else 0.0
        grid = np.linspace(low - beyond, high + beyond, _THRESHOLDS)
        thresholds = found.scaled.shown(grid)
    else:
        farthest = float(ratios[np.isfinite(ratios)].max())
        farthest = 2.0 if farthest <= 1.0 + TIE_TOLERANCE else min(_FARTHEST, farthest)
        thresholds = np.geomspace(1.0, farthest, _THRESHOLDS)
        # Above, and not at, is what the shares count: a ratio at a threshold is within it.
        grid = -np.nextafter(thresholds * (1 + 1e-12), np.inf)
        sample = Sample(-ratios[..., np.newaxis], True, sample.draws, sample.seed)
    curves = {}
    for name in found.order:
        whole, drawn = sample.profile(found.algorithms.index(name), grid)
        curves[name] = Curve(*map(tuple, found._ends(whole, drawn).tolist()))
    return Profiles("scores" if ratios is None else "ratios", tuple(thresholds.tolist()), curves)


def _sentences(found: Aggregates) -> tuple[str, ...]:
    best = found.aggregates[0]
    word = "highest" if found.higher_is_better else "lowest"
    low, high = (f"{end:.4g}" for end in best.iqm[1:])
    apart = (
        f"From it {listed(found.open)} {'is' if len(found.open) == 1 else 'are'} not told apart"
        if found.open
        else "The intervals tell all others from it"
    )
    anew = (
        "other data sets like these" if found.over == "datasets" else "these data sets, other runs"
    )
    failures = (
        f"On {count(found.failed, 'data set')} left out one of them failed, which does not count "
        "against it here: missing=par10 of run times, or worst, would.",
    )
    return (
        f"{best.algorithm} has the {word} interquartile mean, {best.iqm.value:.4g} ({low} to "
        f"{high}), {found.unit}.",
        f"{apart} ({found.level:.0%} intervals one by one; {anew}).".replace("%", " %"),
        *(failures if found.failed else ()),
    )
