"""The items behind a table: scores that a source keeps beside the means it reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palio.scores.item_cells import from_results
from palio.words import count, joined, listed

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.scores.arranged import Arranged
    from palio.scores.columns import Columns
    from palio.scores.items import ItemScores
    from palio.scores.rows import Rows

_ROUNDED = 1e-3  # so far apart, relative or absolute, means may be by rounding


def items_behind(columns: Columns, arranged: Arranged) -> tuple[ItemScores | None, tuple[str, ...]]:
    """Return the scores of the items that a table's are means of, and how far they are there.

    They are its own, or those in columns beside it: under the same measure, of data sets and
    algorithms that the table has.
    """
    rows, measure = arranged.rows, arranged.measure
    if arranged.items is not None or measure.name not in columns.values:
        return arranged.items, ()
    scores = columns.numbers(measure.name).values
    there = ~np.isnan(scores)
    for role, names in (("dataset", rows.datasets), ("algorithm", rows.algorithms)):
        coded = columns.coded(role)
        there &= np.isin(coded.codes, np.flatnonzero([name in names for name in coded.names]))
    if not there.any():
        return None, ()
    columns = columns.take(there)
    dataset, algorithm = columns.coded("dataset"), columns.coded("algorithm")
    items = from_results(dataset, columns.labels("item"), algorithm, scores[there], measure)
    if arranged.measures:
        items = items.turned_to(measure, arranged.measures)
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
