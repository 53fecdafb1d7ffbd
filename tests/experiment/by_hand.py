"""Stores changed by hand."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from palio.experiment.store import schema
from palio.experiment.store.store import Store


@contextmanager
def by_hand(place: str | Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a SQLite store; its rows get new checksums, as if a run wrote them."""
    with closing(sqlite3.connect(place)) as connection, connection:
        yield connection
    with Store(place) as store, store._changing() as changing:
        schema._add_checksums(changing)


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


def make_older(place: str) -> None:
    """Turn a store into what version 2 wrote."""
    tables = ("meta", "plans", "jobs", "results", "folds", "predictions", "finals", "begun")
    for table in tables:
        write(place, f"ALTER TABLE palio_{table} DROP COLUMN checksum")
    for line in (
        "DROP TABLE palio_seeds",
        "DROP TABLE palio_begun",
        "UPDATE palio_meta SET value = '2' WHERE name = 'schema'",
    ):
        write(place, line)
