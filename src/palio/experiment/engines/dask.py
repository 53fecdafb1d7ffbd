"""Jobs on a Dask cluster: a scheduler's address, or a cluster on this machine."""

from __future__ import annotations

import contextlib
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from queue import Empty, SimpleQueue
from typing import Any

from palio.errors import EngineError, ParameterError, require
from palio.experiment.data.datasets import Dataset
from palio.experiment.engines import Engine, Limits
from palio.experiment.engines.batch import data_name, flattened, pack
from palio.experiment.engines.dask_worker import Order, dismiss, given, work
from palio.experiment.engines.workers import Faults, lost_row, without_main
from palio.experiment.outcome import JobOutcome
from palio.experiment.plan import Job
from palio.extras import need
from palio.systems import system

# How often to look whether the scheduler answers, when nothing else comes from it, and how long.
_LOOK_SECONDS = 2.0
_ANSWER_SECONDS = 5.0
# A cluster of our own without workers for so long is made anew.
_ANEW_SECONDS = 20.0
# Of one's own: a worker that says nothing for so long is started again. No job keeps it from
# speaking, for jobs run beside it.
_SILENCE = "30s"
# What Dask calls the processes of its workers.
_PROCESS = "Dask Worker process (from Nanny)"


class DaskEngine(Engine):
    """Hands jobs to `dask.distributed`, and hands them out anew when it loses them.

    Each runs in a process beside Dask's worker, where limits hold. Which of the jobs it has been
    sent a cluster runs, and what its workers have done of one, is its own affair.
    """

    def __init__(
        self,
        n_jobs: int,
        *,
        scheduler: Any = None,
        patience: float = 120.0,
        limits: Limits | None = None,
        isolated: bool = False,
    ) -> None:
        require(patience > 0, "patience", "it is a number of seconds", patience)
        self.n_jobs, self.limits, self.isolated = n_jobs, limits or Limits(), isolated
        self.scheduler, self.patience = scheduler, patience

    def run(self, jobs: Iterable[Job]) -> Iterator[JobOutcome]:
        """Yield one outcome per job as it finishes."""
        need("dask", "engine", "'dask' needs dask.distributed")
        with _quiet():
            link = _Link(self.scheduler, self.n_jobs, self.patience)
            try:
                yield from _Run(link, self.limits, isolated=self.isolated).run(iter(jobs))
            finally:
                link.close()


# --- jobs that are under way -----------------------------------------------------------------


class _Run:
    """One run of the engine: what Dask has, what came of it, and what is to be tried again."""

    def __init__(self, link: _Link, limits: Limits, *, isolated: bool) -> None:
        self._link, self._limits, self._isolated = link, limits, isolated
        # Enough to keep every worker busy, without handing over all data at once.
        self._ahead = 4 * max(1, link.threads)
        self._faults = Faults("dask", self._ahead)
        link.fault = self._faults.in_vain
        self._name, self._number = uuid.uuid4().hex[:8], 0
        self._done: SimpleQueue[Any] = SimpleQueue()
        self._waiting: dict[Any, tuple[Any, Job]] = {}
        self._data: dict[str, Any] = {}
        self._again: list[Job] = []
        self._alone: list[Job] = []

    def run(self, jobs: Iterator[Job]) -> Iterator[JobOutcome]:
        """Hand out jobs until all have ended; the suspect at last, one by one."""
        try:
            self._fill(jobs)
            while self._waiting or self._again or self._alone:
                try:
                    future = self._done.get(timeout=_LOOK_SECONDS)
                except Empty:
                    self._link.look()
                else:
                    if future.key in self._waiting:
                        yield from self._received(future)
                self._fill(jobs)
        finally:
            self._cancel()

    def _fill(self, jobs: Iterator[Job]) -> None:
        """Hand out what there is room for: first what came back."""
        if self._again and not self._link.look():
            return
        while len(self._waiting) < self._ahead and (
            job := self._again.pop() if self._again else next(jobs, None)
        ):
            self._submit(job)
        if self._alone and not self._waiting and not self._again:
            self._submit(self._alone.pop(), fresh=True)

    def _submit(self, job: Job, *, fresh: bool = False) -> None:
        name = data_name(job.dataset)
        client = self._link.client
        try:
            data = self._data.get(name)
            if data is None or data.status in ("cancelled", "lost", "error"):
                # Not scattered: what is scattered is lost with the worker that has it.
                data = self._data[name] = client.submit(
                    given, b"".join(flattened(job.dataset)), key=self._new_key("data")
                )
            batch, fresh = pack([job], _left_out), fresh or self._isolated
            order = Order(self._name, job.key, batch, name, self._limits, fresh)
            # A key of its own each time: of the last try something may be left somewhere.
            future = client.submit(work, order, data, key=self._new_key("job"), pure=False)
            self._waiting[future.key] = future, job
            future.add_done_callback(self._done.put)
        except _dask_faults() as error:
            self._fault(job, error)

    def _new_key(self, kind: str) -> str:
        self._number += 1
        return f"palio-{kind}-{self._name}-{self._number}"

    def _received(self, future: Any) -> Iterator[JobOutcome]:
        from distributed import KilledWorker

        _, job = self._waiting.pop(future.key)
        try:
            came = future.result(timeout=_ANSWER_SECONDS)
        except Exception as error:  # what Dask has lost, or could not do there
            # Each time Dask's worker went, too: all of a machine's memory may have.
            died = isinstance(error, KilledWorker) and error.task == future.key
            if not died:
                self._fault(job, error)
                return
            came = f"the workers died ({type(error).__name__})"
        if isinstance(came, str):
            yield from self._lost(job, came)
        else:
            self._faults.ended()
            yield came

    def _fault(self, job: Job, error: BaseException) -> None:
        """Take a job back that had no part in what happened."""
        self._again.append(job)
        self._data.clear()
        first = (str(error).strip().splitlines() or [""])[0]
        self._faults.in_vain(f"{type(error).__name__}: {first}"[:200].strip(": "))

    def _lost(self, job: Job, why: str) -> Iterator[JobOutcome]:
        then = self._faults.lost(job.key)
        if then == "over":
            yield lost_row(job.key, why)
        else:
            (self._alone if then == "alone" else self._again).append(job)

    def _cancel(self) -> None:
        """Have the cluster end and forget what is under way."""
        client, futures = self._link.client, [future for future, _ in self._waiting.values()]
        if futures and client.status == "running":
            with contextlib.suppress(Exception):
                client.sync(client._cancel, futures, callback_timeout=_ANSWER_SECONDS)
                client.sync(client._run, dismiss, self._name, callback_timeout=_ANSWER_SECONDS)


def _left_out(thing: Any) -> str | None:
    return data_name(thing) if isinstance(thing, Dataset) else None


def _dask_faults() -> tuple[type[BaseException], ...]:
    from distributed.client import ClosedClientError
    from distributed.comm.core import CommClosedError

    return ClosedClientError, CommClosedError, CancelledError, OSError, TimeoutError


# --- the scheduler, and how it is reached ----------------------------------------------------


class _Link:
    """A client of a scheduler, replaced when it has lost it; and a cluster, if it is our own.

    Scheduler and workers may be gone for ``patience`` seconds; then the run ends.
    """

    def __init__(self, scheduler: Any, n_jobs: int, patience: float) -> None:
        self._n_jobs, self._patience = n_jobs, patience
        self._address = scheduler if isinstance(scheduler, str) else ""
        self._cluster: Any = None
        self._open = contextlib.ExitStack()
        self._theirs = scheduler if scheduler is not None and not self._address else None
        self.fault: Callable[[str], None] = lambda _why: None
        self.client = self._theirs or (self._connected() if self._address else self._own())
        if self._theirs is not None:
            self._address = self.client.scheduler.address
        self._seen = time.monotonic()
        self.threads = sum((self._ask() or {}).values()) or n_jobs

    def look(self) -> bool:
        """Say whether there are workers, wherever that needs a new connection or cluster."""
        if self._ask():
            self._seen = time.monotonic()
            return True
        away = time.monotonic() - self._seen
        if away > self._patience:
            raise EngineError("engine", f"'dask' has had {self._lacks()} for {self._patience:g} s")
        self._repair(away)
        return False

    def close(self) -> None:
        """Close what is ours, without waiting for jobs that are under way."""
        with contextlib.suppress(Exception):
            if self.client is not self._theirs:
                self.client.close(timeout=2)
        self._close_cluster()
        self._open.close()

    def _ask(self) -> dict[str, int] | None:
        """Return the workers with their threads; ``None`` if the scheduler does not answer."""
        if self.client.status != "running":
            return None
        try:
            found: dict[str, int] = self.client.sync(
                self.client.scheduler.ncores, callback_timeout=_ANSWER_SECONDS
            )
        except Exception:
            return None
        return found

    def _lacks(self) -> str:
        if self.client.status == "running" and self._ask() is not None:
            return "no worker"
        return f"no answer from the scheduler at '{self._address}'"

    def _repair(self, away: float) -> None:
        if self._cluster is not None:
            if away > _ANEW_SECONDS:
                self.fault("no worker starts")
                self.close()
                self.client = self._own()
                self._seen = time.monotonic()
        elif self.client.status == "closed":
            with contextlib.suppress(ParameterError):
                self.client = self._connected()

    # --- making them -------------------------------------------------------------------------

    def _connected(self) -> Any:
        from distributed import Client

        try:
            return Client(self._address, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]
        except OSError as error:
            own = "leave the address out for a cluster on this machine"
            remedy = f"start one with `dask scheduler`, or {own}"
            rule = f"nobody answers at '{self._address}'"
            raise ParameterError("scheduler", rule, remedy=remedy) from error

    def _own(self) -> Any:
        """Start a cluster here; workers that are lost as they start are started anew."""
        from distributed import Client, LocalCluster

        faults = Faults("dask", 1)
        with contextlib.ExitStack() as meanwhile:
            # Also those that it starts later, in place of others.
            meanwhile.enter_context(without_main(_PROCESS))
            while True:
                try:
                    # Ctrl-C reaches all processes of a terminal, and is for this one.
                    with system().uninterrupted():
                        self._cluster = LocalCluster(  # type: ignore[no-untyped-call]
                            n_workers=self._n_jobs,
                            threads_per_worker=1,
                            dashboard_address=None,
                            silence_logs=logging.CRITICAL,
                            scheduler_kwargs={"worker_ttl": _SILENCE},
                        )
                        client = Client(self._cluster, set_as_default=False)  # type: ignore[no-untyped-call]
                except Exception as error:
                    self._close_cluster()
                    faults.in_vain(f"its workers do not start ({type(error).__name__})")
                else:
                    self._open = meanwhile.pop_all()
                    return client

    def _close_cluster(self) -> None:
        cluster, self._cluster = self._cluster, None
        if cluster is None:
            return
        for nanny in list(cluster.workers.values()):
            # Asked to close, a worker waits for its job; nobody wants that any more.
            with contextlib.suppress(Exception):
                nanny.auto_restart = False
                nanny.process.process._process.kill()
        with contextlib.suppress(Exception):
            cluster.close(timeout=5)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's log from the terminal: what matters of it is said in one line."""
    import distributed  # and with it its loggers

    known = logging.root.manager.loggerDict
    names = [name for name in known if name.startswith(distributed.__name__)]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # What the loop says of Dask's own tasks that were cut off with a connection.
    logging.getLogger("asyncio").addFilter(_is_not_of_dask)
    try:
        yield
    finally:
        logging.getLogger("asyncio").removeFilter(_is_not_of_dask)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _is_not_of_dask(record: logging.LogRecord) -> bool:
    return "distributed" not in record.getMessage()
