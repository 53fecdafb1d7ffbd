"""What rows of one result are told apart by: steps of its training, turns of a question.

Scores along training are those of one run as it learns, so that one step must be chosen. The turns
of a question are items that belong together.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, Option, either
from palio.measures import is_known_cost, is_known_score
from palio.scores.columns import Texts
from palio.scores.roles import along_training, is_step, repeats_items
from palio.scores.selection import with_joined, with_name_of_file
from palio.scores.vocabulary import has_role
from palio.words import Worded, count, strung

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.types import FloatArray, IntArray

_RUN = "run of the last step"


def at_one_step(
    columns: Columns, keys: Mapping[str, str], taken: Collection[str], duplicates: str
) -> tuple[Columns, dict[str, str]]:
    """Return the rows of the step of training that ``duplicates`` says, or raise if it says none.

    Where nothing tells the rows of that step apart, they are runs, of which the mean is taken.
    """
    name = _step(columns, keys, taken)
    if name is None:
        return columns, dict(keys)
    if repeats_items(name) and "repeat" not in keys and _are_runs(columns, keys, name):
        note = f"{name!r} names the repeats: few values, and scores do not change along them."
        return columns.noted(note), {**keys, "repeat": name}
    if duplicates == "error":
        steps = np.unique(columns.numbers(name).values)
        raise along_training(name, float(steps[steps.size // 2]))
    new = dict(keys)
    if duplicates != "mean":
        columns = _chosen(columns, keys, name, duplicates)
        columns, new = _with_runs(columns, new)
    if "dataset" not in keys:
        columns = with_name_of_file(columns, "dataset", of_items=True)
        new["dataset"] = "dataset"
    return columns, new


_MAX_RUNS = 50  # values of a column that may be runs
_MIN_GROUPS = 10  # results that must show whether scores change along a column


def _are_runs(columns: Columns, keys: Mapping[str, str], name: str) -> bool:
    """Say whether iterations are runs that stand by themselves: few, and without a trend.

    Of each result that has several, the correlation of scores and iterations is up or down; of
    runs, as often the one as the other. Every well-known measure of the table must be so.
    """
    scores = [each for each in columns.names if is_known_score(each) and each != name]
    scores = [each for each in scores if columns.numbers(each).is_numeric]
    step = columns.numbers(name).values
    if not scores or np.unique(step).size > _MAX_RUNS:
        return False
    place = columns.places(keys.values())
    return all(_has_no_trend(place, step, columns.numbers(each).values) for each in scores)


def _has_no_trend(place: IntArray, step: FloatArray, score: FloatArray) -> bool:
    size = np.bincount(place)

    def centred(values: FloatArray) -> FloatArray:
        return values - (np.bincount(place, weights=values) / size)[place]

    slopes = np.bincount(place, weights=centred(step) * centred(score))
    up, down = int((slopes > 0).sum()), int((slopes < 0).sum())
    # Two standard errors of a fair coin.
    return up + down >= _MIN_GROUPS and abs(up - down) <= 2 * np.sqrt(up + down)


def with_turns(
    columns: Columns, keys: Mapping[str, str], taken: Collection[str]
) -> tuple[Columns, dict[str, str]]:
    """Return the columns with an item for each turn of a question, which is the cluster of these.

    A question with two turns counts as one: they are averaged, and vary together.
    """
    found = [each for each in columns.names if has_role(each, "turn") and each not in taken]
    found = [each for each in found if _tells_apart(columns, keys, each)]
    if "item" not in keys or not found:
        return columns, dict(keys)
    item = keys["item"]
    each_turn = f"{item}+{found[0]}"
    joined = with_joined(columns, [each_turn])
    values = {**joined.values, item: columns.values[item]}
    note = f"Each {item} has several turns: items of their own, which are one cluster."
    return joined.noted(note, values=values), {"cluster": item, **keys, "item": each_turn}


def _step(columns: Columns, keys: Mapping[str, str], taken: Collection[str]) -> str | None:
    """Return the column of the steps of training, where rows differ in it that else are the same.

    A table that names neither algorithms nor data sets has it first.
    """
    named = {"algorithm", "dataset"} & keys.keys()
    found = [
        each
        for each in (columns.names if named else columns.names[:1])
        if is_step(each)
        and each not in (*keys.values(), *taken)
        and columns.numbers(each).is_numeric
        and _tells_apart(columns, keys, each)
    ]
    return max(found, key=lambda each: columns.n_distinct([*keys.values(), each]), default=None)


def _tells_apart(columns: Columns, keys: Mapping[str, str], name: str) -> bool:
    """Return whether rows that else are the same differ in a column."""
    return columns.n_distinct([*keys.values(), name]) > columns.n_distinct(keys.values())


def _chosen(columns: Columns, keys: Mapping[str, str], name: str, which: str) -> Columns:
    """Return the rows of the last step of each run, or of the first, without the steps."""
    place, values = columns.places(keys.values()), columns.numbers(name).values
    ends = np.full(int(place.max()) + 1, -np.inf if which == "last" else np.inf)
    (np.fmax if which == "last" else np.fmin).at(ends, place, values)
    least, most = ends.min(), ends.max()
    kept = columns.take(values == ends[place])
    rule = Worded(f"duplicates={which!r}: the", page="The")
    steps = f"{most:.15g}" if least == most else f"which is {least:.15g} to {most:.15g}"
    note = strung([rule, f" score at the {which} {name}, {steps}."])
    # Whatever else counts steps, epochs beside iterations, tells no rows apart any more.
    rest = {each: cells for each, cells in kept.values.items() if not is_step(each)}
    return kept.noted(note, values=rest)


def _with_runs(columns: Columns, keys: dict[str, str]) -> tuple[Columns, dict[str, str]]:
    """Return a number for rows that differ in their scores only: they are runs, averaged as seeds.

    A column of text or of few numbers tells of an algorithm, and is asked about.
    """
    if {"seed", "repeat", "fold", "item"} & keys.keys() or not columns.have_twins(keys.values()):
        return columns, keys
    for each in columns.names:
        is_measure = is_known_score(each) or is_known_cost(each) or each in keys.values()
        few = 2 * columns.n_distinct([each]) <= len(columns)
        is_text = not columns.numbers(each).is_meant_numeric
        if not is_measure and (few or is_text) and _tells_apart(columns, keys, each):
            ways = [Option("where", f"{each}={columns.labels_or_blank(each).names[0]}")]
            if "algorithm" in keys:
                ways.append(Option("algorithm", f"{keys['algorithm']}+{each}"))
            rule = f"rows of one step of training differ in {each!r}"
            raise CellError("rows", rule, remedy=f"Choose or name them: {either(ways)}")
    counters = defaultdict[int, Iterator[int]](lambda: itertools.count(1))
    number = [next(counters[each]) for each in columns.places(keys.values()).tolist()]
    values = {**columns.values, _RUN: Texts(list(map(str, number)))}
    runs = count(max(number), "run")
    note = f"Rows of that step that nothing tells apart are runs, up to {runs} each."
    return columns.noted(note, values=values), {**keys, "seed": _RUN}
