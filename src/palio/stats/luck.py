"""Winner's luck: the best of many looks better than it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from palio.stats.outcome import finite_array
from palio.types import BoolArray, FloatArray, IntArray

# So many counts are drawn together.
_CELLS = 1 << 22


class Luck(NamedTuple):
    """By how much the best will be worse on other data sets, or items.

    ``drop`` is what is to be expected, ``standard_error`` its Monte-Carlo error; ``chosen`` is in
    what share of the draws each is the best.
    """

    drop: float
    standard_error: float
    chosen: FloatArray


@dataclass(frozen=True, eq=False)
class Strata:
    """Units that are drawn within data sets: which each is of, from 0, and its weight there.

    ``shares`` are what the data sets count in a mean; they add up to one.
    """

    of: IntArray
    weights: FloatArray
    shares: FloatArray

    @classmethod
    def one(cls, n: int) -> Strata:
        """Return n units that are drawn from all of them."""
        return cls(np.zeros(n, dtype=np.intp), np.ones(n), np.ones(1))

    def means(self, values: FloatArray) -> FloatArray:
        """Return the weighted mean of each column of values (units, K)."""
        weights = self.shares[self.of] * self.weights
        weights /= np.bincount(self.of, self.weights)[self.of]
        return np.asarray(weights @ values)

    def parts(self) -> list[_Part]:
        """Return the data sets one by one."""
        return [
            _Part(rows, self.weights[rows], float(share))
            for number, share in enumerate(self.shares.tolist())
            for rows in (np.flatnonzero(self.of == number),)
        ]


class _Part(NamedTuple):
    """The units of a data set, their weights, and what it counts."""

    rows: IntArray
    weights: FloatArray
    share: float

    def mean(self, z: FloatArray, counts: IntArray | BoolArray | None = None) -> FloatArray:
        """Return the weighted mean of its rows, or of so many of each, as often as asked."""
        weights = self.weights if counts is None else counts * self.weights
        total = weights.sum(axis=-1, keepdims=True)
        return np.asarray(weights @ z[self.rows] / np.where(total > 0, total, 1.0))

    def variance(self, z: FloatArray) -> FloatArray:
        """Return the variance of that mean, as that of `paired_means`."""
        n = self.weights.size
        shares = (self.weights / self.weights.sum())[:, np.newaxis]
        apart = shares * (z[self.rows] - self.mean(z))
        return np.asarray(n / max(n - 1, 1) * (apart**2).sum(axis=0))


def winners_luck(
    scores: ArrayLike,
    *,
    draws: int,
    rng: np.random.Generator,
    strata: Strata | None = None,
) -> Luck:
    r"""Estimate by how much the best of several looks better than it is.

    Who has the best mean of many has been chosen for its luck too, and on other data sets it will
    be worse. Valid as far as the data sets are a sample of those one cares for. The estimate is of
    what is to be expected over samples like this one; with few data sets it is rough.

    Parameters
    ----------
    scores
        Shape (n, K), higher is better; three data sets or more, two algorithms or more. Or of
        items, or clusters of items.
    draws, rng
        How many resamples of the data sets are drawn, and by what.
    strata
        Of items: the data sets that they are drawn within, and their weights.

    Notes
    -----
    Each data set is measured from the mean of all algorithms on it, z. The best, b, is chosen in a
    bootstrap sample of the data sets, and measured on those outside it; over all draws

    .. math::

        D = \mathrm{E}\left(\bar z_b^{\,\mathrm{in}} - \bar z_b^{\,\mathrm{out}}\right)

    The same of the best of the whole table, whose expectation is 0, is taken off each draw: so the
    Monte-Carlo error comes only from the draws in which another is best.

    A mean in a bootstrap sample has twice the variance of that in the table, that of the table and
    that of the draw, so the best there is luckier. With normal means of variance :math:`s^2` among
    the algorithms, of which v is noise, D is about :math:`2 v / \sqrt{s^2 + v}` times the expected
    maximum of K normals, and the luck in the table :math:`v / s` times it; hence

    .. math::

        \mathrm{drop} = \frac{D}{2} \sqrt{1 + \frac{v}{s^2}}, \qquad s^2 \ge v

    References
    ----------
    B. Efron (1983), Estimating the error rate of a prediction rule: improvement on
    cross-validation, Journal of the American Statistical Association 78.

    Examples
    --------
    Of two who never change places none is lucky; of twenty who are all the same the best is, here
    by about 1.87 standard errors of a mean.

    >>> rng = np.random.default_rng(0)
    >>> clear = np.array([[1.0, 0.0], [3.0, 1.0], [2.0, 0.5], [5.0, 4.0]])
    >>> round(winners_luck(clear, draws=4000, rng=rng).drop, 2)
    0.0
    >>> same = rng.standard_normal((50, 20))
    >>> winners_luck(same, draws=1000, rng=rng).drop * 50**0.5 > 1
    True
    """
    given = finite_array(scores, name="scores", least=(3, 2))
    (n, k), rows = given.shape, np.arange(draws)
    z = given - given.mean(axis=1, keepdims=True)
    parts = (Strata.one(n) if strata is None else strata).parts()
    within, outside, there = _drawn(z, parts, draws, rng)
    best = within.argmax(axis=1)
    apart = within - outside
    means = sum((part.share * part.mean(z) for part in parts), np.zeros(k))
    drops = (apart[rows, best] - apart[:, means.argmax()])[there]
    scale = _to_the_table(z, means, parts) / 2
    chosen = np.bincount(best, minlength=k) / draws
    if drops.size < 2:
        return Luck(math.nan, math.nan, chosen)
    error = drops.std(ddof=1) / math.sqrt(drops.size)
    return Luck(float(scale * drops.mean()), float(scale * error), chosen)


def _drawn(
    z: FloatArray, parts: Sequence[_Part], draws: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the means in samples and outside them, and where there is something outside."""
    within, outside = np.zeros((2, draws, z.shape[1]))
    there = np.ones(draws, dtype=np.bool_)
    for part in parts:
        n = part.weights.size
        step = max(1, _CELLS // n)
        for start in range(0, draws, step):
            some = slice(start, min(start + step, draws))
            counts = rng.multinomial(n, np.full(n, 1 / n), size=some.stop - start)
            within[some] += part.share * part.mean(z, counts)
            outside[some] += part.share * part.mean(z, counts == 0)
            # With a handful a sample may hold them all.
            there[some] &= (counts == 0).any(axis=1)
    return within, outside, there


def _to_the_table(z: FloatArray, means: FloatArray, parts: Sequence[_Part]) -> float:
    """Return √(1 + v / s²): from the luck in a bootstrap sample to that in the table."""
    k = z.shape[1]
    # Measured from the mean of k algorithms, noise is smaller by one of k.
    noise = sum(part.share**2 * float(part.variance(z).mean()) for part in parts) * k / (k - 1)
    among = max(float(means.var(ddof=1)), noise)
    return math.sqrt(1 + noise / among) if among > 0 else 1.0
