"""Type-I error of the tests on instances: algorithms of equal accuracy on 50 or 300 instances.

Every algorithm is right on an instance with the same probability, and independently given it.
Either the probability is 0.8 for all instances, or it is drawn for each from Beta(0.8, 0.2), whose
mean is 0.8: then some are easy and some hard for everyone, and the correctness of any two
algorithms correlates by 0.5, as that of real classifiers does.

Where the level can be counted, the rate must lie in the 99.9 % binomial interval around it. Where
the null distribution is an approximation, the test states how far from nominal it may be, on
either side, beyond that interval.
"""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest
from scipy import stats

from palio.stats.predictions import (
    cochran_q,
    greenhouse_geisser,
    looney_f,
    looney_f_adjusted,
    mcnemar,
    mcnemar_counts,
)
from palio.types import BoolArray, FloatArray

pytestmark = pytest.mark.slow

ALPHA = 0.05
TRIALS = 20_000
BATCH = 2_000
ACCURACY = 0.8

instances = pytest.mark.parametrize("n", [50, 300])
correlations = pytest.mark.parametrize("correlation", [0.0, 0.5])
several = pytest.mark.parametrize("k", [3, 4, 5])


def _correct(n: int, k: int, correlation: float, trials: int = TRIALS) -> Iterator[BoolArray]:
    """Return who is right on which instance, shape (some trials, n, k), batch by batch."""
    rng = np.random.default_rng([n, k, round(100 * correlation)])
    for _ in range(trials // BATCH):
        chance: float | FloatArray = ACCURACY
        if correlation:
            # The correlation of two draws given a Beta(a, b) chance is 1 / (a + b + 1).
            total = 1 / correlation - 1
            chance = rng.beta(ACCURACY * total, (1 - ACCURACY) * total, size=(BATCH, n, 1))
        yield rng.random((BATCH, n, k)) < chance


@cache
def _p_values(n: int, k: int, correlation: float) -> dict[str, FloatArray]:
    """Return the p-values of the tests of several algorithms, all on the same trials."""
    found: dict[str, list[FloatArray]] = {"q": [], "f": [], "f+": []}
    for x in _correct(n, k, correlation):
        found["q"].append(cochran_q(x, exact=False).p_value)
        found["f"].append(looney_f(x).p_value)
        found["f+"].append(looney_f_adjusted(x).p_value)
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _interval(level: float, trials: int = TRIALS) -> tuple[float, float]:
    """Return the rates between which a test of this level falls 999 times of 1000."""
    low, high = (float(stats.binom.ppf(tail, trials, level)) for tail in (0.0005, 0.9995))
    return low / trials, high / trials


def _assert_level(p_value: FloatArray, level: float) -> None:
    rate = float((p_value <= ALPHA).mean())
    low, high = _interval(level, p_value.size)
    assert low <= rate <= high, f"rejected {rate:.4f}, theory says {level:.4f}"


def _assert_between(p_value: FloatArray, least: float, most: float) -> None:
    rate = float((p_value <= ALPHA).mean())
    low, high = _interval(least, p_value.size)[0], _interval(most, p_value.size)[1]
    assert low <= rate <= high, f"rejected {rate:.4f}, allowed {low:.4f} to {high:.4f}"


# --- two algorithms: the level is counted ----------------------------------------------------

Counted = Callable[[FloatArray, int], FloatArray]


def _exact(only_a: FloatArray, m: int) -> FloatArray:
    return np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(only_a, m - only_a), m, 0.5))


def _corrected(only_a: FloatArray, m: int) -> FloatArray:
    beyond = np.maximum(np.abs(2 * only_a - m) - 1, 0)
    return np.asarray(stats.chi2.sf(beyond**2 / max(m, 1), 1))


def _uncorrected(only_a: FloatArray, m: int) -> FloatArray:
    return np.asarray(stats.chi2.sf((2 * only_a - m) ** 2 / max(m, 1), 1))


def _level_given(p_of: Counted, m: int) -> float:
    """Return how often a test rejects m discordant instances, each a fair coin."""
    only_a = np.arange(m + 1, dtype=np.float64)
    return float(stats.binom.pmf(only_a, m, 0.5)[p_of(only_a, m) <= ALPHA].sum())


def _level(p_of: Counted, n: int, correlation: float) -> float:
    """Return the level over all numbers of discordant instances.

    An instance is discordant with probability 2 E[p (1 - p)] = 2 · 0.8 · 0.2 (1 - correlation).
    """
    discordant = 2 * ACCURACY * (1 - ACCURACY) * (1 - correlation)
    weights = stats.binom.pmf(np.arange(n + 1), n, discordant)
    return float(sum(w * _level_given(p_of, m) for m, w in enumerate(weights) if w > 1e-12))


@correlations
@instances
def test_mcnemar_is_conservative(n: int, correlation: float) -> None:
    """Both forms stay below nominal, as far as counting says.

    Few counts of a few coins lie near 5 %: of 50 instances 8 to 16 are discordant, and the exact
    form rejects 1.9 to 2.8 % of the time. The correction for continuity gives nearly the same test,
    a little more cautious; of 300 instances both reject 3.5 to 3.9 %.
    """
    for exact, p_of in ((True, _exact), (False, _corrected)):
        p_value = np.concatenate(
            [
                mcnemar(x[..., 0], x[..., 1], exact=exact).p_value
                for x in _correct(n, 2, correlation)
            ]
        )
        level = _level(p_of, n, correlation)
        assert level < ALPHA
        _assert_level(p_value, level)
    # Unless told, exact up to 25 discordant instances: between the two, and below nominal.
    p_value = np.concatenate(
        [mcnemar(x[..., 0], x[..., 1]).p_value for x in _correct(n, 2, correlation)]
    )
    _assert_between(p_value, *(_level(p_of, n, correlation) for p_of in (_corrected, _exact)))


def test_mcnemar_is_never_above_nominal() -> None:
    """Given any number of discordant instances up to 300, whatever the correlation makes of it.

    The corrected form rejects nothing that the exact one does not.
    """
    for m in range(301):
        only_a = np.arange(m + 1)
        chance = stats.binom.pmf(only_a, m, 0.5)
        rejects = {
            exact: mcnemar_counts(only_a, m - only_a, exact=exact).p_value <= ALPHA
            for exact in (None, True, False)
        }
        for each in rejects.values():
            assert chance[each].sum() <= ALPHA
        assert not (rejects[False] & ~rejects[True]).any()


@correlations
@instances
def test_several_algorithms_of_which_there_are_two(n: int, correlation: float) -> None:
    """Q, F and F⁺ of two are McNemar's test without the correction for continuity.

    ε̂ is 1 then, so F⁺ has nothing to adjust. The level is counted: 4.4 to 5.0 % here. It is not
    below nominal for every number of discordant instances; with as few as four it is 12.5 %, which
    is why `cochran_q` is exact up to 25 unless told otherwise.
    """
    level = _level(_uncorrected, n, correlation)
    assert 0.8 * ALPHA < level < 1.02 * ALPHA
    for p_value in _p_values(n, 2, correlation).values():
        _assert_level(p_value, level)
    assert _level_given(_uncorrected, 4) == 0.125


# --- more than two ---------------------------------------------------------------------------


@several
@correlations
@instances
def test_cochran_q_is_near_nominal(n: int, correlation: float, k: int) -> None:
    """χ² holds for many divided instances; with 12 to 34 of 50 it can be a little cautious."""
    least = 0.9 if n == 50 else 0.95
    _assert_between(_p_values(n, k, correlation)["q"], least * ALPHA, 1.03 * ALPHA)


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_exact_cochran_q_is_never_above_nominal(correlation: float) -> None:
    """Counted where at most 25 of 50 instances divide three algorithms, and few values near 5 %."""
    p_value = np.concatenate([cochran_q(x).p_value for x in _correct(50, 3, correlation, 8_000)])
    _assert_between(p_value, 0.5 * ALPHA, ALPHA)


@several
@correlations
@instances
def test_looney_f_is_near_nominal(n: int, correlation: float, k: int) -> None:
    """All pairs agree alike, which is what F supposes; that x is 0 or 1 and not normal does little.

    F = (N - 1) Q / (N (K - 1) - Q) is Q with a shorter tail, so it rejects no less than Q does.
    """
    p_values = _p_values(n, k, correlation)
    least = 0.9 if n == 50 else 0.95
    _assert_between(p_values["f"], least * ALPHA, 1.03 * ALPHA)
    assert (p_values["f"] <= ALPHA).sum() >= (p_values["q"] <= ALPHA).sum()


@several
@correlations
@instances
def test_adjusted_looney_f_is_not_above_nominal(n: int, correlation: float, k: int) -> None:
    """F⁺ pays for what it does not need here: ε is 1, and its estimate can only lie below.

    Greenhouse and Geisser's estimate is biased downwards the more, the fewer instances divide the
    algorithms and the more algorithms there are: with five of them, 16 of 50 divided, it rejects
    3.7 %. It rejects nothing that F does not.
    """
    p_values = _p_values(n, k, correlation)
    least = 0.7 if n == 50 else 0.9
    _assert_between(p_values["f+"], least * ALPHA, ALPHA)
    assert not ((p_values["f+"] <= ALPHA) & (p_values["f"] > ALPHA)).any()


def test_greenhouse_geisser_is_biased_downwards_with_few_instances() -> None:
    means = {
        n: float(np.mean([greenhouse_geisser(x).mean() for x in _correct(n, 5, 0.5, 4_000)]))
        for n in (50, 300)
    }
    assert 0.6 < means[50] < 0.9 < means[300] < 1.0


# --- equal accuracy, unequal agreement -------------------------------------------------------

ALIKE = 4
AGREEMENT = 0.9


def _relatives(n: int) -> Iterator[BoolArray]:
    """Return five algorithms of one accuracy, four of which nearly always agree.

    Each of the four has the common answer with probability √0.9, and otherwise its own: any two of
    them correlate by 0.9, and none with the fifth.
    """
    rng = np.random.default_rng([n, ALIKE])
    for _ in range(TRIALS // BATCH):
        own = rng.random((BATCH, n, 5)) < ACCURACY
        common = rng.random((BATCH, n, 1)) < ACCURACY
        follows = rng.random((BATCH, n, 5)) < np.sqrt(AGREEMENT)
        follows[..., ALIKE:] = False
        yield np.where(follows, common, own)


def _levels_of_relatives() -> tuple[float, float]:
    """Return the levels of Q (and F), and of F⁺ were ε known, for very many instances.

    Q / (K - 1) is then Σ λᵢ χ²(1) / Σ λᵢ, where λ are the eigenvalues of the covariance matrix
    with rows and columns centred; it is held against χ²(4) / 4, or χ²(4 ε) / (4 ε).
    """
    covariance = np.eye(5)
    covariance[:ALIKE, :ALIKE] = AGREEMENT
    np.fill_diagonal(covariance, 1.0)
    centre = np.eye(5) - 1 / 5
    weights = np.linalg.eigvalsh(centre @ covariance @ centre)[1:]
    weights /= weights.sum()
    q = np.random.default_rng(0).chisquare(1, size=(1_000_000, 4)) @ weights
    df = 1 / np.square(weights).sum()
    limits = (stats.chi2.isf(ALPHA, each) / each for each in (4.0, df))
    plain, adjusted = (float((q >= limit).mean()) for limit in limits)
    return plain, adjusted


@instances
def test_relatives_are_too_much_for_q_and_f_but_not_for_the_adjusted_f(n: int) -> None:
    """Equal accuracies, and yet Q and F reject twice as often as they say: 10.4 %.

    Both suppose that every pair agrees alike; Q asks whether the algorithms are interchangeable,
    of which equal accuracy is only a part. Four relatives and one stranger are in effect two
    algorithms, not five. That is what ε tells (0.35 here, hardly above its least, 1/4), and F⁺
    holds its level.
    """
    plain, adjusted = _levels_of_relatives()
    assert plain == pytest.approx(0.104, abs=0.002)
    assert adjusted == pytest.approx(ALPHA, abs=0.002)
    batches = list(_relatives(n))
    q = np.concatenate([cochran_q(x, exact=False).p_value for x in batches])
    f = np.concatenate([looney_f(x).p_value for x in batches])
    f_adjusted = np.concatenate([looney_f_adjusted(x).p_value for x in batches])
    _assert_between(q, 0.95 * plain, 1.05 * plain)
    _assert_between(f, 0.95 * plain, 1.05 * plain)
    _assert_between(f_adjusted, 0.9 * adjusted, 1.05 * adjusted)
