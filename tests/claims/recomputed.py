"""Who leads, who is unbeaten, at what cost and how sure: worked out again from the raw table.

Plain loops over pairs with SciPy, NumPy's least squares and no code of Palio's, so that a mistake
in one is not a mistake in the other. The tables have no ties.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats

ALPHA = 0.05
Test = Callable[[np.ndarray], tuple[float, float]]
# From here on the signed-rank test takes the normal distribution.
_EXACT_UP_TO = 100


@dataclass(frozen=True)
class Raw:
    """Scores (data sets, algorithms) with NaN for holes, and what they are."""

    scores: np.ndarray
    algorithms: tuple[str, ...]
    higher_is_better: bool = True
    ratio: bool = False
    costs: np.ndarray | None = None
    failed: np.ndarray | None = None

    @cached_property
    def goodness(self) -> np.ndarray:
        """Higher is better; logarithms on a ratio scale."""
        values = np.log(self.scores) if self.ratio else self.scores
        return values if self.higher_is_better else -values


def holm(p_values: np.ndarray) -> np.ndarray:
    """Adjust p-values, step by step."""
    order, m = np.argsort(p_values, kind="stable"), p_values.size
    adjusted, largest = np.empty(m), 0.0
    for step, place in enumerate(order):
        largest = max(largest, min(1.0, (m - step) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def signed_rank(differences: np.ndarray) -> tuple[float, float]:
    """Return p of Wilcoxon's test, and who leads: W+ against its middle."""
    n = differences.size
    found = stats.wilcoxon(
        differences, method="exact" if n <= _EXACT_UP_TO else "approx", correction=False
    )
    ranks = stats.rankdata(np.abs(differences))
    return float(found.pvalue), float(ranks[differences > 0].sum() - n * (n + 1) / 4)


def sign_test(differences: np.ndarray) -> tuple[float, float]:
    """Return p of the sign test, and who leads."""
    wins = int((differences > 0).sum())
    p = stats.binomtest(wins, differences.size).pvalue
    return float(p), wins - differences.size / 2


def beaten_by_pair(goodness: np.ndarray, test: Test = signed_rank) -> dict[tuple[int, int], int]:
    """Return of each pair that met 1 where the first is significantly better, -1, or 0."""
    pairs, found = [], []
    for i, j in itertools.combinations(range(goodness.shape[1]), 2):
        differences = goodness[:, i] - goodness[:, j]
        differences = differences[~np.isnan(differences)]
        if differences.size:
            pairs.append((i, j))
            found.append(test(differences))
    adjusted = holm(np.array([p for p, _ in found]))
    return {
        pair: int(np.sign(lead)) if p <= ALPHA else 0
        for pair, p, (_, lead) in zip(pairs, adjusted, found, strict=True)
    }


def unbeaten(goodness: np.ndarray, test: Test = signed_rank) -> set[int]:
    """Return the columns that nobody significantly beats."""
    sides = beaten_by_pair(goodness, test)
    beaten = {j for (_, j), side in sides.items() if side > 0}
    beaten |= {i for (i, _), side in sides.items() if side < 0}
    return set(range(goodness.shape[1])) - beaten


def standing(goodness: np.ndarray) -> np.ndarray:
    """Return least-squares means of ranks/(m + 1), lower the better; NaN for who met nobody."""
    n, k = goodness.shape
    scaled = np.full((n, k), np.nan)
    for row in range(n):
        there = np.flatnonzero(~np.isnan(goodness[row]))
        if there.size > 1:
            scaled[row, there] = stats.rankdata(-goodness[row, there]) / (there.size + 1)
    rows, columns = np.nonzero(~np.isnan(scaled))
    design = np.zeros((rows.size, n + k))
    design[np.arange(rows.size), rows] = 1
    design[np.arange(rows.size), n + columns] = 1
    solved = np.linalg.lstsq(design, scaled[rows, columns], rcond=None)[0][n:]
    return np.where(np.isnan(scaled).all(axis=0), np.nan, solved)


def largest_part(goodness: np.ndarray) -> set[int]:
    """Return the largest set of columns that chains of shared rows join."""
    there = ~np.isnan(goodness)
    left, parts = set(range(goodness.shape[1])), []
    while left:
        part = {min(left)}
        while True:
            rows = there[:, sorted(part)].any(axis=1)
            grown = set(np.flatnonzero(there[rows].any(axis=0)).tolist()) | part
            if grown == part:
                break
            part = grown
        parts.append(part)
        left -= part
    return max(parts, key=len)


def level(raw: Raw, leader: int) -> str:
    """Return how sure it is who leads."""
    goodness = raw.goodness
    if not any(beaten_by_pair(goodness).values()):
        return "open"
    main, everyone = unbeaten(goodness), set(range(goodness.shape[1]))
    if not main:
        return "fragile"
    checks = [unbeaten(np.delete(goodness, row, axis=0)) for row in range(len(goodness))]
    checks.append(unbeaten(goodness, sign_test))
    if raw.failed is not None and raw.failed.any():
        worst = np.nanmin(goodness, axis=1, keepdims=True)
        checks.append(unbeaten(np.where(raw.failed & np.isnan(goodness), worst, goodness)))
    if len(main) == 1 and all(found == main for found in checks):
        return "firm"
    if len(main) > 1 and all(leader in found and found != everyone for found in checks):
        return "shared"
    return "fragile"
