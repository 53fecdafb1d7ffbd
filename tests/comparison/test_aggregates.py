"""Aggregates with names on: what is aggregated, on which scale, and what is drawn anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import palio
from palio.errors import DesignError, MissingCellsError, PalioError, ParameterError
from palio.measures import Measure
from palio.scores import ScoreTable

RNG = np.random.default_rng(5)
SCORES = RNG.uniform(0.5, 0.9, (12, 4)) + np.array([0.0, 0.03, 0.05, 0.09])


def table(scores: Any = SCORES, measure: Any = "accuracy", **more: Any) -> ScoreTable:
    array = np.asarray(scores)
    return ScoreTable.from_arrays(
        array,
        datasets=[f"d{i}" for i in range(len(array))],
        algorithms=list("abcdefgh")[: array.shape[1]],
        measure=measure,
        **more,
    )


def test_lower_is_better_mirrors_it() -> None:
    assert palio.aggregate(table()).target == 1.0
    assert palio.aggregate(table(1 - SCORES, "error")).target == 0.0
    up = palio.aggregate(table(), target=0.8)
    down = palio.aggregate(table(1 - SCORES, "error"), target=0.2)
    assert up.order == down.order
    for a, b in zip(up.aggregates, down.aggregates, strict=True):
        for name in ("iqm", "median", "mean"):
            one, other = getattr(a, name), getattr(b, name)
            assert other.value == pytest.approx(1 - one.value, abs=1e-6)
            assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low), abs=1e-6)
        assert a.gap == pytest.approx(b.gap, abs=1e-6)
    for pair, same in zip(up.pairs, down.pairs, strict=True):
        assert pair[2:] == pytest.approx(same[2:], abs=1e-7)
    assert "lowest interquartile mean" in down.sentences[0]
    assert down.profiles.thresholds[0] > down.profiles.thresholds[-1]


def test_data_sets_are_drawn_for_all_at_once() -> None:
    scores = np.column_stack([SCORES[:, 0], SCORES[:, 0] - 0.1])
    behind = palio.aggregate(table(scores)).of("b").behind
    assert behind == pytest.approx((0.1, 0.1, 0.1), abs=1e-6)


def test_percent_has_another_target() -> None:
    assert palio.aggregate(table(100 * SCORES.clip(max=1))).target == 100.0
    assert palio.aggregate(table(measure=Measure("reward", higher_is_better=True))).target is None


def test_min_max_is_undone_by_nothing_but_the_pool() -> None:
    found = palio.aggregate(table(), normalise="min-max")
    scale, shift = RNG.uniform(1, 9, (12, 1)), RNG.normal(size=(12, 1))
    other = table(SCORES * scale + shift, Measure("reward", higher_is_better=True))
    same = palio.aggregate(other, normalise="min-max")
    np.testing.assert_allclose(found.draws.iqm[:, 0], same.draws.iqm[:, 0], atol=1e-12)
    assert found.sample.runs.min() == 0.0
    assert found.sample.runs.max() == 1.0


def test_places_that_hang_on_the_pool_are_found() -> None:
    # Without c, who is hopeless on the first two, b's lead there counts for more than a's later.
    scores = [[0.80, 0.82, 0.0], [0.80, 0.82, 0.0], [0.9, 0.6, 0.85]]
    found = palio.aggregate(table(scores), normalise="min-max")
    assert found.order[:2] == ("a", "b")
    assert found.swaps is not None
    swap = next(each for each in found.swaps if each.aggregate == "mean")
    assert swap == ("mean", "a", "b", ("c",))
    # By hand: without c, a is 0, 0, 1 and b is 1, 1, 0.
    pair = palio.aggregate(table(np.array(scores)[:, :2]), normalise="min-max")
    assert pair.of("a").mean.value == pytest.approx(1 / 3)
    assert pair.order == ("b", "a")
    assert palio.aggregate(table(scores)).swaps is None
    assert "not without c" in str(found)


def test_swaps_are_those_of_pools_asked_one_by_one() -> None:
    scores = np.random.default_rng(8).uniform(size=(9, 6))
    whole = palio.aggregate(table(scores), normalise="min-max")
    assert whole.swaps
    said = {(each.first, each.second): set(each.without) for each in whole.swaps
            if each.aggregate == "iqm"}  # fmt: skip
    asked: dict[tuple[str, str], set[str]] = {}
    for one in "abcdef":
        left = [name for name in "abcdef" if name != one]
        order = palio.aggregate(table(scores).select(algorithms=left), normalise="min-max").order
        for first, second in zip(whole.order, whole.order[1:], strict=False):
            if one not in (first, second) and order.index(second) < order.index(first):
                asked.setdefault((first, second), set()).add(one)
    assert said == asked


def test_data_sets_without_a_range_are_left_out() -> None:
    scores = SCORES.copy()
    scores[3] = 0.7
    found = palio.aggregate(table(scores), normalise="min-max")
    assert found.n_datasets == 11
    assert "d3" not in found.datasets
    assert any("both ends are the same: 'd3'" in note for note in found.notes)
    with pytest.raises(PalioError, match="the same on every data set"):
        palio.aggregate(table(np.full((4, 3), 0.5)), normalise="min-max")


@pytest.mark.parametrize("how", ["human=d,random=0.25", {"human": "d", "random": 0.25}])
def test_anchors_are_one_and_zero(how: Any) -> None:
    found = palio.aggregate(table(), normalise=how)
    human, a = SCORES[:, 3], SCORES[:, 0]
    np.testing.assert_allclose(found.sample.runs[:, 0, 0], (a - 0.25) / (human - 0.25))
    assert "d" not in found.algorithms  # 1 by definition, it competes with nobody
    assert any("d is an end of the scale" in note for note in found.notes)
    assert found.target == 1.0
    assert found.normalised == "1 is human (d), 0 is random (0.25)"


def test_anchors_may_have_fewer_runs_than_those_who_compete() -> None:
    rows = [
        {"game": f"g{i}", "agent": agent, "seed": seed, "score": value + seed / 10 + i}
        for i in range(4)
        for agent, value, seeds in (("human", 9, 1), ("random", 0, 1), ("x", 3, 3), ("y", 5, 3))
        for seed in range(seeds)
    ]
    found = palio.aggregate(
        palio.read_scores({k: [row[k] for row in rows] for k in rows[0]}, higher_is_better=True),
        normalise="human=human,random=random",
    )
    assert (found.algorithms, found.over) == (("x", "y"), "runs")
    np.testing.assert_allclose(found.sample.runs[0, 0], np.array([3, 3.1, 3.2]) / 9)
    assert any("human and random are the ends of the scale" in note for note in found.notes)
    # With one other left, they are whom it is compared with.
    two = palio.aggregate(table().select(algorithms=["a", "d"]), normalise="top=d,low=0")
    assert two.algorithms == ("a", "d")


def test_anchors_of_errors_are_the_other_way_round() -> None:
    found = palio.aggregate(table(1 - SCORES, "error"), normalise="top=0,bottom=1")
    np.testing.assert_allclose(found.sample.runs[..., 0], SCORES)


def test_anchors_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"random must be better than human.*on 12 data sets"):
        palio.aggregate(table(), normalise="random=0.1,human=d")
    with pytest.raises(PalioError, match="'z' is not known"):
        palio.aggregate(table(), normalise="human=z,random=0")
    for wrong in ("human=d", {"human": "d"}, {"x": 1, "y": 0, "z": 2}):
        with pytest.raises(ParameterError, match="two anchors are needed"):
            palio.aggregate(table(), normalise=wrong)
    with pytest.raises(PalioError, match="min-max"):
        palio.aggregate(table(), normalise="minimax")


def test_ratios_are_in_units_of_the_data_sets() -> None:
    times = np.exp(10 * SCORES)
    found = palio.aggregate(table(times, "runtime"))
    units = np.median(times, axis=1)
    geometric = np.exp(np.log(times[:, 3] / units).mean())
    assert found.of("d").mean.value == pytest.approx(geometric, rel=1e-6)
    assert not found.higher_is_better
    assert "lowest interquartile mean" in found.sentences[0]
    assert "in units of the data sets' medians" in found.normalised


def test_a_baseline_is_a_difference_or_a_ratio() -> None:
    found = palio.aggregate(table(), normalise="baseline=a")
    assert found.of("a").mean.value == 0.0
    assert found.of("d").mean.value == pytest.approx((SCORES[:, 3] - SCORES[:, 0]).mean(), abs=1e-6)
    times = np.exp(10 * SCORES)
    ratio = palio.aggregate(table(times, "runtime"), normalise="baseline=a")
    geometric = np.exp(np.log(times[:, 0] / times[:, 3]).mean())
    assert ratio.of("d").mean.value == pytest.approx(geometric, rel=1e-6)
    assert ratio.of("a").mean == (1.0, 1.0, 1.0)
    assert ratio.order[0] == "a"  # d takes the longest
    behind = ratio.of("d").behind
    assert behind is not None
    assert behind.value > 1
    # What takes no time at all has no ratio, and its data set is left out.
    assert palio.aggregate(table(times - times.min(), "runtime")).n_datasets == 11


def mixed() -> ScoreTable:
    rows = [
        {"dataset": f"d{i}", "algorithm": name, "metric": metric, "value": value}
        for i in range(8)
        for name, skill in (("a", 0.6), ("b", 0.7), ("c", 0.8))
        for metric, value in [("auc", skill + i / 100) if i < 4 else ("rmse", 50 - 40 * skill + i)]
    ]
    return palio.read_scores(pd.DataFrame(rows))


def test_a_measure_that_differs_is_refused_until_it_is_normalised() -> None:
    with pytest.raises(ParameterError, match="no unit in common and no mean") as caught:
        palio.aggregate(mixed())
    assert "normalise='min-max'" in str(caught.value)
    with pytest.raises(ParameterError, match="a number has one unit"):
        palio.aggregate(mixed(), normalise="top=c,bottom=0")
    with pytest.raises(ParameterError, match="have no unit"):
        palio.aggregate(mixed(), normalise="baseline=a")
    found = palio.aggregate(mixed(), normalise="top=c,bottom=a")
    assert found.order == ("c", "b", "a")
    assert found.of("b").iqm.value == pytest.approx(0.5)
    assert palio.aggregate(mixed(), normalise="min-max").order == ("c", "b", "a")
    assert not any("no mean of scores" in note for note in found.notes)


def test_aggregates_are_on_the_data_sets_that_all_have() -> None:
    scores = SCORES.copy()
    scores[2, 1] = scores[7, 3] = np.nan
    found = palio.aggregate(table(scores))
    whole = palio.aggregate(table(np.delete(SCORES, [2, 7], axis=0)))
    assert found.n_datasets == 10
    assert found.among == (4, 12)
    np.testing.assert_array_equal(found.draws.iqm[:, 0], whole.draws.iqm[:, 0])
    assert "10 of 12 data sets where all of these have a score" in str(found)


def test_where_none_is_complete_the_largest_part_answers() -> None:
    scores = np.vstack([SCORES, SCORES])
    scores[:12, 3] = scores[12:, 0] = np.nan  # a and d never meet
    scores[20:, 1] = np.nan
    found = palio.aggregate(table(scores))
    # c has 24, b 20 of them; a has 12, all of which b and c have, and d 12, of which 8.
    assert found.algorithms == ("b", "c")
    assert found.n_datasets == 20
    assert "left out: a, d" in found.notes[0]
    assert "2 of 4 algorithms on 20 of 24 data sets" in str(found)
    scores = np.full((4, 4), np.nan)
    scores[range(4), range(4)] = 0.5
    with pytest.raises(MissingCellsError, match="two algorithms with scores on the same two"):
        palio.aggregate(table(scores))


def frame(seeds: int = 3, folds: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        [
            {"dataset": f"d{d}", "algorithm": name, "fold": fold, "seed": seed,
             "accuracy": 0.5 + d / 50 + skill + 0.1 * rng.random()}
            for d in range(6)
            for name, skill in (("a", 0.0), ("b", 0.1))
            for fold in range(folds)
            for seed in range(seeds)
        ]
    )  # fmt: skip


def test_seeds_are_drawn_within_data_sets_and_folds_are_not() -> None:
    data = frame()
    found = palio.aggregate(data)
    assert (found.over, found.n_runs) == ("runs", (3, 3))
    runs = data.groupby(["dataset", "algorithm", "seed"], sort=False)["accuracy"].mean()
    assert found.sample.runs[1, 1, 2] == pytest.approx(runs["d1", "b", 2])
    assert palio.aggregate(data, over="datasets").n_runs == (1, 1)
    folds = palio.aggregate(frame(seeds=1).drop(columns="seed"))
    assert (folds.over, folds.n_runs) == ("datasets", (1, 1))
    with pytest.raises(DesignError, match="there is one of each"):
        palio.aggregate(frame(seeds=1).drop(columns="seed"), over="runs")


def test_a_seed_for_each_fold_is_no_run() -> None:
    one, own = frame(seeds=1), frame(seeds=2)
    one["seed"] = one["fold"]
    own["seed"] = own["seed"] + 10 * own["fold"]  # each fold has seeds of its own
    assert palio.read_scores(own).n_seeds == 4
    for data in (one, own):
        assert palio.aggregate(data).over == "datasets"


def test_repeats_are_runs_only_where_that_is_said() -> None:
    array = np.random.default_rng(1).uniform(0.5, 0.9, (5, 2, 4, 2))
    assert palio.aggregate(table(array)).over == "datasets"
    found = palio.aggregate(table(array), over="runs")
    np.testing.assert_allclose(found.sample.runs, array.mean(axis=-1))
    assert "repeats, taken as independent" in found.notes[0]


def test_of_few_units_the_intervals_are_said_to_be_too_narrow() -> None:
    for found, what in (
        (palio.aggregate(frame(2)), "warning: intervals of 2 runs"),
        (palio.aggregate(frame(4)), "intervals of 4 runs are too narrow: simulated with 3"),
        (palio.aggregate(table()), "intervals of 12 data sets are too narrow: simulated with 10"),
        (palio.aggregate(table(SCORES[:3])), "warning: intervals of 3 data sets"),
    ):
        assert any(note.startswith(what) for note in found.notes)
    many = (palio.aggregate(frame(10)), palio.aggregate(table(np.tile(SCORES, (2, 1)))))
    assert not any("too narrow" in note for found in many for note in found.notes)


def test_more_seeds_make_narrower_intervals_and_more_data_sets_do_not_matter_to_them() -> None:
    few, many = (palio.aggregate(frame(seeds)).of("a").iqm for seeds in (3, 48))
    assert (many.high - many.low) < 0.5 * (few.high - few.low)


def times(missing: str) -> ScoreTable:
    """Return run times of which b did not end on half of the instances, and nobody on the last."""
    rows = [
        {"instance": f"i{i:02}", "solver": name, "runtime": t, "status": status}
        for i in range(9)
        for name, t, status in (
            ("a", 10.0, "timeout" if i == 8 else "ok"),
            ("b", 5.0, "ok" if i < 4 else "timeout"),
            ("c", 20.0 if i else 10.0, "timeout" if i == 8 else "ok"),
        )
    ]
    return palio.read_scores(
        pd.DataFrame(rows), dataset="instance", algorithm="solver", score="runtime",
        missing=missing, keep_failing=True,
    )  # fmt: skip


@pytest.mark.parametrize("missing", ["par10=50", "par10", "worst"])
def test_who_did_not_end_never_arrives_in_the_profile(missing: str) -> None:
    found = palio.aggregate(times(missing))
    profiles = found.profiles
    assert profiles.of == "ratios"
    assert profiles.thresholds[0] == 1.0
    shares = {name: curve.share for name, curve in profiles.curves.items()}
    # By hand, of the eight that somebody solved: b is first on 4, a on the other 4, c on none.
    assert (shares["a"][0], shares["b"][0], shares["c"][0]) == (0.5, 0.5, 0.0)
    # The largest ratio is 4; a and c get everywhere they ended, b never beyond the half.
    assert profiles.thresholds[-1] == pytest.approx(4.0)
    assert (shares["a"][-1], shares["b"][-1], shares["c"][-1]) == (1.0, 0.5, 1.0)


def test_a_run_that_par10_made_up_never_arrives_either() -> None:
    rows = [
        {"instance": f"i{i}", "solver": name, "runtime": t}
        for i in range(6)
        for name, t in (("a", 10.0), ("b", 5.0))
        if name == "a" or i < 3
    ]
    scores = palio.read_scores(
        pd.DataFrame(rows), dataset="instance", algorithm="solver", score="runtime",
        missing="par10",
    )  # fmt: skip
    shares = {name: curve.share for name, curve in palio.aggregate(scores).profiles.curves.items()}
    assert (shares["b"][0], shares["b"][-1]) == (0.5, 0.5)


def test_par10_counts_in_the_aggregates_too() -> None:
    found = palio.aggregate(times("par10=50"), scale="difference")
    assert found.of("b").mean.value == pytest.approx((4 * 5 + 5 * 500) / 9)
    assert not found.higher_is_better
    assert found.failed == 0
    with pytest.raises(ParameterError, match="some runs did not end; give missing='par10'"):
        palio.aggregate(times("pairwise"))


def test_failures_of_what_is_no_time_are_counted() -> None:
    frame = times("par10=50").to_frame().rename(columns={"runtime": "rmse"})
    found = palio.aggregate(frame.drop(columns="imputed"), score="rmse", keep_failing=True)
    assert (found.n_datasets, found.failed) == (4, 5)
    assert found.sentences[-1].startswith("On 5 data sets left out one of them failed")


def test_the_same_seed_gives_the_same_numbers() -> None:
    one, same, other = (palio.aggregate(table(), seed=seed).to_dict() for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_names_and_order_do_not_matter() -> None:
    whole = palio.aggregate(table(), normalise="min-max")
    turned = table().select(
        datasets=[f"d{i}" for i in reversed(range(12))], algorithms=list("dcba")
    )
    found = palio.aggregate(turned, normalise="min-max")
    assert found.order == whole.order
    for name in "abcd":
        assert found.of(name).iqm.value == pytest.approx(whole.of(name).iqm.value, abs=1e-6)


def test_level_and_draws_are_kept() -> None:
    wide, narrow = (palio.aggregate(table(), level=level).of("a").iqm for level in (0.99, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high
    assert palio.aggregate(table(), n_resamples=7).draws.iqm.shape == (4, 1 + 7)
    for wrong in ({"level": 1.0}, {"n_resamples": 0}, {"over": "folds"}):
        with pytest.raises(ParameterError):
            palio.aggregate(table(), **wrong)


def test_of_many_algorithms_the_pairs_that_matter_are_asked() -> None:
    scores = np.random.default_rng(0).uniform(size=(10, 40))
    many = ScoreTable.from_arrays(
        scores, datasets=[f"d{i}" for i in range(10)], algorithms=[f"m{i}" for i in range(40)],
        measure="accuracy",
    )  # fmt: skip
    found = palio.aggregate(many, n_resamples=20)
    assert len(found.pairs) == 75
    assert {found.order[0], found.order[9]} <= {pair.b for pair in found.pairs} | {found.order[0]}
    assert "and 35 more: --top N" in str(found.top(5))
