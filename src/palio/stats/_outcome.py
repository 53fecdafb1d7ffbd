"""What a test gives back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from palio.types import BoolArray, FloatArray, IntArray

__all__ = ["Outcome"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """A test on every data set (or pair) of the batch at once.

    Attributes
    ----------
    statistic, p_value
        One number per data set; 0-d arrays where the input held one data set.
    degenerate
        True where a zero variance, or nothing but ties, made the p-value a definition rather
        than a calculation: 1 where nothing differs, 0 where something differs without spread.
    n
        The number of observations that entered the statistic.
    df
        Degrees of freedom of the null distribution, where it has any.
    null
        The null distribution: ``t``, ``F``, ``chi2``, ``normal`` or ``exact``.
    """

    statistic: FloatArray
    p_value: FloatArray
    degenerate: BoolArray
    n: IntArray
    null: str
    df: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        # Arithmetic on 0-d arrays yields NumPy scalars; callers are promised arrays of one shape.
        statistic = np.asarray(self.statistic, dtype=np.float64)
        object.__setattr__(self, "statistic", statistic)
        object.__setattr__(self, "p_value", np.asarray(self.p_value, dtype=np.float64))
        for field, kind in (("degenerate", np.bool_), ("n", np.intp)):
            value = np.asarray(getattr(self, field), dtype=kind)
            object.__setattr__(self, field, np.broadcast_to(value, statistic.shape))
