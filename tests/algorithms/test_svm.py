"""Support vector machines: the cap, the sigmoids and the coupling of pairs."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris, load_wine  # type: ignore[import-untyped]
from sklearn.preprocessing import scale  # type: ignore[import-untyped]
from sklearn.svm import SVC  # type: ignore[import-untyped]

from palio.algorithms.svm import SVMClassifier, _coupled, _sigmoid
from palio.errors import ParameterError


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_the_machine_is_libsvms(kernel: str) -> None:
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    model = SVMClassifier(kernel, C=2.0).fit(X, y)
    other = SVC(kernel=kernel, C=2.0, gamma=1 / X.shape[1], degree=2, coef0=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X))
    assert not model.capped_


def test_a_cap_is_kept_and_marked_without_a_warning() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    model = SVMClassifier("linear", C=1e5, max_iter=500).fit(X, y)
    assert model.capped_
    assert model.n_iter_ == 500
    assert not SVMClassifier("linear", C=1e-3, max_iter=500).fit(X, y).capped_


def test_a_cap_that_only_the_cross_validation_hits_is_marked() -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    cap = SVMClassifier(C=10.0).fit(X, y).n_iter_ + 1
    assert not SVMClassifier(C=10.0, max_iter=cap).fit(X, y).capped_
    assert SVMClassifier(C=10.0, max_iter=cap, probability=True, random_state=0).fit(X, y).capped_
    assert not SVMClassifier(C=10.0, probability=True, random_state=0).fit(X, y).capped_


# --- probabilities -------------------------------------------------------------------------------


def test_the_sigmoid_minimises_the_cross_entropy() -> None:
    rng = np.random.default_rng(0)
    positive = rng.random(80) < 0.3
    values = rng.normal(size=80) + 1.5 * positive
    targets = np.where(positive, (positive.sum() + 1) / (positive.sum() + 2), 1)
    targets[~positive] = 1 / ((~positive).sum() + 2)

    def loss(point: np.ndarray) -> float:
        p = 1 / (1 + np.exp(point[0] * values + point[1]))
        return float(-(targets * np.log(p) + (1 - targets) * np.log(1 - p)).sum())

    best = minimize(loss, [0, 0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10})
    np.testing.assert_allclose(_sigmoid(values, positive), best.x, atol=1e-5)


def test_values_that_say_nothing_give_the_frequency() -> None:
    slope, shift = _sigmoid(np.zeros(10), np.arange(10) < 4)
    # Targets of 4 and 6 instances: 5/6 and 1/8, whose mean is the probability.
    assert slope == pytest.approx(0, abs=1e-6)
    assert 1 / (1 + np.exp(shift)) == pytest.approx((4 * 5 / 6 + 6 / 8) / 10)


def test_pairs_that_agree_are_coupled_to_what_they_agree_on() -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(5), size=20)
    r = p[:, :, None] / (p[:, :, None] + p[:, None, :])
    r[:, np.arange(5), np.arange(5)] = 0
    np.testing.assert_allclose(_coupled(r), p, atol=1e-10)


def test_pairs_that_contradict_are_coupled_to_the_least_squares_solution() -> None:
    r = np.array([[0, 0.9, 0.4], [0.1, 0, 0.7], [0.6, 0.3, 0]])

    def loss(free: np.ndarray) -> float:
        p = np.append(free, 1 - free.sum())
        return float(sum((r[j, i] * p[i] - r[i, j] * p[j]) ** 2
                         for i in range(3) for j in range(i)))  # fmt: skip

    best = minimize(loss, [1 / 3, 1 / 3], method="Nelder-Mead", options={"xatol": 1e-9})
    np.testing.assert_allclose(_coupled(r[None])[0, :2], best.x, atol=1e-4)


def test_probabilities_are_calibrated_where_the_truth_is_known() -> None:
    """Two unit Gaussians at ±1: the log odds are 2x."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1000)
    X = rng.normal(size=(1000, 1)) + 2.0 * y[:, None] - 1
    model = SVMClassifier(probability=True, random_state=0).fit(X, y)
    points = np.linspace(-2, 2, 9)[:, None]
    truth = 1 / (1 + np.exp(-2 * points[:, 0]))
    np.testing.assert_allclose(model.predict_proba(points)[:, 1], truth, atol=0.05)


def test_probabilities_of_three_classes_know_iris() -> None:
    X, y = load_iris(return_X_y=True)
    model = SVMClassifier("rbf", probability=True, random_state=0).fit(scale(X), y)
    told = model.predict_proba(scale(X))
    assert model.sigmoids_.shape == (3, 2)
    np.testing.assert_allclose(told.sum(axis=1), 1)
    assert (told.argmax(axis=1) == y).mean() > 0.95


def test_probabilities_are_there_only_if_asked_for() -> None:
    model = SVMClassifier().fit([[0.0], [1.0]], [0, 1])
    assert not hasattr(model, "predict_proba")


def test_an_unknown_kernel_is_an_error() -> None:
    with pytest.raises(ParameterError, match="kernel: there are linear, poly and rbf, and 'cubic'"):
        SVMClassifier("cubic").fit([[0.0], [1.0]], [0, 1])
