"""The same questions put to SciPy (the installed version), on data without its blind spots.

SciPy's exact Wilcoxon knows neither ties nor zeros; there, its permutation method over all sign
flips is the reference.
"""

import itertools
from typing import Literal

import numpy as np
import pytest
from scipy import stats

from palio.stats import across, folds, posthoc, several
from palio.stats.studentized import studentized_range_isf, studentized_range_sf
from palio.types import Alternative

SIDES: list[Alternative] = ["two-sided", "greater", "less"]


@pytest.mark.parametrize("alternative", SIDES)
def test_kfold_t_is_ttest_rel(alternative: Alternative) -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 20, 3, 10))
    ours = folds.kfold_t(a, b, alternative=alternative)
    theirs = stats.ttest_rel(a.reshape(20, 30), b.reshape(20, 30), axis=1, alternative=alternative)
    np.testing.assert_allclose(ours.statistic, theirs.statistic)
    np.testing.assert_allclose(ours.p_value, theirs.pvalue)


def test_anova_is_f_oneway() -> None:
    y = np.random.default_rng(1).normal(size=(20, 4, 7)) + np.linspace(0, 1, 4)[:, None]
    theirs = stats.f_oneway(*np.moveaxis(y, 1, 0), axis=1)
    ours = several.anova(y)
    np.testing.assert_allclose(ours.statistic, theirs.statistic)
    np.testing.assert_allclose(ours.p_value, theirs.pvalue)


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_kruskal_wallis_is_kruskal(decimals: int) -> None:
    y = np.random.default_rng(2).normal(size=(20, 4, 7)).round(decimals)
    theirs = stats.kruskal(*np.moveaxis(y, 1, 0), axis=1)
    ours = several.kruskal_wallis(y)
    np.testing.assert_allclose(ours.statistic, theirs.statistic)
    np.testing.assert_allclose(ours.p_value, theirs.pvalue)


def test_tukey_is_tukey_hsd() -> None:
    rng = np.random.default_rng(3)
    rejected = 0
    for _ in range(20):
        y = rng.normal(size=(4, 6)) + rng.normal(size=(4, 1))
        result = several.tukey(y)
        theirs = stats.tukey_hsd(*y).pvalue
        for i, j in itertools.combinations(range(4), 2):
            # Tukey's ranges within an accepted one are accepted anyway: their limit is the same.
            first, second = result.order[i], result.order[j]
            assert bool(result.equal[i, j]) == bool(theirs[first, second] >= 0.05)
            rejected += not result.equal[i, j]
    assert rejected > 10


@pytest.mark.parametrize("alternative", SIDES)
def test_sign_test_is_binomtest(alternative: Alternative) -> None:
    for wins, losses in ((0, 1), (3, 9), (12, 12), (30, 8), (200, 150)):
        ours = across.sign_test_counts(wins, losses, alternative=alternative)
        theirs = stats.binomtest(wins, wins + losses, alternative=alternative).pvalue
        assert float(ours.p_value) == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("n", [1, 5, 12, 30, 50])
def test_wilcoxon_exact(alternative: Alternative, n: int) -> None:
    a, b = np.random.default_rng(4).normal(size=(2, 10, n))
    ours = across.wilcoxon(a, b, alternative=alternative)
    theirs = stats.wilcoxon(a, b, axis=1, method="exact", alternative=alternative)
    np.testing.assert_allclose(ours.p_value, theirs.pvalue)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_wilcoxon_with_ties_and_zeros_is_the_permutation_test(
    alternative: Alternative, zero_method: across.ZeroMethod
) -> None:
    rng = np.random.default_rng(5)
    for _ in range(3):
        d = rng.integers(-4, 6, size=9).astype(float)
        assert (d == 0).any()
        ours = across.wilcoxon(d, np.zeros(9), alternative=alternative, zero_method=zero_method)
        theirs = stats.wilcoxon(
            d,
            method=stats.PermutationMethod(n_resamples=2**9),
            alternative=alternative,
            zero_method=zero_method,
        )
        assert float(ours.p_value) == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt"])
def test_wilcoxon_normal_approximation(
    alternative: Alternative, zero_method: Literal["wilcox", "pratt"]
) -> None:
    # Not zsplit: SciPy gives the ranks of zeros a variance, though no flip moves them.
    d = np.random.default_rng(6).normal(loc=0.1, size=150).round(1)
    assert (d == 0).any()
    ours = across.wilcoxon(d, np.zeros(150), alternative=alternative, zero_method=zero_method)
    theirs = stats.wilcoxon(
        d, method="approx", correction=False, alternative=alternative, zero_method=zero_method
    )
    assert ours.null == "normal"
    assert float(ours.p_value) == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_friedman_is_friedmanchisquare(decimals: int) -> None:
    values = np.random.default_rng(7).normal(size=(12, 5)).round(decimals)
    ours = across.friedman(values)
    theirs = stats.friedmanchisquare(*values.T)
    assert float(ours.statistic) == pytest.approx(theirs.statistic)
    assert float(ours.p_value) == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("k", [2, 3, 5, 8, 10, 11, 20, 50, 100, 200])
def test_studentized_range_with_infinite_df(k: int) -> None:
    q = np.linspace(0.1, 10, 12)
    theirs = stats.studentized_range.sf(q, k, np.inf)
    np.testing.assert_allclose(studentized_range_sf(q, k), theirs, atol=1e-8, rtol=0)


def test_studentized_range_inverse() -> None:
    for k in (2, 6, 25):
        theirs = stats.studentized_range.ppf(0.95, k, np.inf)
        assert studentized_range_isf(0.05, k) == pytest.approx(theirs, abs=1e-7)


def test_nemenyi_from_scipys_distribution() -> None:
    mean_ranks, n = np.array([1.4, 2.1, 2.9, 3.6]), 15
    q = np.abs(mean_ranks[:, None] - mean_ranks) / np.sqrt(4 * 5 / (6 * n)) * np.sqrt(2)
    theirs = stats.studentized_range.sf(q, 4, np.inf)
    np.testing.assert_allclose(posthoc.nemenyi(mean_ranks, n), theirs, atol=1e-8)
