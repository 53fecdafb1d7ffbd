"""MultiTest on each data set of a table: all there is on one, the first pass over many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from palio.comparison.corrections import Correction
from palio.comparison.fold_tests import FoldTest, bind_fold_test
from palio.ordering.arrays import MultiTestArrays, concatenate, order_arrays
from palio.ordering.prior import Prior, prior_order
from palio.scores import Design, ScoreTable
from palio.types import FloatArray, IntArray

__all__ = ["DatasetOrder", "FirstPass", "run_first_pass"]


class DatasetOrder(NamedTuple):
    """The order on one data set, best first, and the edges (cheaper, costlier) behind it."""

    order: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class FirstPass:
    """MultiTest on every data set, as arrays with one row per data set."""

    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    mean_scores: FloatArray
    arrays: MultiTestArrays

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
    by_design: dict[Design, list[int]] = defaultdict(list)
    for row, dataset in enumerate(table.datasets):
        design = table.design(dataset)
        if design.kind == "irregular":
            table.fold_scores(dataset)  # raises where folds are unpaired, and says which
        by_design[design].append(row)
    bound = {
        design: bind_fold_test(test.name, design, options, dataset=table.datasets[rows[0]])
        for design, rows in by_design.items()
    }
    sign = 1 if table.measure.higher_is_better else -1
    means = np.empty((table.n_datasets, table.n_algorithms))
    parts = []
    for design, rows in by_design.items():
        goodness = sign * np.stack([table.fold_scores(table.datasets[row]) for row in rows])
        means[rows] = sign * goodness.mean(axis=(-2, -1))
        prior = prior_order(preference.values[rows], sign * means[rows], table.algorithms)
        parts.append(
            order_arrays(goodness, prior, test=bound[design], correction=correction, alpha=alpha)
        )
    where = np.argsort(np.concatenate(list(by_design.values())))
    return FirstPass(table.datasets, table.algorithms, means, concatenate(parts)[where])
