"""How often an ordering overrides the prior although all algorithms are the same."""

import numpy as np
import pytest
from scipy.stats import binom

import palio
from palio.comparison import POSTHOCS
from palio.comparison.bayes_tests import preferred
from palio.scores import ScoreTable

pytestmark = pytest.mark.slow

TRIALS = 4000


def at_most(count: int, trials: int, level: float) -> bool:
    """No more than a true rate of ``level`` gives in 999 of 1,000 experiments."""
    return bool(count <= binom.ppf(0.999, trials, level))


@pytest.mark.parametrize("correction", ["bonferroni", "holm"])
@pytest.mark.parametrize("test", ["5x2cv-f", "5x2cv-t", "kfold-t"])
def test_multitest_family_wise_error(test: str, correction: str) -> None:
    """Five equal algorithms, independent normal folds: any edge at all is an error."""
    rng = np.random.default_rng(1)
    batch = palio.multitest_batch(
        rng.normal(size=(TRIALS, 5, 5, 2)),
        np.arange(5.0),
        higher_is_better=True,
        test=test,
        correction=correction,
    )
    wrong = int(batch.edges_by_place.any(axis=(-2, -1)).sum())
    assert at_most(wrong, TRIALS, 0.05)


def test_multitest_without_correction_errs_more_often_and_is_known_to() -> None:
    """Ten one-sided tests at 5 % each; the paper uses Bonferroni for this reason."""
    rng = np.random.default_rng(2)
    batch = palio.multitest_batch(
        rng.normal(size=(TRIALS, 5, 5, 2)), np.arange(5.0), higher_is_better=True, test="kfold-t"
    )
    rate = batch.edges_by_place.any(axis=(-2, -1)).mean()
    assert 0.15 < rate < 0.40


@pytest.mark.parametrize("posthoc", [name for name, e in POSTHOCS.items() if e.family_wise])
def test_multi2test_family_wise_error(posthoc: str) -> None:
    """Four equal algorithms on 15 data sets, costs drawn anew on each: nobody is preferred.

    The second pass is then a test of ranks that are exchangeable between algorithms.
    """
    rng = np.random.default_rng(3)
    trials, wrong = 400, 0
    for _ in range(trials):
        table = ScoreTable.from_arrays(
            rng.normal(size=(15, 4, 5, 2)),
            datasets=[f"d{i}" for i in range(15)],
            algorithms=list("abcd"),
            measure="accuracy",
            costs={"time": rng.random((15, 4))},
        )
        comparison = palio.multi2test(table, cost="time", posthoc=posthoc).comparison
        assert comparison is not None
        wrong += any(pair.significant for pair in comparison.pairs)
    assert at_most(wrong, trials, 0.05)


@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_bayes_errs_as_often_as_it_says_on_either_side_of_a_pair(alpha: float) -> None:
    """Nobody is preferred: of every number of data sets, the share of outcomes that say so.

    Counts are whole numbers, so single numbers of data sets lie above and below (6 data sets:
    10.9 %); the mean over many is what Jeffreys' prior is made for.
    """
    levels = []
    for n in range(5, 200):
        ahead = np.arange(n + 1)
        _, wrong = preferred(ahead, n - ahead)
        said = (wrong < alpha) & (ahead > n - ahead)
        levels.append(binom.pmf(ahead[said], n, 0.5).sum())
    assert np.mean(levels) == pytest.approx(alpha, rel=0.05)
