"""Rank sets cover all true ranks at once, by simulation: proved for Bonferroni alone.

The true rank of an algorithm is 1 + the number truly better (Mogstad and others 2024); among equals
the sets are held to more, every place that these could have among themselves, from 1 + the number
truly better to k − the number truly worse. A rate is held against the lower end of the 99.9 %
interval around 1 − α: where the truth is as it should be, fewer than one test in a thousand fails.
"""

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.stats import binom

import palio
from palio.comparison import CORRECTIONS
from palio.comparison.audit.assumptions import situations
from palio.comparison.pair_tests import PairVerdicts
from palio.comparison.procedure import Procedure
from palio.scores import ScoreTable
from palio.stats import across
from palio.stats.rank_sets import drawn_ranks, joint_rank_sets, rank_sets
from palio.types import FloatArray, IntArray

pytestmark = pytest.mark.slow

ALPHA, K = 0.05, 5
FIRST, SECOND = np.triu_indices(K, 1)
# Those with which Wilcoxon's test gives rank sets.
HOLDING = [
    c.name
    for c in CORRECTIONS.values()
    if c.holds_fwer(transitive=False) and c.family != "control" and c.test is None
]
STEP = np.arange(K, dtype=float)
# The differences that the truth has, in standard deviations of a score.
TRUTHS: dict[str, FloatArray] = {
    "nothing differs": 0 * STEP,
    "one apart by 1": np.array([1.0, 0, 0, 0, 0]),
    "one far apart": np.array([20.0, 0, 0, 0, 0]),
    "a chain by 0.02": 0.02 * STEP,
    "a chain by 0.3": 0.3 * STEP,
    "a chain by 1": STEP,
    "ties, then 1 apart": np.array([0.0, 0, 1, 1, 2]),
    "ties, then far apart": np.array([0.0, 0, 20, 20, 40]),
    "three and two, far apart": np.array([0.0, 0, 0, 20, 20]),
    "near ties, far apart": np.array([0.0, 0.05, 20, 20.05, 40]),
}


def trials_for(n: int) -> int:
    return 20_000 if n < 50 else 10_000


def least(mass: float, trials: int) -> float:
    return float(binom.ppf(0.0005, trials, mass)) / trials


def wilcoxon(scores: FloatArray) -> PairVerdicts:
    """Test all pairs of many tables at once: (trials, data sets, K)."""
    columns = np.moveaxis(scores, -1, -2)
    found = across.wilcoxon(columns[:, FIRST], columns[:, SECOND])
    lead = found.statistic - found.n * (found.n + 1) / 4
    return PairVerdicts(found.statistic, found.p_value, np.asarray(lead))


def sets_of(sided: FloatArray) -> IntArray:
    better = np.zeros((*sided.shape[:-1], K, K), dtype=np.bool_)
    better[..., FIRST, SECOND] = sided > 0
    better[..., SECOND, FIRST] = sided < 0
    return rank_sets(better)


def covered(sets: IntArray, truth: ArrayLike) -> float:
    """Return how often all sets hold every place that the truth leaves to their algorithm."""
    values = np.asarray(truth)
    ahead = (values > values[:, np.newaxis]).sum(axis=1)
    behind = (values < values[:, np.newaxis]).sum(axis=1)
    holds = (sets[..., 0] <= 1 + ahead) & (sets[..., 1] >= K - behind)
    return float(holds.all(axis=-1).mean())


NOISE = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "unequal": lambda rng, shape: rng.normal(size=shape) * [0.2, 1, 3, 0.5, 2],
    "laplace": lambda rng, shape: rng.laplace(size=shape),
}


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("n", [5, 10, 20, 50])
def test_coverage(n: int, truth: str, noise: str) -> None:
    trials = trials_for(n)
    rng = np.random.default_rng(list(f"{n} {truth} {noise}".encode()))
    found = wilcoxon(NOISE[noise](rng, (trials, n, K)) + TRUTHS[truth])
    for correction in HOLDING:
        procedure = Procedure.asked("wilcoxon", correction, ALPHA)
        rate = covered(sets_of(procedure.judged(found, K)), TRUTHS[truth])
        assert rate >= least(1 - ALPHA, trials), f"{correction}: {rate:.4f}"
        if truth == "nothing differs" and n >= 10:
            # Not for nothing: at least half of the errors that it may make, it makes.
            assert rate <= 1 - ALPHA / 2, f"{correction}: {rate:.4f}"
        if n == 5:  # the least p-value of five data sets is 0.0625
            assert rate == 1


@pytest.mark.parametrize("correction", ["bonferroni", "holm"])
def test_what_is_simulated_is_what_compare_says(correction: str) -> None:
    rng = np.random.default_rng(9)
    scores = rng.normal(size=(20, 12, K)) + TRUTHS["ties, then 1 apart"]
    sided = Procedure.asked("wilcoxon", correction, ALPHA).judged(wilcoxon(scores), K)
    sets = sets_of(sided)
    assert np.ptp(sets.reshape(20, -1), axis=0).any()
    for values, expected in zip(scores, sets, strict=True):
        table = ScoreTable.from_arrays(
            -values,
            datasets=[f"d{i}" for i in range(12)],
            algorithms=list("abcde"),
            measure="error",
        )
        found = palio.compare(table, correction=correction).rank_sets
        assert found is not None
        assert list(map(list, found.values())) == expected.tolist()


# --- with holes -----------------------------------------------------------------------------------

N_WITH_HOLES, TRIALS_WITH_HOLES = 30, 5000
EQUALS = "nothing differs"


def level_where_missing(scores: FloatArray) -> FloatArray:
    """Make the gaps of many tables zero differences, which Wilcoxon's test drops.

    A gap of one algorithm is none of the others, so every pair gets two columns of its own:
    (trials, 2, pairs, data sets).
    """
    columns = np.moveaxis(scores, -1, -2)
    pairs = np.stack([columns[:, FIRST], columns[:, SECOND]], axis=1)
    return np.where(np.isnan(pairs).any(axis=1, keepdims=True), 0.0, pairs)


def wilcoxon_with_holes(scores: FloatArray) -> PairVerdicts:
    found = across.wilcoxon(*np.moveaxis(level_where_missing(scores), 1, 0))
    lead = found.statistic - found.n * (found.n + 1) / 4
    return PairVerdicts(found.statistic, found.p_value, np.asarray(lead))


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize(
    "truth", [EQUALS, "one apart by 1", "a chain by 0.3", "ties, then 1 apart"]
)
@pytest.mark.parametrize("gaps", [0.1, 0.4])
def test_coverage_with_holes_at_random(gaps: float, truth: str, rounded: bool, noise: str) -> None:
    rng = np.random.default_rng(list(f"{gaps} {truth} {rounded} {noise}".encode()))
    shape = (TRIALS_WITH_HOLES, N_WITH_HOLES, K)
    scores = NOISE[noise](rng, shape) + TRUTHS[truth]
    if rounded:
        scores = np.round(2 * scores) / 2
    scores[rng.random(shape) < gaps] = np.nan
    found = wilcoxon_with_holes(scores)
    for correction in HOLDING:
        procedure = Procedure.asked("wilcoxon", correction, ALPHA)
        rate = covered(sets_of(procedure.judged(found, K)), TRUTHS[truth])
        assert rate >= least(1 - ALPHA, TRIALS_WITH_HOLES), f"{correction}: {rate:.4f}"
        if truth == EQUALS and not rounded:
            assert rate <= 1 - ALPHA / 2, f"{correction}: {rate:.4f}"


def test_holes_by_failure_are_another_matter() -> None:
    """One of equals fails where it would have been bad: what is left of it looks too good."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(500, N_WITH_HOLES, K))
    bad = np.quantile(scores[..., 0], 0.4, axis=1, keepdims=True)
    scores[..., 0] = np.where(scores[..., 0] < bad, np.nan, scores[..., 0])
    sided = Procedure.asked("wilcoxon", "holm", ALPHA).judged(wilcoxon_with_holes(scores), K)
    assert covered(sets_of(sided), TRUTHS[EQUALS]) < 0.5


def test_what_is_simulated_with_holes_is_what_compare_says() -> None:
    rng = np.random.default_rng(12)
    scores = rng.normal(size=(12, N_WITH_HOLES, K)) + TRUTHS["ties, then 1 apart"]
    scores[rng.random(scores.shape) < 0.4] = np.nan
    procedure = Procedure.asked("wilcoxon", "holm", ALPHA)
    sets = sets_of(procedure.judged(wilcoxon_with_holes(scores), K))
    assert np.ptp(sets.reshape(12, -1), axis=0).any()
    for values, expected in zip(scores, sets, strict=True):
        table = ScoreTable.from_arrays(
            -values,
            datasets=[f"d{i}" for i in range(N_WITH_HOLES)],
            algorithms=list("abcde"),
            measure="error",
            missing="pairwise",
        )
        found = palio.compare(table).rank_sets
        assert found is not None
        assert list(map(list, found.values())) == expected.tolist()


@pytest.mark.parametrize("correction", ["holm", "nemenyi"])
def test_mean_ranks_would_not_cover_and_give_none(correction: str) -> None:
    """Weak variants of one of two equals (benavoli2016 §4.1) make these two differ."""
    trials, truth = 1500, np.array([0.0, 0, -1, -2, -3])
    variants = next(s for s in situations(K) if "weak variants" in s.name)
    rng = np.random.default_rng(5)
    procedure = Procedure.asked("mean-ranks", correction, ALPHA)
    sets = np.stack([sets_of(procedure.sided(variants.draw(rng, 30))) for _ in range(trials)])
    assert covered(sets, truth) < 0.9 * least(1 - ALPHA, trials)
    assert procedure.no_rank_sets


@pytest.mark.parametrize("mass", [0.8, 0.95])
def test_joint_draws_cover_what_they_are_drawn_for(mass: float) -> None:
    """θ ~ N(0, 1) and x ~ N(θ, 1) give θ | x ~ N(x/2, 1/2): truths from the prior are covered."""
    trials, draws = 2000, 4000
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(trials):
        truth = rng.normal(size=K)
        drawn = (truth + rng.normal(size=K)) / 2 + np.sqrt(0.5) * rng.normal(size=(draws, K))
        low, high = joint_rank_sets(drawn_ranks(drawn), mass).T
        ranks = drawn_ranks(truth[np.newaxis])[0]
        held += bool(((low <= ranks) & (ranks <= high)).all())
    # One draw more or less of 4000 is the least step; the sets are chosen to fit the draws.
    assert least(mass - 0.01, trials) <= held / trials <= mass + 0.05
