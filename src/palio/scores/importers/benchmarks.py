"""Benchmarks that publish tables: a row per result, or a column per algorithm or resample."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import UnreadableError
from palio.measures import is_known_score, measure_named
from palio.scores.columns import Columns, Known, Texts
from palio.scores.formats import opened, read_file, text_of
from palio.scores.formats.arff import read_quoted
from palio.scores.formats.packing import plain_name
from palio.scores.importers.results import Result, ResultSet
from palio.scores.importers.tables import stacked
from palio.words import count, listed

if TYPE_CHECKING:
    from palio.scores.columns import Column


def _cells(table: Columns, name: str) -> list[str]:
    column = table.values[name]
    cells = column.cells if isinstance(column, Texts) else column.to_list()
    return [str(cell).strip() for cell in cells]


def _renamed(table: Columns, names: Mapping[str, str]) -> dict[str, Column]:
    return {names.get(name.lower(), name): column for name, column in table.values.items()}


def _refuse_several(measures: Sequence[str], place: Path, what: str, remedy: str) -> None:
    if len(measures) > 1:
        told = f"{place.name!r} holds {what} of several measures: {listed(measures)}"
        raise UnreadableError("source", told, remedy=remedy)


# --- TabArena: the error of each data set is of its own metric -------------------------------


def read_tabarena(files: list[Path], place: Path) -> Columns:
    """Read results; those that were imputed, because the method failed, are missing."""
    table = stacked([read_file(path, "source") for path in files], place.name)
    values, notes = _renamed(table, {"method": "algorithm"}), table.notes
    imputed = values.pop("imputed", None)
    if isinstance(imputed, Texts) and "status" not in values:
        failed = [cell.strip().lower() in ("true", "1", "1.0") for cell in imputed.cells]
        values["status"] = Texts(["failed" if each else "ok" for each in failed])
        are = ("result was imputed by TabArena and is", "results were imputed by TabArena and are")
        notes += (f"{count(sum(failed), *are)} missing here.",) if any(failed) else ()
    costs = tuple(name for name in ("time_train_s", "time_infer_s") if name in values)
    known = Known("tabarena", "metric_error", {"metric_error": False}, costs)
    return Columns(values, table.origin, notes, known)


# --- ASlib: a row per instance, repetition and algorithm, with its status --------------------

_ASLIB = {"instance_id": "dataset", "repetition": "repeat", "runstatus": "status"}


def read_aslib(files: list[Path], place: Path) -> Columns:
    """Read runs: each instance is a data set, and a run that is not ok has no value."""
    tables = [read_file(path, "source", "arff") for path in files]
    # The first measure is the one that the description calls the main one.
    keys = (*_ASLIB, "algorithm")
    first = [next(name for name in table.names if name.lower() not in keys) for table in tables]
    measures = list(dict.fromkeys(first))
    _refuse_several(measures, place, "runs", "Give one of its files")
    directions = {"runtime": False}
    for path in files:
        directions |= _described(path.parent / "description.txt")
    table = stacked(tables, place.name)
    told = f"ASlib, {count(len(files), 'file')}: each instance is a data set, the score is "
    known = Known("aslib", measures[0], directions)
    notes = (*table.notes, f"{told}{measures[0]}.")
    return Columns(_renamed(table, _ASLIB), table.origin, notes, known)


def _described(path: Path) -> dict[str, bool]:
    """Return which way the measures go, by the description beside the runs."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    names, ups = (_listed_under(key, text) for key in ("performance_measures", "maximize"))
    return {name: up.lower() == "true" for name, up in zip(names, ups, strict=False)}


def _listed_under(key: str, text: str) -> list[str]:
    r"""Return the entries of a list in YAML, in a line or below each other.

    >>> _listed_under("maximize", "maximize:\n- false\n- true\nx: 1")
    ['false', 'true']
    >>> _listed_under("maximize", "x: 1\nmaximize: [false]")
    ['false']
    """
    found = re.search(rf"^{key}:([^\n]*(?:\n\s*-[^\n]*)*)", text, re.MULTILINE)
    return re.findall(r"[^\s\[\],'\"-]+", found[1]) if found else []


# --- WEKA's Experimenter: a row per data set, run, fold and scheme, as CSV or ARFF -----------

_WEKA = {"key_dataset": "dataset", "key_run": "repeat", "key_fold": "fold"}


def read_weka(files: list[Path], place: Path) -> Columns:
    """Read experiments; a scheme is named by its class, with its options where it has several."""
    table = stacked(list(map(_weka_table, files)), place.name)
    values = {**_renamed(table, _WEKA), "algorithm": Texts(_schemes(table))}
    kept = {name: column for name, column in values.items() if not name.startswith("Key_")}
    scores = ("Percent_correct", "Root_mean_squared_error")  # of classes, of numbers
    costs = tuple(
        name
        for name in ("Elapsed_Time_training", "Elapsed_Time_testing")
        if name in kept and bool((table.numbers(name).values >= 0).all())
    )
    score = next((name for name in scores if name in kept), None)
    return Columns(kept, table.origin, table.notes, Known("weka", score, costs=costs))


def _weka_table(path: Path) -> Columns:
    if ".arff" in path.name:
        return read_file(path, "source", "arff")
    with opened(path, "source"):
        return read_quoted(text_of(path), path.name)


def _schemes(table: Columns) -> list[str]:
    schemes = _cells(table, "Key_Scheme")
    short = [name.rpartition(".")[2] for name in schemes]
    if "Key_Scheme_options" not in table.names:
        return short
    options = _cells(table, "Key_Scheme_options")
    kinds = Counter(name for name, *_ in set(zip(short, schemes, options, strict=True)))
    return [
        name if kinds[name] == 1 else f"{name} {given}".strip()
        for name, given in zip(short, options, strict=True)
    ]


# --- tsml and aeon: a file per estimator and measure, a column per resample ------------------


def read_tsml(files: list[Path], place: Path) -> ResultSet:
    """Read files named ``ESTIMATOR_MEASURE.csv``; resamples are hold-outs, so repeats."""
    results, measures = list[Result](), dict[str, None]()
    for path in files:
        estimator, _, measure = plain_name(path.name).removesuffix(".csv").rpartition("_")
        estimator, measure = (estimator, measure) if estimator else (measure, "accuracy")
        measures[measure] = None
        table = read_file(path, "source")
        datasets = table.coded(table.names[0])
        results += [
            Result(datasets.name(row), estimator, {measure: score}, repeat=resample)
            for resample in table.names[1:]
            for row, score in enumerate(table.numbers(resample).checked().tolist())
        ]
    remedy = f"Give those of one in quotation marks: '{place}/*_{next(iter(measures))}.csv'"
    _refuse_several(list(measures), place, "files", remedy)
    note = f"{count(len(files), 'file')} of tsml or aeon: an estimator each, resamples as repeats."
    return ResultSet(results, [note], newest_by=())


# --- the AutoML benchmark --------------------------------------------------------------------
#
# A row per framework, task and fold, or a summary with a column per framework. Its ``result`` goes
# up on some tasks (AUC) and down on others (log-loss, RMSE); what is asked about is ``score``,
# which is the same turned so that higher is better.

_APART = ("constraint", "version", "mode", "tag")  # what tells several runs of a framework apart
_LABELS = (*_APART, "type", "metric")
_COSTS = ("duration", "training_duration", "predict_duration")
_OTHERS = ("acc", "auc", "logloss", "balacc", "rmse", "mae", "r2")
_BY_TYPE = {"binary": "auc", "multiclass": "logloss", "regression": "rmse"}
_TIME = re.compile(r"time ?out|requested time|time limit|timelimit", re.IGNORECASE)
_MEMORY = re.compile(r"memory|oom\b", re.IGNORECASE)
_SUMMARY = re.compile(r"([-+.\deE]+)(\s*\(\d+\))?")


def read_amlb(files: list[Path], _place: Path) -> ResultSet:
    """Read results, long or in summary; a failed fold is missing, its reason is the status."""
    results, notes = list[Result](), list[str]()
    for path in files:
        table = read_file(path, "source")
        found, more = _long(table) if "fold" in table.names else _summary(table)
        results += found
        notes += [*table.notes, *more]
    return ResultSet(results, list(dict.fromkeys(notes)), {"score": True}, newest_by=())


def _long(table: Columns) -> tuple[list[Result], list[str]]:
    text = {name: _cells(table, name) for name in table.names}
    algorithms, notes = _named_apart(text)
    scores, text["metric"], told = _turned(table, text)
    numbers = {name: table.numbers(name).values for name in (*_COSTS, *_OTHERS) if name in text}
    info, results = text.get("info", [""] * len(table)), []
    for row, score in enumerate(scores):
        failed, others = np.isnan(score), ((n, numbers[n][row]) for n in _OTHERS if n in numbers)
        there = {"score": score} | {n: float(each) for n, each in others if not np.isnan(each)}
        results.append(
            Result(
                text["task"][row],
                algorithms[row],
                {} if failed else there,
                {name: float(numbers[name][row]) for name in _COSTS if name in numbers},
                fold=text["fold"][row],
                status=_status(info[row]) if failed else "ok",
                labels={name: text[name][row] for name in _LABELS if name in text},
            )
        )
    return results, [*notes, told]


def _named_apart(text: Mapping[str, list[str]]) -> tuple[list[str], list[str]]:
    """Return the names of the frameworks, with what tells runs apart where there are several."""
    frameworks = text["framework"]
    for name in ("", *_APART):
        keys = [text[key] for key in ("task", "framework", "fold", name) if key in text]
        if len(set(zip(*keys, strict=True))) == len(frameworks):
            if not name:
                break
            pairs = zip(frameworks, text[name], strict=True)
            note = f"A framework was run more than once, so its {name} is in its name."
            return [f"{each} ({what})" for each, what in pairs], [note]
    return frameworks, []  # where rows repeat others, validation says which


def _turned(table: Columns, text: Mapping[str, list[str]]) -> tuple[list[float], list[str], str]:
    """Return the scores, higher is better, what they measure, and what to note.

    They are as they stand, or the results turned by their metric.
    """
    if "score" in text:
        by_type = [_BY_TYPE.get(each, "") for each in text.get("type", [])]
        metrics = text.get("metric") or by_type or [""] * len(table)
        told = "The score is the benchmark's own: its result turned so that higher is better."
        return table.numbers("score").values.tolist(), metrics, told
    results = table.numbers("result").values.tolist()
    metrics = text.get("metric") or _metrics_by_column(table, results)
    known = {
        each: measure_named(each) for each in sorted({*metrics} - {""}) if is_known_score(each)
    }
    down = [each for each, measure in known.items() if not measure.higher_is_better]
    scores = [-each if how in down else each for each, how in zip(results, metrics, strict=True)]
    kinds = [f"minus {each}" if each in down else each for each in sorted({*metrics} - {""})]
    told = f"The score is the result, turned so that higher is better: {listed(kinds)}."
    return scores, metrics, told


def _metrics_by_column(table: Columns, results: list[float]) -> list[str]:
    """Return of each result the measure whose column has the same value."""
    columns = {n: table.numbers(n).values for n in ("auc", "logloss", "rmse") if n in table.names}
    found = []
    for row, result in enumerate(results):
        same = next((name for name, values in columns.items() if values[row] == result), "")
        if not same and not np.isnan(result):
            raise UnreadableError(
                "source",
                f"{table.origin.name} does not tell what its result measures in "
                f"{table.origin.at(np.array([row]))}",
                remedy="Give a table with a column metric or score",
            )
        found.append(same)
    return found


def _status(info: str) -> str:
    if not info:
        return "missing"
    return "timeout" if _TIME.search(info) else "memory" if _MEMORY.search(info) else "failed"


def _summary(table: Columns) -> tuple[list[Result], list[str]]:
    """Read a row per task and a column per framework.

    ``(2)`` behind a number: two folds failed, and the benchmark imputed them.
    """
    kinds, tasks = _cells(table, "type"), _cells(table, "task")
    results, imputed = [], []
    for framework in (name for name in table.names if name not in ("type", "task")):
        for kind, task, cell in zip(kinds, tasks, _cells(table, framework), strict=True):
            found = _SUMMARY.fullmatch(cell)
            scores = {"score": float(found[1]) * (1 if kind == "binary" else -1)} if found else {}
            if found and found[2]:
                imputed.append(f"{framework} on {task}")
            labels = {"type": kind, "metric": _BY_TYPE.get(kind, "")}
            status = "ok" if found else "missing"
            results.append(Result(task, framework, scores, status=status, labels=labels))
    notes = ["The score is AUC on binary tasks and minus log-loss on the others."]
    if imputed:
        where = f"{count(len(imputed), 'score')}: {listed(imputed)}"
        notes.append(f"The benchmark imputed failed folds in {where}.")
    return results, notes
