"""What a comparison says: one test, one pair, all pairs with names on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from palio.results import Result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison", "Pair", "TestResult"]


@dataclass(frozen=True)
class TestResult(Result):
    """The outcome of one statistical test."""

    __test__: ClassVar[bool] = False  # it is no pytest class, whatever its name

    method: str
    hypothesis: str
    statistic: float
    df: tuple[float, ...]
    p_value: float
    n: int
    statistic_uncorrected: float | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the test as plain data."""
        summary: dict[str, Any] = {
            "kind": "test",
            "method": self.method,
            "hypothesis": self.hypothesis,
            "statistic": self.statistic,
            "df": list(self.df),
            "p_value": self.p_value,
            "n": self.n,
            "notes": list(self.notes),
        }
        if self.statistic_uncorrected is not None:
            summary["statistic_uncorrected"] = self.statistic_uncorrected
        return summary

    def to_frame(self) -> pd.DataFrame:
        """Return one row."""
        import pandas as pd

        return pd.DataFrame([self.to_dict()]).drop(columns=["kind", "notes"])


@dataclass(frozen=True)
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

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as plain data."""
        return dict(vars(self))


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Who differs from whom over many data sets, and how sure we are."""

    method: str
    algorithms: tuple[str, ...]
    n_datasets: int
    alpha: float
    mean_ranks: Mapping[str, float]
    omnibus: TestResult
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    critical_difference: float | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        different = sum(pair.significant for pair in self.pairs)
        return (
            f"<Comparison: {self.method}, {len(self.algorithms)} algorithms on "
            f"{self.n_datasets} data sets, {different} of {len(self.pairs)} pairs differ>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data; its keys are a public contract."""
        return {
            "kind": "comparison",
            "method": self.method,
            "algorithms": list(self.algorithms),
            "n_datasets": self.n_datasets,
            "alpha": self.alpha,
            "mean_ranks": dict(self.mean_ranks),
            "omnibus": self.omnibus.to_dict(),
            "critical_difference": self.critical_difference,
            "pairs": [pair.to_dict() for pair in self.pairs],
            "groups": [list(group) for group in self.groups],
            "notes": list(self.notes),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair."""
        import pandas as pd

        return pd.DataFrame([pair.to_dict() for pair in self.pairs])
