"""Scores that are not there: kept apart by default, and other stated choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palio.errors import MissingCellsError, ParameterError, UnknownNameError
from palio.scores import ScoreTable, read_scores

NAN = float("nan")
# c is absent on wine, b is empty on zoo; iris is complete.
GAPS: dict[str, list[Any]] = {
    "dataset": ["iris", "iris", "iris", "wine", "wine", "zoo", "zoo", "zoo"],
    "algorithm": ["a", "b", "c", "a", "b", "a", "b", "c"],
    "accuracy": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, NAN, 0.3],
}


def test_refused_where_that_is_asked_for() -> None:
    with pytest.raises(MissingCellsError) as raised:
        read_scores(GAPS, missing="error")
    message = str(raised.value)
    assert "2 scores of accuracy are missing ('c' on 'wine', 'b' on 'zoo')" in message
    for choice in ("'worst'", "'pairwise'"):
        assert choice in message
    assert "\n" not in message


def test_many_missing_cells_are_counted() -> None:
    some = np.vstack([np.full((2, 4), NAN), np.ones((1, 4))])
    with pytest.raises(MissingCellsError, match=r"8 scores .*'d' on 'x' … and 4 more\)"):
        ScoreTable.from_arrays(
            some, datasets=[*"xyz"], algorithms=[*"abcd"], measure="auc", missing="error"
        )
    with pytest.raises(MissingCellsError, match="there is no auc at all"):
        ScoreTable.from_arrays(some[:2], datasets=[*"xy"], algorithms=[*"abcd"], measure="auc")


def test_drop_datasets() -> None:
    table = read_scores(GAPS, missing="drop-datasets")
    assert table.datasets == ("iris",)
    assert table.means().tolist() == [[0.9, 0.8, 0.7]]
    assert table.is_complete
    assert table.missing == "drop-datasets"
    assert table.notes[0] == (
        "missing='drop-datasets': 2 scores of accuracy are missing ('c' on 'wine', 'b' on 'zoo'); "
        "left out 2 data sets: wine, zoo."
    )


def test_worst() -> None:
    table = read_scores(GAPS, missing="worst")
    assert table.means().tolist() == [[0.9, 0.8, 0.7], [0.6, 0.5, 0.5], [0.4, 0.3, 0.3]]
    assert table.is_complete
    assert "2 scores of accuracy are missing ('c' on 'wine', 'b' on 'zoo')" in table.notes[0]
    assert "worst" in table.notes[0]


def test_worst_is_the_largest_where_lower_is_better() -> None:
    table = read_scores(GAPS, missing="worst", higher_is_better=False)
    assert table.means()[1:].tolist() == [[0.6, 0.5, 0.6], [0.4, 0.4, 0.3]]


def test_worst_is_taken_in_the_same_fold_and_else_in_the_data_set() -> None:
    columns = {
        "dataset": ["x"] * 6,
        "algorithm": ["a"] * 3 + ["b"] * 3,
        "fold": [1, 2, 3] * 2,
        "auc": [0.9, 0.8, NAN, NAN, 0.7, NAN],
    }
    table = read_scores(columns, missing="worst")
    assert table.fold_scores("x").tolist() == [[[0.9, 0.8, 0.7]], [[0.9, 0.7, 0.7]]]
    assert "'b' on 'x' fold 1" in table.notes[0]


def test_worst_fills_all_folds_of_an_absent_algorithm_and_its_costs() -> None:
    columns = {
        "dataset": ["x", "x", "x", "x", "y", "y", "y", "y"],
        "algorithm": ["a", "a", "b", "b", "a", "a", "c", "c"],
        "fold": [1, 2] * 4,
        "auc": [1.0, 2, 3, 4, 5, 6, 7, 8],
        "time": [1.0, 2, 3, 4, 5, 6, 7, 8],
    }
    table = read_scores(columns, missing="worst")
    assert table.fold_scores("x").tolist() == [[[1, 2]], [[3, 4]], [[1, 2]]]
    assert table.fold_scores("y").tolist() == [[[5, 6]], [[5, 6]], [[7, 8]]]
    assert table.cost_matrix("time").tolist() == [[1.5, 3.5, 3.5], [5.5, 7.5, 7.5]]
    assert "costs missing with them are the largest there" in table.notes[-1]


def test_pairwise() -> None:
    table = read_scores(GAPS, missing="pairwise")
    assert not table.is_complete
    expected = [[0.9, 0.8, 0.7], [0.6, 0.5, NAN], [0.4, NAN, 0.3]]
    assert np.array_equal(table.means(), expected, equal_nan=True)
    assert table.notes == ("missing='pairwise': nothing is filled in.",)
    assert "scores missing" in repr(table)
    assert table.select(datasets=["iris"]).is_complete
    with pytest.raises(
        MissingCellsError, match="'wine', but of 3 these are missing: 'c' on 'wine'"
    ):
        table.fold_scores("wine")


def test_a_mean_over_a_missing_fold_is_missing() -> None:
    columns = {
        "dataset": ["x"] * 4,
        "algorithm": ["a", "a", "b", "b"],
        "fold": [1, 2, 1, 2],
        "auc": [1, NAN, 3, 4],
        "time": [1, NAN, 3, 4],
    }
    table = read_scores(columns, missing="pairwise")
    assert np.array_equal(table.means(), [[NAN, 3.5]], equal_nan=True)
    assert np.array_equal(table.cost_matrix("time"), [[NAN, 3.5]], equal_nan=True)


def test_rows_that_are_not_ok_are_missing() -> None:
    columns = {
        "dataset": ["x", "x", "y", "y"],
        "algorithm": ["a", "b", "a", "b"],
        "Status": ["ok", "timeout", "OK", "ok "],
        "auc": [1, 2, 3, 4],
        "train_time": [1, 0.001, 3, 4],
    }
    with pytest.raises(
        MissingCellsError,
        match=r"\('b' on 'x'; 1 timeout\)",
    ):
        read_scores(columns, missing="error")
    table = read_scores(columns, missing="worst")
    assert table.means().tolist() == [[1, 1], [3, 4]]
    # The time of a run that was stopped is not the time it needs.
    assert table.cost_matrix("train_time").tolist() == [[1, 1], [3, 4]]
    assert read_scores(columns, missing="drop-datasets").datasets == ("y",)
    assert list(table.to_frame()["status"]) == ["ok", "timeout", "OK", "ok"]


def test_an_absent_result_is_not_called_a_bad_status() -> None:
    columns = {"dataset": ["x", "x", "y"], "algorithm": ["a", "b", "a"], "auc": [1, 2, 3]}
    with pytest.raises(MissingCellsError) as raised:
        read_scores({**columns, "status": ["ok"] * 3}, missing="error")
    assert "status" not in str(raised.value)
    assert "absent" in set(
        read_scores({**columns, "status": ["ok"] * 3}, missing="pairwise").to_frame()["status"]
    )


def test_what_cannot_be_dropped_or_filled() -> None:
    columns = {"dataset": ["x", "x"], "algorithm": ["a", "b"], "auc": [1, NAN]}
    with pytest.raises(MissingCellsError, match="every data set that has gaps fewer than 1"):
        read_scores(columns, missing="drop-datasets")
    with pytest.raises(MissingCellsError, match="there is no auc at all"):
        read_scores({**columns, "auc": [NAN, NAN]}, score="auc", missing="worst")


@pytest.mark.parametrize("choice", ["ignore", None, 3])
def test_unknown_choices(choice: Any) -> None:
    with pytest.raises(
        (ParameterError, UnknownNameError), match=r"^missing: .* (is not known|rule)"
    ):
        read_scores(GAPS, missing=choice)


def test_another_score_is_settled_by_the_same_choice() -> None:
    columns = {**GAPS, "accuracy": [1] * 8, "auc": GAPS["accuracy"]}
    table = read_scores(columns, score="accuracy", missing="drop-datasets")
    assert table.datasets == ("iris", "zoo")
    assert table.with_score("auc").datasets == ("iris",)
    whole = {name: values[:3] + values[5:] for name, values in columns.items()}
    with pytest.raises(MissingCellsError, match=r"1 score of auc is missing .'b' on 'zoo'"):
        read_scores(whole, score="accuracy", missing="error").with_score("auc")
