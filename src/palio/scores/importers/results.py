"""Results one by one, as most importers find them, and the columns that they make together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from palio.measures import is_known_score, measure_named
from palio.scores.columns import Columns, Known, Origin
from palio.words import count, joined, listed

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


def newest(
    results: Sequence[Result], by: Sequence[str] = ("dataset", "algorithm")
) -> tuple[list[Result], tuple[str, ...]]:
    """Keep the newest run of each algorithm on each data set, or ``by`` more; a note says so.

    One that has scores comes before one that has none. Two of the same moment are both kept, and
    refused where rows are checked.
    """
    latest: dict[tuple[str, ...], tuple[bool, str]] = {}
    cells = [tuple(getattr(each, role) for role in by) for each in results]
    for each, cell in zip(results, cells, strict=True):
        age = (bool(each.scores), each.when)
        latest[cell] = max(age, latest.get(cell, age))
    kept: list[Result] = []
    older: list[Result] = []
    for each, cell in zip(results, cells, strict=True):
        new = (bool(each.scores), each.when) == latest[cell]
        (kept if new else older).append(each)
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
) -> Columns:
    """Make columns of results, one per measure and cost, and say which measure is asked about.

    It is the first that every result has. If there is none, it is each data set's own first one of
    which the direction is known, under the name ``score`` and turned so that higher is better.
    Where the order of measures says nothing (``pick`` is false), none is picked.
    """
    import pandas as pd

    values: dict[str, list[Any]] = {role: [getattr(r, role) for r in results] for role in _KEYS}
    for role, usual in (("repeat", "1"), ("fold", "1"), ("seed", "1"), ("status", "ok")):
        if all(each == usual for each in values[role]):
            del values[role]
    for label in _names(r.labels for r in results):
        told = [row.labels.get(label, "") for row in results]
        if len(set(told)) > 1:
            values[label] = told
    scores, costs = (_names(getattr(r, kind) for r in results) for kind in ("scores", "costs"))
    known = {each: measure_named(each).higher_is_better for each in scores if is_known_score(each)}
    turns = {**known, **(directions or {})}
    score, note = (_shared(results, scores) if pick else None), ""
    if pick and score is None and turns.keys() & set(scores):
        score, turns["score"] = "score", True
        values["score"], values["metric"], note = _each_its_own(results, turns)
        results = [
            _with_own(each, turns, metric)
            for each, metric in zip(results, values["metric"], strict=True)
        ]
        values["metric"] = [each.labels["metric"] for each in results]
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


def _each_its_own(
    results: Sequence[Result], turns: Mapping[str, bool]
) -> tuple[list[float], list[str], str]:
    """Return the scores, turned up, what each measures, and what to note."""
    first: dict[str, str] = {}
    for each in results:
        for name in each.scores:
            if name in turns:
                first.setdefault(each.dataset, name)
    sign = {name: 1 if turns[name] else -1 for name in first.values()}
    scores = []
    for each in results:
        name = first.get(each.dataset, "")
        scores.append(sign.get(name, 1) * each.scores.get(name, np.nan))
    told = []
    for name, turned in sign.items():
        where = [dataset for dataset, its in first.items() if its == name]
        told.append(f"{'minus ' if turned < 0 else ''}{name} on {listed(where, limit=3)}")
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
    return scores, [first.get(each.dataset, "") for each in results], note


def _with_own(result: Result, turns: Mapping[str, bool], metric: str) -> Result:
    """Return a result whose samples have the score of their data set under the name score."""
    sign = 1 if turns.get(metric, True) else -1
    own = [
        replace(each, scores={**each.scores, "score": sign * each.scores.get(metric, np.nan)})
        for each in result.samples
    ]
    # Of losses that are known the reader tells by the name that they are turned.
    called = metric if sign > 0 or is_known_score(metric) else f"neg_{metric}"
    return replace(result, samples=own, labels={**result.labels, "metric": called})


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
