"""Costs beside the scores, and in a table of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from palio.errors import (
    CellError,
    ColumnError,
    MissingCellsError,
    Option,
    ParameterError,
    UnknownNameError,
    UnreadableError,
)
from palio.scores import read_scores

pl = pytest.importorskip("polars", reason="polars is not made for every Python")

LONG: dict[str, list[Any]] = {
    "dataset": ["iris", "iris", "wine", "wine"],
    "algorithm": ["a", "b", "a", "b"],
    "accuracy": [0.9, 0.8, 0.7, 0.6],
}
WIDE: dict[str, list[Any]] = {"dataset": ["iris", "wine"], "a": [0.9, 0.7], "b": [0.8, 0.6]}
COSTS: dict[str, list[Any]] = {
    "Algorithm": ["b", "b", "a", "a"],
    "dataset": ["wine", "iris", "wine", "iris"],
    "joules": [4.0, 2.0, 3.0, 1.0],
    "space": [40, 20, 30, 10],
}
JOULES = [[1.0, 2.0], [3.0, 4.0]]


def test_known_names_are_costs_without_being_named() -> None:
    table = read_scores({**LONG, "train_time": [1, 2, 3, 4], "Space": [5, 6, 7, 8]})
    assert table.cost_names == ("train_time", "Space")
    assert table.score_names == ("accuracy",)
    assert table.cost_matrix("Space").tolist() == [[5, 6], [7, 8]]
    assert table.notes == ("Recognised as costs by name: train_time, Space.",)


@pytest.mark.parametrize("costs", ["joules", ["joules"], ("joules",)])
def test_columns_of_the_same_table(costs: Any) -> None:
    table = read_scores({**LONG, "joules": [1, 2, 3, 4]}, costs=costs)
    assert table.cost_matrix("joules").tolist() == JOULES
    assert table.score_names == ("accuracy",)
    assert table.notes == ()


def test_costs_by_fold_are_averaged_over_folds() -> None:
    columns = {
        "dataset": ["x"] * 4,
        "algorithm": ["a", "a", "b", "b"],
        "fold": [1, 2, 1, 2],
        "auc": [1, 2, 3, 4],
        "time": [1, 2, 3, 5],
    }
    assert read_scores(columns).cost_matrix("time").tolist() == [[1.5, 4.0]]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame])
@pytest.mark.parametrize("wide", [False, True])
def test_a_second_table(make: Any, wide: bool) -> None:
    scores, options = (WIDE, {"score": "accuracy"}) if wide else (LONG, {})
    table = read_scores(scores, costs=make(COSTS), **options)
    assert table.cost_names == ("joules", "space")
    assert table.cost_matrix("joules").tolist() == JOULES
    assert table.select(["wine"], ["b", "a"]).cost_matrix("joules").tolist() == [[4.0, 3.0]]
    assert table.to_frame()["joules"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("as_text", [False, True])
def test_a_second_table_in_a_file(tmp_path: Path, as_text: bool) -> None:
    path = tmp_path / "costs.csv"
    pd.DataFrame(COSTS).to_csv(path)  # with its row numbers, as people do
    table = read_scores(LONG, costs=str(path) if as_text else path)
    assert table.cost_matrix("joules").tolist() == JOULES
    assert table.notes == ("A column without a name is not used.",)


def test_a_second_table_with_the_key_names_of_the_first() -> None:
    def rename(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        names = {"dataset": "task", "algorithm": "flow", "Algorithm": "flow"}
        return {names.get(name, name): values for name, values in columns.items()}

    table = read_scores(rename(LONG), dataset="task", algorithm="flow", costs=rename(COSTS))
    assert table.cost_matrix("joules").tolist() == JOULES
    table = read_scores(rename(LONG), dataset="task", algorithm="flow", costs=COSTS)
    assert table.cost_matrix("joules").tolist() == JOULES


def test_extra_rows_and_columns_of_the_second_table_are_noted() -> None:
    costs = {name: [*values, values[0]] for name, values in COSTS.items()}
    costs["dataset"][-1] = "zoo"
    costs["remark"] = ["slow"] * 5
    notes = read_scores(LONG, costs=costs).notes
    assert "Columns not used because they hold text: remark." in notes
    assert "Costs of the table of costs not used, as the scores lack them: 'b' on 'zoo'." in notes


def test_the_second_table_wins() -> None:
    table = read_scores({**LONG, "space": [1, 1, 1, 1]}, costs=COSTS)
    assert table.cost_matrix("space").tolist() == [[10, 20], [30, 40]]
    assert "The second table's space replaces the scores table's own." in table.notes


def test_costs_are_needed_only_where_there_are_scores() -> None:
    columns = {name: values[:3] for name, values in LONG.items()}
    costs = {name: values[1:] for name, values in COSTS.items()}
    gaps = read_scores(columns, costs=costs, missing="pairwise").cost_matrix("joules")
    assert np.array_equal(gaps, [[1.0, 2.0], [3.0, np.nan]], equal_nan=True)
    filled = read_scores(columns, costs=costs, missing="worst").cost_matrix("joules")
    assert filled.tolist() == [[1.0, 2.0], [3.0, 3.0]]
    dropped = read_scores(columns, costs=costs, missing="drop-datasets").cost_matrix("joules")
    assert dropped.tolist() == [[1.0, 2.0]]


def without_last(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {name: values[:-1] for name, values in columns.items()}


def contradicted(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {
        name: [*values, 9 if name == "joules" else values[0]] for name, values in columns.items()
    }


BAD_TABLES: list[tuple[Any, type[Exception], str]] = [
    (contradicted(COSTS), CellError, r"one result.*'b' on 'wine' \(rows 0, 4, counted"),
    ({"dataset": ["iris"], "time": [1]}, ColumnError, "no column named 'algorithm'; its columns"),
    ({"algorithm": ["a"], "time": [1]}, ColumnError, "no column named 'dataset'"),
    (LONG, ColumnError, "costs: .*no column of costs"),
    ({"dataset": ["i"], "algorithm": ["a"]}, ColumnError, "costs: .*no column of costs"),
    ({**COSTS, "dataset": ["?"] * 4, "Algorithm": [*"abcd"]}, CellError, "no row of the table of"),
    ({**COSTS, "space": [1, 2, 3, -4]}, CellError, "space .*not negative.*-4 for 'a' on 'iris'"),
    ({**COSTS, "space": [1, 2, 3, float("inf")]}, CellError, "space must be finite"),
    ({**COSTS, "joules": ["1", "2", "3", "big"]}, CellError, "'joules' of the table of.*'big'"),
    ({**COSTS, "dataset": ["wine", "", "wine", "iris"]}, CellError, "'dataset' of the table of"),
    ({"dataset": [], "algorithm": [], "time": []}, CellError, "the table of costs has no rows"),
    ("costs.csv", UnreadableError, "costs: there is no file 'costs.csv'"),
    ("jouls", ColumnError, "costs: the table has no column 'jouls'.*a table of their own"),
    (["jouls"], ColumnError, "costs: the table has no column 'jouls'"),
    ([1], ColumnError, "costs: the table has no column '1'"),
    (["accuracy"], ParameterError, "costs: 'accuracy' is the score already"),
    (3, ParameterError, "costs: must be the path of a file.* got int"),
]


@pytest.mark.parametrize(("costs", "error", "message"), BAD_TABLES)
def test_bad_cost_tables(costs: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        read_scores(LONG, score="accuracy", costs=costs)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([1, 2, 3, -4], CellError, "train_time must be .*not negative.*-4 for 'b' on 'wine'"),
        ([1, 2, float("inf"), 4], CellError, "train_time must be finite.*inf for 'a' on 'wine'"),
    ],
)
def test_bad_cost_columns(values: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_scores({**LONG, "train_time": values})


@pytest.mark.parametrize("costs", [None, ["train_time"]])
def test_text_among_well_known_costs_is_unknown(costs: list[str] | None) -> None:
    cells = ["1", "2", "3", "crash/360"]
    table = read_scores({**LONG, "train_time": cells}, costs=costs)
    assert "train_time: 1 cell of text, taken for unknown: 'crash/360'." in table.notes
    assert np.isnan(table.rows.costs["train_time"]).tolist() == [False, False, False, True]
    with pytest.raises(CellError, match="column 'zeal' of the table: must hold numbers"):
        read_scores({**LONG, "zeal": cells}, costs=["zeal"])


def test_a_cost_that_one_algorithm_lacks_is_refused_when_it_is_asked_for() -> None:
    table = read_scores({**LONG, "train_time": [1, None, 3, None], "space": [1, 2, 3, 4]})
    assert table.cost_names == ("train_time", "space")
    with pytest.raises(MissingCellsError, match="'train_time' was not measured for 'b', and is"):
        table.cost_matrix("train_time")
    assert table.cost_matrix("space").tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("missing", ["worst", "pairwise"])
def test_a_lacking_cost_is_told_from_a_missing_score(missing: Any) -> None:
    """What is filled in for a failed run does not make a cost of an algorithm without one."""
    columns = {**LONG, "accuracy": [0.5, None, 0.5, 0.5], "train_time": [1, None, 3, None]}
    table = read_scores(columns, missing=missing)
    with pytest.raises(MissingCellsError, match="'train_time' was not measured for 'b', and is"):
        table.cost_matrix("train_time")


def test_a_cost_that_nobody_has_is_refused_at_once() -> None:
    with pytest.raises(MissingCellsError, match="joules must be there"):
        read_scores({**LONG, "joules": [None] * 4}, costs=["joules"])


def test_means_of_costs_allow_for_the_results_that_some_lack() -> None:
    """b takes twice as long as a on iris: on wine, where b takes 4, a would take 2."""
    table = read_scores({**LONG, "train_time": [1, 2, None, 4]})
    assert (
        "train_time is missing for 1 result ('a' on 'wine'): its means allow for that."
        in table.notes
    )
    assert table.mean_costs()["train_time"] == pytest.approx({"a": 2**0.5, "b": 8**0.5})
    second = read_scores(LONG, costs=without_last(COSTS))
    assert any(note.startswith("joules is missing for 1 result") for note in second.notes)


def test_unknown_costs() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no costs\. Give a second table with costs=:"
    ) as no:
        read_scores(LONG).cost_matrix("train_time")
    assert no.value.options == [Option("costs")]
    with pytest.raises(UnknownNameError, match=r"cost: 'jouls' .*Did you mean 'joules'"):
        read_scores(LONG, costs=COSTS).cost_matrix("jouls")
