"""The checks of an audit that ask whether a procedure keeps what it promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from palio.comparison.audit.report import CheckReport, Context, ErrorRate, Skewness
from palio.comparison.pair_tests import Procedure
from palio.stats import adjust
from palio.types import FloatArray

TRIALS = 1000


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
    """Simulate how often a procedure finds differences that are not there (benavoli2016 §4.4).

    How often would any two equal algorithms be told apart by mistake, on as many data sets as
    these? Only the equal ones count, whatever the others are: a mean-ranks test takes the
    difference and its standard error from all of them, and so does not hold its level (§4.1,
    §4.4). Valid for normal scores that are independent between data sets.

    Notes
    -----
    With N simulated tables in each situation, of which w have any false difference, the level is
    not held where::

        w / N > α + 3 √(α (1 - α) / N)

    References
    ----------
    Benavoli, Corani and Mangili (2016), Should we really use post-hoc tests based on mean-ranks?
    JMLR 17, sections 4.1 and 4.4.
    """
    n, k = context.complete.shape
    rng = np.random.default_rng(context.seed)
    mean_ranks = Procedure.asked("mean-ranks", "nemenyi", context.alpha)
    procedures = {
        (each.method, each.correction.name): each for each in (mean_ranks, context.procedure)
    }
    audited = (context.comparison.method, context.comparison.correction)
    rates = {
        (*names, situation.name): _family_wise(situation, n, procedures[names], rng)
        for names in dict.fromkeys([audited, ("mean-ranks", "nemenyi")])
        for situation in situations(k)
    }
    # Three standard errors above the level: not by chance.
    limit = context.alpha + 3 * np.sqrt(context.alpha * (1 - context.alpha) / TRIALS)
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
            ErrorRate(test, correction, situation, rate, TRIALS)
            for (test, correction, situation), rate in rates.items()
        ),
        notes=(f"{TRIALS} simulated tables each, normal scores, independent between data sets",),
    )


def _family_wise(
    situation: Situation, n: int, procedure: Procedure, rng: np.random.Generator
) -> float:
    """Return how often any two of the equal ones are told apart."""
    wrong = 0
    for _ in range(TRIALS):
        scores = situation.draw(rng, n)
        first, second = np.triu_indices(scores.shape[1], 1)
        equal = (first < situation.equal) & (second < situation.equal)
        wrong += bool(procedure.different(scores)[equal].any())
    return wrong / TRIALS


def symmetry(context: Context) -> CheckReport:
    """Ask of each pair whether the symmetry that Wilcoxon's test needs is tenable (§5).

    Are the differences of each pair symmetric about their centre? A verdict is in doubt where they
    are not and the sign test, which does not ask for it, says otherwise. By the test of Cabilio
    and Masaro (1996), valid for large n, with Holm's correction over the pairs.

    Notes
    -----
    With the mean, the median and the standard deviation s of n differences, referred to the
    normal::

        z = √n (mean − median) / (s √(π/2 − 1))

    References
    ----------
    Cabilio and Masaro (1996), A simple test of symmetry about an unknown median. Canadian Journal
    of Statistics 24.
    """
    question = "are the differences of each pair symmetric, as Wilcoxon's test takes them to be?"
    if context.comparison.measure.is_mixed:
        why = "the measure differs by data set, so that differences have no sizes"
        return CheckReport("symmetry", question, (), notes=(why,))
    first, second = np.triu_indices(len(context.names), 1)
    p_values = np.array(
        [
            _skewness_p(context.goodness[:, i] - context.goodness[:, j])
            for i, j in zip(first.tolist(), second.tolist(), strict=True)
        ]
    )
    skewed = np.flatnonzero(adjust.holm(p_values) <= context.alpha).tolist()
    by = {
        test: Procedure.asked(test, "holm", context.alpha).different(context.goodness)
        for test in ("wilcoxon", "sign")
    }
    pairs, by_wilcoxon = context.pairs, context.comparison.method == "wilcoxon"
    disagree = [i for i in skewed if by["wilcoxon"][i] != by["sign"][i]]
    return CheckReport(
        "symmetry",
        question,
        tuple(
            _symmetry_sentence(pairs[i], p_values[i], i in disagree, by["sign"][i]) for i in skewed
        ),
        tuple(
            Skewness(a, b, float(p), i in skewed)
            for i, ((a, b), p) in enumerate(zip(pairs, p_values, strict=True))
        ),
        frozenset(frozenset(pairs[i]) for i in disagree) if by_wilcoxon else frozenset(),
        notes=("Cabilio and Masaro 1996, Holm over the pairs",),
        whatever="where differences are skewed" if by_wilcoxon else "",
        otherwise=context.one_by_one(
            (pairs[i] for i in disagree), "by the sign test, as differences are skewed"
        )
        if by_wilcoxon
        else (),
    )


def _skewness_p(differences: FloatArray) -> float:
    differences = differences[~np.isnan(differences)]
    if differences.size < 2:
        return 1.0
    spread = differences.std(ddof=1)
    if spread == 0:
        return 1.0
    z = np.sqrt(differences.size) * (differences.mean() - np.median(differences)) / spread
    return float(2 * ndtr(-abs(z) / np.sqrt(np.pi / 2 - 1)))


def _symmetry_sentence(pair: tuple[str, str], p: float, disagree: bool, sign: bool) -> str:
    verdict = (
        f"; the sign test says that they {'differ' if sign else 'do not differ'}, Wilcoxon the "
        "opposite"
        if disagree
        else "; the sign test agrees with Wilcoxon"
    )
    return f"the differences of {pair[0]} and {pair[1]} are skewed (p = {p:.2g}){verdict}"
