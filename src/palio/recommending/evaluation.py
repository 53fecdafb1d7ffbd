"""Does it help to rank on the nearest data sets only? Leave one data set out, and look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from palio.bars import Steps, steps
from palio.errors import ParameterError, require
from palio.measures import Measure
from palio.ordering.agreement import expected_losses, spearman
from palio.ordering.rankers import Ranker, RankingOptions, complete_goodness
from palio.ordering.rankings import RANKINGS, bind_rankings
from palio.recommending.budget import chosen_costs
from palio.recommending.relevance import Described, as_matrix, by_distance, distances
from palio.results import Result
from palio.scores import ScoreTable, Tabular, as_table
from palio.stats.ranks import average_ranks
from palio.types import FloatArray, IntArray
from palio.words import quoted

if TYPE_CHECKING:
    import pandas as pd

    from palio.experiment.data.datasets import Dataset

Count: TypeAlias = int | Literal["all"]

_USUAL_COUNTS = (1, 3, 5, 10, 20)
_LEAST_DATASETS = 3
NEEDS_ALL = "a recommendation needs every algorithm on every data set"
_RANDOM_DRAWS = 100


@dataclass(frozen=True)
class ChoiceEvaluation:
    """How well the ranking on so many nearest data sets foretells: means over the data sets.

    ``difference`` is that of the correlation from all data sets', with its standard error.
    """

    relevant: Count
    correlation: float
    regret: float
    difference: float
    difference_se: float
    random_correlation: float
    random_regret: float


@dataclass(frozen=True, repr=False, eq=False)
class RecommendationEvaluation(Result):
    """How well the ranking on the k nearest data sets foretells, beside that on all of them.

    ``relevant`` are the choices, all data sets first. ``by_dataset`` and ``regrets`` are
    (choices, data sets): Spearman's correlation of the ranking with the order on the data set left
    out, and what its first loses there against the best. ``random_correlations`` and
    ``random_regrets`` (choices,) are means for as many data sets drawn at random: what fewer data
    sets cost, whichever they are.
    """

    kind = "recommendation-evaluation"
    parts = (
        "ranking", "measure", "algorithms", "n_datasets", "best", "helpful", "choices",
        "features", "correlations", "notes",
    )  # fmt: skip

    ranking: str
    measure: Measure
    algorithms: tuple[str, ...]
    datasets: tuple[str, ...]
    relevant: tuple[Count, ...]
    by_dataset: FloatArray
    regrets: FloatArray
    random_correlations: FloatArray
    random_regrets: FloatArray
    features: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Count:
        """The choice with the highest mean correlation; all data sets where they are as good."""
        return self.relevant[int(self.by_dataset.mean(axis=1).round(12).argmax())]

    @property
    def helpful(self) -> Count:
        """The choice that clearly foretells better than all data sets do; ``"all"`` if none does.

        Clearly: the correlation is higher by two standard errors, and the first of the ranking
        loses no more.
        """
        clear = [
            each
            for each in self.choices
            if each.difference > 2 * each.difference_se and each.regret <= self.choices[0].regret
        ]
        return max(clear, key=lambda each: each.difference).relevant if clear else "all"

    def __repr__(self) -> str:
        return (
            f"<RecommendationEvaluation by {self.ranking}: {len(self.datasets)} data sets, "
            f"best with {self.best}, clearly with {self.helpful}>"
        )

    @property
    def n_datasets(self) -> int:
        """The number of data sets, each left out once."""
        return len(self.datasets)

    @cached_property
    def choices(self) -> tuple[ChoiceEvaluation, ...]:
        """How well each choice foretells, all data sets first."""
        differences = self.by_dataset - self.by_dataset[0]
        spread = differences.std(axis=1, ddof=1) / np.sqrt(len(self.datasets))
        return tuple(
            ChoiceEvaluation(
                relevant=count,
                correlation=float(self.by_dataset[i].mean()),
                regret=float(self.regrets[i].mean()),
                difference=float(differences[i].mean()),
                difference_se=float(spread[i]),
                random_correlation=float(self.random_correlations[i]),
                random_regret=float(self.random_regrets[i]),
            )
            for i, count in enumerate(self.relevant)
        )

    @property
    def correlations(self) -> dict[str, dict[str, float]]:
        """The correlation of each choice on each data set."""
        return {
            str(count): dict(zip(self.datasets, row, strict=True))
            for count, row in zip(self.relevant, self.by_dataset.tolist(), strict=True)
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row per choice."""
        import pandas as pd

        return pd.DataFrame([asdict(each) for each in self.choices])


def evaluate_recommendation(
    table: Tabular,
    data: Iterable[str | Dataset | Described],
    *,
    ranking: str = "average-ranks",
    nearest: Sequence[int] | None = None,
    cost: str | None = None,
    seed: int = 0,
    progress: Steps = None,
) -> RecommendationEvaluation:
    """Ask whether ranking on the nearest data sets foretells better than ranking on all.

    Each data set is left out in turn, its k nearest are found among the others by their
    meta-features, and the ranking on these is held against the order of the algorithms on the one
    left out, by its mean scores. Beside it stand the ranking on all the others, and the ranking on
    k others drawn at random: nearness is worth something if it beats both.

    Parameters
    ----------
    table
        Complete scores.
    data
        The data sets of the table: strings as for `palio.run`, data sets, or what is known of
        them; matched by name. Those of the table that are not among them are left out.
    ranking
        A ranking method, as for `rank`.
    nearest
        The numbers of data sets to try; 1, 3, 5, 10 and 20, as far as there are, unless given.
    cost
        For the ranking methods that take one; the training time unless given.
    seed
        Of the random draws.
    progress
        What is shown meanwhile: a bar in a notebook or on a terminal unless given, nothing with
        ``False``; a function is called with what is under way.

    Returns
    -------
    RecommendationEvaluation
        ``choices`` has a row for each number of data sets, ``helpful`` whether nearness helps.

    See Also
    --------
    palio.recommend : the recommendation itself.

    References
    ----------
    P. B. Brazdil and C. Soares (2000), A comparison of ranking methods for classification
    algorithm selection, ECML 2000, §1 and §7. P. B. Brazdil, C. Soares and J. P. da Costa (2003),
    Ranking learning algorithms: using IBL and meta-learning on accuracy and time results, Machine
    Learning 50.

    Examples
    --------
    Small sets favour ``a`` and large ones ``b``, so the nearest know better than all together.

    >>> import palio
    >>> names = ["s1", "s2", "s3", "t1", "t2", "t3"]
    >>> table = palio.ScoreTable.from_arrays(
    ...     [[0.9, 0.8, 0.7]] * 3 + [[0.8, 0.9, 0.7]] * 3,
    ...     datasets=names, algorithms=["a", "b", "c"], measure="accuracy",
    ... )
    >>> known = [
    ...     Described(name, rows, {"log_rows": float(np.log(rows))})
    ...     for name, rows in zip(names, [100, 110, 120, 9000, 9100, 9200])
    ... ]
    >>> found = evaluate_recommendation(table, known, nearest=[2])
    >>> found
    <RecommendationEvaluation by average-ranks: 6 data sets, best with 2, clearly with 2>
    >>> found.to_frame()[["relevant", "correlation", "regret"]].round(3).values.tolist()
    [['all', 0.5, 0.1], [2, 1.0, 0.0]]
    """
    table = as_table(table)
    ranking = RANKINGS.name_of(ranking)
    data = list(data)
    with steps("describing data", len(data), progress) as step:
        described = described_data(data, table.datasets, features=True, tell=step)
    names = tuple(name for name in table.datasets if name in described)
    if len(names) < _LEAST_DATASETS:
        raise ParameterError(
            "data",
            "to leave one out and rank by the others, three of the table's data sets must be there",
            f"{len(names)} are",
            f"the table has {quoted(table.datasets)}",
        )
    absent = table.n_datasets - len(names)
    table = table.select(datasets=names)
    features, feature_names = as_matrix([described[name] for name in names])
    counts: tuple[Count, ...] = ("all", *_counts(nearest, len(names)))
    goodness = complete_goodness(table, NEEDS_ALL)
    ranker = _bound_ranker(table, ranking, next(iter(chosen_costs(table, cost)), None))
    ideal = average_ranks(-goodness)

    def judged(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        ranks = ranker.ranks(weights)
        return spearman(ranks, ideal), expected_losses(ranks, goodness)[:, 0]

    orders = _others_by_distance(features)
    found = [judged(_weights(orders, count)) for count in counts]
    rng, drawn = np.random.default_rng(seed), []
    with steps("drawing at random", len(counts), progress) as step:
        for count in counts:
            step(f"{count} data sets")
            drawn.append(_at_random(judged, orders, count, rng))
    chance = np.array(drawn)
    return RecommendationEvaluation(
        ranking=ranking,
        measure=table.measure,
        algorithms=table.algorithms,
        datasets=names,
        relevant=counts,
        by_dataset=np.stack([correlation for correlation, _ in found]),
        regrets=np.stack([regret for _, regret in found]),
        random_correlations=chance[:, 0],
        random_regrets=chance[:, 1],
        features=feature_names,
        notes=(
            *table.notes,
            *ranker.notes,
            *([f"{absent} data sets of the table are left out: their data are not there"]
              if absent else []),
            "correlations: 1 − 6D²/(n³ − n) with mid-ranks for ties, with the order of the mean "
            "scores on the data set left out",
            f"at random: the mean of {_RANDOM_DRAWS} draws of as many other data sets, seed {seed}",
        ),
    )  # fmt: skip


# --- what recommending shares --------------------------------------------------------------------


def described_data(
    data: Iterable[str | Dataset | Described],
    wanted: Iterable[str],
    *,
    features: bool,
    tell: Callable[[str], object] = lambda _name: None,
) -> dict[str, Described]:
    """Return what is known of the wanted data sets, by name; others are not looked at."""
    names, found = set(wanted), {}
    for each in data:
        tell(each if isinstance(each, str) else each.name)
        for known in _described(each, names, features=features):
            found[known.name] = known
    return found


def _described(
    each: str | Dataset | Described, wanted: set[str], *, features: bool
) -> list[Described]:
    if isinstance(each, Described):
        return [each] if each.name in wanted else []
    from palio.experiment.data.datasets import load_datasets

    return [
        Described.of(dataset, features=features)
        for dataset in load_datasets(each)
        if dataset.name in wanted
    ]


def ranking_options(ranking: str, cost: str | None) -> dict[str, str]:
    """Return the options of a ranking method: the cost, where it takes one."""
    return {"cost": cost} if cost is not None and "cost" in RANKINGS[ranking].options else {}


def _bound_ranker(table: ScoreTable, ranking: str, cost: str | None) -> Ranker:
    """Make a ranking method ready for a table."""
    options = RankingOptions(**ranking_options(ranking, cost))  # type: ignore[arg-type]
    return bind_rankings(table, [ranking], options).rankers[ranking]


# --- leaving one out -----------------------------------------------------------------------------


def _counts(nearest: Sequence[int] | None, n: int) -> tuple[int, ...]:
    """Return how many nearest to try: fewer than all the others."""
    if nearest is None:
        return tuple(k for k in _USUAL_COUNTS if k < n - 1)
    for k in nearest:
        rule = f"of the {n - 1} other data sets between 1 and all can be taken"
        require(1 <= k <= n - 1, "nearest", rule, k)
    return tuple(dict.fromkeys(nearest))


def _others_by_distance(features: FloatArray) -> IntArray:
    """Return for each data set the others, nearest first: (S, S − 1)."""
    n = len(features)
    orders = []
    for i in range(n):
        others = np.flatnonzero(np.arange(n) != i)
        orders.append(others[by_distance(distances(features[others], features[i]))])
    return np.stack(orders)


def _weights(orders: IntArray, count: Count) -> FloatArray:
    """Return which data sets count for each one left out: (S, S) of zeros and ones."""
    n = len(orders)
    chosen = orders if count == "all" else orders[:, :count]
    weights = np.zeros((n, n))
    np.put_along_axis(weights, chosen, 1.0, axis=1)
    return weights


def _at_random(
    judged: Any, orders: IntArray, count: Count, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the mean correlation and loss with as many data sets, whichever they are."""
    draws = 1 if count == "all" else _RANDOM_DRAWS
    found = [judged(_weights(rng.permuted(orders, axis=1), count)) for _ in range(draws)]
    correlation, regret = np.mean([(c.mean(), r.mean()) for c, r in found], axis=0)
    return float(correlation), float(regret)
