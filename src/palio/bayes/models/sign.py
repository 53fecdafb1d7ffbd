"""The Bayesian sign test: on which side would the difference on a new data set fall."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.bayes.draws import Draws
from palio.bayes.models.dirichlet import Sampler, pairwise_posterior
from palio.scores import Tabular, as_table

if TYPE_CHECKING:
    from palio.bayes.posterior import Posterior
    from palio.bayes.rope import Rope
    from palio.types import FloatArray


def sign(
    table: Tabular,
    *,
    rope: float | str | Rope = "auto",
    scale: str | None = None,
    prior_strength: float = 1.0,
    prior_place: str = "rope",
    draws: int = 50_000,
    seed: int = 0,
    mass: float = 0.95,
    **reading: Any,
) -> Posterior:
    r"""Compare all pairs by the Bayesian sign test.

    On a new data set, which is most probable: that the first algorithm is better, that the two
    are practically equal, or that the second is better? Only the side on which each difference
    falls is used, so differences need not be comparable in size between data sets; `signed_rank`
    uses their sizes too.

    Parameters
    ----------
    table : ScoreTable, path or frame
        Two algorithms or more; the mean over folds is one observation per data set. Missing
        scores are left out pair by pair.
    rope : float, Rope or "auto"
        Half the region of practical equivalence. With 0 the middle region holds the ties; "auto"
        is 0 where the table suggests none.
    scale : {"difference", "ratio", "order", "auto"}, optional
        What means the same on every data set; as the table has it unless given, and "auto" goes by
        the measure. On a ratio scale a region of 0.01 is 1 %; on an order scale there is none.
    prior_strength : float, default 1
        How many data sets the prior is worth.
    prior_place : {"rope", "a", "b", "equal"}
        Where the prior's pseudo-observation lies: in the region, where the pair's first (a) or
        second (b) algorithm is better, or a third of it in each.
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
    On a new data set the first algorithm is better by more than the region with probability
    :math:`\theta_1`, the two are practically equal with :math:`\theta_2`, the second is better with
    :math:`\theta_3`. With the counts n of these over the data sets, and the prior strength s:

    .. math::

        (\theta_1, \theta_2, \theta_3) \sim
        \mathrm{Dirichlet}(n_1 + s q_1, n_2 + s q_2, n_3 + s q_3)

    where q is (0, 1, 0) for ``prior_place="rope"``, (1, 0, 0) for "a", (0, 0, 1) for "b", and a
    third of each for "equal". A region with parameter 0 has probability 0.

    References
    ----------
    Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis. JMLR 18.
    Benavoli and others (2014), A Bayesian Wilcoxon signed-rank test based on the Dirichlet
    process. ICML.

    Examples
    --------
    Nine data sets favour rf, one ties: Dirichlet(9, 1 + 1, 0).

    >>> from palio.scores import ScoreTable
    >>> scores = [[0.1, 0.2]] * 9 + [[0.3, 0.3]]
    >>> table = ScoreTable.from_arrays(
    ...     scores, datasets=list("abcdefghij"), algorithms=["rf", "knn"], measure="error"
    ... )
    >>> sign(table, rope=0).probabilities()[["p_a_better", "p_rope", "p_b_better"]].round(2)
       p_a_better  p_rope  p_b_better
    0        0.99    0.01         0.0
    """
    table = as_table(table, reading, sign, scale=scale)

    def sampler(rope: float, strength: float, shares: FloatArray) -> Sampler:
        return partial(sign_draws, rope=rope, prior=strength * shares, draws=draws)

    return pairwise_posterior(
        table,
        sampler,
        model="sign",
        title="Bayesian sign test",
        rope=rope,
        prior=(prior_strength, prior_place),
        draws=draws,
        seed=seed,
        mass=mass,
    )


def sign_draws(
    differences: FloatArray,
    noise: FloatArray,
    rng: np.random.Generator,
    *,
    rope: float,
    prior: FloatArray,
    draws: int,
) -> Draws:
    """Draw the probabilities of the three regions of each pair, Dirichlet(counts + prior).

    Parameters
    ----------
    differences : array (P, S)
        First minus second, more is better; NaN where missing, one or more per pair.
    noise : array (P, S)
        How far beyond the region a difference may be by rounding alone.
    rng : numpy.random.Generator
        The source of randomness.
    rope : float
        Half the region; its edge is inside.
    prior : array (3,)
        The prior's parameters: first better, practically equal, second better.
    draws : int
        How many.

    Returns
    -------
    Draws
        ``regions`` (1, draws, P, 3), independent.
    """
    first, second = differences > rope + noise, differences < -rope - noise
    equal = ~(first | second | np.isnan(differences))
    parameters = np.stack([side.sum(axis=1) for side in (first, equal, second)], axis=1) + prior
    seed = int(rng.integers(2**63))
    regions = np.empty((differences.shape[0], 3, draws))
    for shares, alpha in zip(regions, parameters, strict=True):
        # The same seed for every pair: what a pair gets does not depend on the pairs before it.
        shares[:] = np.random.default_rng(seed).standard_gamma(alpha[:, None], (3, draws))
        shares /= shares.sum(axis=0)
    return Draws(
        {"regions": regions.transpose(2, 0, 1)[None]},
        "exact, from the Dirichlet posterior",
        independent=True,
    )
