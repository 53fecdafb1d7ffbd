"""The no-U-turn sampler on densities whose moments are known."""

import numpy as np
import pytest
from scipy.special import digamma, polygamma

from palio.bayes.draws import Draws, diagnose
from palio.bayes.models.nuts import nuts
from palio.types import FloatArray


def starts(d: int, seed: int) -> tuple[FloatArray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(4, d)), rng


def test_a_correlated_normal() -> None:
    exact = np.array([[4.0, 1.8, 0.0], [1.8, 1.0, 0.02], [0.0, 0.02, 0.01]])
    precision = np.linalg.inv(exact)
    centre = np.array([1.0, -2.0, 3.0])

    def target(x: FloatArray) -> tuple[float, FloatArray]:
        slope = -precision @ (x - centre)
        return float(slope @ (x - centre)) / 2, slope

    begin, rng = starts(3, 0)
    found = nuts(target, begin, rng, draws=1000, warmup=500)
    assert found.values.shape == (4, 1000, 3)
    assert found.divergences == 0
    flat = found.values.reshape(-1, 3)
    worst = diagnose(Draws({"x": found.values}, "chains"))["x"]
    assert worst.r_hat < 1.01
    assert worst.ess_bulk > 500
    error = 4.5 * np.sqrt(np.diag(exact) / worst.ess_bulk)
    assert (np.abs(flat.mean(axis=0) - centre) < error).all()
    units = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    np.testing.assert_allclose(np.cov(flat.T) / units, exact / units, atol=0.12)


def test_a_skewed_density() -> None:
    """Logarithms of gamma variables: mean ψ(a), variance ψ′(a)."""
    shape = np.array([0.7, 2.0, 9.0])

    def target(x: FloatArray) -> tuple[float, FloatArray]:
        return float(shape @ x - np.exp(x).sum()), shape - np.exp(x)

    begin, rng = starts(3, 1)
    found = nuts(target, begin, rng, draws=1000, warmup=500)
    flat = found.values.reshape(-1, 3)
    worst = diagnose(Draws({"x": found.values}, "chains"))["x"]
    assert worst.r_hat < 1.01
    spread = np.sqrt(polygamma(1, shape))
    assert (
        np.abs(flat.mean(axis=0) - digamma(shape)) < 4.5 * spread / np.sqrt(worst.ess_bulk)
    ).all()
    np.testing.assert_allclose(flat.std(axis=0), spread, rtol=0.08)
    # The shares of the tails, too: P(Gamma(2) < 0.5) = 1 − 1.5 e^−0.5.
    share = float((np.exp(flat[:, 1]) < 0.5).mean())
    assert share == pytest.approx(1 - 1.5 * np.exp(-0.5), abs=0.015)


def test_very_different_scales_are_learned() -> None:
    scale = np.array([0.03, 1.0, 30.0])

    def target(x: FloatArray) -> tuple[float, FloatArray]:
        return -float(((x / scale) ** 2).sum()) / 2, -x / scale**2

    rng = np.random.default_rng(2)
    found = nuts(target, rng.normal(size=(2, 3)) * scale, rng, draws=600, warmup=400)
    np.testing.assert_allclose(found.values.reshape(-1, 3).std(axis=0), scale, rtol=0.12)


def test_divergences_are_counted() -> None:
    """A wall that no step size can follow: half the line has no density at all."""

    def target(x: FloatArray) -> tuple[float, FloatArray]:
        inside = bool(x[0] > 0)
        return (-float(x[0]) if inside else -np.inf), np.array([-1.0 if inside else 0.0])

    found = nuts(target, np.ones((2, 1)), np.random.default_rng(3), draws=500, warmup=200)
    assert found.divergences > 0
    assert (found.values > 0).all()


def test_the_same_seed_gives_the_same_chains() -> None:
    def target(x: FloatArray) -> tuple[float, FloatArray]:
        return -float(x @ x) / 2, -x

    one, same, other = (
        nuts(target, np.zeros((1, 2)), np.random.default_rng(s), draws=50, warmup=50).values
        for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
