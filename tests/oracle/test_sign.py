"""The Bayesian sign test against Dirichlet draws from counts made one by one."""

from itertools import combinations

import numpy as np
import pytest

from palio.bayes.models.sign import sign
from tests.oracle.engine import Answer, assert_agree, most_probable
from tests.oracle.tables import KINDS, ROPE, goodness, table_of

pytestmark = pytest.mark.slow

DRAWS = 100_000
PLACES = {"rope": (0, 1, 0), "a": (1, 0, 0), "b": (0, 0, 1), "equal": (1 / 3, 1 / 3, 1 / 3)}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_are_those_of_counts(kind: str, place: str) -> None:
    table, rng = table_of(kind), np.random.default_rng(2)
    regions = np.zeros((4, DRAWS // 4, 6, 3))
    for p, (i, j) in enumerate(combinations(range(4), 2)):
        parameters = 2 * np.array(PLACES[place], dtype=float)
        for row in goodness(table):
            # Scores have two digits: whole hundredths know no rounding.
            gap = np.round(100 * row[i]) - np.round(100 * row[j])
            if not np.isnan(gap):
                parameters[0 if gap > 100 * ROPE else 2 if gap < -100 * ROPE else 1] += 1
        there = parameters > 0
        regions[:, :, p, there] = rng.dirichlet(parameters[there], (4, DRAWS // 4))
    answer = Answer.by_share(most_probable(regions))
    found = sign(table, rope=ROPE, prior_strength=2, prior_place=place, draws=DRAWS)
    assert_agree(found, answer, kind)
