"""Files and frames of every make give equal tables, and bad files give one clear line."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from palio.errors import (
    CellError,
    ColumnError,
    InputError,
    MissingExtraError,
    ParameterError,
    UnreadableError,
)
from palio.scores import ScoreTable, read_scores

pl = pytest.importorskip("polars", reason="polars is not made for every Python")

# Names that readers of CSV like to turn into something else, and numbers that are hard to print.
COLUMNS: dict[str, list[Any]] = {
    "dataset": ["NA", "NA", "007", "007", "1", "1", "None", "None", "nan", "nan"],
    "algorithm": ["knn", "null"] * 5,
    "accuracy": [0.1, 0.2, 1 / 3, 0.30000000000000004, 1e-300, 5.0, 6.0, 7.0, 8.0, 0.7000000001],
    "train_time": [float(i) / 7 for i in range(10)],
}


def assert_same(one: ScoreTable, other: ScoreTable) -> None:
    assert one.datasets == other.datasets
    assert one.algorithms == other.algorithms
    assert one.measure == other.measure
    assert one.score_names == other.score_names
    assert one.cost_names == other.cost_names
    assert np.array_equal(one.means(), other.means())
    for name in one.cost_names:
        assert np.array_equal(one.cost_matrix(name), other.cost_matrix(name))
    for dataset in one.datasets:
        assert np.array_equal(one.fold_scores(dataset), other.fold_scores(dataset))


def frame() -> pd.DataFrame:
    return pd.DataFrame(COLUMNS)


def write_csv_gz(path: Path) -> None:
    path.write_bytes(gzip.compress(frame().to_csv(index=False).encode()))


def write_columns_json(path: Path) -> None:
    path.write_text(json.dumps(COLUMNS), encoding="utf-8")


def write_records_json(path: Path) -> None:
    records = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    path.write_text(json.dumps(records), encoding="utf-8")


FILES: list[tuple[str, Callable[[Path], object]]] = [
    ("t.csv", lambda path: frame().to_csv(path, index=False)),
    ("t.CSV", lambda path: frame().to_csv(path, index=False)),
    ("bom.csv", lambda path: frame().to_csv(path, index=False, encoding="utf-8-sig")),
    ("index.csv", lambda path: frame().to_csv(path)),
    ("crlf.csv", lambda path: frame().to_csv(path, index=False, lineterminator="\r\n")),
    ("quoted.csv", lambda path: frame().to_csv(path, index=False, quoting=1)),
    ("t.csv.gz", write_csv_gz),
    ("t.tsv", lambda path: frame().to_csv(path, index=False, sep="\t")),
    ("tabs.txt", lambda path: frame().to_csv(path, index=False, sep="\t")),
    ("commas.txt", lambda path: frame().to_csv(path, index=False)),
    ("semicolons.csv", lambda path: frame().to_csv(path, index=False, sep=";")),
    ("columns.json", write_columns_json),
    ("records.json", write_records_json),
    ("pandas.json", lambda path: frame().to_json(path, double_precision=15)),
    ("t.parquet", lambda path: frame().to_parquet(path)),
    ("polars.parquet", lambda path: pl.DataFrame(COLUMNS).write_parquet(path)),
    ("categories.parquet", lambda path: pq.write_table(categories(), path)),
]


def categories() -> Any:
    table = pa.table(COLUMNS)
    return table.set_column(1, "algorithm", table["algorithm"].dictionary_encode())


@pytest.mark.parametrize(("name", "write"), FILES, ids=[name for name, _ in FILES])
def test_every_file_gives_the_same_table(
    name: str, write: Callable[[Path], object], tmp_path: Path
) -> None:
    write(tmp_path / name)
    expected = read_scores(COLUMNS)
    found = read_scores(tmp_path / name)
    if name == "pandas.json":  # to_json rounds
        assert found.datasets == expected.datasets
        assert np.allclose(found.means(), expected.means(), rtol=1e-14)
    else:
        assert_same(found, expected)
    assert found.datasets == ("NA", "007", "1", "None", "nan")
    assert found.algorithms == ("knn", "null")
    assert_same(read_scores(str(tmp_path / name)), found)


@pytest.mark.parametrize(
    "make",
    [
        frame,
        lambda: frame().astype({"dataset": "category"}),
        lambda: frame().set_index("dataset"),
        lambda: frame().set_index(["dataset", "algorithm"]),
        lambda: frame().set_axis(range(50, 60), axis=0),
        lambda: frame().convert_dtypes(),
        lambda: pl.DataFrame(COLUMNS),
        lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("algorithm").cast(pl.Categorical)),
        lambda: pl.LazyFrame(COLUMNS),
        lambda: pa.table(COLUMNS),
        categories,
        lambda: nw.from_native(pl.DataFrame(COLUMNS)),
        lambda: {name: np.array(values) for name, values in COLUMNS.items()},
        lambda: {name: tuple(values) for name, values in COLUMNS.items()},
    ],
)
def test_every_frame_gives_the_same_table(make: Callable[[], Any]) -> None:
    assert_same(read_scores(make()), read_scores(COLUMNS))


def test_numbers_as_names_become_text() -> None:
    table = read_scores({"dataset": [1, 1, 2, 2], "algorithm": [7, 8] * 2, "auc": [1, 2, 3, 4]})
    assert table.datasets == ("1", "2")
    assert table.algorithms == ("7", "8")


def test_a_wide_pandas_frame_may_have_its_data_sets_as_index() -> None:
    wide = pd.DataFrame({"a": [0.5, 0.6], "b": [0.7, 0.8]}, index=["iris", "wine"])
    table = read_scores(wide, score="accuracy")
    assert table.datasets == ("iris", "wine")
    assert table.algorithms == ("a", "b")


def test_the_frame_given_is_not_changed_and_not_shared() -> None:
    given = frame()
    before = given.copy()
    table = read_scores(given)
    pd.testing.assert_frame_equal(given, before)
    means = table.means()
    given["accuracy"] = 0.0
    assert np.array_equal(table.means(), means)


def test_missing_marks_count_in_columns_of_numbers_only(tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    marks = ["", "NA", "NaN", "null", "?", " nan "]
    body = "".join(f"NA,a{i},{mark}\n" for i, mark in enumerate(marks))
    path.write_text(f"dataset,algorithm,accuracy\n{body}NA,NA,0.5\n", encoding="utf-8")
    table = read_scores(path, missing="pairwise")
    assert table.datasets == ("NA",)
    assert table.algorithms == ("a0", "a1", "a2", "a3", "a4", "a5", "NA")
    assert np.isnan(table.means()[0, :-1]).all()
    assert table.means()[0, -1] == 0.5


def test_blank_lines_empty_columns_and_spaces_are_harmless(tmp_path: Path) -> None:
    path = tmp_path / "loose.csv"
    path.write_text(
        "\n \n dataset , algorithm,accuracy,,\niris, a,0.5,,\n,,,,\n\niris, b ,0.6,,\n\n",
        encoding="utf-8",
    )
    table = read_scores(path)
    assert table.algorithms == ("a", "b")
    assert table.means().tolist() == [[0.5, 0.6]]


def test_text_columns_may_hold_anything(tmp_path: Path) -> None:
    records = [
        {"dataset": "x", "algorithm": name, "auc": 1, "params": params, "path": [1] * length}
        for length, (name, params) in enumerate([("a", {"k": 1}), ("b", None)])
    ]
    (tmp_path / "t.json").write_text(json.dumps(records), encoding="utf-8")
    table = read_scores(tmp_path / "t.json")
    assert table.notes == ("Columns not used because they hold lists or records: params, path.",)
    assert read_scores(tmp_path / "t.json", algorithm="path").algorithms == ("[]", "[1]")


def test_line_numbers_are_those_of_an_editor(tmp_path: Path) -> None:
    path = tmp_path / "loose.csv"
    path.write_text("\ndataset,algorithm,accuracy\niris,a,0.5\n\niris,b,x\n", encoding="utf-8")
    with pytest.raises(CellError, match=r"'x' \(line 5\)"):
        read_scores(path)


def test_an_unexpected_separator_is_found(tmp_path: Path) -> None:
    frame().to_csv(tmp_path / "t.csv", index=False, sep=";")
    expected = read_scores(frame()).means().tolist()
    assert read_scores(tmp_path / "t.csv").means().tolist() == expected


def test_a_text_file_may_have_any_separator(tmp_path: Path) -> None:
    (tmp_path / "T.TXT").write_text("dataset;algorithm;auc\na;p;0.5\na;q;0.6\n", encoding="utf-8")
    assert read_scores(tmp_path / "T.TXT").notes == ()


LONG = "dataset,algorithm,accuracy\n"
BAD_FILES: list[tuple[str, bytes, type[Exception], str]] = [
    ("t.docx", b"x", UnreadableError, "format of 't.docx'.*must be .csv"),
    ("t.csv", b"", UnreadableError, "t.csv is empty"),
    ("t.csv", b"\n \n", UnreadableError, "t.csv is empty"),
    ("t.csv", LONG.encode(), CellError, "t.csv has no rows"),
    ("t.csv", LONG.encode() + b"caf\xe9 \xc3\xa9,a,1\n", UnreadableError, "not UTF-8.*see line 2"),
    ("t.csv", LONG.encode() + b"i,a,1,2\n", UnreadableError, "Expected 3 fields in line 2, saw 4"),
    ("t.csv", b"\n\n" + LONG.encode() + b"i,a,1,2\n", UnreadableError, "in line 4, saw 4"),
    ("t.csv", LONG.encode() + b'"i,a,1\n', UnreadableError, "quotation mark opened in line 2"),
    ("t.csv", b"dataset,auc,auc \ni,1,2\n", InputError, "at least two algorithms"),
    (
        "t.csv",
        b"dataset,algorithm,,\ni,a,1,2\n",
        InputError,
        "at least two algorithms are needed; found 1",
    ),
    ("t.csv.gz", b"\x1f\x8bno", UnreadableError, "cannot be read .*Compressed file ended"),
    ("t.json", b"[{", UnreadableError, "t.json is not JSON"),
    ("t.json", b"3", UnreadableError, "must hold a list of records"),
    ("t.json", b"[1]", UnreadableError, "must hold a list of records"),
    ("t.json", b"[]", UnreadableError, "t.json has none"),
    ("t.json", b'{"a": [1], "a": [2]}', UnreadableError, "has 'a' more than once"),
    ("t.json", b'{"a": [1], "b": [2, 3]}', ColumnError, "'a' has 1, 'b' has 2"),
    ("t.json", b'{"a": 1}', ColumnError, "no column of t.json can be seen to name algorithms"),
    ("t.json", b'{"a": [1, 2]}', UnreadableError, "t.json has one column only, 'a'"),
    ("t.parquet", b"no", UnreadableError, "t.parquet cannot be read"),
]


@pytest.mark.parametrize(("name", "content", "error", "message"), BAD_FILES)
def test_bad_files(
    name: str, content: bytes, error: type[Exception], message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=message) as raised:
        read_scores(tmp_path / name)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_names_the_one_that_is(tmp_path: Path) -> None:
    frame().to_csv(tmp_path / "results.csv")
    with pytest.raises(UnreadableError, match=r"no file .*Did you mean 'results.csv'\?"):
        read_scores(tmp_path / "result.csv")
    with pytest.raises(UnreadableError, match="there is no file"):
        read_scores(tmp_path / "nowhere")


def test_parquet_without_pyarrow_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame().to_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"t.parquet.*pip install 'palio\[parquet\]'"):
        read_scores(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (3, ParameterError, "source: must be the path of a file, .* or a frame .* got int"),
        (None, ParameterError, "got NoneType"),
        ([1, 2], ParameterError, "got list"),
        (np.zeros((2, 2)), ParameterError, "got ndarray. Use ScoreTable.from_arrays"),
        (pl.Series([1]), ParameterError, "got Series"),
        ({}, UnreadableError, "the table has none"),
        ({"dataset": "iris"}, ColumnError, "'dataset' of the table: must be a list"),
        ({"dataset": [1], "a": [1, 2]}, ColumnError, "'dataset' has 1, 'a' has 2"),
        ({"dataset": [], "algorithm": [], "auc": []}, CellError, "the table has no rows"),
        (pl.DataFrame({"dataset": []}), CellError, "the table has no rows"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ColumnError, "'a' more than once"),
        (pa.table([[1], [2]], names=["a", "a"]), ColumnError, "'a' more than once"),
        (pd.DataFrame([[1]], columns=[["a"], ["b"]]), ColumnError, "2 levels of column names"),
    ],
)
def test_what_is_no_table(source: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        read_scores(source)
    assert "\n" not in str(raised.value)


def test_importing_the_door_imports_no_frames() -> None:
    import subprocess

    code = "import sys, palio.scores; print({'pandas', 'narwhals', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
