"""Tables to work on, and commands that must succeed or fail."""

from collections.abc import Callable
from pathlib import Path

import pytest

import palio
from palio.app.cli import main

Run = Callable[..., str]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """results.csv with costs in it, and the same as scores.csv and costs.csv."""
    folder = tmp_path_factory.mktemp("tables")
    table = palio.load_study("ulas2008").select(
        datasets=["breast", "car", "optdigits", "zoo"], algorithms=["c45", "mdt", "svr", "5nn"]
    )
    frame = table.to_frame()
    frame.to_csv(folder / "results.csv", index=False)
    costs = ["train_time", "space"]
    frame.drop(columns=costs).to_csv(folder / "scores.csv", index=False)
    frame[["dataset", "algorithm", *costs]].drop_duplicates().to_csv(
        folder / "costs.csv", index=False
    )
    return folder


@pytest.fixture
def run(files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in the folder of the tables; it must succeed."""
    monkeypatch.chdir(files)

    def run(*arguments: str) -> str:
        status = main(arguments)
        captured = capsys.readouterr()
        assert status == 0, captured.err
        return captured.out

    return run


@pytest.fixture
def fail(files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command that must fail with status 2 and one line, and return the line."""
    monkeypatch.chdir(files)

    def fail(*arguments: str) -> str:
        status = main(arguments)
        error = capsys.readouterr().err
        assert status == 2
        assert error.startswith("error: ")
        assert error.endswith("\n")
        assert error.count("\n") == 1
        return error.removeprefix("error: ").strip()

    return fail
