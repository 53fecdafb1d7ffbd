"""Every k of one search for the nearest neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palio.experiment.tuning.views import Models, fit, shown

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


def nearest_first(
    model: Any, X: Any, y: Any, values: Sequence[int], fit_params: Mapping[str, Any]
) -> Models:
    """Search once for the most neighbours; those of a smaller k are the first.

    Where neighbours of different classes are equally distant and not all of them are among the k
    nearest, it is the search that picks some. About such rows it is asked again, so that the
    predictions are those of a model with this k, to the last.
    """
    fit(model.set_params(n_neighbors=min(values)), X, y, fit_params)

    def models(rows: Any) -> Iterator[Any]:
        search = _Search(model, rows, max(values))
        for k in values:
            view = shown(model, rows, search.answers(k), {"n_neighbors": k})
            if _searched_otherwise(model, k):
                view = type(model)(**view.get_params(deep=False))
                fit(view, X, y, fit_params)
            yield view

    return models


def _searched_otherwise(model: Any, k: int) -> bool:
    """Whether ``algorithm="auto"`` takes another search for this k: half of the rows or more."""
    half = model.n_samples_fit_ // 2
    return bool(model.algorithm == "auto" and k >= half > model.n_neighbors)


@dataclass
class _Search:
    """The nearest training rows of some rows: as many as any k needs, and one more."""

    model: Any
    rows: Any
    most: int

    def answers(self, k: int) -> dict[str, Any]:
        """Return the answers with k neighbours: by votes, or else by who the neighbours are."""
        if k > self.model.n_samples_fit_ or np.ndim(self.model._y) > 1:
            return {}  # the model itself: to say what is wrong, or to do what is seldom asked
        if hasattr(self.model, "classes_") and self.model.weights == "uniform":
            return {
                "predict": lambda: self.model.classes_[self._shares(k).argmax(axis=1)],
                "predict_proba": lambda: self._shares(k),
            }
        return {"kneighbors": lambda *given, **named: self._nearest(k, *given, **named)}

    @cached_property
    def _found(self) -> tuple[Floats, Rows]:
        n = min(self.most + 1, self.model.n_samples_fit_)
        distances, places = self.model.kneighbors(self.rows, n_neighbors=n)
        return distances, places

    @cached_property
    def _labels(self) -> NDArray[Any]:
        """Return each neighbour's class, as a number, or its target."""
        labels: NDArray[Any] = self.model._y[self._found[1]]
        return labels

    @cached_property
    def _ties(self) -> _Ties:
        distances, places = self._found
        ends = places.shape[1] == self.model.n_samples_fit_
        return _Ties.among(distances, self._labels, self._blur, ends=ends)

    @property
    def _blur(self) -> float:
        """How far squares of equal distances may be apart: in brute force, they are rounded.

        There scikit-learn takes |x|² − 2xy + |y|² for some answers and |x − y|² for others.
        """
        if self.model._fit_method != "brute" or self.model.effective_metric_ != "euclidean":
            return 0.0
        from sklearn.utils.extmath import row_norms  # type: ignore[import-untyped]

        squares = (row_norms(_array(rows), squared=True) for rows in (self.rows, self.model._fit_X))
        return 1e-13 * float(sum(each.max() for each in squares))

    def _shares(self, k: int) -> Floats:
        """Return the shares of the k votes."""
        labels, n_classes = self._labels[:, :k], len(self.model.classes_)
        cells = labels + n_classes * np.arange(len(labels))[:, None]
        votes = np.bincount(cells.ravel(), minlength=len(labels) * n_classes)
        shares: Floats = votes.reshape(len(labels), n_classes) / k
        doubtful = self._again(self._ties.across(k))
        if doubtful.size:
            shares[doubtful] = self._own(k).predict_proba(_take(self.rows, doubtful))
        return shares

    def _nearest(self, k: int, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Return who the k nearest are, and how far, as ``kneighbors`` does."""
        if n_neighbors not in (None, k):
            return self._own(k).kneighbors(self.rows, n_neighbors, return_distance)
        distances, places = (each[:, :k].copy() for each in self._found)
        # Sums of weights are rounded by the order of the neighbours, so that it matters too.
        doubtful = self._again(self._ties.across(k) | self._ties.within(k))
        if doubtful.size:
            found = self._own(k).kneighbors(_take(self.rows, doubtful))
            distances[doubtful], places[doubtful] = found
        return (distances, places) if return_distance else places

    def _own(self, k: int) -> Any:
        return shown(self.model, None, {}, {"n_neighbors": k})

    def _again(self, doubtful: Mask) -> Rows:
        """Return the rows to ask about again; by brute force all, whose answers may hang together.

        How its distances are rounded depends on which rows are asked about at once.
        """
        if self.model._fit_method == "brute" and doubtful.any():
            return np.arange(len(doubtful))
        return np.flatnonzero(doubtful)


@dataclass(frozen=True)
class _Ties:
    """Which neighbours are equally distant and differ in their labels.

    ``near``: whether a neighbour and the next are equally distant. ``mixed``: whether they also
    differ. ``open``: whether the neighbour is one of equally distant ones that differ, or that may
    go on beyond those found.
    """

    near: Mask
    mixed: Mask
    open: Mask

    @classmethod
    def among(cls, distances: Floats, labels: NDArray[Any], blur: float, *, ends: bool) -> _Ties:
        """Find the ties; ``ends``: no neighbour is beyond those found.

        >>> ties = _Ties.among(np.array([[1.0, 2, 2, 3]]), np.array([[0, 0, 1, 1]]), 0.0, ends=True)
        >>> [k for k in (1, 2, 3, 4) if ties.across(k).any()]  # of two equally distant, one
        [2]
        """
        near = np.diff(distances**2, axis=1) <= blur
        mixed = near & (labels[:, 1:] != labels[:, :-1])
        n_rows, n = distances.shape
        group = np.zeros((n_rows, n), dtype=np.intp)
        group[:, 1:] = np.cumsum(~near, axis=1)
        group += n * np.arange(n_rows)[:, None]
        flagged = np.zeros(n_rows * n, dtype=bool)
        flagged[group[:, 1:][mixed]] = True
        if not ends:
            flagged[group[:, -1]] = True
        return cls(near, mixed, flagged[group])

    def across(self, k: int) -> Mask:
        """Tell the rows where some of those equally distant are among the k nearest, not all."""
        if k > self.near.shape[1]:
            return np.zeros(len(self.near), dtype=bool)
        across: Mask = self.near[:, k - 1] & self.open[:, k - 1]
        return across

    def within(self, k: int) -> Mask:
        """Tell the rows where equally distant ones that differ are among the k nearest."""
        return np.asarray(self.mixed[:, : k - 1].any(axis=1))


def _array(rows: Any) -> Any:
    return rows if hasattr(rows, "indptr") else np.asarray(rows)


def _take(rows: Any, places: Rows) -> Any:
    return rows.iloc[places] if hasattr(rows, "iloc") else _array(rows)[places]
