"""What a test on folds looks like to those who call it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from palio.stats._outcome import Outcome
from palio.types import Alternative, FloatArray

__all__ = ["Options", "PairFunction", "SidedPairFunction"]

Options = Mapping[str, float]


class PairFunction(Protocol):
    """A two-sided test of two arrays of shape (..., repeats, folds)."""

    def __call__(self, a: FloatArray, b: FloatArray, /) -> Outcome:
        """Test whether the two differ."""


class SidedPairFunction(Protocol):
    """A test of two arrays of shape (..., repeats, folds), with a choice of side."""

    def __call__(self, a: FloatArray, b: FloatArray, /, *, alternative: Alternative) -> Outcome:
        """Test whether the two differ, or one has the higher values."""
