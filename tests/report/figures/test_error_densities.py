"""The densities of the scores of folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from palio.errors import ParameterError
from tests.report.made import available, draw


def curve(name: str, mean: float, height: float) -> dict[str, Any]:
    x = [mean - 2, mean, mean + 2]
    return {"name": name, "mean": mean, "sd": 1.0, "x": x, "density": [0.0, height, 0.0]}


SUMMARY = {
    "kind": "error-densities",
    "dataset": "iris",
    "n_folds": 1000,
    "measure": {"name": "error rate in %", "higher_is_better": False},
    "algorithms": [curve("MAX", 60.0, 0.5), curve("a $\\name$ of\nsome length", 8.0, 0.25)],
}


@pytest.fixture(scope="module")
def figure() -> Figure:
    return draw(SUMMARY, "error-densities")


def test_all_curves_have_one_scale_and_one_axis(figure: Figure) -> None:
    lines = {str(line.get_gid()): np.asarray(line.get_xydata()) for line in figure.axes[0].lines}
    names = ("MAX", "a $\\name$ of some length")
    curves = [lines[f"outline:{name}"] for name in names]
    heights = [np.ptp(curve[:, 1]) for curve in curves]
    assert heights[0] == pytest.approx(2 * heights[1])
    middles = [curve[1, 0] for curve in curves]
    assert middles == pytest.approx([lines[f"mean:{name}"][0, 0] for name in names])
    # 52 points lie between the means, and 2 between the ends of a spread.
    assert (middles[0] - middles[1]) / np.ptp(lines["spread:MAX"][:, 0]) == pytest.approx(52 / 2)


def test_everything_is_on_the_page(figure: Figure) -> None:
    width, height = figure.get_size_inches()
    for text in figure.axes[0].texts:
        box = text.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
        assert min(box.x0, box.y0) >= 0
        assert box.x1 <= width
        assert box.y1 <= height


def test_words(figure: Figure) -> None:
    texts = {text.get_gid(): text.get_text() for text in figure.axes[0].texts}
    assert texts["axis-label"] == "← error rate in %, lower is better"
    caption = " ".join(t.get_text() for t in figure.axes[0].texts if t.get_gid() == "caption")
    assert caption.startswith("iris, 1000 folds: density of the error rate in %.")


def test_nothing_to_draw() -> None:
    empty = {**SUMMARY, "algorithms": []}
    with pytest.raises(ParameterError, match="needs an algorithm's curve"):
        draw(empty, "error-densities")
    assert available(empty) == []
    assert available(SUMMARY) == ["error-densities"]
