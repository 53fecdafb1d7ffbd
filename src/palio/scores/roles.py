"""Which column plays which role, by the names that people use and, where these fail, by content.

What was given wins, then the role's own name (``dataset``, ``algorithm``, ``repeat``, ``fold``),
then a heading that means it (`palio.scores.vocabulary`); what rests on that is noted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import ColumnError, Option, ParameterError, either
from palio.scores.columns import squeezed
from palio.scores.vocabulary import has_role
from palio.words import joined

if TYPE_CHECKING:
    from palio.scores.columns import Columns

_NAMING = ("algorithm", "dataset")

# What tells results apart, and how a note calls it.
CALLED = {
    "algorithm": "the algorithms",
    "dataset": "the data sets",
    "fold": "the folds",
    "repeat": "the repeats",
    "seed": "the seeds",
    "item": "the items",
    "cluster": "the clusters of items",
}


def plays_a_role(name: str) -> bool:
    """Return whether a column of this name says which result a row is.

    >>> plays_a_role("Key_Fold"), plays_a_role("accuracy")
    (True, False)
    """
    return has_role(name, *CALLED, "turn") or is_step(name) or repeats_items(name)


def repeats_items(name: str) -> bool:
    """Return whether a column of this name may tell repeats of an item apart, such as judges."""
    return has_role(name, "repeat", at_least=0.5)


def is_step(name: str) -> bool:
    """Return whether a column of this name tells how far training has come."""
    return has_role(name, "step", at_least=0.5)


_MIN_RUNS = 3  # fewer numbers in a row may be names


def are_runs(names: Sequence[str]) -> bool:
    """Return whether columns are called by numbers one after the other, as runs are.

    >>> are_runs(["0", "1", "2"]), are_runs(["1", "10", "100"]), are_runs(["knn", "svm", "tree"])
    (True, False, False)
    """
    if len(names) < _MIN_RUNS or not all(name.isdecimal() for name in names):
        return False
    numbers = [int(name) for name in names]
    return numbers[0] in (0, 1) and all(after == before + 1 for before, after in pairwise(numbers))


def _plays(columns: Columns, name: str, role: str) -> bool:
    """Return whether the name of a column is used for a role; iterations may be of a resampling."""
    if role == "repeat" and is_step(name):
        return any(squeezed(each).startswith("resampl") for each in columns.names)
    return has_role(name, role)


def recognise(
    columns: Columns, given: Mapping[str, str | None], taken: Collection[str] = ()
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Find the columns that tell results of an algorithm on a data set apart, by their names.

    What tells repeated runs apart is looked for only where rows would be the same without it. Notes
    say what was not given.
    """
    keys = columns.roles(given, settled=_NAMING)
    usual, has_names = set(keys), not keys.keys().isdisjoint(_NAMING)
    free = [name for name in columns.names if name not in (*taken, *columns.nested)]
    for role in ("fold", "repeat", "seed", "item") if has_names else ("item",):
        if role not in keys and (not has_names or _have_twins(columns, keys)):
            keys |= _one_of(columns, keys, role, [x for x in free if _plays(columns, x, role)])
    if "item" in keys and "repeat" not in keys and _have_twins(columns, keys):
        keys |= _one_of(columns, keys, "repeat", filter(repeats_items, free))
    if "item" in keys and "cluster" not in keys:
        named = [name for name in free if has_role(name, "cluster", at_least=0.5)]
        clusters = [name for name in named if _puts_together(columns, name, keys)]
        keys |= {"cluster": clusters[0]} if len(clusters) == 1 else {}
    told = [f"{keys[role]!r} names {CALLED[role]}" for role in keys if role not in usual]
    return keys, (f"Recognised: {joined(told)}.",) if told else ()


def _one_of(
    columns: Columns, keys: Mapping[str, str], role: str, names: Iterable[str]
) -> dict[str, str]:
    """Return the one of some columns that plays a role: the one that tells most rows apart."""
    found = [name for name in names if name not in keys.values() and _fits(columns, name)]
    if role == "fold":
        found = _not_parts(columns, found)
    if role == "item":  # beside questions, documents are their clusters
        found = [name for name in found if not has_role(name, "cluster", at_least=0.5)] or found
    if not found:
        return {}
    return {role: max(found, key=lambda name: columns.n_distinct([*keys.values(), name]))}


def refuse_runs_as_datasets(name: str | None) -> None:
    """Raise if what was given as data sets are seeds, or steps of training."""
    if name is not None and has_role(name, "seed"):
        rule = f"{name!r} names random states, and these are no data sets: tests would tell of "
        remedy = "Leave it out: scores are averaged over seeds. If it names data sets indeed, call "
        raise ParameterError(
            "dataset", f"{rule}other seeds", remedy=f"{remedy}the column 'dataset'"
        )
    if name is not None and is_step(name):
        raise along_training(name)


def _have_twins(columns: Columns, keys: Mapping[str, str]) -> bool:
    """Return whether two rows are of one result; what is said of an item tells none apart."""
    return columns.have_twins([keys[role] for role in keys if role != "cluster"])


def along_training(column: str, step: float | None = None) -> ColumnError:
    """Build the error for scores along the training of a run; ``step`` is one of its steps."""
    ways = either([Option("duplicates", "last")])
    at_one = Option("where", f"{column}={'…' if step is None else f'{step:.15g}'}")
    other = at_one if step is None else either([at_one])
    rule = "it tells how far training has come, and is neither data sets nor repeats"
    remedy = f"Take the score at the last {column}: {ways}; or at another one: {other}. If these "
    remedy += "are no steps of training, call the column 'dataset' or 'repeat'"
    return ColumnError(f"column {column!r}", rule, remedy=remedy)


def _puts_together(columns: Columns, name: str, keys: Mapping[str, str]) -> bool:
    """Say whether a column puts items together.

    It is filled, the same wherever an item is, and of fewer values than there are items.
    """
    item = [keys[role] for role in ("dataset", "item") if role in keys]
    size, cells = columns.n_distinct(item), columns.labels_or_blank(name)
    filled = all(cells.names[code] for code in np.unique(cells.codes))
    is_one_each = columns.n_distinct([*item, name]) == size > columns.n_distinct([name])
    return name not in keys.values() and filled and is_one_each


def _fits(columns: Columns, name: str) -> bool:
    """Say whether a column holds labels: text, or whole numbers."""
    numbers = columns.numbers(name)
    return numbers.has_text or not (numbers.is_empty or numbers.has_decimals)


def _not_parts(columns: Columns, found: list[str]) -> list[str]:
    """Leave out columns that tell training from testing; refuse to mix what they tell apart."""
    for name in found:
        parts = columns.labels(name).names
        if not all(has_role(part, "part") for part in parts):
            continue
        if len(parts) > 1:
            ways = either([Option("where", f"{name}={part}") for part in parts])
            of = joined([repr(part) for part in parts])
            rule = f"{columns.origin.name} has scores of {of}, which are not folds"
            raise ColumnError(f"column {name!r}", rule, remedy=f"Say which are meant: {ways}")
        return [other for other in found if other != name]
    return found
