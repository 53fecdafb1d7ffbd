"""Every algorithm in its place: what it scores and costs, whom it beats, and why it stands there.

The order is that of a method with tests where there is one, of the mean ranks or of the mean
scores where there is none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, cast

from palio.comparison.results import Comparison
from palio.ordering.pareto import Front
from palio.ordering.prior import Prior
from palio.ordering.result import Ordering
from palio.scores import ScoreTable

OrderMethod = Literal["multi2test", "multitest", "mean-ranks", "mean-scores"]
Names = tuple[str, ...]


@dataclass(frozen=True)
class OrderRow:
    """An algorithm in its place, and why."""

    place: int
    algorithm: str
    mean_score: float
    mean_rank: Annotated[float | None, "By the score alone; null on one data set."]
    cost: Annotated[float | None, "What the order went by; null where no cost was weighed."]
    costs: Annotated[Mapping[str, float], "The mean of every cost, in its own unit."]
    prior_place: Annotated[int | None, "The place by cost alone."]
    on_front: Annotated[bool | None, "Whether nobody is as good, as cheap, and better in one."]
    reason: str
    overrides: Annotated[Names, "Cheaper ones it is significantly better than (the order's)."]
    waits_for: Annotated[Names, "Costlier ones significantly better than it (the order's)."]
    beats: Annotated[Names | None, "Significantly worse by the comparison; null if none made."]
    beaten_by: Names | None
    level_with: Annotated[Names | None, "Compared, and no difference found."]

    def times_the_cost_of(self, other: OrderRow) -> float | None:
        """Return how many times as much it costs as another; nothing where one costs nothing."""
        return self.cost / other.cost if self.cost and other.cost else None


@dataclass(frozen=True)
class Order:
    """Best first."""

    parts: ClassVar[tuple[str, ...]] = ("method", "cost", "rows")

    method: OrderMethod
    cost: Annotated[Mapping[str, float] | None, "The costs weighed, with their weights."]
    rows: tuple[OrderRow, ...]
    best_by_score: str

    @property
    def first(self) -> OrderRow:
        """The row of the first."""
        return self.rows[0]

    def row(self, algorithm: str) -> OrderRow:
        """Return the row of an algorithm."""
        return next(row for row in self.rows if row.algorithm == algorithm)


def places(
    table: ScoreTable,
    preference: Prior | None,
    ordering: Ordering | None,
    comparison: Comparison | None,
    front: Front | None,
) -> Order:
    """Put what is known of each algorithm of a table in a row, best first.

    Parameters
    ----------
    table : ScoreTable
        The scores and costs.
    preference : Prior, optional
        The costs that were weighed.
    ordering, comparison, front
        What was worked out of them; without an ordering the order is by mean rank, and without a
        comparison by mean score.
    """
    method, names, reasons = _order(table, ordering, comparison)
    scores, costs = table.mean_scores(), table.mean_costs(of_all=True)
    weights = None if ordering is None else ordering.cost
    weighed: Mapping[str, float] = {}
    if weights is not None and preference is not None:
        weighed = dict(zip(table.algorithms, preference.counted(table).tolist(), strict=True))
    prior = {name: i for i, name in enumerate(ordering.prior, start=1)} if ordering else {}
    on_front = {point.algorithm: point.on_front for point in front.points} if front else {}
    overrides, waits_for = _edges(ordering)
    rows = []
    for place, name in enumerate(names, start=1):
        standing = None if comparison is None else comparison.standings[name]
        rows.append(
            OrderRow(
                place=place,
                algorithm=name,
                mean_score=scores[name],
                mean_rank=None if comparison is None else comparison.mean_ranks[name],
                cost=weighed.get(name),
                costs={cost: means[name] for cost, means in costs.items()},
                prior_place=prior.get(name),
                on_front=on_front.get(name),
                reason=reasons[name],
                overrides=tuple(overrides[name]),
                waits_for=tuple(waits_for[name]),
                beats=standing and standing.beats,
                beaten_by=standing and standing.beaten_by,
                level_with=standing and standing.level_with,
            )
        )
    best = min(rows, key=lambda row: _badness(table, row))
    return Order(method, weights, tuple(rows), best.algorithm)


def _badness(table: ScoreTable, row: OrderRow) -> float:
    """Return the mean rank, or the mean score turned so that lower is better."""
    return -table.measure.turned(row.mean_score) if row.mean_rank is None else row.mean_rank


def _order(
    table: ScoreTable, ordering: Ordering | None, comparison: Comparison | None
) -> tuple[OrderMethod, Names, Mapping[str, str]]:
    """Return how the order is made, the algorithms best first, and the reason of each place."""
    if ordering is not None:
        reasons = {step.taken: step.reason for step in ordering.steps}
        return cast("OrderMethod", ordering.method), ordering.order, reasons
    if comparison is not None:
        names = comparison.by_mean_rank
        return "mean-ranks", names, dict.fromkeys(names, "by its mean rank")
    names = table.by_mean_score()
    return "mean-scores", names, dict.fromkeys(names, "by its mean score")


def _edges(ordering: Ordering | None) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return whom each stands before although it costs more, and who stands so before it."""
    overrides: dict[str, list[str]] = defaultdict(list)
    waits_for: dict[str, list[str]] = defaultdict(list)
    for cheaper, better in () if ordering is None else ordering.edges:
        overrides[better].append(cheaper)
        waits_for[cheaper].append(better)
    return overrides, waits_for
