"""Comparing, auditing and planning on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

import palio
from palio.app.cli import main
from palio.app.grounds import GROUNDS
from palio.comparison import (
    AUDIT_CHECKS,
    CORRECTIONS,
    FOLD_TESTS,
    GROUP_TESTS,
    ITEM_TESTS,
    OMNIBUS_TESTS,
    PAIR_TESTS,
    PREDICTION_TESTS,
)
from palio.comparison.audit import assumptions
from palio.report.figures import FIGURES
from tests.app.conftest import Run


def test_compare(run: Run) -> None:
    text = run("compare", "results.csv")
    assert "on 4 data sets by accuracy (higher is better): Wilcoxon" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_compare_json_is_the_dictionary_of_the_result(run: Run, files: Path) -> None:
    printed = json.loads(run("compare", "results.csv", "--test", "sign", "--json"))
    result = palio.compare(palio.read_scores(files / "results.csv"), test="sign")
    assert printed == json.loads(json.dumps(result.to_dict()))


def test_demsars_procedure_says_what_it_hides(run: Run) -> None:
    text = run("compare", "results.csv", "--test", "mean-ranks", "--correction", "nemenyi")
    assert "depends on which others are in the pool" in " ".join(text.split())


def test_control(run: Run) -> None:
    printed = json.loads(run("compare", "results.csv", "--control", "svr", "--json"))
    assert {pair["a"] for pair in printed["pairs"]} == {"svr"}
    assert len(printed["pairs"]) == 3


def test_on_the_folds_of_one_data_set(run: Run, files: Path) -> None:
    table = palio.read_scores(files / "results.csv")
    for test in ("5x2cv-f", "5x2cv-t"):
        asked = ["compare", "results.csv", "--dataset", "optdigits", "--test", test, "--json"]
        result = palio.compare(table, dataset="optdigits", test=test)
        assert json.loads(run(*asked)) == json.loads(json.dumps(result.to_dict()))
    text = run("compare", "results.csv", "--dataset", "optdigits")
    assert text.startswith("svr leads 4 algorithms on optdigits; it is significantly better than ")
    assert max(map(len, text.splitlines())) <= 80


def test_a_test_belongs_to_one_ground() -> None:
    """But for tests that compare pairs of scores over data sets, on folds and over items.

    McNemar's is for predictions too, which come first where a file holds them.
    """
    spelled = [
        {each for known in ground.registries() for each in known.spellings()}
        for ground in GROUNDS.values()
    ]
    twice = ITEM_TESTS.spellings().keys() & PREDICTION_TESTS.spellings().keys()
    assert twice == {"mcnemar", "mcnemar-test"}
    assert sum(map(len, spelled)) == len(set().union(*spelled)) + len(twice)


def test_wide_table(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("dataset,a,b\nx,0.9,0.8\ny,0.8,0.7\nz,0.7,0.75\n", encoding="utf-8")
    printed = json.loads(run("compare", str(path), "--score", "accuracy", "--json"))
    assert printed["pairs"][0]["wins"] == 2


def test_options_of_tests(run: Run) -> None:
    pratt = json.loads(run("compare", "results.csv", "--zero-method", "pratt", "--json"))
    assert any("pratt" in note for note in pratt["notes"])
    split = json.loads(run("compare", "results.csv", "--test=sign", "--ties=split", "--json"))
    assert any("split" in note for note in split["notes"])
    drawn = run("compare", "results.csv", "--test=permutation", "--n-resamples=99", "--seed=3")
    assert "permutation" in drawn


def test_files_for_a_paper(run: Run, tmp_path: Path) -> None:
    latex, markdown, figure = (tmp_path / name for name in ("t.tex", "t.md", "cd.pdf"))
    matrix = tmp_path / "matrix.svg"
    run(
        "compare", "results.csv", "--latex", str(latex), "--markdown", str(markdown),
        "--figure", str(figure), "--figure", f"comparison-matrix={matrix}",
    )  # fmt: skip
    assert "\\toprule" in latex.read_text(encoding="utf-8")
    assert "| algorithm |" in markdown.read_text(encoding="utf-8")
    assert figure.read_bytes().startswith(b"%PDF")
    assert matrix.read_bytes().startswith(b"<?xml")


def test_audit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assumptions, "TRIALS", 20)
    text = run("audit", "results.csv")
    assert "With 4 data sets no adjusted p can be below" in " ".join(text.split())
    assert not any(f"{name}: " in text for name in AUDIT_CHECKS)
    assert "doubt:" not in text
    detailed = run("audit", "results.csv", "--details")
    for name in AUDIT_CHECKS:
        assert f"{name}: " in detailed
    assert max(map(len, [*text.splitlines(), *detailed.splitlines()])) <= 80
    printed = json.loads(run("audit", "results.csv", "--only", "pools, symmetry", "--json"))
    assert [check["name"] for check in printed["checks"]] == ["pools", "symmetry"]


def test_power(run: Run) -> None:
    means = ["--means", "A=0,B=1.5,C=5,D=6,E=7", "--a", "A", "--b", "B", "--datasets", "20"]
    printed = json.loads(
        run("power", *means, "--test=sign", "--correction=none", "--trials=500", "--json")
    )
    assert printed["curve"][0]["power"] == pytest.approx(0.94, abs=0.05)
    text = run("power", "results.csv", "--a", "svr", "--b", "c45", "--trials", "20")
    assert "svr and c45 apart" in text


@pytest.mark.slow  # how many cells agree is in a page, which is compared with the study
def test_reproduce_benavoli(run: Run) -> None:
    printed = json.loads(run("reproduce", "benavoli2016", "--json"))
    agreement = {check["table"]: (check["agree"], check["cells"]) for check in printed["checks"]}
    assert agreement == {
        "Example 1": (7, 8), "Example 2": (2, 2), "Example 3": (12, 12), "1": (63, 63),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["compare", "results.csv", "--test", "wilcox"], "Did you mean 'wilcoxon'"),
        (["compare", "results.csv", "--test", "kfold-t"], "on the folds of one data set"),
        (["compare", "results.csv", "--test", "tuky"], "Did you mean 'tukey'"),
        (["compare", "results.csv", "--test", "tukey"], "and there are 4"),
        (["compare", "results.csv", "--dataset=zoo", "--test=sign"], "use one of 5x2cv-f"),
        (["compare", "results.csv", "--dataset=zo"], "Did you mean 'zoo'"),
        (["compare", "results.csv", "--test=mcnemar"], "no column named 'truth'"),
        (["compare", "results.csv", "--positive", "yes"], "it is for comparing predictions"),
        (
            ["compare", "results.csv", "--dataset=zoo", "--test=anova", "--correction=holm"],
            "this is all at once on folds",
        ),
        (["compare", "results.csv", "--correction", "nemenyi"], "belongs to test 'mean-ranks'"),
        (["compare", "results.csv", "--correction", "li"], "with a control, and none is given"),
        (["compare", "results.csv", "--control", "srv"], "Did you mean 'svr'"),
        (["compare", "results.csv", "--omnibus", "f"], "omnibus: 'f' is not known"),
        (["compare", "results.csv", "--ties", "drop"], "does not take it"),
        (["compare", "results.csv", "--latex", "no/t.tex"], "cannot be written"),
        (["compare", "results.csv", "--figure", "multitest-graph=g.svg"], "multitest-graph"),
        (["audit", "results.csv", "--only", "pool"], "Did you mean 'pools'"),
        (["power", "--a", "A", "--b", "B"], "give a table of results or --means"),
        (["power", "--a", "A", "--b", "B", "--means", "A=x,B=1"], "numbers are needed"),
        (["power", "--a", "A", "--b", "B", "--means", "A"], "written name=value"),
        (["power", "--a=A", "--b=B", "--means=A=0,B=1", "--datasets=x"], "whole numbers"),
    ],
)
def test_bad_commands(fail: Run, arguments: list[str], says: str) -> None:
    assert says in fail(*arguments)


@pytest.mark.parametrize("verb", ["compare", "audit", "power"])
def test_help_has_an_example_and_json(run: Run, verb: str) -> None:
    text = run(verb, "--help")
    assert f"Example: palio {verb}" in text
    assert "--json" in text


def test_help_names_every_method(run: Run) -> None:
    compare = "".join(run("compare", "--help-all").split()).replace("│", "")
    for registry in (
        PAIR_TESTS, FOLD_TESTS, GROUP_TESTS, ITEM_TESTS, PREDICTION_TESTS, CORRECTIONS,
        OMNIBUS_TESTS,
    ):  # fmt: skip
        for name in registry:
            assert name in compare
    for name, entry in FIGURES.items():
        if "comparison" in entry.kinds and name != "critical-difference":
            assert name in compare
    audit = "".join(run("audit", "--help-all").split()).replace("│", "")
    assert all(name in audit for name in AUDIT_CHECKS)


@pytest.fixture
def answers(tmp_path: Path) -> str:
    """Scores on 40 questions of two tasks."""
    rng = np.random.default_rng(0)
    rows = ["task,question_id,model,correct"]
    for task in ("x", "y"):
        for question in range(40):
            right = (rng.random(3) < [0.85, 0.5, 0.55]).astype(int).tolist()
            rows += [
                f"{task},{question},{model},{score}"
                for model, score in zip(("big", "small", "other"), right, strict=True)
            ]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return str(path)


def test_what_to_ask_next_of_items(run: Run, answers: str) -> None:
    printed = json.loads(run(answers, "--json"))
    asked = [each["command"].split()[1:] for each in printed["next"]]
    assert ["audit", answers] in asked
    assert not any("--dataset" in words for words in asked)


def test_over_items_or_over_data_sets(run: Run, fail: Run, answers: str) -> None:
    text = run("compare", answers)
    assert text.startswith("These tasks, other items: big leads 3 algorithms")
    assert "For other tasks like these, 2 data sets are too few" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
    assert run("compare", answers, "--over", "datasets").startswith("Other tasks like these: big")
    table = palio.read_scores(answers)
    for test in (name for name, entry in ITEM_TESTS.items() if not entry.clusters):
        asked = ["compare", answers, "--over", "items", "--test", test, "--json"]
        found = palio.compare(table, over="items", test=test)
        assert json.loads(run(*asked)) == json.loads(json.dumps(found.to_dict()))
        without = [each for each in asked if each not in ("--over", "items")]
        assert json.loads(run(*without))["over"] == "items"
    asked = ["compare", answers, "--test=sign-flips", "--average=items", "--seed=1", "--json"]
    flipped = json.loads(run(*asked, "--n-resamples", "99"))
    assert flipped["items"]["average"] == "items"
    assert min(pair["p_value"] for pair in flipped["pairs"]) == 0.01
    assert "--over datasets" in fail("compare", "results.csv", "--over", "items")
    audited = run("audit", answers, "--only", "luck,pools", "--details")
    assert audited.startswith("These tasks, other items: ")
    assert "pools: no verdict is by mean ranks" in audited
    assert "luck: how much of the first place is luck?" in audited


def test_predictions_keep_their_own_tests(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    rows = ["instance,truth,a,b", *(f"{i},{i % 2},{i % 2},{i % 3 % 2}" for i in range(30))]
    path.write_text("\n".join(rows), encoding="utf-8")
    for asked, kind in (
        ([], "prediction-comparison"),
        (["--test", "mcnemar"], "prediction-comparison"),
        (["--over", "items"], "comparison"),
        (["--over", "items", "--test", "mcnemar"], "comparison"),
    ):
        assert json.loads(run("compare", str(path), *asked, "--json"))["kind"] == kind


def test_runs_on_different_items(
    run: Run, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "apart.csv"
    rows = ["item,algorithm,f1"]
    rows += [f"q{i},a,{0.5 + i % 7 / 20}" for i in range(30)]
    rows += [f"r{i},b,{0.2 + i % 5 / 20}" for i in range(30)]
    path.write_text("\n".join(rows), encoding="utf-8")
    assert main(["compare", str(path), "--over", "items"]) == 2
    assert "--unpaired" in capsys.readouterr().err
    found = json.loads(run("compare", str(path), "--over", "items", "--unpaired", "--json"))
    assert found["items"]["unpaired"] == 1
    assert found["pairs"][0]["better"] == "a"
    # No default comparison is possible, so that this one says who leads.
    assert (found["leader"], found["sureness"]) == ("a", "firm")
