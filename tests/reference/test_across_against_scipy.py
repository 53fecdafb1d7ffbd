"""Tests over many data sets, put to SciPy (the installed version) as well."""

import numpy as np
import pytest
from scipy import stats

from palio.stats import across, posthoc
from palio.stats.ranks import average_ranks
from palio.types import Alternative, FloatArray

SIDES: list[Alternative] = ["two-sided", "greater", "less"]


def _pairs(n: int, k: int, decimals: int = 15) -> FloatArray:
    rng = np.random.default_rng(n + k)
    return (rng.uniform(0.5, 1.0, size=(n, k)) + np.linspace(0, 0.05, k)).round(decimals)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("n", [2, 9, 25, 50, 100])
def test_exact_wilcoxon_of_all_pairs(n: int, alternative: Alternative) -> None:
    table = _pairs(n, 6)
    first, second = np.triu_indices(6, 1)
    ours = across.wilcoxon_pairs(table, first=first, second=second, alternative=alternative)
    theirs = stats.wilcoxon(
        table[:, first] - table[:, second], axis=0, method="exact", alternative=alternative
    )
    assert ours.null == "exact"
    np.testing.assert_allclose(ours.p_value, theirs.pvalue, rtol=1e-10, atol=0)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt"])
@pytest.mark.parametrize("decimals", [1, 2, 15])
def test_normal_wilcoxon_of_all_pairs(
    decimals: int, zero_method: across.ZeroMethod, alternative: Alternative
) -> None:
    # Whole hundredths, so that SciPy, which compares to the last bit, sees the ties.
    table = np.rint(_pairs(180, 6, decimals) * 10.0**decimals)
    first, second = np.triu_indices(6, 1)
    ours = across.wilcoxon_pairs(
        table, first=first, second=second, alternative=alternative, zero_method=zero_method
    )
    assert ours.null == "normal"
    for at, (i, j) in enumerate(zip(first, second, strict=True)):
        theirs = stats.wilcoxon(
            table[:, i] - table[:, j],
            method="approx",
            correction=False,
            alternative=alternative,
            zero_method=zero_method,
        )
        assert float(ours.p_value[at]) == pytest.approx(theirs.pvalue, rel=1e-10, abs=0)


@pytest.mark.parametrize("alternative", SIDES)
def test_paired_t_is_ttest_rel(alternative: Alternative) -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 30, 25))
    ours = across.paired_t(a, b, alternative=alternative)
    theirs = stats.ttest_rel(a, b, axis=1, alternative=alternative)
    np.testing.assert_allclose(ours.statistic, theirs.statistic)
    np.testing.assert_allclose(ours.p_value, theirs.pvalue, rtol=1e-10)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("n", [3, 8, 13])
def test_exact_permutation(alternative: Alternative, n: int) -> None:
    rng = np.random.default_rng(n)
    for decimals in (0, 1, 9):
        a, b = rng.normal(size=(2, n)).round(decimals)
        theirs = stats.permutation_test(
            (a, b),
            lambda x, y, axis: (x - y).sum(axis=axis),
            permutation_type="samples",
            n_resamples=2**n,
            vectorized=True,
            alternative=alternative,
        )
        ours = across.permutation_test(a, b, alternative=alternative)
        assert float(ours.p_value) == pytest.approx(theirs.pvalue, rel=1e-10)


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_kendall_w_and_friedman(decimals: int) -> None:
    values = np.random.default_rng(1).normal(size=(14, 6)).round(decimals)
    theirs = stats.friedmanchisquare(*values.T)
    ours = across.kendall_w(values)
    assert float(ours.statistic) == pytest.approx(theirs.statistic / (14 * 5))
    assert float(ours.p_value) == pytest.approx(theirs.pvalue, rel=1e-10)


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_iman_davenport_is_the_analysis_of_variance_of_ranks(decimals: int) -> None:
    # Two-way, by least squares: the residuals of ranks after data sets and algorithms.
    values = np.random.default_rng(2).normal(size=(9, 4)).round(decimals)
    ranks = average_ranks(values)
    columns = ranks.mean(axis=0)
    mean = ranks.mean()
    between = 9 * np.square(columns - mean).sum() / 3
    residual = ranks - ranks.mean(axis=1, keepdims=True) - columns + mean
    f = between / (np.square(residual).sum() / 24)
    ours = across.iman_davenport(values)
    assert float(ours.statistic) == pytest.approx(f)
    assert float(ours.p_value) == pytest.approx(float(stats.f.sf(f, 3, 24)), rel=1e-10)


def test_nemenyi_of_many_algorithms() -> None:
    # More pairs than are integrated one by one.
    k, n = 60, 200
    values = np.random.default_rng(3).normal(size=(n, k)) + np.linspace(0, 1, k)
    mean_ranks = average_ranks(values).mean(axis=0)
    p = posthoc.nemenyi(mean_ranks, n)
    some = np.random.default_rng(4).integers(0, k, size=(40, 2)).T
    q = np.abs(mean_ranks[some[0]] - mean_ranks[some[1]]) / np.sqrt(k * (k + 1) / (12 * n))
    theirs = stats.studentized_range.sf(q, k, np.inf)
    np.testing.assert_allclose(p[some[0], some[1]], theirs, atol=1e-8, rtol=0)
