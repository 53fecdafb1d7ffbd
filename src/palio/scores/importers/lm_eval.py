"""lm-evaluation-harness: a results file per run, and a file of samples per task.

``results_DATE.json`` holds per task ``"acc,none": 0.61``: measure, filter, mean. The samples of a
task, ``samples_TASK_DATE.jsonl``, are used where no results file has the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from palio.scores.columns import Columns
from palio.scores.importers.jsons import load_json, load_lines, number, part
from palio.scores.importers.results import Result, columns_of, item_means, newest
from palio.words import count, listed

_SAMPLES = re.compile(r"samples_(?P<task>.+?)(_(?P<when>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(\.\w+)?")
_WHEN = re.compile(r"results_(?P<when>.+)\.json(\.\w+)?")
_ITS_OWN = ("alias", "name", "sample_len")


def read(files: list[Path], place: Path) -> Columns:
    """Read runs; a task's mean of its subtasks is no data set of its own."""
    runs = {path: load_json(path) for path in files if ".jsonl" not in path.name}
    directions: dict[str, bool] = {}
    groups: list[str] = []
    found: list[Result] = []
    for path, run in runs.items():
        groups += [task for task, below in part(run, "group_subtasks").items() if below]
        found += _results(path, run, directions)
    notes = [f"{count(len(runs), 'results file')} of lm-evaluation-harness."] if runs else []
    found, items = _with_samples(found, files, runs)
    kept, left = newest(found)
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
            if isinstance(direction := up.get(key.partition(",")[0]), bool):
                directions[name] = direction
        # The time is the run's: of a run of one task it is the task's.
        costs = {} if seconds is None or len(tasks) > 1 else {"evaluation_time": seconds}
        yield Result(task, _model(path, run), values, costs, when=when)


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
    found: list[Result], files: list[Path], runs: dict[Path, Any]
) -> tuple[list[Result], list[str]]:
    """Add the means of the samples whose task no results file has."""
    there = {(each.algorithm, each.dataset) for each in found}
    added: list[Result] = []
    items = 0
    for path in files:
        named = _SAMPLES.fullmatch(path.name)
        if named is None:
            continue
        model = _model_beside(path, runs)
        if (model, named["task"]) in there:
            continue
        samples = load_lines(path)
        items += len(samples)
        kinds = {str(each.get("filter", "none")) for each in samples}
        scores = item_means(_of_sample(each, several=len(kinds) > 1) for each in samples)
        added.append(Result(named["task"], model, scores, when=named["when"] or ""))
    told = f"{count(items, 'sample')} of {count(len(added), 'file')}: the score is their mean."
    return [*found, *added], [told] if added else []


def _of_sample(sample: dict[str, Any], *, several: bool) -> dict[str, float]:
    kind = f",{sample.get('filter')}" if several else ""
    named = sample.get("metrics") or [
        key for key, value in sample.items() if isinstance(value, int | float) and key != "doc_id"
    ]
    values = {f"{name}{kind}": number(sample.get(name)) for name in named}
    return {name: value for name, value in values.items() if value is not None}


def _model_beside(path: Path, runs: dict[Path, Any]) -> str:
    beside = sorted(path.parent.glob("results_*.json*"))
    named = _SAMPLES.fullmatch(path.name)
    when = named["when"] if named else None
    same = [each for each in beside if when and _when(each) == when] or beside
    if not same:
        return path.absolute().parent.name
    run = runs[same[-1]] if same[-1] in runs else load_json(same[-1])
    return _model(same[-1], run)
