"""The Dirichlet model of right and wrong answers: closed forms, data sets, gaps, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betainc

import palio
from palio.bayes.models import run_model
from palio.errors import DesignError, ParameterError
from palio.scores import ItemScores


def answers(*counts: tuple[int, int, int, int], measure: str = "accuracy") -> ItemScores:
    """Make items from how often both are right, only a, only b, neither; a data set each."""
    rows, of = [], []
    for code, (both, a, b, neither) in enumerate(counts):
        rows += [[1, 1]] * both + [[1, 0]] * a + [[0, 1]] * b + [[0, 0]] * neither
        of += [f"d{code}"] * (both + a + b + neither)
    scores = np.array(rows, dtype=float)
    if measure == "error":
        scores = 1 - scores
    return ItemScores.from_arrays(scores, algorithms=["a", "b"], measure=measure, dataset=of)


def test_one_data_set_has_closed_forms() -> None:
    found = palio.bayes.outcomes(answers((10, 7, 3, 5)), rope=0, draws=200_000)
    (better, equal, worse), difference = found.pairs.probabilities[0], found.pairs.difference[0]
    # θ₁₀ / (θ₁₀ + θ₀₁) ~ Beta(7 + 1, 3 + 1), and the mean of δ is (8 - 4) / 29.
    assert better == pytest.approx(1 - betainc(8, 4, 0.5), abs=0.005)
    assert (equal, worse) == (0.0, pytest.approx(1 - better))
    assert difference == pytest.approx(4 / 29, abs=0.002)
    assert found.pairs.hdi[0, 0] < difference < found.pairs.hdi[0, 1]


def test_strength_of_the_prior() -> None:
    found = palio.bayes.outcomes(answers((10, 7, 3, 5)), rope=0, prior_strength=5, draws=100_000)
    assert found.pairs.difference[0] == pytest.approx((12 - 8) / 45, abs=0.003)


def test_data_sets_are_averaged_and_one_may_be_chosen() -> None:
    items = answers((4, 6, 0, 0), (20, 0, 10, 10))
    whole = palio.bayes.outcomes(items, rope=0, draws=100_000)
    expected = (6 / 14 + (-10) / 44) / 2
    assert whole.pairs.difference[0] == pytest.approx(expected, abs=0.003)
    one = palio.bayes.outcomes(items, dataset="d1", rope=0, draws=100_000)
    assert one.pairs.difference[0] == pytest.approx(-10 / 44, abs=0.003)
    assert any("averaged over 2 data sets" in note for note in whole.notes)


def test_lower_is_better_turns_who_is_better() -> None:
    up = palio.bayes.outcomes(answers((10, 9, 2, 5)), rope=0.05)
    down = palio.bayes.outcomes(answers((10, 9, 2, 5), measure="error"), rope=0.05)
    assert up.pairs.probabilities[0, 0] > 0.8
    assert down.pairs.probabilities[0] == pytest.approx(up.pairs.probabilities[0], abs=0.02)
    assert down.pairs.difference[0] == pytest.approx(-up.pairs.difference[0], abs=0.01)


def test_each_pair_is_on_the_items_that_both_have() -> None:
    scores = np.array([[1, 0, 1], [1, 0, np.nan], [0, 1, np.nan], [1, np.nan, 0], [1, np.nan, 1]])
    items = ItemScores.from_arrays(scores, algorithms=["a", "b", "c"], measure="accuracy")
    found = palio.bayes.outcomes(items, rope=0, draws=100_000)
    assert found.pairs.difference.tolist() == pytest.approx([1 / 7, 1 / 7, -1 / 5], abs=0.004)
    scores[0, 2] = np.nan
    gone = ItemScores.from_arrays(scores, algorithms=["a", "b", "c"], measure="accuracy")
    with pytest.raises(ParameterError, match="'b' and 'c' share none"):
        palio.bayes.outcomes(gone)


def test_the_answer_on_a_pair_does_not_depend_on_the_others() -> None:
    rng = np.random.default_rng(0)
    x = (rng.random((30, 3)) < 0.6).astype(float)
    all_three = ItemScores.from_arrays(x, algorithms=["a", "b", "c"], measure="accuracy")
    two = all_three.select(algorithms=["b", "c"])
    whole, alone = (palio.bayes.outcomes(each, rope=0.01) for each in (all_three, two))
    assert whole.pairs.probabilities[2].tolist() == alone.pairs.probabilities[0].tolist()


def test_algorithms_without_items_are_left_out() -> None:
    rng = np.random.default_rng(1)
    x = (rng.random((30, 3)) < 0.6).astype(float)
    items = ItemScores.from_arrays(x, algorithms=["a", "b", "c"], measure="accuracy")
    two = items.select(algorithms=["b", "c"])
    # As importers leave it that have samples of some models and the means of all.
    found = palio.bayes.outcomes(replace(items.to_scores(), items=two), rope=0.01)
    assert found.algorithms == ("b", "c")
    assert found.pairs.difference.tolist() == (
        palio.bayes.outcomes(two, rope=0.01).pairs.difference.tolist()
    )


def test_what_is_not_right_or_wrong_is_refused() -> None:
    graded = ItemScores.from_arrays([[0.5, 1.0], [1.0, 0.0]], algorithms=["a", "b"], measure="f1")
    clusters = ItemScores.from_arrays(
        [[0, 1], [1, 0]], algorithms=["a", "b"], measure="f1", cluster=[0, 0]
    )
    for table, said in (
        (graded, "these are graded"),
        (clusters, "these come in clusters"),
        (palio.load_study("ulas2008"), "this table has none"),
    ):
        with pytest.raises(DesignError, match=said):
            palio.bayes.outcomes(table)


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 20, 30])
def test_intervals_cover_where_normal_ones_do_not(n: int) -> None:
    """Right with 0.95 and 0.9, half of the answers shared, as in the calibration of t."""
    rng = np.random.default_rng(n)
    covered = 0
    for _ in range(1000):
        shared, own = rng.random((n, 1)), rng.random((n, 2))
        drawn = np.where(rng.random((n, 2)) < 0.5, own, shared)
        x = (drawn < [0.95, 0.9]).astype(float)
        items = ItemScores.from_arrays(x, algorithms=["a", "b"], measure="accuracy")
        low, high = palio.bayes.outcomes(items, rope=0, draws=2000).pairs.hdi[0]
        covered += low <= 0.05 <= high
    assert covered / 1000 > 0.94


@pytest.mark.parametrize("what", ["graded", "clusters", "repeats"])
def test_other_items_are_not_asked_for_folds(what: str) -> None:
    rng = np.random.default_rng(0)
    shape = (20, 2, 3) if what == "repeats" else (20, 2)
    scores = rng.uniform(size=shape) if what != "clusters" else rng.integers(0, 2, shape)
    items = palio.ItemScores.from_arrays(
        np.asarray(scores, dtype=np.float64),
        algorithms=["a", "b"],
        measure="f1" if what != "clusters" else "accuracy",
        cluster=[i // 4 for i in range(20)] if what == "clusters" else None,
    )
    assert run_model(None, items.to_scores()).model == "hierarchical-items"
