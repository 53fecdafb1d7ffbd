"""Posterior predictive checks: what fits passes, what does not is told."""

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from palio.bayes.answer import Checks
from palio.bayes.models.anova_checks import check_fit, histograms, predictive
from palio.bayes.models.anova_model import Fits
from palio.results import plain

Floats = NDArray[np.float64]


def fits_of(n: int, n_datasets: int, *, sd: float = 1.0, df: float | None = None) -> Fits:
    """Return n equal fits: everything 0, two algorithms."""
    return Fits(
        np.zeros(n),
        np.zeros((n, 2)),
        np.zeros((n, n_datasets)),
        np.full(n, sd),
        None if df is None else np.full(n, df),
    )


def test_the_chi_square_discrepancy_by_hand() -> None:
    scores = np.array([[1.0, 2.0], [np.nan, -4.0]])
    found, _, outside = predictive(
        scores, fits_of(400, 2, sd=2.0), lower=None, upper=None, rng=np.random.default_rng(0)
    )
    assert set(found.observed) == {(1 + 4 + 16) / 4}
    # The replicated ones are χ² with as many degrees of freedom as there are scores: 3.
    replicated = np.array(found.replicated)
    assert replicated.mean() == pytest.approx(3, abs=4 * np.sqrt(6 / 400))
    # P(χ²(3) ≥ 5.25) = 0.154
    assert found.p_value == pytest.approx(0.154, abs=0.075)
    assert outside == {"lower": None, "below": None, "upper": None, "above": None}


def test_the_share_outside_the_range() -> None:
    *_, found = predictive(
        np.zeros((50, 2)), fits_of(200, 50), lower=-1.0, upper=2.0, rng=np.random.default_rng(0)
    )
    # Φ(−1) = 0.1587, Φ(−2) = 0.0228
    assert found.below == pytest.approx(0.1587, abs=0.01)
    assert found.above == pytest.approx(0.0228, abs=0.005)


@pytest.mark.parametrize("df", [0.05, 1.0, 5.0])
def test_the_robust_discrepancy_exists_without_a_variance(df: float) -> None:
    rng = np.random.default_rng(0)
    scores = np.clip(rng.standard_t(df, size=(100, 2)), -1e100, 1e100)
    found, *_ = predictive(scores, fits_of(300, 100, df=df), lower=None, upper=None, rng=rng)
    assert np.isfinite(found.replicated).all()
    assert 0.001 < found.p_value < 0.999


def _names(scores: Floats) -> dict[str, list[str]]:
    return {"algorithms": ["a", "b"], "datasets": [f"d{i}" for i in range(len(scores))]}


def _checked(scores: Floats, fits: Fits, lower: float) -> Checks:
    rng = np.random.default_rng(1)
    return check_fit(scores, fits, **_names(scores), lower=lower, upper=None, rng=rng)


def _warned(scores: Floats, df: float | None = None) -> list[str]:
    return list(_checked(scores, fits_of(300, len(scores), df=df), -1e9)["warnings"])


def test_warnings_in_words() -> None:
    rng = np.random.default_rng(0)
    fine = rng.normal(size=(100, 2))
    assert _warned(fine) == []
    assert any("vary more" in warning for warning in _warned(2 * fine))
    assert any("vary less" in warning for warning in _warned(0.5 * fine))
    outlier = fine.copy()
    outlier[3, 1] = 9
    assert any("robust=True" in warning for warning in _warned(outlier))
    assert _warned(rng.standard_t(1, size=(100, 2)), df=1.0) == []


def test_a_range_that_the_model_ignores_is_told() -> None:
    scores = np.abs(np.random.default_rng(0).normal(size=(100, 2)))
    found = _checked(scores, fits_of(100, 100), 0.0)
    assert any("lie below 0" in warning for warning in found["warnings"])
    json.dumps(plain(found))


def test_histograms_count_every_score_once() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(30, 2))
    scores[2, 1] = np.nan
    found = histograms(scores, fits_of(10, 30), rng, **_names(scores))
    assert [sum(counts) for counts in found["by_algorithm"]["counts"]] == [30, 29]
    assert found["by_algorithm"]["mean"][0] == pytest.approx(scores[:, 0].mean())
    assert len(found["by_dataset"]["names"]) == 20
    place = int(found.by_dataset.names[7][1:])
    assert found.by_dataset.mean[7] == pytest.approx(np.nanmean(scores[place]))
    assert len(found["by_dataset"]["counts"]) == 20
    assert sum(found["residuals"]["counts"]) + found["residuals"]["beyond"] == 59
