"""Family-wise error, false discoveries and coverage by simulation.

Every bound is the 99.9 % interval around a rate known from theory: binomial, or normal where what
is averaged is a share. Where only an inequality is known, only that side is bounded.
"""

from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import stats

from palio.stats import adjust, effects, related
from palio.stats.studentized import studentized_range_sf
from palio.types import FloatArray

pytestmark = pytest.mark.slow

ALPHA = 0.05
TRIALS = 100_000


def _rng(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))


def _limits(level: float, trials: int = TRIALS) -> tuple[float, float]:
    """Return the rates between which a test of this level falls 999 times of 1000."""
    low, high = (float(stats.binom.ppf(tail, trials, level)) for tail in (0.0005, 0.9995))
    return low / trials, high / trials


def _assert_rate(rate: float, level: float, trials: int = TRIALS) -> None:
    low, high = _limits(level, trials)
    assert low <= rate <= high, f"{rate:.4f}, theory says {level:.4f}"


M = 8
# If all hypotheses are true and independent, the chance that any is rejected.
EXACT: dict[str, float] = {
    "none": 1 - (1 - ALPHA) ** M,
    "bonferroni": 1 - (1 - ALPHA / M) ** M,
    "holm": 1 - (1 - ALPHA / M) ** M,
    "sidak": ALPHA,
    "holland": ALPHA,
    "finner": ALPHA,
    "rom": ALPHA,
    "li": ALPHA,
    "benjamini_hochberg": ALPHA,  # Simes' test
    "benjamini_yekutieli": ALPHA / sum(1 / j for j in range(1, M + 1)),
}


@pytest.mark.parametrize("name", EXACT)
def test_all_true_and_independent(name: str) -> None:
    p = _rng("all true").random((TRIALS, M))
    rate = float((getattr(adjust, name)(p).min(axis=-1) <= ALPHA).mean())
    _assert_rate(rate, EXACT[name])


@pytest.mark.parametrize("name", ["hochberg", "hommel"])
def test_all_true_and_independent_between_holm_and_simes(name: str) -> None:
    p = _rng("all true").random((TRIALS, M))
    rate = float((getattr(adjust, name)(p).min(axis=-1) <= ALPHA).mean())
    assert _limits(EXACT["holm"])[0] <= rate <= _limits(ALPHA)[1]


def test_hochberg_exhausts_its_level_for_two() -> None:
    # α² + 2 (α / 2) (1 - α) = α.
    p = _rng("two").random((TRIALS, 2))
    _assert_rate(float((adjust.hochberg(p).min(axis=-1) <= ALPHA).mean()), ALPHA)


FAMILY_WISE = ["bonferroni", "sidak", "holm", "holland", "hochberg", "hommel", "rom"]


@pytest.mark.parametrize("name", FAMILY_WISE)
@pytest.mark.parametrize("rho", [0.0, 0.5])
def test_some_false_and_dependent(name: str, rho: float) -> None:
    # One-sided tests of normal statistics that correlate by ρ ≥ 0, three of eight far from true.
    rng = _rng(f"some false {rho}")
    shared = rng.normal(size=(TRIALS, 1)) * np.sqrt(rho)
    z = shared + rng.normal(size=(TRIALS, M)) * np.sqrt(1 - rho)
    z[:, :3] += 4.0
    adjusted = getattr(adjust, name)(stats.norm.sf(z))
    assert (adjusted[:, :3] <= ALPHA).mean() > 0.8
    assert (adjusted[:, 3:].min(axis=-1) <= ALPHA).mean() <= _limits(ALPHA)[1]


def test_li_with_some_false_and_independent() -> None:
    z = _rng("li").normal(size=(TRIALS, M))
    for shift in (1.0, 2.0, 4.0):
        p = stats.norm.sf(z + shift * (np.arange(M) < 3))
        assert (adjust.li(p)[:, 3:].min(axis=-1) <= ALPHA).mean() <= _limits(ALPHA)[1]


@pytest.mark.parametrize("false", [1, 3, 6])
def test_finner_does_not_hold_its_level_with_some_false(false: int) -> None:
    # The first true one is held against 1 - (1 - α)^((f + 1)/m), and there are m - f of them.
    p = _rng("finner").random((TRIALS, M))
    p[:, :false] = 0.0
    rate = float((adjust.finner(p)[:, false:].min(axis=-1) <= ALPHA).mean())
    level = 1 - (1 - ALPHA) ** ((false + 1) * (M - false) / M)
    assert level > ALPHA
    _assert_rate(rate, level)


def _discoveries(
    p: FloatArray, true: slice, method: Callable[[ArrayLike], FloatArray]
) -> FloatArray:
    """Return the share of true hypotheses among the rejected, 0 where none is rejected."""
    rejected = method(p) <= ALPHA
    return np.asarray(rejected[:, true].sum(axis=-1) / np.maximum(rejected.sum(axis=-1), 1))


def test_false_discovery_rate() -> None:
    # Independent: exactly α m₀ / m for Benjamini–Hochberg, whatever the others are.
    p = _rng("fdr").random((TRIALS, 10))
    p[:, :4] **= 8
    share = _discoveries(p, slice(4, None), adjust.benjamini_hochberg)
    error = 3.29 * float(share.std()) / np.sqrt(TRIALS)
    assert float(share.mean()) == pytest.approx(ALPHA * 6 / 10, abs=error)
    cautious = _discoveries(p, slice(4, None), adjust.benjamini_yekutieli)
    assert 0.0 < float(cautious.mean()) < float(share.mean())


def _pair_p_values(name: str, means: ArrayLike, trials: int) -> tuple[int, FloatArray]:
    """Return two-sided p-values of all differences between normals of known unit variance."""
    shift = np.asarray(means, dtype=float)
    k = shift.size
    x = _rng(name).normal(size=(trials, k)) + shift
    i, j = np.triu_indices(k, 1)
    return k, 2 * stats.norm.sf(np.abs(x[:, i] - x[:, j]) / np.sqrt(2))


def test_all_pairs_of_equal_algorithms() -> None:
    # Any rejection needs the least of m p-values at α / m, for all four: the widest of the
    # differences, whose distribution is the studentized range.
    trials = 20_000
    k, p = _pair_p_values("equal", [0.0] * 6, trials)
    limit = np.sqrt(2) * stats.norm.isf(ALPHA / comb(k, 2) / 2)
    level = float(studentized_range_sf(limit, k))
    assert 0.7 * ALPHA < level < ALPHA
    for adjusted in (
        adjust.bonferroni(p),
        adjust.holm(p),
        related.shaffer(p, k),
        related.bergmann_hommel(p, k),
    ):
        _assert_rate(float((adjusted.min(axis=-1) <= ALPHA).mean()), level, trials)


@pytest.mark.parametrize(
    "means", [[0, 0, 9, 9, 9], [0, 0, 9, 9, 18], [0, 0, 0, 0, 9], [0, 3, 3, 6, 6]]
)
def test_all_pairs_of_some_equal_algorithms(means: list[int]) -> None:
    trials = 20_000
    k, p = _pair_p_values(f"groups {means}", means, trials)
    i, j = np.triu_indices(k, 1)
    true = np.asarray(means)[i] == np.asarray(means)[j]
    rates = {}
    for name, adjusted in (
        ("holm", adjust.holm(p)),
        ("shaffer", related.shaffer(p, k)),
        ("bergmann-hommel", related.bergmann_hommel(p, k)),
    ):
        rates[name] = float((adjusted[:, true].min(axis=-1) <= ALPHA).mean())
        assert rates[name] <= _limits(ALPHA, trials)[1]
    assert rates["holm"] <= rates["shaffer"] <= rates["bergmann-hommel"]


SYMMETRIC: dict[str, Callable[[np.random.Generator, tuple[int, int]], FloatArray]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "laplace": lambda rng, shape: rng.laplace(size=shape),
    "uniform": lambda rng, shape: rng.uniform(-1, 1, size=shape),
}


def _coverage(interval: effects.Interval, truth: float) -> float:
    return float(((interval.low <= truth) & (truth <= interval.high)).mean())


@pytest.mark.parametrize("n", [2, 5, 30])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_coverage_of_the_mean(n: int, confidence: float) -> None:
    d = _rng(f"mean {n}").normal(0.7, 2.0, size=(TRIALS, n))
    interval = effects.mean_difference(d, np.zeros_like(d), confidence=confidence)
    _assert_rate(_coverage(interval, 0.7), confidence)


@pytest.mark.parametrize("shape", SYMMETRIC)
@pytest.mark.parametrize("n", [6, 12, 25])
def test_coverage_of_hodges_lehmann(shape: str, n: int) -> None:
    # Exact but discrete: one less twice the largest tail that is not above 2.5 %.
    chances = np.ones(1)
    for rank in range(1, n + 1):
        chances = np.convolve(
            chances, np.eye(1, rank + 1)[0] / 2 + np.eye(1, rank + 1, rank)[0] / 2
        )
    tails = np.cumsum(chances)
    attained = 1 - 2 * float(tails[tails <= 0.025].max())
    d = SYMMETRIC[shape](_rng(f"walsh {shape} {n}"), (20_000, n)) + 0.7
    interval = effects.hodges_lehmann(d, np.zeros_like(d))
    _assert_rate(_coverage(interval, 0.7), attained, 20_000)


def test_coverage_of_hodges_lehmann_by_the_normal() -> None:
    d = _rng("walsh 150").laplace(0.7, size=(5_000, 150))
    _assert_rate(_coverage(effects.hodges_lehmann(d, np.zeros_like(d)), 0.7), 0.95, 5_000)


def test_coverage_with_ties_is_at_least_nominal() -> None:
    d = _rng("walsh ties").integers(-2, 3, size=(20_000, 14)).astype(float)
    for method in (effects.hodges_lehmann, effects.median_difference):
        assert _coverage(method(d, np.zeros_like(d)), 0.0) >= _limits(0.95, 20_000)[0]


@pytest.mark.parametrize("n", [6, 25, 150])
def test_coverage_of_the_median(n: int) -> None:
    # Skewed on purpose: the sign test does not mind.
    tails = np.asarray(stats.binom.cdf(np.arange(n), n, 0.5))
    attained = 1 - 2 * float(tails[tails <= 0.025].max())
    d = _rng(f"median {n}").exponential(size=(TRIALS, n))
    interval = effects.median_difference(d, np.zeros_like(d))
    _assert_rate(_coverage(interval, float(np.log(2))), attained)
