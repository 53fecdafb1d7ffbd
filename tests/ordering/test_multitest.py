"""MultiTest on tables worked by hand."""

import numpy as np
import pytest

import palio
from palio.errors import DesignError, ParameterError, UnknownNameError, UnpairedFoldsError
from palio.scores import ScoreTable, read_scores

WIGGLE = np.tile([0.1, -0.1], (5, 1))


def fold_table(errors: dict[str, np.ndarray], **costs: list[float]) -> ScoreTable:
    return ScoreTable.from_arrays(
        np.stack(list(errors.values()))[np.newaxis],
        datasets=["d"],
        algorithms=list(errors),
        measure="error",
        costs={name: [values] for name, values in costs.items()},
    )


@pytest.fixture
def figure2() -> ScoreTable:
    """yildiz2006 Figure 2: edges 1→2, 1→3, 1→4 and 2→3.

    Algorithms 1, 2 and 3 have the same error on every fold, so their tests reject; 4 goes up and
    down around 2, so that its differences to 2 and 3 are not significant, while against 1 they
    are 0.3 and 0.5 in each repeat: f = 5(0.09 + 0.25) / (2 · 5 · 0.02) = 8.5 > 4.74.
    """
    flat = np.ones((5, 2))
    return fold_table(
        {"one": 0.9 * flat, "two": 0.5 * flat, "three": 0.4 * flat, "four": 0.5 * flat + WIGGLE},
        train_time=[1.0, 2.0, 3.0, 4.0],
    )


def test_figure_2(figure2: ScoreTable) -> None:
    ordering = palio.multitest(figure2, cost="train_time")
    assert ordering.prior == ("one", "two", "three", "four")
    assert set(ordering.edges) == {("one", "two"), ("one", "three"), ("one", "four"),
                                   ("two", "three")}  # fmt: skip
    assert ordering.order == ("three", "two", "four", "one")
    assert ordering.ranks == {"three": 1, "two": 2, "four": 3, "one": 4}
    assert ordering.first == "three"
    statistic = next(pair.statistic for pair in ordering.pairs if pair.b == "four")
    assert statistic == pytest.approx(8.5)


def test_why_has_an_answer_for_each_kind_of_place(figure2: ScoreTable) -> None:
    ordering = palio.multitest(figure2, cost="train_time")
    assert ordering.why("one", "three") == (
        "three is before one: it is costlier, but significantly better (p = 0.002)."
    )
    assert ordering.why("two", "four") == (
        "two is before four: it is cheaper, and four is not significantly better."
    )
    assert ordering.why("two", "two") == "two is one algorithm: it has one place, 2."
    with pytest.raises(UnknownNameError, match="'tow' is not known"):
        ordering.why("tow", "one")


def test_why_names_who_is_waited_for() -> None:
    """b is not better than a, but a has to wait for c."""
    flat = np.ones((5, 2))
    table = fold_table({"a": 0.3 * flat, "b": 0.3 * flat + WIGGLE, "c": 0.2 * flat}, time=[1, 2, 3])
    ordering = palio.multitest(table, cost="time")
    assert ordering.order == ("b", "c", "a")
    assert ordering.why("a", "b") == (
        "b is before a: a is cheaper, but has to wait for c, significantly better than a."
    )


def test_explicit_prior_instead_of_cost(figure2: ScoreTable) -> None:
    ordering = palio.multitest(figure2, prior=["four", "three", "two", "one"])
    assert ordering.order == ("four", "three", "two", "one")
    assert ordering.edges == ()
    assert "prior order given, not measured" in ordering.notes


def test_equal_costs_go_by_score_then_name_and_are_noted() -> None:
    flat = np.ones((5, 2))
    table = fold_table(
        {"b": 0.3 * flat + WIGGLE, "a": 0.3 * flat + WIGGLE, "c": 0.29 * flat + WIGGLE},
        time=[1.0, 1.0, 1.0 + 1e-15],
    )
    ordering = palio.multitest(table, cost="time")
    assert ordering.prior == ("c", "a", "b")
    assert any(note.startswith("equal costs on d") for note in ordering.notes)


def test_weights_of_several_costs_decide_the_prior(figure2: ScoreTable) -> None:
    table = fold_table(
        {"a": np.ones((5, 2)), "b": np.ones((5, 2))}, train_time=[10, 1], space=[1, 4]
    )
    by_time = palio.multitest(table, cost={"train_time": 0.9, "space": 0.1})
    by_space = palio.multitest(table, cost={"train_time": 0.1, "space": 0.9})
    assert (by_time.prior, by_space.prior) == (("b", "a"), ("a", "b"))
    # 0.9 · 1 + 0.1 · 1/4: each cost is divided by the largest of the data set.
    assert by_time.costs["a"] == pytest.approx(0.925)


@pytest.mark.parametrize(("correction", "edges"), [(None, 1), ("bonferroni", 0), ("holm", 0)])
def test_corrections_take_edges_away(correction: str | None, edges: int) -> None:
    """f = 5(0.04 + 0.16)/(2 · 5 · 0.02) = 5 against "a": p = 0.045 alone, 0.136 as one of three."""
    flat = np.ones((5, 2))
    table = fold_table(
        {"a": 0.5 * flat, "b": 0.5 * flat + 2 * WIGGLE, "c": 0.2 * flat + WIGGLE},
        train_time=[1, 2, 3],
    )
    ordering = palio.multitest(table, cost="train_time", correction=correction)
    assert sum(edge == ("a", "c") for edge in ordering.edges) == edges


def test_one_sided_test_asks_whether_the_costlier_is_better() -> None:
    """Differences 3 and 1 in each repeat: t = 3/√2, one-sided p = 0.0437 (two-sided 0.087)."""
    better = np.tile([1.0, 3.0], (5, 1))
    table = fold_table({"cheap": np.full((5, 2), 4.0), "dear": better}, cost=[1, 2])
    ordering = palio.multitest(table, cost="cost", test="5x2cv-t")
    assert ordering.pairs[0].p_value == pytest.approx(0.0437, abs=5e-5)
    assert ordering.order == ("dear", "cheap")
    assert any("one-sided" in note for note in ordering.notes)
    # The other way round the same data leave the prior alone: the side is the prior's.
    swapped = palio.multitest(table, prior=["dear", "cheap"], test="5x2cv-t")
    assert swapped.edges == ()
    assert swapped.pairs[0].p_value == pytest.approx(1 - 0.0437, abs=5e-5)


@pytest.mark.parametrize("measure", ["error", "accuracy"])
def test_an_edge_is_where_the_test_rejects_whatever_the_means(measure: str) -> None:
    """yildiz2006 Fig. 1, line 6. By 3 and 3.1 in one repeat, -2 and -2.1 in the others:

    s² = 0.005 in each, t = 3 / √0.005 = 42.4, while the mean difference is -1.03.
    """
    gain = np.array([[3.0, 3.1], *[[-2.0, -2.1]] * 4])
    cheap, sign = np.full((5, 2), 10.0), -1.0 if measure == "error" else 1.0
    table = ScoreTable.from_arrays(
        np.stack([[cheap, cheap + sign * gain], [cheap, cheap - sign * gain]]) / 20,
        datasets=["d", "e"],
        algorithms=["cheap", "dear"],
        measure=measure,
        costs={"time": [[1.0, 2.0]] * 2},
    )
    ordering = palio.multitest(table, dataset="d", cost="time", test="5x2cv-t")
    (pair,) = ordering.pairs
    assert pair.statistic == pytest.approx(3 / np.sqrt(0.005))
    assert (pair.significant, pair.better) == (True, "dear")
    assert ordering.edges == (("cheap", "dear"),)
    assert ordering.order == ("dear", "cheap")
    assert ordering.why("dear", "cheap").startswith(
        "dear is before cheap: it is costlier, but significantly better (p = "
    )
    note = (
        "the test finds the costlier better where the mean scores do not, as it rests on one "
        "fold: dear over cheap on d"
    )
    assert note in ordering.notes
    assert note in palio.multi2test(table, cost="time", test="5x2cv-t").notes
    # The other way round the test is asked on the other side, and the means are ahead alone.
    other = palio.multitest(table, dataset="e", cost="time", test="5x2cv-t")
    assert (other.edges, other.pairs[0].significant, other.pairs[0].better) == ((), False, "dear")
    assert not any("mean scores do not" in note for note in other.notes)


def test_zero_variance_is_noted(figure2: ScoreTable) -> None:
    notes = palio.multitest(figure2, cost="train_time").notes
    said = "no variance between folds in 3 pairs (d): "
    assert f"{said}p is that of the mean difference by its sign flips" in notes
    sure = palio.multitest(figure2, cost="train_time", test="bayes").notes
    assert f"{said}what they show is taken as certain" in sure


def test_summary_has_the_keys_scripts_rely_on(figure2: ScoreTable) -> None:
    summary = palio.multitest(figure2, cost="train_time").to_dict()
    contract = {"order", "ranks", "prior", "edges", "mean_ranks", "per_dataset", "notes"}
    assert contract <= set(summary)
    assert summary["per_dataset"] == {"d": {"order": summary["order"], "edges": summary["edges"]}}


def test_frame_and_repr(figure2: ScoreTable) -> None:
    ordering = palio.multitest(figure2, cost="train_time")
    assert repr(ordering) == "<Ordering by multitest: three > two > four > one>"
    assert ordering.to_frame()["algorithm"].tolist() == ["three", "two", "four", "one"]
    assert ordering.to_frame()["cost"].tolist() == [3.0, 2.0, 4.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({}, ParameterError, "cost: to choose between equals a preference is needed"),
        ({"cost": "train_time", "prior": ["one"]}, ParameterError, "one of the two"),
        ({"cost": "trian_time"}, UnknownNameError, "Did you mean 'train_time'"),
        ({"cost": {"train_time": -1}}, ParameterError, "weights are positive"),
        ({"cost": []}, ParameterError, "at least one cost"),
        ({"prior": ["one", "two"]}, ParameterError, "it lacks three, four"),
        ({"prior": ["one", "two", "three", "four", "four"]}, ParameterError, "twice"),
        ({"prior": ["one", "two", "three", "for"]}, UnknownNameError, "Did you mean 'four'"),
        ({"cost": "train_time", "alpha": 5}, ParameterError, "alpha: .* between 0 and 1"),
        ({"cost": "train_time", "test": "5x2cv"}, UnknownNameError, "Did you mean '5x2cv-f'"),
        ({"cost": "train_time", "correction": "hollm"}, UnknownNameError, "Did you mean 'holm'"),
        ({"cost": "train_time", "correction": "shaffer"}, ParameterError, "MultiTest takes none"),
        ({"cost": "train_time", "correction": "nemenyi"}, ParameterError, "MultiTest takes none"),
        ({"cost": "train_time", "dataset": "e"}, UnknownNameError, "dataset: 'e' is not known"),
        (
            {"cost": "train_time", "test_fraction": 0.3},
            ParameterError,
            "test '5x2cv-f' does not take it",
        ),
        (
            {"cost": "train_time", "test": "corrected-t", "test_fraction": 3},
            ParameterError,
            "test_fraction: a share",
        ),
        (
            {"cost": "train_time", "test": "calibrated-t"},
            DesignError,
            "calibrated for 10×10-fold cv",
        ),
    ],
)
def test_bad_questions(
    figure2: ScoreTable, arguments: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        palio.multitest(figure2, **arguments)  # type: ignore[arg-type]


def test_several_data_sets_need_a_choice() -> None:
    table = palio.load_study("ulas2008")
    with pytest.raises(ParameterError, match=r"there are 38: .* Name one"):
        palio.multitest(table, cost="space")


def test_wrong_design_names_the_tests_that_fit() -> None:
    table = ScoreTable.from_arrays(
        np.random.default_rng(0).random((1, 2, 1, 10)),
        datasets=["iris"],
        algorithms=["a", "b"],
        measure="error",
    )
    says = "needs 5 repeats of 2 folds, and data set 'iris' has 10-fold cv; tests that fit: kfold-t"
    with pytest.raises(DesignError, match=says):
        palio.multitest(table, prior=["a", "b"])
    assert palio.multitest(table, prior=["a", "b"], test="corrected-t").order


def test_one_value_per_data_set_has_no_fold_test() -> None:
    table = ScoreTable.from_arrays(
        [[0.1, 0.2]], datasets=["iris"], algorithms=["a", "b"], measure="error"
    )
    with pytest.raises(DesignError, match="no test on folds fits: give one row per fold"):
        palio.multitest(table, prior=["a", "b"])


def test_unpaired_folds_are_named() -> None:
    rows = [("d", name, r, f, 0.1 * r) for name in "ab" for r in range(5) for f in range(2)]
    columns = dict(zip(("dataset", "algorithm", "repeat", "fold", "error"),
                       map(list, zip(*rows[:-1], strict=True)), strict=True))  # fmt: skip
    table = read_scores(columns)
    with pytest.raises(UnpairedFoldsError, match="b"):
        palio.multitest(table, prior=["a", "b"])
