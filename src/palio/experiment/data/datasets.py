"""Data sets by one string: read, generated or fetched, cleaned, and known by their content.

What is numeric and what is categorical, and which task the target sets, is decided by the rules
in `palio.experiment.data.columns`; they look at values, never at how a file stores them, so that
the same data read from CSV and from Parquet are the same data set with the same fingerprint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack, get_args

import numpy as np

from palio.errors import ColumnError, InputError, ParameterError, require
from palio.experiment.data.columns import (
    clean_column,
    clean_target,
    fold_in_numbers,
    fold_in_text,
    guess_task,
    usual_target,
)
from palio.experiment.data.origins import Table, Target, find_origin, find_table
from palio.scores.columns import refuse_duplicates
from palio.words import count, did_you_mean, quoted

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

Task: TypeAlias = Literal["classification", "regression"]

DEFAULT_DATASETS: tuple[str, ...] = (
    "sklearn:iris",
    "sklearn:wine",
    "sklearn:breast_cancer",
    "sklearn:digits",
    "monks-1",
    "monks-2",
    "monks-3",
    "balance-scale",
    "tic-tac-toe",
    "twonorm",
    "ringnorm",
    "threenorm",
    "waveform-21",
    "waveform-40",
    "led-7",
    "led-24",
)
"""Sixteen classification sets that need no download."""


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of features and a target, with the task they set.

    Parameters
    ----------
    name : str
        What tables and figures call it; no part of its identity.
    X : pandas.DataFrame
        Numeric columns as floats, categorical ones as text; missing cells are NaN in both.
    y : numpy.ndarray
        Integers or text for classification, floats for regression; never missing.
    task : {"classification", "regression"}
        What is to be learnt.
    categorical : tuple of str
        The columns of ``X`` that are categories.
    source : str
        Where it came from.
    target : str
        What the column of ``y`` was called, where that is known; no part of its identity either.

    Examples
    --------
    >>> (data,) = load_datasets("monks-1")
    >>> data
    <Dataset monks-1: 432 rows, 6 features (6 categorical), 2 classes>
    >>> data.classes
    (0, 1)
    >>> data.fingerprint[:12]
    '0edc0e83addd'
    """

    name: str
    X: pd.DataFrame
    y: NDArray[Any]
    task: Task
    categorical: tuple[str, ...]
    source: str
    target: str = ""

    def __post_init__(self) -> None:
        _check_task(self.task)
        if len(self.X) != len(self.y):
            raise ParameterError(
                "y",
                f"must have one value for each row of X; {self.name!r} has "
                f"{count(len(self.X), 'row')} and {count(len(self.y), 'target value')}",
            )
        absent = [column for column in self.categorical if column not in self.X.columns]
        if absent:
            raise ColumnError(
                "categorical",
                f"{quoted(absent)} is not in {self.name!r}."
                f"{did_you_mean(absent[0], map(str, self.X.columns))} Name columns of X",
            )
        text = [
            str(column)
            for column, kind in self.X.dtypes.items()
            if kind.kind not in "biuf" and column not in self.categorical
        ]
        if text:
            raise ColumnError(
                "categorical",
                f"{quoted(text)} of {self.name!r} must be named here or be numeric",
                remedy="Or use make_dataset, which looks at the columns itself",
            )

    @property
    def n_rows(self) -> int:
        """The number of instances."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """The number of columns of ``X``."""
        return self.X.shape[1]

    @property
    def classes(self) -> tuple[Any, ...]:
        """The class labels, sorted; only a classification set has them."""
        if self.task != "classification":
            raise ParameterError(
                "classes", f"only a classification set has them; {self.name!r} is for {self.task}"
            )
        return tuple(np.unique(self.y).tolist())

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the content: columns, values, target, task; not the name or the types.

        Which columns are categorical is part of it, because the results depend on that.
        """
        content = hashlib.sha256(f"palio data set 1 {self.task} {self.n_rows}\n".encode())
        for column in self.X.columns:
            values = self.X[column]
            if column in self.categorical:
                fold_in_text(content, str(column), values.to_numpy(dtype=object))
            else:
                fold_in_numbers(content, str(column), values.to_numpy(dtype=np.float64))
        if self.task == "classification":
            fold_in_text(content, "", self.y.astype(str).astype(object))
        else:
            fold_in_numbers(content, "", self.y)
        return content.hexdigest()

    @cached_property
    def incomplete(self) -> tuple[str, ...]:
        """The columns of ``X`` that have missing cells."""
        return tuple(str(column) for column in self.X.columns[self.X.isna().any(axis=0)])

    def take(self, rows: NDArray[np.intp]) -> Dataset:
        """Return the data set that has only these rows, in this order."""
        return replace(self, X=self.X.iloc[rows].reset_index(drop=True), y=self.y[rows])

    def __repr__(self) -> str:
        kinds = f" ({len(self.categorical)} categorical)" if self.categorical else ""
        features = count(self.n_features, "feature") + kinds
        what = "regression"
        if self.task == "classification":
            what = count(len(self.classes), "class", "classes")
        return f"<Dataset {self.name}: {count(self.n_rows, 'row')}, {features}, {what}>"


def load_datasets(
    spec: str | Dataset,
    *,
    target: Target = None,
    task: str | None = None,
    max_rows: int | None = None,
    binary: bool = False,
) -> list[Dataset]:
    """Return the data sets that one string names: one, or as many as a folder has.

    Parameters
    ----------
    spec : str or Dataset
        ``sklearn:wine``, ``openml:61``, ``csv:path.csv`` or a path that ends in .csv, .tsv,
        .parquet or .arff, ``folder:path``, or a generator such as ``monks-1``. A data set is
        returned as it is.
    target : str or mapping, optional
        The column to learn, in files and from OpenML; or that of each data set, by its name. If
        not given it is the last one, unless another has a name that targets have (`usual_target`).
    task : {"classification", "regression"}, optional
        By default it is classification if the target is text, true or false, or whole numbers of
        at most 20 different values, and otherwise regression.
    max_rows : int, optional
        A larger data set is cut to so many rows, drawn at random but always the same ones, with
        the classes in proportion.
    binary : bool
        Whether many classes become two, by `to_binary`. They do so before rows are drawn, so that
        a class that is drawn nowhere does not change the side of the others.

    Examples
    --------
    >>> load_datasets("sklearn:wine")
    [<Dataset wine: 178 rows, 13 features, 3 classes>]
    >>> load_datasets("sklearn:diabetes", max_rows=100)
    [<Dataset diabetes: 100 rows, 10 features, regression>]
    >>> load_datasets("monk-1")
    Traceback (most recent call last):
    ...
    palio.errors.UnknownNameError: data set: 'monk-1' is not known. Did you mean 'monks-1' ...
    """
    _check_max_rows(max_rows)
    if task is not None:
        _check_task(task)
    if isinstance(spec, Dataset):
        _refuse_options(spec, target, task)
        found = [spec]
    else:
        found = [_from_table(table, task) for table in find_table(spec, target)]
    return [_at_most(to_binary(each) if binary else each, max_rows) for each in found]


class Reading(TypedDict, total=False):
    """How data sets are read: what `load_datasets` takes besides the string."""

    target: Target
    task: str | None
    max_rows: int | None
    binary: bool


def load_among(spec: str | Dataset, **reading: Unpack[Reading]) -> list[Dataset]:
    """Return the data sets that one of several strings names; a target is for those that take it.

    >>> load_among("sklearn:wine", target="class")
    [<Dataset wine: 178 rows, 13 features, 3 classes>]
    """
    if not takes_target(spec):
        reading["target"] = None
    return load_datasets(spec, **reading)


def takes_target(spec: str | Dataset) -> bool:
    """Say whether a target column may be named: in files and from OpenML.

    >>> takes_target("csv:mine.csv"), takes_target("sklearn:wine")
    (True, False)
    """
    return not isinstance(spec, Dataset) and find_origin(spec)[0].takes_target


def name_for_target(spec: str | Dataset, dataset: Dataset) -> str:
    """Return by which name the target of a data set is given: its own, or that of OpenML.

    >>> name_for_target("sklearn:wine", load_datasets("sklearn:wine")[0])
    'wine'
    """
    if not isinstance(spec, Dataset):
        origin, rest = find_origin(spec)
        if origin.name == "openml":
            return f"openml:{rest}"
    return dataset.name


def seen_from(folder: Path, spec: str) -> str:
    """Return the string with the path in it, if there is one, as seen from a folder.

    >>> seen_from(Path("/data"), "csv:mine.csv"), seen_from(Path("/data"), "sklearn:wine")
    ('csv:/data/mine.csv', 'sklearn:wine')
    """
    origin, rest = find_origin(spec)
    if not origin.is_path:
        return spec
    prefix = origin.forms[0].partition(":")[0]
    return f"{prefix}:{folder / Path(rest).expanduser()}"


def make_dataset(
    name: str,
    frame: pd.DataFrame,
    *,
    target: str | None = None,
    task: str | None = None,
    categorical: Iterable[str] = (),
    source: str = "a frame",
) -> Dataset:
    """Make a data set of a frame, by the rules that hold for files.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1, 2, None], "hue": ["red", "?", "blue"], "y": [0, 1, 1]})
    >>> make_dataset("toy", frame)
    <Dataset toy: 3 rows, 2 features (1 categorical), 2 classes>
    """
    if task is not None:
        _check_task(task)
    return _from_table(Table(name, frame, source, target, tuple(categorical)), task)


def to_binary(dataset: Dataset) -> Dataset:
    """Return the data set with two classes, 1 and 0, dealt in turn to the sorted class names.

    This is how wainer2016 §2.2 makes a binary problem of many classes. Data of two classes are
    returned as they are.

    Examples
    --------
    >>> (iris,) = load_datasets("sklearn:iris")
    >>> to_binary(iris).classes, int(to_binary(iris).y.sum())
    ((0, 1), 100)
    """
    if dataset.task != "classification":
        raise ParameterError(
            "binary",
            f"only a classification set can have two classes; {dataset.name!r} is for "
            f"{dataset.task}. Leave one of them away",
        )
    classes = dataset.classes
    if len(classes) == 2:
        return dataset
    positive = np.isin(dataset.y, classes[::2])
    return replace(
        dataset, y=positive.astype(np.int64), source=f"{dataset.source}, classes made binary"
    )


def _from_table(table: Table, task: str | None) -> Dataset:
    import pandas as pd

    header = [str(column) for column in table.frame.columns]
    refuse_duplicates(header, table.name)
    frame = table.frame.set_axis(header, axis=1)
    target = _target_column(table, header)
    if len(frame) < 2 or len(header) < 2:
        raise InputError(
            table.name,
            "must have a target, a feature and two rows",
            remedy=(
                f"it has {count(len(header), 'column')} and {count(len(frame), 'row')}. Give "
                "more data"
            ),
        )
    named = set(table.categorical)
    y_column = frame[target]
    wanted = task or table.task or guess_task(y_column, categorical=target in named)
    cleaned = {
        name: clean_column(frame[name], table.name, categorical=name in named)
        for name in header
        if name != target
    }
    return Dataset(
        name=table.name,
        X=pd.DataFrame({name: values for name, (values, _) in cleaned.items()}),
        y=clean_target(y_column, target, table.name, wanted),
        task=_check_task(wanted),
        categorical=tuple(name for name, (_, is_text) in cleaned.items() if is_text),
        source=table.source,
        target=target,
    )


def _target_column(table: Table, header: list[str]) -> str:
    absent = [name for name in table.categorical if name not in header]
    if absent:
        raise ColumnError(
            "categorical",
            f"{quoted(absent)} named as categorical, but not in {table.name}."
            f"{did_you_mean(absent[0], header)} Its columns are {quoted(header, limit=10)}",
        )
    if table.target is None:
        return usual_target(header, table.name)
    if table.target not in header:
        raise ColumnError(
            "target",
            f"{table.name} has no column {table.target!r}.{did_you_mean(table.target, header)} "
            f"Its columns are {quoted(header, limit=10)}",
        )
    return table.target


def _at_most(dataset: Dataset, max_rows: int | None) -> Dataset:
    if max_rows is None or dataset.n_rows <= max_rows:
        return dataset
    from palio.experiment.resampling import proportional_rows

    rows = proportional_rows(dataset, max_rows)
    cut = replace(dataset.take(rows), source=f"{dataset.source}, {max_rows} of its rows")
    if cut.task == "classification" and len(cut.classes) < 2:
        raise ParameterError(
            "max_rows",
            f"{max_rows} of the {dataset.n_rows} rows of {dataset.name!r} hold one class only",
            remedy="Take more",
        )
    return cut


def _check_max_rows(max_rows: int | None) -> None:
    whole = isinstance(max_rows, int | np.integer) and not isinstance(max_rows, bool)
    fits = max_rows is None or (whole and max_rows >= 2)
    require(fits, "max_rows", "must be a whole number of at least 2", max_rows)


def _check_task(task: str) -> Task:
    for known in get_args(Task):
        if task == known:
            return known  # type: ignore[no-any-return]
    raise ParameterError(
        "task",
        f"must be 'classification' or 'regression', and {task!r} was given."
        f"{did_you_mean(str(task), get_args(Task))}",
    )


def _refuse_options(dataset: Dataset, target: Target, task: str | None) -> None:
    given = [name for name, value in (("target", target), ("task", task)) if value is not None]
    if given:
        raise ParameterError(
            f"{given[0]}",
            f"{dataset.name!r} is a data set already and has its target and task",
            remedy=f"Leave {given[0]} away, or give the path it was read from",
        )
