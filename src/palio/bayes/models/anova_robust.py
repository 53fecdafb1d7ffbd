"""Bayesian ANOVA by Gibbs sampling: robust errors, and normal ones where scores are missing.

A Student t error is a normal one whose precision is multiplied by λ ~ Gamma(ν/2, ν/2), so every
score has a weight w = λ/σ_0²: 0 where it is missing, 1/σ_0² for all others if errors are normal.
One sweep draws, each block jointly, with what stands in brackets integrated out:

1. the grand mean and all effects given w and the standard deviations: first the K means of the
   algorithms (data sets, which are independent given them), then the data sets;
2. σ_a and σ_d, once given the effects and once given the effects divided by them, so that neither
   large nor small effects hold them fast (interweaving; Yu and Meng 2011);
3. if robust, the data sets (λ), by Metropolis steps far away: with few algorithms and heavy tails
   the effect of a data set has several modes, one near each of its scores;
4. (σ_0, ν) given the residuals (λ), by slices along the principal axes of (log σ_0, log ν), which
   are learnt during warm-up and then frozen;
5. λ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from palio.bayes.draws import Draws, arviz_arrays
from palio.bayes.models.anova_model import (
    GRAND_VARIANCE,
    RATE,
    SHAPE,
    Fits,
    NormalErrors,
    Squares,
    TErrors,
    Unit,
    log_grand_mean,
    principal_axes,
    slice_along,
)
from palio.stats.threads import one_thread

if TYPE_CHECKING:
    from palio.types import FloatArray

# In one sweep, data sets of about so many scores are tried far away, and others in the next.
_JUMPING = 4000


def draw_gibbs(
    scores: FloatArray,
    *,
    unit: Unit,
    robust: bool,
    draws: int,
    chains: int,
    rng: np.random.Generator,
    warmup: int = 500,
    keep: int = 500,
) -> tuple[Draws, Fits]:
    """Draw from the posterior by Gibbs sampling, all chains at once.

    Parameters
    ----------
    scores : array (S, K) or (chains, S, K)
        One value per data set and algorithm, NaN where missing, but one at least per data set;
        or such a table for every chain.
    unit : Unit
        The mean and the standard deviation in the prior.
    robust : bool
        Student t errors instead of normal ones.
    draws, chains, warmup : int
        Draws per chain that are kept, chains, and draws per chain before that.
    keep : int
        For how many draws the effects of the data sets are kept as well.

    Returns
    -------
    Draws, Fits
        ``grand_mean``, ``algorithm`` (…, K), ``sd_error``, ``sd_algorithm``, ``sd_dataset``, and
        ``df`` if robust.
    """
    arviz_arrays()  # diagnoses the draws: is it there? They take their time
    sampler = _Sampler(unit.standardise(scores), chains, robust, rng)
    algorithm = np.empty((scores.shape[-1], chains, draws))
    single = np.empty((5 if robust else 4, chains, draws))
    few = set(np.linspace(0, draws - 1, min(-(-keep // chains), draws)).astype(int).tolist())
    kept: list[tuple[FloatArray, ...]] = []
    with one_thread():
        sampler.warm_up(warmup)
        for t in range(draws):
            sampler.sweep()
            error = np.exp(sampler.error.T)
            a, d = sampler.algorithm, sampler.dataset
            algorithm[:, :, t] = a.effects.T
            single[:4, :, t] = sampler.mean, error[0], a.sd, d.sd
            single[4:, :, t] = error[1:]
            if t in few:
                kept.append((sampler.mean, a.effects, d.effects, error[0], error[-1]))
    return _named(algorithm, single, unit, robust), _fits(kept, unit, robust)


def _named(algorithm: FloatArray, single: FloatArray, unit: Unit, robust: bool) -> Draws:
    values = {
        "grand_mean": unit.mean + unit.sd * single[0],
        # Stored by algorithm, so that all draws of one lie together.
        "algorithm": np.moveaxis(unit.sd * algorithm, 0, -1),
        "sd_error": unit.sd * single[1],
        "sd_algorithm": unit.sd * single[2],
        "sd_dataset": unit.sd * single[3],
    }
    if robust:
        values["df"] = single[4]
    return Draws(values, "Gibbs sampling on a scale mixture" if robust else "Gibbs sampling")


def _fits(kept: list[tuple[FloatArray, ...]], unit: Unit, robust: bool) -> Fits:
    mean, algorithm, dataset, sd, df = (np.concatenate(part) for part in zip(*kept, strict=True))
    return Fits(
        unit.mean + unit.sd * mean,
        unit.sd * algorithm,
        unit.sd * dataset,
        unit.sd * sd,
        df if robust else None,
    )


class _Sampler:
    """Where the C chains are, in units of s around m.

    Attributes
    ----------
    z, seen : array (S, K) or (C, S, K)
        The scores, 0 where missing; and 1 where there is one, else 0.
    weights : array (C, S, K)
        λ/σ_0².
    mean : array (C,)
        The grand mean.
    algorithm, dataset : _Factor
        The effects, which sum to zero, and σ_a and σ_d.
    error : array (C, 1) or (C, 2)
        log σ_0 and, if errors are robust, log ν.
    axes : array (1, 1) or (2, 2)
        Along which ``error`` is drawn.
    """

    def __init__(self, z: FloatArray, chains: int, robust: bool, rng: np.random.Generator) -> None:
        self.rng, self.robust = rng, robust
        shape = (chains, *z.shape[-2:])
        self.seen = (~np.isnan(z)).astype(float)
        self.complete = bool(self.seen.all())
        self.z = np.where(self.seen > 0, z, 0.0)
        # The places of the scores that are there come first.
        self.order = np.argsort(-self.seen, axis=-1, kind="stable")
        self.n = np.broadcast_to(self.seen.sum(axis=(-2, -1)), shape[:1])
        self.squares = Squares(*shape)
        self.jumped = 0
        # The chains start far apart; effects need no start, since they are drawn first.
        sds = np.exp(rng.normal(np.log(0.4), 0.6, size=(3, chains)))
        self.algorithm, self.dataset = _Factor(shape[2], sds[1]), _Factor(shape[1], sds[2])
        self.mean = np.zeros(chains)
        self.error = np.log(sds[0])[:, None]
        self.axes = np.array([[1.0]])
        if robust:
            self.error = np.column_stack([self.error, rng.normal(1.5, 1.0, size=chains)])
            self.axes = np.array([[1.0, 0.0], [0.0, 3.0]])
        self.weights = self.seen * np.exp(-2 * self.error[:, 0])[:, None, None]

    def warm_up(self, sweeps: int) -> None:
        """Let the chains find the posterior, and learn the axes of ``error`` on the way."""
        path = np.empty((sweeps, *self.error.shape))
        for t in range(sweeps):
            self.sweep()
            path[t] = self.error
            if t + 1 in (sweeps // 8, sweeps // 4, sweeps // 2):
                self.axes = principal_axes(path[(t + 1) // 3 : t + 1])

    def sweep(self) -> None:
        """Draw everything once."""
        totals = _Totals(self.weights, self.z)
        self._draw_effects(totals)
        self._draw_sds()
        self._rescale_effects(totals)
        if self.robust:
            self._jump()
        self._draw_error()

    def _draw_effects(self, totals: _Totals) -> None:
        """Step 1: the means of the algorithms from a K × K system, then the data sets."""
        w, (chains, _, k) = self.weights, self.weights.shape
        spread = 1 / (1 / self.dataset.sd[:, None] ** 2 + totals.rows)
        halves = w * np.sqrt(spread)[:, :, None]
        precision = -(np.swapaxes(halves, 1, 2) @ halves)
        # The K means are β + α_a: N(0, 25 J + σ_a² I), whose inverse is (I − c J)/σ_a².
        tau = 1 / self.algorithm.sd**2
        precision -= (tau / (k + 1 / (tau * GRAND_VARIANCE)))[:, None, None]
        precision[:, np.arange(k), np.arange(k)] += totals.columns + tau[:, None]
        pull = totals.column_scores - np.einsum("csk,cs->ck", w, spread * totals.row_scores)
        root = np.linalg.cholesky(precision)
        half = np.linalg.solve(root, pull[:, :, None]) + self.rng.standard_normal((chains, k, 1))
        # np.linalg is typed more loosely than its answer is.
        means = np.asarray(np.linalg.solve(np.swapaxes(root, 1, 2), half)[:, :, 0], dtype=float)
        rest = totals.row_scores - np.einsum("csk,ck->cs", w, means)
        noise = self.rng.standard_normal(spread.shape)
        self._set_effects(means, spread * rest + np.sqrt(spread) * noise)

    def _set_effects(self, means: FloatArray, dataset: FloatArray) -> None:
        """Keep what the scores can tell of β + α_a and δ_d."""
        center, shift = means.mean(axis=1), dataset.mean(axis=1)
        self.mean = center + shift
        self.algorithm.effects = means - center[:, None]
        self.dataset.effects = dataset - shift[:, None]

    def _draw_sds(self) -> None:
        """Step 2, given the effects."""
        for factor in (self.algorithm, self.dataset):
            self._decide(factor, *_propose_sd(factor, self.rng))

    def _rescale_effects(self, totals: _Totals) -> None:
        """Step 2, given the effects divided by their standard deviations."""
        for factor, other, sides in (
            (self.algorithm, self.dataset, (totals.columns, totals.column_scores, "csk,cs->ck")),
            (self.dataset, self.algorithm, (totals.rows, totals.row_scores, "csk,ck->cs")),
        ):
            if factor.levels == 1:
                continue
            weights, scores, sums = sides
            rest = scores - self.mean[:, None] * weights
            rest -= np.einsum(sums, self.weights, other.effects)
            old = factor.sd
            self._decide(factor, *_propose_scale(factor, weights, rest, self.rng))
            factor.effects = factor.effects * (factor.sd / old)[:, None]

    def _decide(self, factor: _Factor, proposed: FloatArray, log_ratio: FloatArray) -> None:
        """Accept a new σ or not; what proposals leave out is the prior of the grand mean."""
        before, old = self._log_mean(), factor.sd
        factor.sd = proposed
        log_ratio = log_ratio + self._log_mean() - before
        moved = np.log1p(-self.rng.random(old.size)) < log_ratio
        factor.sd = np.where(moved, proposed, old)

    def _log_mean(self) -> FloatArray:
        a, d = self.algorithm, self.dataset
        return log_grand_mean(self.mean, a.sd**2, d.sd**2, a.levels, d.levels)

    def _jump(self) -> None:
        """Step 3: a data set follows one of its scores, with Cauchy noise, if that is accepted.

        With width² = ν σ_0² both the t likelihood and the proposal, which is a mean of Cauchy
        densities around the scores, are made of the same factors 1 + (y − m − δ)²/width².
        """
        rng = self.rng
        means, dataset = self._with_shift()
        part = slice(self.jumped, self.jumped + max(_JUMPING // self.algorithm.levels, 1))
        self.jumped = part.stop if part.stop < self.dataset.levels else 0
        old, seen = dataset[:, part], self.seen[..., part, :]
        rest = self.z[..., part, :] - means[:, None, :]
        place = (seen.sum(axis=-1) * rng.random(old.shape)).astype(np.intp)
        order = np.broadcast_to(self.order[..., part, :], rest.shape)
        chosen = np.take_along_axis(order, place[:, :, None], axis=2)
        near = np.take_along_axis(rest, chosen, axis=2)[:, :, 0]
        width = np.exp(self.error[:, :1] + self.error[:, 1:] / 2)
        new = near + width * rng.standard_cauchy(old.shape)
        power = (np.exp(self.error[:, 1:]) + 1) / 2
        log_ratio = (old**2 - new**2) / (2 * self.dataset.sd[:, None] ** 2)
        for effect, sign in ((new, 1.0), (old, -1.0)):
            factors = (rest - effect[:, :, None]) / width[:, :, None]
            np.square(factors, out=factors)
            factors += 1
            log_likelihood = -power * (np.log(factors) * seen).sum(axis=2)
            log_proposal = np.log((seen / factors).sum(axis=2))
            log_ratio += sign * (log_likelihood - log_proposal)
        moved = np.log1p(-rng.random(old.shape)) < log_ratio
        dataset[:, part] = np.where(moved, new, old)
        self._set_effects(means, dataset)

    def _with_shift(self) -> tuple[FloatArray, FloatArray]:
        """Return β + α_a and δ_d: δ̄, which was integrated out, is drawn again.

        Given it, the data sets are independent.
        """
        ours = self.dataset.sd**2 / self.dataset.levels
        theirs = GRAND_VARIANCE + self.algorithm.sd**2 / self.algorithm.levels
        share = ours / (ours + theirs)
        noise = self.rng.standard_normal(share.size)
        shift = share * self.mean + np.sqrt(share * theirs) * noise
        return (
            self.algorithm.effects + (self.mean - shift)[:, None],
            self.dataset.effects + shift[:, None],
        )

    def _draw_error(self) -> None:
        """Do steps 4 and 5: residuals, then σ_0 and ν, then λ."""
        squares = self.squares.cells
        np.subtract(self.z, self.algorithm.effects[:, None, :], out=squares)
        squares -= (self.mean[:, None] + self.dataset.effects)[:, :, None]
        if not self.complete:
            squares *= self.seen
        np.square(squares, out=squares)
        density = (TErrors if self.robust else NormalErrors)(self.squares, self.n)
        for axis in self.axes:
            self.error = slice_along(axis, self.error, density, self.rng)
        variance = np.exp(2 * self.error[:, 0])
        if not self.robust:
            np.multiply(self.seen, (1 / variance)[:, None, None], out=self.weights)
            return
        df = np.exp(self.error[:, 1])
        squares += (df * variance)[:, None, None]
        for chain, shape in enumerate((df + 1) / 2):
            self.rng.standard_gamma(shape, out=self.weights[chain])
        self.weights /= squares
        self.weights *= 2 * self.seen if not self.complete else 2.0


class _Totals:
    """Sums of the weights, and of weights times scores, over rows and columns."""

    def __init__(self, w: FloatArray, z: FloatArray) -> None:
        z = np.broadcast_to(z, w.shape)
        self.rows: FloatArray = np.einsum("csk->cs", w)
        self.columns: FloatArray = np.einsum("csk->ck", w)
        self.row_scores: FloatArray = np.einsum("csk,csk->cs", w, z)
        self.column_scores: FloatArray = np.einsum("csk,csk->ck", w, z)


class _Factor:
    """The effects of the algorithms or of the data sets, (C, levels), and their σ, (C,)."""

    def __init__(self, levels: int, sd: FloatArray) -> None:
        self.levels, self.sd = levels, sd
        self.effects = np.zeros((sd.size, levels))


def _propose_sd(factor: _Factor, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Propose σ given n effects that sum to zero; return it and the log ratio of acceptance.

    p(log σ) ∝ σ^(shape − n + 1) exp(−Σ/2σ² − rate σ). The proposal is Σ/χ² with as many degrees
    of freedom as match the power of σ, or nearly so; what it lacks is bounded.
    """
    df, sd = factor.levels - 1, factor.sd
    if df == 0:
        return rng.gamma(SHAPE, 1 / RATE, size=sd.size), np.zeros(sd.size)
    used = max(df - SHAPE, df / 2)
    total = np.einsum("cn,cn->c", factor.effects, factor.effects)
    proposed = np.sqrt(total / rng.chisquare(used, sd.size))
    return proposed, (used - df + SHAPE) * np.log(proposed / sd) - RATE * (proposed - sd)


def _propose_scale(
    factor: _Factor, weights: FloatArray, rest: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Propose σ given effects/σ; return it and the log ratio of acceptance.

    The scores are linear in σ, so p(σ) ∝ σ^(shape − 1) exp(slope σ − curvature σ²/2): all but the
    power of σ is a normal density cut off at 0. ``rest`` are the weighted sums of what the other
    effects leave of the scores.
    """
    sd = factor.sd
    ratios = factor.effects / sd[:, None]
    scale = 1 / np.sqrt(np.einsum("cn,cn->c", weights, ratios**2))
    center = (np.einsum("cn,cn->c", rest, ratios) - RATE) * scale
    # Through logarithms: the centre may be many standard deviations below 0.
    tail = ndtri_exp(np.log1p(-rng.random(sd.size)) + log_ndtr(center))
    proposed = np.maximum((center - tail) * scale, 1e-300)
    return proposed, (SHAPE - 1) * np.log(proposed / sd)
