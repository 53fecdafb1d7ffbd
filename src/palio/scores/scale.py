"""The scale of a table's scores: what of them means the same on every data set.

A difference of 0.01 in accuracy means the same everywhere; one in RMSE does not, as its unit is
that of the data set. So the scores of a ratio scale enter every comparison as logarithms of what
they are in the data set's own unit, and multiplying a data set's scores changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from palio.errors import CellError, Option, ParameterError
from palio.measures import SCALES, MeasureScale, is_known_cost, is_known_score, unknown_scale
from palio.stats.additive import adjusted_means
from palio.words import Worded, count

if TYPE_CHECKING:
    from palio.measures import Measure
    from palio.scores.rows import Rows
    from palio.types import BoolArray, FloatArray

# A size below this share of the data set's unit is taken for it: its logarithm would say more of
# how a program rounds than of how good the algorithm is.
_FLOOR = 1e-6
# Added to all logarithms. Ties are relative to the size of values, and near 0 nothing would tie.
_OFFSET = 64.0
# The goodness of a run that did not end. Beside it every logarithm is rounding noise: against runs
# that ended the difference is the largest, and always the same, so that tests on ranks see a tie.
_UNENDED = -1e30


@dataclass(frozen=True, eq=False)
class Goodness:
    """Values (S, K) in which higher is better and differences count.

    ``floored`` marks the cells at the floor of a ratio scale: they are as good, or bad, as can be
    told, but how much so is not known, so that they enter no mean. Where a run did not end there
    is no such mark, for then no mean is taken of any.
    """

    values: FloatArray
    floored: BoolArray

    @property
    def for_means(self) -> FloatArray:
        """The values, with NaN where a cell was floored."""
        return np.where(self.floored, np.nan, self.values) if self.floored.any() else self.values


def settle_scale(
    measure: Measure, rows: Rows, asked: MeasureScale | None = None
) -> tuple[Measure, tuple[str, ...]]:
    """Return the measure with the scale that its values allow, and notes on it.

    Ratios need sizes above 0. R² is compared by ratios of 1 − R² where there are several splits.
    """
    if asked is not None and asked not in SCALES:
        raise unknown_scale(asked)
    if rows.unended.any() and asked != "order":
        measure = replace(measure, scale="censored")
        if asked is not None:
            raise no_sizes("scale", measure)
    found = replace(measure, scale=asked) if asked is not None else measure
    if found.is_explained_share:
        found = _of_explained(found, rows, asked)
    scores = rows.scores[found.name]
    if found.has_ratios and (negative := np.flatnonzero(found.sizes(scores) < 0)).size:
        below = f"{found.name} is below 0 for {rows.describe(int(negative[0]))}"
        if asked is not None:
            remedy = f"give {Option('scale', 'difference')} or {Option('scale', 'order')}"
            raise CellError("scale", "ratios need scores that are not negative", below, remedy)
        note = f"{below}, so ratios mean nothing: only who is better on each data set counts."
        return replace(found, scale="order"), (note,)
    return found, tuple(_notes(found, rows, asked))


def _of_explained(measure: Measure, rows: Rows, asked: MeasureScale | None) -> Measure:
    """Compare R² by ratios of what is left unexplained, if splits show how that varies."""
    percent = np.nanmax(rows.scores[measure.name], initial=-np.inf) > 1
    by_splits = bool((rows.cell_counts > 1).any()) or len(rows.seeds) > 1
    scale = asked or ("ratio" if by_splits else "difference")
    return replace(measure, scale=scale, upper=100.0 if percent else measure.upper)


def no_sizes(parameter: str, measure: Measure) -> ParameterError:
    """Return the error for what needs sizes of all, where runs did not end."""
    rule, remedy = f"sizes of {measure.name} are needed of every run", Option("missing", "par10")
    return ParameterError(parameter, rule, measure.why_ordinal, f"give {remedy}")


def _notes(measure: Measure, rows: Rows, asked: MeasureScale | None) -> list[str]:
    name = measure.name
    if measure.is_censored:
        return [
            f"{name} is compared by ratios where runs ended. One that did not is slower than all "
            "that did, by how much is not known, and two that did not tie; of several runs the "
            "share that did not end counts. PAR10 is the mean in which a run that did not end has "
            "ten times its cut-off, or the longest run where that is not told."
        ]
    if len(rows.datasets) == 1:
        return []
    if measure.scale == "ratio":
        what = f"1 − {name}" if measure.is_explained_share else name
        units = unit_array(rows, units_of(measure, rows))[rows.dataset]
        notes = [f"{what} has a unit of its own on each data set: it is compared by ratios."]
        if n := int(on_scale(rows.scores[name], measure, units).floored.sum()):
            small = f"{count(n, 'value')} of {what} below a millionth of the data set's median"
            notes.append(f"In no mean, as they are taken for that: {small}.")
        return notes
    known = is_known_score(name) or is_known_cost(name) or measure.is_mixed or asked is not None
    if not known and measure.scale == "difference":
        said = f"{name} is compared by differences, as its name does not tell its scale"
        how = "give --scale ratio (scale='ratio') if it has a unit of its own on each data set"
        return [Worded(f"{said}; {how}.", page=f"{said}.")]
    return []


def units_of(measure: Measure, rows: Rows) -> dict[str, float]:
    """Return the unit of each data set on a ratio scale: the median of its positive sizes."""
    if not measure.has_ratios:
        return {}
    sizes = np.where(rows.unended, np.nan, measure.sizes(rows.scores[measure.name]))
    by_dataset = [sizes[rows.slice_of(code)] for code in range(len(rows.datasets))]
    medians = [float(np.median(own[own > 0])) if (own > 0).any() else 1.0 for own in by_dataset]
    return dict(zip(rows.datasets, medians, strict=True))


def goodness_of(rows: Rows, measure: Measure, units: Mapping[str, float]) -> Goodness:
    """Return each data set's mean over its folds on the scale of the measure, higher is better.

    On a ratio scale that is the logarithm of the mean; of 1 − R² the mean of logarithms, for on a
    common test set that is the log ratio of the errors.
    """
    scores = rows.scores[measure.name]
    if measure.scale == "ratio" and measure.is_explained_share:
        scaled = on_scale(scores, measure, unit_array(rows, units)[rows.dataset])
        floored = rows.cell_means(scaled.floored.astype(np.float64)) > 0
        return Goodness(rows.cell_means(scaled.values), floored)
    found = on_scale(rows.cell_means(scores), measure, unit_array(rows, units))
    if rows.censored is None:
        return found
    shares = np.where(np.isnan(found.values), 0.0, rows.cell_means(rows.censored))
    values = np.where(shares > 0, _UNENDED * shares, found.values)
    return Goodness(values, np.zeros_like(found.floored))


def on_scale(scores: FloatArray, measure: Measure, units: FloatArray) -> Goodness:
    """Return scores (n, …) on the scale of their measure; ``units`` (n,) are as of `unit_array`."""
    if not measure.has_ratios:
        return Goodness(measure.turned(scores), np.zeros(scores.shape, dtype=np.bool_))
    sizes = measure.sizes(scores) / units.reshape(-1, *[1] * (scores.ndim - 1))
    logs = _OFFSET + np.log(np.maximum(sizes, _FLOOR))
    return Goodness(measure.goodness_sign * logs, sizes < _FLOOR)


def unit_array(rows: Rows, units: Mapping[str, float]) -> FloatArray:
    """Return the units of the data sets in the order of the table; 1 where there are none."""
    return np.array([units.get(name, 1.0) for name in rows.datasets])


def mean_scores_of(scaled: Goodness, measure: Measure, scores: FloatArray) -> FloatArray:
    """Return the mean score of each algorithm (K,), allowing for the data sets that each lacks.

    On a ratio scale it is the geometric mean of the sizes, in the units of the data sets; where
    runs did not end the mean of the ``scores`` (S, K), in which these are penalised: PAR10.
    """
    if measure.is_censored:
        return adjusted_means(scores)
    if measure.is_ordinal:
        return np.full(scaled.values.shape[1], np.nan)
    means = scores_of(adjusted_means(scaled.for_means), measure)
    if measure.scale == "difference" and measure.is_bounded:
        # Adjusted, a mean may leave the range of its measure, be it in fractions or in percent.
        top = 1.0 if np.nanmax(np.abs(scaled.values), initial=0.0) <= 1 else 100.0
        return np.clip(means, -top, top)
    return means


def in_own_sense(goodness: FloatArray, measure: Measure) -> FloatArray:
    """Return goodness as differences are told: as scores, or as logarithms of sizes in the unit."""
    turned = measure.goodness_sign * goodness
    return turned - _OFFSET if measure.has_ratios else turned


def scores_of(goodness: FloatArray, measure: Measure) -> FloatArray:
    """Return goodness as scores; on a ratio scale as sizes, in the units of the data sets."""
    found = in_own_sense(goodness, measure)
    return np.exp(found) if measure.has_ratios else found
