"""Plackett–Luce: the likelihood by its definition, quadrature, ties by brute force."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.special import expit

from palio.bayes.models.bradley_terry import (
    choices_of_wins,
    wins_with_ties,
)
from palio.bayes.models.choices import Choices, contrasts
from palio.bayes.models.plackett_luce import (
    choices_of_ranks,
    plackett_luce,
    replicated_ranks,
)
from palio.bayes.models.strengths import draw_strengths
from palio.errors import UnknownNameError
from palio.stats.ranks import ranks_of_present
from palio.types import FloatArray
from tests.bayes.quadrature import strengths_on_grid
from tests.bayes.tables import means_table


def ranks_of(goodness: FloatArray) -> FloatArray:
    return ranks_of_present(-goodness)[0]


def log_probability(order: tuple[int, ...], strength: FloatArray) -> FloatArray:
    """Return the log-probability of one order, place after place, as the model is defined."""
    total = np.zeros(strength.shape[:-1])
    for place in range(len(order)):
        left = strength[..., list(order[place:])]
        total += strength[..., order[place]] - np.logaddexp.reduce(left, axis=-1)
    return total


def with_ties(ranks: FloatArray, strength: FloatArray) -> FloatArray:
    """Return the mean of the log-probabilities of all orders that a ranking with ties allows."""
    present = np.flatnonzero(np.isfinite(ranks))
    allowed = [
        order
        for order in permutations(present.tolist())
        if (np.diff(ranks[list(order)]) >= 0).all()
    ]
    return np.asarray(np.mean([log_probability(order, strength) for order in allowed], axis=0))


def value(choices: Choices, strength: FloatArray) -> float:
    effects = strength @ contrasts(strength.size)
    return float(choices.values(effects[None])[0])


RANKINGS = {
    "no ties": [[1, 2, 3, 4], [2, 1, 4, 3], [4, 3, 2, 1]],
    "two first": [[1.5, 1.5, 3, 4]],
    "two last": [[1, 2, 3.5, 3.5]],
    "two and two": [[1.5, 3.5, 1.5, 3.5], [1, 2, 3, 4]],
    "three in the middle": [[1, 3, 3, 3]],
    "all": [[2.5, 2.5, 2.5, 2.5]],
    "some missing": [[1, np.nan, 2, 3], [np.nan, 1.5, 1.5, np.nan], [np.nan, 1, np.nan, np.nan]],
}


@pytest.mark.parametrize("ranks", RANKINGS.values(), ids=RANKINGS.keys())
def test_the_likelihood_is_that_of_the_definition(ranks: list[list[float]]) -> None:
    table = np.array(ranks, dtype=float)
    strength = np.array([0.9, -0.4, 0.3, -0.8])
    expected = sum(float(with_ties(row, strength)) for row in table)
    assert value(choices_of_ranks(table), strength) == pytest.approx(expected, abs=1e-10)


def test_derivatives_are_those_of_the_value() -> None:
    rng = np.random.default_rng(0)
    choices = choices_of_ranks(np.array(RANKINGS["two and two"]))
    at = rng.normal(size=3)
    found, gradient, hessian = choices.derivatives(at)
    assert found == pytest.approx(float(choices.values(at[None])[0]), abs=1e-12)
    step = 1e-5
    for i in range(3):
        ahead, behind = at.copy(), at.copy()
        ahead[i] += step
        behind[i] -= step
        up, up_gradient, _ = choices.derivatives(ahead)
        down, down_gradient, _ = choices.derivatives(behind)
        assert gradient[i] == pytest.approx((up - down) / (2 * step), abs=1e-7)
        np.testing.assert_allclose(
            hessian[i], (up_gradient - down_gradient) / (2 * step), atol=1e-7
        )


def test_a_large_tie_is_close_to_all_its_orders() -> None:
    """Thirteen tied: the mean over the subsets of each size, summed in full here."""
    k = 14
    ranks = np.array([[1.0, *[8.0] * 13]])
    strength = np.linspace(-1.5, 1.5, k)
    power = np.exp(strength)
    exact = float(strength.sum()) - np.log(power.sum())
    for size in range(1, 14):
        sums = [power[list(chosen)].sum() for chosen in combinations(range(1, k), size)]
        exact -= float(np.log(sums).mean())
    assert value(choices_of_ranks(ranks), strength) == pytest.approx(exact, abs=0.05)


def test_large_ties_do_not_depend_on_names() -> None:
    rng = np.random.default_rng(1)
    ranks = np.vstack([np.full(13, 7.0), ranks_of(rng.random((50, 13)))])
    assert np.unique(ranks.mean(axis=0)).size == 13
    strength = rng.normal(size=13)
    strength -= strength.mean()
    order = rng.permutation(13)
    one = value(choices_of_ranks(ranks), strength)
    assert value(choices_of_ranks(ranks[:, order]), strength[order]) == pytest.approx(one)


# --- the posterior -----------------------------------------------------------------------------


def test_of_two_it_is_bradley_terry() -> None:
    ranks = ranks_of(np.array([[2.0, 1.0], [2.0, 1.0], [1.0, 2.0], [1.0, 1.0], [1.0, np.nan]]))
    one, other = choices_of_ranks(ranks), choices_of_wins(wins_with_ties(ranks, "half"))
    points = np.linspace(-3, 3, 7)[:, None]
    np.testing.assert_allclose(one.values(points), other.values(points), atol=1e-12)
    draws = draw_strengths(choices_of_ranks(ranks), np.random.default_rng(0), draws=1000)
    wins = wins_with_ties(ranks, "half")
    again = draw_strengths(choices_of_wins(wins), np.random.default_rng(0), draws=1000)
    np.testing.assert_allclose(draws.values["strength"], again.values["strength"], atol=1e-9)


@pytest.mark.parametrize(
    "ranks",
    [
        [[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2.5, 2.5]],
        [[1, 2, 3]] * 5,
        [[2, 2, 2], [1, 2, np.nan]],
    ],
)
def test_draws_agree_with_quadrature(ranks: list[list[float]]) -> None:
    table = np.array(ranks, dtype=float)
    grid = strengths_on_grid(lambda b: sum((with_ties(row, b) for row in table), np.zeros(())), 3)
    draws = draw_strengths(choices_of_ranks(table), np.random.default_rng(0), draws=40_000)
    strength, sigma = draws.values["strength"][0], draws.values["sigma"][0]
    n = draws.n_draws
    for i in range(3):
        exact = grid.mean(grid.strength[:, i])
        assert abs(strength[:, i].mean() - exact) < 4.5 * strength[:, i].std() / np.sqrt(n)
        for j in range(i):
            share = expit(strength[:, i] - strength[:, j])
            exact = grid.mean(expit(grid.strength[:, i] - grid.strength[:, j]))
            assert abs(share.mean() - exact) < 4.5 * share.std() / np.sqrt(n)
    exact = grid.mean(np.log(grid.sigma))
    assert abs(np.log(sigma).mean() - exact) < 4.5 * np.log(sigma).std() / np.sqrt(n)


def test_the_posterior_of_a_table() -> None:
    rng = np.random.default_rng(0)
    scores = rng.gumbel(size=(60, 5)) + np.array([0.0, 0.5, 1.5, -0.5, 0.2])
    posterior = plackett_luce(means_table(scores))
    best = posterior.best()
    assert best.algorithm.iloc[int(best.p_best.to_numpy().argmax())] == "a2"
    assert posterior.draws.independent
    assert posterior.draws.facts["pareto_k"] < 0.7
    assert posterior.warnings() == ()
    assert "no ranking has ties" in posterior.notes
    turned = plackett_luce(means_table(-np.exp(scores), "error"))
    np.testing.assert_array_equal(posterior.pairs.difference, turned.pairs.difference)
    again = plackett_luce(means_table(scores), seed=1)
    assert again.pairs.difference[0] != posterior.pairs.difference[0]


def test_it_is_more_cautious_than_bradley_terry() -> None:
    """A ranking of eight is one observation, not twenty-eight."""
    scores = np.random.default_rng(3).gumbel(size=(30, 8)) + np.linspace(0, 1, 8)
    ranks = ranks_of(scores)
    rng = np.random.default_rng(0)
    pl = draw_strengths(choices_of_ranks(ranks), rng, draws=4000).values["strength"][0]
    bt = draw_strengths(choices_of_wins(wins_with_ties(ranks, "half")), rng, draws=4000).values[
        "strength"
    ][0]
    assert (pl[:, 7] - pl[:, 0]).std() > (bt[:, 7] - bt[:, 0]).std()


def test_identical_algorithms_and_missing_scores() -> None:
    scores = np.random.default_rng(0).random((40, 4))
    scores[:, 1] = scores[:, 0]
    scores[:5, 2] = np.nan
    posterior = plackett_luce(means_table(scores, missing="pairwise"))
    pair = posterior.pairs
    assert pair.difference[0] == pytest.approx(0.0, abs=0.03)
    assert pair.probabilities[0, 0] == pytest.approx(
        pair.probabilities[0, 2], abs=6 * pair.mc_error[0]
    )
    assert any("ties: 40" in note for note in posterior.notes)
    assert any("on 5 data sets" in note for note in posterior.notes)


def test_replicated_rankings_have_the_probabilities_of_the_model() -> None:
    strength = np.array([1.0, 0.0, -1.0])
    like = np.tile([1.0, 2.0, 3.0], (20_000, 1))
    like[:10_000, 2] = np.nan
    ranks = replicated_ranks(strength, like, np.random.default_rng(0))
    np.testing.assert_array_equal(np.isnan(ranks), np.isnan(like))
    order = ranks[10_000:]
    for places in permutations(range(3)):
        expected = float(np.exp(log_probability(places, strength)))
        found = (np.argsort(order, axis=1) == places).all(axis=1).mean()
        assert found == pytest.approx(expected, abs=0.02)
    assert (ranks[:10_000, 0] == 1).mean() == pytest.approx(1 / (1 + np.exp(-1.0)), abs=0.02)


def test_an_unknown_treatment_of_ties_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"ties: 'forget'.*half"):
        plackett_luce(means_table([[1.0, 2.0]]), ties="forget")  # type: ignore[arg-type]


@pytest.mark.parametrize("spread", [1.0, 60.0])
def test_large_ties_are_added_up_by_themselves(spread: float) -> None:
    """The same likelihood, whether the sets of ties are taken whole or one by one."""
    rng = np.random.default_rng(3)
    ranks = np.stack(
        [
            [1, 2, *[6.5] * 8, 11, 12.5, 12.5, 14],  # before others, of whom two are tied
            [*[7.0] * 13, 14],
            [14, *[7.0] * 13],  # a balanced sample of the orders
            [1, 2, 3, 4, 5, 6, 7, *[10.0] * 6, np.nan],  # nobody behind: some are alone
        ]
    )
    choices = choices_of_ranks(ranks)
    assert [tie.tied.size for tie in choices.ties] == [8, 13, 13, 6]
    effects = spread * rng.standard_normal((300, 13))
    whole = replace(choices, ties=(), others=None)
    assert choices.values(effects) == pytest.approx(whole.values(effects), rel=1e-12)
    value, *_ = whole.derivatives(effects[0])
    assert choices.values(effects[:1])[0] == pytest.approx(value, rel=1e-12)
