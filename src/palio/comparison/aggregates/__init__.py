"""Aggregates of scores on many scales, and how sure they are."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from palio.comparison.aggregates.normalising import (
    NORMALISATIONS,
    Normalisation,
    Raw,
    asked_for,
    normalised,
)
from palio.comparison.aggregates.result import Aggregates, Over, Resamples
from palio.comparison.sample import largest_part
from palio.errors import DesignError, MissingCellsError, Option, require
from palio.scores import ScoreTable, Tabular, as_table
from palio.scores.metrics import note_on
from palio.scores.scale import no_sizes, unit_array
from palio.stats.aggregates import ratios_to_best
from palio.types import BoolArray, FloatArray, IntArray
from palio.words import count, joined, listed

__all__ = ["NORMALISATIONS", "Aggregates", "aggregate"]

# Enough draws for the ends of an interval; fewer where the table is large. Those of data sets are
# the same for all algorithms, those of runs are not.
_RESAMPLES, _FEWEST = 2000, 500
_WORK = {"datasets": 200_000_000, "runs": 25_000_000}

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


def aggregate(
    table: Tabular,
    *,
    normalise: Normalisation = None,
    over: Over | None = None,
    scale: str | None = None,
    target: float | None = None,
    level: float = 0.95,
    n_resamples: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> Aggregates:
    r"""Aggregate scores over data sets: one number per algorithm, with its interval.

    What is a typical score, where a few data sets are extreme or none has the others' scale? The
    interquartile mean leaves out the lowest and the highest quarter of all runs; the median and
    the mean are of the data sets' means; the optimality gap is how much is missing to a target.
    Aggregates are of one scale: scores of a measure that differs by data set are refused unless
    they are normalised, and on a ratio scale they are of logarithms, in units of the data sets'
    medians. They are on the data sets that all algorithms have. For who differs from whom, with a
    stated error rate, ask `palio.compare`.

    Parameters
    ----------
    table
        Scores on two data sets or more.
    normalise
        ``"min-max"``: on each data set the worst mean is 0 and the best 1, which depends on the
        pool, and is audited for it. Two anchors, algorithms of the table or numbers, the first is
        1 and the second 0, and neither is compared with the others: ``"human=NAME,random=0"`` or a
        mapping. ``"baseline=NAME"``: the difference from an algorithm, or the ratio to it where
        the measure is compared by ratios.
    over
        What is drawn anew for the intervals: ``"runs"`` within each data set, of each algorithm by
        itself (these data sets, other runs), or ``"datasets"`` (other data sets like these). Runs
        are the seeds, and unless given they are drawn where there are any. Folds are no runs;
        repeats, which share data, only where this says so.
    scale
        What means the same on every data set, as for `compare`; ``"difference"`` of run times gives
        their arithmetic mean.
    target
        For the optimality gap; 1 of normalised scores, else the best value there can be.
    level
        Of the intervals.
    n_resamples, seed
        How many times is drawn, and from which seed; 2000, and fewer of large tables.
    **reading
        Options of :func:`palio.read_scores`, such as ``score``, where the table is yet to be read.

    Returns
    -------
    Aggregates

    See Also
    --------
    palio.compare : who differs from whom.
    palio.rank : one place per algorithm, by many methods.

    Notes
    -----
    Of an algorithm's n scores, sorted, and a target γ, the interquartile mean and the gap are

    .. math::

        \mathrm{IQM} = \frac{1}{n - 2g} \sum_{i=g+1}^{n-g} x_{(i)}, \quad
        g = \left\lfloor \frac{n}{4} \right\rfloor, \qquad
        \mathrm{gap} = \gamma - \frac{1}{n} \sum_{i=1}^{n} \min(x_i, \gamma)

    A score is normalised by what counts as 0 and as 1 on its data set: the worst and the best mean
    of the pool, or the two anchors,

    .. math::

        \frac{x - x_0}{x_1 - x_0}

    Intervals are percentiles of the bootstrap, which are too narrow where little is drawn from. In
    simulations with normal and skewed scores, 95 % intervals of 2, 3, 5, 10 and 15 data sets held
    the truth in as few as 47, 73, 80, 88 and 90 % of cases; those of 2, 3, 5 and 9 runs, on 2 to 26
    data sets, in as few as 60, 77, 78 and 86 %. A note says so below 20 data sets or 10 runs.

    References
    ----------
    R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville and M. G. Bellemare (2021), Deep
    reinforcement learning at the edge of the statistical precipice, NeurIPS 34.
    E. D. Dolan and J. J. Moré (2002), Benchmarking optimization software with performance
    profiles, Mathematical Programming 91.

    Examples
    --------
    >>> import palio
    >>> found = palio.aggregate(palio.load_study("ulas2008"), normalise="min-max")
    >>> found
    <Aggregates: 8 algorithms on 38 data sets, min-max; svr first, IQM 0.9492>
    >>> found.of("svr").iqm.low < 0.9492 < found.of("svr").iqm.high
    True
    >>> found.open
    ('svl',)
    """
    table = as_table(table, reading, aggregate, scale=scale)
    require(0 < level < 1, "level", "it lies between 0 and 1", level)
    require(n_resamples is None or n_resamples >= 1, "n_resamples", "it is 1 or more", n_resamples)
    require(over in (None, *get_args(Over)), "over", f"it is {joined(get_args(Over), 'or')}", over)
    if table.measure.is_censored:
        raise no_sizes("missing", table.measure)
    name, anchors = asked_for(normalise)
    # The two ends of the scale compete with nobody, unless fewer than two others are left.
    ends = [each for each in table.algorithms if each in anchors.values()]
    if name != "anchors" or table.n_algorithms - len(ends) < 2:
        ends = []
    means = table.means()
    by_seed = _seed_runs(table, ~np.isin(table.algorithms, ends))
    over = over or ("datasets" if by_seed is None else "runs")
    runs = means[..., np.newaxis] if over == "datasets" else by_seed
    if runs is None:
        runs = _repeat_runs(table)
    # These stay on the scale of their measure, ratios as logarithms.
    by_scale = name in ("none", "baseline")
    rows, columns, told = _complete_part(
        table, ~np.isnan(table.scaled().for_means if by_scale else means)
    )
    part = Raw(
        means[np.ix_(rows, columns)],
        runs[np.ix_(rows, columns)],
        unit_array(table.rows, table.units)[rows],
        tuple(table.datasets[i] for i in rows.tolist()),
        tuple(table.algorithms[j] for j in columns.tolist()),
        table.measure,
    )
    scaled = normalised(part, normalise)
    competing = ~np.isin(part.algorithms, ends)
    if ends:
        of_scale = "is an end" if len(ends) == 1 else "are the ends"
        told += (f"{joined(ends)} {of_scale} of the scale, not compared with the others",)
    runs = scaled.runs[:, competing]
    draws = n_resamples or int(np.clip(_WORK[over] // runs.size, _FEWEST, _RESAMPLES))
    if target is None and not np.isnan(scaled.target):
        target = float(scaled.shown(np.array(scaled.target)))
    return Aggregates(
        algorithms=tuple(np.array(part.algorithms, dtype=object)[competing].tolist()),
        datasets=scaled.datasets,
        measure=table.measure,
        over=over,
        target=target,
        level=level,
        n_resamples=draws,
        seed=seed,
        scaled=scaled,
        sample=Resamples(runs, over == "datasets", draws, seed),
        failed=int(np.delete(table.failed()[:, columns].any(axis=1), rows).sum()),
        among=(table.n_algorithms, table.n_datasets),
        ratios=_ratios_of(table, columns) if normalise is None else None,
        notes=(
            *told,
            *_about_runs(table, over, runs, seeds=by_seed is not None),
            f"{level:.0%} percentile intervals, {draws} draws, seed {seed}".replace("%", " %"),
            *scaled.notes,
            # What it says of means is of scores as they were.
            *(note for note in table.notes if note != note_on(table.measures)),
        ),
    )


def _seed_runs(table: ScoreTable, competes: BoolArray) -> FloatArray | None:
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


def _repeat_runs(table: ScoreTable) -> FloatArray:
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


def _about_runs(table: ScoreTable, over: Over, runs: FloatArray, *, seeds: bool) -> tuple[str, ...]:
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


def _complete_part(
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


def _ratios_of(table: ScoreTable, columns: IntArray) -> FloatArray | None:
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
