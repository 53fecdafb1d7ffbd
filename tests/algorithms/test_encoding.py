"""Classes as 0, 1, … for estimators that take no others."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from palio.algorithms.encoding import EncodedLabelsClassifier


class _Particular(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Takes 0, 1, … only, and answers in a column of floats."""

    def fit(self, X: Any, y: Any) -> Any:
        assert np.array_equal(np.unique(y), np.arange(len(np.unique(y))))
        self.model_ = LogisticRegression().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X).astype(float)[:, None]

    def predict_proba(self, X: Any) -> Any:
        return self.model_.predict_proba(X).astype(np.float32)


def test_labels_go_in_as_numbers_and_come_out_as_they_were() -> None:
    X, y = np.repeat([[0.0], [5.0], [10.0]], 5, axis=0), np.repeat(["no", "maybe", "yes"], 5)
    model = EncodedLabelsClassifier(_Particular()).fit(X, y)
    assert model.predict([[0.0], [5.0], [10.0]]).tolist() == ["no", "maybe", "yes"]
    told = model.predict_proba([[10.0]])
    assert told.dtype == np.float64
    assert model.classes_[told.argmax()] == "yes"


def test_parameters_of_the_estimator_inside_can_be_set() -> None:
    model = EncodedLabelsClassifier(LogisticRegression())
    assert model.set_params(estimator__C=3.0).estimator.C == 3.0
