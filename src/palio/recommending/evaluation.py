"""How well does a ranking on other data sets foretell? Leave one data set out, and look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.bars import Steps, steps
from palio.errors import ParameterError, require
from palio.measures import Measure
from palio.numbers import limit
from palio.ordering.arrays import complete_goodness
from palio.ordering.evaluation import expected_losses, loss_values, mean_losses, spearman
from palio.ordering.rankers import Ranker, RankingOptions
from palio.ordering.rankings import RANKINGS, bind_rankings
from palio.ordering.tolerance import Tolerance
from palio.recommending.costing import check_folds, checked_budget, fold_costs
from palio.recommending.counting import Ways
from palio.recommending.evaluated import Count, RecommendationEvaluation
from palio.recommending.experience import Known, as_known
from palio.recommending.relevance import Described, as_matrix, by_distance, distances
from palio.scores import ScoreTable, Tabular
from palio.stats.ranks import average_ranks
from palio.types import FloatArray, IntArray
from palio.words import quoted

if TYPE_CHECKING:
    from palio.experiment.data.datasets import Dataset

_USUAL_COUNTS = (1, 3, 5, 10, 20)
_LEAST_DATASETS = 3
NEEDS_ALL = "a recommendation needs every algorithm on every data set"
_RANDOM_DRAWS = 100


def evaluate_recommendation(
    table: Tabular | Known | None = None,
    data: Iterable[str | Dataset | Described] | None = None,
    *,
    ranking: str = "average-ranks",
    nearest: Sequence[int] | None = None,
    within: float | None = None,
    budget: str | float | None = None,
    cost: str | Sequence[str] | None = None,
    folds: int = 5,
    seed: int = 0,
    progress: Steps = None,
    **reading: Any,
) -> RecommendationEvaluation:
    """Ask whether ranking on the nearest data sets foretells better than ranking on all.

    Each data set is left out in turn, its k nearest are found among the others by their
    meta-features, and the ranking on these is held against the order of the algorithms on the one
    left out, by its mean scores. Beside it stand the ranking on all the others, and the ranking on
    k others drawn at random: nearness is worth something if it beats both.

    And how often is what it names good enough? Counted are the data sets on which the first, the
    best of the first three, and the first that is expected to fit into a budget are at most
    ``within`` worse than the best there; beside them stands each algorithm taken for all data sets.
    Which of these is the best is known only when all data sets are seen; chosen without the one
    left out, it is the first of the ranking on all others.

    Parameters
    ----------
    table
        Complete scores; a study that is shipped unless given.
    data
        The data sets of the table: strings as for `palio.run`, data sets, or what is known of
        them; matched by name. Those of the table that are not among them are left out.
    ranking
        A ranking method, as for `rank`.
    nearest
        The numbers of data sets to try; 1, 3, 5, 10 and 20, as far as there are, unless given.
    within
        How much worse than the best is good enough, in the unit of the scores, on a ratio scale as
        a share of the best; unless given one point, 0.01 or 1 in percent, of a share, a hundredth
        on a ratio scale, and else of what the scores spread over.
    budget, cost, folds
        As for `recommend`: what a trial may cost, the costs that add up to it, and its folds. The
        first cost is also that of ranking methods that take one.
    seed
        Of the random draws.
    progress
        What is shown meanwhile: a bar in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called with what is under way.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    RecommendationEvaluation
        ``choices`` has a row for each number of data sets, ``helpful`` whether nearness helps.

    See Also
    --------
    palio.recommend : the recommendation itself.

    References
    ----------
    P. B. Brazdil and C. Soares (2000), A comparison of ranking methods for classification
    algorithm selection, ECML 2000, §1 and §7. P. B. Brazdil, C. Soares and J. P. da Costa (2003),
    Ranking learning algorithms: using IBL and meta-learning on accuracy and time results, Machine
    Learning 50.

    Examples
    --------
    Small sets favour ``a`` and large ones ``b``, so the nearest know better than all together.

    >>> import palio
    >>> names = ["s1", "s2", "s3", "t1", "t2", "t3"]
    >>> table = palio.ScoreTable.from_arrays(
    ...     [[0.9, 0.8, 0.7]] * 3 + [[0.8, 0.9, 0.7]] * 3,
    ...     datasets=names, algorithms=["a", "b", "c"], measure="accuracy",
    ... )
    >>> known = [
    ...     Described(name, rows, {"log_rows": float(np.log(rows))})
    ...     for name, rows in zip(names, [100, 110, 120, 9000, 9100, 9200])
    ... ]
    >>> found = evaluate_recommendation(table, known, nearest=[2])
    >>> found
    <RecommendationEvaluation by average-ranks: 6 data sets, best with 2, clearly with 2>
    >>> [(row.relevant, round(row.correlation, 3), round(row.regret, 3)) for row in found.choices]
    [('all', 0.5, 0.1), (2, 1.0, 0.0)]
    >>> [(row.relevant, row.reach.first.count, row.reach.three.count) for row in found.reached]
    [('all', 0, 6), (2, 6, 6)]
    >>> [(each.algorithm, each.reach.first.count) for each in found.alone]
    [('a', 3), ('b', 3), ('c', 0)]
    """
    known = as_known(table, reading, evaluate_recommendation)
    ranking = RANKINGS.name_of(ranking)
    require(within is None or within >= 0, "within", "it is 0 or more", within)
    if within and known.table.measure.is_ordinal:
        raise ParameterError(
            "within",
            "it needs a unit",
            "only who is better on each data set counts",
            "leave it out",
        )
    check_folds(folds)
    names, described, absent = _left_out_in_turn(known, data, progress)
    scores = known.table.select(datasets=names)
    features, feature_names = as_matrix([described[name] for name in names])
    counts: tuple[Count, ...] = ("all", *_counts(nearest, len(names)))
    goodness = complete_goodness(scores, NEEDS_ALL)
    costs = known.costs(cost)
    seconds = checked_budget(budget, scores, costs)
    ranker = _bound_ranker(scores, ranking, next(iter(costs), None))
    ideal, values = average_ranks(-goodness), loss_values(scores)

    def judged(weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        ranks = ranker.ranks(weights)
        return spearman(ranks, ideal), expected_losses(ranks, values)[:, 0], ranks

    orders = _others_by_distance(features)
    chosen = [_weights(orders, count) for count in counts]
    found = [judged(weights) for weights in chosen]
    rng, drawn = np.random.default_rng(seed), []
    with steps("drawing at random", len(counts), progress) as step:
        for count in counts:
            step(f"{count} data sets")
            drawn.append(_at_random(judged, orders, count, rng))
    chance = np.array(drawn)
    ways = Ways(
        scores.algorithms,
        goodness,
        tuple(ranks for _, _, ranks in found),
        tuple(chosen),
        margin=Tolerance.of(scores, None).size if within is None else within,
        ratio=scores.measure.scale == "ratio",
        costs=fold_costs(scores, costs, described, known.search),
        rows=np.array([float(described[name].rows) for name in names]),
        folds=folds,
        budget=seconds,
    )
    return RecommendationEvaluation(
        ranking=ranking,
        measure=scores.measure,
        algorithms=scores.algorithms,
        datasets=names,
        relevant=counts,
        by_dataset=np.stack([correlation for correlation, _, _ in found]),
        regrets=np.stack([regret for _, regret, _ in found]),
        losses=values.max(axis=1, keepdims=True) - values,
        random_correlations=chance[:, 0],
        random_regrets=mean_losses(chance[:, 1:], scores.measure),
        features=feature_names,
        ways=ways,
        costs=costs,
        experience=known.told,
        notes=(
            *([] if known.told is None else [known.told]),
            *scores.notes,
            *ranker.notes,
            *([f"{absent} data sets of the table are left out: their data are not there"]
              if absent else []),
            "correlations: 1 − 6D²/(n³ − n) with mid-ranks for ties, with the order of the mean "
            "scores on the data set left out",
            f"at random: the mean of {_RANDOM_DRAWS} draws of as many other data sets, seed {seed}",
            *_counting_notes(ways, scores.measure),
        ),
    )  # fmt: skip


def _left_out_in_turn(
    known: Known,
    data: Iterable[str | Dataset | Described] | None,
    progress: Steps,
) -> tuple[tuple[str, ...], dict[str, Described], int]:
    """Return the data sets that are known, what is known of them, and how many are not."""
    table, there = known.table, list(known.described if data is None else data)
    with steps("describing data", len(there), progress) as step:
        described = described_data(there, table.datasets, features=True, tell=step)
    names = tuple(name for name in table.datasets if name in described)
    if len(names) < _LEAST_DATASETS:
        raise ParameterError(
            "data",
            "to leave one out and rank by the others, three of the table's data sets must be there",
            f"{len(names)} are",
            f"the table has {quoted(table.datasets)}",
        )
    return names, described, table.n_datasets - len(names)


def in_percent(table: ScoreTable) -> bool:
    """Whether shares are written in percent: fractions are none above 1."""
    return table.measure.is_bounded and 1 < float(np.nanmax(np.abs(table.means()))) <= 100


def _counting_notes(ways: Ways, measure: Measure) -> tuple[str, ...]:
    of = f" of the best {measure.name}" if ways.ratio else f" in {measure.name}"
    point = f"at most {limit(ways.margin)}{of} worse than the best"
    notes = [
        f"within: {point if ways.margin else 'as good as the best'}, on the data set left out; of "
        "tied algorithms the cheaper is first",
        "for all: which of them is the best is known only when all data sets are seen; chosen "
        "without the one left out, it is the first of the ranking on all others",
    ]
    if ways.budget is not None:
        notes.append(
            f"budget: the cost of {ways.folds} folds is expected by the others, as in a "
            "recommendation; in truth it is what was measured on the data set left out, carried "
            "over to folds of that size"
        )
    return tuple(notes)


# --- what recommending shares --------------------------------------------------------------------


def described_data(
    data: Iterable[str | Dataset | Described],
    wanted: Iterable[str],
    *,
    features: bool,
    tell: Callable[[str], object] = lambda _name: None,
) -> dict[str, Described]:
    """Return what is known of the wanted data sets, by name; others are not looked at."""
    names, found = set(wanted), {}
    for each in data:
        tell(each if isinstance(each, str) else each.name)
        for known in _described(each, names, features=features):
            found[known.name] = known
    return found


def _described(
    each: str | Dataset | Described, wanted: set[str], *, features: bool
) -> list[Described]:
    if isinstance(each, Described):
        return [each] if each.name in wanted else []
    from palio.experiment.data.datasets import load_datasets

    return [
        Described.of(dataset, features=features)
        for dataset in load_datasets(each)
        if dataset.name in wanted
    ]


def ranking_options(ranking: str, cost: str | None) -> dict[str, str]:
    """Return the options of a ranking method: the cost, where it takes one."""
    return {"cost": cost} if cost is not None and "cost" in RANKINGS[ranking].options else {}


def _bound_ranker(table: ScoreTable, ranking: str, cost: str | None) -> Ranker:
    """Make a ranking method ready for a table."""
    options = RankingOptions(**ranking_options(ranking, cost))  # type: ignore[arg-type]
    return bind_rankings(table, [ranking], options).rankers[ranking]


# --- leaving one out -----------------------------------------------------------------------------


def _counts(nearest: Sequence[int] | None, n: int) -> tuple[int, ...]:
    """Return how many nearest to try: fewer than all the others."""
    if nearest is None:
        return tuple(k for k in _USUAL_COUNTS if k < n - 1)
    for k in nearest:
        rule = f"of the {n - 1} other data sets between 1 and all can be taken"
        require(1 <= k <= n - 1, "nearest", rule, k)
    return tuple(dict.fromkeys(nearest))


def _others_by_distance(features: FloatArray) -> IntArray:
    """Return for each data set the others, nearest first: (S, S − 1)."""
    n = len(features)
    orders = []
    for i in range(n):
        others = np.flatnonzero(np.arange(n) != i)
        orders.append(others[by_distance(distances(features[others], features[i]))])
    return np.stack(orders)


def _weights(orders: IntArray, count: Count) -> FloatArray:
    """Return which data sets count for each one left out: (S, S) of zeros and ones."""
    n = len(orders)
    chosen = orders if count == "all" else orders[:, :count]
    weights = np.zeros((n, n))
    np.put_along_axis(weights, chosen, 1.0, axis=1)
    return weights


def _at_random(
    judged: Any, orders: IntArray, count: Count, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the mean correlation and loss with as many data sets, whichever they are."""
    draws = 1 if count == "all" else _RANDOM_DRAWS
    found = [judged(_weights(rng.permuted(orders, axis=1), count)) for _ in range(draws)]
    correlation, regret = np.mean([(c.mean(), np.nanmean(r)) for c, r, _ in found], axis=0)
    return float(correlation), float(regret)
