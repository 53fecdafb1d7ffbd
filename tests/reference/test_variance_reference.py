"""Variance components against statsmodels 0.15.0, MixedLM fitted by REML (method lbfgs).

``mixedlm("y ~ C(a)", groups="d", re_formula="1", vc_formula={"ad": "0+C(a)", "u": "0+C(u)"})`` on
the scores that ``drawn`` makes.
"""

from __future__ import annotations

import numpy as np
import pytest

from palio.stats.reml import reml
from palio.stats.variance import Block, mean_squares
from palio.types import FloatArray


def drawn() -> tuple[FloatArray, FloatArray]:
    """Return scores of 20 data sets, 4 units and 3 algorithms; and the same with holes."""
    rng = np.random.default_rng(8)
    n, k, u = 20, 3, 4
    y = rng.normal(size=(n, 1, 1)) + 0.8 * rng.normal(size=(n, 1, k))
    y = y + 0.6 * rng.normal(size=(n, u, 1)) + 0.5 * rng.normal(size=(n, u, k)) + np.arange(k)
    holes = y.copy()
    holes[rng.random(y.shape) < 0.15] = np.nan
    holes[3, :, 1] = np.nan
    holes[5, 2:] = np.nan
    return y, holes


def blocks(y: FloatArray) -> list[Block]:
    return [Block(each, (~np.isnan(each)).astype(np.intp)) for each in y]


def test_balanced() -> None:
    published = [1.0059487448, 0.8347550135, 0.2958254239, 0.2517141743]
    assert mean_squares(blocks(drawn()[0])).raw() == pytest.approx(published, rel=2e-4)


def test_with_holes() -> None:
    published = [0.9744306211, 0.7674816839, 0.3003001533, 0.2578741920]
    assert reml(blocks(drawn()[1])).raw() == pytest.approx(published, rel=2e-4)
