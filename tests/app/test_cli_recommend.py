"""``palio recommend``: from a store or a table to what to try on a new file, and the trying."""

import json
from pathlib import Path

import pandas as pd
import pytest

import palio
from palio.app.cli import main
from tests.app.conftest import Run

EXPERIMENT = """
datasets = ["sklearn:iris", "sklearn:wine", "balance-scale", "monks-1", "csv:own.csv"]
resampling = "2-fold"
prepare = "standard"
store = "e.db"
engine = "inline"
aside = "1/3"

[algorithms]
nb = "sklearn.naive_bayes:GaussianNB"
tree = "sklearn.tree:DecisionTreeClassifier"
knn = "sklearn.neighbors:KNeighborsClassifier"
"""


def rows(name: str, n: int) -> pd.DataFrame:
    """Return a part of a data set that scikit-learn brings along, as a file would have it."""
    from sklearn import datasets  # type: ignore[import-untyped]

    frame: pd.DataFrame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    return frame.sample(n, random_state=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of three learners on five data sets, its CSV, and new files."""
    place = tmp_path_factory.mktemp("recommend")
    rows("breast_cancer", 120).to_csv(place / "own.csv", index=False)
    rows("breast_cancer", 200).to_csv(place / "new.csv", index=False)
    rows("breast_cancer", 200).drop(columns="target").to_csv(place / "blind.csv", index=False)
    (place / "e.toml").write_text(EXPERIMENT, encoding="utf-8")
    assert main(["run", str(place / "e.toml")]) == 0
    table = palio.read_scores(place / "e.db").to_frame()
    keep = ["dataset", "algorithm", "repeat", "fold", "accuracy", "fit_time"]
    table[keep].to_csv(place / "r.csv", index=False)
    return place


@pytest.fixture
def here(folder: Path, run: Run, fail: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)  # after the tables' own folder
    return folder


def test_from_a_store(run: Run, here: Path, tmp_path: Path) -> None:
    figure = tmp_path / "places.svg"
    command = ["recommend", "e.db", "--for", "new.csv", "--nearest", "2", "--budget", "60s"]
    text = run(*command, "--figure", str(figure))
    assert "the 2 nearest of 5 data sets" in text
    assert "own 0." in text  # the same columns, so the nearest by far
    assert "fit into a budget of 60" in text
    assert max(map(len, text.splitlines())) <= 80
    assert figure.read_bytes().startswith(b"<?xml")
    found = json.loads(run(*command, "--json"))
    assert found["relevant"][0]["dataset"] == "own"
    assert found["costs"] == ["fit_time", "predict_time"]
    assert found["within"] == found["order"]
    assert {each["place"] for each in found["suggestions"]} == {1, 2, 3}


def test_without_a_number_the_table_is_asked(run: Run, here: Path) -> None:
    found = json.loads(run("recommend", "e.db", "--for", "new.csv", "--json"))
    assert len(found["relevant"]) == 5
    assert any("there must be 10" in note for note in found["notes"])
    bare = json.loads(run("recommend", "e.db", "--json"))
    assert (bare["new"], bare["order"]) == (None, found["order"])


def test_from_a_table_with_its_data(run: Run, here: Path) -> None:
    command = ["recommend", "r.csv", "--for", "new.csv", "--nearest", "1", "--data", "own.csv"]
    found = json.loads(run(*command, "--data", "sklearn:iris", "--method", "mean-score", "--json"))
    assert found["ranking"] == "mean-score"
    assert [each["dataset"] for each in found["relevant"]] == ["own"]
    assert found["costs"] == ["fit_time"]
    assert any("their data are not there: 'wine'" in note for note in found["notes"])


def test_new_data_without_a_target(run: Run, fail: Run, here: Path) -> None:
    command = ["recommend", "e.db", "--for", "blind.csv", "--nearest", "2"]
    found = json.loads(run(*command, "--no-target", "--json"))
    assert found["relevant"][0]["dataset"] == "own"
    assert any("has no target: log_classes" in note for note in found["notes"])
    assert "--no-target" in fail(*command, "--target", "target")
    assert "a target is needed" in fail(*command, "--no-target", "--run")


def test_data_that_are_gone_are_told(run: Run, here: Path, tmp_path: Path) -> None:
    (here / "own.csv").rename(tmp_path / "own.csv")
    try:
        command = ["recommend", "e.db", "--for", "new.csv", "--json", "--nearest"]
        some = json.loads(run(*command, "2"))
        assert len(some["relevant"]) == 2
        assert any("cannot be read again" in note for note in some["notes"])
        few = json.loads(run(*command, "5"))
        assert any("all data sets are taken, for too few" in note for note in few["notes"])
    finally:
        (tmp_path / "own.csv").rename(here / "own.csv")


def test_run_and_go_on(run: Run, here: Path, tmp_path: Path) -> None:
    command = ["recommend", "e.db", "--for", "new.csv", "--nearest", "all", "--budget", "5min",
               "--folds", "3", "--engine", "inline", "--store", str(tmp_path / "t.db")]  # fmt: skip
    first = json.loads(run(*command, "--run", "--json"))
    assert first["best"] in ("nb", "tree", "knn")
    assert [each["ending"] for each in first["trials"]] == ["ok"] * 3  # five sets cannot tell
    again = json.loads(run(*command, "--run", "--json"))
    assert again == first  # also the seconds: nothing was run
    text = run(*command, "--run")
    assert text.startswith(f"{first['best']} is the best of 3 tried on new: accuracy")
    assert "Stopped: all that could be tried were tried." in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_table_makes_what_it_can(run: Run, fail: Run, here: Path, tmp_path: Path) -> None:
    command = ["recommend", "r.csv", "--for", "new.csv", "--run", "--engine", "inline", "--store",
               str(tmp_path / "t.db")]  # fmt: skip
    made = "tree=sklearn.tree:DecisionTreeClassifier"
    nb = "nb=sklearn.naive_bayes:Nothing"
    knn = "knn=sklearn.neighbors:KNeighborsClassifier"
    found = json.loads(
        run(*command, "--algorithm", made, "--algorithm", nb, "--algorithm", knn, "--json")
    )
    endings = {each["algorithm"]: each["ending"] for each in found["trials"]}
    assert endings == {"tree": "ok", "nb": "not made", "knn": "ok"}
    why = {each["algorithm"]: each["why"] for each in found["trials"]}
    assert "sklearn.naive_bayes has no Nothing" in why["nb"]
    assert "Did you mean 'tree'" in fail(*command, "--algorithm", "tre=x:Y")


def test_evaluate(run: Run, here: Path) -> None:
    text = run("recommend", "e.db", "--evaluate")
    assert "all others" in text
    assert "1 nearest" in text
    assert max(map(len, text.splitlines())) <= 80
    command = ["recommend", "e.db", "--evaluate", "--nearest", "2", "--budget", "60s", "--json"]
    found = json.loads(run(*command, "--within", "0.5"))
    assert [each["relevant"] for each in found["choices"]] == ["all", 2]
    assert (found["within"], found["budget"]) == (0.5, 60.0)
    assert found["reached"][1]["reach"]["fitting"] == {"count": 5, "n": 5, "share": 1.0}
    assert {each["algorithm"] for each in found["alone"]} == {"nb", "tree", "knn"}


def test_without_a_table_the_study_is_asked(run: Run, here: Path) -> None:
    text = run("recommend", "--for", "new.csv", "--budget", "60s")
    title, _, said, *_ = text.splitlines()
    assert title.startswith("Try ")
    assert said.startswith("Experience: the study classification2026")
    assert max(map(len, text.splitlines())) <= 80
    found = json.loads(run("recommend", "--for", "new.csv", "--budget", "60s", "--json"))
    assert found["experience"] == found["notes"][0]
    assert found["costs"][0] == "fit_cpu_time"
    assert len(found["relevant"]) == found["n_known"]
    near = json.loads(
        run("recommend", "--for", "blind.csv", "--no-target", "--nearest", "3",
            "--exclude", "gbm,rf", "--json")
    )  # fmt: skip
    assert len(near["relevant"]) == 3
    assert len(near["order"]) == len(found["order"]) - 2
    assert f"{len(near['order'])} tuned learners" in near["experience"]


def test_without_a_table_the_study_is_evaluated(run: Run, here: Path) -> None:
    found = json.loads(run("recommend", "--evaluate", "--nearest", "5", "--json"))
    assert found["experience"] == found["notes"][0]
    assert sum(found["reached"][0]["firsts"].values()) == found["n_datasets"]
    assert len(found["alone"]) == 15


def test_without_a_table_the_studys_learners_are_tried(
    run: Run, here: Path, tmp_path: Path
) -> None:
    left = "svmRadial,svmPoly,svmLinear,rf,gbm,hgb,rknn,nnet,glmnet,knn,lvq,elm,nb"
    command = ["recommend", "--for", "new.csv", "--folds", "2", "--exclude", left, "--engine",
               "inline", "--store", str(tmp_path / "t.db"), "--nearest", "all"]  # fmt: skip
    text = run(*command, "--run")
    assert "is the best of 2 tried on new: accuracy 0.9" in text
    assert "Experience: the study classification2026" in text
    found = json.loads(run(*command, "--run", "--json"))
    tried = {each["algorithm"]: each for each in found["trials"]}
    assert set(tried) == {"sda", "bst"}
    # What is expected is said as it is measured: accuracies of about 0.8, not errors of 0.2.
    assert all(0.7 < each["expected_score"] < 0.9 for each in tried.values())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no.db", "--for", "new.csv"], "no.db"),
        (["e.db", "--for", "none.csv"], "none.csv"),
        (["e.db", "--for", "new.csv", "--budget", "soon"], "60s, 5min or 2h"),
        (["e.db", "--nearest", "2"], "nearest to what?"),
        (["e.db", "--for", "new.csv", "--nearest", "few"], "all or auto, and 'few' was given"),
        (["e.db", "--for", "new.csv", "--nearest", "9"], "from 1 to the 5 data sets"),
        (["r.csv", "--for", "new.csv", "--nearest", "2"], "--data folder:DIR, or --nearest all"),
        (["r.csv", "--evaluate"], "--data folder:DIR"),
        (["r.csv", "--data", "sklearn:digits"], "none of 'digits' is a data set of the table"),
        (["e.db", "--run"], "say what to try them on"),
        (["e.db", "--for", "new.csv", "--stop", "0.1"], "stop: it goes with --run"),
        (["e.db", "--target", "y"], "add --for"),
        ([], "palio recommend --for new.csv"),
        (["--budget", "60s"], "results of your own"),
        (["e.db", "--within", "0.1"], "it goes with --evaluate"),
        (["e.db", "--evaluate", "--within", "-1"], "0 or more"),
        (
            ["study:classification2026", "--for", "new.csv", "--task", "regression"],
            "is of classification",
        ),
        (["--for", "new.csv", "--nearest", "99"], "data sets of the table"),
        (["e.db", "--for", "new.csv", "--run", "--evaluate"], "one at a time"),
        (["e.db", "--for", "new.csv", "--evaluate"], "leave --for away"),
        (["e.db", "--for", "new.csv", "--run", "--store", "e.db"], "is the table itself"),
        (["e.db", "--method", "average"], "Did you mean 'average-ranks'"),
        (["e.db", "--for", "new.csv", "--cost", "fittime"], "Did you mean 'fit_time'"),
        (["e.db", "--for", "new.csv", "--task", "regression"], "is for classification"),
    ],
)
def test_bad_commands(fail: Run, here: Path, arguments: list[str], says: str) -> None:
    assert says in fail("recommend", *arguments)


def test_a_budget_needs_a_time(fail: Run, here: Path, tmp_path: Path) -> None:
    frame = pd.read_csv("r.csv").drop(columns="fit_time")
    frame.to_csv(tmp_path / "bare.csv", index=False)
    said = fail("recommend", str(tmp_path / "bare.csv"), "--budget", "60s")
    assert "the table has no time" in said


def test_help_has_an_example(run: Run) -> None:
    text = run("recommend", "--help-all")
    assert "Example: palio recommend --for new.csv\n" in text
    assert "Example: palio recommend experiment.db --for new.csv --budget 60s" in text
    assert "--json" in text
