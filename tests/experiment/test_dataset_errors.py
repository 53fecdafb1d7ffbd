"""Every bad input to a data set has one clear line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from palio.errors import (
    CellError,
    ColumnError,
    InputError,
    ParameterError,
    UnknownNameError,
    UnreadableError,
)
from palio.experiment.data.datasets import Dataset, load_datasets
from palio.experiment.data.origins import ORIGINS
from tests.experiment.toy import TOY, load, make_dataset, table_of, write


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("monk-1", "Did you mean 'monks-1'"),
        ("sklearn:wien", "Did you mean 'sklearn:wine'"),
        ("sklearn:california_housing", "There are: sklearn:iris"),
        ("skleam:wine", "Did you mean 'sklearn:wine'"),
        ("wine", "There are: monks-1"),
        ("", "is not known"),
    ],
)
def test_unknown_names(spec: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_datasets(spec)
    assert str(caught.value).startswith(f"data set: {spec!r} is not known.")
    assert message in str(caught.value)


def test_every_source_says_how_it_is_written() -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_datasets("nonsense")
    for source in ORIGINS.values():
        assert all(form in str(caught.value) for form in source.forms)


BAD_FILES = [
    ("", UnreadableError, "toy.csv is empty"),
    ("\n \n", UnreadableError, "toy.csv is empty"),
    ("x,y\n", UnreadableError, "toy.csv is empty. Give a file with a header"),
    ("x,y\n1,0\n", InputError, "two rows; it has 2 columns and 1 row"),
    ("y\n1\n0\n", InputError, "it has 1 column and 2 rows"),
    ("x,y\n1,0\n2,1,9\n", UnreadableError, "Expected 2 fields in line 3, saw 3"),
    ("x,y\n1,0,9\n2,1,9\n", UnreadableError, "has 2 columns and its first row 3"),
    ("x,x,y\n1,1,0\n2,2,1\n", ColumnError, "'x' more than once"),
    ("1,2,3\n4,5,6\n7,8,9\n", ColumnError, "Put a line of names in front"),
    ("x,y\n1,a\n2,\n3,?\n4,b\n", CellError, "has 2 missing values: rows 2, 3. Fill them in"),
    ("x,y\n1,1\n2,\n3,2\n", CellError, "target: column 'y' of toy has 1 missing value: rows 2"),
    ("x,y\n1,a\n2,a\n", CellError, "at least two classes; it has 'a' only"),
    ("x,y\ninf,a\n2,b\n", CellError, "must be finite or missing, and it is infinite in rows 1"),
    ("x,y\n1,0.5\n2,inf\n", CellError, "target: column 'y' of toy must be finite"),
    ('\nx,y\n1,"a\n2,b\n', UnreadableError, "string starting in line 3"),
]


@pytest.mark.parametrize(("text", "error", "message"), BAD_FILES)
def test_bad_files(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    path = write(tmp_path, "toy.csv", text)
    with pytest.raises(error) as caught:
        load_datasets(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_of_the_wrong_kind(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes("x,y\nä,1\n".encode("latin-1"))
    (tmp_path / "not.parquet").write_bytes(b"x,y\n1,2\n")
    (tmp_path / "not.arff").write_bytes(b"x,y\n1,2\n")
    (tmp_path / "words.arff").write_bytes(b"@relation r\n@attribute s string\n@data\n'a'\n")
    for name, message in [
        ("latin.csv", "is not UTF-8 text (see line 2)"),
        ("not.parquet", "not.parquet cannot be read"),
        ("not.arff", "Save it as CSV"),
        ("words.arff", "Save it as CSV"),
    ]:
        with pytest.raises(UnreadableError) as caught:
            load_datasets(str(tmp_path / name))
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_paths_that_are_not_there(tmp_path: Path) -> None:
    path = write(tmp_path, "wine.csv", TOY)
    for spec, message in [
        (str(tmp_path / "wien.csv"), "there is no file .* Did you mean 'wine.csv'"),
        ("csv:/no/such/place.csv", "there is no file '/no/such/place.csv'"),
        (f"csv:{tmp_path}", "is a folder. Write 'folder:"),
        (f"folder:{path}", "is a file, not a folder. Write 'csv:"),
        ("folder:/no/such/place", "there is no folder '/no/such/place'"),
    ]:
        with pytest.raises(UnreadableError, match=message):
            load_datasets(spec)


def test_folders_without_data(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="has no file that ends in"):
        load_datasets(f"folder:{tmp_path}")
    (tmp_path / "inner").mkdir()
    with pytest.raises(UnreadableError, match="give one of the folders in it: 'inner'"):
        load_datasets(f"folder:{tmp_path}")


@pytest.mark.parametrize("content", ["{", "[]", '{"toy": 3}', '{"toy": {"categorical": 3}}'])
def test_a_broken_types_file(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, "toy.csv", TOY)
    write(tmp_path, "TYPES.json", content)
    with pytest.raises(UnreadableError, match=r"TYPES.json.*Mend it, or move it away"):
        load_datasets(path)


def test_types_that_name_a_column_that_is_not_there(tmp_path: Path) -> None:
    path = write(tmp_path, "toy.csv", TOY)
    write(tmp_path, "TYPES.json", json.dumps({"toy": {"categorical": ["hues"]}}))
    with pytest.raises(ColumnError, match=r"toy has no column 'hues'. Did you mean 'hue'"):
        load_datasets(path)


def test_a_target_that_is_not_there(tmp_path: Path) -> None:
    path = write(tmp_path, "toy.csv", TOY)
    with pytest.raises(
        ColumnError, match=r"target: toy has no column 'lable'. Did you mean 'label'"
    ):
        load_datasets(path, target="lable")


@pytest.mark.parametrize("spec", ["sklearn:wine", "monks-1"])
def test_a_target_where_there_is_nothing_to_choose(spec: str) -> None:
    with pytest.raises(ParameterError, match="target: none of these data sets lets its target"):
        load_datasets(spec, target="y")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "clasification"}, "task: must be .* Did you mean 'classification'"),
        ({"max_rows": 1}, "max_rows: must be a whole number of at least 2, and 1 was given"),
        ({"max_rows": 2.5}, "max_rows: must be a whole number"),
        ({"max_rows": True}, "max_rows: must be a whole number"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        load_datasets("monks-1", **options)


def test_options_that_contradict() -> None:
    data = load("monks-1")
    with pytest.raises(ParameterError, match="task: 'monks-1' is a data set already"):
        load_datasets(data, task="regression")
    with pytest.raises(ColumnError, match=r"regression needs numbers.*'x'"):
        make_dataset("toy", table_of(a=[1, 2], y=["x", "z"]), task="regression")
    rare = make_dataset("rare", table_of(a=range(1000), y=[0] * 999 + [1]))
    with pytest.raises(ParameterError, match="max_rows: 2 of the 1000 rows of 'rare'"):
        load_datasets(rare, max_rows=2)


def test_things_that_are_no_data_set() -> None:
    for spec in (3, None, table_of(a=[1])):
        with pytest.raises(ParameterError, match="data set: must be a string such as"):
            load_datasets(spec)
    with pytest.raises(ParameterError, match="'openml:' needs a number or a name"):
        load_datasets("openml:")


def test_dates_stay_and_have_no_standard_preparation() -> None:
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    data = make_dataset("toy", table_of(day=days, y=[0, 1]))
    assert data.X["day"].tolist() == days.tolist()
    assert data.obstacles == ("dates",)
    with pytest.raises(ColumnError, match=r"prepare: the standard .* dates, such as those of 'day"):
        _ = data.plain
    with pytest.raises(ColumnError, match=r"target: column 'day' of toy holds dates"):
        make_dataset("toy", table_of(x=[0, 1], day=days), target="day")


def test_a_data_set_made_by_hand_is_checked() -> None:
    frame, y = table_of(a=["u", "v"]), np.array([0, 1])
    assert Dataset("toy", frame, y).categorical == ("a",)
    with pytest.raises(ParameterError, match="'toy' has 2 targets in each row, and a data set has"):
        Dataset("toy", frame, np.array([[0, 1], [1, 0]]))
    with pytest.raises(ParameterError, match=r"'toy' has 1 missing target value. Leave these rows"):
        Dataset("toy", frame, ["a", None])
    with pytest.raises(ParameterError, match="groups: one value for each of the 2 rows of 'toy'"):
        Dataset("toy", frame, y, groups=["u"])
    with pytest.raises(ColumnError, match="categorical: toy has no column 'b'"):
        Dataset("toy", frame, y, "classification", ("a", "b"), "here")
    with pytest.raises(ParameterError, match="2 rows and 1 target value"):
        Dataset("toy", frame, y[:1], "classification", ("a",), "here")
    with pytest.raises(ParameterError, match="task: must be"):
        Dataset("toy", frame, y, "ranking", ("a",), "here")  # type: ignore[arg-type]
