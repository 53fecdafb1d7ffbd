"""Rankings by strengths: Bradley and Terry's, and the same on Elo's scale."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from palio.ordering.rankers import Ranker, RankingOptions, goodness_of
from palio.ordering.ranking_scores import weighted_mean
from palio.registry import unknown_name
from palio.scores import ScoreTable
from palio.stats import strengths
from palio.stats.rank_sets import rank_sets
from palio.stats.ranks import ranks_of_present
from palio.stats.strengths import fit_strengths, games_of_ranks
from palio.types import FloatArray, IntArray

ELO_SCALE, ELO_CENTRE = 400 / np.log(10), 1500.0
"""On Elo's scale 400 points are odds of ten to one, and the average player has 1500."""

_LEVEL = 0.05


def bradley_terry_of(table: ScoreTable, _options: RankingOptions) -> Ranker:
    r"""Rank by strengths, of which the differences are log-odds of winning on a data set.

    How far apart are the algorithms, as odds of winning? Only who is better counts, and missing
    scores are allowed. Strengths of algorithms that no chain of data sets joins cannot be compared.

    Notes
    -----
    With :math:`w_i` the wins of i in :math:`n_{ij}` games against each j, the strengths β solve

    .. math::

        w_i = \sum_j \frac{n_{ij}}{1 + e^{\beta_j - \beta_i}}

    With every score present all have equally many games, and then the order of the strengths is
    that of the wins, hence of the average ranks, for the right side grows with :math:`\beta_i`. The
    games of one data set are not independent; the intervals count data sets
    (`palio.stats.strengths.over_datasets`), and so do the sets of ranks, which all hold at once
    (`told_apart`).
    """
    return _ranker(_Found(table))


def elo_of(table: ScoreTable, options: RankingOptions) -> Ranker:
    r"""Rank by the ratings at which Elo's updates cancel out, whatever the order of the games.

    What would the algorithms' Elo ratings be after endlessly many games? As `bradley_terry_of`,
    on Elo's scale, as arenas give it. The average of a part has 1500, or one algorithm, the anchor.

    Notes
    -----
    With the strengths β of `bradley_terry_of`:

    .. math::

        \mathrm{rating}_i = 1500 + \frac{400}{\ln 10}\, \beta_i

    An update adds κ times the result less its expectation to a rating; summed over all games this
    is κ times the slope of Bradley and Terry's likelihood, so the point at rest is their strengths.
    With an anchor, 1500 and the intervals are about the difference to it.
    """
    anchor = options.anchor
    if anchor is not None and anchor not in table.algorithms:
        raise unknown_name("anchor", anchor, table.algorithms)
    at = None if anchor is None else table.algorithms.index(anchor)
    ranker = _ranker(_Found(table, ELO_SCALE, ELO_CENTRE, at))
    fixed = "the mean is 1500" if anchor is None else f"{anchor} is fixed at 1500"
    notes = (
        "the ratings at which Elo's updates over all games add up to nothing: Bradley–Terry "
        "strengths on his scale, so the order of the games does not matter",
        f"400 points are odds of ten to one, and {fixed}",
    )
    return replace(ranker, notes=(*notes, *ranker.notes))


class _Found:
    """The strengths of a table, each thing about them when it is first asked for."""

    def __init__(
        self,
        table: ScoreTable,
        scale: float = 1.0,
        centre: float = 0.0,
        anchor: int | None = None,
    ) -> None:
        self.ranks, of = ranks_of_present(-goodness_of(table, gaps=True))
        self.complete = table.is_complete
        self.n = (~np.isnan(self.ranks))[of > 1].sum(axis=0).astype(np.float64)
        self.scale, self.centre, self.anchor = scale, centre, anchor

    @functools.cached_property
    def whole(self) -> strengths.Strengths:
        return fit_strengths(games_of_ranks(self.ranks))

    @functools.cached_property
    def covariance(self) -> FloatArray:
        return strengths.over_datasets(self.whole, self.ranks)

    def scores(self, weights: FloatArray) -> FloatArray:
        """Return the strengths, on their scale, for each row of weights of data sets."""
        found = []
        for row in weights:
            fit = fit_strengths(games_of_ranks(self.ranks, row))
            # Newton's method stops some 1e-12 from the maximum: what is closer is equal.
            found.append(self._anchored(fit.values, fit.parts).round(9))
        return np.asarray(self.centre + self.scale * np.array(found))

    def _anchored(self, values: FloatArray, parts: IntArray) -> FloatArray:
        """Put the anchor at 0, and its part around it."""
        if self.anchor is None:
            return values
        return np.where(parts == parts[self.anchor], values - values[self.anchor], values)

    def interval(self) -> FloatArray:
        """Return the ends (2, K) of 95 % intervals, by t with as many degrees as data sets."""
        values = self._anchored(self.whole.values, self.whole.parts)
        variance, n = np.diagonal(self.covariance).copy(), self.n
        if self.anchor is not None:
            ours = self.whole.parts == self.whole.parts[self.anchor]
            shared = variance[self.anchor] - 2 * self.covariance[self.anchor]
            variance += np.where(ours, shared, 0.0)
            n = np.where(ours, np.minimum(n, n[self.anchor]), n)
        found = strengths.ends(values, variance, n, alpha=_LEVEL)
        return np.asarray(self.centre + self.scale * found)

    def rank_sets(self) -> IntArray:
        """Return the first and last rank (K, 2) that the strengths leave open within each part."""
        parts = self.whole.parts
        found = np.ones((parts.size, 2), dtype=np.intp)
        for part in range(parts.max() + 1):
            ours = np.flatnonzero(parts == part)
            if ours.size > 1:
                covariance = self.covariance[np.ix_(ours, ours)]
                better = strengths.told_apart(
                    self.whole.values[ours], covariance, self.n[ours], alpha=_LEVEL
                )
                found[ours] = rank_sets(better)
        return found


def _ranker(found: _Found) -> Ranker:
    notes = [
        "a tie is half a win for each; 95 % intervals and ranks take data sets, not games, as "
        "independent (sandwich estimator); the ranks hold all at once"
    ]
    if found.complete:
        notes.append(
            "no score is missing, so the order is that of average-ranks; what is new is how far "
            "apart the strengths are"
        )
    if not games_of_ranks(found.ranks).bounded.all():
        notes.append(
            "someone never lost, or never won, so the maximum is not finite: a normal penalty "
            "with standard deviation 10 keeps the strengths finite"
        )
    return Ranker(
        found.scores,
        higher_is_better=True,
        notes=tuple(notes),
        order_by=functools.partial(weighted_mean, found.ranks) if found.complete else None,
        interval=found.interval,
        rank_sets=found.rank_sets,
    )
