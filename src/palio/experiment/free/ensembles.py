"""The number of members of an ensemble is free: fewer are the first of many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import zip_longest
from typing import Any

import numpy as np

from palio.experiment.free.forests import fit_forest
from palio.experiment.free.views import Fit, Models, Train, fit, shown

__all__ = [
    "bagged_means",
    "bagged_votes",
    "boosted_votes",
    "first_members",
    "stages",
    "tree_means",
    "trees",
]

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
