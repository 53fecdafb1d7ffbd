"""ASlib: a row per instance, repetition and algorithm (algorithm_runs.arff), with its status."""

from __future__ import annotations

import re
from pathlib import Path

from palio.errors import UnreadableError
from palio.scores.columns import Columns, Known
from palio.scores.formats import read_file
from palio.scores.importers.several import stacked
from palio.words import count, listed

_ROLES = {"instance_id": "dataset", "repetition": "repeat", "runstatus": "status"}
_KEYS = (*_ROLES, "algorithm")


def read(files: list[Path], place: Path) -> Columns:
    """Read runs: each instance is a data set, and a run that is not ok has no value."""
    tables = [read_file(path, "source", "arff") for path in files]
    measures = list(dict.fromkeys(_measure(table) for table in tables))
    if len(measures) > 1:
        raise UnreadableError(
            "source",
            f"{place.name!r} holds runs of several measures: {listed(measures)}",
            remedy="Give one of its files",
        )
    directions = {"runtime": False}
    for path in files:
        directions |= _described(path.parent / "description.txt")
    table = stacked(tables, place.name)
    values = {_ROLES.get(name.lower(), name): column for name, column in table.values.items()}
    notes = (
        *table.notes,
        f"ASlib, {count(len(files), 'file')}: each instance is a data set, the score is "
        f"{measures[0]}.",
    )
    known = Known(source="aslib", score=measures[0], directions=directions)
    return Columns(values, table.origin, notes, known)


def _measure(table: Columns) -> str:
    """Return the first measure of runs, which ASlib's description calls the main one."""
    return next(name for name in table.names if name.lower() not in _KEYS)


def _described(path: Path) -> dict[str, bool]:
    """Return which way the measures go, by the description beside the runs."""
    if not path.is_file():
        return {}
    text = path.read_text(encoding="utf-8", errors="replace")
    names, ups = (_listed_under(key, text) for key in ("performance_measures", "maximize"))
    return {name: up.lower() == "true" for name, up in zip(names, ups, strict=False)}


def _listed_under(key: str, text: str) -> list[str]:
    r"""Return the entries of a list in YAML, in a line or below each other.

    >>> _listed_under("maximize", "maximize:\n- false\n- true\nx: 1")
    ['false', 'true']
    >>> _listed_under("maximize", "x: 1\nmaximize: [false]")
    ['false']
    """
    found = re.search(rf"^{key}:([^\n]*(?:\n\s*-[^\n]*)*)", text, re.MULTILINE)
    return re.findall(r"[^\s\[\],'\"-]+", found[1]) if found else []
