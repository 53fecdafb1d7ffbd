"""Figures of tables with few scores, of parts that nothing joins, and of very many algorithms."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from matplotlib.collections import Collection, LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

import palio
from palio.comparison.results import Comparison
from palio.errors import ParameterError
from palio.ordering.result import Ordering
from palio.report.figures import FIGURES, available, draw
from palio.report.figures.extent import MOST_ROWS
from palio.report.figures.kinds import MOST_NODES
from palio.scores import ScoreTable
from palio.scores.missing import filled_by
from tests.report.figures.summaries import check_texts
from tests.slow import mostly_slow

OF_SCORES = ("critical-difference", "comparison-matrix", "p-values", "win-matrix", "scores-grid")
OF_COMPLETE = ("rank-distribution", "scores")


def table(scores: np.ndarray, measure: str = "accuracy", missing: str = "pairwise") -> ScoreTable:
    n, k = scores.shape
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{i:03d}" for i in range(k)],
        measure=measure,
        missing=missing,
    )


@cache
def sparse(measure: str = "accuracy") -> Comparison:
    """Return a comparison in which who meets the weak has the better ranks where it is.

    Two strong ones meet each other and the middle; the last two only the weak. On two data sets
    all are there.
    """
    rng = np.random.default_rng(4)
    skill = np.array([0.9, 0.85, 0.7, 0.66, 0.62, 0.3, 0.25])
    scores = np.full((40, 7), np.nan)
    scores[:16, :3] = skill[:3]
    scores[16:30, 3:6] = skill[3:6]
    scores[30:38, [2, 3, 6]] = skill[[2, 3, 6]]
    scores[38:] = skill
    scores += rng.normal(0, 0.04, scores.shape)
    return palio.compare(table(scores if measure == "accuracy" else 1 - scores, measure))


@cache
def apart() -> Comparison:
    rng = np.random.default_rng(1)
    scores = np.full((20, 7), np.nan)
    scores[:12, :4] = rng.uniform(0.5, 0.9, (12, 4)) + np.linspace(0.09, 0, 4)
    scores[12:, 4:] = rng.uniform(0.5, 0.9, (8, 3))
    return palio.compare(table(scores))


@cache
def many() -> Comparison:
    rng = np.random.default_rng(2)
    scores = rng.uniform(0.5, 0.9, (12, MOST_ROWS + 10))
    return palio.compare(table(scores, missing="worst"))


def names(figure: Figure) -> list[str]:
    """Return the names from the top down, as they stand on the page."""
    found = [
        (-text.get_position()[1], str(text.get_gid()).removeprefix("name:"))
        for text in figure.findobj(Text)
        if str(text.get_gid()).startswith("name:")
    ]
    return [name for _, name in sorted(found)]


def caption(figure: Figure) -> str:
    lines = [text.get_text() for text in figure.findobj(Text) if text.get_gid() == "caption"]
    return " ".join(lines)


@pytest.mark.parametrize("measure", ["accuracy", "error"])
@pytest.mark.parametrize("figure", [*OF_SCORES, *OF_COMPLETE])
def test_no_figure_contradicts_the_board(figure: str, measure: str) -> None:
    found = sparse(measure)
    board = [row.algorithm for row in found.board]
    # Two share too few data sets with the first to be told from it, and stand last.
    assert list(found.not_comparable) == ["a003", "a004"]
    assert board == [name for name in found.by_mean_rank if name not in found.not_comparable] + [
        name for name in found.by_mean_rank if name in found.not_comparable
    ]
    assert board != list(found.by_mean_rank), "nothing is tested"
    drawn = draw(found, figure)
    # Of a line of ranks the names stand on both sides of it.
    assert names(drawn) == board or (
        figure == "critical-difference" and sorted(names(drawn)) == sorted(board)
    )
    last = "mean rank (those that cannot be compared with a000 last)"
    said = caption(drawn)
    assert last in said or "Mean ranks over 40 data sets, adjusted for those that each" in said
    check_texts(drawn)


def test_mean_ranks_allow_for_whom_each_has_met() -> None:
    """By least squares of rank/(m + 1), additive in algorithm and data set."""
    found = sparse()
    values = found.compared.values
    there = np.isfinite(values)
    ranks = np.argsort(np.argsort(-np.where(there, values, -np.inf), axis=1), axis=1) + 1.0
    rows, columns = np.nonzero(there)
    scaled = (ranks / (there.sum(axis=1, keepdims=True) + 1))[there]
    design = np.hstack([np.eye(40)[rows], np.eye(7)[columns]])
    fitted = np.linalg.lstsq(design, scaled, rcond=None)[0]
    expected = 8 * (fitted[40:] + fitted[:40].mean())
    assert list(found.mean_ranks.values()) == pytest.approx(expected.tolist())
    drawn = draw(found, "critical-difference")
    at = {
        str(line.get_gid()).removeprefix("leader:"): float(np.asarray(line.get_xdata())[0])
        for line in drawn.findobj(Line2D)
        if str(line.get_gid()).startswith("leader:")
    }
    texts = {t.get_gid(): t.get_text() for t in drawn.findobj(Text)}
    for name, rank in found.mean_ranks.items():
        assert texts[f"rank:{name}"] == (f"{rank:.2f}" if rank >= 1 else "<1")
    # One that met the strong alone may be better than first, and has its room on the axis.
    assert found.mean_ranks["a000"] < 1
    order = sorted(found.mean_ranks, key=found.mean_ranks.__getitem__)
    assert sorted(order, key=at.__getitem__) == order


@pytest.mark.parametrize("figure", OF_SCORES)
def test_parts_are_drawn_apart_and_it_is_said(figure: str) -> None:
    found = apart()
    assert len(found.components) == 2
    drawn = draw(found, figure)
    assert names(drawn) == list(found.by_standing)
    rules = [shape for shape in drawn.findobj(LineCollection) if shape.get_gid() == "breaks"]
    assert [len(rule.get_paths()) for rule in rules] == [1]
    assert "No data set joins 2 parts, of 4 and 3 algorithms; a rule parts them" in caption(drawn)
    check_texts(drawn)


def test_the_rule_stands_between_the_parts() -> None:
    found = apart()
    drawn = draw(found, "critical-difference")
    (rule,) = (shape for shape in drawn.findobj(LineCollection) if shape.get_gid() == "breaks")
    height = float(np.asarray(rule.get_paths()[0].vertices)[0, 1])
    at = {
        str(text.get_gid()).removeprefix("name:"): text.get_position()[1]
        for text in drawn.findobj(Text)
        if str(text.get_gid()).startswith("name:")
    }
    first, second = found.components
    assert min(at[name] for name in first) > height > max(at[name] for name in second)


@pytest.mark.parametrize("figure", ["comparison-matrix", "p-values", "win-matrix"])
def test_an_empty_cell_is_explained(figure: str) -> None:
    assert "Empty: the two share no data set." in caption(draw(apart(), figure))
    assert "Empty:" not in caption(draw(many().top(4), figure))


@pytest.mark.parametrize("figure", mostly_slow([*OF_SCORES, *OF_COMPLETE], 2))
def test_of_very_many_the_first_are_shown_and_it_is_said(figure: str) -> None:
    found = many()
    drawn = draw(found, figure)
    assert names(drawn) == list(found.by_standing[:MOST_ROWS])
    assert "The first 150 of 160 algorithms." in caption(drawn)


@pytest.mark.parametrize("figure", [*OF_SCORES, *OF_COMPLETE])
def test_the_one_in_focus_is_always_shown(figure: str) -> None:
    found = many()
    last = found.by_standing[-1]
    drawn = draw(found.top(6).focused(last), figure)
    # On a line the names stand on both sides.
    assert sorted(names(drawn)) == sorted([*found.by_standing[:5], last])
    assert f"The first 5 of 160 algorithms, and {last}." in caption(drawn)
    check_texts(drawn)


@pytest.mark.parametrize("figure", [*OF_SCORES, *OF_COMPLETE])
def test_imputed_scores_are_said(figure: str) -> None:
    scores = np.random.default_rng(0).uniform(0.5, 0.9, (9, 4))
    scores[2, 1] = scores[5, 3] = np.nan
    for missing in ("worst", "baseline=a000"):
        drawn = draw(palio.compare(table(scores, missing=missing)), figure)
        assert f"2 of 36 scores are imputed, {filled_by(missing)}." in caption(drawn)
    assert "imputed" not in caption(draw(palio.compare(table(scores)), figure))


def test_imputed_scores_are_rings_among_the_dots() -> None:
    scores = np.random.default_rng(0).uniform(0.5, 0.9, (9, 4))
    scores[2, 1] = scores[5, 3] = np.nan
    drawn = draw(palio.compare(table(scores, missing="worst")), "scores")
    counts = {
        shape.get_gid(): len(np.asarray(shape.get_offsets()))
        for shape in drawn.findobj(Collection)
        if shape.get_gid() in ("dots", "imputed")
    }
    assert counts == {"dots": 34, "imputed": 2}


def test_pairs_of_some_have_the_effects_they_have_among_all() -> None:
    found = many()
    chosen = found.by_standing[3:30:4]
    pairs = found.pairs_among(chosen)
    assert len(pairs) == 21
    for pair in pairs:
        of_all = found.pair(pair.a, pair.b)
        assert (pair.sizes, pair.record) == (of_all.sizes, of_all.record)
        assert (pair.difference, pair.interval) == (of_all.difference, of_all.interval)


def ordered(k: int) -> Ordering:
    scores = np.random.default_rng(0).uniform(0.5, 0.9, (20, k)) + np.linspace(0, 0.09, k)
    return palio.order(table(scores))


def test_without_an_arrow_pages_have_a_sentence_and_of_many_there_is_no_graph() -> None:
    level = palio.order(table(np.full((20, 8), 0.5)))
    assert "multitest-graph" in available(level)
    assert not FIGURES["multitest-graph"].tells(level)
    found = palio.order(table(np.full((20, MOST_NODES + 1), 0.5)))
    assert available(found)[0] == "critical-difference"
    with pytest.raises(ParameterError, match="a pair in which a test overrode it"):
        draw(found, "multitest-graph")


def overriding(k: int) -> Ordering:
    """Return an order whose first, the costliest, is better than all the others."""
    scores = np.random.default_rng(0).uniform(0.5, 0.6, (20, k))
    scores[:, -1] += 0.3
    costs = {"train_time": np.tile(np.arange(1.0, k + 1), (20, 1))}
    made = ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(20)],
        algorithms=[f"a{i:03d}" for i in range(k)],
        measure="accuracy",
        costs=costs,
    )
    return palio.order(made, cost="train_time")


def test_of_many_the_first_and_its_neighbours_are_shown() -> None:
    few, many = (draw(overriding(k), "multitest-graph") for k in (MOST_NODES, MOST_NODES + 1))
    assert "step" in caption(few)
    last = overriding(MOST_NODES + 1).order[0]
    nodes = {str(shape.get_gid()) for shape in many.findobj() if "node:" in str(shape.get_gid())}
    assert f"node:{last}:whole" in nodes
    assert len(nodes) == MOST_NODES
    said = f"Of 31 algorithms: {last}, and the first 29 of the 30 that an arrow joins to it."
    assert said in caption(many)


def test_of_many_the_one_in_focus_is_shown() -> None:
    drawn = draw(overriding(MOST_NODES + 5), "multitest-graph", focus="a003")
    assert "Of 35 algorithms: a003, and the 1 that an arrow joins to it." in caption(drawn)


def test_the_graph_says_who_stands_last_and_why() -> None:
    scores = sparse().compared.values
    drawn = draw(palio.order(table(scores)), "multitest-graph", steps=False)
    said = "by mean rank (those that cannot be compared with a000 last), the best first."
    assert said in caption(drawn)
