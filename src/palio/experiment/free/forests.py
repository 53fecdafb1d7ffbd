"""Forests grown without checking the same rows again for every tree.

On a few hundred rows scikit-learn spends most of a tree's time on checks and on copying the tree's
settings, the same for all trees of a forest. Here its own compiled builder is called for tree
after tree. That builder is no public interface: the trees are used only if the first ones are,
number for number, those of scikit-learn's own forest, which is fitted with so few. Else, and
whenever a setting is not provided for, scikit-learn grows the forest.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palio.experiment.free.views import fit

__all__ = ["fit_forest"]

_CHECKED = 3  # how many trees are compared
_WORTH_IT = 20  # a forest of fewer trees is left to scikit-learn

# What a quick forest may not set: other weights of the rows, or work after the last tree.
_PLAIN: Mapping[str, Any] = {
    "class_weight": None,
    "max_samples": None,
    "max_leaf_nodes": None,
    "ccp_alpha": 0.0,
    "monotonic_cst": None,
    "oob_score": False,
    "warm_start": False,
}

Grow = Callable[[int], Any]


def fit_forest(model: Any, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
    """Fit a forest; of many trees the quick way, if the trees are the same.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> quick, own = (RandomForestClassifier(50, random_state=1) for _ in range(2))
    >>> fit_forest(quick, X, y, {})
    >>> bool((quick.predict_proba(X) == own.fit(X, y).predict_proba(X)).all())
    True
    """
    wanted = model.n_estimators
    if not _provided_for(model, X, y, fit_params):
        fit(model, X, y, fit_params)
        return
    fit(model.set_params(n_estimators=_CHECKED), X, y, fit_params)
    trees = _grown(model, X, y, wanted)
    model.set_params(n_estimators=wanted)
    if trees is None:
        fit(model, X, y, fit_params)
    else:
        model.estimators_ = trees


def _provided_for(model: Any, X: Any, y: Any, fit_params: Mapping[str, Any]) -> bool:
    settings = model.get_params(deep=False)
    try:
        rows = np.asarray(X, dtype=np.float32)
    except (TypeError, ValueError):
        return False
    return (
        model.n_estimators >= _WORTH_IT
        and isinstance(model.random_state, Integral)
        and isinstance(model.criterion, str)
        and model.n_jobs in (None, 1)
        and not fit_params
        and all(_plain(settings.get(name, value), value) for name, value in _PLAIN.items())
        and rows.ndim == 2
        and bool(np.isfinite(rows).all())
        and np.ndim(y) == 1
    )


def _plain(setting: Any, plain: Any) -> bool:
    return setting is plain or (np.isscalar(setting) and setting == plain)


def _grown(forest: Any, X: Any, y: Any, wanted: int) -> list[Any] | None:
    """Grow the trees of a forest whose first are there; ``None`` if they are not the same."""
    try:
        grow = _grower(forest, X, y)
        rng = np.random.RandomState(forest.random_state)
        seeds = [int(rng.randint(np.iinfo(np.int32).max)) for _ in range(wanted)]
        first = [grow(seed) for seed in seeds[:_CHECKED]]
        if not all(map(_same, first, forest.estimators_)):
            return None
        return first + [grow(seed) for seed in seeds[_CHECKED:]]
    except (ImportError, AttributeError, KeyError, TypeError, ValueError):
        return None  # another version of scikit-learn, whose builder is called otherwise


def _grower(forest: Any, X: Any, y: Any) -> Grow:
    from sklearn.tree import _classes  # type: ignore[import-untyped]
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree  # type: ignore[import-untyped]

    rows = np.asarray(X, dtype=np.float32)
    n_rows, n_features = rows.shape
    pattern = forest.estimators_[0]
    classifies = hasattr(forest, "classes_")
    targets = np.searchsorted(forest.classes_, np.asarray(y)) if classifies else np.asarray(y)
    column = np.ascontiguousarray(targets.reshape(-1, 1), dtype=np.float64)
    counts = np.array([len(forest.classes_) if classifies else 1], dtype=np.intp)
    rules = _classes.CRITERIA_CLF if classifies else _classes.CRITERIA_REG
    leaf = _rows_of(pattern.min_samples_leaf, n_rows)
    split = max(2, _rows_of(pattern.min_samples_split, n_rows), 2 * leaf)
    depth = np.iinfo(np.int32).max if pattern.max_depth is None else pattern.max_depth
    leaf_weight = pattern.min_weight_fraction_leaf * n_rows

    def grow(seed: int) -> Any:
        rule = rules[pattern.criterion](1, counts if classifies else n_rows)
        splitter = _classes.DENSE_SPLITTERS[pattern.splitter](
            rule, pattern.max_features_, leaf, leaf_weight, np.random.RandomState(seed), None
        )
        builder = DepthFirstTreeBuilder(
            splitter, split, leaf, leaf_weight, depth, pattern.min_impurity_decrease
        )
        tree = copy.copy(pattern)
        tree.random_state = seed
        tree.tree_ = Tree(n_features, counts, 1)
        weights = _drawn(seed, n_rows) if forest.bootstrap else None
        builder.build(tree.tree_, rows, column, weights, None)
        return tree

    return grow


def _rows_of(share: float, n_rows: int) -> int:
    return int(share) if isinstance(share, Integral) else int(np.ceil(share * n_rows))


def _drawn(seed: int, n_rows: int) -> NDArray[np.float64]:
    """Count how often each row is in a tree's bootstrap sample."""
    rows = np.random.RandomState(seed).randint(0, n_rows, n_rows)
    return np.bincount(rows, minlength=n_rows).astype(np.float64)


def _same(tree: Any, own: Any) -> bool:
    """Whether two trees have the same seed and, number for number, the same nodes."""
    ours, theirs = tree.tree_, own.tree_
    return tree.random_state == own.random_state and all(
        np.array_equal(getattr(ours, name), getattr(theirs, name))
        for name in ("feature", "threshold", "children_left", "children_right", "value")
    )
