"""Where jobs run: one small protocol, one file per engine, one entry in `ENGINES` for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from palio.errors import ParameterError
from palio.registry import Later, Registry

if TYPE_CHECKING:
    from palio.experiment.outcome import Begun, DoneFold, JobOutcome
    from palio.experiment.plan import Job

__all__ = ["ENGINES", "Engine", "EngineKind", "EngineOptions", "InlineEngine", "engines_that"]


class Engine(Protocol):
    """Runs jobs and yields how each ended, in whatever order they finish."""

    def run(self, jobs: Iterable[Job]) -> Iterator[JobOutcome]:
        """Yield one outcome per job, whatever happens to it."""

    def begun(self) -> Begun:
        """Return the folds done of jobs that were under way when the run was broken off."""


@dataclass(frozen=True)
class EngineKind:
    """An entry of the registry: what an engine is made by, and what it can do.

    Parameters
    ----------
    name, title : str
        What it is called, and where it runs jobs.
    make : callable
        Takes ``n_jobs`` where it is parallel, ``time_limit`` and ``memory_limit`` where there are
        limits, and ``scheduler`` where there are clients.
    parallel : bool
        Whether jobs may run beside one another, ``n_jobs`` of them; told one, none does.
    workers : bool
        Whether jobs run in processes of their own, whose end is not that of the run.
    limits : bool
        Whether a job that takes too long or too much is stopped, and ends as a row.
    clients : str
        The package whose schedulers it may be told of, by address or by a client.
    """

    name: str
    title: str
    make: Callable[..., Engine]
    parallel: bool = False
    workers: bool = False
    limits: bool = False
    clients: str = ""


class InlineEngine:
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
            outcome = execute(job, tell=folds.append)
            del self._begun[job.key]
            yield outcome

    def begun(self) -> Begun:
        """Return the folds done of the job that was under way."""
        return self._begun


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
    scheduler : str, optional
        The address of a scheduler.
    """

    engine: Any = "local"
    n_jobs: int = 2
    time_limit: float | None = None
    memory_limit: int | None = None
    scheduler: Any = None

    def make(self, *, exclusive: bool = False) -> Engine:
        """Make the engine; ``exclusive`` is one job at a time, with nothing beside it."""
        kind, scheduler = self._kind()
        if exclusive and kind.clients:
            raise ParameterError(
                "exclusive",
                "jobs on a cluster run beside others",
                remedy=f"use engine {engines_that(lambda each: not each.clients)}, on the machine "
                "whose times are wanted",
            )
        if scheduler is not None and not kind.clients:
            raise ParameterError(
                "scheduler",
                f"engine '{kind.name}' has none",
                remedy=f"use engine {engines_that(lambda each: each.clients)}",
            )
        limits = {"time_limit": self.time_limit, "memory_limit": self.memory_limit}
        if not kind.limits and any(limit is not None for limit in limits.values()):
            raise ParameterError(
                "engine",
                f"'{kind.name}' runs {kind.title}, and cannot hold time or memory limits",
                remedy=f"use {engines_that(lambda each: each.limits)}, or leave the limits out",
            )
        return kind.make(
            **({"n_jobs": 1 if exclusive else self.n_jobs} if kind.parallel else {}),
            **(limits if kind.limits else {}),
            **({"scheduler": scheduler} if kind.clients else {}),
        )

    def _kind(self) -> tuple[EngineKind, Any]:
        """Return the entry, and its scheduler; a client is its own."""
        if isinstance(self.engine, str):
            return ENGINES[self.engine], self.scheduler
        packages = {each.__module__.partition(".")[0] for each in type(self.engine).__mro__}
        for kind in ENGINES.values():
            if kind.clients in packages:
                return kind, self.engine
        raise ParameterError(
            "engine",
            f"a name, {engines_that(lambda _: True)}, or a client of a cluster",
            f"{self.engine!r} was given",
        )
