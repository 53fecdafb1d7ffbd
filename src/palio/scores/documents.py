"""Documents with several tables: the one that holds results is found, the others are named.

Tables that belong together are joined first: side by side where they have the same algorithms in
rows, below each other where only the heading of the first column differs and names the data set.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import ColumnError, Option, UndecidedError, either
from palio.measures import find_measures, is_general_score, is_known_cost, is_speed
from palio.scores.aggregates import (
    aggregates,
    is_called_aggregate,
    without_rows_of_text,
)
from palio.scores.columns import Columns, Origin, Texts, squeezed
from palio.scores.readings import Reading, readings_of
from palio.scores.selection import with_names_filled
from palio.scores.vocabulary import dataset_share, has_role, names_class, names_measures
from palio.systems import system
from palio.words import count, listed

if TYPE_CHECKING:
    import pandas as pd

    from palio.types import IntArray

_ALIKE = 1.0  # points between tables of which none looks more like the results than the other
_MIN_POINTS = 1.5  # of a reading, for a table to be one of results
_NO_TEST = re.compile(r"(?i)\b(?:train(?:ing)?|dev(?:elopment)?|val(?:id(?:ation)?)?)\b")
_MIN_SHARED_ROWS = 0.8  # share of names that two tables must have in common to stand side by side


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A table of a document, its number there, and the best reading of it."""

    numbers: tuple[str, ...]
    columns: Columns
    reading: Reading

    @property
    def points(self) -> float:
        """How much it looks like the results: how clear its reading is, and how large it is."""
        cells = len(self.columns) * len(self.reading.results)
        joined = _OF_JOINED if _SECTION in self.columns.values else 0.0
        beside = 0.0 if self.scores else _OF_COSTS
        return self.reading.points + 3 * min(3.0, math.log10(cells)) + joined + beside

    @property
    def key(self) -> str:
        """The column that names its rows."""
        return self.reading.keys[0]

    @property
    def scores(self) -> list[str]:
        """Its results, without those that are computed, or costs."""
        results = [each for each in self.reading.results if not is_called_aggregate(each)]
        return [each for each in results if not is_known_cost(each) and not is_speed(each)]

    @property
    def rows(self) -> list[str]:
        """The names of its rows."""
        return [str(each).strip() for each in self.columns.labels_or_blank(self.key).names if each]


# An index of several levels, as pandas writes it where a table is made of it as it stands.
_TUPLE = re.compile(r"\('[^()]{1,200},[^()]{1,200}\)")


def _refuse_tuples(columns: Columns) -> None:
    """Raise if the first column holds tuples: which of their parts names what, nobody can tell."""
    first = next(iter(columns.names), None)
    shown = [] if first is None else [str(text) for text in columns.distinct(first)[1]]
    if shown and all(map(_TUPLE.fullmatch, shown)):
        rule = f"{first!r} of {columns.origin.name} holds tuples, such as {shown[0]}"
        remedy = "Write the table with frame.reset_index(), so that each level has a column"
        raise ColumnError("source", rule, remedy=remedy)


def tidied(columns: Columns) -> Columns:
    """Return a table without the rows that are no results, and with a name in each that is one."""
    _refuse_tuples(columns)
    columns = _with_measures_by_units(without_rows_of_text(columns))
    if called := _parts_of_measures(columns.names):
        values = {called.get(name, name): each for name, each in columns.values.items()}
        columns = replace(columns, values=values)
    return _with_measures_in_rows(with_names_filled(columns))


def results_table(tables: Mapping[str, Columns]) -> Columns:
    """Return the table of a document that holds its results; a note names the others.

    ``tables`` are those of the document by the ``format`` that asks for each: ``markdown:2``.
    """
    parts = list(_joined(list(_parts(tables))))
    able = [number for number in tables if readings_of(tidied(tables[number]), {})]
    if not parts:
        options = [Option("format", number) for number in able[:3]]
        name = next(iter(tables.values())).origin.name
        rule = f"none of the {len(tables)} tables of {name} looks like results"
        if not options:
            raise ColumnError("source", rule, remedy="None has names with numbers beside them")
        raise UndecidedError("source", rule, remedy=f"Say which is meant: {either(options)}")
    # Of tables that look alike the first is the main one, unless it is of training or validation.
    leader = max(parts, key=lambda part: part.points)
    alike = [
        part
        for part in parts
        if part.points >= leader.points - (2 if _is_another_of(part, leader) else 1) * _ALIKE
    ]
    named = {n: x.context.heading or x.context.caption or n for n, x in tables.items()}
    best = next((part for part in alike if not _NO_TEST.search(named[part.numbers[0]])), alike[0])
    before = parts[: parts.index(best)]
    if larger := [part for part in before if _lists_more(part, best)]:
        options = [Option("format", part.numbers[0]) for part in (larger[0], best)]
        rule = f"{best.columns.origin.name} has tables of the same kind, a larger one first"
        raise UndecidedError("source", rule, remedy=f"Say which is meant: {either(options)}")
    read = dict.fromkeys(named[number] for number in best.numbers)
    note = f"{count(len(tables), 'table')} in the file; read: {listed(read, limit=10)}."
    # Those with results are named first.
    others = dict.fromkeys([number for part in parts for number in part.numbers] + able)
    ways = [
        f"{system().typed(['--format', number])} ({named[number]})"
        for number in others
        if number not in best.numbers
    ]
    note += f" Others: {listed(ways, limit=20)}." if ways else ""
    rest = [named[number] for number in tables if number not in others]
    note += f" Nothing to compare in: {listed(rest, limit=20)}." if rest else ""
    return replace(best.columns, notes=(note, *best.columns.notes))  # the first thing to know


def _parts(tables: Mapping[str, Columns]) -> Iterator[_Part]:
    for number, table in tables.items():
        columns = tidied(table)
        readings = readings_of(columns, {})
        if readings and readings[0].points >= _MIN_POINTS:
            yield _Part((number,), columns, readings[0])


def _joined(parts: list[_Part]) -> Iterator[_Part]:
    """Join tables that belong together, in the order of the document."""
    while parts:
        first, *rest = parts
        for goes_with, frames_of in _JOINS.items():
            group = [first]
            for part in rest:
                if all(goes_with(each, part) for each in group):
                    group.append(part)
            if len(group) > 1:
                first = _joined_part(group, frames_of(group))
                break
        yield first
        parts = [part for part in rest if part not in group]


def _names_dataset(first: _Part, other: _Part) -> bool:
    """Say whether two tables have the same columns but for the first heading, a data set each."""
    keys, names = (first.key, other.key), (first.columns.names, other.columns.names)
    same = names[0][1:] == names[1][1:] and keys == (names[0][0], names[1][0])
    return same and keys[0] != keys[1] and dataset_share(keys) > 0.5


def _are_wide(first: _Part, other: _Part) -> bool:
    layouts = {first.reading.layout, other.reading.layout}
    return len(layouts) == 1 and layouts <= {"datasets-in-rows", "algorithms-in-rows"}


def _goes_on(first: _Part, other: _Part) -> bool:
    """Say whether a table has the columns of another, and rows of other names."""
    if first.columns.names != other.columns.names or not _are_wide(first, other):
        return False
    rows = {name for name in first.rows if not is_called_aggregate(name)}
    return rows.isdisjoint(other.rows)


def _is_parallel(first: _Part, other: _Part) -> bool:
    """Say whether two tables have the same names and results under different headings.

    They are of one algorithm or data set each, which the heading names.
    """
    if not all(map(_holds_measures, (first, other))):
        return False
    headings = [part.columns.context.heading for part in (first, other)]
    if not all(headings) or headings[0] == headings[1]:
        return False
    of_data = [set(filter(_tells_runs, re.findall(r"[^\W\d_]+", each))) for each in headings]
    if of_data[0] != of_data[1] or any(map(_tells_runs, _different_words(headings))):
        return False
    return {first.key, *first.reading.results} == {other.key, *other.reading.results}


def _holds_measures(part: _Part) -> bool:
    """Say whether each column of results is a measure, such as "source acc" and "target acc"."""
    if part.reading.layout == "algorithms-in-rows":
        return all(map(find_measures, part.scores))
    return part.reading.layout in ("board", "one")


def _shared(names: Sequence[str], others: Sequence[str]) -> float:
    return len({*names} & {*others}) / max(len({*names} | {*others}), 1)


def _lists_more(first: _Part, other: _Part) -> bool:
    """Say whether two tables have the same columns beside their results, and the first more rows.

    Which of them is the main one cannot be seen then, however clear the reading of the other is.
    """
    beside = [
        [x for x in part.columns.names if x not in part.reading.results] for part in (first, other)
    ]
    return beside[0] == beside[1] and len(beside[0]) > 2 and len(first.columns) > len(other.columns)


def _is_another_of(first: _Part, other: _Part) -> bool:
    """Say whether two tables are of the same algorithms on other data sets, or the other way.

    Where both are the same the tables are of different measures, such as accuracy and speed.
    """
    if not _are_wide(first, other) or len({*first.numbers, *other.numbers}) > 2:
        return False
    shared = _shared(first.rows, other.rows), _shared(first.scores, other.scores)
    return max(shared) >= _MIN_SHARED_ROWS > min(shared)


def _by_heading(parts: Sequence[_Part]) -> list[pd.DataFrame]:
    """Return the tables with a column for the heading of each."""
    frames = [_frame(part.columns) for part in parts]
    words = _different_words([part.columns.context.heading for part in parts])
    return [frame.assign(**{_SECTION: word}) for frame, word in zip(frames, words, strict=True)]


def _by_dataset(parts: Sequence[_Part]) -> list[pd.DataFrame]:
    """Return the tables with a column for the data set that the first heading of each names."""
    frames = [_frame(part.columns).rename(columns={part.key: "algorithm"}) for part in parts]
    return [frame.assign(dataset=part.key) for frame, part in zip(frames, parts, strict=True)]


def _different_words(headings: Sequence[str]) -> list[str]:
    """Return headings without the words at their begin and end that all of them have.

    A word next to a number that differs is part of it: a unit, or what is counted.

    >>> _different_words(["Results on iris (%)", "Results on red wine (%)"])
    ['iris', 'red wine']
    >>> _different_words(["JMH: Reading - 1 KB", "JMH: Writing - 10 KB"])
    ['Reading - 1 KB', 'Writing - 10 KB']
    """
    words = [heading.strip(" :").split() for heading in headings]
    least = min(map(len, words)) - 1
    same = min(least, _n_alike(words))
    same -= same > 0 and any(map(str.isdigit, (each[same] for each in words)))
    after = min(least - same, _n_alike([each[::-1] for each in words]))
    after -= after > 0 and any(map(str.isdigit, (each[-after - 1] for each in words)))
    return [" ".join(each[same : len(each) - after]) for each in words]


def _n_alike(words: Sequence[Sequence[str]]) -> int:
    return sum(1 for _ in takewhile(lambda each: len({*each}) == 1, zip(*words, strict=False)))


_SECTION = "section"
_OF_COSTS = -4.0  # points of tables of costs alone, which stand beside those of scores
_OF_JOINED = -2.0  # points of tables that were put together: one that has it all is preferred


def _goes_beside(first: _Part, other: _Part) -> bool:
    """Say whether two tables have the same algorithms in rows and different data sets, or not so.

    Of data sets in rows, the tables have different algorithms; they must be of one measure.
    """
    layouts, parts = {first.reading.layout, other.reading.layout}, (first, other)
    results = [*first.reading.results, *other.reading.results]
    if any(len({*part.rows}) < len(part.columns) for part in parts) or first.key != other.key:
        return False
    if _shared(first.rows, other.rows) < _MIN_SHARED_ROWS or len({*results}) < len(results):
        return False
    if layouts == {"algorithms-in-rows"}:
        return min(dataset_share(part.reading.results) for part in parts) >= 0.5
    named = [{x.name for x in find_measures(part.columns.context.heading)} for part in parts]
    of_one = named[0] == named[1] and not any(map(find_measures, results))
    return of_one and bool(named[0]) and layouts <= {"datasets-in-rows", "one"}


_JOINS: dict[Callable[[_Part, _Part], bool], Callable[[Sequence[_Part]], list[pd.DataFrame]]] = {
    _is_parallel: _by_heading,
    _names_dataset: _by_dataset,
    _goes_on: lambda parts: [_frame(part.columns) for part in parts],
    _goes_beside: lambda parts: [_frame(part.columns).set_index(part.key) for part in parts],
}
"""Which tables belong together, and what of each goes into one; the first is taken."""


def _joined_part(parts: Sequence[_Part], frames: Sequence[pd.DataFrame]) -> _Part:
    """Return one table: below each other, or side by side if the names of the rows are indexes."""
    import pandas as pd

    if frames[0].index.name is None:
        frame = pd.concat(frames).fillna("")
    else:
        frame = pd.concat(frames, axis=1).fillna("")
        frame = frame.loc[:, ~frame.columns.duplicated()].reset_index()
    columns = _of_frame(parts[0].columns, frame)
    numbers = tuple(number for part in parts for number in part.numbers)
    return _Part(numbers, columns, readings_of(columns, {})[0])


def _frame(columns: Columns) -> pd.DataFrame:
    """Return a table of texts."""
    import pandas as pd

    return pd.DataFrame({name: _texts(columns, name) for name in columns.names}, dtype=object)


def _of_frame(columns: Columns, frame: pd.DataFrame, rows: IntArray | None = None) -> Columns:
    """Return columns as a frame has them, of these ``rows`` of the columns or of none."""
    of_rows = Origin.of_rows(columns.origin.name, len(frame))
    origin = of_rows if rows is None else columns.origin.take(rows)
    values = {str(name): Texts(frame[name].tolist()) for name in frame}
    return replace(columns, values=values, origin=origin)


_TIME = re.compile(r"(?:[nuµm]?s|secs?|seconds?|min|minutes?|hours?)(?:/\w+)?")


def _with_measures_by_units(columns: Columns) -> Columns:
    """Return a table of scores, all in units of time, with times, and without what they spread."""
    names = [name for name in columns.names if squeezed(name) in ("unit", "units")]
    if not names or not any(map(is_general_score, columns.names)):
        return columns
    units = _texts(columns, names[0])
    if not all(map(_TIME.fullmatch, units)) or any(map(names_measures, columns.names)):
        return columns
    left = {name for name in columns.names if re.match(r"(?i)(?:score )?error\b", name)}
    metric = Texts([f"time ({unit})" for unit in units])
    found = columns.without({*names, *left})
    note = [f"Left out, as what a time may be off by: {listed(left)}."] if left else []
    return found.noted(*note, values={**found.values, "metric": metric})


def _with_measures_in_rows(columns: Columns) -> Columns:
    """Return a table whose headings are of several rows, one of measures, with a row per measure.

    What the other rows of headings name is an algorithm or a data set, as its cells tell.
    """
    found = _by_two_headings(columns)
    held = {name: columns.numbers(name) for name in found}
    texts = [x for x, its in held.items() if its.is_empty or (its.has_text and not its.is_numeric)]
    beside = {found.pop(name): _texts(columns, name) for name in texts}  # such as a status
    others = [name for name in columns.names if name not in (*found, *texts)]
    numbers = [name for name in others if columns.numbers(name).is_meant_numeric]
    if len(found) < 3 * max(len(numbers), 1) or "metric" in columns.values:
        return columns
    columns = columns if texts else _without_computed_rows(columns, list(found))
    if totals := {name for name, (group, _) in found.items() if is_called_aggregate(group)}:
        told = listed(dict.fromkeys(found.pop(name)[0] for name in sorted(totals)))
        columns = columns.without(totals).noted(f"Left out by their names: {told}.")
    long = _frame(columns).melt(others, list(found), value_name="value").drop(columns="variable")
    # Left of rows of headings, each but the last corner says what its row names.
    group, _, corner = others[0].rpartition(" / ") if others else ("", "", "")
    is_named = group and all(name.endswith(f" / {pair[1]}") for name, pair in found.items())
    long = long.rename(columns={others[0]: corner} if is_named else {})
    names = group if is_named else "group", "metric"
    for name, shown in zip(names, zip(*found.values(), strict=True), strict=True):
        long[name] = np.repeat(np.array(shown, dtype=object), len(columns))
    for label in dict.fromkeys(label for _, label in beside):
        blank = [""] * len(columns)
        cells = (beside.get((of, label), blank) for of, _ in found.values())
        long[label] = list(chain.from_iterable(cells))
    rows = np.tile(np.arange(len(columns)), len(found))
    called = columns.whereabouts if is_named else (*columns.whereabouts, "group")
    return replace(_of_frame(columns, long, rows), whereabouts=called)


def _without_computed_rows(columns: Columns, results: Sequence[str]) -> Columns:
    """Leave out rows that are means, sums or ranks of the others; and say so."""
    names = _texts(columns, columns.names[0])
    matrix = np.array([columns.numbers(name).values for name in results])
    computed = aggregates(names, matrix) if len({*names}) == len(names) else {}
    if not computed:
        return columns
    told = [f"{name}, the {kind} of the others" for name, kind in computed.items()]
    kept = columns.take(np.array([name not in computed for name in names]))
    return kept.noted(f"Left out, because it is computed: {'; '.join(told)}.")


def _by_two_headings(columns: Columns) -> dict[str, tuple[str, str]]:
    """Return what columns are of and what they measure, where two rows of headings say so.

    The row of measures is the one in which one is known.
    """
    named = columns.names[1:]  # the first is of names, if any is: Method, and below it User ID
    halves = {name: name.rsplit(" / ", 1) for name in named if " / " in name}
    places = [1, 0]
    if not halves:  # results.iris.acc beside results.iris.time, NER/F1 beside STS/Pearson
        mark = "." if any("." in name for name in columns.names) else "/"
        halves = {name: name.rsplit(mark, 1) for name in columns.names if mark in name}
        places = [1] if len({pair[1] for pair in halves.values()}) > 1 else []
    for last in places:
        measures = [pair[last] for pair in halves.values()]
        groups = {pair[1 - last] for pair in halves.values()}
        known = sum(bool(find_measures(each)) for each in measures)
        if any(find_measures(each) or _tells_runs(each) for each in groups):
            continue
        if len(groups) > 1 and 2 * known >= len(halves):
            return {name: (pair[1 - last], pair[last]) for name, pair in halves.items()}
    return {}


def _parts_of_measures(names: Sequence[str]) -> dict[str, str]:
    """Return what columns are called whose two headings are a measure and a class it is of.

    >>> _parts_of_measures(["Accuracy", "F1 / Class 0", "iris / F1"])
    {'F1 / Class 0': 'F1 (Class 0)'}
    """
    pairs = {name: name.split(" / ") for name in names if name.count(" / ") == 1}
    return {
        name: f"{measure} ({part})"
        for name, (measure, part) in pairs.items()
        if find_measures(measure) and names_class(part)
    }


def _tells_runs(group: str) -> bool:
    """Say whether what columns are of is a part of the data, or a run: test, fold 1.

    >>> [_tells_runs(each) for each in ("metrics.test", "fold 1", "iris")]
    [True, True, False]
    """
    word = group.rpartition(".")[2].rstrip("0123456789 _-")
    return has_role(word, "part", "fold", "repeat", "seed")


def _texts(columns: Columns, name: str) -> list[str]:
    codes, found = columns.distinct(name)
    texts = [*(str(each).strip() for each in found), ""]
    return [texts[code] for code in codes.tolist()]
