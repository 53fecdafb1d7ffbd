"""Cells as people write them: numbers around which something stands, and words for gaps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from palio.errors import CellError, MissingCellsError, ParameterError
from palio.scores import ScoreTable, read_scores


def long_table(first: str, second: str, measure: str = "rmse", **options: object) -> ScoreTable:
    columns = {"dataset": ["x", "x"], "algorithm": ["a", "b"], measure: [first, second]}
    return read_scores(columns, **options)  # type: ignore[arg-type]


def note_of(table: ScoreTable, start: str) -> str:
    (note,) = (each for each in table.notes if each.startswith(start))
    return note


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("86.9%", 86.9),
        ("86.9 %", 86.9),
        (r"86.9\%", 86.9),
        ("86.9% ± 1.2%", 86.9),
        ("86.9 ± 1.2%", 86.9),
        ("0.85 ± 0.02", 0.85),
        ("0.85±0.02", 0.85),
        ("0.85 +/- 0.02", 0.85),
        ("0.85+-0.02", 0.85),
        (r"$0.85 \pm 0.02$", 0.85),
        ("0.85 (0.02)", 0.85),
        ("0.85 (3)", 0.85),
        ("0.85 [0.82, 0.88]", 0.85),
        ("1.5e-3 (2e-4)", 0.0015),
        ("**0.91**", 0.91),
        ("__0.91__", 0.91),
        ("<b>0.91</b>", 0.91),
        (r"\textbf{0.91}", 0.91),
        (r"{\bf 0.91}", 0.91),
        (r"$\mathbf{0.91}$", 0.91),
        (r"\underline{\textbf{0.91}}", 0.91),
        (r"\textbf{0.91} $\pm$ 0.02", 0.91),
        (r"\cellcolor{gray}0.91", 0.91),
        ("0.91*", 0.91),
        ("0.91***", 0.91),
        ("0.91†", 0.91),
        (r"0.91$^{\dagger}$", 0.91),
        ("0.91 ↑", 0.91),
        ("1,234.5", 1234.5),
        ("1,234,567", 1234567),
        ("1 234", 1234),
        ("1\u202f234,5", 1234.5),
        ("1'234", 1234),
        ("1.234,5", 1234.5),
        ("85,2", 85.2),
        ("0,123", 0.123),
        ("1.5×10^3", 1500),
        (r"1.5 \times 10^{-3}", 0.0015),
    ],
)
def test_written_numbers_are_read_and_noted(text: str, value: float) -> None:
    table = long_table(text, text)
    assert table.means().tolist() == [[value, value]]
    assert repr(text) in note_of(table, "Cells read as numbers: ")


def test_a_typographic_minus_is_a_minus() -> None:
    assert long_table("−0.5", "1", "r2").means().tolist() == [[-0.5, 1]]


@pytest.mark.parametrize(
    "text",
    [
        "5nn",
        "0.9*1",
        "<0.01",
        "0.8-0.9",
        "0.85 (good)",
        "1,23,4",
        "12 34",
        "7B",
        "1.2.3",
        "1e",
        "*",
    ],
)
def test_what_is_no_number_stays_text(text: str) -> None:
    with pytest.raises(CellError, match="1 cell is text"):
        long_table("1", text, score="rmse")


def test_the_note_shows_how_cells_are_written() -> None:
    columns = {
        "dataset": ["x", "y", "z"],
        "a": ["**86.9%** ± 1", "80%", "80%"],
        "b": ["85%", "70%", "70,5%"],
    }
    table = read_scores(columns, score="accuracy")
    assert table.means().tolist() == [[86.9, 85], [80, 70], [80, 70.5]]
    assert note_of(table, "Cells read") == (
        "Cells read as numbers: 6, such as '**86.9%** ± 1' as 86.9, '80%' as 80 and '70,5%' as "
        "70.5."
    )


def test_plain_numbers_have_no_note() -> None:
    assert long_table("1", "2").notes == ()
    assert long_table("1", "NA", missing="pairwise").notes[0].startswith("missing='pairwise'")


def test_percent_signs_beside_none_are_refused_or_let_through() -> None:
    rule = (
        "score: 1 cell has a percent sign and 1 has none: '0.85' .row 1, counted from 0. of "
        "'accuracy'. Write all in percent or none, or give allow_out_of_range=True"
    )
    with pytest.raises(CellError, match=rule):
        long_table("86%", "0.85", "accuracy")
    table = long_table("86%", "0.85", "accuracy", allow_out_of_range=True)
    assert table.means().tolist() == [[86, 0.85]]
    assert "1 cell has a percent sign and 1 has none" in note_of(table, "Let through as asked: 1")
    assert long_table("86%", "0", "accuracy").means().tolist() == [[86, 0]]


def test_a_computed_column_needs_no_percent_sign() -> None:
    wide = {
        "dataset": ["x", "y", "z"],
        "a": ["51.1%", "62.2%", "70.1%"],
        "Average": ["60.1", "70.1", "80.1"],
        "b": ["69.1%", "78.0%", "90.1%"],
    }
    assert read_scores(wide, score="accuracy").algorithms == ("a", "b")


def test_the_columns_of_a_leaderboard_may_be_in_percent_or_not() -> None:
    board = {"model": ["a", "b"], "MMLU": ["70%", "60%"], "Arena": ["1200", "1250"]}
    assert read_scores(board, score="score").datasets == ("MMLU", "Arena")
    with pytest.raises(CellError, match="1 cell has a percent sign and 1 has none"):
        read_scores({**board, "MMLU": ["70%", "0.6"]}, score="score")


def test_a_number_above_1_beside_percentages_is_one() -> None:
    board = {"model": ["a", "b", "c"], "LS": ["1.77 %", "3.6", "1.48%"], "WSJ": ["2.4", "1.9", "3"]}
    table = read_scores(board, score="wer")
    assert table.means()[0].tolist() == [1.77, 3.6, 1.48]


def test_the_measure_may_stand_behind_a_number() -> None:
    board = {"model": ["a", "b"], "LS": ["4.2 % WER", "3.7 %"], "WSJ": ["20.4dB", "19.0dB"]}
    assert read_scores(board, score="error").means().tolist() == [[4.2, 3.7], [20.4, 19.0]]


def test_units_may_begin_with_a_capital() -> None:
    costs = {"Runtime": ["20.5 Min", "1.5 Hours"], "Memory": ["1.5 GByte", "300 MByte"]}
    table = read_scores({"dataset": ["x"] * 2, "model": ["a", "b"], "acc": [0.5, 0.6], **costs})
    assert table.cost_matrix("Runtime").tolist() == [[1230, 5400]]
    assert table.cost_matrix("Memory").tolist() == [[1.5e9, 3e8]]


# --- points and commas -----------------------------------------------------------------------


def test_a_comma_is_read_by_its_column() -> None:
    assert long_table("1,234", "0,5").means().tolist() == [[1.234, 0.5]]
    assert long_table("1,234", "0.5").means().tolist() == [[1234, 0.5]]
    assert long_table("1,234", "1,234.5").means().tolist() == [[1234, 1234.5]]
    assert long_table("1.234", "1.234,5").means().tolist() == [[1234, 1234.5]]


def test_a_comma_is_read_by_the_other_columns_where_its_own_does_not_tell() -> None:
    columns = {"dataset": ["x", "y"], "a": ["1,234", "5,678"], "b": ["0,5", "1,25"]}
    table = read_scores(columns, score="rmse")
    assert table.means().tolist() == [[1.234, 0.5], [5.678, 1.25]]


def test_a_comma_that_can_be_both_is_an_error_with_both_readings() -> None:
    rule = "column 'rmse' of the table: '1,234' can be read in two ways"
    with pytest.raises(CellError, match=rule) as raised:
        long_table("1,234", "12")
    assert [str(each.value) for each in raised.value.options] == [".", ","]
    assert "(it is 1234)" in str(raised.value)
    assert "(it is 1.234)" in str(raised.value)
    assert long_table("1,234", "12", decimal=".").means().tolist() == [[1234, 12]]
    assert long_table("1,234", "12", decimal=",").means().tolist() == [[1.234, 12]]


def test_a_point_among_decimal_commas_may_separate_thousands() -> None:
    with pytest.raises(CellError, match=r"'1\.234' can be read in two ways"):
        long_table("1.234", "85,2")
    assert long_table("1.234", "85,2", decimal=",").means().tolist() == [[1234, 85.2]]
    assert long_table("1.234", "2.345", decimal=",").means().tolist() == [[1234, 2345]]


def test_decimal_is_a_point_or_a_comma() -> None:
    with pytest.raises(ParameterError, match=r"decimal: it is \. or ,, and ';' was given"):
        long_table("1", "2", decimal=";")


def test_a_file_with_semicolons_and_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dataset;a;b\nx;85,2;80\ny;70,25;75,5\n", encoding="utf-8")
    table = read_scores(path, score="accuracy")
    assert table.means().tolist() == [[85.2, 80], [70.25, 75.5]]
    assert "3, such as '85,2' as 85.2" in note_of(table, "Cells read")


# --- words -----------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["-", "—", "–", "--", "#N/A", "#DIV/0!", "missing", ".", "n.a."])
def test_words_for_missing(word: str) -> None:
    table = long_table("0.5", word, missing="pairwise")
    assert np.isnan(table.means()[0, 1])
    assert table.rows.status is None
    assert note_of(table, "Cells read as missing") == f"Cells read as missing: {word!r} (1)."


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("timeout", "timeout"),
        ("Time-out", "timeout"),
        ("TO", "timeout"),
        ("OOM", "memory"),
        ("out of memory", "memory"),
        ("MEM", "memory"),
        ("failed", "failed"),
        ("Error", "failed"),
        ("crashed", "failed"),
        ("DNF", "failed"),
        ("×", "failed"),
        ("killed", "killed"),
    ],
)
def test_words_that_are_reasons_become_the_status(word: str, status: str) -> None:
    table = long_table("0.5", word, missing="pairwise")
    assert table.to_frame()["status"].to_list() == ["ok", status]
    note = f"Cells read as missing: {word!r} ({status}, 1)."
    assert note_of(table, "Cells read as missing") == note
    with pytest.raises(MissingCellsError, match=f"; 1 {status}"):
        long_table("0.5", word, missing="error")


def test_reasons_in_wide_tables_and_leaderboards() -> None:
    wide = {"dataset": ["x", "y"], "a": ["0.5", "OOM"], "b": ["-", "0.7"], "c": ["TO", "TO"]}
    table = read_scores(wide, score="accuracy", keep_failing=True)
    frame = table.to_frame().set_index(["dataset", "algorithm"])["status"]
    assert frame.to_dict() == {
        ("x", "a"): "ok",
        ("x", "b"): "absent",
        ("x", "c"): "timeout",
        ("y", "a"): "memory",
        ("y", "b"): "ok",
        ("y", "c"): "timeout",
    }
    told = "4 scores of accuracy are missing .*; 2 timeout, 1 memory"
    with pytest.raises(MissingCellsError, match=told):
        read_scores(wide, score="accuracy", missing="error", keep_failing=True)
    board = {"model": ["a", "b", "c"], "x": ["1", "2", "fail"], "y": ["1", "3", "5"]}
    turned = read_scores(board, score="rmse", missing="pairwise")
    of_c = turned.to_frame().query("algorithm == 'c'")
    assert of_c["status"].to_list() == ["failed", "ok"]


def test_reasons_stay_with_their_cells_when_a_computed_column_goes() -> None:
    wide = {
        "dataset": ["x", "y", "z"],
        "a": ["0.51", "0.62", "OOM"],
        "Average": ["0.60", "0.70", "0.90"],
        "b": ["0.69", "0.78", "0.90"],
    }
    table = read_scores(wide, score="accuracy", missing="pairwise")
    assert table.algorithms == ("a", "b")
    assert table.to_frame().query("status == 'memory'")["dataset"].to_list() == ["z"]


def test_a_column_of_statuses_wins_where_it_says_more_than_ok() -> None:
    columns = {
        "dataset": ["x"] * 3,
        "algorithm": ["a", "b", "c"],
        "accuracy": ["0.5", "TO", "TO"],
        "status": ["ok", "ok", "killed"],
    }
    table = read_scores(columns, missing="pairwise")
    assert table.to_frame()["status"].to_list() == ["ok", "timeout", "killed"]


def test_what_a_failed_cell_cost_does_not_count() -> None:
    columns = {
        "dataset": ["x"] * 2,
        "algorithm": ["a", "b"],
        "accuracy": ["0.5", "TO"],
        "train_time": [1.0, 3600.0],
    }
    table = read_scores(columns, missing="pairwise")
    assert np.isnan(table.cost_matrix("train_time")[0, 1])


def test_a_score_of_words_only_is_the_score() -> None:
    with pytest.raises(MissingCellsError, match="there is no accuracy at all"):
        long_table("failed", "OOM", "accuracy")


def test_names_may_be_words_that_elsewhere_mean_missing() -> None:
    columns = {
        "task": ["x", "x", "y", "y"],
        "variant": ["to", "from", "to", "from"],
        "accuracy": [0.1, 0.2, 0.3, 0.4],
    }
    assert read_scores(columns).algorithms == ("to", "from")


def test_a_long_table_keeps_text_that_is_only_reasons_as_text() -> None:
    columns = {
        "dataset": ["x", "x"],
        "algorithm": ["a", "b"],
        "accuracy": [0.5, 0.6],
        "info": ["", "timeout"],
    }
    assert "Columns not used because they hold text: info." in read_scores(columns).notes


def test_costs_in_a_second_table_are_read_the_same_way() -> None:
    scores = {"dataset": ["x", "x"], "algorithm": ["a", "b"], "accuracy": [0.5, 0.6]}
    costs = {"dataset": ["x", "x"], "algorithm": ["a", "b"], "seconds": ["1,5", "2,25"]}
    table = read_scores(scores, costs=costs)
    assert table.cost_matrix("seconds").tolist() == [[1.5, 2.25]]
    assert "2, such as '1,5' as 1.5" in note_of(table, "Cells read")
    doubtful = {**costs, "seconds": ["1,234", "2,345"]}
    table = read_scores(scores, costs=doubtful, decimal=",")
    assert table.cost_matrix("seconds").tolist() == [[1.234, 2.345]]


@pytest.mark.parametrize("mark", ["X", "n", "*"])
def test_a_lone_mark_among_numbers_is_a_missing_value(mark: str) -> None:
    numbers = [f"0.{place}" for place in range(1, 9)]
    columns = {"dataset": [f"d{place}" for place in range(8)], "svm": numbers}
    table = read_scores({**columns, "knn": [mark, mark, *numbers[2:]]}, higher_is_better=True)
    assert np.isnan(table.means()).sum() == 2
    assert f"Cells read as missing: {mark!r} (2)." in table.notes
    for cells in (["X", "Y"], ["A", "A"], ["X", "X1"]):
        with pytest.raises(CellError, match="must hold numbers"):
            read_scores({**columns, "knn": [*cells, *numbers[2:]]}, higher_is_better=True)
