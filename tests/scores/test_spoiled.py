"""Spoiled files, one of each kind: each is the right table, or one line that says what is wrong."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from palio.app.cli import main
from palio.errors import InputError
from palio.scores import read_scores

HEADER = "dataset,algorithm,accuracy\n"
ROWS = "iris,knn,0.9\niris,tree,0.8\nwine,knn,0.7\nwine,tree,0.75\n"
TEXT = HEADER + ROWS
ACCENTS = TEXT.replace("iris", "café")
FRAME = pd.read_csv(io.StringIO(TEXT))
RECORDS = FRAME.to_dict(orient="records")

NAMES = (("iris", "wine"), ("knn", "tree"))
MEANS = [[0.9, 0.8], [0.7, 0.75]]


@dataclass(frozen=True)
class Read:
    """What is to be read: by default the table above."""

    datasets: tuple[str, ...] = NAMES[0]
    algorithms: tuple[str, ...] = NAMES[1]
    means: list[list[float]] = field(default_factory=lambda: MEANS)
    note: str = ""
    options: tuple[str, ...] = ()


SAME = Read()
CAFE = Read(("café", "wine"))

Content = bytes | str | Callable[[Path], object]


# --- how files are made ---------------------------------------------------------------------------


def zipped(**members: str | bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def locked() -> bytes:
    """Return a ZIP that says it has a password."""
    content = bytearray(zipped(**{"t.csv": TEXT}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def parquet(**columns: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table({**{str(name): FRAME[name] for name in FRAME}, **columns}), file)
    return file.getvalue()


def book(fill: Callable[[Any], object]) -> bytes:
    made = openpyxl.Workbook()
    fill(made)
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def rows_in(book: Any, title: str | None = None, skip: int = 0, right: int = 0) -> Any:
    sheet = book.active if title is None else book.create_sheet(title)
    for n, line in enumerate(TEXT.splitlines()):
        for m, cell in enumerate(line.split(",")):
            value = float(cell) if n and m == 2 else cell
            sheet.cell(n + 1 + skip, m + 1 + right, value)
    return sheet


def merged(book: Any) -> None:
    sheet = rows_in(book)
    for area in ("A2:A3", "A4:A5"):
        sheet.merge_cells(area)


def titled(book: Any) -> None:
    rows_in(book, skip=3, right=2)["A1"] = "Table 3: accuracy"


def with_formula(book: Any) -> None:
    rows_in(book)["C5"] = "=C4+0.05"


def computed() -> bytes:
    """Return the same after Excel had it open, with a cell that is empty."""

    def fill(book: Any) -> None:
        with_formula(book)
        book.active["D1"], book.active["D2"] = "remark", "x"

    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book(fill))) as old, zipfile.ZipFile(made, "w") as new:
        for each in old.namelist():
            content = old.read(each)
            new.writestr(each, re.sub(rb"(</f>)<v ?/>|(</f>)<v></v>", rb"</f><v>0.75</v>", content))
    return made.getvalue()


def with_error(book: Any) -> None:
    rows_in(book)["C5"] = "#DIV/0!"


def two_sheets(book: Any) -> None:
    book.active.title = "empty"
    rows_in(book, "first")
    rows_in(book, "second")["C2"] = 0.1


def far_away(book: Any) -> None:
    rows_in(book)["C60000"].number_format = "0.0"


def wide(columns: int) -> bytes:
    names = ",".join(f"a{n}" for n in range(columns))
    scores = ",".join("0.5" for _ in range(columns))
    return f"dataset,{names}\niris,{scores}\nwine,{scores}\n".encode()


def arff(rows: str = ROWS, data: str = "@data") -> str:
    return (
        "% results\n@RELATION 'of trees'\n\n@attribute dataset {iris, wine}\n"
        f"@attribute 'algorithm' string\n@ATTRIBUTE accuracy numeric\n{data}\n{rows}"
    )


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_unreadable(path: Path) -> None:
    path.write_text(TEXT, encoding="utf-8")
    path.chmod(0)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def deep_record(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


MARKDOWN = (
    "# Results\n\nAs of *today*:\n\n| Model | iris | [wine](https://x.org) |\n|:--|--:|:-:|\n"
    "| **knn** | 0.9 | `0.7` |\n| [tree](https://a.b/c) | 0.8 | 0.75 |\n\nThat is all.\n"
)
NFC, NFD = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))


def names(first: str, second: str = "knn") -> str:
    return TEXT.replace("tree", first).replace("knn", second)


# --- the table of spoiled files -------------------------------------------------------------------

CASES: dict[str, tuple[str, Content, Read | str]] = {
    # encodings
    "UTF-8 with a mark": ("t.csv", ACCENTS.encode("utf-8-sig"), CAFE),
    "UTF-16 with a mark": ("t.csv", ACCENTS.encode("utf-16"), CAFE),
    "UTF-16, big end first": ("t.csv", b"\xfe\xff" + ACCENTS.encode("utf-16-be"), CAFE),
    "UTF-16 without a mark": ("t.csv", ACCENTS.encode("utf-16-le"), "not UTF-8|NUL"),
    "UTF-16 cut in a letter": ("t.csv", ACCENTS.encode("utf-16")[:-1], "is not UTF-16 text"),
    "UTF-16 as Excel's Unicode text": (
        "t.txt",
        ACCENTS.replace(",", "\t").encode("utf-16"),
        CAFE,
    ),
    "Windows-1252": (
        "t.csv",
        ACCENTS.encode("cp1252"),
        Read(("café", "wine"), note="read as Windows-1252"),
    ),
    "UTF-8 with a fault": ("t.csv", ACCENTS.encode() + b"\xe9,knn,1\n", "not UTF-8 .*line 6"),
    "UTF-8 cut in a letter": ("t.csv", (TEXT + "caf\u00e9").encode()[:-1], "not UTF-8 .*line 6"),
    "NUL bytes": ("t.csv", TEXT.replace("wine", "wi\0ne"), "line 4 holds a NUL byte"),
    "NUL bytes alone": ("t.csv", bytes(1000), "holds a NUL byte"),
    "bytes of no text": ("t.csv", bytes(range(1, 256)) * 9, "is not UTF-8 text"),
    # lines and separators
    "lone carriage returns": ("t.csv", TEXT.replace("\n", "\r"), SAME),
    "mixed ends of lines": ("t.csv", TEXT.replace("\n", "\r\n", 2), SAME),
    "Excel says its separator": (
        "t.csv",
        "SEP=;\r\n"
        + TEXT.replace(",", ";")
        .replace("algorithm", "algorithm; a, b ")
        .replace("knn;", "knn;x;")
        .replace("tree;", "tree;y;"),
        SAME,
    ),
    "comments in front": ("t.csv", f"# made by x, y\n# on Monday\n{TEXT}", Read(note="left out")),
    "a header behind #": (
        "t.txt",
        TEXT.replace(",", " ").replace("dataset", "#dataset"),
        Read(options=("--column", "dataset=#dataset")),
    ),
    "spaces between columns": ("t.txt", re.sub(",", "   ", TEXT), SAME),
    "bars between columns": ("t.csv", TEXT.replace(",", "|"), SAME),
    "a separator at the end of rows": (
        "t.csv",
        HEADER + ROWS.replace("\n", ",\n"),
        SAME,
    ),
    "rows that R counted": (
        "t.csv",
        HEADER + "".join(f'"{n}",{row}\n' for n, row in enumerate(ROWS.split(), start=1)),
        SAME,
    ),
    "blank lines everywhere": ("t.csv", "\n\n" + TEXT.replace("\n", "\n\n \n"), SAME),
    "a row too long": ("t.csv", TEXT + "car,knn,0.5,0.6\n", "Expected 3 fields in line 6, saw 4"),
    "a row too short": ("t.csv", TEXT + "car\n", "line 6"),
    "a quotation mark never closed": ("t.csv", TEXT + '"car,knn,1\n', "line 6 is never closed"),
    "a cell of a million letters": ("t.csv", TEXT + "x" * 10**6 + ",knn,1\n", "field larger"),
    # what is there
    "empty": ("t.csv", "", "is empty"),
    "blank": ("t.csv", " \n\t\n", "is empty"),
    "a header alone": ("t.csv", HEADER, "has no rows"),
    "numbers without a header": ("t.csv", "0.9,0.8\n0.7,0.75\n", "can be seen to name"),
    "one word": ("t.csv", "hello\n", "has no rows"),
    "prose": (
        "t.txt",
        "This is a letter.\n\nIt has no table in it, none at all.\n",
        "one column only",
    ),
    "headers that are the same": (
        "t.csv",
        "dataset,knn,knn\niris,0.1,0.2\nwine,0.3,0.4\n",
        Read(
            algorithms=("knn", "knn (2)"),
            means=[[0.1, 0.2], [0.3, 0.4]],
            note="told apart: 'knn \\(2\\)'",
            options=("--score", "accuracy"),
        ),
    ),
    "headers without names": (
        "t.csv",
        "dataset,,\niris,0.1,0.2\nwine,0.3,0.4\n",
        Read(
            algorithms=("column 2", "column 3"),
            means=[[0.1, 0.2], [0.3, 0.4]],
            note="has no header",
            options=("--score", "accuracy"),
        ),
    ),
    "a thousand columns": (
        "t.csv",
        wide(1_000),
        Read(
            algorithms=tuple(f"a{n}" for n in range(1_000)),
            means=[[0.5] * 1_000] * 2,
            options=("--score", "accuracy"),
        ),
    ),
    "a million columns": ("t.csv", wide(1_000_000), "has 1000001 columns, and the limit is 100000"),
    "a row of a million cells": ("t.csv", "dataset,x\n" + "1," * 10**6, "saw 1000001"),
    # numbers
    "an integer of 5000 digits": ("t.csv", TEXT.replace("0.75", "9" * 5000), "inf"),
    "an integer of 5000 digits in JSON": (
        "t.json",
        json.dumps(RECORDS).replace("0.75", "9" * 5000),
        "is not JSON: Exceeds the limit",
    ),
    "a fold of 5000 digits": (
        "t.csv",
        TEXT.replace("accuracy", "fold,accuracy").replace(",0.", f",{'9' * 5000},0."),
        Read(),
    ),
    "nearly infinite": (
        "t.csv",
        TEXT.replace("accuracy", "reward").replace("0.75", "1e308"),
        "1 value is infinite",
    ),
    "infinite": ("t.csv", TEXT.replace("0.75", "1e999"), "inf"),
    "NaN in JSON": (
        "t.json",
        json.dumps(RECORDS).replace("0.75", "NaN"),
        Read(means=[[0.9, 0.8], [0.7, np.nan]]),
    ),
    "Infinity in JSON": ("t.json", json.dumps(RECORDS).replace("0.75", "-Infinity"), "inf"),
    "words among numbers": ("t.csv", TEXT.replace("0.75", "good"), r"'good' \(line 5\)"),
    "truth values": ("t.json", json.dumps(RECORDS).replace("0.75", "true"), r"'True' \(row 3"),
    # names
    "names with ends of lines": ("t.csv", names('"a\nb"'), Read(algorithms=("knn", "a\nb"))),
    "names with control letters": (
        "t.csv",
        names("a\x1b[31m\x07"),
        Read(algorithms=("knn", "a[31m"), note="control characters, which were left out"),
    ),
    "names from right to left": (
        "t.csv",
        names("\u202eשלום"),
        Read(algorithms=("knn", "\u202eשלום")),
    ),
    "names of pictures": ("t.csv", names("🌲"), Read(algorithms=("knn", "🌲"))),
    "names that only look the same": ("t.csv", names(NFC, NFD), "rows: .*repeat"),
    "names of spaces": ("t.csv", names("  "), "lines 3, 5"),
    "NUL in a name of JSON": ("t.json", json.dumps(RECORDS).replace("tree", "a\\u0000b"), "NUL"),
    "half a letter in JSON": (
        "t.json",
        json.dumps(RECORDS).replace("tree", "\\ud83d"),
        "half a letter",
    ),
    # JSON
    "JSON cut off": ("t.json", json.dumps(RECORDS)[:-9], "is not JSON"),
    # How deep its parser goes differs from Python to Python.
    "JSON a thousand deep": ("t.json", nested(1000), "recursion|more than 100 levels deep"),
    "JSON a hundred thousand deep": ("t.json", nested(100_000), "is not JSON"),
    "records a thousand deep": ("t.json", f"[{deep_record(900)}]", "more than 100 levels deep"),
    "lists in cells": ("t.json", json.dumps(RECORDS).replace("0.75", "[0.7, 0.8]"), "holds a list"),
    "lists of several columns": (
        "accuracy.json",
        json.dumps([{"name": name, "iris": [1, 2], "wine": [2]} for name in ("knn", "svm")]),
        "must hold numbers",
    ),
    "rows by name": (
        "t.json",
        json.dumps({"knn": {"iris": 0.9, "wine": 0.7}, "tree": {"wine": 0.75, "iris": 0.8}}),
        Read(options=("--score", "accuracy")),
    ),
    "a list of records within": ("t.json", json.dumps({"date": "x", "rows": RECORDS}), SAME),
    "as pandas describes it": ("t.json", FRAME.to_json(orient="table"), SAME),
    "JSON Lines cut off": (
        "t.jsonl",
        FRAME.to_json(orient="records", lines=True)[:-9],
        "line 4 column",
    ),
    "JSON Lines with blank ones": (
        "t.ndjson",
        FRAME.to_json(orient="records", lines=True).replace("\n", "\r\n\r\n"),
        SAME,
    ),
    "JSON Lines with a list": ("t.jsonl", '{"a": 1}\n[2]\n', "must hold a list of records"),
    "JSON Lines that end in .json": ("t.json", FRAME.to_json(orient="records", lines=True), SAME),
    # Parquet
    "Parquet cut off": ("t.parquet", parquet()[:-20], "cannot be read"),
    "Parquet with bytes": (
        "t.parquet",
        parquet(accuracy=[b"a", b"b", b"c", b"d"]),
        "4 cells are text",
    ),
    "Parquet with bytes that are no text": (
        "t.parquet",
        parquet(algorithm=[b"knn", b"a\xff"] * 2, besides=[b"\xff\xfe"] * 4),
        Read(algorithms=("knn", "a\\xff")),
    ),
    "Parquet with times": (
        "t.parquet",
        parquet(when=pd.to_datetime(["2020-01-01"] * 4)),
        SAME,
    ),
    "Parquet with lists": (
        "t.parquet",
        parquet(accuracy=[[1.0], [2.0], [], None]),
        r"4 cells are text: '\[…\]'",
    ),
    "Parquet with truth values": (
        "t.parquet",
        parquet(accuracy=[True, False, True, True]),
        "4 cells are text",
    ),
    "Parquet without rows": ("t.parquet", lambda path: FRAME[:0].to_parquet(path), "has no rows"),
    "Feather": ("t.feather", b"ARROW1....ARROW1", "is Feather, not a table. Save it as"),
    # Excel
    "merged cells": ("t.xlsx", book(merged), Read(note="merged cells .* hold the same")),
    "a title above, and columns to the left": ("t.xlsx", book(titled), Read(note="Table 3")),
    "a formula never computed": ("t.xlsx", book(with_formula), "formula in C5"),
    "a formula that was computed": ("t.xlsx", computed(), SAME),
    "an error for a value": (
        "t.xlsx",
        book(with_error),
        Read(means=[[0.9, 0.8], [0.7, np.nan]]),
    ),
    "two sheets": ("t.xlsx", book(two_sheets), SAME),
    "one of two sheets": (
        "t.xlsx",
        book(two_sheets),
        Read(means=[[0.1, 0.8], [0.7, 0.75]], options=("--format", "xlsx:second")),
    ),
    "a workbook without cells": ("t.xlsx", book(lambda _: None), "is empty"),
    "a workbook with colours far below": ("t.xlsx", book(far_away), SAME),
    "a workbook cut off": ("t.xlsx", book(merged)[:-200], "cannot be read"),
    "a workbook of another kind": (
        "t.xlsx",
        zipped(**{"word/a.xml": "x"}),
        "cannot tell",
    ),
    "an old workbook": ("t.xls", b"\xd0\xcf\x11\xe0" + bytes(500), "old Excel"),
    # ARFF and Markdown
    "ARFF": ("t.arff", arff(), SAME),
    "ARFF without @data": ("t.arff", arff(data=""), "no @data"),
    "ARFF without rows": ("t.arff", arff(rows=""), "has no rows"),
    "sparse ARFF": ("t.arff", arff("{1 knn, 2 0.9}\n"), "3 columns were named, line 8 has 2"),
    "ARFF with a mark never closed": ("t.arff", arff("'iris,knn,1\n"), "cannot be read"),
    "Markdown": ("t.md", MARKDOWN, Read(note="Models in rows", options=("--score", "accuracy"))),
    "Markdown without a table": ("t.md", "# Nothing\n\na | b\n", "holds no table"),
    "Markdown with two tables": ("t.md", MARKDOWN * 2, "does not say what it measures"),
    "Markdown in a file of text": (
        "t.txt",
        MARKDOWN[MARKDOWN.index("|") :],
        Read(note="Models in rows", options=("--score", "accuracy")),
    ),
    # packed
    "gzip cut off": ("t.csv.gz", gzip.compress(TEXT.encode())[:-12], "cannot be read"),
    "gzip with a wrong sum": (
        "t.csv.gz",
        gzip.compress(TEXT.encode())[:-8] + bytes(8),
        "cannot be read .*CRC",
    ),
    "bzip2 cut off": ("t.csv.bz2", bz2.compress(TEXT.encode())[:-12], "cannot be read"),
    "xz cut off": ("t.csv.xz", lzma.compress(TEXT.encode())[:-12], "cannot be read"),
    "Zstandard": ("t.csv.zst", b"\x28\xb5\x2f\xfd", "is packed by Zstandard"),
    "zip cut off": ("t.csv.zip", zipped(**{"t.csv": TEXT})[:-12], "cannot be read"),
    "gzip of gzip": (
        "t.csv.gz.gz",
        gzip.compress(gzip.compress(TEXT.encode())),
        "more than once",
    ),
    "not packed at all": ("t.csv.gz", TEXT, Read(note="is not packed")),
    "packed without saying so": ("t.csv", gzip.compress(TEXT.encode()), SAME),
    "zip of one file": ("results.zip", zipped(**{"t.csv": TEXT, "__MACOSX/._t.csv": "x"}), SAME),
    "zip of two files": ("t.zip", zipped(**{"a.csv": TEXT, "b.csv": TEXT}), "holds 2 files"),
    "zip of none": ("t.zip", zipped(**{"a/": ""}), "holds 0 files"),
    "zip with a way out": ("t.zip", zipped(**{"../../t.csv": TEXT}), SAME),
    "zip with a password": ("t.csv.zip", locked(), "encrypted, password"),
    "tar": ("t.tar", bytes(257) + b"ustar" + bytes(250), "is an archive"),
    # not what it says, or no file
    "Parquet that ends in .csv": ("t.csv", parquet(), Read(note="read as parquet")),
    "Excel that ends in .csv": ("t.csv", book(rows_in), Read(note="read as xlsx")),
    "no ending": ("results", TEXT, Read(note="read as csv, by its content")),
    "ARFF without its ending": ("results.dat", arff(), Read(note="read as arff")),
    "a web page": ("t.csv", "<!DOCTYPE html><html>Sign in</html>", "is a web page"),
    "a pointer of Git LFS": ("t.csv", "version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
    "a pickle": ("t.csv", b"\x80\x04\x95", "is a pickle"),
    "a folder without tables": ("t.csv", lambda path: path.mkdir(), "holds no table"),
}
if os.name == "posix":
    CASES |= {
        "a pipe that nobody writes to": ("t.csv", make_fifo, "is no file"),
        "a way that ends nowhere": (
            "t.csv",
            lambda path: path.symlink_to("gone"),
            "there is no file",
        ),
        "a file that may not be read": (
            "t.csv",
            make_unreadable,
            SAME if os.geteuid() == 0 else "Permission denied",  # who administers a machine may
        ),
    }


def made(path: Path, content: Content) -> Path:
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_there_are_many() -> None:
    assert len(CASES) >= 60


@pytest.fixture(autouse=True)
def usual_limit() -> Iterator[None]:
    """Python's own limit of a cell, which other packages raise when they are imported."""
    before = csv.field_size_limit(131_072)
    yield
    csv.field_size_limit(before)


@pytest.mark.parametrize("kind", CASES)
def test_a_spoiled_file_is_a_table_or_one_line(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content, expected = CASES[kind]
    path = made(tmp_path / name, content)
    options = expected.options if isinstance(expected, Read) else ()
    status = main(["read", str(path), "--json", *options])
    said = capsys.readouterr()
    if isinstance(expected, str):
        assert status == 2
        assert re.fullmatch(r"error: [^\n\r]+\n", said.err)
        assert re.search(expected, said.err), said.err
        assert said.out == ""
        with pytest.raises(InputError) as raised:
            read_scores(path, missing="pairwise")
        assert "\n" not in str(raised.value)
        return
    assert (status, said.err) == (0, "")
    told = json.loads(said.out)
    assert (tuple(told["datasets"]), tuple(told["algorithms"])) == (
        expected.datasets,
        expected.algorithms,
    )
    assert re.search(expected.note, " ".join(told["notes"])), told["notes"]
    given = dict(zip(options[::2], options[1::2], strict=True))
    table = read_scores(
        path,
        missing="pairwise",
        score=given.get("--score"),
        format=given.get("--format"),
        dataset=given.get("--column", "").removeprefix("dataset=") or None,
    )
    np.testing.assert_array_equal(table.means(), expected.means)
