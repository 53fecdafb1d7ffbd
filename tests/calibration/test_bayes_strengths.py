"""Simulation-based calibration of Bradley–Terry and Plackett–Luce (Talts and others 2018).

Strengths from the prior, data from the model: the rank of the truth among posterior draws is
uniform.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from palio.bayes.draws import Draws
from palio.bayes.models.bradley_terry import (
    choices_of_wins,
    replicated_wins,
)
from palio.bayes.models.plackett_luce import (
    choices_of_ranks,
    replicated_ranks,
)
from palio.bayes.models.strengths import (
    draw_strengths,
)
from palio.types import FloatArray

pytestmark = pytest.mark.slow

TRIALS = 600
DRAWS = 99
BINS = 20
ALGORITHMS = 4
SCALE = 0.5

Fit = Callable[[FloatArray, int, np.random.Generator], Draws]


def _bradley_terry(strength: FloatArray, n: int, rng: np.random.Generator) -> Draws:
    games = np.full((ALGORITHMS, ALGORITHMS), float(n)) - n * np.eye(ALGORITHMS)
    wins = replicated_wins(strength, games, rng)
    return draw_strengths(choices_of_wins(wins), rng, draws=2000, scale=SCALE)


def _plackett_luce(strength: FloatArray, n: int, rng: np.random.Generator) -> Draws:
    ranks = replicated_ranks(strength, np.zeros((n, ALGORITHMS)), rng)
    return draw_strengths(choices_of_ranks(ranks), rng, draws=2000, scale=SCALE)


@pytest.mark.parametrize("n", [1, 8, 60])
@pytest.mark.parametrize("fit", [_bradley_terry, _plackett_luce])
def test_ranks_of_the_truth_are_uniform(fit: Fit, n: int) -> None:
    rng = np.random.default_rng(n)
    ranks = np.empty((TRIALS, 4), dtype=np.intp)
    for trial in range(TRIALS):
        sigma = np.exp(SCALE * rng.normal())
        strength = sigma * rng.normal(size=ALGORITHMS)
        strength -= strength.mean()
        found = fit(strength, n, rng)
        chains, length = found.values["sigma"].shape
        rows = np.linspace(0, chains * length - 1, DRAWS).astype(int)
        drawn = found.values["strength"].reshape(-1, ALGORITHMS)[rows]
        ranks[trial] = (
            (found.values["sigma"].ravel()[rows] < sigma).sum(),
            (drawn[:, 0] < strength[0]).sum(),
            (drawn[:, 1] - drawn[:, 2] < strength[1] - strength[2]).sum(),
            (drawn.max(axis=1) < strength.max()).sum(),
        )
    for quantity in range(4):
        counts = np.bincount(ranks[:, quantity] * BINS // (DRAWS + 1), minlength=BINS)
        assert stats.chisquare(counts).pvalue > 0.001
