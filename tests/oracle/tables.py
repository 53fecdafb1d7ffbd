"""Three small tables for the models of one value per data set and algorithm."""

import numpy as np

from palio.scores import ScoreTable
from palio.types import FloatArray

KINDS = ["ordinary", "heavy", "gaps"]
RANKED_KINDS = [*KINDS, "sweep"]
"""For the models of ranks, whose posterior has long tails where one algorithm always wins."""

ROPE = 0.01
"""Half the region, for the models that take it in the unit of the score."""

_GAPS = [(0, 1), (2, 3), (5, 0), (5, 1), (7, 2)]


def table_of(kind: str) -> ScoreTable:
    """Return 8 data sets × 4 algorithms: normal noise, far outliers, missing cells, or a sweep.

    Rounded, so that there are ties. Where cells are missing, lower is better.
    """
    rng = np.random.default_rng(3)
    levels = 0.7 + rng.normal(scale=0.06, size=(8, 1)) + np.array([0.0, 0.01, 0.018, 0.03])
    noise = rng.standard_t(1.5, (8, 4)) if kind == "heavy" else rng.normal(size=(8, 4))
    scores = np.round(levels + 0.016 * noise, 2)
    if kind == "sweep":
        scores[:, 1] += 0.2
    if kind == "gaps":
        scores[tuple(np.transpose(_GAPS))] = np.nan
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(8)],
        algorithms=list("abcd"),
        measure="error" if kind == "gaps" else "accuracy",
        missing="pairwise" if kind == "gaps" else "error",
    )


def goodness(table: ScoreTable) -> FloatArray:
    """Return the scores (S, K), more is better, NaN where missing."""
    return table.means() if table.measure.higher_is_better else -table.means()
