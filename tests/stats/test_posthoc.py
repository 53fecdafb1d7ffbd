"""Nemenyi's test."""

import numpy as np
import pytest
from scipy.special import ndtr

from palio.stats.posthoc import critical_difference, nemenyi


def test_two_algorithms_by_hand() -> None:
    # k = 2, n = 24: √(k(k+1)/(6n)) = √(1/24); |R1 - R2| = 0.5 is z = 0.5 · √24.
    p = nemenyi([1.25, 1.75], 24)
    assert float(p[0, 1]) == pytest.approx(2 * ndtr(-0.5 * np.sqrt(24)), rel=1e-12)


def test_matrix_is_symmetric_with_ones() -> None:
    p = nemenyi([1.0, 2.5, 2.5, 4.0], 10)
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(np.diag(p), 1.0)
    assert p[1, 2] == 1.0
    assert p[0, 3] < p[0, 1] == p[1, 3] == p[2, 3]


def test_critical_difference_is_where_p_is_alpha() -> None:
    for k, n, alpha in ((3, 10, 0.05), (8, 38, 0.05), (20, 200, 0.01)):
        cd = critical_difference(k, n, alpha)
        ranks = np.full(k, (k + 1) / 2)
        ranks[0], ranks[1] = ranks[0] - cd / 2, ranks[1] + cd / 2
        assert float(nemenyi(ranks, n)[0, 1]) == pytest.approx(alpha, rel=1e-9)


def test_tiny_p_values_survive() -> None:
    assert 0.0 < float(nemenyi([1.0, 2.0, 3.0], 300)[0, 2]) < 1e-100


def test_refuses() -> None:
    with pytest.raises(ValueError, match="n must be 1 or more"):
        nemenyi([1.0, 2.0], 0)
    with pytest.raises(ValueError, match="mean_ranks must have shape"):
        nemenyi([1.0], 5)
    with pytest.raises(ValueError, match="alpha"):
        critical_difference(3, 10, 0.0)
    with pytest.raises(ValueError, match="k must be 2 or more"):
        critical_difference(1, 10)
