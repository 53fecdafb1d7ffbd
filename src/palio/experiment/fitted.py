"""What a fitted model tells of itself: how many numbers it holds, and what its search took.

Models are known by what they have after fitting, never by their class, so that whatever follows
scikit-learn's conventions is understood without being imported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from palio.measures import inner_cv_name

# --- how many numbers ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Count:
    """How to count the numbers of one kind of model, known by the attributes it has."""

    title: str
    needs: tuple[str, ...]
    numbers: Callable[[Any], float | None]

    def fits(self, model: Any) -> bool:
        """Whether the model has what this kind has."""
        return all(hasattr(model, name) for name in self.needs)


def n_parameters(model: Any) -> float | None:
    """Count the numbers that a fitted model holds; ``None`` if it is of no known kind.

    Coefficients and intercepts, the nodes of trees, the stored instances of nearest neighbours
    and support vector machines. An ensemble has those of its members together, a search those of
    the model it chose, and a pipeline those of its last step.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> n_parameters(LogisticRegression(max_iter=500).fit(X, y))  # 3 classes × (4 features + 1)
    15.0
    """
    try:
        for count in COUNTS:
            if count.fits(model):
                return count.numbers(model)
    except Exception:  # whatever an estimator's own properties may raise: it is not countable
        return None
    return None


def _size(value: Any) -> float:
    """Count the numbers in an array, or in a list of arrays of any depth."""
    if isinstance(value, list | tuple):
        return sum((_size(each) for each in value), 0.0)
    return float(np.size(value))


def _sizes(*names: str) -> Callable[[Any], float | None]:
    """Count the numbers in those attributes that are there."""
    return lambda model: sum(
        (_size(getattr(model, name)) for name in names if hasattr(model, name)), 0.0
    )


def _members(value: Any) -> float | None:
    """Count the numbers of a model, or of all in a list or array of models."""
    if not isinstance(value, list | tuple | np.ndarray):
        return n_parameters(value)
    counts = [_members(each) for each in value]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _models(*names: str) -> Callable[[Any], float | None]:
    """Count the numbers of the models in those attributes that are there."""
    return lambda model: _members([getattr(model, name) for name in names if hasattr(model, name)])


def _linear(model: Any) -> float:
    # Without an intercept scikit-learn writes a zero there, which was not fitted.
    intercept = _size(model.intercept_) if getattr(model, "fit_intercept", True) else 0.0
    return _size(model.coef_) + intercept


def _histogram_trees(model: Any) -> float:
    return sum((float(len(tree.nodes)) for trees in model._predictors for tree in trees), 0.0)


# The first that fits counts. Linear models come after those that have a coef_ besides what they
# predict with, and whatever wraps another model comes last, since ensembles keep a template too.
COUNTS: tuple[Count, ...] = (
    Count("told by the model", ("n_parameters_",), lambda model: float(model.n_parameters_)),
    Count("tree: nodes", ("tree_",), lambda model: float(model.tree_.node_count)),
    Count("search: the model chosen", ("best_estimator_",), _models("best_estimator_")),
    Count("pipeline: the last step", ("steps",), lambda model: n_parameters(model.steps[-1][1])),
    Count("boosting on histograms: nodes", ("_predictors",), _histogram_trees),
    Count("ensemble: its members", ("estimators_",), _models("estimators_", "final_estimator_")),
    Count("network: weights", ("coefs_", "intercepts_"), _sizes("coefs_", "intercepts_")),
    Count(
        "support vector machine: vectors and weights",
        ("support_vectors_", "dual_coef_"),
        _sizes("support_vectors_", "dual_coef_", "intercept_"),
    ),
    Count(
        "Gaussian naive Bayes: means, variances, priors",
        ("theta_", "var_"),
        _sizes("theta_", "var_", "class_prior_"),
    ),
    Count(
        "discrete naive Bayes: probabilities and priors",
        ("feature_log_prob_",),
        _sizes("feature_log_prob_", "class_log_prior_"),
    ),
    Count("nearest neighbours: stored values", ("_fit_X",), _sizes("_fit_X")),
    Count(
        "quadratic discriminant: means, covariances, priors",
        ("means_", "rotations_", "scalings_"),
        _sizes("means_", "rotations_", "scalings_", "priors_"),
    ),
    Count("linear model: coefficients", ("coef_", "intercept_"), _linear),
    Count("kernel ridge: instances and weights", ("X_fit_",), _sizes("X_fit_", "dual_coef_")),
    Count("nearest centroid", ("centroids_",), _sizes("centroids_")),
    Count("priors alone", ("class_prior_",), _sizes("class_prior_")),
    Count("a constant", ("constant_",), _sizes("constant_")),
    Count("target transformed: the model inside", ("regressor_",), _models("regressor_")),
    Count("wrapper: the model inside", ("estimator_",), _models("estimator_")),
)


# --- searches ------------------------------------------------------------------------------------


def search_costs(model: Any, fit_seconds: float) -> dict[str, float]:
    """Return what the search in a fitted model took; nothing if there is none.

    The whole time to find the hyper-parameters, and the same divided by the number of
    combinations tried: grids of different sizes are compared by the latter (wainer2016 §3.4).
    CPU times of searches that measure them; and of models with a cap on iterations, whether the
    last fit was ``capped`` (1 or 0), and how many fits of the search were.

    Parameters
    ----------
    model : fitted estimator
        A search such as `GridSearchCV`, or a pipeline that ends in one.
    fit_seconds : float
        What the whole fit took, the last fit on all rows with it.
    """
    search = _search(model)
    if search is None:
        return {}
    found: dict[str, float] = {}
    refit = getattr(search, "refit_time_", None)
    if refit is not None:
        found["refit_time"] = float(refit)
        found["tuning_time"] = max(0.0, fit_seconds - float(refit))
    each = getattr(search, "time_per_combination_", None)  # of searches that know it themselves
    if each is None and "tuning_time" in found and search.cv_results_["params"]:
        each = found["tuning_time"] / len(search.cv_results_["params"])
    if each is not None:
        found["tuning_time_per_combination"] = float(each)
    for name, attribute in _TOLD.items():
        if hasattr(search, attribute):
            found[name] = float(getattr(search, attribute))
    chosen = getattr(search, "best_estimator_", None)
    if chosen is not None and hasattr(chosen, "capped_"):
        found["capped"] = float(chosen.capped_)
        if hasattr(search, "n_capped_"):
            found["n_capped"] = float(search.n_capped_)
    return found


# Costs that some searches know, by the attributes they have them in.
_TOLD = {
    "tuning_cpu_time": "tuning_cpu_time_",
    "tuning_cpu_time_per_combination": "cpu_time_per_combination_",
    "refit_cpu_time": "refit_cpu_time_",
}


def inner_cv_score(model: Any, scoring: Collection[str], task: str) -> dict[str, float]:
    """Return the inner cross-validation's score of the combination that a search chose.

    It is comparable with the score on the test part only if both are the same scorer, so it is
    told only for one of ``scoring``. Their difference is δ^cv (wainer2016 §3.3, equation 4).
    """
    search = _search(model)
    if search is None:
        return {}
    scorer = _scorer_of(search, task)
    score = getattr(search, "best_score_", None)
    if scorer not in scoring or score is None or not math.isfinite(score):
        return {}
    return {inner_cv_name(scorer): float(score)}


def _search(model: Any) -> Any:
    """Return the search that a model is, or that a pipeline ends in; ``None`` if there is none."""
    while getattr(model, "steps", None):
        model = model.steps[-1][1]
    return model if hasattr(model, "cv_results_") and hasattr(model, "best_index_") else None


# What `score` is, of estimators that are not told otherwise.
_DEFAULT_SCORERS = {"classification": "accuracy", "regression": "r2"}


def _scorer_of(search: Any, task: str) -> str:
    """Return the name of the scorer by which a search chose; empty if it has no name."""
    scoring = getattr(search, "scoring", "")
    if scoring is None:
        return _DEFAULT_SCORERS.get(task, "")
    if isinstance(scoring, dict | list | tuple | set):
        # Several: the best combination is the best by the one called ``refit``.
        chosen = getattr(search, "refit", "")
        scoring = scoring.get(chosen) if isinstance(scoring, dict) else chosen
    return scoring if isinstance(scoring, str) else ""
