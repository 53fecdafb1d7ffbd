"""WEKA's Experimenter: a row per data set, run, fold and scheme, as CSV or ARFF."""

from __future__ import annotations

from pathlib import Path

from palio.scores.columns import Columns, Known, Texts
from palio.scores.formats import opened, read_file, text_of
from palio.scores.formats.arff import read_quoted
from palio.scores.importers.several import stacked

_SCORES = ("Percent_correct", "Root_mean_squared_error")  # of classes, of numbers
_COSTS = ("Elapsed_Time_training", "Elapsed_Time_testing")
_ROLES = {"Key_Dataset": "dataset", "Key_Run": "repeat", "Key_Fold": "fold"}


def read(files: list[Path], place: Path) -> Columns:
    """Read experiments; a scheme is named by its class, with its options where it has several."""
    tables = list(map(_table, files))
    table = stacked(tables, place.name)
    values = {_ROLES.get(name, name): column for name, column in table.values.items()}
    values["algorithm"] = Texts(_schemes(table))
    kept = {name: column for name, column in values.items() if not name.startswith("Key_")}
    score = next((name for name in _SCORES if name in kept), None)
    costs = tuple(name for name in _COSTS if name in kept and _is_full(table, name))
    known = Known(source="weka", score=score, costs=costs)
    return Columns(kept, table.origin, table.notes, known)


def _table(path: Path) -> Columns:
    if ".arff" in path.name:
        return read_file(path, "source", "arff")
    with opened(path, "source"):
        return read_quoted(text_of(path), path.name)


def _is_full(table: Columns, name: str) -> bool:
    numbers = table.numbers(name)
    return bool((numbers.values >= 0).all())


def _schemes(table: Columns) -> list[str]:
    schemes = table.values["Key_Scheme"]
    options = table.values.get("Key_Scheme_options")
    assert isinstance(schemes, Texts)
    short = [name.rpartition(".")[2] for name in schemes.cells]
    if not isinstance(options, Texts):
        return short
    full = list(zip(schemes.cells, options.cells, strict=True))
    of_short: dict[str, set[tuple[str, str]]] = {}
    for name, each in zip(short, full, strict=True):
        of_short.setdefault(name, set()).add(each)
    return [
        name if len(of_short[name]) == 1 else f"{name} {each[1]}".strip()
        for name, each in zip(short, full, strict=True)
    ]
