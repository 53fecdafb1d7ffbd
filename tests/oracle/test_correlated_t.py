"""The Bayesian correlated t test against PyMC: a multivariate normal, and flat priors.

p(μ, σ²) ∝ 1/σ² is flat in μ and log σ.
"""

from typing import Any

import numpy as np

from palio.bayes.models.correlated_t import correlated_t
from palio.scores import ScoreTable
from tests.oracle.engine import MARKS, Answer, Oracle, assert_agree, differences, pymc
from tests.oracle.folds import correlation_root

pytestmark = MARKS

DRAWS = 80_000
ROPE = 0.01
FOLDS = 10


def _table(kind: str) -> tuple[ScoreTable, float]:
    """Return 10 folds of 3 algorithms on a data set, and the correlation of differences."""
    rng = np.random.default_rng(5)
    # The folds of all algorithms are equally hard; what is left differs.
    hard = rng.normal(scale=0.03, size=FOLDS)
    noise = rng.standard_t(1.2, (3, FOLDS)) if kind == "heavy" else rng.normal(size=(3, FOLDS))
    scores = 0.8 + np.array([[0.0], [0.01], [0.025]]) + hard + 0.02 * noise
    shape, rho = ((5, 2), 0.5) if kind == "5x2" else ((1, FOLDS), 0.1)
    table = ScoreTable.from_arrays(
        scores.reshape(1, 3, *shape),
        datasets=["iris"],
        algorithms=list("abc"),
        measure="error" if kind == "5x2" else "accuracy",
    )
    return table, rho


def _data(table: ScoreTable, rho: float) -> dict[str, Any]:
    scores = table.fold_scores("iris").reshape(3, FOLDS)
    sign = 1.0 if table.measure.higher_is_better else -1.0
    return {"x": sign * differences(scores.T).T, "root": correlation_root(FOLDS, rho)}


def _model(data: dict[str, Any]) -> Any:
    pm = pymc()
    with pm.Model() as model:
        x, root = (pm.Data(name, value) for name, value in data.items())
        mu = pm.Flat("μ", shape=3)
        log_sigma = pm.Flat("log σ", shape=3)
        pm.MvNormal(
            "folds",
            mu=mu[:, None] * np.ones(FOLDS),
            chol=pm.math.exp(log_sigma)[:, None, None] * root,
            observed=x,
        )
    return model


def test_probabilities_are_those_of_pymc() -> None:
    oracle = Oracle.of(_model(_data(*_table("ordinary"))))
    for kind in ("ordinary", "heavy", "5x2"):
        table, rho = _table(kind)
        drawn = oracle.draw(_data(table, rho), draws=DRAWS)
        answer = Answer.by_difference(drawn["μ"], ROPE)
        assert_agree(correlated_t(table, rope=ROPE), answer, kind)
