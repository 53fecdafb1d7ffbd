"""FreeSearchCV against scikit-learn's GridSearchCV on the same grids."""

import time
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.cluster import KMeans  # type: ignore[import-untyped]
from sklearn.datasets import (  # type: ignore[import-untyped]
    load_breast_cancer,
    load_iris,
    load_wine,
)
from sklearn.ensemble import (  # type: ignore[import-untyped]
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import FitFailedWarning  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression, Ridge  # type: ignore[import-untyped]
from sklearn.model_selection import (  # type: ignore[import-untyped]
    GridSearchCV,
    GroupKFold,
    ParameterGrid,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler, scale  # type: ignore[import-untyped]
from sklearn.svm import SVC  # type: ignore[import-untyped]
from sklearn.utils.estimator_checks import check_estimator  # type: ignore[import-untyped]

from palio.algorithms.catalogue import LEARNERS
from palio.algorithms.glmnet import ElasticNetPathClassifier
from palio.algorithms.learner import Learner
from palio.algorithms.svm import SVMClassifier
from palio.errors import ParameterError, UnknownNameError
from palio.experiment.costs import search_costs
from palio.experiment.tuning import FreeSearchCV, tuned

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)


def _both(model: Any, grid: Any, data: Any, **options: Any) -> tuple[FreeSearchCV, GridSearchCV]:
    X, y = data
    given = {name: options.pop(name) for name in ("groups", "sample_weight") if name in options}
    ours = FreeSearchCV(clone(model), grid, **options).fit(X, y, **given)
    return ours, GridSearchCV(clone(model), grid, **options).fit(X, y, **given)


def _agree(ours: FreeSearchCV, theirs: GridSearchCV) -> None:
    """Compare all there is but times, number for number, and in the same order."""
    assert list(ours.cv_results_) == list(theirs.cv_results_)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for key, expected in theirs.cv_results_.items():
        if key != "params" and not key.endswith("_time"):
            np.testing.assert_array_equal(ours.cv_results_[key], expected, err_msg=key)
            assert ours.cv_results_[key].dtype == expected.dtype, key
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == theirs.best_score_
    assert ours.n_splits_ == theirs.n_splits_


# --- the same as GridSearchCV --------------------------------------------------------------------

FOREST = RandomForestClassifier(random_state=0)
NEIGHBOURS = {"n_neighbors": [1, 9, 3, 30], "weights": ["uniform", "distance"]}


@pytest.mark.parametrize(
    ("model", "grid", "trained"),
    [
        (FOREST, {"n_estimators": [25, 5, 10], "max_features": [1, 3]}, 2),
        (
            GradientBoostingClassifier(subsample=0.5, random_state=0),
            {"n_estimators": range(5, 30, 5), "max_depth": [1, 2], "learning_rate": [0.05, 0.1]},
            4,
        ),
        (
            HistGradientBoostingClassifier(random_state=0),
            {"max_iter": [3, 6], "max_depth": [1]},
            1,
        ),
        (KNeighborsClassifier(), NEIGHBOURS, 2),
        (KNeighborsClassifier(algorithm="brute"), NEIGHBOURS, 2),
        (
            ElasticNetPathClassifier(),
            {"l1_ratio": [0, 0.5], "strength": np.geomspace(1e-5, 1e3, 20)[::3]},
            2,
        ),
        (
            make_pipeline(StandardScaler(), KNeighborsClassifier()),
            {
                "kneighborsclassifier__n_neighbors": [1, 5],
                "standardscaler__with_std": [True, False],
            },
            4,
        ),
        (SVC(), {"C": [0.1, 1]}, 2),
        (FOREST, [{"n_estimators": [3, 4]}, {"max_depth": [2], "n_estimators": [2, 3, 4]}], 2),
        (FOREST, [{"max_depth": [1, 2], "n_estimators": [2]}, {"n_estimators": [4, 5]}], 3),
        # A grid may try whole models.
        (
            make_pipeline(StandardScaler(), FOREST),
            {
                "randomforestclassifier": [FOREST, clone(FOREST).set_params(warm_start=True)],
                "randomforestclassifier__n_estimators": [3, 5],
            },
            4,
        ),
    ],
)
@pytest.mark.parametrize("data", [IRIS, WINE], ids=["iris", "wine"])
def test_scores_ranks_and_choice_are_those_of_grid_search(
    model: Any, grid: Any, trained: int, data: Any
) -> None:
    ours, theirs = _both(model, grid, data, cv=3)
    _agree(ours, theirs)
    assert ours.n_trained_ == trained
    np.testing.assert_array_equal(ours.predict(data[0]), theirs.predict(data[0]))
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.score(*data) == theirs.score(*data)


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", lambda m, X, y: -m.n_estimators])
def test_any_scorer(scoring: Any) -> None:
    data = load_breast_cancer(return_X_y=True)
    ours, theirs = _both(FOREST, {"n_estimators": [2, 7, 21]}, data, cv=3, scoring=scoring)
    _agree(ours, theirs)
    assert ours.n_trained_ == 1


def test_groups_and_weights_go_where_they_do_in_grid_search() -> None:
    _, y = WINE
    groups, weights = np.arange(len(y)) % 7, np.where(y == 1, 5.0, 0.5)
    grid = {"n_estimators": [25, 4], "max_features": [2]}
    _agree(*_both(FOREST, grid, WINE, cv=GroupKFold(3), groups=groups, sample_weight=weights))
    splitter = ShuffleSplit(4, test_size=0.3, random_state=5)
    _agree(*_both(FOREST, grid, WINE, cv=splitter, scoring="balanced_accuracy"))


def test_without_targets() -> None:
    X = IRIS[0]
    grid = {"n_clusters": [2, 3]}
    model = KMeans(random_state=0, n_init=2)
    ours, theirs = FreeSearchCV(model, grid).fit(X), GridSearchCV(model, grid).fit(X)
    _agree(ours, theirs)


def test_in_several_processes() -> None:
    grid = {"n_neighbors": [1, 5, 9], "p": [1, 2]}
    alone = FreeSearchCV(KNeighborsClassifier(), grid, cv=3).fit(*IRIS)
    both = FreeSearchCV(KNeighborsClassifier(), grid, cv=3, n_jobs=2).fit(*IRIS)
    assert alone.cv_results_["mean_test_score"].tolist() == (
        both.cv_results_["mean_test_score"].tolist()
    )


# --- what fails ----------------------------------------------------------------------------------


def test_a_value_that_cannot_be_trained_fails_alone() -> None:
    searches = []
    for search in (FreeSearchCV, GridSearchCV):
        with pytest.warns((FitFailedWarning, UserWarning)):
            searches.append(search(FOREST, {"n_estimators": [0, 3, 5]}, cv=3).fit(*IRIS))
    _agree(*searches)
    assert np.isnan(searches[0].cv_results_["mean_test_score"]).tolist() == [True, False, False]


def test_a_value_that_cannot_be_scored_fails_alone() -> None:
    """A hundred rows are trained on: there are no 101 neighbours."""
    searches = []
    grid = {"n_neighbors": [3, 101, 100]}
    for search in (FreeSearchCV, GridSearchCV):
        with pytest.warns(UserWarning, match="(?i)scoring failed|non-finite"):
            searches.append(search(KNeighborsClassifier(), grid, cv=3).fit(*IRIS))
    _agree(*searches)
    with pytest.raises(ValueError, match="n_neighbors <= n_samples_fit"):
        FreeSearchCV(KNeighborsClassifier(), grid, cv=3, error_score="raise").fit(*IRIS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"free": ("max_features",)}, "free: 'max_features' is not in the grid"),
        ({"free": ("max_depth",)}, "free: 'max_depth' of RandomForestClassifier must be trained"),
        ({"max_rows": 1}, "max_rows: at least 2 rows"),
        ({"max_rows": "all"}, "max_rows: at least 2 rows"),
        ({"scoring": ["accuracy", "roc_auc"]}, "scoring: one scorer, by which the best is chosen"),
    ],
)
def test_errors_say_what_is_wrong(options: dict[str, Any], message: str) -> None:
    grid = {"max_depth": [1, 2], "n_estimators": [1, 2]}
    with pytest.raises(ParameterError, match=message):
        FreeSearchCV(FOREST, grid, **options).fit(*IRIS)


# --- which are free ------------------------------------------------------------------------------


def test_free_hyper_parameters_may_be_named_or_turned_off() -> None:
    grid = {"n_estimators": [2, 4, 6], "max_depth": [1, 2]}
    none, one, found = (
        FreeSearchCV(FOREST, grid, free=free, cv=2).fit(*IRIS)
        for free in ((), "n_estimators", None)
    )
    assert (none.n_trained_, one.n_trained_, found.n_trained_) == (6, 2, 2)
    _agree(none, one)
    _agree(found, one)


class Counted(RandomForestClassifier):  # type: ignore[misc]
    """Counts its fits; says itself that fewer trees are free."""

    free_parameters = ("n_estimators",)
    fits: list[int] = []  # noqa: RUF012 - shared on purpose

    def fit(self, X: Any, y: Any) -> Any:
        Counted.fits.append(self.n_estimators)
        return super().fit(X, y)


def test_so_many_trainings_and_no_more() -> None:
    Counted.fits.clear()
    search = FreeSearchCV(Counted(random_state=0), {"n_estimators": [3, 9, 5]}, cv=4).fit(*IRIS)
    assert Counted.fits == [9] * 4 + [search.best_params_["n_estimators"]]


# --- many rows, and grids that depend on their number --------------------------------------------


def test_many_rows_are_tuned_on_a_sample_and_fitted_on_all() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    told: list[tuple[int, int]] = []

    def grid(n_rows: int, n_features: int) -> dict[str, list[int]]:
        told.append((n_rows, n_features))
        return {"n_neighbors": [1, n_rows // 10]}

    searches = [
        FreeSearchCV(KNeighborsClassifier(), grid, max_rows=200, random_state=seed).fit(X, y)
        for seed in (0, 0, 1)
    ]
    assert told == [(200, 30)] * 3
    first, _, other = searches
    assert first.n_tuning_rows_ == 200
    assert first.best_estimator_.n_samples_fit_ == 569
    scores = [search.cv_results_["split0_test_score"].tolist() for search in searches]
    assert scores[0] == scores[1]
    assert [each.cv_results_["mean_test_score"].tolist() for each in (first, other)] != (
        [first.cv_results_["mean_test_score"].tolist()] * 2
    )


def test_the_sample_has_the_proportions_of_the_classes() -> None:
    """Of 569 rows 212 and 357: of 200, 74.5 and 125.5."""
    X, y = load_breast_cancer(return_X_y=True)
    rows = FreeSearchCV(FOREST, {}, max_rows=200, random_state=0)._tuning_rows(X, y)
    assert rows is not None
    assert len(set(rows.tolist())) == 200
    assert np.bincount(y[rows]).tolist() in ([74, 126], [75, 125])


def test_no_sample_of_distances() -> None:
    X, y = IRIS
    apart = np.abs(X[:, None] - X).sum(axis=2)
    grid = {"n_neighbors": [1, 5, 9]}
    model = KNeighborsClassifier(metric="precomputed")
    ours = FreeSearchCV(model, grid, max_rows=50).fit(apart, y)
    _agree(ours, GridSearchCV(model, grid).fit(apart, y))


def test_no_sample_of_few_rows_nor_of_given_splits() -> None:
    X, y = IRIS
    halves = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    for options in ({"max_rows": None}, {"max_rows": 150}, {"max_rows": 100, "cv": halves}):
        search = FreeSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, **options)
        assert search.fit(X, y).n_tuning_rows_ == 150
    theirs = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=halves).fit(X, y)
    _agree(search, theirs)


def test_one_value_of_a_number_of_trees_is_had_the_quick_way_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from palio.experiment.tuning import paths

    grown: list[int] = []
    own = paths._grown

    def noting(forest: Any, X: Any, y: Any, wanted: int) -> list[Any] | None:
        grown.append(wanted)
        return own(forest, X, y, wanted)

    monkeypatch.setattr(paths, "_grown", noting)
    grid = {"n_estimators": [25], "max_depth": [1, 2]}
    _agree(*_both(RandomForestClassifier(random_state=0), grid, IRIS, cv=2))
    assert grown == [25] * 4


# --- times ---------------------------------------------------------------------------------------


def test_times_are_told_apart() -> None:
    grid = {"n_estimators": [5, 10, 20], "max_depth": [1, 2]}
    search = FreeSearchCV(FOREST, grid, cv=3).fit(*WINE)
    assert search.time_per_combination_ == search.tuning_time_ / 2
    assert 0 < search.refit_time_ < search.tuning_time_
    trained = search.cv_results_["mean_fit_time"]
    assert len(set(trained.tolist())) == 2  # one for each training
    assert 3 * len(set(trained.tolist())) * trained.mean() < search.tuning_time_ * 1.01
    costs = search_costs(search, search.tuning_time_ + search.refit_time_)
    assert costs["tuning_time_per_combination"] == search.time_per_combination_
    assert costs["refit_time"] == search.refit_time_
    assert costs["tuning_time"] == pytest.approx(search.tuning_time_)
    assert search.cpu_time_per_combination_ == search.tuning_cpu_time_ / 2
    assert costs["tuning_cpu_time"] == search.tuning_cpu_time_
    assert costs["tuning_cpu_time_per_combination"] == search.cpu_time_per_combination_
    assert costs["refit_cpu_time"] == search.refit_cpu_time_
    assert "capped" not in costs  # a forest has no cap


class _Sleeper(GaussianNB):  # type: ignore[misc]
    """Waits, and does nothing meanwhile."""

    def fit(self, X: Any, y: Any) -> "_Sleeper":
        time.sleep(0.1)
        return super().fit(X, y)  # type: ignore[no-any-return]


def test_cpu_time_does_not_count_waiting() -> None:
    search = FreeSearchCV(_Sleeper(), {"var_smoothing": [1e-9, 1e-3]}, cv=2).fit(*WINE)
    assert search.tuning_time_ >= 0.4
    assert search.tuning_cpu_time_ < 0.2
    assert search.refit_time_ >= 0.1 > search.refit_cpu_time_


def test_fits_that_a_cap_stopped_are_counted() -> None:
    X, y = WINE
    grid = {"C": [1e-3, 1e3], "max_iter": [1, -1]}
    search = FreeSearchCV(SVMClassifier(), grid, cv=3).fit(X, y)
    capped = [
        SVMClassifier(**params).fit(X[train], y[train]).capped_
        for params in ParameterGrid(grid)
        for train, _ in StratifiedKFold(3).split(X, y)
    ]
    assert search.n_capped_ == sum(capped) > 0
    costs = search_costs(search, 1.0)
    assert costs["capped"] == search.best_estimator_.capped_
    assert costs["n_capped"] == search.n_capped_


# --- the catalogue -------------------------------------------------------------------------------


def test_a_learner_of_the_catalogue_is_tuned_as_its_paper_does() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[:120], y[:120]
    search = tuned("rknn", cv=2, max_rows=None)
    search.set_params(estimator__random_state=0)
    grid = {
        **LEARNERS["rknn"].grid_for(*X.shape),
        "n_neighbors": [1, 7],
        "n_members": [5, 10],
    }
    search.set_params(param_grid=grid).fit(X, y)
    assert search.n_trained_ == 4 * 2
    _agree(search, GridSearchCV(search.estimator, grid, cv=2).fit(X, y))


@pytest.mark.parametrize("name", [name for name, each in LEARNERS.items() if each.grid])
def test_every_grid_can_be_planned(name: str) -> None:
    from palio.experiment.tuning import plan_trainings

    learner = LEARNERS[name]
    grid = learner.grid_for(400, 12)
    plan = plan_trainings(learner.make(), grid, learner.free or None)
    assert len(plan.combinations) == np.prod([len(values) for values in grid.values()])
    assert len(plan.trainings) <= learner.grid_size(400, 12)
    assert tuned(learner).param_grid is learner.grid


def test_probabilities_are_left_to_the_last_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[:120], y[:120]
    search = tuned("svr").set_params(param_grid={"C": [0.1, 10.0], "gamma": [0.01, 0.1]})
    fitted: list[bool] = []
    fit = SVMClassifier.fit

    def counted(self: SVMClassifier, X: Any, y: Any) -> SVMClassifier:
        fitted.append(self.probability)
        return fit(self, X, y)

    whole = GridSearchCV(search.estimator, search.param_grid, cv=search.cv).fit(X, y)
    monkeypatch.setattr(SVMClassifier, "fit", counted)
    search.fit(X, y)
    assert fitted == [False] * 4 * 5 + [True]
    _agree(search, whole)
    assert search.predict_proba(X[:2]) == pytest.approx(whole.predict_proba(X[:2]), abs=0.05)
    fitted.clear()
    search.set_params(scoring="neg_log_loss").fit(X, y)
    assert all(fitted)


def test_a_file_in_order_is_tuned_on_rows_drawn_at_random() -> None:
    """Ten of one class, ten of the other, and so on: consecutive folds have no neighbours."""
    X = np.arange(200.0)[:, np.newaxis]
    y = np.arange(200) // 10 % 2
    grid = {"n_neighbors": [1, 3]}
    drawn = tuned("knn").set_params(param_grid=grid).fit(X, y)
    in_order = tuned("knn", cv=5).set_params(param_grid=grid).fit(X, y)
    assert drawn.best_score_ > 0.85
    assert in_order.best_score_ < 0.6


def test_what_cannot_be_tuned() -> None:
    with pytest.raises(UnknownNameError, match="svmRadial"):
        tuned("svmRadal")
    fixed = Learner("x", "no grid", "none", "none", KNeighborsClassifier)
    with pytest.raises(ParameterError, match="learner: 'x' has no grid to search"):
        tuned(fixed)


# --- scikit-learn's own checks -------------------------------------------------------------------


CHECKED = [
    pytest.param(LogisticRegression(), {"C": [0.1, 1.0]}, marks=pytest.mark.slow),
    pytest.param(Ridge(), {"alpha": [0.1, 1.0]}, marks=pytest.mark.slow),
    pytest.param(FOREST, {"n_estimators": [2, 20]}, marks=pytest.mark.slow),
    (KNeighborsClassifier(), {"n_neighbors": [1, 2]}),
]


@pytest.mark.filterwarnings("ignore")  # GridSearchCV passes them with warnings, too
@pytest.mark.parametrize(("model", "grid"), CHECKED)
def test_scikit_learn_accepts_it_as_it_does_grid_search(model: Any, grid: Any) -> None:
    ours, theirs = (
        {
            check["check_name"]: check["status"]
            for check in check_estimator(
                search(model, grid, cv=2, error_score="raise"), on_fail=None, on_skip=None
            )
        }
        for search in (FreeSearchCV, GridSearchCV)
    )
    assert ours == theirs
    assert list(ours.values()).count("passed") > 40
