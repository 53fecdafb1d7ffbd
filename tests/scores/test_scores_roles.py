"""Roles of columns by the names that people use, and by content where these fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palio.errors import CellError, ColumnError
from palio.scores import ScoreTable, read_scores

ROWS: dict[str, list[Any]] = {
    "data": ["iris", "iris", "wine", "wine"],
    "who": ["a", "b", "a", "b"],
    "accuracy": [0.9, 0.8, 0.7, 0.6],
}


def named(dataset: str, algorithm: str, **more: list[Any]) -> dict[str, list[Any]]:
    return {
        dataset: ROWS["data"],
        algorithm: ROWS["who"],
        "accuracy": ROWS["accuracy"],
        **more,
    }


def twice(**more: list[Any]) -> dict[str, list[Any]]:
    """Return every result of ROWS two times, the second 0.2 lower; and columns beside them."""
    return {
        "dataset": ROWS["data"] * 2,
        "algorithm": ROWS["who"] * 2,
        "accuracy": [*ROWS["accuracy"], *(value - 0.2 for value in ROWS["accuracy"])],
        **more,
    }


def means(table: ScoreTable) -> object:
    return np.round(table.means(), 9).tolist()


@pytest.mark.parametrize(
    "algorithm",
    ["Model", "classifier", "method", "framework", "learner", "estimator", "approach", "system",
     "classifier_name", "Key_Scheme"],
)  # fmt: skip
@pytest.mark.parametrize(
    "dataset", ["task", "Problem", "benchmark", "dataset_name", "hf-subset", "Key_Dataset"]
)
def test_names_that_people_use(dataset: str, algorithm: str) -> None:
    table = read_scores(named(dataset, algorithm))
    assert table.datasets == ("iris", "wine")
    assert table.algorithms == ("a", "b")
    assert means(table) == [[0.9, 0.8], [0.7, 0.6]]
    assert table.notes == (
        f"Recognised: {algorithm!r} names the algorithms and {dataset!r} names the data sets.",
    )


def test_the_roles_own_name_comes_first() -> None:
    table = read_scores(named("dataset", "algorithm", task=["x"] * 4, model=["y"] * 4))
    assert table.datasets == ("iris", "wine")
    assert table.algorithms == ("a", "b")


def test_an_algorithm_that_is_called_method_is_still_one_in_a_wide_table() -> None:
    for own, other in (([0.9, 0.7], [0.8, 0.6]), ([90, 70], [80.5, 60.5])):
        wide = {"dataset": ["iris", "wine"], "method": own, "baseline": other}
        assert read_scores(wide, score="accuracy").algorithms == ("method", "baseline")


def test_of_two_candidates_the_one_that_tells_rows_apart_is_taken() -> None:
    columns = named("dataset", "model", method=["x", "x", "x", "y"])
    table = read_scores(columns)
    assert table.algorithms == ("a", "b")
    assert table.notes == (
        "Recognised: 'model' names the algorithms.",
        "Columns not used because they hold text: method.",
    )
    assert read_scores(columns, algorithm="model+method").algorithms[0] == "a / x"


def test_a_candidate_of_one_value_or_of_the_same_names_is_none() -> None:
    assert read_scores(named("dataset", "model", method=["x"] * 4)).algorithms == ("a", "b")
    same = read_scores(named("dataset", "model", model_id=["p", "q", "p", "q"]))
    assert same.algorithms == ("a", "b")


@pytest.mark.parametrize(
    ("name", "design", "called"),
    [
        *((name, "2-fold cv", "folds") for name in ("split", "Key_Fold")),
        *(
            (name, "2 hold-outs", "repeats")
            for name in ("resample", "run", "repetition", "Key_Run")
        ),
    ],
)
def test_folds_and_repeats_by_other_names(name: str, design: str, called: str) -> None:
    table = read_scores(twice(**{name: [1] * 4 + [2] * 4}))
    assert str(table.design()) == design
    assert table.notes == (f"Recognised: {name!r} names the {called}.",)


def test_a_run_beside_a_split_is_a_repeat() -> None:
    columns = {name: values * 2 for name, values in twice(split=[1] * 4 + [2] * 4).items()}
    table = read_scores({**columns, "run": [1] * 8 + [2] * 8})
    assert str(table.design()) == "2×2-fold cv"


def test_a_run_that_tells_nothing_apart_is_read_as_before() -> None:
    table = read_scores(named("dataset", "algorithm", run=[1, 1, 2, 2]))
    assert str(table.design()) == "one value per data set"
    assert table.score_names == ("accuracy", "run")


def test_training_and_test_scores_are_not_folds() -> None:
    columns = twice(split=["train"] * 4 + ["test"] * 4)
    with pytest.raises(ColumnError, match=r"'split': .* 'test' and 'train', which are not folds"):
        read_scores(columns)


@pytest.mark.parametrize("name", ["seed", "random_state"])
def test_seeds_are_averaged_and_never_folds(name: str) -> None:
    table = read_scores(twice(**{name: [7] * 4 + [8] * 4}))
    assert str(table.design()) == "one value per data set"
    assert means(table) == [[0.8, 0.7], [0.6, 0.5]]
    assert "Each score is the mean over 2 seeds." in table.notes


def test_seeds_are_averaged_within_folds_with_costs_and_lower_is_better() -> None:
    columns = {name: values * 2 for name, values in twice(fold=[1] * 4 + [2] * 4).items()}
    columns["error"] = columns.pop("accuracy")
    times = [float(value) for value in range(16)]
    table = read_scores({**columns, "seed": [1] * 8 + [2] * 8, "train_time": times})
    assert str(table.design()) == "2-fold cv"
    assert table.cost_matrix("train_time").tolist() == [[6.0, 7.0], [8.0, 9.0]]


def test_a_mean_over_seeds_of_which_one_failed_is_missing_with_its_status() -> None:
    columns = twice(seed=[1] * 4 + [2] * 4, status=["ok"] * 5 + ["timeout"] + ["ok"] * 2)
    columns["accuracy"][5] = None
    table = read_scores(columns, missing="pairwise")
    assert np.isnan(table.means()).tolist() == [[False, True], [False, False]]
    assert table.reasons(table.failed()) == ["timeout"]


def test_items_are_averaged_and_never_folds() -> None:
    table = read_scores(twice(question_id=["q1"] * 4 + ["q2"] * 4))
    assert means(table) == [[0.8, 0.7], [0.6, 0.5]]
    assert "Each score is the mean over 2 items." in table.notes
    with pytest.raises(CellError, match="each data set, algorithm and item may have one result"):
        read_scores(twice(doc_id=["q1"] * 8))


def test_items_that_not_all_answered_are_told() -> None:
    columns = {name: values[:-1] for name, values in twice(doc_id=[1] * 4 + [2] * 4).items()}
    assert "Each score is the mean over 1 to 2 items." in read_scores(columns).notes


def test_a_column_of_repeated_names_is_the_key_that_is_lacking() -> None:
    table = read_scores(named("dataset", "who"))
    assert table.algorithms == ("a", "b")
    assert table.notes == ("Recognised: 'who' names the algorithms.",)
    assert read_scores(named("place", "algorithm")).datasets == ("iris", "wine")


def test_two_columns_of_repeated_names_are_asked_about() -> None:
    with pytest.raises(
        ColumnError, match="algorithm='who', dataset='dataset'; or algorithm='what', "
    ):
        read_scores(named("dataset", "who", what=["x", "y", "y", "x"]))


def test_what_describes_an_algorithm_is_no_data_set() -> None:
    """Each model has one interpolation, so that this tells of the model; its size varies."""
    columns = {
        "model": ["a", "a", "b", "b", "c"],
        "img_size": [224, 448, 224, 448, 224],
        "interpolation": ["bicubic", "bicubic", "bilinear", "bilinear", "bicubic"],
        "top1": [0.7, 0.8, 0.6, 0.7, 0.5],
    }
    ways = r"dataset='img_size' or algorithm='model\+img_size'"
    with pytest.raises(ColumnError, match=rf"which differ in 'img_size'.*{ways}"):
        read_scores(columns)
    table = read_scores(columns, dataset="img_size", missing="pairwise")
    assert (table.n_datasets, table.measure.name) == (2, "top1")
    twice = {**columns, "dataset": ["x"] * 5}
    with pytest.raises(CellError, match=r"algorithm='model\+img_size' or where='img_size=224'"):
        read_scores(twice)


def test_a_status_names_no_data_sets() -> None:
    columns = named("place", "algorithm", status=["ok", "failed", "ok", "ok"])
    table = read_scores(columns, missing="pairwise")
    assert (table.datasets, dict(table.how_read.roles)["status"]) == (("iris", "wine"), "status")


@pytest.mark.parametrize("fine", ["success", "COMPLETED", "Finished"])
def test_a_run_that_succeeded_has_its_score(fine: str) -> None:
    columns = named("dataset", "algorithm", status=[fine, fine, "failed", "ok"])
    table = read_scores(columns, missing="pairwise")
    assert np.isnan(table.means()).tolist() == [[False, False], [True, False]]
    assert set(table.to_frame()["status"]) == {"ok", "failed"}


def test_the_score_given_is_no_key_whatever_its_name() -> None:
    columns = twice(fold=[1] * 4 + [2] * 4, run=list(range(8)))
    assert read_scores(columns, score="run", higher_is_better=False).measure.name == "run"


def test_costs_of_a_second_table_by_other_names() -> None:
    costs = {
        "task": ["iris", "iris", "wine", "wine"],
        "model": ["a", "b"] * 2,
        "watts": [1, 2, 3, 4],
    }
    table = read_scores(named("dataset", "algorithm"), costs=costs)
    assert table.cost_matrix("watts").tolist() == [[1, 2], [3, 4]]
