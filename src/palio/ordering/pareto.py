"""Cost against score: who is beaten in both, and who is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from palio.measures import Measure
from palio.ordering.prior import Prior
from palio.scores import ScoreTable
from palio.stats.ranks import paired_difference
from palio.types import BoolArray, FloatArray


@dataclass(frozen=True)
class FrontPoint:
    """An algorithm by mean cost and mean score."""

    algorithm: str
    cost: float
    score: float
    on_front: bool
    dominated_by: Annotated[tuple[str, ...], "As good, as cheap, and better in one of the two."]


@dataclass(frozen=True)
class Front:
    """Cost against score, by the means alone."""

    cost: Mapping[str, float]
    unit: Annotated[str, "What the costs are counted in, in words."]
    measure: Measure
    points: tuple[FrontPoint, ...]

    @property
    def by_cost(self) -> tuple[FrontPoint, ...]:
        """The points, the cheapest first."""
        return tuple(sorted(self.points, key=lambda point: point.cost))

    @property
    def members(self) -> tuple[str, ...]:
        """Those on the front, the cheapest first."""
        return tuple(point.algorithm for point in self.by_cost if point.on_front)


def front_of(table: ScoreTable, preference: Prior | None) -> Front | None:
    """Return the front of a table's algorithms; none where a cost or a mean score is missing.

    Parameters
    ----------
    table : ScoreTable
        Its mean scores are weighed against what the algorithms cost.
    preference : Prior, optional
        The costs; a prior order given by hand is none.

    Examples
    --------
    >>> from palio.ordering.prior import prior_from
    >>> table = ScoreTable.from_arrays(
    ...     [[0.9, 0.8, 0.7]], datasets=["iris"], algorithms=["svm", "tree", "knn"],
    ...     measure="accuracy", costs={"time": [[2.0, 1.0, 3.0]]},
    ... )
    >>> front = front_of(table, prior_from(table, cost="time", prior=None))
    >>> front.members, front.points[2].dominated_by
    (('tree', 'svm'), ('svm', 'tree'))
    """
    if preference is None or preference.weights is None:
        return None
    names = table.algorithms
    cost, scores = preference.counted(table), table.mean_scores()
    goodness = table.measure.turned(np.array([scores[name] for name in names]))
    if not (np.isfinite(cost).all() and np.isfinite(goodness).all()):
        return None
    behind = dominance(goodness, cost)
    return Front(
        cost=dict(preference.weights),
        unit=(
            "mean share of each data set's largest"
            if table.n_datasets > 1 or len(preference.weights) > 1
            else "as measured"
        ),
        measure=table.measure,
        points=tuple(
            FrontPoint(
                name,
                float(cost[j]),
                scores[name],
                not behind[:, j].any(),
                tuple(names[i] for i in np.flatnonzero(behind[:, j]).tolist()),
            )
            for j, name in enumerate(names)
        ),
    )


def dominance(goodness: FloatArray, cost: FloatArray) -> BoolArray:
    """Say who leaves whom behind: ``dominance[i, j]`` where i is no worse, no costlier, not equal.

    Values that differ by rounding alone are equal.

    Parameters
    ----------
    goodness, cost : array (K,)
        Higher goodness and lower cost are better.

    Returns
    -------
    array (K, K) of bool

    Examples
    --------
    >>> dominance(np.array([0.9, 0.8, 0.8]), np.array([2.0, 1.0, 3.0])).astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    better = paired_difference(goodness[:, np.newaxis], goodness[np.newaxis, :])
    cheaper = paired_difference(cost[np.newaxis, :], cost[:, np.newaxis])
    found: BoolArray = (better >= 0) & (cheaper >= 0) & ((better > 0) | (cheaper > 0))
    return found
