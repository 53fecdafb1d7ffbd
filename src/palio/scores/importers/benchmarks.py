"""Benchmarks that publish tables: a row per result, or a column per algorithm or resample."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import UnreadableError
from palio.measures import is_known_score, measure_named
from palio.scores.columns import Columns, Known, Texts
from palio.scores.formats import opened, read_file, text_of
from palio.scores.formats.content import plain_name
from palio.scores.formats.text import read_quoted
from palio.scores.frames import from_pandas
from palio.scores.importers.tables import cells_of, note_on, stacked
from palio.words import count, listed

if TYPE_CHECKING:
    from palio.scores.columns import Column


def _known(table: Columns, roles: Mapping[str, str], known: Known) -> Columns:
    """Return a table with roles for the names of columns, and what is known of those there are."""
    values = {roles.get(name.lower(), name): column for name, column in table.values.items()}
    costs = tuple(name for name in known.costs if name in values)
    return replace(table, values=values, known=replace(known, costs=costs))


def _only(measures: Iterable[str], place: Path) -> str:
    """Return the measure that all files are of, or refuse those of several."""
    first, *others = dict.fromkeys(measures)
    if others:
        rule = f"{place.name!r} holds files of several measures: {listed([first, *others])}"
        remedy = f"Give those of one in quotation marks: '{place}/*{first}*'"
        raise UnreadableError("source", rule, remedy=remedy)
    return first


# --- TabArena: the error of each data set is of its own metric -------------------------------


def read_tabarena(files: list[Path], place: Path) -> Columns:
    """Read results; those that were imputed, because the method failed, are missing."""
    table = stacked([read_file(path, "source") for path in files], place.name)
    if "imputed" in table.names and "status" not in table.names:
        failed = [cell.lower() in ("true", "1", "1.0") for cell in cells_of(table, "imputed")]
        status = Texts(["failed" if each else "ok" for each in failed])
        told = f"{count(sum(failed), 'result')} imputed by TabArena, and missing here."
        values = {**table.values, "status": status}
        table = table.noted(*([told] if any(failed) else []), values=values)
    costs = ("time_train_s", "time_infer_s")
    known = Known("tabarena", "metric_error", {"metric_error": False}, costs)
    return _known(table.without(["imputed"]), {"method": "algorithm"}, known)


# --- ASlib: a row per instance, repetition and algorithm, with its status --------------------

_ASLIB = {"instance_id": "dataset", "repetition": "repeat", "runstatus": "status"}


def read_aslib(files: list[Path], place: Path) -> Columns:
    """Read runs: each instance is a data set, and a run that is not ok has no value.

    The first measure is the one that the description beside the runs calls the main one, and the
    description says which way measures go.
    """
    tables = [read_file(path, "source", "arff") for path in files]
    keys = (*_ASLIB, "algorithm")
    score = _only((next(n for n in t.names if n.lower() not in keys) for t in tables), place)
    directions = {"runtime": False}
    for path in {path.with_name("description.txt") for path in files}:
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        names, ups = (_listed_under(key, text) for key in ("performance_measures", "maximize"))
        directions |= {name: up.lower() == "true" for name, up in zip(names, ups, strict=False)}
    told = f"{count(len(files), 'file')}: each instance is a data set, the score is {score}."
    table = stacked(tables, place.name).noted(f"ASlib, {told}")
    return _known(table, _ASLIB, Known("aslib", score, directions))


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
        named = list(zip(schemes, cells_of(table, "Key_Scheme_options"), strict=True))
        kinds = Counter(name for name, _ in set(named))
        schemes = [" ".join(filter(None, x)) if kinds[x[0]] > 1 else x[0] for x in named]
    rest = [name for name in table.names if name.startswith("Key_") and name.lower() not in _WEKA]
    table = replace(table, values={**table.values, "algorithm": Texts(schemes)}).without(rest)
    scores = ("Percent_correct", "Root_mean_squared_error")  # of classes, of numbers
    score = next((name for name in scores if name in table.names), None)
    costs = ("Elapsed_Time_training", "Elapsed_Time_testing")
    return _known(table, _WEKA, Known("weka", score, costs=costs))


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
    measure = _only((last if name else "accuracy" for name, _, last in names), place)
    frames = []
    for path, (name, _, last) in zip(files, names, strict=True):
        table = read_file(path, "source")
        datasets, *resamples = table.names
        wide = pd.DataFrame({each: table.numbers(each).checked() for each in resamples})
        wide.insert(0, "dataset", cells_of(table, datasets))
        long = wide.melt("dataset", var_name="repeat", value_name=measure)
        frames.append(long.assign(algorithm=name or last))
    note = f"{count(len(files), 'file')} of tsml or aeon: an estimator each, resamples as repeats."
    table = from_pandas(pd.concat(frames, ignore_index=True), place.name)
    return table.noted(note, known=Known("tsml", measure))


# --- the AutoML benchmark --------------------------------------------------------------------
#
# A row per framework, task and fold, or a summary with a column per framework. Its ``result`` goes
# up on some tasks (AUC) and down on others (log-loss, RMSE); what is asked about is ``score``,
# which is the same turned so that higher is better.

_APART = ("constraint", "version", "mode", "tag")  # what tells several runs of a framework apart
_COSTS = ("duration", "training_duration", "predict_duration")
_OTHERS = ("acc", "auc", "logloss", "balacc", "rmse", "mae", "r2")
_BY_TYPE = {"binary": "auc", "multiclass": "logloss", "regression": "rmse"}
_REASONS = {
    r"time ?out|requested time|time limit|timelimit": "timeout",
    r"memory|oom\b": "memory",
    r".": "failed",
    r"": "missing",
}


def read_amlb(files: list[Path], place: Path) -> Columns:
    """Read results, long or in summary; a failed fold is missing, its reason is the status."""
    tables = [read_file(path, "source") for path in files]
    table = stacked([_folds(t) if "fold" in t.names else _summary(t) for t in tables], place.name)
    roles = {"task": "dataset", "framework": "algorithm"}
    return _known(table, roles, Known("amlb", "score", {"score": True}, _COSTS))


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
    others = [name for name in table.names if name in (*_APART, "type", *_COSTS, *_OTHERS)]
    values: dict[str, Column] = {
        "task": Texts(cells_of(table, "task")),
        "framework": Texts(algorithms),
        "fold": table.values["fold"],
        "status": Texts([_status(why) if failed else "ok" for failed, why in pairs]),
        "score": pd.Series(scores),
        "metric": Texts(metrics),
        **{n: table.values[n] for n in others if len(table.distinct(n)[1]) > 1},
    }
    return table.noted(*notes, told, values=values)


def _named_apart(table: Columns) -> tuple[list[str], list[str]]:
    """Return the names of the frameworks, with what tells runs apart where there are several."""
    frameworks, keys = cells_of(table, "framework"), ("task", "framework", "fold")
    for name in _APART if table.have_twins(keys) else ():
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
    return next(status for sign, status in _REASONS.items() if re.search(sign, info, re.IGNORECASE))


def _summary(table: Columns) -> Columns:
    """Read a row per task and a column per framework.

    ``(2)`` behind a number: two folds failed, and the benchmark imputed them.
    """
    import pandas as pd

    wide = pd.DataFrame({name: cells_of(table, name) for name in table.names})
    frame = wide.melt(["type", "task"], var_name="framework")
    found = frame.pop("value").str.extract(r"^([-+.\deE]+)\s*(\(\d+\))?$")
    frame["score"] = found[0].astype(float) * np.where(frame["type"] == "binary", 1, -1)
    frame["status"] = np.where(found[0].isna(), "missing", "ok")
    frame["metric"] = frame["type"].map(_BY_TYPE).fillna("")
    imputed = frame[found[1].notna()]
    notes = note_on(
        f"The benchmark imputed failed folds in {count(len(imputed), 'score')}",
        list(imputed["framework"] + " on " + imputed["task"]),
    )
    told = "The score is AUC on binary tasks and minus log-loss on the others."
    return from_pandas(frame, table.origin.name).noted(*table.notes, told, *notes)
