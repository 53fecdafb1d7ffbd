"""Across data sets: one value per algorithm and data set, mostly the mean over its folds.

`sign_test` and `wilcoxon` compare two algorithms, (..., n) each; `friedman` compares k of them,
(..., n, k). None of them assumes that scores of different data sets are commensurable, save
`wilcoxon`, which ranks their differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, chdtrc, ndtr

from palio.stats._checks import check_alternative, finite_array, paired_arrays
from palio.stats._outcome import Outcome
from palio.stats._types import Alternative, FloatArray
from palio.stats.ranks import average_ranks, paired_difference

__all__ = [
    "EXACT_LIMIT",
    "FriedmanOutcome",
    "SignTies",
    "ZeroMethod",
    "friedman",
    "friedman_from_ranks",
    "sign_test",
    "sign_test_counts",
    "wilcoxon",
]

EXACT_LIMIT = 100
"""Up to this many data sets, `wilcoxon` uses the exact distribution."""

ZeroMethod: TypeAlias = Literal["wilcox", "pratt", "zsplit"]
SignTies: TypeAlias = Literal["drop", "split"]


def sign_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    ties: SignTies = "drop",
) -> Outcome:
    """Test by the sign test (ulas2008, section 2.1), exactly.

    Does one algorithm win on more data sets than the other? Assumes nothing but independent data
    sets. The statistic is the number of data sets where ``a`` is higher.

    Parameters
    ----------
    a, b
        Paired values, shape (..., n).
    alternative
        ``greater``: ``a`` has the higher values.
    ties
        ``drop`` leaves tied data sets out; ``split`` gives half of them to each side, and drops
        one if their number is odd (Demšar 2006). If all are tied, p = 1.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets. JMLR 7.

    Examples
    --------
    Four wins of four: p = 2 / 2⁴.

    >>> float(sign_test([2, 3, 4, 5, 1], [1, 1, 1, 1, 1]).p_value)
    0.125
    """
    if ties not in get_args(SignTies):
        raise ValueError(f"ties must be drop or split; got {ties!r}.")
    difference = paired_difference(*paired_arrays(a, b, least=(1,)))
    wins = np.count_nonzero(difference > 0, axis=-1)
    losses = np.count_nonzero(difference < 0, axis=-1)
    tied = difference.shape[-1] - wins - losses
    half = tied // 2 if ties == "split" else np.zeros_like(tied)
    outcome = sign_test_counts(wins + half, losses + half, alternative=alternative)
    nothing = np.asarray(wins + losses == 0)
    return Outcome(
        statistic=outcome.statistic,
        p_value=np.where(nothing, 1.0, outcome.p_value),
        degenerate=nothing,
        n=outcome.n,
        null="exact",
    )


def sign_test_counts(
    wins: ArrayLike, losses: ArrayLike, *, alternative: Alternative = "two-sided"
) -> Outcome:
    """Test by the sign test from the numbers of wins and losses.

    Parameters
    ----------
    wins, losses
        Whole numbers, zero or more, any shape. With none of either, p = 1.
    alternative
        ``greater``: more wins than losses.

    Examples
    --------
    P(X ≥ 8) of ten fair coins is 56 / 1024.

    >>> outcome = sign_test_counts(8, 2, alternative="greater")
    >>> round(float(outcome.p_value), 6)
    0.054688
    """
    check_alternative(alternative)
    won, lost = (
        finite_array(values, name=name) for values, name in ((wins, "wins"), (losses, "losses"))
    )
    for name, counts in (("wins", won), ("losses", lost)):
        if (counts < 0).any() or (counts != np.floor(counts)).any():
            raise ValueError(f"{name} must be whole numbers, zero or more; got {counts!r}.")
    won, lost = np.broadcast_arrays(won, lost)
    return Outcome(
        statistic=won,
        # P(X <= wins) is P(X >= losses), by the symmetry of a fair coin.
        p_value=_from_tails(_heads(won, won + lost), _heads(lost, won + lost), alternative),
        degenerate=np.asarray(won + lost == 0),
        n=np.asarray(won + lost, dtype=np.intp),
        null="exact",
    )


def _heads(least: FloatArray, tosses: FloatArray) -> FloatArray:
    """Return the probability of ``least`` heads or more."""
    tail = betainc(np.maximum(least, 1.0), tosses - least + 1.0, 0.5)
    return np.where(least == 0, 1.0, tail)


def _from_tails(upper: FloatArray, lower: FloatArray, alternative: Alternative) -> FloatArray:
    """Return the p-value, given P(X >= x) and P(X <= x)."""
    if alternative == "two-sided":
        return np.minimum(1.0, 2.0 * np.minimum(upper, lower))
    return upper if alternative == "greater" else lower


def wilcoxon(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zero_method: ZeroMethod = "wilcox",
) -> Outcome:
    """Test by Wilcoxon's signed ranks.

    Are the differences between two algorithms symmetric about zero over data sets? Assumes that
    differences on different data sets can be compared in size, but not that they are normal. The
    statistic is the sum of the ranks of positive differences.

    Parameters
    ----------
    a, b
        Paired values, shape (..., n).
    alternative
        ``greater``: ``a`` has the higher values.
    zero_method
        ``wilcox`` drops zero differences before ranking; ``pratt`` drops them after ranking;
        ``zsplit`` ranks them and gives each side half their ranks. If all are zero, p = 1.

    Notes
    -----
    The null distribution flips the sign of each difference with probability ½, given their sizes:
    exact, ties and zeros included, up to n = `EXACT_LIMIT` data sets; above, normal with the mean
    and variance of those flips (which is the correction for ties), no continuity correction. A
    zero stays zero when flipped, so ``zsplit`` moves the statistic but has the p-value of
    ``pratt``.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods. Biometrics Bulletin 1; Pratt
    (1959), Remarks on zeros and ties in the Wilcoxon signed rank procedures. JASA 54.

    Examples
    --------
    Ranks 1, 2, 3, the first negative: W+ = 5; two of the eight flips reach 5.

    >>> outcome = wilcoxon([1, 4, 6], [2, 2, 3], alternative="greater")
    >>> float(outcome.statistic), float(outcome.p_value)
    (5.0, 0.25)
    """
    check_alternative(alternative)
    if zero_method not in get_args(ZeroMethod):
        raise ValueError(f"zero_method must be wilcox, pratt or zsplit; got {zero_method!r}.")
    first, second = paired_arrays(a, b, least=(1,))
    difference = paired_difference(first, second)
    ranks = _absolute_ranks(difference, np.maximum(np.abs(first), np.abs(second)))
    zero = difference == 0.0
    if zero_method == "wilcox":
        # Zeros are the smallest: without them every other rank falls by their number.
        ranks = ranks - zero.sum(axis=-1, keepdims=True)
    flipped = np.where(zero, 0.0, ranks)
    positive = np.where(difference > 0, ranks, 0.0).sum(axis=-1)
    exact = difference.shape[-1] <= EXACT_LIMIT
    upper, lower = (_exact_tails if exact else _normal_tails)(flipped, np.asarray(positive))
    nothing = zero.all(axis=-1)
    split = np.where(zero, ranks, 0.0).sum(axis=-1) / 2.0 if zero_method == "zsplit" else 0.0
    return Outcome(
        statistic=positive + split,
        p_value=np.where(nothing, 1.0, _from_tails(upper, lower, alternative)),
        degenerate=np.asarray(nothing),
        n=np.count_nonzero(~zero, axis=-1),
        null="exact" if exact else "normal",
    )


def _absolute_ranks(difference: FloatArray, magnitude: FloatArray) -> FloatArray:
    """Rank the sizes of the differences, zeros first."""
    # 0.9 - 0.8 and 0.8 - 0.7 are tied relative to the scores they came from. A zero has no size
    # and no rounding error left, so it never merges with a small difference.
    magnitude = np.where(difference == 0.0, 0.0, magnitude)
    return average_ranks(np.abs(difference), magnitude=magnitude)


def _exact_tails(ranks: FloatArray, positive: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(W >= w) and P(W <= w) over all sign flips; rank 0 marks what does not flip."""
    shape = positive.shape
    doubled = np.rint(2.0 * ranks).astype(np.intp).reshape(-1, ranks.shape[-1])
    reached = np.rint(2.0 * positive).astype(np.intp).reshape(-1)
    # Rows with the same ranks, which without ties are all, share one table.
    patterns, which = np.unique(np.sort(doubled, axis=-1), axis=0, return_inverse=True)
    upper, lower = np.empty(reached.size), np.empty(reached.size)
    by_pattern = np.argsort(which.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(which.reshape(-1), minlength=len(patterns)))
    for pattern, rows in zip(patterns, np.split(by_pattern, ends)[:-1], strict=True):
        table = _flip_survival(tuple(pattern[pattern > 0].tolist()))
        upper[rows] = table[reached[rows]]
        # Flipping every sign maps w to the total less w, so the two tails mirror.
        lower[rows] = table[table.size - 1 - reached[rows]]
    return upper.reshape(shape), lower.reshape(shape)


@lru_cache(maxsize=128)
def _flip_survival(weights: tuple[int, ...]) -> FloatArray:
    """Return P(S >= s) for s = 0 … Σ weights, S a sum of weights each taken with chance ½."""
    # Ways to reach each sum. In ascending order of weight the reach, and the work, grow slowly.
    ways = np.zeros(sum(weights) + 1)
    ways[0] = 1.0
    reach = 0
    for weight in weights:
        ways[weight : weight + reach + 1] += ways[: reach + 1].copy()
        reach += weight
    # Summed from the far end, where the terms are smallest, so that tiny tails keep their digits.
    survival = np.minimum(np.cumsum(ways[::-1])[::-1] * 0.5 ** len(weights), 1.0)
    survival.flags.writeable = False
    return survival


def _normal_tails(ranks: FloatArray, positive: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both tails by the normal with the mean and variance of the sign flips."""
    spread = np.sqrt(np.square(ranks).sum(axis=-1)) / 2.0
    z = (positive - ranks.sum(axis=-1) / 2.0) / np.where(spread == 0.0, 1.0, spread)
    return np.asarray(ndtr(-z)), np.asarray(ndtr(z))


@dataclass(frozen=True, eq=False, kw_only=True)
class FriedmanOutcome(Outcome):
    """Friedman's test, with the mean ranks it rests on.

    Attributes
    ----------
    statistic_uncorrected
        Eq. 2.1 of ulas2008 as printed, without the correction for ties.
    mean_ranks
        (..., k) mean rank of each algorithm.
    """

    statistic_uncorrected: FloatArray
    mean_ranks: FloatArray

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "statistic_uncorrected", np.asarray(self.statistic_uncorrected))


def friedman(values: ArrayLike) -> FriedmanOutcome:
    """Test by Friedman's ranks (ulas2008, eq. 2.1).

    Do k algorithms have the same expected rank over n data sets? Rank 1 is the smallest value:
    negate scores of which higher is better. The χ² approximation wants n above ten or so.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (..., n, k).

    References
    ----------
    Friedman (1937), The use of ranks to avoid the assumption of normality. JASA 32; for ties,
    Conover (1999), Practical nonparametric statistics, section 5.8.

    Examples
    --------
    Three data sets agree on the order: χ² = n(k - 1) = 6.

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
        Shape (..., n, k); every data set's ranks add up to k(k + 1) / 2.

    Examples
    --------
    Two data sets tied throughout say nothing; the third orders its two algorithms.

    >>> outcome = friedman_from_ranks([[1.5, 1.5], [1.5, 1.5], [1.0, 2.0]])
    >>> round(float(outcome.statistic), 12), round(float(outcome.statistic_uncorrected), 4)
    (1.0, 0.3333)
    """
    array = finite_array(ranks, name="ranks", least=(1, 2))
    n, k = array.shape[-2:]
    if not np.allclose(array.sum(axis=-1), k * (k + 1) / 2.0, rtol=1e-9, atol=0.0):
        raise ValueError(
            f"ranks of a data set must add up to k(k + 1)/2 = {k * (k + 1) / 2.0:g}, "
            "ties sharing the mean rank; got rows that do not."
        )
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
