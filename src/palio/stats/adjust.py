"""Many hypotheses at once: p-values adjusted along the last axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from palio.stats._types import FloatArray

__all__ = ["bonferroni", "holm", "none"]


def none(p: ArrayLike) -> FloatArray:
    """Return the p-values as they are, checked.

    Examples
    --------
    >>> none([0.01, 0.2]).tolist()
    [0.01, 0.2]
    """
    return _probabilities(p).copy()


def bonferroni(p: ArrayLike, m: int | None = None) -> FloatArray:
    """Multiply each p-value by the number of hypotheses.

    Which hypotheses can be rejected so that the probability of any false rejection is at most α?
    Valid under any dependence; `holm` is too, and rejects at least as much.

    Parameters
    ----------
    p
        p-values, one family along the last axis.
    m
        How many hypotheses the family has, if more than are given.

    References
    ----------
    Dunn (1961), Multiple comparisons among means. JASA 56.

    Examples
    --------
    >>> bonferroni([0.01, 0.4, 0.02]).round(3).tolist()
    [0.03, 1.0, 0.06]
    """
    raw = _probabilities(p)
    given = raw.shape[-1] if raw.ndim else 1
    if m is not None and m < given:
        raise ValueError(f"m must be at least the number of p-values, {given}; got {m!r}.")
    return np.minimum(1.0, (given if m is None else m) * raw)


def holm(p: ArrayLike) -> FloatArray:
    """Adjust p-values by Holm's step-down procedure.

    The same question as `bonferroni`, valid as widely, and more powerful: the smallest p-value is
    multiplied by m, the next by m - 1, and so on, none falling below one before it.

    Parameters
    ----------
    p
        p-values, one family along the last axis.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    raw = _probabilities(p)
    if raw.ndim == 0:
        return raw.copy()
    order = np.argsort(raw, axis=-1, kind="stable")
    stepped = np.take_along_axis(raw, order, axis=-1) * np.arange(raw.shape[-1], 0, -1)
    stepped = np.minimum(1.0, np.maximum.accumulate(stepped, axis=-1))
    adjusted = np.empty_like(raw)
    np.put_along_axis(adjusted, order, stepped, axis=-1)
    return adjusted


def _probabilities(p: ArrayLike) -> FloatArray:
    raw = np.asarray(p, dtype=np.float64)
    bad = ~((raw >= 0.0) & (raw <= 1.0))
    if bad.any():
        raise ValueError(f"p must lie between 0 and 1; got {float(raw[bad][0])!r}.")
    return raw
