"""One panel of the MultiTest figure: nodes on a line, arcs above, names beneath."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Circle, PathPatch, Polygon
from matplotlib.path import Path

from palio.report.figures import style
from palio.report.figures.arcs import Arc, arcs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Frame", "Graph", "Scale", "Step", "draw_panel", "frame"]

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
    axes.add_artist(
        Circle(
            at,
            scale.radius,
            facecolor=style.ORANGE if taken else style.PAPER,
            edgecolor=style.INK if candidate or step is None else style.MUTED,
            lw=1.8 if candidate else 0.8,
            zorder=3,
            gid=f"node:{tag}",
        )
    )
    if scale.numbered:
        style.write(
            axes,
            *at,
            str(i + 1),
            size=scale.number_size,
            gid=f"number:{tag}",
            ha="center",
            va="center_baseline",
            zorder=4,
        )
    if scale.named:
        _write_name(axes, scale, name, at, f"name:{tag}")


def _write_name(axes: Axes, scale: Scale, name: str, at: tuple[float, float], gid: str) -> None:
    x, y = at[0], at[1] - scale.radius - NAME_GAP
    place: dict[str, Any] = {"ha": "center", "va": "top"}
    if scale.rotation == 45:
        y -= style.text_height(scale.name_size) * math.sqrt(0.125)
        place = {"ha": "right", "va": "center", "rotation_mode": "anchor"}
    style.write(axes, x, y, name, size=scale.name_size, rotation=scale.rotation, gid=gid, **place)
