"""Another engine for the same models: PyMC writes them down, nutpie draws from them.

Nothing of `palio.bayes` is used here but the answer that is judged. A test compiles its model once
and then gives it one table after the other, for compiling takes longer than drawing.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from palio.bayes.posterior import Posterior
from palio.types import BoolArray, FloatArray

TOLERANCE = 0.01
"""How far a probability may be from the oracle's."""

NOISE = 0.004
"""The Monte-Carlo standard error of such a difference is below this."""

ERRORS = 5.0
"""How many standard errors the mean of a parameter may be from the oracle's."""

MARKS = [
    pytest.mark.slow,
    # arviz, which PyMC imports, announces its next version.
    pytest.mark.filterwarnings("ignore:\\s*ArviZ is undergoing a major refactor:FutureWarning"),
]
"""The marks of tests that import PyMC."""

_CHAINS, _WARMUP = 4, 1500


def pymc() -> Any:
    """Return PyMC, or skip the test where it is not installed."""
    # Numba compiles, and nothing looks for a C compiler or for the BLAS it would link to.
    os.environ.setdefault("PYTENSOR_FLAGS", "cxx=,blas__ldflags=")
    return pytest.importorskip("pymc", reason="PyMC is not installed; make test-slow brings it")


@dataclass(frozen=True, eq=False)
class Oracle:
    """A compiled model."""

    compiled: Any

    @classmethod
    def of(cls, model: Any) -> Oracle:
        """Compile a PyMC model whose data are all ``pm.Data``."""
        nutpie = importlib.import_module("nutpie")
        return cls(nutpie.compile_pymc_model(model, backend="numba"))

    def draw(self, data: Mapping[str, Any], *, draws: int, seed: int = 1) -> dict[str, FloatArray]:
        """Draw from the posterior given these data: arrays (chains, draws, …)."""
        nutpie = importlib.import_module("nutpie")
        trace = nutpie.sample(
            self.compiled.with_data(**data),
            draws=draws // _CHAINS,
            tune=_WARMUP,
            chains=_CHAINS,
            target_accept=0.9,
            seed=seed,
            progress_bar=False,
        )
        assert trace.sample_stats["diverging"].values.mean() < 1e-3
        return {str(name): values.values for name, values in trace.posterior.items()}


@dataclass(frozen=True, eq=False)
class Answer:
    """The probabilities of the regions of each pair, and their Monte-Carlo errors: (P, 3)."""

    probabilities: FloatArray
    error: FloatArray

    @classmethod
    def by_difference(cls, difference: FloatArray, rope: float) -> Answer:
        """Count draws (chains, draws, P) of the pairs' differences, of which more is better."""
        sides = [difference > rope, np.abs(difference) <= rope, difference < -rope]
        return cls.by_share(np.stack(sides, axis=-1))

    @classmethod
    def by_share(cls, inside: BoolArray) -> Answer:
        """Count how often a region was chosen: (chains, draws, P, 3)."""
        share = inside.mean(axis=(0, 1))
        error = np.zeros(share.shape)
        for place in zip(*np.nonzero((share > 0) & (share < 1)), strict=True):
            error[place] = _error(inside[(slice(None), slice(None), *place)].astype(float))
        return cls(share, error)


def _error(values: FloatArray) -> float:
    """Return the Monte-Carlo standard error of the mean of draws (chains, draws) that mix."""
    array_stats = importlib.import_module("arviz_stats.base").array_stats
    assert len(values) == 1 or array_stats.rhat(values, chain_axis=0, draw_axis=1) < 1.01
    return float(array_stats.mcse(values, chain_axis=0, draw_axis=1, method="mean"))


def most_probable(regions: FloatArray) -> BoolArray:
    """Return which of the three regions is the most probable in each draw: (…, 3)."""
    chosen: BoolArray = regions == regions.max(axis=-1, keepdims=True)
    return chosen


def differences(effects: FloatArray) -> FloatArray:
    """Return first minus second of all pairs: (…, K) to (…, P)."""
    pairs = combinations(range(effects.shape[-1]), 2)
    return np.stack([effects[..., i] - effects[..., j] for i, j in pairs], axis=-1)


def assert_agree(posterior: Posterior, answer: Answer, kind: str) -> None:
    """All probabilities of all pairs are those of the oracle, and some are not obvious."""
    found, error = posterior.pairs.probabilities, posterior.pairs.mc_error
    assert np.hypot(error[:, None], answer.error).max() < NOISE, kind
    np.testing.assert_allclose(
        found, answer.probabilities, rtol=0, atol=TOLERANCE, err_msg=f"table: {kind}"
    )
    assert ((found > 0.1) & (found < 0.9)).any(), kind


def assert_same_scale(found: FloatArray, expected: FloatArray, what: str) -> None:
    """The logarithms of a positive parameter, both (chains, draws), have the same mean.

    Probabilities of pairs may hardly depend on a prior; the parameter it belongs to does.
    """
    ours, theirs = np.log(found), np.log(expected)
    gap = abs(float(ours.mean() - theirs.mean()))
    assert gap < ERRORS * np.hypot(_error(ours), _error(theirs)), what
