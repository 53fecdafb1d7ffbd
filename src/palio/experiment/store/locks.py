"""Who runs what: one writer to a SQLite file, several to a PostgreSQL server, job by job."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from palio.errors import InputError, UnreadableError
from palio.experiment.store.database import clear_errors
from palio.systems import system

if TYPE_CHECKING:
    import sqlalchemy as sa


class Claims(Protocol):
    """The right to run jobs; it ends with the process, however that ends."""

    def claim(self, keys: Iterable[str]) -> set[str]:
        """Return those of the keys that are now ours to run."""

    def release(self, keys: Iterable[str]) -> None:
        """Give keys back; those that are not ours do not matter."""

    def tell(self, keys: Iterable[str]) -> None:
        """Let others know which jobs are under way, where they can."""

    def close(self) -> None:
        """Give everything back."""


class Running(NamedTuple):
    """Whether a run goes on, and the jobs that are under way, as far as it tells them.

    Nobody knows it of a store on a server, where ``goes_on`` is ``None``.
    """

    goes_on: bool | None
    keys: frozenset[str] = frozenset()


# Who only looks has the lock for less than this, in seconds.
_GLANCE = 0.1


class OneWriter:
    """A lock beside the file: who has it may run everything, a second one is told so at once.

    In the locked file stands which jobs are under way: it is true for as long as it is locked.
    """

    def __init__(self, place: str) -> None:
        with clear_errors(place):
            self._lock = os.open(Path(f"{place}.lock"), os.O_RDWR | os.O_CREAT, 0o644)
        if system().take(self._lock):
            return
        time.sleep(_GLANCE)
        if not system().take(self._lock):
            os.close(self._lock)
            remedy = "wait for it, or give this one a store of its own"
            raise InputError("store", f"another run is writing to '{place}'", remedy=remedy)

    def claim(self, keys: Iterable[str]) -> set[str]:
        """Return the keys, for there is no one else."""
        return set(keys)

    def release(self, keys: Iterable[str]) -> None:
        """Do nothing: no one waits."""

    def tell(self, keys: Iterable[str]) -> None:
        """Write down which jobs are under way; where that cannot be done, nobody is told."""
        # After a space, for where there is a lock on the first byte nobody else can read that.
        content = f" {json.dumps(list(keys))}".encode()
        with contextlib.suppress(OSError):
            os.ftruncate(self._lock, 0)
            os.lseek(self._lock, 0, os.SEEK_SET)
            os.write(self._lock, content)

    def close(self) -> None:
        """Let go of the lock; dying does the same."""
        self.tell(())
        os.close(self._lock)


def run_at(place: str) -> Running:
    """Say whether a run writes to a file, and which jobs it has under way."""
    try:
        lock = os.open(Path(f"{place}.lock"), os.O_RDONLY)
    except OSError:  # no run has ever been
        return Running(False)
    try:
        if not system().is_taken(lock):
            return Running(False)
        os.lseek(lock, system().first_readable, os.SEEK_SET)
        return Running(True, _keys(os.read(lock, _LONGEST)))
    finally:
        os.close(lock)


def _keys(content: bytes) -> frozenset[str]:
    """Read what `OneWriter.tell` writes; of what is being written at the moment, nothing."""
    try:
        return frozenset(map(str, json.loads(content)))
    except (ValueError, TypeError):
        return frozenset()


_LONGEST = 1_000_000


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

    def tell(self, keys: Iterable[str]) -> None:
        """Say nothing: that jobs are claimed is known."""

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
