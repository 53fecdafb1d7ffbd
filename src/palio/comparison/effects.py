"""How much two algorithms differ, for every pair of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from palio.stats import effects
from palio.stats._types import FloatArray, IntArray

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
    """Compute the effects of pairs of columns; wins and ranks follow the direction."""
    return [
        _effect(scores[:, [a, b]], higher_is_better)
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]


def _effect(pair: FloatArray, higher_is_better: bool) -> Effect:
    both = pair[~np.isnan(pair).any(axis=1)]
    a, b = both[:, 0], both[:, 1]
    # Wins, ranks and dominance are about being better; the difference keeps the score's sign.
    good_a, good_b = (a, b) if higher_is_better else (-a, -b)
    mean = effects.mean_difference(a, b)
    counts = effects.win_tie_loss(good_a, good_b)
    return Effect(
        n=a.size,
        wins=int(counts.wins),
        ties=int(counts.ties),
        losses=int(counts.losses),
        difference=float(mean.estimate),
        interval=(float(mean.low), float(mean.high)),
        median_difference=float(effects.median_difference(a, b).estimate),
        rank_biserial=float(effects.rank_biserial(good_a, good_b)),
        cliffs_delta=float(effects.cliffs_delta(good_a, good_b)),
        vargha_delaney=float(effects.vargha_delaney(good_a, good_b)),
    )
