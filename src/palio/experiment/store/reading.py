"""What a store holds, as tables: scores and costs of folds, predictions of instances."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from palio.errors import MissingCellsError, Option
from palio.experiment.costs import measured_throughout, mixed_machines
from palio.experiment.outcome import FoldPredictions
from palio.experiment.status import machines, said_of_data
from palio.experiment.store.store import Store
from palio.measures import is_known_measure, measure_named
from palio.predictions import Predictions, read_predictions
from palio.registry import one_dataset
from palio.scores import ItemScores, ScoreTable, read_scores
from palio.scores.columns import Coded
from palio.scores.items import MODELS_STAY, item_scores
from palio.scores.missing import USUAL
from palio.words import quoted


def read_store(
    store: Store | str | os.PathLike[str],
    *,
    plan: str | None = None,
    score: str | None = None,
    higher_is_better: bool | None = None,
    missing: str | None = None,
    keep_failing: bool = False,
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

    Returns
    -------
    ScoreTable
        One row per fold.
    """
    if not isinstance(store, Store):
        with Store(store, create=False) as opened:
            return read_store(
                opened,
                plan=plan,
                score=score,
                higher_is_better=higher_is_better,
                missing=missing,
                keep_failing=keep_failing,
            )
    rows = measured_throughout(store.folds(plan))
    jobs = store.jobs(plan)
    if not rows:
        raise MissingCellsError(
            "store",
            f"'{store.shown}' has no finished job yet ({len(jobs)} planned)",
            remedy="run the experiment first, or see `palio status` for what failed",
        )
    columns = _columns(rows, jobs)
    names = list(dict.fromkeys(name for row in rows for name in row["scores"]))
    chosen = score or names[0]
    if higher_is_better is None and not is_known_measure(chosen):
        higher_is_better = True  # as of everything that is called a scorer
    table = read_scores(
        columns,
        score=chosen,
        higher_is_better=higher_is_better,
        costs=list(dict.fromkeys(name for row in rows for name in row["costs"])),
        missing=missing or USUAL,
        keep_failing=keep_failing,
    )
    used = set(table.datasets)
    notice = mixed_machines(machines(job for job in jobs if job["dataset"] in used))
    notes = [*_said_of_data(store, store.plan_name(plan)), *([notice] if notice else [])]
    return replace(table, notes=(*table.notes, *notes)) if notes else table


def _said_of_data(store: Store, plan: str) -> list[str]:
    """Note what was done to the data, where anything was."""
    ways, units = (store.recall_object(f"{what} of {plan}") for what in ("preparation", "units"))
    return [said_of_data(ways, units)] if units or set(ways.values()) - {"none"} else []


def _columns(
    rows: Sequence[Mapping[str, Any]], jobs: Sequence[Mapping[str, Any]]
) -> dict[str, list[Any]]:
    """Lay the folds out as columns; a job that did not end well is a row without scores."""
    seeds = ("seed",) if any(job["seed"] > 1 for job in jobs) else ()
    values = [
        {**{k: row[k] for k in ("dataset", "algorithm", "repeat", "fold", *seeds)},
         "status": "ok", **row["scores"], **row["costs"]}
        for row in rows
    ]  # fmt: skip
    gaps = [
        {**{k: job[k] for k in ("dataset", "algorithm", "repeat", *seeds)},
         "fold": 1, "status": job["status"] or "not run"}
        for job in jobs
        if job["status"] != "ok"
    ]  # fmt: skip
    names = dict.fromkeys(name for row in values for name in row)
    return {name: [row.get(name) for row in [*values, *gaps]] for name in names}


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
    if not isinstance(store, Store):
        with Store(store, create=False) as opened:
            return read_stored_predictions(opened, dataset=dataset, plan=plan)
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
        raise MissingCellsError(
            "store",
            f"'{store.shown}' has no predictions on {name!r} of {quoted(without, limit=5)}",
            remedy=(
                f"run the experiment with {Option('predictions', 'True')}, or see `palio status` "
                "for what failed"
            ),
        )
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
    if not isinstance(store, Store):
        with Store(store, create=False) as opened:
            return read_stored_items(opened, plan=plan)
    jobs = store.jobs(plan)
    rows = [
        {**row, "dataset": name}
        for name in dict.fromkeys(job["dataset"] for job in jobs)
        for row in store.predictions(name, plan)
    ]
    if not rows:
        raise MissingCellsError(
            "store",
            f"'{store.shown}' has no predictions",
            remedy=f"run the experiment with {Option('predictions', 'True')}; regressions have no "
            "right or wrong",
        )
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
