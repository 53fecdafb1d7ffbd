"""Tables with holes, against sources of their own: R's tests, ranks one by one, a general fit."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import rankdata

import palio
from palio.scores import ScoreTable
from palio.stats.incomplete import skillings_mack
from palio.types import FloatArray

NAN = np.nan

# Hollander and Wolfe (1999), example 7.8: a metronome and fluency of speech (Brady 1969), as in the
# help pages of R's NSM3 (pSkilMack) and PMCMRplus (skillingsMackTest).
RHYTHM = np.array(
    [[3, 5, 15], [1, 3, 18], [5, 4, 21], [2, NAN, 6], [0, 2, 17], [0, 2, 10], [0, 3, 8], [0, 2, 13]]
)
# From tlsfuzzer's tests of its own Skillings–Mack test: five groups, and one tie in the third row.
TIED = np.array(
    [
        [3, 5, 15, NAN, 4],
        [1, 3, NAN, NAN, NAN],
        [5, 4, 21, 5, NAN],
        [2, NAN, 6, NAN, NAN],
        [0, 2, 17, NAN, NAN],
        [0, 2, 10, NAN, NAN],
        [0, 3, NAN, 5, NAN],
        [0, 2, 13, NAN, NAN],
    ]
)


def test_skillings_mack_in_r() -> None:
    """PMCMRplus gives 13.28095 and p = 0.001306405."""
    outcome = skillings_mack(RHYTHM)
    assert float(outcome.statistic) == pytest.approx(13.28095, abs=5e-6)
    assert float(outcome.p_value) == pytest.approx(0.001306405, abs=5e-10)
    assert outcome.df == (2.0,)


def by_definition(values: FloatArray, *, ties: bool) -> float:
    """Return Skillings and Mack's statistic; the covariance by every order within a data set.

    Without ``ties`` it is that of ranks 1 … m, whatever the ranks are.
    """
    k = values.shape[1]
    total, covariance = np.zeros(k), np.zeros((k, k))
    for row in values:
        there = np.flatnonzero(~np.isnan(row))
        m = there.size
        weight = np.sqrt(12 / (m + 1))
        ranks = rankdata(row[there])
        total[there] += weight * (ranks - (m + 1) / 2)
        counted = ranks if ties else np.arange(1.0, m + 1)
        orders = weight * np.array(list(itertools.permutations(counted)))
        covariance[np.ix_(there, there)] += np.cov(orders.T, bias=True)
    return float(total @ np.linalg.pinv(covariance) @ total)


def test_skillings_mack_takes_ties_as_they_are() -> None:
    """As published, ties do not enter the covariance: 12.53551. Ours is Friedman's if complete."""
    assert by_definition(TIED, ties=False) == pytest.approx(12.53551, abs=5e-6)
    outcome = skillings_mack(TIED)
    assert float(outcome.statistic) == pytest.approx(by_definition(TIED, ties=True), rel=1e-12)
    assert outcome.df == (4.0,)


def with_holes(seed: int, gaps: float, *, n: int = 40, k: int = 7) -> FloatArray:
    """Scores with ties and holes; lower is better."""
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(n, k)) + np.linspace(0, 1, k), 1)
    values[rng.random((n, k)) < gaps] = NAN
    return values


def table_of(values: FloatArray) -> ScoreTable:
    n, k = values.shape
    names = [f"d{i}" for i in range(n)], [f"a{j}" for j in range(k)]
    return ScoreTable.from_arrays(
        values, datasets=names[0], algorithms=names[1], measure="error", missing="pairwise"
    )


@pytest.mark.parametrize("gaps", [0.1, 0.4])
def test_mean_ranks_by_a_general_least_squares_fit(gaps: float) -> None:
    """Ranks/(m + 1), additive in data set and algorithm, by NumPy's solver of any equations."""
    values = with_holes(5, gaps)
    n, k = values.shape
    equations, scaled = [], []
    for i, row in enumerate(values):
        there = np.flatnonzero(~np.isnan(row))
        if there.size > 1:
            for j, rank in zip(there, rankdata(row[there]), strict=True):
                equations.append(np.eye(n + k)[i] + np.eye(n + k)[n + j])
                scaled.append(rank / (there.size + 1))
    effects = np.linalg.lstsq(np.array(equations), np.array(scaled), rcond=None)[0]
    used = np.array(equations)[:, :n].any(axis=0)
    expected = (k + 1) * (effects[:n][used].mean() + effects[n:])
    found = list(palio.compare(table_of(values)).mean_ranks.values())
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_strengths_by_a_general_fit() -> None:
    """Bradley and Terry's likelihood, a tie half a win for each, by SciPy's minimiser."""
    values = with_holes(6, 0.6)
    k = values.shape[1]
    wins = np.zeros((k, k))
    for row in values:
        for i, j in itertools.permutations(np.flatnonzero(~np.isnan(row)), 2):
            wins[i, j] += 1.0 if row[i] < row[j] else 0.5 if row[i] == row[j] else 0.0

    def unlikelihood(strength: FloatArray) -> float:
        return float((wins * np.logaddexp(0, strength - strength[:, None])).sum())

    fit = minimize(unlikelihood, np.zeros(k), method="BFGS", options={"gtol": 1e-9}).x
    strengths = palio.rank(table_of(values), method="bradley-terry").scores
    found = [strengths[f"a{j}"] for j in range(k)]
    np.testing.assert_allclose(found, fit - fit.mean(), atol=1e-5)
