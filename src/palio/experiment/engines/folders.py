"""The folder of a run, where its workers find what many jobs share; those of dead runs are swept.

A run holds a lock on a file in its folder, which the system lets go of however the run ends: a
folder whose lock can be had is one of a dead run.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from palio.errors import EngineError
from palio.systems import system

_PREFIX = "palio-"
_LOCK = "in-use"


@contextlib.contextmanager
def run_folder() -> Iterator[Path]:
    """Make a folder that only we may enter, for as long as this process needs it."""
    sweep()
    folder, lock = _locked_folder()
    try:
        yield folder
    finally:
        _remove(folder, lock)


def sweep(place: Path | None = None) -> list[Path]:
    """Remove the folders of runs that were killed; return them.

    Folders of others, of runs that go on, and without a lock to tell by, are left alone.
    """
    swept = []
    for folder in sorted((place or Path(tempfile.gettempdir())).glob(f"{_PREFIX}*")):
        try:
            if folder.is_symlink() or not system().is_ours(folder):
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR)
        except OSError:  # it has no lock, or has just gone
            continue
        if _taken(lock):
            _remove(folder, lock)
            swept.append(folder)
        else:
            os.close(lock)
    return swept


def _remove(folder: Path, lock: int) -> None:
    """Remove a folder, its locked file last: some systems do not part with what is open."""
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)
    shutil.rmtree(folder, ignore_errors=True)


def _locked_folder() -> tuple[Path, int]:
    while True:
        try:
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            why = f"a run needs a temporary folder, and none can be made: {error.strerror}"
            raise EngineError("engine", why) from error
        # Someone who sweeps may have had it before us: then it is, or will soon be, gone.
        if _taken(lock):
            return folder, lock
        os.close(lock)


def _taken(lock: int) -> bool:
    """Take a lock, unless someone has it or the file has gone."""
    return system().take(lock) and os.fstat(lock).st_nlink > 0
