"""What scores vary by, with names on: what can be told, what cannot, and what would help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import palio
from palio.errors import DesignError, InputError, ParameterError, UnknownNameError
from palio.measures import Measure
from palio.scores import ItemScores, ScoreTable
from palio.types import FloatArray, IntArray


def folds(n: int = 12, k: int = 3, repeats: int = 2, of: int = 5, seed: int = 0) -> FloatArray:
    """Draw scores: (data sets, algorithms, repeats, folds)."""
    rng = np.random.default_rng(seed)
    shapes = ((n, 1, 1, 1), (n, k, 1, 1), (n, 1, repeats, of), (n, k, repeats, of))
    drawn = sum(s * rng.normal(size=e) for s, e in zip((9, 3, 2, 1), shapes, strict=True))
    return np.asarray(70 + np.arange(k)[:, None, None] + drawn)


def table_of(scores: FloatArray, measure: str = "accuracy", **more: Any) -> ScoreTable:
    n, k = scores.shape[:2]
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{i}" for i in range(k)],
        measure=measure,
        **more,
    )


def shares(found: palio.Variance) -> dict[str, float]:
    return {part.name: part.share for part in found.components}


FOLDS = table_of(folds())
SPLIT = ["algorithm", "data set", "algorithm × data set", "split", "algorithm × split"]


def test_the_parts_of_a_table_of_folds() -> None:
    found = palio.variance(FOLDS)
    assert list(shares(found)) == SPLIT
    assert sum(shares(found).values()) == pytest.approx(1)
    assert found.method == "mean squares"
    assert found.model == "accuracy = " + " + ".join(SPLIT)
    assert found.numbers == (12, 10, 1)
    assert found.components[4].standard_deviation == pytest.approx(1, rel=0.15)
    assert all(part.interval[0] <= part.variance <= part.interval[1] for part in found.components)
    assert found.over_datasets is not None
    assert found.on_these is not None
    # By the mean square of algorithm × data set: what a paired t-test of two would average.
    means = FOLDS.means()
    pairs = [(0, 1), (0, 2), (1, 2)]
    variances = [(means[:, a] - means[:, b]).var(ddof=1) / 12 for a, b in pairs]
    assert found.over_datasets.value == pytest.approx(np.sqrt(np.mean(variances)))


def test_turning_the_scores_changes_nothing() -> None:
    error = palio.variance(table_of(100 - folds(), "error"))
    found = palio.variance(FOLDS)
    assert shares(error) == pytest.approx(shares(found))
    assert error.over_datasets is not None
    assert found.over_datasets is not None
    assert error.over_datasets.value == pytest.approx(found.over_datasets.value)


def test_folds_share_training_data() -> None:
    """On these data sets 1/(k−1) of algorithm × split lasts, however many repeats there are."""
    found = palio.variance(FOLDS)
    part = found.components[4].variance
    assert found.on_these is not None
    assert found.on_these.value == pytest.approx(np.sqrt(2 * part * (1 / 10 + 1 / 4) / 12))
    assert "more splits do not average out what they share, which is part of" in " ".join(
        found.notes
    )
    once = palio.variance(FOLDS, test_fraction=0.5)
    assert once.on_these is not None
    assert once.on_these.value == pytest.approx(np.sqrt(2 * part * (1 / 10 + 1) / 12))
    with pytest.raises(ParameterError, match="test_fraction"):
        palio.variance(FOLDS, test_fraction=1.0)


def test_hold_outs_do_not_tell_what_they_share() -> None:
    table = table_of(folds(repeats=8, of=1))
    found = palio.variance(table)
    assert found.on_these is None
    assert any("test_fraction" in note for note in found.notes)
    assert palio.variance(table, test_fraction=0.3).on_these is not None


def test_holes() -> None:
    scores = folds()
    scores[1, 2, 0, 3] = scores[4, 0] = np.nan
    found = palio.variance(table_of(scores, missing="pairwise"))
    assert found.method == "REML"
    whole = palio.variance(FOLDS)
    assert shares(found) == pytest.approx(shares(whole), abs=0.05)
    assert found.over_datasets is not None
    assert whole.over_datasets is not None
    assert found.over_datasets.value == pytest.approx(whole.over_datasets.value, rel=0.1)


def test_missing_data_sets_make_a_difference_less_sure() -> None:
    """An algorithm on half of the data sets: its mean is of half as many, if not quite."""
    scores = folds(n=40, k=2).mean(axis=(2, 3))
    whole = palio.variance(table_of(scores)).over_datasets
    scores[::2, 0] = np.nan
    half = palio.variance(table_of(scores, missing="pairwise")).over_datasets
    assert whole is not None
    assert half is not None
    assert 1.2 < half.value / whole.value < 1.6


def test_one_value_per_data_set() -> None:
    found = palio.variance(table_of(folds().mean(axis=(2, 3))))
    assert list(shares(found)) == SPLIT[:3]
    assert found.on_these is None
    assert [way.what for way in found.ways] == ["data sets"]
    assert "splits, seeds and items cannot be told" in " ".join(found.notes)
    assert "split, seed, items" in found.components[2].says


def test_one_data_set() -> None:
    found = palio.variance(table_of(folds(n=1)))
    assert list(shares(found)) == ["algorithm", "split", "algorithm × split"]
    assert found.over_datasets is None
    assert found.on_these is not None
    assert [way.what for way in found.ways] == ["splits per data set"]
    assert found.ways[0].needed is None  # what folds share is more than half
    assert "nothing here is about other data sets" in " ".join(found.notes)
    assert found.advice[0].startswith("This data set, other splits drawn: ")


def test_one_value_per_algorithm_tells_nothing() -> None:
    with pytest.raises(DesignError, match="one value per algorithm"):
        palio.variance(table_of(folds(n=1)[:, :, :1, :1]))


def test_algorithms_that_share_no_split() -> None:
    scores = folds(n=6, k=2, repeats=1, of=8)
    scores[:, 0, :, :4] = scores[:, 1, :, 4:] = np.nan
    found = palio.variance(table_of(scores, missing="pairwise"))
    assert list(shares(found)) == [*SPLIT[:3], "split or seed"]
    assert "share no splits" in " ".join(found.notes)


def test_a_negative_estimate_is_zero_and_said() -> None:
    scores = np.array([[1.0, 3.0], [3.0, 1.0], [0.5, 3.5], [3.5, 0.5]])
    found = palio.variance(table_of(scores))
    assert found.components[1].at_zero
    assert found.components[1].variance == 0
    assert "The estimate for data set is -" in " ".join(found.notes)
    assert "shown as 0" in " ".join(found.notes)


# --- scales --------------------------------------------------------------------------------------


def test_what_has_a_unit_is_compared_by_ratios() -> None:
    scores = np.exp(folds() / 50)
    found = palio.variance(table_of(scores, "rmse"))
    assert found.unit_of_scores == "log rmse"
    plain = palio.variance(table_of(np.log(scores), "error"))
    assert found.standard_error is not None
    assert plain.standard_error is not None
    assert found.standard_error.value == pytest.approx(plain.standard_error.value)
    assert palio.variance(table_of(scores, "rmse"), scale="difference").unit_of_scores == "rmse"
    scores[0, 0, 0, 0] = 0.0  # it has no logarithm, and is left out
    found = palio.variance(table_of(scores, "rmse"))
    assert (found.unit_of_scores, found.method) == ("log rmse", "REML")
    with pytest.raises(ParameterError, match="scale"):
        palio.variance(FOLDS, scale="log")


def test_an_unknown_measure_is_taken_as_it_is_and_said() -> None:
    quality = Measure("quality", higher_is_better=True)
    table = ScoreTable.from_arrays(
        folds(), datasets=FOLDS.datasets, algorithms=FOLDS.algorithms, measure=quality
    )
    assert "compared by differences" in " ".join(palio.variance(table).notes)


def test_measures_that_differ_are_refused() -> None:
    rows = [
        {"dataset": d, "algorithm": a, "value": v, "metric": m}
        for d, m in (("x", "auc"), ("y", "auc"), ("z", "rmse"))
        for a, v in (("a", 0.5), ("b", 0.7))
    ]
    import pandas as pd

    with pytest.raises(ParameterError, match="only who is better counts"):
        palio.variance(pd.DataFrame(rows))


# --- what would help -----------------------------------------------------------------------------


def test_four_times_the_data_sets_halve_it() -> None:
    found = palio.variance(FOLDS)
    ways = {way.what: way for way in found.ways}
    assert ways["data sets"].needed == 48
    assert ways["data sets"].scores == 36 * 10 * 3
    assert ways["splits per data set"].needed is None
    assert found.over_datasets is not None
    assert ways["splits per data set"].limit > found.over_datasets.value / 2
    few = ways["further data sets with 1 split each"]
    assert found.cheapest == few
    assert few.needed is not None
    assert few.needed > 36
    assert few.scores == few.needed * 3
    assert "The cheapest: " in " ".join(found.advice)


def test_the_cheapest_way_depends_on_the_price_of_a_data_set() -> None:
    costs = {"time": np.tile([1.0, 2.0, 3.0], (12, 1))}
    table = table_of(folds(), costs=costs)
    free = palio.variance(table, cost="time").cheapest
    assert free is not None
    assert free.scores is not None
    assert free.cost == pytest.approx(2.0 * free.scores)
    dear = palio.variance(table, cost="time", dataset_cost=1e6).cheapest
    assert dear is not None
    assert dear.what == "data sets"
    assert dear.cost == pytest.approx(36 * 1e6 + 36 * 30 * 2.0)
    between = palio.variance(table, cost="time", dataset_cost=100.0).cheapest
    assert between is not None
    assert between.what not in ("data sets", free.what)
    with pytest.raises(UnknownNameError, match="cost"):
        palio.variance(table, cost="tme")
    with pytest.raises(ParameterError, match="dataset_cost"):
        palio.variance(table, dataset_cost=-1.0)


def test_curves_begin_at_what_it_is_and_halve_with_four_times_the_data_sets() -> None:
    found = palio.variance(FOLDS)
    assert found.over_datasets is not None
    by_name = {curve.what: curve for curve in found.curves}
    assert set(by_name) == {"data sets", "splits"}
    for curve in found.curves:
        assert curve.multiples[0] == 1
        assert curve.standard_errors[0] == pytest.approx(found.over_datasets.value)
        assert list(curve.standard_errors) == sorted(curve.standard_errors, reverse=True)
    at_four = by_name["data sets"].multiples.index(pytest.approx(4))
    half = found.over_datasets.value / 2
    assert by_name["data sets"].standard_errors[at_four] == pytest.approx(half)


# --- items ---------------------------------------------------------------------------------------


def items_of(n: int = 3, u: int = 40, k: int = 3, r: int = 1, **more: Any) -> ItemScores:
    rng = np.random.default_rng(4)
    ease = rng.normal(size=(n * u, 1, 1)) + np.arange(k)[:, None] / 2
    scores = (ease + rng.normal(size=(n * u, k, r)) > 0).astype(float)
    return ItemScores.from_arrays(
        scores if r > 1 else scores[..., 0],
        algorithms=[f"m{i}" for i in range(k)],
        measure="accuracy",
        dataset=np.repeat([f"task{i}" for i in range(n)], u).tolist(),
        **more,
    )


def test_items() -> None:
    items = items_of()
    found = palio.variance(items)
    assert list(shares(found))[3:] == ["item", "algorithm × item"]
    assert found.numbers == (3, 40, 1)
    # Items of the same data sets are independent of each other: the paired standard error.
    block = items.goodness().reshape(3, 40, 3)
    pairs = [(0, 1), (0, 2), (1, 2)]
    within = [(block[..., a] - block[..., b]).var(axis=1, ddof=1).sum() / 40 / 9 for a, b in pairs]
    assert found.on_these is not None
    assert found.on_these.value == pytest.approx(np.sqrt(np.mean(within)))
    assert palio.variance(items.to_scores()).to_dict() == found.to_dict()


def test_repeats_of_items() -> None:
    found = palio.variance(items_of(r=5))
    assert list(shares(found))[3:] == ["item", "algorithm × item", "repeat"]
    assert [way.what for way in found.ways][-1] == "repeats per item"


def test_clusters_of_items_are_the_units() -> None:
    found = palio.variance(items_of(cluster=(np.arange(120) // 4).tolist()))
    assert list(shares(found))[3:] == ["cluster", "algorithm × cluster"]
    assert found.numbers.units == 10
    assert "30 clusters" in " ".join(found.notes)


UNEQUAL = np.repeat(np.arange(30), np.tile([1, 3, 5, 2, 9, 4, 6, 2, 3, 5], 3))


def _errors(difference: FloatArray, cluster: IntArray) -> tuple[float, float]:
    """Return the standard error of the mean over three data sets of 40 items, two ways."""
    robust = reduced = 0.0
    for part in np.split(np.arange(120), 3):
        w = np.full(part.size, 1 / part.size)
        rest = w * (difference[part] - w @ difference[part])
        own = [cluster[part] == label for label in np.unique(cluster[part])]
        squares = np.array([rest[each].sum() ** 2 for each in own])
        shares = np.array([w[each].sum() for each in own])
        robust += squares.sum() * len(own) / (len(own) - 1) / 9
        reduced += (squares / (1 - shares)).sum() / 9
    return np.sqrt(robust), np.sqrt(reduced)


@pytest.mark.parametrize("r", [1, 3])
def test_units_of_unequal_size_have_the_standard_error_of_a_comparison(r: int) -> None:
    rng = np.random.default_rng(6)
    scores = rng.normal(size=(120, 2, 1)) + rng.normal(size=(120, 2, r))
    items = ItemScores.from_arrays(
        scores if r > 1 else scores[..., 0],
        algorithms=["a", "b"],
        measure=Measure("gain", higher_is_better=True),
        dataset=np.repeat(["u", "v", "w"], 40).tolist(),
        cluster=UNEQUAL.tolist(),
    )
    found = palio.variance(items)
    compared = palio.compare(items, over="items").pairs[0]
    robust, reduced = _errors(scores.mean(axis=2) @ [1, -1], UNEQUAL)
    assert found.on_these is not None
    assert found.on_these.value == pytest.approx(robust)
    # A comparison corrects each cluster by its own weight, not all by U / (U − 1).
    assert compared.standard_error == pytest.approx(reduced)
    assert robust == pytest.approx(reduced, rel=0.04)
    assert list(found.means.values()) == pytest.approx(items.means().mean(axis=0).tolist())


def test_items_that_are_missing() -> None:
    scores = items_of().as_floats()
    scores[::17, 1] = np.nan
    scores[100:] = np.nan
    made = ItemScores.from_arrays(
        scores[:100], algorithms=["a", "b", "c"], measure="accuracy",
        dataset=np.repeat(["x", "y"], [60, 40]).tolist(),
    )  # fmt: skip
    found = palio.variance(made)
    assert found.method == "REML"
    assert found.numbers.units == pytest.approx(48)  # the harmonic mean of 60 and 40


def test_what_is_drawn_anew() -> None:
    items = items_of()
    found = palio.variance(items)
    assert found.over == "items"
    assert found.standard_error == found.on_these
    assert "data sets" not in {way.what for way in found.ways}
    assert found.advice[0].startswith("These data sets, other items drawn: ")
    other = palio.variance(items, over="datasets")
    assert other.over == "datasets"
    assert other.standard_error == other.over_datasets
    assert "With these data sets, other items drawn, it is" in other.advice[1]
    assert palio.variance(items_of(n=6)).over == "datasets"
    assert palio.variance(FOLDS).over == "datasets"
    for table, over, why in (
        (FOLDS, "items", "this table has none"),
        (items_of(n=1), "datasets", "is seen on several"),
        (FOLDS, "folds", "items or datasets"),
    ):
        with pytest.raises(InputError, match=why):
            palio.variance(table, over=over)  # type: ignore[arg-type]


# --- seeds ----------------------------------------------------------------------------------------


def seeds_of(scores: FloatArray) -> Any:
    """Return rows of data sets × algorithms × folds × seeds."""
    import pandas as pd

    names = ("dataset", "algorithm", "fold", "seed")
    places = dict(zip(names, (axis.ravel() for axis in np.indices(scores.shape)), strict=True))
    return pd.DataFrame({**places, "accuracy": scores.ravel()}).astype({"dataset": str})


def test_seeds_are_told_from_splits() -> None:
    rng = np.random.default_rng(0)
    scores = folds(repeats=1)[:, :, 0, :, None] + 2 * rng.normal(size=(12, 3, 5, 4))
    found = palio.variance(seeds_of(scores))
    assert list(shares(found)) == [*SPLIT, "seed"]
    assert found.numbers == (12, 5, 4)
    assert found.components[-1].standard_deviation == pytest.approx(2, rel=0.05)
    within = scores.var(axis=3, ddof=1).mean()
    assert found.components[-1].variance == pytest.approx(within)
    assert {way.what for way in found.ways} >= {"splits per data set", "seeds per split"}
    assert not any("seed cannot be told" in note for note in found.notes)


def test_seeds_without_splits() -> None:
    scores = folds(repeats=4, of=1).transpose(0, 1, 3, 2)
    found = palio.variance(seeds_of(scores))
    assert list(shares(found)) == [*SPLIT[:3], "seed"]
    assert found.numbers == (12, 1, 4)
    assert found.on_these is not None
    assert "seeds per data set" in {way.what for way in found.ways}
    one = palio.variance(seeds_of(scores[:1]))
    assert one.over == "seeds"
    assert list(shares(one)) == ["algorithm", "seed"]


def test_seeds_with_holes() -> None:
    rng = np.random.default_rng(0)
    frame = seeds_of(folds(repeats=1)[:, :, 0, :, None] + 2 * rng.normal(size=(12, 3, 5, 4)))
    found = palio.variance(frame[rng.random(len(frame)) < 0.9])
    assert found.method == "REML"
    assert found.components[-1].standard_deviation == pytest.approx(2, rel=0.1)


def test_an_algorithm_without_scores_is_left_out_and_said() -> None:
    scores = items_of().as_floats()
    scores[:, 1] = np.nan
    scores[:40] = np.nan  # and a data set that nobody has
    made = ItemScores.from_arrays(
        scores, algorithms=["a", "b", "c"], measure="accuracy",
        dataset=np.repeat(["x", "y", "z"], 40).tolist(),
    )  # fmt: skip
    found = palio.variance(made)
    assert found.algorithms == ("a", "c")
    assert found.n_datasets == 2
    assert "Without scores that could be analysed: b." in found.notes
    scores[:, 0] = np.nan
    with pytest.raises(ParameterError, match="two algorithms with scores"):
        palio.variance(
            ItemScores.from_arrays(scores, algorithms=["a", "b", "c"], measure="accuracy")
        )


def test_algorithms_that_share_too_little() -> None:
    scores = folds(n=4, k=2)
    scores[:2, 0] = scores[2:, 1] = np.nan
    with pytest.raises(DesignError, match="from what data sets do where they share these"):
        palio.variance(table_of(scores, missing="pairwise"))
    scores = np.array([[1, np.nan], [0, np.nan], [np.nan, 1], [np.nan, 0], [1, 1]])
    made = ItemScores.from_arrays(scores, algorithms=["a", "b"], measure="accuracy")
    with pytest.raises(DesignError, match="share items"):
        palio.variance(made)
