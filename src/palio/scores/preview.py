"""The first rows of a table with the role of each column, whether the table can be read or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import InputError
from palio.scores.columns import INDEX
from palio.scores.documents import tidied
from palio.scores.inference import OF_MEASURES, agreeing_readings, as_option, main_score, rivals_of
from palio.scores.limits import held
from palio.scores.metrics import metric_column
from palio.scores.profiles import RUNS
from palio.scores.reading import can_be_read, prepared
from palio.scores.readings import (
    Layout,
    Reading,
    TableProfile,
    explain,
    readings_of,
    run_role,
)
from palio.scores.sources import read_columns

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.scores.sources import TableSource
    from palio.scores.spec import ReadSpec
    from palio.scores.table import ScoreTable

UNUSED, OTHER = "unused", "other"
"""The roles of a column that plays no part, and of a measure that is not the one asked about."""


@dataclass(frozen=True, slots=True)
class PreviewColumn:
    """A column: its role, whether it holds numbers, and its first cells."""

    name: str
    role: str
    is_number: bool
    cells: tuple[str, ...]

    @property
    def called(self) -> str:
        """What an option calls it."""
        return self.name or INDEX


@dataclass(frozen=True, slots=True)
class Preview:
    """A table as far as it is understood.

    ``layouts`` are those that readings of it have, ``measures`` the columns or names of measures
    among which it is asked about ``score``, ``rival`` the runner-up among the readings, and ``why``
    lines on the evidence for the two.
    """

    columns: tuple[PreviewColumn, ...]
    n_rows: int
    reading: Reading
    layouts: tuple[Layout, ...]
    measures: tuple[str, ...]
    score: str | None
    rival: Reading | None
    why: tuple[str, ...]


def preview(
    source: TableSource,
    spec: ReadSpec,
    *,
    n_rows: int = 12,
    table: ScoreTable | None = None,
) -> Preview:
    """Look at a table as a spec has it read; what is wrong with the spec is left to reading.

    ``table`` is what was read by it, where it could be: that says which columns are used.

    >>> from palio import ReadSpec
    >>> seen = preview({"model": ["knn", "svm"], "zeal": [1.5, 2.5]}, ReadSpec())
    >>> [(column.name, column.role) for column in seen.columns]
    [('model', 'algorithm'), ('zeal', 'result')]
    """
    with held(spec.limits):
        read = read_columns(source, parameter="source", asked=spec.format)
        read = replace(read, decimal=spec.decimal)
        columns = tidied(read)
        used, readings = _readings(columns, spec)
        rivals = rivals_of(used, readings) if readings else []
        rival = next((each for each in rivals[:1] if each.points > 0), None)
        if rival is not None and not can_be_read(as_option(rival), read, spec):
            rival = None
    best = readings[0] if readings else Reading("long", (), (), ())
    measures = _measures(columns, best)
    score = spec.score or (main_score(measures) if measures else None)
    profiles = TableProfile(columns)
    roles = _roles(profiles, best, spec, score)
    keys = {role: [name] for role, name in spec.keys.items() if name is not None}
    if table is not None:
        keys |= {role: [name] for role, name in table.how_read.roles if role in RUNS}
        unused = set(best.results).difference(table.algorithms, table.datasets)
        if best.layout not in OF_MEASURES and unused < set(best.results):  # means and the like
            roles |= dict.fromkeys(unused, UNUSED)
    for role, names in {**keys, "algorithm": best.algorithm, "dataset": best.dataset}.items():
        roles |= dict.fromkeys(parts_of(columns, names), role)
    first = columns.take(np.arange(min(n_rows, len(columns))))
    return Preview(
        tuple(
            PreviewColumn(name, roles[name], profiles[name].is_number, _cells(first, name))
            for name in columns.names
        ),
        len(columns),
        best,
        tuple(dict.fromkeys(each.layout for each in readings)),
        measures,
        score,
        rival,
        tuple(explain([best, *rivals[:1]])) if readings else (),
    )


def _readings(columns: Columns, spec: ReadSpec) -> tuple[Columns, list[Reading]]:
    """Return the readings that the spec leaves, or all if it leaves none; and of which columns."""
    known = columns.known
    if known.source:  # an importer knows its columns
        keys = [columns.find(role, getattr(spec, role)) for role in ("algorithm", "dataset")]
        algorithm, dataset = [() if name is None else (name,) for name in keys]
        results = tuple(filter(None, [spec.score or known.score]))
        return columns, [Reading("long", algorithm, dataset, results, known.costs)]
    try:
        used, given, _ = prepared(columns, spec)
        if readings := agreeing_readings(used, given):
            return used, readings
    except InputError:
        pass
    return columns, readings_of(columns, {})


def _measures(columns: Columns, reading: Reading) -> tuple[str, ...]:
    """Return the measures that can be asked about, by their columns or by a column of names."""
    if reading.layout not in OF_MEASURES:
        return ()
    what = metric_column(columns, reading.keys)
    if what is None or len(reading.results) > 1:
        return reading.results
    return tuple(filter(None, columns.labels_or_blank(what).names))


def _roles(
    table: TableProfile, reading: Reading, spec: ReadSpec, score: str | None
) -> dict[str, str]:
    """Return the roles of columns but for the keys, by their headings, the reading, the spec."""
    roles = {name: run_role(each) or UNUSED for name, each in table.profiles.items()}
    used, others = reading.results, "result"
    if reading.layout not in OF_MEASURES and spec.results:
        used, others = spec.results, UNUSED
    elif reading.layout in OF_MEASURES and score in used:
        used, others = (score,), OTHER
    roles |= {**dict.fromkeys(reading.results, others), **dict.fromkeys(used, "result")}
    return roles | dict.fromkeys((*reading.costs, *spec.cost_columns), "cost")


def parts_of(columns: Columns, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that names are made of."""
    there = columns.values
    parts = [each for name in names for each in ([name] if name in there else name.split("+"))]
    return tuple("" if part == INDEX and "" in there else part for part in parts)


def _cells(columns: Columns, name: str) -> tuple[str, ...]:
    """Return the cells of a column as text; those that are missing are empty."""
    codes, found = columns.distinct(name)
    return tuple("" if code < 0 else str(found[code]) for code in codes.tolist())
