"""What we prefer before looking at the scores: costs, weights, or an order given by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from palio.errors import ParameterError
from palio.ordering.graph import BY_COST, BY_HAND, BY_RANK, Wording
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.stats.outcome import column_means
from palio.stats.ranks import average_ranks
from palio.types import FloatArray, IntArray

Cost = str | Sequence[str] | Mapping[str, float]
"""One cost, several of equal weight, or a weight for each."""


@dataclass(frozen=True)
class Prior:
    """The preference: ``values[s, j]`` is what algorithm j costs on data set s, lower preferred.

    ``weights`` is ``None`` when no cost was named; the values are then places, given by hand or
    by mean rank, as the ``wording`` says.
    """

    values: FloatArray
    weights: Mapping[str, float] | None
    notes: tuple[str, ...]
    wording: Wording = BY_COST

    def tied_notes(self, datasets: Sequence[str]) -> tuple[str, ...]:
        """Say on which data sets algorithms cost the same."""
        ranks = np.sort(average_ranks(self.values), axis=-1)
        tied = np.flatnonzero((ranks != np.arange(1, ranks.shape[-1] + 1)).any(axis=-1))
        if tied.size == 0:
            return ()
        return (
            f"equal costs on {some(datasets, tied)}: the better mean score first, then the name",
        )

    @property
    def overall(self) -> FloatArray:
        """The cost of each algorithm over the data sets where it has one: (K,)."""
        return column_means(self.values)

    def shown(self, table: ScoreTable) -> FloatArray:
        """Return what to show a person: a single cost in its own unit, anything else as it is."""
        if self.weights is not None and len(self.weights) == 1:
            return table.cost_matrix(next(iter(self.weights)))
        return self.values

    def counted(self, table: ScoreTable) -> FloatArray:
        """Return what each algorithm costs as an order counts it: (K,)."""
        counted = self.shown(table)[0] if table.n_datasets == 1 else self.overall
        return np.asarray(counted)


def prior_from(table: ScoreTable, *, cost: Cost | None, prior: Sequence[str] | None) -> Prior:
    """Read the preference from ``cost=`` or ``prior=``, exactly one of which must be given."""
    if prior is not None and cost is None:
        return _given_order(table, prior)
    if cost is not None and prior is None:
        return _weighted_costs(table, cost_weights(cost))
    known = ", ".join(table.cost_names) or "none"
    raise ParameterError(
        "cost",
        f"to choose between equals a preference is needed: name a cost (the table has: {known}) "
        "or give an explicit prior order, one of the two",
    )


def _given_order(table: ScoreTable, prior: Sequence[str]) -> Prior:
    for name in prior:
        if name not in table.algorithms:
            raise unknown_name("prior", name, table.algorithms)
    if sorted(prior) != sorted(table.algorithms):
        absent = [name for name in table.algorithms if name not in prior]
        what = f"lacks {', '.join(absent)}" if absent else "names an algorithm twice"
        raise ParameterError(
            "prior", "every algorithm is named once, cheapest first", remedy=f"it {what}"
        )
    places = np.array([list(prior).index(name) + 1 for name in table.algorithms], dtype=np.float64)
    values = np.broadcast_to(places, (table.n_datasets, table.n_algorithms))
    return Prior(values, None, ("prior order given, not measured",), BY_HAND)


def preference_of(
    table: ScoreTable,
    mean_ranks: Mapping[str, float],
    *,
    cost: Cost | None,
    prior: Sequence[str] | None,
    by: str = "mean rank",
) -> Prior:
    """Read the preference from ``cost=`` or ``prior=``; without either it is the mean rank.

    ``by`` says what these are the ranks of. Where a prior order leaves algorithms out, they follow
    those it names, by mean rank. This is for orders whose tests are two-sided: there the preference
    only chooses among equals.
    """
    if cost is not None:
        return prior_from(table, cost=cost, prior=prior)
    by_rank = sorted(table.algorithms, key=lambda name: (mean_ranks[name], name))
    if prior is None:
        ranks = np.array([mean_ranks[name] for name in table.algorithms])
        values = np.broadcast_to(ranks, (table.n_datasets, table.n_algorithms))
        wording = BY_RANK._replace(first=f"the best {by} left")
        return Prior(values, None, (f"no cost named: among equals the better {by} first",), wording)
    rest = [name for name in by_rank if name not in prior]
    found = _given_order(table, [*prior, *rest])
    if not rest:
        return found
    after = f"the prior order names {len(prior)} of {table.n_algorithms}; the rest by {by}"
    return replace(found, notes=(*found.notes, after))


def cost_weights(cost: Cost) -> dict[str, float]:
    """Return the weight of each cost, or say what is wrong with them."""
    if isinstance(cost, str):
        return {cost: 1.0}
    weights = dict(cost) if isinstance(cost, Mapping) else dict.fromkeys(cost, 1.0)
    if not weights:
        raise ParameterError("cost", "at least one cost is needed", "none was given")
    for name, weight in weights.items():
        if not (math.isfinite(weight) and weight > 0):
            raise ParameterError(
                "cost",
                "weights are positive numbers",
                f"{name!r} has {weight!r}",
                "leave a cost out to give it no weight",
            )
    return weights


def _weighted_costs(table: ScoreTable, weights: Mapping[str, float]) -> Prior:
    """Divide each cost by the data set's largest, then add them up by weight (ulas2008 §3.2)."""
    values = np.zeros((table.n_datasets, table.n_algorithms))
    for name, weight in weights.items():
        costs = table.cost_matrix(name)
        largest = np.fmax.reduce(costs, axis=1, keepdims=True)
        values += weight * np.divide(
            costs, largest, out=np.where(np.isnan(costs), np.nan, 0.0), where=largest > 0
        )
    named = " + ".join(
        name if len(weights) == 1 else f"{weight:g} × {name}" for name, weight in weights.items()
    )
    return Prior(values, weights, (f"cost: {named}, divided by each data set's largest",))


def prior_order(
    values: FloatArray, goodness: FloatArray, names: Sequence[str] | None = None
) -> IntArray:
    """Order algorithms by cost along the last axis; equal costs: better score first, then name.

    Without names the algorithms' numbers stand for them.

    >>> prior_order(np.array([2.0, 1.0, 1.0]), np.array([0.9, 0.7, 0.8]), ["a", "b", "c"])
    array([2, 1, 0])
    """
    k = values.shape[-1]
    alphabetical = np.arange(k) if names is None else np.argsort(np.argsort(np.asarray(names)))
    keys = np.stack(
        [
            np.broadcast_to(alphabetical, values.shape).astype(np.float64),
            average_ranks(-goodness),
            # Ranks rather than costs, so that costs equal but for rounding are equal.
            average_ranks(values),
        ]
    )
    return np.lexsort(keys, axis=-1)


def some(names: Sequence[str], rows: IntArray) -> str:
    """Name the first few data sets, and say how many more there are."""
    shown = ", ".join(names[row] for row in rows[:5].tolist())
    return shown + (f" and {rows.size - 5} more" if rows.size > 5 else "")


def cheapest_first(table: ScoreTable, preference: Prior) -> list[str]:
    """Return the algorithms by their mean cost over the data sets, cheapest first."""
    ordered = prior_order(preference.overall, table.overall(), table.algorithms)
    return [table.algorithms[i] for i in ordered.tolist()]
