"""Scores of items as they come become `ItemScores`: sorted by data set, checked, small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import CellError, ColumnError, Option, require
from palio.measures import Measure
from palio.scores.columns import Coded, Texts, dense, first_places
from palio.scores.items import NO_SCORE, ONE_DATASET, ItemScores, Repeats, numbered
from palio.scores.limits import LARGEST
from palio.scores.rows import distinct_names, floats, repeated
from palio.scores.table import well_known
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from palio.scores.columns import Columns
    from palio.scores.items import ItemValues
    from palio.types import FloatArray, IntArray


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

    def take(self, places: IntArray) -> Beside:
        """Return what is said in some of the rows."""
        return Beside(
            None if self.cluster is None else self.cluster.take(places),
            None if self.weights is None else self.weights[places],
        )

    def of_items(self, first: IntArray, place: IntArray) -> Beside:
        """Return what is said of each item, which all of its rows must say alike."""
        clusters = None if self.cluster is None else self.cluster.codes
        for role, values in (("cluster", clusters), ("weight", self.weights)):
            if values is not None and (differs := values != values[first][place]).any():
                rule = f"an item has one {role}, whoever is tested on it"
                n_several = np.unique(place[differs]).size
                several = f"{count(n_several, 'item has', 'items have')} several"
                remedy = f"name another column with {Option(role)}, or correct the table"
                raise CellError(role, rule, several, remedy)
        return self.take(first)


NOTHING = Beside()


def item_scores(
    dataset: Coded,
    item: Coded,
    algorithm: Coded | tuple[str, ...],
    scores: ItemValues,
    measure: Measure,
    beside: Beside = NOTHING,
    notes: tuple[str, ...] = (),
) -> ItemScores:
    """Make item scores of results, one each on an item; several of one item are repeats.

    Where ``algorithm`` are only names, each row has a score of each.
    """
    place = dense(dataset.codes * len(item.names) + item.codes)
    first = first_places(place)
    if isinstance(algorithm, Coded):
        names, cell = algorithm.names, place * len(algorithm.names) + algorithm.codes
    else:
        names, cell = algorithm, None
        if first.size < place.size:
            cell = np.add.outer(place * len(names), np.arange(len(names))).reshape(-1)
    if cell is None:
        found: tuple[ItemValues, Repeats | None] = _taken(scores, first), None
    else:
        numbers = np.asarray(scores, dtype=np.float64).reshape(-1)
        found = _in_cells(cell, numbers, (first.size, len(names)))
    where = dataset.take(first), item.take(first)
    return _assembled(names, measure, *where, *found, beside.of_items(first, place), notes)


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


def _assembled(
    algorithms: tuple[str, ...],
    measure: Measure,
    dataset: Coded,
    item: Coded,
    values: ItemValues,
    repeats: Repeats | None,
    beside: Beside,
    notes: tuple[str, ...] = (),
) -> ItemScores:
    """Check a matrix with a row per item and put it in order: by data set, within it as it comes.

    The names of data sets without an item are left out; the others keep their order.
    """
    if not values.size:
        raise CellError("scores", "there are no items", remedy="Give at least one")
    if values.dtype != np.uint8 and (huge := np.abs(values) > LARGEST).any():
        row, column = np.argwhere(huge)[0].tolist()
        rule = f"{measure.name} must be finite, within ±{LARGEST:g}"
        which = f"that of {algorithms[column]!r} on item {item.name(row)!r} is not"
        raise CellError("scores", rule, which, "leave out what is missing")
    weights, cluster = beside.weights, beside.cluster
    if weights is not None and not (np.isfinite(weights) & (weights > 0)).all():
        rule = "it is a positive number for each item"
        raise CellError("weight", rule, remedy="Leave out items of no weight")
    there, place = np.unique(dataset.codes, return_inverse=True)
    order = np.argsort(place, kind="stable")
    dataset_of = place[order]
    cluster_of = None
    if cluster is not None:  # one of another data set is another one
        cluster_of = numbered(dataset_of * len(cluster.names) + cluster.codes[order])
    return ItemScores(
        datasets=tuple(dataset.names[code] for code in there.tolist()),
        algorithms=algorithms,
        measure=measure,
        labels=tuple(item.names[code] for code in item.codes[order].tolist()),
        dataset_of=dataset_of,
        values=_taken(_compact(values) if repeats is None else values, order),
        cluster_of=cluster_of,
        weights=None if weights is None else weights[order],
        repeats=None if repeats is None else Repeats(*(_taken(each, order) for each in repeats)),
        notes=notes,
    )


def _taken(values: Any, order: IntArray) -> Any:
    # A matrix of items may be large, and mostly it is in order.
    return values if (np.diff(order) == 1).all() else values[order]


def _compact(values: ItemValues) -> ItemValues:
    """Return bytes where every score is 0 or 1."""
    if values.dtype == np.uint8:
        return values
    gone = np.isnan(values)
    if not ((values == 0) | (values == 1) | gone).all():
        return values
    with np.errstate(invalid="ignore"):
        small = values.astype(np.uint8)
    small[gone] = NO_SCORE
    return small


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
    values, repeats = _matrix(scores), None
    algorithms = distinct_names("algorithms", algorithms)
    rule = f"an array of items × {count(len(algorithms), 'algorithm')}, or × repeats besides, is "
    fits = values.ndim in (2, 3) and values.shape[1] == len(algorithms)
    require(fits, "scores", f"{rule}needed", values.shape)
    refuse_few(algorithms, "scores")
    size, shape = len(values), values.shape[:2]
    if values.ndim == 3:
        cell = np.repeat(np.arange(shape[0] * shape[1]), values.shape[2])
        values, repeats = _in_cells(cell, values.reshape(-1), shape)
    given = {role: _coded(role, each, size) for role, each in names.items() if each is not None}
    dataset = given.get("dataset", Coded(np.zeros(size, dtype=np.intp), (ONE_DATASET,)))
    item = given.get("item", Coded(np.arange(size), tuple(map(str, range(1, size + 1)))))
    again = repeated(dataset.codes * len(item.names) + item.codes)
    if again.size:
        shown = [f"{item.name(a)!r} on {dataset.name(a)!r}" for a, _ in again[:3]]
        rule = f"each item stands once, but {count(len(again), 'row repeats', 'rows repeat')} an "
        rule += f"earlier one: {listed(shown, limit=3, total=len(again))}"
        raise CellError("item", rule, remedy="If they are repeats, give them along a third axis")
    weights = None if weight is None else floats("weight", weight)
    if weights is not None:
        require(weights.shape == (size,), "weight", "one per item is needed", weights.shape)
    known = measure if isinstance(measure, Measure) else well_known(measure)
    beside = Beside(given.get("cluster"), weights)
    return _assembled(algorithms, known, dataset, item, values, repeats, beside, notes)


def refuse_few(algorithms: Sequence[str], of_what: str) -> None:
    """Raise if there are not two algorithms to compare."""
    if len(algorithms) < 2:
        found = f"found {len(algorithms)} ({quoted(algorithms)})"
        remedy = f"add the {of_what} of a second one"
        raise ColumnError("algorithm", "at least two algorithms are needed", found, remedy)


def _matrix(scores: ArrayLike) -> Any:
    """Return a copy of the scores: floats, or bytes of truth values, for these may be many."""
    given: NDArray[Any] = np.asarray(scores)
    is_truth = given.dtype == np.bool_ and given.ndim == 2
    return given.astype(np.uint8) if is_truth else floats("scores", scores)


def _coded(role: str, given: Sequence[object], size: int) -> Coded:
    names = [str(each).strip() for each in given]
    rule = f"a name for each of the {count(size, 'item')} is needed"
    require(len(names) == size and all(names), role, rule, names[:3])
    return coded_names(names)


def coded_names(names: Sequence[str]) -> Coded:
    """Return names by their places among the different ones, in order of first appearance."""
    codes, found = Texts(names).factorize()
    return Coded(codes, tuple(found))
