"""One dictionary, several faces."""

import json
import math

import numpy as np
import pytest

import palio
from palio.bayes.rope import suggest_rope
from palio.comparison import TestResult
from palio.experiment.final import Final
from palio.experiment.merging import Merged, Taken
from palio.numbers import number, p_value, percent
from palio.ordering import Ordering
from palio.recommending import Described, Trial, Trials
from palio.recommending.result import Chance
from palio.report.notebook import notebook_html
from palio.report.overview import overview
from palio.report.text import render_text
from palio.report.views import VIEWS
from palio.results import Result, plain, to_json
from palio.studies.concordance import Concordance, Element
from tests.report.figures.posteriors import joint_posterior


@pytest.fixture(scope="module")
def ordering() -> Ordering:
    return palio.multi2test(palio.load_study("ulas2008"), cost="train_time")


@pytest.fixture(scope="module")
def results(ordering: Ordering) -> dict[str, Result]:
    """One result of every kind that has a view."""
    table = palio.load_study("ulas2008")
    assert ordering.comparison is not None
    return {
        "ordering": ordering,
        "comparison": ordering.comparison,
        "test": ordering.comparison.omnibus,
        "fold-comparison": palio.compare_folds(table, dataset="zoo"),
        "audit": palio.audit(table, only=["leave-one-out"]),
        "aggregates": palio.aggregate(table, n_resamples=50),
        "power": palio.power({"a": 0, "b": 1}, a="a", b="b", n_datasets=[5], trials=20),
        "variance": palio.variance(table, cost="space"),
        "best": palio.find_best(table, dataset="zoo", cost="space"),
        "prediction-comparison": palio.compare_predictions(
            palio.Predictions.from_arrays([0, 1, 1], {"a": [0, 1, 0], "b": [1, 1, 1]})
        ),
        "reproduction": palio.reproduce("ulas2008"),
        "concordance": Concordance(
            (Element("ulas2008", "3.1", "Figure 3.1", "a graph", "palio …", "palio.…", "drawn"),)
        ),
        "ranking": palio.rank(table),
        "ranking-evaluation": palio.evaluate_rankings(table, cost="space"),
        "rank-stability": palio.rank_stability(table, n_resamples=50),
        "posterior": joint_posterior(["a", "b", "c"]),
        "rope": suggest_rope(table),
        "report": palio.analyse(table, cost="train_time", checks=["leave-one-out"]),
        "overview": overview(table, cost="space"),
        "recommendation": (advice := palio.recommend(table, budget=900, n_resamples=50)),
        "recommendation-evaluation": palio.evaluate_recommendation(
            table, [Described(name, 9, {"x": len(name)}) for name in table.datasets]
        ),
        "trials": Trials(
            advice,
            "new",
            "accuracy",
            (Trial("svr", "ok", 0.9, 3.2), Trial("svl", "too dear", why="1 s left")),
            stopped="all that fit into the budget were tried",
            chance=Chance(1, 12),
            budget=900.0,
            store="recommend.db",
        ),
        "merged": Merged("all.db", (Taken("a.db", 3, 0, 1, 0),), ("plan",), 9, 5),
        "final": Final("nb", 1 / 3, {"iris": {"accuracy": 0.9}}, {"iris": {"fit_time": 0.1}}, {}),
    }


# These are told of on the command line only, and tested there.
RESULTS = [kind for kind in VIEWS if kind not in ("algorithms", "plan", "reading", "status")]


@pytest.mark.parametrize("kind", RESULTS)
def test_every_kind_has_every_face(results: dict[str, Result], kind: str) -> None:
    result = results[kind]
    summary = result.to_dict()
    assert summary["kind"] == kind
    assert json.loads(to_json(summary)) == summary
    assert str(result) == render_text(result)
    assert max(map(len, str(result).splitlines())) <= 80
    html = result._repr_html_()
    assert html == notebook_html(result)
    assert html.count("<table") == html.count("</table>")
    assert not result.to_frame().empty


def test_text_tells_the_numbers_of_the_dictionary(ordering: Ordering) -> None:
    text = str(ordering)
    for name, value in ordering.mean_places.items():
        assert name in text
        assert f"{value:.2f}" in text
    assert "No test overrode the preference for the cheaper" in text
    assert " ".join(text.split()).startswith(str(ordering.verdict.best).removesuffix("."))


def test_names_are_escaped_in_html_and_not_markup_in_text() -> None:
    table = palio.ScoreTable.from_arrays(
        np.random.default_rng(0).random((1, 2, 5, 2)),
        datasets=["[red]d"],
        algorithms=["<b>one</b>", "[bold]two[/bold]"],
        measure="error",
        costs={"time": [[1, 2]]},
    )
    result = palio.multitest(table, cost="time")
    assert "<b>one" not in result._repr_html_()
    assert "&lt;b&gt;one" in result._repr_html_()
    assert "[bold]two[/bold]" in str(result)
    assert "[red]d" in str(result)


def test_plain_reduces_to_json() -> None:
    value = {"a": np.float64(1.5), "b": (np.int64(2), math.nan), 3: {"c": -math.inf}}
    assert plain(value) == {"a": 1.5, "b": [2, None], "3": {"c": None}}


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1.000"), (0.05, "0.050"), (0.00099, "9.9e-04"), (None, "–")]
)
def test_p_values(value: float | None, text: str) -> None:
    assert p_value(value) == text


def test_numbers() -> None:
    assert number(123456.0) == "123,500"
    assert percent(9999, 10000) == "99.9 %"  # and not 100 %


def test_reprs_are_short(ordering: Ordering) -> None:
    assert repr(ordering) == (
        "<Ordering by multi2test: 5nn > c45 > lnp > mlp > mdt > svl > sv2 > svr>"
    )
    assert repr(ordering.comparison) == (
        "<Comparison: mean-ranks, nemenyi, 8 algorithms on 38 data sets, 7 of 28 pairs differ>"
    )
    assert repr(palio.reproduce("ulas2008")) == (
        "<Reproduction of ulas2008: 1946 of 1956 cells agree>"
    )


def test_uncorrected_statistic_stands_beside_the_corrected_one(ordering: Ordering) -> None:
    assert ordering.comparison is not None
    omnibus = ordering.comparison.omnibus
    assert isinstance(omnibus, TestResult)
    assert {"statistic", "statistic_uncorrected"} <= set(omnibus.to_dict())
