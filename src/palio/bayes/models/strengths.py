"""Strengths of algorithms from choices: what Bradley–Terry and Plackett–Luce share.

Both say that the best of a set of algorithms is algorithm i with probability
exp(β_i) / Σ exp(β_j), the sum over the set. Bradley and Terry choose from pairs, Plackett and Luce
from all that are left, place after place. So both have the log-likelihood

    Σ_k chosen_k β_k − Σ_c weight_c log Σ_{j ∈ c} exp(β_j),

which is concave. The prior is that of bbtcomp (Wainer 2023)::

    σ ~ LogNormal(0, 0.5)               log σ ~ Normal(0, 0.5²)
    β_k | σ ~ Normal(0, σ²)             k = 1 … K, independent

Only differences of β matter, so the mean of β is left out, which is exact: in an orthonormal
basis Q of the contrasts (K × (K − 1), its columns add up to 0), u = Qᵀβ ~ Normal(0, σ² I) and is
independent of the mean. The strengths reported are Q u and add up to 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import expit

from palio.bayes.answer import Checks, Discrepancy
from palio.bayes.draws import Draws, check_draws, check_mass, few_datasets, pairs_of_effects
from palio.bayes.models.laplace import draw_effects
from palio.bayes.posterior import Effects, Posterior
from palio.bayes.rope import Rope, check_rope
from palio.errors import MissingCellsError, ParameterError
from palio.stats.ranks import average_ranks

if TYPE_CHECKING:
    from palio.scores import ScoreTable
    from palio.types import BoolArray, FloatArray

USUAL = Rope(0.05, "the usual region of a probability to win")
"""What is practically even, unless another region is given."""

SCALE = 0.5
"""The standard deviation of log σ in the prior."""

Replicate: TypeAlias = Callable[["FloatArray", np.random.Generator], "FloatArray"]
"""Strengths (K,) to the wins (K, K) on as many data sets as there are, by chance."""

_LEAST_DRAWS = 100  # the tail of the weights needs as many
_REPLICATES = 200
_EXTREME = 0.05
_ROWS, _TILE = 64, 250_000  # draws at a time, and multiplications


@dataclass(frozen=True, eq=False)
class Choices:
    """Choices from sets of algorithms, as the likelihood sees them.

    Parameters
    ----------
    chosen : array (K,)
        How often each algorithm was chosen.
    sets : array of bool (C, K)
        The sets it was chosen from.
    weight : array (C,)
        How often from each set.
    """

    chosen: FloatArray
    sets: BoolArray
    weight: FloatArray

    @property
    def size(self) -> int:
        """The number of contrasts, K − 1."""
        return self.chosen.size - 1

    @cached_property
    def basis(self) -> FloatArray:
        """The orthonormal basis of the contrasts, Q."""
        return contrasts(self.chosen.size)

    @cached_property
    def _members(self) -> FloatArray:
        return np.ascontiguousarray(self.sets.T, dtype=float)  # (K, C)

    def values(self, effects: FloatArray) -> FloatArray:
        """Return the log-likelihood of each row of contrasts: (n, K − 1) to (n,)."""
        strength = effects @ self.basis.T
        found = strength @ self.chosen
        for start in range(0, found.size, _ROWS):
            rows = slice(start, start + _ROWS)
            found[rows] -= self._log_sums(strength[rows])
        return found

    def _log_sums(self, strength: FloatArray) -> FloatArray:
        """Return Σ weight log Σ exp β of each row of strengths."""
        top = strength.max(axis=1)
        power = np.exp(strength - top[:, None])
        found: FloatArray = top * self.weight.sum()
        for sets in _tiles(self.weight.size, power.size):
            sums = _positive(power @ self._members[:, sets])
            found += np.einsum("nc,c->n", np.log(sums, out=sums), self.weight[sets])
        return found

    def derivatives(self, effects: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return the log-likelihood, its gradient and its Hessian at one point of contrasts."""
        strength = self.basis @ effects
        k, top = strength.size, float(strength.max())
        power = np.exp(strength - top)
        value = float(strength @ self.chosen) - top * float(self.weight.sum())
        expected, joint = np.zeros(k), np.zeros((k, k))
        for sets in _tiles(self.weight.size, k * k):
            members, weight = self._members[:, sets], self.weight[sets]
            sums = _positive(power @ members)
            value -= float(weight @ np.log(sums))
            share = members * power[:, None] / sums  # of each algorithm in each set
            expected += share @ weight
            joint += (share * weight) @ share.T
        return (
            value,
            self.basis.T @ (self.chosen - expected),
            self.basis.T @ (joint - np.diag(expected)) @ self.basis,
        )


def _tiles(length: int, work: int) -> Iterator[slice]:
    """Cut sets into pieces, small enough for the cache and for BLAS not to wake its threads."""
    width = max(1, _TILE // work)
    for start in range(0, length, width):
        yield slice(start, start + width)


def _positive(sums: FloatArray) -> FloatArray:
    """Keep sums that underflow, of sets that are e⁷⁰⁰ times weaker than the best, from 0."""
    return np.asarray(np.maximum(sums, np.finfo(float).tiny, out=sums))


def contrasts(k: int) -> FloatArray:
    """Return an orthonormal basis of the vectors of length ``k`` that add up to 0: Helmert's.

    >>> contrasts(3).round(3)
    array([[ 0.707,  0.408],
           [-0.707,  0.408],
           [ 0.   , -0.816]])
    """
    columns = np.arange(1, k)
    basis = np.triu(np.ones((k, k - 1)))
    basis[columns, columns - 1] = -columns
    found: FloatArray = basis / np.sqrt(columns * (columns + 1))
    return found


def draw_strengths(
    choices: Choices, rng: np.random.Generator, *, draws: int, scale: float = SCALE
) -> Draws:
    """Draw the strengths (chains, draws, K) and σ from their posterior."""
    found = draw_effects(choices, rng, draws=draws, scale=scale)
    strength = found.effects @ choices.basis.T
    return Draws(
        {"strength": strength, "sigma": found.sigma},
        found.method,
        independent=found.independent,
        facts=found.facts,
    )


# --- what a table says -----------------------------------------------------------------------


def ranks_of(goodness: FloatArray) -> FloatArray:
    """Rank the algorithms of each data set, 1 the best, tied ones alike; NaN where missing.

    >>> ranks_of(np.array([[0.9, 0.7, 0.7], [0.5, np.nan, 0.6]]))
    array([[1. , 2.5, 2.5],
           [2. , nan, 1. ]])
    """
    ranks = np.full(goodness.shape, np.nan)
    present = ~np.isnan(goodness)
    whole = present.all(axis=1)
    ranks[whole] = average_ranks(-goodness[whole])
    for row in np.flatnonzero(~whole):
        ranks[row, present[row]] = average_ranks(-goodness[row, present[row]])
    return ranks


def wins_of(ranks: FloatArray) -> FloatArray:
    """Count on how many data sets the algorithm of the row is before that of the column."""
    return np.array([(column[:, None] < ranks).sum(axis=0) for column in ranks.T], dtype=float)


def ties_of(ranks: FloatArray) -> FloatArray:
    """Count on how many data sets two algorithms are tied; 0 on the diagonal."""
    ties = np.array([(column[:, None] == ranks).sum(axis=0) for column in ranks.T], dtype=float)
    np.fill_diagonal(ties, 0.0)
    return ties


# --- with names on -----------------------------------------------------------------------------


def checked_ranks(table: ScoreTable) -> FloatArray:
    """Return the ranks of a table that has something to compare."""
    if table.n_algorithms < 2:
        raise ParameterError(
            "table",
            "strengths compare two algorithms or more",
            f"there is one, {table.algorithms[0]!r}",
        )
    ranks = ranks_of(table.goodness())
    if (np.isfinite(ranks).sum(axis=1) < 2).all():
        raise MissingCellsError(
            "table",
            "no data set has scores of two algorithms, so nothing can be compared",
            remedy="add results",
        )
    return ranks


def strengths_posterior(
    table: ScoreTable,
    ranks: FloatArray,
    choices: Choices,
    *,
    model: str,
    title: str,
    reference: str,
    replicate: Replicate,
    rope: float | str | Rope,
    draws: int,
    seed: int,
    mass: float,
    notes: tuple[str, ...],
) -> Posterior:
    """Draw the strengths and put the names on."""
    if check_draws(draws) < _LEAST_DRAWS:
        raise ParameterError(
            "draws", f"at least {_LEAST_DRAWS} are needed here", f"{draws} was given"
        )
    check_mass(mass)
    region = USUAL if rope == "auto" else check_rope(rope, at_most=0.5)  # type: ignore[arg-type]
    log_odds = float(np.log((0.5 + region.value) / (0.5 - region.value)))
    rng = np.random.default_rng(seed)
    found = draw_strengths(choices, rng, draws=draws)
    strength = found.values["strength"]
    checks = check_wins(strength.reshape(-1, strength.shape[-1]), ranks, replicate, rng)
    checks = replace(
        checks,
        warnings=[
            *few_datasets(int((np.isfinite(ranks).sum(axis=1) > 1).sum())),
            *(checks.warnings or ()),
            *_divergences(found),
        ],
    )
    return Posterior(
        model=model,
        title=title,
        reference=reference,
        algorithms=table.algorithms,
        measure=table.measure,
        n_datasets=table.n_datasets,
        rope=region,
        draws=found,
        pairs=pairs_of_effects(found, strength, rope=log_odds, higher_is_better=True, mass=mass),
        effects=Effects("strength", log_odds, higher_is_better=True, unit="strength (log-odds)"),
        mass=mass,
        checks=checks,
        notes=(
            *table.notes,
            "a beats b where it scores better on a data set; the log-odds of that are the "
            "difference of their strengths, and differences, intervals and losses are in log-odds",
            f"practically equal: the probability that a beats b is within 0.5 ± {region.value:g}, "
            f"so the difference of strengths within ±{log_odds:.3g}",
            "prior: strengths normal around 0 with standard deviation σ, log σ normal around 0 "
            f"with standard deviation {SCALE:g}",
            *notes,
            *_gap_notes(ranks),
            _sampler_note(found),
        ),
    )


def _gap_notes(ranks: FloatArray) -> tuple[str, ...]:
    gaps = int(np.isnan(ranks).any(axis=1).sum())
    if not gaps:
        return ()
    return (f"on {gaps} data sets some algorithms have no score; the others are compared there",)


def _sampler_note(found: Draws) -> str:
    if not found.independent:
        return f"drawn by the {found.method}"
    return (
        f"drawn by {found.method}; {found.n_draws} are kept, their effective number, so that "
        "each counts as one independent draw"
    )


def _divergences(found: Draws) -> list[str]:
    count = int(found.facts.get("divergences", 0))
    if not count:
        return []
    return [
        f"{count} of {found.n_draws} trajectories of the sampler diverged: the far tails may be "
        "missing, as where one algorithm wins always"
    ]


# --- does one strength per algorithm explain the wins? -----------------------------------------


def check_wins(
    strength: FloatArray, ranks: FloatArray, replicate: Replicate, rng: np.random.Generator
) -> Checks:
    """Compare the wins of all pairs with wins replicated from draws (n, K) of the strengths.

    A tie is half a win. ``discrepancy`` is Freeman and Tukey's, for the real wins and the
    replicated ones; its p-value is the share of draws whose replicated wins are further off.
    ``wins_in_95`` is the share of pairs whose wins lie in their central 95 % interval, as bbtcomp
    tells.
    """
    wins = wins_of(ranks) + ties_of(ranks) / 2
    first, second = np.nonzero(np.triu(wins + wins.T))
    n, won = (wins + wins.T)[first, second], wins[first, second]
    rows = np.linspace(0, len(strength) - 1, min(_REPLICATES, len(strength))).astype(int)
    replicated = np.array([replicate(row, rng)[first, second] for row in strength[rows]])
    expected = n * expit(strength[rows][:, first] - strength[rows][:, second])
    observed_gap = _freeman_tukey(won, n, expected)
    replicated_gap = _freeman_tukey(replicated, n, expected)
    p_value = float((replicated_gap >= observed_gap).mean())
    low, high = np.quantile(replicated, [0.025, 0.975], axis=0)
    return Checks(
        discrepancy=Discrepancy(
            name="Freeman–Tukey",
            p_value=p_value,
            observed=observed_gap.tolist(),
            replicated=replicated_gap.tolist(),
        ),
        wins_in_95=float(((low <= won) & (won <= high)).mean()),
        warnings=[
            "one strength per algorithm does not explain the wins well (posterior predictive "
            f"p-value {p_value:.3f}): look at the pairs one by one, by the models sign or "
            "signed-rank"
        ]
        if p_value < _EXTREME
        else [],
    )


def _freeman_tukey(won: FloatArray, n: FloatArray, expected: FloatArray) -> FloatArray:
    """Return Σ (√won − √expected)² over wins and losses of all pairs, a value per row."""
    ahead = np.sqrt(won) - np.sqrt(expected)
    behind = np.sqrt(n - won) - np.sqrt(np.maximum(n - expected, 0.0))
    return np.asarray((ahead**2 + behind**2).sum(axis=-1))
