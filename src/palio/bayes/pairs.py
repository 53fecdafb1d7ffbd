"""Every pair of algorithms: which is better, by how much, and whether it matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palio.bayes.draws import Draws, mc_error

if TYPE_CHECKING:
    from palio.types import FloatArray, IntArray

__all__ = ["Pairs", "all_pairs", "highest_density", "pairs_of_effects", "pairs_of_regions"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """What the posterior says of the pairs (i, j).

    Parameters
    ----------
    first, second : array (P,)
        Positions of the two algorithms.
    probabilities : array (P, 3)
        That the first is better, that they are practically equal, that the second is better.
    difference : array (P,)
        The posterior mean of first minus second, in the unit of the score.
    hdi : array (P, 2)
        Its highest-density interval.
    mc_error : array (P,)
        The largest Monte-Carlo standard error of the three probabilities; 0 where they are exact.
    """

    first: IntArray
    second: IntArray
    probabilities: FloatArray
    difference: FloatArray
    hdi: FloatArray
    mc_error: FloatArray


def all_pairs(k: int) -> tuple[IntArray, IntArray]:
    """Return the positions of all pairs of ``k`` algorithms, the first before the second.

    >>> all_pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    first, second = np.triu_indices(k, 1)
    return first.astype(np.intp), second.astype(np.intp)


def pairs_of_effects(
    draws: Draws,
    effects: FloatArray,
    *,
    rope: float,
    higher_is_better: bool,
    mass: float,
    exact: FloatArray | None = None,
) -> Pairs:
    """Compare all pairs by draws of the algorithms' effects: (chains, draws, K).

    ``rope`` is on the scale of the effects. ``exact`` (P, 3) replaces counted shares where a
    model knows them without noise. On the edge of the region counts as inside.
    """
    first, second = all_pairs(effects.shape[-1])
    probabilities, error = np.zeros((first.size, 3)), np.zeros(first.size)
    difference, hdi = np.zeros(first.size), np.zeros((first.size, 2))
    for p, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        gap = effects[:, :, i] - effects[:, :, j]
        above, below = gap > rope, gap < -rope
        better, worse = (above, below) if higher_is_better else (below, above)
        regions = np.stack([better, ~(above | below), worse], axis=-1)
        probabilities[p] = regions.mean(axis=(0, 1))
        if exact is None:
            error[p] = mc_error(regions, independent=draws.independent).max()
        difference[p] = gap.mean()
        hdi[p] = highest_density(gap, mass)
    return Pairs(first, second, probabilities if exact is None else exact, difference, hdi, error)


def pairs_of_regions(
    draws: Draws,
    regions: FloatArray,
    *,
    difference: FloatArray,
    hdi: FloatArray,
    first: IntArray,
    second: IntArray,
) -> Pairs:
    """Compare pairs by draws of the three regions' probabilities: (chains, draws, P, 3).

    The regions are: first better, practically equal, second better. The probability of each is
    the share of draws in which it is the most probable of the three (a tie is shared), as
    Benavoli and others (2017) decide.
    """
    most = regions == regions.max(axis=-1, keepdims=True)
    probabilities = (most / most.sum(axis=-1, keepdims=True)).mean(axis=(0, 1))
    error = mc_error(most, independent=draws.independent).max(axis=-1)
    return Pairs(first, second, probabilities, difference, hdi, error)


def highest_density(values: FloatArray, mass: float) -> tuple[float, float]:
    """Return the shortest interval that holds ``mass`` of the draws.

    >>> highest_density(np.array([0.0, 1.0, 1.1, 1.2, 9.0]), 0.5)
    (1.0, 1.2)
    """
    ordered = np.sort(values, axis=None)
    inside = min(ordered.size, int(np.ceil(mass * ordered.size)))
    widths = ordered[inside - 1 :] - ordered[: ordered.size - inside + 1]
    start = int(np.argmin(widths))
    return float(ordered[start]), float(ordered[start + inside - 1])
