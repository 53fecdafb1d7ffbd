"""Massive Text Embedding Benchmark: a folder per model, one per revision, a JSON file per task."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from palio.errors import UnreadableError
from palio.scores.columns import Columns
from palio.scores.importers.jsons import load_json, number
from palio.scores.importers.results import Result, columns_of, newest
from palio.words import count, listed

_SPLIT = "test"
_COSTS = ("evaluation_time", "kg_co2_emissions")


def read(files: list[Path], place: Path) -> Columns:
    """Read the main score of each model on each task: of the test split, the mean over subsets."""
    results, others, old = [], [], []
    for path in files:
        content = load_json(path)
        splits = content.get("scores")
        if not isinstance(splits, dict):
            old.append(_model(path))
            continue
        split = _SPLIT if _SPLIT in splits else next(iter(splits), "")
        if split != _SPLIT:
            others.append(f"{content.get('task_name', path.stem)} ({split})")
        results.append(_result(path, content, splits.get(split, [])))
    if not results:
        raise UnreadableError("source", f"no file in {place.name!r} names its main score")
    kept, left = newest(results)
    notes = [
        f"{count(len(files), 'file')} of MTEB: the main score of the test split, the mean over its "
        "subsets.",
        *left,
    ]
    if others:
        notes.append(f"Without a test split: {listed(dict.fromkeys(others))}.")
    if old:
        notes.append(
            f"{count(len(old), 'file is', 'files are')} left out, because an early version of MTEB "
            f"wrote no main score: {listed(dict.fromkeys(old))}."
        )
    return columns_of(
        kept, name=place.name, source="mteb", directions={"main_score": True}, notes=notes
    )


def _result(path: Path, content: dict[str, Any], subsets: Iterable[dict[str, Any]]) -> Result:
    scores = [found for each in subsets if (found := number(each.get("main_score"))) is not None]
    costs = {name: value for name in _COSTS if (value := number(content.get(name))) is not None}
    return Result(
        str(content.get("task_name", path.stem)),
        _model(path),
        {"main_score": sum(scores) / len(scores)} if scores else {},
        costs,
        when=".".join(
            f"{int(each):05}" for each in re.findall(r"\d+", str(content["mteb_version"]))
        ),
    )


def _model(path: Path) -> str:
    # model/revision/task.json; in a folder of files alone, the folder is the model.
    parts = path.absolute().parts
    revision = re.fullmatch(r"[0-9a-f]{40}|no_revision_available|external|\d+(\.\d+)*", parts[-2])
    return parts[-3] if revision else parts[-2]
