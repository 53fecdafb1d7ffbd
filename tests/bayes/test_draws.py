"""Whether draws can be trusted: effective sizes, R-hat, Monte-Carlo errors."""

import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from palio.bayes.draws import (
    Diagnostics,
    Draws,
    arviz_arrays,
    diagnose,
    highest_densities,
    mc_error,
)
from palio.errors import MissingExtraError

Floats = NDArray[np.float64]


def chains(phi: float, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Return stationary AR(1) chains with variance 1: x_t = φ x_{t−1} + noise."""
    values = np.empty(shape)
    values[:, 0] = rng.standard_normal(shape[0])
    for t in range(1, shape[1]):
        noise = rng.standard_normal(shape[0])
        values[:, t] = phi * values[:, t - 1] + np.sqrt(1 - phi**2) * noise
    return values


def test_the_error_of_independent_draws_is_binomial() -> None:
    inside = np.zeros((2, 50, 2), dtype=np.bool_)
    inside[:, :10, 0] = True  # 20 of 100
    inside[:, :, 1] = True
    error = mc_error(inside, independent=True)
    assert error == pytest.approx([np.sqrt(0.2 * 0.8 / 100), 0.0])


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_the_error_of_chains_against_many_runs(phi: float) -> None:
    """How much the share P(x > 0.5) really varies between runs of four chains of 1,000 draws."""
    rng = np.random.default_rng(0)
    runs = 400
    shares = (chains(phi, (4 * runs, 1000), rng) > 0.5).reshape(runs, -1).mean(axis=1)
    truth = shares.std(ddof=1)  # known to 1/√800 = 3.5 %
    told = [
        float(mc_error((chains(phi, (4, 1000), rng) > 0.5)[:, :, None], independent=False)[0])
        for _ in range(30)
    ]
    assert np.mean(told) == pytest.approx(truth, rel=0.15)
    if phi == 0.9:  # counted as independent it would be told far too small
        naive = mc_error((chains(phi, (4, 1000), rng) > 0.5)[:, :, None], independent=True)[0]
        assert truth > 2.5 * naive


def test_the_error_of_what_is_never_or_always_so_is_nought() -> None:
    inside = np.zeros((2, 100, 2), dtype=np.bool_)
    inside[:, :, 1] = True
    assert mc_error(inside, independent=False).tolist() == [0.0, 0.0]


def test_stuck_chains_are_found_out() -> None:
    rng = np.random.default_rng(1)
    stuck = np.array([0.0, 0.0, 5.0, 5.0])[:, None] + 0.1 * rng.standard_normal((4, 500))
    found = diagnose(Draws({"sd": stuck, "fine": rng.standard_normal((4, 500))}, "by hand"))
    assert found["sd"].r_hat > 1.5
    assert found["fine"].r_hat < 1.01
    assert not found["fine"].warnings()
    disagree, few = found["sd"].warnings()
    assert "the chains disagree (R-hat" in disagree
    assert "for sd, above 1.01)" in disagree
    assert "effective draws (of sd, 400 are wanted): draw more" in few


def test_a_slow_chain_has_few_effective_draws() -> None:
    """An AR(1) chain of n draws is worth n (1 − φ)/(1 + φ)."""
    rng = np.random.default_rng(2)
    found = diagnose(Draws({"x": chains(0.9, (4, 5000), rng)}, "by hand"))["x"]
    assert found.ess_bulk == pytest.approx(20_000 * 0.1 / 1.9, rel=0.2)
    assert found.r_hat < 1.02


def test_the_worst_entry_of_an_array_counts() -> None:
    rng = np.random.default_rng(3)
    values = rng.standard_normal((4, 400, 3))
    values[:, :, 1] = chains(0.95, (4, 400), rng)
    whole = diagnose(Draws({"x": values}, "by hand"))["x"]
    alone = diagnose(Draws({"x": values[:, :, 1]}, "by hand"))["x"]
    assert (whole.ess_bulk, whole.r_hat) == (alone.ess_bulk, alone.r_hat)
    assert whole.ess_bulk < 400


def test_a_constant_has_nothing_to_mix() -> None:
    rng = np.random.default_rng(4)
    values = rng.standard_normal((4, 100, 2))
    values[:, :, 0] = 1.0
    found = diagnose(Draws({"half": values, "none": np.ones((4, 100))}, "by hand"))
    assert set(found) == {"half"}
    assert np.isfinite(found["half"].r_hat)


def test_independent_draws_need_no_diagnosis() -> None:
    """Even where the values would look stuck to R-hat."""
    values = np.repeat([[0.0], [1.0]], 300, axis=1)
    found = diagnose(Draws({"x": values}, "by hand", independent=True))["x"]
    assert found == Diagnostics(1.0, 600.0, 600.0, "x")
    assert found.warnings() == ()


@pytest.mark.parametrize(
    ("diagnostics", "n"),
    [
        (Diagnostics(1.01, 400, 400, "x"), 0),
        (Diagnostics(1.011, 400, 400, "x"), 1),
        (Diagnostics(1.0, 399, 900, "x"), 1),
        (Diagnostics(1.0, 900, 399, "x"), 1),
        (Diagnostics(1.2, 10, 10, "x"), 2),
    ],
)
def test_limits_of_vehtari(diagnostics: Diagnostics, n: int) -> None:
    assert len(diagnostics.warnings()) == n


def test_draws_are_read_only_and_know_their_number() -> None:
    draws = Draws({"x": np.zeros((4, 250, 3))}, "by hand")
    assert (draws.n_chains, draws.n_draws) == (4, 1000)
    with pytest.raises(ValueError, match="read-only"):
        draws.values["x"][0, 0, 0] = 1.0
    with pytest.raises(TypeError):
        draws.values["y"] = np.zeros((1, 1))  # type: ignore[index]


def test_without_arviz_stats_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arviz_stats.base", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'palio\[bayes\]'"):
        arviz_arrays()
    # Independent draws do without it.
    draws = Draws({"x": np.zeros((1, 10))}, "by hand", independent=True)
    assert diagnose(draws)["x"].r_hat == 1.0


@pytest.mark.parametrize(("n", "mass"), [(1, 0.95), (40, 0.01), (40, 0.3), (41, 0.95), (41, 0.999)])
def test_the_shortest_interval_of_all(n: int, mass: float) -> None:
    values = np.random.default_rng(n).normal(size=(5, n)).round(1)
    inside = int(np.ceil(mass * n))
    for row, (low, high) in zip(values, highest_densities(values, mass).tolist(), strict=True):
        ordered = sorted(row.tolist())
        ends = list(zip(ordered, ordered[inside - 1 :], strict=False))
        assert (low, high) == min(ends, key=lambda end: end[1] - end[0])
