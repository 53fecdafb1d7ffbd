"""Perceptrons: gradients against differences, and what each can and cannot learn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.preprocessing import scale  # type: ignore[import-untyped]

from palio.algorithms._mlp_loops import perceptron_epoch, two_layer_epoch
from palio.algorithms.mlp import LinearPerceptronClassifier, OnlineMLPClassifier
from palio.errors import ParameterError

# --- gradients -----------------------------------------------------------------------------------


def _cross_entropy(scores: np.ndarray, code: int) -> float:
    return float(np.log(np.exp(scores).sum()) - scores[code])


def _linear_loss(layers: list[np.ndarray], x: np.ndarray, code: int) -> float:
    return _cross_entropy(x @ layers[0] + layers[1], code)


def _two_layer_loss(layers: list[np.ndarray], x: np.ndarray, code: int) -> float:
    hidden = 1 / (1 + np.exp(-(x @ layers[0] + layers[1])))
    return _cross_entropy(hidden @ layers[2] + layers[3], code)


def _differences(loss: Callable[[], float], layer: np.ndarray, h: float = 1e-6) -> np.ndarray:
    slopes = np.empty_like(layer)
    for place in np.ndindex(layer.shape):
        was = layer[place]
        layer[place] = was + h
        above = loss()
        layer[place] = was - h
        slopes[place] = (above - loss()) / (2 * h)
        layer[place] = was
    return slopes


@pytest.mark.parametrize(
    ("epoch", "loss", "shapes"),
    [
        (perceptron_epoch, _linear_loss, [(4, 3), (3,)]),
        (two_layer_epoch, _two_layer_loss, [(4, 5), (5,), (5, 3), (3,)]),
    ],
    ids=["linear", "two layers"],
)
def test_one_step_is_down_the_gradient(epoch: Any, loss: Any, shapes: list[Any]) -> None:
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(6, 4)), rng.integers(0, 3, 6).astype(np.intp)
    before = [rng.normal(size=shape) for shape in shapes]
    after = [layer.copy() for layer in before]
    rate, row = 0.01, 2
    epoch(X, codes, np.array([row], dtype=np.intp), *after, rate)
    for old, new in zip(before, after, strict=True):
        slopes = _differences(lambda: loss(before, X[row], codes[row]), old)
        np.testing.assert_allclose((new - old) / rate, -slopes, atol=1e-7)


def test_an_epoch_is_one_step_after_the_other() -> None:
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(5, 2)), np.array([0, 1, 1, 0, 1], dtype=np.intp)
    order = np.array([3, 0, 4, 1, 2], dtype=np.intp)
    at_once, one_by_one = ([np.zeros((2, 2)), np.zeros(2)] for _ in range(2))
    perceptron_epoch(X, codes, order, *at_once, 0.1)
    for row in order:
        perceptron_epoch(X, codes, np.array([row]), *one_by_one, 0.1)
    np.testing.assert_array_equal(at_once[0], one_by_one[0])


# --- the paper's settings ------------------------------------------------------------------------


def test_fifty_epochs_whose_rate_falls_by_five_per_cent() -> None:
    rates = []

    def step(*given: Any) -> None:
        rates.append(given[-1])
        assert sorted(given[2].tolist()) == [0, 1, 2, 3]

    model = LinearPerceptronClassifier()
    X, codes = np.zeros((4, 1)), np.zeros(4, dtype=np.intp)
    model._train(step, X, codes, [], np.random.RandomState(0))
    assert len(rates) == 50
    assert rates[:3] == pytest.approx([0.01, 0.0095, 0.009025])
    assert rates[-1] == pytest.approx(0.01 * 0.95**49)


@pytest.mark.parametrize(("inputs", "classes", "units"), [(4, 3, 3), (1, 2, 1), (20, 2, 11)])
def test_half_of_inputs_and_classes_are_hidden_units(inputs: int, classes: int, units: int) -> None:
    X = np.random.default_rng(0).normal(size=(12, inputs))
    model = OnlineMLPClassifier(epochs=1).fit(X, np.arange(12) % classes)
    assert model.coefs_[0].shape == (inputs, units)
    assert model.coefs_[1].shape == (units, classes)


def test_the_seed_decides() -> None:
    X, y = load_iris(return_X_y=True)
    one, same, other = (OnlineMLPClassifier(random_state=s).fit(X, y).coefs_[0] for s in (0, 0, 1))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


# --- what they learn -----------------------------------------------------------------------------


def _exclusive_or() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    corners = rng.integers(0, 2, (400, 2))
    X = 2.0 * corners - 1 + rng.normal(0, 0.2, (400, 2))
    return X, corners[:, 0] ^ corners[:, 1]


def test_a_hidden_layer_learns_exclusive_or_and_a_linear_perceptron_does_not() -> None:
    X, y = _exclusive_or()
    settings: dict[str, Any] = {"learning_rate": 0.1, "decay": 1.0, "random_state": 0}
    assert OnlineMLPClassifier(6, **settings).fit(X, y).score(X, y) > 0.99
    assert LinearPerceptronClassifier(**settings).fit(X, y).score(X, y) < 0.7


def test_linear_perceptron_comes_to_the_maximum_of_the_likelihood() -> None:
    """Classes overlap, so there is one: scikit-learn's solver finds it, too."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    X = rng.normal(size=(600, 2)) + np.array([[0, 0], [1, 0], [0, 1]])[y]
    model = LinearPerceptronClassifier(epochs=150, random_state=0).fit(X, y)
    best = LogisticRegression(C=np.inf).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), best.predict_proba(X), atol=0.03)


def test_softmax_outputs_of_both_are_probabilities_that_know_iris() -> None:
    X, y = load_iris(return_X_y=True)
    for model in (OnlineMLPClassifier(random_state=0), LinearPerceptronClassifier(random_state=0)):
        told = model.fit(scale(X), y).predict_proba(scale(X))
        np.testing.assert_allclose(told.sum(axis=1), 1)
        assert (told.argmax(axis=1) == y).mean() > 0.85


def test_no_epoch_is_an_error() -> None:
    with pytest.raises(ParameterError, match="epochs: at least 1 is needed, and 0 was given"):
        LinearPerceptronClassifier(epochs=0).fit([[0.0], [1.0]], [0, 1])
