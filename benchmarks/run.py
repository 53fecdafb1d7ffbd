"""The experiment runner against a bare joblib loop doing the same fits and scores.

Ratios in one run, the two taking turns: many small fits with the store on, of a class that workers
import and of one that is defined in the script; long fits; two workers against one; and going on
with a finished experiment. Wall time is what one waits for; CPU time, of all processes together,
tells more where the machine is shared.

    python benchmarks/run.py [--jobs 10000] [--rounds 3]
    python benchmarks/run.py --only-scale --scale 1000000 --folds 2
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib  # type: ignore[import-untyped]
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone  # type: ignore[import-untyped]
from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
from sklearn.metrics import get_scorer  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]

from palio.experiment.data.preprocessing import preprocessor
from palio.experiment.engines import EngineOptions
from palio.experiment.plan import Job, Plan, make_plan
from palio.experiment.runner import read_store, run_plan
from palio.experiment.status import status_of
from palio.experiment.store.store import Store
from palio.experiment.work import execute


class Sleeper(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fit of a known length, which shares no core with anybody."""

    def __init__(self, seconds: float = 0.1, number: int = 0) -> None:
        self.seconds = seconds
        self.number = number

    def fit(self, X: Any, y: Any) -> Sleeper:  # noqa: ARG002 - as scikit-learn calls it
        """Sleep."""
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        """Predict one class."""
        return np.repeat(self.classes_[:1], len(X))


def bare(job: Job) -> list[float]:
    """Do a job's fits, predictions and scores, and nothing else."""
    warnings.simplefilter("ignore")
    scores = []
    for split in job.splits:
        model = make_pipeline(preprocessor(job.dataset), clone(job.estimator))
        X, y = job.dataset.X, job.dataset.y
        model.fit(X.iloc[split.train], y[split.train])
        model.predict(X.iloc[split.test])
        scores.append(float(get_scorer("accuracy")(model, X.iloc[split.test], y[split.test])))
    return scores


def with_palio(plan: Plan, n_jobs: int = 2) -> None:
    """Run a plan with a new store."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "e.db") as store:
        run_plan(plan, store, EngineOptions(n_jobs=n_jobs))


def with_joblib(plan: Plan, n_jobs: int = 2) -> None:
    """Run the bare loop, with workers started anew and ended as ours are."""
    from joblib.externals.loky import get_reusable_executor  # type: ignore[import-untyped]

    joblib.Parallel(n_jobs=n_jobs)(joblib.delayed(bare)(job) for job in plan.jobs)
    get_reusable_executor().shutdown(wait=True)


def seconds(work: Callable[..., object], *arguments: Any) -> tuple[float, float]:
    """Return the wall time, and the CPU time of this process and those it ended."""
    start, before = time.perf_counter(), _cpu()
    work(*arguments)
    return time.perf_counter() - start, _cpu() - before


def _cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def against_joblib(
    what: str, datasets: Sequence[str], algorithms: Mapping[str, Any], rounds: int
) -> None:
    """Print how long a plan takes, with Palio and with joblib, in turns."""
    ratios = []
    for _ in range(rounds):
        # Anew, so that its keys are computed anew; prepared as the bare loop does.
        plan = make_plan(datasets, algorithms, prepare="standard")
        ours, theirs = seconds(with_palio, plan), seconds(with_joblib, plan)
        ratios.append((ours[0] / theirs[0], ours[1] / theirs[1]))
        print(
            f"{len(plan.jobs)} {what} jobs: palio {ours[0]:.2f} s ({ours[1]:.2f} s CPU), "
            f"joblib {theirs[0]:.2f} s ({theirs[1]:.2f} s CPU), {ratios[-1][0]:.2f}×"
        )
    wall, cpu = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(f"  median: {wall:.2f}× wall time, {cpu:.2f}× CPU time")


def two_workers(rounds: int) -> None:
    """Print how much faster two workers are than one."""
    plan = make_plan(["sklearn:iris"], {f"s{i}": Sleeper(0.1, i) for i in range(40)})
    gains = []
    for _ in range(rounds):
        two, one = (seconds(with_palio, plan, n_jobs)[0] for n_jobs in (2, 1))
        gains.append(one / two)
    print(f"two workers against one: {statistics.median(gains):.2f} times as fast")


def at_scale(n_jobs: int, folds: int, fitted: int) -> None:
    """Print what a large experiment takes: planned, run, stored, gone on with, told of and read.

    The fits are trivial; of the jobs that are not fitted what another took is stored.
    """
    learners = {f"d{i}": DummyClassifier(random_state=i) for i in range(n_jobs // 10)}
    sets, plans = ["sklearn:iris", "sklearn:wine"], list[Plan]()
    resampling = f"5x{folds}"

    def make() -> None:
        plans[:] = [make_plan(sets, learners, resampling=resampling)]
        _ = [job.key for job in plans[0].jobs]

    def report(what: str, work: Callable[..., object], *arguments: Any) -> None:
        wall, cpu = seconds(work, *arguments)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  {what}: {wall:.1f} s ({cpu:.1f} s CPU), at most {memory:,.0f} MB so far")

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "e.db") as store:
        report("planned", make)
        (plan,) = plans
        print(f"{len(plan.jobs):,} jobs with {plan.n_fits:,} fits")
        first = {job.key for job in plan.jobs[:fitted]}
        report(f"the first {len(first):,} run", lambda: run_plan(plan, store, only=first))
        done = execute(plan.jobs[0])

        def fill() -> None:
            rest = plan.jobs[len(first) :]
            for start in range(0, len(rest), 1000):
                store.save([replace(done, key=job.key) for job in rest[start : start + 1000]])

        report("the others stored", fill)
        report("gone on with, nothing left", lambda: run_plan(plan, store))
        report("status", status_of, store)
        report("read", read_store, store)


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000, help="how many small jobs")
    parser.add_argument("--rounds", type=int, default=3, help="how many times each")
    parser.add_argument("--scale", type=int, default=100_000, help="how many jobs in one store")
    parser.add_argument("--folds", type=int, default=10, help="folds of each of these jobs")
    parser.add_argument("--fitted", type=int, default=2000, help="how many of these are fitted")
    parser.add_argument("--only-scale", action="store_true", help="nothing else")
    given = parser.parse_args()
    if given.only_scale:
        at_scale(given.scale, given.folds, given.fitted)
        return
    two, each = ["sklearn:iris", "sklearn:wine"], range(given.jobs // 10)
    imported = {f"d{i}": DummyClassifier(random_state=i) for i in each}
    against_joblib("small importable", two, imported, given.rounds)
    against_joblib("small __main__", two, {f"s{i}": Sleeper(0.0, i) for i in each}, given.rounds)
    long = {f"s{i}": Sleeper(0.1, i) for i in range(40)}
    against_joblib("long", ["sklearn:iris"], long, given.rounds)
    two_workers(given.rounds)
    at_scale(given.scale, given.folds, given.fitted)


if __name__ == "__main__":
    main()
