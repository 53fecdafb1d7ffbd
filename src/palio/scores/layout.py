"""Which column is what: long and wide tables become rows of codes and floats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import ColumnError, ParameterError
from palio.measures import is_known_cost, is_known_score, is_time, measure_named
from palio.scores.aggregates import aggregates, is_called_aggregate
from palio.scores.arranged import Arranged, mean_over
from palio.scores.choosing import with_name_of_file, with_one_dataset
from palio.scores.columns import Coded, names_of, squeezed
from palio.scores.differing import metric_column, metrics_of, mixed, score_named, tells_itself
from palio.scores.item_cells import Beside, from_rows_of_items
from palio.scores.missing import failed_rows
from palio.scores.plausible import percent_signs
from palio.scores.progress import at_one_step, with_turns
from palio.scores.roles import are_runs, recognise
from palio.scores.rows import Rows, rows_from_arrays
from palio.scores.spec import KEYS
from palio.scores.summary import HowRead
from palio.scores.values import REASONS, STATUSES, notes_on, statuses_of
from palio.scores.vocabulary import has_role, measure_words
from palio.systems import system
from palio.words import Worded, count, listed, quoted, strung

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.scores.columns import Columns, Numbers, Origin
    from palio.scores.differing import Metrics
    from palio.scores.spec import ReadSpec
    from palio.types import FloatArray, IntArray

LEADERBOARD = "leaderboard"
_SOURCES = {"dataset": LEADERBOARD, "algorithm": "wide", "repeat": "long"}  # by what columns are


def arrange(columns: Columns, given: ReadSpec) -> Arranged:
    """Make rows of a table by its reading, which `palio.scores.inference` has settled."""
    taken = [name.strip() for name in (given.score, *given.cost_columns) if isinstance(name, str)]
    keys, notes = recognise(columns, given.keys, taken)
    if unused := set(columns.whereabouts) - set(keys.values()):
        columns = replace(columns.without(unused), whereabouts=())
    columns, keys = with_turns(columns, keys, taken)
    columns, keys = at_one_step(columns, keys, taken, given.duplicates)
    if "item" in keys and "dataset" not in keys and given.layout != "algorithms-in-rows":
        columns, keys["dataset"] = with_one_dataset(columns), "dataset"
    of_runs = given.layout in ("datasets-in-rows", "long") and _has_runs(columns, keys)
    lacking = {"board": "dataset", "one": "algorithm"}.get(str(given.layout))
    lacking = "algorithm" if of_runs else lacking
    if lacking is not None and lacking not in keys:
        columns, keys[lacking] = with_name_of_file(columns, lacking), lacking
    columns = columns.noted(*notes, *_note_on_clusters(columns, keys))
    if of_runs:
        return _arrange_wide(columns, keys, given, "repeat")
    if given.layout in ("datasets-in-rows", "algorithms-in-rows"):
        of = "dataset" if given.layout == "algorithms-in-rows" else "algorithm"
        return _arrange_wide(columns, keys, given, of)
    return _arrange_long(columns, keys, given)


def _note_on_clusters(columns: Columns, keys: Mapping[str, str]) -> tuple[str, ...]:
    """Say that clusters of one name on several data sets are taken for others on each."""
    if not {"dataset", "item", "cluster"} <= keys.keys():
        return ()
    times = np.bincount(columns.pairs([keys["cluster"]], [keys["dataset"]])[0])
    if not (again := int((times > 1).sum())):
        return ()
    item = f"{keys['dataset']}+{keys['item']}"
    told = (
        f"{again} of {count(times.size, 'cluster')} by name {'is' if again == 1 else 'are'} on "
        "several data sets: taken for others on each. If they are the same, standard errors are "
        "too small; then take all data sets as one"
    )
    way = Worded(f", by --column item={item} (item={item!r}) and none for the data sets")
    return (strung([told, way, "."]),)


def _has_runs(columns: Columns, keys: Mapping[str, str]) -> bool:
    named = {keys.get("dataset", columns.names[0]), *keys.values()}
    return "repeat" not in keys and are_runs([each for each in columns.names if each not in named])


def _labels(columns: Columns, keys: Mapping[str, str], role: str) -> Coded:
    """Return the folds or repeats of the rows; without a column for them there is one."""
    if role in keys:
        return columns.labels(keys[role])
    return Coded(np.zeros(len(columns), dtype=np.intp), ("1",))


def _over(columns: Columns, keys: Mapping[str, str]) -> dict[str, Coded]:
    return {role: columns.labels(keys[role]) for role in keys if role in ("seed", "item")}


def _metrics(
    columns: Columns, keys: dict[str, str], datasets: Coded, score: str, given: ReadSpec
) -> Metrics | None:
    """Return what is measured on each data set, if a column says it."""
    what = metric_column(columns, keys.values())
    if what is None or tells_itself(score):
        return None
    keys["measure"] = what
    key = given.dataset if given.layout == "datasets-in-rows" else None
    up, directions = given.higher_is_better, given.directions
    return metrics_of(columns, what, datasets, score, up, directions, key=key)


# --- long ----------------------------------------------------------------------------------


def _arrange_long(columns: Columns, keys: dict[str, str], given: ReadSpec) -> Arranged:
    status = columns.find("status", taken=keys.values())
    if status is not None:
        keys["status"] = status
    _refuse_keys(columns, keys, given)
    what = metric_column(columns, keys.values())
    taken = [*keys.values(), *([what] if what else [])]
    score, numbers = _numbers_asked(columns, taken, given, truths="item" in keys)
    asked = [name.strip() for name in given.cost_columns]
    known = [
        name
        for name, each in numbers.items()
        if name not in (score, *asked) and is_known_cost(name) and each.is_meant_numeric
    ]
    rest = {name: each for name, each in numbers.items() if name not in (*asked, *known)}
    scores = {name: each for name, each in rest.items() if name == score or each.is_numeric}
    costs = {name: numbers[name].checked() for name in asked}
    costs |= {name: _known_costs(numbers[name]) for name in known}
    if status is None and is_time(score):
        status = _status_beside(columns, [*taken, *costs])
    if status is not None:
        keys["status"] = status
    dataset, algorithm = (columns.coded(keys[role]) for role in KEYS[:2])
    folds = [_labels(columns, keys, role) for role in KEYS[2:]]
    statuses, codes = _statuses(columns, status, numbers[score])
    values = {name: each.checked() for name, each in scores.items()}
    rows = Rows.of(
        dataset, algorithm, *folds, scores=values, costs=costs, statuses=statuses, status=codes
    )
    metrics = _metrics(columns, keys, dataset, score, given)
    used = [numbers[name].written for name in (*scores, *costs)]
    left = [each for name, each in rest.items() if name not in (*scores, status)]
    notes = (
        *_notes_on_chosen(score, scores, known),
        *_notes_on_unused(left, columns.nested, unnamed="" in columns.names),
        *_notes_on_unknown([numbers[name] for name in known]),
        *notes_on(used),
    )
    is_board = given.layout == "board"
    return Arranged(
        rows,
        score_named(score, given.higher_is_better, given.directions, metrics),
        columns.origin,
        (*columns.notes, *notes),
        HowRead("long", (*keys.items(), ("score", score)), columns.notes),
        _over(columns, keys),
        Beside.of(columns, keys),
        columns,
        doubts=percent_signs([numbers[score]]),
        metrics=metrics,
        intervals=_published_intervals(columns, algorithm, values[score]) if is_board else {},
    )


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


def _refuse_keys(columns: Columns, keys: Mapping[str, str], given: ReadSpec) -> None:
    """Raise if a column that was given for numbers is a key."""
    role_of = {column: role for role, column in keys.items()}
    score = [] if given.score is None else [("score", given.score)]
    for parameter, name in [*score, *(("costs", name) for name in given.cost_columns)]:
        if role := role_of.get(columns.existing(parameter, name)):
            rule = f"{name!r} is the {role} column already"
            raise ParameterError(parameter, rule, remedy="Give a column of numbers")


def _numbers_asked(
    columns: Columns, keys: Collection[str], given: ReadSpec, *, truths: bool
) -> tuple[str, dict[str, Numbers]]:
    """Return the column asked about, and all that are not keys as numbers.

    A score may be true or false where ``truths`` says so: of an item it is right or wrong.
    """
    if given.score is None:  # inference takes one wherever there is one
        raise _several_in_a_cell(columns, *columns.nested)
    score = given.score.strip()
    if score in [name.strip() for name in given.cost_columns]:
        rule = f"{score!r} is the score already"
        raise ParameterError("costs", rule, remedy="it cannot also be a cost")
    if score in columns.nested:
        raise _several_in_a_cell(columns, score)
    numbers = {name: columns.numbers(name) for name in columns.names if name and name not in keys}
    for name, each in numbers.items() if truths else ():
        if name == score or is_known_score(name):
            numbers[name] = each.with_truths()
    return score, numbers


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


def _several_in_a_cell(columns: Columns, *names: str) -> ColumnError:
    """Build the error for lists where a score would be."""
    hold = "holds a list or a record" if len(names) == 1 else "hold lists or records"
    return ColumnError(
        "score",
        f"{quoted(names)} of {columns.origin.name} {hold} in each cell, such as a curve of "
        "learning, and a score is one number",
        remedy="Write the number that counts, such as the last, in a column of its own",
    )


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


def _notes_on_unused(left: list[Numbers], nested: Collection[str], *, unnamed: bool) -> list[str]:
    notes = []
    for why, names in (
        ("hold lists or records", [each.name for each in left if each.name in nested]),
        ("hold text", [x.name for x in left if not (x.is_empty or x.name in nested)]),
        ("are empty", [each.name for each in left if each.is_empty]),
    ):
        if names:
            notes.append(f"Columns not used because they {why}: {listed(names, limit=20)}.")
    return [*notes, "A column without a name is not used."] if unnamed else notes


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


def _status_beside(columns: Columns, taken: Collection[str]) -> str | None:
    """Return the column that says which runs ended, in words or as true and false."""
    known = _FINE | _TRUTHS | {"ok", *map(squeezed, REASONS)}
    for name in columns.names:
        is_named = name not in taken and squeezed(name) in _STATUS_NAMES
        if is_named and known.issuperset(map(squeezed, _words(columns, name)[1])):
            return name
    return None


def _words(columns: Columns, name: str) -> tuple[IntArray, list[str]]:
    """Return the place of each cell among the different ones, and these."""
    codes, found = columns.distinct(name)
    words = [str(word).strip() for word in found]
    # The last is what the code -1 of a missing cell finds.
    return codes, [*words, ""] if bool((codes < 0).any()) else words


def _statuses(
    columns: Columns, name: str | None, score: Numbers
) -> tuple[tuple[str, ...], IntArray | None]:
    """Return the status of each row: what its column says, or else a word in place of a score."""
    told = statuses_of(score.written.status, np.isnan(score.values))
    if name is None:
        return (() if told is None else STATUSES), told
    codes, words = _words(columns, name)
    fine = _FINE | {str(squeezed(name) in _FINE_IF_TRUE).lower()}
    why = REASONS.get(squeezed(name), "failed")
    words = ["ok" if squeezed(word) in fine else word for word in words]
    words = [why if squeezed(word) in _TRUTHS else word for word in words]
    names = tuple(dict.fromkeys(words))
    codes = np.array([names.index(word) for word in words], dtype=np.intp)[codes]
    if told is None:
        return names, codes
    silent = np.array([each.lower() in ("", "ok") for each in names], dtype=bool)[codes]
    return (*names, *STATUSES), np.where(silent & (told > 1), len(names) + told, codes)


# --- wide ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Wide:
    """A table with columns ``of`` algorithms, data sets or runs; ``by_row`` are other names."""

    of: str
    found: list[Numbers]
    by_row: Mapping[str, Coded]
    over: Mapping[str, Coded]
    beside: Beside

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(each.name for each in self.found)

    @property
    def side(self) -> str:
        """What the rows are of: data sets, or algorithms."""
        return "algorithm" if self.of == "dataset" else "dataset"

    @cached_property
    def matrix(self) -> FloatArray:
        """The numbers."""
        return np.array([each.checked() for each in self.found]).T

    @property
    def status(self) -> IntArray | None:
        """Why cells are missing, if words say so."""
        told = [each.written.status for each in self.found]
        if all(each is None for each in told):
            return None
        none = np.zeros_like(self.by_row["fold"].codes)
        told = [none if each is None else each for each in told]
        return statuses_of(np.array(told).T, np.isnan(self.matrix))


def _arrange_wide(columns: Columns, keys: dict[str, str], given: ReadSpec, of: str) -> Arranged:
    """Make a row of each number of a table with a column for each algorithm, data set or run."""
    notes = list(columns.notes)
    by_row = {role: columns.coded(keys[role]) for role in KEYS[:2] if role in keys}
    if not by_row:
        notes.append("No column names the data sets: they are called by the numbers of their rows.")
        numbers = np.arange(len(columns))
        by_row["dataset"] = Coded(numbers, tuple(str(number + 1) for number in numbers))
    by_row |= {role: _labels(columns, keys, role) for role in KEYS[2:]}
    results = columns.names if of == "repeat" else given.results
    found = [columns.numbers(name) for name in results if name not in keys.values()]
    if of == "repeat":
        ends = f"{found[0].name} to {found[-1].name}"
        notes.append(f"The columns {ends} are runs, not algorithms: hold-outs.")
    if "item" in keys:
        found = [each.with_truths() for each in found]
    score, found, told = _by_their_names(given.score, found, of)
    metrics = None
    if of == "algorithm":
        metrics = _metrics(columns, keys, by_row["dataset"], score, given)
    measure = mixed(score) if metrics else _measure_of(columns, given, score)
    measure, found, more = _of_one_size(measure, found, of)
    notes += more
    wide = _Wide(of, found, by_row, _over(columns, keys), Beside.of(columns, keys))
    wide, rows_left, more = _without_computed(wide)
    costs = [columns.numbers(name) for name in given.cost_columns]
    arranged = _means_of_items(wide, measure, columns.origin) if not rows_left else None
    arranged = arranged or _melted(wide, measure, columns, costs, rows_left)
    written = notes_on([each.written for each in found])
    # The columns of a leaderboard are data sets, each in a scale of its own.
    together = [[each] for each in wide.found] if of == "dataset" else [wide.found]
    return replace(
        arranged,
        notes=(*notes, *written, *told, *more, *_notes_on_unknown(costs), *arranged.notes),
        how=HowRead(_SOURCES[of], tuple(keys.items()), (*notes, *told, *more)),
        doubts=[doubt for numbers in together for doubt in percent_signs(numbers)],
        metrics=metrics,
    )


def _melted(
    wide: _Wide, measure: Measure, columns: Columns, costs: Sequence[Numbers], left: Collection[str]
) -> Arranged:
    """Make a row of each number, but for those in the rows that are left out."""
    row, column = (axis.reshape(-1) for axis in np.indices(wide.matrix.shape))
    names = {role: each.take(row) for role, each in wide.by_row.items()}
    names[wide.of] = Coded(column, wide.names)
    status = wide.status
    rows = Rows.of(
        *(names[role] for role in KEYS),
        scores={measure.name: wide.matrix.reshape(-1)},
        costs={each.name: _known_costs(each)[row] for each in costs},  # the same on each data set
        statuses=() if status is None else STATUSES,
        status=None if status is None else status.reshape(-1),
    )
    arranged = Arranged(rows, measure, columns.origin, (), over=wide.over, beside=wide.beside)
    arranged = arranged.at(row, rows)
    if left:
        stay = [place for place, name in enumerate(names[wide.side].names) if name not in left]
        sides = {wide.side: stay, wide.of: range(len(wide.names))}
        arranged = arranged.only(sides["dataset"], sides["algorithm"])
    if wide.over:  # an empty cell is an item that an algorithm does not have
        rows = arranged.rows
        there = ~np.isnan(rows.scores[measure.name]) | failed_rows(rows)
        arranged = arranged.at(there, rows.take(there))
    return arranged


def _means_of_items(wide: _Wide, measure: Measure, origin: Origin) -> Arranged | None:
    """Take the means of a table with a row per item, where each stands once and none has failed.

    The numbers are the matrix of the items already: a row of each would be ten times as large.
    """
    repeated = any(len(wide.by_row[role].names) > 1 for role in KEYS[2:])
    if set(wide.over) != {"item"} or repeated or wide.status is not None:
        return None
    item, side = wide.over["item"], wide.by_row[wide.side]
    distinct = np.unique(side.codes * len(item.names) + item.codes)
    if distinct.size < item.codes.size or np.isinf(wide.matrix).any():
        return None
    items = from_rows_of_items(wide.names, measure, side, item, wide.matrix, wide.beside)
    first = np.unique(side.codes, return_index=True)[1]
    rows = rows_from_arrays(items.means(), items.datasets, items.algorithms, measure, {})
    starts = np.flatnonzero(np.diff(items.dataset_of, prepend=-1))
    sizes = np.add.reduceat(items.answered(), starts, axis=0, dtype=np.intp)
    weighted = wide.beside.weights is not None
    note = mean_over({"item": item}, sizes[sizes > 0], weighted=weighted)
    return Arranged(rows, measure, origin.take(first[rows.dataset]), (note,), items=items)


def _without_computed(wide: _Wide) -> tuple[_Wide, list[str], list[str]]:
    """Leave out columns that are means, sums or ranks of the others.

    Return also the names of rows that are such, and what to note.
    """
    # No algorithm is right on each of many items as often as others on the mean; a name must tell.
    if wide.of == "repeat" or (wide.over and not any(map(is_called_aggregate, wide.names))):
        return wide, [], []
    across = aggregates(wide.names, wide.matrix)
    tops = [name for name in wide.names if name not in across]
    side = wide.by_row[wide.side]
    names = [side.name(row) for row in range(side.codes.size)]
    names = names if len(set(names)) == len(names) else []  # of several rows each none is computed
    stay = [name not in across for name in wide.names]
    down = aggregates(names, wide.matrix[:, stay].T) if names else {}
    told = [f"{name}, the {kind} of the others" for name, kind in {**across, **down}.items()]
    notes = [f"Left out, because it is computed: {'; '.join(told)}."] if told else []
    rows = [name for name in names if name not in down]
    called = [name for name in tops if is_called_aggregate(name)]
    no_datasets: list[str] = []
    if wide.of == "dataset":
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
    found = [each for each in wide.found if each.name in tops]
    left = [name for name in names if name not in rows]
    return (replace(wide, found=found) if len(found) < len(stay) else wide), left, notes


# --- what it measures ----------------------------------------------------------------------


def _by_their_names(
    score: str | None, found: list[Numbers], of: str
) -> tuple[str, list[Numbers], list[str]]:
    """Return the measure that the names of columns begin or end with, and the columns of it.

    AMI WER, LS Clean WER: where most of a leaderboard's columns have such a word, those without
    are no results. Where they have different ones, a table holds several measures.
    """
    words = measure_words([each.name for each in found])
    times = Counter(word.lower() for word in words if word)
    sizes = Counter({word: size for word, size in times.items() if size > 1})
    alike = of == "dataset" or len(sizes) > 1
    most = 2 * sizes.total() > len(words) if alike else sizes.total() == len(words)
    asked = score.lower() if score is not None else next(iter(sizes), "")
    if not (sizes and most) or asked not in sizes:
        return score or "score", found, []
    kept = [each for each, word in zip(found, words, strict=True) if word.lower() == asked]
    left = [each.name for each in found if each not in kept]
    kept = [replace(each, name=_without_measure(each.name, asked)) for each in kept]
    measure = score or next(word for word in words if word.lower() == asked)
    told = f"The measure is {measure}, by the names of the columns"
    others = [system().typed(["--score", word]) for word in sizes if word != asked]
    told += f"; others: {listed(others)}" if others else ""
    told += f"; left out, without it: {listed(left, limit=20)}" if left else ""
    return measure, kept, [f"{told}."]


def _without_measure(name: str, measure: str) -> str:
    """Return what two rows of headings name beside the measure.

    >>> _without_measure("knn / Accuracy (%)", "accuracy"), _without_measure("AMI WER", "wer")
    ('knn', 'AMI WER')
    """
    rest = [part for part in name.split(" / ") if measure not in part.lower()]
    return " / ".join(rest) or name


def _measure_of(columns: Columns, given: ReadSpec, score: str) -> Measure:
    """Return the measure of a table with a column for each algorithm or data set."""
    if given.cost_columns and given.layout != "algorithms-in-rows":
        raise ColumnError(
            "costs",
            f"{columns.origin.name} has one column per algorithm or run, so it cannot hold the "
            f"costs {quoted(given.cost_columns)}",
            remedy="Give them in a second table: dataset, algorithm, one column per cost",
        )
    return measure_named(score, higher_is_better=given.higher_is_better)


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
