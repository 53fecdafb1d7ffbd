"""What trees share: rows set aside, and reduced-error pruning with them.

Nodes are numbered from the root, 0; the children of a node follow one another, and have greater
numbers than it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from palio.algorithms._classifier import Indices
from palio.errors import require


@dataclass(frozen=True)
class Shape:
    """Which nodes are below which: the first child of each, and how many; 0 for leaves."""

    first_child: Indices
    n_children: Indices


def check_fraction(name: str, value: float) -> None:
    """Refuse a share of the rows that is no share, or all of them."""
    require(0 <= value < 1, name, "a share of the rows, 0 ≤ share < 1", value)


def set_aside(y: Indices, fraction: float, rng: np.random.RandomState) -> tuple[Indices, Indices]:
    """Divide rows into those to grow a tree with and those to prune it with, class by class.

    Of each class that share is set aside, rounded at random so that the mean is right; its last
    row never is, for a tree cannot learn what it does not see.

    >>> grow, rest = set_aside(np.array([0, 0, 0, 0, 0, 1]), 0.2, np.random.RandomState(0))
    >>> len(grow), len(rest)
    (5, 1)
    """
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    sizes = np.bincount(y)
    sizes = sizes[sizes > 0]
    wanted = np.floor(fraction * sizes + rng.uniform(size=len(sizes)) * (fraction > 0))
    wanted = np.minimum(wanted.astype(np.int64), sizes - 1)
    place = np.arange(len(y)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    aside = place < np.repeat(wanted, sizes)
    return np.sort(order[~aside]), np.sort(order[aside])


def prune(shape: Shape, label: Indices, arrivals: Indices) -> tuple[Shape, Indices]:
    """Turn every subtree that errs no less than a leaf in its place into that leaf.

    Reduced-error pruning (Quinlan 1987), from the leaves up; the rows are not those the tree has
    grown from. With those, it undoes the splits that separate nothing.

    Parameters
    ----------
    shape : Shape
        The tree.
    label : array of shape (nodes,)
        What each node says as a leaf.
    arrivals : array of shape (nodes, classes)
        How many rows of each class come through each node.

    Returns
    -------
    Shape, array
        The smaller tree, and which of the old nodes it has, in order.

    Examples
    --------
    A root that says 0, with two leaves: of three rows they get one wrong, and so does the root.

    >>> tree = Shape(np.array([1, 0, 0]), np.array([2, 0, 0]))
    >>> prune(tree, np.array([0, 0, 1]), np.array([[2, 1], [1, 0], [1, 1]]))[1]
    array([0])
    """
    nodes = np.arange(len(label))
    errors = arrivals.sum(axis=1) - arrivals[nodes, label]
    first, n_children = shape.first_child, shape.n_children.copy()
    for node in np.flatnonzero(n_children)[::-1].tolist():
        below = errors[first[node] : first[node] + n_children[node]].sum()
        if errors[node] <= below:
            n_children[node] = 0
        else:
            errors[node] = below
    return _reachable(Shape(first, n_children))


def prune_from_root(shape: Shape, label: Indices, arrivals: Indices) -> tuple[Shape, Indices]:
    """Turn every subtree that errs no less than a leaf into a leaf, looking at the root first.

    As `prune`, but each node is judged against all that has grown below it, before any of that is
    pruned. A subtree that is too large is cut off as a whole, where `prune` keeps the good part.

    Examples
    --------
    A root that says 0, a good split into 0 and 1, and a bad one below: the root errs on 2 rows,
    and so do the leaves, while the good split alone errs on none.

    >>> tree = Shape(np.array([1, 3, 0, 0, 0]), np.array([2, 2, 0, 0, 0]))
    >>> label = np.array([0, 0, 1, 0, 1])
    >>> arrivals = np.array([[2, 2], [2, 0], [0, 2], [0, 0], [2, 0]])
    >>> prune_from_root(tree, label, arrivals)[1], prune(tree, label, arrivals)[1]
    (array([0]), array([0, 1, 2]))
    """
    errors = arrivals.sum(axis=1) - arrivals[np.arange(len(label)), label]
    first, n_children = shape.first_child, shape.n_children
    below = errors.copy()
    for node in np.flatnonzero(n_children)[::-1].tolist():
        below[node] = below[first[node] : first[node] + n_children[node]].sum()
    return _reachable(Shape(first, np.where(errors <= below, 0, n_children)))


def _reachable(shape: Shape) -> tuple[Shape, Indices]:
    """Leave out the nodes that have no way from the root; return which are kept, in order."""
    first, n_children = shape.first_child, shape.n_children
    kept = np.zeros(len(first), dtype=bool)
    kept[0] = True
    for node in np.flatnonzero(n_children).tolist():
        if kept[node]:
            kept[first[node] : first[node] + n_children[node]] = True
    number = np.cumsum(kept) - 1
    old = np.flatnonzero(kept)
    below_new = np.where(n_children[old] > 0, number[first[old]], 0)
    return Shape(below_new, n_children[old]), old
