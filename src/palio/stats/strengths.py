r"""Strengths of algorithms from who beats whom: Bradley and Terry's model by maximum likelihood.

Algorithm i beats algorithm j with probability :math:`\mathrm{logistic}(\beta_i - \beta_j)`. Ranks
have shape (n, K), 1 the best, NaN where there is no score; wins (K, K) are those of the row over
the column. Nothing here holds more than n × K or K × K numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, ndtr, stdtrit

from palio.types import BoolArray, FloatArray, IntArray

RIDGE = 0.01
"""The precision of the normal penalty on strengths that have no finite maximum otherwise."""

_CLOSE = 1e-6  # a step as small as this is Newton's last
_BLOCK = 1 << 22  # comparisons held at a time
_DRAWS = 1000


@dataclass(frozen=True, eq=False)
class Games:
    """What the likelihood needs of the games.

    Parameters
    ----------
    won : array (K,)
        The wins of each algorithm.
    played : array (K, K)
        The games of each pair.
    above : sparse array (K, K)
        Some of the pairs in which the row has beaten the column: enough to follow all chains.
    """

    won: FloatArray
    played: FloatArray
    above: csr_array

    @cached_property
    def parts(self) -> IntArray:
        """To which part each algorithm belongs: no chain of games joins two parts."""
        return np.asarray(connected_components(self.above, directed=False)[1], dtype=np.intp)

    @cached_property
    def bounded(self) -> BoolArray:
        """Of each part, whether its maximum is finite.

        Ford's condition (1957): each has beaten each other, directly or over others, so that no
        group has won all its games against the rest.
        """
        strong = connected_components(self.above, directed=True, connection="strong")[1]
        pieces = np.unique(np.stack([self.parts, strong]), axis=1)[0]
        return np.asarray(np.bincount(pieces) == 1)


def games_of_wins(wins: FloatArray) -> Games:
    """Return the games that wins (K, K) are; the diagonal is not looked at."""
    wins = np.array(wins, dtype=np.float64)
    np.fill_diagonal(wins, 0.0)
    return Games(wins.sum(axis=1), wins + wins.T, csr_array(wins > 0))


def games_of_ranks(ranks: FloatArray, weights: FloatArray | None = None) -> Games:
    """Return the games of ranks (n, K), a tie half a win for each; a weight for each data set.

    >>> games_of_ranks(np.array([[1.0, 2.0, np.nan], [1.5, 1.5, 3.0]])).won
    array([2.5, 1.5, 0. ])
    """
    weights = np.ones(len(ranks)) if weights is None else weights
    there = ~np.isnan(ranks)
    weighted = there * weights[:, np.newaxis]
    played = weighted.T @ there.astype(np.float64)
    np.fill_diagonal(played, 0.0)
    return Games(weights @ _wins_on_each(ranks), played, _chains(ranks[weights > 0]))


def _wins_on_each(ranks: FloatArray) -> FloatArray:
    """Return how many each has beaten on each data set: with mid-ranks, those there less its rank.

    0 where there is no rank.
    """
    there = ~np.isnan(ranks)
    return np.where(there, there.sum(axis=1, keepdims=True) - ranks, 0.0)


def _chains(ranks: FloatArray) -> csr_array:
    """Return who is right above whom on some data set; tied ones are above each other.

    Whoever has beaten another on a data set is above him by such steps.
    """
    order = np.argsort(ranks, axis=1, kind="stable")  # gaps last
    ordered = np.take_along_axis(ranks, order, axis=1)
    there = ~np.isnan(ordered[:, 1:])
    tied = ordered[:, 1:] == ordered[:, :-1]
    upper, lower = order[:, :-1][there], order[:, 1:][there]
    row = np.concatenate([upper, order[:, 1:][tied]])
    column = np.concatenate([lower, order[:, :-1][tied]])
    k = ranks.shape[1]
    return csr_array((np.ones(row.size), (row, column)), shape=(k, k))


def pair_wins(ranks: FloatArray, *, tie: float = 0.5) -> FloatArray:
    """Count the wins of the row over the column, a tie so much for each: (n, K) to (K, K).

    >>> pair_wins(np.array([[1.0, 2.0], [1.5, 1.5], [1.0, np.nan]]))
    array([[0. , 1.5],
           [0.5, 0. ]])
    """
    k = ranks.shape[1]
    wins, even = np.zeros((k, k)), np.zeros((k, k))
    there = ~np.isnan(ranks)
    full = 2 * np.count_nonzero(there, axis=1) > k  # gaps beat nobody, and are soon skipped
    step = max(1, _BLOCK // (k * k))
    most = ranks[full]
    for start in range(0, len(most), step):
        rows = most[start : start + step]
        wins += (rows[:, :, np.newaxis] < rows[:, np.newaxis]).sum(axis=0)
        even += (rows[:, :, np.newaxis] == rows[:, np.newaxis]).sum(axis=0)
    for row, present in zip(ranks[~full], there[~full], strict=True):
        at = np.ix_(present, present)
        own = row[present]
        wins[at] += own[:, np.newaxis] < own
        even[at] += own[:, np.newaxis] == own
    np.fill_diagonal(even, 0.0)
    return wins + tie * even


# --- the maximum -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths (K,) that add up to 0 within each part, and how sure they are.

    Parameters
    ----------
    values : array (K,)
        The differences within a part are log-odds of winning; between parts they mean nothing.
    covariance : array (K, K)
        As if all games were independent; 0 between parts.
    parts : array (K,)
        To which part each algorithm belongs.
    ridge : array (K,)
        The precision of the penalty on each: 0 where the maximum is finite.
    """

    values: FloatArray
    covariance: FloatArray
    parts: IntArray
    ridge: FloatArray

    @property
    def finite(self) -> bool:
        """Whether the maximum is finite in every part, so that no penalty was needed."""
        return not self.ridge.any()


def fit_strengths(games: Games) -> Strengths:
    r"""Find the strengths under which the games are likeliest, by Newton's method.

    How far apart are the algorithms, as odds of winning? The strengths are valid whatever games
    belong together; their ``covariance`` where games are independent, and `over_datasets` where
    only data sets are.

    Parameters
    ----------
    games
        From `games_of_ranks` or `games_of_wins`.

    Notes
    -----
    With :math:`w_i` the wins of i and :math:`n_{ij}` the games of a pair, the strengths solve

    .. math::

        w_i = \sum_j n_{ij}\, \mathrm{logistic}(\beta_i - \beta_j), \qquad
        \mathrm{logistic}(x) = \frac{1}{1 + e^{-x}}

    Where someone in a part never lost, its maximum is not finite: a normal penalty of precision
    `RIDGE` on its strengths, of standard deviation 10, keeps them finite.

    References
    ----------
    R. A. Bradley and M. E. Terry (1952), Rank analysis of incomplete block designs, Biometrika 39.
    L. R. Ford (1957), Solution of a ranking problem from binary comparisons, Amer. Math. Monthly
    64.

    Examples
    --------
    Three wins to one are odds of three to one:

    >>> found = fit_strengths(games_of_wins(np.array([[0.0, 3.0], [1.0, 0.0]])))
    >>> round(float(np.exp(found.values[0] - found.values[1])), 6)
    3.0
    """
    parts = games.parts
    penalty = np.where(games.bounded, 0.0, RIDGE)[parts]
    centre = _centre(parts)
    values = np.zeros(parts.size)
    value, slope, curvature = _derivatives(games, values, penalty)
    for _ in range(100):
        step = cho_solve(cho_factor(curvature + centre), slope)
        if np.abs(step).max() < _CLOSE:  # what is left is its square: below rounding
            values = values + step
            break
        gain, shrink = float(step @ slope), 1.0
        while True:
            tried = _derivatives(games, values + shrink * step, penalty)
            if tried[0] >= value + 1e-4 * shrink * gain or shrink < 1e-8:
                break
            shrink /= 2
        values = values + shrink * step
        value, slope, curvature = tried
    spread = np.linalg.inv(curvature + centre)
    # The centre has made the common strength of a part known; nothing else is of that direction.
    spread -= centre / (1.0 + penalty)[:, np.newaxis]
    return Strengths(values - centre @ values, (spread + spread.T) / 2, parts, penalty)


def _centre(parts: IntArray) -> FloatArray:
    """Return the matrix (K, K) that takes the mean within each part."""
    size = np.bincount(parts)[parts]
    return np.asarray((parts[:, np.newaxis] == parts) / size)


def _derivatives(
    games: Games, values: FloatArray, penalty: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return the penalised log-likelihood, its gradient and its negative Hessian."""
    gap = values[:, np.newaxis] - values
    chance = expit(gap)
    # log(eᵃ + eᵇ) is the larger and a remainder: log logistic of the one that is ahead.
    lost = np.maximum(gap, 0.0) - np.log(np.maximum(chance, chance.T))
    # Every pair is met twice: wins · β − Σ n log(eᵃ + eᵇ), with b taken out of the logarithm.
    value = float(games.won @ values) - float((games.played * lost).sum()) / 2
    value -= float(games.played.sum(axis=0) @ values) / 2
    value -= float(penalty @ values**2) / 2
    slope = games.won - (games.played * chance).sum(axis=1) - penalty * values
    weight = games.played * chance * chance.T
    curvature = np.diag(weight.sum(axis=1) + penalty) - weight
    return value, slope, curvature


# --- data sets as the units ------------------------------------------------------------------


def over_datasets(found: Strengths, ranks: FloatArray) -> FloatArray:
    r"""Return the covariance (K, K) of strengths where data sets are independent, games are not.

    How sure are strengths that a few data sets with many games each have given? Who is lucky on a
    data set beats many there, so its games count for fewer than they are. Valid for many data
    sets that were drawn independently.

    Parameters
    ----------
    found
        The strengths of these ranks.
    ranks
        Shape (n, K).

    Notes
    -----
    The sandwich :math:`V M V` of V, the inverse curvature, and what the data sets add to the slope,
    squared: with :math:`u_{di}` the wins of i on data set d less those expected,

    .. math::

        M = \sum_d u_d u_d^T + \mathrm{diag}\left(\frac{v_i}{n_i}\right), \qquad
        v_i = \sum_d \frac{m_d + 1}{3} \sum_j p_{ij} (1 - p_{ij})

    As the strengths make the sum of :math:`u_{di}` over data sets zero, one of i's :math:`n_i` data
    sets is spent on its strength. The second term gives it back, so that an algorithm with one data
    set is not sure: it is the mean over these data sets of the variance that i's wins have if a
    data set is one ranking of the :math:`m_d` that it has, :math:`(m_d + 1) / 3` times that of
    :math:`m_d - 1` independent games, as where all are equal. The sum over j is over those.

    References
    ----------
    K.-Y. Liang and S. L. Zeger (1986), Longitudinal data analysis using generalized linear models,
    Biometrika 73.

    Examples
    --------
    Four data sets on which the first of three wins all or loses all; games as units are surer:

    >>> ranks = np.array([[1.0, 2, 3], [1, 3, 2], [3, 1, 2], [3, 2, 1]])
    >>> found = fit_strengths(games_of_ranks(ranks))
    >>> bool(over_datasets(found, ranks)[0, 0] > found.covariance[0, 0])
    True
    """
    there = (~np.isnan(ranks)).astype(np.float64)
    of = there.sum(axis=1, keepdims=True)
    there *= of > 1
    chance = expit(found.values[:, np.newaxis] - found.values)
    # Each meets itself too, which is even: ½ is expected of it, with variance ¼.
    surplus = there * (_wins_on_each(ranks) - there @ chance.T + 0.5)
    variance = there * (there @ (chance * chance.T) - 0.25) * (of + 1.0) / 3.0
    returned = variance.sum(axis=0) / np.maximum(there.sum(axis=0), 1.0)
    middle = surplus.T @ surplus + np.diag(returned + found.ridge)
    spread: FloatArray = found.covariance @ middle @ found.covariance
    return spread


def ends(
    values: FloatArray, variance: FloatArray, n: FloatArray, *, alpha: float = 0.05
) -> FloatArray:
    """Return the ends (2, K) of intervals, by t with as many degrees as each has data sets.

    >>> ends(np.zeros(1), np.ones(1), np.array([1000.0])).round(2).tolist()
    [[-1.96], [1.96]]
    """
    reach = -stdtrit(np.maximum(n, 1.0), alpha / 2) * np.sqrt(np.maximum(variance, 0.0))
    return np.stack([values - reach, values + reach])


def told_apart(
    values: FloatArray, covariance: FloatArray, n: FloatArray, *, alpha: float = 0.05, seed: int = 0
) -> BoolArray:
    r"""Return whether the row is stronger than the column, all such findings right at once.

    Which strengths differ beyond chance, however many pairs there are? Valid, with confidence
    1 − α, for estimates that are close to normal.

    Parameters
    ----------
    values, covariance
        The strengths (K,) of one part, and their covariance.
    n
        On how many data sets each rests, (K,).
    alpha
        The chance that any of the findings is wrong.
    seed
        Of the draws.

    Notes
    -----
    With :math:`s_{ij}` the standard error of a difference, two differ where

    .. math::

        \frac{\left|\beta_i - \beta_j\right|}{s_{ij}}

    exceeds what the largest of all pairs exceeds with chance α, by joint normal draws. The tail
    beyond it is taken of a t with as many degrees of freedom as the one of the two with fewer data
    sets has.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries. Review of Economic Studies 91.

    Examples
    --------
    >>> values, spread = np.array([2.0, 0.0, -2.0]), np.diag([0.25, 0.25, 4.0])
    >>> told_apart(values, spread, np.full(3, 40.0)).astype(int)
    array([[0, 1, 0],
           [0, 0, 0],
           [0, 0, 0]])
    """
    own = np.diagonal(covariance)
    total = own[:, np.newaxis] + own
    variance = total - 2 * covariance
    known = variance > 1e-12 * total  # not of copies, whose difference is rounding alone
    precision = np.where(known, 1.0 / np.sqrt(np.where(known, variance, 1.0)), 0.0)
    tail = ndtr(-_largest(covariance, precision, alpha, seed))
    enough = -stdtrit(np.minimum(n[:, np.newaxis], n), tail)
    return np.asarray(known & ((values[:, np.newaxis] - values) * precision > enough))


def _largest(covariance: FloatArray, precision: FloatArray, alpha: float, seed: int) -> float:
    """Return what the largest |zᵢ − zⱼ| / sᵢⱼ exceeds with chance α, z having this covariance."""
    size, axes = np.linalg.eigh(covariance)
    root = axes * np.sqrt(np.maximum(size, 0.0))
    z = root @ np.random.default_rng(seed).standard_normal((size.size, _DRAWS))
    largest = np.zeros(_DRAWS)
    for i in range(1, size.size):  # one by one: all at once would hold draws × k × k
        lead = np.abs(z[:i] - z[i]) * precision[:i, i, np.newaxis]
        np.maximum(largest, lead.max(axis=0), out=largest)
    return float(np.quantile(largest, 1.0 - alpha))
