"""Plackett–Luce against PyMC: K independent strengths, every order of every tie written out."""

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
from scipy.special import expit

from palio.bayes.models.plackett_luce import plackett_luce
from palio.scores import ScoreTable
from palio.types import FloatArray
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


def _orders(row: FloatArray) -> Iterator[tuple[int, ...]]:
    """Yield the orders of a row's algorithms, best first, that its scores allow."""
    places = [np.flatnonzero(row == score).tolist() for score in np.unique(row[row == row])[::-1]]
    for order in product(*(permutations(tied) for tied in places)):
        yield tuple(i for tied in order for i in tied)


def _data(table: ScoreTable) -> dict[str, Any]:
    """Return every choice: who was chosen, from whom (a row of 0 and 1), and its weight."""
    chosen, among, weight = [], [], []
    for row in goodness(table):
        orders = list(_orders(row))
        for order in orders:
            for place, best in enumerate(order):
                chosen.append(best)
                among.append(np.isin(np.arange(row.size), order[place:]).astype(float))
                weight.append(1 / len(orders))
    return {"chosen": np.array(chosen), "among": np.array(among), "weight": np.array(weight)}


def _model(table: ScoreTable) -> Any:
    pm = pymc()
    with pm.Model() as model:
        chosen, among, weight = (pm.Data(name, value) for name, value in _data(table).items())
        sigma = pm.LogNormal("σ", 0, 0.5)
        beta = pm.Normal("β", 0, sigma, shape=table.n_algorithms)
        total = (among * pm.math.exp(beta)).sum(axis=1)
        pm.Potential("choices", (weight * (beta[chosen] - pm.math.log(total))).sum())
    return model


def test_probabilities_are_those_of_pymc() -> None:
    oracle = Oracle.of(_model(table_of("ordinary")))
    for kind in RANKED_KINDS:
        table = table_of(kind)
        drawn = oracle.draw(_data(table), draws=DRAWS)
        before = expit(differences(drawn["β"]))
        answer = Answer.by_difference(before - 0.5, ROPE)
        found = plackett_luce(table, rope=ROPE, draws=DRAWS)
        assert_agree(found, answer, kind)
        assert_same_scale(found.draws.values["sigma"], drawn["σ"], f"σ of {kind}")
