"""The checks of an audit that ask whether a procedure keeps what it promises, and what is luck."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from palio.comparison.audit.report import (
    CheckReport,
    Context,
    ErrorRate,
    FewerSplits,
    Skewness,
    WinnersLuck,
    not_asked,
)
from palio.comparison.procedure import Procedure
from palio.comparison.sample import largest_part, slabs
from palio.numbers import number, percent, relative
from palio.scores.scale import scores_of
from palio.stats import adjust
from palio.stats.luck import Strata, winners_luck
from palio.stats.posthoc import critical_difference
from palio.stats.ranks import TIE_TOLERANCE, average_ranks
from palio.types import FloatArray, IntArray
from palio.words import count

TRIALS = 1000

# Simulated tables × data sets × algorithms squared, for each situation: some seconds.
_WORK = 60_000_000
_LEAST_TRIALS, _LEAST_ALGORITHMS = 60, 10


@dataclass(frozen=True)
class Situation:
    """Algorithms of which the first ``equal`` are the same, beside others that are not."""

    name: str
    equal: int
    draw: Callable[[np.random.Generator, int], FloatArray]


def situations(k: int) -> list[Situation]:
    """Return what the other algorithms may be like; a good procedure does not care."""

    def shifted(offsets: FloatArray) -> Callable[[np.random.Generator, int], FloatArray]:
        return lambda rng, n: rng.standard_normal((n, k)) + offsets

    found = [Situation("all are equal", k, shifted(np.zeros(k)))]
    if k > 2:
        worse = np.where(np.arange(k) == k - 1, -50.0, 0.0)
        found.append(Situation("one is far worse than the rest", k - 1, shifted(worse)))
        found.append(
            Situation("the others are weak variants of one of two equals", 2, _variants(k))
        )
    if k > 3:
        far = np.where(np.arange(k) < k // 2, 0.0, 50.0 * np.arange(k))
        found.append(Situation("half of them are far better", k // 2, shifted(far)))
    return found


def _variants(k: int) -> Callable[[np.random.Generator, int], FloatArray]:
    """Put the others right behind the first: where it loses to the second, so do they."""

    def draw(rng: np.random.Generator, n: int) -> FloatArray:
        two = rng.standard_normal((n, 2))
        behind = two[:, :1] - 1e-6 * np.arange(1, k - 1)
        return np.hstack([two, behind])

    return draw


def error_rate(context: Context) -> CheckReport:
    r"""Simulate how often a procedure finds differences that are not there (benavoli2016 §4.4).

    How often would any two equal algorithms be told apart by mistake, on as many data sets as
    these? Only the equal ones count, whatever the others are: a mean-ranks test takes the
    difference and its standard error from all of them, and so does not hold its level (§4.1,
    §4.4). Valid for normal scores that are independent between data sets. With many algorithms
    fewer tables are simulated, and then fewer algorithms; the check says how many.

    Notes
    -----
    With N simulated tables in each situation, of which w have any false difference, the level is
    not held where

    .. math::

        \frac{w}{N} > \alpha + 3 \sqrt{\frac{\alpha (1 - \alpha)}{N}}

    References
    ----------
    Benavoli, Corani and Mangili (2016), Should we really use post-hoc tests based on mean-ranks?
    JMLR 17, sections 4.1 and 4.4.
    """
    # How many data sets two algorithms share, the median of the pairs.
    n, of = int(np.median(context.shared)), len(context.names)
    trials, k = _size(n, of)
    rng = np.random.default_rng(context.seed)
    mean_ranks = Procedure.asked("mean-ranks", "nemenyi", context.alpha)
    asked = [context.procedure]
    if (context.procedure.method, context.procedure.correction) != (
        "mean-ranks",
        mean_ranks.correction,
    ):
        asked.append(mean_ranks)
    rows = [
        ErrorRate(
            procedure.method,
            procedure.correction.name,
            situation.name,
            _family_wise(situation, n, procedure, rng, trials),
            trials,
            k,
        )
        for procedure in asked
        for situation in situations(k)
    ]
    # Three standard errors above the level: not by chance.
    limit = context.alpha + 3 * np.sqrt(context.alpha * (1 - context.alpha) / trials)
    return CheckReport(
        "error-rate",
        f"how often would any of {k} algorithms on {n} data sets be told apart by mistake?",
        tuple(
            f"{row.test} with {row.correction} errs in {100 * row.error:.1f} % of tables when "
            f"{row.situation}, not {100 * context.alpha:g} %"
            for row in rows
            if row.error > limit
        ),
        tuple(rows),
        notes=(f"{trials} simulated tables each, normal scores, independent between data sets",),
        sampling=_about_size(trials, k, of, context.alpha),
    )


def _size(n: int, k: int) -> tuple[int, int]:
    """Return how many tables are simulated, and of how many algorithms: what half a minute allows.

    Fewer tables first, and where the fewest would still take too long, fewer algorithms.
    """
    trials = min(TRIALS, max(_LEAST_TRIALS, _WORK // (n * k * k)))
    return trials, min(k, max(_LEAST_ALGORITHMS, math.isqrt(_WORK // (n * trials))))


def _about_size(trials: int, k: int, of: int, alpha: float) -> str:
    """Say what was simulated instead of more, and how far a share may be off for it."""
    if trials == TRIALS and k == of:
        return ""
    error = 100 * math.sqrt(alpha * (1 - alpha) / trials)
    fewer = f" of {k} algorithms, not {of}" if k < of else ""
    return (
        f"{trials} tables are simulated{fewer}; the standard error of the share is {error:.1f} % "
        "where the level is held"
    )


def _family_wise(
    situation: Situation, n: int, procedure: Procedure, rng: np.random.Generator, trials: int
) -> float:
    """Return how often any two of the equal ones are told apart."""
    told_apart = _by_mean_ranks if procedure.correction.name == "nemenyi" else _by_pairs
    wrong = sum(
        told_apart(situation.draw(rng, n), situation.equal, procedure) for _ in range(trials)
    )
    return wrong / trials


def _by_pairs(scores: FloatArray, equal: int, procedure: Procedure) -> bool:
    first, second = np.triu_indices(scores.shape[1], 1)
    of_equals = second < equal
    return procedure.may_differ(scores, first, second, of_equals) and bool(
        procedure.different(scores)[of_equals].any()
    )


def _by_mean_ranks(scores: FloatArray, equal: int, procedure: Procedure) -> bool:
    """Judge by Nemenyi's critical difference: that of the two that are furthest apart."""
    n, k = scores.shape
    ranks = average_ranks(-scores, axis=1)[:, :equal].mean(axis=0)
    return bool(np.ptp(ranks) >= critical_difference(k, n, procedure.alpha) * (1 - TIE_TOLERANCE))


def symmetry(context: Context) -> CheckReport:
    r"""Ask of each pair whether the symmetry that Wilcoxon's test needs is tenable (§5).

    Are the differences of each pair symmetric about their centre? A verdict is in doubt where they
    are not and the sign test, which does not ask for it, says otherwise. By the test of Cabilio
    and Masaro (1996), valid for large n, with Holm's correction over the pairs.

    Notes
    -----
    With the mean :math:`\bar d`, the median :math:`\tilde d` and the standard deviation s of n
    differences:

    .. math::

        z = \frac{\sqrt{n}\, (\bar d - \tilde d)}{s \sqrt{\pi / 2 - 1}} \sim N(0, 1)

    References
    ----------
    Cabilio and Masaro (1996), A simple test of symmetry about an unknown median. Canadian Journal
    of Statistics 24.
    """
    question = "are the differences of each pair symmetric, as Wilcoxon's test takes them to be?"
    if context.comparison.measure.is_ordinal:
        why = f"{context.comparison.measure.why_ordinal}, so that differences have no sizes"
        return CheckReport("symmetry", question, notes=(why,))
    p_values = _skewness_p(context.goodness, context.first, context.second)
    skewed = adjust.holm(p_values) <= context.alpha
    by = {
        test: context.sided_by(Procedure.asked(test, "holm", context.alpha)) != 0
        for test in ("wilcoxon", "sign")
    }
    disagree = skewed & (by["wilcoxon"] != by["sign"])
    rows = [
        Skewness(*context.pair(i), float(p_values[i]), bool(skewed[i]))
        for i in np.flatnonzero(context.listed).tolist()
    ]

    def sentence(i: int) -> str:
        opposite = f"finds {'a' if by['sign'][i] else 'no'} difference, Wilcoxon the opposite"
        verdict = opposite if disagree[i] else "agrees with Wilcoxon"
        skew = f"the differences of {' and '.join(context.pair(i))} are skewed"
        return f"{skew} (p = {p_values[i]:.2g}); the sign test {verdict}"

    return context.found(
        CheckReport(
            "symmetry",
            question,
            bears=context.procedure.method == "wilcoxon",
            notes=("Cabilio and Masaro 1996, Holm over the pairs",),
        ),
        np.flatnonzero(skewed),
        sentence,
        rows,
        doubted=np.flatnonzero(disagree),
        otherwise="by the sign test, as differences are skewed",
    )


def _skewness_p(values: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Return the p-value of Cabilio and Masaro's z for each pair; 1 where nothing varies."""
    found = np.ones(first.size)
    for part, a, b in slabs(values, first, second):
        differences = a - b
        if differences.shape[1] < 2:
            continue
        spread = differences.std(axis=1, ddof=1)
        skew = differences.mean(axis=1) - np.median(differences, axis=1)
        z = np.sqrt(differences.shape[1]) * skew / np.where(spread == 0, np.inf, spread)
        found[part] = 2 * ndtr(-np.abs(z) / np.sqrt(np.pi / 2 - 1))
    return found


# --- how much of a place is luck ------------------------------------------------------------------


# Enough for the Monte-Carlo error to be small beside what is estimated.
DRAWS = 2000
# Fewer data sets tell nothing of what others would say.
_LEAST = 3
# An expected drop within so many Monte-Carlo errors of nothing, or below this share of the lead, is
# no finding.
_ERRORS, _OF_LEAD = 2.0, 0.1


def luck(context: Context) -> CheckReport:
    r"""Say by how much the best mean will be worse on other data sets.

    How much of the first place is luck? Who is best of many has been lucky too. The best is chosen
    in bootstrap samples of the data sets and measured on those outside them. It is about the mean
    score, in ratios where these are what the measure is compared by, and about the mean rank where
    the measure differs by data set; no verdict on a pair is in doubt for it.

    Notes
    -----
    With z a score less the mean of all on its data set, and the best, b, chosen in each sample:

    .. math::

        D = \mathrm{E}\left(\bar z_b^{\,\mathrm{in}} - \bar z_b^{\,\mathrm{out}}\right), \qquad
        \mathrm{drop} = \frac{D}{2} \sqrt{1 + \frac{v}{s^2}}

    v is the variance of a mean's noise and :math:`s^2 \ge v` that of the means: the best of a
    bootstrap sample is luckier than that of the table, for its noise has twice the variance.

    References
    ----------
    B. Efron (1983), Estimating the error rate of a prediction rule: improvement on
    cross-validation, Journal of the American Statistical Association 78.
    """
    rows, columns = _part(context)
    if rows.size < _LEAST or columns.size < 2:
        return not_asked("luck", f"no two algorithms share {_LEAST} data sets")
    scores = context.comparison.compared
    values, unit = scores.scaled.for_means[np.ix_(rows, columns)], scores.measure.name
    if scores.measure.is_ordinal:
        values, unit = -average_ranks(-values), _RANK
    elif scores.measure.scale == "ratio":
        unit = _RATIO
    return reported(
        context,
        values,
        columns,
        unit,
        lambda mean: _shown(mean, unit, context),
        on=count(len(values), "data set"),
        drawn="data sets",
        elsewhere="data sets like these",
    )


def reported(
    context: Context,
    values: FloatArray,
    columns: IntArray,
    unit: str,
    shown: Callable[[float], float],
    *,
    strata: Strata | None = None,
    on: str,
    drawn: str,
    elsewhere: str,
) -> CheckReport:
    """Say how lucky the best of some algorithms is, if it is, and where it will be worse.

    ``values`` (n, K) are those of what is ``drawn``; ``shown`` makes a mean of them a score.
    """
    means = values.mean(axis=0) if strata is None else strata.means(values)
    first, second = np.argsort(-means, kind="stable")[:2].tolist()
    rng = np.random.default_rng(context.seed)
    found = winners_luck(values, draws=DRAWS, rng=rng, strata=strata)
    row = WinnersLuck(
        context.names[int(columns[first])],
        unit,
        shown(means[first]),
        float(means[first] - means[second]),
        found.drop,
        found.standard_error,
        float(found.chosen[first]),
        columns.size,
    )
    lucky = row.drop > max(_ERRORS * row.standard_error, _OF_LEAD * row.lead)
    return CheckReport(
        "luck",
        "how much of the first place is luck?",
        (_sentence(row, context, elsewhere),) if lucky else (),
        (row,),
        notes=(
            f"by mean {row.unit}; {row.among} algorithms on the {on} that all of "
            "these have; chosen in a bootstrap sample, measured outside it",
        ),
        sampling=f"{DRAWS} bootstrap samples of the {drawn}; the Monte-Carlo standard error of "
        f"the drop is {_format_drop(row.standard_error, row.unit)}",
    )


_RANK, _RATIO = "rank", "ratio"


def _part(context: Context) -> tuple[IntArray, IntArray]:
    """Return the data sets that all have; if these are few, the largest part without a gap."""
    present = ~np.isnan(context.comparison.compared.scaled.for_means)
    rows = np.flatnonzero(present.all(axis=1))
    if rows.size >= _LEAST:
        return rows, np.arange(len(context.names))
    return largest_part(present, _LEAST)


def _shown(mean: float, unit: str, context: Context) -> float:
    """Return a mean as it is shown: ranks from 1; a geometric mean is in the data sets' units."""
    if unit == _RANK:
        return -mean
    return float(scores_of(np.array(mean), context.comparison.compared.measure))


def _format_drop(difference: float, unit: str) -> str:
    """Write a difference in its unit; of logarithms in per cent."""
    return relative(float(np.expm1(difference))) if unit == _RATIO else number(difference)


def _sentence(row: WinnersLuck, context: Context, elsewhere: str) -> str:
    name = context.comparison.compared.measure.name
    by = "mean rank" if row.unit == _RANK else f"mean {name}"
    if row.unit == _RATIO:
        by = f"geometric mean of {name} in units of the data sets' medians"
    more = "more than" if row.drop > row.lead else "beside"
    return (
        f"{row.best} has the best {by} of {row.among}, {number(row.mean)}; on other "
        f"{elsewhere} it is to be expected about {_format_drop(row.drop, row.unit)} worse, {more} "
        f"a lead of {_format_drop(row.lead, row.unit)}; in {percent(row.chosen, 1)} of the samples "
        "it is first"
    )


def unequal_splits(context: Context) -> CheckReport:
    r"""Find who has fewer splits or seeds than others on the same data set.

    Is everybody's mean over as many splits? The mean of few scatters more, so who has few is
    sooner first, or last, by luck. It says nothing of who is better, and no verdict is in doubt
    for it alone.

    Notes
    -----
    With :math:`\sigma^2` the variance of a score between splits, as if they were independent, the
    mean of m splits has

    .. math::

        \mathrm{Var}(\bar x) = \frac{\sigma^2}{m}
    """
    question = "has everybody as many splits on each data set?"
    splits = context.comparison.compared.splits
    if splits is None:
        return CheckReport("splits", question, notes=("the splits are not known",))
    most = splits.max(axis=1, keepdims=True)
    fewer = (splits < most) & (splits > 0)
    rows = [
        _fewer(context.names[j], splits[:, j], most[:, 0], np.flatnonzero(fewer[:, j]))
        for j in np.argsort(-fewer.sum(axis=0), kind="stable").tolist()
        if fewer[:, j].any()
    ]
    return CheckReport(
        "splits",
        question,
        tuple(_splits_sentence(row, len(splits)) for row in rows),
        tuple(rows),
        notes=("seeds count as splits",),
    )


def _fewer(name: str, own: IntArray, most: IntArray, datasets: IntArray) -> FewerSplits:
    worst = int(datasets[np.argmin(own[datasets] / most[datasets])])
    return FewerSplits(name, int(datasets.size), int(own[worst]), int(most[worst]))


def _splits_sentence(row: FewerSplits, n: int) -> str:
    return (
        f"{row.algorithm} has fewer than others on {row.datasets} of {count(n, 'data set')}, down "
        f"to {row.splits} of {row.most}: its means scatter more there, and owe more to luck"
    )
