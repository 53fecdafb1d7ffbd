"""MultiTest on arrays: any number of tables at once, names left behind.

The single-table functions and Multi²Test's first pass both come down to this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from palio.comparison.corrections import Correction, Family, check_alpha, fold_correction_named
from palio.comparison.fold_tests import BoundTest, FoldTest, bind_fold_test
from palio.comparison.on_folds import check_splits
from palio.errors import MissingCellsError, Option, ParameterError
from palio.ordering.graph import edge_matrix, inverse_permutation, topological_order
from palio.ordering.prior import Prior, prior_order, some
from palio.scores import Design, ScoreTable
from palio.stats.ranks import paired_difference
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import count

# Pairs × folds held at once: enough to amortise the calls, small enough to stay in the cache.
_CHUNK = 1 << 18


@dataclass(frozen=True, eq=False)
class MultiTestArrays:
    """The result of MultiTest over leading axes.

    ``prior`` and ``order`` number the algorithms as they were given, cheapest and best first. The
    rest is about the pairs i < j of places in the prior (i is the cheaper). ``lead`` is positive
    where the costlier has the better mean score; ``favours_costlier`` says where a rejection speaks
    for it: always, if the test asked on that side, whatever the means.
    """

    alpha: float
    prior: IntArray
    order: IntArray
    statistic: FloatArray
    p_value: FloatArray
    p_adjusted: FloatArray
    lead: FloatArray
    favours_costlier: BoolArray
    degenerate: BoolArray

    def overrides(self, p: FloatArray) -> BoolArray:
        """Say where p-values of the pairs override the prior."""
        return (p <= self.alpha) & self.favours_costlier

    @property
    def ahead(self) -> FloatArray:
        """Positive where the costlier is ahead: where the test overrides, else by the means."""
        return np.where(self.overrides(self.p_adjusted), 1.0, self.lead)

    @property
    def against_means(self) -> BoolArray:
        """Where the test overrides the prior, and the means do not: 5×2 cv t rests on one fold."""
        return self.overrides(self.p_adjusted) & (self.lead <= 0)

    @property
    def edges_by_place(self) -> BoolArray:
        """``[..., i, j]``: the j-th in the prior is significantly better than the i-th."""
        return edge_matrix(self.overrides(self.p_adjusted), self.prior.shape[-1])

    @property
    def edges(self) -> BoolArray:
        """``[..., i, j]``: algorithm j is costlier than algorithm i and significantly better."""
        place = inverse_permutation(self.prior)
        rows = np.take_along_axis(self.edges_by_place, place[..., :, np.newaxis], axis=-2)
        return np.take_along_axis(rows, place[..., np.newaxis, :], axis=-1)

    @property
    def ranks(self) -> IntArray:
        """The place of each algorithm, 1 the best."""
        return inverse_permutation(self.order) + 1

    def map_arrays(self, change: Callable[[str], Any]) -> MultiTestArrays:
        """Return the same with other arrays, each by its name."""
        names = (each.name for each in fields(self) if each.name != "alpha")
        return replace(self, **{name: change(name) for name in names})

    def __getitem__(self, index: Any) -> MultiTestArrays:
        return self.map_arrays(lambda name: getattr(self, name)[index])


def multitest_batch(
    scores: npt.ArrayLike,
    costs: npt.ArrayLike,
    *,
    higher_is_better: bool,
    test: str = "5x2cv-f",
    correction: str | None = None,
    alpha: float = 0.05,
    **options: float,
) -> MultiTestArrays:
    """Run MultiTest on many tables in one call, as in a simulation or a bootstrap.

    Parameters
    ----------
    scores
        Shape (..., algorithms, repeats, folds).
    costs
        Shape (..., algorithms), or anything that broadcasts to it; lower is preferred, and of
        equal costs the better mean score, then the lower number.
    higher_is_better
        The direction of the scores.
    test, correction, alpha, **options
        As for :func:`palio.multitest`.

    Returns
    -------
    MultiTestArrays
        ``order`` (..., algorithms) has the algorithms' numbers, best first; ``ranks``, ``edges``.

    Examples
    --------
    >>> import numpy as np
    >>> errors = np.random.default_rng(0).normal(size=(1000, 3, 5, 2))
    >>> errors[:, :2] += 20  # the third is the costliest, and far better
    >>> batch = multitest_batch(errors, [1, 2, 3], higher_is_better=False)
    >>> batch.order.shape, batch.order[0].tolist()
    ((1000, 3), [2, 0, 1])
    """
    check_alpha(alpha)
    goodness, prior = goodness_and_prior(scores, costs, higher_is_better=higher_is_better)
    return order_arrays(
        goodness,
        prior,
        test=bind_fold_test(test, Design.of_grid(*goodness.shape[-2:]), options),
        correction=fold_correction_named(correction),
        alpha=alpha,
    )


def order_arrays(
    goodness: FloatArray,
    prior: IntArray,
    *,
    test: BoundTest,
    correction: Correction,
    alpha: float,
) -> MultiTestArrays:
    """Run MultiTest on scores (..., k, repeats, folds), higher is better, and priors (..., k)."""
    batch, k = prior.shape[:-1], prior.shape[-1]
    tables = goodness.reshape(-1, *goodness.shape[-3:])
    priors = prior.reshape(-1, k)
    pairs_and_folds = k * (k - 1) // 2 * tables.shape[-2] * tables.shape[-1]
    size = max(1, _CHUNK // pairs_and_folds)
    parts = [
        _test_chunk(tables[i : i + size], priors[i : i + size], test, correction, alpha)
        for i in range(0, len(tables), size)
    ]
    unsorted = concatenate(parts)
    taken, _ = topological_order(unsorted.edges_by_place)
    whole = replace(unsorted, order=np.take_along_axis(priors, taken, axis=-1))
    # Back to the shape of the batch: every array has the flat batch as its first axis.
    return whole[np.arange(len(tables)).reshape(batch)]


def _test_chunk(
    goodness: FloatArray, prior: IntArray, test: BoundTest, correction: Correction, alpha: float
) -> MultiTestArrays:
    """Test the pairs of some tables; the order is still the prior.

    A test with a one-sided form asks whether the costlier is better (yildiz2006 eq. 18): the
    prior chose that side, not the data, and where it rejects there is an edge (Fig. 1). A test
    without one is two-sided, and the means say for whom it speaks.
    """
    ordered = np.take_along_axis(goodness, prior[..., np.newaxis, np.newaxis], axis=-3)
    k, one_sided = prior.shape[-1], test.test.one_sided
    first, second = np.triu_indices(k, 1)
    # Fold by fold in memory: sums over a few folds then run along the many pairs.
    by_fold = np.ascontiguousarray(np.moveaxis(ordered, (-2, -1), (0, 1)))
    a, b = (np.moveaxis(by_fold[..., which], (0, 1), (-2, -1)) for which in (second, first))
    outcome = test(a, b, alternative="greater" if one_sided else "two-sided")
    means = ordered.mean(axis=(-2, -1))
    lead = paired_difference(means[..., second], means[..., first])
    return MultiTestArrays(
        alpha=alpha,
        prior=prior,
        order=prior,
        statistic=outcome.statistic,
        p_value=outcome.p_value,
        p_adjusted=correction.adjusted(Family(outcome.p_value, k)),
        lead=lead,
        favours_costlier=np.ones_like(lead, dtype=np.bool_) if one_sided else lead > 0,
        degenerate=outcome.degenerate,
    )


def concatenate(parts: Sequence[MultiTestArrays]) -> MultiTestArrays:
    """Put batches one after another along the first axis."""
    return parts[0].map_arrays(lambda name: np.concatenate([getattr(part, name) for part in parts]))


def goodness_and_prior(
    scores: npt.ArrayLike, costs: npt.ArrayLike, *, higher_is_better: bool
) -> tuple[FloatArray, IntArray]:
    """Return scores (..., algorithms, repeats, folds), higher is better, and the prior orders."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim < 3 or array.shape[-3] < 2 or not np.isfinite(array).all():
        raise ParameterError(
            "scores",
            "finite numbers of shape (..., algorithms, repeats, folds) with at least two "
            "algorithms are needed",
            f"an array of shape {array.shape} was given",
        )
    preference = np.asarray(costs, dtype=np.float64)
    if preference.shape[-1:] != array.shape[-3:-2] or not np.isfinite(preference).all():
        raise ParameterError(
            "costs",
            f"finite numbers of shape (..., {array.shape[-3]}) are needed, one per algorithm",
            f"an array of shape {preference.shape} was given",
        )
    goodness = array if higher_is_better else -array
    preference = np.broadcast_to(preference, array.shape[:-2])
    return goodness, prior_order(preference, goodness.mean(axis=(-2, -1)))


# --- on each data set of a table ------------------------------------------------------------------


# Of the tests of a first pass; fewer, and the places on a data set are the order of cost.
_NEXT_TO_NOTHING = 0.05


class DatasetOrder(NamedTuple):
    """The order on one data set, best first, and the edges (cheaper, costlier) behind it."""

    order: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class FirstPass:
    """MultiTest on every data set, as arrays with one row per data set."""

    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    preference: Prior
    test: FoldTest
    correction: Correction
    arrays: MultiTestArrays

    @property
    def mean_places(self) -> dict[str, float]:
        """The place of each algorithm, 1 the best, averaged over the data sets."""
        places = self.arrays.ranks.mean(axis=0)
        return dict(zip(self.algorithms, places.tolist(), strict=True))

    @property
    def pair_wins(self) -> IntArray:
        """``pair_wins[i, j]``: on how many data sets MultiTest on i and j alone prefers i.

        Alone, a pair is one test, so its p-value needs no correction: the costlier wins where
        the test says that it is significantly better, the cheaper everywhere else.
        """
        arrays, k = self.arrays, len(self.algorithms)
        first, second = np.triu_indices(k, 1)
        costlier_wins = arrays.overrides(arrays.p_value)
        winner = np.where(costlier_wins, arrays.prior[:, second], arrays.prior[:, first])
        loser = np.where(costlier_wins, arrays.prior[:, first], arrays.prior[:, second])
        wins = np.zeros((k, k), dtype=np.intp)
        np.add.at(wins, (winner, loser), 1)
        return wins

    @property
    def notes(self) -> tuple[str, ...]:
        """Which test decided the edges, on which side, at which level; then what it met with."""
        test, k = self.test, len(self.algorithms)
        side = (
            'one-sided ("the costlier is better")'
            if test.one_sided
            else "two-sided, direction from the means"
        )
        return (
            f"edges: {test.title}, {side}, at α = {self.arrays.alpha:g}; {self.correction.title} "
            f"over {count(k * (k - 1) // 2, 'test')}",
            *self._against_means(),
            *self._degenerate(),
        )

    def _against_means(self) -> tuple[str, ...]:
        """Name the pairs where the test says that the costlier is better, and the means do not."""
        first, second = np.triu_indices(len(self.algorithms), 1)
        found = [
            f"{self.algorithms[self.arrays.prior[row, second[pair]]]} over "
            f"{self.algorithms[self.arrays.prior[row, first[pair]]]} on {self.datasets[row]}"
            for row, pair in np.argwhere(self.arrays.against_means).tolist()
        ]
        if not found:
            return ()
        # A test whose answer depends on the names of the folds rests on some of them.
        rests = "" if "relabel-folds" in self.test.properties else ", as it rests on one fold"
        return (
            f"the test finds the costlier better where the mean scores do not{rests}: "
            f"{some(found, np.arange(len(found)))}",
        )

    @property
    def scarce(self) -> tuple[str, ...]:
        """Say so where the tests found next to nothing, so that the preference alone decides."""
        arrays = self.arrays
        tests = arrays.p_adjusted.size
        found = int(arrays.overrides(arrays.p_adjusted).sum())
        if found > _NEXT_TO_NOTHING * tests:
            return ()
        return (
            f"the first pass preferred the costlier in {found} of {tests} tests: on these folds "
            "the order is nearly that of cost alone; the method 'pairwise' does not hang on folds",
        )

    def _degenerate(self) -> tuple[str, ...]:
        """Say where the folds had no variance, and what the p-values are there."""
        degenerate = self.arrays.degenerate
        rows = np.flatnonzero(degenerate.any(axis=-1))
        if rows.size == 0:
            return ()
        return (
            f"no variance between folds in {count(int(degenerate.sum()), 'pair')} "
            f"({some(self.datasets, rows)}): {self.test.without_variance}",
        )

    @cached_property
    def per_dataset(self) -> dict[str, DatasetOrder]:
        """The order on each data set, with names on."""
        names = self.algorithms
        return {
            dataset: DatasetOrder(
                tuple(names[i] for i in order),
                tuple((names[i], names[j]) for i, j in np.argwhere(edges).tolist()),
            )
            for dataset, order, edges in zip(
                self.datasets, self.arrays.order.tolist(), self.arrays.edges, strict=True
            )
        }


def complete_goodness(table: ScoreTable, rule: str, otherwise: str = "") -> FloatArray:
    """Return the mean scores (S, K), higher is better, where by some rule none may be missing."""
    goodness = table.goodness()
    if lacking := int(np.isnan(goodness).sum()):
        raise MissingCellsError(
            "missing",
            rule,
            f"{lacking} of {goodness.size} scores are missing",
            f"read the table with {Option('missing', 'drop-datasets')}{otherwise}",
        )
    return goodness


def run_first_pass(
    table: ScoreTable,
    preference: Prior,
    *,
    test: FoldTest,
    correction: str | None,
    alpha: float,
    options: Mapping[str, float],
) -> FirstPass:
    """Run MultiTest on every data set; data sets of one design are done together."""
    check_alpha(alpha)
    correct = fold_correction_named(correction)
    rule = "on every data set MultiTest tests each algorithm against each"
    means = complete_goodness(table, rule, f", or order it by {Option('method', 'pairwise')}")
    parts = []
    for name in table.datasets:
        check_splits(table, name)
    groups = table.by_design()
    bound = [
        bind_fold_test(test.name, group.design, options, dataset=group.datasets[0])
        for group in groups
    ]
    for group, fold_test in zip(groups, bound, strict=True):
        order = prior_order(preference.values[group.rows], means[group.rows], table.algorithms)
        parts.append(
            order_arrays(group.goodness(), order, test=fold_test, correction=correct, alpha=alpha)
        )
    where = np.argsort(np.concatenate([group.rows for group in groups]))
    arrays = concatenate(parts)[where]
    return FirstPass(table.datasets, table.algorithms, preference, test, correct, arrays)
