"""Families of p-values along the last axis: checked, sorted, stepped through and put back."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from palio.types import FloatArray, IntArray


def probabilities(p: ArrayLike) -> FloatArray:
    """Return ``p`` as floats, all between 0 and 1."""
    raw = np.asarray(p, dtype=np.float64)
    bad = ~((raw >= 0.0) & (raw <= 1.0))
    if bad.any():
        raise ValueError(f"p must lie between 0 and 1; got {float(raw[bad][0])!r}.")
    return raw


def sorted_family(p: ArrayLike) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return p, p ascending, the order that sorts it, and the places 1 … m."""
    raw = probabilities(p)
    family = np.atleast_1d(raw)
    order = np.argsort(family, axis=-1, kind="stable")
    ordered = np.take_along_axis(family, order, axis=-1)
    return raw, ordered, order, np.arange(1, family.shape[-1] + 1)


def step_down(raw: FloatArray, stepped: FloatArray, order: IntArray) -> FloatArray:
    """Let no value fall below one before it, and put them back where ``raw`` had them."""
    return _restored(raw, np.maximum.accumulate(stepped, axis=-1), order)


def step_up(raw: FloatArray, stepped: FloatArray, order: IntArray) -> FloatArray:
    """Let no value rise above one after it, and put them back where ``raw`` had them."""
    return _restored(raw, np.minimum.accumulate(stepped[..., ::-1], axis=-1)[..., ::-1], order)


def _restored(raw: FloatArray, stepped: FloatArray, order: IntArray) -> FloatArray:
    adjusted = np.empty_like(stepped)
    np.put_along_axis(adjusted, order, np.minimum(1.0, stepped), axis=-1)
    # m p / m may round to just below p.
    return np.maximum(raw, adjusted.reshape(raw.shape))
