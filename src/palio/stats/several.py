"""Several algorithms on one data set: whether any differ, and the subsets that have equal means.

All tests take ``y`` of shape (..., K, L): K algorithms, L folds each. Multiple range tests sort the
means and go from the widest range to the narrowest. A range is accepted as homogeneous if it lies
within an accepted one, or if the distance of its ends is not beyond the studentized range. The
three tests differ in the critical value for P means only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc

from palio.stats.outcome import Outcome, check_level, finite_array
from palio.stats.ranks import average_ranks, rounding_noise
from palio.types import BoolArray, FloatArray, IntArray


def means_and_mse(y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the K means, the MSE of eq. 10, and what counts as zero among them.

    An MSE within the rounding noise of the scores is exactly 0.

    Examples
    --------
    >>> means, mse, _ = means_and_mse(np.array([[1.0, 3.0], [2.0, 6.0]]))
    >>> means.tolist(), float(mse)
    ([2.0, 4.0], 5.0)
    """
    k, folds = y.shape[-2:]
    means = y.mean(axis=-1)
    squares = np.square(y - means[..., None]).sum(axis=(-2, -1))
    noise = rounding_noise(y, axis=(-2, -1))
    mse = squares / (k * (folds - 1))
    return means, np.where(np.sqrt(mse) <= noise, 0.0, mse), noise


def anova(y: ArrayLike) -> Outcome:
    r"""Test by one-way analysis of variance (yildiz2006, eq. 8–11).

    Do K algorithms have the same expected score on this data set? Valid for independent, normal
    scores of equal variance. A rejection does not say which algorithms differ.

    Parameters
    ----------
    y
        Scores, shape (..., K, L), both at least 2.

    Notes
    -----
    With the K means :math:`m_k` of L scores each, their mean m, and :math:`S_k` the standard
    deviation of each:

    .. math::

        \mathrm{MST} = \frac{L}{K - 1} \sum_{k=1}^{K} (m_k - m)^2, \qquad
        \mathrm{MSE} = \frac{1}{K} \sum_{k=1}^{K} S_k^2, \qquad
        F = \frac{\mathrm{MST}}{\mathrm{MSE}} \sim F_{K-1,\, K(L-1)}

    References
    ----------
    Yıldız and Alpaydın (2006), Ordering and finding the best of K > 2 supervised learning
    algorithms. IEEE TPAMI 28.

    Examples
    --------
    Means 2 and 4, MST = 4, MSE = 2.

    >>> outcome = anova([[1.0, 3.0], [3.0, 5.0]])
    >>> float(outcome.statistic), outcome.df, round(float(outcome.p_value), 4)
    (2.0, (1.0, 2.0), 0.2929)
    """
    scores = finite_array(y, name="y", least=(2, 2))
    k, folds = scores.shape[-2:]
    means, mse, noise = means_and_mse(scores)
    nothing = np.ptp(means, axis=-1) <= noise
    mst = folds * means.var(axis=-1, ddof=1)  # eq. 9
    degenerate = mse == 0.0
    f = np.where(degenerate, np.where(nothing, 0.0, np.inf), mst / np.where(degenerate, 1.0, mse))
    df = (k - 1.0, k * (folds - 1.0))
    return Outcome(
        statistic=f,
        p_value=fdtrc(*df, f),
        degenerate=np.asarray(degenerate),
        n=np.asarray(k * folds),
        null="F",
        df=df,
    )


def kruskal_wallis(y: ArrayLike) -> Outcome:
    r"""Test by Kruskal and Wallis: analysis of variance on ranks.

    Do K algorithms have the same distribution of scores on this data set? Valid for independent
    scores of any distribution; the χ² approximation wants five or more folds. Ties are corrected.

    Parameters
    ----------
    y
        Scores, shape (..., K, L), K at least 2, and at least two scores in all.

    Notes
    -----
    All :math:`N = K L` scores are ranked together; :math:`r_{ki}` is a rank, and
    :math:`\bar r_k` the mean of an algorithm's:

    .. math::

        H = \frac{(N - 1) L \sum_k \left(\bar r_k - \frac{N + 1}{2}\right)^2}
        {\sum_{k,i} \left(r_{ki} - \frac{N + 1}{2}\right)^2} \sim \chi^2_{K-1}

    References
    ----------
    Kruskal and Wallis (1952), Use of ranks in one-criterion variance analysis. JASA 47.

    Examples
    --------
    Ranks 1, 2 against 3, 4: :math:`H = 3 \cdot (2 \cdot 1^2 + 2 \cdot 1^2) / 5`.

    >>> outcome = kruskal_wallis([[0.1, 0.2], [0.3, 0.4]])
    >>> round(float(outcome.statistic), 3), outcome.df, round(float(outcome.p_value), 4)
    (2.4, (1.0,), 0.1213)
    """
    scores = finite_array(y, name="y", least=(2, 1))
    k, folds = scores.shape[-2:]
    n = k * folds
    ranks = average_ranks(scores.reshape(*scores.shape[:-2], n)).reshape(scores.shape)
    ranks -= (n + 1) / 2.0
    between = folds * np.square(ranks.mean(axis=-1)).sum(axis=-1)
    # Dividing by the ranks' own variance, instead of n(n + 1)/12, is the correction for ties.
    total = np.square(ranks).sum(axis=(-2, -1))
    degenerate = total == 0.0
    h = np.where(degenerate, 0.0, (n - 1) * between / np.where(degenerate, 1.0, total))
    return Outcome(
        statistic=h,
        p_value=chdtrc(k - 1.0, h),
        degenerate=np.asarray(degenerate),
        n=np.asarray(n),
        null="chi2",
        df=(k - 1.0,),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class RangeTest:
    """Which ranges of the sorted means are homogeneous.

    Attributes
    ----------
    order
        (..., K) indices of the samples, ascending by mean, equal means in their given order.
    means
        (..., K) means of the samples, in their given order.
    equal
        (..., K, K) on sorted positions: ``equal[i, j]`` where positions i to j are homogeneous.
    critical
        (K - 1,) critical values for ranges of 2, 3, …, K means.
    df
        Degrees of freedom of the error, K(L - 1).
    mse
        (...) mean square of the error; exactly 0 where it is rounding noise.
    alpha
        The level of the test.
    """

    order: IntArray
    means: FloatArray
    equal: BoolArray
    critical: FloatArray
    df: int
    mse: FloatArray
    alpha: float

    @property
    def degenerate(self) -> BoolArray:
        """True where the error was zero, so that any two different means were told apart."""
        return np.asarray(self.mse == 0.0)

    def underlines(self) -> list[tuple[int, int]]:
        """Return the maximal homogeneous ranges of two or more, as sorted positions.

        Examples
        --------
        >>> tukey([[1.0, 3.0], [3.0, 1.0], [99.0, 98.0]]).underlines()
        [(0, 1)]
        """
        if self.equal.ndim != 2:
            raise ValueError(
                f"underlines() is for a single data set; this is a batch of {self.mse.shape}. "
                "Read `equal` instead."
            )
        lines: list[tuple[int, int]] = []
        reached = 0
        for first, row in enumerate(self.equal):
            last = int(np.flatnonzero(row)[-1])
            if last > max(first, reached):
                lines.append((first, last))
                reached = last
        return lines


def newman_keuls(y: ArrayLike, *, alpha: float = 0.05) -> RangeTest:
    r"""Find homogeneous subsets by Newman and Keuls (yildiz2006, eq. 12).

    Which algorithms have the same expected score on this data set? P means are held against the
    studentized range of P, at level α for every P. Valid for independent, normal scores of equal
    variance. The level holds if all means are equal; if only some are, it may be exceeded.

    Parameters
    ----------
    y
        Scores, shape (..., K, L), both at least 2.
    alpha
        The level.

    Notes
    -----
    The K means of L scores are sorted; MSE is that of `anova`. The ends :math:`m_i` and
    :math:`m_j` of a range of P means differ if

    .. math::

        \frac{m_j - m_i}{\sqrt{\mathrm{MSE} / L}} > q_\alpha(P, K (L - 1))

    with q the upper quantile of the studentized range. A range within one that is accepted is too.

    References
    ----------
    Newman (1939), Biometrika 31; Keuls (1952), Euphytica 1.

    Examples
    --------
    >>> result = newman_keuls([[5.0, 5.2, 4.8], [1.0, 1.2, 1.1], [5.1, 4.9, 5.3]])
    >>> result.order.tolist(), result.underlines()
    ([1, 0, 2], [(1, 2)])
    """
    scores, k = _scores(y, alpha)
    return _range_test(scores, alpha, [(alpha, p) for p in range(2, k + 1)])


def tukey(y: ArrayLike, *, alpha: float = 0.05) -> RangeTest:
    r"""Find homogeneous subsets by Tukey's honestly significant difference.

    As `newman_keuls`, with the studentized range of all K for every subset: the probability of
    any false difference is at most α, whichever means are equal.

    Parameters
    ----------
    y
        Scores, shape (..., K, L), both at least 2.
    alpha
        The family-wise level.

    Notes
    -----
    As in `newman_keuls`, with the range of all K for ranges of any P:

    .. math::

        \frac{m_j - m_i}{\sqrt{\mathrm{MSE} / L}} > q_\alpha(K, K (L - 1))

    References
    ----------
    Tukey (1953), The problem of multiple comparisons. Princeton University.

    Examples
    --------
    >>> tukey([[1.0, 3.0], [2.0, 4.0], [99.0, 98.0]]).equal[0].tolist()
    [True, True, False]
    """
    scores, k = _scores(y, alpha)
    return _range_test(scores, alpha, [(alpha, k)] * (k - 1))


def duncan(y: ArrayLike, *, alpha: float = 0.05) -> RangeTest:
    r"""Find homogeneous subsets by Duncan's new multiple range test.

    As `newman_keuls`, at a level that rises with the number of means: more differences found, and
    with more algorithms more false ones.

    Parameters
    ----------
    y
        Scores, shape (..., K, L), both at least 2.
    alpha
        The level for two means.

    Notes
    -----
    As in `newman_keuls`, with another level for each P:

    .. math::

        \frac{m_j - m_i}{\sqrt{\mathrm{MSE} / L}} > q_{\alpha_P}(P, K (L - 1)), \qquad
        \alpha_P = 1 - (1 - \alpha)^{P - 1}

    References
    ----------
    Duncan (1955), Multiple range and multiple F tests. Biometrics 11.

    Examples
    --------
    >>> duncan([[1.0, 3.0], [2.0, 4.0], [99.0, 98.0]]).critical.round(2).tolist()
    [4.5, 4.52]
    """
    scores, k = _scores(y, alpha)
    # -expm1 keeps the digits that 1 - (1 - α)ᴾ⁻¹ loses for small α.
    levels = -np.expm1(np.arange(1, k) * np.log1p(-alpha))
    return _range_test(
        scores, alpha, [(float(level), p) for p, level in enumerate(levels, start=2)]
    )


def _scores(y: ArrayLike, alpha: float) -> tuple[FloatArray, int]:
    """Return the scores and K, both arguments checked."""
    check_level(alpha)
    scores = finite_array(y, name="y", least=(2, 2))
    return scores, scores.shape[-2]


def _range_test(scores: FloatArray, alpha: float, criteria: list[tuple[float, int]]) -> RangeTest:
    """Accept or reject every range; criteria for P = 2 … K: the level, and a range of how many."""
    k, folds = scores.shape[-2:]
    df = k * (folds - 1)
    critical = np.array([_critical(level, size, df) for level, size in criteria])
    means, mse, noise = means_and_mse(scores)
    # By rank, not by value: means that differ in the last bits keep their given order.
    order = np.argsort(average_ranks(means), axis=-1, kind="stable")
    ordered = np.take_along_axis(means, order, axis=-1)
    # t <= q of eq. 12, free of division: m_j - m_i <= q √(MSE / L). With an MSE of zero only the
    # rounding noise is left, and means that differ by more are different.
    unit = np.sqrt(mse / folds)[..., None]

    equal = np.zeros((*means.shape, k), dtype=np.bool_)
    position = np.arange(k)
    equal[..., position, position] = True
    within = np.zeros((*means.shape[:-1], 1), dtype=np.bool_)
    for steps in range(k, 1, -1):
        span = ordered[..., steps - 1 :] - ordered[..., : k - steps + 1]
        limit = np.maximum(critical[steps - 2] * unit, noise[..., None])
        accepted = within | (span <= limit)
        first = position[: k - steps + 1]
        equal[..., first, first + steps - 1] = accepted
        equal[..., first + steps - 1, first] = accepted
        # A narrower range lies within the accepted one that begins with it or ends with it.
        none = np.zeros((*accepted.shape[:-1], 1), dtype=np.bool_)
        within = np.concatenate([accepted, none], axis=-1)
        within |= np.concatenate([none, accepted], axis=-1)
    return RangeTest(
        order=order, means=means, equal=equal, critical=critical, df=df, mse=mse, alpha=alpha
    )


@lru_cache(maxsize=4096)
def _critical(alpha: float, k: int, df: int) -> float:
    """Return the studentized range of k means; 100 ms each, hence the cache."""
    from scipy.stats import studentized_range  # 600 ms to import, and seldom needed

    return float(studentized_range.ppf(1.0 - alpha, k, df))
