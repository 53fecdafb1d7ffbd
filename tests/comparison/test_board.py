"""A comparison as a leaderboard: places, which steps are real, and one algorithm in focus."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import palio
from palio.errors import ParameterError, UnknownNameError
from palio.scores import ScoreTable


def ladder(k: int, n: int = 30, *, measure: str = "accuracy") -> ScoreTable:
    """Each algorithm is a little better than the next, the first two by much."""
    rng = np.random.default_rng(2)
    lead = np.concatenate([[0.5, 0.4], np.linspace(0.2, 0.19, k - 2)])
    values = lead + rng.normal(scale=0.02, size=(n, k))
    return ScoreTable.from_arrays(
        values if measure == "accuracy" else 1 - values,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{i:02}" for i in range(k)],
        measure=measure,
    )


@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_rows_by_hand(measure: str) -> None:
    table = ladder(6, measure=measure)
    found = palio.compare(table)
    first, second, *rest = found.board
    assert (first.place, first.algorithm, first.ranks) == (1, "a00", (1, 1))
    assert (first.beats, first.beaten_by, first.missing) == (5, 0, 0)
    assert (second.beats, second.beaten_by) == (4, 1)
    assert [row.mean_rank for row in found.board] == sorted(found.mean_ranks.values())
    assert all(row.beaten_by >= 2 for row in rest)
    scores = table.means()[:, 0]
    interval = stats.ttest_1samp(scores, 0).confidence_interval()
    assert first.interval == pytest.approx((interval.low, interval.high))
    assert first.mean_score == pytest.approx(scores.mean())


def test_equals_share_a_place() -> None:
    values = np.array([[3.0, 2, 2, 1]] * 8)
    table = ScoreTable.from_arrays(
        values, datasets=[f"d{i}" for i in range(8)], algorithms=list("abcd"), measure="accuracy"
    )
    assert [row.place for row in palio.compare(table).board] == [1, 2, 2, 4]


def test_gaps_are_counted() -> None:
    values = ladder(4).means().copy()
    values[:7, 2] = np.nan
    table = ScoreTable.from_arrays(
        values, datasets=[f"d{i}" for i in range(30)], algorithms=list("abcd"), measure="accuracy"
    )
    missing = {row.algorithm: row.missing for row in palio.compare(table).board}
    assert missing == {"a": 0, "b": 0, "c": 7, "d": 0}


def test_steps_that_are_real() -> None:
    found = palio.compare(ladder(40))
    assert len(found.neighbours) == 39
    assert found.steps()[0] == 2
    assert {found.neighbours[0].a, found.neighbours[0].b} == {"a00", "a01"}


def test_a_focus() -> None:
    found = palio.compare(ladder(6)).focused("a01").focus
    assert found is not None
    assert (found.better, found.same) == (("a00",), ())
    assert set(found.worse) == {"a02", "a03", "a04", "a05"}
    assert (found.above, found.shared) == ("a00", 30)
    assert found.needed is None  # it is told from the next one up already
    last = palio.compare(ladder(6)).board[-1].algorithm
    low = palio.compare(ladder(6)).focused(last).focus
    assert low is not None
    assert low.above is not None
    pair = palio.compare(ladder(6)).pair(low.above, last)
    # z grows with the root of n, and must reach α shared by 15 pairs.
    z, wanted = (stats.norm.isf(p / 2) for p in (pair.p_value, 0.05 / 15))
    assert low.needed == int(np.ceil(30 * (wanted / z) ** 2))
    first = palio.compare(ladder(6)).focused("a00").focus
    assert first is not None
    assert first.above is None


def test_what_is_none() -> None:
    found = palio.compare(ladder(6))
    with pytest.raises(UnknownNameError, match="focus: 'a1' is not known"):
        found.focused("a1")
    with pytest.raises(ParameterError, match="top: it is 1 or more"):
        found.top(0)


def test_the_text_is_a_board_from_many_algorithms_on() -> None:
    few, many, lots = (str(palio.compare(ladder(k))) for k in (30, 40, 70))
    assert "beats" not in few
    assert "beats" in many
    assert "2 of 39 steps down the board are significant." in many
    assert "and 40 more: .whole()" in lots.splitlines()
    assert "a69" not in lots
    every = str(palio.compare(ladder(70)).top(70))
    assert all(f"a{i:02}" in every for i in range(70))
    assert "The first" not in every


def test_beaten_by_is_shown_where_no_ranks_say_it() -> None:
    assert "beaten" not in str(palio.compare(ladder(40)))
    assert "beaten" in str(palio.compare(ladder(40), correction="bh"))


def with_costs(table: ScoreTable) -> ScoreTable:
    costs = np.arange(table.n_datasets * table.n_algorithms, dtype=float)
    return ScoreTable.from_arrays(
        table.means(),
        datasets=table.datasets,
        algorithms=table.algorithms,
        measure=table.measure,
        costs={"seconds": costs.reshape(table.n_datasets, -1), "bytes": 2 * costs.reshape(30, -1)},
    )


@pytest.mark.parametrize("k", [4, 40])
def test_a_cost_is_shown_where_it_is_named(k: int) -> None:
    table = with_costs(ladder(k))
    assert all(row.costs == {} for row in palio.compare(table).board)
    assert "seconds" not in str(palio.compare(table))
    found = palio.compare(table, cost=["bytes", "seconds"])
    units = [(cost.name, cost.unit) for cost in found.costs]
    assert units == [("bytes", "bytes"), ("seconds", "seconds")]
    first = found.board[0]
    # The first column of costs is 0, k, 2k … of 30 data sets; 0 counts as half of the least, 1.
    seconds = math.exp(np.log([0.5, *(k * np.arange(1.0, 30))]).mean())
    assert first.costs == {
        "bytes": pytest.approx(2 * seconds), "seconds": pytest.approx(seconds),
    }  # fmt: skip
    headings = [line.split() for line in str(found).splitlines() if "place" in line]
    assert headings[0][-2:] == ["bytes", "seconds"]
    with pytest.raises(UnknownNameError, match="cost: 'second' is not known"):
        palio.compare(table, cost="second")


def test_a_cost_that_some_lack_is_a_dash() -> None:
    table = ladder(4)
    costs = np.ones((30, 4))
    costs[:, 2] = np.nan
    found = palio.compare(
        ScoreTable.from_arrays(
            table.means(), datasets=table.datasets, algorithms=table.algorithms,
            measure="accuracy", costs={"time": costs},
        ),
        cost="time",
    )  # fmt: skip
    shown = next(row for row in map(str.split, str(found).splitlines()) if row[1:2] == ["a02"])
    assert shown[-1] == "–"


def apart() -> ScoreTable:
    """Three algorithms on ten data sets, two on ten others, one alone: half of it is empty."""
    rng = np.random.default_rng(3)
    values = np.full((21, 6), np.nan)
    values[:10, :3] = np.array([0.9, 0.5, 0.1]) + rng.normal(scale=0.01, size=(10, 3))
    values[10:20, 3:5] = np.array([0.2, 0.8]) + rng.normal(scale=0.01, size=(10, 2))
    values[20, 5] = 0.99
    return ScoreTable.from_arrays(
        values, datasets=[f"d{i}" for i in range(21)], algorithms=list("abcdef"), measure="accuracy"
    )


def test_parts_have_boards_of_their_own() -> None:
    found = palio.compare(apart())
    assert [(row.algorithm, row.place) for row in found.board] == [
        ("a", 1), ("b", 2), ("c", 3), ("e", 1), ("d", 2), ("f", 1),
    ]  # fmt: skip
    # Ranks are counted within a part, too.
    assert {row.algorithm: row.ranks for row in found.board} == {
        "a": (1, 1), "b": (2, 2), "c": (3, 3), "e": (1, 1), "d": (2, 2), "f": (1, 1),
    }  # fmt: skip
    text = str(found)
    assert "Board 1" in text
    assert "Board 2" in text
    assert "1 algorithm met no other: f." in text
    assert "strength" not in text
    # On each board one is always the first of three, or of two: 1/4 and 1/3 of K + 1 = 7.
    assert found.mean_ranks["a"] == pytest.approx(7 / 4)
    assert found.mean_ranks["e"] == pytest.approx(7 / 3)
    assert "3 of 3 steps down the board are significant." in text
    ranked = palio.rank(apart())
    assert ranked.method == "average-ranks"
    assert "Board 2" in str(ranked)
    assert [row.place for row in ranked.board] == [1, 2, 3, 1, 2, 1]
    assert [row.beats for row in ranked.board][:3] == [2, 1, 0]
    assert ranked.board[-1].beats is None  # there is nobody to beat


def test_a_mixed_measure_has_no_mean() -> None:
    values = np.array([[0.9, 0.8], [1.0, 2.0]] * 8)
    frame = [
        {"dataset": f"d{i}", "algorithm": "ab"[j], "score": values[i, j],
         "metric": ["accuracy", "rmse"][i % 2]}
        for i in range(16) for j in range(2)
    ]  # fmt: skip
    table = palio.read_scores(frame)
    row = palio.compare(table).board[0]
    assert np.isnan([row.mean_score, *row.interval]).all()
    heading = next(line for line in str(palio.rank(table)).splitlines() if "place" in line)
    assert "±" not in heading


@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_the_board_of_a_ranking(measure: str) -> None:
    table = ladder(6, measure=measure)
    found = palio.rank(table, method="mean-score")
    assert [row.algorithm for row in found.board] == list(found.order)
    assert found.order[0] == "a00"
    first, second, *rest = found.board
    assert (first.ranks, first.beats, first.beaten_by) == ((1, 1), 5, 0)
    assert (second.beats, second.beaten_by) == (4, 1)
    judged = {row.algorithm: row for row in palio.compare(table).board}
    for row in found.board:
        assert (row.ranks, row.interval, row.group, row.beats, row.beaten_by) == (
            judged[row.algorithm].ranks, judged[row.algorithm].interval,
            judged[row.algorithm].group, judged[row.algorithm].beats,
            judged[row.algorithm].beaten_by,
        )  # fmt: skip
    # The mean score is the method's own, and stands there once.
    heading = next(line for line in str(found).splitlines() if "place" in line)
    assert heading.split().count(measure) == 1
    assert len(rest) == 4


def test_equals_share_a_place_of_a_ranking() -> None:
    values = np.array([[3.0, 2, 2, 1]] * 8)
    table = ScoreTable.from_arrays(
        values, datasets=[f"d{i}" for i in range(8)], algorithms=list("abcd"), measure="accuracy"
    )
    for method in ("average-ranks", "mean-score", "elo"):
        assert [row.place for row in palio.rank(table, method=method).board] == [1, 2, 2, 4]


def test_a_focus_of_a_ranking_is_in_its_own_order() -> None:
    table = palio.load_study("ulas2008")
    by_mean = palio.rank(table, method="mean-score").focused("c45").focus
    by_rank = palio.rank(table).focused("c45").focus
    assert by_mean is not None
    assert by_rank is not None
    assert (by_mean.above, by_rank.above) == ("5nn", "5nn")
    mdt = palio.rank(table, method="mean-score").focused("mdt").focus
    assert mdt is not None
    assert mdt.above == "lnp"  # by mean rank it is the last, after c45
    untested = palio.rank(ladder(4, n=1))
    assert {(row.ranks, row.beats) for row in untested.board} == {(None, None)}
    with pytest.raises(ParameterError, match="focus: it is against the rest by a test"):
        untested.focused("a00")


def test_of_many_pairs_the_neighbours_are_shown() -> None:
    found = palio.compare(ladder(12))
    text = " ".join(str(found).split())
    assert "11 of 66 pairs, next to each other on the board" in text
    focused = " ".join(str(found.focused("a05")).split())
    assert "11 of 66 pairs, of the focus" in focused
    assert "a05 stands at" in focused
    every = str(palio.compare(ladder(10)))
    assert "next to each other" not in every


def test_it_is_in_the_json() -> None:
    answer = palio.compare(ladder(5)).focused("a03").to_dict()
    assert answer["focus"]["row"]["algorithm"] == "a03"
    assert answer["components"] == [list(palio.compare(ladder(5)).by_mean_rank)]
