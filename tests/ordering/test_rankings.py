"""Ranking methods: the paper's figures, tables worked by hand, and what is refused."""

import itertools
from typing import Any

import numpy as np
import pytest

import palio
from palio.errors import CellError, DesignError, InputError, MissingCellsError, ParameterError
from palio.measures import Measure
from palio.ordering import RANKINGS, Ranking
from palio.ordering.rankers import RankingOptions, weighted_median
from palio.ordering.rankings import bind_rankings
from palio.scores import ScoreTable


def table_of(scores: Any, measure: Measure | str = "accuracy", **more: Any) -> ScoreTable:
    """Algorithms a, b, c … on data sets d0, d1, …"""
    array = np.asarray(scores, dtype=float)
    return ScoreTable.from_arrays(
        array,
        datasets=[f"d{i}" for i in range(array.shape[0])],
        algorithms=list("abcdefgh"[: array.shape[1]]),
        measure=measure,
        **more,
    )


def folds_of(*means: float, wiggle: float = 0.1, folds: int = 10) -> np.ndarray:
    """One data set: (K, 1, folds), each algorithm with a wiggle of its own."""
    rng = np.random.default_rng(0)
    return np.stack([mean + wiggle * rng.normal(size=(1, folds)) for mean in means])


# --- the paper's --------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1, 100])
def test_success_rate_ratio_of_timbl_and_discrim_on_australian(scale: int) -> None:
    """brazdil2000 §2.2, errors as fractions and in per cent."""
    table = ScoreTable.from_arrays(
        scale * np.array([[0.1913, 0.1406]]),
        datasets=["australian"],
        algorithms=["timbl", "discrim"],
        measure="error",
    )
    ranking = palio.rank(table, method="success-rate-ratios")
    assert ranking.scores["timbl"] == pytest.approx(0.941, abs=5e-4)
    assert ranking.scores["timbl"] * ranking.scores["discrim"] == pytest.approx(1)
    assert ranking.order == ("discrim", "timbl")


def test_wins_are_counted_and_losses_not_subtracted() -> None:
    """b beats a and c on d0; on d1 nobody differs: pw_b = (2/2 + 0/2) / 2."""
    scores = np.stack([folds_of(0.5, 0.9, 0.5), folds_of(0.5, 0.5, 0.5, wiggle=0.0)])
    ranking = palio.rank(table_of(scores), method="significant-wins")
    assert ranking.scores == {"a": 0.0, "b": 0.5, "c": 0.0}
    assert ranking.ranks == {"a": 2.5, "b": 1.0, "c": 2.5}
    assert ranking.order == ("b", "a", "c")


# --- worked by hand -------------------------------------------------------------------------------

# Ranks by accuracy: d0 1 2 3, d1 2.5 1 2.5, d2 1 3 2.
SMALL = [[0.9, 0.8, 0.6], [0.5, 0.6, 0.5], [0.9, 0.3, 0.6]]


@pytest.mark.parametrize(
    ("method", "scores"),
    [
        ("average-ranks", {"a": 1.5, "b": 2.0, "c": 2.5}),
        ("median-ranks", {"a": 1.0, "b": 2.0, "c": 2.5}),
        ("mean-score", {"a": 2.3 / 3, "b": 1.7 / 3, "c": 1.7 / 3}),
        # a beats b 2:1 and c 2.5:0.5; b beats c 2:1.
        ("copeland", {"a": 2.0, "b": 0.0, "c": -2.0}),
        # d0: (9/8 + 9/6)/2 for a; d1: (5/6 + 1)/2; d2: (3 + 1.5)/2.
        (
            "success-rate-ratios",
            {
                "a": ((9 / 8 + 9 / 6) + (5 / 6 + 1) + (3 + 1.5)) / 6,
                "b": ((8 / 9 + 8 / 6) + (6 / 5 + 6 / 5) + (1 / 3 + 1 / 2)) / 6,
                "c": ((6 / 9 + 6 / 8) + (1 + 5 / 6) + (2 / 3 + 2)) / 6,
            },
        ),
    ],
)
def test_scores_by_hand(method: str, scores: dict[str, float]) -> None:
    ranking = palio.rank(table_of(SMALL), method=method)
    assert ranking.scores == pytest.approx(scores)
    assert ranking.order[0] == "a"


def test_ties_share_a_rank() -> None:
    ranking = palio.rank(table_of(SMALL), method="mean-score")
    assert ranking.ranks == {"a": 1.0, "b": 2.5, "c": 2.5}
    assert palio.rank(table_of([[0.5, 0.5]])).best == ("a", "b")


def test_adjusted_ratios_trade_success_for_speed() -> None:
    """a is 2 % better and a hundred times as slow: AccD decides."""
    table = table_of([[0.816, 0.8]], costs={"time": [[100.0, 1.0]]})

    def by(acc_d: float) -> Ranking:
        return palio.rank(table, method="adjusted-ratios", cost="time", acc_d=acc_d)

    assert by(0).scores["a"] == pytest.approx(1.02)
    assert by(0.1).scores == pytest.approx({"a": 1.02 / 1.2, "b": 1 / 1.02 / 0.8})
    assert (by(0.001).best, by(0.1).best) == (("a",), ("b",))


def test_a_time_of_zero_is_half_of_the_least_above_zero() -> None:
    """As in published tables, where it is what takes less than a hundredth."""
    scores = [[0.8, 0.7], [0.6, 0.7]]
    found, same = (
        palio.rank(
            table_of(scores, costs={"time": [[least, 1.0], [0.5, 1.0]]}),
            method="adjusted-ratios",
            cost="time",
        )
        for least in (0.0, 0.25)
    )
    assert found.scores == pytest.approx(same.scores)
    assert "0 counts as half of the least above 0" in found.notes[1]


def test_adjusted_ratios_are_averaged_geometrically_over_data_sets() -> None:
    """Twice as good on one, half on the other: even, as no arithmetic mean would have it."""
    table = table_of([[0.8, 0.4], [0.3, 0.6]], costs={"time": [[1.0, 1.0], [1.0, 1.0]]})
    ranking = palio.rank(table, method="adjusted-ratios", cost="time")
    assert ranking.scores == pytest.approx({"a": 1.0, "b": 1.0})
    assert ranking.best == ("a", "b")


def test_bradley_terry_of_two_is_the_log_odds() -> None:
    """Three wins to one: log 3, with data sets as units.

    The curvature of the difference is 4 · 3/4 · 1/4 = 3/4. The surplus of a is 1/4 three times and
    −3/4 once, of b the opposite; each has 3/16 given back for its strength. Along (1, −1) these add
    up to 4 · 3/4 + 2 · 3/16 = 27/8, and the variance is that over (2 · 3/4)²: 3/2.
    """
    table = table_of([[2, 1], [2, 1], [2, 1], [1, 2]], Measure("quality", higher_is_better=True))
    ranking = palio.rank(table, method="bradley-terry")
    assert ranking.scores["a"] - ranking.scores["b"] == pytest.approx(np.log(3))
    assert ranking.intervals is not None
    low, high = ranking.intervals["a"]
    # β_a is half the difference; 2.776 is of t with as many degrees of freedom as data sets.
    assert (high - low) / 2 == pytest.approx(2.7764 * np.sqrt(1.5) / 2, rel=1e-4)


def test_places_without_gaps_need_no_strengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their order is that of the average ranks, which thousands of resamples can afford."""
    table = table_of(np.random.default_rng(2).random((8, 4)))
    weights = np.random.default_rng(3).integers(0, 3, (5, 8)).astype(float)
    methods = ["average-ranks", "bradley-terry", "elo"]
    monkeypatch.setattr(
        "palio.ordering.rankers.fit_strengths",
        lambda _: pytest.fail("strengths were asked for"),
    )
    bound = bind_rankings(table, methods, RankingOptions())
    by_mean, *others = (bound.rankers[method].ranks(weights) for method in methods)
    for ranks in others:
        np.testing.assert_array_equal(ranks, by_mean)


def test_elo_ratings_are_at_rest() -> None:
    """At the ratings every player's results add up to what his ratings lead one to expect."""
    table = palio.load_study("ulas2008")
    ratings = palio.rank(table, method="elo").scores
    means = dict(zip(table.algorithms, table.means().round(9).T, strict=True))
    for name in table.algorithms:
        surplus = 0.0
        for other in set(table.algorithms) - {name}:
            expected = 1 / (1 + 10 ** ((ratings[other] - ratings[name]) / 400))
            ties = (means[name] == means[other]).sum()
            surplus += (means[name] > means[other]).sum() + ties / 2 - expected * table.n_datasets
        assert surplus == pytest.approx(0, abs=1e-5)
    assert np.mean(list(ratings.values())) == pytest.approx(1500)


def test_elo_is_bradley_terry_on_another_scale() -> None:
    table = palio.load_study("ulas2008")
    strengths, ratings = (palio.rank(table, method=name) for name in ("bradley-terry", "elo"))
    assert strengths.intervals is not None
    assert ratings.intervals is not None
    for name, strength in strengths.scores.items():
        low, high = strengths.intervals[name]
        scaled = [1500 + 400 / np.log(10) * each for each in (strength, low, high)]
        assert [ratings.scores[name], *ratings.intervals[name]] == pytest.approx(scaled)
    assert ratings.rank_sets == strengths.rank_sets
    assert ratings.unbeaten == strengths.unbeaten


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_play_does_not_matter(seed: int) -> None:
    """As arenas rate, the last games count most; here the ratings are at rest."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (15, 5)).astype(float)
    scores[rng.random(scores.shape) < 0.3] = np.nan
    measure = Measure("quality", higher_is_better=True)
    one, other = (
        palio.rank(table_of(each, measure, missing="pairwise"), method="elo", anchor="b")
        for each in (scores, scores[rng.permutation(15)])
    )
    assert one.scores == pytest.approx(other.scores, abs=1e-6)
    assert one.order == other.order
    assert one.rank_sets == other.rank_sets


def test_an_anchor_has_1500_and_nothing_to_be_unsure_of() -> None:
    table = palio.load_study("ulas2008")
    free, fixed = (palio.rank(table, method="elo", anchor=name) for name in (None, "5nn"))
    assert fixed.intervals is not None
    assert fixed.scores["5nn"] == 1500
    assert fixed.intervals["5nn"] == pytest.approx((1500, 1500))
    for name in table.algorithms:
        gap = free.scores[name] - free.scores["5nn"]
        assert fixed.scores[name] - 1500 == pytest.approx(gap, abs=1e-6)
        low, high = fixed.intervals[name]
        assert (low + high) / 2 == pytest.approx(fixed.scores[name], abs=1e-6)
    assert any("5nn is fixed at 1500" in note for note in fixed.notes)
    assert fixed.order == free.order
    with pytest.raises(InputError, match="anchor: '6nn' is not known"):
        palio.rank(table, method="elo", anchor="6nn")


def test_the_ranks_that_strengths_leave_open() -> None:
    """c is worst for certain; whether a is before b the data sets do not say."""
    scores = np.tile([[3.0, 2.0, 1.0], [2.0, 3.0, 1.0], [3, 1, 2], [1, 3, 2]], (8, 1))
    table = table_of(scores, Measure("quality", higher_is_better=True))
    ranking = palio.rank(table, method="bradley-terry")
    assert ranking.rank_sets == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}
    assert ranking.unbeaten == ("a", "b")
    assert ranking.judged is None
    assert "Nobody significantly beats a and b." in str(ranking)


@pytest.mark.parametrize("cost", ["train_time", "space"])
def test_multi2test_ranks_as_it_orders(cost: str) -> None:
    table = palio.load_study("ulas2008")
    ranking = palio.rank(table, method="multi2test", cost=cost)
    assert ranking.order == palio.multi2test(table, cost=cost).order


def test_weighted_median_is_that_of_repeated_values() -> None:
    rng = np.random.default_rng(1)
    values, weights = rng.integers(1, 6, (7, 3)) / 2, rng.integers(0, 4, (20, 7)).astype(float)
    expected = [np.median(np.repeat(values, row.astype(int), axis=0), axis=0) for row in weights]
    assert weighted_median(values, weights) == pytest.approx(np.array(expected))


# --- subsets at once are subsets one by one -------------------------------------------------------

NEEDS: dict[str, dict[str, Any]] = {
    "adjusted-ratios": {"cost": "time"},
    "multi2test": {"cost": "time"},
}


@pytest.fixture(scope="module")
def arrays() -> tuple[np.ndarray, np.ndarray]:
    """Scores (data sets, algorithms, 5, 2) with ties, and costs."""
    rng = np.random.default_rng(3)
    scores = rng.normal(80, 1, (9, 5, 5, 2)) + 1.5 * rng.normal(size=(9, 5, 1, 1))
    scores += np.arange(5)[:, np.newaxis, np.newaxis]
    scores[2, 1], scores[4, 0] = scores[2, 3], scores[4, 2]
    return scores.round(1), rng.random((9, 5)) + np.arange(1.0, 6)


@pytest.mark.parametrize("method", list(RANKINGS))
def test_weights_are_data_sets_left_out_or_repeated(
    method: str, arrays: tuple[np.ndarray, np.ndarray]
) -> None:
    scores, costs = arrays
    options = NEEDS.get(method, {})
    bound = bind_rankings(
        table_of(scores, costs={"time": costs}), [method], RankingOptions(**options)
    )
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(9, np.full(9, 1 / 9), size=8)
    weights = np.concatenate([1 - np.eye(9), drawn]).astype(float)
    together = bound.rankers[method].ranks(weights)
    for row, ranks in zip(weights.astype(int), together, strict=True):
        chosen = np.repeat(np.arange(9), row)
        alone = palio.rank(
            table_of(scores[chosen], costs={"time": costs[chosen]}), method=method, **options
        )
        assert list(alone.ranks.values()) == ranks.tolist()


# --- gaps -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["average-ranks", "bradley-terry", "elo", "copeland"])
def test_pairs_do_without_the_missing(method: str) -> None:
    scores = np.array([[3, 2, np.nan], [3, np.nan, 1], [np.nan, 2, 1], [1, 2, 3]])
    table = table_of(scores, Measure("quality", higher_is_better=True), missing="pairwise")
    assert palio.rank(table, method=method).order == ("a", "b", "c")


def test_the_others_refuse_gaps() -> None:
    scores = np.array([[3, 2], [3, np.nan], [1, 2]])
    table = table_of(scores, Measure("quality", higher_is_better=True), missing="pairwise")
    for method in ("median-ranks", "success-rate-ratios"):
        with pytest.raises(MissingCellsError, match="1 of 6 scores are missing"):
            palio.rank(table, method=method)


def test_average_ranks_allow_for_whom_each_has_met() -> None:
    """Ranks r of m count as r/(m + 1), less what is easy about whom one met; one alone has none."""
    nan = np.nan
    scores = np.array([[3, 2, 1], [3, nan, 4], [nan, 2, 1], [nan, nan, 1]])
    table = table_of(scores, Measure("quality", higher_is_better=True), missing="pairwise")
    ranking = palio.rank(table)
    assert ranking.scores == pytest.approx({"a": 83 / 45, "b": 73 / 45, "c": 105 / 45})
    assert any("means allow for whom each algorithm has met" in note for note in ranking.notes)
    assert str(ranking.missing_said).startswith("4 of 12 scores are missing")
    assert ranking.missing is not None
    assert (ranking.missing.cells, ranking.missing.islands) == (4, (3,))
    # A data set that counts twice, and one that does not.
    bound = bind_rankings(table, ["average-ranks"], RankingOptions())
    weights = np.array([[0.0, 2.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0]])
    found = bound.rankers["average-ranks"].scores(weights)
    np.testing.assert_allclose(found, [[28 / 9, 4 / 9, 16 / 9], [2.0, 4 / 3, 8 / 3]], rtol=1e-8)


def test_mean_scores_allow_for_the_data_sets_that_each_lacks() -> None:
    """b is worse by 0.1 wherever both were tried, and was tried on the easy ones alone."""
    scores = np.array([[0.9, 0.8], [0.95, 0.85], [0.3, np.nan], [0.2, np.nan]])
    ranking = palio.rank(table_of(scores, "accuracy", missing="pairwise"), method="mean-score")
    assert ranking.order == ("a", "b")
    assert ranking.scores == pytest.approx({"a": 0.5875, "b": 0.4875})
    assert [row.mean_score for row in ranking.board] == pytest.approx([0.5875, 0.4875])


@pytest.mark.parametrize("scale", ["ratio", "order"])
def test_the_scale_can_be_asked_for(scale: str) -> None:
    scores = np.array([[1.0, 2.0], [10.0, 30.0], [200.0, 100.0]])
    quality = Measure("badness", higher_is_better=False)
    ranking = palio.rank(table_of(scores, quality), scale=scale)
    assert ranking.measure.scale == scale
    assert ranking.order == ("a", "b")
    if scale == "order":
        with pytest.raises(ParameterError, match="only who is better"):
            palio.rank(table_of(scores, quality), scale=scale, method="mean-score")
        return
    found = palio.rank(table_of(scores, quality), scale=scale, method="mean-score")
    # Medians 1.5, 20 and 150.
    expected = {"a": (1 / 1.5 / 2 * 4 / 3) ** (1 / 3), "b": (2 / 1.5 * 1.5 * 2 / 3) ** (1 / 3)}
    assert found.scores == pytest.approx(expected)


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("method", ["average-ranks", "bradley-terry", "elo", "copeland"])
def test_parts_that_nothing_joins_are_ranked_apart(method: str, higher_is_better: bool) -> None:
    """d and b have met, a, c and e have, f has met nobody."""
    nan, sign = np.nan, 1 if higher_is_better else -1
    games = [[1, nan, 2, nan, 3, nan], [nan, 5, nan, 4, nan, nan]] * 3
    games += [[3, nan, 2, nan, 1, nan], [nan, nan, nan, nan, nan, 9], [nan, 4, nan, 5, nan, nan]]
    measure = Measure("quality", higher_is_better=higher_is_better)
    ranking = palio.rank(
        table_of(sign * np.array(games), measure, missing="pairwise"), method=method
    )
    assert ranking.components == (("e", "c", "a"), ("b", "d"), ("f",))
    assert ranking.order == ("e", "c", "a", "b", "d", "f")
    assert ranking.ranks == {"a": 3, "b": 1, "c": 2, "d": 2, "e": 1, "f": 1}
    assert ranking.best == ("e",)
    said = ranking.to_dict()
    assert said["components"] == [["e", "c", "a"], ["b", "d"], ["f"]]
    assert said["scores"]["f"] is None
    assert any("ranks are within a part" in note for note in ranking.notes)
    assert "No data set joins 3 parts, of 3, 2 and 1 algorithms" in str(ranking.missing_said)
    assert "e is first of 3 algorithms" in str(ranking)
    if ranking.intervals is not None:
        assert "f" not in ranking.intervals
        low, high = ranking.intervals["b"]
        assert low < ranking.scores["b"] < high
    assert ranking.rank_sets is not None
    for part in ranking.components:
        for name in part:
            assert 1 <= ranking.rank_sets[name][0] <= ranking.rank_sets[name][1] <= len(part)
    if method == "elo":
        assert ranking.scores["b"] + ranking.scores["d"] == pytest.approx(3000)


def test_an_anchor_is_that_of_its_part() -> None:
    nan = np.nan
    games = np.array(
        [[1, 2, nan, nan], [2, 1, nan, nan], [1, 2, nan, nan]] + [[nan, nan, 1, 2]] * 2
    )
    measure = Measure("quality", higher_is_better=True)
    ranking = palio.rank(table_of(games, measure, missing="pairwise"), method="elo", anchor="a")
    assert ranking.scores["a"] == 1500
    assert ranking.scores["c"] + ranking.scores["d"] == pytest.approx(3000)


def test_who_never_lost_has_a_finite_strength() -> None:
    ranking = palio.rank(table_of([[0.9, 0.5], [0.8, 0.6]]), method="bradley-terry")
    assert np.isfinite(list(ranking.scores.values())).all()
    assert any("never lost" in note for note in ranking.notes)


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "scores"),
    [
        ("rmse", [[0.2, 0.3]]),  # an error, but no error rate
        ("r2", [[0.2, 0.3]]),  # its zero is no failure
        ("accuracy", [[100.5, 90.0]]),
        ("error", [[-0.1, 0.2]]),
        ("neg_log_loss", [[-0.1, -0.2]]),
    ],
)
def test_ratios_are_of_success_rates_alone(measure: str, scores: list[list[float]]) -> None:
    with pytest.raises(ParameterError, match="success rates"):
        palio.rank(table_of(scores, measure), method="success-rate-ratios")


def test_no_ratio_to_a_success_rate_of_zero() -> None:
    with pytest.raises(CellError, match="'b' on 'd1' is 0"):
        palio.rank(table_of([[0.5, 0.5], [0.5, 0.0]]), method="success-rate-ratios")
    with pytest.raises(CellError, match="'a' on 'd0' is 0"):
        palio.rank(table_of([[1.0, 0.5]], "error"), method="success-rate-ratios")


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"method": "averge-ranks"}, InputError, "Did you mean 'average-ranks'"),
        ({"prior": ["b"]}, ParameterError, "prior: method 'average-ranks' does not take it"),
        ({"method": "copeland", "alpha": 0.1}, ParameterError, "takes no options"),
        ({"method": "adjusted-ratios"}, ParameterError, "one cost, and 0 are given"),
        (
            {"method": "adjusted-ratios", "cost": "time", "acc_d": -1},
            ParameterError,
            "acc_d: the share of success",
        ),
        (
            {"method": "adjusted-ratios", "cost": "time", "acc_d": 0.5},
            ParameterError,
            "AccD must stay below 0.5, and 0.5 was given",
        ),
        ({"method": "multi2test"}, ParameterError, "a preference is needed"),
        ({"method": "significant-wins"}, DesignError, "no test on folds fits"),
        ({"method": "significant-wins", "alpha": 2}, ParameterError, "significance level"),
    ],
)
def test_refused(options: dict[str, Any], error: type[Exception], says: str) -> None:
    costs = {"time": [[1.0, 100.0], [1.0, 2.0]], "free": [[0.0, 1.0], [1.0, 1.0]]}
    table = table_of([[0.8, 0.7], [0.6, 0.7]], costs=costs)
    with pytest.raises(error, match=says):
        palio.rank(table, **options)


def test_one_algorithm_is_no_ranking() -> None:
    with pytest.raises(ParameterError, match="needs two or more"):
        palio.rank(table_of(SMALL).select(algorithms=["b"]))


# --- several methods ------------------------------------------------------------------------------


def test_without_names_whatever_the_table_allows() -> None:
    table = table_of(SMALL)
    bound = bind_rankings(table, None, RankingOptions())
    assert tuple(bound.rankers) == (
        "average-ranks", "success-rate-ratios", "median-ranks", "mean-score", "copeland",
    )  # fmt: skip
    for name in ("bradley-terry", "elo", "significant-wins", "multi2test", "adjusted-ratios"):
        assert any(note.startswith(f"{name} left out") for note in bound.notes)


def test_an_option_that_nobody_takes_is_an_error() -> None:
    table = table_of(SMALL)
    with pytest.raises(ParameterError, match="alpha: none of the methods takes it"):
        bind_rankings(table, ["copeland", "mean-score"], RankingOptions(alpha=0.1))
    # No cost of this name, so that what it was given for cannot be done.
    with pytest.raises(InputError, match="'train_time' is not known"):
        bind_rankings(table, None, RankingOptions(cost="train_time"))
    with pytest.raises(ParameterError, match="at least one ranking method"):
        bind_rankings(table, [], RankingOptions())


def test_contract_of_the_dictionary() -> None:
    found = palio.rank(palio.load_study("ulas2008")).to_dict()
    assert found["method"] == "average-ranks"
    assert set(found["scores"]) == set(found["ranks"]) == set(found["order"])
    for better, worse in itertools.pairwise(found["order"]):
        assert found["ranks"][better] <= found["ranks"][worse]


# --- rank sets -----------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["accuracy", "error"])
@pytest.mark.parametrize("method", ["average-ranks", "mean-score"])
def test_rank_sets_are_those_of_compare(measure: str, method: str) -> None:
    rng = np.random.default_rng(2)
    scores = 0.5 + 0.01 * rng.normal(size=(12, 3)) + [0.2, 0, 0.01]
    table = table_of(scores, measure)
    ranking, comparison = palio.rank(table, method=method), palio.compare(table)
    assert ranking.rank_sets == comparison.rank_sets
    assert ranking.unbeaten == comparison.unbeaten
    assert ranking.rank_sets is not None
    assert ranking.rank_sets["a"] == ((1, 1) if measure == "accuracy" else (3, 3))
    told = ranking.to_dict()
    assert told["rank_sets"]["a"] == list(ranking.rank_sets["a"])
    assert told["unbeaten"] == list(comparison.unbeaten or ())
    text = " ".join(str(ranking).split())
    assert "the first and the last that the pairs leave open (Wilcoxon" in text
    assert ("Nobody significantly beats a." in text) == (measure == "accuracy")


def test_rank_sets_on_the_folds_of_one_data_set() -> None:
    table = table_of(folds_of(0.9, 0.8, 0.5)[np.newaxis])
    ranking = palio.rank(table)
    assert ranking.rank_sets == palio.compare(table).rank_sets
    assert ranking.judged is not None
    assert ranking.judged.over == "folds"


def test_where_no_test_is_possible_there_are_none_and_a_note() -> None:
    ranking = palio.rank(table_of([[0.9, 0.8]]))
    assert (ranking.rank_sets, ranking.unbeaten, ranking.judged) == (None, None, None)
    assert any(note.startswith("no rank sets, as there is no test: ") for note in ranking.notes)
    assert "no rank sets, as there is no test" in str(ranking)
    assert "leave open" not in str(ranking)
    level = palio.rank(table_of([[0.9, 0.8]] * 3))
    assert level.rank_sets == {"a": (1, 2), "b": (1, 2)}
    assert "Nobody is significantly beaten." in str(level)
