"""What must not reach a terminal or a store whole: long texts, escape sequences, tracebacks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from palio.app.cli import main
from palio.errors import InputError, PalioError
from palio.experiment.config import load_experiment
from palio.experiment.outcome import JobOutcome
from palio.results import to_json
from palio.scores import formats, read_scores
from palio.scores.formats import write_file
from palio.words import LONGEST


@pytest.mark.parametrize(
    ("raised", "status", "told"),
    [
        (KeyError("x" * 10_000), 1, "mistake in Palio, KeyError: '.*report it.* --traceback$"),
        (RecursionError("too\ndeep"), 1, "mistake in Palio, RecursionError: too deep"),
        (MemoryError(), 2, "not enough memory for this"),
        (OSError(28, "No space left", "a\x1b.csv"), 2, r"No space left \(a\\x1b\.csv\)\.$"),
        (InputError("score", "is odd\x1b[2J" * 10_000), 2, r"is odd\\x1b\[2J"),
    ],
)
def test_whatever_is_raised_is_one_short_line(
    raised: Exception,
    status: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_args: object, **_options: object) -> None:
        raise raised

    monkeypatch.setattr("palio.scores.reading.read_table", fail)
    assert main(["read", "results.csv"]) == status
    said = capsys.readouterr()
    assert re.search(told, said.err.removesuffix("\n")), said.err
    assert said.err.count("\n") == 1
    assert len(said.err) < LONGEST + 100
    assert "\x1b" not in said.err
    assert said.out == ""
    with pytest.raises(type(raised)):
        main(["read", "results.csv", "--traceback"])


def test_an_error_is_cut_in_the_middle_so_that_its_remedy_stays() -> None:
    error = PalioError("a" * 20_000_000, "is long", "b" * 20_000_000, "leave it out")
    assert len(str(error)) == LONGEST + 1
    assert str(error).endswith("b; leave it out.")


# --- names ---------------------------------------------------------------------------------------

HOSTILE = "knn\x1b]0;owned\x07\x9b31m"
SHOWN = r"knn\x1b]0;owned\x07\x9b31m"


def hostile_frame() -> pd.DataFrame:
    rows = [(d, a, 0.5 + 0.1 * i) for i, d in enumerate("xyz") for a in (HOSTILE, "tree")]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "accuracy"])


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".parquet"])
@pytest.mark.parametrize("verb", ["read", "compare", "order", "rank"])
def test_control_characters_in_names_are_spelled_out(
    ending: str, verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"t{ending}"
    write_file(hostile_frame(), path, "to")
    # Of text, what no text has is left out as it is read.
    shown = SHOWN.replace(r"\x9b", "") if "json" in ending else SHOWN
    assert read_scores(path).algorithms == (shown, "tree")
    for json_ in ([], ["--json"]):
        assert main([verb, str(path), *json_]) == 0
        said = capsys.readouterr()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", said.out + said.err)
    assert shown in json.dumps(json.loads(said.out), ensure_ascii=False).replace("\\\\", "\\")


def test_control_characters_in_columns_are_spelled_out() -> None:
    frame = pd.DataFrame({"dataset": ["x", "y"], "a\x1b[2J": [0.5, 0.6], "b": [0.7, 0.8]})
    assert read_scores(frame, score="accuracy").algorithms == ("a\\x1b[2J", "b")


def test_letters_that_turn_writing_round_are_spelled_out_in_a_terminal() -> None:
    frame = hostile_frame().replace(HOSTILE, "a\u202eb")
    assert "\u202e" not in str(read_scores(frame).understood())
    assert "a\\u202eb" in str(read_scores(frame).understood())


def test_json_has_no_letter_that_a_terminal_obeys() -> None:
    text = to_json({"a\x9b": "\x7f\ud800"})
    assert text.isascii()
    assert json.loads(text) == {"a\x9b": "\x7f\ud800"}


# --- jobs and experiment files -------------------------------------------------------------------


def test_what_a_fit_raised_is_kept_in_part() -> None:
    long = "x\x1b" * 10_000_000
    outcome = JobOutcome("key", "failed", error=long, traceback=long)
    assert len(outcome.error) == LONGEST + 1
    assert len(outcome.traceback) < 20_100
    assert "\x1b" not in outcome.error + outcome.traceback


TOML = """
datasets = ["sklearn:wine"]
[algorithms.tree]
estimator = "sklearn.tree:DecisionTreeClassifier"
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (f"params.max_depth = {'[' * 1000}{']' * 1000}", "is not TOML: .*recursion|levels deep"),
        (f"params.max_depth = {'[' * 150}{']' * 150}", "more than 100 levels deep"),
        (f"params.max_depth = {'9' * 400}", "more than 300 digits"),
        (f"params.max_depth = {'9' * 5000}", "is not TOML"),
        (f"params.{'a.' * 150}b = 1", "more than 100 levels deep"),
        (f"params = '{'x' * 100_000}'", "line 5, algorithms.tree.params"),
        (f"[algorithms.other]\nestimator = '{'x' * 5000}:y'", "xxxx"),
    ],
)
def test_an_odd_experiment_file_is_one_short_line(
    line: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "e.toml"
    path.write_text(TOML + line + "\n", encoding="utf-8")
    with pytest.raises(PalioError, match=told):
        load_experiment(path)
    assert main(["plan", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert len(said) < LONGEST + 100


def test_a_file_that_cannot_be_read_is_opened_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = list[str]()
    bytes_of = formats.bytes_of

    def noted(path: Path) -> bytes:
        opened.append(path.name)
        return bytes_of(path)

    monkeypatch.setattr(formats, "bytes_of", noted)
    path = tmp_path / "scores.csv"
    path.write_bytes(b"model,acc\nknn,\0\n")
    assert main(["compare", str(path)]) == 2
    assert "NUL byte" in capsys.readouterr().err
    assert opened == ["scores.csv"]
