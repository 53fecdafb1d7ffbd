"""What a check of an audit looks at, and what it finds: a table, and a sentence per finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from palio.comparison.pair_tests import Procedure
from palio.comparison.pools import PoolCount
from palio.comparison.results import Comparison
from palio.registry import unknown_name
from palio.results import Result
from palio.types import BoolArray, FloatArray

if TYPE_CHECKING:
    import pandas as pd


class LeftOut(NamedTuple):
    """A pair, its verdict, and the data sets without any one of which it is another."""

    a: str
    b: str
    significant: bool
    flips_without: tuple[str, ...]


class ByConvention(NamedTuple):
    """A pair, and which of the conventions call it different."""

    a: str
    b: str
    significant: int
    conventions: int
    by: Mapping[str, bool]


class ErrorRate(NamedTuple):
    """The share of simulated tables in which a procedure tells equal algorithms apart."""

    test: str
    correction: str
    situation: str
    error: float
    trials: int


class Skewness(NamedTuple):
    """A pair, and the test of whether its differences are symmetric."""

    a: str
    b: str
    p_value: float
    skewed: bool


class NearCopy(NamedTuple):
    """An algorithm that is mostly right beside another, and the pairs judged otherwise without it.

    ``neighbours`` is the share of data sets on which nobody is between the two.
    """

    copy: str
    of: str
    neighbours: float
    changed: tuple[tuple[str, str], ...]


CheckRow: TypeAlias = PoolCount | LeftOut | ByConvention | ErrorRate | Skewness | NearCopy


@dataclass(frozen=True)
class CheckReport:
    """One check: the question, what was found, and the rows it rests on.

    ``affected`` are the pairs whose verdict the check casts doubt on.
    """

    name: str
    question: str
    findings: tuple[str, ...]
    rows: tuple[CheckRow, ...] = ()
    affected: frozenset[frozenset[str]] = frozenset()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False, eq=False)
class Audit(Result):
    """Which verdicts of a comparison would change, and why."""

    kind = "audit"
    parts = (
        "algorithms", "n_datasets", "test", "correction", "alpha", "significant", "sound", "checks",
        "notes",
    )  # fmt: skip

    comparison: Comparison
    checks: tuple[CheckReport, ...]
    notes: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> CheckReport:
        found = {check.name: check for check in self.checks}
        if name not in found:
            raise unknown_name("check", name, found)
        return found[name]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms."""
        return self.comparison.algorithms

    @property
    def n_datasets(self) -> int:
        """The number of data sets."""
        return self.comparison.n_datasets

    @property
    def test(self) -> str:
        """The test of the audited comparison."""
        return self.comparison.method

    @property
    def correction(self) -> str:
        """Its correction for many pairs."""
        return self.comparison.correction

    @property
    def alpha(self) -> float:
        """Its significance level."""
        return self.comparison.alpha

    @property
    def significant(self) -> tuple[tuple[str, str], ...]:
        """The pairs that differ significantly."""
        return tuple((pair.a, pair.b) for pair in self.comparison.pairs if pair.significant)

    @property
    def sound(self) -> tuple[tuple[str, str], ...]:
        """The pairs that differ significantly and that no check casts doubt on."""
        doubtful = frozenset().union(*(check.affected for check in self.checks))
        return tuple(pair for pair in self.significant if frozenset(pair) not in doubtful)

    def __repr__(self) -> str:
        findings = sum(len(check.findings) for check in self.checks)
        return (
            f"<Audit: {findings} findings in {len(self.checks)} checks; {len(self.sound)} of "
            f"{len(self.significant)} significant pairs are beyond doubt>"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per finding."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"check": check.name, "finding": finding}
                for check in self.checks
                for finding in check.findings
            ],
            columns=["check", "finding"],
        )


@dataclass(frozen=True, eq=False)
class Context:
    """A comparison, and the complete values behind it (higher is better)."""

    comparison: Comparison
    procedure: Procedure
    goodness: FloatArray
    datasets: tuple[str, ...]
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms."""
        return self.comparison.algorithms

    @property
    def alpha(self) -> float:
        """The significance level."""
        return self.comparison.alpha

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs, in the order of `different`."""
        first, second = np.triu_indices(len(self.names), 1)
        return [
            (self.names[i], self.names[j])
            for i, j in zip(first.tolist(), second.tolist(), strict=True)
        ]

    def different(self, goodness: FloatArray | None = None) -> BoolArray:
        """Return which pairs the audited procedure calls different, on other rows perhaps."""
        return self.procedure.different(self.goodness if goodness is None else goodness)
