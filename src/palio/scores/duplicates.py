"""Results that stand in a table more than once: copies are dropped, contradictions settled.

Rows of one key that agree in score, costs and status are copies. Where they do not, the error
says which other columns tell them apart, because mostly a part of the key was not recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from palio.errors import CellError, Option, either
from palio.measures import is_known_score, is_spread
from palio.registry import Registry
from palio.scores.columns import dense, first_places
from palio.scores.missing import failed_rows
from palio.scores.roles import repeats_items
from palio.scores.vocabulary import has_role
from palio.words import Worded, count, joined, listed, quoted, strung

if TYPE_CHECKING:
    from palio.scores.columns import Coded, Columns, Origin
    from palio.scores.rows import Rows
    from palio.types import BoolArray, FloatArray, IntArray

DuplicatesChoice: TypeAlias = Literal["error", "mean", "first", "last"]

MANY = 50  # values of a column, before it is one of times or texts rather than of names


@dataclass(frozen=True)
class Way:
    """What is made of several rows of one key: an entry of the registry.

    ``merge`` takes rows and the place of each among the results, and gives one row per result and
    the position of the row that it stands at.
    """

    name: str
    told: str
    merge: Callable[[Rows, IntArray, str], tuple[Rows, IntArray]]


def merged(
    rows: Rows, place: IntArray, score: str, weights: FloatArray | None = None
) -> tuple[Rows, IntArray]:
    """Return the means of rows with the same place; those of scores may be weighted.

    A mean of which one value is missing is missing; the status is that of the missing one.
    """
    failed = failed_rows(rows)
    shares = np.zeros(len(rows)) if rows.censored is None else rows.censored
    first = first_places(place)
    gaps = np.flatnonzero(np.isnan(rows.scores[score]) | failed | (shares > 0))[::-1]
    first[place[gaps]] = gaps  # the first of them
    sizes = np.bincount(place).astype(np.float64)

    def mean(values: FloatArray, own: FloatArray | None) -> FloatArray:
        if own is None:
            return np.bincount(place, weights=values) / sizes
        return np.bincount(place, weights=values * own) / np.bincount(place, weights=own)

    known = {n: np.where(failed, np.nan, v) if failed.any() else v for n, v in rows.scores.items()}
    scores = {name: mean(each, weights) for name, each in known.items()}
    costs = {name: mean(each, None) for name, each in rows.costs.items()}
    found = replace(rows.take(first), scores=scores, costs=costs)
    if shares.any():
        found = replace(found, censored=mean(shares, None), n_runs=sizes)
    return found, first


def with_seeds(
    means: Rows, rows: Rows, place: IntArray, seed: Coded, weights: FloatArray | None = None
) -> Rows:
    """Keep beside means over seeds what each seed gave: a mean over the items, if there are any."""
    k = len(seed.names)
    spot = place * k + seed.codes
    own = np.ones(spot.size) if weights is None else weights
    sizes = np.bincount(spot, weights=own, minlength=len(means) * k)
    failed = failed_rows(rows) | (rows.censored is not None and rows.censored > 0)

    def of_each(values: FloatArray) -> FloatArray:
        there = np.where(failed, np.nan, values) * own
        sums = np.bincount(spot, weights=there, minlength=sizes.size)
        found = np.full(sizes.size, np.nan)
        np.divide(sums, sizes, out=found, where=sizes > 0)
        return found.reshape(-1, k)

    by_seed = {name: of_each(values) for name, values in rows.scores.items()}
    return replace(means, seeds=seed.names, by_seed=by_seed)


def _first(rows: Rows, place: IntArray, _: str) -> tuple[Rows, IntArray]:
    there = np.unique(place, return_index=True)[1]
    return rows.take(there), there


def _last(rows: Rows, place: IntArray, _: str) -> tuple[Rows, IntArray]:
    there = place.size - 1 - np.unique(place[::-1], return_index=True)[1]
    return rows.take(there), there


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
) -> tuple[Rows, IntArray | None, tuple[str, ...]]:
    """Return one row per key, the positions these had, and what to note.

    Without rows too many they are as they were, and there are no positions. ``conflict`` says why
    the pairs of rows that contradict are repeats, whose mean is taken, or raises.
    """
    place = dense(key)
    if int(place.max(initial=-1)) + 1 == len(rows):
        return rows, None, ()
    sizes = np.bincount(place)
    order = np.argsort(place, kind="stable")
    after = np.flatnonzero(np.diff(place[order]) == 0)
    pairs = np.stack([order[after], order[after + 1]], axis=1)
    apart = pairs[~_agree(rows, pairs, score)]
    torn = np.zeros(sizes.size, dtype=bool)
    torn[place[apart[:, 0]]] = True
    why: str = Worded(f"duplicates={duplicates!r}: ")
    if apart.size and duplicates == "error":
        why, duplicates = conflict(apart), "mean"
    way = DUPLICATES["first" if duplicates == "error" else duplicates]
    kept, there = way.merge(rows, place, score)
    copies = int((sizes[~torn] - 1).sum())
    notes = []
    if copies:
        notes.append(
            f"{count(copies, 'row was', 'rows were')} dropped as "
            f"{'a copy' if copies == 1 else 'copies'} of another: same key, same result."
        )
    if torn.any():
        said = (
            f"{count(int(torn.sum()), 'result stands', 'results stand')}"
            f" in several rows that do not agree; {way.told}."
        )
        notes.append(strung([why, said]))
    return kept, there, tuple(notes)


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
        role = next((role for role in ("fold", "repeat") if has_role(name, role)), None)
        whole = all(each.lstrip("-").isdecimal() for each in values)
        if repeats_items(name) or (role is None and whole and not _describes(name)):
            role = "repeat"
        if role is not None:
            ways.append(Option(role, name))
        elif name in parts:
            ways.append(Option("algorithm", f"{algorithm}+{name}"))
        ways.append(Option("where", f"{name}={values[0]}"))
    return ways


def _describes(name: str) -> bool:
    """Say whether a column of this name tells of a model or a data set."""
    roles = ("algorithm_description", "dataset_description", "ignore")
    return has_role(name, *roles, at_least=0.5) or is_spread(name)


def columns_apart(
    columns: Columns, pairs: IntArray, used: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the columns in which the rows of every pair differ, else of some; with their values.

    A column of more values than names would have is there without them.
    """
    found: dict[str, tuple[float, tuple[str, ...]]] = {}
    for name in columns.names:
        if not name or name in used or is_known_score(name):
            continue
        there = columns.labels_or_blank(name)
        share = float((there.codes[pairs[:, 0]] != there.codes[pairs[:, 1]]).mean())
        if share:
            codes = np.unique(there.codes[pairs], return_inverse=False)
            values = tuple(there.names[code] for code in codes if there.names[code])
            few = codes.size <= MANY and not columns.numbers(name).has_decimals
            found[name] = (share, values if few else ())
    every = {name: values for name, (share, values) in found.items() if share == 1}
    rest = dict(sorted(found.items(), key=lambda item: -item[1][0])[:3])
    return every or {name: values for name, (_, values) in rest.items()}
