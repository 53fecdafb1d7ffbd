"""The number of members of an ensemble is free: fewer are the first of many.

Forests are grown without checking the same rows again for every tree. On a few hundred rows
scikit-learn spends most of a tree's time on checks and on copying the tree's settings, the same for
all trees of a forest. Here its own compiled builder is called for tree after tree. That builder is
no public interface: the trees are used only if the first ones are, number for number, those of
scikit-learn's own forest, which is fitted with so few. Else, and whenever a setting is not provided
for, scikit-learn grows the forest.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import zip_longest
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palio.experiment.tuning.views import Fit, Models, Train, fit, shown

# From a fitted model and rows to its answers with one member, with two, and so on.
Stages = Callable[[Any, Any], Iterable[Any]]


def first_members(
    parameter: str, cut: Sequence[str], answers: Mapping[str, Stages], *, grow: Fit = fit
) -> Train:
    """Train once with the most members, and tell of the first so many.

    Parameters
    ----------
    parameter : str
        The name of the number of members.
    cut : sequence of str
        The fitted attributes that have one item per member.
    answers : mapping of str to callable
        How methods answer, stage by stage; all stages cost as much as the last. A method that is
        not here is asked of the model with its attributes cut.
    grow : callable
        How the model is fitted.
    """

    def train(
        model: Any, X: Any, y: Any, values: Sequence[int], fit_params: Mapping[str, Any]
    ) -> Models:
        grow(model.set_params(**{parameter: max(values)}), X, y, fit_params)
        several = getattr(model, "n_outputs_", 1) > 1
        return partial(_cut, model, parameter, cut, {} if several else answers, values)

    return train


def _cut(
    model: Any,
    parameter: str,
    cut: Sequence[str],
    answers: Mapping[str, Stages],
    values: Sequence[int],
    X: Any,
) -> Iterator[Any]:
    @cache
    def told(method: str) -> dict[int, Any]:
        return _at(answers[method](model, X), values)

    def tell(method: str, value: int) -> Any:
        return told(method)[value].copy()  # some methods write into what another one answered

    for value in values:
        known = {method: partial(tell, method, value) for method in answers}
        changes = {name: getattr(model, name)[:value] for name in cut}
        yield shown(model, X, known, {parameter: value, **changes})


def _at(stages: Iterable[Any], values: Sequence[int]) -> dict[int, Any]:
    """Return the answers after so many members; if there are fewer, after the last.

    >>> _at("abc", [2, 5])
    {2: 'b', 5: 'c'}
    """
    found, last = {}, None
    for number, last in enumerate(stages, start=1):
        if number in values:
            found[number] = last
    return {value: found.get(value, last) for value in values}


def stages(*methods: str) -> dict[str, Stages]:
    """Return the answers of those methods that a model tells stage by stage itself.

    Examples
    --------
    >>> sorted(stages("predict", "predict_proba"))
    ['predict', 'predict_proba']
    """
    return {method: partial(_staged, method) for method in methods}


def _staged(method: str, model: Any, X: Any) -> Iterator[Any]:
    # Of two classes, boosting tells its decision function in one column, but staged in a matrix.
    for stage in getattr(model, f"staged_{method}")(X):
        yield stage.ravel() if stage.ndim == 2 and stage.shape[1] == 1 else stage


# --- forests -------------------------------------------------------------------------------------


def tree_means(method: str) -> Stages:
    """Average what the trees of a forest say, tree after tree."""

    def means(model: Any, X: Any) -> Iterator[Any]:
        raw = hasattr(X, "tocsr")
        rows = X if raw else np.asarray(X, dtype=np.float32)
        total = 0.0
        for number, tree in enumerate(model.estimators_, start=1):
            total = total + getattr(tree, method)(rows, check_input=raw)
            yield total / number

    return means


def trees(method: str) -> Train:
    """Train a forest once; ``method`` is what its trees are averaged by."""
    answers = {method: tree_means(method)}
    return first_members("n_estimators", ("estimators_",), answers, grow=fit_forest)


# --- bagging -------------------------------------------------------------------------------------


def bagged_votes(model: Any, X: Any) -> Iterator[Any]:
    """Average the members' probabilities, or their votes if they have none."""
    total = np.zeros((_array(X).shape[0], model.n_classes_))
    for number, (member, rows) in enumerate(_bags(model, X), start=1):
        if hasattr(member, "predict_proba"):
            # A member knows the classes that were in its sample, by their numbers.
            places = slice(None) if len(member.classes_) == model.n_classes_ else member.classes_
            total[:, places] += member.predict_proba(rows)
        else:
            total[np.arange(len(total)), member.predict(rows)] += 1
        yield total / number


def bagged_means(model: Any, X: Any) -> Iterator[Any]:
    """Average the members' predictions."""
    total = 0.0
    for number, (member, rows) in enumerate(_bags(model, X), start=1):
        total = total + member.predict(rows)
        yield total / number


def _bags(model: Any, X: Any) -> Iterator[tuple[Any, Any]]:
    rows = _array(X)
    for member, features in zip(model.estimators_, model.estimators_features_, strict=True):
        yield member, rows[:, features]


def _array(X: Any) -> Any:
    """Return rows without the names of their columns, which members have never seen."""
    return X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)


# --- AdaBoost ------------------------------------------------------------------------------------


def boosted_votes(model: Any, X: Any) -> Iterator[Any]:
    """Weigh AdaBoost's votes, round after round (Zhu et al. 2009, SAMME).

    scikit-learn's own stages divide by a sum of weights that is rounded otherwise than the one in
    its ``decision_function``.
    """
    n_classes, weights = model.n_classes_, model.estimator_weights_
    if n_classes == 1:
        yield model.decision_function(X)
        return
    total, rows = 0.0, _array(X)
    # Boosting may end early: the weights of the rounds that were not needed are zero.
    for number, (weight, member) in enumerate(zip_longest(weights, model.estimators_), start=1):
        if member is not None:
            hit = member.predict(rows)[:, None] == model.classes_
            total = total + np.where(hit, weight, -1 / (n_classes - 1) * weight)
        share = total / weights[:number].sum()
        if n_classes == 2:
            share[:, 0] *= -1
        yield share.sum(axis=1) if n_classes == 2 else share


# --- forests grown without checking the same rows again for every tree ---------------------------


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
        and all(_plain(getattr(model, name, value), value) for name, value in _PLAIN.items())
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
