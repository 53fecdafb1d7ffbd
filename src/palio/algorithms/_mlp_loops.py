"""Online backpropagation, compiled: one pass over the rows in a given order."""

from __future__ import annotations

from typing import Any

import numba  # type: ignore[import-untyped]
import numpy as np

from palio.algorithms._classifier import Floats, Indices


def _softmax(scores: Floats) -> Floats:
    exponentials = np.exp(scores - scores.max())
    shares: Floats = exponentials / exponentials.sum()
    return shares


_compiled_softmax: Any = numba.njit(cache=True)(_softmax)


def _perceptron_epoch(
    X: Floats, codes: Indices, order: Indices, weights: Floats, bias: Floats, rate: float
) -> None:
    """Take one step down the cross-entropy of a softmax layer for each row; changes the weights."""
    for row in order:
        x = X[row]
        error = -_compiled_softmax(x @ weights + bias)
        error[codes[row]] += 1.0
        weights += rate * np.outer(x, error)
        bias += rate * error


def _two_layer_epoch(
    X: Floats,
    codes: Indices,
    order: Indices,
    hidden_weights: Floats,
    hidden_bias: Floats,
    output_weights: Floats,
    output_bias: Floats,
    rate: float,
) -> None:
    """Take one step for each row, with a layer of logistic units in between."""
    for row in order:
        x = X[row]
        hidden = 1.0 / (1.0 + np.exp(-(x @ hidden_weights + hidden_bias)))
        error = -_compiled_softmax(hidden @ output_weights + output_bias)
        error[codes[row]] += 1.0
        # Before the output weights move: the error goes back through the weights that made it.
        back = (output_weights @ error) * hidden * (1.0 - hidden)
        output_weights += rate * np.outer(hidden, error)
        output_bias += rate * error
        hidden_weights += rate * np.outer(x, back)
        hidden_bias += rate * back


# With the types told, compiling is done with this module's import and not with the first call.
_LAYER = "float64[:, ::1], float64[::1]"
perceptron_epoch: Any = numba.njit(
    f"void(float64[:, ::1], intp[::1], intp[::1], {_LAYER}, float64)", cache=True
)(_perceptron_epoch)
two_layer_epoch: Any = numba.njit(
    f"void(float64[:, ::1], intp[::1], intp[::1], {_LAYER}, {_LAYER}, float64)", cache=True
)(_two_layer_epoch)
