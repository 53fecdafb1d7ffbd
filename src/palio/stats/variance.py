r"""What scores vary by: variance components, with intervals, and what more of each would buy.

The model, with algorithms a fixed and all else drawn at random, independently: data sets d, units u
within them, replicates r within these,

.. math::

    y_{daur} = \mu + \alpha_a + D_d + (\alpha D)_{da} + U_{du} + (\alpha U)_{dau} + E_{daur}

A unit is a split or an item of a data set, which all algorithms share; a replicate is a seed, or a
repeat of an item. Balanced data are analysed by their mean squares (the method of moments), others
by restricted maximum likelihood (`palio.stats.reml`). Either way there is a mean square per
stratum, known as well as some degrees of freedom say, and everything else follows from these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from palio.types import FloatArray, IntArray

# From the top down: each stratum's mean square grows by one component more than the error below.
STRATA = ("datasets", "algorithms-datasets", "units", "algorithms-units", "replicates")
DATASETS, WITH_DATASETS, UNITS, WITH_UNITS, REPLICATES = range(5)

# With fewer data sets it cannot be seen how much a mean square differs from one to another.
FEWEST = 5

DRAWS = 10_000


class Block(NamedTuple):
    """The scores on one data set.

    Parameters
    ----------
    means : array (U, K)
        The mean over the replicates of each unit and algorithm; NaN where there is none.
    counts : array (U, K)
        How many replicates there are.
    squares : float
        The sum of the squared deviations of the replicates from their means.
    """

    means: FloatArray
    counts: IntArray
    squares: float = 0.0


class Sizes(NamedTuple):
    """How many there are of each: algorithms and units on a data set, replicates of a unit.

    Where that differs, the harmonic mean.
    """

    datasets: float
    algorithms: float
    units: float
    replicates: float


@dataclass(frozen=True, eq=False)
class Strata:
    """The mean squares of the strata that there are, and how well each is known.

    Parameters
    ----------
    which : tuple of int
        The strata that there are, in the order of `STRATA`; their components can be told.
    mean_squares, df : array (Q,)
        Of each, and the degrees of freedom of a multiple of χ² that varies as much.
    sizes : Sizes
        By these the expected mean squares are combinations of the components.
    means : array (K,)
        Of the algorithms.
    per_mean : float
        The error variance of one algorithm's mean, as far as it does not concern all alike; over
        data sets drawn anew, if there are several.
    """

    which: tuple[int, ...]
    mean_squares: FloatArray
    df: FloatArray
    sizes: Sizes
    means: FloatArray
    per_mean: float

    @property
    def spread(self) -> float:
        """The variance of the algorithms' means."""
        return float(self.means.var(ddof=1))

    @property
    def coefficients(self) -> FloatArray:
        """The expected mean squares (rows) as combinations of the components: (Q, Q)."""
        return expected(self.sizes)[np.ix_(self.which, self.which)]

    @property
    def error(self) -> int:
        """The position of the stratum by which algorithms are told apart."""
        return next(
            i for i, s in enumerate(self.which) if s in (WITH_DATASETS, WITH_UNITS, REPLICATES)
        )

    def raw(self) -> FloatArray:
        """Return the components as they come out, some perhaps negative: (Q,)."""
        return np.asarray(np.linalg.solve(self.coefficients, self.mean_squares))


def expected(sizes: Sizes) -> FloatArray:
    """Return the coefficients of the components (columns) in the expected mean squares (rows).

    Examples
    --------
    >>> expected(Sizes(datasets=9, algorithms=3, units=5, replicates=2)).astype(int).tolist()
    [[30, 10, 6, 2, 1], [0, 10, 0, 2, 1], [0, 0, 6, 2, 1], [0, 0, 0, 2, 1], [0, 0, 0, 0, 1]]
    """
    _, k, u, r = sizes
    d, ad, s, a = u * r * k, u * r, r * k, r
    return np.array(
        [[d, ad, s, a, 1], [0, ad, 0, a, 1], [0, 0, s, a, 1], [0, 0, 0, a, 1], [0, 0, 0, 0, 1]],
        dtype=np.float64,
    )


def is_balanced(blocks: Sequence[Block]) -> bool:
    """Return whether all data sets have as many units and every cell as many replicates."""
    counts = blocks[0].counts.flat[0]
    shape = blocks[0].means.shape
    return bool(counts > 0) and all(
        block.means.shape == shape and bool((block.counts == counts).all()) for block in blocks
    )


def mean_squares(blocks: Sequence[Block]) -> Strata:
    r"""Analyse the variance of balanced scores.

    Valid for normal effects of the same variance everywhere. Where that differs from one data set
    to another, the components are its averages, and the degrees of freedom fall.

    Parameters
    ----------
    blocks
        A block per data set, balanced, of two algorithms or more.

    Notes
    -----
    With S data sets, K algorithms, U units and R replicates, and means marked by dots:

    .. math::

        \begin{split}
        \mathrm{MS}_D &= \frac{URK}{S - 1} \sum_d (y_{d...} - y_{....})^2 \\
        \mathrm{MS}_{AD} &= \frac{UR}{(S - 1)(K - 1)}
        \sum_{d,a} (y_{da..} - y_{d...} - y_{.a..} + y_{....})^2 \\
        \mathrm{MS}_U &= \frac{RK}{S (U - 1)} \sum_{d,u} (y_{d.u.} - y_{d...})^2 \\
        \mathrm{MS}_{AU} &= \frac{R}{S (U - 1)(K - 1)}
        \sum_{d,a,u} (y_{dau.} - y_{da..} - y_{d.u.} + y_{d...})^2 \\
        \mathrm{MS}_E &= \frac{1}{S U K (R - 1)} \sum_{d,a,u,r} (y_{daur} - y_{dau.})^2
        \end{split}

    Each is expected to be a combination of the components (`expected`), the first

    .. math::

        \mathrm{E}(\mathrm{MS}_D) = URK\, \sigma^2_D + UR\, \sigma^2_{AD} + RK\, \sigma^2_U
        + R\, \sigma^2_{AU} + \sigma^2_E

    References
    ----------
    Searle, Casella and McCulloch (1992), Variance Components, Wiley, chapter 4.

    Examples
    --------
    Two data sets, two algorithms, two splits:

    >>> one = np.ones((2, 2), dtype=int)
    >>> first = Block(np.array([[1.0, 2.0], [3.0, 6.0]]), one)
    >>> second = Block(np.array([[0.0, 4.0], [2.0, 6.0]]), one)
    >>> found = mean_squares([first, second])
    >>> [STRATA[s] for s in found.which]
    ['datasets', 'algorithms-datasets', 'units', 'algorithms-units']
    >>> found.mean_squares.tolist(), found.raw().tolist()
    ([0.0, 2.0, 6.5, 0.5], [-2.0, 0.75, 3.0, 0.5])
    """
    u, k = blocks[0].means.shape
    r = int(blocks[0].counts.flat[0])
    n = len(blocks)
    cells = np.stack([block.means.mean(axis=0) for block in blocks])  # (S, K)
    each = cells.mean(axis=1)
    inner = cells - each[:, None] - cells.mean(axis=0) + each.mean()
    units = [block.means.mean(axis=1) - block.means.mean() for block in blocks]
    cross = [
        block.means - block.means.mean(axis=0) - by_unit[:, None]
        for block, by_unit in zip(blocks, units, strict=True)
    ]
    # What each data set adds to the sums of squares, and (of few data sets) each unit.
    sums = [
        u * r * k * np.square(each - each.mean()),
        u * r * np.square(inner).sum(axis=1),
        r * k * np.array([np.square(by_unit).sum() for by_unit in units]),
        r * np.array([np.square(rest).sum() for rest in cross]),
        np.array([block.squares for block in blocks]),
    ]
    nominal = [
        n - 1, (n - 1) * (k - 1), n * (u - 1), n * (u - 1) * (k - 1), n * u * k * (r - 1),
    ]  # fmt: skip
    if n < FEWEST:
        sums[UNITS] = np.square(np.concatenate(units)) * r * k
        sums[WITH_UNITS] = r * np.square(np.concatenate(cross)).sum(axis=1)
    which = tuple(s for s in range(len(STRATA)) if nominal[s] > 0)
    found = np.array([sums[s].sum() / nominal[s] for s in which])
    df = np.array([min(nominal[s], spread_df(sums[s])) for s in which], dtype=np.float64)
    sizes = Sizes(n, k, u, r)
    strata = Strata(which, found, df, sizes, cells.mean(axis=0), 0.0)
    return replace(strata, per_mean=float(found[strata.error] / (n * u * r)))


def spread_df(sums: FloatArray) -> float:
    """Return the degrees of freedom of a sum of squares, from the spread of its parts.

    A sum of n parts with coefficient of variation c varies as a multiple of χ² with
    :math:`2n / c^2` degrees of freedom (Satterthwaite 1946). Of fewer than five parts this cannot
    be seen.

    >>> round(spread_df(np.random.default_rng(1).chisquare(3, size=10_000)) / 30_000, 1)
    1.0
    """
    n, mean = sums.size, sums.mean()
    if n < FEWEST or mean == 0 or not (spread := sums.var(ddof=1)) > 0:
        return np.inf
    return float(max(1.0, 2 * n * mean**2 / spread))


@dataclass(frozen=True, eq=False)
class Components:
    """Variance components: as estimated, and as they may be.

    Parameters
    ----------
    which : tuple of int
        The strata whose components these are.
    raw, values : array (Q,)
        As estimated, and with 0 in the place of what is negative.
    algorithms : float
        The variance of the algorithms' expected scores, these algorithms' and no others'.
    draws : array (N, Q)
        Values that the components may have, by their generalised confidence distribution.
    algorithm_draws : array (N,)
        The same of the algorithms.
    """

    which: tuple[int, ...]
    raw: FloatArray
    values: FloatArray
    algorithms: float
    draws: FloatArray
    algorithm_draws: FloatArray

    def shares(self) -> tuple[FloatArray, FloatArray]:
        """Return the shares of the variance of a single score, algorithms first: (Q+1,), draws."""
        values = np.concatenate([[self.algorithms], self.values])
        drawn = np.column_stack([self.algorithm_draws, self.draws])
        return _divided(values), _divided(drawn)


def _divided(parts: FloatArray) -> FloatArray:
    total = parts.sum(axis=-1, keepdims=True)
    found = np.zeros_like(parts)
    np.divide(parts, total, out=found, where=total > 0)
    return found


def components(strata: Strata, *, draws: int = DRAWS, seed: int = 0) -> Components:
    r"""Solve the expected mean squares for the components, with their generalised distribution.

    Notes
    -----
    With the mean squares M, their degrees of freedom ν and the coefficients C, the components and
    their generalised pivots are

    .. math::

        \hat\sigma^2 = C^{-1} M, \qquad
        \sigma^2 \sim C^{-1} \left(\frac{\nu M}{\chi^2_\nu}\right)

    each :math:`\chi^2_\nu` drawn independently; quantiles of these are limits. Of the algorithms,
    which are fixed, the sum of squares is a multiple of a noncentral χ², whose square root is about
    normal.

    References
    ----------
    S. Weerahandi (1993), Generalized confidence intervals, Journal of the American Statistical
    Association 88, 899–905.
    J. Hannig, H. Iyer and P. Patterson (2006), Fiducial generalized confidence intervals, Journal
    of the American Statistical Association 101, 254–269.
    """
    rng = np.random.default_rng(seed)
    raw = strata.raw()
    pivots = strata.mean_squares * strata.df / rng.chisquare(strata.df, (draws, strata.df.size))
    drawn = np.linalg.solve(strata.coefficients, pivots.T).T
    # An algorithm's mean has the error variance of its stratum, divided by how much it averages.
    error = strata.error
    whole = strata.mean_squares[error]
    noise = strata.per_mean * (pivots[:, error] / whole if whole > 0 else np.zeros(draws))
    k = strata.means.size
    root = np.sqrt((k - 1) * strata.spread) + rng.standard_normal(draws) * np.sqrt(noise)
    return Components(
        strata.which,
        raw,
        np.maximum(raw, 0.0),
        max(strata.spread - strata.per_mean, 0.0),
        np.maximum(drawn, 0.0),
        np.maximum(np.square(root) - (k - 2) * noise, 0.0) / (k - 1),
    )
