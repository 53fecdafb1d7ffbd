"""What a table holds, in short, for whoever looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from palio.measures import Measure
from palio.results import Result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AlgorithmSummary", "Gaps", "TableSummary"]


class AlgorithmSummary(NamedTuple):
    """An algorithm of a table: its means over the data sets; NaN where it has no value at all."""

    algorithm: str
    mean_score: float
    costs: Mapping[str, float]
    missing: int


class Gaps(NamedTuple):
    """How many cells lack a score, and what was chosen to be done about it."""

    choice: str
    cells: int
    of: int


@dataclass(frozen=True)
class TableSummary(Result):
    """The size of a table, its design, and the means of each algorithm."""

    kind = "score-table"
    parts = ("size", "design", "measure", "costs", "datasets", "algorithms", "notes")

    size: str
    design: str
    measure: Measure
    costs: tuple[str, ...]
    datasets: tuple[str, ...]
    algorithms: tuple[AlgorithmSummary, ...]
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm."""
        import pandas as pd

        rows = [{**row._asdict(), **row.costs} for row in self.algorithms]
        return pd.DataFrame(rows).drop(columns="costs")
