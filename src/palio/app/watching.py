"""Waiting for a file or a store to change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep

# Seconds between two looks.
PAUSE = 1.0


def versions(
    place: str, *, pause: float = PAUSE, wait: Callable[[float], object] | None = None
) -> Iterator[str]:
    """Yield what a file or a store looks like, at once and whenever it has changed.

    Parameters
    ----------
    place : str
        A table, a store file, or the URL of one.
    pause : float
        Seconds between two looks.
    wait : callable, optional
        What waits, for whoever cannot.
    """
    last = None
    while True:
        now = _version(place)
        if now != last:
            last = now
            yield now
        (wait or sleep)(pause)


def _version(place: str) -> str:
    from palio.experiment.store.database import is_server

    return _of_server(place) if is_server(place) else _of_file(place)


def _of_file(place: str) -> str:
    """Look at the file and, of a store, at the log beside it, where the newest rows are."""
    found = []
    for path in (Path(place), Path(f"{place}-wal")):
        try:
            stat = path.stat()
        except OSError:
            found.append("absent")
        else:
            found.append(f"{stat.st_mtime_ns}:{stat.st_size}")
    return " ".join(found)


def _of_server(place: str) -> str:
    """Ask the server; one that cannot be reached may come back, as a file may come."""
    from palio.errors import UnreadableError
    from palio.experiment.store.store import Store

    try:
        with Store(place, create=False) as store:
            marks = store.marks().values()
    except UnreadableError:
        return "absent"
    return f"{len(marks)}:{max((mark.finished for mark in marks), default=0.0)}"
