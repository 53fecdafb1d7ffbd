"""Which rows, algorithms and data sets of a table are asked about."""

from __future__ import annotations

from typing import Any

import pytest

from palio.errors import CellError, ColumnError, InputError, ParameterError
from palio.scores import read_scores
from palio.scores.selection import Choice

LONG: dict[str, list[Any]] = {
    "dataset": ["uci-car", "uci-car", "uci-car", "iris", "iris", "iris"],
    "algorithm": ["tree", "knn", "tuned-knn"] * 2,
    "accuracy": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4],
}
# Every result under two limits; those of the second are errors of a tenth.
LIMITS: dict[str, list[Any]] = {
    "dataset": LONG["dataset"] * 2,
    "framework": LONG["algorithm"] * 2,
    "limit": [1] * 6 + [4] * 6,
    "machine": ["small"] * 6 + ["big"] * 6,
    "error": [*LONG["accuracy"], *(value / 10 for value in LONG["accuracy"])],
}


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ({"algorithms": ["tree", "knn"]}, ("tree", "knn")),
        ({"algorithms": "knn,tree"}, ("tree", "knn")),
        ({"algorithms": "*knn"}, ("knn", "tuned-knn")),
        ({"exclude": "tuned-*"}, ("tree", "knn")),
        ({"algorithms": "t*", "exclude": ["tuned-knn"]}, ("tree",)),
    ],
)
def test_algorithms(asked: dict[str, Any], left: tuple[str, ...]) -> None:
    if len(left) < 2:
        with pytest.raises(ColumnError, match="at least two algorithms"):
            read_scores(LONG, **asked)
        return
    table = read_scores(LONG, **asked)
    assert table.algorithms == left
    out = next(name for name in LONG["algorithm"] if name not in left)
    assert table.notes == (f"Chosen: 2 of 3 algorithms, without {out}.",)
    assert table.means().tolist() == [
        [LONG["accuracy"][row + LONG["algorithm"].index(name)] for name in left] for row in (0, 3)
    ]


def test_data_sets() -> None:
    table = read_scores(LONG, datasets="uci-*")
    assert table.datasets == ("uci-car",)
    assert table.notes == ("Chosen: 1 of 2 data sets, without iris.",)


def test_a_name_with_wildcards_or_commas_in_it_stands_for_itself() -> None:
    columns = {**LONG, "algorithm": ["svm, C=1", "svm[12]", "*"] * 2}
    assert read_scores(columns, algorithms="svm, C=1,*").algorithms == ("svm, C=1", "*")
    assert read_scores(columns, exclude="svm[12]").algorithms == ("svm, C=1", "*")


@pytest.mark.parametrize("option", ["algorithms", "exclude", "datasets"])
def test_a_name_that_is_not_there(option: str) -> None:
    asked: dict[str, Any] = {option: "tre"}
    with pytest.raises(InputError, match=r"'tre' is not known"):
        read_scores(LONG, **asked)


def test_what_is_not_chosen_is_not_missed() -> None:
    columns = {**LONG, "accuracy": [0.9, 0.8, None, 0.6, 0.5, 0.4]}
    assert read_scores(columns, exclude="tuned-knn").is_complete


def test_errors_point_at_the_rows_of_the_whole_table() -> None:
    columns = {name: [*values, values[-1]] for name, values in LONG.items()}
    columns["accuracy"][-1] = 0.3
    with pytest.raises(CellError, match="rows 5, 6, counted from 0"):
        read_scores(columns, exclude="tree")


def test_costs_go_with_those_chosen() -> None:
    costs = {
        "dataset": LONG["dataset"],
        "algorithm": LONG["algorithm"],
        "watts": [1, 2, 3, 4, 5, 6],
    }
    table = read_scores(LONG, costs=costs, algorithms="*knn", datasets="iris")
    assert table.cost_matrix("watts").tolist() == [[5, 6]]
    assert table.notes[0] == "Chosen: 2 of 3 algorithms, without tree."


@pytest.mark.parametrize(
    "where", ["limit=4", ["machine=big"], {"limit": 4.0}, {"machine": "b*"}, "limit=4.0"]
)
def test_where(where: Any) -> None:
    table = read_scores(LIMITS, where=where)
    assert table.means()[0].round(9).tolist() == [0.09, 0.08, 0.07]
    assert not table.measure.higher_is_better
    assert table.notes[0].startswith("Only rows where ")
    assert table.notes[0].endswith(": 6 of 12.")


def test_several_values_are_alternatives_and_several_columns_all_hold() -> None:
    both = read_scores(LIMITS, where=["limit=1", "limit=4", "machine=small"], missing="pairwise")
    assert both.means()[0].tolist() == [0.9, 0.8, 0.7]
    assert both.notes[0] == "Only rows where limit is 1 or 4 and machine is small: 6 of 12."


def test_a_column_that_was_asked_about_is_no_score_and_a_key_stays_one() -> None:
    columns = {**LONG, "trees": [10] * 6, "quality": LONG["accuracy"]}
    del columns["accuracy"]
    table = read_scores(columns, where="trees=10", higher_is_better=True)
    assert table.score_names == ("quality",)
    one = read_scores(columns, where=["trees=10", "dataset=iris"], higher_is_better=True)
    assert one.datasets == ("iris",)
    assert read_scores(columns, where="trees=10", score="trees", higher_is_better=True).n_datasets


def test_where_points_at_the_lines_of_the_file() -> None:
    columns = {**LIMITS, "error": [*LIMITS["error"][:11], "bad"]}
    with pytest.raises(CellError, match="row 11, counted from 0"):
        read_scores(columns, where="limit=4", score="error")


@pytest.mark.parametrize(
    ("where", "error", "says"),
    [
        ("limits=4", ColumnError, "Did you mean 'limit'"),
        ("limit=5", CellError, "no row of the table has limit=5. It has '1', '4'"),
        ("limit", ParameterError, "it is written COL=VALUE"),
        (["limit=1", "machine=big"], CellError, "has machine=big"),
    ],
)
def test_bad_conditions(where: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as raised:
        read_scores(LIMITS, where=where)
    assert says in str(raised.value)


@pytest.mark.parametrize("algorithm", ["framework+limit", ["framework", "limit"]])
def test_several_columns_make_one_name(algorithm: Any) -> None:
    table = read_scores(LIMITS, algorithm=algorithm)
    assert table.algorithms[0] == "tree / 1"
    assert table.n_algorithms == 6
    assert table.means()[0].round(9).tolist() == [0.9, 0.8, 0.7, 0.09, 0.08, 0.07]


def test_data_sets_of_several_columns() -> None:
    table = read_scores(LIMITS, dataset="dataset+machine")
    assert table.datasets == (
        "uci-car / small", "iris / small", "uci-car / big", "iris / big",
    )  # fmt: skip
    with pytest.raises(ColumnError, match="no column 'machin'"):
        read_scores(LIMITS, dataset="dataset+machin")


def test_a_leaderboard_is_chosen_from_too() -> None:
    board = {
        "model": ["a", "b", "c"],
        "kind": ["x", "x", "y"],
        "ARC": [1.5, 2, 3],
        "MMLU": [3, 4, 5],
    }
    table = read_scores(board, score="accuracy", where="kind=x", datasets="A*")
    assert (table.algorithms, table.datasets) == (("a", "b"), ("ARC",))


def test_of_a_table_that_is_there_already() -> None:
    table = Choice(exclude="tree", datasets="iris").of_table(read_scores(LONG))
    assert table.means().tolist() == [[0.5, 0.4]]
    assert len(table.notes) == 2
    assert Choice().of_table(table) is table
