"""Jobs shared out among those who run at the same time: each is done once, and all are done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from palio.experiment.engines import Engine
from palio.experiment.goals import Goal
from palio.experiment.outcome import JobOutcome
from palio.experiment.plan import Job
from palio.experiment.store import Mark, Store
from palio.experiment.writing import Writer

__all__ = ["Share"]

# How often to look at what others have, when nothing else is left.
_PATIENCE_SECONDS = 1.0
# So many jobs at once are looked at: has someone done them?
_LOOK_AHEAD = 256

Tell = Callable[[str, str, JobOutcome | None], object]


class Share:
    """Our share of the jobs: those that no one else has, as they are asked for.

    Parameters
    ----------
    store, goal
        Where results are, and which of them are enough.
    again
        Jobs to do although they have a row: these rows, so that a newer one is told from them.
    tell
        Called for each job that has been done, with its key, its status and, if it was done by us,
        its outcome.
    """

    def __init__(self, store: Store, goal: Goal, again: Mapping[str, Mark], tell: Tell) -> None:
        self._store, self._goal, self._again, self._tell = store, goal, again, tell
        self._elsewhere: dict[str, Job] = {}
        self._seconds = 1.0  # of a job, as it has been of late

    def run(self, engine: Engine, jobs: Mapping[str, Job]) -> None:
        """Run jobs until all of them are done, by us or by others."""
        left = dict(jobs)
        while left:
            ours = self._ours(list(left.values()))
            with Writer(self._save) as writer:
                for outcome in engine.run(ours):
                    writer.add(outcome)
                    self._seconds += 0.2 * (outcome.seconds - self._seconds)
                    self._tell(outcome.key, outcome.status, outcome)
            left = self._freed()

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
            self._tell(key, marks[key].status, None)
        return done

    def _save(self, batch: Sequence[JobOutcome]) -> None:
        self._goal.save(batch)
        self._store.release(outcome.key for outcome in batch)
