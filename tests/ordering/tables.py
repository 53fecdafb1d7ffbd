"""Tables on which orderings are tried: either direction, one design or several, with costs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

import palio
from palio.scores import ScoreTable

# Data sets of one design do not stand together, so that a result that is not put back in its place
# is seen.
MIXED: Mapping[str, tuple[int, int]] = {
    "d0": (5, 2), "d1": (1, 10), "d2": (2, 5), "d3": (1, 10), "d4": (5, 2), "d5": (1, 4),
}  # fmt: skip
ALIKE: Mapping[str, tuple[int, int]] = dict.fromkeys(MIXED, (5, 2))

NAMES = ("a", "b", "c", "d")


def folds_table(
    designs: Mapping[str, tuple[int, int]] = MIXED,
    *,
    higher_is_better: bool = True,
    seed: int = 0,
) -> ScoreTable:
    """Make scores of four algorithms, two of equal cost; who is better differs by data set.

    With lower values better the scores are the same but for their sign: whatever is not a score
    must stay as it is.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for dataset, (repeats, folds) in designs.items():
        level, cost = rng.normal(0, 1, len(NAMES)), rng.permutation([1.0, 1.0, 2.0, 3.0])
        for j, name in enumerate(NAMES):
            noise = rng.normal(0, 0.6, (repeats, folds))
            rows += [
                {
                    "dataset": dataset, "algorithm": name, "repeat": r, "fold": f,
                    "quality": (1 if higher_is_better else -1) * (level[j] + noise[r, f]),
                    "time": cost[j],
                }
                for r in range(repeats)
                for f in range(folds)
            ]  # fmt: skip
    return palio.read_scores(
        pd.DataFrame(rows), score="quality", higher_is_better=higher_is_better, costs=["time"]
    )
