"""MultiTest on each data set of a table: all there is on one, the first pass over many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from palio.comparison.corrections import Correction
from palio.comparison.fold_tests import FoldTest, bind_fold_test
from palio.comparison.on_folds import check_splits
from palio.errors import MissingCellsError, Option
from palio.ordering.arrays import MultiTestArrays, concatenate, order_arrays
from palio.ordering.prior import Prior, prior_order, some
from palio.scores import ScoreTable
from palio.types import IntArray
from palio.words import count

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
        costlier_wins = arrays.overrides(arrays.verdicts.p_value)
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
        degenerate = self.arrays.verdicts.degenerate
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


def run_first_pass(
    table: ScoreTable,
    preference: Prior,
    *,
    test: FoldTest,
    correction: Correction,
    alpha: float,
    options: Mapping[str, float],
) -> FirstPass:
    """Run MultiTest on every data set; data sets of one design are done together."""
    means, parts = table.goodness(), []
    if lacking := int(np.isnan(means).sum()):
        raise MissingCellsError(
            "missing",
            "on every data set MultiTest tests each algorithm against each",
            f"{lacking} of {means.size} scores are missing",
            f"read the table with {Option('missing', 'drop-datasets')}, or order it by "
            f"{Option('method', 'pairwise')}",
        )
    for name in table.datasets:
        check_splits(table, name)
    groups = table.by_design()
    bound = [
        bind_fold_test(test.name, group.design, options, dataset=group.datasets[0])
        for group in groups
    ]
    for group, fold_test in zip(groups, bound, strict=True):
        prior = prior_order(preference.values[group.rows], means[group.rows], table.algorithms)
        parts.append(
            order_arrays(
                group.goodness(), prior, test=fold_test, correction=correction, alpha=alpha
            )
        )
    where = np.argsort(np.concatenate([group.rows for group in groups]))
    return FirstPass(table.datasets, table.algorithms, test, correction, concatenate(parts)[where])
