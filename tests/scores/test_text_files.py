"""Files of text: quotation marks, rows that are too short or too long, ends of lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from palio.errors import UnreadableError
from palio.scores import read_scores

HEADER = "dataset,algorithm,error\n"


def test_cells_may_hold_separators_marks_and_ends_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f'{HEADER}"a, b","say ""x""",0.1\n"two\nlines",y,0.2\n', encoding="utf-8")
    table = read_scores(path, missing="pairwise")
    assert table.datasets == ("a, b", "two\nlines")
    assert table.algorithms == ('say "x"', "y")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ends_of_lines(tmp_path: Path, end: str) -> None:
    path = tmp_path / "t.csv"
    text = f"{HEADER}i,x,0.1\ni,y,0.2\n\nj,x,0.3\nj,y,0.4"
    path.write_bytes(text.replace("\n", end).encode())
    table = read_scores(path)
    assert table.means().tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_a_short_row_ends_in_empty_cells(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dataset,x,y\ni,0.1,0.2\nj,0.3\n", encoding="utf-8")
    table = read_scores(path, score="error", missing="drop-datasets")
    assert table.datasets == ("i",)
    told = "t.csv: lines 3 have fewer fields than the header, which has 3: the last cells are taken"
    assert any(note.startswith(told) for note in table.notes)


def test_several_short_rows_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("\ndataset,x,y\ni,1,2\nj,3\n \nk,3\nl,4,5\n", encoding="utf-8")
    table = read_scores(path, score="error")
    told = "t.csv: lines 4, 6 have fewer fields than the header, which has 3: the last"
    assert any(note.startswith(told) for note in table.notes)


def test_words_below_a_header_may_be_separated_by_anything_blank(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("dataset x y\ni\t1 2\nj\t4  5\n", encoding="utf-8")
    assert read_scores(path, score="error").means().tolist() == [[1, 2], [4, 5]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f'\n\n{HEADER}i,x,0.1\ni,"y,0.2\nj,x,0.3\n', "opened in line 5 is never closed"),
        (f"\n{HEADER}i,x,0.1\n\ni,y,0.2,0.3\n", "Expected 3 fields in line 5, saw 4"),
        (
            "dataset,x,y\ni,1;2\n\nj,3;4\n",
            "lines 2, 4 have fewer fields than the header, which has 3",
        ),
    ],
)
def test_what_is_no_table_is_pointed_at(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableError, match=says):
        read_scores(path)
