"""Which algorithm is strongest, by the rankings over data sets? The model of Plackett and Luce.

What it shares with `bradley_terry` is in `palio.bayes.models.strengths`.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from palio.bayes.models.choices import Choices, Tie
from palio.bayes.models.strengths import checked_ranks, strengths_posterior
from palio.registry import unknown_name
from palio.scores import Tabular, as_table
from palio.stats.outcome import column_means
from palio.stats.strengths import pair_wins

if TYPE_CHECKING:
    from palio.bayes.posterior import Posterior
    from palio.bayes.rope import Rope
    from palio.types import BoolArray, FloatArray

Ties: TypeAlias = Literal["half"]

ALL_ORDERS = 12
"""The largest tie of which all orders are taken; of larger ones, a balanced sample."""

_CIRCLES = 32
_LARGE = 6  # ties whose sets are worth being added up by themselves


def plackett_luce(
    table: Tabular,
    *,
    rope: float | str | Rope = "auto",
    ties: Ties = "half",
    draws: int = 20_000,
    seed: int = 0,
    mass: float = 0.95,
    **reading: Any,
) -> Posterior:
    r"""Ask which algorithm is strongest by their rankings over data sets.

    Only ranks count, never by how much, so scores need not be commensurable between data sets.
    A data set is one observation, the ranking of all; choosing between two algorithms does not
    depend on which others there are (Luce's axiom).

    Parameters
    ----------
    table : ScoreTable, path or frame
        Two algorithms or more; where scores are missing, the others are ranked.
    rope : float, Rope or "auto"
        On the scale of the probability that a is ranked before b: within 0.5 ± ``rope`` two
        algorithms are practically equal. Below 0.5; "auto" is 0.05.
    ties : {"half"}
        Tied algorithms stand in every order, each with the same share, so that two have half a
        win each.
    draws : int
        Draws to propose; as many as they are effectively worth are kept. Of more than 100
        algorithms fewer, so that there are no more than 50 million draws of all pairs.
    seed : int
        The same seed gives the same draws.
    mass : float
        Of the highest-density intervals.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Posterior

    Notes
    -----
    On a data set the best is chosen among all, the second among the rest, and so on; of the set L
    that is left, i with probability

    .. math::

        P(i \mid L) = \frac{e^{\beta_i}}{\sum_{j \in L} e^{\beta_j}}, \qquad
        \beta_k \sim N(0, \sigma^2), \qquad \log(\sigma) \sim N(0, 0.5^2)

    Of tied algorithms the log-likelihood is the mean over their orders; of ties of more than twelve
    a balanced sample of the orders is taken, always the same. scmamp gives the normalised
    :math:`e^{\beta}` a Dirichlet prior instead.

    References
    ----------
    R. L. Plackett (1975), The analysis of permutations, Applied Statistics 24.
    R. D. Luce (1959), Individual choice behavior, Wiley.
    B. Calvo, J. Ceberio and J. A. Lozano (2018), Bayesian inference for algorithm ranking
    analysis, GECCO companion.

    Examples
    --------
    >>> import palio
    >>> posterior = plackett_luce(palio.load_study("ulas2008"))
    >>> posterior.best().sort_values("p_best").algorithm.iloc[-1]
    'svr'
    """
    table = as_table(table, reading, plackett_luce)
    if ties not in get_args(Ties):
        raise unknown_name("ties", ties, get_args(Ties))
    ranks = checked_ranks(table)

    def replicate(strength: FloatArray, rng: np.random.Generator) -> FloatArray:
        return pair_wins(replicated_ranks(strength, ranks, rng))

    return strengths_posterior(
        table,
        ranks,
        choices_of_ranks(ranks),
        model="plackett-luce",
        title="Plackett–Luce model",
        reference="Plackett 1975; Calvo, Ceberio and Lozano 2018",
        replicate=replicate,
        rope=rope,
        draws=draws,
        seed=seed,
        mass=mass,
        notes=(_ties_note(ranks),),
    )


def _ties_note(ranks: FloatArray) -> str:
    counts = [np.unique(row[np.isfinite(row)], return_counts=True)[1] for row in ranks]
    sizes = np.concatenate(counts)
    sizes = sizes[sizes > 1]
    if not sizes.size:
        return "no ranking has ties"
    large = int((sizes > ALL_ORDERS).sum())
    sampled = f"; of {large} of more than {ALL_ORDERS}, a balanced sample" if large else ""
    return f"ties: {len(sizes)}, of which every order has the same share{sampled}"


# --- on arrays -------------------------------------------------------------------------------


def replicated_ranks(
    strength: FloatArray, ranks: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Rank the same algorithms on as many data sets by chance; NaN where ``ranks`` is.

    Exponential waiting times with rates exp(β) arrive in the order of the model.
    """
    waiting = np.log(rng.standard_exponential(ranks.shape)) - strength
    order = np.argsort(np.argsort(waiting + 0 * ranks, axis=1), axis=1) + 1.0
    return np.where(np.isfinite(ranks), order, np.nan)


def choices_of_ranks(ranks: FloatArray) -> Choices:
    """Return the choices, place after place, that rankings (S, K) are.

    >>> choices = choices_of_ranks(np.array([[1.0, 2.0, 3.0]]))
    >>> choices.chosen
    array([1., 1., 0.])
    >>> choices.sets.astype(int)
    array([[0, 1, 1],
           [1, 1, 1]])
    """
    # Large ties are put in order by mean ranks, not by names.
    by_mean = np.argsort(column_means(ranks), kind="stable")
    pieces, others, ties = [], [], []
    for row in ranks:
        places, counts = np.unique(row[np.isfinite(row)], return_counts=True)
        # Who is left when a place is to be filled.
        pieces.append((row >= places[:, None], np.ones(places.size)))
        others.append(pieces[-1])
        for place in places[counts > 1]:
            tied = by_mean[row[by_mean] == place]
            left, share = _left_of(tied.size)
            behind = np.tile(row > place, (share.size, 1))
            behind[:, tied] = left
            pieces.append((behind, share))
            loose = np.ones(share.size, dtype=np.bool_)
            if tied.size >= _LARGE:
                real = behind.sum(axis=1) > 1
                tie, loose = Tie.of_sets(row > place, tied, left[real], share[real])
                ties.append(tie)
                behind, share = behind[real], share[real]
            others.append((behind[loose], share[loose]))
    members, weight = _merged(pieces)
    alone = members.sum(axis=1) == 1  # who is alone is chosen for certain
    chosen = np.isfinite(ranks).sum(axis=0) - weight[alone] @ members[alone]
    small, often = _merged(others)
    real = small.sum(axis=1) > 1
    return Choices(chosen, members[~alone], weight[~alone], tuple(ties), (small[real], often[real]))


@lru_cache
def _left_of(size: int) -> tuple[BoolArray, FloatArray]:
    """Return who of so many tied can be left, fewer than all, and in what share of the orders.

    In a random order the last s are each subset of size s equally often. Of large ties, the runs
    of s neighbours on a circle, for some fixed orders on the circle.
    """
    if size <= ALL_ORDERS:
        codes = np.arange(1, 2**size - 1)
        left = (codes[:, None] >> np.arange(size)) % 2 == 1
        share = 1 / np.array([comb(size, s) for s in left.sum(axis=1).tolist()])
        return left, share
    rng = np.random.default_rng(size)
    runs = (np.arange(size) - np.arange(size)[:, None]) % size < np.arange(1, size)[:, None, None]
    runs = runs.reshape(-1, size)
    left = np.concatenate([runs[:, rng.permutation(size)] for _ in range(_CIRCLES)])
    return left, np.full(len(left), 1 / (size * _CIRCLES))


def _merged(pieces: list[tuple[BoolArray, FloatArray]]) -> tuple[BoolArray, FloatArray]:
    """Join equal sets; all rankings share the first choice, at least."""
    sets = np.concatenate([piece[0] for piece in pieces])
    weights = np.concatenate([piece[1] for piece in pieces])
    packed, where = np.unique(np.packbits(sets, axis=1), axis=0, return_inverse=True)
    merged = np.unpackbits(packed, axis=1, count=sets.shape[1]).astype(np.bool_)
    return merged, np.asarray(np.bincount(where.ravel(), weights), dtype=float)
