"""Random k-nearest neighbours: a vote of k-nn classifiers, each on its own few features."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state  # type: ignore[import-untyped]

from palio.algorithms._classifier import (
    Floats,
    ProbabilityClassifier,
    at_least,
    at_most_fitted,
)
from palio.extras import needing

# Now and not in fit, whose time is measured: a pickled model brings this module with it.
with needing("learners", "estimator", "random k-nn needs numba"):
    from palio.algorithms import _rknn_loops


class RandomKNNClassifier(ProbabilityClassifier):
    """Random k nearest neighbours.

    Do many k-nn classifiers, each on a random subset of the features, do better than one?

    Every member sees all instances and ``max_features`` features drawn without replacement. The
    majority of the members decides; the probabilities are the shares of their votes. Instances as
    far away as the k-th nearest all have a say in a member's vote, and of classes that are equally
    frequent there the first is voted for.

    ``n_members`` is free: a fitted model whose ``n_members`` is lowered votes with its first
    members, and those are the ones it would have had if it had been trained with so few.

    Parameters
    ----------
    n_neighbors : int, default 1
    n_members : int, default 500
    max_features : int or None, default None
        ``None``: the square root of their number, rounded down. Never more than there are.
    random_state : int, RandomState or None
        For the subsets.

    Attributes
    ----------
    subsets_ : ndarray of shape (members, max_features)
        The features of each member.

    References
    ----------
    Li, Harner & Adjeroh (2011), Random KNN feature selection; defaults as in the R package rknn,
    which wainer2016 §2.3 uses.

    Examples
    --------
    >>> X, y = [[0.0, 0], [0, 1], [9, 8], [9, 9]], [0, 0, 1, 1]
    >>> RandomKNNClassifier(n_members=5, random_state=0).fit(X, y).predict_proba([[1, 1]])
    array([[1., 0.]])
    """

    free_parameters = ("n_members",)

    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        n_members: int = 500,
        max_features: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_members = n_members
        self.max_features = max_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Draw the members' features and keep the instances."""
        X, codes = self._begin(X, y)
        there = X.shape[1]
        drawn = int(np.sqrt(there)) if self.max_features is None else self.max_features
        at_least("max_features", drawn, 1)
        at_least("n_members", self.n_members, 1)
        at_least("n_neighbors", self.n_neighbors, 1)
        rng = check_random_state(self.random_state)
        self.subsets_ = np.stack(
            [rng.permutation(there)[: min(drawn, there)] for _ in range(self.n_members)]
        ).astype(np.intp)
        self._fit_X, self._codes = X, codes
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the shares of the members' votes."""
        (shares,) = deque(self.staged_predict_proba(X), maxlen=1)
        return shares

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the shares of the votes of the first member, of the first two, and so on."""
        rows = self._rows(X)
        at_most_fitted("n_members", self.n_members, len(self.subsets_))
        by_class = np.argsort(self._codes, kind="stable")
        voted = _rknn_loops.member_votes(
            np.ascontiguousarray(self._fit_X[by_class].T),
            np.searchsorted(self._codes[by_class], np.arange(len(self.classes_) + 1)),
            np.ascontiguousarray(rows),
            self.subsets_[: self.n_members],
            min(self.n_neighbors, len(self._fit_X)),
        )
        votes = np.zeros((len(rows), len(self.classes_)))
        for number, said in enumerate(voted, start=1):
            votes[np.arange(len(rows)), said] += 1
            yield votes / number
