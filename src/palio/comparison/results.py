"""What a comparison says: one test, one pair, all pairs with names on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from palio.comparison.effects import Effect, pair_effects
from palio.comparison.groups import letters
from palio.measures import Measure
from palio.results import Result
from palio.stats.means import column_means
from palio.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison", "Pair", "Scores", "TestResult"]


@dataclass(frozen=True)
class TestResult(Result):
    """The outcome of one statistical test."""

    __test__: ClassVar[bool] = False  # it is no pytest class, whatever its name
    kind = "test"
    parts = (
        "method", "hypothesis", "statistic", "df", "p_value", "n", "notes", "statistic_uncorrected",
    )  # fmt: skip

    method: str
    hypothesis: str
    statistic: float
    df: tuple[float, ...]
    p_value: float
    n: int
    statistic_uncorrected: float | None = None
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row."""
        import pandas as pd

        return pd.DataFrame([self.to_dict()]).drop(columns=["kind", "notes"])


class Pair(NamedTuple):
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

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as plain data."""
        return self._asdict()


@dataclass(frozen=True, eq=False)
class Scores:
    """What was compared: one score per data set (row) and algorithm (column)."""

    values: FloatArray
    datasets: tuple[str, ...]
    measure: Measure


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Result):
    """Who differs from whom over many data sets, and how sure we are."""

    method: str
    correction: str
    algorithms: tuple[str, ...]
    alpha: float
    mean_ranks: Mapping[str, float]
    omnibus: TestResult
    kendall_w: float
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    scores: Scores
    control: str | None = None
    critical_difference: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_datasets(self) -> int:
        """The number of data sets."""
        return len(self.scores.datasets)

    @property
    def letters(self) -> dict[str, str]:
        """The letter display: algorithms that share a letter do not differ."""
        return letters(self.groups, self.algorithms)

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """The effect sizes of the pairs, in their order; computed when first asked for."""
        column = {name: j for j, name in enumerate(self.algorithms)}
        return tuple(
            pair_effects(
                self.scores.values,
                np.array([column[pair.a] for pair in self.pairs], dtype=np.intp),
                np.array([column[pair.b] for pair in self.pairs], dtype=np.intp),
                higher_is_better=self.scores.measure.higher_is_better,
            )
        )

    def pair(self, a: str, b: str) -> Pair:
        """Return what is said of two algorithms, in whichever order they are named."""
        return next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})

    def __repr__(self) -> str:
        different = sum(pair.significant for pair in self.pairs)
        return (
            f"<Comparison: {self.method}, {self.correction}, {len(self.algorithms)} algorithms "
            f"on {self.n_datasets} data sets, {different} of {len(self.pairs)} pairs differ>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data; its keys are a public contract."""
        return {
            "kind": "comparison",
            "method": self.method,
            "correction": self.correction,
            "control": self.control,
            "measure": self.scores.measure.to_dict(),
            "algorithms": list(self.algorithms),
            "n_datasets": self.n_datasets,
            "datasets": list(self.scores.datasets),
            "alpha": self.alpha,
            "mean_ranks": dict(self.mean_ranks),
            "mean_scores": dict(
                zip(self.algorithms, column_means(self.scores.values).tolist(), strict=True)
            ),
            "omnibus": self.omnibus.to_dict(),
            "kendall_w": self.kendall_w,
            "critical_difference": self.critical_difference,
            "pairs": [
                {**pair.to_dict(), **effect.to_dict()}
                for pair, effect in zip(self.pairs, self.effects, strict=True)
            ],
            "groups": [list(group) for group in self.groups],
            "letters": self.letters,
            "scores": {
                name: self.scores.values[:, j].tolist() for j, name in enumerate(self.algorithms)
            },
            "notes": list(self.notes),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair."""
        import pandas as pd

        return pd.DataFrame(self.to_dict()["pairs"])
