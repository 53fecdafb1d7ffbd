"""Every Bayesian model in one run, and beside the ANOVA a general engine, PyMC with nutpie.

Effective draws of the algorithms' effects per CPU second; of a general engine the time to compile
is told apart, and not counted. Needs the extra `oracle` for PyMC, which is left out without it.

    python benchmarks/bayes.py
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import time
from typing import Any

import bayes_anova
import bayes_hierarchical
import bayes_pairs
import bayes_strengths
import numpy as np

from palio.bayes.draws import Draws, arviz_arrays, diagnose
from palio.bayes.models.anova import anova
from palio.scores import ScoreTable

ROPE = 0.0112


def effective(values: Any) -> float:
    """Return the effective draws of the slowest entry: (chains, draws, …)."""
    return float(diagnose(Draws({"effects": np.array(values)}, "any"))["effects"].ess_bulk)


def pymc_model(table: ScoreTable, *, robust: bool) -> Any:
    """Write the ANOVA down for PyMC, in the sum-to-zero form that suits it best."""
    pm = importlib.import_module("pymc")
    y = table.means()
    s = float(y.std(ddof=1))
    rate = (s / 2 + np.sqrt(s**2 / 4 + 16 * s**2)) / (8 * s**2)
    with pm.Model() as model:
        spread = {name: pm.Gamma(name, 1 + rate * s / 2, rate) for name in ("a", "d")}
        alpha = pm.ZeroSumNormal("effects", sigma=spread["a"], shape=table.n_algorithms)
        delta = pm.ZeroSumNormal("datasets", sigma=spread["d"], shape=table.n_datasets)
        grand = pm.Normal("grand", float(y.mean()), 5 * s)
        sigma = pm.Uniform("sigma", s / 100, 10 * s)
        fit = grand + delta[:, None] + alpha[None, :]
        if robust:
            pm.StudentT("y", pm.Exponential("nu", scale=30), fit, sigma=sigma, observed=y)
        else:
            pm.Normal("y", fit, sigma, observed=y)
    return model


def side_by_side(n: int, k: int, *, robust: bool) -> None:
    """Print effective draws per CPU second, ours and PyMC's."""
    table = bayes_anova.table_of(n, k)
    start = time.process_time()
    posterior = anova(table, rope=ROPE, robust=robust)
    ours_seconds = time.process_time() - start
    draws = posterior.draws
    ours = draws.n_draws if draws.independent else effective(draws.values["algorithm"])
    nutpie = importlib.import_module("nutpie")
    start = time.process_time()
    compiled = nutpie.compile_pymc_model(pymc_model(table, robust=robust), backend="numba")
    compiling = time.process_time() - start
    start = time.process_time()
    trace = nutpie.sample(compiled, draws=1000, tune=1000, chains=2, progress_bar=False, seed=1)
    theirs_seconds = time.process_time() - start
    theirs = effective(trace.posterior["effects"].values)
    ratio = ours / ours_seconds / (theirs / theirs_seconds)
    kind = "robust" if robust else "normal"
    print(
        f"  {kind}: palio {ours / ours_seconds:.0f} effective draws per CPU second, PyMC with "
        f"nutpie {theirs / theirs_seconds:.0f} (and {compiling:.0f} s to compile): {ratio:.1f}×"
    )


def main() -> None:
    """Print everything."""
    for module in (bayes_anova, bayes_pairs, bayes_hierarchical, bayes_strengths):
        print((module.__doc__ or "").splitlines()[0])
        module.main()
        print()
    if importlib.util.find_spec("pymc") is None:
        print("PyMC is not installed: pip install 'palio[oracle]' for the side-by-side part.")
        return
    os.environ.setdefault("PYTENSOR_FLAGS", "cxx=,blas__ldflags=")
    _ = arviz_arrays()
    for n, k in ((115, 14), (500, 50)):
        print(f"{k} algorithms × {n} data sets, beside a general engine")
        for robust in (False, True):
            side_by_side(n, k, robust=robust)


if __name__ == "__main__":
    main()
