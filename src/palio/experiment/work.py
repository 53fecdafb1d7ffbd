"""What a worker does: fit, predict, score, and say how it ended."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from palio.experiment import costs, fitted
from palio.experiment.outcome import (
    DoneFold,
    FoldOutcome,
    FoldPredictions,
    JobOutcome,
    Status,
)
from palio.experiment.plan import Job
from palio.experiment.resampling import Split

if TYPE_CHECKING:
    from numpy.typing import NDArray


Tell: TypeAlias = Callable[[DoneFold], object]


@dataclass
class _Stage:
    """Where a job is, so that a failure can say it."""

    name: str = "preparing"
    model: Any = None  # the one that was fitted last
    folds: list[FoldOutcome] = field(default_factory=list)
    earlier: float = 0.0  # seconds that folds of an earlier run took


def execute(
    job: Job,
    *,
    keep: list[Any] | None = None,
    predictions: bool = False,
    tell: Tell | None = None,
    interrupted: Callable[[], bool] = lambda: False,
) -> JobOutcome:
    """Run a job to whatever end: what it raises is a row, not the end of the run.

    That is so of ``sys.exit`` and of a KeyboardInterrupt, too: only where ``interrupted`` says
    that a person did it, it goes on, whatever the job has made of it.

    With ``predictions``, here or in the job, each fold of a classification set keeps what was said
    of each instance. Folds that the job has from an earlier run on such a machine are not run
    again; of each other ``tell`` is told when it is done, so that it need not be either.
    ``keep`` gets the model of the last fold.
    """
    stage = _Stage()
    start = time.perf_counter()
    status: Status = "ok"
    error = trace = ""

    def told(done: DoneFold) -> None:
        if interrupted():  # a job may have made something else of it; its model is half a one
            raise KeyboardInterrupt
        if tell is not None:
            tell(done)

    try:
        _run_folds(job, stage, told, predictions=predictions or job.predictions)
        if keep is not None:
            keep.append(stage.model)
    except BaseException as exception:
        if interrupted() and not isinstance(exception, Exception):
            raise
        status = "memory" if isinstance(exception, MemoryError) else "failed"
        error, trace = first_line(exception), _where_from()
    if interrupted():
        raise KeyboardInterrupt
    return JobOutcome(
        key=job.key,
        status=status,
        folds=tuple(stage.folds) if status == "ok" else (),
        stage="" if status == "ok" else stage.name,
        error=error,
        traceback=trace,
        seconds=time.perf_counter() - start + stage.earlier,
        machine=costs.machine(),
    )


def warm_up() -> None:
    """Load what every job needs, so that the first one does not pay for it."""
    import sklearn.metrics  # type: ignore[import-untyped]
    import sklearn.pipeline  # type: ignore[import-untyped]
    import threadpoolctl  # type: ignore[import-untyped]

    from palio.experiment.data import preprocessing

    _ = sklearn.metrics, sklearn.pipeline, preprocessing, threadpoolctl, costs.machine()


# So much of an error's first line and of where it came from is kept: some print all their data.
_LINE_LENGTH, _TRACE_LENGTH = 500, 20_000


def first_line(exception: BaseException) -> str:
    r"""Return the kind of an exception and the first line of what it says.

    >>> first_line(ValueError("no good\nat all")), first_line(SystemExit())
    ('ValueError: no good', 'SystemExit')
    """
    try:
        lines = str(exception).strip().splitlines()
    except BaseException:  # it is not to be trusted with this either
        lines = ["what it says cannot be written"]
    said = f"{type(exception).__name__}: {lines[0] if lines else ''}".strip(": ")
    return said if len(said) <= _LINE_LENGTH else f"{said[: _LINE_LENGTH - 1]}…"


def _where_from() -> str:
    """Return the traceback of what is being handled; of a long one, the end."""
    try:
        trace = traceback.format_exc()
    except BaseException:
        return ""
    return trace if len(trace) <= _TRACE_LENGTH else f"…{trace[1 - _TRACE_LENGTH :]}"


@dataclass(frozen=True)
class _Tools:
    """What all folds of a job share: an unfitted model, the scorers, and all class labels.

    ``classes`` is there only if predictions are to be kept.
    """

    model: Any
    scorers: Mapping[str, Callable[[Any, Any, Any], float]]
    classes: NDArray[Any] | None


def _run_folds(job: Job, stage: _Stage, tell: Tell, *, predictions: bool) -> None:
    # One thread, as many others are running: so that times mean the same whatever n_jobs is.
    limits = _thread_pools(type(job.estimator).__module__).limit(limits=1)
    with limits, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tools = _tools(job, predictions=predictions)
        earlier = _usable(job, tools)
        for split in job.splits:
            if split.fold in earlier:
                fold = earlier[split.fold]
                stage.earlier += fold.costs["fit_time"] + fold.costs["predict_time"]
            else:
                fold = _run_fold(job, split, stage, tools)
                tell(DoneFold(fold, costs.machine()))
            stage.folds.append(fold)


def _usable(job: Job, tools: _Tools) -> dict[int, FoldOutcome]:
    """Return the folds of an earlier run, if they say all that is asked, of this machine.

    A job has one machine: costs of another would stand beside a wrong name.
    """
    return {
        done.outcome.fold: done.outcome
        for done in job.begun
        if _named(done.machine) == _named(costs.machine())
        and (tools.classes is None or done.outcome.predictions is not None)
    }


def _named(machine: Mapping[str, str]) -> dict[str, str]:
    """Return what a machine is, without how fast it was just then."""
    return {name: value for name, value in machine.items() if name != "calibration"}


def _tools(job: Job, *, predictions: bool) -> _Tools:
    from sklearn.metrics import get_scorer

    keeps = predictions and job.dataset.task == "classification"
    return _Tools(
        _seeded(job.estimator, job.random_state),
        {name: get_scorer(name) for name in job.scoring},
        np.unique(job.dataset.y) if keeps else None,
    )


@lru_cache(maxsize=64)
def _thread_pools(_module: str) -> Any:
    """Find the thread pools of the libraries loaded; anew for each library an estimator is from."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _run_fold(job: Job, split: Split, stage: _Stage, tools: _Tools) -> FoldOutcome:
    stage.name = f"preparing fold {split.fold}"
    model = _pipeline(job, tools)
    X, y = job.dataset.X, job.dataset.y
    train_X, test_X = X.iloc[split.train], X.iloc[split.test]
    train_y, test_y = y[split.train], y[split.test]
    stage.name = f"fitting fold {split.fold}"
    with costs.measure_memory() as memory, costs.timed() as fit:
        model.fit(train_X, train_y)
    stage.name = f"predicting fold {split.fold}"
    _warm(model, test_X)
    with costs.timed() as predict:
        prepared = model[:-1].transform(test_X)
        with costs.timed() as answer:
            predicted = model[-1].predict(prepared)
    stage.name = f"scoring fold {split.fold}"
    scores = {name: float(scorer(model, test_X, test_y)) for name, scorer in tools.scorers.items()}
    _check_scores(scores)
    said = None
    stage.model = model
    if tools.classes is not None:
        stage.name = f"keeping the predictions of fold {split.fold}"
        told = _probabilities(model, test_X, tools.classes)
        said = _predictions(split, test_y, predicted, tools.classes, told)
    last = model[-1]
    return FoldOutcome(
        split.fold,
        # The scores asked for come first: the first of them is the default.
        {**scores, **fitted.inner_cv_score(last, job.scoring, job.dataset.task)},
        {
            "fit_time": fit.wall,
            "fit_cpu_time": fit.cpu,
            "predict_time": predict.wall,
            "predict_cpu_time": predict.cpu,
            "model_predict_cpu_time": answer.cpu,  # of rows that are prepared, as in refit_cpu_time
            "predict_time_per_1000": 1000 * predict.wall / len(split.test),
            **fitted.search_costs(last, fit.wall),
            **memory,
            **_measured("model_bytes", costs.model_bytes(last)),
            **_measured("n_parameters", fitted.n_parameters(last)),
        },
        said,
    )


def _measured(name: str, value: float | None) -> dict[str, float]:
    """Name a cost, or leave it out: one that cannot be had is not there, rather than NaN."""
    return {} if value is None else {name: value}


_warmed: set[type] = set()


def _warm(model: Any, X: Any) -> None:
    """Predict once before it is timed: a class's first call in a process may compile or load."""
    if type(model[-1]) not in _warmed:
        model.predict(X.iloc[:1])
        _warmed.add(type(model[-1]))


def _check_scores(scores: Mapping[str, float]) -> None:
    bad = [name for name, value in scores.items() if value != value or abs(value) == float("inf")]
    if bad:
        raise ValueError(f"{', '.join(bad)} is not a finite number on this fold")


def _predictions(
    split: Split,
    truth: NDArray[Any],
    predicted: Any,
    classes: NDArray[Any],
    probabilities: NDArray[np.float64] | None,
) -> FoldPredictions:
    return FoldPredictions(
        instances=np.asarray(split.test, dtype=np.int64),
        truth=truth.astype(np.str_),
        predicted=_labels(predicted, classes),
        classes=tuple(classes.astype(np.str_).tolist()),
        probabilities=probabilities,
    )


def _labels(values: Any, classes: NDArray[Any]) -> NDArray[np.str_]:
    """Write labels as the data set writes its classes: a model may say 1.0 where it has 1."""
    found = np.asarray(values).ravel()
    if classes.dtype.kind in "biu" and found.dtype.kind in "biuf":
        found = found.astype(classes.dtype)
    return found.astype(np.str_)


def _probabilities(model: Any, X: Any, classes: NDArray[Any]) -> NDArray[np.float64] | None:
    """Ask for probabilities and put them in the order of all classes; ``None`` if there are none.

    The rows are scored already, so that what cannot tell probabilities is no failure.
    """
    try:
        told = np.asarray(model.predict_proba(X), dtype=np.float64)
        own = _labels(model.classes_, classes)
        place = {label: i for i, label in enumerate(classes.astype(np.str_).tolist())}
        found = np.zeros((len(told), len(classes)))
        found[:, [place[label] for label in own.tolist()]] = told
    except MemoryError:
        raise
    except Exception:  # lacks it, or cannot after all
        return None
    return found


def _seeded(estimator: Any, random_state: int) -> Any:
    """Return a fresh copy of the estimator, seeded wherever it is not."""
    from sklearn.base import clone  # type: ignore[import-untyped]

    fresh = clone(estimator)
    unseeded = {
        name: random_state
        for name, value in fresh.get_params(deep=True).items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    }
    fresh.set_params(**unseeded)
    return fresh


def _pipeline(job: Job, tools: _Tools) -> Any:
    """Put the standard preprocessing before a fresh copy of the model."""
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline

    from palio.experiment.data.preprocessing import preprocessor, takes_raw

    prepared = preprocessor(job.dataset, raw=takes_raw(tools.model))
    return make_pipeline(prepared, clone(tools.model))
