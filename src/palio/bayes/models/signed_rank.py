r"""The Bayesian signed-rank test: on which side would the mean of two differences fall.

The double sums of the model, which is written out in `signed_rank`, are never made. With z sorted
and C the cumulative sums of w, the partners that bring :math:`z_j` above :math:`2r` are all but the
first :math:`p(j)`; with m the number of :math:`z_j \le r`,

.. math::

    \theta_1 = 1 - C(m)^2 - 2 \sum_{j \ge m} w_j\, C(p(j))

because the sum over partners before j telescopes into squares; :math:`\theta_3` is its mirror.
Neighbours with the same :math:`p(j)` are added up through C. The positions depend on z alone and
are found once per pair; a draw then costs of the order of n.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.bayes.draws import Draws
from palio.bayes.models.dirichlet import (
    Sampler,
    pairwise_posterior,
    slab_size,
    weights,
)
from palio.scores import Tabular, as_table

if TYPE_CHECKING:
    from palio.bayes.posterior import Posterior
    from palio.bayes.rope import Rope
    from palio.types import FloatArray, IntArray

# Where the pseudo-observations lie: beyond everything on the first's side, at 0, on the second's.
_PLACES = np.array([np.inf, 0.0, -np.inf])


def signed_rank(
    table: Tabular,
    *,
    rope: float | str | Rope = "auto",
    scale: str | None = None,
    prior_strength: float = 0.5,
    prior_place: str = "rope",
    draws: int = 50_000,
    seed: int = 0,
    mass: float = 0.95,
    **reading: Any,
) -> Posterior:
    r"""Compare all pairs by the Bayesian signed-rank test.

    The counterpart of Wilcoxon's test: taking two data sets at random, which is most probable
    for the mean of the two differences: that it favours the first algorithm, that it is
    practically zero, or that it favours the second? Valid where differences on different data
    sets can be compared in size; otherwise `sign`.

    Parameters
    ----------
    table : ScoreTable, path or frame
        Two algorithms or more; the mean over folds is one observation per data set. Missing
        scores are left out pair by pair.
    rope : float, Rope or "auto"
        Half the region of practical equivalence. With 0 the middle region holds sums that are
        exactly 0, the pseudo-observation with itself among them; "auto" is 0 where the table
        suggests none.
    scale : {"difference", "ratio", "auto"}, optional
        What means the same on every data set; as the table has it unless given, and "auto" goes by
        the measure. On a ratio scale a region of 0.01 is 1 %.
    prior_strength : float, default 0.5
        How many data sets the prior is worth.
    prior_place : {"rope", "a", "b", "equal"}
        Where the prior's pseudo-observation lies: at 0, beyond all others on the side where the
        pair's first (a) or second (b) algorithm is better, or a third of it at each.
    draws : int
        How many draws.
    seed : int
        Of the random numbers.
    mass : float
        Of the highest-density intervals.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Posterior

    Notes
    -----
    The differences :math:`z_1, \dots, z_n` of a pair on n data sets are draws from an unknown
    distribution, whose prior is a Dirichlet process of strength s at a point :math:`z_0`: 0 for
    ``prior_place="rope"``, infinity for "a" (the first is better), minus infinity for "b", and a
    third of each for "equal". The posterior puts random weights on these points,

    .. math::

        (w_0, w_1, \dots, w_n) \sim \mathrm{Dirichlet}(s, 1, \dots, 1)

    With r half the region, what is asked are the probabilities that the mean of two differences,
    drawn with these weights, is above the region, in it, and below it:

    .. math::

        \theta_1 = \sum_{i,j :\, z_i + z_j > 2r} w_i w_j, \qquad
        \theta_2 = \sum_{i,j :\, \left|z_i + z_j\right| \le 2r} w_i w_j, \qquad
        \theta_3 = \sum_{i,j :\, z_i + z_j < -2r} w_i w_j

    The weights of the data sets are drawn once and shared by all pairs; each pair's answer is
    unaffected. Two differences whose sum is off the region's edge by rounding alone (1e-12 of the
    largest score of the pair) are on the edge, and the edge is inside.

    References
    ----------
    Benavoli and others (2014), A Bayesian Wilcoxon signed-rank test based on the Dirichlet
    process. ICML.
    Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis. JMLR 18.

    Examples
    --------
    >>> from palio.scores import ScoreTable
    >>> scores = [[0.10, 0.20], [0.30, 0.35], [0.25, 0.24], [0.12, 0.13], [0.40, 0.48]]
    >>> table = ScoreTable.from_arrays(
    ...     scores, datasets=list("abcde"), algorithms=["rf", "knn"], measure="error"
    ... )
    >>> signed_rank(table, rope=0.01).probabilities()[["p_a_better", "p_rope"]].round(1)
       p_a_better  p_rope
    0         0.9     0.1
    """
    table = as_table(table, reading, signed_rank, scale=scale)

    def sampler(rope: float, strength: float, shares: FloatArray) -> Sampler:
        return partial(
            signed_rank_draws,
            rope=rope,
            prior_at=_PLACES[shares > 0],
            prior_strengths=strength * shares[shares > 0],
            draws=draws,
        )

    return pairwise_posterior(
        table,
        sampler,
        model="signed-rank",
        title="Bayesian signed-rank test",
        rope=rope,
        prior=(prior_strength, prior_place),
        draws=draws,
        seed=seed,
        mass=mass,
    )


def signed_rank_draws(
    differences: FloatArray,
    noise: FloatArray,
    rng: np.random.Generator,
    *,
    rope: float,
    prior_at: FloatArray,
    prior_strengths: FloatArray,
    draws: int,
) -> Draws:
    """Draw the probabilities of the three regions of each pair.

    The weights of the data sets are drawn once, for all pairs.

    Parameters
    ----------
    differences : array (P, S)
        First minus second, more is better; NaN where missing, one or more per pair.
    noise : array (P, S)
        What counts as zero among them.
    rng : numpy.random.Generator
        The source of randomness.
    rope : float
        Half the region; its edge is inside.
    prior_at, prior_strengths : array (k,)
        Where the pseudo-observations lie, and how many data sets each is worth.
    draws : int
        How many.

    Returns
    -------
    Draws
        ``regions`` (1, draws, P, 3), independent.
    """
    n_pairs, n = differences.shape
    plans = [
        _Plan.of(np.concatenate([z, prior_at]), edge)
        for z, edge in zip(differences, 2 * rope + 2 * np.nanmax(noise, axis=1), strict=True)
    ]
    regions = np.empty((n_pairs, 3, draws))
    buffer = np.zeros((n + prior_at.size + 1, slab_size(n, draws)))
    for part, slab in weights(rng, n, prior_strengths, draws):
        cumulated = buffer[:, : slab.shape[1]]
        for p, plan in enumerate(plans):
            _cumulate(slab, plan.order, cumulated)
            regions[p, :, part] = plan.regions(cumulated)
    return Draws(
        {"regions": regions.transpose(2, 0, 1)[None]},
        "exact, from the Dirichlet process posterior",
        independent=True,
    )


@dataclass(frozen=True, eq=False)
class _Partners:
    """Runs of neighbours start … stop - 1 in sorted order, all with the same first ``count``."""

    start: IntArray
    stop: IntArray
    count: IntArray

    @classmethod
    def of(cls, count: IntArray, begin: int) -> _Partners:
        """Group the counts of the observations begin, begin + 1, … into runs of equal ones."""
        changes = np.flatnonzero(np.diff(count)) + 1
        start = np.concatenate([[0], changes])[: count.size]
        stop = np.concatenate([changes, [count.size]])[: count.size]
        return cls(begin + start, begin + stop, count[start])

    def total(self, cumulated: FloatArray) -> FloatArray:
        """Return the sums of weights times C at their counts, of every draw."""
        own = cumulated[self.stop]
        own -= cumulated[self.start]
        found: FloatArray = np.einsum("ij,ij->j", own, cumulated[self.count])
        return found


@dataclass(frozen=True, eq=False)
class _Plan:
    """What a pair needs of the cumulative sums: positions found once, used in every slab."""

    order: IntArray
    below: int
    above: int
    under: _Partners
    over: _Partners

    @classmethod
    def of(cls, z: FloatArray, edge: float) -> _Plan:
        """Plan for observations and pseudo-observations; sums beyond ±edge are out of the region.

        Missing ones sort last and are left off.
        """
        size = int(np.count_nonzero(~np.isnan(z)))
        order = np.argsort(z, kind="stable")[:size]
        ordered = z[order]
        below = int(np.searchsorted(ordered, -edge / 2, side="left"))
        above = int(np.searchsorted(ordered, edge / 2, side="right"))
        under = np.searchsorted(ordered, -edge - ordered[:below], side="left")
        over = np.searchsorted(ordered, edge - ordered[above:], side="right")
        return cls(order, below, above, _Partners.of(under, 0), _Partners.of(over, above))

    def regions(self, cumulated: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the three probabilities of every draw from the cumulative sums (n + 1, draws)."""
        whole = cumulated[self.order.size] ** 2
        first = whole - cumulated[self.above] ** 2 - 2.0 * self.over.total(cumulated)
        second = 2.0 * self.under.total(cumulated) - cumulated[self.below] ** 2
        # Rounding may take a sum of nothing below zero.
        first, second = np.maximum(first / whole, 0.0), np.maximum(second / whole, 0.0)
        return first, np.maximum(1.0 - first - second, 0.0), second


def _cumulate(slab: FloatArray, order: IntArray, out: FloatArray) -> None:
    """Write the cumulative sums of the rows of ``slab``, taken in this order, to ``out[1:]``.

    Row by row: `numpy.cumsum` along the first axis takes twenty times as long.
    """
    rows, sums = list(slab), list(out)
    for place, row in enumerate(order.tolist()):
        np.add(sums[place], rows[row], out=sums[place + 1])
