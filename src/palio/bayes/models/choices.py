"""The likelihood of choices from sets of algorithms, and of choices from pairs of them.

Both are the log-likelihood of `palio.bayes.models.strengths`, as a function of its contrasts u.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from palio.types import BoolArray, FloatArray, IntArray

_ROWS, _TILE = 256, 250_000  # draws at a time, and multiplications
_TINY = float(np.finfo(float).tiny)
_GROUP = 4  # so many sums are multiplied before a logarithm is taken


@dataclass(frozen=True, eq=False)
class _Contrasted:
    """A likelihood of the contrasts between as many strengths as algorithms were ``chosen``."""

    chosen: FloatArray

    @property
    def size(self) -> int:
        """The number of contrasts, K − 1."""
        return self.chosen.size - 1

    @cached_property
    def basis(self) -> FloatArray:
        """The orthonormal basis of the contrasts, Q."""
        return contrasts(self.chosen.size)


@dataclass(frozen=True, eq=False)
class Tie:
    """Choices from sets that are all ``behind`` (K,), and of those ``tied`` (t,) who is ``left``.

    ``left`` (g, m, t), and how often each, ``share`` (m,): g sets are chosen from equally often.
    """

    behind: BoolArray
    tied: IntArray
    left: BoolArray
    share: FloatArray

    @classmethod
    def of_sets(
        cls, behind: BoolArray, tied: IntArray, left: BoolArray, share: FloatArray
    ) -> tuple[Tie, BoolArray]:
        """Return the tie of sets ``left`` (n, t), and which of them are in no whole group."""
        which = np.argsort(share, kind="stable")
        _, counts = np.unique(share, return_counts=True)
        within = np.arange(share.size) - np.repeat(np.cumsum(counts) - counts, counts)
        rest = within >= np.repeat(counts - counts % _GROUP, counts)
        groups = which[~rest].reshape(-1, _GROUP).T
        loose = np.zeros(share.size, dtype=np.bool_)
        loose[which[rest]] = True
        return cls(behind, tied, left[groups], share[groups[0]]), loose

    @cached_property
    def members(self) -> FloatArray:
        """Who of the tied is in each set, as numbers (g, t, m)."""
        return np.ascontiguousarray(np.swapaxes(self.left, 1, 2), dtype=float)


@dataclass(frozen=True, eq=False)
class Choices(_Contrasted):
    """Choices from sets of algorithms, as the likelihood sees them.

    Parameters
    ----------
    chosen : array (K,)
        How often each algorithm was chosen.
    sets : array of bool (C, K)
        The sets it was chosen from.
    weight : array (C,)
        How often from each set.
    ties : tuple of Tie
        Those of the sets that large ties make, once more: their sums take few steps each.
    others : (array of bool (O, K), array (O,)), optional
        The sets that are of no such tie, and how often from each.
    """

    sets: BoolArray
    weight: FloatArray
    ties: tuple[Tie, ...] = ()
    others: tuple[BoolArray, FloatArray] | None = None

    @cached_property
    def _members(self) -> FloatArray:
        return _as_columns(self.sets)

    @cached_property
    def _others(self) -> tuple[FloatArray, FloatArray]:
        if self.others is None:
            return self._members, self.weight
        return _as_columns(self.others[0]), self.others[1]

    @cached_property
    def _behind(self) -> FloatArray:
        return _as_columns(np.array([tie.behind for tie in self.ties]).reshape(len(self.ties), -1))

    def values(self, effects: FloatArray) -> FloatArray:
        """Return the log-likelihood of each row of contrasts: (n, K − 1) to (n,)."""
        strength = effects @ self.basis.T
        found = strength @ self.chosen
        for start in range(0, found.size, _ROWS):
            rows = slice(start, start + _ROWS)
            found[rows] -= self._log_sums(strength[rows])
        return found

    def _log_sums(self, strength: FloatArray) -> FloatArray:
        """Return Σ weight log Σ exp β of each row of strengths."""
        top = strength.max(axis=1)
        power = _positive(np.exp(strength - top[:, None]))
        safe = float(power.min()) > _TINY ** (1 / _GROUP)
        found: FloatArray = top * self.weight.sum()
        members, weight = self._others
        for sets in _tiles(weight.size, power.size):
            found += np.einsum("nc,c->n", np.log(power @ members[:, sets]), weight[sets])
        if self.ties:
            behind = power @ self._behind
        for at, tie in enumerate(self.ties):
            own = power[:, tie.tied]
            for sets in _tiles(tie.share.size, own.size):
                sums = own @ tie.members[..., sets]
                sums += behind[:, at, None]
                logs = np.log(sums.prod(axis=0)) if safe else np.log(sums).sum(axis=0)
                found += np.einsum("nc,c->n", logs, tie.share[sets])
        return found

    def derivatives(self, effects: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return the log-likelihood, its gradient and its Hessian at one point of contrasts."""
        strength = self.basis @ effects
        k, top = strength.size, float(strength.max())
        power = np.exp(strength - top)
        value = float(strength @ self.chosen) - top * float(self.weight.sum())
        expected, joint = np.zeros(k), np.zeros((k, k))
        for sets in _tiles(self.weight.size, k * k):
            members, weight = self._members[:, sets], self.weight[sets]
            sums = _positive(power @ members)
            value -= float(weight @ np.log(sums))
            share = members * power[:, None] / sums  # of each algorithm in each set
            expected += share @ weight
            joint += (share * weight) @ share.T
        return (
            value,
            self.basis.T @ (self.chosen - expected),
            self.basis.T @ (joint - np.diag(expected)) @ self.basis,
        )


@dataclass(frozen=True, eq=False)
class PairChoices(_Contrasted):
    """Choices from pairs of algorithms: games and their wins.

    Parameters
    ----------
    chosen : array (K,)
        The wins of each algorithm.
    first, second : array of int (P,)
        The pairs that have met.
    weight : array (P,)
        How often.
    """

    first: IntArray
    second: IntArray
    weight: FloatArray

    def values(self, effects: FloatArray) -> FloatArray:
        """Return the log-likelihood of each row of contrasts: (n, K − 1) to (n,)."""
        found = np.empty(len(effects))
        rows = max(1, _TILE // max(1, self.weight.size))
        for start in range(0, found.size, rows):
            strength = effects[start : start + rows] @ self.basis.T
            top = strength.max(axis=1)
            power = np.exp(strength - top[:, None])
            sums = np.take(power, self.first, axis=1)
            sums += np.take(power, self.second, axis=1)
            logs = np.log(_positive(sums), out=sums)
            found[start : start + rows] = strength @ self.chosen - (
                top * self.weight.sum() + np.einsum("nc,c->n", logs, self.weight)
            )
        return found

    def derivatives(self, effects: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return the log-likelihood, its gradient and its Hessian at one point of contrasts."""
        strength = self.basis @ effects
        k, top = strength.size, float(strength.max())
        power = np.exp(strength - top)
        sums = _positive(power[self.first] + power[self.second])
        value = float(strength @ self.chosen) - top * float(self.weight.sum())
        value -= float(self.weight @ np.log(sums))
        one, other = power[self.first] / sums, power[self.second] / sums
        expected = np.bincount(self.first, self.weight * one, minlength=k)
        expected += np.bincount(self.second, self.weight * other, minlength=k)
        joint = np.zeros((k, k))
        joint[self.first, self.second] = joint[self.second, self.first] = self.weight * one * other
        return (
            value,
            self.basis.T @ (self.chosen - expected),
            self.basis.T @ (joint - np.diag(joint.sum(axis=1))) @ self.basis,
        )


def _tiles(length: int, work: int) -> Iterator[slice]:
    """Cut sets into pieces, small enough for the cache and for BLAS not to wake its threads."""
    width = max(1, _TILE // work)
    for start in range(0, length, width):
        yield slice(start, start + width)


def _as_columns(sets: BoolArray) -> FloatArray:
    """Return sets (C, K) as numbers (K, C)."""
    return np.ascontiguousarray(sets.T, dtype=float)


def _positive(sums: FloatArray) -> FloatArray:
    """Keep what underflows, where it is e⁷⁰⁰ times weaker than the best, from 0."""
    return np.asarray(np.maximum(sums, _TINY, out=sums))


def contrasts(k: int) -> FloatArray:
    """Return an orthonormal basis of the vectors of length ``k`` that add up to 0: Helmert's.

    >>> contrasts(3).round(3)
    array([[ 0.707,  0.408],
           [-0.707,  0.408],
           [ 0.   , -0.816]])
    """
    columns = np.arange(1, k)
    basis = np.triu(np.ones((k, k - 1)))
    basis[columns, columns - 1] = -columns
    found: FloatArray = basis / np.sqrt(columns * (columns + 1))
    return found
