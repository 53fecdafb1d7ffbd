"""Results one by one, as most importers find them, and the columns that they make together."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from palio.measures import is_known_score
from palio.scores.columns import Columns, Known
from palio.scores.formats import opened, text_of
from palio.scores.frames import from_pandas
from palio.scores.limits import MalformedError, check_nested
from palio.scores.metrics import direction_within
from palio.words import count, joined, listed, one_line

if TYPE_CHECKING:
    import pandas as pd


class Sample(NamedTuple):
    """What an algorithm reached on one item; two of the same name with other marks are not one."""

    item: str
    scores: Mapping[str, float]
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What one algorithm reached on one data set.

    ``keys`` are its repeat, fold, seed and status, and whatever else rows may be chosen by.
    ``when`` says which of two is the newer one. ``samples`` are the items behind it, where they are
    there. One with samples only is of the result beside it, if there is one, or their mean.
    """

    dataset: str
    algorithm: str
    scores: Mapping[str, float]
    costs: Mapping[str, float] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    when: str = ""
    samples: Sequence[Sample] = ()

    @property
    def has_only_samples(self) -> bool:
        """Whether the score is to be found elsewhere."""
        return bool(self.samples) and not self.scores and self.keys.get("status", "ok") == "ok"


@dataclass(frozen=True)
class ResultSet:
    """What an importer found.

    ``directions`` say of measures whether higher is better. Of several results of an algorithm on a
    data set that have the same in ``newest_by``, the newest is kept. Where the order of the
    measures says nothing (``picks_score`` is false), none of them is the one asked about.
    """

    results: Sequence[Result]
    notes: Sequence[str] = ()
    directions: dict[str, bool] = field(default_factory=dict)
    newest_by: Sequence[str] = ()
    picks_score: bool = True

    def to_columns(self, name: str, source: str) -> Columns:
        """Make columns, one per measure and cost, and say which measure is asked about.

        It is the first that every result has. If there is none, it is each data set's own first
        one of which the direction is known, under the name ``score`` and turned so that higher is
        better.
        """
        import pandas as pd

        results, told = _with_samples(self.results)
        results, older = _newest(results, self.newest_by)
        keys, scores, costs = (
            pd.DataFrame([dict(getattr(each, kind)) for each in results])
            for kind in ("keys", "scores", "costs")
        )
        # What is the same of all tells nothing.
        keys = keys.fillna("").loc[:, keys.nunique(dropna=False) > 1]
        names = pd.DataFrame([(each.dataset, each.algorithm) for each in results])
        names.columns = ["dataset", "algorithm"]
        scored = scores.notna().any(axis=1)  # what failed need have nothing
        shared, complete = (
            list(map(str, frame.columns[frame[scored].notna().all()])) for frame in (scores, costs)
        )
        frame = pd.concat([names, keys, scores, costs[complete]], axis=1)
        frame = frame.loc[:, ~frame.columns.duplicated(keep="last")]
        items, unpaired = _items(results)
        ways = {str(name): direction_within(str(name)) for name in scores} | self.directions
        turns = {name: up for name, up in ways.items() if up is not None}
        score, note = shared[0] if self.picks_score and shared else None, ""
        if self.picks_score and score is None and not turns.keys().isdisjoint(scores):
            own, note = _own_measures(results, turns)
            frame, items = (_with_own_score(each, own, turns) for each in (frame, items))
            score, turns["score"] = "score", True
        lacking = [str(each) for each in costs if each not in complete]
        notes = note_on("Not used as a cost, because some results lack it", lacking)
        return from_pandas(frame, name).noted(
            *(*self.notes, *told, *older, *notes, *unpaired),
            known=Known(source, score, turns, tuple(complete), note),
            items=None if items.empty else from_pandas(items, name),
        )


def _with_samples(results: Sequence[Result]) -> tuple[list[Result], list[str]]:
    """Put samples beside the result that they are of; where nobody gives one, it is their mean."""
    found, n_alone = [each for each in results if not each.has_only_samples], 0
    place: dict[tuple[str, ...], int] = {}
    for at, each in enumerate(found):
        key = each.dataset, each.algorithm
        place |= {key: at, (*key, each.when): at}
    for each in (each for each in results if each.has_only_samples):
        key = each.dataset, each.algorithm
        same = place.get((*key, each.when) if each.when else key)
        if key not in place:
            found.append(replace(each, scores=item_means(its.scores for its in each.samples)))
            n_alone += len(each.samples)
        elif same is not None:
            found[same] = replace(found[same], samples=each.samples)
    return found, [f"{count(n_alone, 'sample')}: the score is their mean."] if n_alone else []


def _newest(results: Sequence[Result], by: Sequence[str]) -> tuple[list[Result], list[str]]:
    """Keep the newest result of those that have the same in these keys; a note says so.

    One that has scores comes before one that has none. Two of the same moment are both kept, and
    refused where rows are checked.
    """
    latest: dict[tuple[str | None, ...], tuple[bool, str]] = {}
    cells = [(each.dataset, each.algorithm, *map(each.keys.get, by)) for each in results]
    ages = [(bool(each.scores), each.when) for each in results]
    for cell, age in zip(cells, ages, strict=True):
        latest[cell] = max(age, latest.get(cell, age))
    is_new = np.array([latest[cell] == age for cell, age in zip(cells, ages, strict=True)])
    older = [f"{each.algorithm} on {each.dataset}" for each in compress(results, ~is_new)]
    told = f"{count(len(older), 'result')} left out, because there is a newer one of the same "
    return list(compress(results, is_new)), note_on(f"{told}algorithm and data set", older)


def _own_measures(
    results: Sequence[Result], turns: Mapping[str, bool]
) -> tuple[dict[str, str], str]:
    """Return the first measure of each data set whose direction is known, and what to note."""
    own: dict[str, str] = {}
    where: dict[str, list[str]] = {}
    for each in results:
        for name in filter(turns.__contains__, each.scores):
            if own.setdefault(each.dataset, name) == name:
                where.setdefault(name, []).append(each.dataset)
    told = [
        f"{'' if turns[name] else 'minus '}{name} on {listed(dict.fromkeys(datasets), limit=3)}"
        for name, datasets in where.items()
    ]
    note = (
        f"No measure is there on every data set, so the score is the first of each: {listed(told)}."
    )
    rest = [each for each in results if each.dataset not in own]
    if unknown := list(dict.fromkeys(name for each in rest for name in each.scores)):
        there = listed(dict.fromkeys(each.dataset for each in rest), limit=3)
        note += (
            f" None on {there}: whether a higher {joined(unknown, 'or')} is better is not known."
        )
    return own, note


def _with_own_score(
    frame: pd.DataFrame, own: Mapping[str, str], turns: Mapping[str, bool]
) -> pd.DataFrame:
    """Add the measure of each row's data set, turned up, under the name score, and its name."""
    metric, score = frame["dataset"].map(own), np.full(len(frame), np.nan)
    for name in set(own.values()).intersection(frame):
        score = np.where(metric == name, frame[name] if turns[name] else -frame[name], score)
    # Known losses are recognised by name and negated.
    named = {each: each if turns[each] or is_known_score(each) else f"neg_{each}" for each in turns}
    return frame.assign(score=score, metric=metric.map(named).fillna(""))


def _items(results: Sequence[Result]) -> tuple[pd.DataFrame, list[str]]:
    """Return the samples, one row each, and say which cannot be what they are called."""
    import pandas as pd

    cells = [(result, each) for result in results for each in result.samples]
    rows = [(result.dataset, result.algorithm, each.item, each.mark) for result, each in cells]
    keys = pd.DataFrame(rows, columns=["dataset", "algorithm", "item", "mark"], dtype=object)
    differing = keys.groupby(["dataset", "item"])["mark"].transform("nunique") > 1
    keys.loc[differing, "item"] += " " + keys.pop("mark").str[:8]
    # An item that one algorithm has again is repeated: in another epoch, or under the same name.
    again = keys.groupby(["dataset", "algorithm", "item"]).cumcount()
    keys["repeat"] = (again + 1).astype(str)
    scores = pd.DataFrame([dict(each.scores) for _, each in cells])
    told = "Items of the same name differ between algorithms, and are not paired, on"
    return pd.concat([keys, scores], axis=1), note_on(told, keys["dataset"][differing].tolist())


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
    """Return what a file of JSON holds, or a list of the objects in one of JSON Lines."""
    with opened(path, "source"):
        text = text_of(path)
        if ".jsonl" not in path.name:
            return parsed(text)
        return [parsed(line) for line in text.splitlines() if line.strip()]


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
    try:
        return float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None
