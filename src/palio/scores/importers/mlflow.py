"""MLflow: a tracking store, as SQLite (``mlflow:sqlite:///mlflow.db``) or as a folder (mlruns).

A run is a result. What it is of, its parameters and tags say, under the names that people use for
algorithms, data sets, folds and seeds; otherwise its name and that of its experiment.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from palio.errors import UnreadableError
from palio.measures import is_known_cost
from palio.scores.columns import squeezed
from palio.scores.importers.results import Result, ResultSet, number, numbers_in
from palio.scores.vocabulary import has_role
from palio.words import count

_STATES = {"3": "FINISHED", "4": "FAILED", "5": "KILLED"}  # numbers in folders
_ENDED = {"FINISHED": "ok", "FAILED": "failed", "KILLED": "killed"}
_ROLES = ("dataset", "algorithm", "repeat", "fold", "seed")
_RUNS = """
    SELECT run_uuid, e.name, coalesce(nullif(r.name, ''), run_uuid), status, start_time, end_time
    FROM runs AS r JOIN experiments AS e USING (experiment_id)
    WHERE r.lifecycle_stage = 'active' ORDER BY start_time
"""


def read_mlflow(files: list[Path], place: Path) -> ResultSet:
    """Read the runs that have ended, each with the last value of its metrics."""
    readers = ((_in_folder if path.name == "meta.yaml" else _in_database, path) for path in files)
    runs = [run for read, path in readers for run in read(path)]
    ended = [run for run in runs if run.keys["status"] in _ENDED]
    if not ended:
        raise UnreadableError("source", f"no run in {place.name!r} has ended")
    shared = [name for name in ended[0].keys if all(name in run.keys for run in ended)]
    # The parameter or tag that every run has and whose name is used for a role.
    named = {
        role: name
        for role in _ROLES
        if (name := next((each for each in shared if has_role(each, role)), None))
    }
    algorithm, dataset = named.get("algorithm", "run name"), named.get("dataset", "experiment")
    told = f"{algorithm} is the algorithm and {dataset} is the dataset"
    notes = [f"{count(len(ended), 'run')} of MLflow: {told}."]
    if len(ended) < len(runs):
        notes.append(f"{count(len(runs) - len(ended), 'run has', 'runs have')} not ended.")
    found = []
    for run in ended:
        roles = {role: run.keys[name] for role, name in named.items()}
        own = {name: roles.pop(name, getattr(run, name)) for name in ("dataset", "algorithm")}
        labels = {n: v for n, v in run.keys.items() if squeezed(n) not in _ROLES}
        labels = {n: v for n, v in labels.items() if n not in named.values()}
        keys = {**labels, **roles, "status": _ENDED[run.keys["status"]]}
        found.append(replace(run, **own, keys=keys))
    return ResultSet(found, notes, newest_by=_ROLES, picks_score=False)


def _result(
    about: Sequence[Any], labels: Mapping[str, str], metrics: Mapping[str, float]
) -> Result:
    """Return a run; what is told about it are its experiment, name, status, begin and end."""
    experiment, name, status, begun, ended = about
    costs = {key: value for key, value in metrics.items() if is_known_cost(key)}
    if ended is not None:
        costs.setdefault("duration", (float(ended) - float(begun)) / 1000)
    scores = {key: value for key, value in metrics.items() if key not in costs}
    keys = {key: value for key, value in labels.items() if not key.startswith("mlflow.")}
    when = f"{float(begun):020.0f}"
    return Result(experiment, name, scores, costs, {**keys, "status": status}, when)


def _in_database(path: Path) -> Iterator[Result]:
    found: dict[str, dict[str, dict[str, Any]]] = {}
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute(_RUNS).fetchall()
            for kind in ("tags", "params", "latest_metrics WHERE NOT is_nan"):
                by_run = found.setdefault(kind[:4], defaultdict(dict))
                for run, key, value in database.execute(f"SELECT run_uuid, key, value FROM {kind}"):
                    by_run[run][key] = value
    except sqlite3.Error as error:
        raise UnreadableError("source", f"{path.name} is no tracking store: {error}") from error
    for run, *about in rows:
        yield _result(about, found["tags"][run] | found["para"][run], found["late"][run])


def _in_folder(path: Path) -> Iterator[Result]:
    """Yield the run that a ``meta.yaml`` is of."""
    folder, about = path.parent, _fields(path)
    if about.get("lifecycle_stage") != "active":
        return
    tags, params, metrics = (_texts(folder / kind) for kind in ("tags", "params", "metrics"))
    experiment = folder.parent / "meta.yaml"
    last = {key: text.split("\n")[-1].split()[1] for key, text in metrics.items() if text}
    told = (
        _fields(experiment)["name"] if experiment.is_file() else folder.parent.name,
        about.get("run_name") or folder.name,
        _STATES.get(about["status"], about["status"]),
        about["start_time"],
        number(about.get("end_time")),
    )
    yield _result(told, tags | params, numbers_in(last, last))


def _fields(path: Path) -> dict[str, str]:
    """Read a flat file of YAML: a name and a value in every line."""
    pairs = re.findall(r"^(\w+): *(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: value.strip("'\"") for name, value in pairs}


def _texts(folder: Path) -> dict[str, str]:
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return {path.name: path.read_text(encoding="utf-8").strip() for path in files if path.is_file()}
