"""How often does one algorithm beat another? The Bayesian model of Bradley and Terry.

What it shares with `plackett_luce` is in `palio.bayes.models.strengths`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from scipy.special import expit

from palio.bayes.models.choices import PairChoices
from palio.bayes.models.strengths import checked_ranks, strengths_posterior
from palio.errors import ParameterError
from palio.registry import unknown_name
from palio.scores import Tabular, as_table
from palio.stats.strengths import pair_wins

if TYPE_CHECKING:
    from palio.bayes.posterior import Posterior
    from palio.bayes.rope import Rope
    from palio.types import FloatArray

Ties: TypeAlias = Literal["half", "forget"]


def bradley_terry(
    table: Tabular,
    *,
    rope: float | str | Rope = "auto",
    ties: Ties = "half",
    draws: int = 20_000,
    seed: int = 0,
    mass: float = 0.95,
    **reading: Any,
) -> Posterior:
    r"""Ask how often each algorithm beats each other one, and which is the strongest.

    Only who scores better counts, never by how much, so scores need not be commensurable between
    data sets. One strength per algorithm explains all pairs. The comparisons of all pairs on one
    data set count as independent, which they are not quite: `plackett_luce` counts a data set as
    one ranking and is more cautious.

    Parameters
    ----------
    table : ScoreTable, path or frame
        Two algorithms or more; missing scores may have been left as gaps.
    rope : float, Rope or "auto"
        On the scale of the probability that a beats b: within 0.5 ± ``rope`` two algorithms are
        practically equal. Below 0.5; "auto" is 0.05.
    ties : {"half", "forget"}
        A tie is half a win for each (bbtcomp's "spread", which rounds an odd number of ties up
        to whole wins; here halves stay halves), or it is left out.
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
    With :math:`w_{ij}` the wins of algorithm i in :math:`n_{ij}` games against j, one on each data
    set that both have:

    .. math::

        \begin{split}
        w_{ij} &\sim \mathrm{Binomial}(n_{ij}, \mathrm{logistic}(\beta_i - \beta_j)) \\
        \beta_k &\sim N(0, \sigma^2), \qquad \log(\sigma) \sim N(0, 0.5^2)
        \end{split}

    The local region of bbtcomp, which turns small differences between folds into ties, is left
    out.

    References
    ----------
    R. A. Bradley and M. E. Terry (1952), Rank analysis of incomplete block designs, Biometrika 39.
    J. Wainer (2023), A Bayesian Bradley–Terry model to compare multiple ML algorithms on multiple
    data sets, JMLR 24.

    Examples
    --------
    >>> import palio
    >>> posterior = bradley_terry(palio.load_study("ulas2008"))
    >>> posterior.best().sort_values("p_best").algorithm.iloc[-1]
    'svr'
    """
    table = as_table(table, reading, bradley_terry)
    ranks = checked_ranks(table)
    wins = wins_with_ties(ranks, ties)
    if not wins.any():
        raise ParameterError(
            "ties", "every comparison is a tie", f"{ties!r} leaves nothing", "use 'half'"
        )
    half = wins_with_ties(ranks, "half")
    games = half + half.T

    def replicate(strength: FloatArray, rng: np.random.Generator) -> FloatArray:
        return replicated_wins(strength, games, rng)

    return strengths_posterior(
        table,
        ranks,
        choices_of_wins(wins),
        model="bradley-terry",
        title="Bradley–Terry model",
        reference="Wainer 2023",
        replicate=replicate,
        rope=rope,
        draws=draws,
        seed=seed,
        mass=mass,
        notes=(
            _ties_note(games, wins_with_ties(ranks, "forget"), ties),
            "the comparisons of one data set count as independent",
        ),
    )


def wins_with_ties(ranks: FloatArray, ties: Ties) -> FloatArray:
    """Count the wins of the row over the column: (S, K) ranks to (K, K).

    >>> wins_with_ties(np.array([[1.5, 1.5], [1.0, 2.0]]), "half")
    array([[0. , 1.5],
           [0.5, 0. ]])
    """
    if ties not in get_args(Ties):
        raise unknown_name("ties", ties, get_args(Ties))
    return pair_wins(ranks, tie=0.5 if ties == "half" else 0.0)


def _ties_note(games: FloatArray, wins: FloatArray, ties: Ties) -> str:
    """Say how many of the games were ties, by the wins without these."""
    played = round(float(games.sum()) / 2)
    count = played - round(float(wins.sum()))
    if not count:
        return "no comparison is a tie"
    treated = "count half a win for each" if ties == "half" else "are left out"
    return f"ties: {count} of {played} comparisons, which {treated}"


# --- on arrays -------------------------------------------------------------------------------


def replicated_wins(
    strength: FloatArray, games: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Play all games (K, K) of each pair by chance: the wins of the row over the column."""
    first, second = np.nonzero(np.triu(games, 1))
    n = games[first, second].astype(np.intp)
    wins = np.zeros(games.shape)
    wins[first, second] = rng.binomial(n, expit(strength[first] - strength[second]))
    wins[second, first] = n - wins[first, second]
    return wins


def choices_of_wins(wins: FloatArray) -> PairChoices:
    """Return the choices from pairs that the wins are."""
    games = wins + wins.T
    first, second = np.nonzero(np.triu(games, 1))
    return PairChoices(wins.sum(axis=1), first, second, games[first, second])
