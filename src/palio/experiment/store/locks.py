"""Who runs what: one writer to a SQLite file, several to a PostgreSQL server, job by job."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from palio.errors import InputError, UnreadableError
from palio.experiment.store.database import clear_errors

if TYPE_CHECKING:
    import sqlalchemy as sa


class Claims(Protocol):
    """The right to run jobs; it ends with the process, however that ends."""

    def claim(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys that are now ours to run."""

    def release(self, keys: Iterable[str]) -> None:
        """Give keys back; those that are not ours do not matter."""

    def close(self) -> None:
        """Give everything back."""


class OneWriter:
    """A lock beside the file: who has it may run everything, a second one is told so at once."""

    def __init__(self, place: str) -> None:
        import fcntl

        with clear_errors(place):
            self._lock = os.open(Path(f"{place}.lock"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise InputError(
                "store",
                f"another run is writing to '{place}'",
                remedy="wait for it, or give this one a store of its own",
            ) from None

    def claim(self, keys: Iterable[str]) -> set[str]:
        """Return the keys, for there is no one else."""
        return set(keys)

    def release(self, keys: Iterable[str]) -> None:
        """Do nothing: no one waits."""

    def close(self) -> None:
        """Let go of the lock; dying does the same."""
        os.close(self._lock)


class SeveralWriters:
    """Advisory locks on a connection of their own, one per job.

    They end with the connection, and the connection with the process: a job whose process died is
    free at once, and no one has to say every so often that he is alive.
    """

    def __init__(self, engine: sa.Engine, place: str) -> None:
        self._place = place
        self._held: set[str] = set()
        self._lost: UnreadableError | None = None
        self._lock = threading.Lock()  # jobs are released by the thread that writes
        with clear_errors(place):
            self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            # Locks are the database's; stores in several schemas of one are told apart by this.
            query = "SELECT CAST(CAST('palio_results' AS regclass) AS oid)"
            self._store = int(self._connection.exec_driver_sql(query).scalar_one())

    def claim(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys that no one else has."""
        wanted = set(keys)
        with self._lock:
            # A lock taken twice must be given back twice: what is held is not asked for again.
            self._held |= self._locked("pg_try_advisory_lock", wanted - self._held)
            return wanted & self._held

    def release(self, keys: Iterable[str]) -> None:
        """Let others have the keys."""
        with self._lock:
            ours = self._held & set(keys)
            self._locked("pg_advisory_unlock", ours)
            self._held -= ours

    def close(self) -> None:
        """End the connection, not only give it back to the pool, and with it the locks."""
        self._connection.invalidate()
        self._connection.close()
        self._held.clear()

    def _locked(self, function: str, keys: set[str]) -> set[str]:
        """Call a function of PostgreSQL on the keys' numbers; return those it says true of."""
        import sqlalchemy as sa

        if not keys:
            return set()
        numbers = {lock_number(key, self._store): key for key in sorted(keys)}
        query = sa.text(
            f"SELECT number, {function}(number) FROM unnest(CAST(:numbers AS bigint[])) AS number"
        )
        if self._lost is not None:
            raise self._lost
        try:
            with clear_errors(self._place):
                rows = self._connection.execute(query, {"numbers": list(numbers)})
                return {numbers[number] for number, held in rows if held}
        except UnreadableError as error:
            # With the connection the locks are gone: there is nothing left to give back.
            self._lost = error
            self._held.clear()
            raise


def lock_number(key: str, store: int = 0) -> int:
    """Turn a key into the 64 bits, with sign, that PostgreSQL has for a lock.

    >>> lock_number("00000000000000ff" + 48 * "0"), lock_number(64 * "f")
    (255, -1)
    """
    number = int(key[:16], 16) ^ store
    return number - (1 << 64) if number >= 1 << 63 else number
