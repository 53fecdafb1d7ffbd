"""The numbers of the hierarchical model: what it reads of the folds, its priors, its answer.

The model itself is written out in `palio.bayes.models.hierarchical`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammainc, gammaincc, stdtr

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from palio.types import FloatArray

# Bounds of σᵢ and τ₀ in standard deviations, and the least one, in the same unit.
_WIDEST, _NARROWEST = 1000.0, 1e-3
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class FoldSummary:
    """What the likelihood needs to know of the folds of q data sets, arrays (q,).

    Parameters
    ----------
    mean, squares : array
        The mean of the differences, and the sum of their squared deviations from it (positive).
    folds : array
        How many differences there are, two or more.
    rho : array
        Their correlation, the share of the data that is tested on.
    """

    mean: FloatArray
    squares: FloatArray
    folds: FloatArray
    rho: FloatArray


@dataclass(frozen=True)
class Priors:
    """The bounds of the priors, in the unit of the differences.

    Parameters
    ----------
    delta0, tau0, sigma : float
        δ₀ ~ U(-delta0, delta0), τ₀ ~ U(0, tau0), every σᵢ ~ U(0, sigma).
    alpha, beta : pair of float
        ν = 1 + g, g ~ Gamma(α, rate β), α ~ U(alpha), β ~ U(beta); low below high.
    """

    delta0: float
    tau0: float
    sigma: float
    alpha: tuple[float, float] = (0.5, 5.0)
    beta: tuple[float, float] = (0.05, 0.15)


def sample_nu(priors: Priors, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Draw ν from its prior."""
    shape, rate = rng.uniform(*priors.alpha, size=size), rng.uniform(*priors.beta, size=size)
    return np.asarray(1 + rng.standard_gamma(shape) / rate)


@lru_cache(maxsize=8)
def log_nu_prior(
    alpha: tuple[float, float], beta: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Tabulate log g = log (ν - 1) and its log density, α and β integrated out.

    Over β in closed form: ∫ Gamma(g | α, β) dβ = α g⁻² [P(α + 1, β₂ g) - P(α + 1, β₁ g)] with the
    regularised incomplete gamma function P; over α by Gauss-Legendre quadrature.
    """
    nodes, weights = np.polynomial.legendre.leggauss(32)
    shape = alpha[0] + (alpha[1] - alpha[0]) * (nodes + 1) / 2
    log_g = np.linspace(-16.0, np.log(600 / beta[0]), 2048)
    low, high = (rate * np.exp(log_g)[:, None] for rate in beta)
    # The difference is taken between tails that are not close to 1, and so keeps its digits.
    mass = np.where(
        low < shape + 1,
        gammainc(shape + 1, high) - gammainc(shape + 1, low),
        gammaincc(shape + 1, low) - gammaincc(shape + 1, high),
    )
    density = (mass * shape * weights).sum(axis=1) / (2 * (beta[1] - beta[0]))
    return log_g, np.log(np.maximum(density, _TINY)) - log_g


def scaled(
    differences: Sequence[FloatArray], rho: FloatArray, *, noise: ArrayLike = 0.0
) -> tuple[FoldSummary, Priors, float]:
    """Return the summaries of the folds and the priors' bounds in a unit, and this unit.

    The unit is s̄, or m where no data set's folds differ from each other; 0 where all differences
    are 0.

    >>> data, priors, unit = scaled([np.array([1.0, 3.0]), np.array([4.0, 8.0])], np.full(2, 0.5))
    >>> unit, data.mean.round(3).tolist(), data.squares.round(3).tolist()
    (1.5, [1.333, 4.0], [0.889, 3.556])
    >>> round(priors.delta0, 3), round(priors.tau0, 3), priors.sigma
    (5.333, 1333.333, 1000.0)
    """
    folds = np.array([x.size for x in differences], dtype=np.float64)
    means = np.array([x.mean() for x in differences])
    spreads = np.array([x.std() for x in differences])
    spreads[spreads <= noise] = 0.0
    largest = max(float(np.abs(x).max()) for x in differences)
    unit = float(spreads.mean()) or largest
    if unit == 0:
        return FoldSummary(means, spreads, folds, rho), Priors(0.0, 0.0, 0.0), 0.0
    spreads = np.maximum(spreads / unit, _NARROWEST)
    among = max(float(means.std()) / unit, _NARROWEST) if means.size > 1 else 1.0
    priors = Priors(delta0=largest / unit, tau0=_WIDEST * among, sigma=_WIDEST)
    return FoldSummary(means / unit, folds * spreads**2, folds, rho), priors, unit


def next_regions(delta0: FloatArray, tau0: FloatArray, nu: FloatArray, rope: float) -> FloatArray:
    """Return the probabilities that a δ ~ t(δ₀, τ₀, ν) is above, in and below the region.

    >>> next_regions(np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.ones(2), 1.0)
    array([[0.25, 0.5 , 0.25],
           [0.  , 1.  , 0.  ]])
    """
    point = tau0 == 0
    scale = np.where(point, 1.0, tau0)
    above = np.where(point, delta0 > rope, stdtr(nu, (delta0 - rope) / scale))
    below = np.where(point, delta0 < -rope, stdtr(nu, (-rope - delta0) / scale))
    return np.stack([above, np.maximum(1 - above - below, 0), below], axis=-1)
