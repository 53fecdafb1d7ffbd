"""Strengths: published estimates, Ford's condition, parts, data sets as units by definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from palio.stats.ranks import ranks_of_present
from palio.stats.strengths import (
    RIDGE,
    Strengths,
    fit_strengths,
    games_of_ranks,
    games_of_wins,
    over_datasets,
    pair_wins,
    told_apart,
)
from palio.types import FloatArray


def fit(wins: object) -> Strengths:
    return fit_strengths(games_of_wins(np.array(wins, dtype=float)))


def some_ranks(seed: int, n: int = 9, k: int = 6, *, gaps: float = 0.4) -> FloatArray:
    """Ranks with ties and gaps; one data set may have one score, or none."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, (n, k)).astype(float)
    values[rng.random((n, k)) < gaps] = np.nan
    return ranks_of_present(values)[0]


# --- the maximum -------------------------------------------------------------------------------


def test_stiglers_citations() -> None:
    """Citations between four journals, 1987 to 1989.

    Estimates and standard errors against Biometrika: Turner and Firth (2012), Bradley–Terry models
    in R, J. Stat. Software 48(9), section 2.1.
    """
    cited = [
        [714, 730, 498, 221],  # Biometrika, by Biometrika, Comm. Statist., JASA, JRSS-B
        [33, 425, 68, 17],
        [320, 813, 1072, 142],
        [284, 276, 325, 188],
    ]
    found = fit(cited)
    gap = found.values[1:] - found.values[0]
    np.testing.assert_allclose(gap, [-2.9491, -0.4796, 0.2690], atol=5e-5)
    covariance = found.covariance
    variance = covariance[0, 0] + np.diag(covariance)[1:] - 2 * covariance[0, 1:]
    np.testing.assert_allclose(np.sqrt(variance), [0.1025, 0.0606, 0.0708], atol=6e-5)
    assert found.values.sum() == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(covariance.sum(axis=0), 0.0, atol=1e-12)
    assert found.finite


def test_of_two_the_odds_are_the_ratio_of_wins() -> None:
    found = fit([[0, 8], [2, 0]])
    assert found.values[0] - found.values[1] == pytest.approx(np.log(4.0))
    # The variance of a logit is 1/8 + 1/2.
    contrast = np.array([1.0, -1.0])
    assert contrast @ found.covariance @ contrast == pytest.approx(1 / 8 + 1 / 2)


def test_lopsided_games_need_short_steps() -> None:
    """One win in a million: Newton's first step from even strengths goes nowhere near."""
    found = fit([[0, 999_999], [1, 0]])
    assert found.values[0] - found.values[1] == pytest.approx(np.log(999_999))


@pytest.mark.parametrize(
    ("wins", "finite"),
    [
        ([[0, 1], [1, 0]], [True]),
        ([[0, 1], [0, 0]], [False]),
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [True]),  # a cycle
        ([[0, 1, 1], [0, 0, 1], [0, 1, 0]], [False]),  # nobody beats the first
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], [True, True]),  # two leagues
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]], [True, False]),
    ],
)
def test_when_the_maximum_is_finite(wins: list[list[float]], finite: list[bool]) -> None:
    games = games_of_wins(np.array(wins, dtype=float))
    assert games.bounded.tolist() == finite
    found = fit_strengths(games)
    assert found.finite is all(finite)
    assert (found.ridge == np.where(finite, 0.0, RIDGE)[games.parts]).all()
    assert np.abs(found.values).max() < 10  # the penalty's standard deviation is 10
    assert (np.linalg.eigvalsh(found.covariance) > -1e-9).all()


def test_a_penalty_of_its_own_definition() -> None:
    """Five wins to none: 5 (1 − logistic(2β)) = 0.01 β, of which each side has one."""
    found = fit([[0, 5], [0, 0]])
    beta = found.values[0]
    assert 5 * expit(-2 * beta) == pytest.approx(RIDGE * beta)
    weight = 5 * expit(2 * beta) * expit(-2 * beta)
    # The curvature along (1, −1)/√2 is 2 weight + ridge.
    assert found.covariance[0, 0] == pytest.approx(0.5 / (2 * weight + RIDGE))


def test_parts_are_fitted_apart() -> None:
    """Two leagues and one who has met nobody: each as if alone, nothing said between them."""
    one, two = np.array([[0.0, 3, 1], [1, 0, 2], [2, 2, 0]]), np.array([[0.0, 5], [2, 0]])
    wins = np.zeros((6, 6))
    wins[:3, :3], wins[3:5, 3:5] = one, two
    shuffled = np.array([4, 0, 5, 2, 3, 1])
    found = fit(wins[np.ix_(shuffled, shuffled)])
    values, covariance = np.empty(6), np.empty((6, 6))
    values[shuffled], covariance[np.ix_(shuffled, shuffled)] = found.values, found.covariance
    np.testing.assert_allclose(values[:3], fit(one).values, atol=1e-12)
    np.testing.assert_allclose(values[3:5], fit(two).values, atol=1e-12)
    np.testing.assert_allclose(covariance[:3, :3], fit(one).covariance, atol=1e-12)
    np.testing.assert_allclose(covariance[3:5, 3:5], fit(two).covariance, atol=1e-12)
    np.testing.assert_allclose(covariance[:3, 3:], 0.0, atol=1e-12)
    assert values[5] == covariance[5, 5] == 0.0
    assert np.unique(found.parts).size == 3


# --- from ranks --------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.4, 0.8]))
@settings(max_examples=60, deadline=None)
def test_games_of_ranks_are_those_of_their_wins(seed: int, gaps: float) -> None:
    ranks = some_ranks(seed, gaps=gaps)
    k = ranks.shape[1]
    wins = np.zeros((k, k))
    for row in ranks:
        for i in range(k):
            for j in range(k):
                if i != j and np.isfinite(row[i] + row[j]):
                    wins[i, j] += 1.0 if row[i] < row[j] else 0.5 if row[i] == row[j] else 0.0
    np.testing.assert_array_equal(pair_wins(ranks), wins)
    by_ranks, by_wins = games_of_ranks(ranks), games_of_wins(wins)
    np.testing.assert_allclose(by_ranks.won, by_wins.won)
    np.testing.assert_array_equal(by_ranks.played, by_wins.played)
    # The chains say the same as all wins, on who is joined and where the maximum is finite.
    np.testing.assert_array_equal(by_ranks.parts, by_wins.parts)
    np.testing.assert_array_equal(by_ranks.bounded, by_wins.bounded)


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_the_order_of_play_does_not_matter(seed: int) -> None:
    ranks = some_ranks(seed)
    order = np.random.default_rng(seed).permutation(len(ranks))
    one, other = (fit_strengths(games_of_ranks(each)) for each in (ranks, ranks[order]))
    np.testing.assert_allclose(one.values, other.values, atol=1e-9)
    np.testing.assert_allclose(
        over_datasets(one, ranks), over_datasets(other, ranks[order]), atol=1e-7
    )


def test_weights_are_data_sets_repeated_or_left_out() -> None:
    ranks = some_ranks(3)
    weights = np.array([0, 1, 2, 0, 1, 3, 0, 1, 1])
    one = games_of_ranks(ranks, weights.astype(float))
    other = games_of_ranks(np.repeat(ranks, weights, axis=0))
    np.testing.assert_allclose(one.won, other.won)
    np.testing.assert_array_equal(one.played, other.played)
    np.testing.assert_array_equal(one.bounded, other.bounded)


def test_many_data_sets_are_counted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = some_ranks(1, 30, 4, gaps=0.0)
    whole = pair_wins(ranks)
    monkeypatch.setattr("palio.stats.strengths._BLOCK", 7 * 16)
    np.testing.assert_array_equal(pair_wins(ranks), whole)
    assert whole.sum() == 30 * 6


# --- data sets as units ------------------------------------------------------------------------


def test_the_sandwich_by_its_definition() -> None:
    ranks = some_ranks(5, 12, 5, gaps=0.3)
    found = fit_strengths(games_of_ranks(ranks))
    k = ranks.shape[1]
    middle, returned, n = np.zeros((k, k)), np.zeros(k), np.zeros(k)
    for row in ranks:
        present = np.flatnonzero(np.isfinite(row))
        if present.size < 2:
            continue
        surplus = np.zeros(k)
        for i in present:
            n[i] += 1
            for j in set(present.tolist()) - {int(i)}:
                chance = expit(found.values[i] - found.values[j])
                won = 1.0 if row[i] < row[j] else 0.5 if row[i] == row[j] else 0.0
                surplus[i] += won - chance
                returned[i] += chance * (1 - chance) * (present.size + 1) / 3
        middle += np.outer(surplus, surplus)
    middle += np.diag(returned / n + found.ridge)
    expected = found.covariance @ middle @ found.covariance
    np.testing.assert_allclose(over_datasets(found, ranks), expected, atol=1e-9)


def test_one_data_set_makes_nobody_sure() -> None:
    """One who is on one data set alone, in the middle of ten, has games but no second data set."""
    rng = np.random.default_rng(0)
    values = rng.gumbel(size=(40, 11))
    values[1:, 10] = np.nan
    ranks = ranks_of_present(values)[0]
    found = fit_strengths(games_of_ranks(ranks))
    by_games, by_datasets = found.covariance[10, 10], over_datasets(found, ranks)[10, 10]
    assert by_datasets > 2.5 * by_games
    assert by_datasets > 20 * over_datasets(found, ranks)[0, 0]


# --- all pairs at once -------------------------------------------------------------------------


def test_of_two_it_is_students_t() -> None:
    """One pair: the largest of one is that one, so it is a t test; 2.78 for 4 data sets."""
    covariance = np.array([[0.25, -0.25], [-0.25, 0.25]])  # of the difference, 1
    n = np.array([4.0, 60.0])
    for gap, differ in ((2.3, False), (3.3, True)):
        better = told_apart(np.array([gap / 2, -gap / 2]), covariance, n)
        assert better.tolist() == [[False, differ], [False, False]]


def test_more_pairs_need_more() -> None:
    few, many = (
        told_apart(np.append(2.4, np.zeros(k)), np.eye(k + 1) / 2, np.full(k + 1, 1e6)).sum()
        for k in (1, 30)
    )
    assert (few, many) == (1, 0)


def test_copies_are_never_told_apart() -> None:
    better = told_apart(np.array([1.0, 1.0 - 1e-12, -2.0]), np.ones((3, 3)), np.full(3, 50.0))
    assert not better.any()
