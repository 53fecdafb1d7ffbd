"""The multinomial selection procedure, worked by hand and by counting."""

from itertools import product

import numpy as np
import pytest
from scipy import stats as scipy_stats

from palio.stats.selection import SELECTION_EXACT_LIMIT, equal_wins, multinomial_selection
from palio.types import BoolArray, FloatArray


def won_by(*wins: int) -> BoolArray:
    return np.asarray(np.eye(len(wins), dtype=bool)[np.repeat(np.arange(len(wins)), wins)])


def probabilities(n: int, k: int, seed: int = 0) -> FloatArray:
    return np.random.default_rng(seed).random((n, k))


def test_by_hand() -> None:
    selection = multinomial_selection(
        [[0.9, 0.5, 0.1], [0.6, 0.6, 0.2], [0.3, 0.4, 0.5], [0.2, 0.2, 0.2]]
    )
    assert selection.wins.tolist() == pytest.approx([1 + 1 / 2 + 1 / 3, 1 / 2 + 1 / 3, 1 + 1 / 3])
    assert selection.tied == 2
    # Σ(w - 4/3)² = 1/4 + 1/4 over c = (2/3 + 1/6 + 2/3 + 0) / 2.
    assert float(selection.outcome.statistic) == pytest.approx(0.5 / 0.75)
    assert float(selection.outcome.p_value) == pytest.approx(np.exp(-1 / 3))


def test_without_ties_it_is_pearson_s_chi_square() -> None:
    wins = [40, 30, 20, 10]
    outcome = equal_wins(won_by(*wins))
    expected = scipy_stats.chisquare(wins)
    assert float(outcome.statistic) == pytest.approx(expected.statistic)
    assert float(outcome.p_value) == pytest.approx(expected.pvalue)
    assert (outcome.null, outcome.df) == ("chi2", (3.0,))


@pytest.mark.parametrize("wins", [(6, 0, 0), (4, 1, 1), (3, 2, 1), (2, 2, 2), (5, 1)])
def test_exact_by_counting_all_ways(wins: tuple[int, ...]) -> None:
    n, k = sum(wins), len(wins)
    least = sum(w * w for w in wins)
    ways = [
        sum(way.count(j) ** 2 for j in range(k)) >= least for way in product(range(k), repeat=n)
    ]
    outcome = equal_wins(won_by(*wins))
    assert float(outcome.p_value) == pytest.approx(sum(ways) / k**n)
    assert outcome.null == "exact"


def test_exact_of_two_is_the_sign_test() -> None:
    outcome = equal_wins(won_by(30, 20))
    assert float(outcome.p_value) == pytest.approx(scipy_stats.binomtest(30, 50).pvalue)


def test_exact_up_to_the_limit() -> None:
    half = SELECTION_EXACT_LIMIT // 2
    assert equal_wins(won_by(half, half)).null == "exact"
    assert equal_wins(won_by(half + 1, half)).null == "chi2"
    tied = np.ones((3, 2), dtype=bool)
    tied[0, 1] = False
    assert equal_wins(tied).null == "chi2"


def test_nearly_equal_probabilities_tie() -> None:
    selection = multinomial_selection([[0.1 + 0.2, 0.3], [0.9, 0.1]])
    assert selection.wins.tolist() == [1.5, 0.5]


def test_all_tied() -> None:
    selection = multinomial_selection(np.full((5, 3), 0.4))
    assert float(selection.outcome.p_value) == 1.0
    assert bool(selection.outcome.degenerate)
    assert selection.chance.tolist() == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("wins", [(12, 8), (5, 5, 5), (20, 1, 0), (300, 280, 100, 4)])
def test_chances_are_those_of_poisson_numbers(wins: tuple[int, ...]) -> None:
    chance = multinomial_selection(won_by(*wins).astype(float)).chance
    assert chance.sum() == pytest.approx(1.0)
    rng = np.random.default_rng(1)
    drawn = rng.poisson(wins, size=(40_000, len(wins)))
    most = drawn == drawn.max(axis=1, keepdims=True)
    expected = (most / most.sum(axis=1, keepdims=True)).mean(axis=0)
    assert chance.tolist() == pytest.approx(expected.tolist(), abs=0.01)


def test_chances_are_near_those_with_as_many_instances() -> None:
    wins = np.array([50, 40, 30])
    chance = multinomial_selection(won_by(*wins.tolist()).astype(float)).chance
    drawn = np.random.default_rng(2).multinomial(120, wins / 120, size=40_000)
    most = drawn == drawn.max(axis=1, keepdims=True)
    expected = (most / most.sum(axis=1, keepdims=True)).mean(axis=0)
    assert chance.tolist() == pytest.approx(expected.tolist(), abs=0.02)


def test_many_instances() -> None:
    chance = multinomial_selection(probabilities(200_000, 3)).chance
    assert chance.sum() == pytest.approx(1.0)


def test_level_with_ties() -> None:
    """Probabilities in steps of one fifth tie often; the corrected statistic holds its level."""
    rng = np.random.default_rng(0)
    rejected = [
        float(multinomial_selection(rng.integers(0, 6, (100, 3)) / 5).outcome.p_value) <= 0.05
        for _ in range(1000)
    ]
    assert 0.03 <= np.mean(rejected) <= 0.07


def test_bad_arrays() -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        multinomial_selection([[1.2, 0.3]])
    with pytest.raises(ValueError, match="at least 2"):
        multinomial_selection([[0.2]])
