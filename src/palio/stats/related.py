"""All pairs of k algorithms: p-values adjusted knowing how the hypotheses hang together.

If A equals B and B equals C, then A equals C, so not every set of the :math:`k (k - 1) / 2`
hypotheses "these two are equal" can be the true one. The sets that can are the partitions of the
algorithms into groups of equals (Bergmann and Hommel call them exhaustive), and an error is
possible only within one of them. Both procedures hold the family-wise error of such hypotheses
under any dependence, and reject at least as much as `adjust.holm`: p-value by p-value, Bergmann and
Hommel's is at most Shaffer's, and that at most Holm's.

Equal means and equal mean ranks are such hypotheses. Zero medians of differences are not: those of
a and b and of b and c may be zero while that of a and c is not. With tests of these, such as the
sign test and Wilcoxon's, both may exceed the level, and Holm's does not.

p-values come and go in the order of ``np.triu_indices(k, 1)``: (0, 1), (0, 2), … (k - 2, k - 1).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palio.stats._families import probabilities, sorted_family, step_down
from palio.types import BoolArray, FloatArray, IntArray

BERGMANN_HOMMEL_LIMIT = 16
"""The largest number of algorithms that `bergmann_hommel` takes: its work grows as 3ᵏ."""

_CELLS = 1 << 22
_AT_ONCE = 1 << 18  # bytes, which a processor's own memory holds
_KEPT = 14

Places = NDArray[np.uint8]
Sets = NDArray[np.int32]


def shaffer(p: ArrayLike, k: int) -> FloatArray:
    r"""Adjust the p-values of all pairs by Shaffer's static procedure (S1).

    Which pairs of algorithms differ, so that the probability of any false claim is at most α?
    Holm's procedure multiplies the i-th smallest p-value by the number of hypotheses that are
    left; Shaffer by the most of them that can be true at once if i - 1 are false. Valid where
    "a equals b" and "b equals c" imply "a equals c": for tests of means or of mean ranks, not for
    the sign test or Wilcoxon's, whose hypotheses are of each pair alone. With these take Holm's.

    Parameters
    ----------
    p
        p-values of all pairs along the last axis.
    k
        The number of algorithms, two or more.

    Notes
    -----
    With the :math:`m = k (k - 1) / 2` p-values in ascending order, and :math:`t_i` the most
    hypotheses that can be true at once if :math:`i - 1` are false:

    .. math::

        p'_j = \min\left(1, \max_{i \le j} t_i\, p_i\right)

    References
    ----------
    Shaffer (1986), Modified sequentially rejective multiple test procedures. JASA 81.

    Examples
    --------
    With three algorithms, if one pair differs at most one other can be equal: factors 3, 1, 1.

    >>> shaffer([0.01, 0.04, 0.03], 3).round(3).tolist()
    [0.03, 0.04, 0.03]
    """
    raw = _pairs(p, k)
    _, ordered, order, place = sorted_family(raw)
    possible = np.array(possible_true_counts(k))
    left = place[::-1]
    factor = possible[np.searchsorted(possible, left, side="right") - 1]
    return step_down(raw, ordered * factor, order)


@lru_cache(maxsize=64)
def possible_true_counts(k: int) -> tuple[int, ...]:
    r"""Return how many of the pairs of k algorithms can be equal, ascending: Shaffer's S(k).

    A group of j equals makes :math:`\binom{j}{2}` equal pairs, beside what the other k - j make.
    The least of several groups has at most half of the algorithms.

    Examples
    --------
    >>> possible_true_counts(5)
    (0, 1, 2, 3, 4, 6, 10)
    """
    # The counts that n algorithms can have, as the bits of one number: all of them up to the last.
    bits, last = [1], 0
    for n in range(1, k + 1):
        counts = bits[n - 1] | 1 << comb(n, 2)
        for j in range(2, n // 2 + 1):
            if comb(n - j, 2) + comb(j, 2) <= last:  # so all that larger groups add are there
                break
            counts |= bits[n - j] << comb(j, 2)
        bits.append(counts)
        last = (~counts & (counts + 1)).bit_length() - 2
    as_bytes = np.frombuffer(bits[k].to_bytes(comb(k, 2) // 8 + 1, "little"), dtype=np.uint8)
    return tuple(np.flatnonzero(np.unpackbits(as_bytes, bitorder="little")).tolist())


def bergmann_hommel(p: ArrayLike, k: int) -> FloatArray:
    r"""Adjust the p-values of all pairs by Bergmann and Hommel's procedure, exactly.

    The same question as `shaffer`, valid for the same hypotheses, and the most powerful answer that
    Bonferroni's test within each possible set of true hypotheses gives.

    Parameters
    ----------
    p
        p-values of all pairs along the last axis.
    k
        The number of algorithms, from 2 to `BERGMANN_HOMMEL_LIMIT`.

    Notes
    -----
    Over the exhaustive sets I of hypotheses that a pair i is in:

    .. math::

        p'_i = \min\left(1, \max_{I \ni i} \left|I\right| \min_{j \in I} p_j\right)

    Exhaustive sets are the partitions of the algorithms, too many to go through beyond ten. But of
    all partitions of some of the algorithms with s pairs within groups, only the one whose least
    p-value is largest matters; these are built up group by group, about :math:`3^k` steps in all.

    A pair with a larger p-value than another may get the smaller adjusted one: it may be possible
    together with fewer others.

    References
    ----------
    Bergmann and Hommel (1988), Improvements of general multiple test procedures for redundant
    systems of hypotheses. In Multiple Hypotheses Testing, Springer; García and Herrera (2008), An
    extension on "Statistical comparisons of classifiers over multiple data sets" for all pairwise
    comparisons. JMLR 9.

    Examples
    --------
    Of four algorithms, the first and the third can be equal on their own, beside the other two, in
    a group of three or with all: the largest of 0.2, 2 · 0.2, 3 · 0.01, 3 · 0.02 and 6 · 0.01.

    >>> bergmann_hommel([0.01, 0.2, 0.3, 0.2, 0.3, 0.02], 4).round(3).tolist()
    [0.06, 0.4, 0.4, 0.4, 0.4, 0.06]
    """
    raw = _pairs(p, k)
    if k > BERGMANN_HOMMEL_LIMIT:
        raise ValueError(
            f"k must be at most {BERGMANN_HOMMEL_LIMIT} for Bergmann and Hommel's procedure, "
            f"whose work grows as 3 to the k; got {k!r}. Take Shaffer's for more algorithms."
        )
    if raw.ndim == 1:
        return _of_family(raw.tobytes(), k).copy()
    families = raw.reshape(-1, raw.shape[-1]).T
    adjusted = np.empty_like(families)
    # A few families at a time, so that the tables stay small whatever the batch.
    width = max(_CELLS // (2**k * (comb(k, 2) + 1)), 1)
    for start in range(0, families.shape[1], width):
        part = slice(start, start + width)
        adjusted[:, part] = _largest_within(families[:, part], k)
    return np.minimum(1.0, adjusted.T.reshape(raw.shape))


@lru_cache(maxsize=16)
def _of_family(p: bytes, k: int) -> FloatArray:
    """Adjust one family, given by its content: another level leaves it as it is."""
    return np.minimum(1.0, _largest_within(np.frombuffer(p)[:, None], k)[:, 0])


def _largest_within(p: FloatArray, k: int) -> FloatArray:
    """Return max |I| min p over exhaustive sets I with each pair, for families in columns.

    A set of algorithms is a number whose bits are its members. Which p-value is larger is all that
    the search asks, so it goes through their places among the m of the family, a byte each: 0
    stands for no partition, m + 1 for no pair.
    """
    places = np.argsort(np.argsort(p, axis=0), axis=0) + 1
    nothing = np.zeros((1, p.shape[1]))
    values = np.concatenate([nothing, np.sort(p, axis=0), nothing + np.inf])
    least = _least_within(places.astype(np.uint8), k)
    rest = _best_partitions(least, k)
    sets = np.arange(2**k)
    members, sizes = _members(k), _sizes(k)
    best = np.zeros((2**k, p.shape[1]))
    for size in range(2, k + 1):
        group = sets[sizes == size]
        pairs = np.arange(comb(k - size, 2) + 1)
        # The group itself, and the best that the others can do with so many pairs.
        within = np.minimum(least[group, None], rest[2**k - 1 - group, : pairs.size])
        found = np.take_along_axis(values[:, None], within.astype(np.intp), axis=0)
        best[group] = ((comb(size, 2) + pairs)[:, None] * found).max(axis=1)
    return np.stack(
        [best[members[:, i] & members[:, j]].max(axis=0) for i, j in combinations(range(k), 2)]
    )


def _least_within(places: Places, k: int) -> Places:
    """Return the least place among the pairs of each set; m + 1 where there is no pair."""
    between = np.zeros((k, k), dtype=np.intp)
    between[np.triu_indices(k, 1)] = np.arange(comb(k, 2))
    none = np.full((1, places.shape[1]), comb(k, 2) + 1, dtype=np.uint8)
    least = np.repeat(none, 2**k, axis=0)
    for last in range(1, k):
        # Sets of the algorithms before `last`, and the least place between it and their members.
        smaller = 2**last
        to_last = np.repeat(none, smaller, axis=0)
        for i in range(last):
            to_last[2**i : 2 ** (i + 1)] = np.minimum(to_last[: 2**i], places[between[i, last]])
        least[smaller : 2 * smaller] = np.minimum(least[:smaller], to_last)
    return least


def _best_partitions(least: Places, k: int) -> Places:
    """Return, by set and number s, the largest least place of a partition with s pairs.

    0 where no partition of the set has s pairs within groups, m + 1 where s is 0. Each set is
    the group of its first member, and the rest.
    """
    table = np.zeros((2**k, comb(k, 2) + 1, least.shape[1]), dtype=np.uint8)
    table[:, 0] = comb(k, 2) + 1
    # Small lists of groups serve again; large ones would stay in memory for nothing.
    groups_of = _groups if k <= _KEPT else _groups.__wrapped__
    # Sets of k - 1 and k algorithms leave no pair outside them, and are never the rest.
    for size in range(2, k - 1):
        for group_size in range(1, size + 1):
            sets, groups = groups_of(k, size, group_size)
            inside, others = comb(group_size, 2), comb(size - group_size, 2) + 1
            width = max(_AT_ONCE // (len(groups) * others * least.shape[1]), 1)
            for start in range(0, sets.size, width):
                whole, group = sets[start : start + width], groups[:, start : start + width]
                candidates = table[whole - group, :others]
                np.minimum(candidates, least[group, None], out=candidates)
                reached = table[whole, inside : inside + others]
                best = np.maximum(reached, candidates.max(axis=0))
                table[whole, inside : inside + others] = best
    return table


@lru_cache(maxsize=512)
def _groups(k: int, size: int, group_size: int) -> tuple[Sets, Sets]:
    """Return the sets of ``size`` of k algorithms, and below each its groups with its first."""
    whole = _members(k)[_sizes(k) == size].nonzero()[1].reshape(-1, size).T
    chosen = _members(size - 1)[_sizes(size - 1) == group_size - 1]
    bits = np.left_shift(1, whole).astype(np.float32)  # their sums are exact
    groups = bits[0] + chosen.astype(np.float32) @ bits[1:]
    return bits.sum(axis=0).astype(np.int32), groups.astype(np.int32)


@lru_cache(maxsize=32)
def _members(k: int) -> BoolArray:
    """Return which of k algorithms are in each set."""
    return np.asarray((np.arange(2**k)[:, None] >> np.arange(k)) & 1, dtype=np.bool_)


@lru_cache(maxsize=32)
def _sizes(k: int) -> IntArray:
    """Return how many of k algorithms are in each set."""
    return np.asarray(_members(k).sum(axis=1))


def _pairs(p: ArrayLike, k: int) -> FloatArray:
    raw = probabilities(p)
    if k < 2:
        raise ValueError(f"k must be at least 2 algorithms; got {k!r}.")
    if raw.ndim == 0 or raw.shape[-1] != comb(k, 2):
        raise ValueError(
            f"p must hold the {comb(k, 2)} pairs of k = {k} algorithms along its last axis; "
            f"got shape {raw.shape}."
        )
    return raw
