"""Simulation-based calibration of the hierarchical model (Talts and others 2018).

Parameters drawn from the prior, data drawn from the parameters: the truth's rank among posterior
draws is uniform if, and only if, sampler and model agree. The priors' bounds are fixed and tight,
so that every truncation has its part.
"""

import numpy as np
import pytest
from scipy import stats

from palio.bayes.models.hierarchical_gibbs import sample
from palio.bayes.models.hierarchical_model import FoldSummary, Priors, sample_nu
from palio.types import FloatArray

pytestmark = pytest.mark.slow

TRIALS = 200
CHAINS, APART = 32, 15
BINS = 8

FOLDS = np.array([2.0, 5.0, 10.0, 10.0, 30.0, 100.0])
RHO = np.array([0.5, 0.2, 0.5, 0.1, 1 / 3, 0.1])


def _simulated(priors: Priors, rng: np.random.Generator) -> tuple[FoldSummary, list[float]]:
    """Return data, and the truth: δ₀, τ₀, ν, the first and the last δ and σ."""
    delta0 = rng.uniform(-priors.delta0, priors.delta0)
    tau0 = rng.uniform(0, priors.tau0)
    nu = float(sample_nu(priors, (), rng))
    delta = delta0 + tau0 * rng.standard_t(nu, size=FOLDS.size)
    sigma = rng.uniform(0, priors.sigma, size=FOLDS.size)
    folds = [_correlated(*each, rng) for each in zip(delta, sigma, FOLDS, RHO, strict=True)]
    data = FoldSummary(
        np.array([x.mean() for x in folds]),
        np.array([((x - x.mean()) ** 2).sum() for x in folds]),
        FOLDS,
        RHO,
    )
    return data, [delta0, tau0, nu, delta[0], delta[-1], sigma[0], sigma[-1]]


def _correlated(
    delta: float, sigma: float, n: float, rho: float, rng: np.random.Generator
) -> FloatArray:
    """Return n folds that share a part of their noise, which correlates any two by ρ."""
    shared, own = rng.normal(), rng.normal(size=int(n))
    folds: FloatArray = delta + sigma * (np.sqrt(rho) * shared + np.sqrt(1 - rho) * own)
    return folds


@pytest.mark.parametrize(
    ("name", "priors"),
    [
        ("much between data sets", Priors(delta0=1.0, tau0=2.0, sigma=1.0)),
        ("much noise", Priors(delta0=0.5, tau0=0.3, sigma=2.0)),
    ],
)
def test_ranks_of_the_truth_are_uniform(name: str, priors: Priors) -> None:
    rng = np.random.default_rng(list(name.encode()))
    ranks = []
    for _ in range(TRIALS):
        data, truth = _simulated(priors, rng)
        drawn = sample(data, priors, chains=CHAINS, draws=APART + 1, warmup=60, rng=rng).values
        found = [drawn["delta0"], drawn["tau0"], drawn["nu"]]
        found += [drawn[key][:, :, i] for key in ("delta", "sigma") for i in (0, -1)]
        # Every chain twice, far apart: draws that hardly know of each other.
        thinned = np.stack([values[:, [0, APART]].ravel() for values in found])
        ranks.append((thinned < np.array(truth)[:, None]).sum(axis=1))
    counts = 2 * CHAINS + 1
    for column in np.array(ranks).T:
        # Ranks 0 … 64 do not divide evenly, so each is spread over its own width at random.
        position = (column + rng.random(TRIALS)) / counts
        observed = np.histogram(position, bins=BINS, range=(0, 1))[0]
        assert stats.chisquare(observed).pvalue > 0.001, observed
