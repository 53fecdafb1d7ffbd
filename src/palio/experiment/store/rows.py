"""Rows of a store: how outcomes are written, in batches, and how rows are asked for and read."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from palio.experiment.outcome import DoneFold, FoldOutcome, FoldPredictions, JobOutcome

if TYPE_CHECKING:
    import sqlalchemy as sa

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
        "seconds": float(outcome.seconds),
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


def predictions_row(key: str, fold: int, said: FoldPredictions) -> dict[str, Any]:
    """Write down what was said of the instances of a fold."""
    return {"key": key, "fold": fold, "content": said.to_bytes()}


def begun_row(key: str, done: DoneFold) -> dict[str, Any]:
    """Write down a fold of a job that is not at its end."""
    said = done.outcome.predictions
    return {
        **fold_row(key, done.outcome),
        "machine": machine_text(done.machine),
        "predictions": None if said is None else said.to_bytes(),
    }


def done_fold(row: Mapping[str, Any]) -> DoneFold:
    """Read what `begun_row` wrote."""
    said = row["predictions"]
    fold = FoldOutcome(
        row["fold"],
        json.loads(row["scores"]),
        json.loads(row["costs"]),
        None if said is None else FoldPredictions.from_bytes(said),
    )
    return DoneFold(fold, json.loads(row["machine"]))


def decoded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Read the scores and costs of a row."""
    return {**dict(row), "scores": json.loads(row["scores"]), "costs": json.loads(row["costs"])}


def as_dicts(found: sa.CursorResult[Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of an answer by the names of their columns."""
    names = list(found.keys())
    return (dict(zip(names, row, strict=True)) for row in found)


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


# --- writing what is finished while the next is running ------------------------------------------


# What finished within so many seconds is written together; nothing waits longer.
_BATCH_SECONDS = 0.25


class Writer:
    """Hands outcomes to ``save``, several together where they come fast.

    In a thread of its own, so that a short job is not held back until the long one after it ends.
    An error is raised by the next `add`, or at the end.
    """

    def __init__(self, save: Callable[[Sequence[JobOutcome]], object]) -> None:
        self._save = save
        self._batch: list[JobOutcome] = []
        self._error: Exception | None = None
        self._change = threading.Condition()
        self._over = False
        self._thread = threading.Thread(target=self._write, name="palio-writer", daemon=True)

    def add(self, outcome: JobOutcome) -> None:
        """Have an outcome written soon."""
        with self._change:
            self._batch.append(outcome)
            if self._error is not None:
                raise self._error
            if len(self._batch) == 1:
                self._change.notify()

    def __enter__(self) -> Writer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the rest, also on Ctrl-C: what is finished is kept."""
        with self._change:
            self._over = True
            self._change.notify()
        self._thread.join()
        self._save(self._batch)  # what the thread could not write is tried once more

    def _write(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._batch or self._over)
                # More may come meanwhile; at the end there is nothing to wait for.
                self._change.wait_for(lambda: self._over, timeout=_BATCH_SECONDS)
                if self._over:
                    return
                batch = list(self._batch)
            try:
                self._save(batch)
            except Exception as error:
                self._error = error
                return
            with self._change:
                del self._batch[: len(batch)]
