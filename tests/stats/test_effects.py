"""Effect sizes and intervals."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import ndtr

from palio.stats import effects
from palio.stats.across import EXACT_LIMIT, wilcoxon
from palio.stats.effects import (
    Interval,
    WinTieLoss,
    cliffs_delta,
    hodges_lehmann,
    mean_difference,
    median_difference,
    rank_biserial,
    vargha_delaney,
    win_tie_loss,
)
from palio.types import FloatArray

INTERVALS = {f.__name__: f for f in (mean_difference, hodges_lehmann, median_difference)}
PLAIN = {f.__name__: f for f in (rank_biserial, cliffs_delta, vargha_delaney)}
every_interval = pytest.mark.parametrize("name", INTERVALS)
Arrays = list[np.ndarray[Any, Any]]
EVERY: dict[str, Callable[..., object]] = {**INTERVALS, **PLAIN, "win_tie_loss": win_tie_loss}

# A coarse grid, so that ties and zeros occur.
SCORES = st.integers(1, 12).flatmap(
    lambda n: arrays(np.float64, (2, n), elements=st.integers(-20, 20).map(lambda x: x / 10))
)


def _ends(interval: Interval) -> list[float]:
    return [float(interval.estimate), float(interval.low), float(interval.high)]


def _fields(result: object) -> Arrays:
    if isinstance(result, Interval):
        return [result.estimate, result.low, result.high]
    if isinstance(result, WinTieLoss):
        return [result.wins, result.ties, result.losses]
    assert isinstance(result, np.ndarray)
    return [result]


def test_mean_difference_by_hand() -> None:
    # Differences -1, 3: mean 1, S = √8, t(1) at 50 % is 1: 1 ± 2.
    got = _ends(mean_difference([0.0, 4.0], [1.0, 1.0], confidence=0.5))
    assert got == pytest.approx([1.0, -1.0, 3.0])


def test_hodges_lehmann_by_hand() -> None:
    # Six differences: P(W ≤ 0) = 1/64 and P(W ≤ 1) = 2/64, so 95 % reaches from end to end.
    d = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    # In order: 1 1.5 2 2.5 3 4 | 4.5 5 6 8 8.5 9 10 12 16 | 16.5 17 18 20 24 32: the 11th is 8.5.
    assert _ends(hodges_lehmann(d, 0 * d)) == [8.5, 1.0, 32.0]
    # 93.75 % allows P(W ≤ 1), so the second from either end.
    assert _ends(hodges_lehmann(d, 0 * d, confidence=0.9375)) == [8.5, 1.5, 24.0]
    # Five are too few for 95 %: P(W ≤ 0) is 1/32 on each side.
    assert _ends(hodges_lehmann(d[:5], 0 * d[:5])) == [5.0, -np.inf, np.inf]


def test_median_difference_by_hand() -> None:
    # Nine coins: P(X ≤ 1) = 10/512 = 0.0195, P(X ≤ 2) = 46/512: the second from either end.
    d = np.array([5.0, 1.0, 9.0, 3.0, 7.0, 2.0, 8.0, 4.0, 60.0])
    assert _ends(median_difference(d, 0 * d)) == [5.0, 2.0, 9.0]
    assert _ends(median_difference(d[:5], 0 * d[:5])) == [5.0, -np.inf, np.inf]


def test_win_tie_loss_by_hand() -> None:
    counts = win_tie_loss([[0.1 + 0.2, 0.5, 1.0], [0.0, 0.0, 0.0]], [0.3, 0.4, 2.0])
    assert counts.wins.tolist() == [1, 0]
    assert counts.ties.tolist() == [1, 0]
    assert counts.losses.tolist() == [1, 3]


def test_rank_biserial_by_hand() -> None:
    # Differences 0, 0.1, 0.1, -0.3: the zero goes, ranks 1.5 1.5 3, and 0 is left.
    a = [0.5, 0.8, 0.9, 0.4]
    assert float(rank_biserial(a, [0.5, 0.7, 0.8, 0.7])) == 0.0
    assert float(rank_biserial([2, 3], [1, 1])) == 1.0
    assert float(rank_biserial([1, 1], [2, 3])) == -1.0
    assert float(rank_biserial([0.1 + 0.2], [0.3])) == 0.0


def test_cliffs_delta_and_vargha_delaney_by_hand() -> None:
    # Pairs of (1, 2, 3) with (2, 2): 0, 2 ties, 2 wins; 2 losses.
    assert float(cliffs_delta([1, 2, 3], [2, 2])) == 0.0
    # 0.1 + 0.2 is tied with 0.3: two wins and a tie of four, one loss.
    assert float(cliffs_delta([0.1 + 0.2, 0.9], [0.3, 0.4])) == 0.25
    assert float(vargha_delaney([0.1 + 0.2, 0.9], [0.3, 0.4])) == 0.625
    assert float(cliffs_delta([5.0], [1.0, 2.0])) == 1.0


@given(scores=SCORES)
def test_cliffs_delta_counts_all_pairs(scores: FloatArray) -> None:
    a, b = scores
    sign = np.sign((a[:, None] - b).round(6))
    assert float(cliffs_delta(a, b)) == pytest.approx(sign.mean(), abs=1e-15)
    assert float(vargha_delaney(a, b)) == pytest.approx((sign.mean() + 1) / 2, abs=1e-15)


@pytest.mark.parametrize("n", [6, 7, 12, 25])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_hodges_lehmann_holds_what_wilcoxon_does_not_reject(n: int, confidence: float) -> None:
    rng = np.random.default_rng(n)
    d = rng.normal(0.3, 1.0, size=n)
    interval = hodges_lehmann(d, np.zeros(n), confidence=confidence)
    eps = 1e-9
    for shift, inside in (
        (float(interval.low) + eps, True),
        (float(interval.low) - eps, False),
        (float(interval.high) - eps, True),
        (float(interval.high) + eps, False),
    ):
        p = float(wilcoxon(d, np.full(n, shift)).p_value)
        assert (p > 1 - confidence) is inside


def test_the_normal_cut_agrees_with_the_exact_one_where_both_exist() -> None:
    # Mean 2525 and standard deviation 290.8 for a hundred: within a fiftieth of the latter.
    exact = effects._signed_rank_cuts(100, np.array([0.005, 0.025, 0.1])).tolist()
    normal = [2525.5 - z * 290.84 for z in (2.5758, 1.9600, 1.2816)]
    assert exact == pytest.approx(normal, abs=5)
    # One more data set, and the normal takes over without a jump.
    tail = np.array([0.025])
    growth = np.diff([int(effects._signed_rank_cuts(n, tail)[0]) for n in range(98, 104)])
    assert growth.tolist() == pytest.approx([41] * 5, abs=2)


@pytest.mark.parametrize("n", [EXACT_LIMIT + 1, 150, 151, 400])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_the_cut_of_many_data_sets_is_the_largest_that_holds(n: int, confidence: float) -> None:
    """Counted from outside among all Walsh averages, against the normal with half a step."""
    difference = np.random.default_rng(n).normal(size=n)
    interval = effects.hodges_lehmann(difference, np.zeros(n), confidence=confidence)
    i, j = np.triu_indices(n)
    walsh = np.sort((difference[i] + difference[j]) / 2)
    cut = int(np.searchsorted(walsh, interval.low - 1e-12)) + 1
    assert walsh[-cut] == pytest.approx(float(interval.high))
    middle, spread = n * (n + 1) / 4, np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    tail = (1 - confidence) / 2

    def below(w: int) -> float:
        return float(ndtr((w + 0.5 - middle) / spread))

    assert below(cut - 1) <= tail < below(cut)


def test_a_thousand_data_sets() -> None:
    d = np.random.default_rng(0).normal(0.1, 1.0, size=(3, 1000))
    interval = hodges_lehmann(d, np.zeros_like(d))
    np.testing.assert_allclose(interval.estimate, d.mean(axis=-1), atol=0.02)
    student = mean_difference(d, np.zeros_like(d))
    np.testing.assert_allclose(interval.low, student.low, atol=0.03)
    np.testing.assert_allclose(interval.high, student.high, atol=0.03)


@every_interval
def test_one_data_set(name: str) -> None:
    assert _ends(INTERVALS[name]([0.75], [0.5])) == [0.25, -np.inf, np.inf]


@every_interval
def test_differences_that_do_not_vary(name: str) -> None:
    # 89.62 - 88.89 and 90.62 - 89.89 differ in their last bits only.
    a, b = np.array([89.62, 90.62] * 5), np.array([88.89, 89.89] * 5)
    estimate, low, high = _ends(INTERVALS[name](a, b))
    assert low == pytest.approx(0.73)
    assert estimate == pytest.approx(low, abs=1e-10)
    assert high == pytest.approx(low, abs=1e-10)
    assert _ends(INTERVALS[name](a, a)) == [0.0, 0.0, 0.0]


def test_zero_spread_is_the_estimate_alone() -> None:
    estimate, low, high = _ends(mean_difference([89.62, 90.62], [88.89, 89.89]))
    assert low == estimate == high


@every_interval
def test_rounding_does_not_move_zero(name: str) -> None:
    # ±0.1 from different scores: mean, median and Walsh averages are zero, not 1e-17.
    a, b = np.array([0.9, 0.7] * 5), np.array([0.8, 0.8] * 5)
    assert float(INTERVALS[name](a, b).estimate) == 0.0


@every_interval
@given(scores=SCORES)
def test_swapping_mirrors_the_interval(name: str, scores: FloatArray) -> None:
    a, b = scores
    estimate, low, high = _ends(INTERVALS[name](a, b))
    np.testing.assert_allclose(
        _ends(INTERVALS[name](b, a)), [-estimate, -high, -low], rtol=1e-12, atol=1e-12
    )
    assert low <= estimate <= high


@given(scores=SCORES)
def test_swapping_mirrors_the_rest(scores: FloatArray) -> None:
    a, b = scores
    assert float(rank_biserial(b, a)) == -float(rank_biserial(a, b))
    assert float(cliffs_delta(b, a)) == pytest.approx(-float(cliffs_delta(a, b)), abs=1e-15)
    assert float(vargha_delaney(b, a)) == pytest.approx(1 - float(vargha_delaney(a, b)), abs=1e-15)
    ours, theirs = win_tie_loss(a, b), win_tie_loss(b, a)
    assert ours.wins == theirs.losses
    assert ours.ties == theirs.ties
    assert ours.wins + ours.ties + ours.losses == a.size


@every_interval
@given(scores=SCORES)
def test_more_confidence_is_wider(name: str, scores: FloatArray) -> None:
    a, b = scores
    narrow = INTERVALS[name](a, b, confidence=0.8)
    wide = INTERVALS[name](a, b, confidence=0.99)
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high
    assert wide.confidence == 0.99


@pytest.mark.parametrize("name", EVERY)
def test_batch_equals_loop(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function = EVERY[name]
    a, b = np.random.default_rng(1).normal(size=(2, 3, 4, 9)).round(1)
    b[0, 0] = a[0, 0]
    b[0, 1] = a[0, 1] - 1.0
    batch = _fields(function(a, b))
    for index in np.ndindex(3, 4):
        for whole, part in zip(batch, _fields(function(a[index], b[index])), strict=True):
            assert part.shape == ()
            np.testing.assert_allclose(whole[index], part, rtol=1e-14)
    for field in _fields(function(a[:0], b[:0])):
        assert field.shape == (0, 4)
    # One against many, and in the smallest portions: the same.
    monkeypatch.setattr(effects, "_CELLS", 1)
    for whole, part in zip(_fields(function(a[0], b[0, 2])), batch, strict=True):
        assert whole.shape == part[0].shape
        np.testing.assert_array_equal(whole[2], part[0, 2])


@pytest.mark.parametrize("name", EVERY)
def test_what_is_not_a_sample(name: str) -> None:
    with pytest.raises(ValueError, match="a must be finite; got 1"):
        EVERY[name]([0.5, np.nan], [0.5, 0.5])
    with pytest.raises(ValueError, match=r"a must have shape \(\.\.\., at least 1\)"):
        EVERY[name]([], [])
    if name not in ("cliffs_delta", "vargha_delaney"):
        with pytest.raises(ValueError, match="a and b are paired"):
            EVERY[name]([0.5, 0.5], [0.5])


@every_interval
@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_what_is_not_a_confidence(name: str, confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence must lie strictly between 0 and 1; got"):
        INTERVALS[name]([0.5], [0.5], confidence=confidence)


def test_results_are_frozen() -> None:
    with pytest.raises(AttributeError):
        mean_difference([1.0], [0.0]).confidence = 0.5  # type: ignore[misc]
