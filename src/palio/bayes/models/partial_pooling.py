r"""Normal differences on several data sets, drawn towards each other: exact up to one integral.

The model is written out in `palio.bayes.hierarchical_items`: on data set j a pair's measured
difference :math:`d_j` has standard error :math:`s_j`. Given τ everything is normal (Gelman and
others 2013, section 5.4, eq. 5.17 to 5.20). The posterior of τ (eq. 5.21) has no closed form and is
put on nodes: :math:`\tau = s_0 \sinh(x)` with evenly spaced x, as fine near 0 as :math:`s_j` is and
as far as A goes. What is integrated is even in x, so that the trapezoidal rule is far more exact
than its step. Nothing is drawn.

Arrays are of P pairs and J data sets; NaN in ``d`` is a data set that a pair does not have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

if TYPE_CHECKING:
    from palio.types import FloatArray

NODES = 49
# The prior of τ ends so many A from 0; of the highest density exp(-this) is nothing.
_FARTHEST = 6.0
_NOTHING = 25.0
# Points at which a distribution function is worked out, as far as this many standard deviations.
_POINTS = 97
_RANGE = 8.0
# Tails among which the shortest interval is looked for.
_TAILS = 65
# So many numbers are worked on together.
_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class Mixture:
    """Mixtures of normal distributions, one in each row: arrays (P, nodes).

    ``sd`` of 0 throughout is a point, which the edge of a region counts in.
    """

    mean: FloatArray
    sd: FloatArray
    weight: FloatArray

    @property
    def expected(self) -> FloatArray:
        """The mean of each: (P,)."""
        return np.asarray((self.weight * self.mean).sum(axis=1))

    @property
    def spread(self) -> FloatArray:
        """The standard deviation of each: (P,)."""
        apart = self.mean - self.expected[:, np.newaxis]
        return np.asarray(np.sqrt((self.weight * (self.sd**2 + apart**2)).sum(axis=1)))

    def regions(self, rope: float) -> FloatArray:
        """Return the probabilities above, in and below ±rope: (P, 3)."""
        above, below = (self._above(side, rope) for side in (self.mean, -self.mean))
        inside = np.maximum(1.0 - above - below, 0.0)
        return np.stack([above, inside, below], axis=-1)

    def _above(self, mean: FloatArray, rope: float) -> FloatArray:
        unit = np.where(self.sd > 0.0, self.sd, 1.0)
        each = np.where(self.sd > 0.0, ndtr((mean - rope) / unit), mean > rope)
        return np.asarray((self.weight * each).sum(axis=1))

    def shortest(self, mass: float) -> FloatArray:
        """Return the shortest interval of each that holds ``mass``: (P, 2).

        Quantiles are read off the distribution function between its points, as a function of the
        normal quantile, which of a normal distribution is a straight line.
        """
        middle, spread = self.expected, self.spread
        # Closer together where most of it is.
        steps = np.sinh(np.linspace(-3.0, 3.0, _POINTS)) / np.sinh(3.0) * _RANGE
        point = np.asarray(spread == 0.0)
        at = middle[:, np.newaxis] + np.where(point, 1.0, spread)[:, np.newaxis] * steps
        score = ndtri(np.clip(self._below_points(at), 1e-300, 1.0 - 1e-16))
        low = np.linspace(0.0, 1.0 - mass, _TAILS + 2)[1:-1]
        wanted = ndtri(np.concatenate([low, low + mass]))
        ends = np.stack([np.interp(wanted, z, x) for z, x in zip(score, at, strict=True)]).reshape(
            -1, 2, _TAILS
        )
        found = _narrowest(ends)
        return np.where(point[:, np.newaxis], middle[:, np.newaxis], found)

    def _below_points(self, at: FloatArray) -> FloatArray:
        unit = np.where(self.sd > 0.0, self.sd, 1.0)
        total = np.zeros_like(at)
        for node in range(self.mean.shape[1]):
            each = slice(node, node + 1)
            total += self.weight[:, each] * ndtr((at - self.mean[:, each]) / unit[:, each])
        return total

    def drawn(self, size: int, rng: np.random.Generator) -> FloatArray:
        """Draw from each, all from the same random numbers: (size, P)."""
        u, z = rng.random(size), rng.standard_normal(size)
        ends = np.cumsum(self.weight, axis=1)
        found = np.empty((size, len(self.mean)))
        for row, end in enumerate(ends):
            node = np.minimum(np.searchsorted(end, u), end.size - 1)
            found[:, row] = self.mean[row, node] + self.sd[row, node] * z
        return found


def _narrowest(ends: FloatArray) -> FloatArray:
    """Return the narrowest of intervals (P, 2, tails), between tails by a parabola: (P, 2)."""
    width = ends[:, 1] - ends[:, 0]
    rows = np.arange(len(width))
    best = np.clip(np.argmin(width, axis=1), 1, width.shape[1] - 2)
    before, here, after = (width[rows, best + step] for step in (-1, 0, 1))
    bend = before - 2.0 * here + after
    shift = np.where(bend > 0.0, 0.5 * (before - after) / np.where(bend > 0.0, bend, 1.0), 0.0)
    shift = np.clip(shift, -1.0, 1.0)[:, np.newaxis]
    left, middle, right = (ends[rows, :, best + step] for step in (-1, 0, 1))
    half = 0.5 * (right - left)
    return np.asarray(middle + shift * half + 0.5 * shift**2 * (left - 2.0 * middle + right))


class Pooled(NamedTuple):
    """What is known of P pairs: the spread τ on its nodes, and what follows from it.

    ``average`` is that of δⱼ over the data sets at hand, ``new`` the difference on a new one.
    """

    tau: FloatArray
    weight: FloatArray
    centre: FloatArray
    centre_variance: FloatArray
    average: Mixture
    new: Mixture

    def shrunken(self, row: int, d: FloatArray, s: FloatArray) -> Mixture:
        """Return δⱼ of one pair, whose measurements these are: a row per data set it has."""
        there = ~np.isnan(d)
        mean, variance, share = _on_each(
            d[there][:, np.newaxis], s[there][:, np.newaxis], self.tau[row], self.centre[row]
        )
        variance = variance + share**2 * self.centre_variance[row]
        return Mixture(mean, np.sqrt(variance), np.broadcast_to(self.weight[row], mean.shape))


def pooled(d: FloatArray, s: FloatArray, scale: FloatArray) -> Pooled:
    """Return the posterior of pairs from differences and standard errors (P, J), above 0.

    ``scale`` (P,) is A, of the prior of τ; with 0 all data sets have the same difference.

    >>> found = pooled(np.array([[1.0, 3.0]]), np.ones((1, 2)), np.array([0.0]))
    >>> found.average.expected.round(4).tolist(), found.average.spread.round(4).tolist()
    ([2.0], [0.7071])
    """
    step = max(1, _CELLS // (NODES * d.shape[1]))
    parts = [
        _pooled(d[start : start + step], s[start : start + step], scale[start : start + step])
        for start in range(0, len(d), step)
    ]
    together = [np.concatenate(each) for each in zip(*parts, strict=True)]
    tau, weight, centre, centre_variance, mean, variance = together
    return Pooled(
        tau,
        weight,
        centre,
        centre_variance,
        Mixture(mean, np.sqrt(variance), weight),
        Mixture(centre, np.sqrt(centre_variance + tau**2), weight),
    )


def _pooled(d: FloatArray, s: FloatArray, scale: FloatArray) -> tuple[FloatArray, ...]:
    there = ~np.isnan(d)
    n = there.sum(axis=1)[:, np.newaxis]
    d, s = np.where(there, d, 0.0), np.where(there, s, np.inf)
    unit = np.sqrt(n[:, 0] / (s**-2.0).sum(axis=1))
    tau, weight = _spreads(d, s, scale, unit)
    centre, variance, _ = _centres(d, s, tau)
    each, own, share = _on_each(
        d[:, :, np.newaxis], s[:, :, np.newaxis], tau[:, np.newaxis], centre[:, np.newaxis]
    )
    mask = there[:, :, np.newaxis]
    mean, own, share = (np.where(mask, part, 0.0).sum(axis=1) for part in (each, own, share))
    return tau, weight, centre, variance, mean / n, own / n**2 + (share / n) ** 2 * variance


def _on_each(
    d: FloatArray, s: FloatArray, tau: FloatArray, centre: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean and variance of δⱼ given τ and μ (eq. 5.17), and the share that μ has in it."""
    with np.errstate(invalid="ignore"):  # of a data set that is not there
        share = 1.0 / (1.0 + (tau / s) ** 2)
        return d + share * (centre - d), share * tau**2, share


def _centres(
    d: FloatArray, s: FloatArray, tau: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean and variance of μ given τ (eq. 5.20), and the log of what is left of dⱼ there."""
    precision = 1.0 / (s[:, :, np.newaxis] ** 2 + tau[:, np.newaxis] ** 2)
    total = precision.sum(axis=1)
    centre = (precision * d[:, :, np.newaxis]).sum(axis=1) / total
    apart = (precision * (d[:, :, np.newaxis] - centre[:, np.newaxis]) ** 2).sum(axis=1)
    logs = np.log(np.where(precision > 0.0, precision, 1.0)).sum(axis=1)
    return centre, 1.0 / total, 0.5 * (logs - np.log(total) - apart)


def _spreads(
    d: FloatArray, s: FloatArray, scale: FloatArray, unit: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return nodes of τ and their weights in the posterior (eq. 5.21): (P, nodes)."""
    even = np.linspace(0.0, 1.0, NODES)
    x = np.arcsinh(_FARTHEST * scale / unit)[:, np.newaxis] * even
    log = _log_density(d, s, scale, unit, x)
    some = log > log.max(axis=1, keepdims=True) - _NOTHING
    first = np.maximum(np.argmax(some, axis=1) - 1, 0)
    last = np.minimum(NODES - np.argmax(some[:, ::-1], axis=1), NODES - 1)
    rows = np.arange(len(x))
    low, high = x[rows, first][:, np.newaxis], x[rows, last][:, np.newaxis]
    x = low + (high - low) * even
    log = _log_density(d, s, scale, unit, x)
    weight = np.exp(log - log.max(axis=1, keepdims=True))
    weight[:, [0, -1]] *= 0.5
    return unit[:, np.newaxis] * np.sinh(x), weight / weight.sum(axis=1, keepdims=True)


def _log_density(
    d: FloatArray, s: FloatArray, scale: FloatArray, unit: FloatArray, x: FloatArray
) -> FloatArray:
    """Return the log density of x, where τ = unit sinh x."""
    tau = unit[:, np.newaxis] * np.sinh(x)
    wide = np.where(scale > 0.0, scale, 1.0)[:, np.newaxis]
    likelihood = _centres(d, s, tau)[2]
    return np.asarray(likelihood - 0.5 * (tau / wide) ** 2 + np.log(np.cosh(x)))
