"""Costs: named columns of the table itself, or a second table by data set and algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, ColumnError
from palio.measures import is_known_score
from palio.scores.columns import Columns
from palio.scores.sources import read_columns
from palio.scores.values import notes_on
from palio.scores.vocabulary import heading_roles
from palio.words import count, did_you_mean, listed, quoted

if TYPE_CHECKING:
    from palio.scores.rows import Rows
    from palio.scores.spec import ReadSpec
    from palio.types import FloatArray


def sort_out_costs(costs: object, columns: Columns) -> tuple[tuple[str, ...], Columns | None]:
    """Return the cost columns of the table itself, or a second table."""
    if costs is None:
        return (), None
    if isinstance(costs, str) and costs.strip() in columns.values:
        return (costs,), None
    if isinstance(costs, str) and not Path(costs).suffix and not Path(costs).exists():
        raise ColumnError(
            "costs",
            f"{costs!r} is neither a column of {columns.origin.name} nor a file."
            f"{did_you_mean(costs, columns.names)} Its columns are "
            f"{quoted(columns.names, limit=20)}",
        )
    if isinstance(costs, list | tuple):
        return tuple(dict.fromkeys(map(str, costs))), None
    return (), read_columns(costs, parameter="costs")


def with_cost_table(rows: Rows, columns: Columns, given: ReadSpec) -> tuple[Rows, tuple[str, ...]]:
    """Return the rows with the costs of a second table, NaN where it has no row; and notes."""
    keys = [_key(columns, role, getattr(given, role)) for role in ("dataset", "algorithm")]
    values, notes = _cost_columns(columns, keys)
    datasets, algorithms = (columns.coded(key) for key in keys)
    cells = [(datasets.name(row), algorithms.name(row)) for row in range(len(columns))]
    row_of = {cell: row for row, cell in enumerate(cells)}
    if again := [row for row, cell in enumerate(cells) if row_of[cell] != row]:
        where = columns.origin.at(np.array(sorted({*again, *(row_of[cells[x]] for x in again)})))
        raise CellError(
            "costs",
            f"each data set and algorithm may occur once in {columns.origin.name}, but "
            f"{count(len(again), 'row repeats', 'rows repeat')} another one: "
            f"{_some([cells[row] for row in again])} ({where})",
            remedy="If these are folds, average them first, or put the costs beside the scores in "
            "one table",
        )
    wanted = [row_of.pop(cell, -1) for cell in product(rows.datasets, rows.algorithms)]
    if max(wanted) < 0:
        raise CellError(
            "costs",
            f"no row of {columns.origin.name} has a data set and an algorithm of the scores",
            remedy=f"Its data sets are {quoted(datasets.names)} and its algorithms "
            f"{quoted(algorithms.names)}; the scores have {quoted(rows.datasets)} and "
            f"{quoted(rows.algorithms)}",
        )
    if row_of:
        notes.append(
            f"{count(len(row_of), 'row')} of {columns.origin.name} not used, because the scores "
            f"lack {'it' if len(row_of) == 1 else 'them'}: {_some(list(row_of))}."
        )
    if twice := [name for name in rows.costs if name in values]:
        notes.append(f"The second table's {listed(twice)} replaces the scores table's own.")
    row = np.array(wanted)[rows.cell]
    costs = {name: np.where(row < 0, np.nan, column[row]) for name, column in values.items()}
    return replace(rows, costs={**rows.costs, **costs}), (*columns.notes, *notes)


def _some(cells: Sequence[tuple[str, str]]) -> str:
    shown = [f"{algorithm!r} on {dataset!r}" for dataset, algorithm in cells[:4]]
    return listed(shown, limit=4, total=len(cells))


def _key(columns: Columns, role: str, given: str | None) -> str:
    """Return the key column: called as in the scores, or by its usual name."""
    found = given if given in columns.values else columns.find(role)
    if found is None:
        weights = {name: heading_roles(name).get(role, 0.0) for name in columns.names}
        best = max(weights, key=lambda name: weights[name])
        found = best if weights[best] >= 0.5 else None
    if found is None:
        also = f" or {given!r}" if given and given != role else ""
        raise ColumnError(
            "costs",
            f"{columns.origin.name} has no column named {role!r}{also}",
            remedy=f"its columns are {quoted(columns.names, limit=20)}. A table of costs has the "
            "columns dataset, algorithm and one per cost",
        )
    return found


def _cost_columns(columns: Columns, keys: list[str]) -> tuple[dict[str, FloatArray], list[str]]:
    found: dict[str, FloatArray] = {}
    folds = [columns.find(role) for role in ("repeat", "fold")]
    others = [name for name in columns.names if name not in keys]
    for name in others:
        numbers = columns.numbers(name)
        if name and name not in folds and numbers.is_meant_numeric and not is_known_score(name):
            found[name] = numbers.checked()
    if not found:
        raise ColumnError(
            "costs",
            f"{columns.origin.name} has no column of costs",
            remedy=f"its columns are {quoted(columns.names, limit=20)}. Add one column per cost",
        )
    unused = [name for name in others if name not in found]
    note = f"Columns of {columns.origin.name} that are not costs: {quoted(unused)}."
    told = notes_on([columns.numbers(name).written for name in found])
    return found, [note, *told] if unused else told
