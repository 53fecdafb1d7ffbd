"""The Bayesian signed-rank test: against double sums, beta integrals and another program."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc

from palio.bayes.models.signed_rank import signed_rank, signed_rank_draws
from palio.errors import ParameterError, UnknownNameError
from palio.types import FloatArray
from tests.bayes.tables import means_table
from tests.reference.test_published_tables import DEMSAR_AUC

# baycomp 1.0.3, SignedRankTest on Demšar (2006) table 6, rope 0.01025, 1,000,000 draws: the first
# algorithm better, practically equal, the second better.
BAYCOMP = {
    (0, 1): (0.0, 0.328653, 0.671347),
    (0, 2): (0.068807, 0.78256, 0.148633),
    (1, 3): (0.001695, 0.78725, 0.211055),
}


def _double_sums(z: FloatArray, w: FloatArray, rope: float) -> FloatArray:
    """Return the three regions from all n² sums of differences: weights (draws, n)."""
    sums = z[:, None] + z[None, :]
    products = w[:, :, None] * w[:, None, :]
    inside = [sums > 2 * rope, np.abs(sums) <= 2 * rope, sums < -2 * rope]
    return np.stack([(products * region).sum(axis=(1, 2)) for region in inside], axis=-1)


def _draws(
    differences: Any, *, rope: float, at: Any = (0.0,), strengths: Any = (0.5,), draws: int = 50
) -> FloatArray:
    z = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    drawn = signed_rank_draws(
        z,
        np.zeros_like(z),
        np.random.default_rng(0),
        rope=rope,
        prior_at=np.asarray(at, dtype=np.float64),
        prior_strengths=np.asarray(strengths, dtype=np.float64),
        draws=draws,
    )
    regions: FloatArray = drawn.values["regions"][0]
    return regions


def _weights(n: int, strengths: Any = (0.5,), draws: int = 50) -> FloatArray:
    """Return the weights that the same seed gives, normalised: (draws, n + k)."""
    rng = np.random.default_rng(0)
    parts = [rng.standard_exponential((n, draws))]
    parts += [rng.standard_gamma(strength, (1, draws)) for strength in strengths]
    weights: FloatArray = np.concatenate(parts).T
    normalised: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return normalised


@given(
    st.lists(st.integers(-12, 12), min_size=1, max_size=25),
    st.integers(0, 8),
    st.sampled_from([0.0, 3.0, -40.0, 40.0]),
)
def test_cumulative_sums_are_the_double_sums(z: list[int], rope: int, at: float) -> None:
    # Whole numbers: many ties, many sums on the edge, and no rounding.
    observed = np.array([*z, at], dtype=np.float64)
    expected = _double_sums(observed, _weights(len(z)), rope / 2)
    np.testing.assert_allclose(_draws(z, rope=rope / 2, at=[at])[:, 0], expected, atol=1e-13)


def test_infinite_places_are_beyond_all_and_cancel() -> None:
    z, strengths = np.array([3.0, -1.0, 0.5]), (0.5, 0.5, 0.5)
    far = np.array([*z, 1e6, 0.0, -1e6])
    expected = _double_sums(far, _weights(3, strengths), 0.4)
    found = _draws(z, rope=0.4, at=[np.inf, 0.0, -np.inf], strengths=strengths)
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-13)


def test_missing_differences_have_no_weight() -> None:
    z = np.array([[3.0, np.nan, -1.0, 0.5], [1.0, 2.0, -4.0, np.nan]])
    found = _draws(z, rope=0.4)
    weights = _weights(4)
    for p, row in enumerate(z):
        present = np.append(~np.isnan(row), True)
        part = weights[:, present] / weights[:, present].sum(axis=1, keepdims=True)
        expected = _double_sums(np.append(row, 0.0)[present], part, 0.4)
        np.testing.assert_allclose(found[:, p], expected, atol=1e-13)


def test_identical_algorithms_are_equal() -> None:
    posterior = signed_rank(means_table([[0.7, 0.7], [0.8, 0.8], [0.1 + 0.2, 0.3]]), rope=0)
    assert posterior.pairs.probabilities.tolist() == [[0.0, 1.0, 0.0]]
    assert posterior.pairs.hdi.tolist() == [[0.0, 0.0]]
    assert (posterior.draws.values["regions"][..., 1] == 1).all()


def test_always_better_without_a_prior_is_certain() -> None:
    posterior = signed_rank(means_table([[0.8, 0.7]] * 3), rope=0.01, prior_strength=0)
    assert posterior.pairs.probabilities.tolist() == [[1.0, 0.0, 0.0]]
    assert (posterior.draws.values["regions"][..., 0] == 1).all()


def test_constant_difference_by_a_beta_integral() -> None:
    # z = 0.1 thrice, z₀ = 0: equal if both of the two drawn are z₀ or their mean is within the
    # region. θ₂ = w₀² for ρ = 0.01, so "better" is likelier where w₀ < √½, w₀ ~ Beta(2, 3).
    posterior = signed_rank(means_table([[0.8, 0.7]] * 3), rope=0.01, prior_strength=2)
    p_better = float(betainc(2, 3, np.sqrt(0.5)))
    error = posterior.pairs.mc_error[0]
    np.testing.assert_allclose(
        posterior.pairs.probabilities[0], [p_better, 1 - p_better, 0], atol=4 * error
    )
    # For ρ = 0.06 the mean of 0.1 and 0 is inside as well: better where 1 - w₀ > √½.
    wide = signed_rank(means_table([[0.8, 0.7]] * 3), rope=0.06, prior_strength=2)
    p_better = float(betainc(2, 3, 1 - np.sqrt(0.5)))
    assert abs(wide.pairs.probabilities[0, 0] - p_better) < 4 * wide.pairs.mc_error[0]


def test_one_data_set_by_a_beta_integral() -> None:
    # One difference of 0.1 and w₀ ~ Beta(0.5, 1): better where w₀ < √½.
    posterior = signed_rank(means_table([[0.8, 0.7]]), rope=0.01)
    p_better = float(betainc(0.5, 1, np.sqrt(0.5)))
    assert abs(posterior.pairs.probabilities[0, 0] - p_better) < 4 * posterior.pairs.mc_error[0]


@pytest.mark.parametrize(
    ("place", "side"), [("a", [1.0, 0.0, 0.0]), ("b", [0.0, 0.0, 1.0]), ("rope", [0.0, 1.0, 0.0])]
)
def test_a_strong_prior_wins(place: str, side: list[float]) -> None:
    table = means_table(DEMSAR_AUC[:, :2])
    posterior = signed_rank(table, rope=0.01, prior_strength=10_000, prior_place=place)
    assert posterior.pairs.probabilities[0].tolist() == side
    assert np.isfinite(posterior.pairs.hdi).all()


def test_lower_is_better_turns_the_sides_and_not_the_difference() -> None:
    error, auc = (signed_rank(means_table(DEMSAR_AUC, m), rope=0.01) for m in ("error", "auc"))
    np.testing.assert_allclose(
        error.pairs.probabilities, auc.pairs.probabilities[:, ::-1], atol=1e-4
    )
    assert error.pairs.difference.tolist() == auc.pairs.difference.tolist()
    assert error.pairs.hdi.tolist() == auc.pairs.hdi.tolist()


def test_swapping_the_two_mirrors() -> None:
    scores = DEMSAR_AUC[:, [0, 2]]
    here, there = (signed_rank(means_table(s), rope=0.01) for s in (scores, scores[:, ::-1]))
    np.testing.assert_allclose(
        there.pairs.probabilities, here.pairs.probabilities[:, ::-1], atol=1e-4
    )
    np.testing.assert_allclose(there.pairs.hdi, -here.pairs.hdi[:, ::-1], atol=1e-3)


def test_percent_and_fractions_agree() -> None:
    fractions = signed_rank(means_table(DEMSAR_AUC), rope=0.01)
    percent = signed_rank(means_table(100 * DEMSAR_AUC), rope=1)
    np.testing.assert_allclose(
        percent.pairs.probabilities, fractions.pairs.probabilities, atol=1e-4
    )


def test_the_order_of_the_data_sets_matters_by_chance_only() -> None:
    here = signed_rank(means_table(DEMSAR_AUC), rope=0.01)
    there = signed_rank(means_table(DEMSAR_AUC[::-1]), rope=0.01)
    gap = np.abs(here.pairs.probabilities - there.pairs.probabilities).max(axis=1)
    assert (gap < 6 * here.pairs.mc_error + 1e-4).all()


def test_opposite_differences_cancel_even_if_rounding_says_otherwise() -> None:
    assert (0.81 - 0.80) + (0.20 - 0.21) != 0
    regions = signed_rank(means_table([[0.81, 0.80], [0.20, 0.21]]), rope=0, prior_strength=0).draws
    # Two differences of opposite sign: θ₂ = 2 w₁ w₂, and θ₁ + θ₃ = w₁² + w₂².
    first, equal, second = regions.values["regions"][0, :, 0].T
    np.testing.assert_allclose(np.sqrt(first) + np.sqrt(second), 1)
    np.testing.assert_allclose(equal, 2 * np.sqrt(first * second), atol=1e-10)


def test_the_edge_is_inside_even_if_rounding_says_otherwise() -> None:
    posterior = signed_rank(means_table([[0.81, 0.80], [0.80, 0.81]]), rope=0.01)
    assert posterior.pairs.probabilities.tolist() == [[0.0, 1.0, 0.0]]


def test_a_pair_does_not_depend_on_the_pool() -> None:
    table = means_table(DEMSAR_AUC)
    two = signed_rank(table.select(algorithms=["a1", "a3"]), rope=0.01)
    everything = signed_rank(table, rope=0.01)
    assert two.pairs.probabilities[0].tolist() == everything.pairs.probabilities[4].tolist()


def test_missing_cells_are_left_out_pair_by_pair() -> None:
    scores = DEMSAR_AUC[:, :3].copy()
    scores[:4, 2] = np.nan
    gaps = signed_rank(means_table(scores, missing="pairwise"), rope=0.01)
    pair = signed_rank(means_table(scores[4:, [1, 2]]), rope=0.01)
    gap = np.abs(gaps.pairs.probabilities[2] - pair.pairs.probabilities[0]).max()
    assert gap < 6 * pair.pairs.mc_error[0]
    assert gaps.pairs.difference[2] == pytest.approx(pair.pairs.difference[0])


def test_the_same_seed_gives_the_same_numbers() -> None:
    table = means_table(DEMSAR_AUC)
    first, again, other = (signed_rank(table, rope=0.01, seed=s) for s in (3, 3, 4))
    assert first.to_dict() == again.to_dict()
    assert first.pairs.probabilities.tolist() != other.pairs.probabilities.tolist()


@pytest.mark.parametrize("pair", BAYCOMP)
def test_agrees_with_baycomp(pair: tuple[int, int]) -> None:
    posterior = signed_rank(means_table(DEMSAR_AUC[:, list(pair)]), rope=0.01025, draws=400_000)
    np.testing.assert_allclose(posterior.pairs.probabilities[0], BAYCOMP[pair], atol=0.003)


def test_what_is_no_option_is_refused() -> None:
    table = means_table(DEMSAR_AUC)
    with pytest.raises(ParameterError, match=r"prior_strength: .*inf"):
        signed_rank(table, rope=0.01, prior_strength=float("inf"))
    with pytest.raises(UnknownNameError, match="There are: rope, a, b, equal"):
        signed_rank(table, rope=0.01, prior_place="middle")
    with pytest.raises(ParameterError, match="draws"):
        signed_rank(table, rope=0.01, draws=0)


def test_the_result_says_what_was_done() -> None:
    posterior = signed_rank(means_table(DEMSAR_AUC), rope=0.01, draws=3000)
    notes = " ".join(posterior.notes)
    assert "worth 0.5 data sets, place 'rope'" in notes
    assert "3000 draws" in notes
    assert posterior.warnings() == ()
    assert posterior.decide(threshold=0.6)["decision"].tolist()[0] == "b"
