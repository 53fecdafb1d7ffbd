r"""The sampler of the hierarchical model: partially collapsed Gibbs, many chains at once.

With equal correlations ρ between the n folds of a data set, the likelihood depends on the folds
only through their mean and their sum of squared deviations S:

.. math::

    \bar x \sim N(\delta, c\, \sigma^2), \qquad c = \frac{1 - \rho + n \rho}{n}, \qquad
    \frac{S}{(1 - \rho)\, \sigma^2} \sim \chi^2_{n-1}

The t distribution of the δᵢ is a normal one whose precision is multiplied by a weight
λᵢ ~ Gamma(ν/2, ν/2); g = ν - 1, and α and β of its prior are integrated out once for all. A sweep:

1. without the δᵢ (integrated out): τ₀ given the λᵢ; ν with the λᵢ standardised; δ₀; each (λᵢ, σᵢ)
   anew; then the δᵢ. So τ₀ is not tied to the δᵢ, nor ν to the λᵢ, where folds say little;
2. without the λᵢ: ν, then τ₀, given the δᵢ; then the λᵢ. This mixes where the folds say much;
3. the σᵢ given the δᵢ, from a truncated inverse gamma distribution.

What has no closed form is drawn by slice sampling on the log scale, with a window of fixed width
and shrinkage (Neal 2003, Annals of Statistics 31, §4). The widths are learnt during warm-up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaincc, gammainccinv, gammaln, ndtr, ndtri, psi, zeta

from palio.bayes.draws import Draws, arviz_arrays
from palio.bayes.models.hierarchical_model import FoldSummary, Priors, log_nu_prior, sample_nu

if TYPE_CHECKING:
    from palio.types import FloatArray, IntArray

_TINY = 1e-300
# The slices' widths are set anew after so many sweeps of the warm-up.
_LEARN = 10

LogDensity = Callable[["FloatArray", "IntArray"], "FloatArray"]


def sample(
    data: FoldSummary,
    priors: Priors,
    *,
    chains: int,
    draws: int,
    warmup: int,
    rng: np.random.Generator,
) -> Draws:
    """Draw from the posterior: ``delta0``, ``tau0``, ``nu``; ``delta`` and ``sigma`` by data set.

    Parameters
    ----------
    data : FoldSummary
        The folds.
    priors : Priors
        The bounds, in the same unit.
    chains, draws, warmup : int
        So many chains, all advanced at once; draws kept of each; sweeps before them.
    rng : numpy.random.Generator
        Where randomness comes from.
    """
    arviz_arrays()  # diagnoses the draws: is it there? They take their time
    state = _Sampler(data, priors, chains, rng)
    for sweep in range(1, warmup + 1):
        state.sweep()
        if sweep % _LEARN == 0:
            state.learn()
    values = {name: np.empty((chains, draws)) for name in ("delta0", "tau0", "nu")}
    values |= {name: np.empty((chains, draws, data.mean.size)) for name in ("delta", "sigma")}
    for t in range(draws):
        state.sweep()
        values["delta0"][:, t] = state.delta0
        values["tau0"][:, t] = np.exp(state.log_tau)
        values["nu"][:, t] = 1 + np.exp(state.log_g)
        values["delta"][:, t] = state.delta
        values["sigma"][:, t] = np.sqrt(state.variance)
    return Draws(values, f"partially collapsed Gibbs, {chains} chains")


class _Sampler:
    """The state of all chains, advanced a sweep at a time; arrays (chains,) or (chains, q)."""

    def __init__(
        self, data: FoldSummary, priors: Priors, chains: int, rng: np.random.Generator
    ) -> None:
        self.rng, self.priors, self.mean = rng, priors, data.mean
        self.shape = chains, data.mean.size
        self.inflation = (1 - data.rho + data.folds * data.rho) / data.folds
        self.squares = data.squares / (1 - data.rho)
        self.sigma_shape = (data.folds - 1) / 2
        self.least_precision = priors.sigma**-2
        self.log_tau_bound = float(np.log(priors.tau0))
        self.nu_prior = log_nu_prior(priors.alpha, priors.beta)
        self.widths, self.lengths = np.full(4, 3.0), np.zeros(4)
        self._start(self.squares / data.folds)

    def _start(self, variance: FloatArray) -> None:
        """Start wider than the posterior: τ₀ over two decades, ν over its prior."""
        chains = self.shape[0]
        start = np.minimum(variance, 0.25 * self.priors.sigma**2)
        self.variance = np.broadcast_to(start, self.shape)
        self.weight = np.ones(self.shape)
        guess = np.log(np.var(self.mean) + np.mean(self.inflation * variance)) / 2
        highest = min(guess + 1, self.log_tau_bound)
        self.log_tau = self.rng.uniform(highest - 5, highest, size=chains)
        self.log_g = np.log(np.maximum(sample_nu(self.priors, chains, self.rng) - 1, 1e-3))
        self.delta0, self.delta = np.zeros(chains), np.zeros(self.shape)

    def sweep(self) -> None:
        """Advance every chain once."""
        self._slice_tau_given_weights()
        self._slice_nu_given_standard_weights()
        self._draw_delta0()
        self._jump()
        self._draw_deltas()
        self._slice_given_deltas()
        self._draw_sigmas()

    # --- 1. the δᵢ integrated out ---------------------------------------------------------------

    def _log_likelihood(
        self, log_tau: FloatArray, weight: FloatArray, rows: IntArray
    ) -> FloatArray:
        """Return log p(x̄, τ₀ | σ, λ): x̄ᵢ ~ N(δ₀, Vᵢ), δ₀ integrated over its interval, too."""
        total = self.inflation * self.variance[rows] + np.exp(2 * log_tau)[:, None] / weight
        precision, centre = _pooled(self.mean, total)
        misfit = ((self.mean - centre[:, None]) ** 2 / total + np.log(total)).sum(axis=1)
        root, bound = np.sqrt(precision), self.priors.delta0
        inside = ndtr((bound - centre) * root) - ndtr((-bound - centre) * root)
        value = np.log(np.maximum(inside, _TINY) / root) - misfit / 2
        return self._with_tau_prior(value, log_tau)

    def _with_tau_prior(self, value: FloatArray, log_tau: FloatArray) -> FloatArray:
        # Uniform in τ₀ is τ₀ itself on the log scale.
        return np.where(log_tau < self.log_tau_bound, value + log_tau, -np.inf)

    def _log_g_prior(self, log_g: FloatArray) -> FloatArray:
        return np.interp(log_g, *self.nu_prior, left=-np.inf, right=-np.inf)

    def _slice_tau_given_weights(self) -> None:
        def log_density(step: FloatArray, rows: IntArray) -> FloatArray:
            return self._log_likelihood(self.log_tau[rows] + step, self.weight[rows], rows)

        self.log_tau = self.log_tau + self._slice(0, log_density)

    def _slice_nu_given_standard_weights(self) -> None:
        """Move ν, and with it all λᵢ and τ₀: what stays are the standardised log λᵢ.

        And log τ₀ - E(log λ) / 2, the scale of the bulk of the δᵢ. The standardised weights keep
        their distribution, nearly, whatever ν is, so that they do not hold it back.
        """
        centre, spread = _log_weight_moments(self.log_g)
        standard = (np.log(self.weight) - centre[:, None]) / spread[:, None]
        bulk = self.log_tau - centre / 2
        q = self.shape[1]

        def log_density(step: FloatArray, rows: IntArray) -> FloatArray:
            log_g = self.log_g[rows] + step
            half = (1 + np.exp(log_g)) / 2
            centre, spread = _log_weight_moments(log_g)
            log_weight = centre[:, None] + spread[:, None] * standard[rows]
            weight = np.exp(log_weight)
            constant = half * np.log(half) - gammaln(half) + np.log(spread)
            value = q * constant + half * (log_weight - weight).sum(axis=1)
            likelihood = self._log_likelihood(bulk[rows] + centre / 2, weight, rows)
            return np.asarray(value + likelihood + self._log_g_prior(log_g))

        self.log_g = self.log_g + self._slice(1, log_density)
        centre, spread = _log_weight_moments(self.log_g)
        self.weight = np.maximum(np.exp(centre[:, None] + spread[:, None] * standard), _TINY)
        self.log_tau = bulk + centre / 2

    def _draw_delta0(self) -> None:
        precision, centre = _pooled(self.mean, self._noise + self._between)
        self.delta0 = _truncated_normal(
            self.rng, centre, 1 / np.sqrt(precision), self.priors.delta0
        )

    def _jump(self) -> None:
        """Propose every (λᵢ, σᵢ) anew, whatever it was (Metropolis-Hastings).

        A mean far from δ₀ has two explanations, a data set unlike the others (small λᵢ) or noise
        (large σᵢ); changing one at a time would hardly ever lead from the one to the other.
        """
        half = (1 + np.exp(self.log_g))[:, None] / 2
        scale = np.exp(2 * self.log_tau)[:, None]
        apart = (self.mean - self.delta0[:, None]) ** 2
        weights = _TwoGammas(half, half, half + 0.5, half + apart / scale / 2)
        noises = _TwoGammas(
            np.maximum(self.sigma_shape - 0.5, 0.5),
            self.squares / 2,
            self.sigma_shape,
            (self.squares + apart / self.inflation) / 2,
        )

        def log_ratio(weight: FloatArray, precision: FloatArray) -> FloatArray:
            log_weight, log_precision = np.log(weight), np.log(precision)
            total = self.inflation / precision + scale / weight
            target = (half - 1) * log_weight - half * weight
            target = target + (self.sigma_shape - 1.5) * log_precision
            target = target - (precision * self.squares + np.log(total) + apart / total) / 2
            proposal = weights.log_density(weight, log_weight)
            return np.asarray(target - proposal - noises.log_density(precision, log_precision))

        weight, precision = (two.draw(self.rng, self.shape) for two in (weights, noises))
        gain = log_ratio(weight, precision) - log_ratio(self.weight, 1 / self.variance)
        accepted = gain > -self.rng.standard_exponential(self.shape)
        accepted &= precision > self.least_precision
        self.weight = np.where(accepted, weight, self.weight)
        self.variance = np.where(accepted, 1 / precision, self.variance)

    def _draw_deltas(self) -> None:
        between, noise, delta0 = self._between, self._noise, self.delta0[:, None]
        share = between / (between + noise)
        spread = np.sqrt(share * noise)
        noisy = spread * self.rng.standard_normal(self.shape)
        self.delta = delta0 + share * (self.mean - delta0) + noisy

    @property
    def _noise(self) -> FloatArray:
        return np.asarray(self.inflation * self.variance)

    @property
    def _between(self) -> FloatArray:
        return np.asarray(np.exp(2 * self.log_tau)[:, None] / self.weight)

    # --- 2. the λᵢ integrated out ---------------------------------------------------------------

    def _slice_given_deltas(self) -> None:
        squared = (self.delta - self.delta0[:, None]) ** 2
        q = self.shape[1]

        def log_density(log_tau: FloatArray, log_g: FloatArray, rows: IntArray) -> FloatArray:
            # δᵢ ~ t(δ₀, τ₀, ν).
            nu = 1 + np.exp(log_g)
            tails = np.log1p(squared[rows] / (nu * np.exp(2 * log_tau))[:, None]).sum(axis=1)
            constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - np.log(nu) / 2 - log_tau
            value = q * constant - (nu + 1) / 2 * tails + self._log_g_prior(log_g)
            return self._with_tau_prior(value, log_tau)

        bulk = self.log_tau - _log_weight_moments(self.log_g)[0] / 2

        def along_nu(step: FloatArray, rows: IntArray) -> FloatArray:
            log_g = self.log_g[rows] + step
            return log_density(bulk[rows] + _log_weight_moments(log_g)[0] / 2, log_g, rows)

        def along_tau(step: FloatArray, rows: IntArray) -> FloatArray:
            return log_density(self.log_tau[rows] + step, self.log_g[rows], rows)

        self.log_g = self.log_g + self._slice(2, along_nu)
        self.log_tau = bulk + _log_weight_moments(self.log_g)[0] / 2
        self.log_tau = self.log_tau + self._slice(3, along_tau)
        nu = 1 + np.exp(self.log_g)[:, None]
        rate = (nu + squared * np.exp(-2 * self.log_tau)[:, None]) / 2
        draw = self.rng.standard_gamma((nu + 1) / 2, size=self.shape)
        self.weight = np.maximum(draw / rate, _TINY)

    # --- 3. the noise ---------------------------------------------------------------------------

    def _draw_sigmas(self) -> None:
        # With σ uniform, 1/σ² ~ Gamma((n - 1) / 2, rate Q / 2), not below 1 / bound².
        rate = (self.squares + (self.mean - self.delta) ** 2 / self.inflation) / 2
        precision = self.rng.standard_gamma(self.sigma_shape, size=self.shape) / rate
        out = precision < self.least_precision
        if out.any():  # what fell outside is drawn again, from inside
            shape = np.broadcast_to(self.sigma_shape, self.shape)[out]
            tail = gammaincc(shape, rate[out] * self.least_precision)
            tail = np.maximum(tail * self.rng.random(shape.size), _TINY)
            precision[out] = gammainccinv(shape, tail) / rate[out]
        self.variance = 1 / precision

    # --- slices ---------------------------------------------------------------------------------

    def _slice(self, which: int, log_density: LogDensity) -> FloatArray:
        step = _slice_steps(self.rng, log_density, float(self.widths[which]), self.shape[0])
        self.lengths[which] += np.abs(step).mean()
        return step

    def learn(self) -> None:
        """Set the windows to eight times the mean step since the last time.

        A step is a third of a window that is too narrow, and somewhat less than a standard
        deviation in one that is wide enough: so the windows grow until they are, and no further.
        """
        self.widths = np.maximum(8 * self.lengths / _LEARN, 1e-2)
        self.lengths = np.zeros(4)


class _TwoGammas:
    """An even mixture of two gamma distributions, by their shapes and rates."""

    def __init__(
        self,
        first_shape: FloatArray,
        first_rate: FloatArray,
        second_shape: FloatArray,
        second_rate: FloatArray,
    ) -> None:
        self.parts = (first_shape, first_rate), (second_shape, second_rate)
        self.constants = [a * np.log(rate) - gammaln(a) for a, rate in self.parts]

    def draw(self, rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        """Draw from the mixture."""
        (a, rate), (other_a, other_rate) = self.parts
        first = rng.random(shape) < 0.5
        draw = rng.standard_gamma(np.where(first, a, other_a))
        return np.maximum(draw / np.where(first, rate, other_rate), _TINY)

    def log_density(self, x: FloatArray, log_x: FloatArray) -> FloatArray:
        """Return the log density, up to a constant."""
        both = zip(self.parts, self.constants, strict=True)
        return np.asarray(np.logaddexp(*((a - 1) * log_x - r * x + c for (a, r), c in both)))


def _slice_steps(
    rng: np.random.Generator, log_density: LogDensity, width: float, chains: int
) -> FloatArray:
    """Draw a step from 0 by slice sampling: a window placed at random, shrunk until a hit."""
    rows = np.arange(chains)
    steps = np.zeros(chains)
    level = log_density(steps, rows) - rng.standard_exponential(chains)
    low = -width * rng.random(chains)
    high = low + width
    while rows.size:
        tried = low + (high - low) * rng.random(rows.size)
        hit = log_density(tried, rows) >= level
        steps[rows[hit]] = tried[hit]
        miss = ~hit
        rows, level, tried, low, high = rows[miss], level[miss], tried[miss], low[miss], high[miss]
        low, high = np.where(tried < 0, tried, low), np.where(tried < 0, high, tried)
    return steps


def _log_weight_moments(log_g: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation of log λ, λ ~ Gamma(ν/2, ν/2), ν = 1 + g."""
    half = (1 + np.exp(log_g)) / 2
    return psi(half) - np.log(half), np.sqrt(zeta(2.0, half))


def _pooled(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the precision of the pooled mean of each row, and that mean."""
    weights = 1 / variance
    precision = weights.sum(axis=1)
    return precision, np.asarray((weights * mean).sum(axis=1) / precision)


def _truncated_normal(
    rng: np.random.Generator, centre: FloatArray, spread: FloatArray, bound: float
) -> FloatArray:
    """Draw from N(centre, spread²) between ±bound, by the inverse of its lower tail."""
    side = np.where(centre < 0, -1.0, 1.0)  # the lower tail is the one that keeps its digits
    low = ndtr((-bound - side * centre) / spread)
    high = ndtr((bound - side * centre) / spread)
    tail = np.maximum(low + (high - low) * rng.random(centre.shape), _TINY)
    return np.asarray(np.clip(centre + side * spread * ndtri(tail), -bound, bound))
