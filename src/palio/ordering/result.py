"""An ordering: algorithms best first, and the steps that justify each place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palio.comparison.results import Comparison, Pair
from palio.comparison.sample import Sample
from palio.measures import Measure
from palio.ordering.first_pass import DatasetOrder, FirstPass
from palio.ordering.graph import Step
from palio.registry import unknown_name
from palio.results import Result
from palio.scores import ScoreTable
from palio.words import joined

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Ordering(Result):
    """Algorithms best first, and the evidence for it.

    ``prior`` is the order of preference before the tests (cheapest first), ``edges`` the pairs
    (cheaper, costlier) where the test overrode it, ``steps`` how the order was read off.
    ``test``, ``correction``, ``posthoc`` and ``alpha`` are those that made the edges, ``dataset``
    the one it is about if it is about one, ``cost`` the weights of the costs, unless the prior was
    given by hand. ``mean_ranks`` are by score alone, as `compare` has them; ``mean_places`` are
    those in MultiTest's order on each data set. ``ordering.why("a", "b")`` says why a stands before
    b, or after it.
    """

    kind = "ordering"
    parts = (
        "method", "measure", "n_datasets", "test", "correction", "alpha", "dataset", "cost",
        "posthoc", "order", "ranks", "prior", "edges", "steps", "pairs", "costs", "mean_scores",
        "mean_ranks", "mean_places", "per_dataset", "comparison", "notes",
    )  # fmt: skip

    method: str
    order: tuple[str, ...]
    prior: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    pairs: tuple[Pair, ...]
    measure: Measure
    n_datasets: int
    test: str
    correction: str
    alpha: float
    costs: Mapping[str, float]
    mean_scores: Mapping[str, float]
    mean_ranks: Mapping[str, float]
    mean_places: Mapping[str, float]
    first_pass: FirstPass
    dataset: str | None = None
    cost: Mapping[str, float] | None = None
    posthoc: str | None = None
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> str:
        """The algorithm in the first place."""
        return self.order[0]

    @property
    def ranks(self) -> dict[str, int]:
        """The place of each algorithm, 1 the best."""
        return {name: place for place, name in enumerate(self.order, start=1)}

    @property
    def per_dataset(self) -> Mapping[str, DatasetOrder]:
        """The order on each data set."""
        return self.first_pass.per_dataset

    @property
    def n_pairs(self) -> int:
        """The number of pairs of algorithms."""
        return math.comb(len(self.order), 2)

    def why(self, a: str, b: str) -> str:
        """Say why one of two algorithms stands before the other."""
        ranks = self.ranks
        for name in (a, b):
            if name not in ranks:
                raise unknown_name("algorithm", name, self.order)
        if a == b:
            return f"{a} is one algorithm: it has one place, {ranks[a]}."
        first, second = sorted((a, b), key=lambda name: ranks[name])
        step = self.steps[ranks[first] - 1]
        return f"{first} is before {second}: {self._reason(first, second, step)}."

    def _reason(self, first: str, second: str, step: Step) -> str:
        better = step.waiting.get(second, ())
        if first in better:
            p = next(x.p_adjusted for x in self.pairs if {x.a, x.b} == {first, second})
            return f"it is costlier, but significantly better (p = {p:.2g})"
        if better:
            return (
                f"{second} is cheaper, but has to wait for {joined(better)}, significantly "
                f"better than {second}"
            )
        return f"it is cheaper, and {second} is not significantly better"

    def __repr__(self) -> str:
        return f"<Ordering by {self.method}: {' > '.join(self.order)}>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm, best first."""
        import pandas as pd

        return pd.DataFrame(
            {
                "place": range(1, len(self.order) + 1),
                "algorithm": self.order,
                "prior": [self.prior.index(name) + 1 for name in self.order],
                "mean_rank": [self.mean_ranks[name] for name in self.order],
                "mean_place": [self.mean_places[name] for name in self.order],
                "mean_score": [self.mean_scores[name] for name in self.order],
                "cost": [self.costs[name] for name in self.order],
            }
        )


def mean_ranks(table: ScoreTable) -> dict[str, float]:
    """Return the rank of each algorithm by its score, averaged over data sets, as `compare` does.

    >>> import palio
    >>> table = palio.ScoreTable.from_arrays(
    ...     [[0.1, 0.2], [0.3, 0.3]], datasets=["d", "e"], algorithms=["a", "b"], measure="error"
    ... )
    >>> mean_ranks(table)
    {'a': 1.25, 'b': 1.75}
    """
    pairs = np.triu_indices(table.n_algorithms, 1)
    ranks = Sample(table.goodness(), *pairs).mean_ranks
    return dict(zip(table.algorithms, ranks.tolist(), strict=True))
