"""Leaderboards, tables without names, and what is made of the rest of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palio.errors import ParameterError, UndecidedError
from palio.scores import read_scores
from palio.scores.aggregates import aggregates

BOARD: dict[str, list[Any]] = {
    "Model": ["m1", "m2", "m3"],
    "ARC": [0.512, 0.621, 0.488],
    "MMLU": [0.702, 0.655, 0.601],
    "GSM8K": [0.313, 0.452, 0.287],
}
SCORES = [[0.512, 0.621, 0.488], [0.702, 0.655, 0.601], [0.313, 0.452, 0.287]]
WIDE: dict[str, list[Any]] = {
    "dataset": ["iris", "wine", "car"],
    "tree": [0.91, 0.72, 0.83],
    "knn": [0.85, 0.79, 0.66],
}
UP: dict[str, Any] = {"score": "accuracy"}


def test_models_in_rows() -> None:
    table = read_scores(BOARD, **UP)
    assert table.algorithms == ("m1", "m2", "m3")
    assert table.datasets == ("ARC", "MMLU", "GSM8K")
    assert table.means().tolist() == SCORES
    assert table.notes[0].startswith("Models in rows: 'Model' names the algorithms")


def test_transpose_turns_it_off_and_on() -> None:
    off = read_scores(BOARD, **UP, transpose=False)
    assert off.algorithms == ("ARC", "MMLU", "GSM8K")
    assert off.notes == ("Recognised: 'Model' names the data sets.",)
    anything = {"x": BOARD["Model"], **{name: BOARD[name] for name in ("ARC", "MMLU", "GSM8K")}}
    assert read_scores(anything, **UP).means().tolist() == SCORES  # well-known benchmarks
    assert read_scores(anything, **UP, transpose=False).algorithms == ("ARC", "MMLU", "GSM8K")
    assert read_scores(anything, **UP, transpose=True).means().tolist() == SCORES


def test_a_long_table_cannot_be_transposed() -> None:
    long = {"dataset": ["x", "x"], "algorithm": ["a", "b"], "accuracy": [0.1, 0.2]}
    with pytest.raises(ParameterError, match=r"transpose: .*one of data sets"):
        read_scores(long, transpose=True)


def test_measures_of_one_data_set_are_no_data_sets() -> None:
    columns = {"model": ["a", "b"], "accuracy": [0.9, 0.8], "f1": [0.8, 0.7], "train_time": [1, 2]}
    table = read_scores(columns)
    assert (table.algorithms, table.datasets) == (("a", "b"), ("the table",))
    assert (table.measure.name, table.cost_names) == ("accuracy", ("train_time",))
    assert "which can be read instead: --score f1." in table.notes[-1]
    assert read_scores(columns, score="f1").means().tolist() == [[0.8, 0.7]]


def test_test_scores_beside_hyper_parameters_are_no_data_sets() -> None:
    columns = {
        "model_name": ["svc", "knn"],
        "mean_test_score": [0.6, 0.5],
        "mean_train_score": [0.8, 1.0],
        "C": [1000.0, None],
        "gamma": [0.01, None],
    }
    table = read_scores(columns)
    assert (table.measure.name, table.n_datasets) == ("mean_test_score", 1)
    assert table.means().tolist() == [[0.6, 0.5]]


def test_what_describes_models_is_left_out_and_what_they_cost_is_kept() -> None:
    more = {
        "params_B": [7, 70, 1],
        "License": ["mit", "apache", "mit"],
        "Submitted": ["2024-01-02", "2024-02-03", "2025-01-01"],
        "#Params (B)": [7, 70, 1],
        "train_time": [3, 4, 5],
        "Hub ❤️": [9, 8, 7],
        "CO₂ cost (kg)": [0.5, 0.25, 0.75],
        "#": [1, 2, 3],
    }
    table = read_scores({**BOARD, **more}, **UP)
    assert table.datasets == ("ARC", "MMLU", "GSM8K")
    assert table.cost_names == ("params_B", "#Params (B)", "train_time")
    assert table.cost_matrix("train_time").tolist() == [[3, 4, 5]] * 3
    assert table.notes[1:] == (
        "Recognised as costs by name: params_B, #Params (B), train_time.",
        "Left out, because they describe and are no results: "
        "License, Submitted, Hub ❤️, CO₂ cost (kg), #.",
    )


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("Average", [0.509, 0.576, 0.4587], "mean"),
        ("Avg.", [51, 58, 46], None),
        ("Total", [1.527, 1.728, 1.376], "sum"),
        ("Mean rank", [1.67, 1.33, 3], "mean rank"),
        ("Wins", [1, 2, 0], "number of wins"),
    ],
)
def test_means_sums_and_ranks_are_left_out(
    name: str, values: list[float], kind: str | None
) -> None:
    table = read_scores({**BOARD, name: values}, **UP)
    assert table.datasets == ("ARC", "MMLU", "GSM8K")
    note = f"Left out, because it is computed: {name}, the {kind} of the others."
    if kind is None:
        note = f"Left out by their names, as no data sets: {name}."
    assert table.notes[1:] == (note,)


def test_ranks_of_rows_are_left_out() -> None:
    table = read_scores({**BOARD, "Overall rank": [2, 1, 3]}, **UP)
    assert table.datasets == ("ARC", "MMLU", "GSM8K")
    told = "Left out, because they describe and are no results: Overall rank."
    assert table.notes[1:] == (told,)


def test_rows_of_means_and_ranks_are_left_out() -> None:
    columns = {
        "dataset": [*WIDE["dataset"], "Average", "Avg rank"],
        "tree": [*WIDE["tree"], 0.82, 1.33],
        "knn": [*WIDE["knn"], 0.7667, 1.67],
    }
    table = read_scores(columns, **UP)
    assert table.datasets == ("iris", "wine", "car")
    assert table.means().tolist() == read_scores(WIDE, **UP).means().tolist()
    assert table.notes == (
        "Left out, because it is computed: Average, the mean of the others; "
        "Avg rank, the mean rank of the others.",
    )


def test_what_is_not_computed_is_kept_and_told() -> None:
    columns = {
        "dataset": ["Mean", *WIDE["dataset"]],
        "tree": [0.9, *WIDE["tree"]],
        "knn": [0.7667, *WIDE["knn"]],
    }
    table = read_scores(columns, **UP)
    assert table.datasets == ("Mean", "iris", "wine", "car")
    assert table.notes == ("Kept, as computing does not give it: Mean.",)


def test_last_rows_of_ranks_and_wins_are_no_data_sets() -> None:
    """Of numbers that were rounded afterwards, so that computing does not give them."""
    columns = {
        "": [*WIDE["dataset"], "Average_Rank", "Wins"],
        "tree": [*WIDE["tree"], 1.45, 3],
        "knn": [*WIDE["knn"], 1.95, 1],
    }
    table = read_scores(columns, **UP)
    assert table.datasets == ("iris", "wine", "car")
    assert table.notes == (
        "Recognised: 'index' names the data sets.",
        "Left out by their names, as no data sets: Average_Rank, Wins.",
    )


def test_an_algorithm_may_be_called_mean() -> None:
    table = read_scores({**WIDE, "Mean": [0.1, 0.7, 0.5]}, **UP)
    assert table.algorithms == ("tree", "knn", "Mean")


# --- measures in the names of columns -------------------------------------------------------

SPEECH = {
    "model": ["a", "b", "c"],
    "Average WER": [15.0, 5.0, 8.5],
    "RTFx per gpu": [100, 200, 300],
    "AMI WER": [10.0, 4.0, 8.0],
    "LS WER": [20.0, 6.0, 9.0],
}


def test_a_measure_in_the_names_of_most_columns_is_the_measure() -> None:
    table = read_scores(SPEECH)
    assert str(table.measure) == "WER (lower is better)"
    assert table.datasets == ("AMI WER", "LS WER")
    assert table.notes[1] == (
        "The measure is WER, by the names of the columns; left out, without it: RTFx per gpu."
    )
    assert read_scores(SPEECH, score="wer").datasets == ("AMI WER", "LS WER")
    assert "AMI WER" in read_scores(SPEECH, score="accuracy").datasets


def test_a_measure_may_begin_the_names() -> None:
    columns = {"model": ["a", "b"], "win_rate_x": [0.1, 0.2], "win_rate_y": [0.3, 0.5]}
    assert read_scores(columns).measure.name == "win_rate"


def test_of_several_measures_in_the_names_the_first_is_read_and_the_others_are_told() -> None:
    columns = {**SPEECH, "AMI CER": [5.0, 2.0, 4.0], "LS CER": [9.0, 3.0, 4.0]}
    table = read_scores(columns)
    assert (str(table.measure), table.datasets) == ("WER (lower is better)", ("AMI WER", "LS WER"))
    assert "The measure is WER, by the names of the columns; others: --score cer" in table.notes[1]
    assert read_scores(columns, score="CER").datasets == ("AMI CER", "LS CER")


def test_algorithms_with_a_measure_in_their_names() -> None:
    columns = {"dataset": ["x", "y"], "knn_auc": [0.7, 0.8], "svm_auc": [0.6, 0.9]}
    table = read_scores(columns)
    assert (table.measure.name, table.algorithms) == ("auc", ("knn_auc", "svm_auc"))
    more = read_scores({**columns, "tree": [0.5, 0.6]})  # most names have it
    assert (more.measure.name, more.algorithms) == ("auc", ("knn_auc", "svm_auc", "tree"))


def test_a_cost_in_the_names_shows_what_else_is_measured() -> None:
    """As published of a solver: every heuristic's decisions and times, beside a ratio."""
    columns = {
        "problem": ["x", "y"],
        "r": [0.2, 0.4],
        "rand_decisions": [65, 57],
        "moms_decisions": [66, 62],
        "rand_time": [0.5, 0.4],
        "moms_time": [0.4, 0.3],
    }
    found = read_scores(columns)
    assert (found.measure.name, found.algorithms) == ("time", ("rand_time", "moms_time"))
    assert "by the names of the columns; others: --score decisions; left out" in found.notes[1]
    table = read_scores(columns, score="decisions", higher_is_better=False)
    assert table.algorithms == ("rand_decisions", "moms_decisions")
    assert not read_scores(columns, score="time").measure.higher_is_better


def test_places_of_one_list_are_called_by_their_numbers() -> None:
    columns = {"system": ["a", "b"], "result.0": [1.5, 2.5], "result.1": [0.1, 0.3]}
    columns |= {"result.2": [0.7, 0.6]}
    table = read_scores(columns, higher_is_better=False)
    assert table.datasets == ("0", "1", "2")
    assert any("the places of 'result'" in note for note in table.notes)
    np.testing.assert_array_equal(table.means(), [[1.5, 2.5], [0.1, 0.3], [0.7, 0.6]])


@pytest.mark.parametrize("last", ["other.2", "result.3", "result.x"])
def test_places_that_are_not_all_of_one_list_keep_their_names(last: str) -> None:
    columns = {"system": ["a", "b"], "result.0": [1.5, 2.5], "result.1": [0.1, 0.3]}
    table = read_scores(columns | {last: [0.7, 0.6]}, higher_is_better=False)
    assert table.datasets == ("result.0", "result.1", last)


def test_rows_that_may_be_either_are_asked_about() -> None:
    columns = {"name": ["a", "b"], "win_rate": [0.7, 0.8], "quality": [1, 2], "who": ["p", "q"]}
    with pytest.raises(UndecidedError, match=r"='name', score=.*; or dataset='name', sco"):
        read_scores(columns, higher_is_better=True)
    assert read_scores(columns, algorithm="name", score="win_rate").algorithms == ("a", "b")


def test_spreads_beside_algorithms_are_no_algorithms() -> None:
    table = read_scores({**WIDE, "knn_std": [0.01, 0.02, 0.03]}, **UP)
    assert table.algorithms == ("tree", "knn")
    table = read_scores({**WIDE, "std": [0.01, 0.02, 0.03]}, **UP)
    assert table.algorithms == ("tree", "knn")
    assert table.notes == ("Left out, because they describe and are no results: std.",)


def test_several_means_of_the_same_numbers() -> None:
    columns = {
        "dataset": [*WIDE["dataset"], "Mean", "Wins"],
        "tree": [*WIDE["tree"], 0.82, 2],
        "knn": [*WIDE["knn"], 0.7667, 1],
    }
    assert read_scores(columns, **UP).datasets == ("iris", "wine", "car")


def test_a_benchmark_with_a_score_in_its_name_stays() -> None:
    table = read_scores({**BOARD, "MT-Bench score": [7.1, 6.2, 8.3]}, **UP)
    assert table.datasets == ("ARC", "MMLU", "GSM8K", "MT-Bench score")


def test_models_that_occur_twice_are_told_apart_by_a_second_column() -> None:
    columns = {**BOARD, "Model": ["m1", "m1", "m2"], "revision": ["x", "y", "z"]}
    names = ("m1 / x", "m1 / y", "m2 / z")
    assert read_scores(columns, **UP, algorithm="Model+revision").algorithms == names
    table = read_scores(columns, **UP)
    assert table.algorithms == names
    assert table.notes[0].startswith("Models in rows: 'Model+revision' names the algorithms")


def test_an_algorithm_called_mean_stays_unless_it_is_one() -> None:
    assert read_scores({**WIDE, "mean": [0.5, 0.4, 0.6]}, **UP).algorithms == (
        "tree", "knn", "mean",
    )  # fmt: skip
    assert read_scores({**WIDE, "mean": [0.88, 0.755, 0.745]}, **UP).algorithms == ("tree", "knn")


def test_equal_algorithms_are_no_means_of_each_other() -> None:
    scores = np.repeat(np.random.default_rng(0).random((8, 1)), 4, axis=1)
    assert aggregates(["a", "b", "c", "mean"], scores) == {}


def test_missing_cells_in_a_leaderboard() -> None:
    columns = {**BOARD, "ARC": [0.5, None, 0.4], "Average": [0.505, 0.5535, 0.4293]}
    table = read_scores(columns, **UP, missing="pairwise")
    assert table.datasets == ("ARC", "MMLU", "GSM8K")
    assert np.isnan(table.means()).sum() == 1


def test_rows_without_names_are_numbered() -> None:
    table = read_scores({"a": [0.1, 0.2], "b": [0.3, 0.4]}, **UP)
    assert table.datasets == ("1", "2")
    assert table.notes == (
        "No column names the data sets: they are called by the numbers of their rows.",
    )


def test_text_beside_named_data_sets_describes_them() -> None:
    table = read_scores({"type": ["b", "m", "b"], "task": WIDE["dataset"], **WIDE}, **UP)
    assert table.algorithms == ("tree", "knn")
    named = {
        "kind": ["b", "m", "b"],
        "task": WIDE["dataset"],
        "tree": WIDE["tree"],
        "knn": WIDE["knn"],
    }
    table = read_scores(named, **UP)
    assert table.datasets == ("iris", "wine", "car")
    assert table.notes[-1] == "Left out, because they describe and are no results: kind."
