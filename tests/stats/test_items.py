"""Mean differences over items of all pairs, their variances, and tests that flip signs."""

import itertools

import numpy as np
import pytest

from palio.stats.item_tests import FLIPS_EXACT_LIMIT, flip_intervals, sign_flips
from palio.stats.items import (
    ABSENT,
    By,
    Items,
    column_means,
    paired_means,
    repeats_share,
    unpaired_means,
)
from palio.types import FloatArray

ONE_PAIR = np.array([0]), np.array([1])


def test_clusters_by_hand() -> None:
    # Differences 1 1 | 0 | -1 0 0: mean 1/6, sums of d - d̄ by cluster 5/3, -1/6, -3/2.
    # Shares 1/3, 1/6, 1/2: V = (3/2 · 25/9 + 6/5 · 1/36 + 2 · 9/4) / 36.
    # q = 1/6, 1/30, 1/2: 1/ν = 7/18 + (7/10)² − (1/36 + 1/900 + 1/4) = 3/5.
    x = np.array([[1, 0], [1, 0], [0, 0], [0, 1], [1, 1], [0, 0]], dtype=np.float64)
    items = Items(x, np.zeros(6, dtype=np.intp), np.array([4, 4, 0, 7, 7, 7]))
    found = paired_means(items, *ONE_PAIR)
    assert float(found.estimate[0]) == pytest.approx(1 / 6)
    assert float(found.variance[0]) == pytest.approx((25 / 6 + 1 / 30 + 9 / 2) / 36)
    assert float(found.df[0]) == pytest.approx(5 / 3)
    assert (int(found.clusters[0]), int(found.items[0])) == (3, 6)


def test_data_sets_count_the_same_or_by_their_items() -> None:
    # Differences 1 0 on the first, 0 0 1 0 on the second: means 1/2, 1/4; V 1/4, 1/16.
    x = np.array([[1, 0], [0, 0], [0, 0], [1, 1], [1, 0], [0, 0]], dtype=np.uint8)
    items = Items(x, np.array([0, 0, 1, 1, 1, 1]))
    each = paired_means(items, *ONE_PAIR)
    assert float(each.estimate[0]) == pytest.approx(3 / 8)
    assert float(each.variance[0]) == pytest.approx((1 / 4 + 1 / 16) / 4)
    assert float(each.df[0]) == pytest.approx((5 / 16) ** 2 / (1 / 16 / 1 + 1 / 256 / 3))
    pooled = paired_means(items, *ONE_PAIR, by="items")
    assert float(pooled.estimate[0]) == pytest.approx(1 / 3)
    assert float(pooled.variance[0]) == pytest.approx((4 * 1 / 4 + 16 * 1 / 16) / 36)


def _cr2(d: FloatArray, w: FloatArray, groups: FloatArray) -> tuple[float, float, float]:
    """Return mean, CR2 variance and its degrees of freedom by matrices, as regression has them.

    Weighted least squares on a constant, whose working covariance Φ is inverse to the weights
    (Bell and McCaffrey 2002; Pustejovsky and Tipton 2018).
    """
    n, total = d.size, w.sum()
    phi, root = np.diag(1 / w), np.diag(np.sqrt(w))
    mean = float(w @ d / total)
    rest = np.eye(n) - np.outer(np.ones(n), w) / total
    left = []
    for one in np.unique(groups):
        own = groups == one
        block = root[np.ix_(own, own)] @ (rest @ phi @ rest.T)[np.ix_(own, own)]
        values, vectors = np.linalg.eigh(block @ root[np.ix_(own, own)])
        inverse = vectors @ np.diag(values**-0.5) @ vectors.T
        adjusted = np.linalg.inv(root[np.ix_(own, own)]) @ inverse @ root[np.ix_(own, own)]
        left.append(w[own] @ adjusted @ rest[own] / total)
    rows = np.array(left)
    covariance = rows @ phi @ rows.T
    df = float(np.trace(covariance) ** 2 / (covariance**2).sum())
    return mean, float(((rows @ d) ** 2).sum()), df


def _formula(items: Items, a: int, b: int, by: By) -> tuple[float, float, float]:
    """Return mean, variance and degrees of freedom of one pair, data set by data set."""
    found, sizes = [], []
    for number in np.unique(items.dataset_of):
        there = items.dataset_of == number
        difference = items.floats[there, a] - items.floats[there, b]
        met = ~np.isnan(difference)
        w = items.weight[there][met]
        where = np.arange(len(items.values)) if items.cluster_of is None else items.cluster_of
        groups = where[there][met]
        if np.unique(groups).size < 2:
            continue
        found.append(_cr2(difference[met], w, groups))
        sizes.append(1.0 if by == "datasets" else float(w.sum()))
    means, variances, dfs = np.array(found).T
    u = np.array(sizes) / np.sum(sizes)
    parts = u**2 * variances
    return float(u @ means), float(parts.sum()), float(parts.sum() ** 2 / (parts**2 / dfs).sum())


@pytest.mark.parametrize("by", ["datasets", "items"])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("kind", ["bytes", "graded", "far"])
def test_all_pairs_at_once_are_each_by_the_formula(
    kind: str, clustered: bool, weighted: bool, gaps: bool, by: By
) -> None:
    rng = np.random.default_rng(5)
    n, k = 70, 5
    x = rng.normal(size=(n, k)) + rng.normal(size=(n, 1))
    if kind == "far":  # two that differ by little, both far from zero: sums cancel
        x[:, 1] = x[:, 0] + 1e-5 * x[:, 2]
        x += 1000.0
    values: FloatArray | np.ndarray[tuple[int, ...], np.dtype[np.uint8]] = x
    if kind == "bytes":
        values = (x > 0).astype(np.uint8)
    if gaps:
        values[rng.random(x.shape) < 0.15] = ABSENT if kind == "bytes" else np.nan
        values[:20, 4] = ABSENT if kind == "bytes" else np.nan  # a data set that one lacks
    items = Items(
        values,
        np.repeat([0, 1, 2], [20, 35, 15]),
        rng.integers(0, 9, n) if clustered else None,
        rng.random(n) + 0.2 if weighted else None,
    )
    first, second = np.triu_indices(k, 1)
    found = paired_means(items, first, second, by=by)
    for place, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        mean, variance, df = _formula(items, a, b, by)
        assert float(found.estimate[place]) == pytest.approx(mean, rel=1e-10)
        assert float(found.variance[place]) == pytest.approx(variance, rel=1e-7)
        assert float(found.df[place]) == pytest.approx(df, rel=1e-7)


def test_swapped_pairs_mirror() -> None:
    rng = np.random.default_rng(3)
    items = Items(rng.normal(size=(30, 3)), np.repeat([0, 1], 15))
    first, second = np.triu_indices(3, 1)
    one, other = paired_means(items, first, second), paired_means(items, second, first)
    assert np.allclose(one.estimate, -other.estimate, rtol=1e-14)
    assert np.array_equal(one.t_test().p_value, other.t_test().p_value)


def test_what_does_not_vary_has_the_chance_of_its_signs() -> None:
    same = np.array([[0.1 + 0.2, 0.3, 0.2], [0.7, 0.7, 0.6], [0.4, 0.4, 0.3]])
    items = Items(same, np.zeros(3, dtype=np.intp))
    found = paired_means(items, np.array([0, 0]), np.array([1, 2])).t_test()
    assert found.p_value.tolist() == [1.0, 2 / 2**3]
    assert found.statistic.tolist() == [0.0, np.inf]
    bytes_ = np.array([[1, 0], [1, 0], [1, 0], [1, 0]], dtype=np.uint8)
    counted = paired_means(Items(bytes_, np.zeros(4, dtype=np.intp)), *ONE_PAIR)
    assert counted.t_test().p_value.tolist() == [2 / 2**4]
    assert [float(end[0]) for end in counted.interval(0.95)] == [1.0, 1.0]


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 1.0])])
def test_clusters_that_agree_but_for_rounding_do_not_vary(weights: FloatArray | None) -> None:
    # Items differ by .1 and -.3 (weighed: -.5/3), or -.1 in all; clusters by the same.
    d = [0.1, -0.3, -0.1] if weights is None else [0.1, -0.3, -0.5 / 3]
    x = np.array([[0.5, 0.5], [0.7, 0.7], [0.1, 0.1]])
    x[:, 1] -= d
    items = Items(x, np.zeros(3, dtype=np.intp), np.array([0, 0, 1]), weights)
    found = paired_means(items, *ONE_PAIR)
    assert found.standard_error.tolist() == [0.0]
    assert found.t_test().p_value.tolist() == [2 / 2**2]
    gap = np.vstack([x, [[0.3, np.nan]]])
    longer = None if weights is None else np.append(weights, 1.0)
    some = Items(gap, np.zeros(4, dtype=np.intp), np.array([0, 0, 1, 1]), longer)
    assert paired_means(some, *ONE_PAIR).standard_error.tolist() == [0.0]


def test_scores_without_spread_stay_without_it() -> None:
    x = np.tile([0.1 + 0.2, 0.7], (7, 1)) + np.arange(7)[:, np.newaxis] * 1e-17
    clusters = np.array([0, 0, 0, 1, 1, 2, 2])
    found = paired_means(Items(x, np.zeros(7, dtype=np.intp), clusters), *ONE_PAIR)
    assert found.variance.tolist() == [0.0]


def test_a_pair_that_shares_nothing_has_no_mean() -> None:
    x = np.array([[1.0, np.nan], [0.5, np.nan], [np.nan, 0.2], [np.nan, 0.1]])
    items = Items(x, np.zeros(4, dtype=np.intp))
    found = paired_means(items, *ONE_PAIR)
    assert np.isnan(found.estimate).all()
    assert found.datasets.tolist() == [0]
    assert unpaired_means(items, *ONE_PAIR).estimate.tolist() == [pytest.approx(0.6)]


def test_unpaired_on_several_data_sets() -> None:
    x = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    items = Items(x, np.array([0, 0, 1, 1, 1]))
    found = unpaired_means(items, *ONE_PAIR)
    own = column_means(items)
    assert float(found.estimate[0]) == pytest.approx(float(own.estimate[0] - own.estimate[1]))
    # ¼ (¼ + 0) and ¼ (1/9 + 1/9) with 1, 1, 2 and 2 degrees of freedom.
    parts = np.array([1 / 16, 0, 1 / 36, 1 / 36])
    assert float(found.variance[0]) == pytest.approx(parts.sum())
    df = parts.sum() ** 2 / (parts**2 / [1, 1, 2, 2]).sum()
    assert float(found.df[0]) == pytest.approx(df)


# --- sign flips


def _enumerated(totals: FloatArray) -> float:
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=totals.size)))
    return float((np.abs(signs @ totals) >= abs(totals.sum()) - 1e-12).mean())


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("by", ["datasets", "items"])
def test_flips_of_whole_clusters_are_all_counted(by: By, gaps: bool) -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=(24, 3)).round(1) + [0.6, 0.0, 0.0]
    x[rng.random(x.shape) < (0.1 if gaps else 0.0)] = np.nan
    w, clusters = rng.random(24) + 0.5, np.sort(rng.integers(0, 5, 24)) + np.repeat([0, 9], 12)
    of = np.repeat([0, 1], 12)
    first, second = np.triu_indices(3, 1)
    found = sign_flips(Items(x, of, clusters, w), first, second, by=by)
    assert found.null == "exact"
    means = paired_means(Items(x, of, clusters, w), first, second, by=by)
    assert np.allclose(found.statistic, means.estimate)
    for place, (a, b) in enumerate(zip(first, second, strict=True)):
        d = x[:, a] - x[:, b]
        met = ~np.isnan(d)
        size = [float(w[met & (of == each)].sum()) for each in (0, 1)]
        share = np.where(of == 0, 1 / size[0], 1 / size[1]) if by == "datasets" else np.ones(24)
        each = [np.nansum((share * w * d)[clusters == one]) for one in np.unique(clusters)]
        assert float(found.p_value[place]) == pytest.approx(_enumerated(np.array(each)))


@pytest.mark.parametrize("gaps", [False, True])
def test_flips_leave_out_a_data_set_of_one_cluster_as_means_do(gaps: bool) -> None:
    x = np.array([[1.0, 0.2], [0.9, 0.1], [0.8, 0.3], [0.1, 0.7], [0.2, 0.9]])
    x[4, 0] = np.nan if gaps else x[4, 0]
    items = Items(x, np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 3, 3]))
    found, means = sign_flips(items, *ONE_PAIR), paired_means(items, *ONE_PAIR)
    assert found.statistic.tolist() == [pytest.approx(float(means.estimate[0]))]
    assert means.datasets.tolist() == [1]
    assert found.p_value.tolist() == [2 / 2**3]


@pytest.mark.parametrize("gaps", [False, True])
def test_many_clusters_take_random_flips_near_the_t_test(gaps: bool) -> None:
    rng = np.random.default_rng(9)
    x = rng.normal(size=(60, 3)) + [0.25, 0.0, 0.1]
    x[0, 0] = np.nan if gaps else x[0, 0]
    items = Items(x, np.zeros(60, dtype=np.intp))
    assert FLIPS_EXACT_LIMIT < 60
    first, second = np.triu_indices(3, 1)
    found = sign_flips(items, first, second, n_resamples=4999, seed=3)
    assert found.null == "random flips"
    assert np.allclose(
        found.p_value, paired_means(items, first, second).t_test().p_value, atol=0.03
    )
    swapped = sign_flips(items, second, first, n_resamples=4999, seed=3)
    assert np.array_equal(found.p_value, swapped.p_value)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("by", ["datasets", "items"])
@pytest.mark.parametrize("level", [0.02, 0.05, 0.3])
def test_flip_intervals_hold_the_differences_that_flips_do_not_reject(
    level: float, by: By, gaps: bool
) -> None:
    rng = np.random.default_rng(11)
    x = rng.normal(size=(40, 3)).round(1) + [0.6, 0.0, 0.0]
    x[rng.random(x.shape) < (0.1 if gaps else 0.0)] = np.nan
    clusters = np.sort(rng.integers(0, 6, 40)) + np.repeat([0, 9], [15, 25])
    items = Items(x, np.repeat([0, 1], [15, 25]), clusters, rng.random(40) + 0.5)
    first, second = np.triu_indices(3, 1)
    low, high = flip_intervals(items, first, second, np.full(3, level), by=by)
    for place, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        for end, outwards in ((low[place], -1e-6), (high[place], 1e-6)):
            rejected = []
            for step in (-outwards, outwards):
                moved = x - np.where(np.arange(3) == a, end + step, 0.0)
                pair = np.array([a]), np.array([b])
                p = sign_flips(
                    Items(moved, items.dataset_of, clusters, items.weights), *pair, by=by
                )
                rejected.append(bool(p.p_value[0] <= level))
            assert rejected == [False, True]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("n", [8, 30])
@pytest.mark.parametrize("kind", ["graded", "ties"])
def test_flip_intervals_are_without_zero_just_where_flips_reject(
    kind: str, n: int, gaps: bool
) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=(3 * n, 12)) + rng.normal(size=12)
    x = x if kind == "graded" else np.sign(x.round())  # sums that are exactly zero
    x[0, :4] = np.nan if gaps else x[0, :4]
    items = Items(x, np.zeros(3 * n, dtype=np.intp), np.repeat(np.arange(n), 3))
    pairs = np.triu_indices(12, 1)
    p = sign_flips(items, *pairs, n_resamples=999).p_value
    for level in (0.01, 0.05, float(np.median(p))):
        low, high = flip_intervals(items, *pairs, np.full(p.size, level), n_resamples=999)
        assert (((low > 0) | (high < 0)) == (p <= level)).all()
        assert (low <= high).all()


def test_too_few_clusters_bound_nothing() -> None:
    items = Items(np.array([[1.0, 0.0], [2.0, 0.5], [3.0, 0.0]]), np.zeros(3, dtype=np.intp))
    assert [float(end[0]) for end in flip_intervals(items, *ONE_PAIR, np.array([0.2]))] == [
        -np.inf,
        np.inf,
    ]


# --- repeats


def test_share_that_more_repeats_would_remove_by_hand() -> None:
    # Two items of two repeats each: 1 0 | 1 1 against 0 0 | 0 1. Differences of means ½, ½.
    # V = 0 needs a third item: 1 1 against 0 0, difference 1: mean ⅔, V = S²/3 = (1/12) / 3.
    # Within: s²/2 is ¼ of (1, 0) and of (0, 1), else 0: (¼ + ¼) / 9.
    x = np.array([[0.5, 0.0], [1.0, 0.5], [1.0, 0.0]])
    squares = np.array([[0.5, 0.0], [0.0, 0.5], [0.0, 0.0]])
    items, counts = Items(x, np.zeros(3, dtype=np.intp)), np.full((3, 2), 2)
    share = repeats_share(items, counts, squares, *ONE_PAIR)
    assert share.tolist() == [1.0]  # 1/18 of 1/36: by chance all of it, and more
    x[2] = [0.0, 1.0]  # differences ½, ½, -1: V = (3/4) / 3
    share = repeats_share(Items(x, items.dataset_of), counts, squares, *ONE_PAIR)
    assert float(share[0]) == pytest.approx((1 / 18) / (1 / 4))


def test_share_of_repeats_is_found_where_it_is_known() -> None:
    # Items differ by 1 (each algorithm), repeats by 2: with 4 repeats 2²/4 is half of 1 + 2²/4.
    rng = np.random.default_rng(4)
    n, k, r = 4000, 3, 4
    repeats = rng.normal(size=(n, k, 1)) + 2.0 * rng.normal(size=(n, k, r))
    repeats[::2, 1, 2:] = np.nan  # and some have two: 2²/2
    counts = (~np.isnan(repeats)).sum(axis=2)
    mean = np.nanmean(repeats, axis=2)
    squares = np.nansum((repeats - mean[:, :, None]) ** 2, axis=2)
    items = Items(mean, np.repeat([0, 1], [1000, 3000]))
    share = repeats_share(items, counts, squares, *np.triu_indices(k, 1), by="items")
    assert share.tolist() == pytest.approx([2.5 / 4.5, 0.5, 2.5 / 4.5], abs=0.03)


def test_one_repeat_is_taken_as_noisy_as_the_others() -> None:
    x = np.array([[0.5, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    counts = np.array([[2, 2], [2, 2], [1, 2], [2, 2]])
    squares = np.array([[0.5, 0.0], [0.25, 0.0], [0.0, 0.0], [0.0, 0.0]])
    share = repeats_share(Items(x, np.zeros(4, dtype=np.intp)), counts, squares, *ONE_PAIR)
    noise = (0.25 + 0.125 + 0.25) / 16  # the third: 0.75 / 3 pooled, over one repeat
    variance = np.var([0.5, 0.0, 0.0, 1.0], ddof=1) / 4
    assert share.tolist() == [pytest.approx(noise / variance)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"values": np.zeros(3)}, "values must be"),
        ({"dataset_of": np.array([1, 0, 0])}, "contiguous"),
        ({"cluster_of": np.zeros(2, dtype=np.intp)}, "cluster_of must have one"),
        ({"weights": np.array([1.0, 0.0, 1.0])}, "positive"),
    ],
)
def test_what_is_no_table_of_items_is_refused(change: dict[str, FloatArray], said: str) -> None:
    given = {"values": np.zeros((3, 2)), "dataset_of": np.zeros(3, dtype=np.intp), **change}
    with pytest.raises(ValueError, match=said):
        Items(**given)  # type: ignore[arg-type]
