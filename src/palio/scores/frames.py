"""Columns of what is in memory: dictionaries, records, series, arrays, and frames of any make."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import ColumnError
from palio.measures import is_known_cost, is_known_score
from palio.scores import limits
from palio.scores.columns import Columns, Origin, named_columns
from palio.scores.profiles import DESCRIPTIONS
from palio.scores.roles import plays_a_role
from palio.scores.vocabulary import has_role
from palio.words import listed, one_line

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = sys.float_info.max
_MAX_RUNS = 100  # in a list in a cell: more are a curve
_MIN_CURVE = 5  # different numbers in a list, for a curve to be told from runs
_TREND = 0.8  # rank correlation of a curve with the places of its numbers
_DEPTH = 5  # of dictionaries within records that become columns


def is_in_memory(source: object) -> bool:
    """Say whether an object is a table: a dictionary, records, a series, an array or a frame."""
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(row, Mapping) for row in source)
    if isinstance(source, Mapping) or getattr(getattr(source, "dtype", None), "names", None):
        return True
    import pandas as pd

    # A pyarrow table may have two columns of one name, which narwhals refuses in its own words.
    if isinstance(source, pd.DataFrame | pd.Series) or hasattr(source, "column_names"):
        return True
    import narwhals as nw

    return isinstance(nw.from_native(source, pass_through=True), (nw.DataFrame, nw.LazyFrame))


def table_name(parameter: str) -> str:
    """Return what a table without a name is called in messages."""
    return "the table" if parameter == "source" else "the table of costs"


@limits.held(False)
def from_memory(source: Any, parameter: str) -> Columns:
    """Read what `is_in_memory` accepts; it has no limits."""
    import pandas as pd

    name = table_name(parameter)
    if isinstance(source, list | tuple):
        source = columns_of(source)
    elif isinstance(source, pd.Series):
        # One without a name may be a wide table whose columns were stacked.
        stacked = source.name is None and source.index.nlevels > 1
        called = "score" if source.name is None else str(source.name)
        source = _checked(source.unstack, name) if stacked else source.to_frame(called)
    elif getattr(getattr(source, "dtype", None), "names", None):
        source = {field: source[field].ravel() for field in source.dtype.names}
    if isinstance(source, Mapping):
        return from_mapping(source, name)
    if type(source).__module__.startswith("pyarrow"):  # of whose batches narwhals knows nothing
        source = source.to_pandas()
    if isinstance(source, pd.DataFrame):
        return from_pandas(source, name)
    import narwhals as nw

    frame = nw.from_native(source).lazy().collect()
    # to_numpy, because to_pandas would need pyarrow for a polars frame.
    columns = {column: frame[column].to_numpy() for column in frame.columns}
    return from_pandas(pd.DataFrame(columns), name)


def from_mapping(source: Mapping[Any, Any], name: str) -> Columns:
    """Read a dictionary of columns; those may be dictionaries or series, by the names of rows."""
    import pandas as pd

    source = with_row_labels(source)
    for column, values in source.items():
        flat = getattr(values, "ndim", 1) == 1
        if isinstance(values, str | Mapping) or not hasattr(values, "__len__") or not flat:
            rule, got = "must be a list of values", f"got {type(values).__name__}"
            raise ColumnError(f"column {str(column)!r} of {name}", rule, remedy=got)
    # Series belong together by their rows.
    columns = {n: x if isinstance(x, pd.Series) else _as_array(x) for n, x in source.items()}
    sizes = {str(n): len(x) for n, x in columns.items() if not isinstance(x, pd.Series)}
    if len(set(sizes.values())) > 1:
        told = listed(f"{column!r} has {size}" for column, size in sizes.items())
        raise ColumnError("columns", f"all must have the same number of rows in {name}; {told}")
    return from_pandas(_checked(lambda: pd.DataFrame(columns, copy=False), name), name)


def with_row_labels(source: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Turn ``{column: {row: value}}`` into ``{column: [values]}``, the rows in the first column.

    pandas counts rows that have no name. A list of values is one per fold.

    >>> with_row_labels({"knn": {"iris": 0.9, "wine": 0.8}, "svm": {"iris": 0.7}})
    {'index': ['iris', 'wine'], 'knn': [0.9, 0.8], 'svm': [0.7, None]}
    >>> with_row_labels({"knn": {"iris": [0.9, 0.8]}})
    {'index': ['iris', 'iris'], 'fold': [1, 2], 'knn': [0.9, 0.8]}
    """
    if not source or not all(isinstance(column, Mapping) for column in source.values()):
        return source
    rows = list(dict.fromkeys(row for column in source.values() for row in column))
    folds = max((_folds(each) for column in source.values() for each in column.values()), default=0)
    limits.check("cells", len(source) * len(rows) * max(folds, 1))
    columns = {
        name: [cell for row in rows for cell in _cells(column.get(row), folds)]
        for name, column in source.items()
    }
    labels: dict[str, list[Any]] = {}
    if not all(str(row).isdecimal() for row in rows):
        labels["index"] = [row for row in rows for _ in range(max(folds, 1))]
    if folds:
        labels["fold"] = [fold + 1 for _ in rows for fold in range(folds)]
    return columns if set(labels) & set(columns) else {**labels, **columns}


def _folds(cell: Any) -> int:
    """Return how many scores a cell holds, if it holds a list of them."""
    return len(cell) if isinstance(cell, list | tuple | np.ndarray) and np.ndim(cell) == 1 else 0


def _cells(cell: Any, folds: int) -> list[Any]:
    """Return the scores in a cell; where it has fewer than others, some are missing."""
    found = list(cell) if _folds(cell) else [cell]
    return found + [None] * (folds - len(found))


def columns_of(records: Sequence[Mapping[Any, Any]]) -> dict[str, list[Any]]:
    """Return the columns of records; dictionaries within are columns with dots in their names.

    That is where scores are in them: where one is called so, or no number beside may be one.

    >>> columns_of([{"model": "a", "acc": {"iris": 0.9}}, {"model": "b"}])
    {'model': ['a', 'b'], 'acc.iris': [0.9, None]}
    """
    cells = (cell for record in records for cell in record.values())
    if inside := [flat(cell) for cell in cells if isinstance(cell, Mapping)]:
        beside, within = called_numbers(records), called_numbers(inside)
        told = [name for name in beside if not has_role(name, *DESCRIPTIONS)]
        alone = all(plays_a_role(name) or is_known_cost(name) for name in told)
        if alone or any(map(is_known_score, within)):
            records = [flat(record) for record in records]
    records = _with_runs(records)
    header = dict.fromkeys(key for record in records for key in record)
    limits.check("cells", len(header) * len(records))
    return {str(key): [record.get(key) for record in records] for key in header}


_NO_RUNS = re.compile(r"(?i)histor|curve|epoch|step|trace|loss|losses|progress|confus|matrix")


def _with_runs(records: Sequence[Mapping[Any, Any]]) -> Sequence[Mapping[Any, Any]]:
    """Return a record for each run, where the scores of all records are lists of numbers.

    >>> _with_runs([{"model": "knn", "acc": [0.9, 0.8]}, {"model": "svm", "acc": [0.7]}])[1:]
    [{'run': 2, 'model': 'knn', 'acc': 0.8}, {'run': 1, 'model': 'svm', 'acc': 0.7}]
    """
    lists = [{key: each for key, each in row.items() if _may_be_runs(key, each)} for row in records]
    sizes = [{*map(len, its.values())} for its in lists]
    if len(lists) < 2 or any(len(each) != 1 or max(each) > _MAX_RUNS for each in sizes):
        return records
    if any(map(is_known_score, called_numbers(records))) or _have_trend(lists):
        return records
    return [
        {"run": run + 1, **row, **{key: each[run] for key, each in its.items()}}
        for row, its in zip(records, lists, strict=True)
        for run in range(len(next(iter(its.values()))))
    ]


def _have_trend(lists: Sequence[Mapping[Any, Sequence[float]]]) -> bool:
    """Say whether most lists ascend or descend, as curves of learning do and runs do not.

    >>> _have_trend([{"acc": [0.1, 0.5, 0.6, 0.7, 0.9]}]), _have_trend([{"acc": [4, 1, 3, 2, 5]}])
    (True, False)
    """
    cells = (each for of in lists for each in of.values() if len({*each}) >= _MIN_CURVE)
    ranks = [np.unique(each, return_inverse=True)[1] for each in cells]
    trends = [np.corrcoef(each, np.arange(each.size))[0, 1] for each in ranks]
    return bool(sum(abs(each) > _TREND for each in trends) > len(trends) / 2)


def _may_be_runs(name: object, cell: object) -> bool:
    are_numbers = isinstance(cell, list) and cell and {*map(type, cell)} <= {int, float}
    return bool(are_numbers) and not _NO_RUNS.search(str(name))


def called_numbers(records: Sequence[Mapping[Any, Any]]) -> set[str]:
    """Return the names that numbers have in records; true and false are none."""
    pairs = (pair for row in records for pair in row.items())
    return {str(k) for k, v in pairs if isinstance(v, int | float) and not isinstance(v, bool)}


def flat(record: Mapping[Any, Any], above: str = "", depth: int = _DEPTH) -> dict[str, Any]:
    """Return a record without dictionaries within: their keys are in the names, behind dots."""
    found: dict[str, Any] = {}
    for key, value in record.items():
        within = isinstance(value, Mapping) and value and depth
        found |= flat(value, f"{above}{key}.", depth - 1) if within else {f"{above}{key}": value}
    return found


def _as_array(values: Any) -> Any:
    # Text stays Python objects, so that a list such as ["a", 1, None] is not made into text.
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths, as JSON may hold
        array = np.empty((0, 0))
    if array.dtype.kind in "if" and any(isinstance(each, bool) for each in values):
        # Among numbers a truth value is no number.
        values = [str(each) if isinstance(each, bool) else each for each in values]
        array = np.empty((0, 0))
    if array.dtype.kind in "US" or array.ndim != 1:
        array = np.empty(len(values), dtype=object)
        array[:] = list(values)
    elif array.dtype.kind == "O":
        # A whole number beyond any float is infinite; pandas before 3 fails on it.
        huge = [n for n, x in enumerate(array) if isinstance(x, int) and abs(x) > _LARGEST]
        array = array.copy()
        array[huge] = [math.inf if array[place] > 0 else -math.inf for place in huge]
    return array


def _checked(made: Callable[[], Any], name: str) -> pd.DataFrame:
    """Return a frame; where pandas says why it is none, say so."""
    try:
        frame: pd.DataFrame = made()
    except ValueError as error:
        raise ColumnError("columns", f"{name} is no table: {one_line(error)}") from error
    return frame


def _stacked(frame: pd.DataFrame) -> pd.DataFrame:
    """Put named levels of column names below each other, as rows: a pivot table has such.

    What stays are the measures, which have no name together, or else the first level.
    """
    import pandas as pd

    names = list(frame.columns.names)
    unnamed = [level for level, called in enumerate(names) if called is None]
    if len(names) == 1 or len(unnamed) > 1:
        return frame
    stays = unnamed[0] if unnamed else 0
    below = [level for level in range(len(names)) if level != stays]
    return pd.DataFrame(frame.stack(below, future_stack=True))


def from_pandas(frame: pd.DataFrame, name: str) -> Columns:
    """Read a pandas frame; an index that holds data becomes columns."""
    import pandas as pd

    frame = _stacked(frame)
    if frame.columns.nlevels > 1:
        rule = f"{name} has {frame.columns.nlevels} levels of column names"
        raise ColumnError("columns", rule, remedy="give a frame with one level")
    # An index with a name, or of text, holds data; a plain row count does not.
    levels = [frame.index.get_level_values(level) for level in range(frame.index.nlevels)]
    pairs: list[tuple[str, pd.Series[Any]]] = [
        ("index" if level.name is None else str(level.name), level.to_series())
        for level in levels
        if level.name is not None or not pd.api.types.is_numeric_dtype(level.dtype)
    ]
    header = [str(column) for column in frame.columns]
    pairs = [pair for pair in pairs if pair[0] not in header]
    pairs += [(label, frame.iloc[:, position]) for position, label in enumerate(header)]
    for label, column in pairs:
        if getattr(column.dtype, "kind", "") == "c":
            raise ColumnError(f"column {label!r} of {name}", "it holds complex numbers")
    columns = [column.reset_index(drop=True) for _, column in pairs]
    named = named_columns([label for label, _ in pairs], columns, name)
    return Columns(named, Origin.of_rows(name, len(frame)))
