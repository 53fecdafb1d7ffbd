"""What of a table is asked about: rows by a column's value, algorithms and data sets by name.

Names may have the wildcards ``*``, ``?`` and ``[…]``; a name that the table has stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, ParameterError
from palio.registry import unknown_name
from palio.scores.columns import Texts, plain_number
from palio.scores.formats import plain_name
from palio.scores.items import ONE_DATASET
from palio.scores.vocabulary import has_role, names_measures
from palio.words import count, listed, names_in, quoted

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.scores.rows import Rows
    from palio.scores.spec import Names, Where
    from palio.scores.table import ScoreTable


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
        # What has no name has none; settings may be those of some only.
        coded = [columns.coded(parts[0]), *map(columns.labels_or_blank, parts[1:])]
        joined = [part for part in parts if not names_measures(part)]
        between = " / " if joined == parts else " "  # svm / 10; Higgs AUC
        rows = range(len(columns))
        cells = [between.join(filter(None, (x.name(row) for x in coded))) for row in rows]
        values = {name: Texts(cells), **columns.without(joined).values}
        columns = replace(columns, values=values)
    return columns


_DITTO = frozenset({".", '"', "''", "〃", "″", "”", "-//-", "ditto"})


def with_names_filled(columns: Columns) -> Columns:
    """Return the columns with the name above where a cell of names says "as above".

    It does by a mark; in a table of a document also by being empty, as merged cells are there, and
    anywhere if the next column has the same names below each.
    """
    values, told = dict(columns.values), []
    is_document = bool(columns.context.prose or columns.context.heading)
    for name, beside in pairwise([*columns.names, ""]):
        cells = columns.labels_or_blank(name)
        is_group = is_document or _has_same_names_below(columns, name, beside)
        gaps = np.array([text in _DITTO or (is_group and not text) for text in cells.names])
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
    return columns.noted(note, values=values)


def _has_same_names_below(columns: Columns, group: str, name: str) -> bool:
    """Say whether each name of a group stands above rows of the same names."""
    if name not in columns.values:
        return False
    groups, names = columns.labels_or_blank(group), columns.labels_or_blank(name)
    below = list[list[str]]()
    for row in range(len(columns)):
        if groups.name(row) or not below:
            below.append([])
        below[-1].append(names.name(row))
    return len({*map(tuple, below)}) == 1 < len(below) < len(columns)


def with_names_apart(columns: Columns, names: Sequence[str], duplicates: str) -> Columns:
    """Return a board whose algorithms have a name each: of one name, the second is ``name (2)``.

    Rows that agree throughout are copies, and ``duplicates`` may say what to make of the others.
    Where names have more than two rows on average, rows are of something else, such as steps.
    """
    if duplicates != "error" or not 1 < len(columns) / columns.n_distinct(names) <= 2:
        return columns
    whole = columns.places(columns.names).tolist()
    versions: dict[int, dict[int, int]] = {}  # of each name, its different rows by number
    cells, named = columns.labels_or_blank(names[-1]), list[str]()
    for row, place in enumerate(columns.places(names).tolist()):
        of_name = versions.setdefault(place, {})
        number = of_name.setdefault(whole[row], len(of_name))
        named.append(f"{cells.name(row)} ({number + 1})" if number else cells.name(row))
    told = (cells.name(row) for row, name in enumerate(named) if name != cells.name(row))
    twice = list(dict.fromkeys(told))
    if not twice:
        return columns
    note = f"Several rows have one name, and are kept apart as NAME (2): {listed(twice, limit=5)}."
    return columns.noted(note, values={**columns.values, names[-1]: Texts(named)})


_SEVERAL = re.compile(r" and \d+ more$")


def with_name_of_file(columns: Columns, role: str, *, of_items: bool = False) -> Columns:
    """Return the columns with one for a role that the name of the file plays.

    A frame has no such name, nor have several files: ``of_items`` these are of one data set.
    """
    name = plain_name(columns.origin.name)
    stem = "" if _SEVERAL.search(name) else name.rpartition(".")[0]
    name = stem or columns.origin.name
    what = "algorithms" if role == "algorithm" else "data sets"
    note = f"The table names no {what}, so it is of one, called by its file: {name}."
    if of_items and not stem:
        name, note = ONE_DATASET, "The table names no data sets: its items are of one."
    return columns.noted(note, values={role: Texts([name] * len(columns)), **columns.values})


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
            rule = f"no row of {columns.origin.name} has {name}={' or '.join(values)}"
            raise CellError("where", rule, remedy=f"It has {quoted(there.names, limit=10)}")
        items = columns.items if has_role(name, "algorithm", "dataset") else None
        columns = replace(columns.take(keep[there.codes]), items=items)
        told.append(f"{name} is {' or '.join(values)}")
        is_needed = name in named or has_role(name, "algorithm", "dataset", "metric")
        if keep.sum() == 1 and not is_needed:
            columns = columns.without([name])
    if not len(columns):
        raise CellError("where", f"no row has {' and '.join(told)}", remedy="Ask for less")
    return columns.noted(f"Only rows where {' and '.join(told)}: {len(columns)} of {size}.")


def _conditions(where: Where | None) -> dict[str, list[str]]:
    """Read ``COL=VALUE``, one or several, or a mapping; several values of a column are or-ed."""
    found: dict[str, list[str]] = {}
    if isinstance(where, Mapping):
        for name, value in where.items():
            values = value if isinstance(value, list | tuple | set | frozenset) else [value]
            found[str(name)] = [str(each).strip() for each in values]
        return found
    for text in [where] if isinstance(where, str) else where or ():
        name, equals, value = text.partition("=")
        if not (name.strip() and equals):
            raise ParameterError("where", "it is written COL=VALUE", f"{text!r} was given")
        found.setdefault(name.strip(), []).append(value.strip())
    return found


def _is(label: str, value: str) -> bool:
    return plain_number(label) == plain_number(value) or fnmatchcase(label, value)


# --- algorithms and data sets --------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """Which algorithms and data sets are asked about; without any names, all are."""

    algorithms: Names | None = None
    exclude: Names | None = None
    datasets: Names | None = None

    def names(
        self, datasets: Sequence[str], algorithms: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """Return the data sets and algorithms that are asked about, in the order of the table."""
        chosen = [{*datasets}, {*algorithms}]
        if self.datasets:
            chosen[0] = {*names_matching("dataset", self.datasets, datasets)}
        if self.algorithms:
            chosen[1] = {*names_matching("algorithm", self.algorithms, algorithms)}
        chosen[1] -= {*names_matching("algorithm", self.exclude or (), algorithms)}
        return [x for x in datasets if x in chosen[0]], [x for x in algorithms if x in chosen[1]]

    def of_table(self, table: ScoreTable) -> ScoreTable:
        """Return the part of a table that is asked about."""
        is_all = not (self.algorithms or self.exclude or self.datasets)
        return table if is_all else part_of(table, *self.names(table.datasets, table.algorithms))


def part_of(
    table: ScoreTable, datasets: Sequence[str] | None, algorithms: Sequence[str] | None
) -> ScoreTable:
    """Return the part of a table with these names, in this order; a note says what is left out."""
    part = table.select(datasets, algorithms)
    notes = notes_on_choice(table, part.datasets, part.algorithms)
    return replace(part, notes=(*part.notes, *notes))


def notes_on_choice(
    of: Rows | ScoreTable, datasets: Sequence[str], algorithms: Sequence[str]
) -> tuple[str, ...]:
    """Say which algorithms and data sets are left out where only these are asked about."""
    notes = []
    for noun, known, chosen in (
        ("algorithm", of.algorithms, {*algorithms}),
        ("data set", of.datasets, {*datasets}),
    ):
        if out := [name for name in known if name not in chosen]:
            n = len(known) - len(out)
            notes.append(f"Chosen: {n} of {count(len(known), noun)}, without {listed(out)}.")
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
