"""Tests on predictions with names on: worked by hand, and the promises of the registry."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import palio
from palio.comparison import CORRECTIONS, PREDICTION_TESTS, PredictionComparison
from palio.errors import DesignError, ParameterError, UnknownNameError
from palio.predictions import Predictions
from palio.results import plain, to_json
from palio.types import FloatArray
from tests.slow import a_third_of_the_examples

NAMES = ("a", "b", "c", "d")
TESTED = {"reorder-instances", "reorder-algorithms", "rename-classes", "identical"}


def right(**columns: list[int]) -> Predictions:
    """Predictions that are right where the column says so; half of the instances are positive."""
    n = len(next(iter(columns.values())))
    truth = np.arange(n) % 2
    predictions = {
        name: np.where(np.array(column) == 1, truth, 1 - truth) for name, column in columns.items()
    }
    return Predictions.from_arrays(truth, predictions)


def test_mcnemar_by_hand() -> None:
    """a right on all ten, b on two, c on none: 8 : 0, 10 : 0 and 2 : 0 discordant."""
    result = palio.compare_predictions(
        right(a=[1] * 10, b=[1] * 2 + [0] * 8, c=[0] * 10), correction="none"
    )
    assert [pair.p_value for pair in result.pairs] == pytest.approx([2 / 2**8, 2 / 2**10, 0.5])
    assert [pair.significant for pair in result.pairs] == [True, True, False]
    assert [pair.better for pair in result.pairs] == ["a", "a", "b"]
    assert [(each.only_a, each.only_b) for each in result.pairs] == [(8, 0), (10, 0), (2, 0)]
    assert result.pair("c", "a").p_value == pytest.approx(2 / 2**10)
    assert result.accuracies == {"a": 1.0, "b": 0.2, "c": 0.0}
    assert any("no pair has more than 25 discordant" in note for note in result.notes)
    holm = palio.compare_predictions(right(a=[1] * 10, b=[1] * 2 + [0] * 8, c=[0] * 10))
    assert [pair.p_adjusted for pair in holm.pairs] == pytest.approx([4 / 2**8, 6 / 2**10, 0.5])
    assert holm.correction == "holm"


def test_notes_say_which_pairs_are_exact() -> None:
    few = [1] * 20 + [0] * 20
    mixed = palio.compare_predictions(right(a=[1] * 40, b=few, c=[0] * 40))
    assert any("for the 2 of 3 pairs with at most 25" in note for note in mixed.notes)
    assert [each.exact for each in mixed.pairs] == [True, False, True]
    many = palio.compare_predictions(right(a=[1] * 40, b=[0] * 40))
    assert any("every pair has more than 25" in note for note in many.notes)


def test_tests_of_all_at_once() -> None:
    table = right(a=[1, 1, 1, 1, 1, 0], b=[1, 1, 1, 0, 0, 0], c=[1, 0, 0, 0, 0, 0])
    cochran = palio.compare_predictions(table, test="cochran")
    assert cochran.test is not None
    assert cochran.test.statistic == pytest.approx(6.0)
    assert cochran.test.df == (2.0,)
    assert "exact p = " in str(cochran)
    assert "df" not in str(cochran)  # they belong to the χ² that was not used
    looney = palio.compare_predictions(table, test="looney")
    assert looney.test is not None
    assert looney.test.statistic == pytest.approx(5.0)
    assert looney.test.df == (2.0, 10.0)
    assert "statistic 5.000, df 2, 10" in str(looney)
    assert "exact" not in str(looney)
    assert looney.correction is None
    assert looney.pairs == ()


def test_adjusted_degrees_of_freedom_by_hand() -> None:
    """Sums of products about the means: 3/4, 3/4 and 0, with 1/4 between the first two.

    Centred, their trace is 5/6 and that of the square 13/36: ε̂ = 25/36 / (2 · 13/36).
    """
    table = right(a=[1, 1, 1, 0], b=[0, 1, 0, 0], c=[0, 0, 0, 0])
    adjusted = palio.compare_predictions(table, test="looney-adjusted")
    assert adjusted.test is not None
    assert adjusted.test.statistic == pytest.approx(4.2)
    assert adjusted.test.df == pytest.approx((2 * 25 / 26, 6 * 25 / 26))
    assert any("ε = 0.9615, estimated after Greenhouse" in note for note in adjusted.notes)


def test_definitions_are_noted() -> None:
    agreed = right(a=[1, 0, 1], b=[1, 0, 1])
    for test in ("cochran", "looney", "looney-adjusted"):
        result = palio.compare_predictions(agreed, test=test)
        assert any("p = 1 by definition" in note for note in result.notes)
    divided = palio.compare_predictions(right(a=[1, 1, 1], b=[0, 0, 0]), test="looney")
    assert any("p = 0 by definition" in note for note in divided.notes)
    assert "statistic ∞" in str(divided)
    assert json.loads(to_json(plain(divided)))["test"]["statistic"] is None


def soft(truth: list[int], **positive: list[float]) -> Predictions:
    """Predictions with probabilities of class 1."""
    return Predictions.from_arrays(
        truth,
        {name: (np.array(p) >= 0.5).astype(int) for name, p in positive.items()},
        probabilities={
            name: np.stack([1 - np.array(p), np.array(p)], axis=1) for name, p in positive.items()
        },
        classes=[0, 1],
    )


def test_selection_by_hand() -> None:
    table = soft([1, 1, 0, 0], a=[0.9, 0.8, 0.1, 0.5], b=[0.6, 0.8, 0.3, 0.4])
    result = palio.compare_predictions(table, test="multinomial-selection")
    assert [row.wins for row in result.selection] == [2.5, 1.5]
    assert sum(row.chance for row in result.selection) == pytest.approx(1.0)
    assert any("1 of 4 instances tied" in note for note in result.notes)
    assert str(result).startswith("a has the most wins; all equally many: p = ")
    assert result.to_frame().columns.tolist() == ["algorithm", "accuracy", "wins", "chance"]
    untied = soft([1, 1, 0], a=[0.9, 0.8, 0.1], b=[0.6, 0.7, 0.3])
    exact = palio.compare_predictions(untied, test="multinomial-selection")
    assert exact.test is not None
    assert exact.test.p_value == pytest.approx(0.25)
    assert "exact multinomial p-value" in exact.notes


def test_roc_hull_by_hand() -> None:
    """The curves of tests/stats/test_roc.py: a reaches (0, 1/2), b (1/4, 1), c stays below."""
    table = soft(
        [1, 1, 0, 0, 0, 0],
        a=[0.9, 0.1, 0.5, 0.5, 0.5, 0.5],
        b=[0.8, 0.8, 0.8, 0.1, 0.1, 0.1],
        c=[0.9, 0.1, 0.9, 0.1, 0.1, 0.1],
    )
    result = palio.compare_predictions(table, test="roc-hull")
    assert result.roc is not None
    assert result.roc.positive == "1"
    assert result.roc.on_hull == ("a", "b")
    assert result.roc.curves["a"].ranges == ((2.0, np.inf),)
    corner = result.roc.hull[2]
    assert dict(corner.thresholds) == {"b": 0.8}
    # Two positives to four negatives: the cost ratio is half the slope.
    assert (corner.slopes, corner.cost_ratios) == ((0.0, 2.0), (0.0, 1.0))
    assert result.to_dict()["roc"]["curves"]["a"]["ranges"] == [[2.0, None]]
    assert result.to_frame()["on_hull"].tolist() == [True, True, False]
    assert "2 of 3 algorithms are on the ROC convex hull" in str(result)
    assert "2.000 to ∞" in str(result)
    turned = palio.compare_predictions(table, test="roc-hull", positive="0")
    assert turned.roc is not None
    assert (turned.roc.positives, turned.roc.negatives) == (4, 2)
    assert turned.roc.curves["a"].auc == pytest.approx(result.roc.curves["a"].auc)


def test_hard_classifiers_are_points() -> None:
    result = palio.compare_predictions(right(a=[1, 1, 1, 0], b=[0, 1, 0, 1]), test="roc-hull")
    assert result.roc is not None
    assert result.roc.curves["a"].false_positive_rate == (0.0, 0.0, 1.0)
    assert any("a single point: a, b" in note for note in result.notes)


@pytest.mark.parametrize("test", list(PREDICTION_TESTS))
def test_faces(test: str) -> None:
    rng = np.random.default_rng(0)
    truth = (np.arange(60) % 2).tolist()
    table = soft(truth, **{f"algorithm {i}": rng.random(60).round(3).tolist() for i in range(11)})
    result = palio.compare_predictions(table, test=test)
    summary = plain(result)
    assert summary["kind"] == "prediction-comparison"
    assert json.loads(to_json(summary)) == summary
    assert max(map(len, str(result).splitlines())) <= 80
    assert result._repr_html_().count("<table>") >= 1
    assert not result.to_frame().empty
    assert repr(result).startswith(f"<PredictionComparison: {test} on 60 instances, ")
    assert PREDICTION_TESTS[test].title in " ".join(summary["notes"])
    if test == "mcnemar":
        assert "and 10 more pairs" in str(result)


def test_bad_questions() -> None:
    table = right(a=[1, 0, 1], b=[1, 1, 1])
    with pytest.raises(UnknownNameError, match="Did you mean 'mcnemar'"):
        palio.compare_predictions(table, test="mcnemer")
    with pytest.raises(UnknownNameError, match="Did you mean 'holm'"):
        palio.compare_predictions(table, correction="hollm")
    with pytest.raises(ParameterError, match="alpha"):
        palio.compare_predictions(table, alpha=1)
    with pytest.raises(ParameterError, match="belongs to test 'mean-ranks'"):
        palio.compare_predictions(table, correction="nemenyi")
    with pytest.raises(ParameterError, match="'roc-hull' does"):
        palio.compare_predictions(table, positive="1")
    with pytest.raises(ParameterError, match="the classes are '0', '1'"):
        palio.compare_predictions(table, test="roc-hull", positive="yes")
    with pytest.raises(DesignError, match=r"needs the class probabilities .* 'a', 'b' give none"):
        palio.compare_predictions(table, test="multinomial-selection")
    three = Predictions.from_arrays([0, 1, 2], {"a": [0, 1, 2], "b": [0, 1, 1]})
    with pytest.raises(DesignError, match="needs two classes, and there are 3"):
        palio.compare_predictions(three, test="roc-hull")
    one = Predictions.from_arrays([0, 0], {"a": [0, 1], "b": [0, 0]})
    with pytest.raises(DesignError, match="all are of class '0'"):
        palio.compare_predictions(one, test="roc-hull")
    single = Predictions.from_arrays([0], {"a": [0], "b": [1]})
    with pytest.raises(DesignError, match="at least 2 instances"):
        palio.compare_predictions(single, test="looney")


# --- the promises of the registry ----------------------------------------------------------


@st.composite
def scores(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    """Truth of 12 instances, both classes there, and probabilities of four algorithms."""
    truth = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=10, max_size=10))])
    tenths = draw(st.lists(st.integers(0, 10), min_size=48, max_size=48))
    return truth, np.array(tenths).reshape(12, 4) / 10


def run(
    test: str,
    data: tuple[FloatArray, FloatArray],
    names: tuple[str, ...] = NAMES,
    classes: tuple[str, str] = ("0", "1"),
    **options: Any,
) -> PredictionComparison:
    truth, p = data
    labels = np.array(classes, dtype=object)
    table = Predictions.from_arrays(
        labels[truth.astype(int)],
        {name: labels[(p[:, j] >= 0.5).astype(int)] for j, name in enumerate(names)},
        probabilities={
            name: np.stack([1 - p[:, j], p[:, j]], axis=1) for j, name in enumerate(names)
        },
        classes=classes,
    )
    return palio.compare_predictions(table, test=test, **options)


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def verdict(result: PredictionComparison) -> dict[str, Any]:
    """Everything that is said, keyed by names, in whatever order they come."""
    return {
        "pairs": {
            frozenset({pair.a, pair.b}): (near(pair.p_adjusted), pair.better)
            for pair in result.pairs
        },
        "p": None if result.test is None else near(result.test.p_value),
        "selection": {
            row.algorithm: (near(row.wins), near(row.chance)) for row in result.selection
        },
        "hull": None
        if result.roc is None
        else {name: (line.ranges, near(line.auc)) for name, line in result.roc.curves.items()},
    }


def promising(what: str) -> Any:
    names = [name for name, test in PREDICTION_TESTS.items() if what in test.properties]
    assert names
    return pytest.mark.parametrize("test", names)


def test_every_promise_is_tested() -> None:
    assert {what for test in PREDICTION_TESTS.values() for what in test.properties} == TESTED


@promising("reorder-instances")
@a_third_of_the_examples()
@given(data=scores(), order=st.permutations(range(12)))
def test_reordering_instances(test: str, data: tuple[Any, Any], order: list[int]) -> None:
    shuffled = data[0][order], data[1][order]
    assert verdict(run(test, shuffled)) == verdict(run(test, data))


@promising("reorder-algorithms")
@a_third_of_the_examples()
@given(data=scores(), order=st.permutations(range(4)))
def test_reordering_algorithms(test: str, data: tuple[Any, Any], order: list[int]) -> None:
    """With two in each other's place, what is said of a pair is mirrored."""
    moved = run(test, (data[0], data[1][:, order]), tuple(NAMES[i] for i in order))
    assert verdict(moved) == verdict(run(test, data))


@promising("rename-classes")
@a_third_of_the_examples()
@given(data=scores())
def test_renaming_classes(test: str, data: tuple[Any, Any]) -> None:
    assert verdict(run(test, data, classes=("spam", "ham"))) == verdict(run(test, data))


@promising("identical")
@a_third_of_the_examples()
@given(data=scores())
def test_identical_algorithms_are_never_separated(test: str, data: tuple[Any, Any]) -> None:
    truth, p = data
    result = run(test, (truth, np.stack([p[:, 0]] * 4, axis=1)))
    assert all(pair.p_value == 1 and pair.better is None for pair in result.pairs)
    if result.test is not None:
        assert result.test.p_value == 1
    twins = verdict(run(test, (truth, p[:, [0, 1, 0, 3]])))
    if twins["pairs"]:
        assert twins["pairs"][frozenset({"a", "c"})] == (1.0, None)
    if twins["selection"]:
        assert twins["selection"]["a"] == tuple(each.expected for each in twins["selection"]["c"])
    if twins["hull"]:
        assert twins["hull"]["a"][0] == twins["hull"]["c"][0]


@pytest.mark.parametrize("correction", [n for n, c in CORRECTIONS.items() if c.family != "control"])
@a_third_of_the_examples()
@given(data=scores())
def test_adjusted_is_never_below_raw(correction: str, data: tuple[Any, Any]) -> None:
    if CORRECTIONS[correction].test is not None:
        return
    for pair in run("mcnemar", data, correction=correction).pairs:
        assert pair.p_adjusted >= pair.p_value
