"""Every label of a comparison's figures is readable and on the page."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.text import Text

from palio.report.figures import save
from tests.report.figures.comparisons import whole_comparison
from tests.report.figures.summaries import check_texts, names
from tests.report.made import draw
from tests.slow import mostly_slow

FIGURES = ["comparison-matrix", "p-values", "win-matrix", "rank-distribution", "scores"]


def check_shapes(figure: Figure) -> None:
    """Cells, boxes, marks and legends lie on the page."""
    width, height = figure.get_size_inches()
    for shape in figure.findobj(Collection):
        box: Any = shape.get_datalim(figure.axes[0].transData)
        assert 0 <= box.x0 <= box.x1 <= width, shape.get_gid()
        assert -height <= box.y0 <= box.y1 <= 0, shape.get_gid()


@pytest.mark.parametrize(
    ("k", "length"),
    mostly_slow(
        product([2, 3, 5, 8, 11, 14, 17, 20, 50], ["short", "long"]),
        [(2, "short"), (11, "long"), (17, "short"), (50, "long")],
    ),
)
@pytest.mark.parametrize("figure", FIGURES)
def test_labels_do_not_overlap(figure: str, k: int, length: str) -> None:
    drawn = draw(whole_comparison(names(k, length), seed=k), figure)
    check_texts(drawn)
    check_shapes(drawn)


@pytest.mark.parametrize("k", mostly_slow([9, 2, 50], 1))
@pytest.mark.parametrize("figure", [*FIGURES, "critical-difference"])
def test_labels_against_a_control(figure: str, k: int) -> None:
    algorithms = names(k, "long")
    drawn = draw(whole_comparison(algorithms, control=algorithms[0]), figure)
    check_texts(drawn)
    check_shapes(drawn)


@pytest.mark.parametrize("dpi", mostly_slow([100, 1200], 1))
@pytest.mark.parametrize("figure", FIGURES)
def test_labels_on_a_screen_and_in_vectors(figure: str, dpi: float) -> None:
    check_texts(draw(whole_comparison(names(8, "long")), figure), dpi)


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("factor", mostly_slow([1e-7, 1e8, 1e-3], 2))
def test_tiny_and_huge_scores(factor: float, figure: str) -> None:
    summary = whole_comparison(names(6, "short"))
    summary["scores"] = {
        name: (factor * np.array(row)).tolist() for name, row in summary["scores"].items()
    }
    for each in summary["pairs"]:
        each["difference"] *= factor
    check_texts(draw(summary, figure))


@pytest.mark.parametrize("figure", FIGURES)
def test_all_the_same_is_no_reason_to_fail(figure: str) -> None:
    summary = whole_comparison(["a", "b"])
    summary["scores"] = dict.fromkeys(["a", "b"], [0.5] * 38)
    summary["pairs"][0] |= {
        "difference": 0.0,
        "wins": 0,
        "ties": 38,
        "losses": 0,
        "p_adjusted": 1.0,
        "significant": False,
        "better": None,
    }
    drawn = draw(summary, figure)
    check_texts(drawn)
    check_shapes(drawn)


@pytest.mark.parametrize("figure", FIGURES)
def test_names_are_not_mathematics_and_not_markup(figure: str, tmp_path: Path) -> None:
    odd = ["$a_1$", "<b>&\"c'", "λ → µ", "two\nlines", "x" * 60]
    drawn = draw(whole_comparison(odd), figure)
    check_texts(drawn)
    shown = {text.get_text() for text in drawn.findobj(Text)}
    assert {"$a_1$", "<b>&\"c'", "two lines"} <= shown
    assert save(drawn, tmp_path / "odd.svg").stat().st_size > 0


@pytest.mark.parametrize("figure", FIGURES)
def test_the_same_figure_is_the_same_file(figure: str, tmp_path: Path) -> None:
    summary = whole_comparison(names(5, "short"))
    one = save(draw(summary, figure), tmp_path / "one.svg")
    two = save(draw(summary, figure), tmp_path / "two.svg")
    assert one.read_bytes() == two.read_bytes()
