"""The order that cannot contradict a comparison."""

import itertools
import re

import numpy as np
import pytest

import palio
from palio.claims import DefaultMethod, Value
from palio.errors import DesignError, ParameterError, UnknownNameError
from palio.measures import Measure
from palio.ordering import ORDERINGS
from palio.ordering.graph import sort_steps
from palio.scores import ScoreTable
from tests.slow import mostly_slow


def table_of(
    scores: np.ndarray, *, higher: bool = True, costs: np.ndarray | None = None
) -> ScoreTable:
    return ScoreTable.from_arrays(
        scores if higher else -scores,
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=[f"a{j}" for j in range(scores.shape[1])],
        measure=Measure("quality", higher, "score"),
        costs={} if costs is None else {"time": np.broadcast_to(costs, scores.shape[:2])},
    )


def random_table(seed: int) -> ScoreTable:
    """A table of any size, direction and spread; some with folds, some without."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 25)), int(rng.integers(2, 9))
    folds = [(), (5, 2), (1, 4), (2, 3)][seed % 4]
    strength = rng.choice([0.0, 0.5, 2.0]) * rng.normal(size=(1, k))
    scores = rng.normal(size=(n, k)) + strength
    if seed % 5 == 0:
        scores = scores.round()  # ties
    spread = scores.reshape(n, k, *(1 for _ in folds)) + 0.3 * rng.normal(size=(n, k, *folds))
    return table_of(spread, higher=bool(seed % 2), costs=rng.random(k) + 0.1)


# --- by hand --------------------------------------------------------------------------------------


@pytest.mark.parametrize("higher", [True, False])
def test_nobody_before_a_better_one_and_the_cheaper_first_among_the_rest(higher: bool) -> None:
    """a1 beats a0 on all ten data sets, a2 is like a0; a0 is cheapest, a1 dearest."""
    base = np.arange(10.0)
    wiggle = np.tile([0.5, -0.5], 5)
    scores = np.stack([base, base + 1, base + 0.1 * wiggle], axis=1)
    ordering = palio.order(
        table_of(scores, higher=higher, costs=np.array([1.0, 9.0, 2.0])), cost="time"
    )
    assert ordering.method == "pairwise"
    assert ordering.prior == ("a0", "a2", "a1")
    assert set(ordering.edges) == {("a0", "a1"), ("a2", "a1")}
    assert ordering.order == ("a1", "a0", "a2")
    assert ordering.unbeaten == ("a1",)
    assert ordering.rank_sets == {"a0": (2, 3), "a1": (1, 1), "a2": (2, 3)}
    assert ordering.why("a0", "a1").startswith("a1 is before a0: it is costlier, but significantly")
    assert ordering.why("a0", "a2") == (
        "a0 is before a2: it is cheaper, and a2 is not significantly better."
    )


def test_the_better_may_be_the_cheaper_too() -> None:
    scores = np.stack([np.arange(10.0), np.arange(10.0) + 1], axis=1)
    ordering = palio.order(table_of(scores, costs=np.array([2.0, 1.0])), cost="time")
    assert ordering.edges == (("a0", "a1"),)
    assert ordering.overridden == ()
    assert ordering.why("a0", "a1").startswith("a1 is before a0: it is cheaper, and significantly")


def test_published_studies_by_hand() -> None:
    """Worked out by hand from the pairs of `compare` and the mean scaled costs."""
    assert palio.order(palio.load_study("ulas2008"), cost="train_time").order == (
        "svl", "svr", "5nn", "c45", "lnp", "mlp", "mdt", "sv2",
    )  # fmt: skip


def test_the_replication_step_by_step() -> None:
    """Of those whom nobody left beats the cheapest is next, by effects additive in log cost."""
    table = palio.load_study("replication2026")
    pairs = [pair for pair in palio.compare(table).pairs if pair.significant]
    seconds = table.cost_matrix("fit_time")
    n, k = seconds.shape
    row, column = np.nonzero(~np.isnan(seconds))
    design = np.zeros((row.size, n + k))
    design[np.arange(row.size), row] = design[np.arange(row.size), n + column] = 1.0
    effects = np.linalg.lstsq(design, np.log(seconds[row, column]), rcond=None)[0][n:]
    cost = dict(zip(table.algorithms, effects.tolist(), strict=True))
    ordering = palio.order(table, cost="fit_time")
    # Of neighbours within a hundredth the better mean score is preferred.
    for before, after in itertools.pairwise(ordering.prior):
        assert cost[before] <= cost[after] + np.log(1.01)
        better = dict(zip(table.algorithms, table.goodness().mean(axis=0), strict=True))
        assert cost[before] <= cost[after] or better[before] > better[after]
    order: list[str] = []
    while left := [name for name in table.algorithms if name not in order]:
        beaten = {pair.worse for pair in pairs if {pair.a, pair.b} <= set(left)}
        order.append(next(name for name in ordering.prior if name in left and name not in beaten))
    assert ordering.order == tuple(order)
    assert order != sorted(order, key=cost.__getitem__)


# --- it cannot contradict a comparison ------------------------------------------------------------


@pytest.mark.parametrize("seed", mostly_slow(range(200), 60))
def test_nobody_stands_before_one_that_compare_finds_better(seed: int) -> None:
    table = random_table(seed)
    cost = "time" if seed % 3 else None
    ordering, comparison = palio.order(table, cost=cost), palio.compare(table)
    circles = {step.taken for step in ordering.steps if step.circle}
    for pair in comparison.pairs:
        if pair.winner is not None and str(pair.worse) not in circles:
            assert ordering.ranks[pair.winner] < ordering.ranks[str(pair.worse)]
    assert ordering.unbeaten == comparison.unbeaten
    assert ordering.rank_sets == comparison.rank_sets
    assert ordering.verdict.best == comparison.verdict.best
    if ordering.unbeaten:
        assert ordering.first in ordering.unbeaten
        named = re.match(r"(\S+) (leads|has|and)", ordering.verdict.best)
        assert named is None or named[1] == comparison.unbeaten[0] == ordering.leader


def test_on_one_data_set_it_agrees_with_compare_there() -> None:
    table = palio.load_study("ulas2008")
    for dataset in table.datasets[:6]:
        ordering = palio.order(table, dataset=dataset, cost="train_time")
        pairs = palio.compare(table, dataset=dataset).pairs
        assert ordering.pairs == tuple(pair.verdict for pair in pairs)
        for pair in pairs:
            if pair.winner is not None:
                assert ordering.ranks[pair.winner] < ordering.ranks[str(pair.worse)]


@pytest.mark.parametrize("method", [name for name in ORDERINGS if name != "pairwise"])
def test_the_papers_methods_have_the_verdict_of_compare(method: str) -> None:
    table = palio.load_study("ulas2008")
    dataset = "optdigits" if method == "multitest" else None
    ordering = palio.order(table, method=method, dataset=dataset, cost="train_time")
    comparison = palio.compare(table, dataset=dataset)
    assert (ordering.unbeaten, ordering.rank_sets) == (comparison.unbeaten, comparison.rank_sets)
    # It speaks of its own pairs, and says besides who leads by these.
    assert f"By the default comparison {comparison.leader} leads" in ordering.verdict.best


# --- circles --------------------------------------------------------------------------------------


def test_of_a_circle_that_nobody_outside_beats_the_cheapest_is_taken() -> None:
    """a ← b ← c ← a in a circle; d, the cheapest, is beaten by a; e beats nobody."""
    steps = sort_steps("dbace", [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")])
    assert [step.taken for step in steps] == ["b", "a", "d", "c", "e"]
    assert steps[0].candidates == ("b", "a", "c", "e")
    assert steps[0].circle == ("c",)
    assert steps[0].reason == "the cheapest left, in a circle with c, significantly better than it"
    assert not any(step.circle for step in steps[1:])


def test_a_circle_in_the_data_is_noted_and_leaves_nobody_unbeaten() -> None:
    """Signs in a circle: each of three beats the next on two thirds of 60 data sets."""
    cycle = np.array([[2.0, 1, 0], [0, 2, 1], [1, 0, 2]])
    table = table_of(np.repeat(cycle, 20, axis=0))
    ordering = palio.order(table, test="sign", correction="none", alpha=0.05)
    assert {("a1", "a0"), ("a2", "a1"), ("a0", "a2")} == set(ordering.edges)
    assert ordering.unbeaten == ()
    assert ordering.verdict.best == (
        "By sign test, no correction, α = 0.05 nobody leads 3 algorithms over 60 data sets. a0 is "
        "significantly better than a1, a1 is significantly better than a2 and a2 is significantly "
        "better than a0. By the default comparison the answer is open: no difference was found "
        "between any two."
    )
    assert any(note.startswith("a circle: ") for note in ordering.notes)
    assert "in a circle" in ordering.why(ordering.order[0], ordering.order[-1])


# --- any table ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "test"),
    [
        ((12, 3), "wilcoxon"),
        ((12, 3, 5, 2), "wilcoxon"),
        ((12, 3, 1, 10), "wilcoxon"),
        ((12, 3, 10, 10), "wilcoxon"),
        ((12, 3, 1, 1), "wilcoxon"),
        ((12, 2), "wilcoxon"),
        ((2, 3), "wilcoxon"),
        ((1, 3, 5, 2), "5x2cv-f"),
        ((1, 3, 1, 10), "corrected-t"),
        ((1, 3, 10, 10), "corrected-t"),
        ((1, 3), None),
        ((1, 3, 7, 1), None),
    ],
)
def test_it_answers_without_a_flag(shape: tuple[int, ...], test: str | None) -> None:
    scores = np.random.default_rng(0).normal(size=shape)
    ordering = palio.order(table_of(scores))
    assert ordering.test == test
    assert sorted(ordering.order) == [f"a{j}" for j in range(shape[1])]
    assert ordering.verdict.value is None
    assert ordering.first in ordering.unbeaten
    str(ordering)


def test_without_a_test_all_are_unbeaten_and_it_is_said() -> None:
    table = table_of(np.array([[0.3, 0.9, 0.5]]), costs=np.array([1.0, 3.0, 2.0]))
    ordering = palio.order(table)
    assert ordering.order == ("a1", "a2", "a0")
    assert ordering.unbeaten == ("a1", "a2", "a0")
    assert ordering.rank_sets == {"a0": (1, 3), "a1": (1, 3), "a2": (1, 3)}
    assert ordering.verdict.best == (
        "a1 has the best quality, 0.9000, of 3 algorithms on d0; open: one value per algorithm "
        "cannot be tested."
    )
    assert any(note.startswith("no test in it: ") for note in ordering.notes)
    # The spread is 0.6, so that a cost may give up 0.006 unless more is allowed.
    assert palio.order(table, cost="time").order == ("a1", "a2", "a0")
    assert palio.order(table, cost="time", tolerance=0.5).order == ("a2", "a1", "a0")


def test_hold_outs_are_tested_once_their_share_is_given() -> None:
    table = table_of(np.random.default_rng(0).normal(size=(1, 3, 7, 1)))
    assert any("test_fraction" in note for note in palio.order(table).notes)
    assert palio.order(table, test_fraction=0.3).test == "corrected-t"


def test_a_test_asked_for_by_name_is_not_left_out() -> None:
    with pytest.raises(DesignError, match="needs 5 repeats of 2 folds"):
        palio.order(table_of(np.zeros((1, 3))), test="5x2cv-f")
    with pytest.raises(ParameterError, match="on the folds of one data set"):
        palio.order(table_of(np.zeros((9, 3))), test="5x2cv-f")
    with pytest.raises(UnknownNameError, match="pairwise"):
        palio.order(table_of(np.zeros((9, 3))), method="pairwize")


# --- too few data sets for any verdict ------------------------------------------------------------

FIVE = np.array([[0.80, 0.95, 0.955], [0.70, 0.90, 0.900], [0.75, 0.92, 0.925], [0.72, 0.9, 0.905],
                 [0.80, 0.90, 0.915]])  # fmt: skip
CHEAP_FIRST = np.array([1.0, 2.0, 100.0])


def accuracies(scores: np.ndarray, unit: float = 1.0) -> ScoreTable:
    return ScoreTable.from_arrays(
        unit * scores,
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=["cheap", "good", "best"],
        measure="accuracy",
        costs={"time": np.tile(CHEAP_FIRST, (len(scores), 1))},
    )


@pytest.mark.parametrize("unit", [1.0, 100.0])
def test_the_cost_gives_up_no_more_than_the_tolerance(unit: float) -> None:
    """The cheapest is 0.166 worse on average, good 0.006; on five sets Wilcoxon never rejects."""
    table = accuracies(FIVE, unit)
    ordering = palio.order(table, cost="time")
    assert ordering.order == ("good", "best", "cheap")
    assert set(ordering.edges) == {("cheap", "good"), ("cheap", "best")}
    assert ordering.why("good", "cheap").endswith("it is costlier, but clearly better.")
    assert ordering.why("good", "best") == (
        "good is before best: it is cheaper, and best is not clearly better."
    )
    value = str(ordering.verdict.value)
    assert "good, 50 times as fast as best and 0." in value
    assert f"within tolerance ({unit / 100:g} in mean accuracy)." in value
    # Who leads, who is unbeaten and how sure that is are those of the comparison.
    default = palio.compare(table)
    assert (ordering.leader, ordering.sureness) == (default.leader, default.sureness)
    assert ordering.unbeaten == default.unbeaten
    assert palio.order(table, cost="time", tolerance=0.2 * unit).order[0] == "cheap"
    assert palio.order(table, cost="time", tolerance=0).order[0] == "best"
    with pytest.raises(ParameterError, match="it is 0 or more"):
        palio.order(table, cost="time", tolerance=-1)


def test_the_folds_are_asked_where_they_are_there() -> None:
    """Better by 0.006 on every fold but for noise of 0.001: within the tolerance, but no chance."""
    rng = np.random.default_rng(0)
    folds = FIVE[:, :, np.newaxis, np.newaxis] + 0.001 * rng.normal(size=(5, 3, 1, 10))
    ordering = palio.order(accuracies(folds), cost="time")
    assert ordering.order == ("best", "good", "cheap")
    assert ("good", "best") in ordering.edges
    assert any("Holm over 3 pairs" in note for note in ordering.notes)
    noisy = FIVE[:, :, np.newaxis, np.newaxis] + 0.1 * rng.normal(size=(5, 3, 1, 10))
    noisy += FIVE[:, :, np.newaxis, np.newaxis] - noisy.mean(axis=3, keepdims=True)
    assert palio.order(accuracies(noisy), cost="time").order == ("good", "best", "cheap")


def test_on_a_ratio_scale_the_tolerance_is_a_share() -> None:
    """0.8 % and 50 % more error than the best; the unit of a data set does not count."""
    scores = np.outer([1.0, 1000.0, 5.0], [1.5, 1.008, 1.0])
    table = ScoreTable.from_arrays(
        scores, datasets=["d", "e", "f"], algorithms=["cheap", "good", "best"], measure="rmse",
        costs={"time": np.tile(CHEAP_FIRST, (3, 1))},
    )  # fmt: skip
    assert palio.order(table, cost="time").order == ("good", "best", "cheap")
    assert palio.order(table, cost="time", tolerance=0.005).order[0] == "best"


# --- what is preferred among equals ---------------------------------------------------------------


def test_a_partial_prior_puts_the_named_first() -> None:
    """Nobody differs on three data sets; by mean rank a2, a1, a0."""
    table = table_of(np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.2, 0.1, 0.3]]))
    assert palio.order(table).order == ("a2", "a1", "a0")
    ordering = palio.order(table, prior=["a1"])
    assert ordering.order == ("a1", "a2", "a0")
    assert "the prior order names 1 of 3; the rest by mean rank" in ordering.notes
    assert ordering.preferred_by == "prior"
    assert str(ordering.verdict.value).startswith("Best value by the given order of preference: a1")


def test_equal_costs_go_by_mean_rank_and_are_noted() -> None:
    table = table_of(np.array([[0.1, 0.2], [0.1, 0.2], [0.3, 0.2]]), costs=np.array([1.0, 1.0]))
    ordering = palio.order(table, cost="time")
    assert ordering.order == ("a1", "a0")
    assert any(note.startswith("some cost the same") for note in ordering.notes)


def test_what_the_best_value_saves_and_gives_up() -> None:
    base = np.arange(10.0)
    wiggle = np.tile([0.5, -0.3, 0.1, -0.2, 0.4], 2)
    scores = np.stack([base, base + wiggle], axis=1)
    ordering = palio.order(table_of(scores, costs=np.array([1.0, 100.0])), cost="time")
    value = ordering.claims.of(Value)
    assert value is not None
    assert (value.algorithm, value.against, value.beaten_by) == ("a0", "a1", ())
    assert value.ratio == pytest.approx(100)
    assert value.ratios == pytest.approx((100, 100))
    assert value.score_difference == pytest.approx(-wiggle.mean())
    assert (value.n_costs, value.n_shared) == (10, 10)
    assert ordering.verdict.value == (
        "Best value by time: a0, 100 times as fast as a1 and 0.100 worse in quality on the 10 data "
        "sets they share."
    )
    same = palio.order(table_of(scores, costs=np.array([100.0, 1.0])), cost="time")
    assert same.verdict.value == (
        "Best value by time: a1 too, the cheapest of those that nobody beats."
    )


def test_the_papers_method_says_where_its_first_is_beaten() -> None:
    table = palio.load_study("ulas2008")
    found = palio.order(table, method="multi2test", cost="train_time").claims.of(DefaultMethod)
    assert found is not None
    assert {better for before, better in found.against if before == "5nn"} == {"svl", "svr"}


def test_where_nobody_is_unbeaten_the_strongest_has_the_best_mean_rank() -> None:
    cycle = np.array([[2.0, 1, 0], [0, 2, 1], [1, 0, 2], [2, 0, 1]])
    table = table_of(np.repeat(cycle, [20, 20, 20, 1], axis=0))
    ordering = palio.order(table, test="sign", correction="none")
    assert ordering.unbeaten == ()
    assert ordering.leader == "a0" == min(ordering.mean_ranks, key=ordering.mean_ranks.__getitem__)
