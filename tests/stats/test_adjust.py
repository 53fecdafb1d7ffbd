"""Adjusted p-values."""

import numpy as np
import pytest

from palio.stats.adjust import bonferroni, holm, none


def test_by_hand() -> None:
    p = [0.04, 0.01, 0.03, 0.8]
    np.testing.assert_allclose(bonferroni(p), [0.16, 0.04, 0.12, 1.0])
    # Ascending 0.01 0.03 0.04 0.8 times 4 3 2 1: 0.04 0.09 0.08 0.8; 0.08 rises to 0.09.
    np.testing.assert_allclose(holm(p), [0.09, 0.04, 0.09, 0.8])
    assert none(p).tolist() == p


def test_bonferroni_for_a_larger_family() -> None:
    np.testing.assert_allclose(bonferroni([0.01, 0.02], m=10), [0.1, 0.2])
    assert float(bonferroni(0.01, m=3)) == pytest.approx(0.03)
    with pytest.raises(ValueError, match="m must be at least the number of p-values, 2; got 1"):
        bonferroni([0.01, 0.02], m=1)


def test_holm_is_monotone_between_raw_and_bonferroni() -> None:
    p = np.random.default_rng(0).random((200, 12)) ** 3
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= bonferroni(p) + 1e-15).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, axis=-1)
    assert (np.diff(np.take_along_axis(adjusted, order, axis=-1), axis=-1) >= 0).all()


def test_holm_rejects_what_the_step_down_procedure_rejects() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        p = rng.random(6) ** 4
        rejected = np.zeros(6, dtype=bool)
        for step, index in enumerate(np.argsort(p)):
            if p[index] > 0.05 / (6 - step):
                break
            rejected[index] = True
        np.testing.assert_array_equal(holm(p) <= 0.05, rejected)


def test_tied_p_values_are_adjusted_alike() -> None:
    assert len(set(holm([0.01, 0.01, 0.01]).tolist())) == 1


def test_empty_and_scalar() -> None:
    assert holm([]).shape == (0,)
    assert bonferroni([]).shape == (0,)
    assert float(holm(0.2)) == 0.2


def test_the_given_array_is_left_alone() -> None:
    p = np.array([0.5, 0.1])
    for adjust in (none, holm, bonferroni):
        adjust(p)[...] = 0.0
        assert p.tolist() == [0.5, 0.1]


@pytest.mark.parametrize("bad", [np.nan, -0.1, 1.1])
def test_what_is_not_a_probability(bad: float) -> None:
    for adjust in (none, holm, bonferroni):
        with pytest.raises(ValueError, match="p must lie between 0 and 1; got"):
            adjust([0.5, bad])
