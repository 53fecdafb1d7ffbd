"""MultiTest's graph and its topological sort, as in Ulaş (2008), Figures 3.1 and 3.2.

The algorithms stand on a line, cheapest left. An arc leads from a cheaper algorithm to a costlier
one where the test overrode the prior order. Then one panel for each place: among the algorithms
that no arc leaves (thick outline) the cheapest is taken (shaded) and removed with its arcs.
Of many algorithms one is shown, with those that an arc joins to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Circle, PathPatch, Polygon
from matplotlib.path import Path

from palio.numbers import weighed
from palio.ordering.methods import ORDERINGS
from palio.report.figures import style
from palio.report.figures.extent import sorted_by
from palio.report.figures.kinds import MOST_NODES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from palio.ordering.result import Ordering

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


# Inches. Pages are tried from the narrowest; a wider one is taken when the figure comes out tall.
WIDER = (0.0, 4.0, 9.0, 17.0)
TALL = 1.75
NARROWEST = 3.4
COLUMN_GAP, ROW_GAP, BLOCK_GAP = 0.32, 0.15, 0.2

# With more algorithms than this the steps are drawn flatter: there are as many of them.
MANY = 12


def draw_multitest_graph(
    result: Ordering, *, steps: bool = True, focus: str | None = None
) -> Figure:
    """Draw the graph of an ordering, and the steps that decided each place.

    Parameters
    ----------
    result : Ordering
        By MultiTest or Multi²Test.
    steps : bool
        Whether to draw a panel for each step beneath the whole graph.
    focus : str, optional
        Of many algorithms, whose neighbours are shown: the first of the order unless given.

    Returns
    -------
    matplotlib.figure.Figure
        Its artists have ids: ``node:svr:whole``, ``node:svr:step3``, ``arc:c45->svr``.

    Examples
    --------
    >>> import palio
    >>> from palio.report.figures import draw
    >>> table = palio.load_study("ulas2008").select(algorithms=["c45", "svr"])
    >>> figure = draw(palio.multitest(table, dataset="optdigits", cost="train_time"))
    >>> [text.get_text() for text in figure.findobj() if text.get_gid() == "title:step1"]
    ['1. svr']
    """
    graph, said = _read(result), ""
    if len(graph.names) > MOST_NODES:
        graph, said = _around(result, graph, focus)
    drawn = steps and bool(graph.steps) and not style.is_narrow()
    step = _step_scale(graph) if drawn else None
    whole = _whole_scale(graph, numbered=step is not None and step.numbered)
    caption = " ".join(filter(None, (_caption(result, graph, step), said)))
    for wider in WIDER:
        page = _lay_out(graph, whole, step, _title(result), caption, style.page_width() + wider)
        if page.height <= TALL * page.width or not style.is_paper():
            break
    figure, axes = page.canvas()
    for panel in page.panels:
        panel.draw(axes)
    return page.captioned(figure)


def _read(result: Ordering) -> Graph:
    prior = result.prior
    place = {name: i for i, name in enumerate(prior)}
    edges = tuple((place[a], place[b]) for a, b in result.overridden)
    present = frozenset(range(len(prior)))
    steps = []
    for step in result.steps:
        taken = place[step.taken]
        candidates = frozenset(place[name] for name in step.candidates)
        steps.append(Step(int(step.place), present, candidates, taken))
        present -= {taken}
    return Graph(tuple(style.clean(name) for name in prior), edges, tuple(steps))


def _around(result: Ordering, graph: Graph, focus: str | None) -> tuple[Graph, str]:
    """Return the one in focus, or else the first that an arc joins, with its neighbours alone."""
    place = {name: i for i, name in enumerate(result.prior)}
    ends = {end for edge in graph.edges for end in edge}
    wanted = [focus, *result.order] if focus in place else result.order
    one = next(place[name] for name in wanted if place[name] in ends)
    joined = {end for edge in graph.edges if one in edge for end in edge} - {one}
    # Of many neighbours those that stand first in the order.
    first = sorted(joined, key=[place[name] for name in result.order].index)[: MOST_NODES - 1]
    shown = sorted({one, *first})
    at = {old: new for new, old in enumerate(shown)}
    edges = tuple((at[a], at[b]) for a, b in graph.edges if one in (a, b) and {a, b} <= at.keys())
    some = f"the first {len(first)} of " if len(first) < len(joined) else ""
    said = (
        f"Of {len(graph.names)} algorithms: {graph.names[one]}, and {some}the {len(joined)} that "
        "an arrow joins to it."
    )
    return Graph(tuple(graph.names[i] for i in shown), edges, ()), said


def _side_by_side(names: tuple[str, ...], size: float) -> float:
    """Return the least spacing at which horizontal names do not touch."""
    widths = [style.text_extent(name, size=size).width for name in names]
    gap = style.text_extent("n", size=size).width
    return max([(a + b) / 2 + gap for a, b in pairwise(widths)], default=0.0)


def _whole_scale(graph: Graph, *, numbered: bool) -> Scale:
    n, room = len(graph.names), style.column_width()
    level = _side_by_side(graph.names, style.BODY)
    if level * n <= room + 0.1:
        spacing, rotation = max(level, min((room - 1.5) / max(n - 1, 1), 0.75)), 0
    elif style.is_narrow():
        spacing, rotation = min((room - 0.2) / (n - 1), 0.5), 90
    elif n <= 24:
        spacing, rotation = min((room - 1.1) / (n - 1), 0.75), 45
    else:
        spacing, rotation = max((room - 0.3) / (n - 1), 0.17), 90
    radius = min(0.13, 0.36 * spacing)
    return Scale(
        spacing=spacing,
        radius=radius,
        rise=min(0.36 * spacing * (n - 1), 1.75),
        head=0.075 if spacing > 0.3 else 0.06 if spacing > 0.15 else 0.045,
        rotation=rotation,
        numbered=numbered,
        name_size=style.BODY if spacing > 0.15 else style.TINY,
        number_size=min(style.SMALL, 75 * radius),
    )


def _step_scale(graph: Graph) -> Scale:
    """Name the nodes in the steps if two panels then fit beside each other; else number them."""
    n = len(graph.names)
    level = _side_by_side(graph.names, style.SMALL)
    named = level * n <= 3.3 and level <= 1.0
    spacing = max(level, 0.26) if named else _numbered_spacing(n)
    radius = min(0.09, 0.3 * spacing) if named else min(0.09, 0.4 * spacing)
    return Scale(
        spacing=spacing,
        radius=radius,
        rise=min(0.36 * spacing * (n - 1), 0.62 if n <= MANY else 0.42),
        head=0.05 if n <= MANY else 0.04,
        named=named,
        numbered=not named,
        name_size=style.SMALL,
        number_size=min(style.SMALL, 75 * radius),
    )


def _numbered_spacing(n: int) -> float:
    """Let three panels stand beside each other if that leaves room for the arcs, else two."""
    three, two = ((width - 0.18) / (n - 1) for width in (2.0, 3.2))
    return min(three, 0.34) if three >= 0.26 else max(two, 0.155)


def _title(result: Ordering) -> str:
    title = ORDERINGS[result.method].title
    title = title[:1].upper() + title[1:]
    if result.dataset is not None:
        title += f" on {style.clean(result.dataset)}"
    else:
        title += f" over {style.count_datasets(result.n_datasets)}"
    return f"{title}, {style.clean(result.measure.name)}"


def _caption(result: Ordering, graph: Graph, step: Scale | None) -> str:
    if result.cost:
        text = f"Prior order from left to right by {weighed(result.cost)}, cheapest first."
    elif result.preferred_by == "prior":
        text = "From left to right: the given prior order, most preferred first."
    else:
        found = result.comparison
        by = "mean rank" if found is None else sorted_by(found)
        text = f"From left to right: by {by}, the best first."
    other = result.wording.other
    if graph.edges:
        text += (
            f" Arrows lead to a {other} algorithm that is significantly better "
            f"({_procedure(result)}, α\u00a0=\u00a0{result.alpha:g})."
        )
    else:
        text += f" No arrows: no {other} algorithm is significantly better."
    if step is not None:
        text += (
            " In each step a thick outline marks those that nobody left is significantly better"
            " than; of these the leftmost, shaded, is taken. Dots were taken before."
        )
        if step.numbered:
            text += " Numbers are places in the prior order."
    return text


def _procedure(result: Ordering) -> str:
    """Name the test that drew the arrows, and its correction."""
    if result.posthoc is not None or result.correction is None:
        return result.posthoc or str(result.test)
    return f"{result.test}, {'uncorrected' if result.correction == 'none' else result.correction}"


@dataclass(frozen=True)
class Panel:
    """A panel with its place on the page; ``at`` is the centre of its first node."""

    graph: Graph
    scale: Scale
    step: Step | None
    title: str
    title_size: float
    left: float
    top: float
    at: tuple[float, float]

    def draw(self, axes: Axes) -> None:
        """Draw the title, then the nodes and arcs."""
        gid = "title:whole" if self.step is None else f"title:step{self.step.place}"
        place: dict[str, Any] = {"ha": "left", "va": "top", "bold": True, "gid": gid}
        style.write(axes, self.left, self.top, self.title, size=self.title_size, **place)
        draw_panel(axes, self.graph, self.scale, self.at, self.step)


@dataclass(frozen=True)
class Page(style.Page):
    """Everything in its place; ``bottom`` is where the last panel ends."""

    panels: tuple[Panel, ...]
    bottom: float

    @property
    def caption_top(self) -> float:
        """The height at which the caption begins."""
        return self.bottom - BLOCK_GAP


def _lay_out(
    graph: Graph, whole: Scale, step: Scale | None, title: str, caption: str, limit: float
) -> Page:
    """Place the whole graph, the steps beneath it and the caption on a page, from the top down."""
    box = frame(graph, whole, title="", title_size=style.TITLE)
    grid = _Grid.of(graph, step, limit - 2 * style.MARGIN) if step else None
    if style.is_narrow():
        # Bold is wider than what is measured.
        title = "\n".join(style.wrap(title, 0.85 * style.column_width(), size=style.TITLE))
    heading = style.text_extent(title, size=style.TITLE, bold=True).width
    least = min(NARROWEST, style.column_width())
    inner = max(least, box.width, heading, grid.width if grid else 0.0)
    top = -style.MARGIN
    panel, top = _place_whole(graph, whole, box, title, inner, top)
    panels = [panel]
    if grid:
        placed, top = grid.place(inner, top - BLOCK_GAP)
        panels += placed
    return Page(caption, inner, tuple(panels), top)


def _place_whole(
    graph: Graph, scale: Scale, box: Frame, title: str, inner: float, top: float
) -> tuple[Panel, float]:
    arcs = scale.arcs(graph, range(len(graph.names)))
    lines = style.text_extent(title, size=style.TITLE, bold=True).height
    above = box.up - style.text_height(style.TITLE) + lines
    line = top - above - height_above(list(arcs.values()), least=scale.radius)
    left = style.MARGIN + (inner - box.width) / 2
    at = (left + box.left, line)
    panel = Panel(graph, scale, None, title, style.TITLE, style.MARGIN, top, at)
    return panel, line - box.down


@dataclass(frozen=True)
class _Grid:
    """The step panels in rows and columns."""

    graph: Graph
    scale: Scale
    box: Frame
    columns: int
    title_size: float

    @classmethod
    def of(cls, graph: Graph, scale: Scale, width: float) -> _Grid:
        titles = [_step_title(graph, step) for step in graph.steps]
        size = style.BODY if len(titles) <= MANY else style.SMALL
        widest = max(titles, key=lambda text: style.text_extent(text, size=size, bold=True).width)
        box = frame(graph, scale, title=widest, title_size=size)
        most = max(1, int((width + COLUMN_GAP) / (box.width + COLUMN_GAP)))
        # Seven panels in rows of four and three, rather than six and one.
        rows = -(-len(titles) // most)
        return cls(graph, scale, box, -(-len(titles) // rows), size)

    @property
    def width(self) -> float:
        return self.columns * (self.box.width + COLUMN_GAP) - COLUMN_GAP

    def place(self, inner: float, top: float) -> tuple[list[Panel], float]:
        """Place the panels in a width; return them and where the last row ends."""
        panels: list[Panel] = []
        pitch = (inner - self.box.width) / max(self.columns - 1, 1)
        pitch = min(pitch, self.box.width + 3 * COLUMN_GAP)
        margin = style.MARGIN + (inner - self.box.width - pitch * (self.columns - 1)) / 2
        for first in range(0, len(self.graph.steps), self.columns):
            row = self.graph.steps[first : first + self.columns]
            # Arcs go as nodes are taken: later rows are lower.
            arcs = [each for s in row for each in self.scale.arcs(self.graph, s.present).values()]
            line = top - self.box.up - height_above(arcs, least=self.scale.radius)
            for column, step in enumerate(row):
                left = margin + column * pitch
                panels.append(self._panel(step, left, top, line))
            top = line - self.box.down - ROW_GAP
        return panels, top + ROW_GAP

    def _panel(self, step: Step, left: float, top: float, line: float) -> Panel:
        at = (left + self.box.left, line)
        title = _step_title(self.graph, step)
        return Panel(self.graph, self.scale, step, title, self.title_size, left, top, at)


def _step_title(graph: Graph, step: Step) -> str:
    return f"{step.place}. {graph.names[step.taken]}"
