"""AutoML benchmark: a row per framework, task and fold, or a summary with a column per framework.

Its ``result`` goes up on some tasks (AUC) and down on others (log-loss, RMSE); what is asked about
is ``score``, which is the same turned so that higher is better.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from palio.errors import UnreadableError
from palio.measures import is_known_score, measure_named
from palio.scores.columns import Columns, Texts
from palio.scores.formats import read_file
from palio.scores.importers.results import Result, columns_of
from palio.words import count, listed

_KEYS = ("task", "framework", "fold")
_APART = ("constraint", "version", "mode", "tag")  # what tells several runs of a framework apart
_LABELS = (*_APART, "type", "metric")
_COSTS = ("duration", "training_duration", "predict_duration")
_OTHERS = ("acc", "auc", "logloss", "balacc", "rmse", "mae", "r2")
_BY_TYPE = {"binary": "auc", "multiclass": "logloss", "regression": "rmse"}
_TIME = re.compile(r"time ?out|requested time|time limit|timelimit", re.IGNORECASE)
_MEMORY = re.compile(r"memory|oom\b", re.IGNORECASE)


def read(files: list[Path], place: Path) -> Columns:
    """Read results, long or in summary; a failed fold is missing, its reason is the status."""
    results: list[Result] = []
    told: list[str] = []
    for path in files:
        table = read_file(path, "source")
        found, more = _long(table) if "fold" in table.names else _summary(table)
        results += found
        told += [*table.notes, *more]
    return columns_of(
        results,
        name=place.name,
        source="amlb",
        directions={"score": True},
        notes=list(dict.fromkeys(told)),
    )


# --- long ----------------------------------------------------------------------------------


def _long(table: Columns) -> tuple[list[Result], list[str]]:
    text = {name: _cells(table, name) for name in table.names}
    algorithms, notes = _named_apart(text)
    scores, metrics, told = _turned(table, text)
    costs = {name: _numbers(table, name) for name in _COSTS if name in text}
    others = {name: _numbers(table, name) for name in _OTHERS if name in text}
    labels = {name: text[name] for name in _LABELS if name in text}
    labels["metric"] = metrics
    info = text.get("info", [""] * len(table))
    results = []
    for row, score in enumerate(scores):
        there = {name: values[row] for name, values in others.items() if not np.isnan(values[row])}
        results.append(
            Result(
                text["task"][row],
                algorithms[row],
                {} if np.isnan(score) else {"score": score, **there},
                {name: values[row] for name, values in costs.items()},
                fold=text["fold"][row],
                status=_status(info[row]) if np.isnan(score) else "ok",
                labels={name: values[row] for name, values in labels.items()},
            )
        )
    return results, [*notes, *told]


def _cells(table: Columns, name: str) -> list[str]:
    column = table.values[name]
    cells = column.cells if isinstance(column, Texts) else column.to_list()
    return [str(cell).strip() for cell in cells]


def _numbers(table: Columns, name: str) -> list[float]:
    return list(map(float, table.numbers(name).values))


def _named_apart(text: dict[str, list[str]]) -> tuple[list[str], list[str]]:
    """Return the names of the frameworks, with what tells runs apart where there are several."""
    keys = [text[name] for name in _KEYS]
    frameworks = text["framework"]
    if _unique(keys):
        return frameworks, []
    for name in _APART:
        if name in text and _unique([*keys, text[name]]):
            several = [
                f"{each} ({what})" for each, what in zip(frameworks, text[name], strict=True)
            ]
            return several, [f"A framework was run more than once, so its {name} is in its name."]
    return frameworks, []  # validation says which rows repeat others


def _unique(keys: Sequence[Sequence[str]]) -> bool:
    return max(Counter(zip(*keys, strict=True)).values()) == 1


def _turned(table: Columns, text: dict[str, list[str]]) -> tuple[list[float], list[str], list[str]]:
    """Return the scores, higher is better, what they measure, and what to note.

    They are as they stand, or the results turned by their metric.
    """
    if "score" in text:
        by_type = [_BY_TYPE.get(each, "") for each in text.get("type", [])]
        metrics = text.get("metric") or by_type or [""] * len(table)
        return (
            _numbers(table, "score"),
            metrics,
            ["The score is the benchmark's own: its result turned so that higher is better."],
        )
    results = _numbers(table, "result")
    metrics = text.get("metric") or _metrics_by_column(table, results)
    down = {
        each
        for each in set(metrics)
        if is_known_score(each) and not measure_named(each).higher_is_better
    }
    scores = [-each if how in down else each for each, how in zip(results, metrics, strict=True)]
    kinds = [f"minus {each}" if each in down else each for each in sorted(set(metrics)) if each]
    return (
        scores,
        metrics,
        [f"The score is the result, turned so that higher is better: {listed(kinds)}."],
    )


def _metrics_by_column(table: Columns, results: list[float]) -> list[str]:
    """Return of each result the measure whose column has the same value."""
    columns = [name for name in ("auc", "logloss", "rmse") if name in table.names]
    values = [_numbers(table, name) for name in columns]
    found = []
    for row, result in enumerate(results):
        same = (name for name, column in zip(columns, values, strict=True) if column[row] == result)
        found.append("" if np.isnan(result) else next(same, "?"))
    if "?" in found:
        raise UnreadableError(
            "source",
            f"{table.origin.name} does not tell what its result measures in "
            f"{table.origin.at(np.array([found.index('?')]))}",
            remedy="Give a table with a column metric or score",
        )
    return found


def _status(info: str) -> str:
    if not info:
        return "missing"
    return "timeout" if _TIME.search(info) else "memory" if _MEMORY.search(info) else "failed"


# --- summary -------------------------------------------------------------------------------

_CELL = re.compile(r"([-+.\deE]+)(\s*\(\d+\))?")


def _summary(table: Columns) -> tuple[list[Result], list[str]]:
    """Read a row per task and a column per framework.

    ``(2)`` behind a number: two folds failed, and the benchmark imputed them.
    """
    kinds, tasks = _cells(table, "type"), _cells(table, "task")
    results, imputed = [], []
    for framework in table.names:
        if framework in ("type", "task"):
            continue
        for row, cell in enumerate(_cells(table, framework)):
            found = _CELL.fullmatch(cell)
            score = float(found[1]) * (1 if kinds[row] == "binary" else -1) if found else None
            if found and found[2]:
                imputed.append(f"{framework} on {tasks[row]}")
            scores = {} if score is None else {"score": score}
            status = "missing" if score is None else "ok"
            kind = {"type": kinds[row], "metric": _BY_TYPE.get(kinds[row], "")}
            results.append(Result(tasks[row], framework, scores, status=status, labels=kind))
    notes = ["The score is AUC on binary tasks and minus log-loss on the others."]
    if imputed:
        where = f"{count(len(imputed), 'score')}: {listed(imputed)}"
        notes.append(f"The benchmark imputed failed folds in {where}.")
    return results, notes
