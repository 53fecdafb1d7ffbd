"""The critical-difference line, with bars over true groups only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from tests.report.figures.summaries import (
    artists,
    check_texts,
    comparison,
    names,
    ordering,
    some_comparison,
)
from tests.report.made import draw


def x_of(figure: Figure) -> dict[str, float]:
    leaders = artists(figure, Line2D, "leader:")
    return {name: float(np.asarray(line.get_xdata())[0]) for name, line in leaders.items()}


def check_bars(figure: Figure, groups: Iterable[Sequence[str]]) -> None:
    """The bars are these groups, and each covers its members' leaders and no others."""
    bars = artists(figure, Line2D, "bar:")
    assert {frozenset(gid.split("|")) for gid in bars} == {frozenset(group) for group in groups}
    x = x_of(figure)
    spans = []
    for gid, bar in bars.items():
        left, right = np.asarray(bar.get_xdata())
        assert {name for name in x if left <= x[name] <= right} == set(gid.split("|"))
        spans.append((float(np.asarray(bar.get_ydata())[0]), left, right))
    for (y, left, right), (other_y, other_left, other_right) in combinations(spans, 2):
        assert y != other_y or right < other_left or other_right < left


def test_bars_over_groups() -> None:
    ranks = {"a": 1.4, "b": 2.0, "c": 3.1, "d": 3.5}
    groups = [["a", "b"], ["b", "c"], ["c", "d"]]
    check_bars(draw(comparison(ranks, groups, 1.2), "critical-difference"), groups)


@pytest.mark.parametrize("n", [5, 12, 20, 50])
def test_bars_over_random_groups(n: int) -> None:
    summary = some_comparison(names(n, "short"), n)
    groups = [group for group in summary["groups"] if len(group) > 1]
    check_bars(draw(summary, "critical-difference"), groups)


def test_no_bar_over_a_stranger() -> None:
    ranks = {"a": 1.2, "b": 2.1, "c": 2.9, "d": 3.8}
    figure = draw(comparison(ranks, [["a", "c"], ["c", "d"], ["b"]]), "critical-difference")
    check_bars(figure, [["c", "d"]])
    lines = [text.get_text() for text in figure.findobj(Text) if text.get_gid() == "caption"]
    assert "Not different, but not neighbours: a, c." in " ".join(lines)


def test_no_bar_over_a_stranger_with_the_same_mean_rank() -> None:
    ranks = {"a": 1.5, "b": 2.5, "c": 2.5, "d": 3.5}
    figure = draw(comparison(ranks, [["a", "b"], ["c", "d"]]), "critical-difference")
    check_bars(figure, [])


def test_a_near_stranger_is_not_touched() -> None:
    ranks = {"a": 1.0, "b": 2.499, "c": 2.5, "d": 4.0}
    figure = draw(comparison(ranks, [["a", "b"], ["c", "d"]]), "critical-difference")
    check_bars(figure, [["a", "b"], ["c", "d"]])


def segments(line: Line2D) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    points = [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]
    return list(pairwise(points))


@pytest.mark.parametrize("n", [2, 3, 7, 20])
def test_leaders_do_not_cross(n: int) -> None:
    figure = draw(some_comparison(names(n, "short"), n), "critical-difference")
    leaders = artists(figure, Line2D, "leader:").values()
    for one, other in combinations(leaders, 2):
        for a, b in ((one, other), (other, one)):
            (down, _), (_, across) = segments(a), segments(b)
            (x, top), (_, bottom) = down
            left, right = sorted((across[0][0], across[1][0]))
            assert not (left < x < right and bottom < across[0][1] < top)


def test_equal_mean_ranks_have_their_own_labels() -> None:
    figure = draw(comparison(dict.fromkeys("abcd", 2.5), ["abcd"], 1.0), "critical-difference")
    check_texts(figure)
    check_bars(figure, ["abcd"])
    assert len(artists(figure, Text, "name:")) == 4
    assert {text.get_text() for text in artists(figure, Text, "rank:").values()} == {"2.50"}


def test_critical_difference_is_drawn_to_scale() -> None:
    ranks = {"a": 1.0, "b": 2.0, "c": 3.0}
    figure = draw(comparison(ranks, [], 1.25), "critical-difference")
    bar = artists(figure, Line2D, "critical-difference")[""]
    x = x_of(figure)
    assert np.ptp(bar.get_xdata()) == pytest.approx(1.25 * (x["b"] - x["a"]))
    assert artists(figure, Text, "critical-difference-label")[""].get_text() == "CD = 1.250"


def test_no_critical_difference_no_bar_for_it() -> None:
    figure = draw(comparison({"a": 1.0, "b": 2.0}, []), "critical-difference")
    assert not artists(figure, Line2D, "critical-difference")


def test_critical_difference_longer_than_the_axis() -> None:
    figure = draw(comparison({"a": 1.0, "b": 2.0}, [["a", "b"]], 5.0), "critical-difference")
    check_texts(figure)
    bar = artists(figure, Line2D, "critical-difference")[""]
    assert np.max(bar.get_xdata()) < figure.get_size_inches()[0]


def test_best_is_left_and_on_top() -> None:
    figure = draw(comparison({"b": 2.2, "a": 1.1, "c": 2.7}, [], 0.5), "critical-difference")
    x = x_of(figure)
    assert x["a"] < x["b"] < x["c"]
    label = artists(figure, Text, "name:")
    assert label["a"].get_position()[1] > label["b"].get_position()[1]
    assert label["a"].get_position()[0] < x["a"] < x["c"] < label["c"].get_position()[0]


def test_ordering_draws_its_comparison() -> None:
    inner = comparison({"a": 1.2, "b": 1.8}, [["a"], ["b"]], 0.3)
    figure = draw(ordering(["a", "b"], [], comparison=inner), "critical-difference")
    assert set(artists(figure, Text, "name:")) == {"a", "b"}
