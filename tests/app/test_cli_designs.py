"""`palio`, `palio order` and `palio compare` answer without a flag, whatever the table is."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest

import palio
from tests.app.conftest import Run
from tests.slow import mostly_slow

# Algorithms, data sets, repeats, folds; the last is the best by far.
SHAPES: dict[str, tuple[int, int, int, int]] = {
    "one value per data set": (4, 9, 1, 1),
    "5x2": (4, 9, 5, 2),
    "k-fold": (4, 9, 1, 10),
    "10x10": (3, 7, 10, 10),
    "one data set, 5x2": (4, 1, 5, 2),
    "one data set, k-fold": (4, 1, 1, 10),
    "one data set, hold-out": (4, 1, 1, 1),
    "two algorithms": (2, 9, 1, 1),
    "two data sets": (3, 2, 1, 1),
    "hold-outs": (3, 8, 4, 1),
}


def table_of(shape: str, measure: str) -> palio.ScoreTable:
    k, n, repeats, folds = SHAPES[shape]
    rng = np.random.default_rng(3)
    scores = 0.3 + 0.1 * np.arange(k)[np.newaxis, :, np.newaxis, np.newaxis]
    scores = scores + 0.02 * rng.random((n, k, repeats, folds))
    return palio.ScoreTable.from_arrays(
        1 - scores if measure == "error" else scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=list("abcd"[:k]),
        measure=measure,
    )


# Every shape, and a few of them where lower is better.
TABLES = [f"{shape}: {measure}" for shape in SHAPES for measure in ("accuracy", "error")]
FAST = [*(f"{shape}: accuracy" for shape in SHAPES), "k-fold: error", "one data set, k-fold: error"]


@pytest.fixture(params=mostly_slow(TABLES, FAST))
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    table = table_of(*request.param.split(": "))
    path = tmp_path / "results.csv"
    table.to_frame().to_csv(path, index=False)
    return str(path), table.algorithms[-1]


def test_order_answers(run: Run, written: tuple[str, str]) -> None:
    path, best = written
    printed = json.loads(run("order", path, "--json"))
    assert printed["order"][0] == best
    assert best in printed["unbeaten"]
    assert printed["verdict"]["best"].startswith(best)
    assert printed["verdict"]["value"] is None
    text = run("order", path)
    assert text.startswith(best)
    assert max(map(len, text.splitlines())) <= 80


def test_compare_agrees(run: Run, fail: Run, written: tuple[str, str]) -> None:
    path, _ = written
    ordered = json.loads(run("order", path, "--json"))
    if ordered["test"] is None:
        assert "compared by the folds that they share" in fail("compare", path)
        return
    compared = json.loads(run("compare", path, "--json"))
    assert compared["unbeaten"] == ordered["unbeaten"]
    assert compared["rank_sets"] == ordered["rank_sets"]
    assert compared["verdict"] == ordered["verdict"]


def test_without_a_verb_too(run: Run, written: tuple[str, str]) -> None:
    path, best = written
    text = run(path)
    assert text.startswith(best)
    commands = [line.strip() for line in text.partition("\nNext:\n")[2].splitlines()]
    assert any("palio report" in line for line in commands)
    printed = json.loads(run(path, "--json"))
    assert printed["ordering"]["order"][0] == best
    assert printed["verdict"]["best"] == printed["ordering"]["verdict"]["best"]


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param("5x2", marks=pytest.mark.slow),
        "one data set, k-fold",
        "one data set, hold-out",
    ],
)
def test_every_next_command_can_be_copied(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    frame = table_of(shape, "error").to_frame()
    frame["my cost"] = frame["algorithm"].map(ord)
    frame = frame.rename(columns={"dataset": "Task", "error": "misses"})
    path = tmp_path / "my results.csv"
    frame.to_csv(path, index=False)
    read = ["--score", "misses", "--lower-is-better", "--column", "dataset=Task"]
    for asked in ([], ["--cost", "my cost", "--alpha", "0.01"], ["--prior", "b,a"]):
        printed = json.loads(run(str(path), *read, *asked, "--json"))
        monkeypatch.chdir(tmp_path)  # where report.html goes
        assert printed["next"]
        for question in printed["next"]:
            palio_word, *typed = shlex.split(question["command"])
            assert palio_word == "palio"
            assert ("--alpha" in typed) == ("--alpha" in asked and typed[0] != "bayes")
            if typed[0] == "bayes":
                typed += ["--draws", "200"]
            assert run(*typed), question
            if typed[0] == "compare":
                again = json.loads(run(*typed, "--json"))
                assert again["unbeaten"] == printed["ordering"]["unbeaten"]


def test_next_stays_with_the_data_set(run: Run, files: Path) -> None:
    printed = json.loads(run("results.csv", "--dataset", "optdigits", "--json"))
    assert printed["ordering"]["dataset"] == "optdigits"
    commands = {each["command"].split()[1]: each["command"] for each in printed["next"]}
    assert "audit" not in commands
    assert commands["compare"] == "palio compare results.csv --dataset optdigits"
    assert "--datasets optdigits" in commands["report"]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["nowhere.csv"], "there is no file 'nowhere.csv'"),
        (["study:ulas2009"], "Did you mean 'ulas2008'"),
        (["."], "are not of one kind"),
        (["ordr", "results.csv"], 'Did you mean "order"'),
        (["ordr"], 'Did you mean "order"'),
        (["results.csv", "--cost", "spice"], "Did you mean 'space'"),
        (["--cost", "spice", "results.csv"], "Did you mean 'space'"),
    ],
)
def test_what_is_no_table(fail: Run, typed: list[str], says: str) -> None:
    assert says in fail(*typed)


def test_options_may_come_first(run: Run) -> None:
    assert run("--cost", "space", "results.csv") == run("results.csv", "--cost", "space")


def test_a_store_without_a_verb(run: Run, tmp_path: Path) -> None:
    """A store holds costs that nobody named, so none of them counts."""
    toml = Path(__file__).parents[1] / "contract" / "tables" / "experiment.toml"
    shutil.copy(toml, tmp_path)
    run("run", str(tmp_path / "experiment.toml"))
    store = str(tmp_path / "e.db")
    printed = json.loads(run(store, "--json"))
    assert printed["verdict"]["value"] is None
    assert f"palio order {store} --cost fit_time" in [each["command"] for each in printed["next"]]
    assert json.loads(run("compare", store, "--json"))["algorithms"] == ["nb", "tree"]


@pytest.mark.parametrize("verb", ["order", "compare"])
@pytest.mark.parametrize("shape", ["5x2", "one data set, 5x2", "two data sets"])
def test_a_figure_that_no_name_asks_for_is_one_that_can_be_drawn(
    run: Run, tmp_path: Path, verb: str, shape: str
) -> None:
    path, drawn = tmp_path / "results.csv", tmp_path / "drawn.svg"
    table_of(shape, "accuracy").to_frame().to_csv(path, index=False)
    run(verb, str(path), "--figure", str(drawn))
    assert drawn.read_text(encoding="utf-8").startswith("<?xml")


def test_letters_tell_nothing_where_nobody_could_differ(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    for shape, told in (("two data sets", False), ("5x2", True)):
        table_of(shape, "accuracy").to_frame().to_csv(path, index=False)
        assert ("group" in run("order", str(path))) is told
        assert ("group" in run("compare", str(path))) is told
