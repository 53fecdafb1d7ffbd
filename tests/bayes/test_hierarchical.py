"""The hierarchical model: quadrature and a naive sampler as oracles, closed cases, symmetries."""

from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import gammaincc, gammaln

from palio.bayes.draws import Draws, diagnose
from palio.bayes.models.hierarchical import hierarchical, hierarchical_draws
from palio.bayes.models.hierarchical_gibbs import sample
from palio.bayes.models.hierarchical_model import (
    FoldSummary,
    Priors,
    log_nu_prior,
    next_regions,
    sample_nu,
    scaled,
)
from palio.bayes.posterior import Posterior
from palio.errors import DesignError, MissingCellsError, ParameterError, UnknownNameError
from palio.measures import Measure
from palio.scores import ScoreTable
from palio.types import FloatArray

ALGORITHMS = ["rf", "knn", "nb"]


def _table(scores: Any, measure: Any = "accuracy", **options: Any) -> ScoreTable:
    values = np.asarray(scores, dtype=float)
    return ScoreTable.from_arrays(
        values,
        datasets=[f"d{i}" for i in range(values.shape[0])],
        algorithms=ALGORITHMS[: values.shape[1]],
        measure=measure,
        **options,
    )


def _scores(seed: int = 3, datasets: int = 10, algorithms: int = 2, gain: float = 0.03) -> Any:
    """5×2 cv scores in which the first algorithm leads by about ``gain``."""
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.6, 0.9, size=(datasets, 1, 1, 1))
    ahead = (
        rng.normal(gain, 0.02, size=(datasets, 1, 1, 1))
        * (np.arange(algorithms) == 0)[:, None, None]
    )
    return level + ahead + rng.normal(scale=0.02, size=(datasets, algorithms, 5, 2))


def _ask(table: ScoreTable, **options: Any) -> Posterior:
    return hierarchical(table, **{"rope": 0.01, "draws": 800, "chains": 16, **options})


def _shares(posterior: Posterior, p: int = 0) -> list[float]:
    return list(posterior.pairs.probabilities[p].tolist())


# --- parts --------------------------------------------------------------------------------------


def test_prior_of_nu_is_the_double_integral() -> None:
    log_g, log_density = log_nu_prior((0.5, 5.0), (0.05, 0.15))
    assert integrate.trapezoid(np.exp(log_density), log_g) == pytest.approx(1, abs=1e-4)
    for g in (0.01, 1.0, 20.0, 150.0, 900.0):
        expected, _ = integrate.dblquad(
            lambda beta, alpha, g=g: stats.gamma.pdf(g, alpha, scale=1 / beta) / (4.5 * 0.1),
            0.5,
            5.0,
            0.05,
            0.15,
        )
        found = np.interp(np.log(g), log_g, log_density) - np.log(g)
        assert found == pytest.approx(np.log(expected), abs=3e-3)


def test_prior_of_nu_agrees_with_its_draws() -> None:
    draws = sample_nu(Priors(1, 1, 1), 200_000, np.random.default_rng(0))
    log_g, log_density = log_nu_prior((0.5, 5.0), (0.05, 0.15))
    cdf = integrate.cumulative_trapezoid(np.exp(log_density), log_g, initial=0)
    for share in (0.01, 0.25, 0.5, 0.9, 0.99):
        at = np.interp(np.log(np.quantile(draws, share) - 1), log_g, cdf)
        assert at == pytest.approx(share, abs=0.004)


def test_next_regions_are_tails_of_t() -> None:
    found = next_regions(np.array([0.2]), np.array([0.5]), np.array([3.0]), 0.1)[0]
    t = stats.t(3.0, loc=0.2, scale=0.5)
    assert found == pytest.approx([t.sf(0.1), t.cdf(0.1) - t.cdf(-0.1), t.cdf(-0.1)])


def test_a_still_data_set_keeps_its_mean_and_gets_a_thousandth_of_the_spread() -> None:
    # Standard deviations 1, 3, 0: s̄ = 4/3, and the floor is a thousandth of it.
    folds = [np.array([1.0, 3.0]), np.array([-3.0, 3.0]), np.array([5.0, 5.0])]
    data, priors, unit = scaled(folds, np.full(3, 0.5))
    assert unit == pytest.approx(4 / 3)
    assert data.mean * unit == pytest.approx([2.0, 0.0, 5.0])
    assert data.squares * unit**2 == pytest.approx([2.0, 18.0, 2 * (unit / 1000) ** 2])
    assert priors.delta0 * unit == pytest.approx(5.0)
    assert priors.tau0 * unit == pytest.approx(1000 * np.std([2.0, 0.0, 5.0]))


# --- oracles ------------------------------------------------------------------------------------

# Bounds that cut, so that every truncation is tested.
TIGHT = Priors(delta0=1.5, tau0=2.0, sigma=1.8)
FOLDS = (
    np.array([0.1, 1.2, 0.9, 1.6]),
    np.array([-0.4, 0.3, -0.9, 0.8, 0.1, 0.2]),
    np.array([2.4, 1.1, 1.9]),
)
RHO = np.array([0.25, 0.5, 1 / 3])


def _summary(q: int) -> FoldSummary:
    folds = FOLDS[:q]
    return FoldSummary(
        np.array([x.mean() for x in folds]),
        np.array([((x - x.mean()) ** 2).sum() for x in folds]),
        np.array([float(x.size) for x in folds]),
        RHO[:q],
    )


def _drawn(q: int) -> Draws:
    rng = np.random.default_rng(8)
    return sample(_summary(q), TIGHT, chains=64, draws=600, warmup=150, rng=rng)


def _assert_mean(values: FloatArray, expected: float, *, error: float = 0.0) -> None:
    """Hold a mean of draws against the truth, within 4.5 standard errors of both."""
    by_chain = values.mean(axis=1)  # the chains are independent
    allowed = 4.5 * np.hypot(by_chain.std(ddof=1) / np.sqrt(by_chain.size), error)
    assert abs(values.mean() - expected) < allowed, (values.mean(), expected, allowed)


def _data_set_likelihood(i: int, delta: FloatArray) -> FloatArray:
    """∫ N(x | δ, σ) dσ over (0, bound), up to a constant: from the n×n covariance itself."""
    x, rho = FOLDS[i], RHO[i]
    n = x.size
    inverse = np.linalg.inv((1 - rho) * np.eye(n) + rho * np.ones((n, n)))
    away = x[:, None] - delta
    quadratic = np.einsum("jd,jk,kd->d", away, inverse, away)
    half = (n - 1) / 2
    result: FloatArray = quadratic**-half * gammaincc(half, quadratic / 2 / TIGHT.sigma**2)
    return result


def test_two_data_sets_against_quadrature() -> None:
    delta = np.linspace(-12, 12, 2401)
    delta0 = np.linspace(-1.5, 1.5, 41)
    log_tau = np.linspace(-6, np.log(2.0), 50)
    log_g = np.linspace(-7, 6.5, 50)
    kernels = [_data_set_likelihood(i, delta) for i in range(2)]
    prior = np.exp(np.interp(log_g, *log_nu_prior(TIGHT.alpha, TIGHT.beta)))
    ends = np.ones(41)
    ends[[0, -1]] = 0.5  # the trapezoid rule on an interval with hard ends
    top = np.ones(50)
    top[-1] = 0.5

    weight = np.empty((50, 50, 41))
    first = np.empty((50, 50, 41))  # E(δ₁ | δ₀, τ₀, ν)
    for t, u in enumerate(log_tau):
        # A substitution keeps narrow t distributions resolved: δ = δ₀ + τ₀ z.
        z = np.sinh(np.linspace(-9, 9, 1201))
        spacing = np.cosh(np.linspace(-9, 9, 1201)) * (18 / 1200)
        at = delta0[:, None] + np.exp(u) * z
        likelihoods = [np.interp(at, delta, kernel, left=0, right=0) for kernel in kernels]
        for k, h in enumerate(log_g):
            t_density = stats.t.pdf(z, 1 + np.exp(h)) * spacing
            one, two = (values @ t_density for values in likelihoods)
            weight[t, k] = one * two * np.exp(u) * prior[k] * top[t] * ends
            first[t, k] = (likelihoods[0] * at) @ t_density / one
    weight /= weight.sum()

    drawn = _drawn(2).values
    _assert_mean(drawn["delta0"], float((weight.sum((0, 1)) * delta0).sum()), error=2e-3)
    _assert_mean(np.log(drawn["tau0"]), float((weight.sum((1, 2)) * log_tau).sum()), error=4e-3)
    _assert_mean(np.log(drawn["nu"] - 1), float((weight.sum((0, 2)) * log_g).sum()), error=4e-3)
    _assert_mean(drawn["delta"][:, :, 0], float((weight * first).sum()), error=2e-3)
    negative = float(weight.sum((0, 1)) @ np.where(delta0 == 0, 0.5, delta0 < 0))
    _assert_mean((drawn["delta0"] < 0).astype(float), negative, error=2e-3)


def _naive_log_posterior(state: FloatArray) -> FloatArray:
    """The model as it is written, of full covariance matrices: (chains, 11) to (chains,)."""
    delta, log_sigma = state[:, :3], state[:, 3:6]
    delta0, log_tau, log_g, alpha, beta = state[:, 6:].T
    inside = (np.abs(delta0) < TIGHT.delta0) & (log_tau < np.log(TIGHT.tau0))
    inside &= (log_sigma < np.log(TIGHT.sigma)).all(axis=1)
    inside &= (alpha > 0.5) & (alpha < 5) & (beta > 0.05) & (beta < 0.15)
    alpha, beta = np.clip(alpha, 0.5, 5), np.clip(beta, 0.05, 0.15)
    g = np.exp(log_g)
    total = log_sigma.sum(axis=1) + log_tau + log_g  # scales of the logarithms
    total = total + alpha * np.log(beta) - gammaln(alpha) + (alpha - 1) * log_g - beta * g
    nu, away = 1 + g, (delta - delta0[:, None]) * np.exp(-log_tau)[:, None]
    total = total + 3 * (gammaln((nu + 1) / 2) - gammaln(nu / 2) - np.log(nu) / 2 - log_tau)
    total = total - (nu + 1) / 2 * np.log1p(away**2 / nu[:, None]).sum(axis=1)
    for i, x in enumerate(FOLDS):
        correlation = (1 - RHO[i]) * np.eye(x.size) + RHO[i] * np.ones((x.size, x.size))
        away = x - delta[:, i : i + 1]
        quadratic = np.einsum("cj,jk,ck->c", away, np.linalg.inv(correlation), away)
        total = total - x.size * log_sigma[:, i] - quadratic / 2 * np.exp(-2 * log_sigma[:, i])
    return np.where(inside, total, -np.inf)


@pytest.mark.slow
def test_three_data_sets_against_a_naive_metropolis_sampler() -> None:
    rng = np.random.default_rng(2)
    chains = 2000
    start = [x.mean() for x in FOLDS] + [0.0] * 3 + [0.5, -0.5, 2.0, 2.0, 0.1]
    state = np.array(start) + 0.1 * rng.normal(size=(chains, 11)) * np.array([1] * 10 + [0.1])
    size = np.array([0.4] * 3 + [0.4] * 3 + [0.6, 0.8, 1.2, 1.5, 0.04])
    density = _naive_log_posterior(state)
    sums = []
    for sweep in range(6000):
        block = rng.random(11) < 0.4  # a few coordinates at a time
        proposal = state + size * block * rng.normal(size=state.shape)
        new = _naive_log_posterior(proposal)
        accepted = np.log(rng.random(chains)) < new - density
        state[accepted], density[accepted] = proposal[accepted], new[accepted]
        if sweep >= 2500 and sweep % 10 == 0:
            sums.append(state[:, :9].copy())
    means = np.mean(sums, axis=0)  # of each chain
    expected, error = means.mean(axis=0), means.std(axis=0) / np.sqrt(chains)

    drawn = _drawn(3).values
    for i in range(3):
        _assert_mean(drawn["delta"][:, :, i], expected[i], error=error[i])
        _assert_mean(np.log(drawn["sigma"][:, :, i]), expected[3 + i], error=error[3 + i])
    _assert_mean(drawn["delta0"], expected[6], error=error[6])
    _assert_mean(np.log(drawn["tau0"]), expected[7], error=error[7])
    _assert_mean(np.log(drawn["nu"] - 1), expected[8], error=error[8])


def test_an_outlier_that_may_be_noise_does_not_hold_the_chains() -> None:
    # Few folds, correlated by half, one mean nine standard deviations off.
    rng = np.random.default_rng(1)
    q, n, rho = 60, 10, 0.5
    mean = rng.normal(0.2, 0.8, size=q)
    mean[0] = 7.0
    squares = (1 - rho) * rng.chisquare(n - 1, size=q)
    data = FoldSummary(mean, squares, np.full(q, float(n)), np.full(q, rho))
    found = sample(data, Priors(10, 1000, 1000), chains=32, draws=400, warmup=200, rng=rng)
    outlier = Draws({"delta": found.values["delta"][:, :, 0].copy()}, "")
    assert diagnose(outlier)["delta"].r_hat < 1.05
    # Both explanations are believed, and every chain comes to both.
    inside = found.values["delta"][:, :, 0] < 4
    assert ((inside.mean(axis=1) > 0) & (inside.mean(axis=1) < 1)).all()


# --- closed cases -------------------------------------------------------------------------------


@pytest.mark.parametrize("rope", [0.0, 0.01])
def test_identical_algorithms_are_equal(rope: float) -> None:
    scores = _scores()
    posterior = _ask(_table(np.repeat(scores[:, :1], 2, axis=1)), rope=rope)
    assert _shares(posterior) == [0.0, 1.0, 0.0]
    assert posterior.pairs.difference.tolist() == [0.0]
    assert posterior.pairs.hdi.tolist() == [[0.0, 0.0]]
    assert posterior.warnings() == ()
    assert any("never differ" in note for note in posterior.notes)


@pytest.mark.parametrize(("gain", "rope", "expected"), [(0.1, 0.01, 0), (0.1, 0.2, 1)])
def test_the_same_difference_everywhere(gain: float, rope: float, expected: int) -> None:
    first = _scores()[:, :1]
    posterior = _ask(_table(np.concatenate([first, first - gain], axis=1)), rope=rope)
    assert _shares(posterior)[expected] == 1.0
    assert posterior.pairs.difference[0] == pytest.approx(gain, rel=1e-3)
    assert any("same difference on every fold" in note for note in posterior.notes)


def test_a_data_set_without_spread_is_believed() -> None:
    scores = _scores()
    scores[4, 0] = scores[4, 1] + 0.05
    posterior = _ask(_table(scores))
    row = posterior.checks["shrunken"][0]["datasets"][4]
    assert row["measured"] == pytest.approx(0.05)
    assert row["mean"] == pytest.approx(0.05, abs=1e-4)


def test_one_data_set_leaves_the_next_one_open() -> None:
    posterior = _ask(_table(_scores(datasets=1)))
    better, equal, worse = _shares(posterior)
    assert better + equal + worse == pytest.approx(1)
    assert 0.3 < better < 0.7
    assert any("one data set" in warning for warning in posterior.warnings())


def test_many_precise_data_sets_give_their_centre() -> None:
    rng = np.random.default_rng(4)
    gains = 0.05 + 0.01 * stats.norm.ppf((np.arange(60) + 0.5) / 60)
    noise = rng.normal(scale=1e-4, size=(60, 2, 5, 2))
    noise[:, 0] += gains[:, None, None]
    posterior = _ask(_table(0.5 + noise), rope=0.05)
    # Half of the next data sets are above 0.05 and half below: in the region, that is.
    assert posterior.pairs.difference[0] == pytest.approx(0.05, abs=6e-4)
    expected = posterior.checks["next_dataset"][0]
    assert expected["p_a_better"] == pytest.approx(0.5, abs=0.03)
    assert float(posterior.draws.values["tau0"].mean()) == pytest.approx(0.01, rel=0.1)


def test_noisy_data_sets_are_drawn_further_towards_the_others() -> None:
    scores = _scores(datasets=20)
    halves = np.array([-1, 1])
    for dataset, apart in ((0, 0.005), (1, 0.05)):
        scores[dataset, 0] = scores[dataset, 1] + 0.06 + apart * halves
    rows = _ask(_table(scores)).checks["shrunken"][0]["datasets"]
    moved = [row["measured"] - row["mean"] for row in rows]
    assert rows[0]["measured"] == pytest.approx(0.06)
    assert moved[1] > 2 * moved[0] > 0


# --- symmetries ---------------------------------------------------------------------------------


def test_swapping_the_pair_mirrors_the_answer() -> None:
    table = _table(_scores())
    there = _ask(table, pair=("rf", "knn"), rope=0.02)
    back = _ask(table, pair=("knn", "rf"), rope=0.02)
    assert back.algorithms == ("knn", "rf")
    assert _shares(back) == _shares(there)[::-1]
    assert back.pairs.difference[0] == -there.pairs.difference[0]


def test_direction_belongs_to_the_measure() -> None:
    scores = _scores()
    up = _ask(_table(scores, Measure("gain", higher_is_better=True, scale="difference")))
    down = _ask(_table(-scores, Measure("regret", higher_is_better=False, scale="difference")))
    assert _shares(up) == _shares(down)
    assert _shares(up)[0] > 0.9
    assert down.pairs.difference[0] == -up.pairs.difference[0]
    there, back = (each.checks["next_dataset"][0] for each in (up, down))
    assert back["p_a_better"] == pytest.approx(there["p_a_better"], rel=1e-12)


def test_the_unit_does_not_matter() -> None:
    scores = _scores()
    measure = Measure("points", higher_is_better=True, scale="difference")
    small, large = _ask(_table(scores, measure)), _ask(_table(8 * scores, measure), rope=0.08)
    assert _shares(small) == _shares(large)
    assert large.pairs.difference[0] == pytest.approx(8 * small.pairs.difference[0])


def test_the_other_algorithms_do_not_matter() -> None:
    table = _table(_scores(algorithms=3))
    together = _ask(table)
    alone = _ask(table, pair=("rf", "nb"))
    assert together.pairs.first.tolist() == [0, 0, 1]
    assert together.pairs.second.tolist() == [1, 2, 2]
    assert _shares(together, 1) == _shares(alone)
    assert together.draws.values["regions"].shape == (16, 50, 3, 3)


def test_the_same_seed_gives_the_same_numbers() -> None:
    table = _table(_scores())
    one, same, other = _ask(table), _ask(table), _ask(table, seed=1)
    assert one.to_dict() == same.to_dict()
    assert one.pairs.difference[0] != other.pairs.difference[0]


# --- tables -------------------------------------------------------------------------------------


def test_missing_scores_leave_the_data_set_out_of_that_pair() -> None:
    scores = _scores(algorithms=3)
    scores[2, 0] = np.nan
    scores[5, 1, 0, 0] = np.nan
    posterior = _ask(_table(scores, missing="pairwise"))
    kept = np.delete(np.arange(10), [2, 5])
    assert _shares(posterior, 0) == _shares(_ask(_table(scores[kept][:, :2])))
    assert any("8 to 9 of 10" in note for note in posterior.notes)
    assert len(posterior.checks["shrunken"][2]["datasets"]) == 9


def test_a_pair_that_never_met_is_refused() -> None:
    scores = _scores(datasets=4, algorithms=3)
    scores[:2, 0] = np.nan
    scores[2:, 1] = np.nan
    with pytest.raises(MissingCellsError, match="both 'rf' and 'knn'"):
        _ask(_table(scores, missing="pairwise"))


def test_designs_may_differ_by_data_set() -> None:
    frame = _table(_scores()).to_frame()
    fewer = frame[(frame["dataset"] != "d0") | (frame["repeat"] < 3)]
    import palio

    posterior = _ask(palio.read_scores(fewer, score="accuracy"))
    assert posterior.n_datasets == 10
    assert len(posterior.checks["shrunken"][0]["datasets"]) == 10


def test_repeated_hold_outs_need_the_test_fraction() -> None:
    table = _table(_scores().reshape(10, 2, 10, 1))
    with pytest.raises(DesignError, match="test_fraction"):
        _ask(table)
    posterior = _ask(table, test_fraction=0.5)
    assert any("ρ = 0.5" in note for note in posterior.notes)


def test_more_correlated_folds_say_less() -> None:
    table = _table(_scores(datasets=6))
    spread = [
        float(np.ptp(_ask(table, test_fraction=fraction, draws=3200).pairs.hdi[0]))
        for fraction in (0.1, 0.8)
    ]
    assert spread[1] > 1.3 * spread[0]


def test_a_table_without_folds_is_refused() -> None:
    with pytest.raises(DesignError, match="'hierarchical' needs at least 2 folds"):
        _ask(_table([[0.9, 0.8], [0.7, 0.6]]))


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"pair": ("rf", "svm")}, UnknownNameError, "pair: 'svm'"),
        ({"pair": ("rf", "rf")}, ParameterError, "pair: it is two algorithms"),
        ({"pair": "rf"}, ParameterError, "pair: it is two algorithms"),
        ({"chains": 1}, ParameterError, "chains: at least two"),
        ({"chains": 2.5}, ParameterError, "chains: it is a whole number"),
        ({"draws": 0}, ParameterError, "draws: at least one"),
        ({"mass": 1.0}, ParameterError, "mass"),
        ({"test_fraction": 1.5}, ParameterError, "test_fraction"),
        ({"rope": -1}, ParameterError, "rope"),
    ],
)
def test_what_is_refused(options: dict[str, Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        _ask(_table(_scores(datasets=3)), **options)


def test_one_algorithm_is_no_pair() -> None:
    with pytest.raises(ParameterError, match="two or more"):
        _ask(_table(_scores()).select(algorithms=["rf"]))


def test_progress_names_the_pairs_and_draws_are_rounded_up() -> None:
    told: list[str] = []
    posterior = _ask(_table(_scores(algorithms=3)), draws=70, progress=told.append)
    assert told == ["rf – knn", "rf – nb", "knn – nb"]
    assert posterior.draws.n_draws == 16 * 5


def test_the_region_may_come_from_the_table() -> None:
    posterior = _ask(_table(_scores()), rope="auto")
    assert posterior.rope.value > 0
    assert "suggested" in posterior.rope.source


def test_defaults_mix_well_enough() -> None:
    rng = np.random.default_rng(0)
    folds = [rng.normal(rng.normal(0.3, 0.5), 1.0, size=100) for _ in range(50)]
    found = hierarchical_draws(
        folds, np.full(50, 0.1), chains=32, draws=625, rng=np.random.default_rng(0)
    )
    for name in ("delta0", "tau0", "nu"):
        mixing = diagnose(Draws({name: found.values[name]}, found.method))[name]
        assert mixing.r_hat < 1.01
        assert min(mixing.ess_bulk, mixing.ess_tail) > 1600
