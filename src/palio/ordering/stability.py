"""How much does a ranking hang on the data sets at hand? A bootstrap over data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palio.errors import ParameterError
from palio.measures import Measure
from palio.ordering.agreement import place_shares, spearman
from palio.ordering.prior import Cost
from palio.ordering.rankers import RankingOptions
from palio.ordering.rankings import bind_rankings
from palio.registry import unknown_name
from palio.results import Result
from palio.scores import ScoreTable
from palio.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MethodStability", "RankStability", "rank_stability"]

# Enough draws for a probability to be known within a hundredth or two.
_RESAMPLES = 2000

_INTERVAL = (0.025, 0.975)


@dataclass(frozen=True, eq=False)
class MethodStability:
    """One method: its ranks on the whole table, and what becomes of them on resampled ones.

    ``places`` (K, K) is the probability of each place (column) for each algorithm (row);
    ``agreement`` the mean correlation of resampled rankings with that of the whole table.
    """

    ranks: FloatArray
    places: FloatArray
    low: FloatArray
    high: FloatArray
    agreement: float


@dataclass(frozen=True, repr=False, eq=False)
class RankStability(Result):
    """The probability of each place, for each algorithm by each ranking method."""

    algorithms: tuple[str, ...]
    measure: Measure
    n_datasets: int
    n_resamples: int
    seed: int
    by_method: Mapping[str, MethodStability]
    notes: tuple[str, ...] = ()

    def probability(self, algorithm: str, place: int, *, method: str | None = None) -> float:
        """Return the probability that an algorithm takes a place, by the first method if none."""
        method = method or next(iter(self.by_method))
        if method not in self.by_method:
            raise unknown_name("method", method, self.by_method)
        if algorithm not in self.algorithms:
            raise unknown_name("algorithm", algorithm, self.algorithms)
        if not 1 <= place <= len(self.algorithms):
            raise ParameterError(
                f"place: there are places 1 to {len(self.algorithms)}, and {place!r} was given."
            )
        found = self.by_method[method]
        return float(found.places[self.algorithms.index(algorithm), place - 1])

    def __repr__(self) -> str:
        return (
            f"<RankStability: {', '.join(self.by_method)}; {self.n_resamples} resamples of "
            f"{self.n_datasets} data sets>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the probabilities as plain data."""
        return {
            "kind": "rank-stability",
            "algorithms": list(self.algorithms),
            "measure": self.measure.to_dict(),
            "n_datasets": self.n_datasets,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "methods": [self._method(method, found) for method, found in self.by_method.items()],
            "notes": list(self.notes),
        }

    def _method(self, method: str, found: MethodStability) -> dict[str, Any]:
        ranks = dict(zip(self.algorithms, found.ranks.tolist(), strict=True))
        return {
            "method": method,
            "order": sorted(ranks, key=lambda name: (ranks[name], name)),
            "ranks": ranks,
            "places": dict(zip(self.algorithms, found.places.tolist(), strict=True)),
            "rank_intervals": {
                name: [low, high]
                for name, low, high in zip(
                    self.algorithms, found.low.tolist(), found.high.tolist(), strict=True
                )
            },
            "agreement": found.agreement,
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row per method, algorithm and place."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"method": method, "algorithm": name, "place": place, "probability": share}
                for method, found in self.by_method.items()
                for name, row in zip(self.algorithms, found.places.tolist(), strict=True)
                for place, share in enumerate(row, start=1)
            ]
        )


def rank_stability(
    table: ScoreTable,
    methods: Sequence[str] | None = None,
    *,
    n_resamples: int = _RESAMPLES,
    seed: int = 0,
    cost: Cost | None = None,
    prior: Sequence[str] | None = None,
    test: str | None = None,
    alpha: float | None = None,
    acc_d: float | None = None,
    **test_options: float,
) -> RankStability:
    """Ask how probable each place is for each algorithm, had other data sets been drawn.

    Data sets are drawn anew from those at hand, with replacement, and ranked again; a tie counts
    evenly for the places it covers. Valid as far as the data sets are a sample of those one cares
    for. Tests on folds are not resampled: they belong to their data set.

    Parameters
    ----------
    table
        Scores on two data sets or more.
    methods
        Names of ranking methods as for `rank`; all that the table allows unless given.
    n_resamples, seed
        How many times, and the seed: the same gives the same numbers, and every method sees the
        same draws.
    cost, prior, test, alpha, acc_d, **test_options
        For the methods that take them, as for `rank`.

    References
    ----------
    B. Efron (1979), Bootstrap methods: another look at the jackknife, Annals of Statistics 7.

    Examples
    --------
    >>> import palio
    >>> stability = palio.rank_stability(palio.load_study("ulas2008"), ["average-ranks"])
    >>> stability.probability("svr", 1) > 0.9
    True
    """
    if table.n_datasets < 2:
        raise ParameterError(
            "table: to draw data sets anew there must be two or more, and there is one."
        )
    if n_resamples < 1:
        raise ParameterError(
            f"n_resamples: at least one is needed, and {n_resamples!r} was given; 2000 is usual."
        )
    options = RankingOptions(cost, prior, test, alpha, acc_d, test_options)
    bound = bind_rankings(table, methods, options)
    n = table.n_datasets
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=n_resamples)
    weights = drawn.astype(np.float64)
    whole = np.ones((1, n))
    return RankStability(
        algorithms=table.algorithms,
        measure=table.measure,
        n_datasets=n,
        n_resamples=n_resamples,
        seed=seed,
        by_method={
            method: _stability(ranker.ranks(whole)[0], ranker.ranks(weights))
            for method, ranker in bound.rankers.items()
        },
        notes=(
            *table.notes,
            *bound.notes,
            f"bootstrap: {n_resamples} draws of {n} data sets with replacement, seed {seed}; a "
            "tie counts evenly for the places it covers",
        ),
    )


def _stability(ranks: FloatArray, resampled: FloatArray) -> MethodStability:
    low, high = np.quantile(resampled, _INTERVAL, axis=0)
    return MethodStability(
        ranks=ranks,
        places=place_shares(resampled),
        low=low,
        high=high,
        agreement=float(spearman(resampled, ranks).mean()),
    )
