"""Files of text with a row per line: separators, quotation marks, and what tools put in front."""

from __future__ import annotations

import csv
import functools
import io
import itertools
import re
from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from palio.scores import limits
from palio.scores.columns import Columns, Origin, Texts, named_columns, refuse_many
from palio.scores.formats.guarding import guarded, may_be_guarded, unguarded
from palio.scores.formats.kinds import Format, MalformedError
from palio.scores.formats.markdown import holds_table, read_markdown
from palio.words import count, one_line

if TYPE_CHECKING:
    import pandas as pd

_BLANK = re.compile(r"(?:[ \t]*(?:\r\n|\n|\r))*")
_SAID = re.compile(r"sep=([,;|\t])[ \t]*(?:\r\n|\n|\r)", re.IGNORECASE)  # by Excel
_COMMENTS = re.compile(r"(?:#[^\r\n]*(?:\r\n|\n|\r)|[ \t]*(?:\r\n|\n|\r))+")
_CALLED = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "spaces"}
_DECIMAL = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_LOOKED_AT = 50  # lines


def separated(name: str, separator: str) -> Format:
    """Return the format of text whose columns are separated so."""
    return Format(
        name,
        (f".{name}",),
        functools.partial(read_separated, separator=separator),
        functools.partial(_write, separator=separator),
    )


def table_of(
    name: str, header: list[str], rows: list[list[str]], origin: Origin, notes: tuple[str, ...] = ()
) -> Columns:
    """Make columns of rows of text that are as long as the header."""
    refuse_many(len(header), name)
    # Everything is read as text: names such as NA and 007 are names, and the numbers are
    # converted where it is known which columns hold them.
    # Column by column: zip(*rows) would hold an iterator for every row.
    columns = [Texts(list(map(itemgetter(place), rows))) for place in range(len(header))]
    return Columns(named_columns([cell.strip() for cell in header], columns, name), origin, notes)


def read_separated(text: str, name: str, *, separator: str) -> Columns:
    """Read text with a header and rows."""
    if not text.strip():
        raise MalformedError("is empty", "Give a file with a header and rows")
    if holds_table(text):
        return read_markdown(text, name)
    body = _body(text, separator)
    try:
        separator, told = _separator(body.text, name, body.separator)
        limits.check("columns", body.text.count(separator, 0, _first_end(body.text)) + 1)
        limits.check_text(body.text, separator)
        rows = _rows(body.text, separator, body.line)
        (header, *rows), short = _of_one_width(rows, body.line)
    except csv.Error as error:
        raise MalformedError(
            f"is not a table: {one_line(error).rstrip('.')}",
            "Every line needs as many columns as the header; quote names that hold a separator",
        ) from error
    if all(_DECIMAL.fullmatch(cell.strip()) for cell in header):
        raise MalformedError(
            "has numbers in its first line, where the names of the columns belong",
            "Put a line of names in front",
        )
    if may_be_guarded(body.text):
        header, *rows = ([unguarded(cell) for cell in row] for row in (header, *rows))
    filled = [any(map(str.strip, row)) for row in rows]
    rows = rows if all(filled) else list(itertools.compress(rows, filled))
    origin = Origin(name, "line", np.flatnonzero(filled) + body.line + 1)
    notes = tuple(f"{name}: {note}" for note in (*body.notes, *told, *short))
    return table_of(name, header, rows, origin, notes)


# --- in front of the header ----------------------------------------------------------------


class _Body(NamedTuple):
    """The text from the header on, the line that it begins in, and what was said before."""

    text: str
    line: int
    separator: str
    notes: tuple[str, ...] = ()


def _body(text: str, separator: str) -> _Body:
    begin = _end(_BLANK, text)
    if said := _SAID.match(text, begin):
        separator, begin = said[1], _end(_BLANK, text, said.end())
    notes: tuple[str, ...] = ()
    after = _end(_COMMENTS, text, begin)
    if after > begin and _is_above(text[begin:after], text[after:], separator):
        skipped = len(text[begin:after].strip().splitlines())
        notes = (f"{count(skipped, 'line')} in front, beginning with #, left out.",)
        begin = after
    line = len(re.findall(r"\r\n|\n|\r", text[:begin])) + 1
    return _Body(text[begin:], line, separator, notes)


def _end(pattern: re.Pattern[str], text: str, begin: int = 0) -> int:
    found = pattern.match(text, begin)
    return begin if found is None else found.end()


def _is_above(comments: str, below: str, separator: str) -> bool:
    """Return whether lines beginning with # are not the header: that has as many columns."""
    if not below.strip():
        return False
    last = comments.strip().splitlines()[-1]
    separator = _separator(below, "", separator)[0]
    wide = len(next(csv.reader([below[: _first_end(below)]], delimiter=separator)))
    return len(next(csv.reader([last], delimiter=separator))) != wide


# --- rows ----------------------------------------------------------------------------------


def _first_end(text: str) -> int:
    """Return where the first line ends."""
    return min((at for at in (text.find("\n"), text.find("\r")) if at >= 0), default=len(text))


def _rows(text: str, separator: str, first_line: int) -> list[list[str]]:
    end = "\0 the end"  # a quotation mark that is never closed swallows it
    if separator == " ":
        lines = re.split(r"\r\n|\n|\r", text)
        if not _of_single_spaces(lines):
            lines = [re.sub(r"\s+", " ", line.strip()) for line in lines]
        rows = list(csv.reader([*lines, f'"{end}"'], delimiter=separator))
    else:
        rows = list(
            csv.reader(itertools.chain(io.StringIO(text, newline=""), [end]), delimiter=separator)
        )
    if rows.pop() != [end]:
        raise csv.Error(f"a quotation mark opened in line {len(rows) + first_line} is never closed")
    return rows


def _of_one_width(
    rows: list[list[str]], first_line: int
) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return rows as long as the first: short ones are filled up, and told; long ones refused."""
    width = len(rows[0])
    if set(map(len, rows)) == {width}:
        return rows, ()
    body = [row for row in rows[1:] if row]
    if {len(row) for row in body} == {width + 1}:
        if not any(row[-1] for row in body):  # a separator at the end of every line
            return [row[:width] for row in rows], ()
        if [row[0] for row in body] == [str(n + 1) for n in range(len(body))]:  # R counts rows
            return [rows[0], *(row[1:] for row in rows[1:])], ()
    for line, row in enumerate(rows, start=first_line):
        if len(row) > width:
            raise csv.Error(f"Expected {width} fields in line {line}, saw {len(row)}")
    return [row + [""] * (width - len(row)) for row in rows], _short(rows, first_line)


def _short(rows: list[list[str]], first_line: int) -> tuple[str, ...]:
    """Say which lines end before the header does; where all do, they are no rows below it."""
    width = len(rows[0])
    filled = [any(map(str.strip, row)) for row in rows]
    short = [line for line, row in enumerate(rows) if filled[line] and len(row) < width]
    if not short:
        return ()
    fields = count(len(rows[short[0]]), "field")
    told = f"line {short[0] + first_line} has {fields}, the header {width}"
    if len(short) == sum(filled) - 1:
        raise csv.Error(f"{told}, and no line has as many")
    others = "" if len(short) == 1 else f" ({count(len(short), 'line')} like that)"
    return (f"{told}{others}: the last cells are taken as empty.",)


def _separator(text: str, name: str, expected: str) -> tuple[str, tuple[str, ...]]:
    """Return the separator: the one that goes with the file's ending, if the header has it."""
    header = text[: _first_end(text)]
    for separator in (expected, ",", "\t", ";", "|"):
        if len(next(csv.reader([header], delimiter=separator))) > 1:
            return separator, _told(name, separator, expected)
    return (" ", _told(name, " ", expected)) if _is_spaced(text) else (expected, ())


def _told(name: str, separator: str, expected: str) -> tuple[str, ...]:
    if separator == expected or ".txt" in name.lower():
        return ()
    return (f"the columns are separated by {_CALLED[separator]}.",)


def _is_spaced(text: str) -> bool:
    """Return whether every line has as many words, or cells between single spaces, not one."""
    lines = list(itertools.islice(io.StringIO(text, newline=None), _LOOKED_AT))
    widths = {len(words) for line in lines if (words := line.split())}
    return (len(widths) == 1 and widths != {1}) or _of_single_spaces(lines)


def _of_single_spaces(lines: Iterable[str]) -> bool:
    """Return whether every line has as many cells between single spaces, some of them empty."""
    rows = csv.reader((line.rstrip("\r\n") for line in lines if line.strip()), delimiter=" ")
    widths = set(map(len, rows))
    return len(widths) == 1 and widths != {1}


def _write(frame: pd.DataFrame, path: Path, *, separator: str) -> None:
    """Write a frame; names that begin as formulas do are guarded."""
    header = [str(guarded(str(name))) for name in frame.columns]
    safe = frame.copy(deep=False)
    for name in frame.select_dtypes(exclude=["number", "bool"]):
        safe[name] = frame[name].map(guarded)
    safe.to_csv(path, sep=separator, index=False, header=header)
