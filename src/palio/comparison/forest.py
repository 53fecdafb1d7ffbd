"""The difference of two algorithms on each data set and over all, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from palio.comparison.over_items import ItemComparison
from palio.comparison.sample import CONFIDENCE
from palio.errors import DesignError, MissingCellsError, Option, ParameterError
from palio.stats.folds import corrected_interval
from palio.stats.items import By, Items, on_each
from palio.stats.ranks import TIE_TOLERANCE

if TYPE_CHECKING:
    from palio.comparison.pairs import ComparedPair
    from palio.comparison.results import Comparison
    from palio.comparison.sample import Scores
    from palio.scores import ItemScores, ScoreTable

Interval = tuple[float, float]
Within = Literal["items", "folds"]

_UNKNOWN: Interval = (math.nan, math.nan)


class ForestRow(NamedTuple):
    """A difference, positive where the first has the higher score; NaN is what is not known."""

    dataset: str
    difference: float
    interval: Interval

    @property
    def turned(self) -> ForestRow:
        """The same, seen from the other algorithm."""
        low, high = self.interval
        return ForestRow(self.dataset, -self.difference, (-high, -low))

    @property
    def side(self) -> int:
        """1 or -1 where the interval is above or below zero, else 0."""
        low, high = self.interval
        return 1 if low > 0 else -1 if high < 0 else 0


@dataclass(frozen=True)
class Forest:
    """By how much ``a`` is above ``b`` on each data set that both have, and over all.

    ``within`` says what the intervals of single data sets are over: items, by their (clusters')
    variance, or folds, by Nadeau and Bengio's corrected t; None where there are none. ``overall``
    is what the test of the pair estimates, where data sets or items count the same (``by``).
    Intervals of single data sets are of this ``confidence``, each by itself; that of ``overall`` is
    the pair's.
    """

    a: str
    b: str
    rows: tuple[ForestRow, ...]
    overall: ForestRow
    within: Within | None
    confidence: float
    pair: ComparedPair
    by: By = "datasets"

    @property
    def sign(self) -> int:
        """1 where ``a`` is significantly better, -1 where ``b`` is, else 0."""
        winner = self.pair.winner
        return 0 if winner is None else 1 if winner == self.a else -1


def forest_of(comparison: Comparison, a: str, b: str) -> Forest:
    """Return the differences of a pair, in whichever order it was compared."""
    if comparison.over == "folds":
        raise DesignError(
            "forest",
            "differences on each data set are of several",
            f"this is about the folds of '{comparison.dataset}'",
            f"leave out {Option('dataset')}",
        )
    if isinstance(comparison, ItemComparison):
        return _over_items(comparison, a, b)
    if comparison.measure.is_ordinal:
        raise ParameterError(
            "forest", "differences have no unit in common", comparison.measure.why_ordinal
        )
    pair = comparison.pair(a, b)
    rows, within = _over_datasets(comparison.compared, a, b)
    return Forest(a, b, rows, _overall(pair, a), within, CONFIDENCE, pair)


def _over_items(comparison: ItemComparison, a: str, b: str) -> Forest:
    pair, drawn, names = comparison.pair(a, b), comparison.drawn, comparison.algorithms
    columns, confidence = (names.index(a), names.index(b)), 1 - comparison.alpha
    alone = bool(drawn.alone[pair.place])
    found = _on_items(drawn.items, comparison.datasets, columns, confidence, unpaired=alone)
    rows = tuple(row for row in found if not math.isnan(row.difference))
    return Forest(a, b, rows, _overall(pair, a), "items", confidence, pair, drawn.by)


def _overall(pair: ComparedPair, a: str) -> ForestRow:
    row = ForestRow("", pair.estimate, pair.interval)
    return row if pair.a == a else row.turned


def _on_items(
    items: Items,
    datasets: Sequence[str],
    columns: tuple[int, int],
    confidence: float,
    *,
    unpaired: bool = False,
) -> Iterator[ForestRow]:
    """Give the mean difference of two columns on each data set, and its interval."""
    two = Items(items.values[:, columns], items.dataset_of, items.cluster_of)
    found = on_each(two, np.array([0]), np.array([1]), unpaired=unpaired)
    for code, each in zip(np.unique(items.dataset_of).tolist(), found, strict=True):
        low, high = np.stack(each.interval(confidence))[:, 0].tolist()
        yield ForestRow(datasets[code], float(each.estimate[0]), (low, high))


def _over_datasets(scores: Scores, a: str, b: str) -> tuple[tuple[ForestRow, ...], Within | None]:
    i, j = scores.algorithms.index(a), scores.algorithms.index(b)
    goodness = scores.measure.goodness_sign * scores.scaled.for_means
    differences = dict(
        zip(scores.datasets, (goodness[:, i] - goodness[:, j]).tolist(), strict=True)
    )
    known: dict[str, Interval] = {}
    within: Within | None = None
    if scores.table is not None:
        within = "items" if scores.table.items is not None else "folds"
        spread = _item_intervals if within == "items" else _fold_intervals
        known = spread(scores.table, a, b, differences)
    if scores.imputed is not None:
        for row in np.flatnonzero(scores.imputed[:, [i, j]].any(axis=1)).tolist():
            known.pop(scores.datasets[row], None)
    rows = tuple(
        ForestRow(name, difference, known.get(name, _UNKNOWN))
        for name, difference in differences.items()
        if not math.isnan(difference)
    )
    return rows, within if any(not math.isnan(row.interval[0]) for row in rows) else None


def _item_intervals(
    table: ScoreTable, a: str, b: str, differences: Mapping[str, float]
) -> dict[str, Interval]:
    """Return intervals over items, where their mean difference is the one that was compared.

    A tool may report another mean than that of the items that it kept.
    """
    items: ItemScores | None = table.items
    if items is None or a not in items.algorithms or b not in items.algorithms:
        return {}
    of = Items(items.values, items.dataset_of, items.cluster_of)
    columns = items.algorithms.index(a), items.algorithms.index(b)
    near = np.sqrt(TIE_TOLERANCE) * np.nanmax(np.abs(table.means()))
    return {
        row.dataset: row.interval
        for row in _on_items(of, items.datasets, columns, CONFIDENCE)
        if abs(row.difference - differences.get(row.dataset, math.nan)) <= near
    }


def _fold_intervals(
    table: ScoreTable, a: str, b: str, _differences: Mapping[str, float]
) -> dict[str, Interval]:
    """Return intervals over folds, where the two share them and their design tells ρ."""
    if table.measure.scale == "ratio":  # these are of differences
        return {}
    two = table.select(algorithms=[a, b])
    known = {}
    for name in two.datasets:
        design = two.design(name)
        if design.kind in {"irregular", "mixed", "none"} or design.folds < 2:
            continue
        try:
            scores = two.fold_scores(name)
        except MissingCellsError:
            continue
        i, j = two.algorithms.index(a), two.algorithms.index(b)
        low, high = corrected_interval(
            scores[i], scores[j], test_fraction=1 / design.folds, confidence=CONFIDENCE
        )
        known[name] = (float(low), float(high))
    return known
