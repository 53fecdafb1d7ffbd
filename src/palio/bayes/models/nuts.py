"""The no-U-turn sampler, for when nothing simpler will do.

Hoffman and Gelman (2014) with the multinomial choice along the trajectory and the generalised
criterion of Betancourt (2017): the trajectory is doubled forwards or backwards in time until it
turns round, and a state is drawn from it by its density. The step size is found by dual averaging
(Hoffman and Gelman's algorithms 4 and 5), a diagonal metric from the draws of the warm-up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from palio.types import FloatArray

Target: TypeAlias = Callable[["FloatArray"], tuple[float, "FloatArray"]]
"""The log-density, up to a constant, and its gradient at a point."""

_DIVERGED = 1000.0  # an error of the energy as large as this has left the trajectory
_ACCEPT = 0.9  # wanted on average; Hoffman and Gelman's δ
_DEPTH = 10  # doublings at most


@dataclass(frozen=True, eq=False)
class Chains:
    """Draws (chains, draws, d), and how many trajectories diverged after the warm-up."""

    values: FloatArray
    divergences: int


def nuts(
    target: Target,
    starts: FloatArray,
    rng: np.random.Generator,
    *,
    draws: int = 1000,
    warmup: int = 1000,
) -> Chains:
    """Sample from a density by its gradient, one chain from each start.

    Parameters
    ----------
    target : callable
        A point (d,) to the log-density and its gradient.
    starts : array (chains, d)
        Where the chains begin; the target is finite there.
    rng : numpy.random.Generator
        The source of chance.
    draws, warmup : int
        Per chain; the warm-up is thrown away.

    References
    ----------
    M. D. Hoffman and A. Gelman (2014), The no-U-turn sampler, JMLR 15.
    M. Betancourt (2017), A conceptual introduction to Hamiltonian Monte Carlo, arXiv:1701.02434.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what diverges is refused, not reported
        chains = [_chain(target, start, rng, draws, warmup) for start in np.asarray(starts, float)]
    return Chains(np.array([values for values, _ in chains]), sum(count for _, count in chains))


def _chain(
    target: Target, start: FloatArray, rng: np.random.Generator, draws: int, warmup: int
) -> tuple[FloatArray, int]:
    sampler = _Sampler(target, rng, np.ones(start.size))
    state = sampler.state(start)
    step = _StepSize(sampler.first_step(state))
    windows = _windows(warmup)
    seen: list[FloatArray] = []
    for i in range(warmup):
        state, accepted, _ = sampler.move(state, step.current)
        step.learn(accepted)
        seen.append(state.place)
        if i + 1 in windows:  # a new metric makes the old step size meaningless
            sampler.variance = _regularised_variance(np.array(seen))
            state = sampler.state(state.place)
            step = _StepSize(sampler.first_step(state))
            seen = []
        elif i + 1 == windows[0] // 2:
            seen = []  # the way from the start to where the mass is
    values, divergences = np.empty((draws, start.size)), 0
    for i in range(draws):
        state, _, diverged = sampler.move(state, step.averaged)
        values[i] = state.place
        divergences += diverged
    return values, divergences


def _windows(warmup: int) -> tuple[int, ...]:
    """Return after how many steps the metric is estimated anew: 20, 40 and 80 % of the warm-up."""
    return (warmup // 5, 2 * warmup // 5, 4 * warmup // 5)


def _regularised_variance(seen: FloatArray) -> FloatArray:
    """Shrink the variances a little to a small number, as if five more draws had said it."""
    n = seen.shape[0]
    if n < 2:
        return np.ones(seen.shape[1])
    shrunk: FloatArray = (n * seen.var(axis=0, ddof=1) + 5 * 1e-3) / (n + 5)
    return shrunk


class _StepSize:
    """Dual averaging of the log step size (Hoffman and Gelman 2014, eq. 6), their constants."""

    def __init__(self, first: float) -> None:
        self.current = self.averaged = first
        self._centre = np.log(10 * first)
        self._error, self._mean, self._count = 0.0, 0.0, 0

    def learn(self, accepted: float) -> None:
        """Take in the mean acceptance of the last trajectory."""
        self._count += 1
        rate = 1 / (self._count + 10)
        self._error += rate * (_ACCEPT - accepted - self._error)
        log_step = self._centre - np.sqrt(self._count) / 0.05 * self._error
        forget = self._count**-0.75
        self._mean = forget * log_step + (1 - forget) * self._mean
        self.current, self.averaged = float(np.exp(log_step)), float(np.exp(self._mean))


@dataclass(frozen=True, eq=False)
class _State:
    """A point in phase space: place, momentum, log-density and gradient at the place."""

    place: FloatArray
    momentum: FloatArray
    value: float
    gradient: FloatArray


@dataclass(eq=False)
class _Tree:
    """A trajectory: its ends in time, the state drawn from it, and what its states add up to."""

    left: _State
    right: _State
    chosen: _State
    log_weight: float
    momentum: FloatArray  # the sum
    accepted: float  # the sum of acceptance probabilities …
    states: int  # … over so many states
    turned: bool
    diverged: bool


class _Sampler:
    """One target, one metric."""

    def __init__(self, target: Target, rng: np.random.Generator, variance: FloatArray) -> None:
        self.target, self.rng, self.variance = target, rng, variance

    def state(self, place: FloatArray) -> _State:
        value, gradient = self.target(place)
        return _State(place, self._momentum(), value, gradient)

    def _momentum(self) -> FloatArray:
        return self.rng.standard_normal(self.variance.size) / np.sqrt(self.variance)

    def _energy(self, state: _State) -> float:
        return float(np.dot(state.momentum, self.variance * state.momentum)) / 2 - state.value

    def leap(self, state: _State, step: float) -> _State:
        """Take one leapfrog step; a negative one goes back in time."""
        half = state.momentum + step / 2 * state.gradient
        place = state.place + step * self.variance * half
        value, gradient = self.target(place)
        return _State(place, half + step / 2 * gradient, value, gradient)

    def first_step(self, state: _State) -> float:
        """Double or halve until the acceptance of one step crosses a half (algorithm 4)."""
        step, before = 1.0, self._energy(state)
        up = self._log_accepted(state, step, before) > np.log(0.5)
        while 1e-10 < step < 1e10:
            step *= 2.0 if up else 0.5
            if (self._log_accepted(state, step, before) > np.log(0.5)) != up:
                break
        return step

    def _log_accepted(self, state: _State, step: float, before: float) -> float:
        error = before - self._energy(self.leap(state, step))
        return error if np.isfinite(error) else -np.inf

    def move(self, state: _State, step: float) -> tuple[_State, float, bool]:
        """Draw the next state; also the mean acceptance and whether the trajectory diverged."""
        state = _State(state.place, self._momentum(), state.value, state.gradient)
        before = self._energy(state)
        tree = _Tree(state, state, state, 0.0, state.momentum, 0.0, 0, False, False)
        for depth in range(_DEPTH):
            forward = self.rng.random() < 0.5
            start = tree.right if forward else tree.left
            grown = self._grow(start, step if forward else -step, depth, before)
            accepted, states = tree.accepted + grown.accepted, tree.states + grown.states
            if grown.turned or grown.diverged:
                tree.accepted, tree.states, tree.diverged = accepted, states, grown.diverged
                break
            # Biased progressive sampling: the new half is preferred (Betancourt 2017, A.3.2).
            take = -self.rng.standard_exponential() < grown.log_weight - tree.log_weight
            chosen = grown.chosen if take else tree.chosen
            tree = self._join(tree, grown, chosen, forward=forward)
            if tree.turned:
                break
        return tree.chosen, tree.accepted / max(tree.states, 1), tree.diverged

    def _grow(self, start: _State, step: float, depth: int, before: float) -> _Tree:
        """Build a trajectory of 2^depth steps from ``start``, away from it."""
        if depth == 0:
            state = self.leap(start, step)
            error = before - self._energy(state)
            error = error if np.isfinite(error) else -np.inf
            accepted = float(np.exp(min(0.0, error)))
            lost = error < -_DIVERGED
            return _Tree(state, state, state, error, state.momentum, accepted, 1, False, lost)
        near = self._grow(start, step, depth - 1, before)
        if near.turned or near.diverged:
            return near
        forward = step > 0
        far = self._grow(near.right if forward else near.left, step, depth - 1, before)
        total = float(np.logaddexp(near.log_weight, far.log_weight))
        chosen = (
            far.chosen if -self.rng.standard_exponential() < far.log_weight - total else near.chosen
        )
        return self._join(near, far, chosen, forward=forward)

    def _join(self, near: _Tree, far: _Tree, chosen: _State, *, forward: bool) -> _Tree:
        """Put two trajectories together, the second after the first in the way they grew."""
        left, right = (near, far) if forward else (far, near)
        momentum = left.momentum + right.momentum
        # The whole must not turn, nor either half with the first state of the other.
        turned = (
            near.turned
            or far.turned
            or self._turns(left.left, right.right, momentum)
            or self._turns(left.left, right.left, left.momentum + right.left.momentum)
            or self._turns(left.right, right.right, right.momentum + left.right.momentum)
        )
        return _Tree(
            left.left,
            right.right,
            chosen,
            float(np.logaddexp(near.log_weight, far.log_weight)),
            momentum,
            near.accepted + far.accepted,
            near.states + far.states,
            turned,
            near.diverged or far.diverged,
        )

    def _turns(self, left: _State, right: _State, momentum: FloatArray) -> bool:
        """Whether the ends no longer move apart: velocity against the sum of momenta."""
        ahead = self.variance * momentum
        return bool(np.dot(left.momentum, ahead) <= 0 or np.dot(right.momentum, ahead) <= 0)
