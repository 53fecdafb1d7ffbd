"""read_predictions: any table of predictions becomes Predictions, or one clear error."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import ColumnError, InputError, Option, ParameterError
from palio.predictions.table import Predictions
from palio.predictions.validation import Cells, assembled, class_codes
from palio.scores.columns import Coded, Columns, Origin
from palio.scores.limits import held
from palio.scores.reading import asking
from palio.scores.sources import read_columns
from palio.words import quoted

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from palio.scores.sources import TableSource
    from palio.types import FloatArray, IntArray

_PREFIXES = ("proba_", "p_")


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
    roles = columns.roles(
        {
            "algorithm": algorithm,
            "truth": truth,
            "prediction": prediction,
            "dataset": dataset,
            "repeat": repeat,
            "fold": fold,
            "instance": instance,
        }
    )
    if "truth" not in roles:
        raise columns.lacking("truth", "holds the true classes")
    classes = columns.numbers(roles["truth"])
    if classes.is_numeric and classes.has_decimals:
        raise ColumnError(
            f"column {roles['truth']!r} of {columns.origin.name}",
            "predictions are compared by class, right or wrong",
            "it holds decimal numbers",
            "compare the errors of a regression with read_scores and compare",
        )
    return assembled(_long(columns, roles) if "algorithm" in roles else _wide(columns, roles))


# --- long ----------------------------------------------------------------------------------


def as_predictions(source: Predictions | TableSource) -> Predictions:
    """Return predictions, read by `read_predictions` unless they are."""
    if isinstance(source, Predictions):
        return source
    try:
        return read_predictions(source)
    except InputError as error:
        raise asking(error, "read_predictions") from None


def _long(columns: Columns, roles: dict[str, str]) -> Cells:
    for role, does in (
        ("instance", "tells the test instances apart"),
        ("prediction", "holds the predicted classes"),
    ):
        if role not in roles:
            raise columns.lacking(role, does)
    algorithm = columns.coded(roles["algorithm"])
    named = _probability_columns(columns, roles.values())
    classes, (truth, predicted) = class_codes(
        columns, (roles["truth"], roles["prediction"]), more=named
    )
    return Cells(
        algorithms=algorithm.names,
        classes=classes,
        keys=_keys(columns, roles),
        algorithm=algorithm.codes,
        truth=truth,
        predicted=predicted,
        probabilities=_probabilities(columns, named, classes),
        origin=columns.origin,
        notes=columns.notes,
    )


def _probability_columns(columns: Columns, taken: Collection[str]) -> dict[str, str]:
    """Return the columns of probabilities by class."""
    found = {
        name: name[len(prefix) :]
        for name in columns.names
        for prefix in _PREFIXES
        if name.lower().startswith(prefix) and name != prefix and name not in taken
    }
    named: dict[str, str] = {}
    for name, label in zip(found, _labels(list(found.values())), strict=True):
        if label in named:
            raise ColumnError(
                "columns",
                f"{named[label]!r} and {name!r} of {columns.origin.name} both hold the "
                f"probability of class {label!r}",
                remedy="Remove one",
            )
        named[label] = name
    return named


def _probabilities(
    columns: Columns, named: Mapping[str, str], classes: tuple[str, ...]
) -> FloatArray | None:
    if not named:
        return None
    absent = [label for label in classes if label not in named]
    if absent:
        raise ColumnError(
            "columns",
            f"{columns.origin.name} has probabilities of {quoted(named)}",
            f"none of {quoted(absent)}",
            f"Add columns such as {'p_' + absent[0]!r}, or remove the others",
        )
    return np.column_stack([columns.numbers(named[label]).checked() for label in classes])


def _keys(columns: Columns, roles: Mapping[str, str]) -> dict[str, Coded]:
    """Return what identifies the instances, as far as there are such columns."""
    return {
        role: read(roles[role])
        for role, read in (
            ("dataset", columns.coded),
            ("repeat", columns.labels),
            ("fold", columns.labels),
            ("instance", columns.coded),
        )
        if role in roles
    }


# --- wide ----------------------------------------------------------------------------------


def _wide(columns: Columns, roles: dict[str, str]) -> Cells:
    notes = columns.notes
    if "prediction" in roles:
        raise columns.lacking("algorithm", "names the algorithms")
    names = tuple(name for name in columns.names if name and name not in roles.values())
    keys = _keys(columns, roles)
    if "instance" not in keys:
        keys["instance"] = _numbered(len(columns))
        notes = (*notes, "There is no instance column: each row is an instance.")
    classes, (truth, *predicted) = class_codes(columns, (roles["truth"], *names))
    for name, codes in zip(names, predicted, strict=True):
        _refuse_strangers(columns, name, codes, truth, classes)
    return _spread(columns.origin, names, classes, keys, truth, predicted, notes=notes)


def _numbered(size: int) -> Coded:
    return Coded(np.arange(size), tuple(str(number) for number in range(1, size + 1)))


def _spread(
    origin: Origin,
    algorithms: tuple[str, ...],
    classes: tuple[str, ...],
    keys: Mapping[str, Coded],
    truth: IntArray,
    predicted: list[IntArray],
    *,
    probabilities: FloatArray | None = None,
    notes: tuple[str, ...],
) -> Cells:
    """Make one row per instance and algorithm of one row per instance."""
    size, width = truth.size, len(algorithms)
    row = np.repeat(np.arange(size), width)
    return Cells(
        algorithms=algorithms,
        classes=classes,
        keys={role: coded.take(row) for role, coded in keys.items()},
        algorithm=np.tile(np.arange(width), size),
        truth=truth[row],
        predicted=np.stack(predicted, axis=1).reshape(-1) if predicted else truth[row],
        probabilities=probabilities,
        origin=origin.take(row),
        notes=notes,
    )


def _refuse_strangers(
    columns: Columns, name: str, codes: Any, truth: Any, classes: tuple[str, ...]
) -> None:
    """Refuse a column of mostly other things than true classes, and more of them."""
    strange = ~np.isin(codes, truth)
    if np.unique(codes[strange]).size <= np.unique(truth).size or 2 * strange.sum() <= codes.size:
        return
    first = classes[int(codes[int(np.argmax(strange))])]
    where = columns.origin.name
    option = Option("instance", name)
    hint = f"if it tells the test instances apart, give {option}; otherwise remove it"
    if name.lower().startswith(_PREFIXES):
        hint = "probabilities are read from a long table: one row per instance and algorithm"
    raise ColumnError(
        f"column {name!r}",
        f"{where} has no 'algorithm' column, so each column holds an algorithm's predictions",
        f"this one holds mostly what is no true class ({first!r}, …)",
        hint,
    )


# --- arrays --------------------------------------------------------------------------------


def predictions_from_arrays(
    truth: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    probabilities: Mapping[str, ArrayLike],
    classes: Sequence[object] | None,
    notes: tuple[str, ...],
) -> Predictions:
    """Make predictions of arrays, through the same door as those of tables."""
    names = list(predictions)
    for name in probabilities:
        if name not in names:
            raise ParameterError("probabilities", f"{name!r} has no predictions ({quoted(names)})")
    if probabilities and classes is None:
        raise ParameterError("classes", "needed with probabilities, to tell what their columns are")
    values = [_one_axis("truth", truth), *(_one_axis(name, predictions[name]) for name in names)]
    rows = len(values[0])
    if any(len(each) != rows for each in values):
        told = quoted(len(each) for each in values)
        raise ParameterError("predictions", f"truth and predictions differ in length: {told}")
    # A name may be "truth" too, so places stand for names until the codes are made.
    places = [str(place) for place in range(len(values))]
    columns = Columns(dict(zip(places, values, strict=True)), Origin.of_rows("the arrays", rows))
    labels = list(dict.fromkeys(_labels(classes or ())))
    known, (codes, *predicted) = class_codes(columns, places, more=labels)
    return assembled(
        _spread(
            columns.origin,
            tuple(names),
            known,
            {"instance": _numbered(rows)},
            codes,
            predicted,
            probabilities=_stacked(probabilities, names, rows, labels, known),
            notes=notes,
        )
    )


def _labels(classes: Sequence[object]) -> list[str]:
    """Spell the classes as `class_codes` spells them, in the order given."""
    if not classes:
        return []
    column = _one_axis("classes", classes)
    given = Columns({"classes": column}, Origin.of_rows("the arrays", len(column)))
    codes, names = given.labels("classes")
    return [names[code] for code in codes.tolist()]


def _one_axis(name: str, values: Any) -> pd.Series[Any]:
    import pandas as pd

    array = np.asarray(values)
    if array.ndim != 1 or not array.size:
        raise ParameterError(
            name, "one class per instance is needed", remedy=f"got an array of shape {array.shape}"
        )
    return pd.Series(list(array), dtype=object)


def _stacked(
    probabilities: Mapping[str, ArrayLike],
    names: Sequence[str],
    rows: int,
    given: list[str],
    known: tuple[str, ...],
) -> FloatArray | None:
    """Return one row of probabilities per instance and algorithm; NaN where there are none."""
    if not probabilities:
        return None
    absent = [label for label in known if label not in given]
    if absent:
        raise ParameterError("classes", f"{quoted(absent)} occur and are not among {quoted(given)}")
    stacked = np.full((rows, len(names), len(known)), np.nan)
    for j, name in enumerate(names):
        if name in probabilities:
            block = np.asarray(probabilities[name], dtype=np.float64)
            if block.shape != (rows, len(given)):
                raise ParameterError(
                    "probabilities",
                    f"{name!r} must have shape ({rows}, {len(given)}), instances by classes",
                    remedy=f"got {block.shape}",
                )
            stacked[:, j] = block[:, [given.index(label) for label in known]]
    return stacked.reshape(rows * len(names), len(known))
