"""Which algorithms to try first on a data set never seen, and what fits into a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from palio.errors import Option, ParameterError, require
from palio.measures import Measure
from palio.ordering.arrays import complete_goodness
from palio.ordering.evaluation import RankStability, rank_stability
from palio.ordering.rankings import RANKINGS, rank
from palio.recommending.budget import starter, within_budget
from palio.recommending.costing import FoldCosts, check_folds, checked_budget, fold_costs
from palio.recommending.evaluated import Count
from palio.recommending.evaluation import (
    NEEDS_ALL,
    described_data,
    evaluate_recommendation,
    ranking_options,
)
from palio.recommending.experience import Known, as_known, nothing_given
from palio.recommending.relevance import (
    Described,
    as_matrix,
    by_distance,
    check_tasks,
    distances,
)
from palio.recommending.result import Neighbour, Recommendation, Suggestion
from palio.scores import ScoreTable, Tabular
from palio.scores.scale import scores_of
from palio.types import FloatArray
from palio.words import count, quoted

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset

Relevant: TypeAlias = int | Literal["all", "auto"]

# The part of the relevant data sets that an interval of scores covers.
_MIDDLE = (0.1, 0.9)
# So many times the rows of any data set of the table are beyond what its costs can tell.
_FAR = 2.0
# With fewer data sets, whether nearness helps cannot be seen.
_LEAST_FOR_AUTO = 10


def recommend(
    table: Tabular | Known | None = None,
    *,
    new: str | Dataset | Described | None = None,
    data: Iterable[str | Dataset | Described] | None = None,
    ranking: str = "average-ranks",
    relevant: Relevant = "all",
    cost: str | Sequence[str] | None = None,
    budget: str | float | None = None,
    folds: int = 5,
    n_resamples: int = 2000,
    seed: int = 0,
    **reading: Any,
) -> Recommendation:
    r"""Ask which algorithms to try first on a data set never seen, and which of them in a budget.

    Two phases (brazdil2000 §1): choose the relevant data sets, then rank on those. A ranking says
    what to try, not what is best there; `evaluate_recommendation` says how well it foretells, and
    whether choosing the nearest helps.

    Parameters
    ----------
    table
        Complete scores of the algorithms on data sets seen before. Without it, a study that is
        shipped is taken, and said first in the notes: tuned learners on data sets of two classes
        (``"study:classification2026"``), or, where the new one has a target of numbers, learners as
        they are (``"study:regression2026"``).
    new, data
        The new data set, and those of the table: strings as for `palio.run`, data sets, or what is
        known of them. ``data`` are matched by name. Needed to find the nearest, and to scale costs
        by rows; of the shipped study they are known.
    ranking
        A ranking method, as for `rank`; one that weighs cost takes the first of ``cost``.
    relevant
        ``"all"`` data sets, or the k nearest, or ``"auto"``: as many nearest as foretell clearly
        better than all when each data set of the table is left out in turn, and else all.
    cost
        The costs that add up to a trial's; ``fit_time`` and ``predict_time`` if there, else the
        training time, unless given.
    budget
        ``"60s"``, ``"5min"``, ``"2h"``, or a number in the unit of the costs. The first that
        takes a twentieth of it at most, or else the cheapest, is tried first, so that there is a
        result; of the others, taken in order, what costs more than is left is passed over.
    folds
        A trial is a cross-validation of so many folds, and the costs of the table are of one fold.
    n_resamples, seed
        For the probabilities of places; see `rank_stability`.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Recommendation

    See Also
    --------
    palio.try_in_order : try them, and stop when the rest is unlikely to be better.
    palio.evaluate_recommendation : whether nearness helps.

    Notes
    -----
    With costs :math:`c_d` on the relevant data sets, of :math:`n_d` rows trained on, the cost to
    expect on the new one, of n rows, is

    .. math::

        \mathrm{median}_d\, c_d \left(\frac{n}{n_d}\right)^b

    b is read off the larger half of the data sets of the table (Theil and Sen's slope), algorithm
    by algorithm, and is 0 unless that foretells better than the plain median. Beyond the rows of
    the table it is 1 at least. Where n is in the larger half, only costs from there are carried
    over.

    References
    ----------
    P. B. Brazdil and C. Soares (2000), A comparison of ranking methods for classification
    algorithm selection, ECML 2000. P. B. Brazdil, C. Soares and J. P. da Costa (2003), Ranking
    learning algorithms: using IBL and meta-learning on accuracy and time results, Machine
    Learning 50.

    Examples
    --------
    >>> import palio
    >>> found = palio.recommend(palio.load_study("ulas2008"), budget=600, cost="train_time")
    >>> found
    <Recommendation by average-ranks on 38 of 38 data sets: svr > svl > mlp > lnp > sv2 > 5nn >
    c45 > mdt>
    >>> found.suggestions[0].p_first > 0.9
    True

    Without a table, by the study that is shipped:

    >>> found = palio.recommend(new="sklearn:breast_cancer")
    >>> found.order[:2], found.notes[0]
    (('svmRadial', 'rf'), 'Experience: the study classification2026, ...')
    """
    if table is None and new is None:
        raise nothing_given()
    if new is not None and not isinstance(new, Described):
        new = _loaded(new)
    known = as_known(table, reading, recommend, task=None if new is None else new.task)
    scores = known.table
    ranking = RANKINGS.name_of(ranking)
    complete_goodness(scores, NEEDS_ALL)
    _check(relevant, scores)
    check_folds(folds)
    costs = known.costs(cost)
    seconds = checked_budget(budget, scores, costs)
    choosing = relevant != "all"
    there = known.described if data is None else data
    described = described_data(there, scores.datasets, features=choosing)
    target = None if new is None else _described_new(new, known, features=choosing)
    if target is not None:
        check_tasks(target, list(described.values()))
    first_cost = costs[0] if costs else None
    chosen, notes = _choose(scores, target, described, relevant, ranking, first_cost)
    part = scores.select(datasets=list(chosen))
    ranked = rank(part, method=ranking, **ranking_options(ranking, first_cost))  # type: ignore[arg-type]
    stability = _stability(part, ranking, first_cost, n_resamples, seed)
    of_folds = fold_costs(scores, costs, described, known.search)
    trial_costs, powers, cost_note = _trial_costs(scores, of_folds, list(chosen), target, folds)
    suggestions = _suggestions(part, ranked.ranks, stability, trial_costs, powers, seconds)
    return Recommendation(
        new=None if target is None else target.name,
        experience=known.told,
        ranking=ranking,
        measure=scores.measure,
        suggestions=suggestions,
        relevant=tuple(Neighbour(*each) for each in chosen.items()),
        n_known=scores.n_datasets,
        costs=costs,
        folds=folds,
        budget=seconds,
        stability=stability,
        notes=(
            *known.notes(target),
            *ranked.notes,
            *_name_note(scores, target),
            *notes,
            *cost_note,
            *_first_note(suggestions, seconds),
            *_about_scores(scores.measure),
            *([] if stability is None else stability.notes[-1:]),
        ),
    )


def _first_note(suggestions: Sequence[Suggestion], budget: float | None) -> tuple[str, ...]:
    """Say which is tried first, whatever the order, for the sake of a result."""
    first = starter(np.array([each.cost or 0.0 for each in suggestions]), budget)
    if first is None:
        return ()
    name, cost = suggestions[first].algorithm, suggestions[first].cost or 0.0
    dear = "" if budget is None or cost <= budget else "; it may take longer than the budget"
    return (f"{name} is tried first, and counted first: cheap, so that there is a result{dear}",)


def _about_scores(measure: Measure) -> tuple[str, ...]:
    if measure.is_ordinal:
        return ()
    said = "scores: the mean over the relevant data sets, and the middle 80 % of them"
    if measure.scale == "ratio":
        said += "; the mean is geometric, and in units of the data sets' medians"
    return (said,)


def _check(relevant: Relevant, table: ScoreTable) -> None:
    if isinstance(relevant, str):
        known = relevant in ("all", "auto")
    else:
        known = 1 <= relevant <= table.n_datasets
    rule = f"'all', 'auto' or a number from 1 to the {table.n_datasets} data sets of the table"
    require(known, "relevant", rule, relevant)


def _name_note(table: ScoreTable, new: Described | None) -> tuple[str, ...]:
    if new is None or new.name not in table.datasets:
        return ()
    return (f"the table has a data set called {new.name}, too: if it is this one, nothing is "
            "foretold",)  # fmt: skip


def _loaded(new: str | Dataset) -> Dataset:
    from palio.experiment.data.datasets import load_datasets

    found = load_datasets(new)
    if len(found) != 1:
        raise ParameterError("new", "one data set is needed", f"{new!r} has {len(found)}")
    return found[0]


def _described_new(new: Dataset | Described, known: Known, *, features: bool) -> Described:
    if not isinstance(new, Described):
        new = known.describe(new, features=features)
    known.check(new)
    return new


# --- the first phase -----------------------------------------------------------------------------


def _choose(
    table: ScoreTable,
    new: Described | None,
    described: Mapping[str, Described],
    relevant: Relevant,
    ranking: str,
    cost: str | None,
) -> tuple[dict[str, float | None], tuple[str, ...]]:
    """Return the relevant data sets with their distances, and how they were chosen."""
    everything: dict[str, float | None] = dict.fromkeys(table.datasets)
    if relevant == "all":
        return everything, ()
    if new is None or not described:
        lacking = "new" if new is None else "data"
        raise ParameterError(
            "relevant",
            f"to find the nearest the {'new data set' if new is None else 'data'} must be known",
            remedy=f"give {Option(lacking)}, or {Option('relevant', 'all')}",
        )
    k, notes = _helpful(table, described, ranking, cost) if relevant == "auto" else (relevant, ())
    if k == "all":
        return everything, notes
    if k > len(described):
        raise ParameterError(
            "relevant",
            f"{k} nearest data sets are asked for",
            f"the data of {len(described)} are there",
            "take fewer",
        )
    known = [described[name] for name in table.datasets if name in described]
    matrix, features = as_matrix([*known, new])
    apart = distances(matrix[:-1], matrix[-1])
    nearest = by_distance(apart)[:k].tolist()
    return {known[i].name: float(apart[i]) for i in nearest}, (
        *notes,
        *_distance_notes(table, new, described, features),
    )


def _distance_notes(
    table: ScoreTable, new: Described, described: Mapping[str, Described], features: Sequence[str]
) -> tuple[str, ...]:
    lacks = [name for name in features if name not in new.features]
    absent = [name for name in table.datasets if name not in described]
    notes = [
        "distance: mean over meta-features of |difference| / range over the data sets seen "
        "before (Brazdil, Soares and da Costa 2003)"
    ]
    if lacks:
        notes.append(f"not compared, for {new.name} has no target: {', '.join(lacks)}")
    if absent:
        notes.append(f"never among the nearest, for their data are not there: {quoted(absent)}")
    return tuple(notes)


def _helpful(
    table: ScoreTable, described: Mapping[str, Described], ranking: str, cost: str | None
) -> tuple[Count, tuple[str, ...]]:
    """Return how many nearest foretell clearly better than all the data sets do."""
    if len(described) < _LEAST_FOR_AUTO:
        return "all", (
            f"all data sets are taken: to see whether the nearest foretell better there must be "
            f"{_LEAST_FOR_AUTO}, and the data of {len(described)} are there",
        )
    found = evaluate_recommendation(table, described.values(), ranking=ranking, cost=cost)
    rows = {row.relevant: row for row in found.choices}
    everything, best = rows["all"], rows[found.best]
    said = f"each data set left out in turn, all others foretell it with a mean correlation of " \
           f"{everything.correlation:.3f}"  # fmt: skip
    if found.helpful == "all":
        tried = ", ".join(str(k) for k in rows if k != "all")
        return "all", (f"all data sets are taken: {said}, and none of the {tried} nearest do "
                       "so clearly better and without losing more by its first",)  # fmt: skip
    return found.helpful, (
        f"the {found.helpful} nearest are taken: {said}, these with {best.correlation:.3f}",
    )


# --- the second phase ----------------------------------------------------------------------------


def _stability(
    part: ScoreTable, ranking: str, cost: str | None, n_resamples: int, seed: int
) -> RankStability | None:
    if part.n_datasets < 2:
        return None
    options = ranking_options(ranking, cost)
    return rank_stability(part, [ranking], n_resamples=n_resamples, seed=seed, **options)  # type: ignore[arg-type]


def _trial_costs(
    table: ScoreTable,
    costs: FoldCosts | None,
    chosen: Sequence[str],
    new: Described | None,
    folds: int,
) -> tuple[FloatArray | None, FloatArray, tuple[str, ...]]:
    """Return what a trial of each algorithm will cost, and the power of the rows it grows with."""
    if costs is None:
        none = ("no costs: the table has no times, so what a trial takes is unknown",)
        return None, np.zeros(table.n_algorithms), none
    trained = np.nan if new is None else (folds - 1) / folds * new.rows
    relevant = [table.datasets.index(name) for name in chosen]
    expected, powers = costs.expected(relevant, trained)
    return folds * expected, powers, _cost_notes(folds, powers, costs, trained)


def _cost_notes(
    folds: int, powers: FloatArray, costs: FoldCosts, trained: float
) -> tuple[str, ...]:
    said = f"cost: {folds} folds, each the median over the relevant data sets"
    grown = int((powers > 0).sum())
    if not grown:
        return (f"{said}, not scaled by rows",)
    said += (
        f"; for {count(grown, 'algorithm')} of {powers.size} scaled by (rows)^b, b from "
        f"{powers[powers > 0].min():.2g} to {powers.max():.2g}"
    )
    if trained > costs.search_rows:
        said += (
            f"; a search looks at {costs.search_rows:,.0f} of the {trained:,.0f} rows of a fold, "
            "so that beyond these only the last fit grows"
        )
    known = float(np.nanmax(costs.rows))
    if trained <= _FAR * known:
        return (said,)
    return said, (
        f"costs are far from sure: a fold is trained on {trained:,.0f} rows, and none of the "
        f"table on more than {known:,.0f}"
    )


def _middle(part: ScoreTable) -> FloatArray:
    """Return between what the scores of each algorithm on most of the data sets are: (2, K)."""
    if part.measure.is_ordinal:
        return np.full((2, part.n_algorithms), np.nan)
    ends = np.nanquantile(part.scaled().for_means, _MIDDLE, axis=0)
    return np.sort(scores_of(ends, part.measure), axis=0)


def _suggestions(
    part: ScoreTable,
    ranks: Mapping[str, float],
    stability: RankStability | None,
    costs: FloatArray | None,
    powers: FloatArray,
    budget: float | None,
) -> tuple[Suggestion, ...]:
    """Put the algorithms in order; of tied ones the cheaper is tried first."""
    names = part.algorithms
    by_cost = np.zeros(len(names)) if costs is None else costs
    order = sorted(range(len(names)), key=lambda k: (ranks[names[k]], by_cost[k], names[k]))
    fits, spent = within_budget(by_cost[order], budget)
    means, (low, high) = part.mean_scores(), _middle(part)
    places = None if stability is None else stability.methods[0].places
    return tuple(
        Suggestion(
            algorithm=names[k],
            place=i + 1,
            rank=ranks[names[k]],
            score=means[names[k]],
            low=float(low[k]),
            high=float(high[k]),
            p_first=None if places is None else places[names[k]][0],
            p_place=None if places is None else places[names[k]][i],
            cost=None if costs is None else float(costs[k]),
            power=float(powers[k]),
            spent=None if costs is None else float(spent[i]),
            fits=None if budget is None else bool(fits[i]),
        )
        for i, k in enumerate(order)
    )
