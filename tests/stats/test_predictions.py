"""Tests on instances, worked by hand and against other ways to the same number."""

from itertools import product

import numpy as np
import pytest
from scipy import stats as scipy_stats

from palio.stats.predictions import (
    MCNEMAR_EXACT_LIMIT,
    cochran_q,
    discordant_counts,
    discordant_matrix,
    greenhouse_geisser,
    looney_f,
    looney_f_adjusted,
    mcnemar,
)
from palio.types import BoolArray


def two_columns(both: int, only_a: int, only_b: int, neither: int) -> tuple[BoolArray, BoolArray]:
    a = np.repeat([True, True, False, False], [both, only_a, only_b, neither])
    b = np.repeat([True, False, True, False], [both, only_a, only_b, neither])
    return a, b


def some(n: int = 60, k: int = 4, seed: int = 0) -> BoolArray:
    rng = np.random.default_rng(seed)
    return rng.random((n, k)) < np.linspace(0.5, 0.8, k)


# --- McNemar -------------------------------------------------------------------------------


def test_mcnemar_by_hand() -> None:
    """n₁₀ = 40 and n₀₁ = 20: t = 19² / 60, whatever the 1000 others."""
    outcome = mcnemar(*two_columns(800, 40, 20, 200))
    assert float(outcome.statistic) == pytest.approx(361 / 60)
    assert float(outcome.p_value) == pytest.approx(scipy_stats.chi2.sf(361 / 60, 1), rel=1e-12)
    assert (outcome.null, outcome.df, int(outcome.n)) == ("chi2", (1.0,), 60)


def test_approval_ratings() -> None:
    """Agresti, Categorical data analysis, on two polls of the same 1600: 794, 150, 86 and 570.

    (86 - 150) / √236 = -4.17, whose square is Cochran's Q of two; eq. 13 gives 63² / 236.
    """
    a, b = two_columns(794, 150, 86, 570)
    assert float(mcnemar(a, b).statistic) == pytest.approx(63**2 / 236)
    z = np.sqrt(float(cochran_q(np.stack([a, b], axis=1)).statistic))
    assert z == pytest.approx(4.17, abs=0.005)


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 1), (3, 9), (10, 15), (40, 30)])
def test_exact_is_the_binomial_test(only_a: int, only_b: int) -> None:
    outcome = mcnemar(*two_columns(5, only_a, only_b, 7), exact=True)
    expected = scipy_stats.binomtest(only_a, only_a + only_b).pvalue
    assert float(outcome.p_value) == pytest.approx(expected, rel=1e-12)
    assert outcome.null == "exact"


def test_exact_up_to_the_limit() -> None:
    at = two_columns(3, MCNEMAR_EXACT_LIMIT - 5, 5, 0)
    beyond = two_columns(3, MCNEMAR_EXACT_LIMIT - 4, 5, 0)
    assert mcnemar(*at).p_value == mcnemar(*at, exact=True).p_value
    assert mcnemar(*beyond).p_value == mcnemar(*beyond, exact=False).p_value
    assert mcnemar(*beyond).p_value != mcnemar(*beyond, exact=True).p_value


@pytest.mark.parametrize("exact", [None, True, False])
def test_nothing_discordant(exact: bool | None) -> None:
    outcome = mcnemar(*two_columns(5, 0, 0, 5), exact=exact)
    assert (float(outcome.statistic), float(outcome.p_value)) == (0.0, 1.0)
    assert bool(outcome.degenerate)


@pytest.mark.parametrize(("only_a", "only_b"), [(30, 30), (30, 31)])
def test_correction_does_not_overshoot(only_a: int, only_b: int) -> None:
    """Eq. 13 taken literally gives 1/60 for 30 : 30, and rejects more than for 30 : 31."""
    outcome = mcnemar(*two_columns(0, only_a, only_b, 0))
    assert (float(outcome.statistic), float(outcome.p_value)) == (0.0, 1.0)


def test_mirrored_and_batched() -> None:
    x = some()
    a, b = x[:, [0, 0, 1]].T, x[:, [1, 2, 3]].T
    together, turned = mcnemar(a, b), mcnemar(b, a)
    assert together.p_value.tolist() == turned.p_value.tolist()
    assert together.p_value.tolist() == [
        float(mcnemar(i, j).p_value) for i, j in zip(a, b, strict=True)
    ]
    assert discordant_counts(a, b)[0].tolist() == discordant_counts(b, a)[1].tolist()


def test_tiny_p_values_are_not_zero() -> None:
    assert 0 < float(mcnemar(*two_columns(0, 900, 0, 0)).p_value) < 1e-190


# --- Cochran -------------------------------------------------------------------------------


def test_cochran_by_hand() -> None:
    """Columns 5, 3, 1 of six; rows 3, 2, 2, 1, 1, 0: Q = 2 (3 · 35 - 81) / (27 - 19) = 6."""
    x = [[1, 1, 1], [1, 1, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]]
    outcome = cochran_q(x, exact=False)
    assert float(outcome.statistic) == pytest.approx(6.0)
    assert float(outcome.p_value) == pytest.approx(np.exp(-3.0))  # χ² with two degrees of freedom
    assert outcome.df == (2.0,)


def test_cochran_of_two_is_mcnemar_without_correction() -> None:
    a, b = two_columns(10, 40, 20, 5)
    assert float(cochran_q(np.stack([a, b], axis=1)).statistic) == pytest.approx(20**2 / 60)


def test_cochran_ignores_unanimous_instances() -> None:
    x = some()
    more = np.concatenate([x, np.ones((50, 4)), np.zeros((50, 4))])
    assert float(cochran_q(more).statistic) == pytest.approx(float(cochran_q(x).statistic))


def test_cochran_is_friedman_on_truth_values() -> None:
    """Friedman's statistic with its correction for ties is Cochran's Q, where scores are 0 and 1.

    Instances all right or all wrong are ties throughout and count in neither.
    """
    x = some(80, 5, seed=3).astype(float)
    expected = scipy_stats.friedmanchisquare(*x.T)
    outcome = cochran_q(x)
    assert float(outcome.statistic) == pytest.approx(expected.statistic)
    assert float(outcome.p_value) == pytest.approx(expected.pvalue)


# --- Looney --------------------------------------------------------------------------------


def test_looney_by_the_equations() -> None:
    """Eq. 14 to 16 as they are printed."""
    x = some().astype(float)
    n, k = x.shape
    p = x.mean()
    ssa = n * np.square(x.mean(axis=0)).sum() - n * k * p**2
    ssb = k * np.square(x.mean(axis=1)).sum() - n * k * p**2
    ssab = n * k * p * (1 - p) - ssa - ssb
    f = ssa / (k - 1) / (ssab / ((k - 1) * (n - 1)))
    outcome = looney_f(x)
    assert float(outcome.statistic) == pytest.approx(f)
    assert outcome.df == (k - 1, (k - 1) * (n - 1))
    assert float(outcome.p_value) == pytest.approx(scipy_stats.f.sf(f, *outcome.df))


def test_looney_by_hand() -> None:
    """Columns 5, 3, 1 of six: SSA = 4/3, SSAB = 4/3: F = (4/3 / 2) / (4/3 / 10) = 5."""
    x = [[1, 1, 1], [1, 1, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]]
    outcome = looney_f(x)
    assert float(outcome.statistic) == pytest.approx(5.0)
    assert outcome.df == (2.0, 10.0)
    assert float(outcome.p_value) == pytest.approx(2.0**-5)  # (1 + 2 · 5 / 10)⁻⁵


def test_looney_of_two_is_the_squared_paired_t() -> None:
    x = some(40, 2).astype(float)
    t = scipy_stats.ttest_rel(x[:, 0], x[:, 1])
    for test in (looney_f, looney_f_adjusted):
        assert float(test(x).statistic) == pytest.approx(t.statistic**2)
        assert float(test(x).p_value) == pytest.approx(t.pvalue)


def test_looney_and_cochran_hang_together() -> None:
    for seed in range(5):
        x = some(seed=seed)
        n, k = x.shape
        q = float(cochran_q(x).statistic)
        assert float(looney_f(x).statistic) == pytest.approx((n - 1) * q / (n * (k - 1) - q))


def test_greenhouse_geisser_from_contrasts() -> None:
    """The same ε̂ from the eigenvalues of the covariance of orthonormal contrasts."""
    x = some(k=5).astype(float)
    contrasts = np.linalg.qr(np.column_stack([np.ones(5), np.eye(5)[:, :4]]))[0][:, 1:]
    values = np.linalg.eigvalsh(np.cov((x @ contrasts).T))
    expected = values.sum() ** 2 / (4 * np.square(values).sum())
    assert float(greenhouse_geisser(x)) == pytest.approx(expected)


def test_epsilon_has_its_bounds() -> None:
    assert float(greenhouse_geisser(some(k=2))) == 1.0
    # Only one of the algorithms varies, so there is one direction of variation.
    x = np.zeros((10, 4), dtype=bool)
    x[::2, 0] = True
    assert float(greenhouse_geisser(x)) == pytest.approx(1 / 3)
    assert float(greenhouse_geisser(np.ones((3, 4)))) == 1.0


def test_adjusted_rejects_less() -> None:
    for seed in range(5):
        x = some(seed=seed)
        assert looney_f_adjusted(x).statistic == looney_f(x).statistic
        assert looney_f_adjusted(x).p_value >= looney_f(x).p_value


@pytest.mark.parametrize("test", [looney_f, looney_f_adjusted])
def test_looney_without_interaction(test: object) -> None:
    assert callable(test)
    divided = test([[1, 0], [1, 0], [1, 0]])
    assert (float(divided.statistic), float(divided.p_value)) == (np.inf, 0.0)
    agreed = test([[1, 1], [0, 0], [1, 1]])
    assert (float(agreed.statistic), float(agreed.p_value)) == (0.0, 1.0)
    assert bool(divided.degenerate)
    assert bool(agreed.degenerate)


@pytest.mark.parametrize("test", [cochran_q, looney_f, looney_f_adjusted])
def test_batches(test: object) -> None:
    assert callable(test)
    batch = np.stack([some(seed=seed) for seed in range(6)]).reshape(2, 3, 60, 4)
    together = test(batch)
    assert together.p_value.shape == (2, 3)
    for i, j in product(range(2), range(3)):
        assert float(together.p_value[i, j]) == pytest.approx(float(test(batch[i, j]).p_value))


@pytest.mark.parametrize("rows", [(1, 2, 1), (2, 2, 1, 1), (1, 3, 0, 2)])
def test_cochran_exactly_by_counting_all_ways(rows: tuple[int, ...]) -> None:
    """Over all ways to place the correct answers within instances, E[Q] is K - 1."""
    ways = [[row for row in product([0, 1], repeat=3) if sum(row) == r] for r in rows]
    tables = np.array(list(product(*ways)))
    outcome = cochran_q(tables)
    assert float(outcome.statistic.mean()) == pytest.approx(2.0)
    expected = [float((outcome.statistic >= q - 1e-9).mean()) for q in outcome.statistic]
    assert outcome.p_value.tolist() == pytest.approx(expected)
    assert outcome.null == "exact"


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 1), (3, 9), (10, 15), (7, 7)])
def test_exact_cochran_of_two_is_exact_mcnemar(only_a: int, only_b: int) -> None:
    a, b = two_columns(5, only_a, only_b, 7)
    outcome = cochran_q(np.stack([a, b], axis=1))
    assert float(outcome.p_value) == pytest.approx(float(mcnemar(a, b).p_value), rel=1e-12)


def test_cochran_is_exact_where_it_can_be() -> None:
    x = some(20, 3)
    assert cochran_q(x).null == "exact"
    assert cochran_q(some(20, 6)).null == "chi2"
    assert cochran_q(some(80, 3)).null == "chi2"
    assert float(cochran_q(x).p_value) == pytest.approx(
        float(cochran_q(x, exact=False).p_value), abs=0.05
    )


def test_counts_of_all_pairs_at_once() -> None:
    x = some()
    matrix = discordant_matrix(x)
    for i, j in product(range(4), repeat=2):
        only_i, only_j = discordant_counts(x[:, i], x[:, j])
        assert (matrix[i, j], matrix[j, i]) == (only_i, only_j)


def test_bad_arrays() -> None:
    with pytest.raises(ValueError, match="truth values"):
        cochran_q([[0.5, 1.0]])
    with pytest.raises(ValueError, match="correct must have shape"):
        looney_f([[1, 0]])
    with pytest.raises(ValueError, match="same instances"):
        mcnemar([1, 0], [1, 0, 1])
    with pytest.raises(ValueError, match="finite"):
        cochran_q([[np.nan, 1.0]])
