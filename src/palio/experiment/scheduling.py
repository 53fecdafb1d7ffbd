"""Which jobs are left to do, and the loop that does them: each once, whoever else is running."""

from __future__ import annotations

import contextlib
import json
import platform
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from palio.errors import PalioError
from palio.experiment.engines import Engine
from palio.experiment.outcome import Begun, JobOutcome
from palio.experiment.plan import Job
from palio.experiment.store.store import Mark, Store

# --- what is left to do --------------------------------------------------------------------------


class Goal(ABC):
    """Says which jobs are done, by their rows, and writes those that are being done."""

    @abstractmethod
    def done(self, marks: Mapping[str, Mark]) -> set[str]:
        """Return the keys whose rows say all that is asked."""

    @abstractmethod
    def save(self, outcomes: Sequence[JobOutcome]) -> None:
        """Write what came out."""

    def begin(self, jobs: Mapping[str, Job]) -> dict[str, Job]:
        """Return the jobs with what has been done of them, if that can be gone on with."""
        return dict(jobs)

    def keep(self, begun: Begun) -> None:  # noqa: B027 - what is measured anew keeps nothing
        """Write what has been done of jobs that are not at their end."""


class Results(Goal):
    """Every job has a row; where predictions are asked for, a good one has these too."""

    def __init__(self, store: Store, jobs: Iterable[Job]) -> None:
        self._store = store
        # Only what classifiers say is kept.
        self._predicting = {
            job.key for job in jobs if job.predictions and job.dataset.task == "classification"
        }

    def done(self, marks: Mapping[str, Mark]) -> set[str]:
        """Return the keys that have a row, with predictions where they are asked for."""
        bare = {key for key in self._predicting & marks.keys() if marks[key].status == "ok"}
        return set(marks) - (bare - self._store.predicted(bare))

    def save(self, outcomes: Sequence[JobOutcome]) -> None:
        """Write rows."""
        self._store.save(outcomes)

    def begin(self, jobs: Mapping[str, Job]) -> dict[str, Job]:
        """Return the jobs with the folds that an interrupted run has left of them."""
        begun = self._store.begun(jobs)
        return {
            key: job.but(begun=tuple(begun[key])) if key in begun else job
            for key, job in jobs.items()
        }

    def keep(self, begun: Begun) -> None:
        """Write folds beside the rows, until their jobs have one."""
        self._store.save_begun(begun)


class Costs(Goal):
    """Every row that ended well has costs measured on this machine, with nothing beside.

    Only the costs are written, never the scores; ``changed`` counts the jobs whose scores came out
    otherwise this time.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.changed = 0

    def done(self, marks: Mapping[str, Mark]) -> set[str]:
        """Return the keys that were measured so, or did not end well and have no costs."""
        return {key for key, mark in marks.items() if mark.status != "ok" or _measured_here(mark)}

    def save(self, outcomes: Sequence[JobOutcome]) -> None:
        """Write the costs of what ended well this time too."""
        good = [outcome for outcome in outcomes if outcome.status == "ok"]
        scores = self._store.scores(outcome.key for outcome in good)
        self.changed += sum(
            scores.get(outcome.key) != {fold.fold: dict(fold.scores) for fold in outcome.folds}
            for outcome in good
        )
        self._store.save_costs(
            [replace(o, machine={**o.machine, "exclusive": "yes"}) for o in good]
        )


def _measured_here(mark: Mark) -> bool:
    machine: dict[str, str] = json.loads(mark.machine)
    return machine.get("exclusive") == "yes" and machine.get("host") == platform.node()


# --- the run loop --------------------------------------------------------------------------------

# How often to look at what others have, when nothing else is left.
_PATIENCE_SECONDS = 1.0
# So often it is told which jobs are under way.
_TELL_SECONDS = 0.5
# So many jobs at once are looked at: has someone done them?
_LOOK_AHEAD = 256

Tell = Callable[[str, JobOutcome | Mark], object]


def tried_first(jobs: Mapping[str, Job], begun: Iterable[tuple[str, str]]) -> dict[str, Job]:
    """Put one job of each learner on each data set before the others, where none has ended.

    So it shows early what fails, and how long all of it will take. ``begun`` are the learners and
    data sets of which a job has ended. From the smallest data set to the largest, one after the
    other, so that many are complete when a run is broken off.
    """
    small_first = dict(sorted(jobs.items(), key=lambda item: item[1].dataset.X.size))
    seen = set(begun)
    first: dict[str, Job] = {}
    for key, job in small_first.items():
        pair = (job.algorithm, job.dataset.name)
        if pair not in seen:
            seen.add(pair)
            first[key] = job
    return {**first, **small_first}


class Share:
    """Our share of the jobs: those that no one else has, as they are asked for.

    Parameters
    ----------
    store, goal
        Where results are, and which of them are enough.
    again
        Jobs to do although they have a row: these rows, so that a newer one is told from them.
    tell
        Called for each job that has been done, with its key and its outcome, or, if someone else
        did it, its mark.
    """

    def __init__(self, store: Store, goal: Goal, again: Mapping[str, Mark], tell: Tell) -> None:
        self._store, self._goal, self._again, self._tell = store, goal, again, tell
        self._elsewhere: dict[str, Job] = {}
        self._seconds = 1.0  # of a job, as it has been of late

    def run(self, engine: Engine, jobs: Mapping[str, Job]) -> None:
        """Run jobs until all of them are done, by us or by others."""
        left = self._goal.begin(jobs)
        while left:
            with Writer(self._save) as writer, self._keeping(engine), self._telling(engine):
                outcomes = engine.run(self._ours(list(left.values())))
                with contextlib.closing(outcomes):  # type: ignore[type-var]  # it is a generator
                    for outcome in outcomes:
                        writer.add(outcome)
                        self._seconds += 0.2 * (outcome.seconds - self._seconds)
                        self._tell(outcome.key, outcome)
            left = self._freed()

    @contextlib.contextmanager
    def _keeping(self, engine: Engine) -> Iterator[None]:
        """Keep what is done of the jobs under way when a run is broken off, as by Ctrl-C."""
        try:
            yield
        except BaseException:
            with contextlib.suppress(PalioError):  # the same trouble, perhaps, that broke it off
                self._goal.keep(engine.begun())
            raise

    @contextlib.contextmanager
    def _telling(self, engine: Engine) -> Iterator[None]:
        """Let those who look at the store know what is under way, also while a job is long."""
        over = threading.Event()

        def tell() -> None:
            told: set[str] = set()
            while not over.wait(_TELL_SECONDS):
                keys = set(engine.under_way())
                if keys != told:
                    told = keys
                    self._store.tell_under_way(sorted(keys))

        thread = threading.Thread(target=tell, name="palio-teller", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def done(self, marks: Mapping[str, Mark]) -> set[str]:
        """Return the keys that need no doing, by their rows."""
        return self._goal.done({k: mark for k, mark in marks.items() if mark != self._again.get(k)})

    # --- claiming ----------------------------------------------------------------------------

    def _ours(self, jobs: Sequence[Job]) -> Iterator[Job]:
        """Yield the jobs that no one else has or has done; remember those that someone has."""
        if not self._store.shared:
            yield from jobs
            return
        for start in range(0, len(jobs), _LOOK_AHEAD):
            rest = list(jobs[start : start + _LOOK_AHEAD])
            done = self._done_by_others({job.key: job for job in rest})
            rest = [job for job in rest if job.key not in done]
            while rest:
                # Short jobs are claimed together, long ones singly: so that no one sits on them.
                size = max(1, min(32, int(0.1 / max(self._seconds, 1e-4))))
                batch, rest = rest[:size], rest[size:]
                yield from self._claimed(batch)

    def _claimed(self, batch: Sequence[Job]) -> Iterator[Job]:
        ours = self._store.claim(job.key for job in batch)
        # Only now: whoever had them has written them before letting go of them.
        done = self._done_by_others({job.key: job for job in batch if job.key in ours})
        self._store.release(done)
        for job in batch:
            if job.key not in ours:
                self._elsewhere[job.key] = job
            elif job.key not in done:
                yield job

    def _freed(self) -> dict[str, Job]:
        """Watch what others have, until it is done or, since they died, free."""
        while self._elsewhere:
            ours = self._store.claim(self._elsewhere)
            free = ours - self._done_by_others(self._elsewhere)
            self._store.release(ours)  # to be claimed again one by one, for others look too
            if free:
                return {key: self._elsewhere.pop(key) for key in free}
            if self._elsewhere:
                time.sleep(_PATIENCE_SECONDS)
        return {}

    def _done_by_others(self, jobs: Mapping[str, Job]) -> set[str]:
        marks = self._store.marks(jobs)
        done = self.done(marks)
        for key in done:
            self._elsewhere.pop(key, None)
            self._tell(key, marks[key])
        return done

    def _save(self, batch: Sequence[JobOutcome]) -> None:
        self._goal.save(batch)
        self._store.release(outcome.key for outcome in batch)


# --- writing what is finished while the next is running ------------------------------------------


# What finished within so many seconds is written together; nothing waits longer.
_BATCH_SECONDS = 0.25


class Writer:
    """Hands outcomes to ``save``, several together where they come fast.

    In a thread of its own, so that a short job is not held back until the long one after it ends.
    An error is raised by the next `add`, or at the end.
    """

    def __init__(self, save: Callable[[Sequence[JobOutcome]], object]) -> None:
        self._save = save
        self._batch: list[JobOutcome] = []
        self._error: Exception | None = None
        self._change = threading.Condition()
        self._over = False
        self._thread = threading.Thread(target=self._write, name="palio-writer", daemon=True)

    def add(self, outcome: JobOutcome) -> None:
        """Have an outcome written soon."""
        with self._change:
            self._batch.append(outcome)
            if self._error is not None:
                raise self._error
            if len(self._batch) == 1:
                self._change.notify()

    def __enter__(self) -> Writer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Write the rest, also on Ctrl-C: what is finished is kept."""
        with self._change:
            self._over = True
            self._change.notify()
        self._thread.join()
        self._save(self._batch)  # what the thread could not write is tried once more

    def _write(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._batch or self._over)
                # More may come meanwhile; at the end there is nothing to wait for.
                self._change.wait_for(lambda: self._over, timeout=_BATCH_SECONDS)
                if self._over:
                    return
                batch = list(self._batch)
            try:
                self._save(batch)
            except Exception as error:
                self._error = error
                return
            with self._change:
                del self._batch[: len(batch)]
