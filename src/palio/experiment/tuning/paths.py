"""`FREE_PATHS`: which hyper-parameters are free, of which learner, and how they are had."""

from __future__ import annotations

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
from palio.experiment.tuning.penalties import along_path, ridge, warm_started
from palio.experiment.tuning.views import Models, Train, fit, shown
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
