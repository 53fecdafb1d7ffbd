"""Two algorithms on one data set, compared fold by fold.

Every test takes paired scores ``a`` and ``b`` of shape (..., repeats, folds) and gives one
outcome per leading index. Zero variance is not an error. If the differences do not vary and are
zero, nothing separates the two: statistic 0, p = 1 (one-sided too). If they do not vary and are
not zero, the statistic is infinite, and its distribution would have p = 0. What can be told
without a variance is how often chance signs would give so large a mean difference: p is that of
the sign flips, as in `palio.stats.across.permutation_test`, :math:`2 / 2^n` for n equal
differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from palio.stats.outcome import Outcome, check_alternative, check_level, paired_arrays
from palio.stats.ranks import paired_difference, rounding_noise
from palio.types import Alternative, FloatArray


def kfold_t(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> Outcome:
    r"""Test by the k-fold cross-validated paired t (yildiz2006, eq. 4–5).

    Do the two algorithms have the same expected score on this data set? The folds' differences
    are taken as independent and normal. Training sets of k-fold cross-validation overlap, so the
    test rejects too often; over several repeats it is worse still. Prefer `corrected_t` there.

    Parameters
    ----------
    a, b
        Paired scores, shape (..., repeats, folds), two or more differences.
    alternative
        ``greater``: ``a`` has the higher values.

    Notes
    -----
    With the n differences of all folds, their mean :math:`\bar d` and their standard deviation S:

    .. math::

        t = \frac{\sqrt{n}\, \bar d}{S} \sim t_{n-1}

    Differences that do not vary: p = 1 if they are zero, else that of their signs,
    :math:`2 / 2^n`.

    References
    ----------
    Dietterich (1998), Approximate statistical tests for comparing supervised classification
    learning algorithms. Neural Computation 10.

    Examples
    --------
    Differences 1, 2, 3: mean 2, S = 1, :math:`t = 2 \sqrt{3}`.

    >>> outcome = kfold_t([[5.0, 7.0, 9.0]], [[4.0, 5.0, 6.0]])
    >>> round(float(outcome.statistic), 3), outcome.df, round(float(outcome.p_value), 4)
    (3.464, (2.0,), 0.0742)
    """
    difference, noise = _differences(a, b)
    n = difference.shape[-1]
    return _mean_t(difference, noise, factor=1.0 / n, df=n - 1, alternative=alternative)


def corrected_t(
    a: ArrayLike, b: ArrayLike, *, test_fraction: float, alternative: Alternative = "two-sided"
) -> Outcome:
    r"""Test by the corrected resampled t of Nadeau and Bengio.

    The same question as `kfold_t`, with the variance of the mean raised because the training sets
    overlap. Valid for repeated random splits and repeated k-fold alike.

    Parameters
    ----------
    a, b
        Paired scores, shape (..., repeats, folds), two or more differences.
    test_fraction
        ρ, the share of the instances that each split tests on; 1 / k for k-fold.
    alternative
        ``greater``: ``a`` has the higher values.

    Notes
    -----
    With the n differences, their mean :math:`\bar d` and their standard deviation S:

    .. math::

        t = \frac{\bar d}{S \sqrt{\dfrac{1}{n} + \dfrac{\rho}{1 - \rho}}} \sim t_{n-1}

    Differences that do not vary: as in `kfold_t`.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error. Machine Learning 52.

    Examples
    --------
    Differences 1, 2, 3 of 3-fold cross-validation: :math:`t = 2 / \sqrt{1/3 + 1/2}`.

    >>> outcome = corrected_t([[5.0, 7.0, 9.0]], [[4.0, 5.0, 6.0]], test_fraction=1 / 3)
    >>> round(float(outcome.statistic), 3), round(float(outcome.p_value), 4)
    (2.191, 0.1598)
    """
    check_level(test_fraction, name="test_fraction")
    difference, noise = _differences(a, b)
    n = difference.shape[-1]
    factor = 1.0 / n + test_fraction / (1.0 - test_fraction)
    return _mean_t(difference, noise, factor=factor, df=n - 1, alternative=alternative)


def corrected_interval(
    a: ArrayLike, b: ArrayLike, *, test_fraction: float, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the interval of the mean difference that belongs to `corrected_t`.

    >>> ends = corrected_interval(
    ...     [[5.0, 7.0, 9.0]], [[4.0, 5.0, 6.0]], test_fraction=1 / 3, confidence=0.95
    ... )
    >>> [round(float(end), 3) for end in ends]
    [-1.928, 5.928]
    """
    check_level(test_fraction, name="test_fraction")
    difference, noise = _differences(a, b)
    n = difference.shape[-1]
    spread = difference.std(axis=-1, ddof=1)
    error = np.where(spread <= noise, 0.0, spread) * np.sqrt(
        1.0 / n + test_fraction / (1.0 - test_fraction)
    )
    half = stdtrit(n - 1, (1.0 + confidence) / 2.0) * error
    mean = _total(difference) / n
    return mean - half, mean + half


def mean_corrected_t(pairs: Sequence[tuple[FloatArray, FloatArray, float]]) -> FloatArray:
    r"""Test the mean over a few given data sets by the folds of each: two-sided p-values.

    The question is about other splits of these data sets, not about other data sets.

    Parameters
    ----------
    pairs
        For each data set the scores of a and of b, (..., repeats, folds), and the share ρ of the
        instances that each split tests on.

    Notes
    -----
    With :math:`\bar d_i` the mean difference of the :math:`n_i` folds of data set i of m, and
    :math:`v_i = S_i^2 (1/n_i + \rho_i/(1 - \rho_i))` its variance as `corrected_t` has it,

    .. math::

        t = \frac{\sum_i \bar d_i}{\sqrt{\sum_i v_i}}, \qquad
        \nu = \frac{(\sum_i v_i)^2}{\sum_i v_i^2 / (n_i - 1)}

    with the degrees of freedom of Welch and Satterthwaite. Where no difference varies, p is that of
    the signs of the data sets, :math:`2 / 2^m`; 1 where all are zero.

    Examples
    --------
    Differences 1, 2, 3 on each of two data sets: :math:`t = 4 / \sqrt{2 (1/3 + 1/2)}`, ν = 4.

    >>> a, b = np.array([[5.0, 7.0, 9.0]]), np.array([[4.0, 5.0, 6.0]])
    >>> round(float(mean_corrected_t([(a, b, 1 / 3)] * 2)), 4)
    0.0363
    """
    sums, variances, df = [], [], []
    for a, b, fraction in pairs:
        difference, noise = _differences(a, b)
        n = difference.shape[-1]
        spread = difference.std(axis=-1, ddof=1)
        sums.append(difference.mean(axis=-1))
        factor = 1.0 / n + fraction / (1.0 - fraction)
        variances.append(np.where(spread <= noise, 0.0, spread) ** 2 * factor)
        df.append(n - 1)
    total, variance = np.sum(sums, axis=0), np.sum(variances, axis=0)
    weights = np.square(variances) / np.reshape(df, (-1, *[1] * total.ndim))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = total / np.sqrt(variance)
        p_value = 2.0 * stdtr(variance**2 / weights.sum(axis=0), -np.abs(statistic))
    still = np.where(total == 0, 1.0, min(1.0, 2.0 * 0.5 ** len(pairs)))
    return np.asarray(np.where(variance > 0, p_value, still))


def calibrated_t(
    a: ArrayLike, b: ArrayLike, *, df: float = 10, alternative: Alternative = "two-sided"
) -> Outcome:
    r"""Test by Bouckaert's t with calibrated degrees of freedom.

    The same question as `kfold_t` for repeated cross-validation: reusing the data leaves fewer
    effective observations than there are differences, so ``df + 1`` takes the place of their
    number. Bouckaert calibrated 10 degrees of freedom for 10 repeats of 10 folds.

    Parameters
    ----------
    a, b
        Paired scores, shape (..., repeats, folds), two or more differences.
    df
        The calibrated degrees of freedom.
    alternative
        ``greater``: ``a`` has the higher values.

    Notes
    -----
    With the mean :math:`\bar d` and the standard deviation S of all differences, and ν calibrated
    degrees of freedom:

    .. math::

        t = \frac{\sqrt{\nu + 1}\, \bar d}{S} \sim t_\nu

    Differences that do not vary: as in `kfold_t`.

    References
    ----------
    Bouckaert (2003), Choosing between two learning algorithms based on calibrated tests. ICML.

    Examples
    --------
    Differences 1, 2, 3 as if they were three independent ones is the k-fold t.

    >>> outcome = calibrated_t([[5.0, 7.0, 9.0]], [[4.0, 5.0, 6.0]], df=2)
    >>> round(float(outcome.statistic), 3), outcome.df
    (3.464, (2.0,))
    """
    if not 0.0 < df < np.inf:
        raise ValueError(f"df must be positive and finite; got {df!r}.")
    difference, noise = _differences(a, b)
    return _mean_t(difference, noise, factor=1.0 / (df + 1.0), df=df, alternative=alternative)


def cv52_t(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> Outcome:
    r"""Test by Dietterich's 5×2 cv paired t (yildiz2006, eq. 6–7).

    The same question as `kfold_t`, from five repeats of two-fold cross-validation, whose two
    training sets share nothing. Only the first fold of the first repeat enters the numerator, so
    relabelling the folds changes the answer; `cv52_f` mends this, two-sided.

    Parameters
    ----------
    a, b
        Paired scores, shape (..., 5, 2).
    alternative
        ``greater``: ``a`` has the higher values.

    Notes
    -----
    With :math:`p_{ij}` the difference on fold j of repeat i, and :math:`\bar p_i` their mean
    within a repeat:

    .. math::

        s_i^2 = (p_{i1} - \bar p_i)^2 + (p_{i2} - \bar p_i)^2, \qquad
        t = \frac{p_{11}}{\sqrt{\frac{1}{5} \sum_{i=1}^{5} s_i^2}} \sim t_5

    The numerator is part of :math:`s_1^2`, which eq. 7 takes as independent of it. If the ten
    differences were independent and normal, the nominal 5 % level would truly be 2.8 %. Where all
    :math:`s_i` are zero: p = 1 if :math:`p_{11}` is, else that of the mean difference by its sign
    flips.

    References
    ----------
    Dietterich (1998), Approximate statistical tests for comparing supervised classification
    learning algorithms. Neural Computation 10.

    Examples
    --------
    Each repeat differs by 3 and 1: :math:`s_i^2 = 2`, :math:`t = 3 / \sqrt{10 / 5}`.

    >>> outcome = cv52_t([[3.0, 1.0]] * 5, [[0.0, 0.0]] * 5, alternative="greater")
    >>> round(float(outcome.statistic), 3), outcome.df, round(float(outcome.p_value), 4)
    (2.121, (5.0,), 0.0437)
    """
    difference, variance, noise = _cv52(a, b)
    error = np.sqrt(variance / 5.0)
    outcome = _student(
        difference[..., 0, 0], error, noise, spread=error, df=5.0, alternative=alternative, n=10
    )
    return _with_flips(outcome, difference, noise, alternative)


def cv52_f(a: ArrayLike, b: ArrayLike) -> Outcome:
    r"""Test by the combined 5×2 cv F (ulas2008, appendix A.1).

    The same question as `cv52_t`, from all ten differences, so that relabelling the folds changes
    nothing. Two-sided only: squares forget the sign.

    Parameters
    ----------
    a, b
        Paired scores, shape (..., 5, 2).

    Notes
    -----
    With :math:`p_{ij}` the difference on fold j of repeat i, and :math:`\bar p_i` and
    :math:`s_i^2` as in `cv52_t`:

    .. math::

        f = \frac{\sum_{i=1}^{5} \sum_{j=1}^{2} p_{ij}^2}{2 \sum_{i=1}^{5} s_i^2} \sim F_{10, 5}

    The numerator contains the denominator: it is :math:`2 \sum \bar p_i^2 + \sum s_i^2`. If the ten
    differences were independent and normal, f would be distributed as :math:`(1 + F_{5,5}) / 2`,
    and the nominal 5 % level truly 1.75 %. The slack pays for the dependence between folds that
    the model leaves out. Where all :math:`s_i` are zero: p = 1 if all differences are, else that of
    their mean by its sign flips.

    References
    ----------
    Alpaydın (1999), Combined 5×2 cv F test for comparing supervised classification learning
    algorithms. Neural Computation 11.

    Examples
    --------
    Each repeat differs by 3 and 1: :math:`\sum p_{ij}^2 = 50`, :math:`\sum s_i^2 = 10`,
    :math:`f = 50 / 20`.

    >>> outcome = cv52_f([[3.0, 1.0]] * 5, [[0.0, 0.0]] * 5)
    >>> float(outcome.statistic), outcome.df, round(float(outcome.p_value), 4)
    (2.5, (10.0, 5.0), 0.1618)
    """
    difference, variance, noise = _cv52(a, b)
    degenerate = np.sqrt(variance / 5.0) <= noise
    nothing = np.abs(difference).max(axis=(-2, -1)) <= noise
    squares = _total(_total(difference * difference))
    f = squares / (2.0 * np.where(degenerate, 1.0, variance))
    f = np.where(degenerate, np.where(nothing, 0.0, np.inf), f)
    outcome = Outcome(
        statistic=f,
        p_value=_f_10_5_tail(f),
        degenerate=np.asarray(degenerate),
        n=np.asarray(10),
        null="F",
        df=(10.0, 5.0),
    )
    return _with_flips(outcome, difference, noise, "two-sided")


_FLIPS = np.array(list(product((1.0, 0.0, -1.0), repeat=5))).T
"""What flips make of five pairs of equal differences, (5, 243): both up, one of each, both down."""

_CHANCES = np.prod(0.5 ** (1.0 + np.abs(_FLIPS)), axis=0)


def _with_flips(
    outcome: Outcome, difference: FloatArray, noise: FloatArray, alternative: Alternative
) -> Outcome:
    """Give an infinite 5×2 statistic the p-value of the mean difference, by its sign flips.

    The two folds of a repeat then differ alike; from repeat to repeat differences may vary.
    """
    infinite = np.isinf(outcome.statistic)
    if not infinite.any():
        return outcome
    sums = _total(difference[infinite]) @ _FLIPS
    if alternative != "greater":
        sums = np.abs(sums) if alternative == "two-sided" else -sums
    observed, near = sums[:, :1], noise[infinite][:, np.newaxis]  # no flip is the first
    p_value = outcome.p_value.copy()
    p_value[infinite] = (sums >= observed - near) @ _CHANCES
    return replace(outcome, p_value=p_value)


def _f_10_5_tail(f: FloatArray) -> FloatArray:
    r"""Return how probable it is that F on 10 and 5 degrees of freedom is at least f.

    It is an incomplete beta function. Its second parameter is whole, so integrating by parts ends
    after five terms. All are positive, so nothing is lost to rounding; and it is ten times as fast
    as a general routine, which the many pairs of Multi²Test feel:

    .. math::

        I_x\left(\tfrac{5}{2}, 5\right) = x^{5/2} \sum_{i=0}^{4}
        \frac{\frac{5}{2} \left(\frac{5}{2} + 1\right) \cdots \left(\frac{5}{2} + i - 1\right)}{i!}
        (1 - x)^i, \qquad x = \frac{1}{1 + 2f}
    """
    x = 1.0 / (1.0 + 2.0 * f)
    y = 1.0 - x
    series = 1.0 + y * (2.5 + y * (4.375 + y * (6.5625 + y * 9.0234375)))
    return np.asarray(x * x * np.sqrt(x) * series)


def _differences(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return all differences of each data set along one axis, and what counts as zero there."""
    first, second = paired_arrays(a, b, least=(1, 1))
    noise = rounding_noise(first, second, axis=(-2, -1))
    difference = paired_difference(first, second)
    n = difference.shape[-2] * difference.shape[-1]
    if n < 2:
        raise ValueError(
            "a and b must hold at least two differences (repeats × folds) to have a variance; "
            f"got shape {difference.shape}."
        )
    return difference.reshape(*difference.shape[:-2], n), noise


def _cv52(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the differences (..., 5, 2), Σ sᵢ² of eq. 6, and what counts as zero."""
    first, second = paired_arrays(a, b, least=(1, 1))
    if first.shape[-2:] != (5, 2):
        raise ValueError(
            "a and b must have shape (..., 5, 2), five repeats of two folds, for a 5×2 cv test; "
            f"got shape {first.shape}."
        )
    noise = rounding_noise(first, second, axis=(-2, -1))
    difference = paired_difference(first, second)
    # For two folds, (p₁ - p̄)² + (p₂ - p̄)² = (p₁ - p₂)² / 2.
    between = difference[..., 0] - difference[..., 1]
    return difference, _total(between * between) / 2.0, noise


def _total(values: FloatArray) -> FloatArray:
    """Add up along the last axis, one after another.

    NumPy's own order of adding depends on how an array lies in memory, and so would the last bits
    of a p-value on how many pairs were tested with it.
    """
    total = np.array(values[..., 0])
    for i in range(1, values.shape[-1]):
        total += values[..., i]
    return total


def _mean_t(
    difference: FloatArray,
    noise: FloatArray,
    *,
    factor: float,
    df: float,
    alternative: Alternative,
) -> Outcome:
    """Divide the mean by √(factor · S²): the form that all but the 5×2 tests share."""
    n = difference.shape[-1]
    mean = _total(difference) / n
    spread = np.sqrt(_total((difference - mean[..., np.newaxis]) ** 2) / (n - 1))
    outcome = _student(
        mean,
        spread * np.sqrt(factor),
        noise,
        spread=spread,
        df=float(df),
        alternative=alternative,
        n=n,
    )
    # Of the 2ⁿ sign flips of n equal differences, one has so large a mean and one so small.
    agreeing = (2.0 if alternative == "two-sided" else 1.0) * 0.5**n
    impossible = np.isinf(outcome.statistic) & (outcome.p_value == 0.0)
    return replace(outcome, p_value=np.where(impossible, agreeing, outcome.p_value))


def _student(
    numerator: FloatArray,
    error: FloatArray,
    noise: FloatArray,
    *,
    spread: FloatArray,
    df: float,
    alternative: Alternative,
    n: int,
) -> Outcome:
    """Refer numerator / error to t, with the zero-variance rules of this module."""
    check_alternative(alternative)
    # 89.62 - 88.89 and 90.62 - 89.89 differ in the last bits, so a spread (and a difference) within
    # the rounding noise of the scores is zero. Rounding reaches a few 1e-16 of the largest score,
    # the threshold is 1e-12 of it.
    degenerate = spread <= noise
    nothing = degenerate & (np.abs(numerator) <= noise)
    t = numerator / np.where(degenerate, 1.0, error)
    t = np.where(degenerate, np.where(nothing, 0.0, np.copysign(np.inf, numerator)), t)
    return Outcome(
        statistic=t,
        p_value=np.where(nothing, 1.0, _t_tail(t, df, alternative)),
        degenerate=np.asarray(degenerate),
        n=np.asarray(n),
        null="t",
        df=(df,),
    )


def _t_tail(t: FloatArray, df: float, alternative: Alternative) -> FloatArray:
    """Return the p-value of t from its lower tail, which keeps tiny values."""
    if alternative == "two-sided":
        return np.asarray(2.0 * stdtr(df, -np.abs(t)))
    return np.asarray(stdtr(df, -t if alternative == "greater" else t))
