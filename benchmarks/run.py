"""The experiment runner against a bare joblib loop doing the same fits and scores.

Wall time, ratios in one run: many small fits with the store on; long fits; two workers against
one; and going on with a finished experiment.

    python benchmarks/run.py [--jobs 2000]
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import joblib  # type: ignore[import-untyped]
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone  # type: ignore[import-untyped]
from sklearn.metrics import get_scorer  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]

from palio.experiment.plan import Job, Plan, make_plan
from palio.experiment.preprocessing import preprocessor
from palio.experiment.runner import run_plan
from palio.experiment.store import Store


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
    """Do a job's fits and scores, and nothing else."""
    warnings.simplefilter("ignore")
    scores = []
    for split in job.splits:
        model = make_pipeline(preprocessor(job.dataset), clone(job.estimator))
        X, y = job.dataset.X, job.dataset.y
        model.fit(X.iloc[split.train], y[split.train])
        model.predict(X.iloc[split.test])
        scores.append(float(get_scorer("accuracy")(model, X.iloc[split.test], y[split.test])))
    return scores


def palio_seconds(plan: Plan, n_jobs: int) -> float:
    """Time a run with a new store."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "e.db") as store:
        start = time.perf_counter()
        run_plan(plan, store, engine="local", n_jobs=n_jobs)
        return time.perf_counter() - start


def joblib_seconds(plan: Plan, n_jobs: int) -> float:
    """Time the bare loop, workers started anew as ours are."""
    from joblib.externals.loky import get_reusable_executor  # type: ignore[import-untyped]

    get_reusable_executor().shutdown(wait=True)
    start = time.perf_counter()
    joblib.Parallel(n_jobs=n_jobs)(joblib.delayed(bare)(job) for job in plan.jobs)
    return time.perf_counter() - start


def report(what: str, plan: Plan, ours: float, theirs: float) -> None:
    """Print one line."""
    print(
        f"{len(plan.jobs)} {what} jobs: palio {ours:.2f} s, joblib {theirs:.2f} s, "
        f"{ours / theirs:.2f}×"
    )


def main() -> None:
    """Print the ratios."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--jobs", type=int, default=2000, help="how many small jobs")
    small = arguments.parse_args().jobs
    algorithms = {f"s{i}": Sleeper(0.0, i) for i in range(small // 10)}
    plan = make_plan(["sklearn:iris", "sklearn:wine"], algorithms)
    ours, theirs = palio_seconds(plan, 2), joblib_seconds(plan, 2)
    report("small", plan, ours, theirs)
    plan = make_plan(["sklearn:iris"], {f"s{i}": Sleeper(0.1, i) for i in range(40)})
    ours, theirs = palio_seconds(plan, 2), joblib_seconds(plan, 2)
    report("long", plan, ours, theirs)
    alone = palio_seconds(plan, 1)
    print(f"two workers against one: {alone / ours:.2f} times as fast")
    plan = make_plan(["sklearn:iris"], {f"s{i}": Sleeper(0.0, i) for i in range(2000)})
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "e.db") as store:
        run_plan(plan, store, engine="local", n_jobs=2)
        start = time.perf_counter()
        run_plan(plan, store, engine="local", n_jobs=2)
        print(f"going on with {plan.n_fits} finished fits: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
