"""Many algorithms over many data sets: does any differ? Values have shape (..., n, k).

Rank 1 is the smallest value: negate scores of which higher is better. Data sets on which nothing
differs are no error: if all are such, p = 1. Where all data sets agree without any spread, the
tests that estimate a spread have an infinite statistic, whose p-value is `least_share`, the chance
of such agreement; nor does an approximation ever go below it. All these are ``degenerate``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc, gammaln

from palio.stats.outcome import Outcome, finite_array
from palio.stats.ranks import TIE_TOLERANCE, average_ranks
from palio.types import FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class FriedmanOutcome(Outcome):
    """Friedman's test, with the mean ranks it rests on.

    Attributes
    ----------
    statistic_uncorrected
        Eq. 2.1 of ulas2008 as printed, without the correction for ties.
    mean_ranks
        The mean rank of each algorithm, shape (..., k).
    """

    statistic_uncorrected: FloatArray
    mean_ranks: FloatArray

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "statistic_uncorrected", np.asarray(self.statistic_uncorrected))


def friedman(values: ArrayLike) -> FriedmanOutcome:
    r"""Test by Friedman's ranks (ulas2008, eq. 2.1).

    Do k algorithms have the same expected rank over n data sets? Rank 1 is the smallest value:
    negate scores of which higher is better. The χ² approximation wants n above ten or so; below,
    `friedman_exact` needs none.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (..., n, k).

    Notes
    -----
    With the mean ranks :math:`R_j` of k algorithms on n data sets, ties apart:

    .. math::

        \chi^2 = \frac{12 n}{k (k + 1)}
        \left(\sum_{j=1}^{k} R_j^2 - \frac{k (k + 1)^2}{4}\right) \sim \chi^2_{k-1}

    With ties, their smaller variance takes the place of that of the ranks 1 … k.

    References
    ----------
    Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the analysis
    of variance. JASA 32; for ties, Conover (1999), Practical nonparametric statistics, section 5.8.

    Examples
    --------
    Three data sets agree on the order: :math:`\chi^2 = n (k - 1) = 6`.

    >>> outcome = friedman([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.2, 0.3, 0.9]])
    >>> round(float(outcome.statistic), 12), outcome.mean_ranks.tolist()
    (6.0, [1.0, 2.0, 3.0])
    """
    array = finite_array(values, name="values", least=(1, 2))
    return friedman_from_ranks(average_ranks(array))


def friedman_from_ranks(ranks: ArrayLike) -> FriedmanOutcome:
    """Test by Friedman's ranks, given the ranks of each data set.

    Parameters
    ----------
    ranks
        Shape (..., n, k); every data set's ranks add up to :math:`k (k + 1) / 2`.

    Examples
    --------
    Two data sets tied throughout say nothing; the third orders its two algorithms.

    >>> outcome = friedman_from_ranks([[1.5, 1.5], [1.5, 1.5], [1.0, 2.0]])
    >>> round(float(outcome.statistic), 12), round(float(outcome.statistic_uncorrected), 4)
    (1.0, 0.3333)
    """
    array = checked_ranks(ranks)
    n, k = array.shape[-2:]
    centred = array - (k + 1) / 2.0
    # Eq. 2.1 in centred form: n Σ(R - (k + 1)/2)² over what ranks without ties would vary by.
    between = n * np.square(centred.mean(axis=-2)).sum(axis=-1)
    varied = np.square(centred).sum(axis=(-2, -1)) / (n * (k - 1.0))
    degenerate = varied == 0.0
    statistic = np.where(degenerate, 0.0, between / np.where(degenerate, 1.0, varied))
    return FriedmanOutcome(
        statistic=statistic,
        p_value=chdtrc(k - 1.0, statistic),
        degenerate=np.asarray(degenerate),
        n=np.asarray(n),
        null="chi2",
        df=(k - 1.0,),
        statistic_uncorrected=between / (k * (k + 1) / 12.0),
        mean_ranks=array.mean(axis=-2),
    )


def checked_ranks(ranks: ArrayLike, *, datasets: int = 1) -> FloatArray:
    """Return ranks (..., n, k), or refuse what are none.

    Examples
    --------
    >>> checked_ranks([[1, 2], [1.5, 1.5]]).shape
    (2, 2)
    """
    array = finite_array(ranks, name="ranks", least=(datasets, 2))
    k = array.shape[-1]
    if not np.allclose(array.sum(axis=-1), k * (k + 1) / 2.0, rtol=1e-9, atol=0.0):
        raise ValueError(
            f"ranks of a data set must add up to k(k + 1)/2 = {k * (k + 1) / 2.0:g}, "
            "ties sharing the mean rank; got rows that do not."
        )
    return array


def iman_davenport(values: ArrayLike) -> Outcome:
    r"""Test by Iman and Davenport's F, a sharper approximation than Friedman's χ².

    The question of `friedman`, from the same ranks. It is the analysis of variance of the ranks.
    Valid for n above a few; Friedman's χ² is too careful there.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (..., n, k), both at least 2.

    Notes
    -----
    With Friedman's χ², corrected for ties:

    .. math::

        F = \frac{(n - 1)\, \chi^2}{n (k - 1) - \chi^2} \sim F_{k-1,\, (n-1)(k-1)}

    If all data sets agree, F is infinite and :math:`p = (1/k!)^{n-1}`, ties apart: the chance that
    they do. Nor is p ever below what the orders within data sets can give, as the tail of F would
    be. As F rises with χ², its exact p-value is that of `friedman_exact`.

    References
    ----------
    Iman and Davenport (1980), Approximations of the critical region of the Friedman statistic.
    Communications in Statistics 9; Demšar (2006), JMLR 7, section 3.2.2.

    Examples
    --------
    Ranks 1 2 3 twice and 2 1 3: :math:`\chi^2 = 14/3`,
    :math:`F = 2 \cdot \frac{14}{3} / (6 - \frac{14}{3}) = 7`.

    >>> outcome = iman_davenport([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.2, 0.1, 0.3]])
    >>> round(float(outcome.statistic), 12), outcome.df, round(float(outcome.p_value), 4)
    (7.0, (2.0, 4.0), 0.0494)
    """
    array = finite_array(values, name="values", least=(2, 2))
    return iman_davenport_from_ranks(average_ranks(array))


def iman_davenport_from_ranks(ranks: ArrayLike) -> Outcome:
    """Test by Iman and Davenport's F, given the ranks of each data set.

    Parameters
    ----------
    ranks
        Shape (..., n, k), both at least 2; every data set's ranks add up to :math:`k (k + 1) / 2`.

    Examples
    --------
    Both data sets agree: nothing is left over to hold the difference against. One of 3! orders
    of the second would.

    >>> outcome = iman_davenport_from_ranks([[1, 2, 3], [1, 2, 3]])
    >>> float(outcome.statistic), round(float(outcome.p_value) * 6, 9), bool(outcome.degenerate)
    (inf, 1.0, True)
    """
    array = checked_ranks(ranks, datasets=2)
    return _two_way_f(array - (array.shape[-1] + 1) / 2.0)


def kendall_w(values: ArrayLike) -> Outcome:
    r"""Return Kendall's coefficient of concordance W, tested by Friedman's χ².

    How far do the n data sets agree on the order of k algorithms? From 0, not at all, to 1, the
    same order everywhere (1 is within reach if no data set has ties). The p-value is that of
    `friedman`.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (..., n, k).

    Notes
    -----
    With Friedman's χ², corrected for ties:

    .. math::

        W = \frac{\chi^2}{n (k - 1)}

    References
    ----------
    Kendall and Babington Smith (1939), The problem of m rankings. Annals of Mathematical
    Statistics 10.

    Examples
    --------
    Two data sets with opposite orders, and one more: rank sums 5, 6, 7 of 6 on average.

    >>> outcome = kendall_w([[1, 2, 3], [3, 2, 1], [1, 2, 3]])
    >>> round(float(outcome.statistic), 4)
    0.1111
    """
    outcome = friedman(values)
    n, df = int(np.asarray(values).shape[-2]), outcome.df
    return Outcome(
        statistic=outcome.statistic / (n * df[0]),
        p_value=outcome.p_value,
        degenerate=outcome.degenerate,
        n=outcome.n,
        null=outcome.null,
        df=df,
    )


def friedman_aligned(values: ArrayLike) -> Outcome:
    r"""Test by aligned ranks.

    The question of `friedman`, but differences on different data sets are compared in size, as
    `wilcoxon` does: each data set's mean is subtracted, and what remains is ranked together, from
    1 to nk. More powerful than Friedman's test for few algorithms.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (..., n, k).

    Notes
    -----
    With :math:`r_{ij}` the rank of algorithm j on data set i, :math:`\bar r_i` the mean of a data
    set's, and :math:`C_j = \sum_i (r_{ij} - \bar r_i)`:

    .. math::

        T = \frac{(k - 1) \sum_j C_j^2}{\sum_{i,j} (r_{ij} - \bar r_i)^2} \sim \chi^2_{k-1}

    This is Hodges and Lehmann's statistic, of which the form with
    :math:`kn (kn + 1)(2kn + 1) / 6` in García et al. is the case without ties.

    References
    ----------
    Hodges and Lehmann (1962), Rank methods for combination of independent experiments in analysis
    of variance. Annals of Mathematical Statistics 33; García, Fernández, Luengo and Herrera
    (2010), Advanced nonparametric tests for multiple comparisons in the design of experiments in
    computational intelligence and data mining. Information Sciences 180.

    Examples
    --------
    Aligned to ∓1, ∓2 and ±3, ranks are 3 4, 2 5, 6 1. So C is ∓0.5, and the sum below it
    :math:`(1 + 9 + 25) / 2`.

    >>> outcome = friedman_aligned([[1.0, 3.0], [5.0, 9.0], [7.0, 1.0]])
    >>> round(float(outcome.statistic), 6), outcome.df
    (0.028571, (1.0,))
    """
    array = finite_array(values, name="values", least=(1, 2))
    k = array.shape[-1]
    centred = aligned_ranks(array)
    centred = centred - centred.mean(axis=-1, keepdims=True)
    between = np.square(centred.sum(axis=-2)).sum(axis=-1)
    within = np.square(centred).sum(axis=(-2, -1))
    degenerate = within == 0.0
    statistic = np.where(degenerate, 0.0, (k - 1) * between / np.where(degenerate, 1.0, within))
    return Outcome(
        statistic=statistic,
        p_value=chdtrc(k - 1.0, statistic),
        degenerate=np.asarray(degenerate),
        n=np.asarray(array.shape[-2]),
        null="chi2",
        df=(k - 1.0,),
    )


def aligned_ranks(values: FloatArray) -> FloatArray:
    """Return the ranks, among all of a table, of values less their data set's mean.

    Examples
    --------
    >>> aligned_ranks(np.array([[1.0, 3.0], [5.0, 9.0], [7.0, 1.0]])).tolist()
    [[3.0, 4.0], [2.0, 5.0], [6.0, 1.0]]
    """
    flat = (*values.shape[:-2], values.shape[-2] * values.shape[-1])
    rest = values - values.mean(axis=-1, keepdims=True)
    # Subtraction leaves the rounding error of the scores, so they decide what is a tie.
    scores = np.broadcast_to(np.abs(values).max(axis=-1, keepdims=True), values.shape)
    ranks = average_ranks(rest.reshape(flat), magnitude=scores.reshape(flat))
    return ranks.reshape(values.shape)


def quade(values: ArrayLike) -> Outcome:
    r"""Test by Quade: Friedman's ranks, weighted by how far apart the algorithms are.

    The question of `friedman`, but a data set counts by the rank of its range (the best less the
    worst), so differences on different data sets are compared in size. For two algorithms it is
    Wilcoxon's test. Powerful for few algorithms; four or five at the most, says Conover.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (..., n, k), both at least 2.

    Notes
    -----
    With :math:`Q_i` the rank of a data set's range, and :math:`r_{ij}` the ranks within it:

    .. math::

        S_{ij} = Q_i \left(r_{ij} - \frac{k + 1}{2}\right), \qquad
        A = \sum_{i,j} S_{ij}^2, \qquad
        B = \frac{1}{n} \sum_j \left(\sum_i S_{ij}\right)^2

    .. math::

        F = \frac{(n - 1)\, B}{A - B} \sim F_{k-1,\, (n-1)(k-1)}

    If A = B, :math:`p = (1/k!)^{n-1}`, as Conover says, ties apart; nor is p ever below what the
    orders within data sets can give.

    References
    ----------
    Quade (1979), Using weighted rankings in the analysis of complete blocks with additive block
    effects. JASA 74; Conover (1999), Practical nonparametric statistics, section 5.8.

    Examples
    --------
    Two algorithms differ by 1, 2 and -3: S is ∓0.5, ∓1 and ±1.5, and B is 0.

    >>> outcome = quade([[1.0, 2.0], [1.0, 3.0], [4.0, 1.0]])
    >>> float(outcome.statistic), outcome.df, float(outcome.p_value)
    (0.0, (1.0, 2.0), 1.0)
    """
    return _two_way_f(quade_scores(finite_array(values, name="values", least=(2, 2))))


def quade_scores(values: FloatArray) -> FloatArray:
    """Return Quade's S: centred ranks within a data set times the rank of its range.

    Examples
    --------
    >>> quade_scores(np.array([[1.0, 2.0], [4.0, 1.0]])).tolist()
    [[-0.5, 0.5], [1.0, -1.0]]
    """
    k = values.shape[-1]
    largest = np.abs(values).max(axis=-1)
    ranges = np.ptp(values, axis=-1)
    nothing = ranges <= TIE_TOLERANCE * largest
    ranges = np.where(nothing, 0.0, ranges)
    weights = average_ranks(ranges, magnitude=np.where(nothing, 0.0, largest))
    return np.asarray(weights[..., None] * (average_ranks(values) - (k + 1) / 2.0))


def _two_way_f(scores: FloatArray) -> Outcome:
    """Test centred scores (..., n, k) by the F of a two-way analysis of variance."""
    n, k = scores.shape[-2:]
    between = np.square(scores.sum(axis=-2)).sum(axis=-1) / n
    rest = residual_squares(scores)
    degenerate = rest == 0.0
    nothing = degenerate & (between == 0.0)
    f = (n - 1) * between / np.where(degenerate, 1.0, rest)
    f = np.where(degenerate, np.where(nothing, 0.0, np.inf), f)
    df = (k - 1.0, (n - 1.0) * (k - 1.0))
    tail, least = np.where(nothing, 1.0, fdtrc(*df, f)), least_share(scores)
    return Outcome(
        statistic=f,
        p_value=np.maximum(tail, least),
        degenerate=np.asarray(degenerate | (tail < least)),
        n=np.asarray(n),
        null="F",
        df=df,
    )


def least_share(scores: FloatArray) -> FloatArray:
    """Return how rare a table is among all orders of the values within its data sets.

    Exchanging algorithms changes no statistic of all of them, so this share of the orders, the
    table's own with its columns exchanged, is the least p-value that they can give. If all data
    sets agree, no other order does, and it is their p-value. For k algorithms on n data sets it is
    :math:`(1/k!)^{n-1}` without ties; ties leave fewer orders that differ.

    Parameters
    ----------
    scores
        Ranks, or scores made of them, shape (..., n, k).

    Examples
    --------
    Of 3 · 3 orders of two data sets with a tie, three agree; without, 6 of 6 · 6.

    >>> [round(1 / float(least_share(np.array([row, row])))) for row in ([1, 2.5, 2.5], [1, 2, 3])]
    [3, 6]
    """
    n, k = scores.shape[-2:]
    rows, columns = np.zeros(scores.shape), np.zeros((*scores.shape[:-2], k))
    for j in range(k):
        equal = scores[..., j:] == scores[..., j : j + 1]
        rows[..., j:] += equal
        columns[..., j:] += equal.all(axis=-2)
    # Counted so, t equal ones have 1, 2, … t: a product of t!, by which their orders are the same.
    orders = n * gammaln(k + 1.0) - np.log(rows).sum(axis=(-2, -1))
    exchanges = gammaln(k + 1.0) - np.log(columns).sum(axis=-1)
    return np.asarray(np.exp(np.minimum(exchanges - orders, 0.0)))  # rounding may go above


def residual_squares(scores: FloatArray) -> FloatArray:
    """Return A - B of `quade`: what the algorithms' means leave over, 0 if just noise.

    Examples
    --------
    >>> float(residual_squares(np.array([[-0.5, 0.5], [1.0, -1.0]])))
    2.25
    """
    rest = np.square(scores - scores.mean(axis=-2, keepdims=True)).sum(axis=(-2, -1))
    noise = TIE_TOLERANCE * np.square(scores).sum(axis=(-2, -1))
    return np.where(rest <= noise, 0.0, rest)
