"""What we prefer before looking at the scores: costs, weights, or an order given by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from palio.claims import SAME_COST
from palio.errors import ParameterError
from palio.numbers import weighed
from palio.ordering.graph import BY_COST, BY_HAND, BY_MODEL, BY_RANK, Wording
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.stats import additive
from palio.stats.outcome import column_means
from palio.stats.ranks import average_ranks, ranks_of_present
from palio.types import FloatArray, IntArray
from palio.words import joined

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


class Preference(NamedTuple):
    """What is preferred among those that the tests leave equal: the algorithms, preferred first.

    ``costs`` is what each typically costs, where costs were weighed or an order was given.
    """

    order: list[str]
    costs: dict[str, float]
    weights: Mapping[str, float] | None
    notes: tuple[str, ...]
    wording: Wording


def preference_of(
    table: ScoreTable,
    standing: Mapping[str, float],
    *,
    cost: Cost | None,
    prior: Sequence[str] | None,
    by: str = "mean rank",
) -> Preference:
    """Read the preference from ``cost=`` or ``prior=``; without either it is the standing.

    ``standing`` is lower for the better, and ``by`` says what it is. Where a prior order leaves
    algorithms out, they follow those it names, by standing. This is for orders whose tests are
    two-sided: there the preference only chooses among equals.
    """
    if cost is not None and prior is not None:
        prior_from(table, cost=cost, prior=prior)  # which refuses both
    by_standing = sorted(table.algorithms, key=lambda name: (standing[name], name))
    if cost is not None:
        return _by_cost(table, cost_weights(cost))
    if prior is None:
        wording = BY_RANK._replace(first=f"the best {by} left")
        note = f"no cost named: among equals the better {by} first"
        return Preference(by_standing, {}, None, (note,), wording)
    rest = [name for name in by_standing if name not in prior]
    found = _given_order(table, [*prior, *rest])
    after = f"the prior order names {len(prior)} of {table.n_algorithms}; the rest by {by}"
    places = {name: float(place) for place, name in enumerate([*prior, *rest], start=1)}
    notes = (*found.notes, *((after,) if rest else ()))
    return Preference([*prior, *rest], places, None, notes, BY_HAND)


# With a larger share of zeros a cost has no ratios to speak of, and goes by its ranks.
_MAX_ZEROS = 0.05


def _goes_by_ranks(costs: FloatArray) -> bool:
    return bool((costs[~np.isnan(costs)] == 0).mean() > _MAX_ZEROS)


def weighted_log_costs(table: ScoreTable, weights: Mapping[str, float]) -> FloatArray:
    """Return the logarithms of the costs by data set and algorithm, added up by weight: (S, K)."""
    matrices = {name: table.cost_matrix(name) for name in weights}
    logs = [weight * additive.log_costs(matrices[name]) for name, weight in weights.items()]
    return np.asarray(np.sum(logs, axis=0))


def log_cost_effects(table: ScoreTable, weights: Mapping[str, float]) -> dict[str, float]:
    """Return what each algorithm costs by the additive model of log cost, lower the cheaper.

    On complete tables whether A is cheaper than B does not depend on any other. A cost of which
    more than one value in twenty is 0 goes by its ranks.

    >>> import palio
    >>> found = log_cost_effects(palio.load_study("ulas2008"), {"train_time": 1.0})
    >>> sorted(found, key=found.get)[:3]
    ['5nn', 'c45', 'lnp']
    """
    total = np.zeros(table.n_algorithms)
    for name, weight in weights.items():
        costs = table.cost_matrix(name)
        if _goes_by_ranks(costs):
            total += weight * additive.adjusted_mean_ranks(*ranks_of_present(costs))
        else:
            total += weight * additive.adjusted_means(additive.log_costs(costs))
    return dict(zip(table.algorithms, total.tolist(), strict=True))


def typical_costs_by(table: ScoreTable, weights: Mapping[str, float]) -> dict[str, float]:
    """Return what each algorithm typically costs: one cost in its own unit, several multiplied."""
    means = table.mean_costs()
    for name in weights:
        table.cost_matrix(name)  # which says what there is instead
    if len(weights) == 1:
        return means[next(iter(weights))]
    return {
        algorithm: math.prod(means[name][algorithm] ** weight for name, weight in weights.items())
        for algorithm in table.algorithms
    }


def _by_cost(table: ScoreTable, weights: Mapping[str, float]) -> Preference:
    """Prefer the cheaper; of those within a hundredth the better mean score, then the name."""
    effects = log_cost_effects(table, weights)
    goodness = dict(zip(table.algorithms, table.overall().tolist(), strict=True))
    order = sorted(table.algorithms, key=lambda name: (effects[name], -goodness[name], name))
    tied, swapped = False, True
    # Only neighbours of the same cost change places, so that nobody passes one that is cheaper.
    while swapped:
        swapped = False
        for i in range(len(order) - 1):
            a, b = order[i], order[i + 1]
            same = abs(effects[a] - effects[b]) <= math.log1p(SAME_COST) * sum(weights.values())
            tied = tied or same
            if same and goodness[b] > goodness[a]:
                order[i], order[i + 1] = b, a
                swapped = True
    costs = typical_costs_by(table, weights)
    by_ranks = [name for name in weights if _goes_by_ranks(table.cost_matrix(name))]
    model = f"by ranks of {joined(by_ranks)}" if by_ranks else "by the additive model of log cost"
    notes = [f"cost: {weighed(weights)}, {model}"]
    wording = BY_MODEL if _contradicts_a_pair(table, weights, order) else BY_COST
    if wording is BY_MODEL:
        notes.append("overall: some pairs have it the other way round where both were measured")
    if tied:
        notes.append("some cost the same, within a hundredth: of these the better mean score first")
    return Preference(order, costs, dict(weights), tuple(notes), wording)


def _contradicts_a_pair(
    table: ScoreTable, weights: Mapping[str, float], order: Sequence[str]
) -> bool:
    """Say whether one costs more than one after it where both were measured."""
    place = np.array([order.index(name) for name in table.algorithms])
    paired = additive.paired_mean_differences(weighted_log_costs(table, weights))
    apart = math.log1p(SAME_COST) * sum(weights.values())
    return bool(((place[:, np.newaxis] < place) & (paired > apart)).any())


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
    note = f"cost: {weighed(weights)}, divided by each data set's largest"
    return Prior(values, weights, (note,))


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
