"""Trials as jobs: each algorithm on the new data set, in a store that grows as they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import InputError, Option, ParameterError
from palio.experiment.engines import ENGINES
from palio.recommending.result import Recommendation
from palio.words import one_line

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset
    from palio.experiment.plan import Job
    from palio.experiment.store.store import Store

# A job that ran into a limit is tried again where clearly more is left than it had.
_MORE = 1.5
# Rows of the last resort of a budget.
_FEW_ROWS = 500


def jobs_of(
    recommendation: Recommendation,
    dataset: Dataset,
    estimators: Mapping[str, Any],
    scorer: str,
    seed: int,
    reasons: Mapping[str, str],
) -> tuple[dict[str, Job], dict[str, str]]:
    """Make one job per algorithm, and say why the others cannot be made."""
    from palio.experiment.plan import make_plan

    jobs, unmade = {}, {}
    for name in recommendation.order:
        if name not in estimators:
            unmade[name] = reasons.get(name, "no estimator of this name is known")
            continue
        try:
            plan = make_plan(
                [dataset],
                {name: estimators[name]},
                prepare="standard",  # whatever the new data are, most learners must take them
                resampling=f"{recommendation.folds}-fold",
                scoring=scorer,
                seed=seed,
            )
        except InputError as error:
            unmade[name] = one_line(error)
            continue
        (jobs[name],) = plan.jobs
    if not jobs:
        name, why = next(iter(unmade.items()))
        raise ParameterError(
            "estimators",
            f"none of the {len(unmade)} algorithms can be made ({name}: {why})",
            remedy=f"say what they are with {Option('estimators', f'{name}=package.module:Class')}",
        )
    return jobs, unmade


def a_few_rows(dataset: Dataset) -> Dataset:
    """Return a sample that nearly every learner can be tried on in a moment."""
    from palio.experiment.resampling import proportional_rows

    if dataset.n_rows <= _FEW_ROWS:
        return dataset
    few = dataset.take(proportional_rows(dataset, _FEW_ROWS))
    return replace(few, name=f"{dataset.name} ({_FEW_ROWS} rows)")


class Trier:
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

    def run(self, job: Job, seconds: float | None, since: float | None) -> dict[str, Any]:
        """Run a job unless the store has it, and return how it ended and what it scored.

        The seconds that it may take count from ``since``, a moment of `time.monotonic`, or else
        from its beginning.
        """
        from palio.experiment.engines import EngineOptions
        from palio.experiment.plan import Plan
        from palio.experiment.runner import run_plan

        again = self._worth_more(job, seconds)
        # What is only read may have taken more than is left now.
        limited = ENGINES[self._engine].limits and (again or not self.known(job))
        self._jobs[job.algorithm] = job
        run_plan(
            Plan(tuple(self._jobs.values()), "trials"),
            self._store,
            EngineOptions(self._engine, 1, time_limit=seconds, since=since)
            if limited and seconds is not None
            else EngineOptions(self._engine, 1),
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
