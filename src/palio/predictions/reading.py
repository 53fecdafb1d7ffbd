"""read_predictions: any table of predictions becomes Predictions, or one clear error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from palio.errors import (
    CellError,
    ColumnError,
    InputError,
    MissingCellsError,
    Option,
    ParameterError,
)
from palio.predictions.table import Predictions
from palio.scores.columns import Coded, Columns, Origin, sorted_labels
from palio.scores.limits import held
from palio.scores.reading import asking
from palio.scores.rows import distinct_names, floats, repeated
from palio.scores.sources import read_columns
from palio.words import count, listed, quoted

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from palio.scores.sources import TableSource
    from palio.types import FloatArray, IntArray

_PREFIXES = ("proba_", "p_")
_NEEDED = {
    "truth": "holds the true classes",
    "instance": "tells the test instances apart",
    "prediction": "holds the predicted classes",
}
SUM_TOLERANCE = 0.01
"""How far the probabilities of an instance may be from 1 together: tables are rounded."""


def read_predictions(
    source: TableSource,
    *,
    instance: str | None = None,
    algorithm: str | None = None,
    truth: str | None = None,
    prediction: str | None = None,
    dataset: str | None = None,
    repeat: str | None = None,
    fold: str | None = None,
    limits: bool = True,
    format: str | None = None,  # noqa: A002 (what a user calls it)
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
    instance, algorithm, truth, prediction, dataset, repeat, fold : str, optional
        The names of the columns; by default as the parameters, in any case.
    limits : bool, default True
        As in `read_scores`.
    format : str, optional
        The format of the file, where its ending does not tell.

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
    with held(limits):
        columns = read_columns(source, parameter="source", asked=format)
    given = {"algorithm": algorithm, "truth": truth, "prediction": prediction}
    given |= {"dataset": dataset, "repeat": repeat, "fold": fold, "instance": instance}
    roles = columns.roles(given)
    needed = _NEEDED if "algorithm" in roles else ["truth"]
    if "prediction" in roles and "algorithm" not in roles:
        raise columns.lacking("algorithm", "names the algorithms")
    for role in needed:
        if role not in roles:
            raise columns.lacking(role, _NEEDED[role])
    classes = columns.numbers(roles["truth"])
    if classes.is_numeric and classes.has_decimals:
        raise ColumnError(
            f"column {roles['truth']!r} of {columns.origin.name}",
            "predictions are compared by class, right or wrong",
            "it holds decimal numbers",
            "compare the errors of a regression with read_scores and compare",
        )
    if "algorithm" in roles:
        return _long(columns, roles)
    names = [name for name in columns.names if name and name not in roles.values()]
    for name in names:
        _refuse_strangers(columns, name, roles["truth"])
    if "instance" not in roles:
        note = "There is no instance column: each row is an instance."
        columns = replace(columns, notes=(*columns.notes, note))
    return _wide(columns, roles, {name: name for name in names}, {})


def as_predictions(source: Predictions | TableSource) -> Predictions:
    """Return predictions, read by `read_predictions` unless they are."""
    if isinstance(source, Predictions):
        return source
    try:
        return read_predictions(source)
    except InputError as error:
        raise asking(error, "read_predictions") from None


def predictions_from_arrays(
    truth: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    probabilities: Mapping[str, ArrayLike],
    classes: Sequence[object],
    notes: Sequence[str],
) -> Predictions:
    """Make predictions of arrays, through the same door as those of tables."""
    for name in probabilities:
        if name not in predictions:
            raise ParameterError(
                "probabilities", f"{name!r} has no predictions ({quoted(predictions)})"
            )
    if probabilities and not classes:
        raise ParameterError("classes", "needed with probabilities, to tell what their columns are")
    # An algorithm may be called "truth", too, so places stand for names.
    values = [_one_axis("truth", truth)]
    values += [_one_axis(name, each) for name, each in predictions.items()]
    if len({len(each) for each in values}) > 1:
        told = quoted(len(each) for each in values)
        raise ParameterError("predictions", f"truth and predictions differ in length: {told}")
    named = dict(zip(map(str, range(len(values))), values, strict=True))
    columns = Columns(named, Origin.of_rows("the arrays", len(values[0])), tuple(notes))
    blocks = [np.full((len(columns), len(classes)), np.nan) for _ in predictions]
    for place, name in enumerate(predictions):
        if name in probabilities:
            block = floats("probabilities", probabilities[name])
            if block.shape != (shape := blocks[place].shape):
                raise ParameterError(
                    "probabilities",
                    f"{name!r} must have shape {shape}, instances by classes",
                    remedy=f"got {block.shape}",
                )
            blocks[place] = block
    labels = distinct_names("classes", _labels(classes)) if probabilities else ()
    # Classes first, then one after the other the algorithms of each instance.
    chances = dict(zip(labels, np.stack(blocks, axis=1).T, strict=True)) if labels else {}
    return _wide(
        columns,
        {"truth": "0"},
        dict(zip(predictions, list(named)[1:], strict=True)),
        {label: each.T.reshape(-1) for label, each in chances.items()},
    )


def _one_axis(name: str, values: Any) -> pd.Series[Any]:
    import pandas as pd

    array = np.asarray(values)
    if array.ndim != 1 or not array.size:
        raise ParameterError(
            name, "one class per instance is needed", remedy=f"got an array of shape {array.shape}"
        )
    return pd.Series(list(array), dtype=object)


def _labels(classes: Sequence[object]) -> tuple[str, ...]:
    """Spell classes as labels of a column are spelled, in the order given."""
    if not classes:
        return ()
    column = Columns({"": _one_axis("classes", classes)}, Origin.of_rows("classes", len(classes)))
    codes, names = column.labels("")
    return tuple(names[code] for code in codes.tolist())


# --- long and wide -------------------------------------------------------------------------


class _Cells(NamedTuple):
    """One row per instance and algorithm; ``probabilities`` has a column for each class."""

    algorithm: Coded
    keys: Mapping[str, Coded]
    truth: Coded
    predicted: Coded
    probabilities: Mapping[str, FloatArray]
    origin: Origin
    notes: Sequence[str]

    def describe(self, row: int) -> str:
        """Name the instance of a row."""
        told = [
            f"{role} {coded.name(row)!r}"
            for role, coded in reversed(list(self.keys.items()))
            if role == "instance" or len(coded.names) > 1
        ]
        return f"{told[0]} ({', '.join(told[1:])})" if told[1:] else told[0]


def _keys(columns: Columns, roles: Mapping[str, str]) -> dict[str, Coded]:
    """Return what identifies the instances, as far as there are such columns."""
    of_labels = ("repeat", "fold")
    return {
        role: (columns.labels if role in of_labels else columns.coded)(roles[role])
        for role in ("dataset", *of_labels, "instance")
        if role in roles
    }


def _long(columns: Columns, roles: Mapping[str, str]) -> Predictions:
    named = [
        (name, name[len(prefix) :])
        for name in columns.names
        for prefix in _PREFIXES
        if name.lower().startswith(prefix) and name != prefix and name not in roles.values()
    ]
    chances: dict[str, str] = {}
    for (name, _), label in zip(named, _labels([each for _, each in named]), strict=True):
        if label in chances:
            raise ColumnError(
                "columns",
                f"{chances[label]!r} and {name!r} of {columns.origin.name} both hold the "
                f"probability of class {label!r}",
                remedy="Remove one",
            )
        chances[label] = name
    cells = _Cells(
        columns.coded(roles["algorithm"]),
        _keys(columns, roles),
        columns.labels(roles["truth"]),
        columns.labels(roles["prediction"]),
        {label: columns.numbers(name).checked() for label, name in chances.items()},
        columns.origin,
        columns.notes,
    )
    return _assembled(cells)


def _wide(
    columns: Columns,
    roles: Mapping[str, str],
    algorithms: Mapping[str, str],
    probabilities: Mapping[str, FloatArray],
) -> Predictions:
    """Read a column of predictions for each algorithm."""
    _refuse_few(tuple(algorithms))
    n, k = len(columns), len(algorithms)
    keys = _keys(columns, roles)
    keys.setdefault("instance", Coded(np.arange(n), tuple(str(row + 1) for row in range(n))))
    said = [columns.labels(name) for name in algorithms.values()]
    names = tuple(dict.fromkeys(name for each in said for name in each.names))
    predicted = np.stack([_codes(each, names) for each in said], axis=1)
    row = np.repeat(np.arange(n), k)
    cells = _Cells(
        Coded(np.tile(np.arange(k), n), tuple(algorithms)),
        {role: each.take(row) for role, each in keys.items()},
        columns.labels(roles["truth"]).take(row),
        Coded(predicted.reshape(-1), names),
        probabilities,
        columns.origin.take(row),
        columns.notes,
    )
    return _assembled(cells)


def _codes(coded: Coded, names: Sequence[str]) -> IntArray:
    """Return the places of labels among these names."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in coded.names], dtype=np.intp)[coded.codes]


def _refuse_strangers(columns: Columns, name: str, truth: str) -> None:
    """Refuse a column of mostly other things than true classes, and more of them."""
    own, true = columns.labels(name), columns.labels(truth).names
    strange = ~np.isin(own.names, true)
    there = strange[own.codes]
    if strange.sum() <= len(true) or 2 * there.sum() <= there.size:
        return
    first = own.name(int(np.argmax(there)))
    hint = (
        f"if it tells the test instances apart, give {Option('instance', name)}; otherwise "
        "remove it"
    )
    if name.lower().startswith(_PREFIXES):
        hint = "probabilities are read from a long table: one row per instance and algorithm"
    raise ColumnError(
        f"column {name!r}",
        f"{columns.origin.name} has no 'algorithm' column, so each column holds an algorithm's "
        "predictions",
        f"this one holds mostly what is no true class ({first!r}, …)",
        hint,
    )


# --- checked, and put into arrays ----------------------------------------------------------


def _refuse_few(algorithms: Sequence[str]) -> None:
    if len(algorithms) < 2:
        raise ColumnError(
            "algorithm",
            "at least two algorithms are needed",
            remedy=f"found {len(algorithms)} ({quoted(algorithms)}). Add the predictions of a "
            "second one",
        )


def _assembled(cells: _Cells) -> Predictions:
    """Check the rows and put them into arrays, instances in order of first appearance."""
    algorithms = cells.algorithm.names
    _refuse_few(algorithms)
    classes = sorted_labels({*cells.truth.names, *cells.predicted.names, *cells.probabilities})
    chances = _probabilities(cells, classes)
    key = np.zeros(cells.algorithm.codes.size, dtype=np.intp)
    for codes, labels in cells.keys.values():
        key = key * len(labels) + codes
    first, instance = np.unique(key, return_index=True, return_inverse=True)[1:]
    order = _grid(cells, first, instance.reshape(-1))
    truth = cells.truth.codes[order]
    differs = np.flatnonzero((truth != truth[:, :1]).any(axis=1))
    if differs.size:
        rows = order[differs[0]]
        found = quoted(cells.truth.name(row) for row in dict.fromkeys(rows.tolist()))
        raise CellError(
            "truth",
            "an instance has one true class, whoever predicts it, but "
            f"{count(differs.size, 'instance has', 'instances have')} several: the first, "
            f"{cells.describe(int(rows[0]))}, has {found} ({cells.origin.at(np.sort(rows))})",
            remedy="Correct the table",
        )
    keys = {
        role: tuple(names[code] for code in codes[first].tolist())
        for role, (codes, names) in cells.keys.items()
    }
    return Predictions(
        algorithms=algorithms,
        classes=tuple(classes),
        truth=_codes(cells.truth, classes)[first],
        predicted=_codes(cells.predicted, classes)[order],
        probabilities=None if chances is None else chances[order],
        keys=keys,
        notes=(*cells.notes, *pooled(keys)),
    )


def _grid(cells: _Cells, first: IntArray, instance: IntArray) -> IntArray:
    """Return the row of each instance and algorithm: (n, K)."""
    codes, names = cells.algorithm
    n, k = len(first), len(names)
    place = instance * k + codes
    again = repeated(place)
    if again.size:
        shown = [
            f"{cells.algorithm.name(pair[0])!r} on {cells.describe(int(pair[0]))} "
            f"({cells.origin.at(pair)})"
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
    gaps = np.setdiff1d(np.arange(n * k), place) if place.size < n * k else place[:0]
    lacks = []
    for code in np.unique(gaps % k).tolist():
        own = gaps[gaps % k == code] // k
        shown = [cells.describe(int(first[row])) for row in own[:3].tolist()]
        told = listed(shown, limit=3, total=own.size)
        lacks.append(f"{names[code]!r} lacks {count(own.size, 'instance')} ({told})")
    if lacks:
        raise MissingCellsError(
            "rows",
            "the algorithms must be tested on the same instances, but of "
            f"{count(n, 'instance')} {listed(lacks, limit=3)}",
            remedy="Add those predictions, or leave out the instances or the algorithms concerned",
        )
    return np.argsort(place).reshape(n, k)


def _probabilities(cells: _Cells, classes: Sequence[str]) -> FloatArray | None:
    """Return the probabilities, a column for each class, or raise if they are none."""
    given = cells.probabilities
    if not given:
        return None
    absent = [label for label in classes if label not in given]
    if absent:
        raise ColumnError(
            "columns",
            f"{cells.origin.name} has probabilities of {quoted(given)}",
            f"none of {quoted(absent)}, which occur",
            f"Add columns such as {'p_' + absent[0]!r}, or remove the others",
        )
    values = np.column_stack([given[label] for label in classes])

    def refuse(rows: IntArray, rule: str, what: str, error: type[CellError]) -> None:
        if rows.size:
            there = "there is" if rows.size == 1 else "there are"
            found = f"{there} {count(rows.size, 'row')} ({cells.origin.at(rows)})"
            remedy = "Correct the table, or leave out the probabilities of the algorithm"
            raise error("probabilities", f"{rule}, but {found} with {what}", remedy=remedy)

    algorithm, absent_at = cells.algorithm.codes, np.isnan(values)
    gives = np.bincount(algorithm, weights=~absent_at.all(axis=1)) > 0
    some = np.flatnonzero(absent_at.any(axis=1) & gives[algorithm])
    refuse(some, "an algorithm gives all of them or none", "one missing", MissingCellsError)
    outside = np.flatnonzero(((values < 0) | (values > 1)).any(axis=1))
    refuse(outside, "they lie between 0 and 1", "another number", CellError)
    sums = values.sum(axis=1)
    off = np.flatnonzero(np.abs(sums - 1) > SUM_TOLERANCE)
    told = f"another sum, the first with {sums[off[:1].sum()]:.4g}"
    refuse(off, f"those of {quoted(classes)} must sum to 1", told, CellError)
    return values


def pooled(keys: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Say what the tests do not know: that instances come from several data sets or again."""
    several = {role: len(set(names)) for role, names in keys.items()}
    notes = []
    if (n := several.get("dataset", 1)) > 1:
        notes.append(f"The instances of {n} data sets are taken together.")
    if (n := several.get("repeat", 1)) > 1:
        notes.append(
            f"The same instances come again in {n} repeats and are not independent: p-values are "
            "too small. Give one repeat."
        )
    return tuple(notes)
