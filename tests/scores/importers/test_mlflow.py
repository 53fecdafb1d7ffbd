"""MLflow's tracking stores: written here in its own schema, and by MLflow where it is installed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from palio.errors import InputError, UnreadableError
from palio.scores import read_scores
from palio.scores.sources import is_store

RUNS = [
    # data set, model, seed, accuracy, state, when it began
    ("iris", "knn", 0, 0.5, "FINISHED", 1_000),
    ("iris", "knn", 1, 0.7, "FINISHED", 2_000),
    ("iris", "tree", 0, 0.6, "FINISHED", 3_000),
    ("iris", "tree", 1, 0.1, "FINISHED", 4_000),
    ("iris", "tree", 1, 0.8, "FINISHED", 5_000),  # run again
    ("iris", "tree", 2, 0.0, "RUNNING", 6_000),
]


def database(path: Path, runs: list[tuple[str, str, int, float | None, str, int]]) -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "CREATE TABLE experiments (experiment_id INTEGER, name TEXT, lifecycle_stage TEXT);"
            "CREATE TABLE runs (run_uuid TEXT, name TEXT, status TEXT, start_time INTEGER,"
            " end_time INTEGER, lifecycle_stage TEXT, experiment_id INTEGER);"
            "CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT);"
            "CREATE TABLE tags (key TEXT, value TEXT, run_uuid TEXT);"
            "CREATE TABLE latest_metrics"
            " (key TEXT, value REAL, is_nan INTEGER, run_uuid TEXT);"
            "INSERT INTO experiments VALUES (1, 'study', 'active');"
        )
        for number, (dataset, model, seed, score, state, begun) in enumerate(runs):
            run = f"run{number}"
            row = (run, run, state, begun, begun + 2_500, "active", 1)
            db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            labels = {"dataset": dataset, "model": model, "seed": seed}
            for key, label in labels.items():
                db.execute("INSERT INTO params VALUES (?, ?, ?)", (key, label, run))
            db.execute("INSERT INTO tags VALUES ('mlflow.user', 'me', ?)", (run,))
            for key, metric in (("accuracy", score), ("fit_time", 1.5)):
                if metric is not None:
                    value = (key, metric, 0, run)
                    db.execute("INSERT INTO latest_metrics VALUES (?, ?, ?, ?)", value)
    return path


@pytest.mark.parametrize("kind", ["sqlite:///", "database", "recognised"])
def test_a_run_is_a_result_of_its_parameters(kind: str, tmp_path: Path) -> None:
    place = str(database(tmp_path / "mlflow.db", list(RUNS)))
    prefix = {"sqlite:///": "mlflow:sqlite:///", "recognised": ""}.get(kind, "mlflow:")
    table = read_scores(prefix + place)
    assert table.datasets == ("iris",)
    assert table.algorithms == ("knn", "tree")
    assert table.measure.name == "accuracy"
    assert table.n_seeds == 2  # the run that was done again counts once
    assert table.rows.seeds == ("0", "1")
    assert str(table.design()) == "one value per data set"
    np.testing.assert_allclose(table.means(), [[0.6, 0.7]])
    assert set(table.cost_names) == {"fit_time", "duration"}
    np.testing.assert_allclose(table.cost_matrix("duration"), [[2.5, 2.5]])
    told = " ".join(table.notes)
    assert "params.model is the algorithm and params.dataset is the dataset" in told
    assert "1 run has not ended" in told
    assert "there is a newer one" in told


def test_a_failed_run_is_missing_and_a_prefixed_database_is_no_store(tmp_path: Path) -> None:
    runs = [*RUNS[:3], ("iris", "tree", 1, None, "FAILED", 9_000)]
    path = database(tmp_path / "runs.db", runs)
    table = read_scores(f"mlflow:{path}", missing="pairwise")
    # A split has failed where a seed has.
    assert list(table.to_frame()["status"]) == ["ok", "ok", "failed", "failed"]
    assert not is_store(f"mlflow:{path}")
    assert not is_store(f"mlflow:sqlite:///{path}")
    assert is_store(str(path))


def test_repeats_and_seeds_are_told_apart(tmp_path: Path) -> None:
    path = database(tmp_path / "runs.db", list(RUNS[:4]))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "INSERT INTO params SELECT 'repeat', 1 + value, run_uuid FROM params WHERE key = 'seed'"
        )
    table = read_scores(f"mlflow:{path}", missing="pairwise")
    frame = table.to_frame()
    assert list(frame["repeat"]) == [1, 2, 1, 2]
    assert table.n_seeds == 1  # each repeat has its own


def test_another_database_is_one_line(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as db, db:
        db.execute("CREATE TABLE t (a INTEGER)")
    with pytest.raises(UnreadableError, match=r"x\.db' is not as MLflow writes it"):
        read_scores(f"mlflow:{tmp_path / 'x.db'}")
    with pytest.raises(InputError, match="has ended"):
        read_scores(f"mlflow:{database(tmp_path / 'y.db', [RUNS[-1]])}")


def test_a_frame_of_runs_is_read_as_a_store_is() -> None:
    frame = pd.DataFrame(
        {
            "run_id": f"{number:032x}",
            "experiment_id": "1",
            "status": state,
            "artifact_uri": "file:///runs",
            "start_time": pd.Timestamp(begun, unit="ms", tz="UTC"),
            "end_time": pd.Timestamp(begun + 2_500, unit="ms", tz="UTC"),
            "metrics.accuracy": score,
            "params.dataset": dataset,
            "params.model": model,
            "params.seed": str(seed),
            "tags.mlflow.runName": f"run{number}",
        }
        for number, (dataset, model, seed, score, state, begun) in enumerate(RUNS)
    )
    table = read_scores(frame)
    assert (table.datasets, table.algorithms, table.n_seeds) == (("iris",), ("knn", "tree"), 2)
    np.testing.assert_allclose(table.means(), [[0.6, 0.7]])
    np.testing.assert_allclose(table.cost_matrix("duration"), [[2.5, 2.5]])
    unnamed = read_scores(frame.drop(columns=["params.dataset", "params.model"]))
    assert unnamed.datasets == ("1",)
    assert unnamed.algorithms == ("run0", "run1", "run2", "run3", "run4")


def test_what_mlflow_itself_writes(tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    mlflow.set_experiment("study")
    for model, score in (("knn", 0.5), ("tree", 0.75)):
        with mlflow.start_run():
            mlflow.log_param("model", model)
            mlflow.log_metric("accuracy", 0.1, step=0)
            mlflow.log_metric("accuracy", score, step=1)
    table = read_scores(f"mlflow:sqlite:///{tmp_path / 'runs.db'}")
    assert (table.datasets, table.algorithms) == (("study",), ("knn", "tree"))
    np.testing.assert_array_equal(table.means(), [[0.5, 0.75]])
