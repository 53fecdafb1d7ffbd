"""What every test shares: checks of what comes in, p-values from tails, and what it gives back.

And `column_means`, which leaves out what is not there: the one way in which Palio averages a score
or a cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from palio.types import Alternative, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """A test on every data set (or pair) of the batch at once.

    Attributes
    ----------
    statistic, p_value
        One number per data set; 0-d arrays where the input held one data set.
    degenerate
        True where the p-value is not that of the null distribution, for lack of a spread: 1 where
        nothing differs, else as the test's page says.
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


def check_alternative(alternative: str) -> None:
    """Refuse an ``alternative`` that is none of the three."""
    known = get_args(Alternative)
    if alternative not in known:
        raise ValueError(f"alternative must be one of {', '.join(known)}; got {alternative!r}.")


def check_level(alpha: float, *, name: str = "alpha") -> None:
    """Refuse a probability that is not strictly between 0 and 1."""
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"{name} must lie strictly between 0 and 1; got {alpha!r}.")


def finite_array(values: ArrayLike, *, name: str, least: tuple[int, ...] = ()) -> FloatArray:
    """Return ``values`` as floats, all finite, each trailing axis at least ``least`` long."""
    array = np.asarray(values, dtype=np.float64)
    trailing = array.shape[max(array.ndim - len(least), 0) :]
    if len(trailing) < len(least) or any(
        size < low for size, low in zip(trailing, least, strict=True)
    ):
        wanted = ", ".join(["...", *(f"at least {low}" for low in least)])
        raise ValueError(f"{name} must have shape ({wanted}); got shape {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name} must be finite; got {np.count_nonzero(~np.isfinite(array))} "
            f"NaN or infinite of {array.size} values."
        )
    return array


def paired_arrays(
    a: ArrayLike, b: ArrayLike, *, least: tuple[int, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return ``a`` and ``b`` of one shape: trailing axes equal, leading axes broadcast."""
    first, second = finite_array(a, name="a", least=least), finite_array(b, name="b", least=least)
    axes = len(least)
    if first.shape[-axes:] != second.shape[-axes:]:
        raise ValueError(
            f"a and b are paired, so their last {axes} axes must agree; "
            f"got shapes {first.shape} and {second.shape}."
        )
    first, second = np.broadcast_arrays(first, second)
    return first, second


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


def column_means(values: FloatArray) -> FloatArray:
    """Return the mean of each column over the rows that have it; NaN where none has.

    >>> column_means(np.array([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan]])).tolist()
    [2.0, 5.0, nan]
    """
    present = ~np.isnan(values)
    sums = np.where(present, values, 0.0).sum(axis=0)
    means: FloatArray = np.where(
        present.any(axis=0), sums / np.maximum(present.sum(axis=0), 1), np.nan
    )
    return means
