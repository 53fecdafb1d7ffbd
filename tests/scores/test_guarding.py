"""Names that a spreadsheet would run: guarded in every CSV, and the same when read again."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio.app.cli import main
from palio.scores import read_scores
from palio.scores.formats import write_file
from palio.scores.formats.text import guarded, may_be_guarded, unguarded

FORMULAS = (
    '=cmd|" /C calc"!A0',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "'=quoted",
    "'-C 0.25 -M 2'",
    "=ends'",
)
BEGINS = ("=", "+", "-", "@", "\t", "\r")

texts = st.text(alphabet="'=+-@\t\rab", max_size=6)


@given(texts)
def test_a_guarded_cell_is_no_formula_and_the_same_afterwards(text: str) -> None:
    safe = str(guarded(text))
    assert not safe.startswith(BEGINS)
    assert unguarded(safe) == text
    assert may_be_guarded(f"a,{safe}\n") or safe == text


def frame(names: tuple[str, ...] = FORMULAS) -> pd.DataFrame:
    rows = [(dataset, name, -0.5) for dataset in ("=d", "e") for name in names]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "gain"])


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_files_that_are_written_are_guarded_and_read_the_same(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{ending}"
    write_file(frame(), path, "to")
    with path.open(newline="", encoding="utf-8") as lines:
        cells = [
            c for row in csv.reader(lines, delimiter="\t" if ending == ".tsv" else ",") for c in row
        ]
    assert not [cell for cell in cells if cell.startswith(BEGINS) and cell != "-0.5"]
    table = read_scores(path, higher_is_better=True)
    assert table.algorithms == FORMULAS
    assert table.datasets == ("=d", "e")
    assert table.means().max() == -0.5


def test_columns_are_guarded_too(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_file(
        pd.DataFrame({"dataset": ["a", "b"], "=x": [1.0, 2.0], "knn": [2.0, 1.0]}), path, "to"
    )
    assert path.read_text(encoding="utf-8").splitlines()[0] == "dataset,'=x,knn"
    assert read_scores(path, score="accuracy", allow_out_of_range=True).algorithms == ("=x", "knn")


def test_read_writes_guarded_cells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given, made = tmp_path / "t.json", tmp_path / "made.csv"
    write_file(frame(), given, "to")
    typed = ["read", str(given), "--higher-is-better", "--to", str(made)]
    assert main(typed) == 0
    assert '"\'=cmd|"" /C calc""!A0"' in made.read_text(encoding="utf-8")
    first = read_scores(given, higher_is_better=True)
    assert read_scores(made, higher_is_better=True).algorithms == first.algorithms
    capsys.readouterr()


def test_a_number_with_an_apostrophe_is_one_as_spreadsheets_have_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dataset,algorithm,gain\na,x,'-0.5\na,y,0.5\n", encoding="utf-8")
    assert read_scores(path, higher_is_better=True).means().tolist() == [[-0.5, 0.5]]
