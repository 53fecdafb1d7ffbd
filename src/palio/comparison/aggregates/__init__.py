"""Aggregates of scores on many scales, and how sure they are."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np

from palio.comparison.aggregates.choosing import (
    about_runs,
    complete_part,
    failures_left_out,
    ratios_of,
    repeat_runs,
    seed_runs,
)
from palio.comparison.aggregates.normalising import (
    NORMALISATIONS,
    Normalisation,
    Raw,
    anchoring,
    goes_by_scale,
    normalised,
)
from palio.comparison.aggregates.result import Aggregates, Over
from palio.comparison.aggregates.sample import Sample
from palio.errors import require
from palio.scores import Tabular, as_table
from palio.scores.differing import note_on
from palio.scores.scale import unit_array
from palio.words import joined

__all__ = ["NORMALISATIONS", "Aggregates", "aggregate"]

# Enough draws for the ends of an interval; fewer where the table is large. Those of data sets are
# the same for all algorithms, those of runs are not.
_RESAMPLES, _FEWEST = 2000, 500
_WORK = {"datasets": 200_000_000, "runs": 25_000_000}


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
    table = as_table(table, scale=scale)
    require(0 < level < 1, "level", "it lies between 0 and 1", level)
    require(n_resamples is None or n_resamples >= 1, "n_resamples", "it is 1 or more", n_resamples)
    require(over in (None, *get_args(Over)), "over", f"it is {joined(get_args(Over), 'or')}", over)
    ends = anchoring(normalise, table.algorithms)
    means = table.means()
    by_seed = seed_runs(table, np.array([name not in ends for name in table.algorithms]))
    over = over or ("datasets" if by_seed is None else "runs")
    runs = means[..., np.newaxis] if over == "datasets" else by_seed
    if runs is None:
        runs = repeat_runs(table)
    by_scale = goes_by_scale(normalise)
    rows, columns, told = complete_part(
        table, ~np.isnan(table.scaled().for_means if by_scale else means)
    )
    names = tuple(table.algorithms[j] for j in columns.tolist())
    part = Raw(
        means[np.ix_(rows, columns)],
        runs[np.ix_(rows, columns)],
        unit_array(table.rows, table.units)[rows],
        tuple(table.datasets[i] for i in rows.tolist()),
        names,
        table.measure,
    )
    scaled = normalised(part, normalise)
    if ends:
        there = [j for j, name in enumerate(names) if name not in ends]
        names = tuple(names[j] for j in there)
        scaled = replace(scaled, means=scaled.means[:, there], runs=scaled.runs[:, there])
        one = len(ends) == 1
        told = (
            *told,
            f"{joined(ends)} {'is an end' if one else 'are the ends'} of the scale, not compared "
            "with the others",
        )
    kept = np.flatnonzero(scaled.kept)
    size = scaled.runs[kept].size
    draws = n_resamples or int(np.clip(_WORK[over] // size, _FEWEST, _RESAMPLES))
    if target is None and not np.isnan(scaled.target):
        target = float(scaled.shown(np.array(scaled.target)))
    return Aggregates(
        algorithms=names,
        datasets=tuple(part.datasets[i] for i in kept.tolist()),
        measure=table.measure,
        over=over,
        target=target,
        level=level,
        n_resamples=draws,
        seed=seed,
        scaled=scaled,
        sample=Sample(scaled.runs[kept], over == "datasets", draws, seed),
        failed=failures_left_out(table, rows, columns),
        among=(table.n_algorithms, table.n_datasets),
        ratios=ratios_of(table, columns) if normalise is None else None,
        notes=(
            *told,
            *about_runs(table, over, scaled.runs[kept], seeds=by_seed is not None),
            f"{level:.0%} percentile intervals, {draws} draws, seed {seed}".replace("%", " %"),
            *scaled.notes,
            # What it says of means is of scores as they were.
            *(note for note in table.notes if note != note_on(table.measures)),
        ),
    )
