"""Linear logistic discrimination by gradient descent."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from palio.algorithms._classifier import (
    Floats,
    ProbabilityClassifier,
    at_least,
    indicators,
    softmax,
)


class GradientDescentLogisticClassifier(ProbabilityClassifier):
    """Linear scores for each class, softmax of them, and gradient descent on the cross-entropy.

    Each step uses all rows. Its length is the inverse of a bound on the curvature, so that no step
    can make things worse; stopping early is all the regularisation there is.

    Parameters
    ----------
    max_iter : int
        How many steps at most.
    tol : float
        Stop when no component of the gradient of the mean cross-entropy is larger.

    Attributes
    ----------
    classes_ : array
        The class labels.
    coef_ : array of shape (classes, columns)
        The weights; also of two classes there are two, c(d + 1) numbers in all.
    intercept_ : array of shape (classes,)
        The scores at the origin.
    n_iter_ : int
        How many steps were taken.

    Notes
    -----
    The columns should be on one scale, as steps are as short as the widest demands.

    References
    ----------
    Alpaydın (2004), Introduction to Machine Learning, §10.7; yildiz2006 §4.1 (LGC), which leaves
    steps and their number open.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GradientDescentLogisticClassifier().fit(X, y)
    >>> model.score(X, y) > 0.95, model.coef_.size + model.intercept_.size
    (True, 15)
    """

    def __init__(self, *, max_iter: int = 1000, tol: float = 1e-4) -> None:
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any) -> Self:
        """Descend."""
        at_least("max_iter", self.max_iter, 1)
        at_least("tol", self.tol, 0)
        X, codes = self._begin(X, y)
        # Descent from the middle of the rows is the same model, and a much rounder valley.
        middle = X.mean(axis=0)
        rows = np.column_stack((X - middle, np.ones(len(X))))
        weights, self.n_iter_ = _descended(
            rows, indicators(codes, len(self.classes_)), self.max_iter, self.tol
        )
        self.coef_ = weights[:-1].T.copy()
        self.intercept_ = weights[-1] - self.coef_ @ middle
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the softmax of the scores."""
        rows = self._rows(X)
        return softmax(rows @ self.coef_.T + self.intercept_)


def _descended(X: Floats, targets: Floats, max_iter: int, tol: float) -> tuple[Floats, int]:
    """Return the weights at the end of the descent, and how many steps it took."""
    # The curvature of the mean cross-entropy is at most half that of the mean square.
    gram = X.T @ X if X.shape[1] <= len(X) else X @ X.T
    step = 2 * len(X) / float(np.linalg.eigvalsh(gram)[-1])
    weights = np.zeros((X.shape[1], targets.shape[1]))
    taken = 0
    while taken < max_iter:
        taken += 1
        gradient = X.T @ (softmax(X @ weights) - targets) / len(X)
        if np.abs(gradient).max() <= tol:
            break
        weights -= step * gradient
    return weights, taken
