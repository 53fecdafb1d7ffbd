"""Pairs after an omnibus test: Nemenyi, mean ranks, Conover, Quade, aligned ranks."""

import itertools
import time
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtr

from palio.stats.omnibus import friedman_aligned, iman_davenport, quade
from palio.stats.outcome import Outcome
from palio.stats.posthoc import (
    aligned_posthoc,
    bonferroni_dunn_critical_difference,
    conover,
    critical_difference,
    mean_ranks_exact,
    mean_ranks_exact_possible,
    mean_ranks_z,
    nemenyi,
    quade_posthoc,
)
from palio.stats.ranks import average_ranks
from palio.stats.studentized import studentized_range_sf
from palio.types import FloatArray

# From values (..., n, k) to matrices of all pairs.
PAIRWISE: dict[str, Callable[[FloatArray], Outcome]] = {
    "mean_ranks_z": lambda v: mean_ranks_z(average_ranks(v).mean(axis=-2), v.shape[-2]),
    "conover": lambda v: conover(average_ranks(v)),
    "quade": quade_posthoc,
    "aligned": aligned_posthoc,
}


# --- Nemenyi


def test_two_algorithms_by_hand() -> None:
    # k = 2, n = 24: √(k(k+1)/(6n)) = √(1/24); |R1 - R2| = 0.5 is z = 0.5 · √24.
    p = nemenyi([1.25, 1.75], 24)
    assert float(p[0, 1]) == pytest.approx(2 * ndtr(-0.5 * np.sqrt(24)), rel=1e-12)


def test_matrix_is_symmetric_with_ones() -> None:
    p = nemenyi([1.0, 2.5, 2.5, 4.0], 10)
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(np.diag(p), 1.0)
    assert p[1, 2] == 1.0
    assert p[0, 3] < p[0, 1] == p[1, 3] == p[2, 3]


def test_critical_difference_is_where_p_is_alpha() -> None:
    for k, n, alpha in ((3, 10, 0.05), (8, 38, 0.05), (20, 200, 0.01)):
        cd = critical_difference(k, n, alpha)
        ranks = np.full(k, (k + 1) / 2)
        ranks[0], ranks[1] = ranks[0] - cd / 2, ranks[1] + cd / 2
        assert float(nemenyi(ranks, n)[0, 1]) == pytest.approx(alpha, rel=1e-9)


def test_tiny_p_values_survive() -> None:
    assert 0.0 < float(nemenyi([1.0, 2.0, 3.0], 300)[0, 2]) < 1e-100


def test_two_hundred_algorithms_quickly_and_as_exactly() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1000, 200)) + np.linspace(0, 1, 200)
    mean_ranks = average_ranks(values).mean(axis=0)
    start = time.process_time()
    p = nemenyi(mean_ranks, 1000)
    assert time.process_time() - start < 0.5  # 25 ms when written
    np.testing.assert_array_equal(p, p.T)
    q = np.abs(mean_ranks[:, None] - mean_ranks) / np.sqrt(200 * 201 / 12000)
    some = rng.integers(0, 200, size=(400, 2)).T
    np.testing.assert_allclose(p[*some], studentized_range_sf(q[*some], 200), rtol=1e-10)


def test_nemenyi_refuses() -> None:
    with pytest.raises(ValueError, match="n must be 1 or more"):
        nemenyi([1.0, 2.0], 0)
    with pytest.raises(ValueError, match="mean_ranks must have shape"):
        nemenyi([1.0], 5)
    with pytest.raises(ValueError, match="alpha"):
        critical_difference(3, 10, 0.0)
    with pytest.raises(ValueError, match="k must be 2 or more"):
        critical_difference(1, 10)


def test_bonferroni_dunn_is_where_the_adjusted_p_is_alpha() -> None:
    for k, n, alpha in ((2, 10, 0.05), (5, 30, 0.01), (12, 40, 0.1)):
        cd = bonferroni_dunn_critical_difference(k, n, alpha)
        ranks = np.full(k, (k + 1) / 2)
        ranks[0] += cd
        p = float(mean_ranks_z(ranks, n).p_value[0, 1])
        assert (k - 1) * p == pytest.approx(alpha, rel=1e-10)
        assert cd <= critical_difference(k, n, alpha) * (1 + 1e-12)
    with pytest.raises(ValueError, match="k must be 2 or more"):
        bonferroni_dunn_critical_difference(1, 10)
    with pytest.raises(ValueError, match="alpha"):
        bonferroni_dunn_critical_difference(3, 10, 1.0)


# --- what all the others have in common


def _tables() -> list[FloatArray]:
    rng = np.random.default_rng(1)
    return [rng.uniform(0.4, 1.0, size=(9, 4)).round(decimals) for decimals in (1, 2, 15)]


@pytest.mark.parametrize("name", PAIRWISE)
def test_matrices(name: str) -> None:
    for table in _tables():
        outcome = PAIRWISE[name](table)
        assert outcome.statistic.shape == outcome.p_value.shape == (4, 4)
        np.testing.assert_array_equal(outcome.statistic, -outcome.statistic.T)
        np.testing.assert_array_equal(outcome.p_value, outcome.p_value.T)
        np.testing.assert_array_equal(np.diag(outcome.p_value), 1.0)
        assert (outcome.p_value <= 1).all()


@pytest.mark.parametrize("name", PAIRWISE)
def test_order_of_columns_and_data_sets_does_not_matter(name: str) -> None:
    turn = [2, 0, 3, 1]
    for table in _tables():
        straight, turned = PAIRWISE[name](table), PAIRWISE[name](table[::-1, turn])
        np.testing.assert_allclose(
            turned.statistic, straight.statistic[np.ix_(turn, turn)], rtol=1e-12, atol=1e-14
        )
        np.testing.assert_allclose(turned.p_value, straight.p_value[np.ix_(turn, turn)], rtol=1e-10)


@pytest.mark.parametrize("name", PAIRWISE)
def test_all_tied_is_one(name: str) -> None:
    outcome = PAIRWISE[name](np.full((5, 3), 0.3) * np.array([1.0, 1.0 + 1e-15, 1.0 - 1e-15]))
    np.testing.assert_array_equal(outcome.p_value, 1.0)
    np.testing.assert_array_equal(outcome.statistic, 0.0)
    if name != "mean_ranks_z":  # whose spread is not estimated
        assert outcome.degenerate.all()


@pytest.mark.parametrize("name", PAIRWISE)
def test_identical_algorithms_are_never_separated(name: str) -> None:
    table = np.random.default_rng(2).random((12, 4)).round(2)
    table[:, 2] = table[:, 0]
    outcome = PAIRWISE[name](table)
    assert float(outcome.p_value[0, 2]) == 1.0


@pytest.mark.parametrize("name", PAIRWISE)
def test_tiny_p_values_of_pairs_survive(name: str) -> None:
    rng = np.random.default_rng(3)
    table = np.arange(4.0) + rng.normal(scale=1.0, size=(300, 4))
    assert 0.0 < float(PAIRWISE[name](table).p_value[0, 3]) < 1e-60


def test_higher_ranks_have_positive_statistics() -> None:
    table = np.array([[1.0, 2.0, 3.0]] * 4 + [[2.0, 1.0, 3.5]])
    for test in PAIRWISE.values():
        outcome = test(table)
        assert float(outcome.statistic[2, 0]) > 0 > float(outcome.statistic[0, 2])


# --- mean ranks


def test_mean_ranks_z_by_hand() -> None:
    # k = 3, n = 8: √(12/48) = 0.5.
    outcome = mean_ranks_z([1.5, 2.0, 2.5], 8)
    np.testing.assert_allclose(outcome.statistic, [[0, -1, -2], [1, 0, -1], [2, 1, 0]])
    np.testing.assert_allclose(outcome.p_value[0], [1.0, 2 * ndtr(-1.0), 2 * ndtr(-2.0)])


def _distances(n: int, k: int) -> FloatArray:
    """Return |difference of two rank sums| over all (k!)ⁿ rankings."""
    one = [order[0] - order[1] for order in itertools.permutations(range(k))]
    return np.abs([sum(many) for many in itertools.product(one, repeat=n)])


@pytest.mark.parametrize(("n", "k"), [(1, 2), (6, 2), (1, 3), (4, 3), (3, 4), (2, 5)])
def test_mean_ranks_exact_counts_all_rankings(n: int, k: int) -> None:
    distances = _distances(n, k)
    for difference in range(n * (k - 1) + 1):
        ranks = np.full(k, (k + 1) / 2)
        ranks[:2] = [1 + difference / n, 1]
        if not np.allclose(n * ranks, np.rint(n * ranks)):
            ranks[2:] = 1.0
        outcome = mean_ranks_exact(ranks, n)
        assert float(outcome.statistic[0, 1]) == difference
        expected = (distances >= difference).mean()
        assert float(outcome.p_value[0, 1]) == pytest.approx(expected, rel=1e-12)


def test_mean_ranks_exact_approaches_the_normal() -> None:
    ranks = average_ranks(np.random.default_rng(4).normal(size=(200, 6))).mean(axis=0)
    exact, normal = mean_ranks_exact(ranks, 200), mean_ranks_z(ranks, 200)
    # Where they differ it is by half a step of the whole numbers: the rank sums are discrete.
    step = 1 / np.sqrt(200 * 6 * 7 / 6)
    shifted = 2 * ndtr(-np.maximum(np.abs(normal.statistic) - step / 2, 0.0))
    np.testing.assert_allclose(exact.p_value, shifted, atol=5e-4)


def test_mean_ranks_exact_keeps_a_tiny_p() -> None:
    # First before last on all: (1 / (k(k - 1)))ⁿ, either way.
    p = float(mean_ranks_exact([1.0, 2.0, 3.0, 4.0], 100).p_value[0, 3])
    assert p == pytest.approx(2 * 12.0**-100, rel=1e-9)


def test_mean_ranks_exact_refuses() -> None:
    assert mean_ranks_exact_possible(1000, 21)
    assert not mean_ranks_exact_possible(1000, 22)
    with pytest.raises(ValueError, match="without ties"):
        mean_ranks_exact([1.5, 1.75, 2.75], 2)
    with pytest.raises(ValueError, match=r"n\(k - 1\) must be at most 20000"):
        mean_ranks_exact(np.full(22, 11.0), 1000)
    with pytest.raises(ValueError, match="between 1 and k"):
        mean_ranks_exact([1.0, 9.0], 3)
    with pytest.raises(ValueError, match="n must be 1 or more"):
        mean_ranks_exact([1.0, 2.0], 0)


# --- Conover, Quade, aligned


def test_conover_by_hand() -> None:
    # Ranks 1.5 1.5 3 / 1 2 3 / 1 3 2: R = 3.5 6.5 8, Σr² = 13.5 + 14 + 14 = 41.5,
    # n Σr² - ΣR² = 124.5 - 118.5 = 6, t = 4.5 / √(2 · 6 / 4).
    outcome = conover([[1.5, 1.5, 3.0], [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]])
    assert float(outcome.statistic[2, 0]) == pytest.approx(4.5 / np.sqrt(3))
    assert float(outcome.p_value[2, 0]) == pytest.approx(float(2 * stdtr(4, -4.5 / np.sqrt(3))))


def test_quade_posthoc_by_hand() -> None:
    # As in test_omnibus: sums -4 -2 6, A - B = 28 - 56/3; t = 10 / √(6 (A - B) / 4).
    outcome = quade_posthoc([[1.0, 2.0, 3.0], [1.0, 2.0, 7.0], [2.0, 1.0, 5.0]])
    assert float(outcome.statistic[2, 0]) == pytest.approx(10 / np.sqrt(1.5 * (28 - 56 / 3)))
    assert outcome.df == (4.0,)


@pytest.mark.parametrize(
    ("omnibus", "pairs"),
    [
        (iman_davenport, PAIRWISE["conover"]),
        (quade, quade_posthoc),
        (friedman_aligned, aligned_posthoc),
    ],
)
def test_two_algorithms_give_the_omnibus_test(
    omnibus: Callable[[ArrayLike], Outcome], pairs: Callable[[FloatArray], Outcome]
) -> None:
    # t² on f degrees of freedom is F on 1 and f; z² is χ² on 1.
    for decimals in (1, 15):
        table = np.random.default_rng(5).random((11, 2)).round(decimals)
        outcome = pairs(table)
        assert float(outcome.statistic[0, 1]) ** 2 == pytest.approx(float(omnibus(table).statistic))
        assert float(outcome.p_value[0, 1]) == pytest.approx(float(omnibus(table).p_value))


def test_perfect_agreement() -> None:
    table = np.tile([1.0, 2.0, 2.0, 3.0], (5, 1))
    for test in (PAIRWISE["conover"], quade_posthoc):
        outcome = test(table)
        assert outcome.degenerate.all()
        # Of the 12 distinct orders one in each of four; five of six pairs have different ranks.
        chance = pytest.approx(5 / 6 / 12**4, rel=1e-12, abs=0)
        assert outcome.p_value[0].tolist() == [1.0, chance, chance, chance]
        assert float(outcome.p_value[1, 2]) == 1.0
        assert float(outcome.statistic[3, 0]) == np.inf


def test_aligned_variance_is_that_of_all_orders() -> None:
    # Every data set puts its aligned ranks in every order: mean 0, and variance the square of the
    # standard error, for each pair.
    table = np.random.default_rng(6).random((3, 3)).round(1)
    residual = table - table.mean(axis=1, keepdims=True)
    orders = [list(itertools.permutations(row)) for row in residual.tolist()]
    shuffled = np.array(list(itertools.product(*orders)))
    outcome = aligned_posthoc(shuffled)
    for i, j in ((0, 1), (1, 2)):
        assert float(outcome.statistic[:, i, j].mean()) == pytest.approx(0.0, abs=1e-12)
        assert float(np.square(outcome.statistic[:, i, j]).mean()) == pytest.approx(1.0)


def test_posthocs_refuse() -> None:
    with pytest.raises(ValueError, match="at least 2, at least 2"):
        conover([[1.0, 2.0]])
    with pytest.raises(ValueError, match="ranks of a data set must add up"):
        conover([[1.0, 3.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="at least 2, at least 2"):
        quade_posthoc([[1.0, 2.0]])
    with pytest.raises(ValueError, match="values must have shape"):
        aligned_posthoc([1.0, 2.0])
