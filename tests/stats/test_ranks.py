"""Ranks and ties."""

import time

import numpy as np
import pytest
from scipy import stats

from palio.stats.ranks import TIE_TOLERANCE, average_ranks, paired_difference, rounding_noise


def test_smallest_is_first_and_ties_share_the_mean() -> None:
    # sorted: 10 20 20 30 -> ranks 1, (2+3)/2 twice, 4
    assert average_ranks([20, 10, 30, 20]).tolist() == [2.5, 1.0, 4.0, 2.5]


def test_all_equal_share_the_middle_rank() -> None:
    assert average_ranks([7.0] * 5).tolist() == [3.0] * 5


def test_last_bit_differences_are_ties() -> None:
    assert 0.1 + 0.2 != 0.3
    assert average_ranks([0.1 + 0.2, 0.3, 0.2]).tolist() == [2.5, 2.5, 1.0]


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e200])
def test_tolerance_is_relative(scale: float) -> None:
    near, far = 1 + TIE_TOLERANCE / 2, 1 + TIE_TOLERANCE * 2
    assert average_ranks(np.array([1.0, near]) * scale).tolist() == [1.5, 1.5]
    assert average_ranks(np.array([far, 1.0]) * scale).tolist() == [2.0, 1.0]


def test_zero_is_tied_with_zero_only() -> None:
    assert average_ranks([1e-300, 0.0, -0.0]).tolist() == [3.0, 1.5, 1.5]


def test_chains_of_near_values_merge() -> None:
    step = 0.8 * TIE_TOLERANCE
    chain = 1.0 + step * np.arange(4)  # the ends are 2.4 tolerances apart
    assert average_ranks([*chain, 2.0]).tolist() == [2.5, 2.5, 2.5, 2.5, 5.0]


def test_magnitude_decides_what_is_near() -> None:
    differences = [90.62 - 90.61, 70.02 - 70.01, 0.5]
    assert abs(differences[0] / differences[1] - 1) > TIE_TOLERANCE
    assert average_ranks(differences).tolist() == [2.0, 1.0, 3.0]
    assert average_ranks(differences, magnitude=[90.62, 70.02, 90.0]).tolist() == [1.5, 1.5, 3.0]


def test_agrees_with_scipy_along_every_axis() -> None:
    values = np.random.default_rng(0).integers(0, 6, size=(4, 5, 6)).astype(float)
    for axis in (0, 1, 2, -1):
        np.testing.assert_array_equal(
            average_ranks(values, axis=axis), stats.rankdata(values, axis=axis)
        )


def test_empty_and_single() -> None:
    assert average_ranks(np.empty((3, 0))).shape == (3, 0)
    assert average_ranks([5.0]).tolist() == [1.0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="values must be finite"):
        average_ranks([1.0, bad])
    with pytest.raises(ValueError, match="b must be finite"):
        paired_difference([1.0, 2.0], [1.0, bad])


def test_paired_difference_snaps_ties_to_zero() -> None:
    assert paired_difference([0.1 + 0.2, 0.5, -1.0], [0.3, 0.25, 1.0]).tolist() == [0.0, 0.25, -2.0]


def test_rounding_noise_follows_the_largest_score() -> None:
    a, b = np.array([[1.0, -200.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    np.testing.assert_allclose(rounding_noise(a, b, axis=-1), [2e-10, 8e-12])


def test_a_thousand_data_sets_of_two_hundred_rank_quickly() -> None:
    values = np.random.default_rng(0).normal(size=(1000, 200))
    start = time.perf_counter()
    ranks = average_ranks(values)
    assert time.perf_counter() - start < 1.0  # 11 ms when written
    np.testing.assert_array_equal(ranks.sum(axis=-1), 200 * 201 / 2)
