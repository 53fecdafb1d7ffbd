"""How many numbers a fitted model holds, counted by hand; and what a search tells."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.compose import TransformedTargetRegressor  # type: ignore[import-untyped]
from sklearn.datasets import load_diabetes, load_iris  # type: ignore[import-untyped]
from sklearn.discriminant_analysis import (  # type: ignore[import-untyped]
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.dummy import DummyClassifier, DummyRegressor  # type: ignore[import-untyped]
from sklearn.ensemble import (  # type: ignore[import-untyped]
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.kernel_ridge import KernelRidge  # type: ignore[import-untyped]
from sklearn.linear_model import (  # type: ignore[import-untyped]
    LinearRegression,
    LogisticRegression,
    Ridge,
)
from sklearn.model_selection import GridSearchCV  # type: ignore[import-untyped]
from sklearn.naive_bayes import (  # type: ignore[import-untyped]
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
)
from sklearn.neighbors import (  # type: ignore[import-untyped]
    KNeighborsClassifier,
    NearestCentroid,
)
from sklearn.neural_network import MLPClassifier  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]
from sklearn.svm import SVC  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

from palio.experiment.costs import COUNTS, _sizes, inner_cv_score, n_parameters, search_costs
from tests.experiment import estimators as odd

X, y = load_iris(return_X_y=True)  # 150 rows, 4 features, 3 classes
DIABETES = load_diabetes(return_X_y=True)  # 442 rows, 10 features

STUMP = DecisionTreeClassifier(max_depth=1)  # one split: three nodes

BY_HAND: list[tuple[Any, float]] = [
    (LogisticRegression(max_iter=500), 3 * 4 + 3),
    (LogisticRegression(max_iter=500, fit_intercept=False), 3 * 4),
    (LinearDiscriminantAnalysis(), 3 * 4 + 3),
    # Means; in each class a rotation and the variances along it; priors.
    (QuadraticDiscriminantAnalysis(), 3 * 4 + 3 * (4 * 4 + 4) + 3),
    (GaussianNB(), 2 * 3 * 4 + 3),
    (BernoulliNB(), 3 * 4 + 3),
    (MLPClassifier((5,), tol=10.0, n_iter_no_change=2), (4 * 5 + 5) + (5 * 3 + 3)),
    (KNeighborsClassifier(), 150 * 4),
    (NearestCentroid(), 3 * 4),
    (DummyClassifier(), 3),
    (STUMP, 3),
    (RandomForestClassifier(7, max_depth=1, random_state=0), 7 * 3),
    (BaggingClassifier(STUMP, 5, random_state=0), 5 * 3),
    # A tree for each class in each of four rounds.
    (GradientBoostingClassifier(n_estimators=4, max_depth=1), 4 * 3 * 3),
    (HistGradientBoostingClassifier(max_iter=4, max_leaf_nodes=2), 4 * 3 * 3),
    (AdaBoostClassifier(STUMP, n_estimators=1), 3),
    (VotingClassifier([("stump", STUMP), ("nb", GaussianNB())]), 3 + 27),
    # The last model learns three probabilities of each of the two: 3 × 6 + 3.
    (
        StackingClassifier(
            [("stump", STUMP), ("nb", GaussianNB())], LogisticRegression(max_iter=500), cv=2
        ),
        3 + 27 + 21,
    ),
    (make_pipeline(StandardScaler(), GaussianNB()), 27),
    (GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}, cv=2), 3),
    (
        GridSearchCV(
            make_pipeline(StandardScaler(), STUMP), {"decisiontreeclassifier__max_depth": [1]}, cv=2
        ),
        3,
    ),
]


@pytest.mark.parametrize(
    ("model", "count"),
    BY_HAND,
    ids=[f"{type(each[0]).__name__}{i}" for i, each in enumerate(BY_HAND)],
)
def test_classifiers_by_hand(model: Any, count: float) -> None:
    assert n_parameters(clone(model).fit(X, y)) == count


@pytest.mark.parametrize(
    ("model", "count"),
    [
        (LinearRegression(), 11),
        (Ridge(fit_intercept=False), 10),
        (KernelRidge(), 442 * 10 + 442),
        (DummyRegressor(), 1),
        (TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp), 11),
    ],
)
def test_regressors_by_hand(model: Any, count: float) -> None:
    assert n_parameters(clone(model).fit(*DIABETES)) == count


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_support_vector_machine_is_its_vectors(kernel: str) -> None:
    """Also a linear one, which tells a ``coef_`` besides."""
    model = SVC(kernel=kernel).fit(X, y)
    vectors = sum(model.n_support_)
    # Each vector has a weight in two of the three machines, and each machine an intercept.
    assert n_parameters(model) == vectors * 4 + vectors * 2 + 3


def test_a_tree_is_its_nodes_and_a_categorical_table_its_cells() -> None:
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert n_parameters(tree) == 2 * tree.get_n_leaves() - 1
    levels = np.array([[0, 0], [1, 1], [0, 2], [1, 0]])
    table = CategoricalNB().fit(levels, [0, 1, 0, 1])
    assert n_parameters(table) == 2 * (2 + 3) + 2


def test_numbers_are_counted_at_any_depth_where_they_are() -> None:
    model = SimpleNamespace(coefs_=[np.zeros((2, 3)), (np.zeros(4), 1.0)], bias_=2.0)
    assert _sizes("coefs_", "bias_", "not_there_")(model) == 6 + 4 + 1 + 1


def test_what_cannot_be_counted_is_not_counted() -> None:
    assert n_parameters(object()) is None
    assert n_parameters(odd.Constant().fit(X, y)) is None
    mixed = VotingClassifier([("nb", GaussianNB()), ("odd", odd.Constant())]).fit(X, y)
    assert n_parameters(mixed) is None
    assert n_parameters(make_pipeline(StandardScaler(), "passthrough").fit(X, y)) is None
    assert n_parameters(STUMP) is None  # not fitted


class Touchy:
    @property
    def tree_(self) -> Any:
        raise RuntimeError("do not look")


def test_a_model_whose_properties_raise_is_not_countable() -> None:
    assert n_parameters(Touchy()) is None


def test_every_count_has_a_title_of_its_own() -> None:
    assert len({count.title for count in COUNTS}) == len(COUNTS)


# Searches


def grid(**options: Any) -> Any:
    settings = {"cv": 3, **options}
    return GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 4]}, **settings
    )


@pytest.mark.parametrize("inside", [False, True])
def test_the_time_of_a_search_is_the_fit_without_the_last_fit(inside: bool) -> None:
    search = grid().fit(X, y)
    model = make_pipeline(StandardScaler(), search) if inside else search
    search.refit_time_ = 0.25
    assert search_costs(model, 1.25) == {
        "refit_time": 0.25,
        "tuning_time": 1.0,
        "tuning_time_per_combination": 0.25,  # four depths
    }


def test_a_search_may_know_its_time_per_combination_itself() -> None:
    search = grid().fit(X, y)
    search.refit_time_, search.time_per_combination_ = 0.25, 0.125
    assert search_costs(search, 1.25)["tuning_time_per_combination"] == 0.125
    del search.refit_time_
    assert search_costs(search, 1.25) == {"tuning_time_per_combination": 0.125}
    del search.time_per_combination_
    assert search_costs(search, 1.25) == {}


def test_what_does_not_search_has_no_costs_of_searching() -> None:
    for model in (GaussianNB().fit(X, y), make_pipeline(StandardScaler(), GaussianNB()).fit(X, y)):
        assert search_costs(model, 1.0) == {}
        assert inner_cv_score(model, ["accuracy"], "classification") == {}


@pytest.mark.parametrize(
    ("options", "scoring", "task", "name"),
    [
        ({}, ["accuracy"], "classification", "accuracy"),
        ({}, ["f1_macro", "accuracy"], "classification", "accuracy"),
        ({"scoring": "f1_macro"}, ["accuracy", "f1_macro"], "classification", "f1_macro"),
        ({"scoring": "f1_macro"}, ["accuracy"], "classification", None),
        ({}, ["f1_macro"], "classification", None),
        ({"scoring": lambda *_: 1.0}, ["accuracy"], "classification", None),
        (
            {"scoring": ["accuracy", "f1_macro"], "refit": "f1_macro"},
            ["accuracy", "f1_macro"],
            "classification",
            "f1_macro",
        ),
        (
            {"scoring": {"one": "accuracy", "two": "f1_macro"}, "refit": "one"},
            ["accuracy"],
            "classification",
            "accuracy",
        ),
    ],
)
def test_the_inner_score_is_told_where_it_is_the_same_scorer(
    options: dict[str, Any], scoring: list[str], task: str, name: str | None
) -> None:
    search = grid(**options).fit(X, y)
    expected = {} if name is None else {f"inner_cv_{name}": search.best_score_}
    assert inner_cv_score(search, scoring, task) == expected


def test_the_inner_score_is_the_mean_of_the_inner_folds() -> None:
    search = grid().fit(X, y)
    parts = [search.cv_results_[f"split{i}_test_score"][search.best_index_] for i in range(3)]
    found = inner_cv_score(search, ["accuracy"], "classification")
    assert found["inner_cv_accuracy"] == pytest.approx(sum(parts) / 3)


def test_regression_searches_choose_by_r2() -> None:
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=3).fit(*DIABETES)
    assert inner_cv_score(search, ["r2"], "regression") == {"inner_cv_r2": search.best_score_}


@pytest.mark.parametrize("score", [None, float("nan"), float("inf")])
def test_an_inner_score_that_is_no_number_is_left_out(score: float | None) -> None:
    search = SimpleNamespace(cv_results_={}, best_index_=0, scoring=None, best_score_=score)
    assert inner_cv_score(search, ["accuracy"], "classification") == {}
