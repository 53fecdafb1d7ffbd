"""Every free path against models that were trained value by value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone  # type: ignore[import-untyped]
from sklearn.datasets import (  # type: ignore[import-untyped]
    load_breast_cancer,
    load_diabetes,
    load_iris,
    load_wine,
)
from sklearn.ensemble import (  # type: ignore[import-untyped]
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.neighbors import (  # type: ignore[import-untyped]
    KNeighborsClassifier,
    KNeighborsRegressor,
)
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import scale  # type: ignore[import-untyped]

from palio.algorithms.bst import LinearBoostClassifier
from palio.algorithms.catalogue import LEARNERS
from palio.algorithms.glmnet import ElasticNetPathClassifier
from palio.algorithms.rknn import RandomKNNClassifier
from palio.experiment.tuning import paths
from palio.experiment.tuning.paths import (
    FREE_PATHS,
    cut_ties,
    find_path,
    first_members,
    fit,
    fit_forest,
    tree_means,
)

METHODS = ("predict", "predict_proba", "decision_function")


@dataclass(frozen=True)
class Case:
    """A model, the values to try out of order, and how far its answers may be off."""

    model: Any
    parameter: str
    values: Sequence[Any]
    tolerance: float = 0.0


SEEDED = {"random_state": 3}
FEW = (7, 1, 30, 12)
PATH = tuple(np.geomspace(1e-5, 1e3, 20)[[12, 3, 8]].tolist())

CASES = [
    Case(RandomForestClassifier(**SEEDED), "n_estimators", FEW),
    Case(RandomForestClassifier(max_features=1, min_samples_leaf=3, **SEEDED), "n_estimators", FEW),
    Case(RandomForestClassifier(class_weight="balanced", **SEEDED), "n_estimators", FEW),
    Case(ExtraTreesClassifier(min_samples_split=0.1, max_depth=4, **SEEDED), "n_estimators", FEW),
    Case(RandomForestRegressor(max_features=0.5, **SEEDED), "n_estimators", FEW),
    Case(ExtraTreesRegressor(**SEEDED), "n_estimators", FEW),
    Case(GradientBoostingClassifier(subsample=0.5, **SEEDED), "n_estimators", FEW),
    Case(GradientBoostingClassifier(n_iter_no_change=2, **SEEDED), "n_estimators", (60, 5, 40)),
    Case(GradientBoostingRegressor(max_features=0.5, **SEEDED), "n_estimators", FEW),
    Case(HistGradientBoostingClassifier(max_features=0.5, **SEEDED), "max_iter", FEW),
    Case(HistGradientBoostingRegressor(**SEEDED), "max_iter", FEW),
    Case(KNeighborsClassifier(), "n_neighbors", FEW),
    Case(KNeighborsClassifier(weights="distance"), "n_neighbors", FEW),
    Case(KNeighborsClassifier(algorithm="brute"), "n_neighbors", FEW),
    Case(KNeighborsClassifier(algorithm="brute", weights="distance"), "n_neighbors", FEW),
    Case(KNeighborsClassifier(p=1, weights=lambda d: 1 / (1 + d)), "n_neighbors", FEW),
    Case(KNeighborsClassifier(), "n_neighbors", (5, 70, 20)),  # 70: searched by brute force
    Case(KNeighborsRegressor(), "n_neighbors", FEW),
    Case(KNeighborsRegressor(weights="distance"), "n_neighbors", FEW),
    Case(ElasticNetPathClassifier(l1_ratio=0.5), "strength", PATH),
    Case(ElasticNetPathClassifier(l1_ratio=0.5), "strength", (0.5, 0.02), 5e-3),
    Case(LinearBoostClassifier(), "n_boosts", FEW),
    Case(RandomKNNClassifier(3, random_state=1), "n_members", FEW),
]


def _name(case: Case) -> str:
    return f"{type(case.model).__name__}.{case.parameter}"


def _data(model: Any, name: str) -> tuple[Any, Any, Any, Any]:
    load = {"two": load_breast_cancer, "many": load_wine, "tied": load_iris}[name]
    X, y = (load_diabetes if hasattr(model, "predict") and _regresses(model) else load)(
        return_X_y=True
    )
    X = X.round(1) if name == "tied" else scale(X)
    train = np.arange(len(y)) % 3 > 0
    return X[train], y[train], X[~train], y[~train]


def _regresses(model: Any) -> bool:
    return type(model).__name__.endswith(("Regressor", "Ridge"))


def _agree(found: Any, alone: Any, X: Any, tolerance: float) -> None:
    # Functions of several classes are known up to a constant: their probabilities are compared.
    softened = tolerance > 0 and hasattr(alone, "predict_proba")
    for method in METHODS[:2] if softened else METHODS:
        assert hasattr(found, method) == hasattr(alone, method)
        if hasattr(alone, method):
            ours, theirs = (getattr(each, method)(X) for each in (found, alone))
            if tolerance:
                np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
            else:
                np.testing.assert_array_equal(ours, theirs)


def _cases() -> list[Any]:
    """Pair every model with data of two classes and of more; of neighbours, also with ties."""
    return [
        pytest.param(case, data, id=f"{_name(case)}-{data}")
        for case in CASES
        for data in ("two", "many", "tied")
        if data != "tied" or case.parameter == "n_neighbors"
    ]


@pytest.mark.parametrize(("case", "data"), _cases())
def test_models_are_those_trained_value_by_value(case: Case, data: str) -> None:
    """Number for number, of the rows that the path was asked about and of others."""
    X, y, rows, _ = _data(case.model, data)
    path = find_path(case.model, case.parameter)
    assert path is not None
    found = path.train(clone(case.model), X, y, case.values, {})(rows)
    for value, model in zip(case.values, found, strict=True):
        alone = clone(case.model).set_params(**{case.parameter: value}).fit(X, y)
        assert model.get_params()[case.parameter] == value
        _agree(model, alone, rows, case.tolerance)
        _agree(model, alone, rows[:5].copy(), case.tolerance)


def test_every_path_is_tested() -> None:
    of_their_own = {"LinearBoostClassifier.n_boosts", "RandomKNNClassifier.n_members"}
    assert {_name(case) for case in CASES} == {*FREE_PATHS, *of_their_own}


def test_every_free_hyper_parameter_of_the_catalogue_has_a_path() -> None:
    for learner in LEARNERS.values():
        for parameter in learner.free:
            assert find_path(learner.make(), parameter) is not None, learner.name


# --- what rules a path out -----------------------------------------------------------------------


class Heir(RandomForestClassifier):  # type: ignore[misc]
    """Might predict otherwise."""


@pytest.mark.parametrize(
    ("model", "parameter"),
    [
        (RandomForestClassifier(), "max_depth"),
        (RandomForestClassifier(warm_start=True), "n_estimators"),
        (Heir(), "n_estimators"),
        (LogisticRegression(), "C"),
        (AdaBoostClassifier(), "n_estimators"),
        (make_pipeline(KNeighborsClassifier()), "kneighborsclassifier__n_neighbors"),
    ],
)
def test_no_path(model: Any, parameter: str) -> None:
    assert find_path(model, parameter) is None


# --- forests -------------------------------------------------------------------------------------


def _nodes(forest: Any) -> list[Any]:
    return [(tree.random_state, tree.tree_.threshold.tolist()) for tree in forest.estimators_]


@pytest.mark.parametrize("broken", ["_same", "_grower", None])
def test_a_forest_is_scikit_learns_whether_or_not_the_quick_way_is_open(
    broken: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any) -> bool:
        if broken == "_grower":
            raise TypeError("another version")
        return False

    if broken:
        monkeypatch.setattr(paths, broken, refuses)
    X, y = load_wine(return_X_y=True)
    names = np.array(["c", "a", "b"])[y]
    quick = RandomForestClassifier(25, random_state=5)
    fit_forest(quick, X, names, {})
    own = RandomForestClassifier(25, random_state=5).fit(X, names)
    assert _nodes(quick) == _nodes(own)
    assert quick.n_estimators == 25
    assert quick.predict(X).tolist() == own.predict(X).tolist()


def test_the_quick_way_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """With this version of scikit-learn the trees are grown here, all but the first three."""
    fitted: list[int] = []

    def counted(model: Any, *rest: Any) -> None:
        fitted.append(model.n_estimators)
        fit(model, *rest)

    monkeypatch.setattr(paths, "fit", counted)
    X, y = load_wine(return_X_y=True)
    fit_forest(RandomForestClassifier(25, random_state=5), X, y, {})
    assert fitted == [3]
    fit_forest(RandomForestClassifier(25, random_state=5), X, y, {"sample_weight": np.ones(len(y))})
    fit_forest(RandomForestClassifier(25), X, y, {})  # whose trees no seed tells
    missing = X.copy()
    missing[0, 0] = np.nan
    fit_forest(RandomForestClassifier(25, random_state=5), missing, y, {})
    assert fitted == [3, 25, 25, 25]


@pytest.mark.parametrize(
    "setting",
    [
        {"oob_score": True},
        {"ccp_alpha": 0.02},
        {"max_samples": 0.5},
        {"max_leaf_nodes": 4},
        {"class_weight": "balanced"},
    ],
    ids=lambda setting: next(iter(setting)),
)
def test_what_the_quick_way_does_not_provide_for_is_scikit_learns(setting: dict[str, Any]) -> None:
    X, y = load_wine(return_X_y=True)
    quick, own = (RandomForestClassifier(25, random_state=5, **setting) for _ in range(2))
    fit_forest(quick, X, y, {})
    own.fit(X, y)
    assert _nodes(quick) == _nodes(own)
    if "oob_score" in setting:  # of all trees, not of those that are compared
        assert quick.oob_score_ == own.oob_score_


# --- neighbours ----------------------------------------------------------------------------------


def test_ties_by_hand() -> None:
    distances = np.array([[0.0, 1, 1, 1, 2], [0, 0, 1, 2, 2]])
    labels = np.array([[0, 1, 1, 0, 0], [1, 1, 0, 0, 0]])
    ties = cut_ties(distances, labels, 0.0, ends=False)
    # The second row's last two are equally distant, and so may be more beyond them.
    assert ties[:, :4].T.tolist() == [[False, False], [True, False], [True, False], [False, True]]
    closed = cut_ties(distances, labels, 0.0, ends=True)
    assert not closed[:, 3:].any()


def test_the_search_is_asked_again_about_ties_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    plain = KNeighborsClassifier.predict_proba

    def counted(self: Any, X: Any) -> Any:
        asked.append(len(X))
        return plain(self, X)

    monkeypatch.setattr(KNeighborsClassifier, "predict_proba", counted)
    X, y = np.array([[0.0], [2], [10], [11], [12], [13]]), [0, 1, 0, 0, 0, 0]
    path = find_path(KNeighborsClassifier(), "n_neighbors")
    assert path is not None
    rows = np.array([[1.0], [0.1], [10.1]])  # the first is as far from 0 as from 2
    (one, two) = path.train(KNeighborsClassifier(), X, y, (1, 2), {})(rows)
    alone = KNeighborsClassifier(1).fit(X, y)
    assert one.predict(rows).tolist() == alone.predict(rows).tolist()
    assert asked == [1]
    assert two.predict(rows).tolist() == [0, 0, 0]
    assert asked == [1]


# --- frames, own learners ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(random_state=0),
        GradientBoostingClassifier(random_state=0),
        KNeighborsClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_frames_and_names_of_classes(model: Any) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = pd.Series(np.array(["setosa", "versicolor", "virginica"])[y])
    rows = X.iloc[::4]
    parameter = "n_neighbors" if hasattr(model, "n_neighbors") else "n_estimators"
    path = find_path(model, parameter)
    assert path is not None
    for value, each in zip(
        (21, 4), path.train(clone(model), X, names, (21, 4), {})(rows), strict=True
    ):
        _agree(each, clone(model).set_params(**{parameter: value}).fit(X, names), rows, 0.0)


class Prefix(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Says the class that is most frequent among the first ``n`` rows."""

    free_parameters = ("n",)

    def __init__(self, n: int = 1) -> None:
        self.n = n

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.codes_ = codes[: self.n]
        return self

    def predict_proba(self, X: Any) -> Any:
        shares = np.bincount(self.codes_[: self.n], minlength=len(self.classes_)) / self.n
        return np.tile(shares, (len(X), 1))

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class PrefixPath(Prefix):
    """Also answers for all values at once."""

    asked = 0

    def staged_predict_proba(self, X: Any) -> Iterator[Any]:
        PrefixPath.asked += 1
        for n in range(1, self.n + 1):
            yield Prefix.predict_proba(clone(self).set_params(n=n).fit(X, self._y), X)

    def fit(self, X: Any, y: Any) -> Any:
        self._y = y
        return super().fit(X, y)


@pytest.mark.parametrize("learner", [Prefix, PrefixPath])
def test_a_learner_may_say_itself_what_is_free(learner: type[Prefix]) -> None:
    X, y = np.zeros((6, 1)), [1, 0, 0, 0, 1, 1]
    path = find_path(learner(), "n")
    assert path is not None
    PrefixPath.asked = 0
    found = path.train(learner(), X, y, (1, 4, 2), {})(X)
    told = [each.predict_proba(X)[0].tolist() for each in found]
    assert told == [[0.0, 1.0], [0.75, 0.25], [0.5, 0.5]]
    assert PrefixPath.asked == (learner is PrefixPath)


@pytest.mark.parametrize("several", [False, True])
def test_fewer_members_are_the_first_of_many(several: bool) -> None:
    """Answers known stage by stage are told from there; of several targets they are not."""
    X, y = load_diabetes(return_X_y=True)
    y = np.column_stack([y, -y]) if several else y
    asked: list[int] = []

    def stages(model: Any, rows: Any) -> Iterator[Any]:
        asked.append(len(model.estimators_))
        yield from tree_means("predict")(model, rows)

    train = first_members("n_estimators", ("estimators_",), {"predict": stages})
    forest = RandomForestRegressor(random_state=2)
    found = train(clone(forest), X, y, (6, 2), {})(X)
    for value, each in zip((6, 2), found, strict=True):
        alone = clone(forest).set_params(n_estimators=value).fit(X, y)
        assert each.n_estimators == len(each.estimators_) == value
        np.testing.assert_allclose(each.predict(X), alone.predict(X), rtol=1e-12)
    assert asked == ([] if several else [6])


def test_weights_of_rows_are_heeded() -> None:
    X, y = load_iris(return_X_y=True)
    weights = np.where(y == 0, 0.1, 2.0)
    path = find_path(RandomForestClassifier(), "n_estimators")
    assert path is not None
    given, values = {"sample_weight": weights}, (25, 4)
    found = path.train(RandomForestClassifier(random_state=0), X, y, values, given)(X)
    for value, each in zip(values, found, strict=True):
        alone = RandomForestClassifier(value, random_state=0).fit(X, y, sample_weight=weights)
        _agree(each, alone, X, 0.0)
