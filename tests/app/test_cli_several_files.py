"""Several files, a folder or a pattern where one file may stand."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from palio.app.cli import main
from tests.app.conftest import Run

NEXT = ("compare", "order", "audit", "bayes", "report")


@pytest.fixture(scope="module")
def parts(files: Path) -> Path:
    """The table, a file per algorithm."""
    folder = files / "parts"
    folder.mkdir()
    for name, part in pd.read_csv(files / "results.csv").groupby("algorithm"):
        part.drop(columns="algorithm").to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.mark.parametrize("verb", [["compare"], ["order", "--cost", "space"], ["rank"]])
def test_several_files_are_answered_as_one(verb: list[str], run: Run, parts: Path) -> None:
    names = sorted(str(path) for path in parts.glob("*.csv"))
    whole = json.loads(run(verb[0], "results.csv", *verb[1:], "--json"))
    for places in (names, [str(parts)], [str(parts / "*.csv")]):
        found = json.loads(run(verb[0], *places, *verb[1:], "--json"))
        for key in ("order", "mean_ranks", "unbeaten"):
            assert found.get(key) == whole.get(key)
        assert any("4 files, each of one algorithm" in note for note in found["notes"])


def test_without_a_verb_the_next_questions_name_all_files(run: Run, parts: Path) -> None:
    names = sorted(str(path) for path in parts.glob("*.csv"))[:2]
    commands = [each["command"] for each in json.loads(run(*names, "--json"))["next"]]
    typed = [command for command in commands if command.split()[1] in NEXT]
    assert typed
    assert all(" ".join(names) in command for command in typed)


def test_a_report_of_several_files_names_them_and_cannot_watch(
    run: Run, fail: Run, parts: Path
) -> None:
    names = sorted(str(path) for path in parts.glob("*.csv"))[:2]
    assert "it looks after one file" in fail("report", *names, "--watch", "-o", "report.html")
    found = json.loads(run("report", *names, "--json"))
    assert ", ".join(names) in json.dumps(found)


def test_one_file_too_many_is_one_line(fail: Run) -> None:
    assert "there is no file 'holm'" in fail("compare", "results.csv", "holm")
    assert "are not of one kind" in fail("compare", "results.csv", "costs.csv")


def test_means_are_offered_by_the_verb_that_takes_them(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{t},{name},{name}{n},{n}" for t in "xyz" for name in "abc" for n in range(5)]
    path = files / "strangers.csv"
    path.write_text("\n".join(["dataset,algorithm,item,score", *rows, ""]), encoding="utf-8")
    assert main([str(path)]) == 2
    assert f"palio compare {path} --unpaired" in capsys.readouterr().err
    assert main(["compare", str(path), "--over", "items"]) == 2
    assert ", or --unpaired to" in capsys.readouterr().err
