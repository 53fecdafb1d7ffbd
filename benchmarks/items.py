"""Item scores: what all pairs cost, beside statsmodels in a loop over pairs.

Two sizes: 2,211 models on 12,032 questions, right or wrong (drawn by a seed: how good a model is,
how hard a question), and 93 models on 1,136 graded questions of 18 tasks, of which some are
missing, as LiveBench has them. Each work runs in a process of its own with one thread of linear
algebra: CPU seconds after the imports and the drawing, and the most memory the process ever had.

With a file of item scores (`--file livebench.parquet`) the second table is that file's, and "whole"
is what the command takes, from its start to its end.

statsmodels tests one pair at a time: 1,000 pairs are timed, and the rest is extrapolated. Without
statsmodels these lines are left out.

    python benchmarks/items.py [--quick] [--file FILE]
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
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")
}
# So many pairs of the reference are timed.
TIMED = 1000


class Work(NamedTuple):
    """What is measured: its name, models, items, and what is wanted."""

    name: str
    models: int
    items: int
    wanted: str = ""


LARGE = (2211, 12_032)
LIVEBENCH = (93, 1136)
TABLE = (
    Work("McNemar, arrays", *LARGE, wanted="≤ 20 s, < 1 GB"),
    Work("clustered t, arrays", *LARGE),
    Work("compare --test mcnemar", *LARGE),
    Work("statsmodels: mcnemar", *LARGE),
    Work("compare --over items", *LIVEBENCH, wanted="≤ 2 s"),
    Work("compare --over datasets", *LIVEBENCH, wanted="≤ 2 s"),
    Work("compare --test sign-flips", *LIVEBENCH, wanted="≤ 2 s"),
    *(
        Work(f"{verb} --over {over}", *LIVEBENCH, wanted="≤ 2 s")
        for verb in ("order", "rank", "audit", "report")
        for over in ("items", "datasets")
    ),
    *(
        Work(verb, *LIVEBENCH, wanted="≤ 2 s")
        for verb in ("bayes", "bayes --model plackett-luce", "variance", "aggregate", "power")
    ),
    Work("statsmodels: OLS, clusters", *LIVEBENCH),
)


# --- in the process that is measured --------------------------------------------------------------


def answers(models: int, items: int) -> Any:
    """Draw who is right on which item, as bytes (items, models)."""
    import numpy as np

    rng = np.random.default_rng(0)
    good = rng.normal(size=models).astype(np.float32)
    found = np.empty((items, models), dtype=np.uint8)
    for start in range(0, items, 512):
        hard = rng.normal(size=(min(512, items - start), 1)).astype(np.float32)
        chance = 1 / (1 + np.exp(-(good - hard)))
        found[start : start + 512] = rng.random(chance.shape, dtype=np.float32) < chance
    return found


def graded(models: int, items: int) -> Any:
    """Draw graded scores on 18 tasks, of which some are missing for a third of the models."""
    import numpy as np

    from palio.scores import ItemScores

    rng = np.random.default_rng(0)
    x = rng.normal(size=models) - rng.normal(size=(items, 1)) + rng.normal(size=(items, models))
    scores = np.round(1 / (1 + np.exp(-x)), 2)
    scores[: items // 8, ::3] = np.nan
    return ItemScores.from_arrays(
        scores,
        algorithms=[f"model-{i:04d}" for i in range(models)],
        measure="accuracy",
        dataset=[f"task-{i * 18 // items:02d}" for i in range(items)],
    )


def _arrays(name: str, models: int, items: int) -> Callable[[], object]:
    import numpy as np

    from palio.stats.item_tests import mcnemar_pairs
    from palio.stats.items import Items, paired_means

    drawn = Items(answers(models, items), np.zeros(items, dtype=np.intp))
    pairs = np.triu_indices(models, 1)
    if name.startswith("McNemar"):
        return lambda: mcnemar_pairs(drawn, *pairs)
    return lambda: paired_means(drawn, *pairs).t_test()


def _compared(name: str, models: int, items: int) -> Callable[[], object]:
    import palio
    import palio.report.text
    from palio.scores import ItemScores

    if name.endswith("mcnemar"):
        table = ItemScores.from_arrays(
            answers(models, items),
            algorithms=[f"model-{i:04d}" for i in range(models)],
            measure="accuracy",
        )
        return lambda: str(palio.compare(table, test="mcnemar"))
    table = _table(models, items)
    small = table.select(table.datasets[:8], table.algorithms[:4])
    asked = _question(name)
    asked(small)  # what is imported and measured once is not what the answer costs
    return lambda: asked(table)


def _table(models: int, items: int) -> Any:
    """Return the table of a file, if one is named, or of items that are drawn."""
    import palio

    file = os.environ.get("PALIO_ITEMS")
    if file:
        return palio.read_scores(file, duplicates="mean")
    return graded(models, items).to_scores()


def _question(name: str) -> Callable[[Any], object]:
    """Return the function of a table that answers as the command of this name does."""
    import palio
    from palio.bayes.models import run_model
    from palio.report.analysis import analyse
    from palio.report.page import render_page
    from palio.report.question import Question

    verb, _, rest = name.partition(" ")
    given = rest.removeprefix("--").split()
    if verb == "compare":
        asked: Any = {given[0]: given[1]}
        return lambda table: str(palio.compare(table, **asked))
    if verb == "report":
        return lambda table: render_page(analyse(table, Question(over=given[1])))
    if verb == "bayes":
        return lambda table: str(run_model(given[1] if given else None, table))
    if verb == "power":
        return _power
    answer = getattr(palio, verb)
    if given:
        return lambda table: str(answer(table, over=given[1]))
    return lambda table: str(answer(table))


def _power(table: Any) -> object:
    """Simulate for the first two that are everywhere, among all who are: 10 tables, not 1000."""
    import numpy as np

    import palio

    there = ~np.isnan(table.means()).any(axis=0)
    names = [name for name, whole in zip(table.algorithms, there, strict=True) if whole]
    return str(palio.power(table.select(table.datasets, names), a=names[0], b=names[1], trials=10))


def _reference(name: str, models: int, items: int) -> Callable[[], object]:
    import numpy as np

    pairs = np.stack(np.triu_indices(models, 1), axis=1)[:TIMED].tolist()
    if name.endswith("mcnemar"):
        tables = import_module("statsmodels.stats.contingency_tables")
        x = answers(models, items).astype(bool)

        def test() -> None:
            for a, b in pairs:
                one, other = x[:, a], x[:, b]
                table = [
                    [(one & other).sum(), (one & ~other).sum()],
                    [(~one & other).sum(), (~one & ~other).sum()],
                ]
                tables.mcnemar(np.array(table), exact=True)

        return test
    sm = import_module("statsmodels.api")
    scores = graded(models, items).as_floats()
    clusters = np.arange(items) // 4

    def fit() -> None:
        for a, b in pairs:
            d = scores[:, a] - scores[:, b]
            there = ~np.isnan(d)
            model = sm.OLS(d[there], np.ones(int(there.sum())))
            model.fit(cov_type="cluster", cov_kwds={"groups": clusters[there]}, use_t=True)

    return fit


def run(work: Work) -> tuple[float, float]:
    """Do it here, and return CPU seconds and megabytes."""
    if work.name.startswith("statsmodels"):
        todo = _reference(work.name, work.models, work.items)
    elif work.name.endswith("arrays"):
        todo = _arrays(work.name, work.models, work.items)
    else:
        todo = _compared(work.name, work.models, work.items)
    start = time.process_time()
    todo()
    seconds = time.process_time() - start
    if work.name.startswith("statsmodels"):
        seconds *= work.models * (work.models - 1) / 2 / TIMED
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- in the process that measures -----------------------------------------------------------------


def whole(work: Work, file: str) -> str:
    """Return the CPU seconds of the command on a file; power would have to be told of whom."""
    if work.name == "power" or work.models > 1000:
        return ""
    start = "import sys; from palio.app.cli import main; sys.exit(main())"
    with tempfile.TemporaryDirectory() as folder:
        page = ["-o", f"{folder}/report.html"] if work.name.startswith("report") else []
        command = [sys.executable, "-c", start, *work.name.split(), file, "--duplicates", "mean"]
        before = _spent()
        done = subprocess.run(
            [*command, *page], env={**os.environ, **ONE_THREAD}, capture_output=True
        )
        return "fails" if done.returncode else f"{_spent() - before:.2f}"


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print what each takes."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="the smaller size alone")
    arguments.add_argument("--file", help="item scores, instead of those drawn of the smaller size")
    arguments.add_argument("--one", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.one:
        print(json.dumps(run(Work(*json.loads(given.one)))))
        return
    if given.file:
        os.environ["PALIO_ITEMS"] = given.file
    print(f"{'work':28} {'models × items':>16} {'CPU-s':>9} {'whole':>6} {'MB':>6}   wanted")
    for work in TABLE:
        reference = work.name.startswith("statsmodels")
        if (given.quick and work.models > 1000) or (reference and find_spec("statsmodels") is None):
            continue
        command = [sys.executable, __file__, "--one", json.dumps(work)]
        done = subprocess.run(
            command, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True
        )
        size = f"{work.models:,} × {work.items:,}"
        if done.returncode:
            print(f"{work.name:28} {size:>16} fails: {done.stderr.strip().splitlines()[-1][:60]}")
            continue
        seconds, megabytes = json.loads(done.stdout)
        about = f"about {seconds:,.0f}" if reference else f"{seconds:.2f}"
        all_of_it = whole(work, given.file) if given.file and not reference else ""
        print(
            f"{work.name:28} {size:>16} {about:>9} {all_of_it:>6} {megabytes:6.0f}   {work.wanted}",
            flush=True,
        )


if __name__ == "__main__":
    main()
