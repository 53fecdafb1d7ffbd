"""The experiment runner against a bare joblib loop doing the same fits and scores.

Ratios in one run, the two taking turns: many small fits with the store on, of a class that workers
import and of one that is defined in the script; long fits; two workers against one; and going on
with a finished experiment. Wall time is what one waits for; CPU time, of all processes together,
tells more where the machine is shared.

    python benchmarks/run.py [--jobs 10000] [--rounds 3]
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
        plan = make_plan(datasets, algorithms)  # anew, so that its keys are computed anew
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


def going_on(n_jobs: int, rounds: int) -> None:
    """Print how long a finished experiment takes to say so, and to be read."""
    datasets = ["sklearn:iris", "sklearn:wine"]
    algorithms = {f"s{i}": Sleeper(0.0, i) for i in range(n_jobs // 10)}
    plan = make_plan(datasets, algorithms)
    done = execute(plan.jobs[0])
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "e.db") as store:
        store.save_plan(plan)
        for start in range(0, len(plan.jobs), 1000):
            store.save([replace(done, key=job.key) for job in plan.jobs[start : start + 1000]])
        for _ in range(rounds):
            wall, cpu = seconds(lambda: run_plan(make_plan(datasets, algorithms), store))
            read, read_cpu = seconds(read_store, store)
            print(
                f"going on with {plan.n_fits} finished fits: {wall:.2f} s ({cpu:.2f} s CPU); "
                f"reading them: {read:.2f} s ({read_cpu:.2f} s CPU)"
            )


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000, help="how many small jobs")
    parser.add_argument("--rounds", type=int, default=3, help="how many times each")
    given = parser.parse_args()
    two, each = ["sklearn:iris", "sklearn:wine"], range(given.jobs // 10)
    imported = {f"d{i}": DummyClassifier(random_state=i) for i in each}
    against_joblib("small importable", two, imported, given.rounds)
    against_joblib("small __main__", two, {f"s{i}": Sleeper(0.0, i) for i in each}, given.rounds)
    long = {f"s{i}": Sleeper(0.1, i) for i in range(40)}
    against_joblib("long", ["sklearn:iris"], long, given.rounds)
    two_workers(given.rounds)
    going_on(5 * given.jobs, given.rounds)


if __name__ == "__main__":
    main()
