"""Multi²Test on tables worked by hand."""

import numpy as np
import pytest

import palio
from palio.comparison import POSTHOCS
from palio.errors import MissingCellsError, ParameterError, UnknownNameError
from palio.scores import ScoreTable

FLAT = np.ones((5, 2))


def repeated(errors: list[float], n: int, costs: list[list[float]] | None = None) -> ScoreTable:
    """n data sets on which each algorithm has the same error on every fold."""
    names = [f"a{j}" for j in range(len(errors))]
    return ScoreTable.from_arrays(
        np.tile(np.asarray(errors)[:, np.newaxis, np.newaxis] * FLAT, (n, 1, 1, 1)),
        datasets=[f"d{i}" for i in range(n)],
        algorithms=names,
        measure="error",
        costs={"time": costs or [[float(j + 1) for j in range(len(errors))]] * n},
    )


@pytest.mark.parametrize("posthoc", list(POSTHOCS))
def test_the_same_verdict_on_every_data_set(posthoc: str) -> None:
    """20 data sets, each ordered a2, a0, a1: the costliest is far better, the others are equal."""
    table = repeated([0.3, 0.3, 0.1], 20)
    ordering = palio.multi2test(table, cost="time", posthoc=posthoc)
    assert ordering.first_pass.arrays.ranks.tolist() == [[2, 3, 1]] * 20
    assert ordering.mean_places == {"a0": 2.0, "a1": 3.0, "a2": 1.0}
    assert ordering.order == ("a2", "a0", "a1")
    assert set(ordering.edges) == {("a0", "a2"), ("a1", "a2")}


def test_nemenyi_numbers() -> None:
    """k = 3, n = 20: CD = 2.343 √(3 · 4 / 120) = 0.741; Friedman's 12·20/12 (4+9+1−12) = 40."""
    ordering = palio.multi2test(repeated([0.3, 0.3, 0.1], 20), cost="time")
    comparison = ordering.comparison
    assert comparison is not None
    assert comparison.critical_difference == pytest.approx(0.741, abs=5e-4)
    assert comparison.omnibus.statistic == pytest.approx(40)
    assert comparison.groups == (("a2",), ("a0",), ("a1",))


def test_few_data_sets_leave_the_prior_and_say_so() -> None:
    """Two data sets in one order: of the six orders of the second one is the same, p = 1/6."""
    ordering = palio.multi2test(repeated([0.3, 0.3, 0.1], 2), cost="time")
    assert ordering.order == ordering.prior == ("a0", "a1", "a2")
    assert ordering.comparison is not None
    assert ordering.comparison.groups == (("a2", "a0", "a1"),)
    assert any("(friedman) did not reject, p = 0.167" in note for note in ordering.notes)


def test_costs_are_divided_by_the_largest_of_each_data_set() -> None:
    """a0 costs 100 on one data set and 0 on the other; unscaled its mean would be larger."""
    table = repeated([0.3, 0.3], 2, costs=[[100.0, 90.0], [0.0, 1.0]])
    ordering = palio.multi2test(table, cost="time")
    assert ordering.costs == {"a0": 0.5, "a1": pytest.approx(0.95)}
    assert ordering.prior == ("a0", "a1")


def test_costs_that_are_all_zero_are_equal() -> None:
    ordering = palio.multi2test(repeated([0.3, 0.2], 2, costs=[[0, 0], [0, 0]]), cost="time")
    assert ordering.costs == {"a0": 0.0, "a1": 0.0}
    assert ordering.prior == ("a1", "a0")


def test_pairwise_sign_is_free_of_the_pool_and_mean_ranks_are_not() -> None:
    """Ten data sets prefer a0 to a1, ten a1 to a0, but a crowd is between them only when a0 leads.

    Alone, a0 and a1 are level: 10 wins each. Among the crowd the ranks of a1 are far worse.
    """
    cheap_first = [[1.0, 10.0, *range(2, 10)]] * 10 + [[2.0, 1.0, *range(3, 11)]] * 10
    table = repeated([0.3] * 10, 20, costs=cheap_first)
    ranks = palio.multi2test(table, cost="time").comparison
    alone = palio.multi2test(table, cost="time", posthoc="pairwise-sign").comparison
    assert ranks is not None
    assert alone is not None
    pair = next(p for p in alone.pairs if (p.a, p.b) == ("a0", "a1"))
    assert (pair.p_value, pair.better) == (1.0, None)
    two = palio.multi2test(
        table.select(algorithms=["a0", "a1"]), cost="time", posthoc="pairwise-sign"
    )
    assert two.pairs[0].p_value == pair.p_value
    assert next(p for p in ranks.pairs if (p.a, p.b) == ("a0", "a1")).better == "a0"
    assert any("depends on which others are in the pool" in note for note in ranks.notes)
    assert not any("depends on which others are in the pool" in note for note in alone.notes)


def test_designs_may_differ_between_data_sets() -> None:
    """10-fold on one data set and 5×2 on the other: kfold-t serves both."""
    rng = np.random.default_rng(0)
    rows = [
        (dataset, name, repeat, fold, float(rng.random()))
        for dataset, repeats, folds in (("d0", 1, 10), ("d1", 5, 2), ("d2", 1, 10))
        for name in "ab"
        for repeat in range(repeats)
        for fold in range(folds)
    ]
    names = ("dataset", "algorithm", "repeat", "fold", "error")
    table = palio.read_scores(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    ordering = palio.multi2test(table, prior=["a", "b"], test="kfold-t")
    for dataset in table.datasets:
        alone = palio.multitest(table, dataset=dataset, prior=["a", "b"], test="kfold-t")
        assert ordering.to_dict()["per_dataset"][dataset]["order"] == list(alone.order)


def test_summary_has_the_keys_scripts_rely_on() -> None:
    summary = palio.multi2test(repeated([0.3, 0.1], 6), cost="time").to_dict()
    contract = {"order", "ranks", "prior", "edges", "mean_ranks", "per_dataset", "notes"}
    assert contract <= set(summary)
    assert {"omnibus", "critical_difference", "groups", "pairs"} <= set(summary["comparison"])


def test_one_data_set_is_not_enough() -> None:
    with pytest.raises(ParameterError, match="two data sets or more, and there is one, 'd0'"):
        palio.multi2test(repeated([0.3, 0.1], 1), cost="time")


def test_unknown_posthoc() -> None:
    with pytest.raises(UnknownNameError, match=r"posthoc: 'nemeny' .* 'nemenyi'"):
        palio.multi2test(repeated([0.3, 0.1], 3), cost="time", posthoc="nemeny")


def test_a_data_set_without_a_score_of_everyone_is_one_sentence() -> None:
    scores = np.tile(np.array([0.3, 0.1, 0.2])[:, np.newaxis, np.newaxis] * FLAT, (3, 1, 1, 1))
    scores[1, 2] = np.nan
    table = ScoreTable.from_arrays(
        scores,
        datasets=["d0", "d1", "d2"],
        algorithms=["a0", "a1", "a2"],
        measure="error",
        costs={"time": [[1.0, 2.0, 3.0]] * 3},
    )
    with pytest.raises(MissingCellsError, match="1 of 9 scores are missing; read the table with"):
        palio.multi2test(table, cost="time")
