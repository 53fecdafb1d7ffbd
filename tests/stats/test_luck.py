"""Winner's luck: known where it is none, or all; the simulations are in the calibration."""

from __future__ import annotations

import numpy as np
import pytest

from palio.stats.luck import Strata, winners_luck


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_who_is_always_first_is_not_lucky() -> None:
    scores = np.random.default_rng(1).uniform(size=(12, 3)) + [5, 0, 0]
    found = winners_luck(scores, draws=500, rng=rng())
    assert (found.drop, found.standard_error) == (0.0, 0.0)
    assert found.chosen.tolist() == [1.0, 0.0, 0.0]


def test_what_all_share_does_not_matter() -> None:
    scores = np.random.default_rng(2).normal(size=(15, 6))
    hard = 100 * np.random.default_rng(3).normal(size=(15, 1))
    a, b = (winners_luck(each, draws=400, rng=rng()) for each in (scores, scores + hard))
    assert a.drop == pytest.approx(b.drop, abs=1e-9)
    assert winners_luck(7 * scores, draws=400, rng=rng()).drop == pytest.approx(7 * a.drop)


def test_the_monte_carlo_error_is_that_of_repetitions() -> None:
    scores = np.random.default_rng(4).normal(size=(20, 8))
    found = [
        winners_luck(scores, draws=200, rng=np.random.default_rng(seed)) for seed in range(200)
    ]
    spread = np.std([each.drop for each in found], ddof=1)
    assert np.mean([each.standard_error for each in found]) == pytest.approx(spread, rel=0.2)


def test_by_hand() -> None:
    """Draw by draw, without the matrices."""
    scores = np.random.default_rng(5).normal(size=(6, 3)) + [1.0, 0.8, -1.0]
    counts = rng().multinomial(6, np.full(6, 1 / 6), size=50)
    z = scores - scores.mean(axis=1, keepdims=True)
    first, drops = int(z.mean(axis=0).argmax()), []
    for draw in counts:
        within = np.repeat(z, draw, axis=0).mean(axis=0)
        outside = z[draw == 0]
        if len(outside):
            best = int(within.argmax())
            apart = within - outside.mean(axis=0)
            drops.append(apart[best] - apart[first])
    noise = z.var(axis=0, ddof=1).mean() / 6 * 3 / 2
    among = z.mean(axis=0).var(ddof=1)
    found = winners_luck(scores, draws=50, rng=rng())
    assert among > noise
    assert found.drop > 0
    assert found.drop == pytest.approx(np.mean(drops) / 2 * np.sqrt(1 + noise / among))


def test_copies_are_no_choice() -> None:
    scores = np.repeat(np.random.default_rng(6).normal(size=(9, 1)), 4, axis=1)
    assert winners_luck(scores, draws=100, rng=rng()).drop == 0.0


def test_too_little_is_refused() -> None:
    for shape in ((2, 3), (5, 1)):
        with pytest.raises(ValueError, match="at least"):
            winners_luck(np.zeros(shape), draws=10, rng=rng())


def test_within_data_sets_by_hand() -> None:
    """Draw by draw: units within two data sets, of other weights and shares."""
    scores = np.random.default_rng(7).normal(size=(9, 3)) + [0.4, 0.3, -1.0]
    of = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1])
    weights = np.arange(1.0, 10.0)
    shares = np.array([0.25, 0.75])
    z = scores - scores.mean(axis=1, keepdims=True)
    mean = np.zeros(3)
    noise, within, outside = 0.0, np.zeros((40, 3)), np.zeros((40, 3))
    draw, there = rng(), np.ones(40, dtype=bool)
    for number, share in enumerate(shares):
        own, w = z[of == number], weights[of == number]
        n = len(own)
        middle = np.average(own, axis=0, weights=w)
        mean += share * middle
        apart = (w[:, np.newaxis] * (own - middle)) / w.sum()
        noise += share**2 * (n / (n - 1) * (apart**2).sum(axis=0)).mean() * 3 / 2
        for i, counts in enumerate(draw.multinomial(n, np.full(n, 1 / n), size=40)):
            within[i] += share * np.average(own, axis=0, weights=w * counts)
            left = counts == 0
            there[i] &= left.any()
            if left.any():
                outside[i] += share * np.average(own[left], axis=0, weights=w[left])
    best, first = within.argmax(axis=1), mean.argmax()
    apart = within - outside
    drops = (apart[np.arange(40), best] - apart[:, first])[there]
    factor = np.sqrt(1 + noise / max(mean.var(ddof=1), noise))
    found = winners_luck(scores, draws=40, rng=rng(), strata=Strata(of, weights, shares))
    assert found.drop == pytest.approx(drops.mean() / 2 * factor)
    assert found.chosen[0] == (best == 0).mean()


def test_a_stratum_of_all_is_the_table() -> None:
    scores = np.random.default_rng(8).normal(size=(11, 4))
    one = Strata(np.zeros(11, dtype=np.intp), np.full(11, 2.5), np.ones(1))
    a, b = (winners_luck(scores, draws=60, rng=rng(), strata=each) for each in (None, one))
    assert a.drop == pytest.approx(b.drop, rel=1e-12)
