"""``palio final``: the rows kept aside are looked at once, by the one that was chosen."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]

from palio.experiment.data.preprocessing import preprocessor
from palio.experiment.plan import make_plan
from tests.app.conftest import Run

EXPERIMENT = """
datasets = ["sklearn:iris", "sklearn:wine"]
aside = "1/3"
store = "e.db"
engine = "inline"

[algorithms]
nb = "sklearn.naive_bayes:GaussianNB"
tree = "sklearn.tree:DecisionTreeClassifier"
"""


@pytest.fixture
def store(tmp_path: Path, run: Run) -> str:
    path = tmp_path / "experiment.toml"
    path.write_text(EXPERIMENT, encoding="utf-8")
    run("run", str(path))
    return str(tmp_path / "e.db")


def test_final_measures_on_the_rows_kept_aside(run: Run, store: str) -> None:
    found = json.loads(run("final", store, "--algorithm", "nb", "--json"))
    plan = make_plan(["sklearn:iris", "sklearn:wine"], {"nb": GaussianNB()}, aside=1 / 3)
    for job in plan.jobs:
        training, kept = plan.held_out(job.dataset.name)
        assert not np.intersect1d(training, kept).size
        X, y = job.dataset.X, job.dataset.y
        model = make_pipeline(preprocessor(job.dataset), clone(job.estimator))
        by_hand = model.fit(X.iloc[training], y[training]).score(X.iloc[kept], y[kept])
        assert found["scores"][job.dataset.name]["accuracy"] == pytest.approx(by_hand)
    assert found["looks"] == 1


def test_without_a_name_the_winner_is_measured(run: Run, store: str) -> None:
    winner = json.loads(run("order", store, "--cost", "fit_time", "--json"))["order"][0]
    text = run("final", store)
    assert text.startswith(f"{winner} on the rows kept aside")
    assert "iris" in text


@pytest.mark.parametrize(
    ("resampling", "said"), [("4-fold", "on the rows kept aside"), ("holdout", "--algorithm")]
)
def test_the_winner_is_found_on_other_folds_too(
    run: Run, fail: Run, tmp_path: Path, resampling: str, said: str
) -> None:
    path = tmp_path / "folds.toml"
    path.write_text(f'resampling = "{resampling}"\n{EXPERIMENT}', encoding="utf-8")
    run("run", str(path))
    ask = fail if said == "--algorithm" else run
    assert said in ask("final", str(tmp_path / "e.db"))


def test_a_second_look_is_refused_and_counted(run: Run, fail: Run, store: str) -> None:
    run("final", store, "--algorithm", "nb")
    refused = fail("final", store, "--algorithm", "tree")
    assert "looked at already, with 'nb'" in refused
    assert "--again" in refused
    again = json.loads(run("final", store, "--algorithm", "tree", "--again", "--json"))
    assert again["looks"] == 2
    assert "looked at 2 times" in again["notes"][1]


def test_an_interrupted_look_goes_on_where_it_was(run: Run, fail: Run, store: str) -> None:
    whole = json.loads(run("final", store, "--algorithm", "nb", "--json"))
    with sqlite3.connect(store) as connection:
        connection.execute("DELETE FROM palio_finals WHERE dataset = 'wine'")
    assert "looked at already" in fail("final", store, "--algorithm", "tree")
    again = json.loads(run("final", store, "--algorithm", "nb", "--json"))
    assert (again["scores"], again["looks"]) == (whole["scores"], 1)
    assert again["costs"]["iris"] == whole["costs"]["iris"]  # not measured a second time
    assert "looked at already" in fail("final", store, "--algorithm", "nb")


def test_what_cannot_be_final(run: Run, fail: Run, store: str, tmp_path: Path) -> None:
    assert "Did you mean 'tree'" in fail("final", store, "--algorithm", "tre")
    path = tmp_path / "all.toml"
    path.write_text(
        EXPERIMENT.replace('aside = "1/3"\n', "").replace("e.db", "all.db"), encoding="utf-8"
    )
    run("run", str(path))
    assert "keeps nothing aside" in fail("final", str(tmp_path / "all.db"))
