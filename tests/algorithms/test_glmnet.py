"""Elastic-net logistic regression: optimality conditions, and scikit-learn's solvers."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.preprocessing import scale  # type: ignore[import-untyped]

from palio.algorithms.glmnet import ElasticNetPathClassifier
from palio.errors import ParameterError
from tests.elastic import elastic_net


def _two_classes() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X[:, :10]), y


@pytest.mark.parametrize("l1_ratio", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("strength", [0.1, 0.01, 0.001])
def test_the_gradient_balances_the_penalty(l1_ratio: float, strength: float) -> None:
    """Where β ≠ 0 the gradient is λ(α sign β + (1 − α)β), where β = 0 it is within ±λα."""
    X, y = _two_classes()
    model = ElasticNetPathClassifier(l1_ratio, strength=strength).fit(X, y)
    slopes = model.coef_[0]
    errors = y - model.predict_proba(X)[:, 1]
    gradient = X.T @ errors / len(y)
    inside = slopes == 0
    balance = strength * (l1_ratio * np.sign(slopes) + (1 - l1_ratio) * slopes)
    assert (np.abs(gradient[inside]) <= strength * l1_ratio + 1e-4).all()
    np.testing.assert_allclose(gradient[~inside], balance[~inside], atol=1e-4)
    assert errors.mean() == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("strength", [1.0, 0.1, 0.01])
def test_ridge_is_that_of_scikit_learn(load: Any, strength: float) -> None:
    X, y = load(return_X_y=True)
    X = scale(X)
    model = ElasticNetPathClassifier(0, strength=strength).fit(X, y)
    # scikit-learn weighs the sum of the losses, and λ is relative to their mean.
    other = LogisticRegression(C=1 / (len(y) * strength), tol=1e-8, max_iter=2000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=2e-3)


def test_lasso_of_three_classes_is_that_of_scikit_learn() -> None:
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    model = ElasticNetPathClassifier(1, strength=0.05).fit(X, y)
    other = elastic_net(C=1 / (len(y) * 0.05), l1_ratio=1, tol=1e-6, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=2e-3)
    assert np.array_equal(model.coef_ == 0, other.coef_ == 0)


def test_the_first_coefficient_appears_at_the_strength_worked_by_hand() -> None:
    """With β = 0 the gradient is Σx(y − ȳ)/n, whose largest entry is the largest useful λ."""
    X, y = _two_classes()
    gradient = np.abs(X.T @ (y - y.mean())) / len(y)
    top = float(gradient.max())
    none, some = (ElasticNetPathClassifier(1, strength=top * f).fit(X, y) for f in (1.001, 0.99))
    assert np.count_nonzero(none.coef_) == 0
    np.testing.assert_allclose(none.predict_proba(X)[:, 1], y.mean(), rtol=1e-6)
    assert np.flatnonzero(some.coef_).tolist() == [int(gradient.argmax())]


def test_coefficients_are_of_the_features_as_they_are() -> None:
    X, y = _two_classes()
    moved = 5 + 3 * X
    model = ElasticNetPathClassifier(0.5, strength=0.01).fit(X, y)
    other = ElasticNetPathClassifier(0.5, strength=0.01).fit(moved, y)
    np.testing.assert_allclose(other.coef_, model.coef_ / 3, rtol=1e-6)
    np.testing.assert_allclose(other.predict_proba(moved), model.predict_proba(X), atol=1e-9)


def test_a_constant_column_and_separable_classes_do_no_harm() -> None:
    X = np.column_stack([np.ones(20), np.arange(20.0)])
    y = np.arange(20) > 9
    model = ElasticNetPathClassifier(0.5, strength=1e-5).fit(X, y)
    assert np.isfinite(model.coefs_path_).all()
    assert model.coef_[0, 0] == 0
    assert model.score(X, y) == 1


def test_another_strength_of_the_path_needs_no_training_and_one_off_it_does() -> None:
    X, y = _two_classes()
    model = ElasticNetPathClassifier(0.5, path=[1.0, 0.1, 0.01], strength=0.01).fit(X, y)
    alone = ElasticNetPathClassifier(0.5, path=[0.1], strength=0.1).fit(X, y)
    np.testing.assert_allclose(
        model.set_params(strength=0.1).predict_proba(X), alone.predict_proba(X), atol=1e-3
    )
    with pytest.raises(ParameterError, match="strength: the model was fitted along a path without"):
        model.set_params(strength=0.2).predict(X)
