"""The Bayesian sign test: Dirichlet posteriors worked out by other means."""

from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from palio.bayes.models import dirichlet
from palio.bayes.models.sign import sign, sign_draws
from palio.bayes.posterior import Posterior
from palio.errors import MissingCellsError, ParameterError, UnknownNameError
from palio.types import FloatArray
from tests.bayes.tables import means_table
from tests.reference.test_published_tables import DEMSAR_AUC

# baycomp 1.0.3, SignTest on Demšar (2006) table 6, rope 0.01025, 2,000,000 draws: the first
# algorithm better, practically equal, the second better. It adds 0.0001 to every parameter.
BAYCOMP = {
    (0, 1): (0.0, 0.788061, 0.211939),
    (0, 2): (0.139299, 0.7217735, 0.1389275),
    (1, 3): (0.000777, 0.9533785, 0.0458445),
}
# Likewise with its prior on the left, where the first is better.
BAYCOMP_LEFT = (0.0014915, 0.7084285, 0.29008)


def _largest(alpha: tuple[float, float, float]) -> FloatArray:
    """Return P(θᵢ is the largest) of a Dirichlet by quadrature over independent gammas."""

    def share(i: int) -> float:
        if alpha[i] == 0:
            return 0.0
        others = [alpha[j] for j in range(3) if j != i and alpha[j] > 0]

        def density(x: float) -> float:
            return float(
                stats.gamma.pdf(x, alpha[i]) * np.prod([stats.gamma.cdf(x, a) for a in others])
            )

        return float(integrate.quad(density, 0, 80, limit=200, points=[alpha[i]])[0])

    return np.array([share(i) for i in range(3)])


def _off(posterior: Posterior, expected: Any, pair: int = 0) -> float:
    """Return how far the probabilities are off, in Monte-Carlo standard errors."""
    error = max(float(posterior.pairs.mc_error[pair]), 1 / posterior.draws.n_draws)
    return float(np.abs(posterior.pairs.probabilities[pair] - expected).max() / error)


@pytest.mark.parametrize(
    ("place", "alpha"),
    [
        ("rope", (5.0, 4.0, 2.0)),
        ("a", (7.0, 2.0, 2.0)),
        ("b", (5.0, 2.0, 4.0)),
        ("equal", (5 + 2 / 3, 2 + 2 / 3, 2 + 2 / 3)),
    ],
)
def test_counts_and_prior_by_quadrature(place: str, alpha: tuple[float, float, float]) -> None:
    gaps = [0.1] * 5 + [0.0, 0.005] + [-0.1] * 2
    table = means_table([[0.5 + gap, 0.5] for gap in gaps])
    posterior = sign(table, rope=0.01, prior_strength=2, prior_place=place)
    assert _off(posterior, _largest(alpha)) < 4
    drawn = posterior.draws.values["regions"][0, :, 0]
    np.testing.assert_allclose(drawn.mean(axis=0), np.array(alpha) / 11, atol=0.003)
    np.testing.assert_allclose(drawn.sum(axis=1), 1, rtol=1e-14)


def test_identical_algorithms_are_equal() -> None:
    posterior = sign(means_table([[0.7, 0.7], [0.8, 0.8], [0.1 + 0.2, 0.3]]), rope=0)
    assert posterior.pairs.probabilities.tolist() == [[0.0, 1.0, 0.0]]
    assert posterior.pairs.difference.tolist() == [0.0]
    assert posterior.pairs.hdi.tolist() == [[0.0, 0.0]]
    assert posterior.pairs.mc_error.tolist() == [0.0]


def test_always_better_without_a_prior_is_certain() -> None:
    posterior = sign(means_table([[0.8, 0.7]] * 3), rope=0.01, prior_strength=0)
    assert posterior.pairs.probabilities.tolist() == [[1.0, 0.0, 0.0]]
    np.testing.assert_allclose(posterior.pairs.hdi, [[0.1, 0.1]])


def test_one_data_set_and_a_prior_worth_one_are_even() -> None:
    posterior = sign(means_table([[0.8, 0.7]]), rope=0.01)  # Dirichlet(1, 1, 0)
    assert _off(posterior, [0.5, 0.5, 0.0]) < 4


def test_lower_is_better_turns_the_sides_and_not_the_difference() -> None:
    scores = [[0.1, 0.3], [0.2, 0.3], [0.4, 0.3]]
    error, accuracy = sign(means_table(scores, "error"), rope=0), sign(means_table(scores), rope=0)
    np.testing.assert_allclose(error.pairs.difference, accuracy.pairs.difference)
    assert error.pairs.difference[0] < 0
    assert error.pairs.probabilities[0, 0] > 0.5 > error.pairs.probabilities[0, 2]
    assert _off(error, accuracy.pairs.probabilities[0, ::-1]) < 6


def test_swapping_the_two_mirrors() -> None:
    scores = DEMSAR_AUC[:, [0, 2]]
    here, there = (sign(means_table(s), rope=0.01) for s in (scores, scores[:, ::-1]))
    assert _off(there, here.pairs.probabilities[0, ::-1]) < 6
    np.testing.assert_allclose(there.pairs.difference, -here.pairs.difference)
    np.testing.assert_allclose(there.pairs.hdi, -here.pairs.hdi[:, ::-1], atol=2e-3)


def test_percent_and_fractions_agree() -> None:
    fractions = sign(means_table(DEMSAR_AUC), rope=0.01)
    percent = sign(means_table(100 * DEMSAR_AUC), rope=1)
    assert percent.pairs.probabilities.tolist() == fractions.pairs.probabilities.tolist()


def test_the_edge_is_inside_even_if_rounding_says_otherwise() -> None:
    assert 0.81 - 0.80 > 0.01
    posterior = sign(means_table([[0.81, 0.80], [0.80, 0.81]]), rope=0.01)
    assert posterior.pairs.probabilities.tolist() == [[0.0, 1.0, 0.0]]


def test_a_pair_does_not_depend_on_the_pool() -> None:
    table = means_table(DEMSAR_AUC)
    everything, two = sign(table, rope=0.01), sign(table.select(algorithms=["a1", "a3"]), rope=0.01)
    assert two.pairs.probabilities[0].tolist() == everything.pairs.probabilities[4].tolist()
    np.testing.assert_allclose(two.pairs.hdi[0], everything.pairs.hdi[4], rtol=1e-12)


def test_missing_cells_are_left_out_pair_by_pair() -> None:
    scores = DEMSAR_AUC[:, :3].copy()
    scores[:4, 2] = np.nan
    gaps = sign(means_table(scores, missing="pairwise"), rope=0.01)
    pair = sign(means_table(scores[4:, [1, 2]]), rope=0.01)
    assert gaps.pairs.probabilities[2].tolist() == pair.pairs.probabilities[0].tolist()
    assert gaps.pairs.difference[2] == pytest.approx(pair.pairs.difference[0])
    np.testing.assert_allclose(gaps.pairs.hdi[2], pair.pairs.hdi[0], atol=4e-3)
    assert any("10 to 14 of 14" in note for note in gaps.notes)


def test_strangers_are_refused() -> None:
    scores = [[0.5, np.nan, 0.4], [np.nan, 0.6, 0.4]]
    with pytest.raises(MissingCellsError, match="both 'a0' and 'a1'"):
        sign(means_table(scores, missing="pairwise"), rope=0.01)


def test_the_same_seed_gives_the_same_numbers() -> None:
    table = means_table(DEMSAR_AUC)
    first, again, other = (sign(table, rope=0.01, seed=s) for s in (3, 3, 4))
    assert first.to_dict() == again.to_dict()
    assert first.pairs.probabilities.tolist() != other.pairs.probabilities.tolist()


def test_blocks_of_pairs_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table = means_table(DEMSAR_AUC)
    whole = sign(table, rope=0.01, draws=1000)
    monkeypatch.setattr(dirichlet, "_MOST_NUMBERS", 6000)  # two pairs at once, 333 draws kept
    blocks = sign(table, rope=0.01, draws=1000)
    assert blocks.pairs.probabilities.tolist() == whole.pairs.probabilities.tolist()
    assert blocks.pairs.second.tolist() == whole.pairs.second.tolist()
    kept, full = blocks.draws.values["regions"], whole.draws.values["regions"]
    assert kept.shape == (1, 333, 6, 3)
    np.testing.assert_array_equal(kept, full[:, :333])
    assert any("first 333 of 1000" in note for note in blocks.notes)


@pytest.mark.parametrize("pair", BAYCOMP)
def test_agrees_with_baycomp(pair: tuple[int, int]) -> None:
    posterior = sign(means_table(DEMSAR_AUC[:, list(pair)]), rope=0.01025, draws=400_000)
    np.testing.assert_allclose(posterior.pairs.probabilities[0], BAYCOMP[pair], atol=0.003)


def test_agrees_with_baycomps_prior_on_the_left() -> None:
    table = means_table(DEMSAR_AUC[:, :2])
    posterior = sign(table, rope=0.01025, draws=400_000, prior_place="a")
    np.testing.assert_allclose(posterior.pairs.probabilities[0], BAYCOMP_LEFT, atol=0.003)


def test_the_interval_is_the_bayesian_bootstraps() -> None:
    # The weighted mean has variance Σ (zᵢ - z̄)² / (n (n + 1)) (Rubin 1981); here it is near normal.
    z = np.linspace(-0.1, 0.2, 60)
    deviation = np.sqrt(z.var() / (z.size + 1))
    posterior = sign(means_table(np.stack([0.5 + z, np.full(60, 0.5)], axis=1)), rope=0.01)
    expected = 0.05 + 1.96 * deviation * np.array([-1, 1])
    np.testing.assert_allclose(posterior.pairs.hdi[0], expected, atol=0.15 * deviation)
    assert posterior.pairs.difference[0] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"draws": 0}, "draws: at least one draw is needed, and 0"),
        ({"draws": 2.5}, "draws: it is a whole number, and 2.5"),
        ({"mass": 1.0}, "mass: .* and 1.0 was given"),
        ({"prior_strength": -1}, "prior_strength: .* and -1 was given"),
        ({"rope": -0.1}, "rope: .* -0.1 was given"),
    ],
)
def test_what_is_no_option_is_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        sign(means_table(DEMSAR_AUC), **{"rope": 0.01, **options})


def test_unknown_places_and_lonely_algorithms_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="prior_place: 'left'"):
        sign(means_table(DEMSAR_AUC), rope=0.01, prior_place="left")
    with pytest.raises(ParameterError, match="two or more, and there is one"):
        sign(means_table(DEMSAR_AUC).select(algorithms=["a0"]), rope=0.01)


def test_the_result_is_plain_data() -> None:
    summary = sign(means_table(DEMSAR_AUC), rope=0.01, draws=2000).to_dict()
    assert summary["model"] == "sign"
    assert summary["diagnostics"]["r_hat"] == 1.0
    assert summary["diagnostics"]["ess_bulk"] == 2000
    assert summary["diagnostics"]["warnings"] == []
    assert len(summary["pairs"]) == 6


def test_the_draws_of_a_region_that_cannot_be_are_zero() -> None:
    drawn = sign_draws(
        np.array([[1.0, 1.0, np.nan]]),
        np.zeros((1, 3)),
        np.random.default_rng(0),
        rope=0.0,
        prior=np.array([0.0, 1.0, 0.0]),
        draws=100,
    )
    regions = drawn.values["regions"]
    assert regions.shape == (1, 100, 1, 3)
    assert (regions[..., 2] == 0).all()
    assert (regions[..., :2] > 0).all()
