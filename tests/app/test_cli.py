"""The command line as a person types it."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import palio
from palio.app.cli import main
from palio.comparison import FOLD_TESTS, GROUP_TESTS, PAIR_TESTS, POSTHOCS
from palio.ordering import FINDERS, ORDERINGS
from palio.report.figures import FIGURES
from tests.app.conftest import Run


def test_order_over_many_data_sets(run: Run) -> None:
    text = run("order", "results.csv", "--cost", "train_time")
    assert "over 4 data sets" in text
    assert "pairwise MultiTest by accuracy (higher is better) and train_time" in text
    paper = run("order", "results.csv", "--cost", "train_time", "--method", "multi2test")
    assert "Multi²Test by accuracy (higher is better) and train_time" in paper
    assert max(map(len, text.splitlines())) <= 80


def test_order_on_one_data_set_says_why(run: Run) -> None:
    text = run("order", "results.csv", "--cost", "train_time", "--dataset", "optdigits")
    assert text.startswith("svr leads 4 algorithms on optdigits")
    assert "fragile: one data set cannot be checked" in " ".join(text.split())
    assert "MultiTest" in text
    assert "5x2cv-f with holm" in " ".join(text.split())
    why = run("order", "results.csv", "--cost=space", "--dataset=optdigits", "--why", "svr", "c45")
    assert why.startswith("svr is before c45: it is costlier, but significantly better (p = ")


def test_costs_from_a_second_file_are_the_same(run: Run) -> None:
    one = json.loads(run("order", "results.csv", "--cost", "space", "--json"))
    two = json.loads(
        run("order", "scores.csv", "--costs", "costs.csv", "--cost", "space", "--json")
    )
    assert one["order"] == two["order"]
    assert one["costs"] == pytest.approx(two["costs"])


def test_a_study_stands_in_the_place_of_a_file(run: Run, fail: Run) -> None:
    found = json.loads(run("order", "study:ulas2008", "--cost", "train_time", "--json"))
    table = palio.load_study("ulas2008")
    assert found["order"] == list(palio.order(table, cost="train_time").order)
    promised = run("compare", "study:replication2026", "--score", "inner_cv_error")
    assert "by inner_cv_error (lower is better)" in " ".join(promised.split())
    assert "Did you mean 'ulas2008'" in fail("compare", "study:ulas2009")
    assert "a study has columns and costs of its own" in fail(
        "compare", "study:ulas2008", "--column", "dataset=task"
    )


def test_json_is_the_dictionary_of_the_result(run: Run, files: Path) -> None:
    printed = json.loads(run("order", "results.csv", "--cost", "train_time", "--json"))
    table = palio.read_scores(files / "results.csv", costs=["train_time"])
    result = palio.order(table, cost={"train_time": 1.0})
    assert printed == json.loads(json.dumps(result.to_dict()))
    contract = {"order", "ranks", "prior", "edges", "mean_ranks", "per_dataset", "notes"}
    assert contract | {"rank_sets", "unbeaten", "verdict"} <= set(printed)
    assert set(printed["verdict"]) == {"best", "value", "sure", "missing"}


def test_json_of_multi2test_is_that_of_python(run: Run, files: Path) -> None:
    method = ["--method", "multi2test", "--test", "5x2cv-t", "--posthoc", "sign-holm"]
    printed = json.loads(run("order", "results.csv", "--cost", "space", *method, "--json"))
    table = palio.read_scores(files / "results.csv", costs=["space"])
    result = palio.multi2test(table, cost="space", test="5x2cv-t", posthoc="sign-holm")
    assert printed == json.loads(json.dumps(result.to_dict()))


def test_json_has_no_infinite_numbers(run: Run, tmp_path: Path) -> None:
    """Identical folds give an infinite statistic, which JSON does not have."""
    table = palio.ScoreTable.from_arrays(
        np.array([0.3, 0.2])[np.newaxis, :, np.newaxis, np.newaxis] * np.ones((1, 2, 5, 2)),
        datasets=["d"],
        algorithms=["a", "b"],
        measure="error",
    )
    path = tmp_path / "flat.csv"
    table.to_frame().to_csv(path, index=False)
    printed = json.loads(run("order", str(path), "--prior", "a,b", "--dataset", "d", "--json"))
    assert printed["order"] == ["b", "a"]
    assert printed["pairs"][0]["statistic"] is None


def test_weights_and_prior(run: Run) -> None:
    weighted = json.loads(
        run("order", "results.csv", "--cost=train_time=0.9", "--cost", "space=0.1", "--json")
    )
    assert weighted["cost"] == {"train_time": 0.9, "space": 0.1}
    given = json.loads(run("order", "results.csv", "--prior", "svr, mdt,c45,5nn", "--json"))
    assert given["prior"] == ["svr", "mdt", "c45", "5nn"]
    some = json.loads(run("order", "results.csv", "--prior", "mdt", "--prior", "c45", "--json"))
    assert some["prior"] == ["mdt", "c45", "svr", "5nn"]  # the rest by mean rank
    assert any("names 2 of 4" in note for note in some["notes"])


def test_names_with_commas_in_a_prior(run: Run, fail: Run, tmp_path: Path) -> None:
    names = ["svm, C=1", "svm", "knn"]
    lines = [
        f'd{i},"{name}",{0.7 + i / 50 + j / 9}' for i in range(8) for j, name in enumerate(names)
    ]
    path = write(tmp_path / "commas.csv", "\n".join(["dataset,algorithm,accuracy", *lines]))
    one = ["--prior", "knn,svm, C=1,svm"]
    each = ["--prior", "knn", "--prior", "svm, C=1", "--prior", "svm"]
    for prior in (one, each):
        printed = json.loads(run("order", path, *prior, "--json"))
        assert printed["prior"] == ["knn", "svm, C=1", "svm"]
        report = json.loads(run("report", path, *prior, "--checks", "none", "--json"))
        assert report["ordering"]["prior"] == ["knn", "svm, C=1", "svm"]
    assert "'svm C' is not known. Did you mean 'svm, C=1'" in fail(
        "order", path, "--prior", "svm C,knn"
    )


def test_other_column_names_and_direction(run: Run, files: Path, tmp_path: Path) -> None:
    frame = palio.read_scores(files / "results.csv").to_frame()
    renamed = frame.rename(columns={"dataset": "Task", "algorithm": "Model", "accuracy": "quality"})
    renamed.to_csv(tmp_path / "other.csv", index=False)
    plain = json.loads(run("order", "results.csv", "--cost", "space", "--json"))
    columns = ["--column", "dataset=Task", "--column", "algorithm=Model"]
    score = ["--score", "quality", "--higher-is-better", "--cost", "space"]
    other = json.loads(run("order", str(tmp_path / "other.csv"), *columns, *score, "--json"))
    assert other["order"] == plain["order"]


def test_figures_are_written(run: Run, tmp_path: Path) -> None:
    graph, line = tmp_path / "graph.svg", tmp_path / "cd.png"
    run(
        "order", "results.csv", "--cost", "space", "--figure", str(graph),
        "--figure", f"critical-difference={line}",
    )  # fmt: skip
    assert graph.read_bytes().startswith(b"<?xml")
    assert line.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("method", list(FINDERS))
def test_best(run: Run, method: str) -> None:
    arguments = ["results.csv", "--dataset", "optdigits", "--cost", "space", "--method", method]
    printed = json.loads(run("best", *arguments, "--json"))
    assert printed["method"] == method
    assert printed["best"] == (None if method == "anova" else "svr")
    assert ("no best found" in run("best", *arguments)) is (printed["best"] is None)


@pytest.mark.parametrize("test", list(GROUP_TESTS))
def test_folds(run: Run, test: str) -> None:
    arguments = ["results.csv", "--dataset", "optdigits", "--test", test]
    printed = json.loads(run("folds", *arguments, "--json"))
    assert list(printed["means"]) == ["svr", "5nn", "mdt", "c45"]
    # One of the two: a p-value, or underlines.
    assert (printed["p_value"] is None) is (printed["underlines"] is not None)
    assert f"({test} on optdigits)" in run("folds", *arguments)
    assert json.loads(run("compare", *arguments, "--json")) == printed


def test_reproduce(run: Run) -> None:
    printed = json.loads(run("reproduce", "ulas2008", "--json"))
    agreement = {check["table"]: (check["agree"], check["cells"]) for check in printed["checks"]}
    assert agreement["A.12"] == agreement["A.13"] == (304, 304)
    assert agreement["4.3"] == (56, 56)
    text = run("reproduce", "ulas2008")
    assert "1946 of 1956 cells agree" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "1|1" in run("reproduce", "ulas2008", "--table", "A.12")


@pytest.mark.slow
def test_demo(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    text = run("demo", "--folder", str(folder))
    assert "svm leads 8 algorithms over 16 data sets" in text
    assert "Why:" in text
    assert "is number" in text.split("Notes:")[1]  # who stands far behind its mean rank, and why
    assert "What to try next:" in text
    assert len(text.splitlines()) <= 60
    assert {path.name for path in folder.glob("*.svg")} == {
        "critical-difference.svg", "order.svg",
    }  # fmt: skip
    again = json.loads(run("demo", "--json", "--folder", str(folder)))
    assert sorted(again["ranks"]) == sorted(again["order"])
    assert "naive-bayes" in again["order"]
    # The second time nothing is run: the order rests on the same stored costs.
    assert f"Best value by fit_time: {again['order'][0]}" in text


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def rows(files: Path) -> list[str]:
    return (files / "results.csv").read_text(encoding="utf-8").splitlines(keepends=True)


BAD_FILES: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "empty": (lambda _: [], "is empty"),
    "no rows": (lambda lines: lines[:1], "has no rows"),
    "duplicate": (lambda lines: [*lines, _cell(lines[-1], "0.5")], "repeats an earlier one"),
    "inf": (lambda lines: [lines[0], _cell(lines[1], "inf"), *lines[2:]], "infinite"),
    "text": (lambda lines: [lines[0], _cell(lines[1], "good"), *lines[2:]], "'good' .line 2"),
    "one algorithm": (lambda lines: lines[:1] + [x for x in lines if ",c45," in x], "at least two"),
}


def _cell(line: str, value: str) -> str:
    cells = line.split(",")
    cells[4] = value
    return ",".join(cells)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda lines: [x for x in lines if "zoo,5nn" not in x], "10 scores .* missing"),
        (lambda lines: [lines[0], _cell(lines[1], ""), *lines[2:]], "1 score .* missing"),
    ],
)
def test_gaps_are_answered_unless_they_are_refused(
    run: Run, fail: Run, files: Path, tmp_path: Path, spoil: Any, says: str
) -> None:
    path = write(tmp_path / "gaps.csv", "".join(spoil(rows(files))))
    assert re.search(says, fail("order", path, "--cost", "space", "--missing", "error"))
    assert "is missing" in " ".join(run("order", path, "--cost", "space").split())


@pytest.mark.parametrize("name", list(BAD_FILES))
def test_bad_files(fail: Run, files: Path, tmp_path: Path, name: str) -> None:
    spoil, says = BAD_FILES[name]
    path = write(tmp_path / "bad.csv", "".join(spoil(rows(files))))
    assert re.search(says, fail("order", path, "--cost", "space"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["order", "nowhere.csv", "--cost", "space"], "there is no file 'nowhere.csv'"),
        (["order", ".", "--cost", "space"], "are not of one kind"),
        (["order", "results.csv", "--method=multi2test"], "cost: to choose between equals a pref"),
        (["order", "results.csv", "--cost", "spice"], "Did you mean 'space'"),
        (["order", "scores.csv", "--cost", "space"], "no column 'space'"),
        (["order", "results.csv", "--cost", "space=much"], "a weight is a number"),
        (["order", "results.csv", "--cost", "space", "--cost", "space"], "given twice"),
        (["order", "results.csv", "--cost", "space", "--score", "acuracy"], "'accuracy'"),
        (["order", "results.csv", "--cost", "space", "--test", "kfold"], "'kfold-t'"),
        (["order", "results.csv", "--dataset", "zoo", "--test", "calibrated-t"], "--test-df"),
        (["order", "results.csv", "--cost", "space", "--test", "5x2cv-f"], "--method multi2test"),
        (["order", "results.csv", "--dataset", "zoo", "--test", "wilcoxon"], "use one of 5x2cv-f"),
        (["order", "results.csv", "--posthoc", "nemenyi"], "leave it out, or give --method multi2"),
        (["order", "results.csv", "--method=multi2test", "--test=sign"], "--method pairwise"),
        (["order", "results.csv", "--method=multi2test", "--dataset=zoo"], "it belongs to pairw"),
        (["order", "results.csv", "--method=multitest", "--cost=space"], "and there are 4"),
        (["order", "results.csv", "--method=multi2tset"], "mean 'multi2test'"),
        (["order", "results.csv", "--method=multi3test"], "known. There are: pairwise, multit"),
        (
            ["order", "results.csv", "--method=multi2test", "--cost=space", "--posthoc=nemeny"],
            "'nemenyi'",
        ),
        (["order", "results.csv", "--cost", "space", "--correction", "hollm"], "mean 'holm'"),
        (["order", "results.csv", "--cost", "space", "--alpha", "2"], "alpha: a significance"),
        (["order", "results.csv", "--cost", "space", "--alpha", "two"], "--alpha"),
        (["order", "results.csv", "--cost", "space", "--dataset", "zo"], "Did you mean 'zoo'"),
        (["order", "results.csv", "--cost", "space", "--column", "Task"], "written name=value"),
        (["order", "results.csv", "--cost", "space", "--column", "t=Task"], "the keys are"),
        (["order", "results.csv", "--cost", "space", "--missing", "maybe"], "drop-datasets"),
        (["order", "results.csv", "--cost", "space", "--figure", "a.gif"], ".svg, .png or .pdf"),
        (
            ["order", "results.csv", "--cost", "space", "--figure", "no/a.svg"],
            "'no' is not a folder",
        ),
        (["order", "results.csv", "--cost", "space", "--figure", "x=a.svg"], "'x' is not known"),
        (["order", "results.csv", "--cost", "space", "--why", "svr", "swr"], "'swr' is not known"),
        (["order", "results.csv", "--prior", "swr"], "Did you mean 'svr'"),
        (["best", "results.csv", "--dataset=zoo", "--prior", "svr"], "it lacks c45, mdt, 5nn"),
        (["order", "results.csv", "--cots", "space"], "--cots"),
        (["order"], "RESULTS"),
        (["odrer"], "order"),
        (["best", "results.csv", "--cost", "space"], "and there are 4: "),
        (["reproduce", "ulas"], "Did you mean 'ulas2008'"),
        (["reproduce", "ulas2008", "--table", "9"], "table: '9' is not known"),
        (["reproduce", "ulas2008", "--datasets", "first48"], "datasets: 'ulas2008' has no such"),
        (["reproduce", "--datasets", "first48"], "study: say of which, such as wainer2016"),
        (["reproduce", "wainer2016", "--keep", "x"], "keep: it concerns a rerun"),
    ],
)
def test_bad_commands(fail: Run, arguments: list[str], says: str) -> None:
    assert says in fail(*arguments)


def test_demo_into_a_folder_that_cannot_be_made(fail: Run, tmp_path: Path) -> None:
    write(tmp_path / "file", "")
    assert "cannot be made" in fail("demo", "--folder", str(tmp_path / "file" / "demo"))


@pytest.mark.parametrize("verb", ["demo", "order", "best", "reproduce"])
def test_help_has_an_example_and_json(run: Run, verb: str) -> None:
    text = run(verb, "--help")
    assert f"Example: palio {verb}" in text
    assert "--json" in text


def test_help_names_every_method(run: Run) -> None:
    """The help is written without loading the registries, so it is checked against them."""
    text = "".join(run("order", "--help-all").split()).replace("│", "")
    for registry in (FOLD_TESTS, PAIR_TESTS, POSTHOCS, ORDERINGS):
        for name in registry:
            assert name in text
    assert any(name in text for name in FIGURES)
    best = "".join(run("best", "--help-all").split()).replace("│", "")
    assert all(name in best for name in FINDERS)


def palio_process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("palio")), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_installed_command() -> None:
    done = palio_process("--version")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, f"palio {palio.__version__}")
    missing = palio_process("order", "nowhere.csv", "--cost", "x")
    assert missing.returncode == 2
    assert missing.stdout == ""
    assert "Traceback" not in missing.stderr


def test_reader_that_leaves_early_sees_no_traceback() -> None:
    """As with ``palio reproduce | head -1``."""
    read, write_end = os.pipe()
    os.close(read)
    command = [str(Path(sys.executable).with_name("palio")), "reproduce", "ulas2008"]
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write_end)
    assert done.stderr == ""


def test_readings_to_choose_from_are_commands_to_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "my results.csv"
    path.write_text("dataset,model,auc,f1\nx,a,0.5,0.6\nx,b,0.7,0.9\n", encoding="utf-8")
    assert main(["read", str(path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "auc (higher is better)" in said
    assert "which can be read instead: --score f1" in said
    path.write_text("dataset,model,zeal\nx,a,0.5\nx,b,0.7\n", encoding="utf-8")
    assert main(["read", str(path)]) == 2
    error = capsys.readouterr().err
    flags = ("--higher-is-better", "--lower-is-better")
    ways = [shlex.join(["palio", "read", str(path), flag]) for flag in flags]
    assert error.endswith(f"Say it: {ways[0]}; or {ways[1]}.\n")
    assert main(shlex.split(ways[1])[1:]) == 0
    assert "zeal (lower is better)" in capsys.readouterr().out


def test_what_was_recognised_is_said_before_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "board.csv"
    path.write_text("model,x,y,Average\na,1,2,1.5\nb,3,5,4\nc,4,6,5\n", encoding="utf-8")
    assert main(["compare", str(path), "--score", "elo"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith("Models in rows: 'model' names the algorithms")
    assert "--no-transpose" in said
    assert "Average, the mean of the others" in said
    path.write_text("dataset,algorithm,elo\nx,a,1\nx,b,2\ny,a,1\ny,b,3\n", encoding="utf-8")
    assert main(["compare", str(path)]) == 0
    assert capsys.readouterr().err == ""
