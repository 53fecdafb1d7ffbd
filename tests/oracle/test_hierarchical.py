"""The hierarchical model against PyMC, with every parameter of the paper drawn.

Palio never draws α and β of the prior of ν, nor sees more of the folds than their means and
squares; here every fold is seen.
"""

from typing import Any

import numpy as np
from scipy.special import stdtr

from palio.bayes.models.hierarchical import hierarchical
from palio.scores import ScoreTable
from palio.types import FloatArray
from tests.oracle.engine import (
    MARKS,
    Answer,
    Oracle,
    assert_agree,
    assert_same_scale,
    differences,
    most_probable,
    pymc,
)
from tests.oracle.folds import correlation_root

pytestmark = MARKS

DRAWS = 80_000
ROPE = 0.02
DATASETS, FOLDS = 8, 6


def _table(kind: str) -> ScoreTable:
    """Return 8 data sets for every pair of 3 algorithms, two of them unlike the others, or gaps.

    3×2 cv; with gaps 6-fold, and each algorithm has one on a data set of its own, so that every
    pair loses two of ten.
    """
    rng = np.random.default_rng(8)
    gaps = kind == "gaps"
    n = DATASETS + 2 * gaps
    level = 0.5 + np.array([0.0, 0.01, 0.02]) + 0.02 * rng.normal(size=(n, 3))
    if kind == "heavy":
        level[:2] += [[0.0, -0.3, 0.1], [0.1, 0.0, 0.2]]
    spread = rng.uniform(0.001, 0.005, size=(n, 1, 1))
    scores = level[:, :, None] + spread * rng.normal(size=(n, 3, FOLDS))
    if gaps:
        scores[range(3), range(3)] = np.nan
    return ScoreTable.from_arrays(
        scores.reshape(n, 3, *((1, 6) if gaps else (3, 2))),
        datasets=[f"d{i}" for i in range(n)],
        algorithms=list("abc"),
        measure="error" if gaps else "accuracy",
        missing="pairwise" if gaps else "error",
    )


def _folds(table: ScoreTable) -> FloatArray:
    """Return the differences of the pairs on the folds, more is better: (P, S, n)."""
    scores = table.to_frame()[table.measure.name].to_numpy().reshape(-1, 3, FOLDS)
    found = np.moveaxis(differences(np.swapaxes(scores, 1, 2)), -1, 0)
    return found if table.measure.higher_is_better else -found


def _data(x: FloatArray, rho: float) -> dict[str, Any]:
    """Return the folds of a pair (S, n), and the scales of the priors."""
    x, root = x[~np.isnan(x).any(axis=1)], correlation_root(FOLDS, rho)
    return {
        "x": np.linalg.solve(root, x.T).T,
        "ones": np.linalg.solve(root, np.ones(FOLDS)),
        "s": x.std(axis=1).mean(),
        "s0": x.mean(axis=1).std(),
        "m": np.abs(x).max(),
    }


def _model(data: dict[str, Any]) -> Any:
    pm = pymc()
    with pm.Model() as model:
        x, ones, s, s0, m = (pm.Data(name, value) for name, value in data.items())
        alpha = pm.Uniform("α", 0.5, 5)
        beta = pm.Uniform("β", 0.05, 0.15)
        nu = pm.Deterministic("ν", 1 + pm.Gamma("g", alpha, beta))
        delta0 = pm.Uniform("δ₀", -m, m)
        tau0 = pm.Uniform("τ₀", 0, 1000 * s0)
        sigma = pm.Uniform("σ", 0, 1000 * s, shape=DATASETS)
        delta = pm.StudentT("δ", nu=nu, mu=delta0, sigma=tau0, shape=DATASETS)
        # Turned by the inverse root of their correlations, the folds are independent.
        pm.Normal("turned", delta[:, None] * ones, sigma[:, None], observed=x)
    return model


def _regions(drawn: dict[str, FloatArray]) -> FloatArray:
    """Return how probable the next data set is above, in and below the region: (…, 3)."""
    delta0, tau0, nu = drawn["δ₀"], drawn["τ₀"], drawn["ν"]
    below, up_to = (stdtr(nu, (edge - delta0) / tau0) for edge in (-ROPE, ROPE))
    return np.stack([1 - up_to, up_to - below, below], axis=-1)


def test_probabilities_are_those_of_pymc() -> None:
    oracle = Oracle.of(_model(_data(_folds(_table("ordinary"))[0], 1 / 2)))
    for kind, rho in (("ordinary", 1 / 2), ("heavy", 1 / 2), ("gaps", 1 / 6)):
        table = _table(kind)
        drawn = [oracle.draw(_data(x, rho), draws=DRAWS) for x in _folds(table)]
        regions = np.stack([_regions(pair) for pair in drawn], axis=2)
        answer = Answer.by_share(most_probable(regions))
        found = hierarchical(table, rope=ROPE, draws=DRAWS, chains=100)
        assert_agree(found, answer, kind)
        for p, pair in enumerate(drawn):
            for ours, theirs in (("tau0", "τ₀"), ("nu", "ν")):
                what = f"{theirs} of pair {p}, {kind}"
                assert_same_scale(found.draws.values[ours][:, :, p], pair[theirs], what)
