"""Strengths of algorithms from choices: what Bradley–Terry and Plackett–Luce share.

Both say that the best of a set of algorithms is algorithm i with probability
exp(β_i) / Σ exp(β_j), the sum over the set. Bradley and Terry choose from pairs, Plackett and Luce
from all that are left, place after place. So both have the log-likelihood

    Σ_k chosen_k β_k − Σ_c weight_c log Σ_{j ∈ c} exp(β_j),

which is concave. The prior is that of bbtcomp (Wainer 2023)::

    σ ~ LogNormal(0, 0.5)               log σ ~ Normal(0, 0.5²)
    β_k | σ ~ Normal(0, σ²)             k = 1 … K, independent

Only differences of β matter, so the mean of β is left out, which is exact: in an orthonormal
basis Q of the contrasts (K × (K − 1), its columns add up to 0), u = Qᵀβ ~ Normal(0, σ² I) and is
independent of the mean. The strengths reported are Q u and add up to 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from palio.bayes.draws import Draws
from palio.bayes.laplace import draw_effects
from palio.stats.ranks import average_ranks

if TYPE_CHECKING:
    from palio.types import BoolArray, FloatArray

__all__ = ["SCALE", "Choices", "contrasts", "draw_strengths", "ranks_of", "ties_of", "wins_of"]

SCALE = 0.5
"""The standard deviation of log σ in the prior."""

_ROWS, _TILE = 64, 250_000  # draws at a time, and multiplications


@dataclass(frozen=True, eq=False)
class Choices:
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

    chosen: FloatArray
    sets: BoolArray
    weight: FloatArray

    @property
    def size(self) -> int:
        """The number of contrasts, K − 1."""
        return self.chosen.size - 1

    @cached_property
    def basis(self) -> FloatArray:
        """The orthonormal basis of the contrasts, Q."""
        return contrasts(self.chosen.size)

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


def draw_strengths(
    choices: Choices, rng: np.random.Generator, *, draws: int, scale: float = SCALE
) -> Draws:
    """Draw the strengths (chains, draws, K) and σ from their posterior."""
    found = draw_effects(choices, rng, draws=draws, scale=scale)
    strength = found.effects @ choices.basis.T
    return Draws(
        {"strength": strength, "sigma": found.sigma},
        found.method,
        independent=found.independent,
        facts=found.facts,
    )


# --- what a table says -----------------------------------------------------------------------


def ranks_of(goodness: FloatArray) -> FloatArray:
    """Rank the algorithms of each data set, 1 the best, tied ones alike; NaN where missing.

    >>> ranks_of(np.array([[0.9, 0.7, 0.7], [0.5, np.nan, 0.6]]))
    array([[1. , 2.5, 2.5],
           [2. , nan, 1. ]])
    """
    ranks = np.full(goodness.shape, np.nan)
    present = ~np.isnan(goodness)
    whole = present.all(axis=1)
    ranks[whole] = average_ranks(-goodness[whole])
    for row in np.flatnonzero(~whole):
        ranks[row, present[row]] = average_ranks(-goodness[row, present[row]])
    return ranks


def wins_of(ranks: FloatArray) -> FloatArray:
    """Count on how many data sets the algorithm of the row is before that of the column."""
    return np.array([(column[:, None] < ranks).sum(axis=0) for column in ranks.T], dtype=float)


def ties_of(ranks: FloatArray) -> FloatArray:
    """Count on how many data sets two algorithms are tied; 0 on the diagonal."""
    ties = np.array([(column[:, None] == ranks).sum(axis=0) for column in ranks.T], dtype=float)
    np.fill_diagonal(ties, 0.0)
    return ties
