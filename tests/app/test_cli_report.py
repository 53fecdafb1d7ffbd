"""``palio report`` as a person types it: the page, the folder for a paper, watching a run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

import palio
from palio.app.cli import main
from palio.app.verbs import report as verb
from palio.report.page import render_page
from tests.app.conftest import Run
from tests.experiment.by_hand import by_hand

QUICK = ("--checks", "none")


def test_json_is_the_dictionary_of_the_report(run: Run, files: Path) -> None:
    printed = json.loads(run("report", "results.csv", "--cost", "space", "--json"))
    table = palio.read_scores(files / "results.csv")
    report = palio.analyse(table, cost="space", source="results.csv")
    assert printed == json.loads(json.dumps(report.to_dict()))
    jsonschema.validate(printed, json.loads(run("report", "--schema")))


def test_page(run: Run, tmp_path: Path, files: Path) -> None:
    page = tmp_path / "report.html"
    text = run("report", "results.csv", "-o", str(page), *QUICK, "--alpha", "0.01")
    assert "α = 0.01" in text
    assert max(map(len, text.splitlines())) <= 80
    table = palio.read_scores(files / "results.csv")
    report = palio.analyse(table, alpha=0.01, checks=[], source="results.csv")
    assert page.read_text(encoding="utf-8") == render_page(report)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_the_permalink_asks_the_same(run: Run) -> None:
    asked = ("--cost", "train_time=0.7", "--cost", "space=0.3", "--test", "sign", *QUICK)
    some = ("--algorithms", "svr", "--algorithms", "c45", "--datasets", "car", "--datasets", "zoo")
    first = json.loads(run("report", "results.csv", *asked, *some, "--json"))
    again = json.loads(run("report", "results.csv", "--question", first["query"], "--json"))
    assert again == first
    assert first["table"]["algorithms"] == ["svr", "c45"]
    assert first["question"]["cost"] == {"train_time": 0.7, "space": 0.3}


def test_options_reach_the_report(run: Run) -> None:
    bayes = ("--model", "sign", "--rope", "1")
    order = (
        "--cost", "space", "--method", "multi2test",
        "--fold-test", "5x2cv-t", "--posthoc", "pairwise-sign",
    )  # fmt: skip
    checks = ("--checks", "conventions,pools")
    printed = json.loads(run("report", "results.csv", *bayes, *order, *checks, "--json"))
    assert printed["posterior"]["model"] == "sign"
    assert printed["ordering"]["test"] == "5x2cv-t"
    assert printed["ordering"]["posthoc"] == "pairwise-sign"
    assert [check["name"] for check in printed["audit"]["checks"]] == ["conventions", "pools"]


def test_a_cost_of_any_name(run: Run, files: Path) -> None:
    frame = palio.read_scores(files / "results.csv").to_frame()
    frame.rename(columns={"space": "hunger"}).to_csv(files / "hungry.csv", index=False)
    asked = ("--cost", "hunger", "--score", "accuracy", *QUICK)
    printed = json.loads(run("report", "hungry.csv", *asked, "--json"))
    assert printed["order"]["cost"] == {"hunger": 1.0}


def test_no_cost(run: Run) -> None:
    printed = json.loads(run("report", "results.csv", "--cost", "none", *QUICK, "--json"))
    assert printed["order"]["method"] == "pairwise"
    assert printed["front"] is None
    unnamed = json.loads(run("report", "results.csv", *QUICK, "--json"))
    assert unnamed["order"] == printed["order"]


def test_latex(run: Run, tmp_path: Path) -> None:
    run("report", "results.csv", "--cost=space", "--latex", str(tmp_path / "paper"), *QUICK)
    assert (tmp_path / "paper" / "report.tex").is_file()
    assert (tmp_path / "paper" / "pareto.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "results: a table or a store is needed"),
        (("results.csv", "--watch"), "watch: it rewrites files"),
        (("study:ulas2008", "-o", "r.html", "--watch"), "a published study, and does not change"),
        (("results.csv", "--question", "alpha=0.1", "--alpha", "0.2"), "leave alpha out"),
        (("results.csv", "--question", "alpa=1"), "Did you mean 'alpha'"),
        (("results.csv", "--rope", "wide"), "rope: it is a number or auto"),
        (("results.csv", "--fold-test", "kfold"), "Did you mean 'kfold-t'"),
        (("results.csv", "--model", "correlated-t"), "is about one data set"),
        (("results.csv", "--cost", "watts"), "'watts'"),
        (("results.csv", "-o", "none/report.html"), "cannot be written"),
    ],
)
def test_what_cannot_be_done(fail: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in fail("report", *arguments)


# --- stores and watching -------------------------------------------------------------------------

EXPERIMENT = """
datasets = ["sklearn:iris", "sklearn:wine", "sklearn:breast_cancer"]
resampling = "2-fold"
store = "e.db"
engine = "inline"

[algorithms.nb]
estimator = "sklearn.naive_bayes:GaussianNB"

[algorithms.tree]
estimator = "sklearn.tree:DecisionTreeClassifier"
params = { max_depth = 2 }
"""


@pytest.fixture
def store(tmp_path: Path, run: Run) -> Path:
    toml = tmp_path / "experiment.toml"
    toml.write_text(EXPERIMENT, encoding="utf-8")
    run("run", str(toml))
    return tmp_path / "e.db"


def unfinish(store: Path, status: str | None) -> None:
    """Let the jobs on wine have failed, or not have run."""
    with by_hand(store) as connection:
        keys = "(SELECT key FROM palio_jobs WHERE dataset LIKE '%wine%')"
        if status is None:
            connection.execute(f"DELETE FROM palio_results WHERE key IN {keys}")
        else:
            connection.execute(
                f"UPDATE palio_results SET status = ?, error = 'no <good>', folds = x'' "
                f"WHERE key IN {keys}",
                (status,),
            )
    connection.close()


def test_a_store_tells_of_the_run(run: Run, store: Path) -> None:
    unfinish(store, "failed")
    page = store.with_name("report.html")
    printed = json.loads(run("report", str(store), "-o", str(page), *QUICK, "--json"))
    jsonschema.validate(printed, palio.report_schema())
    told = printed["experiment"]
    assert told["counts"] == {"ok": 4, "failed": 2}
    assert told["finished"]
    assert told["failures"][0]["cause"] == "failed: no <good>"
    assert len(told["failures"][0]["datasets"]) == 1
    assert told["failures"][0]["algorithms"] == ["nb", "tree"]
    assert told["machines"][0]["jobs"] == 4
    assert told["versions"]["numpy"]
    html = page.read_text(encoding="utf-8")
    assert "failed: no &lt;good&gt;" in html
    assert "6 jobs: 4 ok, 2 failed; the run is finished." in html


def test_watching_ends_with_the_run(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = store.with_name("report.html")
    finished = store.read_bytes()
    unfinish(store, None)
    seen: list[str] = []

    def finish(_seconds: float) -> None:
        """Stand for the time in which the run goes on."""
        seen.append(page.read_text(encoding="utf-8"))
        assert len(seen) < 3, "it should have seen the change and stopped"
        store.write_bytes(finished)
        os.utime(store, ns=(1, 1))

    monkeypatch.setattr(verb, "sleep", finish)
    assert main(["report", str(store), "-o", str(page), "--watch", *QUICK]) == 0
    last = page.read_text(encoding="utf-8")
    assert 'http-equiv="refresh"' in seen[0]
    assert "not finished" in seen[0]
    assert 'http-equiv="refresh"' not in last
    assert capsys.readouterr().err.count("wrote ") == 2


def test_watching_a_table_until_it_is_stopped(
    run: Run,
    files: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table, page = tmp_path / "growing.csv", tmp_path / "report.html"
    table.write_text("dataset,algorithm\n", encoding="utf-8")  # half written
    steps: Iterator[int] = iter(range(2))

    def go_on(_seconds: float) -> None:
        if next(steps) == 0:
            assert not page.exists()
            table.write_bytes((files / "results.csv").read_bytes())
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr(verb, "sleep", go_on)
    assert main(["report", str(table), "-o", str(page), "--watch", *QUICK]) == 0
    said = capsys.readouterr().err
    assert said.startswith("waiting: ")
    assert said.endswith("stopped watching\n")
    assert page.exists()


def test_nothing_new_is_not_told(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a", encoding="utf-8")
    looks = 0

    def sleep(_seconds: float) -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            table.write_text("ab", encoding="utf-8")

    found = verb.versions(str(table), wait=sleep)
    assert next(found) != next(found)
    assert looks == 3
