"""Bradley–Terry and Plackett–Luce: CPU seconds for 20,000 proposals, and what they are worth.

CPU seconds in one process, the best of several runs. ``draws`` is the sampler alone, ``result``
the whole call with all pairs and the check of the fit.

    python benchmarks/bayes_strengths.py
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from palio.bayes.models.bradley_terry import (
    bradley_terry,
    choices_of_wins,
    wins_with_ties,
)
from palio.bayes.models.plackett_luce import (
    choices_of_ranks,
    plackett_luce,
)
from palio.bayes.models.strengths import draw_strengths
from palio.scores import ScoreTable
from palio.stats.ranks import ranks_of_present

DRAWS = 20_000
# Data sets and algorithms.
SIZES = ((38, 8), (115, 14), (500, 50))


def table_of(scores: np.ndarray) -> ScoreTable:
    """Make a table of scores (data sets, algorithms)."""
    n, k = scores.shape
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{j:02d}" for j in range(k)],
        measure="accuracy",
    )


def cpu_seconds(work: Callable[[], Any], *, runs: int = 3) -> float:
    """Return the best CPU time of several runs."""
    best = np.inf
    for _ in range(runs):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    """Print a line per model and size."""
    print(f"{'model':14} {'size':>9} {'draws':>9} {'result':>9} {'kept':>7} {'Pareto k':>9}")
    for n, k in SIZES:
        rng = np.random.default_rng(0)
        scores = rng.gumbel(size=(n, k)) + 0.7 * rng.normal(size=k)
        table, (ranks, _) = table_of(scores), ranks_of_present(-scores)
        wins = wins_with_ties(ranks, "half")

        def by_wins(wins: np.ndarray = wins) -> Any:
            return draw_strengths(choices_of_wins(wins), np.random.default_rng(0), draws=DRAWS)

        def by_ranks(ranks: np.ndarray = ranks) -> Any:
            return draw_strengths(choices_of_ranks(ranks), np.random.default_rng(0), draws=DRAWS)

        for model, sample in ((bradley_terry, by_wins), (plackett_luce, by_ranks)):
            found = sample()
            alone = cpu_seconds(sample)
            whole = cpu_seconds(lambda model=model, table=table: model(table, draws=DRAWS))  # type: ignore[misc]
            print(
                f"{model.__name__:14} {n:>4} × {k:<2} {alone:>7.3f} s {whole:>7.3f} s "
                f"{found.n_draws:>7} {found.facts['pareto_k']:>9.2f}"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of all of it: {peak:.0f} MB")


if __name__ == "__main__":
    main()
