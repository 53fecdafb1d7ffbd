"""`FreeSearchCV`: a grid search that trains once for all values of a free hyper-parameter.

A hyper-parameter is free if one training gives the models of all its values (wainer2016 §2.4): the
number of trees, of boosting rounds or of members, every k of one search for neighbours, the path
of a penalty.

The class stays in this module: where it is defined is in the keys of jobs, by which finished ones
are found again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (  # type: ignore[import-untyped]
    BaseEstimator,
    ClassifierMixin,
    clone,
    is_classifier,
)
from sklearn.metrics import check_scoring  # type: ignore[import-untyped]
from sklearn.model_selection import (  # type: ignore[import-untyped]
    GridSearchCV,
    ParameterGrid,
    StratifiedKFold,
    check_cv,
)
from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]
from sklearn.utils import check_random_state, get_tags, indexable  # type: ignore[import-untyped]

from palio.errors import ParameterError, require
from palio.experiment.costs import timed
from palio.experiment.resampling import Strata
from palio.experiment.tuning.paths import FREE_PATHS, FreePath, find_path, fit
from palio.words import one_line

if TYPE_CHECKING:
    from palio.algorithms.catalogue import Learner

__all__ = ["FreeSearchCV", "tuned"]

Rows = NDArray[np.intp]
Grid = Mapping[str, Sequence[Any]]


def tuned(learner: str | Learner, **options: Any) -> FreeSearchCV:
    """Make the search over the hyper-parameters of a learner of the catalogue.

    Parameters
    ----------
    learner : str or Learner
        A name that ``palio algorithms`` lists, or an entry of its registry.
    **options
        As `FreeSearchCV` takes them: ``cv``, ``scoring``, ``max_rows``, … The folds are five, with
        the classes in proportion, unless ``cv`` is given, and drawn at random (always the same):
        many files list their rows in order, and a search on consecutive rows chooses badly there.

    Returns
    -------
    FreeSearchCV

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> search = tuned("knn", cv=3).fit(*load_iris(return_X_y=True))
    >>> len(search.cv_results_["params"]), search.n_trained_
    (24, 1)
    """
    from palio.algorithms.catalogue import LEARNERS

    entry = LEARNERS[learner] if isinstance(learner, str) else learner
    if not entry.grid:
        rule = f"{entry.name!r} has no grid to search"
        raise ParameterError("learner", rule, remedy="take it as it is, with make()")
    usual = {"free": entry.free or None, "cv": StratifiedKFold(5, shuffle=True, random_state=0)}
    return FreeSearchCV(entry.make(), entry.grid, **{**usual, **options})


class FreeSearchCV(GridSearchCV):  # type: ignore[misc]
    """Grid search with cross-validation that trains once for all values of a free hyper-parameter.

    Which hyper-parameters are best, and what does it cost to find them?

    Scores, ranks and choice are those of scikit-learn's `GridSearchCV` on the same grid, where
    training is deterministic. Many rows are tuned on a sample, and
    the model chosen is fitted on all. What an estimator names in ``only_for_probabilities`` is
    switched off while accuracies are compared.

    Parameters
    ----------
    estimator : estimator
    param_grid : dict, list of dict, or callable
        As `GridSearchCV` has it. A callable is given the number of rows that are tuned on and of
        features, and returns such a grid.
    free : str or sequence of str, optional
        The hyper-parameters to be had from one training. By default those of the grid that can:
        see `palio.experiment.tuning.paths.FREE_PATHS` and `find_path`. Of several in a grid the one
        with the most values is. An empty sequence turns it off.
    cv, scoring, refit, n_jobs, error_score :
        As in `GridSearchCV`, but for one scorer, which returns one score.
    max_rows : int or None, default 5000
        If there are more rows, so many are tuned on, with the proportions of the classes
        (wainer2016 §2.2). ``None``: all. With splits that are given row by row, and rows that are
        distances to each other, all are.
    random_state : int, RandomState or None
        For the sample.

    Attributes
    ----------
    cv_results_, best_index_, best_params_, best_score_, best_estimator_, refit_time_, …
        As in `GridSearchCV`. ``mean_fit_time`` is that of the training which a combination came
        from, whole; ``mean_score_time`` its share of the scoring.
    n_trained_ : int
        How many combinations were trained: free values are not counted.
    tuning_time_ : float
        Seconds from the start to the choice, the last fit not counted.
    time_per_combination_ : float
        ``tuning_time_ / n_trained_``: wainer2016 §3.4 divides the time of the whole search, all
        folds of it, by the number of combinations. Values that come from a combination's training
        are not combinations of their own there (§4.5: to train for each number of trees would cost
        this time so many times over).
    tuning_cpu_time_, cpu_time_per_combination_, refit_cpu_time_ : float
        The same in CPU seconds of this process: on a busy machine they mean more. With ``n_jobs``
        above 1 the other processes' are not among them.
    n_capped_ : int
        How many fits of the search stopped before their optimum, by a cap on iterations: of models
        that tell it in ``capped_``.
    n_tuning_rows_ : int
        How many rows were tuned on.

    References
    ----------
    Wainer (2016), Comparison of 14 different families of classification algorithms on 115 binary
    datasets, §2.2, §2.4 and §3.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"max_features": [1, 2], "n_estimators": [5, 10, 20, 40]}
    >>> search = FreeSearchCV(RandomForestClassifier(random_state=0), grid).fit(X, y)
    >>> len(search.cv_results_["params"]), search.n_trained_
    (8, 2)
    >>> search.best_params_
    {'max_features': 2, 'n_estimators': 40}
    """

    # What GridSearchCV has as parameters, and is fixed here.
    verbose = 0
    pre_dispatch = "2*n_jobs"
    return_train_score = False

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        free: str | Sequence[str] | None = None,
        cv: Any = 5,
        scoring: Any = None,
        refit: Any = True,
        max_rows: int | None = 5000,
        random_state: Any = None,
        n_jobs: int | None = None,
        error_score: Any = np.nan,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.free = free
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.max_rows = max_rows
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.error_score = error_score

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Search, choose, and fit the choice on all rows.

        Parameters
        ----------
        X : array-like of shape (rows, features)
        y : array-like of shape (rows,), optional
        **params : dict
            ``groups`` go to the splitter, all else to the estimator's ``fit``; what has an item for
            each row is split with the rows.
        """
        enough = isinstance(self.max_rows, Integral) and int(self.max_rows) >= 2
        rule = "at least 2 rows, or None for all, are needed to tune on"
        require(self.max_rows is None or enough, "max_rows", rule, self.max_rows)
        with timed() as clock:
            X, y = indexable(X, y)
            rows = self._tuning_rows(X, y)
            few = {name: _taken(value, rows, _length(X)) for name, value in params.items()}
            self._search(_taken(X, rows), _taken(y, rows), few.pop("groups", None), few)
        self.tuning_time_, self.tuning_cpu_time_ = clock.wall, clock.cpu
        self.time_per_combination_ = clock.wall / self.n_trained_
        self.cpu_time_per_combination_ = clock.cpu / self.n_trained_
        if self.refit:
            self._refit(X, y, {name: params[name] for name in few})
        return self

    def _tuning_rows(self, X: Any, y: Any) -> Rows | None:
        """Draw the rows to tune on; ``None``: all."""
        n_rows = _length(X)
        given = not (self.cv is None or isinstance(self.cv, Integral) or hasattr(self.cv, "split"))
        # Of distances to each other, columns would have to go with the rows.
        pairwise = get_tags(self.estimator).input_tags.pairwise
        if self.max_rows is None or n_rows <= self.max_rows or given or pairwise:
            return None
        classes = is_classifier(self.estimator) and np.ndim(y) == 1
        codes = np.unique(y, return_inverse=True)[1] if classes else np.zeros(n_rows, dtype=np.intp)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        in_turn = Strata(codes).in_turn(np.random.default_rng(seed))
        return np.sort(in_turn[np.arange(self.max_rows) * n_rows // self.max_rows])

    def _search(self, X: Any, y: Any, groups: Any, fit_params: Mapping[str, Any]) -> None:
        """Score every combination, and choose."""
        self.n_tuning_rows_ = _length(X)
        splitter = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        splits = list(splitter.split(X, y, groups))
        self.n_splits_ = len(splits)
        rule = "one scorer, by which the best is chosen; GridSearchCV takes several"
        single = self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring)
        require(single, "scoring", rule, self.scoring)
        self.multimetric_ = False
        self.scorer_ = check_scoring(self.estimator, self.scoring)
        grid = self.param_grid
        if callable(grid):
            grid = grid(_length(X), np.shape(X)[1])
        free = (self.free,) if isinstance(self.free, str) else self.free
        plain = is_accuracy(self.scoring, self.estimator) and np.ndim(y) == 1 and not fit_params
        quick = accuracy if plain else self.scorer_
        model = _without_probabilities(self.estimator) if plain else self.estimator
        plan = plan_trainings(model, grid, free)
        self.n_trained_ = len(plan.trainings)
        most = max((len(training.values) for training in plan.trainings), default=0)
        trainings = GridSearchCV(
            Trained(model),
            [_as_grid(training) for training in plan.trainings],
            scoring=training_scorer(quick, most, self.error_score),
            cv=splits,
            refit=False,
            n_jobs=self.n_jobs,
            error_score=self.error_score,
        )
        with warnings.catch_warnings():
            # Of all combinations together it is said below.
            warnings.filterwarnings("ignore", "One or more of the test scores are non-finite")
            trainings.fit(X, y, **fit_params)
        self.cv_results_ = self._unfolded(trainings.cv_results_, plan)
        capped = [trainings.cv_results_[f"split{i}_test_{CAPPED}"] for i in range(self.n_splits_)]
        self.n_capped_ = int(np.nansum(capped))  # a fit that failed has none
        self.best_index_ = self._select_best_index(self.refit, "score", self.cv_results_)
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        if not callable(self.refit):
            self.best_score_ = self.cv_results_["mean_test_score"][self.best_index_]

    def _unfolded(self, found: Mapping[str, Any], plan: Trainings) -> dict[str, Any]:
        """Tell the scores of the trainings combination by combination, as `GridSearchCV` does."""
        out = [
            {
                "test_scores": found[f"split{split}_test_{value}"][training],
                "fit_time": 0.0,
                "score_time": 0.0,
            }
            for training, value in plan.places
            for split in range(self.n_splits_)
        ]
        results: dict[str, Any] = self._format_results(list(plan.combinations), self.n_splits_, out)
        where = [training for training, _ in plan.places]
        sharers = [len(plan.trainings[training].values) for training in where]
        for moment in ("mean", "std"):
            results[f"{moment}_fit_time"] = found[f"{moment}_fit_time"][where]
            results[f"{moment}_score_time"] = found[f"{moment}_score_time"][where] / sharers
        return results

    def _refit(self, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
        chosen = clone(self.best_params_, safe=False)
        self.best_estimator_ = clone(self.estimator).set_params(**chosen)
        with timed() as clock:
            fit(self.best_estimator_, X, y, fit_params)
        self.refit_time_, self.refit_cpu_time_ = clock.wall, clock.cpu
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_


def _without_probabilities(estimator: Any) -> Any:
    """Switch off what takes time and changes no prediction, where an estimator says what does."""
    idle = getattr(estimator, "only_for_probabilities", ())
    return clone(estimator).set_params(**dict.fromkeys(idle, False)) if idle else estimator


def _as_grid(training: Training) -> dict[str, list[Any]]:
    """Write a training as the one combination of a grid for `Trained`."""
    params = {f"estimator__{name}": [value] for name, value in training.params.items()}
    return {**params, "parameter": [training.parameter], "values": [training.values]}


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _taken(value: Any, rows: Rows | None, n_rows: int | None = None) -> Any:
    """Take some rows of something that has them; with ``n_rows``, only if it has so many."""
    per_row = hasattr(value, "__len__") or hasattr(value, "shape")
    if rows is None or not per_row or n_rows not in (None, _length(value)):
        return value
    if hasattr(value, "iloc"):
        return value.iloc[rows]
    return (value if hasattr(value, "shape") else np.asarray(value))[rows]


# --- from a grid to trainings, and which combinations come from which ----------------------------


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
        if parameter is not None and key not in paths:
            # Of a model with these parameters, which may rule it out.
            model = clone(estimator).set_params(**clone(rest, safe=False))
            paths[key] = find_path(model, parameter)
        path = paths.get(key)
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


def _free_of(estimator: Any, grid: Grid, free: Sequence[str] | None) -> str | None:
    """Return the free hyper-parameter with the most values; ``None`` if there is none."""
    names = [name for name in grid if free is None or name in free]
    # Also of one value: it is no slower, and of a forest quicker.
    found = [name for name in names if find_path(estimator, name)]
    return max(found, key=lambda name: len(grid[name]), default=None)


def _check_free(estimator: Any, grids: Sequence[Grid], free: Sequence[str] | None) -> None:
    for name in free or ():
        if not any(name in grid for grid in grids):
            raise ParameterError("free", f"{name!r} is not in the grid")
        if find_path(estimator, name) is None:
            rule = f"{name!r} of {type(estimator).__name__} must be trained value by value"
            remedy = f"leave it out. There are: {', '.join(FREE_PATHS)}"
            raise ParameterError("free", rule, remedy=remedy)


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


def training_scorer(scorer: Any, most: int, error_score: Any) -> Callable[..., Any]:
    """Make a scorer, as `GridSearchCV` takes it, of all models that a training gives.

    Parameters
    ----------
    scorer : callable
        Of one model.
    most : int
        The most values that any training of the search has: all must tell as many scores, and
        those that a training has no model for are zero.
    error_score : "raise" or float
        As in `GridSearchCV`.
    """
    failed = 0.0 if error_score == "raise" else float(error_score)

    def fail(error: Exception) -> float:
        if error_score == "raise":
            raise error
        message = f"scoring failed, {error_score} is told instead: {one_line(error)}"
        warnings.warn(message, UserWarning, stacklevel=2)
        return failed

    def scored(trained: Trained, X: Any, *y: Any, **weights: Any) -> dict[str, float]:
        def score(model: Any) -> float:
            try:
                return float(scorer(model, X, *y, **weights))
            except Exception as error:
                return fail(error)

        found = {str(j): failed if j < len(trained.values) else 0.0 for j in range(most)}
        found[CAPPED] = 0.0
        try:
            for j, model in enumerate(trained.models_(X)):
                found[CAPPED] += bool(getattr(model, "capped_", False))
                found[str(j)] = score(model)
        except Exception as error:
            fail(error)
        return found

    def weighted(trained: Trained, X: Any, *y: Any, sample_weight: Any = None) -> dict[str, float]:
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        return scored(trained, X, *y, **given)

    # By the names of the arguments the search knows whether to hand on weights.
    return weighted if _takes_weights(scorer) else scored


def _takes_weights(scorer: Any) -> bool:
    # Versions of scikit-learn whose scorers cannot tell hand no weights on.
    accepts = getattr(scorer, "_accept_sample_weight", None)
    return bool(accepts()) if callable(accepts) else False
