"""Winner's luck: the best of many looks better than it is."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from palio.stats.outcome import finite_array
from palio.types import FloatArray


class Luck(NamedTuple):
    """By how much the best will be worse on other data sets.

    ``drop`` is what is to be expected, ``standard_error`` its Monte-Carlo error; ``chosen`` is in
    what share of the draws each is the best.
    """

    drop: float
    standard_error: float
    chosen: FloatArray


def winners_luck(scores: ArrayLike, *, draws: int, rng: np.random.Generator) -> Luck:
    """Estimate by how much the best of several looks better than it is.

    Who has the best mean of many has been chosen for its luck too, and on other data sets it will
    be worse. Valid as far as the data sets are a sample of those one cares for. The estimate is of
    what is to be expected over samples like this one; with few data sets it is rough.

    Parameters
    ----------
    scores
        Shape (n, K), higher is better; three data sets or more, two algorithms or more.
    draws, rng
        How many resamples of the data sets are drawn, and by what.

    Notes
    -----
    Each data set is measured from the mean of all algorithms on it, z. The best is chosen in a
    bootstrap sample of the data sets, and measured on those outside it::

        D = mean over draws of (mean of z in the sample − mean of z outside), both of the best

    The same of the best of the whole table, whose expectation is 0, is taken off each draw: so the
    Monte-Carlo error comes only from the draws in which another is best.

    A mean in a bootstrap sample has twice the variance of that in the table, that of the table and
    that of the draw, so the best there is luckier. With normal means of variance s² among the
    algorithms, of which v is noise, D is about 2 v / √(s² + v) times the expected maximum of K
    normals, and the luck in the table v / s times it; hence::

        drop = D / 2 · √(1 + v / s²),  s² ≥ v

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
    counts = rng.multinomial(n, np.full(n, 1 / n), size=draws).astype(np.float64)
    outside = (counts == 0).astype(np.float64)
    left = outside.sum(axis=1)
    within = counts @ z / n
    best = within.argmax(axis=1)
    # With a handful of data sets a sample may hold them all.
    there = left > 0
    apart = within - (outside @ z) / np.maximum(left, 1)[:, np.newaxis]
    drops = (apart[rows, best] - apart[:, z.mean(axis=0).argmax()])[there]
    scale = _to_the_table(z) / 2
    chosen = np.bincount(best, minlength=k) / draws
    if drops.size < 2:
        return Luck(math.nan, math.nan, chosen)
    error = drops.std(ddof=1) / math.sqrt(drops.size)
    return Luck(float(scale * drops.mean()), float(scale * error), chosen)


def _to_the_table(z: FloatArray) -> float:
    """Return √(1 + v / s²): from the luck in a bootstrap sample to that in the table."""
    n, k = z.shape
    means = z.mean(axis=0)
    # Measured from the mean of k algorithms, noise is smaller by one of k.
    noise = float((z - means).var(axis=0, ddof=1).mean()) / n * k / (k - 1)
    among = max(float(means.var(ddof=1)), noise)
    return math.sqrt(1 + noise / among) if among > 0 else 1.0
