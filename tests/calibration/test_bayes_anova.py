"""Bayesian ANOVA by simulation: parameters from the prior, scores from the model.

The rank of a true parameter among independent draws of its posterior is uniform, whatever the
table (simulation-based calibration, Talts and others 2018).
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from palio.bayes.models.anova_model import DF_MEAN, ERROR_HIGH, ERROR_LOW, RATE, SHAPE, Unit
from palio.bayes.models.anova_normal import draw_normal, exact_pairs
from palio.bayes.models.anova_robust import draw_gibbs

pytestmark = pytest.mark.slow

Floats = NDArray[np.float64]

UNIT = Unit(0.0, 1.0)
RANKS = 99


def simulate(
    trials: int, n_datasets: int, n_algorithms: int, rng: np.random.Generator, *, robust: bool
) -> tuple[Floats, dict[str, Floats]]:
    """Return tables (trials, S, K) and the parameters that they come from."""
    sd_error = rng.uniform(ERROR_LOW, ERROR_HIGH, trials)
    sd_algorithm, sd_dataset = rng.gamma(SHAPE, 1 / RATE, (2, trials))
    beta = 5 * rng.normal(size=trials)
    alpha = sd_algorithm[:, None] * rng.normal(size=(trials, n_algorithms))
    delta = sd_dataset[:, None] * rng.normal(size=(trials, n_datasets))
    df = DF_MEAN * rng.standard_exponential(trials)
    shape = (trials, n_datasets, n_algorithms)
    errors = rng.standard_t(df[:, None, None], size=shape) if robust else rng.normal(size=shape)
    scores = (beta[:, None] + delta)[:, :, None] + alpha[:, None, :]
    scores = scores + sd_error[:, None, None] * errors
    truth = {
        "grand_mean": beta + alpha.mean(axis=1) + delta.mean(axis=1),
        "first": alpha[:, 0] - alpha.mean(axis=1),
        "gap": alpha[:, 0] - alpha[:, 1],
        "sd_error": sd_error,
        "sd_algorithm": sd_algorithm,
        "sd_dataset": sd_dataset,
    }
    return scores, {**truth, "df": df} if robust else truth


def assert_uniform(truth: dict[str, Floats], drawn: dict[str, Floats]) -> None:
    """Compare the ranks of the truth (trials,) among draws (trials, 99) with a uniform law."""
    for name, value in truth.items():
        ranks = (drawn[name] < value[:, None]).sum(axis=1)
        counts = np.bincount(ranks // 5, minlength=20)
        assert stats.chisquare(counts).pvalue > 0.001, (name, counts)


@pytest.mark.parametrize("shape", [(5, 3), (1, 2)])
def test_independent_draws(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    scores, truth = simulate(400, *shape, rng, robust=False)
    drawn: dict[str, list[Floats]] = {name: [] for name in truth}
    for table in scores:
        found, _ = draw_normal(table, unit=UNIT, draws=RANKS, chains=1, rng=rng, keep=1)
        effects = found.values["algorithm"][0]
        values = {**found.values, "first": effects[None, :, 0]}
        values["gap"] = effects[None, :, 0] - effects[None, :, 1]
        for name, kept in drawn.items():
            kept.append(values[name][0])
    assert_uniform(truth, {name: np.stack(kept) for name, kept in drawn.items()})


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("shape", [(6, 4), (3, 2)])
def test_gibbs_sampling(robust: bool, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    scores, truth = simulate(600, *shape, rng, robust=robust)
    # Errors of hardly any degrees of freedom are astronomical. What is left out depends on the
    # scores only, so the truth of the others is still a draw from their posterior.
    sane = np.abs(scores).max(axis=(1, 2)) < 300
    scores, truth = scores[sane], {name: value[sane] for name, value in truth.items()}
    # Every table lacks some scores, never a whole data set.
    gaps = rng.random(scores.shape) < 0.15
    gaps[:, :, 0] = False
    scores[gaps] = np.nan
    thin = 20
    found, _ = draw_gibbs(
        scores,
        unit=UNIT,
        robust=robust,
        draws=RANKS * thin,
        chains=len(scores),
        rng=rng,
        warmup=400,
        keep=1,
    )
    effects = found.values["algorithm"]
    drawn = {**found.values, "first": effects[..., 0], "gap": effects[..., 0] - effects[..., 1]}
    assert_uniform(truth, {name: drawn[name][:, thin - 1 :: thin] for name in truth})


def test_probabilities_of_pairs_come_true() -> None:
    """Of pairs that are practically equal with probability p, a share p is."""
    rng = np.random.default_rng(3)
    scores, truth = simulate(2000, 8, 3, rng, robust=False)
    stated = np.array([exact_pairs(table, unit=UNIT, rope=0.5, nodes=40)[0] for table in scores])
    happened = np.stack(
        [truth["gap"] > 0.5, np.abs(truth["gap"]) <= 0.5, truth["gap"] < -0.5], axis=1
    )
    for region in range(3):
        p = stated[:, region]
        for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1.01)):
            here = (p >= low) & (p < high)
            error = np.sqrt(np.sum(p[here] * (1 - p[here])))
            assert abs(happened[here, region].sum() - p[here].sum()) < 3.5 * error
