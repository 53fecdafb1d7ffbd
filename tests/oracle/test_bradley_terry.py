"""Bradley–Terry against PyMC: K independent strengths, one term per game."""

from itertools import permutations
from typing import Any

import numpy as np
from scipy.special import expit

from palio.bayes.models.bradley_terry import Ties, bradley_terry
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
from tests.oracle.tables import RANKED_KINDS, goodness, table_of

pytestmark = MARKS

DRAWS = 200_000
ROPE = 0.1


def _data(table: ScoreTable, *, tie: float = 0.5) -> dict[str, Any]:
    """Return who met whom, and what the game counts for the first: 1 if won, ``tie`` if tied."""
    games = [
        (i, j, 1.0 if row[i] > row[j] else tie)
        for row in goodness(table)
        for i, j in permutations(np.flatnonzero(~np.isnan(row)).tolist(), 2)
        if row[i] >= row[j]
    ]
    first, second, share = np.transpose(games)
    return {"i": first.astype(int), "j": second.astype(int), "share": share}


def _model(table: ScoreTable) -> Any:
    pm = pymc()
    with pm.Model() as model:
        i, j, share = (pm.Data(name, value) for name, value in _data(table).items())
        sigma = pm.LogNormal("σ", 0, 0.5)
        beta = pm.Normal("β", 0, sigma, shape=table.n_algorithms)
        won = pm.math.log(pm.math.sigmoid(beta[i] - beta[j]))
        pm.Potential("games", (share * won).sum())
    return model


def test_probabilities_are_those_of_pymc() -> None:
    oracle = Oracle.of(_model(table_of("ordinary")))
    cases: list[tuple[str, Ties]] = [(kind, "half") for kind in RANKED_KINDS]
    for kind, ties in [*cases, ("ordinary", "forget")]:
        table = table_of(kind)
        drawn = oracle.draw(_data(table, tie=0.5 if ties == "half" else 0.0), draws=DRAWS)
        beats = expit(differences(drawn["β"]))
        answer = Answer.by_difference(beats - 0.5, ROPE)
        found = bradley_terry(table, rope=ROPE, ties=ties, draws=DRAWS)
        assert_agree(found, answer, f"{kind}, ties {ties}")
        assert_same_scale(found.draws.values["sigma"], drawn["σ"], f"σ of {kind}, ties {ties}")
