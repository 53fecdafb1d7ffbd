r"""Bayesian ANOVA of a complete table with normal errors: independent draws, no chain.

Given the standard deviations, everything else is Gaussian in closed form. Their own posterior, in
:math:`u = \log(\sigma)`, depends on the scores through the sums of squares of a two-way table only:

.. math::

    f(u_0, u_a, u_d) = e(u_0)\, a(u_0, u_a)\, d(u_0, u_d)\, g(u_0, u_a, u_d)

with e for the residuals, a for the algorithms (:math:`\sigma_0^2 + S \sigma_a^2` is the variance
behind their sum of squares), d for the data sets, and g for the grand mean, which hardly varies.
Draws come from a staircase above f on a grid and are accepted with probability f over the
staircase, which is exact. The same function summed over Gauss–Legendre nodes gives probabilities
without noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from palio.bayes.draws import Draws, all_pairs
from palio.bayes.models.anova_model import (
    ERROR_HIGH,
    ERROR_LOW,
    GRAND_VARIANCE,
    RATE,
    SHAPE,
    Fits,
    Unit,
    log_grand_mean,
)

if TYPE_CHECKING:
    from palio.types import FloatArray, IntArray

# What is this far below the highest log density (e⁻³⁰ ≈ 10⁻¹³) is left out.
_DEPTH = 30.0
_SCAN, _CELLS, _NODES = 129, 200, 96
_MOST_PROPOSALS = 200_000

Span = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Sums:
    """The sufficient statistics of a complete table, in units of s around m.

    Parameters
    ----------
    mean : float
        Of all scores.
    algorithm, dataset : array (K,) and (S,)
        Deviations of the means of rows and columns from it.
    residual : float
        The sum of squares that is left.
    """

    mean: float
    algorithm: FloatArray
    dataset: FloatArray
    residual: float

    @classmethod
    def of(cls, scores: FloatArray, unit: Unit) -> Sums:
        """Take them from scores (S, K)."""
        z = unit.standardise(scores)
        mean = float(z.mean())
        algorithm, dataset = z.mean(axis=0) - mean, z.mean(axis=1) - mean
        rest = z - mean - algorithm - dataset[:, None]
        return cls(mean, algorithm, dataset, float(np.sum(rest**2)))

    def log_error(self, u0: FloatArray) -> FloatArray:
        """Return log e(u₀); the flat prior of σ_0 gives u₀ its own Jacobian."""
        df = (self.algorithm.size - 1) * (self.dataset.size - 1)
        log_density: FloatArray = (1 - df) * u0 - 0.5 * self.residual * np.exp(-2 * u0)
        return log_density

    def log_algorithm(self, u0: FloatArray, u: FloatArray) -> FloatArray:
        """Return log a(u₀, u_a)."""
        return _log_effects(u0, u, self.algorithm, self.dataset.size)

    def log_dataset(self, u0: FloatArray, u: FloatArray) -> FloatArray:
        """Return log d(u₀, u_d)."""
        return _log_effects(u0, u, self.dataset, self.algorithm.size)

    def log_mean(self, u0: FloatArray, ua: FloatArray, ud: FloatArray) -> FloatArray:
        """Return log g(u₀, u_a, u_d)."""
        return log_grand_mean(
            self.mean,
            np.exp(2 * ua),
            np.exp(2 * ud),
            self.algorithm.size,
            self.dataset.size,
            np.exp(2 * u0),
        )


def _log_effects(u0: FloatArray, u: FloatArray, effects: FloatArray, per_level: int) -> FloatArray:
    """Return the log density of the effects' sum of squares, and of u under its gamma prior."""
    variance = np.exp(2 * u0) + per_level * np.exp(2 * u)
    squares = per_level * float(np.sum(effects**2))
    log_density: FloatArray = (
        SHAPE * u
        - RATE * np.exp(u)
        - 0.5 * (effects.size - 1) * np.log(variance)
        - 0.5 * squares / variance
    )
    return log_density


# --- where the posterior is ------------------------------------------------------------------


def _spans(sums: Sums) -> tuple[Span, Span, Span]:
    """Return the intervals of u₀, u_a and u_d outside which there is nothing to see."""
    bounds = (np.log(ERROR_LOW), np.log(ERROR_HIGH))
    spans: list[Span] = [bounds, (-45.0, 5.0), (-45.0, 5.0)]
    for _ in range(12):
        u0, ua, ud = (np.linspace(*span, _SCAN) for span in spans)
        error = sums.log_error(u0)
        joint_a = sums.log_algorithm(u0[:, None], ua)
        joint_d = sums.log_dataset(u0[:, None], ud)
        sum_a, sum_d = _log_sum(joint_a, 1), _log_sum(joint_d, 1)
        marginals = (
            error + sum_a + sum_d,
            _log_sum((error + sum_d)[:, None] + joint_a, 0),
            _log_sum((error + sum_a)[:, None] + joint_d, 0),
        )
        narrower = [_narrow(u, m) for u, m in zip((u0, ua, ud), marginals, strict=True)]
        widths = [(n[1] - n[0]) / (s[1] - s[0]) for n, s in zip(narrower, spans, strict=True)]
        spans = narrower
        if min(widths) > 0.7:
            break
    return spans[0], spans[1], spans[2]


def _narrow(u: FloatArray, log_density: FloatArray) -> Span:
    seen = np.flatnonzero(log_density > log_density.max() - _DEPTH)
    return float(u[max(seen[0] - 1, 0)]), float(u[min(seen[-1] + 1, u.size - 1)])


def _log_sum(values: FloatArray, axis: int) -> FloatArray:
    top = values.max(axis=axis, keepdims=True)
    total: FloatArray = np.log(np.exp(values - top).sum(axis=axis)) + np.squeeze(top, axis)
    return total


# --- draws -----------------------------------------------------------------------------------


def draw_normal(
    scores: FloatArray,
    *,
    unit: Unit,
    draws: int,
    chains: int,
    rng: np.random.Generator,
    keep: int = 500,
) -> tuple[Draws, Fits]:
    """Draw from the posterior of a complete table with normal errors.

    Parameters
    ----------
    scores : array (S, K)
        One value per data set and algorithm, none missing.
    unit : Unit
        The mean and the standard deviation in the prior.
    draws, chains : int
        Draws per chain, and how many chains to cut the independent draws into.
    keep : int
        For how many draws the effects of the data sets are drawn as well.

    Returns
    -------
    Draws, Fits
        ``grand_mean``, ``algorithm`` (…, K), ``sd_error``, ``sd_algorithm``, ``sd_dataset``.
    """
    sums = Sums.of(scores, unit)
    n = draws * chains
    u, accepted = _draw_sds(sums, n, rng)
    var_error, var_algorithm, var_dataset = np.exp(2 * u)
    algorithm = _effects(sums.algorithm, var_error / sums.dataset.size, var_algorithm, rng)
    prior = GRAND_VARIANCE + var_algorithm / sums.algorithm.size + var_dataset / sums.dataset.size
    noise = var_error / scores.size
    weight = prior / (prior + noise)
    mean = weight * sums.mean + np.sqrt(weight * noise) * rng.standard_normal(n)

    few = np.linspace(0, n - 1, min(keep, n)).astype(np.intp)
    dataset = _effects(sums.dataset, var_error[few] / sums.algorithm.size, var_dataset[few], rng)
    sds = unit.sd * np.exp(u)
    mean = unit.mean + unit.sd * mean
    algorithm *= unit.sd
    fits = Fits(mean[few], algorithm[:, few].T, unit.sd * dataset.T, sds[0, few])
    shape = (chains, draws)
    values = {
        "grand_mean": mean.reshape(shape),
        # Stored by algorithm, so that all draws of one lie together.
        "algorithm": np.moveaxis(algorithm.reshape(-1, *shape), 0, -1),
        "sd_error": sds[0].reshape(shape),
        "sd_algorithm": sds[1].reshape(shape),
        "sd_dataset": sds[2].reshape(shape),
    }
    method = "independent draws, by rejection from a grid of the standard deviations"
    return Draws(values, method, independent=True, facts={"acceptance": accepted}), fits


def _effects(
    deviations: FloatArray, noise: FloatArray, variance: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return effects that sum to zero, (levels, draws), given their variance in every draw.

    ``noise`` is the variance with which the means of the levels are observed.
    """
    shrink = variance / (variance + noise)
    z = rng.standard_normal((deviations.size, variance.size))
    z -= z.mean(axis=0)
    z *= np.sqrt(shrink * noise)
    z += shrink * deviations[:, None]
    return z


def _draw_sds(sums: Sums, n: int, rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Draw (u₀, u_a, u_d), (3, n), and tell which share of proposals was accepted."""
    spans = _spans(sums)
    grids = [np.linspace(*span, _CELLS + 1) for span in spans]
    # A mode inside a cell may top its corners a little; the loop below sees if by more than this.
    slack = 0.01
    while True:
        stairs = _Stairs.above(sums, grids, slack)
        parts: list[FloatArray] = []
        found = tried = 0
        highest = -np.inf
        while found < n:
            share = max(found / tried, 0.001) if tried else 0.7
            size = int(min(max(1.05 * (n - found) / share, 100), _MOST_PROPOSALS))
            u, log_ratio = stairs.propose(size, rng)
            highest = max(highest, float(log_ratio.max()))
            kept = u[:, np.log1p(-rng.random(size)) < log_ratio]
            parts.append(kept)
            found, tried = found + kept.shape[1], tried + size
        if highest <= 0:
            return np.concatenate(parts, axis=1)[:, :n], found / tried
        slack = 4 * slack + highest


@dataclass(frozen=True, eq=False)
class _Stairs:
    """A function that is constant on every cell of the grid and nowhere below f."""

    sums: Sums
    grids: list[FloatArray]
    error: FloatArray
    algorithm: FloatArray
    dataset: FloatArray
    mean: float

    @classmethod
    def above(cls, sums: Sums, grids: list[FloatArray], slack: float) -> _Stairs:
        u0, ua, ud = grids
        # log g = −½ log v − ½ μ²/v rises until v = μ², and v is at least its prior's.
        least = GRAND_VARIANCE + float(
            np.exp(2 * ua[0]) / sums.algorithm.size + np.exp(2 * ud[0]) / sums.dataset.size
        )
        peak = max(least, sums.mean**2)
        return cls(
            sums,
            grids,
            _corners(sums.log_error(u0)) + slack,
            _corners(_corners(sums.log_algorithm(u0[:, None], ua)).T).T + slack,
            _corners(_corners(sums.log_dataset(u0[:, None], ud)).T).T + slack,
            -0.5 * float(np.log(peak)) - 0.5 * sums.mean**2 / peak,
        )

    def propose(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return n points under the stairs, (3, n), and log f over the stairs there."""
        by_row = self.error + _log_sum(self.algorithm, 1) + _log_sum(self.dataset, 1)
        rows = np.zeros(n, dtype=np.intp)
        i = _pick(by_row[None, :], rows, rng)
        j, k = _pick(self.algorithm, i, rng), _pick(self.dataset, i, rng)
        u = np.stack(
            [
                grid[cell] + (grid[1] - grid[0]) * rng.random(n)
                for grid, cell in zip(self.grids, (i, j, k), strict=True)
            ]
        )
        log_f = (
            self.sums.log_error(u[0])
            + self.sums.log_algorithm(u[0], u[1])
            + self.sums.log_dataset(u[0], u[2])
            + self.sums.log_mean(*u)
        )
        return u, log_f - self.error[i] - self.algorithm[i, j] - self.dataset[i, k] - self.mean


def _corners(values: FloatArray) -> FloatArray:
    """Return the larger of the two ends of every cell along the last axis."""
    larger: FloatArray = np.maximum(values[..., 1:], values[..., :-1])
    return larger


def _pick(log_weights: FloatArray, rows: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw a column for each of ``rows``, with the weights of that row."""
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    steps = np.cumsum(weights, axis=1)
    # Row r occupies (r, r + 1), so one sorted array serves all rows.
    steps = steps / steps[:, -1:] + np.arange(len(steps))[:, None]
    columns = np.searchsorted(steps.ravel(), rows + rng.random(rows.size), side="right")
    picked: IntArray = np.minimum(columns - rows * steps.shape[1], steps.shape[1] - 1)
    return picked


# --- without noise ---------------------------------------------------------------------------


def exact_pairs(scores: FloatArray, *, unit: Unit, rope: float, nodes: int = _NODES) -> FloatArray:
    """Return the probabilities of all pairs by quadrature: (P, 3).

    That first minus second is above the region, within it, below it. Given the standard
    deviations a difference is normal; what remains is a sum over the nodes.
    """
    sums = Sums.of(scores, unit)
    x, w = np.polynomial.legendre.leggauss(nodes)
    axes = [(low + high) / 2 + (high - low) / 2 * x for low, high in _spans(sums)]
    u0, ua, ud = axes[0][:, None, None], axes[1][:, None], axes[2]
    log_f = sums.log_algorithm(u0, ua) + sums.log_dataset(u0, ud) + sums.log_mean(u0, ua, ud)
    log_f += sums.log_error(u0)
    weight = (np.exp(log_f - log_f.max()) @ w) * w * w[:, None]
    at = np.nonzero(weight > 1e-17 * weight.max())
    weight = weight[at] / weight[at].sum()

    noise = np.exp(2 * axes[0][at[0]]) / sums.dataset.size
    variance = np.exp(2 * axes[1][at[1]])
    shrink = variance / (variance + noise)
    spread = np.sqrt(2 * shrink * noise)
    edge = rope / unit.sd
    first, second = all_pairs(sums.algorithm.size)
    found = np.empty((first.size, 3))
    for p, gap in enumerate(sums.algorithm[first] - sums.algorithm[second]):
        above = weight @ ndtr((shrink * gap - edge) / spread)
        below = weight @ ndtr((-edge - shrink * gap) / spread)
        # Of no region rounding leaves something.
        found[p] = above, max(1 - above - below, 0.0) if edge else 0.0, below
    return found
