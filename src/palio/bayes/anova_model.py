"""The model that the Bayesian analyses of variance share: its prior and its units.

wainer2016 eq. 2, after Kruschke (2014). With s the standard deviation of all scores (n − 1 in the
denominator) and m their mean, for algorithm a on data set d:

    y_ad = β + α_a + δ_d + e_ad
    β ~ N(m, (5 s)²),  α_a ~ N(0, σ_a²),  δ_d ~ N(0, σ_d²)
    σ_a, σ_d ~ Gamma with mode s/2 and standard deviation 2 s
    e_ad ~ N(0, σ_0²), or, robust, σ_0 × Student t with ν degrees of freedom
    σ_0 ~ Uniform(s/100, 10 s),  ν ~ Exponential with mean 30 (ν > 0, not shifted)

What is reported are Kruschke's effects that sum to zero, α_a − ᾱ and δ_d − δ̄, and the grand mean
μ = β + ᾱ + δ̄. The three are independent a priori given the standard deviations,

    μ ~ N(m, 25 s² + σ_a²/K + σ_d²/S),  α − ᾱ ~ N(0, σ_a² (I − J/K)),  δ − δ̄ likewise,

so the samplers never see β, ᾱ and δ̄, which the scores cannot tell apart. They work in units of s
around m, in which all numbers of the prior are the constants below.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from palio.types import FloatArray

__all__ = [
    "DF_MEAN",
    "ERROR_HIGH",
    "ERROR_LOW",
    "GRAND_VARIANCE",
    "RATE",
    "SHAPE",
    "Fits",
    "Unit",
    "gamma_with_mode",
    "log_grand_mean",
]


def gamma_with_mode(mode: float, sd: float) -> tuple[float, float]:
    """Return shape and rate of the gamma distribution with this mode and standard deviation.

    >>> shape, rate = gamma_with_mode(0.5, 2.0)
    >>> round((shape - 1) / rate, 12), round(shape**0.5 / rate, 12)
    (0.5, 2.0)
    """
    rate = (mode + sqrt(mode**2 + 4 * sd**2)) / (2 * sd**2)
    return 1 + mode * rate, rate


GRAND_VARIANCE = 25.0
ERROR_LOW, ERROR_HIGH = 0.01, 10.0
SHAPE, RATE = gamma_with_mode(0.5, 2.0)
DF_MEAN = 30.0


@dataclass(frozen=True)
class Unit:
    """The m and s of the prior: yMean and ySD in wainer2016."""

    mean: float
    sd: float

    @classmethod
    def of(cls, scores: FloatArray) -> Unit:
        """Take them from the scores, of which some may be missing (NaN)."""
        seen = scores[~np.isnan(scores)]
        return cls(float(seen.mean()), float(seen.std(ddof=1)))

    def standardise(self, scores: FloatArray) -> FloatArray:
        """Return the scores in units of s around m."""
        return (scores - self.mean) / self.sd


@dataclass(frozen=True, eq=False)
class Fits:
    """A few draws with everything that the scores depend on, in the unit of the score.

    Parameters
    ----------
    grand_mean, sd_error : array (T,)
    algorithm : array (T, K)
    dataset : array (T, S)
    df : array (T,), optional
        Degrees of freedom of the errors; ``None`` for normal ones.
    """

    grand_mean: FloatArray
    algorithm: FloatArray
    dataset: FloatArray
    sd_error: FloatArray
    df: FloatArray | None = None

    def of_draw(self, t: int) -> FloatArray:
        """Return the scores without errors that draw ``t`` believes in: (S, K)."""
        fit: FloatArray = self.grand_mean[t] + self.dataset[t][:, None] + self.algorithm[t]
        return fit


def log_grand_mean(
    grand_mean: FloatArray | float,
    var_algorithm: FloatArray,
    var_dataset: FloatArray,
    n_algorithms: int,
    n_datasets: int,
    var_error: FloatArray | float = 0.0,
) -> FloatArray:
    """Return the log density of the grand mean, or of that of the scores with ``var_error``.

    Up to a constant, in units of s around m.
    """
    variance = (
        GRAND_VARIANCE
        + var_algorithm / n_algorithms
        + var_dataset / n_datasets
        + var_error / (n_algorithms * n_datasets)
    )
    log_density: FloatArray = -0.5 * np.log(variance) - 0.5 * grand_mean**2 / variance
    return log_density
