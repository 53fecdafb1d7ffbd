"""Corrections by name: what they adjust, what they refuse."""

import numpy as np
import pytest
from scipy.special import ndtr

from palio.comparison import CORRECTIONS
from palio.comparison.corrections import (
    Family,
    check_alpha,
    correction_named,
    fold_correction_named,
)
from palio.errors import ParameterError, UnknownNameError
from palio.stats.adjust import decision_levels
from palio.stats.studentized import studentized_range_sf

P = np.array([0.01, 0.04, 0.03])

BY_HAND = {
    "none": [0.01, 0.04, 0.03],
    "bonferroni": [0.03, 0.12, 0.09],
    "sidak": [1 - 0.99**3, 1 - 0.96**3, 1 - 0.97**3],
    "holm": [0.03, 0.06, 0.06],
    "hochberg": [0.03, 0.04, 0.04],
    "hommel": [0.03, 0.04, 0.04],
    "holland": [1 - 0.99**3, 1 - 0.97**2, 1 - 0.97**2],
    "finner": [1 - 0.99**3, 1 - 0.97**1.5, 1 - 0.97**1.5],
    "li": [0.01 / (0.01 + 0.96), 0.04, 0.03 / (0.03 + 0.96)],
    "shaffer": [0.03, 0.04, 0.03],
    "bh": [0.03, 0.04, 0.04],
    "by": [0.03 * 11 / 6, 0.04 * 11 / 6, 0.04 * 11 / 6],
}


@pytest.mark.parametrize("name", BY_HAND)
def test_three_p_values_by_hand(name: str) -> None:
    """Of three pairs among three algorithms."""
    adjusted = CORRECTIONS[name].adjust(Family(P, 3))
    np.testing.assert_allclose(adjusted, BY_HAND[name], rtol=1e-12)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_pair_differs_where_p_is_at_most_the_level_of_its_decision(name: str) -> None:
    rng = np.random.default_rng(0)
    for strength in np.linspace(0, 6, 40):
        z = rng.normal(scale=1 + strength, size=10)
        p = 2 * ndtr(-np.abs(z))
        adjusted = CORRECTIONS[name].adjusted(Family(p, 5, z))
        levels = decision_levels(p, adjusted, 0.05)
        assert ((p <= levels) == (adjusted <= 0.05)).all()


def test_nemenyi_refers_z_to_the_studentised_range() -> None:
    z = np.array([2.5, -1.0, 0.0])
    adjusted = CORRECTIONS["nemenyi"].adjust(Family(P, 4, z))
    expected = [studentized_range_sf(abs(each) * np.sqrt(2), 4) for each in z]
    np.testing.assert_allclose(adjusted, expected, rtol=1e-6)
    assert adjusted[2] == 1
    with pytest.raises(ParameterError, match="starts from the statistics of 'mean-ranks'"):
        CORRECTIONS["nemenyi"].adjust(Family(P, 3))


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, float("nan")])
def test_levels_lie_between(alpha: float) -> None:
    with pytest.raises(ParameterError, match="alpha: a significance level"):
        check_alpha(alpha)
    check_alpha(1e-9)
    check_alpha(0.999)


@pytest.mark.parametrize(
    ("name", "test", "control", "says"),
    [
        ("nemenyi", "wilcoxon", None, "belongs to test 'mean-ranks', and the test is 'wilcoxon'"),
        ("nemenyi", "mean-ranks", "a", "is for all pairs, and a control is given"),
        ("shaffer", "sign", "a", "is for all pairs"),
        ("li", "sign", None, "with a control, and none is given"),
    ],
)
def test_what_has_no_answer(name: str, test: str, control: str | None, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        CORRECTIONS[name].check(test=test, control=control)


def test_what_has_one() -> None:
    CORRECTIONS["nemenyi"].check(test="mean-ranks", control=None)
    CORRECTIONS["li"].check(test="sign", control="a")
    for control in (None, "a"):
        CORRECTIONS["holm"].check(test="sign", control=control)


def test_names() -> None:
    assert correction_named(None) is CORRECTIONS["none"]
    assert correction_named("bh") is CORRECTIONS["bh"]
    with pytest.raises(UnknownNameError, match="holm"):
        correction_named("hollm")
    assert fold_correction_named("holm").name == "holm"
    for name in ("li", "shaffer", "nemenyi"):
        with pytest.raises(ParameterError, match="MultiTest takes none, bonferroni"):
            fold_correction_named(name)


def test_remarks() -> None:
    assert [CORRECTIONS[name].remark for name in ("holm", "li", "nemenyi", "shaffer")] == [
        "",
        "with a control",
        "mean-ranks",
        "",
    ]
