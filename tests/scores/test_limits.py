"""The limits at the door: what a small file may do to a machine, and how it may be read anyway."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from palio.app.cli import main
from palio.errors import InputError, UnreadableError
from palio.measures import is_known_score
from palio.predictions import read_predictions
from palio.scores import limits, read_scores
from palio.scores.limits import LIMITS, Limits
from tests.slow import mostly_slow

TEXT = "dataset,algorithm,accuracy\niris,knn,0.9\niris,tree,0.8\nwine,knn,0.7\nwine,tree,0.75\n"
RECORDS = [
    {"dataset": dataset, "algorithm": algorithm, "accuracy": float(score)}
    for dataset, algorithm, score in (line.split(",") for line in TEXT.split()[1:])
]
LARGE = 80_000_000  # bytes, beyond what a small file may unpack to
QUICK = 30.0  # seconds, on a machine that has other things to do; without a limit it is minutes


def in_parquet(**columns: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def in_zip(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def sheet(within: str, after: str = "") -> bytes:
    """Return a workbook whose only sheet is written by hand."""
    made = io.BytesIO()
    openpyxl.Workbook().save(made)
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    xml = f'<worksheet xmlns="{space}"><sheetData>{within}</sheetData>{after}</worksheet>'
    with zipfile.ZipFile(made) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    return in_zip(**{**parts, "xl/worksheets/sheet1.xml": xml.encode()})


def far_away(*places: str) -> bytes:
    """Return a workbook with a small table, and cells at these places."""
    cells = "".join(f'<row><c t="str" r="{at}"><v>{at}</v></c></row>' for at in ("A1", "B1"))
    more = "".join(f'<row r="{at[3:]}"><c r="{at}"><v>1</v></c></row>' for at in places)
    return sheet(cells + more)


def merged_all() -> bytes:
    cells = '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>'
    return sheet(cells, '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>')


_UNPACKS = r"unpacks to 5\d MB, and the limit is 50 MB"
BOMBS: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "csv.gz": (
        "t.csv.gz",
        lambda: gzip.compress(bytes(LARGE)),
        _UNPACKS,
    ),
    "json.gz": (
        "t.json.gz",
        lambda: gzip.compress(b"[" + b" " * LARGE + b"]"),
        _UNPACKS,
    ),
    "zip": (
        "t.csv.zip",
        lambda: in_zip(**{"t.csv": bytes(LARGE)}),
        _UNPACKS,
    ),
    "Inspect's log": (
        "t.eval",
        lambda: in_zip(**{"header.json": b"{}", "samples/1.json": bytes(LARGE)}),
        "unpacks to 80 MB",
    ),
    "workbook": (
        "t.xlsx",
        lambda: in_zip(**{"[Content_Types].xml": b"", "xl/worksheets/a.xml": bytes(LARGE)}),
        "unpacks to 80 MB",
    ),
    "Parquet with a long text in many rows": (
        "t.parquet",
        lambda: in_parquet(a=["x" * 100_000] * 1000),
        "unpacks to 100 MB",
    ),
    "Parquet with many rows": (
        "t.parquet",
        lambda: in_parquet(a=np.zeros(LIMITS.rows + 1, dtype=np.int8)),
        "10000001 rows",
    ),
    "JSON of nothing": ("t.json", lambda: b"[" + b"{}," * 30_000_000 + b"{}]", "cells"),
    "a million columns": ("t.csv", lambda: b"a," * 1_000_000 + b"b\n1", "1000001 columns"),
    "columns without end in JSON": (
        "t.json",
        lambda: json.dumps([{f"a{n}": 1 for n in range(300_000)}]).encode(),
        "has 300000 columns, and the limit is 100000",
    ),
    "lines of nothing": ("t.csv", lambda: b"a,b\n" + b"\n" * 10_000_001, "rows"),
    "ARFF of nothing": ("t.arff", lambda: b"@relation x\n" + b"\n" * 10_000_001, "rows"),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_file_made_to_fill_the_memory_is_refused_while_it_is_read(
    kind: str, tmp_path: Path
) -> None:
    name, make, told = BOMBS[kind]
    content = make()
    path = tmp_path / name
    path.write_bytes(content)
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    begun = time.perf_counter()
    with pytest.raises(UnreadableError, match=told) as raised:
        read_scores(path)
    took = time.perf_counter() - begun
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert took < QUICK
    # The file itself, as bytes and as text, and what came out of it up to the limit.
    assert most < 4 * len(content) + 10 * limits.SMALL
    assert pa.total_allocated_bytes() - before < limits.SMALL
    assert "limits=False" in str(raised.value)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (far_away("XFD1048576"), "t.xlsx"),
        (far_away("XFD999999999"), "999999999 rows"),
        (far_away(*(f"XFD{n}" for n in range(1, 4000))), "t.xlsx"),
    ],
)
def test_cells_far_away_in_a_sheet_take_no_memory(
    content: bytes, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(content)
    for on in (True, False):
        tracemalloc.start()
        with pytest.raises(InputError, match=told if on else "t.xlsx") as raised:
            read_scores(path, limits=on)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 20_000_000
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content", "library", "function"),
    [
        ("t.xlsx", far_away(), "openpyxl", "load_workbook"),
        ("t.parquet", in_parquet(a=[1]), "pyarrow.parquet", "ParquetFile"),
        ("t.csv.gz", gzip.compress(b"a,b"), "gzip", "open"),
        (
            "t_accuracy.csv",
            b"Resamples:,0\na,1\n",
            "palio.scores.importers.tables",
            "read_tsml",
        ),
    ],
    ids=["xlsx", "parquet", "gz", "importer"],
)
def test_what_needs_too_much_memory_is_not_called_spoiled(
    name: str,
    content: bytes,
    library: str,
    function: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_memory(*_: object, **__: object) -> None:
        raise pa.ArrowMemoryError("malloc failed")

    (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(f"{library}.{function}", no_memory)
    with pytest.raises(UnreadableError, match="needs more memory than there is"):
        read_scores(tmp_path / name)


SPANNED: dict[str, tuple[str, str]] = {
    "columns in HTML": (
        "t.html",
        "<table>" + "<tr><td colspan=1000>a</td></tr>" * 5000 + "</table>",
    ),
    "rows in HTML": (
        "t.html",
        "<table>" + "<td rowspan=65534>a</td>" * 2000 + "<tr></tr>" * 10_000 + "</table>",
    ),
    "columns in LaTeX": (
        "t.tex",
        r"\begin{tabular}{l}" + r"\multicolumn{1000}{c}{a} \\ " * 40_000 + r"\end{tabular}",
    ),
    "a long line in RST": ("t.rst", "+" + "-+" * 20_000 + "\n" + "|\n" * 20_000 + "+-+-+\n"),
    "a long line of CSV": ("t.csv", "a" + ",b" * 90_000 + "\n" + "1,2\n" * 3000),
    "a long line in Markdown": (
        "t.md",
        "|a" * 90_000 + "|\n" + "|-" * 90_000 + "|\n" + "|1|\n" * 3000,
    ),
    "aliases in YAML": (
        "t.yaml",
        "a0: &a0 [1, 2]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40)),
    ),
    "nesting in YAML": ("t.yaml", "[" * 50_000),
}


@pytest.mark.parametrize("kind", SPANNED)
def test_what_is_spanned_or_filled_up_is_counted_before_it_is_made(
    kind: str, tmp_path: Path
) -> None:
    name, content = SPANNED[kind]
    (tmp_path / name).write_text(content, encoding="utf-8")
    tracemalloc.start()
    begun = time.perf_counter()
    with pytest.raises(UnreadableError) as raised:
        read_scores(tmp_path / name)
    took, most = time.perf_counter() - begun, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert took < QUICK
    assert most < 200 * len(content) + 30_000_000
    assert len(str(raised.value)) < 400


def test_merged_cells_are_not_made_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(merged_all())
    begun = time.perf_counter()
    with pytest.raises(InputError):
        read_scores(tmp_path / "t.xlsx")
    assert time.perf_counter() - begun < QUICK


# --- each limit, and without --------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what sets the limits that hold."""

    def set_limits(**given: int) -> None:
        those = Limits(**given)
        monkeypatch.setattr(limits, "_current", ContextVar("limits", default=those))

    return set_limits


NESTED = json.dumps([{**RECORDS[0], "note": [[["deep"]]]}, *RECORDS[1:]])
LONG = json.dumps([{**each, "seen": 10**20} for each in RECORDS])

EACH: dict[str, tuple[dict[str, int], str, str, str]] = {
    "size": ({"size": 50}, "t.csv", TEXT, "has 0 MB, and the limit is 5e-05 MB"),
    "rows": ({"rows": 3}, "t.csv", TEXT, "has 4 rows, and the limit is 3"),
    "rows of JSON": ({"rows": 3}, "t.json", json.dumps(RECORDS), "has 4 rows"),
    "rows of JSON Lines": (
        {"rows": 3},
        "t.jsonl",
        "\n".join(map(json.dumps, RECORDS)),
        "has 4 rows",
    ),
    "columns": ({"columns": 2}, "t.csv", TEXT, "has 3 columns, and the limit is 2"),
    "columns of JSON": ({"columns": 2}, "t.json", json.dumps(RECORDS), "limit is 2"),
    "cells": ({"cells": 5}, "t.csv", TEXT, "cells, and the limit is 5"),
    "cells of Markdown": (
        {"cells": 5},
        "t.md",
        "| dataset | knn | tree |\n|--|--|--|\n| a | 1 | 2 |\n| b | 1 | 1 |\n",
        "cells, and the limit is 5",
    ),
    "nesting": ({"nesting": 4}, "t.json", NESTED, "nested more than 4 levels deep"),
    "digits": ({"digits": 19}, "t.json", LONG, "digits, which is the limit"),
    "letters": ({"letters": 3}, "t.csv", TEXT.replace("dataset", "d"), "letters"),
    "letters of a name": (
        {"letters": 9},
        "t.csv",
        TEXT.replace("tree", "t" * 10),
        "of t.csv has 10 letters, and the limit is 9",
    ),
}


@pytest.mark.parametrize("what", EACH)
def test_each_limit_is_a_line_and_can_be_lifted(
    what: str,
    small: Callable[..., None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given, name, content, told = EACH[what]
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    typed = ["read", str(path), "--score", "accuracy"]
    small(**given)
    assert main(typed) == 2
    said = capsys.readouterr()
    assert told in said.err
    assert said.err.count("\n") == 1
    assert "--no-limits" in said.err
    assert main([*typed, "--no-limits"]) == 0
    capsys.readouterr()
    with pytest.raises(InputError, match="limits=False"):
        read_scores(path, score="accuracy")
    assert read_scores(path, score="accuracy", limits=False).n_datasets == 2


@pytest.mark.linux("a pipe has a path")
def test_a_pipe_is_read_up_to_the_limit(small: Callable[..., None]) -> None:
    for size, fits in ((len(TEXT), True), (len(TEXT) - 1, False)):
        end, begin = os.pipe()
        os.write(begin, TEXT.encode())
        os.close(begin)
        small(size=size)
        if fits:
            assert read_scores(f"/dev/fd/{end}").n_datasets == 2
        else:
            with pytest.raises(UnreadableError, match="the limit is"):
                read_scores(f"/dev/fd/{end}")
        os.close(end)


@pytest.mark.parametrize("piece", ["iris,knn,0.9\n", b"iris,knn,0.9\n"])
def test_an_open_file_without_end_is_read_up_to_the_limit(
    piece: Any, small: Callable[..., None]
) -> None:
    class Endless:
        def read(self, size: int) -> Any:
            return piece * (size // len(piece))

    endless: Any = Endless()
    small(size=10_000)
    with pytest.raises(UnreadableError, match="and the limit is"):
        read_scores(endless)


def test_lists_in_parquet_are_not_read(tmp_path: Path) -> None:
    rows = {name: [each[name] for each in RECORDS] for name in RECORDS[0]}
    path = tmp_path / "t.parquet"
    path.write_bytes(in_parquet(said=[[0.5] * 2000] * 4, **rows, told=[{"a": 1}] * 4))
    assert read_scores(path).means().tolist() == [[0.9, 0.8], [0.7, 0.75]]


def test_predictions_have_the_same_limits(small: Callable[..., None], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("truth,tree,knn\n0,0,1\n1,1,1\n0,0,0\n", encoding="utf-8")
    small(rows=2)
    with pytest.raises(InputError, match="limits=False"):
        read_predictions(path)
    assert read_predictions(path, limits=False).algorithms == ("tree", "knn")
    assert main(["compare", str(path), "--test", "mcnemar", "--no-limits"]) == 0


@pytest.mark.parametrize("ending", [".csv", ".json", ".parquet"])
def test_what_is_nearly_infinite_is_refused_before_it_overflows(
    ending: str, tmp_path: Path
) -> None:
    from palio.scores.formats import write_file

    frame = pd.DataFrame(RECORDS).rename(columns={"accuracy": "reward"})
    frame["reward"] = [1e308, -1e308, 1e308, -1e308]
    write_file(frame, tmp_path / f"t{ending}", "to")
    with pytest.raises(InputError, match=r"within ±1e\+100, but 4 values are infinite"):
        read_scores(tmp_path / f"t{ending}", higher_is_better=True, allow_out_of_range=True)
    costs = frame.assign(reward=0.5, train_time=1e308)
    with pytest.raises(InputError, match="train_time"):
        read_scores(costs, higher_is_better=True)


def test_whole_numbers_beyond_any_float_are_infinite() -> None:
    table = {"dataset": ["a", "a"], "algorithm": ["x", "y"], "accuracy": [10**400, 1]}
    with pytest.raises(InputError, match="infinite"):
        read_scores(table)


def test_the_limits_are_stated_where_people_look() -> None:
    text = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
    stated = [
        f"- {LIMITS.size // 10**6} MB in a file, unpacked",
        f"- {LIMITS.times} times the size of the packed file, beyond {limits.SMALL // 10**6} MB",
        f"- {LIMITS.rows:,} rows",
        f"- {LIMITS.columns:,} columns",
        f"- {LIMITS.cells:,} cells",
        f"- {LIMITS.nesting} levels of nesting in JSON and TOML",
        f"- {LIMITS.digits} digits in a number of JSON and TOML",
        f"- {LIMITS.letters:,} letters in a name",
        f"- ±{limits.LARGEST:g} for a score or a cost, which always holds",
    ]
    assert not [each for each in stated if f"{each}\n" not in text]


# --- what took ages, or ended the process -------------------------------------------------------


def test_names_that_parquet_numbers_stay_numbered() -> None:
    from palio.scores.formats import FORMATS

    named = pa.array(["a", "b"] * 2)
    content = in_parquet(x=named.dictionary_encode(), y=named)
    frame: Any = FORMATS["parquet"].read(content, "t")
    assert [str(kind) for kind in frame.dtypes] == ["category", "category"]


SLOW: dict[str, tuple[str, str]] = {
    "blank lines before no table": ("t", "\n" * 40 + "x"),
    "brackets in Markdown": ("t.md", f"| a | b |\n|--|--|\n| {'[' * 100_000} | 1 |\n"),
    "links in Markdown": ("t.md", f"| a | b |\n|--|--|\n| {'[a](' * 80_000} | 1 |\n"),
    "stars in Markdown": ("t.md", f"| a | b |\n|--|--|\n| {'**a ' * 80_000} | 1 |\n"),
    "tags in Markdown": ("t.md", f"| a | b |\n|--|--|\n| {'<sup><' * 80_000} | 1 |\n"),
    "dashes in Markdown": ("t.md", "| a | b |\n" + "-" * 100_000 + "x\n"),
    "a comment in Markdown": ("t.md", "<!-- never closed\n" + "some words & more\n" * 60_000),
    "a script in Markdown": ("t.md", "<script>\n" + "if (a < b)\n" * 60_000),
    "braces in LaTeX": ("t.tex", r"\newcommand{\a}{" * 20_000),
    "tables in LaTeX": ("t.tex", r"\begin{tabular}{l}" * 3000),
    "marks in LaTeX": ("t.tex", rf"\begin{{tabular}}{{l}} {'^{' * 50_000} & 1 \end{{tabular}}"),
    "tables in HTML": ("t.html", "<table><tr><td>" * 20_000),
    "tags in HTML": ("t.html", "<" * 200_000),
    "rules in RST": ("t.rst", "== ==\n" * 3000),
    "underlines in RST": ("t.rst", "a\n---\n" * 3000 + "+-+\n" * 3000),
    "numbers in CSV": ("t.csv", "a,b\n" + f"{'1 ' * 40_000}x,2\n" * 2),
    "spaces in text": ("t.txt", "a  b\n" + " " * 200_000 + "x\n" + "c  d\n"),
    "spaces in ARFF": (
        "t.arff",
        f"@relation x\n@attribute a\n@attribute b\n@data\n'a',b{' ' * 50_000}c\n",
    ),
}


@pytest.mark.parametrize("kind", SLOW)
def test_patterns_do_not_take_ages(kind: str, tmp_path: Path) -> None:
    name, content = SLOW[kind]
    (tmp_path / name).write_text(content, encoding="utf-8")
    begun = time.perf_counter()
    with pytest.raises(InputError):
        read_scores(tmp_path / name)
    assert time.perf_counter() - begun < QUICK / 3


def test_a_data_set_without_any_score_is_no_mistake() -> None:
    table = read_scores(
        {"dataset": ["x", "x", "y"], "item": [1, 2, 1], "a": [1, 0, None], "b": [0, 1, None]},
        score="accuracy",
    )
    assert table.datasets == ("x",)
    assert any("1 row without a value" in note for note in table.notes)


@pytest.mark.parametrize("name", ["q" + "(" * 50_000, "q" + " " * 50_000 + "b"])
def test_a_measure_of_any_name_is_looked_up_at_once(name: str) -> None:
    begun = time.perf_counter()
    assert not is_known_score(name)
    assert time.perf_counter() - begun < QUICK / 10


@pytest.mark.parametrize("begin", ["", "lm-eval:", "table:"])
@pytest.mark.parametrize("end", ["", ".csv", ".db", "/*.csv"])
def test_a_name_that_no_file_can_have_is_one_line(begin: str, end: str) -> None:
    with pytest.raises(InputError) as raised:
        read_scores(begin + "x" * 5000 + end)
    assert len(str(raised.value)) < 600


# --- at the peak --------------------------------------------------------------------------------

PEAK = 500_000_000  # bytes that a process may hold while it refuses a file


def gz_of_2_gb(line: bytes) -> bytes:
    """Return what unpacks to 2 GB of a line: the same packed piece again and again."""
    piece = line * (10_000_000 // len(line))
    return gzip.compress(piece) * (2_000_000_000 // len(piece) + 1)


def lists_of_one_column() -> bytes:
    rows = {f"r{n}": 1 for n in range(20_000)}
    return json.dumps({"knn": {**rows, "r0": [1] * 20_000}, "svm": rows}).encode()


PEAKS: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a cell in the last corner": ("t.xlsx", lambda: far_away("XFD1048576"), "t.xlsx"),
    "a cell in a row beyond the last": (
        "t.xlsx",
        lambda: far_away("XFD999999999"),
        "has 999999999 rows",
    ),
    "2 GB of zeros": ("t.csv.gz", lambda: gz_of_2_gb(bytes(1000)), "unpacks to"),
    "2 GB of CSV": (
        "t.csv.gz",
        lambda: gz_of_2_gb(b"iris,knn,0.912\n"),
        "unpacks to",
    ),
    "records of their own keys": (
        "t.jsonl",
        lambda: "\n".join(f'{{"a{n}": 1, "b{n}": 2}}' for n in range(20_000)).encode(),
        "800000000 cells",
    ),
    "one long list among rows": ("t.json", lists_of_one_column, "800000000 cells"),
}
CHILD = """
import sys
from palio.app.cli import main
status = main(["read", sys.argv[1]])
with open("/proc/self/status") as about:
    peak = next(line for line in about if line.startswith("VmHWM"))
print("peak", 1024 * int(peak.split()[1]))
sys.exit(status)
"""


@pytest.mark.linux("the peak of a process is asked of the system")
@pytest.mark.parametrize("kind", mostly_slow(PEAKS, ("a cell in the last corner", "2 GB of CSV")))
def test_a_small_file_that_would_be_large_ends_in_a_line_and_takes_little_memory(
    kind: str, tmp_path: Path
) -> None:
    name, make, told = PEAKS[kind]
    path = tmp_path / name
    path.write_bytes(make())
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert told in done.stderr
    assert int(done.stdout.split()[-1]) < PEAK
