"""`FREE_PATHS`: which hyper-parameters are free, of which learner, and how they are had."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np

from palio.experiment.tuning.ensembles import (
    bagged_means,
    bagged_votes,
    boosted_votes,
    first_members,
    stages,
    trees,
)
from palio.experiment.tuning.neighbours import nearest_first
from palio.experiment.tuning.views import Models, Train, each_fitted, fit, shown
from palio.registry import Registry


def _count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _positive(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < np.inf


def _cold(model: Any) -> bool:
    return not getattr(model, "warm_start", False)


@dataclass(frozen=True)
class FreePath:
    """A hyper-parameter all values of which come from one training.

    Parameters
    ----------
    learner : str
        The name of the estimator's class.
    parameter : str
        The name of the hyper-parameter.
    train : callable
        From an unfitted model, rows, targets, the values, and what ``fit`` is given besides, to a
        function from rows to the fitted models, one for each value.
    package : str
        The package that the class is from.
    takes : callable
        Whether a value can be had this way; any other is trained by itself.
    usable : callable
        Whether an unfitted model can; some settings forbid it.
    exact : bool
        Whether the models are those of separate trainings number for number, rather than up to
        rounding or the tolerance of a solver.
    """

    learner: str
    parameter: str
    train: Train
    package: str = "sklearn"
    takes: Callable[[Any], bool] = _count
    usable: Callable[[Any], bool] = _cold
    exact: bool = True

    @property
    def name(self) -> str:
        """The entry's name in the registry."""
        return f"{self.learner}.{self.parameter}"


def find_path(model: Any, parameter: str) -> FreePath | None:
    """Return how all values of a hyper-parameter are had from one training; ``None`` if not.

    Known are the learners of `FREE_PATHS`, the last step of a pipeline, and whatever names its
    free hyper-parameters itself: in a class attribute ``free_parameters``, which promises that a
    fitted model in which one of them is set to a smaller value is the model trained with that
    value. If it also has a method ``predict_proba_path(X, name, values)`` that returns the
    probabilities for all values, they are asked for at once.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> find_path(KNeighborsClassifier(), "n_neighbors").name
    'KNeighborsClassifier.n_neighbors'
    >>> find_path(KNeighborsClassifier(), "p") is None
    True
    """
    if getattr(model, "steps", None):
        return _of_last_step(model, parameter)
    # An heir may predict in its own way: only the class itself is known.
    package, learner = type(model).__module__.partition(".")[0], type(model).__name__
    name = f"{learner}.{parameter}"
    if name in FREE_PATHS and FREE_PATHS[name].package == package:
        path = FREE_PATHS[name]
        return path if path.usable(model) else None
    if parameter in getattr(model, "free_parameters", ()):
        return FreePath(learner, parameter, partial(_set_afterwards, parameter), package)
    return None


# --- learners that say it themselves -------------------------------------------------------------


def _set_afterwards(
    parameter: str,
    model: Any,
    X: Any,
    y: Any,
    values: Sequence[Any],
    fit_params: Mapping[str, Any],
) -> Models:
    fit(model.set_params(**{parameter: max(values)}), X, y, fit_params)

    def models(rows: Any) -> Iterator[Any]:
        known: Sequence[Any] | None = None
        if hasattr(model, "predict_proba_path"):
            known = model.predict_proba_path(rows, parameter, values)
        for number, value in enumerate(values):
            answers = {} if known is None else {"predict_proba": partial(np.copy, known[number])}
            yield shown(model, rows, answers, {parameter: value})

    return models


# --- pipelines -----------------------------------------------------------------------------------

_ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score")


def _of_last_step(pipeline: Any, parameter: str) -> FreePath | None:
    step, _, inner = parameter.partition("__")
    name, model = pipeline.steps[-1]
    if step != name or len(pipeline.steps) < 2 or not hasattr(model, "fit"):
        return None
    path = find_path(model, inner)
    if path is None:
        return None
    return FreePath(
        type(pipeline).__name__, parameter, partial(_through, path), takes=path.takes,
        exact=path.exact,
    )  # fmt: skip


def _through(
    path: FreePath,
    pipeline: Any,
    X: Any,
    y: Any,
    values: Sequence[Any],
    fit_params: Mapping[str, Any],
) -> Models:
    """Prepare the rows once for all values."""
    before, (name, model) = pipeline[:-1], pipeline.steps[-1]
    own = {key: value for key, value in fit_params.items() if key.startswith(f"{name}__")}
    others = {key: value for key, value in fit_params.items() if key not in own}
    prepared = before.fit_transform(X, y, **others)
    given = {key.partition("__")[2]: value for key, value in own.items()}
    models = path.train(model, prepared, y, values, given)

    def pipelines(rows: Any) -> Iterator[Any]:
        prepared = before.transform(rows)
        for each in models(prepared):
            answers = {
                method: partial(getattr(each, method), prepared)
                for method in _ANSWERS
                if hasattr(each, method)
            }
            yield shown(pipeline, rows, answers, {"steps": [*before.steps, (name, each)]})

    return pipelines


# --- penalties -----------------------------------------------------------------------------------

# Every strength from one decomposition, or each from where one ended.


def warm_started(
    model: Any, X: Any, y: Any, values: Sequence[float], fit_params: Mapping[str, Any]
) -> Models:
    """Solve for the smallest C, and for each other one from where the one before ended.

    The optimum is one, and where the solver stops short of it depends on where it started: a model
    is that of a cold start up to the model's ``tol``, if ``max_iter`` lets both get there.
    """
    model.set_params(warm_start=True)
    found: dict[float, Any] = {}
    for value in sorted(set(values)):
        fit(model.set_params(C=value), X, y, fit_params)
        found[value] = copy.copy(model).set_params(warm_start=False)
    return lambda _rows: (found[value] for value in values)


def ridge(
    model: Any, X: Any, y: Any, values: Sequence[float], fit_params: Mapping[str, Any]
) -> Models:
    r"""Solve ridge regression for every alpha by one singular value decomposition.

    Of the centred rows :math:`X = U\, \mathrm{diag}(s)\, V^T` (Hastie, Tibshirani & Friedman 2009,
    The elements of statistical learning, equation 3.47):

    .. math::

        \beta(\alpha) = V\, \mathrm{diag}\left(\frac{s_i}{s_i^2 + \alpha}\right) U^T y
    """
    if fit_params or hasattr(X, "indptr"):
        return each_fitted(model, "alpha", X, y, values, fit_params)  # weights, or sparse rows
    fit(model.set_params(alpha=values[0]), X, y, fit_params)
    rows, targets = np.asarray(X, dtype=np.float64), _targets(model, y)
    means, centre = (
        (each.mean(axis=0) if model.fit_intercept else np.zeros(each.shape[1:]))
        for each in (rows, targets)
    )
    left, sizes, right = np.linalg.svd(rows - means, full_matrices=False)
    projected = left.T @ (targets - centre)

    def changes(alpha: float) -> dict[str, Any]:
        shrunk = sizes / (sizes**2 + alpha)
        slopes = (right.T @ (shrunk.reshape(-1, *[1] * (targets.ndim - 1)) * projected)).T
        intercept = centre - slopes @ means if model.fit_intercept else model.intercept_
        return {"alpha": alpha, "coef_": slopes, "intercept_": intercept}

    return lambda shown_rows: (shown(model, shown_rows, {}, changes(each)) for each in values)


def _targets(model: Any, y: Any) -> Any:
    """Return the targets; of a classifier, −1 and 1 for each class."""
    if not hasattr(model, "classes_"):
        return np.asarray(y, dtype=np.float64)
    signs = np.where(np.asarray(y)[:, None] == model.classes_, 1.0, -1.0)
    return signs[:, 1:] if signs.shape[1] == 2 else signs


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
_GRADIENT = ("estimators_", "train_score_")
_ADABOOST = ("estimators_", "estimator_weights_", "estimator_errors_")
_BAGS = ("estimators_", "estimators_features_")


def _solves_again(model: Any) -> bool:
    # liblinear always starts anew; without a penalty there is no path.
    return _cold(model) and model.solver != "liblinear" and model.penalty is not None


def _decomposes(model: Any) -> bool:
    plain = model.solver in ("auto", "svd", "cholesky") and not model.positive
    return plain and getattr(model, "class_weight", None) is None


FREE_PATHS: Registry[FreePath] = Registry.of(
    "free path",
    FreePath("RandomForestClassifier", "n_estimators", trees("predict_proba")),
    FreePath("ExtraTreesClassifier", "n_estimators", trees("predict_proba")),
    FreePath("RandomForestRegressor", "n_estimators", trees("predict")),
    FreePath("ExtraTreesRegressor", "n_estimators", trees("predict")),
    FreePath(
        "BaggingClassifier",
        "n_estimators",
        first_members("n_estimators", _BAGS, {"predict_proba": bagged_votes}),
    ),
    FreePath(
        "BaggingRegressor",
        "n_estimators",
        first_members("n_estimators", _BAGS, {"predict": bagged_means}),
    ),
    FreePath(
        "GradientBoostingClassifier",
        "n_estimators",
        first_members("n_estimators", _GRADIENT, _BOOSTING),
    ),
    FreePath(
        "GradientBoostingRegressor",
        "n_estimators",
        first_members("n_estimators", _GRADIENT, stages("predict")),
    ),
    FreePath(
        "HistGradientBoostingClassifier",
        "max_iter",
        first_members("max_iter", ("_predictors",), _BOOSTING),
    ),
    FreePath(
        "HistGradientBoostingRegressor",
        "max_iter",
        first_members("max_iter", ("_predictors",), stages("predict")),
    ),
    FreePath(
        "AdaBoostClassifier",
        "n_estimators",
        first_members("n_estimators", _ADABOOST, {"decision_function": boosted_votes}),
    ),
    # Its stages are medians, each found anew: the members are shared, the answers are not.
    FreePath("AdaBoostRegressor", "n_estimators", first_members("n_estimators", _ADABOOST, {})),
    FreePath("KNeighborsClassifier", "n_neighbors", nearest_first),
    FreePath("KNeighborsRegressor", "n_neighbors", nearest_first),
    FreePath(
        "LogisticRegression",
        "C",
        warm_started,
        takes=_positive,
        usable=_solves_again,
        exact=False,
    ),
    FreePath("Ridge", "alpha", ridge, takes=_positive, usable=_decomposes, exact=False),
    FreePath("RidgeClassifier", "alpha", ridge, takes=_positive, usable=_decomposes, exact=False),
    FreePath("ElasticNetPathClassifier", "strength", along_path, package="palio", takes=_positive),
    FreePath(
        "LinearBoostClassifier",
        "n_boosts",
        partial(_set_afterwards, "n_boosts"),
        package="palio",
    ),
    FreePath(
        "RandomKNNClassifier",
        "n_members",
        first_members("n_members", ("subsets_",), stages("predict_proba")),
        package="palio",
    ),
)
