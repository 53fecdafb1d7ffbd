"""Which ranking method foretells best? Leave one data set out, and look (brazdil2000 §3–4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from palio.comparison.over_datasets import compare_scores
from palio.comparison.pairs import Pair, TestResult
from palio.comparison.procedure import Procedure
from palio.comparison.results import Comparison
from palio.comparison.sample import Scores
from palio.errors import ParameterError, require
from palio.measures import Measure
from palio.ordering.arrays import complete_goodness
from palio.ordering.prior import Cost
from palio.ordering.rankers import RankingOptions
from palio.ordering.rankings import RANKINGS, bind_rankings
from palio.registry import unknown_name
from palio.results import Result
from palio.scores import ScoreTable, Tabular, as_table, reading_in
from palio.stats.ranks import average_ranks, place_counts
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import joined

if TYPE_CHECKING:
    import pandas as pd


Points: TypeAlias = Literal["folds", "datasets"]

_BUDGETS = 60


@dataclass(frozen=True)
class MethodEvaluation:
    """How well one ranking method foretells: means over the data sets.

    ``regret`` is what is lost against the best after trying so many of its first, by their number
    as text; ``mean_rank`` its rank among the methods, of which one alone has none.
    """

    method: str
    correlation: float
    correlation_sd: float
    weighted_correlation: float
    regret: Mapping[str, float]
    relative_regret: Mapping[str, float]
    mean_rank: float | None


class LossCurve(NamedTuple):
    """What is lost after trying the first 1, 2, …: as `lost_in` says, and of the span."""

    loss: tuple[float, ...]
    relative: tuple[float, ...]


@dataclass(frozen=True)
class CostCurves:
    """What each method has lost once so much of a cost is spent, means over data sets."""

    cost: str
    spent: tuple[float, ...]
    loss: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, repr=False, eq=False)
class RankingEvaluation(Result):
    """How well each ranking method foretells a data set that it has not seen.

    ``methods`` are the best first, ``names`` as they were asked for. ``by_dataset`` and
    ``weighted`` are the correlations (names, data sets), the mean over the folds of a data
    set; ``losses`` (names, data sets, algorithms) is what is lost against the best after trying
    the first 1, 2, …, on the scale of the measure, and ``spans`` (data sets,) how far the best is
    from the worst. ``comparison`` says which methods differ; there is none of one method.
    """

    kind = "ranking-evaluation"
    parts = (
        "measure", "algorithms", "n_datasets", "points", "n_points", "top", "best", "methods",
        "correlations", "loss_curves", "cost_curves", "alpha", "omnibus", "pairs", "groups",
        "notes",
    )  # fmt: skip

    names: tuple[str, ...]
    measure: Measure
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    by_dataset: FloatArray
    weighted: FloatArray
    losses: FloatArray
    spans: FloatArray
    points: Points
    n_points: int
    top: int
    comparison: Comparison | None
    cost_curves: CostCurves | None = None
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> str:
        """The method with the highest average correlation."""
        return self.names[int(self.by_dataset.mean(axis=1).argmax())]

    def __repr__(self) -> str:
        return (
            f"<RankingEvaluation: {len(self.names)} methods on {len(self.datasets)} data sets, "
            f"{self.best} foretells best>"
        )

    @property
    def n_datasets(self) -> int:
        """The number of data sets, each left out once."""
        return len(self.datasets)

    @cached_property
    def methods(self) -> tuple[MethodEvaluation, ...]:
        """How well each method did, the best first."""
        mean_ranks = {} if self.comparison is None else self.comparison.mean_ranks
        tops, curves = sorted({1, self.top}), self.loss_curves
        found = [
            MethodEvaluation(
                method=method,
                correlation=float(self.by_dataset[i].mean()),
                correlation_sd=float(self.by_dataset[i].std(ddof=1)),
                weighted_correlation=float(self.weighted[i].mean()),
                regret={str(k): curves[method].loss[k - 1] for k in tops},
                relative_regret={str(k): curves[method].relative[k - 1] for k in tops},
                mean_rank=mean_ranks.get(method),
            )
            for i, method in enumerate(self.names)
        ]
        return tuple(sorted(found, key=lambda each: -each.correlation))

    @property
    def different(self) -> tuple[Pair, ...]:
        """The pairs of methods that differ, the surest first."""
        found = [pair for pair in self.pairs if pair.significant]
        return tuple(sorted(found, key=lambda pair: -abs(pair.statistic)))

    @property
    def correlations(self) -> dict[str, dict[str, float]]:
        """The average correlation of each method on each data set."""
        return {
            method: dict(zip(self.datasets, row, strict=True))
            for method, row in zip(self.names, self.by_dataset.tolist(), strict=True)
        }

    @cached_property
    def loss_curves(self) -> dict[str, LossCurve]:
        """What each method has lost after trying the first 1, 2, …, means over data sets."""
        spans = self.spans[:, np.newaxis]
        relative = np.divide(self.losses, spans, out=np.zeros_like(self.losses), where=spans > 0)
        return {
            method: LossCurve(tuple(loss), tuple(share))
            for method, loss, share in zip(
                self.names,
                mean_losses(self.losses, self.measure).tolist(),
                np.nanmean(relative, axis=1).tolist(),
                strict=True,
            )
        }

    @property
    def lost_in(self) -> str:
        """What losses are counted in."""
        return loss_unit(self.measure)

    @property
    def alpha(self) -> float | None:
        """The level over all pairs of methods together."""
        return None if self.comparison is None else self.comparison.alpha

    @property
    def omnibus(self) -> TestResult | None:
        """Whether the methods differ at all."""
        if self.comparison is None:
            return None
        said = "all ranking methods foretell equally well"
        return replace(self.comparison.omnibus, hypothesis=said)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Which methods differ."""
        found = self.comparison
        return () if found is None else tuple(pair.verdict for pair in found.pairs)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Methods between which no difference was found."""
        return () if self.comparison is None else self.comparison.groups

    def to_frame(self) -> pd.DataFrame:
        """Return the average correlation of each data set (row) and method (column)."""
        import pandas as pd

        index = pd.Index(self.datasets, name="dataset")
        return pd.DataFrame(self.by_dataset.T, index=index, columns=list(self.names))


def evaluate_rankings(
    table: Tabular,
    methods: Sequence[str] | None = None,
    *,
    points: Points = "folds",
    scale: str | None = None,
    overall_alpha: float = 0.05,
    top: int | None = None,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    test: str | None = None,
    alpha: float | None = None,
    acc_d: float | None = None,
    **test_options: Any,
) -> RankingEvaluation:
    r"""Evaluate how well ranking methods foretell a data set, and say which of them differ.

    Each data set is left out in turn. The ranking from the others is held against the order of
    the algorithms on each of its folds by Spearman's correlation; the mean over the folds is the
    average correlation of the data set. Friedman's test, corrected for ties, and Dunn's procedure
    say which methods differ.

    Parameters
    ----------
    table
        Scores on three data sets or more. Without folds the one order of a data set is held
        against.
    methods
        Names of ranking methods as for `rank`; all that the table allows unless given, but for
        those whose order is another's by construction.
    points
        What the tests count: ``"folds"`` as the paper does, or ``"datasets"``. All folds of a
        data set judge the same recommended ranking, so as points they are not independent and
        differences are found too easily; data sets are not wrong in this way.
    scale
        What means the same on every data set, as for `compare`; losses are told on it.
    overall_alpha
        The level of Dunn's procedure over all pairs of methods; the paper takes 0.25.
    top
        Besides the first alone, what is lost after trying so many; three, if there are.
    cost, prior, test, alpha, acc_d, **test_options
        For the methods that take them, as for `rank`. With one cost there is also a curve of what
        is lost once so much of it is spent.

    Returns
    -------
    RankingEvaluation
        ``methods`` has a row for each method, the best first; ``pairs`` say which of them differ.

    See Also
    --------
    palio.rank : the rankings themselves.

    Notes
    -----
    Of the recommended ranks R and those on a fold, Q, of n algorithms, Spearman's correlation is
    (brazdil2000, section 3)

    .. math::

        r_S = 1 - \frac{6 \sum_{i=1}^{n} (R_i - Q_i)^2}{n^3 - n}

    Dunn's procedure divides the difference of two methods' rank sums D over N points, of k methods,
    by its standard error, and tests each of the pairs at Bonferroni's share of the level:

    .. math::

        T_{ij} = \frac{D_{ij}}{\sqrt{N k (k + 1) / 6}}

    With :math:`b_d` and :math:`w_d` the best and the worst score on data set d, and
    :math:`t_d` the best of those tried, ``regret`` and ``relative_regret`` are over n data sets

    .. math::

        \frac{1}{n} \sum_{d=1}^{n} \left|b_d - t_d\right|, \qquad
        \frac{1}{n} \sum_{d=1}^{n} \frac{b_d - t_d}{b_d - w_d}

    On a ratio scale the first is by how much the geometric mean of the ratios is above 1, and on an
    order scale, which has no unit, it is the second. Tied algorithms are tried in random order:
    what is shown is the exact mean over it.

    References
    ----------
    P. B. Brazdil and C. Soares (2000), A comparison of ranking methods for classification
    algorithm selection, ECML 2000.

    Examples
    --------
    >>> import palio
    >>> evaluation = palio.evaluate_rankings(
    ...     palio.load_study("ulas2008"),
    ...     ["average-ranks", "success-rate-ratios", "significant-wins"],
    ... )
    >>> evaluation
    <RankingEvaluation: 3 methods on 38 data sets, average-ranks foretells best>
    """
    table = as_table(table, reading_in(test_options), evaluate_rankings, scale=scale)
    complete_goodness(table, "what is foretold is the order of all algorithms")
    values = loss_values(table)
    top = min(3, table.n_algorithms) if top is None else top
    _check(table, points, top)
    options = RankingOptions(cost, prior, test, alpha, acc_d, test_options)
    rankers, bound_notes = bind_rankings(table, methods, options)
    names = tuple(rankers)
    others = 1 - np.eye(table.n_datasets)
    recommended = np.stack([ranker.ranks(others) for ranker in rankers.values()])
    owner, ideal = _ideal_rankings(table)
    by_fold = spearman(recommended[:, owner], ideal)
    correlations = _by_dataset(by_fold, owner)
    weighted = _by_dataset(weighted_spearman(recommended[:, owner], ideal), owner)
    tested = by_fold if points == "folds" else correlations
    return RankingEvaluation(
        names=names,
        measure=table.measure,
        algorithms=table.algorithms,
        datasets=table.datasets,
        by_dataset=correlations,
        weighted=weighted,
        losses=expected_losses(recommended, values),
        spans=np.ptp(values, axis=1),
        points=points,
        n_points=tested.shape[1],
        top=top,
        comparison=_compare_methods(tested, names, overall_alpha),
        cost_curves=_cost_curves(table, cost, names, recommended, values),
        notes=(
            *table.notes,
            *bound_notes,
            *_cost_note(names),
            *_notes(points, owner, overall_alpha),
        ),
    )


def loss_values(table: ScoreTable) -> FloatArray:
    """Return values (S, K), higher is better, whose differences are what is lost.

    They are on the scale of the measure; on an order scale they are shares of the distance from the
    worst to the best.
    """
    values = table.scaled().for_means
    if not table.measure.is_ordinal:
        return values
    if table.measure.is_censored:
        values = -average_ranks(-values)
    low, span = values.min(axis=1, keepdims=True), np.ptp(values, axis=1, keepdims=True)
    return np.asarray(np.divide(values - low, span, out=np.zeros_like(values), where=span > 0))


def mean_losses(losses: FloatArray, measure: Measure) -> FloatArray:
    """Return the means over data sets (n, S, …); those of logarithms as shares of the best."""
    means = np.asarray(np.nanmean(losses, axis=1))
    return np.expm1(means) if measure.scale == "ratio" else means


def loss_unit(measure: Measure) -> str:
    """Say what losses are counted in."""
    if measure.is_ordinal:
        return "shares of the distance from the worst to the best"
    return f"shares of the best {measure.name}" if measure.scale == "ratio" else measure.name


def _check(table: ScoreTable, points: str, top: int) -> None:
    if table.n_datasets < 3:
        raise ParameterError(
            "table",
            "to leave one data set out and rank by the others, three are needed",
            f"there are {table.n_datasets}",
        )
    if points not in get_args(Points):
        raise unknown_name("points", points, get_args(Points))
    k = table.n_algorithms
    require(1 <= top <= k, "top", f"between 1 and all {k} algorithms can be tried", top)


def _ideal_rankings(table: ScoreTable) -> tuple[IntArray, FloatArray]:
    """Return the ranks (P, K) on every fold, and the data set (P,) that each belongs to."""
    if table.measure.is_censored:  # a run that did not end has no score on its fold
        return np.arange(table.n_datasets), average_ranks(-table.goodness())
    owners, ranks = [], []
    for group in table.by_design():
        by_fold = np.moveaxis(group.goodness(), 1, -1).reshape(
            len(group.rows), -1, table.n_algorithms
        )
        ranks.append(average_ranks(-by_fold).reshape(-1, table.n_algorithms))
        owners.append(np.repeat(group.rows, by_fold.shape[1]))
    owner = np.concatenate(owners)
    in_order = np.argsort(owner, kind="stable")
    return owner[in_order], np.concatenate(ranks)[in_order]


def _by_dataset(values: FloatArray, owner: IntArray) -> FloatArray:
    """Return the means over the folds of each data set: (M, P) to (M, S)."""
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    found: FloatArray = np.add.reduceat(values, starts, axis=1) / np.bincount(owner)
    return found


def _compare_methods(
    correlations: FloatArray, methods: Sequence[str], alpha: float
) -> Comparison | None:
    """Test by Friedman and by Dunn, which is the mean-ranks test with Bonferroni's correction."""
    if len(methods) < 2:
        return None
    names = tuple(str(i) for i in range(correlations.shape[1]))
    measure = Measure("correlation", higher_is_better=True)
    return compare_scores(
        # Sums over few half-integers: what differs in the last bits only is equal.
        Scores(correlations.T.round(12), tuple(methods), names, measure),
        Procedure.asked("mean-ranks", "bonferroni", alpha),
    )


def _cost_curves(
    table: ScoreTable,
    cost: Cost | None,
    methods: Sequence[str],
    recommended: FloatArray,
    values: FloatArray,
) -> CostCurves | None:
    names = [cost] if isinstance(cost, str) else list(cost or ())
    if len(names) != 1:
        return None
    costs = table.cost_matrix(names[0])
    if not costs.any():
        return None
    # A little more than all of it, so that rounding does not leave the last one out.
    least, most = costs[costs > 0].min(), (1 + 1e-9) * costs.sum(axis=1).max()
    budgets = np.geomspace(least, most, _BUDGETS)
    losses = mean_losses(losses_within(recommended, values, costs, budgets), table.measure)
    by_method = dict(zip(methods, map(tuple, losses.tolist()), strict=True))
    return CostCurves(names[0], tuple(budgets.tolist()), by_method)


def _cost_note(methods: Sequence[str]) -> tuple[str, ...]:
    by_cost = [name for name in methods if "cost" in RANKINGS[name].options]
    if not by_cost:
        return ()
    return (
        f"the order to be foretold is by score alone, while {joined(by_cost)} "
        f"{'weighs' if len(by_cost) == 1 else 'weigh'} cost as well",
    )


def _notes(points: Points, owner: IntArray, alpha: float) -> tuple[str, ...]:
    notes = (
        "correlations: 1 − 6D²/(n³ − n) with mid-ranks for ties, as brazdil2000 prints it",
        f"methods: Friedman's test, corrected for ties, and Dunn's procedure at α = {alpha:g} "
        "over all pairs together (mean ranks, Bonferroni)",
    )
    if owner.size == np.unique(owner).size:
        return (*notes, "the data sets have no folds: each has one order to be foretold")
    if points == "datasets":
        return notes
    return (
        *notes,
        "the folds of a data set judge one recommended ranking, so they are not independent, and "
        "the tests find differences too easily; points 'datasets' count each data set once",
    )


# --- how well a ranking agrees with a data set, and what is lost by it ----------------------------
# Rank 1 is best and ties share the mean rank; everything is batched over leading axes.


def spearman(recommended: FloatArray, ideal: FloatArray) -> FloatArray:
    r"""Return Spearman's correlation of two rankings (brazdil2000 §3).

    With ties this is the paper's figure, and not quite the correlation of the mid-ranks.

    Notes
    -----
    Of the rankings R and Q of n algorithms:

    .. math::

        r_S = 1 - \frac{6 \sum_i (R_i - Q_i)^2}{n^3 - n}

    Examples
    --------
    Table 2 of brazdil2000, fold 1 of glass: the sum of squares is 17.5.

    >>> recommended = np.array([4.5, 1, 6, 3, 4.5, 2])
    >>> float(spearman(recommended, np.array([1.5, 3, 5, 4, 6, 1.5])))
    0.5
    """
    n = recommended.shape[-1]
    found: FloatArray = 1 - 6 * np.square(recommended - ideal).sum(axis=-1) / (n**3 - n)
    return found


def weighted_spearman(recommended: FloatArray, ideal: FloatArray) -> FloatArray:
    r"""Return Pinto da Costa and Soares' correlation: a mistake among the first counts more.

    Notes
    -----
    Of the rankings R and Q of n algorithms, from −1 to 1 without ties:

    .. math::

        r_w = 1 - \frac{6 \sum_i (R_i - Q_i)^2 (2n + 2 - R_i - Q_i)}{n^4 + n^3 - n^2 - n}

    References
    ----------
    J. Pinto da Costa and C. Soares (2005), A weighted rank measure of correlation, Australian and
    New Zealand Journal of Statistics 47.

    Examples
    --------
    To swap the first two is worse than to swap the last two.

    >>> ideal = np.array([1.0, 2.0, 3.0])
    >>> weighted_spearman(np.array([[2.0, 1.0, 3.0], [1.0, 3.0, 2.0]]), ideal)
    array([0.375, 0.625])
    """
    n = recommended.shape[-1]
    weight = 2 * n + 2 - recommended - ideal
    distance = (np.square(recommended - ideal) * weight).sum(axis=-1)
    found: FloatArray = 1 - 6 * distance / (n**4 + n**3 - n**2 - n)
    return found


def expected_losses(ranks: FloatArray, goodness: FloatArray) -> FloatArray:
    """Return what is lost against the best after trying the first 1, 2, … n of a ranking.

    Tied algorithms are tried in random order: the loss is the mean over all their orders, exactly.

    Parameters
    ----------
    ranks : array (..., n)
        The recommended ranking.
    goodness : array (..., n)
        The scores on the data set in question, higher is better.

    Examples
    --------
    The first two are tied, one of them the best: half the time it is tried first.

    >>> expected_losses(np.array([1.5, 1.5, 3.0]), np.array([0.9, 0.7, 0.8]))
    array([0.1, 0. , 0. ])
    """
    n = ranks.shape[-1]
    goodness = np.broadcast_to(goodness, ranks.shape)
    best_first = np.argsort(-goodness, axis=-1, kind="stable")
    ranks = np.take_along_axis(ranks, best_first, axis=-1)
    # What is lost if the i best are all missed, less what if only the i − 1 best are.
    steps = -np.diff(np.take_along_axis(goodness, best_first, axis=-1), axis=-1)
    in_order = np.sort(ranks, axis=-1)
    losses = np.empty(ranks.shape)
    for tried in range(1, n + 1):
        last = in_order[..., tried - 1 : tried]
        missed = _chance_to_miss(ranks < last, ranks == last, tried)
        losses[..., tried - 1] = (missed[..., :-1] * steps).sum(axis=-1)
    return losses


def _chance_to_miss(before: BoolArray, tied: BoolArray, tried: int) -> FloatArray:
    r"""Return the probability that none of the i best, i = 1 … n, is among those tried.

    ``before`` have been tried for sure; of the ``tied`` ones, as many as are left, at random. Of
    g of these with c among the i best, j are tried, so all c are missed with probability
    :math:`\binom{g - c}{j} / \binom{g}{j}`.
    """
    n = before.shape[-1]
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    g = tied.sum(axis=-1, keepdims=True)
    j = tried - before.sum(axis=-1, keepdims=True)
    rest = g - np.cumsum(tied, axis=-1)
    chance = np.exp(
        log_factorial[rest]
        - log_factorial[np.maximum(rest - j, 0)]
        + log_factorial[g - j]
        - log_factorial[g]
    )
    possible = (rest >= j) & ~np.logical_or.accumulate(before, axis=-1)
    return np.where(possible, chance, 0.0)


def losses_within(
    ranks: FloatArray, goodness: FloatArray, costs: FloatArray, budgets: FloatArray
) -> FloatArray:
    """Return what is lost against the best when the ranking is tried until a budget is spent.

    Costs add up, one algorithm after another; of tied ones the cheapest is tried first. Until the
    first has finished there is nothing, which is held to be as bad as the worst.

    Parameters
    ----------
    ranks, goodness, costs : arrays (..., n)
        The recommended ranking, and the scores (higher is better) and costs on the data set.
    budgets : array (T,)
        What may be spent.

    Returns
    -------
    array (..., T)

    Examples
    --------
    >>> losses_within(
    ...     np.array([1.0, 2.0]), np.array([0.7, 0.9]), np.array([1.0, 5.0]),
    ...     np.array([0.5, 1.0, 5.9, 6.0]),
    ... ).round(3)
    array([0.2, 0.2, 0.2, 0. ])
    """
    costs, goodness = np.broadcast_to(costs, ranks.shape), np.broadcast_to(goodness, ranks.shape)
    order = np.lexsort(np.stack([costs, ranks]), axis=-1)
    spent = np.cumsum(np.take_along_axis(costs, order, axis=-1), axis=-1)
    reached = np.maximum.accumulate(np.take_along_axis(goodness, order, axis=-1), axis=-1)
    worst, best = goodness.min(axis=-1, keepdims=True), goodness.max(axis=-1, keepdims=True)
    reached = np.concatenate([worst, reached], axis=-1)
    losses = np.empty((*ranks.shape[:-1], budgets.size))
    for i, budget in enumerate(budgets.tolist()):
        finished = (spent <= budget).sum(axis=-1, keepdims=True)
        losses[..., i] = (best - np.take_along_axis(reached, finished, axis=-1))[..., 0]
    return losses


# --- how much a ranking depends on the data sets at hand ------------------------------------------


# Enough draws for a probability to be known within a hundredth or two.
_RESAMPLES = 2000

_INTERVAL = (0.025, 0.975)


@dataclass(frozen=True)
class MethodStability:
    """One method: its ranks on the whole table, and what becomes of them on resampled ones.

    ``places`` are the probabilities of the places 1, 2, …, ``rank_intervals`` the middle 95 % of
    the ranks; ``agreement`` is the mean correlation of resampled rankings with that of the whole
    table.
    """

    parts: ClassVar[tuple[str, ...]] = (
        "method", "order", "ranks", "places", "rank_intervals", "agreement",
    )  # fmt: skip

    method: str
    ranks: Mapping[str, float]
    places: Mapping[str, tuple[float, ...]]
    rank_intervals: Mapping[str, tuple[float, float]]
    agreement: float

    @property
    def order(self) -> tuple[str, ...]:
        """The algorithms, best first; tied ones by name."""
        return tuple(sorted(self.ranks, key=lambda name: (self.ranks[name], name)))


@dataclass(frozen=True, repr=False, eq=False)
class RankStability(Result):
    """The probability of each place, for each algorithm by each ranking method."""

    kind = "rank-stability"
    parts = (
        "algorithms", "measure", "n_datasets", "n_resamples", "seed", "methods", "notes",
    )  # fmt: skip

    algorithms: tuple[str, ...]
    measure: Measure
    n_datasets: int
    n_resamples: int
    seed: int
    methods: tuple[MethodStability, ...]
    notes: tuple[str, ...] = ()

    @property
    def by_method(self) -> dict[str, MethodStability]:
        """What was found, by the name of the method."""
        return {found.method: found for found in self.methods}

    def probability(self, algorithm: str, place: int, *, method: str | None = None) -> float:
        """Return the probability that an algorithm takes a place, by the first method if none."""
        method = method or next(iter(self.by_method))
        if method not in self.by_method:
            raise unknown_name("method", method, self.by_method)
        if algorithm not in self.algorithms:
            raise unknown_name("algorithm", algorithm, self.algorithms)
        k = len(self.algorithms)
        require(1 <= place <= k, "place", f"there are places 1 to {k}", place)
        return self.by_method[method].places[algorithm][place - 1]

    def __repr__(self) -> str:
        return (
            f"<RankStability: {', '.join(self.by_method)}; {self.n_resamples} resamples of "
            f"{self.n_datasets} data sets>"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per method, algorithm and place."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"method": found.method, "algorithm": name, "place": place, "probability": share}
                for found in self.methods
                for name, row in found.places.items()
                for place, share in enumerate(row, start=1)
            ]
        )


def rank_stability(
    table: Tabular,
    methods: Sequence[str] | None = None,
    *,
    n_resamples: int = _RESAMPLES,
    seed: int = 0,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    test: str | None = None,
    alpha: float | None = None,
    acc_d: float | None = None,
    **test_options: Any,
) -> RankStability:
    """Ask how probable each place is for each algorithm, had other data sets been drawn.

    Data sets are drawn anew from those at hand, with replacement, and ranked again; a tie counts
    evenly for the places it covers. Valid as far as the data sets are a sample of those one cares
    for. Tests on folds are not resampled: they belong to their data set.

    Parameters
    ----------
    table
        Scores on two data sets or more.
    methods
        Names of ranking methods as for `rank`; all that the table allows unless given.
    n_resamples, seed
        How many times, and the seed: the same gives the same numbers, and every method sees the
        same draws.
    cost, prior, test, alpha, acc_d, **test_options
        For the methods that take them, as for `rank`.

    Returns
    -------
    RankStability
        ``probability("svr", 1)`` is that of a place.

    See Also
    --------
    palio.rank : the rankings themselves.

    References
    ----------
    Efron (1979), Bootstrap methods: another look at the jackknife, Annals of Statistics 7.

    Examples
    --------
    >>> import palio
    >>> stability = palio.rank_stability(palio.load_study("ulas2008"), ["average-ranks"])
    >>> stability.probability("svr", 1) > 0.9
    True
    """
    table = as_table(table, reading_in(test_options), rank_stability)
    if table.n_datasets < 2:
        raise ParameterError(
            "table", "to draw data sets anew there must be two or more", "there is one"
        )
    rule = "at least one is needed"
    require(n_resamples >= 1, "n_resamples", rule, n_resamples, "2000 is usual")
    options = RankingOptions(cost, prior, test, alpha, acc_d, test_options)
    rankers, bound_notes = bind_rankings(table, methods, options)
    n = table.n_datasets
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=n_resamples)
    weights = drawn.astype(np.float64)
    whole = np.ones((1, n))
    return RankStability(
        algorithms=table.algorithms,
        measure=table.measure,
        n_datasets=n,
        n_resamples=n_resamples,
        seed=seed,
        methods=tuple(
            _stability(method, table.algorithms, ranker.ranks(whole)[0], ranker.ranks(weights))
            for method, ranker in rankers.items()
        ),
        notes=(
            *table.notes,
            *bound_notes,
            f"bootstrap: {n_resamples} draws of {n} data sets with replacement, seed {seed}; a "
            "tie counts evenly for the places it covers",
        ),
    )


def _stability(
    method: str, names: Sequence[str], ranks: FloatArray, resampled: FloatArray
) -> MethodStability:
    low, high = np.quantile(resampled, _INTERVAL, axis=0).tolist()
    places = place_counts(resampled) / len(resampled)
    return MethodStability(
        method=method,
        ranks=dict(zip(names, ranks.tolist(), strict=True)),
        places=dict(zip(names, map(tuple, places.tolist()), strict=True)),
        rank_intervals=dict(zip(names, zip(low, high, strict=True), strict=True)),
        agreement=float(spearman(resampled, ranks).mean()),
    )
