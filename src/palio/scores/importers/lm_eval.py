"""lm-evaluation-harness: a results file per run, and a file of samples per task.

``results_DATE.json`` holds per task ``"acc,none": 0.61``: measure, filter, mean. The samples of a
task, ``samples_TASK_DATE.jsonl``, are its items; where no results file has the task, the score is
their mean.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from palio.measures import is_known_score, measure_named
from palio.scores.columns import Columns
from palio.scores.importers.jsons import load_json, load_lines, number, part
from palio.scores.importers.results import Result, Sample, columns_of, item_means, newest
from palio.words import count, listed

_SAMPLES = re.compile(r"samples_(?P<task>.+?)(_(?P<when>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(\.\w+)?")
_WHEN = re.compile(r"results_(?P<when>.+)\.json(\.\w+)?")
_ITS_OWN = ("alias", "name", "sample_len")
# What its task files say (higher_is_better) of measures whose names do not tell; files of results
# that are older than the entry of that name do not say it. Of pct_stereotype they contradict.
_UP = re.compile(r"mc[12]|em|exact|(bleu|bleurt|rouge[12L])_(max|acc|diff)")
_DOWN = re.compile(r"likelihood_diff(erence)?")


def read(files: list[Path], place: Path) -> Columns:
    """Read runs; a task's mean of its subtasks is no data set of its own."""
    runs = {path: load_json(path) for path in files if ".jsonl" not in path.name}
    directions: dict[str, bool] = {}
    groups: list[str] = []
    found: dict[Path, list[Result]] = {}
    for path, run in runs.items():
        groups += [task for task, below in part(run, "group_subtasks").items() if below]
        found[path] = list(_results(path, run, directions))
    notes = [f"{count(len(runs), 'results file')} of lm-evaluation-harness."] if runs else []
    results, items = _with_samples(found, files, runs)
    kept, left = newest(results)
    if groups:
        notes.append(f"Left out, as means of other tasks: {listed(dict.fromkeys(groups))}.")
    return columns_of(
        kept,
        name=place.name,
        source="lm-eval",
        directions=directions,
        notes=[*notes, *items, *left],
    )


def _results(path: Path, run: Any, directions: dict[str, bool]) -> Iterator[Result]:
    when = str(run.get("date", "")) or _when(path)
    seconds = number(run.get("total_evaluation_time_seconds"))
    tasks = {
        task: scores
        for task, scores in part(run, "results").items()
        if not part(run, "group_subtasks").get(task)
    }
    for task, scores in tasks.items():
        up = part(run, "higher_is_better", task)
        values: dict[str, float] = {}
        for key, value in scores.items():
            name = _measure(key)
            if name is None or (score := number(value)) is None:
                continue
            values[name] = score
            own = key.partition(",")[0]
            if isinstance(direction := up.get(own, _direction(own)), bool):
                directions[name] = direction
        # The time is the run's: of a run of one task it is the task's.
        costs = {} if seconds is None or len(tasks) > 1 else {"evaluation_time": seconds}
        yield Result(task, _model(path, run), values, costs, when=when)


def _direction(measure: str) -> bool | None:
    """Return whether higher is better, by its name or else by the task files.

    >>> _direction("mc2"), _direction("likelihood_difference"), _direction("pct_stereotype")
    (True, False, None)
    """
    if is_known_score(measure):
        return measure_named(measure).higher_is_better
    if _UP.fullmatch(measure):
        return True
    return False if _DOWN.fullmatch(measure) else None


def _measure(key: str) -> str | None:
    """Return the name of a measure: without its filter where that is none.

    >>> _measure("acc,none"), _measure("exact_match,strict-match"), _measure("acc_stderr,none")
    ('acc', 'exact_match,strict-match', None)
    """
    name, _, kind = key.partition(",")
    if name in _ITS_OWN or name.endswith("_stderr"):
        return None
    return name if kind in ("", "none") else key


def _model(path: Path, run: Any) -> str:
    arguments = part(run, "config").get("model_args")
    named = re.search(
        r"(?:pretrained|model)=([^,]+)", arguments if isinstance(arguments, str) else ""
    )
    return str(run.get("model_name") or (named and named[1]) or path.absolute().parent.name)


def _when(path: Path) -> str:
    found = _WHEN.fullmatch(path.name)
    return found["when"] if found else ""


# --- samples -------------------------------------------------------------------------------


def _with_samples(
    found: dict[Path, list[Result]], files: list[Path], runs: dict[Path, Any]
) -> tuple[list[Result], list[str]]:
    """Put samples beside the results of their run; add the means of those that no file has."""
    there = {(each.algorithm, each.dataset) for results in found.values() for each in results}
    added: list[Result] = []
    for path in files:
        named = _SAMPLES.fullmatch(path.name)
        if named is None:
            continue
        task, run = named["task"], _run_beside(path, named["when"])
        own = found.get(run, []) if run is not None else []
        place = next((at for at, each in enumerate(own) if each.dataset == task), None)
        if place is not None:
            own[place] = replace(
                own[place], samples=_samples(load_lines(path), named=own[place].scores)
            )
            continue
        model = _model_beside(path, run, runs)
        if (model, task) not in there:
            samples = _samples(load_lines(path))
            scores = item_means(each.scores for each in samples)
            added.append(Result(task, model, scores, when=named["when"] or "", samples=samples))
    items = sum(len(each.samples) for each in added)
    told = f"{count(items, 'sample')} of {count(len(added), 'file')}: the score is their mean."
    results = [each for results in found.values() for each in results]
    return [*results, *added], [told] if added else []


def _samples(lines: list[dict[str, Any]], named: Collection[str] = ()) -> list[Sample]:
    """Return what each sample reached; its measures are ``named`` with their filter where it is."""
    kinds = {str(each.get("filter", "none")) for each in lines}
    return [
        Sample(
            str(each.get("doc_id", place)),
            {
                _as_named(
                    name, str(each.get("filter", "none")), named, several=len(kinds) > 1
                ): value
                for name, value in _of_sample(each).items()
            },
            str(each.get("doc_hash", "")),
        )
        for place, each in enumerate(lines)
    ]


def _as_named(name: str, kind: str, named: Collection[str], *, several: bool) -> str:
    whole = _measure(f"{name},{kind}")
    if whole is not None and whole in named:
        return whole
    return f"{name},{kind}" if several else name


def _of_sample(sample: dict[str, Any]) -> dict[str, float]:
    named = sample.get("metrics") or [
        key for key, value in sample.items() if isinstance(value, int | float) and key != "doc_id"
    ]
    values = {name: number(sample.get(name)) for name in named}
    return {name: value for name, value in values.items() if value is not None}


def _run_beside(path: Path, when: str | None) -> Path | None:
    """Return the results file of the run that samples are of, or one beside them."""
    beside = sorted(path.parent.glob("results_*.json*"))
    same = [each for each in beside if when and _when(each) == when] or beside
    return same[-1] if same else None


def _model_beside(path: Path, run: Path | None, runs: dict[Path, Any]) -> str:
    if run is None:
        return path.absolute().parent.name
    return _model(run, runs[run] if run in runs else load_json(run))
