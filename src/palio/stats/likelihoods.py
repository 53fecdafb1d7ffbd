r"""The restricted likelihood of scores that are not balanced, and its slopes, data set by data set.

θ are the five components in the order of `STRATA`, 0 where there is none. With V the covariance of
the scores y on a data set, X the indicators of the algorithms and b their weighted means, minus
twice the logarithm is, but for a constant and with sums over data sets,

.. math::

    \sum \log \left|V\right| + \log \left|\sum X^T V^{-1} X\right|
    + \sum (y - X b)^T V^{-1} (y - X b)

The first two are ``logs``, the last is ``square``; their slopes are, with :math:`\dot V` what one
component adds,

.. math::

    \mathrm{tr}\, V^{-1} \dot V - \mathrm{tr} \left(\sum X^T V^{-1} X\right)^{-1}
    X^T V^{-1} \dot V V^{-1} X
    \qquad \text{and} \qquad
    -(y - X b)^T V^{-1} \dot V V^{-1} (y - X b)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from palio.stats.variance import DATASETS, REPLICATES, UNITS, WITH_DATASETS, WITH_UNITS, Block
from palio.types import BoolArray, FloatArray, IntArray


class Fitted(NamedTuple):
    """The likelihood at some components.

    ``slopes`` (S, 2, 5) are those of the logs and of the square by component, of each data set;
    ``means`` (K,) the algorithms', and ``per_mean`` half the variance of a difference of two,
    averaged over the pairs.
    """

    logs: float
    square: float
    slopes: FloatArray
    means: FloatArray
    per_mean: float


class Likelihood(Protocol):
    """Scores, seen as a function of the components."""

    def at(self, theta: FloatArray) -> Fitted:
        """Return the likelihood at some components."""


def likelihood_of(blocks: Sequence[Block]) -> Likelihood:
    """Return the likelihood in the form that is quickest for such scores."""
    if all(len(block.means) == 1 for block in blocks):
        return Cells.of(blocks)
    count = blocks[0].counts.flat[0]
    if count > 0 and all(bool((block.counts == count).all()) for block in blocks):
        return Ragged.of(blocks)
    return Holes.of(blocks)


def _halved(inverse: FloatArray) -> float:
    """Return half the variance of a difference, averaged over the pairs."""
    k = len(inverse)
    return float((np.trace(inverse) - inverse.sum() / k) / (k - 1))


def _within(theta: FloatArray, df: FloatArray, squares: FloatArray) -> tuple[float, float]:
    """Return what replicates add, if there are such."""
    if not df.any():
        return 0.0, 0.0
    own = theta[REPLICATES]
    return float(df.sum() * np.log(own)), float(squares.sum() / own)


def _within_slopes(theta: FloatArray, df: FloatArray, squares: FloatArray) -> FloatArray:
    found = np.zeros((df.size, 2, 5))
    if df.any():
        found[:, 0, REPLICATES] = df / theta[REPLICATES]
        found[:, 1, REPLICATES] = -squares / theta[REPLICATES] ** 2
    return found


# --- all algorithms on all units, of which data sets have different numbers ----------------


@dataclass(frozen=True, eq=False)
class Ragged:
    """Complete scores: everything is a sum of squares of one of four kinds."""

    cells: FloatArray  # (S, K)
    units: IntArray  # (S,)
    of_units: FloatArray  # (S,) sums of squares of the units' means, times K
    crossed: FloatArray  # (S,) … of what algorithms add to these
    replicates: int
    squares: FloatArray

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Ragged:
        """Take the sums of squares of each data set."""
        cells = np.stack([block.means.mean(axis=0) for block in blocks])
        k = cells.shape[1]
        by_unit = [block.means.mean(axis=1) - block.means.mean() for block in blocks]
        crossed = [
            np.square(block.means - own - each[:, None]).sum()
            for block, own, each in zip(blocks, cells, by_unit, strict=True)
        ]
        return cls(
            cells,
            np.array([len(block.means) for block in blocks]),
            np.array([k * np.square(each).sum() for each in by_unit]),
            np.array(crossed),
            int(blocks[0].counts.flat[0]),
            np.array([block.squares for block in blocks]),
        )

    def at(self, theta: FloatArray) -> Fitted:
        """Add the four kinds up: contrasts of algorithms, means, units, and what is crossed."""
        n, k = self.cells.shape
        u, r = self.units[:, None], self.replicates
        zero, one = np.zeros((n, 1)), np.ones((n, 1))
        inner = np.hstack([zero, zero, zero, one, one / r])  # (S, 5): by component
        among = np.hstack([zero, one, zero, 1 / u, 1 / (r * u)])
        mean = np.hstack([one, one / k, 1 / u, 1 / (k * u), 1 / (k * r * u)])
        unit = inner + np.hstack([zero, zero, k * one, zero, zero])
        centred = self.cells - self.cells.mean(axis=1, keepdims=True)
        weights = 1 / (among @ theta)
        contrasts = weights @ centred / weights.sum()
        overall, shares = self.cells.mean(axis=1), 1 / (mean @ theta)
        middle = shares @ overall / shares.sum()
        found = [
            _weighted(among, theta, np.square(centred - contrasts).sum(axis=1), k - 1),
            _weighted(mean, theta, np.square(overall - middle), 1),
            _summed(unit, theta, self.of_units, self.units - 1),
            _summed(inner, theta, self.crossed, (self.units - 1) * (k - 1)),
        ]
        df = self.units * k * (r - 1)
        logs, square = _within(theta, df, self.squares)
        return Fitted(
            logs + sum(each[0] for each in found),
            square + sum(each[1] for each in found),
            _within_slopes(theta, df, self.squares) + sum(each[2] for each in found),
            middle + contrasts,
            float(1 / weights.sum()),
        )


_Added = tuple[float, float, FloatArray]


def _summed(share: FloatArray, theta: FloatArray, squares: FloatArray, df: IntArray) -> _Added:
    """Return what independent sums of squares add, with variances ``share @ theta``."""
    variances = share @ theta
    used = df > 0
    logs = float((df[used] * np.log(variances[used])).sum())
    rates = np.where(used, 1 / np.where(used, variances, 1.0), 0.0)
    slopes = np.stack(
        [(df * rates)[:, None] * share, -(squares * rates**2)[:, None] * share], axis=1
    )
    return logs, float((squares * rates).sum()), slopes


def _weighted(share: FloatArray, theta: FloatArray, squares: FloatArray, times: int) -> _Added:
    """Return what means around their weighted mean add, so many times each."""
    weights = 1 / (share @ theta)
    total = weights.sum()
    logs = times * float(np.log(total) - np.log(weights).sum())
    left = times * (weights - weights**2 / total)
    slopes = np.stack([left[:, None] * share, -(squares * weights**2)[:, None] * share], axis=1)
    return logs, float((squares * weights).sum()), slopes


# --- a score, or replicates alone, per data set and algorithm ------------------------------


@dataclass(frozen=True, eq=False)
class Cells:
    """Scores without units, as one matrix: algorithm × data set is part of the residual."""

    scores: FloatArray  # (S, K), 0 where there is none
    counts: IntArray
    squares: FloatArray

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Cells:
        """Put all data sets into one matrix."""
        counts = np.concatenate([block.counts for block in blocks])
        means = np.concatenate([block.means for block in blocks])
        squares = np.array([block.squares for block in blocks])
        return cls(np.where(counts > 0, means, 0.0), counts, squares)

    def at(self, theta: FloatArray) -> Fitted:
        """Eliminate the data sets, V⁻¹ being diag w − c w w′."""
        there, parts = self.counts > 0, np.maximum(self.counts, 1)
        # On one data set there is nothing but replicates.
        w = there / (theta[WITH_DATASETS] + theta[REPLICATES] / parts)
        total = w.sum(axis=1)
        grown = 1 + theta[DATASETS] * total
        c = theta[DATASETS] / grown
        precision = np.diag(w.sum(axis=0)) - (w * c[:, None]).T @ w
        inverse = np.linalg.inv(precision)
        weighted = w * self.scores
        means = inverse @ (weighted.sum(axis=0) - w.T @ (c * weighted.sum(axis=1)))
        rest = np.where(there, self.scores - means, 0.0)
        solved = w * rest - w * (c * (w * rest).sum(axis=1))[:, None]  # V⁻¹e
        df = (parts - 1).sum(axis=1)
        logs, square = _within(theta, df, self.squares)
        logs += float(np.log(grown).sum() - np.log(np.where(there, w, 1.0)).sum())
        slopes = _within_slopes(theta, df, self.squares)
        around = w @ inverse
        lean = np.einsum("dk,dk->d", around, w)  # w′C⁻¹w
        slopes[:, 0, DATASETS] = total / grown - lean / grown**2
        slopes[:, 1, DATASETS] = -np.square(solved.sum(axis=1))
        for own, each in ((WITH_DATASETS, there.astype(float)), (REPLICATES, there / parts)):
            ww = w * w * each
            crossed = np.diag(inverse) * ww - 2 * c[:, None] * ww * around
            taken = crossed.sum(axis=1) + c**2 * ww.sum(axis=1) * lean
            slopes[:, 0, own] += (w * each - c[:, None] * ww).sum(axis=1) - taken
            slopes[:, 1, own] -= (np.square(solved) * each).sum(axis=1)
        return Fitted(
            logs + float(np.linalg.slogdet(precision)[1]),
            square + float((solved * rest).sum()),
            slopes,
            means,
            _halved(inverse),
        )


# --- anything ------------------------------------------------------------------------------


class _Eliminated(NamedTuple):
    """A data set from which units, algorithm × data set and the data set are eliminated.

    With V_U the covariance of cells and units alone, V⁻¹ = V_U⁻¹ − V_U⁻¹ X H X′ V_U⁻¹.
    """

    w: FloatArray  # (U, K) precisions of the cells
    shrunk: FloatArray  # (U,) κ: V_U⁻¹ is diag w − κ w w′ within each unit
    taken: FloatArray  # H
    kept: FloatArray  # I − H S, with S = X′V_U⁻¹X
    inner: FloatArray  # S
    right: FloatArray  # X′V_U⁻¹y
    precision: FloatArray  # X′V⁻¹X
    logs: float  # log|V|


@dataclass(frozen=True, eq=False)
class _Part:
    """The scores on one data set: only algorithms and units that have some."""

    algorithms: IntArray
    scores: FloatArray  # (U, K), 0 where there is none
    there: BoolArray
    counts: IntArray

    @classmethod
    def of(cls, block: Block) -> _Part:
        there = block.counts > 0
        columns, rows = np.flatnonzero(there.any(axis=0)), np.flatnonzero(there.any(axis=1))
        part = np.ix_(rows, columns)
        scores = np.where(there[part], block.means[part], 0.0)
        return cls(columns, scores, there[part], np.maximum(block.counts[part], 1))

    def eliminated(self, theta: FloatArray) -> _Eliminated:
        """Eliminate what is random, from the inside out."""
        w = self.there / (theta[WITH_UNITS] + theta[REPLICATES] / self.counts)
        by_unit = w.sum(axis=1)
        shrunk = theta[UNITS] / (1 + theta[UNITS] * by_unit)
        inner = np.diag(w.sum(axis=0)) - (w * shrunk[:, None]).T @ w
        weighted = w * self.scores
        right = weighted.sum(axis=0) - w.T @ (shrunk * weighted.sum(axis=1))
        mixed = np.eye(right.size) + theta[WITH_DATASETS] * inner
        solved = np.linalg.inv(mixed)
        alike = solved.sum(axis=1)
        grown = 1 + theta[DATASETS] * float((inner @ alike).sum())
        taken = theta[WITH_DATASETS] * solved
        taken += theta[DATASETS] / grown * np.outer(alike, alike)
        kept = np.eye(right.size) - taken @ inner
        logs = np.log1p(theta[UNITS] * by_unit).sum() - np.log(w[self.there]).sum()
        logs += np.linalg.slogdet(mixed)[1] + np.log(grown)
        return _Eliminated(w, shrunk, taken, kept, inner, right, inner @ kept, float(logs))

    def square_and_slopes(
        self, theta: FloatArray, found: _Eliminated, inverse: FloatArray, means: FloatArray
    ) -> tuple[float, FloatArray]:
        """Return what the data set adds to the square, and its slopes: (2, 5)."""
        w, shrunk, precision = found.w, found.shrunk, found.precision
        shift = means + found.taken @ (found.right - found.inner @ means)
        rest = w * np.where(self.there, self.scores - shift, 0.0)
        solved = rest - w * (shrunk * rest.sum(axis=1))[:, None]  # V⁻¹(y − Xb)
        slopes = np.zeros((2, 5))
        each = precision.sum(axis=1)
        slopes[0, DATASETS] = each.sum() - each @ inverse @ each
        slopes[0, WITH_DATASETS] = np.trace(precision) - (inverse @ precision * precision).sum()
        outer = w / (1 + theta[UNITS] * w.sum(axis=1))[:, None]  # Z′V_U⁻¹X
        kept = outer @ found.kept
        slopes[0, UNITS] = outer.sum() - (outer @ found.taken * outer).sum()
        slopes[0, UNITS] -= (kept @ inverse * kept).sum()
        lost = found.taken + found.kept @ inverse @ found.kept.T
        around = w @ lost
        lean = (around * w).sum(axis=1)
        cells = np.diag(lost) - 2 * shrunk[:, None] * around + (shrunk**2 * lean)[:, None]
        cells = w - w**2 * (shrunk[:, None] + cells)
        slopes[0, WITH_UNITS], slopes[0, REPLICATES] = cells.sum(), (cells / self.counts).sum()
        squares = np.square(solved)
        slopes[1] = (
            -(solved.sum() ** 2),
            -np.square(solved.sum(axis=0)).sum(),
            -np.square(solved.sum(axis=1)).sum(),
            -squares.sum(),
            -(squares / self.counts).sum(),
        )
        return float((solved * np.where(self.there, self.scores - means, 0.0)).sum()), slopes


@dataclass(frozen=True, eq=False)
class Holes:
    """Scores of which any may be missing."""

    parts: Sequence[_Part]
    k: int
    df: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Holes:
        """Take each data set for itself."""
        parts = [_Part.of(block) for block in blocks]
        df = np.array([(part.counts - 1).sum() for part in parts], dtype=np.float64)
        squares = np.array([block.squares for block in blocks])
        return cls(parts, blocks[0].means.shape[1], df, squares)

    def at(self, theta: FloatArray) -> Fitted:
        """Add the data sets up, and then take the slopes at the algorithms' means."""
        precision, weighted = np.zeros((self.k, self.k)), np.zeros(self.k)
        logs, square = _within(theta, self.df, self.squares)
        eliminated = [part.eliminated(theta) for part in self.parts]
        for part, found in zip(self.parts, eliminated, strict=True):
            precision[np.ix_(part.algorithms, part.algorithms)] += found.precision
            weighted[part.algorithms] += found.kept.T @ found.right
            logs += found.logs
        inverse = np.asarray(np.linalg.inv(precision), dtype=np.float64)
        means = inverse @ weighted
        slopes = _within_slopes(theta, self.df, self.squares)
        for i, (part, found) in enumerate(zip(self.parts, eliminated, strict=True)):
            own = part.algorithms
            added, slope = part.square_and_slopes(
                theta, found, inverse[np.ix_(own, own)], means[own]
            )
            square += added
            slopes[i] += slope
        logs += float(np.linalg.slogdet(precision)[1])
        return Fitted(logs, square, slopes, means, _halved(inverse))
