"""Extreme learning machine: random hidden units, output weights by least squares."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.linalg import lstsq
from scipy.special import expit
from sklearn.utils import check_random_state  # type: ignore[import-untyped]

from palio.algorithms._classifier import Classifier, Floats, at_least, indicators

_RELATIVE_CUT = float(np.sqrt(np.finfo(np.float64).eps))  # as MASS::ginv, which elmNN calls


class ELMClassifier(Classifier):
    """Extreme learning machine.

    How far do random hidden units go, when only the layer behind them is learned?

    Input weights and biases are uniform in (−1, 1), the units logistic. The output weights are the
    least squares solution of smallest norm for targets −1 and 1, one column per class.

    Parameters
    ----------
    n_hidden : int, default 20
    random_state : int, RandomState or None
        For the input weights.

    Attributes
    ----------
    coefs_ : list of ndarray
        Input weights (features × units) and output weights (units × classes).
    intercepts_ : list of ndarray
        The biases of the hidden units.

    Notes
    -----
    With H the hidden outputs and T the targets, the output weights are :math:`H^{+} T`, by the
    pseudoinverse.

    References
    ----------
    Huang, Zhu & Siew (2006), Extreme learning machine: theory and applications; settings as in the
    R package elmNN, which wainer2016 §2.3 uses.

    Examples
    --------
    >>> X, y = [[0.0, 0], [0, 1], [1, 0], [1, 1]], ["same", "other", "other", "same"]
    >>> ELMClassifier(random_state=0).fit(X, y).predict(X)
    array(['same', 'other', 'other', 'same'], dtype='<U5')
    """

    def __init__(self, n_hidden: int = 20, *, random_state: Any = None) -> None:
        self.n_hidden = n_hidden
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Draw the hidden units and solve for the output weights."""
        X, codes = self._begin(X, y)
        at_least("n_hidden", self.n_hidden, 1)
        rng = check_random_state(self.random_state)
        weights = rng.uniform(-1, 1, (X.shape[1], self.n_hidden))
        biases = rng.uniform(-1, 1, self.n_hidden)
        targets = 2 * indicators(codes, len(self.classes_)) - 1
        output, *_ = lstsq(_hidden(X, weights, biases), targets, cond=_RELATIVE_CUT)
        self.coefs_, self.intercepts_ = [weights, np.asarray(output)], [biases]
        return self

    def _scores(self, X: Any) -> Floats:
        rows = self._rows(X)
        scores: Floats = _hidden(rows, self.coefs_[0], self.intercepts_[0]) @ self.coefs_[1]
        return scores


def _hidden(X: Floats, weights: Floats, biases: Floats) -> Floats:
    outputs: Floats = expit(X @ weights + biases)
    return outputs
