"""Extreme learning machine: the output weights are the least squares solution."""

import numpy as np
import pytest

from palio.algorithms.elm import ELMClassifier
from palio.errors import ParameterError


def _hidden(model: ELMClassifier, X: np.ndarray) -> np.ndarray:
    outputs: np.ndarray = 1 / (1 + np.exp(-(X @ model.coefs_[0] + model.intercepts_[0])))
    return outputs


def test_output_weight_of_one_hidden_unit_is_worked_by_hand() -> None:
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([0, 1, 1])
    model = ELMClassifier(1, random_state=4).fit(X, y)
    h = _hidden(model, X)[:, 0]
    # One unknown: β = Σht / Σh², with t = −1, 1, 1 for the second class.
    by_hand = (-h[0] + h[1] + h[2]) / (h[0] ** 2 + h[1] ** 2 + h[2] ** 2)
    np.testing.assert_allclose(model.coefs_[1], [[-by_hand, by_hand]], rtol=1e-12)


def test_output_weights_solve_the_normal_equations() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    model = ELMClassifier(5, random_state=0).fit(X, y)
    h, targets = _hidden(model, X), 2 * np.eye(3)[y] - 1
    solved = np.linalg.solve(h.T @ h, h.T @ targets)
    np.testing.assert_allclose(model.coefs_[1], solved, rtol=1e-6)


def test_with_more_units_than_rows_the_solution_fits_exactly_and_is_the_shortest() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(8, 4)), np.array([0, 1] * 4)
    model = ELMClassifier(30, random_state=0).fit(X, y)
    h, weights = _hidden(model, X), model.coefs_[1][:, 1]
    np.testing.assert_allclose(h @ weights, 2 * y - 1, atol=1e-6)
    # The shortest is a combination of the rows of h: hᵀ(hhᵀ)⁻¹t.
    np.testing.assert_allclose(weights, h.T @ np.linalg.solve(h @ h.T, 2 * y - 1), atol=1e-5)


def test_input_weights_are_random_and_within_one() -> None:
    X, y = np.arange(20.0).reshape(10, 2), np.array([0, 1] * 5)
    one, same, other = (ELMClassifier(200, random_state=s).fit(X, y).coefs_[0] for s in (0, 0, 1))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert np.abs(one).max() < 1
    assert abs(one.mean()) < 0.1
    assert one.var() == pytest.approx(1 / 3, abs=0.05)


def test_no_hidden_unit_is_an_error() -> None:
    with pytest.raises(ParameterError, match="n_hidden: at least 1 is needed, and 0 was given"):
        ELMClassifier(0).fit([[0.0], [1.0]], [0, 1])
