"""Two algorithms over many data sets, one value each: sign, paired t and permutation tests.

`wilcoxon` has a file of its own.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from palio.stats.folds import kfold_t
from palio.stats.outcome import Outcome, check_alternative, finite_array, from_tails, paired_arrays
from palio.stats.ranks import TIE_TOLERANCE, paired_difference
from palio.types import Alternative, FloatArray, IntArray

SignTies: TypeAlias = Literal["drop", "split"]

PERMUTATION_EXACT_LIMIT = 30
"""Up to this many data sets, `permutation_test` counts all sign flips."""

_BLOCK = 1 << 20
"""Random signs, and sums of signed differences, held at a time."""


def least_by_flips(values: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    r"""Return the least two-sided p that a share of sign flips can be, of pairs of columns.

    What bounds a p-value by the wins alone, before any difference is ranked? Valid where p is the
    share of all sign flips that agree with one side at least as much as the data do, doubled: the
    signed-rank test, the sign test, the permutation test of the mean, where they are exact.

    Parameters
    ----------
    values : array (n, k)
        Finite; row by row the scores on a data set.
    first, second : array of int (pairs,)
        The columns to compare.

    Notes
    -----
    Whoever loses on l data sets and wins on w, no fewer, loses no more where some of these l are
    flipped. So at least :math:`2^l` of :math:`2^{w+l}` flips agree as much, and

    .. math::

        p \ge 2 \cdot \frac{2^l}{2^{w+l}} = 2^{1-w}

    A tie counts as a win of both, which only lowers the bound; so does a hair for rounding.

    Examples
    --------
    Three wins out of three: no p-value is below 1/4.

    >>> scores, a, b = np.array([[1.0, 0.0], [3.0, 0.0], [2.0, 1.0]]), np.array([0]), np.array([1])
    >>> least_by_flips(scores, a, b).round(9)
    array([0.25])
    """
    reached = (values[:, :, np.newaxis] >= values[:, np.newaxis]).sum(axis=0, dtype=np.int32)
    most = np.maximum(reached, reached.T)[first, second]
    return np.asarray(np.exp2(1.0 - most) * (1.0 - 1e-12))


def sign_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    ties: SignTies = "drop",
) -> Outcome:
    r"""Test by the sign test (ulas2008, section 2.1), exactly.

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

    Notes
    -----
    With w wins of n data sets that are not tied, two-sided:

    .. math::

        p = \min\left(1, 2 P(X \ge \max(w, n - w))\right), \qquad
        X \sim \mathrm{Binomial}\left(n, \tfrac{1}{2}\right)

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets. JMLR 7.

    Examples
    --------
    Four wins of four: :math:`p = 2 / 2^4`.

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
    r"""Test by the sign test from the numbers of wins and losses.

    The question of `sign_test`: does one win more often than the other? Assumes nothing but
    independent data sets.

    Parameters
    ----------
    wins, losses
        Whole numbers, zero or more, any shape. With none of either, p = 1.
    alternative
        ``greater``: more wins than losses.

    Notes
    -----
    With w wins and l losses, two-sided:

    .. math::

        p = \min\left(1, 2 P(X \ge \max(w, l))\right), \qquad
        X \sim \mathrm{Binomial}\left(w + l, \tfrac{1}{2}\right)

    Examples
    --------
    Of ten fair coins, eight or more are heads with probability 56 / 1024.

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
        p_value=from_tails(_heads(won, won + lost), _heads(lost, won + lost), alternative),
        degenerate=np.asarray(won + lost == 0),
        n=np.asarray(won + lost, dtype=np.intp),
        null="exact",
    )


def _heads(least: FloatArray, tosses: FloatArray) -> FloatArray:
    """Return the probability of ``least`` heads or more."""
    tail = betainc(np.maximum(least, 1.0), tosses - least + 1.0, 0.5)
    return np.where(least == 0, 1.0, tail)


def paired_t(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> Outcome:
    r"""Test by the paired t over data sets.

    Is the mean difference over data sets zero? Assumes that differences on different data sets
    can be averaged, and that their mean is nearly normal: one outlying data set may hide a
    difference that is there on all others. Prefer `wilcoxon`, says Demšar (2006).

    Parameters
    ----------
    a, b
        Paired values, shape (..., n), n at least 2.
    alternative
        ``greater``: ``a`` has the higher values.

    Notes
    -----
    With the n differences, their mean :math:`\bar d` and their standard deviation S:

    .. math::

        t = \frac{\sqrt{n}\, \bar d}{S} \sim t_{n-1}

    Differences that do not vary have no t. If they are zero, p = 1; else p is that of
    `permutation_test`, :math:`2 / 2^n` two-sided, as chance signs agree so often. Take it as a
    warning: scores may be rounded too far for this test.

    References
    ----------
    Student (1908), The probable error of a mean. Biometrika 6; Demšar (2006), Statistical
    comparisons of classifiers over multiple data sets. JMLR 7.

    Examples
    --------
    Differences 1, 2, 3: mean 2, S = 1, :math:`t = 2 \sqrt{3}`.

    >>> outcome = paired_t([5.0, 7.0, 9.0], [4.0, 5.0, 6.0])
    >>> round(float(outcome.statistic), 3), outcome.df, round(float(outcome.p_value), 4)
    (3.464, (2.0,), 0.0742)
    """
    first, second = paired_arrays(a, b, least=(2,))
    # The k-fold t takes its folds for independent, which data sets are.
    return kfold_t(first[..., None, :], second[..., None, :], alternative=alternative)


def permutation_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    seed: int = 0,
) -> Outcome:
    r"""Test the mean difference by flipping the signs of the differences.

    Is the mean difference over data sets larger than chance signs would make it? The question of
    `paired_t` without its normality: assumes only that each difference would be as likely with
    the other sign. The statistic is the mean difference.

    Parameters
    ----------
    a, b
        Paired values, shape (..., n).
    alternative
        ``greater``: ``a`` has the higher values.
    n_resamples
        How many random flips to draw if n is above `PERMUTATION_EXACT_LIMIT`. Below, all count.
    seed
        Of the random flips. The same flips serve every member of a batch.

    Notes
    -----
    With random signs :math:`s_i = \pm 1` for the n differences :math:`d_i`, two-sided:

    .. math::

        p = P\left(\left|\sum_{i=1}^{n} s_i \left|d_i\right|\right|
        \ge \left|\sum_{i=1}^{n} d_i\right|\right)

    Of R random flips of which e are as extreme, :math:`p = (e + 1) / (R + 1)`. Only the sizes of
    the differences and the observed sum enter, so the order of data sets does not matter, and
    swapping ``a`` and ``b`` mirrors the result, random flips included.

    References
    ----------
    Fisher (1935), The design of experiments, section 21; Phipson and Smyth (2010), Permutation
    p-values should never be zero. Statistical Applications in Genetics and Molecular Biology 9.

    Examples
    --------
    Differences 1, 2, 3, all of one sign: one of eight flips on each side.

    >>> outcome = permutation_test([5.0, 7.0, 9.0], [4.0, 5.0, 6.0])
    >>> float(outcome.statistic), float(outcome.p_value), outcome.null
    (2.0, 0.25, 'exact')
    """
    check_alternative(alternative)
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be 1 or more; got {n_resamples!r}.")
    first, second = paired_arrays(a, b, least=(1,))
    difference = paired_difference(first, second)
    shape, n = difference.shape[:-1], difference.shape[-1]
    exact = n <= PERMUTATION_EXACT_LIMIT
    # Sorted, the sums of flips are the same to the last bit whatever the order of data sets.
    sizes = np.sort(np.abs(difference), axis=-1).reshape(-1, n)
    total = difference.sum(axis=-1).reshape(-1)
    # Flips that differ from the observed sum by rounding only are as extreme as it.
    scores = np.maximum(np.abs(first), np.abs(second))
    noise = TIE_TOLERANCE * scores.sum(axis=-1).reshape(-1)
    reached = {"two-sided": np.abs(total), "greater": total, "less": -total}[alternative] - noise
    if exact:
        tail = np.array([_flips(row, at) for row, at in zip(sizes, reached, strict=True)])
        p_value = np.minimum(1.0, 2.0 * tail) if alternative == "two-sided" else tail
    else:
        both = alternative == "two-sided"
        p_value = _random_flips(sizes, reached, both=both, n_resamples=n_resamples, seed=seed)
    nothing = (difference == 0.0).all(axis=-1)
    return Outcome(
        statistic=difference.mean(axis=-1),
        p_value=np.where(nothing, 1.0, p_value.reshape(shape)),
        degenerate=np.asarray(nothing),
        n=np.asarray(n),
        null="exact" if exact else "random flips",
    )


def _flips(sizes: FloatArray, reached: float) -> float:
    """Return the share of all sign flips whose sum is at least ``reached``.

    The sums of one half of the differences, sorted, and those of the other: a pair of sums is one
    flip, so :math:`2^{n/2}` binary searches count them all (Horowitz and Sahni 1974).
    """
    halves = [_flip_sums(sizes[::2]), np.sort(_flip_sums(sizes[1::2]))]
    below = np.searchsorted(halves[1], np.sort(reached - halves[0]), side="left")
    return float((halves[1].size - below).sum()) / 2.0**sizes.size


def _flip_sums(sizes: FloatArray) -> FloatArray:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _random_flips(
    sizes: FloatArray, reached: FloatArray, *, both: bool, n_resamples: int, seed: int
) -> FloatArray:
    """Return (extreme flips + 1) / (flips + 1), the observed one being among them."""
    rng = np.random.default_rng(seed)
    n = sizes.shape[-1]
    extreme = np.zeros(len(sizes))
    step = max(1, _BLOCK // max(n, 1))
    for start in range(0, n_resamples, step):
        flips = min(step, n_resamples - start)
        signs = 2.0 * rng.integers(0, 2, size=(n, flips), dtype=np.int8) - 1.0
        rows = max(1, _BLOCK // flips)
        for at in range(0, len(sizes), rows):
            sums = sizes[at : at + rows] @ signs
            sums = np.abs(sums) if both else sums
            extreme[at : at + rows] += (sums >= reached[at : at + rows, None]).sum(axis=-1)
    return (extreme + 1.0) / (n_resamples + 1.0)
