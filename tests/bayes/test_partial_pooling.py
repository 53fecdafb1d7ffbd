"""The normal hierarchical model on arrays: against brute force, limits, published numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import norm

from palio.bayes.draws import highest_densities
from palio.bayes.models.partial_pooling import Mixture, pooled
from palio.types import FloatArray

# d, s, A: a few tasks; equal ones, measured well; opposed ones; many; one with a gap.
CASES = {
    "three": ([0.1, 0.05, 0.2], [0.03, 0.04, 0.05], 0.3),
    "opposed": ([0.1, -0.1], [0.01, 0.02], 0.2),
    "equal": ([0.1, 0.1, 0.1, 0.1], [0.04, 0.02, 0.03, 0.04], 0.1),
    "unequal errors": ([0.3, 0.0, 0.02, -0.05, 0.01], [0.3, 0.01, 0.02, 0.02, 0.01], 0.15),
}


def log_normal(apart: FloatArray, sd: FloatArray) -> FloatArray:
    return np.asarray(-0.5 * (apart / sd) ** 2 - np.log(sd))


def brute(d: FloatArray, s: FloatArray, scale: float, rope: float) -> dict[str, FloatArray]:
    """Sum over a plain grid of (μ, τ): P above and below the region, mean and sd of both asked."""
    tau = (np.arange(900) + 0.5) / 900 * 6 * scale
    far = 8 * s.min() + 12 * scale
    mu = np.linspace(d.mean() - far, d.mean() + far, 801)[:, None]
    log = -0.5 * (tau / scale) ** 2 + sum(
        log_normal(dj - mu, np.hypot(sj, tau)) for dj, sj in zip(d, s, strict=True)
    )
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    shares = [tau**2 / (tau**2 + sj**2) for sj in s]
    average = sum(b * dj + (1 - b) * mu for b, dj in zip(shares, d, strict=True)) / d.size
    within = sum(b * sj**2 for b, sj in zip(shares, s, strict=True)) / d.size**2
    found = {}
    for name, mean, variance in (("average", average, within), ("new", mu, tau**2)):
        sd = np.sqrt(variance)
        middle = (weight * mean).sum()
        spread = np.sqrt((weight * (variance + (mean - middle) ** 2)).sum())
        above, below = ((weight * ndtr((side - rope) / sd)).sum() for side in (mean, -mean))
        found[name] = np.array([middle, spread, above, below])
    return found


@pytest.mark.parametrize("case", CASES)
def test_quadrature_agrees_with_a_plain_grid(case: str) -> None:
    d, s, scale = (np.array(each, dtype=float) for each in CASES[case])
    found = pooled(d[None], s[None], scale[None])
    expected = brute(d, s, float(scale), 0.02)
    for name, asked in (("average", found.average), ("new", found.new)):
        above, _, below = asked.regions(0.02)[0]
        got = [asked.expected[0], asked.spread[0], above, below]
        np.testing.assert_allclose(got, expected[name], atol=2e-4)


def gibbs(d: FloatArray, s: FloatArray, scale: float, n: int) -> tuple[FloatArray, FloatArray]:
    """Draw (μ, τ, δ) in turn, τ by a random walk: draws of δ (n, J) and of a new difference."""
    rng = np.random.default_rng(5)
    delta, tau = d.copy(), scale / 2
    kept, new = np.empty((n, d.size)), np.empty(n)
    for i in range(n):
        mu = rng.normal(delta.mean(), tau / np.sqrt(d.size))
        precision = 1 / s**2 + 1 / tau**2
        delta = rng.normal((d / s**2 + mu / tau**2) / precision, precision**-0.5)
        # δ integrated out, so that the walk does not stick near 0.
        other = abs(tau + rng.normal(0, scale / 2))
        logs = [
            -0.5 * (t / scale) ** 2 + log_normal(d - mu, np.hypot(s, t)).sum() for t in (tau, other)
        ]
        if np.log(rng.random()) < logs[1] - logs[0]:
            tau = other
            precision = 1 / s**2 + 1 / tau**2
            delta = rng.normal((d / s**2 + mu / tau**2) / precision, precision**-0.5)
        kept[i], new[i] = delta, rng.normal(mu, tau)
    return kept, new


def test_a_long_chain_agrees() -> None:
    d, s, scale = (np.array(each, dtype=float) for each in CASES["three"])
    delta, new = gibbs(d, s, float(scale), 20_000)
    found = pooled(d[None], s[None], scale[None])
    each = found.shrunken(0, d, s)
    np.testing.assert_allclose(each.expected, delta.mean(axis=0), atol=3e-3)
    np.testing.assert_allclose(each.spread, delta.std(axis=0), rtol=0.04)
    np.testing.assert_allclose(each.shortest(0.95), highest_densities(delta.T, 0.95), atol=8e-3)
    assert found.average.spread[0] == pytest.approx(delta.mean(axis=1).std(), rel=0.04)
    assert found.new.regions(0.02)[0, 0] == pytest.approx((new > 0.02).mean(), abs=0.015)


def test_eight_schools() -> None:
    """Gelman and others (2013), table 5.2 (data) and 5.3 (medians and 95 % of 200 draws)."""
    d = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    s = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    found = pooled(d[None], s[None], np.array([1000.0]))  # as flat as theirs
    each = found.shrunken(0, d, s)
    medians = [10, 8, 7, 8, 5, 6, 10, 8]
    np.testing.assert_allclose(each.expected, medians, atol=1.6)
    low, high = each.shortest(0.95)[0]
    assert (low, high) == (pytest.approx(-2, abs=4), pytest.approx(31, abs=4))
    # Worked out with a plain grid of 1500 × 1500 points.
    assert found.average.expected[0] == pytest.approx(7.93, abs=0.01)


def test_one_data_set_is_its_own_posterior() -> None:
    found = pooled(np.array([[0.3]]), np.array([[0.1]]), np.array([0.5]))
    assert found.average.expected[0] == pytest.approx(0.3)
    assert found.average.spread[0] == pytest.approx(0.1)
    np.testing.assert_allclose(found.average.shortest(0.9)[0], norm.interval(0.9, 0.3, 0.1))
    # The prior alone says how far a new one may be: 0.1² + 0.5² twice, from μ and from δ.
    assert found.new.spread[0] == pytest.approx(np.sqrt(0.1**2 + 2 * 0.5**2), rel=1e-6)


def test_without_spread_all_data_sets_are_one() -> None:
    d, s = np.array([[0.1, 0.4, -0.2]]), np.array([[0.1, 0.2, 0.4]])
    precision = (s**-2.0).sum()
    centre = (d / s**2).sum() / precision
    for scale in (0.0, 1e-7):
        found = pooled(d, s, np.array([scale]))
        for asked in (found.average, found.new):
            assert asked.expected[0] == pytest.approx(centre)
            assert asked.spread[0] == pytest.approx(precision**-0.5)


def test_far_apart_each_data_set_stands_for_itself() -> None:
    d, s = np.array([[10.0, -20.0, 30.0]]), np.array([[0.1, 0.2, 0.3]])
    found = pooled(d, s, np.array([50.0]))
    assert found.average.expected[0] == pytest.approx(d.mean(), abs=1e-3)
    assert found.average.spread[0] == pytest.approx(np.sqrt((s**2).sum()) / 3, rel=1e-3)
    np.testing.assert_allclose(found.shrunken(0, d[0], s[0]).expected, d[0], atol=0.01)


def test_many_data_sets_tell_the_spread() -> None:
    """The nodes follow a posterior of τ that is far narrower than its prior."""
    rng = np.random.default_rng(1)
    d = rng.normal(0.1, 0.2, 800)[None]
    found = pooled(d, np.full(d.shape, 0.01), np.array([1.0]))
    tau = (found.weight * found.tau).sum()
    assert tau == pytest.approx(d.std(), rel=0.01)
    sd = np.sqrt((found.weight * (found.tau - tau) ** 2).sum())
    assert sd == pytest.approx(d.std() / np.sqrt(2 * 800), rel=0.05)


def test_gaps_units_and_sides() -> None:
    d, s = np.array([[0.1, np.nan, 0.3]]), np.array([[0.05, np.nan, 0.1]])
    found = pooled(d, s, np.array([0.2]))
    whole = pooled(d[:, [0, 2]], s[:, [0, 2]], np.array([0.2]))
    other = pooled(-100 * d, 100 * s, np.array([20.0]))
    for name in ("average", "new"):
        one, two, turned = (getattr(each, name) for each in (found, whole, other))
        np.testing.assert_allclose(one.shortest(0.9), two.shortest(0.9))
        np.testing.assert_allclose(-100 * one.shortest(0.9)[:, ::-1], turned.shortest(0.9))
        np.testing.assert_allclose(one.regions(0.02)[:, ::-1], turned.regions(2.0))
    assert len(found.shrunken(0, d[0], s[0]).mean) == 2


def test_a_pair_does_not_depend_on_those_beside_it() -> None:
    rng = np.random.default_rng(0)
    d, s, scale = rng.normal(size=(40, 3)), rng.uniform(0.1, 1, (40, 3)), rng.uniform(0.2, 2, 40)
    whole = pooled(d, s, scale).average.regions(0.1)
    alone = pooled(d[7:8], s[7:8], scale[7:8]).average.regions(0.1)
    assert whole[7].tolist() == alone[0].tolist()


def test_intervals_of_mixtures_are_the_shortest() -> None:
    """Skewed and heavy-tailed; against a fine grid of their density."""
    mixture = Mixture(
        np.array([[0.0, 1.5], [0.0, 0.0]]), np.array([[1.0, 2.0], [0.2, 3.0]]),
        np.array([[0.7, 0.3], [0.5, 0.5]]),
    )  # fmt: skip
    x = np.linspace(-20, 20, 400_001)
    for row, (low, high) in enumerate(mixture.shortest(0.9)):
        density = sum(
            w * norm.pdf(x, m, sd)
            for m, sd, w in zip(
                mixture.mean[row], mixture.sd[row], mixture.weight[row], strict=True
            )
        )
        order = np.argsort(-density)
        inside = x[order[: np.searchsorted(np.cumsum(density[order]) * 1e-4, 0.9)]]
        assert (low, high) == (
            pytest.approx(inside.min(), abs=0.02), pytest.approx(inside.max(), abs=0.02)
        )  # fmt: skip


def test_points_have_no_width_and_edges_are_inside() -> None:
    point = Mixture(np.array([[0.5, 0.5]]), np.zeros((1, 2)), np.full((1, 2), 0.5))
    assert point.shortest(0.95).tolist() == [[0.5, 0.5]]
    assert point.regions(0.5).tolist() == [[0.0, 1.0, 0.0]]
    assert point.regions(0.4).tolist() == [[1.0, 0.0, 0.0]]


def test_draws_are_of_the_mixture() -> None:
    d, s, scale = (np.array(each, dtype=float) for each in CASES["opposed"])
    new = pooled(d[None], s[None], scale[None]).new
    drawn = new.drawn(200_000, np.random.default_rng(0))[:, 0]
    assert drawn.mean() == pytest.approx(new.expected[0], abs=0.003)
    assert drawn.std() == pytest.approx(new.spread[0], rel=0.01)
