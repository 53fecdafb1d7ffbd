"""The critical-difference figure: every group of the result, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

import palio
from palio.report import figures
from palio.report.figures import style
from palio.scores import ScoreTable
from tests.report.figures.summaries import (
    artists,
    check_texts,
    comparison,
    names,
    ordering,
    some_comparison,
)
from tests.report.figures.test_comparison_labels import check_shapes
from tests.report.made import draw


def x_of(figure: Figure) -> dict[str, float]:
    leaders = artists(figure, Line2D, "leader:")
    return {name: float(np.asarray(line.get_xdata())[0]) for name, line in leaders.items()}


def is_list(figure: Figure) -> bool:
    return not artists(figure, Line2D, "leader:")


def standing(figure: Figure) -> dict[str, float]:
    """Return where each algorithm stands along a bar: its leader in a line, its row in a list."""
    rows = artists(figure, Text, "name:")
    return x_of(figure) or {name: float(text.get_position()[1]) for name, text in rows.items()}


def along(figure: Figure, points: Any) -> tuple[np.ndarray, float]:
    """Return the places of points along a bar, and the level of the bar."""
    xs, ys = np.asarray(points, dtype=float).T
    places, level = (ys, xs) if is_list(figure) else (xs, ys)
    assert np.ptp(level) == 0
    return np.sort(places), float(level[0])


def drawn_groups(figure: Figure) -> list[frozenset[str]]:
    """Return the groups as the eye sees them: what is under a bar, or on the dots of one."""
    at = standing(figure)
    pieces = artists(figure, LineCollection, "pieces-of-bar:")
    spans, found = [], []
    for gid, bar in artists(figure, Line2D, "bar:").items():
        places, level = along(figure, bar.get_xydata())
        if bar.get_marker() == "o":
            seen = {name for name in at if np.abs(places - at[name]).min() < 1e-9}
            assert len(seen) == len(places)
        else:
            seen = {name for name in at if places[0] <= at[name] <= places[-1]}
        for piece in pieces[gid].get_segments() if gid in pieces else ():
            (low, high), y = along(figure, piece)
            assert y == level
            assert {name for name in at if low <= at[name] <= high} <= seen
        # The id says the same.
        assert seen == set(gid.split("|"))
        found.append(frozenset(seen))
        spans.append((level, places[0], places[-1]))
    for (y, low, high), (other_y, other_low, other_high) in combinations(spans, 2):
        assert y != other_y or high < other_low or other_high < low
    return found


def check_bars(figure: Figure, groups: Iterable[Sequence[str]]) -> None:
    """Every group of more than one is drawn, once, and nothing else."""
    expected = [frozenset(group) for group in groups if len(group) > 1]
    assert sorted(map(sorted, drawn_groups(figure))) == sorted(map(sorted, expected))


def caption(figure: Figure) -> str:
    return " ".join(t.get_text() for t in figure.findobj(Text) if t.get_gid() == "caption")


def test_bars_over_groups() -> None:
    ranks = {"a": 1.4, "b": 2.0, "c": 3.1, "d": 3.5}
    groups = [["a", "b"], ["b", "c"], ["c", "d"]]
    figure = draw(comparison(ranks, groups, 1.2), "critical-difference")
    check_bars(figure, groups)
    assert not is_list(figure)
    assert caption(figure).endswith("between which no significant difference was found.")


@pytest.mark.parametrize("n", [5, 12, 20, 50])
def test_bars_over_random_groups(n: int) -> None:
    summary = some_comparison(names(n, "short"), n)
    check_bars(draw(summary, "critical-difference"), summary["groups"])


@pytest.mark.parametrize("study", ["ulas2008", "benavoli2016", "replication2026"])
@pytest.mark.parametrize("how", [{}, {"test": "mean-ranks", "correction": "nemenyi"}])
def test_every_group_of_a_study_is_drawn(study: str, how: dict[str, str]) -> None:
    found = palio.compare(palio.load_study(study), **how)  # type: ignore[arg-type]
    figure = figures.draw(found, "critical-difference")
    check_bars(figure, found.groups)
    check_texts(figure)
    assert figure.get_size_inches()[0] <= 7.5


@pytest.mark.parametrize("measure", ["accuracy", "error"])
@pytest.mark.parametrize("k", [6, 14, 20, 40, 60])
def test_every_group_is_drawn_and_can_be_read(k: int, measure: str) -> None:
    """Spreads differ, so that groups are far from neighbours; decimals are few: ranks tie."""
    rng = np.random.default_rng(k)
    spread = np.exp(rng.normal(0, 0.8, k))
    scores = 0.5 + 0.02 * (rng.normal(0, 0.6, k) + spread * rng.normal(size=(30, k)))
    scores[:, -1] = scores[:, 0]
    found = palio.compare(
        ScoreTable.from_arrays(
            np.round(scores, 2),
            datasets=[f"d{i}" for i in range(30)],
            algorithms=[f"learner {i}" for i in range(k)],
            measure=measure,
        )
    )
    figure = figures.draw(found, "critical-difference")
    check_bars(figure, found.groups)
    check_texts(figure)
    check_shapes(figure)
    width, height = figure.get_size_inches()
    assert width <= 7.5
    assert height <= 11
    dotted = [bar for bar in artists(figure, Line2D, "bar:").values() if bar.get_marker() == "o"]
    levels = np.unique([along(figure, bar.get_xydata())[1] for bar in dotted])
    widest = max((bar.get_markersize() for bar in dotted), default=0.0)
    assert min(np.diff(levels), default=1.0) * 72 > widest


def test_a_bar_is_dotted_over_a_stranger() -> None:
    ranks = {"a": 1.2, "b": 2.1, "c": 2.9, "d": 3.8}
    groups = [["a", "c", "d"], ["b"]]
    figure = draw(comparison(ranks, groups), "critical-difference")
    check_bars(figure, groups)
    assert not is_list(figure)
    bar = artists(figure, Line2D, "bar:")["a|c|d"]
    assert bar.is_dashed()
    (piece,) = artists(figure, LineCollection, "pieces-of-bar:")["a|c|d"].get_segments()
    assert piece[:, 0].tolist() == [x_of(figure)["c"], x_of(figure)["d"]]
    assert caption(figure).endswith("one with dots joins only those on its dots.")


@pytest.mark.parametrize("near", [0.0, 0.001, 0.02])
def test_who_is_as_good_as_a_member_is_seen_not_to_be_one(near: float) -> None:
    ranks = {"a": 1.5, "b": 2.5, "c": 2.5 + near, "d": 3.5}
    groups = [["a", "b"], ["c", "d"]]
    figure = draw(comparison(ranks, groups), "critical-difference")
    check_bars(figure, groups)
    at = standing(figure)
    # Half a tenth of an inch at least between them.
    assert abs(at["b"] - at["c"]) > 0.05
    assert {text.get_text() for text in artists(figure, Text, "rank:").values()} >= {"2.50"}


def test_a_list_says_what_its_dots_mean_and_where_ranks_are() -> None:
    ranks = {"a": 1.5, "b": 2.5, "c": 2.5, "d": 3.5}
    figure = draw(comparison(ranks, [["a", "b"], ["c", "d"]], 0.7), "critical-difference")
    assert is_list(figure)
    assert "difference was found between algorithms on the dots of one bar" in caption(figure)
    x = {
        name: float(np.asarray(mark.get_xdata())[0])
        for name, mark in artists(figure, Line2D, "at:").items()
    }
    # No mark looks as if its algorithm differed from a control.
    assert {mark.get_color() for mark in artists(figure, Line2D, "at:").values()} == {style.INK}
    assert x["b"] == x["c"]
    assert x["d"] - x["b"] == pytest.approx(x["b"] - x["a"])
    scale = artists(figure, Line2D, "critical-difference")[""]
    assert np.ptp(scale.get_xdata()) == pytest.approx(0.7 * (x["b"] - x["a"]))


def test_long_names_and_a_control_make_a_list() -> None:
    ranks = {f"{'long name ' * 5}{i}": i + 1.0 for i in range(4)}
    control, differs, *same = ranks
    summary = comparison(ranks, []) | {
        "control": control,
        "pairs": [{"a": control, "b": name, "significant": name == differs} for name in ranks],
    }
    figure = draw(summary, "critical-difference")
    assert is_list(figure)
    check_texts(figure)
    assert set(artists(figure, Line2D, "control:")) == {control}
    assert set(artists(figure, Line2D, "differs:")) == {differs}
    assert set(artists(figure, Line2D, "same:")) == set(same)


def test_too_many_groups_are_said_not_to_be_drawn() -> None:
    """Nobody may look alone because a group could not be drawn."""
    nested = {f"a{i}": i + 1.0 for i in range(140)}
    order = list(nested)
    groups = [[order[i], order[-1 - i]] for i in range(70)]
    for ranks, given in ((nested, groups), ({"a": 1.0, "b": 2.0}, [])):
        figure = draw(comparison(ranks, given), "critical-difference")
        check_bars(figure, [])
        assert "There are too many groups to draw. The comparison matrix" in caption(figure)


def test_who_differs_from_all_is_in_no_group() -> None:
    figure = draw(comparison({"a": 1.0, "b": 2.0}, [["a"], ["b"]]), "critical-difference")
    check_bars(figure, [])
    assert caption(figure).endswith("Every two differ significantly.")


def test_the_caption_counts_the_data_sets_behind_the_ranks() -> None:
    """With gaps mean ranks allow for the data sets that each lacks, or are of complete ones."""
    scores = np.random.default_rng(3).normal(size=(12, 3)) + 10
    scores[0, 0] = scores[1, 1] = scores[2, 2] = np.nan
    table = ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(12)],
        algorithms=["a", "b", "c"],
        measure="accuracy",
        missing="pairwise",
    )
    figure = figures.draw(palio.compare(table), "critical-difference")
    of_each = "Mean ranks over 12 data sets, adjusted for those that each lacks; 1 is best."
    assert caption(figure).startswith(of_each)
    # Least squares, additive in algorithm and data set, of the rank among m as rank/(m + 1).
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1.0  # NaN is last
    there = np.isfinite(scores)
    rows, columns = np.nonzero(there)
    scaled = (ranks / (there.sum(axis=1, keepdims=True) + 1))[there]
    design = np.hstack([np.eye(12)[rows], np.eye(3)[columns]])
    fitted = np.linalg.lstsq(design, scaled, rcond=None)[0]
    expected = 4 * (fitted[12:] + fitted[:12].mean())
    found = palio.compare(table).mean_ranks
    assert [found[name] for name in "abc"] == pytest.approx(expected.tolist())
    drawn = {text.get_text() for text in figure.axes[0].texts}
    assert {f"{each:.2f}" for each in expected} <= drawn
    figure = figures.draw(palio.compare(table, test="mean-ranks"), "critical-difference")
    assert caption(figure).startswith("Mean ranks over 9 of 12 data sets; 1 is best.")


def segments(line: Line2D) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    points = [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]
    return list(pairwise(points))


@pytest.mark.parametrize("n", [2, 3, 7, 20])
def test_leaders_do_not_cross(n: int) -> None:
    summary = some_comparison(names(n, "short"), n) | {"groups": []}
    leaders = artists(draw(summary, "critical-difference"), Line2D, "leader:").values()
    assert len(leaders) == n
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
