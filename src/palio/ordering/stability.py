"""How much does a ranking hang on the data sets at hand? A bootstrap over data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from palio.errors import ParameterError
from palio.measures import Measure
from palio.ordering.agreement import spearman
from palio.ordering.prior import Cost
from palio.ordering.rankers import RankingOptions
from palio.ordering.rankings import bind_rankings
from palio.registry import unknown_name
from palio.results import Result
from palio.scores import Tabular, as_table
from palio.stats.ranks import place_counts
from palio.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

# Enough draws for a probability to be known within a hundredth or two.
_RESAMPLES = 2000

_INTERVAL = (0.025, 0.975)


@dataclass(frozen=True)
class MethodStability:
    """One method: its ranks on the whole table, and what becomes of them on resampled ones.

    ``places`` are the probabilities of the places 1, 2, …, ``rank_intervals`` the middle 95 % of
    the ranks; ``agreement`` is the mean correlation of resampled rankings with that of the whole
    table.
    """

    parts: ClassVar[tuple[str, ...]] = (
        "method", "order", "ranks", "places", "rank_intervals", "agreement",
    )  # fmt: skip

    method: str
    ranks: Mapping[str, float]
    places: Mapping[str, tuple[float, ...]]
    rank_intervals: Mapping[str, tuple[float, float]]
    agreement: float

    @property
    def order(self) -> tuple[str, ...]:
        """The algorithms, best first; tied ones by name."""
        return tuple(sorted(self.ranks, key=lambda name: (self.ranks[name], name)))

    def among_first(self, algorithm: str, n: int) -> float:
        """Return the probability that an algorithm takes one of the first ``n`` places."""
        # Sums of shares may miss 1 by a rounding error.
        return round(sum(self.places[algorithm][:n]), 12)


@dataclass(frozen=True, repr=False, eq=False)
class RankStability(Result):
    """The probability of each place, for each algorithm by each ranking method."""

    kind = "rank-stability"
    parts = (
        "algorithms", "measure", "n_datasets", "n_resamples", "seed", "methods", "notes",
    )  # fmt: skip

    algorithms: tuple[str, ...]
    measure: Measure
    n_datasets: int
    n_resamples: int
    seed: int
    methods: tuple[MethodStability, ...]
    notes: tuple[str, ...] = ()

    @property
    def by_method(self) -> dict[str, MethodStability]:
        """What was found, by the name of the method."""
        return {found.method: found for found in self.methods}

    def probability(self, algorithm: str, place: int, *, method: str | None = None) -> float:
        """Return the probability that an algorithm takes a place, by the first method if none."""
        method = method or next(iter(self.by_method))
        if method not in self.by_method:
            raise unknown_name("method", method, self.by_method)
        if algorithm not in self.algorithms:
            raise unknown_name("algorithm", algorithm, self.algorithms)
        if not 1 <= place <= len(self.algorithms):
            raise ParameterError(
                "place", f"there are places 1 to {len(self.algorithms)}", f"{place!r} was given"
            )
        return self.by_method[method].places[algorithm][place - 1]

    def __repr__(self) -> str:
        return (
            f"<RankStability: {', '.join(self.by_method)}; {self.n_resamples} resamples of "
            f"{self.n_datasets} data sets>"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per method, algorithm and place."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"method": found.method, "algorithm": name, "place": place, "probability": share}
                for found in self.methods
                for name, row in found.places.items()
                for place, share in enumerate(row, start=1)
            ]
        )


def rank_stability(
    table: Tabular,
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

    Returns
    -------
    RankStability
        ``probability("svr", 1)`` is that of a place.

    See Also
    --------
    palio.rank : the rankings themselves.

    References
    ----------
    Efron (1979), Bootstrap methods: another look at the jackknife, Annals of Statistics 7.

    Examples
    --------
    >>> import palio
    >>> stability = palio.rank_stability(palio.load_study("ulas2008"), ["average-ranks"])
    >>> stability.probability("svr", 1) > 0.9
    True
    """
    table = as_table(table)
    if table.n_datasets < 2:
        raise ParameterError(
            "table", "to draw data sets anew there must be two or more", "there is one"
        )
    if n_resamples < 1:
        raise ParameterError(
            "n_resamples", "at least one is needed", f"{n_resamples!r} was given", "2000 is usual"
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
        methods=tuple(
            _stability(method, table.algorithms, ranker.ranks(whole)[0], ranker.ranks(weights))
            for method, ranker in bound.rankers.items()
        ),
        notes=(
            *table.notes,
            *bound.notes,
            f"bootstrap: {n_resamples} draws of {n} data sets with replacement, seed {seed}; a "
            "tie counts evenly for the places it covers",
        ),
    )


def _stability(
    method: str, names: Sequence[str], ranks: FloatArray, resampled: FloatArray
) -> MethodStability:
    low, high = np.quantile(resampled, _INTERVAL, axis=0).tolist()
    places = place_counts(resampled) / len(resampled)
    return MethodStability(
        method=method,
        ranks=dict(zip(names, ranks.tolist(), strict=True)),
        places=dict(zip(names, map(tuple, places.tolist()), strict=True)),
        rank_intervals=dict(zip(names, zip(low, high, strict=True), strict=True)),
        agreement=float(spearman(resampled, ranks).mean()),
    )
