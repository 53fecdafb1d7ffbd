"""MultiTest on many tables: one batched call against the single-table function in a loop.

1,000 runs × 30 data sets × 5 algorithms of 5×2 cv, 30,000 orderings. Both are measured in the same
process on one core; the loop on a sample of the tables, since all of them would take minutes. The
loop is given its tables ready made: what is compared is ordering, not reading.

    python benchmarks/multitest.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import palio
from palio.scores import ScoreTable

RUNS, DATASETS, ALGORITHMS = 1000, 30, 5
SAMPLE = 600


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the best CPU time of several: the one least disturbed by the rest of the machine."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print the ratio for each test."""
    rng = np.random.default_rng(0)
    shape = (RUNS, DATASETS, ALGORITHMS, 5, 2)
    scores = rng.normal(80, 2, shape) + rng.normal(0, 3, (RUNS, DATASETS, ALGORITHMS, 1, 1))
    costs = np.arange(1.0, ALGORITHMS + 1)
    sample = [
        ScoreTable.from_arrays(
            table[np.newaxis],
            datasets=["d"],
            algorithms=list("abcde"),
            measure="accuracy",
            costs={"time": costs[np.newaxis]},
        )
        for table in scores.reshape(-1, *shape[2:])[:SAMPLE]
    ]
    total = RUNS * DATASETS
    print(f"{'test':10} {'batch':>12} {'loop':>14} {'ratio':>8}   (per ordering, one core)")
    for test in ("5x2cv-f", "5x2cv-t", "kfold-t"):
        options = {"test": test, "correction": "holm"}
        batch = seconds(
            lambda options=options: palio.multitest_batch(  # type: ignore[misc]
                scores, costs, higher_is_better=True, **options
            ),
            repeats=5,
        )
        loop = seconds(
            lambda options=options: [  # type: ignore[misc]
                palio.multitest(table, cost="time", **options) for table in sample
            ],
            repeats=3,
        )
        each, alone = batch / total, loop / SAMPLE
        print(f"{test:10} {each * 1e6:9.2f} µs {alone * 1e6:11.1f} µs {alone / each:7.0f}×")


if __name__ == "__main__":
    main()
