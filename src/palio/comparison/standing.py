"""Where an algorithm stands: by its mean rank, or by its strength where few have met.

Mean ranks of algorithms that were tried on different data sets depend on whom they met there. The
strengths of Bradley and Terry take that into account: who beats the strong is strong.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from palio.comparison.sample import Scores
from palio.stats.ranks import ranks_of_present
from palio.stats.strengths import ends, fit_strengths, games_of_ranks, over_datasets


class Strength(NamedTuple):
    """A strength, whose differences are log-odds of winning on a data set, and its interval."""

    strength: float
    interval: Annotated[tuple[float, float], "At 1 − α, data sets as units."]


def strengths_of(scores: Scores, alpha: float) -> dict[str, Strength]:
    """Fit Bradley and Terry's strengths to who beats whom on each data set.

    >>> from palio.measures import measure_named
    >>> values = np.array([[0.9, 0.8, np.nan], [0.7, 0.8, np.nan], [0.9, np.nan, 0.1]])
    >>> scores = Scores(values, ("a", "b", "c"), ("x", "y", "z"), measure_named("accuracy"))
    >>> found = strengths_of(scores, 0.05)
    >>> found["a"].strength > found["c"].strength
    True
    """
    ranks, of = ranks_of_present(-scores.goodness)
    found = fit_strengths(games_of_ranks(ranks))
    n = (~np.isnan(ranks))[of > 1].sum(axis=0).astype(np.float64)
    variance = np.diagonal(over_datasets(found, ranks))
    low, high = ends(found.values, variance, n, alpha=alpha).tolist()
    rows = zip(scores.algorithms, found.values.tolist(), low, high, strict=True)
    return {name: Strength(value, (below, above)) for name, value, below, above in rows}
