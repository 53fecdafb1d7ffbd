"""``palio final``: the rows kept aside are looked at once, by the one that was chosen."""

import json
import sqlite3
import sys
from contextlib import closing
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sklearn  # type: ignore[import-untyped]
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]

import palio
from palio.app.cli import main
from palio.comparison.results import Standing
from palio.errors import ParameterError
from palio.experiment.data.preprocessing import preprocessor
from palio.experiment.final import _Keeper
from palio.experiment.plan import make_plan
from palio.experiment.runner import read_store
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


RULE = "nobody before one that is significantly better; among the rest the {} first"


def test_without_a_name_the_first_of_the_order_is_measured(run: Run, store: str) -> None:
    found = json.loads(run("final", store, "--json"))
    assert found["algorithm"] == palio.order(read_store(store)).order[0]
    assert found["reason"] == (
        f"it comes first of 2 algorithms over 2 data sets ({RULE.format('better mean rank')}); "
        "no verdict is possible on 2 data sets"
    )


@pytest.mark.parametrize(
    ("cost", "rest"), [(None, "better mean accuracy"), ("fit_time", "lower fit_time")]
)
def test_the_cost_that_is_named_chooses_among_equals(
    run: Run, tmp_path: Path, cost: str | None, rest: str
) -> None:
    """Ten folds of wine: nb and tree may differ, the constant one is beaten, however cheap."""
    text = EXPERIMENT.replace('"sklearn:iris", ', "")
    path = tmp_path / "wine.toml"
    path.write_text(f'{text}constant = "sklearn.dummy:DummyClassifier"\n', encoding="utf-8")
    run("run", str(path))
    store = tmp_path / "e.db"
    asked = ["--cost", cost] if cost else []
    found = json.loads(run("final", str(store), *asked, "--json"))
    assert found["algorithm"] == palio.order(read_store(store), cost=cost).order[0] != "constant"
    assert found["reason"] == f"it comes first of 3 algorithms on wine ({RULE.format(rest)})"


def test_a_cost_chooses_within_the_tolerance_where_no_verdict_is_possible(
    run: Run, store: str
) -> None:
    found = json.loads(run("final", store, "--cost", "fit_time", "--json"))
    ordering = palio.order(read_store(store), cost="fit_time")
    means = ordering.mean_scores
    assert found["algorithm"] == ordering.order[0]
    assert means[found["algorithm"]] >= max(means.values()) - 0.01
    assert found["reason"].endswith(
        "no verdict is possible on 2 data sets, and clearly means by its folds or by more than "
        "0.01 in mean accuracy"
    )


def test_the_choice_is_said_before_the_look(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(*_args: object) -> None:
        raise ParameterError("look", "nobody may")

    monkeypatch.setattr("palio.experiment.final._measure", look)
    assert main(["final", store]) == 2
    *lines, last = capsys.readouterr().err.splitlines()
    assert "nobody may" in last
    assert max(map(len, lines)) <= 80
    said = " ".join(lines)
    assert said.startswith("looking at ")
    assert "on the rows kept aside: it comes first of 2 algorithms" in said
    assert RULE.format("better mean rank") in said


@pytest.mark.parametrize("resampling", ["4-fold", "holdout"])
@pytest.mark.parametrize("datasets", ['["sklearn:iris", "sklearn:wine"]', '["sklearn:wine"]'])
def test_the_winner_is_found_on_other_folds_too(
    run: Run, tmp_path: Path, resampling: str, datasets: str
) -> None:
    text = EXPERIMENT.replace('["sklearn:iris", "sklearn:wine"]', datasets)
    path = tmp_path / "folds.toml"
    path.write_text(f'resampling = "{resampling}"\n{text}', encoding="utf-8")
    run("run", str(path))
    winner = palio.order(read_store(tmp_path / "e.db")).order[0]
    found = run("final", str(tmp_path / "e.db"))
    assert found.startswith(
        f"{winner} on the rows kept aside\n\nchosen because it comes first of 2"
    )
    # What is to be copied is never broken.
    assert max(len(line) for line in found.splitlines() if "joblib.load" not in line) <= 80


FAILING = EXPERIMENT.replace('"sklearn:wine"', '"sklearn:breast_cancer"').replace(
    'tree = "sklearn.tree:DecisionTreeClassifier"',
    """
constant = "sklearn.dummy:DummyClassifier"

[algorithms.knn]
estimator = "sklearn.neighbors:KNeighborsClassifier"
params = { n_neighbors = 60 }
""",
)


def test_a_winner_with_failed_jobs_is_refused(run: Run, fail: Run, tmp_path: Path) -> None:
    """knn with 60 neighbours cannot learn from half of the hundred rows of iris."""
    path = tmp_path / "failing.toml"
    path.write_text(FAILING.replace('nb = "sklearn.naive_bayes:GaussianNB"\n', ""), "utf-8")
    run("run", str(path))
    store = str(tmp_path / "e.db")
    refused = fail("final", store)
    assert "'knn' comes first, but " in refused
    assert "of its 10 jobs did not end well (on 'iris')" in refused
    assert "--algorithm" in refused
    with closing(sqlite3.connect(store)) as connection, connection:
        assert connection.execute("SELECT count(*) FROM palio_finals").fetchone() == (0,)
    # One that is named is taken, and what speaks against it is said.
    found = json.loads(run("final", store, "--algorithm", "constant", "--json"))
    assert found["reason"] == "it was named, though knn is significantly better"
    assert set(found["scores"]) == {"iris", "breast_cancer"}


def test_a_beaten_winner_is_refused(fail: Run, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a circle the first of an order may be beaten."""
    standings = {"nb": Standing(("x",), ("tree",), ())}
    found = SimpleNamespace(
        order=("nb",), comparison=SimpleNamespace(standings=standings, least_p=None)
    )
    monkeypatch.setattr("palio.recommending.winner.order", lambda _table, cost: found)
    assert "'nb' comes first, but tree is significantly better" in fail("final", store)


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
    with closing(sqlite3.connect(store)) as connection, connection:
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


# --- the model ------------------------------------------------------------------------------------


def test_the_model_that_was_measured_is_written_and_loads_as_the_card_says(
    run: Run, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = json.loads(run("final", store, "--algorithm", "nb", "--json"))
    card = (tmp_path / "winner" / "iris-nb.md").read_text(encoding="utf-8")
    line = found["models"]["iris"]
    assert line in card
    names: dict[str, Any] = {}
    exec(line, names)
    plan = make_plan(["sklearn:iris", "sklearn:wine"], {"nb": GaussianNB()}, aside=1 / 3)
    (data,) = {
        id(job.dataset): job.dataset for job in plan.jobs if job.dataset.name == "iris"
    }.values()
    training, kept = plan.held_out("iris")
    score = names["model"].score(data.X.iloc[kept], data.y[kept])
    assert score == pytest.approx(found["scores"]["iris"]["accuracy"])
    for said in (
        f"Score on {len(kept)} rows kept aside**: accuracy {score:.4f}",
        f"Fitted on**: {len(training)} rows of iris",
        data.fingerprint,
        "it was named",
        "GaussianNB",
        f"scikit-learn {sklearn.__version__}",
        "petal width (cm)",
    ):
        assert said in card, said


def test_where_the_models_go_is_said(
    run: Run, store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("", encoding="utf-8")
    assert main(["final", store, "--models", str(taken)]) == 2
    assert "cannot be written" in capsys.readouterr().err
    shown = run("final", store, "--models", str(tmp_path / "my models"))  # no look was counted
    chosen = shown.partition(" ")[0]
    where = (tmp_path / "my models" / f"wine-{chosen}.joblib").as_posix()
    assert f"import joblib; model = joblib.load('{where}')" in shown.splitlines()[-5]


def test_skops_is_written_too_where_it_is_installed(
    run: Run, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []
    io = SimpleNamespace(dump=lambda _model, path: written.append(path))
    skops = ModuleType("skops")
    skops.__spec__ = ModuleSpec("skops", None)
    monkeypatch.setattr(skops, "io", io, raising=False)
    monkeypatch.setitem(sys.modules, "skops", skops)
    run("final", store, "--algorithm", "nb")
    assert written == [tmp_path / "winner" / f"{name}-nb.skops" for name in ("iris", "wine")]


def test_two_names_are_two_files(tmp_path: Path) -> None:
    keeper = _Keeper(tmp_path, "")
    names = ("a b", "a_b", "a/b", "a%20b", "iris")
    paths = [keeper.path(name, "nb") for name in names]
    assert len(set(paths)) == len(names)
    assert {path.parent for path in paths} == {tmp_path}
    assert paths[-1] == tmp_path / "iris-nb.joblib"
