"""Header and body of tables as documents show them."""

from __future__ import annotations

import pytest

from palio.scores.columns import Columns, Context, Texts
from palio.scores.text_tables import TextTable, columns_of


def found(*rows: str) -> Columns:
    """Read rows whose cells are separated by bars."""
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    context = Context(caption="above", text="below")
    table = TextTable(cells, range(1, len(cells) + 1), context)
    return columns_of(table, "t")


def cells(columns: Columns) -> list[list[str]]:
    every = [column.cells for column in columns.values.values() if isinstance(column, Texts)]
    return [list(row) for row in zip(*every, strict=True)]


BODY = ("iris | 0.9 | 0.8", "wine | 0.7 | 0.6")

HEADERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "one row": (("data | knn | svm", *BODY), ("data", "knn", "svm")),
    "no corner": ((" | knn | svm", *BODY), ("", "knn", "svm")),
    "pandas": ((" | knn | svm", "data | | ", *BODY), ("data", "knn", "svm")),
    "none": (BODY, ("column 1", "column 2", "column 3")),
    "blank": ((" | | ", *BODY), ("column 1", "column 2", "column 3")),
    "blank above one": ((" | | ", "data | knn | svm", *BODY), ("data", "knn", "svm")),
    "a title": (("Error | | ", "data | knn | svm", *BODY), ("data", "knn", "svm")),
    "a title that spans": (("E | E | E", "data | knn | svm", *BODY), ("data", "knn", "svm")),
    "a name twice": (("data | knn | knn", *BODY), ("data", "knn", "knn (2)")),
    "a name missing": (("data | knn | ", *BODY), ("data", "knn", "column 3")),
    "counted": (("data | 0 | 1", *BODY), ("data", "0", "1")),
    "percentages": (("data | 10% | 20%", *BODY), ("data", "10%", "20%")),
    "above all": (
        ("data | error | error", "data | knn | svm", *BODY),
        ("data", "knn", "svm"),
    ),
    "units": (
        ("data | time | size", " | [s] | MB", *BODY),
        ("data", "time / [s]", "size / MB"),
    ),
}


@pytest.mark.parametrize("kind", HEADERS)
def test_header(kind: str) -> None:
    rows, names = HEADERS[kind]
    table = found(*rows)
    assert table.names == names
    assert [row[0] for row in cells(table)] == ["iris", "wine"]
    assert table.origin.numbers.tolist() == [len(rows) - 1, len(rows)]


def test_headers_of_two_and_three_rows() -> None:
    body = "iris | 1 | 2 | 3 | 4"
    table = found(" | knn | | svm | ", "data | acc | f1 | acc | f1", body)
    assert table.names == ("data", "knn / acc", "knn / f1", "svm / acc", "svm / f1")
    table = found(" | knn | knn | svm | svm", " | acc | f1 | acc | f1", "data | | | | ", body, body)
    assert table.names == ("data", "knn / acc", "knn / f1", "svm / acc", "svm / f1")
    # The names below are not different, so that the blank is no part of knn.
    table = found("data | knn | | svm | rank", " | acc | | acc | ", body)
    assert table.names == ("data", "knn / acc", "column 3", "svm / acc", "rank")


def test_titles_are_captions_and_footnotes_are_text() -> None:
    table = found("Accuracy | | ", "data | knn | svm", *BODY, " | | ", "* of ten folds | | ")
    assert table.context == Context(caption="above Accuracy", text="below * of ten folds")
    assert len(table) == 2
    assert [note for note in table.notes if "footnotes" in note] == [
        "t: lines 6 hold one cell below the table, and were taken as footnotes."
    ]


def test_a_row_without_results_is_no_header() -> None:
    table = found("data | knn | svm", "iris | OOM | -", "wine | 0.7 | 0.6")
    assert table.names == ("data", "knn", "svm")
    assert len(table) == 2


def test_headings_among_rows_are_left_out_or_tell_rows_apart() -> None:
    rows = ("model | iris | wine", "old | | ", "knn | 1 | 2", "new | | ", "svm | 3 | 4")
    table = found(*rows)
    assert cells(table) == [["knn", "1", "2"], ["svm", "3", "4"]]
    assert "t: lines 2, 4 hold one cell, and were taken as headings." in table.notes
    again = found(*rows[:-1], "knn | 3 | 4")
    assert again.names == ("group", "model", "iris", "wine")
    assert cells(again) == [["old", "knn", "1", "2"], ["new", "knn", "3", "4"]]
    # Without a name in the corner the first heading is no name of the rows, for others follow.
    table = found(" | iris | wine", *rows[1:])
    assert table.names == ("", "iris", "wine")
    assert len(table) == 2


def test_headers_that_come_again_and_rules_are_left_out() -> None:
    header = "data | knn | svm"
    table = found(header, BODY[0], header, "--- | --- | ---", BODY[1])
    assert len(table) == 2
    assert any("repeat the header" in note for note in table.notes)
    assert any("dashes" in note for note in table.notes)


def test_numbers_below_headings_that_come_again_are_a_second_row_of_headings() -> None:
    """Such as grades of noise below kinds of noise."""
    rows = [
        ["", "fog", "fog", "fog", "snow", "snow", "snow"],
        ["", "1", "2", "3", "1", "2", "3"],
        ["svm", ".9", ".8", ".7", ".8", ".7", ".6"],
        ["knn", ".8", ".7", ".6", ".7", ".6", ".5"],
    ]
    found = columns_of(TextTable(rows, [1, 2, 3, 4]), "t.csv")
    assert found.names[1:3] == ("fog / 1", "fog / 2")
    assert found.origin.numbers.tolist() == [3, 4]
