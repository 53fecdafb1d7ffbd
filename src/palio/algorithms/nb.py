"""Naive Bayes with Gaussian or kernel densities, and smoothed frequencies of nominal features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp

from palio.algorithms._classifier import Floats, Indices, ProbabilityClassifier, at_least, softmax
from palio.errors import ParameterError

_CELLS = 4_000_000  # kernel values held at once
_SMALLEST_SPREAD = 1e-5  # of a feature within a class, relative to the widest feature's
_RAREST = 0.001  # what a nominal value's frequency is taken to be where it is 0, as in klaR


class NaiveBayesClassifier(ProbabilityClassifier):
    r"""Naive Bayes.

    Which class is likeliest, if features are independent within each class?

    A feature's density in a class is a Gaussian or, with ``use_kernel``, a Gaussian kernel density
    with Silverman's bandwidth. Nominal features have frequencies, with ``laplace`` added to each
    count.

    Parameters
    ----------
    use_kernel : bool, default False
    laplace : float, default 0
        Added to the counts of nominal features; without nominal features it changes nothing.
    nominal : sequence of int, optional
        Columns whose numbers are codes.

    Attributes
    ----------
    class_prior_ : ndarray of shape (classes,)
    theta_, var_ : ndarray of shape (classes, numeric features)
        Means and variances, unless ``use_kernel``.
    bandwidths_ : ndarray of shape (classes, numeric features)
        If ``use_kernel``.

    Notes
    -----
    With the standard deviation s and the interquartile range IQR of n values, the bandwidth is

    .. math::

        0.9\, \min\left(s, \frac{\mathrm{IQR}}{1.34}\right) n^{-1/5}

    References
    ----------
    The R package klaR, which wainer2016 §2.3 uses; Silverman (1986), equation 3.31.

    Examples
    --------
    >>> X, y = [[0.0], [1], [2], [5], [6], [7]], [0, 0, 0, 1, 1, 1]
    >>> NaiveBayesClassifier(use_kernel=True).fit(X, y).predict([[1.5], [5.5]])
    array([0, 1])
    """

    def __init__(
        self,
        *,
        use_kernel: bool = False,
        laplace: float = 0.0,
        nominal: Sequence[int] | None = None,
    ) -> None:
        self.use_kernel = use_kernel
        self.laplace = laplace
        self.nominal = nominal

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the priors, and every feature's density in every class."""
        X, codes = self._begin(X, y)
        at_least("laplace", self.laplace, 0)
        nominal = sorted(set(self.nominal or ()))
        if not set(nominal) <= set(range(X.shape[1])):
            raise ParameterError(
                "nominal",
                f"columns are numbered from 0 to {X.shape[1] - 1}",
                f"{nominal} were given",
            )
        self.class_prior_ = np.bincount(codes) / len(codes)
        self._tables = {j: _frequencies(X[:, j], codes, self.laplace) for j in nominal}
        self._numeric = np.setdiff1d(np.arange(X.shape[1]), nominal)
        numbers = X[:, self._numeric]
        own = [numbers[codes == k] for k in range(len(self.classes_))]
        floor = _SMALLEST_SPREAD * max(float(numbers.std(axis=0).max(initial=0)), 1e-12)
        if self.use_kernel:
            self._fit_X = own
            self.bandwidths_ = np.stack([_bandwidths(rows, floor) for rows in own])
        else:
            self.theta_ = np.stack([rows.mean(axis=0) for rows in own])
            self.var_ = np.stack([np.maximum(_deviations(rows), floor) ** 2 for rows in own])
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the posterior probabilities."""
        rows = self._rows(X)
        logs = np.zeros((len(rows), len(self.classes_))) + np.log(self.class_prior_)
        for k in range(len(self.classes_)):
            logs[:, k] += self._log_density(rows[:, self._numeric], k)
        for j, (values, frequencies) in self._tables.items():
            logs += _looked_up(rows[:, j], values, frequencies)
        return softmax(logs)

    def _log_density(self, rows: Floats, k: int) -> Floats:
        if not self.use_kernel:
            return _gaussian(rows, self.theta_[k], self.var_[k])
        total = np.zeros(len(rows))
        for j, width in enumerate(self.bandwidths_[k]):
            total += _kernels(rows[:, j], self._fit_X[k][:, j], width)
        return total


def _deviations(rows: Floats) -> Floats:
    spread: Floats = rows.std(axis=0, ddof=1) if len(rows) > 1 else np.zeros(rows.shape[1])
    return spread


def _bandwidths(rows: Floats, floor: float) -> Floats:
    """Silverman's rule of thumb (1986, equation 3.31); where half the values are equal, s alone."""
    deviations = _deviations(rows)
    upper, lower = np.percentile(rows, [75, 25], axis=0)
    quartiles = (upper - lower) / 1.34
    spread = np.where(quartiles > 0, np.minimum(deviations, quartiles), deviations)
    widths: Floats = np.maximum(0.9 * spread * len(rows) ** -0.2, floor)
    return widths


def _gaussian(rows: Floats, means: Floats, variances: Floats) -> Floats:
    terms = np.log(2 * np.pi * variances) + (rows - means) ** 2 / variances
    total: Floats = -0.5 * terms.sum(axis=1)
    return total


def _kernels(values: Floats, centres: Floats, width: float) -> Floats:
    """Return the logarithm of the mean of Gaussian kernels, some values at a time."""
    parts = max(1, len(values) * len(centres) // _CELLS)
    found = [
        logsumexp(-0.5 * ((some[:, None] - centres) / width) ** 2, axis=1)
        for some in np.array_split(values, parts)
    ]
    scale = len(centres) * width * np.sqrt(2 * np.pi)
    logs: Floats = np.concatenate(found) - np.log(scale)
    return logs


def _frequencies(values: Floats, codes: Indices, laplace: float) -> tuple[Floats, Floats]:
    """Return a nominal feature's values, and the frequency of each (rows) in each class."""
    there, places = np.unique(values, return_inverse=True)
    counts = np.zeros((len(there), codes.max() + 1))
    np.add.at(counts, (places, codes), 1)
    return there, (counts + laplace) / (counts.sum(axis=0) + laplace * len(there))


def _looked_up(values: Floats, there: Floats, frequencies: Floats) -> Floats:
    """Return the logarithm of each value's frequency in each class; a new value tells nothing."""
    places = np.minimum(np.searchsorted(there, values), len(there) - 1)
    logs = np.log(np.where(frequencies > 0, frequencies, _RAREST))
    return np.where((there[places] == values)[:, None], logs[places], 0.0)
