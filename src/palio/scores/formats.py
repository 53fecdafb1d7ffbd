"""The formats of files that hold a table: a format is a function that reads it and an entry here.

Whoever lists formats (messages, help, the page, the documentation) reads `FORMATS`.
"""

from __future__ import annotations

import csv
import functools
import gzip
import importlib
import io
import itertools
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from palio.errors import MissingExtraError, ParameterError, UnreadableError
from palio.registry import Registry
from palio.results import plain
from palio.scores.columns import Columns, Origin, Texts, named_columns, refuse_duplicates
from palio.words import did_you_mean, one_line

if TYPE_CHECKING:
    import pandas as pd

    Table: TypeAlias = Columns | Mapping[str, Any] | pd.DataFrame


class MalformedError(Exception):
    """A file is not of its format; ``reason`` goes on after the name of the file."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


@dataclass(frozen=True)
class Format:
    """A format of files.

    Parameters
    ----------
    name : str
        Its short name.
    suffixes : tuple of str
        The endings of its files.
    read : callable
        Takes the content, text or (``binary``) bytes, and the name of the file; returns columns, a
        dictionary of columns or a frame, or raises `MalformedError`.
    write : callable, optional
        Takes a frame and a path.
    binary : bool
        Whether it is no text; text may also be compressed, with ``.gz`` behind.
    module, extra : str, optional
        What must be installed to read it, and the extra that brings it.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Any, str], Table]
    write: Callable[[pd.DataFrame, Path], object] | None = None
    binary: bool = False
    module: str | None = None
    extra: str = ""

    def check_installed(self, parameter: str, file: str) -> None:
        """Raise if what the format needs is not installed."""
        if self.module is None:
            return
        try:
            importlib.import_module(self.module)
        except ImportError as error:
            raise MissingExtraError(
                parameter, f"reading {file} needs {self.module}", extra=self.extra
            ) from error


def endings(*, packed: bool = True, written: bool = False) -> str:
    """List the endings of the files that can be read, or written.

    >>> endings(packed=False)
    '.csv, .tsv, ... or .parquet'
    """
    kinds = [each for each in FORMATS.values() if each.write or not written]
    text = [suffix for kind in kinds if not kind.binary for suffix in kind.suffixes]
    binary = [suffix for kind in kinds if kind.binary for suffix in kind.suffixes]
    if packed and not written:
        text[-1] += " (each also with .gz behind)"
    *most, last = [*text, *binary]
    return f"{', '.join(most)} or {last}"


def read_file(path: Path, parameter: str) -> Table:
    """Read a file, whose ending tells its format; ``parameter`` is for the messages."""
    existing_file(path, parameter)
    zipped = path.suffix.lower() == ".gz"
    kind = _format_of(path.with_suffix("") if zipped else path)
    if kind is None or (zipped and kind.binary):
        raise UnreadableError(
            parameter,
            f"cannot tell the format of {path.name!r} from its ending",
            remedy=f"It must be {endings()}; or read it yourself and give the frame",
        )
    kind.check_installed(parameter, path.name)
    with opened(path, parameter):
        raw = path.read_bytes()
        content = gzip.decompress(raw) if zipped else raw
        return kind.read(content if kind.binary else content.decode("utf-8-sig"), path.name)


def write_file(frame: pd.DataFrame, path: Path, parameter: str) -> None:
    """Write a frame to a file, whose ending tells its format."""
    kind = _format_of(path)
    if kind is None or kind.write is None:
        raise ParameterError(parameter, f"'{path}' must end in {endings(written=True)}")
    kind.check_installed(parameter, path.name)
    try:
        kind.write(frame, path)
    except OSError as error:
        raise ParameterError(
            parameter, f"'{path}' cannot be written: {error.strerror or one_line(error)}"
        ) from error


def existing_file(path: Path, parameter: str) -> None:
    """Raise unless there is such a file, and say which may be meant."""
    if path.is_file():
        return
    if path.is_dir():
        raise UnreadableError(parameter, f"{str(path)!r} is a folder", remedy="Give a file in it")
    beside: list[str] = []
    if path.parent.is_dir():
        beside = [each.name for each in path.parent.iterdir() if each.is_file()]
    raise UnreadableError(
        parameter,
        f"there is no file {one_line(str(path))!r}.{did_you_mean(path.name, beside)} Give the "
        "path of an existing file, or a frame",
    )


@contextmanager
def opened(path: Path, parameter: str) -> Iterator[None]:
    """Say in one line why a file that is read within cannot be."""
    try:
        yield
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UnreadableError(
            parameter, f"{path.name} is not UTF-8 text (see line {line})", remedy="Save it as UTF-8"
        ) from error
    except MalformedError as error:
        raise UnreadableError(
            parameter, f"{path.name} {error.reason}", remedy=error.remedy
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableError(
            parameter, f"{str(path)!r} cannot be read: {one_line(error)}"
        ) from error


def is_readable(path: Path) -> bool:
    """Return whether the ending of a file is one of a table."""
    zipped = path.suffix.lower() == ".gz"
    kind = _format_of(path.with_suffix("") if zipped else path)
    return kind is not None and not (zipped and kind.binary)


def _format_of(path: Path) -> Format | None:
    ending = path.suffix.lower()
    return next((kind for kind in FORMATS.values() if ending in kind.suffixes), None)


# --- text ----------------------------------------------------------------------------------


def _read_text(text: str, name: str, *, separator: str) -> Columns:
    if not text.strip():
        raise MalformedError("is empty", "Give a file with a header and rows")
    leading = re.match(r"(?:[ \t]*\r?\n)*", text)
    blank = leading.end() if leading else 0
    first_line = text.count("\n", 0, blank) + 1
    try:
        separator, notes = _separator(text[blank:], name, separator)
        header, *rows = _rows(text[blank:], separator, first_line)
    except csv.Error as error:
        raise MalformedError(
            f"is not a table: {one_line(error).rstrip('.')}",
            "Every line needs as many columns as the header; quote names that hold a separator",
        ) from error
    # Everything is read as text: names such as NA and 007 are names, and the numbers are
    # converted where it is known which columns hold them.
    filled = [any(row) for row in rows]
    body = rows if all(filled) else list(itertools.compress(rows, filled))
    origin = Origin(name, "line", np.flatnonzero(filled) + first_line + 1)
    # Column by column: zip(*body) would hold an iterator for every row.
    columns = [Texts(list(map(itemgetter(place), body))) for place in range(len(header))]
    return Columns(named_columns([cell.strip() for cell in header], columns, name), origin, notes)


def _rows(text: str, separator: str, first_line: int) -> list[list[str]]:
    """Split text into rows as long as the first: short ones are filled up, long ones refused."""
    end = "\0 the end"  # a quotation mark that is never closed swallows it
    lines = itertools.chain(io.StringIO(text, newline=""), [end])
    rows = list(csv.reader(lines, delimiter=separator))
    if rows.pop() != [end]:
        raise csv.Error(f"a quotation mark opened in line {len(rows) + first_line} is never closed")
    width = len(rows[0])
    if set(map(len, rows)) == {width}:
        return rows
    for line, row in enumerate(rows, start=first_line):
        if len(row) > width:
            raise csv.Error(f"Expected {width} fields in line {line}, saw {len(row)}")
    return [row + [""] * (width - len(row)) for row in rows]


def _separator(text: str, name: str, expected: str) -> tuple[str, tuple[str, ...]]:
    """Return the separator: the one that goes with the file's ending, if the header has it."""
    header = re.split(r"[\r\n]", text, maxsplit=1)[0]
    for separator, called in ((expected, ""), (",", "commas"), ("\t", "tabs"), (";", "semicolons")):
        if len(next(csv.reader([header], delimiter=separator))) > 1:
            note = (f"{name}: the columns are separated by {called}.",)
            return separator, () if separator == expected or ".txt" in name.lower() else note
    return expected, ()


def _write_text(frame: pd.DataFrame, path: Path, *, separator: str) -> None:
    frame.to_csv(path, sep=separator, index=False)


def _separated(name: str, separator: str) -> Format:
    return Format(
        name,
        (f".{name}",),
        functools.partial(_read_text, separator=separator),
        functools.partial(_write_text, separator=separator),
    )


# --- JSON ----------------------------------------------------------------------------------


def _read_json(text: str, name: str) -> Mapping[str, Any]:
    try:
        content = json.loads(text, object_pairs_hook=functools.partial(_unique_keys, name=name))
    except (json.JSONDecodeError, RecursionError) as error:
        raise MalformedError(f"is not JSON: {one_line(error)}") from error
    if isinstance(content, Mapping):
        return _without_row_labels(content)
    if isinstance(content, list) and all(isinstance(record, Mapping) for record in content):
        header = list(dict.fromkeys(key for record in content for key in record))
        return {key: [record.get(key) for record in content] for key in header}
    raise MalformedError(
        "must hold a list of records ([{column: value, …}, …]) or an object of columns "
        "({column: [values, …], …})",
        "it holds neither",
    )


def _unique_keys(pairs: list[tuple[str, Any]], *, name: str) -> dict[str, Any]:
    refuse_duplicates([key for key, _ in pairs], name)
    return dict(pairs)


def _without_row_labels(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Turn pandas' ``{column: {row: value}}`` into ``{column: [values]}``."""
    if not all(isinstance(column, Mapping) for column in content.values()):
        return content
    rows = list(dict.fromkeys(row for column in content.values() for row in column))
    return {name: [column.get(row) for row in rows] for name, column in content.items()}


def _write_json(frame: pd.DataFrame, path: Path) -> None:
    # By hand, because pandas writes numbers with fewer digits than they have.
    records = plain(frame.to_dict(orient="records"))
    path.write_bytes(json.dumps(records, ensure_ascii=False).encode())


# --- Parquet -------------------------------------------------------------------------------


def _read_parquet(content: bytes, _name: str) -> pd.DataFrame:
    import pandas as pd
    import pyarrow as pa  # type: ignore[import-untyped]

    try:
        return pd.read_parquet(io.BytesIO(content), engine="pyarrow")
    except (pa.ArrowException, OSError) as error:
        raise MalformedError(f"is not Parquet: {one_line(error)}") from error


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path, engine="pyarrow", index=False)


FORMATS: Registry[Format] = Registry.of(
    "file format",
    _separated("csv", ","),
    _separated("tsv", "\t"),
    _separated("txt", "\t"),
    Format("json", (".json",), _read_json, _write_json),
    Format(
        "parquet",
        (".parquet",),
        _read_parquet,
        _write_parquet,
        binary=True,
        module="pyarrow",
        extra="parquet",
    ),
)
