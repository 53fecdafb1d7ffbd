"""What may hold a table: a file, a dictionary of columns, a frame of any make.

A new kind of source is a function that makes columns of it and an entry in `SOURCES`; what another
tool writes is an entry in `IMPORTERS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from palio.errors import CellError, ColumnError, ParameterError, UnreadableError
from palio.registry import Registry
from palio.scores.columns import Columns, Origin, named_columns, refuse_duplicates
from palio.scores.formats import is_readable, read_file
from palio.scores.importers import IMPORTERS, asked_for, imported, imported_files, recognised, walk
from palio.words import listed, quoted

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

    Path_: TypeAlias = str | os.PathLike[str]
    TableSource: TypeAlias = Path_ | Sequence[Path_] | IntoFrame | Mapping[str, Any]


@dataclass(frozen=True)
class Source:
    """A kind of thing that holds a table; ``told`` says in messages what it is.

    ``read`` makes columns of what ``takes`` accepts, or raises an error about the parameter.
    """

    name: str
    told: str
    takes: Callable[[object], bool]
    read: Callable[[Any, str], Columns]


def read_columns(source: object, *, parameter: str) -> Columns:
    """Read whatever holds a table, by the first source that takes it."""
    kind = next((kind for kind in SOURCES.values() if kind.takes(source)), None)
    if kind is None:
        *most, last = [kind.told for kind in SOURCES.values()]
        arrays = ". Use ScoreTable.from_arrays for arrays" if hasattr(source, "ndim") else ""
        raise ParameterError(
            parameter,
            f"must be {', '.join(most)} or {last}",
            remedy=f"got {type(source).__name__}{arrays}",
        )
    columns = kind.read(source, parameter)
    if not len(columns):
        raise CellError(
            parameter,
            f"{columns.origin.name} has no rows (its columns are {quoted(columns.names)})",
            remedy="Give a table with at least one row",
        )
    return columns


def _called(parameter: str) -> str:
    return "the table" if parameter == "source" else "the table of costs"


# --- files ---------------------------------------------------------------------------------


def _is_path(source: object) -> bool:
    return isinstance(source, str | os.PathLike)


def _from_path(source: str | os.PathLike[str], parameter: str) -> Columns:
    asked = asked_for(str(source))
    if asked is not None:
        return imported(*asked, parameter)
    as_table = str(source).startswith(_AS_TABLE)
    path = Path(str(source).removeprefix(_AS_TABLE)).expanduser()
    if not path.exists() and (matching := matches(path)):
        return _from_files(matching, parameter)
    importer = recognised(path) if path.exists() and not as_table else None
    if importer is not None:
        columns = imported(importer, path, parameter)
        told = f"Recognised: {importer.told}; {_AS_TABLE}{source} reads it as an ordinary table."
        return replace(columns, notes=(told, *columns.notes))
    if path.is_dir():
        return _from_tables(tables_in(path, parameter), parameter, path.name)
    return _from_table(path, parameter)


_AS_TABLE = "table:"  # in front of a path: no importer is to read it
_MOST = 10_000  # files of a folder that are looked at


def matches(pattern: Path) -> list[Path]:
    """Return the files that a pattern such as ``runs/*.csv`` is for, in order."""
    if not set("*?[") & set(str(pattern)):
        return []
    whole = pattern.absolute()
    try:
        found = list(Path(whole.anchor).glob(str(whole.relative_to(whole.anchor))))
    except ValueError:  # no pattern
        return []
    return sorted(path for path in found if path.is_file())


def tables_in(folder: Path, parameter: str) -> list[Path]:
    """Return the files in a folder, however deep, that may be tables."""
    files = list(islice(walk(folder), _MOST + 1))
    if len(files) > _MOST:
        raise UnreadableError(
            parameter,
            f"{str(folder)!r} holds more than {_MOST} files",
            remedy="Give those that are meant, as a pattern in quotation marks: 'runs/*.csv'",
        )
    found = [path for path in files if is_readable(path)]
    if not found:
        raise UnreadableError(
            parameter,
            f"{str(folder)!r} holds no table, nor files of {listed(IMPORTERS, limit=20)}",
            remedy="Give a folder of tables, or a file",
        )
    return found


def _is_files(source: object) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(map(_is_path, source))


def _from_files(source: Sequence[str | os.PathLike[str]], parameter: str) -> Columns:
    """Read several files: those of one importer together, tables together, and all as one."""
    if len(source) == 1:
        return _from_path(source[0], parameter)
    by_importer: dict[str, list[Path]] = {}
    tables: list[Path] = []
    parts: list[Columns] = []
    for each in source:
        path = Path(each).expanduser()
        if asked_for(str(each)) is not None or path.is_dir():
            parts.append(_from_path(each, parameter))
            continue
        importer = recognised(path) if path.exists() else None
        if importer is None:
            tables.append(path)
        else:
            by_importer.setdefault(importer.name, []).append(path)
    parts += [imported_files(name, files, parameter) for name, files in by_importer.items()]
    name = f"{source[0]} and {len(source) - 1} more"
    if tables:
        parts.append(_from_tables(tables, parameter, name))
    from palio.scores.importers.several import stacked

    return stacked(parts, name)


def _from_tables(paths: Sequence[Path], parameter: str, name: str) -> Columns:
    from palio.scores.importers.tables import gathered

    tables = [_from_table(path, parameter) for path in paths]
    return gathered(tables, paths, name) if len(tables) > 1 else tables[0]


def _from_table(path: Path, parameter: str) -> Columns:
    found = read_file(path, parameter)
    if isinstance(found, Columns):
        return found
    if isinstance(found, Mapping):
        return _from_mapping(found, path.name)
    return _from_pandas(found, path.name)


# --- dictionaries --------------------------------------------------------------------------


def _is_mapping(source: object) -> bool:
    return isinstance(source, Mapping) and not _is_cross_validated(source)


def _is_cross_validated(source: object) -> bool:
    """Say whether these are results of scikit-learn: of a search, or by name, or by data set."""
    found = getattr(source, "cv_results_", source)
    if not isinstance(found, Mapping) or not found:
        return False
    if "params" in found:
        return any(str(key).startswith("split0_test_") for key in found)
    below = list(found.values())
    if not all(isinstance(each, Mapping) and each for each in below):
        return False
    return all(any(str(key).startswith("test_") for key in each) for each in below) or all(
        map(_is_cross_validated, below)
    )


def _from_cross_validated(source: object, parameter: str) -> Columns:
    from palio.scores.importers.cross_validated import read

    return read(source, _called(parameter))


def _from_mapping(source: Mapping[Any, Any], name: str) -> Columns:
    import pandas as pd

    for column, values in source.items():
        if isinstance(values, str) or not hasattr(values, "__len__"):
            raise ColumnError(
                f"column {str(column)!r} of {name}",
                "must be a list of values",
                remedy=f"got {type(values).__name__}",
            )
    lengths = {str(column): len(values) for column, values in source.items()}
    if len(set(lengths.values())) > 1:
        told = listed(f"{column!r} has {length}" for column, length in lengths.items())
        raise ColumnError("columns", f"all must have the same number of rows in {name}; {told}")
    columns = [pd.Series(_as_array(values)) for values in source.values()]
    size = next(iter(lengths.values()), 0)
    return Columns(named_columns(list(lengths), columns, name), Origin.of_rows(name, size))


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


# --- frames --------------------------------------------------------------------------------


def _is_frame(source: object) -> bool:
    import pandas as pd

    # A pyarrow table may have two columns of one name, which narwhals refuses in its own words.
    if isinstance(source, pd.DataFrame) or hasattr(source, "column_names"):
        return True
    import narwhals as nw

    return isinstance(nw.from_native(source, pass_through=True), (nw.DataFrame, nw.LazyFrame))


def _from_frame(source: Any, parameter: str) -> Columns:
    import pandas as pd

    name = _called(parameter)
    if isinstance(source, pd.DataFrame):
        return _from_pandas(source, name)
    import narwhals as nw

    refuse_duplicates(getattr(source, "column_names", []), name)
    frame = nw.from_native(source)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    # to_numpy, because to_pandas would need pyarrow for a polars frame.
    columns = [pd.Series(frame[column].to_numpy()) for column in frame.columns]
    return Columns(named_columns(frame.columns, columns, name), Origin.of_rows(name, len(frame)))


def _from_pandas(frame: pd.DataFrame, name: str) -> Columns:
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
    kept = [
        (str(level.name) if level.name is not None else "index", level.to_series())
        for level in levels
        if level.name is not None or not pd.api.types.is_numeric_dtype(level.dtype)
    ]
    pairs = [(label, level) for label, level in kept if label not in header]
    pairs += [(label, frame.iloc[:, position]) for position, label in enumerate(header)]
    columns = [column.reset_index(drop=True) for _, column in pairs]
    named = named_columns([label for label, _ in pairs], columns, name)
    return Columns(named, Origin.of_rows(name, len(frame)))


SOURCES: Registry[Source] = Registry.of(
    "source",
    Source("file", "the path of a file", _is_path, _from_path),
    Source("files", "a list of paths", _is_files, _from_files),
    Source(
        "scikit-learn",
        "results of cross_validate by name, a search",
        _is_cross_validated,
        _from_cross_validated,
    ),
    Source(
        "dictionary",
        "a dictionary of columns",
        _is_mapping,
        lambda source, parameter: _from_mapping(source, _called(parameter)),
    ),
    Source("frame", "a frame (pandas, polars, pyarrow)", _is_frame, _from_frame),
)
