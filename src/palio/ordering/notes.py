"""The conventions an ordering used, in words: they go into its notes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from palio.comparison.corrections import Correction
from palio.comparison.fold_tests import FoldTest
from palio.ordering.first_pass import FirstPass
from palio.ordering.prior import Prior
from palio.stats.ranks import average_ranks
from palio.types import FloatArray

__all__ = ["degenerate_notes", "test_note", "tied_cost_notes"]


def test_note(test: FoldTest, correction: Correction, alpha: float, k: int) -> str:
    """Say which test decided the edges, on which side, at which level."""
    side = (
        'one-sided ("the costlier is better")'
        if test.one_sided
        else "two-sided, direction from the means"
    )
    tests = k * (k - 1) // 2
    return f"edges: {test.title}, {side}, at α = {alpha:g}; {correction.title} over {tests} tests"


def tied_cost_notes(values: FloatArray, where: Sequence[str]) -> tuple[str, ...]:
    """Say on which data sets algorithms cost the same."""
    k = values.shape[-1]
    ranks = np.sort(average_ranks(values), axis=-1)
    tied = np.flatnonzero((ranks != np.arange(1, k + 1)).any(axis=-1))
    if tied.size == 0:
        return ()
    return (f"equal costs on {_some(where, tied)}: the better mean score first, then the name",)


def degenerate_notes(first_pass: FirstPass) -> tuple[str, ...]:
    """Say where the folds had no variance, so that p-values are 0 or 1 by definition."""
    verdicts = first_pass.arrays.verdicts
    rows = np.flatnonzero(verdicts.degenerate.any(axis=-1))
    if rows.size == 0:
        return ()
    return (
        f"no variance between folds in {int(verdicts.degenerate.sum())} pairs "
        f"({_some(first_pass.datasets, rows)}): what they show is taken as certain, p = 0 or 1",
    )


def preference_notes(preference: Prior, where: Sequence[str]) -> tuple[str, ...]:
    """Say what the prior rests on."""
    return (*preference.notes, *tied_cost_notes(preference.values, where))


def _some(names: Sequence[str], rows: np.ndarray) -> str:
    shown = ", ".join(names[row] for row in rows[:5].tolist())
    return shown + (f" and {rows.size - 5} more" if rows.size > 5 else "")
