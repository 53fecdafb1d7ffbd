"""Tests on folds by name: which designs they take, what is bound, what is refused."""

import numpy as np
import pytest
from scipy import stats

from palio.comparison import FOLD_TESTS
from palio.comparison import fold_tests as module
from palio.comparison.fold_tests import bind_fold_test, usual_test
from palio.errors import DesignError, ParameterError, UnknownNameError
from palio.scores import Design
from palio.stats import folds

TEN = Design(kind="k-fold", repeats=1, folds=10)
FIVE_TWO = Design(kind="5x2", repeats=5, folds=2)
TEN_TEN = Design(kind="repeated-k-fold", repeats=10, folds=10)
NONE = Design(kind="none", repeats=1, folds=1)


def test_which_fit() -> None:
    assert module.tests_for(FIVE_TWO) == list(FOLD_TESTS)
    assert module.tests_for(TEN) == [name for name in FOLD_TESTS if not name.startswith("5x2")]
    assert module.tests_for(NONE) == []
    assert usual_test([FIVE_TWO, FIVE_TWO]) == "5x2cv-f"
    assert usual_test([FIVE_TWO, TEN]) == "corrected-t"
    assert usual_test([FIVE_TWO, NONE]) is None


def scores() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.normal(0.3, 1, (4, 1, 10)), rng.normal(0, 1, (4, 1, 10))


def test_what_is_bound_is_the_test_of_the_design() -> None:
    a, b = scores()
    for alternative in ("two-sided", "greater", "less"):
        bound = bind_fold_test("corrected-t", TEN)
        outcome = bound(a, b, alternative=alternative)
        expected = folds.corrected_t(a, b, test_fraction=0.1, alternative=alternative)
        np.testing.assert_array_equal(outcome.p_value, expected.p_value)
    half = bind_fold_test("corrected-t", TEN, {"test_fraction": 0.5})(a, b, alternative="less")
    expected = folds.corrected_t(a, b, test_fraction=0.5, alternative="less")
    np.testing.assert_array_equal(half.p_value, expected.p_value)
    df = bind_fold_test("calibrated-t", TEN, {"test_df": 3.0})(a, b, alternative="greater")
    assert df.df == (3.0,)
    assert bind_fold_test("calibrated-t", TEN_TEN)(
        np.ones((10, 10)) + np.eye(10), np.ones((10, 10)), alternative="two-sided"
    ).df == (10.0,)


def test_the_f_test_has_no_sides() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 5, 2))
    bound = bind_fold_test("5x2cv-f", FIVE_TWO)
    assert bound(a, b, alternative="two-sided").p_value == folds.cv52_f(a, b).p_value


@pytest.mark.parametrize("rope", [0.0, 0.2])
def test_bayes_is_the_correlated_posterior(rope: float) -> None:
    """Student's posterior: mean d̄, scale √((1/n + ρ/(1 − ρ)) s²), ρ the share tested on."""
    a, b = scores()
    difference = (a - b).reshape(4, 10)
    mean, spread = difference.mean(axis=1), difference.std(axis=1, ddof=1)
    scale = np.sqrt(1 / 10 + 0.1 / 0.9) * spread
    above = stats.t.sf((rope - mean) / scale, 9)
    below = stats.t.cdf((-rope - mean) / scale, 9)
    bound = bind_fold_test("bayes", TEN, {"rope": rope})
    greater, less, both = (
        bound(a, b, alternative=side) for side in ("greater", "less", "two-sided")
    )
    np.testing.assert_allclose(greater.statistic, above, rtol=1e-9)
    np.testing.assert_allclose(greater.p_value, 1 - above, rtol=1e-9)
    np.testing.assert_allclose(less.statistic, below, rtol=1e-9)
    np.testing.assert_allclose(less.p_value, 1 - below, rtol=1e-9)
    np.testing.assert_allclose(both.statistic, np.maximum(above, below), rtol=1e-9)
    np.testing.assert_allclose(both.p_value, 1 - np.maximum(above, below), rtol=1e-9)
    assert both.df == (9,)
    assert both.n.tolist() == [10] * 4
    assert not both.degenerate.any()
    same = bound(a, a + 1, alternative="two-sided")
    assert same.degenerate.all()


@pytest.mark.parametrize("name", list(FOLD_TESTS))
def test_data_sets_of_any_size_are_tested_each_by_itself(name: str) -> None:
    """One is constant, and one so large that what is noise there is a difference elsewhere."""
    a, b = np.random.default_rng(5).normal(0.3, 1, (2, 3, 5, 2))
    b[1] = a[1] - 1
    a[2], b[2] = 2.0**50 * a[2], 2.0**50 * b[2]
    options = {"test_df": 5.0} if name == "calibrated-t" else {}
    bound = bind_fold_test(name, FIVE_TWO, options)
    together = bound(a, b, alternative="two-sided")
    for i in range(3):
        alone = bound(a[i], b[i], alternative="two-sided")
        assert together.statistic[i] == pytest.approx(float(alone.statistic))
        assert together.p_value[i] == pytest.approx(float(alone.p_value))
        assert together.degenerate[i] == alone.degenerate
    assert together.degenerate.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("name", "design", "options", "error", "says"),
    [
        ("5x2cv-f", TEN, {}, DesignError, "5 repeats of 2 folds.*tests that fit: kfold-t"),
        ("kfold-t", NONE, {}, DesignError, "no test on folds fits"),
        ("kfold-t", TEN, {"rope": 1.0}, ParameterError, "takes no options"),
        ("bayes", TEN, {"test_df": 1.0}, ParameterError, "takes rope, test_fraction"),
        ("calibrated-t", TEN, {}, DesignError, "give test_df= from a calibration"),
        ("calibrated-t", TEN, {"test_df": 0.0}, ParameterError, "are positive, and 0.0"),
        ("calibrated-t", TEN, {"test_df": float("inf")}, ParameterError, "are positive"),
        ("bayes", TEN, {"rope": "auto"}, ParameterError, "takes a number, and 'auto' was given"),
        ("kfold", TEN, {}, UnknownNameError, "kfold-t"),
    ],
)
def test_what_is_refused(
    name: str, design: Design, options: dict[str, float], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        bind_fold_test(name, design, options)


def test_the_data_set_is_named() -> None:
    with pytest.raises(DesignError, match="data set 'iris' has"):
        bind_fold_test("5x2cv-f", TEN, dataset="iris")
    with pytest.raises(DesignError, match="the data have"):
        bind_fold_test("5x2cv-f", TEN)
