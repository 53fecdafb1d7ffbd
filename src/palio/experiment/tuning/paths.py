"""`FREE_PATHS`: which hyper-parameters are free, of which learner, and how they are had.

A number of members is free, since fewer are the first of many; so is every k of one search for
neighbours, and the strength of a penalty where a model goes along its path.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palio.registry import Registry

# From rows to the fitted models that shall tell of them, one for each value, in order.
Models = Callable[[Any], Iterable[Any]]

# From an unfitted model, rows, targets, the values, and what ``fit`` is given besides.
Train = Callable[[Any, Any, Any, Sequence[Any], Mapping[str, Any]], Models]

Fit = Callable[[Any, Any, Any, Mapping[str, Any]], None]

# From a fitted model and rows to its answers with one member, with two, and so on.
Stages = Callable[[Any, Any], Iterable[Any]]

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


# --- a fitted model as it would be with another value --------------------------------------------


def fit(model: Any, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
    """Fit a model; one that learns without targets is given none."""
    if y is None:
        model.fit(X, **fit_params)
    else:
        model.fit(X, y, **fit_params)


def shown(
    model: Any, X: Any, answers: Mapping[str, Callable[..., Any]], changes: Mapping[str, Any]
) -> Any:
    """Return a copy of a fitted model with some attributes changed and some answers known.

    A method named in ``answers`` is answered from there if it is asked about ``X``, the very
    object. About other rows it is asked of the copy itself, so that the changes must make the copy
    the model that it stands for.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> X = [[0], [1]]
    >>> view = shown(DummyClassifier().fit(X, [0, 0]), X, {"predict": lambda: [7, 7]}, {})
    >>> view.predict(X), view.predict([[1]])
    ([7, 7], array([0]))
    """
    view = copy.copy(model)
    vars(view).update(changes)
    vars(view).update({method: _answer(view, method, X, tell) for method, tell in answers.items()})
    return view


def _answer(view: Any, method: str, X: Any, tell: Callable[..., Any]) -> Callable[..., Any]:
    def answer(rows: Any, *others: Any, **named: Any) -> Any:
        if rows is X:
            return tell(*others, **named)
        return getattr(type(view), method)(view, rows, *others, **named)

    answer.__name__ = method  # scorers look at it
    return answer


# --- which are free ------------------------------------------------------------------------------


def _count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _positive(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < np.inf


@dataclass(frozen=True)
class FreePath:
    """How all values of a hyper-parameter come from one training.

    Parameters
    ----------
    train : callable
        From an unfitted model, rows, targets, the values, and what ``fit`` is given besides, to a
        function from rows to the fitted models, one for each value.
    takes : callable
        Whether a value can be had this way; any other is trained by itself.
    """

    train: Train
    takes: Callable[[Any], bool] = _count


def find_path(model: Any, parameter: str) -> FreePath | None:
    """Return how all values of a hyper-parameter are had from one training; ``None`` if not.

    Known are the learners of `FREE_PATHS`, and whatever names its free hyper-parameters itself: in
    a class attribute ``free_parameters``, which promises that a fitted model in which one of them
    is set to a smaller value is the model trained with that value. If it also has
    ``staged_predict_proba``, that is asked once for all values.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> find_path(KNeighborsClassifier(), "n_neighbors") is FREE_PATHS[
    ...     "KNeighborsClassifier.n_neighbors"
    ... ]
    True
    >>> find_path(KNeighborsClassifier(), "p") is None
    True
    """
    name = f"{type(model).__name__}.{parameter}"
    # An heir may predict in its own way: only the class itself is known.
    if name in FREE_PATHS and type(model).__module__.startswith(("sklearn.", "palio.")):
        return None if getattr(model, "warm_start", False) else FREE_PATHS[name]
    if parameter in getattr(model, "free_parameters", ()):
        answers = stages("predict_proba") if hasattr(model, "staged_predict_proba") else {}
        return FreePath(first_members(parameter, (), answers))
    return None


# --- ensembles ----------------------------------------------------------------------------------


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


# --- forests grown without checking the same rows again for every tree ---------------------------

# On a few hundred rows scikit-learn spends most of a tree's time on checks and on copying the
# tree's settings, the same for all trees of a forest. Here its own compiled builder is called for
# tree after tree. That builder is no public interface: the trees are used only if the first ones
# are, number for number, those of scikit-learn's own forest, which is fitted with so few. Else, and
# whenever a setting is not provided for, scikit-learn grows the forest.

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


# --- neighbours ---------------------------------------------------------------------------------


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
        """Return the answers with k neighbours, where all have one vote; else the model's own."""
        votes = hasattr(self.model, "classes_") and self.model.weights == "uniform"
        if k > self.model.n_samples_fit_ or np.ndim(self.model._y) > 1 or not votes:
            return {}  # the model itself: to say what is wrong, or to do what is seldom asked
        return {
            "predict": lambda: self.model.classes_[self._shares(k).argmax(axis=1)],
            "predict_proba": lambda: self._shares(k),
        }

    @cached_property
    def _found(self) -> tuple[Floats, Rows]:
        n = min(self.most + 1, self.model.n_samples_fit_)
        distances, places = self.model.kneighbors(self.rows, n_neighbors=n)
        return distances, places

    @cached_property
    def _labels(self) -> Rows:
        """Return each neighbour's class, as a number."""
        labels: Rows = self.model._y[self._found[1]]
        return labels

    @cached_property
    def _ties(self) -> Mask:
        distances, places = self._found
        ends = places.shape[1] == self.model.n_samples_fit_
        return cut_ties(distances, self._labels, self._blur, ends=ends)

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
        doubtful = self._again(self._ties[:, k - 1])
        if doubtful.size:
            own = shown(self.model, None, {}, {"n_neighbors": k})
            shares[doubtful] = own.predict_proba(_take(self.rows, doubtful))
        return shares

    def _again(self, doubtful: Mask) -> Rows:
        """Return the rows to ask about again; by brute force all, whose answers may hang together.

        How its distances are rounded depends on which rows are asked about at once.
        """
        if self.model._fit_method == "brute" and doubtful.any():
            return np.arange(len(doubtful))
        return np.flatnonzero(doubtful)


def cut_ties(distances: Floats, labels: Rows, blur: float, *, ends: bool) -> Mask:
    """Tell for each k the rows where equally distant neighbours of several classes are cut apart.

    Some of them are among the k nearest, and not all. Those found last may go on beyond, unless
    ``ends``: no neighbour is beyond those found.

    >>> ties = cut_ties(np.array([[1.0, 2, 2, 3]]), np.array([[0, 0, 1, 1]]), 0.0, ends=True)
    >>> [k for k in (1, 2, 3, 4) if ties[:, k - 1].any()]  # of two equally distant, one
    [2]
    """
    near = np.diff(distances**2, axis=1) <= blur
    n_rows, n = distances.shape
    group = np.zeros((n_rows, n), dtype=np.intp)
    group[:, 1:] = np.cumsum(~near, axis=1)
    group += n * np.arange(n_rows)[:, None]
    mixed = np.zeros(n_rows * n, dtype=bool)
    mixed[group[:, 1:][near & (labels[:, 1:] != labels[:, :-1])]] = True
    if not ends:
        mixed[group[:, -1]] = True
    cut = np.zeros((n_rows, n), dtype=bool)
    cut[:, :-1] = near & mixed[group[:, :-1]]
    return cut


def _array(rows: Any) -> Any:
    return rows if hasattr(rows, "indptr") else np.asarray(rows)


def _take(rows: Any, places: Rows) -> Any:
    return rows.iloc[places] if hasattr(rows, "iloc") else _array(rows)[places]


# --- penalties -----------------------------------------------------------------------------------


def along_path(
    model: Any, X: Any, y: Any, values: Sequence[float], fit_params: Mapping[str, Any]
) -> Models:
    """Fit a model that goes along a path of strengths by itself, if need be a path with these."""
    fit(model.set_params(strength=values[0]), X, y, fit_params)
    if not np.isin(values, model.path_).all():
        fit(model.set_params(path=[*model.path_, *values]), X, y, fit_params)
    return lambda rows: (shown(model, rows, {}, {"strength": each}) for each in values)


# --- the registry --------------------------------------------------------------------------------


_BOOSTING = stages("predict", "predict_proba", "decision_function")
_VALUES = stages("predict")
_GRADIENT = ("estimators_", "train_score_")

_TREES = ("_predictors",)
_TRAININGS: dict[str, Train] = {
    "RandomForestClassifier.n_estimators": trees("predict_proba"),
    "ExtraTreesClassifier.n_estimators": trees("predict_proba"),
    "RandomForestRegressor.n_estimators": trees("predict"),
    "ExtraTreesRegressor.n_estimators": trees("predict"),
    "GradientBoostingClassifier.n_estimators": first_members("n_estimators", _GRADIENT, _BOOSTING),
    "GradientBoostingRegressor.n_estimators": first_members("n_estimators", _GRADIENT, _VALUES),
    "HistGradientBoostingClassifier.max_iter": first_members("max_iter", _TREES, _BOOSTING),
    "HistGradientBoostingRegressor.max_iter": first_members("max_iter", _TREES, _VALUES),
    "KNeighborsClassifier.n_neighbors": nearest_first,
    "KNeighborsRegressor.n_neighbors": nearest_first,
}

FREE_PATHS: Registry[FreePath] = Registry(
    "free path",
    {
        **{name: FreePath(train) for name, train in _TRAININGS.items()},
        "ElasticNetPathClassifier.strength": FreePath(along_path, _positive),
    },
)
