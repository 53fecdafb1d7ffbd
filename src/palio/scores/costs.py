"""Costs that come from a second table, one row per data set and algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from palio.errors import CellError, ColumnError
from palio.measures import is_known_score
from palio.scores.cells import codes_of_names, numbers_of
from palio.scores.columns import Columns
from palio.scores.layout import ColumnNames, find_column
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from palio.scores.rows import Rows
    from palio.types import BoolArray, FloatArray, IntArray

    Coded: TypeAlias = tuple[IntArray, tuple[str, ...]]

__all__ = ["PairCosts", "pair_costs"]


@dataclass(frozen=True, slots=True, eq=False)
class PairCosts:
    """Costs as S × K matrices, NaN where the second table has no row."""

    matrices: dict[str, FloatArray]
    notes: tuple[str, ...]


def pair_costs(columns: Columns, rows: Rows, given: ColumnNames) -> PairCosts:
    """Match a table of costs with the data sets and algorithms of the scores."""
    keys = [_key(columns, role, getattr(given, role)) for role in ("dataset", "algorithm")]
    values, notes = _cost_columns(columns, keys)
    datasets, algorithms = (
        codes_of_names(columns.values[key], key, columns.origin) for key in keys
    )
    _check_once(columns, datasets, algorithms)
    dataset, algorithm = _matched(datasets, rows.datasets), _matched(algorithms, rows.algorithms)
    used = (dataset >= 0) & (algorithm >= 0)
    if not used.any():
        raise CellError(
            "costs",
            f"no row of {columns.origin.name} has a data set and an algorithm of the scores",
            remedy=(
                f"Its data sets are {quoted(datasets[1])} and its algorithms "
                f"{quoted(algorithms[1])}; the scores have {quoted(rows.datasets)} and "
                f"{quoted(rows.algorithms)}"
            ),
        )
    matrices = {}
    for name, column in values.items():
        matrices[name] = np.full(rows.shape, np.nan)
        matrices[name][dataset[used], algorithm[used]] = column[used]
    if not used.all():
        notes.append(_note_on_extra_rows(columns, datasets, algorithms, ~used))
    return PairCosts(matrices, (*columns.notes, *notes))


def _key(columns: Columns, role: str, given: str | None) -> str:
    """Return the key column: called as in the scores, or by its usual name."""
    found = given if given in columns.values else find_column(columns, role)
    if found is None:
        also = f" or {given!r}" if given else ""
        raise ColumnError(
            "costs",
            f"{columns.origin.name} has no column named {role!r}{also}",
            remedy=(
                f"its columns are {quoted(columns.names, limit=20)}. A table of costs has the "
                "columns dataset, algorithm and one per cost"
            ),
        )
    return found


def _check_once(columns: Columns, datasets: Coded, algorithms: Coded) -> None:
    cell = datasets[0] * len(algorithms[1]) + algorithms[0]
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(np.diff(cell[order]) == 0)
    if not again.size:
        return
    shown = []
    for place in again[:3]:
        pair = order[place : place + 2]
        dataset, algorithm = (
            datasets[1][datasets[0][pair[0]]],
            algorithms[1][algorithms[0][pair[0]]],
        )
        shown.append(f"{algorithm!r} on {dataset!r} ({columns.origin.at(pair)})")
    raise CellError(
        "costs",
        f"each data set and algorithm may occur once in {columns.origin.name}, but "
        f"{count(again.size, 'row repeats', 'rows repeat')} an earlier one: "
        f"{listed(shown, limit=3, total=again.size)}",
        remedy=(
            "If these are folds, average them first, or put the costs beside the scores in "
            "one table"
        ),
    )


def _matched(coded: Coded, names: tuple[str, ...]) -> IntArray:
    """Translate codes into positions in ``names``; -1 where the name is not there."""
    position = {name: place for place, name in enumerate(names)}
    translation = np.array([position.get(name, -1) for name in coded[1]], dtype=np.intp)
    return translation[coded[0]]


def _cost_columns(columns: Columns, keys: list[str]) -> tuple[dict[str, FloatArray], list[str]]:
    found: dict[str, FloatArray] = {}
    unused: list[str] = []
    folds = [find_column(columns, role) for role in ("repeat", "fold")]
    for name, column in columns.values.items():
        if name in keys:
            continue
        numbers = numbers_of(column)
        usable = numbers.is_numeric or (numbers.is_meant_numeric and not numbers.is_empty)
        if name and name not in folds and usable and not is_known_score(name):
            found[name] = numbers.checked(name, columns.origin)
        else:
            unused.append(name)
    if not found:
        raise ColumnError(
            "costs",
            f"{columns.origin.name} has no column of costs",
            remedy=f"its columns are {quoted(columns.names, limit=20)}. Add one column per cost",
        )
    note = f"Columns of {columns.origin.name} that are not costs: {quoted(unused)}."
    return found, [note] if unused else []


def _note_on_extra_rows(
    columns: Columns, datasets: Coded, algorithms: Coded, extra: BoolArray
) -> str:
    shown = [
        f"{algorithms[1][algorithms[0][place]]} on {datasets[1][datasets[0][place]]}"
        for place in np.flatnonzero(extra)[:4]
    ]
    total = int(extra.sum())
    return (
        f"{count(total, 'row')} of {columns.origin.name} not used, because the scores lack"
        f" {'it' if total == 1 else 'them'}: {listed(shown, limit=4, total=total)}."
    )
