"""What every check of an audit looks at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from palio.comparison.corrections import CORRECTIONS, Family
from palio.comparison.pair_tests import PAIR_TESTS
from palio.comparison.results import Comparison
from palio.comparison.sample import Sample
from palio.types import BoolArray, FloatArray

__all__ = ["Context", "verdicts"]


@dataclass(frozen=True, eq=False)
class Context:
    """A comparison, and the complete values behind it (higher is better)."""

    comparison: Comparison
    goodness: FloatArray
    datasets: tuple[str, ...]
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms."""
        return self.comparison.algorithms

    @property
    def alpha(self) -> float:
        """The significance level."""
        return self.comparison.alpha

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs, in the order of :func:`verdicts`."""
        first, second = np.triu_indices(len(self.names), 1)
        return [
            (self.names[i], self.names[j])
            for i, j in zip(first.tolist(), second.tolist(), strict=True)
        ]

    def verdicts(self, goodness: FloatArray | None = None) -> BoolArray:
        """Return which pairs the audited procedure calls different, on other rows perhaps."""
        values = self.goodness if goodness is None else goodness
        comparison = self.comparison
        return verdicts(values, comparison.method, comparison.correction, self.alpha)


def verdicts(
    goodness: FloatArray,
    test: str,
    correction: str,
    alpha: float,
    **options: object,
) -> BoolArray:
    """Return which of all pairs a procedure calls different, names left behind."""
    k = goodness.shape[1]
    first, second = np.triu_indices(k, 1)
    found = PAIR_TESTS[test].run(Sample(goodness, first, second), options)
    adjusted = CORRECTIONS[correction].adjust(Family(found.p_value, k, found.statistic))
    return np.asarray(adjusted <= alpha)
