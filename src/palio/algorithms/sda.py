"""Sparse discriminant analysis: linear discriminants by elastic-net optimal scoring."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state  # type: ignore[import-untyped]

from palio.algorithms._classifier import (
    Floats,
    Indices,
    ProbabilityClassifier,
    at_least,
    indicators,
    softmax,
)

_TOLERANCE = 1e-6
_MAX_ROUNDS = 100


class SparseDiscriminantClassifier(ProbabilityClassifier):
    r"""Sparse discriminant analysis.

    Which few linear directions tell the classes apart, if coefficients are to be small?

    Optimal scoring gives the classes scores and the features weights in turn, direction after
    direction. Linear discriminant analysis on the directions then classifies. Without penalties it
    is Fisher's discriminant analysis.

    Parameters
    ----------
    ridge : float, default 1e-6
        Weight of the squared norm.
    n_variables : int or None, default None
        Features that may have a weight in each direction; ``None``: all, and then t is 0.
    random_state : int, RandomState or None
        For the first scores, from three classes on.

    Attributes
    ----------
    directions_ : ndarray of shape (directions, features)
        The weights of the standardised features.
    coef_ : ndarray of shape (classes, features)
    intercept_ : ndarray of shape (classes,)
        The discriminant functions of the features as they are.

    Notes
    -----
    With the classes' indicators Y, the features X, the ridge weight r and the weight t, which is
    set by the number of features that may have a weight, the scores θ and the weights β minimise

    .. math::

        \|Y \theta - X \beta\|_2^2 + r \|\beta\|_2^2 + t \|\beta\|_1

    each θ orthogonal to those before. The default of the R package sparseLDA lets all features in,
    and wainer2016 §2.4 searches over the ridge weight alone: there the learner is ridge-penalised,
    and not sparse.

    References
    ----------
    Clemmensen, Hastie, Witten & Ersbøll (2011), Sparse discriminant analysis.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SparseDiscriminantClassifier(n_variables=2, random_state=0).fit(X, y)
    >>> (model.directions_ != 0).sum(axis=1)
    array([2, 2])
    """

    def __init__(
        self, ridge: float = 1e-6, *, n_variables: int | None = None, random_state: Any = None
    ) -> None:
        self.ridge = ridge
        self.n_variables = n_variables
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Find the directions, then the discriminant functions on them."""
        X, codes = self._begin(X, y)
        at_least("ridge", self.ridge, 0)
        if self.n_variables is not None:
            at_least("n_variables", self.n_variables, 1)
        means, spreads = X.mean(axis=0), X.std(axis=0)
        spreads = np.where(spreads > 1e-12, spreads, 1.0)
        rows = (X - means) / spreads
        regress = _Regression(rows, self.ridge, self.n_variables)
        rng = check_random_state(self.random_state)
        self.directions_ = _directions(regress, codes, len(self.classes_), rng)
        slopes, constants = _discriminants(rows @ self.directions_.T, codes)
        self.coef_ = slopes @ self.directions_ / spreads
        self.intercept_ = constants - self.coef_ @ means
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the discriminant functions; of two classes, how much the second is ahead."""
        scores: Floats = self._rows(X) @ self.coef_.T + self.intercept_
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Return the posterior probabilities of Gaussian classes with one covariance."""
        return softmax(self._rows(X) @ self.coef_.T + self.intercept_)


class _Regression:
    """Elastic-net regression on fixed rows, until so many features have a weight."""

    def __init__(self, rows: Floats, ridge: float, n_variables: int | None) -> None:
        self.rows = rows
        self.sparse = n_variables is not None and n_variables < rows.shape[1]
        self.n_variables = n_variables
        # A ridge is least squares with so many more rows (Zou & Hastie 2005, lemma 1).
        self.augmented = np.vstack([rows, np.sqrt(ridge) * np.eye(rows.shape[1])])
        self.inverse = None if self.sparse else np.linalg.pinv(self.augmented)

    def __call__(self, target: Floats) -> Floats:
        padded = np.concatenate([target, np.zeros(self.rows.shape[1])])
        if self.inverse is not None:
            weights: Floats = self.inverse @ padded
            return weights
        return self._along_path(padded)

    def _along_path(self, target: Floats) -> Floats:
        """Return the last point of the lasso path with no more features than allowed."""
        from sklearn.linear_model import lars_path  # type: ignore[import-untyped]

        *_, path = lars_path(self.augmented, target, method="lasso")
        few = np.count_nonzero(path, axis=0) <= self.n_variables
        # The path may shed a feature and take it up again: stop where it first has too many.
        last = len(few) - 1 if few.all() else int(np.argmin(few)) - 1
        point: Floats = path[:, last]
        return point


def _directions(regress: _Regression, codes: Indices, n_classes: int, rng: Any) -> Floats:
    """Alternate between the weights and the scores (Clemmensen et al. 2011, algorithm 1)."""
    dummies = indicators(codes, n_classes)
    shares = dummies.mean(axis=0)
    before = np.ones((n_classes, 1))  # trivial scores, orthogonal to which all others are
    found = []
    for _ in range(n_classes - 1):
        scores = _orthonormal(rng.standard_normal(n_classes), before, shares)
        loss = np.inf
        for _ in range(_MAX_ROUNDS):
            weights = regress(dummies @ scores)
            fitted = regress.rows @ weights
            previous, loss = loss, float(((dummies @ scores - fitted) ** 2).mean())
            means = dummies.T @ fitted / (shares * len(fitted))
            if not means.any() or abs(previous - loss) < _TOLERANCE:
                break
            scores = _orthonormal(means, before, shares)
        found.append(weights)
        before = np.column_stack([before, scores])
    return np.array(found)


def _orthonormal(scores: Floats, before: Floats, shares: Floats) -> Floats:
    """Make scores orthogonal to those before, and of length 1, where classes weigh their share."""
    scores = scores - before @ (before.T @ (shares * scores))
    length = np.sqrt((shares * scores**2).sum())
    return scores / length if length > 0 else scores


def _discriminants(points: Floats, codes: Indices) -> tuple[Floats, Floats]:
    """Return slopes and constants of Gaussian classes with one covariance and observed priors."""
    counts = np.bincount(codes)
    means = np.stack([points[codes == k].mean(axis=0) for k in range(len(counts))])
    within = points - means[codes]
    covariance = within.T @ within / max(1, len(points) - len(counts))
    slopes = means @ np.linalg.pinv(covariance, hermitian=True)
    constants = np.log(counts / len(points)) - 0.5 * (slopes * means).sum(axis=1)
    return slopes, constants
