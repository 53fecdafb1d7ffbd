"""C4.5: a decision tree by gain ratio, pruned with rows set aside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.utils import check_random_state  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from palio.algorithms import splitting
from palio.algorithms._classifier import (
    Floats,
    Indices,
    ProbabilityClassifier,
    at_least,
    categories,
    coded,
    places,
)
from palio.algorithms.pruning import Shape, check_fraction, prune, set_aside

Pruning: TypeAlias = Callable[[Shape, Indices, Indices], tuple[Shape, Indices]]
"""Takes a tree, what its nodes say and who comes through; returns what is left, as `prune` does."""


@dataclass(frozen=True)
class Tree:
    """A grown tree: one entry per node, the root first, the children of a node together.

    Parameters
    ----------
    feature : array of shape (nodes,)
        The column that a node asks about; −1 for leaves.
    threshold : array of shape (nodes,)
        Numeric columns: up to here a row goes to the first child, beyond to the second.
    first_child, n_children, largest_child : array of shape (nodes,)
        Where its children are, how many, and which of them most rows went to.
    gain, gain_ratio : array of shape (nodes,)
        Of the split, in bits; the gain ratio is the gain divided by the information of the split.
    counts : array of shape (nodes, classes)
        The rows of each class, of those the tree was grown from.
    levels : array of shape (columns,)
        How many branches a nominal column has; 0 for numeric ones.
    """

    feature: Indices
    threshold: Floats
    first_child: Indices
    n_children: Indices
    largest_child: Indices
    gain: Floats
    gain_ratio: Floats
    counts: Indices
    levels: Indices

    @property
    def node_count(self) -> int:
        """The number of nodes, leaves and all."""
        return len(self.feature)

    def leaves(self, columns: Floats) -> Indices:
        """Return the leaf of each row; ``columns`` has shape (columns, rows)."""
        return splitting.last_nodes(columns, *self._route())

    def pruned(self, columns: Floats, y: Indices, how: Pruning = prune) -> Tree:
        """Return the tree whose subtrees each err less on these rows than a leaf would."""
        arrivals = splitting.arrivals(columns, *self._route(), y, self.counts.shape[1])
        shape = Shape(self.first_child, self.n_children)
        shape, kept = how(shape, self.counts.argmax(axis=1), arrivals)
        inner = shape.n_children > 0
        shift = shape.first_child - self.first_child[kept]
        return Tree(
            feature=np.where(inner, self.feature[kept], -1),
            threshold=np.where(inner, self.threshold[kept], 0.0),
            first_child=shape.first_child,
            n_children=shape.n_children,
            largest_child=np.where(inner, self.largest_child[kept] + shift, 0),
            gain=np.where(inner, self.gain[kept], 0.0),
            gain_ratio=np.where(inner, self.gain_ratio[kept], 0.0),
            counts=self.counts[kept],
            levels=self.levels,
        )

    def _route(self) -> tuple[Indices, Indices, Floats]:
        """Return copies, as the compiled loops take no array of a tree that is mapped from disk."""
        links = (self.feature, self.first_child, self.n_children, self.largest_child)
        return self.levels.copy(), np.column_stack(links), self.threshold.copy()


def grown(
    columns: Floats,
    levels: Indices,
    y: Indices,
    *,
    n_classes: int,
    min_samples_leaf: int,
    max_depth: int | None,
) -> Tree:
    """Grow a tree, and undo the splits that separate nothing in the end.

    A split may gain nothing and still prepare one that does, as in exclusive-or; so C4.5 makes it,
    and looks back.
    """
    orders = np.empty((len(columns) + 1, columns.shape[1]), dtype=np.int64)
    orders[:-1][levels == 0] = np.argsort(columns[levels == 0], axis=1)
    orders[-1] = np.arange(columns.shape[1])
    depth = np.iinfo(np.int64).max if max_depth is None else max_depth
    ranked = orders.copy()
    links, numbers, counts = splitting.grow(
        columns, levels, orders, y, n_classes, min_samples_leaf, depth
    )
    tree = Tree(
        feature=links[:, 0].copy(),
        threshold=_seen(numbers[:, 0], links[:, 0], columns, ranked, levels),
        first_child=links[:, 1].copy(),
        n_children=links[:, 2].copy(),
        largest_child=links[:, 3].copy(),
        gain=numbers[:, 1].copy(),
        gain_ratio=numbers[:, 2].copy(),
        counts=counts,
        levels=levels,
    )
    return tree.pruned(columns, y)


def _seen(
    thresholds: Floats,
    feature: Indices,
    columns: Floats,
    ranked: Indices,
    levels: Indices,
) -> Floats:
    """Lower each threshold to a value that is in the data, as C4.5 does: it reads better."""
    found = thresholds.copy()
    for column in np.unique(feature[feature >= 0]).tolist():
        if levels[column] == 0:
            values = columns[column][ranked[column]]
            nodes = feature == column
            found[nodes] = values[np.searchsorted(values, thresholds[nodes], side="right") - 1]
    return found


class C45Classifier(ProbabilityClassifier):
    """C4.5: the few questions about single attributes that tell the classes apart.

    Every node asks the question with the greatest gain ratio, among those whose gain is at least
    the mean: "x ≤ θ?" of a numeric attribute, with θ of the greatest gain, or "which value?" of a
    nominal one, with a branch for each. A part of the rows, stratified by class, is set aside, and
    subtrees that err no less on it than a leaf are replaced by the leaf.

    Parameters
    ----------
    min_samples_leaf : int
        At least two branches of a split have so many rows; both sides of a threshold also a tenth
        of the mean size of a class, if that is more, but no more than 25.
    max_depth : int or None
        How many questions may follow one another.
    pruning_fraction : float
        The share of the rows set aside; 0 for a tree that is not pruned.
    nominal_features : sequence of int or str, or None
        Columns that hold codes of nominal values. In a frame, columns of text or of categories
        are nominal without being named.
    random_state : int, RandomState or None
        Which rows are set aside.

    Attributes
    ----------
    classes_ : array
        The class labels.
    tree_ : Tree
        The nodes.

    Notes
    -----
    Probabilities are the frequencies in the leaf (ulas2008 §A.2). The share is that of yildiz2006
    §4.1; C4.5 itself prunes by an estimate from the training rows. It also shares a row with a
    missing value among the branches; here missing values have to be filled in before. A nominal
    value that was never seen goes where most rows went.

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning; (1987), Simplifying decision trees
    (reduced-error pruning).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = C45Classifier(random_state=0).fit(X, y)
    >>> tree.tree_.node_count, tree.score(X, y) > 0.9
    (7, True)
    """

    # The runner gives it nominal columns as they are (palio.experiment.data.preprocessing).
    palio_raw_inputs = True

    _pruning: Pruning = staticmethod(prune)

    def __init__(
        self,
        *,
        min_samples_leaf: int = 2,
        max_depth: int | None = None,
        pruning_fraction: float = 0.2,
        nominal_features: Sequence[int | str] | None = None,
        random_state: Any = None,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.pruning_fraction = pruning_fraction
        self.nominal_features = nominal_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow and prune the tree."""
        at_least("min_samples_leaf", self.min_samples_leaf, 1)
        at_least("max_depth", 0 if self.max_depth is None else self.max_depth, 0)
        check_fraction("pruning_fraction", self.pruning_fraction)
        self._categories = categories(X)
        # Unknown can only be missing here, and what is missing is refused in any column.
        X, y = self._begin(coded(X, self._categories, unknown=np.nan), y)
        nominal = places([*self._categories, *(self.nominal_features or ())], self)
        self._codes = {column: np.unique(X[:, column]) for column in nominal}
        columns = self._columns(X)
        levels = np.array([len(self._codes.get(j, ())) for j in range(len(columns))], np.int64)
        rng = check_random_state(self.random_state)
        grow, rest = set_aside(y, self.pruning_fraction, rng)
        tree = grown(
            columns.take(grow, axis=1),
            levels,
            y[grow],
            n_classes=len(self.classes_),
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
        )
        if len(rest):
            tree = tree.pruned(columns.take(rest, axis=1), y[rest], self._pruning)
        self.tree_ = tree
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the frequencies of the classes in the leaf of each row."""
        check_is_fitted(self)
        rows = self._rows(coded(X, self._categories))
        counts = self.tree_.counts[self.tree_.leaves(self._columns(rows))]
        found: Floats = counts / counts.sum(axis=1, keepdims=True)
        return found

    def _columns(self, X: Floats) -> Floats:
        """Lay the columns out one after another, nominal values as numbers of branches.

        −1 stands for a value that was not there when the tree was grown.
        """
        columns = np.array(X.T, order="C")  # a copy: it is written to
        for j, codes in self._codes.items():
            place = np.searchsorted(codes, columns[j]).clip(max=len(codes) - 1)
            columns[j] = np.where(codes[place] == columns[j], place, -1)
        return columns
