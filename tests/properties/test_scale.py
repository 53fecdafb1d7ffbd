"""Whatever unit a data set's RMSE is in, every answer is the same."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import palio
from palio.recommending import evaluate_recommendation
from palio.recommending.relevance import Described
from palio.results import Result
from palio.scores import ScoreTable
from palio.types import FloatArray
from tests.slow import mostly_slow

TABLES = range(2)

# Scores as they were measured, and what is said of their means.
RAW = (".scores", ".mean_scores", ".board.mean_score", ".board.interval", ".verdict.best")


def drawn(seed: int, *, gaps: bool = False, folds: bool = False) -> tuple[ScoreTable, ScoreTable]:
    """Draw RMSE of 2 to 6 algorithms on 8 to 15 data sets, and the same in other units."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 16)), int(rng.integers(2, 7))
    shape = (n, k, 1, 5) if folds else (n, k)
    pad = (1,) * (len(shape) - 2)
    logs = rng.normal(size=(n, 1, *pad)) + 0.1 * np.arange(k).reshape(1, k, *pad)
    scores = np.exp(logs + 0.2 * rng.normal(size=(n, k, *pad)) + 0.1 * rng.normal(size=shape))
    if gaps:
        gone = rng.random((n, k)) < 0.2
        gone[: n // 2] = False  # so that somebody has all
        scores[gone] = np.nan
    units = np.where(rng.random(n) < 0.5, 10 ** rng.uniform(-4, 4, size=n), 1.0)
    return table(scores), table(scores * units.reshape(n, 1, *pad))


def table(scores: FloatArray) -> ScoreTable:
    n, k = scores.shape[:2]
    return ScoreTable.from_arrays(
        scores,
        datasets=[f"d{i}" for i in range(n)],
        algorithms=[f"a{i}" for i in range(k)],
        measure="rmse",
        costs={"fit_time": np.arange(1.0, n * k + 1).reshape(n, k) % 7 + 1},
    )


Ask = Callable[[ScoreTable], Result]

WITH_RAW = ("compare", "order")

ON_GAPS: dict[str, Ask] = {
    "compare": palio.compare,
    "order": palio.order,
    "audit": palio.audit,
    "variance": palio.variance,
    "power": lambda t: palio.power(t, trials=50, n_datasets=[10], progress=False),
    "power by a share": lambda t: palio.power(
        t, difference=-0.1, trials=50, n_datasets=[10], progress=False
    ),
    "aggregate": palio.aggregate,
    "aggregate min-max": lambda t: palio.aggregate(t, normalise="min-max"),
    "aggregate baseline": lambda t: palio.aggregate(t, normalise="baseline=a0"),
    "stability": lambda t: palio.rank_stability(t, n_resamples=50),
    **{
        f"rank {method}": lambda t, method=method: palio.rank(t, method=method)  # type: ignore[misc]
        for method in ("average-ranks", "mean-score", "copeland", "bradley-terry", "elo")
    },
}

COMPLETE: dict[str, Ask] = {
    **ON_GAPS,
    "audit": lambda t: palio.audit(t, only=["luck"]),
    "rank median-ranks": lambda t: palio.rank(t, method="median-ranks"),
    "evaluate": palio.evaluate_rankings,
    "recommend": lambda t: palio.recommend(t, n_resamples=50),
    "evaluate recommendation": lambda t: evaluate_recommendation(
        t, [Described(name, 100, {"x": float(i)}) for i, name in enumerate(t.datasets)], seed=1
    ),
}

ON_FOLDS: dict[str, Ask] = {
    "variance": palio.variance,
    "power": lambda t: palio.power(t, each={"splits": 1}, trials=50, n_datasets=[10]),
    "evaluate": lambda t: palio.evaluate_rankings(t, cost="fit_time"),
    "multi2test": lambda t: palio.rank(t, method="multi2test", cost="fit_time"),
}


@pytest.mark.parametrize("seed", TABLES)
@pytest.mark.parametrize("verb", COMPLETE)
def test_units_change_nothing(verb: str, seed: int) -> None:
    agree(COMPLETE[verb], *drawn(seed), but=RAW if verb in WITH_RAW else ())


@pytest.mark.parametrize("seed", mostly_slow(TABLES, 1))
@pytest.mark.parametrize("verb", ON_GAPS)
def test_units_change_nothing_where_scores_are_missing(verb: str, seed: int) -> None:
    but = RAW if verb in WITH_RAW else ()
    agree(ON_GAPS[verb], *drawn(seed, gaps=True), but=but)


@pytest.mark.parametrize("verb", ON_FOLDS)
def test_units_change_nothing_on_folds(verb: str) -> None:
    agree(ON_FOLDS[verb], *drawn(0, folds=True))


def agree(ask: Ask, one: ScoreTable, other: ScoreTable, but: tuple[str, ...] = ()) -> None:
    assert differing(ask(one).to_dict(), ask(other).to_dict(), but) == []


def differing(one: Any, other: Any, but: tuple[str, ...], at: str = "") -> list[str]:
    """Name what differs, ``but`` for where these paths end."""
    if re.sub(r"\[\d+\]", "", at).endswith(but):
        return []
    if isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys(), at
        return [e for key in one for e in differing(one[key], other[key], but, f"{at}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [each for i, (a, b) in pairs for each in differing(a, b, but, f"{at}[{i}]")]
    numbers = isinstance(one, float) and isinstance(other, float)
    same = math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-10) if numbers else one == other
    return [] if same else [f"{at}: {one} {other}"]
