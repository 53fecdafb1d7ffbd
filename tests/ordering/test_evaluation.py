"""The evaluation of ranking methods: the paper's figures, and a slow, plain re-implementation."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import palio
from palio.errors import InputError, MissingCellsError, ParameterError, UnknownNameError
from palio.measures import Measure
from palio.ordering import RANKINGS, RankingEvaluation
from palio.ordering.evaluation import (
    _compare_methods,
    expected_losses,
    losses_within,
    spearman,
    weighted_spearman,
)
from palio.scores import ScoreTable
from palio.stats.ranks import place_counts

PAPERS = ["average-ranks", "success-rate-ratios", "significant-wins"]


def table_of(scores: np.ndarray, **more: Any) -> ScoreTable:
    n, k = scores.shape[:2]
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{j}" for j in range(k)],
        measure=more.pop("measure", "accuracy"),
        **more,
    )


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    """(data sets, algorithms, 1, folds), accuracies of few test instances: many ties."""
    rng = np.random.default_rng(5)
    chance = 0.7 + 0.1 * rng.normal(size=(12, 5, 1, 1)) + 0.04 * np.arange(5)[:, None, None]
    return rng.binomial(30, np.clip(chance, 0.05, 0.95), (12, 5, 1, 10)) / 30


# --- the paper's figures --------------------------------------------------------------------------


def test_a_prior_order_counts_in_every_draw() -> None:
    """Nobody differs, so that Multi²Test's order is the prior one, whatever is drawn."""
    folds = np.random.default_rng(0).normal(size=(4, 3, 5, 2))
    table = ScoreTable.from_arrays(
        folds, datasets=list("defg"), algorithms=list("abc"), measure="accuracy"
    )
    for prior in (["c", "a", "b"], ["b", "c", "a"]):
        found = palio.rank_stability(table, ["multi2test"], prior=prior, n_resamples=5)
        assert found.methods[0].order == tuple(prior)


def test_fold_1_of_glass() -> None:
    """Table 2: D² = 17.5, r = 0.5, which the correlation of the mid-ranks is not."""
    recommended = np.array([4.5, 1, 6, 3, 4.5, 2])
    first, fifth = np.array([1.5, 3, 5, 4, 6, 1.5]), np.array([3.5, 2, 5, 3.5, 6, 1])
    assert np.square(recommended - first).sum() == 17.5
    assert spearman(recommended, np.stack([first, fifth])).tolist() == pytest.approx(
        [0.5, 1 - 6 * 6.5 / 210]
    )
    assert stats.spearmanr(recommended, first).statistic == pytest.approx(0.485, abs=5e-4)


def test_fold_1_of_glass_by_an_evaluation() -> None:
    """The errors of fold 1 give the ideal ranking; nine copies recommend the order of SW."""
    recommended = [[4.5, 1, 6, 3, 4.5, 2]] * 9
    table = table_of(
        np.array([*recommended, [28.6, 31.8, 50.0, 36.4, 59.1, 28.6]]),
        measure=Measure("error", higher_is_better=False),
    )
    evaluation = palio.evaluate_rankings(table, ["average-ranks"])
    assert evaluation.by_dataset[0, -1] == pytest.approx(0.5)


def test_two_points_of_table_4() -> None:
    """M = 1; |T| = 0.5 for SW and SRR, 1 for SW and AR, 0.5 for SRR and AR."""
    points = np.array([[0.357, -0.371], [0.314, -0.086], [0.371, -0.214]])
    comparison = _compare_methods(points, ["sw", "srr", "ar"], 0.25)
    assert comparison is not None
    assert comparison.omnibus.statistic == pytest.approx(1)
    assert comparison.mean_ranks == {"sw": 2.5, "srr": 2.0, "ar": 1.5}
    found = {(p.a, p.b): abs(p.statistic) for p in comparison.pairs}
    assert found == pytest.approx({("sw", "srr"): 0.5, ("sw", "ar"): 1.0, ("srr", "ar"): 0.5})


def test_dunns_critical_value() -> None:
    """25 % over three pairs: |T| counts from z = 1.7317 on, where the paper prints 1.731."""
    z = stats.norm.isf(0.25 / 6)
    assert z == pytest.approx(1.7317, abs=5e-5)
    # n = 10 and k = 3: T = 10 (R_i − R_j) / sqrt(20), so 0.8 is beyond z and 0.7 is not.
    ranks = np.array([[1, 2, 3]] * 4 + [[1, 3, 2]] * 3 + [[2, 1, 3]] * 2 + [[3, 1, 2]])
    comparison = _compare_methods(-ranks.T.astype(float), ["x", "y", "w"], 0.25)
    assert comparison is not None
    for pair in comparison.pairs:
        gap = abs(comparison.mean_ranks[pair.a] - comparison.mean_ranks[pair.b])
        assert abs(pair.statistic) == pytest.approx(10 * gap / math.sqrt(20))


# --- a plain re-implementation --------------------------------------------------------------------


def plain_ranks(values: list[float]) -> list[float]:
    """Rank 1 is the highest; ties share the mean rank."""
    return [
        sum(other > own for other in values) + (sum(other == own for other in values) + 1) / 2
        for own in values
    ]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def plain_average_ranks(data: list[Any]) -> list[float]:
    by_dataset = [plain_ranks([float(np.mean(a)) for a in dataset]) for dataset in data]
    return plain_ranks([-round(mean(list(column)), 9) for column in zip(*by_dataset, strict=True)])


def plain_success_rate_ratios(data: list[Any]) -> list[float]:
    k = len(data[0])
    score = []
    for j in range(k):
        pairwise = [
            mean([float(np.mean(d[j])) / float(np.mean(d[i])) for d in data])
            for i in range(k)
            if i != j
        ]
        score.append(round(mean(pairwise), 9))
    return plain_ranks(score)


def plain_significant_wins(data: list[Any]) -> list[float]:
    k = len(data[0])
    score = []
    for j in range(k):
        probabilities = []
        for i in range(k):
            if i == j:
                continue
            wins = 0
            for d in data:
                a, b = np.ravel(d[j]), np.ravel(d[i])
                if (a == b).all():
                    continue
                p = stats.ttest_rel(a, b).pvalue
                wins += bool(p <= 0.05 and a.mean() > b.mean())
            probabilities.append(wins / len(data))
        score.append(round(mean(probabilities), 9))
    return plain_ranks(score)


PLAIN = dict(
    zip(
        PAPERS,
        (plain_average_ranks, plain_success_rate_ratios, plain_significant_wins),
        strict=True,
    )
)


def plain_correlation(recommended: list[float], ideal: list[float]) -> float:
    n = len(ideal)
    distance = sum((r - q) ** 2 for r, q in zip(recommended, ideal, strict=True))
    return 1 - 6 * distance / (n**3 - n)


def plain_weighted(recommended: list[float], ideal: list[float]) -> float:
    n = len(ideal)
    both = list(zip(recommended, ideal, strict=True))
    distance = sum((r - q) ** 2 * ((n - r + 1) + (n - q + 1)) for r, q in both)
    return 1 - 6 * distance / (n**4 + n**3 - n**2 - n)


def plain_loss(recommended: list[float], good: list[float], tried: int) -> float:
    """Mean over every order of the algorithms that respects the ranking."""
    orders = [
        order
        for order in itertools.permutations(range(len(good)))
        if all(recommended[i] <= recommended[j] for i, j in itertools.pairwise(order))
    ]
    return mean([max(good) - max(good[i] for i in order[:tried]) for order in orders])


@pytest.fixture(scope="module")
def evaluation(scores: np.ndarray) -> RankingEvaluation:
    return palio.evaluate_rankings(table_of(scores), PAPERS)


@pytest.fixture(scope="module")
def points(scores: np.ndarray) -> dict[str, list[list[tuple[list[float], list[float]]]]]:
    """The recommended and the ideal ranking of every method, data set and fold."""
    data = list(scores)
    found: dict[str, Any] = {method: [] for method in PAPERS}
    for i, left_out in enumerate(data):
        ideal = [plain_ranks(list(fold)) for fold in np.moveaxis(left_out[:, 0], -1, 0)]
        for method, rule in PLAIN.items():
            recommended = rule([*data[:i], *data[i + 1 :]])
            found[method].append([(recommended, ranks) for ranks in ideal])
    return found


def test_correlations_are_the_plain_ones(evaluation: RankingEvaluation, points: Any) -> None:
    for i, method in enumerate(PAPERS):
        plain = [mean([plain_correlation(*p) for p in dataset]) for dataset in points[method]]
        assert evaluation.by_dataset[i].tolist() == pytest.approx(plain)
        weighted = [mean([plain_weighted(*p) for p in dataset]) for dataset in points[method]]
        assert evaluation.weighted[i].tolist() == pytest.approx(weighted)


def test_friedman_and_dunn_are_the_plain_ones(evaluation: RankingEvaluation, points: Any) -> None:
    """M* = M / C with C = 1 − T/(n(k³ − k)), T_ij = D_ij / sqrt(nk(k + 1)/6): brazdil2000 §4."""
    correlations = {
        method: [round(plain_correlation(*p), 9) for dataset in points[method] for p in dataset]
        for method in PAPERS
    }
    rows = [plain_ranks(list(row)) for row in zip(*correlations.values(), strict=True)]
    n, k = len(rows), len(PAPERS)
    means = [mean(list(column)) for column in zip(*rows, strict=True)]
    s = sum((value - (k + 1) / 2) ** 2 for value in means)
    m = 12 * n * s / (k * (k + 1))
    tied = sum(row.count(value) ** 3 - row.count(value) for row in rows for value in set(row))
    corrected = m / (1 - tied / (n * (k**3 - k)))
    assert tied > 0
    found = evaluation.comparison
    assert found is not None
    assert found.omnibus.statistic == pytest.approx(corrected)
    assert found.omnibus.statistic_uncorrected == pytest.approx(m)
    assert evaluation.n_points == n == 120
    sd = math.sqrt(n * k * (k + 1) / 6)
    for pair in found.pairs:
        distance = n * (means[PAPERS.index(pair.a)] - means[PAPERS.index(pair.b)])
        assert abs(pair.statistic) == pytest.approx(abs(distance) / sd)


def test_losses_are_the_plain_ones(
    evaluation: RankingEvaluation, points: Any, scores: np.ndarray
) -> None:
    good = scores.mean(axis=(-2, -1))
    for i, method in enumerate(PAPERS):
        for s, dataset in enumerate(points[method]):
            recommended = dataset[0][0]
            plain = [plain_loss(recommended, good[s].tolist(), tried) for tried in range(1, 6)]
            assert evaluation.losses[i, s].tolist() == pytest.approx(plain, abs=1e-12)


def test_losses_with_ties_everywhere() -> None:
    rng = np.random.default_rng(2)
    for _ in range(40):
        ranks = plain_ranks(rng.integers(0, 3, 6).tolist())
        good = rng.integers(0, 4, 6).astype(float)
        plain = [plain_loss(ranks, good.tolist(), tried) for tried in range(1, 7)]
        assert expected_losses(np.array(ranks), good).tolist() == pytest.approx(plain, abs=1e-12)


def test_losses_within_a_budget_are_the_plain_ones() -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        ranks = plain_ranks(rng.integers(0, 4, 5).tolist())
        good, costs = rng.random(5), rng.random(5)
        budgets = np.sort(rng.random(12) * 3)
        order = sorted(range(5), key=lambda i: (ranks[i], costs[i]))
        for budget, loss in zip(
            budgets, losses_within(np.array(ranks), good, costs, budgets), strict=True
        ):
            spent, reached = 0.0, good.min()
            for i in order:
                spent += costs[i]
                if spent > budget:
                    break
                reached = max(reached, good[i])
            assert loss == pytest.approx(good.max() - reached)


# --- properties of the measures -------------------------------------------------------------------


def test_correlations_reach_from_minus_one_to_one() -> None:
    ideal = np.arange(1.0, 7)
    for correlation in (spearman, weighted_spearman):
        assert correlation(ideal, ideal) == pytest.approx(1)
        assert correlation(ideal[::-1], ideal) == pytest.approx(-1)


def test_without_ties_spearman_is_the_correlation_of_ranks() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.permutation(8).astype(np.float64) + 1 for _ in range(2))
    assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)


# --- the evaluation as a whole --------------------------------------------------------------------


def test_ten_methods_at_once() -> None:
    table = palio.load_study("ulas2008")
    found = palio.evaluate_rankings(table, list(RANKINGS), cost="space").to_dict()
    rows = {row["method"]: row for row in found["methods"]}
    assert set(rows) == set(RANKINGS)
    for name in ("bradley-terry", "elo"):
        assert rows[name]["correlation"] == pytest.approx(rows["average-ranks"]["correlation"])
    for curve in found["loss_curves"].values():
        assert all(now >= later - 1e-12 for now, later in itertools.pairwise(curve["loss"]))
        assert curve["loss"][-1] == pytest.approx(0, abs=1e-12)
        assert 0 <= curve["relative"][0] <= 1
    spent = found["cost_curves"]
    assert spent["cost"] == "space"
    for curve in spent["loss"].values():
        assert all(now >= later - 1e-12 for now, later in itertools.pairwise(curve))
        assert curve[-1] == pytest.approx(0, abs=1e-12)


def test_what_weighs_cost_is_named() -> None:
    table = palio.load_study("ulas2008")

    def noted(*methods: str) -> list[str]:
        found = palio.evaluate_rankings(table, list(methods), cost="space")
        return [note.rpartition("while ")[2] for note in found.notes if "by score alone" in note]

    assert noted("copeland", "adjusted-ratios") == ["adjusted-ratios weighs cost as well"]
    both = noted("adjusted-ratios", "multi2test")
    assert both == ["adjusted-ratios and multi2test weigh cost as well"]


def test_a_frame_has_a_row_for_each_data_set(evaluation: RankingEvaluation) -> None:
    frame = evaluation.to_frame()
    assert frame.index.name == "dataset"
    assert {name: column.to_dict() for name, column in frame.items()} == evaluation.correlations


def test_data_sets_as_points() -> None:
    table = palio.load_study("ulas2008")
    by_fold = palio.evaluate_rankings(table, PAPERS)
    by_dataset = palio.evaluate_rankings(table, PAPERS, points="datasets")
    assert (by_fold.n_points, by_dataset.n_points) == (380, 38)
    assert (by_fold.by_dataset == by_dataset.by_dataset).all()
    assert any("not independent" in note for note in by_fold.notes)
    assert not any("not independent" in note for note in by_dataset.notes)


def test_one_method_has_nobody_to_differ_from(scores: np.ndarray) -> None:
    found = palio.evaluate_rankings(table_of(scores), ["copeland"])
    assert found.comparison is None
    assert found.to_dict()["pairs"] == []
    assert "copeland foretells best" in str(found)


def test_without_folds_each_data_set_has_one_order(scores: np.ndarray) -> None:
    means = scores.mean(axis=(-2, -1))
    found = palio.evaluate_rankings(table_of(means))
    assert found.n_points == 12
    assert any("no folds" in note for note in found.notes)


def test_errors_foretell_as_successes_do(scores: np.ndarray) -> None:
    up = palio.evaluate_rankings(table_of(scores), PAPERS)
    down = palio.evaluate_rankings(table_of(1 - scores, measure="error"), PAPERS)
    assert up.by_dataset == pytest.approx(down.by_dataset)
    assert up.losses == pytest.approx(down.losses)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"points": "fold"}, "Did you mean 'folds'"),
        ({"top": 0}, "between 1 and all 5"),
        ({"overall_alpha": 0}, "significance level"),
        ({"acc_d": 0.1}, "none of the methods takes it"),
    ],
)
def test_refused(scores: np.ndarray, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        palio.evaluate_rankings(table_of(scores), PAPERS, **options)


def test_gaps_are_refused(scores: np.ndarray) -> None:
    gappy = scores.mean(axis=(-2, -1))
    gappy[0, 0] = np.nan
    table = table_of(gappy, missing="pairwise")
    with pytest.raises(MissingCellsError, match="the order of all algorithms"):
        palio.evaluate_rankings(table, ["copeland"])
    # A bootstrap of pairs has no need of the others.
    assert set(palio.rank_stability(table, n_resamples=20).by_method) == {
        "average-ranks", "mean-score", "copeland", "bradley-terry", "elo",
    }  # fmt: skip


def test_three_data_sets_are_needed(scores: np.ndarray) -> None:
    with pytest.raises(ParameterError, match="three are needed, and there are 2"):
        palio.evaluate_rankings(table_of(scores[:2]))


# --- stability ------------------------------------------------------------------------------------


def test_place_counts_spread_ties() -> None:
    shares = place_counts(np.array([[2.0, 2.0, 2.0], [1.0, 2.5, 2.5]])) / 2
    assert shares.tolist() == pytest.approx(
        np.array([[4, 1, 1], [1, 2.5, 2.5], [1, 2.5, 2.5]]).tolist() / np.float64(6)
    )


def test_stability_counts_how_often_each_place_is_taken(scores: np.ndarray) -> None:
    found = palio.rank_stability(table_of(scores), ["average-ranks"], n_resamples=300, seed=7)
    means = scores.mean(axis=(-2, -1))
    draws = np.random.default_rng(7).multinomial(12, np.full(12, 1 / 12), size=300)
    counted = np.zeros((5, 5))
    for draw in draws:
        chosen = np.repeat(means, draw, axis=0)
        ranks = list(palio.rank(table_of(chosen)).ranks.values())
        for j, own in enumerate(ranks):
            size = ranks.count(own)
            for place in range(1, 6):
                counted[j, place - 1] += (abs(place - own) <= (size - 1) / 2) / size
    places = np.array(list(found.by_method["average-ranks"].places.values()))
    assert places == pytest.approx(counted / 300)
    assert places.sum(axis=0) == pytest.approx(np.ones(5))
    assert places.sum(axis=1) == pytest.approx(np.ones(5))
    assert found.probability("a4", 1) == places[4, 0]
    for algorithm, place, method in (("a9", 1, None), ("a4", 1, "copeland")):
        with pytest.raises(UnknownNameError):
            found.probability(algorithm, place, method=method)
    with pytest.raises(ParameterError, match="places 1 to 5"):
        found.probability("a4", 6)


@pytest.mark.parametrize(("measure", "sign"), [("accuracy", 1), ("error", -1)])
def test_intervals_reach_from_the_lower_to_the_higher_rank(measure: str, sign: int) -> None:
    """Of two data sets one or the other is drawn twice, a quarter of the time each.

    a0 is the first on one of them and the last on the other; with both all have equal mean ranks.
    """
    scores = 0.5 + sign * np.array([[0.3, 0.1, 0.2], [0.1, 0.3, 0.2]])
    found = palio.rank_stability(table_of(scores, measure=measure), ["average-ranks"])
    (method,) = found.methods
    assert method.rank_intervals == {"a0": (1.0, 3.0), "a1": (1.0, 3.0), "a2": (2.0, 2.0)}
    assert method.ranks == {"a0": 2.0, "a1": 2.0, "a2": 2.0}


def test_who_always_wins_is_always_first() -> None:
    rng = np.random.default_rng(0)
    scores = rng.random((20, 4)) / 2
    scores[:, 2] += 0.5
    found = palio.rank_stability(table_of(scores), n_resamples=200)
    for method in found.by_method:
        assert found.probability("a2", 1, method=method) == 1


def test_the_same_seed_gives_the_same_numbers(scores: np.ndarray) -> None:
    table = table_of(scores)
    first, again, other = (
        palio.rank_stability(table, ["copeland"], n_resamples=100, seed=seed).to_dict()["methods"]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_stability_needs_two_data_sets_and_a_draw(scores: np.ndarray) -> None:
    with pytest.raises(ParameterError, match="two or more, and there is one"):
        palio.rank_stability(table_of(scores[:1]))
    with pytest.raises(ParameterError, match="n_resamples: at least one"):
        palio.rank_stability(table_of(scores), n_resamples=0)
