"""Where jobs run: one small protocol, one file per engine, one entry in `ENGINES` for each."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from palio.errors import ParameterError, TerminatedError, require
from palio.registry import Later, Registry
from palio.systems import system

if TYPE_CHECKING:
    from palio.experiment.outcome import Begun, DoneFold, JobOutcome
    from palio.experiment.plan import Job

__all__ = [
    "ENGINES",
    "Engine",
    "EngineKind",
    "EngineOptions",
    "InlineEngine",
    "Limits",
    "engines_that",
    "interruptions",
    "start_worker",
]


class Engine(ABC):
    """Runs jobs and yields how each ended, in whatever order they finish.

    Its contract, which the same faults are tried on in every engine:

    - A job ends as one outcome. What it raises, whatever that is, is its outcome.
    - A job has no part in the faults of an engine: a worker that is lost, stopped or cannot start,
      a connection that breaks. It is tried again, elsewhere. Only if a worker is lost while it
      runs, `faults.TRIES` times, at last with no other job beside it, that is its outcome.
    - An engine that cannot go on raises `EngineError`: what it has not yielded is not run, has no
      row, and is taken up by whoever runs the experiment again.
    - A person's Ctrl-C, or SIGTERM, is the only interruption.
    """

    @abstractmethod
    def run(self, jobs: Iterable[Job]) -> Iterator[JobOutcome]:
        """Yield one outcome per job."""

    def begun(self) -> Begun:
        """Return the folds done of jobs that were under way when the run was broken off."""
        return {}

    def under_way(self) -> Collection[str]:
        """Return the keys of jobs that run at the moment, as far as they are known; any thread."""
        return ()


@dataclass(frozen=True)
class EngineKind:
    """An entry of the registry: what an engine is made by, and what it can do.

    Parameters
    ----------
    name, title : str
        What it is called, and where it runs jobs.
    make : callable
        Takes ``n_jobs`` where it is parallel, ``isolated`` where it has workers, ``limits`` where
        there are limits, ``scheduler`` and ``patience`` where there are clients.
    parallel : bool
        Whether jobs may run beside one another, ``n_jobs`` of them; told one, none does.
    workers : bool
        Whether jobs run in processes of their own, whose end is not that of the run.
    limits : bool
        Whether a job that takes too long or too much is stopped, and ends as a row.
    clients : str
        The package whose schedulers it may be told of, by address or by a client.
    extra : str
        What must be installed for it.
    """

    name: str
    title: str
    make: Callable[..., Engine]
    parallel: bool = False
    workers: bool = False
    limits: bool = False
    clients: str = ""
    extra: str = "run"


class InlineEngine(Engine):
    """Jobs in this very process: for debugging, where a breakpoint should stop.

    Runs one job after another; it cannot hold limits, since it is what would be killed.
    """

    def __init__(self) -> None:
        self._begun: dict[str, list[DoneFold]] = {}

    def run(self, jobs: Iterable[Job]) -> Iterator[JobOutcome]:
        """Yield one outcome per job, in order."""
        from palio.experiment.work import execute

        for job in jobs:
            folds = self._begun[job.key] = []
            with interruptions() as interrupted:
                outcome = execute(job, tell=folds.append, interrupted=interrupted)
            del self._begun[job.key]
            yield outcome

    def begun(self) -> Begun:
        """Return the folds done of the job that was under way."""
        return self._begun

    def under_way(self) -> Collection[str]:
        """Return the one job that runs."""
        return list(self._begun)


@dataclass(frozen=True)
class Limits:
    """Seconds and bytes that a job may take.

    The seconds count from its beginning, or from a moment of `time.monotonic` where one is given.
    """

    time: float | None = None
    memory: int | None = None
    since: float | None = None

    def __post_init__(self) -> None:
        for name in ("time", "memory"):
            limit = getattr(self, name)
            require(limit is None or limit > 0, f"{name}_limit", "a limit is positive", limit)


# How many threads libraries have unless they are told otherwise, which not all can be later.
_THREAD_VARIABLES = tuple(
    f"{library}_NUM_THREADS" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA")
)


def start_worker(*arguments: Any) -> None:
    """Be a worker process; no library with threads has been loaded before."""
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
    from palio.experiment.engines.worker_main import live

    live(*arguments)


def _terminate(_number: int, _frame: Any) -> None:
    raise TerminatedError


@contextlib.contextmanager
def interruptions() -> Iterator[Callable[[], BaseException | None]]:
    """Tell the interruption by a person from one that a job raises: the first comes by a signal.

    What handles the signals still does; what it raises is the interruption. Where nothing handles
    SIGTERM, which batch systems and containers send, it interrupts as Ctrl-C does, once: some send
    it twice, and the second must not break off what keeps the results. Outside the main thread no
    signal is handled, so that whatever interrupts a job there is the job's own.
    """
    came: list[BaseException] = []
    before: dict[int, Any] = {}

    def note(number: int, frame: Any) -> None:
        if number == signal.SIGTERM and came:
            return
        try:
            (before[number] if callable(before[number]) else _terminate)(number, frame)
        except BaseException as error:
            came.append(error)
            raise

    if threading.current_thread() is threading.main_thread():
        for number in system().interruptions:
            handler = signal.getsignal(number)
            if callable(handler) or (number, handler) == (signal.SIGTERM, signal.SIG_DFL):
                before[number] = handler
                signal.signal(number, note)
    try:
        yield lambda: came[0] if came else None
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


ENGINES: Registry[EngineKind] = Registry.of(
    "engine",
    EngineKind(
        "inline",
        "in this process, for debugging",
        Later("palio.experiment.engines:InlineEngine"),
    ),
    EngineKind(
        "local",
        "in worker processes on this machine",
        Later("palio.experiment.engines.local:LocalEngine"),
        parallel=True,
        workers=True,
        limits=True,
    ),
    EngineKind(
        "dask",
        "on a Dask cluster, or one of this machine's own",
        Later("palio.experiment.engines.dask:DaskEngine"),
        parallel=True,
        workers=True,
        limits=True,
        clients="distributed",
        extra="dask",
    ),
)


def engines_that(can: Callable[[EngineKind], object], *, quote: str = "'") -> str:
    """Name the engines that can do something.

    >>> engines_that(lambda kind: kind.limits)
    "'local' or 'dask'"
    """
    names = [f"{quote}{kind.name}{quote}" for kind in ENGINES.values() if can(kind)]
    return " or ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


@dataclass(frozen=True)
class EngineOptions:
    """Which engine runs jobs, and how.

    Parameters
    ----------
    engine : str or client
        A name in `ENGINES`, or a client of one's own.
    n_jobs : int
        How many jobs at a time, where an engine runs some beside others.
    time_limit, memory_limit : float, int, optional
        Seconds and bytes that a job may take.
    since : float, optional
        The moment that the seconds count from, as `time.monotonic` has it, in place of a job's
        beginning: so what starts a worker counts, too.
    scheduler : str, optional
        The address of a scheduler.
    patience : float
        Seconds to wait for a scheduler, or its last worker, that is gone.
    isolation : str
        ``"worker"``: a process that a job left as it was found runs others; ``"process"``: each job
        has one to itself.
    """

    engine: Any = "local"
    n_jobs: int = 2
    time_limit: float | None = None
    memory_limit: int | None = None
    scheduler: Any = None
    patience: float = 120.0
    isolation: str = "worker"
    since: float | None = None

    def make(self, *, exclusive: bool = False) -> Engine:
        """Make the engine; ``exclusive`` is one job at a time, with nothing beside it."""
        kind, scheduler = self._kind()
        require(self.n_jobs >= 1, "n_jobs", "at least one worker is needed", self.n_jobs)
        known = self.isolation in ("worker", "process")
        require(known, "isolation", "it is 'worker' or 'process'", self.isolation)
        limits = Limits(self.time_limit, self.memory_limit, self.since)
        if exclusive and kind.clients:
            others = engines_that(lambda each: not each.clients)
            remedy = f"use engine {others}, on the machine whose times are wanted"
            rule = "jobs on a cluster run beside others"
            raise ParameterError("exclusive", rule, remedy=remedy)
        for parameter, asked, able, lack in (
            ("scheduler", scheduler is not None, "clients", "has no scheduler"),
            ("engine", limits != Limits(), "limits", "cannot hold time or memory limits"),
            ("isolation", self.isolation == "process", "workers", "cannot isolate jobs"),
        ):
            if asked and not getattr(kind, able):
                rule = f"engine '{kind.name}' runs jobs {kind.title}, and {lack}"
                remedy = f"use engine {engines_that(attrgetter(able))}, or omit the option"
                raise ParameterError(parameter, rule, remedy=remedy)
        return kind.make(
            **({"n_jobs": 1 if exclusive else self.n_jobs} if kind.parallel else {}),
            **({"limits": limits} if kind.limits else {}),
            **({"isolated": self.isolation == "process"} if kind.workers else {}),
            **({"scheduler": scheduler, "patience": self.patience} if kind.clients else {}),
        )

    def _kind(self) -> tuple[EngineKind, Any]:
        """Return the entry, and its scheduler; a client is its own."""
        if isinstance(self.engine, str):
            return ENGINES[self.engine], self.scheduler
        packages = {each.__module__.partition(".")[0] for each in type(self.engine).__mro__}
        for kind in ENGINES.values():
            if kind.clients in packages:
                return kind, self.engine
        rule = f"a name, {engines_that(lambda _: True)}, or a client of a cluster"
        raise ParameterError("engine", rule, f"{self.engine!r} was given")
