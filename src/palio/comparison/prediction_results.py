"""What tests on predictions say: pairs, one test, wins, or a convex hull, with names on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from palio.comparison.results import Pair, TestResult
from palio.results import Result

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Discordance",
    "HullCorner",
    "PredictionComparison",
    "RocAnalysis",
    "RocLine",
    "Selected",
]

Range = tuple[float, float]


class Discordance(NamedTuple):
    """A pair, the instances that only one of the two classifies correctly, and the test used."""

    pair: Pair
    only_a: int
    only_b: int
    exact: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as plain data, with its counts."""
        counts = {"only_a": self.only_a, "only_b": self.only_b, "exact": self.exact}
        return {**self.pair.to_dict(), **counts}


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

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data."""
        return {
            "false_positive_rate": list(self.false_positive_rate),
            "true_positive_rate": list(self.true_positive_rate),
            "auc": self.auc,
            "ranges": [_plain_range(each) for each in self.ranges],
        }


@dataclass(frozen=True)
class HullCorner:
    """A corner of the hull: who is there at which threshold, and when it is optimal.

    ``slopes`` are those of the iso-performance lines, ``cost_ratios`` the costs of a false positive
    over those of a false negative at the share of positives among the instances.
    """

    false_positive_rate: float
    true_positive_rate: float
    slopes: Range
    cost_ratios: Range
    thresholds: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the corner as plain data; a range without end has none (null)."""
        return {
            "false_positive_rate": self.false_positive_rate,
            "true_positive_rate": self.true_positive_rate,
            "slopes": _plain_range(self.slopes),
            "cost_ratios": _plain_range(self.cost_ratios),
            "thresholds": dict(self.thresholds),
        }


@dataclass(frozen=True)
class RocAnalysis:
    """The curves of all algorithms, and the convex hull over them from (0, 0) to (1, 1)."""

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

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain data."""
        return {
            "positive": self.positive,
            "positives": self.positives,
            "negatives": self.negatives,
            "curves": {name: line.to_dict() for name, line in self.curves.items()},
            "on_hull": list(self.on_hull),
            "hull": [corner.to_dict() for corner in self.hull],
            "hull_auc": self.hull_auc,
        }


@dataclass(frozen=True, repr=False)
class PredictionComparison(Result):
    """Several algorithms compared on the same test instances.

    ``discordances`` (McNemar's test), ``test`` (tests of all at once), ``selection`` with ``test``
    (the multinomial selection procedure) or ``roc`` hold the answer; the others are empty.
    """

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
    def pairs(self) -> tuple[Pair, ...]:
        """What is said of each pair, where the test is one of pairs."""
        return tuple(each.pair for each in self.discordances)

    def pair(self, a: str, b: str) -> Pair:
        """Return what is said of two algorithms, in whichever order they are named."""
        return next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})

    def __repr__(self) -> str:
        return f"<PredictionComparison: {self.method} on {self.n} instances, {self._verdict()}>"

    def _verdict(self) -> str:
        if self.roc is not None:
            return f"on the hull: {', '.join(self.roc.on_hull) or 'none'}"
        if self.test is not None:
            return f"p = {self.test.p_value:.3g}"
        different = sum(pair.significant for pair in self.pairs)
        return f"{different} of {len(self.pairs)} pairs differ"

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {
            "kind": "prediction-comparison",
            "method": self.method,
            "correction": self.correction,
            "alpha": self.alpha,
            "n": self.n,
            "algorithms": list(self.algorithms),
            "accuracies": dict(self.accuracies),
            "pairs": [each.to_dict() for each in self.discordances],
            "test": None if self.test is None else self.test.to_dict(),
            "selection": [each._asdict() for each in self.selection],
            "roc": None if self.roc is None else self.roc.to_dict(),
            "notes": list(self.notes),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, or per algorithm where the test is not one of pairs."""
        import pandas as pd

        if self.discordances:
            return pd.DataFrame([each.to_dict() for each in self.discordances])
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


def _plain_range(values: Range) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]
