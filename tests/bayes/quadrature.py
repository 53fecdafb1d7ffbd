"""The strengths of two or three algorithms by brute force: a grid instead of draws."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from palio.types import FloatArray

LogLikelihood = Callable[[FloatArray], FloatArray]
"""Strengths (…, K) to log-likelihoods (…)."""


@dataclass(frozen=True)
class Grid:
    """Strengths (n, K), which add up to 0, σ (n,), and the posterior weight of each (n,)."""

    strength: FloatArray
    sigma: FloatArray
    weight: FloatArray

    def mean(self, values: FloatArray) -> float:
        return float(self.weight @ values)


def strengths_on_grid(log_likelihood: LogLikelihood, k: int, *, scale: float = 0.5) -> Grid:
    """Weigh the differences to the last algorithm, prior Normal(0, σ²) on each of K strengths.

    The prior of the differences follows from that of the strengths: variance 2σ², covariance σ².
    The basis of contrasts that the package uses plays no part.
    """
    # Hyperbolic sines: close together around 0, and far out where one algorithm wins always.
    place = np.linspace(-5.0, 5.0, 1601 if k == 2 else 161)
    one, stretch = np.sinh(place), np.log(np.cosh(place))
    log_sigma = np.linspace(-5 * scale, 8 * scale, 131 if k == 2 else 66)
    gaps = np.stack(np.meshgrid(*[one] * (k - 1), indexing="ij"), axis=-1).reshape(-1, k - 1)
    volume = np.sum(np.meshgrid(*[stretch] * (k - 1), indexing="ij"), axis=0).ravel()
    strength = np.column_stack([gaps, np.zeros(len(gaps))])
    strength -= strength.mean(axis=1, keepdims=True)
    precision = np.linalg.inv(np.eye(k - 1) + 1.0)
    squares = np.einsum("ni,ij,nj->n", gaps, precision, gaps)
    log_density = (
        log_likelihood(strength)
        + volume
        - squares * np.exp(-2 * log_sigma)[:, None] / 2
        - (k - 1) * log_sigma[:, None]
        - (log_sigma[:, None] / scale) ** 2 / 2
    ).ravel()
    weight = np.exp(log_density - log_density.max())
    return Grid(
        np.tile(strength, (log_sigma.size, 1)),
        np.repeat(np.exp(log_sigma), len(gaps)),
        weight / weight.sum(),
    )
