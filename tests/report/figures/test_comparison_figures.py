"""The figures of a comparison say what its summary says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from palio.errors import ParameterError
from tests.report.figures.comparisons import whole_comparison
from tests.report.figures.summaries import artists, names, one_line, ordering
from tests.report.made import available, draw
from tests.slow import mostly_slow

MATRICES = ["comparison-matrix", "p-values", "win-matrix"]
EVERY = [*MATRICES, "rank-distribution", "scores", "critical-difference"]


NO_SCORES: dict[str, list[None]] = {"c45": [None], "svr": [None], "svl": [None]}


def pair(a: str, b: str, **changes: Any) -> dict[str, Any]:
    whole = {
        "a": a,
        "b": b,
        "p_value": 0.001,
        "p_adjusted": 0.004,
        "significant": True,
        "better": a,
        "wins": 20,
        "ties": 1,
        "losses": 17,
        "difference": 1.25,
    }
    return {**whole, **changes}


def three(**changes: Any) -> dict[str, Any]:
    """Return a comparison to be checked by eye: svr before svl before c45."""
    summary = {
        "kind": "comparison",
        "method": "wilcoxon",
        "correction": "holm",
        "control": None,
        "alpha": 0.05,
        "n_datasets": 38,
        "measure": {"name": "accuracy", "higher_is_better": True},
        "mean_ranks": {"c45": 2.5, "svr": 1.5, "svl": 2.0},
        "mean_scores": {"c45": 80.0, "svr": 85.0, "svl": 84.5},
        "pairs": [
            pair("svr", "c45", difference=5.0, wins=30, ties=0, losses=8, p_adjusted=0.0002),
            pair("svl", "c45", difference=4.5, wins=28, ties=2, losses=8, p_adjusted=0.012),
            pair("svl", "svr", difference=-0.5, p_adjusted=0.7, significant=False, better=None),
        ],
    }
    return {**summary, **changes}


def cells(figure: Figure) -> np.ma.MaskedArray[Any, Any]:
    return np.ma.asarray(artists(figure, QuadMesh, "cells")[""].get_array())


def texts(figure: Figure, prefix: str) -> dict[str, str]:
    return {gid: text.get_text() for gid, text in artists(figure, Text, prefix).items()}


def rows(figure: Figure) -> list[str]:
    found = artists(figure, Text, "name:")
    return sorted(found, key=lambda name: -found[name].get_position()[1])


def test_comparison_matrix_by_hand() -> None:
    figure = draw(three(), "comparison-matrix")
    assert rows(figure) == ["svr", "svl", "c45"]
    assert texts(figure, "cell:") == {
        "svr|svl": "+0.50\n17/1/20\np 0.700",
        "svr|c45": "+5.00\n30/0/8\np <0.001",
        "svl|svr": "−0.50\n20/1/17\np 0.700",
        "svl|c45": "+4.50\n28/2/8\np 0.012",
        "c45|svr": "−5.00\n8/0/30\np <0.001",
        "c45|svl": "−4.50\n8/2/28\np 0.012",
    }
    assert texts(figure, "side:") == {"svr": "1.50", "svl": "2.00", "c45": "2.50"}


def test_colours_of_the_comparison_matrix_say_who_is_significantly_better() -> None:
    shown = cells(draw(three(), "comparison-matrix"))
    # svr before svl before c45: p < 0.001, n.s., p <= 0.05.
    assert shown.filled(9).tolist() == [[9, 0, 3], [0, 9, 1], [-3, -1, 9]]


def test_the_winner_is_blue_whatever_the_mean_difference() -> None:
    """Two bad data sets may turn the mean difference: the test decides, and the colour follows."""
    for higher_is_better in (True, False):
        measure = {"name": "score", "higher_is_better": higher_is_better}
        for difference in (-0.5, 0.5):
            turned = pair("svl", "svr", difference=difference, better="svr", p_adjusted=0.002)
            figure = draw(three(pairs=[turned], measure=measure), "comparison-matrix")
            assert rows(figure)[:2] == ["svr", "svl"]
            assert cells(figure)[0, 1] == 2
            assert cells(figure)[1, 0] == -2
            mesh = artists(figure, QuadMesh, "cells")[""]
            red, _, blue, _ = mesh.to_rgba(cells(figure))[0, 1]
            assert blue > red


def test_classes_end_at_the_level() -> None:
    pairs = [{**each, "significant": each["p_adjusted"] <= 0.01} for each in three()["pairs"]]
    figure = draw(three(alpha=0.01, pairs=pairs), "comparison-matrix")
    assert cells(figure).filled(9).tolist() == [[9, 0, 2], [0, 9, 0], [-2, 0, 9]]
    assert list(texts(figure, "legend:").values()).count("n.s.") == 1


def test_lower_is_better_turns_the_order_and_not_the_differences() -> None:
    pairs = [{**each, "better": each["b"]} for each in three()["pairs"]]
    figure = draw(
        three(
            measure={"name": "error", "higher_is_better": False},
            mean_ranks={"c45": 1.5, "svl": 2.0, "svr": 2.5},
            pairs=pairs,
        ),
        "comparison-matrix",
    )
    assert rows(figure) == ["c45", "svl", "svr"]
    assert cells(figure)[0, 2] == 3
    assert texts(figure, "cell:")["c45|svr"].startswith("−5.00")


@pytest.mark.parametrize("n", [24, 999])
@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("k", mostly_slow([20, 14, 8], 1))
def test_cells_say_difference_wins_and_p_up_to_twenty(k: int, length: str, n: int) -> None:
    algorithms = names(k, length)
    summary = whole_comparison(algorithms, n=n)
    figure = draw(summary, "comparison-matrix")
    written = texts(figure, "cell:")
    assert len(written) == k * (k - 1)
    for each in summary["pairs"]:
        difference, wins, p = written[f"{each['a']}|{each['b']}"].splitlines()
        assert difference.startswith("−") == (each["difference"] < 0)
        assert wins.split("/")[0] == str(each["wins"])
        assert float(p.strip("p <")) == pytest.approx(max(each["p_adjusted"], 0.001), abs=5e-4)
    width, height = figure.get_size_inches()
    assert width <= 7.5
    assert height <= 11
    assert all(float(text.get_fontsize()) >= 6 for text in figure.findobj(Text))


@pytest.mark.parametrize("letters", [0, 10])
@pytest.mark.parametrize("figure", MATRICES)
def test_tight_cells_rather_than_no_mean_ranks(figure: str, letters: int) -> None:
    algorithms = [f"{'x' * letters}{i:02}" for i in range(13)]
    drawn = draw(whole_comparison(algorithms), figure)
    assert len(texts(drawn, "cell:")) == 13 * 12
    assert set(texts(drawn, "side:")) == set(algorithms)


def caption(figure: Figure) -> str:
    return " ".join(t.get_text() for t in figure.findobj(Text) if t.get_gid() == "caption")


@pytest.mark.parametrize("k", [3, 14, 20, 30])
def test_the_caption_of_the_comparison_matrix_says_what_is_in_the_cells(k: int) -> None:
    figure = draw(whole_comparison(names(k, "short")), "comparison-matrix")
    written, said = list(texts(figure, "cell:").values()), caption(figure)
    assert ("wins/ties/losses" in said) == any("/" in text for text in written)
    assert ("no room for numbers" in said) == (not written)
    assert ("adjusted p-value" in said) == bool(written)


def test_p_values_by_hand() -> None:
    figure = draw(three(alpha=0.01), "p-values")
    assert rows(figure) == ["svr", "svl", "c45"]
    shown = cells(figure)
    assert shown[0, 2] == shown[2, 0] == 0.0002
    assert texts(figure, "cell:")["svl|svr"] == "0.700"
    assert texts(figure, "alpha-label") == {"": "α = 0.01"}
    (x, _), _ = np.asarray(artists(figure, Line2D, "alpha")[""].get_xydata())
    label = artists(figure, Text, "legend:< .01")[""].get_position()[0]
    beyond = artists(figure, Text, "legend:< .05")[""].get_position()[0]
    assert label < x < beyond


def test_win_matrix_by_hand() -> None:
    figure = draw(three(), "win-matrix")
    assert texts(figure, "cell:")["c45|svl"] == "8/2/28"
    shown = cells(figure)
    assert shown[1, 2] == pytest.approx(29 / 38)
    assert shown[2, 1] == pytest.approx(9 / 38)


def test_fifty_algorithms_are_a_picture() -> None:
    summary = whole_comparison(names(50, "short"))
    drawn = draw(summary, "comparison-matrix")
    assert not artists(drawn, Text, "cell:")
    differ = sum(each["significant"] for each in summary["pairs"])
    assert (cells(drawn) > 0).sum() == (cells(drawn) < 0).sum() == differ
    assert cells(drawn).count() == 50 * 49


@pytest.mark.parametrize("figure", ["p-values", "win-matrix"])
def test_fifty_algorithms_are_a_picture_with_dots(figure: str) -> None:
    summary = whole_comparison(names(50, "short"))
    drawn = draw(summary, figure)
    assert not artists(drawn, Text, "cell:")
    assert cells(drawn).count() == 50 * 49
    differ = sum(each["significant"] for each in summary["pairs"])
    assert sum(len(dots.get_xdata()) for dots in artists(drawn, Line2D, "marks").values()) == (
        2 * differ
    )


@pytest.mark.parametrize("figure", MATRICES)
def test_nothing_significant_nothing_marked(figure: str) -> None:
    pairs = [{**each, "significant": False} for each in three()["pairs"]]
    drawn = draw(three(pairs=pairs), figure)
    assert not artists(drawn, Artist, "marks")
    if figure == "comparison-matrix":
        assert not cells(drawn).any()


@pytest.mark.parametrize("figure", MATRICES)
@pytest.mark.parametrize("k", [3, 50])
def test_against_a_control_there_is_one_column(k: int, figure: str) -> None:
    algorithms = names(k, "long")
    summary = whole_comparison(algorithms, control=algorithms[1])
    drawn = draw(summary, figure)
    assert list(artists(drawn, Text, "column:")) == [algorithms[1]]
    assert set(rows(drawn)) == set(algorithms) - {algorithms[1]}
    assert cells(drawn).shape == (k - 1, 1)
    assert len(artists(drawn, Text, "cell:")) == k - 1


def test_critical_difference_marks_what_differs_from_the_control() -> None:
    pairs = [pair("svr", "c45"), pair("svl", "c45", significant=False, better=None)]
    summary = three(control="c45", pairs=pairs, groups=[["svl", "c45"]])
    figure = draw(summary, "critical-difference")
    assert set(artists(figure, Line2D, "differs:")) == {"svr"}
    assert set(artists(figure, Line2D, "same:")) == {"svl"}
    assert set(artists(figure, Line2D, "control:")) == {"c45"}
    assert not artists(figure, Line2D, "bar:")
    said = " ".join(t.get_text() for t in figure.findobj(Text) if t.get_gid() == "caption")
    assert "differs significantly from the control, c45." in said
    assert "bar" not in said


def test_rank_distribution_by_hand() -> None:
    summary = three(
        scores={"c45": [1.0, 2.0, 3.0], "svr": [3.0, 2.0, 2.0], "svl": [2.0, 2.0, 1.0]},
        n_datasets=3,
    )
    figure = draw(summary, "rank-distribution")
    third = 1 / 3
    expected = [[1 + third, 1 + third, third], [third, 1 + third, 1 + third]]
    assert cells(figure)[:2].tolist() == pytest.approx(np.array(expected))
    assert texts(figure, "cell:")["svr|1"] == "1.3"
    assert texts(figure, "heading:") == {"1": "1", "2": "2", "3": "3"}


def test_mean_ranks_stand_where_they_belong() -> None:
    figure = draw(whole_comparison(names(20, "short")), "rank-distribution")
    lines = artists(figure, Line2D, "mean-rank:")
    columns = {int(rank): text.get_position()[0] for rank, text in columns_of(figure)}
    ranks = [float(text) for text in texts(figure, "side:").values()]
    unit = columns[2] - columns[1]
    for line, rank in zip(lines.values(), ranks, strict=True):
        assert line.get_xdata()[0] == pytest.approx(columns[1] + (rank - 1) * unit, abs=0.01 * unit)


def columns_of(figure: Figure) -> list[tuple[str, Text]]:
    return list(artists(figure, Text, "heading:").items())


def test_data_sets_without_all_scores_are_left_out_and_counted() -> None:
    scores = {"c45": [1.0, None, 3.0], "svr": [3.0, 2.0, 2.0], "svl": [2.0, 2.0, 1.0]}
    for name in ("rank-distribution", "scores"):
        figure = draw(three(scores=scores, n_datasets=3), name)
        said = " ".join(t.get_text() for t in figure.findobj(Text) if t.get_gid() == "caption")
        assert "over 2 of 3 data sets" in said


def test_boxes_are_the_quartiles() -> None:
    summary = three(scores={"c45": [1, 2, 3, 4, 9], "svr": [5, 6, 7, 8, 9], "svl": [3, 4, 5, 6, 7]})
    figure = draw(summary, "scores")
    assert rows(figure) == ["svr", "svl", "c45"]
    boxes = [path.vertices for path in artists(figure, PolyCollection, "boxes")[""].get_paths()]
    dots = np.asarray(artists(figure, PathCollection, "dots")[""].get_offsets())[:, 0]
    # Dots come by row; the second and the fourth score of each are its quartiles.
    for i, box in enumerate(boxes):
        row = np.sort(dots[5 * i : 5 * i + 5])
        assert np.unique(box[:, 0]) == pytest.approx(row[[1, 3]])
        median = artists(figure, LineCollection, "medians")[""].get_segments()[i]
        assert median[0][0] == pytest.approx(row[2])
    # The 9 of c45 is beyond its whisker, which ends at 4.
    whisker = artists(figure, LineCollection, "whiskers")[""].get_segments()[-1]
    assert whisker[1][0] == pytest.approx(np.sort(dots[10:])[3])


def test_many_data_sets_have_dots_only_beyond_the_whiskers() -> None:
    summary = whole_comparison(names(4, "short"), n=200)
    figure = draw(summary, "scores")
    dots = [each for each in figure.axes[0].collections if each.get_gid() == "dots"]
    assert sum(len(np.asarray(each.get_offsets())) for each in dots) < 40


@pytest.mark.parametrize(
    ("measure", "label"),
    [
        ({"name": "auc", "higher_is_better": True}, "auc, higher is better →"),
        ({"name": "rmse", "higher_is_better": False}, "← rmse, lower is better"),
    ],
)
def test_scores_say_which_direction_is_better(measure: Any, label: str) -> None:
    scores = {name: [0.5, 0.5] for name in ("c45", "svr", "svl")}
    figure = draw(three(scores=scores, measure=measure), "scores")
    assert texts(figure, "axis-label") == {"": label}


@pytest.mark.parametrize(
    ("figure", "changes", "said"),
    [
        ("comparison-matrix", {"pairs": []}, "needs the pairs .* mean differences"),
        ("win-matrix", {"pairs": []}, "wins, ties and losses"),
        ("p-values", {"pairs": []}, "adjusted p-values"),
        ("rank-distribution", {}, "needs the scores on each data set"),
        ("rank-distribution", {"scores": NO_SCORES}, "needs the scores on each data set"),
        ("scores", {"scores": None}, "needs the scores on each data set"),
    ],
)
def test_what_is_missing_is_said(figure: str, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said) as caught:
        draw(three(**changes), figure)
    one_line(caught.value)
    assert figure not in available(three(**changes))


@pytest.mark.parametrize("figure", EVERY)
def test_an_ordering_draws_its_comparison(figure: str) -> None:
    inner = whole_comparison(["a", "b", "c"])
    summary = ordering(["a", "b", "c"], [], comparison=inner)
    assert figure in available(summary)
    assert set(rows(draw(summary, figure))) == {"a", "b", "c"}
    with pytest.raises(ParameterError):
        draw(ordering(["a", "b", "c"], []), figure)
