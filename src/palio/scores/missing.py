"""What happens to scores that are not there: an error, or one of three stated choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from palio.errors import MissingCellsError, Option, ParameterError
from palio.scores.rows import Rows
from palio.words import count, listed, nearest, quoted

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.types import BoolArray, FloatArray, IntArray

MissingChoice: TypeAlias = Literal["error", "drop-datasets", "worst", "pairwise"]

# The status of rows that Palio adds for results that are not in the table at all.
_ABSENT = "absent"


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Sorted rows in which every (data set, algorithm) is there, and what was done for it.

    ``was_missing`` marks the rows that had no score; ``worst`` has filled them since.
    """

    rows: Rows
    was_missing: BoolArray
    notes: tuple[str, ...] = ()


def check_choice(missing: str) -> None:
    """Raise unless ``missing`` is one of the choices."""
    choices = get_args(MissingChoice)
    if missing not in choices:
        close = nearest(str(missing), choices)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ParameterError(
            "missing",
            f"must be one of {', '.join(map(repr, choices))}; got {missing!r}.{hint}",
        )


def settle_missing(rows: Rows, measure: Measure, missing: MissingChoice) -> Settled:
    """Apply the choice to the missing scores of the measure; the rows have no duplicates."""
    failed = failed_rows(rows)
    rows = _without_values(rows, failed).sorted()
    absent = np.argwhere(rows.cell_counts == 0)
    rows = _with_absent_rows(rows, absent).sorted()
    empty = np.isnan(rows.scores[measure.name])
    if not empty.any():
        return Settled(rows, empty)
    what = _what_is_missing(rows, measure, empty)
    if missing == "error":
        raise MissingCellsError(
            "missing",
            what,
            remedy=(
                "Every algorithm needs a score on every data set. Add what is missing, or "
                f"give {Option('missing', 'drop-datasets')} (leave those data sets out), "
                f"{Option('missing', 'worst')} (the worst score any algorithm has there) or "
                f"{Option('missing', 'pairwise')} (compare each pair where both have scores)"
            ),
        )
    if missing == "drop-datasets":
        return _drop_datasets(rows, empty, what)
    if missing == "worst":
        return _fill_with_worst(rows, measure, empty, what)
    return Settled(rows, empty, (f"missing='pairwise': {what}; nothing is filled in.",))


def failed_rows(rows: Rows) -> BoolArray:
    """Mark the rows whose status is not ok: they have no result, whatever stands there."""
    if rows.status is None:
        return np.zeros(len(rows), dtype=bool)
    ok = np.array([status.lower() in ("ok", _ABSENT) for status in rows.statuses], dtype=bool)
    return ~ok[rows.status]


def _without_values(rows: Rows, gone: BoolArray) -> Rows:
    """Blank what failed runs left behind: a crash after a second is not a cost of one second."""
    if not gone.any():
        return rows

    def blank(columns: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        return {name: np.where(gone, np.nan, values) for name, values in columns.items()}

    return replace(rows, scores=blank(rows.scores), costs=blank(rows.costs))


def _with_absent_rows(rows: Rows, absent: IntArray) -> Rows:
    """Add rows of NaN for each (data set, algorithm) that has none: all folds of the data set."""
    if not absent.size:
        return rows
    copied, algorithms = [np.arange(len(rows))], [rows.algorithm]
    for dataset in np.unique(absent[:, 0]):
        there = rows.slice_of(int(dataset))
        grid = rows.repeat[there] * len(rows.folds) + rows.fold[there]
        one_of_each = there.start + np.unique(grid, return_index=True)[1]
        lacking = absent[absent[:, 0] == dataset, 1]
        copied.append(np.tile(one_of_each, lacking.size))
        algorithms.append(np.repeat(lacking, one_of_each.size))
    both = replace(rows.take(np.concatenate(copied)), algorithm=np.concatenate(algorithms))
    added = np.arange(len(both)) >= len(rows)
    if both.status is not None:
        status = np.where(added, len(rows.statuses), both.status)
        both = replace(both, statuses=(*rows.statuses, _ABSENT), status=status)
    return _without_values(both, added)


def _what_is_missing(rows: Rows, measure: Measure, empty: BoolArray) -> str:
    positions = np.flatnonzero(empty)
    shown = [rows.describe(int(position)) for position in positions[:4]]
    text = (
        f"{count(positions.size, 'score')} of {measure.name}"
        f" {'is' if positions.size == 1 else 'are'} missing"
        f" ({listed(shown, limit=4, total=positions.size)})"
    )
    failed = failed_rows(rows) & empty
    if failed.any() and rows.status is not None:
        found = sorted({rows.statuses[code] for code in np.unique(rows.status[failed])})
        text += f", {int(failed.sum())} of them because the status is not 'ok' but {quoted(found)}"
    return text


def _drop_datasets(rows: Rows, empty: BoolArray, what: str) -> Settled:
    dropped = np.unique(rows.dataset[empty])
    kept = np.setdiff1d(np.arange(len(rows.datasets)), dropped)
    names = [rows.datasets[code] for code in dropped]
    if not kept.size:
        raise MissingCellsError(
            "missing",
            f"{what}, so that every data set lacks a score and "
            f"{Option('missing', 'drop-datasets')} would leave none",
            remedy="Leave out the algorithms with gaps, or give "
            f"{Option('missing', 'worst')} or {Option('missing', 'pairwise')}",
        )
    rows = rows.select(kept.tolist(), range(len(rows.algorithms)))
    note = (
        f"missing='drop-datasets': {what};"
        f" left out {count(len(names), 'data set')}: {listed(names, limit=20)}."
    )
    return Settled(rows, np.zeros(len(rows), dtype=bool), (note,))


def _fill_with_worst(rows: Rows, measure: Measure, empty: BoolArray, what: str) -> Settled:
    scores = _filled(rows, rows.scores[measure.name], empty, largest=not measure.higher_is_better)
    hopeless = np.unique(rows.dataset[np.isnan(scores)])
    if hopeless.size:
        names = [rows.datasets[code] for code in hopeless]
        raise MissingCellsError(
            "missing",
            f"no algorithm has a score on {count(len(names), 'data set')} ({quoted(names)}), so "
            "there is no worst one to take",
            remedy=f"Leave such data sets out with {Option('missing', 'drop-datasets')}",
        )
    costs = {
        name: _filled(rows, values, empty & np.isnan(values), largest=True)
        for name, values in rows.costs.items()
    }
    gaps = np.zeros(rows.shape, dtype=bool)
    gaps[rows.dataset[empty], rows.algorithm[empty]] = True
    pair_costs = {
        name: np.where(gaps & np.isnan(matrix), _largest_of_rows(matrix), matrix)
        for name, matrix in rows.pair_costs.items()
    }
    filled = replace(
        rows, scores={**rows.scores, measure.name: scores}, costs=costs, pair_costs=pair_costs
    )
    also = "; costs missing with them are the largest there" if costs or pair_costs else ""
    note = f"missing='worst': {what}; each takes the worst score any algorithm has there{also}."
    return Settled(filled, empty, (note,))


def _filled(rows: Rows, values: FloatArray, gaps: BoolArray, *, largest: bool) -> FloatArray:
    """Fill gaps with the extreme of the same data set and fold, or else of the data set."""
    if not gaps.any():
        return values
    extreme = np.fmax if largest else np.fmin
    same_fold = (rows.dataset * len(rows.repeats) + rows.repeat) * len(rows.folds) + rows.fold
    values = values.copy()
    for group in (np.unique(same_fold, return_inverse=True)[1], rows.dataset):
        found = np.full(int(group.max()) + 1, np.nan)
        extreme.at(found, group, values)
        still = gaps & np.isnan(values)
        values[still] = found[group[still]]
    return values


def _largest_of_rows(matrix: FloatArray) -> FloatArray:
    return np.fmax.reduce(matrix, axis=1, keepdims=True)
