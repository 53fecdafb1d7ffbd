"""Ranking methods at size: 10 methods × 200 data sets × 50 algorithms × 10 folds.

The evaluation leaves each data set out in turn; it is also timed as a loop over tables with one
data set less, on a sample of them, since all would take minutes. Then the bootstrap, which ranks
2,000 tables by each method. CPU seconds in one process.

    python benchmarks/rank.py
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import palio
from palio.ordering import RANKINGS
from palio.scores import ScoreTable

DATASETS, ALGORITHMS, FOLDS = 200, 50, 10
SAMPLE = 3


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return the CPU seconds and those on the clock."""
    cpu, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - clock


def made_table() -> ScoreTable:
    """Return accuracies of few test instances, so that there are ties, and training times."""
    rng = np.random.default_rng(0)
    skill = 0.8 + 0.03 * rng.normal(size=ALGORITHMS)
    chance = skill[:, None, None] + 0.05 * rng.normal(size=(DATASETS, ALGORITHMS, 1, 1))
    shape = (DATASETS, ALGORITHMS, 1, FOLDS)
    return ScoreTable.from_arrays(
        rng.binomial(100, np.clip(chance, 0.05, 0.99), shape) / 100,
        datasets=[f"d{i}" for i in range(DATASETS)],
        algorithms=[f"a{j:02d}" for j in range(ALGORITHMS)],
        measure="accuracy",
        costs={"time": np.exp(rng.normal(size=(DATASETS, ALGORITHMS)))},
    )


def main() -> None:
    """Print the seconds."""
    table = made_table()
    options: dict[str, Any] = {"cost": "time"}
    methods = list(RANKINGS)

    def report(title: str, work: Callable[[], object]) -> None:
        cpu, clock = seconds(work)
        print(f"{title:44} {cpu:8.2f} s CPU {clock:8.2f} s on the clock")

    def one_by_one() -> None:
        for i in range(SAMPLE):
            others = table.select(datasets=[*table.datasets[:i], *table.datasets[i + 1 :]])
            for method in methods:
                needs = options if "cost" in RANKINGS[method].options else {}
                palio.rank(others, method=method, **needs)

    report(
        f"evaluate {len(methods)} methods, to JSON-ready data",
        lambda: palio.evaluate_rankings(table, methods, **options).to_dict(),
    )
    report(f"rankings alone, {SAMPLE} of {DATASETS} one by one", one_by_one)
    for method in methods:
        needs = options if "cost" in RANKINGS[method].options else {}
        report(
            f"stability of {method}, 2000 draws",
            lambda method=method, needs=needs: palio.rank_stability(table, [method], **needs),  # type: ignore[misc]
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of all of it: {peak:.0f} MB")


if __name__ == "__main__":
    main()
