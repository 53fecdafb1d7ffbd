"""Differences on the items of several data sets, which tell something of each other.

The mathematics is in `partial_pooling`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri, stdtrit

from palio.bayes.answer import Checks, NextDataset, Scale, Shrunken, ShrunkenDataset, TheseDatasets
from palio.bayes.detail import leading_pair
from palio.bayes.draws import (
    Draws,
    Pairs,
    all_pairs,
    check_draws,
    check_mass,
    check_pair,
    check_pairs,
    few_datasets,
)
from palio.bayes.models.partial_pooling import Mixture, Pooled, pooled
from palio.bayes.posterior import Posterior
from palio.bayes.rope import Region, with_own_scale
from palio.errors import DesignError, Option, ParameterError
from palio.registry import one_dataset
from palio.scores import Tabular, as_table
from palio.scores.items import ReadOver, check_over, items_of, usual_over
from palio.stats.items import Items, pairs_on
from palio.words import count

if TYPE_CHECKING:
    from palio.bayes.rope import Rope
    from palio.scores import ItemScores, ScoreTable
    from palio.types import BoolArray, FloatArray, IntArray

# A data set without any spread has this share of the difference on an item for standard error.
_LEAST = 1e-3
# Numbers kept for figures (32 MB).
_MOST_NUMBERS = 2**22
# Of so many pairs the differences on every data set are told; of more, those of the two that lead.
_MOST_TOLD = 45


def hierarchical_items(
    table: Tabular,
    *,
    over: ReadOver | None = None,
    dataset: str | None = None,
    rope: float | str | Rope = "auto",
    pair: tuple[str, str] | None = None,
    prior_spread: float | None = None,
    draws: int = 20_000,
    seed: int = 0,
    mass: float = 0.95,
    **reading: Any,
) -> Posterior:
    r"""Compare all pairs on the items of several data sets, by a normal hierarchical model.

    Over items: on other items of these data sets, how probable is it that the first algorithm is
    better on average by more than the region, practically equal, or worse? Over data sets: the
    same of a new data set like these. Scores may be graded or 0/1, with clusters and weights.
    What is measured on a data set with few items is drawn towards the others. Valid where items
    (or clusters) were drawn independently, a difference means the same on every data set and
    varies from item to item as much, and these can be seen as a sample, which a few data sets can
    hardly tell.

    Parameters
    ----------
    table : ScoreTable, ItemScores, path or frame
        Two algorithms or more, with a score on each item; each pair on the data sets where both
        have two items (clusters) or more in common.
    over : {"items", "datasets"}, optional
        What would be drawn anew; on fewer than six data sets items unless given.
    dataset : str, optional
        One data set alone, on which nothing is drawn towards others.
    rope : float, Rope or "auto"
        Half the region of practical equivalence; "auto" is 0 where the table suggests none. On a
        ratio scale differences and the region are shares of the median score of each data set.
    pair : two names, optional
        The only pair to compare; all pairs unless given.
    prior_spread : float, optional
        The scale of the half-normal prior of τ, the standard deviation between data sets; 0 is
        none, so that all are taken for one.
    draws : int
        How many draws to keep for figures; probabilities and intervals are by quadrature.
    seed : int
        Of these draws.
    mass : float
        Of the intervals, which are the shortest.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Posterior
        Over items ``checks["next_dataset"]`` holds the probabilities on a new data set, over data
        sets ``checks["these_datasets"]`` those of the average; ``checks["shrunken"]`` the
        difference on each data set as measured and as estimated together with the others, of up
        to 45 pairs, or else of the two that lead.

    Notes
    -----
    On data set j the mean difference of a pair over the items that both have is :math:`d_j`, and
    the true differences of the data sets are a sample:

    .. math::

        d_j \mid \delta_j \sim N(\delta_j, s_j^2), \qquad
        \delta_j \sim N(\mu, \tau^2), \qquad
        p(\mu) \propto 1, \qquad
        \tau \sim \mathrm{HalfNormal}(A)

    What is asked is, over items, the average of :math:`\delta_j` over the data sets at hand; over
    data sets, the difference δ on a new one. A is ``prior_spread``; unless given, half of the root
    mean square, over data sets that count the same, of the pair's difference on an item, which no
    set of :math:`d_j` can exceed.

    The standard errors come from the :math:`G_j` items, or clusters of items, of the data sets, and
    the (cluster-robust) variance :math:`V_j` of :math:`d_j`, as 'item-t' has it. An item has
    one variance on all data sets, such that the plain average of :math:`d_j` has the standard error
    of 'item-t'; and a normal distribution stands for Student's with the same 95 % interval:

    .. math::

        \sigma^2 = \frac{\sum_j V_j}{\sum_j 1 / G_j}, \qquad
        s_j^2 = \left(\frac{t}{z}\right)^2 \frac{\sigma^2}{G_j}

    t is the 0.975 quantile of Student's distribution with Satterthwaite's degrees of freedom, and z
    that of the normal one: on a single data set the 95 % interval is Student's. With a variance of
    its own for each data set the answer would be biased: where two are alike, as on easy questions,
    their differences vary little, and such data sets would draw the others towards 0. Of scores
    that are 0 or 1, :math:`\sigma^2` counts two items more, of which each of the two wins one
    (Bonett and Price 2012), so that agreement on few items is not certainty. Of other scores
    :math:`s_j` is at least a thousandth of the root mean square difference, and a pair that never
    differs is equal.

    References
    ----------
    Gelman, Carlin, Stern, Dunson, Vehtari and Rubin (2013), Bayesian Data Analysis, third edition,
    sections 5.4 and 5.5; Bonett and Price (2012), Adjusted Wald confidence interval for a
    difference of binomial proportions based on paired data. Journal of Educational and Behavioral
    Statistics 37; Bowyer, Aitchison and Ivanova (2025), Position: don't use the CLT in LLM evals
    with fewer than a few hundred datapoints. arXiv:2503.01747.

    Examples
    --------
    On two tasks the first is ahead by a quarter, on the third by nothing.

    >>> from palio.scores import ItemScores
    >>> ahead = [[1, 0]] * 10 + [[0, 1]] * 2 + [[1, 1]] * 20
    >>> alike = [[1, 0]] * 6 + [[0, 1]] * 6 + [[1, 1]] * 20
    >>> items = ItemScores.from_arrays(
    ...     ahead + ahead + alike, algorithms=["big", "small"], measure="accuracy",
    ...     dataset=["algebra"] * 32 + ["code"] * 32 + ["facts"] * 32,
    ... )
    >>> found = hierarchical_items(items, rope=0.01)
    >>> found.probabilities()[["p_a_better", "p_rope", "p_b_better"]].round(2)
       p_a_better  p_rope  p_b_better
    0        0.99     0.0         0.0
    >>> {row.dataset: round(row.mean, 2) for row in found.checks.shrunken[0].datasets}
    {'algebra': 0.21, 'code': 0.21, 'facts': 0.07}
    >>> new = hierarchical_items(items, rope=0.01, over="datasets").pairs
    >>> new.probabilities.round(2).tolist()
    [[0.82, 0.02, 0.16]]
    """
    table = as_table(table, reading, hierarchical_items)
    way = _reading(table, over, dataset)
    if dataset is not None:
        table = table.select(datasets=[one_dataset(table.datasets, dataset)])
    table = with_own_scale(table, "hierarchical-items")
    items = _items_of(table, pair)
    if items.is_binary:  # shares have differences, whatever the measure is called
        table = table.with_scale("difference")
    region = _region(table, rope)
    items = _in_units(items, table)
    count_, mass = check_draws(draws), check_mass(mass)
    found = Measured.of(items).met()
    scale = _prior_scale(found, prior_spread)
    whole = pooled(found.difference, found.error, scale)
    asked, other = whole.average, whole.new
    if way == "datasets":
        asked, other = other, asked
    asked, other = (_points(each, found.never) for each in (asked, other))
    sign = 1 if region.scale.higher_is_better else -1
    pairs = Pairs(
        found.first,
        found.second,
        asked.regions(region.scale.rope)[:, ::sign],
        asked.expected,
        asked.shortest(mass),
        np.zeros(found.first.size),
    )
    kept = min(count_, max(1, _MOST_NUMBERS // found.first.size))
    drawn = asked.drawn(kept, np.random.default_rng(seed))
    told = _told(pairs, items.n_algorithms)
    return Posterior(
        model="hierarchical-items",
        title="Hierarchical model of differences over items",
        reference="Gelman and others 2013",
        table=table,
        algorithms=items.algorithms,
        measure=items.measure,
        n_datasets=items.n_datasets,
        rope=region.rope,
        draws=Draws(
            {"difference": drawn[np.newaxis]},
            "which serve figures; the rest is by quadrature",
            independent=True,
        ),
        pairs=pairs,
        scale=region.scale,
        mass=mass,
        over=way,
        checks=_checks(
            way,
            items,
            found,
            other.regions(region.scale.rope)[:, ::sign],
            [_shrunken(items, found, whole, row, mass) for row in told],
        ),
        notes=(*region.notes, *_notes(way, items, found, scale, prior_spread)),
    )


# --- what is measured ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Measured:
    """What items say of P pairs on J data sets; NaN where two share fewer than two of them.

    ``error`` is that of ``difference``, as this module has it; ``size`` (P,) the root mean square
    difference on an item, and ``never`` says that there is none.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    error: FloatArray
    items: IntArray
    size: FloatArray
    never: BoolArray

    @classmethod
    def of(cls, scores: ItemScores) -> Measured:
        """Work them out for all pairs."""
        items = Items(scores.values, scores.dataset_of, scores.cluster_of)
        first, second = all_pairs(scores.n_algorithms)
        on = [pairs_on(one, first, second) for one in items.each_dataset()]
        return cls.from_moments(
            first,
            second,
            np.stack([each.mean for each in on], axis=1),
            np.stack([each.variance for each in on], axis=1),
            np.stack([each.df for each in on], axis=1),
            np.stack([each.clusters for each in on], axis=1),
            np.stack([each.items for each in on], axis=1),
            binary=scores.is_binary,
        )

    @classmethod
    def from_moments(
        cls,
        first: IntArray,
        second: IntArray,
        mean: FloatArray,
        variance: FloatArray,
        df: FloatArray,
        clusters: IntArray,
        items: IntArray,
        *,
        binary: bool,
    ) -> Measured:
        """Work the standard errors out, from arrays (P, J) as `palio.stats.items` has them."""
        there = clusters >= 2
        own = np.where(there, (clusters - 1) * variance + mean**2, 0.0)
        of_item, freedom = item_variance(variance, df, clusters, binary=binary)
        squares = own.sum(axis=1) / np.maximum(there.sum(axis=1), 1)
        size = np.sqrt(np.maximum(squares, of_item))
        wider = stdtrit(freedom, 0.975) / ndtri(0.975)
        error = (wider * np.sqrt(of_item))[:, np.newaxis] / np.sqrt(np.maximum(clusters, 1))
        never = np.asarray(size == 0.0)
        least = _LEAST * np.where(never, 1.0, size)[:, np.newaxis]
        return cls(
            first,
            second,
            np.where(there, mean, np.nan),
            np.where(there, np.maximum(error, least), np.nan),
            np.where(there, items, 0).sum(axis=1),
            size,
            never,
        )

    @property
    def datasets(self) -> IntArray:
        """On how many data sets each pair has met."""
        return np.asarray((~np.isnan(self.difference)).sum(axis=1))

    def met(self) -> Measured:
        """Return the pairs that have met on a data set; refuse where none has."""
        there = np.flatnonzero(self.datasets > 0)
        if not there.size:
            raise DesignError(
                "model",
                "differences over items are of pairs of scores on the same items",
                "no two algorithms share two items (or clusters) of a data set",
                "give runs on the same items",
            )
        return Measured(
            self.first[there],
            self.second[there],
            self.difference[there],
            self.error[there],
            self.items[there],
            self.size[there],
            self.never[there],
        )


def item_variance(
    variance: FloatArray, df: FloatArray, clusters: IntArray, *, binary: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the variance of pairs and its degrees of freedom, from V, ν and G (P, J): (P,) each.

    >>> n = np.array([[10, 20]])
    >>> found = item_variance(np.array([[0.02, 0.01]]), n - 1.0, n, binary=False)
    >>> [each.round(6).tolist() for each in found]
    [[0.2], [18.105882]]
    >>> [each.round(3).tolist() for each in item_variance(
    ...     np.array([[0.0]]), np.array([[9.0]]), np.array([[10]]), binary=True)]
    [[0.182], [11.0]]
    """
    there = clusters >= 2
    variance = np.where(there, variance, 0.0)
    inverse = np.where(there, 1.0 / np.maximum(clusters, 1), 0.0).sum(axis=1)
    total = variance.sum(axis=1)
    squares = (variance**2 / np.maximum(df, 1.0)).sum(axis=1)
    freedom = np.where(
        squares > 0.0,
        total**2 / np.where(squares > 0.0, squares, 1.0),
        np.where(there, df, 0.0).sum(axis=1),
    )
    found = total / np.where(inverse > 0.0, inverse, 1.0)
    if binary:
        found, freedom = (freedom * found + 2.0) / (freedom + 2.0), freedom + 2.0
    return found, np.maximum(freedom, 1.0)


# --- names ---------------------------------------------------------------------------------------


def _reading(table: ScoreTable, over: ReadOver | None, dataset: str | None) -> ReadOver:
    """Return what would be drawn anew; refuse a new data set where one alone is known."""
    check_over(over)
    items_of(table)
    if over == "datasets" and (dataset is not None or table.n_datasets == 1):
        raise DesignError(
            "over",
            "how a new data set may differ is told by several",
            "this is about one",
            f"give {Option('over', 'items')}, or more data sets",
        )
    return over or usual_over(table, dataset=dataset)


def _items_of(table: ScoreTable, pair: tuple[str, str] | None) -> ItemScores:
    items = items_of(table)
    if pair is None:
        check_pairs(table)
        return items
    return items.select(algorithms=list(check_pair(pair, items.algorithms)))


def _region(table: ScoreTable, rope: float | str | Rope) -> Region:
    """Return the region; on a ratio scale differences are in the units of the data sets."""
    found = Region.of(table, rope)
    if not found.scale.ratios:
        return found
    unit = f"the median {table.measure.name} of each data set"
    scale = Scale(f"share of {unit}", found.rope.value, table.measure.higher_is_better)
    return replace(
        found, scale=scale, notes=(f"differences are in units of {unit}: a region of 0.01 is 1 %",)
    )


def _in_units(items: ItemScores, table: ScoreTable) -> ItemScores:
    """Return scores in units of their data sets where these have one each; logs have no mean."""
    if table.measure.scale != "ratio":
        return items
    units = np.array([table.units[name] for name in items.datasets])[items.dataset_of]
    return replace(items, values=items.as_floats() / units[:, np.newaxis])


def _prior_scale(found: Measured, given: float | None) -> FloatArray:
    if given is None:
        return found.size / 2.0
    if not 0.0 <= given < float("inf"):
        raise ParameterError(
            "prior_spread", "it is not negative and finite", f"{given!r} was given"
        )
    return np.full(found.size.size, float(given))


def _points(of: Mixture, never: BoolArray) -> Mixture:
    """Return the same, with a point for each pair that never differs."""
    still = never[:, np.newaxis]
    return Mixture(np.where(still, 0.0, of.mean), np.where(still, 0.0, of.sd), of.weight)


def _told(pairs: Pairs, k: int) -> list[int]:
    """Return the pairs whose data sets are told one by one."""
    if pairs.first.size <= _MOST_TOLD:
        return list(range(pairs.first.size))
    two = sorted(leading_pair(pairs, k))
    return np.flatnonzero((pairs.first == two[0]) & (pairs.second == two[1])).tolist()


def _shrunken(items: ItemScores, found: Measured, whole: Pooled, row: int, mass: float) -> Shrunken:
    measured = found.difference[row]
    each = whole.shrunken(row, measured, found.error[row])
    each = _points(each, np.full(len(each.mean), found.never[row]))
    rows = zip(
        np.flatnonzero(~np.isnan(measured)).tolist(),
        each.expected.tolist(),
        each.shortest(mass).tolist(),
        strict=True,
    )
    return Shrunken(
        items.algorithms[int(found.first[row])],
        items.algorithms[int(found.second[row])],
        [
            ShrunkenDataset(items.datasets[at], float(measured[at]), mean, (low, high))
            for at, mean, (low, high) in rows
        ],
    )


def _checks(
    way: ReadOver,
    items: ItemScores,
    found: Measured,
    other: FloatArray,
    shrunken: list[Shrunken],
) -> Checks:
    """Return the other reading of every pair, some pairs by data set, and what to beware of."""
    names = items.algorithms
    rows = [
        (names[a], names[b], *regions)
        for a, b, regions in zip(
            found.first.tolist(), found.second.tolist(), other.tolist(), strict=True
        )
    ]
    if way == "datasets":
        warnings = few_datasets(items.n_datasets)
        these = [TheseDatasets(*row) for row in rows]
        return Checks(these_datasets=these, shrunken=shrunken, warnings=warnings or None)
    following = [NextDataset(*row) for row in rows] if items.n_datasets > 1 else None
    return Checks(next_dataset=following, shrunken=shrunken)


def _notes(
    way: ReadOver,
    items: ItemScores,
    found: Measured,
    scale: FloatArray,
    given: float | None,
) -> tuple[str, ...]:
    n, what = items.n_datasets, "items" if items.cluster_of is None else "clusters"
    low, high = int(found.items.min()), int(found.items.max())
    lacking = int((~items.answered()).sum())
    never = len(all_pairs(items.n_algorithms)[0]) - found.first.size
    still = int(found.never.sum())
    once = int((found.datasets == 1).sum())
    fewer = int((found.datasets < n).sum())
    asked = {
        "items": f"the difference averaged over these {n} data sets, each the same, other items",
        "datasets": f"the difference on a new data set like these {n}",
    }[way]
    shown = f"{np.median(scale):.3g}"
    spread = (
        "as given"
        if given is not None
        else (
            "half of what two differ by on an item (root mean square)"
            + (", the median of the pairs" if scale.size > 1 else "")
        )
    )
    said = (
        f"what is estimated: {asked if n > 1 else 'the difference on other items'}",
        f"each pair on the {low if low == high else f'{low} to {high}'} items that both have"
        + (f"; {lacking} of {items.values.size} scores on items are missing" if lacking else ""),
        f"prior: the mean flat, the standard deviation between data sets half-normal with scale "
        f"{shown}: {spread}"
        if n > 1
        else "",
        f"standard errors from {what}, whose differences vary alike on all data sets; widened as "
        "Student's t for 95 %"
        if n > 1
        else f"the standard error from {what}, widened as Student's t for 95 %",
        f"a difference in {items.measure.name} is taken to mean the same on every data set"
        if n > 1 and items.measure.scale == "difference" and not items.measure.is_bounded
        else "",
        f"{count(fewer, 'pair')} on fewer than {n} data sets: those where both have two {what} or "
        "more"
        if fewer
        else "",
        f"{count(once, 'pair')} on one data set: what a new one would say is mostly the prior's"
        if once and n > 1
        else "",
        f"{count(never, 'pair')} not compared, as they share no two {what} of a data set"
        if never
        else "",
        f"{count(still, 'pair')} without a difference on any item: equal" if still else "",
    )
    return tuple(each for each in said if each)
