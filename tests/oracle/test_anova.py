"""Bayesian ANOVA against PyMC: eq. 2 of wainer2016 as it is printed.

The scores cannot tell β, ᾱ and δ̄ apart, so the grand mean μ = β + ᾱ + δ̄ is drawn in the place of
β: a shift, which changes no density. Nothing is integrated out.
"""

from typing import Any

import numpy as np
import pytest

from palio.bayes.models.anova import anova
from palio.scores import ScoreTable
from tests.oracle.engine import (
    MARKS,
    Answer,
    Oracle,
    assert_agree,
    assert_same_scale,
    differences,
    pymc,
)
from tests.oracle.tables import KINDS, ROPE, table_of

pytestmark = MARKS

DRAWS = 80_000
SCALES = {"sd_error": "σ_0", "sd_algorithm": "σ_a", "sd_dataset": "σ_d", "df": "ν"}


def _data(table: ScoreTable) -> dict[str, Any]:
    """Return the scores that are there, and where; m and s of the prior."""
    scores = table.means()
    dataset, algorithm = np.nonzero(~np.isnan(scores))
    y = scores[dataset, algorithm]
    return {"y": y, "d": dataset, "a": algorithm, "m": y.mean(), "s": y.std(ddof=1)}


def _model(table: ScoreTable, *, robust: bool) -> Any:
    pm = pymc()
    with pm.Model() as model:
        y, d, a, m, s = (pm.Data(name, value) for name, value in _data(table).items())
        # The gamma distribution of mode s/2 and standard deviation 2 s.
        rate = (s / 2 + pm.math.sqrt(s**2 / 4 + 16 * s**2)) / (8 * s**2)
        sigma_a, sigma_d = (pm.Gamma(name, 1 + rate * s / 2, rate) for name in ("σ_a", "σ_d"))
        alpha = pm.Normal("α", 0, sigma_a, shape=table.n_algorithms)
        delta = pm.Normal("δ", 0, sigma_d, shape=table.n_datasets)
        grand = pm.Flat("grand", initval=0.7)
        beta = grand - alpha.mean() - delta.mean()
        pm.Potential("β", pm.logp(pm.Normal.dist(m, 5 * s), beta))
        fit = beta + alpha[a] + delta[d]
        sigma_0 = pm.Uniform("σ_0", s / 100, 10 * s)
        if robust:
            nu = pm.Exponential("ν", scale=30)
            pm.StudentT("scores", nu=nu, mu=fit, sigma=sigma_0, observed=y)
        else:
            pm.Normal("scores", fit, sigma_0, observed=y)
    return model


@pytest.mark.parametrize("robust", [False, True])
def test_probabilities_are_those_of_pymc(robust: bool) -> None:
    oracle = Oracle.of(_model(table_of("ordinary"), robust=robust))
    for kind in KINDS:
        table = table_of(kind)
        drawn = oracle.draw(_data(table), draws=DRAWS)
        sign = 1.0 if table.measure.higher_is_better else -1.0
        answer = Answer.by_difference(sign * differences(drawn["α"]), ROPE)
        found = anova(table, rope=ROPE, robust=robust, draws=DRAWS, chains=100)
        assert_agree(found, answer, kind)
        for ours, theirs in SCALES.items():
            if theirs in drawn:
                assert_same_scale(found.draws.values[ours], drawn[theirs], f"{theirs} of {kind}")
