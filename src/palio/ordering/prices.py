"""At each price the best that can be had: the steps of the front, and what each gives up."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from palio.ordering.pareto import Front, FrontPoint

if TYPE_CHECKING:
    from palio.comparison.results import Comparison


@dataclass(frozen=True)
class Price:
    """Whom to take where so much may be spent: nobody as cheap has a better mean score."""

    algorithm: str
    cost: Annotated[float, "As the front counts it."]
    own: Annotated[
        float | None,
        "The mean of the one cost that was named, in its own unit; none where several were, or "
        "where these means do not grow along the front.",
    ]
    score: float
    cheaper: Annotated[float, "How many times it costs less than the best; 1 of the best itself."]
    worse: Annotated[
        bool | None, "Whether the best is significantly better; none if the two were not compared."
    ]


def prices_of(
    front: Front, best: str, comparison: Comparison | None, costs: Mapping[str, Mapping[str, float]]
) -> tuple[Price, ...]:
    """Return the steps of a front, the cheapest first.

    Parameters
    ----------
    front : Front
        Cost against score.
    best : str
        Whom the others are held against.
    comparison : Comparison, optional
        Who differs from whom.
    costs : mapping
        Of each algorithm the mean of each cost, in its own unit.

    Examples
    --------
    >>> import palio
    >>> report = palio.analyse(palio.load_study("ulas2008"), cost="train_time", checks=[])
    >>> costs = {row.algorithm: row.costs for row in report.order.rows}
    >>> found = prices_of(report.front, "svr", report.comparison, costs)
    >>> [(price.algorithm, round(price.cheaper, 1), price.worse) for price in found]
    [('5nn', 99.5, True), ('lnp', 12.9, True), ('mlp', 3.8, True), ('svl', 1.2, False),
     ('svr', 1.0, False)]
    """
    steps = [point for point in front.by_cost if point.on_front]
    own = _own(front, steps, costs)
    than = next(point.cost for point in front.points if point.algorithm == best)
    return tuple(
        Price(
            point.algorithm,
            point.cost,
            value,
            point.score,
            _times(than, point.cost),
            _worse(comparison, point.algorithm, best),
        )
        for point, value in zip(steps, own, strict=True)
    )


def _own(
    front: Front, steps: list[FrontPoint], costs: Mapping[str, Mapping[str, float]]
) -> list[float] | list[None]:
    name, *others = front.cost
    found = [costs[point.algorithm].get(name, math.nan) for point in steps]
    # The front counts shares of each data set's largest, whose means may be in another order.
    grow = all(low < high for low, high in itertools.pairwise(found))
    return found if grow and not others and math.isfinite(sum(found)) else [None] * len(steps)


def _times(than: float, cost: float) -> float:
    return than / cost if cost > 0 else math.inf if than > 0 else 1.0


def _worse(comparison: Comparison | None, name: str, best: str) -> bool | None:
    if name == best:
        return False
    pair = None if comparison is None else comparison.pair_if_compared(name, best)
    return None if pair is None else pair.winner == best
