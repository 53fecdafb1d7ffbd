"""Data sets: read, generated, fetched or given, and known by their content.

What a column or a target means is decided by the rules in `palio.experiment.data.columns`. The
fingerprint is of values, never of how a file stores them, so that the same data read from CSV and
from Parquet have the same splits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack, cast, get_args

import numpy as np

from palio.errors import ColumnError, InputError, ParameterError, require
from palio.experiment.data.columns import (
    clean_column,
    clean_target,
    fold_in_numbers,
    fold_in_text,
    guess_task,
    is_time,
    plain,
    usual_target,
)
from palio.experiment.data.generators import GENERATORS
from palio.experiment.data.origins import Table, Target, find_origin
from palio.experiment.identity import digest
from palio.registry import unknown_name
from palio.scores.columns import refuse_duplicates
from palio.words import count, did_you_mean, quoted

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

Task: TypeAlias = Literal["classification", "regression"]
Role: TypeAlias = "str | Mapping[str, Any] | None"
"""A column's name, or by data set a column's name or one value per row."""

DEFAULT_DATASETS: tuple[str, ...] = (
    *(f"sklearn:{name}" for name in ("iris", "wine", "breast_cancer", "digits")),
    *GENERATORS,
)
"""Sixteen classification sets that need no download."""


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Features and a target, with the task they set.

    Nothing is done to what is given: an estimator gets the rows of a fold as they are here.

    Parameters
    ----------
    name : str
        What tables and figures call it; no part of its identity.
    X : pandas.DataFrame, array or sparse matrix
        The features, one row per instance; a list of texts will do.
    y : array-like
        What is learnt, one value per row, none missing.
    task : {"classification", "regression"}, optional
        What is to be learnt; by the values of ``y`` unless given.
    categorical : tuple of str
        Columns of ``X`` that are names although they hold numbers. Columns of text and of
        categories always are.
    source : str
        Where it came from.
    target : str
        What the column of ``y`` was called, where that is known; no part of its identity either.
    groups : array-like, optional
        The group of each row: rows of a group are never on both sides of a split.
    sample_weight : array-like, optional
        The weight of each row, in fitting and in scoring.
    unit : str
        What the groups are, such as ``"customer"``.

    See Also
    --------
    palio.run : takes data sets, and frames and pairs ``(X, y)`` of which it makes some.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [31, 45, None, 52], "plan": ["a", "b", "a", "b"]})
    >>> churn = Dataset("churn", X, ["stays", "leaves", "stays", "leaves"])
    >>> churn, churn.classes, churn.categorical
    (<Dataset churn: 4 rows, 2 features (1 categorical), 2 classes>, ('leaves', 'stays'), ('plan',))
    >>> (data,) = load_datasets("monks-1")
    >>> data.fingerprint[:12]
    '0edc0e83addd'
    """

    name: str
    X: Any
    y: Any
    task: Task = ""  # type: ignore[assignment]  # always one of the two after it is made
    categorical: tuple[str, ...] = ()
    source: str = "given"
    target: str = ""
    groups: Any = None
    sample_weight: Any = None
    unit: str = field(default="group", kw_only=True)

    def __post_init__(self) -> None:
        import pandas as pd

        X = _features(self.X)
        y = _checked_target(self.y, self.name)
        made = {
            "X": X,
            "y": y,
            "task": _check_task(
                self.task or guess_task(pd.Series(self.y if np.ndim(self.y) == 1 else y))
            ),
            "categorical": _categorical(X, self.categorical, self.name),
            "groups": _per_row(self.groups, "groups", self),
            "sample_weight": _per_row(self.sample_weight, "sample_weight", self),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)
        if X.shape[0] != len(y):
            has = f"{count(X.shape[0], 'row')} and {count(len(y), 'target value')}"
            rule = f"must have one value for each row of X; {self.name!r} has {has}"
            raise ParameterError("y", rule)

    @property
    def n_rows(self) -> int:
        """The number of instances."""
        return len(self.y)

    @property
    def n_features(self) -> int:
        """The number of columns of ``X``."""
        return int(self.X.shape[1]) if len(self.X.shape) > 1 else 1

    @property
    def classes(self) -> tuple[Any, ...]:
        """The class labels, sorted; only a classification set has them."""
        if self.task != "classification":
            raise ParameterError(
                "classes", f"only a classification set has them; {self.name!r} is for {self.task}"
            )
        return tuple(np.unique(self.y).tolist())

    @property
    def frame(self) -> pd.DataFrame:
        """The features as a frame: arrays have columns of numbers, from 0."""
        import pandas as pd

        found: pd.DataFrame = self.X
        if hasattr(self.X, "nnz"):
            found = pd.DataFrame.sparse.from_spmatrix(self.X)  # type: ignore[attr-defined]
        elif not hasattr(self.X, "iloc"):
            found = pd.DataFrame(self.X.reshape(self.n_rows, -1))
        return found

    @property
    def plain(self) -> pd.DataFrame:
        """The features as floats and text, missing cells NaN, whatever they were."""
        return plain_frame(self.frame, self.categorical)

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the content: columns, values, target, task; not the name or the types.

        Which columns are categorical is part of it, because the results depend on that.
        """
        content = hashlib.sha256(f"palio data set 1 {self.task} {self.n_rows}\n".encode())
        if hasattr(self.X, "nnz"):
            content.update(digest(self.X.shape, *_sparse_parts(self.X)).encode())
        else:
            frame = self.frame
            for place, column in enumerate(frame.columns):
                values = frame.iloc[:, place]
                found = plain(values, names=column in self.categorical)
                fold = fold_in_text if found.dtype == object else fold_in_numbers
                fold(content, str(column), found)
        if self.task == "classification":
            fold_in_text(content, "", self.y.astype(str).astype(object))
        else:
            fold_in_numbers(content, "", self.y.astype(np.float64))
        return content.hexdigest()

    @cached_property
    def form(self) -> str:
        """How the content is held, hashed: an estimator that gets it as it is may see that."""
        X = self.X
        if not hasattr(X, "iloc"):
            return digest(type(X).__name__, str(X.dtype), X.shape[1:], str(self.y.dtype))
        kinds = [[str(kind), list(map(str, getattr(kind, "categories", ())))] for kind in X.dtypes]
        return digest(kinds, str(self.y.dtype))

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The groups and weights of the rows, hashed; nothing where there are none."""
        given = (self.groups, self.sample_weight)
        return () if all(each is None for each in given) else (digest(*given),)

    @property
    def content(self) -> str:
        """All of it but names, hashed."""
        return digest(self.fingerprint, self.form, *self.roles)

    @cached_property
    def obstacles(self) -> tuple[str, ...]:
        """What not every estimator takes."""
        if hasattr(self.X, "nnz"):
            return ("a sparse matrix",)
        names = bool(self.categorical) or getattr(getattr(self.X, "dtype", None), "kind", "") == "O"
        found = {
            "text or categories": names,
            "dates": any(is_time(self.frame[name]) for name in self.frame),
            "missing values": bool(self.frame.isna().to_numpy().any()),
        }
        return tuple(what for what, there in found.items() if there)

    def take(self, rows: NDArray[np.intp]) -> Dataset:
        """Return the data set that has only these rows, in this order."""
        X = self.X.iloc[rows].reset_index(drop=True) if hasattr(self.X, "iloc") else self.X[rows]
        roles: dict[str, Any] = {
            name: None if (values := getattr(self, name)) is None else values[rows]
            for name in ("groups", "sample_weight")
        }
        return replace(self, X=X, y=self.y[rows], **roles)

    def __repr__(self) -> str:
        kinds = f" ({len(self.categorical)} categorical)" if self.categorical else ""
        features = count(self.n_features, "feature") + kinds
        what = "regression"
        if self.task == "classification":
            what = count(len(self.classes), "class", "classes")
        return f"<Dataset {self.name}: {count(self.n_rows, 'row')}, {features}, {what}>"


def _features(X: Any) -> Any:
    """Return features as what rows can be taken of: a frame, an array, or compressed rows."""
    if hasattr(X, "to_pandas"):
        return X.to_pandas()
    if hasattr(X, "nnz"):
        return X.tocsr()
    if hasattr(X, "shape"):
        return X
    texts = all(isinstance(each, str) for each in X)
    return np.asarray(X, dtype=object if texts else None)


def _checked_target(y: Any, name: str) -> NDArray[Any]:
    import pandas as pd

    values: NDArray[Any] = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        each = count(values.size // max(1, len(values)), "target")
        rule = f"{name!r} has {each} in each row, and a data set has one"
        raise ParameterError("y", rule, remedy="make a data set of each")
    if missing := int(pd.isna(values).sum()):
        what = count(missing, "missing target value")
        raise ParameterError("y", f"{name!r} has {what}. Leave these rows out")
    return pd.Series(values).infer_objects().to_numpy() if values.dtype == object else values


def _categorical(X: Any, named: Iterable[str], name: str) -> tuple[str, ...]:
    """Return the columns that are names: those that are named, and whatever holds no numbers."""
    if not hasattr(X, "iloc"):
        return ()
    _check_columns("categorical", named, list(X.columns), name)
    kinds = [getattr(kind, "kind", "O") for kind in X.dtypes]
    return tuple(
        column
        for column, kind in zip(X.columns, kinds, strict=True)
        if column in named or kind not in "biufcmM"
    )


def _per_row(values: Any, role: str, dataset: Dataset) -> NDArray[Any] | None:
    import pandas as pd

    if values is None:
        return None
    found = np.asarray(values)
    if found.shape != (len(dataset.y),) or pd.isna(found).any():
        rule = f"one value for each of the {len(dataset.y)} rows of {dataset.name!r}, none missing"
        given = f"{count(len(found), 'value')} of which {int(pd.isna(found).sum())} are missing"
        raise ParameterError(role, rule, f"{given} were given")
    return found


def _sparse_parts(X: Any) -> tuple[NDArray[Any], ...]:
    tidy = X.copy()
    tidy.sum_duplicates()
    tidy.eliminate_zeros()
    return tidy.data.astype(np.float64), tidy.indices.astype("<i8"), tidy.indptr.astype("<i8")


def plain_frame(X: Any, categorical: Iterable[str]) -> pd.DataFrame:
    """Return features as floats and text, missing cells NaN.

    >>> import pandas as pd
    >>> plain_frame(pd.DataFrame({"a": [1, 2], "b": [True, None]}), ["a"]).to_numpy().tolist()
    [['1', 1.0], ['2', nan]]
    """
    import pandas as pd

    frame = X if hasattr(X, "iloc") else pd.DataFrame(X)
    names = set(categorical)
    dates = [str(column) for column in frame.columns if is_time(frame[column])]
    if dates:
        rule = "the standard preparation has no numbers for dates, such as those of"
        remedy = "turn them into numbers, such as days, or leave the columns out"
        raise ColumnError("prepare", f"{rule} {quoted(dates)}", remedy=remedy)
    # A frame whose every column is a new array: floats stay where they are.
    return pd.DataFrame(
        {column: plain(frame[column], names=column in names) for column in frame.columns},
        index=frame.index,
    )


class Reading(TypedDict, total=False):
    """How data sets are read: what `load_datasets` takes besides the string."""

    target: Target
    task: str | None
    max_rows: int | None
    binary: bool
    groups: Role
    sample_weight: Role


def load_datasets(spec: Any, name: str = "", **reading: Unpack[Reading]) -> list[Dataset]:
    """Return the data sets that one string names, one or as many as a folder has; or one's own.

    Parameters
    ----------
    spec : str, frame, pair, Bunch or Dataset
        ``sklearn:wine``, ``openml:61``, ``csv:path.csv`` or a path that ends in .csv, .tsv,
        .parquet or .arff, ``folder:path``, or a generator such as ``monks-1``. With a ``name``:
        a frame with its target among the columns, ``(X, y)``, or what scikit-learn's loaders
        return. A `Dataset` is returned as it is.
    name : str
        What the data set is called, if not by its file.
    target : str or mapping, optional
        The column to learn, in frames, files and from OpenML; or that of each data set, by its
        name. If not given it is the last one, unless another has a name that targets have
        (`usual_target`).
    task : {"classification", "regression"}, optional
        By default it is classification if the target is text, true or false, or whole numbers of
        at most 20 different values, and otherwise regression.
    max_rows : int, optional
        A larger data set is cut to so many rows, drawn at random but always the same ones, with
        the classes in proportion.
    binary : bool
        Whether many classes become two, by `to_binary`. They do so before rows are drawn, so that
        a class that is drawn nowhere does not change the side of the others.
    groups, sample_weight : str or mapping, optional
        The column of groups or of weights, where a data set has it; or by data set a column or
        one value per row. Such columns are no features any more.

    Examples
    --------
    >>> load_datasets("sklearn:wine")
    [<Dataset wine: 178 rows, 13 features, 3 classes>]
    >>> load_datasets("sklearn:diabetes", max_rows=100)
    [<Dataset diabetes: 100 rows, 10 features, regression>]
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"left": [0, 1, 1], "age": [31, 45, 52], "who": ["a", "b", "b"]})
    >>> load_datasets(frame, "churn", target="left", groups="who")
    [<Dataset churn: 3 rows, 1 feature, 2 classes>]
    >>> load_datasets("monk-1")
    Traceback (most recent call last):
    ...
    palio.errors.UnknownNameError: data set: 'monk-1' is not known. Did you mean 'monks-1' ...
    """
    return load_all({name: spec} if name else [spec], **reading)[0]


def load_all(datasets: Any, **reading: Unpack[Reading]) -> tuple[list[Dataset], dict[str, str]]:
    """Return all data sets, and the targets of those that let them be named.

    >>> load_all({"mine": ([[1.0], [2.0]], [0, 1])})
    ([<Dataset mine: 2 rows, 1 feature, 2 classes>], {})
    """
    if hasattr(datasets, "shape"):
        rule = "must be a list of names, or data by name"
        raise ParameterError("datasets", rule, remedy="give it a name, as {'mine': frame}")
    loaded: list[Dataset] = []
    targets: dict[str, str] = {}
    keys: list[str] = []
    for name, spec in named_specs(datasets):
        found = load_among(spec, name, **reading)
        loaded += found
        if takes_target(spec):
            targets |= {dataset.name: dataset.target for dataset in found}
            own = isinstance(spec, str) and find_origin(spec)[0].name == "openml" and not name
            keys += [str(spec).strip() if own else dataset.name for dataset in found]
    names = [dataset.name for dataset in loaded]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError("datasets", "names must differ", f"{', '.join(twice)} comes twice")
    _check_used("target", reading.get("target"), keys, found=bool(keys))
    for role in ("groups", "sample_weight"):
        taken = any(getattr(dataset, role) is not None for dataset in loaded)
        _check_used(role, reading.get(role), names, found=taken)
    return loaded, targets


def named_specs(datasets: Any) -> list[tuple[str, Any]]:
    """Return what stands for data sets, each with its name, if it has one of its own.

    >>> named_specs("sklearn:wine"), named_specs({"mine": "csv:a.csv"})
    ([('', 'sklearn:wine')], [('mine', 'csv:a.csv')])
    """
    if isinstance(datasets, Mapping):
        return list(datasets.items())
    return [("", each) for each in ([datasets] if isinstance(datasets, str) else datasets)]


def load_among(spec: Any, name: str = "", **reading: Unpack[Reading]) -> list[Dataset]:
    """Return the data sets that one of several entries stands for; what others have is passed over.

    >>> load_among("sklearn:wine", target="class")
    [<Dataset wine: 178 rows, 13 features, 3 classes>]
    """
    target, most = reading.get("target"), reading.get("max_rows")
    task = None if (said := reading.get("task")) is None else _check_task(said)
    if name and isinstance(target, Mapping):
        target = target.get(name)
    whole = isinstance(most, int | np.integer) and not isinstance(most, bool) and most >= 2
    rule = "must be a whole number of at least 2"
    require(most is None or whole, "max_rows", rule, most)
    if isinstance(spec, Dataset):
        rule = f"{spec.name!r} is a data set already and has its task"
        require(task is None, "task", rule, task, "Leave it away")
        found = [spec]
    elif name and not isinstance(spec, str):
        found = [_given(spec, name, target, task)]
    else:
        origin, rest = find_origin(spec)
        found = [from_table(table, task) for table in origin.load(rest, target)]
    if name and len(found) == 1:
        found = [replace(found[0], name=name)]
    roles = {"groups": reading.get("groups"), "sample_weight": reading.get("sample_weight")}
    found = [_with_roles(each, roles) for each in found]
    return [_at_most(to_binary(each) if reading.get("binary") else each, most) for each in found]


def takes_target(spec: Any) -> bool:
    """Say whether a target column may be named: in frames, in files and from OpenML.

    >>> takes_target("csv:mine.csv"), takes_target("sklearn:wine")
    (True, False)
    """
    if isinstance(spec, str):
        return find_origin(spec)[0].takes_target
    return hasattr(spec, "columns")


def _check_used(parameter: str, said: Any, names: list[str], *, found: bool) -> None:
    """Refuse a column that no data set has, and names that are of no data set."""
    for name in said if isinstance(said, Mapping) else ():
        if name not in names:
            raise unknown_name(parameter, name, names)
    what = "lets its target be named" if parameter == "target" else "has such a column"
    remedy = "It is for frames, files and OpenML. Leave it away"
    require(said is None or found, parameter, f"none of these data sets {what}", said, remedy)


def _given(spec: Any, name: str, target: Target, task: Task | None) -> Dataset:
    """Make a data set of what is given in Python; nothing is done to it."""
    if isinstance(spec, Mapping) and "data" in spec and "target" in spec:
        spec = (spec["data"], spec["target"])
    if hasattr(spec, "columns"):
        frame = spec.to_pandas() if hasattr(spec, "to_pandas") else spec
        wanted = target if isinstance(target, str) else None
        column = _target_column(Table(name, frame, "given", wanted), list(frame.columns))
        spec = (frame.drop(columns=column), frame[column])
    if not isinstance(spec, tuple) or len(spec) != 2:
        rule = f"{name!r} is a string such as 'sklearn:wine', a frame, (X, y) or a Dataset"
        raise ParameterError("datasets", rule, f"{type(spec).__name__} was given")
    X, y = spec
    # By the values of y where nobody says the task.
    return Dataset(name, X, y, task or "", target=str(getattr(y, "name", None) or ""))  # type: ignore[arg-type]


def _with_roles(dataset: Dataset, roles: Mapping[str, Role]) -> Dataset:
    """Take the groups and weights of a data set: given, or a column that is a feature no more."""
    for role, said in roles.items():
        values = said.get(dataset.name) if isinstance(said, Mapping) else said
        if values is None:
            continue
        if not isinstance(values, str):
            dataset = replace(dataset, **{role: values})
            continue
        columns = list(getattr(dataset.X, "columns", ()))
        if values in columns:
            changed: dict[str, Any] = {
                "X": dataset.X.drop(columns=values),
                "categorical": tuple(each for each in dataset.categorical if each != values),
                "unit": values if role == "groups" else dataset.unit,
                role: dataset.X[values],
            }
            dataset = replace(dataset, **changed)
        elif isinstance(said, Mapping):
            _check_columns(role, [values], columns, dataset.name)
    return dataset


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
        rule = f"only a classification set can have two classes; {dataset.name!r} is for"
        raise ParameterError("binary", f"{rule} {dataset.task}. Leave one of them away")
    classes = dataset.classes
    if len(classes) == 2:
        return dataset
    positive = np.isin(dataset.y, classes[::2])
    return replace(
        dataset, y=positive.astype(np.int64), source=f"{dataset.source}, classes made binary"
    )


def from_table(table: Table, task: str | None = None) -> Dataset:
    """Make a data set of a table, by the rules that hold for files.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1, 2, None], "hue": ["red", "?", "blue"], "y": [0, 1, 1]})
    >>> from_table(Table("toy", frame, "a frame"))
    <Dataset toy: 3 rows, 2 features (1 categorical), 2 classes>
    """
    import pandas as pd

    header = [str(column) for column in table.frame.columns]
    refuse_duplicates(header, table.name)
    frame = table.frame.set_axis(header, axis=1).reset_index(drop=True)
    target = _target_column(table, header)
    if len(frame) < 2 or len(header) < 2:
        has = f"it has {count(len(header), 'column')} and {count(len(frame), 'row')}"
        rule = "must have a target, a feature and two rows"
        raise InputError(table.name, rule, remedy=f"{has}. Give more data")
    named = set(table.categorical)
    wanted = task or table.task or guess_task(frame[target], categorical=target in named)
    columns = {
        name: clean_column(frame[name], table.name, categorical=name in named)
        for name in header
        if name != target
    }
    return Dataset(
        table.name,
        pd.DataFrame(columns),
        clean_target(frame[target], target, table.name, wanted),
        _check_task(wanted),
        source=table.source,
        target=target,
    )


def _target_column(table: Table, header: list[str]) -> str:
    _check_columns("categorical", table.categorical, header, table.name)
    if table.target is None:
        return usual_target(header, table.name)
    _check_columns("target", [table.target], header, table.name)
    return table.target


def _check_columns(parameter: str, named: Iterable[str], header: list[str], name: str) -> None:
    absent = next((each for each in named if each not in header), None)
    if absent is not None:
        known = list(map(str, header))
        rule = f"{name} has no column {absent!r}.{did_you_mean(absent, known)}"
        raise ColumnError(parameter, f"{rule} Its columns are {quoted(known, limit=10)}")


def _at_most(dataset: Dataset, max_rows: int | None) -> Dataset:
    if max_rows is None or dataset.n_rows <= max_rows:
        return dataset
    from palio.experiment.resampling import proportional_rows

    rows = proportional_rows(dataset, max_rows)
    cut = replace(dataset.take(rows), source=f"{dataset.source}, {max_rows} of its rows")
    if cut.task == "classification" and len(cut.classes) < 2:
        rule = f"{max_rows} of the {dataset.n_rows} rows of {dataset.name!r} hold one class only"
        raise ParameterError("max_rows", rule, remedy="Take more")
    return cut


def _check_task(task: str) -> Task:
    if task in get_args(Task):
        return cast("Task", task)
    rule = f"must be 'classification' or 'regression', and {task!r} was given."
    raise ParameterError("task", f"{rule}{did_you_mean(str(task), get_args(Task))}")
