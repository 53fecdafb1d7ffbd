"""Elastic-net logistic regression with the whole path of penalties from one training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from palio.algorithms._classifier import (
    Floats,
    ProbabilityClassifier,
    at_least,
    indicators,
    softmax,
)
from palio.errors import ParameterError, require
from palio.extras import needing

# Now and not in fit, whose time is measured: a pickled model brings this module with it.
with needing("learners", "estimator", "elastic-net paths need numba"):
    from palio.algorithms import _glmnet_loops

_TOLERANCE = 1e-8  # of the deviance without features; glmnet has 1e-7
_EXPLAINED = 0.999  # of the deviance: beyond it smaller penalties are not tried
_SMALLEST_WEIGHT = 1e-5  # p(1 − p) is taken no smaller: the quadratic would be flat
_MAX_NEWTON = 50
_MAX_ROUNDS = 1000


class ElasticNetPathClassifier(ProbabilityClassifier):
    r"""Elastic-net logistic regression, for a path of penalties at once.

    How well does a logistic regression do whose coefficients are shrunk, some of them to zero?

    Minimises the mean negative log-likelihood plus a penalty on standardised features by Newton
    steps and coordinate descent, from the largest strength of the path to the smallest, each
    starting where the one before ended. Two classes have one function, more have one each
    (softmax). The path ends early where 99.9% of the deviance is explained. Compiled by Numba
    (extra ``learners``).

    ``strength`` is free: a fitted model whose ``strength`` is set to another one of the path is the
    model for that.

    Parameters
    ----------
    l1_ratio : float, default 1
        α in glmnet: 0 is ridge, 1 is lasso.
    strength : float, default 0.01
        λ in glmnet; it is added to the path.
    path : sequence of float, optional
        By default 20 strengths geometrically spaced from 1e-5 to 1e3 (wainer2016 §2.4).

    Attributes
    ----------
    path_ : ndarray of shape (strengths,)
        From the largest to the smallest.
    coefs_path_, intercepts_path_ : ndarray of shape (strengths, functions, features)
        And (strengths, functions): of the features as they are.

    Notes
    -----
    With the log-likelihood l of the coefficients β, the strength λ and the ratio α, of n rows:

    .. math::

        \min_{\beta_0, \beta}\ -\frac{1}{n}\, l(\beta_0, \beta) + \lambda
        \left(\frac{1 - \alpha}{2} \|\beta\|_2^2 + \alpha \|\beta\|_1\right)

    References
    ----------
    Friedman, Hastie & Tibshirani (2010), Regularization paths for generalized linear models via
    coordinate descent.

    Examples
    --------
    >>> X, y = [[-2.0, 0.1], [-1, -0.1], [1, 0.1], [2, -0.1]], [0, 0, 1, 1]
    >>> model = ElasticNetPathClassifier().fit(X, y)
    >>> model.predict(X)
    array([0, 0, 1, 1])
    >>> model.set_params(strength=1e3).coef_  # the largest of the path
    array([[0., 0.]])
    """

    def __init__(
        self,
        l1_ratio: float = 1.0,
        *,
        strength: float = 0.01,
        path: Sequence[float] | None = None,
    ) -> None:
        self.l1_ratio = l1_ratio
        self.strength = strength
        self.path = path

    def fit(self, X: Any, y: Any) -> Self:
        """Go along the path."""
        X, codes = self._begin(X, y)
        require(0 <= self.l1_ratio <= 1, "l1_ratio", "it is between 0 and 1", self.l1_ratio)
        path = np.geomspace(1e-5, 1e3, 20) if self.path is None else np.asarray(self.path)
        self.path_ = np.unique(np.append(path, self.strength))[::-1]
        at_least("strength", float(self.path_.min()), 0)
        means, spreads = X.mean(axis=0), X.std(axis=0)
        spreads = np.where(spreads > 1e-12, spreads, np.inf)  # a constant column says nothing
        targets = indicators(codes, len(self.classes_))
        problem = _Problem(
            (X - means) / spreads, targets[:, 1:] if targets.shape[1] == 2 else targets
        )
        slopes, intercepts = problem.along(self.path_, self.l1_ratio)
        self.coefs_path_ = slopes / spreads
        self.intercepts_path_ = intercepts - self.coefs_path_ @ means
        return self

    def _place(self) -> int:
        places = np.flatnonzero(self.path_ == self.strength)
        if not len(places):
            raise ParameterError(
                "strength",
                f"the model was fitted along a path without {self.strength!r}",
                remedy="fit it again",
            )
        return int(places[0])

    @property
    def coef_(self) -> Floats:
        """The coefficients at ``strength``, (functions, features)."""
        found: Floats = self.coefs_path_[self._place()]
        return found

    @property
    def intercept_(self) -> Floats:
        """The intercepts at ``strength``."""
        found: Floats = self.intercepts_path_[self._place()]
        return found

    def decision_function(self, X: Any) -> Floats:
        """Return the linear functions; of two classes, the log odds of the second."""
        values: Floats = self._rows(X) @ self.coef_.T + self.intercept_
        return values[:, 0] if values.shape[1] == 1 else values

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities that the functions stand for."""
        return _probabilities(self._rows(X) @ self.coef_.T + self.intercept_)


def _probabilities(functions: Floats) -> Floats:
    if functions.shape[1] == 1:
        functions = np.hstack([np.zeros_like(functions), functions])
    return softmax(functions)


class _Problem:
    """Standardised rows and 1-of-K targets, and the state of the descent."""

    def __init__(self, rows: Floats, targets: Floats) -> None:
        self.rows, self.targets = rows, targets
        self.columns = np.ascontiguousarray(rows.T)
        self.slopes = np.zeros((targets.shape[1], rows.shape[1]))
        shares = targets.mean(axis=0)
        binary = targets.shape[1] == 1
        self.intercepts = np.log(shares / (1 - shares)) if binary else np.log(shares)
        self.functions = np.zeros(targets.shape) + self.intercepts
        self.null_deviance = self._deviance()

    def along(self, path: Floats, l1_ratio: float) -> tuple[Floats, Floats]:
        """Solve for every strength, the largest first."""
        slopes, intercepts = [], []
        deviance = self.null_deviance
        for strength in path:
            if deviance > (1 - _EXPLAINED) * self.null_deviance:
                deviance = self._solve(strength * l1_ratio, strength * (1 - l1_ratio))
            slopes.append(self.slopes.copy())
            intercepts.append(self.intercepts.copy())
        return np.stack(slopes), np.stack(intercepts)

    def _solve(self, lasso: float, ridge: float) -> float:
        """Take Newton steps, class after class, until the objective stands still."""
        objective = np.inf
        for _ in range(_MAX_NEWTON):
            for k in range(len(self.slopes)):
                self._newton_step(k, lasso, ridge)
            previous = objective
            deviance = self._deviance()
            objective = deviance + lasso * np.abs(self.slopes).sum()
            objective += ridge / 2 * (self.slopes**2).sum()
            if abs(previous - objective) <= _TOLERANCE * self.null_deviance:
                break
        return deviance

    def _newton_step(self, k: int, lasso: float, ridge: float) -> None:
        p = _probabilities(self.functions)[:, k + (len(self.slopes) == 1)]
        weights = np.maximum(p * (1 - p), _SMALLEST_WEIGHT)
        residuals = self.targets[:, k] - p  # already weighted: w(z − η) is y − p
        self.intercepts[k] += _glmnet_loops.descend(
            self.columns, weights, residuals, self.slopes[k], lasso, ridge,
            _TOLERANCE * self.null_deviance, _MAX_ROUNDS,
        )  # fmt: skip
        self.functions[:, k] = self.rows @ self.slopes[k] + self.intercepts[k]

    def _deviance(self) -> float:
        """Return the mean negative log-likelihood."""
        fitted = _probabilities(self.functions)
        if self.targets.shape[1] == 1:
            second = self.targets[:, 0] == 1
            own = np.where(second, fitted[:, 1], fitted[:, 0])
        else:
            own = fitted[self.targets == 1]
        return float(-np.log(np.maximum(own, 1e-300)).mean())
