"""Results of one algorithm or on one data set, which only the name of the file tells.

A table that names data sets and holds nothing but measures is of one algorithm; one that names
algorithms, once each, and holds measures for the most part is of one data set. Columns that are
called 0, 1, 2, … are runs, and no algorithms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from palio.scores.columns import Texts
from palio.scores.items import ONE_DATASET

if TYPE_CHECKING:
    from palio.scores.columns import Columns

_RUNS = 3  # so many numbers in a row are no names
_SEVERAL = re.compile(r" and \d+ more$")
_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".zip")
_CALLED = {"algorithm": "algorithm", "dataset": "data set"}


def are_runs(names: Sequence[str]) -> bool:
    """Return whether columns are called by numbers one after the other, as runs are.

    >>> are_runs(["0", "1", "2"]), are_runs(["1", "10", "100"]), are_runs(["knn", "svm", "tree"])
    (True, False, False)
    """
    if len(names) < _RUNS or not all(name.isdecimal() for name in names):
        return False
    numbers = [int(name) for name in names]
    return numbers[0] in (0, 1) and all(after == before + 1 for before, after in pairwise(numbers))


def with_runs_in_rows(
    columns: Columns, keys: dict[str, str], score: str
) -> tuple[Columns, dict[str, str]]:
    """Return a row per run of a table with a column for each, and which column is what then."""
    names = keys.get("dataset", columns.names[0])
    kept = dict.fromkeys([names, *keys.values()])
    runs = [name for name in columns.names if name not in kept]
    rows = np.repeat(np.arange(len(columns)), len(runs))
    long = columns.take(rows)
    cells = [[columns.numbers(run).text(row) for run in runs] for row in range(len(columns))]
    values = {name: long.values[name] for name in kept}
    values["repeat"] = Texts(runs * len(columns))
    values[score] = Texts([cell for row in cells for cell in row])
    note = f"The columns {runs[0]} to {runs[-1]} are runs, not algorithms: hold-outs."
    notes = (*columns.notes, note)
    return replace(long, values=values, notes=notes), {**keys, "dataset": names, "repeat": "repeat"}


def by_their_places(columns: Columns, keys: Mapping[str, str]) -> Columns:
    """Return the columns without the folders and files that play no role."""
    unused = set(columns.whereabouts) - set(keys.values())
    values = {name: each for name, each in columns.values.items() if name not in unused}
    return replace(columns, values=values, whereabouts=()) if unused else columns


def with_name_of_file(columns: Columns, role: str) -> Columns:
    """Return the columns with one for a role that the name of the file plays."""
    name = _stem(columns) or columns.origin.name
    note = f"The table names no {_CALLED[role]}s, so it is of one, called by its file: {name}."
    values = {role: Texts([name] * len(columns)), **columns.values}
    return replace(columns, values=values, notes=(*columns.notes, note))


def with_one_dataset(columns: Columns) -> Columns:
    """Return the columns with one for the data set of items of which none is named."""
    if _stem(columns):
        return with_name_of_file(columns, "dataset")
    note = "The table names no data sets: its items are of one."
    values = {"dataset": Texts([ONE_DATASET] * len(columns)), **columns.values}
    return replace(columns, values=values, notes=(*columns.notes, note))


def _stem(columns: Columns) -> str:
    """Return the name of a file without its endings; a frame has none, nor have several files."""
    name = columns.origin.name
    if _SEVERAL.search(name):
        return ""
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name.rpartition(".")[0]
