"""Algorithms on the same test instances of one data set: who classifies which correctly.

``correct`` holds one truth value per instance and algorithm, shape (..., instances, algorithms);
`mcnemar` takes two of its columns, shape (..., instances). One training set stands behind each
algorithm, so none of these tests sees how its accuracy varies with the training set.

Where nothing but unanimous instances is left, nothing separates the algorithms: statistic 0, p = 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, fdtrc

from palio.stats.exact import between_sf
from palio.stats.outcome import Outcome, finite_array
from palio.stats.paired import sign_test_counts
from palio.types import BoolArray, FloatArray

COCHRAN_EXACT_LIMIT = 25
"""Up to this many instances that divide the algorithms, `cochran_q` is exact …"""

COCHRAN_EXACT_ALGORITHMS = 5
"""… where these are no more than this."""

MCNEMAR_EXACT_LIMIT = 25
"""Up to this many discordant instances, `mcnemar` is exact unless told otherwise."""

Counts = NDArray[np.int64]


def mcnemar(a_correct: ArrayLike, b_correct: ArrayLike, *, exact: bool | None = None) -> Outcome:
    r"""Test by McNemar's test (yildiz2006, eq. 13), or its exact form.

    Do two algorithms have the same accuracy? Only the discordant instances count, those that one
    classifies correctly and the other does not: if the accuracies are equal, each falls to either
    side like a fair coin.

    Parameters
    ----------
    a_correct, b_correct
        Which instances each algorithm classifies correctly, shape (..., instances).
    exact
        ``True`` takes the p-value from the binomial distribution, ``False`` from χ² with one
        degree of freedom and a correction for continuity. Unless given, each pair is exact up to
        `MCNEMAR_EXACT_LIMIT` discordant instances and takes χ² beyond.

    Notes
    -----
    With :math:`n_{10}` instances that only the first gets right, and :math:`n_{01}` that only the
    second does:

    .. math::

        t = \frac{(\left|n_{01} - n_{10}\right| - 1)^2}{n_{01} + n_{10}} \sim \chi^2_1

    This is the statistic in either form, eq. 13. The equation is printed as the condition to
    accept; the hypothesis is rejected there. Its correction may not carry the difference beyond
    zero, so :math:`n_{01} = n_{10}` gives 0, not :math:`1 / (n_{01} + n_{10})`. ``n`` is the number
    of discordant instances, ``null`` is ``exact`` where every pair of the batch is.

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions or
    percentages. Psychometrika 12; Dietterich (1998), Approximate statistical tests for comparing
    supervised classification learning algorithms. Neural Computation 10.

    Examples
    --------
    Five instances that only ``a`` gets right, none that only ``b`` does: :math:`p = 2 / 2^5`, or
    :math:`t = (5 - 1)^2 / 5`.

    >>> a, b = [1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1, 0]
    >>> outcome = mcnemar(a, b)
    >>> float(outcome.p_value), outcome.null, int(outcome.n)
    (0.0625, 'exact', 5)
    >>> outcome = mcnemar(a, b, exact=False)
    >>> round(float(outcome.statistic), 3), round(float(outcome.p_value), 4)
    (3.2, 0.0736)
    """
    return mcnemar_counts(*discordant_counts(a_correct, b_correct), exact=exact)


def mcnemar_counts(only_a: ArrayLike, only_b: ArrayLike, *, exact: bool | None = None) -> Outcome:
    """Test by McNemar's test from the numbers of discordant instances.

    Parameters
    ----------
    only_a, only_b
        On how many instances only the first is right, and only the second: whole numbers, zero or
        more, of one shape.
    exact
        As for `mcnemar`.

    Examples
    --------
    >>> outcome = mcnemar_counts(40, 20)
    >>> round(float(outcome.statistic), 3), round(float(outcome.p_value), 4)
    (6.017, 0.0142)
    """
    p_exact = sign_test_counts(only_a, only_b).p_value
    first, second = np.asarray(only_a, dtype=np.int64), np.asarray(only_b, dtype=np.int64)
    n = np.asarray(first + second)
    nothing = n == 0
    beyond = np.maximum(np.abs(first - second) - 1.0, 0.0)
    statistic = np.where(nothing, 0.0, beyond**2 / np.where(nothing, 1, n))
    take_exact = n <= MCNEMAR_EXACT_LIMIT if exact is None else np.full(n.shape, exact)
    return Outcome(
        statistic=statistic,
        p_value=np.where(take_exact, p_exact, chdtrc(1.0, statistic)),
        degenerate=np.asarray(nothing),
        n=n,
        null="exact" if bool(np.all(take_exact)) else "chi2",
        df=(1.0,),
    )


def discordant_counts(a_correct: ArrayLike, b_correct: ArrayLike) -> tuple[Counts, Counts]:
    """Return on how many instances only the first is right, and only the second.

    Examples
    --------
    >>> only_a, only_b = discordant_counts([1, 1, 0, 1], [0, 0, 1, 1])
    >>> int(only_a), int(only_b)
    (2, 1)
    """
    a = _truth_values(a_correct, name="a_correct", least=(1,))
    b = _truth_values(b_correct, name="b_correct", least=(1,))
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            "a_correct and b_correct are about the same instances, so their last axes must agree; "
            f"got shapes {a.shape} and {b.shape}."
        )
    return np.asarray((a & ~b).sum(axis=-1)), np.asarray((b & ~a).sum(axis=-1))


def discordant_matrix(correct: ArrayLike) -> Counts:
    """Return on how many instances one algorithm is right and another is not: (..., K, K).

    Examples
    --------
    >>> discordant_matrix([[1, 0], [1, 0], [0, 1], [1, 1]]).tolist()
    [[0, 2], [1, 0]]
    """
    x = _truth_values(correct, name="correct", least=(1, 1)).astype(np.float64)
    # Sums of whole numbers in floats are exact, and a product of matrices is quick.
    return np.asarray(np.einsum("...ij->...ji", x) @ (1.0 - x), dtype=np.int64)


def cochran_q(correct: ArrayLike, *, exact: bool | None = None) -> Outcome:
    r"""Test by Cochran's Q.

    Do K algorithms have the same accuracy? McNemar's question for more than two. Only the
    instances count that divide the algorithms: if these are alike, the correct answers fall to any
    of them with equal probability.

    Parameters
    ----------
    correct
        Which instances each algorithm classifies correctly, shape (..., instances, algorithms),
        two or more algorithms.
    exact
        ``True`` counts all ways the correct answers of each instance can fall, ``False`` takes χ²
        with K - 1 degrees of freedom, an approximation for many instances without a correction for
        continuity. Unless given, it is exact for up to `COCHRAN_EXACT_LIMIT` instances that divide
        up to `COCHRAN_EXACT_ALGORITHMS` algorithms.

    Notes
    -----
    With :math:`C_j` the number of correct answers of algorithm j, and :math:`R_i` of all K
    algorithms on instance i:

    .. math::

        Q = \frac{(K - 1) \left(K \sum_j C_j^2 - \left(\sum_j C_j\right)^2\right)}
        {K \sum_i R_i - \sum_i R_i^2} \sim \chi^2_{K-1}

    For two algorithms the exact form is `mcnemar`'s. ``null`` is ``exact`` where every data set of
    the batch is.

    References
    ----------
    Cochran (1950), The comparison of percentages in matched samples. Biometrika 37.

    Examples
    --------
    Column sums 3, 1, 0 and row sums 1, 2, 1, 0: :math:`Q = 2 (3 \cdot 10 - 4^2) / (3 \cdot 4 - 6)`.
    As much comes about in 6 of 27 ways: the same algorithm is right on all three, and any other on
    one.

    >>> correct = [[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> outcome = cochran_q(correct)
    >>> round(float(outcome.statistic), 3), round(float(outcome.p_value), 4), outcome.null
    (4.667, 0.2222, 'exact')
    >>> outcome = cochran_q(correct, exact=False)
    >>> outcome.df, round(float(outcome.p_value), 4)
    ((2.0,), 0.097)
    """
    x = _truth_values(correct, name="correct", least=(1, 2))
    n, k = x.shape[-2:]
    between, within = _sums(x)
    degenerate = within == 0
    q = np.where(degenerate, 0.0, (k - 1.0) * between / np.where(degenerate, 1, within))
    take_exact = _few_divided(x) if exact is None else np.full(q.shape, exact)
    p_value = np.asarray(chdtrc(k - 1.0, q))
    for index in map(tuple, np.argwhere(take_exact)):
        rows = tuple(x[index].sum(axis=-1).tolist())
        p_value[index] = between_sf(int(between[index]), rows, k)
    return Outcome(
        statistic=q,
        p_value=p_value,
        degenerate=np.asarray(degenerate),
        n=np.asarray(n),
        null="exact" if bool(np.all(take_exact)) else "chi2",
        df=(k - 1.0,),
    )


def _few_divided(x: BoolArray) -> BoolArray:
    """Return which data sets are small enough to count all ways."""
    divided = (x.any(axis=-1) & ~x.all(axis=-1)).sum(axis=-1)
    return np.asarray((divided <= COCHRAN_EXACT_LIMIT) & (x.shape[-1] <= COCHRAN_EXACT_ALGORITHMS))


def looney_f(correct: ArrayLike) -> Outcome:
    r"""Test by Looney's F (yildiz2006, eq. 14–16).

    The same question as `cochran_q`, by analysis of variance with instances as blocks. The F
    distribution holds if the algorithms' agreement is the same for every pair; `looney_f_adjusted`
    does without.

    Parameters
    ----------
    correct
        Which instances each algorithm classifies correctly, shape (..., instances, algorithms),
        two or more of both.

    Notes
    -----
    With :math:`p_{.j}` the accuracy of algorithm j of K, :math:`p_{i.}` the share of the algorithms
    that are right on instance i of N, and :math:`p_{..}` the mean of all, the sums of squares of
    algorithms, instances, everything, and what is left (eq. 14 and 15) are

    .. math::

        \mathrm{SSA} = N \sum_j (p_{.j} - p_{..})^2, \quad
        \mathrm{SSB} = K \sum_i (p_{i.} - p_{..})^2, \quad
        \mathrm{SST} = N K\, p_{..} (1 - p_{..}), \quad
        \mathrm{SSAB} = \mathrm{SST} - \mathrm{SSA} - \mathrm{SSB}

    .. math::

        F = \frac{(N - 1)\, \mathrm{SSA}}{\mathrm{SSAB}} = \frac{(N - 1)\, Q}{N (K - 1) - Q}
        \sim F_{K-1,\, (N-1)(K-1)}

    with Q of `cochran_q`. Without interaction, where SSAB is zero, there are two cases: the
    algorithms agree on every instance, F = 0 and p = 1; or every instance divides them in the same
    way, F is infinite and p = 0.

    References
    ----------
    Looney (1988), A statistical technique for comparing the accuracies of several classifiers.
    Pattern Recognition Letters 8.

    Examples
    --------
    Accuracies 3/4, 1/4 and 0, and 1/3 over all: SSA, SSB, SST and SSAB are 7/6, 2/3, 8/3 and 5/6,
    and :math:`F = 3 \cdot \frac{7}{6} / \frac{5}{6}`.

    >>> outcome = looney_f([[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> round(float(outcome.statistic), 3), outcome.df, round(float(outcome.p_value), 4)
    (4.2, (2.0, 6.0), 0.0723)
    """
    x = _truth_values(correct, name="correct", least=(2, 2))
    return _looney(x, np.ones(x.shape[:-2]))


def looney_f_adjusted(correct: ArrayLike) -> Outcome:
    r"""Test by Looney's adjusted F: both degrees of freedom multiplied by an estimate.

    The same statistic as `looney_f`, with fewer degrees of freedom where some pairs of algorithms
    agree more than others.

    Parameters
    ----------
    correct
        As for `looney_f`.

    Notes
    -----
    With F as in `looney_f`, N instances, K algorithms and :math:`\hat\varepsilon` of
    `greenhouse_geisser`:

    .. math::

        F \sim F_{(K-1) \hat\varepsilon,\, (N-1)(K-1) \hat\varepsilon}

    yildiz2006 calls for an appropriate :math:`\hat\varepsilon` and gives none; this is Greenhouse
    and Geisser's. It differs from one data set of the batch to the next, so ``df`` holds the
    degrees of freedom before they are multiplied.

    References
    ----------
    Looney (1988), A statistical technique for comparing the accuracies of several classifiers.
    Pattern Recognition Letters 8.

    Examples
    --------
    F is 4.2 as for `looney_f`, on 2 and 6 times :math:`\hat\varepsilon = 25 / 26` degrees of
    freedom.

    >>> correct = [[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> round(float(looney_f_adjusted(correct).p_value), 4)
    0.0757
    """
    x = _truth_values(correct, name="correct", least=(2, 2))
    return _looney(x, greenhouse_geisser(x))


def greenhouse_geisser(correct: ArrayLike) -> FloatArray:
    r"""Return Greenhouse and Geisser's number, which tells how alike the pairs of algorithms are.

    It is 1 if all differences between two algorithms vary alike, and where none varies at all.

    Notes
    -----
    With S the covariance matrix of the K columns, its rows and columns centred:

    .. math::

        \hat\varepsilon = \frac{(\mathrm{tr}\, S)^2}{(K - 1)\, \mathrm{tr}\, S^2}, \qquad
        \frac{1}{K - 1} \le \hat\varepsilon \le 1

    References
    ----------
    Greenhouse and Geisser (1959), On methods in the analysis of profile data. Psychometrika 24.

    Examples
    --------
    The third column is constant, the others vary alike and independently.

    >>> round(float(greenhouse_geisser([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])), 3)
    0.8
    """
    x = _truth_values(correct, name="correct", least=(2, 2)).astype(np.float64)
    k = x.shape[-1]
    centred = x - x.mean(axis=-2, keepdims=True)
    centred -= centred.mean(axis=-1, keepdims=True)
    s = np.einsum("...ij,...ik->...jk", centred, centred)
    trace = np.einsum("...jj->...", s)
    squares = np.einsum("...jk,...jk->...", s, s)
    constant = trace <= 1e-12 * x.shape[-2] * k
    epsilon = np.where(constant, 1.0, trace**2 / ((k - 1.0) * np.where(constant, 1.0, squares)))
    return np.asarray(np.clip(epsilon, 1.0 / (k - 1.0), 1.0))


def _looney(x: BoolArray, epsilon: FloatArray) -> Outcome:
    n, k = x.shape[-2:]
    between, within = _sums(x)
    # N K times SSA and SSAB of eq. 14 and 15: whole numbers, so that zero is zero.
    ssa, ssab = between, n * within - between
    degenerate = ssab == 0
    f = (n - 1.0) * ssa / np.where(degenerate, 1, ssab)
    f = np.where(degenerate, np.where(ssa == 0, 0.0, np.inf), f)
    df = (k - 1.0, (k - 1.0) * (n - 1.0))
    return Outcome(
        statistic=f,
        p_value=fdtrc(epsilon * df[0], epsilon * df[1], f),
        degenerate=np.asarray(degenerate),
        n=np.asarray(n),
        null="F",
        df=df,
    )


def _sums(x: BoolArray) -> tuple[Counts, Counts]:
    """Return K Σ Cⱼ² - T² and K T - Σ Rᵢ², of column sums C, row sums R and their total T."""
    k = x.shape[-1]
    columns = x.sum(axis=-2, dtype=np.int64)
    rows = x.sum(axis=-1, dtype=np.int64)
    total = columns.sum(axis=-1)
    between = k * np.square(columns).sum(axis=-1) - np.square(total)
    within = k * total - np.square(rows).sum(axis=-1)
    return np.asarray(between), np.asarray(within)


def _truth_values(values: ArrayLike, *, name: str, least: tuple[int, ...]) -> BoolArray:
    numbers = finite_array(values, name=name, least=least)
    if not ((numbers == 0) | (numbers == 1)).all():
        raise ValueError(f"{name} must hold truth values (or 0 and 1); got other numbers.")
    return np.asarray(numbers == 1)
