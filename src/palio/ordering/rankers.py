"""Ranking methods made ready for a table: what does not depend on the data sets chosen, once.

A `Ranker` is then asked for any number of subsets at a time, as a leave-one-out evaluation and a
bootstrap do; tests on folds, ratios and ranks are not made again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from palio.comparison.corrections import CORRECTIONS, check_alpha
from palio.comparison.fold_tests import FOLD_TESTS, bind_fold_test
from palio.comparison.on_folds import check_splits
from palio.errors import MissingCellsError, Option, ParameterError
from palio.ordering import ranking_scores
from palio.ordering.first_pass import run_first_pass
from palio.ordering.graph import inverse_permutation, topological_order
from palio.ordering.prior import Cost, prior_from, prior_order
from palio.ordering.ranking_scores import weighted_mean
from palio.scores import ScoreTable
from palio.scores.scale import scores_of
from palio.stats.additive import adjusted_mean_ranks, adjusted_means
from palio.stats.posthoc import critical_difference
from palio.stats.ranks import average_ranks, paired_difference, ranks_of_present
from palio.types import FloatArray, IntArray

Weighted = Callable[[FloatArray], FloatArray]
"""From weights of data sets (n, S) to a value for each algorithm (n, K)."""


@dataclass(frozen=True)
class RankingOptions:
    """What some methods are told besides the table; ``None`` is the method's own choice."""

    cost: Cost | None = None
    prior: Sequence[str] | None = None
    test: str | None = None
    alpha: float | None = None
    acc_d: float | None = None
    test_options: Mapping[str, float] = field(default_factory=dict)
    anchor: str | None = None

    def given(self) -> dict[str, Any]:
        """Return those that were given."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, {})}

    @property
    def level(self) -> float:
        """The significance level of tests on folds."""
        return 0.05 if self.alpha is None else self.alpha


@dataclass(frozen=True, eq=False)
class Ranker:
    """A ranking method made ready for one table.

    ``order_by`` (lower is better) has the order of ``scores`` and is cheaper; ``interval`` gives
    the lower and upper ends (2, K) of the scores on the whole table, and ``rank_sets`` the first
    and the last rank (K, 2) that these leave open, all at once.
    """

    scores: Weighted
    higher_is_better: bool
    notes: tuple[str, ...] = ()
    order_by: Weighted | None = None
    interval: Callable[[], FloatArray] | None = None
    rank_sets: Callable[[], IntArray] | None = None

    def ranks(self, weights: FloatArray) -> FloatArray:
        """Rank the algorithms, 1 the best, ties sharing the mean rank: (n, S) to (n, K)."""
        if self.order_by is not None:
            return average_ranks(self.order_by(weights))
        scores = self.scores(weights)
        return average_ranks(-scores if self.higher_is_better else scores)


# --- by ranks and means ------------------------------------------------------------------------


def average_ranks_of(table: ScoreTable, _options: RankingOptions) -> Ranker:
    r"""Rank by the mean of the ranks on the data sets (brazdil2000 §2.1).

    Who is best on average, if only the order on each data set counts? Scores need not be
    commensurable between data sets. Ties share the mean of their ranks. Missing scores are
    allowed: the mean is then adjusted for whom each algorithm has met, so valid where scores are
    not missing because they would have been bad.

    Notes
    -----
    With :math:`r_{dj}` the rank of algorithm j on data set d of n:

    .. math::

        R_j = \frac{1}{n} \sum_{d=1}^{n} r_{dj}

    Where only :math:`m_d` of the K algorithms have a score, effects of data sets and algorithms
    are fitted to :math:`r_{dj} / (m_d + 1)` by least squares, and

    .. math::

        R_j = (K + 1) (\bar a + b_j)
    """
    ranks, of = ranks_of_present(-goodness_of(table, gaps=True))
    if table.is_complete:
        return Ranker(functools.partial(weighted_mean, ranks), higher_is_better=False)
    return Ranker(
        functools.partial(
            ranking_scores.of_drawn, lambda rows: adjusted_mean_ranks(ranks[rows], of[rows])
        ),
        higher_is_better=False,
        notes=(_ADJUSTED,),
    )


_ADJUSTED = (
    "scores are missing: means allow for whom each algorithm has met (least squares, effects of "
    "algorithms and data sets)"
)


def median_ranks_of(table: ScoreTable, _options: RankingOptions) -> Ranker:
    r"""Rank by the median of the ranks on the data sets.

    As `average_ranks_of`, but a few data sets on which an algorithm fails do not count for more
    than others. Ties are frequent, for there are few different medians.

    Notes
    -----
    With :math:`r_{dj}` the rank of algorithm j on data set d:

    .. math::

        M_j = \mathrm{median}_d\, r_{dj}
    """
    ranks = average_ranks(-goodness_of(table))
    return Ranker(
        functools.partial(ranking_scores.weighted_median, ranks),
        higher_is_better=False,
        notes=("medians tie easily; tied algorithms share a rank",),
    )


def mean_score_of(table: ScoreTable, _options: RankingOptions) -> Ranker:
    r"""Rank by the mean score over the data sets.

    Who has the best mean score? Valid where a difference, or on a ratio scale a ratio, means the
    same on every data set: one with large differences decides over many with small ones. Missing
    scores are allowed, as by `average_ranks_of`.

    Notes
    -----
    With :math:`s_{dj}` the mean score of algorithm j on data set d of n:

    .. math::

        S_j = \frac{1}{n} \sum_{d=1}^{n} s_{dj}

    On a ratio scale it is the geometric mean, in units of the data sets' medians.
    """
    goodness_of(table, gaps=True)
    measure = table.measure
    if measure.is_ordinal:
        raise ParameterError(
            "method",
            f"'mean-score' averages {measure.name}",
            "only who is better on each data set counts",
            "'average-ranks' needs nothing but the order",
        )
    means = mean_goodness(table)
    ratio = measure.scale == "ratio"
    said = (
        f"geometric means of {measure.name}, in units of the data sets' medians"
        if ratio
        else f"the mean supposes that {measure.name} is commensurable between data sets"
    )
    return Ranker(
        lambda weights: scores_of(means(weights), measure),
        higher_is_better=measure.goodness_sign > 0,
        notes=(said,) if table.is_complete else (said, _ADJUSTED),
        order_by=lambda weights: -means(weights),
    )


def mean_goodness(table: ScoreTable) -> Weighted:
    """Return what gives the mean of each algorithm on the scale, higher is better.

    On an order scale it is minus the mean rank.
    """
    if table.measure.is_ordinal:
        ranks = average_ranks_of(table, RankingOptions()).scores
        return lambda weights: -ranks(weights)
    values = table.scaled().for_means
    if not np.isnan(values).any():
        return functools.partial(weighted_mean, values)
    return functools.partial(ranking_scores.of_drawn, lambda rows: adjusted_means(values[rows]))


def goodness_of(table: ScoreTable, *, gaps: bool = False) -> FloatArray:
    """Return the mean scores (S, K), higher is better; missing ones only where they may be."""
    if table.n_algorithms < 2:
        raise ParameterError("algorithms", "a ranking needs two or more", "there is one")
    goodness = table.goodness()
    if not gaps and np.isnan(goodness).any():
        raise MissingCellsError(
            "missing",
            f"{int(np.isnan(goodness).sum())} of {goodness.size} scores are missing",
            "this ranking needs all",
            "'average-ranks', 'mean-score', 'bradley-terry', 'elo' and 'copeland' do without, or "
            f"read the table with {Option('missing', 'drop-datasets')}",
        )
    return goodness


def complete_goodness(table: ScoreTable, rule: str) -> FloatArray:
    """Return the mean scores (S, K), higher is better, where by some rule none may be missing."""
    if not table.is_complete:
        raise MissingCellsError(
            "missing",
            rule,
            "some scores are missing",
            f"read the table with {Option('missing', 'drop-datasets')}",
        )
    return goodness_of(table)


# --- by pairs ----------------------------------------------------------------------------------


def significant_wins_of(table: ScoreTable, options: RankingOptions) -> Ranker:
    r"""Rank by the share of tests on folds that are won (brazdil2000 §2.3).

    Against how many opponents does an algorithm win beyond chance, data set by data set? Valid as
    far as the test on folds is. Losses are not subtracted.

    Notes
    -----
    With :math:`w_{djk}` 1 where j beats k significantly on data set d, else 0, of m algorithms on n
    data sets:

    .. math::

        \mathrm{pw}_j = \frac{1}{n (m - 1)} \sum_{d=1}^{n} \sum_{k \ne j} w_{djk}
    """
    goodness_of(table)
    check_alpha(options.level)
    test = FOLD_TESTS[options.test or "kfold-t"]
    k = table.n_algorithms
    first, second = np.triu_indices(k, 1)
    wins = np.zeros((table.n_datasets, first.size), dtype=np.bool_)
    losses = np.zeros_like(wins)
    for dataset in table.datasets:
        check_splits(table, dataset)
    for group in table.by_design():
        name = group.datasets[0]
        bound = bind_fold_test(test.name, group.design, options.test_options, dataset=name)
        for row, scores in zip(group.rows, group.goodness(), strict=True):
            a, b = scores[first], scores[second]
            p_value = bound(a, b, alternative="two-sided").p_value
            lead = paired_difference(a.mean(axis=(-2, -1)), b.mean(axis=(-2, -1)))
            found = p_value <= options.level
            wins[row], losses[row] = found & (lead > 0), found & (lead < 0)
    return Ranker(
        functools.partial(weighted_mean, ranking_scores.win_shares(wins, losses, k)),
        higher_is_better=True,
        notes=(
            f"wins: {test.title}, two-sided at α = {options.level:g}, not corrected; losses are "
            "not subtracted",
        ),
    )


def copeland_of(table: ScoreTable, _options: RankingOptions) -> Ranker:
    r"""Rank by opponents beaten on most data sets, minus those lost to.

    Which opponents does an algorithm beat on more data sets than it loses to them? Only the order
    counts. Missing scores are allowed.

    Notes
    -----
    With :math:`b_{jk}` the number of data sets on which j is better than k:

    .. math::

        C_j = \sum_{k \ne j} \mathrm{sign}(b_{jk} - b_{kj})
    """
    ranks, _ = ranks_of_present(-goodness_of(table, gaps=True))
    return Ranker(functools.partial(ranking_scores.copeland_scores, ranks), higher_is_better=True)


# --- by tests and cost -------------------------------------------------------------------------


def multi2test_of(table: ScoreTable, options: RankingOptions) -> Ranker:
    r"""Take Multi²Test's order (ulas2008), with Nemenyi's test as its second pass.

    Who comes first, if the cheaper is preferred among those that do not differ? Valid as far as the
    test on folds is; needs a cost or an order of preference.

    Notes
    -----
    The places are those of `multi2test`; mean places of k algorithms on n data sets differ from
    Nemenyi's critical difference on, q being the upper quantile of the studentized range:

    .. math::

        P_i - P_j \ge q_\alpha(k) \sqrt{\frac{k (k + 1)}{12 n}}
    """
    goodness_of(table)
    means, alpha = mean_goodness(table), options.level
    check_alpha(alpha)
    by_design = "5x2cv-f" if table.design().kind == "5x2" else "corrected-t"
    test = FOLD_TESTS[options.test or by_design]
    preference = prior_from(table, cost=options.cost, prior=options.prior)
    first_pass = run_first_pass(
        table,
        preference,
        test=test,
        correction=CORRECTIONS["none"],
        alpha=alpha,
        options=options.test_options,
    )
    on_each = first_pass.arrays.ranks.astype(np.float64)
    k = table.n_algorithms

    def places(weights: FloatArray) -> FloatArray:
        prior = prior_order(
            weighted_mean(preference.values, weights),
            means(weights),
            table.algorithms,
        )
        mean_places = np.take_along_axis(weighted_mean(on_each, weights), prior, axis=-1)
        lead = mean_places[:, :, np.newaxis] - mean_places[:, np.newaxis, :]
        counts, which = np.unique(weights.sum(axis=-1), return_inverse=True)
        enough = np.array([critical_difference(k, int(n), alpha) for n in counts])[which]
        edges = np.triu(lead >= enough[:, np.newaxis, np.newaxis], 1)
        taken, _ = topological_order(edges)
        order = np.take_along_axis(prior, taken, axis=-1)
        return (inverse_permutation(order) + 1).astype(np.float64)

    return Ranker(
        places,
        higher_is_better=False,
        notes=(
            *preference.notes,
            f"first pass: {test.title} at α = {alpha:g}; second pass: Nemenyi; ties do not occur",
        ),
    )
