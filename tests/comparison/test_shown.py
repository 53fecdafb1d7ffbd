"""What faces show of a comparison is worked out by the comparison: orders, counts, shares."""

from __future__ import annotations

import numpy as np
import pytest

import palio
from palio.comparison.results import Comparison
from palio.scores import ScoreTable
from palio.stats.ranks import place_counts

# Four data sets; b misses the last but one.
ERRORS = [[0.1, 0.2, 0.3], [0.1, 0.1, 0.3], [0.2, np.nan, 0.1], [0.3, 0.2, 0.1]]


def compared(scores: list[list[float]], measure: str, **options: str) -> Comparison:
    table = ScoreTable.from_arrays(
        np.array(scores),
        datasets=[f"d{i}" for i in range(len(scores))],
        algorithms=["a", "b", "c"],
        measure=measure,
        missing="pairwise",
    )
    return palio.compare(table, **options)  # type: ignore[arg-type]


@pytest.fixture(params=["error", "accuracy"])
def found(request: pytest.FixtureRequest) -> Comparison:
    """The same scores as errors, and turned into accuracies."""
    scores = np.array(ERRORS) if request.param == "error" else 1 - np.array(ERRORS)
    return compared(scores.tolist(), request.param)


def test_only_complete_data_sets_count_and_ties_are_shared(found: Comparison) -> None:
    assert found.complete.datasets == ("d0", "d1", "d3")
    order = found.by_mean_rank
    assert found.complete.algorithms == order
    assert found.complete.values.shape == (3, 3)
    by_name = dict(zip(order, found.rank_counts.tolist(), strict=True))
    # d0: a, b, c; d1: a and b share 1 and 2; d3: c, b, a.
    assert by_name == {"a": [1.5, 0.5, 1.0], "b": [0.5, 2.5, 0.0], "c": [1.0, 0.0, 2.0]}


def test_orders_go_by_what_is_better(found: Comparison) -> None:
    # Means: b 0.5/3, a 0.7/4, c 0.8/4 of the errors.
    assert found.by_mean_score == ("b", "a", "c")
    ranks = [found.mean_ranks[name] for name in found.by_mean_rank]
    assert ranks == sorted(ranks)


def test_equal_mean_ranks_go_by_name() -> None:
    level = compared([[0.5, 0.5, 0.5]] * 3, "accuracy")
    assert level.by_mean_rank == level.by_mean_score == ("a", "b", "c")


def test_the_share_of_wins_counts_ties_half(found: Comparison) -> None:
    assert found.pair("a", "b").share_won == pytest.approx((1 + 0.5) / 3)
    assert found.pair("a", "c").share_won == pytest.approx(2 / 4)
    assert found.pair("a", "c").n == 4


def test_who_differs_and_who_is_behind() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(0.5, 0.01, (20, 3)) - [0.0, 0.0, 0.2]
    for measure, last in (("accuracy", "c"), ("error", "a")):
        found = compared(scores.tolist(), measure)
        assert found.n_different == 2
        assert found.differing == {"a", "b", "c"}
        pair = found.pair("a", "c")
        assert (pair.worse, pair.winner) == (last, "a" if last == "c" else "c")
    control = compared(scores.tolist(), "accuracy", control="a")
    assert control.differing == {"a", "c"}
    assert compared([[0.5, 0.5, 0.5]] * 3, "accuracy").pair("a", "b").worse is None


@pytest.mark.parametrize("n", [1, 30])
def test_place_counts_sum_to_the_rows(n: int) -> None:
    from palio.stats.ranks import average_ranks

    scores = np.random.default_rng(1).integers(0, 4, (n, 7)).astype(float)
    counts = place_counts(average_ranks(scores, axis=1))
    assert counts.sum(axis=0) == pytest.approx(np.full(7, float(n)))
    assert counts.sum(axis=1) == pytest.approx(np.full(7, float(n)))


def test_predictions_best_first_by_what_the_test_is_about() -> None:
    truth = [0, 0, 1, 1]
    made = palio.Predictions.from_arrays(
        truth,
        {"x": [0, 0, 1, 0], "y": [0, 1, 1, 0]},
        classes=[0, 1],
        probabilities={
            "x": [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.6, 0.4]],
            "y": [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.2, 0.8]],
        },
    )
    assert palio.compare_predictions(made).best_first == ("x", "y")  # by accuracy
    assert palio.compare_predictions(made, test="roc-hull").best_first == ("y", "x")  # by area
    selection = palio.compare_predictions(made, test="multinomial-selection")
    most = max(each.wins for each in selection.selection)
    assert set(selection.most_wins) == {e.algorithm for e in selection.selection if e.wins == most}


@pytest.mark.parametrize(
    ("omnibus", "n", "said", "in_words"),
    [
        ("friedman", 4, "friedman on 4 data sets: statistic 4.500, exact p = 0.12", True),
        ("friedman", 12, "friedman on 12 data sets: statistic 13.50, df 2, p = 0.001", False),
        (
            "iman-davenport",
            4,
            "iman-davenport on 4 data sets: statistic 3.857, exact p = 0.12",
            True,
        ),
        (
            "iman-davenport",
            12,
            "iman-davenport on 12 data sets: statistic 14.14, df 2, 22, p = 1.1e-04",
            False,
        ),
        ("aligned-ranks", 4, "aligned-ranks on 4 data sets: statistic ", False),
        ("quade", 4, "quade on 4 data sets: statistic ", False),
    ],
)
def test_where_a_p_value_is_exact_that_is_said_and_no_degrees_of_freedom(
    omnibus: str, n: int, said: str, in_words: bool
) -> None:
    """Ranks 1 2 3 / 1 3 2 / 1 2 3 / 2 1 3, once or three times: χ² = 4.5 or 13.5."""
    four = [[0.1, 0.2, 0.3], [0.1, 0.9, 0.8], [0.3, 0.5, 0.9], [0.2, 0.1, 0.4]]
    found = compared(four * (n // 4), "error", omnibus=omnibus)
    line = next(line for line in " ".join(str(found).split()).split("; ") if "all together" in line)
    assert said in line
    assert ("exact" in line) == ("df" not in line) == in_words
    shown = str(found.omnibus)
    assert (f"{omnibus}: exact p" in shown) == ("df" not in shown) == in_words
    assert found.omnibus.exact is in_words
    assert found.omnibus.df  # the statistic's own, whatever was made of it
