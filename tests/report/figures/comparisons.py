"""Whole comparisons to draw and to write, made of random scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from palio.stats.ranks import average_ranks


def whole_comparison(
    algorithms: Sequence[str],
    *,
    n: int = 38,
    seed: int = 0,
    control: str | None = None,
    higher_is_better: bool = True,
    **changes: Any,
) -> dict[str, Any]:
    """Return a comparison with every key, in the shape of its ``to_dict()``."""
    random = np.random.default_rng(seed)
    k = len(algorithms)
    skill = random.normal(80, 6, k)
    # One decimal, so that there are ties.
    scores = np.round(skill[:, None] + random.normal(0, 5, n) + random.normal(0, 4, (k, n)), 1)
    sign = 1 if higher_is_better else -1
    ranks = average_ranks(-sign * scores, axis=0).mean(axis=1)
    pairs = [
        _pair(algorithms[i], algorithms[j], sign * (scores[i] - scores[j]), sign)
        for i, j in combinations(range(k), 2)
        if control is None or control in (algorithms[i], algorithms[j])
    ]
    order = sorted(range(k), key=lambda i: ranks[i])
    groups = [] if control else _runs(order, ranks, 0.25 * k)
    return {
        "kind": "comparison",
        "method": "wilcoxon",
        "correction": "holm",
        "control": control,
        "algorithms": list(algorithms),
        "n_datasets": n,
        "datasets": [f"d{i}" for i in range(n)],
        "alpha": 0.05,
        "measure": {
            "name": "accuracy" if higher_is_better else "error",
            "higher_is_better": higher_is_better,
        },
        "mean_ranks": dict(zip(algorithms, ranks.tolist(), strict=True)),
        "mean_scores": dict(zip(algorithms, scores.mean(axis=1).tolist(), strict=True)),
        "kendall_w": 0.5,
        "omnibus": {
            "method": "friedman",
            "statistic": 43.21,
            "df": [k - 1],
            "p_value": 2.3e-7,
            "n": n,
        },
        "critical_difference": None,
        "pairs": pairs,
        "groups": [[algorithms[i] for i in group] for group in groups],
        "letters": {
            name: "".join(chr(97 + g % 26) for g, group in enumerate(groups) if i in group)
            for i, name in enumerate(algorithms)
        },
        "scores": dict(zip(algorithms, scores.tolist(), strict=True)),
        "notes": ["zeros are split between both signs", "100% of the cells are there"],
        **changes,
    }


def _pair(a: str, b: str, better: np.ndarray, sign: int) -> dict[str, Any]:
    """Return a pair from the differences in favour of ``a``; the p-value is made up."""
    p = float(np.exp(-(abs(better.mean() / (better.std() + 1e-9)) ** 2) * len(better) / 2))
    adjusted = min(1.0, 5 * p)
    difference = sign * float(better.mean())
    return {
        "a": a,
        "b": b,
        "statistic": 12.5,
        "p_value": p,
        "p_adjusted": adjusted,
        "significant": adjusted <= 0.05,
        "better": (a if better.mean() > 0 else b) if adjusted <= 0.05 else None,
        "wins": int((better > 1e-9).sum()),
        "ties": int((abs(better) <= 1e-9).sum()),
        "losses": int((better < -1e-9).sum()),
        "difference": difference,
        "median_difference": sign * float(np.median(better)),
        "interval": [difference - 1, difference + 1],
        "rank_biserial": 0.31,
        "cliffs_delta": 0.2,
        "vargha_delaney": 0.6,
    }


def _runs(order: Sequence[int], ranks: np.ndarray, near: float) -> list[list[int]]:
    runs = [[b for b in order[i:] if ranks[b] - ranks[a] < near] for i, a in enumerate(order)]
    return [g for g in runs if not any(set(g) < set(other) for other in runs)]
