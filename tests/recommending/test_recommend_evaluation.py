"""Whether the nearest foretell better: by hand, and beside the evaluation of rankings."""

from dataclasses import replace

import numpy as np
import pytest

import palio
from palio.errors import ParameterError
from palio.ordering.evaluation import spearman
from palio.recommending import Described, evaluate_recommendation
from palio.stats.ranks import average_ranks


def studied() -> tuple[palio.ScoreTable, list[Described]]:
    """Fifteen data sets of a study, with features that tell nothing."""
    table = palio.load_study("ulas2008")
    table = table.select(datasets=table.datasets[:15])
    rng = np.random.default_rng(2)
    return table, [Described(name, 100, {"x": float(rng.normal())}) for name in table.datasets]


def test_all_others_are_the_leave_one_out_of_rankings() -> None:
    table, known = studied()
    found = evaluate_recommendation(table, known, nearest=[3, 14])
    by_rank = palio.evaluate_rankings(table, ["average-ranks"], top=1)
    regret = by_rank.methods[0].regret["1"]
    assert found.regrets[0].mean() == pytest.approx(regret)
    # All fourteen others are all of them, near or far.
    assert found.by_dataset[2] == pytest.approx(found.by_dataset[0])
    assert found.random_correlations[2] == pytest.approx(found.by_dataset[0].mean())


def test_one_nearest_by_hand() -> None:
    table, known = studied()
    found = evaluate_recommendation(table, known, nearest=[1])
    x = np.array([each.features["x"] for each in known])
    ranks = average_ranks(-table.means())
    for i in range(15):
        apart = np.abs(x - x[i])
        apart[i] = np.inf
        j = int(apart.argmin())
        assert found.by_dataset[1, i] == pytest.approx(spearman(ranks[j], ranks[i]))
        best = table.means()[i].max()
        first = table.means()[i, ranks[j] == ranks[j].min()].mean()
        assert found.regrets[1, i] == pytest.approx(best - first)


def test_features_without_meaning_do_not_help() -> None:
    table, known = studied()
    found = evaluate_recommendation(table, known)
    assert found.relevant == ("all", 1, 3, 5, 10)
    assert found.helpful == "all"
    text = str(found)
    assert "does not clearly help" in text
    assert max(map(len, text.splitlines())) <= 80
    # Near by chance is as good as drawn by chance, within the noise of fifteen data sets.
    near, chance = found.by_dataset[1:].mean(axis=1), found.random_correlations[1:]
    assert np.abs(near - chance).max() < 0.25


def test_a_higher_correlation_does_not_help_if_the_first_loses_more() -> None:
    table, known = studied()
    found = evaluate_recommendation(table, known, nearest=[3])
    better = np.stack([found.by_dataset[0], found.by_dataset[0] + 0.5])
    losing = replace(found, by_dataset=better, regrets=np.array([[1.0] * 15, [2.0] * 15]))
    assert losing.helpful == "all"
    assert replace(losing, regrets=np.ones((2, 15))).helpful == 3


def test_methods_with_costs_and_data_that_are_not_there() -> None:
    table, known = studied()
    found = evaluate_recommendation(table, known[:8], ranking="adjusted-ratios", nearest=[2])
    assert len(found.datasets) == 8
    assert any("7 data sets of the table are left out" in note for note in found.notes)
    assert any("time: train_time" in note for note in found.notes)
    frame = found.to_frame()
    assert frame["relevant"].dropna().tolist() == ["all", 2]
    assert set(frame["algorithm"].dropna()) == set(table.algorithms)


@pytest.mark.parametrize(
    ("data", "options", "says"),
    [(2, {}, "and 2 are"), (15, {"nearest": [15]}, "of the 14 other"), (15, {"nearest": [0]}, "0")],
)
def test_what_cannot_be_evaluated(data: int, options: dict[str, list[int]], says: str) -> None:
    table, known = studied()
    with pytest.raises(ParameterError, match=says):
        evaluate_recommendation(table, known[:data], **options)  # type: ignore[arg-type]
