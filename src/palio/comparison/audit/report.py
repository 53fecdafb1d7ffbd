"""What an audit finds: for each check a table, and a plain sentence per finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from palio.comparison.results import Comparison
from palio.registry import unknown_name
from palio.results import Result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Audit", "CheckReport"]


@dataclass(frozen=True)
class CheckReport:
    """One check: the question, what was found, and the rows it rests on.

    ``affected`` are the pairs whose verdict the check casts doubt on.
    """

    name: str
    question: str
    findings: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...] = ()
    affected: frozenset[frozenset[str]] = frozenset()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain data."""
        return {
            "name": self.name,
            "question": self.question,
            "findings": list(self.findings),
            "rows": [dict(row) for row in self.rows],
            "affected": sorted(sorted(pair) for pair in self.affected),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, repr=False, eq=False)
class Audit(Result):
    """Which verdicts of a comparison would change, and why."""

    comparison: Comparison
    checks: tuple[CheckReport, ...]
    notes: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> CheckReport:
        found = {check.name: check for check in self.checks}
        if name not in found:
            raise unknown_name("check", name, found)
        return found[name]

    @property
    def sound(self) -> tuple[tuple[str, str], ...]:
        """The pairs that differ significantly and that no check casts doubt on."""
        doubtful = frozenset().union(*(check.affected for check in self.checks))
        return tuple(
            (pair.a, pair.b)
            for pair in self.comparison.pairs
            if pair.significant and frozenset((pair.a, pair.b)) not in doubtful
        )

    def __repr__(self) -> str:
        findings = sum(len(check.findings) for check in self.checks)
        different = sum(pair.significant for pair in self.comparison.pairs)
        return (
            f"<Audit: {findings} findings in {len(self.checks)} checks; {len(self.sound)} of "
            f"{different} significant pairs are beyond doubt>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as plain data."""
        comparison = self.comparison
        return {
            "kind": "audit",
            "algorithms": list(comparison.algorithms),
            "n_datasets": comparison.n_datasets,
            "test": comparison.method,
            "correction": comparison.correction,
            "alpha": comparison.alpha,
            "significant": [[pair.a, pair.b] for pair in comparison.pairs if pair.significant],
            "sound": [list(pair) for pair in self.sound],
            "checks": [check.to_dict() for check in self.checks],
            "notes": list(self.notes),
        }

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
