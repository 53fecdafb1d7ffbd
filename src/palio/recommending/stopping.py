"""When to stop trying: how plausible it is that one of the rest is better than the best so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from palio.stats.ranks import paired_difference
from palio.types import FloatArray

__all__ = ["Chance", "chance_of_rest"]


@dataclass(frozen=True)
class Chance:
    """How plausible it is that one of the rest is better than the best so far.

    On ``n`` of the relevant data sets the best so far leads those tried, as it does here; on
    ``beaten`` of these one of the rest is better by more than the margin. ``probability`` is
    (beaten + ½) / (n + 1), the mean of the posterior of a share under Jeffreys' prior.
    """

    parts: ClassVar[tuple[str, ...]] = ("beaten", "n", "probability")

    beaten: int
    n: int

    @property
    def probability(self) -> float:
        """The posterior mean of the share."""
        return (self.beaten + 0.5) / (self.n + 1)


def chance_of_rest(
    goodness: FloatArray, tried: Sequence[int], rest: Sequence[int], leader: int, margin: float = 0
) -> Chance:
    """Return how plausible it is that the rest holds one that beats the leader of those tried.

    Only data sets on which the same one leads are asked: what was measured on the new data set
    chooses among those seen before (as the relative landmarks of Leite, Brazdil and Vanschoren
    2012 do).

    Parameters
    ----------
    goodness : array (S, K)
        Scores on the relevant data sets, higher is better.
    tried, rest, leader
        Columns: those measured, those that may still be, and the best of the first.
    margin
        Better by no more than this does not count.

    Examples
    --------
    The first leads the first two on three of four data sets; the third beats it on one of these.

    >>> scores = np.array([[0.9, 0.8, 0.7], [0.9, 0.7, 0.95], [0.8, 0.7, 0.6], [0.6, 0.9, 0.8]])
    >>> chance = chance_of_rest(scores, tried=[0, 1], rest=[2], leader=0)
    >>> chance, chance.probability
    (Chance(beaten=1, n=3), 0.375)
    """
    best = goodness[:, leader]
    leads = (paired_difference(best[:, np.newaxis], goodness[:, list(tried)]) >= 0).all(axis=1)
    gain = paired_difference(goodness[:, list(rest)], best[:, np.newaxis]).max(axis=1)
    return Chance(int((leads & (gain > margin)).sum()), int(leads.sum()))
