"""What is said of a figure to whoever cannot see it, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

import palio
from palio.report.facts import finding
from palio.report.figures import available
from palio.scores import ItemScores, ScoreTable
from tests.report.figures.test_marks import DRAWN, part

DATASETS = ["u", "v", "w", "x", "y", "z"]
SCORES = {
    "best": [0.9, 0.9, 0.9, 0.9, 0.9, 0.7],
    "middle": [0.8, 0.8, 0.8, 0.8, 0.6, 0.8],
    "last": [0.7, 0.7, 0.7, 0.7, 0.8, 0.6],
}


def compared(*, lower: bool = False, **options: object) -> palio.Comparison:
    turned = {name: [1 - v for v in values] for name, values in SCORES.items()}
    table = palio.read_scores(
        {"dataset": DATASETS, **(turned if lower else SCORES)},
        score="error" if lower else "accuracy",
    )
    return palio.compare(table, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("lower", [False, True])
def test_what_the_figures_of_a_comparison_show(lower: bool) -> None:
    found = compared(lower=lower)
    assert finding(found, "rank-distribution") == (
        "best takes the first rank most often, on 5 of 6 data sets; last the last, on 5."
    )
    assert finding(found, "scores-grid") == (
        "Of 6 data sets the most firsts: best on 5 and middle on 1. Every algorithm has a score on "
        "every data set."
    )
    sign = "−" if lower else "+"
    measure = "error" if lower else "accuracy"
    assert finding(found, "forest") == (
        f"best has {sign}0.100 in {measure} against middle on average: better on 5 of 6 data sets, "
        "worse on 1."
    )
    assert finding(found, "critical-difference").startswith(
        f"Mean ranks by {measure} run from 1.17 (best) to 2.83 (last), 1 is best."
    )


def test_the_matrix_says_who_beats_most() -> None:
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.5, 0.6, (20, 3)) + np.array([0.0, 0.3, 0.15])
    table = ScoreTable.from_arrays(
        scores, datasets=[f"d{i}" for i in range(20)], algorithms=["a", "b", "c"], measure="auc"
    )
    assert finding(palio.compare(table), "comparison-matrix") == (
        "3 of 3 pairs differ significantly. b is significantly better than 2 of 2 others."
    )
    level = palio.compare(table.select(algorithms=["a", "c"]).select(datasets=["d0", "d1", "d2"]))
    assert "significantly better" not in finding(level, "comparison-matrix")


def test_a_control_is_the_first_of_its_forest() -> None:
    said = finding(compared(control="last"), "forest")
    assert said.startswith("last has −0.167 in accuracy against best on average")
    assert said.endswith("better on 0 of 6 data sets, worse on 6.")


def test_where_nobody_leads() -> None:
    table = ScoreTable.from_arrays(
        np.full((4, 2), 0.5),
        datasets=[f"d{i}" for i in range(4)],
        algorithms=["a", "b"],
        measure="accuracy",
    )
    found = palio.compare(table)
    assert finding(found, "rank-distribution") == "Of 4 data sets each takes the first rank on 2."


def test_over_items_the_forest_counts_what_was_compared() -> None:
    scores = np.array([[1.0, 0.0]] * 12 + [[0.0, 1.0]] * 3 + [[1.0, 1.0]] * 5)
    items = ItemScores.from_arrays(
        scores, algorithms=["a", "b"], measure="accuracy", dataset=["x"] * 10 + ["y"] * 10
    )
    said = finding(palio.compare(items, over="items"), "forest")
    assert "a has +0.450 in accuracy against b on average" in said
    assert said.endswith("better on 12 of 20 items, worse on 3.")


@pytest.mark.parametrize("name", DRAWN)
def test_every_figure_has_a_finding_of_its_own(name: str) -> None:
    found = part(name, 14)
    said = finding(found, name)
    assert said.endswith(".")
    assert said[0].isupper() or said.split()[0] in str(found.to_dict())
    others = [finding(found, each) for each in available(found) if each in DRAWN and each != name]
    assert said not in others
