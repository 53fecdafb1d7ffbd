"""A long table: rows that are not checked yet, and what is known of them; made by `layout`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import Option
from palio.measures import Measure, find_measures, is_known_score
from palio.scores.columns import Coded, Columns, Origin, dense
from palio.scores.doubts import (
    MAX_VALUES,
    columns_apart,
    contradiction,
    merged,
    settle_duplicates,
    with_seeds,
)
from palio.scores.items import ItemScores, item_scores
from palio.scores.metrics import alike, resolved
from palio.scores.missing import failed_rows
from palio.scores.roles import plays_a_role
from palio.scores.rows import Rows, without
from palio.scores.selection import notes_on_choice
from palio.scores.summary import HowRead, size_of
from palio.scores.vocabulary import has_role
from palio.words import count, joined, listed, quoted

if TYPE_CHECKING:
    from palio.scores.doubts import Doubt
    from palio.scores.metrics import Metrics
    from palio.scores.selection import Choice
    from palio.types import IntArray

_AGAIN = "Items were asked more than once"
_ROUNDED = 1e-3  # so far apart, relative or absolute, means may be by rounding


@dataclass(frozen=True, slots=True, eq=False)
class LongTable:
    """Rows not yet validated, the measure asked about, and the columns that they were made of.

    ``averaged`` are the seeds and items that scores are to be averaged over, and ``clusters`` those
    of the items, both by rows of the columns (`Rows.source`); ``items`` are the scores of the
    items, once averaged. ``doubts`` are errors unless the caller lets the values through, and
    ``intervals`` those that a leaderboard publishes.
    """

    rows: Rows
    measure: Measure
    columns: Columns
    how: HowRead
    notes: tuple[str, ...]
    averaged: Mapping[str, Coded] = field(default_factory=dict)
    clusters: Coded | None = None
    doubts: Sequence[Doubt] = ()
    metrics: Metrics | None = None
    measures: Mapping[str, Measure] = field(default_factory=dict)
    items: ItemScores | None = None
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        """Where each row came from."""
        origin: Origin = self.rows.of_source(self.columns.origin)
        return origin

    def noted(self, *notes: str, **changes: Any) -> LongTable:
        """Return it with further notes, and other changes."""
        return replace(self, notes=(*self.notes, *notes), **changes)

    def chosen(self, choice: Choice) -> LongTable:
        """Return what is asked about."""
        rows = self.rows
        datasets, algorithms = choice.names(rows.datasets, rows.algorithms)
        notes = notes_on_choice(rows, datasets, algorithms)
        codes = map(rows.datasets.index, datasets), map(rows.algorithms.index, algorithms)
        return self.noted(*notes, rows=rows.only(*map(list, codes))) if notes else self

    def settled(self, duplicates: str) -> LongTable:
        """Return one row per result: copies dropped, contradictions settled, means taken."""
        rows, score = self.rows, self.measure.name
        keys = [rows.dataset, rows.algorithm, rows.repeat, rows.fold]
        keys += [rows.of_source(each.codes) for each in self.averaged.values()]
        rows, notes = settle_duplicates(rows, keys, score, duplicates, self._repeats)
        unasked = [note for note in notes if note.startswith(_AGAIN)]
        how = self.how._replace(recognised=(*self.how.recognised, *unasked))
        found = self.noted(*notes, rows=rows, how=how)
        if "item" in self.averaged:
            found = found._of_items_there()
        return found._means() if self.averaged else found

    def _repeats(self, pairs: IntArray) -> str:
        """Say why rows that contradict are repeats of an item, asked at another time; or raise."""
        within, roles = tuple(self.averaged) or ("repeat", "fold"), dict(self.how.roles)
        columns = self.rows.of_source(self.columns)
        keys = [name for role, name in roles.items() if role not in ("score", "status")]
        differ = {}
        if "score" in roles:  # the columns of a wide table tell of several rows each
            differ = columns_apart(columns, pairs, [*roles.values(), *self.rows.costs])
        if "item" in self.averaged and differ and all(has_role(x, "timestamp") for x in differ):
            return f"{_AGAIN}, as {quoted(differ)} tells: "
        torn = columns.take(np.unique(pairs))
        parts = [x for x in differ if not (plays_a_role(x) or x in columns.nested)]
        parts = [x for x in parts if not torn.have_twins([*keys, x])]
        ways = {x: _as_part(columns, roles, x) for x in parts}
        rows, origin, together = self.rows, self.origin, None
        if differ and not ways and "algorithm" in roles:
            settings = _settings(columns, keys, [*roles.values(), *rows.costs])
            named = Option("algorithm", "+".join([roles["algorithm"], *settings]))
            together = Option.together([named, Option("duplicates", "mean")]) if settings else None
        raise contradiction(
            rows, pairs, origin, within=within, differ=differ, parts=ways, together=together
        )

    def _of_items_there(self) -> LongTable:
        """Leave out rows without a score that did not fail, as in a wide table: no such item.

        An algorithm that has no score at all keeps its rows, and is missing.
        """
        gone = np.isnan(self.rows.scores[self.measure.name]) & ~failed_rows(self.rows)
        if gone.any():
            key = self.rows.key
            gone &= np.isin(key, key[~gone])
        if not gone.any():
            return self
        told = f"No score is in {gone.sum()} of {count(gone.size, 'row')}: items that an algorithm "
        told += "does not have. The means are over the others."
        return self.noted(told, rows=self.rows.take(~gone))

    def _means(self) -> LongTable:
        """Average over seeds and items, which are neither folds nor data sets."""
        source, score = self.rows, self.measure.name
        averaged = {role: source.of_source(each) for role, each in self.averaged.items()}
        place, items = dense(source.key), None
        rows = merged(source, place, score)
        if "seed" in averaged:
            rows = with_seeds(rows, source, place, averaged["seed"])
        if "item" in averaged:
            items = item_scores(
                Coded(source.dataset, source.datasets),
                averaged["item"],
                Coded(source.algorithm, source.algorithms),
                without(failed_rows(source), source.scores[score]),
                self.measure,
                None if self.clusters is None else source.of_source(self.clusters),
            )
        note = note_on_means(averaged, np.bincount(place))
        return self.noted(note, rows=rows, averaged={}, items=items)

    def where_measured(self) -> LongTable:
        """Return the data sets on which the score was measured, and not only something else.

        Where something failed, it was.
        """
        rows, size, score = self.rows, len(self.rows.datasets), self.measure.name
        # A number in a table may be anything; what a tool wrote are its measures.
        by_tool = bool(self.columns.known.source)
        others = [name for name in rows.scores if name != score]
        own = ~np.isnan(rows.scores[score]) | failed_rows(rows)
        has = np.bincount(rows.dataset, weights=own, minlength=size) > 0
        if has.all() or not has.any() or not (by_tool or any(map(is_known_score, others))):
            return self
        gone = [rows.datasets[code] for code in np.flatnonzero(~has).tolist()]
        note = f"Left out, because nobody has {score} there: {count(len(gone), 'data set')} of "
        note += f"{size}, {listed(gone, limit=3)}."
        rows = rows.only(np.flatnonzero(has).tolist(), range(len(rows.algorithms)))
        if (items := self.items) is not None:
            items = items.select([name for name in items.datasets if name in rows.datasets], None)
        return self.noted(note, rows=rows, items=items)

    def measured(self) -> LongTable:
        """Return the scores with what they measure, where a column says it."""
        if self.metrics is None:
            return self
        rows, measure, measures, notes = resolved(self.rows, self.measure.name, self.metrics)
        items = None if self.items is None else self.items.turned_to(measure, measures)
        return self.noted(*notes, rows=rows, measure=measure, measures=measures, items=items)

    def by_measure(self) -> Iterator[LongTable]:
        """Give the rows of each measure, with its scores as they were.

        Where one direction was given for all, they are what was given, and not by their names.
        """
        if not self.measures or (self.metrics is not None and self.metrics.up is not None):
            yield self
            return
        rows = alike(self.rows, self.measure, self.measures)
        for each in dict.fromkeys(self.measures.values()):
            there = [i for i, name in enumerate(rows.datasets) if self.measures[name] == each]
            part = rows.only(there, range(len(rows.algorithms)))
            scores = {each.name: part.scores[self.measure.name]}
            yield replace(self, rows=replace(part, scores=scores), measure=each)

    def with_items(self, columns: Columns | None) -> LongTable:
        """Return it with the scores of items that a source keeps beside the means it reports.

        Those are under the same measure, of data sets and algorithms that the table has.
        """
        rows, measure = self.rows, self.measure
        if columns is None or self.items is not None or measure.name not in columns.values:
            return self
        scores = columns.numbers(measure.name).values
        there = ~np.isnan(scores)
        for role, names in (("dataset", rows.datasets), ("algorithm", rows.algorithms)):
            coded = columns.coded(role)
            there &= np.array([name in names for name in coded.names])[coded.codes]
        if not there.any():
            return self
        columns = columns.take(there)
        dataset, algorithm = columns.coded("dataset"), columns.coded("algorithm")
        items = item_scores(dataset, columns.labels("item"), algorithm, scores[there], measure)
        if self.measures:
            items = items.turned_to(measure, self.measures)
        return self.noted(*_notes_on_items(items, rows, measure), items=items)


def note_on_means(over: Mapping[str, Coded], sizes: IntArray) -> str:
    """Say over how many seeds and items means are taken."""
    n, most = f"{sizes.min()} to {sizes.max()}", int(sizes.max())
    n = f"{most}" if int(sizes.min()) == most else n
    what = joined([f"{len(each.names)} {role}s" for role, each in over.items()])
    if len(over) == 1:
        ((role, each),) = over.items()
        what = f"{n} {role}s" + (f" of {len(each.names)}" if len(each.names) > most else "")
    elif n != f"{most}":
        what += f", {n} scores each"
    return f"Each score is the mean over {what}."


def _notes_on_items(items: ItemScores, rows: Rows, measure: Measure) -> list[str]:
    """Say on what there are items, and where their means are not the scores of the table."""
    told = count(items.n_items, "item")
    if (items.n_datasets, items.n_algorithms) != rows.shape:
        told += f" of {size_of(items.n_datasets, items.n_algorithms)}"
    places = [rows.datasets.index(name) for name in items.datasets]
    columns = [rows.algorithms.index(name) for name in items.algorithms]
    scores = rows.cell_means(rows.scores[measure.name])[np.ix_(places, columns)]
    with np.errstate(invalid="ignore"):
        apart = np.abs(items.means() - scores) > _ROUNDED * np.maximum(1.0, np.abs(scores))
    where = [items.datasets[place] for place in np.unique(np.nonzero(apart)[0]).tolist()]
    notes = [f"The scores of items are there too: {told}."]
    if where:
        notes.append(f"The means of the items there are not the scores given for {listed(where)}.")
    return notes


def _settings(columns: Columns, keys: Sequence[str], used: Sequence[str]) -> list[str]:
    """Return the columns by which rows are of equally many runs each, which nobody numbered.

    None if there are no such columns; a result that takes few values makes numbers unequal.
    """
    found, count_of = list[str](), columns.n_distinct
    taken = (*used, *columns.nested)
    for name in columns.names:
        if name in taken or plays_a_role(name) or has_role(name, "timestamp"):
            continue
        if find_measures(name):
            continue
        is_label = count_of([name]) <= MAX_VALUES and not columns.numbers(name).has_decimals
        if is_label and count_of([*keys, *found, name]) > count_of([*keys, *found]):
            found.append(name)
    sizes = np.bincount(columns.places([*keys, *found]))
    return found if sizes.min() == sizes.max() else []


_MOST = 0.6  # of all that algorithms and values of a column may have in common


def _as_part(columns: Columns, roles: Mapping[str, str], name: str) -> Option:
    """Return a column as part of the data sets' names, if most algorithms met most of its values.

    Else, and where its heading says what describes algorithms, it is part of their names.
    """
    count_of, algorithm = columns.n_distinct, roles.get("algorithm", "")
    together = count_of([algorithm, name]) / (count_of([algorithm]) * count_of([name]))
    describes = has_role(name, "algorithm_description", at_least=0.5)
    role = "dataset" if together >= _MOST and not describes else "algorithm"
    return Option(role, f"{roles[role]}+{name}" if role in roles else name)
