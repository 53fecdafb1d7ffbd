"""Which way is better by the ranks of the authors.

Values alone never decide a direction; where a table says which of them are best, they follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.scores.readings import Reading
    from palio.types import FloatArray

_RANK = re.compile(r"(?i)(?:(?:avg|average|mean|overall)[ ._]*)?rank(?:ing|s)?")
_NUMBER = re.compile(r"(?i)#|n[or]\.?|pos(?:ition)?|place")  # counts rows, unless some are tied
_MIN_RANKED, _ALIKE = 5, 0.9  # rows with a rank, and how closely the scores follow it


def ranked_direction(
    columns: Columns, reading: Reading, scores: Sequence[str]
) -> tuple[bool | None, str]:
    """Return whether higher is better by a column or a row of ranks, or None; and its name.

    >>> from palio.scores.frames import from_mapping
    >>> from palio.scores.readings import Reading
    >>> rows = {"rank": [1, 2, 2, 4, 5], "model": list("abcde"), "x": [9, 8, 7, 3, 1]}
    >>> table, board = from_mapping(rows, "t"), Reading("board", ("model",), (), ("x",))
    >>> ranked_direction(table, board, ["x"])
    (True, 'rank')
    """
    matrix = np.array([columns.numbers(name).values for name in scores])
    for name, ranks, ranked in _ranks(columns, reading, matrix):
        follows = _correlation(ranks, ranked)
        if abs(follows) >= _ALIKE:
            return follows < 0, name
    return None, ""


def _ranks(
    columns: Columns, reading: Reading, matrix: FloatArray
) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Yield the names of ranks, the ranks, and the scores that they rank."""
    if reading.layout != "datasets-in-rows":
        yield from ((name, columns.numbers(name).values, matrix) for name in _rank_columns(columns))
        return
    if len(reading.keys) == 1:
        names = columns.labels_or_blank(reading.keys[0])
        for row in (n for n in range(len(columns)) if _RANK.fullmatch(names.name(n))):
            yield names.name(row), matrix[:, row], np.delete(matrix, row, axis=1).T


def _rank_columns(columns: Columns) -> Iterator[str]:
    """Yield the columns that rank the rows."""
    for name in columns.names if len(columns) >= _MIN_RANKED else ():
        numbers = columns.numbers(name)
        is_tied = np.unique(numbers.values).size < len(columns)
        if numbers.is_numeric and (_RANK.fullmatch(name) or (_NUMBER.fullmatch(name) and is_tied)):
            yield name


def _correlation(ranks: FloatArray, matrix: FloatArray) -> float:
    """Return how the mean ranks of the columns of a matrix follow other ranks, from -1 to 1."""
    import pandas as pd

    own = pd.DataFrame(matrix).rank(axis=1, pct=True).mean()
    both = pd.DataFrame({"own": own, "ranks": ranks}).dropna()
    if len(both) < _MIN_RANKED:
        return 0.0
    return float(both.rank().corr().to_numpy()[0, 1])
