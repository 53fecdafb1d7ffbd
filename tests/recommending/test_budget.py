"""Budgets, and what a trial will cost."""

import numpy as np
import pytest

import palio
from palio.errors import ParameterError, UnknownNameError
from palio.recommending.budget import (
    chosen_costs,
    fill_costs,
    growth,
    medians_without_each,
    read_budget,
    starter,
    total_costs,
    within_budget,
)
from palio.recommending.costing import FoldCosts
from palio.types import FloatArray


def test_who_was_measured_on_small_data_sets_alone_is_not_cheap() -> None:
    """The second costs twice as much wherever both were measured."""
    costs = np.array([[1.0, 2.0], [2.0, 4.0], [100.0, np.nan], [500.0, np.nan]])
    filled = fill_costs(costs)
    np.testing.assert_allclose(filled[:, 1], 2 * filled[:, 0], rtol=1e-8)
    assert (fill_costs(filled) == filled).all()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60s", 60), ("5min", 300), ("2h", 7200), ("1.5 hours", 5400), (".5d", 43200), ("90", 90),
     (12.5, 12.5), (" 3 Min ", 180), ("1e3", 1000), (1e-6, 1e-6)],
)  # fmt: skip
def test_budgets(text: str | float, seconds: float) -> None:
    assert read_budget(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "s", "5 parsecs", "-3s", "0", "1e3x", "nan", "inf", "5min 3s"]
)
def test_unreadable_budgets_say_how(text: str) -> None:
    with pytest.raises(ParameterError, match="60s, 5min or 2h"):
        read_budget(text)


def test_budget_passes_over_what_is_too_dear() -> None:
    costs = np.array([4.0, 7.0, 5.0, 1.0])
    fits, spent = within_budget(costs, 10.0)
    assert fits.tolist() == [True, False, True, True]  # the cheapest, 1, then 4 and 5: exactly 10
    assert spent.tolist() == [5.0, 5.0, 10.0, 10.0]
    fits, spent = within_budget(costs, None)
    assert fits.all()
    assert spent.tolist() == [4.0, 11.0, 16.0, 17.0]


def test_growth_is_found_in_spite_of_an_outlier() -> None:
    rows = np.array([100.0, 200, 400, 800, 1600, 3200])
    costs = 1e-4 * rows**1.5
    costs[2] *= 50
    assert growth(costs, rows) == pytest.approx(1.5, abs=0.1)


def test_no_growth_where_there_is_none_to_see() -> None:
    rows = np.array([100.0, 200, 400, 800, 1600])
    assert growth(1e-3 * rows[:4], rows[:4]) == 0  # too few
    assert growth(np.full(5, 2.0), rows) == 0
    assert growth(1 / rows, rows) == 0  # to fall with the rows is an accident
    assert growth(rows**4, rows) == 0  # so is the fourth power
    assert growth(rows * 0, rows) == 0  # no logarithm
    close = np.array([100.0, 110, 120, 130, 140])
    assert growth(close**2, close) == 0  # within a factor of four
    rng = np.random.default_rng(0)
    noise = np.exp(rng.normal(size=12) * 3)
    assert growth(noise, np.geomspace(100, 1000, 12)) == 0  # the median foretells as well


def test_costs_are_carried_over_by_the_power_of_the_larger_half() -> None:
    """A second whatever the rows, and a millionth of their square: seen in the larger half."""
    rows = np.geomspace(50, 8000, 24)
    costs = FoldCosts((1 + 1e-6 * rows**2)[:, np.newaxis], rows)
    (power,) = costs.powers_of_larger
    assert costs.powers[0] < 1 < power < 2
    small, large = (costs.expected(range(24), n)[0][0] for n in (60.0, 6000.0))
    assert 0.3 < small < 2
    assert large == pytest.approx(1 + 36, rel=0.3)
    # Beyond the rows of the table costs grow as they do, at least.
    at, beyond = (costs.expected(range(24), n)[0][0] for n in (8000.0, 80_000.0))
    assert beyond == pytest.approx(at * 10**power)
    flat = FoldCosts(np.full((24, 1), 3.0), rows)
    assert flat.powers_of_larger == [0.0]
    assert [flat.expected(range(24), n)[0][0] for n in (100.0, 80_000.0)] == [3.0, 30.0]


def test_the_first_trial_is_cheap_whatever_the_order() -> None:
    costs = np.array([90.0, 4.0, 1.0, 30.0])
    assert starter(costs, None) is None
    assert starter(costs, 100.0) == 1  # the first of those that take 5 at most
    assert starter(costs, 10.0) == 2
    assert starter(np.array([np.nan, 7.0]), 1.0) == 1
    fits, spent = within_budget(costs, 100.0)
    assert fits.tolist() == [True, True, True, False]  # 4, 90 and 1
    assert spent.tolist() == [94.0, 94.0, 95.0, 95.0]
    assert within_budget(costs, 0.5)[0].tolist() == [False, False, True, False]


def test_costs_of_a_trial() -> None:
    table = palio.ScoreTable.from_arrays(
        [[0.9, 0.8]],
        datasets=["d"],
        algorithms=["a", "b"],
        measure="accuracy",
        costs={"fit_time": [[1.0, 2.0]], "predict_time": [[0.5, 0.1]], "space": [[3.0, 4.0]]},
    )
    assert chosen_costs(table, None) == ("fit_time", "predict_time")
    found = total_costs(table, chosen_costs(table, None))
    assert found is not None
    assert found.tolist() == [[1.5, 2.1]]
    assert total_costs(table, ()) is None
    with pytest.raises(UnknownNameError, match="Did you mean 'fit_time'"):
        chosen_costs(table, "fittime")
    assert chosen_costs(palio.load_study("ulas2008"), None) == ("train_time",)


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_growth_is_that_of_leaving_out_each_by_loops(seed: int, alone: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 12))
    # Equal ones have no slope between them; where one is alone, without it there is none at all.
    rows = np.full(n, 100.0) if alone else rng.integers(1, 6, size=n) * np.float64(100)
    rows[:2] = 100.0, 800.0
    costs: FloatArray = rows ** rng.uniform(0, 1.5) * rng.lognormal(0, 0.8, n)
    x, y = np.log(rows), np.log(costs)

    def slope(among: list[int]) -> float:
        pairs = [(i, j) for i in among for j in among if i < j and x[i] != x[j]]
        return float(np.median([(y[j] - y[i]) / (x[j] - x[i]) for i, j in pairs])) if pairs else 0

    scaled = plain = 0.0
    for i in range(n):
        rest = [j for j in range(n) if j != i]
        b = slope(rest)
        scaled += abs(y[i] - np.median([y[j] + b * (x[i] - x[j]) for j in rest]))
        plain += abs(y[i] - np.median([y[j] for j in rest]))
    b = slope(list(range(n)))
    expected = b if scaled < plain and 0 < b <= 3 else 0.0
    assert growth(costs, rows) == pytest.approx(expected)


@pytest.mark.parametrize("n", [3, 4, 7, 12])
def test_medians_without_each_by_loops(n: int) -> None:
    rng = np.random.default_rng(n)
    first, second = np.triu_indices(n, 1)
    some = rng.random(len(first)) < 0.8
    some[0] = True
    first, second = first[some], second[some]
    slopes = rng.integers(-3, 4, len(first)) + rng.choice([0.0, 0.5], len(first))
    found = medians_without_each(slopes, first, second, n)
    for i in range(n):
        left = [s for s, a, b in zip(slopes, first, second, strict=True) if i not in (a, b)]
        assert found[i] == (np.median(left) if left else 0.0)
