"""Which column is what: long and wide tables become rows of codes and floats."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import ColumnError, ParameterError
from palio.measures import (
    Measure,
    is_known_cost,
    is_known_score,
    is_time,
)
from palio.scores.aggregates import is_called_aggregate
from palio.scores.alone import (
    are_runs,
    by_their_places,
    with_name_of_file,
    with_one_dataset,
    with_runs_in_rows,
)
from palio.scores.arranged import Arranged, mean_over
from palio.scores.columns import Coded, Numbers, Origin, names_of, squeezed
from palio.scores.differing import (
    metric_column,
    metrics_of,
    mixed,
    score_named,
    tells_itself,
)
from palio.scores.item_cells import Beside, from_rows_of_items
from palio.scores.missing import failed_rows
from palio.scores.plausible import percent_signs
from palio.scores.progress import at_one_step, with_turns
from palio.scores.roles import recognise
from palio.scores.rows import Rows, rows_from_arrays
from palio.scores.summary import HowRead
from palio.scores.values import REASONS, STATUSES, notes_on, statuses_of
from palio.scores.wide import (
    UNNAMED,
    Grid,
    by_their_names,
    measure_of,
    without_aggregates,
)
from palio.systems import system
from palio.words import Worded, count, listed, quoted, strung

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.scores.differing import Metrics
    from palio.scores.spec import ReadSpec
    from palio.types import FloatArray, IntArray

_FEW = 3  # readings that are shown as whole commands
LEADERBOARD = "leaderboard"


def arrange(columns: Columns, given: ReadSpec) -> Arranged:
    """Make rows of a table by its reading, which `palio.scores.inference` has settled."""
    taken = [name.strip() for name in (given.score, *given.cost_columns) if isinstance(name, str)]
    roles = recognise(columns, given.keys, taken)
    columns = by_their_places(columns, roles.keys)
    columns, keys = with_turns(columns, roles.keys, taken)
    columns, keys = at_one_step(columns, keys, taken, given.duplicates)
    if "item" in keys and "dataset" not in keys and given.layout != "algorithms-in-rows":
        columns, keys["dataset"] = with_one_dataset(columns), "dataset"
    lacking = {"board": "dataset", "one": "algorithm"}.get(str(given.layout))
    if lacking is not None and lacking not in keys:
        columns, keys[lacking] = with_name_of_file(columns, lacking), lacking
    if given.layout in ("datasets-in-rows", "long") and _has_runs(columns, keys):
        measure = measure_of(columns, given, given.higher_is_better)
        columns, keys = with_runs_in_rows(columns, keys, measure.name)
        given = replace(given, score=measure.name, layout="long")
        if "algorithm" not in keys:
            columns, keys["algorithm"] = with_name_of_file(columns, "algorithm"), "algorithm"
    columns = replace(columns, notes=(*columns.notes, *roles.notes, *_clusters_said(columns, keys)))
    if given.layout in ("datasets-in-rows", "algorithms-in-rows"):
        transposed = given.layout == "algorithms-in-rows"
        return _arrange_wide(columns, keys, given, transposed=transposed)
    return _arrange_long(columns, keys, given)


def _clusters_said(columns: Columns, keys: Mapping[str, str]) -> tuple[str, ...]:
    """Say that clusters of one name on several data sets are taken for others on each."""
    if not {"dataset", "item", "cluster"} <= keys.keys():
        return ()
    cluster, dataset = (columns.places([keys[role]]) for role in ("cluster", "dataset"))
    times = np.unique(np.unique(np.stack([cluster, dataset]), axis=1)[0], return_counts=True)[1]
    if not (again := int((times > 1).sum())):
        return ()
    item = f"{keys['dataset']}+{keys['item']}"
    return (
        strung(
            [
                f"{again} of {count(times.size, 'cluster')} by name "
                f"{'is' if again == 1 else 'are'} on several data sets: taken for others on each. "
                "If they are the same, standard errors are too small; then take all data sets as "
                "one",
                Worded(f", by --column item={item} (item={item!r}) and none for the data sets"),
                ".",
            ]
        ),
    )


def _has_runs(columns: Columns, keys: Mapping[str, str]) -> bool:
    named = {keys.get("dataset", columns.names[0]), *keys.values()}
    return "repeat" not in keys and are_runs([each for each in columns.names if each not in named])


def _folds(columns: Columns, keys: Mapping[str, str], role: str) -> Coded:
    if role in keys:
        return columns.labels(keys[role])
    return Coded(np.zeros(len(columns), dtype=np.intp), ("1",))


# --- long ----------------------------------------------------------------------------------


def _arrange_long(columns: Columns, keys: dict[str, str], given: ReadSpec) -> Arranged:
    status = columns.find("status", taken=keys.values())
    if status is not None:
        keys["status"] = status
    _refuse_keys(columns, keys, given)
    what = metric_column(columns, keys.values())
    taken = [*keys.values(), *([what] if what else [])]
    values = _choose_values(columns, taken, given, truths="item" in keys)
    if status is None and is_time(values.score):
        status = _status_beside(columns, [*taken, *values.costs])
    if status is not None:
        keys["status"] = status
    dataset, algorithm = (columns.coded(keys[role]) for role in ("dataset", "algorithm"))
    repeat, fold = (_folds(columns, keys, role) for role in ("repeat", "fold"))
    statuses, status_codes = _statuses(columns, status, values.read)
    rows = Rows.of(
        dataset,
        algorithm,
        repeat,
        fold,
        scores=values.scores,
        costs=values.costs,
        statuses=statuses,
        status=status_codes,
    )
    metrics = None
    if what is not None and not tells_itself(values.score):
        keys["measure"] = what
        metrics = metrics_of(
            columns, what, dataset, values.score, given.higher_is_better, given.directions
        )
    measure = score_named(values.score, given.higher_is_better, given.directions, metrics)
    notes = (*columns.notes, *values.notes)
    how = _how("long", {**keys, "score": values.score}, columns.notes)
    return Arranged(
        rows,
        measure,
        columns.origin,
        notes,
        how,
        _over(columns, keys),
        Beside.of(columns, keys),
        columns,
        doubts=percent_signs([values.read]),
        metrics=metrics,
        intervals=_published_intervals(columns, algorithm, rows.scores[values.score])
        if given.layout == "board"
        else {},
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


def _over(columns: Columns, keys: Mapping[str, str]) -> dict[str, Coded]:
    return {role: columns.labels(keys[role]) for role in keys if role in ("seed", "item")}


def _how(layout: str, keys: Mapping[str, str], recognised: Iterable[str]) -> HowRead:
    return HowRead(layout, tuple(keys.items()), recognised=tuple(recognised))


def _refuse_keys(columns: Columns, keys: Mapping[str, str], given: ReadSpec) -> None:
    """Raise if a column that was given for numbers is a key."""
    role_of = {column: role for role, column in keys.items()}
    asked = [("costs", name) for name in given.cost_columns]
    if given.score is not None:
        asked.insert(0, ("score", given.score))
    for parameter, name in asked:
        role = role_of.get(columns.existing(parameter, name))
        if role is not None:
            raise ParameterError(
                parameter,
                f"{name!r} is the {role} column already",
                remedy="Give a column of numbers",
            )


# What a run that has its score is called.
_FINE = names_of(
    "okay success successful succeeded complete completed done finished solved "
    "sat unsat satisfiable unsatisfiable optimal optimum optimum_found"
)


_FINE_IF_TRUE = names_of("status run_status exit_status solved success completed finished")
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


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """The columns of numbers of a long table, sorted out; ``score`` is the one asked about."""

    score: str
    read: Numbers
    scores: Mapping[str, FloatArray]
    costs: Mapping[str, FloatArray]
    notes: tuple[str, ...]


def _choose_values(
    columns: Columns, keys: Collection[str], given: ReadSpec, *, truths: bool
) -> _Values:
    """Sort out the columns that are not keys; the names given exist and are not keys.

    A score may be true or false where ``truths`` says so: of an item it is right or wrong.
    """
    if given.score is None:  # inference takes one wherever there is one
        raise _several_in_a_cell(columns, *columns.nested)
    score = given.score.strip()
    asked = [name.strip() for name in given.cost_columns]
    if score in asked:
        raise ParameterError(
            "costs", f"{score!r} is the score already", remedy="it cannot also be a cost"
        )
    if score in columns.nested:
        raise _several_in_a_cell(columns, score)
    numbers = {name: columns.numbers(name) for name in columns.names if name and name not in keys}
    if truths:
        numbers = {
            name: each.with_truths() if name == score or is_known_score(name) else each
            for name, each in numbers.items()
        }
    known = [
        name
        for name, column in numbers.items()
        if name not in (score, *asked) and is_known_cost(name) and column.is_meant_numeric
    ]
    others = {name: each for name, each in numbers.items() if name not in (*asked, *known)}
    scores = {
        name: each.checked() for name, each in others.items() if name == score or each.is_numeric
    }
    left = [each for name, each in others.items() if name not in scores]
    used = [numbers[name].written for name in (*scores, *asked, *known)]
    return _Values(
        score=score,
        read=numbers[score],
        scores=scores,
        costs={
            **{name: numbers[name].checked() for name in asked},
            **{name: _known_costs(numbers[name]) for name in known},
        },
        notes=(
            *_notes_on_chosen(score, scores, known),
            *_notes_on_unused(left, columns.nested, unnamed="" in columns.names),
            *_notes_on_unknown([numbers[name] for name in known]),
            *notes_on(used),
        ),
    )


def _known_costs(numbers: Numbers) -> FloatArray:
    """Return costs that were recognised by name; -1 and text stand for unknown ones."""
    return np.where(numbers.values == -1, np.nan, numbers.values)


def _notes_on_unknown(costs: Iterable[Numbers]) -> list[str]:
    notes = []
    for each in costs:
        if n := int((each.values == -1).sum()):
            notes.append(f"{each.name}: {count(n, 'value')} of -1, taken for unknown.")
        if each.bad.any():
            first = each.text(int(np.flatnonzero(each.bad)[0]))
            n = int(each.bad.sum())
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
    measures = [system().typed(["--score", name]) for name in rest if is_known_score(name)]
    if rest:
        told = f"The score is {chosen}; the table also has {listed(rest, limit=20)}"
        more = Worded(f", which can be read instead: {listed(measures, limit=20)}")
        notes.append(strung([told, more, "."] if measures else [told, "."]))
    return notes


def _notes_on_unused(left: list[Numbers], nested: Collection[str], *, unnamed: bool) -> list[str]:
    notes = []
    for why, names in (
        ("hold lists or records", [column.name for column in left if column.name in nested]),
        ("hold text", [c.name for c in left if not (c.is_empty or c.name in nested)]),
        ("are empty", [column.name for column in left if column.is_empty]),
    ):
        if names:
            notes.append(f"Columns not used because they {why}: {listed(names, limit=20)}.")
    return [*notes, UNNAMED] if unnamed else notes


# --- wide ----------------------------------------------------------------------------------


def _arrange_wide(
    columns: Columns,
    keys: dict[str, str],
    given: ReadSpec,
    *,
    transposed: bool,
) -> Arranged:
    notes = list(columns.notes)
    side = "algorithm" if transposed else "dataset"
    names = columns.coded(keys[side]) if side in keys else _numbered(columns, notes)
    metrics = None
    if not transposed:
        metrics = _metrics_in_rows(columns, keys, names, given)
    found = [columns.numbers(name) for name in given.results if name not in keys.values()]
    if "item" in keys:
        found = [each.with_truths() for each in found]
    given, found, more = by_their_names(given, found, transposed=transposed)
    up = given.higher_is_better if metrics is None else True
    measure = measure_of(columns, given, up)
    measure = measure if metrics is None else mixed(measure.name)
    if transposed and measure.scale == "difference" and not tells_itself(measure.name):
        measure = _of_one_size(measure, found, notes)
    folds = _folds(columns, keys, "repeat"), _folds(columns, keys, "fold")
    grid = Grid.of(names, found, folds)
    over, beside = _over(columns, keys), Beside.of(columns, keys)
    gone: tuple[str, ...] = ()
    # No algorithm is right on each of many items as often as others on the mean; a name must tell.
    if not over or any(map(is_called_aggregate, grid.columns)):
        grid, gone = without_aggregates(grid, transposed=transposed)
    how = _how(LEADERBOARD if transposed else "wide", keys, (*notes, *more, *gone))
    notes += notes_on([each.written for each in found])
    kept = set(grid.columns)
    read = [each for each in found if each.name in kept]
    # The columns of a leaderboard are data sets, each in a scale of its own.
    together = [[each] for each in read] if transposed else [read]
    doubts = [doubt for numbers in together for doubt in percent_signs(numbers)]
    notes += [*more, *gone]
    arranged = _by_items(grid, over, beside, measure) or _in_rows(
        grid, over, beside, measure, transposed=transposed
    )
    if transposed:  # an algorithm costs the same on each data set
        places = arranged.origin.numbers
        costs = {name: _known_costs(columns.numbers(name))[places] for name in given.cost_columns}
        arranged = replace(arranged, rows=replace(arranged.rows, costs=costs))
        notes += _notes_on_unknown(map(columns.numbers, given.cost_columns))
    return replace(
        arranged,
        origin=columns.origin.take(arranged.origin.numbers),
        notes=(*notes, *arranged.notes),
        how=how,
        doubts=doubts,
        metrics=metrics,
    )


def _of_one_size(measure: Measure, found: Sequence[Numbers], notes: list[str]) -> Measure:
    """Return the measure; where columns are of visibly different sizes, one that only ranks."""
    tops = {each.name: float(np.nanmax(np.abs(each.values), initial=0.0)) for each in found}
    percent = [name for name, top in tops.items() if 1 < top <= 100]
    beyond = [name for name, top in tops.items() if top > _BEYOND_PERCENT]
    if not (percent and beyond):
        return measure
    notes.append(
        f"Different measures by their sizes: {listed(beyond, limit=3)} beside "
        f"{listed(percent, limit=3)}. Over data sets only ranks and wins count."
    )
    return mixed(measure.name, up=measure.higher_is_better)


_BEYOND_PERCENT = 300.0  # no percentage, also of something that may exceed the whole


def _in_rows(
    grid: Grid, over: Mapping[str, Coded], beside: Beside, measure: Measure, *, transposed: bool
) -> Arranged:
    """Make a row of each number of a grid."""
    rows, places = grid.long(measure, transposed=transposed)
    if over:  # an empty cell is an item that an algorithm does not have
        there = ~np.isnan(rows.scores[measure.name]) | failed_rows(rows)
        rows, places = rows.take(there), places[there]
    return Arranged(
        rows,
        measure,
        Origin("", "", places),
        (),
        over={role: each.take(places) for role, each in over.items()},
        beside=beside.take(places),
    )


def _by_items(
    grid: Grid, over: Mapping[str, Coded], beside: Beside, measure: Measure
) -> Arranged | None:
    """Take the means of a grid with a row per item, where each stands once and none has failed.

    The grid is the matrix of the items already: a row of each number would be ten times as large.
    """
    unlike = set(over) != {"item"} or any(len(each.names) > 1 for each in grid.folds)
    if unlike or grid.status is not None or np.isinf(grid.matrix).any():
        return None
    item = over["item"].take(grid.places)
    if np.unique(grid.rows.codes * len(item.names) + item.codes).size < len(grid.matrix):
        return None
    items = from_rows_of_items(
        grid.columns, measure, grid.rows, item, grid.matrix, beside.take(grid.places)
    )
    first = np.unique(grid.rows.codes, return_index=True)[1]
    rows = rows_from_arrays(items.means(), items.datasets, items.algorithms, measure, {})
    starts = np.flatnonzero(np.diff(items.dataset_of, prepend=-1))
    sizes = np.add.reduceat(items.answered(), starts, axis=0, dtype=np.intp)
    note = mean_over({"item": item}, sizes[sizes > 0], weighted=beside.weights is not None)
    return Arranged(
        rows, measure, Origin("", "", grid.places[first][rows.dataset]), (note,), items=items
    )


def _metrics_in_rows(
    columns: Columns,
    keys: dict[str, str],
    datasets: Coded,
    given: ReadSpec,
) -> Metrics | None:
    """Return what is measured on each data set, if a column beside the algorithms says it."""
    what = metric_column(columns, keys.values())
    score = "score" if given.score is None else given.score
    if what is None or tells_itself(score):
        return None
    keys["measure"] = what
    return metrics_of(
        columns,
        what,
        datasets,
        score,
        given.higher_is_better,
        given.directions,
        key=given.dataset,
    )


def _numbered(columns: Columns, notes: list[str]) -> Coded:
    """Name rows by their numbers, from 1."""
    notes.append("No column names the data sets: they are called by the numbers of their rows.")
    size = len(columns)
    return Coded(np.arange(size), tuple(str(number) for number in range(1, size + 1)))
