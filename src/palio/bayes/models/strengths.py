r"""Strengths of algorithms from choices: what Bradley–Terry and Plackett–Luce share.

Both say that the best of a set of algorithms is algorithm i with a probability in proportion to
:math:`e^{\beta_i}`. Bradley and Terry choose from pairs, Plackett and Luce from all that are left,
place after place. With :math:`n_k` how often algorithm k is chosen, and :math:`w_c` how often from
the set c, both have the log-likelihood

.. math::

    \sum_k n_k \beta_k - \sum_c w_c \log \sum_{j \in c} e^{\beta_j}

which is concave. The prior is that of bbtcomp (Wainer 2023), for K algorithms independently

.. math::

    \log(\sigma) \sim N(0, 0.5^2), \qquad \beta_k \mid \sigma \sim N(0, \sigma^2)

Only differences of β matter, so the mean of β is left out, which is exact: in an orthonormal
basis Q of the contrasts (K × (K − 1), its columns add up to 0), :math:`u = Q^T \beta` has the
distribution :math:`N(0, \sigma^2 I)` and is independent of the mean. The strengths reported are
:math:`Q u` and add up to 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import expit

from palio.bayes.answer import Checks, Discrepancy, Scale
from palio.bayes.draws import Draws, check_draws, check_mass, few_datasets, pairs_of_effects
from palio.bayes.models.choices import Choices, PairChoices
from palio.bayes.models.laplace import draw_effects
from palio.bayes.posterior import Posterior
from palio.bayes.rope import Rope, check_rope
from palio.errors import MissingCellsError, ParameterError
from palio.scores.summary import missing_in
from palio.stats.incomplete import components
from palio.stats.ranks import ranks_of_present
from palio.stats.strengths import pair_wins
from palio.words import count

if TYPE_CHECKING:
    from palio.scores import ScoreTable
    from palio.types import FloatArray

USUAL = Rope(0.05, "the usual region of a probability to win")
"""What is practically even, unless another region is given."""

SCALE = 0.5
"""The standard deviation of log σ in the prior."""

Replicate: TypeAlias = Callable[["FloatArray", np.random.Generator], "FloatArray"]
"""Strengths (K,) to the wins (K, K) on as many data sets as there are, by chance."""

_LEAST_DRAWS = 100  # the tail of the weights needs as many
_REPLICATES = 200
_EXTREME = 0.05
_KEPT = 50_000_000  # pairs × draws …
_FEWEST = 1000  # … or so many draws, however many pairs


def draw_strengths(
    choices: Choices | PairChoices,
    rng: np.random.Generator,
    *,
    draws: int,
    scale: float = SCALE,
) -> Draws:
    """Draw the strengths (chains, draws, K) and σ from their posterior.

    Of K algorithms 50 million / pairs are kept at most, or a thousand, and four times as many
    proposed.
    """
    k = choices.chosen.size
    at_most = max(_FEWEST, 2 * _KEPT // (k * (k - 1)))
    found = draw_effects(choices, rng, draws=min(draws, 4 * at_most), scale=scale, at_most=at_most)
    strength = found.effects @ choices.basis.T
    return Draws(
        {"strength": strength, "sigma": found.sigma},
        found.method,
        independent=found.independent,
        facts=found.facts,
    )


# --- what a table says -----------------------------------------------------------------------


# --- with names on -----------------------------------------------------------------------------


def checked_ranks(table: ScoreTable) -> FloatArray:
    """Return the ranks of a table that has something to compare."""
    if table.n_algorithms < 2:
        raise ParameterError(
            "table",
            "strengths compare two algorithms or more",
            f"there is one, {table.algorithms[0]!r}",
        )
    ranks, _ = ranks_of_present(-table.goodness())
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
    choices: Choices | PairChoices,
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
        missing=missing_in(table),
        table=table,
        draws=found,
        pairs=pairs_of_effects(found, strength, rope=log_odds, higher_is_better=True, mass=mass),
        scale=Scale("strength (log-odds)", log_odds, higher_is_better=True),
        effects="strength",
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
    notes = [f"on {gaps} data sets some algorithms have no score; the others are compared there"]
    parts = int(components(~np.isnan(ranks)).max()) + 1
    if parts > 1:
        notes.append(
            f"no chain of data sets joins all algorithms: they are {count(parts, 'part')}, and "
            "what is said between parts is the prior's"
        )
    return tuple(notes)


def _sampler_note(found: Draws) -> str:
    if not found.independent:
        return f"drawn by the {found.method}"
    worth = int(found.facts["ess"] + 1e-6)
    kept = (
        "their effective number"
        if found.n_draws >= worth
        else f"as there are many pairs, of {worth} that they are worth"
    )
    return (
        f"drawn by {found.method}; {found.n_draws} are kept, {kept}, so that "
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
    wins = pair_wins(ranks)
    first, second = np.nonzero(np.triu(wins + wins.T))
    n, won = (wins + wins.T)[first, second], wins[first, second]
    rows = np.linspace(0, len(strength) - 1, min(_REPLICATES, len(strength))).astype(int)
    replicated = np.empty((rows.size, first.size), dtype=np.float32)  # wins are small numbers
    observed_gap, replicated_gap = np.empty(rows.size), np.empty(rows.size)
    for at, row in enumerate(strength[rows]):
        replicated[at] = again = replicate(row, rng)[first, second]
        expected = n * expit(row[first] - row[second])
        observed_gap[at] = _freeman_tukey(won, n, expected)
        replicated_gap[at] = _freeman_tukey(again, n, expected)
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


def _freeman_tukey(won: FloatArray, n: FloatArray, expected: FloatArray) -> float:
    """Return Σ (√won − √expected)² over wins and losses of all pairs."""
    ahead = np.sqrt(won) - np.sqrt(expected)
    behind = np.sqrt(n - won) - np.sqrt(np.maximum(n - expected, 0.0))
    return float((ahead**2 + behind**2).sum())
