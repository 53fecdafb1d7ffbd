"""What scikit-learn leaves behind, made by scikit-learn in the test; and TabArena's columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine  # type: ignore[import-untyped]
from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
from sklearn.model_selection import GridSearchCV, cross_validate  # type: ignore[import-untyped]
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.errors import InputError, UndecidedError
from palio.scores import read_scores
from palio.scores.sources import SOURCES

LEARNERS = {"bayes": GaussianNB(), "guess": DummyClassifier()}


def validated(data: Any, **options: Any) -> dict[str, dict[str, Any]]:
    x, y = data(return_X_y=True)
    return {name: cross_validate(each, x, y, cv=5, **options) for name, each in LEARNERS.items()}


def test_cross_validate_by_name_is_one_data_set_on_its_folds() -> None:
    results = validated(load_iris)
    assert next(name for name, each in SOURCES.items() if each.matches(results)) == "scikit-learn"
    table = read_scores(results)
    assert (table.algorithms, table.n_datasets) == (("bayes", "guess"), 1)
    assert str(table.design()) == "5-fold cv"
    assert table.cost_names == ("fit_time", "score_time")
    np.testing.assert_allclose(
        table.means()[0], [each["test_score"].mean() for each in results.values()]
    )


def test_cross_validate_by_data_set_and_name_with_several_scores() -> None:
    scoring = ["neg_log_loss", "accuracy"]
    results = {
        "iris": validated(load_iris, scoring=scoring),
        "wine": validated(load_wine, scoring=scoring),
    }
    table = read_scores(results)
    assert table.datasets == ("iris", "wine")
    assert table.measure.to_dict() == {"name": "test_neg_log_loss", "higher_is_better": True}
    other = read_scores(results, score="test_accuracy")
    expected = [[r["test_accuracy"].mean() for r in each.values()] for each in results.values()]
    np.testing.assert_allclose(other.means(), expected)


@pytest.mark.parametrize("scoring", [None, ["accuracy", "f1_macro"]])
def test_the_candidates_of_a_search_are_algorithms(scoring: Any) -> None:
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 3]},
        cv=4,
        scoring=scoring,
        refit=False,
    ).fit(*load_iris(return_X_y=True))
    for source in (search, search.cv_results_):
        table = read_scores(source)
        assert table.algorithms == ("max_depth=1", "max_depth=3")
        assert str(table.design()) == "4-fold cv"
        score = "score" if scoring is None else "accuracy"
        expected = search.cv_results_[f"mean_test_{score}"]
        np.testing.assert_allclose(table.means()[0], expected)
        assert table.measure.name == f"test_{score}"


def test_folds_that_differ_in_number_are_one_line() -> None:
    bad = {"a": {"test_x": [1, 2], "test_y": [1]}, "b": {"test_x": [1, 2], "test_y": [1]}}
    with pytest.raises(InputError, match="needs scores on the same folds"):
        read_scores(bad)


# --- TabArena ------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "tabarena:"])
def test_tabarena_is_an_error_with_two_costs_and_imputed_results_missing(
    prefix: str, tmp_path: Path
) -> None:
    path = tmp_path / "results.csv"
    path.write_text(
        "dataset,fold,method,metric_error,time_train_s,time_infer_s,metric,imputed\n"
        "a,0,RF,0.2,10,1,log_loss,False\na,0,GBM,0.1,20,2,log_loss,False\n"
        "b,0,RF,5.0,10,1,rmse,False\nb,0,GBM,5.0,,,rmse,True\n",
        encoding="utf-8",
    )
    table = read_scores(f"{prefix}{path}", missing="pairwise")
    assert table.measure.to_dict() == {"name": "metric_error", "higher_is_better": False}
    assert table.cost_names == ("time_train_s", "time_infer_s")
    np.testing.assert_array_equal(table.means(), [[0.2, 0.1], [5.0, np.nan]])
    assert any("1 result imputed by TabArena, and missing here" in note for note in table.notes)


def folds(score: float) -> dict[str, Any]:
    return {"fit_time": [1.0, 2.0], "score_time": [0.1, 0.1], "test_score": [score, score + 0.1]}


NAMED = {("iris", "knn"): 0.5, ("iris", "svm"): 0.6, ("wine", "knn"): 0.7, ("wine", "svm"): 0.8}


def test_results_are_keyed_by_data_set_and_algorithm_in_either_order() -> None:
    pairs = {key: folds(score) for key, score in NAMED.items()}
    turned = {(name, data): each for (data, name), each in pairs.items()}
    below = {
        name: {data: turned[name, data] for data in ("iris", "wine")} for name in ("knn", "svm")
    }
    for source in (pairs, turned, below):
        table = palio.read_scores(source)
        assert (table.datasets, table.algorithms) == (("iris", "wine"), ("knn", "svm"))
        np.testing.assert_allclose(table.means(), [[0.55, 0.65], [0.75, 0.85]])


def test_trials_of_a_study_are_algorithms(tmp_path: Path) -> None:
    """What ``study.trials_dataframe()`` gives; the study does not say which way is better."""
    start = pd.Timestamp("2024-01-01")
    trials = pd.DataFrame(
        {
            "number": [0, 1, 2, 3],
            "value": [0.5, 0.75, 0.625, np.nan],
            "datetime_start": start,
            "datetime_complete": start + pd.Timedelta(90, "s"),
            "duration": pd.Timedelta(90, "s"),
            "params_C": [1, 10, 100, 1],
            "params_kernel": ["rbf", "rbf", "linear", "linear"],
            "state": ["COMPLETE", "COMPLETE", "COMPLETE", "FAIL"],
        }
    )
    path = tmp_path / "trials.csv"
    trials.to_csv(path, index=False)
    for source in (trials, path):
        with pytest.raises(UndecidedError, match="whether a higher 'value' is better"):
            palio.read_scores(source)
        table = palio.read_scores(source, higher_is_better=True)
        assert table.algorithms == ("C=1, kernel=rbf", "C=10, kernel=rbf", "C=100, kernel=linear")
        assert table.means().tolist() == [[0.5, 0.75, 0.625]]
        assert table.cost_matrix("duration").tolist() == [[90.0, 90.0, 90.0]]
        assert "1 trial not completed left out" in " ".join(table.notes)
