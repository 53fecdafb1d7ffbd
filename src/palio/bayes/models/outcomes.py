"""Right or wrong on the same items: a Dirichlet posterior of the four outcomes of each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from palio.bayes.draws import (
    Draws,
    Pairs,
    all_pairs,
    check_draws,
    check_mass,
    check_pairs,
    highest_density,
)
from palio.bayes.models.dirichlet import check_strength
from palio.bayes.posterior import Posterior
from palio.bayes.rope import Region, with_own_scale
from palio.errors import DesignError, ParameterError
from palio.registry import one_dataset
from palio.scores import Tabular, as_table
from palio.stats.items import discordant

if TYPE_CHECKING:
    from palio.bayes.rope import Rope
    from palio.scores import ItemScores, ScoreTable
    from palio.types import FloatArray, IntArray

# Numbers kept in the result (128 MB).
_MOST_NUMBERS = 2**24


def outcomes(
    table: Tabular,
    *,
    dataset: str | None = None,
    rope: float | str | Rope = "auto",
    prior_strength: float = 1.0,
    draws: int = 20_000,
    seed: int = 0,
    mass: float = 0.95,
    **reading: Any,
) -> Posterior:
    r"""Compare all pairs on items that each gets right or wrong, by the Dirichlet posterior.

    On other items of these data sets, how probable is it that the first algorithm's share of
    right answers is higher by more than the region, practically equal, or lower? With a few dozen
    items, or shares near 0 or 1, where normal intervals cover too little, these still do. Items
    must be drawn one by one: not in clusters, and all of one weight.

    Parameters
    ----------
    table : ScoreTable, ItemScores, path or frame
        Two algorithms or more, with a score of 0 or 1 on each item; each pair on the items that
        both have.
    dataset : str, optional
        One data set alone; unless given, the average over all of them, each the same.
    rope : float, Rope or "auto"
        Half the region of practical equivalence; "auto" is 0 where the table suggests none.
    prior_strength : float, default 1
        How many items of each outcome the prior is worth, on each data set.
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
    On an item of a data set both algorithms score 1 with probability :math:`\theta_{11}`, only the
    first with :math:`\theta_{10}`, only the second with :math:`\theta_{01}`, neither with
    :math:`\theta_{00}`. With the counts n of these, and the prior strength s:

    .. math::

        \begin{split}
        (\theta_{11}, \theta_{10}, \theta_{01}, \theta_{00}) &\sim
        \mathrm{Dirichlet}(n_{11} + s, n_{10} + s, n_{01} + s, n_{00} + s) \\
        \delta &= \theta_{10} - \theta_{01}
        \end{split}

    Over several data sets, each with a posterior of its own, δ is their average.

    References
    ----------
    Bowyer, Aitchison and Ivanova (2025), Position: don't use the CLT in LLM evals with fewer than
    a few hundred datapoints. arXiv:2503.01747.

    Examples
    --------
    Of ten items both get five right, the first alone five: Dirichlet(6, 6, 1, 1), whose expected
    difference is 5/14.

    >>> from palio.scores import ItemScores
    >>> items = ItemScores.from_arrays(
    ...     [[1, 1]] * 5 + [[1, 0]] * 5, algorithms=["big", "small"], measure="accuracy"
    ... )
    >>> found = outcomes(items, rope=0).probabilities()
    >>> found[["p_a_better", "p_b_better", "difference"]].round(2)
       p_a_better  p_b_better  difference
    0        0.98        0.02        0.36
    """
    table = as_table(table, reading, outcomes)
    check_pairs(table)
    if dataset is not None:
        table = table.select(datasets=[one_dataset(table.datasets, dataset)])
    items = _answers(table)
    # Shares of right answers have differences, whatever the measure is called.
    table = with_own_scale(table, "outcomes").with_scale("difference")
    region = Region.of(table, rope)
    strength, count, mass = check_strength(prior_strength), check_draws(draws), check_mass(mass)
    first, second = all_pairs(items.n_algorithms)
    counts = [
        np.stack(discordant(items.values[items.slice_of(code)], first, second))
        for code in range(items.n_datasets)
    ]
    shared = np.stack(counts)  # (data sets, 3, pairs)
    _check_shared(shared, items.algorithms, first, second)
    kept = min(count, max(1, _MOST_NUMBERS // first.size))
    drawn, rows = np.empty((kept, first.size)), []
    for place in range(first.size):
        # The same seed for every pair: its answer does not depend on the pairs before it.
        delta = _differences(shared[:, :, place], strength, count, np.random.default_rng(seed))
        drawn[:, place] = delta[:kept]
        regions = _regions(table.measure.turned(delta), region.scale.rope)
        rows.append((*regions, delta.mean(), *highest_density(delta, mass)))
    found = np.array(rows)
    error = np.sqrt(found[:, :3] * (1 - found[:, :3]) / count).max(axis=1)
    return Posterior(
        model="outcomes",
        title="Dirichlet model of right and wrong answers",
        reference="Bowyer, Aitchison and Ivanova 2025",
        table=table,
        algorithms=items.algorithms,
        measure=table.measure,
        n_datasets=items.n_datasets,
        rope=region.rope,
        draws=Draws(
            {"difference": drawn[np.newaxis]},
            "exact, from the Dirichlet posterior",
            independent=True,
        ),
        pairs=Pairs(first, second, found[:, :3], found[:, 3], found[:, 4:], error),
        scale=region.scale,
        mass=mass,
        over="items",
        notes=(*region.notes, *_notes(items, shared, strength, kept, count)),
    )


def _answers(table: ScoreTable) -> ItemScores:
    """Return scores of 0 and 1 on items that come one by one; refuse others."""
    items = table.items
    received = (
        "this table has none"
        if items is None
        else "these are graded, or means over repeats"
        if not items.is_binary
        else "these come in clusters"
        if items.cluster_of is not None
        else ""
    )
    if items is None or received:
        raise DesignError(
            "model",
            "'outcomes' needs a score of 0 or 1 on each item, drawn one by one",
            received,
            "compare over items by a test, or choose another model",
        )
    return items


def _check_shared(
    shared: FloatArray, algorithms: tuple[str, ...], first: IntArray, second: IntArray
) -> None:
    never = np.flatnonzero(shared[:, 2].sum(axis=0) == 0)
    if never.size:
        a, b = (algorithms[int(side[never[0]])] for side in (first, second))
        raise ParameterError(
            "algorithms", "a pair is compared on the items that both have",
            f"{a!r} and {b!r} share none", "leave one of them out",
        )  # fmt: skip


def _differences(
    counts: FloatArray, strength: float, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw δ from counts (data sets, 3): only the first, only the second, all items.

    The two outcomes in which both are alike are one with the sum of their parameters.
    """
    total, n = np.zeros(draws), 0
    for only_a, only_b, items in counts.tolist():
        if items == 0:
            continue
        alike = items - only_a - only_b
        parameters = np.array([only_a + strength, only_b + strength, alike + 2.0 * strength])
        gammas = rng.standard_gamma(parameters[:, np.newaxis], (3, draws))
        total += (gammas[0] - gammas[1]) / gammas.sum(axis=0)
        n += 1
    return total / n


def _regions(delta: FloatArray, rope: float) -> tuple[float, float, float]:
    """Return the shares of draws above, in and below the region; its edge is inside."""
    inside = float((np.abs(delta) <= rope).mean())
    return float((delta > rope).mean()), inside, float((delta < -rope).mean())


def _notes(
    items: ItemScores, shared: FloatArray, strength: float, kept: int, draws: int
) -> tuple[str, ...]:
    on = shared[:, 2].sum(axis=0)
    low, high = int(on.min()), int(on.max())
    average = f", averaged over {items.n_datasets} data sets" if items.n_datasets > 1 else ""
    notes = [
        f"of these data sets and other items{average}; each pair on the "
        f"{low if low == high else f'{low} to {high}'} items that both have",
        f"prior: worth {strength:g} items of each of the four outcomes, on each data set",
    ]
    if kept < draws:
        notes.append(f"the first {kept} of {draws} draws are kept for figures")
    return tuple(notes)
