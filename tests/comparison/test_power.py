"""How many data sets: against closed forms."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, nct, norm, t

import palio
from palio.comparison import Power
from palio.comparison.procedure import Procedure
from palio.errors import (
    DesignError,
    InputError,
    MissingCellsError,
    ParameterError,
    UnknownNameError,
)
from palio.scores import ItemScores, ScoreTable

FIVE = {"A": 0.0, "B": 1.5, "C": 5.0, "D": 6.0, "E": 7.0}


def test_sign_test_against_the_binomial() -> None:
    """B beats A with chance Φ(1.5/√2); of 20 data sets 15 wins are needed: 0.94 (benavoli2016)."""
    chance = norm.cdf(1.5 / np.sqrt(2))
    expected = binom.sf(14, 20, chance)
    assert expected == pytest.approx(0.94, abs=0.005)
    found = palio.power(
        FIVE, a="A", b="B", test="sign", correction=None, n_datasets=[20], trials=4000
    )
    assert found.chances[20] == pytest.approx(expected, abs=0.015)
    assert found.better == "B"


def test_mean_ranks_see_little_among_others() -> None:
    """Only 20 wins of 20 suffice: Φ(1.5/√2)²⁰ = 0.044; the paper's simulation gave 0.046."""
    found = palio.power(
        FIVE, a="A", b="B", test="mean-ranks", correction=None, n_datasets=[20], trials=4000
    )
    assert found.chances[20] == pytest.approx(0.045, abs=0.012)


def test_power_grows_until_the_target() -> None:
    found = palio.power({"a": 0, "b": 0.5}, a="a", b="b", test="paired-t", trials=300)
    sizes, chances = zip(*found.chances.items(), strict=True)
    assert found.needed == sizes[-1]
    assert chances[-1] >= 0.8 > chances[-2]
    assert "data sets are enough to tell a and b apart" in str(found)


def test_never_enough() -> None:
    found = palio.power({"a": 0, "b": 0.01}, a="a", b="b", n_datasets=[5, 6], trials=50)
    assert found.needed is None
    assert "6 data sets are not enough" in str(found)
    assert "more than 6" in repr(found)


def table() -> ScoreTable:
    rng = np.random.default_rng(0)
    return ScoreTable.from_arrays(
        rng.normal(0, 1, (30, 2)) + [0.4, 0],
        datasets=[f"d{i}" for i in range(30)],
        algorithms=["a", "b"],
        measure="accuracy",
    )


def test_from_a_table_and_with_a_shift() -> None:
    own = palio.power(table(), a="a", b="b", n_datasets=[30], trials=200)
    larger = palio.power(table(), a="a", b="b", difference=2.0, n_datasets=[30], trials=200)
    other_way = palio.power(table(), a="a", b="b", difference=-2.0, n_datasets=[30], trials=200)
    assert larger.chances[30] > own.chances[30]
    assert (larger.better, other_way.better) == ("a", "b")
    assert other_way.chances[30] > 0.9


def test_lower_is_better() -> None:
    """The same table with its errors: the same one is better, found as often."""
    scores = table().means() + [0.6, 0]
    how: dict[str, object] = {"a": "a", "b": "b", "n_datasets": [20], "trials": 200}
    rise, errors = (
        ScoreTable.from_arrays(
            sign * scores, datasets=table().datasets, algorithms=["a", "b"], measure=measure
        )
        for sign, measure in ((1, "accuracy"), (-1, "error"))
    )
    up = palio.power(rise, **how)  # type: ignore[arg-type]
    down = palio.power(errors, **how)  # type: ignore[arg-type]
    assert down.better == up.better == "a"
    assert down.chances == up.chances
    assert up.chances[20] > 0.1
    # A difference is in the score's own unit: more error is worse.
    worse = palio.power(errors, difference=2.0, **how)  # type: ignore[arg-type]
    assert worse.better == "b"
    assert worse.chances[20] > 0.9


def test_the_others_count_and_gaps_do_not() -> None:
    """Data sets without every score are left out; 20 of the 30 are left."""
    scores = np.column_stack([table().means(), np.zeros(30)])
    scores[:10, 2] = np.nan
    gaps = ScoreTable.from_arrays(
        scores,
        datasets=table().datasets,
        algorithms=["a", "b", "c"],
        measure="accuracy",
        missing="pairwise",
    )
    found = palio.power(gaps, a="a", b="b", n_datasets=[10], trials=20)
    assert "from the table's 20" in found.notes[0]
    whole = palio.power(gaps.select(gaps.datasets[10:]), a="a", b="b", n_datasets=[10], trials=20)
    assert whole.chances == found.chances
    with pytest.raises(MissingCellsError, match="two data sets"):
        palio.power(gaps.select(gaps.datasets[:11]), a="a", b="b")


def test_standard_errors_and_where_it_is_enough() -> None:
    found = Power("a", "b", "a", "sign", "holm", 0.05, 0.8, 100, {5: 0.2, 7: 0.8, 10: 1.0})
    assert found.needed == 7
    assert [point.standard_error for point in found.curve] == pytest.approx([0.04, 0.04, 0])
    assert [tuple(point)[:2] for point in found.curve] == [(5, 0.2), (7, 0.8), (10, 1.0)]
    assert "7 data sets for 0.8" in repr(found)


def test_swapping_the_two_changes_nothing() -> None:
    one = palio.power(table(), a="a", b="b", n_datasets=[20], trials=200)
    two = palio.power(table(), a="b", b="a", n_datasets=[20], trials=200)
    assert one.curve == two.curve
    assert one.better == two.better


def test_a_correction_costs_power() -> None:
    how: dict[str, Any] = {"a": "A", "b": "B", "n_datasets": [12], "trials": 300}
    free = palio.power(FIVE, correction=None, **how)
    holm = palio.power(FIVE, correction="holm", **how)
    assert holm.chances[12] < free.chances[12]


@pytest.mark.parametrize("correction", ["none", "holm", "shaffer", "bergmann-hommel", "bh", "by"])
@pytest.mark.parametrize("test", ["wilcoxon", "sign", "mean-ranks"])
def test_one_pair_is_told_as_among_all(test: str, correction: str) -> None:
    procedure, rng = Procedure.asked(test, correction, 0.05), np.random.default_rng(3)
    found: list[float] = []
    for _ in range(10):
        scores = rng.standard_normal((12, 5)) + [0, 0.5, 1, 1.5, 2]
        for own, (low, high) in enumerate(combinations(range(5), 2)):
            found.append(procedure.told(scores, (low, high)))
            assert found[-1] == procedure.sided(scores)[own]
            assert procedure.told(scores, (high, low)) == -found[-1]
    assert {-1.0, 0.0} <= set(found)


def test_summary_and_frame() -> None:
    found = palio.power({"a": 0, "b": 1}, a="a", b="b", n_datasets=[5, 10], trials=100)
    summary = found.to_dict()
    assert [row["n_datasets"] for row in summary["curve"]] == [5, 10]
    assert found.to_frame()["power"].tolist() == list(found.chances.values())


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"a": "x"}, UnknownNameError, "algorithm: 'x' is not known"),
        ({"a": "b"}, ParameterError, "given twice"),
        ({"target": 1}, ParameterError, "target"),
        ({"target": 0}, ParameterError, "target"),
        ({"trials": 0}, ParameterError, "trials"),
        ({"sd": 0}, ParameterError, "sd"),
        ({"n_datasets": [1]}, ParameterError, "n_datasets"),
        ({"difference": 1}, ParameterError, "difference: it shifts a table"),
        ({"source": {"a": 0, "b": 0}}, ParameterError, "the same mean"),
    ],
)
def test_bad_questions(changes: dict[str, object], error: type[Exception], says: str) -> None:
    arguments = {"source": {"a": 0, "b": 1}, "a": "a", "b": "b", **changes}
    source = arguments.pop("source")
    with pytest.raises(error, match=says):
        palio.power(source, **arguments)  # type: ignore[arg-type]


def test_two_data_sets_are_enough_to_draw_from() -> None:
    scores = [[0.9, 0.8], [0.7, 0.5]]
    two = ScoreTable.from_arrays(scores, datasets=["d", "e"], algorithms=["a", "b"], measure="auc")
    assert palio.power(two, a="a", b="b", n_datasets=[8], trials=20).curve[0].power == 1.0


def test_a_correction_that_counts_the_algorithms() -> None:
    means = {"a": 1.0, "b": 0.0, "c": 0.0}
    asked = {"a": "a", "b": "b", "sd": 1.0, "n_datasets": [12], "trials": 200}
    holm, shaffer = (
        palio.power(means, correction=each, **asked).curve[0].power  # type: ignore[arg-type]
        for each in ("holm", "shaffer")
    )
    assert 0 < holm <= shaffer < 1


# --- by variance components ----------------------------------------------------------------------


def split(n: int = 30, seed: int = 1) -> ScoreTable:
    """Scores whose algorithm × data set has variance 1, algorithm × split 4, on 3 splits."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, 2, 1, 1)) + 2 * rng.normal(size=(n, 2, 1, 3))
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=["a", "b"],
        measure="error",
    )


@pytest.mark.parametrize("splits", [1, 3, 20])
def test_noise_is_that_of_so_many_splits(splits: int) -> None:
    """The better one wins on a data set with chance Φ(d / (σ√2)), and the sign test needs 15."""
    parts = {part.name: part.variance for part in palio.variance(split()).components}
    variance = parts["algorithm × data set"] + parts["algorithm × split"] / splits
    expected = binom.sf(14, 20, norm.cdf(2 / np.sqrt(2 * variance)))
    how: dict[str, Any] = {
        "a": "a",
        "b": "b",
        "test": "sign",
        "correction": None,
        "n_datasets": [20],
    }
    found = palio.power(split(), each={"splits": splits}, difference=2.0, trials=3000, **how)
    assert found.chances[20] == pytest.approx(expected, abs=0.03)
    assert found.better == "b"  # lower is better, and a has two more


def test_noise_is_taken_from_the_variances_too() -> None:
    how: dict[str, Any] = {"a": "a", "b": "b", "n_datasets": [20], "difference": 2.0, "trials": 300}
    found = palio.power(split(), each={"splits": 3}, **how)
    # As many splits as there are, unless asked otherwise.
    for each in ({"splits": 3}, None):
        assert palio.power(palio.variance(split()), each=each, **how).chances == found.chances
    more = palio.power(palio.variance(split()), each={"splits": 20}, **how)
    assert more.chances[20] > found.chances[20]


def test_each_is_about_what_varies() -> None:
    how: dict[str, Any] = {"a": "a", "b": "b", "trials": 5, "n_datasets": [5]}
    for each, why in (({"seeds": 3}, "the table has splits"), ({"splits": 0}, "at least one")):
        with pytest.raises(ParameterError, match=why):
            palio.power(split(), each=each, **how)
    with pytest.raises(ParameterError, match="stated means"):
        palio.power({"a": 0, "b": 1}, each={"splits": 1}, **how)
    with pytest.raises(DesignError, match="several data sets"):
        palio.power(split(n=1), each={"splits": 1}, **how)
    with pytest.raises(UnknownNameError, match="algorithm"):
        palio.power(palio.variance(split()), **{**how, "a": "c"})


def test_the_logarithm_of_a_negated_loss_turns_its_direction() -> None:
    scores = -np.exp(split().means())
    table = ScoreTable.from_arrays(
        scores, datasets=split().datasets, algorithms=["a", "b"], measure="neg_rmse"
    )
    found = palio.variance(table)
    best = min(found.means, key=lambda name: found.means[name])
    assert palio.power(found, a="a", b="b", trials=5, n_datasets=[5]).better == best


# --- over items


def items_of(measure: str = "accuracy", datasets: int = 1, **more: Any) -> ItemScores:
    rng = np.random.default_rng(3)
    scores = (rng.random((80, 3)) < [0.5, 0.6, 0.7]).astype(float)
    of = [f"t{i % datasets}" for i in range(80)]
    return ItemScores.from_arrays(scores, algorithms="abc", measure=measure, dataset=of, **more)


@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_items_that_are_needed(measure: str) -> None:
    items = items_of(measure)
    found = palio.power(items, a="a", b="c", correction=None, n_items=[40, 80, 200])
    pair = palio.compare(items, over="items", correction=None).pair("a", "c")
    assert found.better == pair.better
    for n, chance in found.chances.items():
        ratio = abs(pair.difference) / pair.standard_error * np.sqrt(n / 80)
        # SciPy's noncentral t has eight digits in its older versions, of which this is one way.
        assert chance == pytest.approx(nct.sf(t.ppf(0.975, n - 1), n - 1, ratio), abs=1e-7)
    # The smallest number is found, and one fewer is not enough.
    needed = palio.power(items, a="a", b="c", correction=None).needed
    assert needed is not None
    around = palio.power(items, a="c", b="a", correction=None, n_items=[needed - 1, needed]).chances
    assert around[needed - 1] < 0.8 <= around[needed]


def test_items_by_a_difference_and_a_correction() -> None:
    items = items_of(datasets=4)
    found = palio.power(items, difference=0.05)
    best = sorted(items.to_scores().mean_scores().items(), key=lambda each: -each[1])[:2]
    assert (found.a, found.b) == (best[0][0], best[1][0])
    assert (found.to_dict()["over"], found.to_dict()["n_datasets"]) == ("items", 4)
    assert found.needed > palio.power(items, difference=0.1).needed  # type: ignore[operator]
    assert found.needed > palio.power(items, difference=0.05, correction=None).needed  # type: ignore[operator]
    assert f"{found.needed} items of these 4 data sets are enough" in str(found)


def test_power_over_items_or_data_sets() -> None:
    table = items_of(datasets=4).to_scores()
    assert "n_items" in palio.power(table).to_dict()["curve"][0]
    for how in ({"over": "datasets"}, {"n_datasets": [5]}, {"each": {"items": 9}}):
        found = palio.power(table, a="a", b="c", trials=5, **how)
        assert "n_datasets" in found.to_dict()["curve"][0]
    with pytest.raises(ParameterError, match="is known of 'item-t'"):
        palio.power(table, over="items", test="mcnemar")
    with pytest.raises(DesignError, match="must vary"):
        palio.power(ItemScores.from_arrays([[1, 0]] * 9, algorithms="ab", measure="accuracy"))
    with pytest.raises(ParameterError, match="over items"):
        palio.power(table, over="datasets", n_items=[9])
    with pytest.raises(InputError, match="give over='items'"):
        palio.power(items_of().to_scores(), over="datasets")


def test_without_names_it_is_about_the_two_best() -> None:
    found = palio.power({"x": 0.0, "y": 3.0, "z": 1.0}, n_datasets=[10], trials=5)
    assert (found.a, found.b) == ("y", "z")
    assert found.notes[0] == "y and z have the best means"
    one = palio.power({"x": 0.0, "y": 3.0, "z": 1.0}, a="y", n_datasets=[10], trials=5)
    assert (one.a, one.b) == ("y", "z")


def test_the_two_best_have_met() -> None:
    scores = items_of().as_floats()
    scores[:40, 2] = np.nan
    scores[40:, 1] = np.nan
    items = ItemScores.from_arrays(scores, algorithms="abc", measure="accuracy")
    found = palio.power(items, difference=0.1)
    assert "a" in (found.a, found.b)
    assert palio.power(items, a="b", difference=0.1).b == "a"
