"""Files of one algorithm or of one data set, and columns that are runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import palio
from palio.errors import ColumnError, UndecidedError
from palio.scores import read_scores
from palio.scores.roles import are_runs


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_measures_is_of_one_algorithm(tmp_path: Path) -> None:
    text = "dataset,accuracy_mean,accuracy_std,time_test_seconds\nx,0.5,0.1,3\ny,0.75,0.2,4\n"
    path = write(tmp_path / "rocket.v2.csv", text)
    table = read_scores(path, alone=True)
    assert (table.algorithms, table.datasets) == (("rocket.v2",), ("x", "y"))
    assert (table.measure.name, table.cost_names) == ("accuracy_mean", ("time_test_seconds",))
    assert table.means().tolist() == [[0.5], [0.75]]
    assert "called by its file: rocket.v2" in table.notes[0]
    with pytest.raises(ColumnError, match="at least two algorithms"):
        read_scores(path)


def test_a_file_of_models_and_measures_is_of_one_data_set(tmp_path: Path) -> None:
    text = 'model,score,rating_q025,CI,avg_tokens\na,82.5,80.1,"(-2, +2)",600\nb,79.25,77,x,500\n'
    table = read_scores(write(tmp_path / "arena.csv", text))
    assert (table.algorithms, table.datasets) == (("a", "b"), ("arena",))
    assert (table.measure.name, table.cost_names) == ("score", ("avg_tokens",))
    assert table.means().tolist() == [[82.5, 79.25]]


def test_sentences_are_no_names_of_algorithms(tmp_path: Path) -> None:
    rows = [f"d,{'Tell me of ' * 8}{n},{('knn', 'svm')[n % 2]},0.5" for n in range(4)]
    path = write(tmp_path / "t.csv", "\n".join(["dataset,prompt,by,loss", *rows]))
    table = read_scores(path)
    assert table.algorithms == ("knn", "svm")
    assert table.notes[0] == "Recognised: 'by' names the algorithms."
    assert "Columns not used because they hold text: prompt." in table.notes


def test_a_first_column_without_a_name_can_be_named(tmp_path: Path) -> None:
    text = ",win_rate,n_wins,n_draws,mode\na,75.5,9,3,x\nb,50.5,7,1,x\n"
    path = write(tmp_path / "board.csv", text)
    for table in (read_scores(path), read_scores(path, algorithm="index", score="win_rate")):
        assert (table.algorithms, table.datasets) == (("a", "b"), ("board",))
        assert table.means().tolist() == [[75.5, 50.5]]


def test_text_that_may_name_algorithms_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "dataset,who,accuracy\nx,p,0.5\ny,q,0.75\n")
    table = read_scores(path, alone=True)
    assert (table.algorithms, table.datasets) == (("t",), ("x", "y"))
    assert "Columns not used because they hold text: who." in table.notes
    assert read_scores(path, algorithm="who").algorithms == ("p", "q")


def test_an_algorithm_of_a_frame_is_called_by_it() -> None:
    table = read_scores({"dataset": ["x", "y"], "accuracy": [0.5, 0.75]}, alone=True)
    assert table.algorithms == ("the table",)
    assert table.notes[0].startswith("The table names no algorithms, so it is of one")


def test_columns_of_numbers_in_order_are_runs(tmp_path: Path) -> None:
    path = write(tmp_path / "knn.csv", "dataset,0,1,2\nx,0.5,0.75,1\ny,0.25,,0.5\n")
    with pytest.raises(UndecidedError, match="what it measures, nor whether higher is better"):
        read_scores(path, alone=True)
    table = read_scores(path, score="error", alone=True, missing="pairwise")
    assert (table.algorithms, str(table.design())) == (("knn",), "3 hold-outs")
    frame = table.to_frame().set_index(["dataset", "repeat"])["error"]
    assert frame["x"].tolist() == [0.5, 0.75, 1.0]
    assert frame.isna().sum() == 1


def test_files_of_runs_are_an_algorithm_each(tmp_path: Path) -> None:
    for name, score in (("knn", 0.5), ("svm", 0.75)):
        write(tmp_path / f"{name}_resamples.csv", f"dataset,1,2,3\nx,{score},{score},{score}\n")
    table = read_scores(tmp_path, score="accuracy")
    assert (table.algorithms, table.datasets) == (("knn", "svm"), ("x",))
    assert table.means().tolist() == [[0.5, 0.75]]


@pytest.mark.parametrize(
    ("names", "runs"),
    [("0 1 2", True), ("1 2 3 4", True), ("0 1", False), ("5 6 7", False), ("1 2 4", False)],
)
def test_what_runs_are_called(names: str, runs: bool) -> None:
    assert are_runs(names.split()) is runs


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["+5/-4", "+6/-6", ""], {"gpt-4o": (1466.0, 1475.0), "llama-3-8b": (1440.0, 1452.0)}),
        (["[1460, 1480]", "(1440; 1450)", "wide"],
         {"gpt-4o": (1460.0, 1480.0), "llama-3-8b": (1440.0, 1450.0)}),
    ],
)  # fmt: skip
def test_a_board_keeps_the_intervals_it_publishes(
    cells: list[str], expected: dict[str, tuple[float, float]]
) -> None:
    board = {
        "model": ["gpt-4o", "llama-3-8b", "phi-3"],
        "elo": [1470, 1446, 1300],
        "95_pct_ci": cells,
    }
    table = palio.read_scores(board, higher_is_better=True)
    assert table.intervals == expected
    text = str(palio.order(table))
    assert " … ".join(f"{end:.0f}" for end in expected["gpt-4o"]) in text
    assert "ranks" not in text
    assert "mean elo" not in text
