"""Multiple range tests."""

import itertools
import time
from collections.abc import Callable

import numpy as np
import pytest

from palio.stats.several import RangeTest, duncan, newman_keuls, tukey

TESTS: list[Callable[..., RangeTest]] = [newman_keuls, tukey, duncan]


def _with_means(means: list[float], half: float = 1.0, folds: int = 4) -> np.ndarray:
    """Return scores at mean ± half: MSE = folds · half² / (folds - 1)."""
    signs = np.resize([1.0, -1.0], folds)
    return np.array(means)[:, None] + half * signs


def test_newman_keuls_by_hand() -> None:
    # Means 3, 0, 9, 1 with MSE 4/3 and L = 4: √(MSE/L) = √(1/3) = 0.577, df = 4 · 3 = 12.
    # q(.05; P, 12) = 3.08, 3.77, 4.20 (table), so the limits are 1.78, 2.18, 2.42.
    # Sorted 0 1 3 9: 9 - 0 > 2.42; 3 - 0 > 2.18, 9 - 1 > 2.18; 1 - 0 <= 1.78, 3 - 1 > 1.78.
    result = newman_keuls(_with_means([3.0, 0.0, 9.0, 1.0]))
    assert result.order.tolist() == [1, 3, 0, 2]
    assert result.means.tolist() == [3.0, 0.0, 9.0, 1.0]
    assert float(result.mse) == pytest.approx(4 / 3)
    assert result.df == 12
    np.testing.assert_allclose(result.critical, [3.08, 3.77, 4.20], atol=0.005)
    assert result.underlines() == [(0, 1)]
    expected = np.eye(4, dtype=bool)
    expected[0, 1] = expected[1, 0] = True
    np.testing.assert_array_equal(result.equal, expected)


def test_overlapping_underlines_as_in_the_paper() -> None:
    # yildiz2006, section 2.4.2: 5 2 4 underlined, 4 3 underlined, 1 alone.
    # Limits for 5 means of L = 4 at MSE 4/3, df 15: q = 3.01 3.67 4.08 4.37 -> 1.74 2.12 2.35 2.52
    means = {5: 0.0, 2: 1.0, 4: 2.0, 3: 3.6, 1: 9.0}
    result = newman_keuls(_with_means([means[name] for name in (1, 2, 3, 4, 5)]))
    names = (result.order + 1).tolist()
    assert names == [5, 2, 4, 3, 1]
    assert [names[i : j + 1] for i, j in result.underlines()] == [[5, 2, 4], [4, 3]]


def test_a_range_within_an_accepted_one_is_accepted() -> None:
    # K = L = 4 as above, limits 1.78, 2.18, 2.42. All four lie within 2.42. The two in the middle
    # are 2.2 apart and would be told apart if they were looked at.
    result = newman_keuls(_with_means([0.0, 0.1, 2.3, 2.4]))
    unit = np.sqrt(float(result.mse) / 4)
    assert result.critical[0] * unit < 2.2
    assert result.equal.all()
    assert result.underlines() == [(0, 3)]


def _slow(y: np.ndarray, critical: np.ndarray) -> np.ndarray:
    """Follow the words of the paper: widest first, skip what lies within an accepted range."""
    k, folds = y.shape
    means = np.sort(y.mean(axis=1))
    mse = ((y - y.mean(axis=1, keepdims=True)) ** 2).sum() / (k * (folds - 1))
    accepted: list[tuple[int, int]] = []
    for p in range(k, 1, -1):
        for i in range(k - p + 1):
            j = i + p - 1
            inside = any(first <= i and j <= last for first, last in accepted)
            if inside or (means[j] - means[i]) * np.sqrt(folds / mse) <= critical[p - 2]:
                accepted.append((i, j))
    equal = np.eye(k, dtype=bool)
    for i, j in accepted:
        equal[i, j] = equal[j, i] = True
    return equal


@pytest.mark.parametrize("test", TESTS)
def test_agrees_with_the_procedure_as_written(test: Callable[..., RangeTest]) -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=(200, 5, 4)) + rng.normal(scale=1.5, size=(200, 5, 1))
    result = test(y)
    assert 0.1 < result.equal.mean() < 0.9
    for table, equal in zip(y, result.equal, strict=True):
        np.testing.assert_array_equal(equal, _slow(table, result.critical))


def test_underlines_are_maximal() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=(100, 6, 4)) + rng.normal(scale=1.5, size=(100, 6, 1))
    found = 0
    for table in y:
        result = newman_keuls(table)
        ranges = [(i, j) for i, j in itertools.combinations(range(6), 2) if result.equal[i, j]]
        maximal = [
            (i, j)
            for i, j in ranges
            if not any((a, b) != (i, j) and a <= i and j <= b for a, b in ranges)
        ]
        assert result.underlines() == maximal
        found += len(maximal)
    assert found > 100


def test_critical_values_are_ordered() -> None:
    # Tukey is the strictest, Duncan the most lenient; for two means NK and Duncan agree.
    y = np.random.default_rng(0).normal(size=(5, 4))
    nk, hsd, new = (test(y).critical for test in TESTS)
    assert (np.diff(nk) > 0).all()
    assert (hsd == nk[-1]).all()
    assert nk[0] == pytest.approx(new[0])
    assert (new[1:] < nk[1:]).all()


@pytest.mark.parametrize("test", TESTS)
def test_without_error_equal_means_accept_and_others_do_not(
    test: Callable[..., RangeTest],
) -> None:
    y = np.array([[0.3, 0.3], [0.5, 0.5], [0.1 + 0.2, 0.1 + 0.2], [0.9, 0.9]])
    result = test(y)
    assert bool(result.degenerate)
    assert float(result.mse) == 0.0
    assert result.order.tolist() == [0, 2, 1, 3]
    assert result.underlines() == [(0, 1)]
    assert test(np.full((3, 4), 0.7)).underlines() == [(0, 2)]


def test_equal_means_keep_their_given_order() -> None:
    y = np.array([[0.3, 0.5], [0.1 + 0.2, 0.5], [0.5, 0.3], [0.2, 0.2]])
    assert newman_keuls(y).order.tolist() == [3, 0, 1, 2]


def test_thirty_thousand_tables_are_quick() -> None:
    y = np.random.default_rng(0).normal(size=(30_000, 5, 10))
    newman_keuls(y[:1])  # the critical values, once
    start = time.perf_counter()
    result = newman_keuls(y)
    assert time.perf_counter() - start < 1.0  # 25 ms when written
    assert result.equal.shape == (30_000, 5, 5)


def test_underlines_refuse_a_batch() -> None:
    with pytest.raises(ValueError, match="single data set"):
        newman_keuls(np.random.default_rng(0).normal(size=(2, 3, 4))).underlines()


@pytest.mark.parametrize("test", TESTS)
def test_bad_input_is_named(test: Callable[..., RangeTest]) -> None:
    with pytest.raises(ValueError, match="y must have shape"):
        test(np.ones((3, 1)))
    with pytest.raises(ValueError, match="alpha must lie strictly between 0 and 1"):
        test(np.ones((3, 2)), alpha=1.0)
