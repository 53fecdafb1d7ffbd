"""Every pair of a posterior, by hand and by brute force."""

import itertools

import numpy as np
import pytest

from palio.bayes.draws import (
    Draws,
    Pairs,
    all_pairs,
    highest_density,
    mc_error,
    pairs_of_effects,
    pairs_of_regions,
)
from palio.types import FloatArray


def brute_force(values: FloatArray, mass: float) -> tuple[float, float]:
    """Try every interval between two draws that holds enough of them; the first shortest."""
    ordered = sorted(values.ravel().tolist())
    n = len(ordered)
    needed = mass * n
    found = [
        (ordered[j] - ordered[i], i, ordered[i], ordered[j])
        for i in range(n)
        for j in range(i, n)
        if j - i + 1 >= needed - 1e-9
    ]
    shortest = min(found)
    return shortest[2], shortest[3]


@pytest.mark.parametrize("mass", [0.05, 0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 47, 120])
def test_highest_density_against_brute_force(n: int, mass: float) -> None:
    rng = np.random.default_rng(n)
    for draw in (rng.standard_normal, rng.standard_exponential):
        values = draw(n)
        assert highest_density(values, mass) == brute_force(values, mass)


def test_highest_density_with_ties_and_shape() -> None:
    values = np.array([[0.0, 3.0], [3.0, 3.0], [9.0, 3.0]])
    assert highest_density(values, 0.5) == (3.0, 3.0)
    assert highest_density(values, 0.8) == brute_force(values, 0.8) == (0.0, 3.0)


def test_highest_density_of_a_skewed_law_is_shorter_than_the_quantiles() -> None:
    """Of an exponential law it is (0, −log 0.05)."""
    values = np.random.default_rng(0).standard_exponential(200_000)
    low, high = highest_density(values, 0.95)
    assert low == pytest.approx(0, abs=0.01)
    assert high == pytest.approx(-np.log(0.05), rel=0.02)
    tails = np.quantile(values, [0.025, 0.975])
    assert high - low < tails[1] - tails[0]


@pytest.mark.parametrize("k", [1, 2, 5])
def test_all_pairs(k: int) -> None:
    first, second = all_pairs(k)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    assert pairs == list(itertools.combinations(range(k), 2))


def effects_of(values: list[list[float]]) -> tuple[Draws, FloatArray]:
    effects = np.array(values)[None]  # one chain
    return Draws({"x": effects}, "by hand", independent=True), effects


# a − b in five draws, with a region of ±0.5: 1 (a), 0.5 (on the edge: equal), 0, −0.5, −2 (b).
FIVE = [[1.0, 0.0], [0.5, 0.0], [0.0, 0.0], [0.0, 0.5], [0.0, 2.0]]


def five(higher_is_better: bool, mass: float = 0.8) -> Pairs:
    draws, effects = effects_of(FIVE)
    return pairs_of_effects(draws, effects, rope=0.5, higher_is_better=higher_is_better, mass=mass)


def test_effects_by_hand() -> None:
    pairs = five(True)
    assert pairs.probabilities.tolist() == [[0.2, 0.6, 0.2]]
    assert pairs.difference == pytest.approx([-0.2])
    assert pairs.hdi.tolist() == [[-0.5, 1.0]]  # four of five: 1.5 wide, the other is 2.5
    assert pairs.mc_error == pytest.approx([np.sqrt(0.6 * 0.4 / 5)])


def test_direction_swaps_the_sides_and_not_the_difference() -> None:
    draws, effects = effects_of([[1.0, 0.0], [2.0, 0.0], [0.0, 0.1], [0.0, 3.0]])
    how = {"rope": 0.5, "mass": 0.5}
    up = pairs_of_effects(draws, effects, higher_is_better=True, **how)  # type: ignore[arg-type]
    down = pairs_of_effects(draws, effects, higher_is_better=False, **how)  # type: ignore[arg-type]
    assert up.probabilities.tolist() == [[0.5, 0.25, 0.25]]
    assert down.probabilities.tolist() == [[0.25, 0.25, 0.5]]
    assert up.difference.tolist() == down.difference.tolist()
    assert up.hdi.tolist() == down.hdi.tolist()


def test_mirror() -> None:
    rng = np.random.default_rng(5)
    effects = rng.standard_normal((2, 301, 3))
    draws = Draws({"x": effects}, "by hand", independent=True)
    turned = np.ascontiguousarray(effects[:, :, ::-1])
    how = {"rope": 0.3, "higher_is_better": True, "mass": 0.9}
    one = pairs_of_effects(draws, effects, **how)  # type: ignore[arg-type]
    other = pairs_of_effects(draws, turned, **how)  # type: ignore[arg-type]
    # (0, 1), (0, 2), (1, 2) of the one are (1, 2), (0, 2), (0, 1) of the other, turned round.
    assert one.probabilities == pytest.approx(other.probabilities[::-1, ::-1])
    assert one.difference == pytest.approx(-other.difference[::-1])
    assert one.hdi == pytest.approx(-other.hdi[::-1, ::-1])


def test_exact_probabilities_have_no_error() -> None:
    draws, effects = effects_of(FIVE)
    exact = np.array([[0.25, 0.5, 0.25]])
    pairs = pairs_of_effects(draws, effects, rope=0.5, higher_is_better=True, mass=0.8, exact=exact)
    assert pairs.probabilities.tolist() == exact.tolist()
    assert pairs.mc_error.tolist() == [0.0]


def test_a_region_without_width_leaves_identical_draws_equal() -> None:
    draws, effects = effects_of([[0.3, 0.3], [0.4, 0.4]])
    pairs = pairs_of_effects(draws, effects, rope=0.0, higher_is_better=True, mass=0.95)
    assert pairs.probabilities.tolist() == [[0.0, 1.0, 0.0]]
    assert pairs.hdi.tolist() == [[0.0, 0.0]]


def test_regions_by_hand() -> None:
    """The most probable region of a draw gets it; ties share it."""
    regions = np.array([[0.6, 0.3, 0.1], [0.4, 0.4, 0.2], [0.1, 0.2, 0.7], [0.5, 0.2, 0.3]])
    draws = Draws({"regions": regions[None, :, None, :]}, "by hand", independent=True)
    first, second = all_pairs(2)
    pairs = pairs_of_regions(
        draws,
        regions[None, :, None, :],
        difference=np.array([0.1]),
        hdi=np.array([[0.0, 0.2]]),
        first=first,
        second=second,
    )
    assert pairs.probabilities.tolist() == [[2.5 / 4, 0.5 / 4, 1 / 4]]
    assert pairs.difference.tolist() == [0.1]
    # Three draws have the first among their most probable, one the second, one the third.
    most = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=np.bool_)
    assert pairs.mc_error == pytest.approx([mc_error(most[None], independent=True).max()])


def test_probabilities_add_up() -> None:
    rng = np.random.default_rng(6)
    regions = rng.dirichlet(np.ones(3), size=(2, 200, 6))
    first, second = all_pairs(4)
    draws = Draws({"regions": regions}, "by hand", independent=True)
    pairs = pairs_of_regions(
        draws, regions, difference=np.zeros(6), hdi=np.zeros((6, 2)), first=first, second=second
    )
    assert pairs.probabilities.sum(axis=1) == pytest.approx(np.ones(6))
    # All three are alike: a third each.
    assert pairs.probabilities == pytest.approx(np.full((6, 3), 1 / 3), abs=0.1)
