"""Two learners that brazdil2000 needs and the catalogue lacks: both take nominal values as such."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from palio.algorithms._classifier import Floats, Indices, ProbabilityClassifier, indicators
from palio.algorithms.nb import NaiveBayesClassifier

_CELLS = 8_000_000  # comparisons held at once


class SymbolicNeighbourClassifier(ProbabilityClassifier):
    """The nearest neighbours by weighted overlap, every value a symbol.

    Which class is most frequent among the rows that share the most values with this one?

    Two rows are as far apart as the gain ratios of the columns in which they differ add up to, and
    all rows at the least distance vote: IB1 as TiMBL has it unless told otherwise. That a number
    differs a little or a lot is not seen, which costs it dearly on numeric data.

    References
    ----------
    W. Daelemans, J. Zavrel, K. van der Sloot and A. van den Bosch (1999), TiMBL: Tilburg memory
    based learner, ILK 99-01.

    Examples
    --------
    >>> model = SymbolicNeighbourClassifier().fit([[1, 5], [1, 6], [2, 5], [2, 6]], [0, 0, 1, 1])
    >>> model.weights_, model.predict([[2, 7]])
    (array([1., 0.]), array([1]))
    """

    # The runner gives it nominal columns as they are (palio.experiment.data.preprocessing).
    palio_raw_inputs = True

    weights_: Floats

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows, and weigh the columns."""
        self._symbols, codes = self._begin(_coded(X), y)
        self._votes = indicators(codes, len(self.classes_))
        self.weights_ = np.array([gain_ratio(column, codes) for column in self._symbols.T])
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the shares of the classes among the rows that are nearest."""
        check_is_fitted(self)
        rows = self._rows(_coded(X))
        step = max(1, _CELLS // len(self._symbols))
        parts = [self._shares(rows[i : i + step]) for i in range(0, len(rows), step)]
        return np.concatenate(parts)

    def _shares(self, rows: Floats) -> Floats:
        shared = np.zeros((len(rows), len(self._symbols)))
        for own, other, weight in zip(rows.T, self._symbols.T, self.weights_, strict=True):
            shared += weight * (own[:, np.newaxis] == other)
        most = shared.max(axis=1, keepdims=True)
        # Sums in the same order are equal to the last bit; the margin is for other platforms.
        votes: Floats = (shared >= most - 1e-12) @ self._votes
        shares: Floats = votes / votes.sum(axis=1, keepdims=True)
        return shares


class MixedNaiveBayesClassifier(ProbabilityClassifier):
    """Naive Bayes: Gaussian densities of numbers, frequencies of nominal values.

    Which class is likeliest, if the columns are independent within each class?

    The catalogue's ``nb`` is given nominal columns 1-of-n coded, as wainer2016 does; here they are
    nominal, with 1 added to every count.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"colour": pd.Categorical(["red", "red", "blue", "blue"])})
    >>> MixedNaiveBayesClassifier().fit(X, [0, 0, 1, 1]).predict(X)
    array([0, 0, 1, 1])
    """

    palio_raw_inputs = True

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the priors, the densities and the frequencies."""
        self._begin(_coded(X), y)
        self._model = NaiveBayesClassifier(laplace=1.0, nominal=_nominal(X))
        self._model.fit(np.asarray(_coded(X), dtype=np.float64), y)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class."""
        check_is_fitted(self)
        return self._model.predict_proba(self._rows(_coded(X)))


def gain_ratio(column: Floats, codes: Indices) -> float:
    """Return what a column tells of the class, in bits, per bit of the column itself.

    >>> gain_ratio(np.array([1.0, 1.0, 2.0, 2.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    values, places = np.unique(column, return_inverse=True)
    counts = np.zeros((len(values), int(codes.max()) + 1))
    np.add.at(counts, (places, codes), 1)
    of_column = _entropy(counts.sum(axis=1))
    gain = _entropy(counts.sum(axis=0)) + of_column - _entropy(counts.ravel())
    return float(gain / of_column) if of_column > 0 else 0.0


def _entropy(counts: Floats) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def _nominal(X: Any) -> list[int]:
    """Return the numbers of a frame's columns of categories."""
    if not hasattr(X, "iloc"):
        return []
    return [j for j, dtype in enumerate(X.dtypes) if hasattr(dtype, "categories")]


def _coded(X: Any) -> Any:
    """Write columns of categories as numbers; the runner gives all parts the same categories."""
    names = [X.columns[j] for j in _nominal(X)]
    return X.assign(**{name: X[name].cat.codes for name in names}) if names else X
