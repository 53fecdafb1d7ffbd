"""The contract of every file format and every source, new ones included."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml  # type: ignore[import-untyped]

from palio.errors import InputError, MissingExtraError, ParameterError, UnreadableError
from palio.predictions import read_predictions
from palio.scores import formats, read_scores
from palio.scores.columns import Columns, Origin
from palio.scores.formats import FORMATS, PACKINGS, Format, endings, write_file
from palio.scores.sources import SOURCES, Source, read_columns

NAMES = sorted(FORMATS)
ENDINGS = [suffix for name in NAMES for suffix in FORMATS[name].suffixes]

# Hard to write: names that look like numbers or gaps, separators, quotes and accents in names, a
# gap, and numbers whose last digits count.
FRAME = pd.DataFrame(
    {
        "dataset": ["NA", "NA", "007", "007", 'a "é", c;\td', 'a "é", c;\td'],
        "algorithm": ["knn", "null"] * 3,
        "fold": [1] * 6,
        "error": [0.1, 0.30000000000000004, 1 / 3, 1e-300, np.nan, 2.0],
        "train_time": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    }
)


def by_hand(path: Path, before: str, mark: str, gap: str) -> None:
    """Write text that Palio only reads."""
    rows = [
        mark.join(
            gap if pd.isna(cell) else f"'{cell}'" if mark == "," else str(cell) for cell in row
        )
        for row in FRAME.itertuples(index=False)
    ]
    path.write_text("\n".join([before, *rows, ""]), encoding="utf-8")


def write_arff(path: Path) -> None:
    header = "\n".join(f"@attribute {name} string" for name in FRAME)
    by_hand(path, f"@relation results\n{header}\n@data", ",", "?")


def write_rows(path: Path, before: str, begin: str, between: str, end: str, after: str) -> None:
    """Write a document around rows of text."""
    shown = FRAME.astype(object).where(FRAME.notna(), "")
    rows = [list(FRAME), *shown.itertuples(index=False)]
    text = "".join(begin + between.join(map(str, row)) + end for row in rows)
    path.write_text(before + text + after, encoding="utf-8")


def write_yaml(path: Path) -> None:
    records = FRAME.astype(object).where(FRAME.notna(), None).to_dict(orient="records")
    path.write_text(yaml.safe_dump(records, allow_unicode=True), encoding="utf-8")


# What is read, and not written.
BY_HAND: dict[str, Callable[[Path], object]] = {
    "arff": write_arff,
    "markdown": lambda path: by_hand(
        path, f"{'|'.join(map(str, FRAME))}\n{'|'.join(['---'] * 5)}", "|", ""
    ),
    "html": lambda path: write_rows(path, "<table>\n", "<tr><td>", "<td>", "</tr>\n", "</table>"),
    "latex": lambda path: write_rows(
        path, "\\begin{tabular}{lllll}\n", "", " & ", " \\\\\n", "\\end{tabular}\n"
    ),
    "rst": lambda path: write_rows(
        path, ".. list-table:: T\n   :header-rows: 1\n\n", "   * - ", "\n     - ", "\n", ""
    ),
    "yaml": write_yaml,
    "xlsx": lambda path: FRAME.to_excel(path, index=False, engine="openpyxl"),
}


def kind_of(path: Path) -> Format:
    return next(kind for kind in FORMATS.values() if path.suffix.lower() in kind.suffixes)


def written(path: Path) -> Path:
    kind = kind_of(path)
    if kind.name in BY_HAND:
        whole = path.with_suffix(path.suffix.lower())
        BY_HAND[kind.name](whole)
        whole.rename(path)
    else:
        write_file(FRAME, path, "target")
    return path


def test_what_is_only_read_is_written_by_hand_here() -> None:
    assert set(BY_HAND) == {name for name in NAMES if FORMATS[name].write is None}


def assert_same(found: Any, expected: Any, ending: str) -> None:
    """Compare to the last bit; Excel keeps sixteen digits of it."""
    np.testing.assert_allclose(found, expected, rtol=1e-15 if ending == ".xlsx" else 0)


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_again_to_the_last_bit(ending: str, tmp_path: Path) -> None:
    table = read_scores(written(tmp_path / f"results{ending}"), missing="pairwise")
    expected = read_scores(FRAME, missing="pairwise")
    assert expected.datasets == ("NA", "007", 'a "é", c;\td')
    found = [" ".join(name.split()) for name in table.datasets]  # a document shows a space
    assert found == ["NA", "007", 'a "é", c; d']
    if not kind_of(tmp_path / f"t{ending}").is_document:
        assert table.datasets == expected.datasets
    assert table.algorithms == ("knn", "null")
    assert not table.measure.higher_is_better
    assert_same(table.means(), expected.means(), ending)
    np.testing.assert_array_equal(
        table.cost_matrix("train_time"), expected.cost_matrix("train_time")
    )
    again = read_scores(written(tmp_path / f"again{ending.upper()}"), missing="pairwise")
    assert_same(again.means(), expected.means(), ending)


def zipped(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", "")
        archive.writestr("folder/results", content)  # the ending outside tells the format
    return packed.getvalue()


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": zipped,
}


def test_every_packing_is_tried() -> None:
    assert set(PACK) == set(PACKINGS)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("packing", PACK)
def test_every_file_may_be_packed(ending: str, packing: str, tmp_path: Path) -> None:
    content = written(tmp_path / f"results{ending}").read_bytes()
    packed = tmp_path / f"results{ending}.{packing}"
    packed.write_bytes(PACK[packing](content))
    expected = read_scores(FRAME, missing="pairwise")
    found = read_scores(packed, missing="pairwise")
    assert_same(found.means(), expected.means(), ending)
    assert packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(UnreadableError, match=r"cannot be read|is not"):
        read_scores(packed)


@pytest.mark.parametrize("packing", PACK)
def test_what_unpacks_to_more_than_the_limit_is_not_read_to_its_end(
    packing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palio.scores.limits.SMALL", 5_000_000)
    path = tmp_path / f"bomb.csv.{packing}"
    path.write_bytes(PACK[packing](bytes(50_000_000)))
    tracemalloc.start()
    with pytest.raises(
        UnreadableError, match=r"unpacks to [5-9] MB, and the limit is 5 MB.*limits=False"
    ):
        read_scores(path)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


BAD: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "blank": lambda _: b" \n \n",
    "junk": lambda _: bytes(range(256)) * 20,
    "zeros": lambda _: bytes(100),
    "two encodings": lambda _: "é".encode() + "dataset,café\na,1\n".encode("latin-1"),
    "half of UTF-16": lambda _: "dataset,café\na,1\n".encode("utf-16")[:-1],
    "deep": lambda _: b"[" * 100_000,
    "cut after a byte": lambda content: content[:1],
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("what", BAD)
@pytest.mark.parametrize("read", [read_scores, read_predictions])
def test_a_bad_file_is_one_line(
    ending: str, what: str, read: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / f"bad{ending}"
    path.write_bytes(BAD[what](written(tmp_path / f"good{ending}").read_bytes()))
    with pytest.raises(InputError) as raised:
        read(path)
    assert "\n" not in str(raised.value)
    assert f"bad{ending}" in str(raised.value)
    if what in {"empty", "blank", "junk", "two encodings", "half of UTF-16"}:
        assert isinstance(raised.value, UnreadableError)
        assert raised.value.parameter == "source"


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_cut_anywhere_is_a_table_or_one_line(ending: str, tmp_path: Path) -> None:
    content = written(tmp_path / f"good{ending}").read_bytes()
    path = tmp_path / f"cut{ending}"
    told = []
    for end in np.linspace(1, len(content) - 1, 40).astype(int):
        path.write_bytes(content[:end])
        try:
            read_scores(path, missing="pairwise")
        except InputError as error:
            told.append(str(error))
    assert told
    assert not [line for line in told if "\n" in line]


@pytest.mark.parametrize("name", [name for name in NAMES if FORMATS[name].module])
def test_what_is_not_installed_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = FORMATS[name]
    path = written(tmp_path / f"results{kind.suffixes[0]}")
    monkeypatch.setitem(__import__("sys").modules, str(kind.module), None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'palio\[{kind.extra}\]'"):
        read_scores(path)
    if kind.write is not None:
        with pytest.raises(MissingExtraError, match=rf"pip install 'palio\[{kind.extra}\]'"):
            written(path)


def test_endings_are_told_apart_and_lists_are_read_from_the_registry() -> None:
    assert len(set(ENDINGS)) == len(ENDINGS)
    for ending in ENDINGS:
        assert ending in endings()
        assert ending in endings(packed=False)
    assert "also with .gz" in endings()
    assert ".gz" not in endings(packed=False)


def test_a_new_format_is_one_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_lines(text: str, _name: str) -> pd.DataFrame:
        return pd.read_csv(io.StringIO(text), sep="|", dtype=str)

    entries = {**FORMATS, "pipes": Format("pipes", (".psv",), read_lines)}
    monkeypatch.setattr(formats, "FORMATS", entries)
    path = tmp_path / "t.psv"
    path.write_text("dataset|algorithm|auc\nx|a|1\nx|b|0.5\n", encoding="utf-8")
    assert read_scores(path).means().tolist() == [[1.0, 0.5]]
    with pytest.raises(UnreadableError, match=r"\.psv"):
        read_scores(__file__)
    with pytest.raises(ParameterError, match="must end in") as raised:
        write_file(FRAME, path, "target")  # it cannot be written
    assert ".psv" not in str(raised.value).split("must end in")[1]


def test_where_a_file_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"target: .*nowhere.*cannot be written"):
        written(tmp_path / "nowhere" / "t.csv")
    with pytest.raises(ParameterError, match=f"must end in {endings(written=True)}"):
        write_file(FRAME, tmp_path / "t.xlsx", "target")


# --- sources -------------------------------------------------------------------------------------

TABLES: dict[str, Callable[[Path], Any]] = {
    "file": lambda folder: written(folder / "t.csv"),
    "files": lambda folder: [written(folder / "t.csv")],
    "stream": lambda folder: io.BytesIO(written(folder / "t.csv").read_bytes()),
    "records": lambda _: FRAME.to_dict(orient="records"),
    "array": lambda _: FRAME.to_records(index=False),
    "series": lambda _: FRAME.set_index(list(FRAME)[:-1])["train_time"],
    "dictionary": lambda _: FRAME.to_dict(orient="list"),
    "frame": lambda _: FRAME,
}


def test_every_source_is_tried() -> None:
    # What scikit-learn leaves behind has columns of its own: tests/scores/importers.
    there = {name if name in SOURCES else "memory" for name in TABLES}
    assert {*there, "scikit-learn"} == set(SOURCES)


@pytest.mark.parametrize("name", TABLES)
def test_every_source_gives_the_same_columns_and_no_other_takes_it(
    name: str, tmp_path: Path
) -> None:
    given = TABLES[name](tmp_path)
    assert [each for each, source in SOURCES.items() if source.matches(given)] == [
        name if name in SOURCES else "memory"
    ]
    columns = read_columns(given, parameter="source")
    assert columns.names == tuple(FRAME)
    assert len(columns) == len(FRAME)
    found = read_scores(TABLES[name](tmp_path), missing="pairwise").means()
    np.testing.assert_array_equal(found, read_scores(FRAME, missing="pairwise").means())


def test_a_new_source_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(source: str, _parameter: str) -> Columns:
        names = source.removeprefix("made:").split(",")
        columns = {"dataset": ["x"] * len(names), "algorithm": names, "auc": range(len(names))}
        series = {name: pd.Series(list(values)) for name, values in columns.items()}
        return Columns(series, Origin.of_rows(source, len(names)))

    made = Source("made", "made:NAMES", lambda given: str(given).startswith("made:"), read)
    monkeypatch.setattr("palio.scores.sources.SOURCES", {"made": made, **SOURCES})
    assert read_scores("made:a,b,c").algorithms == ("a", "b", "c")
    with pytest.raises(ParameterError, match="made:NAMES"):
        read_columns(3, parameter="source")


def test_json_of_records_by_name(tmp_path: Path) -> None:
    board = {
        name: {"team": f"of {name}", "open": True, "pass@1": {"a": x, "b": y}}
        for name, x, y in (("knn", 0.5, 0.25), ("svm", 0.75, 0.5))
    }
    path = tmp_path / "board.json"
    for content in (board, {"date": "today", "config": {"n": 3}, "eval": board}):
        path.write_text(json.dumps(content), encoding="utf-8")
        assert read_scores(path).algorithms == ("knn", "svm")
        table = read_scores(path, algorithm="index", score="pass@1")
        assert (table.algorithms, table.datasets) == (("knn", "svm"), ("pass@1.a", "pass@1.b"))
        assert table.means().tolist() == [[0.5, 0.75], [0.25, 0.5]]


def test_json_of_parts_of_the_data_is_one_record(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    parts = {each: {"accuracy": 0.5, "by class": {"x": 1}} for each in ("train", "test")}
    path.write_text(json.dumps({"model": "knn", "dataset": "a", "metrics": parts}), "utf-8")
    table = read_scores(path, alone=True, score="metrics.test.accuracy")
    assert (table.algorithms, table.datasets) == (("knn",), ("a",))
    assert table.measure.higher_is_better


def test_columns_of_json_of_different_kinds_stay_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"dataset": "a", "x": [1, 2], "y": [3, 4]}), encoding="utf-8")
    with pytest.raises(InputError, match="must be a list of values"):
        read_scores(path, score="error")
