"""Run an experiment, or go on with it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palio.errors import MissingCellsError
from palio.experiment.engines import ENGINES, Limits
from palio.experiment.outcome import JobOutcome
from palio.experiment.plan import Job, Plan, make_plan
from palio.experiment.store import Store
from palio.scores import ScoreTable, read_scores

if TYPE_CHECKING:
    from palio.experiment.datasets import Dataset

__all__ = ["Progress", "read_store", "run", "run_plan"]

# What finished within so many seconds is written together.
_BATCH_SECONDS = 0.25


@dataclass(frozen=True)
class Progress:
    """How far a run is; told after every job."""

    total: int
    done: int
    failed: int
    last: JobOutcome | None = None
    job: Job | None = None


Tell = Callable[[Progress], object]


def run(
    datasets: Sequence[str | Dataset],
    algorithms: Mapping[str, Any],
    *,
    resampling: Any = "5x2",
    scoring: str | Sequence[str] | None = None,
    store: str | os.PathLike[str] = "experiment.db",
    engine: Any = "local",
    n_jobs: int = 2,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    seed: int = 0,
    scheduler: str | None = None,
    progress: Tell | None = None,
) -> ScoreTable:
    """Run algorithms on data sets, or go on where an earlier run stopped.

    Parameters
    ----------
    datasets
        Such as ``["sklearn:wine", "monks-1", "csv:mine.csv"]``.
    algorithms
        Names and scikit-learn estimators, pipelines or searches.
    resampling
        Such as ``"5x2"``, ``"10-fold"``, ``"10x10"``, or a scikit-learn splitter.
    scoring
        Names of scikit-learn scorers; accuracy, or r2 for regression, unless given.
    store
        A file, or a PostgreSQL URL. What is in it is not computed again.
    engine, n_jobs
        ``"local"`` with so many worker processes, ``"inline"``, ``"dask"``, or a Dask client.
    time_limit, memory_limit
        Seconds and bytes that a job (one repeat) may take; beyond, it ends as a row of its own.
    seed
        From which splits and random states are drawn; the same seed gives the same scores on
        every engine and any number of workers.
    scheduler
        For ``"dask"``: its address, such as ``"tcp://host:8786"``; without one a cluster of
        ``n_jobs`` workers is started on this machine.
    progress
        Called after every job.

    Returns
    -------
    ScoreTable
        One row per fold, with the costs ``fit_time``, ``predict_time``, ``model_bytes``,
        ``peak_memory``. Data sets on which a job did not end well are left out, and noted.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = run(
    ...         ["sklearn:iris", "sklearn:wine"],
    ...         {"nb": GaussianNB(), "knn": KNeighborsClassifier()},
    ...         store=pathlib.Path(folder) / "experiment.db", engine="inline",
    ...     )
    >>> table.n_datasets, table.algorithms, str(table.design())
    (2, ('nb', 'knn'), '5×2 cv')
    """
    plan = make_plan(datasets, algorithms, resampling=resampling, scoring=scoring, seed=seed)
    with Store(store) as opened:
        run_plan(
            plan,
            opened,
            engine=engine,
            n_jobs=n_jobs,
            limits=Limits(time_limit, memory_limit),
            scheduler=scheduler,
            progress=progress,
        )
        return read_store(opened)


def run_plan(
    plan: Plan,
    store: Store,
    *,
    engine: Any = "local",
    n_jobs: int = 2,
    limits: Limits | None = None,
    scheduler: Any = None,
    again: Iterable[str] = (),
    progress: Tell | None = None,
) -> None:
    """Run what a plan has and a store has not, and those keys ``again``."""
    if not isinstance(engine, str):
        engine, scheduler = "dask", engine  # a client of one's own
    made = ENGINES[engine].make(n_jobs, limits or Limits(), scheduler)
    with store.writing():
        store.save_plan(plan)
        known = store.statuses()
        for key in again:
            known.pop(key, None)
        # Two names for the same content are one job.
        left = {job.key: job for job in plan.jobs if job.key not in known}
        wanted = {job.key for job in plan.jobs}
        done = len(wanted) - len(left)
        failed = sum(known.get(key, "ok") != "ok" for key in wanted)
        tell = progress or (lambda _progress: None)
        tell(Progress(len(wanted), done, failed))
        for outcome in _saved(made.run(left.values()), store):
            done += 1
            failed += outcome.status != "ok"
            tell(Progress(len(wanted), done, failed, outcome, left[outcome.key]))


def _saved(outcomes: Iterator[JobOutcome], store: Store) -> Iterator[JobOutcome]:
    """Write outcomes as they come, several at a time where they come fast; none is held back."""
    batch: list[JobOutcome] = []
    since = time.monotonic()
    try:
        for outcome in outcomes:
            batch.append(outcome)
            if time.monotonic() - since >= _BATCH_SECONDS:
                store.save(batch)
                batch, since = [], time.monotonic()
            yield outcome
    finally:
        # Also on Ctrl-C: what is finished is kept.
        store.save(batch)


def read_store(
    store: Store | str | os.PathLike[str], *, score: str | None = None, missing: str | None = None
) -> ScoreTable:
    """Read the scores of an experiment, finished or not.

    Data sets that are not complete are left out, with a notice, unless ``missing`` says otherwise.
    """
    if not isinstance(store, Store):
        with Store(store, create=False) as opened:
            return read_store(opened, score=score, missing=missing)
    rows = store.folds()
    jobs = store.jobs()
    if not rows:
        raise MissingCellsError(
            f"store: '{store.place}' has no finished job yet ({len(jobs)} planned); run the "
            "experiment first, or see `palio status` for what failed."
        )
    columns = _columns(rows, jobs)
    names = list(dict.fromkeys(name for row in rows for name in row["scores"]))
    complete = all(job["status"] == "ok" for job in jobs)
    how = missing or ("error" if complete else "drop-datasets")
    return read_scores(
        columns,
        score=score or names[0],
        costs=list(dict.fromkeys(name for row in rows for name in row["costs"])),
        missing=how,  # type: ignore[arg-type]  # checked by read_scores
    )


def _columns(
    rows: Sequence[Mapping[str, Any]], jobs: Sequence[Mapping[str, Any]]
) -> dict[str, list[Any]]:
    """Lay the folds out as columns; a job that did not end well is a row without scores."""
    values = [
        {**{k: row[k] for k in ("dataset", "algorithm", "repeat", "fold")},
         "status": "ok", **row["scores"], **row["costs"]}
        for row in rows
    ]  # fmt: skip
    gaps = [
        {"dataset": job["dataset"], "algorithm": job["algorithm"], "repeat": job["repeat"],
         "fold": 1, "status": job["status"] or "not run"}
        for job in jobs
        if job["status"] != "ok"
    ]  # fmt: skip
    names = dict.fromkeys(name for row in values for name in row)
    return {name: [row.get(name) for row in [*values, *gaps]] for name in names}
