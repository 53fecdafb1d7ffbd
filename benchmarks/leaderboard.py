"""Leaderboards: what hundreds of algorithms cost in CPU seconds and memory, and how that grows.

Each work runs in a process of its own, with one thread of linear algebra: CPU seconds after the
imports, for which the same work is done on a small table before, and the most memory the process
ever had. Beside them stands the product of two matrices of 2,000 × 2,000 numbers, by which machines
can be compared. Scores are drawn by a seed: what an algorithm is worth, how hard a data set is,
noise, and two decimals, so that there are ties; the sparse table is of the size and sparseness of
the Massive Text Embedding Benchmark.

    python benchmarks/leaderboard.py [--quick] [--figure leaderboard.svg]

With K algorithms on n data sets, no step of a report takes more than K² n log n, but for these:

- Wilcoxon's exact distribution where there are ties takes up to n³ for a pair, to 100 data sets:
  the hump in the figure. Above it is normal, corrected for ties. The limit is not lower because
  boards need small p-values, and these the normal distribution has too large: on 60 data sets
  4.4e-07 for 5.7e-08.
- The audit leaves out every data set in turn, n times the comparison, as long as that is half a
  minute's work; above, some are drawn, and it says with what probability one that matters is among
  them.
- The audit looks at every sub-pool, 2ᴷ of them, up to 12 algorithms; above, some are drawn, and
  their shares have a Monte-Carlo error.
- Groups without a difference found, of which there may be exponentially many, are listed up to
  500; above, the rank sets say who differs.
- Shaffer's counts, for the audit's 'in-use', take K³·⁵/64: half a second for 1,300 algorithms.
- Strengths and Skillings and Mack's test, where scores are missing, factor matrices of K × K: K³/3
  in linear algebra, a second for 650 algorithms and all their steps.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

WIDTH = 2000
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")
}


class Work(NamedTuple):
    """What is measured: its name, algorithms, data sets, the share filled, and what is wanted."""

    name: str
    algorithms: int
    datasets: int
    filled: float = 1.0
    wanted: str = ""

    @property
    def title(self) -> str:
        """How a line of the table begins."""
        sparse = "" if self.filled == 1 else f", {100 * self.filled:g} % filled"
        return f"{self.name}, {self.algorithms:,} × {self.datasets:,}{sparse}"


class Cost(NamedTuple):
    """CPU seconds, and the most memory in megabytes."""

    seconds: float
    megabytes: float


TABLE = (
    Work("compare", 150, 40, wanted="≤ 1.5 s"),
    Work("audit", 150, 40, wanted="≤ 10 s, < 500 MB"),
    Work("report", 150, 40, wanted="≤ 15 s, < 700 MB"),
    Work("compare", 1300, 200, wanted="≤ 6 s, < 2 GB"),
    Work("audit", 1300, 200, wanted="≤ 90 s, < 2 GB"),
    Work("report", 1300, 200, wanted="≤ 60 s, < 2 GB"),
    Work("compare", 652, 1391, 0.098, wanted="≤ 20 s, < 2 GB"),
    Work("bradley-terry", 652, 1391, 0.098, wanted="≤ 5 s"),
    Work("plackett-luce", 150, 40, wanted="≤ 8 s"),
    Work("multi2test", 200, 200, wanted="≤ 2.2 s, 660 MB"),
)
QUICK = tuple(work for work in TABLE if work.algorithms <= 200)

GROWTH = {
    "algorithms, on 40 data sets": [(k, 40) for k in (20, 40, 80, 160, 320)],
    "data sets, 40 algorithms": [(40, n) for n in (25, 50, 100, 200, 400)],
}
GROWN = ("compare", "audit", "report")


def bound(algorithms: int, datasets: int) -> float:
    """Return K² n log n."""
    return algorithms**2 * datasets * math.log(datasets)


# --- in the process that is measured --------------------------------------------------------------


def scores_of(work: Work) -> Any:
    """Draw the scores (data sets, algorithms), NaN where there is none."""
    import numpy as np

    rng = np.random.default_rng(0)
    n, k = work.datasets, work.algorithms
    worth, hardness = rng.normal(0, 1, k), rng.normal(0, 4, (n, 1))
    scores = np.round(np.clip(70 + worth + hardness + rng.normal(0, 1.5, (n, k)), 0, 100), 2)
    if work.filled < 1:
        # Some algorithms were run on much, most on little.
        share = rng.beta(0.5, 0.5 / work.filled - 0.5, k)
        scores[rng.random((n, k)) >= share] = np.nan
    return scores


def table_of(work: Work) -> Any:
    """Make the table that is asked about."""
    import numpy as np

    from palio.scores import ScoreTable

    scores, costs = scores_of(work), {}
    if work.name == "multi2test":
        rng = np.random.default_rng(1)
        scores = scores[:, :, None, None] + rng.normal(0, 1, (*scores.shape, 5, 2))
        costs = {"time": np.tile(np.arange(1.0, work.algorithms + 1), (work.datasets, 1))}
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"data-{i:04d}" for i in range(work.datasets)],
        algorithms=[f"algorithm-{j:04d}" for j in range(work.algorithms)],
        measure="accuracy",
        missing="pairwise" if work.filled < 1 else "error",
        costs=costs,
    )


def _report(table: Any) -> None:
    import palio

    report = palio.analyse(table)
    _ = str(report), report.to_html()


def _product(_table: Any) -> None:
    import numpy as np

    a = np.random.default_rng(0).normal(size=(WIDTH, WIDTH))
    _ = a @ a


def _works() -> dict[str, Callable[[Any], object]]:
    import palio
    import palio.report.text

    return {
        "compare": lambda table: str(palio.compare(table)),
        "audit": lambda table: str(palio.audit(table)),
        "report": _report,
        "bradley-terry": lambda table: str(palio.rank(table, method="bradley-terry")),
        "plackett-luce": lambda table: palio.bayes.plackett_luce(table).probabilities(),
        "multi2test": lambda table: palio.multi2test(table, cost="time"),
        "product": _product,
    }


def run(work: Work) -> Cost:
    """Do it here, and say what it cost."""
    todo = _works()[work.name]
    table = None
    if work.name != "product":
        todo(table_of(work._replace(algorithms=8, datasets=12, filled=1.0)))
        table = table_of(work)
    start = time.process_time()
    todo(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Cost(time.process_time() - start, peak)


# --- in the process that measures -----------------------------------------------------------------


def measured(work: Work, *, repeats: int = 1) -> Cost | None:
    """Run it in processes of its own, and take the one that was least disturbed."""
    command = [sys.executable, __file__, "--one", json.dumps(work)]
    costs = []
    for _ in range(repeats):
        done = subprocess.run(
            command, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True
        )
        if done.returncode:
            print(f"  {work.title} fails: {done.stderr.strip().splitlines()[-1][:90]}")
            return None
        costs.append(Cost(*json.loads(done.stdout)))
    return min(costs)


def print_table(works: tuple[Work, ...]) -> None:
    """Print what each takes, and how many products of matrices that is."""
    unit = measured(Work("product", WIDTH, WIDTH), repeats=3)
    assert unit is not None
    print(f"a @ a, {WIDTH:,} × {WIDTH:,}: {unit.seconds:.2f} CPU-s, {unit.megabytes:.0f} MB")
    print(f"{'work':42} {'CPU-s':>7} {'a @ a':>7} {'MB':>6}   wanted")
    for work in works:
        cost = measured(work)
        if cost is not None:
            ratio = cost.seconds / unit.seconds
            print(
                f"{work.title:42} {cost.seconds:7.2f} {ratio:6.1f}× {cost.megabytes:6.0f}   "
                f"{work.wanted}",
                flush=True,
            )


def draw_growth(path: Path) -> None:
    """Draw how the seconds grow with the algorithms and with the data sets."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.6), layout="constrained")
    for axes, (title, sizes) in zip(
        figure.subplots(1, 2, sharey=True), GROWTH.items(), strict=True
    ):
        varied = [k if len({n for _, n in sizes}) == 1 else n for k, n in sizes]
        for name in GROWN:
            costs = [measured(Work(name, k, n)) for k, n in sizes]
            seconds = [float("nan") if cost is None else cost.seconds for cost in costs]
            axes.plot(varied, seconds, marker="o", label=name)
        bounds = [0.2 * bound(*size) / bound(*sizes[0]) for size in sizes]
        axes.plot(varied, bounds, "k:", label="K² n log n")
        axes.set(xscale="log", yscale="log", xlabel=title)
        axes.set_xticks(varied, labels=[str(x) for x in varied], minor=False)
        axes.minorticks_off()
    figure.axes[0].set_ylabel("CPU seconds")
    figure.axes[0].legend(frameon=False)
    figure.savefig(path)
    print(f"wrote {path}")


def main() -> None:
    """Print the table, and draw the growth."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="tables of 200 algorithms at most")
    arguments.add_argument(
        "--figure", type=Path, help="where the growth is drawn; not unless given"
    )
    arguments.add_argument("--one", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.one is not None:
        print(json.dumps(run(Work(*json.loads(given.one)))))
        return
    print_table(QUICK if given.quick else TABLE)
    if given.figure is not None:
        draw_growth(given.figure)


if __name__ == "__main__":
    main()
