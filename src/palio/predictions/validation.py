"""Rows of predictions are checked and become a grid of instances by algorithms: the one door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, ColumnError, MissingCellsError
from palio.predictions.table import Predictions
from palio.scores.columns import label_order
from palio.scores.rows import repeated
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from palio.scores.columns import Coded, Columns, Origin
    from palio.types import FloatArray, IntArray

SUM_TOLERANCE = 0.01
"""How far the probabilities of an instance may be from 1 together: tables are rounded."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """One row per instance and algorithm, not yet checked.

    ``keys`` holds the codes and labels of each column that identifies the instances;
    ``probabilities`` has one column per class.
    """

    algorithms: tuple[str, ...]
    classes: tuple[str, ...]
    keys: Mapping[str, Coded]
    algorithm: IntArray
    truth: IntArray
    predicted: IntArray
    probabilities: FloatArray | None
    origin: Origin
    notes: tuple[str, ...]

    def instances(self) -> tuple[IntArray, IntArray]:
        """Return the first row of each instance, and the instance of each row."""
        key = np.zeros(self.algorithm.size, dtype=np.intp)
        for codes, labels in self.keys.values():
            key = key * len(labels) + codes
        _, first, instance = np.unique(key, return_index=True, return_inverse=True)
        return np.asarray(first), np.asarray(instance).reshape(-1)

    def describe(self, row: int) -> str:
        """Name the instance of a row."""
        told = [
            f"{role} {labels[int(codes[row])]!r}"
            for role, (codes, labels) in reversed(list(self.keys.items()))
            if role == "instance" or len(labels) > 1
        ]
        return f"{told[0]} ({', '.join(told[1:])})" if told[1:] else told[0]


def class_codes(
    columns: Columns, names: Iterable[str], *, more: Iterable[str] = ()
) -> tuple[tuple[str, ...], list[IntArray]]:
    """Return the classes of several columns, sorted, and the codes of each column.

    ``more`` are classes that may not occur in the columns.
    """
    coded = [columns.labels(name) for name in names]
    found = {label for each in coded for label in each.names} | set(more)
    classes = tuple(sorted(found, key=label_order))
    place = {label: i for i, label in enumerate(classes)}
    return classes, [
        np.array([place[label] for label in each.names], dtype=np.intp)[each.codes]
        for each in coded
    ]


def assembled(cells: Cells) -> Predictions:
    """Check the rows and put them into arrays, instances in order of first appearance."""
    k = len(cells.algorithms)
    if k < 2:
        raise ColumnError(
            "algorithm",
            "at least two algorithms are needed",
            remedy=f"found {k} ({quoted(cells.algorithms)}). Add the predictions of a second one",
        )
    first, instance = cells.instances()
    order = _grid(cells, first, instance)
    _check_truth(cells, order)
    _check_probabilities(cells)
    probabilities = None
    if cells.probabilities is not None:
        probabilities = cells.probabilities[order]
    return Predictions(
        algorithms=cells.algorithms,
        classes=cells.classes,
        truth=cells.truth[first],
        predicted=cells.predicted[order],
        probabilities=probabilities,
        keys={
            role: tuple(labels[code] for code in codes[first].tolist())
            for role, (codes, labels) in cells.keys.items()
        },
        notes=(*cells.notes, *pooled({role: each.names for role, each in cells.keys.items()})),
    )


def _grid(cells: Cells, first: IntArray, instance: IntArray) -> IntArray:
    """Return the row of each instance and algorithm: (n, K)."""
    n, k = len(first), len(cells.algorithms)
    place = instance * k + cells.algorithm
    again = repeated(place)
    if again.size:
        shown = [
            f"{cells.algorithms[int(cells.algorithm[pair[0]])]!r} on "
            f"{cells.describe(int(pair[0]))} ({cells.origin.at(pair)})"
            for pair in again[:3]
        ]
        raise CellError(
            "rows",
            "each instance and algorithm may have one prediction, but "
            f"{count(len(again), 'prediction repeats', 'predictions repeat')} an earlier one: "
            f"{listed(shown, limit=3, total=len(again))}",
            remedy="Remove the ones too many; if they are folds, repeats or data sets, add a "
            "column that says so",
        )
    if place.size < n * k:
        raise _incomplete(cells, first, np.setdiff1d(np.arange(n * k), place))
    return np.argsort(place).reshape(n, k)


def _incomplete(cells: Cells, first: IntArray, gaps: IntArray) -> MissingCellsError:
    k = len(cells.algorithms)
    lacks = []
    for j in np.unique(gaps % k).tolist():
        own = gaps[gaps % k == j] // k
        shown = listed(
            (cells.describe(int(first[i])) for i in own[:3].tolist()), limit=3, total=own.size
        )
        lacks.append(f"{cells.algorithms[j]!r} lacks {count(own.size, 'instance')} ({shown})")
    return MissingCellsError(
        "rows",
        "the algorithms must be tested on the same instances, but of "
        f"{count(len(first), 'instance')} {listed(lacks, limit=3)}",
        remedy="Add those predictions, or leave out the instances or the algorithms concerned",
    )


def _check_truth(cells: Cells, order: IntArray) -> None:
    truth = cells.truth[order]
    differs = np.flatnonzero((truth != truth[:, :1]).any(axis=1))
    if not differs.size:
        return
    rows = order[differs[0]]
    found = [cells.classes[code] for code in dict.fromkeys(cells.truth[rows].tolist())]
    raise CellError(
        "truth",
        "an instance has one true class, whoever predicts it, but "
        f"{count(differs.size, 'instance has', 'instances have')} several: the first, "
        f"{cells.describe(int(rows[0]))}, has {quoted(found)} ({cells.origin.at(np.sort(rows))})",
        remedy="Correct the table",
    )


def _check_probabilities(cells: Cells) -> None:
    values = cells.probabilities
    if values is None:
        return
    # An algorithm may give none at all, but not some.
    absent = np.isnan(values)
    gives = np.array([not absent[cells.algorithm == j].all() for j in range(len(cells.algorithms))])
    gaps = np.flatnonzero(absent.any(axis=1) & gives[cells.algorithm])
    if gaps.size:
        raise MissingCellsError(
            "probabilities",
            f"an algorithm gives all of them or none, but {_rows_told(cells, gaps)} without one",
            remedy="Fill in the cells, or leave out the probabilities of the algorithm",
        )
    outside = np.flatnonzero(((values < 0) | (values > 1)).any(axis=1))
    if outside.size:
        raise CellError(
            "probabilities",
            f"they lie between 0 and 1, but {_rows_told(cells, outside)} with another number",
            remedy="Correct the table",
        )
    sums = values.sum(axis=1)
    off = np.flatnonzero(np.abs(sums - 1) > SUM_TOLERANCE)
    if off.size:
        raise CellError(
            "probabilities",
            f"those of {quoted(cells.classes)} must sum to 1, but {_rows_told(cells, off)} with "
            f"another sum, the first with {sums[off[0]]:.4g}",
            remedy="Correct the table, or remove the columns",
        )


def _rows_told(cells: Cells, rows: IntArray) -> str:
    there = "there is" if rows.size == 1 else "there are"
    return f"{there} {count(rows.size, 'row')} ({cells.origin.at(rows)})"


def pooled(keys: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Say what the tests do not know: that instances come from several data sets or again."""
    several = {role: size for role, names in keys.items() if (size := len(set(names))) > 1}
    notes = []
    if "dataset" in several:
        notes.append(f"The instances of {several['dataset']} data sets are taken together.")
    if "repeat" in several:
        notes.append(
            f"The same instances come again in {several['repeat']} repeats and are not"
            " independent: p-values are too small. Give one repeat."
        )
    return tuple(notes)
