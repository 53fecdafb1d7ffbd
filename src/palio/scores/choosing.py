"""What of a table is asked about: rows by a column's value, algorithms and data sets by name.

Names may have the wildcards ``*``, ``?`` and ``[…]``; a name that the table has stands for itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, ParameterError
from palio.registry import unknown_name
from palio.scores.columns import Texts, plain_number
from palio.scores.vocabulary import has_role, names_measures
from palio.words import count, listed, names_in, quoted

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.scores.rows import Rows
    from palio.scores.spec import Names, Where
    from palio.scores.table import ScoreTable
    from palio.types import BoolArray


# --- columns -------------------------------------------------------------------------------


def with_joined(columns: Columns, names: Sequence[str | None]) -> Columns:
    """Return the columns with those made that are called by several with + between them.

    >>> from palio.scores.sources import read_columns
    >>> columns = read_columns({"name": ["svm", "svm"], "C": [1, 10]}, parameter="source")
    >>> with_joined(columns, ["name+C"]).coded("name+C").names
    ('svm / 1', 'svm / 10')
    """
    for name in names:
        if not isinstance(name, str) or "+" not in name or name.strip() in columns.values:
            continue
        parts = [columns.existing("column", part) for part in name.split("+")]
        coded = [columns.coded(part) for part in parts]
        what = [part for part in parts if names_measures(part)]
        between = " " if what else " / "  # Higgs AUC; svm / 10
        cells = [between.join(each.name(row) for each in coded) for row in range(len(columns))]
        gone = [part for part in parts if part not in what]
        kept = {key: each for key, each in columns.values.items() if key not in gone}
        columns = replace(columns, values={name: Texts(cells), **kept})
    return columns


_DITTO = frozenset({".", '"', "''", "〃", "″", "”", "-//-", "ditto"})


def with_names_filled(columns: Columns) -> Columns:
    """Return the columns with the name above where a cell of names says "as above".

    It does by a mark; in a table of a document also by being empty, as merged cells are there.
    """
    values, told = dict(columns.values), []
    is_document = bool(columns.context.prose or columns.context.heading)
    for name in columns.names:
        cells = columns.labels_or_blank(name)
        gaps = np.array([text in _DITTO or (is_document and not text) for text in cells.names])
        if not columns.numbers(name).has_text or not gaps[cells.codes].any():
            break  # names come first, and those behind a column without gaps are no groups
        gone = gaps[cells.codes]
        if gone[0] or gone.all():
            break
        above = np.maximum.accumulate(np.where(gone, 0, np.arange(gone.size)))
        values[name] = Texts([cells.name(row) for row in above.tolist()])
        told.append(name)
    if not told:
        return columns
    note = f"Empty cells and marks for the same as above are filled in: {listed(told)}."
    return replace(columns, values=values, notes=(*columns.notes, note))


def with_names_apart(columns: Columns, names: Sequence[str], duplicates: str) -> Columns:
    """Return a board whose algorithms have a name each: of one name, the second is ``name (2)``.

    Rows that agree throughout are copies, and ``duplicates`` may say what to make of the others.
    """
    places = columns.places(names)
    if duplicates != "error" or np.unique(places).size == len(columns):
        return columns
    whole = columns.places(columns.names)
    number = np.zeros(len(columns), dtype=np.intp)
    for place in np.flatnonzero(np.bincount(places) > 1).tolist():
        rows = np.flatnonzero(places == place)
        different = list(dict.fromkeys(whole[rows].tolist()))
        number[rows] = [different.index(each) for each in whole[rows].tolist()]
    cells = columns.labels_or_blank(names[-1])
    named = [
        f"{cells.name(row)} ({number[row] + 1})" if number[row] else cells.name(row)
        for row in range(len(columns))
    ]
    twice = list(dict.fromkeys(cells.name(row) for row in np.flatnonzero(number).tolist()))
    if not twice:
        return columns
    note = f"Several rows have one name, and are kept apart as NAME (2): {listed(twice, limit=5)}."
    values = {**columns.values, names[-1]: Texts(named)}
    return replace(columns, values=values, notes=(*columns.notes, note))


def where_rows(columns: Columns, where: Where | None, named: Sequence[str | None]) -> Columns:
    """Return the rows that have one of the values asked for in each of the columns asked about.

    A column that then has one value tells nothing any more, and is left out unless it is
    ``named`` otherwise or names algorithms or data sets.
    """
    conditions = _conditions(where)
    if not conditions:
        return columns
    size, told = len(columns), []
    for asked, values in conditions.items():
        name = columns.existing("where", asked)
        there = columns.labels_or_blank(name)
        keep = np.array([any(_is(label, value) for value in values) for label in there.names])
        if not keep.any():
            raise CellError(
                "where",
                f"no row of {columns.origin.name} has {name}={' or '.join(values)}",
                remedy=f"It has {quoted(there.names, limit=10)}",
            )
        items = columns.items if _names_things(name) else None
        columns = replace(columns.take(keep[there.codes]), items=items)
        told.append(f"{name} is {' or '.join(values)}")
        if keep.sum() == 1 and name not in named and not _is_needed(name):
            rest = {key: each for key, each in columns.values.items() if key != name}
            columns = replace(columns, values=rest)
    if not len(columns):
        raise CellError("where", f"no row has {' and '.join(told)}", remedy="Ask for less")
    note = f"Only rows where {' and '.join(told)}: {len(columns)} of {size}."
    return replace(columns, notes=(*columns.notes, note))


def _conditions(where: Where | None) -> dict[str, list[str]]:
    """Read ``COL=VALUE``, one or several, or a mapping; several values of a column are or-ed."""
    if where is None:
        return {}
    if isinstance(where, Mapping):
        return {str(name): _texts(value) for name, value in where.items()}
    found: dict[str, list[str]] = {}
    for text in [where] if isinstance(where, str) else where:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals):
            raise ParameterError("where", "it is written COL=VALUE", f"{text!r} was given")
        found.setdefault(name.strip(), []).append(value.strip())
    return found


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list | tuple | set | frozenset) else [value]
    return [str(each).strip() for each in values]


def _is(label: str, value: str) -> bool:
    return plain_number(label) == plain_number(value) or fnmatchcase(label, value)


def _names_things(name: str) -> bool:
    return has_role(name, "algorithm", "dataset")


def _is_needed(name: str) -> bool:
    """Say whether a column tells something even if it has one value: what is measured."""
    return _names_things(name) or names_measures(name)


# --- algorithms and data sets --------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """Which algorithms and data sets are asked about; without any names, all are."""

    algorithms: Names | None = None
    exclude: Names | None = None
    datasets: Names | None = None

    def algorithms_of(self, known: Sequence[str]) -> list[int]:
        """Return the places of the algorithms that are in."""
        chosen = set(known)
        if self.algorithms:
            chosen = set(names_matching("algorithm", self.algorithms, known))
        out = set(names_matching("algorithm", self.exclude, known) if self.exclude else ())
        return [place for place, name in enumerate(known) if name in chosen and name not in out]

    def datasets_of(self, known: Sequence[str]) -> list[int]:
        """Return the places of the data sets that are in."""
        if not self.datasets:
            return list(range(len(known)))
        chosen = set(names_matching("dataset", self.datasets, known))
        return [place for place, name in enumerate(known) if name in chosen]

    def of_rows(self, rows: Rows) -> tuple[Rows, BoolArray | None, tuple[str, ...]]:
        """Return the rows that are asked about, which these are if not all, and what to note."""
        datasets, algorithms = self.datasets_of(rows.datasets), self.algorithms_of(rows.algorithms)
        notes = _notes(rows.datasets, datasets, rows.algorithms, algorithms)
        if not notes:
            return rows, None, ()
        kept, there = rows.only(datasets, algorithms)
        return kept, there, notes

    def of_table(self, table: ScoreTable) -> ScoreTable:
        """Return the part of a table that is asked about."""
        datasets = self.datasets_of(table.datasets)
        algorithms = self.algorithms_of(table.algorithms)
        if (len(datasets), len(algorithms)) == (table.n_datasets, table.n_algorithms):
            return table
        return part_of(
            table,
            [table.datasets[place] for place in datasets],
            [table.algorithms[place] for place in algorithms],
        )


def part_of(
    table: ScoreTable, datasets: Sequence[str] | None, algorithms: Sequence[str] | None
) -> ScoreTable:
    """Return the part of a table with these names, in this order; a note says what is left out."""
    part = table.select(datasets, algorithms)
    inside = set(part.datasets), set(part.algorithms)
    notes = _notes(
        table.datasets,
        [place for place, name in enumerate(table.datasets) if name in inside[0]],
        table.algorithms,
        [place for place, name in enumerate(table.algorithms) if name in inside[1]],
    )
    return replace(part, notes=(*part.notes, *notes))


def _notes(
    datasets: Sequence[str],
    some_datasets: Sequence[int],
    algorithms: Sequence[str],
    some_algorithms: Sequence[int],
) -> tuple[str, ...]:
    notes = []
    for known, chosen, noun in (
        (algorithms, some_algorithms, "algorithm"),
        (datasets, some_datasets, "data set"),
    ):
        inside = set(chosen)
        left = [name for place, name in enumerate(known) if place not in inside]
        if left:
            notes.append(
                f"Chosen: {len(chosen)} of {count(len(known), noun)}, without {listed(left)}."
            )
    return tuple(notes)


def names_matching(kind: str, asked: Names, known: Sequence[str]) -> list[str]:
    """Return the known names that were asked for, by name or with wildcards, with commas between.

    >>> names_matching("dataset", ["uci-*,iris"], ["iris", "uci-car", "uci-tae", "wine"])
    ['uci-car', 'uci-tae', 'iris']
    """
    found: list[str] = []
    for name in names_in([asked] if isinstance(asked, str) else asked, known):
        alike = [name] if name in known else [each for each in known if fnmatchcase(each, name)]
        if not alike:
            raise unknown_name(kind, name, known)
        found += alike
    return list(dict.fromkeys(found))
