"""Variance components: mean squares by another way, REML, intervals, and what they are good for."""

from __future__ import annotations

import numpy as np
import pytest

from palio.stats.allocation import Rates
from palio.stats.likelihoods import Cells, Holes, Likelihood, Ragged
from palio.stats.reml import reml
from palio.stats.variance import (
    DATASETS,
    REPLICATES,
    UNITS,
    WITH_DATASETS,
    WITH_UNITS,
    Block,
    components,
    is_balanced,
    mean_squares,
)
from palio.types import FloatArray

UNEVEN = (5, 2, 3, 5, 4, 2)
ALL = (DATASETS, WITH_DATASETS, UNITS, WITH_UNITS, REPLICATES)


def scores(n: int, k: int, u: int, r: int, seed: int = 0) -> FloatArray:
    """Draw scores of the model: (data sets, units, algorithms, replicates)."""
    rng = np.random.default_rng(seed)
    sd = (2.0, 0.7, 0.5, 0.4, 0.3)
    shapes = ((n, 1, 1, 1), (n, 1, k, 1), (n, u, 1, 1), (n, u, k, 1), (n, u, k, r))
    effects = sum(s * rng.normal(size=shape) for s, shape in zip(sd, shapes, strict=True))
    return np.asarray(effects + np.arange(k)[:, None] * 0.1)


def blocked(values: FloatArray) -> list[Block]:
    """Return blocks of scores, of which some may be NaN."""
    made = []
    for each in values:
        there = ~np.isnan(each)
        counts = there.sum(axis=-1)
        total = np.where(there, each, 0.0).sum(axis=-1)
        means = np.divide(total, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
        rest = np.where(there, each - means[..., None], 0.0)
        made.append(Block(means, counts, float(np.square(rest).sum())))
    return made


def squares_by_regression(values: FloatArray) -> list[float]:
    """Return the mean squares by fitting one set of indicators after another."""
    _, u, k, _ = values.shape
    d, s, a, _ = (axis.ravel() for axis in np.indices(values.shape))
    y = values.ravel()
    terms = [
        np.zeros_like(d), a, d, d * k + a, d * u + s, (d * u + s) * k + a,
    ]  # fmt: skip
    columns = np.empty((y.size, 0))
    left, ranks, found = [], [], []
    for term in terms:
        columns = np.column_stack([columns, np.eye(term.max() + 1)[term]])
        fit, _, rank, _ = np.linalg.lstsq(columns, y, rcond=1e-10)
        left.append(float(np.square(y - columns @ fit).sum()))
        ranks.append(int(rank))
    for i in (2, 3, 4, 5):
        found.append((left[i - 1] - left[i]) / (ranks[i] - ranks[i - 1]))
    return [*found, left[5] / (y.size - ranks[5])]


def test_mean_squares_are_those_of_nested_regressions() -> None:
    values = scores(4, 3, 5, 2)
    found = mean_squares(blocked(values))
    assert found.which == ALL
    assert found.mean_squares == pytest.approx(squares_by_regression(values), rel=1e-10)


def test_components_solve_the_expected_mean_squares() -> None:
    n, k, u, r = 6, 3, 4, 2
    found = mean_squares(blocked(scores(n, k, u, r)))
    d, ad, s, a, e = found.mean_squares
    by_hand = [
        (d - ad - s + a) / (u * r * k),
        (ad - a) / (u * r),
        (s - a) / (r * k),
        (a - e) / r,
        e,
    ]
    assert found.raw() == pytest.approx(by_hand, rel=1e-10)
    assert found.per_mean == pytest.approx(ad / (n * u * r))


@pytest.mark.parametrize(
    ("shape", "which"),
    [
        ((6, 3, 1, 1), (DATASETS, WITH_DATASETS)),
        ((6, 3, 1, 4), (DATASETS, WITH_DATASETS, REPLICATES)),
        ((6, 3, 4, 1), (DATASETS, WITH_DATASETS, UNITS, WITH_UNITS)),
        ((1, 3, 8, 1), (UNITS, WITH_UNITS)),
        ((1, 3, 8, 2), (UNITS, WITH_UNITS, REPLICATES)),
        ((1, 3, 1, 5), (REPLICATES,)),
    ],
)
def test_reml_of_balanced_scores_is_the_method_of_moments(
    shape: tuple[int, int, int, int], which: tuple[int, ...]
) -> None:
    blocks = blocked(scores(*shape, seed=3))
    moments, likely = mean_squares(blocks), reml(blocks)
    assert moments.which == likely.which == which
    assert (moments.raw() > 0).all(), "take another seed"
    assert likely.raw() == pytest.approx(moments.raw(), rel=1e-6)
    assert likely.means == pytest.approx(moments.means, rel=1e-8)
    assert likely.per_mean == pytest.approx(moments.per_mean, rel=1e-6)
    # The degrees of freedom too: those of single data sets, where there are enough of these.
    if shape[0] != 1:
        assert likely.df == pytest.approx(moments.df, rel=0.01)


def test_a_component_below_zero_is_zero_and_seen() -> None:
    # Each data set has the same mean: what differs between data sets is less than chance.
    values = np.array([[[1.0, -1.0]], [[-1.0, 1.0]], [[2.0, -2.0]]])[..., None]
    found = components(mean_squares(blocked(values)))
    assert found.raw[0] < 0
    assert found.values[0] == 0
    assert (found.draws >= 0).all()
    shares, drawn = found.shares()
    assert shares.sum() == pytest.approx(1)
    assert drawn.sum(axis=1) == pytest.approx(1)


def test_nothing_varies() -> None:
    found = components(mean_squares(blocked(np.full((5, 3, 2, 1), 0.5))))
    assert not found.values.any()
    assert found.algorithms == 0
    assert not found.shares()[0].any()


def test_what_all_share_changes_nothing() -> None:
    blocks = blocked(scores(6, 3, 4, 2))
    moved = [Block(7 - 2 * means, counts, 4 * squares) for means, counts, squares in blocks]
    found, other = mean_squares(blocks), mean_squares(moved)
    assert other.raw() == pytest.approx(4 * found.raw())
    assert other.df == pytest.approx(found.df)


def test_data_sets_that_differ_in_variance_leave_fewer_degrees_of_freedom() -> None:
    values = scores(30, 3, 5, 1)
    even = mean_squares(blocked(values))
    values[:3] *= 10
    assert mean_squares(blocked(values)).df[3] < even.df[3] / 4


@pytest.mark.parametrize("shape", [(1, 3, 40, 1), (12, 3, 1, 1), (12, 4, 3, 2)])
def test_intervals_hold_the_estimates_and_grow_with_confidence(
    shape: tuple[int, int, int, int],
) -> None:
    found = components(mean_squares(blocked(scores(*shape, seed=3))))
    for i, value in enumerate(found.values):
        low, inner, upper, high = np.quantile(found.draws[:, i], [0.025, 0.1, 0.9, 0.975])
        assert low <= inner <= value <= upper <= high
    low, high = np.quantile(found.algorithm_draws, [0.025, 0.975])
    assert low <= found.algorithms <= high


def test_scores_with_holes() -> None:
    whole = scores(25, 4, 6, 1, seed=5)
    holes = whole.copy()
    holes[np.random.default_rng(0).random(whole.shape) < 0.1] = np.nan
    holes[2, :, 1] = np.nan  # an algorithm that has nothing on a data set
    holes[3, 2:] = np.nan  # a data set with fewer units
    assert is_balanced(blocked(whole))
    assert not is_balanced(blocked(holes))
    assert reml(blocked(holes)).raw() == pytest.approx(reml(blocked(whole)).raw(), rel=0.25)


def test_the_likelihood_leaves_its_bound() -> None:
    """On a scale of standard deviations the slope is 0 at 0, and a search that gets there stays."""
    values = scores(20, 3, 1, 1, seed=8)
    values[np.random.default_rng(8).random(values.shape) < 0.2] = np.nan
    assert reml(blocked(values)).raw()[0] > 0.5


def of_kind(kind: str, r: int) -> Likelihood:
    """Return scores that are ragged, without units, or have holes; r replicates at most."""
    rng = np.random.default_rng(2)
    values = scores(6, 4, 1 if kind == "cells" else 5, r)
    if kind == "ragged":
        return Ragged.of(
            [blocked(each[None, :u])[0] for each, u in zip(values, UNEVEN, strict=True)]
        )
    values[rng.random(values.shape) < 0.2] = np.nan
    return Cells.of(blocked(values)) if kind == "cells" else Holes.of(blocked(values))


@pytest.mark.parametrize("r", [1, 3])
@pytest.mark.parametrize("kind", ["ragged", "cells", "holes"])
def test_slopes_are_those_of_the_likelihood(kind: str, r: int) -> None:
    likelihood = of_kind(kind, r)
    theta = np.array([0.7, 0.5, 0.3, 0.6, 0.2])
    theta[[UNITS, WITH_UNITS]] *= kind != "cells"
    theta[REPLICATES] *= r > 1
    found = likelihood.at(theta).slopes.sum(axis=0)
    for own in np.flatnonzero(theta):
        step = 1e-5 * np.eye(5)[own]
        up, down = likelihood.at(theta + step), likelihood.at(theta - step)
        assert (up.logs - down.logs) / 2e-5 == pytest.approx(found[0, own], rel=1e-6, abs=1e-6)
        assert (up.square - down.square) / 2e-5 == pytest.approx(found[1, own], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("r", [1, 3])
def test_the_short_forms_are_the_long_one(r: int) -> None:
    values = scores(6, 4, 5, r)
    blocks = [blocked(each[None, :u])[0] for each, u in zip(values, UNEVEN, strict=True)]
    theta = np.array([0.7, 0.5, 0.3, 0.6, 0.2 * (r > 1)])
    short, whole = Ragged.of(blocks).at(theta), Holes.of(blocks).at(theta)
    assert short.square == pytest.approx(whole.square)
    assert short.slopes == pytest.approx(whole.slopes)
    assert short.per_mean == pytest.approx(whole.per_mean)
    assert short.means == pytest.approx(whole.means)
    # Without units, whatever varies by unit is part of the residual.
    single = blocked(values[:, :1])
    apart, together = np.array([0.7, 0, 0, 0.5, theta[4]]), np.array([0.7, 0.5, 0, 0, theta[4]])
    cells, longer = Cells.of(single).at(together), Holes.of(single).at(apart)
    assert cells.logs == pytest.approx(longer.logs)
    assert cells.square == pytest.approx(longer.square)
    assert cells.slopes[:, :, DATASETS] == pytest.approx(longer.slopes[:, :, DATASETS])
    assert cells.slopes[:, :, WITH_DATASETS] == pytest.approx(longer.slopes[:, :, WITH_UNITS])


# --- what more would buy -------------------------------------------------------------------------


def test_the_variance_of_a_difference_is_its_variance() -> None:
    """Averaged over pairs, and drawn many times."""
    n, u, r = 4, 3, 2
    drawn = np.array([scores(n, 2, u, r, seed=i).mean(axis=(0, 1, 3)) for i in range(4000)])
    expected = Rates(0.7**2, 0.4**2, 0.3**2).variance(n, u, r)
    assert (drawn[:, 0] - drawn[:, 1]).var() == pytest.approx(float(expected), rel=0.08)


def test_the_same_data_sets_leave_out_how_algorithms_differ_by_data_set() -> None:
    values, which = np.array([4.0, 0.5, 0.2]), (WITH_DATASETS, WITH_UNITS, REPLICATES)
    assert Rates.anew(values, which) == (4.0, 0.5, 0.2)
    # Nadeau and Bengio: 10 folds have correlation 1/10, and 1/9 more lasts.
    assert Rates.same(values, which, 1 / 9) == pytest.approx((0.5 / 9, 0.5, 0.2))
    only_datasets = Rates.anew(values[:1], which[:1])
    assert only_datasets == (4.0, 0.0, 0.0)


def test_how_many_are_needed_is_enough_and_not_more() -> None:
    rates, now = Rates(0.02, 0.9, 0.4), (10, 5, 2)
    target = float(rates.variance(*now)) / 4
    units = rates.units_for(target, 10, 2)
    assert units is not None
    assert rates.variance(10, units, 2) == pytest.approx(target)
    assert rates.units_for(0.003, 10, 2) is None
    assert rates.replicates_for(target, 10, 5) is None
    easier = float(rates.variance(*now)) * 0.9
    replicates = rates.replicates_for(easier, 10, 5)
    assert replicates is not None
    assert rates.variance(10, 5, replicates) == pytest.approx(easier)


@pytest.mark.parametrize(("units", "replicates"), [(1, 1), (5, 2), (3, 1)])
def test_further_data_sets_are_enough_and_not_more(units: int, replicates: int) -> None:
    rates, now = Rates(0.3, 0.9, 0.4), (10, 5, 2)
    target = float(rates.variance(*now)) / 4
    old, new = rates.variance(1, 5, 2), rates.variance(1, units, replicates)
    further = rates.further_for(target, now, units, replicates)

    def reached(m: int) -> bool:
        return bool((10 * old + m * new) / (10 + m) ** 2 <= target * (1 + 1e-9))

    assert reached(further)
    assert not reached(further - 1)
    if (units, replicates) == (5, 2):
        assert further == 30
