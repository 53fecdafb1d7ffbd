"""Does the size of data sets explain who is good at them: ranks by rows, beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from palio.scores import ScoreTable
from palio.stats.adjust import holm
from palio.stats.ranks import average_ranks
from palio.studies.reproduction import Cell, Layout
from palio.studies.wainer2016_tables import ALPHA, correlation, papers_ranks
from palio.types import FloatArray
from palio.words import joined

SIZES = ((100, 300), (301, 1000), (1001, 5000))
"""Classes of rows as run, by which mean ranks are told."""

_FEWEST = 3  # data sets, for a slope with an interval


@dataclass(frozen=True)
class Slope:
    """How the rank of a learner changes with every doubling of the rows, over data sets.

    Negative is better with more rows. ``low`` to ``high`` is a 95 % interval for this learner
    alone; ``p_adjusted`` is of all learners at once, by Holm.
    """

    algorithm: str
    slope: float
    low: float
    high: float
    p_value: float
    p_adjusted: float

    @property
    def is_clear(self) -> bool:
        """Whether it is significantly not 0, all learners asked at once."""
        return self.p_adjusted <= ALPHA


def least_squares(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Return the slopes of the columns of y (S, K) on x (S,), 95 % half-widths, and p of no slope.

    .. math::

        b = \frac{\sum_s (x_s - \bar x)(y_s - \bar y)}{\sum_s (x_s - \bar x)^2}, \qquad
        \mathrm{se}(b)^2 = \frac{\sum_s (y_s - \hat y_s)^2}{(S - 2) \sum_s (x_s - \bar x)^2}

    >>> slope, _, _ = least_squares(np.array([1.0, 2.0, 3.0]), np.array([[2.0], [4.0], [6.5]]))
    >>> slope.tolist()
    [2.25]
    """
    around_x, around_y = x - x.mean(), y - y.mean(axis=0)
    spread = around_x @ around_x
    slope = around_x @ around_y / spread
    left = around_y - around_x[:, None] * slope
    df = len(x) - 2
    error = np.sqrt((left**2).sum(axis=0) / df / spread)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(slope == 0, 0.0, slope / error)
    return slope, stdtrit(df, 1 - ALPHA / 2) * error, 2 * stdtr(df, -np.abs(t))


def slopes(table: ScoreTable, rows: Mapping[str, int]) -> tuple[Slope, ...]:
    """Return the slope of each learner's rank on log2 of the rows, the most negative first.

    Ranks are ordinary ones, ties shared: dense ranks grow with the rows, as ties become rare.
    """
    x = np.log2([rows[name] for name in table.datasets])
    if len(x) < _FEWEST or np.ptp(x) == 0:
        return ()
    b, half, p = least_squares(x, average_ranks(-table.goodness()))
    columns = zip(table.algorithms, b, b - half, b + half, p, holm(p), strict=True)
    found = [Slope(name, *map(float, values)) for name, *values in columns]
    return tuple(sorted(found, key=lambda each: each.slope))


def size_layout(table: ScoreTable, rows: Mapping[str, int]) -> Layout:
    """Lay mean ranks out by size, with the slopes, and say how far each size goes with the paper.

    Learners that gain most by more rows come first.
    """
    ranks = average_ranks(-table.goodness())
    printed = papers_ranks("1", "mean_rank")
    sizes = np.array([rows[name] for name in table.datasets])
    found = slopes(table, rows)
    order = [each.algorithm for each in found] or list(table.algorithms)
    values: dict[Cell, str] = {}
    for low, high in SIZES:
        some = (low <= sizes) & (sizes <= high)
        if not some.any():
            continue
        column = f"{low}–{high}"
        mean = dict(zip(table.algorithms, ranks[some].mean(axis=0).tolist(), strict=True))
        values["data sets", column] = str(int(some.sum()))
        values |= {(name, column): f"{mean[name]:.2f}" for name in order}
        values["ρ, paper", column] = f"{correlation(mean, printed)[0]:.2f}"
    values |= {(name, "paper"): f"{printed[name]:.2f}" for name in order if name in printed}
    for each in found:
        half = (each.high - each.low) / 2
        values[each.algorithm, "slope ± 95 %"] = f"{each.slope:+.2f} ± {half:.2f}"
        values[each.algorithm, "p"] = f"{each.p_adjusted:.2g}"
    return Layout(
        "size",
        "mean ranks of the error by rows as run (the paper's are dense), how they go with the "
        "paper's, and what a rank changes by with twice the rows, least squares over data sets, "
        "p by Holm",
        {("data sets", "paper"): "115", **values},
    )


def size_note(found: tuple[Slope, ...]) -> str:
    """Name who clearly gains or loses by more rows.

    >>> size_note((Slope("rf", -0.5, -0.7, -0.3, 1e-4, 1e-3), Slope("nb", 0.1, -1, 1, 0.5, 0.5)))
    'ranks with twice the rows: clearly better rf (-0.50), clearly worse none'
    """
    clear = [each for each in found if each.is_clear]
    better, worse = (
        [f"{each.algorithm} ({each.slope:+.2f})" for each in some]
        for some in (
            [each for each in clear if each.slope < 0],
            [each for each in reversed(clear) if each.slope > 0],
        )
    )
    return (
        f"ranks with twice the rows: clearly better {joined(better) if better else 'none'}, "
        f"clearly worse {joined(worse) if worse else 'none'}"
    )
