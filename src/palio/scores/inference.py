"""What a caller leaves open about a table, filled in by evidence; what stays open is asked.

The reading is the best of the hypotheses (`palio.scores.readings`), if its lead is clear. The
measure comes from names: of a column, of parts of the headings, of the caption, of the file. Values
never decide a direction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import ColumnError, InputError, Option, ParameterError, UndecidedError, either
from palio.measures import (
    direction_in,
    find_measures,
    is_general_score,
    is_inner_cv,
    is_known_cost,
    is_known_measure,
    is_known_score,
    is_speed,
    is_time,
    names_cost,
    performance_word,
)
from palio.scores.aggregates import is_called_aggregate
from palio.scores.columns import INDEX, distinct_pairs, squeezed
from palio.scores.marks import ranked_direction
from palio.scores.metrics import metric_column, tells_itself
from palio.scores.profiles import RUNS
from palio.scores.readings import (
    CLEAR_LEAD,
    Reading,
    TableProfile,
    explain,
    readings_of,
    run_role,
)
from palio.scores.roles import CALLED, are_runs, plays_a_role, refuse_runs_as_datasets
from palio.scores.selection import with_joined, with_names_apart
from palio.scores.vocabulary import (
    heading_roles,
    measure_words,
    names_benchmark,
    names_class,
    names_measures,
    published_direction,
)
from palio.systems import system
from palio.words import Worded, joined, listed, quoted, strung

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.scores.spec import ReadSpec

# Of several measures in one table the first of these is the main one; others follow as they stand.
_MAIN_MEASURES = (
    *("accuracy", "acc", "balanced_accuracy", "auc", "roc_auc", "auroc", "f1", "f1_macro", "r2"),
    *("rmse", "mae", "mse", "logloss", "log_loss", "mase", "wer", "bleu", "pass_rate_2", "hv"),
    "solved",
)
# Of what is not known, means and the like are results; other numbers may be anything.
_STATISTIC = re.compile(
    r"(?i)(?:^|[\W_])(?:mean|avg|average|median|med|best|min|max|values?|results?)(?:[\W_]|$)"
)
_SCORE = re.compile(r"(?i)scores?")
_SEEN = re.compile(r"(?i)(?:^|[\W_])(train|dev|val|valid)(?:ing|elopment|idation)?(?:[\W_]|$)")


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
    asked = _columns_asked(columns, given)
    dataset, algorithm = (columns.find(role, getattr(given, role)) for role in _NAMING[::-1])
    if columns.known.source and algorithm is not None:  # an importer knows its columns
        named = replace(given, dataset=dataset, algorithm=algorithm, layout="long")
        return Inferred(columns, named if given.score else _with_main_score(columns, named))
    readings = agreeing_readings(columns, given)
    _refuse_predictions(columns)
    is_free = not asked and given.layout is None and given.transpose is None
    if not readings or (is_free and readings[0].points < _MIN_POINTS):
        raise _without_reading(columns, given)
    best = readings[0]
    if best.layout in OF_MEASURES and given.score is not None and not are_runs(best.results):
        _ = columns.existing("score", given.score)
    rivals = rivals_of(columns, readings)
    why = tuple(explain([best, *rivals[:1]]))
    try:
        if rivals and not best.is_clear_of(rivals[0]):
            raise _undecided(columns, given, [best, rivals[0]])
        is_board = best.layout in ("board", "algorithms-in-rows")
        has_runs = {"fold", "repeat", "item"} & asked.keys()
        if (
            is_board
            and not has_runs
            and not any(map(run_role, TableProfile(columns).profiles.values()))
        ):
            if best.layout == "board":
                _refuse_twins(columns, best)
            columns = with_names_apart(columns, best.algorithm, given.duplicates)
        return Inferred(*_applied(columns, given, best), why)
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
    found = columns.roles(given.keys)
    if not isinstance(given.score, str | None):
        raise ParameterError("score", "must be the name of a column", remedy=f"got {given.score!r}")
    taken = {name: f"the {role} column" for role, name in found.items()}
    numbers = [("score", given.score), *(("costs", name.strip()) for name in given.cost_columns)]
    for parameter, name in numbers:
        if name in taken:
            rule = f"{name!r} is {taken[name]} already"
            raise ParameterError(parameter, rule, remedy="Give a column of numbers")
        if parameter == "costs" and name is not None:
            _ = columns.existing(parameter, name)
        taken |= {} if name is None else {name: f"the {parameter}"}
    asked = {role: (found[role],) for role, name in given.keys.items() if name is not None}
    if given.score is not None and given.score in columns.values:
        asked["score"] = (given.score,)
    return asked


def agreeing_readings(columns: Columns, given: ReadSpec) -> list[Reading]:
    """Return the readings that agree with all that is given, the best first."""
    taken = {"costs": given.cost_columns} if given.cost_columns else {}
    readings = readings_of(columns, {**_columns_asked(columns, given), **taken})
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


def rivals_of(columns: Columns, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings that name other things than the best; those it hardly leads come first.

    Of these, first what the same columns name otherwise.
    """
    best, *others = readings

    def order(other: Reading) -> tuple[bool, bool]:
        behind = best.is_clear_of(other)
        return behind, behind or {*other.keys} != {*best.keys}

    return sorted((x for x in others if not _same_names(columns, best, x)), key=order)


def _same_names(columns: Columns, first: Reading, other: Reading) -> bool:
    """Say whether two readings differ only in columns that name the same things."""
    if first.layout != other.layout:
        return False
    for role in _NAMING:
        names, others = getattr(first, role), getattr(other, role)
        if names == others:
            continue
        n_first, n_other = columns.n_distinct(names), columns.n_distinct(others)
        if not (names and others) or n_first != n_other:
            return False
        if columns.n_distinct((*names, *others)) != n_first:
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
        is_run = profile.has(*RUNS) or profile.counts_runs
        if is_run or not (crossing and table.is_unique([*reading.keys, name])):
            continue
        other = Option("item", name)
        if not profile.is_whole or profile.weight("algorithm_description") >= 0.5:
            other = Option("algorithm", "+".join([*reading.keys, name]))
        raise UndecidedError(
            "source",
            f"{columns.origin.name} has several rows of an algorithm, which differ in {name!r}",
            remedy=f"Say what it is: {either([Option('dataset', name), other])}",
        )


def _without_reading(columns: Columns, given: ReadSpec) -> InputError:
    """Build the error for a table in which nothing can be found to compare."""
    name = columns.origin.name
    if given.transpose is not None and agreeing_readings(columns, replace(given, transpose=None)):
        return ParameterError(
            "transpose",
            f"{name} has a column of algorithms and one of data sets",
            remedy="Only a table with one column per algorithm or per data set can be turned",
        )
    names = quoted([name for name in columns.names if name], limit=20)
    if not any(each.is_number for each in TableProfile(columns).profiles.values()):
        rule = f"{name} has no column of numbers"
        return ColumnError("score", rule, remedy=f"Its columns are {names}")
    return ColumnError(
        "source",
        f"no column of {name} can be seen to name algorithms or data sets, with numbers beside it",
        remedy=f"Say with {Option('algorithm')} and {Option('dataset')} which do: {names}",
    )


def _undecided(columns: Columns, given: ReadSpec, readings: Sequence[Reading]) -> UndecidedError:
    """Build the error for two readings; each command settles all that is open about its own."""
    ways: list[Option] = []
    for each in readings:
        own = as_option(each)
        try:
            _ = _applied(columns, given, each)
            ways.append(own)
        except UndecidedError as error:
            ways += [Option.together([*own.all, *way.all]) for way in error.options] or [own]
    rule = f"{columns.origin.name} can be read in two ways"
    return UndecidedError("source", rule, remedy=f"Say which: {either(ways)}")


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


def _applied(columns: Columns, given: ReadSpec, reading: Reading) -> tuple[Columns, ReadSpec]:
    """Return the table as a reading has it, and what is known of it then."""
    names = {
        role: "+".join(each or INDEX for each in getattr(reading, role)) or None for role in _NAMING
    }
    columns = with_joined(columns, list(names.values()))
    if given.score is None:
        columns = _of_main_metric(columns, reading, names["dataset"])
    columns = columns.noted(*_recognised(columns, given, names, reading.layout))
    results = tuple(columns.existing("results", name) for name in given.results)
    reading = replace(reading, results=results or reading.results)
    given = replace(
        given,
        algorithm=names["algorithm"],
        dataset=names["dataset"],
        layout=reading.layout,
        results=reading.results,
    )
    is_wide, whole = reading.layout not in OF_MEASURES or are_runs(reading.results), columns
    if is_wide:
        columns, given = _without_descriptions(columns, given, reading)
        columns, given = _of_one_metric(columns, given, reading, whole)
    elif columns.nested and set(reading.results) <= set(columns.nested):
        return columns, given  # lists, which are refused
    else:
        given = replace(given, score=given.score or main_score(_filled(columns, reading.results)))
    score = given.score
    if given.higher_is_better is None and score is not None:
        given = replace(given, higher_is_better=given.directions.get(score))
    is_known = score is not None and is_known_measure(score)
    if given.higher_is_better is None and not is_known and (is_wide or score in reading.results):
        notes, given = _with_measure(whole, given, reading, score)
        columns = columns.noted(*notes)
    if not is_wide:
        return columns, given
    return _by_position(*_with_measure_in_headings(columns, given, reading.layout), reading.layout)


def _of_one_metric(
    columns: Columns, given: ReadSpec, reading: Reading, whole: Columns
) -> tuple[Columns, ReadSpec]:
    """Return a leaderboard without the column of its measure, where that is one in every row.

    The column is looked for in the ``whole`` table, which still has what describes it.
    """
    what = metric_column(whole, reading.keys)
    names = [] if what is None else list(filter(None, whole.labels_or_blank(what).names))
    if reading.layout != "algorithms-in-rows" or len(set(map(squeezed, names))) != 1:
        return columns, given
    return columns.without([str(what)]), replace(given, score=given.score or names[0])


def _without_descriptions(
    columns: Columns, given: ReadSpec, reading: Reading
) -> tuple[Columns, ReadSpec]:
    """Return a wide table without the columns beside its results; those of models may be costs."""
    costs: list[str] = []
    if reading.layout == "algorithms-in-rows":
        costs = [each for each in reading.costs if columns.numbers(each).is_numeric]
        costs = [each for each in costs if each not in given.cost_columns]
        given = replace(given, costs=(*given.cost_columns, *costs))
    notes = [f"Recognised as costs by name: {listed(costs, limit=20)}."] if costs else []
    table, used = TableProfile(columns), {*reading.results, *given.cost_columns}
    left = [name for name in (*reading.costs, *reading.aside) if name not in used]
    left = [name for name in left if not table[name].has(*RUNS)]
    empty = [name for name in left if table[name].kind == "empty"]
    of = {"are empty": empty, "describe and are no results": [x for x in left if x not in empty]}
    for why, names in of.items():
        if names:
            notes.append(f"Left out, because they {why}: {listed(names, limit=20)}.")
    return columns.without(left).noted(*notes), given


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


def _of_main_metric(columns: Columns, reading: Reading, dataset: str | None) -> Columns:
    """Return the rows of the main measure, where a column names several on one data set.

    Of a long table, where a data set lacks that of all, those of the main one that it has.
    """
    what = metric_column(columns, reading.keys)
    if what is None or any(map(tells_itself, reading.results)):
        return columns
    metrics = columns.labels_or_blank(what)
    place = columns.places([] if dataset is None else [columns.existing("dataset", dataset)])
    of_dataset: dict[int, list[str]] = {}
    for row, code in distinct_pairs(place, metrics.codes).T.tolist():
        of_dataset.setdefault(row, []).append(metrics.names[code])
    names = [name for name in metrics.names if name]
    if len(names) < 2 or max(map(len, of_dataset.values())) < 2:
        return columns
    main = main_score(names)
    chosen = [
        main if main in found else main_score([name for name in found if name])
        for found in of_dataset.values()
    ]
    several = list(dict.fromkeys(chosen))
    if len(several) > 1 and reading.layout != "long":
        return columns  # which is asked about
    called = [squeezed(name) for name in metrics.names]
    which = np.array([called.index(each) for each in called])
    wanted = np.array([called.index(squeezed(each)) for each in chosen])
    note = f"The measure is {main}, by the column {what!r}; others: "
    note += listed([system().typed(["--score", name]) for name in names if name != main], limit=20)
    if len(several) > 1:
        note = f"Of several measures on a data set one is read, by the column {what!r}: "
        note += listed(several)
    return columns.take(which[metrics.codes] == wanted[place]).noted(f"{note}.")


def _filled(columns: Columns, results: Sequence[str]) -> list[str]:
    """Return the columns that hold at least two thirds as many numbers as the fullest one.

    Known scores are compared with each other: one of some data sets may be missing on the rest.
    """
    sizes = {name: int((~np.isnan(columns.numbers(name).values)).sum()) for name in results}
    known = {name: sizes[name] for name in results if is_known_score(name) and not is_speed(name)}
    if 2 * max(known.values(), default=0) > max(sizes.values()):
        sizes = known
    return [name for name, size in sizes.items() if 3 * size >= 2 * max(sizes.values())]


def main_score(candidates: Sequence[str]) -> str:
    """Return the score that a table with several is about."""

    def key(name: str) -> tuple[bool | int, ...]:
        found = find_measures(name)
        called = [_sorted_words(each.name) for each in found]
        ranks = [rank for rank, main in enumerate(_MAIN_MEASURES) if _sorted_words(main) in called]
        seen = _SEEN.search(name)
        return (
            not found or names_cost(name) or is_speed(name),
            not is_known_score(name) and _describes(name),
            is_inner_cv(name),
            # Training says least of unseen data, and what was chosen by says less than a test.
            0 if seen is None or is_known_cost(name) else 1 + (seen[1].lower() == "train"),
            names_cost(name),
            names_class(name.rpartition("(")[2].rstrip(")")),
            not is_known_score(name),  # split0_test_score is one in part
            is_general_score(name),
            min(ranks, default=len(_MAIN_MEASURES)),
            not found and _STATISTIC.search(name) is None,
            performance_word(_SCORE.sub("", name)) is None,  # quality score before any other score
        )

    return min(candidates, key=key)


def _describes(name: str) -> bool:
    """Say whether a heading is that of samples, iterations, settings and the like."""
    return any(role != "metric" and weight >= 0.5 for role, weight in heading_roles(name).items())


def _sorted_words(name: str) -> list[str]:
    """Return the words of a name, alike for auc_roc and ROC AUC."""
    return sorted(re.findall(r"[^\W_]+", name.lower()))


# --- what is measured ------------------------------------------------------------------------


def _with_measure(
    columns: Columns, given: ReadSpec, reading: Reading, score: str | None
) -> tuple[list[str], ReadSpec]:
    """Return what a table measures and which way is better, by the first words that tell it.

    ``score`` is the column asked about, of which the direction is open; a wide table has none.
    Without such words the ranks of the authors tell the direction, which is noted.
    """
    is_column = score is not None and score in columns.values
    if any(map(names_measures, columns.names)) and (score is None or is_column):
        return [], given
    told = (each for each in _words_on_measure(columns, reading, score) if each[1] is not None)
    name, up = next(told, (None, None))
    notes = []
    if up is None:
        scores = [str(score)] if is_column else reading.results
        up, name_of_ranks = ranked_direction(columns, reading, scores)
        notes = [f"{'Higher' if up else 'Lower'} is better, as it follows {name_of_ranks!r}."]
    if up is None:
        what = "what it measures, nor whether higher is better"
        what = what if score is None else f"whether a higher {score!r} is better"
        ways = [Option("higher_is_better", way) for way in ("True", "False")]
        spoken = find_measures("\n".join([*_around(columns), columns.context.prose]), prose=True)
        if 2 * sum(each.higher_is_better for each in spoken) < len(spoken):
            ways.reverse()  # the likelier comes first
        rule = f"{columns.origin.name} does not say {what}"
        raise UndecidedError("score", rule, remedy=f"Say it: {either(ways)}")
    # A column of means may be called as the measure, and then it says too little.
    name = SCORE if name is None or name in columns.values else name
    return notes, replace(given, score=name if score is None else score, higher_is_better=up)


def _words_on_measure(
    columns: Columns, reading: Reading, score: str | None
) -> Iterator[tuple[str | None, bool | None]]:
    """Yield the measure, and whether higher is better, by one text after the other.

    Names of columns are nearest. Words for any good performance tell least, and come last.
    """
    texts = [score]
    if score is None:
        found = [each for name in reading.results for each in find_measures(name)]
        name, times = next(iter(Counter(each.name for each in found).most_common(1)), (None, 0))
        n_words = max(len(found), sum(map(bool, measure_words(reading.results))))
        shared = name if times > 1 and 2 * n_words > len(reading.results) else None
        yield shared, direction_in(" | ".join(reading.results))
        known = {each.higher_is_better for each in found}
        if 2 * len(found) >= len(reading.results) and len(known) == 1:
            yield shared, known.pop()
        beside = [*reading.results, *reading.aside]
        texts = [*reading.keys[:1], shared, *filter(is_called_aggregate, beside)]
    context, around = columns.context, _around(columns)
    if len(reading.results) > 1 and score is not None:
        around, prose = [], []  # what is said of the table may be said of another of its columns
    else:  # the paragraph next to the table, and all above it
        prose = [context.text.rpartition("\n")[2], context.text]
    # What is said of a speed is said of the column beside the results that holds one.
    has_speeds = any(map(is_speed, reading.aside))
    for text in (*texts, *around):
        name, up = _told_by(text or "", prose=False)
        yield (None, None) if has_speeds and name and is_speed(name) else (name, up)
    for text in prose:
        yield _told_by(_on_values(text), prose=False)
        yield _told_by(text, prose=True)
    # A table of times or sizes tells something else of benchmarks, and of measures in a document.
    of_scores = not _OF_COSTS.search(" ".join(around).replace("_", " "))
    if of_scores and (score is None or _STATISTIC_ALONE.fullmatch(score)):
        yield None, published_direction(_places(columns, reading))
        yield None, any(map(names_benchmark, filter(None, [*texts, *around]))) or None
    for text in (*texts, *(around if score is None else ())):
        word = performance_word(text or "")
        yield word, True if word else None
    if score is None and of_scores:
        yield _told_by(_about_measures(context.prose), prose=True)


def _around(columns: Columns) -> list[str]:
    return [columns.context.caption, columns.context.heading, columns.context.file]


def _places(columns: Columns, reading: Reading) -> Sequence[str]:
    """Return what a reading takes for the names of data sets."""
    if reading.layout == "algorithms-in-rows":
        return reading.results
    names = columns.labels_or_blank("+".join(reading.dataset)).names if reading.dataset else ()
    return list({name.partition(" / ")[0] for name in names})


def _on_values(text: str) -> str:
    """Return the sentences that say what the numbers of a table are."""
    return " | ".join(filter(_OF_VALUES.search, re.split(r"(?<=[.!?;。])\s|\n", text)))


def _told_by(text: str, *, prose: bool) -> tuple[str | None, bool | None]:
    """Return the measure that a text names, and whether higher is better by it."""
    found = find_measures(text, prose=prose)
    # What is said of memory or sizes, or in prose of time, is seldom said of a table; and "score"
    # is said of anything.
    found = [x for x in found if is_known_score(x.name) or (is_time(x.name) and not prose)]
    found = [x for x in found if not is_general_score(x.name)]
    said = direction_in(text)
    if said is None and not found and _IN_SECONDS.search(text):
        said = False
    directions = {each.higher_is_better for each in found} if said is None else {said}
    if len(directions) == 1:
        return found[0].name if len(found) == 1 else None, directions.pop()
    return None, None


# Words of sentences that may say what a table measures, and of headings above such sentences.
_ABOUT_MEASURES = re.compile(
    r"(?i)\b(?:metrics?|measur\w*|evaluat\w*|assess\w*|scor(?:es?|ing)|performance|better"
    r"|indicator|criteri\w+)\b"
)


# Statements of what stands in a table, in which ordinary words name measures: gap, time, recall.
_OF_VALUES = re.compile(
    r"(?i)\b(?:values?|numbers?|results|scores|figures|entries|cells|columns?|table|werte|zahlen"
    r"|tabelle|valeurs?|tableau|valores|tabla|tabela|valori|tabella)\b.{0,60}?\b(?:are|is|represents?"
    r"|shows?|reports?|gives?|lists?|contains?|denotes?|indicates?|measured|sind|zeigt|zeigen|sont"
    r"|montrent?|muestran?|son|mostram?|são|sono|mostrano?)\b|[表结][格中果]?.{0,6}(?:显示|表示|是)"
    r"|\b(?:we|wir|nous)\s(?:\w+\s)?(?:report|measure|messen|mesurons)\b"
)
_IN_SECONDS = re.compile(
    r"(?i)\b(?:in|en|em|in den)\s(?:(?:milli|micro|nano|mikro|mili|μ|µ)?(?:seconds?|sekunden"
    r"|secondes?|segundos|secondi)|ms|μs|µs|ns|secs?|minutes|hours)\b|[(\[](?:ms|μs|µs|ns|secs?|seconds|s)[)\]]"
    r"|单位.{0,3}(?:毫秒|秒)|\b[вВ]\s(?:милли)?секундах"
)
_STATISTIC_ALONE = re.compile(
    r"(?i)(?:[\W_\d]|mean|avg|average|median|med|best|min|max|final|values?|results?|wert|media|moyenne)+"
)
_OF_COSTS = re.compile(
    r"(?i)\b(?:speed|efficien\w+|(?:run)?times?|latenc\w+|throughput|memory|sizes?|costs?|prices?)\b"
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


def _with_measure_in_headings(
    columns: Columns, given: ReadSpec, layout: str
) -> tuple[Columns, ReadSpec]:
    """Return a wide table with the columns of the measure that its headings begin or end with.

    AMI WER, LS Clean WER: where most of a leaderboard's columns have such a word, those without
    are no results. Where they have different ones, a table holds several measures.
    """
    words = [word.lower() for word in measure_words(given.results)]
    sizes = Counter(word for word in words if word and words.count(word) > 1)
    alike = layout == "algorithms-in-rows" or len(sizes) > 1
    most = 2 * sizes.total() > len(words) if alike else sizes.total() == len(words)
    asked = given.score.lower() if given.score is not None else next(iter(sizes), "")
    if not most or asked not in sizes:
        return columns, given
    own = [name for name, word in zip(given.results, words, strict=True) if word == asked]
    left = [name for name in given.results if name not in own]
    short = {name: _without_measure(name, asked) for name in own}
    score = given.score or measure_words(given.results)[words.index(asked)]
    told = f"The measure is {score}, by the names of the columns"
    others = [system().typed(["--score", word]) for word in sizes if word != asked]
    told += f"; others: {listed(others)}" if others else ""
    told += f"; left out, without it: {listed(left, limit=20)}" if left else ""
    columns = columns.without(left).noted(f"{told}.")
    values = {short.get(name, name): column for name, column in columns.values.items()}
    if len(values) < len(columns.values):  # shorter names would be the same
        return columns, replace(given, score=score, results=tuple(own))
    columns = replace(columns, values=values)
    return columns, replace(given, score=score, results=tuple(short.values()))


def _by_position(columns: Columns, given: ReadSpec, layout: str) -> tuple[Columns, ReadSpec]:
    """Return a leaderboard with a column for each place of one list called by the places.

    They are result.0, result.1, … where a record has the list as its result.
    """
    parts = {name: name.rpartition(".") for name in given.results}
    lists, places = {each[0] for each in parts.values()}, [each[2] for each in parts.values()]
    is_one_list = len(lists) == 1 and "" not in lists and places[0] == "0" and are_runs(places)
    if layout != "algorithms-in-rows" or not is_one_list:
        return columns, given
    note = f"The data sets are the places of {lists.pop()!r}, and called by their numbers."
    short = dict(zip(parts, places, strict=True))
    values = {short.get(name, name): column for name, column in columns.values.items()}
    columns = replace(columns.noted(note), values=values)
    return columns, replace(given, results=tuple(short.values()))


def _without_measure(name: str, measure: str) -> str:
    """Return what two rows of headings name beside the measure.

    >>> _without_measure("knn / Accuracy (%)", "accuracy"), _without_measure("AMI WER", "wer")
    ('knn', 'AMI WER')
    """
    rest = [part for part in name.split(" / ") if measure not in part.lower()]
    return " / ".join(rest) or name
