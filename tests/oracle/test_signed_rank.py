"""The Bayesian signed-rank test against Dirichlet weights and all n² sums of differences."""

from itertools import combinations

import numpy as np
import pytest

from palio.bayes.models.signed_rank import signed_rank
from tests.oracle.engine import Answer, assert_agree, most_probable
from tests.oracle.tables import KINDS, ROPE, goodness, table_of

pytestmark = pytest.mark.slow

DRAWS = 100_000
FAR = 1e9
PLACES = {"rope": [0.0], "a": [FAR], "b": [-FAR], "equal": [-FAR, 0.0, FAR]}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_are_those_of_double_sums(kind: str, place: str) -> None:
    table, rng = table_of(kind), np.random.default_rng(2)
    # Scores have two digits: whole hundredths know no rounding.
    scores = np.round(100 * goodness(table))
    edge, prior = 2 * 100 * ROPE, PLACES[place]
    regions = np.zeros((4, DRAWS // 4, 6, 3))
    for p, (i, j) in enumerate(combinations(range(4), 2)):
        z = scores[:, i] - scores[:, j]
        z = np.concatenate([prior, z[~np.isnan(z)]])
        strength = np.ones(z.size)
        strength[: len(prior)] = 1.5 / len(prior)
        weights = rng.dirichlet(strength, (4, DRAWS // 4))
        sums = z[:, None] + z
        for r, inside in enumerate((sums > edge, np.abs(sums) <= edge, sums < -edge)):
            regions[:, :, p, r] = ((weights @ inside) * weights).sum(axis=-1)
    answer = Answer.by_share(most_probable(regions))
    found = signed_rank(table, rope=ROPE, prior_strength=1.5, prior_place=place, draws=DRAWS)
    assert_agree(found, answer, kind)
