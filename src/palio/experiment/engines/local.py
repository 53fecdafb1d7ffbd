"""Jobs in worker processes that live on between jobs, and are replaced when they are lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from palio.errors import EngineError, require
from palio.experiment.engines.crew import Crew, Task
from palio.experiment.engines.faults import Faults, ended_row, lost_row
from palio.experiment.engines.folders import run_folder
from palio.experiment.engines.parcels import Depot, pack
from palio.experiment.engines.workers import (
    Began,
    Ended,
    Fold,
    LostError,
    Over,
    Said,
    Spoiled,
    Worker,
)
from palio.experiment.outcome import Begun, DoneFold, JobOutcome
from palio.experiment.plan import Job
from palio.extras import need


class LocalEngine:
    """Worker processes with limits: a job over its time or memory ends as a row, like any other."""

    def __init__(
        self, n_jobs: int, *, time_limit: float | None = None, memory_limit: int | None = None
    ) -> None:
        require(n_jobs >= 1, "n_jobs", "at least one worker is needed", n_jobs)
        for name, limit in (("time_limit", time_limit), ("memory_limit", memory_limit)):
            require(limit is None or limit > 0, name, "a limit is positive", limit)
        self.n_jobs, self.time_limit, self.memory_limit = n_jobs, time_limit, memory_limit
        self._begun: Begun = {}
        self._run: _Run | None = None

    def run(self, jobs: Iterable[Job]) -> Iterator[JobOutcome]:
        """Yield one outcome per job as it finishes; a few jobs wait ahead, never all of them."""
        need("run", "engine")
        with run_folder() as folder:
            make = partial(
                Worker, folder, time_limit=self.time_limit, memory_limit=self.memory_limit
            )
            crew: Crew[_Sent] = Crew(self.n_jobs, make)
            state = self._run = _Run(
                crew, Depot(folder), self.n_jobs, self.time_limit, self.memory_limit
            )
            try:
                yield from state.run(iter(jobs))
            finally:
                for sent, said in crew.stop():
                    if isinstance(said, Fold | Ended):
                        state.hear(sent, said)
                self._begun, self._run = state.begun, None

    def begun(self) -> Begun:
        """Return the folds done of the jobs that workers had."""
        return self._begun

    def under_way(self) -> Collection[str]:
        """Return what workers have said to begin, and not to have ended."""
        run = self._run
        return [] if run is None else run.under_way()


@dataclass(eq=False)
class _Sent:
    """Jobs that were sent together, and which of them have not ended."""

    jobs: tuple[Job, ...]
    left: dict[int, Job] = field(init=False)
    now: int | None = None  # the one under way

    def __post_init__(self) -> None:
        self.left = dict(enumerate(self.jobs))


class _Run:
    """One run of the engine: what is sent, what came of it, and what is to be tried again."""

    def __init__(
        self,
        crew: Crew[_Sent],
        depot: Depot,
        n_jobs: int,
        time_limit: float | None,
        memory_limit: int | None,
    ) -> None:
        self._crew, self._depot, self._n_jobs = crew, depot, n_jobs
        self._time_limit, self._memory_limit = time_limit, memory_limit
        self._pace = _Pace()
        self._faults = Faults("local", n_jobs)
        self._waiting: set[_Sent] = set()
        self._alone: list[Job] = []
        self.begun: dict[str, list[DoneFold]] = {}

    def run(self, jobs: Iterator[Job]) -> Iterator[JobOutcome]:
        """Send jobs until all have ended; the suspect at last, one by one."""
        self._fill(jobs)
        while self._waiting or self._alone:
            if not self._waiting:
                self._send([self._alone.pop()], fresh=True)
            sent, said = self._crew.hear()
            outcomes = self.hear(sent, said)
            self._fill(jobs)
            yield from outcomes

    def _fill(self, jobs: Iterator[Job]) -> None:
        # Two ahead per worker keeps them busy and the memory small.
        while len(self._waiting) < 3 * self._n_jobs and (
            batch := [*islice(jobs, self._pace.batch)]
        ):
            self._send(batch)

    def _send(self, jobs: Iterable[Job], *, fresh: bool = False) -> None:
        # What an earlier try has done of a job need not be done again.
        sent = _Sent(
            tuple(
                job.but(begun=(*job.begun, *folds)) if (folds := self.begun.get(job.key)) else job
                for job in jobs
            )
        )
        try:
            parcel = pack(sent.jobs, self._depot.name)
        except OSError as error:
            why = f"'local' cannot write to {self._depot.folder}: {error.strerror or error}"
            raise EngineError("engine", why) from error
        self._waiting.add(sent)
        self._crew.give(Task(sent, parcel, fresh))

    # --- what comes of it --------------------------------------------------------------------

    def hear(self, sent: _Sent, said: Said | Over | LostError) -> list[JobOutcome]:
        """Take in what a worker said, or how it was lost; return the jobs that have ended."""
        match said:
            case Fold(place, done):
                self.begun.setdefault(sent.left[place].key, []).append(done)
            case Ended(place, outcome):
                return [self._ended(sent, place, outcome)]
            case Over():
                self._waiting.discard(sent)
            case Spoiled():
                return self._spoiled(sent, said)
            case LostError():
                self._waiting.discard(sent)
                return self._lost(sent, said)
            case Began(place):
                sent.now = place
        return []

    def under_way(self) -> list[str]:
        """Return the keys of the jobs that run at the moment."""
        running = [(sent.left, sent.now) for sent in list(self._waiting) if sent.now is not None]
        return [job.key for left, now in running if (job := left.get(now)) is not None]

    def _ended(self, sent: _Sent, place: int, outcome: JobOutcome) -> JobOutcome:
        job = sent.left.pop(place)
        self.begun.pop(job.key, None)
        self._pace.learn(outcome)
        self._faults.ended()
        return outcome

    def _spoiled(self, sent: _Sent, said: Spoiled) -> list[JobOutcome]:
        """Send what has vanished anew; of what cannot be unpacked, each job by itself tells."""
        if said.swept:
            self._faults.in_vain(f"{said.error}")
            self._send(sent.left.values())
        elif len(sent.left) > 1:
            for job in sent.left.values():
                self._send([job])
        else:
            ((place, job),) = sent.left.items()
            return [self._ended(sent, place, ended_row(job.key, "failed", said.error))]
        return []

    def _lost(self, sent: _Sent, lost: LostError) -> list[JobOutcome]:
        """Try again what a worker took along; only the job that was under way may be at fault."""
        place = lost.place
        if place is None:
            self._faults.in_vain(str(lost))
        elif place < 0:  # lost in unpacking: it is the job's if there is but one
            if len(sent.left) > 1:
                for job in sent.left.values():
                    self._send([job])
                return []
            (place,) = sent.left
        outcomes = [] if place is None else self._blamed(sent, place, lost)
        if sent.left:
            self._send(sent.left.values())
        return outcomes

    def _blamed(self, sent: _Sent, place: int, lost: LostError) -> list[JobOutcome]:
        job = sent.left[place]
        row = lost.row(job.key, self._time_limit, self._memory_limit)
        if row is not None:
            return [self._ended(sent, place, row)]
        then = self._faults.lost(job.key)
        if then == "over":
            return [self._ended(sent, place, lost_row(job.key, str(lost)))]
        del sent.left[place]
        if then == "alone":
            self._alone.append(job)
        else:
            self._send([job])
        return []


@dataclass
class _Pace:
    """How many jobs to send together: short ones go in batches, so that sending costs little."""

    batch: int = 1
    seconds: float = 1.0  # of a job, as it has been of late

    def learn(self, outcome: JobOutcome) -> None:
        """Look at how long jobs take; aim at a quarter of a second together."""
        self.seconds += 0.2 * (outcome.seconds - self.seconds)
        self.batch = max(1, min(64, int(0.25 / max(self.seconds, 1e-4))))
