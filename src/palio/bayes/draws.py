"""What a sampler returns, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import MissingExtraError

if TYPE_CHECKING:
    from palio.types import BoolArray, FloatArray

__all__ = ["Diagnostics", "Draws", "arviz_arrays", "diagnose", "mc_error"]


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
    try:
        from arviz_stats.base import array_stats  # type: ignore[attr-defined]
    except ImportError as error:
        raise MissingExtraError(
            "bayes: diagnostics need arviz-stats; install it with: pip install 'palio[bayes]'"
        ) from error
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
