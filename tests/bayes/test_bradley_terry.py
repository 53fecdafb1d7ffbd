"""Bradley–Terry: quadrature, bbtcomp's own output, published maximum likelihood, properties."""

import numpy as np
import pytest
from scipy.special import expit, log_expit

from palio.bayes.models import laplace, strengths
from palio.bayes.models.bradley_terry import (
    bradley_terry,
    choices_of_wins,
    replicated_wins,
    wins_with_ties,
)
from palio.bayes.models.choices import Choices
from palio.bayes.models.strengths import draw_strengths
from palio.errors import MissingCellsError, ParameterError, UnknownNameError
from palio.stats.ranks import ranks_of_present
from palio.types import FloatArray
from tests.bayes.quadrature import strengths_on_grid
from tests.bayes.tables import means_table

# Twelve data sets: a0 before a1 before a2, mostly.
SCORES = np.array(
    [
        [0.9, 0.8, 0.7],
        [0.9, 0.7, 0.8],
        [0.9, 0.8, 0.8],
        [0.7, 0.8, 0.6],
        [0.9, 0.8, 0.7],
        [0.8, 0.9, 0.7],
    ]
    * 2
)


def log_likelihood_of(wins: FloatArray, strength: FloatArray) -> FloatArray:
    """Return Σ w_ij log logistic(β_i − β_j), written as the model is defined."""
    k = len(wins)
    total = np.zeros(strength.shape[:-1])
    for i in range(k):
        for j in range(k):
            if i != j:
                total += wins[i, j] * log_expit(strength[..., i] - strength[..., j])
    return total


# --- against quadrature ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wins",
    [
        [[0, 7], [3, 0]],
        [[0, 5], [0, 0]],
        [[0, 2.5], [2.5, 0]],
        [[0, 7, 9], [3, 0, 6.5], [1, 3.5, 0]],
        [[0, 4, 4], [0, 0, 2], [0, 2, 0]],
    ],
)
def test_draws_agree_with_quadrature(wins: list[list[float]]) -> None:
    table = np.array(wins, dtype=float)
    k = len(table)
    grid = strengths_on_grid(lambda b: log_likelihood_of(table, b), k)
    draws = draw_strengths(choices_of_wins(table), np.random.default_rng(0), draws=40_000)
    strength, sigma = draws.values["strength"][0], draws.values["sigma"][0]
    n = draws.n_draws
    np.testing.assert_allclose(strength.sum(axis=1), 0.0, atol=1e-9)
    for i in range(k):
        exact = grid.mean(grid.strength[:, i])
        assert abs(strength[:, i].mean() - exact) < 4.5 * strength[:, i].std() / np.sqrt(n)
        for j in range(i):
            share = expit(strength[:, i] - strength[:, j])
            exact = grid.mean(expit(grid.strength[:, i] - grid.strength[:, j]))
            assert abs(share.mean() - exact) < 4.5 * share.std() / np.sqrt(n)
    exact = grid.mean(np.log(grid.sigma))
    assert abs(np.log(sigma).mean() - exact) < 4.5 * np.log(sigma).std() / np.sqrt(n)


# --- against others ----------------------------------------------------------------------------

# The example of bbtcomp's README: five algorithms on twenty data sets, wins after its own treatment
# of ties, and what its Markov chains said: mean of P(a beats b), P(… > 0.5), P(0.45 ≤ … ≤ 0.55).
# Source: github.com/jwainer/bbtcomp, bbtcomp_R/README.md, table_wintable and table_pwin.
BBTCOMP_NAMES = ("lgbm", "svm", "rf", "dt", "knn")
BBTCOMP_WINS = np.array(
    [
        [0, 12, 11, 18, 13],
        [8, 0, 7, 14, 13],
        [10, 13, 0, 15, 13],
        [2, 7, 5, 0, 7],
        [7, 7, 7, 13, 0],
    ],
    dtype=float,
)
BBTCOMP_SAID = [
    ("lgbm", "rf", 0.53, 0.66, 0.49),
    ("lgbm", "svm", 0.62, 0.96, 0.16),
    ("lgbm", "knn", 0.68, 1.00, 0.02),
    ("lgbm", "dt", 0.79, 1.00, 0.00),
    ("rf", "svm", 0.59, 0.90, 0.26),
    ("rf", "knn", 0.66, 0.99, 0.05),
    ("rf", "dt", 0.77, 1.00, 0.00),
    ("svm", "knn", 0.57, 0.85, 0.33),
    ("svm", "dt", 0.69, 1.00, 0.02),
    ("knn", "dt", 0.63, 0.97, 0.11),
]


def test_the_example_of_bbtcomp() -> None:
    draws = draw_strengths(choices_of_wins(BBTCOMP_WINS), np.random.default_rng(1), draws=40_000)
    strength = draws.values["strength"][0]
    for a, b, mean, above, inside in BBTCOMP_SAID:
        i, j = BBTCOMP_NAMES.index(a), BBTCOMP_NAMES.index(b)
        share = expit(strength[:, i] - strength[:, j])
        # Two digits of 4000 correlated draws on their side.
        assert share.mean() == pytest.approx(mean, abs=0.01)
        assert (share > 0.5).mean() == pytest.approx(above, abs=0.02)
        assert ((share >= 0.45) & (share <= 0.55)).mean() == pytest.approx(inside, abs=0.025)


def test_choices_from_pairs_are_choices_from_sets() -> None:
    """The same likelihood, written for sets of any size; not all pairs have met."""
    wins = np.array([[0, 3, 0, 1], [1, 0, 2.5, 0], [0, 0.5, 0, 4], [2, 0, 1, 0]])
    pairs = choices_of_wins(wins)
    assert pairs.first.size == 4
    sets = np.zeros((4, 4), dtype=bool)
    sets[np.arange(4), pairs.first] = sets[np.arange(4), pairs.second] = True
    general = Choices(pairs.chosen, sets, pairs.weight)
    points = np.random.default_rng(0).normal(0, 3, (70_000, 3))  # more than one block
    np.testing.assert_allclose(pairs.values(points), general.values(points), rtol=1e-12)
    value, gradient, hessian = pairs.derivatives(points[0])
    same, same_gradient, same_hessian = general.derivatives(points[0])
    assert value == pytest.approx(same, rel=1e-12)
    np.testing.assert_allclose(gradient, same_gradient, atol=1e-12)
    np.testing.assert_allclose(hessian, same_hessian, atol=1e-12)


# --- from a table ------------------------------------------------------------------------------


def test_wins_and_ties_by_hand() -> None:
    ranks, _ = ranks_of_present(-np.array([[3.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, np.nan, 1.0]]))
    np.testing.assert_array_equal(
        wins_with_ties(ranks, "half"), [[0, 1.5, 2.5], [0.5, 0, 2], [0.5, 0, 0]]
    )
    np.testing.assert_array_equal(
        wins_with_ties(ranks, "forget"), [[0, 1, 2], [0, 0, 2], [0, 0, 0]]
    )


def test_rounding_errors_are_ties() -> None:
    ranks, _ = ranks_of_present(-np.array([[0.1 + 0.2, 0.3]]))
    np.testing.assert_array_equal(wins_with_ties(ranks, "half"), [[0, 0.5], [0.5, 0]])


def test_the_posterior_of_a_table() -> None:
    posterior = bradley_terry(means_table(SCORES))
    rows = posterior.probabilities()
    strength = posterior.draws.values["strength"]
    share = expit(strength[0, :, 0] - strength[0, :, 1])
    assert rows.p_rope[0] == pytest.approx(((share >= 0.45) & (share <= 0.55)).mean())
    assert rows.p_a_better[0] == pytest.approx((share > 0.55).mean())
    assert (rows[["p_a_better", "p_rope", "p_b_better"]].sum(axis=1) - 1).abs().max() < 1e-12
    best = posterior.best()
    assert best.algorithm.iloc[int(best.p_best.to_numpy().argmax())] == "a0"
    assert posterior.draws.facts["pareto_k"] < 0.7
    assert posterior.draws.n_draws == int(posterior.draws.facts["ess"])
    assert any("2 of 36 comparisons" in note for note in posterior.notes)
    assert posterior.warnings() == ()
    assert posterior.to_dict()["effects"][0]["algorithm"] == "a0"


def test_direction_and_rescaling_change_nothing() -> None:
    one = bradley_terry(means_table(SCORES), draws=2000)
    for other in (
        bradley_terry(means_table(1 - SCORES, "error"), draws=2000),
        bradley_terry(means_table(SCORES**3), draws=2000),
    ):
        np.testing.assert_array_equal(one.pairs.probabilities, other.pairs.probabilities)
        np.testing.assert_array_equal(one.pairs.difference, other.pairs.difference)


def test_relabelling_changes_nothing_but_names() -> None:
    order = [2, 0, 1]
    one, other = (bradley_terry(means_table(s)) for s in (SCORES, SCORES[:, order]))
    noise = 5 * (one.pairs.mc_error.max() + other.pairs.mc_error.max())
    for p, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        a, b = sorted((order.index(i), order.index(j)))
        where = [(0, 1), (0, 2), (1, 2)].index((a, b))
        turned = order.index(i) > order.index(j)
        found = other.pairs.probabilities[where]
        expected = found[::-1] if turned else found
        np.testing.assert_allclose(one.pairs.probabilities[p], expected, atol=noise)


def test_the_same_seed_gives_the_same_numbers() -> None:
    table = means_table(SCORES)
    one, same, other = (bradley_terry(table, draws=1000, seed=s) for s in (3, 3, 4))
    np.testing.assert_array_equal(one.draws.values["strength"], same.draws.values["strength"])
    assert one.pairs.difference[0] != other.pairs.difference[0]


def test_identical_algorithms_are_the_more_equal_the_more_data_sets() -> None:
    shares = []
    for n in (5, 50, 500):
        pairs = bradley_terry(means_table(np.full((n, 2), 0.5))).pairs
        assert pairs.difference[0] == pytest.approx(0.0, abs=5 * pairs.hdi[0, 1] / 2 / 100)
        assert pairs.probabilities[0, 0] == pytest.approx(
            pairs.probabilities[0, 2], abs=6 * pairs.mc_error[0]
        )
        shares.append(pairs.probabilities[0, 1])
    assert shares[0] < shares[1] < shares[2]
    assert shares[2] > 0.95


def test_more_data_sets_shrink_the_intervals() -> None:
    few, many = (bradley_terry(means_table(np.tile(SCORES, (n, 1)))) for n in (1, 20))
    assert (np.ptp(many.pairs.hdi, axis=1) < np.ptp(few.pairs.hdi, axis=1) / 3).all()


def test_one_wins_everything() -> None:
    scores = np.random.default_rng(0).random((40, 4))
    scores[:, 2] += 2.0
    posterior = bradley_terry(means_table(scores))
    assert np.isfinite(posterior.draws.values["strength"]).all()
    best = posterior.best()
    assert best.p_best[2] > 0.999
    assert np.isfinite(posterior.pairs.hdi).all()


def test_all_agree_on_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing bounds the strengths but the prior; chains take over and say so."""
    monkeypatch.setattr(laplace, "_CHAIN_DRAWS", 250)
    posterior = bradley_terry(means_table(np.tile(np.arange(5.0), (100, 1))), draws=2000)
    assert not posterior.draws.independent
    assert posterior.draws.n_chains == 4
    assert np.isfinite(posterior.draws.values["strength"]).all()
    assert (np.diff(posterior.draws.values["strength"].mean(axis=(0, 1))) > 0).all()
    assert any("no-U-turn" in note for note in posterior.notes)


def test_one_data_set_is_enough() -> None:
    pairs = bradley_terry(means_table([[0.9, 0.8]])).pairs
    better, _, worse = pairs.probabilities[0]
    # One win hardly says more than the prior.
    assert worse < better < 4 * worse


def test_missing_scores_are_compared_where_they_are() -> None:
    scores = SCORES.copy()
    scores[:4, 1] = np.nan
    table = means_table(scores, missing="pairwise")
    posterior = bradley_terry(table)
    assert any("on 4 data sets" in note for note in posterior.notes)
    full = bradley_terry(means_table(SCORES))
    width, full_width = np.ptp(posterior.pairs.hdi, axis=1), np.ptp(full.pairs.hdi, axis=1)
    assert width[0] > full_width[0]


def test_ties_half_are_more_cautious_than_forgotten_ones() -> None:
    scores = np.array([[0.9, 0.8]] * 6 + [[0.5, 0.5]] * 6)
    half, forget = (bradley_terry(means_table(scores), ties=t) for t in ("half", "forget"))
    assert half.pairs.difference[0] < forget.pairs.difference[0]


def test_a_circle_is_no_line() -> None:
    """Rock, paper, scissors: every strength is the same, and the wins are not."""
    games = np.full((60, 3), np.nan)
    for row in range(60):  # each data set has two of the three, and always the same one wins
        pair = [(0, 1), (1, 2), (2, 0)][row % 3]
        games[row, list(pair)] = [1.0, 0.0]
    posterior = bradley_terry(means_table(games, missing="pairwise"))
    assert any("does not explain the wins" in text for text in posterior.warnings())
    assert posterior.checks["discrepancy"]["p_value"] < 0.05


def test_of_many_pairs_fewer_draws_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten pairs, and 3,000 draws of them allowed in all: 300 are kept of 1,200 proposed."""
    scores = np.random.default_rng(0).random((12, 5))
    whole = bradley_terry(means_table(scores), draws=6000)
    assert whole.draws.facts["proposals"] == 6000
    monkeypatch.setattr(strengths, "_KEPT", 3000)
    monkeypatch.setattr(strengths, "_FEWEST", 200)
    few = bradley_terry(means_table(scores), draws=6000)
    assert few.draws.facts["proposals"] == 1200
    assert few.draws.n_draws == 300
    assert any("300 are kept, as there are many pairs" in note for note in few.notes)
    assert any("their effective number" in note for note in whole.notes)
    np.testing.assert_allclose(few.pairs.difference, whole.pairs.difference, atol=0.15)


def test_parts_that_nothing_joins_are_told() -> None:
    nan = np.nan
    games = np.array([[1, 2, nan, nan], [nan, nan, 2, 1]] * 3)
    posterior = bradley_terry(means_table(games, missing="pairwise"), draws=500)
    assert any(
        "2 parts, and what is said between parts is the prior's" in n for n in posterior.notes
    )


def test_replicated_wins_have_the_probability_of_the_model() -> None:
    games = np.array([[0.0, 10_000.0], [10_000.0, 0.0]])
    wins = replicated_wins(np.array([0.7, -0.3]), games, np.random.default_rng(0))
    assert wins[0, 1] + wins[1, 0] == 10_000
    assert wins[0, 1] / 10_000 == pytest.approx(expit(1.0), abs=0.02)


def test_the_monte_carlo_error_is_honest() -> None:
    """Over many seeds a probability varies as much as its error says."""
    found = [
        draw_strengths(choices_of_wins(BBTCOMP_WINS), np.random.default_rng(seed), draws=1000)
        for seed in range(200)
    ]
    shares = np.array(
        [(f.values["strength"][0, :, 0] > f.values["strength"][0, :, 2]).mean() for f in found]
    )
    said = np.sqrt(shares.mean() * (1 - shares.mean()) / np.mean([f.n_draws for f in found]))
    assert 0.85 < shares.std() / said < 1.15


# --- what is refused ---------------------------------------------------------------------------


def test_what_is_refused() -> None:
    table = means_table(SCORES)
    with pytest.raises(ParameterError, match=r"rope: it is below 0\.5"):
        bradley_terry(table, rope=0.5)
    with pytest.raises(ParameterError, match=r"rope: "):
        bradley_terry(table, rope="wide")
    with pytest.raises(UnknownNameError, match=r"ties: 'halve'.*half"):
        bradley_terry(table, ties="halve")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="draws: at least 100"):
        bradley_terry(table, draws=10)
    with pytest.raises(ParameterError, match="mass: "):
        bradley_terry(table, mass=1.0)
    with pytest.raises(ParameterError, match="ties: every comparison is a tie"):
        bradley_terry(means_table(np.ones((3, 2))), ties="forget")
    with pytest.raises(ParameterError, match="table: strengths compare two"):
        bradley_terry(table.select(algorithms=["a0"]))
    lonely = means_table([[1.0, np.nan], [np.nan, 1.0]], missing="pairwise")
    with pytest.raises(MissingCellsError, match="no data set has scores of two"):
        bradley_terry(lonely)
