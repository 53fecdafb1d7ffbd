"""The range of k standard normals."""

import numpy as np
import pytest
from scipy.special import ndtr

from palio.stats.studentized import (
    studentized_range_isf,
    studentized_range_sf,
    studentized_range_sf_many,
)


def test_two_normals_are_the_normal_distribution() -> None:
    # The range of two is |z1 - z2| = √2 |z|, so P = 2 Φ(-q/√2), to the last digits of 1e-290.
    q = np.linspace(0.0, 51.0, 500)
    exact = 2 * ndtr(-q / np.sqrt(2))
    assert exact[-1] < 1e-280
    np.testing.assert_allclose(studentized_range_sf(q, 2), exact, rtol=1e-12)


@pytest.mark.parametrize("k", [3, 8, 10, 11, 50, 200, 1000])
def test_far_tail_approaches_the_sum_over_pairs(k: int) -> None:
    # The range exceeds q if some pair's distance does: at most k(k-1)/2 times the tail of one
    # pair, and in the far tail the pairs exclude each other.
    q = np.array([20.0, 30.0, 45.0])
    union = k * (k - 1) / 2 * 2 * ndtr(-q / np.sqrt(2))
    probability = studentized_range_sf(q, k)
    assert (probability <= union * (1 + 1e-12)).all()
    np.testing.assert_allclose(probability, union, rtol=1e-4)


def test_three_normals_by_simulation() -> None:
    z = np.random.default_rng(0).normal(size=(400_000, 3))
    rate = (np.ptp(z, axis=1) > 2.5).mean()
    assert float(studentized_range_sf(2.5, 3)) == pytest.approx(rate, abs=4 * 0.5 / 400_000**0.5)


@pytest.mark.parametrize("k", [2, 3, 10, 11, 200])
def test_zero_and_infinity(k: int) -> None:
    assert studentized_range_sf([0.0, np.inf], k).tolist() == [1.0, 0.0]
    assert float(studentized_range_sf(1e-9, k)) == pytest.approx(1.0)


def test_falls_with_q_and_rises_with_k() -> None:
    q = np.linspace(0.5, 12, 200)
    table = np.array([studentized_range_sf(q, k) for k in (2, 5, 10, 11, 30, 200)])
    assert (np.diff(table, axis=1) <= 1e-14).all()
    assert (np.diff(table, axis=0) >= -1e-14).all()


def test_shapes_and_chunks() -> None:
    assert studentized_range_sf(np.ones((2, 0)), 3).shape == (2, 0)
    q = np.linspace(0, 8, 9000).reshape(3, 3000)
    table = studentized_range_sf(q, 4)
    assert table.shape == (3, 3000)
    assert float(table[2, 17]) == float(studentized_range_sf(q[2, 17], 4))


@pytest.mark.parametrize("k", [2, 3, 10, 11, 50, 200, 500])
def test_many_are_interpolated_as_exactly(k: int) -> None:
    q = np.random.default_rng(k).uniform(0.0, 53.0, size=(3, 1000))
    q[0, :3] = [0.0, 1.0, 1e-12]
    np.testing.assert_allclose(
        studentized_range_sf_many(q, k), studentized_range_sf(q, k), rtol=1e-11, atol=1e-300
    )


def test_many_at_the_ends() -> None:
    q = np.linspace(0.0, 200.0, 4001)
    p = studentized_range_sf_many(q, 7)
    assert p[0] == 1.0
    assert (p[q >= 54] == 0.0).all()
    assert (np.diff(p) <= 0).all()
    assert studentized_range_sf_many(np.full(5000, np.inf), 3).max() == 0.0
    # Equal ranges have equal probabilities whatever else is asked.
    alone = studentized_range_sf_many(np.full(2000, q[83]), 7)
    assert (alone == p[83]).all()


@pytest.mark.parametrize("alpha", [1e-200, 1e-12, 0.01, 0.05, 0.5, 0.999])
@pytest.mark.parametrize("k", [2, 4, 30, 200])
def test_inverse(alpha: float, k: int) -> None:
    q = studentized_range_isf(alpha, k)
    assert float(studentized_range_sf(q, k)) == pytest.approx(alpha, rel=1e-10)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"k must be 2 or more.*got 1"):
        studentized_range_sf(1.0, 1)
    with pytest.raises(ValueError, match="q must be zero or more"):
        studentized_range_sf([-0.1], 3)
    with pytest.raises(ValueError, match="q must be zero or more"):
        studentized_range_sf([np.nan], 3)
    with pytest.raises(ValueError, match="q must be zero or more"):
        studentized_range_sf_many(np.full(5000, np.nan), 3)
    with pytest.raises(ValueError, match="k must be 2 or more"):
        studentized_range_sf_many(np.ones(5000), 1)
    with pytest.raises(ValueError, match="alpha"):
        studentized_range_isf(0.0, 3)
    with pytest.raises(ValueError, match="k must be 2 or more"):
        studentized_range_isf(0.05, 1)
