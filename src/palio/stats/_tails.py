"""From two tails to a p-value."""

from __future__ import annotations

import numpy as np

from palio.types import Alternative, FloatArray

__all__ = ["from_tails"]


def from_tails(upper: FloatArray, lower: FloatArray, alternative: Alternative) -> FloatArray:
    """Return the p-value, given P(X >= x) and P(X <= x).

    Examples
    --------
    >>> float(from_tails(np.array(0.25), np.array(0.875), "two-sided"))
    0.5
    """
    if alternative == "two-sided":
        return np.minimum(1.0, 2.0 * np.minimum(upper, lower))
    return upper if alternative == "greater" else lower
