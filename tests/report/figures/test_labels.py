"""Every label is readable and on the page, whatever is drawn."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

import palio
from palio.report.figures import FIGURES, save
from tests.report.figures.comparisons import whole_comparison
from tests.report.figures.summaries import (
    check_texts,
    comparison,
    names,
    ordering,
    some_comparison,
    some_edges,
)
from tests.report.made import draw
from tests.slow import mostly_slow

LENGTHS = ["short", "long"]
FAST = [(2, "long"), (3, "short"), (7, "long"), (12, "short"), (20, "long")]


@pytest.mark.parametrize(("n", "length"), mostly_slow(product(range(2, 21), LENGTHS), FAST))
def test_labels_of_the_graph_do_not_overlap(n: int, length: str) -> None:
    prior = names(n, length)
    check_texts(draw(ordering(prior, some_edges(prior, n))))


@pytest.mark.parametrize(
    ("n", "length"), mostly_slow(product([*range(2, 21), 50], LENGTHS), [*FAST, (50, "short")])
)
def test_labels_of_the_line_do_not_overlap(n: int, length: str) -> None:
    check_texts(draw(some_comparison(names(n, length), n), "critical-difference"))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("n", mostly_slow([12, 8, 20], 1))
@pytest.mark.parametrize("dpi", [100, 1200])
def test_labels_do_not_overlap_on_a_screen_or_in_vectors(dpi: float, n: int, length: str) -> None:
    prior = names(n, length)
    check_texts(draw(ordering(prior, some_edges(prior))), dpi)
    check_texts(draw(some_comparison(prior), "critical-difference"), dpi)


@pytest.mark.parametrize("edges", ["none", "all"])
@pytest.mark.parametrize("n", [2, 8])
def test_labels_of_empty_and_complete_graphs(n: int, edges: str) -> None:
    prior = [f"method {'x' * i}" for i in range(n)]
    check_texts(draw(ordering(prior, list(combinations(prior, 2)) if edges == "all" else [])))


@pytest.mark.parametrize("figure", [n for n, e in FIGURES.items() if "ordering" in e.kinds])
def test_twenty_algorithms_fit_a_page(figure: str) -> None:
    prior = names(20, "long")
    summary: Any = ordering(prior, some_edges(prior), comparison=whole_comparison(prior))
    if figure == "forest":  # asks the comparison for differences, which nothing stands in for
        scores = np.random.default_rng(1).normal(0.8, 0.05, size=(30, 20))
        sets = [f"data set {i}" for i in range(30)]
        table = palio.ScoreTable.from_arrays(
            scores, datasets=sets, algorithms=prior, measure="accuracy"
        )
        summary = palio.order(table)
    width, height = draw(summary, figure).get_size_inches()
    assert width <= 7.5
    assert height <= 11


def test_one_algorithm_is_no_reason_to_fail() -> None:
    check_texts(draw(ordering(["alone"], [])))
    check_texts(draw(comparison({"alone": 1.0}, [["alone"]]), "critical-difference"))


def test_names_are_not_mathematics_and_not_markup(tmp_path: Path) -> None:
    odd = ["$a_1$", "<b>&\"c'", "λ → µ", "two\nlines"]
    summary = ordering(odd, [(odd[0], odd[1])], cost={"$": 0.5, "time": 0.5})
    figure = draw(summary)
    check_texts(figure)
    shown = {text.get_text() for text in figure.findobj(Text)}
    assert {"$a_1$", "<b>&\"c'", "two lines"} <= shown
    assert save(figure, tmp_path / "odd.svg").stat().st_size > 0
