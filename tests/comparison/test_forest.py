"""Differences on each data set, worked by hand and against the tests that they belong to."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import palio
from palio.errors import DesignError, ParameterError
from palio.scores import ItemScores, ScoreTable
from palio.scores.scale import Goodness
from palio.stats.folds import corrected_interval, corrected_t

RNG = np.random.default_rng(5)


def items(cluster: list[int] | None = None) -> ItemScores:
    """Return 0/1 scores of three algorithms on items of two data sets, 6 and 4."""
    scores = np.array(
        [
            [1, 0, 1], [1, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0], [1, 0, 0],
            [0, 1, 1], [1, 1, 0], [0, 0, 1], [0, 1, 0],
        ],
        dtype=float,
    )  # fmt: skip
    return ItemScores.from_arrays(
        scores,
        algorithms=["a", "b", "c"],
        measure="accuracy",
        dataset=["x"] * 6 + ["y"] * 4,
        cluster=cluster,
    )


def test_over_items_each_data_set_has_its_own_t_interval() -> None:
    found = palio.compare(items(), over="items", alpha=0.1).forest("a", "b")
    assert [row.dataset for row in found.rows] == ["x", "y"]
    for row, d in zip(found.rows, ([1, 0, 1, 0, 0, 1], [-1, 0, 0, -1]), strict=True):
        assert row.difference == pytest.approx(np.mean(d))
        expected = stats.t.interval(0.9, len(d) - 1, np.mean(d), stats.sem(d))
        assert row.interval == pytest.approx(expected)
    assert found.overall.difference == pytest.approx((0.5 - 0.5) / 2)
    assert (found.within, found.confidence, found.by) == ("items", 0.9, "datasets")


def test_over_items_clusters_are_what_was_drawn() -> None:
    clusters = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    found = palio.compare(items(cluster=clusters), over="items").forest("a", "b")
    # x: sums of deviations from 1/2 of the three clusters are 0, 0, 0.
    assert found.rows[0].interval == (0.5, 0.5)
    # y: means of clusters −1/2, −1/2: no spread either; items alone would have some.
    alone = palio.compare(items(), over="items").forest("a", "b")
    assert alone.rows[0].interval[0] < 0.5


def test_a_pair_may_be_asked_for_either_way_round() -> None:
    comparison = palio.compare(items(), over="items")
    one, other = comparison.forest("a", "c"), comparison.forest("c", "a")
    assert one.overall.difference == -other.overall.difference
    assert one.overall.interval == pytest.approx(tuple(-x for x in other.overall.interval[::-1]))
    for row, turned in zip(one.rows, other.rows, strict=True):
        assert row.difference == -turned.difference
        assert row.interval == pytest.approx(turned.turned.interval)


def test_data_sets_where_a_pair_shares_less_than_two_items_have_no_row() -> None:
    scores = items().as_floats().copy()
    scores[7:, 0] = np.nan
    some = ItemScores.from_arrays(
        scores, dataset=["x"] * 6 + ["y"] * 4, algorithms=["a", "b", "c"], measure="accuracy"
    )
    comparison = palio.compare(some, over="items")
    assert [row.dataset for row in comparison.forest("a", "b").rows] == ["x"]
    assert [row.dataset for row in comparison.forest("b", "c").rows] == ["x", "y"]


def table_of_folds(*, measure: str = "accuracy") -> ScoreTable:
    scores = RNG.uniform(0.5, 0.9, (7, 3, 2, 5))
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(7)],
        algorithms=["a", "b", "c"],
        measure=measure,
    )


@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_over_data_sets_folds_give_the_interval_of_the_corrected_t(measure: str) -> None:
    table = table_of_folds(measure=measure)
    comparison = palio.compare(table)
    found = comparison.forest("b", "a")
    assert found.within == "folds"
    means = table.means()
    for i, row in enumerate(found.rows):
        assert row.difference == pytest.approx(means[i, 1] - means[i, 0])
        scores = table.fold_scores(row.dataset)
        p = float(corrected_t(scores[1], scores[0], test_fraction=0.2).p_value)
        ends = corrected_interval(scores[1], scores[0], test_fraction=0.2, confidence=1 - p)
        # The interval of confidence 1 − p touches zero.
        assert min(map(abs, map(float, ends))) == pytest.approx(0, abs=1e-12)
        whole = corrected_interval(scores[1], scores[0], test_fraction=0.2, confidence=0.95)
        assert row.interval == pytest.approx(tuple(map(float, whole)))
    pair = comparison.pair("a", "b")
    assert (
        pair.interval_of == "median difference, by Hodges and Lehmann, at the level of the verdict"
    )
    differences = means[:, 0] - means[:, 1]
    walsh = [(x + y) / 2 for i, x in enumerate(differences) for y in differences[i:]]
    assert pair.estimate == pytest.approx(np.median(walsh))
    assert found.overall.difference == pytest.approx(-pair.estimate)
    assert found.overall.interval == pytest.approx((-pair.interval[1], -pair.interval[0]))


def test_the_side_of_the_verdict_follows_the_direction_of_the_measure() -> None:
    low = np.linspace(0.1, 0.3, 12)[:, np.newaxis] + np.array([[0.0, 0.1]])
    for measure, sign in (("error", 1), ("accuracy", -1)):
        table = ScoreTable.from_arrays(
            low + RNG.normal(0, 0.001, low.shape),
            datasets=[f"d{i}" for i in range(12)],
            algorithms=["a", "b"],
            measure=measure,
        )
        assert palio.compare(table).forest("a", "b").sign == sign
        assert palio.compare(table).forest("b", "a").sign == -sign


def test_one_score_per_data_set_has_no_interval_there_and_one_over_all() -> None:
    scores = RNG.uniform(0, 1, (8, 2))
    scores[2, 0] = np.nan
    table = ScoreTable.from_arrays(
        scores, datasets=list("abcdefgh"), algorithms=["p", "q"], measure="accuracy",
        missing="pairwise",
    )  # fmt: skip
    found = palio.compare(table).forest("p", "q")
    assert [row.dataset for row in found.rows] == list("abdefgh")
    assert all(math.isnan(end) for row in found.rows for end in row.interval)
    assert found.within is None
    assert not math.isnan(found.overall.interval[0])


def test_over_data_sets_items_give_intervals_only_where_they_have_the_reported_mean() -> None:
    table = items().to_scores()
    found = palio.compare(table, over="datasets").forest("a", "b")
    assert found.within == "items"
    assert found.rows[0].interval == pytest.approx(
        palio.compare(items(), over="items").forest("a", "b").rows[0].interval
    )
    other = palio.compare(table, over="datasets")
    values = other.compared.values.copy()
    values[0, 0] -= 0.1
    scaled = Goodness(values, np.zeros(values.shape, dtype=bool))
    changed = replace(other, compared=replace(other.compared, values=values, scaled=scaled))
    rows = changed.forest("a", "b").rows
    assert math.isnan(rows[0].interval[0])
    assert not math.isnan(rows[1].interval[0])


def test_imputed_scores_have_no_interval() -> None:
    scores = RNG.uniform(0.5, 0.9, (7, 2, 1, 5))
    scores[3, 1] = np.nan
    table = ScoreTable.from_arrays(
        scores, datasets=[f"d{i}" for i in range(7)], algorithms=["a", "b"], measure="accuracy",
        missing="worst",
    )  # fmt: skip
    rows = palio.compare(table).forest("a", "b").rows
    assert [math.isnan(row.interval[0]) for row in rows] == [i == 3 for i in range(7)]


def test_what_has_no_forest_says_so() -> None:
    table = table_of_folds()
    with pytest.raises(DesignError, match="folds of 'd0'"):
        palio.compare(table, dataset="d0").forest("a", "b")
    with pytest.raises(ParameterError, match="not compared"):
        palio.compare(table, control="a").forest("b", "c")
