"""Laplace's approximation and importance weights, where the answer is known."""

from dataclasses import dataclass

import numpy as np
import pytest

from palio.bayes.models import laplace
from palio.bayes.models.laplace import draw_effects, keep, mode
from palio.types import FloatArray


@dataclass(frozen=True)
class Normal:
    """y_i ~ Normal(u_i, 1 / precision): everything given σ is in closed form."""

    observed: FloatArray
    precision: float

    @property
    def size(self) -> int:
        return self.observed.size

    def values(self, effects: FloatArray) -> FloatArray:
        gaps = effects - self.observed
        return np.asarray(-self.precision * (gaps**2).sum(axis=1) / 2)

    def derivatives(self, effects: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        gap = effects - self.observed
        value = -self.precision * float(gap @ gap) / 2
        return value, -self.precision * gap, -self.precision * np.eye(self.size)

    def exact(self, scale: float) -> tuple[float, FloatArray, FloatArray]:
        """Return the means of log σ and u and the variances of u, by quadrature over log σ."""
        log_sigma = np.linspace(-6 * scale, 7 * scale, 4001)
        prior = np.exp(2 * log_sigma)
        marginal = prior + 1 / self.precision
        density = (
            -self.size * np.log(marginal) / 2
            - (self.observed @ self.observed) / marginal / 2
            - (log_sigma / scale) ** 2 / 2
        )
        weight = np.exp(density - density.max())
        weight /= weight.sum()
        shrink = prior / marginal
        means = self.observed[:, None] * shrink
        mean = means @ weight
        variance = (means**2 + shrink / self.precision) @ weight - mean**2
        return float(weight @ log_sigma), mean, variance


@pytest.mark.parametrize("scale", [0.2, 0.5, 1.0])
@pytest.mark.parametrize(("size", "precision"), [(1, 4.0), (3, 0.5), (12, 50.0), (40, 0.1)])
def test_normal_effects(size: int, precision: float, scale: float) -> None:
    target = Normal(np.linspace(-1.0, 2.0, size), precision)
    found = draw_effects(target, np.random.default_rng(0), draws=20_000, scale=scale)
    assert found.independent
    n = found.sigma.size
    log_sigma, mean, variance = target.exact(scale)
    drawn = np.log(found.sigma)
    assert abs(drawn.mean() - log_sigma) < 4.5 * drawn.std() / np.sqrt(n)
    effects = found.effects[0]
    assert (np.abs(effects.mean(axis=0) - mean) < 4.5 * np.sqrt(variance / n)).all()
    np.testing.assert_allclose(effects.var(axis=0), variance, rtol=6 * np.sqrt(2 / n))


def test_no_data_give_the_prior_back() -> None:
    target = Normal(np.zeros(5), 0.0)
    found = draw_effects(target, np.random.default_rng(1), draws=20_000, scale=0.5)
    n = found.sigma.size
    assert np.log(found.sigma).mean() == pytest.approx(0.0, abs=4.5 * 0.5 / np.sqrt(n))
    assert np.log(found.sigma).std() == pytest.approx(0.5, rel=0.03)
    # The variance of u is that of a normal mixed over a log-normal variance, exp(2 · 0.5²).
    assert found.effects.var() == pytest.approx(np.exp(0.5), rel=0.05)


def test_chains_take_over_and_say_the_same() -> None:
    target = Normal(np.array([1.0, -1.0, 0.5, 2.0]), 2.0)
    found = draw_effects(target, np.random.default_rng(0), draws=1000, scale=0.5, limit=-np.inf)
    assert not found.independent
    assert found.effects.shape == (4, 1000, 4)
    assert "no-U-turn" in found.method
    assert found.facts["divergences"] == 0
    log_sigma, mean, variance = target.exact(0.5)
    assert np.log(found.sigma).mean() == pytest.approx(log_sigma, abs=0.06)
    np.testing.assert_allclose(found.effects.mean(axis=(0, 1)), mean, atol=0.1)
    np.testing.assert_allclose(found.effects.var(axis=(0, 1)), variance, rtol=0.2)


def test_weights_that_are_worth_little_are_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A narrow spike on a wide hill: curvature at the mode says nothing of the mass."""
    monkeypatch.setattr(laplace, "_CHAIN_DRAWS", 50)
    monkeypatch.setattr(laplace, "_WARMUP", 50)

    class Spiked(Normal):
        def values(self, effects: FloatArray) -> FloatArray:
            squares = (effects**2).sum(axis=1)
            return np.asarray(np.logaddexp(-5000 * squares, -squares / 2 - 3))

        def derivatives(self, effects: FloatArray) -> tuple[float, FloatArray, FloatArray]:
            value = float(self.values(effects[None])[0])
            narrow = float(np.exp(-5000 * effects @ effects - value))
            slope = -effects * (10_000 * narrow + (1 - narrow))
            return value, slope, -np.eye(self.size) * (10_000 * narrow + (1 - narrow))

    target = Spiked(np.zeros(6), 1.0)
    found = draw_effects(target, np.random.default_rng(0), draws=2000, scale=0.5)
    assert not found.independent
    assert "pareto_k" not in found.facts  # those of the draws returned, and these have no weights


def test_the_mode_of_a_quadratic_is_found_in_one_step() -> None:
    target = Normal(np.array([3.0, -1.0]), 2.0)
    found, value, curvature = mode(target, np.array([100.0, 100.0]), precision=2.0)
    np.testing.assert_allclose(found, [1.5, -0.5])
    assert value == pytest.approx(-(1.5**2 + 0.5**2) - (1.5**2 + 0.5**2))
    np.testing.assert_allclose(curvature, 4 * np.eye(2))


def test_equal_weights_keep_everything_once() -> None:
    kept = keep(np.full(50, 1 / 50), np.random.default_rng(0))
    np.testing.assert_array_equal(kept, np.arange(50))


def test_unequal_weights_keep_their_effective_number() -> None:
    weights = np.array([0.5] + [0.5 / 99] * 99)
    counts = np.zeros(100)
    for seed in range(4000):
        kept = keep(weights, np.random.default_rng(seed))
        assert kept.size == int(1 / (weights**2).sum())
        counts += np.bincount(kept, minlength=100) / kept.size
    # Each is kept in proportion to its weight.
    assert counts[0] / 4000 == pytest.approx(0.5, abs=0.02)
    np.testing.assert_allclose(counts[1:] / 4000, 0.5 / 99, atol=0.005)
