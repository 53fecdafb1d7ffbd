"""Palio against its peers: all-pairs Wilcoxon with Holm, Friedman with Nemenyi, one figure.

CPU seconds in one process, the best of several runs; ratios are what counts, machines are noisy.
Peers that are not installed are left out; the extra ``bench`` installs them.

    python benchmarks/compare.py [--largest]
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import resource
import time
import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import palio
from palio.scores import ScoreTable
from palio.stats import adjust

SIZES = ((38, 8), (115, 14), (500, 50), (1000, 200))
Work = Callable[[], Any]


def table_of(scores: np.ndarray) -> ScoreTable:
    """Make a table of scores (data sets, algorithms)."""
    n, k = scores.shape
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{j:03d}" for j in range(k)],
        measure="accuracy",
    )


def cpu_seconds(work: Work, *, most: float = 5.0) -> float:
    """Return the best CPU time of several runs within about ``most`` seconds."""
    best, spent = np.inf, 0.0
    while spent < most and (spent == 0 or best < most):
        start = time.process_time()
        work()
        took = time.process_time() - start
        best, spent = min(best, took), spent + took + 1e-4
        if took > most / 2:
            break
    return best


def optional(name: str) -> Any:
    """Import a peer, or say that it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def wilcoxon_holm(scores: np.ndarray) -> dict[str, Work]:
    """All pairs by Wilcoxon's test, Holm's correction."""
    n, k = scores.shape
    table, frame = table_of(scores), pd.DataFrame(scores, columns=[f"a{j:03d}" for j in range(k)])
    first, second = np.triu_indices(k, 1)
    contenders: dict[str, Work] = {
        "palio.compare": lambda: palio.compare(table),
        "scipy along an axis": lambda: adjust.holm(
            stats.wilcoxon(scores[:, first], scores[:, second], axis=0).pvalue
        ),
        "scipy in a loop": lambda: adjust.holm(
            np.array(
                [
                    stats.wilcoxon(scores[:, i], scores[:, j]).pvalue
                    for i, j in combinations(range(k), 2)
                ]
            )
        ),
    }
    posthocs, aeon = optional("scikit_posthocs"), optional("aeon.benchmarking.stats")
    pingouin = optional("pingouin")
    if posthocs is not None:
        long = frame.melt(var_name="algorithm", value_name="score")
        contenders["scikit-posthocs"] = lambda: posthocs.posthoc_wilcoxon(
            long, val_col="score", group_col="algorithm", p_adjust="holm"
        )
    if aeon is not None:
        contenders["aeon"] = lambda: aeon.wilcoxon_test(scores, list(frame.columns))
    if pingouin is not None and n * k * k < 2_000_000:
        long = frame.reset_index().melt("index", var_name="algorithm", value_name="score")
        contenders["pingouin"] = lambda: pingouin.pairwise_tests(
            long, dv="score", within="algorithm", subject="index", parametric=False, padjust="holm"
        )
    return contenders


def friedman_nemenyi(scores: np.ndarray) -> dict[str, Work]:
    """Friedman's test and Nemenyi's p-values of all pairs."""
    table = table_of(scores)
    posthocs = optional("scikit_posthocs")
    contenders: dict[str, Work] = {
        "palio.compare": lambda: palio.compare(table, test="mean-ranks", correction="nemenyi")
    }
    if posthocs is not None:

        def with_posthocs() -> None:
            stats.friedmanchisquare(*scores.T)
            posthocs.posthoc_nemenyi_friedman(scores)

        contenders["scikit-posthocs"] = with_posthocs
    autorank = optional("autorank")
    if autorank is not None:
        frame = pd.DataFrame(scores, columns=[f"a{j:03d}" for j in range(scores.shape[1])])

        def with_autorank() -> None:
            with contextlib.redirect_stdout(io.StringIO()):
                autorank.autorank(frame, force_mode="nonparametric")

        contenders["autorank"] = with_autorank
    return contenders


def figures(scores: np.ndarray) -> dict[str, Work]:
    """Every figure of a comparison, as PNG in memory."""
    from palio.report.figures import available, draw

    found = palio.compare(table_of(scores))

    def drawn(name: str) -> None:
        draw(found, name).savefig(io.BytesIO(), format="png", dpi=200)

    return {name: (lambda name=name: drawn(name)) for name in available(found)}  # type: ignore[misc]


def report(title: str, contenders: dict[str, Work]) -> None:
    """Print the seconds of each, and how many times as long as Palio it takes."""
    print(title)
    reference = 0.0
    for name, work in contenders.items():
        try:
            seconds = cpu_seconds(work)
        except Exception as error:
            print(f"  {name:22} fails: {type(error).__name__}: {str(error)[:60]}")
            continue
        reference = reference or seconds
        ratio = "" if seconds == reference else f"{seconds / reference:9.1f}×"
        print(f"  {name:22} {seconds:10.4f} s {ratio}")


def main() -> None:
    """Print the comparisons."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--largest", action="store_true", help="also 1000 × 200: minutes")
    sizes = SIZES if arguments.parse_args().largest else SIZES[:-1]
    warnings.simplefilter("ignore")  # the peers'
    for n, k in sizes:
        rng = np.random.default_rng(0)
        scores = rng.normal(size=(n, k)) + 0.3 * rng.normal(size=k)
        report(f"Wilcoxon + Holm, {n} × {k}", wilcoxon_holm(scores))
        report(f"Friedman + Nemenyi, {n} × {k}", friedman_nemenyi(scores))
        if k == 50:
            report(f"figures of Palio, {n} × {k}", figures(scores))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of all of it: {peak:.0f} MB")


if __name__ == "__main__":
    main()
