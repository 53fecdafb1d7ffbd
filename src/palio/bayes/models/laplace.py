r"""Normal effects with an unknown common scale: draws without a Markov chain.

The model, for effects u with a concave log-likelihood l, and a scale s of the prior, has the
density

.. math::

    p(u, \sigma) \propto e^{l(u)}\, p(u \mid \sigma)\, p(\sigma), \qquad
    u \mid \sigma \sim N(0, \sigma^2 I), \qquad \log(\sigma) \sim N(0, s^2)

Given σ the posterior of u has one mode and is close to normal, however little the data say; the
joint density of u and σ need not be (it has a spike at σ → 0). So log σ is taken on a grid, as
Rue, Martino and Chopin (2009) do: at each point Newton's method finds the mode of u, and Laplace's
approximation the density of log σ. A proposal is a log σ from that density and then a u from a
multivariate t around its mode. Importance weights make the draws exact. Their Pareto k
(Vehtari and others, 2024) says whether to believe them; above 0.7 a Markov chain takes over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from palio.bayes.draws import arviz_arrays
from palio.bayes.models.nuts import nuts

if TYPE_CHECKING:
    from palio.types import FloatArray, IntArray

PARETO_LIMIT = 0.7
"""The Pareto k above which importance weights are not believed."""

_DF = 7.0  # of the t: tails heavier than the posterior's, which are normal in the end; of many
# effects as many as these, or the t's common factor would be all that the weights see
_STEP = 0.125  # between points of log σ
_DROP = 16.0  # the grid ends where the density of log σ is e⁻¹⁶ of its peak
_CELLS = 4096  # in which the proposal density of log σ is constant
_ENOUGH = 400  # effective draws
_CHAINS, _CHAIN_DRAWS, _WARMUP = 4, 1000, 500


class Likelihood(Protocol):
    """A log-concave log-likelihood of effects."""

    @property
    def size(self) -> int:
        """The number of effects, d."""

    def values(self, effects: FloatArray) -> FloatArray:
        """Return the log-likelihood of each row of effects: (n, d) to (n,)."""

    def derivatives(self, effects: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return the value, the gradient (d,) and the Hessian (d, d) at one point."""


@dataclass(frozen=True, eq=False)
class _Proposals:
    """Draws with their importance weights.

    Parameters
    ----------
    effects, log_sigma : array (n, d) and (n,)
        The draws.
    weights : array (n,)
        Smoothed by a generalised Pareto in the tail; they add up to 1.
    pareto_k : float
        The shape of that tail.
    """

    effects: FloatArray
    log_sigma: FloatArray
    weights: FloatArray
    pareto_k: float

    @property
    def ess(self) -> float:
        """The effective number of draws, 1 / Σ w²."""
        return float(1.0 / np.sum(self.weights**2))


@dataclass(frozen=True, eq=False)
class EffectDraws:
    """Draws of equal weight: effects (chains, draws, d) and σ (chains, draws)."""

    effects: FloatArray
    sigma: FloatArray
    method: str
    independent: bool
    facts: dict[str, float]


def draw_effects(
    likelihood: Likelihood,
    rng: np.random.Generator,
    *,
    draws: int,
    scale: float,
    limit: float = PARETO_LIMIT,
    at_most: int | None = None,
) -> EffectDraws:
    """Draw effects and σ from their posterior.

    ``draws`` are proposed. What is returned is as many as they are worth (`keep`), or ``at_most``
    so many, so that each counts as one independent draw. Where the Pareto k exceeds ``limit``, or
    they are worth fewer than 400, four chains of a thousand draws each by the no-U-turn sampler
    are returned instead.
    """
    points = _grid(likelihood, scale)
    found = _propose(likelihood, points, rng, draws=draws, scale=scale)
    if found.pareto_k > limit or found.ess < min(_ENOUGH, draws / 5):
        return _by_chains(likelihood, points, rng, scale=scale, pareto_k=found.pareto_k)
    kept = keep(found.weights, rng, at_most=at_most)
    return EffectDraws(
        found.effects[kept][None],
        np.exp(found.log_sigma[kept])[None],
        f"importance sampling, {draws} proposals from Laplace's approximation",
        independent=True,
        facts={"pareto_k": found.pareto_k, "ess": found.ess, "proposals": float(draws)},
    )


def keep(weights: FloatArray, rng: np.random.Generator, *, at_most: int | None = None) -> IntArray:
    r"""Choose draws so that the chosen have equal weights: positions, ⌊ESS⌋ of them or fewer.

    Systematic resampling to :math:`n' = \lfloor 1 / \sum w^2 \rfloor`. Where
    :math:`n' w \le 1` for every draw none is taken twice, and the variance of a mean over the
    chosen, weighting and choosing together, is that of :math:`n'` independent draws. So binomial
    Monte-Carlo errors hold.
    """
    n = max(1, int(1.0 / np.sum(weights**2) + 1e-6))  # equal weights are worth all of them
    n = n if at_most is None else min(n, at_most)
    edges = np.cumsum(weights)
    at = (np.arange(n) + rng.random()) / n * edges[-1]
    kept: IntArray = np.minimum(np.searchsorted(edges, at, side="right"), weights.size - 1)
    return kept


# --- the mode given σ ------------------------------------------------------------------------


def mode(
    likelihood: Likelihood, start: FloatArray, *, precision: float
) -> tuple[FloatArray, float, FloatArray]:
    """Maximise the likelihood with a normal penalty, by Newton's method with halved steps.

    Returns
    -------
    mode, value, curvature
        Where the maximum is, the penalised log-likelihood there, and its negative Hessian.
    """
    effects = start

    def at(point: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        value, gradient, hessian = likelihood.derivatives(point)
        value -= precision * float(np.dot(point, point)) / 2
        return value, gradient - precision * point, precision * np.eye(point.size) - hessian

    value, gradient, curvature = at(effects)
    for _ in range(100):
        step = np.linalg.solve(curvature, gradient)
        gain = float(np.dot(step, gradient))  # twice what the quadratic model promises
        if gain < 1e-14 * (1.0 + abs(value)):
            break
        shrink = 1.0
        while True:
            tried = at(effects + shrink * step)
            if tried[0] >= value + 1e-4 * shrink * gain or shrink < 1e-8:
                break
            shrink /= 2
        effects = effects + shrink * step
        value, gradient, curvature = tried
    return effects, value, curvature


# --- the grid of log σ -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Points:
    """Laplace's approximation of u at every point of log σ.

    ``log_sigma`` (g,), ascending; ``density`` (g,) the log of the approximate posterior density;
    ``modes`` and their derivatives by log σ, ``drift`` (g, d); ``root`` (g, d, d) the lower
    Cholesky factors of the curvature.
    """

    log_sigma: FloatArray
    density: FloatArray
    modes: FloatArray
    drift: FloatArray
    root: FloatArray


def _grid(likelihood: Likelihood, scale: float) -> _Points:
    """Walk uphill in log σ from 0, then down on both sides until nothing is left."""
    found: dict[int, tuple[float, FloatArray, FloatArray, FloatArray]] = {}
    step = min(_STEP, scale / 4)

    def density(at: int, near: int) -> float:
        if at not in found:
            start = np.zeros(likelihood.size)
            if near in found:  # follow the mode along its derivative
                start = found[near][1] + (at - near) * step * found[near][2]
            found[at] = _point(likelihood, at * step, start, scale)
        return found[at][0]

    top = 0
    peak = density(0, 0)
    for way in (1, -1):
        while density(top + way, top) > peak:
            top += way
            peak = found[top][0]
    for way in (1, -1):
        at = top
        while density(at + way, at) > peak - _DROP:
            at += way
    places = sorted(found)
    points = [found[place] for place in places]
    return _Points(
        step * np.array(places, dtype=float),
        np.array([point[0] for point in points]),
        np.array([point[1] for point in points]),
        np.array([point[2] for point in points]),
        np.array([point[3] for point in points]),
    )


def _point(
    likelihood: Likelihood, log_sigma: float, start: FloatArray, scale: float
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    precision = float(np.exp(-2 * log_sigma))
    top, value, curvature = mode(likelihood, start, precision=precision)
    root = np.asarray(np.linalg.cholesky(curvature), dtype=float)
    log_det = 2 * float(np.log(np.diagonal(root)).sum())
    density = value - likelihood.size * log_sigma - (log_sigma / scale) ** 2 / 2 - log_det / 2
    drift = np.asarray(np.linalg.solve(curvature, 2 * precision * top), dtype=float)
    return density, top, drift, root


# --- proposals -------------------------------------------------------------------------------


def _propose(
    likelihood: Likelihood,
    points: _Points,
    rng: np.random.Generator,
    *,
    draws: int,
    scale: float,
) -> _Proposals:
    """Draw from the approximation and weigh the draws by the exact density."""
    array_stats = arviz_arrays()

    log_sigma, log_proposal = _draw_log_sigma(points, rng, draws)
    size = likelihood.size
    df = max(_DF, float(size))
    noise = rng.standard_normal((draws, size))
    noise *= np.sqrt(df / rng.chisquare(df, draws))[:, None]
    log_proposal -= (df + size) / 2 * np.log1p(np.einsum("nd,nd->n", noise, noise) / df)

    effects = np.empty((draws, size))
    step = points.log_sigma[1] - points.log_sigma[0]
    nearest = np.rint((log_sigma - points.log_sigma[0]) / step).astype(np.intp)
    for g in np.unique(nearest).tolist():
        here = nearest == g
        away = log_sigma[here] - points.log_sigma[g]
        spread = np.linalg.inv(points.root[g])  # u = mode + L⁻ᵀ t
        effects[here] = points.modes[g] + away[:, None] * points.drift[g] + noise[here] @ spread
        log_proposal[here] += np.log(np.diagonal(points.root[g])).sum()

    log_ratio = _log_density(likelihood, effects, log_sigma, scale=scale) - log_proposal
    log_weights, k = array_stats.psislw(-log_ratio)  # it takes the negative, as for loo
    weights = np.exp(log_weights)
    return _Proposals(effects, log_sigma, weights / weights.sum(), float(k))


def _log_density(
    likelihood: Likelihood, effects: FloatArray, log_sigma: FloatArray, *, scale: float
) -> FloatArray:
    """Return the log of the joint posterior density of u and log σ, up to a constant."""
    squares = np.einsum("nd,nd->n", effects, effects) * np.exp(-2 * log_sigma)
    prior = -squares / 2 - likelihood.size * log_sigma - (log_sigma / scale) ** 2 / 2
    return np.asarray(likelihood.values(effects) + prior)


def _draw_log_sigma(
    points: _Points, rng: np.random.Generator, draws: int
) -> tuple[FloatArray, FloatArray]:
    """Draw log σ from its approximate density, log-linear between the points; and its log."""
    edges = np.linspace(points.log_sigma[0], points.log_sigma[-1], _CELLS + 1)
    density = np.interp((edges[1:] + edges[:-1]) / 2, points.log_sigma, points.density)
    density -= density.max()
    density -= np.log(np.exp(density).sum())
    share = np.exp(density)
    cell = np.searchsorted(np.cumsum(share), rng.random(draws), side="right")
    cell = np.minimum(cell, _CELLS - 1)
    return edges[cell] + (edges[1] - edges[0]) * rng.random(draws), density[cell]


# --- when the weights are not to be believed -------------------------------------------------


def _by_chains(
    likelihood: Likelihood,
    points: _Points,
    rng: np.random.Generator,
    *,
    scale: float,
    pareto_k: float,
) -> EffectDraws:
    """Sample u / σ and log σ by the no-U-turn sampler, started and scaled by the approximation.

    It is wanted where the likelihood bounds some contrasts on one side only; these spread as
    their prior does, and u / σ does not depend on σ much.
    """
    top = int(points.density.argmax())
    sigma = float(np.exp(points.log_sigma[top]))
    centre = np.append(points.modes[top] / sigma, points.log_sigma[top])
    spread = np.zeros((centre.size, centre.size))
    spread[:-1, :-1] = np.linalg.inv(points.root[top]).T / sigma
    spread[-1, -1] = scale / 2

    def target(white: FloatArray) -> tuple[float, FloatArray]:
        place = centre + spread @ white
        ratio, log_sigma = place[:-1], float(place[-1])
        effects = np.exp(log_sigma) * ratio
        value, slope, _ = likelihood.derivatives(effects)
        value -= float(np.dot(ratio, ratio)) / 2 + (log_sigma / scale) ** 2 / 2
        along = float(np.dot(slope, effects)) - log_sigma / scale**2
        return value, spread.T @ np.append(np.exp(log_sigma) * slope - ratio, along)

    starts = rng.standard_normal((_CHAINS, centre.size))
    found = nuts(target, starts, rng, draws=_CHAIN_DRAWS, warmup=_WARMUP)
    places = centre + found.values @ spread.T
    sigmas = np.exp(places[..., -1])
    return EffectDraws(
        places[..., :-1] * sigmas[..., None],
        sigmas,
        f"no-U-turn sampler, {_CHAINS} chains, after importance weights with Pareto k "
        f"{pareto_k:.2f}",
        independent=False,
        facts={"divergences": float(found.divergences), "proposal_pareto_k": pareto_k},
    )
