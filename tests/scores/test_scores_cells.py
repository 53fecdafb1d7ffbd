"""Cells that cannot be used: the message says which, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palio.errors import CellError
from palio.scores import read_scores

X2 = ["x", "x"]
AB = ["a", "b"]

BAD: list[tuple[dict[str, list[Any]], str]] = [
    (
        {"dataset": X2, "algorithm": AB, "auc": ["0.5", "high"]},
        "column 'auc' of the table: must hold numbers, and 1 cell is text: 'high' .row 1, counted",
    ),
    (
        {"dataset": X2, "algorithm": AB, "auc": ["0,5", "0.6"]},
        "1 cell is text: '0,5' .*decimal point",
    ),
    ({"dataset": X2, "algorithm": AB, "auc": [True, False]}, "2 cells are text: 'True'"),
    (
        {"dataset": X2, "algorithm": AB, "auc": [1, float("inf")]},
        "score: auc must be finite, within ±1e.100, but 1 value is infinite .inf for 'b' on 'x'; "
        "row 1, counted",
    ),
    ({"dataset": X2, "algorithm": AB, "auc": ["1", "-Infinity"]}, "-inf for 'b' on 'x'"),
    (
        {"dataset": ["x", None], "algorithm": AB, "auc": [1, 2]},
        "column 'dataset' .*1 cell is empty: row 1, counted from 0; fill in the column",
    ),
    ({"dataset": X2, "algorithm": ["a", "  "], "auc": [1, 2]}, "'algorithm' .*1 cell is empty"),
    (
        {"dataset": ["x", "x", "x "], "algorithm": ["a", "b", "a"], "auc": [1, 2, 3]},
        "'x' is there with spaces around it .*Write it the same way",
    ),
    (
        {"dataset": X2 * 2, "algorithm": AB * 2, "fold": [1, 1, None, 2], "auc": [1, 2, 3, 4]},
        "column 'fold' .*which fold each row is, and 1 cell is empty: row 2",
    ),
    (
        {"dataset": ["x"] * 3, "algorithm": ["a", "b", "a"], "auc": [1, 2, 3]},
        r"1 result repeats an earlier one: 'a' on 'x' \(rows 0, 2, counted from 0\)."
        " If they are folds or repeats, name these in a column. Say which are meant: duplicates=",
    ),
    (
        {"dataset": X2 * 2, "algorithm": AB * 2, "fold": [1, 2, 1, 2], "auc": [1, 2, 3, 4]},
        r"2 results repeat an earlier one: 'a' on 'x' fold 1 \(rows 0, 2.*duplicates='mean'",
    ),
    (
        {"dataset": ["x"] * 8, "algorithm": ["a", "b", *"aaaaaa"], "auc": list(range(8))},
        "6 results repeat.* … and 3 more",
    ),
]


@pytest.mark.parametrize(("columns", "message"), BAD)
def test_bad_cells(columns: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(CellError, match=message) as raised:
        read_scores(columns)
    assert "\n" not in str(raised.value)


def test_duplicates_in_a_file_are_found_by_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dataset,algorithm,auc\nx,a,1\nx,b,2\nx,a,3\n", encoding="utf-8")
    with pytest.raises(CellError, match=r"'a' on 'x' \(lines 2, 4\)"):
        read_scores(path)


def test_duplicates_in_a_wide_table_are_found_by_row() -> None:
    with pytest.raises(CellError, match=r"'a' on 'x' \(rows 0, 1, counted.*duplicates='mean'"):
        read_scores({"dataset": ["x", "x"], "a": [1, 2], "b": [3, 4]}, score="auc")


def test_labels_that_are_the_same_number_are_the_same_fold() -> None:
    columns = {"dataset": ["x"] * 4, "algorithm": ["a", "a", "b", "b"], "auc": [1, 2, 3, 4]}
    table = read_scores({**columns, "fold": ["1", "2", "01", "2.0"]})
    assert table.fold_scores("x").tolist() == [[[1, 2]], [[3, 4]]]


def test_surrounding_spaces_are_stripped() -> None:
    table = read_scores({"dataset": [" x", " x"], "algorithm": ["a ", " b"], "auc": [1, 2]})
    assert table.datasets == ("x",)
    assert table.algorithms == ("a", "b")


def test_a_column_of_numbers_with_some_text_is_an_error_only_if_asked_about() -> None:
    columns = {"dataset": X2, "algorithm": AB, "auc": [1, 2], "depth": ["3", "deep"]}
    assert read_scores(columns, score="auc").score_names == ("auc",)
    with pytest.raises(CellError, match="'deep'"):
        read_scores(columns, score="depth", higher_is_better=True)


def test_many_bad_cells_are_counted() -> None:
    names = {"dataset": [""] * 8, "algorithm": [*"abcdefgh"], "auc": [0.5] * 8}
    with pytest.raises(CellError, match="rows 0, 1, 2, 3, 4 … and 3 more, counted from 0"):
        read_scores(names, score="auc")


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["0.5", "--*", "0.7"], [0.5, None, 0.7]),  # a dash with the mark of a footnote
        (["72.5%", "73.4", "70%"], [72.5, 73.4, 70.0]),  # no number above 1 is a fraction
        (["\ufeff0.5", "0.6", "0.7\u200b"], [0.5, 0.6, 0.7]),
    ],
)
def test_cells_of_readmes(tmp_path: Path, cells: list[str], values: list[float | None]) -> None:
    rows = "".join(f"| m{n} | {cell} |\n" for n, cell in enumerate(cells))
    (tmp_path / "t.md").write_text(f"| Model | Accuracy |\n|---|---|\n{rows}", encoding="utf-8")
    table = read_scores(tmp_path / "t.md", alone=True, keep_failing=True)
    expected = [np.nan if value is None else value for value in values]
    np.testing.assert_array_equal(table.means()[0], expected)


def test_fractions_are_no_percents() -> None:
    with pytest.raises(CellError, match="percent sign"):
        read_scores({"model": ["a", "b", "c"], "accuracy": ["72.5%", "0.73", "0.7"]})


def test_of_two_numbers_in_a_cell_the_first_is_read(tmp_path: Path) -> None:
    rows = "".join(f"| m{n} | 4{n}<br/>{n}9 | **6{n}**<br>7{n} |\n" for n in range(1, 5))
    path = tmp_path / "t.md"
    path.write_text(f"| Model | Singleton | Transient |\n|---|---|---|\n{rows}")
    table = read_scores(path, higher_is_better=False)
    assert table.means().tolist() == [[41, 42, 43, 44], [61, 62, 63, 64]]
    assert any("'41 / 19' as 41" in note for note in table.notes)


def test_one_unit_of_time_is_made_of_several() -> None:
    times = {"model": ["a", "b", "c"], "run time": ["1.5 ms", "761.5 µs", "3 ms"]}
    assert read_scores(times).means().tolist() == [pytest.approx([1.5e-3, 761.5e-6, 3e-3])]
