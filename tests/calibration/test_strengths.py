"""Intervals and sets of ranks of strengths cover, where the games of a data set are correlated."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import stdtrit

from palio.stats.rank_sets import rank_sets
from palio.stats.ranks import ranks_of_present
from palio.stats.strengths import fit_strengths, games_of_ranks, over_datasets, told_apart
from palio.types import FloatArray

pytestmark = pytest.mark.slow

TRIALS = 400


class Situation(NamedTuple):
    """Algorithms, data sets, what families of four share, and the share of gaps at random."""

    k: int
    n: int
    shared: float
    gaps: float


def drawn(
    rng: np.random.Generator, strength: FloatArray, situation: Situation, n: int
) -> FloatArray:
    """Rank scores with a common luck per data set; with nothing shared it is Plackett and Luce's.

    Then strengths are log-odds exactly, yet who is lucky on a data set wins all its games there.
    """
    k, shared = situation.k, situation.shared
    family = rng.gumbel(size=(n, k // 4 + 1))[:, np.arange(k) // 4]
    scores = strength + shared * family + (1 - shared) * rng.gumbel(size=(n, k))
    scores[rng.random(scores.shape) < situation.gaps] = np.nan
    return ranks_of_present(-scores)[0]


@pytest.mark.parametrize(
    "situation",
    [
        Situation(8, 12, 0.0, 0.0),
        Situation(8, 40, 0.0, 0.6),
        Situation(20, 30, 0.0, 0.5),
        Situation(20, 40, 0.7, 0.0),
        Situation(20, 40, 0.7, 0.5),
    ],
)
def test_intervals_cover_where_data_sets_are_independent(situation: Situation) -> None:
    """Between 93 and 97 % over all strengths; games as units cover much less."""
    rng = np.random.default_rng(0)
    strength = np.linspace(-1.2, 1.2, situation.k)
    # What the games say in the long run: log-odds of families are no differences of strengths.
    truth = fit_strengths(games_of_ranks(drawn(rng, strength, situation, 30_000))).values
    by_datasets, by_games = np.zeros(situation.k), np.zeros(situation.k)
    for _ in range(TRIALS):
        ranks = drawn(rng, strength, situation, situation.n)
        found = fit_strengths(games_of_ranks(ranks))
        away = np.abs(found.values - truth)
        spread = np.sqrt(np.diagonal(over_datasets(found, ranks)))
        by_datasets += away < stdtrit(np.isfinite(ranks).sum(axis=0), 0.975) * spread
        by_games += away < 1.96 * np.sqrt(np.diagonal(found.covariance))
    assert 0.93 < by_datasets.mean() / TRIALS < 0.97
    assert by_games.mean() / TRIALS < 0.90


@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("gaps", [0.0, 0.4])
def test_sets_of_ranks_hold_all_at_once(equal: bool, gaps: float) -> None:
    """With all equal any decision is wrong; with some apart, some equal, sets must hold."""
    situation = Situation(10, 30, 0.0, gaps)
    rng = np.random.default_rng(1)
    strength = np.zeros(10) if equal else np.repeat([1.0, 0.0, 0.0, 0.0, -1.0], 2)
    true = 1 + (strength[:, np.newaxis] > strength).sum(axis=0)
    held = 0
    for _ in range(TRIALS):
        ranks = drawn(rng, strength, situation, 30)
        found = fit_strengths(games_of_ranks(ranks))
        n = np.isfinite(ranks).sum(axis=0).astype(float)
        better = told_apart(found.values, over_datasets(found, ranks), n)
        low, high = rank_sets(better).T
        held += bool((low <= true).all() and (true <= high).all())
    # Four standard errors below 95 %; with all equal it is exactly the family of all pairs.
    assert held / TRIALS > 0.95 - 4 * np.sqrt(0.95 * 0.05 / TRIALS)
