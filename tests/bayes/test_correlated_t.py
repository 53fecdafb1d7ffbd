"""The Bayesian correlated t test: by hand, by the corrected t, and another program's numbers."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from palio.bayes.models.correlated_t import correlated_t, correlated_t_probabilities
from palio.errors import DesignError, ParameterError, UnknownNameError
from palio.scores import ScoreTable
from palio.stats import folds
from palio.types import FloatArray

FIRST = np.array([0.81, 0.83, 0.80, 0.79, 0.85, 0.84, 0.82, 0.80, 0.83, 0.81])
SECOND = np.array([0.80, 0.81, 0.81, 0.77, 0.84, 0.82, 0.82, 0.78, 0.81, 0.80])

# baycomp 1.0.3, CorrelatedTTest.probs on these, (runs, rope): first better, equal, second better.
BAYCOMP = {
    (1, 0.005): (0.9128586189850505, 0.08418729809911318, 0.00295408291583632),
    (1, 0.01): (0.6583479261657081, 0.3410390626802393, 0.0006130111540525451),
    (5, 0.005): (0.7328701243171252, 0.19163132917472525, 0.07549854650814958),
}


def _table(
    *algorithms: FloatArray, shape: tuple[int, int] = (1, 10), measure: str = "accuracy"
) -> ScoreTable:
    return ScoreTable.from_arrays(
        np.stack([scores.reshape(shape) for scores in algorithms])[None],
        datasets=["iris"],
        algorithms=[f"a{j}" for j in range(len(algorithms))],
        measure=measure,
    )


@pytest.mark.parametrize(("runs", "rope"), BAYCOMP)
def test_agrees_with_baycomp(runs: int, rope: float) -> None:
    posterior = correlated_t(_table(FIRST, SECOND, shape=(runs, 10 // runs)), rope=rope)
    np.testing.assert_allclose(
        posterior.pairs.probabilities[0], BAYCOMP[runs, rope], rtol=1e-9, atol=1e-14
    )
    assert posterior.pairs.mc_error.tolist() == [0.0]


def test_without_a_region_it_is_the_corrected_t_read_backwards() -> None:
    posterior = correlated_t(_table(FIRST, SECOND), rope=0)
    outcome = folds.corrected_t([FIRST], [SECOND], test_fraction=0.1, alternative="less")
    better, equal, worse = posterior.pairs.probabilities[0]
    assert better == pytest.approx(float(outcome.p_value), rel=1e-12)
    assert equal == 0
    assert better + worse == pytest.approx(1)


def test_by_hand() -> None:
    # Differences 1, 2, 3; ρ = 1/3: scale² = 1/3 + 1/2, two degrees of freedom, for which
    # F(t) = ½ + t / (2 √(2 + t²)).
    scale = np.sqrt(5 / 6)

    def lower_tail(t: float) -> float:
        return float(0.5 + t / (2 * np.sqrt(2 + t * t)))

    found = correlated_t_probabilities([1.0, 2.0, 3.0], 1 / 3, 1.0)
    above, below = lower_tail((2 - 1) / scale), lower_tail((-1 - 2) / scale)
    np.testing.assert_allclose(found, [above, 1 - above - below, below], rtol=1e-12)


def test_batches_are_their_rows() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(0.3, 1, size=(4, 3, 10))
    found = correlated_t_probabilities(values, 0.1, 0.2)
    assert found.shape == (4, 3, 3)
    for index in np.ndindex(4, 3):
        x = values[index]
        t = stats.t(9, x.mean(), np.sqrt((1 / 10 + 1 / 9) * x.var(ddof=1)))
        expected = [t.sf(0.2), t.cdf(0.2) - t.cdf(-0.2), t.cdf(-0.2)]
        np.testing.assert_allclose(found[index], expected, rtol=1e-9)
    np.testing.assert_allclose(found.sum(axis=-1), 1, rtol=1e-14)


def test_tiny_probabilities_keep_their_digits() -> None:
    x = np.tile([0.999, 1.001], 50)
    found = correlated_t_probabilities(x, 0.1, 0.01)
    t = stats.t(99, 1.0, np.sqrt((1 / 100 + 1 / 9) * x.var(ddof=1)))
    # The survival function by symmetry, far beyond what 1 - cdf can tell from 0.
    assert found[2] == pytest.approx(float(t.cdf(-0.01)), rel=1e-6)
    assert found[1] == pytest.approx(float(t.cdf(0.01) - t.cdf(-0.01)), rel=1e-6)
    assert 0 < found[2] < found[1] < 1e-30
    mirrored = correlated_t_probabilities(-x, 0.1, 0.01)
    assert mirrored.tolist() == found[::-1].tolist()


@pytest.mark.parametrize(
    ("gap", "rope", "expected"),
    [
        (0.02, 0.01, [1.0, 0.0, 0.0]),
        (-0.02, 0.01, [0.0, 0.0, 1.0]),
        (0.005, 0.01, [0.0, 1.0, 0.0]),
        (0.01, 0.01, [0.0, 1.0, 0.0]),
        (0.0, 0.0, [0.0, 1.0, 0.0]),
        (0.001, 0.0, [1.0, 0.0, 0.0]),
    ],
)
def test_no_variance_is_a_point(gap: float, rope: float, expected: list[float]) -> None:
    # 0.81 + 0.02 - 0.81 is not 0.02, and differs from 0.79 + 0.02 - 0.79.
    posterior = correlated_t(_table(FIRST + gap, FIRST), rope=rope)
    assert posterior.pairs.probabilities.tolist() == [expected]
    np.testing.assert_allclose(posterior.pairs.hdi, [[gap, gap]], atol=1e-15)
    assert np.isfinite(posterior.draws.values["difference"]).all()
    assert any("their posterior is that point" in note for note in posterior.notes)


def test_lower_is_better_turns_the_sides_and_not_the_difference() -> None:
    accuracy = correlated_t(_table(FIRST, SECOND), rope=0.005)
    error = correlated_t(_table(FIRST, SECOND, measure="error"), rope=0.005)
    assert error.pairs.probabilities[0].tolist() == accuracy.pairs.probabilities[0, ::-1].tolist()
    assert error.pairs.difference.tolist() == accuracy.pairs.difference.tolist()
    assert error.pairs.difference[0] == pytest.approx(0.012)


def test_swapping_the_two_mirrors_and_percent_is_the_same() -> None:
    here = correlated_t(_table(FIRST, SECOND), rope=0.005).pairs
    there = correlated_t(_table(SECOND, FIRST), rope=0.005).pairs
    percent = correlated_t(_table(100 * FIRST, 100 * SECOND), rope=0.5).pairs
    assert there.probabilities[0].tolist() == here.probabilities[0, ::-1].tolist()
    np.testing.assert_allclose(there.hdi, -here.hdi[:, ::-1])
    np.testing.assert_allclose(percent.probabilities, here.probabilities, rtol=1e-9)


def test_the_interval_holds_its_mass_and_the_draws_are_of_the_same_posterior() -> None:
    posterior = correlated_t(_table(FIRST, SECOND, FIRST[::-1]), rope=0.005, mass=0.9)
    drawn = posterior.draws.values["difference"][0]
    assert drawn.shape == (50_000, 3)
    low, high = posterior.pairs.hdi.T
    np.testing.assert_allclose(((drawn > low) & (drawn < high)).mean(axis=0), 0.9, atol=0.006)
    np.testing.assert_allclose(
        (drawn > 0.005).mean(axis=0), posterior.pairs.probabilities[:, 0], atol=0.01
    )
    assert posterior.to_dict()["n_datasets"] == 1


def test_the_share_for_testing() -> None:
    splits = _table(FIRST, SECOND, shape=(10, 1))
    with pytest.raises(DesignError, match="test_fraction="):
        correlated_t(splits, rope=0.01)
    given = correlated_t(splits, rope=0.01, test_fraction=0.1)
    kfold = correlated_t(_table(FIRST, SECOND), rope=0.01)
    assert given.pairs.probabilities.tolist() == kfold.pairs.probabilities.tolist()
    halves = correlated_t(_table(FIRST, SECOND, shape=(5, 2)), rope=0.01)
    assert halves.pairs.hdi[0, 0] < kfold.pairs.hdi[0, 0]
    with pytest.raises(ParameterError, match=r"test_fraction: .* 1.5 was given"):
        correlated_t(splits, rope=0.01, test_fraction=1.5)


def test_several_data_sets_need_a_name() -> None:
    scores = np.stack([[FIRST, SECOND], [SECOND, FIRST]])[:, :, None, :]
    table = ScoreTable.from_arrays(
        scores, datasets=["iris", "wine"], algorithms=["a", "b"], measure="accuracy"
    )
    with pytest.raises(ParameterError, match=r"dataset: .*'iris', 'wine'"):
        correlated_t(table, rope=0.01)
    iris, wine = (correlated_t(table, dataset=d, rope=0.01).pairs for d in table.datasets)
    assert iris.probabilities[0].tolist() == wine.probabilities[0, ::-1].tolist()
    with pytest.raises(UnknownNameError, match="dataset: 'irs'"):
        correlated_t(table, dataset="irs", rope=0.01)


def test_one_value_per_data_set_is_refused() -> None:
    table = ScoreTable.from_arrays(
        [[0.8, 0.7]], datasets=["iris"], algorithms=["a", "b"], measure="accuracy"
    )
    with pytest.raises(DesignError, match="needs at least 2 folds"):
        correlated_t(table, rope=0.01)


@pytest.mark.parametrize(("values", "rho"), [([1.0, 2.0], 1.0), ([1.0, 2.0], -0.1), ([1.0], 0.1)])
def test_what_is_no_input_is_refused(values: Any, rho: float) -> None:
    with pytest.raises(ValueError, match=r"rho|differences"):
        correlated_t_probabilities(values, rho, 0.01)
