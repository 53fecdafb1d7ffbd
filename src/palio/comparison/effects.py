"""How much two algorithms differ, for every pair of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from palio.stats import effects
from palio.types import FloatArray, IntArray

__all__ = ["Effect", "pair_effects"]


@dataclass(frozen=True)
class Effect:
    """The size of a difference between a and b, over the data sets where both have a score.

    ``difference`` is the mean of a − b in the score's own unit, with a t interval;
    ``wins``, ``ties`` and ``losses`` are a's. The rest are 0 (or ½) where nobody leads.
    """

    n: int
    wins: int
    ties: int
    losses: int
    difference: float
    interval: tuple[float, float]
    median_difference: float
    rank_biserial: float
    cliffs_delta: float
    vargha_delaney: float

    def to_dict(self) -> dict[str, Any]:
        """Return the effect as plain data."""
        return {**vars(self), "interval": list(self.interval)}


def pair_effects(
    scores: FloatArray, first: IntArray, second: IntArray, *, higher_is_better: bool
) -> list[Effect]:
    """Compute the effects of pairs of columns; wins and ranks follow the direction.

    A slab of pairs at a time; pair after pair where scores are missing.
    """
    columns = np.ascontiguousarray(scores.T)
    gaps = bool(np.isnan(columns).any())
    size = 1 if gaps else max(1, _SLAB // columns.shape[1])
    found: list[Effect] = []
    for start in range(0, first.size, size):
        a, b = columns[first[start : start + size]], columns[second[start : start + size]]
        if gaps:
            both = ~np.isnan(a + b)[0]
            a, b = a[:, both], b[:, both]
        found += _effects(a, b, higher_is_better)
    return found


_SLAB = 1 << 19


def _effects(a: FloatArray, b: FloatArray, higher_is_better: bool) -> list[Effect]:
    """Compute the effects of pairs (pairs, data sets)."""
    # Wins, ranks and dominance are about being better; the difference keeps the score's sign.
    good_a, good_b = (a, b) if higher_is_better else (-a, -b)
    mean = effects.mean_difference(a, b)
    counts = effects.win_tie_loss(good_a, good_b)
    columns = (
        counts.wins,
        counts.ties,
        counts.losses,
        mean.estimate,
        mean.low,
        mean.high,
        effects.median_difference(a, b).estimate,
        effects.rank_biserial(good_a, good_b),
        delta := effects.cliffs_delta(good_a, good_b),
        (delta + 1) / 2,  # Vargha and Delaney's A says the same
    )
    return [
        Effect(a.shape[1], wins, ties, losses, difference, (low, high), median, biserial, cliff, va)
        for wins, ties, losses, difference, low, high, median, biserial, cliff, va in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]
