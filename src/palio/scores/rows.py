"""The long columns behind a table: integer codes for the names, floats for the values.

Arrays with names beside them become rows here; whether these make a table, validation says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import CellError, ColumnError, ParameterError, require
from palio.measures import Measure, measure_named
from palio.registry import unknown_name
from palio.scores.columns import Coded, joint_places
from palio.words import listed, quoted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from palio.scores.spec import Names
    from palio.types import BoolArray, FloatArray, IntArray

_FLOATS = ("scores", "costs", "by_seed")
_CODES = ("dataset", "algorithm", "repeat", "fold", "status")
_PER_ROW = (*_CODES, *_FLOATS, "imputed", "censored", "n_runs", "source")


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """One row per (data set, algorithm, repeat, fold).

    ``dataset``, ``algorithm``, ``repeat``, ``fold`` and ``status`` hold codes: positions in the
    tuples of names beside them. ``scores`` and ``costs`` hold one value per row. ``imputed`` marks
    scores that a rule for missing ones made up, if any. Where an algorithm was trained with
    several random states on the same split, ``scores`` are the means over these ``seeds`` and
    ``by_seed`` holds what each gave: (rows, seeds). ``censored`` is the share of each row's runs
    that did not end, where run times are asked about: these have ten times the cut-off; ``n_runs``
    is how many runs it is the mean of, one unless given. While a table is read, ``source`` is the
    row of its columns that each row was made of.
    """

    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    repeats: tuple[str, ...]
    folds: tuple[str, ...]
    dataset: IntArray
    algorithm: IntArray
    repeat: IntArray
    fold: IntArray
    scores: Mapping[str, FloatArray]
    costs: Mapping[str, FloatArray] = field(default_factory=dict)
    statuses: tuple[str, ...] = ()
    status: IntArray | None = None
    imputed: BoolArray | None = None
    seeds: tuple[str, ...] = ()
    by_seed: Mapping[str, FloatArray] = field(default_factory=dict)
    censored: FloatArray | None = None
    n_runs: FloatArray | None = None
    source: IntArray | None = None

    @classmethod
    def of(cls, *keys: Coded, **values: Any) -> Rows:
        """Make rows of coded columns: the data sets, algorithms, repeats and folds."""
        named: tuple[Any, ...] = (*(each.names for each in keys), *(each.codes for each in keys))
        return cls(*named, **values)

    def __len__(self) -> int:
        return int(self.dataset.size)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of data sets and algorithms."""
        return len(self.datasets), len(self.algorithms)

    @property
    def cell(self) -> IntArray:
        """The position of each row's (data set, algorithm) in a flattened S × K matrix."""
        return self.dataset * len(self.algorithms) + self.algorithm

    @property
    def split(self) -> IntArray:
        """One integer per row that tells the (repeat, fold) apart, and sorts by them."""
        return self.repeat * len(self.folds) + self.fold

    @property
    def n_splits(self) -> int:
        """How many values `split` may have."""
        return len(self.repeats) * len(self.folds)

    @property
    def key(self) -> IntArray:
        """One integer per row that sorts by data set, algorithm, repeat and fold."""
        return self.cell * self.n_splits + self.split

    @property
    def unended(self) -> BoolArray:
        """Mark the rows with runs that did not end."""
        return np.zeros(len(self), dtype=bool) if self.censored is None else self.censored > 0

    @property
    def runs(self) -> FloatArray:
        """How many runs each row is of."""
        return np.ones(len(self)) if self.n_runs is None else self.n_runs

    def of_source(self, values: Any) -> Any:
        """Return what belongs to each row, of values for each row of the columns."""
        return values if self.source is None else values.take(self.source)

    def with_status(self, wanted: Callable[[str], bool]) -> BoolArray:
        """Mark the rows with a status that is wanted, in small letters; none without statuses."""
        if self.status is None:
            return np.zeros(len(self), dtype=bool)
        return np.array([wanted(each.lower()) for each in self.statuses], dtype=bool)[self.status]

    @property
    def cell_counts(self) -> IntArray:
        """How many rows each (data set, algorithm) has, as an S × K matrix."""
        return np.asarray(self.count_cells(None), dtype=np.intp)

    def count_cells(self, weights: FloatArray | BoolArray | None) -> Any:
        """Add up weights over the rows of each (data set, algorithm): an S × K matrix."""
        sums = np.bincount(self.cell, weights=weights, minlength=math.prod(self.shape))
        return sums.reshape(self.shape)

    def cell_means(self, values: FloatArray | BoolArray) -> FloatArray:
        """Average values over the folds of each (data set, algorithm); NaN where there are none."""
        return means_by(self.cell, values, math.prod(self.shape)).reshape(self.shape)

    def sorted(self) -> Rows:
        """Return the rows sorted by key, so that each data set is one slice."""
        key = self.key
        if bool((np.diff(key) > 0).all()):
            return self
        return self.take(np.argsort(key, kind="stable"))

    def take(self, positions: IntArray | BoolArray) -> Rows:
        """Return some of the rows; names stay."""
        return self._each(_PER_ROW, lambda values: values[positions])

    def _each(self, names: Sequence[str], change: Callable[[Any], Any]) -> Rows:
        """Return the rows with these columns changed, as far as they are there."""

        def changed(value: Any) -> Any:
            if isinstance(value, Mapping):
                return {name: change(values) for name, values in value.items()}
            return None if value is None else change(value)

        return replace(self, **{name: changed(getattr(self, name)) for name in names})

    @property
    def place_of_fold(self) -> IntArray:
        """The place of each row's data set, repeat and fold among those that there are."""
        return joint_places([self.dataset, self.repeat, self.fold])

    def grid(self, values: FloatArray) -> FloatArray:
        """Return values by data set, repeat and fold, a column per algorithm; NaN where is none."""
        place = self.place_of_fold
        found = np.full((int(place.max(initial=-1)) + 1, len(self.algorithms)), np.nan)
        found[place, self.algorithm] = values
        return found

    def slice_of(self, dataset: int) -> slice:
        """Return where a data set's rows are; the rows must be sorted."""
        start, stop = np.searchsorted(self.dataset, [dataset, dataset + 1])
        return slice(int(start), int(stop))

    def select(self, datasets: Sequence[int], algorithms: Sequence[int]) -> Rows:
        """Return these data sets and algorithms in this order, sorted."""
        return self.only(datasets, algorithms).sorted()

    def only(self, datasets: Sequence[int], algorithms: Sequence[int]) -> Rows:
        """Return the rows of these, as they stand, named in this order."""
        new_dataset, new_algorithm = (np.full(size, -1, dtype=np.intp) for size in self.shape)
        new_dataset[list(datasets)] = np.arange(len(datasets))
        new_algorithm[list(algorithms)] = np.arange(len(algorithms))
        there = (new_dataset[self.dataset] >= 0) & (new_algorithm[self.algorithm] >= 0)
        chosen = self.take(there)
        return replace(
            chosen,
            datasets=tuple(self.datasets[code] for code in datasets),
            algorithms=tuple(self.algorithms[code] for code in algorithms),
            dataset=new_dataset[chosen.dataset],
            algorithm=new_algorithm[chosen.algorithm],
        )

    def spelled_out(self) -> dict[str, object]:
        """Return the columns with names in place of codes, and one value per row of every cost."""
        rows = self._of_each_seed() if self.by_seed else self
        columns: dict[str, object] = {
            "dataset": np.array(rows.datasets, dtype=object)[rows.dataset],
            "algorithm": np.array(rows.algorithms, dtype=object)[rows.algorithm],
            "repeat": _numbers_if_all(rows.repeats)[rows.repeat],
            "fold": _numbers_if_all(rows.folds)[rows.fold],
        }
        if self.by_seed:
            columns["seed"] = np.tile(_numbers_if_all(self.seeds), len(self))
        columns |= {name: rows._as_given(values) for name, values in rows.scores.items()}
        columns |= rows.costs
        if rows.status is not None:
            columns["status"] = np.array(rows.statuses, dtype=object)[rows.status]
        if rows.imputed is not None and rows.imputed.any():
            columns["imputed"] = rows.imputed
        return columns

    def _as_given(self, scores: FloatArray) -> FloatArray:
        """Return scores with the cut-off of what did not end; a mean of which a part did has none.

        So that the table is the same when it is read again.
        """
        if self.censored is None:
            return scores
        penalised = np.where(self.censored == 1, scores / 10, np.nan)
        return np.where(self.unended, penalised, scores)

    def _of_each_seed(self) -> Rows:
        """Return a row for each seed; costs were not kept by seed, and stay the means."""
        each = self.take(np.repeat(np.arange(len(self)), len(self.seeds)))
        own = {name: values.reshape(-1) for name, values in self.by_seed.items()}
        if each.imputed is not None:
            own = {name: np.where(each.imputed, each.scores[name], own[name]) for name in own}
        if each.censored is not None and each.status is not None:
            # The status of a mean is that of a run that did not end; of the others it is ok.
            ended = ~np.isnan(next(iter(own.values())))
            each = replace(each.marked_as("ok", ended), censored=None)
        return replace(each, scores={**each.scores, **own}, by_seed={})

    def without_values(self, gone: BoolArray) -> Rows:
        """Blank what failed runs left: a crash after a second is not a cost of one second."""
        # Scores by seed have a second axis.
        values = self._each(_FLOATS, lambda each: np.where(gone, np.nan, each.T).T)
        return values._each(("censored",), lambda share: np.where(gone, 0.0, share))

    def marked_as(self, status: str, where: BoolArray) -> Rows:
        """Return the rows with this status for some; without statuses the others are ok."""
        statuses = tuple(dict.fromkeys((*(self.statuses or ("ok",)), status)))
        before = np.zeros(len(self), dtype=np.intp) if self.status is None else self.status
        changed = np.where(where, statuses.index(status), before)
        return replace(self, statuses=statuses, status=changed)

    def frozen(self) -> Rows:
        """Return the rows with arrays that nobody can change."""
        return self._each(_PER_ROW, read_only)

    def describe_some(
        self, positions: IntArray, values: FloatArray | None = None, *, limit: int = 4
    ) -> str:
        """Say which cells some rows are, with their values if given: the first few of many."""
        shown = [
            ("" if values is None else f"{values[i]:g} for ") + self.describe(i)
            for i in positions[:limit].tolist()
        ]
        return listed(shown, limit=limit, total=positions.size)

    def describe(self, position: int) -> str:
        """Say which cell a row is, leaving out a repeat or fold that is the only one."""
        dataset = self.datasets[self.dataset[position]]
        text = f"{self.algorithms[self.algorithm[position]]!r} on {dataset!r}"
        if self.n_splits == 1:
            return text
        return f"{text} {self.describe_fold(self.repeat[position], self.fold[position])}"

    def describe_fold(self, repeat: int, fold: int) -> str:
        """Say which repeat and fold are meant, the fold alone where there is one repeat."""
        by_repeat = [f"repeat {self.repeats[repeat]}"] if len(self.repeats) > 1 else []
        by_fold = [f"fold {self.folds[fold]}"] if len(self.folds) > 1 or not by_repeat else []
        return " ".join(by_repeat + by_fold)


def means_by(place: IntArray, values: FloatArray | BoolArray, size: int) -> FloatArray:
    """Average the values of each of so many places; NaN where there are none."""
    sums, counts = np.bincount(place, values, size), np.bincount(place, minlength=size)
    found = np.full(size, np.nan)
    np.divide(sums, counts, out=found, where=counts > 0)
    return found


def without(gone: BoolArray, values: FloatArray) -> FloatArray:
    """Return values, NaN where they are gone."""
    return np.where(gone, np.nan, values) if gone.any() else values


def codes_of(option: str, kind: str, chosen: Names | None, known: Sequence[str]) -> list[int]:
    """Return the codes of some names, each known and given once; without any, those of all."""
    if chosen is None:
        return list(range(len(known)))
    names = [chosen] if isinstance(chosen, str) else list(chosen)
    position = {name: place for place, name in enumerate(known)}
    for name in names:
        if name not in position:
            raise unknown_name(kind, name, known)
    require(names, option, "at least one name is needed", names)
    require(len(set(names)) == len(names), option, "each name may be given once", names)
    return [position[name] for name in names]


def _numbers_if_all(names: tuple[str, ...]) -> Any:
    if all(name.lstrip("+-").isdecimal() for name in names):
        return np.array([int(name) for name in names])
    return np.array(names, dtype=object)


def read_only(values: Any) -> Any:
    """Return an array that nobody can change through it."""
    # A view, so that nothing the caller holds changes its flags.
    view = values.view()
    view.setflags(write=False)
    return view


def repeated(key: IntArray) -> IntArray:
    """Return the pairs of rows, one after the other, that have the same key: (n, 2).

    >>> repeated(np.array([7, 8, 7, 9, 7])).tolist()
    [[0, 2], [2, 4]]
    """
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[order]) == 0)
    return np.stack([order[again], order[again + 1]], axis=1)


# --- from arrays ---------------------------------------------------------------------------


def rows_from_arrays(
    scores: ArrayLike,
    datasets: Sequence[object],
    algorithms: Sequence[object],
    measure: Measure,
    costs: Mapping[str, ArrayLike],
) -> Rows:
    """Return the rows of an (S, K) or (S, K, R, F) array."""
    values = floats("scores", scores)
    if values.ndim == 2:
        values = values[:, :, np.newaxis, np.newaxis]
    labels = [distinct_names("datasets", datasets), distinct_names("algorithms", algorithms)]
    named, shape = tuple(map(len, labels)), values.shape
    rule = f"must be data sets × algorithms, {named}, or these × repeats × folds"
    fits = len(shape) == 4 and shape[:2] == named and values.size
    require(fits, "scores", rule, np.shape(scores), "give a name for each, and at least one value")
    given = {f"costs[{name!r}]": matrix for name, matrix in costs.items()}
    matrices = [floats(parameter, matrix) for parameter, matrix in given.items()]
    for parameter, matrix in zip(given, matrices, strict=True):
        rule = f"must have one value per data set and algorithm, {named}"
        require(matrix.shape == named, parameter, rule, matrix.shape)
    labels += [tuple(str(i + 1) for i in range(size)) for size in shape[2:]]
    codes = [axis.reshape(-1) for axis in np.indices(shape)]
    spread = [matrix[codes[0], codes[1]] for matrix in matrices]
    return Rows.of(
        *map(Coded, codes, labels),
        scores={measure.name: values.reshape(-1)},
        costs=dict(zip(costs, spread, strict=True)),
    )


def floats(parameter: str, values: ArrayLike) -> FloatArray:
    """Return numbers as an array of the table's own."""
    try:
        # A copy, so that the table does not change when the caller's array does.
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CellError(parameter, f"must be an array of numbers: {error}") from error


def known_measure(measure: Measure | str) -> Measure:
    """Return a measure, or that of a well-known name."""
    if isinstance(measure, Measure):
        return measure
    try:
        return measure_named(measure)
    except ParameterError:
        rule = f"{measure!r} is not a well-known measure, so its direction is not known"
        remedy = f"give Measure({measure!r}, higher_is_better=True) or False"
        raise ParameterError("measure", rule, remedy=remedy) from None


def refuse_few(algorithms: Sequence[str], of_what: str, remedy: str = "") -> None:
    """Raise if there are not two algorithms to compare."""
    if len(algorithms) < 2:
        found = f"found {len(algorithms)} ({quoted(algorithms)})"
        remedy = f"{remedy}add the {of_what} of a second one"
        raise ColumnError("algorithm", "at least two algorithms are needed", found, remedy)


def distinct_names(parameter: str, given: Sequence[object]) -> tuple[str, ...]:
    """Return names as texts, none empty and each once."""
    names = tuple(str(name).strip() for name in given)
    if "" in names:
        raise CellError(parameter, f"no name may be empty, but that at {names.index('')} is")
    if twice := sorted(name for name, times in Counter(names).items() if times > 1):
        rule = f"the names must differ, but there is more than one {quoted(twice)}"
        raise CellError(parameter, rule)
    return names
