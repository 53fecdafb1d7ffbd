"""Where trials are made: one after another, each result kept in a store at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from palio.experiment.plan import Job
    from palio.experiment.store.store import Store

__all__ = ["Bench"]

# A job that ran into a limit is tried again where clearly more is left than it had.
_MORE = 1.01


class Bench:
    """Makes trials: each is a job of one plan in the store, which grows as they come.

    ``jobs`` are all that may come; those that the store has are in the plan from the beginning.
    """

    def __init__(
        self, store: Store, jobs: Iterable[Job], *, plan: str, scorer: str, engine: str
    ) -> None:
        self._store, self._plan, self._scorer, self._engine = store, plan, scorer, engine
        self._jobs = {job.algorithm: job for job in jobs if self.known(job)}

    def known(self, job: Job) -> bool:
        """Whether the store has a result of this job."""
        return job.key in self._store.marks([job.key])

    def run(self, job: Job, seconds: float | None) -> dict[str, Any]:
        """Run a job unless the store has it, and return how it ended and what it scored."""
        from palio.experiment.engines import Limits
        from palio.experiment.plan import Plan
        from palio.experiment.runner import run_plan

        again = self._worth_more(job, seconds)
        # What is only read may have taken more than is left now.
        limited = self._engine == "local" and (again or not self.known(job))
        self._jobs[job.algorithm] = job
        run_plan(
            Plan(tuple(self._jobs.values()), "trials"),
            self._store,
            engine=self._engine,
            n_jobs=1,
            limits=Limits(seconds if limited else None),
            again=[job.key] if again else [],
            name=self._plan,
        )
        (row,) = [row for row in self._store.jobs(self._plan) if row["algorithm"] == job.algorithm]
        scores = self._store.scores([job.key]).get(job.key, {})
        values = [fold[self._scorer] for fold in scores.values()]
        return {**row, "score": float(np.mean(values)) if values else None}

    def _worth_more(self, job: Job, seconds: float | None) -> bool:
        """Whether a job was ended by a limit that is higher now."""
        for row in self._store.jobs(self._plan) if self._plan in self._store.plans() else []:
            if row["key"] == job.key and row["status"] == "timeout":
                return seconds is None or seconds > _MORE * row["seconds"]
        return False
