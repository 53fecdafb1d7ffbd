"""What a test says: of all together, of one pair, and of all pairs, as arrays and with names on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from palio.comparison.sample import PairEffects, RankSizes, Record
from palio.results import Result, plain
from palio.stats.outcome import Outcome
from palio.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class TestResult(Result):
    """The outcome of one statistical test.

    ``df`` are the degrees of freedom of the distribution that approximates that of the statistic;
    where ``exact`` is true, the p-value is not from it.
    """

    __test__: ClassVar[bool] = False  # it is no pytest class, whatever its name
    kind = "test"
    parts = (
        "method", "hypothesis", "statistic", "df", "p_value", "exact", "n", "notes",
        "statistic_uncorrected",
    )  # fmt: skip

    method: str
    hypothesis: str
    statistic: float
    df: tuple[float, ...]
    p_value: float
    n: int
    statistic_uncorrected: float | None = None
    exact: bool = False
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, outcome: Outcome, method: str, hypothesis: str) -> TestResult:
        """Put names on what a function of arrays returned."""
        return cls(
            method,
            hypothesis,
            statistic=float(outcome.statistic),
            df=outcome.df,
            p_value=float(outcome.p_value),
            n=int(outcome.n),
            exact=outcome.null == "exact",
        )

    def _frame(self) -> Any:
        """Give one row."""
        without = ("kind", "notes")
        return [{name: each for name, each in self.to_dict().items() if name not in without}]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two algorithms and what a test says of them.

    ``better`` is the one that is ahead, significantly or not; ``None`` where they are level.
    """

    a: str
    b: str
    statistic: float
    p_value: float
    p_adjusted: float
    significant: bool
    better: str | None

    @property
    def winner(self) -> str | None:
        """The one that is significantly better, if either is."""
        return self.better if self.significant else None

    @property
    def worse(self) -> str | None:
        """The one that is behind, significantly or not."""
        return None if self.better is None else self.b if self.better == self.a else self.a

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as plain data."""
        return plain(self)  # type: ignore[no-any-return]


def named_pairs(
    algorithms: Sequence[str], *columns: NDArray[Any]
) -> Iterator[tuple[str, str, float, float, float, bool, str | None]]:
    """Give the fields of pairs, whose last column is above 0 where the first is ahead."""
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for i, j, statistic, p_value, p_adjusted, significant, lead in rows:
        better = None if lead == 0 else algorithms[i if lead > 0 else j]
        yield algorithms[i], algorithms[j], statistic, p_value, p_adjusted, significant, better


@dataclass(frozen=True, slots=True)
class ComparedPair(Pair):
    """A pair of a comparison: what the test says of it, and how much the two differ.

    How much is worked out for all pairs at once, when first asked for; wins, the mean difference
    and its interval without the rest.
    """

    parts: ClassVar[tuple[str, ...]] = (
        "a", "b", "statistic", "p_value", "p_adjusted", "significant", "better",
        "n", "wins", "ties", "losses", "difference", "ratio", "standard_error", "estimate",
        "interval", "interval_of",
        "median_difference", "rank_biserial", "cliffs_delta", "vargha_delaney",
    )  # fmt: skip

    effects: PairEffects = field(repr=False, compare=False)
    place: int = field(repr=False, compare=False)

    @property
    def verdict(self) -> Pair:
        """What the test says, alone."""
        return Pair(
            self.a, self.b, self.statistic, self.p_value, self.p_adjusted, self.significant,
            self.better,
        )  # fmt: skip

    @property
    def difference(self) -> float:
        """The mean of a − b, in the score's own unit; of logarithms on a ratio scale; cheap."""
        return self._mean[0]

    @property
    def standard_error(self) -> float:
        """The standard error of the mean difference; cheap."""
        return self._mean[1]

    @property
    def ratio(self) -> float:
        """On a ratio scale the geometric mean of a over b, of which the difference is the log."""
        return math.exp(self.difference) if self.effects.ratios else math.nan

    @property
    def estimate(self) -> float:
        """What the test is about, estimated; what that is says ``interval_of``."""
        return self._interval[0]

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the estimate, at the level at which the pair was decided.

        It excludes 0 exactly where the two differ significantly, unless ``interval_of`` says that
        it is unadjusted.
        """
        return self._interval[1:]

    @property
    def interval_of(self) -> str:
        """What the estimate and the interval are of, in words."""
        return self.effects.interval_of

    @property
    def record(self) -> Record:
        """On how many data sets a wins, ties and loses; cheap."""
        effects, place = self.effects.around(self.place)
        return effects.records[place]

    @property
    def _mean(self) -> tuple[float, float]:
        effects, place = self.effects.around(self.place)
        return effects.means[place]

    @property
    def _interval(self) -> tuple[float, float, float]:
        effects, place = self.effects.around(self.place)
        return effects.intervals[place]

    @property
    def sizes(self) -> RankSizes:
        """How much the two differ by what stands on ranks."""
        effects, place = self.effects.around(self.place)
        return effects.sizes[place]

    @property
    def n(self) -> int:
        """The number of data sets where both have a score."""
        return self.record.n

    @property
    def wins(self) -> int:
        """On how many data sets a is better."""
        return self.record.wins

    @property
    def ties(self) -> int:
        """On how many data sets they are level."""
        return self.record.ties

    @property
    def losses(self) -> int:
        """On how many data sets b is better."""
        return self.record.losses

    @property
    def share_won(self) -> float:
        """The share of data sets on which a is better, ties half; ½ where there is none."""
        return (self.wins + self.ties / 2) / self.n if self.n else 0.5

    @property
    def median_difference(self) -> float:
        """The median of a − b, in the score's own unit."""
        return self.sizes.median_difference

    @property
    def rank_biserial(self) -> float:
        """The matched-pairs rank-biserial correlation; positive where a is better."""
        return self.sizes.rank_biserial

    @property
    def cliffs_delta(self) -> float:
        """Cliff's delta; positive where a is better."""
        return self.sizes.cliffs_delta

    @property
    def vargha_delaney(self) -> float:
        """Vargha and Delaney's A; above ½ where a is better."""
        return self.sizes.vargha_delaney


@dataclass(frozen=True, eq=False, repr=False)
class Tested:
    """What a test says of all pairs, as arrays: of a million a reader looks at few.

    ``lead`` is above 0 where the first of a pair is ahead, significantly or not.
    """

    __test__: ClassVar[bool] = False  # it is no pytest class, whatever its name

    effects: PairEffects
    statistic: FloatArray
    p_value: FloatArray
    p_adjusted: FloatArray
    significant: BoolArray
    lead: FloatArray

    @property
    def first(self) -> IntArray:
        """The first of each pair, as a column of the scores."""
        return self.effects.first

    @property
    def second(self) -> IntArray:
        """The second of each pair."""
        return self.effects.second

    @cached_property
    def sides(self) -> IntArray:
        """1 where the first of a pair is significantly better, -1 where the second is, or 0."""
        return np.asarray(np.sign(self.lead) * self.significant, dtype=np.int8)

    @property
    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.statistic, self.p_value, self.p_adjusted, self.significant, self.lead

    def named(self, algorithms: Sequence[str], some: slice) -> tuple[ComparedPair, ...]:
        """Return some of the pairs, with names on."""
        own = (self.first, self.second, *self._columns)
        rows = named_pairs(algorithms, *(each[some] for each in own))
        places = range(*some.indices(self.first.size))
        return tuple(
            ComparedPair(*row, self.effects, place) for row, place in zip(rows, places, strict=True)
        )

    def some(self, places: IntArray, algorithms: Sequence[str]) -> tuple[ComparedPair, ...]:
        """Return some of the pairs, whose effects are worked out without those of the others."""
        effects, columns = self.effects.some(places)
        few = Tested(effects, *(each[places] for each in self._columns))
        return few.named([algorithms[column] for column in columns.tolist()], slice(None))
