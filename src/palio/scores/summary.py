"""What a table holds, in short, for whoever looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from palio.measures import Measure
from palio.results import Result
from palio.words import count

if TYPE_CHECKING:
    import pandas as pd

    from palio.scores.spec import ReadSpec
    from palio.scores.table import ScoreTable


class AlgorithmSummary(NamedTuple):
    """An algorithm of a table: its means over the data sets; NaN where it has no value at all."""

    algorithm: str
    mean_score: float
    costs: Mapping[str, float]
    missing: int
    imputed: int = 0


class Gaps(NamedTuple):
    """How many cells lack a score, and what was chosen to be done about it."""

    choice: str
    cells: int
    of: int


class HowRead(NamedTuple):
    """How a table was read: by which importer or layout, and which column is what.

    ``roles`` are pairs of a role and its column; ``recognised`` are the notes that say what was
    read from names and contents, and not given; ``why`` is the evidence for the reading, and for
    the runner-up; ``spec`` is what reads it again in the same way.
    """

    source: str = ""
    roles: tuple[tuple[str, str], ...] = ()
    recognised: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    spec: ReadSpec | None = None


UNREAD = HowRead()


@dataclass(frozen=True)
class Understood(Result):
    """What was understood of a table: its names, measure, costs and design, holes, and notes.

    ``measures`` are those of each data set where they differ, ``source`` is the importer or the
    layout that was recognised, ``roles`` the columns by what they say. Where the scores of items
    are there, ``items`` is how many there are, ``clusters`` how many they lie in, and ``repeats``
    how often at most one was repeated.
    """

    kind = "reading"
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    measure: Measure
    measures: Mapping[str, Measure]
    costs: tuple[str, ...]
    design: str
    n_cells: int
    n_missing: int
    items: int | None
    clusters: int | None
    repeats: int | None
    source: str
    roles: Mapping[str, str]
    notes: tuple[str, ...]
    missing: Mapping[str, int]
    """How many data sets each algorithm lacks, of those that lack some."""

    @property
    def size(self) -> str:
        """How many data sets and algorithms there are."""
        return size_of(len(self.datasets), len(self.algorithms))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm."""
        import pandas as pd

        missing = [self.missing.get(name, 0) for name in self.algorithms]
        return pd.DataFrame({"algorithm": self.algorithms, "missing": missing})


@dataclass(frozen=True)
class TableSummary(Result):
    """The size of a table, its design, and the means of each algorithm."""

    kind = "score-table"
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


def size_of(n_datasets: int, n_algorithms: int) -> str:
    """Say how many data sets and algorithms there are."""
    return f"{count(n_datasets, 'data set')} × {count(n_algorithms, 'algorithm')}"


def understanding_of(table: ScoreTable) -> Understood:
    """Return what was understood of a table."""
    gaps = np.isnan(table.means())
    how, items = table.how_read, table.items
    repeats = None if items is None else items.repeats
    lacking = dict(zip(table.algorithms, gaps.sum(axis=0).tolist(), strict=True))
    return Understood(
        algorithms=table.algorithms,
        datasets=table.datasets,
        measure=table.measure,
        measures=table.measures,
        costs=table.cost_names,
        design=str(table.design()),
        n_cells=gaps.size,
        n_missing=int(gaps.sum()),
        items=None if items is None else items.n_items,
        clusters=None if items is None else items.n_clusters,
        repeats=None if repeats is None else int(repeats.counts.max()),
        source=how.source,
        roles=dict(how.roles),
        notes=table.notes,
        missing={name: n for name, n in lacking.items() if n},
    )


def summary_of(table: ScoreTable) -> TableSummary:
    """Return the size, the design and the means of each algorithm."""
    costs = table.mean_costs()
    own_costs = ({name: of[each] for name, of in costs.items()} for each in table.algorithms)
    missing = np.isnan(table.means()).sum(axis=0).tolist()
    imputed = table.imputed_cells().sum(axis=0).tolist()
    columns = (table.mean_scores().items(), own_costs, missing, imputed)
    return TableSummary(
        size=size_of(*table.rows.shape),
        design=str(table.design()),
        measure=table.measure,
        costs=tuple(costs),
        datasets=table.datasets,
        algorithms=tuple(
            AlgorithmSummary(*score, *rest) for score, *rest in zip(*columns, strict=True)
        ),
        notes=table.notes,
    )
