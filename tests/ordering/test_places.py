"""Every algorithm in its place, and the front of cost and score."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import palio
from palio.ordering.result import Order, OrderRow, places
from palio.ordering.tradeoff import dominance, front_of

NAN = float("nan")

# a is best and dearest, b is beaten in both by c, d is cheapest and worst.
ERRORS = [[0.1, 0.3, 0.2, 0.4]] * 6
TIMES = [[9.0, 5.0, 4.0, 1.0]] * 6


def row_of(order: Order, algorithm: str) -> OrderRow:
    return next(row for row in order.rows if row.algorithm == algorithm)


def table(higher: bool, **changes: Any) -> palio.ScoreTable:
    errors = np.array(changes.pop("errors", ERRORS))
    options: dict[str, Any] = {
        "datasets": [f"d{i}" for i in range(len(errors))],
        "algorithms": list("abcd"),
        "measure": "accuracy" if higher else "error",
        "costs": {"time": np.array(TIMES[: len(errors)])},
    }
    return palio.ScoreTable.from_arrays(1 - errors if higher else errors, **{**options, **changes})


def order_of(found: palio.ScoreTable, **asked: Any) -> Order:
    return palio.analyse(found, checks=[], **asked).order


@pytest.mark.parametrize("higher", [True, False])
def test_the_front_whatever_the_direction(higher: bool) -> None:
    found = table(higher)
    front = front_of(found, {"time": 1.0})
    assert front is not None
    assert front.members == ("d", "c", "a")
    behind = {point.algorithm: point.dominated_by for point in front.points}
    assert behind == {"a": (), "b": ("c",), "c": (), "d": ()}
    # A single cost is in its own unit.
    assert [point.cost for point in front.by_cost] == pytest.approx([1, 4, 5, 9])
    assert front.unit == "geometric mean"
    timed = table(higher, costs={"fit_seconds": np.array(TIMES)})
    in_seconds = front_of(timed, {"fit_seconds": 1.0})
    assert in_seconds is not None
    assert in_seconds.unit == "geometric mean, seconds"
    assert front.claim.algorithms == ("d", "c", "a")
    assert front.claim.n_others == 1
    assert front.points[0].score == pytest.approx(0.9 if higher else 0.1)


def test_equal_ones_are_both_on_the_front() -> None:
    found = table(True, errors=[[0.1, 0.1, 0.2, 0.2]], costs={"time": [[2.0, 2.0, 1.0, 2.0]]})
    front = front_of(found, {"time": 1.0})
    assert front is not None
    assert set(front.members) == {"a", "b", "c"}
    assert front.points[0].cost == pytest.approx(2.0)


def test_on_the_front_each_two_are_compared_on_what_both_have() -> None:
    """Where b was not tried all are worse: its mean is the best, and a is better where both are."""
    goodness = np.array([[0.9, 0.8], [0.5, NAN]])
    cost = np.log([[1.0, 2.0], [9.0, NAN]])
    assert dominance(goodness, cost).tolist() == [[False, True], [False, False]]
    apart = np.array([[0.9, NAN], [NAN, 0.8]])
    assert not dominance(apart, np.zeros((2, 2))).any()


def test_there_is_no_front_without_a_cost_or_a_score_of_everyone() -> None:
    found = table(True)
    assert front_of(found, None) is None
    assert palio.analyse(found, prior=list("abcd"), checks=[]).front is None
    errors = np.array(ERRORS)
    errors[:, 1] = NAN
    errors[0, 1] = 0.3
    few = table(True, errors=errors.tolist(), missing="pairwise")
    assert front_of(few, {"time": 1.0}) is not None


@pytest.mark.parametrize("higher", [True, False])
def test_without_a_cost_the_better_mean_rank_is_first_among_equals(higher: bool) -> None:
    order = order_of(table(higher))
    assert order.method == "pairwise"
    assert [row.algorithm for row in order.rows] == ["a", "c", "b", "d"]
    assert [row.mean_rank for row in order.rows] == [1, 2, 3, 4]
    assert [row.ranks for row in order.rows] == [(1, 4)] * 4
    assert order.rows[0].algorithm == "a"
    one = order_of(table(higher, errors=ERRORS[:1]), cost=())
    assert [row.algorithm for row in one.rows] == ["a", "c", "b", "d"]
    assert (one.rows[0].algorithm, one.rows[0].ranks, one.rows[0].beats) == ("a", (1, 4), None)


@pytest.mark.parametrize("higher", [True, False])
def test_who_beats_whom_is_the_comparisons(higher: bool) -> None:
    errors = np.array(ERRORS * 2) + np.random.default_rng(0).uniform(0, 0.01, (12, 4))
    found = table(
        higher, errors=errors.tolist(), costs={"time": TIMES * 2},
        datasets=[f"d{i}" for i in range(12)],
    )  # fmt: skip
    comparison = palio.compare(found)
    rows = {row.algorithm: row for row in order_of(found).rows}
    for pair in comparison.pairs:
        winner = pair.winner
        assert winner is not None
        loser = pair.b if winner == pair.a else pair.a
        assert loser in (rows[winner].beats or ())
        assert winner in (rows[loser].beaten_by or ())
    assert rows["a"].level_with == ()
    of_b = comparison.pairs_of("b")
    assert [(pair.a, pair.b) for pair in of_b] == [("a", "b"), ("b", "c"), ("b", "d")]
    assert (of_b[0].difference > 0) == higher
    assert order_of(found, test="wilcoxon", alpha=1e-6).rows[0].beats == ()


def test_means_leave_out_what_is_missing() -> None:
    errors = np.array(ERRORS)
    errors[0, 0] = NAN
    order = order_of(table(False, errors=errors.tolist(), missing="pairwise"))
    assert row_of(order, "a").mean_score == pytest.approx(0.1)
    assert row_of(order, "a").costs == {"time": pytest.approx(9.0)}


def test_an_ordering_says_why_and_what_was_weighed() -> None:
    study = palio.load_study("ulas2008")
    report = palio.analyse(study, cost="train_time", datasets=["optdigits"], checks=[])
    order = report.order
    assert order.cost == {"train_time": 1.0}
    assert (order.rows[0].algorithm, report.claims.leader) == ("5nn", "sv2")
    assert row_of(order, "svr").overrides == ("c45", "lnp")
    assert "svr" in row_of(order, "lnp").waits_for
    column = study.algorithms.index("5nn")
    cost = study.select(["optdigits"]).cost_matrix("train_time")[0, column]
    assert order.rows[0].cost == pytest.approx(cost)
    without = palio.order(study)
    assert places(without, without.judged, None).rows[0].cost is None
