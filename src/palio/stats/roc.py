"""ROC curves of one binary problem, and the convex hull over all of them.

Points are kept as whole numbers of instances, false positives and true positives, so that which
points lie on the hull is decided exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palio.stats.outcome import finite_array
from palio.stats.ranks import average_ranks
from palio.types import BoolArray, FloatArray

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RocCurve:
    """A ROC curve: how many negatives and positives score at or above each threshold.

    It begins at (0, 0), where the threshold is infinite, and ends at (1, 1).
    """

    false_positives: Counts
    true_positives: Counts
    thresholds: FloatArray

    @property
    def negatives(self) -> int:
        """The number of negative instances."""
        return int(self.false_positives[-1])

    @property
    def positives(self) -> int:
        """The number of positive instances."""
        return int(self.true_positives[-1])

    @property
    def false_positive_rate(self) -> FloatArray:
        """The share of the negatives at or above each threshold."""
        return self.false_positives / self.negatives

    @property
    def true_positive_rate(self) -> FloatArray:
        """The share of the positives at or above each threshold."""
        return self.true_positives / self.positives

    @property
    def auc(self) -> float:
        """The area under the curve: the chance that a positive scores above a negative.

        Ties count one half.
        """
        return _area(self.false_positives, self.true_positives)

    def corners(self) -> RocCurve:
        """Return the same curve without the points on straight stretches.

        >>> roc_curve([1, 1, 0], [0.9, 0.8, 0.1]).corners().true_positives.tolist()
        [0, 2, 2]
        """
        x, y = self.false_positives, self.true_positives
        turn = np.diff(x)[:-1] * np.diff(y)[1:] != np.diff(x)[1:] * np.diff(y)[:-1]
        keep: BoolArray = np.concatenate([[True], turn, [True]])
        return RocCurve(x[keep], y[keep], self.thresholds[keep])


def roc_curve(truth: ArrayLike, score: ArrayLike) -> RocCurve:
    """Return the ROC curve of scores, higher meaning positive.

    Parameters
    ----------
    truth
        Which instances are positive, one or more of either.
    score
        What an algorithm gives each instance, such as the probability of the positive class. Tied
        scores pass the threshold together. A hard classifier's 0 and 1 make one point.

    References
    ----------
    Provost and Fawcett (2001), Robust classification for imprecise environments. Machine
    Learning 42.

    Examples
    --------
    >>> curve = roc_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> curve.true_positive_rate.tolist(), curve.false_positive_rate.tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5, 1.0])
    >>> curve.auc
    0.75
    """
    values = finite_array(score, name="score", least=(2,))
    positive = np.asarray(finite_array(truth, name="truth", least=(2,)) == 1)
    if values.ndim != 1 or values.shape != positive.shape:
        raise ValueError(
            "truth and score must hold one value per instance; "
            f"got shapes {positive.shape} and {values.shape}."
        )
    if positive.all() or not positive.any():
        raise ValueError("truth must hold positive and negative instances; got one kind only.")
    ranks = average_ranks(values)
    order = np.argsort(-ranks, kind="stable")
    last = np.append(np.diff(ranks[order]) != 0, True)
    hits = np.cumsum(positive[order], dtype=np.int64)[last]
    misses = np.cumsum(~positive[order], dtype=np.int64)[last]
    return RocCurve(
        false_positives=np.concatenate([[0], misses]),
        true_positives=np.concatenate([[0], hits]),
        thresholds=np.concatenate([[np.inf], values[order][last]]),
    )


@dataclass(frozen=True)
class HullVertex:
    """A corner of the hull, and for which slopes of iso-performance lines it is optimal.

    ``thresholds`` holds, by the places of the curves that pass through it, the threshold at which
    they do. None at (0, 0) and (1, 1), which every algorithm reaches by always giving the same
    answer.
    """

    false_positive_rate: float
    true_positive_rate: float
    slopes: tuple[float, float]
    thresholds: Mapping[int, float]


@dataclass(frozen=True)
class RocHull:
    """The corners of the hull from (0, 0) to (1, 1), and the area under it."""

    vertices: tuple[HullVertex, ...]
    auc: float

    def ranges(self, curve: int) -> tuple[tuple[float, float], ...]:
        """Return the ranges of slopes for which a curve is on the hull, ascending, merged."""
        own = sorted(vertex.slopes for vertex in self.vertices if curve in vertex.thresholds)
        merged: list[tuple[float, float]] = []
        for low, high in own:
            if merged and low <= merged[-1][1]:
                low = merged.pop()[0]
            merged.append((low, high))
        return tuple(merged)


def roc_convex_hull(curves: Sequence[RocCurve]) -> RocHull:
    r"""Return the convex hull of ROC curves over the same instances.

    Which algorithm is best for which class distribution and costs? One off the hull is best for
    none. One on it is best where the slope of the iso-performance lines lies in its range: the
    slopes of the hull to the right and to the left of its corner. No test: the hull of few
    instances is uncertain.

    Parameters
    ----------
    curves
        One or more, with the same numbers of positives and negatives.

    Notes
    -----
    With the shares p of the classes, and the costs c of a false positive and a false negative,
    points of equal expected cost lie on lines with the slope

    .. math::

        m = \frac{p(\mathrm{neg})\, c(\mathrm{FP})}{p(\mathrm{pos})\, c(\mathrm{FN})}

    Points on an edge between two corners are not corners: there is one slope for which they are
    as good as both ends, and none for which they are better.

    References
    ----------
    Provost and Fawcett (2001), Robust classification for imprecise environments. Machine
    Learning 42.

    Examples
    --------
    >>> one = roc_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> hull = roc_convex_hull([one, roc_curve([1, 0, 1, 0], [0, 0, 0, 1])])
    >>> [(v.false_positive_rate, v.true_positive_rate, v.slopes) for v in hull.vertices[1:-1]]
    [(0.0, 0.5, (1.0, inf)), (0.5, 1.0, (0.0, 1.0))]
    >>> hull.ranges(0), hull.ranges(1), hull.auc
    (((0.0, inf),), (), 0.875)
    """
    if len({(curve.positives, curve.negatives) for curve in curves}) != 1:
        raise ValueError("curves must be one or more, over the same positives and negatives.")
    negatives, positives = curves[0].negatives, curves[0].positives
    corners = _upper_hull(_highest(curves))
    thresholds = [{}, *(_thresholds(curves, x, y) for x, y in corners[1:-1]), {}]
    slopes = [np.inf, *_slopes(corners, positives, negatives), 0.0]
    return RocHull(
        vertices=tuple(
            HullVertex(x / negatives, y / positives, (slopes[i + 1], slopes[i]), thresholds[i])
            for i, (x, y) in enumerate(corners)
        ),
        auc=_area(*np.array(corners, dtype=np.int64).T),
    )


def _highest(curves: Sequence[RocCurve]) -> list[tuple[int, int]]:
    """Return (0, 0) and, for each number of false positives, the most true positives."""
    x = np.concatenate([curve.false_positives for curve in curves])
    y = np.concatenate([curve.true_positives for curve in curves])
    order = np.lexsort((-y, x))
    first = np.append(True, np.diff(x[order]) != 0)
    best = order[first]
    return [(0, 0), *zip(x[best].tolist(), y[best].tolist(), strict=True)]


def _upper_hull(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the corners of the upper hull of points in order of x, by Andrew's chain.

    >>> _upper_hull([(0, 0), (0, 1), (1, 1), (2, 3), (4, 4)])
    [(0, 0), (0, 1), (2, 3), (4, 4)]
    """
    hull: list[tuple[int, int]] = []
    for point in dict.fromkeys(points):
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) >= 0:
            hull.pop()
        hull.append(point)
    return hull


def _turn(o: tuple[int, int], a: tuple[int, int], b: tuple[int, int]) -> int:
    """Return a positive number where o, a, b turn left."""
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def _thresholds(curves: Sequence[RocCurve], x: int, y: int) -> dict[int, float]:
    """Return the curves that pass through a point, and at which threshold."""
    found = {}
    for i, curve in enumerate(curves):
        here = (curve.false_positives == x) & (curve.true_positives == y)
        if here.any():
            found[i] = float(curve.thresholds[int(np.argmax(here))])
    return found


def _slopes(corners: Sequence[tuple[int, int]], positives: int, negatives: int) -> list[float]:
    """Return the slopes of the edges, in rates; they fall from left to right."""
    return [
        np.inf if x1 == x0 else (y1 - y0) * negatives / ((x1 - x0) * positives)
        for (x0, y0), (x1, y1) in pairwise(corners)
    ]


def _area(x: Counts, y: Counts) -> float:
    """Return the area under a curve of counts, as a share of the whole square."""
    doubled = int((np.diff(x) * (y[1:] + y[:-1])).sum())
    return doubled / (2 * int(x[-1]) * int(y[-1]))
