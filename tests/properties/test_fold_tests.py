"""Every fold test in the registry keeps its promises, and promises no more than it keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from palio.comparison.fold_tests import FOLD_TESTS, BoundTest, bind_fold_test
from palio.scores import Design
from palio.types import Alternative, FloatArray

OPTIONS = {"calibrated-t": {"test_df": 9.0}}
# Two decimals, as papers print them: ties and equal differences do happen.
SCORES = arrays(
    np.float64, (2, 5, 2), elements=st.integers(0, 10_000).map(lambda i: i / 100), fill=st.nothing()
)
TESTS = list(FOLD_TESTS)
MIRRORED: dict[Alternative, Alternative] = {
    "two-sided": "two-sided",
    "greater": "less",
    "less": "greater",
}


def bound(name: str) -> BoundTest:
    return bind_fold_test(name, Design.of_grid(5, 2), OPTIONS.get(name))


def p_value(name: str, a: FloatArray, b: FloatArray, side: Alternative = "two-sided") -> float:
    return float(bound(name)(a, b, alternative=side).p_value)


def sides(name: str) -> list[Alternative]:
    return ["two-sided", "greater", "less"] if FOLD_TESTS[name].one_sided else ["two-sided"]


def promising(what: str) -> list[str]:
    names = [name for name in TESTS if what in FOLD_TESTS[name].properties]
    assert names
    return names


def close(x: float, y: float) -> bool:
    """Equal but for rounding, also where p-values are tiny."""
    return x == pytest.approx(y, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("name", promising("mirror"))
@given(scores=SCORES)
def test_swapping_mirrors(name: str, scores: FloatArray) -> None:
    a, b = scores
    for side in sides(name):
        assert close(p_value(name, a, b, side), p_value(name, b, a, MIRRORED[side]))


@pytest.mark.parametrize("name", promising("negation"))
@given(scores=SCORES)
def test_negating_mirrors_too(name: str, scores: FloatArray) -> None:
    a, b = scores
    for side in sides(name):
        assert close(p_value(name, a, b, side), p_value(name, -a, -b, MIRRORED[side]))


@pytest.mark.parametrize("name", promising("shift"))
@given(scores=SCORES, shift=st.integers(-50, 50))
def test_a_harder_data_set_changes_nothing(name: str, scores: FloatArray, shift: int) -> None:
    a, b = scores
    for side in sides(name):
        assert close(p_value(name, a, b, side), p_value(name, a + shift, b + shift, side))


@pytest.mark.parametrize("name", promising("scale"))
@given(scores=SCORES, scale=st.sampled_from([0.01, 0.5, 100.0]))
def test_percent_or_fraction_changes_nothing(name: str, scores: FloatArray, scale: float) -> None:
    a, b = scores
    for side in sides(name):
        assert close(p_value(name, a, b, side), p_value(name, scale * a, scale * b, side))


@pytest.mark.parametrize("name", promising("relabel-folds"))
@given(scores=SCORES, repeats=st.permutations(range(5)), folds=st.permutations(range(2)))
def test_relabelling_folds_changes_nothing(
    name: str, scores: FloatArray, repeats: list[int], folds: list[int]
) -> None:
    a, b = scores
    for side in sides(name):
        relabelled = p_value(name, a[repeats][:, folds], b[repeats][:, folds], side)
        assert close(p_value(name, a, b, side), relabelled)


@pytest.mark.parametrize("name", sorted(set(TESTS) - set(promising("relabel-folds"))))
def test_what_is_not_promised_does_not_hold(name: str) -> None:
    """A declaration that is too modest fails too: the 5×2 cv t does depend on the first fold."""
    a, b = np.random.default_rng(0).random((2, 5, 2))
    assert not close(p_value(name, a, b), p_value(name, a[::-1], b[::-1]))


@pytest.mark.parametrize("name", promising("identical"))
@given(scores=SCORES)
def test_identical_algorithms_are_never_separated(name: str, scores: FloatArray) -> None:
    a = scores[0]
    # The same scores with rounding noise on them are still the same scores.
    for b in (a, a / 7 * 7, a * (1 + 1e-14)):
        for side in sides(name):
            assert p_value(name, a, b, side) == 1


@pytest.mark.parametrize("name", TESTS)
@given(scores=SCORES)
def test_p_values_are_probabilities(name: str, scores: FloatArray) -> None:
    a, b = scores
    for side in sides(name):
        assert 0 <= p_value(name, a, b, side) <= 1


@pytest.mark.parametrize("name", [name for name in TESTS if FOLD_TESTS[name].one_sided])
@given(scores=SCORES)
def test_one_sided_p_values_add_up(name: str, scores: FloatArray) -> None:
    a, b = scores
    total = p_value(name, a, b, "greater") + p_value(name, a, b, "less")
    assert total == pytest.approx(1) or total == 2  # both 1 where nothing differs


@pytest.mark.parametrize("name", TESTS)
def test_every_entry_says_what_it_is(name: str) -> None:
    entry = FOLD_TESTS[name]
    assert entry.name == name
    assert entry.title
    assert entry.reference
    assert entry.needs
