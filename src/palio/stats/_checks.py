"""Checks of what comes in: each message names the parameter, the rule and the value."""

from __future__ import annotations

from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from palio.types import Alternative, FloatArray

__all__ = ["check_alternative", "check_level", "finite_array", "paired_arrays"]


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
