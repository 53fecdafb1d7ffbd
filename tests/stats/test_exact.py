"""The exact distributions of Friedman's statistic and Conover's."""

import itertools
import math
import time

import numpy as np
import pytest

from palio.stats.exact import (
    _MOST_DATASETS,
    conover_exact,
    few_orders,
    friedman_exact,
    friedman_exact_from_ranks,
    friedman_exact_possible,
)
from palio.stats.omnibus import friedman
from palio.stats.paired import sign_test_counts
from palio.stats.posthoc import conover
from palio.stats.ranks import average_ranks
from palio.types import FloatArray


def _by_enumeration(values: FloatArray) -> float:
    """Put every data set's ranks in every distinct order, and count."""
    rows = [sorted(set(itertools.permutations(row))) for row in average_ranks(values).tolist()]
    sums = np.zeros((1, values.shape[1]))
    for orders in rows:  # of one more data set, each beside each of those before
        sums = (sums[:, None] + np.array(orders)).reshape(-1, values.shape[1])
    squares = np.square(sums).sum(axis=-1)
    observed = np.square(average_ranks(values).sum(axis=0)).sum()
    return float((squares >= observed - 1e-9).mean())


@pytest.mark.parametrize(
    ("n", "k"), [(1, 2), (5, 2), (9, 2), (1, 3), (4, 3), (6, 3), (3, 4), (2, 5)]
)
@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_all_orders_are_counted(n: int, k: int, decimals: int) -> None:
    rng = np.random.default_rng(100 * n + k)
    for _ in range(3):
        values = rng.normal(size=(n, k)).round(decimals)
        outcome = friedman_exact(values)
        assert float(outcome.p_value) == pytest.approx(_by_enumeration(values), rel=1e-12)
        assert float(outcome.statistic) == float(friedman(values).statistic)
        assert outcome.null == "exact"


def test_two_algorithms_are_the_sign_test() -> None:
    for wins in range(41):
        values = np.array([[1.0, 2.0]] * wins + [[2.0, 1.0]] * (40 - wins) + [[1.0, 1.0]] * 3)
        expected = float(sign_test_counts(wins, 40 - wins).p_value)
        assert float(friedman_exact(values).p_value) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("k", "n"), [(2, 200), (3, 60), (4, 20)])
def test_many_data_sets_approach_chi_square(k: int, n: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(5):
        values = rng.normal(size=(n, k))
        approximate = float(friedman(values).p_value)
        assert float(friedman_exact(values).p_value) == pytest.approx(approximate, abs=0.06)


def test_agreement_keeps_a_tiny_p() -> None:
    # k! of (k!)ⁿ tables agree on an order.
    for k, n in ((3, 40), (4, 20), (5, 8)):
        orders = float(np.prod(np.arange(1, k + 1)))
        p = float(friedman_exact(np.tile(np.arange(k), (n, 1))).p_value)
        assert p == pytest.approx(orders ** (1 - n), rel=1e-9)


def test_all_tied_is_one() -> None:
    outcome = friedman_exact(np.full((5, 3), 0.3))
    assert float(outcome.p_value) == 1.0
    assert bool(outcome.degenerate)


def test_order_of_data_sets_and_algorithms_does_not_matter() -> None:
    values = np.random.default_rng(0).random((7, 4)).round(1)
    p = float(friedman_exact(values).p_value)
    assert float(friedman_exact(values[::-1, [2, 0, 3, 1]]).p_value) == p
    assert float(friedman_exact(-values).p_value) == pytest.approx(p, rel=1e-12)


def test_batch_equals_loop() -> None:
    values = np.random.default_rng(1).random((2, 3, 5, 3)).round(1)
    batch = friedman_exact(values)
    assert batch.p_value.shape == (2, 3)
    for index in np.ndindex(2, 3):
        assert float(batch.p_value[index]) == float(friedman_exact(values[index]).p_value)
    assert friedman_exact(values[:0]).p_value.shape == (0, 3)


@pytest.mark.slow
def test_the_most_that_is_possible_is_done() -> None:
    rng = np.random.default_rng(2)
    for k, n in _MOST_DATASETS.items():
        for decimals in (1, 9):
            found = friedman_exact(rng.normal(size=(n, k)).round(decimals))
            assert 0.0 < float(found.p_value) <= 1.0


def test_possible_is_what_it_says() -> None:
    for k, n in _MOST_DATASETS.items():
        assert friedman_exact_possible(n, k)
        assert not friedman_exact_possible(n + 1, k)
    assert not friedman_exact_possible(1, 8)
    assert not friedman_exact_possible(0, 3)
    with pytest.raises(ValueError, match=r"n must be at most .*30 for k = 4.*got n = 31 and k = 4"):
        friedman_exact(np.tile(np.arange(4.0), (31, 1)))
    with pytest.raises(ValueError, match="ranks of a data set must add up"):
        friedman_exact_from_ranks([[1.0, 3.0]])


# --- Conover


def _conover_t(ranks: FloatArray) -> FloatArray:
    """Return |t| of all pairs by the formula of the page; infinite where nothing is left over."""
    n, k = ranks.shape[-2:]
    sums = ranks.sum(axis=-2)
    left = n * np.square(ranks).sum(axis=(-2, -1)) - np.square(sums).sum(axis=-1)
    left = np.where(left < 1e-9, 0.0, left)[..., None, None]
    apart = np.abs(sums[..., :, None] - sums[..., None, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        t = apart / np.sqrt(2 * left / ((n - 1) * (k - 1)))
    return np.where(apart < 1e-9, 0.0, t)


def _conover_by_enumeration(values: FloatArray) -> FloatArray:
    """Put every data set's ranks in every one of k! orders, equal ones and all, and count."""
    ranks = average_ranks(values)
    rows = [list(itertools.permutations(row)) for row in ranks.tolist()]
    every = _conover_t(np.array(list(itertools.product(*rows))))
    return np.asarray((every >= _conover_t(ranks) * (1 - 1e-9)).mean(axis=0))


@pytest.mark.parametrize(("n", "k"), [(2, 2), (9, 2), (2, 3), (5, 3), (3, 4), (2, 5)])
@pytest.mark.parametrize("decimals", [0, 9])
def test_all_orders_are_counted_for_each_pair(n: int, k: int, decimals: int) -> None:
    rng = np.random.default_rng(100 * n + k)
    agreed = np.tile(rng.normal(size=k).round(decimals), (n, 1))
    for values in (rng.normal(size=(n, k)).round(decimals), agreed):
        found, ranks = conover_exact(average_ranks(values)), average_ranks(values)
        np.testing.assert_allclose(found.p_value, _conover_by_enumeration(values), rtol=1e-10)
        np.testing.assert_array_equal(found.statistic, conover(ranks).statistic)
        assert (found.null, found.df) == ("exact", ())
    # Where all agree, the approximation has the exact p-value without counting.
    np.testing.assert_allclose(found.p_value, conover(ranks).p_value, rtol=1e-10)


@pytest.mark.parametrize(("n", "k"), [(2, 2), (6, 2), (3, 3), (5, 3), (2, 4)])
def test_what_the_approximation_is_raised_to_can_be(n: int, k: int) -> None:
    rng = np.random.default_rng(n + k)
    raised = 0
    for _ in range(40):
        ranks = average_ranks((np.arange(k) + 0.8 * rng.normal(size=(n, k))).round(1))
        approximate, exact = conover(ranks), conover_exact(ranks)
        at_least = approximate.p_value[approximate.degenerate]
        assert (at_least <= exact.p_value[approximate.degenerate] * (1 + 1e-9)).all()
        raised += int((approximate.degenerate & (approximate.statistic != 0)).sum())
    assert raised


def test_the_chance_that_data_sets_agree() -> None:
    for n, k in ((2, 2), (2, 3), (19, 2), (7, 3), (4, 4), (2, 6)):
        ranks = np.tile(np.arange(1.0, k + 1), (n, 1))
        chance = 1 / math.factorial(k) ** (n - 1)
        assert float(conover_exact(ranks).p_value[0, 1]) == pytest.approx(chance, rel=1e-10)


def test_conover_in_a_batch_and_in_time() -> None:
    rng = np.random.default_rng(4)
    tables = average_ranks(rng.normal(size=(2, 3, 7, 3)).round(1))
    found = conover_exact(tables)
    assert found.p_value.shape == (2, 3, 3, 3)
    np.testing.assert_array_equal(found.p_value[1, 2], conover_exact(tables[1, 2]).p_value)
    start = time.perf_counter()
    for n, k in ((19, 2), (7, 3), (4, 4), (2, 5), (2, 6)):
        conover_exact(average_ranks(rng.normal(size=(n, k))))
    assert time.perf_counter() - start < 2


def test_more_orders_are_refused() -> None:
    assert [n for n in range(1, 30) if few_orders(n, 2)] == list(range(1, 20))
    assert not few_orders(2, 10_000)
    with pytest.raises(ValueError, match="Use conover"):
        conover_exact(np.tile([1.0, 2.0, 3.0], (8, 1)))
