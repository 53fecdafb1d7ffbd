"""Which resampling design a data set's folds form; the design decides which tests are valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from palio.errors import DesignError, ParameterError

if TYPE_CHECKING:
    from palio.types import IntArray

__all__ = ["Design", "common_design", "recognise", "share_folds"]

DesignKind: TypeAlias = Literal[
    "5x2", "k-fold", "repeated-k-fold", "hold-outs", "none", "irregular", "mixed"
]


@dataclass(frozen=True, slots=True)
class Design:
    """A resampling design: so many repeats of so many folds.

    Parameters
    ----------
    kind : {"5x2", "k-fold", "repeated-k-fold", "hold-outs", "none", "irregular", "mixed"}
        ``none`` is a single value, ``hold-outs`` many repeats of one fold. ``irregular`` is not a
        full grid of repeats and folds, or not the same one for every algorithm. ``mixed`` is said
        of a table whose data sets have different designs.
    repeats, folds : int
        Their numbers; the largest ones where the design is irregular or mixed.

    Examples
    --------
    >>> str(Design("repeated-k-fold", repeats=10, folds=10))
    '10×10-fold cv'
    """

    kind: DesignKind
    repeats: int
    folds: int

    @classmethod
    def of_grid(cls, repeats: int, folds: int) -> Design:
        """Return the design of a full grid of repeats and folds.

        >>> str(Design.of_grid(5, 2))
        '5×2 cv'
        """
        return cls(_grid_kind(repeats, folds), repeats, folds)

    def tested_share(self, given: float | None, *, by: str) -> float:
        """Return the share of the data that each fold tests on: as given, or as the folds tell.

        ``by`` says in messages who needs it, as ``"test: 'corrected-t'"``.

        >>> Design.of_grid(10, 10).tested_share(None, by="test: 'corrected-t'")
        0.1
        """
        if given is not None:
            if not 0 < given < 1:
                raise ParameterError(
                    "test_fraction",
                    "the share of the data used for testing lies between 0 and 1",
                    f"{given!r} was given",
                )
            return float(given)
        if self.folds < 2:
            raise DesignError(
                f"{by} on {self} needs the share of the data used for testing: give "
                "test_fraction= (on the command line --test-fraction), for example 0.33."
            )
        return 1 / self.folds

    def __str__(self) -> str:
        if self.kind == "5x2":
            return "5×2 cv"
        if self.kind == "k-fold":
            return f"{self.folds}-fold cv"
        if self.kind == "repeated-k-fold":
            return f"{self.repeats}×{self.folds}-fold cv"
        if self.kind == "hold-outs":
            return f"{self.repeats} hold-outs"
        if self.kind == "none":
            return "one value per data set"
        return "irregular folds" if self.kind == "irregular" else "designs differ by data set"


def recognise(algorithm: IntArray, repeat: IntArray, fold: IntArray) -> Design:
    """Return the design of one data set from its rows, sorted by algorithm, repeat and fold."""
    repeats = int(np.unique(repeat).size)
    folds = int(np.unique(fold).size)
    per_algorithm = repeat.size // max(int(np.unique(algorithm).size), 1)
    if per_algorithm != repeats * folds or not share_folds(algorithm, repeat, fold):
        return Design("irregular", repeats, folds)
    return Design(_grid_kind(repeats, folds), repeats, folds)


def share_folds(algorithm: IntArray, repeat: IntArray, fold: IntArray) -> bool:
    """Return whether all algorithms of one data set have the same (repeat, fold) pairs.

    The rows are sorted by algorithm, repeat and fold, with no duplicates.
    """
    starts = np.flatnonzero(np.diff(algorithm, prepend=-1))
    length = algorithm.size // max(starts.size, 1)
    if not np.array_equal(starts, np.arange(starts.size) * length):
        return False
    if starts.size * length != algorithm.size:
        return False
    by_algorithm = repeat.reshape(starts.size, length), fold.reshape(starts.size, length)
    return all(bool((codes == codes[:1]).all()) for codes in by_algorithm)


def common_design(designs: Sequence[Design]) -> Design:
    """Return the design that all data sets have, or ``mixed``."""
    if len(set(designs)) == 1:
        return designs[0]
    return Design(
        "mixed", max(each.repeats for each in designs), max(each.folds for each in designs)
    )


def _grid_kind(repeats: int, folds: int) -> DesignKind:
    if folds == 1:
        return "none" if repeats == 1 else "hold-outs"
    if repeats == 1:
        return "k-fold"
    return "5x2" if (repeats, folds) == (5, 2) else "repeated-k-fold"
