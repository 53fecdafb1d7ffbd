"""What stands in a table more than once: copies of rows, contradictions, copies of data sets.

Rows of one key that agree in score, costs and status are copies. Where they do not, the error
says which other columns tell them apart, because mostly a part of the key was not recognised.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from palio.errors import CellError, Option, either
from palio.measures import is_known_score, is_spread
from palio.registry import Registry
from palio.scores.columns import dense, first_places
from palio.scores.missing import failed_rows
from palio.scores.roles import repeats_items
from palio.scores.rows import repeated
from palio.scores.vocabulary import has_role
from palio.words import Worded, count, joined, listed, quoted, strung

if TYPE_CHECKING:
    from palio.scores.columns import Coded, Columns, Origin
    from palio.scores.rows import Rows
    from palio.types import BoolArray, FloatArray, IntArray

DuplicatesChoice: TypeAlias = Literal["error", "mean", "first", "last"]

_MAX_VALUES = 50  # values of a column, before it is one of times or texts rather than of names


@dataclass(frozen=True)
class Way:
    """What is made of several rows of one key: an entry of the registry.

    ``merge`` takes rows and the place of each among the results, and gives one row per result.
    """

    name: str
    told: str
    merge: Callable[[Rows, IntArray, str], Rows]


def merged(rows: Rows, place: IntArray, score: str, weights: FloatArray | None = None) -> Rows:
    """Return the means of rows with the same place; those of scores may be weighted.

    A mean of which one value is missing is missing; the status is that of the missing one.
    """
    failed = failed_rows(rows)
    first = first_places(place)
    gaps = np.flatnonzero(np.isnan(rows.scores[score]) | failed | rows.unended)[::-1]
    first[place[gaps]] = gaps  # the first of them
    mean = partial(_mean, place=place, size=first.size)
    known = {n: np.where(failed, np.nan, v) if failed.any() else v for n, v in rows.scores.items()}
    found = replace(
        rows.take(first),
        scores={name: mean(each, weights=weights) for name, each in known.items()},
        costs={name: mean(each) for name, each in rows.costs.items()},
    )
    if rows.censored is not None and rows.censored.any():
        n_runs = np.bincount(place).astype(np.float64)
        found = replace(found, censored=mean(rows.censored), n_runs=n_runs)
    return found


def with_seeds(
    means: Rows, rows: Rows, place: IntArray, seed: Coded, weights: FloatArray | None = None
) -> Rows:
    """Keep beside means over seeds what each seed gave: a mean over the items, if there are any."""
    shape = (len(means), len(seed.names))
    spot = place * shape[1] + seed.codes
    gone = failed_rows(rows) | rows.unended
    by_seed = {
        name: _mean(np.where(gone, np.nan, values), spot, math.prod(shape), weights).reshape(shape)
        for name, values in rows.scores.items()
    }
    return replace(means, seeds=seed.names, by_seed=by_seed)


def _mean(
    values: FloatArray, place: IntArray, size: int, weights: FloatArray | None = None
) -> FloatArray:
    """Average the values of each of so many places; NaN where there are none."""
    sums = np.bincount(place, values if weights is None else values * weights, size)
    amounts, found = np.bincount(place, weights, size), np.full(size, np.nan)
    np.divide(sums, amounts, out=found, where=amounts > 0)
    return found


def _first(rows: Rows, place: IntArray, _: str) -> Rows:
    return rows.take(first_places(place))


def _last(rows: Rows, place: IntArray, _: str) -> Rows:
    return rows.take(place.size - 1 - first_places(place[::-1]))


DUPLICATES: Registry[Way] = Registry.of(
    "duplicates",
    Way("mean", "their mean is taken", merged),
    Way("first", "the first is taken", _first),
    Way("last", "the last is taken", _last),
)


def check_duplicates(duplicates: str) -> None:
    """Raise unless ``duplicates`` is ``"error"`` or one of the ways."""
    if duplicates != "error":
        DUPLICATES[duplicates]


def settle_duplicates(
    rows: Rows, key: IntArray, score: str, duplicates: str, conflict: Callable[[IntArray], str]
) -> tuple[Rows, tuple[str, ...]]:
    """Return one row per key, and what to note.

    Without rows too many they are as they were. ``conflict`` says why the pairs of rows that
    contradict are repeats, whose mean is taken, or raises.
    """
    place = dense(key)
    if int(place.max(initial=-1)) + 1 == len(rows):
        return rows, ()
    pairs = repeated(place)
    apart = pairs[~_agree(rows, pairs, score)]
    torn = np.unique(place[apart[:, 0]])
    why: str = Worded(f"duplicates={duplicates!r}: ")
    if torn.size and duplicates == "error":
        why, duplicates = conflict(apart), "mean"
    way = DUPLICATES["first" if duplicates == "error" else duplicates]
    kept = way.merge(rows, place, score)
    copies = len(pairs) - int((np.bincount(place)[torn] - 1).sum())
    notes = []
    if copies:
        notes.append(
            f"{count(copies, 'row was', 'rows were')} dropped as "
            f"{'a copy' if copies == 1 else 'copies'} of another: same key, same result."
        )
    if torn.size:
        said = (
            f"{count(torn.size, 'result stands', 'results stand')}"
            f" in several rows that do not agree; {way.told}."
        )
        notes.append(strung([why, said]))
    return kept, tuple(notes)


def _agree(rows: Rows, pairs: IntArray, score: str) -> BoolArray:
    """Return whether the rows of each pair have the same scores, costs and status."""
    scores = [each for name, each in rows.scores.items() if name == score or is_known_score(name)]
    agree = np.ones(len(pairs), dtype=bool)
    for values in (*scores, *rows.costs.values()):
        a, b = values[pairs[:, 0]], values[pairs[:, 1]]
        agree &= (a == b) | (np.isnan(a) & np.isnan(b))
    if rows.status is not None:
        agree &= rows.status[pairs[:, 0]] == rows.status[pairs[:, 1]]
    return agree


# --- the error -----------------------------------------------------------------------------


def contradiction(
    rows: Rows,
    pairs: IntArray,
    origin: Origin | None,
    *,
    within: Sequence[str] = ("repeat", "fold"),
    differ: Mapping[str, Sequence[str]] | None = None,
    algorithm: str = "algorithm",
    parts: Collection[str] = (),
) -> CellError:
    """Build the error for rows of one key that contradict.

    ``differ`` are the columns that tell them apart, with some of their values; ``algorithm`` is
    the column of the algorithms, whose names the columns in ``parts`` may be a part of.
    """
    shown = [
        rows.describe(int(pair[0])) + ("" if origin is None else f" ({origin.at(pair)})")
        for pair in pairs[:3]
    ]
    found = f"They differ in {quoted(differ)}. " if differ else ""
    ways = _ways_out(differ or {}, algorithm, parts)
    if not ways:
        found = found or "If they are folds or repeats, name these in a column. "
        ways = [Option("duplicates", way) for way in DUPLICATES]
    return CellError(
        "rows",
        f"each {joined(['data set', 'algorithm', *within])} may have one result, but "
        f"{count(len(pairs), 'result repeats', 'results repeat')} an earlier one: "
        f"{listed(shown, limit=3, total=len(pairs))}",
        remedy=f"{found}Say which are meant: {either(ways)}",
    )


def _ways_out(
    differ: Mapping[str, Sequence[str]], algorithm: str, parts: Collection[str]
) -> list[Option]:
    """Return what may be done about rows that columns tell apart."""
    ways = []
    for name, values in list(differ.items())[:3]:
        if not values:
            continue
        if role := _role_of(name, values):
            ways.append(Option(role, name))
        elif name in parts:
            ways.append(Option("algorithm", f"{algorithm}+{name}"))
        ways.append(Option("where", f"{name}={values[0]}"))
    return ways


def _role_of(name: str, values: Sequence[str]) -> str | None:
    """Return whether a column that tells rows apart may count folds or repeats."""
    if repeats_items(name):
        return "repeat"
    if role := next((role for role in ("fold", "repeat") if has_role(name, role)), None):
        return role
    about = ("algorithm_description", "dataset_description", "ignore")
    describes = has_role(name, *about, at_least=0.5) or is_spread(name)
    whole = all(each.lstrip("-").isdecimal() for each in values)
    return "repeat" if whole and not describes else None


def columns_apart(
    columns: Columns, pairs: IntArray, used: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the columns in which the rows of every pair differ, else of some; with their values.

    A column of more values than names would have is there without them.
    """
    found: list[tuple[float, str, tuple[str, ...]]] = []
    for name in columns.names:
        if not name or name in used or is_known_score(name):
            continue
        there = columns.labels_or_blank(name)
        codes = there.codes[pairs]
        share = float((codes[:, 0] != codes[:, 1]).mean())
        if share:
            values = tuple(there.names[code] for code in np.unique(codes) if there.names[code])
            few = len(values) <= _MAX_VALUES and not columns.numbers(name).has_decimals
            found.append((share, name, values if few else ()))
    found.sort(key=lambda each: -each[0])
    every = [each for each in found if each[0] == 1]
    return {name: values for _, name, values in every or found[:3]}


# --- copies of data sets and of algorithms ---------------------------------------------------

_MIN_ALIKE = 3  # scores that must agree before it is more than chance
_MIN_CONSTANT = 10  # … where all are the same: a ceiling or a floor, which a few reach
_MAX_SHOWN = 3


def notes_on_copies(rows: Rows, score: str) -> tuple[str, ...]:
    """Say which data sets have the scores of another one, and which algorithms do, everywhere.

    They are mostly one file under two names, or one run reported twice, and then count twice.
    """
    # What did not end is alike everywhere. Weights tell folds apart whose means are the same.
    scores = np.where(rows.unended, np.nan, rows.scores[score])
    means, weighted = rows.cell_means(scores), rows.cell_means(scores * (rows.split + 1))
    notes = []
    for what, names, axis in (("data sets", rows.datasets, 0), ("algorithms", rows.algorithms, 1)):
        groups: dict[tuple[float, ...], list[str]] = {}
        for place, name in enumerate(names):
            own = means.take(place, axis)
            there = own[~np.isnan(own)]
            constant = bool((there == there[:1]).all())
            if there.size >= (_MIN_CONSTANT if constant else _MIN_ALIKE):
                of_all = f" (all {there[0]:g})" if constant else ""
                key = np.nan_to_num(np.append(own, weighted.take(place, axis)), nan=np.inf)
                groups.setdefault(tuple(key.tolist()), [of_all]).append(name)
        found = [f"{' = '.join(same)}{of_all}" for of_all, *same in groups.values() if same[1:]]
        if found:
            notes.append(
                f"The same scores throughout, of {what}: {listed(found, limit=_MAX_SHOWN)}."
            )
    return tuple(notes)
