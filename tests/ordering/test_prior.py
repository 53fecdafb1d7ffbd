"""What is preferred before the scores are looked at: costs, weights, an order by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palio.errors import ParameterError, UnknownNameError
from palio.ordering.prior import cheapest_first, prior_from, some
from palio.scores import ScoreTable


def costly(n: int = 2, *, measure: str = "accuracy", scores: Any = None) -> ScoreTable:
    """Time (2, 4, 8) on one data set and (10, 5, 0) on the others; space nothing on the first."""
    return ScoreTable.from_arrays(
        [[0.5, 0.6, 0.7]] * n if scores is None else scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=["a", "b", "c"],
        measure=measure,
        costs={
            "time": [[2, 4, 8]] + [[10, 5, 0]] * (n - 1),
            "space": [[0, 0, 0]] + [[1, 2, 4]] * (n - 1),
        },
    )


def test_one_cost_as_shares_of_the_largest() -> None:
    table = costly()
    found = prior_from(table, cost="time", prior=None)
    assert found.values.tolist() == [[0.25, 0.5, 1.0], [1.0, 0.5, 0.0]]
    assert found.weights == {"time": 1.0}
    assert found.notes == ("cost: time, divided by each data set's largest",)
    assert found.shown(table).tolist() == [[2, 4, 8], [10, 5, 0]]
    assert found.overall.tolist() == [0.625, 0.5, 0.5]


def test_several_costs_add_up_by_their_weights() -> None:
    table = costly()
    found = prior_from(table, cost={"time": 2, "space": 0.5}, prior=None)
    assert found.values.tolist() == [[0.5, 1.0, 2.0], [2.125, 1.25, 0.5]]
    assert found.notes == ("cost: 2 × time + 0.5 × space, divided by each data set's largest",)
    assert found.shown(table) is found.values
    equal = prior_from(table, cost=["time", "space"], prior=None)
    assert equal.weights == {"time": 1.0, "space": 1.0}


def test_an_order_by_hand_is_places() -> None:
    table = costly()
    found = prior_from(table, cost=None, prior=["c", "a", "b"])
    assert found.values.tolist() == [[2, 3, 1]] * 2
    assert found.weights is None
    assert found.tied_notes(table.datasets) == ()
    assert cheapest_first(table, found) == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"cost": None, "prior": None}, ParameterError, "the table has: time, space"),
        ({"cost": "time", "prior": ["a", "b", "c"]}, ParameterError, "one of the two"),
        ({"cost": None, "prior": ["a", "b"]}, ParameterError, "it lacks c"),
        ({"cost": None, "prior": ["a", "b", "c", "a"]}, ParameterError, "an algorithm twice"),
        ({"cost": None, "prior": ["a", "b", "d"]}, UnknownNameError, "'d'"),
        ({"cost": [], "prior": None}, ParameterError, "at least one cost"),
        ({"cost": {"time": 0.0}, "prior": None}, ParameterError, "'time' has 0.0"),
        ({"cost": {"time": np.inf}, "prior": None}, ParameterError, "'time' has inf"),
        ({"cost": {"time": 1.0, "space": -1.0}, "prior": None}, ParameterError, "'space' has -1.0"),
        ({"cost": "tine", "prior": None}, UnknownNameError, "'time'"),
    ],
)
def test_what_is_no_preference(options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        prior_from(costly(), **options)


@pytest.mark.parametrize(("measure", "sign"), [("accuracy", 1), ("error", -1)])
def test_of_equal_costs_the_better_is_first_then_the_name(measure: str, sign: int) -> None:
    """b and c cost the same on average, as their shares say; c has the better mean."""
    table = costly(
        measure=measure, scores=0.5 + sign * np.array([[0.2, 0.1, 0.2], [0.2, 0.1, 0.2]])
    )
    assert cheapest_first(table, prior_from(table, cost="time", prior=None)) == ["c", "b", "a"]
    level = costly(measure=measure, scores=[[0.5, 0.5, 0.5]] * 2)
    assert cheapest_first(level, prior_from(level, cost="time", prior=None)) == ["b", "c", "a"]


def test_where_costs_are_equal_is_said() -> None:
    table = costly(8)
    assert prior_from(table, cost="time", prior=None).tied_notes(table.datasets) == ()
    found = prior_from(table, cost="space", prior=None).tied_notes(table.datasets)
    assert found == ("equal costs on d0: the better mean score first, then the name",)


def test_five_are_named_and_the_others_counted() -> None:
    names = [f"d{i}" for i in range(9)]
    assert some(names, np.arange(5)) == "d0, d1, d2, d3, d4"
    assert some(names, np.arange(2, 8)) == "d2, d3, d4, d5, d6 and 1 more"
