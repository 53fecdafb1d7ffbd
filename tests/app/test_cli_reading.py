"""Tables as people publish them, and parts of them, on the command line."""

from __future__ import annotations

import gzip
import io
import json
import re
import shlex
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palio.app.cli import main
from tests.app.conftest import Run

STUDY = "study:ulas2008"


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Return a leaderboard: four models on eight benchmarks, their average, their size."""
    scores = np.random.default_rng(3).integers(300, 900, (4, 8)) / 1000
    names = [f"bench-{place}" for place in range(8)]
    lines = [f"model,Average,params_B,{','.join(names)}"]
    for place, row in enumerate(scores):
        cells = ",".join(f"{value:.3f}" for value in row)
        lines.append(f"m{place},{row.mean():.3f},{7 * place + 1},{cells}")
    path = tmp_path / "board.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def answer(run: Run, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "--json"))
    return found


def test_a_measure_may_be_called_as_a_verb_is(run: Run, board: Path) -> None:
    assert "by rank (lower is better)" in run(str(board), "--score", "rank", "--lower-is-better")


def test_a_leaderboard(run: Run, board: Path) -> None:
    found = answer(run, "compare", str(board), "--score", "accuracy")
    assert found["algorithms"] == ["m0", "m1", "m2", "m3"]
    assert found["n_datasets"] == 8
    assert any(note.startswith("Models in rows") for note in found["notes"])
    turned = answer(run, "compare", str(board), "--score", "accuracy", "--no-transpose")
    assert turned["n_datasets"] == 4


@pytest.mark.parametrize("verb", ["compare", "order", "rank", "audit", "report"])
def test_choosing(run: Run, board: Path, verb: str) -> None:
    where = [str(board), "--score", "accuracy"]
    some = ["--exclude", "m3", "--datasets", "bench-[0-4],bench-6"]
    told = json.dumps(answer(run, verb, *where, *some))
    assert "3 of 4 algorithms, without m3." in told
    assert told.count("m3") == told.count("without m3")
    assert "bench-7" not in told.replace("without bench-5, bench-7", "")


KEYS = [
    "algorithms",
    "datasets",
    "measure",
    "costs",
    "design",
    "n_cells",
    "n_missing",
    "items",
    "source",
    "notes",
]


def test_what_was_understood(run: Run, board: Path, tmp_path: Path) -> None:
    found = answer(run, "read", str(board), "--score", "accuracy", "--exclude", "m3")
    assert set(KEYS) <= found.keys()
    assert found["algorithms"] == ["m0", "m1", "m2"]
    assert found["datasets"] == [f"bench-{place}" for place in range(8)]
    assert found["measure"] == {"name": "accuracy", "higher_is_better": True}
    assert (found["n_cells"], found["n_missing"], found["items"]) == (24, 0, None)
    assert (found["source"], found["roles"]) == ("leaderboard", {"algorithm": "model"})
    written = tmp_path / "table.csv"
    run("read", str(board), "--score", "accuracy", "--exclude", "m3", "--to", str(written))
    again = answer(run, "read", str(written))
    same = ("algorithms", "datasets", "measure", "n_cells", "n_missing", "design")
    assert {key: again[key] for key in same} == {key: found[key] for key in same}
    assert again["source"] == "long"


def test_holes_are_counted_and_items_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    rows = [
        f"t{task},m{model},q{item},{(task + model + item) % 2}"
        for task in (1, 2)
        for model in (1, 2)
        for item in (1, 2, 3)
        if (task, model) != (2, 2)
    ]
    path.write_text("\n".join(["task,model,question_id,score", *rows]), encoding="utf-8")
    found = answer(run, "read", str(path))
    assert (found["n_cells"], found["n_missing"], found["items"]) == (4, 1, 6)
    text = run("read", str(path))
    assert "missing:    1 of 4 scores; most by m2 (1)" in text
    assert "items:      6" in text


def test_clusters_and_repeats_of_items_are_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    rows = [
        f"{model},q{item},{item // 2},{epoch},{item % 2}"
        for model in ("m1", "m2")
        for item in range(4)
        for epoch in (1, 2, 3)
    ]
    path.write_text("\n".join(["model,question_id,text,epoch,accuracy", *rows]), encoding="utf-8")
    options = [str(path), "--score", "accuracy", "--column", "cluster=text"]
    found = answer(run, "read", *options)
    assert (found["items"], found["clusters"], found["repeats"]) == (4, 2, 3)
    assert "items:      4 in 2 clusters, repeated up to 3 times" in run("read", *options)


def test_one_algorithm_can_be_looked_at_and_not_compared(run: Run, fail: Run, board: Path) -> None:
    options = [str(board), "--score", "accuracy", "--algorithms", "m1"]
    assert answer(run, "read", *options)["algorithms"] == ["m1"]
    assert "at least two algorithms" in fail("compare", *options)


def test_a_study_is_read(run: Run) -> None:
    found = answer(run, "read", STUDY)
    assert (found["source"], found["design"]) == ("study", "5×2 cv")
    assert found["costs"] == ["train_time", "space"]


def test_columns_and_rows(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = [
        f"{limit},d{place},{name},v{version},{(place * 7 + version * 3 + limit) % 5 / 10}"
        for limit in (1, 4)
        for place in range(6)
        for name in ("a", "b")
        for version in (1, 2)
    ]
    path.write_text("\n".join(["limit,place,who,version,error", *rows]), encoding="utf-8")
    options = ["--where", "limit=4", "--algorithm", "who+version", "--dataset-column", "place"]
    found = answer(run, "compare", str(path), *options)
    assert found["algorithms"] == ["a / v1", "a / v2", "b / v1", "b / v2"]
    assert "Only rows where limit is 4: 24 of 48." in found["notes"]


def test_a_command_that_is_proposed_keeps_the_rows_that_were_asked_for(
    fail: Run, tmp_path: Path
) -> None:
    cells = product(("iris", "wine"), "xy", (5, 6), ("2024-01-01", "2024-01-02"))
    rows = [",".join([*map(str, each), f"0.{place}"]) for place, each in enumerate(cells, start=10)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["dataset,model,limit,stamp,accuracy", *rows]))
    told = fail("compare", str(path), "--where", "limit=5")
    assert "--where limit=5 --where stamp=2024-01-01" in told


def test_next_questions_keep_the_choice(run: Run, board: Path) -> None:
    found = answer(run, str(board), "--score", "accuracy", "--algorithms", "m[0-2]")
    asked = [shlex.split(question["command"]) for question in found["next"]]
    assert all(words[-2:] == ["--algorithms", "m[0-2]"] for words in asked)


def test_an_order_by_a_cost_that_an_algorithm_lacks_is_no_next_question(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "long.csv"
    rows = ["a,x,0.5,1,9", "a,y,0.6,,8", "b,x,0.7,2,7", "b,y,0.4,,6"]
    path.write_text("\n".join(["dataset,model,accuracy,train_time,memory_usage", *rows]))
    asked = " ".join(question["command"] for question in answer(run, str(path))["next"])
    assert "--cost memory_usage" in asked
    assert "--cost train_time" not in asked


def test_of_a_study(run: Run, fail: Run) -> None:
    every = answer(run, "rank", STUDY)["order"]
    assert set(answer(run, "rank", STUDY, "--exclude", every[0])["order"]) == set(every[1:])
    assert "a study has columns" in fail("rank", STUDY, "--where", "fold=1")
    assert "is not known" in fail("rank", STUDY, "--algorithms", "nobody")


# --- formats, and standard input ------------------------------------------------------------------

TEXT = "dataset,algorithm,accuracy\niris,knn,0.9\niris,tree,0.8\nwine,knn,0.7\nwine,tree,0.75\n"


def through(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize(
    ("content", "options", "told"),
    [
        (TEXT.encode(), [], "read as csv, by its content"),
        (TEXT.replace(",", "\t").encode(), [], "read as tsv, by its content"),
        (gzip.compress(TEXT.encode(), mtime=0), [], "read as csv, by its content"),
        (TEXT.encode(), ["--format", "csv"], ""),
        (TEXT.replace(",", ";").encode(), ["--format", ".CSV"], ""),
    ],
)
def test_a_hyphen_is_standard_input(
    content: bytes,
    options: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    through(monkeypatch, content)
    assert main(["read", "-", "--json", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["datasets"], found["algorithms"]) == (["iris", "wine"], ["knn", "tree"])
    assert told in " ".join(found["notes"])
    assert told or not found["notes"]


def test_predictions_may_come_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    through(monkeypatch, b"truth,a,b\nx,x,y\ny,y,x\ny,y,y\n")
    assert main(["compare", "-", "--format", "csv"]) == 0
    assert "on 3 test instances" in capsys.readouterr().out


@pytest.mark.parametrize("format_", ["csv", "table.csv", "exel", "parquet", "lm-eval", "xlsx:a"])
def test_a_format_is_that_of_the_file_or_one_line(
    format_: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.2024"
    path.write_text(TEXT, encoding="utf-8")
    status = main(["compare", str(path), "--format", format_])
    said = capsys.readouterr().err
    assert status == (0 if format_ == "csv" else 2), said
    assert (said == "") if format_ == "csv" else re.fullmatch(r"error: [^\n]+\n", said)


def test_a_store_and_a_study_have_no_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "study:ulas2008", "--format", "csv"]) == 2
    assert capsys.readouterr().err.startswith("error: format: a study has columns")
    assert main(["serve", "-"]) == 2
    assert "more than once" in capsys.readouterr().err


def test_cells_that_can_be_read_in_two_ways_are_shown_as_commands(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dataset;a;b\nx;1,234;12\ny;2,345;13\nz;3,456;14\n", encoding="utf-8")
    assert main(["read", str(path), "--score", "rmse"]) == 2
    told = capsys.readouterr().err
    ways = re.findall(r"palio (read .*?--decimal .) \(it is ([\d.]+)\)", told)
    assert [value for _, value in ways] == ["1234", "1.234"]
    for way, value in ways:
        found = answer(run, *shlex.split(way))
        assert f"'1,234' as {value}." in json.dumps(found["notes"])


def test_values_out_of_range(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dataset,a,b\nx,0.5,-2\ny,0.6,0.7\nz,0.8,OOM\n", encoding="utf-8")
    words = ["compare", str(path), "--score", "accuracy", "--missing", "pairwise"]
    assert main(words) == 2
    told = capsys.readouterr().err
    assert "but 1 value is not (-2 for 'b' on 'x'; line 2)" in told
    assert "give --allow-out-of-range to take them as they are" in told
    notes = answer(run, *words, "--allow-out-of-range")["notes"]
    assert any(note.startswith("Let through as asked: accuracy is between") for note in notes)
    assert any("'OOM' (memory, 1)" in note for note in notes)
    assert main(["compare", STUDY, "--allow-out-of-range"]) == 2
    assert "has columns and costs of its own" in capsys.readouterr().err
