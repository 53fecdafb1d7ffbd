"""Several tables become one: their rows below each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from palio.scores.columns import Columns, Known, Origin, Texts

if TYPE_CHECKING:
    from palio.scores.columns import Column


def stacked(tables: Sequence[Columns], name: str) -> Columns:
    """Put tables below each other; where one lacks a column, its cells are missing."""
    if len(tables) == 1:
        return tables[0]
    names = list(dict.fromkeys(each for table in tables for each in table.names))
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    size = sum(map(len, tables))
    return Columns(
        {each: _joined(each, tables) for each in names},
        Origin.of_rows(name, size),
        notes,
        tables[0].known if len({t.known.source for t in tables}) == 1 else Known(),
    )


def _joined(name: str, tables: Sequence[Columns]) -> Column:
    columns = [table.values.get(name) for table in tables]
    if all(column is None or isinstance(column, Texts) for column in columns):
        cells: list[str] = []
        for table, column in zip(tables, columns, strict=True):
            cells += column.cells if isinstance(column, Texts) else [""] * len(table)
        return Texts(cells)
    import pandas as pd

    parts = []
    for table, column in zip(tables, columns, strict=True):
        if column is None:
            parts.append(pd.Series(np.full(len(table), np.nan)))
        elif isinstance(column, Texts):
            parts.append(pd.Series(list(column.cells)))
        else:
            parts.append(column)
    return pd.concat(parts, ignore_index=True)
