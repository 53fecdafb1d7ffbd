"""Rankings, their evaluation and the best, where scores fall, are missing, or designs are mixed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import palio
from palio.comparison.fold_tests import bind_fold_test
from palio.errors import MissingCellsError, ParameterError, UnpairedFoldsError
from palio.ordering import FINDERS, RANKINGS, find_best
from palio.ordering.evaluation import spearman
from palio.scores import ScoreTable
from palio.stats.ranks import average_ranks
from tests.ordering.tables import ALIKE, MIXED, NAMES, folds_table

# Options other than the methods' own, where a method takes any.
ASKED: dict[str, dict[str, Any]] = {
    "significant-wins": {"test": "corrected-t", "alpha": 0.3, "test_fraction": 0.2},
    "multi2test": {"cost": "time", "test": "kfold-t", "alpha": 0.2},
}
ON_ANY_SCALE = [name for name in RANKINGS if "ratios" not in name]
WITH_GAPS = ["average-ranks", "bradley-terry", "elo", "copeland", "mean-score"]


@pytest.mark.parametrize("method", ON_ANY_SCALE)
def test_a_ranking_does_not_ask_which_way_scores_run(method: str) -> None:
    """The scores are the same but for their sign, and the costs stay."""
    asked = ASKED.get(method, {})
    up, down = (
        palio.rank(folds_table(higher_is_better=higher, seed=4), method=method, **asked)
        for higher in (True, False)
    )
    assert up.ranks == down.ranks
    assert len(set(up.ranks.values())) > 1
    # A mean score is shown as it was measured.
    sign = -1 if method == "mean-score" else 1
    assert down.scores == pytest.approx({name: sign * value for name, value in up.scores.items()})


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("asked", [{}, ASKED["significant-wins"]], ids=["usual", "asked"])
def test_significant_wins_by_hand(asked: dict[str, Any], higher_is_better: bool) -> None:
    """Each data set by itself, two-sided, at the level asked for; losses are not subtracted."""
    table = folds_table(MIXED, higher_is_better=higher_is_better, seed=2)
    options = {"test_fraction": 0.2} if asked else {}
    wins = dict.fromkeys(NAMES, 0)
    for dataset in MIXED:
        bound = bind_fold_test(asked.get("test", "kfold-t"), table.design(dataset), options)
        scores = dict(zip(NAMES, table.fold_scores(dataset), strict=True))
        for a in NAMES:
            for b in set(NAMES) - {a}:
                p_value = bound(scores[a], scores[b], alternative="two-sided").p_value
                ahead = (scores[a].mean() > scores[b].mean()) == higher_is_better
                wins[a] += bool(p_value <= asked.get("alpha", 0.05)) and ahead
    found = palio.rank(table, method="significant-wins", **asked)
    n = len(MIXED) * (len(NAMES) - 1)
    assert found.scores == pytest.approx({name: count / n for name, count in wins.items()})
    assert 0 < sum(wins.values()) < n * len(NAMES) / 2


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("points", ["folds", "datasets"])
def test_what_is_foretold_belongs_to_its_data_set(points: Any, higher_is_better: bool) -> None:
    """The data sets differ in their folds: each one's mean is over its own."""
    table = folds_table(MIXED, higher_is_better=higher_is_better, seed=1)
    methods = ["average-ranks", "copeland"]
    found = palio.evaluate_rankings(table, methods, points=points, top=2, overall_alpha=0.2)
    means = table.means() if higher_is_better else -table.means()
    for i, (dataset, (repeats, folds)) in enumerate(MIXED.items()):
        others = [name for name in MIXED if name != dataset]
        scores = table.fold_scores(dataset).reshape(len(NAMES), -1).T
        ideal = average_ranks(-scores if higher_is_better else scores)
        assert ideal.shape == (repeats * folds, len(NAMES))
        span = np.ptp(means[i])
        for m, method in enumerate(methods):
            ranks = palio.rank(table.select(datasets=others), method=method).ranks
            recommended = np.array([ranks[name] for name in NAMES])
            own = spearman(recommended, ideal)
            assert found.correlations[method][dataset] == pytest.approx(own.mean())
            if len(set(ranks.values())) == len(NAMES):
                first = means[i].max() - means[i, recommended.argmin()]
                assert found.losses[m, i, 0] == pytest.approx(first)
        assert found.spans[i] == pytest.approx(span)
    n_folds = sum(repeats * folds for repeats, folds in MIXED.values())
    assert found.n_points == (n_folds if points == "folds" else len(MIXED))
    assert found.alpha == 0.2
    assert sorted(row.method for row in found.methods) == methods
    for row in found.methods:
        loss, relative = found.loss_curves[row.method]
        assert row.regret == {"1": loss[0], "2": loss[1]}
        assert row.relative_regret == {"1": relative[0], "2": relative[1]}
        each = list(found.correlations[row.method].values())
        assert row.correlation == pytest.approx(np.mean(each))
        assert row.correlation_sd == pytest.approx(np.std(each, ddof=1))


def gaps(higher_is_better: bool) -> ScoreTable:
    """Scores (1, 2, 3) of which some are missing: c beats b beats a wherever they meet."""
    nan, sign = np.nan, 1 if higher_is_better else -1
    scores = [[1, 2, nan], [nan, 2, 3], [1, nan, 3], [1, 2, 3], [2, 1, nan]]
    return ScoreTable.from_arrays(
        sign * np.array(scores),
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=["a", "b", "c"],
        measure=palio.Measure("quality", higher_is_better=higher_is_better),
        missing="pairwise",
    )


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("method", list(RANKINGS))
def test_missing_scores_are_ranked_or_refused(method: str, higher_is_better: bool) -> None:
    table = gaps(higher_is_better)
    if method in WITH_GAPS:
        found = palio.rank(table, method=method)
        assert found.order == ("c", "b", "a")
        assert found.n_datasets == 5
    else:
        with pytest.raises(MissingCellsError, match="4 of 15 scores are missing"):
            palio.rank(table, method=method)


def test_missing_scores_and_all_methods() -> None:
    bound = palio.rank_stability(gaps(higher_is_better=True), n_resamples=20)
    assert sorted(each.method for each in bound.methods) == sorted(WITH_GAPS)
    with pytest.raises(MissingCellsError, match="what is foretold is the order of all algorithms"):
        palio.evaluate_rankings(gaps(higher_is_better=True))


def test_orders_need_every_fold() -> None:
    frame = folds_table(ALIKE).to_frame()
    lacking = frame.drop(frame.index[3])
    table = palio.read_scores(lacking, score="quality", higher_is_better=True, costs=["time"])
    with pytest.raises(UnpairedFoldsError, match="'d0'"):
        palio.multi2test(table, cost="time")
    with pytest.raises(UnpairedFoldsError, match="'d0'"):
        palio.multitest(table, dataset="d0", cost="time")


@pytest.mark.parametrize("method", list(FINDERS))
@pytest.mark.parametrize("dataset", list(MIXED))
def test_the_best_does_not_ask_which_way_scores_run(method: str, dataset: str) -> None:
    up, down = (
        find_best(
            folds_table(higher_is_better=higher, seed=6),
            method=method, dataset=dataset, cost="time", test="kfold-t", alpha=0.2,
        )
        for higher in (True, False)
    )  # fmt: skip
    assert (up.best, up.prior) == (down.best, down.prior)
    assert up.dataset == dataset
    assert up.test == ("kfold-t" if FINDERS[method].uses_test else None)


@pytest.mark.parametrize("dataset", list(MIXED))
def test_the_best_is_the_first_of_the_corrected_order(dataset: str) -> None:
    table = folds_table(higher_is_better=False, seed=6)
    found = find_best(table, dataset=dataset, cost="time", test="kfold-t", alpha=0.2)
    order = palio.multitest(
        table, dataset=dataset, cost="time", test="kfold-t", correction="bonferroni", alpha=0.2
    )
    assert (found.best, found.prior) == (order.first, order.prior)


# --- at the edges of what is allowed --------------------------------------------------------------


def test_three_data_sets_are_enough_and_two_are_not() -> None:
    table = folds_table(ALIKE)
    found = palio.evaluate_rankings(table.select(datasets=["d0", "d1", "d2"]), ["copeland"])
    assert (found.n_datasets, found.top) == (3, 3)
    with pytest.raises(ParameterError, match="three are needed, and there are 2"):
        palio.evaluate_rankings(table.select(datasets=["d0", "d1"]), ["copeland"])


def test_so_many_may_be_tried() -> None:
    table = folds_table(ALIKE)
    assert palio.evaluate_rankings(table, ["copeland"], top=4).top == 4
    assert set(palio.evaluate_rankings(table, ["copeland"], top=1).methods[0].regret) == {"1"}
    two = table.select(algorithms=["a", "b"])
    assert palio.evaluate_rankings(two, ["copeland"]).top == 2
    for top in (0, 5):
        with pytest.raises(ParameterError, match=f"between 1 and all 4 .* and {top} was given"):
            palio.evaluate_rankings(table, ["copeland"], top=top)


def test_one_resample_is_enough_and_none_is_not() -> None:
    table = folds_table(ALIKE).select(datasets=["d0", "d1"])
    found = palio.rank_stability(table, ["copeland"], n_resamples=1)
    assert (found.n_resamples, found.n_datasets) == (1, 2)
    with pytest.raises(ParameterError, match="at least one is needed, and 0 was given"):
        palio.rank_stability(table, ["copeland"], n_resamples=0)
    with pytest.raises(ParameterError, match="two or more, and there is one"):
        palio.rank_stability(table.select(datasets=["d0"]), ["copeland"])


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_a_curve_of_what_is_lost_once_so_much_is_spent(higher_is_better: bool) -> None:
    """On every data set a is best and b cheaper; average ranks try a first, which costs 4."""
    sign = 1 if higher_is_better else -1
    table = ScoreTable.from_arrays(
        sign * np.array([[0.9, 0.7, 0.5]] * 4)[..., np.newaxis, np.newaxis] * np.ones((5, 2)),
        datasets=list("wxyz"),
        algorithms=list("abc"),
        measure=palio.Measure("quality", higher_is_better=higher_is_better),
        costs={"time": [[4.0, 1.0, 2.0]] * 4, "space": [[0.0, 0.0, 0.0]] * 4},
    )
    methods = ["average-ranks", "multi2test"]  # of which the second takes a cost
    curves = palio.evaluate_rankings(table, methods, cost="time").cost_curves
    assert curves is not None
    assert (curves.cost, len(curves.spent)) == ("time", 60)
    assert curves.spent[0] == pytest.approx(1)
    assert curves.spent[-1] == pytest.approx(7)
    lost = [0.4 if spent < 4 else 0.0 for spent in curves.spent]
    assert curves.loss["average-ranks"] == pytest.approx(lost)
    assert list(curves.loss) == methods
    two_kinds: list[str] = ["time", "space"]
    for cost in ("space", two_kinds):  # of the first nothing is spent
        assert palio.evaluate_rankings(table, methods, cost=cost).cost_curves is None
    assert palio.evaluate_rankings(table, methods[:1]).cost_curves is None


@pytest.mark.parametrize(
    ("measure", "whole", "note"),
    [
        ("accuracy", 1, "success: accuracy as it is, as a fraction"),
        ("accuracy", 100, "success: accuracy as it is, in per cent"),
        ("error", 1, "success: 1 − error, as a fraction"),
        ("error", 100, "success: 100 − error, in per cent"),
    ],
)
def test_success_is_a_share_of_one_or_of_a_hundred(measure: str, whole: int, note: str) -> None:
    """Shares up to 1 are fractions, 1 among them."""
    success = np.array([[1.0, 0.5], [0.8, 0.4]]) if measure == "accuracy" else np.array([[0.5, 1]])
    table = ScoreTable.from_arrays(
        whole * (success if measure == "accuracy" else 1 - success),
        datasets=[f"d{i}" for i in range(len(success))], algorithms=["a", "b"], measure=measure,
    )  # fmt: skip
    found = palio.rank(table, method="success-rate-ratios")
    expected = [2.0, 0.5] if measure == "accuracy" else [0.5, 2.0]
    assert list(found.scores.values()) == pytest.approx(expected)
    assert note in found.notes
