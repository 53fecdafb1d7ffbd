"""Figures of rankings: what is drawn is what the summary says, and nothing overlaps."""

from typing import Any

import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text

import palio
from palio.errors import UnknownNameError
from palio.numbers import probability
from palio.ordering import RANKINGS
from palio.scores import ScoreTable
from tests.report.figures.summaries import artists, check_texts, names
from tests.report.made import available, draw


def table_of(algorithms: list[str], n: int = 12) -> ScoreTable:
    rng = np.random.default_rng(0)
    k = len(algorithms)
    return ScoreTable.from_arrays(
        np.clip(0.7 + 0.05 * rng.normal(size=(n, k)) + 0.03 * rng.normal(size=k), 0.05, 1),
        datasets=[f"d{i}" for i in range(n)],
        algorithms=algorithms,
        measure="accuracy",
        costs={"train_time": np.exp(2 * rng.normal(size=(n, k)))},
    )


def stability(algorithms: list[str]) -> dict[str, Any]:
    return palio.rank_stability(table_of(algorithms), n_resamples=300).to_dict()


def evaluation(algorithms: list[str], **options: Any) -> dict[str, Any]:
    return palio.evaluate_rankings(table_of(algorithms), **options).to_dict()


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("n", [2, 8, 30])
def test_texts_are_apart(n: int, length: str) -> None:
    for figure in (
        draw(stability(names(n, length)), "rank-stability"),
        draw(evaluation(names(n, length)), "loss-curves"),
        draw(evaluation(names(n, length), cost="train_time", acc_d=0.001), "loss-curves"),
    ):
        check_texts(figure)
        check_texts(figure, dpi=100)


def test_figures_fit_a_page() -> None:
    for figure in (
        draw(stability(names(20, "long")), "rank-stability"),
        draw(evaluation(names(20, "long"), cost="train_time"), "loss-curves"),
    ):
        width, height = figure.get_size_inches()
        assert width <= 7.5
        assert height <= 11


def test_cells_are_the_probabilities() -> None:
    summary = stability(["svr", "c45", "mlp"])
    method = next(m for m in summary["methods"] if m["method"] == "copeland")
    figure = draw(summary, "rank-stability", method="copeland")
    texts = artists(figure, Text, "cell:")
    for name, places in method["places"].items():
        for place, value in enumerate(places, start=1):
            if value:
                assert texts[f"{name}|{place}"].get_text() == probability(value)
            else:
                assert f"{name}|{place}" not in texts
    caption = " ".join(t.get_text() for t in figure.axes[0].texts if t.get_gid() == "caption")
    assert "Not shown: average-ranks" in caption
    with pytest.raises(UnknownNameError, match="Did you mean 'copeland'"):
        draw(summary, "rank-stability", method="copelnd")


def test_curves_are_those_of_the_summary() -> None:
    summary = evaluation(["svr", "c45", "mlp", "knn"], cost="train_time")
    figure = draw(summary, "loss-curves")
    for prefix, curves in (
        ("curve:", {name: c["loss"] for name, c in summary["loss_curves"].items()}),
        ("spent:", summary["cost_curves"]["loss"]),
    ):
        lines = artists(figure, Line2D, prefix)
        assert set(lines) == set(curves)
        top = max(max(curve) for curve in curves.values())
        heights = np.concatenate([lines[name].get_ydata() for name in curves])
        losses = np.concatenate(list(curves.values()))
        # Heights are losses on one scale: a straight line with a positive slope.
        slope, offset = np.polyfit(losses, heights, 1)
        assert slope > 0
        assert heights == pytest.approx(offset + slope * losses, abs=1e-9 * max(top, 1))


def test_without_a_cost_there_is_one_plot() -> None:
    figure = draw(evaluation(["svr", "c45"]), "loss-curves")
    assert not artists(figure, Line2D, "spent:")
    assert artists(figure, Line2D, "curve:")


def test_curves_that_lose_nothing_are_drawn() -> None:
    scores = np.tile([0.9, 0.5], (4, 1))
    table = ScoreTable.from_arrays(
        scores, datasets=list("wxyz"), algorithms=["a", "b"], measure="accuracy"
    )
    check_texts(draw(palio.evaluate_rankings(table).to_dict(), "loss-curves"))


def test_what_can_be_drawn() -> None:
    assert available(stability(["a", "b"])) == ["rank-stability"]
    assert available(evaluation(["a", "b"])) == ["loss-curves"]
    assert available(palio.rank(table_of(["a", "b"])).to_dict()) == []


def test_ten_methods_have_ten_looks() -> None:
    table = palio.load_study("ulas2008")
    summary = palio.evaluate_rankings(table, list(RANKINGS), cost="space").to_dict()
    lines = artists(draw(summary, "loss-curves"), Line2D, "curve:").values()
    looks = {(line.get_color(), line.get_linestyle(), line.get_linewidth()) for line in lines}
    assert len(looks) == len(RANKINGS)
