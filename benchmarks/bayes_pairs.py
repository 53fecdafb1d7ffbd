"""Palio's pairwise Bayesian tests against baycomp's: one pair, and all pairs of 14 algorithms.

CPU seconds in one process for 50,000 draws, the best of several runs. Palio's are those of the
whole result with its interval of the difference, baycomp's those of its sample alone. baycomp's
work is the same for every draw, so with many data sets it makes fewer and the time is scaled up.
It is left out where it is not installed: pip install baycomp.

    python benchmarks/bayes_pairs.py
"""

from __future__ import annotations

import importlib
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from palio.bayes.models.correlated_t import correlated_t_probabilities
from palio.bayes.models.sign import sign
from palio.bayes.models.signed_rank import signed_rank
from palio.scores import ScoreTable

DRAWS = 50_000
ROPE = 0.01
# Data sets, and how many draws baycomp makes.
SIZES = ((38, 50_000), (115, 50_000), (500, 5_000), (1000, 2_000))


def table_of(scores: np.ndarray) -> ScoreTable:
    """Make a table of scores (data sets, algorithms)."""
    n, k = scores.shape
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{j:02d}" for j in range(k)],
        measure="accuracy",
    )


def cpu_seconds(work: Callable[[], Any], runs: int = 3) -> float:
    """Return the best CPU time of several runs."""
    best = np.inf
    for _ in range(runs):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def peer() -> Any:
    """Return baycomp's tests on many data sets, or nothing."""
    try:
        return importlib.import_module("baycomp.multiple")
    except ImportError:
        return None


def one_pair(rng: np.random.Generator) -> None:
    """Print the seconds of one pair."""
    baycomp = peer()
    for n, peer_draws in SIZES:
        scores = 0.8 + 0.05 * rng.normal(size=(n, 2))
        table = table_of(scores)
        for model, name, theirs in (
            (sign, "SignTest", DRAWS),
            (signed_rank, "SignedRankTest", peer_draws),
        ):
            ours = cpu_seconds(partial(model, table, rope=ROPE, draws=DRAWS))
            line = f"{model.__name__:12} {n:5} data sets: {ours:8.3f} s"
            if baycomp is not None:
                sample = partial(getattr(baycomp, name).sample, *scores.T, ROPE, nsamples=theirs)
                seconds = cpu_seconds(sample, runs=2) * DRAWS / theirs
                line += f"   baycomp {seconds:8.3f} s  {seconds / ours:6.1f}×"
            print(line)


def all_pairs(rng: np.random.Generator) -> None:
    """Print the seconds of all 91 pairs of 14 algorithms."""
    table = table_of(0.8 + 0.05 * rng.normal(size=(115, 14)) + 0.01 * rng.normal(size=14))
    for model in (sign, signed_rank):
        seconds = cpu_seconds(partial(model, table, rope=ROPE, draws=DRAWS))
        print(f"{model.__name__:12} 115 × 14, 91 pairs: {seconds:.3f} s")
    folds = 0.01 * rng.normal(size=(10_000, 100))
    seconds = cpu_seconds(lambda: correlated_t_probabilities(folds, 0.1, ROPE))
    print(f"correlated_t 10,000 pairs of 10×10 folds: {seconds:.3f} s")


def main() -> None:
    """Print the comparisons."""
    rng = np.random.default_rng(0)
    one_pair(rng)
    all_pairs(rng)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of all of it: {peak:.0f} MB")


if __name__ == "__main__":
    main()
