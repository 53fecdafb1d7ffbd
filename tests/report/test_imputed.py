"""Scores that a rule made up are marked wherever their mean stands, and in what is written out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import palio
from palio.report.latex import render_latex
from palio.report.markdown import render_markdown
from palio.report.notebook import notebook_html
from palio.report.page import render_page
from palio.report.text import render_text
from palio.results import Result
from palio.scores import ScoreTable

RULES = ["worst", "baseline=a", "value=0.7"]


def table(missing: str, *, measure: str = "accuracy", k: int = 4) -> ScoreTable:
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.5, 0.9, (12, k))
    scores[2, 1] = scores[5, 1] = np.nan
    names = [chr(97 + i) if i < 26 else f"z{i}" for i in range(k)]
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(12)],
        algorithms=names,
        measure=measure,
        missing=missing,
    )


def starred(text: str) -> int:
    """Count the means that are marked, as Markdown and LaTeX escape the mark."""
    return sum(
        "*" in cell and cell[:1].isdigit()
        for cell in text.replace("<", " ").replace("&", " ").replace(">", " ").split()
    )


@pytest.mark.parametrize("missing", RULES)
@pytest.mark.parametrize("face", [render_text, notebook_html, render_latex, render_markdown])
@pytest.mark.parametrize("make", [palio.compare, palio.order])
def test_the_mean_of_imputed_scores_is_marked(make: object, face: object, missing: str) -> None:
    found: Result = make(table(missing))  # type: ignore[operator]
    text = face(found)  # type: ignore[operator]
    assert starred(text) == 1
    assert "mputed scores count in this mean" in " ".join(text.split())


@pytest.mark.parametrize("face", [render_text, notebook_html, render_latex, render_markdown])
@pytest.mark.parametrize("make", [palio.compare, palio.order, palio.rank])
def test_nothing_is_marked_where_nothing_is_imputed(make: object, face: object) -> None:
    text = face(make(table("pairwise")))  # type: ignore[operator]
    assert starred(text) == 0
    assert "mputed" not in text


def test_run_times_by_par10_are_marked() -> None:
    text = render_text(palio.compare(table("par10", measure="time")))
    assert starred(text) == 1


@pytest.mark.parametrize("make", [palio.compare, palio.rank])
def test_a_board_counts_what_is_imputed(make: object) -> None:
    found = make(table("worst", k=40))  # type: ignore[operator]
    (row,) = (row for row in found.board if row.algorithm == "b")
    assert row.missing == 2
    assert sum(row.missing for row in found.board) == 2
    head = next(
        line for line in render_text(found).splitlines() if line.lstrip().startswith("place")
    )
    assert "imputed" in head
    assert "missing" not in head
    assert starred(render_text(found)) == 1


def test_the_page_marks_it_and_says_what_the_mark_is() -> None:
    page = render_page(palio.analyse(table("worst"), checks=[]))
    assert "* Imputed scores count in this mean." in page
    assert "2 of 48 scores are imputed, by the worst score there." in page
    assert "Imputed scores count" not in render_page(palio.analyse(table("pairwise"), checks=[]))


@pytest.mark.parametrize("missing", RULES)
def test_what_is_written_out_says_which_scores_are_imputed(missing: str, tmp_path: Path) -> None:
    frame = table(missing).to_frame()
    marked = frame[frame["imputed"]]
    assert list(zip(marked["dataset"], marked["algorithm"], strict=True)) == [
        ("d2", "b"),
        ("d5", "b"),
    ]
    assert "imputed" not in table("pairwise").to_frame()
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    again = palio.read_scores(path)
    assert again.measure.name == "accuracy"
    assert again.score_names == ("accuracy",), "a mark is not a score"
