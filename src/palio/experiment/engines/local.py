"""Jobs in worker processes that live on between jobs, and are replaced when they are lost."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue

from palio.errors import EngineError
from palio.experiment.engines import Engine, Limits
from palio.experiment.engines.batch import Depot, pack
from palio.experiment.engines.folders import run_folder
from palio.experiment.engines.workers import (
    Began,
    Ended,
    Faults,
    Fold,
    LostError,
    Over,
    Said,
    Spoiled,
    Worker,
    ended_row,
    lost_row,
)
from palio.experiment.outcome import Begun, DoneFold, JobOutcome
from palio.experiment.plan import Job
from palio.extras import need

# After a worker that could not start the next waits, twice as long each time.
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
_LOOK_SECONDS = 1.0


class LocalEngine(Engine):
    """Worker processes with limits: a job over its time or memory ends as a row, like any other.

    Each job has a process to itself if it is ``isolated``; else a process that a job left as it
    was found runs others.
    """

    def __init__(
        self, n_jobs: int, *, limits: Limits | None = None, isolated: bool = False
    ) -> None:
        self.n_jobs, self.limits, self.isolated = n_jobs, limits or Limits(), isolated
        self._run: _Run | None = None

    def run(self, jobs: Iterable[Job]) -> Iterator[JobOutcome]:
        """Yield one outcome per job as it finishes; a few jobs wait ahead, never all of them."""
        need("run", "engine")
        with run_folder() as folder:
            run = self._run = _Run(self, folder)
            try:
                yield from run.run(iter(jobs))
            finally:
                run.stop()

    def begun(self) -> Begun:
        """Return the folds done of the jobs that workers had."""
        return {} if self._run is None else self._run.begun

    def under_way(self) -> Collection[str]:
        """Return what workers have said to begin, and not to have ended."""
        return [] if self._run is None else self._run.under_way()


@dataclass(eq=False)
class _Batch:
    """Jobs that were sent together, and which of them, by place, have not ended."""

    left: dict[int, Job]
    packed: bytes
    fresh: bool  # for a worker that has run nothing
    now: int | None = None  # the one under way
    divided: bool = False  # whether what is left is sent one by one


class _Run:
    """One run of the engine: what is sent, what came of it, and what is to be tried again."""

    def __init__(self, engine: LocalEngine, folder: Path) -> None:
        self._n_jobs, self._limits, self._isolated = engine.n_jobs, engine.limits, engine.isolated
        self._workers = _Workers(engine.n_jobs, folder, engine.limits)
        self._depot = Depot(folder)
        self._size, self._seconds = 1, 1.0  # of a batch; of a job, as it has been of late
        self._faults = Faults("local", engine.n_jobs)
        self._waiting: set[_Batch] = set()
        self._alone: list[Job] = []
        self.begun: dict[str, list[DoneFold]] = {}

    def run(self, jobs: Iterator[Job]) -> Iterator[JobOutcome]:
        """Send jobs until all have ended; the suspect at last, one by one."""
        self._fill(jobs)
        while self._waiting or self._alone:
            if not self._waiting:
                self._send([self._alone.pop()], fresh=True)
            outcomes = self._hear(*self._workers.hear())
            self._fill(jobs)
            yield from outcomes

    def stop(self) -> None:
        """End all workers, and take note of the folds that they had still done."""
        for batch, said in self._workers.stop():
            if isinstance(said, Fold | Ended):
                self._hear(batch, said)
        self._waiting.clear()

    def under_way(self) -> list[str]:
        """Return the keys of the jobs that run at the moment."""
        running = [(batch.left, batch.now) for batch in list(self._waiting)]
        return [job.key for left, now in running if now is not None and (job := left.get(now))]

    def _fill(self, jobs: Iterator[Job]) -> None:
        # Two ahead per worker keeps them busy and the memory small.
        size = 1 if self._isolated else self._size
        while len(self._waiting) < 3 * self._n_jobs and (batch := [*islice(jobs, size)]):
            self._send(batch)

    def _send(self, jobs: Iterable[Job], *, fresh: bool = False) -> None:
        # What an earlier try has done of a job need not be done again.
        sent = [
            job.but(begun=(*job.begun, *folds)) if (folds := self.begun.get(job.key)) else job
            for job in jobs
        ]
        try:
            packed = pack(sent, self._depot.name)
        except OSError as error:
            why = f"'local' cannot write to {self._depot.folder}: {error.strerror or error}"
            raise EngineError("engine", why) from error
        batch = _Batch(dict(enumerate(sent)), packed, fresh or self._isolated)
        self._waiting.add(batch)
        self._workers.batches.put(batch)

    # --- what comes of it --------------------------------------------------------------------

    def _hear(self, batch: _Batch, said: Said | LostError) -> list[JobOutcome]:
        """Take in what a worker said, or how it was lost; return the jobs that have ended."""
        match said:
            case Fold(place, done) if place in batch.left:
                self.begun.setdefault(batch.left[place].key, []).append(done)
            case Ended(place, outcome) if place in batch.left:
                return [self._ended(batch, place, outcome)]
            case Spoiled():
                return self._spoiled(batch, said)
            case LostError():
                return self._lost(batch, said)
            case Began(place):
                batch.now = place
            case Over():
                self._over(batch)
        return []

    def _over(self, batch: _Batch) -> None:
        """Send what is left of a batch anew."""
        self._waiting.discard(batch)
        left = list(batch.left.values())
        for jobs in [[job] for job in left] if batch.divided else [left]:
            if jobs:
                self._send(jobs)

    def _ended(self, batch: _Batch, place: int, outcome: JobOutcome) -> JobOutcome:
        job = batch.left.pop(place)
        self.begun.pop(job.key, None)
        # Short ones go together, so that sending costs little: a quarter of a second's.
        self._seconds += 0.2 * (outcome.seconds - self._seconds)
        self._size = max(1, min(64, int(0.25 / max(self._seconds, 1e-4))))
        self._faults.ended()
        return outcome

    def _spoiled(self, batch: _Batch, said: Spoiled) -> list[JobOutcome]:
        """Fetch what has vanished anew; of what cannot be unpacked, each job by itself tells."""
        if said.swept:
            self._faults.in_vain(said.error)
        elif len(batch.left) == 1:
            ((place, job),) = batch.left.items()
            return [self._ended(batch, place, ended_row(job.key, "failed", said.error))]
        else:
            batch.divided = True
        return []

    def _lost(self, batch: _Batch, lost: LostError) -> list[JobOutcome]:
        """Try again what a worker took along; only the job that was under way may be at fault."""
        place, outcomes = lost.place, []
        if place is None:
            self._faults.in_vain(str(lost))
        elif place < 0 and len(batch.left) > 1:
            batch.divided = True
        else:  # lost in unpacking it is the job's, too, if there is but one
            outcomes = self._blamed(batch, next(iter(batch.left)) if place < 0 else place, lost)
        self._over(batch)
        return outcomes

    def _blamed(self, batch: _Batch, place: int, lost: LostError) -> list[JobOutcome]:
        job = batch.left[place]
        if row := lost.row(job.key, self._limits):
            return [self._ended(batch, place, row)]
        then = self._faults.lost(job.key)
        if then == "over":
            return [self._ended(batch, place, lost_row(job.key, str(lost)))]
        if then == "alone":
            self._alone.append(batch.left.pop(place))
        return []


# --- the workers ---------------------------------------------------------------------------------


class _Workers:
    """So many workers, started when there is work for them; what they say comes in one queue.

    Each has a thread here that talks to it, and replaces it if it is lost, or no longer clean.
    """

    def __init__(self, size: int, folder: Path, limits: Limits) -> None:
        self._folder, self._limits = folder, limits
        self.batches: SimpleQueue[_Batch | None] = SimpleQueue()  # run by whoever is free first
        self._said: SimpleQueue[tuple[_Batch, Said | LostError]] = SimpleQueue()
        self._workers: set[Worker] = set()
        self._changing = threading.Lock()
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._keep, daemon=True) for _ in range(size)]
        for thread in self._threads:
            thread.start()

    def hear(self) -> tuple[_Batch, Said | LostError]:
        """Wait for what is said next, and of what."""
        while True:
            # Not without end: on Windows Ctrl-C would wait, too.
            with contextlib.suppress(Empty):
                return self._said.get(timeout=_LOOK_SECONDS)

    def stop(self) -> Iterator[tuple[_Batch, Said | LostError]]:
        """End all workers; yield what they had still said."""
        with self._changing:
            self._over.set()
            for worker in self._workers:
                worker.kill()
        for _ in self._threads:
            self.batches.put(None)
        for thread in self._threads:
            thread.join()
        while not self._said.empty():
            yield self._said.get()

    def _keep(self) -> None:
        worker: Worker | None = None
        wait = _FIRST_WAIT
        while not self._over.is_set() and (batch := self.batches.get()) is not None:
            try:
                if worker is None or worker.gone.is_set() or batch.fresh:
                    self._dismiss(worker)
                    worker = self._hired()
                for said in worker.run(batch.packed):
                    self._said.put((batch, said))
                wait = _FIRST_WAIT
            except LostError as lost:
                self._said.put((batch, lost))
                if lost.place is None:
                    self._over.wait(wait)
                    wait = min(2 * wait, _LONGEST_WAIT)
        self._dismiss(worker)

    def _hired(self) -> Worker:
        with self._changing:
            if self._over.is_set():
                raise LostError("died", None, None, "the run is over")
            try:
                worker = Worker(self._folder, self._limits)
            except OSError as error:  # no memory, or too many processes, for now
                raise LostError("died", None, None, str(error)) from error
            self._workers.add(worker)
            return worker

    def _dismiss(self, worker: Worker | None) -> None:
        if worker is not None:
            with self._changing:
                self._workers.discard(worker)
            worker.end()
