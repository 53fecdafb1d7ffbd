"""Experiments on the command line: run, plan, status, retry, export, and analysing a store."""

import json
from pathlib import Path

import pytest

from tests.app.conftest import Run

EXPERIMENT = """
datasets = ["sklearn:iris", "sklearn:wine"]
resampling = "5x2"
store = "e.db"
engine = "inline"

[algorithms.nb]
estimator = "sklearn.naive_bayes:GaussianNB"

[algorithms.tree]
estimator = "sklearn.tree:DecisionTreeClassifier"
params = { max_depth = 2 }
"""


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    path = tmp_path / "experiment.toml"
    path.write_text(EXPERIMENT, encoding="utf-8")
    return path


def test_run_plan_status_export_and_analyse(run: Run, toml: Path) -> None:
    before = json.loads(run("plan", str(toml), "--json"))
    assert (before["jobs"], before["fits"], before["left"]) == (20, 40, 20)
    done = json.loads(run("run", str(toml), "--json"))
    assert done["counts"] == {"ok": 20}
    after = json.loads(run("plan", str(toml), "--json"))
    assert after["left"] == 0
    store = str(toml.with_name("e.db"))
    assert "20 jobs: 20 ok" in run("status", store)
    assert "0 of 20 jobs left to run" in run("plan", str(toml))
    assert json.loads(run("order", store, "--cost", "fit_time", "--json"))["n_datasets"] == 2
    assert json.loads(run("compare", store, "--json"))["algorithms"] == ["nb", "tree"]
    for ending in ("csv", "parquet", "json"):
        target = toml.with_name(f"out.{ending}")
        run("export", store, str(target))
        table = json.loads(run("compare", str(target), "--score", "accuracy", "--json"))
        assert table["n_datasets"] == 2


def test_retry(run: Run, toml: Path) -> None:
    broken = EXPERIMENT.replace(
        'estimator = "sklearn.tree:DecisionTreeClassifier"\nparams = { max_depth = 2 }',
        'estimator = "tests.experiment.estimators:Raises"',
    )
    toml.write_text(broken, encoding="utf-8")
    done = json.loads(run("run", str(toml), "--json"))
    assert done["counts"] == {"ok": 10, "failed": 10}
    assert done["failures"] == [{"cause": "failed: ValueError: no good", "jobs": 10}]
    store = str(toml.with_name("e.db"))
    assert "10 × failed: ValueError: no good" in run("status", store)
    assert json.loads(run("retry", store, "--json"))["counts"] == {"ok": 10, "failed": 10}
    assert "left out" not in run("retry", store, "--status", "timeout")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("engine =", "engin ="), "'engin' is not a key. Did you mean 'engine'"),
        (('"inline"', '"inlin"'), "Did you mean 'inline'"),
        (('resampling = "5x2"', "resampling = 5"), "resampling: input should be a valid string"),
        (("GaussianNB", "GausianNB"), "cannot be found"),
        (("max_depth", "maxdepth"), "algorithms.tree: "),
        (("sklearn.naive_bayes:GaussianNB", "GaussianNB"), "written package.module:Class"),
        (("datasets = [", "datasets = [["), "is not TOML"),
        (("sklearn:iris", "sklearn:irs"), "iris"),
        (('datasets = ["sklearn:iris", "sklearn:wine"]', ""), "datasets: field required"),
    ],
)
def test_bad_experiment_files(fail: Run, toml: Path, change: tuple[str, str], says: str) -> None:
    toml.write_text(EXPERIMENT.replace(*change), encoding="utf-8")
    assert says in fail("run", str(toml))


def test_bad_commands(fail: Run, run: Run, toml: Path, tmp_path: Path) -> None:
    assert "cannot be read" in fail("run", str(tmp_path / "none.toml"))
    assert "there is no file" in fail("status", str(tmp_path / "none.db"))
    assert "there is no file" in fail("order", str(tmp_path / "none.db"), "--cost", "fit_time")
    run("run", str(toml))
    store = str(toml.with_name("e.db"))
    assert "one of failed, timeout" in fail("retry", store, "--status", "bad")
    assert "must end in .csv" in fail("export", store, "out.xlsx")


@pytest.mark.parametrize("verb", ["run", "plan", "status", "retry", "export"])
def test_help_has_an_example(run: Run, verb: str) -> None:
    assert f"Example: palio {verb}" in run(verb, "--help")
