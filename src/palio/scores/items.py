"""ItemScores: a score per item and algorithm, for those who ask about other items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from palio.errors import CellError, DesignError, Option, require
from palio.measures import Measure
from palio.results import Shown
from palio.scores.columns import Coded, first_places, joint_places, numbered
from palio.scores.limits import LARGEST
from palio.scores.rows import (
    codes_of,
    distinct_names,
    floats,
    known_measure,
    means_by,
    read_only,
    refuse_few,
)
from palio.scores.summary import size_of
from palio.words import count, joined

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from palio.scores.rows import Rows
    from palio.scores.spec import Names
    from palio.scores.summary import Understood
    from palio.scores.table import ScoreTable
    from palio.types import BoolArray, FloatArray, IntArray

    ItemValues: TypeAlias = NDArray[np.uint8] | FloatArray

NO_SCORE = 255
"""What stands for a missing score among bytes."""

MODELS_STAY = (
    "items are drawn anew, trained models are not: how they vary with training is not seen"
)
"""What is not known from the predictions of models that were trained once, or a few times."""

ONE_DATASET = "items"
"""What items are called together where nothing says which data set they are of."""


ReadOver = Literal["items", "datasets"]
"""What would be drawn anew: other items of these data sets, or other data sets like these."""

ENOUGH_DATASETS = 6
"""With item scores on fewer data sets than this, items are what is drawn anew unless said."""


class Repeats(NamedTuple):
    """The repeats of items: how many each algorithm has, and how far they are from their mean.

    ``counts`` (n, K) are the repeats with a score, ``squares`` (n, K) the sums of their squared
    deviations from the item's mean; 0 where there is one repeat or none.
    """

    counts: IntArray
    squares: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemScores(Shown):
    """Scores of algorithms on the items of data sets: questions, test cases, instances.

    One row per item, one column per algorithm. Make one with `read_items`,
    `ItemScores.from_arrays` or `Predictions.to_items`; all validate. The arrays cannot be written
    to, and every method that changes something returns a new value.

    Parameters
    ----------
    datasets, algorithms : tuple of str
        The names of the S data sets and K algorithms.
    measure : Measure
        The score.
    labels : tuple of str
        The names of the n items; a name may come again in another data set.
    dataset_of : array (n,)
        The place of each item's data set in ``datasets``; it never decreases.
    values : array (n, K)
        Where every score is 0 or 1 and no item is repeated, bytes: 0, 1, or 255 for a missing
        score. Otherwise float64, NaN where missing; the mean over the repeats of an item.
    cluster_of : array (n,), optional
        The number of each item's cluster (a passage with several questions), counted from 0 over
        all data sets; a cluster lies within one data set.
    repeats : Repeats, optional
        Of how many repeats each mean is, and their spread.
    notes : tuple of str
        What was recognised on the way.
    measures : mapping of str to Measure
        What was measured on each data set, where that differs, as in `ScoreTable`.

    Examples
    --------
    >>> items = ItemScores.from_arrays(
    ...     [[1, 0], [1, 1], [0, 0]], algorithms=["tree", "knn"], measure="accuracy",
    ...     dataset=["iris", "iris", "wine"],
    ... )
    >>> items
    <ItemScores: 3 items of 2 data sets × 2 algorithms, accuracy (higher is better), 0 or 1>
    >>> items.to_scores().means()
    array([[1. , 0.5],
           [0. , 0. ]])
    """

    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    measure: Measure
    labels: tuple[str, ...]
    dataset_of: IntArray
    values: ItemValues
    cluster_of: IntArray | None = None
    repeats: Repeats | None = None
    notes: tuple[str, ...] = ()
    measures: Mapping[str, Measure] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("dataset_of", "values", "cluster_of"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read_only(getattr(self, name)))
        if self.repeats is not None:
            object.__setattr__(self, "repeats", Repeats(*map(read_only, self.repeats)))

    @classmethod
    def from_arrays(
        cls,
        scores: ArrayLike,
        *,
        algorithms: Sequence[str],
        measure: Measure | str,
        dataset: Sequence[object] | None = None,
        item: Sequence[object] | None = None,
        cluster: Sequence[object] | None = None,
        notes: Sequence[str] = (),
    ) -> ItemScores:
        """Make item scores of arrays.

        Parameters
        ----------
        scores : array-like, (n, K) or (n, K, R)
            One value per item and algorithm, or one per repeat; NaN where there is none.
        algorithms : sequence of str
            The K names.
        measure : Measure or str
            The measure, or a well-known name.
        dataset, item, cluster : sequence, optional
            The data set, the name and the cluster of each item; by default one data set, numbered
            items, no clusters.
        notes : sequence of str, optional
            Notes to carry along.

        Returns
        -------
        ItemScores

        Examples
        --------
        >>> ItemScores.from_arrays(
        ...     [[[1, 0], [1, 1]], [[0, 0], [1, np.nan]]], algorithms=["tree", "knn"],
        ...     measure="accuracy",
        ... ).repeats.counts
        array([[2, 2],
               [2, 1]])
        """
        names = distinct_names("algorithms", algorithms)
        refuse_few(names, "scores")
        values = np.asarray(scores)
        if values.dtype != np.bool_:  # truth values may be many, and stay bytes
            values = floats("scores", scores)
        values, rule = np.atleast_3d(values), f"items × {count(len(names), 'algorithm')} are needed"
        fits = values.ndim == 3 and values.shape[1] == len(names)
        require(fits, "scores", f"{rule}, or these × repeats", values.shape)
        size, _, n_repeats = values.shape
        row = np.tile(np.arange(size), n_repeats)
        return item_scores(
            _coded("dataset", [ONE_DATASET] * size if dataset is None else dataset, size).take(row),
            _coded("item", range(1, size + 1) if item is None else item, size).take(row),
            names,
            np.moveaxis(values, 2, 0).reshape(-1, len(names)),
            known_measure(measure),
            None if cluster is None else _coded("cluster", cluster, size).take(row),
            tuple(notes),
        )

    # --- what there is ---------------------------------------------------------------------

    @property
    def n_items(self) -> int:
        """The number of items of all data sets."""
        return len(self.labels)

    @property
    def n_datasets(self) -> int:
        """The number of data sets."""
        return len(self.datasets)

    @property
    def n_algorithms(self) -> int:
        """The number of algorithms."""
        return len(self.algorithms)

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters of all data sets, where there are clusters."""
        return None if self.cluster_of is None else int(self.cluster_of.max()) + 1

    @property
    def is_binary(self) -> bool:
        """Whether every score is 0 or 1, and no item is repeated."""
        return self.values.dtype == np.uint8

    @property
    def is_complete(self) -> bool:
        """Whether every algorithm has a score on every item."""
        return bool(self.answered().all())

    @property
    def sizes(self) -> IntArray:
        """The number of items of each data set."""
        return np.bincount(self.dataset_of, minlength=self.n_datasets)

    def slice_of(self, dataset: str | int) -> slice:
        """Return where the items of a data set are, by its name or its place."""
        code = dataset
        if isinstance(code, str):
            (code,) = codes_of("dataset", "dataset", [code], self.datasets)
        start, stop = np.searchsorted(self.dataset_of, [code, code + 1])
        return slice(int(start), int(stop))

    # --- numbers ---------------------------------------------------------------------------

    def answered(self) -> BoolArray:
        """Mark the items that each algorithm has a score on: (n, K)."""
        return self.values != NO_SCORE if self.is_binary else ~np.isnan(self.values)

    def block(self, dataset: str | int) -> FloatArray:
        """Return the scores on the items of one data set, by its name or its place: float64.

        Examples
        --------
        >>> ItemScores.from_arrays(
        ...     [[1, np.nan], [0, 1]], algorithms=["a", "b"], measure="accuracy"
        ... ).block(0)
        array([[ 1., nan],
               [ 0.,  1.]])
        """
        return self._floats(self.values[self.slice_of(dataset)])

    def as_floats(self) -> FloatArray:
        """Return the scores as float64, NaN where missing: (n, K)."""
        return self._floats(self.values)

    def goodness(self) -> FloatArray:
        """Return the scores turned so that higher is better: (n, K)."""
        return self.measure.turned(self.as_floats())

    def _floats(self, values: ItemValues) -> FloatArray:
        if not self.is_binary:
            return np.asarray(values, dtype=np.float64)
        numbers = values.astype(np.float64)
        numbers[values == NO_SCORE] = np.nan
        return numbers

    def means(self) -> FloatArray:
        """Return each data set's mean over the items that an algorithm has: (S, K).

        NaN where it has none.
        """
        blocks = map(self.block, range(self.n_datasets))
        with np.errstate(invalid="ignore"):  # 0 / 0
            sums = [np.nansum(each, axis=0) / (~np.isnan(each)).sum(axis=0) for each in blocks]
        return np.array(sums)

    # --- other values ----------------------------------------------------------------------

    def select(self, datasets: Names | None = None, algorithms: Names | None = None) -> ItemScores:
        """Return the scores on some data sets, of some algorithms, in the order given.

        Examples
        --------
        >>> items = ItemScores.from_arrays(
        ...     [[1, 2, 3], [4, 5, 6]], algorithms=["a", "b", "c"], measure="error",
        ...     dataset=["iris", "wine"],
        ... )
        >>> items.select(["wine"], ["c", "a"]).values
        array([[6., 4.]])
        """
        own = codes_of("datasets", "dataset", datasets, self.datasets)
        columns = codes_of("algorithms", "algorithm", algorithms, self.algorithms)
        rows = np.r_[tuple(self.slice_of(code) for code in own)]
        here = np.ix_(rows, np.asarray(columns, dtype=np.intp))
        chosen = replace(
            self,
            datasets=tuple(self.datasets[code] for code in own),
            algorithms=tuple(self.algorithms[code] for code in columns),
            labels=tuple(self.labels[row] for row in rows.tolist()),
            dataset_of=np.repeat(np.arange(len(own)), self.sizes[own]),
            values=self.values[here],
            cluster_of=None if self.cluster_of is None else numbered(self.cluster_of[rows]),
            repeats=None if self.repeats is None else Repeats(*(e[here] for e in self.repeats)),
        )
        return chosen._of_its_measures()

    def on(self, dataset: str) -> ItemScores:
        """Return the scores on the items of one data set."""
        return self.select(datasets=[dataset])

    def turned_to(self, measure: Measure, measures: Mapping[str, Measure]) -> ItemScores:
        """Return the scores under one measure, or ``measures`` by data set, in its direction."""
        values, up = self.values, measure.higher_is_better
        down = np.array([measures.get(x, measure).higher_is_better != up for x in self.datasets])
        if down.any():
            turned = down[self.dataset_of, np.newaxis]
            values = np.where(turned, -self.as_floats(), self.as_floats())
        return replace(self, measure=measure, measures=dict(measures), values=values)

    def _of_its_measures(self) -> ItemScores:
        """Return the scores as they were, where only one of several measures is left."""
        left = {name: each for name, each in self.measures.items() if name in self.datasets}
        if len(set(left.values())) > 1 or not left:
            return replace(self, measures=left)
        as_were = self.turned_to(self.measure, left)
        own = replace(next(iter(left.values())), name=self.measure.name)
        return replace(as_were, measure=own, measures={})

    def to_scores(self) -> ScoreTable:
        """Return the table of means over items, one value per data set and algorithm.

        Each mean is over the items that the algorithm has; the table keeps the item scores.
        """
        from palio.scores.table import ScoreTable

        table = ScoreTable.from_arrays(
            self.means(),
            datasets=self.datasets,
            algorithms=self.algorithms,
            measure=self.measure,
            keep_failing=True,
            notes=self.notes,
        )
        return replace(table, items=self, measures=self.measures)

    # --- faces -----------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item and algorithm that has a score on it, as `read_items` reads them.

        With repeats there is one row for each item's mean.
        """
        import pandas as pd

        row, column = np.nonzero(self.answered())
        named = {
            "dataset": np.array(self.datasets, dtype=object)[self.dataset_of[row]],
            "item": np.array(self.labels, dtype=object)[row],
            "algorithm": np.array(self.algorithms, dtype=object)[column],
        }
        if self.cluster_of is not None:
            named["cluster"] = self.cluster_of[row]
        return pd.DataFrame({**named, self.measure.name: self.values[row, column]})

    def _answer(self) -> Understood:
        return self.to_scores().understood()

    def __repr__(self) -> str:
        repeats = 1 if self.repeats is None else int(self.repeats.counts.max())
        parts = {
            f"{count(self.n_items, 'item')} of {size_of(self.n_datasets, self.n_algorithms)}": True,
            str(self.measure): True,
            "0 or 1": self.is_binary,
            count(self.n_clusters or 0, "cluster"): self.n_clusters is not None,
            f"up to {count(repeats, 'repeat')}": self.repeats is not None,
            "scores missing": not self.is_complete,
        }
        return f"<ItemScores: {', '.join(text for text, holds in parts.items() if holds)}>"

    def __str__(self) -> str:
        return "\n".join([repr(self)[1:-1], *(f"note: {note}" for note in self.notes)])


def items_left(items: ItemScores | None, rows: Rows) -> tuple[ItemScores | None, tuple[str, ...]]:
    """Return the item scores of what is left of a table, and what to note.

    Where a rule made scores up there are none: no item has such a score.
    """
    if items is None:
        return None, ()
    if rows.imputed is not None and rows.imputed.any():
        return None, ("The scores of items are left out, because some means were filled in.",)
    if rows.censored is not None and rows.censored.any():
        return None, ("The scores of items are left out: runs that did not end have no number.",)
    if (items.datasets, items.algorithms) == (rows.datasets, rows.algorithms):
        return items, ()
    datasets = [name for name in rows.datasets if name in items.datasets]
    algorithms = [name for name in rows.algorithms if name in items.algorithms]
    return (items.select(datasets, algorithms) if datasets and algorithms else None), ()


# --- from results, one each ----------------------------------------------------------------


def item_scores(
    dataset: Coded,
    item: Coded,
    algorithm: Coded | tuple[str, ...],
    scores: ItemValues,
    measure: Measure,
    cluster: Coded | None = None,
    notes: tuple[str, ...] = (),
) -> ItemScores:
    """Make item scores of results, one each on an item; several of one item are repeats.

    Where ``algorithm`` are only names, each row has a score of each. Data sets without an item are
    left out; the others keep their order.
    """
    if not scores.size:
        raise CellError("scores", "there are no items", remedy="Give at least one")
    place = joint_places([dataset.codes, item.codes])  # in order of data sets
    first = first_places(place)
    if cluster is not None:
        _check_clusters(cluster, first, place)
    repeats: Repeats | None = None
    if not isinstance(algorithm, Coded):
        algorithm = Coded(np.arange(len(algorithm)), algorithm)
    names = algorithm.names
    if scores.ndim == 1 or first.size < place.size:
        cell = place.reshape(-1, *(1,) * (scores.ndim - 1)) * len(names) + algorithm.codes
        numbers = np.asarray(scores, dtype=np.float64).reshape(-1)
        scores, repeats = _in_cells(cell.reshape(-1), numbers, (first.size, len(names)))
    elif (first != np.arange(first.size)).any():  # a matrix may be large, and is mostly in order
        scores = scores[first]
    labels = item.take(first)
    scores = _compact(scores) if repeats is None else scores
    if scores.dtype != np.uint8 and (huge := np.argwhere(np.abs(scores) > LARGEST)).size:
        row, place_of = huge[0].tolist()
        rule = f"{measure.name} must be finite, within ±{LARGEST:g}"
        which = f"that of {names[place_of]!r} on item {labels.name(row)!r} is not"
        raise CellError("scores", rule, which, "leave out what is missing")
    present, dataset_of = np.unique(dataset.codes[first], return_inverse=True)
    cluster_of = None
    if cluster is not None:  # one of another data set is another one
        cluster_of = numbered(dataset_of * len(cluster.names) + cluster.codes[first])
    return ItemScores(
        datasets=tuple(dataset.names[code] for code in present.tolist()),
        algorithms=names,
        measure=measure,
        labels=tuple(labels.names[code] for code in labels.codes.tolist()),
        dataset_of=dataset_of,
        values=scores,
        cluster_of=cluster_of,
        repeats=repeats,
        notes=notes,
    )


def _check_clusters(cluster: Coded, first: IntArray, place: IntArray) -> None:
    """Refuse clusters that differ by row."""
    differs = cluster.codes != cluster.codes[first][place]
    if differs.any():
        n_several = np.unique(place[differs]).size
        several = f"{count(n_several, 'item has', 'items have')} several"
        remedy = f"name another column with {Option('cluster')}, or correct the table"
        rule = "an item has one cluster, whoever is tested on it"
        raise CellError("cluster", rule, several, remedy)


def _in_cells(
    cell: IntArray, scores: FloatArray, shape: tuple[int, int]
) -> tuple[FloatArray, Repeats | None]:
    """Return the means of scores by cell, and of how many repeats they are if any is of several."""
    there = ~np.isnan(scores)
    if not there.all():
        cell, scores = cell[there], scores[there]
    size = math.prod(shape)
    counts = np.bincount(cell, minlength=size)
    if counts.max(initial=0) < 2:
        alone = np.full(size, np.nan)
        alone[cell] = scores
        return alone.reshape(shape), None
    means = means_by(cell, scores, size)
    with np.errstate(invalid="ignore"):  # what is infinite is refused further on
        away: FloatArray = (scores - means[cell]) ** 2
    squares: FloatArray = np.bincount(cell, weights=away, minlength=size).astype(np.float64)
    return means.reshape(shape), Repeats(counts.reshape(shape), squares.reshape(shape))


def _compact(values: ItemValues) -> ItemValues:
    """Return bytes where every score is 0 or 1."""
    missing = np.isnan(values)
    if values.dtype == np.uint8 or not ((values == 0) | (values == 1) | missing).all():
        return values
    with np.errstate(invalid="ignore"):
        small = values.astype(np.uint8)
    small[missing] = NO_SCORE
    return small


def _coded(role: str, given: Sequence[object], size: int) -> Coded:
    names = [str(each).strip() for each in given]
    rule = f"a name for each of the {count(size, 'item')} is needed"
    require(len(names) == size and all(names), role, rule, names[:3])
    return Coded.of(names)


# --- other items, or other data sets? ------------------------------------------------------


def usual_over(table: ScoreTable, *, dataset: str | None = None) -> ReadOver:
    """Return the reading of a table, or of one of its data sets, where none is named."""
    n = 1 if dataset is not None else table.n_datasets
    mixed = table.measure.is_ordinal and n > 1
    few = table.items is not None and n < ENOUGH_DATASETS and not mixed
    return "items" if few else "datasets"


def check_over(over: str | None) -> None:
    """Refuse what is no reading."""
    ways = get_args(ReadOver)
    require(over is None or over in ways, "over", f"it is {joined(ways, 'or')}", over)


def items_of(table: ScoreTable) -> ItemScores:
    """Return the item scores of a table; refuse one without, as there is nothing to draw anew."""
    if table.items is None:
        rule = "to compare over items there must be a score on each"
        remedy = f"give results with a column of items, or {Option('over', 'datasets')}"
        raise DesignError("over", rule, "this table has none", remedy)
    return table.items
