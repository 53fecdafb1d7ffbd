"""All pairs of a table by Wilcoxon's signed ranks: the same as pair by pair, at any size."""

import itertools
import time
import tracemalloc

import numpy as np
import pytest
from scipy.stats import rankdata

from palio.stats._signed_ranks import Rows, signed_ranks
from palio.stats.wilcoxon import (
    EXACT_LIMIT,
    ZeroMethod,
    _key,
    _survival,
    _tied_tails,
    wilcoxon,
    wilcoxon_pairs,
)
from palio.types import Alternative, FloatArray

METHODS: tuple[ZeroMethod, ...] = ("wilcox", "pratt", "zsplit")
SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def _tables(n: int) -> dict[str, FloatArray]:
    rng = np.random.default_rng(n)
    accuracy = rng.uniform(0.5, 1.0, size=(n, 6))
    twins = accuracy.copy()
    twins[:, 3] = twins[:, 1]
    twins[:, 4] = twins[:, 1] + 0.1  # every difference tied
    error = np.where(rng.random((n, 6)) < 0.2, 0.0, rng.random((n, 6)).round(2) / 10)
    return {
        "no ties": accuracy,
        "ties and zeros": accuracy.round(2),
        "error rates down to 0": error,
        "integers": rng.integers(-3, 4, size=(n, 6)).astype(float),
        "identical columns": twins,
        # Errors on data sets with targets of every size, so that no one tolerance serves all.
        "scales apart": rng.random((n, 6)).round(2) * 10.0 ** rng.integers(-9, 10, size=(n, 1)),
        "constant": np.full((n, 6), 0.1 + 0.2),
    }


@pytest.mark.parametrize("n", [1, 2, 17, EXACT_LIMIT, EXACT_LIMIT + 1, 300])
@pytest.mark.parametrize("zero_method", METHODS)
@pytest.mark.parametrize("alternative", SIDES)
def test_pairs_equal_single_tests(
    n: int, zero_method: ZeroMethod, alternative: Alternative
) -> None:
    first, second = np.nonzero(~np.eye(6, dtype=bool))
    for name, table in _tables(n).items():
        pairs = wilcoxon_pairs(
            table, first=first, second=second, alternative=alternative, zero_method=zero_method
        )
        assert pairs.statistic.shape == first.shape
        for at, (i, j) in enumerate(zip(first, second, strict=True)):
            one = wilcoxon(
                table[:, i], table[:, j], alternative=alternative, zero_method=zero_method
            )
            assert pairs.null == one.null
            for field in ("statistic", "p_value", "degenerate", "n"):
                assert getattr(pairs, field)[at] == getattr(one, field), (name, i, j, field)


def _ranks_one_by_one(d: FloatArray, score: FloatArray) -> FloatArray:
    """Rank |d| by the definition: neighbours closer than 1e-12 of a score behind them are one."""
    order = sorted(range(d.size), key=lambda i: abs(d[i]))
    groups = [[order[0]]]
    for i, j in itertools.pairwise(order):
        if abs(d[j]) - abs(d[i]) <= 1e-12 * max(score[i], score[j]):
            groups[-1].append(j)
        else:
            groups.append([j])
    ranks, place = np.empty(d.size), 0
    for group in groups:
        ranks[group] = place + (len(group) + 1) / 2
        place += len(group)
    return ranks


@pytest.mark.parametrize("n", [9, 60, 150])
def test_statistic_by_the_definition(n: int) -> None:
    for table in _tables(n).values():
        outcome = wilcoxon_pairs(table, first=[0, 2, 4], second=[1, 5, 1])
        for at, (i, j) in enumerate(((0, 1), (2, 5), (4, 1))):
            d, score = table[:, i] - table[:, j], np.maximum(*np.abs(table[:, [i, j]].T))
            kept = np.abs(d) > 1e-12 * score
            assert int(outcome.n[at]) == kept.sum()
            if kept.any():
                ranks = _ranks_one_by_one(d[kept], score[kept])
                assert float(outcome.statistic[at]) == ranks[d[kept] > 0].sum()


def test_small_differences_beside_large_scores_are_not_merged() -> None:
    # The first data set's scores are 1e13 times the others': relative to it, the other three
    # differences would be a tie, but they have scores of their own.
    a = np.array([2e13, 1.1, 1.2, 1.4])
    b = np.array([1e13, 1.0, 1.0, 1.0])
    outcome = wilcoxon(a, b * np.array([1, 1, 1, 1]))
    assert float(outcome.statistic) == 10.0
    reversed_first = wilcoxon(np.where([1, 1, 0, 0], b, a), np.where([1, 1, 0, 0], a, b))
    assert float(reversed_first.statistic) == 2 + 3  # ranks 4 and 1 are negative


def test_near_ties_are_ties_whatever_their_last_bits() -> None:
    rng = np.random.default_rng(1)
    table = rng.uniform(0.5, 1.0, size=(400, 8)).round(2)
    noisy = table + rng.integers(-3, 4, size=table.shape) * np.spacing(table)
    first, second = np.triu_indices(8, 1)
    clean, blurred = (wilcoxon_pairs(t, first=first, second=second) for t in (table, noisy))
    np.testing.assert_array_equal(clean.statistic, blurred.statistic)
    np.testing.assert_array_equal(clean.p_value, blurred.p_value)
    d = np.rint(100 * table[:, 0]) - np.rint(100 * table[:, 1])
    d = d[d != 0]
    assert float(clean.statistic[0]) == rankdata(np.abs(d))[d > 0].sum()


def test_order_of_columns_and_data_sets_does_not_matter() -> None:
    table = np.random.default_rng(2).random((130, 7)).round(2)
    first, second = np.triu_indices(7, 1)
    straight = wilcoxon_pairs(table, first=first, second=second)
    mirrored = wilcoxon_pairs(table, first=second, second=first)
    shuffled = wilcoxon_pairs(table[::-1, ::-1], first=6 - first, second=6 - second)
    np.testing.assert_array_equal(straight.p_value, mirrored.p_value)
    np.testing.assert_array_equal(straight.p_value, shuffled.p_value)
    np.testing.assert_array_equal(straight.statistic, shuffled.statistic)
    ranks = straight.n * (straight.n + 1) / 2
    np.testing.assert_array_equal(straight.statistic + mirrored.statistic, ranks)


def test_sides_mirror_and_tiny_p_values_survive() -> None:
    table = np.column_stack([np.arange(1.0, 501.0), np.zeros(500)])
    greater = wilcoxon_pairs(table, first=[0, 1], second=[1, 0], alternative="greater")
    less = wilcoxon_pairs(table, first=[1, 0], second=[0, 1], alternative="less")
    np.testing.assert_array_equal(greater.p_value, less.p_value)
    assert 0.0 < float(greater.p_value[0]) < 1e-80
    assert float(greater.p_value[1]) == 1.0


def test_input_is_left_alone_and_no_pairs_give_none() -> None:
    table = np.random.default_rng(3).random((20, 3)).round(1)
    before = table.copy()
    wilcoxon_pairs(table, first=[0, 1], second=[1, 2])
    np.testing.assert_array_equal(table, before)
    assert wilcoxon_pairs(table, first=[], second=[]).p_value.shape == (0,)


def test_refuses() -> None:
    table = np.eye(3)
    with pytest.raises(ValueError, match="first must lie between 0 and 2"):
        wilcoxon_pairs(table, first=[3], second=[0])
    with pytest.raises(ValueError, match="second must lie between 0 and 2"):
        wilcoxon_pairs(table, first=[0], second=[-1])
    with pytest.raises(ValueError, match="second must be whole numbers"):
        wilcoxon_pairs(table, first=[0], second=[0.5])
    with pytest.raises(ValueError, match="one length"):
        wilcoxon_pairs(table, first=[0, 1], second=[2])
    with pytest.raises(ValueError, match=r"values must have shape \(n, k\)"):
        wilcoxon_pairs(table[None], first=[0], second=[1])
    with pytest.raises(ValueError, match="values must be finite"):
        wilcoxon_pairs([[np.nan, 1.0]], first=[0], second=[1])
    with pytest.raises(ValueError, match="zero_method"):
        wilcoxon_pairs(table, first=[0], second=[1], zero_method="drop")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alternative"):
        wilcoxon_pairs(table, first=[0], second=[1], alternative="up")  # type: ignore[arg-type]


@pytest.mark.parametrize("decimals", [15, 3])
def test_two_hundred_algorithms_on_a_thousand_data_sets(decimals: int) -> None:
    table = np.random.default_rng(0).random((1000, 200)).round(decimals)
    first, second = np.triu_indices(200, 1)
    start = time.process_time()
    outcome = wilcoxon_pairs(table, first=first, second=second)
    assert time.process_time() - start < 4.0  # 0.35 s without ties, 0.7 s with, when written
    assert outcome.p_value.shape == (19_900,)


def test_memory_stays_small() -> None:
    table = np.random.default_rng(0).random((1000, 60)).round(3)
    first, second = np.triu_indices(60, 1)
    tracemalloc.start()
    wilcoxon_pairs(table, first=first, second=second)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # all differences at once would be 14 MB per copy, and there are many copies


@pytest.mark.parametrize("n", [1, 2, 3, 8, 40, EXACT_LIMIT])
def test_tails_by_halves_are_those_of_the_whole_table(n: int) -> None:
    """Any weights, any sum; the whole table of each row is made in n³ steps."""
    rng = np.random.default_rng(n)
    weights = np.sort(rng.integers(0, 2 * n, (60, n)), axis=1)
    total = weights.sum(axis=1)
    reached = (rng.random(60) * (total + 1)).astype(int)
    reached[:3], reached[3:6] = 0, total[3:6]
    upper, lower = _tied_tails(weights, reached)
    tables = [_survival(_key(row)) for row in weights]
    at_least = [table[w] for table, w in zip(tables, reached, strict=True)]
    at_most = [table[table.size - 1 - w] for table, w in zip(tables, reached, strict=True)]
    np.testing.assert_allclose(upper, at_least, rtol=1e-13)
    np.testing.assert_allclose(lower, at_most, rtol=1e-13)


@pytest.mark.parametrize("n", [2, 8, 150])
@pytest.mark.parametrize("values", [3, 12, 120])
def test_sums_are_those_of_the_ranks(n: int, values: int) -> None:
    """With many ties and zeros and with few, rows without a difference, and rounding noise."""
    rng = np.random.default_rng(values)
    first, second = rng.integers(0, values, (2, 200, n)).astype(float)
    first[:4] = second[:4]
    first += 1e-13 * rng.normal(size=first.shape)
    sizes = np.abs(first), np.abs(second)
    rows = Rows(
        first,
        second,
        np.maximum(*(size.max(axis=1) for size in sizes)),
        np.maximum(*(size.min(axis=1) for size in sizes)),
    )
    by_ranks, by_sums = (signed_ranks(rows, keep_ranks=keep) for keep in (True, False))
    for field in ("positive", "zeros", "cubes"):
        np.testing.assert_array_equal(getattr(by_ranks, field), getattr(by_sums, field))
    some = by_ranks.zeros > 0
    assert some.any()
    np.testing.assert_array_equal(by_ranks.wins[some], by_sums.wins[some])
