"""What rows of one result are told apart by: steps of its training, turns of a question.

Scores along training are those of one run as it learns, so that one step must be chosen. The turns
of a question are items that belong together.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, Option
from palio.measures import is_known_score
from palio.scores.roles import along_training, is_step, repeats_items
from palio.scores.selection import with_joined, with_name_of_file
from palio.scores.vocabulary import has_role

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.types import FloatArray, IntArray


def in_order_of_training(
    columns: Columns, keys: Mapping[str, str], taken: Collection[str], duplicates: str
) -> tuple[Columns, dict[str, str]]:
    """Return the rows in the order of training, so that ``duplicates`` can choose among steps.

    Raise where it does not, or could not: of several rows of the last step none is the last.
    """
    name = _step(columns, keys, taken)
    if name is None:
        return columns, dict(keys)
    if repeats_items(name) and "repeat" not in keys and _are_runs(columns, keys, name):
        note = f"{name!r} names the repeats: few values, and scores do not change along them."
        return columns.noted(note), {**keys, "repeat": name}
    steps = columns.numbers(name).values
    if duplicates == "error":
        distinct = np.unique(steps)
        raise along_training(name, float(distinct[distinct.size // 2]))
    if duplicates != "mean" and columns.have_twins([*keys.values(), name]):
        rule = f"several rows are of one {name}, and {duplicates} may be any of them"
        remedy = f"Say by {Option('repeat')} or {Option('algorithm')} what tells them apart"
        raise CellError("rows", rule, remedy=remedy)
    order = np.argsort(steps, kind="stable")
    if duplicates != "mean":  # unknown steps come behind all others, and are not the last
        order = order[: np.count_nonzero(~np.isnan(steps))]
    used = (*keys.values(), *taken)
    counting = [each for each in columns.names if is_step(each) and each not in used]
    columns = columns.take(order).without(counting)
    note = f"The rows are in the order of {name}, whichever of several is taken."
    columns = columns.noted(note)
    if "dataset" not in keys:
        columns = with_name_of_file(columns, "dataset", of_items=True)
    return columns, {"dataset": "dataset", **keys}


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
    names = columns.names if {"algorithm", "dataset"} & keys.keys() else columns.names[:1]
    steps = [name for name in names if is_step(name) and name not in (*keys.values(), *taken)]
    steps = [name for name in steps if columns.numbers(name).is_numeric]
    found = [name for name in steps if _tells_apart(columns, keys, name)]
    return max(found, key=lambda each: columns.n_distinct([*keys.values(), each]), default=None)


def _tells_apart(columns: Columns, keys: Mapping[str, str], name: str) -> bool:
    """Return whether rows that else are the same differ in a column."""
    return columns.n_distinct([*keys.values(), name]) > columns.n_distinct(keys.values())
