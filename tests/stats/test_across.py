"""Across data sets: sign, Wilcoxon, Friedman."""

import itertools
from math import comb

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.stats import norm, rankdata

from palio.stats.across import (
    EXACT_LIMIT,
    SignTies,
    ZeroMethod,
    friedman,
    friedman_from_ranks,
    sign_test,
    sign_test_counts,
    wilcoxon,
)
from palio.stats.ranks import average_ranks
from palio.types import Alternative

SIDES: tuple[Alternative, ...] = ("greater", "less", "two-sided")

# --- sign test


def test_sign_test_by_hand() -> None:
    # Seven wins, one loss, two ties: of eight coins, P(X >= 7) = (8 + 1) / 256.
    a = [2, 2, 2, 2, 2, 2, 2, 1, 5, 5]
    b = [1, 1, 1, 1, 1, 1, 1, 2, 5, 5]
    outcome = sign_test(a, b)
    assert float(outcome.statistic) == 7
    assert int(outcome.n) == 8
    assert float(outcome.p_value) == pytest.approx(2 * 9 / 256)
    assert float(sign_test(a, b, alternative="greater").p_value) == pytest.approx(9 / 256)
    # P(X <= 7) = 1 - 1/256
    assert float(sign_test(a, b, alternative="less").p_value) == pytest.approx(255 / 256)
    assert outcome.null == "exact"


def test_split_ties() -> None:
    # Two ties: one each, 8 wins of 10: P(X >= 8) = (45 + 10 + 1) / 1024. A third tie is dropped.
    a = [2.0] * 7 + [1.0] + [5.0] * 2
    b = [1.0] * 7 + [2.0] + [5.0] * 2
    for extra in ([], [0.1 + 0.2]):
        outcome = sign_test(a + extra, b + [0.3] * len(extra), ties="split")
        assert float(outcome.statistic) == 8
        assert int(outcome.n) == 10
        assert float(outcome.p_value) == pytest.approx(2 * 56 / 1024)


@pytest.mark.parametrize("ties", ["drop", "split"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_all_tied_is_one(ties: SignTies, alternative: Alternative) -> None:
    for n in (1, 2, 7):
        outcome = sign_test([0.1 + 0.2] * n, [0.3] * n, ties=ties, alternative=alternative)
        assert float(outcome.p_value) == 1.0
        assert bool(outcome.degenerate)


def test_counts_agree_with_the_sum_of_binomial_terms() -> None:
    for n in range(31):
        for wins in range(n + 1):
            upper = sum(comb(n, x) for x in range(wins, n + 1)) / 2**n
            lower = sum(comb(n, x) for x in range(wins + 1)) / 2**n
            got = [
                float(sign_test_counts(wins, n - wins, alternative=side).p_value) for side in SIDES
            ]
            assert got == pytest.approx([upper, lower, min(1, 2 * upper, 2 * lower)], rel=1e-12)


def test_thousands_of_wins_keep_a_tiny_p() -> None:
    assert float(sign_test_counts(1000, 0).p_value) == pytest.approx(2.0**-999, rel=1e-9)


def test_counts_are_whole_numbers() -> None:
    with pytest.raises(ValueError, match="wins must be whole numbers"):
        sign_test_counts(1.5, 2)
    with pytest.raises(ValueError, match="losses must be whole numbers"):
        sign_test_counts(1, -2)
    with pytest.raises(ValueError, match="ties must be drop or split; got 'half'"):
        sign_test([1.0], [2.0], ties="half")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alternative"):
        sign_test([1.0], [2.0], alternative="more")  # type: ignore[arg-type]


# --- Wilcoxon


def test_wilcoxon_by_hand() -> None:
    # Differences 1 2 -3 4: W+ = 1 + 2 + 4 = 7 of 10. Sums of subsets of {1, 2, 3, 4} that reach 7:
    # 3+4, 1+2+4, 1+3+4, 2+3+4, 1+2+3+4 -> 5 of 16.
    outcome = wilcoxon([1, 2, 0, 4], [0, 0, 3, 0], alternative="greater")
    assert float(outcome.statistic) == 7
    assert float(outcome.p_value) == 5 / 16
    assert float(wilcoxon([1, 2, 0, 4], [0, 0, 3, 0]).p_value) == 10 / 16
    assert outcome.null == "exact"


def test_zero_methods_by_hand() -> None:
    # Differences 0 0 1 -2 3. Dropped first: ranks 1 2 3, W+ = 1 + 3. Pratt: ranks 1.5 1.5 3 4 5,
    # W+ = 3 + 5. Split: half of the zeros' 3 on top.
    a, b = [7, 7, 1, 0, 3], [7, 7, 0, 2, 0]
    assert float(wilcoxon(a, b).statistic) == 4.0
    assert float(wilcoxon(a, b, zero_method="pratt").statistic) == 8.0
    assert float(wilcoxon(a, b, zero_method="zsplit").statistic) == 9.5
    assert int(wilcoxon(a, b).n) == 3
    # Subsets of {1, 2, 3} reaching 4: 1+3, 2+3, all -> 3 of 8; of {3, 4, 5} reaching 8: 3+5, 4+5,
    # all -> 3 of 8.
    assert float(wilcoxon(a, b, alternative="greater").p_value) == 3 / 8
    pratt = wilcoxon(a, b, alternative="greater", zero_method="pratt")
    assert float(pratt.p_value) == 3 / 8


def _by_enumeration(
    d: np.ndarray, zero_method: ZeroMethod, alternative: Alternative
) -> tuple[float, float]:
    """Flip every sign of every difference and count."""
    if zero_method == "wilcox":
        d = d[d != 0]
    if d.size == 0 or not d.any():
        return 0.0, 1.0
    ranks = rankdata(np.abs(d))

    def statistic(x: np.ndarray) -> float:
        split = ranks[x == 0].sum() / 2 if zero_method == "zsplit" else 0.0
        return float(ranks[x > 0].sum() + split)

    observed = statistic(d)
    flips = np.array(
        [statistic(d * np.array(s)) for s in itertools.product([-1, 1], repeat=d.size)]
    )
    upper, lower = (flips >= observed).mean(), (flips <= observed).mean()
    both = min(1.0, 2 * min(upper, lower))
    return observed, {"greater": upper, "less": lower, "two-sided": both}[alternative]


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_wilcoxon_equals_all_sign_flips(zero_method: ZeroMethod, alternative: Alternative) -> None:
    rng = np.random.default_rng(3)
    zeros = ties = 0
    for n in (1, 2, 3, 5, 8, 9):
        for _ in range(4):
            d = rng.integers(-3, 4, size=n).astype(float)
            zeros += int((d == 0).any())
            ties += int(len(set(np.abs(d))) < n)
            outcome = wilcoxon(
                d + 5, np.full(n, 5.0), zero_method=zero_method, alternative=alternative
            )
            statistic, p_value = _by_enumeration(d, zero_method, alternative)
            assert float(outcome.p_value) == pytest.approx(p_value, rel=1e-12)
            if d.any():
                assert float(outcome.statistic) == statistic
    assert zeros > 5
    assert ties > 5


@pytest.mark.parametrize("n", [1, 4, EXACT_LIMIT, EXACT_LIMIT + 1])
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_wilcoxon_all_zero_is_one(
    n: int, zero_method: ZeroMethod, alternative: Alternative
) -> None:
    outcome = wilcoxon([0.1 + 0.2] * n, [0.3] * n, zero_method=zero_method, alternative=alternative)
    assert float(outcome.p_value) == 1.0
    assert bool(outcome.degenerate)


def test_near_ties_of_differences_are_ties() -> None:
    # 0.01 each, on scores near 90: the last bits differ by more than 1e-12 of 0.01.
    a = np.array([90.62, 70.02, 30.01, 50.5])
    b = np.array([90.61, 70.01, 30.02, 50.0])
    assert abs((90.62 - 90.61) / (70.02 - 70.01) - 1) > 1e-12
    clean = wilcoxon([1, 1, 0, 50], [0, 0, 1, 0])
    assert float(wilcoxon(a, b).statistic) == float(clean.statistic) == 8.0
    assert float(wilcoxon(a, b).p_value) == float(clean.p_value)


def test_exact_and_normal_meet_at_the_limit() -> None:
    # A zero difference is dropped, but it is the 101st data set: the same ranks, both ways.
    rng = np.random.default_rng(0)
    for shift in (0.0, 0.1, 0.3):
        difference = rng.normal(size=EXACT_LIMIT) + shift
        exact = wilcoxon(difference, np.zeros(EXACT_LIMIT))
        normal = wilcoxon([*difference, 0.0], np.zeros(EXACT_LIMIT + 1))
        assert (exact.null, normal.null) == ("exact", "normal")
        assert float(normal.statistic) == float(exact.statistic)
        assert float(normal.p_value) == pytest.approx(float(exact.p_value), abs=0.003)


def test_normal_tails_by_formula() -> None:
    # n = 121 differences ±1, 71 positive: all ranks 61, z = (71 - 60.5) · 61 / √(121 · 61² / 4).
    d = np.array([1.0] * 71 + [-1.0] * 50)
    z = (71 - 60.5) / np.sqrt(121 / 4)
    outcome = wilcoxon(d, np.zeros(121))
    assert float(outcome.statistic) == 71 * 61
    assert float(outcome.p_value) == pytest.approx(2 * norm.sf(z))
    assert float(wilcoxon(d, np.zeros(121), alternative="less").p_value) == pytest.approx(
        norm.cdf(z)
    )


def test_a_hundred_wins_keep_a_tiny_p() -> None:
    d = np.arange(1.0, 101.0)
    assert float(wilcoxon(d, np.zeros(100)).p_value) == pytest.approx(2.0**-99, rel=1e-12)


def test_wilcoxon_refuses() -> None:
    with pytest.raises(ValueError, match="zero_method must be wilcox, pratt or zsplit"):
        wilcoxon([1.0], [2.0], zero_method="drop")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alternative"):
        wilcoxon([1.0], [2.0], alternative="up")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a must have shape"):
        wilcoxon([], [])
    with pytest.raises(ValueError, match="paired"):
        wilcoxon([1.0, 2.0], [1.0])


# --- Friedman


def test_friedman_by_hand() -> None:
    # Ranks 1 2 3 / 1 3 2 / 1 2 3 / 2 1 3: sums 5 8 11, means 1.25 2 2.75.
    # Eq. 2.1: 12·4/(3·4) · (1.5625 + 4 + 7.5625 - 3·16/4) = 4 · 1.125
    outcome = friedman([[0.1, 0.2, 0.3], [0.1, 0.9, 0.8], [3.0, 5.0, 9.0], [2.0, 1.0, 4.0]])
    assert outcome.mean_ranks.tolist() == [1.25, 2.0, 2.75]
    assert float(outcome.statistic) == pytest.approx(4.5)
    assert float(outcome.statistic_uncorrected) == pytest.approx(4.5)
    assert outcome.df == (2.0,)
    assert float(outcome.p_value) == pytest.approx(np.exp(-4.5 / 2))  # χ² with two: exp(-x/2)
    assert int(outcome.n) == 4


def test_friedman_ties_by_hand() -> None:
    # Ranks 1.5 1.5 3 / 1 2 3: means 1.25 1.75 3, Σ(R - 2)² = 0.5625 + 0.0625 + 1 = 1.625.
    # Uncorrected: 12·2/(3·4) · 1.625 = 3.25. One pair tied: divide by 1 - (2³ - 2)/(2·(27 - 3)).
    outcome = friedman([[0.3, 0.1 + 0.2, 0.5], [1.0, 2.0, 3.0]])
    assert float(outcome.statistic_uncorrected) == pytest.approx(3.25)
    assert float(outcome.statistic) == pytest.approx(3.25 / (1 - 6 / 48))


def _tie_correction(ranks: np.ndarray) -> float:
    """1 - Σ(t³ - t) / (n k (k² - 1)), the textbook's form."""
    n, k = ranks.shape
    total = sum(t**3 - t for row in ranks for t in np.unique(row, return_counts=True)[1].tolist())
    return float(1 - total / (n * k * (k * k - 1)))


def test_friedman_tie_correction_is_the_textbook_one() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.integers(0, 4, size=(6, 5)).astype(float)
        outcome = friedman(values)
        corrected = float(outcome.statistic_uncorrected) / _tie_correction(average_ranks(values))
        assert float(outcome.statistic) == pytest.approx(corrected)


def test_friedman_all_tied() -> None:
    outcome = friedman([[0.3, 0.1 + 0.2], [1.0, 1.0]])
    assert (float(outcome.statistic), float(outcome.p_value)) == (0.0, 1.0)
    assert float(outcome.statistic_uncorrected) == 0.0
    assert bool(outcome.degenerate)


def test_friedman_from_ranks_is_the_same() -> None:
    values = np.random.default_rng(0).integers(0, 5, size=(3, 7, 4)).astype(float)
    np.testing.assert_array_equal(
        friedman(values).p_value, friedman_from_ranks(average_ranks(values)).p_value
    )


@pytest.mark.parametrize("ranks", [[[1.0, 3.0]], [[0.0, 1.0]], [[1.0, 1.0], [1.0, 2.0]]])
def test_ranks_that_are_not_ranks(ranks: ArrayLike) -> None:
    with pytest.raises(ValueError, match=r"ranks of a data set must add up to .* = 3"):
        friedman_from_ranks(ranks)


def test_friedman_shape() -> None:
    with pytest.raises(ValueError, match="values must have shape"):
        friedman([1.0, 2.0])
    with pytest.raises(ValueError, match="values must have shape"):
        friedman([[1.0], [2.0]])
