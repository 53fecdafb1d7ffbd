"""Which column is what, in long and wide tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palio.errors import CellError, ColumnError, ParameterError, UndecidedError
from palio.scores import read_scores

LONG: dict[str, list[Any]] = {
    "dataset": ["iris", "iris", "wine", "wine"],
    "algorithm": ["a", "b", "a", "b"],
    "accuracy": [0.9, 0.8, 0.7, 0.6],
}
WIDE: dict[str, list[Any]] = {"dataset": ["iris", "wine"], "a": [0.9, 0.7], "b": [0.8, 0.6]}


def renamed(**names: str) -> dict[str, list[Any]]:
    return {names.get(name, name): values for name, values in LONG.items()}


def test_long() -> None:
    table = read_scores(LONG)
    assert table.datasets == ("iris", "wine")
    assert table.algorithms == ("a", "b")
    assert table.means().tolist() == [[0.9, 0.8], [0.7, 0.6]]
    assert table.score_names == ("accuracy",)
    assert table.cost_names == ()
    assert table.notes == ()
    assert table.is_complete


@pytest.mark.parametrize("name", ["Dataset", "DATASET", "data_set", "Data set", "data-set"])
def test_usual_names_in_any_case(name: str) -> None:
    assert read_scores(renamed(dataset=name, algorithm="ALGORITHM")).datasets == ("iris", "wine")


def test_given_names() -> None:
    table = read_scores(renamed(dataset="task", algorithm="flow"), dataset="task", algorithm="flow")
    assert table.datasets == ("iris", "wine")


def test_a_column_given_for_one_role_is_not_claimed_by_another() -> None:
    columns = {**LONG, "fold": [1, 1, 1, 1]}
    table = read_scores(columns, repeat="fold")
    assert str(table.design()) == "one value per data set"


def test_what_is_given_as_folds_names_no_data_sets() -> None:
    table = read_scores(renamed(dataset="place"), algorithm="algorithm", fold="place")
    assert (table.datasets, str(table.design())) == (("the table",), "2-fold cv")


def test_an_exact_name_wins_over_a_similar_one() -> None:
    columns = {**LONG, "Dataset": ["x", "x", "x", "x"]}
    table = read_scores(columns)
    assert table.datasets == ("iris", "wine")
    assert table.notes == ("Columns not used because they hold text: Dataset.",)


def test_wide_equals_long() -> None:
    wide = read_scores(WIDE, score="accuracy")
    assert np.array_equal(wide.means(), read_scores(LONG).means())
    assert wide.algorithms == ("a", "b")
    assert wide.measure == read_scores(LONG).measure


def test_wide_with_any_name_and_a_direction() -> None:
    assert not read_scores(WIDE, score="badness", higher_is_better=False).measure.higher_is_better
    assert read_scores(WIDE, higher_is_better=True).measure.name == "score"


def test_wide_with_its_data_sets_in_the_first_column() -> None:
    columns = {"problem": WIDE["dataset"], "a": WIDE["a"], "b": WIDE["b"]}
    table = read_scores(columns, score="accuracy")
    assert table.datasets == ("iris", "wine")
    assert table.notes == ("Recognised: 'problem' names the data sets.",)


def test_wide_with_numbered_data_sets() -> None:
    assert read_scores({"": [3, 31], "a": [1, 2], "b": [3, 4]}, score="auc").datasets == ("3", "31")


def test_wide_with_repeats_and_folds() -> None:
    columns = {
        "fold": [2, 1, 2, 1],
        "a": [4.0, 3.0, 2.0, 1.0],
        "Repeat": [2, 2, 1, 1],
        "dataset": ["iris"] * 4,
        "b": [8.0, 7.0, 6.0, 5.0],
    }
    table = read_scores(columns, score="error")
    assert table.algorithms == ("a", "b")
    assert table.fold_scores("iris").tolist() == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


@pytest.mark.parametrize(
    ("keys", "design", "shape"),
    [
        ({"fold": [1, 2, 1, 2]}, "2-fold cv", (2, 1, 2)),
        ({"repeat": [1, 2, 1, 2]}, "2 hold-outs", (2, 2, 1)),
    ],
)
def test_fold_alone_and_repeat_alone(
    keys: dict[str, list[int]], design: str, shape: tuple[int, ...]
) -> None:
    columns = {"dataset": ["x"] * 4, "algorithm": ["a", "a", "b", "b"], "auc": [1, 2, 3, 4], **keys}
    table = read_scores(columns)
    assert str(table.design("x")) == design
    assert table.fold_scores("x").shape == shape


def test_one_known_name_among_several_is_the_score() -> None:
    table = read_scores({**LONG, "n_trees": [1, 2, 3, 4], "comment": ["x", "", "", ""]})
    assert table.measure.name == "accuracy"
    assert table.score_names == ("accuracy", "n_trees")
    assert table.notes == (
        "The score is accuracy; the table also has n_trees.",
        "Columns not used because they hold text: comment.",
    )


def test_the_score_given_is_taken_and_the_others_are_kept() -> None:
    table = read_scores({**LONG, "auc": [1, 2, 3, 4]}, score="auc")
    assert table.measure.name == "auc"
    assert table.with_score("accuracy").means().tolist() == [[0.9, 0.8], [0.7, 0.6]]
    assert table.notes == (
        "The score is auc; the table also has accuracy, which can be read instead: "
        "--score accuracy.",
    )


def test_a_cost_may_be_asked_about_as_the_score() -> None:
    table = read_scores({**LONG, "train_time": [1, 2, 3, 4]}, score="train_time")
    assert str(table.measure) == "train_time (lower is better)"
    assert table.cost_names == ()
    assert table.score_names == ("accuracy", "train_time")


def test_several_measures_are_one_score_and_a_note_on_the_others() -> None:
    table = read_scores({**LONG, "auc": [1, 2, 3, 4], "depth": [1, 2, 3, 4]})
    assert table.measure.name == "accuracy"
    assert table.notes == (
        "The score is accuracy; the table also has auc, depth, which can be read instead: "
        "--score auc.",
    )


def test_a_table_of_costs_only_is_about_them() -> None:
    table = read_scores(renamed(accuracy="train_time"))
    assert str(table.measure) == "train_time (lower is better)"
    assert table.cost_names == ()


def test_costs_of_minus_one_are_unknown() -> None:
    table = read_scores({**LONG, "n_params": [7, -1, 7, -1]})
    assert table.to_frame()["n_params"].isna().tolist() == [False, True] * 2
    assert table.notes[-1] == "n_params: 2 values of -1, taken for unknown."


def test_numbers_under_a_name_for_algorithms_name_these() -> None:
    columns = {"dataset": ["x", "x"], "method": [1, 2], "auc": [0.5, 0.75]}
    assert read_scores(columns, score="auc").algorithms == ("1", "2")


def test_a_cost_beside_columns_of_algorithms_is_left_out_and_told() -> None:
    table = read_scores({**WIDE, "train_time": [1, 2]}, score="auc")
    assert table.algorithms == ("a", "b")
    assert table.notes == ("Left out, because they describe and are no results: train_time.",)


def test_text_columns_with_cost_names_are_not_costs() -> None:
    table = read_scores({**LONG, "time": ["noon"] * 4, "empty": [None] * 4})
    assert table.cost_names == ()
    assert table.notes == (
        "Columns not used because they hold text: time.",
        "Columns not used because they are empty: empty.",
    )


BAD_LONG: list[tuple[dict[str, list[Any]], dict[str, Any], type[Exception], str]] = [
    (LONG, {"dataset": "datset"}, ColumnError, "dataset: .*'datset'. Did you mean 'dataset'"),
    (LONG, {"algorithm": "algo"}, ColumnError, "algorithm: the table has no column 'algo'"),
    (LONG, {"fold": "fold"}, ColumnError, "fold: .* Its columns are 'dataset', 'algorithm'"),
    (LONG, {"repeat": "rep"}, ColumnError, "repeat: .*no column 'rep'"),
    (LONG, {"score": "acuracy"}, ColumnError, "score: .*Did you mean 'accuracy'"),
    (LONG, {"score": 3}, ParameterError, "score: must be the name of a column; got 3"),
    (LONG, {"score": "dataset"}, ParameterError, "'dataset' is the dataset column already"),
    (LONG, {"costs": ["algorithm"]}, ParameterError, "costs: 'algorithm' is the algorithm column"),
    (
        LONG,
        {"dataset": "algorithm", "algorithm": "algorithm"},
        ParameterError,
        "algorithm: column 'algorithm' cannot be",
    ),
    (
        renamed(accuracy="value"),
        {},
        UndecidedError,
        "whether a higher 'value' is better.*: higher_is_better=True; or higher_is_better=False",
    ),
    (LONG, {"higher_is_better": 1}, ParameterError, "higher_is_better: must be True or False"),
    (
        {"Dataset": ["x"], "DATASET": ["x"], "algorithm": ["a"], "auc": [1]},
        {},
        ColumnError,
        "'Dataset', 'DATASET' of the table could all be the dataset column",
    ),
    (
        {"dataset": ["x", "y"], "algorithm": ["a", "a"], "auc": [1, 2]},
        {},
        ColumnError,
        r"at least two algorithms are needed; found 1 \('a'\).*algorithm=",
    ),
]


@pytest.mark.parametrize(("columns", "options", "error", "message"), BAD_LONG)
def test_bad_long_tables(
    columns: dict[str, list[Any]], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        read_scores(columns, **options)
    assert "\n" not in str(raised.value)


AUC = {"score": "auc"}
BAD_WIDE: list[tuple[dict[str, list[Any]], dict[str, Any], type[Exception], str]] = [
    (
        WIDE,
        {},
        UndecidedError,
        "does not say what it measures.*: higher_is_better=True; or higher_is_better=False",
    ),
    (WIDE, {"score": "zeal"}, UndecidedError, "whether a higher 'zeal' is better"),
    (
        {"dataset": ["x", "y"], "who": ["p", "q"], "accuracy": [1, 2]},
        {},
        ColumnError,
        "at least two algorithms.*If another column names the algorithms, say which with algorithm",
    ),
    (
        {**WIDE, "c": [0.5, 0.4]},
        {"score": "auc", "costs": ["b"]},
        ColumnError,
        "costs: .*second table",
    ),
    ({"a": [0.1, 0.2], "b": ["x", "y"]}, AUC, ColumnError, "no column 'auc'.*are 'a', 'b'"),
    ({"dataset": ["x", "y"], "a": [1, 2]}, AUC, ColumnError, "no column 'auc'.*'dataset', 'a'"),
    ({"dataset": ["x", "y"]}, AUC, ColumnError, "no column of numbers. Its columns are 'dataset'"),
    ({"fold": [1, 2]}, AUC, ColumnError, "no column .* name algorithms or data sets.*'fold'"),
    ({**WIDE, "b": ["0,8", "0.6"]}, AUC, CellError, "'0,8' .*decimal point"),
    ({**WIDE, "b": ["80%", "60%"]}, AUC, CellError, "2 cells have a percent sign and 2 have none"),
    ({**WIDE, "b": ["80 ± x", "60"]}, AUC, CellError, "'80 ± x' .*plain numbers"),
]


@pytest.mark.parametrize(("columns", "options", "error", "message"), BAD_WIDE)
def test_bad_wide_tables(
    columns: dict[str, list[Any]], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        read_scores(columns, **options)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("score", [None, "ys"])
def test_lists_are_no_scores(score: str | None) -> None:
    curves = [
        {"task": task, "method": method, "seed": 0, "xs": [1, 2], "ys": [0.25] * 500}
        for task in "ab"
        for method in ("dqn", "ppo")
    ]
    with pytest.raises(ColumnError, match=r"such as a curve of learning") as caught:
        read_scores(curves, score=score, higher_is_better=True)
    assert "'ys'" in str(caught.value)
    assert len(str(caught.value)) < 300
