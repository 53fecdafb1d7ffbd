"""What a table turned out to hold, before it is checked: rows, and what stands beside each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.measures import Measure, is_known_score
from palio.scores.columns import Coded, dense
from palio.scores.differing import alike, resolved
from palio.scores.duplicates import (
    columns_apart,
    contradiction,
    merged,
    settle_duplicates,
    with_seeds,
)
from palio.scores.item_cells import NOTHING, Beside, item_scores
from palio.scores.missing import failed_rows
from palio.scores.roles import plays_a_role
from palio.scores.rows import Rows
from palio.scores.summary import UNREAD, HowRead
from palio.scores.vocabulary import has_role
from palio.words import count, joined, listed, quoted

if TYPE_CHECKING:
    from palio.errors import CellError
    from palio.scores.choosing import Choice
    from palio.scores.columns import Columns, Origin
    from palio.scores.differing import Metrics
    from palio.scores.items import ItemScores
    from palio.types import BoolArray, IntArray

_AGAIN = "Items were asked more than once"


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """Rows not yet validated, the measure asked about, and where each row came from.

    ``over`` are the seeds and items that scores are to be averaged over, ``beside`` what is said of
    the items, and ``items`` their scores, once averaged. ``columns`` are those of a long table,
    whose rows are at ``places``, by default all as they stand. ``doubts`` are errors unless the
    caller lets the values through, and ``intervals`` those that a leaderboard publishes.
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
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def at(self, places: IntArray | BoolArray, rows: Rows) -> Arranged:
        """Return what stands beside some of the rows, with rows in their place."""
        own = np.arange(len(self.origin.numbers)) if self.places is None else self.places
        return replace(
            self,
            rows=rows,
            origin=self.origin.take(places),
            over={role: Coded(each.codes[places], each.names) for role, each in self.over.items()},
            beside=self.beside.take(places),
            places=own[places],
        )

    def only(self, datasets: Sequence[int], algorithms: Sequence[int]) -> Arranged:
        """Return the rows of some data sets and algorithms."""
        rows, there = self.rows.only(datasets, algorithms)
        return self.at(there, rows)

    def noted(self, *notes: str, **changes: Any) -> Arranged:
        """Return it with further notes, and other changes."""
        return replace(self, notes=(*self.notes, *notes), **changes)

    def chosen(self, choice: Choice) -> Arranged:
        """Return what is asked about."""
        datasets, algorithms, notes = choice.places(self.rows.datasets, self.rows.algorithms)
        return self.only(datasets, algorithms).noted(*notes) if notes else self

    def settled(self, duplicates: str) -> Arranged:
        """Return one row per result: copies dropped, contradictions settled, means taken."""
        key = self.rows.key
        for each in self.over.values():
            key = key * len(each.names) + each.codes
        rows, there, notes = settle_duplicates(
            self.rows, key, self.measure.name, duplicates, self._repeats
        )
        unasked = [note for note in notes if note.startswith(_AGAIN)]
        how = self.how._replace(recognised=(*self.how.recognised, *unasked))
        found = self if there is None else self.at(there, rows)
        found = found.noted(*notes, rows=rows, how=how)
        if "item" in self.over:
            found = found._of_items_there()
        return found._averaged() if self.over else found

    def _repeats(self, pairs: IntArray) -> str:
        """Say why rows that contradict are repeats of an item, asked at another time; or raise."""
        within = tuple(self.over) or ("repeat", "fold")
        if self.columns is None:
            raise contradiction(self.rows, pairs, self.origin, within=within)
        roles = dict(self.how.roles)
        columns = self.columns if self.places is None else self.columns.take(self.places)
        keys = [name for role, name in roles.items() if role not in ("score", "status")]
        differ = columns_apart(columns, pairs, [*roles.values(), *self.rows.costs])
        if "item" in self.over and differ and all(has_role(name, "timestamp") for name in differ):
            return f"{_AGAIN}, as {quoted(differ)} tells: "
        torn = columns.take(np.unique(pairs))
        raise contradiction(
            self.rows,
            pairs,
            self.origin,
            within=within,
            differ=differ,
            algorithm=roles["algorithm"],
            parts=[
                name
                for name in differ
                if not (plays_a_role(name) or name in columns.nested)
                and not torn.have_twins([*keys, name])
            ],
        )

    def _of_items_there(self) -> Arranged:
        """Leave out rows without a score that did not fail, as in a wide table: no such item.

        An algorithm that has no score at all keeps its rows, and is missing.
        """
        gone = np.isnan(self.rows.scores[self.measure.name]) & ~failed_rows(self.rows)
        if gone.any():
            key = self.rows.key
            gone &= np.isin(key, key[~gone])
        if not gone.any():
            return self
        n, of = int(gone.sum()), count(gone.size, "row")
        told = (
            f"{n} of {of} {'has' if n == 1 else 'have'} no score: items that an algorithm does not "
            "have. The means are over the others."
        )
        return self.at(~gone, self.rows.take(~gone)).noted(told)

    def _averaged(self) -> Arranged:
        """Average over seeds and items, which are neither folds nor data sets."""
        place, weights = dense(self.rows.key), self.beside.weights
        rows, there = merged(self.rows, place, self.measure.name, weights)
        if "seed" in self.over:
            rows = with_seeds(rows, self.rows, place, self.over["seed"], weights)
        told = mean_over(self.over, np.bincount(place), weighted=weights is not None)
        items = None
        if "item" in self.over:
            items = item_scores(self.rows, self.measure, self.over["item"], self.beside)
        return self.at(there, rows).noted(told, over={}, beside=NOTHING, items=items)

    def where_measured(self) -> Arranged:
        """Return the data sets on which the score was measured, and not only something else.

        Where something failed, it was.
        """
        rows, size, score = self.rows, len(self.rows.datasets), self.measure.name
        # A number in a table may be anything; what a tool wrote are its measures.
        by_tool = self.columns is not None and bool(self.columns.known.source)
        others = [name for name in rows.scores if name != score]
        own = ~np.isnan(rows.scores[score]) | failed_rows(rows)
        has = np.bincount(rows.dataset, weights=own, minlength=size) > 0
        if has.all() or not has.any() or not (by_tool or any(map(is_known_score, others))):
            return self
        gone = [rows.datasets[code] for code in np.flatnonzero(~has).tolist()]
        note = (
            f"Left out, because nobody has {score} there: {count(len(gone), 'data set')} of "
            f"{size}, {listed(gone, limit=3)}."
        )
        found = self.only(np.flatnonzero(has).tolist(), range(len(rows.algorithms))).noted(note)
        if self.items is None:
            return found
        names = [name for name in self.items.datasets if name in found.rows.datasets]
        return replace(found, items=self.items.select(names, None))

    def measured(self) -> Arranged:
        """Return the scores with what they measure, where a column says it."""
        if self.metrics is None:
            return self
        rows, measure, measures, notes = resolved(self.rows, self.measure.name, self.metrics)
        items = None if self.items is None else self.items.turned_to(measure, measures)
        return self.noted(*notes, rows=rows, measure=measure, measures=measures, items=items)

    def by_measure(self) -> Iterator[Arranged]:
        """Give the rows of each measure, with its scores as they were.

        Where one direction was given for all, they are what was given, and not by their names.
        """
        if not self.measures or (self.metrics is not None and self.metrics.up is not None):
            yield self
            return
        alike_rows = replace(self, rows=alike(self.rows, self.measure, self.measures))
        datasets = self.rows.datasets
        for each in dict.fromkeys(self.measures.values()):
            there = [code for code, name in enumerate(datasets) if self.measures[name] == each]
            part = alike_rows.only(there, range(len(self.rows.algorithms)))
            own = replace(part.rows, scores={each.name: part.rows.scores[self.measure.name]})
            yield replace(part, rows=own, measure=each)


def mean_over(over: Mapping[str, Coded], sizes: IntArray, *, weighted: bool) -> str:
    """Say over how many seeds and items means are taken."""
    least, most = int(sizes.min()), int(sizes.max())
    many = f"{most}" if least == most else f"{least} to {most}"
    what = joined([f"{len(each.names)} {role}s" for role, each in over.items()])
    if len(over) == 1:
        ((role, each),) = over.items()
        all_of_them = len(each.names)
        what = f"{many} {role}s" + (f" of {all_of_them}" if all_of_them > most else "")
    elif least != most:
        what += f", {many} scores each"
    weights = ", by their weights" if weighted else ""
    return f"Each score is the mean over {what}{weights}."
