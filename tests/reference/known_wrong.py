"""A museum of wrong numbers.

Each test is a mistake found in a tool that people use for comparing algorithms; it says what the
mistake is, what it gives, and that Palio gives the right number.
"""

from itertools import permutations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from scipy import stats
from scipy.special import ndtr

import palio
from palio.comparison import PAIR_TESTS
from palio.errors import CellError, ColumnError, MissingCellsError
from palio.scores import ScoreTable
from palio.stats import adjust, posthoc
from palio.stats.across import friedman, quade, sign_test, sign_test_counts, wilcoxon
from palio.stats.across import friedman_aligned as aligned
from palio.stats.studentized import studentized_range_isf
from tests.report.made import draw


def table_of(scores: np.ndarray, measure: str = "accuracy") -> ScoreTable:
    n, k = scores.shape
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{j}" for j in range(k)],
        measure=measure,
    )


# Nemenyi


def test_nemenyi_critical_values_are_not_off_by_one() -> None:
    """A table read one column too far gives k = 5's 2.728 for k = 4."""
    assert studentized_range_isf(0.05, 4) / np.sqrt(2) == pytest.approx(2.569, abs=5e-4)
    assert posthoc.critical_difference(4, 24, 0.05) == pytest.approx(
        2.569 * np.sqrt(4 * 5 / (6 * 24)), abs=1e-3
    )


def test_nemenyi_has_infinite_degrees_of_freedom() -> None:
    """Ranks have a known variance; with (n − 1)(k − 1) = 12 df the p-value below would be 0.086."""
    p = posthoc.nemenyi(np.array([1.0, 2.0, 3.5, 3.5]), 5)
    q = 2.5 / np.sqrt(4 * 5 / (6 * 5)) * np.sqrt(2)
    assert p[0, 2] == pytest.approx(stats.studentized_range.sf(q, 4, np.inf), abs=1e-10)
    assert stats.studentized_range.sf(q, 4, 12) > 1.5 * p[0, 2]


def test_nemenyi_is_not_bonferroni_on_z() -> None:
    """At the critical z of four algorithms Nemenyi's p is 0.05; six times the normal p is 0.061."""
    z = 2.569
    assert 6 * 2 * ndtr(-z) == pytest.approx(0.0612, abs=1e-4)
    n = 40
    gap = z * np.sqrt(4 * 5 / (6 * n))
    assert posthoc.nemenyi(np.array([2.0, 2.0 + gap, 3, 3]), n)[0, 1] == pytest.approx(
        0.05, abs=1e-4
    )


def test_nemenyi_is_for_paired_data() -> None:
    """The independent-groups test ranks all n·k values together and misses what pairing shows.

    Three algorithms in the same order on ten data sets of very different difficulty: within data
    sets the order is perfect, over all values together it drowns.
    """
    difficulty = 100.0 * np.arange(10)[:, np.newaxis]
    comparison = palio.compare(
        table_of(difficulty + [3.0, 2.0, 1.0]), test="mean-ranks", correction="nemenyi"
    )
    assert comparison.pair("a0", "a2").p_adjusted < 0.0001
    together = stats.rankdata(-(difficulty + [3.0, 2.0, 1.0])).reshape(10, 3).mean(axis=0)
    independent_z = (together[2] - together[0]) / np.sqrt(30 * 31 / 12 * 2 / 10)
    assert 2 * ndtr(-independent_z) > 0.5


def test_what_follows_a_test_of_repeated_measures_keeps_the_pairing() -> None:
    """An ANOVA of repeated measures, then Tukey's test for independent groups.

    Each of three algorithms is ahead of the next on all of 30 data sets, whose difficulty varies
    more than the algorithms do: the second step no longer sees what the first one saw.
    """
    rng = np.random.default_rng(1)
    difficulty = rng.normal(50, 10, (30, 1))
    scores = difficulty + [4.0, 2.0, 0.0] + rng.normal(0, 0.5, (30, 3))
    assert (np.diff(scores, axis=1) < 0).all()
    assert stats.tukey_hsd(*scores.T).pvalue[0, 1] > 0.5
    assert all(pair.p_adjusted < 1e-8 for pair in palio.compare(table_of(scores)).pairs)


# Sides


def test_wilcoxon_does_not_choose_its_side_from_the_data() -> None:
    """One-sided towards whoever leads: type-I error 0.097 at 0.05 on 25 data sets."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 4000, 25))
    ours = wilcoxon(a, b).p_value
    looked_first = np.minimum(
        wilcoxon(a, b, alternative="greater").p_value, wilcoxon(a, b, alternative="less").p_value
    )
    assert (ours <= 0.05).mean() == pytest.approx(0.049, abs=0.012)
    assert (looked_first <= 0.05).mean() == pytest.approx(0.097, abs=0.015)


def test_two_sided_is_not_half() -> None:
    """Five wins of five: two of 32 sign patterns are as extreme, so p = 0.0625 and not 0.03125."""
    comparison = palio.compare(
        table_of(np.column_stack([np.arange(5) + 1.0 + 0.1 * np.arange(5), np.arange(5)])),
        correction=None,
    )
    assert comparison.pairs[0].p_value == pytest.approx(0.0625)


# Corrections


def test_holm_is_not_a_constant() -> None:
    """With α/(k − 1) for every pair, ten equal algorithms on 30 data sets: any error in 22 %."""
    rng = np.random.default_rng(1)
    trials, constant, holm = 300, 0, 0
    for _ in range(trials):
        comparison = palio.compare(table_of(rng.standard_normal((30, 10))))
        p = np.array([pair.p_value for pair in comparison.pairs])
        constant += bool((p <= 0.05 / 9).any())
        holm += any(pair.significant for pair in comparison.pairs)
    assert constant / trials == pytest.approx(0.22, abs=0.07)
    assert holm / trials < 0.08  # true Holm about 0.04


def test_hochberg_takes_the_minimum() -> None:
    assert adjust.hochberg(np.array([0.01, 0.02, 0.9])) == pytest.approx([0.03, 0.04, 0.9])


@pytest.mark.parametrize("name", ["bonferroni", "sidak", "holm", "hochberg", "hommel", "finner",
                                  "holland", "rom", "li", "benjamini_hochberg",
                                  "benjamini_yekutieli"])  # fmt: skip
def test_adjusted_p_values_are_probabilities(name: str) -> None:
    adjusted = getattr(adjust, name)(np.array([0.4, 0.7, 0.9, 0.99]))
    assert (adjusted <= 1).all()
    assert (adjusted >= [0.4, 0.7, 0.9, 0.99] if name != "li" else adjusted >= 0).all()


def test_adjusted_p_values_return_to_their_places() -> None:
    """Un-sorting by the sorting permutation instead of its inverse mixes the pairs up."""
    p = np.array([0.04, 0.01, 0.03, 0.02])
    # Sorted: 4 · 0.01, 3 · 0.02, 2 · 0.03, 0.04 with running maximum: 0.04, 0.06, 0.06, 0.06.
    assert adjust.holm(p) == pytest.approx([0.06, 0.04, 0.06, 0.06])


# Sign test


def test_sign_test_counts_the_outcome_itself() -> None:
    """Ten to nothing: 2 · P(X ≥ 10) = 2/1024; leaving P(X = 10) out gives 0."""
    assert float(sign_test_counts(10, 0).p_value) == pytest.approx(0.001953125)


def test_sign_test_ties_are_not_losses() -> None:
    """Eight wins and four ties: 2/256 with ties dropped; as losses they would make it 0.39."""
    a = np.array([1.0] * 8 + [0.0] * 4)
    assert float(sign_test(a, np.zeros(12)).p_value) == pytest.approx(2 / 256)


# Friedman and relatives


def test_friedman_says_which_statistic_is_corrected() -> None:
    ties = np.array([[1.0, 1, 2], [1, 1, 2], [1, 2, 2], [1, 2, 3]])
    outcome = friedman(ties)
    assert float(outcome.statistic) == pytest.approx(stats.friedmanchisquare(*ties.T).statistic)
    assert float(outcome.statistic_uncorrected) < float(outcome.statistic)
    summary = palio.compare(table_of(ties)).to_dict()["omnibus"]
    assert summary["statistic_uncorrected"] < summary["statistic"]


@pytest.mark.parametrize("test", [quade, aligned])
def test_quade_and_aligned_ranks_do_not_break_on_ties(test) -> None:  # type: ignore[no-untyped-def]
    ties = np.array([[0.1 + 0.2, 0.3, 0.5], [0.7, 0.7, 0.7], [0.3, 0.5, 0.5], [0.2, 0.4, 0.6]])
    exactly = np.array([[0.3, 0.3, 0.5], [0.7, 0.7, 0.7], [0.3, 0.5, 0.5], [0.2, 0.4, 0.6]])
    p = float(test(ties).p_value)
    assert 0 < p < 1
    assert p == float(test(exactly).p_value)
    for columns in permutations(range(3)):
        assert float(test(ties[:, list(columns)]).p_value) == pytest.approx(p)


def test_tiny_p_values_survive() -> None:
    """1 − cdf is 0 from 1e-16 on."""
    perfect = np.tile(np.arange(5.0), (200, 1))
    assert 0 < float(friedman(perfect).p_value) < 1e-100
    assert 0 < posthoc.nemenyi(np.array([1.0, 2, 3, 4, 5]), 400)[0, 4] < 1e-100
    ahead = np.arange(1.0, 91)
    assert float(wilcoxon(ahead, 0 * ahead).p_value) == pytest.approx(2.0**-89)


@pytest.mark.parametrize("test", list(PAIR_TESTS))
def test_results_do_not_depend_on_the_order_of_columns_or_rows(test: str) -> None:
    """Exact tables used in spite of ties gave p-values that moved with the columns."""
    rng = np.random.default_rng(4)
    scores = rng.integers(0, 4, (9, 3)).astype(float)
    first = palio.compare(table_of(scores), test=test)
    for columns in permutations(range(3)):
        rows = rng.permutation(9)
        shuffled = palio.compare(
            ScoreTable.from_arrays(
                scores[rows][:, list(columns)],
                datasets=[f"d{i}" for i in rows],
                algorithms=[f"a{j}" for j in columns],
                measure="accuracy",
            ),
            test=test,
        )
        for pair in first.pairs:
            other = shuffled.pair(pair.a, pair.b)
            assert other.p_value == pytest.approx(pair.p_value, rel=1e-9)
            assert other.better == pair.better


# Data


def test_nan_is_neither_equal_nor_a_verdict() -> None:
    scores = np.array([[0.9, 0.8], [0.7, np.nan], [0.6, 0.5]])
    pair = palio.compare(table_of(scores)).pairs[0]
    assert (pair.n, pair.wins, pair.ties, pair.losses) == (2, 2, 0, 0)


def test_incomplete_rows_are_not_dropped_in_silence() -> None:
    scores = {
        "dataset": ["x", "y", "z", "w"],
        "a": [0.9, 0.7, 0.6, 0.8],
        "b": [0.8, None, 0.5, 0.7],
    }
    with pytest.raises(MissingCellsError):
        palio.read_scores(scores, score="accuracy", missing="error")
    table = palio.read_scores(scores, score="accuracy", missing="drop-datasets")
    assert any("left out 1 data set: y" in note for note in palio.compare(table).notes)
    pairwise = palio.read_scores(scores, score="accuracy", missing="pairwise")
    said = palio.compare(pairwise, test="sign").verdict.missing
    assert said is not None
    assert said.startswith("1 of 8 scores is missing")


def test_duplicate_names_are_not_merged() -> None:
    rows = {"dataset": ["x", "x", "y", "y"], "algorithm": ["a", "a", "a", "b"],
            "accuracy": [1, 2, 3, 4]}  # fmt: skip
    with pytest.raises(CellError, match="repeats an earlier one"):
        palio.read_scores(rows)
    import pandas as pd

    twice = pd.DataFrame([["x", 0.1, 0.2], ["y", 0.3, 0.4]], columns=["dataset", "a", "a"])
    with pytest.raises(ColumnError, match="the names must differ"):
        palio.read_scores(twice, score="accuracy")


def test_pairing_survives_the_order_of_the_file() -> None:
    """Sorted by score, or with each algorithm's rows in another order, the pairs stay pairs."""
    rng = np.random.default_rng(5)
    frame = table_of(rng.random((12, 3))).to_frame()
    first = palio.compare(palio.read_scores(frame))
    by_score = palio.compare(palio.read_scores(frame.sort_values("accuracy")))
    for pair in first.pairs:
        assert by_score.pair(pair.a, pair.b).p_value == pair.p_value


def test_direction_is_not_ignored() -> None:
    scores = np.column_stack([np.linspace(0.8, 0.9, 12), np.linspace(0.1, 0.2, 12)])
    assert palio.compare(table_of(scores)).pairs[0].better == "a0"
    assert palio.compare(table_of(scores, "error")).pairs[0].better == "a1"
    assert palio.compare(table_of(scores, "error")).mean_ranks == {"a0": 2.0, "a1": 1.0}


def test_diagram_bars_are_over_true_groups() -> None:
    """A bar from the first to the last of a clique also covers those between that do differ.

    Here a and c do not differ, while b, between them by mean rank, differs from both.
    """
    summary = {
        "kind": "comparison", "method": "wilcoxon", "correction": "holm", "control": None,
        "algorithms": ["a", "b", "c"], "n_datasets": 20, "alpha": 0.05,
        "mean_ranks": {"a": 1.5, "b": 2.0, "c": 2.5}, "critical_difference": None,
        "groups": [["a", "c"], ["b"]], "pairs": [], "notes": [],
    }  # fmt: skip
    figure = draw(summary, "critical-difference")
    lines = {line.get_gid(): line for line in figure.findobj(Line2D) if isinstance(line, Line2D)}
    (bar,) = (gid for gid in lines if str(gid).startswith("bar:"))
    assert bar == "bar:a|c"
    # Dots on a and c alone, and no solid line between them.
    assert lines[bar].get_marker() == "o"
    assert lines[bar].is_dashed()
    ends = [np.asarray(lines[f"leader:{name}"].get_xdata())[0] for name in "ac"]
    assert np.asarray(lines[bar].get_xdata()).tolist() == ends
    assert not [c for c in figure.findobj(LineCollection) if c.get_segments()]
