"""Every algorithm in its place: what it scores and costs, whom it beats, why it stands there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from palio.comparison.results import Comparison
from palio.ordering.result import Ordering
from palio.ordering.tradeoff import Front

Names = tuple[str, ...]


@dataclass(frozen=True)
class OrderRow:
    """An algorithm in its place, and why."""

    place: int
    algorithm: str
    mean_score: float
    ranks: Annotated[
        tuple[int, int] | None, "The first and the last place that the pairs leave open."
    ]
    mean_rank: Annotated[float, "By the score alone."]
    cost: Annotated[float | None, "What the order went by; null where no cost was weighed."]
    costs: Annotated[Mapping[str, float], "The geometric mean of every cost, in its own unit."]
    prior_place: Annotated[int, "The place by preference alone."]
    on_front: Annotated[bool | None, "Whether nobody is as good, as cheap, and better in one."]
    reason: str
    overrides: Annotated[Names, "Cheaper ones it is significantly better than (the order's)."]
    waits_for: Annotated[Names, "Costlier ones significantly better than it (the order's)."]
    beats: Annotated[Names | None, "Significantly worse by the comparison; null if none made."]
    beaten_by: Names | None
    level_with: Annotated[Names | None, "Compared, and no difference found."]


@dataclass(frozen=True)
class Order:
    """Best first."""

    parts: ClassVar[tuple[str, ...]] = ("method", "cost", "rows")

    method: str
    cost: Annotated[Mapping[str, float] | None, "The costs weighed, with their weights."]
    rows: tuple[OrderRow, ...]

    @property
    def first(self) -> OrderRow:
        """The row of the first."""
        return self.rows[0]

    def row(self, algorithm: str) -> OrderRow:
        """Return the row of an algorithm."""
        return next(row for row in self.rows if row.algorithm == algorithm)


def places(ordering: Ordering, comparison: Comparison | None, front: Front | None) -> Order:
    """Put what is known of each algorithm in a row, best first.

    ``comparison`` says whom each beats by the score, ``front`` whether nobody dominates it.
    """
    table, ranks = ordering.table, ordering.rank_sets or {}
    scores, costs = ordering.mean_scores, table.mean_costs(of_all=True)
    weighed = {} if ordering.cost is None else ordering.costs
    prior = {name: i for i, name in enumerate(ordering.prior, start=1)}
    on_front = {point.algorithm: point.on_front for point in front.points} if front else {}
    overrides, waits_for = _edges(ordering)
    rows = []
    for place, step in enumerate(ordering.steps, start=1):
        name = step.taken
        standing = None if comparison is None else comparison.standings[name]
        rows.append(
            OrderRow(
                place=place,
                algorithm=name,
                mean_score=scores[name],
                ranks=ranks.get(name),
                mean_rank=ordering.mean_ranks[name],
                cost=weighed.get(name),
                costs={cost: means[name] for cost, means in costs.items()},
                prior_place=prior[name],
                on_front=on_front.get(name),
                reason=step.reason,
                overrides=tuple(overrides[name]),
                waits_for=tuple(waits_for[name]),
                beats=standing and standing.beats,
                beaten_by=standing and standing.beaten_by,
                level_with=standing and standing.level_with,
            )
        )
    return Order(ordering.method, ordering.cost, tuple(rows))


def _edges(ordering: Ordering) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return whom each stands before although it costs more, and who stands so before it."""
    overrides: dict[str, list[str]] = defaultdict(list)
    waits_for: dict[str, list[str]] = defaultdict(list)
    for cheaper, better in ordering.overridden:
        overrides[better].append(cheaper)
        waits_for[cheaper].append(better)
    return overrides, waits_for
