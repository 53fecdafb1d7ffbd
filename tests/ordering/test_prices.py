"""At each price the best that can be had."""

import math

import pytest
from palio.ordering.prices import Price, prices_of

import palio


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
    own = {row.algorithm: row.costs for row in report.order.rows}
    return list(prices_of(report.front, "a", report.comparison, own))


def test_steps_of_the_front_worked_by_hand() -> None:
    scores = [[0.9 + i / 1000, 0.8 + i / 990, 0.7 + i / 980] for i in range(12)]
    steps = found(scores, [[10.0, 5.0, 20.0]] * 12)
    # c is dearer than a, and worse.
    assert [step.algorithm for step in steps] == ["b", "a"]
    assert [step.own for step in steps] == [5.0, 10.0]
    assert [step.cost for step in steps] == [0.25, 0.5]
    assert [step.cheaper for step in steps] == [2.0, 1.0]
    assert [step.worse for step in steps] == [True, False]


def test_lower_may_be_better() -> None:
    scores = [[0.1, 0.2 + i / 1000, 0.3] for i in range(12)]
    steps = found(scores, [[10.0, 5.0, 1.0]] * 12, measure="error")
    assert [step.algorithm for step in steps] == ["c", "b", "a"]
    assert [step.worse for step in steps] == [True, True, False]


def test_what_cannot_be_told_apart_is_not_worse() -> None:
    scores = [[0.9, 0.89 if i % 2 else 0.905, 0.5] for i in range(12)]
    assert [step.worse for step in found(scores, [[10.0, 5.0, 1.0]] * 12)] == [True, False, False]


def test_a_cost_of_nothing() -> None:
    steps = found([[0.9, 0.8, 0.7 + i / 1000] for i in range(12)], [[10.0, 0.0, 5.0]] * 12)
    assert (steps[0].algorithm, steps[0].cheaper) == ("b", math.inf)


def test_means_in_another_order_than_the_shares_are_not_said() -> None:
    # On the second data set all is a hundred times as dear: there b is dearest by far.
    costs = [[10.0, 1.0, 0.5], *[[10.0, 1.0, 0.5]] * 5, *[[500.0, 1000.0, 50.0]] * 2]
    scores = [[0.9, 0.8 + i / 1000, 0.7] for i in range(8)]
    steps = found(scores, costs)
    assert [step.algorithm for step in steps] == ["c", "b", "a"]
    assert [step.own for step in steps] == [None, None, None]


def test_folds_of_one_data_set() -> None:
    report = palio.analyse(
        palio.load_study("ulas2008"), datasets=["optdigits"], cost="train_time", checks=[]
    )
    assert report.front is not None
    own = {row.algorithm: row.costs for row in report.order.rows}
    best = report.verdict.best_by_score
    steps = prices_of(report.front, best, report.comparison, own)
    assert [step.own for step in steps] == pytest.approx([step.cost for step in steps])
