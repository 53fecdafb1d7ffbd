"""What may hold a table: a file, a dictionary of columns, a frame of any make.

A new kind of source is a function that makes columns of it and an entry in `SOURCES`; what another
tool writes is an entry in `IMPORTERS`, and what is no file, as a store, in `TABLE_SOURCES`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from glob import glob
from itertools import islice
from pathlib import Path, PurePath, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from palio.errors import CellError, ParameterError, UnreadableError, require
from palio.registry import Later, Registry, unknown_name
from palio.scores import limits
from palio.scores.columns import Columns, refuse_long
from palio.scores.formats import FORMATS, all_of, is_readable, opened, read_content, read_file
from palio.scores.frames import from_memory, is_in_memory
from palio.scores.importers import AS_TABLE, IMPORTERS, asked_for, recognised, walk
from palio.scores.summary import HowRead
from palio.words import is_server, listed, one_line, quoted

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from narwhals.typing import IntoFrame
    from numpy.typing import NDArray

    from palio.scores.items import ItemScores
    from palio.scores.spec import ReadSpec
    from palio.scores.table import ScoreTable

    Path_: TypeAlias = str | os.PathLike[str]
    _Files: TypeAlias = Path_ | Sequence[Path_ | Mapping[Any, Any]] | IO[Any]
    TableSource: TypeAlias = (
        _Files | IntoFrame | pd.Series[Any] | NDArray[np.void] | Mapping[Any, Any]
    )


@dataclass(frozen=True)
class Source:
    """A kind of thing that holds a table; ``description`` says in messages what it is.

    ``read`` makes columns of what it ``matches``, or raises an error about the parameter; it takes
    the name of a format besides if the source has ``formats``.
    """

    name: str
    description: str
    matches: Callable[[object], bool]
    read: Callable[..., Columns]
    formats: bool = False


_EXPERIMENTS = "palio.scores.importers.experiments"
_gathered: Later[..., Columns] = Later("palio.scores.importers.tables:gathered")
_stacked: Later[..., Columns] = Later("palio.scores.importers.tables:stacked")


def read_columns(source: object, *, parameter: str, asked: str | None = None) -> Columns:
    """Read whatever holds a table, by the first source that matches it.

    ``asked`` names the format, or the importer, where a file does not tell.
    """
    kind = next((kind for kind in SOURCES.values() if kind.matches(source)), None)
    if kind is None:
        rule = f"must be {', '.join(kind.description for kind in SOURCES.values())}"
        arrays = ". Use ScoreTable.from_arrays for arrays" if hasattr(source, "ndim") else ""
        raise ParameterError(parameter, rule, remedy=f"got {type(source).__name__}{arrays}")
    if asked is not None:
        require(kind.formats, "format", "it is for files", type(source).__name__, "leave it out")
        known = [*FORMATS, *IMPORTERS]
        if asked.partition(":")[0].lower().removeprefix(".") not in known:
            raise unknown_name("format", asked, known)
    try:
        columns = kind.read(source, parameter, *([asked] if asked is not None else []))
    except OSError as error:  # a name that no file can have
        message = f"{one_line(source)!r} cannot be read: {error.strerror or one_line(error)}"
        raise UnreadableError(parameter, message) from error
    if (reader := _made_by(columns.names)) is not None:
        read: Later[[Columns], Columns] = Later(f"{_EXPERIMENTS}:{reader}")
        columns = read(columns)
    refuse_long(columns.names, columns.origin.name)
    if not len(columns):
        rule = f"{columns.origin.name} has no rows (its columns are {quoted(columns.names)})"
        raise CellError(parameter, rule, remedy="Give a table with at least one row")
    return columns


# --- files ---------------------------------------------------------------------------------

_STANDARD_INPUT = ("-", "/dev/stdin")
_MOST = 10_000  # files of a folder that are looked at
# Files among others that tell about them, and hold no table.
_ABOUT_OTHERS = {"readme", "license", "config", "metadata", "requirements", "environment"}


def _is_path(source: object) -> bool:
    return isinstance(source, str | os.PathLike)


def _from_path(source: str | os.PathLike[str], parameter: str, asked: str | None = None) -> Columns:
    # Windows would write the path with backslashes.
    if (source.as_posix() if isinstance(source, PurePath) else str(source)) in _STANDARD_INPUT:
        return _from_stream(sys.stdin, parameter, asked)
    prefixed = asked_for(f"{asked}:{source}" if asked in IMPORTERS else str(source))
    if prefixed is not None:
        return prefixed[0].import_place(prefixed[1], parameter)
    if re.match(r"(https?|ftp|s3|gs|hf|memory)://", str(source)):
        return _from_address(str(source), parameter, asked)
    as_table = str(source).startswith(AS_TABLE)
    path = Path(str(source).removeprefix(AS_TABLE)).expanduser()
    if not path.exists() and (matching := _matching(path)):
        return _from_files(matching, parameter, asked)
    # Who names a format has said what it is.
    importer = recognised(path) if path.exists() and not as_table and asked is None else None
    if importer is None:
        paths = _tables_in(path, parameter, asked) if path.is_dir() else [path]
        return _from_tables(paths, parameter, path.name, asked)
    columns = importer.import_place(path, parameter)
    told = f"Recognised: {importer.description}"
    note = f"{told}; {AS_TABLE}{source} reads it as an ordinary table."
    return replace(columns, notes=(note, *columns.notes))


def _from_address(address: str, parameter: str, asked: str | None) -> Columns:
    """Read a file that is elsewhere, by fsspec; how large it is, is asked before it is fetched."""
    from palio.extras import needing

    # A path of its last part, without what is asked of a server: its ending tells the format.
    path = Path(PurePosixPath(address.partition("?")[0]).name or "the file")
    with opened(path, parameter), needing("remote", parameter, f"{address} needs fsspec"):
        import fsspec  # type: ignore[import-untyped]

        system, place = fsspec.url_to_fs(address)
        limits.check_size(system.info(place).get("size") or 0)
        with system.open(place, "rb") as file:
            # Which counts, too, for a server may say less than it sends.
            return read_content(all_of(file), path.name, parameter, asked)


def _matching(pattern: Path) -> list[Path]:
    """Return the files that a pattern such as ``runs/*.csv`` is for, in order."""
    with suppress(ValueError):  # of a name that no file can have
        found = map(Path, glob(str(pattern), recursive=True))  # noqa: PTH207  # absolute, too
        return sorted(path for path in found if path.is_file())
    return []


def _tables_in(folder: Path, parameter: str, asked: str | None) -> list[Path]:
    """Return the files in a folder, however deep, that may be tables: all, if it is said of what.

    Files whose endings tell that they are of that format come alone.
    """
    files = list(islice(walk(folder), _MOST + 1))
    if len(files) > _MOST:
        remedy = "Give those that are meant, as a pattern in quotation marks: 'runs/*.csv'"
        rule = f"{str(folder)!r} holds more than {_MOST} files"
        raise UnreadableError(parameter, rule, remedy=remedy)
    some = [path for path in files if path.stem.lower() not in _ABOUT_OTHERS] or files
    found = [path for path in some if is_readable(path, asked)] or (files if asked else [])
    if not found:
        rule = f"{str(folder)!r} holds no table, nor files of {listed(IMPORTERS, limit=20)}"
        raise UnreadableError(parameter, rule, remedy="Give a folder of tables, or a file")
    return found


def _is_files(source: object) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(map(_is_path, source))


def _from_files(
    source: Sequence[str | os.PathLike[str]], parameter: str, asked: str | None = None
) -> Columns:
    """Read several files: those of one importer together, tables together, and all as one."""
    if len(source) == 1:
        return _from_path(source[0], parameter, asked)
    parts, files = list[Columns](), dict[str, list[Path]]()
    for each in source:
        path = Path(each).expanduser()
        if asked in IMPORTERS or asked_for(str(each)) is not None or path.is_dir():
            parts.append(_from_path(each, parameter, asked))
        else:
            importer = recognised(path) if path.exists() and asked is None else None
            files.setdefault(importer.name if importer else "", []).append(path)
    name = f"{source[0]} and {len(source) - 1} more"
    for writer, paths in files.items():
        place = paths[0] if len(paths) == 1 else paths[0].parent
        parts.append(
            IMPORTERS[writer].import_files(paths, place, parameter)
            if writer
            else _from_tables(paths, parameter, name, asked)
        )
    return _stacked(parts, name)


def _from_tables(
    paths: Sequence[Path], parameter: str, name: str, asked: str | None = None
) -> Columns:
    tables = [read_file(path, parameter, asked) for path in paths]
    return tables[0] if len(tables) == 1 else _gathered(tables, paths, name)


# --- standard input, and files that are open ------------------------------------------------


def _is_stream(source: object) -> bool:
    return callable(getattr(source, "read", None)) and not hasattr(source, "columns")


def _from_stream(source: IO[Any], parameter: str, asked: str | None = None) -> Columns:
    require(asked not in IMPORTERS, "format", "files of tools are read by their path", asked)
    is_standard = source is sys.stdin
    name = "standard input" if is_standard else Path(str(getattr(source, "name", "the file"))).name
    with opened(Path(name), parameter):
        content = _standard_input(source) if is_standard else all_of(source)
        return read_content(content, name, parameter, asked)


# What is read from a pipe is gone, and a second look may be needed.
_standard_input = lru_cache(maxsize=1)(all_of)


# --- what is in memory ---------------------------------------------------------------------


def _is_cross_validated(source: object) -> bool:
    """Say whether these are a search of scikit-learn, or results by name, or by data set."""
    if not isinstance(source, Mapping):
        return hasattr(source, "cv_results_")
    below = list(source.values())
    if not below or not all(isinstance(each, Mapping) and each for each in below):
        return False
    return all(any(str(key).startswith("test_") for key in each) for each in below) or all(
        map(_is_cross_validated, below)
    )


def _made_by(names: Collection[str]) -> str | None:
    """Return what reads columns of these names, if a search over parameters has left them."""
    if "params" in names and any(name.startswith("split0_test_") for name in names):
        return "of_search"
    if {"run_id", "experiment_id", "status", "start_time", "end_time"} <= {*names}:
        return "of_runs"
    is_study = {"number", "state", "datetime_start"} <= {*names}
    return "of_trials" if is_study and not {"value", "values_0"}.isdisjoint(names) else None


SOURCES: Registry[Source] = Registry.of(
    "source",
    Source("file", "the path of a file", _is_path, _from_path, formats=True),
    Source("files", "a list of paths", _is_files, _from_files, formats=True),
    Source("stream", "an open file", _is_stream, _from_stream, formats=True),
    Source(
        "scikit-learn",
        "results of cross_validate by name, a search",
        _is_cross_validated,
        Later(f"{_EXPERIMENTS}:read"),
    ),
    Source(
        "memory",
        "a dictionary of columns, a list of rows, each a dictionary, a series (pandas), an array "
        "(NumPy) with named fields or a frame (pandas, polars, pyarrow)",
        is_in_memory,
        from_memory,
    ),
)


# --- what is no file -------------------------------------------------------------------------
#
# The store of an experiment, and what is shipped as study:NAME, are named where a file would be,
# and have columns and costs of their own. A new kind is an entry in `TABLE_SOURCES`; who reads it
# stands above this folder, and is loaded when one is asked for.

# Options that are for whatever was read.
_OF_ANY_TABLE = ("algorithms", "exclude", "datasets", "scale", "alone", "limits")
_OPTIONS = frozenset({"score", "higher_is_better", "missing", "keep_failing"})
_SQLITE = (".db", ".sqlite", ".sqlite3")


@dataclass(frozen=True)
class NamedSource:
    """What may stand in the place of a file.

    ``description`` says in messages what it is, ``matches`` whether a place names one. ``load``
    takes the place and those of the ``options`` of `read_scores` that were given; ``items``, where
    scores on items are kept beside the table, the place and a plan.
    """

    name: str
    description: str
    matches: Callable[[str], bool]
    load: Callable[..., ScoreTable]
    options: frozenset[str] = _OPTIONS
    items: Callable[..., ItemScores] | None = None

    def read(self, place: str, spec: ReadSpec) -> ScoreTable:
        """Return the table; refuse what is about the columns of a file.

        Costs that are only named must be there.
        """
        given = {name: value for name, value in spec.given().items() if name not in _OF_ANY_TABLE}
        costs = given.pop("costs") if isinstance(spec.costs, str | list | tuple) else ()
        for option in (name for name in given if name not in self.options):
            rule = f"{self.description} has columns and costs of its own"
            raise ParameterError(option, rule, remedy="leave it out, or give a file")
        table = self.load(place, **given)
        for name in [costs] if isinstance(costs, str) else costs:
            if name not in table.cost_names:
                table.cost_matrix(name)  # says what there is
        return replace(table, how_read=HowRead(self.name))


def _names_store(place: str) -> bool:
    """Say whether a place names a store, and not a database that another tool has written."""
    is_file = is_store(place) and not is_server(place)
    return recognised(Path(place).expanduser()) is None if is_file else is_store(place)


def _load_study(place: str, **given: Any) -> ScoreTable:
    load: Later[[str], ScoreTable] = Later("palio.studies:load_study")
    table = load(study_in(place) or "")
    score, up = given.pop("score", None), given.pop("higher_is_better", None)
    if "missing" in given:
        table = table.from_rows(table.rows, table.measure, notes=table.notes, **given)
    asked = score is not None or up is not None
    return table.with_score(score or table.measure.name, up) if asked else table


TABLE_SOURCES: Registry[NamedSource] = Registry.of(
    "table source",
    NamedSource(
        "store",
        "a store",
        _names_store,
        Later("palio.experiment.store.reading:read_store"),
        _OPTIONS | {"plan"},
        Later("palio.experiment.store.reading:read_stored_items"),
    ),
    NamedSource("study", "a study", lambda place: study_in(place) is not None, _load_study),
)


def named_source(source: object) -> NamedSource | None:
    """Return what reads the store or study that a source names, if it does.

    >>> named_source("study:ulas2008").name, named_source("results.csv")
    ('study', None)
    """
    if not isinstance(source, str | os.PathLike):
        return None
    try:
        return next((kind for kind in TABLE_SOURCES.values() if kind.matches(str(source))), None)
    except OSError:  # a name that no file can have, of which reading tells
        return None


def study_in(source: str | os.PathLike[str]) -> str | None:
    """Return the name of the study that stands in the place of a file, if one does.

    >>> study_in("study:ulas2008"), study_in("results.csv")
    ('ulas2008', None)
    """
    prefix, colon, name = str(source).partition(":")
    return name if colon and prefix == "study" else None


def is_store(place: str | os.PathLike[str]) -> bool:
    """Say whether a path or URL names a store.

    >>> is_store("experiment.db"), is_store("postgresql://host/db"), is_store("results.csv")
    (True, True, False)
    """
    # Behind a prefix, as in mlflow:runs.db, it is another's.
    named = re.match(r"[a-z-]{2,}:(?!//)", str(place)) is not None
    return is_server(place) or (Path(place).suffix.lower() in _SQLITE and not named)
