"""The one door: rows from files, frames and arrays are checked here and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, ColumnError, MissingCellsError, Option
from palio.scores.design import share_folds
from palio.scores.duplicates import contradiction
from palio.scores.limits import LARGEST
from palio.scores.missing import LeftOut, Settled, censor, settle_missing
from palio.scores.rows import Rows, repeated
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.scores.columns import Origin
    from palio.types import BoolArray, FloatArray, IntArray


def validated(
    rows: Rows,
    measure: Measure,
    missing: str,
    origin: Origin | None = None,
    *,
    keep_failing: bool = False,
    alone: bool = False,
) -> tuple[Rows, tuple[str, ...], tuple[LeftOut, ...]]:
    """Return the rows sorted, checked and with their missing cells settled; notes; who is left out.

    ``alone`` says that one algorithm will do.
    """
    if not (alone and rows.algorithms):
        _check_algorithms(rows)
    _check_duplicates(rows, origin)
    rows = censor(rows, measure, missing)
    _check_scores(rows, measure, origin)
    settled = settle_missing(rows, measure, missing, keep_failing=keep_failing)
    costs = _check_costs(settled)
    notes = (*settled.notes, *costs, *_note_on_unpaired_folds(settled.rows))
    return settled.rows.frozen(), notes, settled.left_out


def _check_algorithms(rows: Rows) -> None:
    if len(rows.algorithms) < 2:
        raise ColumnError(
            "algorithm",
            "at least two algorithms are needed",
            remedy=(
                f"found {len(rows.algorithms)} ({quoted(rows.algorithms)}). If another column "
                f"names the algorithms, say which with {Option('algorithm')}; otherwise add the "
                "results of a second one, be it as a second file"
            ),
        )


def _check_duplicates(rows: Rows, origin: Origin | None) -> None:
    again = repeated(rows.key)
    if again.size:
        raise contradiction(rows, again, origin)


def _check_scores(rows: Rows, measure: Measure, origin: Origin | None) -> None:
    positions = np.flatnonzero(np.abs(rows.scores[measure.name]) > LARGEST)
    if positions.size:
        where = "" if origin is None else f"; {origin.at(positions)}"
        raise CellError(
            "score",
            f"{measure.name} must be finite, within ±{LARGEST:g}, but "
            f"{count(positions.size, 'value is', 'values are')} infinite "
            f"({_cells(rows, rows.scores[measure.name], positions)}{where})",
            remedy="Correct the table; leave a cell empty if its value is missing",
        )


def _check_costs(settled: Settled) -> tuple[str, ...]:
    """Refuse costs that are none; say of which some are missing."""
    rows, excused = settled.rows, settled.was_missing
    notes = [
        note
        for name, values in rows.costs.items()
        for note in _check_cost(name, values, excused | _unmeasured(rows, values, excused), rows)
    ]
    for name, matrix in rows.pair_costs.items():
        # One row per (data set, algorithm), so that the cells can be named in the same way.
        first = np.unique(rows.cell, return_index=True)[1]
        pairs = replace(rows.take(first), repeats=("1",), folds=("1",))
        gaps = np.zeros(rows.shape, dtype=bool)
        gaps[rows.dataset[excused], rows.algorithm[excused]] = True
        notes += _check_cost(name, matrix.reshape(-1), gaps.reshape(-1), pairs)
    return tuple(notes)


def _unmeasured(rows: Rows, values: FloatArray, excused: BoolArray) -> BoolArray:
    """Mark the rows of algorithms that lack a cost altogether; only who asks for it must know."""
    has = np.zeros(len(rows.algorithms), dtype=bool)
    has[rows.algorithm[~np.isnan(values) & ~excused]] = True
    return ~has[rows.algorithm] & bool(has.any())


def _check_cost(name: str, values: FloatArray, excused: BoolArray, rows: Rows) -> tuple[str, ...]:
    bad = np.flatnonzero((values > LARGEST) | (values < 0))
    if bad.size:
        raise CellError(
            "costs",
            f"{name} must be finite and not negative, but "
            f"{count(bad.size, 'value is', 'values are')} not: {_cells(rows, values, bad)}",
            remedy="Correct the table, or remove the column",
        )
    gaps = np.flatnonzero(np.isnan(values) & ~excused)
    if not gaps.size:
        return ()
    if gaps.size == (~excused).sum():
        raise MissingCellsError(
            "costs", f"{name} must be there, but nobody has it", remedy="Remove the column"
        )
    shown = [rows.describe(int(position)) for position in gaps[:4]]
    return (
        f"{name} is missing for {gaps.size} of {count(values.size, 'result')} "
        f"({listed(shown, limit=4, total=gaps.size)}): its means allow for that.",
    )


def _cells(rows: Rows, values: FloatArray, positions: IntArray) -> str:
    shown = [f"{values[place]:g} for {rows.describe(int(place))}" for place in positions[:3]]
    return listed(shown, limit=3, total=positions.size)


def _note_on_unpaired_folds(rows: Rows) -> tuple[str, ...]:
    unpaired = [name for code, name in enumerate(rows.datasets) if not share_folds(rows, code)]
    if not unpaired:
        return ()
    return (
        f"The algorithms do not share the folds of {count(len(unpaired), 'data set')}"
        f" ({listed(unpaired)}): each mean there is over the algorithm's own folds, and tests by"
        " folds are refused.",
    )
