"""Aggregates of resamples: the same as of the scores written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from palio.stats.aggregates import (
    aggregated,
    draw_units,
    draw_within,
    exceeding,
    improvement,
    improvement_over_datasets,
    interquartile_mean,
    optimality_gap,
    outcomes,
    ratios_to_best,
)

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 30, 101])
def test_the_interquartile_mean_is_scipys_trimmed_mean(n: int) -> None:
    values = RNG.standard_cauchy((3, n))
    np.testing.assert_allclose(
        interquartile_mean(values), stats.trim_mean(values, 0.25, axis=-1), rtol=1e-12
    )


def test_an_outlier_that_is_left_out_costs_no_digits() -> None:
    values = np.array([-1e15, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1e15])
    once = np.ones((8, 1), dtype=np.float32)
    found = aggregated(values, np.ones(8, dtype=np.intp), once, 1.0)
    assert found.iqm[0] == pytest.approx(0.35, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 13])
def test_resamples_of_data_sets_are_those_written_out(n: int) -> None:
    values = RNG.normal(size=n).round(1)  # with ties
    counts = draw_units(n, 40, np.random.default_rng(n))
    assert (counts.sum(axis=0) == n).all()
    found = aggregated(values, np.ones(n, dtype=np.intp), counts, 0.5)
    for b in range(40):
        drawn = np.repeat(values, counts[:, b].astype(int))
        assert found.iqm[b] == pytest.approx(stats.trim_mean(drawn, 0.25), abs=1e-6)
        assert found.median[b] == np.median(drawn)
        assert found.mean[b] == pytest.approx(drawn.mean(), abs=1e-6)
        assert found.gap[b] == pytest.approx(optimality_gap(drawn, 0.5).item(), abs=1e-6)


def test_resamples_of_runs_keep_the_data_sets() -> None:
    sizes = np.array([1, 3, 2, 5])
    values = RNG.normal(size=11)
    counts = draw_within(sizes, 200, np.random.default_rng(1))
    found = aggregated(values, sizes, counts, 0.2)
    groups = np.split(np.arange(11), np.cumsum(sizes)[:-1])
    for b in range(200):
        drawn = [np.repeat(values[group], counts[group, b].astype(int)) for group in groups]
        assert [each.size for each in drawn] == sizes.tolist()
        means = [each.mean() for each in drawn]
        assert found.iqm[b] == pytest.approx(stats.trim_mean(np.concatenate(drawn), 0.25), abs=1e-6)
        assert found.median[b] == pytest.approx(np.median(means), abs=1e-6)
        assert found.mean[b] == pytest.approx(np.mean(means), abs=1e-6)
        short = [optimality_gap(each, 0.2) for each in drawn]
        assert found.gap[b] == pytest.approx(np.mean(short), abs=1e-6)
    # Every run of a data set is drawn as often as the others, over many draws.
    assert counts[:1].min() == 1
    assert abs(counts[6:].mean(axis=1) - 1).max() < 0.2


def test_columns_that_do_not_fit_together_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values, counts = RNG.normal(size=9), draw_units(9, 50, np.random.default_rng(0))
    ones = np.ones(9, dtype=np.intp)
    whole = aggregated(values, ones, counts, 0.0)
    monkeypatch.setattr("palio.stats.aggregates._TOGETHER", 30)
    for a, b in zip(whole, aggregated(values, ones, counts, 0.0), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-14)


def test_improvement_is_mann_and_whitneys() -> None:
    sizes = np.array([4, 1, 3]), np.array([2, 5, 3])
    a, b = RNG.normal(size=8).round(0), RNG.normal(size=10).round(0)  # with ties
    counts = tuple(draw_within(each, 30, np.random.default_rng(2)) for each in sizes)
    found = improvement(a, b, sizes, (counts[0], counts[1]))
    splits = [np.cumsum(each)[:-1] for each in sizes]
    for draw in range(30):
        drawn = [
            [
                np.repeat(values[rows], column[rows].astype(int))
                for rows in np.split(np.arange(values.size), split)
            ]
            for values, column, split in zip(
                (a, b), (counts[0][:, draw], counts[1][:, draw]), splits, strict=True
            )
        ]
        shares = [
            stats.mannwhitneyu(x, y).statistic / (x.size * y.size)
            for x, y in zip(*drawn, strict=True)
        ]
        assert found[draw] == pytest.approx(np.mean(shares), abs=1e-6)


def test_improvement_and_its_reverse_add_up_to_one() -> None:
    a, b = np.array([0.1 + 0.2, 0.5, 0.9]), np.array([0.3, 0.6, 0.1])
    counts = draw_units(3, 10, np.random.default_rng(0))
    both = improvement_over_datasets(a, b, counts) + improvement_over_datasets(b, a, counts)
    np.testing.assert_allclose(both, 1.0)
    assert outcomes(a, b).tolist() == [0.5, 0.0, 1.0]


def test_a_profile_counts_each_data_set_once() -> None:
    sizes = np.array([1, 4])
    values = np.array([0.2, 0.9, 0.9, 0.9, 0.9])
    once = np.ones((5, 1), dtype=np.float32)
    shares = exceeding(values, sizes, once, np.array([0.0, 0.2, 0.5, 0.9]))[:, 0]
    np.testing.assert_allclose(shares, [1.0, 0.5, 0.5, 0.0])


def test_ratios_to_the_best() -> None:
    times = [[2.0, 1.0, 4.0], [np.nan, 3.0, 3.0 * (1 + 1e-14)], [0.0, 1.0, 0.0], [np.nan] * 3]
    with np.errstate(all="raise"):
        found = ratios_to_best(times)
    inf = np.inf
    assert found.tolist() == [[2.0, 1.0, 4.0], [inf, 1.0, 1.0], [1.0, inf, 1.0], [inf] * 3]


def test_what_rounding_leaves_of_sums_that_cancel_is_zero() -> None:
    values, each = np.array([0.1, 0.2, -0.3] * 2), np.ones(6, dtype=np.intp)
    once = np.ones((6, 1), dtype=np.float32)
    assert values @ once[:, 0] != 0.0
    assert aggregated(values, each, once, target=1e9).mean.item() == 0.0
    # A far target makes no aggregate nothing.
    assert aggregated(values + 1e-9, each, once, target=1e9).mean.item() == pytest.approx(1e-9)
    middle = np.array([-9.0, -0.3, 0.1, 0.2, 9.0, 0.0, 0.0, 0.0])
    found = aggregated(middle, np.ones(8, dtype=np.intp), np.ones((8, 1), np.float32), np.nan)
    assert found.mean.item() == 0.0
