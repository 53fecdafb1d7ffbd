"""The checks of an audit that ask whether a procedure keeps what it promises."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from palio.comparison.audit.report import CheckReport, Context, ErrorRate, Skewness
from palio.comparison.procedure import Procedure
from palio.comparison.sample import slabs
from palio.stats import adjust
from palio.stats.posthoc import critical_difference
from palio.stats.ranks import TIE_TOLERANCE, average_ranks
from palio.types import FloatArray, IntArray

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
    n, of = context.n_shared, len(context.names)
    trials, k = _size(n, of)
    rng = np.random.default_rng(context.seed)
    mean_ranks = Procedure.asked("mean-ranks", "nemenyi", context.alpha)
    procedures = {
        (each.method, each.correction.name): each for each in (mean_ranks, context.procedure)
    }
    audited = (context.comparison.method, context.comparison.correction)
    rates = {
        (*names, situation.name): _family_wise(situation, n, procedures[names], rng, trials)
        for names in dict.fromkeys([audited, ("mean-ranks", "nemenyi")])
        for situation in situations(k)
    }
    # Three standard errors above the level: not by chance.
    limit = context.alpha + 3 * np.sqrt(context.alpha * (1 - context.alpha) / trials)
    return CheckReport(
        "error-rate",
        f"how often would any of {k} algorithms on {n} data sets be told apart by mistake?",
        tuple(
            f"{test} with {correction} errs in {100 * rate:.1f} % of tables when {situation}, "
            f"not {100 * context.alpha:g} %"
            for (test, correction, situation), rate in rates.items()
            if rate > limit
        ),
        tuple(
            ErrorRate(test, correction, situation, rate, trials, k)
            for (test, correction, situation), rate in rates.items()
        ),
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
    first, second = _pairs(scores.shape[1])
    of_equals = second < equal
    return procedure.may_differ(scores, first, second, of_equals) and bool(
        procedure.different(scores)[of_equals].any()
    )


@lru_cache(maxsize=1)
def _pairs(k: int) -> tuple[IntArray, IntArray]:
    return np.triu_indices(k, 1)


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
        why = "the measure differs by data set, so that differences have no sizes"
        return CheckReport("symmetry", question, (), notes=(why,))
    p_values = _skewness_p(context.goodness, context.first, context.second)
    skewed = adjust.holm(p_values) <= context.alpha
    by = {
        test: context.sided_by(Procedure.asked(test, "holm", context.alpha)) != 0
        for test in ("wilcoxon", "sign")
    }
    disagree = skewed & (by["wilcoxon"] != by["sign"])
    doubtful = np.flatnonzero(disagree).tolist()
    told, unlisted = context.told(np.flatnonzero(skewed))
    by_wilcoxon = context.comparison.method == "wilcoxon"
    return CheckReport(
        "symmetry",
        question,
        tuple(
            _symmetry_sentence(context.pair(i), p_values[i], bool(disagree[i]), by["sign"][i])
            for i in told
        ),
        tuple(
            Skewness(*context.pair(i), float(p_values[i]), bool(skewed[i]))
            for i in np.flatnonzero(context.listed).tolist()
        ),
        context.named(doubtful) if by_wilcoxon else frozenset(),
        notes=("Cabilio and Masaro 1996, Holm over the pairs",),
        bears=by_wilcoxon,
        otherwise=context.one_by_one(doubtful, "by the sign test, as differences are skewed")
        if by_wilcoxon
        else (),
        unlisted=unlisted,
        pairs=tuple(map(context.pair, told)),
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


def _symmetry_sentence(pair: tuple[str, str], p: float, disagree: bool, sign: bool) -> str:
    verdict = (
        f"; the sign test finds {'a' if sign else 'no'} difference, Wilcoxon the opposite"
        if disagree
        else "; the sign test agrees with Wilcoxon"
    )
    return f"the differences of {pair[0]} and {pair[1]} are skewed (p = {p:.2g}){verdict}"
