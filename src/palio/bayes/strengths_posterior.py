"""Bradley–Terry and Plackett–Luce with names on: a table to a posterior of strengths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import expit

from palio.bayes._options import check_draws, check_mass
from palio.bayes.answer import Checks, Discrepancy
from palio.bayes.pairs import pairs_of_effects
from palio.bayes.posterior import Effects, Posterior
from palio.bayes.regions import check_rope
from palio.bayes.strengths import SCALE, Choices, draw_strengths, ranks_of, ties_of, wins_of
from palio.errors import MissingCellsError, ParameterError

if TYPE_CHECKING:
    from palio.bayes.draws import Draws
    from palio.bayes.regions import Rope
    from palio.scores import ScoreTable
    from palio.types import FloatArray

__all__ = ["Replicate", "StrengthModel", "check_wins", "checked_ranks", "strengths_posterior"]

Replicate: TypeAlias = Callable[["FloatArray", np.random.Generator], "FloatArray"]
"""Strengths (K,) to the wins (K, K) on as many data sets as there are, by chance."""

_LEAST_DRAWS = 100  # the tail of the weights needs as many
_REPLICATES = 200
_EXTREME = 0.05


@dataclass(frozen=True)
class StrengthModel:
    """What a model says of itself, and how it makes data."""

    name: str
    title: str
    reference: str
    replicate: Replicate


def checked_ranks(table: ScoreTable) -> FloatArray:
    """Return the ranks of a table that has something to compare."""
    if table.n_algorithms < 2:
        raise ParameterError(
            "table",
            "strengths compare two algorithms or more",
            f"there is one, {table.algorithms[0]!r}",
        )
    means = table.means()
    ranks = ranks_of(means if table.measure.higher_is_better else -means)
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
    model: StrengthModel,
    *,
    rope: float | Rope,
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
    region = check_rope(rope, at_most=0.5)
    log_odds = float(np.log((0.5 + region.value) / (0.5 - region.value)))
    rng = np.random.default_rng(seed)
    found = draw_strengths(choices, rng, draws=draws)
    strength = found.values["strength"]
    checks = check_wins(strength.reshape(-1, strength.shape[-1]), ranks, model.replicate, rng)
    checks = replace(checks, warnings=[*(checks.warnings or ()), *_divergences(found)])
    return Posterior(
        model=model.name,
        title=model.title,
        reference=model.reference,
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
