"""Two algorithms, fold by fold: by hand, at zero variance, and refused."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from palio.stats.folds import (
    _f_10_5_tail,
    calibrated_t,
    corrected_t,
    cv52_f,
    cv52_t,
    kfold_t,
    mean_corrected_t,
)
from palio.stats.outcome import Outcome
from palio.types import Alternative

ONE_SIDED: list[Callable[..., Outcome]] = [
    kfold_t,
    lambda a, b, **options: corrected_t(a, b, test_fraction=0.5, **options),
    calibrated_t,
    cv52_t,
]
ALL: list[Callable[..., Outcome]] = [*ONE_SIDED, cv52_f]

# Five repeats of two folds whose differences, a - b, are worked with below.
DIFFERENCES = np.array([[2.0, 0.0], [1.0, 1.0], [3.0, 1.0], [0.0, 2.0], [1.0, -1.0]])
B = np.arange(10.0).reshape(5, 2) + 80
A = B + DIFFERENCES


def test_kfold_t_by_hand() -> None:
    # sum 10, mean 1; squares about the mean: 1+1 +0+0 +4+0 +1+1 +0+4 = 12; S² = 12/9
    # t = √10 · 1 / √(12/9)
    outcome = kfold_t(A, B)
    assert float(outcome.statistic) == pytest.approx(np.sqrt(10 / (12 / 9)))
    assert outcome.df == (9.0,)
    assert outcome.null == "t"
    assert int(outcome.n) == 10
    assert not outcome.degenerate


def test_corrected_t_by_hand() -> None:
    # As above, with 1/10 replaced by 1/10 + ρ/(1-ρ) = 1/10 + 1 for ρ = 1/2.
    outcome = corrected_t(A, B, test_fraction=0.5)
    assert float(outcome.statistic) == pytest.approx(1 / np.sqrt((1 / 10 + 1) * 12 / 9))
    assert outcome.df == (9.0,)


def test_calibrated_t_by_hand() -> None:
    # As above, with the ten differences counted as df + 1 = 5.
    outcome = calibrated_t(A, B, df=4)
    assert float(outcome.statistic) == pytest.approx(np.sqrt(5 / (12 / 9)))
    assert outcome.df == (4.0,)
    assert float(outcome.p_value) == pytest.approx(2 * stats.t.sf(np.sqrt(5 / (12 / 9)), 4))
    assert calibrated_t(A, B).df == (10.0,)


def test_cv52_t_by_hand() -> None:
    # s² per repeat is (p1 - p2)²/2: 2, 0, 2, 2, 2; the sum is 8; t = 2 / √(8/5)
    outcome = cv52_t(A, B)
    assert float(outcome.statistic) == pytest.approx(2 / np.sqrt(8 / 5))
    assert outcome.df == (5.0,)
    assert float(outcome.p_value) == pytest.approx(2 * stats.t.sf(2 / np.sqrt(8 / 5), 5))


def test_cv52_f_by_hand() -> None:
    # Σp² = 4+0+1+1+9+1+0+4+1+1 = 22; f = 22 / (2 · 8)
    outcome = cv52_f(A, B)
    assert float(outcome.statistic) == pytest.approx(22 / 16)
    assert outcome.df == (10.0, 5.0)
    assert float(outcome.p_value) == pytest.approx(stats.f.sf(22 / 16, 10, 5))
    assert outcome.null == "F"


def test_cv52_t_uses_the_first_fold_and_cv52_f_does_not() -> None:
    relabelled = DIFFERENCES[::-1, ::-1]
    assert float(cv52_t(B + relabelled, B).statistic) == pytest.approx(-1 / np.sqrt(8 / 5))
    assert float(cv52_f(B + relabelled, B).p_value) == pytest.approx(float(cv52_f(A, B).p_value))


@pytest.mark.parametrize("test", ONE_SIDED)
def test_sides(test: Callable[..., Outcome]) -> None:
    greater, less = test(A, B, alternative="greater"), test(A, B, alternative="less")
    assert float(greater.p_value) < 0.5 < float(less.p_value)
    assert float(greater.p_value + less.p_value) == pytest.approx(1.0)
    assert float(test(A, B).p_value) == pytest.approx(2 * float(greater.p_value))
    assert float(test(B, A, alternative="less").p_value) == float(greater.p_value)


@pytest.mark.parametrize("test", ALL)
def test_swapping_keeps_the_two_sided_p(test: Callable[..., Outcome]) -> None:
    assert float(test(A, B).p_value) == float(test(B, A).p_value)


@pytest.mark.parametrize("test", ALL)
def test_identical_algorithms_are_never_separated(test: Callable[..., Outcome]) -> None:
    outcome = test(A, A)
    assert float(outcome.statistic) == 0.0
    assert float(outcome.p_value) == 1.0
    assert bool(outcome.degenerate)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("test", ONE_SIDED)
def test_identical_algorithms_one_sided(test: Callable[..., Outcome], alternative: str) -> None:
    assert float(test(A, A, alternative=alternative).p_value) == 1.0


def _constant_difference() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    a = np.arange(1, 11) / 10
    b = np.arange(10) / 10
    assert len(set((a - b).tolist())) > 1  # 0.1 each, but not to the last bit
    return a.reshape(5, 2), b.reshape(5, 2)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
@pytest.mark.parametrize("test", ALL)
def test_of_a_constant_difference_the_signs_are_counted(
    test: Callable[..., Outcome], scale: float
) -> None:
    a, b = _constant_difference()
    outcome = test(a * scale, b * scale)
    assert float(outcome.statistic) == np.inf
    assert float(outcome.p_value) == 2 / 2**10  # all up, or all down
    assert bool(outcome.degenerate)


@pytest.mark.parametrize("test", ONE_SIDED)
def test_constant_difference_one_sided(test: Callable[..., Outcome]) -> None:
    a, b = _constant_difference()
    assert float(test(a, b, alternative="greater").p_value) == 1 / 2**10
    assert float(test(a, b, alternative="less").p_value) == 1.0
    swapped = test(b, a, alternative="less")
    assert float(swapped.p_value) == 1 / 2**10
    assert float(swapped.statistic) == -np.inf
    assert float(test(b, a, alternative="greater").p_value) == 1.0


@pytest.mark.parametrize("test", ALL)
def test_differences_of_rounding_only_are_none(test: Callable[..., Outcome]) -> None:
    b = np.linspace(0.1, 1.0, 10).reshape(5, 2)
    a = np.where(np.arange(10).reshape(5, 2) % 3 == 0, np.nextafter(b, 2.0), b)
    outcome = test(a, b)
    assert float(outcome.p_value) == 1.0
    assert bool(outcome.degenerate)


@pytest.mark.parametrize("test", ALL)
def test_small_but_real_spread_is_calculated(test: Callable[..., Outcome]) -> None:
    # Differences of 1e-8 on scores of 1 are far above the noise of 1e-12: shrinking the
    # differences without changing their shape leaves every statistic as it was.
    outcome = test(1 + 1e-8 * DIFFERENCES, np.ones((5, 2)))
    assert not outcome.degenerate
    reference = test(DIFFERENCES, np.zeros((5, 2)))
    assert float(outcome.p_value) == pytest.approx(float(reference.p_value), rel=1e-6)


def test_cv52_t_with_a_zero_numerator_and_no_variance_is_one() -> None:
    # The first repeat's differences are 0 and 0, the others 1 and 1: every s² is zero.
    difference = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    outcome = cv52_t(difference, np.zeros((5, 2)))
    assert float(outcome.p_value) == 1.0
    assert float(outcome.statistic) == 0.0
    assert bool(outcome.degenerate)
    # The F statistic looks at all ten, and eight do differ.
    assert float(cv52_f(difference, np.zeros((5, 2))).p_value) == 2 / 2**8


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(
    "repeats", [(1, 1, 1, 1, 1), (3, -1, -1, 0.5, 0), (-0.2, 0, 0, 0, 0), (1, 2, 3, -4, -5)]
)
def test_repeats_without_variance_within_are_judged_by_sign_flips(
    repeats: tuple[float, ...], alternative: Alternative
) -> None:
    """The folds of a repeat differ alike, so every s² is zero, but the repeats may vary."""
    scores = np.linspace(0.5, 0.9, 10).reshape(5, 2)
    difference = np.repeat(np.array(repeats)[:, None], 2, axis=1) / 10
    sums = np.array(list(product((1, -1), repeat=10))) @ difference.ravel()  # the first is ours
    sums = {"two-sided": np.abs(sums), "greater": sums, "less": -sums}[alternative]
    expected = (sums >= sums[0] - 1e-9).mean()
    found = cv52_t(scores + difference, scores, alternative=alternative)
    assert float(found.statistic) == np.copysign(np.inf, repeats[0])
    assert float(found.p_value) == expected
    if alternative == "two-sided":
        both = cv52_f(scores + difference, scores)
        assert (float(both.statistic), float(both.p_value)) == (np.inf, expected)


def test_only_what_does_not_vary_is_judged_by_signs() -> None:
    """In a batch beside others, whose p-values stay those of t and F."""
    flat, other = np.full((5, 2), 0.1), DIFFERENCES
    for test in ALL:
        together = test(np.stack([other, flat, other]), np.zeros((3, 5, 2))).p_value
        alone = float(test(other, np.zeros((5, 2))).p_value)
        assert together.tolist() == [alone, 2 / 2**10, alone]


def test_tiny_p_values_survive() -> None:
    # t = 50 on nine degrees of freedom: P = 2 · 1.28e-12; t = 1e6: about 1e-49.
    for t, bound in ((50.0, 1e-11), (1e6, 1e-45)):
        shape = np.array([-1.0, 1.0] * 5)
        difference = shape + t * shape.std(ddof=1) / np.sqrt(10)
        outcome = kfold_t(difference.reshape(1, 10), np.zeros((1, 10)))
        assert float(outcome.statistic) == pytest.approx(t)
        assert 0.0 < float(outcome.p_value) < bound
        assert float(outcome.p_value) == pytest.approx(2 * stats.t.sf(t, 9))


def test_leading_axes_broadcast() -> None:
    many = np.random.default_rng(0).normal(size=(3, 5, 2))
    assert cv52_f(many[:, None], many[None]).p_value.shape == (3, 3)
    np.testing.assert_array_equal(np.diag(cv52_f(many[:, None], many[None]).p_value), 1.0)


@pytest.mark.parametrize("test", ONE_SIDED)
def test_unknown_alternative_is_named(test: Callable[..., Outcome]) -> None:
    with pytest.raises(ValueError, match=r"alternative must be one of .*'bigger'"):
        test(A, B, alternative="bigger")


@pytest.mark.parametrize("test", [cv52_t, cv52_f])
@pytest.mark.parametrize("shape", [(2, 5), (10, 1), (3, 5, 3), (1, 10)])
def test_five_by_two_is_demanded(test: Callable[..., Outcome], shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"a and b must have shape \(\.\.\., 5, 2\).*got shape"):
        test(np.ones(shape), np.ones(shape))


def test_one_difference_has_no_variance() -> None:
    with pytest.raises(ValueError, match=r"at least two differences.*\(1, 1\)"):
        kfold_t([[1.0]], [[2.0]])


def test_unpaired_shapes_are_named() -> None:
    with pytest.raises(ValueError, match=r"paired.*\(1, 3\) and \(1, 4\)"):
        kfold_t(np.ones((1, 3)), np.ones((1, 4)))
    with pytest.raises(ValueError, match=r"a must have shape.*\(3,\)"):
        kfold_t([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])


def test_nan_is_named() -> None:
    with pytest.raises(ValueError, match="b must be finite; got 1 NaN"):
        kfold_t([[1.0, 2.0]], [[1.0, np.nan]])


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.1, np.nan])
def test_test_fraction_is_a_fraction(fraction: float) -> None:
    with pytest.raises(ValueError, match="test_fraction must lie strictly between 0 and 1"):
        corrected_t(A, B, test_fraction=fraction)


@pytest.mark.parametrize("df", [0, -1, np.nan, np.inf])
def test_calibrated_df_is_positive(df: float) -> None:
    with pytest.raises(ValueError, match="df must be positive"):
        calibrated_t(A, B, df=df)


def test_the_closed_tail_of_f_is_scipys() -> None:
    f = np.concatenate([[0.0], np.logspace(-3, 60, 2000), [np.inf]])
    np.testing.assert_allclose(_f_10_5_tail(f), stats.f.sf(f, 10, 5), rtol=1e-13)


def test_the_mean_over_data_sets_rejects_as_often_as_it_says() -> None:
    """Folds whose differences correlate by ρ, as Nadeau and Bengio take them: 5 sets, α = 0.05."""
    rng, rho = np.random.default_rng(1), 0.2
    shared, own = rng.normal(size=(5, 4000, 1, 1)), rng.normal(size=(5, 4000, 1, 5))
    sets = [
        (scale * (np.sqrt(rho) * a + np.sqrt(1 - rho) * b), np.zeros_like(b), rho)
        for scale, a, b in zip([1.0, 2.0, 1.0, 5.0, 0.5], shared, own, strict=True)
    ]
    assert 0.035 < (mean_corrected_t(sets) <= 0.05).mean() < 0.06


def test_one_data_set_is_the_corrected_t() -> None:
    a, b = np.random.default_rng(2).normal(size=(2, 3, 2, 5))
    found = mean_corrected_t([(a, b, 0.2)])
    np.testing.assert_allclose(found, corrected_t(a, b, test_fraction=0.2).p_value)


def test_without_variance_the_signs_of_data_sets_count() -> None:
    ones, zeros = np.ones((2, 1, 3)), np.zeros((2, 1, 3))
    assert mean_corrected_t([(ones, zeros, 0.3)] * 4).tolist() == [0.125, 0.125]
    assert mean_corrected_t([(ones, ones, 0.3)] * 4).tolist() == [1.0, 1.0]
