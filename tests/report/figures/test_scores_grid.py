"""The grid of algorithms and data sets: places or scores, and cells that have none of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.collections import Collection, LineCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

import palio
from palio.comparison.results import Comparison
from palio.errors import ParameterError
from palio.report.figures import draw
from palio.report.figures.extent import MOST_COLUMNS, MOST_ROWS
from palio.scores import ScoreTable
from tests.report.figures.summaries import check_texts
from tests.report.figures.test_comparison_labels import check_shapes

SCORES = [[0.9, 0.8, 0.7], [0.9, 0.8, 0.7], [0.6, 0.8, 0.7], [0.9, 0.9, 0.7]]


def table(
    scores: object, measure: str = "accuracy", missing: str = "pairwise", stem: str = "d"
) -> ScoreTable:
    values = np.array(scores, dtype=float)
    return ScoreTable.from_arrays(
        values,
        datasets=[f"{stem}{i}" for i in range(values.shape[0])],
        algorithms=[f"a{i}" for i in range(values.shape[1])],
        measure=measure,
        missing=missing,
        keep_failing=True,
    )


def some(k: int, n: int, *, holes: float = 0.0, missing: str = "pairwise") -> Comparison:
    rng = np.random.default_rng(k)
    scores = np.clip(rng.normal(0.7, 0.1, (n, k)) + np.linspace(0.1, -0.1, k), 0, 1)
    scores[rng.uniform(size=scores.shape) < holes] = np.nan
    return palio.compare(table(scores, missing=missing, stem="data set "))


def texts(figure: Figure, prefix: str) -> dict[str, str]:
    return {
        str(text.get_gid()).removeprefix(prefix): text.get_text()
        for text in figure.findobj(Text)
        if str(text.get_gid()).startswith(prefix)
    }


def caption(figure: Figure) -> str:
    lines = [text.get_text() for text in figure.findobj(Text) if text.get_gid() == "caption"]
    return " ".join(lines)


def signs(figure: Figure, state: str) -> int:
    """Count the cells with the sign of a state; a cross is two lines."""
    found = [
        shape
        for shape in figure.findobj(Collection)
        if str(shape.get_gid()).startswith(f"{state}:")
    ]
    lines = sum(len(shape.get_paths()) for shape in found if isinstance(shape, LineCollection))
    others = sum(len(shape.get_paths()) for shape in found if not isinstance(shape, LineCollection))
    # One of them is the sample of the key.
    return max(0, lines // 2 + others - 1)


# --- places and scores ------------------------------------------------------------------------


def test_cells_say_the_place_on_the_data_set() -> None:
    cells = texts(draw(palio.compare(table(SCORES)), "scores-grid"), "cell:")
    assert [cells[f"a0|d{i}"] for i in range(4)] == ["1", "1", "3", "1.5"]
    assert [cells[f"a2|d{i}"] for i in range(4)] == ["3", "3", "2", "3"]


def test_where_lower_is_better_the_lowest_is_first() -> None:
    found = palio.compare(table(SCORES, measure="error"))
    cells = texts(draw(found, "scores-grid"), "cell:")
    assert [cells[f"a2|d{i}"] for i in range(4)] == ["1", "1", "2", "1"]
    names = list(texts(draw(found, "scores-grid"), "name:"))
    assert names[0] == "a2"
    assert names == list(found.by_standing)


def dark(figure: Figure, row: int, column: int, columns: int) -> float:
    cells: Any = next(shape for shape in figure.findobj(Collection) if shape.get_gid() == "cells")
    value = np.ma.ravel(cells.get_array())[row * columns + column]
    return 1 - float(np.mean(cells.cmap(cells.norm(value))[:3]))


@pytest.mark.parametrize("by", ["place", "score"])
@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_the_better_is_darker_whatever_the_direction(by: str, measure: str) -> None:
    found = palio.compare(table(SCORES, measure=measure))
    drawn = draw(found, "scores-grid", by=by)
    first, last = dark(drawn, 0, 0, 4), dark(drawn, 2, 0, 4)
    assert first > last + 0.3


def test_scores_are_written_where_they_are_asked_for() -> None:
    drawn = draw(palio.compare(table(SCORES)), "scores-grid", by="score")
    assert texts(drawn, "cell:")["a0|d2"] == "0.6000"
    assert texts(drawn, "legend-title") == {"": "accuracy, higher is better"}


def test_a_score_far_off_does_not_take_all_the_colours() -> None:
    rng = np.random.default_rng(0)
    scores = rng.uniform(1.0, 2.0, (60, 3))
    scores[0, 0] = 1e6
    drawn = draw(palio.compare(table(scores, measure="rmse")), "scores-grid", by="score")
    assert any("or worse" in text for text in texts(drawn, "legend:").values())
    shades = {dark(drawn, 1, column, 60) for column in range(60)}
    assert len(shades) > 10


def test_places_are_comparable_where_the_measure_differs_by_data_set() -> None:
    rows = {
        "dataset": ["d0", "d0", "d1", "d1", "d2", "d2"],
        "algorithm": ["x", "y"] * 3,
        "metric": ["auc", "auc", "log_loss", "log_loss", "auc", "auc"],
        "value": [0.9, 0.8, 0.3, 0.5, 0.7, 0.6],
    }
    found = palio.compare(palio.read_scores(rows))
    assert found.measure.is_mixed
    cells = texts(draw(found, "scores-grid"), "cell:")
    assert {cells[f"x|d{i}"] for i in range(3)} == {"1"}
    with pytest.raises(ParameterError, match="by: the measure differs by data set"):
        draw(found, "scores-grid", by="score")


def test_another_way_of_colouring_is_refused() -> None:
    with pytest.raises(ParameterError, match="by: must be 'place' or 'score'"):
        draw(palio.compare(table(SCORES)), "scores-grid", by="rank")


# --- cells without a score of their own -------------------------------------------------------


def with_failures(missing: str) -> Comparison:
    rows = [
        (f"d{i}", name, score, "ok")
        for i, scores in enumerate(SCORES)
        for name, score in zip(("x", "y", "z"), scores, strict=True)
    ]
    rows[1] = ("d0", "y", float("nan"), "timeout")  # and (d2, z) is not there at all
    del rows[8]
    columns = zip(*rows, strict=True)
    names = ("dataset", "algorithm", "accuracy", "status")
    frame = {name: list(column) for name, column in zip(names, columns, strict=True)}
    return palio.compare(palio.read_scores(frame, missing=missing))


def test_what_failed_and_what_was_never_run_have_their_own_signs() -> None:
    drawn = draw(with_failures("pairwise"), "scores-grid")
    assert signs(drawn, "failed") == 1
    assert list(texts(drawn, "key-label:")) == ["failed", "never run"]
    cells = texts(drawn, "cell:")
    assert "y|d0" not in cells
    assert "z|d2" not in cells
    assert len(cells) == 10


@pytest.mark.parametrize(
    ("missing", "by"),
    [
        ("worst", "the worst score there"),
        ("baseline=x", "the score of x there"),
        ("value=0.1", "0.1"),
    ],
)
def test_what_a_rule_made_up_is_marked(missing: str, by: str) -> None:
    drawn = draw(with_failures(missing), "scores-grid")
    assert signs(drawn, "imputed") == 2
    assert list(texts(drawn, "key-label:")) == ["imputed"]
    assert len(texts(drawn, "cell:")) == 12
    assert f"2 of 12 scores are imputed, by {by}." in caption(drawn)


def test_a_whole_table_needs_no_key() -> None:
    assert texts(draw(palio.compare(table(SCORES)), "scores-grid"), "key-label:") == {}


def test_signs_are_drawn_on_small_cells_too() -> None:
    found = some(60, 150, holes=0.02, missing="worst")
    drawn = draw(found, "scores-grid")
    assert found.missing is not None
    assert signs(drawn, "imputed") == found.missing.imputed > 0


# --- size -------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["place", "score"])
@pytest.mark.parametrize(("k", "n"), [(2, 3), (7, 35), (10, 142), (30, 112), (93, 18), (150, 200)])
def test_names_do_not_touch(k: int, n: int, by: str) -> None:
    drawn = draw(some(k, n, holes=0.02), "scores-grid", by=by)
    check_texts(drawn)
    check_shapes(drawn)
    assert len(texts(drawn, "name:")) == k
    width, height = drawn.get_size_inches()
    assert width < 9
    assert height < 18
    named = len(texts(drawn, "heading:"))
    assert named == n or f"{named} of {n} are named" in caption(drawn)
    sizes = {float(text.get_fontsize()) for text in drawn.findobj(Text) if text.get_text()}
    assert min(sizes) >= 6


def test_more_than_can_be_read_is_said_not_drawn() -> None:
    found = some(MOST_ROWS + 5, MOST_COLUMNS + 7)
    drawn = draw(found, "scores-grid")
    assert list(texts(drawn, "name:")) == list(found.by_standing[:MOST_ROWS])
    assert "The first 150 of 155 algorithms." in caption(drawn)
    assert "The 200 of 207 data sets where most of these have a score" in caption(drawn)


def test_the_first_that_are_asked_for_and_the_focus() -> None:
    found = some(40, 12)
    last = found.by_standing[-1]
    drawn = draw(found.top(5).focused(last), "scores-grid")
    assert list(texts(drawn, "name:")) == [*found.by_standing[:4], last]
    assert f"The first 4 of 40 algorithms, and {last}." in caption(drawn)
    # Places are still those among all.
    assert max(int(float(place)) for place in texts(drawn, "cell:").values()) > 5


def test_data_sets_with_most_scores_are_kept() -> None:
    rng = np.random.default_rng(3)
    scores = rng.uniform(0.5, 0.9, (MOST_COLUMNS + 1, 3))
    scores[17, :2] = np.nan
    drawn = draw(palio.compare(table(scores)), "scores-grid")
    assert "d17" not in texts(drawn, "heading:")
    assert "200 of 201" in caption(drawn)


# --- parts that nothing joins -----------------------------------------------------------------


def test_parts_that_no_data_set_joins_are_ruled_off() -> None:
    scores = np.full((12, 5), np.nan)
    rng = np.random.default_rng(0)
    scores[:7, :3] = rng.uniform(0.5, 0.9, (7, 3))
    scores[7:, 3:] = rng.uniform(0.5, 0.9, (5, 2))
    found = palio.compare(table(scores))
    drawn = draw(found, "scores-grid")
    assert [sorted(part) for part in found.components] == [["a0", "a1", "a2"], ["a3", "a4"]]
    assert list(texts(drawn, "name:")) == list(found.by_standing)
    rules = [shape for shape in drawn.findobj(LineCollection) if shape.get_gid() == "breaks"]
    assert len(rules) == 1
    assert len(rules[0].get_paths()) == 1
    assert "No data set joins 2 parts, of 3 and 2 algorithms; a rule parts them" in caption(drawn)


def test_who_is_alone_on_a_data_set_is_neither_first_nor_last() -> None:
    scores = np.array([[0.9, 0.8, 0.7], [0.8, 0.9, 0.7], [0.9, np.nan, np.nan]])
    drawn = draw(palio.compare(table(scores)), "scores-grid")
    place = list(texts(drawn, "name:")).index("a0")
    assert dark(drawn, 2, 0, 3) < dark(drawn, place, 2, 3) < dark(drawn, 0, 0, 3)
    assert "Who is alone there is in the middle." in caption(drawn)
