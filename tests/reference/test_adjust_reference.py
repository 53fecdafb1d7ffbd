"""Adjusted p-values and effects against numbers from elsewhere."""

import numpy as np
import pytest
from scipy import stats

from palio.stats import adjust, effects
from palio.stats._families import rom_critical_values

P = [0.04, 0.0001, 0.03, 0.8, 0.0121, 0.012, 0.2, 0.049, 0.0119, 0.5]

# statsmodels 0.15.0, statsmodels.stats.multitest.multipletests(P, method=…)[1]; in comments its
# names where they differ. It has no Finner, Rom or Li.
STATSMODELS = {
    "bonferroni": [0.4, 0.001, 0.3, 1.0, 0.121, 0.12, 1.0, 0.49, 0.119, 1.0],
    "sidak": [
        0.335167364008, 0.000999550119979, 0.262575873105, 0.9999998976, 0.114619700491,
        0.113723067523, 0.8926258176, 0.39493062879, 0.112825617411, 0.9990234375,
    ],
    "holm": [0.2, 0.001, 0.18, 1.0, 0.1071, 0.1071, 0.6, 0.2, 0.1071, 1.0],
    # holm-sidak
    "holland": [
        0.1846273024, 0.000999550119979, 0.167027995071, 0.8, 0.102141096459,
        0.102141096459, 0.488, 0.1846273024, 0.102141096459, 0.75,
    ],
    # simes-hochberg
    "hochberg": [0.196, 0.001, 0.18, 0.8, 0.0847, 0.0847, 0.6, 0.196, 0.0847, 0.8],
    "hommel": [0.16, 0.001, 0.1225, 0.8, 0.0847, 0.084, 0.6, 0.196, 0.0833, 0.8],
    # fdr_bh
    "benjamini_hochberg": [
        0.0666666666667, 0.001, 0.06, 0.8, 0.03025, 0.03025, 0.25, 0.07, 0.03025, 0.555555555556,
    ],
    # fdr_by
    "benjamini_yekutieli": [
        0.195264550265, 0.00292896825397, 0.175738095238, 1.0, 0.0886012896825,
        0.0886012896825, 0.732242063492, 0.205027777778, 0.0886012896825, 1.0,
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", STATSMODELS)
def test_statsmodels(name: str) -> None:
    np.testing.assert_allclose(getattr(adjust, name)(P), STATSMODELS[name], rtol=1e-11)


def test_scipy_false_discovery_control() -> None:
    p = np.random.default_rng(0).random((20, 15)) ** 2
    np.testing.assert_allclose(
        adjust.benjamini_hochberg(p), stats.false_discovery_control(p, axis=-1, method="bh")
    )
    np.testing.assert_allclose(
        adjust.benjamini_yekutieli(p), stats.false_discovery_control(p, axis=-1, method="by")
    )


def test_rom_critical_values() -> None:
    # Rom's critical values for α = 0.05 and 0.01 to three digits, as Wilcox's R functions (Rallfun)
    # tabulate them in `dvec`. The tenth for 0.01 reads 0.00101 there; Rom's recursion gives
    # 0.0010045, and 1 - 0.99^(1/10) = 0.0010045 is a bound from above, so it is left out.
    at_5 = [0.05, 0.025, 0.0169, 0.0127, 0.0102, 0.00851, 0.0073, 0.00639, 0.00568, 0.00511]
    at_1 = [0.01, 0.005, 0.00334, 0.00251, 0.00201, 0.00167, 0.00143, 0.00126, 0.00112]
    for alpha, table in ((0.05, at_5), (0.01, at_1)):
        ours = rom_critical_values(alpha, len(table))
        assert [float(f"{c:.3g}") for c in ours] == table


def test_mean_difference_is_scipy_ttest_interval() -> None:
    rng = np.random.default_rng(1)
    for n in (2, 3, 10, 200):
        a, b = rng.normal(size=(2, n))
        for confidence in (0.5, 0.95, 0.999):
            theirs = stats.ttest_rel(a, b).confidence_interval(confidence)
            ours = effects.mean_difference(a, b, confidence=confidence)
            np.testing.assert_allclose([ours.low, ours.high], [theirs.low, theirs.high])


def test_median_difference_is_scipy_quantile_test_interval() -> None:
    rng = np.random.default_rng(2)
    for n in (6, 9, 10, 40):
        d = rng.normal(size=n)
        theirs = stats.quantile_test(d).confidence_interval(0.95)
        ours = effects.median_difference(d, np.zeros(n))
        np.testing.assert_array_equal([ours.low, ours.high], np.asarray(theirs))


def test_hodges_lehmann_inverts_scipy_wilcoxon() -> None:
    rng = np.random.default_rng(3)
    for n in (6, 10, 20):
        d = rng.normal(size=n)
        interval = effects.hodges_lehmann(d, np.zeros(n))
        for end, outwards in ((float(interval.low), -1e-9), (float(interval.high), 1e-9)):
            assert stats.wilcoxon(d - end - outwards, method="exact").pvalue <= 0.05
            assert stats.wilcoxon(d - end + outwards, method="exact").pvalue > 0.05


def test_hodges_lehmann_interval_of_hollander_and_wolfe() -> None:
    # Hollander and Wolfe, table 3.1: Hamilton depression scale factor IV, nine patients before and
    # after. R's documentation of `wilcox.test` carries the same numbers as its first example.
    x = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    y = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    interval = effects.hodges_lehmann(x, y)
    walsh = np.sort([(d + e) / 2 for i, d in enumerate(x - y) for e in (x - y)[i:]])
    # n = 9: P(W ≤ 5) = 10/512 and P(W ≤ 6) = 14/512 = 0.027, so the sixth from either end.
    np.testing.assert_allclose(
        [interval.estimate, interval.low, interval.high], [walsh[22], walsh[5], walsh[-6]]
    )
    # R: V = 40, one-sided p-value = 0.01953.
    assert float(effects.rank_biserial(x, y)) == pytest.approx((40 - 5) / 45)
    assert stats.wilcoxon(x, y, alternative="greater").pvalue == pytest.approx(0.01953, abs=5e-6)


@pytest.mark.parametrize("decimals", [1, 9])
def test_cliffs_delta_from_scipy_mannwhitneyu(decimals: int) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.3, 1, (20, 13)).round(decimals), rng.normal(size=(20, 17)).round(decimals)
    u = stats.mannwhitneyu(a, b, axis=-1, method="asymptotic").statistic
    np.testing.assert_allclose(effects.cliffs_delta(a, b), 2 * u / (13 * 17) - 1)
    np.testing.assert_allclose(effects.vargha_delaney(a, b), u / (13 * 17))


@pytest.mark.parametrize("decimals", [1, 9])
def test_rank_biserial_from_scipy_wilcoxon(decimals: int) -> None:
    a, b = np.random.default_rng(5).normal(size=(2, 20)).round(decimals)
    n = np.count_nonzero((a - b).round(6))
    greater = stats.wilcoxon((a - b).round(6), alternative="greater", method="approx")
    assert float(effects.rank_biserial(a, b)) == pytest.approx(
        2 * greater.statistic / (n * (n + 1) / 2) - 1
    )
