"""Coverage of the hierarchical model of item scores: from its own prior, and of 0/1 answers.

From the prior: τ half-normal, differences on data sets normal around 0 (the prior of their mean is
flat, so that any place does), items normal. Where items are many the coverage must be 0.95 within
the 99.9 % binomial interval; with 3 or 5 items the normal distribution that stands for Student's
may cover more, by what is stated. Then worlds that are not the model's: variances that differ by
data set, and 0/1 answers of two that are right nearly always, whose differences vary the less the
smaller they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binom

from palio.bayes.models.hierarchical_items import Measured
from palio.bayes.models.partial_pooling import pooled
from palio.types import FloatArray, IntArray

pytestmark = pytest.mark.slow

TRIALS = 4000
SCALE = 0.2


class World(NamedTuple):
    """Differences on items (trials, J, n), on these data sets (trials, J) and on a new one."""

    items: FloatArray
    these: FloatArray
    new: FloatArray


def normal(rng: np.random.Generator, j: int, n: int, *, alike: bool) -> World:
    """Draw from the prior; standard deviations of items 0.5, or around it by data set."""
    tau = np.abs(rng.normal(0.0, SCALE, TRIALS))
    delta = tau[:, None] * rng.normal(size=(TRIALS, j + 1))
    sigma = 0.5 if alike else rng.gamma(4.0, 0.5 / 4, (TRIALS, j, 1))
    x = delta[:, :j, None] + sigma * rng.normal(size=(TRIALS, j, n))
    return World(x, delta[:, :j], delta[:, j])


def answers(rng: np.random.Generator, j: int, n: int) -> World:
    """Draw right and wrong answers, right with about 0.95 and 0.92, half of them shared."""
    base, gap = rng.normal(2.5, 0.6, (TRIALS, j + 1)), rng.normal(0.5, 0.5, (TRIALS, j + 1))
    a, b = (1.0 / (1.0 + np.exp(-each)) for each in (base + gap, base))
    one, other = rng.random((2, TRIALS, j, n))
    other = np.where(rng.random((TRIALS, j, n)) < 0.5, one, other)
    x = (one < a[:, :j, None]).astype(float) - (other < b[:, :j, None])
    return World(x, (a - b)[:, :j], (a - b)[:, j])


def coverage(world: World, *, binary: bool = False, scale: float | None = None) -> list[float]:
    """Return how often 95 % intervals hold the average, a new difference, those of data sets."""
    trials, j, n = world.items.shape
    mean, variance = world.items.mean(axis=2), world.items.var(axis=2, ddof=1) / n
    which: IntArray = np.arange(trials)
    count = np.full((trials, j), n)
    found = Measured.from_moments(
        which, which, mean, variance, count - 1.0, count, count, binary=binary
    )
    whole = pooled(mean, found.error, found.size / 2 if scale is None else np.full(trials, scale))
    each = np.concatenate(
        [whole.shrunken(i, mean[i], found.error[i]).shortest(0.95) for i in range(0, trials, 20)]
    )
    return [
        _held(whole.average.shortest(0.95), world.these.mean(axis=1)),
        _held(whole.new.shortest(0.95), world.new),
        _held(each, world.these[::20].ravel()),
    ]


def _held(ends: FloatArray, truth: FloatArray) -> float:
    return float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())


def _bounds(trials: int) -> tuple[float, float]:
    low, high = binom.interval(0.999, trials, 0.95)
    return float(low) / trials, float(high) / trials


@pytest.mark.parametrize("j", [2, 4, 18])
@pytest.mark.parametrize("n", [3, 10, 100])
def test_intervals_from_the_prior_cover(j: int, n: int) -> None:
    rng = np.random.default_rng([j, n])
    average, new, each = coverage(normal(rng, j, n, alike=True), scale=SCALE)
    low, high = _bounds(TRIALS)
    more = {3: 0.025, 10: 0.01, 100: 0.0}[n]  # a normal distribution has shorter tails than t
    assert low - more / 2 <= average <= high + more
    assert low - more / 2 <= new <= high + more
    assert 0.92 <= each <= 0.98  # fewer trials, whose data sets are not independent


@pytest.mark.parametrize("j", [4, 18])
@pytest.mark.parametrize("n", [10, 100])
def test_intervals_cover_where_variances_differ(j: int, n: int) -> None:
    rng = np.random.default_rng([j, n, 1])
    average, new, _ = coverage(normal(rng, j, n, alike=False), scale=SCALE)
    assert 0.935 <= average <= 0.97
    assert 0.935 <= new <= 0.97


@pytest.mark.parametrize("j", [2, 8, 18])
@pytest.mark.parametrize("n", [5, 10, 30, 100])
def test_intervals_of_answers_near_the_end_cover(j: int, n: int) -> None:
    """With few items they cover more, as two items are added."""
    rng = np.random.default_rng([j, n, 2])
    average, new, each = coverage(answers(rng, j, n), binary=True)
    assert average >= 0.93
    assert new >= 0.92
    assert each >= 0.9
