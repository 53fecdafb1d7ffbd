"""An experiment while it runs, and the verb."""

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest
from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]
from starlette.testclient import TestClient

import palio
from palio.app.cli import main
from palio.app.web import state
from palio.app.web.server import application
from palio.app.web.settings import Settings
from palio.errors import MissingCellsError

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

    with contextlib.suppress(StopError, MissingCellsError):
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
        assert (begun["done"] < begun["jobs"], begun["finished"]) == (True, False)
        assert begun["title"] == "Experiment under way"
        assert begun["leader"] is None  # no data set is complete

        run_some(store, 10_000)
        done = get("progress")
        assert done["version"] != begun["version"]
        assert (done["done"], done["finished"], done["failures"]) == (done["jobs"], True, [])
        assert done["leader"]["algorithm"] == "tree"
        # It is first on each of the three, so in every draw of them, too.
        assert "on 3 of 3 data sets. Drawing" in done["leader"]["sentence"]
        assert "first 100 % of the time (settled)" in done["leader"]["sentence"]
        about = get(f"table?table={opened['id']}")
        assert about["is_store"]
        assert about["version"] == done["version"]
        answer = get(f"answer?table={opened['id']}&cost=")
        assert answer["order"]["rows"][0]["algorithm"] == "tree"

        run_some(store, 10_000, broken=Broken(), logistic=LogisticRegression(max_iter=5000))
        failed = get("progress")
        assert failed["version"] != done["version"]
        assert "15 jobs did not end well" in failed["failed"]
        assert "<b>it cannot learn this</b>" in failed["failures"][0]["cause"]
        # Broken has no score anywhere, and keeps nobody from leading.
        assert failed["leader"]["algorithm"] in {"tree", "logistic"}


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
