"""The nearest mean classifier: means, modes, and what is said of ties."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine  # type: ignore[import-untyped]
from sklearn.neighbors import NearestCentroid  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

from palio.algorithms.nmc import NearestMeanClassifier
from palio.errors import ColumnError
from palio.experiment.plan import make_plan
from palio.experiment.work import execute
from tests.experiment.toy import make_dataset


def test_numeric_attributes_as_scikit_learn_after_standardising() -> None:
    X, y = load_wine(return_X_y=True)
    train, test = np.arange(0, len(X), 2), np.arange(1, len(X), 2)
    scale = StandardScaler().fit(X[train])
    theirs = NearestCentroid().fit(scale.transform(X[train]), y[train])
    ours = NearestMeanClassifier().fit(X[train], y[train])
    np.testing.assert_array_equal(ours.predict(X[test]), theirs.predict(scale.transform(X[test])))
    np.testing.assert_allclose(ours.centroids_, theirs.centroids_, atol=1e-12)
    constant = np.column_stack((X, np.full(len(X), 0.1)))
    again = NearestMeanClassifier().fit(constant[train], y[train])
    np.testing.assert_array_equal(again.predict(constant[test]), ours.predict(X[test]))


def test_modes_by_hand() -> None:
    """Sizes have mean 2.5 and sd 1.5: 2.8 is at 0.2, and the classes are at −1 and 1."""
    frame = pd.DataFrame({"size": [1.0, 1, 4, 4], "hue": ["red", "red", "blue", "green"]})
    model = NearestMeanClassifier().fit(frame, ["a", "a", "b", "b"])
    assert model.centroids_.tolist() == [[-1.0, 2.0], [1.0, 0.0]]  # red; blue, before green
    new = pd.DataFrame({"size": [2.8, 2.8, 2.8], "hue": ["red", "blue", "grey"]})
    assert model.predict(new).tolist() == ["a", "b", "b"]
    # Squared distances from a and b: 1.44 and 0.64 by size, and 1 for every hue that differs.
    np.testing.assert_allclose(model.decision_function(new), [1.44 - 1.64, 2.44 - 0.64, 0.8])


def test_of_classes_equally_near_the_first_is_said() -> None:
    X, y = [[0], [0], [1], [1]], [1, 1, 0, 0]
    model = NearestMeanClassifier(nominal_features=[0]).fit(X, y)
    assert model.predict([[0], [1], [7]]).tolist() == [1, 0, 0]


def test_the_runner_gives_it_nominal_columns() -> None:
    """One attribute tells the classes apart by its values, and no order of them does."""
    values = np.tile(["a", "b", "c"], 20)
    frame = pd.DataFrame({"x": values, "target": np.where(values == "b", "yes", "no")})
    data = make_dataset("toy", frame, task="classification")
    plan = make_plan([data], {"nmc": NearestMeanClassifier()}, resampling="2-fold")
    (job,) = plan.jobs
    assert job.estimator.palio_raw_inputs
    done = execute(job)
    # "no" has two values, of which one is its mode; the other is as far from both, and "no" first.
    assert [fold.scores["accuracy"] for fold in done.folds] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("features", "says"),
    [(["hue"], "'hue' is not a column of X"), ([3], "X has columns 0 to 0, and 3 was given")],
)
def test_columns_that_are_not_there(features: list[int | str], says: str) -> None:
    with pytest.raises(ColumnError, match=says):
        NearestMeanClassifier(nominal_features=features).fit([[0.0], [1.0]], [0, 1])
