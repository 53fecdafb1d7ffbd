"""What a worker does: fit, predict, score, and say how it ended."""

from __future__ import annotations

import contextlib
import os
import random
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

# Bound here, so that an estimator that patches the module `time` cannot change what is measured.
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from palio.experiment import costs
from palio.experiment.data.preprocessing import CodedLabels, needs_codes, preparation
from palio.experiment.outcome import (
    DoneFold,
    FoldOutcome,
    FoldPredictions,
    JobOutcome,
    Status,
)
from palio.experiment.plan import Job
from palio.experiment.resampling import Split
from palio.experiment.scorers import scores_of
from palio.words import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from palio.experiment.data.datasets import Dataset


Tell: TypeAlias = Callable[[DoneFold], object]


@dataclass
class _Stage:
    """Where a job is, so that a failure can say it."""

    name: str = "preparing"
    in_fold: bool = False
    model: Any = None  # the one that was fitted last
    folds: list[FoldOutcome] = field(default_factory=list)
    earlier: float = 0.0  # seconds that folds of an earlier run took
    unscored: dict[str, list[int]] = field(default_factory=dict)  # why, and in which folds
    machine: Mapping[str, str] = field(default_factory=costs.machine)


def execute(
    job: Job,
    *,
    keep: list[Any] | None = None,
    predictions: bool = False,
    tell: Tell | None = None,
    interrupted: Callable[[], BaseException | None] = lambda: None,
) -> JobOutcome:
    """Run a job to whatever end: what it raises is a row, not the end of the run.

    That is so of ``sys.exit`` and of a KeyboardInterrupt, too: only what ``interrupted`` returns,
    which a person did, goes on, whatever the job has made of it. A process that the job forked, and
    that returns here as if it were this one, ends.

    With ``predictions``, here or in the job, each fold of a classification set keeps what was said
    of each instance. Folds that the job has from an earlier run on such a machine are not run
    again; of each other ``tell`` is told when it is done, so that it need not be either.
    ``keep`` gets the model of the last fold.
    """
    stage = _Stage()
    start, pid = perf_counter(), os.getpid()
    status: Status = "ok"
    error = trace = ""

    def check() -> None:
        if os.getpid() != pid:
            os._exit(0)
        if (by := interrupted()) is not None:  # a job may have made something else of it
            raise by

    def told(done: DoneFold) -> None:
        check()
        if tell is not None:
            tell(done)

    try:
        _run_folds(job, stage, told, predictions=predictions or job.predictions)
        if keep is not None:
            keep.append(stage.model)
    except BaseException as exception:
        status = "memory" if isinstance(exception, MemoryError) else "failed"
        error, trace = first_line(exception), _where_from()
        if status == "failed" and stage.in_fold:
            error += preparing_hint(job)
    check()
    return JobOutcome(
        key=job.key,
        status=status,
        folds=tuple(stage.folds) if status == "ok" else (),
        stage="" if status == "ok" else stage.name,
        error=error or _said_of_scores(stage),
        traceback=trace,
        seconds=perf_counter() - start + stage.earlier,
        machine=stage.machine,
    )


def preparing_hint(job: Job) -> str:
    """Say what may help an estimator that was given what not every one takes, and failed."""
    what = job.dataset.obstacles
    if job.prepare is not None or not what:
        return ""
    if "a sparse matrix" in what:
        return f" ({job.dataset.name} is a sparse matrix: prepare may be a transformer)"
    return (
        f' ({job.dataset.name} has {" and ".join(what)}: prepare = "standard" makes numbers of '
        "them, without gaps)"
    )


def _said_of_scores(stage: _Stage) -> str:
    """Say which scores are missing, of which folds."""
    return "; ".join(f"{why} (fold {listed(folds)})" for why, folds in stage.unscored.items())


def warm_up() -> None:
    """Load what every job needs, so that the first one does not pay for it."""
    import sklearn.metrics  # type: ignore[import-untyped]
    import sklearn.pipeline  # type: ignore[import-untyped]
    import threadpoolctl  # type: ignore[import-untyped]

    _ = sklearn.metrics, sklearn.pipeline, threadpoolctl, costs.machine()


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
    """What all folds of a job share.

    An unfitted model and what prepares its features, if anything does; the scorers; and, only if
    predictions are to be kept, all class labels.
    """

    model: Any
    prepare: Any
    scorers: Mapping[str, Any]
    classes: NDArray[Any] | None

    def fresh(self) -> tuple[Any, Any]:
        """Return an unfitted model, and what gets the features when they are prepared: its end."""
        from sklearn.base import clone  # type: ignore[import-untyped]
        from sklearn.pipeline import Pipeline

        last = clone(self.model)
        if self.prepare is None:
            return last, last
        return Pipeline([("prepare", clone(self.prepare)), ("model", last)]), last


def _run_folds(job: Job, stage: _Stage, tell: Tell, *, predictions: bool) -> None:
    # One thread, as many others are running: so that times mean the same whatever n_jobs is.
    limits = _thread_pools(len(sys.modules)).limit(limits=1)
    with limits, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tools = _tools(job, predictions=predictions)
        stage.machine = costs.machine(costs.limit_threads(tools.model))
        earlier = _usable(job, tools, stage.machine)
        for split in job.splits:
            if split.fold in earlier:
                fold = earlier[split.fold]
                stage.earlier += fold.costs["fit_time"] + fold.costs["predict_time"]
            else:
                stage.in_fold = True
                with _global_seeds(job.random_state):
                    fold = _run_fold(job, split, stage, tools)
                stage.in_fold = False
                costs.check(fold.costs)
                tell(DoneFold(fold, stage.machine))
            stage.folds.append(fold)
    if not any(fold.scores for fold in stage.folds):
        stage.name = "scoring"
        raise ValueError(_said_of_scores(stage))


@contextlib.contextmanager
def _global_seeds(seed: int) -> Iterator[None]:
    """Seed the generators that all code of a process shares, for what draws from them unasked."""
    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002 - it is shared
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(numpy_before)  # noqa: NPY002


def _usable(job: Job, tools: _Tools, machine: Mapping[str, str]) -> dict[int, FoldOutcome]:
    """Return the folds of an earlier run, if they say all that is asked, of this machine.

    A job has one machine: costs of another would stand beside a wrong name.
    """
    return {
        done.outcome.fold: done.outcome
        for done in job.begun
        if _named(done.machine) == _named(machine)
        and (tools.classes is None or done.outcome.predictions is not None)
    }


def _named(machine: Mapping[str, str]) -> dict[str, str]:
    """Return what a machine is, without how fast it was just then."""
    return {name: value for name, value in machine.items() if name != "calibration"}


def _tools(job: Job, *, predictions: bool) -> _Tools:
    from sklearn.metrics import get_scorer

    classifies = job.dataset.task == "classification"
    model = _seeded(job.estimator, job.random_state)
    prepare = preparation(job.dataset, job.prepare, model)
    return _Tools(
        CodedLabels(model) if classifies and needs_codes(model) else model,
        None if prepare is None else _seeded(prepare, job.random_state),
        {name: job.scorers.get(name) or get_scorer(name) for name in job.scoring},
        np.unique(job.dataset.y) if predictions and classifies else None,
    )


@lru_cache(maxsize=1)
def _thread_pools(_n_modules: int) -> Any:
    """Find the thread pools of the libraries that are loaded; anew when there are more."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _run_fold(job: Job, split: Split, stage: _Stage, tools: _Tools) -> FoldOutcome:
    stage.name = f"preparing fold {split.fold}"
    model, last = tools.fresh()
    train_X, train_y, _ = _rows(job.dataset, split.train)
    test_X, test_y, weights = _rows(job.dataset, split.test)
    params = _fit_params(job, tools.model, split.train)
    if last is not model:
        params = {f"model__{name}": value for name, value in params.items()}
    stage.name = f"fitting fold {split.fold}"
    with costs.measure_memory() as memory, costs.timed() as fit:
        model.fit(train_X, train_y, **params)
    stage.name = f"predicting fold {split.fold}"
    _warm(model, last, test_X)
    with costs.timed() as predict:
        prepared = test_X if last is model else model[:-1].transform(test_X)
        with costs.timed() as answer:
            predicted = last.predict(prepared)
    stage.name = f"scoring fold {split.fold}"
    scores, failed = scores_of(tools.scorers, model, test_X, test_y, weights)
    for name, why in failed.items():
        stage.unscored.setdefault(f"{name}: {why}", []).append(split.fold)
    said = None
    stage.model = model
    if tools.classes is not None:
        stage.name = f"keeping the predictions of fold {split.fold}"
        told = _probabilities(model, test_X, tools.classes)
        said = _predictions(split, test_y, predicted, tools.classes, told)
    inner = getattr(last, "estimator_", last) if isinstance(last, CodedLabels) else last
    return FoldOutcome(
        split.fold,
        # The scores asked for come first: the first of them is the default.
        {**scores, **costs.inner_cv_score(inner, list(scores), job.dataset.task)},
        {
            "fit_time": fit.wall,
            "fit_cpu_time": fit.cpu,
            "predict_time": predict.wall,
            "predict_cpu_time": predict.cpu,
            "model_predict_cpu_time": answer.cpu,  # of rows that are prepared, as in refit_cpu_time
            "predict_time_per_1000": 1000 * predict.wall / len(split.test),
            **costs.search_costs(inner, fit.wall),
            **memory,
            **_measured("model_bytes", costs.model_bytes(last)),
            **_measured("n_parameters", costs.n_parameters(inner)),
        },
        said,
    )


def _rows(dataset: Dataset, rows: NDArray[np.intp]) -> tuple[Any, NDArray[Any], Any]:
    """Return features, target and weights of rows, each as the data set has it."""
    X, weights = dataset.X, dataset.sample_weight
    return (
        X.iloc[rows] if hasattr(X, "iloc") else X[rows],
        dataset.y[rows],
        None if weights is None else weights[rows],
    )


def _fit_params(job: Job, model: Any, rows: NDArray[np.intp]) -> dict[str, Any]:
    """Return what ``fit`` gets besides: what was given for it, weights, groups for a search."""
    dataset = job.dataset
    given = {
        name: np.asarray(value)[rows] if _is_per_row(value, dataset.n_rows) else value
        for name, value in job.fit_params.items()
    }
    path, end = _end_of(model.estimator if isinstance(model, CodedLabels) else model)
    searches = hasattr(end, "refit") and hasattr(end, "cv")
    if searches and dataset.groups is not None:
        given[f"{path}groups"] = dataset.groups[rows]
    if dataset.sample_weight is not None:
        inside = _end_of(end.estimator)[0] if searches else ""
        given[f"{path}{inside}sample_weight"] = dataset.sample_weight[rows]
    return given


def _is_per_row(value: Any, n_rows: int) -> bool:
    return (
        not isinstance(value, str | Mapping) and hasattr(value, "__len__") and len(value) == n_rows
    )


def _end_of(model: Any) -> tuple[str, Any]:
    """Return the last step of a pipeline, and what its parameters begin with."""
    path = ""
    while getattr(model, "steps", None):
        name, model = model.steps[-1]
        path += f"{name}__"
    return path, model


def _measured(name: str, value: float | None) -> dict[str, float]:
    """Name a cost, or leave it out: one that cannot be had is not there, rather than NaN."""
    return {} if value is None else {name: value}


_warmed: set[type] = set()


def _warm(model: Any, last: Any, X: Any) -> None:
    """Predict once before it is timed: a class's first call in a process may compile or load."""
    if type(last) not in _warmed:
        model.predict(X[:1])
        _warmed.add(type(last))


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
    from sklearn.base import clone

    fresh = clone(estimator)
    unseeded = {
        name: random_state
        for name, value in fresh.get_params(deep=True).items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    }
    fresh.set_params(**unseeded)
    return fresh
