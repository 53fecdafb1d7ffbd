"""Scores of items as they come become `ItemScores`: sorted by data set, checked, small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import CellError, ColumnError, Option, ParameterError
from palio.measures import Measure
from palio.scores.columns import Coded, Texts, dense, first_places
from palio.scores.items import NO_SCORE, ONE_DATASET, ItemScores, Repeats
from palio.scores.limits import LARGEST
from palio.scores.missing import failed_rows
from palio.scores.rows import distinct_names, floats, repeated
from palio.scores.table import well_known
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from palio.scores.columns import Columns
    from palio.scores.items import ItemValues
    from palio.scores.rows import Rows
    from palio.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ItemRows:
    """One row per item, as they come: names, scores (n, K), and what each item has beside them."""

    algorithms: tuple[str, ...]
    measure: Measure
    dataset: Coded
    item: Coded
    values: ItemValues
    cluster: Coded | None = None
    weights: FloatArray | None = None
    repeats: Repeats | None = None
    notes: tuple[str, ...] = ()
    measures: Mapping[str, Measure] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """What a table says of its items, row by row: their clusters and weights, if it does."""

    cluster: Coded | None = None
    weights: FloatArray | None = None

    @classmethod
    def of(cls, columns: Columns, keys: Mapping[str, str]) -> Beside:
        """Take the columns that play the roles."""
        return cls(
            columns.labels(keys["cluster"]) if "cluster" in keys else None,
            columns.numbers(keys["weight"]).checked() if "weight" in keys else None,
        )

    def take(self, places: IntArray | BoolArray) -> Beside:
        """Return what is said in some of the rows."""
        cluster = self.cluster
        return Beside(
            None if cluster is None else Coded(cluster.codes[places], cluster.names),
            None if self.weights is None else self.weights[places],
        )

    def of_items(self, first: IntArray, place: IntArray) -> Beside:
        """Return what is said of each item, which all of its rows must say alike."""
        for role, values in (
            ("cluster", None if self.cluster is None else self.cluster.codes),
            ("weight", self.weights),
        ):
            if values is not None and (differs := values != values[first][place]).any():
                raise CellError(
                    role,
                    f"an item has one {role}, whoever is tested on it",
                    f"{count(np.unique(place[differs]).size, 'item has', 'items have')} several",
                    f"name another column with {Option(role)}, or correct the table",
                )
        return self.take(first)


NOTHING = Beside()


def item_scores(rows: Rows, measure: Measure, item: Coded, beside: Beside) -> ItemScores:
    """Make item scores of rows, one per result on an item; several of one item are repeats."""
    return from_results(
        Coded(rows.dataset, rows.datasets),
        item,
        Coded(rows.algorithm, rows.algorithms),
        np.where(failed_rows(rows), np.nan, rows.scores[measure.name]),
        measure,
        beside,
    )


def from_results(
    dataset: Coded,
    item: Coded,
    algorithm: Coded,
    scores: FloatArray,
    measure: Measure,
    beside: Beside = NOTHING,
) -> ItemScores:
    """Make item scores of results, one each on an item; several of one item are repeats."""
    place = dense(dataset.codes * len(item.names) + item.codes)
    first = first_places(place)
    shape = first.size, len(algorithm.names)
    values, repeats = _in_cells(place * shape[1] + algorithm.codes, scores, shape)
    own = beside.of_items(first, place)
    return assembled(
        ItemRows(
            algorithm.names,
            measure,
            dataset.take(first),
            item.take(first),
            values,
            own.cluster,
            own.weights,
            repeats,
        ),
        alone=True,  # whether one algorithm will do, the table says
    )


def from_rows_of_items(
    algorithms: tuple[str, ...],
    measure: Measure,
    dataset: Coded,
    item: Coded,
    values: ItemValues,
    beside: Beside = NOTHING,
    notes: tuple[str, ...] = (),
) -> ItemScores:
    """Make item scores of rows with a score of each algorithm; rows of one item are repeats."""
    place = dense(dataset.codes * len(item.names) + item.codes)
    first = first_places(place)
    repeats = None
    if first.size < place.size:
        cell = place[:, np.newaxis] * len(algorithms) + np.arange(len(algorithms))
        numbers = np.asarray(values, dtype=np.float64).reshape(-1)
        values, repeats = _in_cells(cell.reshape(-1), numbers, (first.size, len(algorithms)))
    else:
        values = _taken(values, first)
    own = beside.of_items(first, place)
    return assembled(
        ItemRows(
            algorithms,
            measure,
            dataset.take(first),
            item.take(first),
            values,
            own.cluster,
            own.weights,
            repeats,
            notes,
        ),
        alone=True,  # whether one algorithm will do, the table says
    )


def _in_cells(
    cell: IntArray, scores: FloatArray, shape: tuple[int, int]
) -> tuple[FloatArray, Repeats | None]:
    """Return the means of scores by cell, and of how many repeats they are if any is of several."""
    there = ~np.isnan(scores)
    if not there.all():
        cell, scores = cell[there], scores[there]
    size = shape[0] * shape[1]
    means = np.full(size, np.nan)
    counts = np.bincount(cell, minlength=size)
    if counts.max(initial=0) < 2:
        means[cell] = scores
        return means.reshape(shape), None
    np.divide(
        np.bincount(cell, weights=scores, minlength=size), counts, out=means, where=counts > 0
    )
    with np.errstate(invalid="ignore"):  # what is infinite is refused further on
        away: FloatArray = (scores - means[cell]) ** 2
    squares: FloatArray = np.bincount(cell, weights=away, minlength=size).astype(np.float64)
    return means.reshape(shape), Repeats(counts.reshape(shape), squares.reshape(shape))


def assembled(rows: ItemRows, *, alone: bool = False) -> ItemScores:
    """Check the rows and put them in order: by data set, within it as they come."""
    _check(rows, alone=alone)
    # The names of data sets without an item are left out; the others keep their order.
    there, place = np.unique(rows.dataset.codes, return_inverse=True)
    order = np.argsort(place, kind="stable")
    dataset_of = place[order]
    return ItemScores(
        datasets=tuple(rows.dataset.names[code] for code in there.tolist()),
        algorithms=rows.algorithms,
        measure=rows.measure,
        labels=tuple(rows.item.names[code] for code in rows.item.codes[order].tolist()),
        dataset_of=dataset_of,
        values=_taken(_compact(rows.values, rows.repeats), order),
        cluster_of=None if rows.cluster is None else _numbers_of(rows.cluster, dataset_of, order),
        weights=None if rows.weights is None else rows.weights[order],
        repeats=None
        if rows.repeats is None
        else Repeats(*(_taken(each, order) for each in rows.repeats)),
        notes=rows.notes,
        measures=rows.measures or {},
    )


def _taken(values: Any, order: IntArray) -> Any:
    # A matrix of items may be large, and mostly it is in order.
    return values if (np.diff(order) == 1).all() else values[order]


def _numbers_of(cluster: Coded, dataset_of: IntArray, order: IntArray) -> IntArray:
    """Return the number of each item's cluster, within data sets, in order of appearance."""
    key = dataset_of * len(cluster.names) + cluster.codes[order]
    first, place = np.unique(key, return_index=True, return_inverse=True)[1:]
    return np.argsort(np.argsort(first))[place]


def _compact(values: ItemValues, repeats: Repeats | None) -> ItemValues:
    """Return bytes where every score is 0 or 1; the mean of repeats stays what it is."""
    if values.dtype == np.uint8 or repeats is not None:
        return values
    gone = np.isnan(values)
    if not ((values == 0) | (values == 1) | gone).all():
        return values
    with np.errstate(invalid="ignore"):
        small = values.astype(np.uint8)
    small[gone] = NO_SCORE
    return small


# --- checks --------------------------------------------------------------------------------


def _check(rows: ItemRows, *, alone: bool) -> None:
    if not rows.values.size:
        raise CellError("scores", "there are no items", remedy="Give at least one")
    if len(rows.algorithms) < 2 and not alone:
        raise ColumnError(
            "algorithm",
            "at least two algorithms are needed",
            f"there is {len(rows.algorithms)} ({quoted(rows.algorithms)})",
            "add the scores of a second one",
        )
    again = repeated(rows.dataset.codes * len(rows.item.names) + rows.item.codes)
    if again.size:
        shown = [f"{rows.item.name(a)!r} on {rows.dataset.name(a)!r}" for a, _ in again[:3]]
        raise CellError(
            "item",
            f"each item stands once, but {count(len(again), 'row repeats', 'rows repeat')} an "
            f"earlier one: {listed(shown, limit=3, total=len(again))}",
            remedy="If they are repeats, give them along a third axis",
        )
    if rows.values.dtype != np.uint8 and (np.abs(rows.values) > LARGEST).any():
        row, column = np.argwhere(np.abs(rows.values) > LARGEST)[0].tolist()
        raise CellError(
            "scores",
            f"{rows.measure.name} must be finite, within ±{LARGEST:g}",
            f"that of {rows.algorithms[column]!r} on item {rows.item.name(row)!r} is not",
            "leave out what is missing",
        )
    if rows.weights is not None and not (np.isfinite(rows.weights) & (rows.weights > 0)).all():
        raise CellError(
            "weight", "it is a positive number for each item", remedy="Leave out items of no weight"
        )


# --- from arrays ---------------------------------------------------------------------------


def items_from_arrays(
    scores: ArrayLike,
    algorithms: Sequence[str],
    measure: Measure | str,
    names: Mapping[str, Sequence[object] | None],
    weight: ArrayLike | None,
    notes: tuple[str, ...],
) -> ItemScores:
    """Make item scores of an (n, K) or (n, K, R) array and the names of its rows."""
    values = _matrix(scores)
    width = len(distinct_names("algorithms", algorithms))
    if values.ndim not in (2, 3) or values.shape[1] != width:
        raise ParameterError(
            "scores",
            f"an array of items × {count(width, 'algorithm')}, or × repeats besides, is needed",
            f"its shape is {values.shape}",
        )
    repeats = None
    if values.ndim == 3:
        values, repeats = averaged(np.asarray(values, dtype=np.float64))
    size = len(values)
    given = {role: _coded(role, each, size) for role, each in names.items() if each is not None}
    weights = None if weight is None else floats("weight", weight)
    if weights is not None and weights.shape != (size,):
        raise ParameterError("weight", "one per item is needed", f"its shape is {weights.shape}")
    return assembled(
        ItemRows(
            distinct_names("algorithms", algorithms),
            measure if isinstance(measure, Measure) else well_known(measure),
            given.get("dataset", Coded(np.zeros(size, dtype=np.intp), (ONE_DATASET,))),
            given.get("item", Coded(np.arange(size), tuple(map(str, range(1, size + 1))))),
            values,
            given.get("cluster"),
            weights,
            repeats,
            notes,
        )
    )


def _matrix(scores: ArrayLike) -> Any:
    """Return a copy of the scores: bytes where they are whole numbers 0 and 1, else floats."""
    given: NDArray[Any] = np.asarray(scores)
    if given.dtype.kind in "bui" and given.ndim == 2 and bool(((given == 0) | (given == 1)).all()):
        return given.astype(np.uint8)
    return floats("scores", scores)


def averaged(values: FloatArray) -> tuple[FloatArray, Repeats]:
    """Return the means over the last axis, and of how many repeats and how far apart these are.

    >>> means, repeats = averaged(np.array([[[0.0, 1.0], [1.0, np.nan]]]))
    >>> means, repeats.squares
    (array([[0.5, 1. ]]), array([[0.5, 0. ]]))
    """
    there = ~np.isnan(values)
    counts = there.sum(axis=-1)
    means = np.full(counts.shape, np.nan)
    np.divide(np.where(there, values, 0.0).sum(axis=-1), counts, out=means, where=counts > 0)
    away = np.where(there, values - means[..., np.newaxis], 0.0)
    return means, Repeats(counts, (away**2).sum(axis=-1))


def _coded(role: str, given: Sequence[object], size: int) -> Coded:
    names = [str(each).strip() for each in given]
    if len(names) != size or not all(names):
        raise ParameterError(
            role,
            f"a name for each of the {count(size, 'item')} is needed",
            f"{len(names)} were given, {names.count('')} of them empty",
        )
    return coded_names(names)


def coded_names(names: Sequence[str]) -> Coded:
    """Return names by their places among the different ones, in order of first appearance."""
    codes, found = Texts(names).factorize()
    return Coded(codes, tuple(found))
