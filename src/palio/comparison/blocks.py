"""The scores of a table, data set by data set, as the analysis of variance takes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import require
from palio.scores.over import items_of
from palio.scores.scale import in_own_sense, on_scale, unit_array
from palio.stats.items import cluster_sums
from palio.stats.variance import Block
from palio.types import FloatArray, IntArray
from palio.words import count, listed

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
    weights = there * (1.0 if items.weights is None else items.weights[part][:, np.newaxis])
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
    if items.weights is not None:
        notes.append(
            "Items count by their weights: what one adds is multiplied by its weight over the mean "
            "weight, as in the standard error of a weighted mean."
        )
    return tuple(notes)
