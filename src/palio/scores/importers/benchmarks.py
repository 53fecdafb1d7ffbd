"""Benchmarks that publish tables: a row per result, or a column per algorithm or resample."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import UnreadableError
from palio.measures import is_known_score, measure_named
from palio.scores.columns import Columns, Known, Origin, Texts
from palio.scores.formats import opened, read_file, text_of
from palio.scores.formats.content import plain_name
from palio.scores.formats.text import read_quoted
from palio.scores.frames import from_pandas
from palio.scores.importers.tables import cells_of, stacked
from palio.words import count, listed

if TYPE_CHECKING:
    from palio.scores.columns import Column


def _with_roles(table: Columns, roles: Mapping[str, str], **more: Column) -> Columns:
    """Return a table with roles for the names of columns, and with columns put in."""
    named = {roles.get(name.lower(), name): column for name, column in table.values.items()}
    return replace(table, values={**named, **more})


def _refuse_several(measures: Sequence[str], place: Path, what: str, remedy: str) -> None:
    if len(set(measures)) > 1:
        told = f"{place.name!r} holds {what} of several measures: {listed(dict.fromkeys(measures))}"
        raise UnreadableError("source", told, remedy=remedy)


# --- TabArena: the error of each data set is of its own metric -------------------------------


def read_tabarena(files: list[Path], place: Path) -> Columns:
    """Read results; those that were imputed, because the method failed, are missing."""
    table = _with_roles(
        stacked([read_file(path, "source") for path in files], place.name), {"method": "algorithm"}
    )
    if "imputed" in table.names and "status" not in table.names:
        failed = [cell.lower() in ("true", "1", "1.0") for cell in cells_of(table, "imputed")]
        status = Texts(["failed" if each else "ok" for each in failed])
        are = ("result was imputed by TabArena and is", "results were imputed by TabArena and are")
        told = [f"{count(sum(failed), *are)} missing here."] if any(failed) else []
        table = _with_roles(table, {}, status=status).noted(*told)
    costs = tuple(name for name in ("time_train_s", "time_infer_s") if name in table.names)
    known = Known("tabarena", "metric_error", {"metric_error": False}, costs)
    return replace(table.without(["imputed"]), known=known)


# --- ASlib: a row per instance, repetition and algorithm, with its status --------------------

_ASLIB = {"instance_id": "dataset", "repetition": "repeat", "runstatus": "status"}


def read_aslib(files: list[Path], place: Path) -> Columns:
    """Read runs: each instance is a data set, and a run that is not ok has no value.

    The first measure is the one that the description beside the runs calls the main one, and the
    description says which way measures go.
    """
    tables = [read_file(path, "source", "arff") for path in files]
    keys = (*_ASLIB, "algorithm")
    measures = [next(n for n in table.names if n.lower() not in keys) for table in tables]
    _refuse_several(measures, place, "runs", "Give one of its files")
    directions = {"runtime": False}
    for path in {path.with_name("description.txt") for path in files}:
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        names, ups = (_listed_under(key, text) for key in ("performance_measures", "maximize"))
        directions |= {name: up.lower() == "true" for name, up in zip(names, ups, strict=False)}
    told = f"ASlib, {count(len(files), 'file')}: each instance is a data set, the score is "
    table = _with_roles(stacked(tables, place.name), _ASLIB)
    return table.noted(f"{told}{measures[0]}.", known=Known("aslib", measures[0], directions))


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
    schemes = [name.rpartition(".")[2] for name in cells_of(table, "Key_Scheme")]
    if "Key_Scheme_options" in table.names:
        options = cells_of(table, "Key_Scheme_options")
        kinds = Counter(name for name, _ in set(zip(schemes, options, strict=True)))
        schemes = [
            name if kinds[name] == 1 else f"{name} {given}".strip()
            for name, given in zip(schemes, options, strict=True)
        ]
    table = _with_roles(table, _WEKA, algorithm=Texts(schemes))
    table = table.without([name for name in table.names if name.startswith("Key_")])
    times = [f"Elapsed_Time_{of}" for of in ("training", "testing")]
    there = [name for name in times if name in table.names]
    costs = tuple(name for name in there if bool((table.numbers(name).values >= 0).all()))
    scores = ("Percent_correct", "Root_mean_squared_error")  # of classes, of numbers
    score = next((name for name in scores if name in table.names), None)
    return replace(table, known=Known("weka", score, costs=costs))


def _weka_table(path: Path) -> Columns:
    if ".arff" in path.name:
        return read_file(path, "source", "arff")
    with opened(path, "source"):
        return read_quoted(text_of(path), path.name)


# --- tsml and aeon: a file per estimator and measure, a column per resample ------------------


def read_tsml(files: list[Path], place: Path) -> Columns:
    """Read files named ``ESTIMATOR_MEASURE.csv``; resamples are hold-outs, so repeats."""
    import pandas as pd

    names = [plain_name(path.name).removesuffix(".csv").rpartition("_") for path in files]
    estimators = [estimator or measure for estimator, _, measure in names]
    measures = [measure if estimator else "accuracy" for estimator, _, measure in names]
    remedy = f"Give those of one in quotation marks: '{place}/*_{measures[0]}.csv'"
    _refuse_several(measures, place, "files", remedy)
    frames = []
    for path, estimator, measure in zip(files, estimators, measures, strict=True):
        table = read_file(path, "source")
        datasets, *resamples = table.names
        wide = pd.DataFrame({name: table.numbers(name).checked() for name in resamples})
        wide.insert(0, "dataset", cells_of(table, datasets))
        long = wide.melt("dataset", var_name="repeat", value_name=measure)
        frames.append(long.assign(algorithm=estimator))
    note = f"{count(len(files), 'file')} of tsml or aeon: an estimator each, resamples as repeats."
    table = from_pandas(pd.concat(frames, ignore_index=True), place.name)
    return table.noted(note, known=Known("tsml", measures[0]))


# --- the AutoML benchmark --------------------------------------------------------------------
#
# A row per framework, task and fold, or a summary with a column per framework. Its ``result`` goes
# up on some tasks (AUC) and down on others (log-loss, RMSE); what is asked about is ``score``,
# which is the same turned so that higher is better.

_APART = ("constraint", "version", "mode", "tag")  # what tells several runs of a framework apart
_COSTS = ("duration", "training_duration", "predict_duration")
_OTHERS = ("acc", "auc", "logloss", "balacc", "rmse", "mae", "r2")
_BY_TYPE = {"binary": "auc", "multiclass": "logloss", "regression": "rmse"}
_TIME = re.compile(r"time ?out|requested time|time limit|timelimit", re.IGNORECASE)
_MEMORY = re.compile(r"memory|oom\b", re.IGNORECASE)
_SUMMARY = re.compile(r"([-+.\deE]+)(\s*\(\d+\))?")


def read_amlb(files: list[Path], place: Path) -> Columns:
    """Read results, long or in summary; a failed fold is missing, its reason is the status."""
    tables = [read_file(path, "source") for path in files]
    table = stacked([_folds(t) if "fold" in t.names else _summary(t) for t in tables], place.name)
    known = Known("amlb", "score", {"score": True}, tuple(c for c in _COSTS if c in table.names))
    return replace(table, known=known)


def _folds(table: Columns) -> Columns:
    """Give a row per fold its score, what that measures and why it is missing."""
    import pandas as pd

    algorithms, notes = _named_apart(table)
    metrics = _metrics(table)
    known = [each for each in {*metrics} if is_known_score(each)]
    down = [each for each in known if not measure_named(each).higher_is_better]
    if "score" in table.names:
        scores = table.numbers("score").values
        told = "The score is the benchmark's own: its result turned so that higher is better."
    else:
        signs = [-1 if each in down else 1 for each in metrics]
        scores = np.multiply(signs, table.numbers("result").values)
        kinds = [f"minus {each}" if each in down else each for each in sorted({*metrics} - {""})]
        told = f"The score is the result, turned so that higher is better: {listed(kinds)}."
    info = cells_of(table, "info") if "info" in table.names else [""] * len(table)
    pairs = zip(np.isnan(scores).tolist(), info, strict=True)
    values: dict[str, Column] = {
        "dataset": Texts(cells_of(table, "task")),
        "algorithm": Texts(algorithms),
        "fold": table.values["fold"],
        "status": Texts([_status(why) if failed else "ok" for failed, why in pairs]),
        "score": pd.Series(scores),
        "metric": Texts(metrics),
    }
    others = [name for name in table.names if name in (*_APART, "type", *_COSTS, *_OTHERS)]
    values |= {n: table.values[n] for n in others if len(table.distinct(n)[1]) > 1}
    return table.noted(*notes, told, values=values)


def _named_apart(table: Columns) -> tuple[list[str], list[str]]:
    """Return the names of the frameworks, with what tells runs apart where there are several."""
    frameworks, keys = cells_of(table, "framework"), ("task", "framework", "fold")
    if table.have_twins(keys):
        for name in _APART:
            if name in table.names and not table.have_twins((*keys, name)):
                pairs = zip(frameworks, cells_of(table, name), strict=True)
                note = f"A framework was run more than once, so its {name} is in its name."
                return [f"{each} ({what})" for each, what in pairs], [note]
    return frameworks, []  # where rows repeat others, validation says which


def _metrics(table: Columns) -> list[str]:
    """Return what each result measures: by its column, the type of its task, or its value."""
    if "metric" in table.names:
        return cells_of(table, "metric")
    if "score" in table.names:
        types = cells_of(table, "type") if "type" in table.names else [""] * len(table)
        return [_BY_TYPE.get(each, "") for each in types]
    results, found = table.numbers("result").values, np.full(len(table), "", dtype=object)
    for name in {"auc", "logloss", "rmse"}.intersection(table.names):
        found[(results == table.numbers(name).values) & (found == "")] = name
    if (unknown := np.flatnonzero((found == "") & ~np.isnan(results))).size:
        where = table.origin.at(unknown[:1])
        rule = f"{table.origin.name} does not tell what its result measures in {where}"
        raise UnreadableError("source", rule, remedy="Give a table with a column metric or score")
    return found.tolist()


def _status(info: str) -> str:
    if not info:
        return "missing"
    return "timeout" if _TIME.search(info) else "memory" if _MEMORY.search(info) else "failed"


def _summary(table: Columns) -> Columns:
    """Read a row per task and a column per framework.

    ``(2)`` behind a number: two folds failed, and the benchmark imputed them.
    """
    frameworks = [name for name in table.names if name not in ("type", "task")]
    kinds, tasks = cells_of(table, "type"), cells_of(table, "task")
    rows, imputed = [], []
    for framework in frameworks:
        for kind, task, cell in zip(kinds, tasks, cells_of(table, framework), strict=True):
            found = _SUMMARY.fullmatch(cell)
            sign, status = 1 if kind == "binary" else -1, "ok" if found else "missing"
            score = repr(sign * float(found[1])) if found else ""
            rows.append((task, framework, score, status, kind, _BY_TYPE.get(kind, "")))
            if found and found[2]:
                imputed.append(f"{framework} on {task}")
    notes = (*table.notes, "The score is AUC on binary tasks and minus log-loss on the others.")
    if imputed:
        where = f"{count(len(imputed), 'score')}: {listed(imputed)}"
        notes = (*notes, f"The benchmark imputed failed folds in {where}.")
    names = ("dataset", "algorithm", "score", "status", "type", "metric")
    values = dict(zip(names, (Texts(cells) for cells in zip(*rows, strict=True)), strict=True))
    return Columns(values, Origin.of_rows(table.origin.name, len(rows)), notes)
