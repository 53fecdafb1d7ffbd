"""Every label of a posterior's figures is readable and on the page."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text

from palio.bayes.draws import Draws
from palio.bayes.posterior import Posterior
from palio.report.figures import FIGURES, save
from tests.report.figures.posteriors import joint_posterior, region_posterior
from tests.report.figures.summaries import check_texts, names
from tests.report.figures.test_comparison_labels import check_shapes
from tests.report.made import available, draw
from tests.slow import mostly_slow

JOINT = ["posterior-matrix", "forest", "posterior", "predictive-check", "normality"]
REGIONS = ["posterior-matrix", "posterior", "simplex"]
EVERY = [
    *((joint_posterior, figure) for figure in JOINT),
    *((region_posterior, figure) for figure in REGIONS),
]
ODD = ["$a_1$", "<b>&\"c'", "λ → µ", "two\nlines", "x" * 60, "many " * 12]


def check(figure: Any, dpi: float = 200) -> None:
    check_texts(figure, dpi)
    check_shapes(figure)
    width, height = figure.get_size_inches()
    for line in figure.findobj(Line2D):
        x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        if line.axes is not None and line.get_gid():
            assert x.min() >= 0, line.get_gid()
            assert x.max() <= width, line.get_gid()
            assert y.min() >= -height, line.get_gid()
            assert y.max() <= 0, line.get_gid()


def test_every_figure_of_a_posterior_is_here() -> None:
    assert {name for name, entry in FIGURES.items() if "posterior" in entry.kinds} == {
        *JOINT,
        *REGIONS,
    }


@pytest.mark.parametrize(
    ("k", "length"),
    mostly_slow(
        product([2, 3, 8, 14, 20, 50], ["short", "long"]),
        [(2, "short"), (14, "long"), (50, "long")],
    ),
)
@pytest.mark.parametrize(("make", "figure"), EVERY)
def test_labels_do_not_overlap(make: Any, figure: str, k: int, length: str) -> None:
    check(draw(make(names(k, length), seed=k).to_dict(), figure))


@pytest.mark.parametrize("dpi", mostly_slow([100, 1200], 1))
@pytest.mark.parametrize(("make", "figure"), EVERY)
def test_labels_on_a_screen_and_in_vectors(make: Any, figure: str, dpi: float) -> None:
    check(draw(make(names(8, "long")).to_dict(), figure), dpi)


@pytest.mark.parametrize(("make", "figure"), EVERY)
def test_twenty_algorithms_fit_a_page(make: Any, figure: str) -> None:
    width, height = draw(make(names(20, "long")).to_dict(), figure).get_size_inches()
    assert width <= 7.5
    assert height <= 11


@pytest.mark.parametrize(
    "pair",
    [
        ("two\nlines", "$a_1$"),
        *(pytest.param(pair, marks=pytest.mark.slow) for pair in (None, ("x" * 60, "many " * 12))),
    ],
)
@pytest.mark.parametrize(("make", "figure"), EVERY)
def test_names_are_not_mathematics_and_not_markup(
    make: Any, figure: str, pair: tuple[str, str] | None, tmp_path: Path
) -> None:
    drawn = draw(make(ODD).to_dict(pair), figure)
    check(drawn)
    shown = {text.get_text() for text in drawn.findobj(Text)}
    if figure in ("posterior-matrix", "forest", "normality"):
        assert {"$a_1$", "<b>&\"c'", "two lines"} <= shown
    elif pair and "$a_1$" in pair and figure in ("posterior", "simplex"):
        assert {"$a_1$ better", "two lines better"} <= shown
    assert save(drawn, tmp_path / "odd.svg").stat().st_size > 0


@pytest.mark.parametrize("rope", mostly_slow([0.0, 30.0, 1e-6, 0.01], 2))
@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("figure", ["posterior-matrix", "forest", "posterior"])
def test_narrow_and_wide_regions(figure: str, higher: bool, rope: float) -> None:
    check(draw(joint_posterior(["a", "b"], rope=rope, higher_is_better=higher).to_dict(), figure))


@pytest.mark.parametrize("size", mostly_slow([1e-9, 1e8, 1e-3], 2))
@pytest.mark.parametrize("figure", ["posterior-matrix", "forest", "posterior"])
def test_tiny_and_huge_scores(figure: str, size: float) -> None:
    check(draw(joint_posterior(names(6, "short"), size=size).to_dict(), figure))


@pytest.mark.parametrize("value", [0.0, 3.0, -1e-7])
def test_a_posterior_that_is_a_point(value: float) -> None:
    draws = {"regions": np.zeros((1, 50, 1, 3)), "difference": np.full((1, 50, 1), value)}
    draws["regions"][..., 1] = 1.0
    posterior = region_posterior(["a", "b"], draws=Draws(draws, "known", independent=True))
    for figure in REGIONS:
        check(draw(posterior.to_dict(), figure))


def test_heavy_tails_do_not_flatten_the_rest() -> None:
    random = np.random.default_rng(0)
    draws = {"difference": random.standard_cauchy((1, 5000, 1))}
    posterior = region_posterior(["a", "b"], draws=Draws(draws, "Cauchy", independent=True))
    summary = posterior.to_dict()
    difference = summary["detail"]["difference"]
    assert available(summary) == ["posterior-matrix", "posterior"]
    assert difference["beyond"] > 0
    assert sum(difference["counts"]) + difference["beyond"] == 5000
    drawn = draw(summary, "posterior")
    check(drawn)
    caption = " ".join(
        text.get_text() for text in drawn.findobj(Text) if text.get_gid() == "caption"
    )
    assert f"Beyond the bars: {difference['beyond']} of the draws." in caption


@pytest.mark.parametrize(("make", "figure"), EVERY)
def test_the_same_figure_is_the_same_file(make: Any, figure: str, tmp_path: Path) -> None:
    posterior: Posterior = make(names(5, "short"))
    one = save(draw(posterior.to_dict(), figure), tmp_path / "one.svg")
    two = save(posterior.plot(figure), tmp_path / "two.svg")
    assert one.read_bytes() == two.read_bytes()
