"""At each price the best that can be had."""

import numpy as np
import pytest

import palio
from palio.ordering.tradeoff import Price, prices_of


def found(scores: list[list[float]], costs: list[list[float]], **options: object) -> list[Price]:
    names = ["a", "b", "c"]
    table = palio.ScoreTable.from_arrays(
        scores,
        datasets=[f"set {i}" for i in range(len(scores))],
        algorithms=names,
        measure=str(options.get("measure", "accuracy")),
        costs={"fit_seconds": costs},
    )
    report = palio.analyse(table, cost="fit_seconds", checks=[])
    assert report.front is not None
    return list(prices_of(report.table, report.front, "a", report.comparison))


def test_steps_of_the_front_worked_by_hand() -> None:
    scores = [[0.9 + i / 1000, 0.8 + i / 990, 0.7 + i / 980] for i in range(12)]
    steps = found(scores, [[10.0, 5.0, 20.0]] * 12)
    # c is dearer than a, and worse.
    assert [step.algorithm for step in steps] == ["b", "a"]
    assert [step.cost for step in steps] == pytest.approx([5.0, 10.0])
    assert [step.score for step in steps] == pytest.approx(np.mean(scores, axis=0)[[1, 0]].tolist())
    assert [step.cheaper for step in steps] == pytest.approx([2.0, 1.0])
    assert [step.worse for step in steps] == [True, False]


def test_lower_may_be_better() -> None:
    scores = [[0.1, 0.2 + i / 1000, 0.3] for i in range(12)]
    steps = found(scores, [[10.0, 5.0, 1.0]] * 12, measure="error")
    assert [step.algorithm for step in steps] == ["c", "b", "a"]
    assert [step.worse for step in steps] == [True, True, False]


def test_what_cannot_be_told_apart_is_not_worse() -> None:
    scores = [[0.9, 0.89 if i % 2 else 0.905, 0.5] for i in range(12)]
    assert [step.worse for step in found(scores, [[10.0, 5.0, 1.0]] * 12)] == [True, False, False]


def test_a_cost_of_nothing_counts_as_half_of_the_least() -> None:
    steps = found([[0.9, 0.8, 0.7 + i / 1000] for i in range(12)], [[10.0, 0.0, 5.0]] * 12)
    assert steps[0].algorithm == "b"
    assert steps[0].cost == pytest.approx(2.5)
    assert steps[0].cheaper == pytest.approx(4.0)


def test_a_data_set_where_all_is_dearer_counts_as_any_other() -> None:
    """On the last two data sets all is a hundred times as dear, and there b is dearest by far."""
    costs = [*[[10.0, 1.0, 0.5]] * 6, *[[500.0, 1000.0, 50.0]] * 2]
    scores = [[0.9, 0.8 + i / 1000, 0.7] for i in range(8)]
    steps = found(scores, costs)
    assert [step.algorithm for step in steps] == ["c", "b", "a"]
    # b is ten times cheaper on six, twice as dear on two: 10^(6/8) / 2^(2/8).
    assert steps[1].cheaper == pytest.approx(10**0.75 / 2**0.25)
    assert [step.cost for step in steps] == pytest.approx(
        np.exp(np.log(costs).mean(axis=0))[[2, 1, 0]].tolist()
    )


def test_folds_of_one_data_set() -> None:
    report = palio.analyse(
        palio.load_study("ulas2008"), datasets=["optdigits"], cost="train_time", checks=[]
    )
    assert report.front is not None
    leader = str(report.claims.leader)
    own = {row.algorithm: row.costs["train_time"] for row in report.order.rows}
    steps = prices_of(report.table, report.front, leader, report.comparison)
    assert [step.cost for step in steps] == pytest.approx([own[step.algorithm] for step in steps])
    assert [step.cheaper for step in steps] == pytest.approx(
        [own[leader] / own[step.algorithm] for step in steps]
    )
