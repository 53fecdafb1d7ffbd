"""Simulation-based calibration of the pairwise models (Talts and others 2018).

Parameters from the prior, data from the model: the rank of the truth among posterior draws is
uniform. A Dirichlet process whose base measure is three points is a Dirichlet prior on three
numbers, so the truth can be drawn. The prior of the correlated t test is improper, but its mean is
a pivot: the posterior probability of being below the truth is uniform whatever the truth.
"""

import numpy as np
import pytest
from scipy import stats
from scipy.special import stdtr, stdtrit

from palio.bayes.models.correlated_t import correlated_t_probabilities
from palio.bayes.models.sign import sign_draws
from palio.bayes.models.signed_rank import signed_rank_draws
from palio.types import FloatArray, IntArray

pytestmark = pytest.mark.slow

TRIALS = 4000
DRAWS = 99
BINS = 20
PRIOR = np.array([1.5, 2.0, 0.8])
VALUES = np.array([1.0, 0.0, -1.0])


def _worlds(seed: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Return shares of wins, ties and losses from the prior, and n differences from each."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(PRIOR, size=TRIALS)
    counts = rng.multinomial(n, truth)
    data = np.stack([np.repeat(VALUES, row) for row in counts])
    return truth, data


def _assert_uniform(ranks: IntArray) -> None:
    counts = np.bincount(ranks * BINS // (DRAWS + 1), minlength=BINS)
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("n", [3, 30])
def test_sign(n: int) -> None:
    truth, data = _worlds(1, n)
    ranks = np.empty((TRIALS, 3), dtype=np.intp)
    rng = np.random.default_rng(2)
    for trial, row in enumerate(data):
        drawn = sign_draws(
            row[None], np.zeros((1, n)), rng, rope=0.5, prior=PRIOR, draws=DRAWS
        ).values["regions"][0, :, 0]
        ranks[trial] = (drawn < truth[trial]).sum(axis=0)
    for region in range(3):
        _assert_uniform(ranks[:, region])


@pytest.mark.parametrize("n", [3, 30])
def test_signed_rank(n: int) -> None:
    truth, data = _worlds(3, n)
    win, tie, loss = truth.T
    # Sums of two of 1, 0, -1 against a region of ±½ · 2: the truth as the data have it.
    asked = np.stack([win**2, 2 * tie * (win + loss) + tie**2 + 2 * win * loss, loss**2], axis=1)
    ranks = np.empty((TRIALS, 3), dtype=np.intp)
    rng = np.random.default_rng(4)
    for trial, row in enumerate(data):
        drawn = signed_rank_draws(
            row[None],
            np.zeros((1, n)),
            rng,
            rope=0.5,
            prior_at=VALUES,
            prior_strengths=PRIOR,
            draws=DRAWS,
        ).values["regions"][0, :, 0]
        ranks[trial] = (drawn < asked[trial]).sum(axis=0)
    for region in range(3):
        _assert_uniform(ranks[:, region])


@pytest.mark.parametrize(("n", "rho"), [(10, 0.1), (10, 0.5), (100, 0.1)])
def test_correlated_t(n: int, rho: float) -> None:
    rng = np.random.default_rng(n)
    trials = 20_000
    mean, deviation = rng.normal(0, 3, size=trials), rng.lognormal(size=trials)
    shared = np.sqrt(rho) * rng.normal(size=(trials, 1))
    own = np.sqrt(1 - rho) * rng.normal(size=(trials, n))
    values = mean[:, None] + deviation[:, None] * (shared + own)
    above, equal, below = correlated_t_probabilities(values - mean[:, None], rho, 0.0).T
    counts = np.histogram(above, bins=BINS, range=(0, 1))[0]
    assert stats.chisquare(counts).pvalue > 0.001
    assert not equal.any()
    np.testing.assert_allclose(above + below, 1)


def test_ignoring_the_correlation_is_found_out() -> None:
    # The check above must be able to fail: with ρ taken as 0 the posterior is too narrow.
    rng = np.random.default_rng(0)
    values = np.sqrt(0.1) * rng.normal(size=(20_000, 1)) + np.sqrt(0.9) * rng.normal(
        size=(20_000, 10)
    )
    above = correlated_t_probabilities(values, 0.0, 0.0)[:, 0]
    counts = np.histogram(above, bins=BINS, range=(0, 1))[0]
    assert stats.chisquare(counts).pvalue < 1e-6
    # By how much: t with 9 degrees of freedom, stretched by √(1 + n ρ / (1 - ρ)).
    stretch = np.sqrt(1 + 10 * 0.1 / 0.9)
    expected = 2 * stdtr(9, stdtrit(9, 0.025) / stretch)
    assert float((np.abs(above - 0.5) > 0.475).mean()) == pytest.approx(expected, abs=0.01)
