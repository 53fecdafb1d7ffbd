"""Hypotheses about what a table is, each with its evidence: the clear leader among them is taken.

A reading says how the table is laid out, which columns name the algorithms and the data sets, and
which hold results. `EVIDENCE` lists what speaks for or against one, in points: a heading that means
one thing only is worth four, and a reading is clear if it leads by `CLEAR_LEAD`.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice, product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from palio.measures import (
    direction_in,
    find_measures,
    is_known_cost,
    is_known_score,
    is_speed,
    is_spread,
    is_time,
    names_cost,
)
from palio.scores.aggregates import MEAN_OF_PARTS, aggregates, is_called_aggregate
from palio.scores.columns import INDEX, UNNAMED
from palio.scores.profiles import DESCRIPTIONS, RUNS, Profile, profile_of
from palio.scores.roles import are_runs
from palio.scores.spec import Layout
from palio.scores.values import REASONS
from palio.scores.vocabulary import SURE, algorithm_share, dataset_share, has_role

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.types import IntArray


_Names: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]  # of algorithms and of data sets
_Candidate: TypeAlias = tuple[Layout, tuple[str, ...], tuple[str, ...]]
_WIDE = ("datasets-in-rows", "algorithms-in-rows")
CLEAR_LEAD = 1.5  # points before the runner-up
_GENERIC = 0.5  # weight below which a heading alone settles nothing
_WEAK = 0.3  # weight of a heading that may mean anything
_MANY_MEASURES = 3  # that stand by themselves in headings
_SOME_MEASURES = 0.25  # share of headings that are measures, where others may be of any kind
# What stands beside a measure in a heading, and names no algorithm or data set.
_NEUTRAL = re.compile(
    r"(?i)(?:mean|std|avg|average|overall|total|final|best|rank|split|fold|cv|oof|train|test|val"
    r"|valid|validation|holdout|macro|micro|weighted|global|local|localized|score"
    r"|\([^()]{0,20}\)|[\W\d_]){0,60}"
)
# Words that name another measure with each word before them.
_QUANTITY = re.compile(
    r"(?i)(?<=[^\W_])[\s_-](?:rate|ratio|length|count|number|percentage|share|frequency|speed)s?"
    r"(?:\s?\([^()]{0,40}\))?$"
)
_WORD_AT_END, _WORD_AT_START = re.compile(r"[^\W_]+$"), re.compile(r"^[^\W_]+")
_MARKS_AT_END = re.compile(r"^[\W_]+|[\W_]+$")
_DESCRIBED = re.compile(r"(?i)versions?|papers?|publications?|articles?|.{0,20}(?:type|family)")
_GAP = re.compile(r"(?i)(?:^|[\W_])gap")  # to the bound, which exact solvers close
_MAX_PART = 40  # letters of a cell, on average, that is part of a name
_MIN_DENSITY = 0.2  # share of the pairs of algorithm and data set that most tables fill
_MIN_CROSSED = 0.9  # share of the pairs of names and numbers, if numbers tell what was tried
_FEW = 5  # rows, which scores may count by chance
_MAX_SIZE_RATIO = 1e4  # of the largest numbers of columns that measure the same
_MAX_SETTINGS = 5  # that are part of names
_MAX_NAME_COLUMNS = 8  # of a table that are tried for each role


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a reading (points above 0) or against it, and why."""

    points: float
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A hypothesis: the layout, the columns that name things, and those that hold results.

    Several columns may make one name. ``aside`` are the columns that are neither.
    """

    layout: Layout
    algorithm: tuple[str, ...]
    dataset: tuple[str, ...]
    results: tuple[str, ...]
    costs: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    points_of_names: float = 0.0  # of the evidence that names give, in headings and cells

    @property
    def points(self) -> float:
        """The sum of the evidence."""
        return sum(each.points for each in self.evidence)

    def is_clear_of(self, other: Reading) -> bool:
        """Say whether it leads another; where that swaps what is compared, also by names.

        What stands beside names, such as a type or a year, is told of both.
        """
        lead = self.points - other.points
        swapped = (self.algorithm, self.dataset) == (other.dataset, other.algorithm)
        if swapped and self.layout in (*_WIDE, "long"):
            lead = min(lead, self.points_of_names - other.points_of_names)
        return lead >= CLEAR_LEAD

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that name algorithms and data sets."""
        return (*self.algorithm, *self.dataset)


class TableProfile:
    """The profiles of all columns of a table, and what they look like together."""

    def __init__(self, columns: Columns, given: Mapping[str, Sequence[str]] | None = None) -> None:
        self.columns, self.given = columns, given or {}
        self.profiles = {name: profile_of(columns, name) for name in columns.names}
        for name in columns.whereabouts:  # called so by the reader, which tells nothing
            self.profiles[name] = replace(self.profiles[name], roles={})
        if not any(_may_name(x) and _not_naming(x) < _GENERIC for x in self.profiles.values()):
            self._name_by_descriptions()

    def __getitem__(self, name: str) -> Profile:
        return self.profiles[name]

    def _name_by_descriptions(self) -> None:
        """Let versions or papers name what is compared, where no other column does."""
        for name in self.profiles:
            profile = self.profiles[name]
            is_full = profile.n_filled == profile.n_rows and profile.n_distinct > 1
            if _DESCRIBED.fullmatch(name) and profile.kind in ("name", "version") and is_full:
                self.profiles[name] = replace(profile, kind="name", roles={"algorithm": 1.0})
                return

    @cached_property
    def names(self) -> list[Profile]:
        """The columns that may name algorithms or data sets."""
        taken = [name for role in self.given if role not in _CALLED for name in self.given[role]]
        every = self.profiles.values()
        found = [each for each in every if _may_name(each) or self._crosses_names(each)]
        return [each for each in found if each.name not in taken][:_MAX_NAME_COLUMNS]

    def _crosses_names(self, numbers: Profile) -> bool:
        """Say whether each of a few numbers stands beside each name of a column, once or in runs.

        Such as sizes of samples, on each of which each tool was tried: they name what it was.
        """
        if not numbers.is_number or numbers.n_distinct < 2 or _not_naming(numbers) >= SURE:
            return False
        counts = numbers.is_whole and numbers.n_distinct > 2  # functions by number, called fid
        is_score = is_known_score(numbers.name) and not counts
        if is_score or is_known_cost(numbers.name) or numbers.is_aside or numbers.counts_runs:
            return False
        every = self.profiles.values()
        runs = [each.name for each in every if _tells_runs(each)]
        return any(
            each.kind == "name"
            and self.is_unique([each.name, numbers.name, *runs])
            and (self._nearly_cross(each, numbers) or self._are_sizes(each, numbers))
            for each in every
        )

    def _nearly_cross(self, names: Profile, numbers: Profile) -> bool:
        """Say whether nearly each name stands beside each number."""
        n_pairs = self.columns.n_distinct([names.name, numbers.name])
        n_possible = names.n_distinct * numbers.n_distinct
        return n_pairs > names.n_distinct > 1 and n_pairs >= _MIN_CROSSED * n_possible

    def _are_sizes(self, names: Profile, numbers: Profile) -> bool:
        """Say whether numbers are headed as sizes of data, on each of which most were tried."""
        is_size = numbers.weight(DESCRIPTIONS[0]) >= _GENERIC
        return is_size and min(_crossed(self, names.name, numbers.name)[1]) > 0.5

    @cached_property
    def of_items(self) -> bool:
        """Whether rows are of items, such as questions."""
        return "item" in self.given or any(each.has("item") for each in self.profiles.values())

    def candidates(self, role: str, other: str | None = None) -> list[tuple[str, ...]]:
        """Return the columns that may name what plays a role; those given are the only ones.

        Beside items only a heading makes a column one of data sets. With ``other``, the other role,
        they may also be two together where one alone repeats itself; the first is not headed as the
        other role is: "R100", trained on "Casia", is a model.
        """
        if role in self.given:
            return [tuple(self.given[role])]
        names = [each.name for each in self.names]
        if self.of_items and role == "dataset":
            names = [name for name in names if self[name].weight(role) >= _WEAK]
        single: list[tuple[str, ...]] = [(name,) for name in names]
        parts = [x.name for x in self.names if x.length <= _MAX_PART and not x.has(*RUNS)]
        leading = sorted(names, key=lambda name: -self[name].weight(role))
        pairs = (
            (first, second)
            for first, second in product(leading, parts if other else ())
            if first != second
            and not self.is_unique([first])
            and self.is_unique([first, second])
            and (
                self[first].weight(role) > self[second].weight(role) or not self.is_unique([second])
            )
            and self[first].weight(str(other)) < 0.5
        )
        return [*single, *(list(islice(pairs, 1)) or self._with_settings(role))]

    def _with_settings(self, role: str) -> list[tuple[str, ...]]:
        """Return the column of algorithms with those of settings, if only all tell rows apart."""
        able = [x for x in self.profiles.values() if x.weight("setting", DESCRIPTIONS[1]) >= SURE]
        named = [x.name for x in self.names if x.has(role) and role == "algorithm"][:1]
        parts = [x.name for x in able if x.name not in named and 4 * x.n_distinct <= x.n_rows]
        many = bool(named) and len(self.columns) > 2 * self.columns.n_distinct(named)
        return [(*named, *parts)] if many and self.is_unique([*named, *parts]) else []

    def describes_data(self, name: str) -> bool:
        """Return whether a heading is, perhaps, that of something that data sets have."""
        return self[name].weight(DESCRIPTIONS[0]) >= _GENERIC and not is_known_score(name)

    def is_unique(self, names: Sequence[str]) -> bool:
        """Return whether no two rows have the same in all of these columns."""
        return not self.columns.have_twins(names)

    def is_grid(self, first: Sequence[str], second: Sequence[str]) -> bool:
        """Return whether all that some columns name stands in a row with all that others do."""
        count = self.columns.n_distinct
        return count(first) * count(second) == count([*first, *second]) > count(first) > 1


def _may_name(profile: Profile) -> bool:
    """Say whether a column may name algorithms or data sets."""
    role = profile.weight(*_CALLED)
    if profile.has("metric") or _tells_parts(profile):
        return False
    if profile.kind == "name":
        return (profile.n_distinct > 1 and profile.n_filled == profile.n_rows) or role >= SURE
    is_label = profile.is_number and profile.is_whole and profile.n_distinct > 1
    unnamed = profile.name in ("", INDEX) and profile.is_unique and not profile.counts_rows
    return is_label and (role >= max(0.5, _not_naming(profile)) or unnamed)


def _tells_parts(profile: Profile) -> bool:
    """Say whether its cells are parts of the data, such as train and test."""
    return profile.n_filled > 0 and all(has_role(each, "part") for each in profile.distinct)


def _not_naming(profile: Profile) -> float:
    """Return how surely a heading is that of something else than names."""
    others = (weight for role, weight in profile.roles.items() if role not in _CALLED)
    return 0.0 if profile.name in ("", INDEX) else max(others, default=0.0)


# --- hypotheses ------------------------------------------------------------------------------


def readings_of(columns: Columns, given: Mapping[str, Sequence[str]]) -> list[Reading]:
    """Return the readings of a table that agree with what is given, the best first.

    ``given`` has the columns of the roles that the caller names, ``score`` among them.
    """
    table = TableProfile(columns, given)
    found = []
    for layout, algorithm, dataset in (*_with_names_once(table), *_with_names_in_rows(table)):
        reading = _sorted_out(table, Reading(layout, algorithm, dataset, ()))
        if len(reading.results) >= (2 if layout in _WIDE else 1):
            names = [each for collect in OF_NAMES for each in collect(table, reading)]
            others = [each for collect in EVIDENCE for each in collect(table, reading)]
            evidence = tuple(each for each in (*names, *others) if each.points)
            of_names = 0.0 if _is_odd(table, reading) else sum(each.points for each in names)
            found.append(replace(reading, evidence=evidence, points_of_names=of_names))
    return sorted(found, key=lambda reading: -reading.points)


def _is_odd(table: TableProfile, reading: Reading) -> bool:
    """Say whether the column of the algorithms is headed as one of data sets is, as both may be."""
    names = [table[name] for name in reading.algorithm[:1] if reading.dataset]
    return any(
        each.weight("dataset") > each.weight("algorithm")
        and each.weight("dataset") >= _GENERIC
        and _looks(each.distinct) < 0.5
        for each in names
    )


def explain(readings: Sequence[Reading]) -> Iterator[str]:
    """Yield lines that say what speaks for and against readings."""
    for reading in readings:
        names = [
            f"{_CALLED[role]} by {'+'.join(name or INDEX for name in getattr(reading, role))}"
            for role in _CALLED
            if getattr(reading, role)
        ]
        told = ", ".join([reading.layout.replace("-", " "), *names])
        yield f"{told}: {reading.points:.1f} points"
        yield from (f"  {each.points:+.1f}  {each.text}" for each in reading.evidence)


def _with_names_once(table: TableProfile) -> Iterator[_Candidate]:
    """Give the layouts in which rows are of algorithms or of data sets."""
    if "dataset" not in table.given:
        for names in table.candidates("algorithm", "dataset"):
            yield "algorithms-in-rows", names, ()
            if table.of_items:
                yield "long", names, ()
            elif len(names) == 1 or table[names[-1]].weight("dataset") < 0.5:
                yield "board", names, ()
    if "algorithm" not in table.given:
        for names in table.candidates("dataset", "algorithm"):
            yield "datasets-in-rows", (), names
        for names in table.candidates("dataset"):
            yield "one", (), names
        if table.of_items or not any(each.kind == "name" for each in table.profiles.values()):
            yield "datasets-in-rows", (), ()


def _with_names_in_rows(table: TableProfile) -> Iterator[_Candidate]:
    """Give the long layouts, in which rows are of an algorithm on a data set."""
    pairs = product(table.candidates("algorithm", "dataset"), table.candidates("dataset"))
    for algorithm, dataset in pairs:
        if set(algorithm) & set(dataset):
            continue
        yield "long", algorithm, dataset
        for names in _with_parts(table, algorithm, dataset):
            if all(table.given.get(role, x) == x for role, x in zip(_CALLED, names, strict=True)):
                yield "long", *names


def _with_parts(
    table: TableProfile, algorithm: tuple[str, ...], dataset: tuple[str, ...]
) -> Iterator[_Names]:
    """Give the names with parts without which rows would be the same: one, or the fewest.

    Several are parts of those names with which fewest pairs are missing.
    """
    keys = (*algorithm, *dataset, *(name for name in table.profiles if _tells_runs(table[name])))
    if table.of_items or table.is_unique(keys):
        return
    able = [
        name
        for name, each in table.profiles.items()
        if name not in keys and _may_be_part(table, each, algorithm, dataset)
    ]
    single = [[name] for name in able if table.is_unique([*keys, name])]
    for parts in single or _fewest(table, keys, able):
        found = dict[_Names, int]()
        for sides in product((1, 0), repeat=len(parts)):
            own = [
                tuple(n for n, x in zip(parts, sides, strict=True) if x == side) for side in (0, 1)
            ]
            names = ((*algorithm, *own[0]), (*dataset, *own[1]))
            found[names] = table.columns.n_distinct(names[0]) * table.columns.n_distinct(names[1])
        yield from (names for names in found if single or found[names] == min(found.values()))


def _fewest(table: TableProfile, keys: Sequence[str], able: Sequence[str]) -> list[list[str]]:
    """Return the columns, if there are a few, without which rows would be the same."""
    needed = [name for name in able if 4 * table[name].n_distinct <= table[name].n_rows]
    if not all(any(table[name].has(role) for name in keys) for role in _CALLED):
        return []
    for name in needed[::-1]:
        fewer = [each for each in needed if each != name]
        needed = fewer if table.is_unique([*keys, *fewer]) else needed
    is_found = len(needed) <= _MAX_SETTINGS and table.is_unique([*keys, *needed])
    return [needed] if is_found else []


def _may_be_part(
    table: TableProfile, column: Profile, algorithm: Sequence[str], dataset: Sequence[str]
) -> bool:
    """Say whether a column may be part of a name; numbers are so that are the same for all."""
    name = column.name
    is_run = column.has(*RUNS, "status", "timestamp") or column.weight("repeat", "step") >= 0.5
    mains = zip(_CALLED, (algorithm, dataset), strict=True)
    is_main = any(column.weight(role) > table[names[0]].weight(role) for role, names in mains)
    if is_run or _tells_parts(column) or (is_main and column.has(*_CALLED)):
        return False
    if column.is_number:
        is_counted = column.is_whole and table.is_grid(algorithm, (*dataset, name))
        may_be = 4 * column.n_distinct <= column.n_rows and not is_known_score(name)
        may_be = may_be and not is_known_cost(name)
        return is_counted or (may_be and table.is_grid(dataset, [name]))
    is_label = column.kind in ("name", "truth", "version") and column.n_distinct > 0
    is_short = column.length <= _MAX_PART
    return is_label and is_short and not any(map(find_measures, column.distinct))


def _sorted_out(table: TableProfile, reading: Reading) -> Reading:
    """Tell the columns of results from costs, and from what is beside them."""
    results, costs, aside = list[str](), list[str](), list[str]()
    for each in table.profiles.values():
        if each.name not in reading.keys:
            kinds = {"result": results, "cost": costs, "aside": aside}
            kinds[_kind(table, reading, each)].append(each.name)
    if reading.layout not in _WIDE and not any(find_measures(name) for name in results):
        # Columns that are meant as scores and hold none: errors point at their cells.
        spoiled = [name for name in aside if is_known_score(name) and not table[name].is_number]
        results = [*spoiled, *results]
    between = _between(table, results, aside) if reading.layout in _WIDE else []
    results = [x for x in table.profiles if x in results or x in between] if between else results
    aside = [name for name in aside if name not in between]
    described = list(filter(table.describes_data, results))  # such as counts of what they have
    of_data = reading.layout in ("datasets-in-rows", "one") and "score" not in table.given
    if of_data and described and len(results) - len(described) < 2:
        results, aside = [], [*aside, *results]
    comparable = _comparable(table, reading, results, has_costs=bool(costs))
    aside += [name for name in results if name not in comparable]
    results = comparable
    if reading.layout in _WIDE and "score" not in table.given:
        speeds = [name for name in results if is_speed(name)]
        if len(speeds) < len(results):
            results, aside = [x for x in results if x not in speeds], [*aside, *speeds]
    is_long = reading.layout == "long"
    # Of solvers that may fail, what they find is compared by the time they take.
    times = [name for name in costs if is_time(name)]
    scores = [x for x in results if is_known_score(x) and not _GAP.search(x)]
    if is_long and times and not scores and _tells_ends(table):
        results, costs, aside = times, [x for x in costs if x not in times], [*aside, *results]
    varied = [name for name in costs if is_long or table[name].n_distinct > 1]
    # A table of run times is one of results; sizes alone describe what they are of.
    if not results and (any(map(is_time, varied)) or len(varied) > 1):
        results, costs = costs, []
    if not results:
        results = [name for name in aside if table[name].kind == "record"]
    return replace(reading, results=tuple(results), costs=tuple(costs), aside=tuple(aside))


def _between(table: TableProfile, results: Sequence[str], aside: Sequence[str]) -> list[str]:
    """Return columns among results that are like these: NUM, LOG and GEO are kinds of questions."""
    found = [table[name] for name in results]
    if len(found) < 2 or any(each.is_whole for each in found):
        return []
    low, high = min(each.low for each in found), max(each.high for each in found)
    names = list(table.profiles)
    able = [table[x] for x in names[names.index(results[0]) : names.index(results[-1])]]
    able = [x for x in able if x.has("ignore", DESCRIPTIONS[1]) and not is_spread(x.name)]
    able = [x for x in able if x.is_number and not x.is_whole and low <= x.low <= x.high <= high]
    return [x.name for x in able if x.name in aside and not is_called_aggregate(x.name)]


def _tells_ends(table: TableProfile) -> bool:
    """Say whether a column tells which runs ran out of time or failed."""
    status = (
        each for each in table.profiles.values() if each.has("status") and each.kind == "name"
    )
    return any(REASONS.keys() & {text.lower() for text in each.distinct} for each in status)


def _comparable(
    table: TableProfile, reading: Reading, results: list[str], *, has_costs: bool
) -> list[str]:
    """Leave out what orders nothing, as it is the same everywhere, or infinite somewhere."""
    if reading.layout in _WIDE or "score" in table.given:
        return results
    able = [x for x in results if table[x].n_distinct > 1 and not table[x].is_infinite]
    if not able and has_costs:  # a spoiled score is an error, but a loss is infinite after failure
        able = [x for x in results if is_known_score(x) and not _may_be_infinite(table[x])]
    is_long = reading.layout == "long"  # whatever its rows are of is named
    many = len(table.columns) > 2 and not (is_long or any(map(is_known_score, results)))
    return able if able or has_costs or many else results


def _may_be_infinite(column: Profile) -> bool:
    found = find_measures(column.name)
    return column.is_infinite and not any(each.higher_is_better for each in found)


def _kind(table: TableProfile, reading: Reading, column: Profile) -> str:
    """Say what a column holds that names nothing: results, costs, or neither."""
    name, is_wide = column.name, reading.layout in _WIDE
    if name in table.given.get("score", ()):
        return "result"
    if any(name in names for names in table.given.values()):
        return "aside"
    # Of items a truth is right or wrong: of a measure, or each of one algorithm.
    each_of_one = is_known_score(name) or reading.layout == "datasets-in-rows"
    if table.of_items and column.kind == "truth" and each_of_one:
        return "result"
    if not column.is_number:
        return "aside"
    called = is_called_aggregate(name)
    is_cost = is_known_cost(name) if is_wide else names_cost(name)
    may_be_dataset = reading.layout == "algorithms-in-rows" and not (is_cost or column.is_whole)
    if may_be_dataset and dataset_share([name]) == 1.0:  # seeds and flags are data sets, too
        return "result"
    no_chance = is_wide and len(table.columns) > _FEW
    if column.counts_rows and (not name.strip() or column.is_aside or no_chance):
        return "aside"
    if is_cost:
        return "cost"
    if called and is_wide and not column.has(*DESCRIPTIONS):
        return "result"  # left out later, if computing agrees
    # What numbers data sets or measures is a label; algorithms have names.
    is_label = column.is_whole and (column.has("dataset", "metric") or column.counts_runs)
    # What models are described by is no description of data sets: an algorithm is called so.
    is_name = reading.layout == "datasets-in-rows" and not column.is_whole
    is_name = is_name and column.has(DESCRIPTIONS[1]) and len(column.roles) == 1
    is_aside = column.is_aside and not is_name
    return "aside" if is_aside or is_label else "result"


# --- evidence --------------------------------------------------------------------------------


def _by_headings(
    table: TableProfile, reading: Reading, *, generic: bool = False
) -> Iterator[Evidence]:
    """Go by headings such as model or Datensatz, which say what their columns name.

    The ``generic`` ones, such as name or group, may be those of anything.
    """
    if not generic and any(table[name].has("setting") for name in reading.keys):
        yield Evidence(-4.0, "rows are of settings")
    for role, other in (("algorithm", "dataset"), ("dataset", "algorithm")):
        for name in getattr(reading, role)[:1]:
            weight = table[name].weight(role)
            if (table[name].weight(*_CALLED) < _GENERIC) != generic:
                continue
            points = 4 * (weight - table[name].weight(other))
            means = "means" if points > 0 else "does not mean"
            yield Evidence(points, f"the heading {name!r} {means} {_CALLED[role]}")
            against = max(0.0, _not_naming(table[name]) - weight)
            if against and role == "dataset" and _are_crossed(table, reading):
                continue  # data sets may be told apart by their sizes, called n
            yield Evidence(-3 * against, f"the heading {name!r} means something else")


def _cells_of_keys(table: TableProfile, reading: Reading) -> Iterator[Evidence]:
    """Go by cells that look like names of learners or models, or of known data sets."""
    for role, sign in (("algorithm", 1), ("dataset", -1)):
        for name in getattr(reading, role)[:1]:
            if table[name].is_number:  # data sets may have numbers for names; algorithms hardly
                points = -4.0 if role == "algorithm" else -2.0
                yield Evidence(points, f"{name!r} holds numbers")
            looks = _looks(table[name].distinct)
            yield Evidence(3 * sign * looks, f"{name!r} holds {_CALLED_BY_LOOK[looks > 0]}")


def _headings_of_results(_: TableProfile, reading: Reading) -> Iterator[Evidence]:
    """Go by the headings of the results of a wide table: names of algorithms or of data sets."""
    names = [n for n in reading.results if not (is_called_aggregate(n) or _QUANTITY.search(n))]
    if reading.layout in ("long", "board", "one") or not names:
        return
    sign = 1 if reading.layout == "datasets-in-rows" else -1
    if not reading.keys and all(map(UNNAMED.fullmatch, names)):
        yield Evidence(-6.0, "the file names nothing")
    looks = _looks(names)
    yield Evidence(3 * sign * looks, f"the headings are {_CALLED_BY_LOOK[looks > 0]}")


def _measures(table: TableProfile, reading: Reading) -> Iterator[Evidence]:
    """Expect measures as headings of a board, and not those of algorithms or data sets."""
    share = share_of_measures(reading.results, of_parts=_are_averaged(table, reading))
    if reading.layout == "long":
        # Of many headings one may have a measure in it, and the others be names.
        few = len(reading.results) < 3
        n_known = sum(map(bool, map(find_measures, reading.results)))
        most = 2 * n_known > len(reading.results) or share > _SOME_MEASURES
        known = n_known > 0 and (few or most)
        points = 1.0 if known else -4.0 * (not few)
        yield Evidence(points, f"{'a' if known else 'hardly a'} heading names a measure")
        return
    if reading.layout in ("board", "one"):
        alone = len(reading.results) == 1
        points = 4 * share - (1 if alone else 2.5)
        if points < 0 and len(reading.results) > _FEW and _overlap(table, reading.results):
            yield Evidence(-1.5, "the columns hold numbers of one size, as of one measure")
        yield Evidence(points, f"the headings name {'' if points > 0 else 'hardly any '}measures")
    else:
        yield Evidence(-5 * share, "the headings name measures")
        tops = [max(abs(table[name].low), abs(table[name].high)) for name in reading.results]
        if max(tops) > _MAX_SIZE_RATIO * min(filter(None, tops), default=np.inf):
            yield Evidence(-1.0, "the columns hold numbers of very different sizes")


def _are_averaged(table: TableProfile, reading: Reading) -> bool:
    """Say whether results are means of others: what is averaged is of one size."""
    in_rows = reading.layout in ("board", "algorithms-in-rows")
    if not in_rows or not table.is_unique(reading.keys):
        return False
    matrix = np.array([table.columns.numbers(name).values for name in reading.results]).T
    return not {"mean", MEAN_OF_PARTS}.isdisjoint(aggregates(reading.results, matrix).values())


def _overlap(table: TableProfile, names: Sequence[str]) -> bool:
    """Say whether some number is within the range of each of some columns."""
    ranges = [(table[name].low, table[name].high) for name in names]
    return max(low for low, _ in ranges) < min(high for _, high in ranges)


def share_of_measures(headings: Sequence[str], *, of_parts: bool = False) -> float:
    """Return how many of the headings that mean anything name measures, which differ.

    One beside other words in several of them, as in "AMI WER" and "LS WER", is that of a table with
    a column per data set. Arrows that point both ways mark measures, and so does a word such as
    rate or length: what it is of makes it a measure, and another one in each heading. If headings
    are ``of_parts`` of a whole, a measure beside other words only tells how a part is measured.
    """
    ways = [direction_in(heading) for heading in headings]
    named = [_measure_in(heading) for heading in headings]
    bare = {name for name, is_alone in named if is_alone}
    inside = Counter(name for name, is_alone in named if name and not is_alone)
    # Beside accuracy, TPR and MCC, what has accuracy in it is the accuracy of something.
    few = len(bare) < _MANY_MEASURES
    shared = {name for name, n in inside.items() if of_parts or (n > 1 and few)}
    n_measures, n_names = 0, float(sum(inside[name] for name in shared))
    for heading, way, (name, _) in zip(headings, ways, named, strict=True):
        is_marked = way is not None and {True, False} <= {*ways}
        if is_marked or (name not in shared if name else _QUANTITY.search(heading)):
            n_measures += 1
        elif not name:
            n_names += max(algorithm_share([heading]), dataset_share([heading]))
    doubt = 1 if len(headings) > max(n_measures, 1) else 0
    return n_measures / max(n_measures + n_names + doubt, 1)


def _measure_in(heading: str) -> tuple[str, bool]:
    """Return the measure that a heading names, if it does, and whether by itself."""
    name = next((each.name for each in find_measures(heading)), "")
    is_alone = bool(name) and _NEUTRAL.fullmatch(heading.replace(name, "", 1)) is not None
    return name.lower().removesuffix("s"), is_alone


def _uniqueness(table: TableProfile, reading: Reading) -> Iterator[Evidence]:
    """Expect each name once in the rows of a wide table, each pair a few times in a long one."""
    names = [*reading.keys, *(each for each in table.profiles if _tells_runs(table[each]))]
    if reading.layout == "long":
        told = "each pair of algorithm and data set stands in one row"
        points = 1.0 if table.is_unique(reading.keys) else -0.5
        if points < 0 and not table.is_unique(names):
            points, told = -2.0, "several rows have the same algorithm and data set"
        yield Evidence(points, told)
    elif names:
        if table.is_unique(names):
            yield Evidence(1.0, f"{names[0]!r} names each row once")
        else:
            yield Evidence(-3.0, f"{names[0]!r} names several rows the same")


def _tells_runs(profile: Profile) -> bool:
    return profile.has("fold", "repeat", "seed", "item", "metric")


def run_role(profile: Profile) -> str | None:
    """Return which of folds, items, measures and the like a heading is that of, if of any."""
    return next(filter(profile.has, RUNS), None)


def _crossing(table: TableProfile, reading: Reading) -> Iterator[Evidence]:
    """Expect most algorithms of a long table to meet several data sets, and the other way round.

    Elsewhere two columns of one name do not cross each other: one is what the other is tried on.
    """
    if reading.layout != "long":
        if len(reading.keys) == 2 and min(_crossed(table, *reading.keys)[1]) > 0.5:
            first, second = reading.keys
            yield Evidence(-3.0, f"{first!r} and {second!r} cross each other")
        return
    pairs, shares = _crossed(table, reading.algorithm, reading.dataset)
    one_algorithm, one_dataset = (bool(side.min() == side.max()) for side in pairs)
    nested = [name for name in reading.algorithm if _is_told_by(table, name, reading.dataset)]
    if len(reading.keys) > 2 and nested:
        yield Evidence(-4.0, f"{nested[0]!r} is told by the data set")
        return
    if min(shares) > 0.5 or (one_dataset and shares[1] > 0.5):
        yield Evidence(2.0, "algorithms and data sets cross each other")
        if len(pairs[0]) < _MIN_DENSITY * np.prod([int(side.max()) + 1 for side in pairs]):
            yield Evidence(-1.5, "most algorithms were not tried on most data sets")
        return
    if one_algorithm and shares[0] > 0.5:
        return
    sure = all(any(table[name].has(role) for name in getattr(reading, role)) for role in _CALLED)
    sure = sure and (len(reading.results) < 3 or any(map(find_measures, reading.results)))
    points = -1.0 if sure else -4.0
    yield Evidence(points, "algorithms and data sets do not cross each other")


def _is_told_by(table: TableProfile, name: str, others: Sequence[str]) -> bool:
    """Say whether most of what other columns name meets one value of a column, which has several.

    Such as the system that a data set was measured on.
    """
    if table[name].n_distinct < 2:
        return False
    return any(_crossed(table, name, other)[1][1] <= 0.5 for other in others)


def _are_crossed(table: TableProfile, reading: Reading) -> bool:
    """Say whether each algorithm meets most data sets once, and the other way round."""
    if reading.layout != "long" or not table.is_unique(reading.keys):
        return False
    return min(_crossed(table, reading.algorithm, reading.dataset)[1]) > 0.5


def _crossed(
    table: TableProfile, first: str | Sequence[str], second: str | Sequence[str]
) -> tuple[IntArray, list[float]]:
    """Return the pairs of names that meet, and the shares of names that meet several others."""
    first, second = ([each] if isinstance(each, str) else each for each in (first, second))
    pairs = table.columns.pairs(first, second)
    return pairs, [float((np.bincount(side) > 1).mean()) for side in pairs]


def _names_left(table: TableProfile, reading: Reading) -> Iterator[Evidence]:
    """Object if a column that is headed as algorithms or data sets are would play no part."""
    for role in _CALLED:
        if getattr(reading, role):
            continue
        left = [n for n in reading.aside if table[n].kind == "name" and table[n].has(role)]
        # Beside known data sets a column of data sets names what models were trained on.
        trained_on = dataset_share(reading.results) if role == "dataset" else 0.0
        if left:
            yield Evidence(-4.0 * (1 - trained_on), f"{left[0]!r} would not name {_CALLED[role]}")
        elif table.of_items and role == "dataset" and (groups := table.candidates(role)):
            yield Evidence(-3.0, f"{groups[0][0]!r} would not name data sets of items")


def _parts_of_names(table: TableProfile, reading: Reading) -> Iterator[Evidence]:
    """Object if a part of a name is headed as the other role is, or as what describes that."""
    for role, other in (("algorithm", "dataset"), ("dataset", "algorithm")):
        # Beside known data sets, what models were trained on is part of their names.
        trained_on = dataset_share(reading.results) if role == "algorithm" else 0.0
        for name in getattr(reading, role)[1:]:
            own, against = (table[name].weight(x, f"{x}_description") for x in (role, other))
            is_own = own or against < _WEAK
            told_by = reading.dataset[:1] if role == "dataset" else ()
            is_own = is_own or _is_told_by(table, name, told_by)
            points = 0.0 if is_own else -4.0 * against * (1 - trained_on)
            if role == "algorithm" and are_runs(sorted(table[name].distinct)):
                points -= 2.0
            yield Evidence(points, f"{name!r} would be part of the names of {_CALLED[role]}")


def _company(table: TableProfile, reading: Reading) -> Iterator[Evidence]:
    """Expect parameters and licences beside models, numbers of rows beside data sets."""
    rows = {"algorithms-in-rows": "algorithm", "board": "algorithm", "datasets-in-rows": "dataset"}
    role = rows.get(reading.layout)
    if role is None:
        return
    told = [table[each] for each in (*reading.aside, *reading.costs)]  # up to 1, down to -1
    tells = {x.name: x.weight(DESCRIPTIONS[1]) - x.weight(DESCRIPTIONS[0]) for x in told}
    tells |= {name: max(tells[name], 1.0) for name in reading.costs if tells[name] >= 0}
    for kind, word, sign in (("algorithm", "models", 1), ("dataset", "data sets", -1)):
        points, name = max(((sign * each, name) for name, each in tells.items()), default=(0, ""))
        if points > 0:
            points = min(1.5, 3 * points) * (1 if kind == role else -1)
            yield Evidence(points, f"{name!r} tells about {word}")


def _first(table: TableProfile, reading: Reading) -> Iterator[Evidence]:
    """Expect names to come first."""
    leading = next(iter(table.names), None)
    if leading is not None and reading.keys and leading.name in reading.keys:
        # Keys of records and names of rows come first, have no heading, and are there to name.
        named = leading.is_unique and leading.name in ("", INDEX) and reading.layout != "long"
        yield Evidence(3.5 if named else 0.5, f"{leading.name!r} comes first")


_Collect: TypeAlias = Callable[[TableProfile, Reading], Iterator[Evidence]]
OF_NAMES: tuple[_Collect, ...] = (_by_headings, _cells_of_keys, _headings_of_results)
EVIDENCE: tuple[_Collect, ...] = (
    partial(_by_headings, generic=True),
    _measures,
    _uniqueness,
    _crossing,
    _names_left,
    _parts_of_names,
    _company,
    _first,
)

_CALLED = {"algorithm": "algorithms", "dataset": "data sets"}
_CALLED_BY_LOOK = {True: "names of algorithms", False: "names of data sets"}


def _looks(names: Sequence[str]) -> float:
    """Return how much names look like algorithms (up to 1) or data sets (down to -1).

    What all of them begin and end with tells none apart: Tune('iris.csv') is of a data set.
    """
    whole, bare = (algorithm_share(x) - dataset_share(x) for x in (names, _differing(names)))
    return bare if abs(bare) >= 0.5 and bare * whole <= 0 else whole


def _differing(names: Sequence[str]) -> list[str]:
    """Return names without the words that all begin or end with, and without marks there."""
    if len(names) < 2:
        return list(names)
    start, end = map(os.path.commonprefix, ([*names], [name[::-1] for name in names]))
    start, end = _WORD_AT_END.sub("", start), _WORD_AT_START.sub("", end[::-1])
    bare = (name.removeprefix(start).removesuffix(end) for name in names)
    return [_MARKS_AT_END.sub("", name) for name in bare]
