"""Results one by one, as most importers find them, and the columns that they make together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from palio.measures import is_known_score, measure_named
from palio.scores.columns import Columns, Known, Origin
from palio.scores.formats import opened, text_of
from palio.scores.limits import MalformedError, check_nested
from palio.words import count, joined, listed, one_line

_KEYS = ("dataset", "algorithm", "repeat", "fold", "seed", "status")


@dataclass(frozen=True, slots=True)
class Sample:
    """What an algorithm reached on one item; two of the same name with other marks are not one."""

    item: str
    scores: Mapping[str, float]
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What one algorithm reached on one data set.

    ``when`` says which of two is the newer one; ``labels`` are what rows may be chosen by;
    ``samples`` are the items behind it, where they are there.
    """

    dataset: str
    algorithm: str
    scores: Mapping[str, float]
    costs: Mapping[str, float] = field(default_factory=dict)
    repeat: str = "1"
    fold: str = "1"
    seed: str = "1"
    status: str = "ok"
    when: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    samples: Sequence[Sample] = ()


CELL = ("dataset", "algorithm")


def newest(results: Sequence[Result], by: Sequence[str]) -> tuple[list[Result], tuple[str, ...]]:
    """Keep the newest result of those that have the same in these fields; a note says so.

    One that has scores comes before one that has none. Two of the same moment are both kept, and
    refused where rows are checked.
    """
    ages = [(bool(each.scores), each.when) for each in results]
    cells = [tuple(getattr(each, role) for role in by) for each in results]
    latest: dict[tuple[str, ...], tuple[bool, str]] = {}
    for cell, age in zip(cells, ages, strict=True):
        latest[cell] = max(age, latest.get(cell, age))
    new = [latest[cell] == age for cell, age in zip(cells, ages, strict=True)]
    kept = list(compress(results, new))
    older = [each for each, is_new in zip(results, new, strict=True) if not is_new]
    if not older:
        return kept, ()
    named = dict.fromkeys(f"{each.algorithm} on {each.dataset}" for each in older)
    note = (
        f"{count(len(older), 'result')} left out, because there is a newer one of the same "
        f"algorithm and data set: {listed(named, limit=3)}."
    )
    return kept, (note,)


def columns_of(
    results: Sequence[Result],
    *,
    name: str,
    source: str,
    directions: Mapping[str, bool] | None = None,
    notes: Sequence[str] = (),
    pick: bool = True,
    newest_by: Sequence[str] = (),
) -> Columns:
    """Make columns of results, one per measure and cost, and say which measure is asked about.

    It is the first that every result has. If there is none, it is each data set's own first one of
    which the direction is known, under the name ``score`` and turned so that higher is better.
    Where the order of measures says nothing (``pick`` is false), none is picked. Of several results
    that have the same in ``newest_by`` the newest is kept.
    """
    import pandas as pd

    if newest_by:
        results, left = newest(results, newest_by)
        notes = (*notes, *left)

    values: dict[str, list[Any]] = {role: [getattr(r, role) for r in results] for role in _KEYS}
    usual = {"repeat": "1", "fold": "1", "seed": "1", "status": "ok"}
    for role, each in usual.items():
        if set(values[role]) <= {each}:
            del values[role]
    for label in _names(r.labels for r in results):
        told = [row.labels.get(label, "") for row in results]
        values |= {label: told} if len(set(told)) > 1 else {}
    scores, costs = (_names(getattr(r, kind) for r in results) for kind in ("scores", "costs"))
    known = {each: measure_named(each).higher_is_better for each in scores if is_known_score(each)}
    turns = {**known, **(directions or {})}
    score, note = (_shared(results, scores) if pick else None), ""
    if pick and score is None and turns.keys() & set(scores):
        score, turns["score"] = "score", True
        own, note = _own_measures(results, turns)
        results = [_with_own(each, own.get(each.dataset, ""), turns) for each in results]
        values["metric"] = [each.labels["metric"] for each in results]
        scores = ["score", *scores]
    for each in scores:
        values[each] = [row.scores.get(each, np.nan) for row in results]
    complete = [each for each in costs if all(each in r.costs for r in results if r.scores)]
    for each in complete:
        values[each] = [row.costs.get(each, np.nan) for row in results]
    if gaps := [each for each in costs if each not in complete]:
        notes = (*notes, f"Not used as a cost, because some results lack it: {listed(gaps)}.")
    items, unpaired = _items(results, name)
    return Columns(
        {each: pd.Series(column) for each, column in values.items()},
        Origin.of_rows(name, len(results)),
        (*notes, *unpaired),
        Known(source=source, score=score, directions=turns, costs=tuple(complete), told=note),
        items=items,
    )


def _names(found: Iterable[Mapping[str, object]]) -> list[str]:
    return list(dict.fromkeys(name for values in found for name in values))


def _shared(results: Sequence[Result], names: Sequence[str]) -> str | None:
    scored = [set(each.scores) for each in results if each.scores]
    return next((name for name in names if all(name in each for each in scored)), None)


def _own_measures(
    results: Sequence[Result], turns: Mapping[str, bool]
) -> tuple[dict[str, str], str]:
    """Return the first measure of each data set whose direction is known, and what to note."""
    first: dict[str, str] = {}
    for each in results:
        for name in each.scores:
            if name in turns:
                first.setdefault(each.dataset, name)
    told = []
    for name in dict.fromkeys(first.values()):
        where = [dataset for dataset, its in first.items() if its == name]
        told.append(f"{'' if turns[name] else 'minus '}{name} on {listed(where, limit=3)}")
    note = (
        f"No measure is there on every data set, so the score is the first of each: {listed(told)}."
    )
    unknown = _names(each.scores for each in results if each.dataset not in first)
    if unknown:
        rest = dict.fromkeys(each.dataset for each in results if each.dataset not in first)
        note += (
            f" None on {listed(rest, limit=3)}: whether a higher {joined(unknown, 'or')} is "
            "better is not known."
        )
    return first, note


def _with_own(result: Result, metric: str, turns: Mapping[str, bool]) -> Result:
    """Return a result with the measure of its data set, turned up, under the name score."""
    sign = 1 if turns.get(metric, True) else -1

    def with_score(scores: Mapping[str, float]) -> dict[str, float]:
        return {**scores, "score": sign * scores.get(metric, np.nan)}

    samples = [replace(each, scores=with_score(each.scores)) for each in result.samples]
    # Known losses are recognised by name and negated.
    called = metric if sign > 0 or is_known_score(metric) else f"neg_{metric}"
    labels = {**result.labels, "metric": called}
    scores = with_score(result.scores) if result.scores else {}
    return replace(result, scores=scores, samples=samples, labels=labels)


def _items(results: Sequence[Result], name: str) -> tuple[Columns | None, tuple[str, ...]]:
    """Make columns of the samples, one row each, and say which cannot be what they are called."""
    import pandas as pd

    cells = [(result, each) for result in results for each in result.samples]
    if not cells:
        return None, ()
    marks: dict[tuple[str, str], set[str]] = {}
    for result, each in cells:
        marks.setdefault((result.dataset, each.item), set()).add(each.mark)
    differing = {place for place, found in marks.items() if len(found) > 1}
    values: dict[str, list[Any]] = {
        "dataset": [result.dataset for result, _ in cells],
        "algorithm": [result.algorithm for result, _ in cells],
        "item": [
            f"{each.item} {each.mark[:8]}"
            if (result.dataset, each.item) in differing
            else each.item
            for result, each in cells
        ],
    }
    # An item that one algorithm has again is repeated: in another epoch, or under the same name.
    seen: Counter[tuple[str, str, str]] = Counter()
    values["repeat"] = []
    for key in zip(*list(values.values())[:3], strict=True):
        seen[key] += 1
        values["repeat"].append(str(seen[key]))
    if all(result.labels.get("metric") for result, _ in cells):
        values["metric"] = [result.labels["metric"] for result, _ in cells]
    for measure in _names(each.scores for _, each in cells):
        values[measure] = [each.scores.get(measure, np.nan) for _, each in cells]
    columns = {each: pd.Series(column) for each, column in values.items()}
    where = listed(dict.fromkeys(dataset for dataset, _ in differing), limit=3)
    told = f"Items of the same name differ between algorithms on {where}: they are not paired."
    return Columns(columns, Origin.of_rows(name, len(cells))), (told,) if differing else ()


def item_means(items: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over items.

    >>> item_means([{"acc": 1.0}, {"acc": 0.0, "f1": 0.5}])
    {'acc': 0.5, 'f1': 0.5}
    """
    found: dict[str, list[float]] = {}
    for item in items:
        for name, value in item.items():
            found.setdefault(name, []).append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}


# --- JSON and JSON Lines, read whole ----------------------------------------------------------


def load_json(path: Path) -> Any:
    """Return what a file of JSON holds."""
    with opened(path, "source"):
        return parsed(text_of(path))


def load_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects in a file of JSON Lines."""
    with opened(path, "source"):
        return [parsed(line) for line in text_of(path).splitlines() if line.strip()]


def parsed(text: str | bytes) -> Any:
    """Return what a text of JSON holds, or raise that it is none."""
    try:
        found = json.loads(text)
        check_nested(found)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"is not JSON: {one_line(error)}") from error
    return found


def part(content: object, *keys: str) -> dict[str, Any]:
    """Return an object within another, empty where there is none.

    >>> part({"eval": {"config": {"epochs": 1}}}, "eval", "config")
    {'epochs': 1}
    >>> part({"eval": None}, "eval", "config")
    {}
    """
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    return dict(content) if isinstance(content, Mapping) else {}


def numbers_in(content: Mapping[str, Any], names: Iterable[str]) -> dict[str, float]:
    """Return the numbers that stand under these names.

    >>> numbers_in({"acc": "0.5", "f1": None}, ["acc", "f1", "auc"])
    {'acc': 0.5}
    """
    found = {name: number(content.get(name)) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def note_on(told: str, names: Collection[str]) -> list[str]:
    """Return a note that names those of which there is something to tell, if there are any."""
    return [f"{told}: {listed(dict.fromkeys(names))}."] if names else []


def number(value: object) -> float | None:
    """Return a number that is one, or is written as one; truth values count as 0 and 1.

    >>> number("2.5"), number(True), number("fast"), number(None)
    (2.5, 1.0, None, None)
    """
    if not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
