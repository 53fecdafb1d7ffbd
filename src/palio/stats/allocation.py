"""The variance of a difference of two algorithms, and how many of what would make it smaller."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from palio.stats.variance import REPLICATES, WITH_DATASETS, WITH_UNITS
from palio.types import FloatArray


class Rates(NamedTuple):
    r"""What a data set adds to the variance of one algorithm's mean, against the others'.

    ``lasting`` stays however many units the data set has, ``unit`` shrinks with these, and
    ``replicate`` with the replicates of each, too. They may be arrays of as many draws.

    Notes
    -----
    On S data sets with U units and R replicates the variance of a difference of two means is

    .. math::

        \frac{2}{S} \left(\mathrm{lasting} + \frac{\mathrm{unit}}{U}
        + \frac{\mathrm{replicate}}{U R}\right)

    Where other data sets would be drawn, these are :math:`\sigma^2_{AD}`, :math:`\sigma^2_{AU}` and
    :math:`\sigma^2_E`. On the same data sets ``lasting`` is
    :math:`\sigma^2_{AU}\, \rho / (1 - \rho)` instead: ρ is the correlation of units that share
    training data, and what they share does not average out (Nadeau and Bengio 2003). Over data sets
    drawn anew it is part of :math:`\sigma^2_{AD}` as measured, and so it is counted once.

    Examples
    --------
    >>> rates = Rates(lasting=0.3, unit=0.5, replicate=0.0)
    >>> rates.variance(datasets=2, units=5, replicates=1).round(12).tolist()
    0.4
    """

    lasting: FloatArray | float
    unit: FloatArray | float
    replicate: FloatArray | float

    @classmethod
    def anew(cls, values: FloatArray, which: tuple[int, ...]) -> Rates:
        """Return the rates of data sets that are drawn anew; components are (..., Q)."""
        return cls(*(_component(values, which, s) for s in (WITH_DATASETS, WITH_UNITS, REPLICATES)))

    @classmethod
    def same(cls, values: FloatArray, which: tuple[int, ...], shared: float) -> Rates:
        r"""Return the rates of the same data sets.

        ``shared`` is :math:`\rho / (1 - \rho)` of their units.
        """
        unit = _component(values, which, WITH_UNITS)
        return cls(shared * unit, unit, _component(values, which, REPLICATES))

    def times(self, factor: float) -> Rates:
        """Return the rates of data sets that add so many times as much."""
        return Rates(*(factor * part for part in self))

    def variance(
        self, datasets: ArrayLike, units: ArrayLike = math.inf, replicates: ArrayLike = 1
    ) -> FloatArray:
        """Return the variance of a difference with so many of each."""
        units, replicates = np.asarray(units), np.asarray(replicates)
        each = self.lasting + self.unit / units + self.replicate / (units * replicates)
        return np.asarray(2 * each / np.asarray(datasets))

    def units_for(self, variance: float, datasets: float, replicates: float) -> float | None:
        """Return how many units a data set needs for a variance; None if no number will do.

        >>> Rates(0.1, 0.9, 0.0).units_for(0.2, datasets=2, replicates=1)
        9.0
        >>> Rates(0.3, 0.9, 0.0).units_for(0.2, datasets=2, replicates=1)
        """
        return _over(
            self.unit + self.replicate / replicates, variance * datasets / 2 - self.lasting
        )

    def replicates_for(self, variance: float, datasets: float, units: float) -> float | None:
        """Return how many replicates a unit needs for a variance; None if no number will do."""
        left = variance * datasets / 2 - self.lasting - self.unit / units
        return _over(self.replicate / units, left)

    def further_for(
        self, variance: float, now: tuple[float, float, float], units: float, replicates: float
    ) -> int:
        """Return how many further data sets, with so many units and replicates, it takes.

        With S data sets of variance v now and m further ones of variance w, equally weighted, it is
        :math:`2 (S v + m w) / (S + m)^2`; the least m for which that is small enough.

        >>> Rates(0.0, 1.0, 0.0).further_for(0.125, (4, 2, 1), units=1, replicates=1)
        10
        """
        s, v = now[0], float(self.variance(1, *now[1:])) / 2
        w = float(self.variance(1, units, replicates)) / 2
        half = w / variance - s  # variance (s + m)² / 2 ≥ s v + m w
        found = half + math.sqrt(max(half**2 - s**2 + 2 * s * v / variance, 0.0))
        return max(0, math.ceil(found - 1e-9))


def _component(values: FloatArray, which: tuple[int, ...], stratum: int) -> FloatArray:
    if stratum not in which:
        return np.zeros(values.shape[:-1])
    return np.asarray(values[..., which.index(stratum)])


def _over(part: FloatArray | float, room: FloatArray | float) -> float | None:
    return float(part / room) if room > 0 else None
