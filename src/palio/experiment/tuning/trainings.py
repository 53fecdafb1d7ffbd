"""From a grid to trainings, which combinations come from which, and to the scores of all."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Self

import numpy as np
from sklearn.base import (  # type: ignore[import-untyped]
    BaseEstimator,
    ClassifierMixin,
    clone,
)
from sklearn.model_selection import ParameterGrid  # type: ignore[import-untyped]
from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]

from palio.errors import ParameterError
from palio.experiment.tuning.paths import FREE_PATHS, FreePath, find_path
from palio.experiment.tuning.views import fit
from palio.words import one_line

Grid = Mapping[str, Sequence[Any]]
Scorers = Mapping[str, Any]


@dataclass(frozen=True)
class Training:
    """A combination to be trained, and the values of a free hyper-parameter that come with it."""

    params: Mapping[str, Any]
    parameter: str | None = None
    values: tuple[Any, ...] = (None,)


@dataclass(frozen=True)
class Trainings:
    """The trainings of a grid, and for each combination its training and its place there."""

    trainings: tuple[Training, ...]
    combinations: tuple[Mapping[str, Any], ...]
    places: tuple[tuple[int, int], ...]

    @property
    def most_values(self) -> int:
        """How many models the largest training gives."""
        return max((len(training.values) for training in self.trainings), default=0)


class Trained(BaseEstimator):  # type: ignore[misc]
    """An estimator that is fitted for all values of a training at once.

    After ``fit``, ``models_`` is a function from rows to the fitted models, one for each value.
    """

    models_: Callable[[Any], Iterable[Any]]

    def __init__(
        self, estimator: Any, parameter: str | None = None, values: tuple[Any, ...] = (None,)
    ) -> None:
        self.estimator = estimator
        self.parameter = parameter
        self.values = values

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Train once."""
        model = self.estimator
        path = self.parameter and find_path(model, self.parameter)
        if path:
            self.models_ = path.train(model, X, y, self.values, fit_params)
        else:
            fit(model, X, y, fit_params)
            self.models_ = lambda _rows: [model]
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags  # type: ignore[import-untyped]

        return get_tags(self.estimator)  # how the rows are split depends on them


def plan_trainings(
    estimator: Any, grid: Grid | Sequence[Grid], free: Sequence[str] | None = None
) -> Trainings:
    """Find the trainings that a grid needs; the combinations are in `ParameterGrid`'s order.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> grid = {"n_neighbors": [1, 3, 5], "p": [1, 2]}
    >>> plan = plan_trainings(KNeighborsClassifier(), grid)
    >>> [(dict(each.params), each.values) for each in plan.trainings]
    [({'p': 1}, (1, 3, 5)), ({'p': 2}, (1, 3, 5))]
    >>> plan.combinations[1], plan.places[1]  # from the second training the first model
    ({'n_neighbors': 1, 'p': 2}, (1, 0))
    """
    grids = [grid] if isinstance(grid, Mapping) else list(grid)
    combinations = tuple(ParameterGrid(grid))  # first: it says what is wrong with a grid
    _check_free(estimator, grids, free)
    trainings: list[Training] = []
    places: list[tuple[int, int]] = []
    for each in grids:
        found, where = _of_grid(estimator, each, free)
        places += [(len(trainings) + training, place) for training, place in where]
        trainings += found
    return Trainings(tuple(trainings), combinations, tuple(places))


def _of_grid(
    estimator: Any, grid: Grid, free: Sequence[str] | None
) -> tuple[list[Training], list[tuple[int, int]]]:
    names, parameter = sorted(grid), _free_of(estimator, grid, free)
    trainings: list[Training] = []
    places: list[tuple[int, int]] = []
    paths: dict[tuple[int, ...], FreePath | None] = {}
    shared: dict[tuple[int, ...], int] = {}
    for combination in product(*(enumerate(grid[name]) for name in names)):
        numbered = dict(zip(names, combination, strict=True))
        params = {name: value for name, (_, value) in numbered.items()}
        rest = {name: value for name, value in params.items() if name != parameter}
        key = tuple(numbered[name][0] for name in rest)
        if key not in paths:
            paths[key] = _path(estimator, rest, parameter)
        path = paths[key]
        if parameter is None or path is None or not path.takes(params[parameter]):
            places.append((len(trainings), 0))
            trainings.append(Training(params))
            continue
        if key not in shared:
            shared[key] = len(trainings)
            trainings.append(Training(rest, parameter, ()))
        training = trainings[shared[key]]
        places.append((shared[key], len(training.values)))
        trainings[shared[key]] = replace(training, values=(*training.values, params[parameter]))
    return trainings, places


def _path(estimator: Any, params: Mapping[str, Any], parameter: str | None) -> FreePath | None:
    """Find the path of a model with these parameters, which may rule it out."""
    if parameter is None:
        return None
    model = clone(estimator).set_params(**clone(dict(params), safe=False))
    return find_path(model, parameter)


def _free_of(estimator: Any, grid: Grid, free: Sequence[str] | None) -> str | None:
    """Return the free hyper-parameter with the most values; ``None`` if there is none."""
    names = [name for name in grid if free is None or name in free]
    found = [name for name in names if _worth_it(find_path(estimator, name), len(grid[name]))]
    return max(found, key=lambda name: len(grid[name]), default=None)


def _worth_it(path: FreePath | None, n_values: int) -> bool:
    # An exact path is no slower for one value, and a forest's is quicker.
    return path is not None and (n_values > 1 or path.exact)


def _check_free(estimator: Any, grids: Sequence[Grid], free: Sequence[str] | None) -> None:
    for name in free or ():
        if not any(name in grid for grid in grids):
            raise ParameterError("free", f"{name!r} is not in the grid")
        if find_path(estimator, name) is None:
            raise ParameterError(
                "free",
                f"{name!r} of {type(estimator).__name__} must be trained value by value",
                remedy=f"leave it out. There are: {', '.join(FREE_PATHS)}",
            )


# --- all models of a training scored at once -----------------------------------------------------


CAPPED = "capped"  # told beside the scores: how many models of a training were stopped by a cap


def accuracy(model: Any, X: Any, y: Any) -> float:
    """Return the share of rows that a model is right about.

    The same number as scikit-learn's scorer, without its checks, which take longer than a few
    hundred rows do, and are the same for every model of a training.
    """
    return float(np.mean(model.predict(X) == np.asarray(y)))


def is_accuracy(scoring: Any, estimator: Any) -> bool:
    """Whether a ``scoring`` means plain accuracy: by name, or as what a classifier's score is.

    >>> is_accuracy("accuracy", None), is_accuracy(None, KNeighborsClassifier())
    (True, True)
    >>> is_accuracy("roc_auc", KNeighborsClassifier())
    False
    """
    if scoring is None:
        score = getattr(type(estimator), "score", None)
        return score in (ClassifierMixin.score, KNeighborsClassifier.score)
    return isinstance(scoring, str) and scoring == "accuracy"


def score_name(scorer: int, value: int) -> str:
    """Name the score that the model of one value has from one scorer.

    >>> score_name(0, 3)
    '0.3'
    """
    return f"{scorer}.{value}"


def training_scorer(scorers: Scorers, most: int, error_score: Any) -> Callable[..., Any]:
    """Make one scorer, as `GridSearchCV` takes it, of all models that a training gives.

    Parameters
    ----------
    scorers : mapping of str to scorer
    most : int
        The most values that any training of the search has: all must tell as many scores, and
        those that a training has no model for are zero.
    error_score : "raise" or float
        As in `GridSearchCV`.
    """
    weighted = {name for name, scorer in scorers.items() if _takes_weights(scorer)}

    def scored(trained: Trained, X: Any, *y: Any, sample_weight: Any = None) -> dict[str, float]:
        given = {} if sample_weight is None else {"sample_weight": sample_weight}

        def score(name: str, model: Any) -> float:
            return float(scorers[name](model, X, *y, **(given if name in weighted else {})))

        return _scores(scorers, trained, X, most, _Guarded(score, error_score))

    def scored_plainly(trained: Trained, X: Any, *y: Any) -> dict[str, float]:
        return scored(trained, X, *y)

    # By the names of the arguments the search knows whether to hand on weights.
    return scored if weighted else scored_plainly


def _scores(
    scorers: Scorers, trained: Trained, X: Any, most: int, score: _Guarded
) -> dict[str, float]:
    failed = score.told_instead
    found = {
        score_name(i, j): failed if j < len(trained.values) else 0.0
        for i in range(len(scorers))
        for j in range(most)
    }
    found[CAPPED] = 0.0
    try:
        for j, model in enumerate(trained.models_(X)):
            found[CAPPED] += bool(getattr(model, "capped_", False))
            for i, name in enumerate(scorers):
                found[score_name(i, j)] = score(name, model)
    except Exception as error:
        score.fail(error)
    return found


class _Guarded:
    """A score, or what is told instead where scoring fails."""

    def __init__(self, score: Callable[[str, Any], float], error_score: Any) -> None:
        self.score = score
        self.error_score = error_score

    @property
    def told_instead(self) -> float:
        return 0.0 if self.error_score == "raise" else float(self.error_score)

    def __call__(self, name: str, model: Any) -> float:
        try:
            return self.score(name, model)
        except Exception as error:
            self.fail(error)
            return self.told_instead

    def fail(self, error: Exception) -> None:
        if self.error_score == "raise":
            raise error
        warnings.warn(
            f"scoring failed, {self.error_score} is told instead: {one_line(error)}",
            UserWarning,
            stacklevel=2,
        )


def _takes_weights(scorer: Any) -> bool:
    # Versions of scikit-learn whose scorers cannot tell hand no weights on.
    accepts = getattr(scorer, "_accept_sample_weight", None)
    return bool(accepts()) if callable(accepts) else False
