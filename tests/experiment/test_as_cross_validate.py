"""Every fold scores what `sklearn.model_selection.cross_validate` says, whatever is run on what."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.compose import (  # type: ignore[import-untyped]
    ColumnTransformer,
    TransformedTargetRegressor,
    make_column_selector,
)
from sklearn.datasets import load_wine  # type: ignore[import-untyped]
from sklearn.ensemble import (  # type: ignore[import-untyped]
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]
from sklearn.feature_selection import SelectKBest  # type: ignore[import-untyped]
from sklearn.impute import SimpleImputer  # type: ignore[import-untyped]
from sklearn.linear_model import (  # type: ignore[import-untyped]
    LogisticRegression,
    Ridge,
    SGDClassifier,
)
from sklearn.metrics import f1_score, make_scorer  # type: ignore[import-untyped]
from sklearn.model_selection import (  # type: ignore[import-untyped]
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB  # type: ignore[import-untyped]
from sklearn.neighbors import (  # type: ignore[import-untyped]
    KNeighborsClassifier,
    KNeighborsRegressor,
)
from sklearn.neural_network import MLPClassifier  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import (  # type: ignore[import-untyped]
    LabelEncoder,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.svm import SVC, SVR, LinearSVC  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.errors import ParameterError
from palio.experiment.plan import Job, make_plan
from palio.experiment.work import execute

N = 120
_rng = np.random.default_rng(7)


def mixed() -> pd.DataFrame:
    """Numbers with gaps, whole numbers, categories, and a column of text."""
    words = _rng.choice(["late", "refund", "great", "again", "slow"], size=(N, 6))
    frame = pd.DataFrame(
        {
            "age": _rng.normal(40, 12, N),
            "visits": _rng.integers(0, 20, N),
            "plan": pd.Categorical(_rng.choice(["basic", "plus", "team"], N)),
            "city": _rng.choice(["Bern", "Lund", "Siena"], N),
            "note": [" ".join(row) for row in words],
        }
    )
    frame.loc[_rng.choice(N, 15, replace=False), "age"] = np.nan
    return frame


MIXED = mixed()
SIGNAL = MIXED["visits"] / 6 + (MIXED["plan"] == "team") + MIXED["note"].str.count("great")
LABELS = np.where(SIGNAL + _rng.normal(size=N) > 2.5, "leaves", "stays")
AMOUNTS = (SIGNAL + _rng.normal(size=N)).to_numpy()
NUMBERS = MIXED[["visits", "age"]].fillna(40.0)
NATIVE = MIXED.drop(columns=["city", "note"])
WINE, KINDS = load_wine(return_X_y=True)
COUNTS: Any = sparse.random(N, 40, density=0.2, random_state=3, format="csr")
WHO = np.repeat(np.arange(N // 6), 6)
WEIGHTS = _rng.random(N) + 0.5

STRATIFIED = StratifiedKFold(4, shuffle=True, random_state=1)
FOLDS = KFold(4, shuffle=True, random_state=1)
TREE = DecisionTreeClassifier(random_state=0)
LOGISTIC = LogisticRegression(max_iter=500)


def columns(model: Any) -> Any:
    """Code columns by their names, and let a model follow."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    coded = OneHotEncoder(handle_unknown="ignore")
    return make_pipeline(
        ColumnTransformer([("n", numbers, ["age", "visits"]), ("c", coded, ["plan", "city"])]),
        model,
    )


def selected(model: Any) -> Any:
    """Choose columns by their kinds."""
    return make_pipeline(
        ColumnTransformer(
            [
                ("n", SimpleImputer(), make_column_selector(dtype_include="number")),
                ("c", OrdinalEncoder(), make_column_selector(dtype_include="category")),
            ]
        ),
        model,
    )


def texts(model: Any) -> Any:
    """Weigh the words of a column of text."""
    return make_pipeline(ColumnTransformer([("t", TfidfVectorizer(), "note")]), model)


@dataclass(frozen=True)
class Case:
    """An estimator on data."""

    estimator: Any
    X: Any
    y: Any
    cv: Any = STRATIFIED
    scoring: Any = "accuracy"
    groups: Any = None
    expected: Any = None  # the estimator for scikit-learn, where it must be written otherwise
    y_there: Any = None
    options: dict[str, Any] = field(default_factory=dict)


def regression(estimator: Any, X: Any = NUMBERS, **more: Any) -> Case:
    return Case(estimator, X, AMOUNTS, **{"cv": FOLDS, "scoring": "r2", **more})


CLASSIFICATION = {
    "neighbours, not scaled": Case(KNeighborsClassifier(), WINE, KINDS),
    "machine, not scaled": Case(SVC(), WINE, KINDS),
    "columns by name": Case(columns(LOGISTIC), MIXED, LABELS),
    "columns by kind": Case(selected(TREE), MIXED, LABELS),
    "gaps and categories, by name": Case(
        HistGradientBoostingClassifier(categorical_features=["plan"], max_iter=10, random_state=0),
        NATIVE, LABELS,
    ),
    "gaps and categories, by kind": Case(
        HistGradientBoostingClassifier(
            categorical_features="from_dtype", max_iter=10, random_state=0
        ),
        NATIVE, LABELS,
    ),
    "words of a column": Case(texts(LOGISTIC), MIXED, LABELS),
    "words of a list": Case(
        make_pipeline(TfidfVectorizer(), LinearSVC()), list(MIXED["note"]), LABELS
    ),
    "tree with gaps": Case(TREE, MIXED[["age", "visits"]], LABELS),
    "forest of an array": Case(RandomForestClassifier(10, random_state=0), WINE, KINDS),
    "sparse": Case(BernoulliNB(), COUNTS, LABELS),
    "sparse, other rows": Case(SGDClassifier(random_state=0), COUNTS.tocoo(), LABELS),
    "Bayes": Case(GaussianNB(), NUMBERS, LABELS, scoring=["accuracy", "roc_auc", "neg_log_loss"]),
    "network": Case(MLPClassifier((5,), max_iter=400, tol=0.01, random_state=0), NUMBERS, LABELS),
    "grid": Case(
        GridSearchCV(columns(LOGISTIC), {"logisticregression__C": [0.1, 1.0]}, cv=3), MIXED, LABELS
    ),
    "random search": Case(
        RandomizedSearchCV(TREE, {"max_depth": [1, 2, 3, 4]}, n_iter=2, random_state=0), NUMBERS,
        LABELS,
    ),
    "search of features": Case(
        GridSearchCV(make_pipeline(SelectKBest(), TREE), {"selectkbest__k": [3, 6]}), WINE, KINDS
    ),
    "votes": Case(
        VotingClassifier([("l", columns(LOGISTIC)), ("t", columns(TREE))]), MIXED, LABELS
    ),
    "stack": Case(
        StackingClassifier([("l", columns(LOGISTIC)), ("t", columns(TREE))], cv=3), MIXED, LABELS
    ),
}  # fmt: skip

REGRESSION = {
    "neighbours": regression(KNeighborsRegressor()),
    "machine": regression(SVR()),
    "columns by name": regression(
        columns(Ridge()), MIXED, scoring=["r2", "neg_mean_squared_error"]
    ),
    "gaps and categories": regression(
        HistGradientBoostingRegressor(
            categorical_features="from_dtype", max_iter=10, random_state=0
        ),
        NATIVE,
    ),
    "words of a column": regression(texts(Ridge()), MIXED),
    "forest": regression(RandomForestRegressor(10, random_state=0)),
    "sparse": regression(Ridge(solver="lsqr"), COUNTS),
    "grid": regression(GridSearchCV(columns(Ridge()), {"ridge__alpha": [0.1, 1.0]}), MIXED),
    "target transformed": regression(
        TransformedTargetRegressor(Ridge(), func=np.arcsinh, inverse_func=np.sinh)
    ),
    "votes": regression(VotingRegressor([("r", Ridge()), ("k", KNeighborsRegressor())])),
    "stack": regression(StackingRegressor([("r", Ridge()), ("k", KNeighborsRegressor())])),
}  # fmt: skip

DESIGNS = {
    "groups": Case(LOGISTIC, NUMBERS, LABELS, cv=GroupKFold(4), groups=WHO),
    "groups in proportion": Case(LOGISTIC, NUMBERS, LABELS, StratifiedGroupKFold(3), groups=WHO),
    "one group out": Case(LOGISTIC, NUMBERS, LABELS, cv=LeaveOneGroupOut(), groups=WHO // 5),
    "time": Case(LOGISTIC, NUMBERS, LABELS, cv=TimeSeriesSplit(3)),
    "given folds": Case(LOGISTIC, NUMBERS, LABELS, cv=PredefinedSplit(np.arange(N) % 3)),
    "given rows": Case(
        LOGISTIC, NUMBERS, LABELS,
        cv=[(np.arange(60), np.arange(60, 90)), (np.arange(60, 120), np.arange(60))],
    ),
    "repeats": Case(
        LOGISTIC, NUMBERS, LABELS,
        cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=4),
    ),
    "shuffled": Case(LOGISTIC, NUMBERS, LABELS, cv=ShuffleSplit(3, random_state=4)),
    "nested groups": Case(
        GridSearchCV(LOGISTIC, {"C": [0.01, 1.0]}, cv=GroupKFold(3)), NUMBERS, LABELS,
        cv=GroupKFold(4), groups=WHO,
    ),
    "scorers": Case(
        LOGISTIC, NUMBERS, LABELS,
        scoring={
            "macro": make_scorer(f1_score, average="macro", pos_label=None),
            "leaving": make_scorer(f1_score, pos_label="leaves"),
            "right": lambda model, X, y: float((model.predict(X) == y).sum()),
        },
    ),
}  # fmt: skip


def installed(name: str) -> Any:
    """Return a module, or nothing where it is not installed."""
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def boosters() -> dict[str, Case]:
    """Return cases of the libraries of boosting that are installed."""
    found: dict[str, Case] = {}
    xgb = installed("xgboost")
    if xgb is not None:
        codes = LabelEncoder().fit_transform(LABELS)
        booster = xgb.XGBClassifier(n_estimators=5, random_state=0)
        found["XGBoost, text classes"] = Case(
            booster, MIXED[["age", "visits"]], LABELS, y_there=codes
        )
        found["XGBoost, in a pipeline"] = Case(columns(booster), MIXED, LABELS, y_there=codes)
        found["XGBoost, in a search"] = Case(
            GridSearchCV(columns(booster), {"xgbclassifier__max_depth": [2, 3]}, cv=3), MIXED,
            LABELS, y_there=codes,
        )  # fmt: skip
        found["XGBoost, classes 1 to 3"] = Case(booster, WINE, KINDS + 1, y_there=KINDS)
        native = xgb.XGBRegressor(n_estimators=5, enable_categorical=True, random_state=0)
        found["XGBoost, regression"] = regression(native, NATIVE)
    lgb = installed("lightgbm")
    if lgb is not None:
        quick = {"n_estimators": 5, "random_state": 0, "n_jobs": 1, "verbose": -1}
        found["LightGBM"] = Case(lgb.LGBMClassifier(**quick), NATIVE, LABELS)
        found["LightGBM, regression"] = regression(lgb.LGBMRegressor(**quick), NATIVE)
    cat = installed("catboost")
    if cat is not None:
        still = {"iterations": 5, "random_seed": 0, "thread_count": 1, "verbose": False,
                 "allow_writing_files": False}  # fmt: skip
        named: dict[str, Any] = {
            "options": {"fit_params": {"it": {"cat_features": ["plan", "city"]}}}
        }
        features = MIXED.drop(columns="note")
        found["CatBoost"] = Case(cat.CatBoostClassifier(**still), features, LABELS, **named)
        found["CatBoost, regression"] = regression(
            cat.CatBoostRegressor(**still), features, **named
        )
    return found


def jobs_of(case: Case) -> tuple[Job, ...]:
    """Lay the case out."""
    groups = None if case.groups is None else {"data": case.groups}
    return make_plan(
        {"data": (case.X, case.y)},
        {"it": case.estimator},
        resampling=case.cv,
        scoring=case.scoring,
        groups=groups,
        **case.options,
    ).jobs


def scores_of(jobs: tuple[Job, ...]) -> dict[str, list[float]]:
    """Return the scores of all folds, in their order."""
    found: dict[str, list[float]] = {}
    for job in jobs:
        outcome = execute(job)
        assert outcome.status == "ok", f"{outcome.error}\n{outcome.traceback}"
        assert outcome.error == ""
        for fold in outcome.folds:
            for name, score in fold.scores.items():
                found.setdefault(name, []).append(score)
    return found


def assert_same(case: Case) -> None:
    """Compare with scikit-learn, which gets a copy of the estimator and the very same data."""
    jobs = jobs_of(case)
    # What is seeded keeps its seed; what is not has the job's, in scikit-learn too.
    there = clone(case.estimator)
    open_ = {
        name: jobs[0].random_state
        for name, value in there.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and value is None
    }
    search = isinstance(there, GridSearchCV | RandomizedSearchCV)
    params = dict(case.options.get("fit_params", {}).get("it", {}))
    if search and case.groups is not None:
        params["groups"] = case.groups
    X = case.X.tocsr() if hasattr(case.X, "tocsr") else case.X
    expected = cross_validate(
        there.set_params(**open_),
        X,
        case.y if case.y_there is None else case.y_there,
        cv=case.cv,
        scoring=case.scoring,
        groups=case.groups,
        params=params,
        error_score="raise",
    )
    several = not isinstance(case.scoring, str)
    found = scores_of(jobs)
    for name in case.scoring if several else [case.scoring]:
        told = expected[f"test_{name}" if several else "test_score"]
        assert len(found[name]) == len(told)
        assert np.abs(np.array(found[name]) - told).max() < 1e-12


QUICK = (
    "neighbours, not scaled", "machine, not scaled", "columns by name", "columns by kind",
    "gaps and categories, by kind", "words of a column", "words of a list", "sparse", "Bayes",
    "grid",
)  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_classification(name: str) -> None:
    assert_same(CLASSIFICATION[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CLASSIFICATION if name not in QUICK])
def test_more_classification(name: str) -> None:
    assert_same(CLASSIFICATION[name])


@pytest.mark.parametrize("name", ["neighbours", "columns by name", "sparse"])
def test_regression(name: str) -> None:
    assert_same(REGRESSION[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", REGRESSION)
def test_more_regression(name: str) -> None:
    assert_same(REGRESSION[name])


@pytest.mark.parametrize("name", DESIGNS)
def test_designs_and_scorers(name: str) -> None:
    assert_same(DESIGNS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", boosters())
def test_boosting(name: str) -> None:
    assert_same(boosters()[name])


def test_on_wine_what_is_not_scaled_is_not_scaled() -> None:
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    for estimator, mean in ((KNeighborsClassifier(), 0.663), (SVC(), 0.657)):
        found = scores_of(jobs_of(Case(estimator, WINE, KINDS, cv=cv)))
        assert np.mean(found["accuracy"]) == pytest.approx(mean, abs=5e-4)


def test_what_is_not_seeded_has_the_seed_of_the_job() -> None:
    case = Case(RandomForestClassifier(5), WINE, KINDS)
    (job,) = jobs_of(case)
    found = scores_of((job,))["accuracy"]
    seeded = RandomForestClassifier(5, random_state=job.random_state)
    told = cross_validate(seeded, WINE, KINDS, cv=STRATIFIED)["test_score"]
    assert np.abs(np.array(found) - told).max() < 1e-12
    # It does not depend on what is done to the data first.
    (other,) = jobs_of(
        Case(RandomForestClassifier(5), WINE, KINDS, options={"prepare": "standard"})
    )
    assert other.random_state == job.random_state
    assert other.key != job.key


@pytest.mark.parametrize(
    ("estimator", "path"),
    [
        (LOGISTIC, ""),
        (make_pipeline(StandardScaler(), LOGISTIC), "logisticregression__"),
        (GridSearchCV(make_pipeline(StandardScaler(), LOGISTIC), {"logisticregression__C": [1.0]}),
         "logisticregression__"),
    ],
)  # fmt: skip
def test_weights_count_in_fitting_and_in_scoring(estimator: Any, path: str) -> None:
    X = NUMBERS.assign(w=WEIGHTS)
    case = Case(estimator, X, LABELS, options={"sample_weight": "w"})
    (job,) = jobs_of(case)
    for fold, split in zip(execute(job).folds, job.splits, strict=True):
        weights = {f"{path}sample_weight": WEIGHTS[split.train]}
        model = clone(estimator).fit(NUMBERS.iloc[split.train], LABELS[split.train], **weights)
        right = model.predict(NUMBERS.iloc[split.test]) == LABELS[split.test]
        told = np.average(right, weights=WEIGHTS[split.test])
        assert fold.scores["accuracy"] == pytest.approx(told, abs=1e-12)


def test_a_learner_that_takes_no_weights_fails_and_says_so() -> None:
    case = Case(
        KNeighborsClassifier(), NUMBERS, LABELS, options={"sample_weight": {"data": WEIGHTS}}
    )
    (job,) = jobs_of(case)
    assert "sample_weight" in execute(job).error


def test_what_fit_is_given_is_divided_with_the_rows() -> None:
    weights = {"it": {"sample_weight": WEIGHTS}}
    (job,) = jobs_of(Case(LOGISTIC, NUMBERS, LABELS, options={"fit_params": weights}))
    (plain,) = jobs_of(Case(LOGISTIC, NUMBERS, LABELS))
    assert job.key != plain.key
    told = cross_validate(
        LOGISTIC, NUMBERS, LABELS, cv=STRATIFIED, params={"sample_weight": WEIGHTS}
    )["test_score"]
    assert np.abs(np.array(scores_of((job,))["accuracy"]) - told).max() < 1e-12


@pytest.mark.parametrize(
    ("prepare", "by_hand"),
    [
        (StandardScaler(), StandardScaler),
        ({"it": SelectKBest(k=1)}, lambda: SelectKBest(k=1)),
    ],
)
def test_a_transformer_that_prepares_is_fitted_inside_the_fold(
    prepare: Any, by_hand: Callable[[], Any]
) -> None:
    case = Case(KNeighborsClassifier(), NUMBERS, LABELS, options={"prepare": prepare})
    model = make_pipeline(by_hand(), KNeighborsClassifier())
    told = cross_validate(model, NUMBERS, LABELS, cv=STRATIFIED)["test_score"]
    assert np.abs(np.array(scores_of(jobs_of(case))["accuracy"]) - told).max() < 1e-12


def test_several_targets_are_refused_in_one_line() -> None:
    with pytest.raises(ParameterError) as caught:
        make_plan({"two": (NUMBERS, np.column_stack([AMOUNTS, AMOUNTS]))}, {"ridge": Ridge()})
    assert str(caught.value) == (
        "y: 'two' has 2 targets in each row, and a data set has one; make a data set of each."
    )


def test_nothing_is_done_to_what_is_given() -> None:
    frame = MIXED.assign(left=LABELS)
    kept = frame.copy()
    (job, *_) = make_plan({"churn": frame}, {"it": columns(LOGISTIC)}, target="left").jobs
    pd.testing.assert_frame_equal(job.dataset.X, kept.drop(columns="left"))
    assert execute(job).status == "ok"
    pd.testing.assert_frame_equal(frame, kept)


@pytest.mark.slow
def test_workers_say_the_same(tmp_path: Path) -> None:
    """By value through files and pipes, as people run it."""
    estimators = {"columns": columns(LOGISTIC), "words": texts(LOGISTIC), "votes": VotingClassifier(
        [("l", columns(LOGISTIC)), ("t", columns(TREE))])}  # fmt: skip
    table = palio.run(
        {"churn": MIXED.assign(left=LABELS)},
        estimators,
        target="left",
        resampling=STRATIFIED,
        store=tmp_path / "e.db",
        progress=False,
    )
    for place, name in enumerate(table.algorithms):
        told = cross_validate(estimators[name], MIXED, LABELS, cv=STRATIFIED)["test_score"]
        found = table.fold_scores("churn")[place].ravel()
        assert np.abs(found - told).max() < 1e-12
