"""Variance components of scores that are not balanced, by restricted maximum likelihood.

The model is that of `palio.stats.variance`, the likelihood that of `palio.stats.likelihoods`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from palio.stats.likelihoods import Likelihood, likelihood_of
from palio.stats.threads import one_thread
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
from palio.types import FloatArray, IntArray


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
        freedom are from the curvature of the likelihood, or the spread of the data sets' slopes
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
    design, likelihood = Design.of(blocks), likelihood_of(blocks)
    which = design.which
    with one_thread():
        theta = _maximum(design, likelihood)
        found = likelihood.at(theta)
        squares = design.coefficients @ theta[list(which)]
        variances = _spread_of(squares, design, likelihood, theta)
    nominal = np.maximum(design.df[list(which)], 1.0)
    df = np.clip(2 * squares**2 / np.maximum(variances, 1e-300), 1.0, nominal)
    return Strata(which, squares, df, design.sizes, found.means, found.per_mean)


@dataclass(frozen=True, eq=False)
class Design:
    """How many there are of what; ``df`` are the degrees of freedom of the five strata.

    Where these are 0 or below for one ``which`` there should be, it cannot be told from others.
    """

    which: tuple[int, ...]
    k: int
    cells: int
    df: FloatArray
    sizes: Sizes

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Design:
        """Count what there is."""
        there = [block.counts > 0 for block in blocks]
        n, k = len(blocks), blocks[0].means.shape[1]
        columns = np.array([found.any(axis=0).sum() for found in there])
        units = np.array([found.any(axis=1).sum() for found in there])
        counts = np.concatenate([block.counts[block.counts > 0] for block in blocks])
        pairs = int(columns.sum())  # (data set, algorithm)
        df = [
            n - 1,
            pairs - n - k + 1,
            units.sum() - n,
            counts.size - pairs - units.sum() + n,
            (counts - 1).sum(),
        ]
        which = [DATASETS, WITH_DATASETS] if n > 1 else []
        which += [UNITS, WITH_UNITS] if units.max() > 1 else []
        which += [REPLICATES] if df[REPLICATES] > 0 else []
        sizes = Sizes(n, _harmonic(columns), _harmonic(units), _harmonic(counts))
        return cls(tuple(which), k, counts.size, np.array(df, dtype=np.float64), sizes)

    @property
    def coefficients(self) -> FloatArray:
        """The expected mean squares by the components that there are."""
        return expected(self.sizes)[np.ix_(self.which, self.which)]


def _harmonic(numbers: IntArray) -> float:
    return float(1 / np.mean(1 / numbers[numbers > 0]))


def _maximum(design: Design, likelihood: Likelihood) -> FloatArray:
    """Return the components that maximise the restricted likelihood.

    The residual is profiled out: what is searched are the ratios of the others to it, on a scale
    that is linear near 0, where the maximum may lie, and logarithmic far from it.
    """
    from scipy.optimize import minimize

    residual, others = design.which[-1], list(design.which[:-1])
    free = design.cells + design.df[REPLICATES] - design.k

    def ratios(x: FloatArray) -> FloatArray:
        theta = np.zeros(5)
        theta[residual] = 1.0
        theta[others] = np.expm1(x)
        return theta

    def profiled(x: FloatArray) -> tuple[float, FloatArray]:
        found = likelihood.at(ratios(x))
        square = max(found.square, 1e-300)
        by_logs, by_square = found.slopes.sum(axis=0)
        slope = (by_logs + free / square * by_square)[others] * np.exp(x)
        return found.logs + free * float(np.log(square / free)), slope

    best = np.zeros(0)
    if others:
        best = minimize(
            profiled,
            np.full(len(others), np.log(2)),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, 30.0)] * len(others),
            options={"ftol": 1e-14, "gtol": 1e-8, "maxiter": 500},
        ).x
    theta = ratios(best)
    return np.asarray(theta * likelihood.at(theta).square / free)


def _spread_of(
    squares: FloatArray, design: Design, likelihood: Likelihood, theta: FloatArray
) -> FloatArray:
    """Return the variances of the mean squares, by the larger of two estimates."""
    own = list(design.which)
    # Of the components, per relative step of each mean square.
    moves = np.linalg.inv(design.coefficients) * squares

    def slopes(move: FloatArray) -> FloatArray:
        moved = theta.copy()
        moved[own] += move
        return np.asarray(likelihood.at(moved).slopes.sum(axis=1)[:, own] @ moves / 2)

    step = 1e-4
    bend = np.stack(
        [(slopes(step * move) - slopes(-step * move)).sum(axis=0) / (2 * step) for move in moves.T]
    )
    # A likelihood that is flat somewhere says nothing there.
    covariance = np.linalg.pinv((bend + bend.T) / 2, hermitian=True)
    variances = np.diag(covariance)
    n = design.sizes.datasets
    if n >= FEWEST:
        each = slopes(np.zeros(len(own)))
        robust = covariance @ (each.T @ each) @ covariance * n / (n - 1)
        variances = np.maximum(variances, np.diag(robust))
    return np.asarray(variances * squares**2)
