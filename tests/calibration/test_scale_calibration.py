"""On ratio scales and with holes the default comparison keeps its level, and rank sets cover.

A rate is held against the 99.9 % interval around what it should be: from above for false findings,
from below for coverage, which may be larger.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import palio
from palio.scores import ScoreTable
from palio.types import FloatArray

pytestmark = pytest.mark.slow

ALPHA, TRIALS, K = 0.05, 1500, 4
HOLES = ("none", "scattered", "blocks")


def table(rng: np.random.Generator, effects: FloatArray, holes: str, tiny: float) -> ScoreTable:
    """Draw RMSE in a unit of its own for each data set; some so small that they are floored."""
    n = 24
    logs = rng.normal(size=(n, K)) - effects + rng.normal(0, 4, (n, 1))
    values = np.exp(logs)
    values[rng.random((n, K)) < tiny] *= 1e-12
    if holes == "scattered":
        values[rng.random((n, K)) < 0.3] = np.nan
    elif holes == "blocks":
        values[:8, 0], values[-8:, 1] = np.nan, np.nan
    names = [f"a{i}" for i in range(K)]
    return ScoreTable.from_arrays(
        values, datasets=[f"d{i}" for i in range(n)], algorithms=names, measure="rmse"
    )


@pytest.mark.parametrize("tiny", [0.0, 0.1])
@pytest.mark.parametrize("holes", HOLES)
def test_false_findings_are_as_rare_as_the_level(holes: str, tiny: float) -> None:
    rng = np.random.default_rng(list(f"{holes} {tiny}".encode()))
    wrong = sum(
        palio.compare(table(rng, np.zeros(K), holes, tiny)).n_different > 0 for _ in range(TRIALS)
    )
    assert wrong / TRIALS <= binom.ppf(0.9995, TRIALS, ALPHA) / TRIALS


@pytest.mark.parametrize("effects", [(0.0, 0.0, 0.0, 0.0), (0.0, 0.4, 0.8, 1.2), (0.0, 0.0, 2, 2)])
@pytest.mark.parametrize("holes", HOLES)
def test_rank_sets_cover_all_true_ranks(holes: str, effects: tuple[float, ...]) -> None:
    rng, truth = np.random.default_rng(list(f"{holes} {effects}".encode())), np.array(effects)
    ahead = (truth > truth[:, np.newaxis]).sum(axis=1)
    behind = (truth < truth[:, np.newaxis]).sum(axis=1)
    covered = 0
    for _ in range(TRIALS):
        sets = palio.compare(table(rng, truth, holes, 0.0)).rank_sets
        assert sets is not None
        ends = np.array(list(sets.values()))
        covered += bool(((ends[:, 0] <= 1 + ahead) & (ends[:, 1] >= K - behind)).all())
    assert covered / TRIALS >= binom.ppf(0.0005, TRIALS, 1 - ALPHA) / TRIALS


def test_differences_are_found() -> None:
    """Not for nothing: a chain of algorithms a standard deviation apart."""
    rng = np.random.default_rng(0)
    found = [
        palio.compare(table(rng, np.arange(K, dtype=np.float64), "scattered", 0.0)).n_different
        for _ in range(100)
    ]
    assert np.mean(found) > 3
