"""Random weights on the data sets: what the sign and the signed-rank test have in common.

Both take the differences of a pair on n data sets as draws from an unknown distribution with a
Dirichlet process prior: strength s, all of it on pseudo-observations at named places. The
posterior is again one, and a draw of it puts weights with a Dirichlet(s, 1, …, 1) distribution on
the pseudo-observation and the n differences. A Dirichlet vector is a vector of independent gamma
variables divided by their sum, and those of strength 1 are exponential.

All pairs are drawn from one seed. Their draws then depend on each other, but each pair's own are
what they would be alone: its answer does not depend on which other algorithms are in the table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from palio.bayes.answer import Checks
from palio.bayes.draws import (
    Draws,
    Pairs,
    all_pairs,
    check_draws,
    check_mass,
    check_pairs,
    few_datasets,
    highest_density,
    pairs_of_regions,
)
from palio.bayes.posterior import Posterior
from palio.bayes.rope import Region, with_own_scale
from palio.errors import MissingCellsError, ParameterError
from palio.registry import Registry
from palio.scores.summary import missing_in
from palio.stats.outcome import column_means
from palio.stats.ranks import TIE_TOLERANCE

if TYPE_CHECKING:
    from palio.bayes.rope import Rope
    from palio.measures import Measure
    from palio.scores import ScoreTable
    from palio.types import BoolArray, FloatArray, IntArray

PRIOR_PLACES: Registry[tuple[float, float, float]] = Registry(
    "prior_place",
    {
        "rope": (0.0, 1.0, 0.0),
        "a": (1.0, 0.0, 0.0),
        "b": (0.0, 0.0, 1.0),
        "equal": (1 / 3, 1 / 3, 1 / 3),
    },
)
"""Shares of the prior's strength: where the first is better, where they are practically equal,
where the second is better."""

# Draws made at once: enough that a row outweighs the call that adds it, few enough for the cache.
_SLAB = 4096

# Numbers held at once, and numbers kept in the result (256 MB).
_MOST_NUMBERS = 2**25

# Enough for an interval whose ends are a few hundredths of its width off.
_INTERVAL_DRAWS = 5_000


@dataclass(frozen=True, eq=False)
class Differences:
    """The differences of every pair of algorithms on every data set.

    Parameters
    ----------
    first, second : array (P,)
        Positions of the two algorithms.
    values : array (P, S)
        First minus second, in goodness; exactly 0 where they are tied, NaN where a score is
        missing. Only the sign on an order scale, which has no sizes.
    noise : array (P, S)
        What counts as zero there, from the size of the scores.
    floored : array (P, S)
        Where one is at the floor of a ratio scale: who is better is known, but not by how much.
    """

    first: IntArray
    second: IntArray
    values: FloatArray
    noise: FloatArray
    floored: BoolArray

    @classmethod
    def of(cls, table: ScoreTable) -> Differences:
        """Return those of a table; every pair must have met at least once."""
        scaled = table.scaled()
        goodness, floored = scaled.values.T, scaled.floored.T
        first, second = all_pairs(table.n_algorithms)
        sizes = np.abs(goodness)
        noise = TIE_TOLERANCE * np.maximum(sizes[first], sizes[second])
        values = goodness[first] - goodness[second]
        values[np.abs(values) <= noise] = 0.0
        if table.measure.is_ordinal:
            values, noise = np.sign(values), np.zeros_like(noise)
        strangers = np.flatnonzero(np.isnan(values).all(axis=1))
        if strangers.size:
            a, b = (table.algorithms[int(side[strangers[0]])] for side in (first, second))
            raise MissingCellsError(
                "missing",
                f"no data set has a score of both {a!r} and {b!r}",
                "a pair is compared where both have one",
                "leave one of them out",
            )
        return cls(first, second, values, noise, floored[first] | floored[second])

    @property
    def met(self) -> IntArray:
        """On how many data sets both algorithms of each pair have a score: (P,)."""
        return np.asarray((~np.isnan(self.values)).sum(axis=1))

    def for_means(self, measure: Measure) -> FloatArray:
        """Return the differences of which means are taken, in the direction of the scores."""
        sign = 1 if measure.is_ordinal else measure.goodness_sign
        return np.where(self.floored, np.nan, sign * self.values + 0.0)  # without -0.0


class Sampler(Protocol):
    """A model of pairs."""

    def __call__(
        self, differences: FloatArray, noise: FloatArray, rng: np.random.Generator, /
    ) -> Draws:
        """Draw ``regions`` (1, draws, P, 3) for differences (P, S) in which more is better."""


def check_strength(strength: float) -> float:
    """Refuse a prior strength that is negative or infinite.

    >>> check_strength(0.5)
    0.5
    """
    if not 0 <= strength < float("inf"):
        raise ParameterError(
            "prior_strength", "it is not negative and finite", f"{strength!r} was given"
        )
    return float(strength)


def slab_size(n: int, draws: int) -> int:
    """Return how many draws of n weights are made at once: 8 MB of them at most.

    >>> slab_size(100, 50_000), slab_size(100, 1000), slab_size(1000, 50_000)
    (4096, 1000, 1048)
    """
    return min(_SLAB, draws, max(1, 2**20 // n))


def weights(
    rng: np.random.Generator, n: int, strengths: FloatArray, draws: int
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the weights of n observations and of the pseudo-observations after them, in slabs.

    They are (n + len(strengths), slab), with the draws they are for, and not yet divided by their
    sum: whoever uses a part of the data sets divides by the sum of that part. The next slab
    overwrites this one.
    """
    rows, most = n + strengths.size, slab_size(n, draws)
    slab = np.empty((rows, most))
    for start in range(0, draws, most):
        size = min(most, draws - start)
        slab = slab if size == most else np.empty((rows, size))
        rng.standard_exponential(out=slab[:n])
        for row, strength in enumerate(strengths.tolist(), start=n):
            slab[row] = rng.standard_gamma(strength, size)
        yield slice(start, start + size), slab


def bootstrap_intervals(
    differences: FloatArray, rng: np.random.Generator, *, draws: int, mass: float
) -> FloatArray:
    """Return intervals of the mean of each pair's differences (P, S): (P, 2).

    Highest-density ones of the Bayesian bootstrap (Rubin 1981), which is the posterior with a
    prior of no strength: pseudo-observations may be infinite, so they have no part in a mean.
    """
    present = ~np.isnan(differences)
    known, counted = np.where(present, differences, 0.0), present.astype(np.float64)
    means = np.empty((differences.shape[0], draws))
    for part, slab in weights(rng, differences.shape[1], np.zeros(0), draws):
        # Not by BLAS, whose threads would spin through the work on slabs that are this small.
        sums = np.einsum("ps,sd->pd", known, slab)
        with np.errstate(invalid="ignore"):  # NaN where no difference has a size
            means[:, part] = sums / (
                slab.sum(axis=0) if present.all() else np.einsum("ps,sd->pd", counted, slab)
            )
    return np.array([highest_density(row, mass) for row in means])


def pairwise_posterior(
    table: ScoreTable,
    sampler: Callable[[float, float, FloatArray], Sampler],
    *,
    model: str,
    title: str,
    rope: float | str | Rope,
    prior: tuple[float, str],
    draws: int,
    seed: int,
    mass: float,
) -> Posterior:
    """Compare all pairs of a table by draws of the regions' probabilities, names on.

    ``prior`` is its strength and its place. ``sampler`` makes the model from the region, the
    strength and its shares in the three regions.
    """
    check_pairs(table)
    table = with_own_scale(table, model)
    region = Region.of(table, rope)
    strength = check_strength(prior[0])
    drawn_by = sampler(region.scale.rope, strength, np.array(PRIOR_PLACES[prior[1]]))
    count, mass = check_draws(draws), check_mass(mass)
    found = Differences.of(table)
    for_means = found.for_means(table.measure)
    hdi = bootstrap_intervals(
        for_means,
        np.random.default_rng(seed),
        draws=min(count, _INTERVAL_DRAWS),
        mass=mass,
    )
    # The bootstrap's mean is known without drawing.
    mean = column_means(for_means.T)
    kept, pairs = _compare(found, mean, hdi, drawn_by, draws=count, seed=seed)
    return Posterior(
        model=model,
        title=title,
        reference="Benavoli and others 2014, 2017",
        algorithms=table.algorithms,
        measure=table.measure,
        n_datasets=table.n_datasets,
        rope=region.rope,
        draws=kept,
        missing=missing_in(table),
        table=table,
        pairs=pairs,
        scale=region.scale,
        mass=mass,
        checks=Checks(warnings=few_datasets(int(found.met.min())) or None),
        notes=(
            *region.notes,
            f"prior: worth {strength:g} data sets, place {prior[1]!r}",
            *_notes(found, pairs, kept.n_draws, count, ordinal=table.measure.is_ordinal),
        ),
    )


def _compare(
    found: Differences,
    mean: FloatArray,
    hdi: FloatArray,
    sampler: Sampler,
    *,
    draws: int,
    seed: int,
) -> tuple[Draws, Pairs]:
    """Go through the pairs block by block, each with the same seed, so that memory has a limit."""
    n_pairs = found.first.size
    at_once = max(1, _MOST_NUMBERS // (3 * draws))
    keep = min(draws, max(1, _MOST_NUMBERS // (3 * n_pairs)))
    compared: list[Pairs] = []
    kept: list[FloatArray] = []
    for start in range(0, n_pairs, at_once):
        block = slice(start, start + at_once)
        drawn = sampler(found.values[block], found.noise[block], np.random.default_rng(seed))
        regions = drawn.values["regions"]
        for p in range(regions.shape[2]):  # one by one, in the cache
            pair = slice(start + p, start + p + 1)
            compared.append(
                pairs_of_regions(
                    drawn,
                    regions[:, :, p : p + 1],
                    difference=mean[pair],
                    hdi=hdi[pair],
                    first=found.first[pair],
                    second=found.second[pair],
                )
            )
        kept.append(regions if keep == draws else regions[:, :keep].copy())
    together = kept[0] if len(kept) == 1 else np.concatenate(kept, axis=2)
    return Draws({"regions": together}, drawn.method, independent=True), _joined(compared)


def _joined(parts: list[Pairs]) -> Pairs:
    return Pairs(
        *(
            np.concatenate([getattr(part, field.name) for part in parts])
            for field in dataclasses.fields(Pairs)
        )
    )


def _notes(
    found: Differences, pairs: Pairs, kept: int, draws: int, *, ordinal: bool
) -> tuple[str, ...]:
    met = found.met
    what = (
        "the share of data sets won minus the share lost"
        if ordinal
        else "mean over data sets, first minus second"
    )
    notes = [
        "P of a region: the share of draws in which it is the most probable of the three; "
        f"Monte-Carlo standard error at most {pairs.mc_error.max():.2g} ({draws} draws)",
        f"difference: {what}; its interval is the Bayesian bootstrap's, in which the prior has no "
        "part",
        "all pairs are drawn from one seed: each pair's answer is as it would be alone",
    ]
    if met.min() < found.values.shape[1]:
        notes.append(
            "each pair on the data sets where both have a score: "
            f"{met.min()} to {met.max()} of {found.values.shape[1]}"
        )
    if kept < draws:
        notes.append(f"the first {kept} of {draws} draws are kept for figures")
    return tuple(notes)
