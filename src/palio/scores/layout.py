"""Which column is what: long and wide tables become rows of codes and floats."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import ColumnError, Option, ParameterError, either
from palio.measures import (
    Measure,
    is_general_score,
    is_inner_cv,
    is_known_cost,
    is_known_score,
    is_spread,
)
from palio.scores.aggregates import is_called_aggregate
from palio.scores.alone import (
    are_runs,
    lacking_role,
    with_name_of_file,
    with_one_dataset,
    with_runs_in_rows,
)
from palio.scores.columns import Coded, Numbers, Texts, names_of, squeezed
from palio.scores.differing import (
    alike,
    metric_column,
    metrics_of,
    mixed,
    resolved,
    score_named,
    tells_itself,
)
from palio.scores.duplicates import (
    columns_apart,
    contradiction,
    merged,
    settle_duplicates,
    with_seeds,
)
from palio.scores.item_cells import NOTHING, Beside, item_scores
from palio.scores.missing import failed_rows
from palio.scores.plausible import percent_signs
from palio.scores.roles import plays_a_role, recognise
from palio.scores.rows import Rows
from palio.scores.summary import UNREAD, HowRead
from palio.scores.values import STATUSES, notes_on, statuses_of
from palio.scores.wide import (
    UNNAMED,
    Grid,
    algorithm_columns,
    by_their_names,
    dataset_columns,
    first_column,
    is_leaderboard,
    measure_of,
    numbered,
    without_aggregates,
)
from palio.words import count, joined, listed, quoted

if TYPE_CHECKING:
    from palio.errors import CellError
    from palio.scores.choosing import Choice
    from palio.scores.columns import Columns, Origin
    from palio.scores.differing import Metrics
    from palio.scores.items import ItemScores
    from palio.types import BoolArray, FloatArray, IntArray

_FEW = 3  # readings that are shown as whole commands
LEADERBOARD = "leaderboard"
_ROUNDED = 1e-3  # so far apart, relative or absolute, means may be by rounding


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The column names the caller gave; None means the usual name."""

    dataset: str | None = None
    algorithm: str | None = None
    repeat: str | None = None
    fold: str | None = None
    item: str | None = None
    cluster: str | None = None
    weight: str | None = None
    score: str | None = None
    costs: tuple[str, ...] = ()
    transpose: bool | None = None
    directions: Mapping[str, bool] = field(default_factory=dict)

    @property
    def keys(self) -> dict[str, str | None]:
        """The columns that say which result a row is, by their roles."""
        asked = {role: getattr(self, role) for role in ("item", "cluster", "weight")}
        return {
            **{role: getattr(self, role) for role in ("dataset", "algorithm", "repeat", "fold")},
            **{role: name for role, name in asked.items() if name is not None},
        }


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """Rows not yet validated, the measure asked about, and where each row came from.

    ``over`` are the seeds and items that scores are to be averaged over, ``beside`` what is said of
    the items, and ``items`` their scores, once averaged. ``columns`` are those of a long table,
    whose rows are at ``places``, by default all as they stand. ``doubts`` are errors unless the
    caller lets the values through.
    """

    rows: Rows
    measure: Measure
    origin: Origin
    notes: tuple[str, ...]
    how: HowRead = UNREAD
    over: Mapping[str, Coded] = field(default_factory=dict)
    beside: Beside = NOTHING
    columns: Columns | None = None
    places: IntArray | None = None
    doubts: Sequence[CellError] = ()
    metrics: Metrics | None = None
    measures: Mapping[str, Measure] = field(default_factory=dict)
    items: ItemScores | None = None

    def chosen(self, choice: Choice) -> Arranged:
        """Return what is asked about."""
        rows, there, notes = choice.of_rows(self.rows)
        found = replace(self, rows=rows, notes=(*self.notes, *notes))
        return found if there is None else found._at(there)

    def _at(self, places: IntArray | BoolArray) -> Arranged:
        """Return what stands beside some of the rows."""
        return replace(
            self,
            origin=self.origin.take(places),
            over={role: Coded(each.codes[places], each.names) for role, each in self.over.items()},
            beside=self.beside.take(places),
            places=np.arange(len(self.origin.numbers))[places]
            if self.places is None
            else self.places[places],
        )

    def settled(self, duplicates: str) -> Arranged:
        """Return one row per result: copies dropped, contradictions settled, means taken."""
        key = self.rows.key
        for each in self.over.values():
            key = key * len(each.names) + each.codes
        rows, there, notes = settle_duplicates(
            self.rows, key, self.measure.name, duplicates, self._contradiction
        )
        found = replace(self, rows=rows, notes=(*self.notes, *notes))
        found = found if there is None else found._at(there)
        return found._averaged() if self.over else found

    def measured(self) -> Arranged:
        """Return the scores with what they measure, where a column says it."""
        if self.metrics is None:
            return self
        rows, measure, measures, notes = resolved(self.rows, self.measure.name, self.metrics)
        return replace(
            self,
            rows=rows,
            measure=measure,
            measures=measures,
            notes=(*self.notes, *notes),
            items=None if self.items is None else self.items.turned_to(measure, measures),
        )

    def by_measure(self) -> Iterator[Arranged]:
        """Give the rows of each measure, with its scores as they were.

        Where one direction was given for all, they are what was given, and not by their names.
        """
        if not self.measures or (self.metrics is not None and self.metrics.up is not None):
            yield self
            return
        rows = alike(self.rows, self.measure, self.measures)
        for each in dict.fromkeys(self.measures.values()):
            there = [code for code, name in enumerate(rows.datasets) if self.measures[name] == each]
            own, where = rows.only(there, range(len(rows.algorithms)))
            own = replace(own, scores={each.name: own.scores[self.measure.name]})
            yield replace(self._at(where), rows=own, measure=each)

    def _contradiction(self, pairs: IntArray) -> CellError:
        within = tuple(self.over) or ("repeat", "fold")
        if self.columns is None:
            return contradiction(self.rows, pairs, self.origin, within=within)
        roles = dict(self.how.roles)
        columns = self.columns if self.places is None else self.columns.take(self.places)
        return contradiction(
            self.rows,
            pairs,
            self.origin,
            within=within,
            differ=columns_apart(columns, pairs, [*roles.values(), *self.rows.costs]),
            algorithm=roles["algorithm"],
        )

    def _averaged(self) -> Arranged:
        """Average over seeds and items, which are neither folds nor data sets."""
        place, sizes = np.unique(self.rows.key, return_inverse=True, return_counts=True)[1:]
        rows, there = merged(self.rows, place, self.measure.name, self.beside.weights)
        if "seed" in self.over:
            rows = with_seeds(rows, self.rows, place, self.over["seed"], self.beside.weights)
        what = joined([f"{len(each.names)} {role}s" for role, each in self.over.items()])
        uneven = (
            "" if sizes.min() == sizes.max() else f", from {sizes.min()} to {sizes.max()} of them"
        )
        items = None
        if "item" in self.over:
            items = item_scores(self.rows, self.measure, self.over["item"], self.beside)
        return replace(
            self._at(there),
            rows=rows,
            notes=(*self.notes, f"Each score is the mean over {what}{uneven}."),
            over={},
            beside=NOTHING,
            items=items,
        )


def arrange(columns: Columns, given: ColumnNames, higher_is_better: bool | None) -> Arranged:
    """Recognise the layout: long if algorithms and data sets each have a column, else wide."""
    taken = [name.strip() for name in (given.score, *given.costs) if isinstance(name, str)]
    roles = recognise(columns, given.keys, taken)
    keys, transposed = roles.keys, given.transpose
    if "item" in keys and "dataset" not in keys:
        columns, keys["dataset"] = with_one_dataset(columns), "dataset"
    if transposed is None and (role := lacking_role(columns, keys, given.score)) is not None:
        columns, keys[role] = with_name_of_file(columns, role), role
    if transposed is None and _has_runs(columns, keys):
        measure = measure_of(columns, given, higher_is_better, each="run")
        columns, keys = with_runs_in_rows(columns, keys, measure.name)
        given = replace(given, score=measure.name)
        if "algorithm" not in keys:
            columns, keys["algorithm"] = with_name_of_file(columns, "algorithm"), "algorithm"
    if transposed is None:
        transposed = is_leaderboard(columns, keys)
    elif "algorithm" in keys and "dataset" in keys:
        raise ParameterError(
            "transpose",
            f"{columns.origin.name} has a column of algorithms and one of data sets",
            remedy="Only a table with one column per algorithm or per data set can be turned",
        )
    elif not transposed and "dataset" not in keys and keys.get("algorithm") == columns.names[0]:
        keys["dataset"] = keys.pop("algorithm")
        roles = replace(
            roles, notes=(f"The first column, {columns.names[0]!r}, names the data sets.",)
        )
    told = () if transposed else roles.notes
    columns = replace(columns, notes=(*columns.notes, *told))
    if transposed or "algorithm" not in keys:
        return _arrange_wide(columns, keys, given, higher_is_better, transposed=transposed)
    return _arrange_long(columns, keys, given, higher_is_better)


def _has_runs(columns: Columns, keys: Mapping[str, str]) -> bool:
    named = {keys.get("dataset", columns.names[0]), *keys.values()}
    return "repeat" not in keys and are_runs([each for each in columns.names if each not in named])


def _folds(columns: Columns, keys: Mapping[str, str], role: str) -> Coded:
    if role in keys:
        return columns.labels(keys[role])
    return Coded(np.zeros(len(columns), dtype=np.intp), ("1",))


# --- long ----------------------------------------------------------------------------------


def _arrange_long(
    columns: Columns, keys: dict[str, str], given: ColumnNames, higher_is_better: bool | None
) -> Arranged:
    if "dataset" not in keys:
        raise _without_datasets(columns, keys)
    status = columns.find("status", taken=keys.values())
    if status is not None:
        keys["status"] = status
    _refuse_keys(columns, keys, given)
    what = metric_column(columns, keys.values())
    values = _choose_values(columns, [*keys.values(), *([what] if what else [])], given)
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
            columns, what, dataset, values.score, higher_is_better, given.directions
        )
    measure = score_named(values.score, higher_is_better, given.directions, metrics)
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
    )


def _over(columns: Columns, keys: Mapping[str, str]) -> dict[str, Coded]:
    return {role: columns.labels(keys[role]) for role in keys if role in ("seed", "item")}


def _how(layout: str, keys: Mapping[str, str], recognised: Iterable[str]) -> HowRead:
    return HowRead(layout, tuple(keys.items()), recognised=tuple(recognised))


def _without_datasets(columns: Columns, keys: Mapping[str, str]) -> ColumnError:
    """Build the error for a table that names algorithms, more than once, and no data sets.

    Where one more column tells the rows apart, it may name data sets or be part of the names.
    """
    name, others = keys["algorithm"], [each for each in columns.names if each not in keys.values()]
    apart = [
        each
        for each in others
        if each
        and not (columns.numbers(each).has_decimals or is_known_score(each))
        and not is_called_aggregate(each)
        and not columns.have_twins([*keys.values(), each])
    ]
    if not apart or not columns.have_twins([name]):
        return columns.lacking("dataset", "names the data sets")
    ways = either([Option("dataset", apart[0]), Option("algorithm", f"{name}+{apart[0]}")])
    return ColumnError(
        "dataset",
        f"no column of {columns.origin.name} is named as data sets are, and {name!r} names "
        f"algorithms more than once; the rows differ in {quoted(apart)}",
        remedy=f"If that names data sets, or belongs to the algorithm's name, say so: {ways}",
    )


def _refuse_keys(columns: Columns, keys: Mapping[str, str], given: ColumnNames) -> None:
    """Raise if a column that was given for numbers is a key."""
    role_of = {column: role for role, column in keys.items()}
    asked = [("costs", name) for name in given.costs]
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
_FINE = names_of("okay success successful succeeded complete completed done finished solved")


def _statuses(
    columns: Columns, name: str | None, score: Numbers
) -> tuple[tuple[str, ...], IntArray | None]:
    """Return the status of each row: what its column says, or else a word in place of a score."""
    told = statuses_of(score.written.status, np.isnan(score.values))
    if name is None:
        return (() if told is None else STATUSES), told
    column = columns.values[name]
    codes, found = (column if isinstance(column, Texts) else column.fillna("")).factorize()
    words = [str(status).strip() for status in found]
    words = ["ok" if squeezed(word) in _FINE else word for word in words]
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


def _choose_values(columns: Columns, keys: Collection[str], given: ColumnNames) -> _Values:
    """Sort out the columns that are not keys; the names given exist and are not keys."""
    score = None if given.score is None else given.score.strip()
    asked = [name.strip() for name in given.costs]
    if score in asked:
        raise ParameterError(
            "costs", f"{score!r} is the score already", remedy="it cannot also be a cost"
        )
    numbers = {name: columns.numbers(name) for name in columns.names if name and name not in keys}
    known = [
        name
        for name, column in numbers.items()
        if name not in (score, *asked) and is_known_cost(name) and column.is_meant_numeric
    ]
    others = {name: each for name, each in numbers.items() if name not in (*asked, *known)}
    chosen = score if score is not None else _pick(others, [*asked, *known], columns)
    scores = {
        name: each.checked() for name, each in others.items() if name == chosen or each.is_numeric
    }
    left = [each for name, each in others.items() if name not in scores]
    used = [numbers[name].written for name in (*scores, *asked, *known)]
    return _Values(
        score=chosen,
        read=numbers[chosen],
        scores=scores,
        costs={name: numbers[name].checked() for name in (*asked, *known)},
        notes=(
            *_notes_on_chosen(chosen, scores, known, given=score is not None),
            *_notes_on_unused(left, unnamed="" in columns.names),
            *notes_on(used),
        ),
    )


def _pick(others: Mapping[str, Numbers], costs: list[str], columns: Columns) -> str:
    """Return the one column that can only be the score."""
    candidates = [
        name
        for name, column in others.items()
        if column.is_meant_numeric or (is_known_score(name) and not column.is_empty)
    ]
    candidates = [name for name in candidates if not is_spread(name)] or candidates
    candidates = [name for name in candidates if not plays_a_role(name)] or candidates
    if len(candidates) == 1:
        return candidates[0]
    # What chose the hyper-parameters stands beside the score, never for it.
    well_known = [name for name in candidates if is_known_score(name) and not is_inner_cv(name)]
    well_known = [name for name in well_known if not is_general_score(name)] or well_known
    if len(well_known) == 1:
        return well_known[0]
    origin = columns.origin.name
    if candidates:
        raise ColumnError(
            "score",
            f"several columns of {origin} could be the score: {quoted(candidates, limit=20)}",
            remedy=f"Say which: {_ways(well_known or candidates)}",
        )
    but = f" ({quoted(costs)} {'is a cost' if len(costs) == 1 else 'are costs'})" if costs else ""
    raise ColumnError(
        "score",
        f"{origin} has no column of numbers for the score{but}",
        remedy=f"Its columns are {quoted(columns.names, limit=20)}. Add one, or say which with "
        f"{Option('score')}",
    )


def _ways(candidates: Sequence[str]) -> str:
    """Name the scores to choose from; whole commands, if they are few."""
    options = [Option("score", name) for name in candidates]
    return either(options) if len(options) <= _FEW else joined([*map(str, options)], "or")


def _notes_on_chosen(
    chosen: str, scores: Collection[str], costs: list[str], *, given: bool
) -> list[str]:
    notes = [f"Recognised as costs by name: {listed(costs, limit=20)}."] if costs else []
    rest = [name for name in scores if name != chosen]
    if rest:
        why = "" if given else ", the only column with a well-known name"
        notes.append(f"The score is {chosen}{why}; the table also has {listed(rest, limit=20)}.")
    return notes


def _notes_on_unused(left: list[Numbers], *, unnamed: bool) -> list[str]:
    notes = []
    for why, names in (
        ("hold text", [column.name for column in left if not column.is_empty]),
        ("are empty", [column.name for column in left if column.is_empty]),
    ):
        if names:
            notes.append(f"Columns not used because they {why}: {listed(names, limit=20)}.")
    return [*notes, UNNAMED] if unnamed else notes


# --- wide ----------------------------------------------------------------------------------


def _arrange_wide(
    columns: Columns,
    keys: dict[str, str],
    given: ColumnNames,
    higher_is_better: bool | None,
    *,
    transposed: bool,
) -> Arranged:
    notes = list(columns.notes)
    side = "algorithm" if transposed else "dataset"
    if transposed and side not in keys:
        keys[side] = keys.pop("dataset", columns.names[0])
    sure = side in keys
    names = columns.coded(keys[side]) if sure else _names_in_rows(columns, keys, notes)
    if transposed:
        notes.append(
            f"Models in rows: {keys[side]!r} names the algorithms, and each other column is a data "
            "set. --no-transpose (transpose=False) reads it the other way round."
        )
    if "" in columns.names and "" not in keys.values():
        notes.append(UNNAMED)
    metrics = None
    if not transposed:
        metrics = _metrics_in_rows(columns, keys, names, given, higher_is_better)
    found, left = (
        dataset_columns(columns, keys)
        if transposed
        else algorithm_columns(columns, keys, sure=sure)
    )
    given, found, more = by_their_names(given, found, columns.origin.name, transposed=transposed)
    each = "data set" if transposed else "algorithm"
    up = higher_is_better if metrics is None else True
    measure = measure_of(columns, given, up, each=each)
    measure = measure if metrics is None else mixed(measure.name)
    folds = _folds(columns, keys, "repeat"), _folds(columns, keys, "fold")
    grid = Grid.of(names, found, folds)
    grid, gone = without_aggregates(grid, transposed=transposed)
    rows, places = grid.long(measure, transposed=transposed)
    how = _how(LEADERBOARD if transposed else "wide", keys, (*notes, *left, *more, *gone))
    notes += notes_on([each.written for each in found])
    kept = set(grid.columns)
    read = [each for each in found if each.name in kept]
    # The columns of a leaderboard are data sets, each in a scale of its own.
    together = [[each] for each in read] if transposed else [read]
    doubts = [doubt for numbers in together for doubt in percent_signs(numbers)]
    notes += [*left, *more, *gone]
    over, beside = _over(columns, keys), Beside.of(columns, keys)
    if over:  # an empty cell is an item that an algorithm does not have
        there = ~np.isnan(rows.scores[measure.name]) | failed_rows(rows)
        rows, places = rows.take(there), places[there]
    return Arranged(
        rows,
        measure,
        columns.origin.take(places),
        tuple(notes),
        how,
        {role: each.take(places) for role, each in over.items()},
        beside.take(places),
        doubts=doubts,
        metrics=metrics,
    )


def _metrics_in_rows(
    columns: Columns,
    keys: dict[str, str],
    datasets: Coded,
    given: ColumnNames,
    higher_is_better: bool | None,
) -> Metrics | None:
    """Return what is measured on each data set, if a column beside the algorithms says it."""
    what = metric_column(columns, keys.values())
    score = "score" if given.score is None else given.score
    if what is None or tells_itself(score):
        return None
    keys["measure"] = what
    return metrics_of(columns, what, datasets, score, higher_is_better, given.directions)


def _names_in_rows(columns: Columns, keys: dict[str, str], notes: list[str]) -> Coded:
    """Name the data sets by the first column or, if that holds scores, by their numbers."""
    first = first_column(columns, keys.values())
    if first is None:
        notes.append("No column names the data sets: they are called by the numbers of their rows.")
        return numbered(len(columns))
    keys["dataset"] = first
    called = repr(first) if first else "which has no name"
    notes.append(f"The first column, {called}, names the data sets.")
    return columns.coded(first)


# --- items beside a table ------------------------------------------------------------------


def items_behind(
    columns: Columns | None, arranged: Arranged, given: ColumnNames
) -> tuple[ItemScores | None, tuple[str, ...]]:
    """Return the scores of the items that a table's are means of, and how far they are there.

    They are its own, or those in columns beside it: under the same measure, of data sets and
    algorithms that the table has.
    """
    rows, measure = arranged.rows, arranged.measure
    if arranged.items is not None or columns is None or measure.name not in columns.values:
        return arranged.items, ()
    dataset, algorithm = (columns.coded(role) for role in ("dataset", "algorithm"))
    there = np.isin(dataset.codes, _known(dataset, rows.datasets))
    there &= np.isin(algorithm.codes, _known(algorithm, rows.algorithms))
    there &= ~np.isnan(columns.numbers(measure.name).values)
    if not there.any():
        return None, ()
    keys = {role: role for role in ("dataset", "algorithm", "item", "repeat")}
    names = ColumnNames(score=measure.name, directions=given.directions)
    found = _arrange_long(columns.take(there), keys, names, measure.higher_is_better)
    items = found.settled("mean").measured().items
    if items is None:
        return None, ()
    return items, _notes_on_items(items, rows, measure)


def _notes_on_items(items: ItemScores, rows: Rows, measure: Measure) -> tuple[str, ...]:
    """Say on what there are items, and where their means are not the scores of the table."""
    told = [count(items.n_items, "item")]
    for noun, some, whole in (
        ("data set", items.datasets, rows.datasets),
        ("algorithm", items.algorithms, rows.algorithms),
    ):
        if len(some) < len(whole):
            told.append(f"{len(some)} of {count(len(whole), noun)}")
    places = [rows.datasets.index(name) for name in items.datasets]
    columns = [rows.algorithms.index(name) for name in items.algorithms]
    scores = rows.cell_means(rows.scores[measure.name])[np.ix_(places, columns)]
    with np.errstate(invalid="ignore"):
        apart = np.abs(items.means() - scores) > _ROUNDED * np.maximum(1.0, np.abs(scores))
    where = [items.datasets[place] for place in np.unique(np.nonzero(apart)[0]).tolist()]
    notes = [f"The scores of items are there too: {joined(told)}."]
    if where:
        notes.append(f"The means of the items there are not the scores given for {listed(where)}.")
    return tuple(notes)


def _known(coded: Coded, names: Collection[str]) -> list[int]:
    return [code for code, name in enumerate(coded.names) if name in names]
