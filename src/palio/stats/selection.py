"""The multinomial selection procedure: which algorithm most often trusts the truth most."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, gammaln, pdtr, xlogy

from palio.stats.outcome import Outcome, finite_array
from palio.stats.ranks import TIE_TOLERANCE
from palio.types import BoolArray, FloatArray

SELECTION_EXACT_LIMIT = 50
"""Up to this many instances, none of them tied, the test of equal wins is exact."""


@dataclass(frozen=True, eq=False)
class Selection:
    """The wins of each algorithm, and what they are worth.

    Attributes
    ----------
    wins
        Instances on which each algorithm gave the true class the largest probability; where
        several did, each has an equal share.
    chance
        The chance of each to have the most wins on as many fresh instances, if the wins are right
        about how often each wins: an estimate of the probability of correct selection. Sums to 1.
    tied
        The number of instances with several winners.
    outcome
        The test of the hypothesis that all win equally often.
    """

    wins: FloatArray
    chance: FloatArray
    tied: int
    outcome: Outcome


def multinomial_selection(probability_of_truth: ArrayLike) -> Selection:
    r"""Select by the multinomial selection procedure (yildiz2006, section 2.5).

    On each instance the algorithm wins that gives the true class the largest probability; the best
    has the most wins. It sees more than right and wrong, and asks for probabilities that are fine
    enough: those of 5-nearest neighbours are multiples of 1/5, and tie.

    Parameters
    ----------
    probability_of_truth
        The probability that each algorithm gives each instance's true class, shape
        (instances, algorithms), two or more algorithms.

    Notes
    -----
    With :math:`W_j` the wins of algorithm j of K on n instances, none tied:

    .. math::

        \chi^2 = \frac{K}{n} \sum_{j=1}^{K} \left(W_j - \frac{n}{K}\right)^2 \sim \chi^2_{K-1}

    The statistic is Pearson's χ² of equal counts. It is exact up to `SELECTION_EXACT_LIMIT`
    instances without ties. Split wins vary less than whole ones: the statistic is divided by the
    variance that they have, as Friedman's is for tied ranks.

    The chance of selection takes the wins for Poisson numbers with the observed means, that is,
    a random number of fresh instances. It is optimistic, for it takes the observed wins for true.

    References
    ----------
    Alsing, Bauer and Miller (2002), A multinomial selection procedure for evaluating pattern
    recognition algorithms. Pattern Recognition 35; Bechhofer, Elmaghraby and Morse (1959), A
    single-sample multiple-decision procedure for selecting the multinomial event which has the
    highest probability. Annals of Mathematical Statistics 30.

    Examples
    --------
    Three wins and a shared one: :math:`2 \cdot 1.5^2` over the variance, which is 3/2 where none
    tied would make it 2.

    >>> selection = multinomial_selection([[0.9, 0.4], [0.8, 0.7], [0.6, 0.5], [0.5, 0.5]])
    >>> selection.wins.tolist(), selection.tied
    ([3.5, 0.5], 1)
    >>> round(float(selection.outcome.statistic), 3), round(float(selection.outcome.p_value), 4)
    (3.0, 0.0833)
    """
    p = finite_array(probability_of_truth, name="probability_of_truth", least=(1, 2))
    if p.ndim != 2 or (p < 0).any() or (p > 1 + TIE_TOLERANCE).any():
        raise ValueError(
            "probability_of_truth must hold probabilities, from 0 to 1, in shape "
            f"(instances, algorithms); got shape {p.shape} from {p.min():g} to {p.max():g}."
        )
    top = p.max(axis=-1, keepdims=True)
    winners = p >= top * (1.0 - TIE_TOLERANCE)
    shares = winners / winners.sum(axis=-1, keepdims=True)
    wins = shares.sum(axis=0)
    return Selection(
        wins=wins,
        chance=_chance_of_most(wins),
        tied=int((winners.sum(axis=-1) > 1).sum()),
        outcome=equal_wins(winners),
    )


def equal_wins(winners: BoolArray) -> Outcome:
    """Test whether all algorithms win equally often.

    Parameters
    ----------
    winners
        Who won each instance, shape (instances, algorithms); one or more of them.

    Examples
    --------
    Three wins of three among two: :math:`p = 2 / 2^3`.

    >>> float(equal_wins(np.array([[True, False]] * 3)).p_value)
    0.25
    """
    n, k = winners.shape
    number = winners.sum(axis=-1)
    wins = (winners / number[:, None]).sum(axis=0)
    # A share of 1/m for each of m winners has, if all are alike, the covariance c (I - J/K).
    c = ((1.0 / number - 1.0 / k) / (k - 1.0)).sum()
    nothing = bool((number == k).all())
    statistic = 0.0 if nothing else np.square(wins - n / k).sum() / c
    exact = bool((number == 1).all()) and n <= SELECTION_EXACT_LIMIT
    p_value = (
        _sum_of_squares_sf(round(float(np.square(wins).sum())), n, k)
        if exact
        else chdtrc(k - 1.0, statistic)
    )
    return Outcome(
        statistic=np.asarray(statistic),
        p_value=np.asarray(p_value),
        degenerate=np.asarray(nothing),
        n=np.asarray(n),
        null="exact" if exact else "chi2",
        df=(k - 1.0,),
    )


def _sum_of_squares_sf(least: int, n: int, k: int) -> float:
    """Return P(Σ W² >= least) where n wins fall to k algorithms with equal probability.

    >>> _sum_of_squares_sf(9, 3, 2)
    0.25
    """
    # Rows are numbers of wins given out so far, columns the sum of their squares; the first
    # algorithm of j takes w of m wins by the binomial distribution with probability 1/j.
    table = np.zeros((n + 1, n * n + 1))
    table[np.arange(n + 1), np.arange(n + 1) ** 2] = 1.0
    for j in range(2, k + 1):
        following = np.zeros_like(table)
        for m in range(n + 1):
            for w in range(m + 1):
                weight = comb(m, w) * (j - 1) ** (m - w) / j**m
                following[m, w * w :] += weight * table[m - w, : n * n + 1 - w * w]
        table = following
    return min(1.0, float(table[n, least:].sum()))


def _chance_of_most(wins: FloatArray) -> FloatArray:
    """Return each one's chance of the largest of independent Poisson numbers, ties drawn by lot."""
    k = wins.size
    # ∫₀¹ zᵗ dz = 1 / (1 + t): the share of one among t others that tie. Exact to degree K - 1.
    nodes, weights = np.polynomial.legendre.leggauss(k // 2 + 1)
    z, weights = (nodes + 1.0) / 2.0, weights / 2.0
    chance = np.empty(k)
    for j, mean in enumerate(wins):
        spread = 12.0 * np.sqrt(mean) + 40.0
        w = np.arange(max(0, int(mean - spread)), int(mean + spread) + 1)[:, None]
        mass = np.exp(xlogy(w, wins) - wins - gammaln(w + 1.0))
        below = np.maximum(pdtr(w, wins) - mass, 0.0)
        others = np.arange(k) != j
        ahead = (below[:, others, None] + z * mass[:, others, None]).prod(axis=1) @ weights
        chance[j] = mass[:, j] @ ahead
    return np.asarray(chance / chance.sum())
