"""Data sets from every source, their rules, and their fingerprint."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from palio.errors import (
    ColumnError,
    ParameterError,
    UnknownNameError,
    UnreadableError,
)
from palio.experiment.data.columns import usual_target
from palio.experiment.data.datasets import load_datasets, to_binary
from tests.experiment.toy import TOY, load, make_dataset, table_of, write
from tests.shared import shared_file

# Sources


def test_a_csv_file_by_hand(tmp_path: Path) -> None:
    data = load(write(tmp_path, "toy.csv", TOY))
    assert data.name == "toy"
    assert data.source.endswith("toy.csv")
    assert data.task == "classification"
    assert data.categorical == ("hue",)
    assert data.classes == ("a", "b")
    assert data.y.tolist() == ["a", "b", "a", "b"]
    np.testing.assert_array_equal(data.X["size"], [1, 2.5, np.nan, np.nan])
    assert data.X["hue"].isna().tolist() == [False, True, False, False]
    assert data.obstacles == ("text or categories", "missing values")
    assert repr(data) == "<Dataset toy: 4 rows, 2 features (1 categorical), 2 classes>"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("toy.tsv", TOY.replace(",", "\t")),
        ("toy.csv", TOY.replace(",", ";")),
        ("toy.csv", TOY.replace(",", " , ")),
        ("toy.csv", "\ufeff\n" + TOY.replace("\n", "\r\n")),
        ("toy.csv", TOY.replace("1,", "1.0,")),
        (
            "toy.arff",
            "@relation toy\n@attribute size numeric\n@attribute hue {red, blue}\n"
            "@attribute label {a, b}\n@data\n1,red,a\n2.5,?,b\n?,blue,a\n?,red,b\n",
        ),
    ],
)
def test_other_ways_to_write_it_are_the_same_data(tmp_path: Path, name: str, text: str) -> None:
    expected = load(write(tmp_path, "plain.csv", TOY))
    data = load(write(tmp_path, name, text))
    assert data.fingerprint == expected.fingerprint
    assert data.categorical == expected.categorical
    assert data.y.dtype == expected.y.dtype


def test_a_prefix_reads_any_ending(tmp_path: Path) -> None:
    path = write(tmp_path, "toy.data", TOY)
    assert load(f"csv:{path}").n_rows == 4
    with pytest.raises(UnknownNameError, match=r"data set: .* is not known"):
        load_datasets(path)


def test_the_target_may_be_named(tmp_path: Path) -> None:
    data = load(write(tmp_path, "toy.csv", "y,a,b\n1.5,1,2\n2.5,2,3\n"), target="y")
    assert data.task == "regression"
    assert [*data.X.columns] == ["a", "b"]
    assert data.y.dtype == np.float64
    assert repr(data) == "<Dataset toy: 2 rows, 2 features, regression>"
    with pytest.raises(ParameterError, match="classes: only a classification set has them"):
        _ = data.classes


@pytest.mark.parametrize(
    ("name", "rows", "features", "task"),
    [
        ("iris", 150, 4, "classification"),
        ("wine", 178, 13, "classification"),
        ("breast_cancer", 569, 30, "classification"),
        ("digits", 1797, 64, "classification"),
        ("diabetes", 442, 10, "regression"),
    ],
)
def test_scikit_learn_sets(name: str, rows: int, features: int, task: str) -> None:
    data = load(f"sklearn:{name}")
    assert (data.name, data.n_rows, data.n_features, data.task) == (name, rows, features, task)
    assert data.source == f"sklearn:{name}"
    assert data.categorical == ()


def test_a_folder_is_every_file_with_what_lies_beside(tmp_path: Path) -> None:
    inner = tmp_path / "sets"
    inner.mkdir()
    write(inner, "b.csv", "code,x,y\n1,1,0\n2,2,1\n1,3,0\n")
    write(inner, "a.tsv", "x\ty\n1\t3\n2\t4\n")
    write(inner, "INDEX.csv", "this,is,no\ndata,set,here\n")
    write(inner, "notes.txt", "neither is this")
    write(inner, ".hidden.csv", "nor,this\n")
    write(tmp_path, "TYPES.json", json.dumps({"sets/b": {"categorical": ["code"]}}))
    write(tmp_path, "INDEX.csv", "name,path,task\na,sets/a.tsv,regression\n")
    a, b = load_datasets(f"folder:{inner}")
    assert (a.name, a.task) == ("a", "regression")
    assert (b.name, b.categorical) == ("b", ("code",))
    assert b.X["code"].tolist() == ["1", "2", "1"]
    assert load(str(inner / "b.csv")).fingerprint == b.fingerprint
    assert load(str(inner / "a.tsv"), task="classification").task == "classification"
    # What the index says is about the last column, not about another one.
    assert load(str(inner / "a.tsv"), target="x").task == "classification"


def test_types_may_lie_in_the_folder_itself(tmp_path: Path) -> None:
    path = write(tmp_path, "b.csv", "code,y\n1,0\n2,1\n")
    write(tmp_path, "TYPES.json", json.dumps({"b": {"categorical": ["code"]}}))
    assert load(path).categorical == ("code",)


def test_two_files_of_one_stem_keep_their_endings(tmp_path: Path) -> None:
    write(tmp_path, "a.csv", "x,y\n1,0\n2,1\n")
    write(tmp_path, "a.tsv", "x\ty\n1\t0\n2\t1\n")
    assert [data.name for data in load_datasets(f"folder:{tmp_path}")] == ["a.csv", "a.tsv"]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_shared_folder_is_as_its_index_says(task: str) -> None:
    index = pd.read_csv(shared_file("data/INDEX.csv"))
    index = index[index["task"] == task].set_index("name")
    loaded = load_datasets(f"folder:{shared_file(f'data/{task}')}")
    assert {data.name for data in loaded} == set(index.index)
    for data in loaded:
        row = index.loc[data.name]
        assert data.task == task
        assert (data.n_rows, data.n_features) == (row["rows"], row["features"])
        assert int(data.X.isna().sum().sum()) == row["missing"]
        assert len(data.categorical) == row["categorical"]
        if task == "classification":
            assert len(data.classes) == row["classes"]
    assert len({data.fingerprint for data in loaded}) == len(loaded)


def test_openml_is_asked_through_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def fetch(**options: Any) -> Any:
        asked.append(options)
        frame = table_of(
            word=pd.Categorical(["u", "v"]), klass=pd.Categorical(["1", "2"]), x=[1, 2]
        )
        return sklearn.utils.Bunch(frame=frame, target_names=["klass"], details={"name": "tiny"})

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    data = load("openml:61")
    assert (data.name, data.source, data.task) == ("tiny", "openml:61", "classification")
    assert (data.classes, data.categorical, data.n_features) == ((1, 2), ("word",), 2)
    assert load("openml:tiny", target="klass").fingerprint == data.fingerprint
    assert (asked[0]["data_id"], asked[0]["target_column"]) == (61, "default-target")
    assert (asked[1]["name"], asked[1]["target_column"]) == ("tiny", "klass")


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (URLError("no route"), UnreadableError, "openml.org cannot be reached"),
        (TimeoutError("late"), UnreadableError, "Go online once, or use a file"),
        (HTTPError("u", 404, "Not Found", {}, None), UnreadableError, "cannot be had"),  # type: ignore[arg-type]
        (ValueError("Dataset 61 not found."), UnreadableError, "Look up its number"),
        (KeyError("target"), ColumnError, "target: 'openml:61' has no column 'hue'"),
    ],
)
def test_openml_out_of_reach_or_unknown(
    monkeypatch: pytest.MonkeyPatch, error: Exception, kind: type[Exception], message: str
) -> None:
    def fetch(**_: Any) -> Any:
        raise error

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    with pytest.raises(kind) as caught:
        load_datasets("openml:61", target="hue")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("targets", [None, [], ["a", "b"]])
def test_openml_without_one_target(monkeypatch: pytest.MonkeyPatch, targets: Any) -> None:
    bunch = sklearn.utils.Bunch(
        frame=table_of(a=[1, 2], b=[0, 1]), target_names=targets, details={}
    )
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: bunch)
    with pytest.raises(ColumnError, match="does not have one target column"):
        load_datasets("openml:61")


# Rules


@pytest.mark.parametrize(
    ("target", "task", "labels"),
    [
        ([0, 1, 1], "classification", [0, 1, 1]),
        ([1.0, 2.0, 2.0], "classification", [1, 2, 2]),
        ([True, False, True], "classification", [1, 0, 1]),
        (["1", "2", "1"], "classification", [1, 2, 1]),
        (["01", "2", "2"], "classification", ["01", "2", "2"]),
        (["x", "y ", "y"], "classification", ["x", "y", "y"]),
        (pd.Categorical([1.5, 2.0, 2.0]), "classification", ["1.5", "2", "2"]),
        ([0.5, 1.0, 2.0], "regression", [0.5, 1.0, 2.0]),
        (pd.array([1, 2, 1], dtype="Int64"), "classification", [1, 2, 1]),
    ],
)
def test_the_task_by_the_target(target: Any, task: str, labels: list[Any]) -> None:
    data = make_dataset("toy", table_of(x=[1.0, 2.0, 3.0], y=target))
    assert data.task == task
    assert data.y.tolist() == labels


@pytest.mark.parametrize(("distinct", "task"), [(20, "classification"), (21, "regression")])
def test_twenty_whole_numbers_are_classes_and_more_are_not(distinct: int, task: str) -> None:
    y = [*range(distinct)] * 2
    assert make_dataset("toy", table_of(x=y, y=y)).task == task


def test_the_task_may_be_set() -> None:
    frame = table_of(x=[1, 2, 3], y=[0.5, 1, 1])
    data = make_dataset("toy", frame, task="classification")
    assert data.classes == ("0.5", "1")
    assert make_dataset("toy", table_of(x=[1, 2], y=[0, 1]), task="regression").y.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("column", "kind", "values"),
    [
        ([1, 2, None], "float64", [1, 2, np.nan]),
        ([1, 2, 3], "int64", [1, 2, 3]),
        ([True, None, False], "float64", [1, np.nan, 0]),
        (pd.array([True, None, False], dtype="boolean"), "boolean", [1, np.nan, 0]),
        (pd.array([1, None, 3], dtype="Int64"), "Int64", [1, np.nan, 3]),
        (np.array([0.1, 0.2, 0.3], dtype=np.float32), "float32", [0.1, 0.2, 0.3]),
        (pd.arrays.SparseArray([0.0, 0.0, 1.0]), "Sparse[float64, nan]", [0, 0, 1]),
    ],
)
def test_numeric_columns_stay_as_pandas_reads_them(
    column: Any, kind: str, values: list[float]
) -> None:
    data = make_dataset("toy", table_of(x=column, y=[0, 1, 1]))
    assert data.categorical == ()
    assert str(data.X["x"].dtype) == kind
    assert data.plain["x"].dtype == np.float64
    np.testing.assert_array_equal(data.plain["x"], values)


@pytest.mark.parametrize(
    ("column", "kind", "values"),
    [
        (pd.Series(["a", "NA", " b "], dtype=object), "O", ["a", None, "b"]),
        (pd.Series(["1", "x", ""], dtype=object), "O", ["1", "x", None]),
        (pd.Categorical([1.0, None, 2.0]), "category", ["1", None, "2"]),
        (pd.Categorical(["u", "?", "v"]), "category", ["u", None, "v"]),
        (pd.array(["a", None, "b"], dtype="string"), "string", ["a", None, "b"]),
        ([1, "b", None], "O", ["1", "b", None]),
    ],
)
def test_text_and_categories_lose_marks_of_missing_cells_and_nothing_else(
    column: Any, kind: str, values: list[str | None]
) -> None:
    data = make_dataset("toy", table_of(x=column, y=[0, 1, 1]))
    assert data.categorical == ("x",)
    assert data.X["x"].dtype == kind
    assert data.X["x"].isna().tolist() == [value is None for value in values]
    assert [None if cell is np.nan else cell for cell in data.plain["x"]] == values


def test_named_columns_are_categories() -> None:
    frame = table_of(code=[1.0, 2.0, None], y=[0, 1, 1])
    data = make_dataset("toy", frame, categorical=["code"])
    assert data.X["code"].dtype == "category"
    assert data.X["code"].tolist()[:2] == ["1", "2"]
    assert data.obstacles == ("text or categories", "missing values")


def test_most_rows_are_drawn_in_proportion_and_always_the_same() -> None:
    cut = load("sklearn:iris", max_rows=30)
    assert np.bincount(cut.y).tolist() == [10, 10, 10]
    assert cut.source == "sklearn:iris, 30 of its rows"
    assert cut.fingerprint == load("sklearn:iris", max_rows=30).fingerprint
    assert load("sklearn:iris", max_rows=150).source == "sklearn:iris"
    assert load("sklearn:diabetes", max_rows=50).n_rows == 50


def test_a_data_set_passes_through() -> None:
    data = load("monks-1")
    assert load_datasets(data) == [data]
    assert load_datasets(data, max_rows=100)[0].n_rows == 100


def test_binary_by_alternating_class_names() -> None:
    words = make_dataset("toy", table_of(x=range(5), y=["d", "a", "b", "c", "a"]))
    binary = to_binary(words)
    # In order of names, a and c are positive, b and d negative.
    assert binary.y.tolist() == [0, 1, 0, 1, 1]
    assert binary.classes == (0, 1)
    assert binary.name == "toy"
    assert "binary" in binary.source
    two = load("monks-1")
    assert to_binary(two) is two
    with pytest.raises(ParameterError, match="only a classification set"):
        to_binary(load("sklearn:diabetes"))


# The fingerprint

CELLS = st.sampled_from(["a", "b b", "é", "", "x,y"])


@given(
    st.lists(
        st.tuples(
            st.floats(allow_infinity=False, width=64),
            st.one_of(st.none(), CELLS),
            st.integers(-5, 5),
        ),
        min_size=3,
        max_size=8,
    )
)
def test_the_fingerprint_is_the_same_from_csv_and_parquet(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, str | None, int]]
) -> None:
    folder = tmp_path_factory.mktemp("formats")
    frame = pd.DataFrame(rows, columns=["x", "word", "y"])
    frame["word"] = [*frame["word"][:-1], "w"]
    frame["y"] = [100, 101, *frame["y"][2:]]
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_parquet(folder / "b.parquet")
    frame.astype({"y": "category", "word": "category"}).to_parquet(folder / "c.parquet")
    frame.astype({"y": float}).to_csv(folder / "d.tsv", sep="\t", index=False)
    loaded = load_datasets(f"folder:{folder}")
    assert len({data.fingerprint for data in loaded}) == 1
    assert {data.categorical for data in loaded} == {("word",)}


def test_small_floats_and_whole_numbers_have_one_fingerprint(tmp_path: Path) -> None:
    frame = table_of(x=np.array([0.1, -0.0, 3.3]), y=[0, 1, 1])
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.astype({"x": np.float32, "y": np.int8}).to_parquet(tmp_path / "b.parquet")
    frame.assign(x=frame["x"] + 0.0, y=frame["y"] == 1).to_parquet(tmp_path / "c.parquet")
    assert len({data.fingerprint for data in load_datasets(f"folder:{tmp_path}")}) == 1


def test_what_changes_the_fingerprint_and_what_does_not() -> None:
    frame = table_of(a=[1, 2, 3], b=["u", "v", "u"], y=[0, 1, 1])
    first = make_dataset("toy", frame).fingerprint
    assert make_dataset("other", frame, source="elsewhere").fingerprint == first
    others = [
        make_dataset("toy", frame.rename(columns={"a": "c"})),
        make_dataset("toy", frame.assign(a=[1, 2, 4])),
        make_dataset("toy", frame.assign(b=pd.Series(["u", "v", None]))),
        make_dataset("toy", frame.assign(b=["v", "u", "v"])),
        make_dataset("toy", frame.assign(y=[1, 1, 0])),
        make_dataset("toy", frame.iloc[::-1]),
        make_dataset("toy", frame[["b", "a", "y"]]),
        make_dataset("toy", frame, task="regression"),
        make_dataset("toy", frame, categorical=["a"]),
    ]
    assert len({first, *(other.fingerprint for other in others)}) == len(others) + 1


def test_a_data_set_can_be_pickled_and_cut() -> None:
    data = load("tic-tac-toe")
    again = pickle.loads(pickle.dumps(data))
    assert again.fingerprint == data.fingerprint
    cut = data.take(np.array([3, 1]))
    assert cut.y.tolist() == [data.y[3], data.y[1]]
    assert cut.X.index.tolist() == [0, 1]
    with pytest.raises(AttributeError):
        data.name = "other"  # type: ignore[misc]


# --- which column is the target ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("a,b,c", "c"),
        ("a,b,Class", "Class"),
        ("x,y,kind", "kind"),  # a place
        ("x,y", "y"),
        ("X,Y,class", "class"),
        ("outcome,a,target", "target"),  # called so surely
        ("a,b,outcome", "outcome"),
    ],
)
def test_the_last_column_is_the_target(header: str, target: str) -> None:
    assert usual_target(header.split(","), "toy") == target


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("Class,a,b", "'Class', by name, or 'b', the last column. Say which: target='Class' or "),
        ("a,class,target", "'class' or 'target', by name. Say which: target='class' or target='ta"),
        ("y,a,b", "'y', by name, or 'b', the last column"),
        ("class label,a,y", "'class label' or 'y', by name"),
        ("a,outcome,b", "'outcome', by name, or 'b', the last column"),
    ],
)
def test_between_two_good_targets_nobody_guesses(tmp_path: Path, header: str, says: str) -> None:
    rows = "1,2,3\n2,3,4\n3,2,3\n"
    path = write(tmp_path, "toy.csv", f"{header}\n{rows}")
    with pytest.raises(ColumnError) as caught:
        load_datasets(path)
    assert says in str(caught.value)
    (data,) = load_datasets(path, target=header.split(",")[0])
    assert data.target == header.split(",")[0]


def test_a_target_for_each_data_set_by_name(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path, f"{name}.csv", "u,v,w\n1,2,0\n2,3,1\n3,4,1\n")
    a, b = load_datasets(f"folder:{tmp_path}", target={"a": "u"})
    assert (a.target, b.target) == ("u", "w")
    assert list(a.X.columns) == ["v", "w"]
