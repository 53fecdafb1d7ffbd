"""Rows of a store: how outcomes are written, and how rows are asked for and read."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from palio.experiment.outcome import FoldOutcome, JobOutcome

if TYPE_CHECKING:
    import sqlalchemy as sa

__all__ = [
    "chunks",
    "decoded",
    "fold_row",
    "insert",
    "machine_text",
    "restricted",
    "result_row",
]

# So many keys are asked for at once: databases bear only so many parameters.
_CHUNK = 1000


def result_row(outcome: JobOutcome) -> dict[str, Any]:
    """Write down how a job ended, now."""
    return {
        "key": outcome.key,
        "status": outcome.status,
        "stage": _storable(outcome.stage),
        "error": _storable(outcome.error),
        "traceback": _storable(outcome.traceback),
        "seconds": outcome.seconds,
        "finished": time.time(),
        "machine": machine_text(outcome.machine),
    }


def _storable(text: str) -> str:
    """Spell out what databases do not take in a text: null characters and half characters."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\0")


def machine_text(machine: Mapping[str, str]) -> str:
    """Write a machine so that the same is the same text."""
    return json.dumps(dict(machine), sort_keys=True)


def fold_row(key: str, fold: FoldOutcome) -> dict[str, Any]:
    """Write down what was measured on a fold."""
    return {
        "key": key,
        "fold": fold.fold,
        "scores": json.dumps(dict(fold.scores)),
        "costs": json.dumps(dict(fold.costs)),
    }


def decoded(row: sa.RowMapping) -> dict[str, Any]:
    """Read the scores and costs of a row."""
    return {**dict(row), "scores": json.loads(row["scores"]), "costs": json.loads(row["costs"])}


def insert(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, if there are any."""
    if rows:
        connection.execute(table.insert(), rows)


def chunks(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    """Divide keys into as many as may be asked for at once."""
    for start in range(0, len(keys), _CHUNK):
        yield keys[start : start + _CHUNK]


def restricted(
    query: sa.Select[Any], column: sa.Column[Any], keys: Iterable[str] | None
) -> Iterator[sa.Select[Any]]:
    """Ask only about those keys, so many at a time; ``None`` is all there are."""
    if keys is None:
        yield query
        return
    for chunk in chunks(sorted(set(keys))):
        yield query.where(column.in_(chunk))
