"""What tests over many data sets look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from palio.stats.ranks import average_ranks
from palio.types import FloatArray, IntArray

__all__ = ["Sample"]


@dataclass(frozen=True, eq=False)
class Sample:
    """One value per data set and algorithm (higher is better), and the pairs to be tested.

    Values may be missing (NaN); a test on ranks never sees such rows.
    """

    values: FloatArray
    first: IntArray
    second: IntArray

    @cached_property
    def ranks(self) -> FloatArray:
        """The ranks on each data set, 1 the best; made once, for whoever asks."""
        return average_ranks(-self.values)

    @property
    def mean_ranks(self) -> FloatArray:
        """The ranks averaged over the data sets."""
        return np.asarray(self.ranks.mean(axis=0))
