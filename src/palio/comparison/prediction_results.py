"""What tests on predictions say: pairs, one test, wins, or a convex hull, with names on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from palio.comparison.pairs import Pair, TestResult
from palio.results import Paired, Result

if TYPE_CHECKING:
    import pandas as pd

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Discordance(Pair):
    """A pair, the instances that only one of the two classifies correctly, and the test used."""

    only_a: int
    only_b: int
    exact: bool


class Selected(NamedTuple):
    """An algorithm's wins, and its chance of the most wins on as many fresh instances."""

    algorithm: str
    wins: float
    chance: float


@dataclass(frozen=True)
class RocLine:
    """The ROC curve of an algorithm, its area, and the slopes for which it is on the hull."""

    false_positive_rate: tuple[float, ...]
    true_positive_rate: tuple[float, ...]
    auc: float
    ranges: tuple[Range, ...]


@dataclass(frozen=True)
class HullCorner:
    """A corner of the hull: who is there at which threshold, and when it is optimal.

    ``slopes`` are those of the iso-performance lines, ``cost_ratios`` the costs of a false positive
    over those of a false negative at the share of positives among the instances; a range without
    end is infinite.
    """

    false_positive_rate: float
    true_positive_rate: float
    slopes: Range
    cost_ratios: Range
    thresholds: Mapping[str, float]


@dataclass(frozen=True)
class RocAnalysis:
    """The curves of all algorithms, and the convex hull over them from (0, 0) to (1, 1)."""

    parts: ClassVar[tuple[str, ...]] = (
        "positive", "positives", "negatives", "curves", "on_hull", "hull", "hull_auc",
    )  # fmt: skip

    positive: str
    positives: int
    negatives: int
    curves: Mapping[str, RocLine]
    hull: tuple[HullCorner, ...]
    hull_auc: float

    @property
    def on_hull(self) -> tuple[str, ...]:
        """The algorithms that are optimal for some class distribution and costs."""
        return tuple(name for name, line in self.curves.items() if line.ranges)

    @property
    def by_area(self) -> tuple[str, ...]:
        """The algorithms, the largest area under the curve first."""
        return tuple(sorted(self.curves, key=lambda name: -self.curves[name].auc))

    @property
    def optimal_corners(self) -> tuple[HullCorner, ...]:
        """The corners that are optimal for something: not one that the hull leaves at once."""
        return tuple(corner for corner in self.hull if corner.slopes[0] != corner.slopes[1])


@dataclass(frozen=True, repr=False)
class PredictionComparison(Paired, Result):
    """Several algorithms compared on the same test instances.

    ``discordances`` (McNemar's test), ``test`` (tests of all at once), ``selection`` with ``test``
    (the multinomial selection procedure) or ``roc`` hold the answer; the others are empty.
    """

    kind = "prediction-comparison"
    parts = (
        "method", "correction", "alpha", "n", "algorithms", "accuracies", "pairs", "test",
        "selection", "roc", "notes",
    )  # fmt: skip

    method: str
    alpha: float
    n: int
    accuracies: Mapping[str, float]
    correction: str | None = None
    discordances: tuple[Discordance, ...] = ()
    test: TestResult | None = None
    selection: tuple[Selected, ...] = ()
    roc: RocAnalysis | None = None
    notes: tuple[str, ...] = ()

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms."""
        return tuple(self.accuracies)

    @property
    def pairs(self) -> tuple[Discordance, ...]:
        """What is said of each pair, where the test is one of pairs."""
        return self.discordances

    @property
    def n_different(self) -> int:
        """The number of pairs that differ significantly."""
        return sum(pair.significant for pair in self.pairs)

    @property
    def most_wins(self) -> tuple[str, ...]:
        """Those with the most wins; several where they are level."""
        most = max((each.wins for each in self.selection), default=0.0)
        return tuple(each.algorithm for each in self.selection if most - each.wins < 1e-9)

    @property
    def best_first(self) -> tuple[str, ...]:
        """The algorithms, most accurate first; by wins or area where these are the answer."""
        if self.roc is not None:
            return self.roc.by_area
        value = {**self.accuracies, **{each.algorithm: each.wins for each in self.selection}}
        return tuple(sorted(value, key=lambda name: -value[name]))

    def pair(self, a: str, b: str) -> Discordance:
        """Return what is said of two algorithms, in whichever order they are named."""
        return next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})

    def __repr__(self) -> str:
        return f"<PredictionComparison: {self.method} on {self.n} instances, {self._verdict()}>"

    def _verdict(self) -> str:
        if self.roc is not None:
            return f"on the hull: {', '.join(self.roc.on_hull) or 'none'}"
        if self.test is not None:
            return f"p = {self.test.p_value:.3g}"
        return f"{self.n_different} of {len(self.pairs)} pairs differ"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, or per algorithm where the test is not one of pairs."""
        import pandas as pd

        if self.discordances:
            return pd.DataFrame([asdict(each) for each in self.discordances])
        frame = pd.DataFrame(
            {"algorithm": self.algorithms, "accuracy": list(self.accuracies.values())}
        )
        if self.selection:
            return frame.merge(pd.DataFrame(self.selection), on="algorithm")
        if self.roc is not None:
            lines = self.roc.curves.values()
            frame["auc"] = [line.auc for line in lines]
            frame["on_hull"] = [bool(line.ranges) for line in lines]
        return frame
