"""The likelihood of choices from sets of algorithms, and of choices from pairs of them.

Both are the log-likelihood of `palio.bayes.models.strengths`, as a function of contrasts u = Qᵀβ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from palio.types import BoolArray, FloatArray, IntArray

_ROWS, _TILE = 64, 250_000  # draws at a time, and multiplications


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
    """

    sets: BoolArray
    weight: FloatArray

    @cached_property
    def _members(self) -> FloatArray:
        return np.ascontiguousarray(self.sets.T, dtype=float)  # (K, C)

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
        power = np.exp(strength - top[:, None])
        found: FloatArray = top * self.weight.sum()
        for sets in _tiles(self.weight.size, power.size):
            sums = _positive(power @ self._members[:, sets])
            found += np.einsum("nc,c->n", np.log(sums, out=sums), self.weight[sets])
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


def _positive(sums: FloatArray) -> FloatArray:
    """Keep sums that underflow, of sets that are e⁷⁰⁰ times weaker than the best, from 0."""
    return np.asarray(np.maximum(sums, np.finfo(float).tiny, out=sums))


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
