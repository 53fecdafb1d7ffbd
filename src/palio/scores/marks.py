"""Which way is better by the marks of the authors: the best cells in bold, and ranks.

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
_MIN_MARKED, _SURE = 3, 0.8  # data sets with a cell in bold, and the share of them that agrees
_MIN_RANKED, _ALIKE = 5, 0.9  # rows with a rank, and how closely the scores follow it


def marked_direction(
    columns: Columns, reading: Reading, scores: Sequence[str]
) -> tuple[bool | None, str]:
    """Return whether higher is better by the marks in a table, None where there are none; and why.

    >>> from palio.scores.frames import from_mapping
    >>> from palio.scores.readings import Reading
    >>> rows = {"rank": [1, 2, 2, 4, 5], "model": list("abcde"), "x": [9, 8, 7, 3, 1]}
    >>> table, board = from_mapping(rows, "t"), Reading("board", ("model",), (), ("x",))
    >>> marked_direction(table, board, ["x"])
    (True, "it follows 'rank'")
    """
    matrix = np.array([columns.numbers(name).values for name in scores])
    best = np.array(
        [[(row, name) in columns.best for row in range(len(columns))] for name in scores]
    )
    if reading.layout == "datasets-in-rows":
        matrix, best = matrix.T, best.T
    else:
        for name in _rank_columns(columns):
            follows = _correlation(columns.numbers(name).values, matrix)
            if abs(follows) >= _ALIKE:
                return follows < 0, f"it follows {name!r}"
    return _by_bold(matrix, best), "the best values are in bold"


def _by_bold(matrix: FloatArray, best: np.ndarray) -> bool | None:
    """Return whether cells in bold are the highest of their row in most rows, or the lowest."""
    votes = []
    for values, marked in zip(matrix, best, strict=True):
        there = values[~np.isnan(values)]
        if np.unique(there).size > 1 and 2 * marked.sum() < there.size:
            chosen = values[marked & ~np.isnan(values)]
            votes += [(there.max() in chosen) - (there.min() in chosen)] if chosen.size else []
    if len(votes) < _MIN_MARKED or abs(np.mean(votes)) < _SURE:
        return None
    return bool(np.mean(votes) > 0)


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
