"""Wilcoxon's signed ranks: one pair of algorithms, or all pairs of a table, the same way."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from palio.stats._signed_ranks import Rows, Signed, signed_ranks
from palio.stats.outcome import Outcome, check_alternative, finite_array, from_tails, paired_arrays
from palio.types import Alternative, FloatArray, IntArray

EXACT_LIMIT = 100
"""Up to this many data sets, the null distribution is exact."""

ZeroMethod: TypeAlias = Literal["wilcox", "pratt", "zsplit"]

_CHUNK = 1 << 15
"""Differences worked on at a time: a quarter of a megabyte, which stays in the cache."""


def wilcoxon(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zero_method: ZeroMethod = "wilcox",
) -> Outcome:
    r"""Test by Wilcoxon's signed ranks.

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
    With :math:`r_i` the rank of :math:`|d_i|` among the differences:

    .. math::

        W^+ = \sum_{i :\, d_i > 0} r_i

    The null distribution flips the sign of each difference with probability ½, given their sizes:
    exact, ties and zeros included, up to `EXACT_LIMIT` data sets; above, normal with the mean and
    variance of those flips (which is the correction for ties), no continuity correction:

    .. math::

        \mathrm{E}(W^+) = \frac{1}{2} \sum_{i :\, d_i \ne 0} r_i, \qquad
        \mathrm{Var}(W^+) = \frac{1}{4} \sum_{i :\, d_i \ne 0} r_i^2

    A zero stays zero when flipped, so ``zsplit`` moves the statistic but has the p-value of
    ``pratt``.

    Two differences are tied if they are closer than 1e-12 of the largest score behind either.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods. Biometrics Bulletin 1; Pratt
    (1959), Remarks on zeros and ties in the Wilcoxon signed rank procedures. JASA 54.

    Examples
    --------
    Ranks 1, 2, 3, the first negative: the sum is 5, and two of the eight flips reach it.

    >>> outcome = wilcoxon([1, 4, 6], [2, 2, 3], alternative="greater")
    >>> float(outcome.statistic), float(outcome.p_value)
    (5.0, 0.25)
    """
    first, second = paired_arrays(a, b, least=(1,))
    shape, n = first.shape[:-1], first.shape[-1]
    first, second = first.reshape(-1, n), second.reshape(-1, n)

    def rows(part: slice) -> Rows:
        sizes = np.abs(first[part]), np.abs(second[part])
        return Rows(
            first[part],
            second[part],
            np.maximum(*(size.max(axis=-1) for size in sizes)),
            np.maximum(*(size.min(axis=-1) for size in sizes)),
        )

    return _test(rows, len(first), n, alternative, zero_method, shape)


def wilcoxon_pairs(
    values: ArrayLike,
    *,
    first: ArrayLike,
    second: ArrayLike,
    alternative: Alternative = "two-sided",
    zero_method: ZeroMethod = "wilcox",
) -> Outcome:
    """Test pairs of columns of one table by Wilcoxon's signed ranks.

    The question and the answers of `wilcoxon`, one per pair, without ever holding all the
    differences: 19 900 pairs on 1000 data sets need some megabytes beyond the table.

    Parameters
    ----------
    values
        One value per data set and algorithm, shape (n, k).
    first, second
        Whole numbers below k, shape (pairs,): the columns to compare.
    alternative
        ``greater``: the first of the pair has the higher values.
    zero_method
        As in `wilcoxon`.

    Examples
    --------
    >>> table = [[1.0, 2.0, 0.0], [4.0, 2.0, 0.0], [6.0, 3.0, 0.0]]
    >>> outcome = wilcoxon_pairs(table, first=[0, 0], second=[1, 2], alternative="greater")
    >>> outcome.statistic.tolist(), outcome.p_value.tolist()
    ([5.0, 6.0], [0.25, 0.125])
    """
    table = finite_array(values, name="values", least=(1, 1))
    if table.ndim != 2:
        raise ValueError(f"values must have shape (n, k); got shape {table.shape}.")
    n, k = table.shape
    left, right = (
        _columns(index, k, name) for index, name in ((first, "first"), (second, "second"))
    )
    if left.shape != right.shape:
        raise ValueError(
            f"first and second must be of one length; got shapes {left.shape} and {right.shape}."
        )
    scores = np.ascontiguousarray(table.T)  # every difference is then one run of memory
    sizes = np.abs(scores)
    largest, smallest = sizes.max(axis=-1), sizes.min(axis=-1)
    del sizes

    def rows(part: slice) -> Rows:
        i, j = left[part], right[part]
        return Rows(
            scores[i],
            scores[j],
            np.maximum(largest[i], largest[j]),
            np.maximum(smallest[i], smallest[j]),
        )

    return _test(rows, left.size, n, alternative, zero_method, left.shape)


def _columns(index: ArrayLike, k: int, name: str) -> IntArray:
    array = np.asarray(index)
    if array.size == 0:
        return np.zeros(0, dtype=np.intp)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(
            f"{name} must be whole numbers of shape (pairs,); "
            f"got {array.dtype} of shape {array.shape}."
        )
    if array.min() < 0 or array.max() >= k:
        raise ValueError(f"{name} must lie between 0 and {k - 1}, the columns; got {array!r}.")
    return array.astype(np.intp)


def _test(
    rows: Callable[[slice], Rows],
    count: int,
    n: int,
    alternative: Alternative,
    zero_method: ZeroMethod,
    shape: tuple[int, ...],
) -> Outcome:
    """Test ``count`` pairs on ``n`` data sets, some at a time."""
    check_alternative(alternative)
    if zero_method not in get_args(ZeroMethod):
        raise ValueError(f"zero_method must be wilcox, pratt or zsplit; got {zero_method!r}.")
    statistic, p_value = np.empty(count), np.empty(count)
    zeros = np.empty(count, dtype=np.intp)
    exact = n <= EXACT_LIMIT
    tails = _exact_tails if exact else _normal_tails
    step = max(1, _CHUNK // n)
    for start in range(0, count, step):
        part = slice(start, min(start + step, count))
        signed = signed_ranks(rows(part), keep_ranks=exact)
        # Zeros are the smallest: without them every other rank falls by their number.
        dropped = signed.zeros if zero_method == "wilcox" else np.zeros_like(signed.zeros)
        positive = signed.positive - dropped * signed.wins
        upper, lower = tails(signed, positive, dropped, n)
        split = signed.zeros * (signed.zeros + 1) / 4.0 if zero_method == "zsplit" else 0.0
        statistic[part] = positive + split
        p_value[part] = from_tails(upper, lower, alternative)
        zeros[part] = signed.zeros
    nothing = zeros == n
    return Outcome(
        statistic=statistic.reshape(shape),
        p_value=np.where(nothing, 1.0, p_value).reshape(shape),
        degenerate=nothing.reshape(shape),
        n=(n - zeros).reshape(shape),
        null="exact" if exact else "normal",
    )


def _normal_tails(
    signed: Signed, positive: FloatArray, dropped: FloatArray, n: int
) -> tuple[FloatArray, FloatArray]:
    """Return both tails by the normal with the mean and variance of the sign flips."""
    ranked, unmoved = n - dropped, signed.zeros - dropped
    total = (ranked * (ranked + 1.0) - unmoved * (unmoved + 1.0)) / 2.0
    squares = _squares(ranked) - _squares(unmoved) - signed.cubes / 12.0
    z = (2.0 * positive - total) / np.sqrt(np.where(squares == 0.0, 1.0, squares))
    return np.asarray(ndtr(-z)), np.asarray(ndtr(z))


def _squares(n: FloatArray) -> FloatArray:
    """Return 1² + … + n²."""
    return n * (n + 1.0) * (2.0 * n + 1.0) / 6.0


def _exact_tails(
    signed: Signed, positive: FloatArray, dropped: FloatArray, n: int
) -> tuple[FloatArray, FloatArray]:
    """Return P(W >= w) and P(W <= w) over all sign flips."""
    table = _survival(_key(np.arange(1, n + 1)))
    reached = np.rint(positive).astype(np.intp)
    upper, lower = np.empty(positive.size), np.empty(positive.size)
    plain = np.ones(positive.size, dtype=np.bool_)
    plain[signed.tied] = False
    # Flipping every sign maps w to the total less w, so the two tails mirror.
    upper[plain] = table[reached[plain]]
    lower[plain] = table[table.size - 1 - reached[plain]]
    if signed.tied.size:
        shifted = np.maximum(signed.ranks - dropped[signed.tied, None], 0.0)
        doubled = np.rint(2.0 * shifted).astype(np.intp)
        reached = np.rint(2.0 * positive[signed.tied]).astype(np.intp)
        upper[signed.tied], lower[signed.tied] = _tied_tails(doubled, reached)
    return upper, lower


def _tied_tails(weights: IntArray, reached: IntArray) -> tuple[FloatArray, FloatArray]:
    r"""Return both tails of sums of weights (rows, n), each taken with chance ½, ascending.

    Nearly every row has ties of its own, but few low or high halves of a row are new. With A the
    sum of the low half and B that of the high one,

    .. math::

        P(A + B \ge w) = \sum_a P(A = a)\, P(B \ge w - a)

    so that a row takes about :math:`n^2 / 2` steps where its own table would take
    :math:`n^3 / 2`.
    """
    n = weights.shape[1]
    middle = n // 2
    (lows, low), (highs, high) = _distinct(weights[:, :middle]), _distinct(weights[:, middle:])
    low_tables, high_tables = [_mass(row) for row in lows], [_survival(row) for row in highs]
    # Up to 53 flips the sums are exact. Beyond, they are of one length, whatever the other rows: as
    # many terms added in another order would differ in their last bits.
    reach = max(table.size for table in low_tables) if n <= 53 else middle * (n + 1) + 1
    mass = np.zeros((len(lows), reach))
    beyond = np.zeros((len(highs), 2 * reach + max(table.size for table in high_tables)))
    for row, table in zip(mass, low_tables, strict=True):
        row[reach - table.size :] = table
    for row, table in zip(beyond, high_tables, strict=True):
        row[:reach], row[reach : reach + table.size] = 1.0, table
    # The far tail is summed; the near one is what is left of it, and more than a half.
    total = weights.sum(axis=1)
    far = np.maximum(reached, total - reached)
    upper = reached == far
    # Algorithms that are a constant apart give rows that are the same in all that counts.
    _, one, again = np.unique(
        (low * len(highs) + high) * (far.max() + 1) + far, return_index=True, return_inverse=True
    )
    low, high, far = low[one], high[one], far[one]
    windows = np.lib.stride_tricks.sliding_window_view(beyond, reach + 1, axis=1)
    tails = np.empty((2, far.size))
    step = max(1, _CHUNK // reach)
    for start in range(0, far.size, step):
        part = slice(start, start + step)
        from_far = windows[high[part], far[part] + 1]  # P(B >= far + 1 - a), a falling
        for tail, some in zip(tails, (from_far[:, :-1], from_far[:, 1:]), strict=True):
            tail[part] = np.einsum("ij,ij->i", mass[low[part]], some)
    at_least, more = np.minimum(tails, 1.0)[:, again]
    return np.where(upper, at_least, 1.0 - more), np.where(upper, 1.0 - more, at_least)


def _distinct(rows: IntArray) -> tuple[list[bytes], IntArray]:
    """Return the keys of the rows that differ, and which of them each row is."""
    base = int(rows.max(initial=0)) + 1
    if base ** rows.shape[1] < 2**63:  # each row is a number of so many digits
        numbers = rows @ base ** np.arange(rows.shape[1])
        _, first, which = np.unique(numbers, return_index=True, return_inverse=True)
        return [_key(row) for row in rows[first]], which
    places: dict[bytes, int] = {}
    data, width = _key(rows), 2 * rows.shape[1]
    keys = (data[i * width : (i + 1) * width] for i in range(len(rows)))
    found = [places.setdefault(key, len(places)) for key in keys]
    return list(places), np.array(found)


def _key(weights: IntArray) -> bytes:
    """Return weights as what a table can be kept by."""
    return weights.astype(np.int16).tobytes()


@lru_cache(maxsize=2048)
def _mass(key: bytes) -> FloatArray:
    """Return P(S = s) for s = Σ weights … 0; up to 53 weights the differences are exact."""
    return np.diff(_survival(key)[::-1], prepend=0.0)


@lru_cache(maxsize=2048)
def _survival(key: bytes) -> FloatArray:
    """Return P(S >= s) for s = 0 … Σ weights, S a sum of weights each taken with chance ½."""
    weights = np.frombuffer(key, dtype=np.int16).tolist()
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
