"""The figures of a posterior say what its summary says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from palio.bayes.detail import histogram
from palio.errors import ParameterError, UnknownNameError
from palio.numbers import probability
from palio.report.figures.pairs import COLOURS
from palio.results import plain
from tests.report.figures.posteriors import joint_posterior, region_posterior
from tests.report.figures.summaries import artists, names, one_line
from tests.report.made import available, draw


def texts(figure: Figure, prefix: str) -> dict[str, str]:
    return {gid: text.get_text() for gid, text in artists(figure, Text, prefix).items()}


def bold(figure: Figure, prefix: str) -> set[str]:
    found = artists(figure, Text, prefix)
    return {gid for gid, text in found.items() if text.get_fontweight() == "bold"}


def caption(figure: Figure) -> str:
    lines = [text for text in figure.findobj(Text) if text.get_gid() == "caption"]
    return " ".join(line.get_text() for line in lines)


def boxes(figure: Figure, gid: str) -> np.ndarray:
    """Return left, right and height of the rectangles of one collection."""
    shapes = [path.vertices for path in artists(figure, PolyCollection, gid)[""].get_paths()]
    return np.array([(s[:, 0].min(), s[:, 0].max(), np.ptp(s[:, 1])) for s in shapes])


def colours(figure: Figure, gid: str) -> np.ndarray:
    return np.asarray(artists(figure, PathCollection, gid)[""].get_facecolors())


def base(**changes: Any) -> dict[str, Any]:
    """Return a summary to be checked by eye: svr − c45, four bars, a region of ±0.5."""
    summary = {
        "kind": "posterior",
        "title": "Bayesian sign test",
        "n_datasets": 38,
        "mass": 0.95,
        "rope": 0.5,
        "measure": {"name": "accuracy", "higher_is_better": True},
        "scale": {"name": "accuracy", "rope": 0.5, "higher_is_better": True},
        "order": ["svr", "c45"],
        "diagnostics": {"n_draws": 10},
        "effects": [],
        "best": [],
        "checks": {},
        "pairs": [
            {"a": "svr", "b": "c45", "p_a_better": 0.55, "p_rope": 0.25, "p_b_better": 0.2},
        ],
        "detail": {
            "a": "svr",
            "b": "c45",
            "p_a_better": 0.55,
            "p_rope": 0.25,
            "p_b_better": 0.2,
            "mean": 0.5,
            "hdi": [-1.5, 2.0],
            "difference": {"edges": [-2, -1, 0, 1, 2], "counts": [1, 2, 3, 4], "beyond": 0},
            "points": None,
        },
    }
    return {**summary, **changes}


def lower(summary: dict[str, Any]) -> dict[str, Any]:
    down = {"name": "error", "higher_is_better": False}
    return {**summary, "measure": down, "scale": {**summary["scale"], **down}}


# The posterior of one difference.


def areas(figure: Figure) -> dict[str, float]:
    found = {key: boxes(figure, f"area:{key}") for key in ("a", "equal", "b")}
    return {key: float(((b[:, 1] - b[:, 0]) * b[:, 2]).sum()) for key, b in found.items()}


def test_areas_are_the_shares_of_the_bars_on_each_side_of_the_region() -> None:
    found = areas(draw(base(), "posterior"))
    total = sum(found.values())
    # By hand: 1 + 2/2 below −0.5, 2/2 + 3/2 inside, 3/2 + 4 above, of 10.
    assert found["b"] / total == pytest.approx(0.2)
    assert found["equal"] / total == pytest.approx(0.25)
    assert found["a"] / total == pytest.approx(0.55)


def test_the_better_side_follows_the_direction() -> None:
    up, down = draw(base(), "posterior"), draw(lower(base()), "posterior")
    for figure, right, left in ((up, "a", "b"), (down, "b", "a")):
        zero = artists(figure, Line2D, "zero")[""].get_xdata()[0]
        assert boxes(figure, f"area:{right}")[:, 0].min() > zero
        assert boxes(figure, f"area:{left}")[:, 1].max() < zero
        places = {gid: t.get_position()[0] for gid, t in artists(figure, Text, "outcome:").items()}
        assert places[left] < places["equal"] < places[right]


def test_the_three_probabilities_and_who_they_are_for() -> None:
    figure = draw(base(), "posterior")
    assert texts(figure, "probability:") == {"a": "0.550", "equal": "0.250", "b": "0.200"}
    assert texts(figure, "outcome:") == {
        "a": "svr better",
        "equal": "practically equal",
        "b": "c45 better",
    }
    for key, colour in zip(("a", "equal", "b"), COLOURS, strict=True):
        swatch = artists(figure, PolyCollection, f"swatch:{key}")[""].get_facecolor()
        area = artists(figure, PolyCollection, f"area:{key}")[""].get_facecolor()
        assert np.allclose(swatch, area), colour


def test_the_interval_and_the_region_stand_on_one_scale() -> None:
    figure = draw(base(), "posterior")
    zero = artists(figure, Line2D, "zero")[""].get_xdata()[0]
    left, right = boxes(figure, "region")[0, :2] - zero
    unit = right / 0.5
    assert left == pytest.approx(-right)
    hdi = np.asarray(artists(figure, Line2D, "hdi")[""].get_xdata()) - zero
    assert hdi == pytest.approx([-1.5 * unit, 2.0 * unit])
    assert artists(figure, Line2D, "mean")[""].get_xdata()[0] - zero == pytest.approx(0.5 * unit)
    assert "the mean +0.50 and the 95\u00a0% highest-density interval" in caption(figure)
    assert "−1.50\u00a0…\u00a0+2.00" in caption(figure)
    assert "within ±0.5" in caption(figure)
    assert texts(figure, "axis-label")[""] == "svr − c45: difference in accuracy"


def test_without_a_region_nothing_is_shaded() -> None:
    figure = draw(base(scale={**base()["scale"], "rope": 0.0}), "posterior")
    assert not artists(figure, PolyCollection, "region")
    assert set(artists(figure, PolyCollection, "area:")) == {"a", "b"}
    assert "the region is 0 alone" in caption(figure)


def test_only_regions_have_probabilities_that_are_not_areas() -> None:
    assert "not areas" not in caption(draw(base(), "posterior"))
    points = {**base()["detail"], "points": [[1.0, 0.0, 0.0]]}
    assert "not areas" in caption(draw(base(detail=points), "posterior"))


# The triangle.


def test_points_of_the_triangle_by_hand() -> None:
    corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.5, 0.3]]
    figure = draw(base(detail={**base()["detail"], "points": corners}), "simplex")
    places = np.asarray(artists(figure, PathCollection, "points")[""].get_offsets())
    a, equal, b, inside = places
    side = b[0] - a[0]
    assert a[1] == pytest.approx(b[1])
    assert equal - a == pytest.approx([side / 2, side * np.sqrt(0.75)])
    assert inside == pytest.approx(0.2 * a + 0.5 * equal + 0.3 * b)
    assert len(np.unique(colours(figure, "points")[:3], axis=0)) == 3
    assert colours(figure, "points")[3].tolist() == colours(figure, "points")[1].tolist()
    assert texts(figure, "probability:") == {"a": "0.550", "equal": "0.250", "b": "0.200"}
    assert "4 of 10 draws" in caption(figure)


def test_regions_of_the_triangle_hold_their_points() -> None:
    summary = region_posterior(["svr", "c45"]).to_dict()
    figure = draw(summary, "simplex")
    kites = artists(figure, PolyCollection, "regions")[""].get_paths()
    places = np.asarray(artists(figure, PathCollection, "points")[""].get_offsets())
    most = np.argmax(summary["detail"]["points"], axis=1)
    for which, kite in enumerate(kites):
        assert kite.contains_points(places, radius=1e-9).tolist() == (most == which).tolist()


def test_the_pair_the_other_way_round_is_the_mirror_image() -> None:
    posterior = region_posterior(["svr", "c45"])
    one, other = (posterior.plot("simplex", pair=p) for p in (("svr", "c45"), ("c45", "svr")))
    there, back = (
        np.asarray(artists(figure, PathCollection, "points")[""].get_offsets())
        for figure in (one, other)
    )
    width = one.get_size_inches()[0]
    assert back[:, 0] == pytest.approx(width - there[:, 0])
    assert back[:, 1] == pytest.approx(there[:, 1])
    mirrored = texts(other, "probability:")
    assert texts(one, "probability:") == {
        "a": mirrored["b"],
        "equal": mirrored["equal"],
        "b": mirrored["a"],
    }


# All pairs.


def test_the_matrix_by_hand() -> None:
    pairs = [
        {"a": "c45", "b": "svr", "p_a_better": 0.002, "p_rope": 0.018, "p_b_better": 0.98},
        {"a": "svr", "b": "5nn", "p_a_better": 0.04, "p_rope": 0.96, "p_b_better": 0.0},
    ]
    best = [
        {"algorithm": name, "p_best": p} for name, p in (("c45", 0.0), ("svr", 0.7), ("5nn", 0.3))
    ]
    figure = draw(base(order=["svr", "5nn", "c45"], pairs=pairs, best=best), "posterior-matrix")
    assert texts(figure, "cell:") == {
        "svr|5nn": "0.040\n= 0.960",
        "svr|c45": "0.980\n= 0.018",
        "5nn|svr": "0\n= 0.960",
        "c45|svr": "0.002\n= 0.018",
    }
    assert texts(figure, "side:") == {"svr": "0.700", "5nn": "0.300", "c45": "0"}
    assert bold(figure, "cell:") == {"svr|5nn", "svr|c45", "5nn|svr", "c45|svr"}
    shown = np.ma.asarray(artists(figure, QuadMesh, "cells")[""].get_array())
    hidden = np.ma.getmaskarray(shown)
    assert hidden[1, 2]
    assert hidden[2, 1]
    assert shown[0].filled(np.nan)[1:].tolist() == [0.04, 0.98]


def test_cells_are_filled_by_the_three_probabilities() -> None:
    figure = draw(base(), "posterior-matrix")
    widths = np.array([np.diff(boxes(figure, f"bars:{i}")[:, :2])[:, 0] for i in range(3)])
    assert widths[:, 0] / widths[:, 0].sum() == pytest.approx([0.55, 0.25, 0.2])
    assert widths[:, 1] / widths[:, 1].sum() == pytest.approx([0.2, 0.25, 0.55])
    assert not bold(figure, "cell:")


@pytest.mark.parametrize("k", [8, 14, 20])
def test_cells_of_the_matrix_are_the_numbers_of_the_summary(k: int) -> None:
    summary = joint_posterior(names(k, "short")).to_dict()
    figure = draw(summary, "posterior-matrix")
    cells = texts(figure, "cell:")
    assert len(cells) == k * (k - 1)
    said = " ".join(t.get_text() for t in figure.findobj(Text) if t.get_gid() == "caption")
    for pair in summary["pairs"]:
        for cell, key in (
            (cells[f"{pair['a']}|{pair['b']}"], "p_a_better"),
            (cells[f"{pair['b']}|{pair['a']}"], "p_b_better"),
        ):
            first = cell.splitlines()[0]
            if "per cent" not in said:
                assert first == probability(pair[key])
            elif first not in ("<1", ">99"):
                assert float(first) / 100 == pytest.approx(pair[key], abs=0.005001)


def test_fifty_algorithms_are_a_picture() -> None:
    summary = joint_posterior(names(50, "short")).to_dict()
    figure = draw(summary, "posterior-matrix")
    assert not texts(figure, "cell:")
    sure = sum(
        max(pair["p_a_better"], pair["p_rope"], pair["p_b_better"]) > 0.95
        for pair in summary["pairs"]
    )
    dots = artists(figure, Line2D, "marks").values()
    assert sum(len(each.get_xdata()) for each in dots) == 2 * sure
    assert len(boxes(figure, "bars:0")) == 50 * 49


def test_best_first_whatever_the_direction() -> None:
    up = draw(joint_posterior(names(6, "short")).to_dict(), "posterior-matrix")
    down = draw(
        joint_posterior(names(6, "short"), higher_is_better=False).to_dict(), "posterior-matrix"
    )

    def rows(figure: Figure) -> list[str]:
        found = artists(figure, Text, "name:")
        return sorted(found, key=lambda name: -found[name].get_position()[1])

    assert rows(up) == rows(down)[::-1]
    shown = np.ma.asarray(artists(down, QuadMesh, "cells")[""].get_array())
    upper = np.triu_indices(6, 1)
    assert (shown[upper] >= shown.T[upper]).all()


# Effects.


@pytest.mark.parametrize("higher", [True, False])
def test_the_forest_stands_on_one_scale(higher: bool) -> None:
    summary = joint_posterior(names(5, "short"), higher_is_better=higher).to_dict()
    figure = draw(summary, "forest")
    order = summary["order"]
    effects = {row["algorithm"]: row for row in summary["effects"]}
    means = [effects[name]["mean"] for name in order]
    assert means == sorted(means, reverse=higher)
    places = np.asarray(artists(figure, PathCollection, "means")[""].get_offsets())
    slope, start = np.polyfit(means, places[:, 0], 1)
    assert places[:, 0] == pytest.approx(start + slope * np.array(means))
    assert slope > 0
    segments = artists(figure, LineCollection, "intervals")[""].get_segments()
    for name, segment in zip(order, segments, strict=True):
        assert segment[:, 0] == pytest.approx(start + slope * np.array(effects[name]["hdi"]))
    left, right, _ = boxes(figure, "region")[0]
    assert right - left == pytest.approx(slope * 2 * 0.01)
    assert (left + right) / 2 == pytest.approx(places[0, 0])
    names_at = artists(figure, Text, "name:")
    assert [names_at[name].get_position()[1] for name in order] == pytest.approx(places[:, 1])


def test_the_forest_says_who_may_be_best() -> None:
    summary = joint_posterior(names(5, "short")).to_dict()
    figure = draw(summary, "forest")
    best = {row["algorithm"]: row for row in summary["best"]}
    assert bold(figure, "name:") == {name for name, row in best.items() if row["in_set"]}
    for key in ("p_best", "p_as_good"):
        assert texts(figure, f"{key}:") == {n: probability(row[key]) for n, row in best.items()}
    down = draw(joint_posterior(["a", "b"], higher_is_better=False).to_dict(), "forest")
    assert texts(down, "axis-label")[""] == "← effect on error, lower is better"
    scale = {**summary["scale"], "name": "strength", "rope": 0.02}
    strengths = draw({**summary, "scale": scale}, "forest")
    assert texts(strengths, "axis-label")[""] == "strength, higher is better →"
    assert "within ±0.02 of" in caption(strengths)


# Checks of the model.


def test_the_predictive_check_by_hand() -> None:
    check = {"name": "χ²", "p_value": 0.5, "observed": [100, 120], "replicated": [110, 90]}
    figure = draw(base(checks={"discrepancy": check}), "predictive-check")
    assert texts(figure, "p-value")[""] == "p = 0.500"
    assert texts(figure, "axis-label")[""] == "χ², observed"
    assert texts(figure, "upright-label")[""] == "χ², replicated"
    line = artists(figure, Line2D, "diagonal")[""]
    (x0, x1), (y0, y1) = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert x1 - x0 == pytest.approx(y1 - y0)
    (ax, ay), (bx, by) = np.asarray(artists(figure, PathCollection, "points")[""].get_offsets())
    unit = (bx - ax) / 20
    assert (ay - by) / 20 == pytest.approx(unit)
    # Above the diagonal by 10, below it by 30.
    assert (ay - y0) - (ax - x0) == pytest.approx(10 * unit)
    assert (by - y0) - (bx - x0) == pytest.approx(-30 * unit)
    assert len(np.unique(colours(figure, "points"), axis=0)) == 2


def test_normal_curves_fill_the_bars() -> None:
    edges = np.linspace(-4.0, 4.0, 17)
    group = {
        "names": ["svr"],
        "counts": [[0] * 7 + [60, 40] + [0] * 7],
        "mean": [0.0],
        "sd": [0.01],
    }
    wide = {**group, "names": ["iris"], "sd": [1.0]}
    rest = dict.fromkeys(("residuals", "dataset_effects"), plain(histogram(np.arange(9.0))))
    found = {"edges": edges.tolist(), "by_algorithm": group, "by_dataset": wide, **rest}
    figure = draw(base(checks={"histograms": found}), "normality")
    named = texts(figure, "name:")
    assert (named["algorithms:svr"], named["datasets:iris"]) == ("svr", "iris")
    bars, curve = boxes(figure, "bars:datasets:iris"), artists(figure, Line2D, "curve:")
    assert bars[:, 2] / bars[0, 2] == pytest.approx([1, 40 / 60])
    line = curve["datasets:iris"]
    height = np.ptp(np.asarray(line.get_ydata())) / bars[0, 2] * 60
    # 100 standard normal numbers: 19.74 of them within a quarter of 0.
    assert height == pytest.approx(100 * 0.19741, abs=0.02)
    narrow = curve["algorithms:svr"]
    tallest = boxes(figure, "bars:algorithms:svr")[0, 2]
    # All of them lie in any bin that holds 0 well inside.
    assert np.ptp(np.asarray(narrow.get_ydata())) / tallest * 60 == pytest.approx(100)


def test_a_group_without_a_spread_has_no_curve() -> None:
    group = {"names": ["svr"], "counts": [[3, 0]], "mean": [0.1], "sd": [0.0]}
    rest = dict.fromkeys(("residuals", "dataset_effects"), plain(histogram(np.zeros(9))))
    found = {"edges": [0.0, 0.5, 1.0], "by_algorithm": group, "by_dataset": group, **rest}
    figure = draw(base(checks={"histograms": found}), "normality")
    assert not artists(figure, Line2D, "curve:algorithms")
    assert texts(figure, "heading:")["datasets"] == "1 of 38 data sets, over the algorithms"


# What is there to draw.


def test_what_can_be_drawn() -> None:
    assert available(base()) == ["posterior-matrix", "posterior"]
    assert available(joint_posterior(["a", "b"]).to_dict()) == [
        "posterior-matrix",
        "forest",
        "posterior",
        "predictive-check",
        "normality",
    ]
    assert available(region_posterior(["a", "b"]).to_dict()) == [
        "posterior-matrix",
        "posterior",
        "simplex",
    ]


@pytest.mark.parametrize(
    ("figure", "says"),
    [
        ("forest", "use anova, bradley-terry or plackett-luce"),
        ("simplex", "use sign, signed-rank or hierarchical"),
        ("predictive-check", "which anova, bradley-terry and plackett-luce make"),
        ("normality", "which anova makes"),
    ],
)
def test_what_cannot_be_drawn_says_what_would_help(figure: str, says: str) -> None:
    with pytest.raises(ParameterError, match=says) as caught:
        draw(base(), figure)
    one_line(caught.value)


def test_a_posterior_without_draws_of_the_difference() -> None:
    with pytest.raises(ParameterError, match="needs draws of the difference"):
        draw(base(detail={**base()["detail"], "difference": None}), "posterior")


def test_plot_chooses_by_the_pair() -> None:
    posterior = joint_posterior(["svr", "c45", "5nn"])
    assert artists(posterior.plot(), QuadMesh, "cells")
    figure = posterior.plot(pair=("c45", "5nn"))
    assert texts(figure, "axis-label")[""] == "c45 − 5nn: difference in accuracy"
    with pytest.raises(UnknownNameError, match="pair"):
        posterior.plot(pair=("c45", "svm"))
