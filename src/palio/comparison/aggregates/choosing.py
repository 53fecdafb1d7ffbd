"""What is aggregated: which data sets and algorithms, and what a run is."""

from __future__ import annotations

import numpy as np

from palio.comparison.aggregates.result import Over
from palio.comparison.sample import largest_part
from palio.errors import DesignError, MissingCellsError, Option
from palio.scores import ScoreTable
from palio.stats.aggregates import ratios_to_best
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import count, listed

# Fewer data sets that all have are no sample: then the largest complete part is looked at.
_ENOUGH = 3

# Percentile intervals of few units are too narrow. How seldom 95 % ones held the truth, in % of
# simulated tables: the worst of four aggregates and of normal and skewed scores, and of runs on 2
# to 26 data sets. Measured and tested in tests/calibration/test_aggregates.py.
LEAST_COVERAGE: dict[Over, dict[int, int]] = {
    "datasets": {2: 47, 3: 73, 4: 77, 5: 80, 7: 84, 10: 88, 15: 90},
    "runs": {2: 60, 3: 77, 5: 78, 9: 86},
}
_FEW: dict[Over, int] = {"datasets": 20, "runs": 10}  # with fewer a note says so
_ALARMING = 75  # %; below it the note is a warning


def seed_runs(table: ScoreTable, competes: BoolArray) -> FloatArray | None:
    """Return the score of each seed, the mean over its splits: (S, K, seeds).

    NaN where a seed lacks a split. There are none where not every score of those that compete has
    two such seeds: then seeds are only another name of the splits.
    """
    if table.n_seeds < 2:
        return None
    scores, rows = table.seed_scores(), table.rows
    runs = np.stack([rows.cell_means(each) for each in scores.T], axis=-1)
    enough = (~np.isnan(runs)).sum(axis=-1) >= 2
    return runs if bool(enough[~np.isnan(table.means()) & competes].all()) else None


def repeat_runs(table: ScoreTable) -> FloatArray:
    """Return the score of each repeat, the mean over its folds: (S, K, repeats).

    They share data, and are runs only for those who say so.
    """
    rows, (n, k) = table.rows, table.rows.shape
    r = len(rows.repeats)
    if r < 2:
        raise DesignError(
            "over",
            "runs cannot be drawn anew where there is one of each",
            f"the table has {table.design()}",
            f"Give {Option('over', 'datasets')}, or a column with the seeds",
        )
    cell = rows.cell * r + rows.repeat
    counts = np.bincount(cell, minlength=n * k * r)
    sums = np.bincount(cell, weights=rows.scores[table.measure.name], minlength=n * k * r)
    means = np.full(n * k * r, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means.reshape(n, k, r)


def about_runs(table: ScoreTable, over: Over, runs: FloatArray, *, seeds: bool) -> tuple[str, ...]:
    """Say what is drawn anew, and what is taken for a run."""
    if over == "datasets":
        plain = table.design().kind == "none" and table.n_seeds == 1
        said = "" if plain else ", each with its mean over splits and seeds"
        few = _about_few(over, len(runs))
        return (f"data sets are drawn anew{said}: other data sets like these", *few)
    sizes = (~np.isnan(runs)).sum(axis=-1)
    unequal = (
        ("numbers of runs differ by data set: in the interquartile mean one with more weighs more",)
        if (sizes.min(axis=0) < sizes.max(axis=0)).any()
        else ()
    )
    what = "seeds" if seeds else "repeats, taken as independent although they may share data,"
    return (
        f"{what} are drawn anew within each data set, of each algorithm by itself: the same data "
        "sets, other runs",
        *_about_few(over, int(sizes.min())),
        *unequal,
    )


def _about_few(over: Over, n: int) -> tuple[str, ...]:
    """Say how seldom intervals of n units hold the truth, as measured with no more than n.

    >>> _about_few("datasets", 3)[0]
    'warning: intervals of 3 data sets are too narrow: ... in as few as 73 % of cases'
    """
    if n >= _FEW[over]:
        return ()
    what = "data set" if over == "datasets" else "run"
    measured = max(each for each in LEAST_COVERAGE[over] if each <= n)
    least = LEAST_COVERAGE[over][measured]
    return (
        f"{'warning: ' if least < _ALARMING else ''}intervals of {count(n, what)} are too narrow: "
        f"simulated with {measured}, 95 % ones hold the truth in as few as {least} % of cases",
    )


def complete_part(
    table: ScoreTable, present: BoolArray
) -> tuple[IntArray, IntArray, tuple[str, ...]]:
    """Return the data sets and algorithms to aggregate, and what is to be said of it."""
    n, k = present.shape
    rows, columns = np.flatnonzero(present.all(axis=1)), np.arange(k)
    told: tuple[str, ...] = ()
    if rows.size < min(n, _ENOUGH):
        rows, columns = largest_part(present, _ENOUGH)
        gone = [table.algorithms[j] for j in np.setdiff1d(np.arange(k), columns).tolist()]
        told = (
            f"too few data sets have a score of all {k} algorithms, so these are the "
            f"{columns.size} with the most scores; left out: {listed(gone)}",
        )
    if n < 2:
        raise MissingCellsError(
            "table",
            "aggregates are over two data sets or more",
            "there is one",
            ""
            if table.items is None
            else f"compare with {Option('over', 'items')} tells them apart on its items",
        )
    if rows.size < 2 or columns.size < 2:
        raise MissingCellsError(
            "table",
            "two algorithms with scores on the same two data sets are needed",
            f"{count(rows.size, 'data set')} {'has' if rows.size == 1 else 'have'} a score of all",
            f"Choose algorithms that share data sets, or another rule for missing scores "
            f"({Option('missing', 'worst')})",
        )
    return rows, columns, told


def failures_left_out(table: ScoreTable, rows: IntArray, columns: IntArray) -> int:
    """Count the data sets that are not looked at because one of the algorithms failed there."""
    failed = table.failed()[:, columns].any(axis=1)
    return int(np.delete(failed, rows).sum())


def ratios_of(table: ScoreTable, columns: IntArray) -> FloatArray | None:
    """Return the ratios to the best of what is compared by ratios, such as run times: (S, K).

    Who failed has none, whatever a rule has put there; a data set that nobody has is left out.
    """
    measure = table.measure
    if measure.scale != "ratio" or not measure.smaller_sizes_are_better:
        return None
    made_up = table.imputed_cells() | table.failed()
    costs = np.where(made_up, np.nan, measure.sizes(table.means()))[:, columns]
    # Never run is not failed: such a data set says nothing of all.
    told = ~(np.isnan(table.means()) & ~made_up)[:, columns].any(axis=1)
    solved = ~np.isnan(costs).all(axis=1)
    return ratios_to_best(costs[told & solved]) if (told & solved).any() else None
