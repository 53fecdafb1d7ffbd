"""scikit-learn's ``cross_validate`` by name and its searches, Optuna's trials, and MLflow's runs.

scikit-learn's scorers are all such that higher is better: losses are negated. Others do not say.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from palio.errors import CellError
from palio.measures import is_known_cost
from palio.scores.columns import Columns, Known, Texts
from palio.scores.frames import from_mapping, from_pandas, table_name
from palio.scores.importers.tables import cells_of, note_on, stacked
from palio.scores.vocabulary import algorithm_share, dataset_share, has_role
from palio.words import count

if TYPE_CHECKING:
    import pandas as pd

_SPLIT = re.compile(r"split(?P<fold>\d+)_(?P<score>test_\w+)")
_COSTS = ("fit_time", "score_time")
_Cell: TypeAlias = tuple[str, str, Mapping[str, Any]]


def read(source: Any, parameter: str) -> Columns:
    """Read the scores on every fold; the folds are taken for those of one cross-validation."""
    import pandas as pd

    name = table_name(parameter)
    if hasattr(source, "cv_results_"):
        return from_mapping(source.cv_results_, name)  # which is recognised by its columns
    cells, told = _cells(source)
    frames = {}
    for dataset, algorithm, values in cells:
        used = {key: each for key, each in values.items() if _is_score(key) or key in _COSTS}
        try:
            frames[str(dataset), str(algorithm)] = pd.DataFrame(used, dtype=float)
        except ValueError as error:
            rule = f"{algorithm!r} on {dataset!r} needs scores on the same folds"
            raise CellError("source", rule) from error
    frame = pd.concat(frames, names=["dataset", "algorithm", "fold"]).reset_index()
    return _validated(frame.assign(fold=frame["fold"] + 1), name, told)


def _validated(frame: pd.DataFrame, name: str, told: str) -> Columns:
    """Return a row per fold as columns, with what scikit-learn says of its scores."""
    scores = [str(each) for each in frame if _is_score(each)]
    shared = [each for each in (*scores, *_COSTS) if each in frame and frame[each].notna().all()]
    score = next(filter(_is_score, shared), None)
    costs = tuple(each for each in _COSTS if each in shared)
    known = Known("scikit-learn", score, dict.fromkeys(scores, True), costs)
    return from_pandas(frame, name).noted(told, known=known)


def _cells(found: Mapping[Any, Any]) -> tuple[list[_Cell], str]:
    """Return what `cross_validate` gave for each data set and algorithm, and what to note.

    Names of data sets come first, unless the names themselves say that they are of algorithms.
    """
    told = "the folds are taken for those of one cross-validation."
    if all(isinstance(key, tuple) and len(key) == 2 for key in found):
        keyed = [(first, second, each) for (first, second), each in found.items()]
    elif all(any(map(_is_score, each)) for each in found.values()):
        # A single data set has no name of its own.
        return [("data", *each) for each in found.items()], f"Results of cross_validate; {told}"
    else:
        keyed = [(first, *each) for first, below in found.items() for each in below.items()]
    outer, inner = ([str(cell[place]) for cell in keyed] for place in (0, 1))
    order = "data set and algorithm"
    as_given = dataset_share(outer) + algorithm_share(inner)
    if algorithm_share(outer) + dataset_share(inner) > as_given:
        keyed = [(second, first, each) for first, second, each in keyed]
        order = "algorithm and data set"
    return keyed, f"Results of cross_validate by {order}; {told}"


def _is_score(key: object) -> bool:
    return str(key).startswith("test_")


def of_search(columns: Columns) -> Columns:
    """Read a search over parameters, as it is or saved as a table; candidates are algorithms."""
    import pandas as pd

    column = columns.values["params"]
    candidates = column.cells if isinstance(column, Texts) else column.tolist()
    every: dict[str, Any] = {"dataset": "data", "algorithm": [_called(each) for each in candidates]}
    for cost in _COSTS:
        if f"mean_{cost}" in columns.names:
            every[cost] = columns.numbers(f"mean_{cost}").checked()
    folds: dict[int, dict[str, Any]] = defaultdict(every.copy)
    for split in filter(None, map(_SPLIT.fullmatch, columns.names)):
        folds[int(split["fold"]) + 1][split["score"]] = columns.numbers(split[0]).checked()
    told = f"{count(len(columns), 'candidate')} of a search, each an algorithm."
    frames = [pd.DataFrame(folds[fold]).assign(fold=fold) for fold in sorted(folds)]
    found = _validated(pd.concat(frames, ignore_index=True), columns.origin.name, told)
    return replace(found, context=columns.context)


def _called(parameters: Mapping[str, Any] | str) -> str:
    """Return a short name of a candidate.

    >>> _called({"C": 1.0, "kernel": "rbf"}), _called("{'C': 1.0, 'kernel': 'rbf'}")
    ('C=1.0, kernel=rbf', 'C=1.0, kernel=rbf')
    """
    if isinstance(parameters, str):
        return re.sub(r"'(\w+)': '?([^,']*)'?", r"\1=\2", parameters).strip("{}") or "default"
    return ", ".join(f"{key}={value}" for key, value in parameters.items()) or "default"


def of_trials(columns: Columns) -> Columns:
    """Read the trials of a study of Optuna: parameters are algorithms, and durations seconds."""
    import pandas as pd

    done = np.array([each == "COMPLETE" for each in cells_of(columns, "state")])
    told = f"{count(int(done.sum()), 'trial')} of a study, each an algorithm"
    told += "." if done.all() else f"; {count(int((~done).sum()), 'trial')} not completed left out."
    columns = columns.take(done)
    given = [name for name in columns.names if name.startswith("params_")]
    rows = zip(*(cells_of(columns, name) for name in given), strict=True)
    called = [
        ", ".join(f"{name[7:]}={cell}" for name, cell in zip(given, row, strict=True) if cell)
        for row in rows
    ]
    values: dict[str, Any] = {"trial": Texts([name or "default" for name in called])}
    for name in columns.names:
        own = name.removeprefix("user_attrs_")
        if name.startswith("value") or has_role(own, "dataset"):
            values[own] = columns.values[name]
    if "duration" in columns.names:
        taken = pd.to_timedelta(cells_of(columns, "duration")).total_seconds()
        values["duration"] = pd.Series(taken)
    return columns.noted(told, values=values)


# --- MLflow: a frame of its `search_runs`, or a tracking store -------------------------------

_ENDED = {"FINISHED": "ok", "FAILED": "failed", "KILLED": "killed"}
_ROLES = ("dataset", "algorithm", "repeat", "fold", "seed")
_RUNS = """
    SELECT run_uuid AS run_id, e.name AS experiment_id, status,
           coalesce(nullif(r.name, ''), run_uuid) AS "tags.mlflow.runName",
           strftime('%Y-%m-%d %H:%M:%f', start_time / 1000.0, 'unixepoch') AS start_time,
           strftime('%Y-%m-%d %H:%M:%f', end_time / 1000.0, 'unixepoch') AS end_time
    FROM runs AS r JOIN experiments AS e USING (experiment_id)
    WHERE r.lifecycle_stage = 'active'
"""
_CELLS = """
    SELECT run_uuid AS run_id, 'params.' || key AS name, value FROM params
    UNION ALL SELECT run_uuid, 'tags.' || key, value FROM tags WHERE key NOT LIKE 'mlflow.%'
    UNION ALL SELECT run_uuid, 'metrics.' || key, value FROM latest_metrics WHERE NOT is_nan
"""


def read_mlflow(files: list[Path], place: Path) -> Columns:
    """Read the runs in tracking stores, each with the last value of its metrics."""
    import pandas as pd

    tables = []
    for path in files:
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as database:
            runs, cells = (pd.read_sql(query, database) for query in (_RUNS, _CELLS))
        found = runs.join(cells.pivot(index="run_id", columns="name", values="value"), on="run_id")
        tables.append(from_pandas(found.astype(object), place.name))
    return of_runs(stacked(tables, place.name))


def of_runs(columns: Columns) -> Columns:
    """Read the runs that have ended; their parameters and tags say what each is of.

    Where none names the algorithm or the data set, the names of run and experiment do. Of runs of
    the same the last is taken.
    """
    import pandas as pd

    every = pd.DataFrame({name: cells_of(columns, name) for name in columns.names})
    every["status"] = every["status"].map(_ENDED)
    runs = every.dropna(subset="status").sort_values("start_time", kind="stable")
    if runs.empty:
        raise CellError("source", f"no run in {columns.origin.name} has ended")
    given = [
        name for name in columns.names if name.startswith(("params.", "tags.")) and all(runs[name])
    ]
    named = {"algorithm": "tags.mlflow.runName", "dataset": "experiment_id"}
    for role in _ROLES:
        used = (name for name in given if has_role(name.partition(".")[2], role))
        if (name := next(used, None)) is not None:
            named[role] = name
    begun, ended = (pd.to_datetime(runs[f"{each}_time"], utc=True) for each in ("start", "end"))
    runs["metrics.duration"] = (ended - begun).dt.total_seconds()
    last = runs.drop_duplicates([*named.values()], keep="last")
    found = {role: last[name] for role, name in named.items()} | {"status": last["status"]}
    for name in (*columns.names, "metrics.duration"):
        kind, _, own = name.partition(".")
        if kind in ("params", "metrics") and name not in named.values():
            found[own if own not in found else name] = last[name]
    told = f"{named['algorithm']} is the algorithm and {named['dataset']} is the dataset"
    notes = [f"{count(len(runs), 'run')} of MLflow: {told}."]
    if len(runs) < len(every):
        n_left = len(every) - len(runs)
        notes.append(f"{count(n_left, 'run has', 'runs have')} not ended.")
    older = runs.drop(last.index)[named["algorithm"]].tolist()
    notes += note_on(f"{count(len(older), 'run')} left out, because there is a newer one", older)
    costs = [name for name, cells in found.items() if is_known_cost(name) and cells.ne("").all()]
    frame = pd.DataFrame(found).reset_index(drop=True)
    return from_pandas(frame, columns.origin.name).noted(
        *notes, known=Known("mlflow", costs=tuple(costs))
    )
