"""Eight learners on public regression data: the experience that `recommend` has in regression.

The table is kept with the package: the error of each of 5×2 folds, and the CPU seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palio.recommending.relevance import Described
from palio.scores import ScoreTable, read_scores
from palio.studies.reproduction import Layout, Reproduction, read_rows
from palio.studies.rerunning import Setting, data_sets, run_again, stored, write_kept

if TYPE_CHECKING:
    import pandas as pd

    from palio.experiment.data.datasets import Dataset
    from palio.experiment.plan import Plan

_NAME = "regression2026"
REFERENCE = "an experiment of this package in 2026: eight learners of scikit-learn, 5×2 cv"
SCORE = "neg_root_mean_squared_error"
COSTS = ("fit_cpu_time", "predict_cpu_time")
SAMPLE_ROWS = 2000
"""Of larger data sets so many rows were drawn."""


def learners() -> dict[str, Any]:
    """Make the learners, with scikit-learn's defaults but for what is said here.

    >>> list(learners())
    ['ridge', 'knn', 'tree', 'rf', 'et', 'hgb', 'svr', 'mlp']
    """
    from sklearn import ensemble, linear_model, neighbors, neural_network, svm, tree
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler

    def scaled(estimator: Any) -> Any:
        # Its penalty or its steps are in the unit of the target.
        return TransformedTargetRegressor(estimator, transformer=StandardScaler())

    return {
        "ridge": linear_model.RidgeCV(alphas=[0.01, 0.1, 1.0, 10.0, 100.0]),
        "knn": neighbors.KNeighborsRegressor(),
        "tree": tree.DecisionTreeRegressor(min_samples_leaf=5),
        "rf": ensemble.RandomForestRegressor(),
        "et": ensemble.ExtraTreesRegressor(),
        "hgb": ensemble.HistGradientBoostingRegressor(),
        "svr": scaled(svm.SVR(C=10.0)),
        "mlp": scaled(neural_network.MLPRegressor(max_iter=500)),
    }


def lay_out(setting: Setting) -> Plan:
    """Lay out 5×2 folds of each data set of a folder, the smallest first."""
    from palio.experiment.plan import make_plan

    found, _ = data_sets(setting, sorted(p.stem for p in setting.folder.glob("*.csv")), _read)
    found.sort(key=lambda each: (each.n_rows, each.name))
    most = setting.sample_rows or SAMPLE_ROWS
    return make_plan(found, learners(), resampling="5x2", scoring=SCORE, seed=2026, max_rows=most)


def _read(setting: Setting, name: str) -> Dataset:
    from palio.experiment.data.datasets import load_datasets

    (found,) = load_datasets(f"csv:{setting.folder / name}.csv", task="regression")
    return found
