"""Which places by strength hang on who else is in the pool: each algorithm left out in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from palio.stats.ranks import ranks_of_present
from palio.stats.strengths import fit_strengths, games_of_wins, pair_wins, without_each
from palio.types import FloatArray


class PoolSwap(NamedTuple):
    """Two neighbours by strength, and the algorithms without any one of which they change places.

    ``lead`` is by how much the first is stronger, in log-odds.
    """

    first: str
    second: str
    lead: float
    without: tuple[str, ...]


def pool_swaps(goodness: FloatArray, names: Sequence[str]) -> tuple[PoolSwap, ...]:
    """Find the neighbours by strength who change places if one other algorithm is left out.

    Does a place hang on the pool? Every algorithm is left out in turn, and Bradley and Terry's
    strengths of the others are found again. Neighbours are those of one part; equals are none.
    Without gaps the same is true of the average ranks, whose order is that of the strengths.

    Parameters
    ----------
    goodness
        Shape (n, K), higher is better; NaN where there is no score.
    names
        Of the K algorithms.

    Examples
    --------
    >>> import palio
    >>> table = palio.load_study("ulas2008")
    >>> swap = pool_swaps(table.goodness(), table.algorithms)[0]
    >>> swap.first, swap.second, swap.without
    ('sv2', '5nn', ('svl',))
    """
    wins = pair_wins(ranks_of_present(-goodness)[0])
    whole = fit_strengths(games_of_wins(wins))
    values = whole.values.round(9)
    order = np.lexsort((-values, whole.parts))  # part by part, the strongest first
    upper, lower = order[:-1], order[1:]
    # The last of a part is at 0 or below, the first of the next at 0 or above: no neighbours.
    close = values[upper] > values[lower]
    upper, lower = upper[close], lower[close]
    others = _without_each(wins, complete=not np.isnan(goodness).any())
    swapped = others[:, lower] > others[:, upper]  # who is left out has no strength
    return tuple(
        PoolSwap(
            names[i],
            names[j],
            float(whole.values[i] - whole.values[j]),
            tuple(names[out] for out in np.flatnonzero(swapped[:, at]).tolist()),
        )
        for at, (i, j) in enumerate(zip(upper.tolist(), lower.tolist(), strict=True))
        if swapped[:, at].any()
    )


def _without_each(wins: FloatArray, *, complete: bool) -> FloatArray:
    """Return what orders the others (column) without the one of the row: strengths, or wins.

    With equally many games for all, the order of the strengths is that of the wins.
    """
    if not complete:
        return without_each(wins).round(9)
    others = wins.sum(axis=1) - wins.T
    np.fill_diagonal(others, np.nan)
    return np.asarray(others)
