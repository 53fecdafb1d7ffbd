"""Differences on each data set and over all, as drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

import palio
from palio.errors import ParameterError
from palio.measures import Measure
from palio.report.figures import draw, style
from palio.scores import ItemScores, ScoreTable
from tests.report.figures.summaries import check_texts
from tests.report.figures.test_comparison_labels import check_shapes


def table(n: int, k: int = 5, *, measure: str = "accuracy", folds: int = 0) -> ScoreTable:
    rng = np.random.default_rng(n)
    shape = (n, k, 1, folds) if folds else (n, k)
    lead = np.linspace(0, 0.08, k).reshape((1, k, 1, 1) if folds else (1, k))
    return ScoreTable.from_arrays(
        rng.uniform(0.5, 0.6, shape) + lead,
        datasets=[f"data {i}" for i in range(n)],
        algorithms=[f"algorithm {i}" for i in range(k)],
        measure=measure,
    )


def texts(figure: Figure, kind: str) -> list[str]:
    return [t.get_text() for t in figure.findobj(Text) if str(t.get_gid()).startswith(kind)]


def colours(figure: Figure, gid: str) -> list[str]:
    found: Any = next(c for c in figure.axes[0].collections if c.get_gid() == gid)
    values: list[Any] = list(found.get_facecolor())
    return [to_hex(each).upper() for each in values]


def caption(figure: Figure) -> str:
    return " ".join(texts(figure, "caption"))


def test_the_first_is_drawn_against_the_three_best_others_unless_said() -> None:
    comparison = palio.compare(table(12))
    order = comparison.by_standing
    titles = texts(draw(comparison, "forest"), "title:")
    assert titles[::2] == [f"{order[0]} − {name}" for name in order[1:4]]
    assert "best 3 of 4 others" in caption(draw(comparison, "forest"))
    focused = draw(comparison.focused(order[4]), "forest")
    assert texts(focused, "title:0")[0] == f"{order[4]} − {order[0]}"
    control = draw(palio.compare(table(12), control=order[2]), "forest")
    assert texts(control, "title:0")[0] == f"{order[2]} − {order[0]}"
    assert "(the control)" in caption(control)


def test_pairs_may_be_named_and_one_pair_has_its_numbers_beside_it() -> None:
    comparison = palio.compare(table(12, folds=5))
    figure = draw(comparison, "forest", algorithms=["algorithm 1", "algorithm 3"])
    found = comparison.forest("algorithm 1", "algorithm 3")
    values = texts(figure, "value:")
    assert len(values) == 12
    assert all("[" in value for value in values)
    names = texts(figure, "dataset:")
    largest = max(found.rows, key=lambda row: row.difference)
    assert names[0] == largest.dataset
    assert texts(draw(comparison, "forest"), "value:") == []
    with pytest.raises(ParameterError, match="algorithms"):
        draw(comparison, "forest", algorithms=["algorithm 1"])


@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_blue_is_better_whatever_the_direction(measure: str) -> None:
    comparison = palio.compare(table(12, 2, measure=measure, folds=5))
    best = comparison.by_standing[0]
    figure = draw(comparison, "forest")
    assert comparison.forest(*comparison.by_standing).sign == 1
    assert colours(figure, "overall:0") == [style.BLUE]
    assert best == ("algorithm 1" if measure == "accuracy" else "algorithm 0")
    assert style.BLUE in colours(figure, "differences:0")
    assert style.VERMILLION not in colours(figure, "differences:0")
    side = "right" if measure == "accuracy" else "left"
    assert f"to the {side} of zero it is better" in caption(figure)


@pytest.mark.parametrize(("n", "shown"), [(60, 60), (200, 60)])
def test_up_to_sixty_data_sets_are_drawn_and_of_more_it_is_said_which(n: int, shown: int) -> None:
    figure = draw(palio.compare(table(n)), "forest")
    check_texts(figure)
    check_shapes(figure)
    assert len(texts(figure, "dataset:")) == shown
    assert (f"60 of {n} data sets are shown" in caption(figure)) == (n > shown)
    assert figure.get_size_inches()[1] <= 11


def test_without_folds_or_items_single_data_sets_have_no_interval() -> None:
    figure = draw(palio.compare(table(12)), "forest")
    assert "intervals:0" not in {c.get_gid() for c in figure.axes[0].collections}
    assert set(colours(figure, "differences:0")) == {style.MUTED}
    assert "Single data sets have no interval." in caption(figure)


def test_an_interval_much_longer_than_all_differences_is_cut_with_a_head() -> None:
    rng = np.random.default_rng(0)
    folds = rng.uniform(5, 6, (12, 2, 1, 1)) + rng.normal(0, 0.01, (12, 2, 1, 5))
    folds[4, 0, 0] += [-20.0, 0.0, 0.0, 0.0, 20.0]
    wild = ScoreTable.from_arrays(
        folds,
        datasets=[f"data {i}" for i in range(12)],
        algorithms=["a", "b"],
        measure=Measure("score", higher_is_better=True),
    )
    figure = draw(palio.compare(wild), "forest")
    heads = next(c for c in figure.axes[0].collections if c.get_gid() == "beyond:0")
    assert len(heads.get_paths()) == 2
    check_shapes(figure)


@pytest.mark.parametrize(("by", "said"), [("datasets", "over 2 data"), ("items", "the items of 2")])
def test_over_items_the_caption_says_what_is_averaged_and_generalised_to(
    by: str, said: str
) -> None:
    scores = np.random.default_rng(0).integers(0, 2, (30, 3)).astype(float)
    items = ItemScores.from_arrays(
        scores, algorithms=["a", "b", "c"], measure="accuracy", dataset=["x"] * 20 + ["y"] * 10
    )
    figure = draw(palio.compare(items, over="items", average=by), "forest")
    assert "for other items, with its interval at the level of the verdict" in caption(figure)
    assert said in caption(figure)
    assert "intervals on a data set are over its items" in caption(figure)


def test_the_diamond_is_what_the_test_estimates() -> None:
    """Of the signed-rank test the median of the means of every two, not the mean."""
    comparison = palio.compare(table(12, 2))
    figure = draw(comparison, "forest")
    one, two = (
        comparison.compared.values[:, comparison.algorithms.index(name)]
        for name in comparison.by_standing
    )
    i, j = np.triu_indices(12)
    walsh = ((one - two)[i] + (one - two)[j]) / 2
    assert texts(figure, "title:0")[1].startswith(f"+{np.median(walsh):.3f} [")
    assert (
        "Diamond: the median difference, by Hodges and Lehmann, over 12 data sets, for others like "
        "these, with its interval at the level of the verdict."
    ) in caption(figure)
    other = caption(
        draw(palio.compare(table(12, 2), test="mean-ranks", correction="nemenyi"), "forest")
    )
    assert "Diamond: the mean difference, over 12 data sets" in other
    assert "with its unadjusted 95\u00a0% interval." in other


def test_on_a_ratio_scale_ratios_are_drawn() -> None:
    rng = np.random.default_rng(0)
    units = 10.0 ** rng.uniform(-3, 4, (12, 1))
    scores = units * np.exp(np.array([0.0, 0.5]) + rng.normal(0, 0.1, (12, 2)))
    rmse = ScoreTable.from_arrays(
        scores, datasets=[f"d{i}" for i in range(12)], algorithms=["a", "b"], measure="rmse"
    )
    figure = draw(palio.compare(rmse), "forest")
    logs = np.log(scores[:, 0] / scores[:, 1])
    i, j = np.triu_indices(12)
    middle = np.exp(np.median((logs[i] + logs[j]) / 2))
    assert texts(figure, "title:0")[0] == "a / b"
    assert texts(figure, "title:0")[1].startswith(f"{middle:.3f} [")
    values = dict(zip(texts(figure, "dataset:"), texts(figure, "value:"), strict=True))
    assert {name: float(value) for name, value in values.items()} == pytest.approx(
        {f"d{i}": float(np.exp(logs[i])) for i in range(12)}, rel=0.01
    )
    assert texts(figure, "axis-label") == ["ratio of rmse, logarithmic"]
    assert "1" in texts(figure, "tick-label:")
    assert "to the left of 1 it is better" in caption(figure)
    assert "the median ratio, by Hodges and Lehmann" in caption(figure)
    assert colours(figure, "overall:0") == [style.BLUE]
    check_texts(figure)
