"""Whole reports: their shape, and whether their sentences say what their numbers do."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import numpy as np
import pytest

import palio
from palio.bayes.models import MODELS, run_model
from palio.errors import DesignError, ParameterError
from palio.experiment.status import Failure, Machine, RunFacts
from palio.numbers import p_value
from palio.report.analysis import QUICK_CHECKS
from palio.report.methods import methods
from palio.report.notebook import notebook_html
from palio.report.references import REFERENCES, cited
from palio.report.text import render_text
from palio.report.tiles import tiles
from palio.scores import ItemScores

SCHEMA_FILE = Path(__file__).parents[2] / "docs" / "reference" / "report.schema.json"


@cache
def validator() -> jsonschema.Draft202012Validator:
    """Return that of the schema, which `test_schema_is_strict_and_published` checks once."""
    return jsonschema.Draft202012Validator(palio.report_schema())


def by_hand(**changes: Any) -> palio.ScoreTable:
    """Three algorithms on six data sets, one value each: c always best, a always worst."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.6, 0.8, (6, 1))
    scores = base + np.array([[0.0, 0.05, 0.1]]) + rng.uniform(0, 0.01, (6, 3))
    options: dict[str, Any] = {
        "datasets": [f"d{i}" for i in range(6)],
        "algorithms": ["a", "b", "c"],
        "measure": "accuracy",
        "costs": {"time": np.tile([1.0, 4.0, 3.0], (6, 1))},
    }
    return palio.ScoreTable.from_arrays(scores, **{**options, **changes})


@pytest.fixture(scope="module")
def ulas() -> palio.Report:
    return palio.analyse(
        palio.load_study("ulas2008"), cost="train_time", model="signed-rank", rope=1.0
    )


CASES: dict[str, dict[str, Any]] = {
    "all parts": {"rope": 1.0},
    "one data set": {"datasets": ["optdigits"]},
    "with a control": {"control": "svr"},
    "two algorithms": {"algorithms": ["svr", "c45"]},
    "two data sets": {"datasets": ["zoo", "optdigits"]},
    "no cost": {"cost": ()},
    "a prior by hand": {"algorithms": ["svr", "c45"], "prior": ["c45", "svr"]},
    "weights": {"cost": {"train_time": 0.7, "space": 0.3}},
    "pairs": {"model": "sign", "rope": 1.0, "algorithms": ["svr", "svl", "c45"]},
    "folds of one": {"model": "correlated-t", "rope": 1.0, "datasets": ["optdigits"]},
    "folds of all": {
        "model": "hierarchical",
        "rope": 1.0,
        "algorithms": ["svr", "c45"],
        "datasets": ["zoo", "optdigits", "car"],
    },
}


@pytest.mark.parametrize("asked", CASES.values(), ids=CASES)
def test_every_report_is_as_the_schema_says(asked: dict[str, Any]) -> None:
    report = palio.analyse(palio.load_study("ulas2008"), **{"checks": ["leave-one-out"], **asked})
    summary = report.to_dict()
    validator().validate(json.loads(json.dumps(summary, allow_nan=False)))
    assert summary["claims"][0]["kind"] == "leader"
    assert summary["leader"] == summary["claims"][0]["algorithm"]
    assert summary["ordering"]["order"][0] == summary["order"]["rows"][0]["algorithm"]
    if "model" in asked:
        assert summary["posterior"]["model"] == asked["model"]
        assert "Probabilities" in report.to_html()


def telling(schema: Any) -> Any:
    """Leave out what adds nothing, and what pydantic wrote in some versions only."""
    if isinstance(schema, list):
        return [telling(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    beside_const = {"type"} if "const" in schema else set()
    return {
        key: telling(value)
        for key, value in schema.items()
        if key not in beside_const and (key, value) != ("additionalProperties", True)
    }


def test_schema_is_strict_and_published() -> None:
    schema = palio.report_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    published = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    assert telling(published) == telling(schema), (
        f"{SCHEMA_FILE} is old: write it by palio report --schema"
    )
    summary = palio.analyse(by_hand()).to_dict()
    breaks: tuple[Callable[[dict[str, Any]], object], ...] = (
        lambda found: found.pop("verdict"),
        lambda found: found.update(surprise=1),
        lambda found: found["order"]["rows"][0].update(place="first"),
        lambda found: found["claims"][0].update(kind="weather"),
        lambda found: found["claims"][0].pop("text"),
        lambda found: found.update(sureness="very"),
    )
    for break_it in breaks:
        broken = copy.deepcopy(summary)
        break_it(broken)
        with pytest.raises(jsonschema.ValidationError):
            validator().validate(broken)


# --- what it says --------------------------------------------------------------------------------


def said(report: palio.Report, kind: str) -> dict[str, Any]:
    return next(each for each in report.to_dict()["claims"] if each["kind"] == kind)


def test_verdict_by_hand() -> None:
    report = palio.analyse(by_hand(), checks=[], cost="time")
    headline = (
        "c has the best mean rank, 1.00, of 3 algorithms over 6 data sets; open: no "
        "adjusted p can be below 0.09375."
    )
    assert repr(report) == f"<Report: {headline}>"
    assert report.claims.headline == report.verdict.best == headline
    assert (report.leader, report.sureness) == ("c", "open")
    # Six differences of one sign: p = 2/64 each, and Holm triples the smallest.
    rows = report.to_dict()["comparison"]["pairs"]
    assert [pair["p_value"] for pair in rows] == pytest.approx([1 / 32] * 3)
    assert [pair["p_adjusted"] for pair in rows] == pytest.approx([3 / 32] * 3)
    assert said(report, "too_few")["least_p"] == pytest.approx(3 / 32)
    assert said(report, "front")["text"] == (
        "On the front of time and accuracy are a and c; the other one is neither cheaper nor "
        "better than one of these."
    )
    points = {point["algorithm"]: point for point in report.to_dict()["front"]["points"]}
    assert points["b"]["dominated_by"] == ["c"]
    # No test could tell any two apart: a mean better by more than a point comes before the cost.
    assert report.to_dict()["order"]["method"] == "pairwise"
    assert [row.algorithm for row in report.order.rows] == ["c", "b", "a"]
    value = said(report, "value")
    assert (value["algorithm"], value["text"]) == ("c", report.verdict.value)
    assert value["text"] == (
        "Best value by time: c too, the cheapest of those that nobody is better than by more than "
        "0.01 in mean accuracy."
    )
    assert said(report, "evidence")["text"] == (
        "None of 3 pairs differ significantly on 6 data sets by accuracy (higher is better): "
        "Wilcoxon signed-rank test, Holm, α = 0.05."
    )


def test_the_sentences_are_those_of_the_results(ulas: palio.Report) -> None:
    table = palio.load_study("ulas2008")
    ordering = palio.order(table, cost="train_time")
    comparison = palio.compare(table)
    verdict = ulas.verdict
    assert verdict == ordering.verdict
    # Who leads by the score, whatever it costs, and all who cannot be told from it.
    beaten = {pair.worse for pair in comparison.pairs if pair.significant}
    unbeaten = [name for name in comparison.by_mean_rank if name not in beaten]
    assert unbeaten == ["svr", "svl"]
    assert (ulas.leader, ulas.sureness) == ("svr", "shared")
    assert verdict.best == comparison.verdict.best
    assert ulas.claims.headline.startswith(
        "svr leads 8 algorithms over 38 data sets; svl may be as good; shared: svr stays unbeaten"
    )
    # What the first of the order saves, and gives up: the geometric mean of the paired ratios.
    assert ulas.ordering.first == ordering.first == "svl"
    costs = table.cost_matrix("train_time")
    svl, svr = (costs[:, table.algorithms.index(name)] for name in ("svl", "svr"))
    ratio = float(np.exp(np.log(svr / svl).mean()))
    lost = ordering.mean_scores["svr"] - ordering.mean_scores["svl"]
    value = said(ulas, "value")
    assert (value["algorithm"], value["against"]) == ("svl", "svr")
    assert value["ratio"] == pytest.approx(ratio)
    assert value["ratios"] == pytest.approx([(svr / svl).min(), (svr / svl).max()])
    assert verdict.value == value["text"]
    assert value["text"].startswith(f"Best value by train_time: svl, {ratio:.1f} times as fast ")
    assert f" and {lost:.2f} worse in accuracy on the 38 data sets they share." in value["text"]
    assert verdict.sure == comparison.verdict.sure
    found = {each.kind: each.text for each in ulas.claims}
    assert verdict.sure == f"{found['sureness']} {found['evidence']}"
    audit = palio.audit(table, only=QUICK_CHECKS)
    assert ulas.audit is not None
    assert {check.name for check in ulas.audit.checks} == set(QUICK_CHECKS)
    assert ulas.audit.changes == audit.changes
    # After the answer stand the front and the posterior.
    assert list(found)[-2:] == ["front", "posterior"]
    assert p_value(comparison.omnibus.p_value) in " ".join(tiles(ulas)[2].how)


@pytest.mark.parametrize(
    ("cost", "method"),
    [
        (None, "auto"),
        ("train_time", "auto"),
        ("space", "auto"),
        ("train_time", "multi2test"),
        ("space", "multi2test"),
    ],
)
def test_who_is_best_hangs_neither_on_the_cost_nor_on_the_method(
    cost: str | None, method: str
) -> None:
    report = palio.analyse(palio.load_study("ulas2008"), cost=cost, method=method, checks=[])
    assert report.claims.headline == palio.compare(report.table).claims.headline
    assert said(report, "leader")["text"] == "svr leads 8 algorithms over 38 data sets."
    assert (report.verdict.value is None) == (cost is None)


def test_a_papers_method_is_judged_by_the_comparison_asked_for() -> None:
    table = palio.load_study("ulas2008")
    asked: dict[str, Any] = {"test": "sign", "correction": "bonferroni", "alpha": 0.1}
    report = palio.analyse(table, method="multi2test", cost="train_time", checks=[], **asked)
    assert report.ordering.order == palio.multi2test(table, cost="train_time", alpha=0.1).order
    assert report.comparison == report.ordering.judged
    assert report.verdict.sure == palio.compare(table, **asked).verdict.sure
    # The leader, and how sure that is, stay those of the default comparison.
    assert report.leader == palio.compare(table).leading
    headline = "By sign test, Bonferroni, α = 0.1 svr leads 8 algorithms over 38 data sets"
    assert report.claims.headline.startswith(headline)
    assert " By the default comparison svr leads; shared: " in report.verdict.best


def test_the_parts_are_the_results_themselves(ulas: palio.Report) -> None:
    table = palio.load_study("ulas2008")
    found = ulas.to_dict()
    ordering = palio.order(table, cost="train_time").to_dict()
    assert found["ordering"] == json.loads(json.dumps(ordering))
    compared = palio.compare(table, cost="train_time").to_dict()
    assert found["comparison"] == json.loads(json.dumps(compared))
    rows = {row["algorithm"]: row for row in found["order"]["rows"]}
    assert [row["algorithm"] for row in found["order"]["rows"]] == ordering["order"]
    assert {name: row["cost"] for name, row in rows.items()} == pytest.approx(ordering["costs"])
    assert {name: row["mean_rank"] for name, row in rows.items()} == pytest.approx(
        found["comparison"]["mean_ranks"]
    )
    assert {name: tuple(row["ranks"]) for name, row in rows.items()} == palio.compare(
        table
    ).rank_sets
    space = table.cost_matrix("space")[:, table.algorithms.index("svr")]
    assert rows["svr"]["costs"]["space"] == pytest.approx(np.exp(np.log(space).mean()))
    for row in found["order"]["rows"]:
        assert len(row["beats"]) + len(row["beaten_by"]) + len(row["level_with"]) == 7
        for other in row["beats"]:
            assert row["algorithm"] in rows[other]["beaten_by"]


def test_a_costlier_first_says_whom_it_overrides() -> None:
    report = palio.analyse(palio.load_study("ulas2008"), datasets=["optdigits"], cost="train_time")
    assert report.claims.headline == (
        "sv2 leads 8 algorithms on optdigits; 4 others may be as good; fragile: one data set "
        "cannot be checked against others."
    )
    assert said(report, "value")["text"].startswith("Best value by train_time: 5nn, ")
    # It waits for nobody: by the folds, with Holm, nobody is significantly better.
    rows = {row["algorithm"]: row for row in report.to_dict()["order"]["rows"]}
    assert rows["5nn"]["place"] == 1
    assert rows["5nn"]["beaten_by"] == []
    assert rows["svr"]["overrides"] == ["c45", "lnp"]
    assert "; c45 and lnp are cheaper, but " in rows["svr"]["reason"]
    better = {name for passed in ("c45", "lnp") for name in rows[passed]["beaten_by"]}
    left = {name for name, row in rows.items() if row["place"] >= rows["svr"]["place"]}
    named = rows["svr"]["reason"].partition("but ")[2].removesuffix(" are significantly better")
    assert set(re.split(", | and ", named)) == (better & left) - {"c45", "lnp"}
    assert {*rows["c45"]["waits_for"], "5nn"} == set(rows["c45"]["beaten_by"])  # 5nn is cheaper


def test_what_was_left_open_is_told() -> None:
    found = palio.analyse(palio.load_study("ulas2008"), checks=[]).to_dict()
    assert found["choices"] == [
        "no cost: among equals the better mean rank first (the table has train_time and space)",
    ]
    assert {each["part"] for each in found["not_done"]} == {"posterior", "audit", "front"}
    assert found["order"]["cost"] is None
    paper = palio.analyse(
        palio.load_study("ulas2008"), method="multi2test", cost="space", checks=[]
    )
    assert paper.choices == ("test on folds: 5x2cv-f, which fits 5×2 cv",)
    assert {each.part for each in paper.not_done} == {"posterior", "audit"}


def test_missing_cells_are_told() -> None:
    scores = by_hand().means()
    scores[0, 0] = np.nan
    table = palio.ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(6)],
        algorithms=["a", "b", "c"],
        measure="accuracy",
        missing="pairwise",
    )
    report = palio.analyse(table)
    assert report.to_dict()["table"]["missing"] == {"choice": "pairwise", "cells": 1, "of": 18}
    assert said(report, "sureness")["text"] == ("Open: no adjusted p can be below 0.09375.")
    assert said(report, "missing")["text"] == (
        "1 of 18 scores is missing (never run, as far as the table tells): of a 1. Each pair rests "
        "on the data sets that both have, 5 to 6 of them."
    )
    validator().validate(report.to_dict())


def test_an_unfinished_experiment_is_told() -> None:
    facts = RunFacts(
        store="e.db",
        plan="p",
        jobs=20,
        counts={"ok": 12, "failed": 3, "not run": 5},
        finished=False,
        failures=(Failure("failed: x", 3, ("d0",), ("a",)),),
        machines=(Machine("h", "p", exclusive=False, jobs=12),),
        versions={"numpy": ("2.0",)},
        preparation={"a": "standard", "b": "none"},
        units={},
    )
    report = palio.analyse(by_hand(), experiment=facts, checks=[])
    assert said(report, "experiment")["text"] == (
        "12 of 20 jobs of the experiment ended well, 3 failed, 5 not run; it is not finished, and "
        "the answer may change."
    )
    validator().validate(report.to_dict())


def test_the_model_on_folds_knows_how_much_was_tested_on() -> None:
    """Differences 1, 2, 3 on hold-outs of a third: t = 2 / √(1/3 + 1/2), 2 degrees of freedom."""
    table = palio.ScoreTable.from_arrays(
        [[[[5.0], [7.0], [9.0]], [[4.0], [5.0], [6.0]]]],
        datasets=["iris"],
        algorithms=["rf", "knn"],
        measure="accuracy",
    )
    found = palio.analyse(table, model="correlated-t", rope=0.0, test_fraction=1 / 3).to_dict()
    t = 2 / (1 / 3 + 1 / 2) ** 0.5
    better = 0.5 + t / (2 * (2 + t**2) ** 0.5)  # Student's t with 2 degrees, in closed form
    assert found["posterior"]["pairs"][0]["p_a_better"] == pytest.approx(better)
    with pytest.raises(DesignError, match="test_fraction"):
        palio.analyse(table, model="correlated-t")


# --- probabilities on any scale ------------------------------------------------------------------


@pytest.mark.parametrize("asked", [{"model": "anova"}, {"model": "signed-rank", "rope": 0.01}])
def test_a_model_that_would_refuse_the_measure_gives_way(asked: dict[str, Any]) -> None:
    """On an order scale who is better is told instead, and why."""
    report = palio.analyse(by_hand().with_scale("order"), checks=[], **asked)
    assert report.posterior is not None
    assert report.posterior.model == "plackett-luce"
    assert "as for accuracy only who is better counts" in report.posterior.notes[0]
    assert said(report, "most_probable")["text"].startswith("c is the best with probability")


def test_what_the_probabilities_of_a_report_are_of() -> None:
    def claim(kind: str, **asked: Any) -> dict[str, Any]:
        return said(palio.analyse(by_hand(), checks=[], **asked), kind)

    sides = claim("posterior", model="sign", rope=0.01)
    assert sides["text"].startswith("With probability ")
    assert "the likeliest on a new data set is that c is better than b, with" in sides["text"]
    assert (sides["a"], sides["b"]) == ("c", "b")
    assert sides["p_a_better"] + sides["p_rope"] + sides["p_b_better"] == pytest.approx(1)
    none = claim("most_probable", model="anova")
    assert "practically as good" not in none["text"]
    assert none["p_as_good"] is None
    some = claim("most_probable", rope=0.01)
    assert "practically as good" in some["text"]
    assert some["p_as_good"] >= some["p_best"]


def test_a_region_alone_on_one_value_leaves_the_probabilities_out() -> None:
    report = palio.analyse(by_hand(), rope=0.01, datasets=["d0"], checks=[])
    assert report.posterior is None
    why = {each.part: each.why for each in report.not_done}
    assert "'correlated-t' needs at least 2 folds" in why["posterior"]


# --- what cannot be asked ------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["correlated-t", "hierarchical"])
def test_a_model_on_folds_says_what_it_needs(model: str) -> None:
    with pytest.raises(DesignError, match=f"'{model}' needs at least 2 folds"):
        palio.analyse(by_hand(), model=model, rope=0.01, datasets=["d0"])


def test_a_model_of_one_data_set_is_not_asked_about_many() -> None:
    with pytest.raises(ParameterError, match=r"one data set, and 6 are chosen; .*hierarchical"):
        palio.analyse(by_hand(), model="correlated-t")


def test_what_was_asked_by_name_is_not_left_out_silently() -> None:
    with pytest.raises(DesignError, match="5x2cv-f"):
        palio.analyse(by_hand(), method="multi2test", cost="time", fold_test="5x2cv-f")
    with pytest.raises(DesignError, match="5x2cv-f"):
        palio.analyse(by_hand(), fold_test="5x2cv-f", datasets=["d0"])
    with pytest.raises(ParameterError, match="two or more"):
        palio.analyse(by_hand(), algorithms=["a"])
    with pytest.raises(ParameterError, match="give one"):
        palio.analyse(by_hand(), palio.Question(), alpha=0.1)


def test_another_score_can_be_asked_for() -> None:
    frame = by_hand().to_frame()
    frame["error"] = 1 - frame["accuracy"]
    table = palio.read_scores(frame, score="accuracy")
    up, down = (
        palio.analyse(table, score=s, cost="time", checks=[]).to_dict()
        for s in ("accuracy", "error")
    )
    assert down["table"]["measure"] == {"name": "error", "higher_is_better": False}
    assert [row["algorithm"] for row in up["order"]["rows"]] == [
        row["algorithm"] for row in down["order"]["rows"]
    ]
    assert [point["on_front"] for point in up["front"]["points"]] == [
        point["on_front"] for point in down["front"]["points"]
    ]


# --- faces ---------------------------------------------------------------------------------------


def test_faces_of_a_table_of_scores() -> None:
    table = by_hand()
    html = table._repr_html_()
    assert html == notebook_html(table.understood())
    assert "6 data sets × 3 algorithms" in render_text(table.understood())


def test_every_model_cites_works_that_are_known() -> None:
    table = palio.load_study("ulas2008").select(algorithms=["svr", "c45"], datasets=["zoo", "car"])
    answers = ItemScores.from_arrays(
        [[1, 0], [1, 1], [0, 0]], algorithms=["svr", "c45"], measure="accuracy"
    )
    for model, entry in MODELS.items():
        where = {"dataset": "zoo"} if model == "correlated-t" else {}
        of = answers if entry.on_items else table
        posterior = run_model(model, of, rope=0.1, draws=200, **where)
        assert cited([posterior.reference]), model


def test_methods_cite_what_the_references_list(ulas: palio.Report) -> None:
    listed = {work.short for work in ulas.references}
    mentioned = {short for sentence in methods(ulas) for short in sentence.cites}
    assert mentioned == listed
    assert all(work.full == REFERENCES[work.short] for work in ulas.references)


def test_methods_say_where_the_omnibus_is_exact(ulas: palio.Report) -> None:
    few = palio.load_study("ulas2008").select(
        algorithms=["svr", "c45", "5nn"], datasets=["zoo", "car", "iris", "wine"]
    )
    said = "All algorithms together were compared by the Friedman test"
    texts = [sentence.text for sentence in methods(palio.analyse(few, checks=[]))]
    assert f"{said}, by its exact distribution." in texts
    assert f"{said}." in [sentence.text for sentence in methods(ulas)]


def test_what_json_has_is_an_attribute(ulas: palio.Report) -> None:
    found = ulas.to_dict()
    assert [each["text"] for each in found["claims"]] == [each.text for each in ulas.claims]
    assert found["verdict"] == ulas.verdict._asdict()
    assert (found["leader"], found["sureness"]) == (ulas.leader, ulas.sureness)
    assert found["order"]["rows"][0]["beats"] == list(ulas.order.rows[0].beats or ())
    assert found["comparison"]["omnibus"]["p_value"] == ulas.comparison.omnibus.p_value  # type: ignore[union-attr]
    assert found["table"]["missing"]["of"] == ulas.facts.missing.of
    assert list(ulas.to_frame()["place"]) == list(range(1, 9))


def test_hold_outs_of_one_data_set_are_reported_with_or_without_a_test() -> None:
    """`order` answers there, and so does a report; the share of the data makes a test of it."""
    folds = np.random.default_rng(0).normal(size=(1, 3, 7, 1))
    table = palio.ScoreTable.from_arrays(
        folds, datasets=["d"], algorithms=list("abc"), measure="accuracy"
    )
    without = palio.analyse(table)
    assert without.verdict.best == palio.order(table).verdict.best
    assert without.comparison is None
    assert not any("test on folds" in choice for choice in without.choices)
    tested = palio.analyse(table, test_fraction=0.3)
    assert tested.ordering.test == "corrected-t"
    assert "test on folds: corrected-t, which fits 7 hold-outs" in tested.choices
