"""The hierarchical model on one core: effective draws per CPU second, and the whole answer.

The peer, baycomp, asks Stan the same question and needs a compiler for it; it is not run here.

    python benchmarks/bayes_hierarchical.py
"""

from __future__ import annotations

import time

import numpy as np

from palio.bayes.draws import Draws, diagnose
from palio.bayes.models.hierarchical import hierarchical, hierarchical_draws
from palio.scores import ScoreTable

# Data sets, repeats, folds; scale of the differences between data sets, degrees of freedom.
CASES = (
    (50, 10, 10, 1.0, 5.0),
    (50, 10, 10, 0.1, 5.0),
    (50, 10, 10, 0.5, 2.0),
    (50, 5, 2, 0.5, 5.0),
    (115, 5, 2, 0.5, 2.0),
    (10, 1, 10, 0.5, 5.0),
    (2, 10, 10, 0.5, 5.0),
)


def scores_of(
    case: tuple[int, int, int, float, float], algorithms: int, rng: np.random.Generator
) -> np.ndarray:
    """Simulate scores whose folds share a part of their noise: (S, K, repeats, folds)."""
    n, repeats, folds, tau, nu = case
    rho = 1 / folds
    apart = tau * rng.standard_t(nu, size=(n, algorithms, 1, 1))
    shared = rng.normal(size=(n, algorithms, 1, 1)) * np.sqrt(rho)
    own = rng.normal(size=(n, algorithms, repeats, folds)) * np.sqrt(1 - rho)
    scores: np.ndarray = 0.8 + 0.02 * (apart + shared + own)
    return scores


def table_of(scores: np.ndarray) -> ScoreTable:
    """Make a table of scores (data sets, algorithms, repeats, folds)."""
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(scores.shape[0])],
        algorithms=[f"a{j}" for j in range(scores.shape[1])],
        measure="accuracy",
    )


def effective(found: Draws) -> tuple[str, float]:
    """Return the slowest of δ₀, τ₀ and ν, and its effective draws (bulk or tail)."""
    values = {name: found.values[name] for name in ("delta0", "tau0", "nu")}
    size = {
        name: min(each.ess_bulk, each.ess_tail)
        for name, each in diagnose(Draws(values, found.method)).items()
    }
    slowest = min(size, key=size.__getitem__)
    return slowest, size[slowest]


def main() -> None:
    """Print the figures."""
    print("data sets  folds   tau  nu   CPU s   slowest   effective  per CPU s")
    for case in CASES:
        n, repeats, folds, tau, nu = case
        scores = scores_of(case, 2, np.random.default_rng(1))
        differences = (scores[:, 0] - scores[:, 1]).reshape(n, -1)
        start = time.process_time()
        found = hierarchical_draws(
            list(differences),
            np.full(n, 1 / folds),
            chains=32,
            draws=625,
            rng=np.random.default_rng(0),
        )
        took = time.process_time() - start
        slowest, size = effective(found)
        print(
            f"{n:9d}  {repeats:2d}×{folds:<2d}  {tau:4g}  {nu:2g}  {took:6.2f}   {slowest:8s}"
            f"  {size:9.0f}  {size / took:9.0f}"
        )
    for algorithms in (2, 4):
        table = table_of(scores_of(CASES[0], algorithms, np.random.default_rng(1)))
        start, cpu = time.perf_counter(), time.process_time()
        posterior = hierarchical(table, rope=0.01)
        posterior.to_dict()
        pairs = posterior.pairs.first.size
        print(
            f"whole answer, 50 data sets of 100 folds, {pairs} pairs: "
            f"{time.process_time() - cpu:.2f} s of CPU, {time.perf_counter() - start:.2f} s"
        )


if __name__ == "__main__":
    main()
