"""Variance components of scores that are not balanced, by restricted maximum likelihood.

The model is that of `palio.stats.variance`. Data sets are independent of each other, so that the
likelihood is a sum over them in matrices no larger than the number of algorithms: units and
replicates are eliminated first, in closed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from palio.stats.variance import (
    DATASETS,
    FEWEST,
    REPLICATES,
    UNITS,
    WITH_DATASETS,
    WITH_UNITS,
    Block,
    Sizes,
    Strata,
    expected,
)
from palio.types import BoolArray, FloatArray, IntArray


class Terms(NamedTuple):
    """What the likelihood of one data set is made of, with V the covariance of its scores y.

    ``determinant`` log|V|, ``precision`` X′V⁻¹X, ``weighted`` X′V⁻¹y, ``square`` y′V⁻¹y, where X
    says whose score each is.
    """

    determinant: float
    precision: FloatArray
    weighted: FloatArray
    square: float


class _Scores(Protocol):
    """The scores of all data sets; ``theta`` are the five components, 0 where there is none."""

    def total(self, theta: FloatArray) -> Terms:
        """Return the sums over the data sets."""

    def each(self, theta: FloatArray, inverse: FloatArray, means: FloatArray) -> FloatArray:
        """Return what each data set adds to the likelihood, given the algorithms' means."""


def reml(blocks: Sequence[Block]) -> Strata:
    """Estimate variance components by restricted maximum likelihood.

    Valid for normal effects of the same variance everywhere, and scores that are missing for
    reasons that have nothing to do with what they would be. On balanced data, where no component is
    negative, the estimates are those of `mean_squares`.

    Parameters
    ----------
    blocks
        A block per data set.

    Returns
    -------
    Strata
        The mean squares that balanced data of the same average size would have; their degrees of
        freedom are from the curvature of the likelihood, or the spread of the data sets' scores
        (the sandwich) where that says less.

    References
    ----------
    H. D. Patterson and R. Thompson (1971), Recovery of inter-block information when block sizes are
    unequal, Biometrika 58(3), 545–554.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> whole = rng.normal(size=(40, 1, 1)) + rng.normal(size=(40, 8, 3))
    >>> whole[:, 0, 0] = np.nan
    >>> reml([Block(scores, (~np.isnan(scores)).astype(int)) for scores in whole]).raw().round(1)
    array([0.9, 0. , 0. , 1. ])
    """
    which, scores, design = _prepared(blocks)
    theta = _maximum(which, scores, design)
    total = scores.total(theta)
    inverse = np.asarray(np.linalg.inv(total.precision), dtype=np.float64)
    means = inverse @ total.weighted
    sizes = design.sizes
    coefficients = expected(sizes)[np.ix_(which, which)]
    squares = coefficients @ theta[list(which)]
    variances = _spread_of(squares, coefficients, which, scores, theta, inverse, means, design)
    nominal = design.df[list(which)]
    df = np.clip(2 * squares**2 / np.maximum(variances, 1e-300), 1.0, np.maximum(nominal, 1.0))
    k = means.size
    # Half of the variance of a difference, averaged over the pairs.
    per_mean = float((np.trace(inverse) - inverse.sum() / k) / (k - 1))
    return Strata(which, squares, df, sizes, k, float(means.var(ddof=1)), per_mean)


@dataclass(frozen=True, eq=False)
class _Design:
    """How many there are of what."""

    cells: int
    within: float
    """Degrees of freedom of the replicates."""
    squares: float
    """Their sum of squares."""
    k: int
    n: int
    df: FloatArray
    sizes: Sizes
    scale: float


def _prepared(blocks: Sequence[Block]) -> tuple[tuple[int, ...], _Scores, _Design]:
    there = [block.counts > 0 for block in blocks]
    n, k = len(blocks), blocks[0].means.shape[1]
    rows = [found.sum(axis=1) for found in there]  # algorithms of each unit
    columns = [found.any(axis=0).sum() for found in there]
    units = [int((found > 0).sum()) for found in rows]
    cells = int(sum(found.sum() for found in rows))
    counts = np.concatenate(
        [block.counts[found] for block, found in zip(blocks, there, strict=True)]
    )
    within = float((counts - 1).sum())
    has_units = max(units) > 1
    which = [DATASETS, WITH_DATASETS] if n > 1 else []
    which += [UNITS, WITH_UNITS] if has_units else []
    which += [REPLICATES] if within > 0 else []
    pairs = float(np.sum(columns))  # (data set, algorithm)
    df = np.array([
        n - 1,
        pairs - n - k + 1,
        sum(units) - n,
        cells - pairs - sum(units) + n,
        within,
    ], dtype=np.float64)  # fmt: skip
    sizes = Sizes(n, _harmonic(columns), _harmonic(units), _harmonic(counts))
    values = np.concatenate(
        [block.means[found] for block, found in zip(blocks, there, strict=True)]
    )
    design = _Design(
        cells, within, sum(block.squares for block in blocks), k, n, df, sizes, float(values.var())
    )
    scores: _Scores
    if has_units:
        scores = _Units(
            [_Whole.of(block, found) for block, found in zip(blocks, there, strict=True)], k
        )
    else:
        scores = _Cells.of(blocks)
    return tuple(which), scores, design


def _harmonic(numbers: Sequence[int] | IntArray) -> float:
    found = np.asarray(numbers, dtype=np.float64)
    return float(1 / np.mean(1 / found[found > 0]))


# --- the likelihood ------------------------------------------------------------------------


def _deviance(scores: _Scores, design: _Design, theta: FloatArray) -> tuple[float, float]:
    """Return the logarithms of minus twice the restricted likelihood, and its quadratic form."""
    total = scores.total(theta)
    try:
        root = np.linalg.cholesky(total.precision)
    except np.linalg.LinAlgError:
        return np.inf, np.inf
    half = np.linalg.solve(root, total.weighted)
    logs = total.determinant + 2 * np.log(np.diag(root)).sum()
    quadratic = total.square - half @ half
    if design.within > 0:
        logs += design.within * np.log(theta[REPLICATES])
        quadratic += design.squares / theta[REPLICATES]
    return float(logs), float(quadratic)


def _maximum(which: tuple[int, ...], scores: _Scores, design: _Design) -> FloatArray:
    """Return the components that maximise the restricted likelihood.

    The residual is profiled out: what is searched are the ratios of the others to it, on a scale
    that is linear near 0, where the maximum may lie, and logarithmic far from it.
    """
    from scipy.optimize import minimize

    residual, others = which[-1], list(which[:-1])
    free = design.cells + design.within - design.k

    def ratios(x: FloatArray) -> FloatArray:
        theta = np.zeros(5)
        theta[residual] = 1.0
        theta[others] = np.expm1(x)
        return theta

    def profiled(x: FloatArray) -> float:
        logs, quadratic = _deviance(scores, design, ratios(x))
        return logs + free * float(np.log(max(quadratic, 1e-300) / free))

    start = np.full(len(others), np.log(2))
    found = start
    if others:
        found = minimize(
            profiled, start, method="L-BFGS-B", bounds=[(0.0, 30.0)] * len(others),
            options={"ftol": 1e-13, "gtol": 1e-7, "maxiter": 200},
        ).x  # fmt: skip
    theta = ratios(found)
    return np.asarray(theta * _deviance(scores, design, theta)[1] / free)


def _spread_of(
    squares: FloatArray,
    coefficients: FloatArray,
    which: tuple[int, ...],
    scores: _Scores,
    theta: FloatArray,
    inverse: FloatArray,
    means: FloatArray,
    design: _Design,
) -> FloatArray:
    """Return the variances of the mean squares, by the larger of two estimates."""
    own = list(which)

    def at(move: FloatArray) -> FloatArray:
        moved = theta.copy()
        moved[own] += np.linalg.solve(coefficients, move)
        return moved

    def half_deviance(move: FloatArray) -> float:
        logs, quadratic = _deviance(scores, design, at(move))
        return (logs + quadratic) / 2

    step = 1e-3 * squares
    axes = np.diag(step)
    middle = half_deviance(np.zeros(step.size))
    single = np.array([[half_deviance(sign * axis) for sign in (1, -1)] for axis in axes])
    bend = np.diag(single.sum(axis=1) - 2 * middle)
    for i in range(step.size):
        for j in range(i):
            both = half_deviance(axes[i] + axes[j]) + half_deviance(-axes[i] - axes[j])
            bend[i, j] = bend[j, i] = (both - single[i].sum() - single[j].sum() + 2 * middle) / 2
    # In units of the steps; a likelihood that is flat somewhere says nothing there.
    covariance = np.linalg.pinv(bend, hermitian=True)
    variances = np.diag(covariance) * step**2
    if design.n >= FEWEST:
        moved = [
            scores.each(at(axis), inverse, means) - scores.each(at(-axis), inverse, means)
            for axis in axes
        ]
        slopes = np.array(moved) / 2
        robust = covariance @ (slopes @ slopes.T) @ covariance * design.n / (design.n - 1)
        variances = np.maximum(variances, np.diag(robust) * step**2)
    return np.asarray(variances)


# --- scores with units ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Whole:
    """The scores of one data set: only algorithms and units that have some."""

    algorithms: IntArray
    scores: FloatArray  # (U, K), 0 where there is none
    there: BoolArray
    counts: IntArray
    squares: float

    @classmethod
    def of(cls, block: Block, there: BoolArray) -> _Whole:
        columns, rows = np.flatnonzero(there.any(axis=0)), np.flatnonzero(there.any(axis=1))
        part = np.ix_(rows, columns)
        scores = np.where(there[part], block.means[part], 0.0)
        return cls(columns, scores, there[part], np.maximum(block.counts[part], 1), block.squares)

    def terms(self, theta: FloatArray) -> Terms:
        """Eliminate units, then algorithm × data set, then the data set."""
        weights = self.there / (theta[WITH_UNITS] + theta[REPLICATES] / self.counts)
        weighted = weights * self.scores
        by_unit, of_unit = weights.sum(axis=1), weighted.sum(axis=1)
        shrunk = theta[UNITS] / (1 + theta[UNITS] * by_unit)
        precision = np.diag(weights.sum(axis=0)) - (weights * shrunk[:, None]).T @ weights
        right = weighted.sum(axis=0) - weights.T @ (shrunk * of_unit)
        square = (weighted * self.scores).sum() - (shrunk * of_unit) @ of_unit
        logs = -np.log(weights[self.there]).sum() + np.log1p(theta[UNITS] * by_unit).sum()
        mixed = theta[WITH_DATASETS]
        inner = np.eye(right.size) + mixed * precision
        solved = np.linalg.solve(inner, np.column_stack([precision, right]))
        logs += np.linalg.slogdet(inner)[1]
        square -= mixed * (right @ solved[:, -1])
        return _with_dataset(
            Terms(float(logs), solved[:, :-1], solved[:, -1], float(square)), theta[DATASETS]
        )


def _with_dataset(terms: Terms, variance: float) -> Terms:
    """Add what all scores of a data set share."""
    each, right = terms.precision.sum(axis=1), terms.weighted.sum()
    grown = 1 + variance * each.sum()
    shrunk = variance / grown
    return Terms(
        terms.determinant + float(np.log(grown)),
        terms.precision - shrunk * np.outer(each, each),
        terms.weighted - shrunk * right * each,
        terms.square - float(shrunk * right**2),
    )


@dataclass(frozen=True, eq=False)
class _Units:
    """Scores by units."""

    parts: Sequence[_Whole]
    k: int

    def total(self, theta: FloatArray) -> Terms:
        precision, weighted = np.zeros((self.k, self.k)), np.zeros(self.k)
        logs = square = 0.0
        for part in self.parts:
            terms = part.terms(theta)
            precision[np.ix_(part.algorithms, part.algorithms)] += terms.precision
            weighted[part.algorithms] += terms.weighted
            logs += terms.determinant
            square += terms.square
        return Terms(logs, precision, weighted, square)

    def each(self, theta: FloatArray, inverse: FloatArray, means: FloatArray) -> FloatArray:
        found = []
        for part in self.parts:
            terms, own = part.terms(theta), part.algorithms
            around = inverse[np.ix_(own, own)] + np.outer(means[own], means[own])
            added = terms.determinant + terms.square - 2 * means[own] @ terms.weighted
            added += (terms.precision * around).sum()
            added += _within(theta, (part.counts - 1).sum(), part.squares)
            found.append(added / 2)
        return np.array(found)


def _within(theta: FloatArray, df: float, squares: float) -> float:
    """Return what the replicates add to the deviance."""
    if df == 0:
        return 0.0
    return float(df * np.log(theta[REPLICATES]) + squares / theta[REPLICATES])


# --- a score, or replicates alone, per data set and algorithm ------------------------------


@dataclass(frozen=True, eq=False)
class _Cells:
    """Scores without units, as one matrix: algorithm × data set is part of the residual."""

    scores: FloatArray  # (S, K), 0 where there is none
    counts: IntArray
    squares: FloatArray

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> _Cells:
        counts = np.concatenate([block.counts for block in blocks])
        means = np.concatenate([block.means for block in blocks])
        squares = np.array([block.squares for block in blocks])
        return cls(np.where(counts > 0, means, 0.0), counts, squares)

    def _weights(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        variances = theta[WITH_DATASETS] + theta[REPLICATES] / np.maximum(self.counts, 1)
        weights = (self.counts > 0) / variances
        return weights, theta[DATASETS] / (1 + theta[DATASETS] * weights.sum(axis=1))

    def _logs(self, theta: FloatArray, weights: FloatArray) -> FloatArray:
        known = np.where(self.counts > 0, weights, 1.0)
        return np.asarray(
            np.log1p(theta[DATASETS] * weights.sum(axis=1)) - np.log(known).sum(axis=1)
        )

    def total(self, theta: FloatArray) -> Terms:
        weights, shrunk = self._weights(theta)
        weighted = weights * self.scores
        of_dataset = weighted.sum(axis=1)
        precision = np.diag(weights.sum(axis=0)) - (weights * shrunk[:, None]).T @ weights
        right = weighted.sum(axis=0) - weights.T @ (shrunk * of_dataset)
        square = (weighted * self.scores).sum() - (shrunk * of_dataset) @ of_dataset
        return Terms(float(self._logs(theta, weights).sum()), precision, right, float(square))

    def each(self, theta: FloatArray, inverse: FloatArray, means: FloatArray) -> FloatArray:
        weights, shrunk = self._weights(theta)
        rest = np.where(self.counts > 0, self.scores - means, 0.0)
        of_rest = (weights * rest).sum(axis=1)
        square = (weights * rest * rest).sum(axis=1) - shrunk * of_rest**2
        trace = weights @ np.diag(inverse) - shrunk * np.einsum(
            "da,ab,db->d", weights, inverse, weights, optimize=True
        )
        df = np.maximum(self.counts - 1, 0).sum(axis=1)
        within = np.array([_within(theta, d, s) for d, s in zip(df, self.squares, strict=True)])
        return np.asarray((self._logs(theta, weights) + square + trace + within) / 2)
