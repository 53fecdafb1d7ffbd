"""Sparse discriminant analysis: against Fisher's, and penalties by hand."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris, load_wine  # type: ignore[import-untyped]

from palio.algorithms.sda import SparseDiscriminantClassifier
from palio.errors import ParameterError


def _fisher(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the posterior probabilities of Gaussian classes with one covariance, pooled."""
    means = np.stack([X[y == k].mean(axis=0) for k in np.unique(y)])
    within = X - means[np.searchsorted(np.unique(y), y)]
    covariance = within.T @ within / (len(X) - len(means))
    joint = np.column_stack(
        [
            np.mean(y == k) * stats.multivariate_normal.pdf(X, mean, covariance)
            for k, mean in zip(np.unique(y), means, strict=True)
        ]
    )
    shares: np.ndarray = joint / joint.sum(axis=1, keepdims=True)
    return shares


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_without_penalties_it_is_fishers_discriminant_analysis(load: Any) -> None:
    X, y = load(return_X_y=True)
    model = SparseDiscriminantClassifier(0, random_state=0).fit(X, y)
    # All directions together span Fisher's, however early the alternation stops.
    np.testing.assert_allclose(model.predict_proba(X), _fisher(X, y), atol=1e-9)


def test_two_classes_need_no_alternation_and_agree_exactly() -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    model = SparseDiscriminantClassifier(0).fit(X, y)
    told = model.predict_proba(X)
    np.testing.assert_allclose(told, _fisher(X, y), atol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), np.log(told[:, 1] / told[:, 0]))


@pytest.mark.parametrize(("ridge", "weight"), [(0, 1.0), (4, 0.5), (12, 0.25)])
def test_ridge_by_hand(ridge: float, weight: float) -> None:
    # Scores of two equal classes are −1 and 1, as is x: β = Σx² / (Σx² + ridge) = 4 / (4 + ridge).
    X, y = np.array([[-1.0], [-1.0], [1.0], [1.0]]), [0, 0, 1, 1]
    model = SparseDiscriminantClassifier(ridge).fit(X, y)
    assert abs(model.directions_[0, 0]) == pytest.approx(weight)


def _orthogonal() -> tuple[np.ndarray, np.ndarray]:
    """Return two orthogonal columns of −1 and 1, and classes that agree with them 14 and 10 times.

    Their products with the classes' scores, −1 and 1, are 14 − 2 = 12 and 10 − 6 = 4.
    """
    first = np.repeat([-1.0, 1.0], 8)
    second = np.concatenate([np.tile([1.0, -1.0], 4), np.tile([-1.0, 1.0], 4)])
    y = first > 0
    y[[0, 8]] = ~y[[0, 8]]
    return np.column_stack([first, second]), y


@pytest.mark.parametrize(("ridge", "weight"), [(0, 8 / 16), (16, 8 / 32)])
def test_one_feature_may_have_a_weight_by_hand(ridge: float, weight: float) -> None:
    """The first has all the weight until the second would enter: β = (12 − 4)/(16 + ridge)."""
    X, y = _orthogonal()
    model = SparseDiscriminantClassifier(ridge, n_variables=1).fit(X, y)
    np.testing.assert_allclose(np.abs(model.directions_), [[weight, 0.0]], atol=1e-12)
    assert model.coef_[:, 1].tolist() == [0, 0]


def test_all_features_may_have_a_weight_by_hand() -> None:
    X, y = _orthogonal()
    model = SparseDiscriminantClassifier(4).fit(X, y)
    np.testing.assert_allclose(np.abs(model.directions_), [[12 / 20, 4 / 20]], atol=1e-12)


def test_a_great_ridge_leaves_the_direction_of_the_means() -> None:
    """As ridge grows, β tends to XᵀYθ/ridge: features are no longer decorrelated."""
    X, y = load_iris(return_X_y=True)
    X, y = (X[50:] - X[50:].mean(axis=0)) / X[50:].std(axis=0), y[50:]
    direction = SparseDiscriminantClassifier(1e9).fit(X, y).directions_[0]
    means = X[y == 2].mean(axis=0) - X[y == 1].mean(axis=0)
    cosine = abs(direction @ means) / np.linalg.norm(direction) / np.linalg.norm(means)
    assert cosine == pytest.approx(1, abs=1e-6)


def test_a_negative_ridge_is_an_error() -> None:
    with pytest.raises(ParameterError, match="ridge: at least 0 is needed, and -1 was given"):
        SparseDiscriminantClassifier(-1).fit([[0.0], [1.0]], [0, 1])
