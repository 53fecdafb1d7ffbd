"""Many hypotheses at once: p-values adjusted along the last axis.

A hypothesis is rejected at level α where its adjusted p-value is at most α. Adjusted p-values
stand where the p-values stood, never above 1, never below the p-value itself, and in the same
order of size.

::

    family-wise error    any dependence             bonferroni, holm
                         none, or non-negative      sidak, holland; hochberg, hommel
                         none                       rom; li
                         none, and all true         finner
    false discoveries    any dependence             benjamini_yekutieli
                         none, or non-negative      benjamini_hochberg

In each list up to a semicolon, a later one rejects at least as much as one before it.
`palio.stats.related` has Shaffer's and Bergmann and Hommel's, for all pairs of algorithms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlog1py

from palio.stats._families import probabilities, rom_level, sorted_family, step_down, step_up
from palio.stats._simes import simes_of_largest
from palio.types import FloatArray, IntArray

# Up to so many, families side by side are adjusted faster than one after the other.
_FEW = 256

ROM_LIMIT = 5000
"""The most hypotheses that `rom` takes."""


def none(p: ArrayLike) -> FloatArray:
    r"""Return the p-values as they are, checked.

    Each pair by itself: α is the chance of an error on it, not on any of them. Valid where one
    pair was chosen before the scores were seen.

    Notes
    -----
    Of m true hypotheses that are independent, one or more are rejected with probability

    .. math::

        1 - (1 - \alpha)^m

    Examples
    --------
    >>> none([0.01, 0.2]).tolist()
    [0.01, 0.2]
    """
    return probabilities(p).copy()


def bonferroni(p: ArrayLike, m: int | None = None) -> FloatArray:
    r"""Multiply each p-value by the number of hypotheses.

    Which hypotheses can be rejected so that the probability of any false rejection is at most α?
    Valid under any dependence; `holm` is too, and rejects at least as much.

    Parameters
    ----------
    p
        p-values, one family along the last axis.
    m
        How many hypotheses the family has, if more than are given.

    Notes
    -----
    Of m p-values:

    .. math::

        p' = \min(1, m p)

    References
    ----------
    Dunn (1961), Multiple comparisons among means. JASA 56.

    Examples
    --------
    >>> bonferroni([0.01, 0.4, 0.02]).round(3).tolist()
    [0.03, 1.0, 0.06]
    """
    raw = probabilities(p)
    given = raw.shape[-1] if raw.ndim else 1
    if m is not None and m < given:
        raise ValueError(f"m must be at least the number of p-values, {given}; got {m!r}.")
    return np.minimum(1.0, (given if m is None else m) * raw)


def sidak(p: ArrayLike) -> FloatArray:
    """Adjust p-values by Šidák's correction.

    The same question as `bonferroni`, answered exactly for independent p-values, and validly for
    two-sided tests of jointly normal statistics. `holland` is valid as widely, and rejects at
    least as much.

    Notes
    -----
    Of m p-values:

    .. math::

        p' = 1 - (1 - p)^m

    References
    ----------
    Šidák (1967), Rectangular confidence regions for the means of multivariate normal
    distributions. JASA 62.

    Examples
    --------
    >>> sidak([0.01, 0.4, 0.02]).round(6).tolist()
    [0.029701, 0.784, 0.058808]
    """
    raw = probabilities(p)
    return np.maximum(raw, _any_of(raw, np.asarray(raw.shape[-1] if raw.ndim else 1)))


def holm(p: ArrayLike) -> FloatArray:
    r"""Adjust p-values by Holm's step-down procedure.

    The same question as `bonferroni`, valid as widely, and more powerful: the smallest p-value is
    multiplied by m, the next by m - 1, and so on, none falling below one before it.

    Parameters
    ----------
    p
        p-values, one family along the last axis.

    Notes
    -----
    With the m p-values in ascending order:

    .. math::

        p'_j = \min\left(1, \max_{i \le j} (m - i + 1)\, p_i\right)

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    raw, ordered, order, place = sorted_family(p)
    return step_down(raw, ordered * place[::-1], order)


def holland(p: ArrayLike) -> FloatArray:
    r"""Adjust p-values by Holland and Copenhaver's step-down procedure: `holm` with Šidák's.

    The same question as `holm`. Valid for independent or positively orthant dependent p-values;
    always at most Holm's.

    Notes
    -----
    With the m p-values in ascending order:

    .. math::

        p'_j = \max_{i \le j} \left(1 - (1 - p_i)^{m - i + 1}\right)

    References
    ----------
    Holland and Copenhaver (1987), An improved sequentially rejective Bonferroni test procedure.
    Biometrics 43.

    Examples
    --------
    >>> holland([0.01, 0.04, 0.03]).round(6).tolist()
    [0.029701, 0.0591, 0.0591]
    """
    raw, ordered, order, place = sorted_family(p)
    return step_down(raw, _any_of(ordered, place[::-1]), order)


def finner(p: ArrayLike) -> FloatArray:
    r"""Adjust p-values by Finner's step-down procedure, as García et al. (2010) give it.

    The same question as `holm`, but answered only where all hypotheses are true. Often used for
    comparisons with a control; read the notes first, and prefer `holland`.

    Notes
    -----
    With the m p-values in ascending order:

    .. math::

        p'_j = \max_{i \le j} \left(1 - (1 - p_i)^{m / i}\right)

    The family-wise error is held at α only if all hypotheses are true. With f of m false and sure
    to be rejected, and the others true and independent, one of these is rejected with probability

    .. math::

        1 - (1 - \alpha)^{(f + 1)(m - f) / m},

    12 % for f = 3 of m = 8 at α = 5 %, and more for larger m.

    References
    ----------
    Finner (1993), On a monotonicity problem in step-down multiple test procedures. JASA 88;
    García et al. (2010), Advanced nonparametric tests for multiple comparisons in the design of
    experiments in computational intelligence and data mining. Information Sciences 180.

    Examples
    --------
    >>> finner([0.01, 0.04, 0.03]).round(6).tolist()
    [0.029701, 0.044661, 0.044661]
    """
    raw, ordered, order, place = sorted_family(p)
    return step_down(raw, _any_of(ordered, place.size / place), order)


def hochberg(p: ArrayLike) -> FloatArray:
    r"""Adjust p-values by Hochberg's step-up procedure.

    Holm's factors taken from the other end: the largest p-value stays, the next is doubled, and so
    on, none rising above one after it. Always at most Holm's; valid for independent or
    non-negatively dependent p-values (where Simes' inequality holds).

    Notes
    -----
    With the m p-values in ascending order:

    .. math::

        p'_j = \min_{i \ge j} (m - i + 1)\, p_i

    References
    ----------
    Hochberg (1988), A sharper Bonferroni procedure for multiple tests of significance.
    Biometrika 75.

    Examples
    --------
    >>> hochberg([0.01, 0.02, 0.9]).round(3).tolist()
    [0.03, 0.04, 0.9]
    """
    raw, ordered, order, place = sorted_family(p)
    return step_up(raw, ordered * place[::-1], order)


def hommel(p: ArrayLike) -> FloatArray:
    r"""Adjust p-values by Hommel's procedure: the closed test by Simes.

    A hypothesis is rejected if Simes' test rejects every intersection that contains it. Valid where
    `hochberg` is; always at most Hochberg's.

    Notes
    -----
    With Simes' p-value of a set S of hypotheses, its p-values in ascending order:

    .. math::

        \mathrm{Simes}(S) = \min_k \frac{\left|S\right|\, p_{(k)}}{k}, \qquad
        p'_j = \max_{S \ni j} \mathrm{Simes}(S)

    Of the sets of one size that hold j, the hardest to reject takes the largest of the others. The
    values are those of Wright (1992), who adds up the same comparisons differently, and of R's
    ``p.adjust``.

    References
    ----------
    Hommel (1988), A stagewise rejective multiple test procedure based on a modified Bonferroni
    test. Biometrika 75; Wright (1992), Adjusted p-values for simultaneous inference. Biometrics 48.

    Examples
    --------
    >>> hommel([0.01, 0.02, 0.022]).round(3).tolist()
    [0.022, 0.022, 0.022]
    """
    raw, ordered, _, place = sorted_family(p)
    if place.size > _FEW:
        rows = zip(raw.reshape(-1, place.size), ordered.reshape(-1, place.size), strict=True)
        return np.reshape([_hommel_of_many(*row) for row in rows], raw.shape)
    adjusted = raw.copy()
    for s in range(2, place.size + 1):
        others = (s / place[1:s] * ordered[..., -s + 1 :]).min(axis=-1, keepdims=True)
        least = s * np.minimum(raw, ordered[..., -s, None])
        np.maximum(adjusted, np.minimum(least, others), out=adjusted)
    return adjusted


def _hommel_of_many(raw: FloatArray, ordered: FloatArray) -> FloatArray:
    """Adjust one family: max over s of min(s p, Simes of the s largest); one rises, one falls."""
    simes = simes_of_largest(ordered)
    size = np.arange(1, simes.size + 1)
    crossed = np.searchsorted(-simes / size, -raw, side="right")  # up to here s p is the lesser
    after = np.append(simes, 0.0)[crossed]
    return np.asarray(np.maximum(raw, np.maximum(crossed * raw, after)))


def rom(p: ArrayLike) -> FloatArray:
    r"""Adjust p-values by Rom's step-up procedure.

    Hochberg's procedure with the critical values as wide as independence allows: if all hypotheses
    are true, one is rejected with probability α exactly. Made for independent p-values; always at
    most Hochberg's.

    Notes
    -----
    The critical values are

    .. math::

        c_1 = \alpha, \qquad c_2 = \frac{\alpha}{2}, \qquad
        n c_n = \sum_{j=1}^{n-1} \alpha^j - \sum_{j=1}^{n-2} \binom{n}{j} c_{j+1}^{\,n-j}

    They are not proportional to α, so an adjusted p-value (the smallest α that rejects) solves
    :math:`c_n(\alpha) = p`; García et al. (2010) scale those of one α instead.

    References
    ----------
    Rom (1990), A sequentially rejective test procedure based on a modified Bonferroni inequality.
    Biometrika 77.

    Examples
    --------
    The third critical value at 5 % is 0.016875.

    >>> rom([0.016875, 0.9, 0.8]).round(9).tolist()
    [0.05, 0.9, 0.9]
    """
    raw, ordered, order, place = sorted_family(p)
    if place.size > ROM_LIMIT:
        raise ValueError(
            f"p must hold at most {ROM_LIMIT} hypotheses for Rom's procedure, whose work grows as "
            f"their square; got {place.size}. Take Hochberg's or Hommel's for more."
        )
    return step_up(raw, rom_level(ordered), order)


def li(p: ArrayLike) -> FloatArray:
    r"""Adjust p-values by Li's two-step procedure, for comparisons with a control.

    If the largest p-value is at most α, all are rejected. Otherwise it is not, and of the others
    those that are small enough beside it. Valid for independent p-values; if all hypotheses are
    true, one is rejected with probability α exactly.

    Notes
    -----
    With :math:`p_{(m)}` the largest of the p-values, the others are rejected where
    :math:`p \le \alpha (1 - p_{(m)}) / (1 - \alpha)`; so

    .. math::

        p' = \frac{p}{p + 1 - p_{(m)}}

    Powerful where every hypothesis is false, and hostage to the largest p-value: as that nears 1,
    so do all adjusted ones. An exact p = 0 beside an exact 1 is rejected at every level: 0.

    References
    ----------
    Li (2008), A two-step rejection procedure for testing multiple hypotheses. Journal of
    Statistical Planning and Inference 138; García et al. (2010), Information Sciences 180.

    Examples
    --------
    >>> li([0.01, 0.02, 0.51]).round(3).tolist()
    [0.02, 0.039, 0.51]
    """
    raw = probabilities(p)
    rest = 1.0 - raw.max(axis=-1, keepdims=True, initial=0.0) if raw.ndim else 1.0 - raw
    total = raw + rest
    adjusted = np.divide(raw, total, out=np.zeros_like(raw), where=total > 0.0)
    return np.maximum(raw, adjusted)


def benjamini_hochberg(p: ArrayLike) -> FloatArray:
    r"""Adjust p-values by Benjamini and Hochberg's step-up procedure.

    Which hypotheses can be rejected so that, on average, at most a share α of the rejected are
    true? Weaker than the family-wise promise, and more powerful. Valid for independent or
    positively (regression) dependent p-values.

    Notes
    -----
    With the m p-values in ascending order:

    .. math::

        p'_j = \min_{i \ge j} \frac{m\, p_i}{i}

    References
    ----------
    Benjamini and Hochberg (1995), Controlling the false discovery rate: a practical and powerful
    approach to multiple testing. JRSS B 57.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    raw, ordered, order, place = sorted_family(p)
    return step_up(raw, place.size / place * ordered, order)


def benjamini_yekutieli(p: ArrayLike) -> FloatArray:
    r"""Adjust p-values by Benjamini and Yekutieli's step-up procedure.

    The same question as `benjamini_hochberg`, valid under any dependence, at the price of a factor
    that grows as the logarithm of the number of hypotheses.

    Notes
    -----
    With the m p-values in ascending order:

    .. math::

        p'_j = \min\left(1, \min_{i \ge j} \frac{c\, m\, p_i}{i}\right), \qquad
        c = \sum_{i=1}^{m} \frac{1}{i}

    References
    ----------
    Benjamini and Yekutieli (2001), The control of the false discovery rate in multiple testing
    under dependency. Annals of Statistics 29.

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.04, 0.03]).round(4).tolist()
    [0.055, 0.0733, 0.0733]
    """
    raw, ordered, order, place = sorted_family(p)
    return step_up(raw, (1.0 / place).sum() * place.size / place * ordered, order)


def decision_levels(p: ArrayLike, adjusted: ArrayLike, alpha: float) -> FloatArray:
    r"""Return the level at which each hypothesis of a family was decided: p ≤ level or not.

    An interval of the same test at this level excludes zero exactly where the adjusted p-value is
    at most α, whatever the correction.

    Parameters
    ----------
    p, adjusted
        The p-values of one family, and what a correction made of them.
    alpha
        The level of the family.

    Notes
    -----
    A rejected hypothesis was held against :math:`\alpha p / p'`, with Holm's correction
    :math:`\alpha / (m - j + 1)` at step j. Where a step-down procedure stops, nothing after is
    rejected: all others are held against the level of the smallest p-value among them. Of p' cut
    off at 1 that level is not known, and Holm's stands for it, :math:`\alpha / (m - r)` after r
    rejections.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6.

    Examples
    --------
    Of four, Holm's procedure rejects one at α/4 and stops at α/3.

    >>> p = np.array([0.3, 0.001, 0.03, 0.9])
    >>> decision_levels(p, holm(p), 0.06).round(3).tolist()
    [0.02, 0.015, 0.02, 0.02]
    """
    raw, corrected = probabilities(p), probabilities(adjusted)
    rejected = corrected <= alpha
    known = raw > 0.0
    levels = np.divide(alpha * raw, corrected, out=np.zeros_like(raw), where=known)
    # p = 0 is rejected at any level; the strictest that the others show stands for it.
    levels[~known] = levels[known].min() if known.any() else alpha / max(raw.size, 1)
    left = np.flatnonzero(~rejected)
    if left.size:
        first = left[np.argmin(raw[left])]
        capped = corrected[first] == 1.0 and raw[first] < 1.0
        levels[left] = min(levels[first], alpha / left.size) if capped else levels[first]
    # Rounding must not decide.
    return np.where(rejected, np.maximum(levels, raw), np.minimum(levels, np.nextafter(raw, 0.0)))


def _any_of(p: FloatArray, m: FloatArray | IntArray) -> FloatArray:
    """Return the chance that the least of m independent p-values is at most p: Šidák's."""
    return np.asarray(-np.expm1(xlog1py(m, -p)))
