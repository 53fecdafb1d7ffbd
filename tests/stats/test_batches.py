"""Every function gives on a batch what it gives on each member, and leaves its input alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from palio.stats import across, adjust, folds, posthoc, ranks, several
from palio.stats.outcome import Outcome

RNG = np.random.default_rng(7)
# Rounded, so that ties and zeros occur; two members are degenerate on purpose, and one is so large
# that what is noise there is a difference elsewhere.
PAIRS = RNG.normal(size=(2, 3, 4, 5, 2)).round(1)
PAIRS[1, 0, 0] = PAIRS[0, 0, 0]
PAIRS[1, 0, 1] = PAIRS[0, 0, 1] - 1.0
PAIRS[:, 2, 3] *= 2.0**50
TABLES = RNG.normal(size=(3, 4, 5, 6)).round(1)
TABLES[0, 0] = 0.5
TABLES[0, 1] = np.arange(5.0)[:, None]
TABLES[2, 3] *= 2.0**50
SUMS = RNG.integers(2, 13, size=(3, 4, 6)) / 2.0

Arrays = list[np.ndarray[Any, Any]]


def _fields(result: object) -> Arrays:
    if isinstance(result, across.FriedmanOutcome):
        extra = [result.statistic_uncorrected, result.mean_ranks]
        return [result.statistic, result.p_value, result.degenerate, result.n, *extra]
    if isinstance(result, Outcome):
        return [result.statistic, result.p_value, result.degenerate, result.n]
    if isinstance(result, several.RangeTest):
        return [result.order, result.means, result.equal, result.mse, result.degenerate]
    assert isinstance(result, np.ndarray)
    return [result]


def _flat(pairs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return pairs.reshape(*pairs.shape[:-2], 10)


CASES: dict[str, tuple[Callable[..., object], Arrays]] = {
    "kfold_t": (folds.kfold_t, [*PAIRS]),
    "kfold_t less": (lambda a, b: folds.kfold_t(a, b, alternative="less"), [*PAIRS]),
    "corrected_t": (lambda a, b: folds.corrected_t(a, b, test_fraction=0.5), [*PAIRS]),
    "calibrated_t": (folds.calibrated_t, [*PAIRS]),
    "cv52_t": (folds.cv52_t, [*PAIRS]),
    "cv52_f": (folds.cv52_f, [*PAIRS]),
    "anova": (several.anova, [TABLES]),
    "kruskal_wallis": (several.kruskal_wallis, [TABLES]),
    "newman_keuls": (several.newman_keuls, [TABLES]),
    "tukey": (several.tukey, [TABLES]),
    "duncan": (several.duncan, [TABLES]),
    "sign_test": (across.sign_test, [*_flat(PAIRS)]),
    "sign_test split": (lambda a, b: across.sign_test(a, b, ties="split"), [*_flat(PAIRS)]),
    "wilcoxon": (across.wilcoxon, [*_flat(PAIRS)]),
    "wilcoxon pratt": (lambda a, b: across.wilcoxon(a, b, zero_method="pratt"), [*_flat(PAIRS)]),
    "wilcoxon zsplit": (lambda a, b: across.wilcoxon(a, b, zero_method="zsplit"), [*_flat(PAIRS)]),
    "wilcoxon normal": (across.wilcoxon, [*RNG.normal(size=(2, 3, 4, 120)).round(1)]),
    "wilcoxon less": (lambda a, b: across.wilcoxon(a, b, alternative="less"), [*_flat(PAIRS)]),
    "paired_t": (across.paired_t, [*_flat(PAIRS)]),
    "permutation": (across.permutation_test, [*_flat(PAIRS)]),
    "permutation random": (across.permutation_test, [*RNG.normal(size=(2, 3, 4, 40)).round(1)]),
    "friedman": (across.friedman, [TABLES]),
    "iman_davenport": (across.iman_davenport, [TABLES]),
    "kendall_w": (across.kendall_w, [TABLES]),
    "friedman_aligned": (across.friedman_aligned, [TABLES]),
    "quade": (across.quade, [TABLES]),
    "friedman_exact": (across.friedman_exact, [TABLES[..., :4]]),
    "nemenyi": (lambda r: posthoc.nemenyi(r, 12), [RNG.random((3, 4, 6))]),
    "mean_ranks_z": (lambda r: posthoc.mean_ranks_z(r, 12), [RNG.random((3, 4, 6))]),
    "mean_ranks_exact": (lambda r: posthoc.mean_ranks_exact(r, 2), [SUMS]),
    "conover": (lambda v: posthoc.conover(ranks.average_ranks(v)), [TABLES]),
    "quade_posthoc": (posthoc.quade_posthoc, [TABLES]),
    "aligned_posthoc": (posthoc.aligned_posthoc, [TABLES]),
    "holm": (adjust.holm, [RNG.random((3, 4, 6))]),
    "bonferroni": (adjust.bonferroni, [RNG.random((3, 4, 6))]),
    "none": (adjust.none, [RNG.random((3, 4, 6))]),
    "average_ranks": (ranks.average_ranks, [TABLES]),
}


@pytest.mark.parametrize("name", CASES)
def test_batch_equals_loop(name: str) -> None:
    function, arguments = CASES[name]
    batch = _fields(function(*arguments))
    for index in np.ndindex(3, 4):
        single = _fields(function(*(argument[index] for argument in arguments)))
        for whole, part in zip(batch, single, strict=True):
            assert isinstance(part, np.ndarray)
            np.testing.assert_allclose(whole[index], part, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", CASES)
def test_an_empty_batch_is_empty(name: str) -> None:
    function, arguments = CASES[name]
    for field in _fields(function(*(argument[:0] for argument in arguments))):
        assert field.shape[0] == 0


@pytest.mark.parametrize("name", CASES)
def test_input_is_left_alone(name: str) -> None:
    function, arguments = CASES[name]
    before = [argument.copy() for argument in arguments]
    function(*arguments)
    for argument, copy in zip(arguments, before, strict=True):
        np.testing.assert_array_equal(argument, copy)


def test_one_data_set_gives_zero_dimensional_arrays() -> None:
    for name in ("kfold_t", "cv52_f", "wilcoxon", "sign_test", "friedman", "anova"):
        function, arguments = CASES[name]
        outcome = function(*(argument[1, 1] for argument in arguments))
        assert isinstance(outcome, Outcome)
        for field in (outcome.statistic, outcome.p_value, outcome.degenerate, outcome.n):
            assert field.shape == ()
        assert 0.0 <= float(outcome.p_value) <= 1.0
        assert outcome.degenerate.dtype == np.bool_


def test_outcomes_are_frozen() -> None:
    outcome = folds.kfold_t([[1.0, 2.0]], [[0.0, 0.0]])
    with pytest.raises(AttributeError):
        outcome.df = (1.0,)  # type: ignore[misc]
