"""Aggregates as rliable has them: its release 1.2.0 was run on these runs, 5 and 4 of 6 tasks."""

from __future__ import annotations

import pandas as pd
import pytest

import palio

X = [
    [0.50, 0.67, 0.57, 0.87, 0.55, 1.19],
    [0.90, 0.81, 1.60, 0.12, 0.25, 0.94],
    [0.80, 0.18, 0.93, 0.41, 0.41, 1.54],
    [0.76, 0.88, 0.88, 0.18, 0.91, 2.91],
    [0.27, 1.26, 1.36, 1.34, 0.47, 0.57],
]
Y = [
    [0.5, 0.9, 2.2, 0.5, 0.1, 0.9],
    [1.6, 0.7, 2.7, 0.8, 0.9, 0.4],
    [0.7, 1.6, 1.6, 2.1, 1.5, 1.3],
    [0.1, 0.5, 3.9, 0.6, 1.4, 0.8],
]
# metrics.aggregate_iqm, _median, _mean, _optimality_gap.
POINTS = {
    "x": [0.750625, 0.703, 0.8343333333333334, 0.30566666666666675],
    "y": [1.0083333333333333, 0.95, 1.1791666666666665, 0.2333333333333334],
}
# library.get_interval_estimates with 20,000 repetitions.
INTERVALS = {
    "x": [(0.62125, 0.90875), (0.575, 0.917), (0.67999, 1.002), (0.219, 0.395)],
    "y": [(0.75, 1.28333), (0.71219, 1.225), (0.95417, 1.41667), (0.1375, 0.3375)],
}


@pytest.fixture(scope="module")
def found() -> palio.Aggregates:
    rows = [
        {"game": f"g{task}", "agent": agent, "seed": run, "reward": score}
        for agent, runs in (("x", X), ("y", Y))
        for run, scores in enumerate(runs)
        for task, score in enumerate(scores)
    ]
    table = palio.read_scores(pd.DataFrame(rows), score="reward", higher_is_better=True)
    return palio.aggregate(table, target=1.0, n_resamples=20_000)


@pytest.mark.parametrize("agent", ["x", "y"])
def test_estimates_are_the_same(found: palio.Aggregates, agent: str) -> None:
    row = found.of(agent)
    assert row.gap is not None
    assert [row.iqm.value, row.median.value, row.mean.value, row.gap.value] == pytest.approx(
        POINTS[agent], abs=1e-12
    )


@pytest.mark.parametrize("agent", ["x", "y"])
def test_intervals_are_the_same_but_for_the_draws(found: palio.Aggregates, agent: str) -> None:
    row = found.of(agent)
    for each, ends in zip((row.iqm, row.median, row.mean, row.gap), INTERVALS[agent], strict=True):
        assert each is not None
        assert each[1:] == pytest.approx(ends, abs=0.015)


def test_the_probability_of_improvement_is_the_same(found: palio.Aggregates) -> None:
    # metrics.probability_of_improvement(x, y), and its interval with 5,000 repetitions.
    pair = found.pairs[0]
    assert (pair.a, pair.b) == ("y", "x")
    assert 1 - pair.probability == pytest.approx(0.39166666666666666, abs=1e-7)
    assert (1 - pair.high, 1 - pair.low) == pytest.approx((0.25, 0.54167), abs=0.01)


def test_seeds_are_what_is_drawn(found: palio.Aggregates) -> None:
    assert (found.over, found.n_runs) == ("runs", (4, 5))
    assert "seeds are drawn anew" in found.notes[0]
