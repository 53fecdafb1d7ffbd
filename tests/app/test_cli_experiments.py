"""Experiments on the command line: run, plan, status, retry, export, and analysing a store."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import palio
from palio.app.cli import main
from palio.experiment.store.rows import machine_row
from tests.app.conftest import Run
from tests.experiment.by_hand import by_hand, change_folds, folds_of

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


def test_an_exported_name_is_no_formula(run: Run, toml: Path) -> None:
    toml.write_text(EXPERIMENT.replace("[algorithms.nb]", '[algorithms."=1+1"]'), encoding="utf-8")
    target = toml.with_name("out.csv")
    run("run", str(toml))
    run("export", str(toml.with_name("e.db")), str(target))
    assert set(pd.read_csv(target)["algorithm"]) == {"'=1+1", "tree"}
    found = json.loads(run("compare", str(target), "--score", "accuracy", "--json"))
    assert found["algorithms"] == ["=1+1", "tree"]


def test_retry(run: Run, toml: Path) -> None:
    broken = EXPERIMENT.replace(
        'estimator = "sklearn.tree:DecisionTreeClassifier"\nparams = { max_depth = 2 }',
        'estimator = "tests.experiment.estimators:Raises"',
    )
    toml.write_text(broken, encoding="utf-8")
    allowed = ("--allow", "tests")
    done = json.loads(run("run", str(toml), *allowed, "--json"))
    assert done["counts"] == {"ok": 10, "failed": 10}
    assert done["failures"] == [
        {
            "cause": "failed: ValueError: no good",
            "jobs": 10,
            "datasets": ["iris", "wine"],
            "algorithms": ["tree"],
        }
    ]
    assert not done["slowest"][5:]
    assert [(each["algorithm"], each["jobs"]) for each in done["algorithms"]] == [
        ("nb", 10),
        ("tree", 10),
    ]
    store = str(toml.with_name("e.db"))
    assert "10 × failed: ValueError: no good" in run("status", store)
    assert json.loads(run("retry", store, *allowed, "--json"))["counts"] == {"ok": 10, "failed": 10}
    assert "left out" not in run("retry", store, "--status", "timeout", *allowed)


def test_which_column_is_learnt_is_said_and_chosen(
    run: Run, fail: Run, toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, header in (("mine", "class,a,b"), ("other", "a,b,kind")):
        rows = "".join(f"{i % 2},{i},{i % 2}\n" for i in range(20))
        toml.with_name(f"{name}.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    two = 'prepare = "standard"\n' + EXPERIMENT.replace(
        '["sklearn:iris", "sklearn:wine"]', '["monks-1", "mine.csv", "other.csv"]'
    )
    toml.write_text(two, encoding="utf-8")
    assert 'or \'b\', the last column. Say which: target = "class" or target = "b".' in fail(
        "plan", str(toml)
    )
    toml.write_text(f'target = {{ mine = "class" }}\n{two}', encoding="utf-8")
    assert run("plan", str(toml)).splitlines()[2] == "target: class in mine; kind in other"
    targets = {"mine": "class", "other": "kind"}
    assert json.loads(run("plan", str(toml), "--json"))["targets"] == targets
    capsys.readouterr()
    assert main(["run", str(toml), "--json"]) == 0
    done = capsys.readouterr()
    assert json.loads(done.out)["targets"] == targets
    assert done.err.startswith("target: class in mine; kind in other\n")
    toml.write_text(f'target = {{ mine = "clas" }}\n{two}', encoding="utf-8")
    assert "mine has no column 'clas'. Did you mean 'class'? Its columns are 'class', 'a', 'b'" in (
        fail("plan", str(toml))
    )
    for name, says in (("mind", "Did you mean 'mine'"), ("monks-1", "There are: mine, other")):
        toml.write_text(f'target = {{ mine = "b", {name} = "class" }}\n{two}', encoding="utf-8")
        assert says in fail("plan", str(toml))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("engine =", "engin ="), "'engin' is not a key. Did you mean 'engine'"),
        (('"inline"', '"inlin"'), "Did you mean 'inline'"),
        (('resampling = "5x2"', "resampling = 5"), "resampling: input should be text or a table"),
        (("GaussianNB", "GausianNB"), "cannot be found"),
        (("max_depth", "maxdepth"), "'algorithms.tree.params.maxdepth' is not a par"),
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


def test_plans_have_names(run: Run, fail: Run, toml: Path) -> None:
    """Several experiments in one store, each told from the others by its name."""
    store = str(toml.with_name("e.db"))
    assert json.loads(run("run", str(toml), "--json"))["plan"] == "experiment"  # that of the file
    toml.write_text(EXPERIMENT.replace('"sklearn:iris", ', ""), encoding="utf-8")
    done = json.loads(run("run", str(toml), "--name", "wine only", "--json"))
    assert (done["plan"], done["jobs"]) == ("wine only", 10)
    assert done["plans"] == ["wine only", "experiment"]
    assert json.loads(run("status", store, "--json"))["jobs"] == 10
    assert json.loads(run("status", store, "--name", "experiment", "--json"))["jobs"] == 20
    assert "wine only: 10 jobs: 10 ok" in run("status", store)
    assert json.loads(run("retry", store, "--name", "experiment", "--json"))["jobs"] == 20
    found = json.loads(run("compare", store, "--name", "experiment", "--json"))
    assert found["n_datasets"] == 2
    target = toml.with_name("wine.csv")
    run("export", store, str(target), "--name", "wine only")
    assert set(pd.read_csv(target)["dataset"]) == {"wine"}
    assert "Did you mean 'experiment'" in fail("status", store, "--name", "experimen")
    assert "Did you mean 'experiment'" in fail("retry", store, "--name", "experimen")
    assert "a plan is in a store" in fail("compare", str(target), "--name", "wine only")


def test_status_tells_where_and_how_long(run: Run, toml: Path) -> None:
    done = json.loads(run("run", str(toml), "--json"))
    assert [row["jobs"] for row in done["machines"]] == [20]
    nb, tree = done["algorithms"]
    assert (nb["algorithm"], nb["jobs"], tree["jobs"]) == ("nb", 10, 10)
    assert nb["per_job"] == pytest.approx(nb["seconds"] / 10)
    store = toml.with_name("e.db")
    assert "Where" not in run("status", str(store))
    with by_hand(store) as connection:
        machine = machine_row({"host": "elsewhere", "processor_name": "fast"})
        connection.execute("INSERT INTO palio_machines VALUES (:digest, :content, 0)", machine)
        connection.execute(
            "UPDATE palio_results SET machine = :digest WHERE key IN "
            "(SELECT key FROM palio_jobs WHERE algorithm = 'nb')",
            machine,
        )
    assert "10 × elsewhere, fast" in run("status", str(store))


def test_the_estimate_is_of_the_same_algorithm_there(run: Run, toml: Path) -> None:
    """By hand: jobs took 2 s (nb) and 4 s (tree) on iris, 6 s (nb) on wine; tree on wine is left.

    On wine jobs take three times as long, so 5 jobs of tree at 12 s. A new algorithm is like the
    mean of the others: 3 s on iris, 9 s on wine.
    """
    run("run", str(toml))
    store = toml.with_name("e.db")
    seconds = {("nb", "iris"): 2.0, ("tree", "iris"): 4.0, ("nb", "wine"): 6.0}
    with by_hand(store) as connection:
        for (algorithm, dataset), each in seconds.items():
            connection.execute(
                "UPDATE palio_results SET seconds = ? WHERE key IN "
                "(SELECT key FROM palio_jobs WHERE algorithm = ? AND dataset = ?)",
                (each, algorithm, dataset),
            )
        connection.execute(
            "DELETE FROM palio_results WHERE key IN "
            "(SELECT key FROM palio_jobs WHERE algorithm = 'tree' AND dataset = 'wine')"
        )
    toml.write_text("n_jobs = 1\n" + EXPERIMENT, encoding="utf-8")
    plan = json.loads(run("plan", str(toml), "--json"))
    assert (plan["left"], plan["seconds_left"]) == (5, pytest.approx(60))
    more = '[algorithms.knn]\nestimator = "sklearn.neighbors:KNeighborsClassifier"\n'
    toml.write_text("n_jobs = 2\n" + EXPERIMENT + more, encoding="utf-8")
    plan = json.loads(run("plan", str(toml), "--json"))
    assert (plan["left"], plan["seconds_left"]) == (15, pytest.approx((60 + 5 * 3 + 5 * 9) / 2))
    # There again, one job of nb on iris: 2 s, not the 4 s of nb's mean.
    with by_hand(store) as connection:
        connection.execute(
            "DELETE FROM palio_results WHERE key IN (SELECT key FROM palio_jobs "
            "WHERE algorithm = 'nb' AND dataset = 'iris' AND repeat = 1)"
        )
    toml.write_text("n_jobs = 1\n" + EXPERIMENT, encoding="utf-8")
    plan = json.loads(run("plan", str(toml), "--json"))
    assert (plan["left"], plan["seconds_left"]) == (6, pytest.approx(62))


def test_exclusive(run: Run, fail: Run, toml: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "20 of 20 have not been run" in fail("run", str(toml), "--exclusive")
    run("run", str(toml))
    done = json.loads(run("run", str(toml), "--exclusive", "--json"))
    assert [(row["jobs"], row["exclusive"]) for row in done["machines"]] == [(20, True)]
    place = toml.with_name("e.db")
    with by_hand(place) as connection:
        elsewhere = machine_row({})
        connection.execute("INSERT INTO palio_machines VALUES (:digest, :content, 0)", elsewhere)
        connection.execute("UPDATE palio_results SET machine = :digest", elsewhere)
        keys = [key for (key,) in connection.execute("SELECT key FROM palio_results")]
    for key in keys:
        first, *others = folds_of(place, key)
        change_folds(place, key, [replace(first, scores={"accuracy": 0.5}), *others])
    assert main(["run", str(toml), "--exclusive"]) == 0
    assert "20 jobs came out with other scores" in capsys.readouterr().err
    frame = palio.read_scores(toml.with_name("e.db")).to_frame()
    assert (frame.loc[frame["fold"] == 1, "accuracy"] == 0.5).all()


def test_predictions_of_a_store(run: Run, fail: Run, toml: Path) -> None:
    run("run", str(toml), "--predictions")
    store = str(toml.with_name("e.db"))
    assert "there are 2: 'iris', 'wine'. Name one" in fail("predictions", store)
    found = json.loads(run("predictions", store, "--dataset", "wine", "--json"))
    assert found["algorithms"] == ["nb", "tree"]
    assert found["n"] == 5 * 178  # each instance is tested once in each of five repeats
    # The same from a file of both.
    parts = [palio.read_stored_predictions(store, dataset=d).to_frame() for d in ("iris", "wine")]
    both = toml.with_name("both.csv")
    pd.concat(parts).drop(columns=["p_0", "p_1", "p_2"]).to_csv(both, index=False)
    again = json.loads(run("predictions", str(both), "--dataset", "wine", "--json"))
    assert again["accuracies"] == found["accuracies"]
    assert "Did you mean 'wine'" in fail("predictions", str(both), "--dataset", "wnie")


@pytest.mark.parametrize("verb", ["run", "plan", "status", "retry", "export"])
def test_help_has_an_example(run: Run, verb: str) -> None:
    assert f"Example: palio {verb}" in run(verb, "--help")
