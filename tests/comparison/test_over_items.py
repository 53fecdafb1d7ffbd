"""Comparing over items: who differs on other items of the same data sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_ind, ttest_rel

import palio
from palio.claims import FewClusters
from palio.comparison.item_tests import ITEM_TESTS
from palio.comparison.over_items import ItemComparison
from palio.errors import DesignError, InputError, PalioError, ParameterError
from palio.scores import ItemScores
from palio.types import FloatArray, IntArray
from tests.shared import shared_file
from tests.slow import mostly_slow

NAMES = ("a", "b", "c")


def graded(
    n: int = 60, *, measure: str = "f1", datasets: int = 1, seed: int = 0
) -> tuple[FloatArray, ItemScores]:
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=(n, 1))
    scores = 1 / (1 + np.exp(-(hard + rng.normal(size=(n, 3)) + [0.0, 0.8, 0.1])))
    of = np.sort(np.arange(n) % datasets)
    items = ItemScores.from_arrays(
        scores, algorithms=NAMES, measure=measure, dataset=[f"task{i}" for i in of.tolist()]
    )
    return scores, items


def compared(items: ItemScores, **options: object) -> ItemComparison:
    found = palio.compare(items, over="items", **options)  # type: ignore[arg-type]
    assert isinstance(found, ItemComparison)
    return found


def test_data_sets_without_spread_are_judged_by_all_their_signs() -> None:
    # On the first the two differ by 1 on each item, on the second by -.5 or not at all.
    for second, p in ((0.5, 2 / 8), (0.0, 2 * 2**3 / 2**6)):
        a, b = [1.0] * 3 + [0.0] * 3, [0.0] * 3 + [second] * 3
        items = ItemScores.from_arrays(
            np.array([a, b]).T, algorithms=["a", "b"], measure="f1", dataset=list("dddeee")
        )
        pair = compared(items).pair("a", "b")
        assert pair.standard_error == 0.0
        # d adds 1/6 an item and e -1/12: the sums of signs that reach 1/4 in size.
        signs = np.array(np.meshgrid(*[[-1, 1]] * 6)).reshape(6, -1)
        sums = np.array([1 / 6] * 3 + [-second / 6] * 3) @ signs
        assert (np.abs(sums) >= abs((1 - second) / 2) - 1e-12).mean() == pytest.approx(pair.p_value)
        assert second or pair.p_value == p


# --- what it says


def test_one_data_set_is_the_paired_t_of_its_items() -> None:
    scores, items = graded()
    found = compared(items, correction=None)
    pair = found.pair("a", "b")
    expected = ttest_rel(scores[:, 0], scores[:, 1])
    assert pair.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    assert pair.statistic == pytest.approx(expected.statistic, rel=1e-10)
    low, high = expected.confidence_interval(0.95)
    assert pair.interval == pytest.approx((low, high), rel=1e-9)
    assert pair.difference == pytest.approx(np.mean(scores[:, 0] - scores[:, 1]))
    error = np.std(scores[:, 0] - scores[:, 1], ddof=1) / np.sqrt(60)
    assert pair.standard_error == pytest.approx(error)
    assert (pair.n, pair.better, pair.winner) == (60, "b", "b")
    wins = int((scores[:, 0] > scores[:, 1]).sum())
    assert (pair.wins, pair.ties, pair.losses) == (wins, 0, 60 - wins)


def test_it_has_what_every_comparison_has() -> None:
    _, items = graded(datasets=2)
    found = compared(items)
    assert (found.over, found.n_datasets, found.control) == ("items", 2, None)
    assert found.unbeaten == ("b",)
    assert found.rank_sets == {"b": (1, 1), "a": (2, 3), "c": (2, 3)}
    assert found.groups == (("b",), ("c", "a")) or found.groups == (("b",), ("a", "c"))
    assert found.board[0].algorithm == "b"
    assert found.by_standing == found.by_mean_score
    assert found.together is None
    assert found.items.n_items == 60
    data = found.to_dict()
    assert (data["kind"], data["over"], data["items"]["n_items"]) == ("comparison", "items", 60)
    assert {"difference", "standard_error", "interval"} <= set(data["pairs"][0])
    assert str(found).startswith(
        "These tasks, other items: b leads 3 algorithms over 2 data sets; "
    )
    assert "60 items of 2 data sets" in found.verdict.sure
    with pytest.raises(DesignError, match="this is over items"):
        _ = found.omnibus


@pytest.mark.parametrize("test", list(ITEM_TESTS))
def test_lower_is_better_turns_the_leader_and_nothing_else(test: str) -> None:
    rng = np.random.default_rng(3)
    right = (rng.random((80, 3)) < [0.4, 0.7, 0.5]).astype(float)
    clusters = (np.arange(80) // 3).tolist() if ITEM_TESTS[test].clusters else None
    up, down = (
        compared(
            ItemScores.from_arrays(each, algorithms=NAMES, measure=measure, cluster=clusters),
            test=test,
        )
        for each, measure in ((right, "accuracy"), (1 - right, "error"))
    )
    for one, other in zip(up.pairs, down.pairs, strict=True):
        assert one.p_adjusted == pytest.approx(other.p_adjusted, rel=1e-9)
        assert (one.better, one.significant) == (other.better, other.significant)
        assert one.difference == pytest.approx(-other.difference)
        assert (one.wins, one.losses) == (other.wins, other.losses)
    assert up.unbeaten == down.unbeaten
    assert up.by_standing == down.by_standing


def test_several_data_sets_count_the_same_unless_items_do() -> None:
    rng = np.random.default_rng(4)
    scores = rng.random((50, 2))
    of = ["small"] * 10 + ["large"] * 40
    items = ItemScores.from_arrays(scores, algorithms=["a", "b"], measure="f1", dataset=of)
    d = scores[:, 0] - scores[:, 1]
    each = compared(items)
    assert each.pairs[0].difference == pytest.approx((d[:10].mean() + d[10:].mean()) / 2)
    assert each.mean_scores["a"] == pytest.approx(
        (scores[:10, 0].mean() + scores[10:, 0].mean()) / 2
    )
    variance = (np.var(d[:10], ddof=1) / 10 + np.var(d[10:], ddof=1) / 40) / 4
    assert each.pairs[0].standard_error == pytest.approx(np.sqrt(variance))
    assert any("averaged over 2 data sets that count the same" in note for note in each.notes)
    pooled = compared(items, average="items")
    assert pooled.pairs[0].difference == pytest.approx(d.mean())
    assert pooled.mean_scores["b"] == pytest.approx(scores[:, 1].mean())
    assert any("per item of 2 data sets together" in note for note in pooled.notes)
    assert pooled.items.average == "items"


def test_clusters() -> None:
    rng = np.random.default_rng(5)
    passages = np.repeat(np.arange(24), 3)
    shared = rng.normal(size=(24, 3))[passages]
    scores = shared + 0.2 * rng.normal(size=(72, 3)) + [0.0, 0.3, 0.0]

    def made(**extra: object) -> ItemScores:
        return ItemScores.from_arrays(
            scores,
            algorithms=NAMES,
            measure="r2",
            **extra,  # type: ignore[arg-type]
        )

    alone = compared(made())
    together = compared(made(cluster=passages))
    assert together.pairs[0].standard_error > 1.5 * alone.pairs[0].standard_error
    d = scores[:, 0] - scores[:, 1]
    assert together.pairs[0].difference == pytest.approx(d.mean())
    assert together.items.n_clusters == 24
    assert "72 items in 24 clusters" in together.verdict.sure
    flipped = compared(made(cluster=passages // 3), test="sign-flips", correction=None)
    assert min(pair.p_value for pair in flipped.pairs) >= 2 / 2**8
    with pytest.raises(DesignError, match="takes each item for a draw of its own"):
        palio.compare(
            ItemScores.from_arrays(
                [[1, 0], [0, 1]], algorithms=["a", "b"], measure="accuracy", cluster=[0, 1]
            ),
            test="mcnemar",
        )


# --- clusters


def _clustered(sizes: Sequence[int], k: int = 2, seed: int = 0, lead: float = 0.0) -> ItemScores:
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(len(sizes)), sizes)
    x = rng.normal(size=(len(sizes), k))[of] + rng.normal(size=(of.size, k))
    x[:, 0] += lead
    names = [f"m{i}" for i in range(k)]
    return ItemScores.from_arrays(x, algorithms=names, measure="r2", cluster=of.tolist())


def test_flips_decide_where_a_fifth_of_the_level_is_attainable() -> None:
    # 2/2⁸ is below 0.05/5, 2/2⁷ is not; of three pairs Holm's first step asks for 2/2¹⁰.
    for n, k, few in ((7, 2, 1), (8, 2, 0), (9, 3, 3), (10, 3, 0)):
        found = compared(_clustered([4] * n, k))
        assert found.method == "cluster-flips"
        told = found.items.few_clusters
        assert (0 if told is None else told.n_pairs) == few
        warned = f"few clusters: {n}, as good as {n}.0 of one size, are tested by t"
        assert (warned in found.claims.headline) == bool(few)
        if not few:
            p = np.array([pair.p_value for pair in found.pairs]) * 2 ** (n - 1)
            assert np.allclose(p, p.round())


def test_each_pair_is_tested_by_its_own_clusters() -> None:
    items = _clustered([3] * 12, k=3)
    values = np.array(items.values)
    values[9:, 2] = np.nan  # the third has three clusters
    of = np.repeat(np.arange(12), 3)
    found = compared(
        ItemScores.from_arrays(values, algorithms=NAMES, measure="r2", cluster=of.tolist())
    )
    told = found.items.few_clusters
    assert told is not None
    assert (told.n_pairs, told.n_clusters, told.level_held) == (2, 3, True)
    assert told.effective == pytest.approx(3.0)
    exact = found.pair("a", "b").p_value * 2**11
    assert exact == pytest.approx(round(exact))


@pytest.mark.parametrize("k", [2, 6])
def test_one_cluster_more_never_makes_every_difference_unattainable(k: int) -> None:
    for n in range(3, 26):
        found = compared(_clustered([4] * n, k, lead=200.0))
        assert found.pair("m0", "m1").significant, n


def test_many_clusters_take_as_many_flips_as_the_first_step_needs() -> None:
    found = compared(_clustered([2] * 40, k=12, lead=20.0))
    # 66 pairs: 5 · 66 / 0.05 flips, more than the usual 9999 of 2⁴⁰ would do.
    assert any("9999 random" in note for note in found.notes)
    many = compared(_clustered([2] * 40, k=20, lead=20.0))
    assert any("19000 random" in note for note in many.notes)
    assert many.pair("m0", "m1").p_adjusted <= 0.05 / 5


def test_fewer_than_three_clusters_are_not_tested() -> None:
    with pytest.raises(DesignError, match="no two algorithms share 3 clusters"):
        compared(_clustered([9, 9]))


def test_where_one_cluster_has_nearly_all_items_the_headline_says_so() -> None:
    found = compared(_clustered([400, 4, 4, 4]))
    told = found.items.few_clusters
    assert told is not None
    assert not told.level_held
    assert (
        "; the level 0.05 is not held, as one cluster has nearly all items; "
        in found.claims.headline
    )
    even = compared(_clustered([4, 4, 4, 4])).items.few_clusters
    assert even is not None
    assert even.level_held


def test_seven_clusters_as_good_as_two_show_no_difference() -> None:
    found = palio.compare(shared_file("results/truth/clus2.csv"))
    assert found.n_different == 0
    told = found.claims.of(FewClusters)
    assert told is not None
    assert (told.n_pairs, told.n_clusters) == (1, 7)
    assert told.effective == pytest.approx(2.74, abs=0.005)
    assert told.clause in found.verdict.best


# --- intervals


@pytest.mark.parametrize("test", list(ITEM_TESTS))
@pytest.mark.parametrize("correction", mostly_slow([None, "bh", "shaffer", "holm", "hochberg"], 3))
@pytest.mark.parametrize("gaps", [False, True])
def test_an_interval_is_without_zero_just_where_its_pair_differs(
    test: str, correction: str | None, gaps: bool
) -> None:
    entry = ITEM_TESTS[test]
    rng = np.random.default_rng(7)
    x = rng.random((60, 7)) + (0.1 if entry.binary else 0.06) * np.arange(7)
    x = (x > 0.6).astype(float) if entry.binary else x
    x[:, 5] = x[:, 4]  # two that are the same
    x[:30, 6] = np.nan if gaps else x[:30, 6]
    items = ItemScores.from_arrays(
        x,
        algorithms=list("abcdefg"),
        measure="accuracy" if entry.binary else "r2",
        cluster=(np.arange(60) // 4).tolist() if entry.clusters else None,
    )
    found = compared(items, test=test, correction=correction)
    assert 0 < found.n_different < found.n_pairs
    for pair in found.pairs:
        low, high = pair.interval
        assert (low > 0 or high < 0) == pair.significant
        assert low <= pair.difference <= high


def test_without_spread_an_interval_is_a_point_only_where_the_pair_differs() -> None:
    for n, told in ((4, False), (8, True)):
        items = ItemScores.from_arrays(
            np.tile([0.7, 0.5], (n, 1)), algorithms=["a", "b"], measure="f1"
        )
        (pair,) = compared(items).pairs
        assert pair.significant == told
        assert np.allclose(pair.interval, [0.2, 0.2] if told else np.nan, equal_nan=True)


def test_few_items_are_said_to_be_few() -> None:
    for n, few in ((29, True), (30, False)):
        _, items = graded(n)
        assert any("with 29 items" in note for note in compared(items).notes) == few
    _, items = graded(90, datasets=4)
    assert any("with 22 items (of a data set)" in note for note in compared(items).notes)


def test_mcnemar_is_the_binomial_test_on_all_data_sets_together() -> None:
    rng = np.random.default_rng(6)
    right = rng.random((90, 3)) < [0.4, 0.7, 0.5]
    items = ItemScores.from_arrays(
        right.astype(float),
        algorithms=NAMES,
        measure="accuracy",
        dataset=list(range(3)) * 30,
    )
    found = compared(items, test="mcnemar", correction="bonferroni")
    only = [int((right[:, 0] & ~right[:, 1]).sum()), int((right[:, 1] & ~right[:, 0]).sum())]
    pair = found.pair("a", "b")
    assert pair.p_value == pytest.approx(binomtest(only[0], sum(only)).pvalue)
    assert pair.p_adjusted == pytest.approx(min(1.0, 3 * pair.p_value))
    assert (pair.wins, pair.losses) == tuple(only)
    assert pair.difference == pytest.approx(right[:, 0].mean() - right[:, 1].mean())
    _, graded_items = graded()
    with pytest.raises(DesignError, match="needs scores that are 0 or 1"):
        palio.compare(graded_items, test="mcnemar")


@pytest.mark.parametrize("measure", ["accuracy", "error"])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_mcnemar_has_an_exact_interval(measure: str, alpha: float) -> None:
    rng = np.random.default_rng(9)
    right = (rng.random((40, 5)) < [0.3, 0.6, 0.5, 1.0, 0.0]).astype(float)
    right[:4, 1] = np.nan
    names = tuple("abcde")
    items = ItemScores.from_arrays(right, algorithms=names, measure=measure)
    found = compared(items, test="mcnemar", alpha=alpha, correction=None)
    for pair in found.pairs:
        a, b = right[:, names.index(pair.a)], right[:, names.index(pair.b)]
        only_a, only_b = int((a > b).sum()), int((b > a).sum())
        m, n = only_a + only_b, int((~np.isnan(a - b)).sum())
        exact = binomtest(only_a, m).proportion_ci(1 - alpha, method="exact")
        ends = [(2 * end - 1) * m / n for end in (exact.low, exact.high)]
        assert pair.interval == pytest.approx(ends, rel=1e-12)
        assert (pair.interval[0] > 0 or pair.interval[1] < 0) == (pair.p_value < alpha)


def test_each_pair_is_on_the_items_that_both_have() -> None:
    scores, _ = graded()
    gaps = scores.copy()
    gaps[:20, 0] = gaps[15:30, 2] = np.nan
    items = ItemScores.from_arrays(gaps, algorithms=NAMES, measure="f1")
    found = compared(items, correction=None)
    pair = found.pair("a", "c")
    assert pair.n == 30
    expected = ttest_rel(scores[30:, 0], scores[30:, 2])
    assert pair.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.items.missing == 35
    assert found.verdict.missing is not None
    assert "35 of 180 scores on items are missing" in found.verdict.missing
    assert "30 to 45 of them" in found.verdict.missing
    assert {row.algorithm: row.missing for row in found.board} == {"a": 20, "b": 0, "c": 15}


def test_a_data_set_that_one_lacks_does_not_count_for_its_pairs() -> None:
    scores, _ = graded(datasets=3)
    scores[:20, 0] = np.nan
    of = ["x"] * 20 + ["y"] * 20 + ["z"] * 20
    items = ItemScores.from_arrays(scores, algorithms=NAMES, measure="f1", dataset=of)
    found = compared(items)
    d = scores[:, 0] - scores[:, 1]
    expected = (d[20:40].mean() + d[40:].mean()) / 2
    assert found.pair("a", "b").difference == pytest.approx(expected)
    assert any("2 pairs on fewer than 3 data sets" in note for note in found.notes)


def test_a_control_is_compared_with_the_others_alone() -> None:
    scores, items = graded(datasets=2)
    found = compared(items, control="b")
    assert [(pair.a, pair.b) for pair in found.pairs] == [("b", "a"), ("b", "c")]
    assert found.pairs[0].difference == pytest.approx(
        (scores[:30, 1] - scores[:30, 0]).mean() / 2 + (scores[30:, 1] - scores[30:, 0]).mean() / 2
    )
    assert found.unbeaten is None
    assert found.verdict.best.startswith("These tasks, other items: the control b, of 3")


@pytest.mark.parametrize("correction", ["holm", "shaffer", "bergmann-hommel", "bh", None])
def test_corrections_are_those_of_everywhere(correction: str | None) -> None:
    _, items = graded()
    raw = compared(items, correction=None)
    found = compared(items, correction=correction)
    assert all(pair.p_adjusted >= pair.p_value for pair in found.pairs)
    if correction == "holm":
        p = sorted(pair.p_value for pair in raw.pairs)
        smallest = min(pair.p_adjusted for pair in found.pairs)
        assert smallest == pytest.approx(min(1.0, 3 * p[0]))
    if correction == "bh":
        assert found.rank_sets is None


# --- unpaired


def test_runs_on_different_items_are_refused_unless_allowed() -> None:
    scores, _ = graded()
    apart = scores[:, :2].copy()
    apart[:30, 0] = apart[30:, 1] = np.nan
    items = ItemScores.from_arrays(apart, algorithms=["a", "b"], measure="f1")
    with pytest.raises(DesignError, match="no two algorithms share two items"):
        palio.compare(items)
    found = compared(items, unpaired=True)
    expected = ttest_ind(scores[30:, 0], scores[:30, 1], equal_var=False)
    assert found.pairs[0].p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.items.unpaired == 1
    assert found.verdict.missing is not None
    assert "1 pair shares no items and is compared unpaired" in found.verdict.missing


def test_unpaired_runs_without_spread_are_parted_by_chance_as_often_as_they_are() -> None:
    x = np.full((6, 2), np.nan)
    x[:3, 0], x[3:, 1] = 1.0, 0.0
    items = ItemScores.from_arrays(x, algorithms=["a", "b"], measure="f1")
    for test in ("item-t", "sign-flips"):
        pair = compared(items, test=test, unpaired=True).pair("a", "b")
        assert pair.p_value == pytest.approx(2 / 20)  # of 20 ways to choose three of six, two


def test_an_order_of_runs_on_different_items_says_why_it_has_no_test() -> None:
    scores = np.array([[0.9, np.nan], [0.8, np.nan], [np.nan, 0.7], [np.nan, 0.4]])
    items = ItemScores.from_arrays(scores, algorithms=["a", "b"], measure="f1")
    best, _, sure, _ = palio.order(items.to_scores()).verdict
    assert "no two have answered the same items" in best
    assert "--unpaired" in sure
    shared = ItemScores.from_arrays(
        np.nan_to_num(scores, nan=0.5), algorithms=["a", "b"], measure="f1"
    )
    table = replace(shared.to_scores(), items=None)
    assert palio.order(table, over="datasets").verdict.best.endswith(
        "; open: one value per algorithm cannot be tested."
    )
    with pytest.raises(DesignError, match="no two algorithms share two items"):
        palio.order(items, over="items")


def test_unpaired_is_suggested_only_where_it_helps() -> None:
    scores = np.array([[0.9, np.nan], [0.8, np.nan], [np.nan, 0.7], [np.nan, 0.4]])
    items = ItemScores.from_arrays(scores, algorithms=["a", "b"], measure="f1")
    with pytest.raises(DesignError, match="unpaired=True to compare means"):
        palio.compare(items, over="items")
    # On data sets of their own the means are of other things.
    apart = ItemScores.from_arrays(
        scores, algorithms=["a", "b"], measure="f1", dataset=["u", "u", "v", "v"]
    )
    for unpaired in (False, True):
        with pytest.raises(DesignError, match=r"give runs on the same items\.$"):
            palio.compare(apart, over="items", unpaired=unpaired)


def test_a_pair_that_no_mean_can_compare_is_said_without_a_remedy() -> None:
    scores, _ = graded()
    scores[:, 2] = np.nan
    scores[0, 2] = 0.5
    items = ItemScores.from_arrays(scores, algorithms=NAMES, measure="f1")
    assert "2 pairs not compared, as they share no two items" in compared(items).notes


EPOCHS = np.random.default_rng(2).random((30, 2, 4))


def epochs(datasets: int = 1, folds: int = 1) -> palio.ScoreTable:
    """Return four repeats of each item, or four repeats of a cross-validation of them."""
    at = np.indices(EPOCHS.shape)
    return palio.read_scores({
        "task": [f"t{i % datasets}" for i in at[0].reshape(-1)],
        "item": at[0].reshape(-1).tolist(),
        "model": ["ab"[j] for j in at[1].reshape(-1)],
        "repeat": (at[2] + 1).reshape(-1).tolist(),
        "fold": ((at[0] + at[2]) // 2 % folds + 1).reshape(-1).tolist(),
        "f1": EPOCHS.reshape(-1).tolist(),
    })  # fmt: skip


@pytest.mark.parametrize(
    "ask",
    [palio.compare, palio.order, palio.rank, palio.audit, palio.variance, palio.analyse],
    ids=lambda ask: ask.__name__,
)
def test_one_data_set_says_nothing_of_others(ask: Callable[..., object]) -> None:
    for table in (epochs(), graded()[1].to_scores()):
        with pytest.raises(DesignError, match=r"is one; give over='items': there are \d+ items"):
            ask(table, over="datasets")
    if ask in (palio.compare, palio.order):
        with pytest.raises(DesignError, match="'t1' is one"):
            ask(epochs(3), over="datasets", dataset="t1")


def test_repeats_of_the_same_items_are_no_splits() -> None:
    asked: list[Callable[[palio.ScoreTable], object]] = [
        lambda t: palio.compare(t, test="kfold-t"),
        lambda t: palio.compare_folds(t),
        lambda t: palio.multitest(t, test="kfold-t", prior=["a", "b"]),
        lambda t: palio.rank(t, method="significant-wins"),
    ]
    for ask in asked:
        with pytest.raises(DesignError, match="'t0' has 4 repeats of the same items"):
            ask(epochs())
        assert ask(epochs(folds=3))  # here each item is tested once in a repeat


def test_an_audit_of_few_data_sets_suggests_their_items() -> None:
    with pytest.raises(InputError, match=r"there are 2; give over='items': there are 60 items"):
        palio.audit(graded(datasets=2)[1], over="datasets")
    with pytest.raises(InputError, match="compare with over='items' tells them apart"):
        palio.aggregate(graded()[1])


def test_a_pair_without_common_items_is_left_out_and_said() -> None:
    scores, _ = graded()
    apart = scores.copy()
    apart[:30, 0] = apart[30:, 1] = np.nan
    items = ItemScores.from_arrays(apart, algorithms=NAMES, measure="f1")
    found = compared(items)
    assert found.pair_if_compared("a", "b") is None
    assert any("1 pair not compared, as they share no two items" in note for note in found.notes)
    for test in ("item-t", "sign-flips"):
        everyone = compared(items, test=test, unpaired=True, correction=None)
        expected = ttest_ind(scores[30:, 0], scores[:30, 1], equal_var=False)
        assert everyone.pair("a", "b").p_value == pytest.approx(expected.pvalue, rel=1e-9)


# --- repeats


def test_what_more_repeats_would_remove_is_said() -> None:
    rng = np.random.default_rng(7)
    repeats = rng.normal(size=(400, 2, 1)) + 2.0 * rng.normal(size=(400, 2, 4))
    items = ItemScores.from_arrays(repeats, algorithms=["a", "b"], measure="r2")
    found = compared(items)
    assert found.items.repeats is not None
    assert found.items.repeats[0] == pytest.approx(0.5, abs=0.08)  # 2²/4 of 1 + 2²/4
    assert any("more repeats of the same items would remove" in note for note in found.notes)
    d = repeats.mean(axis=2) @ [1, -1]
    assert found.pairs[0].standard_error == pytest.approx(np.std(d, ddof=1) / 20)


# --- which reading


def test_items_are_drawn_anew_below_six_data_sets_unless_said() -> None:
    for datasets, expected in ((1, "items"), (5, "items"), (6, "datasets")):
        _, items = graded(datasets=datasets)
        assert palio.compare(items).over == expected
        assert palio.compare(items.to_scores()).over == expected
    _, items = graded(datasets=6)
    assert palio.compare(items, over="items").over == "items"
    assert palio.compare(items, dataset="task2").over == "items"
    assert palio.compare(items, test="item-t").over == "items"
    _, items = graded(datasets=3)
    assert palio.compare(items, over="datasets").over == "datasets"
    assert palio.compare(items, test="wilcoxon").over == "datasets"
    assert palio.compare(items, dataset="task2").datasets == ("task2",)


def test_the_other_reading_is_told_where_it_differs() -> None:
    rng = np.random.default_rng(8)
    n, tasks = 1200, 6
    of = np.repeat(np.arange(tasks), n // tasks)
    ahead = np.array([0.3, 0.3, -0.1, 0.3, -0.1, 0.3])[of]  # by task
    scores = rng.normal(size=(n, 2)) * 0.3
    scores[:, 0] += ahead
    items = ItemScores.from_arrays(scores, algorithms=["a", "b"], measure="r2", dataset=of.tolist())
    over_items, over_datasets = (palio.compare(items, over=o) for o in ("items", "datasets"))
    assert over_items.unbeaten == ("a",)
    assert over_datasets.unbeaten == ("a", "b")
    assert over_items.verdict.best.endswith("For other tasks like these, a and b are unbeaten.")
    assert over_datasets.verdict.best.startswith("Other tasks like these: a has the best")
    assert over_datasets.verdict.best.endswith("For these tasks, other items, a is unbeaten.")
    turned = ItemScores.from_arrays(
        scores[:, ::-1], algorithms=["b", "a"], measure="r2", dataset=of.tolist()
    )
    assert palio.compare(turned, over="datasets").verdict.best.endswith(
        "For these tasks, other items, a is unbeaten."
    )
    alike = ItemScores.from_arrays(
        scores + [1.0, 0.0], algorithms=["a", "b"], measure="r2", dataset=of.tolist()
    )
    assert "For other tasks" not in palio.compare(alike, over="items").verdict.best
    few = items.select([str(i) for i in range(3)])
    assert palio.compare(few).verdict.best.endswith(
        "For other tasks like these, 3 data sets are too few to tell any two apart."
    )


def test_items_of_some_of_the_algorithms() -> None:
    _, items = graded(datasets=7)
    gone = items.values[:, [1, 2]].copy()
    gone[1:, 1] = np.nan
    some = ItemScores.from_arrays(
        np.column_stack([gone, items.values[:, 0]]),
        algorithms=["b", "c", "a"],
        measure="f1",
        dataset=[items.datasets[i] for i in items.dataset_of.tolist()],
    )
    table = replace(items.to_scores(), items=some.select(algorithms=["b", "c"]))
    assert palio.compare(table, over="datasets").reading is None  # no two share two items
    table = replace(items.to_scores(), items=some)
    other = palio.compare(table, over="datasets").reading
    assert other is not None
    assert other.unbeaten == ("b",)  # nothing is known of c, which shares no two items
    two = replace(table, items=some.select(algorithms=["a", "b"]))
    ordering = palio.order(two, over="items")
    assert ordering.order == ("b", "a")
    assert ordering.mean_scores["b"] == pytest.approx(
        palio.compare(two, over="items").mean_scores["b"], rel=1e-15
    )
    assert ordering.steps[0].reason.startswith("the best mean f1 of those that nobody left")


def test_groups_are_broken_only_by_who_differs() -> None:
    # b and c answered other items than a: nothing is known of them beside it.
    rng = np.random.default_rng(3)
    scores = np.clip(rng.normal([0.9, 0.5, 0.4], 0.3, (60, 3)), 0, 1)
    scores[:30, 0] = np.nan
    scores[30:, 1:] = np.nan
    scores[:30, 2] -= 0.05
    scores[[30, 31], 2] = 0.95  # c has met a
    items = ItemScores.from_arrays(scores, algorithms=NAMES, measure="f1")
    found = compared(items)
    assert len(found.groups) > 1
    assert not any("the groups overlap" in note for note in found.notes)


def test_one_data_set_has_no_other_reading() -> None:
    _, items = graded()
    best = palio.compare(items).verdict.best
    assert best.startswith("This task, other items: b leads 3 algorithms on task0; ")
    assert "For other tasks" not in best


def test_a_table_without_items_says_nothing_of_them() -> None:
    table = palio.load_study("ulas2008")
    assert "tasks" not in palio.compare(table).verdict.best
    with pytest.raises(DesignError, match="there must be a score on each"):
        palio.compare(table, over="items")
    with pytest.raises(DesignError, match="there must be a score on each"):
        palio.compare(table, test="item-t")


# --- what is refused


def test_what_is_not_for_items_is_refused() -> None:
    _, items = graded(datasets=2)
    for asked, said in (
        ({"over": "tasks"}, "it is items or datasets"),
        ({"over": "items", "test": "wilcoxon"}, "'wilcoxon' compares over data sets"),
        ({"over": "items", "test": "5x2cv-f"}, "on the folds of one data set"),
        ({"test": "cluster-tt"}, "cluster-t"),
        ({"test": "cluster-flips"}, "is for items in clusters"),
        ({"over": "items", "omnibus": "friedman"}, "all algorithms at once is over data sets"),
        ({"test": "mcnemar", "average": "datasets"}, "it is one of items"),
        ({"zero_method": "pratt"}, "test 'item-t' does not take it"),
        ({"correction": "nemenyi"}, "belongs to test 'mean-ranks'"),
    ):
        with pytest.raises(PalioError, match=said):
            palio.compare(items, **asked)  # type: ignore[arg-type]


def test_means_of_different_measures_are_not_averaged() -> None:
    frame = {
        "dataset": ["x"] * 6 + ["y"] * 6,
        "item": [0, 1, 2] * 4,
        "algorithm": (["a"] * 3 + ["b"] * 3) * 2,
        "metric": ["accuracy"] * 6 + ["rmse"] * 6,
        "value": [1, 0, 1, 0, 0, 1, 3.0, 2.0, 2.5, 4.0, 5.0, 3.0],
    }
    table = palio.read_scores(frame, dataset="dataset", algorithm="algorithm")
    assert table.measure.is_mixed
    assert palio.compare(table).over == "datasets"
    with pytest.raises(ParameterError, match="needs one measure"):
        palio.compare(table, over="items")


def test_swapping_and_reordering_change_nothing() -> None:
    rng = np.random.default_rng(9)
    scores, _ = graded()
    order = rng.permutation(60)
    plain = compared(ItemScores.from_arrays(scores, algorithms=NAMES, measure="f1"))
    turned = compared(
        ItemScores.from_arrays(scores[order][:, ::-1], algorithms=NAMES[::-1], measure="f1")
    )
    for pair in plain.pairs:
        other = turned.pair(pair.a, pair.b)
        assert other.p_adjusted == pytest.approx(pair.p_adjusted, rel=1e-9)
        assert other.winner == pair.winner


# --- promises of every test


@pytest.fixture
def few_answers() -> FloatArray:
    """Right or wrong on 18 items, so that every test is exact or closed; b and d are the same."""
    right = (np.random.default_rng(10).random((18, 3)) < [0.3, 0.8, 0.5]).astype(float)
    return np.column_stack([right, right[:, 1]])


def _pairs(
    scores: FloatArray, names: str, test: str, of: list[str], clusters: IntArray
) -> dict[frozenset[str], tuple[float, str | None]]:
    items = ItemScores.from_arrays(
        scores,
        algorithms=list(names),
        measure="accuracy",
        dataset=of,
        cluster=clusters.tolist() if ITEM_TESTS[test].clusters else None,
    )
    found = compared(items, test=test, correction=None)
    return {frozenset((p.a, p.b)): (p.p_value, p.better) for p in found.pairs}


@pytest.mark.parametrize("test", list(ITEM_TESTS))
@pytest.mark.parametrize("datasets", [1, 2])
def test_every_test_keeps_its_promises(few_answers: FloatArray, test: str, datasets: int) -> None:
    of = [f"task{i * datasets // 18}" for i in range(18)]
    clusters = np.array([0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7, 8, 8, 8, 9])
    plain = _pairs(few_answers, "abcd", test, of, clusters)
    assert plain[frozenset("bd")] == (1.0, None)  # identical algorithms are never separated
    order = np.random.default_rng(11).permutation(18)
    turned = _pairs(
        few_answers[order][:, ::-1], "dcba", test, [of[i] for i in order], clusters[order]
    )
    alone = _pairs(few_answers[:, :2], "ab", test, of, clusters)
    for pair, (p, better) in plain.items():  # mirrored and reordered
        assert turned[pair][0] == pytest.approx(p, rel=1e-9)
        assert turned[pair][1] == better
    assert alone[frozenset("ab")][0] == pytest.approx(plain[frozenset("ab")][0], rel=1e-9)
