"""The Gibbs sampler with Student t errors, against a plain Metropolis sampler."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import gammaln

from palio.bayes.models.anova_model import (
    NormalErrors,
    Squares,
    TErrors,
    Unit,
    gamma_with_mode,
    slice_along,
)
from palio.bayes.models.anova_robust import draw_gibbs

Floats = NDArray[np.float64]

# Four data sets, three algorithms, and one score that is far off.
SCORES = np.array([[0.2, 0.1, 0.4], [1.1, 0.8, 1.6], [-0.5, 2.5, 0.1], [0.3, 0.2, 0.4]])
UNIT = Unit(0.6, 0.8)


def by_metropolis(
    scores: Floats, unit: Unit, *, chains: int, sweeps: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Draw one parameter after the other by a random walk, as the model is printed.

    Parameters are β, α_a, δ_d and the logarithms of σ_0, σ_a, σ_d, ν; the scale mixture, the
    effects that sum to zero and everything else that the real sampler does are absent.
    """
    n, k = scores.shape
    seen = ~np.isnan(scores)
    filled = np.where(seen, scores, 0.0)
    shape, rate = gamma_with_mode(unit.sd / 2, 2 * unit.sd)
    size = 1 + k + n + 4
    x = 0.1 * rng.normal(size=(chains, size))
    x[:, 0] += unit.mean
    x[:, -4:-1] += np.log(unit.sd / 2)
    x[:, -1] += 1.5

    def log_density(x: Floats) -> Floats:
        alpha, delta = x[:, 1 : 1 + k], x[:, 1 + k : 1 + k + n]
        s0, sa, sd, df = np.exp(x[:, -4:]).T
        r = (filled - (x[:, :1] + delta)[:, :, None] - alpha[:, None, :]) / s0[:, None, None]
        v = df[:, None, None]
        t = -(v + 1) / 2 * np.log1p(r**2 / v) * seen
        constant = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df) - np.log(s0)
        value = t.sum(axis=(1, 2)) + seen.sum() * constant
        value += -0.5 * ((x[:, 0] - unit.mean) / (5 * unit.sd)) ** 2
        for effects, s in ((alpha, sa), (delta, sd)):
            value += -effects.shape[1] * np.log(s) - 0.5 * (effects**2).sum(axis=1) / s**2
            value += shape * np.log(s) - rate * s
        value += np.log(s0) + np.log(df) - df / 30
        inside = (s0 > unit.sd / 100) & (s0 < 10 * unit.sd)
        return np.where(inside, value, -np.inf)

    height = log_density(x)
    steps = np.full(size, 0.5 * unit.sd)
    steps[-4:] = 1.0
    kept = []
    for sweep in range(sweeps):
        for j in range(size):
            tried = x.copy()
            # Short and long steps: modes are narrow and tails are long.
            tried[:, j] += steps[j] * rng.choice([0.2, 1, 3]) * rng.normal(size=chains)
            new = log_density(tried)
            moved = np.log(rng.random(chains)) < new - height
            x, height = np.where(moved[:, None], tried, x), np.where(moved, new, height)
        if sweep >= sweeps // 4:
            kept.append(x)
    path = np.stack(kept, axis=1)
    logs = dict(
        zip(("sd_error", "sd_algorithm", "sd_dataset", "df"), path[:, :, -4:].T, strict=True)
    )
    return {
        "first": path[:, :, 1] - path[:, :, 2],
        "second": path[:, :, 2] - path[:, :, 3],
        **{name: np.exp(value.T) for name, value in logs.items()},
    }


@pytest.mark.parametrize("sweeps", [400, pytest.param(4000, marks=pytest.mark.slow)])
def test_gibbs_sampling_agrees_with_metropolis(sweeps: int) -> None:
    scores = SCORES.copy()
    scores[3, 0] = np.nan
    plain = by_metropolis(scores, UNIT, chains=300, sweeps=sweeps, rng=np.random.default_rng(0))
    drawn, _ = draw_gibbs(
        scores, unit=UNIT, robust=True, draws=sweeps, chains=40, rng=np.random.default_rng(1)
    )
    effects = drawn.values["algorithm"]
    found = {
        **drawn.values,
        "first": effects[..., 0] - effects[..., 1],
        "second": effects[..., 1] - effects[..., 2],
    }
    for name, values in plain.items():
        for q in (0.1, 0.5, 0.9):
            edge = np.quantile(values, q)
            shares = [(v < edge).mean(axis=1) for v in (values, found[name])]
            error = np.hypot(*(s.std(ddof=1) / np.sqrt(s.size) for s in shares))
            assert error < 0.03
            assert abs(shares[0].mean() - shares[1].mean()) < 4 * error, (name, q)


def test_densities_of_the_errors() -> None:
    rng = np.random.default_rng(0)
    residuals = rng.standard_t(3, size=(2, 7, 5))
    residuals[:, 2, 3] = 0  # missing
    squares = Squares(2, 7, 5)
    squares.cells[:] = residuals**2
    seen = np.delete(residuals.reshape(2, 35), 13, axis=1)
    n = np.array([34.0, 34.0])
    points = np.log([[0.9, 2.0], [1.7, 11.0]])
    found = TErrors(squares, n)(points)
    expected = [
        stats.t.logpdf(r, df, scale=sd).sum()
        + np.log(sd)
        + stats.expon.logpdf(df, scale=30)
        + np.log(df)
        for r, (sd, df) in zip(seen, np.exp(points), strict=True)
    ]
    assert found[1] - found[0] == pytest.approx(expected[1] - expected[0])
    normal = NormalErrors(squares, n)(points[:, :1])
    expected = [
        stats.norm.logpdf(r, scale=sd).sum() + np.log(sd)
        for r, (sd, _) in zip(seen, np.exp(points), strict=True)
    ]
    assert normal[1] - normal[0] == pytest.approx(expected[1] - expected[0])
    beyond = np.log([[0.009, 2.0], [10.1, 2.0]])
    assert TErrors(squares, n)(beyond).tolist() == [-np.inf, -np.inf]


def test_slices_follow_a_skewed_density() -> None:
    rng = np.random.default_rng(0)

    def density(points: Floats, which: object = None) -> Floats:
        u = points[:, 0]
        return 3 * u - np.exp(u)  # the logarithm of a Gamma(3) variable

    x = np.zeros((2000, 1))
    axis = np.array([4.0])
    for _ in range(30):
        x = slice_along(axis, x, density, rng)
    assert stats.kstest(np.exp(x[:, 0]), stats.gamma(3).cdf).pvalue > 0.001


def _mean_df(shape: tuple[int, int], errors: Callable[[np.random.Generator], Floats]) -> float:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(shape[0], 1)) + 0.2 * rng.normal(size=shape[1]) + errors(rng)
    drawn, _ = draw_gibbs(
        scores, unit=Unit.of(scores), robust=True, draws=200, chains=4, rng=rng, warmup=200
    )
    return float(np.mean(drawn.values["df"]))


def test_degrees_of_freedom_are_found() -> None:
    shape = (40, 10)
    assert _mean_df(shape, lambda rng: 0.1 * rng.standard_t(1.2, size=shape)) < 2
    assert _mean_df(shape, lambda rng: 0.1 * rng.normal(size=shape)) > 10


def test_an_outlier_moves_the_normal_model_and_not_the_robust_one() -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(30, 1)) + 0.05 * rng.normal(size=(30, 3))
    scores[:, 1] += 0.1
    spoilt = scores.copy()
    spoilt[4, 0] += 5
    means = {}
    for robust in (False, True):
        drawn, _ = draw_gibbs(
            spoilt, unit=Unit.of(spoilt), robust=robust, draws=200, chains=4, rng=rng
        )
        means[robust] = drawn.values["algorithm"].mean(axis=(0, 1))
    assert means[False][0] > means[False][1]
    assert means[True][1] - means[True][0] == pytest.approx(0.1, abs=0.03)


def test_memory_holds_no_weights_and_few_data_sets() -> None:
    scores = np.random.default_rng(0).normal(size=(40, 3))
    drawn, fits = draw_gibbs(
        scores,
        unit=Unit.of(scores),
        robust=True,
        draws=300,
        chains=2,
        rng=np.random.default_rng(0),
        warmup=50,
        keep=100,
    )
    assert sorted(drawn.values) == [
        "algorithm", "df", "grand_mean", "sd_algorithm", "sd_dataset", "sd_error",
    ]  # fmt: skip
    assert fits.dataset.shape == (100, 40)
    np.testing.assert_allclose(drawn.values["algorithm"].sum(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(fits.dataset.sum(axis=1), 0, atol=1e-12)
