"""What runs in a worker process: jobs as they come, and word of each."""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
import time
from functools import cache, lru_cache, partial
from multiprocessing import process
from pathlib import Path
from typing import Any

from palio.experiment.engines.parcels import mapped, unpack
from palio.experiment.engines.workers import Began, Ended, Fold, Over, Ready, Spoiled, Unfit
from palio.experiment.outcome import DoneFold
from palio.systems import system

_folder = Path()


def live(pipe: Any, folder: Path, memory_limit: int | None, idle: float | None) -> None:
    """Run parcels of jobs until there are no more."""
    global _folder
    _folder = folder
    # Ctrl-C is for who started us; an interruption in here can only be a job's own.
    system().ignore_interruptions()
    process.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Quiet, whatever estimators print.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    try:
        from palio.experiment import work  # before the first job, so that no job pays for it

        work.warm_up()
    except BaseException as error:
        pipe.send(Unfit(f"{type(error).__name__}: {error}"))
        raise
    pipe.send(Ready())
    with contextlib.suppress(EOFError, OSError):  # who started us has gone
        while pipe.poll(idle):
            _do(pipe, pipe.recv_bytes(), memory_limit)
    os._exit(0)  # threads that jobs have left behind are not waited for


def _end_with_parent() -> None:
    """End when who started us does, be it by SIGKILL: a long job would go on for nobody."""
    parent = process.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(pipe: Any, parcel: bytes, memory_limit: int | None) -> None:
    from palio.experiment.work import execute, first_line

    pipe.send(_began(-1, memory_limit))
    try:
        jobs = unpack(parcel, _fetch)
    except BaseException as error:
        pipe.send(Spoiled(first_line(error), isinstance(error, _SweptError)))
        jobs = []
    for place, job in enumerate(jobs):
        pipe.send(_began(place, memory_limit))
        with contextlib.nullcontext() if memory_limit is None else system().held_to(memory_limit):
            outcome = execute(job, tell=partial(_tell, pipe, place))
        pipe.send(Ended(place, outcome))
    pipe.send(Over())


def _began(place: int, memory_limit: int | None) -> Began:
    watched = memory_limit is not None and not system().holds_memory
    return Began(place, time.monotonic(), system().memory_of(os.getpid()) if watched else 0)


def _tell(pipe: Any, place: int, done: DoneFold) -> None:
    with contextlib.suppress(MemoryError):  # it would only be kept for an interruption
        pipe.send(Fold(place, done))


# --- what jobs share -----------------------------------------------------------------------------


class _SweptError(Exception):
    """Something lies no longer where it was laid."""


def _fetch(name: str) -> Any:
    """Fetch what was laid there; few data sets are kept, for jobs come data set by data set."""
    try:
        return _data(name) if name.startswith("data-") else _code(name)
    except FileNotFoundError as error:
        raise _SweptError(f"{error.filename} has vanished") from error


@lru_cache(maxsize=4)
def _data(name: str) -> Any:
    return mapped(_folder / name)


@cache
def _code(name: str) -> Any:
    return pickle.loads((_folder / name).read_bytes())
