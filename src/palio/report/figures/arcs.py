"""The geometry of arcs over nodes that stand on a line; numbers only, nothing is drawn here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Arc", "arcs", "height_above"]

Point = tuple[float, float]
Edge = tuple[int, int]

# Where arcs leave a node, in degrees from the horizontal: neighbours are joined from the side,
# distant nodes from the top, so that the arcs of one node are nested and do not cross.
SHALLOW, STEEP = 32.0, 88.0

# Degrees between two arcs of one node, where there is room: their heads can be told apart.
APART = 12.0

# The top of a cubic curve whose inner points are both at height h is at three quarters of h.
TOP_OF_CUBIC = 0.75


@dataclass(frozen=True)
class Arc:
    """A cubic curve from one node to another, and the triangle of its arrow head."""

    curve: tuple[Point, Point, Point, Point]
    head: tuple[Point, Point, Point]

    @property
    def top(self) -> float:
        """The height of the highest point of the curve."""
        y0, y1, y2, y3 = (point[1] for point in self.curve)
        return max(
            (1 - t) ** 3 * y0 + 3 * (1 - t) ** 2 * t * y1 + 3 * (1 - t) * t**2 * y2 + t**3 * y3
            for t in (i / 16 for i in range(17))
        )


def arcs(
    edges: Sequence[Edge], n: int, spacing: float, *, radius: float, rise: float, head: float
) -> dict[Edge, Arc]:
    """Return an arc for each pair of places on a line of ``n`` nodes, the first at the origin.

    Parameters
    ----------
    edges : sequence of pairs of int
        From the left to the right: the first place of each pair is the lower.
    n : int
        How many nodes stand on the line.
    spacing, radius : float
        The distance between neighbours and the radius of a node.
    rise : float
        The height of the arc that spans the whole line.
    head : float
        The length of the arrow head.

    Returns
    -------
    dict
        An arc for each edge, relative to the centre of the first node.

    Examples
    --------
    >>> drawn = arcs([(0, 1), (0, 3)], 4, 1.0, radius=0.1, rise=1.0, head=0.1)
    >>> drawn[0, 1].top < drawn[0, 3].top
    True
    """
    shallow = _shallowest(spacing, radius, head)
    leaving = _angles(edges, 0, n, shallow)
    arriving = _angles(edges, 1, n, shallow)
    result = {}
    for edge in edges:
        height = rise * ((edge[1] - edge[0]) / (n - 1)) ** 0.7
        x = (edge[0] * spacing, edge[1] * spacing)
        angles = (leaving[edge], arriving[edge])
        result[edge] = _arc(x, angles, height, radius=radius, head=head)
    return result


def _shallowest(spacing: float, radius: float, head: float) -> float:
    """Return the angle that leaves room for a line and a head between neighbours."""
    cosine = (spacing - 2 * head) / (2 * radius)
    return max(SHALLOW, math.degrees(math.acos(min(max(cosine, 0.5), 1.0))))


def _angles(edges: Iterable[Edge], end: int, n: int, shallow: float) -> dict[Edge, float]:
    """Return the angle at one end of each edge: the longer the steeper, and no two the same."""
    at: dict[int, list[Edge]] = {}
    for edge in edges:
        at.setdefault(edge[end], []).append(edge)
    angles: dict[Edge, float] = {}
    for here in at.values():
        here.sort(key=lambda edge: edge[1] - edge[0])
        shares = [((b - a - 1) / max(n - 2, 1)) ** 0.6 for a, b in here]
        wanted = [shallow + (STEEP - shallow) * share for share in shares]
        angles.update(zip(here, _spread(wanted, shallow), strict=True))
    return angles


def _spread(wanted: list[float], shallow: float) -> list[float]:
    """Move increasing angles apart, as little as needed and no further than there is room."""
    apart = min(APART, (STEEP - shallow) / max(len(wanted) - 1, 1))
    spread = list(wanted)
    for i in range(1, len(spread)):
        spread[i] = max(spread[i], spread[i - 1] + apart)
    limit = STEEP
    for i in reversed(range(len(spread))):
        spread[i] = min(spread[i], limit)
        limit = spread[i] - apart
    return spread


def _arc(
    x: tuple[float, float],
    angles: tuple[float, float],
    height: float,
    *,
    radius: float,
    head: float,
) -> Arc:
    """Return the curve that leaves and arrives along a radius of its nodes."""
    half = 0.5 * (x[1] - x[0])
    (cos0, sin0), (cos1, sin1) = (
        (math.cos(math.radians(angle)), math.sin(math.radians(angle))) for angle in angles
    )
    # Long enough for the arrow head to sit on a line, but neither half overtakes the other.
    least, end = radius + 1.5 * head, radius + 0.75 * head
    reach0 = min(max(height / TOP_OF_CUBIC / sin0, least), half / cos0)
    reach1 = max(min(max(height / TOP_OF_CUBIC / sin1, least), half / cos1), end)
    curve = (
        (x[0] + radius * cos0, radius * sin0),
        (x[0] + reach0 * cos0, reach0 * sin0),
        (x[1] - reach1 * cos1, reach1 * sin1),
        (x[1] - end * cos1, end * sin1),
    )
    return Arc(curve, _triangle(x[1], cos1, sin1, radius, head))


def _triangle(
    x: float, cos: float, sin: float, radius: float, head: float
) -> tuple[Point, Point, Point]:
    """Return the arrow head whose tip touches the node at ``x`` and points at its centre."""
    base, half = radius + head, 0.34 * head
    middle = (x - base * cos, base * sin)
    return (
        (x - radius * cos, radius * sin),
        (middle[0] - half * sin, middle[1] - half * cos),
        (middle[0] + half * sin, middle[1] + half * cos),
    )


def height_above(shapes: Iterable[Arc], *, least: float) -> float:
    """Return the height that the arcs need above the line, and not less than ``least``."""
    return max([least, *(shape.top for shape in shapes)])
