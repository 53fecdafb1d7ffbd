"""Files of text, JSON and Parquet become columns."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from palio.errors import MissingExtraError, UnreadableError
from palio.scores.columns import Columns, Origin, named_columns, refuse_duplicates
from palio.scores.frames import from_mapping, from_pandas
from palio.words import did_you_mean, one_line

__all__ = ["from_file"]

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_FORMATS = ".csv, .tsv, .txt, .json (each also with .gz behind) or .parquet"


def from_file(path: Path, parameter: str) -> Columns:
    """Read a file, whose ending tells its format."""
    if not path.is_file():
        _refuse_path(path, parameter)
    zipped = path.suffix.lower() == ".gz"
    kind = (path.with_suffix("") if zipped else path).suffix.lower()
    try:
        if kind in _SEPARATORS:
            return _from_text(
                _content(path, zipped=zipped), path.name, _SEPARATORS[kind], parameter
            )
        if kind == ".json":
            return _from_json(_content(path, zipped=zipped), path.name, parameter)
        if kind == ".parquet" and not zipped:
            return _from_parquet(path, parameter)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UnreadableError(
            parameter, f"{path.name} is not UTF-8 text (see line {line})", remedy="Save it as UTF-8"
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableError(
            parameter, f"{str(path)!r} cannot be read: {one_line(error)}"
        ) from error
    raise UnreadableError(
        parameter,
        f"cannot tell the format of {path.name!r} from its ending",
        remedy=f"It must be {_FORMATS}; or read it yourself and give the frame",
    )


def _refuse_path(path: Path, parameter: str) -> NoReturn:
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


def _content(path: Path, *, zipped: bool) -> str:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if zipped else raw).decode("utf-8-sig")


def _from_text(text: str, name: str, expected: str, parameter: str) -> Columns:
    if not text.strip():
        raise UnreadableError(
            parameter, f"{name} is empty", remedy="Give a file with a header and rows"
        )
    import pandas as pd

    leading = re.match(r"(?:[ \t]*\r?\n)*", text)
    blank = leading.end() if leading else 0
    first_line = text.count("\n", 0, blank) + 1
    try:
        separator, notes = _separator(text[blank:], name, expected)
        # Everything is read as text: names such as NA and 007 are names, and the numbers are
        # converted where it is known which columns hold them. The header is a row like any
        # other, because pandas would rename duplicates silently.
        frame = pd.read_csv(
            io.StringIO(text[blank:]),
            sep=separator,
            header=None,
            dtype=str,
            na_filter=False,
            skip_blank_lines=False,
        )
    except (pd.errors.ParserError, csv.Error) as error:
        raise UnreadableError(
            parameter,
            f"{name} is not a table: {_shifted(one_line(error), first_line)}",
            remedy=(
                "Every line needs as many columns as the header; quote names that hold a separator"
            ),
        ) from error
    frame = frame.fillna("")
    header = [str(cell).strip() for cell in frame.iloc[0]]
    filled = np.array((frame != "").any(axis=1))
    filled[0] = False
    body = frame[filled]
    origin = Origin(name, "line", np.flatnonzero(filled) + first_line)
    columns = [body[position].reset_index(drop=True) for position in range(len(header))]
    return Columns(named_columns(header, columns, name), origin, notes)


def _separator(text: str, name: str, expected: str) -> tuple[str, tuple[str, ...]]:
    """Return the separator: the one that goes with the file's ending, if the header has it."""
    header = text.split("\n", 1)[0]
    for separator, called in ((expected, ""), (",", "commas"), ("\t", "tabs"), (";", "semicolons")):
        if len(next(csv.reader([header], delimiter=separator))) > 1:
            note = (f"{name}: the columns are separated by {called}.",)
            return separator, () if separator == expected or ".txt" in name.lower() else note
    return expected, ()


def _shifted(message: str, first_line: int) -> str:
    """Strip pandas' preamble; its line numbers do not count the blank lines in front."""
    message = message.removeprefix("Error tokenizing data. ").removeprefix("C error: ")
    before, row, after = message.partition("EOF inside string starting at row ")
    if row and after.isdigit():
        return f"a quotation mark opened in line {int(after) + first_line} is never closed"
    before, line, after = message.partition(" in line ")
    number, comma, rest = after.partition(",")
    if line and number.isdigit():
        return f"{before}{line}{int(number) + first_line - 1}{comma}{rest}"
    return message.rstrip(".")


def _from_json(text: str, name: str, parameter: str) -> Columns:
    try:
        content = json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise UnreadableError(parameter, f"{name} is not JSON: {one_line(error)}") from error
    if isinstance(content, Mapping):
        return from_mapping(_without_row_labels(content), name)
    if isinstance(content, list) and all(isinstance(record, Mapping) for record in content):
        header = list(dict.fromkeys(key for record in content for key in record))
        columns = {key: [record.get(key) for record in content] for key in header}
        return from_mapping(columns, name)
    raise UnreadableError(
        parameter,
        f"{name} must hold a list of records ([{{column: value, …}}, …]) or an object of columns "
        "({column: [values, …], …})",
        remedy="it holds neither",
    )


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    refuse_duplicates([key for key, _ in pairs], "the JSON file")
    return dict(pairs)


def _without_row_labels(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Turn pandas' ``{column: {row: value}}`` into ``{column: [values]}``."""
    if not all(isinstance(column, Mapping) for column in content.values()):
        return content
    rows = list(dict.fromkeys(row for column in content.values() for row in column))
    return {name: [column.get(row) for row in rows] for name, column in content.items()}


def _from_parquet(path: Path, parameter: str) -> Columns:
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtraError(
            f"{parameter}: reading {path.name} needs pyarrow, which is not installed."
            " Install it with: pip install 'palio[parquet]'"
        ) from error
    import pandas as pd

    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except pa.ArrowException as error:
        raise UnreadableError(
            parameter, f"{path.name} is not Parquet: {one_line(error)}"
        ) from error
    return from_pandas(frame, path.name)
