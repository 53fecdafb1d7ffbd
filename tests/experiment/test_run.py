"""Runs that go well, and jobs that do not: each ends as a row, and all others finish."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.neighbors import KNeighborsRegressor  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.errors import InputError, LeftOutWarning, ParameterError, UnreadableError
from palio.experiment.data.datasets import Dataset
from palio.experiment.engines import EngineOptions
from palio.experiment.plan import make_plan
from palio.experiment.runner import Progress, read_store, run_plan
from palio.experiment.store.store import Store
from tests.experiment import estimators as bad

DATA = ["sklearn:iris", "sklearn:wine"]
GOOD = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}


def jobs_of(path: Path) -> dict[tuple[str, str, int], dict[str, Any]]:
    with Store(path) as store:
        return {(j["dataset"], j["algorithm"], j["repeat"]): j for j in store.jobs()}


def test_a_run_gives_a_table_with_costs(tmp_path: Path) -> None:
    table = palio.run(DATA, GOOD, store=tmp_path / "e.db", engine="inline")
    assert table.datasets == ("iris", "wine")
    assert str(table.design()) == "5×2 cv"
    assert {"fit_time", "predict_time", "model_bytes"} <= set(table.cost_names)
    assert (table.means() > 0.8).all()
    assert palio.multi2test(table, cost="fit_time").order
    assert all(job["status"] == "ok" for job in jobs_of(tmp_path / "e.db").values())


def test_regression_and_several_scorers(tmp_path: Path) -> None:
    table = palio.run(
        ["sklearn:diabetes"],
        {"knn5": KNeighborsRegressor(5), "knn50": KNeighborsRegressor(50)},
        scoring=["r2", "neg_mean_absolute_error"],
        resampling="3-fold",
        store=tmp_path / "e.db",
        engine="inline",
    )
    assert table.score_names == ("r2", "neg_mean_absolute_error")
    assert table.measure.name == "r2"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_scores_on_every_engine(tmp_path: Path) -> None:
    how = {"datasets": DATA, "algorithms": GOOD, "resampling": "3-fold"}
    tables = [
        palio.run(**how, store=tmp_path / f"{engine}{n}.db", engine=engine, n_jobs=n)  # type: ignore[arg-type]
        for engine, n in (("inline", 1), ("local", 1), ("local", 2))
    ]
    for other in tables[1:]:
        assert np.array_equal(tables[0].means(), other.means())
    differently = palio.run(**how, store=tmp_path / "s.db", engine="inline", seed=1)  # type: ignore[arg-type]
    assert not np.array_equal(tables[0].means(), differently.means())


def test_what_is_stored_is_not_computed_again(tmp_path: Path) -> None:
    told: list[Progress] = []
    store = tmp_path / "e.db"
    palio.run(DATA, GOOD, store=store, engine="inline")
    palio.run(DATA, GOOD, store=store, engine="inline", progress=told.append)
    assert [(p.done, p.total) for p in told] == [(20, 20)]
    # Renamed and reordered: the content is the same.
    renamed = {"a tree": GOOD["tree"], "bayes": GOOD["nb"]}
    table = palio.run(DATA[::-1], renamed, store=store, engine="inline", progress=told.append)
    assert told[-1].done == told[-1].total == 20
    assert table.algorithms == ("a tree", "bayes")
    # One parameter changed: only that is computed.
    told.clear()
    changed = {"nb": GOOD["nb"], "tree": DecisionTreeClassifier(max_depth=1)}
    palio.run(DATA, changed, store=store, engine="inline", progress=told.append)
    assert (told[0].done, told[-1].done) == (10, 20)


def test_two_names_for_one_content_are_one_job(tmp_path: Path) -> None:
    twins = {"one": GaussianNB(), "two": GaussianNB()}
    told: list[Progress] = []
    table = palio.run(DATA, twins, store=tmp_path / "e.db", engine="inline", progress=told.append)
    assert told[-1].total == 10
    assert np.array_equal(table.means()[:, 0], table.means()[:, 1])


def test_a_fit_that_raises_is_a_row(tmp_path: Path) -> None:
    store = tmp_path / "e.db"
    algorithms = {**GOOD, "bad": bad.Raises()}
    with pytest.warns(LeftOutWarning) as told:
        table = palio.run(DATA, algorithms, store=store, engine="inline")
    (warning,) = told
    assert warning.filename == __file__  # at the caller's line
    assert "algorithm 'bad' (10 of 10 jobs failed: ValueError: no good)" in str(warning.message)
    assert "bad" not in table.algorithms
    assert table.left_out == (("bad", "failed on 2 of 2 data sets"),)
    jobs = jobs_of(store)
    failed = jobs["iris", "bad", 1]
    assert (failed["status"], failed["stage"]) == ("failed", "fitting fold 1")
    assert failed["error"] == "ValueError: no good"
    assert "Traceback" in failed["traceback"]
    assert sum(job["status"] == "ok" for job in jobs.values()) == 10 * len(GOOD)
    with pytest.warns(LeftOutWarning) as told:
        assert palio.read_scores(store).is_complete
    assert [each.filename for each in told] == [__file__]


def test_stages_are_told(tmp_path: Path) -> None:
    store = tmp_path / "e.db"
    with pytest.warns(LeftOutWarning, match="FloatingPointError: not a number"):
        palio.run(DATA, {"bad": bad.PredictsNan(), **GOOD}, store=store, engine="inline")
    assert jobs_of(store)["iris", "bad", 1]["stage"] == "predicting fold 1"


def test_misbehaving_jobs_end_as_rows_and_all_others_finish(tmp_path: Path) -> None:
    """One that never ends, one that takes 4 GB, one that exits, one that prints megabytes."""
    store = tmp_path / "e.db"
    algorithms = {
        "good": GaussianNB(), "sleeps": bad.Sleeps(), "hoards": bad.Hoards(),
        "exits": bad.Exits(), "shouts": bad.Shouts(), "raises": bad.Raises(),
    }  # fmt: skip
    plan = make_plan(["sklearn:iris"], algorithms, resampling="2-fold")
    with Store(store) as opened:
        run_plan(plan, opened, EngineOptions(time_limit=4.0, memory_limit=1_000_000_000))
    ended = {name: job["status"] for (_, name, _), job in jobs_of(store).items()}
    assert ended == {
        "good": "ok", "sleeps": "timeout", "hoards": "memory", "exits": "killed",
        "shouts": "ok", "raises": "failed",
    }  # fmt: skip
    errors = {name: job["error"] for (_, name, _), job in jobs_of(store).items()}
    assert errors["sleeps"] == "longer than 4 s"
    assert "exit code 7" in errors["exits"]


@pytest.mark.slow
def test_a_worker_that_dies_once_is_replaced_and_the_job_tried_again(tmp_path: Path) -> None:
    store = tmp_path / "e.db"
    algorithms = {"once": bad.ExitsOnce(str(tmp_path / "marker")), "good": GaussianNB()}
    palio.run(["sklearn:iris"], algorithms, resampling="2-fold", store=store, n_jobs=1)
    assert {job["status"] for job in jobs_of(store).values()} == {"ok"}


def test_a_job_that_dies_takes_no_other_of_its_batch_along(tmp_path: Path) -> None:
    """Short jobs are sent together; when the worker dies, each is tried by itself."""
    algorithms: dict[str, Any] = {
        f"t{i}": DecisionTreeClassifier(max_depth=i) for i in range(1, 60)
    }
    algorithms |= {"exits": bad.Exits()}
    algorithms |= {f"u{i}": DecisionTreeClassifier(min_samples_leaf=i) for i in range(2, 60)}
    plan = make_plan(["sklearn:iris"], algorithms, resampling="2-fold")
    with Store(tmp_path / "e.db") as store:
        run_plan(plan, store, EngineOptions())
    ended = {name: job["status"] for (_, name, _), job in jobs_of(tmp_path / "e.db").items()}
    assert ended.pop("exits") == "killed"
    assert set(ended.values()) == {"ok"}
    assert len(ended) == len(algorithms) - 1


def test_an_estimator_that_cannot_be_pickled_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="algorithms: lock cannot be pickled"):
        palio.run(DATA, {"bad": bad.Unpicklable(), "nb": GaussianNB()}, store=tmp_path / "e.db")


def test_classes_that_vanish_in_a_fold(tmp_path: Path) -> None:
    """One instance of a class: some folds never train on it, which is the learner's to bear."""
    rng = np.random.default_rng(0)
    y = np.array(["a"] * 20 + ["b"] * 19 + ["c"])
    dataset = Dataset(
        "rare",
        pd.DataFrame(rng.random((40, 2)), columns=["u", "v"]),
        y,
        "classification",
        (),
        "here",
    )
    store = tmp_path / "e.db"
    palio.run(
        [dataset, "sklearn:iris"],
        {"nb": GaussianNB(), "dummy": DummyClassifier()},
        store=store,
        engine="inline",
    )
    assert len(jobs_of(store)) == 20
    assert {job["status"] for job in jobs_of(store).values()} <= {"ok", "failed"}


def test_an_unfinished_store_has_what_is_done(tmp_path: Path) -> None:
    store = tmp_path / "e.db"
    plan = make_plan(DATA, GOOD)
    with Store(store) as opened:
        opened.save_plan(plan)
        from palio.experiment.work import execute

        done = [job for job in plan.jobs if job.dataset.name == "iris" or job.algorithm == "nb"]
        opened.save([execute(job) for job in done])
    table = read_store(store)
    assert table.datasets == ("iris", "wine")
    others = [name for name in GOOD if name != "nb"]
    assert np.isnan(table.select(["wine"], others).means()).all()
    assert not table.failed().any()
    complete = read_store(store, missing="drop-datasets")
    assert complete.datasets == ("iris",)
    assert any("left out 1 data set: wine" in note for note in complete.notes)


def test_inline_holds_no_limits(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot hold time or memory limits"):
        palio.run(DATA, GOOD, store=tmp_path / "e.db", engine="inline", time_limit=1)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"datasets": []}, "datasets: at least one"),
        ({"algorithms": {}}, "algorithms: at least one"),
        ({"algorithms": {"nb": GaussianNB}}, "'nb' is a class; give an instance"),
        ({"algorithms": {"nb": 3}}, "no scikit-learn estimator, it lacks fit"),
        ({"scoring": "acuracy"}, "Did you mean 'accuracy'"),
        ({"scoring": []}, "scoring: at least one"),
        ({"engine": "locl"}, "Did you mean 'local'"),
        ({"n_jobs": 0}, "n_jobs: at least one"),
        ({"time_limit": -1}, "time_limit: a limit is positive"),
        ({"datasets": ["sklearn:iris", "sklearn:iris"]}, "iris comes twice"),
    ],
)
def test_bad_questions(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    arguments = {"datasets": DATA, "algorithms": GOOD, "store": tmp_path / "e.db", **changes}
    with pytest.raises(InputError, match=says):
        palio.run(**arguments)


# The store


def test_stores_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="there is no folder"):
        Store(tmp_path / "no" / "e.db")
    with pytest.raises(UnreadableError, match="there is no file"):
        read_store(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("this is no database, but long enough to be looked at" * 9)
    with pytest.raises(UnreadableError, match=r"cannot be used: file is not a database"):
        Store(tmp_path / "text.db")


# Killing and going on

SCRIPT = textwrap.dedent(
    """
    import sys
    import palio
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier
    from tests.experiment.estimators import Sleeps
    palio.run(
        ["sklearn:iris", "sklearn:wine"],
        {"nb": GaussianNB(), "tree": DecisionTreeClassifier(), "slow": Sleeps(0.05)},
        store=sys.argv[1], n_jobs=2,
    )
    """
)


def killed_and_resumed(tmp_path: Path, times: int) -> None:
    script, store = tmp_path / "go.py", tmp_path / "killed.db"
    script.write_text(SCRIPT, encoding="utf-8")
    root = str(Path(__file__).resolve().parents[2])
    command = [sys.executable, str(script), str(store)]
    environment = {**os.environ, "PYTHONPATH": root}
    rng = np.random.default_rng(times)
    for _ in range(times):
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        time.sleep(float(rng.uniform(1.0, 4.5)))
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, env=environment, check=True)
    undisturbed = tmp_path / "whole.db"
    subprocess.run([*command[:2], str(undisturbed)], env=environment, check=True)
    one, two = read_store(store), read_store(undisturbed)
    assert one.to_frame()["accuracy"].tolist() == two.to_frame()["accuracy"].tolist()
    assert {k: j["key"] for k, j in jobs_of(store).items()} == {
        k: j["key"] for k, j in jobs_of(undisturbed).items()
    }
    with closing(sqlite3.connect(store)) as connection, connection:
        rows, keys = connection.execute(
            "SELECT count(*), count(DISTINCT key) FROM palio_results"
        ).fetchone()
    assert rows == keys == 30


def test_killed_and_resumed(tmp_path: Path) -> None:
    """``kill -9`` at a random moment, then again: the table is that of an undisturbed run."""
    killed_and_resumed(tmp_path, 2)


@pytest.mark.slow
def test_killed_and_resumed_twenty_times(tmp_path: Path) -> None:
    killed_and_resumed(tmp_path, 20)


@pytest.mark.posix("a limit of files stands for a full disk")
def test_disk_full_loses_nothing(tmp_path: Path) -> None:
    """A file-size limit stands for the full disk: one clear line, and what was stored is intact."""
    store = tmp_path / "e.db"
    palio.run(["sklearn:iris"], GOOD, store=store, engine="inline")
    script = textwrap.dedent(
        """
        import resource, signal, sys
        import palio
        from sklearn.tree import DecisionTreeClassifier
        from sklearn.naive_bayes import GaussianNB
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
        try:
            palio.run(
                ["sklearn:iris", "sklearn:wine"],
                {f"t{i}": DecisionTreeClassifier(max_depth=i) for i in range(1, 40)},
                store=sys.argv[1], engine="inline",
            )
        except palio.errors.PalioError as error:
            sys.stdout.write(str(error))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(store)], capture_output=True, text=True, check=True
    )
    assert "cannot be used" in done.stdout
    assert "\n" not in done.stdout.strip()
    with closing(sqlite3.connect(store)) as connection, connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM palio_results").fetchone()[0] >= 10
