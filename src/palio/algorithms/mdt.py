"""Linear discriminant trees: every node is Fisher's discriminant between two groups of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state  # type: ignore[import-untyped]

from palio.algorithms._classifier import (
    Floats,
    Indices,
    ProbabilityClassifier,
    at_least,
    indicators,
)
from palio.algorithms.pruning import Shape, check_fraction, prune, set_aside

Mask = NDArray[np.bool_]


# --- one node -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Split:
    """A hyperplane in the coordinates of the node, and the impurity it leaves."""

    direction: Floats
    threshold: float
    impurity: float


def _whiten(X: Floats, variance: float) -> tuple[Floats, Floats]:
    """Return what turns centred rows into ones of unit scatter, and the rows turned.

    Where the scatter is singular, only the principal components that have this share of the
    variance remain.
    """
    centred = X - X.mean(axis=0)
    wide = X.shape[1] > X.shape[0]  # then the products of rows are fewer than those of columns
    scatter, axes = np.linalg.eigh(centred @ centred.T if wide else centred.T @ centred)
    kept = scatter > scatter[-1] * len(scatter) * 1e-12
    scatter, axes = scatter[kept][::-1], axes[:, kept][:, ::-1]
    if 0 < len(scatter) < X.shape[1]:
        share = np.cumsum(scatter) / scatter.sum()
        size = int(np.searchsorted(share, variance)) + 1
        scatter, axes = scatter[:size], axes[:, :size]
    turn: Floats = centred.T @ axes / scatter if wide else axes / np.sqrt(scatter)
    return turn, centred @ turn


def _gaussian_threshold(left: Floats, right: Floats) -> float:
    """Return where two normal densities with these samples' moments and sizes cross.

    Between the means, the lower of which is that of ``left``; half-way if they do not cross there,
    or if there is no spread.
    """
    low, high = left.mean(), right.mean()
    middle = float(low + high) / 2
    narrow, wide = left.var(), right.var()
    if min(narrow, wide) <= 1e-12 * (high - low) ** 2:
        return middle
    # log p(left | z) − log p(right | z) = a z² + b z + c
    a = (1 / wide - 1 / narrow) / 2
    b = low / narrow - high / wide
    c = (high**2 / wide - low**2 / narrow) / 2 + np.log(
        len(left) / len(right) * np.sqrt(wide / narrow)
    )
    roots = np.roots([a, b, c])
    between = [float(z.real) for z in roots if abs(z.imag) < 1e-9 and low < z.real < high]
    return between[0] if between else middle


def _impurity(below: Mask, codes: Indices, n_classes: int) -> float:
    """Return the entropy of the classes that is left in the two branches, in bits."""
    left = np.bincount(codes[below], minlength=n_classes)
    counts = np.stack((left, np.bincount(codes, minlength=n_classes) - left)).astype(np.float64)
    sizes = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, sizes, out=np.zeros_like(counts), where=sizes > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return float(-(counts * logs).sum() / len(codes))


def _separated(whitened: Floats, codes: Indices, group: Mask) -> _Split | None:
    """Separate the classes of a group from the others; ``None`` if their means are the same.

    In rows of unit total scatter Fisher's direction is the difference of the means: that of the
    within-group scatter differs from it by a factor (Sherman–Morrison), and may be singular.
    """
    inside = group[codes]
    direction = whitened[~inside].mean(axis=0) - whitened[inside].mean(axis=0)
    if not direction @ direction > 1e-20:
        return None
    z = whitened @ direction
    threshold = _gaussian_threshold(z[inside], z[~inside])
    below = z <= threshold
    if below.all() or not below.any():
        threshold = float(z[inside].mean() + z[~inside].mean()) / 2
        below = z <= threshold
    if below.all() or not below.any():
        return None
    return _Split(direction, threshold, _impurity(below, codes, len(group)))


def _impurity_of(split: _Split | None) -> float:
    return np.inf if split is None else split.impurity


def _first_group(means: Floats) -> Mask:
    """Divide classes by which of the two furthest means theirs is nearer to."""
    distance = ((means[:, None] - means[None]) ** 2).sum(axis=2)
    a, b = np.unravel_index(int(distance.argmax()), distance.shape)
    group: Mask = distance[a] < distance[b]
    group[a] = True  # should all means be the same
    return group


def _exchanged(whitened: Floats, codes: Indices, means: Floats) -> _Split | None:
    """Move one class at a time to the other group, the best move first, while it helps.

    Guo and Gelfand's (1992) exchange heuristic; helping means a lower impurity.
    """
    group = _first_group(means)
    best = _separated(whitened, codes, group)
    n_classes = len(group)
    while n_classes > 2:
        moves = [group ^ (np.arange(n_classes) == k) for k in range(n_classes)]
        moves = [moved for moved in moves if 0 < moved.sum() < n_classes]
        tried = [(_separated(whitened, codes, moved), moved) for moved in moves]
        split, moved = min(tried, key=lambda each: _impurity_of(each[0]))
        if _impurity_of(split) >= _impurity_of(best) - 1e-12:
            break
        best, group = split, moved
    return best


def _hyperplane(X: Floats, codes: Indices, variance: float) -> tuple[Floats, float] | None:
    """Return weights and threshold that divide the rows of a node; ``None`` if none do."""
    _, codes = np.unique(codes, return_inverse=True)
    n_classes = int(codes.max()) + 1
    if n_classes == 1:
        return None
    sizes = np.bincount(codes)
    turn, whitened = _whiten(X, variance)
    if turn.shape[1] == 0:
        return None
    means = indicators(codes, n_classes).T @ X / sizes[:, None]
    split = _exchanged(whitened, codes, means)
    if split is None:
        return None
    weights: Floats = turn @ split.direction
    return weights, split.threshold + float(X.mean(axis=0) @ weights)


# --- the tree -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LinearTree:
    """A binary tree of hyperplanes: one entry per node, the root first.

    Parameters
    ----------
    shape : Shape
        Which nodes are below which.
    weights : array of shape (nodes, columns)
        Of the hyperplane; zeros for leaves.
    threshold : array of shape (nodes,)
        Up to here the weighted sum sends a row to the first child, beyond to the second.
    counts : array of shape (nodes, classes)
        The rows of each class, of those the tree was grown from.
    """

    shape: Shape
    weights: Floats
    threshold: Floats
    counts: Indices

    @property
    def node_count(self) -> int:
        """The number of nodes, leaves and all."""
        return len(self.threshold)

    def paths(self, X: Floats) -> list[tuple[int, Indices]]:
        """Return the rows that come through each node, parents first."""
        found = [(0, np.arange(len(X)))]
        for node, rows in found:  # which grows meanwhile
            if self.shape.n_children[node]:
                beyond = X[rows] @ self.weights[node] > self.threshold[node]
                first = int(self.shape.first_child[node])
                found += [(first, rows[~beyond]), (first + 1, rows[beyond])]
        return found

    def leaves(self, X: Floats) -> Indices:
        """Return the leaf of each row."""
        last = np.zeros(len(X), dtype=np.int64)
        for node, rows in self.paths(X):
            last[rows] = node
        return last

    def pruned(self, X: Floats, codes: Indices) -> LinearTree:
        """Return the tree whose subtrees each err less on these rows than a leaf would."""
        arrivals = np.zeros_like(self.counts)
        for node, rows in self.paths(X):
            arrivals[node] = np.bincount(codes[rows], minlength=self.counts.shape[1])
        shape, kept = prune(self.shape, self.counts.argmax(axis=1), arrivals)
        inner = shape.n_children > 0
        return LinearTree(
            shape,
            np.where(inner[:, None], self.weights[kept], 0.0),
            np.where(inner, self.threshold[kept], 0.0),
            self.counts[kept],
        )


def grown(
    X: Floats, codes: Indices, *, n_classes: int, min_rows: float, variance: float
) -> LinearTree:
    """Grow a tree until nodes are pure, have fewer than ``min_rows``, or cannot be divided."""
    waiting = [np.arange(len(X))]
    planes: list[tuple[Floats, float]] = []
    counts, first_child = [], []
    leaf = np.zeros(X.shape[1]), 0.0
    for rows in waiting:  # which grows meanwhile
        counts.append(np.bincount(codes[rows], minlength=n_classes))
        plane = _hyperplane(X[rows], codes[rows], variance) if len(rows) >= min_rows else None
        beyond = X[rows] @ plane[0] > plane[1] if plane is not None else np.zeros(1, bool)
        if plane is None or beyond.all() or not beyond.any():  # rounding may undo a close division
            planes.append(leaf)
            first_child.append(0)
            continue
        planes.append(plane)
        first_child.append(len(waiting))
        waiting += [rows[~beyond], rows[beyond]]
    first = np.array(first_child)
    return LinearTree(
        Shape(first, np.where(first > 0, 2, 0)),
        np.array([weights for weights, _ in planes]),
        np.array([threshold for _, threshold in planes]),
        np.array(counts),
    )


class MDTClassifier(ProbabilityClassifier):
    """A tree whose questions weigh all attributes at once.

    At every node the classes are divided into two groups, Fisher's linear discriminant separates
    these, and the threshold lies where two normal densities cross. The groups begin with the two
    classes whose means are furthest apart, the others joining the nearer; then classes change
    sides as long as that lowers the entropy. As in C4.5, rows set aside prune the tree.

    Parameters
    ----------
    pruning_fraction : float
        The share of the rows set aside to prune with, class by class; 0 for none.
    min_fraction : float
        A node with less than this share of the rows is not divided.
    variance : float
        Where the scatter is singular: how much of it the principal components keep.
    random_state : int, RandomState or None
        Which rows are set aside.

    Attributes
    ----------
    classes_ : array
        The class labels.
    linear_tree_ : LinearTree
        The nodes.
    n_parameters_ : int
        Weights and thresholds of all hyperplanes, and a label for each leaf.

    Notes
    -----
    Probabilities are the frequencies in the leaf (ulas2008 §A.2). Nominal attributes have to be
    1-of-n encoded.

    References
    ----------
    Yıldız & Alpaydın (2000), Linear discriminant trees, ICML; and (2005), International Journal of
    Pattern Recognition and Artificial Intelligence 19(3), 323–353. Guo & Gelfand (1992),
    Classification trees with neural network feature extraction.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = MDTClassifier(random_state=0).fit(X, y)
    >>> tree.linear_tree_.node_count, tree.score(X, y) > 0.95
    (5, True)
    """

    def __init__(
        self,
        *,
        pruning_fraction: float = 0.2,
        min_fraction: float = 0.0,
        variance: float = 0.99,
        random_state: Any = None,
    ) -> None:
        self.pruning_fraction = pruning_fraction
        self.min_fraction = min_fraction
        self.variance = variance
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow and prune the tree."""
        check_fraction("pruning_fraction", self.pruning_fraction)
        check_fraction("min_fraction", self.min_fraction)
        at_least("variance", self.variance, 0)
        X, codes = self._begin(X, y)
        rng = check_random_state(self.random_state)
        grow, rest = set_aside(codes, self.pruning_fraction, rng)
        tree = grown(
            X[grow],
            codes[grow],
            n_classes=len(self.classes_),
            min_rows=self.min_fraction * len(grow),
            variance=self.variance,
        )
        if len(rest):
            tree = tree.pruned(X[rest], codes[rest])
        self.linear_tree_ = tree
        inner = int((tree.shape.n_children > 0).sum())
        self.n_parameters_ = inner * (X.shape[1] + 1) + (tree.node_count - inner)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the frequencies of the classes in the leaf of each row."""
        rows = self._rows(X)
        counts = self.linear_tree_.counts[self.linear_tree_.leaves(rows)]
        found: Floats = counts / counts.sum(axis=1, keepdims=True)
        return found
