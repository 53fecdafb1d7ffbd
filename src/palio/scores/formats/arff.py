"""ARFF, and the comma-separated text that WEKA writes: names may stand in quotation marks.

Dates and nominal values are text, as names are; numbers are converted where they are asked for.
"""

from __future__ import annotations

import csv
import re

import numpy as np

from palio.scores import limits
from palio.scores.columns import Columns, Origin, Texts, refuse_duplicates, refuse_many
from palio.scores.limits import MalformedError

_ATTRIBUTE = re.compile(
    r"""@attribute\s+('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\S+)""", re.IGNORECASE
)


def read_arff(text: str, name: str) -> Columns:
    """Read the attributes and the data of an ARFF file."""
    lines = _lines(text)
    begin = next((n for n, line in enumerate(lines) if line.lower().startswith("@data")), None)
    if begin is None:
        raise MalformedError("is not ARFF: it has no @data")
    found = [match for line in lines[:begin] if (match := _ATTRIBUTE.match(line))]
    if not found:
        raise MalformedError("is not ARFF: it has no @attribute")
    if any(line.startswith("{") for line in lines[begin:]):
        raise MalformedError("is sparse ARFF: its rows leave out cells", "Write out all cells")
    return _table(name, [cells(each[1])[0] for each in found], lines, begin + 1)


def read_quoted(text: str, name: str) -> Columns:
    """Read comma-separated text whose names may stand in single quotation marks."""
    lines = _lines(text)
    return _table(name, cells(lines[0]), lines, 1)


def cells(line: str) -> list[str]:
    r"""Split a line at its commas, but for those in quotation marks.

    >>> cells("iris, 'J48 -C 0.25, pruned', 96.0,?")
    ['iris', 'J48 -C 0.25, pruned', '96.0', '?']
    """
    marks = sorted(set(line) & {"'", '"'}, key=line.index)
    if not marks:
        return [cell.strip() for cell in line.split(",")]
    reader = csv.reader(
        [line], quotechar=marks[0], escapechar="\\", skipinitialspace=True, strict=True
    )
    try:
        return [cell.strip() for cell in next(reader)]
    except csv.Error as error:
        raise MalformedError(f"has quotation marks that do not close in {line[:40]!r}") from error


def _lines(text: str) -> list[str]:
    limits.check_text(text, ",")
    return [line.strip() for line in re.split(r"\r\n|\n|\r", text)]


def _table(name: str, header: list[str], lines: list[str], begin: int) -> Columns:
    refuse_duplicates(header, name)
    refuse_many(len(header), name)
    places = [n for n in range(begin, len(lines)) if lines[n] and not lines[n].startswith("%")]
    rows = [cells(lines[place]) for place in places]
    for place, row in zip(places, rows, strict=True):
        if len(row) != len(header):
            raise MalformedError(
                f"is not a table: {len(header)} columns were named, line {place + 1} has {len(row)}"
            )
    columns = {label: Texts([row[n] for row in rows]) for n, label in enumerate(header)}
    return Columns(columns, Origin(name, "line", np.array(places, dtype=np.intp) + 1))
