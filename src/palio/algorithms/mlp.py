"""Multilayer and linear perceptrons with softmax outputs, trained online (ulas2008 A.2)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state  # type: ignore[import-untyped]

from palio.algorithms._classifier import (
    Floats,
    Indices,
    ProbabilityClassifier,
    at_least,
    softmax,
)
from palio.extras import needing

# Now and not in fit, whose time is measured: a pickled model brings this module with it.
with needing("learners", "estimator", "perceptrons need numba"):
    from palio.algorithms import _mlp_loops


class _OnlineClassifier(ProbabilityClassifier):
    """What both perceptrons share: the schedule of classic backpropagation without momentum."""

    learning_rate: float
    decay: float
    epochs: int
    random_state: Any

    def _check_schedule(self) -> None:
        at_least("learning_rate", self.learning_rate, 0)
        at_least("decay", self.decay, 0)
        at_least("epochs", self.epochs, 1)

    def _train(self, step: Any, X: Floats, codes: Indices, layers: list[Floats], rng: Any) -> None:
        """Pass over the rows, each time in a new order and with a lower learning rate."""
        rows = np.array(X, order="C")  # writable, as the compiled loops were promised
        for epoch in range(self.epochs):
            order = rng.permutation(len(rows)).astype(np.intp)
            step(rows, codes, order, *layers, self.learning_rate * self.decay**epoch)


class OnlineMLPClassifier(_OnlineClassifier):
    """Multilayer perceptron, trained online.

    How well does one hidden layer of logistic units do, trained by plain backpropagation?

    Softmax outputs, cross-entropy, a step after every instance, no momentum; the learning rate is
    multiplied by ``decay`` after every epoch. Compiled by Numba (extra ``learners``).

    Parameters
    ----------
    hidden_units : int or None, default None
        ``None``: half the number of inputs and classes together, (D + K)/2, rounded down.
    learning_rate : float, default 0.01
    decay : float, default 0.95
    epochs : int, default 50
    weight_range : float, default 0.5
        Weights start uniform between −weight_range and weight_range. The paper does not tell how;
        among 0.01, 0.1, 0.5 and 1 this comes closest to its accuracies.
    random_state : int, RandomState or None
        For the first weights and the order of the instances.

    Attributes
    ----------
    coefs_, intercepts_ : list of ndarray
        Weights and biases of the hidden and of the output layer.

    References
    ----------
    Ulaş, Yıldız & Alpaydın (2008), §4.1.2 and A.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OnlineMLPClassifier(random_state=0).fit(scale(X), y)
    >>> model.coefs_[0].shape  # (4 + 3) / 2 hidden units
    (4, 3)
    """

    def __init__(
        self,
        hidden_units: int | None = None,
        *,
        learning_rate: float = 0.01,
        decay: float = 0.95,
        epochs: int = 50,
        weight_range: float = 0.5,
        random_state: Any = None,
    ) -> None:
        self.hidden_units = hidden_units
        self.learning_rate = learning_rate
        self.decay = decay
        self.epochs = epochs
        self.weight_range = weight_range
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train the weights."""
        X, codes = self._begin(X, y)
        self._check_schedule()
        inputs, outputs = X.shape[1], len(self.classes_)
        units = (inputs + outputs) // 2 if self.hidden_units is None else self.hidden_units
        at_least("hidden_units", units, 1)
        rng = check_random_state(self.random_state)
        layers = [
            rng.uniform(-self.weight_range, self.weight_range, size)
            for size in ((inputs, units), units, (units, outputs), outputs)
        ]
        self._train(_mlp_loops.two_layer_epoch, X, codes, layers, rng)
        self.coefs_, self.intercepts_ = layers[::2], layers[1::2]
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the softmax outputs."""
        from scipy.special import expit

        hidden = expit(self._rows(X) @ self.coefs_[0] + self.intercepts_[0])
        return softmax(hidden @ self.coefs_[1] + self.intercepts_[1])


class LinearPerceptronClassifier(_OnlineClassifier):
    """Linear perceptron, trained online.

    How well does a single softmax layer do, trained by gradient descent?

    The schedule is that of :class:`OnlineMLPClassifier`. There is no saddle at zero here, so that
    is where the weights start.

    Parameters
    ----------
    learning_rate : float, default 0.01
    decay : float, default 0.95
    epochs : int, default 50
    random_state : int, RandomState or None
        For the order of the instances.

    Attributes
    ----------
    coef_ : ndarray of shape (classes, features)
    intercept_ : ndarray of shape (classes,)

    References
    ----------
    Ulaş, Yıldız & Alpaydın (2008), §4.1.2 and A.2.

    Examples
    --------
    >>> X, y = [[-1.0], [-0.5], [0.5], [1.0]] * 20, [0, 0, 1, 1] * 20
    >>> model = LinearPerceptronClassifier(random_state=0).fit(X, y)
    >>> model.predict([[-2.0], [2.0]])
    array([0, 1])
    """

    def __init__(
        self,
        *,
        learning_rate: float = 0.01,
        decay: float = 0.95,
        epochs: int = 50,
        random_state: Any = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.decay = decay
        self.epochs = epochs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train the weights."""
        X, codes = self._begin(X, y)
        self._check_schedule()
        layers = [np.zeros((X.shape[1], len(self.classes_))), np.zeros(len(self.classes_))]
        rng = check_random_state(self.random_state)
        self._train(_mlp_loops.perceptron_epoch, X, codes, layers, rng)
        self.coef_, self.intercept_ = layers[0].T, layers[1]
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the softmax outputs."""
        return softmax(self._rows(X) @ self.coef_.T + self.intercept_)
