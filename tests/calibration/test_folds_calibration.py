"""Type-I error by simulation: what each test does when there is nothing to find.

Every bound is the 99.9 % binomial interval around a rate known from theory. Where the nominal
level is not the true one, the theory that says so stands in the test.
"""

import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.special import chdtr, ndtr

from palio.stats import across, folds, posthoc, several
from palio.types import Alternative, FloatArray

pytestmark = pytest.mark.slow

ALPHA = 0.05
TRIALS = 100_000


def _rng(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))


def _interval(level: float, trials: int = TRIALS) -> tuple[float, float]:
    """Return the rates between which a test of this level falls 999 times of 1000."""
    low, high = (float(stats.binom.ppf(tail, trials, level)) for tail in (0.0005, 0.9995))
    return low / trials, high / trials


def _assert_level(p_value: FloatArray, level: float, *, alpha: float = ALPHA) -> None:
    rate = float((p_value <= alpha).mean())
    low, high = _interval(level, p_value.size)
    assert low <= rate <= high, f"rejected {rate:.4f}, theory says {level:.4f}"


def _pairs(name: str, *shape: int) -> tuple[FloatArray, FloatArray]:
    a, b = _rng(name).normal(size=(2, TRIALS, *shape))
    return a, b


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_kfold_t_on_independent_folds(alternative: Alternative, alpha: float) -> None:
    a, b = _pairs("kfold", 1, 10)
    _assert_level(folds.kfold_t(a, b, alternative=alternative).p_value, alpha, alpha=alpha)


def _equicorrelated(name: str, n: int, rho: float) -> tuple[FloatArray, FloatArray]:
    """Return pairs whose differences all correlate by ρ, as Nadeau and Bengio suppose."""
    rng = _rng(name)
    shared = rng.normal(size=(TRIALS, 1, 1)) * np.sqrt(rho)
    difference = shared + rng.normal(size=(TRIALS, 1, n)) * np.sqrt(1 - rho)
    return difference, np.zeros_like(difference)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_corrected_t_on_correlated_folds(alternative: Alternative) -> None:
    # Var(mean) = σ²(1/n + ρ(n-1)/n) and E S² = σ²(1-ρ), whose ratio is 1/n + ρ/(1-ρ): exactly t.
    a, b = _equicorrelated("corrected", 10, 0.1)
    corrected = folds.corrected_t(a, b, test_fraction=0.1, alternative=alternative)
    _assert_level(corrected.p_value, ALPHA)


def test_kfold_t_on_correlated_folds_rejects_too_often() -> None:
    # The reason for the correction: t is inflated by √(1 + n ρ/(1-ρ)).
    a, b = _equicorrelated("inflated", 10, 0.1)
    inflation = np.sqrt(1 + 10 * 0.1 / 0.9)
    level = 2 * stats.t.sf(stats.t.isf(ALPHA / 2, 9) / inflation, 9)
    assert level > 0.15
    _assert_level(folds.kfold_t(a, b).p_value, float(level))


def test_calibrated_t_where_its_sample_size_is_right() -> None:
    # Correlated so that 100 differences are worth 11: 1/100 + ρ/(1-ρ) = 1/11. The spread still has
    # 99 degrees of freedom and is held against 10, so the level is that of t(99) at t(10)'s limit.
    odds = 1 / 11 - 1 / 100
    a, b = _equicorrelated("calibrated", 100, odds / (1 + odds))
    level = float(2 * stats.t.sf(stats.t.isf(ALPHA / 2, 10), 99))
    assert level < ALPHA
    _assert_level(folds.calibrated_t(a, b, df=10).p_value, level)


def _cv52_t_level(alpha: float) -> float:
    """Return the true two-sided level of the 5×2 cv t for ten independent normal differences.

    The numerator p₁ = (u + v)/√2 shares v with s₁² = v², so it is not independent of it; u, v are
    unit normal and the other four s² add up to w, χ² with four degrees of freedom:
    t = (u + v)/√2 / √((v² + w)/5). Given v and w, the tail in u is normal.
    """
    limit = stats.t.isf(alpha / 2, 5)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    v, v_weight = 9 * nodes, 9 * weights
    w, w_weight = 40 * (nodes + 1), 40 * weights
    needed = limit * np.sqrt(2 * (v[:, None] ** 2 + w) / 5)
    tail = ndtr(-(needed - v[:, None])) + ndtr(-(needed + v[:, None]))
    density = stats.norm.pdf(v)[:, None] * stats.chi2.pdf(w, 4)
    assert chdtr(4, 80.0) > 1 - 1e-12  # nothing is cut off
    return float(((tail * density) @ w_weight) @ v_weight)


def test_cv52_t_on_independent_folds() -> None:
    # Eq. 7 takes numerator and denominator as independent. They share the first repeat, a large
    # numerator brings a large denominator with it, and the true level is 2.8 %.
    level = _cv52_t_level(ALPHA)
    assert level == pytest.approx(0.028, abs=0.0005)
    a, b = _pairs("cv52", 5, 2)
    _assert_level(folds.cv52_t(a, b).p_value, level)
    sides: tuple[Alternative, ...] = ("greater", "less")
    for side in sides:
        _assert_level(folds.cv52_t(a, b, alternative=side).p_value, _cv52_t_level(2 * ALPHA) / 2)


def test_cv52_t_without_the_shared_repeat_is_exactly_t() -> None:
    # With a numerator from outside, a sixth repeat, eq. 7 is what it says: the statistic and its
    # reference distribution are right, the sharing alone lowers the level above.
    a, b = _pairs("cv52 outside", 6, 2)
    inside = folds.cv52_t(a[:, :5], b[:, :5]).statistic
    numerator = a[:, 0, 0] - b[:, 0, 0]
    t = inside / numerator * (a[:, 5, 0] - b[:, 5, 0])
    _assert_level(2 * stats.t.sf(np.abs(t), 5), ALPHA)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_cv52_f_on_independent_folds(alpha: float) -> None:
    # Σp² = 2Σp̄² + Σs²: the numerator contains the denominator, f = (1 + F(5, 5)) / 2, and
    # P(f > limit) = P(F(5, 5) > 2 limit - 1), 1.75 % at the nominal 5 %.
    limit = stats.f.isf(alpha, 10, 5)
    level = float(stats.f.sf(2 * limit - 1, 5, 5))
    assert level < alpha
    a, b = _pairs("cv52", 5, 2)
    p_value = folds.cv52_f(a, b).p_value
    _assert_level(p_value, level, alpha=alpha)
    assert (p_value <= alpha).mean() <= alpha


def test_anova_under_the_full_null() -> None:
    y = _rng("anova").normal(size=(TRIALS, 5, 10))
    _assert_level(several.anova(y).p_value, ALPHA)


def test_kruskal_wallis_under_the_full_null() -> None:
    # χ² is an approximation, known to be conservative for ten folds: below nominal, not far below.
    y = _rng("kruskal").normal(size=(TRIALS, 5, 10))
    rate = float((several.kruskal_wallis(y).p_value <= ALPHA).mean())
    assert 0.8 * ALPHA <= rate <= _interval(ALPHA)[1]


def test_range_tests_under_the_full_null() -> None:
    # Any difference at all needs the widest range to be rejected: exactly α for Newman–Keuls and
    # Tukey, 1 - (1 - α)⁴ for Duncan with five means.
    y = _rng("ranges").normal(size=(TRIALS, 5, 10))
    family = {several.newman_keuls: ALPHA, several.tukey: ALPHA, several.duncan: 1 - 0.95**4}
    for test, level in family.items():
        any_difference = ~test(y).equal.all(axis=(-2, -1))
        low, high = _interval(level)
        assert low <= any_difference.mean() <= high


def test_tukey_holds_its_level_when_some_means_differ() -> None:
    # Two groups far apart, of three and two: false differences are those within a group.
    y = _rng("partial").normal(size=(TRIALS, 5, 10))
    y[:, 3:] += 50.0
    equal = several.tukey(y).equal
    false = ~equal[:, :3, :3].all(axis=(1, 2)) | ~equal[:, 3:, 3:].all(axis=(1, 2))
    assert not equal[:, 2, 3].any()
    assert 0.0 < false.mean() <= _interval(ALPHA)[1]


def test_wilcoxon_attains_what_the_enumeration_says() -> None:
    # The exact distribution is discrete: the attained level is the largest tail not above α.
    n = 12
    signs = np.array(list(itertools.product([0, 1], repeat=n)))
    sums = signs @ np.arange(1, n + 1)
    tails = [2 * (sums <= w).mean() for w in range(n * (n + 1) // 4)]
    attained = float(max(tail for tail in tails if tail <= ALPHA))
    a, b = _pairs("wilcoxon", n)
    _assert_level(across.wilcoxon(a, b).p_value, attained)


def test_wilcoxon_with_ties_and_zeros_does_not_exceed_its_level() -> None:
    a, b = _rng("wilcoxon ties").integers(0, 5, size=(2, 20_000, 14)).astype(float)
    methods: tuple[across.ZeroMethod, ...] = ("wilcox", "pratt", "zsplit")
    for zero_method in methods:
        rate = float((across.wilcoxon(a, b, zero_method=zero_method).p_value <= ALPHA).mean())
        assert 0.0 < rate <= _interval(ALPHA, 20_000)[1]


def test_sign_test_attains_what_the_binomial_says() -> None:
    # Of 25 coins, seven or fewer on one side: 4.3 %; eight or fewer would be 10.8 %.
    attained = float(2 * stats.binom.cdf(7, 25, 0.5))
    assert 0.043 < attained < 0.044
    assert 2 * stats.binom.cdf(8, 25, 0.5) > ALPHA
    a, b = _pairs("sign", 25)
    _assert_level(across.sign_test(a, b).p_value, attained)


def test_friedman_and_nemenyi_family_wise() -> None:
    # Both are asymptotic in the number of data sets and approached from below: five algorithms on
    # 25 data sets reject a little less than α, and never by far less.
    outcome = across.friedman(_rng("friedman").normal(size=(TRIALS, 25, 5)))
    high = _interval(ALPHA)[1]
    omnibus = float((outcome.p_value <= ALPHA).mean())
    assert 0.8 * ALPHA <= omnibus <= high
    smallest = posthoc.nemenyi(outcome.mean_ranks, 25).min(axis=(-2, -1))
    family = float((smallest <= ALPHA).mean())
    assert 0.8 * ALPHA <= family <= high
