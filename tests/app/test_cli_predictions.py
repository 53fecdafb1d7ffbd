"""Predictions compared: ``palio compare``, or its other name ``palio predictions``."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import palio
from palio.comparison import CORRECTIONS, PREDICTION_TESTS
from tests.app.conftest import Run


@pytest.fixture(autouse=True)
def predictions_file(files: Path) -> Path:
    """preds.csv, long with probabilities, and wide.csv."""
    rng = np.random.default_rng(0)
    truth = np.array(["no", "yes"], dtype=object)[np.arange(40) % 2]
    parts = []
    for name, skill in {"tree": 3.0, "knn": 1.0, "svm": 2.0}.items():
        p = 1 / (1 + np.exp(-rng.normal(skill * ((truth == "yes") - 0.5))))
        part = {"instance": np.arange(40), "algorithm": name, "truth": truth}
        part |= {"prediction": np.where(p > 0.5, "yes", "no"), "p_no": 1 - p, "p_yes": p}
        parts.append(pd.DataFrame(part))
    frame = pd.concat(parts)
    frame.to_csv(files / "preds.csv", index=False)
    wide = frame.pivot(index=["instance", "truth"], columns="algorithm", values="prediction")
    wide.reset_index().rename(columns={"truth": "y_true"}).to_csv(files / "wide.csv", index=False)
    return files / "preds.csv"


@pytest.mark.parametrize("test", list(PREDICTION_TESTS))
def test_text(run: Run, test: str) -> None:
    text = run("predictions", "preds.csv", "--test", test)
    assert "on 40 test instances" in text
    assert "algorithm" in text
    assert max(map(len, text.splitlines())) <= 80


def test_json_is_the_dictionary_of_the_result(run: Run, files: Path) -> None:
    printed = json.loads(run("predictions", "preds.csv", "--correction", "shaffer", "--json"))
    table = palio.read_predictions(files / "preds.csv")
    result = palio.compare_predictions(table, correction="shaffer")
    assert printed == json.loads(json.dumps(result.to_dict()))
    assert json.loads(run("compare", "preds.csv", "--correction", "shaffer", "--json")) == printed
    assert {"a", "b", "p_value", "p_adjusted", "only_a", "only_b"} <= set(printed["pairs"][0])


def test_wide_table_with_another_name(run: Run) -> None:
    wide = json.loads(run("predictions", "wide.csv", "--column", "truth=y_true", "--json"))
    long = json.loads(run("predictions", "preds.csv", "--json"))
    assert wide["accuracies"] == long["accuracies"]
    assert json.loads(run("compare", "wide.csv", "--column=truth=y_true", "--json")) == wide
    assert len(wide["pairs"]) == 3


def test_figure(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "roc.svg"
    text = run("predictions", "preds.csv", "--test", "roc-hull", "--figure", str(path))
    assert "on the ROC convex hull" in text
    assert 'id="curve:tree"' in path.read_text(encoding="utf-8")


def test_positive_class(run: Run) -> None:
    arguments = ["predictions", "preds.csv", "--test=roc-hull", "--positive", "no", "--json"]
    assert json.loads(run(*arguments))["roc"]["positive"] == "no"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["preds.csv", "--test", "mcnemer"], "Did you mean 'mcnemar'"),
        (["preds.csv", "--correction", "li"], "with a control, and none is given"),
        (["preds.csv", "--alpha", "2"], "alpha"),
        (["preds.csv", "--positive", "yes"], "'roc-hull' does"),
        (["preds.csv", "--column", "class=x"], "the keys are dataset"),
        (["preds.csv", "--figure", "roc.jpg"], "must end in"),
        (["preds.csv", "--figure", "roc.svg"], "compare the predictions by 'roc-hull'"),
        (["preds.csv", "--test=roc-hull", "--figure", "scores=s.svg"], "is drawn from an ordering"),
        (["wide.csv"], "Say with --column truth=NAME which column"),
        (["wide.csv", "--column=truth=y_true", "--test=multinomial-selection"], "give none"),
        (["nowhere.csv"], "there is no file"),
        (["results.csv"], "no column named 'truth'"),
    ],
)
def test_bad_commands(fail: Run, arguments: list[str], says: str) -> None:
    assert says in fail("predictions", *arguments)


def test_help(run: Run) -> None:
    text = run("compare", "--help-all")
    assert "Example: palio compare predictions.csv" in text
    flat = "".join(text.split()).replace("│", "")
    assert all(name in flat for name in PREDICTION_TESTS)
    named = [n for n, c in CORRECTIONS.items() if c.family != "control" and c.test is None]
    assert all(name in flat for name in named)


def test_a_table_without_a_verb_may_be_one_of_predictions(run: Run) -> None:
    assert run("preds.csv") == run("compare", "preds.csv")
    assert run("preds.csv", "--alpha", "0.5") == run("compare", "preds.csv", "--alpha", "0.5")


def test_predictions_have_no_cost(fail: Run) -> None:
    assert "holds predictions, which are compared" in fail("preds.csv", "--cost", "space")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--score", "accuracy"], "predictions are right or wrong"),
        (["--control", "knn"], "it is for comparing pairs of scores, and this is predictions"),
        (["--name", "plan"], "a plan is in a store"),
    ],
)
def test_what_is_for_scores_is_refused(fail: Run, arguments: list[str], says: str) -> None:
    assert says in fail("compare", "preds.csv", *arguments)


def test_predictions_are_ordered_and_ranked_by_their_items(run: Run, files: Path) -> None:
    items = palio.read_predictions(files / "preds.csv").to_items()
    over = ("preds.csv", "--over", "items", "--json")
    compared = json.loads(run("compare", *over))
    ordered = json.loads(run("order", *over))
    assert ordered == json.loads(json.dumps(palio.order(items, over="items").to_dict()))
    assert ordered["rank_sets"] == compared["rank_sets"]
    assert json.loads(run("order", "preds.csv", "--json")) == ordered  # one data set: items
    ranked = json.loads(run("rank", *over))
    assert ranked["order"] == ordered["order"]
    assert ranked["rank_sets"] == compared["rank_sets"]
    text = run("order", "wide.csv", "--column", "truth=y_true", "--exclude", "svm")
    assert text.startswith("This task, other items:")
    assert "without svm" in text
    assert "trained models are not" in " ".join(text.split())


def test_what_is_for_scores_is_refused_of_an_order(fail: Run) -> None:
    says = "predictions are right or wrong"
    assert says in fail("order", "preds.csv", "--missing", "worst")
