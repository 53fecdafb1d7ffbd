"""ARFF, and the comma-separated text that WEKA writes: names may stand in quotation marks."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np

from palio.scores.columns import Columns, Origin, Texts, refuse_duplicates
from palio.scores.formats import MalformedError, opened

_ATTRIBUTE = re.compile(r"@attribute\s+('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|\S+)", re.IGNORECASE)
_CELL = re.compile(
    r"""\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|((?:[^,'"][^,]*?)?))\s*(?:,|$)""", re.VERBOSE
)


def read_arff(path: Path) -> Columns:
    """Read the attributes and the data of an ARFF file."""
    with opened(path, "source"):
        lines = _lines(path)
        begin = next((n for n, line in enumerate(lines) if line.lower().startswith("@data")), None)
        if begin is None:
            raise MalformedError("has no @data")
        found = (_ATTRIBUTE.match(line) for line in lines[:begin])
        header = [cells(each[1])[0] for each in found if each]
        return _table(path.name, header, lines, begin + 1)


def read_quoted(path: Path) -> Columns:
    """Read comma-separated text whose names may stand in single quotation marks."""
    with opened(path, "source"):
        lines = _lines(path)
        return _table(path.name, cells(lines[0]), lines, 1)


def cells(line: str) -> list[str]:
    r"""Split a line at its commas, but for those in quotation marks.

    >>> cells("iris, 'J48 -C 0.25, pruned', 96.0,?")
    ['iris', 'J48 -C 0.25, pruned', '96.0', '?']
    """
    if "'" not in line and '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    found, place = [], 0
    while place < len(line) or (place and line[place - 1] == ","):
        match = _CELL.match(line, place)
        if match is None:
            raise MalformedError(f"has quotation marks that do not close in {line[:40]!r}")
        cell = next((group for group in match.groups() if group is not None), "")
        found.append(re.sub(r"\\(.)", r"\1", cell))
        if match.end() == place:
            break
        place = match.end()
    return found


def _lines(path: Path) -> list[str]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    return [line.strip() for line in text.splitlines()]


def _table(name: str, header: list[str], lines: list[str], begin: int) -> Columns:
    refuse_duplicates(header, name)
    places = [n for n in range(begin, len(lines)) if lines[n] and not lines[n].startswith("%")]
    rows = [cells(lines[place]) for place in places]
    for place, row in zip(places, rows, strict=True):
        if len(row) != len(header):
            raise MalformedError(
                f"is not a table: {len(header)} columns were named, line {place + 1} has {len(row)}"
            )
    columns = {label: Texts([row[n] for row in rows]) for n, label in enumerate(header)}
    return Columns(columns, Origin(name, "line", np.array(places, dtype=np.intp) + 1))
