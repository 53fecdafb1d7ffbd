"""The ROC figure: what is drawn is what the summary says, and nothing overlaps."""

from typing import Any

import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text

import palio
from palio.errors import ParameterError
from palio.predictions import Predictions
from palio.report.figures.roc_hull import SIDE
from palio.report.figures.style import DASHES, LINES
from tests.report.figures.summaries import artists, check_texts, names
from tests.report.made import available, draw


def summary(algorithms: list[str], n: int = 60, *, hard: bool = False) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 2
    p = {name: 1 / (1 + np.exp(-rng.normal(truth - 0.5))) for name in algorithms}
    table = Predictions.from_arrays(
        truth,
        {name: (values > 0.5).astype(int) for name, values in p.items()},
        probabilities=None
        if hard
        else {name: np.stack([1 - values, values], axis=1) for name, values in p.items()},
        classes=[0, 1],
    )
    return palio.compare_predictions(table, test="roc-hull").to_dict()


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("n", [2, 6, 30])
def test_texts_are_apart(n: int, length: str) -> None:
    figure = draw(summary(names(n, length)), "roc-hull")
    check_texts(figure)
    check_texts(figure, dpi=100)


def test_twenty_algorithms_fit_a_page() -> None:
    width, height = draw(summary(names(20, "long")), "roc-hull").get_size_inches()
    assert width <= 7.5
    assert height <= 11


def test_curves_are_those_of_the_summary() -> None:
    roc = summary(["svr", "c45"])
    figure = draw(roc, "roc-hull")
    curves = artists(figure, Line2D, "curve:")
    assert set(curves) == {"svr", "c45"}
    for name, line in curves.items():
        xs, ys = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        expected = roc["roc"]["curves"][name]
        assert (xs - xs[0]).tolist() == pytest.approx(
            [SIDE * x for x in expected["false_positive_rate"]]
        )
        assert (ys - ys[0]).tolist() == pytest.approx(
            [SIDE * y for y in expected["true_positive_rate"]]
        )
    hull = artists(figure, Line2D, "hull")[""]
    assert len(np.asarray(hull.get_xdata())) == len(roc["roc"]["hull"])
    assert hull.get_linewidth() > 3 * curves["svr"].get_linewidth()
    assert "diagonal" in {line.get_gid() for line in figure.findobj(Line2D)}


def test_areas_are_in_the_legend_largest_first_and_bold_on_the_hull() -> None:
    roc = summary(["svr", "c45", "5nn"])["roc"]
    figure = draw(summary(["svr", "c45", "5nn"]), "roc-hull")
    areas = artists(figure, Text, "auc:")
    for name, line in roc["curves"].items():
        assert areas[name].get_text() == f"{line['auc']:.3f}"
    labels = artists(figure, Text, "name:")
    by_area = sorted(roc["curves"], key=lambda name: -roc["curves"][name]["auc"])
    heights = [labels[name].get_position()[1] for name in by_area]
    assert heights == sorted(heights, reverse=True)
    bold = {name for name, text in labels.items() if text.get_fontweight() == "bold"}
    assert bold == set(roc["on_hull"])


def test_two_dozen_curves_look_different() -> None:
    figure = draw(summary(names(len(LINES) * len(DASHES), "short")), "roc-hull")
    looks = {
        (line.get_color(), str(line.get_linestyle()), str(line._unscaled_dash_pattern))
        for line in artists(figure, Line2D, "curve:").values()
    }
    assert len(looks) == len(LINES) * len(DASHES)


def test_hard_classifiers_have_a_dot() -> None:
    for line in artists(
        draw(summary(["a", "b"], hard=True), "roc-hull"), Line2D, "curve:"
    ).values():
        assert line.get_marker() == "o"


def test_only_from_curves() -> None:
    assert available(summary(["a", "b"])) == ["roc-hull"]
    table = Predictions.from_arrays([0, 1], {"a": [0, 1], "b": [1, 1]})
    pairs = palio.compare_predictions(table).to_dict()
    assert available(pairs) == []
    with pytest.raises(ParameterError, match="needs ROC curves"):
        draw(pairs, "roc-hull")
    with pytest.raises(ParameterError, match="drawn from a prediction-comparison"):
        draw({"kind": "ordering"}, "roc-hull")
