"""Tests of pairs over data sets: statistics and leads against loops that anyone can check."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from palio.comparison import CORRECTIONS, PAIR_TESTS
from palio.comparison import sample as module
from palio.comparison.omnibus import AGREEMENT, run_omnibus
from palio.comparison.pair_tests import PairVerdicts, pair_test_named
from palio.comparison.procedure import Procedure
from palio.comparison.sample import Sample
from palio.errors import ParameterError, UnknownNameError
from palio.stats.ranks import average_ranks
from palio.types import FloatArray


def sample_of(values: FloatArray) -> Sample:
    return Sample(values, *np.triu_indices(values.shape[1], 1))


def run(test: str, values: FloatArray, **options: Any) -> PairVerdicts:
    return PAIR_TESTS[test].run(sample_of(values), options)


def board(seed: int, *, gaps: bool = False) -> FloatArray:
    """Twelve data sets, four algorithms; few digits, so that there are ties and zeros."""
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(12, 4)) * 2 + [0.6, 0, 0.3, 0], 0)
    if gaps:
        values[[0, 3, 5], [1, 2, 0]] = np.nan
    return values


def differences(values: FloatArray) -> list[FloatArray]:
    """Return of each pair the differences on the data sets where both have a score."""
    first, second = np.triu_indices(values.shape[1], 1)
    found = [values[:, i] - values[:, j] for i, j in zip(first, second, strict=True)]
    return [each[~np.isnan(each)] for each in found]


# --- signed ranks ---------------------------------------------------------------------------------


def signed_ranks(difference: FloatArray, zero_method: str) -> tuple[float, float]:
    """Return W₊, and half of the sum of all ranks that count."""
    if zero_method == "wilcox":
        difference = difference[difference != 0]
    ranks = average_ranks(np.abs(difference))
    positive, zero = ranks[difference > 0].sum(), ranks[difference == 0].sum()
    if zero_method == "zsplit":
        return positive + zero / 2, ranks.sum() / 2
    return positive, ranks[difference != 0].sum() / 2


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_signed_ranks_and_who_leads(zero_method: str, gaps: bool) -> None:
    zeros = 0
    for seed in range(6):
        values = board(seed, gaps=gaps)
        found = run("wilcoxon", values, zero_method=zero_method)
        for place, difference in enumerate(differences(values)):
            positive, middle = signed_ranks(difference, zero_method)
            zeros += int((difference == 0).sum())
            assert found.statistic[place] == pytest.approx(positive)
            assert found.lead[place] == pytest.approx(positive - middle)
    assert zeros > 20  # or nothing was tested


def test_ranks_that_are_level_have_no_leader() -> None:
    """Two zeros, then ranks 3, 4, 5, 6: 3 and 6 for a, 4 and 5 for b."""
    difference = np.array([0.0, 0, 1, -2, -3, 4])
    values = np.column_stack([50 + difference, np.full(6, 50.0)])
    for zero_method in ("wilcox", "pratt", "zsplit"):
        found = run("wilcoxon", values, zero_method=zero_method)
        assert found.lead[0] == 0
        assert found.p_value[0] == 1
        missing = np.vstack([values, [np.nan, 90.0]])
        assert run("wilcoxon", missing, zero_method=zero_method).lead[0] == 0


def test_the_notes_say_how_zeros_and_the_distribution_were_taken() -> None:
    values = board(0)
    assert run("wilcoxon", values).notes == (
        "zero differences: dropped (wilcox)",
        "exact distribution, ties and zeros included",
    )
    many = np.random.default_rng(0).normal(size=(101, 2))
    assert "normal approximation" in run("wilcoxon", many).notes[1]
    assert "exact distribution" in run("wilcoxon", many[:100]).notes[1]
    assert "exact up to 100" in run("wilcoxon", board(0, gaps=True), zero_method="pratt").notes[1]
    assert "(pratt)" in run("wilcoxon", values, zero_method="pratt").notes[0]


# --- counts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("ties", ["drop", "split"])
def test_signs(ties: str, gaps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SLAB", 24)  # two pairs at a time
    values = board(7, gaps=gaps)
    found = run("sign", values, ties=ties)
    odd = 0
    for place, difference in enumerate(differences(values)):
        wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
        level = int((difference == 0).sum())
        odd += level % 2
        assert found.lead[place] == wins - losses
        if ties == "split":
            wins, losses = wins + level // 2, losses + level // 2
        assert found.statistic[place] == wins
        p = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1
        assert found.p_value[place] == pytest.approx(p)
    assert odd
    assert ("dropped" if ties == "drop" else "split evenly") in found.notes[0]


def test_what_differs_in_the_last_bits_is_a_tie() -> None:
    values = np.array([[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2], [1e9 + 1e-7, 1e9], [2.0, 1.0]])
    assert run("sign", values).lead.tolist() == [1]
    assert run("sign", values).statistic.tolist() == [1]


# --- means ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("test", ["paired-t", "permutation"])
def test_means(test: str, gaps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SLAB", 24)
    values = board(5, gaps=gaps)
    found = run(test, values)
    for place, difference in enumerate(differences(values)):
        assert found.lead[place] == pytest.approx(difference.mean())
        if test == "paired-t":
            expected = stats.ttest_1samp(difference, 0)
            assert found.statistic[place] == pytest.approx(expected.statistic)
            assert found.p_value[place] == pytest.approx(expected.pvalue)
        else:
            signs = (np.arange(2**difference.size)[:, None] >> np.arange(difference.size)) & 1
            means = np.abs(((2 * signs - 1) * difference).mean(axis=1))
            share = (means >= abs(difference.mean()) - 1e-12).mean()
            assert found.p_value[place] == pytest.approx(share)


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "paired-t", "permutation"])
def test_who_leads_is_said_where_both_have_a_score(test: str) -> None:
    """b is ahead of a wherever both were run; a's best scores are where b was not."""
    a = np.array([1.0, 2, 3, 4, 500, 600])
    b = np.array([1.5, 2.5, 3.7, 4.1, np.nan, np.nan])
    assert run(test, np.column_stack([a, b])).lead[0] < 0
    assert run(test, np.column_stack([b, a])).lead[0] > 0


def test_permutation_takes_its_options() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(31, 2)) + [0.3, 0]
    found = run("permutation", values, n_resamples=99, seed=1)
    assert "else 99 random ones" in found.notes[0]
    assert (found.p_value * 100 % 1 < 1e-9).all()  # whole hundredths
    assert run("permutation", values, n_resamples=99, seed=1).p_value == found.p_value
    others = [run("permutation", values, n_resamples=99, seed=seed).p_value[0] for seed in range(5)]
    assert len(set(others)) > 1
    assert run("permutation", values).p_value == run("permutation", values, seed=0).p_value
    assert "else 9999" in run("permutation", values).notes[0]


# --- ranks of all together ------------------------------------------------------------------------


@pytest.mark.parametrize("test", [name for name, entry in PAIR_TESTS.items() if entry.on_ranks])
def test_the_better_of_ranked_algorithms_leads(test: str) -> None:
    values = np.random.default_rng(2).normal(size=(15, 3)) + [0, 2, 1]
    found = run(test, values)
    assert np.sign(found.lead).tolist() == [-1, -1, 1]
    assert (found.statistic >= 0).all()
    np.testing.assert_allclose(np.abs(found.lead), found.statistic)
    worse = run(test, -values)
    np.testing.assert_allclose(worse.lead, -found.lead, atol=1e-12)


def test_mean_ranks_are_exact_on_few_data_sets_without_ties() -> None:
    """All (3!)² rankings of two data sets: a gap of 2 in four of 36 ways for each pair."""
    values = np.array([[3.0, 2, 1], [30, 20, 10]])
    found = run("mean-ranks", values)
    assert found.notes == ("exact distribution for each pair",)
    assert found.p_value[1] == pytest.approx(2 / 36)
    tied = run("mean-ranks", np.array([[3.0, 3, 1], [30, 20, 10]]))
    assert tied.notes == ("normal approximation for each pair",)
    rng = np.random.default_rng(0)
    assert run("mean-ranks", rng.normal(size=(10, 3))).notes == (
        "exact distribution for each pair",
    )
    assert run("mean-ranks", rng.normal(size=(11, 3))).notes == (
        "normal approximation for each pair",
    )
    assert run("conover", rng.normal(size=(10, 3))).notes == ("t distribution for each pair",)


@pytest.mark.parametrize(
    ("n", "k", "notes"),
    [
        (2, 2, ["exact distribution for each pair"]),
        (7, 3, ["exact distribution for each pair"]),
        (8, 3, ["t distribution for each pair", AGREEMENT]),
        (60, 4, ["t distribution for each pair", AGREEMENT]),
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_agreement_of_all_data_sets_has_a_chance(
    n: int, k: int, notes: list[str], sign: int
) -> None:
    """All data sets have the order of the first with chance (1/k!)ⁿ⁻¹."""
    values = sign * (np.arange(n)[:, None] + np.arange(k) ** 2 / 10)
    found = run("conover", values)
    chance = math.factorial(k) ** (1 - n)
    np.testing.assert_allclose(found.p_value, chance, rtol=1e-9)
    assert list(found.notes) == notes
    together = run_omnibus("iman-davenport", sample_of(values))
    assert together.p_value == pytest.approx(chance, rel=1e-9, abs=0)
    assert (AGREEMENT in together.notes) == (AGREEMENT in notes)
    assert ("exact distribution, ties included" in together.notes) == (AGREEMENT not in notes)


@pytest.mark.parametrize("test", ["conover", "quade"])
def test_what_has_a_spread_is_not_said_to_agree(test: str) -> None:
    assert AGREEMENT not in run(test, np.random.default_rng(3).normal(size=(12, 3))).notes
    assert AGREEMENT not in run(test, np.ones((12, 3))).notes


def test_differences_that_do_not_vary_are_warned_of() -> None:
    """a is ahead of b by 0.1 on all that both have; c varies."""
    values = np.array([[0.9, 0.8, 0.3], [0.8, 0.7, 0.9], [0.7, 0.6, 0.1], [np.nan, 0.5, 0.4]])
    found = run("paired-t", values)
    assert found.p_value[0] == 2 / 2**3
    assert found.p_value[0] == run("permutation", values).p_value[0]
    assert found.statistic[0] == np.inf
    said = [note for note in found.notes if note.startswith("warning")]
    assert said == [
        "warning: the differences of 1 pair do not vary at all, so that there is no t: p is that "
        "of their signs, 2/2ⁿ on n data sets"
    ]
    assert not any("warning" in note for note in run("paired-t", values[:, 1:]).notes)
    assert not any("warning" in note for note in run("paired-t", np.ones((4, 2))).notes)


# --- asking ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "error", "says"),
    [
        (
            lambda: PAIR_TESTS["sign"].checked({"zero_method": "pratt"}),
            ParameterError,
            "takes ties",
        ),
        (lambda: PAIR_TESTS["paired-t"].checked({"seed": 1}), ParameterError, "takes no options"),
        (lambda: PAIR_TESTS["sign"].checked({"ties": "x"}), ParameterError, "drop, split.*'x'"),
        (lambda: PAIR_TESTS["permutation"].checked({"seed": -1}), ParameterError, "not negative"),
        (lambda: PAIR_TESTS["permutation"].checked({"seed": 1.5}), ParameterError, "whole number"),
        (lambda: pair_test_named("5x2cv-f"), ParameterError, "folds of one data set.*wilcoxon"),
        (lambda: pair_test_named("wilcoxn"), UnknownNameError, "wilcoxon"),
        (lambda: Procedure.asked("sign", "holm", 1), ParameterError, "alpha"),
        (lambda: Procedure.asked("sign", "nemenyi", 0.05), ParameterError, "mean-ranks"),
        (lambda: Procedure.asked("sign", "shaffer", 0.05, "a"), ParameterError, "control"),
    ],
)
def test_what_cannot_be_asked(ask: Callable[[], object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        ask()


def test_options_that_may_be_given() -> None:
    assert PAIR_TESTS["permutation"].checked({"seed": 0, "n_resamples": 5}) == {
        "seed": 0,
        "n_resamples": 5,
    }


def test_a_p_value_at_the_level_is_significant() -> None:
    """Six wins of six have p = 2/64, and that is what α may be."""
    values = np.column_stack([np.arange(6) + 1.0, np.arange(6)])
    at, below = 2 / 64, np.nextafter(2 / 64, 0)
    assert Procedure("sign", CORRECTIONS["none"], at).different(values).tolist() == [True]
    assert Procedure("sign", CORRECTIONS["none"], below).different(values).tolist() == [False]


def test_a_procedure_is_its_test_with_its_options_and_its_correction() -> None:
    values = board(3)
    sample = sample_of(values)
    procedure = Procedure.asked("sign", "holm", 0.05, options={"ties": "split"})
    found = procedure.run(sample)
    np.testing.assert_array_equal(found.statistic, run("sign", values, ties="split").statistic)
    adjusted = procedure.adjusted(found, 4)
    np.testing.assert_allclose(adjusted.max(), min(1, found.p_value.max()), atol=1)
    assert adjusted.min() == pytest.approx(min(1, 6 * found.p_value.min()))


def test_a_procedure_knows_how_many_algorithms_there_are() -> None:
    """Shaffer's numbers of true hypotheses depend on k: 6, 3, 3, 3, 2, 1 of four's six pairs."""
    rng = np.random.default_rng(6)
    values = rng.normal(size=(20, 4)) + [0, 0.4, 0.8, 1.2]
    p = run("wilcoxon", values).p_value
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * [6, 3, 3, 3, 2, 1])
    for alpha in adjusted:
        found = Procedure("wilcoxon", CORRECTIONS["shaffer"], float(alpha)).different(values)
        assert found[order].tolist() == (adjusted <= alpha).tolist()


def test_leads_with_gaps_are_each_pair_s_own() -> None:
    values = board(3, gaps=True)
    wanted = [each.mean() for each in differences(values)]
    assert run("paired-t", values).lead == pytest.approx(wanted)
