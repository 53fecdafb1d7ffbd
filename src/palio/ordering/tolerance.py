"""Before the cost decides where no test over the data sets could: the folds, and a tolerance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from palio.comparison.on_folds import check_splits
from palio.errors import InputError, require
from palio.numbers import limit
from palio.scores import ScoreTable
from palio.scores.scale import on_scale, unit_array
from palio.stats.additive import paired_mean_differences
from palio.stats.adjust import holm
from palio.stats.folds import mean_corrected_t
from palio.types import BoolArray
from palio.words import count

USUAL = 0.01
"""A point of a share; of other scores a hundredth of their size, or of what they spread over."""

CLEARLY = "clearly better"


@dataclass(frozen=True)
class Tolerance:
    """What the preferred may be worse by: in the unit of the score, on a ratio scale a share."""

    size: float
    unit: str

    @classmethod
    def of(cls, table: ScoreTable, size: float | None) -> Tolerance:
        """Return the one that is given, or the usual one of a table's measure."""
        measure = table.measure
        if size is not None:
            require(0 <= size < math.inf, "tolerance", "it is 0 or more", size)
        if measure.is_ordinal:
            return cls(0.0, "mean rank")
        if measure.scale == "ratio":
            return cls(USUAL if size is None else size, f"of the mean {measure.name}")
        if size is None:
            means = table.means()
            spread = float(np.nanmedian(np.nanmax(means, axis=1) - np.nanmin(means, axis=1)))
            shares = 100.0 if np.nanmax(np.abs(means)) > 1 else 1.0
            size = USUAL * (shares if measure.is_bounded else spread)
        return cls(size, f"in mean {measure.name}")

    def __str__(self) -> str:
        return f"{limit(self.size)} {self.unit}" if self.size else self.unit


def clearly_better(
    table: ScoreTable, tolerance: Tolerance, mean_ranks: Mapping[str, float], alpha: float
) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Return the worse and the better of the pairs that cost cannot decide, and by what rule.

    >>> from palio.scores import read_scores
    >>> wide = {"dataset": ["a", "b"], "x": [0.9, 0.8], "y": [0.7, 0.7]}
    >>> table = read_scores(wide, score="accuracy")
    >>> clearly_better(table, Tolerance.of(table, None), {}, 0.05)[0]
    [('y', 'x')]
    """
    names, goodness = table.algorithms, table.scaled().for_means
    if table.measure.is_ordinal:
        goodness = -np.array([[mean_ranks[name] for name in names]])
    size = math.log1p(tolerance.size) if table.measure.scale == "ratio" else tolerance.size
    # A difference that is the tolerance but for rounding is within it.
    apart = np.nan_to_num(paired_mean_differences(goodness)) > size * (1 + 1e-9)
    by_folds = None if table.measure.is_ordinal else _better_by_folds(table, alpha)
    rule = f"before the cost decides: {CLEARLY} is who is better by more than {tolerance}"
    if by_folds is not None:
        apart |= by_folds
        rule += (
            ", or by the folds: the mean over these data sets, variances as in the corrected "
            "resampled t test, degrees of freedom by Welch and Satterthwaite, Holm over "
            f"{count(len(names) * (len(names) - 1) // 2, 'pair')}, "
            f"α = {alpha:g}; it speaks of these data sets alone"
        )
    return [(names[worse], names[better]) for better, worse in np.argwhere(apart).tolist()], (rule,)


def _better_by_folds(table: ScoreTable, alpha: float) -> BoolArray | None:
    """Say whose mean over the data sets is better by the folds, [better, worse]; None without."""
    first, second = np.triu_indices(table.n_algorithms, 1)
    units, sets = unit_array(table.rows, table.units), []
    try:
        for i, name in enumerate(table.datasets):
            check_splits(table, name)
            share = table.design(name).tested_share(None, by="test: 'corrected-t'")
            scores = table.fold_scores(name)[np.newaxis]
            found = on_scale(scores, table.measure, units[i : i + 1]).for_means[0]
            sets.append((found[first], found[second], share))
    except InputError:  # no folds, or not the same for all
        return None
    p = holm(np.nan_to_num(mean_corrected_t(sets), nan=1.0))
    ahead = np.sum([(a - b).mean(axis=(-2, -1)) for a, b, _ in sets], axis=0)
    better = np.zeros((table.n_algorithms, table.n_algorithms), dtype=np.bool_)
    better[first, second] = (p <= alpha) & (ahead > 0)
    better[second, first] = (p <= alpha) & (ahead < 0)
    return better
