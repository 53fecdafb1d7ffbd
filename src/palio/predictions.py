"""What each algorithm predicts for each test instance: reading, validating."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import (
    CellError,
    ColumnError,
    InputError,
    MissingCellsError,
    Option,
    ParameterError,
    require,
)
from palio.measures import measure_named
from palio.registry import unknown_name
from palio.scores.columns import (
    Coded,
    CodedTexts,
    Columns,
    Origin,
    first_places,
    plain_number,
    sorted_labels,
)
from palio.scores.frames import from_pandas
from palio.scores.items import MODELS_STAY, ONE_DATASET, item_scores
from palio.scores.limits import held
from palio.scores.reading import asking
from palio.scores.rows import codes_of, distinct_names, floats, refuse_few, repeated
from palio.scores.sources import read_columns
from palio.scores.spec import ReadSpec
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from palio.scores.items import ItemScores
    from palio.scores.sources import TableSource
    from palio.types import BoolArray, FloatArray, IntArray

__all__ = ["Predictions", "as_predictions", "read_predictions"]

_PREFIXES = ("proba_", "p_")
_NEEDED = {
    "algorithm": "names the algorithms",
    "truth": "holds the true classes",
    "instance": "tells the test instances apart",
    "prediction": "holds the predicted classes",
}
SUM_TOLERANCE = 0.01
"""How far the probabilities of an instance may be from 1 together: tables are rounded."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Predictions:
    """Predictions of several algorithms for the same test instances.

    Make one with `read_predictions` or `Predictions.from_arrays`; both validate. The arrays cannot
    be written to.

    Parameters
    ----------
    algorithms, classes : tuple of str
        The names of the K algorithms and C classes; classes sorted, as numbers where they are.
    truth : array (n,)
        The true class of each instance, as its place in ``classes``.
    predicted : array (n, K)
        The class that each algorithm predicts.
    probabilities : array (n, K, C), optional
        The probability that each algorithm gives each class; NaN for those that give none.
    keys : mapping of str to tuple of str
        What identifies the instances: ``instance`` and, where given, data set, repeat and fold.
    notes : tuple of str
        What was recognised on the way.

    Examples
    --------
    >>> predictions = Predictions.from_arrays(
    ...     ["no", "yes", "yes"], {"tree": ["no", "yes", "no"], "knn": ["no", "yes", "yes"]}
    ... )
    >>> predictions
    <Predictions: 2 algorithms on 3 instances, 2 classes, no probabilities>
    >>> predictions.correct.tolist()
    [[True, True], [True, True], [False, True]]
    """

    algorithms: tuple[str, ...]
    classes: tuple[str, ...]
    truth: IntArray
    predicted: IntArray
    probabilities: FloatArray | None = None
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.truth, self.predicted, self.probabilities):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def from_arrays(
        cls,
        truth: ArrayLike,
        predictions: Mapping[str, ArrayLike],
        *,
        probabilities: Mapping[str, ArrayLike] | None = None,
        classes: Sequence[object] | None = None,
        notes: Sequence[str] = (),
    ) -> Predictions:
        """Make predictions of arrays.

        Parameters
        ----------
        truth : array-like (n,)
            The true class of each instance, as numbers or names.
        predictions : mapping of str to array-like (n,)
            What each algorithm predicts.
        probabilities : mapping of str to array-like (n, C), optional
            The class probabilities of some or all algorithms.
        classes : sequence, optional
            The classes that the columns of the probabilities are about; needed with these.
        notes : sequence of str, optional
            Notes to carry along.

        Examples
        --------
        >>> Predictions.from_arrays(
        ...     [0, 1], {"tree": [0, 1], "knn": [1, 1]}, classes=[0, 1],
        ...     probabilities={"tree": [[0.8, 0.2], [0.1, 0.9]], "knn": [[0.4, 0.6], [0.2, 0.8]]},
        ... ).probability_of_truth().tolist()
        [[0.8, 0.4], [0.9, 0.8]]
        """
        import pandas as pd

        given = probabilities or {}
        unknown = sorted(given.keys() - predictions.keys())
        require(not unknown, "probabilities", "they are of algorithms with predictions", unknown)
        told = "needed with probabilities, to tell what their columns are"
        require(not given or classes is not None, "classes", told, classes)
        arrays = [np.asarray(each) for each in (truth, *predictions.values())]
        n, shapes = arrays[0].size, [each.shape for each in arrays]
        rule = "one class per instance is needed, of the truth and of each algorithm"
        require(n and {*shapes} == {(n,)}, "predictions", rule, shapes)
        refuse_few(tuple(predictions), "predictions")
        labels = distinct_names("classes", classes or ()) if given else ()
        frames, absent = [], np.full((n, len(labels)), np.nan)
        for name, said in zip(predictions, arrays[1:], strict=True):
            chances = floats("probabilities", given.get(name, absent))
            rule = f"{name!r} must have shape {absent.shape}, instances by classes"
            require(chances.shape == absent.shape, "probabilities", rule, chances.shape)
            keys = {"instance": np.arange(1, n + 1), "algorithm": name}
            of_classes = {f"p_{label}": chances[:, place] for place, label in enumerate(labels)}
            rows = {**keys, "truth": arrays[0], "prediction": said, **of_classes}
            frames.append(pd.DataFrame(rows))
        columns = from_pandas(pd.concat(frames, ignore_index=True), "the arrays").noted(*notes)
        return _checked(columns, {role: role for role in _NEEDED})

    # --- what there is ---------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of instances."""
        return len(self.truth)

    @property
    def correct(self) -> BoolArray:
        """Which instances each algorithm classifies correctly: (n, K)."""
        return np.asarray(self.predicted == self.truth[:, np.newaxis])

    @property
    def accuracies(self) -> dict[str, float]:
        """The share of the instances that each algorithm classifies correctly."""
        return dict(zip(self.algorithms, self.correct.mean(axis=0).tolist(), strict=True))

    @property
    def without_probabilities(self) -> tuple[str, ...]:
        """The algorithms that give no class probabilities."""
        absent = np.asarray(np.isnan(self.probability_of_truth()).all(axis=0))
        return tuple(compress(self.algorithms, absent))

    def probability_of_truth(self) -> FloatArray:
        """Return the probability that each algorithm gives each instance's true class: (n, K).

        NaN for algorithms that give none.
        """
        if self.probabilities is None:
            return np.full(self.predicted.shape, np.nan)
        return np.asarray(self.probabilities[np.arange(self.n), :, self.truth])

    def scores_of(self, positive: str) -> FloatArray:
        """Return how much each algorithm takes each instance for this class: (n, K).

        The probability of the class; for algorithms that give none, 1 where they predict it.
        """
        if positive not in self.classes:
            raise unknown_name("positive", positive, self.classes)
        place = self.classes.index(positive)
        hard = np.asarray(self.predicted == place, dtype=np.float64)
        soft = hard if self.probabilities is None else self.probabilities[:, :, place]
        return np.where(np.isnan(soft), hard, soft)

    def select(self, algorithms: Sequence[str]) -> Predictions:
        """Return the predictions of some of the algorithms, in the order given.

        Examples
        --------
        >>> table = Predictions.from_arrays([0, 1], {"a": [0, 1], "b": [1, 1], "c": [0, 0]})
        >>> table.select(["c", "a"]).accuracies
        {'c': 0.5, 'a': 1.0}
        """
        places = codes_of("algorithms", "algorithm", algorithms, self.algorithms)
        rule = "two or more different names are needed"
        require(len(places) > 1, "algorithms", rule, algorithms)
        return replace(
            self,
            algorithms=tuple(self.algorithms[place] for place in places),
            predicted=self.predicted[:, places],
            probabilities=None if self.probabilities is None else self.probabilities[:, places],
        )

    def on(self, dataset: str) -> Predictions:
        """Return the predictions on one of several data sets, with the classes it has.

        Examples
        --------
        >>> from palio import read_predictions
        >>> table = read_predictions({
        ...     "dataset": ["u", "u", "v"], "truth": ["a", "b", "c"], "tree": ["a", "a", "c"],
        ...     "knn": ["a", "b", "c"],
        ... })
        >>> table.on("u")
        <Predictions: 2 algorithms on 2 instances, 2 classes, no probabilities>
        """
        named = self.keys.get("dataset", ())
        require(named, "dataset", "the table has no data set column", dataset)
        if dataset not in named:
            raise unknown_name("dataset", dataset, dict.fromkeys(named))
        frame = self.to_frame()
        frame = frame[frame["dataset"] == dataset]
        there = {*frame["truth"], *frame["prediction"]}
        chances = {f"p_{name}": name for name in self.classes if f"p_{name}" in frame}
        unused = [p for p, name in chances.items() if name not in there and not frame[p].any()]
        return replace(read_predictions(frame.drop(columns=unused)), notes=self._own_notes())

    def _own_notes(self) -> tuple[str, ...]:
        """Return the notes but for those on data sets and repeats, which items know."""
        return tuple(note for note in self.notes if note not in _pooled(self.keys))

    def to_items(self) -> ItemScores:
        """Return the accuracy on each instance: 1 where an algorithm is right, else 0.

        An instance that comes again in other repeats is one item, and the repeats are its own.

        Examples
        --------
        >>> table = Predictions.from_arrays([0, 1], {"a": [0, 1], "b": [1, 1]})
        >>> table.to_items().values
        array([[1, 0],
               [1, 1]], dtype=uint8)
        """
        keys = self.keys
        datasets = keys.get("dataset", (ONE_DATASET,) * self.n)
        names = keys.get("instance", tuple(map(str, range(1, self.n + 1))))
        if "fold" in keys:
            runs = keys.get("repeat", ("",) * self.n)
            # Where each fold numbers its instances anew, the number alone names none.
            if len(set(zip(datasets, runs, names, strict=True))) < self.n:
                names = tuple(f"{a}/{b}" for a, b in zip(keys["fold"], names, strict=True))
        return item_scores(
            Coded.of(datasets),
            Coded.of(names),
            self.algorithms,
            self.correct.astype(np.uint8),
            measure_named("accuracy"),
            notes=(*self._own_notes(), MODELS_STAY),
        )

    # --- faces -----------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per instance and algorithm, as `read_predictions` reads them."""
        import pandas as pd

        k, names = len(self.algorithms), np.array(self.classes, dtype=object)
        keys = {key: np.repeat(np.array(each, object), k) for key, each in self.keys.items()}
        columns: dict[str, Any] = {
            **keys,
            "algorithm": np.tile(np.array(self.algorithms, dtype=object), self.n),
            "truth": np.repeat(names[self.truth], k),
            "prediction": names[self.predicted].reshape(-1),
        }
        if self.probabilities is not None:
            for c, name in enumerate(self.classes):
                columns[f"p_{name}"] = self.probabilities[:, :, c].reshape(-1)
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        return f"<Predictions: {self._size}>"

    def __str__(self) -> str:
        named = {"classes": self.classes, "algorithms": self.algorithms}
        lines = [f"{what}: {listed(names, limit=10)}" for what, names in named.items()]
        return "\n".join([self._size, *lines, *(f"note: {note}" for note in self.notes)])

    @property
    def _size(self) -> str:
        k, without = len(self.algorithms), len(self.without_probabilities)
        told = f"{without} without probabilities" if 0 < without < k else "class probabilities"
        classes = count(len(self.classes), "class", "classes")
        of = f"{count(k, 'algorithm')} on {count(self.n, 'instance')}, {classes}"
        return f"{of}, {'no probabilities' if without == k else told}"


def read_predictions(
    source: TableSource,
    spec: ReadSpec | str | os.PathLike[str] | None = None,
    **given: Any,
) -> Predictions:
    """Read a table of predictions for the same test instances.

    A long table has one row per instance and algorithm: its truth, its prediction and, in columns
    ``p_<class>`` or ``proba_<class>``, the probability of each class. A wide table has one row per
    instance, its truth, and the predictions of each algorithm in a column; it is recognised by
    having no algorithm column. An instance is identified by its data set, repeat, fold and
    instance, as far as there are such columns; the rows of a wide table may do without.

    Parameters
    ----------
    source : path or frame
        What `read_scores` takes: a file of one of the `FORMATS` (CSV, JSON, Parquet, …), a frame
        (pandas, polars, pyarrow, …) or a dictionary of columns.
    spec : ReadSpec or path, optional
        What is known about the table, or a TOML file that says it.
    **given
        Fields of a `ReadSpec`: ``instance``, ``algorithm``, ``truth``, ``prediction``,
        ``dataset``, ``repeat`` and ``fold`` are names of columns, by default as here, in any case;
        ``format``, ``decimal`` and ``limits`` are as in `read_scores`.

    Returns
    -------
    Predictions

    Raises
    ------
    InputError
        If the table cannot be used; the message says which cells, why, and what to do.

    Examples
    --------
    >>> read_predictions({
    ...     "instance": [1, 1, 2, 2], "algorithm": ["tree", "knn", "tree", "knn"],
    ...     "truth": ["no", "no", "yes", "yes"], "prediction": ["no", "yes", "yes", "yes"],
    ...     "p_no": [0.8, 0.4, 0.1, 0.2], "p_yes": [0.2, 0.6, 0.9, 0.8],
    ... })
    <Predictions: 2 algorithms on 2 instances, 2 classes, class probabilities>
    >>> read_predictions({"truth": [0, 1, 1], "tree": [0, 1, 0], "knn": [0, 1, 1]}).accuracies
    {'tree': 0.6666666666666666, 'knn': 1.0}
    """
    said = ReadSpec.of(spec, **given)
    with held(said.limits):
        columns = read_columns(source, parameter="source", asked=said.format)
    return predictions_in(replace(columns, decimal=said.decimal), said)


_ROLES = ("algorithm", "truth", "dataset", "repeat", "fold", "instance", "prediction")
_TAKEN = frozenset({*_ROLES, "format", "limits", "decimal", "keep_failing", "scale", "alone"})


def predictions_in(columns: Columns, spec: ReadSpec) -> Predictions:
    """Return the predictions in columns, as a spec says; what is of scores only is refused."""
    for name in spec.given().keys() - _TAKEN:
        raise ParameterError(name, "predictions are right or wrong", remedy="leave it out")
    roles = columns.roles({role: getattr(spec, role) for role in _ROLES})
    is_wide = not {"algorithm", "prediction"} & roles.keys()
    for role in ["truth"] if is_wide else _NEEDED:
        if role not in roles:
            rule = f"{columns.origin.name} has no column named {role!r}"
            remedy = f"Say with {Option(role)} which column {_NEEDED[role]}"
            shown = quoted(columns.names, limit=20)
            raise ColumnError(role, rule, remedy=f"{remedy}: {shown}")
    classes = columns.numbers(roles["truth"])
    if classes.is_numeric and classes.has_decimals:
        rule = "predictions are compared by class, right or wrong"
        remedy = "compare the errors of a regression with read_scores and compare"
        raise ColumnError("truth", rule, "it holds decimal numbers", remedy)
    return _checked(*(_lengthened(columns, roles) if is_wide else (columns, roles)))


def as_predictions(source: Predictions | TableSource) -> Predictions:
    """Return predictions, read by `read_predictions` unless they are."""
    if isinstance(source, Predictions):
        return source
    try:
        return read_predictions(source)
    except InputError as error:
        raise asking(error, "read_predictions") from None


# --- wide and long -------------------------------------------------------------------------

# What columns of a wide table are called in a long one; no column of a file has such a name.
_ALGORITHM, _PREDICTION, _INSTANCE = "\talgorithm", "\tprediction", "\tinstance"


def _lengthened(columns: Columns, roles: Mapping[str, str]) -> tuple[Columns, dict[str, str]]:
    """Return a row per instance and algorithm of a table with a column for each algorithm."""
    algorithms = [name for name in columns.names if name and name not in roles.values()]
    said = [columns.labels(name) for name in algorithms]
    for name, each in zip(algorithms, said, strict=True):
        _refuse_strangers(name, each, columns.labels(roles["truth"]).names)
    refuse_few(algorithms, "predictions")
    if "instance" not in roles:
        columns = columns.noted("There is no instance column: each row is an instance.")
    n, k = len(columns), len(algorithms)
    row = np.repeat(np.arange(n), k)
    names = list(dict.fromkeys(name for each in said for name in each.names))
    predicted = np.stack([_codes(each, names) for each in said], axis=1).reshape(-1)
    own = {name: columns.values[name] for name in roles.values()}
    long = replace(columns, values=own).take(row)
    values = {
        **long.values,
        _ALGORITHM: CodedTexts(np.tile(np.arange(k), n), algorithms),
        _PREDICTION: CodedTexts(predicted, names),
        _INSTANCE: CodedTexts(row, [str(number + 1) for number in range(n)]),
    }
    found = {"instance": _INSTANCE, **roles, "algorithm": _ALGORITHM, "prediction": _PREDICTION}
    return replace(long, values=values), found


def _refuse_strangers(name: str, said: Coded, true: Sequence[str]) -> None:
    """Refuse a column of mostly other things than true classes, and more of them."""
    strange = ~np.isin(said.names, true)
    if strange.sum() <= len(true) or 2 * strange[said.codes].sum() <= said.codes.size:
        return
    rule = "without an algorithm column each column holds an algorithm's predictions"
    hint = f"If it tells the test instances apart, give {Option('instance', name)}"
    if name.lower().startswith(_PREFIXES):
        hint = "Probabilities are read from a long table: one row per instance and algorithm"
    raise ColumnError(f"column {name!r}", rule, "this one holds mostly no true class", hint)


def _codes(coded: Coded, names: Sequence[str]) -> IntArray:
    """Return the places of labels among these names."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in coded.names], dtype=np.intp)[coded.codes]


def _checked(columns: Columns, roles: Mapping[str, str]) -> Predictions:
    """Check the rows and put them into arrays, instances in order of first appearance."""
    algorithm = columns.coded(roles["algorithm"])
    refuse_few(algorithm.names, "predictions")
    keys = {
        role: (columns.coded if role in ("dataset", "instance") else columns.labels)(roles[role])
        for role in ("dataset", "repeat", "fold", "instance")
        if role in roles
    }
    truth, predicted = (columns.labels(roles[role]) for role in ("truth", "prediction"))
    given = _probability_columns(columns, roles.values())
    classes = sorted_labels({*truth.names, *predicted.names, *given})
    chances = _probabilities(columns, given, classes, algorithm.codes) if given else None
    instance = columns.places(roles[role] for role in keys)
    first = first_places(instance)
    order = _grid(columns.origin, algorithm, keys, first, instance)
    true = truth.codes[order]
    if (differs := np.flatnonzero((true != true[:, :1]).any(axis=1))).size:
        rows = np.sort(order[differs[0]])
        found = quoted(dict.fromkeys(truth.name(row) for row in order[differs[0]].tolist()))
        rule = f"an instance has one true class, but {_describe(keys, int(rows[0]))} has {found}"
        where = f"{columns.origin.at(rows)}; {count(differs.size, 'such instance')}"
        raise CellError("truth", f"{rule} ({where})", remedy="Correct the table")
    kept = {role: tuple(map(each.name, first)) for role, each in keys.items()}
    return Predictions(
        algorithms=algorithm.names,
        classes=tuple(classes),
        truth=_codes(truth, classes)[first],
        predicted=_codes(predicted, classes)[order],
        probabilities=None if chances is None else chances[order],
        keys=kept,
        notes=(*columns.notes, *_pooled(kept)),
    )


def _describe(keys: Mapping[str, Coded], row: int) -> str:
    """Name the instance of a row."""
    shown = {role: each for role, each in keys.items() if len(each.names) > 1 or role == "instance"}
    return ", ".join(f"{role} {coded.name(row)!r}" for role, coded in shown.items())


def _grid(
    origin: Origin, algorithm: Coded, keys: Mapping[str, Coded], first: IntArray, instance: IntArray
) -> IntArray:
    """Return the row of each instance and algorithm, which all must have once: (n, K)."""
    k = len(algorithm.names)
    place = instance * k + algorithm.codes

    def told(each: int) -> str:
        return f"{algorithm.names[each % k]!r} on {_describe(keys, int(first[each // k]))}"

    if (again := repeated(place)).size:
        rule = f"{count(len(again), 'prediction repeats', 'predictions repeat')} an earlier one: "
        rule += f"{told(int(place[again[0, 0]]))} ({origin.at(again[0])})"
        remedy = "Remove those, or add a column that names their data set, repeat or fold"
        raise CellError("rows", rule, remedy=remedy)
    if (gaps := np.setdiff1d(np.arange(len(first) * k), place)).size:
        rule = f"of {len(first) * k} predictions {count(gaps.size, 'is', 'are')} missing: "
        remedy = "Add those, or leave out the instances or the algorithms concerned"
        raise MissingCellsError("rows", f"{rule}{told(int(gaps[0]))}", remedy=remedy)
    return np.argsort(place).reshape(-1, k)


# --- probabilities -------------------------------------------------------------------------


def _probability_columns(columns: Columns, taken: Collection[str]) -> dict[str, str]:
    """Return the columns of probabilities by class, spelled as labels of a column are."""
    found: dict[str, str] = {}
    for name in columns.names:
        prefix = next((each for each in _PREFIXES if name.lower().startswith(each)), name)
        if name in taken or name == prefix:
            continue
        label = plain_number(name[len(prefix) :].strip())
        if label in found:
            rule = f"{found[label]!r} and {name!r} both hold the probability of class {label!r}"
            raise ColumnError("columns", rule, remedy="Remove one")
        found[label] = name
    return found


def _probabilities(
    columns: Columns, given: Mapping[str, str], classes: Sequence[str], algorithm: IntArray
) -> FloatArray:
    """Return the probabilities, a column for each class, or raise if they are none."""
    if absent := [label for label in classes if label not in given]:
        rule = f"there are probabilities of {quoted(given)}, and none of {quoted(absent)}"
        remedy = f"Add columns such as {'p_' + absent[0]!r}, or remove the others"
        raise ColumnError("columns", rule, remedy=remedy)
    values = np.column_stack([columns.numbers(given[label]).checked() for label in classes])
    gone = np.isnan(values)
    gives = np.bincount(algorithm, weights=~gone.all(axis=1)) > 0
    for wrong, rule in (
        (gone.any(axis=1) & gives[algorithm], "an algorithm gives all of them or none"),
        (((values < 0) | (values > 1)).any(axis=1), "they lie between 0 and 1"),
        (np.abs(values.sum(axis=1) - 1) > SUM_TOLERANCE, f"those of {quoted(classes)} sum to 1"),
    ):
        if (rows := np.flatnonzero(wrong)).size:
            others = f"{count(rows.size, 'row does', 'rows do')} not"
            remedy = "Correct the table, or leave out the probabilities of the algorithm"
            error = MissingCellsError if gone[rows].any() else CellError
            rule = f"{rule}, but {others} ({columns.origin.at(rows)})"
            raise error("probabilities", rule, remedy=remedy)
    return values


def _pooled(keys: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Say what the tests do not know: that instances come from several data sets or again."""
    n_datasets, n_repeats = (len(set(keys.get(role, ()))) for role in ("dataset", "repeat"))
    again = f"The same instances come again in {n_repeats} repeats and are not independent: "
    again += "p-values are too small. Give one repeat."
    notes = {f"The instances of {n_datasets} data sets are taken together.": n_datasets}
    return tuple(note for note, n in {**notes, again: n_repeats}.items() if n > 1)
