"""The test of all algorithms at once keeps its level where scores are missing at random.

A rate is held against the 99.9 % interval around α. By random orders the level is exact, so that
it is held from both sides; χ² only comes near it, and from below.
"""

import numpy as np
import pytest
from scipy.stats import binom

from palio.stats.incomplete import skillings_mack
from palio.types import FloatArray

pytestmark = pytest.mark.slow

ALPHA = 0.05


def drawn(rng: np.random.Generator, n: int, k: int, gaps: float, levels: int | None) -> FloatArray:
    """Draw scores of equals, of few levels or all different, on data sets that differ."""
    scores = rng.normal(size=(n, k)) if levels is None else rng.integers(0, levels, (n, k))
    scores = scores + 10.0 * rng.normal(size=(n, 1))
    scores[rng.random((n, k)) < gaps] = np.nan
    return scores


@pytest.mark.parametrize("levels", [None, 4])
@pytest.mark.parametrize("gaps", [0.1, 0.4])
@pytest.mark.parametrize(("n", "k"), [(30, 6), (60, 12)])
def test_level_by_chi_square(n: int, k: int, gaps: float, levels: int | None) -> None:
    trials = 4000
    rng = np.random.default_rng(list(f"{n} {k} {gaps} {levels}".encode()))
    p = [float(skillings_mack(drawn(rng, n, k, gaps, levels)).p_value) for _ in range(trials)]
    rate = float(np.mean(np.array(p) <= ALPHA))
    assert 0.7 * ALPHA <= rate <= binom.ppf(0.9995, trials, ALPHA) / trials


@pytest.mark.parametrize("levels", [None, 4])
@pytest.mark.parametrize("gaps", [0.1, 0.4])
@pytest.mark.parametrize(("n", "k"), [(8, 4), (30, 6)])
def test_level_by_random_orders(n: int, k: int, gaps: float, levels: int | None) -> None:
    trials = 3000
    rng = np.random.default_rng(list(f"{n} {k} {gaps} {levels} orders".encode()))
    p = [
        float(skillings_mack(drawn(rng, n, k, gaps, levels), n_resamples=199, seed=seed).p_value)
        for seed in range(trials)
    ]
    rate = float(np.mean(np.array(p) <= ALPHA))
    low, high = (binom.ppf(mass, trials, ALPHA) / trials for mass in (0.0005, 0.9995))
    assert low <= rate <= high


def test_finds_what_differs() -> None:
    """Not for nothing: one of six is better by one standard deviation."""
    rng = np.random.default_rng(1)
    better = np.array([1.0, 0, 0, 0, 0, 0])
    p = [float(skillings_mack(drawn(rng, 30, 6, 0.4, None) + better).p_value) for _ in range(200)]
    assert np.mean(np.array(p) <= ALPHA) > 0.5
