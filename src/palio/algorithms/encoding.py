"""Classes as 0, 1, … for estimators that take no others."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone  # type: ignore[import-untyped]

from palio.algorithms._classifier import Floats, ProbabilityClassifier


class EncodedLabelsClassifier(ProbabilityClassifier):
    """An estimator that is told the classes as 0, 1, …, and whose answers are turned back.

    Parameters
    ----------
    estimator : classifier
        It has ``predict_proba``.

    Attributes
    ----------
    estimator_ : the fitted classifier

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> model = EncodedLabelsClassifier(KNeighborsClassifier(1)).fit([[0.0], [1.0]], ["a", "b"])
    >>> model.predict([[0.2]])
    array(['a'], dtype='<U1')
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the estimator on encoded classes."""
        X, codes = self._begin(X, y)
        self.estimator_ = clone(self.estimator).fit(X, codes)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the estimator's probabilities."""
        rows = self._rows(X)
        told: Floats = np.asarray(self.estimator_.predict_proba(rows), dtype=np.float64)
        return told

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the classes the estimator says; some say them in a column."""
        rows = self._rows(X)
        codes = np.asarray(self.estimator_.predict(rows)).reshape(-1).astype(np.intp)
        said: NDArray[Any] = self.classes_[codes]
        return said
