"""Bayesian ANOVA: seconds to an answer, and effective draws per CPU second.

CPU seconds in one process. The scores look like the error rates of wainer2016: a data set's
difficulty, small effects of the algorithms, errors with very heavy tails.

    python benchmarks/bayes_anova.py
"""

from __future__ import annotations

import resource
import time

import numpy as np

from palio.bayes.draws import diagnose
from palio.bayes.models.anova import anova
from palio.bayes.posterior import Posterior
from palio.scores import ScoreTable

SIZES = ((38, 8), (115, 14), (500, 50))


def table_of(n: int, k: int) -> ScoreTable:
    """Return error rates of k algorithms on n data sets."""
    rng = np.random.default_rng(0)
    scores = rng.beta(2, 8, size=(n, 1)) + 0.01 * rng.normal(size=k)
    scores = np.clip(scores + 0.012 * rng.standard_t(1.1, size=(n, k)), 0, 1)
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{j}" for j in range(k)],
        measure="error",
    )


def report(title: str, posterior: Posterior, seconds: float) -> None:
    """Print what it took."""
    start = time.process_time()
    worst = diagnose(posterior.draws)["algorithm"]
    judged = time.process_time() - start
    least = min(worst.ess_bulk, posterior.draws.n_draws)
    print(
        f"  {title:10} {seconds:6.2f} s, diagnostics {judged:4.2f} s; {posterior.draws.n_draws} "
        f"draws, effects worth {least:.0f} at least, {least / seconds:.0f} per second; R-hat "
        f"{worst.r_hat:.4f}, largest Monte-Carlo error {posterior.pairs.mc_error.max():.4f}"
    )


def main() -> None:
    """Print all sizes, normal and robust."""
    for n, k in SIZES:
        table = table_of(n, k)
        print(f"{k} algorithms × {n} data sets, all {k * (k - 1) // 2} pairs")
        for robust in (False, True):
            start = time.process_time()
            posterior = anova(table, rope=0.0112, robust=robust)
            report("robust" if robust else "normal", posterior, time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of all of it: {peak:.0f} MB")


if __name__ == "__main__":
    main()
