"""Where jobs run: one small protocol, one file per engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from palio.errors import ParameterError
from palio.experiment.engines.dask import DaskEngine
from palio.experiment.engines.inline import InlineEngine
from palio.experiment.engines.local import LocalEngine
from palio.experiment.outcome import JobOutcome
from palio.experiment.plan import Job
from palio.registry import Registry

__all__ = ["ENGINES", "Engine", "EngineKind", "Limits"]


@dataclass(frozen=True)
class Limits:
    """What a job may take: seconds, bytes; ``None`` for no limit."""

    seconds: float | None = None
    memory: int | None = None


class Engine(Protocol):
    """Runs jobs and yields how each ended, in whatever order they finish."""

    def run(self, jobs: Iterable[Job]) -> Iterator[JobOutcome]:
        """Yield one outcome per job, whatever happens to it."""


@dataclass(frozen=True)
class EngineKind:
    """An entry of the registry; ``make`` takes workers, limits, and where the scheduler is."""

    name: str
    title: str
    make: Callable[[int, Limits, Any], Engine]


def _no_scheduler(name: str, scheduler: Any) -> None:
    if scheduler is not None:
        raise ParameterError("scheduler", f"engine '{name}' has none", remedy="use engine 'dask'")


def _inline(_n_jobs: int, limits: Limits, scheduler: Any) -> Engine:
    _no_scheduler("inline", scheduler)
    return InlineEngine(limited=limits != Limits())


def _local(n_jobs: int, limits: Limits, scheduler: Any) -> Engine:
    _no_scheduler("local", scheduler)
    return LocalEngine(n_jobs, time_limit=limits.seconds, memory_limit=limits.memory)


def _dask(n_jobs: int, limits: Limits, scheduler: Any) -> Engine:
    return DaskEngine(
        n_jobs, scheduler=scheduler, time_limit=limits.seconds, memory_limit=limits.memory
    )


ENGINES: Registry[EngineKind] = Registry.of(
    "engine",
    EngineKind("inline", "in this process, for debugging", _inline),
    EngineKind("local", "in worker processes on this machine", _local),
    EngineKind("dask", "on a Dask cluster, or one of this machine's own", _dask),
)
