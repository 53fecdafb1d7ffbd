"""Bootstrap intervals of aggregates, and winner's luck, against a simulated truth.

The truth of an aggregate is what it comes to on average over samples like the one at hand: of other
runs on the same data sets, or of other data sets. Percentile intervals of few units are too narrow;
the bounds, which the notes of `palio.aggregate` repeat, say how much.
"""

from collections.abc import Callable

import numpy as np
import pytest

from palio.comparison.aggregates import LEAST_COVERAGE
from palio.stats.aggregates import aggregated, draw_units, draw_within
from palio.stats.luck import Strata, winners_luck
from palio.types import FloatArray, IntArray

pytestmark = pytest.mark.slow

DRAWS = 400


def coverage(tables: list[FloatArray], sizes: IntArray, truth: FloatArray, seed: int) -> FloatArray:
    """Return how often the 95 % intervals of each aggregate hold the truth."""
    rng, held = np.random.default_rng(seed), np.zeros(4)
    for values in tables:
        of_runs = sizes.size < values.size
        counts = draw_within(sizes, DRAWS, rng) if of_runs else draw_units(len(values), DRAWS, rng)
        drawn = np.array(aggregated(values, sizes, counts, 1.0))
        low, high = np.quantile(drawn, [0.025, 0.975], axis=1)
        held += (low <= truth) & (truth <= high)
    return held / len(tables)


def truth_of(tables: list[FloatArray], sizes: IntArray) -> FloatArray:
    once = np.ones((tables[0].size, 1), dtype=np.float32)
    found = [np.array(aggregated(each, sizes, once, 1.0))[:, 0] for each in tables]
    return np.asarray(np.mean(found, axis=0))


def least_coverage(tasks: FloatArray, runs: int, trials: int) -> float:
    """Return the least coverage of four aggregates and two shapes of noise: mean 0, sd 0.3."""
    rng, sizes = np.random.default_rng([tasks.size, runs]), np.full(tasks.size, runs)
    shapes: tuple[Callable[[int], FloatArray], ...] = (
        lambda n: rng.normal(size=n),
        lambda n: (rng.gamma(2.0, 1.0, n) - 2) / np.sqrt(2),
    )
    found = []
    for noise in shapes:
        tables = [
            np.repeat(tasks, runs) + 0.3 * noise(tasks.size * runs) for _ in range(5 * trials)
        ]
        truth = truth_of(tables, sizes)
        found.append(coverage(tables[:trials], sizes, truth, seed=runs))
    assert np.max(found) < 0.985
    return float(np.min(found))


# With n data sets the mean of n normals has the coverage of a normal interval with a standard
# deviation that is too small by √((n − 1) / n).
@pytest.mark.parametrize(
    ("n", "least"), [*LEAST_COVERAGE["datasets"].items(), (20, 91), (50, 92), (150, 93)]
)
def test_intervals_over_data_sets(n: int, least: int) -> None:
    # A share of 0.9 of 3000 tables is known within ±0.015.
    assert 100 * least_coverage(np.full(n, 0.8), 1, 3000) == pytest.approx(least, abs=2)


@pytest.mark.parametrize(("runs", "least"), [*LEAST_COVERAGE["runs"].items(), (30, 93)])
def test_intervals_over_runs(runs: int, least: int) -> None:
    found = [
        least_coverage(np.random.default_rng(runs).uniform(0.2, 1.4, n), runs, 1000)
        for n in ((26,) if runs > 9 else (2, 3, 5, 10, 26))
    ]
    # A share of 0.8 of 1000 tables is known within ±0.03.
    assert 100 * min(found) == pytest.approx(least, abs=3)


@pytest.mark.parametrize("n", [10, 40, 150])
@pytest.mark.parametrize("k", [3, 15, 60])
@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
def test_the_expected_drop_is_the_true_one(n: int, k: int, spread: float) -> None:
    """Within a quarter of the truth on average, or its own uncertainty where that is larger."""
    rng = np.random.default_rng([n, k, int(spread)])
    true, found = [], []
    for _ in range(400):
        skill = spread / np.sqrt(n) * rng.normal(size=k)
        scores = skill + rng.normal(size=(n, k)) + 3 * rng.normal(size=(n, 1))
        means = scores.mean(axis=0)
        best = means.argmax()
        true.append((means[best] - means.mean()) - (skill[best] - skill.mean()))
        found.append(winners_luck(scores, draws=150, rng=rng).drop)
    error = np.hypot(np.std(true), np.std(found)) / np.sqrt(400)
    assert abs(np.mean(found) - np.mean(true)) < max(0.25 * np.mean(true), 3 * error)


@pytest.mark.parametrize("by", ["datasets", "items"])
@pytest.mark.parametrize("sizes", [(60,), (12, 30, 80), (8,) * 10])
@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
def test_the_expected_drop_on_other_items(sizes: tuple[int, ...], by: str, spread: float) -> None:
    """Clusters of one to six items within data sets, whose difficulty differs by algorithm."""
    rng = np.random.default_rng([len(sizes), int(spread), by == "items"])
    of, k = np.repeat(np.arange(len(sizes)), sizes), 15
    true, found = [], []
    for _ in range(300):
        weights = rng.integers(1, 7, of.size).astype(np.float64)
        totals = np.bincount(of, weights)
        shares = totals / totals.sum() if by == "items" else np.full(totals.size, 1 / totals.size)
        skill = spread * np.sqrt((shares**2 / np.array(sizes)).sum()) * rng.normal(size=k)
        noise = rng.normal(size=(of.size, k)) / np.sqrt(weights)[:, np.newaxis]
        scores = skill + noise + 0.7 * rng.normal(size=(of.size, k))
        scores += 3 * rng.normal(size=(of.size, 1))
        unit = shares[of] * weights / totals[of]
        means = unit @ (scores - scores.mean(axis=1, keepdims=True))
        best = means.argmax()
        true.append(means[best] - (skill[best] - skill.mean()))
        strata = Strata(of, weights, shares)
        found.append(winners_luck(scores, draws=150, rng=rng, strata=strata).drop)
    error = np.hypot(np.std(true), np.std(found)) / np.sqrt(300)
    assert abs(np.mean(found) - np.mean(true)) < max(0.25 * np.mean(true), 3 * error)
