"""The one door: rows from files, frames and arrays are checked here and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, ColumnError, MissingCellsError, Option
from palio.scores.design import unpaired_datasets
from palio.scores.duplicates import contradiction
from palio.scores.limits import LARGEST
from palio.scores.missing import LeftOut, censor, empty_rows, settle_missing
from palio.scores.rows import Rows, repeated
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.scores.columns import Origin
    from palio.types import BoolArray, FloatArray


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
    n_algorithms = len(rows.algorithms)
    if n_algorithms < 2 and not (alone and n_algorithms):
        raise ColumnError(
            "algorithm",
            "at least two algorithms are needed",
            remedy=(
                f"found {n_algorithms} ({quoted(rows.algorithms)}). If another column names the "
                f"algorithms, say which with {Option('algorithm')}; otherwise add the results of a "
                "second one, be it as a second file"
            ),
        )
    again = repeated(rows.key)
    if again.size:
        raise contradiction(rows, again, origin)
    rows = censor(rows, measure, missing)
    _check_scores(rows, measure, origin)
    rows, notes, left_out = settle_missing(rows, measure, missing, keep_failing=keep_failing)
    costs = _check_costs(rows, empty_rows(rows, measure))
    unpaired = unpaired_datasets(rows)
    folds = (
        f"The algorithms do not share the folds of {count(len(unpaired), 'data set')} "
        f"({listed(unpaired)}): each mean there is over the algorithm's own folds, and tests by "
        "folds are refused."
    )
    return rows.frozen(), (*notes, *costs, *([folds] if unpaired else [])), left_out


def _check_scores(rows: Rows, measure: Measure, origin: Origin | None) -> None:
    scores = rows.scores[measure.name]
    bad = np.flatnonzero(np.abs(scores) > LARGEST)
    if bad.size:
        where = "" if origin is None else f"; {origin.at(bad)}"
        raise CellError(
            "score",
            f"{measure.name} must be finite, within ±{LARGEST:g}, but "
            f"{count(bad.size, 'value is', 'values are')} infinite "
            f"({rows.describe_some(bad, scores, limit=3)}{where})",
            remedy="Correct the table; leave a cell empty if its value is missing",
        )


def _check_costs(rows: Rows, excused: BoolArray) -> list[str]:
    """Refuse costs that are none; say of which some are missing."""
    notes: list[str] = []
    for name, values in rows.costs.items():
        # Who lacks a cost altogether is named when somebody asks for it.
        measured = (rows.count_cells(~np.isnan(values) & ~excused) > 0).any(axis=0)
        unmeasured = ~measured[rows.algorithm] & measured.any()
        notes += _check_cost(name, values, excused | unmeasured, rows)
    for name, matrix in rows.pair_costs.items():
        # One row per (data set, algorithm), so that the cells can be named in the same way.
        first = np.unique(rows.cell, return_index=True)[1]
        cells = replace(rows.take(first), repeats=("1",), folds=("1",))
        excused_cells = (rows.count_cells(excused) > 0).reshape(-1)
        notes += _check_cost(name, matrix.reshape(-1), excused_cells, cells)
    return notes


def _check_cost(name: str, values: FloatArray, excused: BoolArray, rows: Rows) -> tuple[str, ...]:
    bad = np.flatnonzero((values > LARGEST) | (values < 0))
    if bad.size:
        raise CellError(
            "costs",
            f"{name} must be finite and not negative, but "
            f"{count(bad.size, 'value is', 'values are')} not: "
            f"{rows.describe_some(bad, values, limit=3)}",
            remedy="Correct the table, or remove the column",
        )
    gaps = np.flatnonzero(np.isnan(values) & ~excused)
    if not gaps.size:
        return ()
    if gaps.size == (~excused).sum():
        raise MissingCellsError(
            "costs", f"{name} must be there, but nobody has it", remedy="Remove the column"
        )
    return (
        f"{name} is missing for {gaps.size} of {count(values.size, 'result')} "
        f"({rows.describe_some(gaps)}): its means allow for that.",
    )
