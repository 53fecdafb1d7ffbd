"""What scores vary by, and what more data sets, splits, seeds or items would buy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from palio.comparison.corrections import check_alpha
from palio.comparison.over_items import read_over
from palio.errors import DesignError, Option, ParameterError, require
from palio.measures import Measure
from palio.numbers import hundredths, number, share
from palio.results import Result
from palio.scores import ItemScores, ScoreTable, Tabular, as_table
from palio.scores.items import ReadOver, items_of
from palio.scores.scale import in_own_sense, no_sizes, on_scale, unit_array
from palio.stats.allocation import Rates
from palio.stats.items import cluster_sums
from palio.stats.reml import Design, reml
from palio.stats.variance import (
    DATASETS,
    REPLICATES,
    UNITS,
    WITH_DATASETS,
    WITH_UNITS,
    Block,
    Components,
    Strata,
    components,
    is_balanced,
    mean_squares,
)
from palio.types import FloatArray, IntArray
from palio.words import count, joined, listed

if TYPE_CHECKING:
    from palio.scores import ItemScores, ScoreTable


@dataclass(frozen=True, eq=False)
class Blocked:
    """Scores by data set, and what their units and replicates are.

    Parameters
    ----------
    algorithms : tuple of str
        Those that have scores.
    blocks : tuple of Block
        One per data set that has scores.
    unit, replicate : str, optional
        What they are called: split, item or cluster; seed or repeat. None where there is one each.
    shared : float, optional
        ρ/(1−ρ), with ρ the correlation of units that share training data; None where the table does
        not tell.
    notes : tuple of str
        What was done on the way.
    """

    algorithms: tuple[str, ...]
    blocks: tuple[Block, ...]
    unit: str | None
    replicate: str | None
    shared: float | None = 0.0
    notes: tuple[str, ...] = ()

    def of_what_there_is(self) -> Blocked:
        """Leave out data sets and algorithms that have no scores, and say so of the latter."""
        blocks = [block for block in self.blocks if block.counts.any()]
        there = np.zeros(len(self.algorithms), dtype=np.bool_)
        for block in blocks:
            there |= block.counts.any(axis=0)
        used = [name for name, has in zip(self.algorithms, there.tolist(), strict=True) if has]
        require(len(used) > 1, "table", "two algorithms with scores are needed", used)
        left = [name for name in self.algorithms if name not in used]
        if not left:
            return replace(self, blocks=tuple(blocks))
        blocks = [Block(b.means[:, there], b.counts[:, there], b.squares) for b in blocks]
        note = f"Without scores that could be analysed: {listed(left)}."
        notes = (*self.notes, note)
        return replace(self, algorithms=tuple(used), blocks=tuple(blocks), notes=notes)


def blocks_of_table(table: ScoreTable, test_fraction: float | None = None) -> Blocked:
    """Return the scores on splits, which are the folds of all repeats, and of seeds.

    On a ratio scale they are logarithms; what is at its floor has none.
    """
    rows, measure = table.rows, table.measure
    units = unit_array(rows, table.units)[rows.dataset]
    scores = in_own_sense(on_scale(_by_seed(table), measure, units).for_means, measure)
    split = rows.repeat * len(rows.folds) + rows.fold
    parts = [rows.slice_of(code) for code in range(table.n_datasets)]
    made = [
        _block(split[part], rows.algorithm[part], scores[part], table.n_algorithms)
        for part in parts
    ]
    replicate = "seed" if any((block.counts > 1).any() for block in made) else None
    if all(len(block.means) <= 1 for block in made):
        return Blocked(table.algorithms, tuple(made), None, replicate)
    if all(((block.counts > 0).sum(axis=1) < 2).all() for block in made):
        note = "Algorithms share no splits: what a split adds cannot be told from the seed."
        pooled = tuple(_pooled(block) for block in made)
        return Blocked(table.algorithms, pooled, None, "split or seed", notes=(note,))
    shared = _shared(table, test_fraction)
    return Blocked(table.algorithms, tuple(made), "split", replicate, shared)


def _by_seed(table: ScoreTable) -> FloatArray:
    """Return the scores of each row, by seed; one that a rule filled in is no seed's."""
    scores = table.seed_scores()
    filled = np.isnan(scores).all(axis=1)
    if scores.shape[1] > 1 and filled.any():
        scores = scores.copy()
        scores[filled, 0] = table.rows.scores[table.measure.name][filled]
    return scores


def _block(unit: IntArray, algorithm: IntArray, scores: FloatArray, k: int) -> Block:
    """Average the seeds of each row; units without any score are left out."""
    there = ~np.isnan(scores)
    counts = there.sum(axis=1)
    own = counts > 0
    labels, place = np.unique(unit[own], return_inverse=True)
    means = np.where(there, scores, 0.0)[own].sum(axis=1) / counts[own]
    at = place, algorithm[own]
    by_cell, number = np.full((labels.size, k), np.nan), np.zeros((labels.size, k), dtype=np.intp)
    by_cell[at], number[at] = means, counts[own]
    rest = np.where(there[own], scores[own] - means[:, None], 0.0)
    return Block(by_cell, number, float(np.square(rest).sum()))


def _pooled(block: Block) -> Block:
    """Return all units of each algorithm as replicates of one."""
    counts = block.counts.sum(axis=0, keepdims=True)
    total = np.where(block.counts > 0, block.means * block.counts, 0.0).sum(axis=0, keepdims=True)
    means = np.divide(total, counts, out=np.full_like(total, np.nan), where=counts > 0)
    apart = np.where(block.counts > 0, block.counts * np.square(block.means - means), 0.0)
    return Block(means, counts, block.squares + float(apart.sum()))


def _shared(table: ScoreTable, test_fraction: float | None) -> float | None:
    """Return the ratio of test to training data, averaged over the data sets, where it is known."""
    if test_fraction is not None:
        rule = "the share of the data used for testing lies between 0 and 1"
        require(0 < test_fraction < 1, "test_fraction", rule, test_fraction)
        return test_fraction / (1 - test_fraction)
    folds = np.array([table.design(name).folds for name in table.datasets])
    return float(np.mean(1 / (folds - 1))) if (folds > 1).all() else None


def blocks_of_items(table: ScoreTable) -> Blocked:
    """Return the scores on items; items of a cluster are averaged, and the cluster is the unit.

    Units of unequal weight count by what they add to the mean of their data set (`_by_weight`). On
    a ratio scale scores are sizes in the unit of their data set: of items some may be 0.
    """
    items = items_of(table)
    made = [_block_of_items(items, code) for code in range(items.n_datasets)]
    if table.measure.scale == "ratio":
        units = [table.units[name] for name in items.datasets]
        made = [
            Block(table.measure.sizes(block.means) / unit, block.counts, block.squares / unit**2)
            for block, unit in zip(made, units, strict=True)
        ]
    unit = "item" if items.cluster_of is None else "cluster"
    repeated = any((block.counts > 1).any() for block in made)
    several = any(len(block.means) > 1 for block in made)
    names = unit if several else None, "repeat" if repeated else None
    return Blocked(items.algorithms, tuple(made), *names, notes=_about_units(items))


def _block_of_items(items: ItemScores, code: int) -> Block:
    part, means = items.slice_of(code), items.block(code)
    there = ~np.isnan(means)
    weights = there.astype(np.float64)
    if items.cluster_of is not None:
        each = weights, weights * np.where(there, means, 0.0)
        weights, sums = (cluster_sums(rows, items.cluster_of[part]) for rows in each)
        means = np.divide(sums, weights, out=np.full_like(sums, np.nan), where=weights > 0)
    counts, squares = (~np.isnan(means)).astype(np.intp), np.zeros(means.shape)
    if items.repeats is not None and items.cluster_of is None:
        counts, squares = items.repeats.counts[part], items.repeats.squares[part]
    means, share = _by_weight(means, weights)
    return Block(means, counts, float((share**2 * squares).sum()))


def _by_weight(means: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what units (U, K) add to their weighted mean, and their weight over the mean weight.

    With m the weighted mean and u the latter, z = m + u (y − m): the mean of z is m, and the
    variance of that mean is the robust one of a weighted mean, Σ w² (y − m)² / (Σ w)², times
    U / (U − 1). A comparison over items corrects each unit by its own weight instead (CR2), which
    no single z has.
    """
    there = ~np.isnan(means)
    total = weights.sum(axis=0)
    share = np.divide(weights * there.sum(axis=0), total, out=np.zeros_like(means), where=total > 0)
    if np.allclose(share[there], 1.0, rtol=1e-12, atol=0):
        return means, np.ones_like(means)
    sums = (weights * np.where(there, means, 0.0)).sum(axis=0)
    centre = np.divide(sums, total, out=np.zeros_like(total), where=total > 0)
    return centre + share * (means - centre), share


def _about_units(items: ItemScores) -> tuple[str, ...]:
    notes = []
    if items.cluster_of is not None:
        notes.append(
            f"Items of a cluster are averaged: {count(items.n_clusters or 0, 'cluster')} are the "
            "units, and clusters would be drawn anew, not items."
        )
    return tuple(notes)


# The advice is how to make the standard error this share of what it is.
_HALF = 0.5
# The standard error is plotted for up to this many times the present number of scores.
_MAX_MULTIPLE = 16
# Of further data sets with fewer units each so many numbers of units are tried.
_TRIED = 40


class Numbers(NamedTuple):
    """How many there are: units of a data set, replicates of a unit (means where they differ)."""

    datasets: int
    units: float
    replicates: float


class Way(NamedTuple):
    """One way to make the standard error as small as asked.

    Parameters
    ----------
    what : str
        What there would be more of.
    now, needed : float and int
        How many there are and would be; for further data sets, how many these are. None where no
        number is enough.
    limit : float
        The standard error that no number goes below.
    scores : int, optional
        How many scores that adds.
    cost : float, optional
        What these cost, by the cost that was named.
    """

    what: str
    now: float
    needed: int | None
    limit: float
    scores: int | None
    cost: float | None


class Curve(NamedTuple):
    """The standard error with more of something.

    ``multiples`` are the numbers of scores, now being 1.
    """

    what: str
    multiples: tuple[float, ...]
    standard_errors: tuple[float, ...]


class Prices(NamedTuple):
    """What a further score costs, and a further data set besides its scores."""

    score: float
    dataset: float

    def of(self, scores: float, datasets: float) -> float:
        """Return what further scores, on so many further data sets, cost."""
        return scores * self.score + datasets * self.dataset


class Component(NamedTuple):
    """A part of the variance of a single score.

    Parameters
    ----------
    name, says : str
        What varies, and what it takes in.
    variance, interval
        Its estimate and limits; where the estimate is not above 0 it is 0, and ``at_zero``.
    standard_deviation : float
        The root of the variance, in the unit of the score.
    share, share_interval
        Of the sum of all parts.
    """

    name: str
    says: str
    variance: float
    interval: tuple[float, float]
    standard_deviation: float
    share: float
    share_interval: tuple[float, float]
    at_zero: bool


class StandardError(NamedTuple):
    """Of the difference of two algorithms' means, averaged over the pairs, with limits."""

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, repr=False)
class Variance(Result):
    """What scores vary by, and what would make a difference of two algorithms surer.

    It is what :func:`palio.variance` returns.

    Attributes
    ----------
    over
        What would be drawn anew in the ways and curves: ``datasets`` or ``items``.
    measure, unit_of_scores
        What was measured, and what was analysed: scores, or on a ratio scale their logarithms.
    algorithms, means
        The algorithms, and their means as estimated.
    unit, replicate
        What the units within a data set are, splits or items, and what repeats them, such as
        seeds; None where there are none.
    numbers
        How many there are of each.
    method, model
        How the components were estimated, and of what model.
    alpha
        1 − α is the confidence of the intervals.
    components
        What each source adds to the variance of a score, with its share and limits.
    over_datasets, on_these
        The standard error of a difference if other data sets were drawn, and if only splits, seeds
        or items of these were; None where the table does not tell.
    cost, prices
        The cost by which ways were weighed, if one was named; and what is paid for further scores.
    rates, complete_rates
        What data sets add to the variance of one algorithm's mean: these, where ``over`` says what
        is drawn anew; and others that lack no score.
    notes
        The conventions that were used.

    Examples
    --------
    >>> import palio
    >>> found = palio.variance(palio.load_study("ulas2008"))
    >>> found
    <Variance: data set 81 % of accuracy>
    >>> round(found.standard_error.value, 2)
    1.4
    >>> found.cheapest.what, found.cheapest.needed
    ('further data sets with 1 split each', 138)
    >>> found.to_frame()[["name", "share"]].round(2).head(2)
            name  share
    0  algorithm   0.01
    1   data set   0.81
    """

    kind = "variance"
    parts = (
        "over", "measure", "unit_of_scores", "algorithms", "n_datasets", "unit", "replicate",
        "numbers", "means", "method", "model", "alpha", "components", "over_datasets", "on_these",
        "cost", "ways", "cheapest", "curves", "advice", "notes",
    )  # fmt: skip

    over: str
    measure: Measure
    unit_of_scores: str
    algorithms: tuple[str, ...]
    unit: str | None
    replicate: str | None
    numbers: Numbers
    means: Mapping[str, float]
    method: str
    model: str
    alpha: float
    components: tuple[Component, ...]
    over_datasets: StandardError | None
    on_these: StandardError | None
    cost: str | None
    prices: Prices | None
    rates: Rates | None
    complete_rates: Rates | None
    notes: tuple[str, ...] = ()

    @property
    def n_datasets(self) -> int:
        """The number of data sets."""
        return self.numbers.datasets

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """How to halve the standard error."""
        rates, (s, u, r) = self.rates, self.numbers
        if rates is None:
            return ()
        target = float(rates.variance(s, u, r)) * _HALF**2
        found = []
        if self.over == "datasets":
            found.append(_way(self, "data sets", s, s / _HALF**2, 0.0))
            # A data set may be split once; one of a single item is no data set.
            if u * r > 1 and self.unit in (None, "split"):
                found.append(_further(self, rates, target))
        if self.unit is not None:
            limit, needed = math.sqrt(rates.variance(s)), rates.units_for(target, s, r)
            found.append(_way(self, f"{self.unit}s per data set", u, needed, limit))
        if self.replicate is not None:
            limit = math.sqrt(rates.variance(s, u, math.inf))
            what = f"{self.replicate}s per {self.unit or 'data set'}"
            found.append(_way(self, what, r, rates.replicates_for(target, s, u), limit))
        return tuple(found)

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        """How the standard error falls with more of each."""
        if self.rates is None:
            return ()
        more = np.geomspace(1, _MAX_MULTIPLE, 33)
        times = tuple(more.tolist())
        named = ("data set" if self.over == "datasets" else None, self.unit, self.replicate)
        curves = []
        for place, name in enumerate(named):
            if name is not None:
                grown = [n * more if i == place else n for i, n in enumerate(self.numbers)]
                errors = np.sqrt(self.rates.variance(*grown))
                curves.append(Curve(f"{name}s", times, tuple(errors.tolist())))
        return tuple(curves)

    @property
    def cheapest(self) -> Way | None:
        """The way to halve the standard error that costs least, or adds the fewest scores."""
        possible = [way for way in self.ways if way.needed is not None]
        return min(
            possible,
            key=lambda way: way.cost if way.cost is not None else way.scores or 0,
            default=None,
        )

    @property
    def standard_error(self) -> StandardError | None:
        """The standard error that the ways are about."""
        return self.over_datasets if self.over == "datasets" else self.on_these

    @property
    def advice(self) -> tuple[str, ...]:
        """What follows, in sentences."""
        return advised(self)

    def __repr__(self) -> str:
        most = max(self.components, key=lambda part: part.share)
        return f"<Variance: {most.name} {hundredths(most.share)} % of {self.unit_of_scores}>"

    def _frame(self) -> Any:
        """Give one row per component."""
        return self.components


def variance(
    source: Tabular | ItemScores,
    *,
    over: ReadOver | None = None,
    cost: str | None = None,
    dataset_cost: float = 0.0,
    test_fraction: float | None = None,
    scale: str | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    **reading: Any,
) -> Variance:
    r"""Say what scores vary by, and what more of what would buy.

    A score is taken for the sum of what the algorithm, the data set, the algorithm on the data
    set, the split (or the item), the algorithm on the split and the seed add to it, each but the
    algorithm drawn at random. By the method of moments where the table is balanced, by restricted
    maximum likelihood otherwise.

    Parameters
    ----------
    source
        A table, what `read_scores` reads, or `ItemScores`. A table with item scores is analysed by
        its items, which count by their weights; where they come in clusters, by these.
    over
        What would be drawn anew, for the ways to a smaller standard error: ``datasets`` or
        ``items``; by default items where there are such and fewer than six data sets.
    cost
        A cost, to find the cheapest way to halve the standard error of a difference; without one
        it is the way with the fewest further scores.
    dataset_cost
        What a further data set costs besides its scores, in the unit of the cost, or in scores.
    test_fraction
        The share of the data that each split tests on, where folds do not tell.
    scale
        What means the same on every data set, ``difference``, ``ratio`` or ``auto``, as for
        `read_scores`; on a ratio scale logarithms are analysed.
    alpha
        1 − α is the confidence of the intervals.
    seed
        Of the draws by which these are found.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Variance
        ``components`` are the sources with their shares, ``advice`` says what more of what would
        buy.

    See Also
    --------
    palio.power : how many data sets or items a difference needs.

    Notes
    -----
    With algorithm a, data set d, split or item u and seed r, the last three drawn at random and
    independently, a score and its variance for a given algorithm are

    .. math::

        \begin{split}
        y_{daur} &= \mu + \alpha_a + D_d + (\alpha D)_{da} + U_{du} + (\alpha U)_{dau} + E_{daur} \\
        \mathrm{Var}(y) &= \sigma^2_D + \sigma^2_{AD} + \sigma^2_U + \sigma^2_{AU} + \sigma^2_E
        \end{split}

    The difference of two algorithms' means over S data sets of U splits with R seeds each has, what
    is common to both cancelling out, the variance

    .. math::

        \frac{2}{S} \left(\sigma^2_{AD} + \frac{\sigma^2_{AU}}{U} + \frac{\sigma^2_E}{U R}\right)

    Intervals are generalised confidence intervals; the degrees of freedom of the mean squares are
    from how much these differ between data sets, where there are five or more (Satterthwaite), and
    never more than normal scores would have. Simulated, 95 % intervals cover 94 to 98 % of the
    time on normal scores, and 86 to 93 % where the variance of splits differs much between data
    sets or effects have heavy tails (Student's t with 5 degrees of freedom).

    Splits of the same data share training data. What they share does not average out with more
    splits; it is counted in algorithm × data set, where other data sets are meant, and by Nadeau
    and Bengio's correlation (1/k of k folds) where these are. Splits never count as data sets.

    References
    ----------
    S. R. Searle, G. Casella and C. E. McCulloch (1992), Variance Components, Wiley.
    C. Nadeau and Y. Bengio (2003), Inference for the generalization error, Machine Learning 52(3),
    239–281.
    E. Miller (2024), Adding error bars to evals, arXiv 2411.00640.

    Examples
    --------
    >>> import palio
    >>> found = palio.variance(palio.load_study("ulas2008"))
    >>> for part in found.components:
    ...     print(f"{part.name}: {100 * part.share:.0f} %")
    algorithm: 1 %
    data set: 81 %
    algorithm × data set: 14 %
    split: 1 %
    algorithm × split: 3 %
    >>> print(found.advice[3])
    More splits per data set cannot halve it: it stays above 1.387.
    """
    check_alpha(alpha)
    require(dataset_cost >= 0, "dataset_cost", "a cost is not negative", dataset_cost)
    table = as_table(source, reading, variance, over=over, scale=scale)
    _check_scale(table)
    blocked = (
        blocks_of_table(table, test_fraction) if table.items is None else blocks_of_items(table)
    ).of_what_there_is()
    strata, method = _analysed(blocked)
    found = components(strata, seed=seed)
    now = Numbers(len(blocked.blocks), strata.sizes.units, strata.sizes.replicates)
    thinned = _thinned(strata, found, now) if method == "REML" else 1.0
    # What was found first, and then the draws by which it is known how well.
    values = np.vstack([found.values, found.draws])
    anew = same = None
    if WITH_DATASETS in found.which:
        anew = Rates.anew(values, found.which).times(thinned)
    if blocked.shared is not None and {WITH_UNITS, REPLICATES}.intersection(found.which):
        same = Rates.same(values, found.which, blocked.shared).times(thinned)
    drawn = _drawn_anew(table, over, blocked)
    rates = anew if drawn == "datasets" else same
    score = _unit_of_scores(table)
    described = _described(blocked)
    return Variance(
        over=drawn,
        measure=table.measure,
        unit_of_scores=score,
        algorithms=blocked.algorithms,
        unit=blocked.unit,
        replicate=blocked.replicate,
        numbers=now,
        means=dict(zip(blocked.algorithms, strata.means.tolist(), strict=True)),
        method=method,
        model=f"{score} = {' + '.join(['algorithm', *(described[s][0] for s in strata.which)])}",
        alpha=alpha,
        components=_components(found, described, alpha),
        over_datasets=_error(anew, now, alpha),
        on_these=_error(same, now, alpha),
        cost=cost,
        prices=_prices(table, cost, dataset_cost),
        rates=rates and Rates(*(np.take(part, 0) for part in rates)),
        complete_rates=Rates.anew(found.values, found.which) if anew else None,
        notes=(*_notes_on(found, blocked), *_about_scale(table), *blocked.notes, *table.notes),
    )


def _check_scale(table: ScoreTable) -> None:
    if table.measure.is_censored:
        raise no_sizes("missing", table.measure)
    if table.measure.is_ordinal and table.n_datasets > 1:
        raise ParameterError(
            "scale",
            "variances need sizes that mean the same on all data sets",
            f"of {table.measure.name} only who is better counts: {table.measure.why_ordinal}",
            f"Choose data sets of one measure, by {Option('where')} or {Option('datasets')}",
        )


def _unit_of_scores(table: ScoreTable) -> str:
    measure = table.measure
    if measure.scale != "ratio":
        return measure.name
    size = f"(1 − {measure.name})" if measure.is_explained_share else measure.name
    return f"log {size}" if table.items is None else f"{size} in units of the data set"


def _about_scale(table: ScoreTable) -> tuple[str, ...]:
    if table.measure.scale != "ratio":
        return ()
    alike = "Each data set has its own unit, so that hardly anything is left for data sets to add."
    if table.items is not None:
        return (alike,)
    return f"By logarithms: a difference of 0.01 is about 1 % of {table.measure.name}.", alike


def _analysed(blocked: Blocked) -> tuple[Strata, str]:
    """Analyse the variance, where something can be told apart."""
    one = len(blocked.blocks) == 1
    if one and blocked.unit is None and blocked.replicate is None:
        raise DesignError(
            "table",
            "what varies is seen on several data sets, splits, seeds or items",
            "there is one value per algorithm",
            "Give more than that",
        )
    if is_balanced(blocked.blocks):
        return mean_squares(blocked.blocks), "mean squares"
    design = Design.of(blocked.blocks)
    for stratum, what in ((WITH_DATASETS, "data sets"), (WITH_UNITS, f"{blocked.unit}s")):
        if stratum in design.which and design.df[stratum] <= 0:
            raise DesignError(
                "table",
                f"what algorithms add is told from what {what} do where they share these",
                "too few are shared",
                f"Choose algorithms that share {what}, by {Option('algorithms')}",
            )
    return reml(blocked.blocks), "REML"


def _drawn_anew(table: ScoreTable, over: str | None, blocked: Blocked) -> str:
    """Return what would be drawn anew: as asked, or as the table has it."""
    if read_over(table, over, dataset=None, test=None) == "items":
        return "items"
    if len(blocked.blocks) > 1:
        return "datasets"
    require(over is None, "over", "several data sets are needed", over)
    return f"{blocked.unit or blocked.replicate}s"


def _thinned(strata: Strata, found: Components, now: Numbers) -> float:
    """Return by how much missing scores multiply the variance of an average difference."""
    whole = float(Rates.anew(found.values, found.which).variance(*now))
    return 2 * strata.per_mean / whole if whole > 0 else 1.0


def _error(rates: Rates | None, now: Numbers, alpha: float) -> StandardError | None:
    if rates is None:
        return None
    errors = np.sqrt(rates.variance(*now))
    return StandardError(float(errors[0]), _limits(errors[1:], alpha))


def _limits(draws: FloatArray, alpha: float) -> tuple[float, float]:
    """Return the limits between which all but α of the draws lie."""
    low, high = np.quantile(draws, [alpha / 2, 1 - alpha / 2]).tolist()
    return low, high


def _prices(table: ScoreTable, cost: str | None, dataset_cost: float) -> Prices | None:
    """Return what a score costs on average: by the cost that is named, else one."""
    if cost is None:
        return Prices(1.0, dataset_cost) if dataset_cost else None
    return Prices(float(np.nanmean(table.cost_matrix(cost))), dataset_cost)


# --- the components with names on -----------------------------------------------------------------


def _described(blocked: Blocked) -> dict[int, tuple[str, str]]:
    """Return what each component is called, and what it takes in.

    The latter depends on what can be told apart.
    """
    unit = blocked.unit or "split"
    within = alone = ""
    if blocked.replicate is None:
        within = "" if blocked.unit else ", with all that varies within: split, seed, items"
        left = "the seed" if unit == "split" else "the answer's chance"
        alone = f", with all that is left, such as {left}"
    return {
        DATASETS: ("data set", "some data sets are easier for all"),
        WITH_DATASETS: ("algorithm × data set", f"who is better differs by data set{within}"),
        UNITS: (unit, f"some {unit}s of a data set are easier for all"),
        WITH_UNITS: (f"algorithm × {unit}", f"who is better differs by {unit}{alone}"),
        REPLICATES: (
            blocked.replicate or "seed",
            f"another {blocked.replicate} gives another score",
        ),
    }


def _components(
    found: Components, described: Mapping[int, tuple[str, str]], alpha: float
) -> tuple[Component, ...]:
    """Put names on: the algorithms, which are fixed, and then the components."""
    shares, drawn_shares = found.shares()
    told = [("algorithm", "some of these algorithms are better")]
    told += [described[s] for s in found.which]
    values = [found.algorithms, *found.values.tolist()]
    draws = np.column_stack([found.algorithm_draws, found.draws])
    tiny = 1e-9 * max(sum(values), 1e-300)
    return tuple(
        Component(
            name,
            said,
            value,
            _limits(draws[:, i], alpha),
            math.sqrt(value),
            float(shares[i]),
            _limits(drawn_shares[:, i], alpha),
            value <= tiny,
        )
        for i, ((name, said), value) in enumerate(zip(told, values, strict=True))
    )


def _notes_on(found: Components, blocked: Blocked) -> list[str]:
    """Say what cannot be told, and what the numbers rest on."""
    described = _described(blocked)
    notes = [
        f"The estimate for {described[s][0]} is {number(raw)}, which is shown as 0."
        for s, raw in zip(found.which, found.raw.tolist(), strict=True)
        if raw < 0
    ]
    if len(blocked.blocks) == 1:
        notes.append(
            "On one data set it cannot be told how much who is better differs by data set: nothing "
            "here is about other data sets."
        )
    if blocked.unit is None and blocked.replicate is None:
        notes.append(
            "With one value per data set and algorithm, splits, seeds and items cannot be told "
            "from algorithm × data set."
        )
    if blocked.unit == "split":
        part = ", which is part of algorithm × data set" if len(blocked.blocks) > 1 else ""
        notes.append(
            "Splits of the same data share training data, and more splits do not average out what "
            f"they share{part} (Nadeau and Bengio 2003)."
        )
        if blocked.replicate is None:
            notes.append("With one seed each, the seed cannot be told from algorithm × split.")
        if blocked.shared is None:
            notes.append(
                "For the standard error on these data sets the share of the data used for testing "
                "is needed (test_fraction)."
            )
    notes.append("Standard errors are those of an average pair of these algorithms.")
    return notes


# --- what would make the standard error smaller ---------------------------------------------------


def _way(result: Variance, what: str, now: float, needed: float | None, limit: float) -> Way:
    if needed is None or needed > 1e9:
        return Way(what, now, None, limit, None, None)
    whole = max(math.ceil(now), math.ceil(needed - 1e-9))
    # As many as there are if none is missing, for each multiple.
    added = math.prod(result.numbers) * len(result.algorithms) * (whole / now - 1)
    datasets = whole - now if what == "data sets" else 0.0
    cost = result.prices and result.prices.of(added, datasets)
    return Way(what, now, whole, limit, math.ceil(added - 1e-6), cost)


def _further(result: Variance, rates: Rates, target: float) -> Way:
    """Return the cheapest further data sets, each with as many units and replicates or fewer."""
    _, u, r = result.numbers
    prices = result.prices or Prices(1.0, 0.0)
    found = []
    for units in _numbers_to(u):
        for replicates in _numbers_to(r):
            further = rates.further_for(target, result.numbers, units, replicates)
            scores = further * units * replicates * len(result.algorithms)
            found.append((prices.of(scores, further), further, units, replicates, scores))
    cost, further, units, replicates, scores = min(found)
    named = ((units, result.unit), (replicates, result.replicate))
    inside = " of ".join(count(n, name) for n, name in named if name)
    what = f"further data sets with {inside} each"
    return Way(what, 0, further, 0.0, scores, None if result.prices is None else cost)


def _numbers_to(most: float) -> list[int]:
    whole = max(1, math.floor(most))
    return sorted({round(each) for each in np.geomspace(1, whole, _TRIED).tolist()})


def advised(result: Variance) -> tuple[str, ...]:
    """Say what the standard error is, what of, and how it would become half as large."""
    found = result.standard_error
    if found is None:
        return ()
    low, high = map(number, found.interval)
    others = result.over == "datasets"
    these = "these data sets" if result.n_datasets > 1 else "this data set"
    units = [curve.what for curve in result.curves if curve.what != "data sets"]
    inside = f"{these}, other {result.on_these and joined(units)} drawn"
    drawn = "Other data sets like these" if others else inside[0].upper() + inside[1:]
    said = [
        f"{drawn}: a difference of two algorithms in {result.unit_of_scores} has a standard error "
        f"of {number(found.value)} ({low} to {high})."
    ]
    if others and result.on_these:
        said.append(f"With {inside}, it is {number(result.on_these.value)}.")
    if not others and result.over_datasets:
        said.append(f"With other data sets like these it is {number(result.over_datasets.value)}.")
    return (*said, *_halving(result))


def _halving(result: Variance) -> list[str]:
    """Say what would halve it, what cannot, and what is cheapest."""
    enough = [
        f"{way.needed} {way.what} instead of {share(way.now)}"
        if way.now
        else f"{way.needed} {way.what}"
        for way in result.ways
        if way.needed is not None
    ]
    said = [f"Half as large it would be with {joined(enough, 'or')}."] if enough else []
    said += [
        f"More {way.what} cannot halve it: it stays above {number(way.limit)}."
        for way in result.ways
        if way.needed is None
    ]
    best = result.cheapest
    if best is not None and len(enough) > 1:
        price = f", {result.cost} {number(best.cost)}" if result.cost else ""
        said.append(f"The cheapest: {best.needed} {best.what}, {best.scores} more scores{price}.")
    return said
