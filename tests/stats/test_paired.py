"""Paired t and permutation tests over data sets. The sign test is in test_across."""

import itertools

import numpy as np
import pytest

from palio.stats.paired import PERMUTATION_EXACT_LIMIT, paired_t, permutation_test
from palio.types import Alternative, FloatArray

SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
OPPOSITE: dict[Alternative, Alternative] = {
    "two-sided": "two-sided",
    "greater": "less",
    "less": "greater",
}


# --- paired t


def test_paired_t_by_hand() -> None:
    # Differences 1 2 3 2: mean 2, Σ(d - 2)² = 2, S² = 2/3, t = 2 / √(2/3 / 4) = 2 √6.
    outcome = paired_t([2.0, 3.0, 4.0, 3.0], [1.0, 1.0, 1.0, 1.0])
    assert float(outcome.statistic) == pytest.approx(2 * np.sqrt(6))
    assert outcome.df == (3.0,)
    assert int(outcome.n) == 4


def test_paired_t_without_variance() -> None:
    same = paired_t([0.1 + 0.2, 0.5], [0.3, 0.5])
    assert (float(same.statistic), float(same.p_value)) == (0.0, 1.0)
    a, b = [0.9, 0.8, 0.7], [0.8, 0.7, 0.6]  # 0.1 each, but for the last bits
    shifted = paired_t(a, b)
    assert (float(shifted.statistic), float(shifted.p_value)) == (np.inf, 2 / 2**3)
    assert bool(shifted.degenerate)
    for alternative in ("two-sided", "greater", "less"):
        expected = permutation_test(a, b, alternative=alternative).p_value
        assert float(paired_t(a, b, alternative=alternative).p_value) == float(expected)


def test_paired_t_needs_two_data_sets() -> None:
    with pytest.raises(ValueError, match="a must have shape"):
        paired_t([1.0], [2.0])


# --- permutation


def test_permutation_by_hand() -> None:
    # Differences 3 1 -1: the eight sums are ±5 ±3 ±3 ±1. Observed 3: three sums reach it.
    a, b = [3.0, 1.0, 0.0], [0.0, 0.0, 1.0]
    outcome = permutation_test(a, b, alternative="greater")
    assert float(outcome.statistic) == 1.0
    assert float(outcome.p_value) == 3 / 8
    assert float(permutation_test(a, b).p_value) == 6 / 8
    # Sums of at most 3: all but 5.
    assert float(permutation_test(a, b, alternative="less").p_value) == 7 / 8


def _by_enumeration(d: FloatArray, alternative: Alternative) -> float:
    flips = np.array(list(itertools.product([-1.0, 1.0], repeat=d.size))) @ d
    observed, noise = d.sum(), 1e-9
    reached = {
        "two-sided": np.abs(flips) >= abs(observed) - noise,
        "greater": flips >= observed - noise,
        "less": flips <= observed + noise,
    }[alternative]
    return float(reached.mean())


@pytest.mark.parametrize("alternative", SIDES)
def test_all_flips_are_counted(alternative: Alternative) -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 7, 12):
        for decimals in (0, 1, 9):
            d = rng.normal(loc=0.3, size=n).round(decimals)
            outcome = permutation_test(d + 5, np.full(n, 5.0), alternative=alternative)
            assert float(outcome.p_value) == pytest.approx(_by_enumeration(d, alternative))


@pytest.mark.parametrize("n", [13, PERMUTATION_EXACT_LIMIT, PERMUTATION_EXACT_LIMIT + 1, 200])
@pytest.mark.parametrize("alternative", SIDES)
def test_order_and_sides(n: int, alternative: Alternative) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.uniform(0.5, 1.0, size=(2, n)).round(3)
    p = float(permutation_test(a, b, alternative=alternative).p_value)
    order = rng.permutation(n)
    assert float(permutation_test(a[order], b[order], alternative=alternative).p_value) == p
    swapped = permutation_test(b, a, alternative=OPPOSITE[alternative])
    assert float(swapped.p_value) == p
    assert float(swapped.statistic) == pytest.approx(
        -float(permutation_test(a, b, alternative=alternative).statistic)
    )


def test_exact_and_random_agree() -> None:
    # One more data set, tied, changes no sum of flips but the way they are counted.
    rng = np.random.default_rng(1)
    for shift in (0.0, 0.2, 0.5):
        d = rng.normal(size=PERMUTATION_EXACT_LIMIT) + shift
        exact = permutation_test(d, np.zeros_like(d))
        random = permutation_test([*d, 0.0], np.zeros(d.size + 1), n_resamples=99_999)
        assert (exact.null, random.null) == ("exact", "random flips")
        p = float(exact.p_value)
        bound = 4 * np.sqrt(p * (1 - p) / 1e5) + 1e-5
        assert float(random.p_value) == pytest.approx(p, abs=bound)


def test_random_flips_follow_the_seed_and_are_never_zero() -> None:
    a, b = np.random.default_rng(2).normal(size=(2, 60))
    p = [float(permutation_test(a, b, seed=seed).p_value) for seed in (0, 0, 1)]
    assert p[0] == p[1] != p[2]
    assert p[0] == pytest.approx(p[2], abs=0.02)
    certain = permutation_test(np.arange(60.0) + 1, np.zeros(60), n_resamples=99)
    assert float(certain.p_value) == 1 / 100


@pytest.mark.parametrize("n", [1, 5, 31])
@pytest.mark.parametrize("alternative", SIDES)
def test_all_tied_is_one(n: int, alternative: Alternative) -> None:
    outcome = permutation_test([0.1 + 0.2] * n, [0.3] * n, alternative=alternative)
    assert float(outcome.p_value) == 1.0
    assert bool(outcome.degenerate)


def test_last_bits_do_not_count() -> None:
    # All differences are 0.1: of 2⁴ flips one reaches their sum, on each side.
    a, b = [0.9, 0.8, 0.7, 0.4], [0.8, 0.7, 0.6, 0.3]
    assert len({x - y for x, y in zip(a, b, strict=True)}) > 1
    assert float(permutation_test(a, b).p_value) == 2 / 16


def test_one_win_of_thirty_keeps_a_tiny_p() -> None:
    n = PERMUTATION_EXACT_LIMIT
    assert float(permutation_test(np.ones(n), np.zeros(n)).p_value) == 2.0 ** (1 - n)


def test_permutation_refuses() -> None:
    with pytest.raises(ValueError, match="n_resamples must be 1 or more; got 0"):
        permutation_test([1.0], [2.0], n_resamples=0)
    with pytest.raises(ValueError, match="alternative"):
        permutation_test([1.0], [2.0], alternative="up")  # type: ignore[arg-type]
