"""A comparison as a leaderboard: places, which steps are real, and one algorithm in focus."""

from __future__ import annotations

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
    assert found.n_real_steps == 2
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
    assert "beaten" not in few
    assert "beaten" in many
    assert "2 of 39 steps down the board are significant." in many
    assert "The first 30 of 70 algorithms" in " ".join(lots.split())
    assert "a69" not in lots
    every = str(palio.compare(ladder(70)).top(70))
    assert all(f"a{i:02}" in every for i in range(70))
    assert "The first" not in every


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
