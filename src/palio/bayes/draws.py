"""What a sampler takes and returns, how far it can be trusted, and what it says of pairs."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import ParameterError
from palio.extras import needing
from palio.registry import unknown_name

if TYPE_CHECKING:
    from palio.scores import ScoreTable
    from palio.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws from a posterior.

    Parameters
    ----------
    values : mapping of str to array (chains, draws, …)
        The draws of each parameter.
    method : str
        How they were drawn, in a few words.
    independent : bool
        Whether the draws are independent, so that no chain can be stuck.
    facts : mapping of str to float
        What the sampler tells of itself, such as ``pareto_k``.
    """

    values: Mapping[str, FloatArray]
    method: str
    independent: bool = False
    facts: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for value in self.values.values():
            value.flags.writeable = False
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    @property
    def n_chains(self) -> int:
        """The number of chains."""
        return int(next(iter(self.values.values())).shape[0])

    @property
    def n_draws(self) -> int:
        """The number of draws of all chains together."""
        chains, draws = next(iter(self.values.values())).shape[:2]
        return int(chains * draws)


@dataclass(frozen=True)
class Diagnostics:
    """The worst of every parameter: split R-hat, bulk and tail effective sample size."""

    r_hat: float
    ess_bulk: float
    ess_tail: float
    worst: str

    def warnings(self) -> tuple[str, ...]:
        """Say in plain words what is off; nothing where nothing is.

        The limits are those of Vehtari and others (2021): R-hat below 1.01, 400 effective draws.
        """
        found = []
        if self.r_hat > 1.01:
            found.append(
                f"the chains disagree (R-hat {self.r_hat:.3f} for {self.worst}, above 1.01): "
                "draw more, and distrust the probabilities until they agree"
            )
        least = min(self.ess_bulk, self.ess_tail)
        if least < 400:
            found.append(
                f"only {least:.0f} effective draws (of {self.worst}, 400 are wanted): draw more"
            )
        return tuple(found)


def diagnose(draws: Draws) -> dict[str, Diagnostics]:
    """Return the diagnostics of every parameter; its worst entry where it is an array."""
    if draws.independent:  # by construction; one chain would have no R-hat at all
        size = float(draws.n_draws)
        return {name: Diagnostics(1.0, size, size, name) for name in draws.values}
    array_stats = arviz_arrays()
    found = {}
    for name, value in draws.values.items():
        flat = value.reshape(*value.shape[:2], -1)
        flat = flat[:, :, np.ptp(flat, axis=(0, 1)) > 0]  # a constant has nothing to mix
        if not flat.shape[2]:
            continue
        axes = {"chain_axis": 0, "draw_axis": 1}
        r_hat = array_stats.rhat(flat, **axes)
        bulk = array_stats.ess(flat, method="bulk", **axes)
        tail = array_stats.ess(flat, method="tail", prob=(0.05, 0.95), **axes)
        found[name] = Diagnostics(
            float(np.max(r_hat)), float(np.min(bulk)), float(np.min(tail)), name
        )
    return found


def arviz_arrays() -> Any:
    """Return arviz-stats' functions on arrays: R-hat, effective sizes, Pareto smoothing."""
    with needing("bayes", "bayes", "diagnostics need arviz-stats"):
        from arviz_stats.base import array_stats  # type: ignore[attr-defined]
    return array_stats


def mc_error(inside: BoolArray, *, independent: bool) -> FloatArray:
    """Return the Monte-Carlo standard error of the share of draws ``inside``: (chains, draws, …).

    Binomial for independent draws; from the effective sample size of the indicator otherwise.
    """
    share = inside.mean(axis=(0, 1))
    size = np.full(share.shape, float(inside.shape[0] * inside.shape[1]))
    if not independent:
        array_stats = arviz_arrays()
        mixed = (share > 0) & (share < 1)
        if mixed.any():
            values = inside[:, :, mixed].astype(float)
            size[mixed] = array_stats.ess(values, chain_axis=0, draw_axis=1, method="mean")
    error: FloatArray = np.sqrt(share * (1 - share) / size)
    return error


# --- pairs of algorithms ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pairs:
    """What the posterior says of the pairs (i, j).

    Parameters
    ----------
    first, second : array (P,)
        Positions of the two algorithms.
    probabilities : array (P, 3)
        That the first is better, that they are practically equal, that the second is better.
    difference : array (P,)
        The posterior mean of first minus second, in the unit of the score.
    hdi : array (P, 2)
        Its highest-density interval.
    mc_error : array (P,)
        The largest Monte-Carlo standard error of the three probabilities; 0 where they are exact.
    """

    first: IntArray
    second: IntArray
    probabilities: FloatArray
    difference: FloatArray
    hdi: FloatArray
    mc_error: FloatArray


def all_pairs(k: int) -> tuple[IntArray, IntArray]:
    """Return the positions of all pairs of ``k`` algorithms, the first before the second.

    >>> all_pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    first, second = np.triu_indices(k, 1)
    return first.astype(np.intp), second.astype(np.intp)


def pairs_of_effects(
    draws: Draws,
    effects: FloatArray,
    *,
    rope: float,
    higher_is_better: bool,
    mass: float,
    exact: FloatArray | None = None,
) -> Pairs:
    """Compare all pairs by draws of the algorithms' effects: (chains, draws, K).

    ``rope`` is on the scale of the effects. ``exact`` (P, 3) replaces counted shares where a
    model knows them without noise. On the edge of the region counts as inside.
    """
    k = effects.shape[-1]
    first, second = all_pairs(k)
    probabilities, error = np.zeros((first.size, 3)), np.zeros(first.size)
    difference, hdi = np.zeros(first.size), np.zeros((first.size, 2))
    by_algorithm = np.ascontiguousarray(np.moveaxis(effects, -1, 0))  # (K, chains, draws)
    start = 0
    for i in range(k - 1):  # one against those after it: all at once would hold draws × pairs
        pairs = slice(start, start + k - 1 - i)
        start = pairs.stop
        gap = by_algorithm[i] - by_algorithm[i + 1 :]
        above, below = gap > rope, gap < -rope
        better, worse = (above, below) if higher_is_better else (below, above)
        regions = (better, ~(above | below), worse)
        probabilities[pairs] = np.stack([region.mean(axis=(1, 2)) for region in regions], axis=-1)
        if exact is None:
            inside = (np.moveaxis(region, 0, -1) for region in regions)
            errors = [mc_error(region, independent=draws.independent) for region in inside]
            error[pairs] = np.max(errors, axis=0)
        gap = gap.reshape(len(gap), -1)
        difference[pairs] = gap.mean(axis=1)
        hdi[pairs] = highest_densities(gap, mass)
    return Pairs(first, second, probabilities if exact is None else exact, difference, hdi, error)


def pairs_of_regions(
    draws: Draws,
    regions: FloatArray,
    *,
    difference: FloatArray,
    hdi: FloatArray,
    first: IntArray,
    second: IntArray,
) -> Pairs:
    """Compare pairs by draws of the three regions' probabilities: (chains, draws, P, 3).

    The regions are: first better, practically equal, second better. The probability of each is
    the share of draws in which it is the most probable of the three (a tie is shared), as
    Benavoli and others (2017) decide.
    """
    most = regions == regions.max(axis=-1, keepdims=True)
    error = mc_error(most, independent=draws.independent).max(axis=-1)
    return Pairs(first, second, shares_of_regions(regions), difference, hdi, error)


def shares_of_regions(regions: FloatArray) -> FloatArray:
    """Return the share of draws (chains, draws, P, 3) in which each region is the most probable.

    >>> shares_of_regions(np.array([[[[0.6, 0.3, 0.1]], [[0.4, 0.2, 0.4]]]])).tolist()
    [[0.75, 0.0, 0.25]]
    """
    most = regions == regions.max(axis=-1, keepdims=True)
    shares: FloatArray = (most / most.sum(axis=-1, keepdims=True)).mean(axis=(0, 1))
    return shares


def highest_density(values: FloatArray, mass: float) -> tuple[float, float]:
    """Return the shortest interval that holds ``mass`` of the draws.

    >>> highest_density(np.array([0.0, 1.0, 1.1, 1.2, 9.0]), 0.5)
    (1.0, 1.2)
    """
    low, high = highest_densities(values.reshape(1, -1), mass)[0].tolist()
    return low, high


def highest_densities(values: FloatArray, mass: float) -> FloatArray:
    """Return the shortest interval that holds ``mass`` of the draws of each row: (n, 2)."""
    n = values.shape[1]
    inside = min(n, int(np.ceil(mass * n)))
    last, first = n - inside, inside - 1  # where the lowest end and the highest may lie
    parted = np.partition(values, [last, first], axis=1)  # what is between need not be in order
    low, high = np.sort(parted[:, : last + 1], axis=1), np.sort(parted[:, first:], axis=1)
    start = np.argmin(high - low, axis=1)[:, np.newaxis]
    ends = [np.take_along_axis(end, start, axis=1) for end in (low, high)]
    return np.concatenate(ends, axis=1)


# --- what every model takes --------------------------------------------------------------------


def check_draws(draws: int) -> int:
    """Refuse a number of draws that is none.

    >>> check_draws(1000)
    1000
    """
    try:
        count = operator.index(draws)
    except TypeError:
        raise ParameterError("draws", "it is a whole number", f"{draws!r} was given") from None
    if count < 1:
        raise ParameterError("draws", "at least one draw is needed", f"{count} was given")
    return count


def check_mass(mass: float) -> float:
    """Refuse a mass that is not strictly between 0 and 1.

    >>> check_mass(0.95)
    0.95
    """
    if not 0 < mass < 1:
        raise ParameterError(
            "mass", "what an interval holds lies between 0 and 1", f"{mass!r} was given"
        )
    return float(mass)


def check_chains(chains: int, *, least: int = 1) -> int:
    """Refuse a number of chains that is none, or too few to see whether they agree.

    >>> check_chains(4)
    4
    """
    try:
        count = operator.index(chains)
    except TypeError:
        raise ParameterError("chains", "it is a whole number", f"{chains!r} was given") from None
    if count < least:
        agree = "at least two are needed to see whether they agree"
        rule = "at least one is needed" if least == 1 else agree
        raise ParameterError("chains", rule, f"{count} was given")
    return count


def few_datasets(n: int) -> list[str]:
    """Warn where so few data sets agree by chance that no test could tell.

    Of two algorithms that are equally good, one leads on all n data sets with probability
    :math:`2 / 2^n`, which is above 5 % up to five of them. One data set alone is the models' own
    business.

    >>> few_datasets(3)
    ['3 data sets are few: of two algorithms that are equally good, one would lead on all of them
    by chance in 25 % of cases']
    >>> few_datasets(6)
    []
    """
    by_chance = 2 * 0.5**n
    if n < 2 or by_chance <= 0.05:
        return []
    return [
        f"{n} data sets are few: of two algorithms that are equally good, one would lead on all "
        f"of them by chance in {100 * by_chance:.3g} % of cases"
    ]


def check_pair(pair: tuple[str, str], algorithms: tuple[str, ...]) -> tuple[str, str]:
    """Refuse a pair that is not two of the algorithms.

    >>> check_pair(("c45", "svr"), ("svr", "c45", "mlp"))
    ('c45', 'svr')
    """
    if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
        raise ParameterError("pair", "it is two algorithms", f"{pair!r} was given")
    for name in pair:
        if name not in algorithms:
            raise unknown_name("pair", name, algorithms)
    return pair[0], pair[1]


def check_pairs(table: ScoreTable) -> None:
    """Refuse a table with nothing to compare."""
    if table.n_algorithms < 2:
        raise ParameterError("algorithms", "a comparison needs two or more", "there is one")
