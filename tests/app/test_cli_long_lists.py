"""Long lists on the command line: 30 rows, then how many more; --all shows them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.app.conftest import Run

N, PAIRS = 40, 780
NAMES = [f"m{i:02d}" for i in range(N)]


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Forty algorithms on 20 data sets, each a little better than the one before."""
    rng = np.random.default_rng(0)
    rows = [
        [f"d{d}", *(f"{0.6 + i / 200 + rng.normal(scale=0.02):.4f}" for i in range(N))]
        for d in range(20)
    ]
    path = tmp_path / "forty.csv"
    path.write_text("\n".join(map(",".join, [["dataset", *NAMES], *rows])), encoding="utf-8")
    return str(path)


VERBS = {
    "compare": [],
    "bayes": ["--model", "bradley-terry", "--draws", "200"],
    "audit": ["--only", "leave-one-out,conventions", "--details"],
}


def longest_list(text: str) -> int:
    """Return the length of the longest run of lines without a blank one, but for the notes."""
    return max(len(part.splitlines()) for part in text.partition("Notes:")[0].split("\n\n"))


@pytest.mark.parametrize("verb", VERBS)
def test_lists_have_thirty_rows_and_say_how_many_more(verb: str, table: str, run: Run) -> None:
    asked = [verb, table, "--score", "accuracy", *VERBS[verb]]
    text, whole = run(*asked), run(*asked, "--all")
    heads = 5  # a title, two lines of headings and a rule; a check's question
    assert longest_list(text) <= 30 + heads
    assert "more: --all" not in whole
    assert "--all" not in run(*asked, "--json")
    if verb != "audit":  # on so many pairs it tells of those that matter
        assert "and 10 more: --all" in text.splitlines()
        assert longest_list(whole) >= PAIRS
    assert run(*asked, "--json") == run(*asked, "--json", "--all")


def test_pairs_of_a_comparison(table: str, run: Run, tmp_path: Path) -> None:
    asked = ["compare", table, "--score", "accuracy"]
    text = run(*asked)
    said = "30 of 780 pairs, next to each other on the board; and 750 more: --all"
    assert said in text.splitlines()
    assert "and 35 more: --all" in run(*asked, "--top", "5").splitlines()
    rows = [line.split()[:2] for line in run(*asked, "--all").splitlines()]
    shown = {tuple(sorted(row)) for row in rows if len(row) == 2 and {*row} <= {*NAMES}}
    found = json.loads(run(*asked, "--json"))
    assert shown == {tuple(sorted((pair["a"], pair["b"]))) for pair in found["pairs"]}
    assert len(shown) == PAIRS


def test_files_have_all_algorithms(table: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tables.md"
    run("compare", table, "--score", "accuracy", "--markdown", str(path))
    board = path.read_text(encoding="utf-8").partition("steps down")[0]
    assert all(f"| {name} " in board for name in NAMES)


def test_a_number_of_rows_beside_all_of_them(table: str, fail: Run) -> None:
    assert "--all" in fail("compare", table, "--score", "accuracy", "--top", "5", "--all")


def test_changes_of_an_audit(table: str, run: Run) -> None:
    asked = ["audit", table, "--score", "accuracy", "--only", "leave-one-out,conventions,pools"]
    changes = json.loads(run(*asked, "--json"))["changes"]
    text, whole = run(*asked), run(*asked, "--all")
    assert sum(line.startswith("  - ") for line in whole.splitlines()) == len(changes)
    more = len(changes) - 5
    assert (f"and {more} more: --all" in text) == (more > 0)


def test_the_first_screen_has_the_command_for_the_whole_order(tmp_path: Path, run: Run) -> None:
    names = [f"m{i:02d}" for i in range(70)]
    rows = [[f"d{d}", *(f"0.{5000 + 60 * i + d}" for i in range(70))] for d in range(5)]
    path = tmp_path / "seventy.csv"
    path.write_text("\n".join(map(",".join, [["dataset", *names], *rows])), encoding="utf-8")
    asked = [str(path), "--score", "accuracy"]
    assert "and 40 more" in run(*asked).splitlines()
    found = json.loads(run(*asked, "--json"))["next"]
    typed = next(each["command"] for each in found if each["question"] == "all 70 algorithms")
    whole = run(*shlex.split(typed)[1:])
    assert "more" not in whole.partition("Why:")[0].split()
    assert all(name in whole for name in names)
