"""Tables for the tests of the models."""

from typing import Any

import numpy as np

from palio.scores import ScoreTable


def means_table(scores: Any, measure: str = "accuracy", **gaps: Any) -> ScoreTable:
    """Return a table of one value per data set d0, d1, … and algorithm a0, a1, …."""
    values = np.asarray(scores, dtype=np.float64)
    return ScoreTable.from_arrays(
        values,
        datasets=[f"d{i}" for i in range(values.shape[0])],
        algorithms=[f"a{j}" for j in range(values.shape[1])],
        measure=measure,
        **gaps,
    )
