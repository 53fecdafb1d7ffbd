"""What asks about a table takes what read_scores takes; kept tables come by the same door."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import palio
from palio import bayes
from palio.comparison.power import power
from palio.errors import CellError, InputError, ParameterError, UnknownNameError
from palio.report.analysis import analyse
from palio.results import plain
from palio.scores import ScoreTable, as_table, read_scores
from palio.scores.sources import TABLE_SOURCES, named_source

SCORES = {"tree": 0.8, "knn": 0.7, "svm": 0.9}


@pytest.fixture
def frame() -> pd.DataFrame:
    """Ten data sets, three algorithms, 5×2 cv, a cost."""
    rng = np.random.default_rng(0)
    rows = [
        (f"d{d}", name, repeat, fold, mean + 0.01 * d + 0.01 * rng.standard_normal(), len(name) + d)
        for d in range(10)
        for name, mean in SCORES.items()
        for repeat in range(1, 6)
        for fold in (1, 2)
    ]
    return pd.DataFrame(
        rows, columns=["dataset", "algorithm", "repeat", "fold", "accuracy", "train_time"]
    )


ASKED: dict[str, Callable[[Any], object]] = {
    "compare": lambda t: palio.compare(t).to_dict(),
    "compare_folds": lambda t: palio.compare_folds(t, dataset="d0").to_dict(),
    "order": lambda t: palio.order(t, cost="train_time").to_dict(),
    "multitest": lambda t: palio.multitest(t, dataset="d0", cost="train_time").to_dict(),
    "multi2test": lambda t: palio.multi2test(t, cost="train_time").to_dict(),
    "find_best": lambda t: palio.find_best(t, dataset="d0").to_dict(),
    "rank": lambda t: palio.rank(t).to_dict(),
    "rank_stability": lambda t: palio.rank_stability(t, n_resamples=20).to_dict(),
    "evaluate_rankings": lambda t: palio.evaluate_rankings(t).to_dict(),
    "aggregate": lambda t: palio.aggregate(t, n_resamples=20).to_dict(),
    "audit": lambda t: palio.audit(t, only=["pools"]).to_dict(),
    "power": lambda t: power(t, a="svm", b="tree", n_datasets=[8], trials=20).to_dict(),
    "variance": lambda t: palio.variance(t).to_dict(),
    "analyse": lambda t: plain((analyse(t).ordering, analyse(t).comparison)),
    "anova": lambda t: bayes.anova(t, draws=100).to_dict(),
    "sign": lambda t: bayes.sign(t, rope=0.01, draws=100).to_dict(),
    "signed_rank": lambda t: bayes.signed_rank(t, rope=0.01, draws=100).to_dict(),
    "correlated_t": lambda t: bayes.correlated_t(t, dataset="d0", draws=100).to_dict(),
    "bradley_terry": lambda t: bayes.bradley_terry(t, draws=100).to_dict(),
    "plackett_luce": lambda t: bayes.plackett_luce(t, draws=100).to_dict(),
    "run_model": lambda t: bayes.run_model(None, t, draws=100).to_dict(),
    "suggest_rope": lambda t: bayes.suggest_rope(t).to_dict(),
}
# What is dear to run, or needs data besides; the same first line.
LEFT = {
    "hierarchical",
    "hierarchical_items",
    "outcomes",
    "recommend",
    "evaluate_recommendation",
    "try_in_order",
}


@pytest.mark.parametrize("name", ASKED)
def test_a_file_is_answered_as_its_table_is(name: str, frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    frame.to_csv(path, index=False)
    assert ASKED[name](str(path)) == ASKED[name](read_scores(path))


def test_every_public_function_of_a_table_is_among_these() -> None:
    found = set()
    for module in (palio, bayes):
        for name in module.__all__:
            thing = getattr(module, name)
            if not inspect.isfunction(thing):
                continue
            about = inspect.signature(thing).parameters
            for parameter in ("table", "source"):
                if parameter in about and "Predictions" not in str(about[parameter].annotation):
                    assert "ScoreTable" not in str(about[parameter].annotation), name
                    found |= {name} if "Tabular" in str(about[parameter].annotation) else set()
    assert found == (set(ASKED) | LEFT)


@pytest.mark.parametrize("kind", ["frame", "dictionary", "path", "paths", "folder", "pattern"])
def test_each_kind_of_source_is_taken(kind: str, frame: pd.DataFrame, tmp_path: Path) -> None:
    expected = palio.compare(read_scores(frame)).to_dict()
    halves = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for half, path in zip((frame[:150], frame[150:]), halves, strict=True):
        half.to_csv(path, index=False)
    sources: dict[str, Any] = {
        "frame": frame,
        "dictionary": frame.to_dict(orient="list"),
        "path": tmp_path,
        "paths": halves,
        "folder": str(tmp_path),
        "pattern": str(tmp_path / "*.csv"),
    }
    found = palio.compare(sources[kind]).to_dict()
    assert found["pairs"] == expected["pairs"]
    assert found["mean_ranks"] == expected["mean_ranks"]


def test_studies_are_read_by_name() -> None:
    study = palio.load_study("ulas2008")
    assert palio.compare("study:ulas2008").to_dict() == palio.compare(study).to_dict()
    part = read_scores("study:ulas2008", exclude="mlp", datasets=["optdigits", "car"])
    assert part.n_datasets == 2
    assert "mlp" not in part.algorithms
    assert part.understood().source == "study"
    turned = read_scores("study:ulas2008", higher_is_better=False)
    assert not turned.measure.higher_is_better
    with pytest.raises(UnknownNameError, match="study: 'ulas2009' is not known"):
        palio.order("study:ulas2009")


@pytest.mark.parametrize(
    ("option", "value"),
    [("dataset", "d"), ("fold", "f"), ("where", {"a": "b"}), ("transpose", False), ("plan", "x")],
)
def test_a_study_has_columns_of_its_own(option: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"{option}: a study has columns and costs of its own"):
        read_scores("study:ulas2008", **{option: value})  # type: ignore[arg-type]


def test_costs_of_a_study_may_be_named_but_not_given(frame: pd.DataFrame) -> None:
    assert read_scores("study:ulas2008", costs=["space"]).cost_names == ("train_time", "space")
    with pytest.raises(UnknownNameError, match=r"'spaec' is not known\. Did you mean 'space'"):
        read_scores("study:ulas2008", costs="spaec")
    with pytest.raises(ParameterError, match="costs: a study has"):
        read_scores("study:ulas2008", costs=frame)


def test_a_plan_is_in_a_store(frame: pd.DataFrame) -> None:
    with pytest.raises(ParameterError, match="plan: a plan is in a store"):
        read_scores(frame, plan="first")


def test_a_store_is_read_where_a_file_would_be(tmp_path: Path) -> None:
    from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]
    from sklearn.tree import DecisionTreeClassifier  # type: ignore[import-untyped]

    store = tmp_path / "experiment.db"
    learners = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    ran = palio.run(
        ["sklearn:iris", "sklearn:wine"], learners, resampling="5x2", store=store, engine="inline"
    )
    assert named_source(store) is TABLE_SOURCES["store"]
    np.testing.assert_array_equal(as_table(store).means(), ran.means())
    assert palio.compare(str(store)).pairs[0].p_value == palio.compare(ran).pairs[0].p_value
    assert read_scores(store, algorithms=["nb", "tree"], score="accuracy").n_datasets == 2
    with pytest.raises(ParameterError, match="where: a store has columns"):
        read_scores(store, where="a=b")
    with pytest.raises(UnknownNameError, match="plan: 'other' is not known"):
        read_scores(store, plan="other")


def test_a_table_is_itself(frame: pd.DataFrame) -> None:
    table = read_scores(frame)
    assert as_table(table) is table


def test_an_option_that_is_asked_for_says_where_it_goes(frame: pd.DataFrame) -> None:
    unknown = frame.rename(columns={"accuracy": "zeal"})
    with pytest.raises(InputError) as of_reading:
        read_scores(unknown)
    with pytest.raises(type(of_reading.value)) as of_asking:
        palio.compare(unknown)
    assert str(of_asking.value) == str(of_reading.value)
    assert palio.compare(unknown, higher_is_better=True).n_datasets


def test_other_errors_are_those_of_reading(frame: pd.DataFrame) -> None:
    wrong = frame.assign(accuracy="high")
    with pytest.raises(InputError) as of_reading:
        read_scores(wrong)
    with pytest.raises(CellError) as of_asking:
        palio.order(wrong)
    assert str(of_asking.value).startswith(str(of_reading.value).rstrip("."))


def test_power_knows_means_from_a_table(frame: pd.DataFrame) -> None:
    how: dict[str, Any] = {"a": "svm", "b": "tree", "n_datasets": [8], "trials": 20}
    columns = {str(name): list(frame[name]) for name in frame}
    assert "drawn with replacement" in power(columns, **how).notes[0]
    assert "stated means" in power(SCORES, **how).notes[0]
    assert isinstance(as_table(frame), ScoreTable)


def test_predictions_are_read_in_the_same_way(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text("truth,tree,zero\n" + "1,1,0\n" * 10)
    found = palio.compare_predictions(path)
    assert found.to_dict() == palio.compare_predictions(palio.read_predictions(path)).to_dict()
    assert found.n_different == 1
    with pytest.raises(InputError, match=r"palio\.read_predictions\(…, truth="):
        palio.compare_predictions({"y": [1, 0], "tree": [1, 0], "zero": [0, 0]})


def test_predictions_are_accuracies_on_items(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text("dataset,truth,tree,zero\n" + "u,1,1,0\n" * 10 + "v,0,1,0\n" * 10)
    found = palio.order(path)
    assert found.to_dict() == palio.order(palio.read_predictions(path)).to_dict()
    assert found.mean_scores == {"tree": 0.5, "zero": 0.5}
    assert found.comparison is not None
    assert found.comparison.over == "items"


@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro"])
def test_over_items_the_predictions_of_a_store_are_read(scoring: str, tmp_path: Path) -> None:
    from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
    from sklearn.naive_bayes import GaussianNB

    place = str(tmp_path / "e.db")
    table = palio.run(
        ["sklearn:iris"],
        {"nb": GaussianNB(), "zero": DummyClassifier()},
        resampling="2-fold",
        scoring=scoring,
        predictions=True,
        store=place,
        engine="inline",
    )
    found = palio.compare(place, over="items")
    assert (found.over, found.measure.name) == ("items", "accuracy")
    assert found.to_dict() == palio.compare(palio.read_items(place), over="items").to_dict()
    assert found.pairs[0].n == 150
    assert read_scores(place).items is None
    if scoring != "accuracy":
        with pytest.raises(InputError, match="right or wrong"):
            palio.read_items(place, score=scoring)
    else:
        assert palio.order(place, over="items", cost="fit_time").cost == {"fit_time": 1.0}
        assert table.means() == pytest.approx(palio.read_items(place).means())
