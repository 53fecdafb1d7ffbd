"""Coordinate descent for one class of an elastic-net logistic regression, compiled."""

from __future__ import annotations

from typing import Any

import numba  # type: ignore[import-untyped]
import numpy as np

from palio.algorithms._classifier import Floats


def _descend(
    columns: Floats,
    weights: Floats,
    residuals: Floats,
    slopes: Floats,
    lasso: float,
    ridge: float,
    tolerance: float,
    max_rounds: int,
) -> float:
    """Minimise ½ Σ wᵢ(zᵢ − b − xᵢβ)²/n + ridge ‖β‖²/2 + lasso ‖β‖₁, one coordinate at a time.

    ``columns`` is (features, rows), ``residuals`` w(z − b − Xβ) at the start; it and ``slopes`` are
    changed. A round over all features is followed by rounds over those with a slope. Returns how
    far the intercept has moved. Friedman, Hastie & Tibshirani (2010), weighted updates.
    """
    n_features, n_rows = columns.shape
    total = 0.0
    for i in range(n_rows):
        total += weights[i]
    curvatures = np.zeros(n_features)
    for j in range(n_features):
        for i in range(n_rows):
            curvatures[j] += weights[i] * columns[j, i] ** 2
        curvatures[j] /= n_rows
    moved = 0.0
    everywhere = True
    for _ in range(max_rounds):
        shift = 0.0
        for i in range(n_rows):
            shift += residuals[i]
        shift /= total
        for i in range(n_rows):
            residuals[i] -= shift * weights[i]
        moved += shift
        largest = total / n_rows * shift**2
        for j in range(n_features):
            old = slopes[j]
            if curvatures[j] <= 0.0 or (old == 0.0 and not everywhere):
                continue
            pull = 0.0
            for i in range(n_rows):
                pull += residuals[i] * columns[j, i]
            pull = pull / n_rows + curvatures[j] * old
            new = np.sign(pull) * max(abs(pull) - lasso, 0.0) / (curvatures[j] + ridge)
            step = new - old
            if step != 0.0:
                slopes[j] = new
                for i in range(n_rows):
                    residuals[i] -= step * weights[i] * columns[j, i]
                largest = max(largest, curvatures[j] * step**2)
        if largest < tolerance:
            if everywhere:
                break
            everywhere = True  # one look at all, lest another should have a slope by now
        else:
            everywhere = False
    return moved


# With the types told, compiling is done with this module's import and not with the first call.
# Sums may be taken in another order, which is what lets a processor take several terms at once.
descend: Any = numba.njit(
    "float64(float64[:, ::1], float64[::1], float64[::1], float64[::1],"
    " float64, float64, float64, intp)",
    cache=True,
    fastmath={"reassoc", "nsz", "contract"},
)(_descend)
