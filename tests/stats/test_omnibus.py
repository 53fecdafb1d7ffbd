"""Iman–Davenport, Kendall's W, aligned ranks, Quade. Friedman's χ² is in test_across."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.special import fdtrc
from scipy.stats import rankdata

from palio.stats.exact import friedman_exact
from palio.stats.omnibus import (
    aligned_ranks,
    friedman,
    friedman_aligned,
    iman_davenport,
    iman_davenport_from_ranks,
    kendall_w,
    least_share,
    quade,
    quade_scores,
)
from palio.stats.outcome import Outcome
from palio.stats.ranks import average_ranks
from palio.stats.wilcoxon import wilcoxon
from palio.types import FloatArray

ALL: dict[str, Callable[[ArrayLike], Outcome]] = {
    "friedman": friedman,
    "iman_davenport": iman_davenport,
    "kendall_w": kendall_w,
    "friedman_aligned": friedman_aligned,
    "quade": quade,
}


def _tables() -> list[FloatArray]:
    rng = np.random.default_rng(0)
    tables = [rng.uniform(0.4, 1.0, size=(9, 4)).round(decimals) for decimals in (1, 2, 15)]
    half_tied = tables[1].copy()
    half_tied[:4] = 0.7
    return [*tables, half_tied]


# --- what holds for every one of them


@pytest.mark.parametrize("name", ALL)
def test_order_of_columns_and_data_sets_does_not_matter(name: str) -> None:
    for table in _tables():
        straight, turned = ALL[name](table), ALL[name](table[::-1, [2, 0, 3, 1]])
        assert float(turned.statistic) == pytest.approx(float(straight.statistic), rel=1e-12)
        assert float(turned.p_value) == pytest.approx(float(straight.p_value), rel=1e-10)


@pytest.mark.parametrize("name", ALL)
def test_negation_changes_nothing(name: str) -> None:
    for table in _tables():
        mirrored = ALL[name](-table)
        assert float(mirrored.statistic) == pytest.approx(
            float(ALL[name](table).statistic), abs=1e-12
        )


@pytest.mark.parametrize("name", ALL)
def test_last_bits_do_not_count(name: str) -> None:
    rng = np.random.default_rng(1)
    for table in _tables()[:2]:
        noisy = table + rng.integers(-2, 3, size=table.shape) * np.spacing(table)
        assert not np.array_equal(table, noisy)
        clean = ALL[name](table)
        assert float(ALL[name](noisy).statistic) == pytest.approx(float(clean.statistic), abs=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_all_tied_is_one(name: str) -> None:
    for value in (0.0, 0.3, -5.0):
        outcome = ALL[name](np.full((4, 3), value) * np.array([1.0, 1.0 + 1e-15, 1.0 - 1e-15]))
        assert (float(outcome.statistic), float(outcome.p_value)) == (0.0, 1.0)
        assert bool(outcome.degenerate)


@pytest.mark.parametrize("name", ALL)
def test_identical_algorithms_on_some_data_sets_are_no_trouble(name: str) -> None:
    table = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]])
    outcome = ALL[name](table)
    assert 0.0 < float(outcome.p_value) < 1.0
    assert not bool(outcome.degenerate)


@pytest.mark.parametrize("name", ALL)
def test_tiny_p_values_survive(name: str) -> None:
    rng = np.random.default_rng(2)
    table = np.arange(6.0) + rng.normal(scale=1.5, size=(200, 6))
    assert 0.0 < float(ALL[name](table).p_value) < 1e-100


@pytest.mark.parametrize("name", ALL)
def test_shape(name: str) -> None:
    with pytest.raises(ValueError, match="values must have shape"):
        ALL[name]([1.0, 2.0])
    with pytest.raises(ValueError, match="values must have shape"):
        ALL[name]([[1.0], [2.0]])
    with pytest.raises(ValueError, match="values must be finite"):
        ALL[name]([[1.0, np.nan], [2.0, 1.0]])


# --- Iman–Davenport


def test_iman_davenport_by_hand() -> None:
    # Ranks 1 2 3 / 1 3 2 / 1 2 3 / 2 1 3: χ² = 4.5, F = 3 · 4.5 / (8 - 4.5).
    table = [[0.1, 0.2, 0.3], [0.1, 0.9, 0.8], [3.0, 5.0, 9.0], [2.0, 1.0, 4.0]]
    outcome = iman_davenport(table)
    assert float(outcome.statistic) == pytest.approx(13.5 / 3.5)
    assert outcome.df == (2.0, 6.0)
    assert float(outcome.p_value) == pytest.approx(float(fdtrc(2, 6, 13.5 / 3.5)))


def test_iman_davenport_is_the_formula_in_the_tie_corrected_friedman() -> None:
    for table in _tables():
        n, k = table.shape
        chi2 = float(friedman(table).statistic)
        assert float(iman_davenport(table).statistic) == pytest.approx(
            (n - 1) * chi2 / (n * (k - 1) - chi2)
        )


def test_perfect_agreement() -> None:
    for n, k in ((2, 2), (3, 7), (40, 3)):
        agreed = np.tile(np.arange(k) * 0.1, (n, 1))
        for test in (iman_davenport, quade):
            same_range = test(agreed)
            assert float(same_range.statistic) == np.inf
            chance = 1.0 / math.factorial(k) ** (n - 1)
            assert float(same_range.p_value) == pytest.approx(chance, rel=1e-12, abs=0)
            assert bool(same_range.degenerate)
        assert float(kendall_w(agreed).statistic) == pytest.approx(1.0)
        assert not bool(kendall_w(agreed).degenerate)


def test_least_share_counts_the_table_with_its_columns_exchanged() -> None:
    rng = np.random.default_rng(11)
    tables = [rng.integers(0, 3, size=(n, k)) for n, k in ((2, 3), (3, 3), (4, 2), (2, 4))]
    tables += [np.tile([1, 2, 2, 3], (2, 1)), np.zeros((3, 3), dtype=int)]
    for values in tables:
        ranks = average_ranks(values)
        rows = [set(itertools.permutations(row)) for row in ranks.tolist()]
        orders = list(itertools.product(*rows))
        columns = itertools.permutations(range(ranks.shape[1]))
        exchanged = {tuple(map(tuple, ranks[:, order].tolist())) for order in columns}
        share = sum(order in exchanged for order in orders) / len(orders)
        assert float(least_share(ranks)) == pytest.approx(share, rel=1e-12)
    stacked = np.stack([average_ranks(rng.integers(0, 3, size=(4, 3))) for _ in range(6)])
    expected = [float(least_share(each)) for each in stacked]
    assert least_share(stacked.reshape(2, 3, 4, 3)).ravel().tolist() == expected


def test_no_approximation_goes_below_what_the_orders_can_give() -> None:
    """Seven data sets agree, one has two exchanged: F's tail is below the chance that all agree."""
    near = np.array([[0.1, 0.2, 0.3]] * 7 + [[0.2, 0.1, 0.3]])
    outcome = iman_davenport(near)
    assert float(outcome.p_value) == pytest.approx(1 / 6**7, rel=1e-12)
    assert float(fdtrc(2, 14, float(outcome.statistic))) < 1 / 6**7
    assert bool(outcome.degenerate)
    assert float(outcome.p_value) <= float(friedman_exact(near).p_value)


def test_two_data_sets_at_least() -> None:
    with pytest.raises(ValueError, match="at least 2, at least 2"):
        iman_davenport([[1.0, 2.0]])
    with pytest.raises(ValueError, match="at least 2, at least 2"):
        quade([[1.0, 2.0]])
    with pytest.raises(ValueError, match="ranks of a data set must add up"):
        iman_davenport_from_ranks([[1.0, 3.0], [1.0, 2.0]])


# --- Kendall's W


def test_kendall_w_is_the_mean_spearman_correlation() -> None:
    # Without ties, the mean over pairs of data sets is (nW - 1) / (n - 1).
    table = np.random.default_rng(3).normal(size=(7, 5))
    correlations = np.asarray(np.corrcoef(average_ranks(table)))
    mean = correlations[np.triu_indices(7, 1)].mean()
    assert (7 * float(kendall_w(table).statistic) - 1) / 6 == pytest.approx(mean)
    assert float(kendall_w(table).p_value) == float(friedman(table).p_value)


# --- aligned ranks


def test_aligned_ranks_by_hand() -> None:
    # Residuals -1 0 1 / -3 1 2: ranks 2 3 4.5 / 1 4.5 6. Sums 3 7.5 10.5 about 7: C = -4 0.5 3.5.
    # Row means 9.5/3 and 11.5/3, Σ(r - r̄)² = 33.25 - 9.5²/3 + 57.25 - 11.5²/3.
    table = [[0.0, 1.0, 2.0], [4.0, 8.0, 9.0]]
    assert aligned_ranks(np.array(table)).tolist() == [[2.0, 3.0, 4.5], [1.0, 4.5, 6.0]]
    within = 33.25 - 9.5**2 / 3 + 57.25 - 11.5**2 / 3
    outcome = friedman_aligned(table)
    assert float(outcome.statistic) == pytest.approx(2 * (16 + 0.25 + 12.25) / within)
    assert outcome.df == (2.0,)


def test_aligned_without_ties_is_the_printed_form() -> None:
    # García et al. (2010): with totals of algorithms R̂.ⱼ and of data sets R̂ᵢ.
    table = np.random.default_rng(4).normal(size=(8, 5))
    n, k = table.shape
    ranks = rankdata(table - table.mean(axis=1, keepdims=True)).reshape(n, k)
    above = (k - 1) * (np.square(ranks.sum(axis=0)).sum() - k * n**2 / 4 * (k * n + 1) ** 2)
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - np.square(ranks.sum(axis=1)).sum() / k
    assert float(friedman_aligned(table).statistic) == pytest.approx(above / below)


def test_alignment_forgets_how_hard_a_data_set_is() -> None:
    table = np.random.default_rng(5).random((10, 4)).round(2)
    shift = np.arange(10.0)[:, None] * 7.3
    straight, shifted = friedman_aligned(table), friedman_aligned(table + shift)
    assert float(shifted.statistic) == pytest.approx(float(straight.statistic), rel=1e-12)


def test_scores_decide_what_is_aligned_alike() -> None:
    # Each row is its mean ± 0.01, on scores near 90: in their last bits the residuals differ.
    table = np.array([[90.61, 90.63], [70.01, 70.03], [30.04, 30.02]])
    residuals = np.abs(table - table.mean(axis=1, keepdims=True))
    assert np.ptp(residuals) / residuals.max() > 1e-12
    assert aligned_ranks(table).tolist() == [[2.0, 5.0], [2.0, 5.0], [5.0, 2.0]]


# --- Quade


def test_quade_by_hand() -> None:
    # Ranges 2 6 4: ranks 1 3 2. Ranks 1 2 3 / 1 2 3 / 2 1 3, centred -1 0 1 / -1 0 1 / 0 -1 1.
    # S: -1 0 1 / -3 0 3 / 0 -2 2; A = 2 + 18 + 8; sums -4 -2 6, B = 56/3; F = 2 B / (A - B).
    table = [[1.0, 2.0, 3.0], [1.0, 2.0, 7.0], [2.0, 1.0, 5.0]]
    assert quade_scores(np.array(table)).tolist() == [[-1, 0, 1], [-3, 0, 3], [0, -2, 2]]
    outcome = quade(table)
    assert float(outcome.statistic) == pytest.approx(2 * (56 / 3) / (28 - 56 / 3))
    assert outcome.df == (2.0, 4.0)


def test_quade_of_two_algorithms_is_wilcoxons_statistic() -> None:
    # Sums are ∓T/2·2 with T = W+ - W-, and A = Σ rank² / 2: F rises with |T|.
    rng = np.random.default_rng(6)
    table = rng.normal(size=(12, 2))
    w = float(wilcoxon(table[:, 0], table[:, 1]).statistic)
    signed, squares = 2 * w - 12 * 13 / 2, 12 * 13 * 25 / 6
    b, a = signed**2 / 2 / 12, squares / 2
    assert float(quade(table).statistic) == pytest.approx(11 * b / (a - b))


def test_ranges_alike_in_all_but_last_bits_share_a_rank() -> None:
    table = np.array([[90.62, 90.61], [70.02, 70.01], [0.3, 0.1 + 0.2], [0.3, 0.8]])
    weights = np.abs(quade_scores(table)).max(axis=-1) * 2
    assert weights.tolist() == [2.5, 2.5, 0.0, 4.0]
