"""What a store holds, as tables: scores and costs of folds, predictions of instances."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import LeftOutWarning, MissingCellsError, Option, warn_caller
from palio.experiment.costs import mixed_machines
from palio.experiment.outcome import FoldPredictions
from palio.experiment.parts import said_of_data
from palio.experiment.status import cause_of, kept_of_plan, machines
from palio.experiment.store.rows import FoldColumns
from palio.experiment.store.store import JobColumns, Store
from palio.measures import Measure, is_known_measure, measure_named
from palio.predictions import Predictions, read_predictions
from palio.registry import one_dataset, unknown_name
from palio.scores import ItemScores, ScoreTable
from palio.scores.columns import Coded, Columns, Origin
from palio.scores.items import MODELS_STAY, item_scores
from palio.scores.long_table import LongTable
from palio.scores.missing import USUAL
from palio.scores.rows import Rows
from palio.scores.summary import HowRead
from palio.systems import system
from palio.words import count, harmless, listed, quoted

if TYPE_CHECKING:
    from palio.types import FloatArray, IntArray


_PREDICTING = f"run the experiment with {Option('predictions', 'True')}"


def read_store(
    store: Store | str | os.PathLike[str],
    *,
    plan: str | None = None,
    score: str | None = None,
    higher_is_better: bool | None = None,
    missing: str | None = None,
    keep_failing: bool = False,
    alone: bool = False,
) -> ScoreTable:
    """Read the scores of an experiment, finished or not.

    What failed or was not run yet is missing, and settled as in `read_scores`. A notice tells when
    costs were measured on several machines.

    Parameters
    ----------
    store
        A file, a PostgreSQL URL, or an open store.
    plan
        Which of the plans in the store; the one saved last unless given.
    score
        Which of the scorers; the first unless given.
    higher_is_better
        Its direction, if its name does not tell.
    missing
        What to do about missing scores, as in `read_scores`.
    keep_failing
        Whether to keep algorithms that failed on most data sets.
    alone
        Whether one algorithm is enough, as a part of an experiment may have.

    Returns
    -------
    ScoreTable
        One row per fold.
    """
    with _opened(store) as store:
        jobs, folds = store.fold_columns(plan)
        kept = kept_of_plan(store, jobs.plan.name)
    if not folds.job.size:
        rule = f"'{store.shown}' has no finished job yet ({len(jobs)} planned)"
        remedy = "run the experiment first, or see `palio status` for what failed"
        raise MissingCellsError("store", rule, remedy=remedy)
    name = score or next(iter(folds.scores))
    if higher_is_better is None and not is_known_measure(name):
        higher_is_better = True  # as of everything that is called a scorer
    measure = measure_named(name, higher_is_better=higher_is_better)
    long = _long_table(store.shown, jobs, folds, measure, name)
    table = ScoreTable.from_rows(
        long.rows,
        measure,
        missing=missing or USUAL,
        keep_failing=keep_failing,
        alone=alone,
        notes=long.notes,
        origin=long.origin,
    )
    used = set(table.datasets)
    notice = mixed_machines(machines(jobs, lambda job: jobs.dataset[job] in used))
    ways, units = kept["preparation"], kept["units"]
    of_data = said_of_data(ways, units) if units or set(ways.values()) - {"none"} else None
    table = replace(table, notes=(*table.notes, *filter(None, (of_data, notice))))
    # A rule for missing scores that was asked for may leave data sets out.
    if told := _left_out(store, jobs, table, datasets=missing is None):
        warn_caller(told, LeftOutWarning)
    return table


def _opened(store: Store | str | os.PathLike[str]) -> AbstractContextManager[Store]:
    return nullcontext(store) if isinstance(store, Store) else Store(store, create=False)


def _long_table(
    shown: str, jobs: JobColumns, folds: FoldColumns, measure: Measure, name: str
) -> LongTable:
    """Make a table of one of the scores; a job that did not end well is a row without any."""
    n_good, folds = folds.job.size, _with_gaps(jobs, folds)
    columns = {**folds.scores, **folds.costs}
    if name not in columns:
        raise unknown_name("score", name, list(columns))
    job = folds.job
    algorithm = Coded.of(jobs.algorithm).take(job)
    costs = {
        each: _measured_throughout(values, algorithm.codes, n_good)
        for each, values in folds.costs.items()
        if each != name
    }
    status = Coded.of([each or "not run" for each in jobs.status]).take(job)
    has_gaps = job.size > n_good
    rows = Rows.of(
        Coded.of(jobs.dataset).take(job),
        algorithm,
        _numbered(np.array(jobs.repeat)[job]),
        _numbered(folds.fold),
        scores={name: columns[name], **folds.scores},
        costs={each: values for each, values in costs.items() if not np.isnan(values).all()},
        statuses=status.names if has_gaps else (),
        status=status.codes if has_gaps else None,
        source=np.arange(job.size),
    )
    columns_read = Columns({}, Origin.of_rows(f"'{shown}'", job.size))
    seeds = {"seed": _numbered(np.array(jobs.seed)[job])} if max(jobs.seed) > 1 else {}
    long = LongTable(rows, measure, columns_read, HowRead(), (), seeds)
    return long.settled("error").where_measured()


def _with_gaps(jobs: JobColumns, folds: FoldColumns) -> FoldColumns:
    """Return the folds, and after them one without scores of each job that did not end well."""
    gaps = np.flatnonzero([status != "ok" for status in jobs.status])

    def longer(columns: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        nothing = np.full(gaps.size, np.nan)
        return {name: np.concatenate([values, nothing]) for name, values in columns.items()}

    return FoldColumns(
        np.concatenate([folds.job, gaps]),
        np.concatenate([folds.fold, np.ones_like(gaps)]),
        longer(folds.scores),
        longer(folds.costs),
    )


def _numbered(numbers: IntArray) -> Coded:
    """Return numbers as names, in their order."""
    found, codes = np.unique(numbers, return_inverse=True)
    return Coded(codes, tuple(map(str, found.tolist())))


def _measured_throughout(values: FloatArray, algorithm: IntArray, n_good: int) -> FloatArray:
    """Drop a cost of each algorithm of which only some good folds have it.

    A cost is measured for an algorithm or it is not: half of one, as of a machine that cannot
    measure it, is no cost, and must not keep the scores from being read.

    >>> _measured_throughout(np.array([1.0, 2.0, 3.0, np.nan]), np.array([0, 0, 1, 1]), 4)
    array([ 1.,  2., nan, nan])
    """
    gone = np.isnan(values[:n_good])
    lacking = np.isin(algorithm, algorithm[:n_good][gone])
    return np.where(lacking, np.nan, values) if gone.any() else values


# --- who is not in a table -----------------------------------------------------------------------


def _left_out(store: Store, jobs: JobColumns, table: ScoreTable, *, datasets: bool) -> str:
    """Say which algorithms and data sets of a plan are not in a table, and why; nothing if all are.

    Algorithms that failed on most data sets are not, and those without any score.
    """
    told = [
        f"{noun} {name!r} ({_why_not(jobs, [i for i, each in enumerate(names) if each == name])})"
        for noun, names, there in (
            ("algorithm", jobs.algorithm, set(table.algorithms)),
            ("data set", jobs.dataset if datasets else (), set(table.datasets)),
        )
        for name in dict.fromkeys(names)
        if name not in there
    ]
    if not told:
        return ""
    return (
        f"not in the table of '{store.shown}': {listed(told, limit=3)}. For each job: "
        f"{system().typed(['palio', 'export', store.shown, 'jobs.csv'])}"
    )


def _why_not(jobs: JobColumns, own: Sequence[int]) -> str:
    """Say how jobs ended that are not in a table: how many, and the commonest cause."""
    bad = [i for i in own if jobs.status[i] != "ok"]
    causes = Counter(cause_of(jobs, i) for i in bad).most_common(1)
    if not causes:
        return "without such a score"
    ((cause, _),) = causes
    return f"{len(bad)} of {count(len(own), 'job')} {cause}"


def read_jobs(store: Store, plan: str | None = None) -> dict[str, list[Any]]:
    """Return every job of a plan as columns: a row per fold, and one per job without a score.

    ``status`` says how the job ended, and ``reason`` why if it did not end well.
    """
    jobs, folds = store.fold_columns(plan)
    folds = _with_gaps(jobs, folds)
    order = np.argsort(folds.job, kind="stable")
    rows = folds.job[order].tolist()

    def of_folds(values: FloatArray) -> list[float | None]:
        return [None if value != value else value for value in values[order].tolist()]

    names = ["dataset", "algorithm", "repeat", *(["seed"] if max(jobs.seed, default=1) > 1 else [])]
    return {
        **{name: [getattr(jobs, name)[row] for row in rows] for name in names},
        "fold": folds.fold[order].tolist(),
        "status": [jobs.status[row] or "not run" for row in rows],
        "reason": [harmless(jobs.error[row] or "") for row in rows],
        **{name: of_folds(values) for name, values in {**folds.scores, **folds.costs}.items()},
    }


def read_stored_predictions(
    store: Store | str | os.PathLike[str], *, dataset: str | None = None, plan: str | None = None
) -> Predictions:
    """Read what each algorithm said of each test instance of a data set.

    Parameters
    ----------
    store
        A file, a PostgreSQL URL, or an open store, run with ``predictions=True``.
    dataset
        Which data set; may be left out where there is one.
    plan
        Which of the plans in the store; the one saved last unless given.

    Returns
    -------
    Predictions
        Those of the test instances of every repeat and fold, and of the first of several seeds.

    Examples
    --------
    >>> import tempfile, pathlib, palio
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = pathlib.Path(folder) / "experiment.db"
    ...     _ = palio.run(
    ...         ["sklearn:iris"], {"nb": GaussianNB(), "tree": DecisionTreeClassifier()},
    ...         resampling="2-fold", predictions=True, store=store, engine="inline",
    ...     )
    ...     read_stored_predictions(store)
    <Predictions: 2 algorithms on 150 instances, 3 classes, class probabilities>
    """
    with _opened(store) as store:
        jobs = store.jobs(plan)
        name = one_dataset(list(dict.fromkeys(job["dataset"] for job in jobs)), dataset)
        # Seeds are no further instances: who compares predictions compares those of one model each.
        jobs = [job for job in jobs if job["seed"] == 1]
        rows = [row for row in store.predictions(name, plan) if row["seed"] == 1]
    having = {(row["algorithm"], row["repeat"]) for row in rows}
    without = [
        f"{job['algorithm']}, repeat {job['repeat']}"
        for job in jobs
        if job["dataset"] == name and (job["algorithm"], job["repeat"]) not in having
    ]
    if without:
        rule = f"'{store.shown}' has no predictions on {name!r} of {quoted(without, limit=5)}"
        remedy = f"{_PREDICTING}, or see `palio status` for what failed"
        raise MissingCellsError("store", rule, remedy=remedy)
    return read_predictions(_prediction_columns(name, rows))


def read_stored_items(
    store: Store | str | os.PathLike[str], *, plan: str | None = None
) -> ItemScores:
    """Read on which test instances each algorithm was right, on all data sets.

    An instance is tested once in each repeat: repeats, and seeds, are repeats of the item. What
    failed is missing.

    Parameters
    ----------
    store
        A file, a PostgreSQL URL, or an open store, run with ``predictions=True``.
    plan
        Which of the plans in the store; the one saved last unless given.
    """
    with _opened(store) as store:
        rows = [
            {**row, "dataset": name}
            for name in dict.fromkeys(store.job_columns(plan).dataset)
            for row in store.predictions(name, plan)
        ]
    if not rows:
        remedy = f"{_PREDICTING}; regressions have no right or wrong"
        raise MissingCellsError("store", f"'{store.shown}' has no predictions", remedy=remedy)
    said: list[FoldPredictions] = [row["predictions"] for row in rows]
    sizes = [len(each.instances) for each in said]
    instances = np.concatenate([each.instances for each in said])
    right = [each.truth == each.predicted for each in said]
    items = item_scores(
        _named([row["dataset"] for row in rows], sizes),
        Coded(instances, tuple(str(row + 1) for row in range(int(instances.max()) + 1))),
        _named([row["algorithm"] for row in rows], sizes),
        np.concatenate(right).astype(np.float64),
        measure_named("accuracy"),
    )
    return replace(items, notes=(MODELS_STAY,))


def _named(names: Sequence[str], sizes: Sequence[int]) -> Coded:
    """Return the names of folds, once for each of their instances."""
    codes, different = Coded.of(names)
    return Coded(np.repeat(codes, sizes), different)


def _prediction_columns(dataset: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Lay predictions out as columns, one row per instance and algorithm."""
    said: list[FoldPredictions] = [row["predictions"] for row in rows]
    sizes = [len(each.instances) for each in said]
    columns: dict[str, Any] = {
        name: np.repeat([row[name] for row in rows], sizes)
        for name in ("algorithm", "repeat", "fold")
    }
    columns["dataset"] = [dataset] * sum(sizes)
    # Rows of the data set, counted from 1 as everywhere.
    columns["instance"] = np.concatenate([each.instances + 1 for each in said])
    columns["truth"] = np.concatenate([each.truth for each in said])
    columns["prediction"] = np.concatenate([each.predicted for each in said])
    if any(each.probabilities is not None for each in said):
        blocks = np.concatenate([_probabilities(each) for each in said])
        for i, label in enumerate(said[0].classes):
            columns[f"p_{label}"] = blocks[:, i]
    return columns


def _probabilities(said: FoldPredictions) -> Any:
    """Return probabilities, or NaN for an algorithm that gives none."""
    if said.probabilities is None:
        return np.full((len(said.instances), len(said.classes)), np.nan)
    return said.probabilities
