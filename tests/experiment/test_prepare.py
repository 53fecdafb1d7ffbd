"""What is done to the data first: said in the plan, in files, by papers; and told before a run."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]
from sklearn.datasets import load_wine  # type: ignore[import-untyped]
from sklearn.metrics import (  # type: ignore[import-untyped]
    f1_score,
    make_scorer,
    mean_squared_error,
)
from sklearn.model_selection import GroupKFold, KFold  # type: ignore[import-untyped]
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
from sklearn.neighbors import KNeighborsClassifier  # type: ignore[import-untyped]
from sklearn.preprocessing import MinMaxScaler  # type: ignore[import-untyped]
from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

import palio
from palio.app.cli import main
from palio.errors import InputError, ParameterError
from palio.experiment.config import load_experiment
from palio.experiment.data.datasets import load_datasets
from palio.experiment.data.preprocessing import CodedLabels
from palio.experiment.estimators import prescribed
from palio.experiment.parts import outlook
from palio.experiment.plan import make_plan
from palio.experiment.resampling import aside, make_splits
from palio.experiment.scorers import make_scorers
from palio.experiment.status import run_facts
from palio.experiment.store.store import Store
from palio.experiment.trying import refused_pairs
from palio.experiment.work import execute
from palio.report.methods import methods

TREE = DecisionTreeClassifier(random_state=0)


def churn(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    left = np.where(rng.random(rows) > 0.5, "yes", "no")
    return pd.DataFrame(
        {
            "who": np.repeat(np.arange(rows // 3), 3),
            "age": np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows)),
            "plan": rng.choice(["basic", "team"], rows),
            "left": left,
        }
    )


# --- what is said ----------------------------------------------------------------------------


def test_the_preparation_is_part_of_what_a_job_is() -> None:
    ways: list[Any] = [None, "none", "standard", MinMaxScaler(), MinMaxScaler(clip=True)]
    keys = [make_plan(["sklearn:iris"], {"it": TREE}, prepare=way).jobs[0].key for way in ways]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4


def test_types_count_where_nothing_makes_floats_of_them() -> None:
    wide = churn().assign(age=1.0)
    narrow = wide.astype({"age": np.float32})
    for prepare, same in ((None, False), ("standard", True)):
        one, other = (
            make_plan({"d": frame}, {"it": TREE}, target="left", prepare=prepare).jobs[0]
            for frame in (wide, narrow)
        )
        assert (one.key == other.key) is same
        # The splits are of values: what is paired stays paired.
        assert [s.content for s in one.splits] == [s.content for s in other.splits]


def test_learners_of_papers_have_what_their_papers_do() -> None:
    assert prescribed(["c45", "nn"], None) == {"c45": "standard", "nn": "standard"}
    assert prescribed({"a": "c45", "b": TREE}, {"a": "none"}) == {"a": "none"}
    assert prescribed(["c45"], "none") == "none"


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        ("standrad", "'standrad' was given. Did you mean 'standard'?"),
        (TREE, "it is 'none', 'standard' or a transformer of scikit-learn"),
        ({"tre": "standard"}, "prepare: 'tre' is not known. Did you mean 'tree'?"),
    ],
)
def test_what_is_no_preparation(prepare: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        make_plan(["sklearn:iris"], {"tree": TREE}, prepare=prepare)
    assert says in str(caught.value)


def test_plan_store_status_and_table_say_it(tmp_path: Path) -> None:
    algorithms = {"nb": GaussianNB(), "tree": TREE}
    place = tmp_path / "e.db"
    frame = churn().drop(columns="plan")
    table = palio.run(
        {"churn": frame}, algorithms, target="left", groups="who", prepare={"nb": "standard"},
        resampling="3-fold", store=place, engine="inline",
    )  # fmt: skip
    said = (
        "features: standard before nb, as they are before tree; whole groups left out: who in churn"
    )
    assert table.algorithms == ("nb", "tree")  # a tree takes gaps
    assert said in table.notes
    plan = make_plan({"churn": frame}, algorithms, target="left", groups="who",
                     prepare={"nb": "standard"})  # fmt: skip
    assert outlook(plan, None, n_jobs=1).data_said == said
    with Store(place) as store:
        facts = run_facts(store)
    assert (facts.data_said, facts.preparation) == (said, {"nb": "standard", "tree": "none"})
    report = palio.analyse(table, experiment=facts, checks=[])
    assert any(said[1:] in sentence.text for sentence in methods(report))


def test_in_a_file(tmp_path: Path) -> None:
    churn().to_csv(tmp_path / "churn.csv", index=False)
    (tmp_path / "e.toml").write_text(
        'datasets = { mine = "csv:churn.csv" }\n'
        'target = { mine = "left" }\n'
        'groups = "who"\n'
        'prepare = { nb = { estimator = "sklearn.preprocessing:MinMaxScaler" } }\n'
        "resampling = { estimator = 'sklearn.model_selection:GroupKFold', params.n_splits = 4 }\n"
        'scoring = ["accuracy", { scorer = "f1", pos_label = "yes" }]\n'
        "fit_params = { nn = { a = 1 } }\n"
        '[algorithms]\nnb = "sklearn.naive_bayes:GaussianNB"\nnn = "nn"\n',
        encoding="utf-8",
    )
    plan = load_experiment(tmp_path / "e.toml").plan()
    assert plan.prepared == {"nb": "MinMaxScaler()", "nn": "standard"}
    assert (plan.datasets, plan.units) == (("mine",), {"mine": "who"})
    assert plan.resampling == "GroupKFold(n_splits=4, random_state=None, shuffle=False)"
    (first, second) = plan.jobs
    assert first.scoring == ("accuracy", "f1_yes")
    assert (len(first.splits), second.fit_params) == (4, {"a": 1})


# --- before a run ----------------------------------------------------------------------------


def test_who_fails_is_told_before_and_what_would_help(tmp_path: Path) -> None:
    datasets: dict[str, Any] = {"churn": churn(), "wine": load_wine()}
    plan = make_plan(datasets, {"my knn": KNeighborsClassifier(), "tree": TREE}, target="left")
    knn, tree = refused_pairs(plan.jobs)
    assert knn.startswith("my knn fails on churn: ValueError: could not convert string to float")
    assert knn.endswith('prepare={\'my knn\': "standard"}, in a file prepare = { "my knn" = "stand'
                        'ard" }')  # fmt: skip
    assert tree.startswith("tree fails on churn")
    with pytest.warns(UserWarning, match="tree fails on churn"), pytest.raises(InputError):
        palio.run(
            {"churn": churn()}, {"tree": TREE}, target="left", store=tmp_path / "e.db",
            engine="inline",
        )  # fmt: skip
    with Store(tmp_path / "e.db") as store:
        (failure,) = run_facts(store).failures
    assert 'churn has text or categories and missing values: prepare = "standard"' in failure.cause


class Deadly(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Takes its process with it."""

    def fit(self, X: Any, y: Any) -> Any:
        import os

        os._exit(3)

    def predict(self, X: Any) -> Any: ...


def test_what_kills_is_tried_elsewhere() -> None:
    plan = make_plan({"churn": churn()}, {"deadly": Deadly()}, target="left")
    assert refused_pairs(plan.jobs) == ()


def test_nothing_is_tried_where_everyone_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palio.experiment.trying.Worker", lambda *_: pytest.fail("tried"))
    assert refused_pairs(make_plan(["sklearn:iris"], {"tree": TREE}).jobs) == ()
    prepared = make_plan(["monks-1"], {"tree": TREE}, prepare="standard")
    assert refused_pairs(prepared.jobs) == ()


# --- groups ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["3-fold", "5x2", "half", "10xholdout-0.25", "bootstrap-9"])
def test_no_group_is_on_both_sides(form: str) -> None:
    (data,) = load_datasets(churn(), "churn", target="left", groups="who")
    assert "who" not in data.X.columns
    for split in make_splits(data, form, seed=0):
        assert not set(data.groups[split.train]) & set(data.groups[split.test])
        assert set(data.groups[split.train]) | set(data.groups[split.test]) == set(data.groups)
    rest, kept = aside(data, seed=0)
    assert not set(data.groups[rest]) & set(data.groups[kept])
    assert rest.size + kept.size == data.n_rows


def test_groups_that_cannot_be() -> None:
    (data,) = load_datasets(churn(), "churn", target="left", groups="who")
    with pytest.raises(ParameterError, match="rows of one who of 'churn' on both sides, such as"):
        make_splits(data, KFold(3), seed=0)
    with pytest.raises(ParameterError, match="needs at least 30 groups; 'churn' has 20"):
        make_splits(data, "30-fold", seed=0)
    (bare,) = load_datasets(churn(), "churn", target="left")
    with pytest.raises(ParameterError, match="Say which column they are, with groups"):
        make_splits(bare, GroupKFold(3), seed=0)
    with pytest.raises(ParameterError, match="groups: none of these data sets has such a column"):
        make_plan({"churn": churn()}, {"it": TREE}, target="left", groups="whom")
    with pytest.raises(InputError, match=r"churn has no column 'whom'. Did you mean 'who'?"):
        make_plan({"churn": churn()}, {"it": TREE}, target="left", groups={"churn": "whom"})


def test_given_rows_and_rows_kept_aside_exclude_each_other() -> None:
    pairs = [(np.arange(50), np.arange(50, 60))]
    plan = make_plan({"d": churn()}, {"it": TREE}, target="left", resampling={"d": pairs})
    assert plan.resampling == "1 given split"
    with pytest.raises(ParameterError, match="aside: splits that are given are of all rows"):
        make_plan({"d": churn()}, {"it": TREE}, target="left", resampling=pairs, aside=0.2)
    with pytest.raises(InputError, match="resampling: 'd' is not known"):
        make_plan({"d": churn()}, {"it": TREE}, target="left", resampling={"e": "5x2"})


# --- scorers ---------------------------------------------------------------------------------


def test_a_scorer_that_fails_is_one_missing_score() -> None:
    def broken(model: Any, X: Any, y: Any) -> float:
        raise RuntimeError("not today")

    scoring = {"accuracy": "accuracy", "broken": broken}
    (job, *_) = make_plan(["sklearn:iris"], {"it": TREE}, scoring=scoring).jobs
    outcome = execute(job)
    assert (outcome.status, outcome.error) == (
        "ok", "broken: RuntimeError: not today (fold 1, 2)"
    )  # fmt: skip
    assert [set(fold.scores) for fold in outcome.folds] == [{"accuracy"}] * 2
    (job, *_) = make_plan(["sklearn:iris"], {"it": TREE}, scoring={"broken": broken}).jobs
    assert (execute(job).status, execute(job).stage) == ("failed", "scoring")


def test_a_function_may_give_several_scores() -> None:
    def counts(model: Any, X: Any, y: Any) -> dict[str, float]:
        right = model.predict(X) == y
        return {"right": right.sum(), "share": right.mean()}

    (job, *_) = make_plan(["sklearn:iris"], {"it": TREE}, scoring=counts).jobs
    for fold in execute(job).folds:
        assert fold.scores["right"] == pytest.approx(75 * fold.scores["share"])


@pytest.mark.parametrize(
    ("scoring", "says"),
    [
        (["f1", "f1"], "names must differ, and 'f1' comes twice"),
        ({"scorer": "f2"}, "'f2' is not known"),
        ({"rmse": "neg_root_mean_squared_error"}, "Call it 'neg_rmse'"),
        (3, "a scorer is a name, or is called with a fitted estimator, features and target"),
    ],
)
def test_what_is_no_scorer(scoring: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        make_scorers(scoring)
    assert says in str(caught.value)


def test_a_metric_is_told_how_to_become_a_scorer() -> None:
    with pytest.raises(InputError, match="write make_scorer"):
        make_scorers(f1_score)
    loss = make_scorer(mean_squared_error, greater_is_better=False)
    assert list(make_scorers(loss)) == ["neg_mean_squared_error"]


# --- data ------------------------------------------------------------------------------------


def test_data_as_people_have_it(tmp_path: Path) -> None:
    frame = churn()
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "b.parquet")
    X, y = frame[["age", "plan", "who"]], frame["left"]
    datasets: dict[str, Any] = {
        "frame": frame, "pair": (X, y), "csv": str(tmp_path / "a.csv"),
        "parquet": str(tmp_path / "b.parquet"), "bunch": load_wine(as_frame=True),
        "given": palio.Dataset("elsewhere", X, y), "wine": "sklearn:wine",
    }  # fmt: skip
    plan = make_plan(datasets, {"it": TREE}, target="left", groups={"pair": "who"})
    assert plan.datasets == tuple(datasets)
    assert plan.targets == {"frame": "left", "csv": "left", "parquet": "left"}
    found = {job.dataset.name: job.dataset for job in plan.jobs}
    assert found["csv"].fingerprint == found["parquet"].fingerprint == found["frame"].fingerprint
    assert found["given"].fingerprint != found["frame"].fingerprint  # columns in another order
    assert found["bunch"].fingerprint == found["wine"].fingerprint
    assert found["pair"].unit == "who"


@pytest.mark.parametrize(
    ("datasets", "says"),
    [
        (churn(), "give it a name, as {'mine': frame}"),
        ([churn()], "DataFrame was given; give a frame or (X, y) a name"),
        ({"d": 3}, "'d' is a string such as 'sklearn:wine', a frame, (X, y) or a Dataset"),
    ],
)
def test_what_is_no_data_is_told_so(datasets: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        make_plan(datasets, {"it": TREE})
    assert says in str(caught.value)


def test_coded_labels_are_what_they_wrap() -> None:
    model = CodedLabels(KNeighborsClassifier(1))
    assert not hasattr(model, "classes_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit([[0.0], [1.0], [2.0]], ["b", "a", "c"])
    assert model.predict([[0.1], [1.9]]).tolist() == ["b", "c"]
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert not hasattr(model, "decision_function")


def test_an_export_says_how_features_were_prepared(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(
        'datasets = ["sklearn:iris"]\nresampling = "2-fold"\nstore = "e.db"\n'
        'prepare = { nb = "standard" }\n[algorithms]\nnb = "sklearn.naive_bayes:GaussianNB"\n'
        'tree = "sklearn.tree:DecisionTreeClassifier"\n',
        encoding="utf-8",
    )
    assert main(["run", str(tmp_path / "e.toml")]) == 0
    assert main(["export", str(tmp_path / "e.db"), str(tmp_path / "e.csv")]) == 0
    rows = pd.read_csv(tmp_path / "e.csv")
    assert dict(zip(rows["algorithm"], rows["prepare"], strict=True)) == {
        "nb": "standard",
        "tree": "none",
    }
