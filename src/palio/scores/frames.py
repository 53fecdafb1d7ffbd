"""Frames of any make, and dictionaries of columns, become columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import ColumnError, ParameterError
from palio.scores.columns import Columns, Origin, named_columns, refuse_duplicates
from palio.words import listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["from_frame", "from_mapping", "from_pandas"]


def from_frame(source: Any, parameter: str) -> Columns:
    """Read a frame that narwhals understands, lazy or not."""
    import pandas as pd

    name = "the table" if parameter == "source" else "the table of costs"
    if isinstance(source, pd.DataFrame):
        return from_pandas(source, name)
    import narwhals as nw

    # A pyarrow table may have two columns of one name, which narwhals refuses in its own words.
    refuse_duplicates(getattr(source, "column_names", []), name)
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        arrays = " Use ScoreTable.from_arrays for arrays." if hasattr(source, "ndim") else ""
        raise ParameterError(
            f"{parameter}: must be the path of a file, a frame (pandas, polars, pyarrow) or a"
            f" dictionary of columns; got {type(source).__name__}.{arrays}"
        )
    # to_numpy, because to_pandas would need pyarrow for a polars frame.
    columns = [pd.Series(frame[column].to_numpy()) for column in frame.columns]
    return Columns(named_columns(frame.columns, columns, name), _rows_origin(name, len(frame)))


def from_pandas(frame: pd.DataFrame, name: str) -> Columns:
    """Read a pandas frame; an index that holds data becomes columns."""
    import pandas as pd

    if frame.columns.nlevels > 1:
        raise ColumnError(
            "columns",
            f"{name} has {frame.columns.nlevels} levels of column names",
            remedy="give a frame with one level",
        )
    # An index with a name, or of text, holds data; a plain row count does not.
    levels = [frame.index.get_level_values(level) for level in range(frame.index.nlevels)]
    header = [str(column) for column in frame.columns]
    columns = [frame.iloc[:, position] for position in range(len(header))]
    kept = [
        (str(level.name) if level.name is not None else "index", level.to_series())
        for level in levels
        if level.name is not None or not pd.api.types.is_numeric_dtype(level.dtype)
    ]
    kept = [(label, level) for label, level in kept if label not in header]
    header = [label for label, _ in kept] + header
    columns = [level for _, level in kept] + columns
    columns = [column.reset_index(drop=True) for column in columns]
    return Columns(named_columns(header, columns, name), _rows_origin(name, len(frame)))


def from_mapping(source: Mapping[Any, Any], name: str) -> Columns:
    """Read a dictionary of columns."""
    import pandas as pd

    for column, values in source.items():
        if isinstance(values, str) or not hasattr(values, "__len__"):
            raise ColumnError(
                f"column {str(column)!r} of {name}: must be a list of values;"
                f" got {type(values).__name__}."
            )
    lengths = {str(column): len(values) for column, values in source.items()}
    if len(set(lengths.values())) > 1:
        told = listed(f"{column!r} has {length}" for column, length in lengths.items())
        raise ColumnError("columns", f"all must have the same number of rows in {name}; {told}")
    columns = [pd.Series(_as_array(values)) for values in source.values()]
    rows = next(iter(lengths.values()), 0)
    return Columns(
        named_columns([str(key) for key in source], columns, name), _rows_origin(name, rows)
    )


def _as_array(values: Any) -> Any:
    # Text stays Python objects, so that a list such as ["a", 1, None] is not made into text.
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths, as JSON may hold
        array = np.empty((0, 0))
    if array.dtype.kind in "US" or array.ndim != 1:
        array = np.empty(len(values), dtype=object)
        array[:] = list(values)
    return array


def _rows_origin(name: str, rows: int) -> Origin:
    return Origin(name, "row", np.arange(rows))
