"""Orders, rankings and reports of item scores say what would be drawn anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text

import palio
from palio.errors import DesignError, ParameterError
from palio.report.figures import draw
from palio.report.latex import render_latex
from palio.report.methods import methods
from palio.report.question import Question
from palio.scores import ItemScores, ScoreTable


def answers(datasets: int) -> ItemScores:
    rng = np.random.default_rng(1)
    n = 40 * datasets
    right = (rng.random((n, 3)) < [0.4, 0.75, 0.45]).astype(float)
    of = [f"task{i // 40}" for i in range(n)]
    return ItemScores.from_arrays(right, algorithms=["a", "b", "c"], measure="accuracy", dataset=of)


def test_an_order_stands_on_the_pairs_over_items() -> None:
    found = palio.order(answers(2))
    assert found.comparison is not None
    assert found.comparison.over == "items"
    assert found.test == "item-t"
    assert found.order[0] == "b"
    assert found.unbeaten == ("b",)
    assert found.verdict.best.startswith("These tasks, other items: b leads")
    assert "significantly better (p" in found.why("b", "a")
    over_datasets = palio.order(answers(2), over="datasets")
    assert over_datasets.test == "wilcoxon"
    assert len(over_datasets.unbeaten) == 3
    assert palio.order(answers(7)).test == "wilcoxon"
    assert palio.order(answers(7), over="items").test == "item-t"
    assert palio.order(answers(1)).test == "item-t"
    assert palio.order(answers(7), dataset="task3").test == "item-t"
    with pytest.raises(ParameterError, match="it belongs to pairwise"):
        palio.order(answers(2), method="multi2test", over="items")


def test_a_ranking_has_rank_sets_over_either() -> None:
    items = answers(7)
    over_items, over_datasets = (palio.rank(items, over=o) for o in ("items", None))
    assert over_items.order == over_datasets.order
    assert over_items.judged is not None
    assert over_items.judged.over == "items"
    assert "rank sets: these tasks, other items" in over_items.notes
    assert "rank sets: other tasks like these" in over_datasets.notes
    assert str(over_items).splitlines()[0].endswith("; rank sets: these tasks, other items")
    assert "rank sets" not in str(palio.rank("study:ulas2008")).splitlines()[0]
    with pytest.raises(DesignError, match="there must be a score on each"):
        palio.rank(palio.load_study("ulas2008"), over="items")


@pytest.mark.parametrize("datasets", [1, 3])
def test_a_report_over_items(datasets: int) -> None:
    report = palio.analyse(answers(datasets))
    assert report.comparison is not None
    assert report.comparison.over == "items"
    assert report.audit is not None
    assert report.audit.over == "items"
    assert not any(each.part == "audit" for each in report.not_done)
    page = report.to_html()
    assert "other items: b leads 3 algorithms" in page
    assert "Mean ranks by" not in page
    # The audit says of checks on mean ranks that they do not apply; nothing else speaks of these.
    assert "mean rank" not in palio.analyse(answers(datasets), checks=[]).to_html().lower()
    assert "interval of the mean over items." in page
    assert ('id="figure-differences"' in page) == (datasets > 1)
    said = [each.text for each in methods(report)]
    assert said[0].startswith(f"3 algorithms were compared on {40 * datasets} items")
    assert "prefers the better mean accuracy unless" in said[1]
    tex = render_latex(report.comparison)
    assert "mean rank" not in tex
    assert "are the items of a" in tex
    assert "s.e." in tex


def test_a_report_over_data_sets_of_the_same_items_speaks_of_ranks() -> None:
    page = palio.analyse(answers(7), checks=[]).to_html()
    assert "interval of the mean over data sets." in page
    assert 'id="figure-critical-difference"' in page
    assert 'id="figure-differences"' not in page


def test_the_headline_counts_the_algorithms_that_have_items() -> None:
    rng = np.random.default_rng(0)
    scores = (rng.random((80, 2)) < [0.3, 0.9]).astype(float)
    items = ItemScores.from_arrays(
        scores, algorithms=["a", "b"], measure="accuracy", dataset=["x"] * 40 + ["y"] * 40
    )
    table = ScoreTable.from_arrays(
        np.array([[0.3, 0.9, 0.5], [0.3, 0.9, 0.5]]),
        datasets=["x", "y"],
        algorithms=["a", "b", "c"],
        measure="accuracy",
    )
    report = palio.analyse(replace(table, items=items), over="items")
    assert report.claims.headline.startswith(
        "These tasks, other items: b leads 2 algorithms over 2 data sets; "
    )
    assert report.leader == "b"


def test_figures_over_items_sort_by_the_mean_score() -> None:
    comparison = palio.compare(answers(3))
    for name in ("comparison-matrix", "p-values"):
        texts = [text.get_text() for text in draw(comparison, name).findobj(Text)]
        assert "sorted by mean accuracy" in " ".join(texts)
        assert not any("rank" in text for text in texts)


def test_what_a_report_is_asked_decides_the_reading() -> None:
    items = answers(3)
    for asked, over in (
        ({}, "items"),
        ({"over": "datasets"}, "datasets"),
        ({"test": "sign"}, "datasets"),
        ({"item_test": "mcnemar"}, "items"),
    ):
        report = palio.analyse(items, Question(checks=[], **asked))  # type: ignore[arg-type]
        assert report.comparison is not None
        assert report.comparison.over == over
    question = Question(over="items", item_test="McNemar")
    assert question.item_test == "mcnemar"
    assert Question.from_query(question.to_query()) == question
    with pytest.raises(ParameterError, match="it is items or datasets"):
        Question(over="folds")
    assert palio.analyse(answers(7), checks=[]).comparison.over == "datasets"  # type: ignore[union-attr]
