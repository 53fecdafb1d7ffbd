"""What the catalogue's own classifiers share: the door in, and the way out to class labels.

At the door: which columns of a frame are nominal, and their values as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palio.errors import ColumnError, ParameterError, require
from palio.extras import needing

with needing("learners", "estimator", "learners need scikit-learn"):
    from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]
    from sklearn.utils.multiclass import (  # type: ignore[import-untyped]
        check_classification_targets,
    )
    from sklearn.utils.validation import (  # type: ignore[import-untyped]
        check_is_fitted,
        validate_data,
    )

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that scores every class, and says the one with the highest score.

    Who inherits writes ``fit``, which begins with ``_begin``, and ``_scores``.
    """

    classes_: NDArray[Any]
    n_features_in_: int

    def _begin(self, X: Any, y: Any) -> tuple[Floats, Indices]:
        """Check the training rows; return them, and each row's class as its place in classes_."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y: {type(self).__name__} needs two classes at least, and one class was given."
            )
        return X, codes.reshape(-1)

    def _rows(self, X: Any) -> Floats:
        """Check rows to be classified; call it first, as it also checks that there is a model."""
        check_is_fitted(self)
        rows: Floats = validate_data(self, X, reset=False, dtype=np.float64)
        return rows

    def _scores(self, X: Any) -> Floats:
        """Score each row for each class: the higher, the likelier."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> Floats:
        """Return each class's score; of two classes, how much the second is ahead."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the highest score."""
        best = self._scores(X).argmax(axis=1)
        said: NDArray[Any] = self.classes_[best]
        return said


class ProbabilityClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that gives every class a probability, and says the likeliest."""

    classes_: NDArray[Any]
    n_features_in_: int

    _begin = Classifier._begin
    _rows = Classifier._rows

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class."""
        raise NotImplementedError

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class."""
        best = self.predict_proba(X).argmax(axis=1)
        said: NDArray[Any] = self.classes_[best]
        return said


def indicators(codes: Indices, n_classes: int) -> Floats:
    """Return 1-of-K rows.

    >>> indicators(np.array([1, 0]), 2)
    array([[0., 1.],
           [1., 0.]])
    """
    return np.eye(n_classes)[codes]


def softmax(scores: Floats) -> Floats:
    """Return probabilities that are proportional to exp(score), row by row.

    >>> softmax(np.log([[1.0, 3.0]]))
    array([[0.25, 0.75]])
    """
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = exponentials / exponentials.sum(axis=1, keepdims=True)
    return shares


def at_least(name: str, value: float, bound: float) -> None:
    """Raise an error if a parameter is below its bound.

    >>> at_least("n_hidden", 0, 1)
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: n_hidden: at least 1 is needed, and 0 was given.
    """
    require(value >= bound, name, f"at least {bound:g} is needed", value)


def at_most_fitted(name: str, asked: int, fitted: int) -> None:
    """Raise an error if a free hyper-parameter is above what the model was fitted with.

    >>> at_most_fitted("n_members", 9, 5)
    Traceback (most recent call last):
    ...
    palio.errors.ParameterError: n_members: the model was fitted with 5, and 9 was asked for; fit
    it again.
    """
    if asked > fitted:
        raise ParameterError(
            name, f"the model was fitted with {fitted}", f"{asked} was asked for", "fit it again"
        )


# --- nominal columns -----------------------------------------------------------------------------


def categories(X: Any) -> dict[str, Any]:
    """Return the text and category columns of a frame, and the values they have."""
    if not hasattr(X, "iloc"):
        return {}
    return {
        name: X[name].astype("category").cat.categories
        for name in X.columns
        if X[name].dtype.kind == "O"
    }


def coded(X: Any, known: Mapping[str, Any], *, unknown: float = -1.0) -> Any:
    """Write the text and category columns of a frame as numbers."""
    if not known or not hasattr(X, "iloc"):
        return X
    found = {}
    for name, values in known.items():
        if name in X.columns:
            codes = values.get_indexer(X[name].astype(object))
            found[name] = np.where(codes < 0, unknown, codes)
    return X.assign(**found)


def places(features: Sequence[int | str], estimator: Any) -> list[int]:
    """Return the numbers of columns, some of which may be named."""
    names = list(getattr(estimator, "feature_names_in_", ()))
    n_columns = estimator.n_features_in_
    found = []
    for feature in features:
        if isinstance(feature, str):
            if feature not in names:
                raise ColumnError(
                    "nominal_features",
                    f"{feature!r} is not a column of X",
                    remedy=(
                        f"there are: {', '.join(map(str, names)) or 'no names, so give numbers'}"
                    ),
                )
            found.append(names.index(feature))
        elif 0 <= feature < n_columns:
            found.append(int(feature))
        else:
            raise ColumnError(
                "nominal_features", f"X has columns 0 to {n_columns - 1}", f"{feature} was given"
            )
    return found
