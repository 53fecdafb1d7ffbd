"""Several algorithms on one data set: ANOVA and Kruskal–Wallis."""

import numpy as np
import pytest
from scipy import stats

from palio.stats.several import anova, kruskal_wallis


def test_anova_by_hand() -> None:
    # Means 2, 3, 7, grand mean 4: MST = 2 · (4 + 1 + 9) / 2 = 14.
    # Squares about the means 2, 2, 2: MSE = 6 / 3 = 2. f = 7.
    outcome = anova([[1.0, 3.0], [2.0, 4.0], [6.0, 8.0]])
    assert float(outcome.statistic) == pytest.approx(7.0)
    assert outcome.df == (2.0, 3.0)
    assert float(outcome.p_value) == pytest.approx(stats.f.sf(7.0, 2, 3))
    assert outcome.null == "F"
    assert not outcome.degenerate


def test_anova_without_error() -> None:
    y = np.array([[0.1 + 0.2, 0.3], [0.3, 0.9 - 0.6]])
    assert len(set(y.ravel().tolist())) > 1
    nothing = anova(y)
    assert (float(nothing.statistic), float(nothing.p_value)) == (0.0, 1.0)
    assert bool(nothing.degenerate)
    certain = anova(y + np.array([[0.0], [1.0]]))
    assert (float(certain.statistic), float(certain.p_value)) == (np.inf, 0.0)
    assert bool(certain.degenerate)


def test_kruskal_wallis_by_hand() -> None:
    # Ranks 1 2 | 3 4 | 5 6, means 1.5 3.5 5.5 about 3.5: 2 · (4 + 0 + 4) = 16;
    # all ranks about 3.5: 2 · (6.25 + 2.25 + 0.25) = 17.5; H = 5 · 16 / 17.5
    outcome = kruskal_wallis([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    assert float(outcome.statistic) == pytest.approx(5 * 16 / 17.5)
    assert outcome.df == (2.0,)
    assert outcome.null == "chi2"


def test_kruskal_wallis_all_equal() -> None:
    outcome = kruskal_wallis([[0.1 + 0.2, 0.3], [0.3, 0.3]])
    assert (float(outcome.statistic), float(outcome.p_value)) == (0.0, 1.0)
    assert bool(outcome.degenerate)


def test_kruskal_wallis_sees_last_bit_ties() -> None:
    rough = kruskal_wallis([[0.1 + 0.2, 0.5], [0.3, 0.7]])
    clean = kruskal_wallis([[0.3, 0.5], [0.3, 0.7]])
    assert float(rough.statistic) == float(clean.statistic)


def test_tiny_p_values_survive() -> None:
    y = np.random.default_rng(0).normal(size=(3, 20)) + 1e3 * np.arange(3)[:, None]
    assert 0.0 < float(anova(y).p_value) < 1e-100


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (5,)])
def test_anova_shapes(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"y must have shape .*got shape"):
        anova(np.ones(shape))


def test_kruskal_wallis_shape_and_nan() -> None:
    with pytest.raises(ValueError, match="y must have shape"):
        kruskal_wallis(np.ones((1, 5)))
    with pytest.raises(ValueError, match="y must be finite"):
        kruskal_wallis([[1.0, np.nan], [1.0, 2.0]])
