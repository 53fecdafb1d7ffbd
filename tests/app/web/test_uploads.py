"""Files from anyone: large, broken, hostile. None is executed, and none brings the server down."""

import asyncio
import errno
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import httpx2
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from starlette.testclient import TestClient

from palio.app.web.cache import Bounded
from palio.app.web.server import application
from palio.app.web.settings import Settings, TooLargeError
from palio.app.web.tables import Uploads, safe_name
from palio.errors import UnreadableError
from palio.scores import limits
from palio.scores.formats import endings

Put = Callable[..., str]


def table(names: list[str], datasets: int = 6) -> str:
    """Write a table in which the first is always best."""
    head = "dataset,algorithm,accuracy\n"
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    rows = [
        f"set {s},{name},{0.9 - 0.05 * i + 0.001 * s}"
        for s in range(datasets)
        for i, name in enumerate(quoted)
    ]
    return head + "\n".join(rows) + "\n"


def refused(found: object, status: int, parameter: str | None) -> str:
    """Check that an answer is an error of ours, and return its message."""
    assert found.status_code == status, found.text  # type: ignore[attr-defined]
    said = found.json()  # type: ignore[attr-defined]
    assert set(said) == {"parameter", "message", "options"}
    assert said["parameter"] == parameter
    assert "Traceback" not in said["message"]
    assert "\n" not in said["message"]
    return str(said["message"])


# --- sizes ---------------------------------------------------------------------------------------


def test_a_file_that_says_it_is_too_large_is_not_read(empty: TestClient) -> None:
    def content() -> Iterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    found = empty.post(
        "/api/tables?name=big.csv", content=content(), headers={"content-length": "200000000"}
    )
    assert "at most 0.1 MB" in refused(found, 413, "file")
    assert found.headers["connection"] == "close"


def test_a_stream_is_cut_off_at_the_limit(tmp_path: Path) -> None:
    taken = 0

    async def stream() -> AsyncIterator[bytes]:
        nonlocal taken
        for _ in range(200):  # 200 MB, if anyone wanted them
            taken += 1
            yield bytes(1_000_000)

    uploads = Uploads(tmp_path, Settings(upload_bytes=5_000_000))
    with pytest.raises(TooLargeError):
        asyncio.run(uploads.add("big.csv", stream()))
    assert taken == 6
    assert list(tmp_path.iterdir()) == []


def test_the_oldest_is_forgotten(empty: TestClient, put: Put) -> None:
    ids = [put(table(["a", "b", f"c{i}"])) for i in range(4)]
    assert "open the same file again" in refused(
        empty.get(f"/api/table?table={ids[0]}"), 404, "table"
    )
    assert empty.get(f"/api/table?table={ids[3]}").status_code == 200
    # With the file, its link works again: the digest is that of the content.
    assert put(table(["a", "b", "c0"]), "another name.csv") == ids[0]
    assert empty.get(f"/api/answer?table={ids[0]}").status_code == 200


def test_what_is_kept_is_bounded() -> None:
    gone: list[str] = []
    kept = Bounded[str, str](most_bytes=10, forget=gone.append)
    for name in "abc":
        kept.put(name, name, size=5)
    assert (gone, kept.bytes, len(kept)) == (["a"], 10, 2)
    assert kept.get("b") == "b"
    kept.put("d", "d", size=3)
    assert gone == ["a", "c"]  # b was used since
    kept.put("b", "b", size=50)  # alone, however large
    assert (len(kept), kept.bytes) == (1, 50)


# --- names ---------------------------------------------------------------------------------------

SCRIPT = "<script>alert(1)</script>"
FORMULA = '=HYPERLINK("http://evil.example")'


def test_names_are_text(empty: TestClient, put: Put) -> None:
    id_ = put(table([SCRIPT, FORMULA, "../../etc/passwd", "plain"]))
    answer = empty.get(f"/api/answer?table={id_}")
    assert answer.headers["content-type"] == "application/json"
    rows = answer.json()["order"]["rows"]
    assert [row["algorithm"] for row in rows] == [SCRIPT, FORMULA, "../../etc/passwd", "plain"]
    figure = empty.get(f"/api/figures/critical-difference.svg?table={id_}")
    assert figure.status_code == 200
    assert "<script" not in figure.text
    assert "sandbox" in figure.headers["content-security-policy"]
    page = empty.get(f"/api/downloads/report.html?table={id_}&checks=")
    assert SCRIPT not in page.text
    assert page.headers["content-disposition"] == 'attachment; filename="report.html"'


def test_a_spreadsheet_sees_no_formula(empty: TestClient, put: Put) -> None:
    id_ = put(table([FORMULA, "plain", "other"]))
    order = empty.get(f"/api/downloads/order.csv?table={id_}").text
    assert pd.read_csv(io.StringIO(order))["algorithm"].tolist() == [
        f"'{FORMULA}",
        "plain",
        "other",
    ]


def test_a_name_of_ten_thousand_letters(empty: TestClient, put: Put) -> None:
    long = "x" * 10_000
    id_ = put(table([long, "b", "c"], datasets=3))
    answer = empty.get(f"/api/answer?table={id_}").json()
    assert answer["order"]["rows"][0]["algorithm"] == long
    assert len(answer["verdict"]["headline"]) < 250  # the name is cut to 40 letters
    assert "x" * 41 not in answer["verdict"]["headline"]
    assert answer["verdict"]["claims"]
    assert all(len(each["text"]) < 1000 for each in answer["verdict"]["claims"])
    figure = empty.get(f"/api/figures/comparison-matrix.png?table={id_}")
    assert figure.content.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../../root/.ssh/keys.csv", "keys.csv"),
        ("C:\\windows\\table.TSV", "table.tsv"),
        ("; rm -rf ~.json", "rm_-rf.json"),
        (".csv", "table.csv"),
        ("\x00\u202egnp.csv", "gnp.csv"),
    ],
)
def test_a_path_is_no_name(given: str, kept: str) -> None:
    assert safe_name(given) == kept


@pytest.mark.parametrize("name", ["model.pkl", "table", "results.csv.gz", "experiment.db", "a.py"])
def test_other_formats_are_refused_before_they_are_read(empty: TestClient, name: str) -> None:
    found = empty.post(f"/api/tables?name={name}", content=b"x")
    assert endings(packed=False) in refused(found, 422, "file")
    with pytest.raises(UnreadableError):
        safe_name(name)


# --- contents ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b""),
        ("a.csv", b"\xff\xfe\x00\x01"),
        ("a.csv", b'dataset,algorithm,accuracy\n"x,y,0.1\n'),
        ("a.json", b'{"dataset": ['),
        ("a.json", b"[" * 50_000),
        ("a.json", b"17"),
        ("a.json", b'{"dataset": 1e999999}'),
        ("a.parquet", b"PAR1 but not really"),
        ("a.parquet", gzip.compress(b"x" * 100_000, mtime=0)),
        ("a.csv", b"cos\nsystem\n(S'true'\ntR."),  # a pickle by another name
    ],
)
def test_what_is_no_table_is_an_error(
    empty: TestClient, put: Put, name: str, content: bytes
) -> None:
    found = empty.get(f"/api/table?table={put(content, name)}")
    assert found.status_code == 422, found.text
    assert set(found.json()) == {"parameter", "message", "options"}


@pytest.mark.parametrize("value", ["inf", "-inf", "1e400", "abc"])
def test_scores_are_finite_numbers(empty: TestClient, put: Put, value: str) -> None:
    text = table(["a", "b"]).replace("0.85", value, 1)
    found = empty.get(f"/api/table?table={put(text)}")
    assert found.status_code == 422
    assert "accuracy" in found.json()["message"]


def test_missing_scores_are_answered_by_the_rule_asked_for(empty: TestClient, put: Put) -> None:
    id_ = put(table(["a", "b", "c"]).replace("0.85", "nan", 1))
    assert len(empty.get(f"/api/table?table={id_}").json()["datasets"]) == 6
    refused(empty.get(f"/api/table?table={id_}&missing=error"), 422, "missing")
    found = empty.get(f"/api/table?table={id_}&missing=drop-datasets").json()
    assert len(found["datasets"]) == 5


def test_a_wide_table_asks_what_it_measures(empty: TestClient, put: Put) -> None:
    rows = [f"set {i},{0.9 + i / 100},{0.8 + i / 100}" for i in range(5)]
    id_ = put("dataset,tree,knn\n" + "\n".join(rows))
    refused(empty.get(f"/api/table?table={id_}"), 422, "score")
    refused(empty.get(f"/api/table?table={id_}&score=zeal"), 422, "score")
    found = empty.get(f"/api/table?table={id_}&score=zeal&higher_is_better=true").json()
    assert found["measure"] == {"name": "zeal", "direction": "higher is better"}
    answer = empty.get(f"/api/answer?table={id_}&score=error").json()
    assert answer["order"]["rows"][0]["algorithm"] == "knn"


def test_a_column_of_any_name_may_be_a_cost(empty: TestClient, put: Put) -> None:
    rows = [f"s{s},{a},{f},{0.8 + s / 100 + d},{c}" for s in range(4) for f in range(2)
            for a, d, c in (("x", 0.0, 9), ("y", 0.001 * s * f, 2))]  # fmt: skip
    id_ = put("dataset,algorithm,fold,accuracy,trees_felled\n" + "\n".join(rows))
    about = empty.get(f"/api/table?table={id_}").json()
    assert (about["costs"], about["others"]) == ([], ["trees_felled"])
    answer = empty.get(f"/api/answer?table={id_}&cost=trees_felled")
    assert answer.status_code == 200, answer.text
    assert answer.json()["order"]["rows"][0]["algorithm"] == "y"
    assert answer.json()["order"]["how"].endswith("among the rest, the cheaper first.")
    assert ">mean trees_<wbr>felled</button>" in answer.json()["board"]


def test_json_and_parquet_say_the_same_as_csv(empty: TestClient, put: Put) -> None:
    frame = pd.read_csv(io.StringIO(table(["a", "b", "c"])))
    parquet = io.BytesIO()
    frame.to_parquet(parquet)
    answers = [
        empty.get(f"/api/answer?table={put(content, name)}").json()
        for name, content in (
            ("r.csv", frame.to_csv(index=False).encode()),
            ("r.json", json.dumps(frame.to_dict("records")).encode()),
            ("r.parquet", parquet.getvalue()),
        )
    ]
    for other in answers[1:]:
        assert other["order"] == answers[0]["order"]
        assert other["verdict"] == answers[0]["verdict"]


def packed(megabytes: int) -> bytes:
    """Return a Parquet file of a few kilobytes that unpacks to so many megabytes."""
    made = io.BytesIO()
    text = pa.chunked_array([["x" * 1000] * 1000])  # a megabyte
    some = pa.table({"dataset": text, "algorithm": text, "accuracy": [0.5] * 1000})
    pq.write_table(pa.concat_tables([some] * (megabytes // 2)), made, compression="zstd")
    return made.getvalue()


def test_what_unpacks_to_much_more_is_refused_by_the_limits_of_reading(
    empty: TestClient, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has none of its own, and lifts none for others."""
    monkeypatch.setattr(limits, "SMALL", 1_000_000)
    content = packed(8)
    assert len(content) < 20_000
    for name, body in (("a.parquet", content), ("a.csv", gzip.compress(b"x" * 2_000_000))):
        found = empty.get(f"/api/table?table={put(body, name)}")
        assert re.search("MB, (and )?the limit", refused(found, 422, "source")), name
        assert found.json()["options"] == []


def test_what_takes_all_memory_is_one_sentence_and_the_server_lives() -> None:
    """Seven million empty lists take half a gigabyte."""
    lists = "[" + "[]," * 7_000_000 + "[]]"
    small = Settings(workers=1, worker_bytes=600_000_000)
    with TestClient(application(small), base_url="http://127.0.0.1:8000") as client:

        def get(text: str, name: str) -> httpx2.Response:
            found = client.post(f"/api/tables?name={name}", content=text.encode())
            return client.get(f"/api/table?table={found.json()['id']}")

        said = refused(get(lists, "a.json"), 422, "source")
        assert said == (
            "source: a.json needs more memory than there is. Leave out what is not needed, or save "
            "it as Parquet."
        )
        assert get(table(["a", "b"]), "a.csv").status_code == 200


def test_uploads_leave_with_the_server() -> None:
    app = application(Settings(workers=0))
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        client.post("/api/tables?name=a.csv", content=table(["a", "b"]).encode())
        folder = app.state.server.folder
        assert [path.name for path in folder.rglob("*.csv")] == ["a.csv"]
        assert folder.stat().st_mode & 0o077 == 0  # nobody else may look
    assert not folder.exists()


@pytest.mark.posix("kills, stops or interrupts processes by signals")
def test_those_of_a_server_that_was_killed_leave_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import os; from palio.app.web.settings import Settings; "
        "from palio.app.web.state import ServerState; "
        "state = ServerState(Settings()); print(state.folder, flush=True); os.kill(os.getpid(), 9)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    left = Path(said.stdout.decode().strip())
    assert left.parent == tmp_path
    assert left.exists()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    application(Settings(workers=0)).state.server.close()
    assert not left.exists()


def test_a_full_disk_is_told(empty: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*_given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Uploads, "_write", full)
    found = empty.post("/api/tables?name=a.csv", content=b"x")
    assert refused(found, 503, "file").startswith(
        "file: the server cannot keep it (No space left on device)"
    )
