"""The nearest mean classifier, whose mean of a nominal attribute is its mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from palio.algorithms._classifier import Classifier, Floats, categories, coded, places

Flags = NDArray[np.bool_]


class NearestMeanClassifier(Classifier):
    """The nearest mean classifier.

    Which class's typical instance is a row most like?

    The typical instance of a class has the mean of every numeric attribute and the mode of every
    nominal one. The distance is Euclidean, with numeric attributes in standard deviations of the
    training rows, and a nominal attribute counting 0 if it has the mode's value and 1 if not.

    Parameters
    ----------
    nominal_features : sequence of int or str, or None
        Columns that hold codes of nominal values. In a frame, columns of text or of categories
        are nominal without being named.

    Attributes
    ----------
    classes_ : array
        The class labels.
    centroids_ : array of shape (classes, columns)
        Means in standard deviations, and modes as codes: c·d numbers.

    Notes
    -----
    yildiz2006 §4.1 describes the means and the distance, and not what becomes of nominal
    attributes. With modes the error rates of its Table 1 come out on balance, car, mushroom,
    tictactoe and vote, which are all nominal; with 1-of-n codes balance and car are 20 points off.
    Distances are small whole numbers there, and often equal: the first of the classes, as sorted,
    is said then, and the first of the values where a mode is not unique.

    References
    ----------
    Yıldız and Alpaydın (2006), IEEE TPAMI 28(3), §4.1 (NMC); Alpaydın (2004), Introduction to
    Machine Learning.

    Examples
    --------
    >>> X, y = [[0.0, 1], [2, 1], [8, 2], [10, 3]], ["a", "a", "b", "b"]
    >>> NearestMeanClassifier(nominal_features=[1]).fit(X, y).predict([[4, 2], [4, 1]])
    array(['b', 'a'], dtype='<U1')
    """

    # The runner gives it nominal columns as they are (palio.experiment.data.preprocessing).
    palio_raw_inputs = True

    def __init__(self, *, nominal_features: Sequence[int | str] | None = None) -> None:
        self.nominal_features = nominal_features

    def fit(self, X: Any, y: Any) -> Self:
        """Find the means and modes."""
        self._categories = categories(X)
        X, y = self._begin(coded(X, self._categories, unknown=np.nan), y)
        self._nominal = np.zeros(X.shape[1], dtype=bool)
        self._nominal[places([*self._categories, *(self.nominal_features or ())], self)] = True
        self._middle, self._width = _scale(X, self._nominal)
        rows = (X - self._middle) / self._width
        self.centroids_ = np.array(
            [_typical(rows[y == k], self._nominal) for k in range(len(self.classes_))]
        )
        return self

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        rows = (self._rows(coded(X, self._categories)) - self._middle) / self._width
        return np.column_stack(
            [-_squared_distances(rows, typical, self._nominal) for typical in self.centroids_]
        )


def _scale(X: Floats, nominal: Flags) -> tuple[Floats, Floats]:
    """Return what to subtract and to divide by: nothing where a column is nominal or constant."""
    still = nominal | (X.min(axis=0) == X.max(axis=0))
    return np.where(nominal, 0.0, X.mean(axis=0)), np.where(still, 1.0, X.std(axis=0))


def _typical(rows: Floats, nominal: Flags) -> Floats:
    """Return the means of the numeric columns and the modes of the nominal ones."""
    typical: Floats = rows.mean(axis=0)
    for column in np.flatnonzero(nominal):
        values, counts = np.unique(rows[:, column], return_counts=True)
        typical[column] = values[counts.argmax()]
    return typical


def _squared_distances(rows: Floats, typical: Floats, nominal: Flags) -> Floats:
    apart: Floats = np.where(nominal, rows != typical, (rows - typical) ** 2).sum(axis=1)
    return apart
