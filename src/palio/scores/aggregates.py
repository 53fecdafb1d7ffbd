"""Rows and columns of a wide table that are means, sums or ranks of the others.

A name such as Average, or one with which others begin, only makes one suspect: what is left out
was computed, and agrees with the others up to rounding.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from palio.stats.ranks import average_ranks
from palio.words import listed

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.types import FloatArray

_SUSPECT = re.compile(
    r"(^| )(averages?|avg|means?|overall|joint|totals?|sum|ranks?|rankings?|aggregate|wins?"
    r"|durchschnitt|mittelwert|moyenne|promedio)( |$)"
    r"|^ ?(score|all|((n|no|num|number of) )?best|origin|reported) ?$|平均|均值|总分"
)
_GAP = re.compile(r"[\W_]")  # behind the name of what the rest is a part of
MEAN_OF_PARTS = "mean of its parts"
_MIN_NUMBERS = 2  # that agree, and others of which each is made


def without_rows_of_text(columns: Columns) -> Columns:
    """Leave out rows of a wide table that hold text where others have numbers; and say so.

    They come first or last, and are few or count wins: among others, such a row is of something
    that failed.
    """
    numbers = [columns.numbers(name) for name in columns.names if name not in columns.nested]
    meant = [each for each in numbers if each.is_meant_numeric]
    meant = [each for each in meant if 2 * each.bad.sum() < len(columns)]
    if len(meant) < 2:
        return columns
    bad = np.array([each.bad for each in meant])
    empty = np.array([np.isnan(each.values) for each in meant])
    gone = (bad | empty).all(axis=0) & (bad.sum(axis=0) > 1)
    gone &= np.logical_and.accumulate(gone) | np.logical_and.accumulate(gone[::-1])[::-1]
    rows = np.flatnonzero(gone).tolist()
    cells = [each.text(row).strip() for row in rows for each in meant if each.bad[row]]
    of_wins = all(map(_WINS_TIES_LOSSES.fullmatch, cells))
    if not rows or not (of_wins or _MIN_ROWS_FOR_EACH * len(rows) <= len(columns)):
        return columns
    texts = [each.name for each in numbers if each.bad.sum() > len(rows)]
    names = columns.labels_or_blank(texts[-1]) if texts else None
    shown = [str(columns.origin.numbers[row]) if names is None else names.name(row) for row in rows]
    why = "counts of wins" if of_wins else "they describe the columns"
    return columns.take(~gone).noted(f"Left out, as {why}: {listed(shown)}.")


_MIN_ROWS_FOR_EACH = 5  # that describes the columns
_WINS_TIES_LOSSES = re.compile(r"\d+\s*([/|-])\s*\d+\s*\1\s*\d+")


def is_called_aggregate(name: str) -> bool:
    """Return whether a name is one of a mean, a sum or a rank.

    >>> is_called_aggregate("Avg. rank"), is_called_aggregate("MeanShift")
    (True, False)
    """
    return _SUSPECT.search(re.sub(r"[\W_]+", " ", name.lower())) is not None


def aggregates(names: Sequence[str], matrix: FloatArray) -> dict[str, str]:
    """Return which columns of a matrix are made of the others, and what they are of these.

    >>> scores = np.array([[0.5, 0.7, 0.6], [0.2, 0.3, 0.25], [0.9, 0.8, 0.85]])
    >>> aggregates(["a", "b", "Average"], scores)
    {'Average': 'mean'}

    One may also close a block of columns, and be made of that alone:

    >>> two_blocks = np.column_stack([scores, 3 * scores[::-1]])
    >>> aggregates(["a", "b", "first average", "c", "d", "second average"], two_blocks)
    {'first average': 'mean', 'second average': 'mean'}

    And one may be called as what stands in front of the names of its parts:

    >>> aggregates(["qa_f1", "qa_em", "qa"], scores)
    {'qa': 'mean of its parts'}
    """
    if not matrix.size or np.isinf(matrix).any():  # what is infinite is refused further on
        return {}
    suspects = np.array([is_called_aggregate(name) for name in names], dtype=bool)
    found = _means_of_parts(names, matrix)
    for place in map(names.index, found):
        suspects[place] = True
    for place in np.flatnonzero(suspects).tolist():
        if names[place] in found:
            continue
        column, itself = matrix[:, place], np.arange(len(names)) == place
        if np.unique(column[~np.isnan(column)]).size < _MIN_NUMBERS:
            continue
        # Another one of a suspect name may be what it is called, or not; each may close a block.
        before = np.flatnonzero(suspects[:place])
        block = (np.arange(len(names)) < place) & (np.arange(len(names)) > max(before, default=-1))
        for others in (~itself, ~(suspects | itself), block):
            if others.sum() >= _MIN_NUMBERS and (kind := _kind(column, matrix[:, others])):
                found[names[place]] = kind
    return found


def _means_of_parts(names: Sequence[str], matrix: FloatArray) -> dict[str, str]:
    """Return the columns that are the means of those whose names begin with theirs."""
    parts: dict[str, list[int]] = {name: [] for name in names if name.strip()}
    for place, name in enumerate(names):
        for gap in _GAP.finditer(name):
            parts.get(name[: gap.start()], []).append(place)
    return {
        name: MEAN_OF_PARTS
        for name, places in parts.items()
        if len(places) >= _MIN_NUMBERS
        and _kind(matrix[:, names.index(name)], matrix[:, places]) == "mean"
    }


def _kind(column: FloatArray, others: FloatArray) -> str:
    """Say what a column is of the others, by computing it.

    Rounding must be small beside the differences between the others; else every column would be
    their mean.
    """
    there = ~np.isnan(others)
    if np.isnan(column).any() or not there.any(axis=1).all():
        return ""
    fine = _precision(others)
    sums, counts = np.where(there, others, 0.0).sum(axis=1), there.sum(axis=1)
    spread = float(np.mean(np.nanmax(others, axis=1) - np.nanmin(others, axis=1)))
    if fine + _precision(column) <= 0.5 * spread:
        # Shares may have their mean in percent.
        if any(_agrees(column, scale * sums / counts, scale * fine) for scale in (1, 100)):
            return "mean"
        if _agrees(column, sums, fine * others.shape[1]):
            return "sum"
    if there.all():
        for turned in (others, -others):
            if np.array_equal(column, average_ranks(turned.mean(axis=1))):
                return "rank"
            if _agrees(column, average_ranks(turned, axis=0).mean(axis=1), 0.0):
                return "mean rank"
            if np.array_equal(column, (turned == turned.max(axis=0)).sum(axis=1)):
                return "number of wins"
    return ""


def _agrees(column: FloatArray, computed: FloatArray, fine: float) -> bool:
    """Compare up to the rounding of both, and of what was computed from."""
    slack = _precision(column) + fine + 1e-9 * np.abs(computed).max()
    return bool((np.abs(column - computed) <= slack).all())


def _precision(values: FloatArray) -> float:
    """Return half a unit of the last digit that any of the values has."""
    there = values[np.isfinite(values)]
    digits = 0
    while digits < 15 and not np.allclose(np.round(there, digits), there, rtol=1e-12, atol=0):
        digits += 1
    return float(0.5 * 10.0**-digits)
