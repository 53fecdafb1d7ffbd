"""Jobs on a Dask cluster: a scheduler's address, or a cluster on this machine."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from palio.errors import MissingExtraError, ParameterError
from palio.experiment.data.datasets import Dataset
from palio.experiment.engines.local import LocalEngine, pack, unpack
from palio.experiment.outcome import Begun, JobOutcome
from palio.experiment.plan import Job


class DaskEngine:
    """Hands jobs to `dask.distributed`; a lost worker loses no job, for Dask gives it to another.

    Limits hold inside a worker: there a job with limits runs in a process of its own.
    """

    def __init__(
        self,
        n_jobs: int,
        *,
        scheduler: Any = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> None:
        # The local engine knows which limits make sense.
        self._inside = LocalEngine(n_jobs, time_limit=time_limit, memory_limit=memory_limit)
        self.scheduler = scheduler

    def run(self, jobs: Iterable[Job]) -> Iterator[JobOutcome]:
        """Yield one outcome per job as it finishes."""
        try:
            from distributed import as_completed
        except ImportError as error:
            raise MissingExtraError(
                "engine", "'dask' needs dask.distributed", extra="dask"
            ) from error
        client, own = self._client()
        try:
            yield from self._feed(client, iter(jobs), as_completed)
        finally:
            if own:
                client.close()

    def begun(self) -> Begun:
        """Return nothing: what workers have done of a job stays with them."""
        return {}

    def _client(self) -> tuple[Any, bool]:
        """Return a client, and whether it is ours to close."""
        from distributed import Client, LocalCluster

        if self.scheduler is None:
            cluster = LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=self._inside.n_jobs, threads_per_worker=1, dashboard_address=None
            )
            return Client(cluster, set_as_default=False), True  # type: ignore[no-untyped-call]
        if not isinstance(self.scheduler, str):
            return self.scheduler, False
        try:
            found = Client(self.scheduler, timeout="10s", set_as_default=False)  # type: ignore[no-untyped-call]
        except OSError as error:
            raise ParameterError(
                "scheduler",
                f"nobody answers at '{self.scheduler}'",
                remedy=(
                    "start one with `dask scheduler`, or leave the address out for a cluster "
                    "on this machine"
                ),
            ) from error
        else:
            return found, True

    def _feed(self, client: Any, jobs: Iterator[Job], as_completed: Any) -> Iterator[JobOutcome]:
        # Enough to keep every worker busy, without handing over all data at once.
        ahead = 4 * max(1, sum(client.nthreads().values()) or self._inside.n_jobs)
        sent = _Sent()
        futures = [self._submit(client, job, sent) for job in islice(jobs, ahead)]
        queue = as_completed(futures, loop=client.loop)
        for future in queue:
            yield self._received(future, sent.keys.pop(future.key))
            for job in islice(jobs, 1):
                queue.add(self._submit(client, job, sent))

    def _submit(self, client: Any, job: Job, sent: _Sent) -> Any:
        fingerprint = job.dataset.fingerprint
        if fingerprint not in sent.data:
            # Not scattered: what is scattered is lost with the worker that has it, and with it all
            # jobs that wait for it. The scheduler can have a task's result made again.
            sent.data[fingerprint] = client.submit(
                _given, job.dataset, key=f"palio-data-{fingerprint}", retries=2
            )
        future = client.submit(
            _work,
            pack([job], _fingerprint),
            sent.data[fingerprint],
            self._inside.time_limit,
            self._inside.memory_limit,
            key=f"palio-{job.key}",
            pure=False,
            retries=2,
        )
        sent.keys[future.key] = job.key
        return future

    @staticmethod
    def _received(future: Any, key: str) -> JobOutcome:
        try:
            outcome: JobOutcome = future.result()
        except Exception as error:  # KilledWorker, CancelledError, what cannot be unpickled
            name = type(error).__name__
            status = "killed" if name in ("KilledWorker", "CommClosedError") else "failed"
            first = (str(error).strip().splitlines() or [""])[0]
            return JobOutcome(key, status, stage="running", error=f"{name}: {first}"[:500])  # type: ignore[arg-type]
        return outcome


@dataclass
class _Sent:
    """What is under way: data sets by fingerprint, keys of jobs by the names Dask has for them."""

    data: dict[str, Any] = field(default_factory=dict)
    keys: dict[Any, str] = field(default_factory=dict)


def _fingerprint(thing: Any) -> str | None:
    return thing.fingerprint if isinstance(thing, Dataset) else None


def _given(dataset: Dataset) -> Dataset:
    return dataset


def _work(
    payload: bytes, dataset: Dataset, time_limit: float | None, memory_limit: int | None
) -> JobOutcome:
    """Run a job in a Dask worker; with limits in a process of its own, which may be killed."""
    from palio.experiment.work import execute

    (job,) = unpack(payload, lambda _name: dataset)
    if time_limit is None and memory_limit is None:
        return execute(job)
    # Dask's workers are daemons, which multiprocessing forbids to have children; this one ends
    # with the job, so that nothing outlives the worker.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    engine = LocalEngine(1, time_limit=time_limit, memory_limit=memory_limit)
    return next(iter(engine.run([job])))
