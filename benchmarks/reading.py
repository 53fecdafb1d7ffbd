"""Reading: what large tables cost, beside Polars' read and pivot in the same run.

Three sizes, drawn by a seed into a temporary folder: a long CSV of 500 algorithms × 200 data sets ×
10 folds; item scores of 50 models, as CSV and as Parquet, to the compared answer; and a folder of
Parquet, streamed to means. Each runs in a process of its own with one thread of linear algebra: CPU
seconds after the imports, and the most memory the process ever had.

    python benchmarks/reading.py [--quick] [--huge]

`--quick` draws a tenth of the rows of the items; `--huge` adds the 10⁸ rows in Parquet.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM")}
MODELS, TASKS = 50, 20


def names(word: str, codes: np.ndarray) -> object:
    """Return names by their numbers, each kept once."""
    import pyarrow as pa  # type: ignore[import-untyped]

    known = [f"{word}{n}" for n in range(int(codes.max()) + 1)]
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), known)


def write_long(path: Path) -> None:
    """Write a long table of 10⁶ rows."""
    import pyarrow as pa
    import pyarrow.csv as csv  # type: ignore[import-untyped]

    draws = np.random.default_rng(0)
    dataset, algorithm, fold = (axis.ravel() for axis in np.indices((200, 500, 10)))
    score = draws.normal(0.8, 0.05, 200)[dataset] + draws.normal(0, 0.02, 500)[algorithm]
    score = np.clip(score + draws.normal(0, 0.02, score.size), 0, 1)
    keys = {"dataset": names("data_", dataset), "algorithm": names("algo_", algorithm)}
    csv.write_csv(pa.table({**keys, "fold": fold, "accuracy": score}), path)


def write_items(path: Path, n_items: int, seed: int = 0) -> None:
    """Write results of 50 models on items of 20 tasks, as the ending of the path says."""
    import pyarrow as pa
    import pyarrow.csv as csv
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    draws = np.random.default_rng(seed)
    item, model = (axis.ravel() for axis in np.indices((n_items, MODELS)))
    right = draws.random(item.size) < draws.beta(2, 2, n_items)[item] + 0.005 * (model % 40)
    table = pa.table(
        {
            "dataset": names("task_", item * TASKS // n_items),
            "item": names(f"q{seed}_", item),
            "model": names("model-", model),
            "accuracy": right.astype(np.int64),
        }
    )
    (csv.write_csv if path.suffix == ".csv" else pq.write_table)(table, path)


def run(what: str, path: str) -> tuple[float, float]:
    """Do it here, and return CPU seconds and megabytes."""
    if what == "polars":
        import polars as pl

        start = time.process_time()
        pl.read_csv(path).pivot(
            on="algorithm", index="dataset", values="accuracy", aggregate_function="mean"
        )
    else:
        import pandas  # noqa: F401, ICN001

        import palio

        start = time.process_time()
        if what == "items":
            palio.compare(path, over="items")
        else:
            palio.read_scores(path)
    seconds = time.process_time() - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(what: str, path: Path) -> tuple[float, float]:
    """Run it in a process of its own."""
    command = [sys.executable, __file__, "--one", what, str(path)]
    done = subprocess.run(
        command, env={**os.environ, **ONE_THREAD}, check=True, capture_output=True
    )
    seconds, memory = json.loads(done.stdout)
    return float(seconds), float(memory)


def show(what: str, seconds: float, memory: float, more: str) -> None:
    """Write a line of the table."""
    sys.stdout.write(f"{what:44}{seconds:8.2f} s{memory:8.0f} MB  {more}\n")
    sys.stdout.flush()


def main() -> None:
    """Print what each takes."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--huge", action="store_true")
    arguments.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.one:
        sys.stdout.write(json.dumps(run(*given.one)))
        return
    n_items = 20_000 if given.quick else 200_000
    with tempfile.TemporaryDirectory() as folder:
        long = Path(folder) / "long.csv"
        write_long(long)
        reference, memory = apart("polars", long)
        show("10⁶ long rows, Polars read + pivot", reference, memory, "")
        own, memory = apart("read", long)
        ratio = f"{own / reference:.2f} × Polars (wanted ≤ 2, < 400 MB)"
        show("10⁶ long rows, read_scores", own, memory, ratio)
        for ending in ("csv", "parquet"):
            path = Path(folder) / f"items.{ending}"
            write_items(path, n_items)
            told = f"{n_items * MODELS:.0e} item rows in {ending}, compared"
            show(told, *apart("items", path), "(of 10⁷ wanted ≤ 8 s, < 2000 MB)")
            path.unlink()
        if given.huge:
            parts = Path(folder) / "parts"
            parts.mkdir()
            for part in range(10):
                write_items(parts / f"{part}.parquet", 200_000, part)
            show("10⁸ rows in Parquet, read_scores", *apart("read", parts), "(wanted < 4000 MB)")


if __name__ == "__main__":
    main()
