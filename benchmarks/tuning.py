"""FreeSearchCV against scikit-learn's GridSearchCV, on the grids of wainer2016 §2.4.

Side by side in one run, in CPU time: both search the same grid with the same five folds, and must
find the same. 569 rows, 30 features, standardised. Of the combinations that both must train only
some are taken, since the times of both are proportional to their number; all values of the free
hyper-parameter are.

    python benchmarks/tuning.py [--combinations 2] [--rows 569] [rf gbm knn glmnet …]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.datasets import load_breast_cancer  # type: ignore[import-untyped]
from sklearn.model_selection import GridSearchCV, ParameterGrid  # type: ignore[import-untyped]
from sklearn.preprocessing import scale  # type: ignore[import-untyped]
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from palio.algorithms.catalogue import LEARNERS
from palio.experiment.tuning import FreeSearchCV, plan_trainings

Task = tuple[Any, dict[str, Any], tuple[str, ...] | None]


def of_catalogue(name: str, n_rows: int, n_features: int) -> Task:
    """Return a learner, its grid and what is free in it."""
    learner = LEARNERS[name]
    grid = dict(learner.grid_for(n_rows, n_features))
    if name == "rf":
        # Of a few hundred rows the cap, half their number, leaves one value: the range without it.
        grid["n_estimators"] = list(range(500, 3001, 500))
    return learner.make(), grid, learner.free or None


def fewer(
    model: Any, grid: dict[str, Any], free: tuple[str, ...] | None, most: int
) -> list[dict[str, Any]]:
    """Keep some of the combinations that must be trained, spread over all of them."""
    trainings = plan_trainings(model, grid, free).trainings
    places = np.unique(np.linspace(0, len(trainings) - 1, most).astype(int))
    return [
        {
            **{name: [value] for name, value in trainings[place].params.items()},
            **(
                {trainings[place].parameter: list(trainings[place].values)}
                if trainings[place].parameter
                else {}
            ),
        }
        for place in places
    ]


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU time that the work took, and its result."""
    start = time.process_time()
    done = work()
    return time.process_time() - start, done


def side_by_side(name: str, model: Any, grid: Any, free: Any, X: Any, y: Any) -> None:
    """Print both times and whether both found the same."""
    if "random_state" in model.get_params():
        model = clone(model).set_params(random_state=0)
    ours, found = cpu_seconds(lambda: FreeSearchCV(model, grid, free=free).fit(X, y))
    theirs, expected = cpu_seconds(lambda: GridSearchCV(model, grid, cv=5).fit(X, y))
    scores = [each.cv_results_["mean_test_score"] for each in (found, expected)]
    print(
        f"{name:8} {found.n_trained_:3} trained of {len(ParameterGrid(grid)):4}: "
        f"{ours:8.2f} s, GridSearchCV {theirs:8.2f} s, {theirs / ours:5.1f} times as fast; "
        f"scores differ by {np.abs(scores[0] - scores[1]).max():.1g} at most, "
        f"{'the same choice' if found.best_params_ == expected.best_params_ else 'OTHER CHOICE'}",
        flush=True,
    )


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["rf", "gbm", "knn", "glmnet"])
    parser.add_argument("--combinations", type=int, default=2, help="how many to train at most")
    parser.add_argument("--rows", type=int, default=569, help="how many rows")
    given = parser.parse_args()
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[: given.rows], y[: given.rows]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Compiles what is to be compiled, and loads what is to be loaded, for both.
        for name in given.names:
            model, grid, free = of_catalogue(name, *X.shape)
            first = fewer(model, grid, free, 1)[0]
            FreeSearchCV(model, {key: list(values)[:1] for key, values in first.items()}).fit(X, y)
            side_by_side(name, model, fewer(model, grid, free, given.combinations), free, X, y)


if __name__ == "__main__":
    main()
