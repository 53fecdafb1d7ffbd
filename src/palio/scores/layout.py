"""Which column is what: long and wide tables become rows of codes and floats."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import ColumnError, ParameterError
from palio.measures import is_known_cost, is_known_score, is_time, names_cost
from palio.scores.aggregates import MEAN_OF_PARTS, aggregates, is_called_aggregate
from palio.scores.columns import Coded, names_of, squeezed
from palio.scores.doubts import percent_signs
from palio.scores.long_table import LongTable
from palio.scores.metrics import metric_column, metrics_of, mixed, score_named, tells_itself
from palio.scores.progress import in_order_of_training, with_turns
from palio.scores.roles import are_runs, recognise
from palio.scores.rows import Rows
from palio.scores.selection import with_name_of_file
from palio.scores.spec import KEYS
from palio.scores.summary import HowRead
from palio.scores.values import REASONS, STATUSES, notes_on, statuses_of
from palio.scores.vocabulary import has_role, measure_words
from palio.systems import system
from palio.words import Worded, count, listed, quoted, strung

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.scores.columns import Columns, Numbers
    from palio.scores.spec import ReadSpec
    from palio.types import FloatArray, IntArray

LEADERBOARD = "leaderboard"
SCORE = "score"  # what is not named otherwise
_SOURCES = {"dataset": LEADERBOARD, "algorithm": "wide", "repeat": "long"}  # by what columns are


def arrange(columns: Columns, given: ReadSpec) -> LongTable:
    """Make rows of a table by its reading, which `palio.scores.inference` has settled."""
    taken = [name.strip() for name in (given.score, *given.cost_columns) if isinstance(name, str)]
    keys, notes = recognise(columns, given.keys, taken)
    if unused := set(columns.whereabouts) - set(keys.values()):
        columns = replace(columns.without(unused), whereabouts=())
    columns, keys = with_turns(columns, keys, taken)
    columns, keys = in_order_of_training(columns, keys, taken, given.duplicates)
    if "item" in keys and "dataset" not in keys and given.layout != "algorithms-in-rows":
        columns, keys["dataset"] = with_name_of_file(columns, "dataset", of_items=True), "dataset"
    named = {keys.get("dataset", columns.names[0]), *keys.values()}
    of_runs = given.layout in ("datasets-in-rows", "long") and "repeat" not in keys
    of_runs = of_runs and are_runs([name for name in columns.names if name not in named])
    unnamed = {"board": "dataset", "long": "dataset", "one": "algorithm"}.get(str(given.layout))
    unnamed = "algorithm" if of_runs else unnamed
    if unnamed is not None and unnamed not in keys:
        columns, keys[unnamed] = with_name_of_file(columns, unnamed), unnamed
    columns = columns.noted(*notes)
    of = {"datasets-in-rows": "algorithm", "algorithms-in-rows": "dataset"}.get(str(given.layout))
    if of is None and not of_runs:
        return _arrange_long(columns, keys, given)
    return _arrange_wide(columns, keys, given, "repeat" if of_runs else str(of))


def _labels(columns: Columns, keys: Mapping[str, str], role: str) -> Coded:
    """Return the folds or repeats of the rows; without a column for them there is one."""
    if role in keys:
        return columns.labels(keys[role])
    return Coded(np.zeros(len(columns), dtype=np.intp), ("1",))


def _averaged(columns: Columns, keys: Mapping[str, str]) -> dict[str, Coded]:
    """Return the seeds and items, over which means are taken."""
    return {role: columns.labels(keys[role]) for role in keys if role in ("seed", "item")}


def _clusters(columns: Columns, keys: Mapping[str, str]) -> Coded | None:
    """Return the cluster of each item, if a column tells it."""
    return columns.labels(keys["cluster"]) if "cluster" in keys else None


# --- long ----------------------------------------------------------------------------------


def _arrange_long(columns: Columns, keys: dict[str, str], given: ReadSpec) -> LongTable:
    """Take the rows as they are, each with its score, other scores, costs and status."""
    score = _score_asked(columns, given, keys)
    asked = [name.strip() for name in given.cost_columns]
    status = columns.find("status", taken=keys.values())
    if status is None and is_time(score):
        status = _find_status(columns, [*keys.values(), *asked])
    keys |= {} if status is None else {"status": status}
    what = metric_column(columns, keys.values())
    others = [name for name in columns.names if name and name not in (*keys.values(), what)]
    numbers = {name: columns.numbers(name) for name in others}
    if "item" in keys:  # of an item a score is right or wrong
        right = [name for name in numbers if name == score or is_known_score(name)]
        numbers |= {name: numbers[name].with_truths() for name in right}
    known = [
        name
        for name, each in numbers.items()
        if name != score and names_cost(name) and each.is_meant_numeric
        if not np.isnan(each.values).all()  # 2 + 3 in each cell
    ]
    rest = [name for name in numbers if name not in (*asked, *known)]
    scores = [name for name in rest if name == score or numbers[name].is_numeric]
    costs = {
        name: _known_costs(numbers[name]) if name in known else numbers[name].checked()
        for name in dict.fromkeys([*asked, *known])
    }
    dataset, algorithm = (columns.coded(keys[role]) for role in KEYS[:2])
    statuses, codes = _statuses(columns, status, numbers[score])
    rows = Rows.of(
        dataset,
        algorithm,
        *(_labels(columns, keys, role) for role in KEYS[2:]),
        scores={name: numbers[name].checked() for name in scores},
        costs=costs,
        statuses=statuses,
        status=codes,
        source=np.arange(len(columns)),
    )
    metrics = metrics_of(columns, keys, dataset, score, given)
    notes = (
        *_notes_on_chosen(score, scores, [name for name in known if name not in asked]),
        *_notes_on_unused(columns, [numbers[name] for name in rest if name not in scores]),
        *_notes_on_unknown([numbers[name] for name in known]),
        *notes_on([numbers[name].written for name in (*scores, *costs)]),
    )
    is_board = given.layout == "board"
    return LongTable(
        rows,
        score_named(score, given, metrics),
        columns,
        HowRead("long", (*keys.items(), ("score", score)), columns.notes),
        (*columns.notes, *notes),
        _averaged(columns, keys),
        _clusters(columns, keys),
        percent_signs([numbers[score]]),
        metrics,
        intervals=_published_intervals(columns, algorithm, rows.scores[score]) if is_board else {},
    )


def _score_asked(columns: Columns, given: ReadSpec, keys: Mapping[str, str]) -> str:
    """Return the column asked about; inference takes one wherever there is one."""
    score = (given.score or "").strip()
    if nested := [name for name in columns.nested if score in ("", name)]:
        hold = "holds a list or a record" if len(nested) == 1 else "hold lists or records"
        rule = f"{quoted(nested)} of {columns.origin.name} {hold} in each cell, such as a curve of "
        remedy = "Write the number that counts, such as the last, in a column of its own"
        raise ColumnError("score", rule + "learning, and a score is one number", remedy=remedy)
    if role := next((role for role, name in keys.items() if name == score), None):
        rule = f"{score!r} is the {role} column already"
        raise ParameterError("score", rule, remedy="Give a column of numbers")
    return columns.existing("score", score)


_OF_INTERVALS = re.compile(r"(?i)(?:^|[\W_])(?:ci|interval|confidence)(?:[\W_]|$)")
_AROUND = re.compile(r"\+\s?([\d.]{1,15})\s?/\s?[-−]\s?([\d.]{1,15})")  # +5/-4
_BETWEEN = re.compile(r"[\[(]\s?(-?[\d.]{1,15})\s?[,;–]\s?(-?[\d.]{1,15})\s?[\])]")


def _published_intervals(
    columns: Columns, algorithm: Coded, scores: FloatArray
) -> dict[str, tuple[float, float]]:
    """Return the intervals that a board publishes in a column of text, by its algorithms."""
    found: dict[str, tuple[float, float]] = {}
    for name in filter(_OF_INTERVALS.search, columns.names):
        cells = columns.labels_or_blank(name)
        for row, score in enumerate(scores.tolist()):
            if around := _AROUND.fullmatch(cells.name(row)):
                found[algorithm.name(row)] = score - float(around[2]), score + float(around[1])
            elif between := _BETWEEN.fullmatch(cells.name(row)):
                found[algorithm.name(row)] = float(between[1]), float(between[2])
        if found:
            break
    return found


def _known_costs(numbers: Numbers) -> FloatArray:
    """Return costs that were recognised by name; -1 and text stand for unknown ones."""
    return np.where(numbers.values == -1, np.nan, numbers.values)


def _notes_on_unknown(costs: Sequence[Numbers]) -> list[str]:
    notes = []
    for each in costs:
        if n := int((each.values == -1).sum()):
            notes.append(f"{each.name}: {count(n, 'value')} of -1, taken for unknown.")
        if n := int(each.bad.sum()):
            first = each.text(int(np.flatnonzero(each.bad)[0]))
            notes.append(f"{each.name}: {count(n, 'cell')} of text, taken for unknown: {first!r}.")
    return notes


def _notes_on_chosen(chosen: str, scores: Collection[str], costs: list[str]) -> list[str]:
    notes = [f"Recognised as costs by name: {listed(costs, limit=20)}."] if costs else []
    rest = [name for name in scores if name != chosen]
    rest += costs if is_known_cost(chosen) else []
    measures = [
        system().typed(["--score", name]) for name in rest if is_known_score(name) or name in costs
    ]
    if rest:
        told = f"The score is {chosen}; the table also has {listed(rest, limit=20)}"
        more = Worded(f", which can be read instead: {listed(measures, limit=20)}")
        notes.append(strung([told, more, "."] if measures else [told, "."]))
    return notes


def _notes_on_unused(columns: Columns, unused: Sequence[Numbers]) -> Iterator[str]:
    nested = [each.name for each in unused if each.name in columns.nested]
    empty = [each.name for each in unused if each.is_empty and each.name not in nested]
    text = [each.name for each in unused if each.name not in (*nested, *empty)]
    of = {"hold lists or records": nested, "hold text": text, "are empty": empty}
    for why, names in of.items():
        if names:
            yield f"Columns not used because they {why}: {listed(names, limit=20)}."
    if "" in columns.names:
        yield "A column without a name is not used."


# --- what became of runs -------------------------------------------------------------------

# What a run that has its score is called.
_FINE = names_of(
    "okay success successful succeeded complete completed done finished solved "
    "sat unsat satisfiable unsatisfiable optimal optimum optimum_found"
)
_FINE_IF_TRUE = names_of(
    "status run_status exit_status solved is_solved success is_success completed finished found "
    "solution_found converged is_converged optimal is_optimal feasible is_feasible valid is_valid"
)
_STATUS_NAMES = _FINE_IF_TRUE | names_of("timeout timed_out failed crashed")
_TRUTHS = names_of("true false")
_REFUTED = re.compile(r"(?i)false\([^()]{1,40}\)")  # what a verifier answers where it finds a fault


def _find_status(columns: Columns, taken: Collection[str]) -> str | None:
    """Return the column that says which runs ended, in words or as true and false."""
    known = _FINE | _TRUTHS | {"ok", *map(squeezed, REASONS)}
    for name in columns.names:
        if name not in taken and squeezed(name) in _STATUS_NAMES:
            cells = columns.labels_or_blank(name)
            if known.issuperset(squeezed(cells.names[code]) for code in np.unique(cells.codes)):
                return name
    return None


def _statuses(
    columns: Columns, name: str | None, score: Numbers
) -> tuple[tuple[str, ...], IntArray | None]:
    """Return the status of each row: what its column says, or else a word in place of a score."""
    by_score = statuses_of(score.written.status, np.isnan(score.values))
    if name is None:
        return (() if by_score is None else STATUSES), by_score
    cells = columns.labels_or_blank(name)
    fine = _FINE | {str(squeezed(name) in _FINE_IF_TRUE).lower()}
    why = REASONS.get(squeezed(name), "failed")
    ended = [squeezed(word) in fine or _REFUTED.fullmatch(word) for word in cells.names]
    words = ["ok" if end else word for end, word in zip(ended, cells.names, strict=True)]
    words = [why if squeezed(word) in _TRUTHS else word for word in words]
    names = tuple(dict.fromkeys(words))
    codes = np.array([names.index(word) for word in words], dtype=np.intp)[cells.codes]
    if by_score is None:
        return names, codes
    silent = np.array([each.lower() in ("", "ok") for each in names], dtype=bool)[codes]
    return (*names, *STATUSES), np.where(silent & (by_score > 1), len(names) + by_score, codes)


# --- wide ----------------------------------------------------------------------------------


def _arrange_wide(columns: Columns, keys: dict[str, str], given: ReadSpec, of: str) -> LongTable:
    """Make a row of each number of a table with a column for each algorithm, data set or run."""
    if of == "algorithm" and given.missing == "pairwise":
        columns = _without_blank_rows(columns, given.results)
    notes = list(columns.notes)
    by_row = {role: columns.coded(keys[role]) for role in KEYS[:2] if role in keys}
    if not by_row:
        notes.append("No column names the data sets: they are called by the numbers of their rows.")
        numbers = np.arange(len(columns))
        by_row["dataset"] = Coded(numbers, tuple(str(number + 1) for number in numbers))
    codes = [by_row[x] if x in by_row else _labels(columns, keys, x) for x in KEYS]
    results = columns.names if of == "repeat" else given.results
    found = [columns.numbers(name) for name in results if name not in keys.values()]
    if of == "repeat":
        ends = f"{found[0].name} to {found[-1].name}"
        notes.append(f"The columns {ends} are runs, not algorithms: hold-outs.")
    if "item" in keys:
        found = [each.with_truths() for each in found]
    score, metrics = given.score or SCORE, None
    if of == "algorithm":
        metrics = metrics_of(columns, keys, by_row["dataset"], score, given)
    if given.cost_columns and of != "dataset":
        rule = f"{columns.origin.name} has one column per algorithm or run, so it cannot hold the "
        remedy = "Give them in a second table: dataset, algorithm, one column per cost"
        raise ColumnError("costs", f"{rule}costs {quoted(given.cost_columns)}", remedy=remedy)
    measure = score_named(score, given, metrics)
    measure, found, more = _of_one_size(measure, found, of)
    notes += more
    averaged, costs = _averaged(columns, keys), [columns.numbers(x) for x in given.cost_columns]
    side = by_row["algorithm" if of == "dataset" else "dataset"]
    written = notes_on([each.written for each in found])
    found, computed, recognised = _without_computed(found, side, of, is_averaged=bool(averaged))
    # The columns of a leaderboard are data sets, each in a scale of its own.
    together = [[each] for each in found] if of == "dataset" else [found]
    table = LongTable(
        Rows.of(*codes, scores={}),
        measure,
        columns,
        HowRead(_SOURCES[of], tuple(keys.items()), (*notes, *recognised)),
        (*notes, *written, *recognised, *_notes_on_unknown(costs)),
        averaged,
        _clusters(columns, keys),
        [doubt for numbers in together for doubt in percent_signs(numbers)],
        metrics,
    )
    return replace(table, rows=_melted(table, found, of, costs, computed))


def _without_blank_rows(columns: Columns, results: Sequence[str]) -> Columns:
    """Leave out rows that hold no value, nor a reason: data sets on which nobody was tried."""
    found = [columns.numbers(name) for name in results]
    filled = np.zeros(len(columns), dtype=bool)
    for each in found:
        filled |= ~np.isnan(each.values) | each.bad
        filled |= False if each.written.status is None else each.written.status > 0
    if filled.all() or not filled.any():
        return columns
    n_blank = int((~filled).sum())
    note = f"Left out: {count(n_blank, 'row')} without a value."
    return columns.take(filled).noted(note)


def _melted(
    table: LongTable, found: list[Numbers], of: str, costs: Sequence[Numbers], out: Collection[str]
) -> Rows:
    """Return a row for each number, but for those of the names that are ``out``."""
    matrix = np.array([each.checked() for each in found]).T
    row, column = (axis.reshape(-1) for axis in np.indices(matrix.shape))
    plain = np.zeros(len(matrix), dtype=np.intp)
    words = [each.written.status for each in found]
    told = np.array([plain if each is None else each for each in words]).T
    status = statuses_of(told, np.isnan(matrix))
    named: dict[str, Any] = {of: column, f"{of}s": tuple(each.name for each in found)}
    rows = replace(
        table.rows.take(row),
        **named,
        scores={table.measure.name: matrix.reshape(-1)},
        costs={each.name: _known_costs(each)[row] for each in costs},  # the same on each data set
        statuses=() if status is None else STATUSES,
        status=None if status is None else status.reshape(-1),
        source=row,
    )
    if out:
        stay = [[name not in out for name in names] for names in (rows.datasets, rows.algorithms)]
        stay[of != "dataset"] = [True] * len(found)  # computed columns are gone already
        rows = rows.only(*(np.flatnonzero(each).tolist() for each in stay))
    return rows


def _without_computed(
    found: list[Numbers], side: Coded, of: str, *, is_averaged: bool
) -> tuple[list[Numbers], list[str], list[str]]:
    """Leave out columns that are means, sums or ranks of the others.

    Return also the names of rows that are such, and what to note.
    """
    columns = [each.name for each in found]
    # No algorithm is right on each of many items as often as others on the mean; a name must tell.
    if of == "repeat" or (is_averaged and not any(map(is_called_aggregate, columns))):
        return found, [], []
    matrix = np.array([each.checked() for each in found]).T
    across = aggregates(columns, matrix)
    stay = [name not in across for name in columns]
    tops = [name for name in columns if name not in across]
    names = [side.name(row) for row in range(side.codes.size)]
    names = names if len(set(names)) == len(names) else []  # of several rows each none is computed
    down = aggregates(names, matrix[:, stay].T) if names else {}
    computed = {**across, **down}.items()
    whole = {name: "" if kind == MEAN_OF_PARTS else " of the others" for name, kind in computed}
    told = [f"{name}, the {kind}{whole[name]}" for name, kind in computed]
    notes = [f"Left out, because it is computed: {'; '.join(told)}."] if told else []
    rows = [name for name in names if name not in down]
    called = [name for name in tops if is_called_aggregate(name)]
    no_datasets: list[str] = []
    if of == "dataset":
        no_datasets = called if len(called) < len(tops) else []
        tops = [name for name in tops if name not in no_datasets]
    else:
        # An algorithm may be called Mean; a data set that is, and comes last, is none.
        while len(rows) > 1 and is_called_aggregate(rows[-1]):
            no_datasets.insert(0, rows.pop())
        called += filter(is_called_aggregate, rows)
        notes += [f"Kept, as computing does not give it: {listed(called)}."] if called else []
    if no_datasets:
        notes.append(f"Left out by their names, as no data sets: {listed(no_datasets)}.")
    found = [each for each in found if each.name in tops]
    return found, [name for name in names if name not in rows], notes


# --- what it measures ----------------------------------------------------------------------


_MAX_PERCENT = 100.0
_BEYOND_PERCENT = 300.0  # no percentage, also of something that may exceed the whole
_MAX_OUTSIDE = 1 / 3  # share of columns that may be outside the range of a measure and no results


def _of_one_size(
    measure: Measure, found: list[Numbers], of: str
) -> tuple[Measure, list[Numbers], list[str]]:
    """Tell columns of visibly different sizes apart.

    Times beside shares are no results, nor is what counts what data sets have; an Elo beside
    percentages is another measure, and of several measures only ranks count.
    """
    tops = {each.name: float(np.nanmax(np.abs(each.values), initial=0.0)) for each in found}
    outside = [name for name, top in tops.items() if top > _MAX_PERCENT]
    if of == "algorithm":
        outside = [x for x in outside if has_role(x, "dataset_description", at_least=0.5)]
    is_part = 0 < len(outside) <= _MAX_OUTSIDE * len(tops)
    if measure.is_bounded and is_part and not any(measure_words(list(tops))):
        told = f"Left out, as they cannot be {measure.name}: {listed(outside, limit=20)}."
        return measure, [each for each in found if each.name not in outside], [told]
    if of == "algorithm":
        return measure, found, []
    percent = [name for name, top in tops.items() if 1 < top <= _MAX_PERCENT]
    beyond = [name for name, top in tops.items() if top > _BEYOND_PERCENT]
    if measure.scale != "difference" or tells_itself(measure.name) or not (percent and beyond):
        return measure, found, []
    told = (
        f"Different measures by their sizes: {listed(beyond, limit=3)} beside "
        f"{listed(percent, limit=3)}. Over data sets only ranks and wins count."
    )
    return mixed(measure.name, up=measure.higher_is_better), found, [told]
