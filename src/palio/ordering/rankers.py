"""Ranking methods made ready for a table: what does not depend on the data sets chosen, once.

A `Ranker` is then asked for any number of subsets at a time, as a leave-one-out evaluation and a
bootstrap do; tests on folds, ratios and ranks are not made again. ``weights`` (n, S) says how often
each of S data sets counts: a row of ones for the whole table, a zero for the data set left out,
counts for a bootstrap.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from palio.comparison.corrections import check_alpha
from palio.comparison.fold_tests import FOLD_TESTS, bind_fold_test
from palio.comparison.on_folds import check_splits
from palio.errors import CellError, ParameterError, require
from palio.measures import Measure, is_error_rate
from palio.ordering.arrays import complete_goodness, run_first_pass
from palio.ordering.graph import inverse_permutation, topological_order
from palio.ordering.prior import Cost, prior_from, prior_order
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.scores.scale import scores_of
from palio.stats.additive import adjusted_mean_ranks, adjusted_means, log_costs
from palio.stats.posthoc import critical_difference
from palio.stats.rank_sets import rank_sets
from palio.stats.ranks import average_ranks, paired_difference, ranks_of_present
from palio.stats.strengths import (
    Strengths,
    ends,
    fit_strengths,
    games_of_ranks,
    over_datasets,
    told_apart,
)
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

    ``order_by`` (lower is better) has the order of ``scores`` and is cheaper; ``spread`` gives the
    low and high ends (2, K) of the scores on the whole table, and the first and the last rank
    (K, 2) that these leave open, all at once.
    """

    scores: Weighted
    higher_is_better: bool
    notes: tuple[str, ...] = ()
    order_by: Weighted | None = None
    spread: Callable[[], tuple[FloatArray, IntArray]] | None = None

    def ranks(self, weights: FloatArray) -> FloatArray:
        """Rank the algorithms, 1 the best, ties sharing the mean rank: (n, S) to (n, K)."""
        if self.order_by is not None:
            return average_ranks(self.order_by(weights))
        scores = self.scores(weights)
        return average_ranks(-scores if self.higher_is_better else scores)


def weighted_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean over data sets: (S, K) values and (n, S) weights to (n, K).

    >>> weighted_mean(np.array([[1.0, 4.0], [3.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 2.0]]))
    array([[2., 2.],
           [3., 0.]])
    """
    found: FloatArray = weights @ values / weights.sum(axis=-1, keepdims=True)
    return found


def of_drawn(estimate: Callable[[IntArray], FloatArray], weights: FloatArray) -> FloatArray:
    """Return what is estimated (K,) from each choice of data sets: (n, S) weights to (n, K).

    ``estimate`` is given the data sets, each as often as it counts. One that has met nobody, whose
    estimate is NaN, is put in the middle.

    >>> values = np.array([[1.0, 3.0, np.nan], [1.0, 2.0, np.nan]])
    >>> of_drawn(lambda rows: values[rows].mean(axis=0), np.array([[1.0, 2.0]]))
    array([[1.        , 2.33333333, 1.66666667]])
    """
    places = np.arange(weights.shape[1])
    found = np.array([estimate(np.repeat(places, row)) for row in weights.astype(np.intp)])
    there = ~np.isnan(found)
    sums = np.where(there, found, 0.0).sum(axis=1, keepdims=True)
    middle = sums / np.maximum(there.sum(axis=1, keepdims=True), 1)
    return np.where(there, found, middle)


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
    return Ranker(
        _means(ranks, lambda rows: adjusted_mean_ranks(ranks[rows], of[rows])),
        higher_is_better=False,
        notes=() if table.is_complete else (_ADJUSTED,),
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
        functools.partial(weighted_median, ranks),
        higher_is_better=False,
        notes=("medians tie easily; tied algorithms share a rank",),
    )


def weighted_median(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the median over data sets; between two data sets it is their mean.

    >>> ranks = np.array([[1.0], [2.0], [4.0]])
    >>> weighted_median(ranks, np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 3.0]]))
    array([[2. ],
           [1.5],
           [4. ]])
    """
    half = weights.sum(axis=-1, keepdims=True) / 2
    found = np.empty((len(weights), values.shape[1]))
    for j, column in enumerate(values.T):
        order = np.argsort(column, kind="stable")
        passed = np.cumsum(weights[:, order], axis=-1)
        ordered = column[order]
        lower = ordered[np.argmax(passed >= half, axis=-1)]
        upper = ordered[np.argmax(passed > half, axis=-1)]
        found[:, j] = (lower + upper) / 2
    return found


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
    return _means(values, lambda rows: adjusted_means(values[rows]))


def _means(values: FloatArray, adjusted: Callable[[IntArray], FloatArray]) -> Weighted:
    """Return what gives the means over data sets; adjusted ones where values are missing."""
    if np.isnan(values).any():
        return functools.partial(of_drawn, adjusted)
    return functools.partial(weighted_mean, values)


def goodness_of(table: ScoreTable, *, gaps: bool = False) -> FloatArray:
    """Return the mean scores (S, K), higher is better; missing ones only where they may be."""
    if table.n_algorithms < 2:
        raise ParameterError("algorithms", "a ranking needs two or more", "there is one")
    if gaps:
        return table.goodness()
    others = "'average-ranks', 'mean-score', 'bradley-terry', 'elo' and 'copeland' do without"
    return complete_goodness(table, "this ranking needs all scores", f"; {others}")


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
    beats = np.zeros((table.n_datasets, k, k), dtype=np.bool_)
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
            beats[row, first, second] = found & (lead > 0)
            beats[row, second, first] = found & (lead < 0)
    return Ranker(
        functools.partial(weighted_mean, beats.sum(axis=-1) / (k - 1)),
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
    return Ranker(functools.partial(copeland_scores, ranks), higher_is_better=True)


def copeland_scores(ranks: FloatArray, weights: FloatArray) -> FloatArray:
    """Return opponents beaten on most data sets minus those lost to: (S, K) ranks to (n, K).

    A missing rank (NaN) neither wins nor loses.

    >>> ranks = np.array([[1.0, 2.0, 3.0], [2.5, 1.0, 2.5], [1.0, 3.0, 2.0]])
    >>> copeland_scores(ranks, np.ones((1, 3)))
    array([[ 2.,  0., -2.]])
    """
    scores = np.empty((len(weights), ranks.shape[1]))
    for i, own in enumerate(ranks.T[..., np.newaxis]):
        lead = np.subtract(own < ranks, own > ranks, dtype=np.float64)
        scores[:, i] = np.sign(weights @ lead).sum(axis=-1)
    return scores


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
    by_design = "5x2cv-f" if table.design().kind == "5x2" else "corrected-t"
    test = FOLD_TESTS[options.test or by_design]
    preference = prior_from(table, cost=options.cost, prior=options.prior)
    given = options.test_options
    first_pass = run_first_pass(
        table, preference, test=test, correction=None, alpha=alpha, options=given
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


# --- by ratios ------------------------------------------------------------------------------------


def success_rate_ratios_of(table: ScoreTable, _options: RankingOptions) -> Ranker:
    r"""Rank by the mean ratio of success rates to those of the others (brazdil2000 §2.2).

    By which factor is an algorithm's success rate above that of the others? Valid for shares of
    successes, or of errors, alone.

    Notes
    -----
    With the success rates of m algorithms on each of n data sets d:

    .. math::

        \mathrm{SRR}_j = \frac{1}{n} \sum_{d=1}^{n} \frac{1}{m - 1}
        \sum_{k \ne j} \frac{\mathrm{SR}_{dj}}{\mathrm{SR}_{dk}}
    """
    goodness_of(table)
    success, note = success_rates(table, method="success-rate-ratios")
    ratios = success_rate_ratios(success)
    return Ranker(functools.partial(weighted_mean, ratios), higher_is_better=True, notes=(note,))


def success_rate_ratios(success: FloatArray) -> FloatArray:
    r"""Return each algorithm's mean ratio to the others on each data set (brazdil2000 §2.2).

    Of success rates (S, m), all positive. The paper takes the mean over data sets first and over
    opponents then; as both are means, and every pair has all data sets, the order of the two does
    not matter.

    Notes
    -----
    .. math::

        \mathrm{SRR}_j = \frac{1}{m - 1} \sum_{k \ne j} \frac{\mathrm{SR}_j}{\mathrm{SR}_k}

    Examples
    --------
    On australian, timbl errs on 19.13 % and discrim on 14.06 %.

    >>> success_rate_ratios(1 - np.array([[0.1913, 0.1406]])).round(3)
    array([[0.941, 1.063]])
    """
    m = success.shape[-1]
    # Σ_k SR_j / SR_k includes k = j, whose ratio is 1.
    found: FloatArray = (success * (1 / success).sum(axis=-1, keepdims=True) - 1) / (m - 1)
    return found


ACC_D = 0.01
"""A hundredth of success for a tenfold speed, the middle of the paper's three."""


def adjusted_ratios_of(table: ScoreTable, options: RankingOptions) -> Ranker:
    r"""Rank by accuracy and time together (Brazdil, Soares and da Costa 2003).

    Who is best, if a tenfold speed is worth a stated share of success (``acc_d``)? Valid for shares
    of successes or of errors, and one cost.

    Notes
    -----
    With success rates SR and times T on each data set, and AccD the share of success for a tenfold
    speed:

    .. math::

        \mathrm{ARR}_{jk} = \frac{\mathrm{SR}_j / \mathrm{SR}_k}
        {1 + \mathrm{AccD} \log_{10}(T_j / T_k)}

    of which the geometric mean over the data sets is taken, and then the mean over opponents k. A
    time of 0, as published tables have it for less than a hundredth, counts as half of the least
    above 0.
    """
    goodness_of(table)
    acc_d = ACC_D if options.acc_d is None else options.acc_d
    rule = "the share of success given for a tenfold speed is 0 or more"
    require(0 <= acc_d < np.inf, "acc_d", rule, acc_d, "0.01 is a hundredth")
    success, note = success_rates(table, method="adjusted-ratios")
    name, time = _time(table, options.cost)
    _check_penalty(table, time, acc_d)
    zero = "; 0 counts as half of the least above 0" * bool((table.cost_matrix(name) == 0).any())
    return Ranker(
        functools.partial(adjusted_ratios, success, time, acc_d),
        higher_is_better=True,
        notes=(note, f"time: {name}; AccD = {acc_d:g} of success for a tenfold speed{zero}"),
    )


def adjusted_ratios(
    success: FloatArray, time: FloatArray, acc_d: float, weights: FloatArray
) -> FloatArray:
    """Return the mean adjusted ratio of ratios: accuracy and time together, (…, data sets) weights.

    The formula is that of `adjusted_ratios_of`. Every denominator must
    be positive.

    References
    ----------
    P. B. Brazdil, C. Soares and J. P. da Costa (2003), Ranking learning algorithms: using IBL and
    meta-learning on accuracy and time results, Machine Learning 50.

    Examples
    --------
    Equally good, ten times as slow, a tenth of success for it: 1 / 1.1 and 1 / 0.9.

    >>> slow = np.array([[10.0, 1.0]])
    >>> adjusted_ratios(np.array([[0.8, 0.8]]), slow, 0.1, np.array([[1.0]])).round(4)
    array([[0.9091, 1.1111]])
    """
    m = success.shape[-1]
    rate, log = np.log(success), np.log10(time)
    total: FloatArray = np.full((*weights.shape[:-1], m), -1.0)  # of itself one time as good
    for k in range(m):
        opponent = slice(k, k + 1)
        ratio = rate - rate[:, opponent] - np.log1p(acc_d * (log - log[:, opponent]))
        total += np.exp(weighted_mean(ratio, weights))
    found: FloatArray = total / (m - 1)
    return found


def _time(table: ScoreTable, cost: Cost | None) -> tuple[str, FloatArray]:
    """Return the one cost that is weighed against success; 0 counts as `log_costs` has it."""
    names = [cost] if isinstance(cost, str) else list(cost or ())
    if len(names) != 1:
        known = ", ".join(table.cost_names) or "none"
        raise ParameterError(
            "cost",
            "'adjusted-ratios' weighs success against one cost",
            f"{len(names)} are given",
            f"name one (the table has: {known})",
        )
    return names[0], np.exp(log_costs(table.cost_matrix(names[0])))


def _check_penalty(table: ScoreTable, time: FloatArray, acc_d: float) -> None:
    """Refuse costs so far apart that the adjustment changes its sign: ARR has no meaning there."""
    apart = np.log10(time.max(axis=1) / time.min(axis=1))
    worst = int(apart.argmax())
    if acc_d * apart[worst] >= 1:
        raise ParameterError(
            "acc_d",
            f"on {table.datasets[worst]!r} the slowest takes {10 ** apart[worst]:.3g} times as "
            f"long as the quickest, so AccD must stay below {1 / apart[worst]:.3g}",
            f"{acc_d:g} was given",
        )


# --- success rates ------------------------------------------------------------------------------


def success_rates(table: ScoreTable, *, method: str) -> tuple[FloatArray, str]:
    """Return the success rates (S, K) of a table, and in a note how they were read.

    Success is the score itself where it is a share, in [0, 1] or in per cent, and 1 − error where
    it is an error rate. Ratios of anything else have no meaning, and are refused.

    Examples
    --------
    >>> table = ScoreTable.from_arrays(
    ...     [[19.13, 14.06]], datasets=["australian"], algorithms=["timbl", "discrim"],
    ...     measure="error",
    ... )
    >>> rates, note = success_rates(table, method="success-rate-ratios")
    >>> rates.round(2), note
    (array([[80.87, 85.94]]), 'success: 100 − error, in per cent')
    """
    measure, means = table.measure, table.means()
    whole = _whole(measure, means)
    if whole is None:
        raise ParameterError(
            "method",
            f"'{method}' takes ratios of success rates",
            f"{measure.name!r} is none: a score from 0 to 1 or in per cent is needed, or an error "
            "rate",
            "'average-ranks' needs nothing but the order",
        )
    unit = "in per cent" if whole > 1 else "as a fraction"
    if measure.higher_is_better:
        success, note = means, f"success: {measure.name} as it is, {unit}"
    else:
        success, note = whole - means, f"success: {whole:g} − {measure.name}, {unit}"
    rule, remedy = "divides by success rates", "leave one of them out, or use 'average-ranks'"
    _check_positive(table, success, "method", f"'{method}' {rule}", remedy)
    return success, note


def _whole(measure: Measure, means: FloatArray) -> float | None:
    """Return what all successes together are, 1 or 100; nothing if the measure is no share."""
    if measure.is_ordinal:
        return None
    starts_at_zero = measure.lower == 0 or (measure.lower is None and measure.upper is None)
    is_share = starts_at_zero if measure.higher_is_better else is_error_rate(measure.name)
    if not is_share or means.min() < 0 or means.max() > 100:
        return None
    return 1.0 if means.max() <= 1 else 100.0


def _check_positive(
    table: ScoreTable, values: FloatArray, option: str, rule: str, remedy: str
) -> None:
    zeros = np.argwhere(values <= 0)
    if zeros.size:
        row, column = zeros[0].tolist()
        whose = f"that of {table.algorithms[column]!r} on {table.datasets[row]!r}"
        raise CellError(option, rule, f"{whose} is {values[row, column]:g}", remedy)


# --- by strengths ---------------------------------------------------------------------------------


ELO_SCALE, ELO_CENTRE = 400 / np.log(10), 1500.0
"""On Elo's scale 400 points are odds of ten to one, and the average player has 1500."""

_LEVEL = 0.05

_UNITS = (
    "a tie is half a win for each; 95 % intervals and ranks take data sets, not games, as "
    "independent (sandwich estimator); the ranks hold all at once"
)
_SAME_ORDER = (
    "no score is missing, so the order is that of average-ranks; what is new is how far apart the "
    "strengths are"
)
_PENALTY = (
    "someone never lost, or never won, so the maximum is not finite: a normal penalty with "
    "standard deviation 10 keeps the strengths finite"
)


def bradley_terry_of(table: ScoreTable, _options: RankingOptions) -> Ranker:
    r"""Rank by strengths, of which the differences are log-odds of winning on a data set.

    How far apart are the algorithms, as odds of winning? Only who is better counts, and missing
    scores are allowed. Strengths of algorithms that no chain of data sets joins cannot be compared.

    Notes
    -----
    With :math:`w_i` the wins of i in :math:`n_{ij}` games against each j, the strengths β solve

    .. math::

        w_i = \sum_j \frac{n_{ij}}{1 + e^{\beta_j - \beta_i}}

    With every score present all have equally many games, and then the order of the strengths is
    that of the wins, hence of the average ranks, for the right side grows with :math:`\beta_i`. The
    games of one data set are not independent; the intervals count data sets
    (`palio.stats.strengths.over_datasets`), and so do the sets of ranks, which all hold at once
    (`told_apart`).
    """
    return _by_strength(table)


def elo_of(table: ScoreTable, options: RankingOptions) -> Ranker:
    r"""Rank by the ratings at which Elo's updates cancel out, whatever the order of the games.

    What would the algorithms' Elo ratings be after endlessly many games? As `bradley_terry_of`,
    on Elo's scale, as arenas give it. The average of a part has 1500, or one algorithm, the anchor.

    Notes
    -----
    With the strengths β of `bradley_terry_of`:

    .. math::

        \mathrm{rating}_i = 1500 + \frac{400}{\ln 10}\, \beta_i

    An update adds κ times the result less its expectation to a rating; summed over all games this
    is κ times the slope of Bradley and Terry's likelihood, so the point at rest is their strengths.
    With an anchor, 1500 and the intervals are about the difference to it.
    """
    anchor = options.anchor
    if anchor is not None and anchor not in table.algorithms:
        raise unknown_name("anchor", anchor, table.algorithms)
    fixed = "the mean is 1500" if anchor is None else f"{anchor} is fixed at 1500"
    notes = (
        "the ratings at which Elo's updates over all games add up to nothing: Bradley–Terry "
        "strengths on his scale, so the order of the games does not matter",
        f"400 points are odds of ten to one, and {fixed}",
    )
    at = None if anchor is None else table.algorithms.index(anchor)
    return _by_strength(table, notes, ELO_SCALE, ELO_CENTRE, at)


def _by_strength(
    table: ScoreTable,
    notes: tuple[str, ...] = (),
    scale: float = 1.0,
    centre: float = 0.0,
    anchor: int | None = None,
) -> Ranker:
    """Rank by strengths on a scale, on which the mean of a part or the anchor is the centre."""
    ranks, of = ranks_of_present(-goodness_of(table, gaps=True))

    def origin(fit: Strengths) -> FloatArray:
        """Return what is subtracted of each strength: that of the anchor in its part."""
        at = np.zeros(fit.values.size)
        if anchor is not None:
            at[fit.parts == fit.parts[anchor]] = fit.values[anchor]
        return at

    def scores(weights: FloatArray) -> FloatArray:
        fits = [fit_strengths(games_of_ranks(ranks, row)) for row in weights]
        # Newton's method stops some 1e-12 from the maximum: what is closer is equal.
        found = [(fit.values - origin(fit)).round(9) for fit in fits]
        return np.asarray(centre + scale * np.array(found))

    def spread() -> tuple[FloatArray, IntArray]:
        """Return 95 % intervals, by t with as many degrees as data sets, and ranks left open."""
        fit = fit_strengths(games_of_ranks(ranks))
        covariance = over_datasets(fit, ranks)
        n = (~np.isnan(ranks))[of > 1].sum(axis=0).astype(np.float64)
        sets = np.ones((fit.parts.size, 2), dtype=np.intp)
        for part in range(fit.parts.max() + 1):
            ours = np.flatnonzero(fit.parts == part)
            if ours.size > 1:
                own = covariance[np.ix_(ours, ours)]
                sets[ours] = rank_sets(told_apart(fit.values[ours], own, n[ours], alpha=_LEVEL))
        variance = np.diagonal(covariance).copy()
        if anchor is not None:
            ours = fit.parts == fit.parts[anchor]
            variance += np.where(ours, variance[anchor] - 2 * covariance[anchor], 0.0)
            n = np.where(ours, np.minimum(n, n[anchor]), n)
        low_high = ends(fit.values - origin(fit), variance, n, alpha=_LEVEL)
        return np.asarray(centre + scale * low_high), sets

    by_mean_rank = functools.partial(weighted_mean, ranks) if table.is_complete else None
    remarks = [*notes, _UNITS]
    if table.is_complete:
        remarks.append(_SAME_ORDER)
    if not games_of_ranks(ranks).bounded.all():
        remarks.append(_PENALTY)
    return Ranker(
        scores, higher_is_better=True, notes=tuple(remarks), order_by=by_mean_rank, spread=spread
    )
