"""Stores changed by hand."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from palio.experiment.outcome import FoldOutcome
from palio.experiment.store.database import select, tables, upsert
from palio.experiment.store.rows import pack_folds, unpack_folds
from palio.experiment.store.store import Store


@contextmanager
def by_hand(place: str | Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a SQLite store; its rows get new checksums, as if a run wrote them."""
    with closing(sqlite3.connect(place)) as connection, connection:
        yield connection
    with Store(place) as store, store.changing() as changing:
        for table in tables():
            upsert(changing, table, [row._asdict() for row in select(changing, list(table.c))])


def write(place: str, script: str) -> None:
    """Have SQL done in a store of either kind."""
    if place.startswith("postgresql"):
        import psycopg

        with psycopg.connect(place) as connection:
            connection.execute(script.encode())
    else:
        connection_ = sqlite3.connect(place)
        connection_.executescript(script)
        connection_.close()


def change_folds(
    place: str | Path, key: str, change: Sequence[FoldOutcome] | None = None, *, byte: int = -20
) -> None:
    """Write other folds of a job, as if a run had; or change one byte of them, as an accident."""
    results = tables().results
    with Store(place) as store, store.changing() as connection:
        (row,) = (found._asdict() for found in select(connection, list(results.c), [key]))
        if change is not None:
            row["folds"] = pack_folds(key, change)
            upsert(connection, results, [row])
            return
        folds = bytearray(row["folds"])
        folds[byte] ^= 1
        where = results.c.key == key
        connection.execute(results.update().where(where).values(folds=bytes(folds)))


def folds_of(place: str | Path, key: str) -> list[FoldOutcome]:
    """Return the folds of a job."""
    results = tables().results
    with Store(place) as store, store.reading() as connection:
        ((_, block),) = select(connection, [results.c.key, results.c.folds], [key])
    return unpack_folds(block)


def folds_in(store: Store, plan: str | None = None) -> list[dict[str, Any]]:
    """Return one row per fold of the jobs of a plan that ended well."""
    scored = [job for job in store.jobs(plan) if job["status"] == "ok"]
    names = ("dataset", "algorithm", "repeat", "seed")
    return [
        {**{name: job[name] for name in names}, "fold": fold.fold,
         "scores": dict(fold.scores), "costs": dict(fold.costs)}
        for job in scored
        for fold in folds_of(store.place, job["key"])
    ]  # fmt: skip
