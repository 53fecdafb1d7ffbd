"""The spread of the errors given the residuals: log σ_0 and log ν, drawn by slices (Neal 2003)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.special import gammaln

from palio.bayes.anova_model import DF_MEAN, ERROR_HIGH, ERROR_LOW

if TYPE_CHECKING:
    from palio.types import BoolArray, FloatArray, IntArray

__all__ = ["NormalErrors", "Squares", "TErrors", "principal_axes", "slice_along"]

# The width of a slice, in standard deviations: wide enough to cross all of a normal density.
_WIDTH = 8.0
# So many factors 1 + r²/(ν σ_0²) are multiplied before a logarithm is taken: the largest of them
# is about 10¹³ (r = 10⁴ σ_0 for one outlier, ν = 10⁻⁵).
_BLOCK = 16
_LEAST_LOG_DF = -12.0
_LOG_LOW, _LOG_HIGH = float(np.log(ERROR_LOW)), float(np.log(ERROR_HIGH))


class Density(Protocol):
    """The log density of the points of some chains, ``which`` of all; (c, 1 or 2) → (c,)."""

    def __call__(self, points: FloatArray, which: IntArray | None = None) -> FloatArray: ...


class Squares:
    """Room for the squared residuals of all chains, made once: 0 where a score is missing.

    ``cells`` is (C, S, K) and ``blocks`` (C, 16, …) the same memory, filled up with zeros.
    """

    def __init__(self, chains: int, n_datasets: int, n_algorithms: int) -> None:
        size = n_datasets * n_algorithms
        columns = -(-size // _BLOCK)
        room = np.zeros((chains, columns * _BLOCK))
        self.cells = room[:, :size].reshape(chains, n_datasets, n_algorithms)
        self.blocks = room.reshape(chains, _BLOCK, columns)
        self.scratch = np.empty_like(self.blocks)


class NormalErrors:
    """log σ_0, given n squared residuals of every chain."""

    def __init__(self, squares: Squares, n: FloatArray) -> None:
        self.total, self.n = squares.cells.sum(axis=(1, 2)), n

    def __call__(self, points: FloatArray, which: IntArray | None = None) -> FloatArray:
        """Return the log density; the flat prior of σ_0 gives its logarithm a Jacobian."""
        every = slice(None) if which is None else which
        u = points[:, 0]
        value = (1 - self.n[every]) * u - 0.5 * self.total[every] * np.exp(-2 * u)
        return np.where(_possible(u), value, -np.inf)


class TErrors:
    """(log σ_0, log ν), given n squared residuals of every chain; λ is integrated out."""

    def __init__(self, squares: Squares, n: FloatArray) -> None:
        self.squares, self.n = squares, n

    def __call__(self, points: FloatArray, which: IntArray | None = None) -> FloatArray:
        """Return the log density, with the Jacobians of both logarithms."""
        every = slice(None) if which is None else which
        u, v = points[:, 0], np.maximum(points[:, 1], _LEAST_LOG_DF)
        df = np.exp(v)
        factors = self.squares.scratch[: len(points)]
        blocks = self.squares.blocks[every]
        np.multiply(blocks, np.exp(-2 * u - v)[:, None, None], out=factors)
        factors += 1
        logs = np.log(np.multiply.reduce(factors, axis=1)).sum(axis=1)
        constant = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * v - u
        value = self.n[every] * constant - 0.5 * (df + 1) * logs + u + v - df / DF_MEAN
        return np.where(_possible(u) & (points[:, 1] >= _LEAST_LOG_DF), value, -np.inf)


def _possible(u: FloatArray) -> BoolArray:
    possible: BoolArray = (u >= _LOG_LOW) & (u <= _LOG_HIGH)
    return possible


def principal_axes(path: FloatArray) -> FloatArray:
    """Return the principal axes of points (draws, chains, 1 or 2), each as long as a slice."""
    deviations = (path - path.mean(axis=0)).reshape(-1, path.shape[-1])
    values, vectors = np.linalg.eigh(deviations.T @ deviations / len(deviations))
    axes: FloatArray = _WIDTH * np.sqrt(np.maximum(values, 1e-8))[:, None] * vectors.T
    return axes


def slice_along(
    axis: FloatArray, x: FloatArray, density: Density, rng: np.random.Generator
) -> FloatArray:
    """Move every chain along ``axis``: a window of fixed width that shrinks (Neal 2003, fig. 5)."""
    level = density(x) - rng.standard_exponential(len(x))
    low = -rng.random(len(x))
    high = low + 1
    x = x.copy()
    moving = np.arange(len(x))
    while moving.size:
        step = low[moving] + (high - low)[moving] * rng.random(moving.size)
        tried = x[moving] + step[:, None] * axis
        inside = density(tried, moving if moving.size < len(x) else None) > level[moving]
        x[moving[inside]] = tried[inside]
        low[moving[step < 0]] = step[step < 0]
        high[moving[step >= 0]] = step[step >= 0]
        moving = moving[~inside]
    return x
