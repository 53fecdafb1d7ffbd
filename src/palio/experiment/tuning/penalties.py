"""The path of a penalty: every strength from one decomposition, or each from where one ended."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from palio.experiment.tuning.views import Models, each_fitted, fit, shown


def warm_started(
    model: Any, X: Any, y: Any, values: Sequence[float], fit_params: Mapping[str, Any]
) -> Models:
    """Solve for the smallest C, and for each other one from where the one before ended.

    The optimum is one, and where the solver stops short of it depends on where it started: a model
    is that of a cold start up to the model's ``tol``, if ``max_iter`` lets both get there.
    """
    model.set_params(warm_start=True)
    found: dict[float, Any] = {}
    for value in sorted(set(values)):
        fit(model.set_params(C=value), X, y, fit_params)
        found[value] = copy.copy(model).set_params(warm_start=False)
    return lambda _rows: (found[value] for value in values)


def ridge(
    model: Any, X: Any, y: Any, values: Sequence[float], fit_params: Mapping[str, Any]
) -> Models:
    """Solve ridge regression for every alpha by one singular value decomposition.

    β(α) = V diag(sᵢ / (sᵢ² + α)) Uᵀy of the centred rows X = U diag(s) Vᵀ; Hastie, Tibshirani &
    Friedman (2009), The elements of statistical learning, equation 3.47.
    """
    if fit_params or hasattr(X, "indptr"):
        return each_fitted(model, "alpha", X, y, values, fit_params)  # weights, or sparse rows
    fit(model.set_params(alpha=values[0]), X, y, fit_params)
    rows, targets = np.asarray(X, dtype=np.float64), _targets(model, y)
    means, centre = (
        (each.mean(axis=0) if model.fit_intercept else np.zeros(each.shape[1:]))
        for each in (rows, targets)
    )
    left, sizes, right = np.linalg.svd(rows - means, full_matrices=False)
    projected = left.T @ (targets - centre)

    def changes(alpha: float) -> dict[str, Any]:
        shrunk = sizes / (sizes**2 + alpha)
        slopes = (right.T @ (shrunk.reshape(-1, *[1] * (targets.ndim - 1)) * projected)).T
        intercept = centre - slopes @ means if model.fit_intercept else model.intercept_
        return {"alpha": alpha, "coef_": slopes, "intercept_": intercept}

    return lambda shown_rows: (shown(model, shown_rows, {}, changes(each)) for each in values)


def _targets(model: Any, y: Any) -> Any:
    """Return the targets; of a classifier, −1 and 1 for each class."""
    if not hasattr(model, "classes_"):
        return np.asarray(y, dtype=np.float64)
    signs = np.where(np.asarray(y)[:, None] == model.classes_, 1.0, -1.0)
    return signs[:, 1:] if signs.shape[1] == 2 else signs


def along_path(
    model: Any, X: Any, y: Any, values: Sequence[float], fit_params: Mapping[str, Any]
) -> Models:
    """Fit a model that goes along a path of strengths by itself, if need be a path with these."""
    fit(model.set_params(strength=values[0]), X, y, fit_params)
    if not np.isin(values, model.path_).all():
        fit(model.set_params(path=[*model.path_, *values]), X, y, fit_params)
    return lambda rows: (shown(model, rows, {}, {"strength": each}) for each in values)
