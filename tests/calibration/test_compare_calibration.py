"""The family-wise error of every procedure over data sets, and of those known not to hold it."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

from palio.comparison import CORRECTIONS, PAIR_TESTS
from palio.comparison.audit.assumptions import Situation, situations
from palio.comparison.corrections import Family
from palio.comparison.procedure import Procedure
from palio.stats import across
from palio.stats.outcome import Outcome
from palio.types import FloatArray

pytestmark = pytest.mark.slow

TRIALS, DATASETS, ALGORITHMS = 1500, 15, 5
SITUATIONS = {situation.name: situation for situation in situations(ALGORITHMS)}


def errors(situation: Situation, test: str, correction: str) -> int:
    """In how many tables any two of the equal algorithms are told apart."""
    rng = np.random.default_rng(5)
    first, second = np.triu_indices(ALGORITHMS, 1)
    equal = (first < situation.equal) & (second < situation.equal)
    options = {"n_resamples": 199} if test == "permutation" else {}
    procedure = Procedure(test, CORRECTIONS[correction], 0.05, options=options)
    return sum(
        bool(procedure.different(situation.draw(rng, DATASETS))[equal].any()) for _ in range(TRIALS)
    )


LIMIT = int(binom.ppf(0.999, TRIALS, 0.05))


# A posterior probability promises no error rate, and is not corrected.
TESTS = [test for test in PAIR_TESTS.values() if not test.bayesian]


@pytest.mark.parametrize("test", [t.name for t in TESTS])
def test_with_holm_where_all_are_equal(test: str) -> None:
    assert errors(SITUATIONS["all are equal"], test, "holm") <= LIMIT


@pytest.mark.parametrize(
    "correction",
    [c.name for c in CORRECTIONS.values() if c.family != "control" and c.controls != "nothing"],
)
def test_every_correction_where_all_are_equal(correction: str) -> None:
    """False discoveries are all discoveries here, so corrections of the rate hold it, too."""
    test = CORRECTIONS[correction].test or "wilcoxon"
    assert errors(SITUATIONS["all are equal"], test, correction) <= LIMIT


@pytest.mark.parametrize("situation", list(SITUATIONS))
@pytest.mark.parametrize("test", [t.name for t in TESTS if not t.on_ranks])
def test_pool_free_tests_hold_whatever_the_others_are(test: str, situation: str) -> None:
    assert errors(SITUATIONS[situation], test, "holm") <= LIMIT


@pytest.mark.parametrize("test", [t.name for t in TESTS if t.on_ranks])
def test_tests_on_ranks_do_not_and_say_so(test: str) -> None:
    """Weak variants of one of two equals (benavoli2016 §4.1): the notes warn of the pool."""
    variants = SITUATIONS["the others are weak variants of one of two equals"]
    wrong = errors(variants, test, "holm")
    warned = any("which others are in the pool" in note for note in PAIR_TESTS[test].notes)
    assert wrong <= LIMIT or warned
    if test == "mean-ranks":
        assert wrong > 3 * LIMIT


def test_no_correction_does_not_hold_and_says_so() -> None:
    assert errors(SITUATIONS["all are equal"], "wilcoxon", "none") > 2 * LIMIT
    assert CORRECTIONS["none"].controls == "nothing"


def test_finner_holds_it_only_where_all_are_equal_and_says_so() -> None:
    """Four true differences are rejected first, and leave six equal pairs at too high a level."""
    rng = np.random.default_rng(6)
    finner = Procedure("paired-t", CORRECTIONS["finner"], 0.05)
    wrong = 0
    for _ in range(TRIALS):
        scores = rng.standard_normal((DATASETS, ALGORITHMS))
        scores[:, -1] -= 50
        wrong += bool(finner.different(scores)[np.array([0, 1, 2, 4, 5, 7])].any())
    assert wrong > LIMIT
    assert CORRECTIONS["finner"].controls == "weak"
    assert "only where no two algorithms differ" in CORRECTIONS["finner"].notes[0]


# Four equally likely (a − b, b − c). Each lies symmetrically around zero, so that neither test may
# find a difference. Their sum a − c is positive in three of four: 1, 1, 2 and −4.
LEVEL_STEPS = np.array([[2, -1], [-1, 2], [1, 1], [-2, -2]])
TESTED: dict[str, Callable[[FloatArray, FloatArray], Outcome]] = {
    "sign": across.sign_test,
    "wilcoxon": across.wilcoxon,
}


@pytest.mark.parametrize(
    ("test", "shaffer", "holm"), [("sign", 0.089, 0.027), ("wilcoxon", 0.070, 0.041)]
)
def test_shaffer_exceeds_the_level_where_hypotheses_are_not_transitive(
    test: str, shaffer: float, holm: float
) -> None:
    """a is level with b and b with c, yet a is better than c (rates of docs/guide/which.md).

    Once a and c differ, Shaffer takes it that at most one of the other two pairs is level, and
    tests both at α. The scale of a data set spans four powers of ten, so that Wilcoxon's test sees
    a and c differ as well: the sign of a sum of two differences is that of the larger one.
    """
    trials, n = 40_000, 67
    rng = np.random.default_rng(1)
    steps = LEVEL_STEPS[rng.integers(4, size=(trials, n))]
    steps = steps * 10 ** rng.uniform(0, 4, size=(trials, n, 1))
    pairs = np.stack([steps[..., 0], steps.sum(axis=-1), steps[..., 1]], axis=1)
    p_values = TESTED[test](pairs, np.zeros_like(pairs)).p_value
    for correction, expected in (
        ("shaffer", shaffer),
        ("bergmann-hommel", shaffer),
        ("holm", holm),
    ):
        adjusted = CORRECTIONS[correction].adjusted(Family(p_values, 3))
        rate = float((adjusted[:, [0, 2]] <= 0.05).any(axis=1).mean())
        assert rate == pytest.approx(expected, abs=0.001)
        assert CORRECTIONS[correction].holds_fwer(transitive=False) == (rate <= 0.05)
