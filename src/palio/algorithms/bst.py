"""Boosting of linear classifiers: each step regresses on the one feature that helps most."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from palio.algorithms._classifier import (
    Classifier,
    Floats,
    at_least,
    at_most_fitted,
    indicators,
)

_COST = 0.5  # of either kind of error: the loss is ½ max(0, 1 − yf)


class LinearBoostClassifier(Classifier):
    """Boosting of linear classifiers.

    How good is a linear classifier that boosting builds up, feature by feature?

    HingeBoost: the negative gradient of the hinge loss is fitted by least squares with every
    feature alone, and ``shrinkage`` times the best fit is added. Of more than two classes, one
    against the rest.

    ``n_boosts`` is free: a fitted model whose ``n_boosts`` is lowered is the model after so many
    steps.

    Parameters
    ----------
    n_boosts : int, default 100
    shrinkage : float, default 0.1

    Attributes
    ----------
    features_, slopes_, shifts_ : ndarray of shape (steps, functions)
        Each step's feature, slope and intercept, already shrunk; one function for two classes, one
        per class for more.

    Notes
    -----
    Every fit has an intercept: without one, classes of unequal frequency are at a disadvantage.

    References
    ----------
    Wang (2011), HingeBoost: ROC-based boost for classification and variable selection; the R
    package bst, which wainer2016 §2.3 uses.

    Examples
    --------
    >>> X, y = [[-2.0, 0.1], [-1, -0.1], [1, 0.1], [2, -0.1]], [0, 0, 1, 1]
    >>> LinearBoostClassifier(20).fit(X, y).predict(X)
    array([0, 0, 1, 1])
    """

    free_parameters = ("n_boosts",)

    def __init__(self, n_boosts: int = 100, *, shrinkage: float = 0.1) -> None:
        self.n_boosts = n_boosts
        self.shrinkage = shrinkage

    def fit(self, X: Any, y: Any) -> Self:
        """Boost from f = 0."""
        X, codes = self._begin(X, y)
        at_least("n_boosts", self.n_boosts, 1)
        at_least("shrinkage", self.shrinkage, 0)
        signs = 2 * indicators(codes, len(self.classes_)) - 1
        if len(self.classes_) == 2:
            signs = signs[:, 1:]
        self._boost(X, signs)
        return self

    def _boost(self, X: Floats, signs: Floats) -> None:
        means = X.mean(axis=0)
        centred = X - means
        lengths = (centred**2).sum(axis=0)
        usable = np.where(lengths > 1e-12 * len(X), lengths, np.inf)
        functions = np.arange(signs.shape[1])
        values = np.zeros_like(signs)
        shape = (self.n_boosts, len(functions))
        self.features_ = np.zeros(shape, dtype=np.intp)
        self.slopes_, self.shifts_ = np.zeros(shape), np.zeros(shape)
        for step in range(self.n_boosts):
            gradient = _COST * signs * (signs * values < 1)
            if not gradient.any():
                break  # nothing is left to gain: the steps that remain add zero
            products = centred.T @ gradient
            best = (products**2 / usable[:, None]).argmax(axis=0)
            slopes = self.shrinkage * products[best, functions] / usable[best]
            shifts = self.shrinkage * gradient.mean(axis=0)
            values += shifts + slopes * centred[:, best]
            self.features_[step], self.slopes_[step] = best, slopes
            self.shifts_[step] = shifts - slopes * means[best]

    @property
    def coef_(self) -> Floats:
        """The coefficients after ``n_boosts`` steps, (functions, features)."""
        steps = slice(self.n_boosts)
        coefficients = np.zeros((self.slopes_.shape[1], self.n_features_in_))
        functions = np.broadcast_to(np.arange(len(coefficients)), self.slopes_[steps].shape)
        np.add.at(coefficients, (functions, self.features_[steps]), self.slopes_[steps])
        return coefficients

    @property
    def intercept_(self) -> Floats:
        """The intercepts after ``n_boosts`` steps."""
        total: Floats = self.shifts_[: self.n_boosts].sum(axis=0)
        return total

    def _scores(self, X: Any) -> Floats:
        rows = self._rows(X)
        at_most_fitted("n_boosts", self.n_boosts, len(self.slopes_))
        values = rows @ self.coef_.T + self.intercept_
        return np.hstack([-values, values]) / 2 if values.shape[1] == 1 else values
