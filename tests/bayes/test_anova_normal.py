"""The engine for complete tables, against the model written out cell by cell."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from palio.bayes.draws import all_pairs
from palio.bayes.models.anova_model import Unit, gamma_with_mode
from palio.bayes.models.anova_normal import Sums, draw_normal, exact_pairs
from palio.bayes.models.anova_robust import draw_gibbs

Floats = NDArray[np.float64]

TABLE = np.array([[0.81, 0.77], [0.66, 0.65], [0.93, 0.84]])
UNIT = Unit(0.75, 0.1)


def by_quadrature(scores: Floats, unit: Unit, rope: float, nodes: int = 48) -> dict[str, float]:
    """Integrate over a grid of the three standard deviations, with every covariance in full.

    Nothing here knows of sums of squares or of effects that sum to zero: y is a normal vector with
    covariance 25 s² J + σ_a² A + σ_d² D + σ_0² I, and the α_a are normal given y.
    """
    seen = ~np.isnan(scores)
    rows, columns = np.nonzero(seen)
    y = scores[seen] - unit.mean
    same_column = (columns[:, None] == columns).astype(float)
    same_row = (rows[:, None] == rows).astype(float)
    x, w = np.polynomial.legendre.leggauss(nodes)

    def axis(low: float, high: float) -> tuple[Floats, Floats]:
        u = (low + high) / 2 + (high - low) / 2 * x
        return unit.sd * np.exp(u), w * np.exp(u)

    (s0, w0), (sa, wa), (sd, wd) = axis(np.log(0.01), np.log(10)), axis(-12, 4), axis(-12, 4)
    shape, rate = gamma_with_mode(unit.sd / 2, 2 * unit.sd)
    prior = stats.gamma(shape, scale=1 / rate)
    wa, wd = wa * prior.pdf(sa), wd * prior.pdf(sd)
    v0, va, vd = (v.ravel() ** 2 for v in np.meshgrid(s0, sa, sd, indexing="ij"))
    weight = (w0[:, None, None] * wa[:, None] * wd).ravel()
    covariance = (
        25 * unit.sd**2
        + va[:, None, None] * same_column
        + vd[:, None, None] * same_row
        + v0[:, None, None] * np.eye(y.size)
    )
    solved = np.linalg.solve(covariance, np.broadcast_to(y, (v0.size, y.size))[:, :, None])
    log_density = -0.5 * np.linalg.slogdet(covariance)[1] - 0.5 * solved[:, :, 0] @ y
    weight = weight * np.exp(log_density - log_density.max())
    weight /= weight.sum()
    contrast = (columns == 0).astype(float) - (columns == 1)
    mean = va * (solved[:, :, 0] @ contrast)
    of_contrast = np.linalg.solve(
        covariance, np.broadcast_to(contrast, (v0.size, y.size))[:, :, None]
    )[:, :, 0]
    variance = 2 * va - va**2 * (of_contrast @ contrast)
    spread = np.sqrt(variance)
    return {
        "above": float(weight @ stats.norm.sf(rope, mean, spread)),
        "below": float(weight @ stats.norm.cdf(-rope, mean, spread)),
        "difference": float(weight @ mean),
        "sd_error": float(weight @ np.sqrt(v0)),
        "sd_algorithm": float(weight @ np.sqrt(va)),
        "sd_dataset": float(weight @ np.sqrt(vd)),
    }


def test_the_prior_of_effects_has_the_mode_and_spread_of_the_paper() -> None:
    shape, rate = gamma_with_mode(0.5, 2.0)
    prior = stats.gamma(shape, scale=1 / rate)
    x = np.linspace(0.01, 3, 30_000)
    assert x[np.argmax(prior.pdf(x))] == pytest.approx(0.5, abs=1e-3)
    assert prior.std() == pytest.approx(2.0)


def test_exact_pairs_agree_with_brute_quadrature() -> None:
    above, equal, below = exact_pairs(TABLE, unit=UNIT, rope=0.03)[0]
    expected = by_quadrature(TABLE, UNIT, 0.03)
    assert above == pytest.approx(expected["above"], abs=2e-5)
    assert below == pytest.approx(expected["below"], abs=2e-5)
    assert above + equal + below == pytest.approx(1, abs=1e-12)


def test_draws_agree_with_brute_quadrature() -> None:
    drawn, _ = draw_normal(TABLE, unit=UNIT, draws=50_000, chains=4, rng=np.random.default_rng(0))
    expected = by_quadrature(TABLE, UNIT, 0.03)
    effects = drawn.values["algorithm"]
    found = {"difference": effects[..., 0] - effects[..., 1], **drawn.values}
    for name in ("difference", "sd_error", "sd_algorithm", "sd_dataset"):
        error = found[name].std() / np.sqrt(found[name].size)
        assert abs(found[name].mean() - expected[name]) < 4 * error, name
    above = float((found["difference"] > 0.03).mean())
    assert abs(above - expected["above"]) < 4 * np.sqrt(above * (1 - above) / 200_000)


@pytest.mark.parametrize("shape", [(1, 2), (1, 5), (2, 2), (10, 3), (115, 14), (2000, 4)])
def test_counted_shares_agree_with_the_exact_ones(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(shape)
    scores = 0.8 + 0.02 * rng.normal(size=shape[1]) + 0.1 * rng.normal(size=(shape[0], 1))
    scores = scores + 0.05 * rng.normal(size=shape)
    unit = Unit.of(scores)
    drawn, _ = draw_normal(scores, unit=unit, draws=25_000, chains=4, rng=rng)
    exact = exact_pairs(scores, unit=unit, rope=0.01)
    first, second = all_pairs(shape[1])
    gaps = drawn.values["algorithm"][..., first] - drawn.values["algorithm"][..., second]
    counted = np.stack([gaps > 0.01, np.abs(gaps) <= 0.01, gaps < -0.01], axis=-1).mean(axis=(0, 1))
    error = np.sqrt(exact * (1 - exact) / 100_000)
    assert np.all(np.abs(counted - exact) < 4.5 * error + 1e-5)


@pytest.mark.parametrize("shape", [(3, 2), (30, 5), (400, 10)])
def test_more_nodes_change_nothing(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=shape) + rng.normal(size=(shape[0], 1))
    unit = Unit.of(scores)
    few, many = (exact_pairs(scores, unit=unit, rope=0.1, nodes=n) for n in (96, 160))
    np.testing.assert_allclose(few, many, atol=1e-6)


def test_sums_of_squares_by_hand() -> None:
    # Means of rows 2 and 6, of columns 3 and 5; what is left is ±1.
    sums = Sums.of(np.array([[2.0, 2.0], [4.0, 8.0]]), Unit(0.0, 1.0))
    assert sums.mean == 4
    assert sums.algorithm.tolist() == [-1, 1]
    assert sums.dataset.tolist() == [-2, 2]
    assert sums.residual == 4


def test_effects_sum_to_zero_and_draws_follow_the_unit() -> None:
    scores = np.random.default_rng(5).normal(size=(6, 3))
    options = {"draws": 100, "chains": 2}
    one, fits = draw_normal(scores, unit=Unit(0.0, 1.0), rng=np.random.default_rng(0), **options)
    ten, _ = draw_normal(
        7 + 10 * scores, unit=Unit(7.0, 10.0), rng=np.random.default_rng(0), **options
    )
    assert one.values["algorithm"].shape == (2, 100, 3)
    np.testing.assert_allclose(one.values["algorithm"].sum(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(fits.dataset.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(ten.values["algorithm"], 10 * one.values["algorithm"], atol=1e-9)
    np.testing.assert_allclose(ten.values["grand_mean"], 7 + 10 * one.values["grand_mean"])


def test_gibbs_sampling_agrees_with_brute_quadrature_where_a_score_is_missing() -> None:
    scores = TABLE.copy()
    scores[1, 0] = np.nan
    expected = by_quadrature(scores, UNIT, 0.03)
    drawn, _ = draw_gibbs(
        scores, unit=UNIT, robust=False, draws=2000, chains=40, rng=np.random.default_rng(0)
    )
    effects = drawn.values["algorithm"]
    found = {"difference": effects[..., 0] - effects[..., 1], **drawn.values}
    found["above"] = (found["difference"] > 0.03).astype(float)
    found["below"] = (found["difference"] < -0.03).astype(float)
    for name, value in expected.items():
        means = found[name].mean(axis=1)  # the chains are independent
        error = means.std(ddof=1) / np.sqrt(means.size)
        assert abs(means.mean() - value) < 4 * error, name


@pytest.mark.parametrize("shape", [(1, 3), (4, 2), (12, 5)])
def test_gibbs_sampling_agrees_with_independent_draws(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=shape) + rng.normal(size=(shape[0], 1))
    unit = Unit.of(scores)
    exact = exact_pairs(scores, unit=unit, rope=0.2)
    drawn, _ = draw_gibbs(scores, unit=unit, robust=False, draws=1000, chains=40, rng=rng)
    independent, _ = draw_normal(scores, unit=unit, draws=25_000, chains=4, rng=rng)
    first, second = all_pairs(shape[1])
    gaps = drawn.values["algorithm"][..., first] - drawn.values["algorithm"][..., second]
    shares = np.stack([gaps > 0.2, np.abs(gaps) <= 0.2, gaps < -0.2], axis=-1).mean(axis=1)
    error = shares.std(axis=0, ddof=1) / np.sqrt(40)
    assert np.all(np.abs(shares.mean(axis=0) - exact) < 4.5 * error + 1e-4)
    for name in ("grand_mean", "sd_error", "sd_algorithm", "sd_dataset"):
        # Shares below the median, since the upper tails are long.
        below = (drawn.values[name] < np.median(independent.values[name])).mean(axis=1)
        error = np.hypot(below.std(ddof=1) / np.sqrt(below.size), 0.5 / np.sqrt(100_000))
        assert abs(below.mean() - 0.5) < 4.5 * error, name
