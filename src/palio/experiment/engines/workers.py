"""A worker: a process that runs jobs one after another, as seen by who has it run them.

Each worker has a pipe of its own, so that one that dies or hangs holds nothing that others need.
It says which job it begins before it does: whoever dies, it is known of which job.

A job is never at fault because a worker, a connection or a scheduler was lost: it is tried again.
Only one that is lost with its worker time and again, at last as the only job that is running, has
ended, as a row.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import context, spawn
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from palio.errors import EngineError
from palio.experiment.engines import Limits, start_worker
from palio.experiment.outcome import DoneFold, JobOutcome, Status
from palio.systems import system

# A worker that the system says is stopped for so long is killed, and its job tried again.
SILENCE_SECONDS = 30.0
# One that is not ready by then hangs in what it loads.
START_SECONDS = 300.0
_LOOK_SECONDS = 1.0
# So often its memory is looked at, where the system does not hold it to a limit.
_MEMORY_SECONDS = 0.05
# What its process is called.
_NAME = "palio-job"


# --- what a worker says ----------------------------------------------------------------------


class Ready(NamedTuple):
    """All is loaded, unless there was an error."""

    error: str = ""


class Began(NamedTuple):
    """The job of that place in the batch is begun; before the first, unpacking is, as -1."""

    place: int
    at: float  # on the clock that all processes of a machine share
    memory: int = 0  # bytes that the worker had then, where its limit is watched


class Fold(NamedTuple):
    """A fold of that job is done."""

    place: int
    done: DoneFold


class Ended(NamedTuple):
    """That job has ended."""

    place: int
    outcome: JobOutcome


class Spoiled(NamedTuple):
    """The batch cannot be unpacked; ``swept`` if only because something lies there no longer."""

    error: str
    swept: bool


class Over(NamedTuple):
    """The batch is done with; if the last job left the worker unclean, the others are not run."""

    unclean: bool = False


Said: TypeAlias = Began | Fold | Ended | Spoiled | Over
Cause: TypeAlias = Literal["died", "timeout", "memory", "stopped", "start"]


@dataclass(eq=False)
class LostError(Exception):
    """A worker is gone in the midst of a batch.

    Parameters
    ----------
    cause
        It died, or was killed here for taking too long or too much memory, having been stopped, or
        not being ready.
    exitcode
        Of the process.
    place
        The job that was under way, as in `Began`; ``None`` if none had been begun.
    unfit
        What it said when it could not start.
    """

    cause: Cause
    exitcode: int | None
    place: int | None
    unfit: str = ""

    def __str__(self) -> str:
        if self.place is None:
            how = self.unfit or exit_named(self.exitcode)
            slow = f"not ready after {START_SECONDS:g} s"
            return f"a worker ended as it started ({slow if self.cause == 'start' else how})"
        if self.cause == "stopped":
            return f"the worker was stopped for {SILENCE_SECONDS:g} s"
        return f"the worker died ({exit_named(self.exitcode)})"

    def row(self, key: str, limits: Limits) -> JobOutcome | None:
        """Return how the job that was under way ended, if it was ended for a limit."""
        if self.cause == "timeout":
            return ended_row(key, "timeout", f"longer than {limits.time:g} s", limits.time)
        if self.cause == "memory":
            said = f"more than {limits.memory:,} bytes, seen every {_MEMORY_SECONDS:g} s"
            return ended_row(key, "memory", said)
        return None


# --- the one who has it run jobs -------------------------------------------------------------


class Worker:
    """A process, started at once, whose end `run` tells of.

    Parameters
    ----------
    folder
        Where it finds what jobs share.
    limits
        What a job may take; where the system does not hold a process to a limit of memory, it is
        killed from here when its resident memory is seen above.
    idle
        It ends when it has had nothing to do for so many seconds.

    Notes
    -----
    The heartbeat is the system's word on the process, not a thread's in it: code that holds
    Python's lock for an hour lets no thread speak, and is not stuck. Only a process that is
    stopped, as by SIGSTOP, is; one that sleeps may be waiting for something, which nobody can tell
    from hanging, and is for a time limit to end.
    """

    def __init__(self, folder: Path, limits: Limits, *, idle: float | None = None) -> None:
        self._limits = limits
        self._memory_limit = None if system().holds_memory else limits.memory
        self._ready = False
        self._began: Began | None = None
        self._cause: Cause = "died"
        self.gone = threading.Event()  # it has ended, or has been ended, and runs no other job
        ours, theirs = _context.Pipe()
        self._pipe: Any = ours
        # It may have processes of its own, which one that must end with us may not; it says so
        # itself when it is running.
        self._process = _context.Process(
            target=start_worker, args=(theirs, folder, limits.memory, idle), name=_NAME, daemon=True
        )
        with without_main(_NAME), system().uninterrupted():
            self._process.start()
        theirs.close()
        self._started = time.monotonic()
        threading.Thread(target=self._watch, name="palio-watch", daemon=True).start()

    def run(self, batch: bytes) -> Iterator[Said]:
        """Have a batch of jobs run, and yield what the worker says; `LostError` if it is gone."""
        self._began = None
        unfit = ""
        said: Said | None = None
        try:
            while not self._ready:
                unfit = self._hear().error
                self._ready = not unfit
            self._pipe.send_bytes(batch)
            while not isinstance(said, Over):
                said = self._hear()
                if isinstance(said, Began | Ended):
                    self._began = said if isinstance(said, Began) else None
                elif isinstance(said, Over) and said.unclean:
                    self.end()
                yield said
            self._began = None
        except Exception as error:  # the pipe has ended, or what came through it makes no sense
            place = None if self._began is None else self._began.place
            self.end()
            raise LostError(self._cause, self._process.exitcode, place, unfit) from error

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.kill()
        self._process.join()
        self._pipe.close()

    def kill(self, cause: Cause = "died") -> None:
        """End the process, and what it started; what it has said can still be heard."""
        self._cause = self._cause if self.gone.is_set() else cause
        self.gone.set()
        children = system().children_of(self._process.pid) if self._process.is_alive() else []
        for process in (self._process, *children):
            process.kill()

    def _hear(self) -> Any:
        # Processes that a job has left behind may hold the pipe of a worker that is dead.
        while not self._pipe.poll(_LOOK_SECONDS):
            if not self._process.is_alive() and not self._pipe.poll(0):
                raise EOFError
        return self._pipe.recv()

    # --- its heartbeat -----------------------------------------------------------------------

    def _watch(self) -> None:
        tick = min(_LOOK_SECONDS, SILENCE_SECONDS / 5, (self._limits.time or 10.0) / 10)
        if self._memory_limit is not None:
            tick = min(tick, _MEMORY_SECONDS)
        silent = 0.0
        while not self.gone.wait(tick):
            # Counted by looks, not by the clock: while this process was stopped too, as by Ctrl-Z,
            # nobody looked.
            silent = silent + tick if system().is_stopped(self._process.pid) else 0.0
            if silent >= SILENCE_SECONDS:
                self.kill("stopped")
            elif not self._ready and time.monotonic() - self._started > START_SECONDS:
                self.kill("start")
            elif over := self._is_over():
                self.kill(over)

    def _is_over(self) -> Cause | None:
        """Say which limit the job that is under way exceeds."""
        began, most, limits = self._began, self._memory_limit, self._limits
        if began is None:
            return None
        since = began.at if limits.since is None else limits.since
        if limits.time is not None and time.monotonic() - since > limits.time:
            return "timeout"
        if most is not None and system().memory_of(self._process.pid) - began.memory > most:
            return "memory"
        return None


# --- starting it -----------------------------------------------------------------------------

_context = context.SpawnContext()

# The names of processes that are started without the user's script, and how often each is meant.
_mainless: Counter[str] = Counter()
_counting = threading.Lock()


@contextlib.contextmanager
def without_main(name: str) -> Iterator[None]:
    """Have processes of a name not run the user's script again, in whatever thread they start.

    Processes are spawned, not forked, for a fork of a process with threads may hang. Spawning
    would import the main script anew in every worker, which scripts without a guard do not bear;
    jobs come pickled by value, so the workers do not need it.
    """
    with _counting:
        _mainless[name] += 1
        if spawn.get_preparation_data is not _prepared:
            spawn.get_preparation_data = _prepared
    try:
        yield
    finally:
        with _counting:
            _mainless[name] -= 1


_usual: Callable[[str], dict[str, Any]] = spawn.get_preparation_data


def _prepared(name: str) -> dict[str, Any]:
    data = _usual(name)
    if _mainless[name] > 0:
        data.pop("init_main_from_name", None)
        data.pop("init_main_from_path", None)
    return data


# --- faults: how often a job is tried, and when an engine gives up ---------------------------

# So many workers may die of a job: two with others beside it, the third with the job alone.
TRIES = 3
# So many faults for each worker, with no job ending meanwhile, and an engine gives up.
FAULTS = 5


class Faults:
    """Counts what is lost: a job with its worker, or only time."""

    def __init__(self, engine: str, n_workers: int) -> None:
        self._engine = engine
        self._most = FAULTS * n_workers
        self._in_a_row = 0
        self._lost: Counter[str] = Counter()

    def ended(self) -> None:
        """Take note that a job has ended: whatever was wrong, it goes on."""
        self._in_a_row = 0

    def lost(self, key: str) -> Literal["again", "alone", "over"]:
        """Count a job that was lost with the worker it ran in, and say what to do with it."""
        self.ended()  # workers that run jobs are no fault of the engine
        self._lost[key] += 1
        if self._lost[key] >= TRIES:
            return "over"
        return "alone" if self._lost[key] == TRIES - 1 else "again"

    def in_vain(self, why: str) -> None:
        """Count a fault that no job had a part in; too many in a row are an error."""
        self._in_a_row += 1
        if self._in_a_row >= self._most:
            raise EngineError(
                "engine",
                f"'{self._engine}' can run nothing: {why}, {self._in_a_row} times in a row",
            )


def lost_row(key: str, why: str) -> JobOutcome:
    """Make the row of a job that was lost with its worker each time."""
    return ended_row(key, "killed", f"{why}, {TRIES} times, at last with no other job beside it")


def ended_row(key: str, status: Status, error: str, seconds: float | None = None) -> JobOutcome:
    """Make the row of a job that could not say itself how it ended."""
    return JobOutcome(key, status, error=error, stage="running", seconds=seconds or 0.0)


def exit_named(code: int | None) -> str:
    """Say how a process ended.

    Windows has large numbers for what it ends a process for, known by their hexadecimal digits.

    >>> exit_named(7), exit_named(-15), exit_named(-40), exit_named(0xC0000005)
    ('exit code 7', 'SIGTERM', 'signal 40', 'exit code 0xc0000005')
    """
    if code is not None and code < 0:
        known = -code in set(signal.Signals)
        return signal.Signals(-code).name if known else f"signal {-code}"
    return f"exit code {code if code is None or code < 1 << 16 else hex(code)}"
