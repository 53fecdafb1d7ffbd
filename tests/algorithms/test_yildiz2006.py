"""The learners of yildiz2006 §4.1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.metrics import log_loss  # type: ignore[import-untyped]

from palio.algorithms import LEARNERS
from palio.algorithms.catalogue import YILDIZ2006
from palio.algorithms.logistic import GradientDescentLogisticClassifier
from palio.experiment.costs import n_parameters
from palio.experiment.data.datasets import load_datasets
from palio.experiment.plan import make_plan
from palio.experiment.work import execute
from tests.shared import shared_file


def test_they_have_as_many_parameters_as_the_paper_says() -> None:
    """With c classes, d inputs and N instances: c, c·d, c(d + 1), and N·d."""
    X, y = load_iris(return_X_y=True)
    counts = [n_parameters(learner.make().fit(X, y)) for learner in YILDIZ2006]
    assert counts == [3, 3 * 4, 3 * (4 + 1), 150 * 4]


def test_by_hand() -> None:
    X, y = np.array([[0.0], [2.0], [10.0], [3.0]]), np.array(["a", "a", "a", "b"])
    says = {learner.name: learner.make().fit(X, y).predict([[3.1]])[0] for learner in YILDIZ2006}
    # The means are 4 and 3; the nearest row is 3.
    assert says == {"max": "a", "nmc": "b", "lgc": "a", "nn": "b"}
    assert LEARNERS["max"].make().fit(X, y).predict_proba([[9]]).tolist() == [[0.75, 0.25]]


def test_the_descent_ends_at_the_maximum_of_the_likelihood() -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2] / X.std(), y[50:]  # two classes that overlap
    ours = GradientDescentLogisticClassifier(max_iter=100_000, tol=1e-8).fit(X, y)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    assert ours.n_iter_ < 100_000


def test_no_step_makes_things_worse() -> None:
    X, y = load_iris(return_X_y=True)
    losses = [
        log_loss(y, GradientDescentLogisticClassifier(max_iter=k).fit(X, y).predict_proba(X))
        for k in range(1, 40)
    ]
    assert (np.diff(losses) < 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["breast", "bupa", "dermatology", "ecoli", "ionosphere"])
def test_error_rates_of_table_1(dataset: str) -> None:
    """On sets that are the paper's, every learner is within a standard deviation of its mean."""
    table = pd.read_csv(shared_file("tables/yildiz2006_error_rates.csv"), index_col="dataset")
    published: dict[Any, float] = table.loc[dataset].to_dict()
    (data,) = load_datasets(f"csv:{shared_file(f'data/classification/{dataset}.csv')}")
    names = {"MAX": "max", "NMC": "nmc", "LGC": "lgc", "C4.5": "c45", "NN": "nn"}
    for theirs, ours in names.items():
        learner = {ours: LEARNERS[ours].make()}
        plan = make_plan([data], learner, prepare="standard", resampling="5x2")
        folds = [fold for job in plan.jobs for fold in execute(job).folds]
        error = 100 * (1 - np.mean([fold.scores["accuracy"] for fold in folds]))
        mean, deviation = published[f"{theirs}_mean"], published[f"{theirs}_std"]
        assert abs(error - mean) <= deviation, (theirs, error, mean)
