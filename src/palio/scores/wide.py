"""Wide tables: names in one column, and a column of scores for each algorithm or each data set.

Data sets stand in rows and algorithms in columns, or, in a leaderboard, the other way round.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import ColumnError
from palio.measures import (
    Measure,
    is_general_score,
    is_known_cost,
    is_known_score,
    measure_named,
)
from palio.scores.aggregates import aggregates, is_called_aggregate
from palio.scores.columns import Coded, Numbers
from palio.scores.rows import Rows
from palio.scores.values import STATUSES, statuses_of
from palio.systems import system
from palio.words import listed, quoted

if TYPE_CHECKING:
    from palio.scores.columns import Columns
    from palio.scores.spec import ReadSpec
    from palio.types import FloatArray, IntArray

UNNAMED = "A column without a name is not used."


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The numbers of a wide table, its names on both sides, and the place of each row in it."""

    rows: Coded
    columns: tuple[str, ...]
    matrix: FloatArray
    folds: tuple[Coded, Coded]
    places: IntArray
    status: IntArray | None = None

    @classmethod
    def of(cls, rows: Coded, found: Sequence[Numbers], folds: tuple[Coded, Coded]) -> Grid:
        """Make a grid of columns of numbers; ``status`` says why cells are missing, if words do."""
        shape = len(found), rows.codes.size
        matrix = np.array([each.checked() for each in found]).reshape(shape).T
        reasons = [each.written.status for each in found]
        status = None
        if any(each is not None for each in reasons):
            none = np.zeros(shape[1], dtype=np.intp)
            told = np.array([none if each is None else each for each in reasons]).T
            status = statuses_of(told, np.isnan(matrix))
        names, places = tuple(each.name for each in found), np.arange(shape[1])
        return cls(rows, names, matrix, folds, places, status)

    def keep(self, rows: Sequence[int], columns: Sequence[int]) -> Grid:
        """Return some of the rows and columns."""
        kept = np.asarray(rows, dtype=np.intp)
        codes = self.rows.codes[kept]
        used = np.unique(codes)
        names = tuple(self.rows.names[code] for code in used.tolist())
        repeat, fold = (each.take(kept) for each in self.folds)
        chosen = np.ix_(kept, np.asarray(columns, dtype=np.intp))
        return Grid(
            Coded(np.searchsorted(used, codes), names),
            tuple(self.columns[place] for place in columns),
            self.matrix[chosen],
            (repeat, fold),
            self.places[kept],
            None if self.status is None else self.status[chosen],
        )

    def long(self, measure: Measure, *, transposed: bool) -> tuple[Rows, IntArray]:
        """Return one row per number, and the place of the row that it stands in."""
        height, width = self.matrix.shape
        row = np.repeat(np.arange(height), width)
        side = self.rows.take(row)
        top = Coded(np.tile(np.arange(width), height), self.columns)
        dataset, algorithm = (top, side) if transposed else (side, top)
        repeat, fold = (each.take(row) for each in self.folds)
        values: dict[str, Any] = {"scores": {measure.name: self.matrix.reshape(-1)}}
        if self.status is not None:
            values |= {"statuses": STATUSES, "status": self.status.reshape(-1)}
        return Rows.of(dataset, algorithm, repeat, fold, **values), self.places[row]


def without_aggregates(grid: Grid, *, transposed: bool) -> tuple[Grid, tuple[str, ...]]:
    """Leave out rows and columns that are means, sums or ranks of the others; and say so."""
    across = aggregates(grid.columns, grid.matrix)
    columns = [place for place, name in enumerate(grid.columns) if name not in across]
    once = len(grid.rows.names) == len(grid.matrix)
    names = [grid.rows.name(row) for row in range(len(grid.matrix))]
    down = aggregates(names, grid.matrix[:, columns].T) if once else {}
    rows = [row for row, name in enumerate(names) if name not in down]
    told = [f"{name}, the {kind} of the others" for name, kind in {**across, **down}.items()]
    notes = [f"Left out, because it is computed: {'; '.join(told)}."] if told else []
    no_datasets: list[str] = []
    doubtful = [place for place in columns if is_called_aggregate(grid.columns[place])]
    if transposed and len(doubtful) < len(columns):
        no_datasets = [grid.columns[place] for place in doubtful]
        columns = [place for place in columns if place not in doubtful]
    elif not transposed:
        # An algorithm may be called Mean; a data set that is, and comes last, is none.
        while once and len(rows) > 1 and is_called_aggregate(names[rows[-1]]):
            no_datasets.insert(0, names[rows.pop()])
        kept = [*(grid.columns[place] for place in doubtful), *(names[row] for row in rows)]
        called = [name for name in kept if is_called_aggregate(name)]
        notes += [f"Kept, as computing does not give it: {listed(called)}."] if called else []
    if no_datasets:
        notes.append(f"Left out by their names, as no data sets: {listed(no_datasets)}.")
    return grid.keep(rows, columns), tuple(notes)


# --- what they measure ---------------------------------------------------------------------


def by_their_names(
    given: ReadSpec, found: list[Numbers], *, transposed: bool
) -> tuple[ReadSpec, list[Numbers], tuple[str, ...]]:
    """Return the measure that the names of columns begin or end with, and the columns of it.

    AMI WER, LS Clean WER: where most of a leaderboard's columns have such a word, those without
    are no results. Where they have different ones, a table holds several measures.
    """
    words = measure_words([each.name for each in found])
    times = Counter(word.lower() for word in words if word)
    sizes = Counter({word: size for word, size in times.items() if size > 1})
    alike = transposed or len(sizes) > 1
    most = 2 * sizes.total() > len(words) if alike else sizes.total() == len(words)
    asked = given.score.lower() if given.score is not None else next(iter(sizes), "")
    if not (sizes and most) or asked not in sizes:
        return given, found, ()
    kept = [each for each, word in zip(found, words, strict=True) if word.lower() == asked]
    left = [each.name for each in found if each not in kept]
    kept = [replace(each, name=_without_measure(each.name, asked)) for each in kept]
    measure = given.score or next(word for word in words if word.lower() == asked)
    told = f"The measure is {measure}, by the names of the columns"
    others = [system().typed(["--score", word]) for word in sizes if word != asked]
    told += f"; others: {listed(others)}" if others else ""
    notes = (f"{told}; left out, without it: {listed(left, limit=20)}." if left else f"{told}.",)
    return replace(given, score=measure), kept, notes


def _without_measure(name: str, measure: str) -> str:
    """Return what two rows of headings name beside the measure.

    >>> _without_measure("knn / Accuracy (%)", "accuracy"), _without_measure("AMI WER", "wer")
    ('knn', 'AMI WER')
    """
    rest = [part for part in name.split(" / ") if measure not in part.lower()]
    return " / ".join(rest) or name


def measure_words(names: Sequence[str]) -> list[str]:
    """Return the measure in each name, where there is one.

    Beside knn_time and svm_time, knn_nodes and svm_nodes are of a measure too.

    >>> measure_words(["knn_time", "svm_time", "knn_nodes", "svm_nodes", "size"])
    ['time', 'time', 'nodes', 'nodes', '']
    """
    words = [_measure_word(name) for name in names]
    bases = {_before(name, word) for name, word in zip(names, words, strict=True) if word}
    parts = [re.split(r"[\s_:/-]+", name) for name in names]
    return [
        word or (part[-1] if len(part) > 1 and "".join(part[:-1]) in bases else "")
        for word, part in zip(words, parts, strict=True)
    ]


def _before(name: str, word: str) -> str:
    """Return what stands before a measure in a name, without separators."""
    return re.sub(r"[\s_:/-]+", "", name).removesuffix(word.replace(" ", ""))


def _measure_word(name: str) -> str:
    """Return the well-known measure or cost that a name of several words ends or begins with.

    >>> _measure_word("LS Clean WER"), _measure_word("win_rate_scene"), _measure_word("accuracy")
    ('WER', 'win rate', '')
    """
    words = [word for word in re.split(r"[\s_:/-]+", name) if word]
    sizes = range(len(words) - 1, 0, -1)
    parts = [" ".join(part) for size in sizes for part in (words[-size:], words[:size])]
    known = (part for part in parts if is_known_score(part) and not is_general_score(part))
    return next(known, words[-1] if len(words) > 1 and is_known_cost(words[-1]) else "")


def measure_of(columns: Columns, given: ReadSpec, higher_is_better: bool | None) -> Measure:
    """Return the measure of a table with a column for each algorithm or data set."""
    if given.cost_columns and given.layout != "algorithms-in-rows":
        raise ColumnError(
            "costs",
            f"{columns.origin.name} has one column per algorithm or run, so it cannot hold the "
            f"costs {quoted(given.cost_columns)}",
            remedy="Give them in a second table: dataset, algorithm, one column per cost",
        )
    return measure_named(given.score or "score", higher_is_better=higher_is_better)
