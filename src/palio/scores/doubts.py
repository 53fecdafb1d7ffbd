"""What makes results doubtful: rows that contradict or are copies, and values that cannot be.

Rows of one key that agree in score, costs and status are copies. Where they do not, the error
says which other columns tell them apart, because mostly a part of the key was not recognised.
Each check of values finds nothing, or an error that names the rows; a caller who knows better lets
the values through, and then it is a note.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from palio.errors import CellError, MissingCellsError, Option, either
from palio.measures import is_known_score, is_spread
from palio.registry import Registry
from palio.scores.columns import first_places, joint_places
from palio.scores.limits import LARGEST
from palio.scores.missing import empty_rows, failed_rows
from palio.scores.roles import repeats_items
from palio.scores.rows import means_by, refuse_few, repeated, without
from palio.scores.vocabulary import has_role
from palio.words import Worded, count, joined, listed, quoted, strung

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.scores.columns import Coded, Columns, Numbers, Origin
    from palio.scores.long_table import LongTable
    from palio.scores.rows import Rows
    from palio.types import BoolArray, FloatArray, IntArray

# --- rows of one key -----------------------------------------------------------------------

_Conflict: TypeAlias = "Callable[[IntArray], str]"
DuplicatesChoice: TypeAlias = Literal["error", "mean", "first", "last"]

_SLIPS = 20  # values for each that cannot be, where it was but mistyped
_DESCRIBING = ("algorithm_description", "dataset_description", "ignore")
MAX_VALUES = 50  # values of a column, before it is one of times or texts rather than of names


@dataclass(frozen=True)
class Way:
    """What is made of several rows of one key: an entry of the registry.

    ``merge`` takes rows and the place of each among the results, and gives one row per result.
    """

    name: str
    description: str
    merge: Callable[[Rows, IntArray, str], Rows]


def merged(rows: Rows, place: IntArray, score: str) -> Rows:
    """Return the means of rows with the same place.

    A mean of which one value is missing is missing; the status is that of the missing one.
    """
    failed = failed_rows(rows)
    first = first_places(place)
    gaps = np.flatnonzero(np.isnan(rows.scores[score]) | failed | rows.unended)[::-1]
    first[place[gaps]] = gaps  # the first of them
    mean = partial(means_by, place, size=first.size)
    known = {name: without(failed, values) for name, values in rows.scores.items()}
    found = replace(
        rows.take(first),
        scores={name: mean(each) for name, each in known.items()},
        costs={name: mean(each) for name, each in rows.costs.items()},
    )
    if rows.censored is not None and rows.censored.any():
        n_runs = np.bincount(place).astype(np.float64)
        found = replace(found, censored=mean(rows.censored), n_runs=n_runs)
    return found


def with_seeds(means: Rows, rows: Rows, place: IntArray, seed: Coded) -> Rows:
    """Keep beside means over seeds what each seed gave: a mean over the items, if there are any."""
    shape = (len(means), len(seed.names))
    spot = place * shape[1] + seed.codes
    gone = failed_rows(rows) | rows.unended
    by_seed = {
        name: means_by(spot, without(gone, x), math.prod(shape)).reshape(shape)
        for name, x in rows.scores.items()
    }
    return replace(means, seeds=seed.names, by_seed=by_seed)


DUPLICATES: Registry[Way] = Registry.of(
    "duplicates",
    Way("mean", "their mean is taken", merged),
    Way("first", "the first is taken", lambda rows, place, _: rows.take(first_places(place))),
    Way(
        "last",
        "the last is taken",
        lambda rows, place, _: rows.take(place.size - 1 - first_places(place[::-1])),
    ),
)


def check_duplicates(duplicates: str) -> None:
    """Raise unless ``duplicates`` is ``"error"`` or one of the ways."""
    if duplicates != "error":
        DUPLICATES[duplicates]


def settle_duplicates(
    rows: Rows, keys: Sequence[IntArray], score: str, duplicates: str, conflict: _Conflict
) -> tuple[Rows, tuple[str, ...]]:
    """Return one row for all that have the same keys, in their order, and what to note.

    Without rows too many they are as they were. ``conflict`` says why the pairs of rows that
    contradict are repeats, whose mean is taken, or raises.
    """
    largest_first = sorted(keys, key=lambda codes: -int(codes.max(initial=0)))  # few are needed
    if int(joint_places(largest_first).max(initial=-1)) + 1 == len(rows):
        return rows, ()
    place = joint_places(keys)
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
        copied = count(copies, "copy", "copies")
        notes.append(f"Dropped {copied} of other rows: same key, same result.")
    if torn.size:
        number = count(torn.size, "result stands", "results stand")
        notes.append(
            strung([why, f"{number} in several rows that do not agree; {way.description}."])
        )
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
    origin: Origin,
    *,
    within: Sequence[str],
    differ: Mapping[str, Sequence[str]],
    parts: Mapping[str, Option],
    together: Option | None = None,
) -> CellError:
    """Build the error for rows of one key that contradict.

    ``differ`` are the columns that tell them apart, with some of their values; those in ``parts``
    may be part of the names of algorithms, and so may several ``together``.
    """
    shown = [f"{rows.describe(int(pair[0]))} ({origin.at(pair)})" for pair in pairs[:3]]
    found = "If they are folds or repeats, name these in a column. "
    found = f"They differ in {quoted(differ)}. " if differ else found
    ways = [] if together is None else [together]
    for name, values in [each for each in differ.items() if each[1]][:3]:
        describes = has_role(name, *_DESCRIBING, at_least=0.5) or is_spread(name)
        are_whole = all(each.lstrip("-").isdecimal() for each in values)
        if repeats_items(name) or (are_whole and not describes):
            ways.append(Option("repeat", name))
        elif name in parts:
            ways.append(parts[name])
        ways.append(Option("where", f"{name}={values[0]}"))
    ways = ways or [Option("duplicates", way) for way in DUPLICATES]
    return CellError(
        "rows",
        f"each {joined(['data set', 'algorithm', *within])} may have one result, but "
        f"{count(len(pairs), 'result repeats', 'results repeat')} an earlier one: "
        f"{listed(shown, limit=3, total=len(pairs))}",
        remedy=f"{found}Say which are meant: {either(ways)}",
    )


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
            few = len(values) <= MAX_VALUES and not columns.numbers(name).has_decimals
            found.append((share, name, values if few else ()))
    found.sort(key=lambda each: -each[0])
    every = [each for each in found if each[0] == 1]
    return {name: values for _, name, values in every or found[:3]}


# --- values that cannot be -------------------------------------------------------------------

# Such a number is what a program writes for no number, if the others are nowhere near.
_ABSURD, _BESIDE = 1e30, 1e15
# Benchmarks are also marked from 1 to 10, which is not percent.
_UP_TO_TEN = 10
# Of so many values so many are fractions: the others are mistakes.
_MANY, _MOST = 10, 0.9


class Doubt(NamedTuple):
    """What cannot be, unless each column of a leaderboard is a measure of its own."""

    error: CellError
    of_column: bool = False


def let_through(
    doubts: Sequence[Doubt], measure: Measure, *, allow: bool, board: bool
) -> list[str]:
    """Raise the first doubt or, if that is allowed, return what to note."""
    perhaps = [each.error.rule for each in doubts if board and each.of_column]
    errors = [each.error for each in doubts if not (board and each.of_column)]
    if errors and not allow:
        raise errors[0]
    notes = [f"Perhaps not all columns are {measure.name}: {rule}." for rule in perhaps]
    return [*notes, *(f"Let through as asked: {each.rule}." for each in errors)]


def _error(rule: str, remedy: str, *, whole: bool = False) -> CellError:
    allow = Option("allow_out_of_range", "True", whole)
    ways = f"take them as they are: {allow}" if whole else f"give {allow} to take them as they are"
    return CellError("score", rule, remedy=f"{remedy}, or {ways}")


def _where(
    rule: str, rows: Rows, bad: BoolArray, values: FloatArray, origin: Origin | None = None
) -> str:
    """Say how many values break a rule, at ``{number}`` in it, and which they are."""
    positions = np.flatnonzero(bad)
    cells = rows.describe_some(positions, values, limit=3)
    at = "" if origin is None else f"; {origin.at(positions)}"
    number = count(positions.size, "value is", "values are")
    return f"{rule.replace('{number}', number)} ({cells}{at})"


def percent_signs(found: Sequence[Numbers]) -> list[Doubt]:
    """Find numbers without a percent sign beside numbers with one; 0 is the same with both."""
    if all(numbers.written.percent is None for numbers in found):
        return []
    values = np.stack([numbers.values for numbers in found])
    none = np.zeros(values.shape[1], dtype=bool)
    is_percent = np.stack([none if (x := n.written.percent) is None else x for n in found])
    is_plain = ~is_percent & ~np.isnan(values) & (values != 0)
    signed, plain = values[is_percent], values[is_plain]
    if not plain.size:
        return []
    # No number above 1 is a fraction; among others of its size it is in percent, too.
    if max(1, signed.min() / 10) < plain.min() and plain.max() <= min(100, 10 * signed.max()):
        return []
    places = np.argwhere(is_plain)[:3].tolist()
    shown = [f"{found[n].shown(place)} of {found[n].name!r}" for n, place in places]
    rule = (
        f"{count(signed.size, 'cell has', 'cells have')} a percent sign and "
        f"{count(plain.size, 'has', 'have')} none: {listed(shown, limit=3, total=plain.size)}"
    )
    return [Doubt(_error(rule, "Write all in percent or none"))]


def without_minus_ones(table: LongTable) -> LongTable:
    """Take scores of -1, as tools write where they found none, for unknown.

    Where nothing says that the measure is never below 0 they count, and that is noted of items:
    in a mean nobody would see it.
    """
    name, items = table.measure.name, table.items
    values = table.rows.scores[name] if items is None else items.as_floats()
    marked = values == -1
    if not marked.any():
        return table
    others = values[~marked & ~np.isnan(values)]
    if not others.size or others.min() < 0:
        return table
    number = count(int(marked.sum()), "score")
    if items is None and table.measure.possible[0] == 0:
        scores = {**table.rows.scores, name: np.where(marked, np.nan, values)}
        note = f"{number} of -1, which {name} cannot be, read as missing."
        return table.noted(note, rows=replace(table.rows, scores=scores))
    if others.max() <= 2 or (items is None and not table.averaged):
        return table
    return table.noted(
        f"{number} of -1 count as they are, beside others of {others.min():g} to "
        f"{others.max():g}: leave those cells empty if -1 says that there is none."
    )


# --- what a measure can be -------------------------------------------------------------------


class _Scores(NamedTuple):
    """The scores of a table, NaN where there is none."""

    table: LongTable
    values: FloatArray

    @classmethod
    def of(cls, table: LongTable) -> _Scores:
        given = table.rows.scores[table.measure.name]
        return cls(table, without(failed_rows(table.rows) | np.isinf(given), given))

    def doubt(
        self, rule: str, where: BoolArray, remedy: str, *, of_column: bool = False
    ) -> Doubt | None:
        """Build the error about the rows where something is wrong; these end the rule."""
        if not where.any():
            return None
        rule = f"{self.table.measure.name} {rule}"
        text = _where(rule, self.table.rows, where, self.values, self.table.origin)
        # A few impossible values are slips; many are of something else.
        return Doubt(_error(text, remedy, whole=_SLIPS * where.sum() < where.size), of_column)

    def mixed(self, where: str, cells: BoolArray, *, of_column: bool = False) -> Doubt | None:
        """Build the error about the (data set, algorithm) in fractions beside percent."""
        rows = cells[self.table.rows.dataset, self.table.rows.algorithm] & ~np.isnan(self.values)
        rule = f"seems to be in fractions {where}"
        return self.doubt(rule, rows, "Write all in one scale", of_column=of_column)


def implausible(table: LongTable, *, of_items: bool = False) -> list[Doubt]:
    """Find what scores cannot be; what failed has none, and what is infinite is refused anyway.

    Of single items, before means of them hide it, only what is beyond the range of the measure.
    """
    scores = _Scores.of(table)
    if np.isnan(scores.values).all():
        return []
    checks = [_beyond] if of_items else [_beyond, _absurd]
    if not of_items and scores.table.measure.possible[1] == 100:
        checks += [_in_fractions, _above_one]
    return [doubt for check in checks if (doubt := check(scores)) is not None]


def _beyond(scores: _Scores) -> Doubt | None:
    """Find values outside the measure's range."""
    low, high = scores.table.measure.possible
    slack = 1e-7
    out = (scores.values < low - slack) | (scores.values > high + slack)
    remedy = f"Correct the table, say with {Option('score')} what it holds"
    unit = ", as fractions or percent" if high == 100 else ""
    rule = f"is between {low:g} and {high:g}{unit}, but {{number}} not"
    return scores.doubt(rule, out, remedy, of_column=True)


def _absurd(scores: _Scores) -> Doubt | None:
    """Find numbers that stand for none: 1e300 beside 0.9."""
    sizes = np.abs(scores.values)
    usual = float(np.nanmedian(sizes))
    out = (sizes > _ABSURD) & (sizes > _BESIDE * usual)
    rule = f"is {usual:g} or less in half of the rows, but {{number}} far off"
    return scores.doubt(rule, out, "Leave a cell empty if its value is missing")


def _in_fractions(scores: _Scores) -> Doubt | None:
    """Find algorithms, data sets or cells in fractions while the others are in percent.

    A share in percent may truly be below 1. It is suspected where it is far from the others on the
    same data set, and a hundred times it is near.
    """
    means = scores.table.rows.cell_means(scores.values)
    there, fraction, percent = ~np.isnan(means), (means > 0) & (means <= 1), means > 1
    least = np.where(percent, means, np.inf).min(axis=1, keepdims=True)
    most = np.where(percent, means, -np.inf).max(axis=1, keepdims=True)

    def suspected(by: float) -> BoolArray:
        """Mark fractions that would be like the others, within a factor, if they were percent."""
        highest = np.minimum(most * by, 100)
        near = (100 * means >= least / by) & (100 * means <= highest)
        return np.asarray(fraction & (10 * means < least) & near)

    n_cells = there.sum(axis=0)
    only = (fraction | ~there).all(axis=0) & (n_cells > 0)
    only &= 2 * suspected(2).sum(axis=0) >= n_cells
    if only.any():
        names = quoted(compress(scores.table.rows.algorithms, only))
        return scores.mixed(f"for {names} and in percent for others", fraction & only)
    if not scores.table.measure.higher_is_better:  # errors in percent are often all below 1
        return None
    low = np.asarray((fraction | ~there).all(axis=1))
    high = np.asarray((percent | ~there).all(axis=1))
    several = there.sum(axis=1) > 1
    above = high & several & (most[:, 0] > _UP_TO_TEN)
    if (low | high).all() and (low & several).any() and above.any():
        names = quoted(compress(scores.table.rows.datasets, low))
        cells = fraction & low[:, np.newaxis]
        return scores.mixed(f"on {names} and in percent on others", cells, of_column=True)
    # Where the percent of the others on the data set are close together.
    close = (most <= 1.5 * least) & (percent.sum(axis=1, keepdims=True) > 1)
    cells = suspected(1.25) & close
    return scores.mixed(f"in {count(int(cells.sum()), 'cell')} and in percent beside", cells)


def _above_one(scores: _Scores) -> Doubt | None:
    """Find values above 1 among fractions: few of many."""
    values = scores.values
    there = int((~np.isnan(values)).sum())
    fractions, above = (values > 0) & (values <= 1), values > 1 + 1e-9
    are_few = there < _MANY or fractions.sum() < _MOST * there
    if are_few or not scores.table.measure.higher_is_better:
        return None
    rule = "is in fractions, but {number} above 1"
    return scores.doubt(rule, above, "Write all in one scale", of_column=True)


# --- what is asked of rows -----------------------------------------------------------------


def check_rows(rows: Rows, measure: Measure, origin: Origin | None, *, alone: bool) -> None:
    """Refuse a table of one algorithm, unless that is asked for, and scores that are infinite."""
    if not (alone and rows.algorithms):
        remedy = f"say with {Option('algorithm')} if another column names the algorithms, or "
        refuse_few(rows.algorithms, "results", remedy)
    scores = rows.scores[measure.name]
    if (bad := np.abs(scores) > LARGEST).any():
        rule = f"{measure.name} must be finite, within ±{LARGEST:g}, but {{number}} infinite"
        remedy = "Correct the table; leave a cell empty if its value is missing"
        raise CellError("score", _where(rule, rows, bad, scores, origin), remedy=remedy)


def check_costs(rows: Rows, measure: Measure) -> list[str]:
    """Refuse costs that are none; say of which some are missing, where there are scores."""
    notes, excused = [], empty_rows(rows, measure)
    for name, values in rows.costs.items():
        if (bad := (values > LARGEST) | (values < 0)).any():
            rule = _where(
                f"{name} must be finite and not negative, but {{number}} not", rows, bad, values
            )
            raise CellError("costs", rule, remedy="Correct the table, or remove the column")
        there = ~np.isnan(values) & ~excused
        if not there.any() and not excused.all():
            rule = f"{name} must be there, but nobody has it"
            raise MissingCellsError("costs", rule, remedy="Remove the column")
        # Who lacks a cost altogether is named when somebody asks for it.
        measured = (rows.count_cells(there) > 0).any(axis=0)
        gaps = np.flatnonzero(np.isnan(values) & ~excused & measured[rows.algorithm])
        if gaps.size:
            where = f"{count(gaps.size, 'result')} ({rows.describe_some(gaps)})"
            notes.append(f"{name} is missing for {where}: its means allow for that.")
    return notes
