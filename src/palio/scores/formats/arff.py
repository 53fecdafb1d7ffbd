"""ARFF, and the comma-separated text that WEKA writes: names may stand in quotation marks.

Dates and nominal values are text, as names are; numbers are converted where they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from palio.scores import limits
from palio.scores.columns import Columns, Origin, Texts, refuse_duplicates, refuse_many
from palio.scores.limits import MalformedError
from palio.words import one_line

_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|\S+)\s*(.*)", re.IGNORECASE)
_PLACED = re.compile(rf"\s*(?:(\d{{1,9}})\s+({_QUOTED}|[^,]*)\s*|[^,]+)(?:,|$)")
_CELL = re.compile(rf"\s*({_QUOTED}|(?:[^,'\"\s][^,]*)?)\s*(?:,|$)")


def read_arff(text: str, name: str) -> Columns:
    """Read the attributes and the data of an ARFF file; rows may leave out what is zero."""
    lines = _lines(text)
    begin = next((n for n, line in enumerate(lines) if line.lower().startswith("@data")), None)
    if begin is None:
        raise MalformedError("is not ARFF: it has no @data")
    found = [match for line in lines[:begin] if (match := _ATTRIBUTE.match(line))]
    if not found:
        raise MalformedError("is not ARFF: it has no @attribute")
    header = [cells(each[1])[0] for each in found]
    return _table(name, header, lines, begin + 1, [_zero(each[2]) for each in found])


def read_quoted(text: str, name: str) -> Columns:
    """Read comma-separated text whose names may stand in single quotation marks."""
    lines = _lines(text)
    return _table(name, cells(lines[0]), lines, 1)


def cells(line: str) -> list[str]:
    r"""Split a line at its commas, but for those in quotation marks.

    >>> cells("iris, 'J48 -C 0.25, pruned', 96.0,?")
    ['iris', 'J48 -C 0.25, pruned', '96.0', '?']
    """
    if "'" not in line and '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    found, place = list[str](), 0
    while place <= len(line):
        match = _CELL.match(line, place)
        if match is None:
            raise MalformedError(f"has quotation marks that do not close in {line[:40]!r}")
        cell = match[1].rstrip()
        found.append(re.sub(r"\\(.)", r"\1", cell[1:-1] if cell.startswith(("'", '"')) else cell))
        place = match.end() + (not match[0].endswith(","))
    return found


def _lines(text: str) -> list[str]:
    limits.check_text(text, ",")
    return [line.strip() for line in re.split(r"\r\n|\n|\r", text)]


def _zero(kind: str) -> str:
    """Return what an attribute is where a row leaves it out: zero, or the first of its values."""
    values = cells(kind.strip().strip("{}")) if kind.strip().startswith("{") else []
    return values[0] if values else "0"


def _table(
    name: str, header: list[str], lines: list[str], begin: int, zeros: Sequence[str] = ()
) -> Columns:
    refuse_duplicates(header, name)
    places = [n for n in range(begin, len(lines)) if lines[n] and not lines[n].startswith("%")]
    # A sparse row is short in the file, and as long as the header here.
    limits.check("cells", len(places) * len(header))
    rows = [_row(lines[place], place + 1, zeros) for place in places]
    for place, row in zip(places, rows, strict=True):
        if len(row) != len(header):
            raise MalformedError(
                f"is not a table: {len(header)} columns were named, line {place + 1} has {len(row)}"
            )
    refuse_many(len(header), name)
    columns = {label: Texts([row[n] for row in rows]) for n, label in enumerate(header)}
    return Columns(columns, Origin(name, "line", np.array(places, dtype=np.intp) + 1))


def _row(line: str, number: int, zeros: Sequence[str]) -> list[str]:
    """Return the cells of a line; a sparse one has them by their places.

    >>> _row("{0 iris, 2 'a, b'}", 1, ["?", "0", "0"])
    ['iris', '0', 'a, b']
    """
    if not (zeros and line.startswith("{") and line.endswith("}")):
        return cells(line)
    row = list(zeros)
    for each in _PLACED.finditer(line[1:-1]):
        if each[1] is None:
            raise MalformedError(f"is not ARFF: it has {one_line(line, limit=40)!r}")
        place = int(each[1])
        if place >= len(row):
            raise MalformedError(
                f"is not a table: {len(row)} columns were named, line {number} has one at {place}"
            )
        row[place] = cells(each[2])[0]
    return row
