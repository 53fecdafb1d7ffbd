"""One panel of the MultiTest figure: nodes on a line, arcs above, names beneath."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Circle, PathPatch, Polygon
from matplotlib.path import Path

from palio.report.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches between a node and its name, and between the arcs and the title above them.
NAME_GAP = 0.05
TITLE_GAP = 0.06

CURVE = (Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4)


@dataclass(frozen=True)
class Step:
    """One place of the order: what is still there, what could be taken, what was."""

    place: int
    present: frozenset[int]
    candidates: frozenset[int]
    taken: int


@dataclass(frozen=True)
class Graph:
    """What is drawn: names in prior order, edges as pairs of places, the steps."""

    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Scale:
    """The measures of a panel in inches, and how its nodes are named."""

    spacing: float
    radius: float
    rise: float
    head: float
    rotation: int = 0
    named: bool = True
    numbered: bool = False
    name_size: float = style.BODY
    number_size: float = style.TINY

    def arcs(self, graph: Graph, present: Iterable[int]) -> dict[tuple[int, int], Arc]:
        """Return the arcs between the nodes that are present."""
        here = set(present)
        shapes = _all_arcs(graph.edges, len(graph.names), self)
        return {(a, b): shapes[a, b] for a, b in graph.edges if a in here and b in here}

    def reach(self, name: str) -> tuple[float, float, float]:
        """Return how far a node with its name reaches left, right and down from its centre."""
        if not self.named:
            return self.radius, self.radius, self.radius
        text = style.text_extent(name, size=self.name_size)
        if self.rotation == 0:
            left = right = text.width / 2
            down = text.height
        elif self.rotation == 90:
            left = right = text.height / 2
            down = text.width
        else:
            # Turned by 45 degrees about the middle of its right end.
            right = text.height * math.sqrt(0.125)
            left = text.width * math.sqrt(0.5) + right
            down = left + right
        return max(left, self.radius), max(right, self.radius), self.radius + NAME_GAP + down


@lru_cache(maxsize=4)
def _all_arcs(
    edges: tuple[tuple[int, int], ...], n: int, scale: Scale
) -> dict[tuple[int, int], Arc]:
    """Return every arc; kept, as each step shows most of those of the step before."""
    return arcs(edges, n, scale.spacing, radius=scale.radius, rise=scale.rise, head=scale.head)


@dataclass(frozen=True)
class Frame:
    """The room a panel takes around the centre of its first node."""

    left: float
    right: float
    down: float
    up: float

    @property
    def width(self) -> float:
        """The whole width."""
        return self.left + self.right


def frame(graph: Graph, scale: Scale, *, title: str, title_size: float) -> Frame:
    """Measure a panel that shows every node, but for the arcs: they differ by step."""
    reaches = [scale.reach(name) for name in graph.names]
    left = max(reach[0] - i * scale.spacing for i, reach in enumerate(reaches))
    right = max(reach[1] + i * scale.spacing for i, reach in enumerate(reaches))
    return Frame(
        left=left,
        right=max(right, style.text_extent(title, size=title_size, bold=True).width - left),
        down=max(reach[2] for reach in reaches),
        up=TITLE_GAP + style.text_height(title_size),
    )


def draw_panel(
    axes: Axes, graph: Graph, scale: Scale, at: tuple[float, float], step: Step | None = None
) -> None:
    """Draw nodes, arcs and names with the first node centred ``at`` a point.

    Without a step the whole graph is drawn.
    """
    everyone = range(len(graph.names))
    present = step.present if step else frozenset(everyone)
    _draw_arcs(axes, graph, scale, at, present, "" if step is None else f":step{step.place}")
    for i in everyone:
        x = at[0] + i * scale.spacing
        if i in present:
            _draw_node(axes, graph, scale, i, (x, at[1]), step)
        elif step is not None:
            gid = f"gone:{graph.names[i]}:step{step.place}"
            dot = Circle((x, at[1]), 0.018, facecolor=style.FAINT, edgecolor="none", gid=gid)
            axes.add_artist(dot)


def _draw_arcs(
    axes: Axes,
    graph: Graph,
    scale: Scale,
    at: tuple[float, float],
    present: frozenset[int],
    suffix: str,
) -> None:
    # A complete graph of twenty has 190 arcs: thin and translucent, so that one can be followed.
    shapes = scale.arcs(graph, present)
    crowd = min(len(shapes) / 190, 1.0) ** 0.35
    line = (1.3 - 0.8 * crowd) * (0.75 if suffix else 1.0)
    alpha = 0.95 - 0.5 * crowd
    for (a, b), shape in shapes.items():
        gid = f"{graph.names[a]}->{graph.names[b]}{suffix}"
        curve = Path([_moved(point, at) for point in shape.curve], CURVE)
        # Nothing leaves the page; not to say so for each arc makes the SVG smaller.
        look: dict[str, Any] = {"alpha": alpha, "zorder": 2, "clip_on": False}
        axes.add_artist(
            PathPatch(curve, fill=False, edgecolor=style.BLUE, lw=line, gid=f"arc:{gid}", **look)
        )
        head = [_moved(point, at) for point in shape.head]
        axes.add_artist(
            Polygon(head, facecolor=style.BLUE, edgecolor="none", gid=f"head:{gid}", **look)
        )


def _moved(point: tuple[float, float], at: tuple[float, float]) -> tuple[float, float]:
    return point[0] + at[0], point[1] + at[1]


def _draw_node(
    axes: Axes, graph: Graph, scale: Scale, i: int, at: tuple[float, float], step: Step | None
) -> None:
    name = graph.names[i]
    tag = f"{name}:whole" if step is None else f"{name}:step{step.place}"
    candidate = step is not None and i in step.candidates
    taken = step is not None and i == step.taken
    fill = style.ORANGE if taken else style.PAPER
    edge = style.INK if candidate or step is None else style.MUTED
    line: dict[str, Any] = {"lw": 1.8 if candidate else 0.8, "zorder": 3, "gid": f"node:{tag}"}
    axes.add_artist(Circle(at, scale.radius, facecolor=fill, edgecolor=edge, **line))
    if scale.numbered:
        look: dict[str, Any] = {"size": scale.number_size, "ha": "center", "zorder": 4}
        style.write(axes, *at, str(i + 1), gid=f"number:{tag}", **look)
    if scale.named:
        _write_name(axes, scale, name, at, f"name:{tag}")


def _write_name(axes: Axes, scale: Scale, name: str, at: tuple[float, float], gid: str) -> None:
    x, y = at[0], at[1] - scale.radius - NAME_GAP
    place: dict[str, Any] = {"ha": "center", "va": "top"}
    if scale.rotation == 45:
        y -= style.text_height(scale.name_size) * math.sqrt(0.125)
        place = {"ha": "right", "va": "center", "rotation_mode": "anchor"}
    style.write(axes, x, y, name, size=scale.name_size, rotation=scale.rotation, gid=gid, **place)


# --- the geometry of the arcs: numbers only ------------------------------------------------------

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
