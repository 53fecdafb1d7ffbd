"""Bayesian ANOVA as people call it."""

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from palio.bayes.models.anova import anova
from palio.errors import MissingCellsError, ParameterError
from tests.bayes.tables import means_table

Floats = NDArray[np.float64]

SCORES = (
    0.7
    + np.array([0.0, 0.01, 0.05])
    + 0.1 * np.random.default_rng(0).normal(size=(20, 1))
    + 0.02 * np.random.default_rng(1).normal(size=(20, 3))
)
FEW: dict[str, Any] = {"draws": 800}


@pytest.mark.parametrize("robust", [False, True])
def test_the_better_is_found(robust: bool) -> None:
    posterior = anova(means_table(SCORES), rope=0.01, robust=robust, draws=1500)
    (row,) = (row for row in posterior.to_dict()["pairs"] if (row["a"], row["b"]) == ("a0", "a2"))
    assert row["p_b_better"] > 0.95
    assert row["difference"] == pytest.approx(-0.05, abs=0.015)
    assert row["hdi"][0] < row["difference"] < row["hdi"][1]
    assert posterior.best().p_best.to_numpy()[2] > 0.99
    np.testing.assert_allclose(posterior.pairs.probabilities.sum(axis=1), 1)
    json.dumps(posterior.to_dict())


def test_pairs_of_a_complete_table_have_no_noise() -> None:
    one, other = (anova(means_table(SCORES), rope=0.01, seed=seed, **FEW) for seed in (0, 1))
    np.testing.assert_array_equal(one.pairs.probabilities, other.pairs.probabilities)
    assert one.pairs.mc_error.max() == 0
    assert one.draws.independent
    assert one.pairs.difference[0] != other.pairs.difference[0]


@pytest.mark.parametrize("robust", [False, True])
def test_the_same_seed_gives_the_same_numbers(robust: bool) -> None:
    one, other = (anova(means_table(SCORES), rope=0.01, robust=robust, **FEW) for _ in range(2))
    for name, values in one.draws.values.items():
        np.testing.assert_array_equal(values, other.draws.values[name])
    assert one.to_dict() == other.to_dict()


def test_swapping_two_algorithms_mirrors_the_answer() -> None:
    one = anova(means_table(SCORES[:, :2]), rope=0.005, **FEW).pairs
    other = anova(means_table(SCORES[:, [1, 0]]), rope=0.005, **FEW).pairs
    np.testing.assert_allclose(one.probabilities, other.probabilities[:, ::-1], atol=1e-12)
    assert one.difference[0] == pytest.approx(-other.difference[0], abs=1e-3)


def test_direction_belongs_to_the_measure() -> None:
    up = anova(means_table(SCORES), rope=0.01, **FEW)
    down = anova(means_table(1 - SCORES, measure="error"), rope=0.01, **FEW)
    np.testing.assert_allclose(up.pairs.probabilities, down.pairs.probabilities, atol=1e-9)
    np.testing.assert_allclose(up.pairs.difference, -down.pairs.difference, atol=2e-3)
    as_error = anova(means_table(SCORES, measure="error"), rope=0.01, **FEW)
    np.testing.assert_allclose(
        up.pairs.probabilities, as_error.pairs.probabilities[:, ::-1], atol=1e-12
    )
    assert as_error.best().p_best.to_numpy()[2] < 0.01


@pytest.mark.parametrize("robust", [False, True])
def test_percent_and_fractions_agree(robust: bool) -> None:
    one = anova(means_table(SCORES), rope=0.01, robust=robust, **FEW)
    hundred = anova(means_table(100 * SCORES), rope=1, robust=robust, **FEW)
    # Rounding may turn a decision of the sampler, never a probability.
    tolerance = 1e-9 if not robust else 0.05
    np.testing.assert_allclose(one.pairs.probabilities, hundred.pairs.probabilities, atol=tolerance)


def test_missing_scores_are_left_out() -> None:
    scores = SCORES.copy()
    scores[[0, 3, 7], [0, 1, 2]] = np.nan
    posterior = anova(means_table(scores, missing="pairwise"), rope=0.01, draws=4000)
    assert any("3 of 60 scores are missing" in note for note in posterior.notes)
    complete = anova(means_table(SCORES), rope=0.01, **FEW)
    assert not posterior.draws.independent
    np.testing.assert_allclose(posterior.pairs.difference, complete.pairs.difference, atol=0.01)
    assert posterior.diagnostics().r_hat.max() < 1.02


@pytest.mark.parametrize("robust", [False, True])
def test_scores_that_are_all_the_same(robust: bool) -> None:
    posterior = anova(means_table(np.full((5, 3), 0.9)), rope=0.0, robust=robust)
    assert posterior.pairs.probabilities.tolist() == [[0, 1, 0]] * 3
    assert posterior.pairs.difference.tolist() == [0, 0, 0]
    assert posterior.best().p_best.tolist() == pytest.approx([1 / 3] * 3)
    assert any("all scores are the same" in note for note in posterior.notes)
    json.dumps(posterior.to_dict())


@pytest.mark.parametrize("robust", [False, True])
def test_identical_algorithms_are_practically_equal(robust: bool) -> None:
    scores = np.repeat(np.linspace(0.5, 0.9, 30)[:, None], 2, axis=1)
    posterior = anova(means_table(scores), rope=0.001, robust=robust, **FEW)
    first, equal, second = posterior.pairs.probabilities[0]
    assert equal > 0.99
    assert first == pytest.approx(second, abs=0.01)


@pytest.mark.parametrize("robust", [False, True])
def test_a_constant_difference_is_certain_with_many_data_sets_only(robust: bool) -> None:
    # σ_0 cannot fall below a hundredth of the spread of all scores, so this is no point.
    def p_better(n: int) -> float:
        scores = np.linspace(0.5, 0.9, n)[:, None] + np.array([0.03, 0.0])
        found = anova(means_table(scores), rope=0.01, robust=robust, **FEW)
        assert robust or any("the same on all data sets" in note for note in found.notes)
        return float(found.pairs.probabilities[0, 0])

    assert p_better(40) > 0.999
    assert 0.3 < p_better(2) < 0.95


@pytest.mark.parametrize("robust", [False, True])
def test_one_data_set_says_little(robust: bool) -> None:
    posterior = anova(means_table([[0.9, 0.8]]), rope=0.01, robust=robust, **FEW)
    first, _, second = posterior.pairs.probabilities[0]
    assert 0 < second < first < 0.9
    assert any("one data set" in note for note in posterior.notes)


def test_a_data_set_without_scores_is_left_out() -> None:
    scores = np.vstack([SCORES, np.full((1, 3), np.nan)])
    table = means_table(scores, missing="pairwise")
    assert anova(table, rope=0.01, **FEW).n_datasets == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 0}, "draws: at least one"),
        ({"draws": 1.5}, "draws: it is a whole number"),
        ({"chains": 0}, "chains: at least one"),
        ({"chains": "4"}, "chains: it is a whole number"),
        ({"mass": 1.0}, "mass:"),
        ({"rope": -1}, "rope:"),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        anova(means_table(SCORES), **{"rope": 0.01, **options})


def test_too_little_to_compare() -> None:
    with pytest.raises(ParameterError, match="two or more"):
        anova(means_table(SCORES).select(algorithms=["a1"]), rope=0.01)
    scores = SCORES.copy()
    scores[:, 1] = np.nan
    with pytest.raises(MissingCellsError, match="'a1' has no score"):
        anova(means_table(scores, keep_failing=True), rope=0.01)


def test_checks_carry_names_and_warnings() -> None:
    scores = SCORES.copy()
    scores[4, 1] -= 0.6
    posterior = anova(means_table(scores), rope=0.01, **FEW)
    shown = posterior.checks["histograms"]
    assert shown["by_algorithm"]["names"] == ["a0", "a1", "a2"]
    assert len(shown["by_dataset"]["names"]) == 20
    assert len(posterior.checks["discrepancy"]["observed"]) <= 500
    assert any("robust=True" in warning for warning in posterior.warnings())
    tougher = anova(means_table(scores), rope=0.01, robust=True, draws=2000)
    assert not any("robust=True" in warning for warning in tougher.warnings())


@pytest.mark.parametrize("robust", [False, True])
def test_draws_and_chains(robust: bool) -> None:
    posterior = anova(means_table(SCORES), rope=0.01, robust=robust, draws=1001, chains=3)
    assert posterior.draws.values["algorithm"].shape == (3, 334, 3)
