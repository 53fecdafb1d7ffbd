"""MLflow: a tracking store, as SQLite (``mlflow:sqlite:///mlflow.db``) or as a folder (mlruns).

A run is a result. What it is of, its parameters and tags say, under the names that people use for
algorithms, data sets, folds and seeds; otherwise its name and that of its experiment.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from palio.errors import UnreadableError
from palio.measures import is_known_cost
from palio.scores.columns import Columns, squeezed
from palio.scores.importers.results import Result, columns_of, number
from palio.scores.vocabulary import has_role
from palio.words import count, joined

_ENDED = {"FINISHED": "ok", "3": "ok", "FAILED": "failed", "4": "failed", "KILLED": "killed",
          "5": "killed"}  # fmt: skip
_ROLES = ("dataset", "algorithm", "repeat", "fold", "seed")
_USUAL = {"algorithm": "run name", "dataset": "experiment"}


def read_mlflow(files: list[Path], place: Path) -> Columns:
    """Read the runs that have ended, each with the last value of its metrics."""
    runs = [run for path in files for run in _runs(path)]
    ended = [run for run in runs if run.status in _ENDED]
    if not ended:
        raise UnreadableError("source", f"no run in {place.name!r} has ended")
    roles = {role: _label(ended, role) for role in _ROLES}
    found = [_with_roles(run, roles) for run in ended]
    told = [f"{roles[role] or usual} is the {role}" for role, usual in _USUAL.items()]
    notes = [f"{count(len(ended), 'run')} of MLflow: {joined(told)}."]
    if len(ended) < len(runs):
        notes.append(f"{count(len(runs) - len(ended), 'run has', 'runs have')} not ended.")
    return columns_of(
        found, name=place.name, source="mlflow", notes=notes, pick=False, newest_by=_ROLES
    )


def _label(runs: list[Result], role: str) -> str | None:
    """Return the parameter or tag that every run has and whose name is used for a role."""
    shared = [label for label in runs[0].labels if all(label in run.labels for run in runs)]
    return next((label for label in shared if has_role(label, role)), None)


def _with_roles(run: Result, roles: Mapping[str, str | None]) -> Result:
    named: dict[str, Any] = {role: run.labels[name] for role, name in roles.items() if name}
    kept = {
        name: value
        for name, value in run.labels.items()
        if name not in roles.values() and squeezed(name) not in _KEYS
    }
    return replace(run, **named, status=_ENDED[run.status], labels=kept)


_KEYS = (*_ROLES, "status")


def _run(
    experiment: str,
    name: str,
    status: str,
    begun: float,
    ended: float | None,
    labels: Mapping[str, str],
    metrics: Mapping[str, float],
) -> Result:
    costs = {key: value for key, value in metrics.items() if is_known_cost(key)}
    if ended is not None:
        costs.setdefault("duration", (ended - begun) / 1000)
    scores = {key: value for key, value in metrics.items() if key not in costs}
    when = f"{begun:020.0f}"
    return Result(experiment, name, scores, costs, status=status, when=when, labels=labels)


def _runs(path: Path) -> Iterator[Result]:
    return _in_folder(path) if path.name == "meta.yaml" else _in_database(path)


# --- a database ----------------------------------------------------------------------------


def _in_database(path: Path) -> Iterator[Result]:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute(
                "SELECT run_uuid, e.name, r.name, status, start_time, end_time FROM runs AS r "
                "JOIN experiments AS e USING (experiment_id) WHERE r.lifecycle_stage = 'active' "
                "ORDER BY start_time"
            ).fetchall()
            tags, params, metrics = (
                _by_run(database, f"SELECT run_uuid, key, value FROM {table}")
                for table in ("tags", "params", "latest_metrics WHERE NOT is_nan")
            )
    except sqlite3.Error as error:
        raise UnreadableError("source", f"{path.name} is no tracking store: {error}") from error
    for run, experiment, name, status, begun, ended in rows:
        yield _run(
            experiment,
            name or run,
            status,
            begun,
            ended,
            _told({**tags.get(run, {}), **params.get(run, {})}),
            {key: float(value) for key, value in metrics.get(run, {}).items()},
        )


def _by_run(database: sqlite3.Connection, query: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for run, key, value in database.execute(query):
        found.setdefault(run, {})[key] = value
    return found


def _told(labels: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in labels.items() if not key.startswith("mlflow.")}


# --- a folder ------------------------------------------------------------------------------


def _in_folder(path: Path) -> Iterator[Result]:
    """Yield the run that a ``meta.yaml`` is of."""
    folder, about = path.parent, _fields(path)
    if about.get("lifecycle_stage") != "active":
        return
    tags, params, metrics = (_texts(folder / kind) for kind in ("tags", "params", "metrics"))
    experiment = folder.parent / "meta.yaml"
    last = {key: number(text.split("\n")[-1].split()[1]) for key, text in metrics.items() if text}
    yield _run(
        _fields(experiment)["name"] if experiment.is_file() else folder.parent.name,
        about.get("run_name") or folder.name,
        about["status"],
        float(about["start_time"]),
        number(about.get("end_time")),
        {**_told(tags), **params},
        {key: value for key, value in last.items() if value is not None},
    )


def _fields(path: Path) -> dict[str, str]:
    """Read a flat file of YAML: a name and a value in every line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (re.fullmatch(r"(\w+): *(.*)", line) for line in lines)
    return {pair[1]: pair[2].strip("'\"") for pair in pairs if pair}


def _texts(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        return {}
    return {
        path.name: path.read_text(encoding="utf-8").strip()
        for path in sorted(folder.iterdir())
        if path.is_file()
    }
