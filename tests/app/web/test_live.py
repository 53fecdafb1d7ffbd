"""An experiment while it runs, and the verb."""

import asyncio
import contextlib
import http.client
import json
import re
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]
from starlette.testclient import TestClient

import palio
from palio.app.cli import main
from palio.app.web import events, run_card, state
from palio.app.web.server import _configured, application
from palio.app.web.settings import OverloadError, Patience, Settings
from palio.errors import LeftOutWarning, MissingCellsError, ParameterError
from palio.experiment.status import Cell, RunNow, run_now
from palio.experiment.store.store import Store

HERE = "http://127.0.0.1:8000"
DATASETS = ["sklearn:iris", "sklearn:wine", "sklearn:breast_cancer"]


class Broken(DecisionTreeClassifier):  # type: ignore[misc]
    def fit(self, X: Any, y: Any) -> "Broken":
        raise ValueError("<b>it cannot learn this</b>")


def learners(**more: Any) -> dict[str, Any]:
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    return {"majority": DummyClassifier(), "tree": tree, **more}


class StopError(Exception):
    pass


def run_some(store: Path, jobs: int, **more: Any) -> None:
    """Begin an experiment of three data sets, and stop it after so many jobs."""

    def stop(state: Any) -> None:
        if state.done >= jobs:
            raise StopError

    with contextlib.suppress(StopError, MissingCellsError), warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        palio.run(
            DATASETS,
            learners(**more),
            resampling="5x2",
            store=store,
            engine="inline",
            progress=stop,
        )


def test_an_experiment_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "experiment.db"
    run_some(store, 3)
    # Every look is a new one.
    moments = iter(range(10_000))
    monkeypatch.setattr(state.ServerState, "moment", lambda _self: next(moments))
    with TestClient(application(Settings(workers=0), opened=str(store)), base_url=HERE) as client:

        def get(path: str) -> Any:
            found = client.get(f"/api/{path}")
            assert found.status_code == 200, found.text
            return found.json()

        opened = get("start")["opened"]
        assert opened["is_store"]
        begun = get("progress")
        assert (begun["done"], begun["finished"], begun["running"]) == (3, False, False)
        assert "Experiment stopped" in begun["html"]
        assert "3 of 30 jobs have ended, 0 failed" in begun["html"]
        assert "run it again, and it goes on" in begun["html"]
        refused = client.get(f"/api/answer?table={opened['id']}")
        assert refused.status_code == 422
        assert (
            "no data set is complete yet, and 3 of 30 jobs have ended" in refused.json()["message"]
        )
        assert refused.json()["options"][0]["choice"] == "missing=pairwise"

        # Each learner was tried on each data set first, then the first data set was gone through.
        run_some(store, 6 + 8)
        part = get("progress")
        assert part["version"] != begun["version"]
        assert part["complete"] == 1
        assert "1 of 3 data sets complete" in part["html"]
        assert '<td title="1 of 5 done">' in part["html"]
        about = get(f"table?table={opened['id']}")
        assert (about["is_store"], about["version"]) == (True, part["version"])
        assert about["datasets"] == ["iris"]
        answer = get(f"answer?table={opened['id']}&cost=")
        assert "So far: 1 of 3 data sets are complete, and only these count." in answer["notes"]
        standing = get(f"standing?table={opened['id']}&cost=")["html"]
        assert "The order so far, on 1 of 3 data sets" in standing
        assert standing.index("tree") < standing.index("majority")
        # Who says that what is to come is missing gets all there is.
        assert len(get(f"table?table={opened['id']}&missing=pairwise")["datasets"]) == 3

        run_some(store, 10_000)
        done = get("progress")
        assert (done["done"], done["finished"], done["failed"]) == (done["jobs"], True, 0)
        assert "Experiment finished" in done["html"]
        assert get(f"standing?table={opened['id']}") == {"html": ""}
        assert get(f"table?table={opened['id']}")["datasets"] == ["iris", "wine", "breast_cancer"]

        run_some(store, 10_000, broken=Broken(), logistic=LogisticRegression(max_iter=5000))
        failed = get("progress")
        assert failed["version"] != done["version"]
        assert "15 jobs did not end well" in failed["html"]
        assert "15 jobs of broken on iris, wine, breast_cancer: " in failed["html"]
        assert "&lt;b&gt;it cannot learn this&lt;/b&gt;" in failed["html"]
        assert '<td title="5 of 5 failed">' in failed["html"]
        about = get(f"table?table={opened['id']}")
        assert "broken" not in about["algorithms"]
        assert 'data-choice="keep_failing=true"' in about["gaps"]
        about = get(f"table?table={opened['id']}&keep_failing=true")
        assert "broken" in about["algorithms"]
        assert 'data-choice="keep_failing="' in about["gaps"]


def test_what_is_under_way_is_told_by_who_runs_it(tmp_path: Path) -> None:
    """A store says which jobs run only for as long as someone holds its lock."""
    place = tmp_path / "e.db"
    seen: list[RunNow] = []

    class Watched(DecisionTreeClassifier):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> "Watched":
            with Store(place, create=False) as store:
                until = time.monotonic() + 30
                while not store.running().keys and time.monotonic() < until:
                    time.sleep(0.05)
                seen.append(run_now(store, None, time.time()))
            super().fit(X, y)
            return self

    palio.run(
        ["sklearn:iris"],
        {"tree": Watched(), "majority": DummyClassifier()},
        resampling="half",
        store=place,
        engine="inline",
    )
    assert {(now.running, now.under_way, now.finished) for now in seen} == {(True, 1, False)}
    assert seen[0].cells["iris"]["tree"].state == "running"
    assert seen[0].cells["iris"]["majority"].state == "waiting"
    with Store(place, create=False) as store:
        assert store.running() == (False, frozenset())
        assert run_now(store, None, time.time()).under_way == 0


@pytest.mark.posix("a lock that is shared")
def test_a_run_is_not_refused_because_someone_looks(tmp_path: Path) -> None:
    place = tmp_path / "e.db"
    run_some(place, 2)
    looking = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, fcntl, time; f = open(sys.argv[1]); "
            "fcntl.flock(f, fcntl.LOCK_SH); print('ready', flush=True); time.sleep(0.05)",
            f"{place}.lock",
        ],
        stdout=subprocess.PIPE,
    )
    assert looking.stdout is not None
    with looking:
        looking.stdout.readline()
        run_some(place, 4)
    with Store(place, create=False) as store:
        assert run_now(store, None, time.time()).done == 4


def run_of(datasets: int, algorithms: int, *, failed: int = 0) -> RunNow:
    """Make up a run whose first data sets are done, with some failures in the first."""
    cells = {
        f"data {d}": {
            f"a{a}": Cell(1, int(d < datasets // 2 and not (d == 0 and a < failed)))
            for a in range(algorithms)
        }
        for d in range(datasets)
    }
    for a in range(failed):
        cells["data 0"][f"a{a}"] = Cell(1, 0, 1)
    jobs = datasets * algorithms
    ok = sum(cell.ok for row in cells.values() for cell in row.values())
    counts = {"ok": ok, "failed": failed, "not run": jobs - ok - failed}
    return RunNow(
        "s", None, jobs, counts, False, (), (), {}, version="1", seconds_left=720.0,
        running=True, last=900.0, cells=cells,
    )  # fmt: skip


def test_hundreds_of_rows_are_bars_and_thousands_only_those_that_move() -> None:
    few = run_card.card(run_of(16, 8), 1000.0)
    assert "about 12 min left" in few
    assert few.count("<td title=") == 16 * 8
    many = run_card.card(run_of(200, 60, failed=2), 1000.0)
    assert "<td title=" not in many
    assert many.count('class="run-bar"') == 200
    assert "58 done, 2 failed" in many
    begun = run_of(200, 60)
    begun.cells["data 150"]["a0"].under_way = 1
    assert re.findall(r"data \d+", run_card.card(begun, 1000.0))[:2] == ["data 150", "data 0"]
    assert len(many) < 100_000
    more = run_card.card(run_of(2000, 60, failed=2), 1000.0)
    assert more.count('class="run-bar"') == 1
    assert "1999 data sets that are done or wait are not shown" in more


def test_what_cannot_be_known_is_judged_by_when_the_last_job_ended() -> None:
    """Of a store on a server nobody knows who runs it."""
    now = replace(run_of(4, 2), running=None)
    assert run_card.title(now, 930.0) == "Experiment under way"
    assert run_card.title(now, 1000.0) == "Experiment stopped"
    # Not every second anew: whoever listens would be told each time.
    assert "The last ended" not in run_card.sentence(now, 1000.0)
    assert "The last ended 3 min ago" in run_card.sentence(now, 1100.0)
    assert run_card.title(replace(now, running=False, counts={"not run": 8}), 930.0) == (
        "Experiment not begun"
    )


# --- those who listen -----------------------------------------------------------------------------


def test_all_who_listen_share_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LOOK", 0.01)
    looks = 0

    async def look() -> bytes:
        nonlocal looks
        looks += 1
        return json.dumps({"look": min(looks, 3), "finished": looks >= 3}).encode()

    async def hear(watcher: events.Watcher) -> list[bytes]:
        return [each async for each in watcher.listen()]

    async def both() -> None:
        watcher = events.Watcher(look, most=2)
        heard = await asyncio.gather(hear(watcher), hear(watcher))
        assert heard[0] == heard[1]
        assert heard[0][-1] == b'data: {"look": 3, "finished": true}\n\n'
        assert [each.count(b"\n") for each in heard[0]] == [2] * len(heard[0])
        assert (looks, watcher.listeners) == (3, 0)

    asyncio.run(both())


def test_listeners_are_bounded_hear_of_errors_and_go_with_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(events, "LOOK", 0.01)
    monkeypatch.setattr(events, "SILENCE", 0.01)

    async def look() -> bytes:
        raise ParameterError("store", "it is gone")

    async def some() -> None:
        watcher = events.Watcher(look, most=1)
        heard = watcher.listen()
        first = await anext(heard)
        while not first.startswith(b"data"):
            assert first == b": still here\n\n"
            first = await anext(heard)
        assert b"it is gone" in first
        with pytest.raises(OverloadError):
            watcher.admit()
        watcher.close()
        assert [each async for each in heard] in ([], [b": still here\n\n"])
        watcher.admit()

    asyncio.run(some())


def test_who_listens_has_the_token_and_is_not_cut_off(tmp_path: Path) -> None:
    """As long as it takes, however short the patience with those who say nothing."""
    store = tmp_path / "e.db"
    run_some(store, 3)
    patience = Patience(head=0.3, body=0.3, reader=0.5)
    settings = Settings(workers=0, token="secret-and-long", patience=patience)
    app = application(settings, opened=str(store))
    server = uvicorn.Server(_configured(app, settings))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            port = listener.getsockname()[1]
            with listening(port, "") as answer:
                assert answer.status == 401
            with listening(port, "secret-and-long") as answer:
                assert answer.status == 200
                assert answer.headers["content-type"].startswith("text/event-stream")
                assert answer.headers["cache-control"] == "no-store"
                assert told(answer)["done"] == 3
                time.sleep(1.0)
                run_some(store, 5)
                while (now := told(answer)["done"]) == 3:
                    pass  # what is left may take otherwise, by the clock
                assert now == 5
                run_some(store, 10_000)
                last = told(answer)
                while not last["finished"]:
                    last = told(answer)
                assert last["done"] == 30
                assert answer.read().strip() == b""  # it ends with the run
        finally:
            app.state.server.watcher.close()
            server.should_exit = True
            thread.join()


@contextlib.contextmanager
def listening(port: int, token: str) -> Iterator[http.client.HTTPResponse]:
    """Listen until the end."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with contextlib.closing(line):
        line.request("GET", "/api/progress/events", headers={"authorization": f"Bearer {token}"})
        with line.getresponse() as answer:
            yield answer


def told(answer: http.client.HTTPResponse) -> Any:
    """Read the next event."""
    while True:
        line = answer.readline()
        assert line, "it ended"
        if line.startswith(b"data: "):
            return json.loads(line.removeprefix(b"data: "))


def test_a_table_has_no_progress(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("dataset,a,b\nx,1,2\n", encoding="utf-8")
    with TestClient(application(Settings(workers=0), opened=str(path)), base_url=HERE) as client:
        for route in ("progress", "progress/events"):
            found = client.get(f"/api/{route}")
            assert found.status_code == 422
            assert "only an experiment" in found.json()["message"]


# --- the verb ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.csv"], "nothing.csv"),
        (["nothing.db"], "nothing.db"),
        (["study:ulas"], "Did you mean 'ulas2008'"),
        (["--port", "99999"], "port: it lies between 0"),
        (["--host", "192.0.2.1", "--port", "0"], "cannot listen on 192.0.2.1"),
    ],
)
def test_what_cannot_be_served_is_one_line(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["serve", *arguments, "--no-browser"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "address", "said"),
    [
        ([], r"http://127\.0\.0\.1:\d+ \(Ctrl-C", ""),
        (["--token", "secret & long"], r"http://127\.0\.0\.1:\d+/\?token=secret%20%26%20long ", ""),
        (
            ["--host", "0.0.0.0"],
            r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32} ",
            "nothing is encrypted",
        ),
        (["--host", "0.0.0.0", "--no-token"], r"http://127\.0\.0\.1:\d+ ", "there is no token"),
    ],
)
def test_it_says_where_it_is_and_who_can_reach_it(
    arguments: list[str],
    address: str,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from palio.app.web import server

    monkeypatch.setattr(server._Server, "run", lambda self, sockets: self._when_started())
    assert main(["serve", *arguments, "--port", "0", "--no-browser"]) == 0
    error = capsys.readouterr().err
    assert re.search(f"^workbench on {address}", error)
    assert said in error
    assert ("warning:" in error) == ("--no-token" in arguments)
    assert error.count("\n") == (2 if said else 1)


def test_the_browser_is_not_told_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    from palio.app.web import server

    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(server._Server, "run", lambda self, sockets: self._when_started())
    assert main(["serve", "--token", "secret-and-long", "--port", "0"]) == 0
    assert "token=" in opened[0]
    assert "secret-and-long" not in opened[0]


def test_a_token_may_come_from_the_environment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALIO_TOKEN", "secret")
    assert main(["serve", "--port", "0", "--no-browser"]) == 2
    error = capsys.readouterr().err
    assert error == "error: token: it has at least 12 characters, for it can be guessed.\n"
