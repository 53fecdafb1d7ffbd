"""What runs in a worker process: jobs as they come, word of each, and a look at what it left."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import sys
import threading
from dataclasses import replace
from functools import cache, lru_cache, partial
from multiprocessing import process
from pathlib import Path
from time import monotonic, sleep  # bound here: a job may patch the module
from typing import Any

import numpy as np

from palio.experiment.engines.batch import mapped, unpack
from palio.experiment.engines.workers import Began, Ended, Fold, Over, Ready, Spoiled
from palio.experiment.outcome import DoneFold
from palio.systems import system

_folder = Path()


def live(pipe: Any, folder: Path, memory_limit: int | None, idle: float | None) -> None:
    """Run batches of jobs until there are no more."""
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
        _state()  # where that is not to be had, no job is to blame
    except BaseException as error:
        pipe.send(Ready(f"{type(error).__name__}: {error}"))
        raise
    pipe.send(Ready())
    with contextlib.suppress(EOFError, OSError):  # who started us has gone
        while pipe.poll(idle):
            pipe.send(_run(pipe, pipe.recv_bytes(), memory_limit))
    os._exit(0)  # threads that jobs have left behind are not waited for


def _end_with_parent() -> None:
    """End when who started us does, be it by SIGKILL: a long job would go on for nobody."""
    parent = process.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run(pipe: Any, batch: bytes, memory_limit: int | None) -> Over:
    """Run the jobs of a batch, up to one after which no other may run here."""
    from palio.experiment.work import execute, first_line

    pipe.send(_began(-1, memory_limit))
    try:
        jobs = unpack(batch, _fetch)
    except BaseException as error:
        pipe.send(Spoiled(first_line(error), isinstance(error, _SweptError)))
        jobs = []
    before = _state()
    for place, job in enumerate(jobs):
        pipe.send(_began(place, memory_limit))
        with contextlib.nullcontext() if memory_limit is None else system().held_to(memory_limit):
            outcome = execute(job, tell=partial(_tell, pipe, place))
        left = _left_behind(before)
        if left:
            sys.setrecursionlimit(10_000)  # or else not even this can be said
            outcome = replace(outcome, machine={**outcome.machine, "left_behind": left})
        pipe.send(Ended(place, outcome))
        if left:
            return Over(unclean=True)
    return Over()


def _began(place: int, memory_limit: int | None) -> Began:
    watched = memory_limit is not None and not system().holds_memory
    return Began(place, monotonic(), system().memory_of(os.getpid()) if watched else 0)


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


# --- what no job may change for others -----------------------------------------------------------

# Threads and files that are about to be closed get this many seconds.
_GRACE_SECONDS = 0.1


def _left_behind(before: dict[str, object]) -> str:
    """Name what has changed since ``before``; nothing if another job may run here."""
    try:
        changed = _changed(before)
        if changed:
            gc.collect()  # it may only wait for being collected
            sleep(_GRACE_SECONDS)
            changed = _changed(before)
    except BaseException as error:  # what Python itself needs may have been changed
        return type(error).__name__
    return ", ".join(changed)


def _changed(before: dict[str, object]) -> list[str]:
    changed = [name for name, value in _state().items() if before[name] != value]
    return changed + ["busy threads"] * (system().busy_threads() > 0)


def _state() -> dict[str, object]:
    """Return all that the jobs of a process share, and that a job can change, by name."""
    from sklearn import get_config  # type: ignore[import-untyped]

    return {
        "NumPy's settings": (np.geterr(), np.geterrcall()),
        "scikit-learn's settings": get_config(),
        **system().process_state(),
    }
