"""The exact distribution of Cochran's Q for few instances."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations
from math import comb, prod

__all__ = ["between_sf"]


def between_sf(least: int, rows: tuple[int, ...], k: int) -> float:
    """Return P(K Σ Cⱼ² - T² >= least) of the column sums C, given the row sums.

    If the algorithms are alike, each instance's correct answers fall to any of them with equal
    probability, whatever their number. Q is this sum over what the row sums alone decide.

    Parameters
    ----------
    least
        What was observed.
    rows
        How many algorithms are right on each instance. Unanimous ones change nothing.
    k
        The number of algorithms.

    Examples
    --------
    Three instances that one of two gets right: all three by the same one, 2 of 8 ways.

    >>> between_sf(9, (1, 1, 1), 2)
    0.25
    """
    divided = tuple(sorted(row for row in rows if 0 < row < k))
    counts = _ways(divided, k)
    # Whole numbers to the end: all ways together are the product of the binomial coefficients.
    reached = sum(ways for value, ways in counts.items() if value >= least)
    return reached / prod(comb(k, row) for row in divided)


@lru_cache(maxsize=256)
def _ways(rows: tuple[int, ...], k: int) -> Counter[int]:
    """Return in how many ways each value of K Σ Cⱼ² - T² comes about."""
    # Which column has which sum does not matter, so sums are kept sorted.
    states = Counter({(0,) * k: 1})
    for row in rows:
        following: Counter[tuple[int, ...]] = Counter()
        for sums, ways in states.items():
            for chosen in combinations(range(k), row):
                raised = list(sums)
                for j in chosen:
                    raised[j] += 1
                following[tuple(sorted(raised))] += ways
        states = following
    counts: Counter[int] = Counter()
    for sums, ways in states.items():
        counts[k * sum(s * s for s in sums) - sum(sums) ** 2] += ways
    return counts
