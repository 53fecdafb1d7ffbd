"""What a worker does: fit, predict, score, and say how it ended."""

from __future__ import annotations

import time
import traceback
import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from palio.experiment import costs
from palio.experiment.datasets import Dataset
from palio.experiment.outcome import FoldOutcome, JobOutcome, Status
from palio.experiment.plan import Job
from palio.experiment.resampling import Split

__all__ = ["execute", "warm_up"]


@dataclass
class _Stage:
    """Where a job is, so that a failure can say it."""

    name: str = "preparing"
    folds: list[FoldOutcome] = field(default_factory=list)


def execute(job: Job) -> JobOutcome:
    """Run a job to whatever end: an exception is a row, not the end of the run."""
    stage = _Stage()
    start = time.perf_counter()
    status: Status = "ok"
    error = trace = ""
    try:
        _run_folds(job, stage)
    except MemoryError as exception:
        status, error, trace = "memory", _first_line(exception), traceback.format_exc()
    except Exception as exception:
        status, error, trace = "failed", _first_line(exception), traceback.format_exc()
    return JobOutcome(
        key=job.key,
        status=status,
        folds=tuple(stage.folds) if status == "ok" else (),
        stage="" if status == "ok" else stage.name,
        error=error,
        traceback=trace,
        seconds=time.perf_counter() - start,
        machine=costs.machine(),
    )


def warm_up() -> None:
    """Load what every job needs, so that the first one does not pay for it."""
    import sklearn.metrics  # type: ignore[import-untyped]
    import sklearn.pipeline  # type: ignore[import-untyped]
    import threadpoolctl  # type: ignore[import-untyped]

    from palio.experiment import preprocessing

    _ = sklearn.metrics, sklearn.pipeline, preprocessing, threadpoolctl, costs.machine()


def _first_line(exception: BaseException) -> str:
    lines = str(exception).strip().splitlines()
    return f"{type(exception).__name__}: {lines[0] if lines else ''}".strip(": ")


def _run_folds(job: Job, stage: _Stage) -> None:
    # One thread, as many others are running: so that times mean the same whatever n_jobs is.
    limits = _thread_pools(type(job.estimator).__module__).limit(limits=1)
    with limits, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for split in job.splits:
            stage.folds.append(_run_fold(job, split, stage))


@lru_cache(maxsize=64)
def _thread_pools(_module: str) -> Any:
    """Find the thread pools of the libraries loaded; anew for each library an estimator is from."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _run_fold(job: Job, split: Split, stage: _Stage) -> FoldOutcome:
    from sklearn.metrics import get_scorer

    stage.name = f"preparing fold {split.fold}"
    model = _pipeline(job.dataset, job.estimator, job.random_state)
    X, y = job.dataset.X, job.dataset.y
    train_X, test_X = X.iloc[split.train], X.iloc[split.test]
    train_y, test_y = y[split.train], y[split.test]
    stage.name = f"fitting fold {split.fold}"
    with costs.measure_memory() as memory, costs.timed() as fit:
        model.fit(train_X, train_y)
    stage.name = f"predicting fold {split.fold}"
    if not stage.folds:
        model.predict(test_X.iloc[:1])  # the first call of all may compile or allocate
    with costs.timed() as predict:
        model.predict(test_X)
    stage.name = f"scoring fold {split.fold}"
    scores = {name: float(get_scorer(name)(model, test_X, test_y)) for name in job.scoring}
    _check_scores(scores)
    return FoldOutcome(
        split.fold,
        scores,
        {
            "fit_time": fit.wall,
            "fit_cpu_time": fit.cpu,
            "predict_time": predict.wall,
            "predict_time_per_1000": 1000 * predict.wall / len(split.test),
            "model_bytes": costs.model_bytes(model[-1]),
            **memory,
        },
    )


def _check_scores(scores: dict[str, float]) -> None:
    bad = [name for name, value in scores.items() if value != value or abs(value) == float("inf")]
    if bad:
        raise ValueError(f"{', '.join(bad)} is not a finite number on this fold")


def _pipeline(dataset: Dataset, estimator: Any, random_state: int) -> Any:
    """Put the standard preprocessing before a fresh copy of the estimator, seeded."""
    from sklearn.base import clone  # type: ignore[import-untyped]
    from sklearn.pipeline import make_pipeline

    from palio.experiment.preprocessing import preprocessor

    fresh = clone(estimator)
    unseeded = {
        name: random_state
        for name, value in fresh.get_params(deep=True).items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    }
    fresh.set_params(**unseeded)
    return make_pipeline(preprocessor(dataset), fresh)
