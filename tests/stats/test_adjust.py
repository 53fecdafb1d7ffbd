"""Adjusted p-values."""

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from palio.stats import adjust
from palio.stats._families import rom_critical_values
from palio.stats._simes import simes_of_largest
from palio.stats.adjust import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    decision_levels,
    finner,
    hochberg,
    holland,
    holm,
    hommel,
    li,
    none,
    rom,
    sidak,
)
from palio.types import FloatArray

Adjust = Callable[[ArrayLike], FloatArray]
METHODS: dict[str, Adjust] = {
    function.__name__: function
    for function in (
        none, bonferroni, sidak, holm, holland, finner, hochberg, hommel, rom, li,
        benjamini_hochberg, benjamini_yekutieli,
    )
}  # fmt: skip
every_method = pytest.mark.parametrize("name", METHODS)

# Zeros, ones, ties, tiny values and ordinary ones.
P_VALUES = st.one_of(
    st.sampled_from([0.0, 1e-300, 1e-12, 0.01, 0.05, 0.5, 1.0]), st.floats(0.0, 1.0)
)
FAMILIES = st.lists(P_VALUES, min_size=1, max_size=8)


def test_by_hand() -> None:
    p = [0.04, 0.01, 0.03, 0.8]
    np.testing.assert_allclose(bonferroni(p), [0.16, 0.04, 0.12, 1.0])
    # Ascending 0.01 0.03 0.04 0.8 times 4 3 2 1: 0.04 0.09 0.08 0.8; 0.08 rises to 0.09.
    np.testing.assert_allclose(holm(p), [0.09, 0.04, 0.09, 0.8])
    # The same from the other end: 0.09 falls to 0.08.
    np.testing.assert_allclose(hochberg(p), [0.08, 0.04, 0.08, 0.8])
    # 4/1, 4/2, 4/3, 4/4: 0.04 0.06 0.0533 0.8; 0.06 falls to 0.0533. Times 1 + 1/2 + 1/3 + 1/4.
    bh = np.array([0.16 / 3, 0.04, 0.16 / 3, 0.8])
    np.testing.assert_allclose(benjamini_hochberg(p), bh)
    np.testing.assert_allclose(benjamini_yekutieli(p), np.minimum(1, bh * 25 / 12))
    np.testing.assert_allclose(sidak(p), [1 - 0.96**4, 1 - 0.99**4, 1 - 0.97**4, 1 - 0.2**4])
    # 1 - 0.97³ = 0.087327 and 1 - 0.96² = 0.0784, which rises.
    np.testing.assert_allclose(holland(p), [0.087327, 1 - 0.99**4, 0.087327, 0.8])
    # 1 - 0.97² = 0.0591 and 1 - 0.96^(4/3) = 0.0530, which rises.
    np.testing.assert_allclose(finner(p), [0.0591, 1 - 0.99**4, 0.0591, 0.8])
    # p / (p + 0.2).
    np.testing.assert_allclose(li(p), [1 / 6, 1 / 21, 3 / 23, 0.8])
    # c₂ = α / 2 gives 0.08, c₃ = (α + α² / 4) / 3 = 0.03 gives 0.088, which falls.
    np.testing.assert_allclose(rom(p)[[0, 2, 3]], [0.08, 0.08, 0.8])
    assert none(p).tolist() == p


def test_hochberg_by_hand() -> None:
    np.testing.assert_allclose(hochberg([0.01, 0.02, 0.9]), [0.03, 0.04, 0.9])
    # All at most α: the largest alone decides.
    np.testing.assert_allclose(hochberg([0.04, 0.05, 0.03]), [0.05, 0.05, 0.05])


def test_hommel_by_hand() -> None:
    # 0.01 is in {all}: Simes 0.03, 0.03, 0.9 → 0.03; {0.01, 0.02}: 0.02; {0.01, 0.9}: 0.02.
    # 0.02 is in {all}: 0.03; {0.02, 0.9}: 0.04.
    np.testing.assert_allclose(hommel([0.01, 0.02, 0.9]), [0.03, 0.04, 0.9])


def _intersections(m: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, m + 1):
        yield from combinations(range(m), size)


def test_hommel_is_the_closed_test_by_simes() -> None:
    rng = np.random.default_rng(2)
    for m in (1, 2, 3, 5, 7):
        for _ in range(20):
            p = rng.random(m) ** rng.choice([1, 3])
            closed = np.zeros(m)
            for chosen in _intersections(m):
                members = list(chosen)
                simes = (np.sort(p[members]) * len(members) / np.arange(1, len(members) + 1)).min()
                closed[members] = np.maximum(closed[members], simes)
            np.testing.assert_allclose(hommel(p), closed, rtol=1e-14)


def _rejects_step_up(p: FloatArray, critical: FloatArray) -> list[bool]:
    """Hold the largest against the first critical value, and reject all from the first success."""
    order = np.argsort(-p)
    rejected = [False] * p.size
    for place, index in enumerate(order):
        if p[index] <= critical[place]:
            for smaller in order[place:]:
                rejected[smaller] = True
            break
    return rejected


@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.3, 0.9])
def test_step_up_procedures_reject_what_their_critical_values_reject(alpha: float) -> None:
    rng = np.random.default_rng(3)
    m = 7
    critical = {
        hochberg: alpha / np.arange(1, m + 1),
        rom: rom_critical_values(alpha, m),
        benjamini_hochberg: alpha * np.arange(m, 0, -1) / m,
    }
    for _ in range(200):
        p = rng.random(m) ** rng.choice([1, 4])
        for method, limits in critical.items():
            assert (method(p) <= alpha).tolist() == _rejects_step_up(p, limits)


@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.3, 0.9])
def test_step_down_procedures_reject_what_their_critical_values_reject(alpha: float) -> None:
    rng = np.random.default_rng(4)
    m = 6
    j = np.arange(1, m + 1)
    critical = {
        holm: alpha / (m - j + 1),
        holland: 1 - (1 - alpha) ** (1 / (m - j + 1)),
        finner: 1 - (1 - alpha) ** (j / m),
    }
    for _ in range(200):
        p = rng.random(m) ** rng.choice([1, 4])
        ordered = np.sort(p)
        for method, limits in critical.items():
            failures = np.flatnonzero(ordered > limits)
            count = failures[0] if failures.size else m
            assert (method(p) <= alpha).tolist() == (p < np.append(ordered, 2)[count]).tolist()


def test_li_rejects_what_the_two_steps_reject() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        p, alpha = rng.random(4) ** 2, float(rng.uniform(0.01, 0.5))
        last = p.max()
        rejected = (p <= alpha) if last <= alpha else p <= (1 - last) / (1 - alpha) * alpha
        assert (li(p) <= alpha).tolist() == rejected.tolist()


def test_li_beside_an_exact_one() -> None:
    assert li([0.0, 1e-9, 1.0]).tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("alpha", [1e-6, 0.01, 0.05, 0.5])
def test_rom_solves_for_the_level(alpha: float) -> None:
    # Each critical value on its own, the rest at 1, is adjusted to α: to 1e-12 and better.
    m = 60
    critical = rom_critical_values(alpha, m)
    for place in (1, 2, 3, 7, 30, 60):
        p = np.ones(m)
        p[: m - place + 1] = critical[place - 1]
        np.testing.assert_allclose(rom(p)[: m - place + 1], alpha, rtol=1e-13)


def test_rom_exhausts_its_level_under_independence() -> None:
    # The volume of c < x < y < z < 1 with y > b and z > a, by where x is: below b, below a, above.
    for alpha in (0.05, 0.5, 1.0):
        a, b, c = rom_critical_values(alpha, 3)
        rest = 1 - a
        volume = (b - c) * ((a - b) * rest + rest**2 / 2)
        volume += rest * (a - b) ** 2 / 2 + (a - b) * rest**2 / 2
        volume += rest**3 / 6
        assert 6 * volume == pytest.approx(1 - alpha, rel=1e-12, abs=1e-15)


def test_rom_refuses_what_would_take_minutes() -> None:
    with pytest.raises(ValueError, match=r"p must hold at most 5000 hypotheses .* got 5001"):
        rom(np.full(5001, 0.5))


def test_bonferroni_for_a_larger_family() -> None:
    np.testing.assert_allclose(bonferroni([0.01, 0.02], m=10), [0.1, 0.2])
    assert float(bonferroni(0.01, m=3)) == pytest.approx(0.03)
    with pytest.raises(ValueError, match="m must be at least the number of p-values, 2; got 1"):
        bonferroni([0.01, 0.02], m=1)


def test_tiny_p_values_keep_their_digits() -> None:
    p = [1e-300, 3e-20, 0.5]
    for method in (bonferroni, sidak, holm, holland, finner, hochberg, hommel, rom):
        assert method(p)[0] == pytest.approx(3e-300, rel=1e-14)
    np.testing.assert_allclose(sidak(p)[1], 9e-20, rtol=1e-14)


@every_method
@given(p=FAMILIES)
def test_between_the_p_value_and_one(name: str, p: list[float]) -> None:
    adjusted = METHODS[name](p)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()


@every_method
@given(p=FAMILIES)
def test_in_the_same_order_of_size(name: str, p: list[float]) -> None:
    order = np.argsort(p)
    adjusted = METHODS[name](p)[order]
    assert (np.diff(adjusted) >= -1e-15).all()
    tied = np.diff(np.array(p)[order]) == 0
    assert (np.diff(adjusted)[tied] == 0).all()


@every_method
@given(data=st.data())
def test_permuting_the_input_permutes_the_output(name: str, data: st.DataObject) -> None:
    p = np.array(data.draw(FAMILIES))
    order = data.draw(st.permutations(range(p.size)))
    np.testing.assert_array_equal(METHODS[name](p[order]), METHODS[name](p)[order])


@every_method
@given(data=st.data())
def test_larger_p_values_never_get_smaller_adjusted_ones(name: str, data: st.DataObject) -> None:
    p = np.array(data.draw(FAMILIES))
    raised = np.maximum(p, data.draw(st.lists(P_VALUES, min_size=p.size, max_size=p.size)))
    if name == "li" and raised.max() == 1.0 and (p == 0).any():
        return  # where an exact 0 beside an exact 1 is defined as 0, a jump
    assert (METHODS[name](raised) >= METHODS[name](p) * (1 - 1e-12)).all()


@every_method
def test_batch_equals_loop_and_leaves_its_input_alone(name: str) -> None:
    p = np.random.default_rng(6).random((3, 4, 6)).round(1) ** 2
    before = p.copy()
    batch = METHODS[name](p)
    np.testing.assert_array_equal(p, before)
    assert not np.shares_memory(batch, p)
    for index in np.ndindex(3, 4):
        np.testing.assert_allclose(batch[index], METHODS[name](p[index]), rtol=1e-14)
    assert METHODS[name](p[:0]).shape == (0, 4, 6)


@every_method
def test_empty_and_scalar(name: str) -> None:
    assert METHODS[name]([]).shape == (0,)
    assert METHODS[name](0.2).shape == ()
    for lone in (0.0, 0.2, 1.0):
        assert float(METHODS[name](lone)) == pytest.approx(lone, abs=1e-15)
        assert METHODS[name]([lone]).tolist() == [pytest.approx(lone, abs=1e-15)]


@given(p=FAMILIES)
def test_who_rejects_at_least_as_much_as_whom(p: list[float]) -> None:
    chains: list[list[Adjust]] = [
        [bonferroni, holm, hochberg, hommel],
        [bonferroni, sidak, holland, finner],
        [holm, holland],
        [hochberg, rom, none],
        [hommel, benjamini_hochberg],
        [benjamini_yekutieli, benjamini_hochberg],
    ]
    for chain in chains:
        for wider, narrower in pairwise(chain):
            assert (narrower(p) <= wider(p) * (1 + 1e-14)).all()


@every_method
@pytest.mark.parametrize("bad", [np.nan, -0.1, 1.1])
def test_what_is_not_a_probability(name: str, bad: float) -> None:
    with pytest.raises(ValueError, match="p must lie between 0 and 1; got"):
        METHODS[name]([0.5, bad])


@pytest.mark.parametrize("power", [1, 3, 20])
@pytest.mark.parametrize("decimals", [2, 16])
def test_hommel_of_many_is_hommel_of_few(
    monkeypatch: pytest.MonkeyPatch, power: int, decimals: int
) -> None:
    """Found by halving, and set by set; with ties, zeros and ones too."""
    p = np.round(np.random.default_rng(power).random((2, 300)) ** power, decimals)
    fast = hommel(p)
    monkeypatch.setattr(adjust, "_FEW", 300)
    np.testing.assert_allclose(fast, hommel(p), rtol=1e-12)


def test_simes_of_the_largest_by_its_definition() -> None:
    ordered = np.sort(np.random.default_rng(0).random(37) ** 2)
    by_definition = [
        min(s * p / j for j, p in enumerate(ordered[-s:], start=1)) for s in range(1, 38)
    ]
    np.testing.assert_allclose(simes_of_largest(ordered), by_definition, rtol=1e-14)


# --- the level of each decision


def test_levels_of_holm_are_its_steps() -> None:
    p = np.array([0.3, 0.001, 0.02, 0.9])
    assert decision_levels(p, holm(p), 0.05) == pytest.approx(
        np.array([1 / 3, 1 / 4, 1 / 3, 1 / 3]) * 0.05
    )
    # Where the adjusted p-values are cut off at 1, Holm's level is still known.
    p = np.array([0.6, 0.001, 0.7, 0.9])
    assert decision_levels(p, holm(p), 0.05) == pytest.approx(
        np.array([1 / 3, 1 / 4, 1 / 3, 1 / 3]) * 0.05
    )


def test_levels_of_one_and_of_no_correction_are_alpha() -> None:
    p = np.array([0.0, 0.03, 1.0])
    assert decision_levels(p, none(p), 0.05) == pytest.approx([0.05] * 3)
    assert decision_levels([0.4], [0.4], 0.05) == pytest.approx([0.05])


def test_level_of_zero_is_above_zero() -> None:
    assert decision_levels([0.0, 0.0], [0.0, 0.0], 0.05).tolist() == [0.025, 0.025]
    assert decision_levels([], [], 0.05).tolist() == []


@every_method
@given(
    p=st.lists(st.floats(0.0, 1.0) | st.sampled_from([0.0, 0.01, 0.025, 0.05, 1.0]), min_size=1),
    alpha=st.sampled_from([0.01, 0.05, 0.3]),
)
def test_p_is_at_most_its_level_where_the_adjusted_one_is_at_most_alpha(
    name: str, p: list[float], alpha: float
) -> None:
    adjusted = METHODS[name](p)
    levels = decision_levels(p, adjusted, alpha)
    assert ((np.array(p) <= levels) == (adjusted <= alpha)).all()
    assert ((levels >= 0.0) & (levels < 1.0) | (np.array(p) > 0.9)).all()
