"""What a caller leaves open about a table, filled in by evidence; what stays open is asked.

The reading is the best of the hypotheses (`palio.scores.readings`), if its lead is clear. The
measure comes from names: of a column, of parts of the headings, of the caption, of the file. Values
never decide a direction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import ColumnError, Option, ParameterError, UndecidedError, either
from palio.measures import (
    direction_in,
    find_measures,
    is_general_score,
    is_inner_cv,
    is_known_cost,
    is_known_score,
    is_speed,
    is_time,
    measure_named,
    performance_word,
)
from palio.scores.aggregates import is_called_aggregate
from palio.scores.alone import are_runs
from palio.scores.choosing import with_joined, with_names_apart
from palio.scores.columns import INDEX, distinct_pairs, squeezed
from palio.scores.differing import by_metric, metric_column, tells_itself
from palio.scores.readings import (
    CLEAR_LEAD,
    Reading,
    TableProfile,
    explain,
    readings_of,
    tells_rows_apart,
)
from palio.scores.roles import CALLED, plays_a_role, refuse_runs_as_datasets
from palio.scores.vocabulary import benchmark_share, names_measures
from palio.scores.wide import measure_words
from palio.systems import system
from palio.words import Worded, joined, listed, quoted, strung

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.scores.spec import ReadSpec
    from palio.types import IntArray

# Of several measures in one table the first of these is the main one; others follow as they stand.
_MAIN_MEASURES = (
    *("accuracy", "acc", "balanced_accuracy", "auc", "roc_auc", "f1", "f1_macro", "r2", "rmse"),
    *("mae", "mse", "logloss", "log_loss", "mase", "wer", "bleu", "pass_rate_2"),
)


_NAMING = ("algorithm", "dataset")
_MIN_POINTS = 0.0  # a reading with more against it than for it is none
OF_MEASURES = ("long", "board", "one")  # layouts with a column per measure
SCORE = "score"  # what is not named otherwise


@dataclass(frozen=True, slots=True)
class Inferred:
    """A table without the columns that are no results, and what was found out about it."""

    columns: Columns
    spec: ReadSpec
    why: tuple[str, ...] = ()


def infer(columns: Columns, given: ReadSpec) -> Inferred:
    """Fill in what is not given, or raise an `UndecidedError` that names the ways to read it."""
    refuse_runs_as_datasets(given.dataset)
    if columns.known.source:  # an importer knows its columns
        dataset, algorithm = (columns.find(role, getattr(given, role)) for role in _NAMING[::-1])
        named = replace(given, dataset=dataset, algorithm=algorithm, layout="long")
        return Inferred(columns, named if given.score else _with_main_score(columns, named))
    asked = _columns_asked(columns, given)
    _refuse_predictions(columns)
    possible = readings_of(columns, asked)
    readings = _agreeing(possible, columns, given)
    if not readings:
        turned = given.transpose is not None and bool(possible)
        raise _cannot_turn(columns) if turned else _without_reading(columns)
    best = readings[0]
    if best.points < _MIN_POINTS and not asked and given.layout is None and given.transpose is None:
        raise _without_reading(columns)
    if best.layout in OF_MEASURES and given.score is not None and not are_runs(best.results):
        _ = columns.existing("score", given.score)
    rivals = rivals_of(columns, readings)
    why = tuple(explain([best, *rivals[:1]]))
    if rivals and best.points - rivals[0].points < CLEAR_LEAD:
        raise _undecided(columns, given, [best, rivals[0]], why)
    if best.layout in ("board", "algorithms-in-rows") and not _has_runs(columns, asked):
        if best.layout == "board":
            _refuse_twins(columns, best)
        columns = with_names_apart(columns, best.algorithm, given.duplicates)
    try:
        return replace(_applied(columns, given, best), why=why)
    except UndecidedError as error:
        error.why = why
        raise


def _with_main_score(columns: Columns, given: ReadSpec) -> ReadSpec:
    """Return what is asked of the files of a tool: its main score, unless one is asked about."""
    taken = (*given.keys.values(), *given.cost_columns)
    numbers = [name for name in columns.names if name not in taken and not plays_a_role(name)]
    numbers = [name for name in numbers if columns.numbers(name).is_numeric]
    return replace(given, score=main_score(numbers)) if numbers else given


def _columns_asked(columns: Columns, given: ReadSpec) -> Mapping[str, tuple[str, ...]]:
    """Return the columns of the roles that are given, each of which must be there, in one role."""
    for role, name in columns.roles(given.keys).items():
        if name == given.score:
            rule = f"{name!r} is the {role} column already"
            raise ParameterError("score", rule, remedy="Give a column of numbers")
    asked = {
        role: (columns.existing(role, name),)
        for role in _NAMING
        if (name := getattr(given, role)) is not None
    }
    others = {role: name for role, name in given.keys.items() if role not in _NAMING}
    others["score"] = _column_asked(columns, given)
    return asked | {role: (name.strip(),) for role, name in others.items() if name is not None}


def agreeing_readings(columns: Columns, given: ReadSpec) -> list[Reading]:
    """Return the readings that `infer` decides among, the best first."""
    return list(_agreeing(readings_of(columns, _columns_asked(columns, given)), columns, given))


def rivals_of(columns: Columns, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings besides the best that name other things than it does."""
    return [each for each in readings[1:] if not _same_names(columns, readings[0], each)]


def _agreeing(readings: Sequence[Reading], columns: Columns, given: ReadSpec) -> Sequence[Reading]:
    """Return the readings that agree with the other things that are given."""
    layout = given.layout
    if given.transpose is not None:
        layout = "algorithms-in-rows" if given.transpose else "datasets-in-rows"
    if layout is not None:
        return [each for each in readings if each.layout == layout]
    if given.score is None or not readings:
        return readings
    if given.score in columns.values:  # whoever asks about a column says that it is a measure
        return [each for each in readings if each.layout in OF_MEASURES]
    # A name for what is measured is for a table without columns of measures; else it is misspelled.
    wide = [each for each in readings if each.layout not in OF_MEASURES]
    return wide if wide and readings[0].points - wide[0].points < CLEAR_LEAD else readings


def _column_asked(columns: Columns, given: ReadSpec) -> str | None:
    """Return the column that is given as the score, if it is one and plays no other role."""
    if given.score is None or isinstance(given.score, str):
        taken = [name for name in given.keys.values() if name is not None]
        is_one = given.score in columns.values and given.score not in taken
        return given.score if is_one else None
    raise ParameterError("score", "must be the name of a column", remedy=f"got {given.score!r}")


def _same_names(columns: Columns, first: Reading, other: Reading) -> bool:
    """Say whether two readings differ only in columns that name the same things."""
    if first.layout != other.layout:
        return False
    for role in _NAMING:
        names, others = getattr(first, role), getattr(other, role)
        if bool(names) != bool(others):
            return False
        if names == others or not names:
            continue
        if len({columns.n_distinct(each) for each in (names, others, (*names, *others))}) > 1:
            return False
    return True


def _refuse_predictions(columns: Columns) -> None:
    """Raise if a table holds what algorithms said, and no scores."""
    names = {squeezed(name) for name in columns.names}
    if {"truth", "prediction"} <= names and not any(map(is_known_score, columns.names)):
        raise ColumnError(
            "source",
            f"{columns.origin.name} holds predictions, not scores",
            remedy="palio.read_items makes scores of them, right or wrong",
        )


def _refuse_twins(columns: Columns, reading: Reading) -> None:
    """Raise if algorithms stand in several rows each, and a column may name what tells them apart.

    A number may be that of a data set or of an item; other things are part of an algorithm's name.
    """
    table = TableProfile(columns)
    if table.is_unique(reading.keys):
        return
    for name in reading.aside:
        profile = table[name]
        crossing = (np.bincount(columns.pairs(reading.keys, [name])[1]) > 1).all()
        if tells_rows_apart(profile) or not (crossing and table.is_unique([*reading.keys, name])):
            continue
        other = Option("item", name)
        if not profile.is_whole or profile.roles.get("algorithm_description", 0.0) >= 0.5:
            other = Option("algorithm", "+".join([*reading.keys, name]))
        raise UndecidedError(
            "source",
            f"{columns.origin.name} has several rows of an algorithm, which differ in {name!r}",
            remedy=f"Say what it is: {either([Option('dataset', name), other])}",
        )


def _has_runs(columns: Columns, given: Collection[str]) -> bool:
    """Say whether something tells the rows of an algorithm apart: folds, seeds, items."""
    by_name = any(tells_rows_apart(each) for each in TableProfile(columns).profiles.values())
    return by_name or bool({"fold", "repeat", "item"} & set(given))


def _cannot_turn(columns: Columns) -> ParameterError:
    return ParameterError(
        "transpose",
        f"{columns.origin.name} has a column of algorithms and one of data sets",
        remedy="Only a table with one column per algorithm or per data set can be turned",
    )


def _without_reading(columns: Columns) -> ColumnError:
    """Build the error for a table in which nothing can be found to compare."""
    names = [name for name in columns.names if name]
    if not any(each.is_number for each in TableProfile(columns).profiles.values()):
        return ColumnError(
            "score",
            f"{columns.origin.name} has no column of numbers",
            remedy=f"Its columns are {quoted(names, limit=20)}",
        )
    return ColumnError(
        "source",
        f"no column of {columns.origin.name} can be seen to name algorithms or data sets, with "
        "numbers beside it",
        remedy=f"Say with {Option('algorithm')} and {Option('dataset')} which do: "
        f"{quoted(names, limit=20)}",
    )


def _undecided(
    columns: Columns,
    given: ReadSpec,
    readings: Sequence[Reading],
    why: tuple[str, ...],
) -> UndecidedError:
    """Build the error for two readings; each command settles all that is open about its own."""
    ways: list[Option] = []
    for each in readings:
        try:
            _ = _applied(columns, given, each)
            ways.append(as_option(each))
        except UndecidedError as error:
            more = [Option.together([*as_option(each).all, *way.all]) for way in error.options]
            ways += more or [as_option(each)]
    found = UndecidedError(
        "source",
        f"{columns.origin.name} can be read in two ways",
        remedy=f"Say which: {either(ways)}",
    )
    found.why = why
    return found


def as_option(reading: Reading) -> Option:
    """Return a reading as options that give it."""
    options = [
        Option(role, "+".join(name or INDEX for name in names))
        for role in _NAMING
        if (names := getattr(reading, role))
    ]
    if reading.layout in ("datasets-in-rows", "algorithms-in-rows"):
        options.append(Option("transpose", str(reading.layout == "algorithms-in-rows")))
    if reading.layout in ("board", "one"):
        options.append(Option("score", main_score(reading.results)))
    return Option.together(options)


def _applied(columns: Columns, given: ReadSpec, reading: Reading) -> Inferred:
    """Return the table as a reading has it."""
    names = {
        role: "+".join(each or INDEX for each in getattr(reading, role)) or None for role in _NAMING
    }
    columns = with_joined(columns, list(names.values()))
    if reading.layout in ("long", "datasets-in-rows") and given.score is None:
        of = names["dataset"]
        dataset = [] if of is None else [columns.existing("dataset", of)]
        columns = _of_main_metric(columns, reading, dataset)
    told = _recognised(columns, given, names, reading.layout)
    columns = replace(columns, notes=(*columns.notes, *told))
    results = tuple(columns.existing("results", name) for name in given.results)
    reading = replace(reading, results=results or reading.results)
    given = replace(
        given,
        algorithm=names["algorithm"],
        dataset=names["dataset"],
        layout=reading.layout,
        results=reading.results,
    )
    table = TableProfile(columns)
    if reading.layout in OF_MEASURES and not are_runs(reading.results):
        if columns.nested and set(reading.results) <= set(columns.nested):
            return Inferred(columns, given)  # lists, which are refused
        if given.score is None:
            given = replace(given, score=main_score(reading.results))
        up = _direction(columns, reading, given)
        return Inferred(columns, replace(given, higher_is_better=up))
    beside = [n for n in (*reading.costs, *reading.aside) if n not in reading.results]
    if reading.layout == "algorithms-in-rows":
        costs = [each for each in reading.costs if columns.numbers(each).is_numeric]
        costs = [each for each in costs if each not in given.cost_columns]
        given = replace(given, costs=(*given.cost_columns, *costs))
        note = f"Recognised as costs by name: {listed(costs, limit=20)}."
        columns = replace(columns, notes=(*columns.notes, note)) if costs else columns
        beside = [each for each in beside if each not in given.cost_columns]
    left = [name for name in beside if not tells_rows_apart(table[name])]
    values = {name: column for name, column in columns.values.items() if name not in left}
    note = f"Left out, because they describe and are no results: {listed(left, limit=20)}."
    notes = (*columns.notes, note) if left else columns.notes
    columns = replace(columns, values=values, notes=notes)
    if given.score is None and given.higher_is_better is None:
        given = _with_measure(columns, given, reading)
    if reading.layout == "algorithms-in-rows":
        columns, given = _within_range(columns, given)
    return Inferred(columns, given)


_MAX_OUTSIDE = 1 / 3  # share of columns that may be outside the range of a measure and no results


def _within_range(columns: Columns, given: ReadSpec) -> tuple[Columns, ReadSpec]:
    """Leave out columns that cannot be of a measure with a range: times beside shares."""
    if given.score is None or not is_known_score(given.score):
        return columns, given
    if not measure_named(given.score).is_bounded or any(measure_words(given.results)):
        return columns, given
    tops = {
        name: np.nanmax(np.abs(columns.numbers(name).values), initial=0.0) for name in given.results
    }
    outside = [name for name, top in tops.items() if top > _MAX_PERCENT]
    if not 0 < len(outside) <= _MAX_OUTSIDE * len(tops):
        return columns, given
    note = f"Left out, as they cannot be {given.score}: {listed(outside, limit=20)}."
    values = {name: each for name, each in columns.values.items() if name not in outside}
    results = tuple(name for name in given.results if name not in outside)
    columns = replace(columns, values=values, notes=(*columns.notes, note))
    return columns, replace(given, results=results)


_MAX_PERCENT = 100.0


def _recognised(
    columns: Columns, given: ReadSpec, names: Mapping[str, str | None], layout: str
) -> tuple[str, ...]:
    """Say which columns name algorithms and data sets, where that was neither given nor plain."""
    if layout == "algorithms-in-rows":
        told = (
            f"Models in rows: {names['algorithm']!r} names the algorithms, and each other column "
            "is a data set."
        )
        other = Worded(" --no-transpose (transpose=False) reads it the other way round.")
        return (strung([told, other]),)
    found = [
        f"{name!r} names {CALLED[role]}"
        for role, name in names.items()
        if name is not None and name != columns.find(role, getattr(given, role))
    ]
    return (f"Recognised: {joined(found)}.",) if found else ()


def _of_main_metric(columns: Columns, reading: Reading, dataset: Sequence[str]) -> Columns:
    """Return the rows of the main measure, where a column names several on one data set."""
    what = metric_column(columns, reading.keys)
    if what is None or any(map(tells_itself, reading.results)):
        return columns
    metrics = columns.labels_or_blank(what)
    pairs = distinct_pairs(columns.places(dataset), metrics.codes)
    names = [name for name in metrics.names if name]
    if len(names) < 2 or np.unique(pairs[0]).size == pairs.shape[1]:
        return columns
    main = main_score(names)
    of_dataset: dict[int, list[str]] = {}
    for place, code in pairs.T.tolist():
        of_dataset.setdefault(place, []).append(metrics.names[code])
    if not all(main in each for each in of_dataset.values()):
        if reading.layout != "long":
            return columns  # which is asked about
        return _of_one_metric_each(columns, what, columns.places(dataset), of_dataset, main)
    columns, _ = by_metric(columns, main)
    others = [system().typed(["--score", name]) for name in names if name != main]
    note = f"The measure is {main}, by the column {what!r}; others: {listed(others, limit=20)}."
    return replace(columns, notes=(*columns.notes[:-1], note))


def _of_one_metric_each(
    columns: Columns,
    what: str,
    places: IntArray,
    of_dataset: Mapping[int, Sequence[str]],
    main: str,
) -> Columns:
    """Return the rows of one measure on each data set: the main one of all, or of those it has."""
    chosen = {
        place: main if main in found else main_score([name for name in found if name])
        for place, found in of_dataset.items()
    }
    metrics = columns.labels_or_blank(what)
    rows = zip(places.tolist(), metrics.codes.tolist(), strict=True)
    kept = np.array([metrics.names[code] == chosen[place] for place, code in rows])
    told = listed(dict.fromkeys(chosen.values()), limit=5)
    note = f"Of several measures on a data set one is read, by the column {what!r}: {told}."
    return replace(columns.take(kept), notes=(*columns.notes, note))


def main_score(candidates: Sequence[str]) -> str:
    """Return the score that a table with several is about."""

    def key(place: int) -> tuple[bool, ...] | tuple[object, ...]:
        name = candidates[place]
        found = find_measures(name)
        lowered = [each.name.lower().replace(" ", "_") for each in found]
        rank = min((_MAIN_MEASURES.index(each) for each in lowered if each in _MAIN_MEASURES),
                   default=len(_MAIN_MEASURES))  # fmt: skip
        return (
            not found or is_known_cost(name) or is_speed(name),
            is_inner_cv(name),
            "train" in name.lower(),
            not is_known_score(name),  # split0_test_score is one in part
            is_general_score(name),
            rank,
            place,
        )

    return candidates[min(range(len(candidates)), key=key)]


# --- what is measured ------------------------------------------------------------------------


def _direction(columns: Columns, reading: Reading, given: ReadSpec) -> bool | None:
    """Return whether higher is better of a column of scores, if its name or the context tells."""
    score = given.score or reading.results[0]
    if given.higher_is_better is not None or is_known_score(score) or is_known_cost(score):
        return given.higher_is_better
    if (
        score not in reading.results
        or score in given.directions
        or any(map(names_measures, columns.names))
    ):
        return given.higher_is_better
    for text, prose in ((score, False), *_context_words(columns)):
        _, told = _told_by(text, prose=prose)
        if told is not None:
            return told
    if performance_word(score) is not None:
        return True
    raise _open_direction(columns, score)


def _told_by(text: str, *, prose: bool) -> tuple[str | None, bool | None]:
    """Return the measure that a text names, and whether higher is better by it."""
    found = find_measures(text, prose=prose)
    # What is said of memory or sizes, or in prose of time, is seldom said of a table.
    found = [x for x in found if is_known_score(x.name) or (is_time(x.name) and not prose)]
    said = direction_in(text)
    directions = {each.higher_is_better for each in found} if said is None else {said}
    if len(directions) == 1 and (found or said is not None):
        return found[0].name if len(found) == 1 else None, directions.pop()
    return None, None


def _with_measure(columns: Columns, given: ReadSpec, reading: Reading) -> ReadSpec:
    """Return what a wide table measures, by the first words that tell it.

    Words for any good performance tell least, and come last.
    """
    if any(map(names_measures, columns.names)):
        return given
    texts = list(_words_about(columns, reading))
    by_arrows = direction_in(" | ".join(reading.results))
    if by_arrows is not None:
        shared = _not_a_column(_shared_measure(reading.results), columns)
        return replace(given, score=shared, higher_is_better=by_arrows)
    for text, prose in texts:
        name, told = _told_by(text, prose=prose)
        if told is not None:
            return replace(given, score=_not_a_column(name, columns), higher_is_better=told)
    if 2 * benchmark_share(reading.results) > 1:
        return replace(given, score=SCORE, higher_is_better=True)
    for text, prose in texts:
        if not prose and (word := performance_word(text)) is not None:
            return replace(given, score=_not_a_column(word, columns), higher_is_better=True)
    name, told = _told_by(_about_measures(columns.context.prose), prose=True)
    if told is not None:
        return replace(given, score=_not_a_column(name, columns), higher_is_better=told)
    raise _open_direction(columns, None)


def _not_a_column(name: str | None, columns: Columns) -> str:
    """Return the name of a measure; a column of means may have it, and then it says too little."""
    return SCORE if name is None or name in columns.values else name


def _open_direction(columns: Columns, score: str | None) -> UndecidedError:
    """Build the error for a table that does not say which way is better."""
    told = "what it measures, nor whether higher is better"
    if score is not None:
        told = f"whether a higher {score!r} is better"
    ways = [Option("higher_is_better", way) for way in ("True", "False")]
    rule = f"{columns.origin.name} does not say {told}"
    return UndecidedError("score", rule, remedy=f"Say it: {either(ways)}")


def _words_about(columns: Columns, reading: Reading) -> Iterator[tuple[str, bool]]:
    """Yield the texts that may name the measure, the nearest first; and whether each is prose."""
    if reading.keys:
        yield reading.keys[0], False
    shared = _shared_measure(reading.results)
    if shared is not None:
        yield shared, False
    for name in (*reading.results, *reading.aside):
        if is_called_aggregate(name):
            yield name, False
    yield from _context_words(columns)


def _context_words(columns: Columns) -> Iterator[tuple[str, bool]]:
    context = columns.context
    yield context.caption, False
    yield context.heading, False
    yield context.file, False
    yield context.text, True


# Words of sentences that may say what a table measures, and of headings above such sentences.
_ABOUT_MEASURES = re.compile(
    r"(?i)\b(?:metrics?|measur\w*|evaluat\w*|assess\w*|scor(?:es?|ing)|performance|better"
    r"|indicator|criteri\w+)\b"
)


_OF_MEASURES_ALONE = re.compile(r"(?i)\b(?:metrics?|measures?|criteri\w+)\b")


def _about_measures(prose: str) -> str:
    """Return the sentences of a document that speak of what is measured."""
    found, section = [], False
    for line in prose.splitlines():
        if line.startswith("#"):
            section = _OF_MEASURES_ALONE.search(line) is not None
        else:
            sentences = re.split(r"(?<=[.!?;])\s", line)
            found += [each for each in sentences if section or _ABOUT_MEASURES.search(each)]
    return "\n".join(found)


def _shared_measure(headings: Sequence[str]) -> str | None:
    """Return the measure that most headings name, such as WER in "AMI WER".

    Where most name one of several, it is the first whose direction is known.
    """
    names = Counter(each.name for heading in headings for each in find_measures(heading))
    name, times = next(iter(names.most_common(1)), (None, 0))
    words = Counter(word for word in measure_words(headings) if word)
    several = 2 * sum(n for n in words.values() if n > 1) > len(headings)
    return name if times > len(headings) / 2 or (several and times > 1) else None
