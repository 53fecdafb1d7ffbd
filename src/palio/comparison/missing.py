"""What is missing in a comparison, and which of its verdicts depend on it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from palio.comparison.sample import pair_matrix, shared, which_unbeaten
from palio.scores.summary import Change, MissingSummary, missing_in
from palio.stats.additive import adjusted_mean_ranks
from palio.stats.ranks import ranks_of_present

if TYPE_CHECKING:
    from palio.comparison.procedure import Procedure
    from palio.comparison.results import Comparison
    from palio.scores import ScoreTable
    from palio.types import BoolArray, FloatArray


def missing_of(
    table: ScoreTable, comparison: Comparison, procedure: Procedure
) -> MissingSummary | None:
    """Say what is missing of a table, and which verdicts depend on it; nothing if nothing is."""
    found = missing_in(table)
    if found is None:
        return None
    empty = np.isnan(table.means())
    on = shared(table.means(), *np.triu_indices(table.n_algorithms, 1))
    if empty.any():
        met = on[on > 0]
        found = replace(
            found,
            shared=(int(met.min(initial=on.max())), int(on.max())),
            not_comparable=_not_comparable(comparison, procedure),
        )
    failed = table.failed() & empty
    if failed.any():
        found = _if_failures_were_worst(found, table, comparison, procedure, failed)
    return replace(
        found,
        apart=int((on == 0).sum()),
        complete=comparison.n_complete if procedure.pooled else None,
    )


def _if_failures_were_worst(
    missing: MissingSummary,
    table: ScoreTable,
    comparison: Comparison,
    procedure: Procedure,
    failed: BoolArray,
) -> MissingSummary:
    """Add of which pairs another thing would be said, who would be unbeaten, and who would lead."""
    tested, names = comparison.tested, comparison.algorithms
    first, second = tested.first, tested.second
    with_worst = failures_as_worst(table.goodness(), failed)
    found = procedure.of_pairs(with_worst, first, second)
    then = procedure.judged(found, len(names), comparison.met)

    def better(pair: int, side: float) -> str | None:
        return None if side == 0 else names[(first if side > 0 else second)[pair]]

    changes = tuple(
        Change(
            names[first[pair]],
            names[second[pair]],
            better(pair, tested.sides[pair]),
            better(pair, then[pair]),
        )
        for pair in np.flatnonzero(then != tested.sides).tolist()
    )
    if comparison.unbeaten is None:
        return replace(missing, changes=changes)
    ranks = adjusted_mean_ranks(*ranks_of_present(-with_worst))
    unbeaten = tuple(names[i] for i in which_unbeaten(then, first, second, ranks))
    return replace(
        missing,
        changes=changes,
        unbeaten=unbeaten if changes else None,
        leader_then=next(iter(unbeaten), None),
    )


def failures_as_worst(goodness: FloatArray, failed: BoolArray) -> FloatArray:
    """Give what failed the worst score that anybody has on the data set.

    >>> values = np.array([[0.9, np.nan, np.nan], [0.8, 0.7, 0.6]])
    >>> failures_as_worst(values, np.array([[False, True, False], [False] * 3])).tolist()
    [[0.9, 0.9, nan], [0.8, 0.7, 0.6]]
    """
    worst = np.fmin.reduce(goodness, axis=1, keepdims=True)
    return np.where(failed, worst, goodness)


def _not_comparable(comparison: Comparison, procedure: Procedure) -> dict[str, int]:
    """Return who shares too few data sets with the best, or the control, to be told from it.

    Half of all data sets are never too few: among many algorithms nearly any number would be, and
    then one of the weakest could lead, only because it was seen nearly everywhere.
    """
    if procedure.pooled:
        return {}
    tested, names = comparison.tested, comparison.algorithms
    first, second = tested.first, tested.second
    on = shared(comparison.compared.values, first, second)
    enough = procedure.enough(tested.p_value, len(names), comparison.met, most=int(on.max()))
    # Where no result could tell any two apart, those that never met still cannot be compared.
    enough = 1 if enough is None else min(enough, math.ceil(comparison.n_datasets / 2))
    n_shared = pair_matrix(on, first, second, len(names))
    level = comparison.unbeaten
    if level is None:
        best: str | None = str(comparison.control)
        level = comparison.standings[str(best)].level_with
    else:
        most = dict(zip(names, n_shared.max(axis=1).tolist(), strict=True))
        best = next((name for name in level if most[name] >= enough), None)
    if best is None:
        return {}
    with_best = dict(zip(names, n_shared[names.index(best)].tolist(), strict=True))
    return {name: with_best[name] for name in level if name != best and with_best[name] < enough}
