"""Terminals and pipes whose letters are few: nothing ends in an error, and all can be read."""

import io
import json
import sys
from collections.abc import Callable

import pytest

from palio.app.cli import main

Written = Callable[..., str]


@pytest.fixture(params=["ascii", "cp1252"])
def written(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Written:
    """Run a command whose output goes where only these letters are."""

    def run(*arguments: str) -> str:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding=request.param) for _ in range(2))
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        status = main(arguments)
        for stream in (out, err):
            stream.seek(0)
        assert status == 0, err.read()
        return out.read()

    return run


def test_a_table_is_written_with_the_letters_there_are(written: Written) -> None:
    text = written("compare", "study:ulas2008")
    assert "alpha = 0.05" in text
    assert "?" not in text
    assert "-----" in text


def test_help_is_written(written: Written) -> None:
    assert "palio results.csv" in written("--help")


def test_json_means_the_same(written: Written) -> None:
    text = written("compare", "study:ulas2008", "--json")
    assert text.isascii()
    assert "two-sided at α = 0.05" in json.loads(text)["notes"][0]


def test_what_someone_has_said_of_letters_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="xmlcharrefreplace")
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["compare", "study:ulas2008"]) == 0
    out.seek(0)
    assert "&#945; = 0.05" in out.read()
