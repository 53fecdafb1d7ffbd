"""Success rates: what ratios can be taken of."""

from __future__ import annotations

import numpy as np

from palio.errors import CellError, ParameterError
from palio.measures import Measure, is_error_rate
from palio.scores import ScoreTable
from palio.types import FloatArray

__all__ = ["success_rates"]


def success_rates(table: ScoreTable, *, method: str) -> tuple[FloatArray, str]:
    """Return the success rates (S, K) of a table, and in a note how they were read.

    Success is the score itself where it is a share, in [0, 1] or in per cent, and 1 − error where
    it is an error rate. Ratios of anything else have no meaning, and are refused.

    Examples
    --------
    >>> table = ScoreTable.from_arrays(
    ...     [[19.13, 14.06]], datasets=["australian"], algorithms=["timbl", "discrim"],
    ...     measure="error",
    ... )
    >>> rates, note = success_rates(table, method="success-rate-ratios")
    >>> rates.round(2), note
    (array([[80.87, 85.94]]), 'success: 100 − error, in per cent')
    """
    measure, means = table.measure, table.means()
    whole = _whole(measure, means)
    if whole is None:
        raise ParameterError(
            "method",
            f"'{method}' takes ratios of success rates",
            f"{measure.name!r} is none: a score from 0 to 1 or in per cent is needed, or an error "
            "rate",
            "'average-ranks' needs nothing but the order",
        )
    unit = "in per cent" if whole > 1 else "as a fraction"
    if measure.higher_is_better:
        success, note = means, f"success: {measure.name} as it is, {unit}"
    else:
        success, note = whole - means, f"success: {whole:g} − {measure.name}, {unit}"
    _refuse_zeros(table, success, method)
    return success, note


def _whole(measure: Measure, means: FloatArray) -> float | None:
    """Return what all successes together are, 1 or 100; nothing if the measure is no share."""
    starts_at_zero = measure.lower == 0 or (measure.lower is None and measure.upper is None)
    is_share = starts_at_zero if measure.higher_is_better else is_error_rate(measure.name)
    if not is_share or means.min() < 0 or means.max() > 100:
        return None
    return 1.0 if means.max() <= 1 else 100.0


def _refuse_zeros(table: ScoreTable, success: FloatArray, method: str) -> None:
    zeros = np.argwhere(success <= 0)
    if zeros.size:
        row, column = zeros[0].tolist()
        raise CellError(
            "method",
            f"'{method}' divides by success rates",
            f"that of {table.algorithms[column]!r} on {table.datasets[row]!r} is 0",
            "leave one of them out, or use 'average-ranks'",
        )
