"""Large files: both readers of text give the same, streams give means, limits hold elsewhere."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from palio import read_scores
from palio.errors import MissingExtraError, UnreadableError
from palio.scores import formats, limits, streaming
from palio.scores.columns import CodedTexts, Columns, Texts, dense, distinct_pairs, first_places
from palio.scores.formats import FORMATS
from palio.scores.formats.arrow import ArrowTexts
from palio.scores.limits import MalformedError

HEADER = "dataset,algorithm,fold,accuracy"
CELLS = ("NA", "007", "nan", "inf", "", " ", "1e3", "+0.5", ".5", "5.", "0.80", "0.8", "86.9%", "é")


def rows(n: int, cells: tuple[str, ...] = ("0.5", "0.75")) -> list[str]:
    """Return rows of a long table whose scores are some of these cells."""
    some = random.Random(n)
    return [f"d{i % 5},a{i % 3},{i},{some.choice(cells)}" for i in range(n)]


def read_both(content: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Return what both readers make of a text; an error is its words."""
    found: list[Any] = []
    for least in (1, 1 << 40):
        monkeypatch.setattr(formats, "LARGE", least)
        try:
            found.append(FORMATS["csv"].table(content.encode(), "t.csv", "source", []))
        except MalformedError as error:
            found.append((error.reason, error.remedy))
    return found[0], found[1]


def same(fast: Any, careful: Any) -> None:
    """Compare columns: cells, places, numbers bit for bit, lines and notes."""
    if not isinstance(careful, Columns):
        assert type(fast) is type(careful)
        assert isinstance(careful, list) or fast == careful
        return
    assert fast.names == careful.names
    assert fast.notes == careful.notes
    assert fast.origin.numbers.tolist() == careful.origin.numbers.tolist()
    for name in careful.names:
        one, other = fast.values[name], careful.values[name]
        assert list(one.cells) == list(other.cells)
        for first, second in zip(fast.distinct(name), careful.distinct(name), strict=True):
            assert list(first) == list(second)
        first, second = fast.numbers(name), careful.numbers(name)
        assert np.array(first.values).tobytes() == np.array(second.values).tobytes()
        assert first.bad.tolist() == second.bad.tolist()
        assert first.written.words == second.written.words


@pytest.mark.parametrize("cells", [("0.5", "0.75"), *((cell, "0.25") for cell in CELLS), CELLS])
def test_both_readers_give_the_same(
    cells: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    same(*read_both("\n".join([HEADER, *rows(300, cells)]), monkeypatch))


ODD = {
    "short row": "d1,a1,7",
    "long row": "d1,a1,7,0.5,0.6",
    "blank line": "",
    "row of nothing": ",,,",
    "quoted separator": '"d,1",a1,7,0.5',
    "quoted end of line": '"d\n1",a1,7,0.5',
    "quotation mark within": 'd"1,a1,7,0.5',
    "quoted and more": '"d1"x,a1,7,0.5',
    "doubled mark": '"d""1",a1,7,0.5',
    "guarded": "'=d1,a1,7,0.5",
    "never closed": '"d1,a1,7,0.5',
    "marked": "`d1`,a1,7,**0.5**",
}


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_that_are_not_regular_are_read_carefully(
    what: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [HEADER, *rows(60), ODD[what], *rows(60)]
    same(*read_both(end.join(lines) + 2 * end, monkeypatch))


def test_the_fast_reader_keeps_names_as_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, _ = read_both("\n".join([HEADER, *(f"{each}1" for each in rows(300))]), monkeypatch)
    assert isinstance(fast.values["dataset"], CodedTexts)
    assert isinstance(fast.values["fold"], ArrowTexts)
    assert fast.values["fold"].take(np.array([3, 1])).cells[:] == ["3", "1"]


def test_taking_rows_of_codes_is_taking_rows_of_texts() -> None:
    cells = ["b", "a", "b", "c", "a"]
    codes, texts = Texts(cells).factorize()
    places = np.array([4, 3, 3, 1])
    coded, plain = (each.take(places) for each in (CodedTexts(codes, texts), Texts(cells)))
    assert list(coded.cells) == list(plain.cells)
    assert coded.factorize()[0].tolist() == plain.factorize()[0].tolist()


@pytest.mark.parametrize("most", [3, 50, 10**9])
def test_places_are_those_of_sorting(most: int) -> None:
    draws = np.random.default_rng(1).integers(0, most, size=(2, 200)).astype(np.intp)
    keys, first, place = np.unique(draws[0], return_index=True, return_inverse=True)
    assert dense(draws[0]).tolist() == place.tolist()
    assert first_places(dense(draws[0])).tolist() == first.tolist()
    small = draws % 1000
    assert distinct_pairs(*small).tolist() == np.unique(small, axis=1).tolist()
    assert keys.size == dense(draws[0]).max() + 1


# --- streams -----------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold so few rows that any table is streamed."""
    monkeypatch.setattr(streaming, "_MIN_SIZE", 1)
    fewer = limits.Limits(rows=100)
    monkeypatch.setattr(limits, "now", lambda: fewer)


def frame() -> pd.DataFrame:
    draws = np.random.default_rng(3)
    grid = pd.MultiIndex.from_product(
        [["iris", "wine", "zoo"], [f"q{n}" for n in range(40)], ["knn", "svm", "tree"]],
        names=["dataset", "item", "model"],
    )
    return pd.DataFrame({"accuracy": draws.integers(0, 2, len(grid))}, index=grid).reset_index()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("parts", [1, 3])
def test_more_rows_than_are_held_become_means(parts: int, tmp_path: Path) -> None:
    whole = frame()
    for n, part in enumerate(np.array_split(np.arange(len(whole)), parts)):
        whole.iloc[part].to_parquet(tmp_path / f"{n}.parquet", row_group_size=90)
    table = read_scores(tmp_path if parts > 1 else tmp_path / "0.parquet")
    wanted = whole.groupby(["dataset", "model"])["accuracy"].mean().unstack()
    found = pd.DataFrame(table.means(), index=table.datasets, columns=table.algorithms)
    assert np.allclose(found.loc[wanted.index, wanted.columns], wanted, rtol=1e-15, atol=0)
    assert table.notes[0] == (
        "360 rows, read as a stream: each score is the mean over up to 40 rows (item)."
    )


def test_a_table_that_is_held_is_not_streamed(tmp_path: Path) -> None:
    frame().to_parquet(tmp_path / "t.parquet")
    assert read_scores(tmp_path / "t.parquet").items is not None


# --- elsewhere ---------------------------------------------------------------------------------


def test_a_file_elsewhere_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = pytest.importorskip("fsspec")
    content = "\n".join([HEADER, *rows(30)])
    with fsspec.open("memory://palio/results.csv", "wb") as file:
        file.write(content.encode())
    assert read_scores("memory://palio/results.csv").n_datasets == 5
    few = limits.Limits(size=100)
    monkeypatch.setattr(limits, "now", lambda: few)
    # Its size is asked before a byte of it is fetched.
    monkeypatch.setattr(fsspec.get_filesystem_class("memory"), "open", None)
    with pytest.raises(UnreadableError, match=r"results\.csv has 0 MB, and the limit is"):
        read_scores("memory://palio/results.csv")


def test_an_address_names_the_extra_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"https://x\.org/t\.csv needs fsspec; .*remote"):
        read_scores("https://x.org/t.csv")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    handler = partial(Quiet, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_an_address_is_read_from_a_server(served: str, tmp_path: Path) -> None:
    pytest.importorskip("aiohttp")
    (tmp_path / "results.csv").write_text("\n".join([HEADER, *rows(30)]), encoding="utf-8")
    assert read_scores(f"{served}/results.csv").n_datasets == 5
    with pytest.raises(UnreadableError, match=r"cannot be read"):
        read_scores(f"{served}/none.csv")


# --- memory ------------------------------------------------------------------------------------


# In a process of its own, where nothing lies about that could be used again; what is imported while
# a file is read must not be what fails.
HELD = """
import sys
from palio.app.cli import main
from palio.scores import limits, reading
limits.MEMORY = 20_000_000
limits._SMALL_TEXT = 1000
sys.exit(main(["read", sys.argv[1]]))
"""


@pytest.mark.linux("the system holds a process to its memory")
def test_the_command_line_reads_within_a_limit_of_memory(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    lines = [HEADER, "`d1`,a1,-1,0.5", *rows(200_000)]  # which the careful reader reads
    path.write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", HELD, str(path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "memory" in done.stderr
