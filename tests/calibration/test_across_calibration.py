"""Type-I error of the tests over data sets, by simulation: 25 data sets, nothing to find.

Where the null distribution is exact, or its discreteness can be counted, the rate must lie in the
99.9 % binomial interval around what theory says. Where it is an approximation, the test states how
far from nominal it may be, on either side.
"""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import ndtri

from palio.stats import across, posthoc
from palio.stats.omnibus import aligned_ranks
from palio.stats.outcome import Outcome
from palio.stats.ranks import average_ranks
from palio.types import Alternative, FloatArray

pytestmark = pytest.mark.slow

ALPHA = 0.05
TRIALS = 50_000
DATASETS = 25
ALGORITHMS = 5
SIDES: list[Alternative] = ["two-sided", "greater", "less"]


def _rng(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))


def _interval(level: float, trials: int) -> tuple[float, float]:
    """Return the rates between which a test of this level falls 999 times of 1000."""
    low, high = (float(stats.binom.ppf(tail, trials, level)) for tail in (0.0005, 0.9995))
    return low / trials, high / trials


def _assert_level(p_value: FloatArray, level: float, *, alpha: float = ALPHA) -> None:
    rate = float((p_value <= alpha).mean())
    low, high = _interval(level, p_value.size)
    assert low <= rate <= high, f"rejected {rate:.4f}, theory says {level:.4f}"


def _assert_near(p_value: FloatArray, least: float, most: float) -> None:
    """Bound the rate by multiples of α, widened by the binomial interval."""
    rate = float((p_value <= ALPHA).mean())
    low, high = _interval(least * ALPHA, p_value.size)[0], _interval(most * ALPHA, p_value.size)[1]
    assert low <= rate <= high, f"rejected {rate:.4f}, allowed {low:.4f} to {high:.4f}"


def _tables(name: str, trials: int = TRIALS) -> dict[str, FloatArray]:
    """Return equal algorithms: normal; and heavy-tailed, of another spread on every data set."""
    shape = (trials, DATASETS, ALGORITHMS)
    rng = _rng(name)
    spread = rng.uniform(0.2, 5.0, size=(DATASETS, 1))
    return {"normal": rng.normal(size=shape), "heavy": rng.standard_t(3, size=shape) * spread}


# --- two algorithms


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_paired_t(alternative: Alternative, alpha: float) -> None:
    a, b = _rng("paired t").normal(size=(2, TRIALS, DATASETS))
    outcome = across.paired_t(a, b, alternative=alternative)
    _assert_level(outcome.p_value, alpha, alpha=alpha)


@pytest.mark.parametrize("alternative", SIDES)
def test_exact_permutation(alternative: Alternative) -> None:
    # Of 2²⁵ flips so many fit into α that the level is α, whatever the distribution.
    d = _rng("permutation").standard_t(3, size=(8_000, DATASETS))
    outcome = across.permutation_test(d, np.zeros_like(d), alternative=alternative)
    assert outcome.null == "exact"
    _assert_level(outcome.p_value, ALPHA)


def test_permutation_by_random_flips() -> None:
    # With 999 flips and the observed one, 50 of 1000 places reject. The flips must be random too:
    # a fresh seed for every hundred trials.
    d = _rng("random flips").standard_t(3, size=(200, 100, 40))
    p_value = [
        across.permutation_test(part, np.zeros_like(part), n_resamples=999, seed=seed).p_value
        for seed, part in enumerate(d)
    ]
    _assert_level(np.concatenate(p_value), ALPHA)


def _signed_rank_tails(n: int) -> FloatArray:
    """Return P(W <= w), by adding rank after rank."""
    ways = np.ones(1)
    for rank in range(1, n + 1):
        ways = np.convolve(ways, np.r_[0.5, np.zeros(rank - 1), 0.5])
    return np.cumsum(ways)


def test_wilcoxon_pairs_attain_what_the_distribution_says() -> None:
    tails = 2 * _signed_rank_tails(DATASETS)
    attained = float(tails[tails <= ALPHA].max())
    tables = _rng("wilcoxon pairs").normal(size=(100, DATASETS, 200))
    # Columns 0 1, 2 3 …: pairs that share nothing.
    first = np.arange(0, 200, 2)
    p_value = [
        across.wilcoxon_pairs(table, first=first, second=first + 1).p_value for table in tables
    ]
    _assert_level(np.concatenate(p_value), attained)


def test_normal_wilcoxon_attains_what_the_distribution_says() -> None:
    # The rank sum is discrete: what the normal rejects has this probability by the exact tails.
    n = 150
    mean, sd = n * (n + 1) / 4, np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    most = int(np.floor(mean + ndtri(ALPHA / 2) * sd))
    level = float(2 * _signed_rank_tails(n)[most])
    assert level == pytest.approx(ALPHA, abs=0.001)
    a, b = _rng("wilcoxon normal").normal(size=(2, TRIALS, n))
    outcome = across.wilcoxon(a, b)
    assert outcome.null == "normal"
    _assert_level(outcome.p_value, level)


# --- several algorithms


@pytest.mark.parametrize(
    ("test", "least", "most"),
    [
        (across.friedman, 0.9, 1.0),  # χ² is approached from below
        (across.iman_davenport, 1.0, 1.06),  # F from above, and it is closer
        (across.friedman_aligned, 0.9, 1.0),
        (across.quade, 0.94, 1.02),
    ],
)
def test_omnibus(test: Callable[[ArrayLike], Outcome], least: float, most: float) -> None:
    for values in _tables("omnibus").values():
        _assert_near(test(values).p_value, least, most)


@pytest.mark.parametrize(("n", "k"), [(6, 3), (5, 4), (25, 3)])
@pytest.mark.parametrize("decimals", [0, 9])
def test_exact_friedman_attains_one_of_its_p_values(n: int, k: int, decimals: int) -> None:
    # P(p <= q) = q for every value q that p can take; with ties, given the ties, so at most q.
    trials = 20_000 if decimals == 9 else 2_000
    values = _rng("exact friedman").normal(size=(trials, n, k)).round(decimals)
    p_value = across.friedman_exact(values).p_value
    if decimals == 9:
        _assert_level(p_value, float(p_value[p_value <= ALPHA].max()))
    else:
        assert 0.0 < (p_value <= ALPHA).mean() <= _interval(ALPHA, trials)[1]


def test_chi_square_is_too_careful_where_friedman_is_exact() -> None:
    values = _rng("few").normal(size=(20_000, 5, 3))
    exact, approximate = across.friedman_exact(values), across.friedman(values)
    assert (approximate.p_value <= 0.01).mean() < 0.2 * (exact.p_value <= 0.01).mean()


# --- pairs after an omnibus test


def test_mean_ranks_attain_what_all_rankings_say() -> None:
    # benavoli2016, eq. 4: whole rank sums, so both forms have levels that can be counted.
    values = _tables("mean ranks")["normal"]
    mean_ranks = average_ranks(values).mean(axis=-2)
    distances = np.arange(DATASETS * (ALGORITHMS - 1) + 1)
    z = distances / np.sqrt(DATASETS * ALGORITHMS * (ALGORITHMS + 1) / 6)
    sums = np.tile(np.full(ALGORITHMS, 75.0), (distances.size, 1))
    sums[:, 0] -= distances // 2
    sums[:, 1] += distances - distances // 2
    tails = posthoc.mean_ranks_exact(sums / DATASETS, DATASETS).p_value[:, 0, 1]
    rejected = float(tails[z >= -ndtri(ALPHA / 2)].max())
    assert 1.0 < rejected / ALPHA < 1.1
    _assert_level(posthoc.mean_ranks_z(mean_ranks, DATASETS).p_value[:, 0, 1], rejected)
    attained = float(tails[tails <= ALPHA].max())
    _assert_level(posthoc.mean_ranks_exact(mean_ranks, DATASETS).p_value[:, 0, 1], attained)


@pytest.mark.parametrize(
    "pairs",
    [lambda v: posthoc.conover(average_ranks(v)), posthoc.quade_posthoc, posthoc.aligned_posthoc],
    ids=["conover", "quade", "aligned"],
)
def test_pairs_among_equals(pairs: Callable[[FloatArray], Outcome]) -> None:
    for values in _tables("pairs").values():
        _assert_near(pairs(values).p_value[:, 0, 1], 0.96, 1.02)


def test_the_short_form_of_aligned_ranks_rejects_too_often() -> None:
    # The reason for not using √(k(nk + 1)/6): it is too small by √((k - 1)/k).
    values = _tables("short")["normal"]
    n, k = DATASETS, ALGORITHMS
    mean_ranks = aligned_ranks(values).mean(axis=-2)
    z = (mean_ranks[:, 0] - mean_ranks[:, 1]) / np.sqrt(k * (n * k + 1) / 6)
    level = float(2 * stats.norm.cdf(ndtri(ALPHA / 2) * np.sqrt((k - 1) / k)))
    assert level > 0.075
    rate = float((np.abs(z) >= -ndtri(ALPHA / 2)).mean())
    assert rate == pytest.approx(level, abs=0.004)


def test_bonferroni_dunn_family_wise() -> None:
    # Against a control, k - 1 comparisons: at most α, and not far below, as they correlate by ½.
    mean_ranks = average_ranks(_tables("control")["normal"]).mean(axis=-2)
    distance = np.abs(mean_ranks[:, 1:] - mean_ranks[:, :1]).max(axis=-1)
    limit = posthoc.bonferroni_dunn_critical_difference(ALGORITHMS, DATASETS)
    rate = float((distance >= limit).mean())
    assert 0.7 * ALPHA <= rate <= _interval(ALPHA, TRIALS)[1]
